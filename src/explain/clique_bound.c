/* Multipliers by a proximal method. Dual coordinate ascent (Hildreth 1957) finds the point x
 * nearest to x_0 + c / gamma that keeps the rows and 0 <= x <= 1. The next step starts from it as
 * x_0. Without x_0, the proximal term, coordinate ascent gets stuck. With theta = lambda / gamma,
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
#include <math.h>

#include "base/memory.h"
#include "explain/clique_search.h"
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
    WORK_OF_ROW = 300,   /* a row that is added will take about so many steps */
    FEW_OF_LINK = 4,     /* rows that an edge may add at a time, at least */
    POLISH = 2,          /* sweeps of line search */
    LEAST_CHECKS = 4     /* of the bound, before it counts as hardly falling */
};

static const double gamma_of_step = 0.05, largest_tolerance = 0.3, smallest_tolerance = 0.003,
                    few_violations = 0.02, some_violations = 0.25, visible = 0.02,
                    little_gain = 0.02, most_gap = 6;
static const double steps_per_second = 2.5e8;

/* ---- the problem ----------------------------------------------------------------------------- */

static cafe_status add_link(cafe_clique_search *s, int64_t u, int64_t w, double joint) {
    CAFE_PASS(
        cafe_mem_grow(s->context, &s->links, &s->link_room, s->link_count + 1, sizeof *s->links));
    cafe_clique_link *l = &s->links[s->link_count++];
    *l = (cafe_clique_link){.u = (int32_t)u, .w = (int32_t)w};
    CAFE_PASS(cafe_clique_pairs_take(&s->pairs, l->u, l->w, &l->pair));
    s->pairs.c[l->pair] += s->scale * joint;
    return CAFE_OK;
}

/* Without its loop. */
static double null_square(const cafe_clique_search *s, int64_t u) {
    const cafe_operator_parts *q = s->parts;
    return q->f ? q->kappa * cafe_factor_expected(q, s->pairs.resolution, u, u)
                : -(q->p[u] * q->p[u]);
}

/* One more pair per edge, in the order of u. */
static cafe_status list_links(cafe_clique_search *s) {
    const cafe_operator_parts *parts = s->parts;
    for (int64_t u = 0; u < s->n; u++) {
        s->diagonal += null_square(s, u);
        for (int64_t j = parts->offsets[u]; j < parts->offsets[u + 1]; j++) {
            int64_t w = parts->targets[j];
            double joint = parts->sign * CAFE_LINK(parts, u, j) / parts->total;
            if (u == w) s->diagonal += joint;
            if (u < w) CAFE_PASS(add_link(s, u, w, joint));
        }
    }
    return CAFE_OK;
}

/* The pairs without an edge that have c > 0, in the same order; gain marks the edges of u. */
static cafe_status list_attracted(cafe_clique_search *s) {
    const cafe_operator_parts *q = s->parts;
    cafe_clique_link *edges = s->links;
    int64_t count = s->link_count, at = 0;
    s->links = NULL;
    s->link_count = s->link_room = 0;
    cafe_status status = CAFE_OK;
    for (int64_t u = 0; u < s->n; u++) s->place[u] = -1;
    for (int64_t u = 0; u < s->n && status == CAFE_OK; u++) {
        for (; at < count && edges[at].u == u; at++) {
            s->place[edges[at].w] = (int32_t)u;
            if (status == CAFE_OK) status = add_link(s, u, edges[at].w, 0);
        }
        for (int64_t w = u + 1; w < s->n && status == CAFE_OK; w++)
            if (s->place[w] != u && cafe_factor_expected(q, s->pairs.resolution, u, w) > 0)
                status = add_link(s, u, w, 0);
        if (status == CAFE_OK) status = cafe_check_cancel(s->context);
    }
    for (int64_t u = 0; u < s->n; u++) s->place[u] = -1;
    cafe_mem_free(s->context, edges);
    return status;
}

/* x_0 = [c > 0] */
static cafe_status open(cafe_clique_search *s) {
    cafe_context *context = s->context;
    int64_t arcs = s->parts->offsets[s->n];
    s->scale = (double)arcs;
    s->pairs = (cafe_clique_pairs){.context = context,
                                   .parts = s->parts,
                                   .resolution = s->resolution,
                                   .scale = s->scale,
                                   .gamma = gamma_of_step};
    s->x_of = cafe_mem(context, s->n, sizeof *s->x_of);
    s->place = cafe_mem(context, s->n, sizeof *s->place);
    s->gain = cafe_mem(context, s->n, sizeof *s->gain);
    CAFE_PASS(cafe_mem_had(s->x_of, s->place, s->gain));
    for (int64_t u = 0; u < s->n; u++) s->x_of[u] = 0, s->place[u] = -1;
    CAFE_PASS(list_links(s));
    if (cafe_operator_attracts(s->parts)) CAFE_PASS(list_attracted(s));
    for (int64_t i = 0; i < s->pairs.count; i++) {
        s->pairs.x[i] = s->pairs.c[i] > 0;
        s->pairs.y[i] = s->pairs.x[i] + s->pairs.c[i] / gamma_of_step;
    }
    double rows = s->most_work / WORK_OF_ROW;
    s->most_rows = rows < MOST_ROWS ? (int64_t)rows : MOST_ROWS;
    s->most_of_link = s->most_rows / (s->link_count + 1) + FEW_OF_LINK;
    return CAFE_OK;
}

static void close(cafe_clique_search *s) {
    cafe_clique_pairs_free(&s->pairs);
    cafe_clique_rows_free(&s->rows);
    cafe_clique_near_free(s->context, &s->near);
    cafe_mem_free_all(s->context, s->links, s->x_of, s->place, s->gain);
}

/* ---- multipliers ----------------------------------------------------------------------------- */

/* values -= change (row of A) */
static inline void move_row(double *values, const uint32_t *pair, int64_t leaves, int64_t length,
                            double change) {
    for (int64_t i = 0; i < leaves; i++) values[pair[i]] -= change;
    for (int64_t i = leaves; i < length; i++) values[pair[i]] += change;
}

static void pass_over_rows(cafe_clique_search *s) {
    double *y = s->pairs.y;
    s->violation = 0;
    for (int64_t r = 0; r < s->rows.count; r++) {
        cafe_clique_row *row = &s->rows.at[r];
        const uint32_t *pair = s->rows.pair + row->start;
        int64_t leaves = row->leaves, length = cafe_clique_length(leaves);
        double excess = -1;
        for (int64_t i = 0; i < leaves; i++) excess += cafe_clique_clip(y[pair[i]]);
        for (int64_t i = leaves; i < length; i++) excess -= cafe_clique_clip(y[pair[i]]);
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
        move_row(y, pair, leaves, length, change);
    }
}

/* y += x - x_0, x_0 = x */
static void step_forward(cafe_clique_search *s) {
    cafe_clique_pairs *pairs = &s->pairs;
    for (int64_t i = 0; i < pairs->count; i++) {
        float x = (float)cafe_clique_clip(pairs->y[i]);
        pairs->y[i] += (double)x - (double)pairs->x[i];
        pairs->x[i] = x;
    }
    s->work += (double)pairs->count;
}

static bool is_time_to_look(const cafe_clique_search *s, int64_t step) {
    return step < EARLY || step % LOOKS == 0 || s->violation < few_violations;
}

static cafe_status look_for_rows(cafe_clique_search *s, int64_t step) {
    double tolerance = step < 3 ? 0.3 : step < 6 ? 0.1 : 0.3 * s->triangles;
    if (tolerance > largest_tolerance) tolerance = largest_tolerance;
    if (tolerance < smallest_tolerance) tolerance = smallest_tolerance;
    CAFE_PASS(cafe_clique_find_triangles(s, tolerance));
    if (step <= STARS_AFTER || !(s->triangles < some_violations)) return CAFE_OK;
    return cafe_clique_find_stars(s);
}

/* ---- the bound ------------------------------------------------------------------------------- */

/* rest -= A^T lambda */
static void subtract_rows(const cafe_clique_search *s, const double *lambda, double *rest) {
    for (int64_t r = 0; r < s->rows.count; r++) {
        const cafe_clique_row *row = &s->rows.at[r];
        move_row(rest, s->rows.pair + row->start, row->leaves, cafe_clique_length(row->leaves),
                 lambda[r]);
    }
}

/* As a function of lambda_r alone the bound is convex and piecewise linear. Its slope is 1, less
 * the pairs of +1 that are below their breakpoint, plus the pairs of -1 that are above. The slope
 * is 0 between the two breakpoints in the middle. The one nearer to lambda_r is taken. */
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

/* Of a forced pair rest is far from the breakpoint, so the row sees its x as given. */
static void polish(const cafe_clique_search *s, double *lambda, double *rest) {
    for (int64_t i = 0; i < s->pairs.count; i++)
        rest[i] = s->pairs.c[i] + CAFE_CLIQUE_FAR * s->pairs.forced[i];
    subtract_rows(s, lambda, rest);
    for (int64_t sweep = 0, r = 0; sweep < POLISH; r = 0, sweep++)
        for (; r < s->rows.count; r++) {
            const cafe_clique_row *row = &s->rows.at[r];
            const uint32_t *pair = s->rows.pair + row->start;
            int64_t length = cafe_clique_length(row->leaves);
            double better = best_multiplier(rest, pair, row->leaves, length, lambda[r]);
            if (better != lambda[r]) move_row(rest, pair, row->leaves, length, better - lambda[r]);
            lambda[r] = better;
        }
}

/* What a pair adds: max(rest, 0), rest if it is together, 0 if it is apart. */
static double share_of_pair(int8_t forced, double rest) {
    if (forced == CAFE_CLIQUE_APART) return 0;
    return forced == CAFE_CLIQUE_TOGETHER || rest > 0 ? rest : 0;
}

/* diagonal + 2 / scale (sum of lambda + sum of the pairs), and what the sums may have lost: of k
 * numbers of sizes that sum to t, k 2^-52 t. */
static double bound_of(const cafe_clique_search *s, const double *lambda, double *rest,
                       int64_t *rows) {
    double sum = 0, sizes = 1;
    *rows = 0;
    for (int64_t i = 0; i < s->pairs.count; i++) {
        rest[i] = s->pairs.c[i];
        sizes += fabs(rest[i]);
    }
    subtract_rows(s, lambda, rest);
    for (int64_t r = 0; r < s->rows.count; r++) {
        sum += lambda[r];
        sizes += lambda[r] * (double)cafe_clique_length(s->rows.at[r].leaves);
        *rows += lambda[r] > 0;
    }
    for (int64_t i = 0; i < s->pairs.count; i++) sum += share_of_pair(s->pairs.forced[i], rest[i]);
    double terms = (double)(s->rows.count + s->pairs.count + s->n + 64);
    return s->diagonal + 2 / s->scale * (sum + terms * 0x1p-52 * sizes);
}

static cafe_status update_bound(cafe_clique_search *s) {
    cafe_status status = CAFE_OK;
    int64_t rows;
    double *lambda = cafe_mem(s->context, s->rows.count, sizeof *lambda);
    double *rest = cafe_mem(s->context, s->pairs.count, sizeof *rest);
    CAFE_TRY(cafe_mem_had(lambda, rest));
    for (int64_t r = 0; r < s->rows.count; r++)
        lambda[r] = s->rows.at[r].multiplier * gamma_of_step;
    polish(s, lambda, rest);
    double bound = bound_of(s, lambda, rest, &rows);
    s->work += 4.0 * (double)s->pairs.count + 10.0 * (double)s->rows.used;
    if (bound < s->best) {
        s->best = bound;
        s->best_rows = rows;
        if (s->kept) CAFE_TRY(cafe_clique_keep(s, lambda));
    }
done:
    cafe_mem_free_all(s->context, lambda, rest);
    return status;
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* For integer weights without loops, total^2 times the modularity is an even number. The total is
 * even, and so are the edges inside each community, counted from both ends. The sum of the squares
 * of the communities' degrees is even, because the sum of the degrees is. That sum times a
 * resolution of k / 2^i is a multiple of 2 / 2^i. */
static double step_of_modularities(const cafe_operator_parts *parts, double resolution) {
    int64_t arcs = parts->offsets[parts->n];
    bool whole = !parts->f && !parts->factor && !parts->loops && parts->total < 0x1p24;
    for (int64_t j = 0; whole && parts->weights && j < arcs; j++)
        whole = parts->weights[j] == floorf(parts->weights[j]);
    double unit = 1;
    while (unit < 1024 && resolution * unit != floor(resolution * unit)) unit *= 2;
    whole = whole && resolution * unit == floor(resolution * unit);
    return whole ? 2 / (unit * parts->total * parts->total) : 0;
}

bool cafe_clique_is_proved(const cafe_clique_search *s) {
    return s->best < s->known + (s->step > 0 ? 0.999 * s->step : 1e-9);
}

cafe_status cafe_clique_climb(cafe_clique_search *s, bool root) {
    double began = s->work, check = root ? 1e6 : 0, before = HUGE_VAL;
    s->triangles = s->violation = s->stars = s->best = HUGE_VAL;
    for (int64_t i = root ? 0 : EARLY, checks = 0;; i++) {
        /* without pairs no step has work to do, and the bound is the diagonal */
        bool last = s->pairs.count == 0 || (s->work >= s->most_work && i > 0);
        if (last || (s->work - began >= check && is_time_to_look(s, i))) {
            CAFE_PASS(update_bound(s));
            cafe_step(s->context, (int64_t)(100 * s->work / s->most_work), s->best);
            double gap = s->best - s->known;
            if (last || cafe_clique_is_proved(s)) break;
            if (++checks > LEAST_CHECKS && before - s->best < little_gain * gap &&
                gap * s->scale < 2 * most_gap && cafe_clique_fractional(s) >= 0)
                break;
            before = s->best;
            check = 1.3 * (s->work - began);
        }
        if (is_time_to_look(s, i)) CAFE_PASS(look_for_rows(s, i));
        for (int pass = 0; pass < PASSES; pass++) {
            CAFE_PASS(cafe_check_cancel(s->context));
            pass_over_rows(s);
        }
        step_forward(s);
        if (i % DROP_EVERY == DROP_EVERY - 1) cafe_clique_rows_drop(&s->rows, IDLE_PASSES);
    }
    return CAFE_OK;
}

static cafe_status search(cafe_clique_search *s, cafe_clique_bound *found) {
    CAFE_PASS(open(s));
    cafe_phase(s->context, "proof", 100);
    CAFE_PASS(cafe_clique_climb(s, true));
    *found = (cafe_clique_bound){s->best, s->best_rows, s->step, 1};
    if (cafe_clique_is_proved(s) || s->work >= s->most_work || s->known == -HUGE_VAL)
        return CAFE_OK;
    return cafe_clique_branch(s, found);
}

cafe_status cafe_clique_bound_find(cafe_context *context, const cafe_operator_parts *parts,
                                   double resolution, double work, double known,
                                   cafe_clique_multipliers *rows, cafe_clique_bound *found) {
    cafe_clique_search s = {.context = context,
                            .parts = parts,
                            .n = parts->n,
                            .resolution = resolution,
                            .rows = {.context = context},
                            .pairs = {.context = context},
                            .most_work = work * steps_per_second,
                            .known = known,
                            .step = step_of_modularities(parts, resolution),
                            .kept = rows};
    cafe_status status = search(&s, found);
    close(&s);
    return status;
}
