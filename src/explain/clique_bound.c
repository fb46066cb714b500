/* Multipliers by a proximal method: dual coordinate ascent (Hildreth 1957) for the point x nearest
 * to x_0 + c / gamma that keeps the rows and 0 <= x <= 1, from the x_0 that the last such step
 * found. Without x_0, the proximal term, coordinate ascent gets stuck. With theta = lambda / gamma,
 *
 *     y = x_0 + c / gamma - A^T theta,    x = min(max(y, 0), 1)
 *
 * and a pass over the rows changes theta_r by max(-theta_r, (a_r x - 1) / length of the row).
 * Violated rows are added as they are met. Of the bound no rounding of the search is part: it is
 * computed from lambda alone, after two sweeps of exact line search on a copy.
 *
 * All is scaled by the number of arcs: c(u,w) = arcs q(u,w), which is 1 - d_u d_w / 2m for an edge
 * of a graph without weights.
 */
#include "explain/clique_bound.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "graph/edge_weight.h"

enum {
    PASSES = 10,         /* over the rows, between two proximal steps */
    EARLY = 8,           /* steps that look for rows, and then one in */
    LOOKS = 4,           /* so many */
    STARS_AFTER = 10,    /* steps with triangles alone */
    DROP_EVERY = 8,      /* steps */
    IDLE_PASSES = 30,    /* of a row that is dropped */
    MOST_IDLE = 250,     /* that are counted */
    MOST_ROWS = 6000000, /* 500 MB */
    POLISH = 2           /* sweeps of line search */
};

static const double gamma_of_step = 0.1, largest_tolerance = 0.3, smallest_tolerance = 0.003,
                    star_tolerance = 0.05, few_violations = 0.02, some_violations = 0.25,
                    visible = 0.02;
static const double steps_per_second = 2.5e8;

typedef struct link {
    int32_t u, w;
    int64_t pair;
    double covariance; /* c(u,w) of the edge alone, without - p_u p_w */
} link;

typedef struct search {
    cafe_context *context;
    const cafe_operator_parts *parts;
    int64_t n, pairs, link_count;
    link *links;     /* u < w */
    double scale;    /* arcs: the modularity is diagonal + 2 / scale sum of c x */
    double diagonal; /* sum of q(u,u) */
    double *y;
    float *x;     /* x_0 */
    double *rest; /* c - A^T lambda */
    cafe_clique_rows rows;
    double triangles, stars; /* the largest violation when rows were last looked for */
    double violation;        /* the largest in the last pass */
    double work;             /* steps done */
    double best;             /* bound */
    int64_t best_rows;
    cafe_clique_multipliers *kept; /* NULL: not asked for */
    int32_t *near;                 /* for stars: nodes near to the centre, */
    double *gain;                  /* and what they would add */
} search;

static inline double clip(double y) {
    return y < 0 ? 0 : y > 1 ? 1 : y;
}

static inline double x_of(const search *s, int64_t u, int64_t w) {
    return clip(s->y[cafe_clique_pair(u, w)]);
}

/* ---- the problem ----------------------------------------------------------------------------- */

/* rest = c */
static void fill_covariances(search *s) {
    const double *p = s->parts->p;
    int64_t at = 0;
    for (int64_t w = 1; w < s->n; w++)
        for (int64_t u = 0; u < w; u++) s->rest[at++] = -s->scale * p[u] * p[w];
    for (int64_t i = 0; i < s->link_count; i++) s->rest[s->links[i].pair] += s->links[i].covariance;
}

static void list_links(search *s) {
    const cafe_operator_parts *parts = s->parts;
    for (int64_t w = 0; w < s->n; w++)
        for (int64_t j = parts->offsets[w]; j < parts->offsets[w + 1]; j++) {
            int64_t u = parts->targets[j];
            double joint = CAFE_LINK(parts, w, j) / parts->total;
            if (u == w) s->diagonal += joint;
            if (u < w)
                s->links[s->link_count++] =
                    (link){(int32_t)u, (int32_t)w, cafe_clique_pair(u, w), s->scale * joint};
        }
    for (int64_t u = 0; u < s->n; u++) s->diagonal -= parts->p[u] * parts->p[u];
}

static cafe_status open(search *s) {
    int64_t arcs = s->parts->offsets[s->n];
    s->pairs = s->n * (s->n - 1) / 2;
    s->scale = (double)arcs;
    s->links = cafe_mem(s->context, arcs, sizeof *s->links);
    s->y = cafe_mem(s->context, s->pairs, sizeof *s->y);
    s->x = cafe_mem(s->context, s->pairs, sizeof *s->x);
    s->rest = cafe_mem(s->context, s->pairs, sizeof *s->rest);
    s->near = cafe_mem(s->context, s->n, sizeof *s->near);
    s->gain = cafe_mem(s->context, s->n, sizeof *s->gain);
    CAFE_PASS(cafe_mem_had(s->links, s->y, s->x, s->rest, s->near, s->gain));
    list_links(s);
    fill_covariances(s);
    for (int64_t i = 0; i < s->pairs; i++) {
        s->x[i] = s->rest[i] > 0;
        s->y[i] = s->x[i] + s->rest[i] / gamma_of_step;
    }
    return CAFE_OK;
}

static void close(search *s) {
    cafe_clique_rows_free(&s->rows);
    cafe_mem_free_all(s->context, s->links, s->y, s->x, s->rest, s->near, s->gain);
}

/* ---- violated rows --------------------------------------------------------------------------- */

/* An edge and a third node: the centre is the end of the edge that is nearer to it. */
static cafe_status look_at_link(search *s, const link *l, double tolerance) {
    double joint = clip(s->y[l->pair]);
    if (joint < tolerance) return CAFE_OK;
    for (int32_t v = 0; v < s->n; v++) {
        if (v == l->u || v == l->w) continue;
        double a = x_of(s, l->u, v), b = x_of(s, l->w, v);
        double violation = joint + fabs(a - b) - 1;
        if (violation > s->triangles) s->triangles = violation;
        if (!(violation > tolerance) || s->rows.count >= MOST_ROWS) continue;
        int32_t centre = a > b ? l->u : l->w, far = a > b ? l->w : l->u;
        int32_t leaves[2] = {far < v ? far : v, far < v ? v : far};
        CAFE_PASS(cafe_clique_rows_add(&s->rows, centre, leaves, 2));
    }
    s->work += (double)s->n;
    return CAFE_OK;
}

static cafe_status look_for_triangles(search *s, double tolerance) {
    s->triangles = 0;
    for (int64_t i = 0; i < s->link_count; i++) {
        if (i % 1024 == 0) CAFE_PASS(cafe_check_cancel(s->context));
        CAFE_PASS(look_at_link(s, &s->links[i], tolerance));
    }
    return CAFE_OK;
}

static void sort_leaves(int32_t *leaves, int64_t count) {
    for (int64_t i = 1; i < count; i++)
        for (int64_t j = i; j > 0 && leaves[j] < leaves[j - 1]; j--) {
            int32_t leaf = leaves[j];
            leaves[j] = leaves[j - 1];
            leaves[j - 1] = leaf;
        }
}

/* Leaves of the centre, the first one given, taken greedily while the violation grows. */
static cafe_status grow_star(search *s, int32_t centre, int64_t near, int64_t first,
                             double tolerance) {
    int32_t leaves[CAFE_CLIQUE_LEAVES];
    int64_t count = 0, take = first;
    double violation = -1;
    for (int64_t i = 0; i < near; i++) s->gain[i] = x_of(s, centre, s->near[i]);
    while (take >= 0) {
        int32_t leaf = leaves[count++] = s->near[take];
        violation += s->gain[take];
        s->gain[take] = -HUGE_VAL;
        take = -1;
        for (int64_t i = 0; i < near && count < CAFE_CLIQUE_LEAVES; i++) {
            if (s->gain[i] == -HUGE_VAL) continue;
            s->gain[i] -= x_of(s, leaf, s->near[i]);
            if (s->gain[i] > 1e-9 && (take < 0 || s->gain[i] > s->gain[take])) take = i;
        }
        s->work += (double)near;
    }
    if (count < 3) return CAFE_OK;
    if (violation > s->stars) s->stars = violation;
    if (!(violation > tolerance) || s->rows.count >= MOST_ROWS) return CAFE_OK;
    sort_leaves(leaves, count);
    return cafe_clique_rows_add(&s->rows, centre, leaves, count);
}

static cafe_status look_for_stars(search *s) {
    double half = s->stars / 2 > 1e-3 ? s->stars / 2 : 1e-3;
    double tolerance = half < star_tolerance ? half : star_tolerance;
    s->stars = 0;
    for (int32_t centre = 0; centre < s->n; centre++) {
        int64_t near = 0;
        CAFE_PASS(cafe_check_cancel(s->context));
        for (int32_t u = 0; u < s->n; u++)
            if (u != centre && x_of(s, centre, u) > visible) s->near[near++] = u;
        s->work += (double)s->n;
        for (int64_t i = 0; i < near; i++) CAFE_PASS(grow_star(s, centre, near, i, tolerance));
    }
    return CAFE_OK;
}

static cafe_status look_for_rows(search *s, int64_t step) {
    double tolerance = step < 3 ? 0.3 : step < 6 ? 0.1 : 0.3 * s->triangles;
    if (step >= EARLY && step % LOOKS != 0 && !(s->violation < few_violations)) return CAFE_OK;
    if (tolerance > largest_tolerance) tolerance = largest_tolerance;
    if (tolerance < smallest_tolerance) tolerance = smallest_tolerance;
    CAFE_PASS(look_for_triangles(s, tolerance));
    if (step <= STARS_AFTER || !(s->triangles < some_violations)) return CAFE_OK;
    return look_for_stars(s);
}

/* ---- multipliers ----------------------------------------------------------------------------- */

/* values -= change (row of A) */
static inline void move_row(double *values, const uint32_t *pair, int64_t leaves, int64_t length,
                            double change) {
    for (int64_t i = 0; i < leaves; i++) values[pair[i]] -= change;
    for (int64_t i = leaves; i < length; i++) values[pair[i]] += change;
}

static void pass_over_rows(search *s) {
    s->violation = 0;
    for (int64_t r = 0; r < s->rows.count; r++) {
        cafe_clique_row *row = &s->rows.at[r];
        const uint32_t *pair = s->rows.pair + row->start;
        int64_t leaves = row->leaves, length = cafe_clique_length(leaves);
        double excess = -1;
        for (int64_t i = 0; i < leaves; i++) excess += clip(s->y[pair[i]]);
        for (int64_t i = leaves; i < length; i++) excess -= clip(s->y[pair[i]]);
        s->work += (double)length;
        if (excess > s->violation) s->violation = excess;
        if (excess <= 0 && row->multiplier == 0) {
            row->idle += excess < -visible && row->idle < MOST_IDLE;
            continue;
        }
        row->idle = 0;
        double change = excess / (double)length;
        if (change < -row->multiplier) change = -row->multiplier;
        row->multiplier += change;
        move_row(s->y, pair, leaves, length, change);
    }
}

/* y += x - x_0, x_0 = x */
static void step_forward(search *s) {
    for (int64_t i = 0; i < s->pairs; i++) {
        float x = (float)clip(s->y[i]);
        s->y[i] += (double)x - (double)s->x[i];
        s->x[i] = x;
    }
    s->work += (double)s->pairs;
}

/* ---- the bound ------------------------------------------------------------------------------- */

/* rest = c - A^T lambda */
static void subtract_rows(search *s, const double *lambda) {
    fill_covariances(s);
    for (int64_t r = 0; r < s->rows.count; r++) {
        const cafe_clique_row *row = &s->rows.at[r];
        move_row(s->rest, s->rows.pair + row->start, row->leaves, cafe_clique_length(row->leaves),
                 lambda[r]);
    }
}

/* As a function of lambda_r alone the bound is convex and piecewise linear. Its slope is 1 less the
 * pairs of +1 that are below their breakpoint, plus those of -1 that are above: 0 between the two
 * breakpoints in the middle, and the nearer of them to lambda_r is taken. */
static double best_multiplier(const double *rest, const uint32_t *pair, int64_t leaves,
                              int64_t length, double lambda) {
    double points[CAFE_CLIQUE_PAIRS];
    for (int64_t i = 0; i < length; i++) {
        double value = rest[pair[i]], point = i < leaves ? lambda + value : lambda - value;
        int64_t j = i;
        for (; j > 0 && point < points[j - 1]; j--) points[j] = points[j - 1];
        points[j] = point;
    }
    double low = points[leaves - 2], high = points[leaves - 1];
    double found = lambda < low ? low : lambda > high ? high : lambda;
    return found < 0 ? 0 : found;
}

static void polish(search *s, double *lambda) {
    for (int64_t r = 0; r < s->rows.count; r++) {
        const cafe_clique_row *row = &s->rows.at[r];
        const uint32_t *pair = s->rows.pair + row->start;
        int64_t length = cafe_clique_length(row->leaves);
        double better = best_multiplier(s->rest, pair, row->leaves, length, lambda[r]);
        if (better != lambda[r]) move_row(s->rest, pair, row->leaves, length, better - lambda[r]);
        lambda[r] = better;
    }
}

/* diagonal + 2 / scale (sum of lambda + sum of max(rest, 0)), and what the sums may have lost: of
 * k numbers of sizes that sum to t, k 2^-52 t. */
static double bound_of(search *s, const double *lambda, int64_t *rows) {
    double sum = 0, sizes = 1;
    *rows = 0;
    fill_covariances(s);
    for (int64_t i = 0; i < s->pairs; i++) sizes += fabs(s->rest[i]);
    subtract_rows(s, lambda);
    for (int64_t r = 0; r < s->rows.count; r++) {
        sum += lambda[r];
        sizes += lambda[r] * (double)cafe_clique_length(s->rows.at[r].leaves);
        *rows += lambda[r] > 0;
    }
    for (int64_t i = 0; i < s->pairs; i++) sum += s->rest[i] > 0 ? s->rest[i] : 0;
    double terms = (double)(s->rows.count + s->pairs + s->n + 64);
    return s->diagonal + 2 / s->scale * (sum + terms * 0x1p-52 * sizes);
}

void cafe_clique_multipliers_free(cafe_clique_multipliers *rows) {
    cafe_mem_free(rows->context, rows->at);
    rows->at = NULL;
    rows->count = rows->room = 0;
}

/* The nodes of a pair by its number. */
static void nodes_of(int64_t pair, int32_t *u, int32_t *w) {
    int64_t later = (int64_t)((1 + sqrt(1 + 8 * (double)pair)) / 2);
    while (later * (later - 1) / 2 > pair) later--;
    while (later * (later + 1) / 2 <= pair) later++;
    *w = (int32_t)later;
    *u = (int32_t)(pair - later * (later - 1) / 2);
}

/* The first pairs of a row are those of its centre, which two of them share. */
static cafe_clique_multiplier multiplier_of(const uint32_t *pair, int64_t leaves) {
    cafe_clique_multiplier m;
    int32_t a, b, u, w;
    nodes_of(pair[0], &a, &b);
    nodes_of(pair[1], &u, &w);
    m.node[0] = a == u || a == w ? a : b;
    for (int64_t i = 0; i < CAFE_CLIQUE_LEAVES; i++) {
        m.node[1 + i] = -1;
        if (i >= leaves) continue;
        nodes_of(pair[i], &u, &w);
        m.node[1 + i] = u == m.node[0] ? w : u;
    }
    return m;
}

static cafe_status keep_multipliers(search *s, const double *lambda) {
    cafe_clique_multipliers *kept = s->kept;
    kept->count = 0;
    CAFE_PASS(cafe_mem_grow(s->context, &kept->at, &kept->room, s->best_rows, sizeof *kept->at));
    for (int64_t r = 0; r < s->rows.count; r++) {
        const cafe_clique_row *row = &s->rows.at[r];
        if (!(lambda[r] > 0)) continue;
        cafe_clique_multiplier m = multiplier_of(s->rows.pair + row->start, row->leaves);
        m.multiplier = 2 / s->scale * lambda[r];
        kept->at[kept->count++] = m;
    }
    return CAFE_OK;
}

static cafe_status update_bound(search *s) {
    cafe_status status = CAFE_OK;
    int64_t rows;
    double *lambda = cafe_mem(s->context, s->rows.count, sizeof *lambda);
    CAFE_PASS(cafe_mem_had(lambda));
    for (int64_t r = 0; r < s->rows.count; r++)
        lambda[r] = s->rows.at[r].multiplier * gamma_of_step;
    subtract_rows(s, lambda);
    for (int i = 0; i < POLISH; i++) polish(s, lambda);
    double bound = bound_of(s, lambda, &rows);
    if (bound < s->best) {
        s->best = bound;
        s->best_rows = rows;
        if (s->kept) status = keep_multipliers(s, lambda);
    }
    cafe_mem_free(s->context, lambda);
    s->work += 4.0 * (double)s->pairs + 10.0 * (double)s->rows.used;
    return status;
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* Of integer weights without loops total^2 times the modularity is an even number: the total is
 * even, so are the edges inside each community, counted from both ends, and the sum of the squares
 * of the communities' degrees is even as the sum of the degrees is. That sum times a resolution of
 * k / 2^i is a multiple of 2 / 2^i. */
static double step_of_modularities(const cafe_operator_parts *parts, double resolution) {
    int64_t arcs = parts->offsets[parts->n];
    bool whole = !parts->factor && !parts->loops && parts->total < 0x1p24;
    for (int64_t j = 0; whole && parts->weights && j < arcs; j++)
        whole = parts->weights[j] == floorf(parts->weights[j]);
    double unit = 1;
    while (unit < 1024 && resolution * unit != floor(resolution * unit)) unit *= 2;
    whole = whole && resolution * unit == floor(resolution * unit);
    return whole ? 2 / (unit * parts->total * parts->total) : 0;
}

/* Does the bound leave no room for a partition that is better than the known one? */
static bool is_proved(const search *s, double step, double known) {
    return s->best < known + (step > 0 ? 0.999 * step : 1e-9);
}

static cafe_status run(search *s, double most, double step, double known) {
    double check = 1e6;
    s->triangles = s->violation = s->stars = HUGE_VAL;
    s->best = HUGE_VAL;
    for (int64_t i = 0; s->best == HUGE_VAL || s->work < most; i++) {
        CAFE_PASS(look_for_rows(s, i));
        for (int pass = 0; pass < PASSES; pass++) {
            CAFE_PASS(cafe_check_cancel(s->context));
            pass_over_rows(s);
        }
        step_forward(s);
        if (i % DROP_EVERY == DROP_EVERY - 1) cafe_clique_rows_drop(&s->rows, IDLE_PASSES);
        if (s->work < check && s->work < most) continue;
        CAFE_PASS(update_bound(s));
        cafe_step(s->context, (int64_t)(100 * s->work / most), s->best);
        if (is_proved(s, step, known)) break;
        check = 1.3 * s->work;
    }
    return CAFE_OK;
}

cafe_status cafe_clique_bound_find(cafe_context *context, const cafe_operator_parts *parts,
                                   double resolution, double work, double known,
                                   cafe_clique_multipliers *rows, cafe_clique_bound *found) {
    cafe_status status = CAFE_OK;
    search s = {.context = context,
                .parts = parts,
                .n = parts->n,
                .rows = {.context = context},
                .kept = rows};
    double step = step_of_modularities(parts, resolution);
    CAFE_TRY(open(&s));
    cafe_phase(context, "proof", 100);
    CAFE_TRY(run(&s, work * steps_per_second, step, known));
    *found = (cafe_clique_bound){s.best, s.best_rows, step};
done:
    close(&s);
    return status;
}
