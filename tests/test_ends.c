/* Both ends of the spectrum: the solver on -Q, the joint finish, and the choice between the ends.
 */
#include "base/context.h"
#include "dense.h"
#include "failing.h"
#include "operator/operator.h"
#include "solve/solution.h"
#include "spectral/embedding.h"

/* ---- graphs ---------------------------------------------------------------------------------- */

/* Two groups, even and odd nodes; `inside` and `across` of 1000 pairs are linked. */
static cafe_graph *two_groups(cafe_context *context, int64_t n, int inside, int across) {
    test_links l = test_links_new(n * n);
    uint64_t seed = 21;
    l.count = 0;
    for (int32_t u = 0; u < n; u++)
        for (int32_t w = 0; w < u; w++)
            if (test_below(&seed, 1000) < ((u ^ w) & 1 ? across : inside)) {
                l.source[l.count] = u;
                l.target[l.count++] = w;
            }
    cafe_graph *graph = test_graph(context, n, &l, 0, NULL);
    test_links_free(&l);
    return graph;
}

static cafe_graph *disassortative(cafe_context *context) {
    return two_groups(context, 160, 20, 180);
}
static cafe_graph *assortative(cafe_context *context) {
    return two_groups(context, 160, 500, 30);
}
static cafe_graph *bipartite(cafe_context *context) {
    return test_bipartite(context, 30, 40);
}
static cafe_graph *weighted(cafe_context *context) {
    return test_random(context, 110, 500, 1, 1, 11);
}
typedef cafe_graph *maker(cafe_context *context);
static maker *const makers[] = {test_karate, weighted, disassortative};
enum { MAKERS = 3 };

/* ---- running --------------------------------------------------------------------------------- */

static cafe_sphere_options options(int64_t columns, int64_t sweeps, int32_t ends) {
    cafe_sphere_options o;
    cafe_sphere_options_init(&o);
    o.columns = columns;
    o.sweeps = sweeps;
    o.tolerance = 0;
    o.columns_from = ends;
    return o;
}

static cafe_finish_options finishing(cafe_form form, double residual) {
    cafe_finish_options o;
    cafe_finish_options_init(&o);
    o.form = form;
    o.residual = residual;
    return o;
}

typedef struct result {
    test_problem t;
    int64_t n, columns;
    double *p, *q;
    cafe_embedding *embedding;
    cafe_certificate certificate;
    float *v;
} result;

static result embed(maker *make, int32_t threads, cafe_sphere_options sphere,
                    cafe_finish_options finish) {
    cafe_context *context = test_context(threads, 4);
    result r = {.t = test_open(context, make(context))};
    cafe_solution *solution = NULL;
    r.n = r.t.op->n;
    r.p = malloc((size_t)r.n * sizeof *r.p);
    r.q = test_dense_q(r.t.graph, r.p);
    TEST_OK(context, cafe_sphere(context, r.t.op, &sphere, NULL, &solution));
    TEST_OK(context, cafe_finish(context, r.t.op, &solution, &finish, &r.embedding));
    r.certificate = *cafe_embedding_certificate(r.embedding);
    assert_int_equal(r.certificate.asked, sphere.columns);
    assert_int_equal(test_group(&r.certificate, "top") + test_group(&r.certificate, "bottom"),
                     r.certificate.columns);
    r.columns = cafe_embedding_certificate(r.embedding)->columns;
    r.v = malloc((size_t)(r.n * r.columns + 1) * sizeof *r.v);
    cafe_embedding_copy(r.embedding, r.v);
    return r;
}

static void release(result *r) {
    free(r->p), free(r->q), free(r->v);
    cafe_embedding_free(r->embedding);
    test_close(&r->t);
}

static void objective_never_falls(cafe_solution *s) {
    const double *objective = cafe_solution_get(s)->objective;
    for (int64_t i = 1; i <= cafe_solution_get(s)->sweeps; i++)
        assert_true(objective[i] >= objective[i - 1] - 2e-7);
}

/* ---- the solver on -Q ------------------------------------------------------------------------ */

/* tr of a range of columns of a row-major block. */
static double part_trace(int64_t n, const double *q, const float *h, int64_t width, int64_t first,
                         int64_t columns) {
    float *part = malloc((size_t)(n * columns) * sizeof *part);
    for (int64_t u = 0; u < n; u++)
        memcpy(part + u * columns, h + u * width + first, (size_t)columns * sizeof *part);
    double trace = test_dense_trace(n, q, part, columns);
    free(part);
    return trace;
}

/* For every number of chunks: the objective never falls, is what the dense matrix says after every
 * number of sweeps, and each part of a row has length 1. */
static void the_objective_is_exact_and_monotone(void **state) {
    (void)state;
    static const int64_t chunks[] = {0, 1, 2, 3, 7, 64, 1000000};
    maker *const graphs[] = {weighted, bipartite, disassortative};
    enum { K = 7, TOP = 4 };
    for (int g = 0; g < 3; g++)
        for (size_t c = 0; c < sizeof chunks / sizeof *chunks; c++) {
            cafe_context *context = test_context(2, 1 + c);
            test_problem t = test_open(context, graphs[g](context));
            int64_t n = t.op->n;
            double *p = malloc((size_t)n * sizeof *p), *q = test_dense_q(t.graph, p);
            float *h = malloc((size_t)(n * K) * sizeof *h);
            for (int64_t sweeps = 0; sweeps <= 30; sweeps += sweeps < 3 ? 1 : 27) {
                cafe_sphere_options o = options(K, sweeps, CAFE_FROM_BOTH);
                cafe_solution *s = NULL;
                o.chunks = chunks[c];
                TEST_OK(context, cafe_sphere(context, t.op, &o, NULL, &s));
                assert_int_equal(cafe_solution_get(s)->columns, K);
                objective_never_falls(s);
                cafe_solution_copy(s, h);
                double dense =
                    part_trace(n, q, h, K, 0, TOP) - part_trace(n, q, h, K, TOP, K - TOP);
                assert_float_equal(cafe_solution_get(s)->objective[sweeps], dense, 2e-6);
                for (int64_t u = 0; u < n; u++) {
                    double top = 0, bottom = 0;
                    for (int k = 0; k < TOP; k++) top += pow(h[u * K + k], 2);
                    for (int k = TOP; k < K; k++) bottom += pow(h[u * K + k], 2);
                    assert_float_equal(top, 1, 1e-5);
                    assert_float_equal(bottom, 1, 1e-5);
                }
                cafe_solution_free(s);
            }
            free(h), free(p), free(q);
            test_close(&t);
        }
}

/* On the complete bipartite graph -Q has one positive eigenvalue, and the optimum of its trace is
 * known. Then h_u = +-h by side gives -tr = 1 + (p_A - p_B)^2 with p_A = p_B = 1/2. */
static void a_bipartite_graph_reaches_its_optimum(void **state) {
    (void)state;
    static const int64_t chunks[] = {0, 1, 2, 3, 8, 70};
    for (size_t c = 0; c < sizeof chunks / sizeof *chunks; c++) {
        cafe_context *context = test_context(2, c);
        test_problem t = test_open(context, bipartite(context));
        cafe_operator negative = cafe_operator_negative(t.op);
        cafe_sphere_options o = options(5, 1500, CAFE_FROM_TOP);
        cafe_solution *s = NULL;
        o.chunks = chunks[c];
        TEST_OK(context, cafe_sphere(context, &negative, &o, NULL, &s));
        objective_never_falls(s);
        assert_float_equal(cafe_solution_get(s)->objective[1500], 1, 1e-5);
        cafe_solution_free(s);
        test_close(&t);
    }
}

/* Chunks of one node: z_u of -Q from the current rows, normalised, node after node. */
static void one_node_chunks_are_algorithm_4(void **state) {
    (void)state;
    enum { K = 5, SWEEPS = 3 };
    cafe_context *context = test_context(1, 3);
    test_problem t = test_open(context, test_random(context, 80, 300, 1, 1, 8));
    int64_t n = t.op->n;
    cafe_operator negative = cafe_operator_negative(t.op);
    double *p = malloc((size_t)n * sizeof *p), *q = test_dense_q(t.graph, p);
    float *start = test_block(n, K, 17), *ours = malloc((size_t)(n * K) * sizeof *ours);
    double *h = malloc((size_t)(n * K) * sizeof *h);
    for (int64_t u = 0; u < n; u++) {
        double norm = 0;
        for (int k = 0; k < K; k++) norm += (double)start[u * K + k] * start[u * K + k];
        for (int k = 0; k < K; k++) h[u * K + k] = start[u * K + k] / sqrt(norm);
    }
    for (int sweep = 0; sweep < SWEEPS; sweep++)
        for (int64_t u = 0; u < n; u++) {
            double z[K] = {0}, norm = 0;
            for (int64_t w = 0; w < n; w++)
                for (int k = 0; k < K && w != u; k++) z[k] -= q[u * n + w] * h[w * K + k];
            for (int k = 0; k < K; k++) norm += z[k] * z[k];
            for (int k = 0; k < K && norm > 0; k++) h[u * K + k] = z[k] / sqrt(norm);
        }
    cafe_sphere_options o = options(K, SWEEPS, CAFE_FROM_TOP);
    cafe_solution *s = NULL;
    o.chunks = n;
    TEST_OK(context, cafe_sphere(context, &negative, &o, start, &s));
    cafe_solution_copy(s, ours);
    for (int64_t i = 0; i < n * K; i++) assert_float_equal(ours[i], h[i], 2e-5);
    cafe_solution_free(s);
    free(ours), free(h), free(p), free(q), free(start);
    test_close(&t);
}

/* A warm start goes to the end its columns came from: nothing is left to do. */
static void both_ends_start_warm(void **state) {
    (void)state;
    enum { K = 9 };
    cafe_context *context = test_context(2, 3);
    test_problem t = test_open(context, disassortative(context));
    float *h = malloc((size_t)(t.op->n * K) * sizeof *h);
    cafe_sphere_options o = options(K, 400, CAFE_FROM_BOTH);
    cafe_solution *s = NULL, *again = NULL;
    o.tolerance = 1e-5;
    TEST_OK(context, cafe_sphere(context, t.op, &o, NULL, &s));
    assert_int_equal(cafe_solution_get(s)->converged, 1);
    cafe_solution_copy(s, h);
    TEST_OK(context, cafe_sphere(context, t.op, &o, h, &again));
    assert_true(cafe_solution_get(again)->sweeps <= 3 && cafe_solution_get(s)->sweeps > 12);
    assert_float_equal(cafe_solution_get(again)->objective[0],
                       cafe_solution_get(s)->objective[cafe_solution_get(s)->sweeps], 1e-6);
    cafe_solution_free(s);
    cafe_solution_free(again);
    h[K * 3 + 8] = NAN;
    assert_int_equal(cafe_sphere(context, t.op, &o, h, &s), CAFE_ERROR_ARGUMENT);
    assert_non_null(strstr(cafe_error(context), "node 3"));
    assert_non_null(strstr(cafe_error(context), "column 8"));
    o.columns_from = CAFE_FROM_HUBS + 1;
    assert_int_equal(cafe_sphere(context, t.op, &o, NULL, &s), CAFE_ERROR_ARGUMENT);
    free(h);
    test_close(&t);
}

/* ---- the finish ------------------------------------------------------------------------------ */

/* How much of the planted split lies in the span of orthonormal columns: 1 all, 0 nothing. */
static double split_found(const result *r) {
    double sum = 0;
    for (int64_t j = 0; j < r->columns; j++) {
        double c = 0;
        for (int64_t u = 0; u < r->n; u++) c += (u & 1 ? 1 : -1) * r->v[u * r->columns + j];
        sum += c * c / (double)r->n;
    }
    return sum;
}

static void both_find_what_the_top_misses(void **state) {
    (void)state;
    static const cafe_form forms[] = {CAFE_FORM_WALK, CAFE_FORM_HHAT, CAFE_FORM_RITZ};
    for (int f = 0; f < 3; f++)
        for (int ends = CAFE_FROM_TOP; ends <= CAFE_FROM_LARGEST; ends++) {
            result r = embed(disassortative, 2, options(8, 20, ends), finishing(forms[f], 0));
            const cafe_certificate *c = &r.certificate;
            double shares = 0;
            for (int64_t j = 0; j < c->pairs; j++) shares += c->shares[j];
            assert_float_equal(shares, 1, 1e-12);
            if (ends == CAFE_FROM_TOP) {
                assert_int_equal(test_group(c, "bottom"), 0);
                assert_true(split_found(&r) < 0.2);
            } else {
                assert_true(test_group(c, "bottom") >= 1);
                assert_true(split_found(&r) > 0.9);
                assert_true(c->ritz_values[0] > 0 && c->ritz_values[c->pairs - 1] < 0);
            }
            release(&r);
        }
}

/* ... and the choice leaves a graph of communities to the top: not a bit differs. */
static void the_choice_keeps_to_the_top_where_that_is_all(void **state) {
    (void)state;
    result top = embed(assortative, 2, options(4, 20, CAFE_FROM_TOP), finishing(0, 0));
    result chosen = embed(assortative, 2, options(4, 20, CAFE_FROM_LARGEST), finishing(0, 0));
    assert_int_equal(test_group(&chosen.certificate, "bottom"), 0);
    assert_int_equal(chosen.columns, top.columns);
    assert_memory_equal(chosen.v, top.v, (size_t)(top.n * top.columns) * sizeof *top.v);
    release(&top);
    release(&chosen);
}

/* One column goes to the larger end; `both` of one column is the top. */
static void one_column_is_enough(void **state) {
    (void)state;
    result r = embed(disassortative, 1, options(1, 20, CAFE_FROM_LARGEST), finishing(0, 0));
    assert_int_equal(test_group(&r.certificate, "bottom"), 1);
    assert_true(split_found(&r) > 0.9);
    release(&r);
    r = embed(assortative, 1, options(1, 20, CAFE_FROM_LARGEST), finishing(0, 0));
    assert_int_equal(test_group(&r.certificate, "top"), 1);
    release(&r);
    r = embed(assortative, 1, options(1, 20, CAFE_FROM_BOTH), finishing(0, 0));
    assert_int_equal(test_group(&r.certificate, "top"), 1);
    release(&r);
    /* with --residual too: the top end may be empty */
    r = embed(disassortative, 1, options(1, 20, CAFE_FROM_LARGEST), finishing(0, 1e-4));
    assert_int_equal(r.columns, 1);
    assert_true(r.certificate.ritz_values[0] < -0.5);
    release(&r);
}

/* The raw form of both ends is H itself. */
static void the_raw_form_is_h(void **state) {
    (void)state;
    enum { K = 6 };
    cafe_sphere_options o = options(K, 5, CAFE_FROM_BOTH);
    result r = embed(weighted, 2, o, finishing(CAFE_FORM_RAW, 0));
    cafe_solution *s = NULL;
    float *h = malloc((size_t)(r.n * K) * sizeof *h);
    TEST_OK(r.t.context, cafe_sphere(r.t.context, r.t.op, &o, NULL, &s));
    cafe_solution_copy(s, h);
    assert_int_equal(r.columns, K);
    assert_memory_equal(h, r.v, (size_t)(r.n * K) * sizeof *h);
    assert_float_equal(r.certificate.objective,
                       part_trace(r.n, r.q, h, K, 0, 3) - part_trace(r.n, r.q, h, K, 3, 3), 2e-6);
    cafe_solution_free(s);
    free(h);
    release(&r);
}

/* Of the choice, too: its columns are the first ones of each end. */
static void the_choice_takes_whole_columns(void **state) {
    (void)state;
    enum { K = 6, SOLVED = 9 };
    cafe_sphere_options o = options(K, 5, CAFE_FROM_LARGEST);
    result r = embed(disassortative, 2, o, finishing(CAFE_FORM_RAW, 0));
    int64_t top = test_group(&r.certificate, "top");
    cafe_solution *s = NULL;
    float *h = malloc((size_t)(r.n * SOLVED) * sizeof *h);
    TEST_OK(r.t.context, cafe_sphere(r.t.context, r.t.op, &o, NULL, &s));
    assert_int_equal(cafe_solution_get(s)->columns, SOLVED);
    cafe_solution_copy(s, h);
    assert_int_equal(r.columns, K);
    for (int64_t u = 0; u < r.n; u++)
        for (int64_t k = 0; k < K; k++)
            assert_true(r.v[u * K + k] == h[u * SOLVED + (k < top ? k : k - top + K)]);
    cafe_solution_free(s);
    free(h);
    release(&r);
}

/* ---- eigenvectors of both ends --------------------------------------------------------------- */

static double *eigenvalues(const result *r, int generalised) {
    double *a = malloc((size_t)(r->n * r->n) * sizeof *a);
    double *values = malloc((size_t)r->n * sizeof *values);
    for (int64_t i = 0; i < r->n * r->n; i++) {
        double d = r->p[i / r->n] * r->p[i % r->n];
        a[i] = generalised ? (d > 0 ? r->q[i] / sqrt(d) : 0) : r->q[i];
    }
    test_dense_eigenvalues(r->n, a, values);
    free(a);
    return values;
}

static double inner(const result *r, int64_t i, int64_t j, int by_p) {
    double sum = 0;
    for (int64_t u = 0; u < r->n; u++)
        sum += (by_p ? r->p[u] : 1) * r->v[u * r->columns + i] * r->v[u * r->columns + j];
    return sum;
}

/* ||M v - rho v|| of column j in the problem's inner product, from the dense matrix. */
static double residual_of(const result *r, int64_t j, int generalised) {
    double *y = malloc((size_t)r->n * sizeof *y), sum = 0;
    test_dense_times(r->n, r->q, r->v, r->columns, j, y);
    for (int64_t u = 0; u < r->n; u++) {
        double d = generalised ? r->p[u] : 1;
        double e = y[u] - r->certificate.ritz_values[j] * d * r->v[u * r->columns + j];
        if (d > 0) sum += e * e / d;
    }
    free(y);
    return sqrt(sum);
}

/* The largest and the smallest eigenvalues, in one descending row, with orthonormal vectors. */
static void refined_columns_are_eigenvectors_of_both_ends(void **state) {
    (void)state;
    static const cafe_form forms[] = {CAFE_FORM_WALK, CAFE_FORM_HHAT, CAFE_FORM_RITZ};
    enum { K = 7, TOP = 4 };
    const double tolerance = 1e-4;
    for (int g = 0; g < MAKERS; g++)
        for (int f = 0; f < 3; f++) {
            result r =
                embed(makers[g], 2, options(K, 5, CAFE_FROM_BOTH), finishing(forms[f], tolerance));
            int generalised = forms[f] == CAFE_FORM_WALK;
            double *values = eigenvalues(&r, generalised), scale = fabs(values[r.n - 1]);
            if (values[0] > scale) scale = values[0];
            assert_int_equal(r.columns, K);
            assert_int_equal(r.certificate.converged, K);
            assert_int_equal(r.certificate.rotated, 1);
            assert_true(r.certificate.orthogonality < 1e-5);
            for (int64_t j = 0; j < K; j++) {
                double exact = values[j < TOP ? j : r.n - K + j];
                double residual = residual_of(&r, j, generalised);
                assert_float_equal(r.certificate.ritz_values[j], exact, tolerance * scale);
                assert_true(residual <= tolerance * fabs(exact) + 3e-6 * scale);
                for (int64_t i = 0; i <= j; i++)
                    assert_float_equal(inner(&r, i, j, generalised), i == j, 1e-5);
            }
            free(values);
            release(&r);
        }
}

/* More columns than an end has eigenvalues of its sign: none is returned twice. */
static void an_end_has_no_more_than_it_has(void **state) {
    (void)state;
    static const int32_t ends[] = {CAFE_FROM_BOTH, CAFE_FROM_LARGEST};
    for (int e = 0; e < 2;
         e++) { /* Q of K_{30,40} has one eigenvalue that is not 0: a negative one */
        result r = embed(bipartite, 2, options(6, 10, ends[e]), finishing(0, 1e-3));
        double *values = eigenvalues(&r, 1);
        int64_t negative = 0;
        for (int64_t j = 0; j < r.columns; j++)
            if (r.certificate.ritz_values[j] < -1e-3) {
                assert_float_equal(r.certificate.ritz_values[j], values[r.n - 1], 1e-4);
                negative++;
            }
        assert_int_equal(negative, 1);
        free(values);
        release(&r);
    }
    result r = embed(test_karate, 2, options(60, 3, CAFE_FROM_BOTH), finishing(0, 1e-3));
    double *values = eigenvalues(&r, 1);
    int64_t rank = 0; /* twins among the nodes make many eigenvalues 0 */
    for (int64_t u = 0; u < r.n; u++) rank += fabs(values[u]) > 1e-5;
    assert_int_equal(r.columns, rank);
    free(values);
    for (int64_t j = 0; j < r.columns; j++)
        for (int64_t i = 0; i <= j; i++) assert_float_equal(inner(&r, i, j, 1), i == j, 1e-4);
    release(&r);
}

/* ---- what holds everywhere ------------------------------------------------------------------- */

static void threads_do_not_change_the_bits(void **state) {
    (void)state;
    for (int ends = CAFE_FROM_BOTH; ends <= CAFE_FROM_LARGEST; ends++)
        for (int refined = 0; refined < 2; refined++) {
            cafe_sphere_options o = options(20, 5, ends);
            cafe_finish_options f = finishing(CAFE_FORM_WALK, refined ? 1e-3 : 0);
            o.chunks = 7;
            result first = embed(disassortative, 1, o, f);
            for (int i = 1; i < TEST_THREADS; i++) {
                result r = embed(disassortative, test_thread_counts[i], o, f);
                assert_int_equal(test_group(&r.certificate, "bottom"),
                                 test_group(&first.certificate, "bottom"));
                assert_int_equal(r.columns, first.columns);
                assert_memory_equal(r.v, first.v, (size_t)(r.n * r.columns) * sizeof *r.v);
                assert_memory_equal(r.certificate.ritz_values, first.certificate.ritz_values,
                                    (size_t)r.certificate.pairs * sizeof(double));
                release(&r);
            }
            release(&first);
        }
}

static void it_survives_failing_memory(void **state) {
    TEST_NOT_OF_THREADS();
    (void)state;
    test_failing memory;
    cafe_context *context = test_failing_context(&memory, 2);
    test_problem t = test_open(context, two_groups(context, 60, 40, 300));
    for (int variant = 0; variant < 4; variant++)
        for (long k = 0;; k++) {
            cafe_sphere_options sphere =
                options(5, 3, variant & 1 ? CAFE_FROM_BOTH : CAFE_FROM_LARGEST);
            cafe_finish_options finish = finishing(CAFE_FORM_WALK, variant & 2 ? 1e-2 : 0);
            cafe_solution *solution = NULL;
            cafe_embedding *embedding = NULL;
            sphere.chunks = 4;
            long live = test_failing_arm(&memory, k);
            cafe_status status = cafe_sphere(context, t.op, &sphere, NULL, &solution);
            if (status == CAFE_OK)
                status = cafe_finish(context, t.op, &solution, &finish, &embedding);
            int failed = test_failing_disarm(&memory);
            test_failing_expect(&memory, status, failed, live, context);
            assert_null(solution);
            cafe_embedding_free(embedding);
            if (!failed) break;
        }
    test_close(&t);
    assert_int_equal(atomic_load(&memory.live), 0);
}

/* The prediction covers what is held, and is not far above it. */
static void memory_is_predicted(void **state) {
    TEST_NOT_OF_THREADS();
    (void)state;
    enum { N = 20000 };
    for (int variant = 0; variant < 4; variant++) {
        cafe_context *context = test_context(2, 1);
        test_problem t = test_open(context, test_random(context, N, 4 * N, 0, 0, 4));
        cafe_sphere_options sphere =
            options(variant & 1 ? 100 : 12, 1, variant & 2 ? CAFE_FROM_BOTH : CAFE_FROM_LARGEST);
        for (int refined = 0; refined < 2; refined++) {
            cafe_finish_options finish = finishing(CAFE_FORM_WALK, refined ? 0.5 : 0);
            cafe_solution *solution = NULL;
            cafe_embedding *embedding = NULL;
            finish.steps = 1;
            cafe_reset_peak_bytes(context);
            TEST_OK(context, cafe_sphere(context, t.op, &sphere, NULL, &solution));
            TEST_OK(context, cafe_finish(context, t.op, &solution, &finish, &embedding));
            double predicted = (double)cafe_embed_bytes(N, cafe_graph_get_counts(t.graph)->edges, 0,
                                                        &sphere, &finish, 2);
            double held = (double)cafe_peak_bytes(context);
            assert_true(predicted - 32e6 >= held); /* without the allowance for the program */
            assert_true(predicted <= 2 * held + 64e6);
            cafe_embedding_free(embedding);
        }
        test_close(&t);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_objective_is_exact_and_monotone),
        cmocka_unit_test(a_bipartite_graph_reaches_its_optimum),
        cmocka_unit_test(one_node_chunks_are_algorithm_4),
        cmocka_unit_test(both_ends_start_warm),
        cmocka_unit_test(both_find_what_the_top_misses),
        cmocka_unit_test(the_choice_keeps_to_the_top_where_that_is_all),
        cmocka_unit_test(one_column_is_enough),
        cmocka_unit_test(the_raw_form_is_h),
        cmocka_unit_test(the_choice_takes_whole_columns),
        cmocka_unit_test(refined_columns_are_eigenvectors_of_both_ends),
        cmocka_unit_test(an_end_has_no_more_than_it_has),
        cmocka_unit_test(threads_do_not_change_the_bits),
        cmocka_unit_test(it_survives_failing_memory),
        cmocka_unit_test(memory_is_predicted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
