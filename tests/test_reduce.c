/* Dimensionality reduction by its invariants: monotone, the dense algorithm's own result, same bits
 * for any threads, W = X^T H, exact components; and the readers of tables.
 */
#define _GNU_SOURCE
#include <cafe-private/inputs.h>
#include <cafe-private/text.h>
#include <cafe-private/writers.h>

#include "dense.h"
#include "failing.h"
#include "io/table.h"
#include "spectral/reduction.h"
#include "test_io.h"

static cafe_reduce_options options(int32_t method, int64_t columns, int64_t sweeps,
                                   int64_t chunks) {
    cafe_reduce_options o;
    cafe_reduce_options_init(&o);
    o.method = method;
    o.columns = columns;
    o.sweeps = sweeps;
    o.chunks = chunks;
    return o;
}

static cafe_reduction *reduce(cafe_context *context, int64_t n, int64_t width, const float *x,
                              cafe_reduce_options o, cafe_reduction_report *report) {
    cafe_reduction *reduction = NULL;
    TEST_OK(context, cafe_reduce(context, n, width, x, &o, &reduction));
    *report = *cafe_reduction_get(reduction);
    return reduction;
}

static float *h_of(const cafe_reduction *reduction, const cafe_reduction_report *r) {
    float *h = malloc((size_t)(r->rows * r->held + 1) * sizeof *h);
    cafe_reduction_copy_h(reduction, h);
    return h;
}

/* A cloud of n points in `flat` dimensions, turned into `width` of them, off the origin. */
static float *cloud(int64_t n, int64_t flat, int64_t width, uint64_t seed) {
    float *points = test_block(n, flat, seed), *map = test_block(flat, width, seed + 99);
    float *x = malloc((size_t)(n * width) * sizeof *x);
    for (int64_t u = 0; u < n; u++)
        for (int64_t j = 0; j < width; j++) {
            double sum = 3 + (double)j / 7;
            for (int64_t i = 0; i < flat; i++)
                sum += (double)points[u * flat + i] * map[i * width + j];
            x[u * width + j] = (float)sum;
        }
    free(points), free(map);
    return x;
}

/* The centred table in double, and its column means. */
static double *centred(int64_t n, int64_t width, const float *x, double *means) {
    double *c = malloc((size_t)(n * width) * sizeof *c);
    for (int64_t j = 0; j < width; j++) {
        means[j] = 0;
        for (int64_t u = 0; u < n; u++) means[j] += x[u * width + j] / (double)n;
        for (int64_t u = 0; u < n; u++) c[u * width + j] = x[u * width + j] - means[j];
    }
    return c;
}

/* Q = X X^T, diagonal included. */
static double *dense_q(int64_t n, int64_t width, const double *c) {
    double *q = calloc((size_t)(n * n), sizeof *q);
    for (int64_t i = 0; i < n * n; i++)
        for (int64_t j = 0; j < width; j++) q[i] += c[i / n * width + j] * c[i % n * width + j];
    return q;
}

static void rows_are_feasible(int32_t method, const cafe_reduction_report *r, const float *h) {
    for (int64_t u = 0; u < r->rows; u++) {
        double sum = 0;
        for (int64_t k = 0; k < r->held; k++) {
            double v = h[u * r->held + k];
            if (method == CAFE_REDUCE_SOFTMAX) assert_true(v >= 0);
            sum += method == CAFE_REDUCE_SOFTMAX ? v : v * v;
        }
        assert_float_equal(sum, 1, 1e-5);
    }
}

/* ---- the solvers ----------------------------------------------------------------------------- */

/* Both methods, every chunk count: the objective never falls, is what a dense Q without its
 * diagonal gives, and rows stay on the simplex or the sphere. */
static void the_objective_is_exact_and_monotone(void **state) {
    (void)state;
    static const int64_t chunks[] = {0, 1, 2, 7, 64, 100, 1000};
    enum { N = 150, L = 6, K = 5, SWEEPS = 25 };
    float *x = cloud(N, 4, L, 3);
    double means[L], *c = centred(N, L, x, means), *q = dense_q(N, L, c), variance = 0;
    for (int u = 0; u < N; u++) variance += q[u * N + u], q[u * N + u] = 0;
    for (int method = 0; method < 2; method++)
        for (size_t i = 0; i < sizeof chunks / sizeof *chunks; i++) {
            cafe_context *context = test_context(2, 7);
            cafe_reduce_options o = options(method, K, SWEEPS, chunks[i]);
            o.theta = i % 2 && method == CAFE_REDUCE_SOFTMAX
                          ? 50
                          : 0; /* far above 4 / ||x||^2: must be held back in chunks */
            cafe_reduction_report r;
            cafe_reduction *reduction = reduce(context, N, L, x, o, &r);
            float *h = h_of(reduction, &r);
            assert_int_equal(r.sweeps, SWEEPS);
            for (int s = 1; s <= SWEEPS; s++)
                if (r.objective[s] <
                    r.objective[s - 1] - 1e-6 * variance - 2e-7 * fabs(r.objective[s]))
                    fail_msg("method %d, chunks %d, sweep %d: %.9f after %.9f", method,
                             (int)chunks[i], s, r.objective[s], r.objective[s - 1]);
            assert_float_equal(r.objective[SWEEPS] / variance,
                               test_dense_trace(N, q, h, r.held) / variance, 1e-4);
            rows_are_feasible(method, &r, h);
            free(h);
            cafe_reduction_free(reduction);
            cafe_context_free(context);
        }
    free(x), free(c), free(q);
}

/* One update of the paper on a dense Q with diagonal 0, row after row. */
static void dense_sweep(int method, int64_t n, int64_t k, const double *q, double theta,
                        double *h) {
    double *z = malloc((size_t)k * sizeof *z);
    for (int64_t u = 0; u < n; u++) {
        double total = 0;
        for (int64_t j = 0; j < k; j++) {
            z[j] = 0;
            for (int64_t w = 0; w < n; w++)
                if (w != u) z[j] += q[u * n + w] * h[w * k + j];
            z[j] = method == CAFE_REDUCE_SOFTMAX ? h[u * k + j] * exp(theta * z[j]) : z[j];
            total += method == CAFE_REDUCE_SOFTMAX ? z[j] : z[j] * z[j];
        }
        if (method == CAFE_REDUCE_SPHERE) total = sqrt(total);
        for (int64_t j = 0; j < k; j++) h[u * k + j] = z[j] / total;
    }
    free(z);
}

static void sequential_is_the_paper_on_dense_q(void **state) {
    (void)state;
    enum { N = 60, L = 5, K = 4, SWEEPS = 6 };
    float *x = cloud(N, 3, L, 11);
    double means[L], *c = centred(N, L, x, means), *q = dense_q(N, L, c);
    for (int method = 0; method < 2; method++) {
        cafe_context *context = test_context(2, 5);
        cafe_reduce_options o = options(method, K, 0, 0);
        cafe_reduction_report r;
        o.order = CAFE_ORDER_SEQUENTIAL;
        if (method == CAFE_REDUCE_SOFTMAX) o.theta = 0.05;
        cafe_reduction *start = reduce(context, N, L, x, o, &r);
        float *first = h_of(start, &r);
        int held = (int)r.held; /* softmax: one cluster more than columns */
        double h[N * (K + 1)];
        assert_int_equal(held, K + (method == CAFE_REDUCE_SOFTMAX));
        for (int i = 0; i < N * held; i++) h[i] = first[i];
        cafe_reduction_free(start);
        for (int s = 0; s < SWEEPS; s++) dense_sweep(method, N, held, q, o.theta, h);
        o.sweeps = SWEEPS;
        cafe_reduction *reduction = reduce(context, N, L, x, o, &r);
        float *ours = h_of(reduction, &r);
        assert_int_equal(r.chunks, N);
        double moved = 0;
        for (int i = 0; i < N * held; i++) {
            assert_float_equal(ours[i], h[i], 1e-4);
            moved += fabs(ours[i] - first[i]);
        }
        assert_true(moved > 1);
        free(first), free(ours);
        cafe_reduction_free(reduction);
        cafe_context_free(context);
    }
    free(x), free(c), free(q);
}

/* One chunk of all rows with the diagonal as shift is eq. reduce1111: h_u <- normalise(x_u W). */
static void one_chunk_is_the_map_of_w(void **state) {
    (void)state;
    enum { N = 80, L = 4, K = 3 };
    float *x = cloud(N, 4, L, 8);
    double means[L], *c = centred(N, L, x, means);
    cafe_context *context = test_context(1, 2);
    cafe_reduction_report before, after;
    cafe_reduction *a = reduce(context, N, L, x, options(CAFE_REDUCE_SPHERE, K, 0, 1), &before);
    cafe_reduction *b = reduce(context, N, L, x, options(CAFE_REDUCE_SPHERE, K, 1, 1), &after);
    float *h = h_of(b, &after);
    for (int u = 0; u < N; u++) {
        double row[K] = {0}, norm = 0;
        for (int k = 0; k < K; k++) {
            for (int j = 0; j < L; j++) row[k] += c[u * L + j] * before.w[j * K + k];
            norm += row[k] * row[k];
        }
        for (int k = 0; k < K; k++) assert_float_equal(h[u * K + k], row[k] / sqrt(norm), 1e-4);
    }
    free(h), free(x), free(c);
    cafe_reduction_free(a);
    cafe_reduction_free(b);
    cafe_context_free(context);
}

static void threads_do_not_change_the_bits(void **state) {
    (void)state;
    enum { N = 5000, L = 9, K = 7, SWEEPS = 4 };
    float *x = cloud(N, 5, L, 21);
    for (int method = 0; method < 2; method++)
        for (int64_t chunks = 0; chunks <= 1; chunks++) {
            float *first_h = NULL, *first_v = NULL;
            double first_objective[SWEEPS + 1];
            for (int i = 0; i < TEST_THREADS; i++) {
                cafe_context *context = test_context(test_thread_counts[i], 4);
                cafe_reduction_report r;
                cafe_reduction *reduction =
                    reduce(context, N, L, x, options(method, K, SWEEPS, chunks), &r);
                float *h = h_of(reduction, &r), *v = malloc((size_t)(N * r.columns) * sizeof *v);
                cafe_reduction_copy(reduction, v);
                assert_int_equal(r.chunks, chunks ? 1 : 64);
                if (i == 0) {
                    first_h = h, first_v = v;
                    memcpy(first_objective, r.objective, sizeof first_objective);
                } else {
                    assert_memory_equal(first_h, h, (size_t)(N * r.held) * sizeof *h);
                    assert_memory_equal(first_v, v, (size_t)(N * r.columns) * sizeof *v);
                    assert_memory_equal(first_objective, r.objective, sizeof first_objective);
                    free(h), free(v);
                }
                cafe_reduction_free(reduction);
                cafe_context_free(context);
            }
            free(first_h), free(first_v);
        }
    free(x);
}

static void it_stops_when_the_gain_is_small(void **state) {
    (void)state;
    float *x = cloud(300, 3, 5, 6);
    cafe_context *context = test_context(1, 1);
    cafe_reduce_options o = options(CAFE_REDUCE_SPHERE, 4, 500, 0);
    cafe_reduction_report r;
    o.tolerance = 1e-5;
    cafe_reduction *reduction = reduce(context, 300, 5, x, o, &r);
    assert_int_equal(r.converged, 1);
    assert_true(r.sweeps > 1 && r.sweeps < 500);
    cafe_reduction_free(reduction);
    cafe_context_free(context);
    free(x);
}

/* ---- what is returned ------------------------------------------------------------------------ */

static void means_and_w_are_those_of_the_table(void **state) {
    (void)state;
    enum { N = 700, L = 5, K = 6 };
    float *x = cloud(N, 5, L, 31);
    double means[L], *c = centred(N, L, x, means), variance = 0;
    for (int i = 0; i < N * L; i++) variance += c[i] * c[i];
    for (int method = 0; method < 2; method++) {
        cafe_context *context = test_context(3, 9);
        cafe_reduction_report r;
        cafe_reduction *reduction = reduce(context, N, L, x, options(method, K, 12, 8), &r);
        float *h = h_of(reduction, &r);
        double trace = 0;
        for (int j = 0; j < L; j++) {
            assert_float_equal(r.means[j], means[j], 1e-6);
            for (int k = 0; k < r.held; k++) {
                double w = 0, mass = 0;
                for (int u = 0; u < N; u++) {
                    w += c[u * L + j] * h[u * r.held + k];
                    mass += h[u * r.held + k];
                }
                assert_float_equal(r.w[j * r.held + k], w, 1e-3);
                if (method == CAFE_REDUCE_SOFTMAX) assert_float_equal(r.masses[k], mass, 1e-6);
                trace += w * w;
            }
        }
        assert_float_equal(r.trace / trace, 1, 1e-5);
        assert_float_equal(r.variance / variance, 1, 1e-5);
        free(h);
        cafe_reduction_free(reduction);
        cafe_context_free(context);
    }
    free(x), free(c);
}

/* A cloud that is flat in 30 dimensions: as many columns as it has dimensions, all of them in the
 * span of the exact components. The Ritz values are those of the components. keep_empty completes
 * them. */
static void flat_clouds_end_with_their_dimensions(void **state) {
    (void)state;
    enum { N = 200, L = 30, K = 6 };
    for (int64_t flat = 2; flat <= 3; flat++)
        for (int method = 0; method < 2; method++)
            for (int keep = 0; keep < 2; keep++) {
                float *x = cloud(N, flat, L, 40 + (uint64_t)flat);
                cafe_context *context = test_context(2, 1);
                /* the sphere's optimum is of low rank itself: a few sweeps */
                cafe_reduce_options o = options(method, K, method ? 4 : 30, 0);
                cafe_reduction_report r;
                if (method == CAFE_REDUCE_SOFTMAX) o.theta = 0.010;
                o.keep_empty = keep;
                cafe_reduction *reduction = reduce(context, N, L, x, o, &r);
                assert_int_equal(r.rank, flat);
                assert_int_equal(r.columns, keep ? K : flat);
                assert_int_equal(r.eigenpairs, flat);
                assert_true(r.orthogonality < 1e-5);
                for (int64_t j = 0; j < r.columns; j++) {
                    assert_float_equal(r.projections[j], j < flat ? 0 : 1, 5e-6);
                    if (j >= flat) continue;
                    assert_float_equal(r.ritz_values[j] / r.eigenvalues[j], 1, 1e-5);
                    assert_true(r.residuals[j] < 1e-4 * r.eigenvalues[0]);
                }
                float *v = malloc((size_t)(N * r.columns) * sizeof *v);
                cafe_reduction_copy(reduction, v);
                for (int64_t a = 0; a < r.columns; a++)
                    for (int64_t b = a; b < r.columns; b++) {
                        double dot = 0;
                        for (int u = 0; u < N; u++)
                            dot += (double)v[u * r.columns + a] * v[u * r.columns + b];
                        assert_float_equal(dot, a == b, 1e-5);
                    }
                free(v), free(x);
                cafe_reduction_free(reduction);
                cafe_context_free(context);
            }
}

/* A full table: each Ritz value has an exact eigenvalue (here by Jacobi rotations) within its
 * residual, and a projection is that onto these eigenvectors' span. */
static void residuals_bound_the_distance_to_eigenvalues(void **state) {
    (void)state;
    enum { N = 90, L = 8, K = 4 };
    float *x = cloud(N, L, L, 77);
    double means[L], *c = centred(N, L, x, means), covariance[L * L] = {0}, values[L];
    for (int i = 0; i < L * L; i++)
        for (int u = 0; u < N; u++) covariance[i] += c[u * L + i / L] * c[u * L + i % L];
    test_dense_eigenvalues(L, covariance, values);
    cafe_context *context = test_context(1, 1);
    cafe_reduction_report r;
    cafe_reduction *reduction = reduce(context, N, L, x, options(0, K, 5, 0), &r);
    assert_true(r.rank == K && r.columns == K); /* of K + 1 clusters */
    assert_int_equal(r.eigenpairs, K);
    for (int l = 0; l < K; l++) assert_float_equal(r.eigenvalues[l] / values[l], 1, 1e-5);
    for (int64_t j = 0; j < r.columns; j++) {
        double nearest = INFINITY;
        for (int l = 0; l < L; l++) nearest = fmin(nearest, fabs(values[l] - r.ritz_values[j]));
        assert_true(nearest <= r.residuals[j] + 1e-6 * values[0]);
        assert_true(r.projections[j] > 0 && r.projections[j] < 1);
    }
    cafe_reduction_free(reduction);
    cafe_context_free(context);
    free(x), free(c);
}

/* The units of the table do not matter beyond a scale, however large or small. */
static void units_do_not_matter(void **state) {
    (void)state;
    enum { N = 100, L = 4, K = 3 };
    static const float units[] = {1, 0x1p-90f, 0x1p100f};
    float *x = cloud(N, 3, L, 13), scaled[N * L], *first = NULL;
    for (int i = 0; i < 3; i++) {
        cafe_context *context = test_context(1, 1);
        cafe_reduction_report r;
        for (int j = 0; j < N * L; j++) scaled[j] = x[j] * units[i];
        cafe_reduction *reduction = reduce(context, N, L, scaled, options(0, K, 20, 0), &r);
        float *h = h_of(reduction, &r);
        if (first) assert_memory_equal(first, h, sizeof(float) * N * K);
        if (first) free(h);
        if (!first) first = h;
        cafe_reduction_free(reduction);
        cafe_context_free(context);
    }
    free(first), free(x);
}

static void hopeless_tables_are_met_with_grace(void **state) {
    (void)state;
    float same[20], x[4] = {1, 2, 3, NAN}, *large = cloud(10, 2, 2, 1);
    cafe_context *context = test_context(1, 1);
    cafe_reduction *reduction = NULL;
    cafe_reduction_report r;
    cafe_reduce_options o = options(0, 3, 5, 0);
    for (int i = 0; i < 20; i++) same[i] = 4;
    reduction = reduce(context, 10, 2, same, o, &r);
    assert_int_equal(r.columns, 0);
    assert_true(r.variance == 0);
    cafe_reduction_free(reduction);
    o.keep_empty = 1;
    reduction = reduce(context, 10, 2, same, o, &r);
    assert_int_equal(r.columns, 3);
    assert_int_equal(r.rank, 0);
    cafe_reduction_free(reduction);
    reduction = reduce(context, 1, 2, same, o, &r); /* one row */
    assert_int_equal(r.columns, 1);
    cafe_reduction_free(reduction);
    assert_int_equal(cafe_reduce(context, 2, 2, x, &o, &reduction), CAFE_ERROR_ARGUMENT);
    assert_non_null(strstr(cafe_error(context), "row 1, column 1"));
    assert_int_equal(cafe_reduce(context, 0, 2, x, &o, &reduction), CAFE_ERROR_ARGUMENT);
    o.order = CAFE_ORDER_SEQUENTIAL;
    o.chunks = 2;
    assert_int_equal(cafe_reduce(context, 10, 2, large, &o, &reduction), CAFE_ERROR_ARGUMENT);
    o.columns = 0;
    assert_int_equal(cafe_reduce(context, 10, 2, large, &o, &reduction), CAFE_ERROR_ARGUMENT);
    assert_null(reduction);
    free(large);
    cafe_context_free(context);
}

/* The exact components of a very wide table are not computed; everything else is as ever. */
static void wide_tables_have_no_projections(void **state) {
    (void)state;
    enum { N = 20, L = 1100 };
    float *x = cloud(N, 3, L, 5);
    cafe_context *context = test_context(2, 1);
    cafe_reduction_report r;
    cafe_reduction *reduction = reduce(context, N, L, x, options(0, 6, 10, 0), &r);
    assert_null(r.projections);
    assert_null(r.eigenvalues);
    assert_int_equal(r.eigenpairs, 0);
    assert_int_equal(r.rank, 3);
    assert_float_equal(r.shares[0] + r.shares[1] + r.shares[2], 1, 1e-5);
    cafe_reduction_free(reduction);
    cafe_context_free(context);
    free(x);
}

/* A column that no row has anything of is dropped, and kept on request. At a high temperature two
 * far groups leave all but two of the columns empty. */
static void empty_columns_are_dropped(void **state) {
    (void)state;
    enum { N = 40, L = 2, K = 5 };
    float x[N * L];
    for (int u = 0; u < N; u++) {
        x[u * L] = (float)(u % 2 ? 10 : -10) + (float)u / 100;
        x[u * L + 1] = (float)(u % 3);
    }
    for (int keep = 0; keep < 2; keep++) {
        cafe_context *context = test_context(1, 3);
        cafe_reduce_options o = options(0, K, 60, 0);
        cafe_reduction_report r;
        o.theta = 10;
        o.keep_empty = keep;
        cafe_reduction *reduction = reduce(context, N, L, x, o, &r);
        float *h = h_of(reduction, &r);
        if (keep) assert_int_equal(r.held, K);
        if (!keep) assert_true(r.held < K && r.held >= 2);
        for (int64_t k = 0; !keep && k < r.held; k++) assert_true(r.masses[k] > 0);
        rows_are_feasible(0, &r, h);
        free(h);
        cafe_reduction_free(reduction);
        cafe_context_free(context);
    }
}

static void every_failing_allocation_is_survived(void **state) {
    (void)state;
    test_failing memory;
    cafe_context *context = test_failing_context(&memory, 2);
    float *x = cloud(150, 3, 5, 2);
    for (int method = 0; method < 2; method++) {
        cafe_reduce_options o = options(method, 4, 2, method ? 8 : 0);
        o.keep_empty = 1;
        for (long k = 0;; k++) {
            cafe_reduction *reduction = NULL;
            long live = test_failing_arm(&memory, k);
            cafe_status status = cafe_reduce(context, 150, 5, x, &o, &reduction);
            int failed = test_failing_disarm(&memory);
            test_failing_expect(&memory, status, failed, live, context);
            cafe_reduction_free(reduction);
            if (!failed) break;
        }
    }
    free(x);
    cafe_context_free(context);
}

/* ---- reading --------------------------------------------------------------------------------- */

static cafe_status read_table(cafe_context *context, const char *text, size_t size,
                              cafe_table **table) {
    uint8_t *copy = malloc(size > 0 ? size : 1); /* of its own: a sanitizer sees reads beyond it */
    memcpy(copy, text, size);
    cafe_status status =
        cafe_table_read_bytes(context, "t", copy, (int64_t)size, CAFE_TABLE_LOOK, table);
    free(copy);
    return status;
}

static void expect_table(const char *text, int64_t rows, int64_t columns, int heading, int named,
                         const double *values) {
    cafe_context *context = test_context(2, 1);
    cafe_table *table = NULL;
    TEST_OK(context, read_table(context, text, strlen(text), &table));
    assert_int_equal(cafe_table_rows(table), rows);
    assert_int_equal(cafe_table_columns(table), columns);
    assert_int_equal(cafe_table_has_heading(table), heading);
    assert_int_equal(cafe_table_has_row_names(table), named);
    for (int64_t i = 0; i < rows * columns; i++)
        assert_float_equal(cafe_table_values(table)[i], values[i], 1e-6 * fabs(values[i]));
    cafe_table_free(table);
    cafe_context_free(context);
}

static void layouts_are_detected(void **state) {
    (void)state;
    static const double v[] = {1, -2.5, 3e2, 4};
    expect_table("1,-2.5\n3e2,4\n", 2, 2, 0, 0, v);
    expect_table("1\t-2.5\r\n\r\n3e2\t4", 2, 2, 0, 0, v);
    expect_table("# a comment\n  1   -2.5 \n300 4\n", 2, 2, 0, 0, v);
    expect_table("\xef\xbb\xbfx,y\n1,-2.5\n3e+2,4\n", 2, 2, 1, 0, v);
    expect_table(
        "\xef\xbb\xbf"
        "1;-2.5\n3e+2;4\n",
        2, 2, 0, 0, v);
    expect_table("id,x,y\na,1,-2.5\nb,+300,4\n", 2, 2, 1, 1, v);
    expect_table("a 1 -2.5\nb 300 4\n", 2, 2, 0, 1, v);
    expect_table(",x,y\n0,1,-2.5\n1,300,4\n", 2, 2, 1, 1, v);                /* pandas */
    expect_table("\"x\" \"y\"\n\"1\" 1 -2.5\n\"2\" 300 4\n", 2, 2, 1, 1, v); /* R */
    expect_table("\"1\",\"-2.5\"\n\"300\",\"4\"\n", 2, 2, 0, 0, v);
    expect_table("x\n1\n-2.5\n300\n4\n", 4, 1, 1, 0, v);
    expect_table("1,-2.5,\n300,4,\n", 2, 2, 0, 0, v);
    expect_table("a long heading,with another long name in it\n1,-2.5\n300,4\n", 2, 2, 1, 0, v);
}

static void names_come_back(void **state) {
    (void)state;
    const char *text = "\"the \"\"corner\"\"\",x,\"y, z\"\n\"a \"\"b\"\"\",1,2\n,3,4\nplain,5,6\n";
    cafe_context *context = test_context(1, 1);
    cafe_table *table = NULL;
    char name[32];
    TEST_OK(context, read_table(context, text, strlen(text), &table));
    assert_int_equal(cafe_table_column_name(table, 1, name, sizeof name), 4);
    assert_string_equal(name, "y, z");
    cafe_table_row_name(table, 0, name, sizeof name);
    assert_string_equal(name, "a \"b\"");
    cafe_table_row_name(table, 1, name, sizeof name);
    assert_string_equal(name, "");
    assert_int_equal(cafe_table_row_name(table, 2, name, 3), 5);
    assert_string_equal(name, "pl");
    cafe_table_free(table);
    cafe_context_free(context);
}

static void refuse(const char *text, const char *error) {
    cafe_context *context = test_context(2, 1);
    cafe_table *table = NULL;
    cafe_status status = read_table(context, text, strlen(text), &table);
    if (status != CAFE_ERROR_FORMAT || strncmp(cafe_error(context), error, strlen(error)) != 0)
        fail_msg("expected \"%s\", got %s: %s", error, cafe_status_name(status),
                 cafe_error(context));
    assert_null(table);
    cafe_context_free(context);
}

static void bad_cells_are_named_by_their_place(void **state) {
    (void)state;
    refuse("", "t:1:1: expected a row of numbers, found the end of the file");
    refuse("# nothing\n\n", "t:3:1: expected a row of numbers");
    refuse("x,y\n", "t:2:1: expected a row of numbers behind the heading");
    refuse("1,2\n3,x4\n", "t:2:3: expected a finite number, found 'x4'");
    refuse("1,2\n3,\n", "t:2:3: expected another number");
    refuse("1,2\n3,,4\n", "t:2:3: expected a finite number, found ','");
    refuse("1,2\n\n3,4,5\n", "t:3:5: expected the end of the line");
    refuse("1 2\n3 nan\n", "t:2:3: expected a finite number, found 'nan'");
    refuse("1 2\n3 inf\n", "t:2:3: expected a finite number");
    refuse("1 2\n-1e39 3\n", "t:2:1: expected a number below 3.4e38");
    refuse("1 2\n-+1 3\n", "t:2:1: expected a finite number");
    refuse("1,2\n3;4\n", "t:2:2: expected a separator");
    refuse("a,1\n\"b,2\n", "t:2:1: expected a closing quote");
    refuse("x,y,z\n1,2\n3,4\n", "t:1:1: expected a name for each of 2 columns");
    refuse("1,2\r3,4\n", "t:1:4: expected lines that end with a line feed");
    refuse("\xc3\xa4,1\nb\xff,2\n", "t:2:2: expected UTF-8 text");
    refuse("a\nb\n", "t:1:1: expected a finite number, found 'a'");
    refuse("\x93NUMPY\x01", "t: expected");
}

/* Many rows, cut into pieces for the threads; a bad one far down is still found exactly. */
static void long_tables_are_read_in_pieces(void **state) {
    (void)state;
    enum { N = 20000 };
    char *text = malloc(N * 48), *p = text;
    for (int u = 0; u < N; u++)
        p += sprintf(p, "%srow \"\"%d\"\"%s\t%d\t%.2f\n", "\"", u, "\"", u, -u / 4.0);
    cafe_context *context = test_context(3, 1);
    cafe_table *table = NULL;
    TEST_OK(context, read_table(context, text, (size_t)(p - text), &table));
    assert_int_equal(cafe_table_rows(table), N);
    for (int u = 0; u < N; u += 37) {
        char name[32], wanted[32];
        cafe_table_row_name(table, u, name, sizeof name);
        snprintf(wanted, sizeof wanted, "row \"%d\"", u);
        assert_string_equal(name, wanted);
        assert_true(cafe_table_values(table)[2 * u] == (float)u);
        assert_true(cafe_table_values(table)[2 * u + 1] == (float)(-u / 4.0));
    }
    cafe_table_free(table);
    cafe_context_free(context);
    char *line = strstr(text, "row \"\"17000\"\"");
    line[strcspn(line, "\t") + 3] = '?';
    refuse(text, "t:17001:17: expected a finite number, found '17?00'");
    free(text);
}

static void arrays_of_numpy_are_read(void **state) {
    (void)state;
    /* 2 x 3 bytes, column by column */
    char bytes[256] = "\x93NUMPY\x01";
    const char *header = "{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3), }\n";
    int length = (int)strlen(header);
    bytes[8] = (char)length;
    memcpy(bytes + 10, header, (size_t)length);
    memcpy(bytes + 10 + length, "\x01\x02\x03\x04\x05\xff", 6);
    static const float wanted[] = {1, 3, 5, 2, 4, 255};
    cafe_context *context = test_context(1, 1);
    cafe_table *table = NULL;
    TEST_OK(context, read_table(context, bytes, (size_t)(16 + length), &table));
    assert_int_equal(cafe_table_rows(table), 2);
    assert_int_equal(cafe_table_columns(table), 3);
    assert_memory_equal(cafe_table_values(table), wanted, sizeof wanted);
    cafe_table_free(table);
    assert_int_equal(read_table(context, bytes, (size_t)(15 + length), &table), CAFE_ERROR_FORMAT);
    cafe_context_free(context);
}

static void reading_and_writing_survive_failing_allocations(void **state) {
    (void)state;
    test_failing memory;
    io_scratch scratch = io_scratch_new();
    cafe_context *context = test_failing_context(&memory, 2);
    const char *text = "n,x,y\na,1,2\nb,3,4\n";
    cafe_table *table = NULL;
    for (long k = 0;; k++) {
        long live = test_failing_arm(&memory, k);
        cafe_status status = read_table(context, text, strlen(text), &table);
        int failed = test_failing_disarm(&memory);
        test_failing_expect(&memory, status, failed, live, context);
        if (!failed) break;
    }
    static const float values[] = {1, 2, 3, 4};
    for (int form = 0; form < 2; form++)
        for (long k = 0;; k++) {
            const char *path = io_path(&scratch, form ? "v.npy" : "v.tsv");
            long live = test_failing_arm(&memory, k);
            cafe_status status =
                cafe_table_write(context, table, CAFE_TABLE_ROWS, 2, values, path, 0);
            int failed = test_failing_disarm(&memory);
            test_failing_expect(&memory, status, failed, live, context);
            if (!failed) break;
        }
    assert_int_equal(io_scratch_files(&scratch), 3); /* v.tsv, v.npy, v.npy.names.txt */
    size_t size;
    char *written = io_load(io_path(&scratch, "v.tsv"), &size);
    assert_string_equal(written, "row\tx0\tx1\na\t1\t2\nb\t3\t4\n");
    free(written);
    assert_int_equal(
        cafe_table_write(context, table, CAFE_TABLE_ROWS, 2, values, io_path(&scratch, "v.tsv"), 0),
        CAFE_ERROR_EXISTS);
    assert_int_equal(
        cafe_table_write(context, table, CAFE_TABLE_ROWS, 2, values, io_path(&scratch, "v.odd"), 0),
        CAFE_ERROR_ARGUMENT);
    cafe_table_free(table);
    cafe_context_free(context);
    io_scratch_free(&scratch);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_objective_is_exact_and_monotone),
        cmocka_unit_test(sequential_is_the_paper_on_dense_q),
        cmocka_unit_test(one_chunk_is_the_map_of_w),
        cmocka_unit_test(threads_do_not_change_the_bits),
        cmocka_unit_test(it_stops_when_the_gain_is_small),
        cmocka_unit_test(means_and_w_are_those_of_the_table),
        cmocka_unit_test(flat_clouds_end_with_their_dimensions),
        cmocka_unit_test(residuals_bound_the_distance_to_eigenvalues),
        cmocka_unit_test(units_do_not_matter),
        cmocka_unit_test(hopeless_tables_are_met_with_grace),
        cmocka_unit_test(wide_tables_have_no_projections),
        cmocka_unit_test(empty_columns_are_dropped),
        cmocka_unit_test(every_failing_allocation_is_survived),
        cmocka_unit_test(layouts_are_detected),
        cmocka_unit_test(names_come_back),
        cmocka_unit_test(bad_cells_are_named_by_their_place),
        cmocka_unit_test(long_tables_are_read_in_pieces),
        cmocka_unit_test(arrays_of_numpy_are_read),
        cmocka_unit_test(reading_and_writing_survive_failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
