/* A community by itself: its edges copied and its nodes renumbered, so that all of it lies in the
 * cache while parts grow in it. layers_refine.c says which parts.
 */
#include "solve/layers_nest.h"
#include "solve/layers_factors.h"

#include <string.h>

#include "base/memory.h"

/* ---- room ------------------------------------------------------------------------------------ */

static void free_nodes(cafe_context *context, cafe_nest *nest) {
    cafe_mem_free_all(context, nest->offsets, nest->mass, nest->cut, nest->part, nest->order,
                      nest->number, nest->alone, nest->f);
    nest->offsets = NULL;
    nest->mass = nest->cut = nest->f = NULL;
    nest->part = nest->order = nest->number = NULL;
    nest->alone = NULL;
    nest->node_room = 0;
}

static void free_arcs(cafe_context *context, cafe_nest *nest) {
    cafe_mem_free_all(context, nest->targets, nest->weights);
    nest->targets = NULL;
    nest->weights = NULL;
    nest->arc_room = 0;
}

void cafe_nest_free(cafe_context *context, cafe_nest *nest) {
    free_nodes(context, nest);
    free_arcs(context, nest);
}

static cafe_status reserve_nodes(cafe_context *context, int64_t n, cafe_nest *nest) {
    if (n <= nest->node_room) return CAFE_OK;
    free_nodes(context, nest);
    nest->offsets = cafe_mem(context, n + 1, sizeof *nest->offsets);
    nest->mass = cafe_mem(context, n, sizeof *nest->mass);
    nest->cut = cafe_mem(context, n, sizeof *nest->cut);
    nest->part = cafe_mem(context, n, sizeof *nest->part);
    nest->order = cafe_mem(context, n, sizeof *nest->order);
    nest->number = cafe_mem(context, n, sizeof *nest->number);
    nest->alone = cafe_mem(context, n, sizeof *nest->alone);
    CAFE_PASS(cafe_mem_had(nest->offsets, nest->mass, nest->cut, nest->part, nest->order,
                           nest->number, nest->alone));
    if (nest->null.width > 0) {
        nest->f = cafe_mem(context, (n + 1) * nest->null.width, sizeof *nest->f);
        CAFE_PASS(cafe_mem_had(nest->f));
    }
    nest->node_room = n;
    return CAFE_OK;
}

/* Contents are lost. One arc more than there are, since rows are written before it is known whether
 * an arc belongs to them. */
static cafe_status reserve(cafe_context *context, int64_t n, int64_t arcs, cafe_nest *nest) {
    CAFE_PASS(reserve_nodes(context, n, nest));
    nest->n = n;
    if (arcs < nest->arc_room) return CAFE_OK;
    free_arcs(context, nest);
    nest->targets = cafe_mem(context, arcs + 1, sizeof *nest->targets);
    nest->weights = cafe_mem(context, arcs + 1, sizeof *nest->weights);
    CAFE_PASS(cafe_mem_had(nest->targets, nest->weights));
    nest->arc_room = arcs + 1;
    return CAFE_OK;
}

/* ---- taking a community out ------------------------------------------------------------------ */

/* Row i of the nest, from `at` on; returns where it ends. No branches, since an arc is within as
 * often as not. */
static int64_t take_row(const cafe_pooled *g, int64_t v, const int32_t *place, int64_t first,
                        uint32_t i, int64_t at, cafe_nest *nest) {
    int64_t end = g->offsets[v + 1];
    for (int64_t j = g->offsets[v]; j < end; j++) {
        uint32_t other = (uint32_t)(cafe_pooled_label(g, place, j, end) - first);
        nest->targets[at] = (int32_t)other;
        nest->weights[at] = cafe_pooled_weight(g, v, j);
        at += (other < (uint32_t)nest->n) & (other != i);
    }
    return at;
}

/* Copies the graph inside community S, without loops: row i is that of member[i], mass_i = p_i, and
 *
 *     cut_i = sum over j in S, j != i, of a(i,j),   total times p(i, S - i).
 */
cafe_status cafe_nest_take(cafe_context *context, const cafe_pooled *g, const int32_t *member,
                           int64_t n, const int32_t *place, int64_t first, int64_t arcs,
                           cafe_nest *nest) {
    int64_t at = 0;
    nest->null = g->null;
    CAFE_PASS(reserve(context, n, arcs, nest));
    if (nest->f) cafe_factors_copy(&g->null, member, n, nest->f);
    for (int64_t i = 0; i < n; i++) {
        double inside = 0;
        cafe_pooled_send_for(g, place, member, i, n);
        nest->offsets[i] = at;
        at = take_row(g, member[i], place, first, (uint32_t)i, at, nest);
        for (int64_t j = nest->offsets[i]; j < at; j++) inside += nest->weights[j];
        nest->mass[i] = g->mass[member[i]];
        nest->cut[i] = inside;
    }
    nest->offsets[n] = at;
    return CAFE_OK;
}

/* ---- joining --------------------------------------------------------------------------------- */

/* p(R, S - R) >= resolution p(R) p(S - R) */
static inline bool well_connected(const cafe_nest *nest, int32_t r, double pull, double whole) {
    return nest->cut[r] >= pull * nest->mass[r] * (whole - nest->mass[r]);
}

/* The part v joins best, or v itself. */
static int32_t find_best(const cafe_nest *nest, int32_t v, double pull, double whole,
                         const cafe_bins *bins) {
    double best = 0;
    int32_t to = v;
    for (int64_t i = 0; i < bins->count; i++) {
        cafe_bin r = cafe_bins_at(bins, i);
        double gain = r.sum - pull * nest->mass[v] * nest->mass[r.key];
        if (gain < best || (gain == best && to != v)) continue;
        if (!well_connected(nest, r.key, pull, whole)) continue;
        best = gain;
        to = r.key;
    }
    return to;
}

/* Moves the single node v into the part R with the largest p(v,R) - resolution p_v p(R) >= 0, if
 * any. The cut of R + v against S follows without a pass over the edges:
 *
 *     cut(R + v) = cut(R) + cut(v) - 2 a(v,R).
 */
static void join_best(cafe_nest *nest, int32_t v, double pull, double whole, cafe_bins *bins) {
    int64_t first = nest->offsets[v], end = nest->offsets[v + 1];
    cafe_bins_open(bins, end - first);
    for (int64_t j = first; j < end; j++)
        cafe_bins_add(bins, nest->part[nest->targets[j]], nest->weights[j]);
    int32_t to = find_best(nest, v, pull, whole, bins);
    if (to != v) {
        nest->part[v] = to;
        nest->alone[v] = nest->alone[to] = 0;
        nest->mass[to] += nest->mass[v];
        nest->cut[to] += nest->cut[v] - 2 * cafe_bins_sum(bins, to);
    }
    cafe_bins_clear(bins);
}

/* Every node starts as a part; in nest->order the nodes that are still alone and well connected
 * join. pull = resolution total, so all sides are in units of total. */
void cafe_nest_join(cafe_nest *nest, double pull, cafe_bins *bins) {
    double whole = 0;
    if (nest->f) {
        cafe_factors_join(nest, pull, bins);
        return;
    }
    for (int64_t i = 0; i < nest->n; i++) {
        whole += nest->mass[i];
        nest->part[i] = (int32_t)i;
        nest->alone[i] = 1;
    }
    for (int64_t i = 0; i < nest->n; i++) {
        int32_t v = nest->order[i];
        if (nest->alone[v] && well_connected(nest, v, pull, whole))
            join_best(nest, v, pull, whole, bins);
    }
}

/* ---- pooling --------------------------------------------------------------------------------- */

/* Numbers the parts 0, 1, ... by first appearance; returns their number. */
int64_t cafe_nest_number(cafe_nest *nest) {
    int32_t next = 0;
    for (int64_t i = 0; i < nest->n; i++) nest->number[i] = -1;
    for (int64_t i = 0; i < nest->n; i++) {
        int32_t *at = &nest->number[nest->part[i]];
        if (*at < 0) *at = next++;
        nest->part[i] = *at;
    }
    return next;
}

/* The nodes by part, in `order`; first[k] is where those of part k end. */
static void sort_by_part(cafe_nest *nest, int64_t parts, int64_t *first) {
    memset(first, 0, (size_t)(parts + 1) * sizeof *first);
    for (int64_t i = 0; i < nest->n; i++) first[nest->part[i] + 1]++;
    for (int64_t k = 0; k < parts; k++) first[k + 1] += first[k];
    for (int64_t i = 0; i < nest->n; i++) nest->order[first[nest->part[i]]++] = (int32_t)i;
}

/* Adds up the rows of part k, order[first] .. order[end-1]. */
static int64_t pool_part(const cafe_nest *nest, int32_t k, int64_t first, int64_t end, int64_t at,
                         int64_t parts, cafe_bins *bins, cafe_nest *coarse) {
    int64_t arcs = 0;
    for (int64_t i = first; i < end; i++)
        arcs += nest->offsets[nest->order[i] + 1] - nest->offsets[nest->order[i]];
    cafe_bins_open(bins, arcs < parts ? arcs : parts);
    for (int64_t i = first; i < end; i++)
        for (int64_t j = nest->offsets[nest->order[i]]; j < nest->offsets[nest->order[i] + 1]; j++)
            cafe_bins_add(bins, nest->part[nest->targets[j]], nest->weights[j]);
    for (int64_t i = 0; i < bins->count; i++) {
        cafe_bin b = cafe_bins_at(bins, i);
        coarse->targets[at] = b.key;
        coarse->weights[at] = b.sum;
        at += b.key != k;
    }
    cafe_bins_clear(bins);
    return at;
}

/* A part has the mass and the cut of the node whose number it had. */
static void take_sums(const cafe_nest *nest, cafe_nest *coarse) {
    for (int64_t i = 0; i < nest->n; i++) {
        if (nest->number[i] < 0) continue;
        coarse->mass[nest->number[i]] = nest->mass[i];
        coarse->cut[nest->number[i]] = nest->cut[i];
        if (nest->f)
            memcpy(coarse->f + nest->number[i] * nest->null.width, nest->f + i * nest->null.width,
                   (size_t)nest->null.width * sizeof *nest->f);
    }
}

/* The parts as nodes of the next nest: a~(I,J) = sum over i in I and j in J of a(i,j), I != J;
 * masses add. Cuts keep their meaning, since p(I, S - I) does not change by pooling. */
cafe_status cafe_nest_pool(cafe_context *context, cafe_nest *nest, int64_t parts, cafe_bins *bins,
                           cafe_nest *coarse) {
    int64_t at = 0, first = 0;
    coarse->null = nest->null;
    CAFE_PASS(reserve(context, parts, nest->offsets[nest->n], coarse));
    take_sums(nest, coarse);
    sort_by_part(nest, parts, coarse->offsets);
    for (int64_t k = 0; k < parts; k++) {
        int64_t end = coarse->offsets[k];
        coarse->offsets[k] = at;
        at = pool_part(nest, (int32_t)k, first, end, at, parts, bins, coarse);
        first = end;
    }
    coarse->offsets[parts] = at;
    return CAFE_OK;
}
