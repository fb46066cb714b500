/* The PageRank flow along directed edges.
 *
 *     P(u,w) = a(u,w) / sum over x of a(u,x)
 *     pi = t/n + (1 - t) (P^T pi + (mass of nodes without an edge out) / n),    t = 0.15
 *     f(u,w) = pi_u P(u,w)
 *
 * pi is found by repetition, which contracts by 0.85 a step: a change of 1e-13 in total leaves an
 * error below 1e-12. Every node gathers from its edges in, so no sum depends on the threads.
 */
#include <math.h>

#include "base/memory.h"
#include "base/thread_pool.h"
#include "graph/directed.h"

enum { ROWS = 1024, MOST_STEPS = 400 };
static const double teleport = 0.15, enough = 1e-13;

typedef struct walk {
    const cafe_rows *arcs;
    cafe_rows into;  /* A^T */
    double *outward; /* row sums of A */
    double *now, *next;
    double base; /* teleport: t/n plus the share of nodes without outgoing edges */
} walk;

static void gather(void *argument, int64_t first, int64_t last, double *changes) {
    walk *w = argument;
    double change = 0;
    for (int64_t u = first; u < last; u++) {
        double sum = 0;
        for (int64_t i = w->into.offsets[u]; i < w->into.offsets[u + 1]; i++) {
            int32_t from = w->into.targets[i];
            sum += w->now[from] * (w->into.weights[i] / w->outward[from]);
        }
        w->next[u] = w->base + (1 - teleport) * sum;
        change += fabs(w->next[u] - w->now[u]);
    }
    *changes = change;
}

static void start(walk *w) {
    int64_t n = w->arcs->n;
    for (int64_t u = 0; u < n; u++) {
        w->now[u] = 1 / (double)n;
        w->outward[u] = 0;
        for (int64_t i = w->arcs->offsets[u]; i < w->arcs->offsets[u + 1]; i++)
            w->outward[u] += w->arcs->weights[i];
    }
}

static cafe_status stationary(cafe_context *context, walk *w) {
    int64_t n = w->arcs->n;
    start(w);
    for (int step = 0; step < MOST_STEPS; step++) {
        double stuck = 0, change = 0;
        for (int64_t u = 0; u < n; u++)
            if (w->outward[u] == 0) stuck += w->now[u];
        w->base = (teleport + (1 - teleport) * stuck) / (double)n;
        CAFE_PASS(cafe_sums(context, n, ROWS, gather, w, 1, &change));
        double *turn = w->now;
        w->now = w->next;
        w->next = turn;
        if (change < enough) break;
    }
    return CAFE_OK;
}

cafe_status cafe_rows_flow(cafe_context *context, const cafe_rows *arcs, float *flow) {
    int64_t n = arcs->n;
    walk w = {.arcs = arcs};
    cafe_status status;
    cafe_phase(context, "flow", 0);
    CAFE_TRY(cafe_rows_transpose(context, arcs, &w.into));
    status = CAFE_ERROR_MEMORY;
    w.outward = cafe_mem(context, n, sizeof *w.outward);
    w.now = cafe_mem(context, n, sizeof *w.now);
    w.next = cafe_mem(context, n, sizeof *w.next);
    if (!w.outward || !w.now || !w.next) goto done;
    CAFE_TRY(stationary(context, &w));
    for (int64_t u = 0; u < n; u++)
        for (int64_t i = arcs->offsets[u]; i < arcs->offsets[u + 1]; i++)
            flow[i] = (float)(w.now[u] * (arcs->weights[i] / w.outward[u]));
done:
    cafe_rows_free(context, &w.into);
    cafe_mem_free_all(context, w.outward, w.now, w.next);
    return status;
}
