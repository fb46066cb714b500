/* Features of the nodes: principal directions against dense ones, the sum against its definition,
 * the columns of vectors, files, bits, failing memory, and what they are good for.
 */
#include <cafe-private/inputs.h>
#include <cafe-private/members.h>
#include <cafe-private/run.h>
#include <cafe-private/writers.h>

#include "dense.h"
#include "engine/processor.h"
#include "failing.h"
#include "graph/graph.h"
#include "method/node_features.h"
#include "spectral/neighbour_average.h"

enum { NODES = 90, WIDTH = 12, CLASSES = 3 };

#define REFUSED(context, call, text)                                                 \
    do {                                                                             \
        assert_int_equal(call, CAFE_ERROR_ARGUMENT);                                 \
        if (!strstr(cafe_error(context), text)) fail_msg("%s", cafe_error(context)); \
    } while (0)

/* ---- tables ---------------------------------------------------------------------------------- */

/* Few numbers other than 0 (words), or normal columns of several sizes. */
static float *numbers(int64_t n, int64_t width, bool words, uint64_t seed) {
    float *x = test_block(n, width, seed);
    for (int64_t i = 0; i < n * width; i++)
        x[i] = words ? (x[i] > 0.4F ? (float)(1 + i % 3) : 0) : x[i] * (float)(1 + i % width) + 5;
    return x;
}

static cafe_feature_inputs dense_of(int64_t width, const float *x) {
    cafe_feature_inputs in;
    cafe_feature_inputs_init(&in);
    in.columns = width, in.values = x;
    return in;
}

/* The table as the library scales it, in double precision, with centred columns. */
static double *scaled_of(int64_t n, int64_t width, bool words, const float *x) {
    double *y = calloc((size_t)(n * width), sizeof *y);
    for (int64_t j = 0; j < width; j++) {
        double count = 0, sum = 0, square = 0;
        for (int64_t u = 0; u < n; u++) {
            double value = x[u * width + j];
            count += value != 0, sum += value, square += value * value;
        }
        double sd = sqrt(square / (double)n - sum * sum / (double)(n * n));
        for (int64_t u = 0; u < n; u++)
            y[u * width + j] =
                x[u * width + j] * (words ? 1 + log((double)(1 + n) / (1 + count)) : 1 / sd);
    }
    for (int64_t u = 0; u < n && words; u++) {
        double square = 0;
        for (int64_t j = 0; j < width; j++) square += y[u * width + j] * y[u * width + j];
        for (int64_t j = 0; j < width && square > 0; j++) y[u * width + j] /= sqrt(square);
    }
    for (int64_t j = 0; j < width; j++) {
        double mean = 0;
        for (int64_t u = 0; u < n; u++) mean += y[u * width + j] / (double)n;
        for (int64_t u = 0; u < n; u++) y[u * width + j] -= mean;
    }
    return y;
}

static double dot(int64_t width, const double *x, int64_t u, int64_t w) {
    double sum = 0;
    for (int64_t j = 0; j < width; j++) sum += x[u * width + j] * x[w * width + j];
    return sum;
}

/* All directions of a table: their Gram matrix of rows is that of the table. */
static void directions_are_those_of_the_table(void **state) {
    (void)state;
    for (int words = 0; words < 2; words++) {
        cafe_context *context = test_context(2, 3);
        float *x = numbers(NODES, WIDTH, words, 7);
        cafe_feature_inputs in = dense_of(WIDTH, x);
        double *y = scaled_of(NODES, WIDTH, words, x), squares = 0;
        cafe_directions d;
        TEST_OK(context, cafe_directions_find(context, NODES, &in, 100, NULL, &d));
        assert_int_equal(d.words, words);
        assert_int_equal(d.x.columns, WIDTH);
        for (int64_t u = 0; u < NODES; u++) {
            squares += dot(WIDTH, y, u, u);
            for (int64_t w = 0; w < NODES; w++) {
                double sum = 0;
                for (int64_t k = 0; k < WIDTH; k++)
                    sum += (double)cafe_row(&d.x, u)[k] * cafe_row(&d.x, w)[k];
                assert_float_equal(sum, dot(WIDTH, y, u, w), 2e-4);
            }
        }
        assert_float_equal(d.squares, squares, 1e-4 * squares);
        for (int64_t k = 1; k < WIDTH; k++) assert_true(d.values[k] <= d.values[k - 1]);
        cafe_directions_free(context, &d);
        free(x), free(y);
        cafe_context_free(context);
    }
}

/* The first of many: their variances against all eigenvalues. */
static void first_directions_are_the_largest(void **state) {
    (void)state;
    enum { MANY = 60, FEW = 6 };
    cafe_context *context = test_context(1, 3);
    float *x = test_block(NODES, MANY, 5);
    for (int64_t i = 0; i < NODES * MANY; i++) /* two strong directions among noise */
        x[i] += (i % MANY < 20 ? 2.0F : 0) * (float)((i / MANY) % 3 == 0) +
                (i % MANY > 40 ? 1.5F : 0) * (float)((i / MANY) % 2);
    cafe_feature_inputs in = dense_of(MANY, x);
    double *y = scaled_of(NODES, MANY, false, x), *gram = calloc(NODES * NODES, sizeof *gram);
    double values[NODES];
    cafe_directions d;
    for (int64_t i = 0; i < NODES * NODES; i++) gram[i] = dot(MANY, y, i / NODES, i % NODES);
    test_dense_eigenvalues(NODES, gram, values);
    TEST_OK(context, cafe_directions_find(context, NODES, &in, FEW, NULL, &d));
    assert_int_equal(d.x.columns, FEW);
    for (int64_t k = 0; k < 2; k++) assert_float_equal(d.values[k], values[k], 1e-3 * values[k]);
    for (int64_t k = 2; k < FEW; k++) {
        assert_true(d.values[k] <= values[k] * 1.001);
        assert_true(d.values[k] >= values[k] * 0.85);
    }
    cafe_directions_free(context, &d);
    free(x), free(y), free(gram);
    cafe_context_free(context);
}

static void compressed_rows_are_dense_rows(void **state) {
    (void)state;
    cafe_context *context = test_context(1, 3);
    float *x = numbers(NODES, WIDTH, true, 9), values[NODES * WIDTH];
    int64_t offsets[NODES + 1] = {0};
    int32_t indices[NODES * WIDTH];
    cafe_feature_inputs in = dense_of(WIDTH, x), sparse = in;
    cafe_directions a, b;
    for (int64_t u = 0; u < NODES; u++) {
        offsets[u + 1] = offsets[u];
        for (int64_t j = 0; j < WIDTH; j++)
            if (x[u * WIDTH + j] != 0) {
                indices[offsets[u + 1]] = (int32_t)j;
                values[offsets[u + 1]++] = x[u * WIDTH + j];
            }
    }
    sparse.offsets = offsets, sparse.indices = indices, sparse.values = values;
    TEST_OK(context, cafe_directions_find(context, NODES, &in, WIDTH, NULL, &a));
    TEST_OK(context, cafe_directions_find(context, NODES, &sparse, WIDTH, NULL, &b));
    assert_int_equal(b.entries, offsets[NODES]);
    assert_memory_equal(a.x.x, b.x.x, (size_t)(NODES * a.x.stride) * sizeof(float));
    cafe_directions_free(context, &a);
    cafe_directions_free(context, &b);
    offsets[3] = offsets[4] + 1;
    REFUSED(context, cafe_directions_find(context, NODES, &sparse, WIDTH, NULL, &b), "ascend");
    offsets[3] = offsets[2];
    indices[1] = WIDTH;
    REFUSED(context, cafe_directions_find(context, NODES, &sparse, WIDTH, NULL, &b), "column 12");
    x[17] = NAN;
    REFUSED(context, cafe_directions_find(context, NODES, &in, WIDTH, NULL, &b), "row 1, column 5");
    for (int64_t i = 0; i < NODES * WIDTH; i++) x[i] = (float)(i % WIDTH);
    REFUSED(context, cafe_directions_find(context, NODES, &in, WIDTH, NULL, &b),
            "same for all nodes");
    free(x);
    cafe_context_free(context);
}

/* ---- the model ------------------------------------------------------------------------------- */

/* A graph with communities u % CLASSES, one node without an edge, and features of the same classes
 * or of none. */
static cafe_graph *planted(cafe_context *context, int64_t n, int64_t m, double inside) {
    test_links l = test_links_new(m);
    uint64_t seed = 11;
    for (int64_t i = 0; i < m; i++) {
        int64_t u = test_below(&seed, n - 1), w = test_below(&seed, n - 1);
        bool own = (double)(test_number(&seed) >> 11) * 0x1p-53 < inside;
        if (own) w = w - w % CLASSES + u % CLASSES;
        l.source[i] = (int32_t)u, l.target[i] = (int32_t)(w < n - 1 ? w : u);
    }
    cafe_graph *graph = test_graph(context, n, &l, 0, NULL);
    test_links_free(&l);
    return graph;
}

static float *classes(int64_t n, int64_t width, float strength, uint64_t seed) {
    float *x = test_block(n, width, seed);
    for (int64_t u = 0; u < n; u++) x[u * width + u % CLASSES] += strength;
    return x;
}

static cafe_model *model_of(cafe_context *context, const cafe_graph *graph,
                            const cafe_feature_inputs *features, const char *weight) {
    cafe_method_options o;
    cafe_method_inputs in;
    cafe_feature_options f;
    cafe_model *model;
    cafe_method_options_init(&o);
    cafe_method_inputs_init(&in);
    cafe_feature_options_init(&f);
    f.weight = weight;
    o.features = &f, in.features = features;
    TEST_OK(context,
            cafe_model_create(context, graph, cafe_method_find(NULL, "cafe"), &o, &in, &model));
    return model;
}

/* Q, D, the weight and the unit from their definitions. */
static void the_operator_is_the_sum(void **state) {
    static const char *const weights[] = {"auto", "0.7"};
    (void)state;
    for (int i = 0; i < 2; i++) {
        cafe_context *context = test_context(2, 3);
        cafe_graph *graph = planted(context, NODES, 400, 0.7);
        float *x = classes(NODES, WIDTH, 1.5F, 4);
        cafe_feature_inputs in = dense_of(WIDTH, x);
        cafe_model *model = model_of(context, graph, &in, weights[i]);
        const cafe_feature_report *f = cafe_model_features(model);
        double p[NODES], row[NODES], values[NODES], up = 0, down = 0, mean[WIDTH] = {0};
        double *q = test_dense_q(graph, p), *y = scaled_of(NODES, WIDTH, false, x);
        double *a = calloc(NODES * NODES, sizeof *a);
        for (int64_t k = 0; k < NODES * WIDTH; k++) mean[k % WIDTH] += p[k / WIDTH] * y[k];
        for (int64_t u = 0; u < NODES; u++) {
            for (int64_t w = 0; w < NODES; w++) up += q[u * NODES + w] * dot(WIDTH, y, u, w);
            for (int64_t k = 0; k < WIDTH; k++) down += p[u] * pow(y[u * WIDTH + k] - mean[k], 2);
        }
        assert_float_equal(f->correlation, up / down, 1e-5);
        double w = i ? 0.7 : up / down < 0.5 ? up / down : 0.5;
        assert_true(w > 0.01);
        assert_float_equal(f->weight, w, 1e-5);
        assert_float_equal(f->variance, 1, 1e-5);
        for (int64_t k = 0; k < NODES * NODES; k++) {
            double d = (1 - w) * p[k / NODES] + w / NODES, e = (1 - w) * p[k % NODES] + w / NODES;
            a[k] = dot(WIDTH, y, k / NODES, k % NODES) / sqrt(d * e);
        }
        test_dense_eigenvalues(NODES, a, values);
        for (int64_t u = 0; u < NODES; u += 7) {
            TEST_OK(context, cafe_operator_row(context, cafe_model_operator(model), u, row));
            for (int64_t v = 0; v < NODES; v++)
                assert_float_equal(
                    row[v], (1 - w) * q[u * NODES + v] + w * dot(WIDTH, y, u, v) / values[0], 2e-7);
        }
        free(q), free(y), free(a), free(x);
        cafe_model_free(model);
        cafe_graph_free(graph);
        cafe_context_free(context);
    }
}

/* Features that know nothing of the edges get no weight: the operator is the graph's. */
static void foreign_features_get_no_weight(void **state) {
    (void)state;
    cafe_context *context = test_context(1, 3);
    int64_t without = 0;
    for (uint64_t seed = 0; seed < 10; seed++) {
        cafe_graph *graph = planted(context, 600, 2500, 0.7);
        float *x = test_block(600, 40, 100 + seed);
        cafe_feature_inputs in = dense_of(40, x);
        cafe_model *model = model_of(context, graph, &in, NULL);
        const cafe_feature_report *f = cafe_model_features(model);
        assert_true(f->weight < 0.02);
        without += f->weight == 0;
        if (f->weight == 0) assert_null(cafe_model_operator(model)->parts.f);
        free(x);
        cafe_model_free(model);
        cafe_graph_free(graph);
    }
    assert_true(without > 1 && without < 9);
    cafe_context_free(context);
}

/* ---- vectors --------------------------------------------------------------------------------- */

static cafe_run *run_of(cafe_context *context, const cafe_graph *graph, cafe_purpose purpose,
                        const char *method, const cafe_feature_inputs *features,
                        const char *columns) {
    cafe_run *run;
    cafe_run_inputs in;
    cafe_run_inputs_init(&in);
    in.features = features;
    TEST_OK(context, cafe_run_create(context, purpose, method, &run));
    TEST_OK(context, cafe_run_set(run, "columns", columns));
    TEST_OK(context, cafe_run_graph(run, graph, NULL, NULL));
    TEST_OK(context, cafe_run_give(run, &in));
    TEST_OK(context, cafe_run_go(run));
    return run;
}

static void vectors_have_groups(void **state) {
    (void)state;
    cafe_context *context = test_context(2, 3);
    cafe_graph *graph = planted(context, NODES, 400, 0.7);
    float *x = classes(NODES, WIDTH, 1.5F, 4);
    cafe_feature_inputs in = dense_of(WIDTH, x);
    cafe_run *run = run_of(context, graph, CAFE_PURPOSE_VECTORS, "sphere", &in, "16");
    const cafe_certificate *c = cafe_embedding_certificate(cafe_run_get(run)->embedding);
    assert_int_equal(c->columns, 16);
    assert_int_equal(test_group(c, "features"), 5);
    assert_int_equal(test_group(c, "smoothed"), 5);
    assert_int_equal(c->columns - c->certified, 10 + test_group(c, "hubs"));
    for (const cafe_group *g = c->groups; g < c->groups + c->group_count; g++) {
        double mean = 0, square = 0;
        for (int64_t u = 0; u < NODES; u++)
            for (int64_t j = 0; j < g->columns; j++) {
                double v = cafe_embedding_row(cafe_run_get(run)->embedding, u)[g->first + j];
                mean += v, square += v * v;
            }
        assert_float_equal(mean / NODES, 0, 1e-4);
        double variance = strcmp(g->kind, "smoothed") == 0 ? 4 : 1;
        assert_float_equal(square / (double)(NODES * g->columns), variance, 1e-3 * variance);
        if (g->first < c->certified || strcmp(g->kind, "hubs") == 0) continue;
        assert_string_equal(g->problem, CAFE_PROBLEM_FEATURES);
        for (int64_t j = 0; j < g->columns; j++)
            assert_true(g->values[j] > 0 && g->values[j] < 1 && isnan(g->residuals[j]));
    }
    cafe_run_free(run);
    cafe_graph_free(graph);
    free(x);
    cafe_context_free(context);
}

/* W: edges and an edge of mean weight from each node to itself, over the roots of the degrees. */
static void dense_walk(const cafe_graph *graph, double *w) {
    double degree[NODES] = {0}, own = 0;
    for (int64_t j = 0; j < graph->arcs; j++)
        own += (graph->scaled ? graph->scaled[j] : 1) / (double)graph->arcs;
    memset(w, 0, NODES * NODES * sizeof *w);
    for (int64_t u = 0; u < NODES; u++) {
        w[u * NODES + u] = own;
        for (int64_t j = graph->offsets[u]; j < graph->offsets[u + 1]; j++)
            w[u * NODES + graph->targets[j]] += graph->scaled ? graph->scaled[j] : 1;
        for (int64_t v = 0; v < NODES; v++) degree[u] += w[u * NODES + v];
    }
    for (int64_t u = 0; u < NODES; u++) {
        double sum = 0;
        for (int64_t v = 0; v < NODES; v++) sum += w[u * NODES + v] /= sqrt(degree[v]);
        for (int64_t v = 0; v < NODES; v++) w[u * NODES + v] /= sum;
    }
}

/* y <- .1 x + .9 W y, twice from y = x */
static void dense_average(const double *w, const double *x, int64_t width, double *y) {
    double *old = malloc((size_t)(NODES * width) * sizeof *old);
    memcpy(y, x, (size_t)(NODES * width) * sizeof *y);
    for (int step = 0; step < 2; step++) {
        memcpy(old, y, (size_t)(NODES * width) * sizeof *y);
        for (int64_t u = 0; u < NODES; u++)
            for (int64_t j = 0; j < width; j++) {
                double sum = 0;
                for (int64_t v = 0; v < NODES; v++) sum += w[u * NODES + v] * old[v * width + j];
                y[u * width + j] = .1 * x[u * width + j] + .9 * sum;
            }
    }
    free(old);
}

/* The average against dense steps, and its transposed: <P x, y> = <x, P^T y>. */
static void averages_are_those_of_dense_steps(void **state) {
    (void)state;
    cafe_context *context = test_context(3, 3);
    cafe_graph *graph = test_random(context, NODES, 300, 1, 1, 8);
    static double w[NODES * NODES], x[NODES * 16], y[NODES * 16];
    cafe_averaging average;
    cafe_block one, other;
    double left = 0, right = 0;
    float *first = test_block(NODES, 16, 3), *second = test_block(NODES, 16, 4);
    one = cafe_block_rows(NODES, 16, 16, first), other = cafe_block_rows(NODES, 16, 16, second);
    dense_walk(graph, w);
    TEST_OK(context, cafe_averaging_open(context, graph, &average));
    for (int64_t i = 0; i < NODES * 16; i++) x[i] = first[i];
    dense_average(w, x, 16, y);
    for (int64_t i = 0; i < NODES * 16; i++) right += y[i] * second[i];
    TEST_OK(context, cafe_average(context, &average, true, &other));
    for (int64_t i = 0; i < NODES * 16; i++) left += x[i] * second[i];
    assert_float_equal(left, right, 1e-4);
    TEST_OK(context, cafe_average(context, &average, false, &one));
    for (int64_t i = 0; i < NODES * 16; i++) assert_float_equal(first[i], y[i], 1e-5);
    cafe_averaging_close(context, &average);
    cafe_graph_free(graph);
    free(first), free(second);
    cafe_context_free(context);
}

/* All directions of the averaged table: the sum of their variances is that of dense steps. */
static void smoothed_columns_are_those_of_averages(void **state) {
    (void)state;
    cafe_context *context = test_context(2, 3);
    cafe_graph *graph = planted(context, NODES, 400, 0.7);
    float *x = numbers(NODES, WIDTH, false, 6);
    cafe_feature_inputs in = dense_of(WIDTH, x);
    cafe_model *model = model_of(context, graph, &in, NULL);
    static double w[NODES * NODES], y[NODES * WIDTH];
    double *first = scaled_of(NODES, WIDTH, false, x);
    double values[2 * WIDTH], found = 0, true_sum = 0, whole = 0;
    dense_walk(graph, w);
    dense_average(w, first, WIDTH, y);
    for (int64_t j = 0; j < WIDTH; j++) {
        double mean = 0;
        for (int64_t u = 0; u < NODES; u++) mean += y[u * WIDTH + j] / NODES;
        for (int64_t u = 0; u < NODES; u++) {
            true_sum += (y[u * WIDTH + j] - mean) * (y[u * WIDTH + j] - mean);
            whole += first[u * WIDTH + j] * first[u * WIDTH + j];
        }
    }
    cafe_block block;
    TEST_OK(context, cafe_feature_block(context, model->features, WIDTH, &block, values));
    for (int64_t j = WIDTH; j < 2 * WIDTH; j++) found += values[j];
    assert_float_equal(found, true_sum / whole, 1e-4);
    cafe_block_drop(context, &block);
    cafe_model_free(model);
    cafe_graph_free(graph);
    free(x), free(first);
    cafe_context_free(context);
}

/* The share of nodes whose class is that of the nearest class mean. */
static double nearest_mean(const cafe_embedding *e, int64_t n) {
    int64_t columns = cafe_embedding_certificate(e)->columns;
    double *means = calloc((size_t)(CLASSES * columns), sizeof *means), right = 0;
    for (int64_t u = 0; u < n; u++)
        for (int64_t j = 0; j < columns; j++)
            means[u % CLASSES * columns + j] += cafe_embedding_row(e, u)[j] * CLASSES / (double)n;
    for (int64_t u = 0; u < n; u++) {
        double best = INFINITY;
        int64_t nearest = 0;
        for (int64_t c = 0; c < CLASSES; c++) {
            double far = 0;
            for (int64_t j = 0; j < columns; j++)
                far += pow(cafe_embedding_row(e, u)[j] - means[c * columns + j], 2);
            if (far < best) best = far, nearest = c;
        }
        right += nearest == u % CLASSES;
    }
    free(means);
    return right / (double)n;
}

/* Graph and features tell more together than either alone; so do soft clusters. */
static void both_tell_more_than_either(void **state) {
    (void)state;
    enum { MANY = 900 };
    cafe_context *context = test_context(2, 3);
    cafe_graph *graph = planted(context, MANY, 2400, 0.45),
               *blind = planted(context, MANY, 2400, 0);
    float *x = classes(MANY, WIDTH, 0.8F, 4), *noise = classes(MANY, WIDTH, 0, 5);
    cafe_feature_inputs told = dense_of(WIDTH, x), untold = dense_of(WIDTH, noise);
    const cafe_graph *graphs[] = {graph, graph, blind};
    const cafe_feature_inputs *features[] = {&told, &untold, &told};
    double right[3], objective[2];
    for (int i = 0; i < 3; i++) {
        cafe_run *run =
            run_of(context, graphs[i], CAFE_PURPOSE_VECTORS, "sphere", features[i], "8");
        right[i] = nearest_mean(cafe_run_get(run)->embedding, MANY);
        cafe_run_free(run);
    }
    assert_true(right[0] > right[1] + 0.05 && right[0] > right[2] + 0.05);
    for (int i = 0; i < 2; i++) {
        double count[CLASSES * CLASSES] = {0}, agree = 0;
        cafe_run *run =
            run_of(context, graph, CAFE_PURPOSE_COMMUNITIES, "softmax", i ? &told : NULL, "3");
        const cafe_clustering_info *info = cafe_clustering_get(cafe_run_get(run)->clustering);
        for (int64_t u = 0; u < MANY; u++)
            if (info->partition[u] < CLASSES)
                count[u % CLASSES * CLASSES + info->partition[u]] += 1.0 / MANY;
        for (int64_t k = 0; k < CLASSES * CLASSES; k++) agree += count[k] * count[k];
        objective[i] = agree;
        cafe_run_free(run);
    }
    assert_true(objective[1] > objective[0]);
    cafe_graph_free(graph);
    cafe_graph_free(blind);
    free(x), free(noise);
    cafe_context_free(context);
}

/* Of two random nodes: are they in one community exactly if they are of one class? */
static double pairs_right(const int32_t *part, int64_t n) {
    double right = 0;
    for (int64_t u = 0; u < n; u++)
        for (int64_t w = 0; w < n; w++)
            right += (part[u] == part[w]) == (u % CLASSES == w % CLASSES);
    return right / (double)(n * n);
}

/* Sum over pairs in a community of q(u,w), in which the null model of the graph counts r times. */
static double dense_modularity(cafe_context *context, const cafe_run_results *found, double r) {
    const int32_t *part = cafe_clustering_get(found->clustering)->partition;
    const double *p = cafe_model_plain(found->model)->parts.p;
    double sum = 0, *row = malloc((size_t)found->op->n * sizeof *row);
    for (int64_t u = 0; u < found->op->n; u++) {
        TEST_OK(context, cafe_operator_row(context, found->op, u, row));
        for (int64_t w = 0; w < found->op->n; w++)
            if (part[u] == part[w])
                sum += row[w] - (r - 1) * (1 - found->features->weight) * p[u] * p[w];
    }
    free(row);
    return sum;
}

/* Hard communities: the value is that of the definition at any resolution, the same for any
 * threads, and the classes are found better than without features. */
static void layers_take_features(void **state) {
    (void)state;
    enum { MANY = 600 };
    static const char *const resolutions[] = {"1", "1", "1.6"};
    static const int32_t threads[] = {1, 2, 3, 8};
    float *x = classes(MANY, WIDTH, 1.5F, 4);
    cafe_feature_inputs told = dense_of(WIDTH, x);
    double right[3];
    for (int i = 0; i < 3; i++) {
        int32_t first[MANY];
        for (int t = 0; t < 4; t++) {
            cafe_context *context = test_context(threads[t], 3);
            cafe_graph *graph = planted(context, MANY, 1800, 0.5);
            cafe_run_inputs in;
            cafe_run *run;
            cafe_run_inputs_init(&in);
            in.features = i > 0 ? &told : NULL;
            TEST_OK(context, cafe_run_create(context, CAFE_PURPOSE_COMMUNITIES, "layers", &run));
            TEST_OK(context, cafe_run_set(run, "resolution", resolutions[i]));
            if (i > 0) TEST_OK(context, cafe_run_set(run, "feature-weight", "0.4"));
            TEST_OK(context, cafe_run_graph(run, graph, NULL, NULL));
            TEST_OK(context, cafe_run_give(run, &in));
            TEST_OK(context, cafe_run_go(run));
            const cafe_run_results *found = cafe_run_get(run);
            const cafe_clustering_info *info = cafe_clustering_get(found->clustering);
            if (i > 0 && t == 0)
                assert_float_equal(info->modularity,
                                   dense_modularity(context, found, i == 2 ? 1.6 : 1), 1e-6);
            right[i] = pairs_right(info->partition, MANY);
            if (t == 0) memcpy(first, info->partition, sizeof first);
            assert_memory_equal(first, info->partition, sizeof first);
            cafe_run_free(run);
            cafe_graph_free(graph);
            cafe_context_free(context);
        }
    }
    if (!(right[1] > right[0] + 0.1)) fail_msg("%g and %g", right[0], right[1]);
    free(x);
}

/* The lists of communities against correlations computed one by one. */
static void communities_name_their_features(void **state) {
    (void)state;
    cafe_context *context = test_context(1, 3);
    test_problem t = test_open(context, planted(context, NODES, 400, 0.7));
    float *x = classes(NODES, WIDTH, 2, 4), *v = test_block(NODES, 3, 8);
    int32_t part[NODES];
    cafe_explain_options o;
    cafe_explanation *e;
    cafe_explain_options_init(&o);
    o.top = 4;
    for (int32_t u = 0; u < NODES; u++) part[u] = u % CLASSES, x[u * WIDTH + 7] = 1;
    TEST_OK(context, cafe_explain(context, t.op, 3, v, part, &o, &e));
    cafe_listed lists[CLASSES * 4];
    TEST_OK(context, cafe_explain_features(context, e, WIDTH, x, lists));
    for (int c = 0; c < CLASSES; c++)
        for (int64_t i = 0; i < WIDTH; i++) {
            double a = 0, b = 0, ab = 0, aa = 0, bb = 0, r;
            int place = 0;
            for (int64_t u = 0; u < NODES; u++) {
                double in = u % CLASSES == c, y = x[u * WIDTH + i];
                a += in, b += y, ab += in * y, aa += in * in, bb += y * y;
            }
            r = (ab - a * b / NODES) / sqrt((aa - a * a / NODES) * (bb - b * b / NODES));
            while (place < 4 && lists[c * 4 + place].index != i) place++;
            if (place < 4) assert_float_equal(lists[c * 4 + place].value, r, 1e-9);
            if (place == 4 && i != 7) assert_true(fabs(r) <= fabs(lists[c * 4 + 3].value) + 1e-12);
            if (i == c) assert_int_equal(place, 0); /* the feature of the class */
            if (i == 7) assert_int_equal(place, 4); /* a constant */
        }
    cafe_explanation_free(e);
    test_close(&t);
    free(x), free(v);
}

static void threads_do_not_change_the_bits(void **state) {
    (void)state;
    float *first = malloc(NODES * 16 * sizeof *first), *now = malloc(NODES * 16 * sizeof *now);
    float *x = numbers(NODES, WIDTH, true, 4);
    cafe_feature_inputs in = dense_of(WIDTH, x);
    for (size_t i = 0; i < TEST_THREADS; i++) {
        cafe_context *context = test_context(test_thread_counts[i], 3);
        cafe_graph *graph = planted(context, NODES, 400, 0.7);
        cafe_run *run = run_of(context, graph, CAFE_PURPOSE_VECTORS, "sphere", &in, "16");
        TEST_OK(context, cafe_embedding_copy(cafe_run_get(run)->embedding, i ? now : first));
        if (i) assert_memory_equal(first, now, NODES * 16 * sizeof *first);
        cafe_run_free(run);
        cafe_graph_free(graph);
        cafe_context_free(context);
    }
    free(first), free(now), free(x);
}

static void every_failure_of_memory_is_met(void **state) {
    (void)state;
    test_failing memory;
    cafe_context *context = test_failing_context(&memory, 1);
    cafe_graph *graph = planted(context, 40, 120, 0.7);
    float *x = classes(40, 5, 1, 4);
    cafe_feature_inputs features = dense_of(5, x);
    cafe_method_inputs in;
    cafe_method_inputs_init(&in);
    in.features = &features;
    for (long k = 0;; k++) {
        cafe_embedding *e = NULL;
        long live = test_failing_arm(&memory, k);
        cafe_status status = cafe_embed(context, graph, NULL, NULL, &in, &e);
        int failed = test_failing_disarm(&memory);
        if (status == CAFE_OK) cafe_embedding_free(e);
        test_failing_expect(&memory, status, failed, live, context);
        if (!failed) break;
    }
    free(x);
    cafe_graph_free(graph);
    cafe_context_free(context);
}

static void what_does_not_go_together_is_refused(void **state) {
    (void)state;
    cafe_context *context = test_context(1, 3);
    cafe_graph *graph = planted(context, NODES, 400, 0.7);
    float *x = classes(NODES, WIDTH, 1, 4);
    cafe_feature_inputs features = dense_of(WIDTH, x);
    cafe_run_inputs in;
    cafe_run *run;
    cafe_run_inputs_init(&in);
    in.features = &features;
    TEST_OK(context, cafe_run_create(context, CAFE_PURPOSE_COMMUNITIES, "layers", &run));
    TEST_OK(context, cafe_run_give(run, &in));
    TEST_OK(context, cafe_run_set(run, "resolution", "0"));
    TEST_OK(context, cafe_run_graph(run, graph, NULL, NULL));
    REFUSED(context, cafe_run_go(run), "resolution=0");
    cafe_run_free(run);
    TEST_OK(context, cafe_run_create(context, CAFE_PURPOSE_VECTORS, "spectral", &run));
    TEST_OK(context, cafe_run_give(run, &in));
    REFUSED(context, cafe_run_check(run), "sphere");
    cafe_run_free(run);
    TEST_OK(context, cafe_run_create(context, CAFE_PURPOSE_VECTORS, "sphere", &run));
    REFUSED(context, cafe_run_set(run, "feature-weight", "1"), "0.99");
    TEST_OK(context, cafe_run_set(run, "feature-weight", "0.5"));
    REFUSED(context, cafe_run_check(run), "goes with");
    cafe_run_free(run);
    TEST_OK(context, cafe_run_create(context, CAFE_PURPOSE_COMMUNITIES, "softmax", &run));
    TEST_OK(context, cafe_run_set(run, "resolution", "2"));
    TEST_OK(context, cafe_run_graph(run, graph, NULL, NULL));
    TEST_OK(context, cafe_run_give(run, &in));
    REFUSED(context, cafe_run_go(run), "resolution");
    cafe_run_free(run);
    cafe_graph_free(graph);
    free(x);
    cafe_context_free(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(directions_are_those_of_the_table),
        cmocka_unit_test(first_directions_are_the_largest),
        cmocka_unit_test(compressed_rows_are_dense_rows),
        cmocka_unit_test(the_operator_is_the_sum),
        cmocka_unit_test(foreign_features_get_no_weight),
        cmocka_unit_test(vectors_have_groups),
        cmocka_unit_test(averages_are_those_of_dense_steps),
        cmocka_unit_test(smoothed_columns_are_those_of_averages),
        cmocka_unit_test(both_tell_more_than_either),
        cmocka_unit_test(layers_take_features),
        cmocka_unit_test(communities_name_their_features),
        cmocka_unit_test(threads_do_not_change_the_bits),
        cmocka_unit_test(every_failure_of_memory_is_met),
        cmocka_unit_test(what_does_not_go_together_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
