/* Prediction: probabilities, the smoothing against a dense one, several classes, the same bits. */
#include "dense.h"
#include "failing.h"

#include "predict/predict.h"

enum { BLOCKS = 3, SIZE = 40, N = BLOCKS * SIZE };

/* Three blocks; within one an edge is twelve times as likely as between two. */
static cafe_graph *blocks(cafe_context *context, uint64_t seed) {
    test_links l = test_links_new((int64_t)N * N / 2);
    int64_t count = 0;
    for (int32_t u = 0; u < N; u++)
        for (int32_t w = 0; w < u; w++)
            if (test_below(&seed, 100) < (u / SIZE == w / SIZE ? 24 : 2))
                l.source[count] = u, l.target[count++] = w;
    l.count = count;
    cafe_graph *graph = test_graph(context, N, &l, 0, NULL);
    test_links_free(&l);
    return graph;
}

/* Every k-th node is known: its block; with `several` also a second class for every other one. */
typedef struct known {
    cafe_targets targets;
    int64_t offsets[N + 1];
    int32_t value[2 * N];
} known;

static void know(known *k, int64_t every, bool several) {
    int64_t used = 0;
    for (int64_t u = 0; u < N; u++) {
        if (u % every == 0) k->value[used++] = (int32_t)(u / SIZE);
        if (u % every == 0 && several && u % 2 == 0) k->value[used++] = BLOCKS;
        k->offsets[u + 1] = used;
    }
    k->offsets[0] = 0;
    k->targets = (cafe_targets){N, BLOCKS + several, k->offsets, k->value};
}

static cafe_prediction *predict(cafe_context *context, const cafe_graph *graph, const known *k,
                                int32_t by) {
    cafe_predict_inputs in;
    cafe_predict_options o;
    cafe_prediction *found = NULL;
    cafe_predict_inputs_init(&in);
    cafe_predict_options_init(&o);
    in.graph = graph;
    in.known = &k->targets;
    o.by = by;
    TEST_OK(context, cafe_predict(context, &in, &o, &found));
    return found;
}

static int64_t classes_of(const cafe_prediction *found, int64_t u, const int32_t **class) {
    const int64_t *offsets;
    cafe_prediction_classes(found, &offsets, class);
    *class += offsets[u];
    return offsets[u + 1] - offsets[u];
}

static void blocks_are_found_by_every_predictor(void **state) {
    (void)state;
    static known k;
    cafe_context *context = test_context(2, 1);
    cafe_graph *graph = blocks(context, 5);
    know(&k, 4, false);
    for (int32_t by = CAFE_PREDICT_AUTO; by <= CAFE_PREDICT_COMBINED; by++) {
        cafe_prediction *found = predict(context, graph, &k, by);
        const cafe_predict_figures *f = cafe_prediction_figures(found);
        const float *p = cafe_prediction_probabilities(found);
        int64_t right = 0;
        for (int64_t u = 0; u < N; u++) {
            const int32_t *class;
            double sum = 0;
            assert_int_equal(classes_of(found, u, &class), 1);
            right += *class == u / SIZE;
            for (int64_t c = 0; c < BLOCKS; c++) {
                sum += p[u * BLOCKS + c];
                assert_true(p[u * BLOCKS + c] <= p[u * BLOCKS + *class]);
            }
            assert_true(fabs(sum - 1) < 1e-5);
            if (u % 4 == 0) assert_true(p[u * BLOCKS + u / SIZE] == 1);
        }
        assert_true(right > .9 * N);
        assert_int_equal(f->known, N / 4);
        assert_int_equal(f->held_out, N / 4);
        bool all = by == CAFE_PREDICT_AUTO || by == CAFE_PREDICT_COMBINED;
        assert_int_equal(f->trials, all ? 6 : 1);
        assert_true(f->accuracy > .8 && f->accuracy <= 1 && f->error > 0 && f->error < .1);
        assert_true(f->log_loss < f->frequency_log_loss);
        assert_true(by == CAFE_PREDICT_AUTO || f->trial[0].accuracy == f->accuracy);
        cafe_prediction_free(found);
    }
    cafe_graph_free(graph);
    cafe_context_free(context);
}

/* Classes that have nothing to do with the graph: no better than their frequencies, and said so. */
static void nothing_to_learn_is_reported(void **state) {
    (void)state;
    static known k;
    cafe_context *context = test_context(1, 1);
    cafe_graph *graph = blocks(context, 6);
    uint64_t seed = 9;
    know(&k, 1, false);
    for (int64_t u = 0; u < N; u++) k.value[u] = test_below(&seed, 10) < 6 ? 0 : 1;
    cafe_prediction *found = predict(context, graph, &k, CAFE_PREDICT_AUTO);
    const cafe_predict_figures *f = cafe_prediction_figures(found);
    assert_true(f->log_loss < f->frequency_log_loss + .02);
    assert_true(f->accuracy < .75 && f->calibration_error < .15);
    cafe_prediction_free(found);
    cafe_graph_free(graph);
    cafe_context_free(context);
}

/* A graph without blocks and features with them: without the features there is nothing to learn. */
static void features_are_learnt_from(void **state) {
    (void)state;
    static known k;
    static float x[N * 4];
    cafe_context *context = test_context(2, 1);
    cafe_graph *graph = blocks(context, 5);
    cafe_feature_inputs features;
    cafe_predict_inputs in;
    double accuracy[2];
    uint64_t seed = 3;
    cafe_feature_inputs_init(&features);
    features.columns = 4, features.values = x;
    know(&k, 4, false);
    for (int64_t i = 0; i < k.offsets[N]; i++) k.value[i] = (int32_t)(4 * i % BLOCKS);
    for (int64_t u = 0; u < N; u++)
        for (int64_t j = 0; j < 4; j++)
            x[u * 4 + j] = (float)test_below(&seed, 100) + (u % BLOCKS == j ? 300 : 0);
    cafe_predict_inputs_init(&in);
    in.graph = graph, in.known = &k.targets;
    for (int with = 0; with < 2; with++) {
        cafe_prediction *found = NULL;
        in.features = with ? &features : NULL;
        TEST_OK(context, cafe_predict(context, &in, NULL, &found));
        accuracy[with] = 0;
        for (int64_t u = 0; u < N; u++) {
            const int32_t *class;
            classes_of(found, u, &class);
            accuracy[with] += (double)(*class == u % BLOCKS) / N;
        }
        cafe_prediction_free(found);
    }
    assert_true(accuracy[0] < .6 && accuracy[1] > .9);
    in.vectors = x, in.columns = 4;
    cafe_prediction *none = NULL;
    assert_int_equal(cafe_predict(context, &in, NULL, &none), CAFE_ERROR_ARGUMENT);
    assert_non_null(strstr(cafe_error(context), "do not go with given vectors"));
    cafe_graph_free(graph);
    cafe_context_free(context);
}

static void several_classes_are_predicted(void **state) {
    (void)state;
    static known k;
    cafe_context *context = test_context(3, 1);
    cafe_graph *graph = blocks(context, 7);
    know(&k, 3, true);
    cafe_prediction *found = predict(context, graph, &k, CAFE_PREDICT_AUTO);
    const cafe_predict_figures *f = cafe_prediction_figures(found);
    const float *p = cafe_prediction_probabilities(found);
    assert_true(f->several && f->trials == 3 && f->threshold > 0);
    assert_true(f->log_loss < f->frequency_log_loss);
    int64_t right = 0;
    for (int64_t u = 0; u < N; u++) {
        const int32_t *class;
        int64_t count = classes_of(found, u, &class);
        assert_true(count >= 1);
        if (u % 3 == 0) assert_int_equal(count, 1 + (u % 2 == 0)); /* known */
        for (int64_t i = 0; i < count; i++) right += class[i] == u / SIZE;
        for (int64_t i = 1; i < count; i++)
            assert_true(p[u * (BLOCKS + 1) + class[i - 1]] >= p[u * (BLOCKS + 1) + class[i]]);
    }
    assert_true(right > .9 * N);
    cafe_prediction_free(found);
    cafe_graph_free(graph);
    cafe_context_free(context);
}

/* ---- probabilities and frequencies ----------------------------------------------------------- */

/* Mean of -log of the probability of the block of each node that is not known; *base: by the
 * frequencies of the known ones. */
static double loss_of(const known *k, const int32_t *truth, const float *p, double *base) {
    double t[BLOCKS] = {0}, loss = 0;
    int64_t unknown = 0;
    for (int64_t i = 0; i < k->offsets[N]; i++) t[k->value[i]] += 1. / (double)k->offsets[N];
    *base = 0;
    for (int64_t u = 0; u < N; u++) {
        if (k->offsets[u + 1] > k->offsets[u]) continue;
        loss -= log(p[u * BLOCKS + truth[u]]);
        *base -= log(t[truth[u]]);
        unknown++;
    }
    *base /= (double)unknown;
    return loss / (double)unknown;
}

/* Classes of chance, and those of the graph. On held-out nodes no predictor has a log loss above
 * that of the frequencies; on all other nodes not in the mean over the graphs. */
static void log_loss_is_not_above_that_of_frequencies(void **state) {
    (void)state;
    enum { DRAWS = 12 };
    static known k;
    static float x[2 * N];
    static const int32_t all[] = {CAFE_PREDICT_SMOOTHED, CAFE_PREDICT_CLASSIFIER,
                                  CAFE_PREDICT_PROPAGATION, CAFE_PREDICT_ABSORBING,
                                  CAFE_PREDICT_COMBINED};
    int32_t truth[N];
    for (int chance = 0; chance < 2; chance++) {
        double ahead[5] = {0};
        for (uint64_t draw = 0; draw < 5 * DRAWS; draw++) {
            cafe_context *context = test_context(2, 1);
            uint64_t seed = draw / 5 + 1;
            cafe_graph *graph = blocks(context, seed);
            cafe_predict_inputs in;
            cafe_predict_options o;
            cafe_prediction *found = NULL;
            double base;
            cafe_predict_inputs_init(&in);
            cafe_predict_options_init(&o);
            know(&k, 3, false);
            for (int32_t u = 0; u < N; u++)
                truth[u] = chance ? test_below(&seed, 10) < 6 : u / SIZE;
            for (int32_t u = 0; u < N; u += 3) k.value[u / 3] = truth[u];
            for (int i = 0; i < 2 * N; i++) x[i] = (float)test_below(&seed, 100) - 50;
            in.graph = graph, in.known = &k.targets, in.vectors = x, in.columns = 2;
            o.by = all[draw % 5];
            TEST_OK(context, cafe_predict(context, &in, &o, &found));
            const cafe_predict_figures *f = cafe_prediction_figures(found);
            assert_true(f->log_loss < f->frequency_log_loss + 1e-4);
            double loss = loss_of(&k, truth, cafe_prediction_probabilities(found), &base);
            ahead[draw % 5] += (base - loss) / DRAWS;
            cafe_prediction_free(found);
            cafe_graph_free(graph);
            cafe_context_free(context);
        }
        for (int i = 0; i < 5; i++) assert_true(ahead[i] > (chance ? -.01 : i == 1 ? -.005 : .2));
    }
}

/* Two predictors of three classes: the weights are those of a search over all of them. */
static void weights_have_the_largest_likelihood(void **state) {
    (void)state;
    enum { HELD = 30, STEPS = 400 };
    static known k;
    double p[2][HELD * BLOCKS], ones[HELD], weight[2], best = -INFINITY, likely = 0;
    float score[HELD * BLOCKS];
    int32_t node[HELD], fold[N];
    uint64_t seed = 4;
    know(&k, 1, false);
    for (int32_t i = 0; i < HELD; i++) {
        double sum[2] = {0};
        node[i] = 4 * i, ones[i] = 1;
        for (int c = 0; c < 2 * BLOCKS; c++) {
            bool right = c % BLOCKS == 4 * i / SIZE;
            double own = 1 + test_below(&seed, 9) + (right ? c < BLOCKS ? 2 : 5 : 0);
            p[c / BLOCKS][i * BLOCKS + c % BLOCKS] = own;
            sum[c / BLOCKS] += own;
        }
        for (int c = 0; c < 2 * BLOCKS; c++)
            p[c / BLOCKS][i * BLOCKS + c % BLOCKS] /= sum[c / BLOCKS];
    }
    for (int u = 0; u < N; u++) fold[u] = u % 5;
    cafe_context *context = test_context(2, 1);
    predict_job job = {.context = context, .fold = fold, .smoothing = .8};
    job.options.folds = 5;
    predict_held held = {HELD, BLOCKS, node, NULL, NULL, &k.targets, false, ones};
    const double *both[] = {p[0], p[1]};
    TEST_OK(context, cafe_predict_combine(&job, &held, 2, both, score, weight));
    assert_true(fabs(weight[0] + weight[1] - 1) < 1e-12);
    for (int step = 0; step <= STEPS; step++) {
        double w = step == 0 ? weight[0] : (step - .5) / STEPS;
        double sum = 5 * log(w) + 5 * .6 / .4 * log(1 - w);
        for (int i = 0; i < HELD; i++) {
            int at = i * BLOCKS + 4 * i / SIZE;
            sum += log(w * p[0][at] + (1 - w) * p[1][at]);
        }
        if (step == 0) likely = sum;
        best = fmax(best, sum);
    }
    assert_true(likely > best - 1e-4);
    /* a fold's rows are a mean of both, with weights of their own */
    for (int i = 0; i < HELD; i++)
        for (int c = i * BLOCKS; c < (i + 1) * BLOCKS; c++)
            assert_true(score[c] > fmin(p[0][c], p[1][c]) - 1e-6 &&
                        score[c] < fmax(p[0][c], p[1][c]) + 1e-6);
    cafe_context_free(context);
}

/* ---- the smoothing --------------------------------------------------------------------------- */

/* F of smooth.c by dense matrices, r by its definition. */
static void smooth_densely(const double *a, const predict_job *j, const float *p, double *to) {
    int64_t n = j->n, k = j->classes;
    double *d = calloc((size_t)n, sizeof *d), *f = calloc((size_t)(n * (k + 1)), sizeof *f);
    double *f0 = calloc((size_t)(n * (k + 1)), sizeof *f0),
           *next = calloc((size_t)(n * (k + 1)), sizeof *f);
    double total = 0, above = 0, below = 0, mean[8] = {0};
    for (int64_t u = 0; u < n; u++)
        for (int64_t w = 0; w < n; w++) d[u] += a[u * n + w];
    for (int64_t u = 0; u < n; u++) {
        total += d[u];
        for (int64_t c = 0; c < k; c++) mean[c] += d[u] * p[u * k + c];
    }
    for (int64_t u = 0; u < n; u++)
        for (int64_t w = 0; w < n; w++)
            for (int64_t c = 0; c < k; c++) {
                double x = p[u * k + c] - mean[c] / total, y = p[w * k + c] - mean[c] / total;
                above += a[u * n + w] * x * y;
                below += a[u * n + w] * x * x;
            }
    double share = fmin(fmax(1 - (1 - above / below) / 2, .3), .98);
    for (int64_t u = 0; u < n; u++)
        for (int64_t c = 0; c <= k; c++) {
            int64_t own = j->known->offsets[u];
            bool given = j->known->offsets[u + 1] > own;
            f0[u * (k + 1) + c] = c == k ? 1 : given ? c == j->known->value[own] : p[u * k + c];
        }
    memcpy(f, f0, (size_t)(n * (k + 1)) * sizeof *f);
    for (int step = 0; step < 50; step++) {
        for (int64_t i = 0; i < n * (k + 1); i++) next[i] = (1 - share) * f0[i];
        for (int64_t u = 0; u < n; u++)
            for (int64_t w = 0; w < n; w++)
                for (int64_t c = 0; c <= k && a[u * n + w] > 0; c++)
                    next[u * (k + 1) + c] +=
                        share * a[u * n + w] / sqrt(d[u] * d[w]) * f[w * (k + 1) + c];
        memcpy(f, next, (size_t)(n * (k + 1)) * sizeof *f);
    }
    for (int64_t u = 0; u < n; u++)
        for (int64_t c = 0; c < k; c++) to[u * k + c] = f[u * (k + 1) + c] / f[u * (k + 1) + k];
    free(d), free(f), free(f0), free(next);
}

static void smoothing_is_that_of_dense_matrices(void **state) {
    (void)state;
    static known k;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        cafe_context *context = test_context(2, 1);
        cafe_graph *graph = test_random(context, 60, 150, 1, 0, seed);
        double p[60], *a = test_dense_q(graph, p);
        uint64_t state_of = seed;
        float score[60 * BLOCKS];
        double wanted[60 * BLOCKS];
        know(&k, 5, false);
        k.targets.nodes = 60;
        for (int64_t u = 0; u < 60; u++)
            for (int64_t w = 0; w < 60; w++) a[u * 60 + w] += p[u] * p[w]; /* A / 2m */
        for (int64_t i = 0; i < 60 * 60; i++) a[i] = a[i] > 1e-12 ? a[i] : 0;
        for (int64_t i = 0; i < 60 * BLOCKS; i++)
            score[i] = (float)(1 + test_below(&state_of, 9)) / 10;
        predict_job job = {.context = context, .graph = graph, .known = &k.targets};
        job.n = 60;
        job.classes = BLOCKS;
        smooth_densely(a, &job, score, wanted);
        TEST_OK(context, cafe_predict_smooth(&job, -1, score));
        for (int64_t i = 0; i < 60 * BLOCKS; i++) assert_true(fabs(score[i] - wanted[i]) < 2e-5);
        free(a);
        cafe_graph_free(graph);
        cafe_context_free(context);
    }
}

/* ---- probabilities --------------------------------------------------------------------------- */

/* Scores that are probabilities raised to a power: calibration finds about the inverse. */
static void powers_are_undone(void **state) {
    (void)state;
    enum { COUNT = 3000 };
    static float score[COUNT * 2];
    static int32_t node[COUNT], value[COUNT];
    static int64_t offsets[COUNT + 1];
    static double weight[COUNT];
    uint64_t seed = 3;
    cafe_context *context = test_context(1, 1);
    double frequency[2] = {0};
    for (int i = 0; i < COUNT; i++) {
        double q = (double)(1 + test_below(&seed, 99)) / 100;
        value[i] = test_below(&seed, 1000) < 1000 * q ? 0 : 1;
        frequency[value[i]] += 1. / COUNT;
        score[2 * i] = (float)pow(q, 4), score[2 * i + 1] = (float)pow(1 - q, 4);
        node[i] = i, offsets[i + 1] = i + 1, weight[i] = 1;
    }
    cafe_targets t = {COUNT, 2, offsets, value};
    predict_held held = {COUNT, 2, node, score, frequency, &t, false, weight};
    predict_calibration found;
    TEST_OK(context, cafe_predict_calibrate(context, &held, false, &found));
    assert_true(found.power > .17 && found.power < .36 && found.share < .1);
    held.several = true; /* as two classes that need not exclude each other */
    TEST_OK(context, cafe_predict_calibrate(context, &held, false, &found));
    cafe_predict_figures f;
    static double p[COUNT * 2], share[COUNT];
    for (int i = 0; i < COUNT; i++) cafe_predict_apply(&found, &held, score + 2 * i, p + 2 * i);
    TEST_OK(context, cafe_predict_measure(context, &held, p, share, &f));
    assert_true(f.log_loss < f.frequency_log_loss && f.calibration_error < .05);
    cafe_context_free(context);
}

/* ---- weights ----------------------------------------------------------------------------------
 */

/* A known node of weight 2 does what two such rows do: here all weights are alike, and then one
 * class weighs more, which moves probability to it. */
static void weights_count(void **state) {
    (void)state;
    static known k;
    static double weight[N];
    cafe_context *context = test_context(2, 1);
    cafe_graph *graph = blocks(context, 11);
    cafe_predict_inputs in;
    cafe_predict_options o;
    cafe_prediction *found[3];
    cafe_predict_inputs_init(&in);
    cafe_predict_options_init(&o);
    know(&k, 6, false);
    in.graph = graph, in.known = &k.targets;
    o.by = CAFE_PREDICT_CLASSIFIER;
    for (int i = 0; i < 3; i++) {
        for (int u = 0; u < N; u++) weight[u] = i == 2 && u < SIZE ? 20 : 1;
        in.weight = i ? weight : NULL;
        TEST_OK(context, cafe_predict(context, &in, &o, &found[i]));
    }
    const float *plain = cafe_prediction_probabilities(found[0]);
    const float *more = cafe_prediction_probabilities(found[2]);
    assert_memory_equal(plain, cafe_prediction_probabilities(found[1]), N * BLOCKS * sizeof *plain);
    double gain = 0;
    for (int u = 0; u < N; u++) gain += more[u * BLOCKS] - plain[u * BLOCKS];
    assert_true(gain > .5);
    weight[0] = 0;
    in.weight = weight;
    cafe_prediction_free(found[1]);
    assert_int_equal(cafe_predict(context, &in, &o, &found[1]), CAFE_ERROR_ARGUMENT);
    cafe_prediction_free(found[0]);
    cafe_prediction_free(found[2]);
    cafe_graph_free(graph);
    cafe_context_free(context);
}

/* ---- the rest -------------------------------------------------------------------------------- */

static void threads_do_not_matter(void **state) {
    (void)state;
    static known k;
    for (int several = 0; several < 2; several++) {
        float *first = NULL;
        size_t bytes = sizeof(float) * N * (size_t)(BLOCKS + several);
        know(&k, 3, several);
        for (size_t i = 0; i < sizeof test_thread_counts / sizeof *test_thread_counts; i++) {
            cafe_context *context = test_context(test_thread_counts[i], 1);
            cafe_graph *graph = blocks(context, 8);
            cafe_prediction *found = predict(context, graph, &k, CAFE_PREDICT_AUTO);
            if (!first) {
                first = malloc(bytes);
                memcpy(first, cafe_prediction_probabilities(found), bytes);
            }
            assert_memory_equal(first, cafe_prediction_probabilities(found), bytes);
            cafe_prediction_free(found);
            cafe_graph_free(graph);
            cafe_context_free(context);
        }
        free(first);
    }
}

static void what_cannot_be_predicted_is_refused(void **state) {
    (void)state;
    static known k;
    cafe_context *context = test_context(1, 1);
    cafe_graph *graph = blocks(context, 5);
    cafe_predict_inputs in;
    cafe_predict_options o;
    cafe_prediction *found;
    cafe_predict_inputs_init(&in);
    cafe_predict_options_init(&o);
    assert_int_equal(cafe_predict(context, &in, NULL, &found), CAFE_ERROR_ARGUMENT);
    in.graph = graph;
    in.known = &k.targets;
    know(&k, 4, true);
    o.by = CAFE_PREDICT_CAFE;
    assert_int_equal(cafe_predict(context, &in, &o, &found), CAFE_ERROR_ARGUMENT);
    assert_non_null(strstr(cafe_error(context), "several classes"));
    memset(k.offsets, 0, sizeof k.offsets);
    assert_int_equal(cafe_predict(context, &in, NULL, &found), CAFE_ERROR_ARGUMENT);
    assert_non_null(strstr(cafe_error(context), "no node has a class"));
    assert_null(found);
    /* one node a class: predicted, with a warning and without an expected accuracy */
    know(&k, SIZE, false);
    found = predict(context, graph, &k, CAFE_PREDICT_AUTO);
    assert_true(isnan(cafe_prediction_figures(found)->accuracy));
    assert_non_null(cafe_prediction_figures(found)->warning);
    cafe_prediction_free(found);
    cafe_graph_free(graph);
    cafe_context_free(context);
}

static void memory_that_runs_out_is_survived(void **state) {
    (void)state;
    static known k;
    test_failing memory;
    cafe_context *context = test_failing_context(&memory, 2);
    cafe_graph *graph = blocks(context, 5);
    cafe_predict_inputs in;
    cafe_predict_options o;
    float x[N];
    cafe_predict_inputs_init(&in);
    cafe_predict_options_init(&o);
    for (int64_t u = 0; u < N; u++) x[u] = (float)(u / SIZE) - 1;
    in.graph = graph, in.known = &k.targets, in.vectors = x, in.columns = 1;
    o.folds = 2;
    for (int several = 0; several < 2; several++) {
        know(&k, 10, several);
        o.by = several ? CAFE_PREDICT_AUTO : CAFE_PREDICT_SMOOTHED;
        for (long at = 0;; at++) {
            cafe_prediction *found = NULL;
            long live = test_failing_arm(&memory, at);
            cafe_status status = cafe_predict(context, &in, &o, &found);
            int failed = test_failing_disarm(&memory);
            cafe_prediction_free(found);
            test_failing_expect(&memory, status, failed, live, context);
            if (!failed) break;
        }
    }
    cafe_graph_free(graph);
    cafe_context_free(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_found_by_every_predictor),
        cmocka_unit_test(nothing_to_learn_is_reported),
        cmocka_unit_test(features_are_learnt_from),
        cmocka_unit_test(several_classes_are_predicted),
        cmocka_unit_test(log_loss_is_not_above_that_of_frequencies),
        cmocka_unit_test(weights_have_the_largest_likelihood),
        cmocka_unit_test(smoothing_is_that_of_dense_matrices),
        cmocka_unit_test(powers_are_undone),
        cmocka_unit_test(weights_count),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(what_cannot_be_predicted_is_refused),
        cmocka_unit_test(memory_that_runs_out_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
