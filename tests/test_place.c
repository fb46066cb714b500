/* The bound of placed rows against full runs. The graph is made again with the new node in it, and
 * its eigenvectors are found from the dense matrix and turned to the old rows. The new node's row
 * is within the bound.
 */
#include <stdio.h>

#include "dense.h"
#include "engine/dense.h"

enum { MOST = 12 };

/* Blocks of nodes that are linked with probability `inside`, else `between`; node n - 1 last. */
static test_links planted(int64_t n, int64_t blocks, double inside, double between, int weighted,
                          uint64_t *state) {
    test_links l = test_links_new(n * n);
    l.count = 0;
    for (int64_t u = 0; u < n; u++)
        for (int64_t w = u + 1; w < n; w++) {
            double draw = (double)(test_number(state) >> 11) * 0x1p-53;
            if (draw >= (u % blocks == w % blocks ? inside : between)) continue;
            l.source[l.count] = (int32_t)u, l.target[l.count] = (int32_t)w;
            l.weights[l.count++] = weighted ? (float)(1 + test_below(state, 8)) / 4 : 1;
        }
    return l;
}

/* The K dominant eigenvectors of a dense symmetric matrix, n x K. */
static double *dominant(cafe_context *context, int64_t n, int64_t k, double *q) {
    double *values = malloc((size_t)n * sizeof *values);
    double *v = malloc((size_t)(n * k) * sizeof *v);
    TEST_OK(context, cafe_dense_eigen(context, n, q, values));
    for (int64_t u = 0; u < n; u++)
        for (int64_t j = 0; j < k; j++) v[u * k + j] = q[u * n + j];
    free(values);
    return v;
}

/* D^-1/2 Q D^-1/2 */
static void scale_q(int64_t n, const double *p, double *q) {
    for (int64_t i = 0; i < n * n; i++) {
        double both = p[i / n] * p[i % n];
        q[i] = both > 0 ? q[i] / sqrt(both) : 0;
    }
}

/* Q of links that weigh a(u,w) / (d_u d_w)^x. */
static double *dense_q(const cafe_graph *graph, double x, double *p) {
    int64_t n = cafe_graph_nodes(graph);
    double *degree = malloc((size_t)n * sizeof *degree), *q = test_dense_q(graph, degree);
    double total = 0;
    for (int64_t u = 0; u < n; u++) {
        p[u] = 0;
        for (int64_t w = 0; w < n; w++) {
            double both = degree[u] * degree[w];
            q[u * n + w] = both > 0 ? (q[u * n + w] + both) / pow(both, x) : 0;
            p[u] += q[u * n + w];
        }
        total += p[u];
    }
    for (int64_t u = 0; u < n; u++) p[u] /= total;
    for (int64_t i = 0; i < n * n; i++) q[i] = q[i] / total - p[i / n] * p[i % n];
    free(degree);
    return q;
}

/* The orthogonal factor of A (k x k): X <- X (3 I - X^T X) / 2, for singular values in (0,1]. */
static void polar(int64_t k, double *x) {
    double gram[MOST * MOST], next[MOST * MOST];
    for (int round = 0; round < 200; round++) {
        for (int64_t i = 0; i < k * k; i++) {
            gram[i] = i / k == i % k ? 3 : 0;
            for (int64_t l = 0; l < k; l++) gram[i] -= x[l * k + i / k] * x[l * k + i % k];
        }
        for (int64_t i = 0; i < k * k; i++) {
            next[i] = 0;
            for (int64_t l = 0; l < k; l++) next[i] += x[i / k * k + l] * gram[l * k + i % k] / 2;
        }
        memcpy(x, next, (size_t)(k * k) * sizeof *x);
    }
}

/* A <- A G^-1/2 for a symmetric k x k matrix G. */
static void divide_root(cafe_context *context, int64_t k, double *gram, double *a) {
    double values[MOST], half[MOST * MOST] = {0}, product[MOST * MOST] = {0};
    TEST_OK(context, cafe_dense_eigen(context, k, gram, values));
    for (int64_t i = 0; i < k * k; i++)
        for (int64_t l = 0; l < k; l++)
            half[i] += gram[i / k * k + l] * gram[i % k * k + l] / sqrt(values[l]);
    for (int64_t i = 0; i < k * k; i++)
        for (int64_t l = 0; l < k; l++) product[i] += a[i / k * k + l] * half[l * k + i % k];
    memcpy(a, product, sizeof product);
}

/* How far the placed row is from that of the full run `now` (n x k). The full run is turned to the
 * old rows; for the walk also to the placed one, in the norm of the new node weights p. Column j
 * counts by lengths[j]. */
static double distance(cafe_context *context, int64_t n, int64_t k, const double *now,
                       const float *old, const float *placed, const double *p,
                       const double *lengths) {
    double turn[MOST * MOST] = {0}, gram[MOST * MOST] = {0}, sum = 0;
    for (int64_t u = 0; u + (p ? 0 : 1) < n; u++) {
        const float *row = u + 1 < n ? old + u * k : placed;
        for (int64_t i = 0; i < k * k; i++) {
            turn[i] += (p ? p[u] : 1) * now[u * k + i / k] * row[i % k];
            gram[i] += (p ? p[u] : 1) * (double)row[i / k] * row[i % k];
        }
    }
    divide_root(context, k, gram, turn);
    polar(k, turn);
    for (int64_t j = 0; j < k; j++) {
        double y = 0;
        for (int64_t l = 0; l < k; l++) y += now[(n - 1) * k + l] * turn[l * k + j];
        sum += (y - placed[j]) * (y - placed[j]) * lengths[j] * lengths[j];
    }
    return sqrt(sum);
}

typedef struct outcome {
    double bound, distance, length;
} outcome;

/* The scaled form: columns of some length, less their plain means; and back, by their means and
 * lengths in the walk's problem. */
static void scale_columns(int64_t n, int64_t k, float *x) {
    for (int64_t j = 0; j < k; j++) {
        double mean = 0;
        for (int64_t u = 0; u < n; u++) mean += x[u * k + j] *= (float)(j + 1) / 2;
        for (int64_t u = 0; u < n; u++) x[u * k + j] -= (float)(mean / (double)n);
    }
}

static void find_scale(int64_t n, int64_t k, const double *p, const float *x, double *means,
                       double *lengths) {
    for (int64_t j = 0; j < k; j++) {
        double square = means[j] = 0;
        for (int64_t u = 0; u < n; u++) means[j] += p[u] * x[u * k + j];
        for (int64_t u = 0; u < n; u++) square += p[u] * pow(x[u * k + j] - means[j], 2);
        lengths[j] = sqrt(square);
    }
}

static void unscale(int64_t n, int64_t k, const double *means, const double *lengths, float *x) {
    for (int64_t i = 0; i < n * k; i++) x[i] = (float)((x[i] - means[i % k]) / lengths[i % k]);
}

/* The last node's links are those of the new one. */
static outcome try_graph(uint64_t seed, cafe_place_form form, double x) {
    uint64_t state = seed;
    int64_t n = 40 + test_below(&state, 160), k = 1 + test_below(&state, 5), at = 0;
    int weighted = test_below(&state, 2), exact = test_below(&state, 3) > 0;
    double inside = 0.3 + 0.07 * (double)test_below(&state, 10);
    test_links l =
        planted(n, k + 1, inside, 0.02 * (double)test_below(&state, 5), weighted, &state);
    cafe_context *context = test_context(2, seed);
    cafe_graph *whole = test_graph(context, n, &l, 1, NULL), *graph;
    int32_t *targets = malloc((size_t)n * sizeof *targets);
    float *weights = malloc((size_t)n * sizeof *weights);
    int64_t kept = 0, offsets[2] = {0};
    for (int64_t i = 0; i < l.count; i++)
        if (l.target[i] == n - 1 && (at < 1 || test_below(&state, 2))) {
            targets[at] = l.source[i], weights[at++] = l.weights[i];
        } else if (l.target[i] != n - 1) {
            l.source[kept] = l.source[i], l.target[kept] = l.target[i];
            l.weights[kept++] = l.weights[i];
        }
    for (int64_t i = 0; i < at; i++) { /* the graph with the node in it */
        l.source[kept + i] = targets[i], l.target[kept + i] = (int32_t)n - 1;
        l.weights[kept + i] = weights[i];
    }
    cafe_graph_free(whole);
    cafe_graph_options named;
    cafe_graph_options_init(&named);
    l.count = kept + at, offsets[1] = at;
    whole = test_graph(context, n, &l, 1, NULL);
    l.count = kept;
    graph = test_graph(context, n - 1, &l, 1, NULL);
    double *p = malloc((size_t)n * sizeof *p), *q = dense_q(graph, x, p), *v, *now;
    bool walk = form != CAFE_PLACE_RITZ, scaled = form == CAFE_PLACE_SCALED;
    double means[MOST], lengths[MOST];
    for (int64_t j = 0; j < k; j++) lengths[j] = 1;
    if (walk) scale_q(n - 1, p, q);
    float *old = malloc((size_t)(n * k) * sizeof *old), placed[MOST];
    v = dominant(context, n - 1, k, q);
    for (int64_t i = 0; i < (n - 1) * k; i++) /* eigenvectors, or somewhat off */
        old[i] = (float)(v[i] + (exact ? 0 : 1e-4 * ((double)test_below(&state, 1000) / 500 - 1)));
    if (walk)
        for (int64_t i = 0; i < (n - 1) * k; i++)
            old[i] = p[i / k] > 0 ? (float)(old[i] / sqrt(p[i / k])) : 0;
    if (scaled) {
        scale_columns(n - 1, k, old);
        find_scale(n - 1, k, p, old, means, lengths);
    }
    free(q);
    q = dense_q(whole, x, p);
    if (walk) scale_q(n, p, q);
    now = dominant(context, n, k, q);
    for (int64_t i = 0; i < n * k && walk; i++) now[i] = p[i / k] > 0 ? now[i] / sqrt(p[i / k]) : 0;
    cafe_new_links *links = NULL;
    cafe_place_options o;
    cafe_place_options_init(&o);
    o.degree_exponent = x;
    o.form = form;
    outcome found = {0};
    TEST_OK(context, cafe_new_links_from_csr(context, graph, 1, offsets, targets, weights, &links));
    TEST_OK(context, cafe_place_nodes(context, graph, k, old, links, &o, placed));
    TEST_OK(context, cafe_place_bound(context, graph, k, old, links, &o, placed, &found.bound));
    if (scaled) unscale(n - 1, k, means, lengths, old), unscale(1, k, means, lengths, placed);
    found.distance = distance(context, n, k, now, old, placed, walk ? p : NULL, lengths);
    for (int64_t j = 0; j < k; j++) found.length += pow(placed[j] * lengths[j], 2);
    found.length = sqrt(found.length);
    cafe_new_links_free(links);
    cafe_graph_free(graph), cafe_graph_free(whole);
    cafe_context_free(context);
    test_links_free(&l);
    free(targets), free(weights), free(p), free(q), free(v), free(now), free(old);
    return found;
}

static void check_form(cafe_place_form form, double x, int least_useful) {
    int runs = x > 0 ? 80 : 400, bounded = 0, useful = 0;
    double tightest = INFINITY;
    for (uint64_t seed = 1; seed <= (uint64_t)runs; seed++) {
        outcome o = try_graph(seed * 7 + 1, form, x);
        if (!(o.distance <= o.bound))
            fail_msg("seed %d, exponent %g: %g away, the bound is %g", (int)seed, x, o.distance,
                     o.bound);
        bounded += isfinite(o.bound);
        useful += o.bound < o.length;
        tightest = fmin(tightest, o.bound / o.distance);
    }
    printf(
        "exponent %g: %d of %d bounded, %d by less than the row's length; at best %.2g of the "
        "distance\n",
        x, bounded, runs, useful, tightest);
    assert_true(useful > least_useful);
}

static void full_runs_are_within_the_bound(void **state) {
    (void)state;
    check_form(CAFE_PLACE_RITZ, 0, 50);
    check_form(CAFE_PLACE_RITZ, 0.25, 5);
    if (TEST_SANITIZED) return; /* the same code */
    check_form(CAFE_PLACE_RITZ, 0.5, 2);
}

static void full_runs_of_the_walk_are_within_the_bound(void **state) {
    (void)state;
    check_form(CAFE_PLACE_WALK, 0, 10);
    if (TEST_SANITIZED) return; /* the same code */
    check_form(CAFE_PLACE_WALK, 0.25, 10);
    check_form(CAFE_PLACE_WALK, 0.5, 5);
}

static void full_runs_of_the_scaled_form_are_within_the_bound(void **state) {
    (void)state;
    check_form(CAFE_PLACE_SCALED, 0.25, 10);
    if (TEST_SANITIZED) return; /* the same code */
    check_form(CAFE_PLACE_SCALED, 0, 10);
    check_form(CAFE_PLACE_SCALED, 0.5, 5);
}

/* Where no bound is known, none is given. */
static void other_forms_have_no_bound(void **state) {
    static const int64_t offsets[] = {0, 2, 2};
    static const int32_t targets[] = {1, 2};
    static const int32_t forms[] = {CAFE_PLACE_RAW, CAFE_PLACE_WALK, CAFE_PLACE_RITZ,
                                    CAFE_PLACE_SCALED};
    cafe_context *context = test_context(1, 1);
    cafe_graph *graph = test_karate(context);
    cafe_new_links *links = NULL;
    float *rows = test_block(TEST_KARATE_NODES, 4, 3), placed[8] = {0};
    double bound[2];
    (void)state;
    TEST_OK(context, cafe_new_links_from_csr(context, graph, 2, offsets, targets, NULL, &links));
    for (int i = 0; i < 4; i++) { /* but for the first: columns that are no eigenvectors */
        cafe_place_options o;
        cafe_place_options_init(&o);
        o.degree_exponent = 0; /* vectors are of Q itself */
        o.form = forms[i];
        bound[0] = bound[1] = 0;
        TEST_OK(context, cafe_place_bound(context, graph, 4, rows, links, &o, placed, bound));
        assert_true(isinf(bound[0]) && isinf(bound[1]));
    }
    free(rows);
    cafe_new_links_free(links);
    cafe_graph_free(graph);
    cafe_context_free(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(full_runs_are_within_the_bound),
        cmocka_unit_test(full_runs_of_the_walk_are_within_the_bound),
        cmocka_unit_test(full_runs_of_the_scaled_form_are_within_the_bound),
        cmocka_unit_test(other_forms_have_no_bound),
    };
    return cmocka_run_group_tests_name("place", tests, NULL, NULL);
}
