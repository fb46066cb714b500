/* The pairs of link prediction, in both protocols.
 *
 *   paper    Edges of the graph (all, or `most` of them drawn) and pairs without one are cut into
 *            training and test together, each kind keeping its share. The vectors have seen all of
 *            the edges; what is tested is whether they can be read off.
 *   honest   The test edges are hidden first (cafe_split_make: the components stay as they are);
 *            vectors and training pairs come from what remains.
 *
 * In both the pairs without an edge are drawn once, distinct, from all pairs that are no edge of
 * the whole graph, and then dealt out to training and test. A pair's orientation is random: an
 * operator that is not symmetric must not learn which end has the smaller number.
 */
#include "evaluate/node_pairs.h"

#include <math.h>

#include <cafe/recommend.h>

#include "base/memory.h"
#include "base/random.h"
#include "evaluate/train_test_split.h"
#include "graph/compressed_rows.h"
#include "graph/graph.h"

enum { DRAWS_BETWEEN_LOOKS = 1 << 16 };
enum { DRAW_MOST = 8, DRAW_PART, DRAW_TRAIN_MOST, DRAW_TEST_MOST, DRAW_NON_LINKS };

/* ---- lists of pairs -------------------------------------------------------------------------- */

static cafe_status new_pairs(cafe_context *context, int64_t room, cafe_pairs *p) {
    *p = (cafe_pairs){0, cafe_mem(context, room, sizeof *p->source),
                      cafe_mem(context, room, sizeof *p->target),
                      cafe_mem(context, room, sizeof *p->linked)};
    return cafe_mem_had(p->source, p->target, p->linked);
}

static void free_pairs(cafe_context *context, cafe_pairs *p) {
    cafe_mem_free_all(context, p->source, p->target, p->linked);
    *p = (cafe_pairs){0};
}

static void add_pair(cafe_pairs *p, int32_t u, int32_t w, int32_t linked) {
    p->source[p->count] = u;
    p->target[p->count] = w;
    p->linked[p->count++] = linked;
}

/* Exchanges the ends of every second pair, by the seed. */
static void turn(cafe_pairs *p, uint64_t seed, uint64_t draw) {
    for (int64_t i = 0; i < p->count; i++) {
        cafe_random4 r = cafe_philox(seed, CAFE_STREAM_TURN | draw << 32, (uint64_t)i);
        if (r.v[0] & 1) continue;
        int32_t u = p->source[i];
        p->source[i] = p->target[i];
        p->target[i] = u;
    }
}

/* ---- pairs without an edge --------------------------------------------------------------------
 */

static int linked(const cafe_graph *g, int64_t u, int64_t w) {
    int64_t end = g->offsets[u + 1], at = cafe_row_find(g->targets, g->offsets[u], end, w);
    return at < end && g->targets[at] == w;
}

/* Loops are none. */
static int64_t links_of(const cafe_graph *g) {
    return cafe_rows_upper(g->n, g->offsets, g->targets, 1);
}

/* Puts the key into an open-addressing table of 2^bits places (0: free); 0: it was there. */
static int add_key(uint64_t *table, int bits, uint64_t key) {
    uint64_t places = (uint64_t)1 << bits;
    uint64_t at = (key * 0x9E3779B97F4A7C15u) >> (64 - bits);
    for (; table[at]; at = (at + 1) & (places - 1))
        if (table[at] == key) return 0;
    table[at] = key;
    return 1;
}

/* Draws pairs and leaves out loops, edges and those that came before. At least half of what can be
 * drawn is free (see below), so a handful of draws gives a pair. */
static cafe_status draw_non_links(cafe_context *context, const cafe_graph *g, int64_t count,
                                  int32_t *source, int32_t *target) {
    int bits = 4;
    while (((int64_t)1 << bits) < 2 * count) bits++;
    uint64_t *table = cafe_mem_zero(context, (int64_t)1 << bits, sizeof *table);
    if (!table) return CAFE_ERROR_MEMORY;
    cafe_status status = CAFE_OK;
    int64_t found = 0;
    for (uint64_t i = 0; found < count && status == CAFE_OK; i++) {
        if (i % DRAWS_BETWEEN_LOOKS == 0) status = cafe_check_cancel(context);
        cafe_random4 r = cafe_philox(context->seed, CAFE_STREAM_NON_LINK, i);
        int64_t a = (int64_t)(((uint64_t)r.v[0] * (uint64_t)g->n) >> 32);
        int64_t b = (int64_t)(((uint64_t)r.v[1] * (uint64_t)g->n) >> 32);
        int64_t u = a < b ? a : b, w = a < b ? b : a;
        if (u == w || linked(g, u, w)) continue;
        if (!add_key(table, bits, (uint64_t)u * (uint64_t)g->n + (uint64_t)w)) continue;
        source[found] = (int32_t)u;
        target[found++] = (int32_t)w;
    }
    cafe_mem_free(context, table);
    return status;
}

/* Lists all pairs without an edge and draws from them: for graphs where such pairs are rare. */
static cafe_status pick_non_links(cafe_context *context, const cafe_graph *g, int64_t free,
                                  int64_t count, int32_t *source, int32_t *target) {
    uint8_t *chosen = cafe_mem(context, free, sizeof *chosen);
    if (!chosen) return CAFE_ERROR_MEMORY;
    cafe_strata all = {free, NULL};
    cafe_status status =
        cafe_strata_draw(context, &all, count, context->seed, DRAW_NON_LINKS, chosen);
    int64_t at = 0, found = 0;
    for (int64_t u = 0; status == CAFE_OK && u < g->n; u++) {
        int64_t j = g->offsets[u];
        for (int64_t w = u + 1; w < g->n; w++) {
            while (j < g->offsets[u + 1] && g->targets[j] < w) j++;
            if (j < g->offsets[u + 1] && g->targets[j] == w) continue;
            if (!chosen[at++]) continue;
            source[found] = (int32_t)u;
            target[found++] = (int32_t)w;
        }
    }
    cafe_mem_free(context, chosen);
    return status;
}

cafe_status cafe_non_links(cafe_context *context, const cafe_graph *graph, int64_t count,
                           int32_t *source, int32_t *target) {
    int64_t all = graph->n * (graph->n - 1) / 2;
    int64_t free = all - links_of(graph);
    if (count > free)
        return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                         "%lld pairs without an edge are wanted, the graph has %lld",
                         (long long)count, (long long)free);
    /* rejection needs many free pairs, before and after `count` of them are gone */
    if (free < all / 4 || count > free / 2)
        return pick_non_links(context, graph, free, count, source, target);
    return draw_non_links(context, graph, count, source, target);
}

/* ---- edges ----------------------------------------------------------------------------------- */

/* All edges of a graph except loops, once each. */
static cafe_status list_links(cafe_context *context, const cafe_graph *g, cafe_pairs *p) {
    cafe_status status = new_pairs(context, links_of(g), p);
    for (int64_t u = 0; status == CAFE_OK && u < g->n; u++)
        for (int64_t j = g->offsets[u]; j < g->offsets[u + 1]; j++)
            if (g->targets[j] > u) add_pair(p, (int32_t)u, g->targets[j], 1);
    return status;
}

/* Keeps `most` of the pairs, drawn by the seed. */
static cafe_status thin(cafe_context *context, int64_t most, uint64_t draw, cafe_pairs *p) {
    if (most >= p->count) return CAFE_OK;
    uint8_t *chosen = cafe_mem(context, p->count, sizeof *chosen);
    if (!chosen) return CAFE_ERROR_MEMORY;
    cafe_strata all = {p->count, NULL};
    cafe_status status = cafe_strata_draw(context, &all, most, context->seed, draw, chosen);
    int64_t count = p->count;
    p->count = 0;
    for (int64_t i = 0; status == CAFE_OK && i < count; i++)
        if (chosen[i]) add_pair(p, p->source[i], p->target[i], p->linked[i]);
    cafe_mem_free(context, chosen);
    return status;
}

/* Behind each list of edges its pairs without: ratio times as many. */
static cafe_status add_non_links(cafe_context *context, const cafe_graph *g, double ratio,
                                 cafe_pairs *const list[2]) {
    cafe_status status = CAFE_OK;
    cafe_pairs drawn = {0};
    int64_t next = 0, wanted[2];
    for (int i = 0; i < 2; i++) wanted[i] = llround(ratio * (double)list[i]->count);
    CAFE_TRY(new_pairs(context, wanted[0] + wanted[1], &drawn));
    CAFE_TRY(cafe_non_links(context, g, wanted[0] + wanted[1], drawn.source, drawn.target));
    for (int i = 0; i < 2; i++) {
        cafe_pairs longer = {0};
        status = new_pairs(context, list[i]->count + wanted[i], &longer);
        for (int64_t j = 0; status == CAFE_OK && j < list[i]->count; j++)
            add_pair(&longer, list[i]->source[j], list[i]->target[j], 1);
        for (int64_t j = 0; status == CAFE_OK && j < wanted[i]; j++, next++)
            add_pair(&longer, drawn.source[next], drawn.target[next], 0);
        free_pairs(context, list[i]);
        *list[i] = longer;
        CAFE_TRY(status);
    }
done:
    free_pairs(context, &drawn);
    return status;
}

/* ---- the protocols --------------------------------------------------------------------------- */

/* Cuts the edges: `share` of them to training, the others to test. */
static cafe_status part_links(cafe_context *context, const cafe_pairs *links, double share,
                              cafe_pair_sets *sets) {
    cafe_status status = CAFE_OK;
    uint8_t *chosen = cafe_mem(context, links->count, sizeof *chosen);
    int64_t train = llround(share * (double)links->count);
    cafe_strata all = {links->count, NULL};
    CAFE_TRY(cafe_mem_had(chosen));
    CAFE_TRY(new_pairs(context, train, &sets->train));
    CAFE_TRY(new_pairs(context, links->count - train, &sets->test));
    CAFE_TRY(cafe_strata_draw(context, &all, train, context->seed, DRAW_PART, chosen));
    for (int64_t i = 0; i < links->count; i++)
        add_pair(chosen[i] ? &sets->train : &sets->test, links->source[i], links->target[i], 1);
done:
    cafe_mem_free(context, chosen);
    return status;
}

static cafe_status paper_links(cafe_context *context, const cafe_graph *graph, int64_t most,
                               double train, cafe_pair_sets *sets) {
    cafe_pairs links = {0};
    cafe_status status = list_links(context, graph, &links);
    if (status == CAFE_OK && most > 0) status = thin(context, most, DRAW_MOST, &links);
    if (status == CAFE_OK) status = part_links(context, &links, train, sets);
    free_pairs(context, &links);
    return status;
}

static cafe_status honest_links(cafe_context *context, const cafe_graph *graph, int64_t most,
                                double train, cafe_pair_sets *sets) {
    cafe_status status = CAFE_OK;
    cafe_split split = {0};
    CAFE_TRY(cafe_split_make(context, graph, 1 - train, &split));
    sets->wanted = llround((1 - train) * (double)graph->counts.edges);
    sets->hidden = split.hidden;
    CAFE_TRY(list_links(context, split.training, &sets->train));
    CAFE_TRY(new_pairs(context, split.hidden, &sets->test));
    for (int64_t i = 0; i < split.hidden; i++)
        add_pair(&sets->test, split.source[i], split.target[i], 1);
    if (most > 0 && most < sets->train.count + sets->test.count) {
        int64_t first = llround(train * (double)most);
        CAFE_TRY(thin(context, first, DRAW_TRAIN_MOST, &sets->train));
        CAFE_TRY(thin(context, most - first, DRAW_TEST_MOST, &sets->test));
    }
    sets->remaining = split.training;
    split.training = NULL;
done:
    cafe_split_free(context, &split);
    return status;
}

cafe_status cafe_pair_sets_make(cafe_context *context, const cafe_graph *graph,
                                const cafe_link_options *options, double train,
                                cafe_pair_sets *sets) {
    cafe_status status = CAFE_OK;
    cafe_pairs *const lists[2] = {&sets->train, &sets->test};
    *sets = (cafe_pair_sets){.wanted = 0};
    if (!(train > 0 && train < 1))
        return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                         "%g to train on: expected a share between 0 and 1", train);
    CAFE_TRY((options->protocol == CAFE_LINK_HONEST ? honest_links : paper_links)(
        context, graph, options->most, train, sets));
    if (sets->train.count < 1 || sets->test.count < 1)
        status = cafe_fail(context, CAFE_ERROR_ARGUMENT,
                           "%lld edges to train on and %lld to test: too few",
                           (long long)sets->train.count, (long long)sets->test.count);
    CAFE_TRY(status);
    CAFE_TRY(add_non_links(context, graph, options->negatives, lists));
    for (int i = 0; i < 2; i++) turn(lists[i], context->seed, (uint64_t)i);
done:
    if (status != CAFE_OK) cafe_pair_sets_free(context, sets);
    return status;
}

void cafe_pair_sets_free(cafe_context *context, cafe_pair_sets *sets) {
    free_pairs(context, &sets->train);
    free_pairs(context, &sets->test);
    cafe_graph_free(sets->remaining);
    *sets = (cafe_pair_sets){.wanted = 0};
}
