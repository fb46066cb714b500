/* The spectral finish: every statement of the certificate recomputed from a dense Q. */
#include "base/context.h"
#include "dense.h"
#include "engine/dense.h"
#include "failing.h"
#include "operator/operator.h"
#include "queries.h"
#include "solve/solution.h"
#include "spectral/embedding.h"
#include "spectral/orthonormal.h"

typedef struct result {
    test_problem t;
    int64_t n, columns;
    double *p, *q;
    cafe_embedding *embedding;
    cafe_certificate certificate;
    float *v; /* n x columns */
} result;

static result embed_seeded(cafe_graph *(*make)(cafe_context *), int32_t threads, uint64_t seed,
                           int64_t columns, int64_t sweeps, cafe_form form, double residual) {
    cafe_context *context = test_context(threads, seed);
    result r = {.t = test_open(context, make(context))};
    cafe_sphere_options sphere;
    cafe_finish_options finish;
    cafe_solution *solution = NULL;
    r.n = r.t.op->n;
    r.p = malloc((size_t)r.n * sizeof *r.p);
    r.q = test_dense_q(r.t.graph, r.p);
    cafe_sphere_options_init(&sphere);
    sphere.columns = columns;
    sphere.sweeps = sweeps;
    sphere.tolerance = 0;
    cafe_finish_options_init(&finish);
    finish.form = form;
    finish.residual = residual;
    TEST_OK(context, cafe_sphere(context, r.t.op, &sphere, NULL, &solution));
    TEST_OK(context, cafe_finish(context, r.t.op, &solution, &finish, &r.embedding));
    assert_null(solution);
    r.certificate = *cafe_embedding_certificate(r.embedding);
    r.columns = cafe_embedding_certificate(r.embedding)->columns;
    assert_int_equal(r.columns, r.certificate.columns);
    assert_int_equal(cafe_embedding_certificate(r.embedding)->nodes, r.n);
    r.v = malloc((size_t)(r.n * r.columns) * sizeof *r.v);
    cafe_embedding_copy(r.embedding, r.v);
    return r;
}

static result embed(cafe_graph *(*make)(cafe_context *), int64_t columns, int64_t sweeps,
                    cafe_form form, double residual) {
    return embed_seeded(make, 2, 4, columns, sweeps, form, residual);
}

static void release(result *r) {
    free(r->p), free(r->q), free(r->v);
    cafe_embedding_free(r->embedding);
    test_close(&r->t);
}

static cafe_graph *weighted(cafe_context *context) {
    return test_random(context, 110, 500, 1, 1, 11);
}
static cafe_graph *plain(cafe_context *context) {
    return test_random(context, 150, 600, 0, 0, 13);
}
typedef cafe_graph *maker(cafe_context *context);
static maker *const makers[] = {test_karate, weighted, plain};
enum { MAKERS = 3 };

/* <v_i, v_j>, weighted by p when asked. */
static double inner(const result *r, int64_t i, int64_t j, int by_p) {
    double sum = 0;
    for (int64_t u = 0; u < r->n; u++)
        sum += (by_p ? r->p[u] : 1) * r->v[u * r->columns + i] * r->v[u * r->columns + j];
    return sum;
}

static void columns_are_orthonormal(void **state) {
    (void)state;
    static const cafe_form forms[] = {CAFE_FORM_WALK, CAFE_FORM_HHAT, CAFE_FORM_RITZ};
    for (int g = 0; g < MAKERS; g++)
        for (int f = 0; f < 3; f++) {
            result r = embed(makers[g], 12, 5, forms[f], 0);
            double worst = 0;
            for (int64_t i = 0; i < r.columns; i++)
                for (int64_t j = 0; j < r.columns; j++) {
                    double error = fabs(inner(&r, i, j, 0) - (i == j));
                    worst = error > worst ? error : worst;
                }
            assert_true(worst < 3e-6);
            assert_true(worst <= r.certificate.orthogonality + 1e-6);
            release(&r);
        }
}

/* After the rotation to Ritz vectors, too: what the certificate says is what the columns have. */
static void rotated_columns_are_orthonormal(void **state) {
    (void)state;
    for (int g = 0; g < MAKERS; g++)
        for (uint64_t seed = 1; seed <= 4; seed++)
            for (int kind = 0; kind < 3; kind++) {
                cafe_form form = kind == 2 ? CAFE_FORM_WALK : CAFE_FORM_RITZ;
                result r = embed_seeded(makers[g], 2, seed, 24, 8, form, kind > 0 ? 1e-5 : 0);
                double worst = 0;
                for (int64_t i = 0; i < r.columns; i++)
                    for (int64_t j = 0; j < r.columns; j++)
                        worst = fmax(worst, fabs(inner(&r, i, j, kind == 2) - (i == j)));
                assert_true(r.certificate.rotated && worst < 1e-6);
                assert_float_equal(worst, r.certificate.orthogonality, 1e-12);
                release(&r);
            }
}

/* Orthonormal rows that span the columns: the longest remaining one next, of columns scaled to
 * length 1, until less than 1e-4 is left of all, as docs/certificate.md has it. */
static int64_t orthonormal_basis(const result *r, double *basis) {
    int64_t rank = 0, n = r->n, k = r->columns;
    double *x = malloc((size_t)(k * n) * sizeof *x);
    for (int64_t i = 0; i < k * n; i++) {
        int64_t j = i / n;
        x[i] = r->v[i % n * k + j] / sqrt(inner(r, j, j, 0));
    }
    for (;; rank++) {
        double *b = basis + rank * n, left[64] = {0}, longest = 0;
        int64_t next = 0;
        for (int64_t j = 0; j < k; j++) {
            for (int64_t u = 0; u < n; u++) left[j] += x[j * n + u] * x[j * n + u];
            longest = fmax(longest, left[j]);
        }
        if (!(longest > 1e-8)) break;
        while (left[next] < longest / 4) next++;
        for (int64_t u = 0; u < n; u++) b[u] = x[next * n + u] / sqrt(left[next]);
        for (int64_t j = 0; j < k; j++) {
            double part = 0;
            for (int64_t u = 0; u < n; u++) part += b[u] * x[j * n + u];
            for (int64_t u = 0; u < n; u++) x[j * n + u] -= part * b[u];
        }
    }
    free(x);
    return rank;
}

/* Rows of H that lie nearly in a plane have columns that nearly depend on one another. The Ritz
 * values of their span still follow from the written numbers. */
static void ritz_values_of_raw_rows_are_theirs(void **state) {
    (void)state;
    for (int g = 0; g < MAKERS; g++)
        for (int64_t sweeps = 1; sweeps <= 60; sweeps += 29) {
            result r = embed(makers[g], 16, sweeps, CAFE_FORM_RAW, 0);
            double *basis = malloc((size_t)(17 * r.n) * sizeof *basis), t[16 * 16], values[16];
            int64_t rank = orthonormal_basis(&r, basis);
            assert_int_equal(rank, r.certificate.pairs);
            for (int64_t i = 0; i < rank * rank; i++) {
                const double *x = basis + i / rank * r.n, *y = basis + i % rank * r.n;
                t[i] = 0;
                for (int64_t u = 0; u < r.n; u++)
                    for (int64_t w = 0; w < r.n; w++) t[i] += x[u] * r.q[u * r.n + w] * y[w];
            }
            test_dense_eigenvalues(rank, t, values);
            for (int64_t j = 0; j < rank; j++)
                assert_float_equal(values[j], r.certificate.ritz_values[j], 3e-7 * values[0]);
            free(basis);
            release(&r);
        }
}

/* Rayleigh quotient and residual of column j in the problem of its form. */
static void judge(const result *r, int64_t j, int generalised, double *rho, double *residual) {
    double *y = malloc((size_t)r->n * sizeof *y), g = inner(r, j, j, generalised), t = 0, sum = 0;
    test_dense_times(r->n, r->q, r->v, r->columns, j, y);
    for (int64_t u = 0; u < r->n; u++) t += y[u] * r->v[u * r->columns + j];
    *rho = t / g;
    for (int64_t u = 0; u < r->n; u++) {
        /* Q v - rho v; or Q v - rho D v, measured in the norm of D^-1 */
        double d = generalised ? r->p[u] : 1;
        double e = y[u] - *rho * d * r->v[u * r->columns + j];
        if (d > 0) sum += e * e / d;
    }
    *residual = sqrt(sum / g);
    free(y);
}

static void column_figures_hold(void **state) {
    (void)state;
    static const cafe_form forms[] = {CAFE_FORM_WALK, CAFE_FORM_HHAT, CAFE_FORM_RITZ,
                                      CAFE_FORM_RAW};
    for (int g = 0; g < MAKERS; g++)
        for (int f = 0; f < 4; f++) {
            result r = embed(makers[g], 10, 4, forms[f], 0);
            int generalised = forms[f] == CAFE_FORM_WALK;
            double scale = fabs(r.certificate.ritz_values[0]);
            assert_int_equal(r.certificate.generalised, generalised);
            assert_int_equal(r.certificate.rotated, forms[f] == CAFE_FORM_RITZ);
            for (int64_t j = 0; j < r.columns; j++) {
                double rho, residual;
                judge(&r, j, generalised, &rho, &residual);
                assert_float_equal(r.certificate.groups[0].values[j], rho, 1e-5 * scale);
                assert_float_equal(r.certificate.groups[0].residuals[j], residual, 1e-4 * scale);
            }
            release(&r);
        }
}

/* The trace identity: the Ritz values of an orthonormal block sum to tr(V^T Q V). */
static void ritz_values_sum_to_the_trace(void **state) {
    (void)state;
    static const cafe_form forms[] = {CAFE_FORM_HHAT, CAFE_FORM_RITZ};
    for (int g = 0; g < MAKERS; g++)
        for (int f = 0; f < 2; f++) {
            result r = embed(makers[g], 10, 4, forms[f], 0);
            double sum = 0, shares = 0, trace = test_dense_trace(r.n, r.q, r.v, r.columns);
            for (int64_t j = 0; j < r.certificate.pairs; j++) {
                sum += r.certificate.ritz_values[j];
                shares += r.certificate.shares[j];
                if (j > 0)
                    assert_true(r.certificate.ritz_values[j] <= r.certificate.ritz_values[j - 1]);
            }
            assert_float_equal(sum, trace, 1e-5 * fabs(r.certificate.ritz_values[0]));
            assert_float_equal(shares, 1, 1e-12);
            release(&r);
        }
}

/* Eigenvalues of Q, or of D^-1/2 Q D^-1/2, from the dense matrix. */
static double *eigenvalues(const result *r, int generalised) {
    double *a = malloc((size_t)(r->n * r->n) * sizeof *a), *values = malloc((size_t)r->n * 8);
    for (int64_t i = 0; i < r->n * r->n; i++) {
        double d = r->p[i / r->n] * r->p[i % r->n];
        a[i] = generalised ? (d > 0 ? r->q[i] / sqrt(d) : 0) : r->q[i];
    }
    test_dense_eigenvalues(r->n, a, values);
    free(a);
    return values;
}

static double nearest(const double *values, int64_t n, double rho) {
    double best = INFINITY;
    for (int64_t i = 0; i < n; i++) best = fmin(best, fabs(values[i] - rho));
    return best;
}

/* What the certificate promises: some eigenvalue lies within the residual of each Ritz value. */
static void an_eigenvalue_lies_within_each_residual(void **state) {
    (void)state;
    static const cafe_form forms[] = {CAFE_FORM_WALK, CAFE_FORM_HHAT, CAFE_FORM_RITZ,
                                      CAFE_FORM_RAW};
    for (int g = 0; g < MAKERS; g++)
        for (int f = 0; f < 4; f++)
            for (int64_t sweeps = 0; sweeps <= 30; sweeps += 10) {
                result r = embed(makers[g], 8, sweeps, forms[f], 0);
                double *values = eigenvalues(&r, r.certificate.generalised);
                for (int64_t j = 0; j < r.certificate.pairs; j++) {
                    double slack = 1e-6 * fabs(r.certificate.ritz_values[0]);
                    assert_true(nearest(values, r.n, r.certificate.ritz_values[j]) <=
                                r.certificate.residuals[j] + slack);
                }
                free(values);
                release(&r);
            }
}

/* --residual: the columns are eigenvectors, the values the largest ones, and the residuals hold
 * when they are computed again from the vectors. */
static void refined_columns_are_dominant_eigenvectors(void **state) {
    (void)state;
    static const cafe_form forms[] = {CAFE_FORM_WALK, CAFE_FORM_HHAT, CAFE_FORM_RITZ};
    static const double tolerances[] = {1e-2, 1e-4};
    for (int g = 0; g < MAKERS; g++)
        for (int f = 0; f < 3; f++)
            for (int i = 0; i < 2; i++) {
                result r = embed(makers[g], 6, 5, forms[f], tolerances[i]);
                int generalised = r.certificate.generalised;
                double *values = eigenvalues(&r, generalised), scale = values[0];
                assert_int_equal(r.columns, 6);
                assert_int_equal(r.certificate.converged, 6);
                assert_int_equal(r.certificate.rotated, 1);
                for (int64_t j = 0; j < r.columns; j++) {
                    double rho, residual;
                    judge(&r, j, generalised, &rho, &residual);
                    assert_true(residual <= tolerances[i] * fabs(rho) + 3e-6 * scale);
                    assert_float_equal(rho, values[j], tolerances[i] * scale);
                    for (int64_t k = 0; k < j; k++)
                        assert_float_equal(inner(&r, j, k, generalised), 0, 1e-5);
                    assert_float_equal(inner(&r, j, j, generalised), 1, 1e-5);
                }
                free(values);
                release(&r);
            }
}

/* A message reports a tolerance that cannot be reached. */
static void an_impossible_residual_is_reported(void **state) {
    (void)state;
    result r = embed(plain, 6, 5, CAFE_FORM_WALK, 1e-12);
    assert_true(r.certificate.converged < 6);
    assert_true(r.certificate.tolerance == 1e-12);
    release(&r);
}

/* More columns than the graph has dimensions: what carries no information is left out, counted and
 * not replaced by noise. */
static void dependent_columns_are_dropped(void **state) {
    (void)state;
    static const cafe_form forms[] = {CAFE_FORM_WALK, CAFE_FORM_HHAT, CAFE_FORM_RITZ};
    for (int f = 0; f < 3; f++) {
        result r = embed(test_karate, 64, 1, forms[f], 0);
        assert_true(r.columns <= 33); /* Q 1 = 0 */
        assert_true(r.columns >= 10);
        assert_int_equal(r.certificate.asked, 64);
        assert_int_equal(r.certificate.dropped, 64 - r.columns);
        for (int64_t i = 0; i < r.columns; i++) assert_float_equal(inner(&r, i, i, 0), 1, 1e-5);
        release(&r);
        r = embed(test_karate, 64, 1, forms[f], 1e-3);
        assert_true(r.columns <= 34 && r.columns >= 30);
        release(&r);
    }
    result r = embed(test_karate, 16, 2000, CAFE_FORM_WALK, 0);
    assert_true(r.columns < 12); /* the converged H has few directions */
    assert_true(r.certificate.effective_rank < 4);
    release(&r);
    r = embed(test_karate, 16, 2000, CAFE_FORM_RAW, 0);
    assert_int_equal(r.columns, 16);
    assert_true(r.certificate.pairs < 12);
    release(&r);
}

static cafe_graph *two_nodes(cafe_context *context) {
    test_links l = test_links_new(1);
    l.source[0] = 0, l.target[0] = 1;
    cafe_graph *graph = test_graph(context, 2, &l, 0, NULL);
    test_links_free(&l);
    return graph;
}

static cafe_graph *bipartite(cafe_context *context) {
    return test_bipartite(context, 20, 20);
}

/* Graphs without communities: all rows of H become equal and Q H is 0 but for rounding, which is
 * never returned as columns. */
static void graphs_without_structure_yield_no_columns(void **state) {
    (void)state;
    static const cafe_form forms[] = {CAFE_FORM_WALK, CAFE_FORM_HHAT, CAFE_FORM_RITZ};
    for (int f = 0; f < 3; f++)
        for (int64_t columns = 1; columns <= 9; columns += 4) {
            result r = embed(two_nodes, columns, 5, forms[f], 0);
            assert_int_equal(r.columns, 0);
            assert_int_equal(r.certificate.dropped, columns);
            release(&r);
            r = embed(bipartite, columns, 3000, forms[f], 0);
            assert_int_equal(r.columns, 0);
            release(&r);
        }
    /* the eigenvector is there all the same: (1,-1), anti-correlated */
    result r = embed(two_nodes, 1, 5, CAFE_FORM_WALK, 1e-3);
    assert_int_equal(r.columns, 1);
    release(&r);
    /* one node with a loop: P = p p^T, so Q = 0 and there is nothing to embed */
    cafe_context *context = test_context(1, 1);
    cafe_graph_options keep;
    cafe_graph_options_init(&keep);
    keep.self_loops = CAFE_LOOPS_KEEP;
    test_links l = test_links_new(1);
    l.source[0] = l.target[0] = 0;
    test_problem t = test_open(context, test_graph(context, 1, &l, 0, &keep));
    cafe_solution *solution = NULL;
    cafe_embedding *embedding = NULL;
    TEST_OK(context, cafe_sphere(context, t.op, NULL, NULL, &solution));
    TEST_OK(context, cafe_finish(context, t.op, &solution, NULL, &embedding));
    assert_int_equal(cafe_embedding_certificate(embedding)->columns, 0);
    cafe_embedding_free(embedding);
    test_links_free(&l);
    test_close(&t);
}

static void threads_do_not_change_the_bits(void **state) {
    (void)state;
    for (int refined = 0; refined < 2; refined++) {
        result first = embed_seeded(plain, 1, 9, 20, 5, CAFE_FORM_WALK, refined ? 1e-3 : 0);
        for (int i = 1; i < TEST_THREADS; i++) {
            result r = embed_seeded(plain, test_thread_counts[i], 9, 20, 5, CAFE_FORM_WALK,
                                    refined ? 1e-3 : 0);
            assert_int_equal(r.columns, first.columns);
            assert_memory_equal(r.v, first.v, (size_t)(r.n * r.columns) * sizeof *r.v);
            assert_memory_equal(r.certificate.residuals, first.certificate.residuals,
                                (size_t)r.certificate.pairs * sizeof(double));
            release(&r);
        }
        release(&first);
    }
}

static void one_call_is_the_same(void **state) {
    (void)state;
    cafe_context *context = test_context(2, 4);
    cafe_graph *graph = test_karate(context);
    cafe_sphere_options sphere;
    cafe_embedding *embedding = NULL;
    cafe_sphere_options_init(&sphere);
    sphere.columns = 5, sphere.sweeps = 3, sphere.tolerance = 0,
    sphere.columns_from = CAFE_FROM_TOP;
    embedding = test_embed(context, graph, &sphere, NULL);
    result r = embed(test_karate, 5, 3, CAFE_FORM_SCALED, 0);
    assert_int_equal(cafe_embedding_certificate(embedding)->columns, r.columns);
    for (int64_t u = 0; u < r.n; u++)
        assert_memory_equal(cafe_embedding_row(embedding, u), r.v + u * r.columns,
                            (size_t)r.columns * sizeof *r.v);
    release(&r);
    cafe_embedding_free(embedding);
    cafe_graph_free(graph);
    cafe_context_free(context);
}

static void forms_and_residual_must_agree(void **state) {
    (void)state;
    cafe_context *context = test_context(1, 1);
    test_problem t = test_open(context, test_karate(context));
    cafe_finish_options finish;
    cafe_solution *solution = NULL;
    cafe_embedding *embedding = NULL;
    cafe_finish_options_init(&finish);
    finish.form = CAFE_FORM_RAW;
    finish.residual = 0.1;
    TEST_OK(context, cafe_sphere(context, t.op, NULL, NULL, &solution));
    assert_int_equal(cafe_finish(context, t.op, &solution, &finish, &embedding),
                     CAFE_ERROR_ARGUMENT);
    assert_null(solution);
    test_close(&t);
}

/* ---- vectors from elsewhere ------------------------------------------------------------------ */

/* Q of any operator, one with products only included: its product with the identity. */
static double *dense_of(cafe_context *context, const cafe_operator *op) {
    int64_t n = op->n;
    float *unit = calloc((size_t)(n * n), sizeof *unit), *q = malloc((size_t)(n * n) * sizeof *q);
    double *dense = malloc((size_t)(n * n) * sizeof *dense);
    for (int64_t u = 0; u < n; u++) unit[u * n + u] = 1;
    TEST_OK(context, cafe_operator_product(context, op, n, unit, q));
    for (int64_t i = 0; i < n * n; i++) dense[i] = q[i];
    free(unit), free(q);
    return dense;
}

/* By default the vectors come back as they were, judged column by column; rows need not have length
 * 1, and the operator needs no rows. */
static void any_vectors_are_certified(void **state) {
    (void)state;
    enum { K = 7 };
    for (int64_t window = 1; window <= 4; window += 3) {
        cafe_context *context = test_context(2, 1);
        result r = {.t = test_open(context, weighted(context)), .columns = K};
        cafe_operator *op = NULL;
        TEST_OK(context, cafe_operator_walk(context, r.t.sampled, window, &op));
        r.n = op->n;
        r.p = malloc((size_t)r.n * sizeof *r.p);
        for (int64_t u = 0; u < r.n; u++) r.p[u] = cafe_sampled_node(r.t.sampled, u);
        r.q = dense_of(context, op);
        r.v = test_block(r.n, K, 5);
        for (int64_t i = 0; i < r.n * K; i++) r.v[i] *= 1 + (float)(i / K);
        TEST_OK(context, cafe_certify(context, op, K, r.v, NULL, &r.embedding));
        r.certificate = *cafe_embedding_certificate(r.embedding);
        double trace = test_dense_trace(r.n, r.q, r.v, K), *values = eigenvalues(&r, 0);
        assert_int_equal(r.certificate.columns, K);
        assert_int_equal(r.certificate.pairs, K);
        assert_float_equal(r.certificate.objective, trace, 1e-5 * fabs(trace));
        for (int64_t u = 0; u < r.n; u++)
            assert_memory_equal(cafe_embedding_row(r.embedding, u), r.v + u * K, K * sizeof *r.v);
        for (int64_t j = 0; j < K; j++) {
            double rho, residual;
            judge(&r, j, 0, &rho, &residual);
            assert_float_equal(r.certificate.groups[0].values[j], rho, 1e-6);
            assert_float_equal(r.certificate.groups[0].residuals[j], residual, 1e-6);
            assert_true(nearest(values, r.n, r.certificate.ritz_values[j]) <=
                        r.certificate.residuals[j] + 1e-8);
        }
        free(values);
        cafe_operator_free(op);
        release(&r);
    }
}

/* A method with a loss of its own leaves neither Y nor a trace. The finish computes both, in every
 * form. Its result from H is what cafe_certify() makes of the same numbers. */
static void a_loss_is_not_taken_for_the_trace(void **state) {
    (void)state;
    enum { K = 6, FORMS = 6 };
    for (int form = 0; form < FORMS; form++)
        for (int64_t window = 1; window <= 2; window++) {
            cafe_context *context = test_context(2, 1);
            test_problem t = test_open(context, plain(context));
            int64_t n = t.op->n;
            cafe_operator *op = NULL;
            cafe_solution *solution = NULL;
            cafe_embedding *a = NULL, *b = NULL;
            cafe_certificate certificate;
            cafe_finish_options finish;
            double trace;
            float *x = test_block(n, K, 8);
            cafe_finish_options_init(&finish);
            finish.form = form <= CAFE_FORM_SCALED ? form : CAFE_FORM_WALK;
            finish.residual = form <= CAFE_FORM_SCALED ? 0 : 1e-3;
            TEST_OK(context, cafe_operator_walk(context, t.sampled, window, &op));
            TEST_OK(context, cafe_solution_new(context, n, K, 3, &solution));
            TEST_OK(context, cafe_solution_set(context, x, solution));
            solution->loss = true;
            solution->sweeps = 3;
            for (int i = 0; i <= 3; i++) solution->objective[i] = 100 - i;
            TEST_OK(context, test_trace(context, op, K, x, &trace));
            TEST_OK(context, cafe_finish(context, op, &solution, &finish, &a));
            TEST_OK(context, cafe_certify(context, op, K, x, &finish, &b));
            certificate = *cafe_embedding_certificate(a);
            assert_float_equal(certificate.objective, trace, 1e-6 + 1e-5 * fabs(trace));
            assert_int_equal(cafe_embedding_certificate(a)->columns,
                             cafe_embedding_certificate(b)->columns);
            for (int64_t u = 0; u < n; u++)
                assert_memory_equal(cafe_embedding_row(a, u), cafe_embedding_row(b, u),
                                    (size_t)cafe_embedding_certificate(a)->columns * sizeof *x);
            cafe_embedding_free(a), cafe_embedding_free(b);
            cafe_operator_free(op);
            free(x);
            test_close(&t);
        }
}

static void vectors_that_cannot_be_certified_are_refused(void **state) {
    (void)state;
    cafe_context *context = test_context(1, 1);
    test_problem t = test_open(context, test_karate(context));
    float x[2 * TEST_KARATE_NODES] = {0};
    cafe_embedding *embedding = NULL;
    assert_int_equal(cafe_certify(context, t.op, 0, x, NULL, &embedding), CAFE_ERROR_ARGUMENT);
    x[9] = INFINITY;
    assert_int_equal(cafe_certify(context, t.op, 2, x, NULL, &embedding), CAFE_ERROR_ARGUMENT);
    assert_non_null(strstr(cafe_error(context), "node 4"));
    assert_null(embedding);
    x[9] = 0; /* a block of zeros holds no pair */
    cafe_certificate certificate;
    TEST_OK(context, cafe_certify(context, t.op, 2, x, NULL, &embedding));
    certificate = *cafe_embedding_certificate(embedding);
    assert_int_equal(certificate.pairs, 0);
    assert_true(certificate.objective == 0);
    cafe_embedding_free(embedding);
    test_close(&t);
}

static void certifying_survives_failing_memory(void **state) {
    (void)state;
    test_failing memory;
    cafe_context *context = test_failing_context(&memory, 2);
    test_problem t = test_open(context, test_random(context, 60, 200, 1, 1, 4));
    float *x = test_block(60, 5, 2);
    for (long k = 0;; k++) {
        cafe_embedding *embedding = NULL;
        long live = test_failing_arm(&memory, k);
        cafe_status status = cafe_certify(context, t.op, 5, x, NULL, &embedding);
        int failed = test_failing_disarm(&memory);
        test_failing_expect(&memory, status, failed, live, context);
        cafe_embedding_free(embedding);
        if (!failed) break;
    }
    free(x);
    test_close(&t);
    assert_int_equal(atomic_load(&memory.live), 0);
}

/* ---- the pieces ------------------------------------------------------------------------------ */

/* A block with repeated, zero and nearly dependent columns: the rank is found, and what is kept
 * spans the same space. */
static void orthonormalise_finds_the_rank(void **state) {
    (void)state;
    enum { N = 3000, K = 24, INDEPENDENT = 9 };
    cafe_context *context = test_context(2, 1);
    cafe_block x = cafe_block_rows(N, 32, K, NULL);
    double error;
    float *base = test_block(N, INDEPENDENT, 5);
    x.x = calloc(N * 32, sizeof *x.x);
    for (int u = 0; u < N; u++)
        for (int k = 0; k < K; k++) {
            float *base_row = base + u * INDEPENDENT;
            x.x[u * 32 + k] = k < INDEPENDENT    ? base_row[k] * (float)pow(10, -k)
                              : k == INDEPENDENT ? 0
                                                 : base_row[k % INDEPENDENT] - 2 * base_row[k % 4];
        }
    TEST_OK(context, cafe_tall_orthonormalise(context, &x, NULL, NULL, NULL, &error));
    assert_int_equal(x.columns, INDEPENDENT);
    assert_true(error < 3e-6);
    for (int u = 0; u < N; u++)
        for (int k = INDEPENDENT; k < 32; k++) assert_true(x.x[u * 32 + k] == 0);
    /* each base column lies in the span: its projection has its whole length */
    for (int k = 0; k < INDEPENDENT; k++) {
        double whole = 0, inside = 0;
        for (int u = 0; u < N; u++) whole += pow(base[u * INDEPENDENT + k], 2);
        for (int j = 0; j < INDEPENDENT; j++) {
            double c = 0;
            for (int u = 0; u < N; u++) c += (double)base[u * INDEPENDENT + k] * x.x[u * 32 + j];
            inside += c * c;
        }
        assert_float_equal(inside / whole, 1, 1e-5);
    }
    free(base), free(x.x);
    cafe_context_free(context);
}

static void dense_eigenvectors_diagonalise(void **state) {
    (void)state;
    cafe_context *context = test_context(1, 1);
    for (int64_t k = 1; k <= 33; k += 8) {
        float *x = test_block(k, k, 3);
        double *t = malloc((size_t)(k * k) * sizeof *t), *s = malloc((size_t)(k * k) * sizeof *s);
        double *values = malloc((size_t)k * sizeof *values);
        for (int64_t i = 0; i < k * k; i++) t[i] = s[i] = x[i] + x[i % k * k + i / k];
        TEST_OK(context, cafe_dense_eigen(context, k, s, values));
        for (int64_t i = 0; i < k; i++)
            for (int64_t j = 0; j < k; j++) {
                double sum = 0; /* (T S)_ij = S_ij value_j */
                for (int64_t l = 0; l < k; l++) sum += t[i * k + l] * s[l * k + j];
                assert_float_equal(sum, s[i * k + j] * values[j], 1e-10);
            }
        for (int64_t j = 1; j < k; j++) assert_true(values[j] <= values[j - 1]);
        free(x), free(t), free(s), free(values);
    }
    cafe_context_free(context);
}

static void it_survives_failing_memory(void **state) {
    (void)state;
    test_failing memory;
    cafe_context *context = test_failing_context(&memory, 2);
    test_problem t = test_open(context, test_random(context, 60, 200, 1, 1, 4));
    for (int form = 0; form <= 5; form++)
        for (long k = 0;; k++) {
            cafe_finish_options finish;
            cafe_sphere_options sphere;
            cafe_solution *solution = NULL;
            cafe_embedding *embedding = NULL;
            cafe_finish_options_init(&finish);
            cafe_sphere_options_init(&sphere);
            sphere.columns = 5;
            finish.form = form <= CAFE_FORM_SCALED ? form : CAFE_FORM_WALK;
            finish.residual = form <= CAFE_FORM_SCALED ? 0 : 1e-2;
            long live = atomic_load(&memory.live);
            TEST_OK(context, cafe_sphere(context, t.op, &sphere, NULL, &solution));
            test_failing_arm(&memory, k);
            cafe_status status = cafe_finish(context, t.op, &solution, &finish, &embedding);
            int failed = test_failing_disarm(&memory);
            test_failing_expect(&memory, status, failed, live, context);
            assert_null(solution);
            cafe_embedding_free(embedding);
            if (!failed) break;
        }
    test_close(&t);
    assert_int_equal(atomic_load(&memory.live), 0);
}

/* The prediction covers what is really held, and is not far above it. */
static void memory_is_predicted(void **state) {
    TEST_NOT_OF_THREADS();
    enum { N = TEST_LARGE(60000) };
    (void)state;
    for (int refined = 0; refined < 3; refined++) {
        cafe_context *context = test_context(2, 1);
        test_problem t = test_open(context, test_random(context, N, 5 * N, 0, 0, 4));
        cafe_sphere_options sphere;
        cafe_finish_options finish;
        cafe_solution *solution = NULL;
        cafe_embedding *embedding = NULL;
        cafe_sphere_options_init(&sphere);
        cafe_finish_options_init(&finish);
        sphere.columns = 128;
        sphere.sweeps = 1;
        finish.residual = refined == 1 ? 0.5 : 0;
        if (refined == 2) finish.form = CAFE_FORM_RAW;
        finish.steps = 1;
        cafe_reset_peak_bytes(context);
        TEST_OK(context, cafe_sphere(context, t.op, &sphere, NULL, &solution));
        TEST_OK(context, cafe_finish(context, t.op, &solution, &finish, &embedding));
        double predicted = (double)cafe_embed_bytes(N, cafe_graph_get_counts(t.graph)->edges, 0,
                                                    &sphere, &finish, 2);
        double held = (double)cafe_peak_bytes(context);
        assert_true(predicted >= held);
        assert_true(predicted <= 2 * held + 64e6);
        cafe_embedding_free(embedding);
        test_close(&t);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_are_orthonormal),
        cmocka_unit_test(rotated_columns_are_orthonormal),
        cmocka_unit_test(ritz_values_of_raw_rows_are_theirs),
        cmocka_unit_test(column_figures_hold),
        cmocka_unit_test(ritz_values_sum_to_the_trace),
        cmocka_unit_test(an_eigenvalue_lies_within_each_residual),
        cmocka_unit_test(refined_columns_are_dominant_eigenvectors),
        cmocka_unit_test(an_impossible_residual_is_reported),
        cmocka_unit_test(dependent_columns_are_dropped),
        cmocka_unit_test(graphs_without_structure_yield_no_columns),
        cmocka_unit_test(threads_do_not_change_the_bits),
        cmocka_unit_test(one_call_is_the_same),
        cmocka_unit_test(forms_and_residual_must_agree),
        cmocka_unit_test(any_vectors_are_certified),
        cmocka_unit_test(a_loss_is_not_taken_for_the_trace),
        cmocka_unit_test(vectors_that_cannot_be_certified_are_refused),
        cmocka_unit_test(certifying_survives_failing_memory),
        cmocka_unit_test(orthonormalise_finds_the_rank),
        cmocka_unit_test(dense_eigenvectors_diagonalise),
        cmocka_unit_test(it_survives_failing_memory),
        cmocka_unit_test(memory_is_predicted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
