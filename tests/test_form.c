/* The scaled form: what must hold of it whatever the graph, recomputed from a dense Q. */
#include "dense.h"
#include "failing.h"
#include "operator/operator.h"
#include "solve/solution.h"
#include "spectral/embedding.h"

typedef struct result {
    int64_t n, k; /* rows; columns returned */
    cafe_embedding *embedding;
    const cafe_certificate *certificate;
    float *z; /* n x k */
} result;

static cafe_finish_options scaled(double exponent) {
    cafe_finish_options o;
    cafe_finish_options_init(&o);
    assert_int_equal(o.form, CAFE_FORM_SCALED);
    assert_true(o.exponent == 0.25);
    assert_true(o.shortest == 0.05);
    o.exponent = exponent;
    o.shortest = 0;
    return o;
}

/* What the finish makes of a given H. */
static result finish(const test_problem *t, int64_t columns, const float *h,
                     cafe_finish_options options) {
    result r = {.n = t->op->n};
    TEST_OK(t->context, cafe_certify(t->context, t->op, columns, h, &options, &r.embedding));
    r.certificate = cafe_embedding_certificate(r.embedding);
    r.k = cafe_embedding_certificate(r.embedding)->columns;
    r.z = malloc((size_t)(r.n * r.k) * sizeof *r.z);
    cafe_embedding_copy(r.embedding, r.z);
    return r;
}

static void release(result *r) {
    cafe_embedding_free(r->embedding);
    free(r->z);
}

static cafe_graph *weighted(cafe_context *context) {
    return test_random(context, 110, 500, 1, 1, 11);
}
static cafe_graph *plain(cafe_context *context) {
    return test_random(context, 150, 600, 0, 0, 13);
}
typedef cafe_graph *maker(cafe_context *context);
static maker *const makers[] = {test_karate, weighted, plain};
enum { MAKERS = 3, K = 7 };

/* The H of a run of sphere. */
static float *solve(const test_problem *t, int64_t columns, int64_t sweeps) {
    cafe_sphere_options o;
    cafe_solution *solution = NULL;
    int64_t n = t->op->n;
    float *h = malloc((size_t)(n * columns) * sizeof *h);
    cafe_sphere_options_init(&o);
    o.columns = columns, o.sweeps = sweeps, o.tolerance = 0;
    TEST_OK(t->context, cafe_sphere(t->context, t->op, &o, NULL, &solution));
    TEST_OK(t->context, cafe_solution_copy(solution, h));
    cafe_solution_free(solution);
    return h;
}

/* ---- matrices -------------------------------------------------------------------------------- */

/* C = A B of row-major matrices; freed by the caller. */
static double *product(int64_t rows, int64_t inner, int64_t columns, const double *a,
                       const double *b) {
    double *c = calloc((size_t)(rows * columns), sizeof *c);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t l = 0; l < inner; l++)
            for (int64_t j = 0; j < columns; j++)
                c[i * columns + j] += a[i * inner + l] * b[l * columns + j];
    return c;
}

/* An orthogonal matrix of Householder's: I - 2 w w^T, |w| = 1. */
static void reflection(int64_t k, uint64_t seed, double *r) {
    double w[32], square = 0;
    for (int64_t i = 0; i < k; i++) {
        w[i] = (double)test_below(&seed, 2001) / 1000 - 1;
        square += w[i] * w[i];
    }
    for (int64_t i = 0; i < k; i++)
        for (int64_t j = 0; j < k; j++) r[i * k + j] = (i == j) - 2 * w[i] * w[j] / square;
}

/* H R, rounded to float. */
static float *turned(int64_t n, int64_t k, const float *h, const double *r) {
    float *x = malloc((size_t)(n * k) * sizeof *x);
    for (int64_t u = 0; u < n; u++)
        for (int64_t j = 0; j < k; j++) {
            double sum = 0;
            for (int64_t i = 0; i < k; i++) sum += h[u * k + i] * r[i * k + j];
            x[u * k + j] = (float)sum;
        }
    return x;
}

/* Eigenvalues of Z^T Z, descending. */
static void spectrum(const result *z, double *values) {
    double *gram = calloc((size_t)(z->k * z->k), sizeof *gram);
    for (int64_t u = 0; u < z->n; u++)
        for (int64_t i = 0; i < z->k * z->k; i++)
            gram[i] += (double)z->z[u * z->k + i / z->k] * z->z[u * z->k + i % z->k];
    test_dense_eigenvalues(z->k, gram, values);
    free(gram);
}

static double largest_difference(int64_t count, const float *a, const float *b) {
    double worst = 0;
    for (int64_t i = 0; i < count; i++) worst = fmax(worst, fabs((double)a[i] - b[i]));
    return worst;
}

/* ---- means and variance ---------------------------------------------------------------------- */

static void moments_are_right(const result *r) {
    double variance = 0;
    for (int64_t j = 0; j < r->k; j++) {
        double sum = 0, square = 0;
        for (int64_t u = 0; u < r->n; u++) {
            double x = r->z[u * r->k + j];
            sum += x;
            square += x * x;
        }
        assert_true(fabs(sum) / (double)r->n < 1e-6);
        variance += square / (double)r->n;
    }
    assert_float_equal(variance / (double)r->k, 1, 1e-5);
}

static void columns_are_centred_and_of_mean_variance_one(void **state) {
    (void)state;
    static const double exponents[] = {0, 0.1, 0.25, 0.5};
    for (int g = 0; g < MAKERS; g++)
        for (int i = 0; i < 8; i++) {
            cafe_context *context = test_context(2, 4);
            test_problem t = test_open(context, makers[g](context));
            float *h = solve(&t, K, 5);
            cafe_finish_options o = scaled(exponents[i % 4]);
            o.residual = i < 4 ? 0 : 1e-3;
            result r = finish(&t, K, h, o);
            assert_true(r.k > 1 && r.certificate->generalised);
            assert_true(isnan(r.certificate->orthogonality));
            moments_are_right(&r);
            release(&r), free(h);
            test_close(&t);
        }
}

/* ---- the definition -------------------------------------------------------------------------- */

/* Y = D^-1 Q H less its column means. */
static double *dense_y(const test_problem *t, int64_t k, const float *h) {
    int64_t n = t->op->n;
    double *p = malloc((size_t)n * sizeof *p), *q = test_dense_q(t->graph, p);
    double *y = malloc((size_t)(n * k) * sizeof *y), *column = malloc((size_t)n * sizeof *column);
    for (int64_t j = 0; j < k; j++) {
        double mean = 0;
        test_dense_times(n, q, h, k, j, column);
        for (int64_t u = 0; u < n; u++) mean += column[u] = p[u] > 0 ? column[u] / p[u] : 0;
        for (int64_t u = 0; u < n; u++) y[u * k + j] = column[u] - mean / (double)n;
    }
    free(p), free(q), free(column);
    return y;
}

static double *transposed(int64_t rows, int64_t columns, const double *a) {
    double *b = malloc((size_t)(rows * columns) * sizeof *b);
    for (int64_t i = 0; i < rows * columns; i++) b[i % columns * rows + i / columns] = a[i];
    return b;
}

/* s = 1/4: Z = Y S^-1 c with S^4 = G. So (Z^T Z)^2 is in proportion to G, and Y^T Z = c G^(3/4) is
 * symmetric and has no negative eigenvalue. Together these define Z. */
static void the_default_is_what_it_says(void **state) {
    (void)state;
    for (int g = 0; g < MAKERS; g++) {
        cafe_context *context = test_context(2, 4);
        test_problem t = test_open(context, makers[g](context));
        float *h = solve(&t, K, 3);
        result r = finish(&t, K, h, scaled(0.25));
        double *y = dense_y(&t, K, h), *yt = transposed(r.n, K, y), values[K];
        double *z = malloc((size_t)(r.n * K) * sizeof *z);
        assert_int_equal(r.k, K);
        for (int64_t i = 0; i < r.n * K; i++) z[i] = r.z[i];
        double *zt = transposed(r.n, K, z), *gram = product(K, r.n, K, yt, y);
        double *zz = product(K, r.n, K, zt, z), *square = product(K, K, K, zz, zz);
        double *cross = product(K, r.n, K, yt, z), scale = 0, whole = 0;
        for (int64_t j = 0; j < K; j++) scale += square[j * K + j], whole += gram[j * K + j];
        for (int64_t i = 0; i < K * K; i++) {
            assert_float_equal(square[i] / scale, gram[i] / whole, 1e-6);
            assert_float_equal(cross[i], cross[i % K * K + i / K], 1e-5 * cross[0]);
        }
        test_dense_eigenvalues(K, cross, values);
        assert_true(values[K - 1] > 0);
        free(y), free(yt), free(z), free(zt), free(gram), free(zz), free(square), free(cross);
        release(&r), free(h);
        test_close(&t);
    }
}

/* Z^T Z has the eigenvalues lambda^2s, in proportion. */
/* Z is (D^-1 Q)^2 H less its means, times one number; a column without length is left out. */
static void averaged_is_what_it_says(void **state) {
    (void)state;
    for (int g = 0; g < MAKERS; g++) {
        cafe_context *context = test_context(2, 4);
        test_problem t = test_open(context, makers[g](context));
        float *h = solve(&t, K, 5);
        int64_t n = t.op->n;
        double *once, *twice, square = 0;
        float *rounded = malloc((size_t)(n * K) * sizeof *rounded);
        cafe_finish_options o;
        cafe_finish_options_init(&o);
        o.form = CAFE_FORM_AVERAGED;
        for (int64_t u = 0; u < n; u++) h[u * K + 1] = 0.5f;
        once = dense_y(&t, K, h);
        for (int64_t i = 0; i < n * K; i++) rounded[i] = (float)once[i];
        twice = dense_y(&t, K, rounded);
        for (int64_t i = 0; i < n * K; i++) square += twice[i] * twice[i];
        double c = sqrt((double)(n * (K - 1)) / square);
        result r = finish(&t, K, h, o);
        assert_int_equal(r.k, K - 1);
        moments_are_right(&r);
        for (int64_t u = 0; u < n; u++)
            for (int64_t j = 0; j < K - 1; j++)
                assert_float_equal(r.z[u * r.k + j], c * twice[u * K + j + (j >= 1)], 1e-4);
        release(&r), free(h), free(rounded), free(once), free(twice);
        test_close(&t);
    }
}

static void the_exponent_flattens_the_spectrum(void **state) {
    (void)state;
    static const double exponents[] = {0, 0.1, 0.25, 0.4, 0.5};
    cafe_context *context = test_context(2, 4);
    test_problem t = test_open(context, plain(context));
    float *h = solve(&t, K, 2);
    double *y = dense_y(&t, K, h), lambda[K], values[K];
    double *yt = transposed(t.op->n, K, y);
    double *gram = product(K, t.op->n, K, yt, y);
    test_dense_eigenvalues(K, gram, lambda);
    for (int i = 0; i < 5; i++) {
        result r = finish(&t, K, h, scaled(exponents[i]));
        assert_int_equal(r.k, K);
        spectrum(&r, values);
        for (int64_t j = 0; j < K; j++)
            assert_float_equal(values[j] / values[0], pow(lambda[j] / lambda[0], 2 * exponents[i]),
                               1e-5);
        release(&r);
    }
    free(h), free(y), free(yt), free(gram);
    test_close(&t);
}

/* A steep spectrum lowers the exponent, until the shortest direction is long enough. */
static void no_direction_is_too_short(void **state) {
    (void)state;
    static const double shares[] = {0.001, 0.05, 0.5, 1};
    for (int g = 0; g < MAKERS; g++)
        for (int i = 0; i < 4; i++) {
            cafe_context *context = test_context(2, 4);
            test_problem t = test_open(context, makers[g](context));
            float *h = solve(&t, K, 5);
            double values[K], unbounded[K];
            cafe_finish_options o = scaled(0.25);
            result a = finish(&t, K, h, o);
            o.shortest = shares[i];
            result b = finish(&t, K, h, o);
            assert_int_equal(a.k, b.k);
            spectrum(&a, unbounded), spectrum(&b, values);
            double before = sqrt(unbounded[a.k - 1] / unbounded[0]);
            double after = sqrt(values[b.k - 1] / values[0]);
            assert_float_equal(after, fmax(before, shares[i]), 1e-3);
            moments_are_right(&b);
            release(&a), release(&b), free(h);
            test_close(&t);
        }
}

/* ---- what must not matter -------------------------------------------------------------------- */

static void a_rotation_of_h_turns_the_columns(void **state) {
    (void)state;
    for (int g = 0; g < MAKERS; g++)
        for (int e = 0; e < 3; e++) {
            cafe_context *context = test_context(2, 4);
            test_problem t = test_open(context, makers[g](context));
            double r[K * K];
            float *h = solve(&t, K, 3);
            reflection(K, 5, r);
            float *other = turned(t.op->n, K, h, r);
            result a = finish(&t, K, h, scaled(e / 4.0)), b = finish(&t, K, other, scaled(e / 4.0));
            assert_int_equal(a.k, K), assert_int_equal(b.k, K);
            float *want = turned(a.n, K, a.z, r);
            assert_true(largest_difference(a.n * K, want, b.z) < 2e-3);
            free(h), free(other), free(want), release(&a), release(&b);
            test_close(&t);
        }
}

/* A graph with all weights times `factor`, and its nodes renamed by `order` (NULL: as they are). */
static cafe_graph *changed(cafe_context *context, float factor, const int32_t *order) {
    cafe_graph_options options;
    test_links l = test_random_links(110, 500, 0, 11);
    cafe_graph_options_init(&options);
    for (int64_t i = 0; i < l.count; i++) {
        l.weights[i] = (float)(1 + i % 5) * factor;
        if (order) l.source[i] = order[l.source[i]], l.target[i] = order[l.target[i]];
    }
    cafe_graph *graph = test_graph(context, 110, &l, 1, &options);
    test_links_free(&l);
    return graph;
}

static void the_unit_of_the_weights_does_not_matter(void **state) {
    (void)state;
    static const float factors[] = {1, 8, 3};
    result r[3];
    test_problem t[3];
    float *h = NULL;
    for (int i = 0; i < 3; i++) {
        cafe_context *context = test_context(2, 4);
        t[i] = test_open(context, changed(context, factors[i], NULL));
        if (!h) h = solve(&t[i], K, 5);
        r[i] = finish(&t[i], K, h, scaled(0.25));
        assert_int_equal(r[i].k, r[0].k);
    }
    assert_memory_equal(r[0].z, r[1].z, (size_t)(r[0].n * r[0].k) * sizeof *r[0].z);
    assert_true(largest_difference(r[0].n * r[0].k, r[0].z, r[2].z) < 1e-3);
    for (int i = 0; i < 3; i++) release(&r[i]), test_close(&t[i]);
    free(h);
}

static void the_order_of_nodes_does_not_matter(void **state) {
    (void)state;
    cafe_context *contexts[2] = {test_context(2, 4), test_context(2, 4)};
    int32_t order[110];
    for (int32_t u = 0; u < 110; u++) order[u] = u * 37 % 110;
    test_problem a = test_open(contexts[0], changed(contexts[0], 1, NULL));
    test_problem b = test_open(contexts[1], changed(contexts[1], 1, order));
    float *h = solve(&a, K, 5), *moved = malloc(110 * K * sizeof *moved);
    for (int32_t u = 0; u < 110; u++) memcpy(moved + order[u] * K, h + u * K, K * sizeof *h);
    result x = finish(&a, K, h, scaled(0.25)), y = finish(&b, K, moved, scaled(0.25));
    assert_int_equal(x.k, y.k);
    for (int32_t u = 0; u < 110; u++)
        assert_true(largest_difference(x.k, x.z + u * x.k, y.z + order[u] * y.k) < 1e-3);
    release(&x), release(&y), free(h), free(moved);
    test_close(&a), test_close(&b);
}

static void threads_give_the_same_bits(void **state) {
    (void)state;
    static const int32_t threads[] = {1, 2, 3, 7};
    for (int refined = 0; refined < 2; refined++) {
        float *first = NULL;
        for (int i = 0; i < 4; i++) {
            cafe_context *context = test_context(threads[i], 4);
            test_problem t = test_open(context, test_random(context, 3000, 9000, 0, 0, 2));
            float *h = test_block(3000, 20, 8);
            cafe_finish_options o = scaled(0.25);
            o.residual = refined ? 0.1 : 0;
            result r = finish(&t, 20, h, o);
            if (first) assert_memory_equal(first, r.z, (size_t)(r.n * r.k) * sizeof *first);
            if (!first) {
                first = malloc((size_t)(r.n * r.k) * sizeof *first);
                memcpy(first, r.z, (size_t)(r.n * r.k) * sizeof *first);
            }
            release(&r), free(h);
            test_close(&t);
        }
        free(first);
    }
}

/* ---- rank ------------------------------------------------------------------------------------ */

/* H with columns 2 and 5 that are sums of others. */
static float *deficient(const test_problem *t) {
    float *h = solve(t, K, 3);
    for (int64_t u = 0; u < t->op->n; u++) {
        float *row = h + u * K;
        row[2] = row[0] - row[1];
        row[5] = 0.5f * row[3] + row[4];
    }
    return h;
}

/* Columns that depend on others are left out; those that stay are next to the columns of Y they
 * stand for, and the spectrum is that of any rotation. */
static void dependent_columns_are_left_out(void **state) {
    (void)state;
    for (int g = 0; g < MAKERS; g++) {
        cafe_context *context = test_context(2, 4);
        test_problem t = test_open(context, makers[g](context));
        double r[K * K], a[K], b[K];
        float *h = deficient(&t);
        reflection(K, 9, r);
        float *other = turned(t.op->n, K, h, r);
        result x = finish(&t, K, h, scaled(0.25)), y = finish(&t, K, other, scaled(0.25));
        assert_int_equal(x.k, K - 2), assert_int_equal(y.k, K - 2);
        assert_int_equal(x.certificate->dropped, 2);
        moments_are_right(&x), moments_are_right(&y);
        spectrum(&x, a), spectrum(&y, b);
        for (int64_t j = 0; j < K - 2; j++) {
            assert_float_equal(a[j], b[j], 1e-3 * a[0]);
            assert_float_equal(x.certificate->ritz_values[j], y.certificate->ritz_values[j], 1e-5);
        }
        release(&x), release(&y), free(h), free(other);
        test_close(&t);
    }
}

static void nothing_found_is_no_column(void **state) {
    (void)state;
    cafe_context *context = test_context(2, 4);
    test_problem t = test_open(context, test_karate(context));
    float h[TEST_KARATE_NODES * 3];
    for (int64_t i = 0; i < TEST_KARATE_NODES * 3; i++) h[i] = 1;
    result r = finish(&t, 3, h, scaled(0.25));
    assert_int_equal(r.k, 0);
    assert_int_equal(r.certificate->pairs, 0);
    assert_int_equal(r.certificate->dropped, 3);
    release(&r);
    test_close(&t);
}

/* ---- the certificate ------------------------------------------------------------------------- */

/* The same span as the walk form's, so the same pairs. */
static void pairs_are_those_of_the_walk_form(void **state) {
    (void)state;
    for (int g = 0; g < MAKERS; g++)
        for (int e = 0; e < 6; e++) {
            cafe_context *context = test_context(2, 4);
            test_problem t = test_open(context, makers[g](context));
            float *h = e < 3 ? deficient(&t) : solve(&t, K, 2);
            cafe_finish_options walk = scaled(0);
            walk.form = CAFE_FORM_WALK;
            result a = finish(&t, K, h, scaled(e % 3 / 4.0)), b = finish(&t, K, h, walk);
            assert_int_equal(a.certificate->pairs, b.certificate->pairs);
            assert_int_equal(a.certificate->columns, b.certificate->columns);
            for (int64_t j = 0; j < a.certificate->pairs; j++) {
                assert_float_equal(a.certificate->ritz_values[j], b.certificate->ritz_values[j],
                                   1e-5);
                assert_float_equal(a.certificate->residuals[j], b.certificate->residuals[j], 1e-5);
            }
            release(&a), release(&b), free(h);
            test_close(&t);
        }
}

/* What a run of sphere for both ends of the spectrum becomes. */
static result finish_ends(const test_problem *t, cafe_finish_options options) {
    result r = {.n = t->op->n};
    cafe_sphere_options o;
    cafe_solution *solution = NULL;
    cafe_sphere_options_init(&o);
    o.columns = K - 1, o.sweeps = 2, o.columns_from = CAFE_FROM_BOTH;
    TEST_OK(t->context, cafe_sphere(t->context, t->op, &o, NULL, &solution));
    TEST_OK(t->context, cafe_finish(t->context, t->op, &solution, &options, &r.embedding));
    r.certificate = cafe_embedding_certificate(r.embedding);
    r.k = cafe_embedding_certificate(r.embedding)->columns;
    r.z = malloc((size_t)(r.n * r.k) * sizeof *r.z);
    cafe_embedding_copy(r.embedding, r.z);
    return r;
}

/* Both ends, as the solver leaves them and as eigenvectors: the same pairs again. */
static void both_ends_are_scaled_too(void **state) {
    (void)state;
    for (int g = 0; g < MAKERS; g++)
        for (int refined = 0; refined < 2; refined++) {
            cafe_context *context = test_context(2, 4);
            test_problem t = test_open(context, makers[g](context));
            cafe_finish_options walk = scaled(0.25), o = walk;
            walk.form = CAFE_FORM_WALK;
            walk.residual = o.residual = refined ? 1e-4 : 0;
            result a = finish_ends(&t, o), b = finish_ends(&t, walk);
            assert_int_equal(a.k, K - 1), assert_int_equal(b.k, K - 1);
            assert_int_equal(test_group(a.certificate, "bottom"), (K - 1) / 2);
            moments_are_right(&a);
            for (int64_t j = 0; j < a.k; j++)
                assert_float_equal(a.certificate->ritz_values[j], b.certificate->ritz_values[j],
                                   1e-5);
            assert_true(a.certificate->ritz_values[0] > 0);
            assert_true(a.certificate->ritz_values[a.k - 1] < 0);
            release(&a), release(&b);
            test_close(&t);
        }
}

/* Rayleigh quotient and residual of every column less its mean by p. */
static void columns_are_judged_as_written(void **state) {
    (void)state;
    for (int g = 0; g < MAKERS; g++)
        for (int refined = 0; refined < 2; refined++) {
            cafe_context *context = test_context(2, 4);
            test_problem t = test_open(context, makers[g](context));
            int64_t n = t.op->n;
            double *p = malloc((size_t)n * sizeof *p), *q = test_dense_q(t.graph, p);
            double *image = malloc((size_t)n * sizeof *image);
            float *h = solve(&t, K, 5);
            cafe_finish_options o = scaled(0.25);
            o.residual = refined ? 1e-4 : 0;
            result r = finish(&t, K, h, o);
            assert_int_equal(r.certificate->rotated, refined);
            for (int64_t j = 0; j < r.k; j++) {
                double mean = 0, own = 0, joint = 0, square = 0;
                test_dense_times(n, q, r.z, r.k, j, image);
                for (int64_t u = 0; u < n; u++) mean += p[u] * r.z[u * r.k + j];
                for (int64_t u = 0; u < n; u++) {
                    double x = r.z[u * r.k + j] - mean;
                    own += p[u] * x * x;
                    joint += x * image[u];
                }
                for (int64_t u = 0; u < n; u++) {
                    double x = r.z[u * r.k + j] - mean;
                    double rest = p[u] > 0 ? image[u] / p[u] - joint / own * x : 0;
                    square += p[u] * rest * rest;
                }
                assert_float_equal(r.certificate->groups[0].values[j], joint / own, 1e-5);
                assert_float_equal(r.certificate->groups[0].residuals[j], sqrt(square / own), 1e-5);
            }
            release(&r), free(h), free(p), free(q), free(image);
            test_close(&t);
        }
}

/* ---- memory ---------------------------------------------------------------------------------- */

static void it_survives_failing_memory(void **state) {
    (void)state;
    test_failing memory;
    cafe_context *context = test_failing_context(&memory, 2);
    test_problem t = test_open(context, test_karate(context));
    float *h = test_block(TEST_KARATE_NODES, 5, 8);
    for (int64_t u = 0; u < TEST_KARATE_NODES; u++) h[u * 5 + 4] = h[u * 5];
    for (int refined = 0; refined < 2; refined++)
        for (long k = 0;; k++) {
            cafe_embedding *embedding = NULL;
            cafe_finish_options o = scaled(0.25);
            o.residual = refined ? 1e-2 : 0;
            long live = test_failing_arm(&memory, k);
            cafe_status status = cafe_certify(context, t.op, 5, h, &o, &embedding);
            int failed = test_failing_disarm(&memory);
            test_failing_expect(&memory, status, failed, live, context);
            cafe_embedding_free(embedding);
            if (!failed) break;
        }
    free(h);
    test_close(&t);
    assert_int_equal(atomic_load(&memory.live), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_are_centred_and_of_mean_variance_one),
        cmocka_unit_test(the_default_is_what_it_says),
        cmocka_unit_test(averaged_is_what_it_says),
        cmocka_unit_test(the_exponent_flattens_the_spectrum),
        cmocka_unit_test(no_direction_is_too_short),
        cmocka_unit_test(a_rotation_of_h_turns_the_columns),
        cmocka_unit_test(the_unit_of_the_weights_does_not_matter),
        cmocka_unit_test(the_order_of_nodes_does_not_matter),
        cmocka_unit_test(threads_give_the_same_bits),
        cmocka_unit_test(dependent_columns_are_left_out),
        cmocka_unit_test(nothing_found_is_no_column),
        cmocka_unit_test(pairs_are_those_of_the_walk_form),
        cmocka_unit_test(both_ends_are_scaled_too),
        cmocka_unit_test(columns_are_judged_as_written),
        cmocka_unit_test(it_survives_failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
