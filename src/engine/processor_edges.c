/* The processor's data for an operator: the weights of its edges with all factors included,
 *
 *     a_j = a(u,w) f_u f_w      for edge j of row u, which leads to w.
 *
 * Without them every pass over the edges would read the factor of every neighbour, at random
 * addresses once the factors outgrow the cache. The data take four bytes an arc: at most the size
 * of a block of rows, and at most an eighth of the free memory.
 */
#include <cafe-private/text.h>

#include "base/memory.h"
#include "base/memory_limit.h"
#include "base/thread_pool.h"
#include "engine/processor.h"

enum {
    ROWS = 4096,      /* of a task */
    AHEAD = 32,       /* edges between the prefetch of a factor and its use */
    SHARE = 8,        /* of the memory left */
    CACHED = 1 << 19, /* factors that a core's cache holds */
};

typedef struct links_job {
    const cafe_operator_parts *q;
    float *weights;
} links_job;

/* a_j = a(u,w) f_u f_w for the arcs j of rows first .. last - 1. */
static void weigh_rows(void *argument, int64_t first, int64_t last) {
    const links_job *job = argument;
    const cafe_operator_parts *q = job->q;
    int64_t end = q->offsets[last];
    for (int64_t u = first; u < last; u++)
        for (int64_t j = q->offsets[u]; j < q->offsets[u + 1]; j++) {
            if (j + AHEAD < end) __builtin_prefetch(&q->factor[q->targets[j + AHEAD]]);
            job->weights[j] = CAFE_LINK(q, u, j);
        }
}

/* Do the weights pay and fit? They pay if the factors outgrow the cache and
 *
 *     arcs <= n stride (at most the memory of a block),   4 arcs <= (free memory) / SHARE.
 */
static bool fits(const cafe_context *context, const cafe_operator_parts *q, int64_t stride) {
    int64_t links = q->offsets[q->n];
    if (q->n <= CACHED || links > q->n * stride) return false;
    int64_t left = cafe_memory_available(), room = cafe_room(context);
    return links * (int64_t)sizeof(float) <= (left < room ? left : room) / SHARE;
}

cafe_status cafe_processor_attach(cafe_context *context, const cafe_engine *engine,
                                  const cafe_operator *op, int64_t stride, void **held) {
    const cafe_operator_parts *q = &op->parts;
    links_job job = {q, NULL};
    (void)engine;
    *held = NULL;
    if (!q->factor || !fits(context, q, stride)) return CAFE_OK;
    job.weights = cafe_mem(context, q->offsets[q->n], sizeof *job.weights);
    CAFE_PASS(cafe_mem_had(job.weights));
    cafe_mem_touch(context, job.weights);
    cafe_status status = cafe_ranges(context, q->n, ROWS, weigh_rows, &job);
    if (status == CAFE_OK)
        *held = job.weights;
    else
        cafe_mem_free(context, job.weights);
    return status;
}

void cafe_processor_detach(cafe_context *context, const cafe_engine *engine, void *held) {
    (void)engine;
    cafe_mem_free(context, held);
}

cafe_operator cafe_processor_held(const cafe_operator *op, const void *held) {
    cafe_operator weighed = *op;
    if (held) weighed.parts.weights = held, weighed.parts.factor = NULL;
    return weighed;
}
