/* Points and similarities into graphs: neighbours beside brute force, kernels beside their
 * formulas, the same bits for any threads and instruction set, recall of the approximate search.
 */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cafe-private/inputs.h>

#include "failing.h"
#include "graphs.h"
#include "points/points.h"

/* ---- points ---------------------------------------------------------------------------------- */

static double test_normal(uint64_t *state) {
    double sum = -6;
    for (int i = 0; i < 12; i++) sum += (double)(test_number(state) >> 11) * 0x1p-53;
    return sum;
}

static float *random_points(int64_t n, int64_t dims, uint64_t seed) {
    float *x = malloc((size_t)(n * dims + 1) * sizeof *x);
    assert_non_null(x);
    for (int64_t i = 0; i < n * dims; i++) x[i] = (float)test_normal(&seed);
    return x;
}

/* Small integers: many ties and copies, and every distance exact. */
static float *grid_points(int64_t n, int64_t dims, int64_t values, uint64_t seed) {
    float *x = malloc((size_t)(n * dims + 1) * sizeof *x);
    assert_non_null(x);
    for (int64_t i = 0; i < n * dims; i++) x[i] = (float)(1 + test_below(&seed, values));
    return x;
}

/* Ten closed curves in 64 dimensions, a little blurred: groups of low dimension. */
static float *curved_points(int64_t n, uint64_t seed) {
    enum { DIMS = 64, GROUPS = 10, FRAME = 4 };
    float *x = malloc((size_t)(n * DIMS) * sizeof *x), *frames = random_points(40, DIMS, seed + 1);
    assert_non_null(x);
    for (int64_t u = 0; u < n; u++) {
        double t = 6.283185307 * (double)(test_number(&seed) >> 11) * 0x1p-53;
        double c[FRAME] = {cos(t), sin(t), cos(2 * t) / 2, sin(2 * t) / 2};
        for (int64_t d = 0; d < DIMS; d++) {
            double sum = 0.2 * test_normal(&seed);
            for (int f = 0; f < FRAME; f++)
                sum += c[f] * frames[((u % GROUPS) * FRAME + f) * DIMS + d];
            x[u * DIMS + d] = (float)sum;
        }
    }
    free(frames);
    return x;
}

/* ---- brute force ----------------------------------------------------------------------------- */

static double true_square(const float *x, int64_t dims, int64_t u, int64_t w) {
    double sum = 0;
    for (int64_t d = 0; d < dims; d++) {
        double e = (double)x[u * dims + d] - x[w * dims + d];
        sum += e * e;
    }
    return sum;
}

static double true_cosine(const float *x, int64_t dims, int64_t u, int64_t w) {
    double uw = 0, uu = 0, ww = 0;
    for (int64_t d = 0; d < dims; d++) {
        uw += (double)x[u * dims + d] * x[w * dims + d];
        uu += (double)x[u * dims + d] * x[u * dims + d];
        ww += (double)x[w * dims + d] * x[w * dims + d];
    }
    return uw / sqrt(uu * ww);
}

static const double *sort_by;
static int compare(const void *a, const void *b) {
    int32_t u = *(const int32_t *)a, w = *(const int32_t *)b;
    if (sort_by[u] != sort_by[w]) return sort_by[u] < sort_by[w] ? -1 : 1;
    return u < w ? -1 : u > w;
}

/* The k nearest of u by (distance, id). */
static void true_neighbours(const float *x, int64_t n, int64_t dims, int64_t u, int64_t k,
                            int32_t *ids) {
    double *squares = malloc((size_t)n * sizeof *squares);
    int32_t *order = malloc((size_t)n * sizeof *order);
    for (int64_t w = 0; w < n; w++) {
        squares[w] = w == u ? INFINITY : true_square(x, dims, u, w);
        order[w] = (int32_t)w;
    }
    sort_by = squares;
    qsort(order, (size_t)n, sizeof *order, compare);
    memcpy(ids, order, (size_t)k * sizeof *ids);
    free(squares);
    free(order);
}

static void find(cafe_context *context, const float *x, int64_t n, int64_t dims, int64_t k,
                 bool approximate, cafe_nearest *nearest) {
    cafe_points points = {n, dims, x};
    assert_int_equal(cafe_nearest_create(context, n, k, false, nearest), CAFE_OK);
    if (approximate)
        assert_int_equal(cafe_nearest_approximate(context, &points, nearest), CAFE_OK);
    else
        assert_int_equal(cafe_nearest_exact(context, &points, nearest), CAFE_OK);
}

/* ---- the search ------------------------------------------------------------------------------ */

static void test_exact_with_ties(void **state) {
    static const int64_t sizes[][4] = {{2, 1, 1, 2},    {17, 3, 16, 2}, {100, 2, 7, 3},
                                       {333, 5, 20, 3}, {70, 1, 5, 1},  {65, 33, 9, 2}};
    cafe_context *context = test_context(2, 1);
    (void)state;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        int64_t n = sizes[s][0], dims = sizes[s][1], k = sizes[s][2];
        float *x = grid_points(n, dims, sizes[s][3], 5 + s);
        int32_t *ids = malloc((size_t)k * sizeof *ids);
        cafe_nearest found;
        find(context, x, n, dims, k, false, &found);
        for (int64_t u = 0; u < n; u++) {
            true_neighbours(x, n, dims, u, k, ids);
            for (int64_t i = 0; i < k; i++) {
                assert_int_equal(found.ids[u * k + i], ids[i]);
                assert_true(found.squares[u * k + i] == true_square(x, dims, u, ids[i]));
            }
        }
        cafe_nearest_free(context, &found);
        free(ids);
        free(x);
    }
    cafe_context_free(context);
}

static void test_exact_of_reals(void **state) {
    enum { N = 500, DIMS = 37, K = 12 };
    cafe_context *context = test_context(3, 1);
    float *x = random_points(N, DIMS, 9);
    int32_t ids[K];
    cafe_nearest found;
    (void)state;
    find(context, x, N, DIMS, K, false, &found);
    for (int64_t u = 0; u < N; u++) {
        true_neighbours(x, N, DIMS, u, K, ids);
        for (int64_t i = 0; i < K; i++) {
            double mine = true_square(x, DIMS, u, found.ids[u * K + i]);
            double best = true_square(x, DIMS, u, ids[i]);
            assert_true(fabs(mine - best) <= 1e-5 * best);
            assert_true(fabs(found.squares[u * K + i] - mine) <= 1e-5 * mine);
        }
    }
    cafe_nearest_free(context, &found);
    free(x);
    cafe_context_free(context);
}

static void test_instruction_sets(void **state) {
    const cafe_distances *plain = cafe_distances_plain(), *best = cafe_distances_best();
    (void)state;
    for (int64_t dims = 1; dims < 70; dims += 3) {
        float *x = random_points(4, dims, 3), *tile = random_points(CAFE_TILE, dims, 4);
        const float *rows[CAFE_QUERIES] = {x, x + dims, x + 2 * dims, x + 3 * dims};
        float a[CAFE_QUERIES][CAFE_TILE], b[CAFE_QUERIES][CAFE_TILE];
        plain->tile(rows, tile, dims, a);
        best->tile(rows, tile, dims, b);
        assert_memory_equal(a, b, sizeof a);
        float there = best->pair(x, tile, dims), back = best->pair(tile, x, dims);
        assert_true(there == back && there == plain->pair(x, tile, dims));
        free(x);
        free(tile);
    }
}

static double recall(const cafe_nearest *exact, const cafe_nearest *found) {
    int64_t hits = 0, k = exact->k;
    for (int64_t u = 0; u < exact->n; u++)
        for (int64_t i = 0; i < k; i++)
            for (int64_t j = 0; j < k; j++) hits += exact->ids[u * k + i] == found->ids[u * k + j];
    return (double)hits / (double)(exact->n * k);
}

static void test_recall(void **state) {
    enum { N = TEST_LARGE(20000), K = 10 };
    cafe_context *context = test_context(2, 1);
    float *x = curved_points(N, 7);
    cafe_nearest exact, found;
    (void)state;
    find(context, x, N, 64, K, false, &exact);
    find(context, x, N, 64, K, true, &found);
    double share = recall(&exact, &found);
    print_message("recall of %d neighbours of %d points: %.4f\n", K, N, share);
    assert_true(share >= 0.9);
    cafe_nearest_free(context, &exact);
    cafe_nearest_free(context, &found);
    free(x);
    cafe_context_free(context);
}

/* Few points fit into a leaf: then the approximate search is exact. Copies do not trouble it. */
static void test_approximate_of_few(void **state) {
    cafe_context *context = test_context(2, 1);
    (void)state;
    for (int64_t n = 2; n < 60; n += 19) {
        float *x = grid_points(n, 3, 2, 11);
        int64_t k = n - 1 < 8 ? n - 1 : 8;
        cafe_nearest exact, found;
        find(context, x, n, 3, k, false, &exact);
        find(context, x, n, 3, k, true, &found);
        assert_memory_equal(exact.ids, found.ids, (size_t)(n * k) * sizeof *exact.ids);
        cafe_nearest_free(context, &exact);
        cafe_nearest_free(context, &found);
        free(x);
    }
    cafe_context_free(context);
}

static void test_all_copies(void **state) {
    enum { N = 3000, K = 6 };
    cafe_context *context = test_context(2, 1);
    float *x = grid_points(N, 2, 1, 1);
    cafe_nearest found;
    (void)state;
    find(context, x, N, 2, K, true, &found);
    for (int64_t i = 0; i < N * K; i++) {
        assert_in_range(found.ids[i], 0, N - 1);
        assert_int_not_equal(found.ids[i], i / K);
        assert_true(found.squares[i] == 0);
    }
    cafe_nearest_free(context, &found);
    free(x);
    cafe_context_free(context);
}

/* ---- graphs of points ------------------------------------------------------------------------ */

static cafe_graph *link_points(cafe_context *context, int64_t n, int64_t dims, const float *x,
                               const cafe_points_options *options) {
    cafe_graph *graph = NULL;
    cafe_status status = cafe_graph_from_points(context, n, dims, x, options, &graph);
    if (status != CAFE_OK) fail_msg("%s", cafe_error(context));
    return graph;
}

/* a(u,w) of the graph; 0 where there is no edge. */
static double entry(const cafe_graph *graph, int64_t u, int64_t w) {
    const int64_t *offsets;
    const int32_t *targets;
    const float *weights;
    cafe_graph_csr(graph, &offsets, &targets, &weights);
    for (int64_t i = offsets[u]; i < offsets[u + 1]; i++)
        if (targets[i] == w) return weights ? weights[i] : 1;
    return 0;
}

static bool is_among(const int32_t *ids, int64_t k, int64_t w) {
    for (int64_t i = 0; i < k; i++)
        if (ids[i] == w) return true;
    return false;
}

static double kernel_value(const float *x, int64_t dims, int64_t u, int64_t w,
                           const cafe_points_options *o, const double *widths) {
    double square = true_square(x, dims, u, w);
    if (o->kernel == CAFE_KERNEL_COSINE) return fmax(0, true_cosine(x, dims, u, w));
    if (square == 0) return 1;
    return exp(-square / (o->width > 0 ? 2 * o->width * o->width : widths[u] * widths[w]));
}

/* The whole graph from its definition. For the cosine rows of one length are given, so that
 * distances order as angles do. */
static void check_points(const float *x, int64_t n, int64_t dims, const cafe_points_options *o) {
    cafe_context *context = test_context(2, 1);
    cafe_graph *graph = link_points(context, n, dims, x, o);
    int64_t k = o->neighbours < n ? o->neighbours : n - 1;
    int32_t *ids = malloc((size_t)(n * k + 1) * sizeof *ids);
    double *widths = malloc((size_t)n * sizeof *widths), mean = 0;
    int64_t positive = 0;
    for (int64_t u = 0; u < n; u++) {
        true_neighbours(x, n, dims, u, k, ids + u * k);
        widths[u] = k > 0 ? sqrt(true_square(x, dims, u, ids[u * k + k - 1])) : 0;
        mean += widths[u];
        positive += widths[u] > 0;
    }
    for (int64_t u = 0; u < n; u++)
        if (widths[u] == 0) widths[u] = mean / (double)positive;
    for (int64_t u = 0; u < n; u++)
        for (int64_t w = 0; w < n; w++) {
            bool there = is_among(ids + u * k, k, w), back = is_among(ids + w * k, k, u);
            bool linked = u != w && (o->mutual ? there && back : there || back);
            double want = linked ? kernel_value(x, dims, u, w, o, widths) : 0;
            assert_true(fabs(entry(graph, u, w) - want) <= 2e-6);
        }
    free(ids);
    free(widths);
    cafe_graph_free(graph);
    cafe_context_free(context);
}

static void test_gaussian(void **state) {
    cafe_points_options o;
    (void)state;
    cafe_points_options_init(&o);
    for (int32_t mutual = 0; mutual < 2; mutual++)
        for (int copies = 0; copies < 2; copies++)
            for (double width = 0; width < 2; width += 1.5) {
                float *x = copies ? grid_points(90, 2, 3, 4) : random_points(90, 6, 4);
                o.mutual = mutual;
                o.width = width;
                o.neighbours = 7;
                check_points(x, 90, copies ? 2 : 6, &o);
                free(x);
            }
}

/* Rows of plus and minus 1: all of one length, angles with ties, copies and opposites. */
static void test_cosine(void **state) {
    cafe_points_options o;
    float *x = grid_points(80, 6, 2, 8);
    (void)state;
    for (int64_t i = 0; i < 480; i++) x[i] = 2 * x[i] - 3;
    cafe_points_options_init(&o);
    o.kernel = CAFE_KERNEL_COSINE;
    o.neighbours = 9;
    check_points(x, 80, 6, &o);
    o.neighbours = 79;
    check_points(x, 80, 6, &o);
    free(x);
}

/* The cosine takes no notice of lengths. */
static void test_cosine_scales(void **state) {
    enum { N = 200, DIMS = 8 };
    cafe_context *context = test_context(2, 1);
    cafe_points_options o;
    float *x = random_points(N, DIMS, 2), *y = random_points(N, DIMS, 2);
    (void)state;
    for (int64_t i = 0; i < N * DIMS; i++) y[i] *= (float)(1 << i / DIMS % 5);
    cafe_points_options_init(&o);
    o.kernel = CAFE_KERNEL_COSINE;
    cafe_graph *a = link_points(context, N, DIMS, x, &o), *b = link_points(context, N, DIMS, y, &o);
    assert_int_equal(cafe_graph_get_counts(a)->edges, cafe_graph_get_counts(b)->edges);
    for (int64_t u = 0; u < N; u++)
        for (int64_t w = 0; w < N; w++) assert_true(fabs(entry(a, u, w) - entry(b, u, w)) < 1e-6);
    cafe_graph_free(a);
    cafe_graph_free(b);
    free(x);
    free(y);
    cafe_context_free(context);
}

static void test_few_points(void **state) {
    cafe_context *context = test_context(2, 1);
    float x[] = {0, 1, 3};
    (void)state;
    cafe_graph *one = link_points(context, 1, 1, x, NULL),
               *three = link_points(context, 3, 1, x, NULL);
    assert_int_equal(cafe_graph_nodes(one), 1);
    assert_int_equal(cafe_graph_get_counts(one)->edges, 0);
    assert_int_equal(cafe_graph_get_counts(three)->edges, 3);
    cafe_graph_free(one);
    cafe_graph_free(three);
    cafe_context_free(context);
}

static void test_bad_points(void **state) {
    cafe_context *context = test_context(1, 1);
    cafe_points_options o;
    cafe_graph *graph = NULL;
    float x[] = {1, 2, 3, 4, 0, 0};
    (void)state;
    cafe_points_options_init(&o);
    o.kernel = CAFE_KERNEL_COSINE;
    assert_int_equal(cafe_graph_from_points(context, 3, 2, x, &o, &graph), CAFE_ERROR_ARGUMENT);
    assert_non_null(strstr(cafe_error(context), "row 2"));
    for (int i = 0; i < 3; i++) {
        x[3] = (float[]){NAN, INFINITY, 1e16f}[i];
        assert_int_equal(cafe_graph_from_points(context, 3, 2, x, NULL, &graph),
                         CAFE_ERROR_ARGUMENT);
        assert_non_null(strstr(cafe_error(context), "row 1"));
    }
    x[3] = 4;
    o.neighbours = 0;
    assert_int_equal(cafe_graph_from_points(context, 3, 2, x, &o, &graph), CAFE_ERROR_ARGUMENT);
    assert_int_equal(cafe_graph_from_points(context, 3, 0, x, NULL, &graph), CAFE_ERROR_ARGUMENT);
    assert_int_equal(cafe_graph_from_points(context, -1, 2, x, NULL, &graph), CAFE_ERROR_ARGUMENT);
    assert_null(graph);
    cafe_context_free(context);
}

static void assert_same_graph(const cafe_graph *a, const cafe_graph *b) {
    const int64_t *o[2];
    const int32_t *t[2];
    const float *w[2];
    cafe_graph_csr(a, &o[0], &t[0], &w[0]);
    cafe_graph_csr(b, &o[1], &t[1], &w[1]);
    int64_t n = cafe_graph_nodes(a);
    assert_int_equal(n, cafe_graph_nodes(b));
    assert_memory_equal(o[0], o[1], (size_t)(n + 1) * sizeof *o[0]);
    assert_memory_equal(t[0], t[1], (size_t)o[0][n] * sizeof *t[0]);
    assert_memory_equal(w[0], w[1], (size_t)o[0][n] * sizeof *w[0]);
}

static void test_threads(void **state) {
    enum { N = 3000, DIMS = 20 };
    float *x = random_points(N, DIMS, 6);
    (void)state;
    for (int32_t way = CAFE_APPROXIMATE_YES; way <= CAFE_APPROXIMATE_NO; way++) {
        cafe_context *first = test_context(1, 5);
        cafe_points_options o;
        cafe_points_options_init(&o);
        o.approximate = way;
        cafe_graph *want = link_points(first, N, DIMS, x, &o);
        for (int32_t threads = 2; threads < 6; threads += 3) {
            cafe_context *context = test_context(threads, 5);
            cafe_graph *graph = link_points(context, N, DIMS, x, &o);
            assert_same_graph(want, graph);
            cafe_graph_free(graph);
            cafe_context_free(context);
        }
        cafe_graph_free(want);
        cafe_context_free(first);
    }
    free(x);
}

/* ---- similarities ---------------------------------------------------------------------------- */

/* P = A/2m of the graph beside eq. (link1111) of the symmetrised matrix. */
static void check_similarity(int64_t n, int32_t diagonal, uint64_t seed) {
    cafe_context *context = test_context(2, 1);
    float *s = random_points(n, n, seed);
    cafe_similarity_options o;
    cafe_graph_counts counts;
    cafe_graph *graph = NULL;
    double least = INFINITY, sum = 0;
    cafe_similarity_options_init(&o);
    o.diagonal = diagonal;
    assert_int_equal(cafe_graph_from_similarity(context, n, s, &o, &graph), CAFE_OK);
    counts = *cafe_graph_get_counts(graph);
    for (int64_t u = 0; u < n; u++)
        for (int64_t w = 0; w < n; w++)
            if (u != w || diagonal) least = fmin(least, ((double)s[u * n + w] + s[w * n + u]) / 2);
    for (int64_t u = 0; u < n; u++)
        for (int64_t w = 0; w < n; w++)
            if (u != w || diagonal) sum += ((double)s[u * n + w] + s[w * n + u]) / 2 - least;
    for (int64_t u = 0; u < n; u++)
        for (int64_t w = 0; w < n; w++) {
            double above = ((double)s[u * n + w] + s[w * n + u]) / 2 - least;
            double want = u != w || diagonal ? above / sum : 0;
            assert_true(fabs(entry(graph, u, w) / counts.total_weight - want) < 1e-7);
        }
    cafe_graph_free(graph);
    free(s);
    cafe_context_free(context);
}

static void test_similarity(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed < 4; seed++)
        for (int32_t diagonal = 0; diagonal < 2; diagonal++) {
            check_similarity(3, diagonal, seed);
            check_similarity(40, diagonal, seed);
        }
}

static void test_bad_similarity(void **state) {
    cafe_context *context = test_context(1, 1);
    cafe_graph *graph = NULL;
    float s[] = {1, 2, NAN, 1}, same[] = {3, 3, 3, 3};
    (void)state;
    assert_int_equal(cafe_graph_from_similarity(context, 2, s, NULL, &graph), CAFE_ERROR_ARGUMENT);
    assert_non_null(strstr(cafe_error(context), "row 1"));
    assert_null(graph);
    assert_int_equal(cafe_graph_from_similarity(context, 2, same, NULL, &graph), CAFE_OK);
    assert_int_equal(cafe_graph_get_counts(graph)->edges, 0);
    cafe_graph_free(graph);
    cafe_context_free(context);
}

/* ---- memory ---------------------------------------------------------------------------------- */

typedef cafe_status failing_call(cafe_context *context, const float *x, cafe_graph **graph);

static cafe_status call_points(cafe_context *context, const float *x, cafe_graph **graph) {
    cafe_points_options o;
    cafe_points_options_init(&o);
    return cafe_graph_from_points(context, 300, 2, x, &o, graph);
}

static cafe_status call_cosine(cafe_context *context, const float *x, cafe_graph **graph) {
    cafe_points_options o;
    cafe_points_options_init(&o);
    o.kernel = CAFE_KERNEL_COSINE;
    o.approximate = CAFE_APPROXIMATE_YES;
    return cafe_graph_from_points(context, 300, 2, x, &o, graph);
}

static cafe_status call_similarity(cafe_context *context, const float *x, cafe_graph **graph) {
    return cafe_graph_from_similarity(context, 24, x, NULL, graph);
}

static void test_memory(void **state) {
    failing_call *const calls[] = {call_points, call_cosine, call_similarity};
    float *x = random_points(300, 2, 4);
    test_failing memory;
    cafe_context *context = test_failing_context(&memory, 2);
    (void)state;
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        for (long k = 0;; k++) {
            cafe_graph *graph = NULL;
            long live = test_failing_arm(&memory, k);
            cafe_status status = calls[i](context, x, &graph);
            int failed = test_failing_disarm(&memory);
            test_failing_expect(&memory, status, failed, live, context);
            cafe_graph_free(graph);
            if (!failed) break;
        }
    cafe_context_free(context);
    free(x);
}

/* Names of rows: given to the nodes, refused where two are alike, survived without memory. */
static cafe_status named_graph(cafe_context *context, const char *text, cafe_graph **graph) {
    char path[64];
    cafe_table *table = NULL;
    snprintf(path, sizeof path, "test_points_%ld.csv", (long)getpid());
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    cafe_status status = cafe_table_read(context, path, &table);
    remove(path);
    if (status == CAFE_OK)
        status = cafe_graph_from_points(context, cafe_table_rows(table), 2,
                                        cafe_table_values(table), NULL, graph);
    if (status == CAFE_OK) status = cafe_graph_name_rows(context, *graph, table);
    cafe_table_free(table);
    return status;
}

static void test_names(void **state) {
    test_failing memory;
    cafe_context *context = test_failing_context(&memory, 2);
    cafe_graph *graph = NULL;
    (void)state;
    assert_int_equal(named_graph(context, "a,1,2\nb,3,4\na,5,6\n", &graph), CAFE_ERROR_FORMAT);
    assert_non_null(strstr(cafe_error(context), "rows 0 and 2"));
    cafe_graph_free(graph);
    for (long k = 0;; k++) {
        graph = NULL;
        long live = test_failing_arm(&memory, k);
        cafe_status status = named_graph(context, "a,1,2\nb,3,4\nc,5,6\n", &graph);
        int failed = test_failing_disarm(&memory);
        if (status == CAFE_OK) assert_int_equal(cafe_graph_find(graph, "c"), 2);
        cafe_graph_free(graph);
        if (!failed) assert_int_equal(status, CAFE_OK);
        assert_int_equal(atomic_load(&memory.live), live);
        if (!failed) break;
    }
    cafe_context_free(context);
}

static void test_cancel(void **state) {
    cafe_context *context = test_context(2, 1);
    float *x = random_points(300, 2, 4);
    failing_call *const calls[] = {call_points, call_cosine, call_similarity};
    (void)state;
    cafe_cancel(context);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        cafe_graph *graph = NULL;
        assert_int_equal(calls[i](context, x, &graph), CAFE_ERROR_CANCELLED);
        assert_null(graph);
    }
    cafe_context_free(context);
    free(x);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exact_with_ties),
        cmocka_unit_test(test_exact_of_reals),
        cmocka_unit_test(test_instruction_sets),
        cmocka_unit_test(test_recall),
        cmocka_unit_test(test_approximate_of_few),
        cmocka_unit_test(test_all_copies),
        cmocka_unit_test(test_gaussian),
        cmocka_unit_test(test_cosine),
        cmocka_unit_test(test_cosine_scales),
        cmocka_unit_test(test_few_points),
        cmocka_unit_test(test_bad_points),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_similarity),
        cmocka_unit_test(test_bad_similarity),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_cancel),
        cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
