/* Propagation of labels (Raghavan et al. 2007): every node repeatedly takes the label with the
 * largest weight among its neighbours. Labels of more than MOST nodes are not taken. So no label
 * floods the graph, and the rows of a community fit into a cache.
 *
 * The nodes u with u mod CHUNKS = c choose from the labels before them, then take their choices in
 * node order: the same labels for any number of threads.
 */
#include "base/memory.h"
#include "base/thread_pool.h"
#include "graph/array_sums.h"
#include "graph/graph.h"
#include "graph/node_order.h"

enum {
    CHUNKS = 64,
    TASK = 1024, /* nodes */
    PASSES = 8,
    MOST = 8192 /* nodes of a label */
};

typedef struct propagation {
    const cafe_graph *g;
    cafe_tally *tallies;
    int32_t *label, *chosen, *size;
    int64_t chunk, count; /* the chunk at work, its nodes */
    uint32_t pass;
} propagation;

/* Labels of the same weight are taken in an order that is another one in every pass. */
static uint32_t rank_of(const propagation *p, int32_t label) {
    uint32_t x = ((uint32_t)label + p->pass * 0x9E3779B9u) * 0x85EBCA6Bu;
    return (x ^ x >> 15) * 0xC2B2AE35u;
}

static int32_t choose(const propagation *p, cafe_tally *t, int64_t u) {
    const cafe_graph *g = p->g;
    int32_t best = p->label[u];
    for (int64_t j = g->offsets[u]; j < g->offsets[u + 1]; j++)
        if (g->targets[j] != u)
            cafe_tally_add(t, p->label[g->targets[j]], g->scaled ? g->scaled[j] : 1);
    for (int64_t i = 0; i < t->count; i++) {
        int32_t label = t->keys[i];
        double more = t->sum[label] - t->sum[best];
        if (label == best || p->size[label] >= MOST) continue;
        if (more > 0 || (more == 0 && best != p->label[u] && rank_of(p, label) > rank_of(p, best)))
            best = label;
    }
    cafe_tally_clear(t);
    return best;
}

static void choose_some(void *argument, int64_t task, int32_t worker) {
    const propagation *p = argument;
    for (int64_t i = task * TASK; i < cafe_block_end(p->count, TASK, task); i++)
        p->chosen[i] = choose(p, &p->tallies[worker], p->chunk + i * CHUNKS);
}

/* Returns how many nodes changed their label. */
static int64_t take(const propagation *p) {
    int64_t moved = 0;
    for (int64_t i = 0; i < p->count; i++) {
        int32_t *label = &p->label[p->chunk + i * CHUNKS], now = p->chosen[i];
        if (now == *label || p->size[now] >= MOST) continue;
        p->size[*label]--;
        p->size[now]++;
        *label = now;
        moved++;
    }
    return moved;
}

static cafe_status propagate(cafe_context *context, propagation *p) {
    int64_t n = p->g->n, moved = n;
    for (int64_t u = 0; u < n; u++) p->label[u] = (int32_t)u, p->size[u] = 1;
    for (p->pass = 0; p->pass < PASSES && moved > n / 50; p->pass++) {
        moved = 0;
        for (p->chunk = 0; p->chunk < CHUNKS; p->chunk++) {
            p->count = p->chunk < n ? cafe_blocks(n - p->chunk, CHUNKS) : 0;
            CAFE_PASS(cafe_parallel(context, cafe_blocks(p->count, TASK), choose_some, p));
            moved += take(p);
        }
    }
    return CAFE_OK;
}

cafe_status cafe_graph_labels(cafe_context *context, const cafe_graph *graph, int32_t *communities,
                              int64_t *count) {
    cafe_status status = CAFE_ERROR_MEMORY;
    int64_t n = graph->n;
    propagation p = {.g = graph, .label = communities};
    p.tallies = cafe_tallies_new(context, context->threads, n);
    p.chosen = cafe_mem(context, cafe_blocks(n, CHUNKS), sizeof *p.chosen);
    p.size = cafe_mem(context, n, sizeof *p.size);
    if (!p.tallies || !p.chosen || !p.size) goto done;
    CAFE_TRY(propagate(context, &p));
    *count = 0;
    for (int64_t u = 0; u < n; u++) p.size[u] = -1;
    for (int64_t u = 0; u < n; u++) { /* numbers by first appearance */
        int32_t *number = &p.size[communities[u]];
        if (*number < 0) *number = (int32_t)(*count)++;
        communities[u] = *number;
    }
done:
    cafe_tallies_free(context, p.tallies, context->threads);
    cafe_mem_free_all(context, p.chosen, p.size);
    return status;
}
