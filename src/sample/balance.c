/* Balanced pairs: p(u,w) <- p(u,w) / sqrt(p_u p_w), scaled to sum 1 again.
 *
 * A pair then counts by how much more often it is drawn than its ends' shares would have it, so
 * that hubs weigh no more than others: the normalised similarity, which eq. (link1111) of the paper
 * turns into a sampled graph like any other.
 */
#include <math.h>

#include "base/memory.h"
#include "base/pool.h"
#include "sample/sampled.h"

enum { ROWS = 1024 };

typedef struct balancing {
    const cafe_sampled *sampled;
    double *scale; /* 1 / sqrt(p_u n): about 1, so that weights keep their size */
    float *weights;
} balancing;

/* The product of the scales does not depend on the order of u and w: rows stay symmetric to the
 * bit. */
static void weigh_rows(void *argument, int64_t first, int64_t last) {
    const balancing *b = argument;
    const cafe_sampled *s = b->sampled;
    for (int64_t u = first; u < last; u++)
        for (int64_t j = s->offsets[u]; j < s->offsets[u + 1]; j++)
            b->weights[j] =
                (float)((s->weights ? s->weights[j] : 1) * (b->scale[u] * b->scale[s->targets[j]]));
}

cafe_status cafe_sampled_balance(cafe_context *context, cafe_sampled *s) {
    cafe_status status = CAFE_OK;
    balancing b = {s, cafe_mem(context, s->n, sizeof *b.scale),
                   cafe_mem(context, s->offsets[s->n], sizeof *b.weights)};
    CAFE_TRY(cafe_mem_had(b.scale, b.weights));
    for (int64_t u = 0; u < s->n; u++)
        b.scale[u] = s->p[u] > 0 ? 1 / sqrt(s->p[u] * (double)s->n) : 0;
    CAFE_TRY(cafe_ranges(context, s->n, ROWS, weigh_rows, &b));
    cafe_mem_free(context, s->twisted);
    s->weights = s->twisted = b.weights;
    b.weights = NULL;
    CAFE_TRY(cafe_sampled_fill(context, s));
done:
    cafe_mem_free_all(context, b.scale, b.weights);
    return status;
}
