/* The Lanczos method with full reorthogonalisation (twice is enough: Parlett 1980, section 6.9).
 *
 * A run of k steps from a unit vector x gives the k x k tridiagonal T. Its eigenvalues are Ritz
 * values of the matrix M on the Krylov space, and for a function f the Gauss quadrature
 *
 *     x^T f(M) x  ~  sum over j of (e_1^T s_j)^2 f(theta_j)
 *
 * with s_j the eigenvectors of T. Runs here are for a value and its residual, or for a quadrature;
 * eigenvectors in number are spectral/exact.h's. Inner products are added up in blocks of fixed
 * size: the same bits for any number of threads.
 */
#include "explain/lanczos.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/pool.h"
#include "base/random.h"
#include "engine/dense.h"
#include "spectral/exact.h"

enum { BLOCK = 2048, LEAST_STEPS = 24 };
static const int64_t basis_bytes = (int64_t)256 << 20;

/* ---- the matrix ------------------------------------------------------------------------------ */

cafe_status cafe_scaled_new(cafe_context *context, const cafe_operator *op, const double *s,
                            const double *t, cafe_scaled *m) {
    *m = (cafe_scaled){.op = op, .s = s, .t = t};
    m->inner = cafe_mem(context, op->n, sizeof *m->inner);
    m->scratch = cafe_mem(context, cafe_exact_scratch(op), sizeof *m->scratch);
    return m->inner && m->scratch ? CAFE_OK : CAFE_ERROR_MEMORY;
}

void cafe_scaled_free(cafe_context *context, cafe_scaled *m) {
    cafe_mem_free(context, m->inner);
    cafe_mem_free(context, m->scratch);
}

static cafe_status scaled_product(cafe_context *context, cafe_scaled *m, const double *x,
                                  double *y) {
    int64_t n = m->op->n;
    const double *inner = m->s ? m->inner : x;
    for (int64_t u = 0; u < n && m->s; u++) m->inner[u] = m->s[u] * x[u];
    cafe_status status = cafe_exact_product(context, m->op, inner, y, m->scratch);
    if (status == CAFE_OK && m->more) m->more(m->argument, inner, y);
    for (int64_t u = 0; u < n && status == CAFE_OK; u++) {
        if (m->s) y[u] *= m->s[u];
        if (m->t) y[u] -= m->t[u] * x[u];
    }
    return status;
}

/* Row u is the product with the u-th unit vector, since the matrix is symmetric. */
cafe_status cafe_scaled_eigenvalues(cafe_context *context, cafe_scaled *m, double *values) {
    cafe_status status = CAFE_ERROR_MEMORY;
    int64_t n = m->op->n;
    double *a = cafe_mem(context, n * n, sizeof *a),
           *unit = cafe_mem_zero(context, n, sizeof *unit);
    if (!a || !unit) goto done;
    for (int64_t u = 0; u < n; u++) {
        unit[u] = 1;
        CAFE_TRY(scaled_product(context, m, unit, a + u * n));
        unit[u] = 0;
    }
    status = cafe_dense_eigen(context, n, a, values);
done:
    cafe_mem_free(context, a);
    cafe_mem_free(context, unit);
    return status;
}

/* ---- a run ----------------------------------------------------------------------------------- */

int64_t cafe_lanczos_room(int64_t n, int64_t wanted) {
    int64_t fit = basis_bytes / (n * (int64_t)sizeof(double));
    if (fit < LEAST_STEPS) fit = LEAST_STEPS;
    int64_t room = fit < wanted ? fit : wanted;
    return room < n ? room : n;
}

cafe_status cafe_lanczos_new(cafe_context *context, int64_t n, int64_t room, cafe_lanczos *l) {
    *l = (cafe_lanczos){.n = n, .room = room};
    l->basis = cafe_mem_zero(context, n * room, sizeof *l->basis);
    l->next = cafe_mem_zero(context, n, sizeof *l->next);
    l->alpha = cafe_mem_zero(context, room, sizeof *l->alpha);
    l->beta = cafe_mem_zero(context, room, sizeof *l->beta);
    l->values = cafe_mem_zero(context, room, sizeof *l->values);
    l->small = cafe_mem_zero(context, room * room, sizeof *l->small);
    l->partial = cafe_mem(context, cafe_blocks(n, BLOCK) * room, sizeof *l->partial);
    return l->basis && l->next && l->alpha && l->beta && l->values && l->small && l->partial
               ? CAFE_OK
               : CAFE_ERROR_MEMORY;
}

void cafe_lanczos_free(cafe_context *context, cafe_lanczos *l) {
    void *blocks[] = {l->basis, l->next, l->alpha, l->beta, l->values, l->small, l->partial};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) cafe_mem_free(context, blocks[i]);
}

/* A set of vectors of the basis with coefficients, against `next`. */
typedef struct basis_job {
    const cafe_lanczos *l;
    int64_t count;
    double *coefficients, *to;
} basis_job;

static void dot_block(void *argument, int64_t block, int32_t worker) {
    const basis_job *job = argument;
    const cafe_lanczos *l = job->l;
    int64_t first = block * BLOCK, last = cafe_block_end(l->n, BLOCK, block);
    (void)worker;
    for (int64_t i = 0; i < job->count; i++) {
        const double *v = l->basis + i * l->n;
        double sum = 0;
        for (int64_t u = first; u < last; u++) sum += v[u] * job->to[u];
        l->partial[block * l->room + i] = sum;
    }
}

/* to += sum over i of coefficients_i v_i */
static void add_block(void *argument, int64_t block, int32_t worker) {
    const basis_job *job = argument;
    const cafe_lanczos *l = job->l;
    int64_t first = block * BLOCK, last = cafe_block_end(l->n, BLOCK, block);
    (void)worker;
    for (int64_t i = 0; i < job->count; i++) {
        const double *v = l->basis + i * l->n;
        double c = job->coefficients[i];
        for (int64_t u = first; u < last; u++) job->to[u] += c * v[u];
    }
}

/* next <- next - V V^T next for the first `count` vectors; *along gets v_last^T next. */
static cafe_status project(cafe_context *context, cafe_lanczos *l, int64_t count, double *along) {
    int64_t blocks = cafe_blocks(l->n, BLOCK);
    basis_job job = {l, count, l->values, l->next};
    cafe_status status = cafe_parallel(context, blocks, dot_block, &job);
    if (status != CAFE_OK) return status;
    for (int64_t i = 0; i < count; i++) {
        double sum = 0;
        for (int64_t b = 0; b < blocks; b++) sum += l->partial[b * l->room + i];
        job.coefficients[i] = -sum;
    }
    *along += -job.coefficients[count - 1];
    return cafe_parallel(context, blocks, add_block, &job);
}

/* |x|, in blocks as the other sums. */
static double length(int64_t n, const double *x) {
    double sum = 0;
    for (int64_t first = 0; first < n; first += BLOCK) {
        double part = 0;
        for (int64_t u = first; u < n && u < first + BLOCK; u++) part += x[u] * x[u];
        sum += part;
    }
    return sqrt(sum);
}

static void put_scaled(int64_t n, double factor, const double *from, double *to) {
    for (int64_t u = 0; u < n; u++) to[u] = factor * from[u];
}

static cafe_status solve_small(cafe_context *context, cafe_lanczos *l) {
    int64_t k = l->steps;
    if (k == 0) return CAFE_OK;
    memset(l->small, 0, (size_t)(k * k) * sizeof *l->small);
    for (int64_t i = 0; i < k; i++) {
        l->small[i * k + i] = l->alpha[i];
        if (i + 1 < k) l->small[i * k + i + 1] = l->small[(i + 1) * k + i] = l->beta[i];
    }
    return cafe_dense_eigen(context, k, l->small, l->values);
}

/* Step i: alpha_i = v_i^T M v_i, beta_i v_{i+1} = (I - V V^T) M v_i. */
static cafe_status step(cafe_context *context, cafe_scaled *m, cafe_lanczos *l, int64_t i) {
    cafe_status status = CAFE_OK;
    l->alpha[i] = 0;
    CAFE_TRY(scaled_product(context, m, l->basis + i * l->n, l->next));
    for (int twice = 0; twice < 2; twice++) CAFE_TRY(project(context, l, i + 1, &l->alpha[i]));
    l->beta[i] = length(l->n, l->next);
    l->steps = i + 1;
done:
    return status;
}

cafe_status cafe_lanczos_run(cafe_context *context, cafe_scaled *m, cafe_lanczos *l) {
    cafe_status status = CAFE_OK;
    double norm = length(l->n, l->basis), largest = 0;
    l->steps = 0;
    if (!(norm > 0)) return CAFE_OK;
    put_scaled(l->n, 1 / norm, l->basis, l->basis);
    for (int64_t i = 0; i < l->room; i++) {
        CAFE_TRY(step(context, m, l, i));
        if (fabs(l->alpha[i]) > largest) largest = fabs(l->alpha[i]);
        if (l->beta[i] > largest) largest = l->beta[i];
        if (i + 1 == l->room || !(l->beta[i] > 1e-13 * largest)) break;
        put_scaled(l->n, 1 / l->beta[i], l->next, l->basis + (i + 1) * l->n);
    }
    status = solve_small(context, l);
done:
    return status;
}

/* ---- the largest value ----------------------------------------------------------------------- */

static void draw_start(cafe_context *context, int64_t n, double *x) {
    for (int64_t u = 0; u < n; u++) {
        cafe_random4 r = cafe_philox(context->seed, CAFE_STREAM_LARGEST, (uint64_t)u);
        x[u] = 2 * cafe_uniform(r.v[0], r.v[1]) - 1;
    }
}

/* The first Ritz vector becomes the start of the next run; its residual is measured afresh. */
static cafe_status measure_first(cafe_context *context, cafe_scaled *m, cafe_lanczos *l, double *x,
                                 double *theta, double *residual) {
    cafe_status status = CAFE_OK;
    int64_t k = l->steps;
    basis_job job = {l, k, l->alpha, x};
    for (int64_t i = 0; i < k; i++) l->alpha[i] = l->small[i * k];
    memset(x, 0, (size_t)l->n * sizeof *x);
    CAFE_TRY(cafe_parallel(context, cafe_blocks(l->n, BLOCK), add_block, &job));
    memcpy(l->basis, x, (size_t)l->n * sizeof *x);
    double norm = length(l->n, l->basis);
    put_scaled(l->n, 1 / norm, l->basis, l->basis);
    CAFE_TRY(scaled_product(context, m, l->basis, l->next));
    *theta = l->values[0];
    for (int64_t u = 0; u < l->n; u++) l->next[u] -= *theta * l->basis[u];
    *residual = length(l->n, l->next);
done:
    return status;
}

cafe_status cafe_lanczos_largest(cafe_context *context, cafe_scaled *m, int64_t steps,
                                 double tolerance, int64_t restarts, double *theta,
                                 double *residual) {
    cafe_status status = CAFE_OK;
    cafe_lanczos l;
    int64_t n = m->op->n;
    double *x = cafe_mem(context, n, sizeof *x);
    *theta = *residual = 0;
    CAFE_TRY(cafe_lanczos_new(context, n, cafe_lanczos_room(n, steps), &l));
    if (!x) status = CAFE_ERROR_MEMORY;
    CAFE_TRY(status);
    draw_start(context, n, l.basis);
    for (int64_t run = 0; run <= restarts; run++) {
        CAFE_TRY(cafe_lanczos_run(context, m, &l));
        if (l.steps == 0) break;
        double range = l.values[0] - l.values[l.steps - 1];
        CAFE_TRY(measure_first(context, m, &l, x, theta, residual));
        cafe_step(context, run, *residual);
        if (*residual <= tolerance * range || l.steps == n) break;
    }
done:
    cafe_lanczos_free(context, &l);
    cafe_mem_free(context, x);
    return status;
}
