/* Moves, refinement and figures under a null model of several factors (layers_factors.h).
 *
 * With M_S = sum over u in S of f_u the attachment of u to community S is
 *
 *     z_u(S) = a(u, S - u) / total - r f_u C (M_S - [u in S] f_u)^T.
 *
 * Masses of moves are integers, so they are the same in any order. */
#include "solve/layers_factors.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "graph/label_sums.h"

enum {
    BITS = 62,     /* of a sum of masses */
    STRANGERS = 32 /* communities that a node may join without an edge to them */
};

/* A gain must exceed this share of ||f_u|| / M, and this share of the terms that it is the
 * difference of: above rounding, below any edge. */
static const double least_gain = 1e-10, rounding = 1e-13;

/* ---- the factors of an operator -------------------------------------------------------------- */

cafe_status cafe_factors_need(cafe_context *context, const cafe_operator *op, double resolution) {
    const cafe_operator_parts *q = &op->parts;
    CAFE_PASS(cafe_operator_need_edges(context, op));
    if (q->tables > 0 && resolution == 0)
        return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                         CAFE_OPT("resolution=0") " does not go with features; " CAFE_OPT(
                             "null=none") " leaves the null model out");
    if (q->sign > 0 && (!q->f || q->kappa > 0)) return CAFE_OK;
    return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                     "layers need edges that are added, not subtracted");
}

/* ||f_u||, of a row as copied where that is not the operator's */
static double length_of(const cafe_operator_parts *q, const double *f, int64_t u) {
    double square = 0;
    if (q->tables == 0) return q->reach[u];
    for (int64_t l = 0; l < q->width; l++) square += f[u * q->width + l] * f[u * q->width + l];
    return sqrt(square);
}

/* mass_u = ||f_u|| / M. Sums of rows are no longer than sums of lengths, so this holds on all
 * levels as an upper bound. Without a null model F is 0, and the masses are the node weights. */
static void fill_masses(const cafe_operator_parts *q, const double *f, cafe_factors *null,
                        double *mass) {
    null->reach = 0;
    for (int64_t u = 0; u < q->n; u++) null->reach += mass[u] = length_of(q, f, u);
    for (int64_t u = 0; u < q->n; u++) mass[u] = null->reach > 0 ? mass[u] / null->reach : q->p[u];
}

cafe_status cafe_factors_take(cafe_context *context, const cafe_operator_parts *q,
                              double resolution, cafe_factors *null, double **f, double **mass) {
    int64_t entries = q->n * q->width;
    double scale = q->tables > 0 ? 1 / sqrt(resolution) : 1;
    *null = (cafe_factors){.width = q->width, .added = q->width - q->subtracted};
    *f = cafe_mem(context, entries, sizeof **f);
    *mass = cafe_mem(context, q->n, sizeof **mass);
    CAFE_PASS(cafe_mem_had(*f, *mass));
    for (int64_t i = 0; i < entries; i++)
        (*f)[i] = cafe_factor_is_table(q, i % q->width) ? scale * q->f[i] : q->f[i];
    fill_masses(q, *f, null, *mass);
    null->attracts = cafe_operator_attracts(q);
    null->f = *f;
    return CAFE_OK;
}

void cafe_factors_copy(const cafe_factors *null, const int32_t *node, int64_t n, double *to) {
    for (int64_t i = 0; i < n; i++)
        memcpy(to + i * null->width, null->f + node[i] * null->width,
               (size_t)null->width * sizeof *to);
}

/* ---- moves ----------------------------------------------------------------------------------- */

/* f(u,l) as an integer. */
static inline int64_t whole_of(const cafe_moves *moves, int64_t u, int64_t l) {
    const cafe_factors *null = &moves->g->null;
    return (int64_t)(null->f[u * null->width + l] * moves->sums.scale);
}

/* The largest power of 2 with scale sum over u of |f(u,l)| < 2^BITS for every column l. */
static double choose_scale(const cafe_pooled *g) {
    double most = 0;
    int exponent = 0;
    for (int64_t l = 0; l < g->null.width; l++) {
        double sum = 0;
        for (int64_t u = 0; u < g->n; u++) sum += fabs(g->null.f[u * g->null.width + l]);
        most = fmax(most, sum);
    }
    if (most > 0) (void)frexp(most, &exponent);
    return ldexp(1, BITS - exponent);
}

cafe_status cafe_factors_open(cafe_context *context, int32_t workers, cafe_moves *moves) {
    const cafe_pooled *g = moves->g;
    cafe_factor_sums *sums = &moves->sums;
    sums->scale = choose_scale(g);
    sums->pull = cafe_mem(context, workers * g->null.width, sizeof *sums->pull);
    sums->mass = cafe_mem_zero(context, g->n * g->null.width, sizeof *sums->mass);
    CAFE_PASS(cafe_mem_had(sums->pull, sums->mass));
    for (int64_t u = 0; u < g->n; u++)
        for (int64_t l = 0; l < g->null.width; l++)
            sums->mass[moves->part[u] * g->null.width + l] += whole_of(moves, u, l);
    return CAFE_OK;
}

void cafe_factors_move(const cafe_moves *moves, int64_t u, int32_t from, int32_t to) {
    int64_t width = moves->g->null.width, *mass = moves->sums.mass;
    for (int64_t l = 0; l < width; l++) {
        int64_t f = whole_of(moves, u, l);
        if (f == 0) continue;
        __atomic_fetch_add(&mass[to * width + l], f, __ATOMIC_RELAXED);
        __atomic_fetch_sub(&mass[from * width + l], f, __ATOMIC_RELAXED);
    }
}

/* pull <- total r f_u C / scale; returns the size of the terms of pull M_S^T at most. */
static double set_pull(const cafe_moves *moves, int64_t u, double *pull) {
    const cafe_pooled *g = moves->g;
    double unit = g->total * moves->resolution, size = 0;
    for (int64_t l = 0; l < g->null.width; l++) {
        double f = g->null.f[u * g->null.width + l];
        pull[l] = (l < g->null.added ? -unit : unit) * f / moves->sums.scale;
        size += fabs(f);
    }
    return unit * size * g->null.reach;
}

/* pull M_S^T */
static inline double expected(const cafe_moves *moves, const double *pull, int32_t community) {
    int64_t width = moves->g->null.width;
    const int64_t *mass = moves->sums.mass + community * width;
    double sum = 0;
    for (int64_t l = 0; l < width; l++) sum += pull[l] * (double)mass[l];
    return sum;
}

/* The same for the community of u without u. */
static double expected_others(const cafe_moves *moves, const double *pull, int64_t u) {
    int64_t width = moves->g->null.width;
    const int64_t *mass = moves->sums.mass + moves->part[u] * width;
    double sum = 0;
    for (int64_t l = 0; l < width; l++) sum += pull[l] * (double)(mass[l] - whole_of(moves, u, l));
    return sum;
}

/* The first communities, unless they are in the table: a node of which all edges are negative has
 * none to those that it fits to. After the first round the first are all, if they are few. */
static void try_strangers(const cafe_moves *moves, const cafe_bins *bins, const double *pull,
                          int32_t own, double *best, int32_t *to) {
    int64_t n = moves->g->n;
    for (int32_t c = 0; c < STRANGERS && c < n; c++) {
        if (c == own || moves->size[c] == 0) continue;
        double z = cafe_bins_sum(bins, c) - expected(moves, pull, c);
        if (!(z > *best)) continue;
        *best = z;
        *to = c;
    }
}

/* In units of total: z_u(S) of every community S next to u, and 0 for being alone. Ties keep the
 * own community, then the first S met. */
cafe_move cafe_factors_best(const cafe_moves *moves, cafe_bins *bins, int64_t u) {
    const cafe_pooled *g = moves->g;
    int32_t own = moves->part[u];
    double *pull = moves->sums.pull + (bins - moves->bins) * g->null.width;
    double least = least_gain * g->total * g->mass[u] + rounding * set_pull(moves, u, pull);
    cafe_bins_open(bins, g->offsets[u + 1] - g->offsets[u]);
    cafe_gather_row(g, moves->part, NULL, u, bins);
    double stay = cafe_bins_sum(bins, own) - expected_others(moves, pull, u), best = stay;
    cafe_move move = {own, 0};
    for (int64_t i = 0; i < bins->count; i++) {
        cafe_bin s = cafe_bins_at(bins, i);
        if (s.key == own) continue;
        double z = s.sum - expected(moves, pull, s.key);
        if (!(z > best)) continue;
        best = z;
        move.to = s.key;
    }
    if (g->null.attracts) try_strangers(moves, bins, pull, own, &best, &move.to);
    cafe_bins_clear(bins);
    if (best < 0 && moves->size[own] > 1) {
        best = 0;
        move.to = -1;
    }
    move.gain = best - stay;
    return move.gain > least ? move : (cafe_move){own, 0};
}

/* ---- refinement ------------------------------------------------------------------------------ */

static double *row_of(const cafe_nest *nest, int64_t r) {
    return nest->f + r * nest->null.width;
}

/* q(R, S - R) >= 0: cut(R) >= r total f_R C (F_S - f_R)^T, F_S in the last row */
static bool well_connected(const cafe_nest *nest, int32_t r, double pull) {
    const double *f = row_of(nest, r), *whole = row_of(nest, nest->n);
    double expected =
        cafe_factors_product(&nest->null, f, whole) - cafe_factors_product(&nest->null, f, f);
    return nest->cut[r] >= pull * expected;
}

/* The part v joins best, or v itself. */
static int32_t best_part(const cafe_nest *nest, int32_t v, double pull, const cafe_bins *bins) {
    double best = 0;
    int32_t to = v;
    for (int64_t i = 0; i < bins->count; i++) {
        cafe_bin r = cafe_bins_at(bins, i);
        const double *f = row_of(nest, r.key);
        double gain = r.sum - pull * cafe_factors_product(&nest->null, row_of(nest, v), f);
        if (gain < best || (gain == best && to != v)) continue;
        if (!well_connected(nest, r.key, pull)) continue;
        best = gain;
        to = r.key;
    }
    return to;
}

static void join_best(cafe_nest *nest, int32_t v, double pull, cafe_bins *bins) {
    int64_t first = nest->offsets[v], end = nest->offsets[v + 1];
    cafe_bins_open(bins, end - first);
    for (int64_t j = first; j < end; j++)
        cafe_bins_add(bins, nest->part[nest->targets[j]], nest->weights[j]);
    int32_t to = best_part(nest, v, pull, bins);
    if (to != v) {
        nest->part[v] = to;
        nest->alone[v] = nest->alone[to] = 0;
        cafe_factors_add(&nest->null, row_of(nest, v), 1, row_of(nest, to));
        nest->cut[to] += nest->cut[v] - 2 * cafe_bins_sum(bins, to);
    }
    cafe_bins_clear(bins);
}

void cafe_factors_join(cafe_nest *nest, double pull, cafe_bins *bins) {
    double *whole = row_of(nest, nest->n);
    memset(whole, 0, (size_t)nest->null.width * sizeof *whole);
    for (int64_t i = 0; i < nest->n; i++) {
        cafe_factors_add(&nest->null, row_of(nest, i), 1, whole);
        nest->part[i] = (int32_t)i;
        nest->alone[i] = 1;
    }
    for (int64_t i = 0; i < nest->n; i++) {
        int32_t v = nest->order[i];
        if (nest->alone[v] && well_connected(nest, v, pull)) join_best(nest, v, pull, bins);
    }
}

/* ---- figures of partitions ------------------------------------------------------------------- */

cafe_status cafe_factors_masses(cafe_context *context, const cafe_pooled *g, const int32_t *part,
                                int64_t count, double **masses) {
    int64_t width = g->null.width;
    *masses = cafe_mem_zero(context, count * width, sizeof **masses);
    CAFE_PASS(cafe_mem_had(*masses));
    for (int64_t u = 0; u < g->n; u++)
        cafe_factors_add(&g->null, g->null.f + u * width, 1,
                         *masses + (part ? part[u] : u) * width);
    return CAFE_OK;
}

cafe_status cafe_factors_expected(cafe_context *context, const cafe_pooled *g, const int32_t *part,
                                  int64_t count, const uint8_t *chosen, double *expected) {
    double *masses = NULL;
    CAFE_PASS(cafe_factors_masses(context, g, part, count, &masses));
    *expected = 0;
    for (int64_t i = 0; i < count; i++) {
        const double *m = masses + i * g->null.width;
        if (!chosen || chosen[i]) *expected += cafe_factors_product(&g->null, m, m);
    }
    cafe_mem_free(context, masses);
    return CAFE_OK;
}

cafe_status cafe_factors_connect(cafe_context *context, const cafe_pooled *g, double resolution,
                                 int32_t *part, int64_t *count) {
    cafe_status status = CAFE_OK;
    double before, after;
    int64_t whole = *count;
    int32_t *held = cafe_mem(context, g->n, sizeof *held);
    CAFE_TRY(cafe_mem_had(held));
    memcpy(held, part, (size_t)g->n * sizeof *held);
    CAFE_TRY(cafe_layers_modularity(context, g, resolution, part, *count, &before));
    CAFE_TRY(cafe_layers_connect(context, g, part, count));
    CAFE_TRY(cafe_layers_modularity(context, g, resolution, part, *count, &after));
    if (after < before - rounding) {
        memcpy(part, held, (size_t)g->n * sizeof *part);
        *count = whole;
    }
done:
    cafe_mem_free(context, held);
    return status;
}
