/* Products with S (Q + N) S - T, and the trace of its positive part.
 *
 * The Lanczos method from a unit vector x gives in k steps the k x k tridiagonal T, and with its
 * eigenpairs (theta_j, s_j) the Gauss quadrature
 *
 *     x^T f(M) x  ~  sum over j of (e_1^T s_j)^2 f(theta_j) .
 *
 * Eight vectors go side by side, each with a T of its own, so that a pass over the arcs serves all.
 * No basis is kept. Without reorthogonalisation eigenvalues of T come several times. But the
 * weights of such copies add up to that of one eigenvalue, so the quadrature does not change
 * (Greenbaum 1989).
 */
#include "explain/scaled_operator.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "base/thread_pool.h"
#include "engine/dense.h"

enum { WIDTH = CAFE_EIGEN_WIDTH, BLOCK = 1024 };

/* ---- the matrix ------------------------------------------------------------------------------ */

cafe_status cafe_scaled_new(cafe_context *context, const cafe_operator *op, const double *s,
                            const double *t, cafe_scaled *m) {
    *m = (cafe_scaled){.op = op, .s = s, .t = t};
    m->inner = cafe_mem(context, op->n * WIDTH, sizeof *m->inner);
    return cafe_mem_had(m->inner);
}

void cafe_scaled_free(cafe_context *context, cafe_scaled *m) {
    cafe_mem_free(context, m->inner);
}

double *cafe_inverse_roots(cafe_context *context, const cafe_operator *op) {
    double *s = cafe_mem(context, op->n, sizeof *s);
    for (int64_t u = 0; s && u < op->n; u++)
        s[u] = op->parts.p[u] > 0 ? 1 / sqrt(op->parts.p[u]) : 0;
    return s;
}

typedef struct scale_job {
    const cafe_scaled *m;
    const double *x;
    double *y;
} scale_job;

static void scale_in(void *argument, int64_t first, int64_t last) {
    const scale_job *job = argument;
    const cafe_scaled *m = job->m;
    for (int64_t u = first; u < last; u++)
        for (int k = 0; k < WIDTH; k++)
            m->inner[u * WIDTH + k] = (m->s ? m->s[u] : 1) * job->x[u * WIDTH + k];
}

static void scale_out(void *argument, int64_t first, int64_t last) {
    const scale_job *job = argument;
    const cafe_scaled *m = job->m;
    for (int64_t u = first; u < last; u++)
        for (int k = 0; k < WIDTH; k++) {
            double *y = job->y + u * WIDTH + k;
            *y = (m->s ? m->s[u] : 1) * *y - (m->t ? m->t[u] : 0) * job->x[u * WIDTH + k];
        }
}

/* y = M x for blocks. */
static cafe_status multiply(cafe_context *context, const void *argument, const double *x,
                            double *y) {
    const cafe_scaled *m = argument;
    scale_job job = {m, x, y};
    CAFE_PASS(cafe_ranges(context, m->op->n, BLOCK, scale_in, &job));
    CAFE_PASS(cafe_operator_exact(context, &m->op->parts, WIDTH, m->inner, y));
    if (m->more) m->more(m->argument, m->inner, y);
    return cafe_ranges(context, m->op->n, BLOCK, scale_out, &job);
}

cafe_status cafe_scaled_largest(cafe_context *context, cafe_scaled *m, int64_t count,
                                double tolerance, int64_t passes, cafe_eigen *found) {
    cafe_eigen_problem problem = {m->op->n, multiply,  cafe_want_largest, m,
                                  count,    tolerance, .passes = passes};
    return cafe_eigen_solve(context, &problem, found);
}

/* ---- quadratures ----------------------------------------------------------------------------- */

/* WIDTH Lanczos runs side by side. */
typedef struct runs {
    int64_t n, steps;
    double *x, *y, *old;  /* v_i, what becomes v_{i+1}, v_{i-1}: n x WIDTH */
    double *alpha, *beta; /* steps x WIDTH */
    double *small, *values;
    double a[WIDTH], b[WIDTH]; /* factors of a pass */
} runs;

static cafe_status new_runs(cafe_context *context, int64_t n, int64_t steps, runs *r) {
    *r = (runs){.n = n, .steps = steps};
    r->x = cafe_mem(context, n * WIDTH, sizeof *r->x);
    r->y = cafe_mem(context, n * WIDTH, sizeof *r->y);
    r->old = cafe_mem(context, n * WIDTH, sizeof *r->old);
    r->alpha = cafe_mem(context, steps * WIDTH, sizeof *r->alpha);
    r->beta = cafe_mem(context, steps * WIDTH, sizeof *r->beta);
    r->small = cafe_mem(context, steps * steps, sizeof *r->small);
    r->values = cafe_mem(context, steps, sizeof *r->values);
    return cafe_mem_had(r->x, r->y, r->old, r->alpha, r->beta, r->small, r->values);
}

static void free_runs(cafe_context *context, runs *r) {
    cafe_mem_free_all(context, r->x, r->y, r->old, r->alpha, r->beta, r->small, r->values);
}

/* <x, y> column by column */
static void add_products(void *argument, int64_t first, int64_t last, double *sum) {
    const runs *r = argument;
    for (int64_t u = first; u < last; u++)
        for (int k = 0; k < WIDTH; k++) sum[k] += r->x[u * WIDTH + k] * r->y[u * WIDTH + k];
}

/* y <- y - a x - b old, and <y, y> */
static void orthogonalise(void *argument, int64_t first, int64_t last, double *sum) {
    runs *r = argument;
    for (int64_t u = first; u < last; u++)
        for (int k = 0; k < WIDTH; k++) {
            int64_t i = u * WIDTH + k;
            r->y[i] -= r->a[k] * r->x[i] + r->b[k] * r->old[i];
            sum[k] += r->y[i] * r->y[i];
        }
}

/* x <- a y, old <- x */
static void advance_block(void *argument, int64_t first, int64_t last) {
    runs *r = argument;
    for (int64_t u = first; u < last; u++)
        for (int k = 0; k < WIDTH; k++) {
            int64_t i = u * WIDTH + k;
            r->old[i] = r->x[i];
            r->x[i] = r->a[k] * r->y[i];
        }
}

/* Step i: alpha_i = v_i^T M v_i, beta_i v_{i+1} = M v_i - alpha_i v_i - beta_{i-1} v_{i-1}. A run
 * whose space is exhausted goes on with zeros, which have no part in its quadrature. */
static cafe_status step(cafe_context *context, cafe_scaled *m, runs *r, int64_t i) {
    double *alpha = r->alpha + i * WIDTH, *beta = r->beta + i * WIDTH;
    for (int k = 0; k < WIDTH; k++) alpha[k] = beta[k] = 0;
    CAFE_PASS(multiply(context, m, r->x, r->y));
    CAFE_PASS(cafe_sums(context, r->n, BLOCK, add_products, r, WIDTH, alpha));
    for (int k = 0; k < WIDTH; k++) {
        r->a[k] = alpha[k];
        r->b[k] = i > 0 ? beta[k - WIDTH] : 0;
    }
    CAFE_PASS(cafe_sums(context, r->n, BLOCK, orthogonalise, r, WIDTH, beta));
    for (int k = 0; k < WIDTH; k++) {
        double least = 1e-13 * fmax(fabs(r->alpha[k]), r->beta[k]);
        beta[k] = sqrt(beta[k]);
        if (i > 0 && !(beta[k] > least)) beta[k] = 0;
        r->a[k] = beta[k] > 0 ? 1 / beta[k] : 0;
    }
    return cafe_ranges(context, r->n, BLOCK, advance_block, r);
}

/* Signs over sqrt(n) for probes first .. first + count - 1; the columns after them are zero. */
static void draw_probes(cafe_context *context, runs *r, int64_t first, int64_t count) {
    double size = 1 / sqrt((double)r->n);
    memset(r->old, 0, (size_t)(r->n * WIDTH) * sizeof *r->old);
    for (int64_t u = 0; u < r->n; u++)
        for (int64_t k = 0; k < WIDTH; k++) {
            uint64_t index = (uint64_t)(first + k) * (uint64_t)r->n + (uint64_t)u;
            bool odd = k < count && cafe_philox(context->seed, CAFE_STREAM_PROBES, index).v[0] & 1;
            r->x[u * WIDTH + k] = k < count ? (odd ? size : -size) : 0;
        }
}

/* n sum over j of (e_1^T s_j)^2 max(theta_j, 0): the probe's length is sqrt(n). */
static cafe_status quadrature(cafe_context *context, runs *r, int64_t run, double *value) {
    int64_t size = r->steps;
    memset(r->small, 0, (size_t)(size * size) * sizeof *r->small);
    for (int64_t i = 0; i < size; i++) {
        r->small[i * size + i] = r->alpha[i * WIDTH + run];
        if (i + 1 < size)
            r->small[i * size + i + 1] = r->small[(i + 1) * size + i] = r->beta[i * WIDTH + run];
    }
    cafe_status status = cafe_dense_eigen(context, size, r->small, r->values);
    *value = 0;
    for (int64_t j = 0; j < size && status == CAFE_OK; j++)
        if (r->values[j] > 0) *value += (double)r->n * r->small[j] * r->small[j] * r->values[j];
    return status;
}

cafe_status cafe_scaled_positive(cafe_context *context, cafe_scaled *m, int64_t probes,
                                 int64_t steps, double *mean, double *standard_error) {
    cafe_status status = CAFE_OK;
    runs r;
    double value, sum = 0, square = 0, count = (double)probes;
    CAFE_TRY(new_runs(context, m->op->n, steps < m->op->n ? steps : m->op->n, &r));
    cafe_phase(context, "probes", probes);
    for (int64_t probe = 0; probe < probes; probe++) {
        if (probe % WIDTH == 0) {
            draw_probes(context, &r, probe, probes - probe);
            for (int64_t i = 0; i < r.steps; i++) CAFE_TRY(step(context, m, &r, i));
        }
        CAFE_TRY(quadrature(context, &r, probe % WIDTH, &value));
        sum += value;
        square += value * value;
        cafe_step(context, probe + 1, sum / (double)(probe + 1));
    }
    double variance = (square - sum * sum / count) / (count - 1);
    *mean = sum / count;
    *standard_error = variance > 0 ? sqrt(variance / count) : 0;
done:
    free_runs(context, &r);
    return status;
}
