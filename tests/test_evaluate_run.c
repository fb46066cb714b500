/* The drivers: nobody sees a test label or a hidden link, threads change nothing, failures and
 * cancellation come through, no memory is lost. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <cafe-private/text.h>
#include <cafe/lab.h>

#include "evaluate/node_pairs.h"
#include "evaluate/train_test_split.h"
#include "evaluate/trials.h"
#include "failing.h"
#include "graphs.h"
#include "method/method.h"

enum { NODES = 120, KINDS = 4, COLUMNS = 3, SHARES = 2, REPEATS = 3, METRICS = 5 };

static const double shares[SHARES] = {0.2, 0.6};

/* ---- a classifier and a method that are easy to follow --------------------------------------- */

/* What a run handed out and got back, by sums. */
typedef struct record {
    _Atomic uint64_t seen, scored;
    _Atomic uint8_t told[NODES]; /* nodes whose label the method was told, of the only trial */
    cafe_context *cancel;        /* to be cancelled by the method, or NULL */
    int fail;                    /* the classifier fails */
    int choose;                  /* between the method and the method once more */
} record;

static uint64_t mix(uint64_t h, const void *bytes, size_t count) {
    for (size_t i = 0; i < count; i++) h = (h ^ ((const uint8_t *)bytes)[i]) * 1099511628211u;
    return h;
}

/* Scores 1 / (1 + squared distance to the mean of the class); classes without rows 0. */
static void nearest_mean(const cafe_classifier_data *d, double *scores) {
    for (int64_t c = 0; c < d->classes; c++) {
        double mean[16] = {0}, count = 0;
        for (int64_t i = 0; i < d->train; i++)
            for (int64_t j = d->offsets[i]; j < d->offsets[i + 1]; j++) {
                if (d->value[j] != c) continue;
                for (int64_t k = 0; k < d->columns; k++) mean[k] += d->x_train[i * d->columns + k];
                count++;
            }
        for (int64_t i = 0; count > 0 && i < d->test; i++) {
            double distance = 0;
            for (int64_t k = 0; k < d->columns; k++) {
                double x = d->x_test[i * d->columns + k] - mean[k] / count;
                distance += x * x;
            }
            scores[i * d->classes + c] = 1 / (1 + distance);
        }
    }
}

static cafe_status predict(const void *self, cafe_context *context, const cafe_classifier_data *d,
                           double *scores) {
    record *r = (record *)(uintptr_t)self;
    if (r->fail) return cafe_evaluate_fail(context, CAFE_ERROR_NUMERIC, "it fails on request");
    assert_true(d->columns <= 16);
    nearest_mean(d, scores);
    uint64_t h = mix(1, scores, (size_t)(d->test * d->classes) * sizeof *scores);
    atomic_fetch_add(&r->scored, h); /* a sum: the order of the tasks does not matter */
    return CAFE_OK;
}

/* A method of our own; its options say where it records. */
typedef struct recorder {
    size_t struct_size;
    record *record;
} recorder;

static const cafe_option_table *recorder_table(void) {
    static const cafe_option_table table = {"recorder", "", sizeof(recorder), NULL, 0};
    return &table;
}

/* Columns: noise by the context's seed, and the training label of the node and of the next one. */
static cafe_status make(cafe_context *context, const cafe_job *job, cafe_solution **solution) {
    record *r = ((const recorder *)job->own)->record;
    const int32_t *label = job->inputs.labels;
    uint64_t state = cafe_seed(context);
    float x[NODES * COLUMNS];
    assert_int_equal(job->inputs.classes, KINDS);
    if (r->cancel) cafe_cancel(r->cancel);
    for (int u = 0; u < NODES; u++) {
        x[u * COLUMNS] = (float)test_below(&state, 1000) / 1000;
        x[u * COLUMNS + 1] = (float)label[u];
        x[u * COLUMNS + 2] = (float)label[(u + 1) % NODES];
        r->told[u] = label[u] >= 0;
    }
    atomic_fetch_add(&r->seen, mix(mix(1, x, sizeof x), label, NODES * sizeof *label));
    cafe_status status = cafe_evaluate_stopped(context);
    if (status == CAFE_OK)
        status = cafe_solution_rows(context, job->method->name, NODES, COLUMNS, 0, solution);
    if (status == CAFE_OK) status = cafe_solution_set(context, x, *solution);
    if (status == CAFE_OK) (*solution)->loss = true;
    return status;
}

static const cafe_method_code recorder_code = {.solve = make};
static const cafe_method recorder_method = {.name = "recorder",
                                            .takes = CAFE_TAKES_LABELS,
                                            .form = CAFE_FORM_RAW,
                                            .vectors = recorder_table,
                                            .code = &recorder_code};

/* The whole of it: a graph, its model, the method, nearest means. */
static cafe_status run_recorder(cafe_context *context, const cafe_targets *targets, record *r,
                                const cafe_classify_options *o, int64_t count, const double *train,
                                cafe_evaluation **e) {
    recorder own = {sizeof own, r};
    cafe_method_options options;
    cafe_model *model = NULL;
    test_links l = test_links_new(NODES - 1);
    cafe_graph *graph = NULL;
    cafe_classifier classifier = {sizeof classifier, "nearest", r, predict};
    for (int i = 0; i < NODES - 1; i++) l.source[i] = i, l.target[i] = i + 1;
    cafe_method_options_init(&options);
    options.own = &own;
    cafe_status status =
        cafe_graph_from_edges(context, NODES, l.count, l.source, l.target, NULL, NULL, &graph);
    if (status == CAFE_OK)
        status = cafe_model_create(context, graph, &recorder_method, &options, NULL, &model);
    cafe_features features = {.struct_size = sizeof features,
                              .method = &recorder_method,
                              .options = &options,
                              .model = model};
    cafe_features other = features; /* folds of the training nodes see no more than those do */
    const void *others[] = {&other};
    if (r->choose) features.choices = others, features.choice_count = 1;
    if (status == CAFE_OK)
        status = cafe_classify(context, targets, &features, &classifier, o, count, train, e);
    cafe_model_free(model);
    cafe_graph_free(graph);
    test_links_free(&l);
    return status;
}

static void some_labels(int32_t *label) {
    uint64_t state = 1;
    for (int u = 0; u < NODES; u++)
        label[u] = u % 10 == 0 ? -1 : (int32_t)test_below(&state, KINDS);
}

typedef struct outcome {
    cafe_status status;
    double value[SHARES * REPEATS * METRICS];
} outcome;

static outcome classify(cafe_context *context, const int32_t *label, int split, record *r) {
    outcome out = {CAFE_OK, {0}};
    cafe_targets targets;
    cafe_evaluation *e = NULL;
    cafe_classify_options o;
    cafe_classify_options_init(&o);
    o.repeats = REPEATS;
    o.split = split;
    out.status = cafe_targets_from_array(context, NODES, KINDS, label, &targets);
    if (out.status != CAFE_OK) return out;
    out.status = run_recorder(context, &targets, r, &o, SHARES, shares, &e);
    for (int i = 0; out.status == CAFE_OK && i < SHARES * REPEATS * METRICS; i++)
        out.value[i] =
            cafe_evaluation_value(e, i / METRICS / REPEATS, i / METRICS % REPEATS, i % METRICS);
    cafe_evaluation_free(e);
    cafe_targets_free(context, &targets);
    return out;
}

/* ---- classification -------------------------------------------------------------------------- */

static void threads_change_nothing(void **unused) {
    (void)unused;
    int32_t label[NODES];
    outcome first = {CAFE_OK, {0}};
    uint64_t scored = 0;
    some_labels(label);
    for (int i = 0; i < TEST_THREADS; i++) {
        cafe_context *context = test_context(test_thread_counts[i], 5);
        record r = {0};
        outcome out = classify(context, label, CAFE_SPLIT_STRATIFIED, &r);
        assert_int_equal(out.status, CAFE_OK);
        if (i == 0) first = out, scored = r.scored;
        assert_memory_equal(out.value, first.value, sizeof out.value);
        assert_true(r.scored == scored);
        cafe_context_free(context);
    }
}

typedef struct noted {
    _Atomic int32_t *threads;
} noted;

/* The logistic regression; self says where the number of threads of a trial goes. */
static cafe_status note_threads(const void *self, cafe_context *context,
                                const cafe_classifier_data *data, double *scores) {
    cafe_classifier logistic;
    *((const noted *)self)->threads = cafe_threads(context);
    cafe_classifier_logistic(context, NULL, &logistic);
    return logistic.predict(logistic.self, context, data, scores);
}

/* Threads that have no trial of their own help others; the figures are the same. */
static void few_trials_have_several_threads(void **unused) {
    (void)unused;
    static const int32_t threads[] = {1, 2, 8}, trials[] = {1, 3};
    int32_t label[NODES];
    _Atomic int32_t each = 0;
    noted where = {&each};
    static float x[NODES * 4];
    uint64_t state = 2;
    some_labels(label);
    for (int i = 0; i < NODES * 4; i++)
        x[i] = (float)test_below(&state, 100) + (label[i / 4] == i % 4 ? 90 : 0);
    cafe_features features = {.struct_size = sizeof features, .block = x, .columns = 4};
    cafe_classifier classifier = {sizeof classifier, "noted", &where, note_threads};
    for (int k = 0; k < 2; k++) {
        double first = 0;
        for (int i = 0; i < 3; i++) {
            cafe_context *context = test_context(threads[i], 5);
            cafe_classify_options o;
            cafe_targets targets;
            cafe_evaluation *e = NULL;
            cafe_classify_options_init(&o);
            o.repeats = trials[k];
            TEST_OK(context, cafe_targets_from_array(context, NODES, KINDS, label, &targets));
            TEST_OK(context,
                    cafe_classify(context, &targets, &features, &classifier, &o, 1, shares, &e));
            double value = cafe_evaluation_value(e, 0, 0, 0);
            if (i == 0) first = value;
            assert_true(value == first);
            assert_int_equal(each, threads[i] > trials[k] ? threads[i] / trials[k] : 1);
            cafe_evaluation_free(e);
            cafe_targets_free(context, &targets);
            cafe_context_free(context);
        }
    }
}

/* One trial: the accuracy; the record tells what the method was told and what the scores were. */
static double one_trial(cafe_context *context, const int32_t *label, double share, record *r) {
    cafe_targets targets;
    cafe_evaluation *e = NULL;
    cafe_classify_options o;
    cafe_classify_options_init(&o);
    o.repeats = 1;
    o.split = CAFE_SPLIT_UNIFORM;
    assert_int_equal(cafe_targets_from_array(context, NODES, KINDS, label, &targets), CAFE_OK);
    assert_int_equal(run_recorder(context, &targets, r, &o, 1, &share, &e), CAFE_OK);
    double accuracy = cafe_evaluation_value(e, 0, 0, 0);
    cafe_evaluation_free(e);
    cafe_targets_free(context, &targets);
    return accuracy;
}

/* All test labels are changed, one by one and all at once: neither what the method sees nor one
 * score changes, but the figures do. Changing one training label changes what the method sees. The
 * splits are uniform, for a stratified one is itself drawn by the labels. */
static void look_for_test_labels(int choose) {
    int figures_changed = 0;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        cafe_context *context = test_context(1, seed);
        int32_t label[NODES];
        record first = {.choose = choose};
        some_labels(label);
        double share = shares[seed % SHARES], accuracy = one_trial(context, label, share, &first);
        int trained = 0, tested = 0;
        for (int u = 0; u < NODES; u++) {
            int32_t kept = label[u];
            record r = {.choose = choose};
            if (kept < 0) continue;
            label[u] = (kept + 1) % KINDS;
            one_trial(context, label, share, &r);
            assert_int_equal(r.seen == first.seen, !first.told[u]);
            if (!first.told[u]) assert_true(r.scored == first.scored);
            if (first.told[u]) label[u] = kept; /* test labels stay changed */
            trained += first.told[u];
            tested += !first.told[u];
        }
        assert_int_equal(trained, round(share * (trained + tested)));
        record last = {.choose = choose};
        figures_changed += one_trial(context, label, share, &last) != accuracy;
        assert_true(last.seen == first.seen && last.scored == first.scored);
        cafe_context_free(context);
    }
    assert_true(figures_changed > 0);
}

static void test_labels_are_not_seen(void **unused) {
    (void)unused;
    look_for_test_labels(0);
    look_for_test_labels(1);
}

/* Asked for alone, a share has the values it has beside others. */
static void shares_stand_alone(void **unused) {
    (void)unused;
    cafe_context *context = test_context(2, 5);
    int32_t label[NODES];
    float x[NODES * COLUMNS];
    uint64_t state = 8;
    cafe_targets targets;
    cafe_evaluation *both = NULL, *one = NULL;
    record r = {0};
    cafe_classifier classifier = {sizeof classifier, "nearest", &r, predict};
    cafe_features features = {.struct_size = sizeof features, .block = x, .columns = COLUMNS};
    cafe_share share;
    cafe_figure figure;
    some_labels(label);
    for (int i = 0; i < NODES * COLUMNS; i++)
        x[i] = (float)test_below(&state, 100) + 40 * (float)(label[i / COLUMNS] == i % COLUMNS);
    assert_int_equal(cafe_targets_from_array(context, NODES, KINDS, label, &targets), CAFE_OK);
    assert_int_equal(
        cafe_classify(context, &targets, &features, &classifier, NULL, 2, shares, &both), CAFE_OK);
    assert_int_equal(
        cafe_classify(context, &targets, &features, &classifier, NULL, 1, shares + 1, &one),
        CAFE_OK);
    double sum = 0, squares = 0;
    int64_t repeats = cafe_evaluation_repeats(one);
    for (int64_t i = 0; i < repeats; i++) {
        double value = cafe_evaluation_value(one, 0, i, 0);
        assert_true(value == cafe_evaluation_value(both, 1, i, 0));
        assert_true(value == cafe_evaluation_value(both, 1, i, 1)); /* micro F1 of single labels */
        sum += value, squares += value * value;
    }
    cafe_evaluation_figure(one, 0, 0, &figure);
    double n = (double)repeats, variance = (squares - sum * sum / n) / (n - 1);
    assert_float_equal(figure.mean, sum / n, 1e-12);
    assert_float_equal(figure.std, sqrt(variance), 1e-9);
    assert_true(figure.defined == repeats && figure.mean > 0.3);
    share = *cafe_evaluation_share(one, 0);
    assert_int_equal(share.train_count + share.test_count, NODES - NODES / 10);
    assert_int_equal(share.columns, COLUMNS);
    assert_string_equal(cafe_evaluation_metric_name(one, 4), "auc_paper");
    cafe_evaluation_free(both);
    cafe_evaluation_free(one);
    cafe_targets_free(context, &targets);
    cafe_context_free(context);
}

/* Repeats in two pieces are those of one run. */
static void repeats_go_on(void **unused) {
    (void)unused;
    cafe_context *context = test_context(2, 5);
    int32_t label[NODES];
    cafe_targets targets;
    cafe_evaluation *whole = NULL, *later = NULL;
    cafe_classify_options o;
    record r = {0};
    some_labels(label);
    cafe_classify_options_init(&o);
    o.repeats = 5;
    assert_int_equal(cafe_targets_from_array(context, NODES, KINDS, label, &targets), CAFE_OK);
    assert_int_equal(run_recorder(context, &targets, &r, &o, SHARES, shares, &whole), CAFE_OK);
    o.first = 3;
    o.repeats = 2;
    assert_int_equal(run_recorder(context, &targets, &r, &o, SHARES, shares, &later), CAFE_OK);
    int differ = 0;
    for (int i = 0; i < SHARES * 2; i++)
        for (int m = 0; m < METRICS; m++) {
            double value = cafe_evaluation_value(later, i / 2, i % 2, m);
            double first = cafe_evaluation_value(whole, i / 2, i % 2, m);
            assert_true(value == cafe_evaluation_value(whole, i / 2, 3 + i % 2, m));
            differ += value != first;
        }
    assert_true(differ > 0);
    cafe_evaluation_free(whole);
    cafe_evaluation_free(later);
    cafe_targets_free(context, &targets);
    cafe_context_free(context);
}

/* Rows of noise, with `told` of ten nodes' own class made plain. */
static void fill_block(const int32_t *label, int told, uint64_t state, float *x) {
    for (int i = 0; i < NODES * KINDS; i++) {
        int u = i / KINDS, plain = label[u] == i % KINDS && (u * 7) % 10 < told;
        x[i] = (float)test_below(&state, 1000) / 1000 + (plain ? 1 : 0);
    }
}

/* Among three blocks the one that tells most classes is chosen in every trial, which then has that
 * block's figures; of equal ones the first. Test labels, when they change, change no choice. */
static void the_training_nodes_choose(void **unused) {
    (void)unused;
    static const int told[3] = {3, 9, 6};
    cafe_context *context = test_context(2, 5);
    int32_t label[NODES];
    static float x[3][NODES * KINDS];
    cafe_features block[3], *first = &block[0];
    const void *others[2] = {&block[1], &block[2]};
    cafe_targets targets;
    cafe_evaluation *chosen = NULL, *best = NULL;
    cafe_classify_options o;
    some_labels(label);
    cafe_classify_options_init(&o);
    o.repeats = 4;
    o.split = CAFE_SPLIT_UNIFORM;
    for (int i = 0; i < 3; i++) {
        fill_block(label, told[i], 3 + (uint64_t)i, x[i]);
        block[i] = (cafe_features){.struct_size = sizeof *block, .block = x[i], .columns = KINDS};
    }
    first->choices = others;
    first->choice_count = 2;
    assert_int_equal(cafe_targets_from_array(context, NODES, KINDS, label, &targets), CAFE_OK);
    assert_int_equal(cafe_classify(context, &targets, first, NULL, &o, SHARES, shares, &chosen),
                     CAFE_OK);
    assert_int_equal(cafe_classify(context, &targets, &block[1], NULL, &o, SHARES, shares, &best),
                     CAFE_OK);
    for (int i = 0; i < SHARES * 4; i++) {
        assert_int_equal(cafe_evaluation_choice(chosen, i / 4, i % 4), 1);
        assert_int_equal(cafe_evaluation_choice(best, i / 4, i % 4), 0);
        for (int m = 0; m < METRICS; m++)
            assert_true(cafe_evaluation_value(chosen, i / 4, i % 4, m) ==
                        cafe_evaluation_value(best, i / 4, i % 4, m));
    }
    cafe_evaluation_free(chosen);
    block[2] = block[1]; /* equal ones: the first of them */
    assert_int_equal(cafe_classify(context, &targets, first, NULL, &o, 1, shares, &chosen),
                     CAFE_OK);
    assert_int_equal(cafe_evaluation_choice(chosen, 0, 0), 1);
    cafe_evaluation_free(chosen);
    cafe_evaluation_free(best);
    first->choice_count = 1 << 20;
    assert_int_equal(cafe_classify(context, &targets, first, NULL, &o, 1, shares, &chosen),
                     CAFE_ERROR_ARGUMENT);
    cafe_targets_free(context, &targets);
    cafe_context_free(context);
}

/* Folds: every training node is in the test part of one of them, and in training in the others. */
static void folds_cover_the_training_nodes(void **unused) {
    (void)unused;
    enum { TRAIN = 23, FOLDS = 5 };
    cafe_context *context = test_context(1, 1);
    int32_t node[TRAIN], seen[2 * TRAIN] = {0};
    cafe_parts parts = {.train = TRAIN, .train_node = node}, inner = {0};
    for (int i = 0; i < TRAIN; i++) node[i] = 2 * i;
    for (int64_t f = 0; f < FOLDS; f++) {
        assert_int_equal(cafe_parts_fold(context, &parts, FOLDS, f, 9, &inner), CAFE_OK);
        assert_int_equal(inner.train + inner.test, TRAIN);
        assert_true(inner.test == TRAIN / FOLDS || inner.test == TRAIN / FOLDS + 1);
        for (int64_t i = 0; i < inner.test; i++) {
            seen[inner.test_node[i]]++;
            assert_true(i == 0 || inner.test_node[i] > inner.test_node[i - 1]);
            for (int64_t j = 0; j < inner.train; j++)
                assert_true(inner.train_node[j] != inner.test_node[i]);
        }
    }
    for (int i = 0; i < 2 * TRAIN; i++) assert_int_equal(seen[i], i % 2 == 0);
    cafe_parts_free(context, &inner);
    cafe_context_free(context);
}

/* Without a classifier the columns are the scores: the true classes as columns are all right, and
 * as many of them as a node has are taken. */
static void columns_are_scores(void **unused) {
    (void)unused;
    cafe_context *context = test_context(2, 5);
    int64_t offsets[NODES + 1];
    int32_t value[NODES * 2];
    float x[NODES * KINDS] = {0};
    int64_t used = 0;
    for (int u = 0; u < NODES; u++) {
        offsets[u] = used;
        value[used++] = u % KINDS;
        if (u % KINDS < 2) value[used++] = u % KINDS + 2;
        for (int64_t j = offsets[u]; j < used; j++) x[u * KINDS + value[j]] = 1;
    }
    offsets[NODES] = used;
    cafe_targets targets = {NODES, KINDS, offsets, value};
    cafe_features features = {.struct_size = sizeof features, .block = x, .columns = KINDS};
    cafe_evaluation *e = NULL;
    assert_int_equal(cafe_classify(context, &targets, &features, NULL, NULL, 2, shares, &e),
                     CAFE_OK);
    for (int m = 0; m < METRICS; m++) assert_true(cafe_evaluation_value(e, 0, 0, m) == 1);
    cafe_evaluation_free(e);
    features.columns = KINDS - 1;
    assert_int_equal(cafe_classify(context, &targets, &features, NULL, NULL, 2, shares, &e),
                     CAFE_ERROR_ARGUMENT);
    assert_non_null(strstr(cafe_error(context), "columns"));
    features.columns = KINDS;
    x[5] = NAN;
    assert_int_equal(cafe_classify(context, &targets, &features, NULL, NULL, 2, shares, &e),
                     CAFE_ERROR_NUMERIC);
    assert_null(e);
    cafe_context_free(context);
}

static void failures_come_through(void **unused) {
    (void)unused;
    cafe_context *context = test_context(3, 5);
    int32_t label[NODES];
    record r = {0};
    some_labels(label);
    r.fail = 1;
    assert_int_equal(classify(context, label, CAFE_SPLIT_UNIFORM, &r).status, CAFE_ERROR_NUMERIC);
    assert_string_equal(cafe_error(context), "it fails on request");
    /* the method cancels the caller's context: its own is cancelled with it */
    r = (record){0};
    r.cancel = context;
    assert_int_equal(classify(context, label, CAFE_SPLIT_UNIFORM, &r).status, CAFE_ERROR_CANCELLED);
    cafe_context_free(context);
}

/* With a choice there are many times as many allocations: some of them. */
static void fail_in_turn(int choose, long step) {
    test_failing memory;
    cafe_context *context = test_failing_context(&memory, 2);
    int32_t label[NODES];
    some_labels(label);
    for (long k = 0;; k += step) {
        record r = {.choose = choose};
        long live = test_failing_arm(&memory, k);
        cafe_status status = classify(context, label, CAFE_SPLIT_STRATIFIED, &r).status;
        int failed = test_failing_disarm(&memory);
        test_failing_expect(&memory, status, failed, live, context);
        if (!failed) break;
    }
    cafe_context_free(context);
}

static void no_memory_is_lost(void **unused) {
    TEST_NOT_OF_THREADS();
    (void)unused;
    fail_in_turn(0, 1);
    fail_in_turn(1, 29);
}

/* ---- pairs ----------------------------------------------------------------------------------- */

static int has_edge(const cafe_graph *g, int32_t u, int32_t w) {
    const int64_t *offsets;
    const int32_t *targets;
    const float *weights;
    cafe_graph_csr(g, &offsets, &targets, &weights);
    for (int64_t j = offsets[u]; j < offsets[u + 1]; j++)
        if (targets[j] == w) return 1;
    return 0;
}

/* Pairs are what they say, all distinct, and some are turned either way. */
static void check_pairs(const cafe_graph *g, const cafe_pair_sets *s) {
    int64_t n = cafe_graph_nodes(g), turned = 0, all = 0;
    uint8_t *seen = calloc((size_t)(n * n), 1);
    assert_non_null(seen);
    for (int part = 0; part < 2; part++) {
        const cafe_pairs *p = part ? &s->test : &s->train;
        for (int64_t i = 0; i < p->count; i++) {
            int32_t u = p->source[i], w = p->target[i];
            assert_true(u != w);
            assert_int_equal(has_edge(g, u, w), p->linked[i]);
            assert_true(!seen[u * n + w] && !seen[w * n + u]);
            seen[u * n + w] = 1;
            turned += u > w;
            all++;
        }
    }
    assert_true(all < 20 || (turned > all / 4 && turned < all - all / 4));
    free(seen);
}

static int64_t links_of(const cafe_pairs *p) {
    int64_t links = 0;
    for (int64_t i = 0; i < p->count; i++) links += p->linked[i];
    return links;
}

static void paper_pairs(void **unused) {
    (void)unused;
    cafe_context *context = test_context(1, 3);
    cafe_graph *g = test_karate(context);
    cafe_pair_sets s;
    cafe_link_options o;
    cafe_link_options_init(&o);
    o.protocol = CAFE_LINK_PAPER;
    o.negatives = 1.5;
    assert_int_equal(cafe_pair_sets_make(context, g, &o, 0.5, &s), CAFE_OK);
    check_pairs(g, &s);
    assert_int_equal(links_of(&s.train), 39);
    assert_int_equal(links_of(&s.test), 39);
    assert_int_equal(s.train.count, 39 + 59); /* round(58.5) */
    assert_null(s.remaining);
    cafe_pair_sets_free(context, &s);
    o.most = 30;
    assert_int_equal(cafe_pair_sets_make(context, g, &o, 0.2, &s), CAFE_OK);
    check_pairs(g, &s);
    assert_int_equal(links_of(&s.train), 6);
    assert_int_equal(links_of(&s.test), 24);
    cafe_pair_sets_free(context, &s);
    o.negatives = 1000;
    assert_int_equal(cafe_pair_sets_make(context, g, &o, 0.2, &s), CAFE_ERROR_ARGUMENT);
    o.negatives = 1;
    assert_int_equal(cafe_pair_sets_make(context, g, &o, 1, &s), CAFE_ERROR_ARGUMENT);
    cafe_graph_free(g);
    cafe_context_free(context);
}

/* Hidden edges are gone from the graph, its components are not; where the forest needs more than is
 * left, fewer are hidden. */
static void honest_pairs(void **unused) {
    (void)unused;
    cafe_context *context = test_context(1, 3);
    cafe_graph *g = test_random(context, 60, 150, 0, 0, 4);
    cafe_link_options o;
    cafe_link_options_init(&o);
    o.protocol = CAFE_LINK_HONEST;
    for (int i = 0; i < 3; i++) {
        cafe_pair_sets s;
        cafe_graph_counts whole, left;
        const double train[3] = {0.8, 0.5, 0.1};
        assert_int_equal(cafe_pair_sets_make(context, g, &o, train[i], &s), CAFE_OK);
        check_pairs(g, &s);
        whole = *cafe_graph_get_counts(g);
        left = *cafe_graph_get_counts(s.remaining);
        assert_int_equal(left.components, whole.components);
        assert_int_equal(left.edges + s.hidden, whole.edges);
        assert_int_equal(s.hidden, links_of(&s.test));
        assert_int_equal(left.edges, links_of(&s.train));
        int64_t most = whole.edges - (whole.nodes - whole.components);
        assert_int_equal(s.wanted, llround((1 - train[i]) * (double)whole.edges));
        assert_int_equal(s.hidden, s.wanted < most ? s.wanted : most);
        for (int64_t j = 0; j < s.test.count; j++)
            assert_false(has_edge(s.remaining, s.test.source[j], s.test.target[j]));
        for (int64_t j = 0; j < s.train.count; j++)
            assert_int_equal(has_edge(s.remaining, s.train.source[j], s.train.target[j]),
                             s.train.linked[j]);
        cafe_pair_sets_free(context, &s);
    }
    cafe_graph_free(g);
    cafe_context_free(context);
}

/* Few pairs without a link, all of them wanted: every one is found, once. */
static void dense_graphs_have_few_non_links(void **unused) {
    (void)unused;
    enum { N = 20 };
    cafe_context *context = test_context(1, 3);
    test_links l = test_links_new(N * (N - 1) / 2 - 7);
    int32_t source[7], target[7], left[7][2];
    int64_t e = 0, at = 0;
    for (int u = 0; u < N; u++)
        for (int w = u + 1; w < N; w++) {
            if ((u * N + w) % 29 == 3 && e < 7) {
                left[e][0] = u, left[e++][1] = w;
                continue;
            }
            l.source[at] = u, l.target[at++] = w;
        }
    assert_int_equal(e, 7);
    cafe_graph *g = NULL;
    assert_int_equal(cafe_graph_from_edges(context, N, at, l.source, l.target, NULL, NULL, &g),
                     CAFE_OK);
    assert_int_equal(cafe_non_links(context, g, 7, source, target), CAFE_OK);
    for (int i = 0; i < 7; i++) assert_true(source[i] == left[i][0] && target[i] == left[i][1]);
    assert_int_equal(cafe_non_links(context, g, 8, source, target), CAFE_ERROR_ARGUMENT);
    test_links_free(&l);
    cafe_graph_free(g);
    cafe_context_free(context);
}

/* ---- link prediction ------------------------------------------------------------------------- */

/* Takes the rows apart: which numbers of x and y is each column made of? */
static cafe_status check_operator(const void *self, cafe_context *context,
                                  const cafe_classifier_data *d, double *scores) {
    (void)context;
    int32_t pair = *(const int32_t *)self;
    for (int64_t i = 0; i < d->test; i++) {
        const float *f = d->x_test + i * d->columns;
        switch (pair) { /* rows are (1, u, u^2 mod 7): two numbers give the third */
            case CAFE_PAIR_CONCATENATION:
                assert_int_equal(d->columns, 6);
                assert_true(f[0] == 1 && f[3] == 1 && f[1] != f[4]);
                assert_true(f[2] == (float)((int)(f[1] * f[1]) % 7));
                break;
            case CAFE_PAIR_HADAMARD: assert_true(d->columns == 3 && f[0] == 1); break;
            case CAFE_PAIR_L1: assert_true(d->columns == 3 && f[0] == 0 && f[1] >= 1); break;
            case CAFE_PAIR_L2:
                assert_true(d->columns == 3 && f[0] == 0);
                assert_float_equal(sqrt(f[1]), round(sqrt(f[1])), 1e-6);
                break;
            default: assert_true(d->columns == 1 && f[0] >= 1); break;
        }
        scores[2 * i + 1] = f[0];
    }
    return CAFE_OK;
}

static void operators_are_what_they_say(void **unused) {
    (void)unused;
    cafe_context *context = test_context(1, 3);
    cafe_graph *g = test_karate(context);
    float x[TEST_KARATE_NODES * 3];
    for (int u = 0; u < TEST_KARATE_NODES; u++)
        x[3 * u] = 1, x[3 * u + 1] = (float)u, x[3 * u + 2] = (float)(u * u % 7);
    cafe_features features = {.struct_size = sizeof features, .block = x, .columns = 3};
    cafe_link_options o;
    cafe_link_options_init(&o);
    o.protocol = CAFE_LINK_PAPER;
    for (o.pair = CAFE_PAIR_CONCATENATION; o.pair <= CAFE_PAIR_DOT; o.pair++) {
        cafe_evaluation *e = NULL;
        cafe_classifier classifier = {sizeof classifier, "check", &o.pair, check_operator};
        assert_int_equal(cafe_link(context, g, &features, &classifier, &o, 1, shares, &e), CAFE_OK);
        cafe_evaluation_free(e);
    }
    cafe_graph_free(g);
    cafe_context_free(context);
}

/* Two cliques, vectors that tell them apart: products and distances find the links. */
static void separable_links_are_found(void **unused) {
    (void)unused;
    enum { N = 16 };
    cafe_context *context = test_context(2, 3);
    test_links l = test_links_new(N * (N - 1) / 2);
    int64_t at = 0;
    float x[N * 2] = {0};
    for (int u = 0; u < N; u++) {
        x[2 * u + u % 2] = 1;
        for (int w = u + 2; w < N; w += 2) l.source[at] = u, l.target[at++] = w;
    }
    cafe_graph *g = NULL;
    assert_int_equal(cafe_graph_from_edges(context, N, at, l.source, l.target, NULL, NULL, &g),
                     CAFE_OK);
    cafe_features features = {.struct_size = sizeof features, .block = x, .columns = 2};
    cafe_link_options o;
    cafe_link_options_init(&o);
    o.protocol = CAFE_LINK_PAPER;
    for (o.pair = CAFE_PAIR_HADAMARD; o.pair <= CAFE_PAIR_DOT; o.pair++) {
        cafe_evaluation *e = NULL;
        assert_int_equal(cafe_link(context, g, &features, NULL, &o, 2, shares, &e), CAFE_OK);
        for (int m = 0; m < cafe_evaluation_metrics(e); m++)
            assert_true(cafe_evaluation_value(e, 1, 2, m) == 1);
        cafe_evaluation_free(e);
    }
    cafe_evaluation *e = NULL;
    o.pair = CAFE_PAIR_CONCATENATION; /* has no score of its own */
    assert_int_equal(cafe_link(context, g, &features, NULL, &o, 2, shares, &e),
                     CAFE_ERROR_ARGUMENT);
    o.pair = CAFE_PAIR_DOT; /* vectors that have seen the links */
    o.protocol = CAFE_LINK_HONEST;
    assert_int_equal(cafe_link(context, g, &features, NULL, &o, 2, shares, &e),
                     CAFE_ERROR_ARGUMENT);
    test_links_free(&l);
    cafe_graph_free(g);
    cafe_context_free(context);
}

static cafe_status link_honestly(cafe_context *context, const cafe_graph *g, double *value) {
    cafe_evaluation *e = NULL;
    cafe_sphere_options sphere;
    cafe_method_options options;
    cafe_sphere_options_init(&sphere);
    cafe_method_options_init(&options);
    sphere.columns = 4;
    options.own = &sphere;
    cafe_features features = {.struct_size = sizeof features,
                              .method = cafe_method_find(NULL, "sphere"),
                              .options = &options};
    cafe_link_options o;
    cafe_link_options_init(&o);
    o.pair = CAFE_PAIR_HADAMARD;
    o.repeats = REPEATS;
    cafe_status status = cafe_link(context, g, &features, NULL, &o, SHARES, shares, &e);
    for (int i = 0; status == CAFE_OK && i < SHARES * REPEATS * 4; i++)
        value[i] = cafe_evaluation_value(e, i / 4 / REPEATS, i / 4 % REPEATS, i % 4);
    cafe_evaluation_free(e);
    return status;
}

static void honest_links_for_any_threads(void **unused) {
    (void)unused;
    double first[SHARES * REPEATS * 4], value[SHARES * REPEATS * 4];
    for (int i = 0; i < TEST_THREADS; i++) {
        cafe_context *context = test_context(test_thread_counts[i], 5);
        cafe_graph *g = test_karate(context);
        assert_int_equal(link_honestly(context, g, i ? value : first), CAFE_OK);
        if (i) assert_memory_equal(value, first, sizeof first);
        cafe_graph_free(g);
        cafe_context_free(context);
    }
}

static void links_lose_no_memory(void **unused) {
    TEST_NOT_OF_THREADS();
    (void)unused;
    test_failing memory;
    cafe_context *context = test_failing_context(&memory, 2);
    cafe_graph *g = test_karate(context);
    double value[SHARES * REPEATS * 4];
    for (long k = 0;; k++) {
        long live = test_failing_arm(&memory, k);
        cafe_status status = link_honestly(context, g, value);
        int failed = test_failing_disarm(&memory);
        test_failing_expect(&memory, status, failed, live, context);
        if (!failed) break;
    }
    cafe_graph_free(g);
    cafe_context_free(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(few_trials_have_several_threads),
        cmocka_unit_test(test_labels_are_not_seen),
        cmocka_unit_test(shares_stand_alone),
        cmocka_unit_test(repeats_go_on),
        cmocka_unit_test(the_training_nodes_choose),
        cmocka_unit_test(folds_cover_the_training_nodes),
        cmocka_unit_test(columns_are_scores),
        cmocka_unit_test(failures_come_through),
        cmocka_unit_test(no_memory_is_lost),
        cmocka_unit_test(paper_pairs),
        cmocka_unit_test(honest_pairs),
        cmocka_unit_test(dense_graphs_have_few_non_links),
        cmocka_unit_test(operators_are_what_they_say),
        cmocka_unit_test(separable_links_are_found),
        cmocka_unit_test(honest_links_for_any_threads),
        cmocka_unit_test(links_lose_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
