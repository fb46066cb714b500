/* Certified pairs of columns as they are written.
 *
 * M = Q, or D^-1 Q in the inner product of D, is symmetric. So for any vector x, however it was
 * found, and any rho, some eigenvalue lies within ||M x - rho x|| / ||x|| of rho. Ritz pairs of the
 * columns' Gram matrices only propose x = V s and rho; what is reported of them is measured.
 *
 * Small blocks, and all blocks on request: x is formed in doubles, so that it has no error as a
 * vector. Its image is a product in doubles, and r = M x - rho x is added up itself
 * (spectral/exact_columns.c). With u = 2^-53, t terms in a sum at most, and |M| the matrix of
 * absolute values, rounding has changed the residual by
 *
 *     4 t u (size + |rho|),     size >= || |M| ||
 *
 * at most. Large blocks: Z = M V in single precision, whose columns are wrong by e ||v_j||, and
 *
 *     G = V^T W V     T = V^T W Z     N = Z^T W Z,     ||Z s - rho V s||^2 = s^T N s
 *                                                        - 2 rho s^T T s + rho^2 s^T G s
 *
 * in double precision. To e ||v_j|| comes what is lost below the smallest float: 2^-150 in each of
 * the products of an entry. An entry of the matrices is wrong by eps ||a_i|| ||b_j||, eps = (n +
 * 64) u in whatever order it was added up, so that the residual is at most
 *
 *     sqrt(max(that sum, 0) + eps b^2) + e a,     a = sum of |s_i| ||v_i||,
 *                                                 b = sum of |s_i| (||z_i|| + |rho| ||v_i||)
 *
 * over the root of s^T G s - eps a^2; a direction for which that is no more than half of what it
 * should be is not certified.
 */
#include "spectral/certificate.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "engine/dense.h"
#include "spectral/exact_columns.h"
#include "spectral/subspace_iteration.h"

static const double unit = 0x1p-53, single_unit = 0x1p-24;

/* The problem: its operator's figures, the means of its columns, and bounds of the rounding of a
 * product. */
typedef struct problem {
    const cafe_certifying *c;
    const double *weights; /* NULL: 1 */
    int64_t n, k;
    double size;        /* a bound of || |M| || */
    double terms, tile; /* additions in a row, of a product in doubles and in floats */
    double lost;        /* length of what a product in floats loses below the smallest float */
    double *means;      /* of the columns; NULL: columns stay as they are */
    double *floor;      /* the length of a column below which it may be rounding */
} problem;

/* ---- the problem ----------------------------------------------------------------------------- */

/* A bound of || |M| ||. Graph: every row of D^-1 P sums to 1, as p^T does, so
 *
 *     || |D^-1 Q| || <= 2,   || |Q| || <= 2 max p.
 *
 * Table: || |F| |F|^T || <= sum of ||f_u||^2.
 *
 * Sum: the largest sum over w of |a(u,w)| / total, plus the sum of ||f_u||^2. For D^-1 Q, which is
 * similar to D^-1/2 Q D^-1/2, both have row u divided by p_u.
 */
static double size_of_sum(const cafe_operator_parts *q, cafe_side side) {
    double largest = 0, squares = 0;
    for (int64_t u = 0; u < q->n; u++) {
        double inverse = side != CAFE_SIDE_WALK ? 1 : q->p[u] > 0 ? 1 / q->p[u] : 0, sum = 0;
        for (int64_t j = q->offsets ? q->offsets[u] : 0; q->offsets && j < q->offsets[u + 1]; j++)
            sum += fabs(CAFE_LINK(q, u, j));
        largest = fmax(largest, inverse * sum / q->total);
        squares += inverse * (q->reach[u] * q->reach[u]);
    }
    return largest + squares;
}

static void find_size(problem *p) {
    const cafe_operator_parts *q = &p->c->op->parts;
    int64_t most = 0;
    double largest = 0, square = 0, spread = 0;
    for (int64_t u = 0; u < p->n; u++) {
        int64_t links = q->offsets ? q->offsets[u + 1] - q->offsets[u] : 0;
        most = links > most ? links : most;
        largest = fmax(largest, q->p[u]);
        square += q->reach[u] * q->reach[u];
        spread += p->c->side != CAFE_SIDE_WALK ? 1 : q->p[u] > 0 ? 1 / q->p[u] : 0;
    }
    double steps = fmax(1, (double)p->c->op->window), width = q->f ? (double)q->width : 0;
    p->size = q->f ? square : 2 * (p->c->side == CAFE_SIDE_WALK ? 1 : largest);
    if (cafe_operator_is_sum(q)) p->size = size_of_sum(q, p->c->side);
    p->terms = (double)(p->n + most + 16) * steps + width;
    /* edges are added in pieces of 256, then the pieces; a few operations follow */
    p->tile = (fmin((double)most, 256) + (double)most / 256 + 12) * steps + width;
    p->lost = 0x1p-149 * ((double)(most + 16) * steps + width) * sqrt(spread);
    if (q->total > 0 && q->total < 1) p->lost /= q->total;
}

/* The uncertainty that float32 leaves of a column, also relative to the longest one. */
static void find_floor(problem *p, double *lengths) {
    double longest = 0;
    for (int64_t j = 0; j < p->k; j++) longest = fmax(longest, lengths[j]);
    for (int64_t j = 0; j < p->k; j++)
        p->floor[j] = fmax(CAFE_RANK_TOLERANCE * lengths[j], CAFE_RESOLUTION * longest);
}

/* The means by p, and the floor. */
static cafe_status find_means(cafe_context *context, const cafe_block *v, problem *p) {
    double total = 0, *roots = NULL;
    if (p->weights) {
        roots = cafe_mem(context, p->n, sizeof *roots);
        CAFE_PASS(cafe_mem_had(roots));
    }
    for (int64_t u = 0; u < p->n && roots; u++) {
        roots[u] = sqrt(p->weights[u]);
        total += p->weights[u];
    }
    cafe_status status = cafe_ops(v)->norms(context, v, roots, p->floor);
    cafe_mem_free(context, roots);
    if (status == CAFE_OK) find_floor(p, p->floor);
    if (status == CAFE_OK && p->means) {
        status = cafe_ops(v)->totals(context, v, p->weights, p->means);
        for (int64_t j = 0; j < p->k; j++) p->means[j] /= total > 0 ? total : 1;
    }
    return status;
}

/* M 1 of a sum is 0 up to the rounding of F to floats: adds its length times the largest mean to
 * what a product loses. */
static cafe_status add_constant(cafe_context *context, problem *p) {
    cafe_status status = CAFE_OK;
    double square = 0, most = 0;
    double *ones = cafe_mem(context, p->n, sizeof *ones), *image = NULL;
    image = cafe_mem(context, p->n, sizeof *image);
    CAFE_TRY(cafe_mem_had(ones, image));
    for (int64_t u = 0; u < p->n; u++) ones[u] = 1;
    CAFE_TRY(cafe_operator_exact(context, &p->c->op->parts, 1, ones, image));
    for (int64_t u = 0; u < p->n; u++) {
        double weight = p->weights ? p->weights[u] : 1;
        square += weight > 0 ? image[u] * image[u] / weight : 0;
    }
    for (int64_t j = 0; j < p->k; j++) most = fmax(most, fabs(p->means[j]));
    p->lost += sqrt(square) * most;
done:
    cafe_mem_free_all(context, ones, image);
    return status;
}

static cafe_status open_problem(cafe_context *context, const cafe_certifying *c,
                                const cafe_block *v, problem *p) {
    *p = (problem){.c = c, .n = v->n, .k = v->columns};
    p->weights = c->side == CAFE_SIDE_WALK ? c->op->parts.p : NULL;
    p->floor = cafe_mem(context, 2 * p->k, sizeof *p->floor);
    CAFE_PASS(cafe_mem_had(p->floor));
    if (c->centred && (!c->op->parts.f || cafe_operator_is_sum(&c->op->parts)))
        p->means = p->floor + p->k;
    find_size(p);
    CAFE_PASS(find_means(context, v, p));
    return p->means && cafe_operator_is_sum(&c->op->parts) ? add_constant(context, p) : CAFE_OK;
}

/* ---- what is reported ------------------------------------------------------------------------ */

/* Eigenvalues of the walk's problem of a graph lie in [-1, 1]. A value outside is moved to the end
 * of this interval, and its residual grows by the distance. */
static void confine(const problem *p, double *value, double *residual) {
    double beyond = fabs(*value) - 1;
    if (p->c->side != CAFE_SIDE_WALK || p->c->op->parts.f || !(beyond > 0)) return;
    *value = *value > 0 ? 1 : -1;
    *residual += beyond;
}

/* From <x, x>, <x, r>, <r, r> with r = M x - rho x: the Rayleigh quotient and its residual. */
static void judge(const problem *p, const double *sums, double rho, double *value,
                  double *residual) {
    double g = sums[0], step = g > 0 ? sums[1] / g : 0, square = g > 0 ? sums[2] / g : 0;
    double error = 4 * p->terms * unit, size = p->size + fabs(rho);
    *value = rho + step;
    double left = fmax(square - step * step, 0) + error * square;
    *residual = g > 0 ? sqrt(left) + error * size : 0;
    confine(p, value, residual);
}

/* Columns that are Ritz vectors keep their places: where rounding has put a value above the one
 * before, it is lowered, which ||r||^2 + (rho' - rho)^2 allows for. */
static void keep_order(cafe_ritz *ritz) {
    for (int64_t j = 1; j < ritz->pairs; j++) {
        double above = ritz->values[j] - ritz->values[j - 1];
        if (!(above > 0)) continue;
        ritz->values[j] = ritz->values[j - 1];
        ritz->residuals[j] = hypot(ritz->residuals[j], above);
    }
}

/* Sorts by falling values, by insertion: they are nearly in order. */
static void sort_pairs(cafe_ritz *ritz) {
    for (int64_t j = 1; j < ritz->pairs; j++) {
        double value = ritz->values[j], residual = ritz->residuals[j];
        int64_t i = j;
        for (; i > 0 && ritz->values[i - 1] < value; i--) {
            ritz->values[i] = ritz->values[i - 1];
            ritz->residuals[i] = ritz->residuals[i - 1];
        }
        ritz->values[i] = value, ritz->residuals[i] = residual;
    }
}

/* Copies the figures of the pairs to the columns. */
static void copy_pairs(cafe_ritz *ritz) {
    memcpy(ritz->values, ritz->column_values, (size_t)ritz->columns * sizeof *ritz->values);
    memcpy(ritz->residuals, ritz->column_residuals, (size_t)ritz->columns * sizeof *ritz->values);
    ritz->pairs = ritz->columns;
    keep_order(ritz);
    memcpy(ritz->column_values, ritz->values, (size_t)ritz->columns * sizeof *ritz->values);
    memcpy(ritz->column_residuals, ritz->residuals, (size_t)ritz->columns * sizeof *ritz->values);
}

/* ---- in double precision --------------------------------------------------------------------- */

/* Values become Rayleigh quotients, whose residuals are measured. */
static cafe_status measure(cafe_context *context, const problem *p, cafe_exact *e, int64_t count,
                           const double *s, const double *shift, double *values,
                           double *residuals) {
    double *sums = cafe_mem(context, 3 * count, sizeof *sums);
    cafe_status status = cafe_mem_had(sums);
    if (status == CAFE_OK) status = cafe_exact_measure(context, e, count, s, shift, values, sums);
    for (int64_t j = 0; j < count && status == CAFE_OK; j++)
        judge(p, sums + 3 * j, values[j], &values[j], &residuals[j]);
    cafe_mem_free(context, sums);
    return status;
}

/* shift = the means of V S. */
static void find_shift(const problem *p, const cafe_ritz *ritz, double *shift) {
    if (p->means) cafe_dense_product(false, 1, p->k, ritz->pairs, p->means, ritz->vectors, shift);
}

/* Do columns nearly depend on each other? S of a pair is then large beside X = V S, whose length is
 * 1. The sum of |s_i| ||v_i|| is above 30, and rounding of S moves X by as much more. */
static bool cancels(int64_t k, const double *g, const cafe_ritz *ritz) {
    for (int64_t j = 0; j < ritz->pairs; j++) {
        double sum = 0;
        for (int64_t i = 0; i < k; i++)
            sum += fabs(ritz->vectors[i * ritz->pairs + j]) * sqrt(fmax(g[i * k + i], 0));
        if (!(sum <= 30)) return true;
    }
    return false;
}

/* Pairs of the span of X = V S for given vectors S: S is multiplied by their vectors. If columns
 * nearly depend on each other, the first S has large entries and is inexact. */
static cafe_status improve_pairs(cafe_context *context, const problem *p, cafe_exact *e,
                                 const double *shift, double *g, double *t, cafe_ritz *ritz) {
    cafe_ritz again = {0};
    int64_t r = ritz->pairs;
    double *vectors = cafe_mem(context, p->k * r, sizeof *vectors);
    double *floor = cafe_mem(context, r, sizeof *floor);
    cafe_status status = CAFE_OK;
    CAFE_TRY(cafe_mem_had(vectors, floor));
    for (int64_t j = 0; j < r; j++) floor[j] = CAFE_RANK_TOLERANCE;
    CAFE_TRY(cafe_exact_gram(context, e, r, ritz->vectors, shift, g, t));
    CAFE_TRY(cafe_ritz_new(context, r, &again));
    CAFE_TRY(cafe_ritz_pairs(context, r, g, t, floor, &again));
    ritz->pairs = again.pairs;
    cafe_dense_product(false, p->k, r, again.pairs, ritz->vectors, again.vectors, vectors);
    memcpy(ritz->vectors, vectors, (size_t)(p->k * again.pairs) * sizeof *vectors);
    memcpy(ritz->values, again.values, (size_t)again.pairs * sizeof *vectors);
done:
    cafe_ritz_free(context, &again);
    cafe_mem_free_all(context, vectors, floor);
    return status;
}

/* Ritz pairs of the columns: X = V S less the means of V S. */
static cafe_status measure_pairs(cafe_context *context, const problem *p, cafe_exact *e,
                                 cafe_ritz *ritz) {
    cafe_status status = CAFE_OK;
    int64_t k = p->k;
    double *g = cafe_mem(context, k * k, sizeof *g), *t = cafe_mem(context, k * k, sizeof *t);
    double *shift = cafe_mem_zero(context, k, sizeof *shift);
    CAFE_TRY(cafe_mem_had(g, t, shift));
    CAFE_TRY(cafe_exact_gram(context, e, k, NULL, p->means, g, t));
    CAFE_TRY(cafe_ritz_pairs(context, k, g, t, p->floor, ritz));
    if (ritz->pairs == 0) goto done;
    find_shift(p, ritz, shift);
    if (cancels(k, g, ritz)) {
        CAFE_TRY(improve_pairs(context, p, e, shift, g, t, ritz));
        find_shift(p, ritz, shift);
    }
    CAFE_TRY(
        measure(context, p, e, ritz->pairs, ritz->vectors, shift, ritz->values, ritz->residuals));
    sort_pairs(ritz);
done:
    cafe_mem_free_all(context, g, t, shift);
    return status;
}

static cafe_status find_exact(cafe_context *context, const problem *p, const cafe_block *v,
                              cafe_ritz *ritz) {
    cafe_exact e = {0};
    cafe_status status = CAFE_OK;
    CAFE_TRY(cafe_exact_open(context, p->c->op, p->c->side, v, &e));
    CAFE_TRY(
        measure(context, p, &e, p->k, NULL, p->means, ritz->column_values, ritz->column_residuals));
    if (p->c->rotated)
        copy_pairs(ritz);
    else
        CAFE_TRY(measure_pairs(context, p, &e, ritz));
done:
    cafe_exact_close(context, &e);
    return status;
}

/* ---- from Gram matrices ---------------------------------------------------------------------- */

/* G, T and N of the columns less their means, in one piece of memory. */
typedef struct grams {
    double *memory, *gram, *g, *t, *n, *half;
    double *lengths, *images; /* of the columns with their means, and of their images */
    double eps, product;      /* error of an entry, and of a column of the product */
} grams;

static cafe_status new_grams(cafe_context *context, const problem *p, grams *m) {
    int64_t square = p->k * p->k;
    double **parts[] = {&m->g, &m->t, &m->n, &m->half};
    m->memory = cafe_mem(context, 8 * square + 2 * p->k, sizeof *m->memory);
    CAFE_PASS(cafe_mem_had(m->memory));
    m->gram = m->memory;
    for (int i = 0; i < 4; i++) *parts[i] = m->memory + (4 + i) * square;
    m->lengths = m->memory + 8 * square, m->images = m->lengths + p->k;
    m->eps = (double)(p->n + 64) * unit;
    m->product = p->tile * single_unit * p->size;
    return CAFE_OK;
}

/* Columns less their means have the same image, since M 1 = 0: their mean products with it come off
 * T, which are not 0 in single precision, and off G. */
static cafe_status split(cafe_context *context, const problem *p, const cafe_block *z, grams *m) {
    int64_t k = p->k;
    double total = 0, *image = m->half;
    double lost = m->product > 0 ? p->lost / m->product : 0;
    if (p->means) CAFE_PASS(cafe_ops(z)->totals(context, z, p->weights, image));
    for (int64_t u = 0; u < p->n && p->means; u++) total += p->weights[u];
    for (int64_t i = 0; i < k; i++) {
        m->lengths[i] = sqrt(m->gram[i * 2 * k + i]) + lost;
        m->images[i] = sqrt(m->gram[(k + i) * 2 * k + k + i]);
        for (int64_t j = 0; j < k; j++) {
            const double *a = m->gram;
            double mean = p->means ? total * p->means[i] * p->means[j] : 0;
            double cross = p->means ? p->means[i] * image[j] + p->means[j] * image[i] : 0;
            m->g[i * k + j] = a[i * 2 * k + j] - mean;
            m->t[i * k + j] = (a[i * 2 * k + k + j] + a[j * 2 * k + k + i] - cross) / 2;
            m->n[i * k + j] = a[(k + i) * 2 * k + k + j];
        }
    }
    return CAFE_OK;
}

/* The residual of x = V s: g, t, n are s^T G s and so on; a and z the sums of |s_i| ||v_i|| and of
 * |s_i| ||z_i||. Infinite where x is not certified. */
static double bound(const grams *m, double g, double t, double n, double a, double z, double rho) {
    double length = g - 2 * m->eps * a * a, b = z + fabs(rho) * a;
    double square = fmax(n - 2 * rho * t + rho * rho * g, 0) + 2 * m->eps * b * b;
    if (!(length > g / 2)) return INFINITY;
    return (sqrt(square) + m->product * a) / sqrt(length);
}

static void judge_columns(const problem *p, const grams *m, cafe_ritz *ritz) {
    for (int64_t j = 0; j < p->k; j++) {
        int64_t at = j * p->k + j;
        double g = m->g[at], *value = &ritz->column_values[j];
        *value = g > 0 ? m->t[at] / g : 0;
        ritz->column_residuals[j] =
            g > 0 ? bound(m, g, m->t[at], m->n[at], m->lengths[j], m->images[j], *value) : 0;
        confine(p, value, &ritz->column_residuals[j]);
        if (!isfinite(ritz->column_residuals[j])) /* no eigenvalue is farther away than this */
            ritz->column_residuals[j] = p->size + fabs(*value);
    }
}

/* Judges all pairs and leaves out those that are not certified. */
static void judge_pairs(const problem *p, const grams *m, cafe_ritz *ritz) {
    int64_t k = p->k, r = ritz->pairs, kept = 0;
    if (r > 0) cafe_dense_product(false, k, k, r, m->n, ritz->vectors, m->half);
    for (int64_t j = 0; j < r; j++) {
        double n = 0, a = 0, z = 0, rho = ritz->values[j];
        for (int64_t i = 0; i < k; i++) {
            double s = ritz->vectors[i * r + j];
            n += s * m->half[i * r + j];
            a += fabs(s) * m->lengths[i];
            z += fabs(s) * m->images[i];
        }
        double residual = bound(m, 1, rho, n, a, z, rho);
        if (!isfinite(residual)) continue;
        confine(p, &rho, &residual);
        ritz->values[kept] = rho, ritz->residuals[kept++] = residual;
    }
    ritz->pairs = kept;
}

static cafe_status find_large(cafe_context *context, const problem *p, const cafe_block *v,
                              cafe_block *z, cafe_ritz *ritz) {
    grams m = {0};
    cafe_status status = CAFE_OK;
    CAFE_TRY(cafe_block_product(context, p->c->op, p->c->side, 1, v, 0, 0, z));
    CAFE_TRY(new_grams(context, p, &m));
    CAFE_TRY(cafe_ops(v)->gram_even ? cafe_ops(v)->gram_even(context, v, z, p->weights, m.gram)
                                    : cafe_ops(v)->gram(context, v, z, p->weights, false, m.gram));
    CAFE_TRY(split(context, p, z, &m));
    judge_columns(p, &m, ritz);
    if (p->c->rotated) {
        copy_pairs(ritz);
    } else {
        CAFE_TRY(cafe_ritz_pairs(context, p->k, m.g, m.t, p->floor, ritz));
        judge_pairs(p, &m, ritz);
        sort_pairs(ritz);
    }
done:
    cafe_mem_free(context, m.memory);
    return status;
}

bool cafe_certificate_is_exact(const cafe_block *v) {
    enum { NUMBERS = 1 << 18, COLUMNS = 1 << 9 };
    return v->columns <= COLUMNS && v->n * v->columns <= NUMBERS;
}

cafe_status cafe_certificate_find(cafe_context *context, const cafe_certifying *c,
                                  const cafe_block *v, cafe_block *scratch, cafe_ritz *ritz,
                                  int64_t *products) {
    problem p = {0};
    cafe_status status = CAFE_OK;
    CAFE_TRY(cafe_ritz_new(context, v->columns, ritz));
    if (v->columns == 0) return CAFE_OK;
    CAFE_TRY(open_problem(context, c, v, &p));
    if (c->effort == CAFE_EFFORT_SIZE ? cafe_certificate_is_exact(v)
                                      : c->effort == CAFE_EFFORT_EXACT)
        CAFE_TRY(find_exact(context, &p, v, ritz));
    else
        CAFE_TRY(find_large(context, &p, v, scratch, ritz));
    (*products)++;
done:
    cafe_mem_free(context, p.floor);
    return status;
}
