/* Hides edges by the seed and keeps a spanning forest.
 *
 * The edges, in the order of the rows, are shuffled. From the end of this order the forest grows
 * (an edge that joins two trees stays). From its beginning other edges are hidden, up to the wanted
 * number. The hidden edges depend on seed and share alone. The training graph is built from the
 * other edges.
 */
#include <math.h>

#include <cafe-private/text.h>
#include <cafe/recommend.h>

#include "base/memory.h"
#include "base/random.h"
#include "graph/compressed_rows.h"
#include "graph/graph.h"

typedef struct links {
    int64_t count;
    int32_t *source, *target;
    float *weight; /* NULL: all 1 */
    int64_t *order;
    uint8_t *kept;   /* of the forest */
    int32_t *parent; /* union-find over the nodes */
} links;

static cafe_status new_links(cafe_context *context, const cafe_graph *g, links *l) {
    int64_t count = cafe_rows_upper(g->n, g->offsets, g->targets, 0);
    *l = (links){0};
    l->source = cafe_mem(context, count, sizeof *l->source);
    l->target = cafe_mem(context, count, sizeof *l->target);
    l->order = cafe_mem(context, count, sizeof *l->order);
    l->kept = cafe_mem_zero(context, count, sizeof *l->kept);
    l->parent = cafe_mem(context, g->n, sizeof *l->parent);
    if (!l->source || !l->target || !l->order || !l->kept || !l->parent) return CAFE_ERROR_MEMORY;
    if (g->weights && !(l->weight = cafe_mem(context, count, sizeof *l->weight)))
        return CAFE_ERROR_MEMORY;
    return CAFE_OK;
}

static void free_links(cafe_context *context, links *l) {
    cafe_mem_free_all(context, l->source, l->target, l->weight, l->order, l->kept, l->parent);
}

/* Every edge once, loops too: they are kept like edges of the forest. A loop of weight w stands in
 * the rows as a(u,u) = 2w. */
static void list_links(const cafe_graph *g, links *l) {
    for (int64_t u = 0; u < g->n; u++)
        for (int64_t j = g->offsets[u]; j < g->offsets[u + 1]; j++) {
            int32_t w = g->targets[j];
            if (w < u) continue;
            l->source[l->count] = (int32_t)u;
            l->target[l->count] = w;
            l->kept[l->count] = w == u;
            if (l->weight) l->weight[l->count] = g->weights[j] / (w == u ? 2 : 1);
            l->count++;
        }
}

static void shuffle(uint64_t seed, links *l) {
    for (int64_t i = 0; i < l->count; i++) l->order[i] = i;
    for (int64_t i = l->count - 1; i > 0; i--) {
        cafe_random4 r = cafe_philox(seed, CAFE_STREAM_SPLIT, (uint64_t)i);
        int64_t j = (int64_t)cafe_below(r.v[0], r.v[1], (uint64_t)i + 1), moved = l->order[i];
        l->order[i] = l->order[j];
        l->order[j] = moved;
    }
}

static int32_t root_of(int32_t *parent, int32_t u) {
    while (parent[u] != u) u = parent[u] = parent[parent[u]];
    return u;
}

/* Returns how many edges may be hidden. */
static int64_t grow_forest(int64_t n, links *l) {
    int64_t free = 0;
    for (int64_t u = 0; u < n; u++) l->parent[u] = (int32_t)u;
    for (int64_t i = l->count - 1; i >= 0; i--) {
        int64_t e = l->order[i];
        int32_t a = root_of(l->parent, l->source[e]), b = root_of(l->parent, l->target[e]);
        if (a != b) l->kept[e] = 1;
        l->parent[a > b ? a : b] = a > b ? b : a;
        free += !l->kept[e];
    }
    return free;
}

/* Moves the first edges of the order that are free into the split, and marks
 * them by source = -1. */
static void hide(links *l, int64_t wanted, cafe_split *split) {
    for (int64_t i = 0; i < l->count && split->hidden < wanted; i++) {
        int64_t e = l->order[i];
        if (l->kept[e]) continue;
        split->source[split->hidden] = l->source[e];
        split->target[split->hidden++] = l->target[e];
        l->source[e] = -1;
    }
}

/* Closes the gaps that the hidden edges have left. */
static void close_gaps(links *l) {
    int64_t to = 0;
    for (int64_t e = 0; e < l->count; e++) {
        if (l->source[e] < 0) continue;
        l->source[to] = l->source[e];
        l->target[to] = l->target[e];
        if (l->weight) l->weight[to] = l->weight[e];
        to++;
    }
    l->count = to;
}

static cafe_status build(cafe_context *context, const cafe_graph *graph, const links *l,
                         cafe_graph **training) {
    cafe_graph_options o;
    cafe_graph_options_init(&o);
    o.self_loops = graph->counts.self_loops_kept ? CAFE_LOOPS_KEEP : CAFE_LOOPS_DROP;
    return cafe_graph_from_edges(context, graph->n, l->count, l->source, l->target, l->weight, &o,
                                 training);
}

cafe_status cafe_split_make(cafe_context *context, const cafe_graph *graph, double share,
                            cafe_split *split) {
    cafe_status status = CAFE_OK;
    links l = {0};
    *split = (cafe_split){0};
    if (!(share >= 0 && share <= 1))
        return cafe_fail(context, CAFE_ERROR_ARGUMENT, "a share of %g of the edges", share);
    CAFE_TRY(new_links(context, graph, &l));
    list_links(graph, &l);
    CAFE_TRY(cafe_check_cancel(context));
    shuffle(cafe_seed(context), &l);
    CAFE_TRY(cafe_check_cancel(context));
    int64_t wanted = llround(share * (double)l.count), most = grow_forest(graph->n, &l);
    if (wanted > most) wanted = most;
    split->source = cafe_mem(context, wanted, sizeof *split->source);
    split->target = cafe_mem(context, wanted, sizeof *split->target);
    CAFE_TRY(cafe_mem_had(split->source, split->target));
    hide(&l, wanted, split);
    close_gaps(&l);
    status = build(context, graph, &l, &split->training);
done:
    free_links(context, &l);
    if (status != CAFE_OK) cafe_split_free(context, split);
    return status;
}

void cafe_split_free(cafe_context *context, cafe_split *split) {
    cafe_graph_free(split->training);
    cafe_mem_free_all(context, split->source, split->target);
    *split = (cafe_split){0};
}
