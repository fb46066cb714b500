/* Metrics against brute force and known values; splits and partitions by what they promise. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <cafe/cafe.h>

#include "evaluate/metrics.h"
#include "evaluate/train_test_split.h"
#include "evaluate/trials.h"
#include "failing.h"
#include "graphs.h"
#include "operator/operator.h"
#include "queries.h"

/* ---- scores ---------------------------------------------------------------------------------- */

enum { ITEMS = 40 };

/* Scores with many ties. */
static void random_items(cafe_scored *items, int count, uint64_t *state) {
    for (int i = 0; i < count; i++)
        items[i] = (cafe_scored){(double)test_below(state, 12), test_below(state, 3) == 0};
}

static double brute_auc(const cafe_scored *items, int count) {
    double won = 0, pairs = 0;
    for (int i = 0; i < count; i++)
        for (int j = 0; j < count; j++) {
            if (!items[i].positive || items[j].positive) continue;
            pairs++;
            won += items[i].score > items[j].score ? 1 : items[i].score == items[j].score ? 0.5 : 0;
        }
    return won / pairs;
}

/* At every positive: the precision of all that score at least as much. */
static double brute_precision(const cafe_scored *items, int count) {
    double sum = 0, positives = 0;
    for (int i = 0; i < count; i++) {
        double above = 0, right = 0;
        if (!items[i].positive) continue;
        for (int j = 0; j < count; j++)
            if (items[j].score >= items[i].score) above++, right += items[j].positive;
        sum += right / above;
        positives++;
    }
    return sum / positives;
}

static void scores_match_brute_force(void **unused) {
    (void)unused;
    uint64_t state = 1;
    for (int round = 0; round < 50; round++) {
        cafe_scored items[ITEMS];
        random_items(items, ITEMS, &state);
        items[0].positive = 1, items[1].positive = 0;
        double auc = brute_auc(items, ITEMS), precision = brute_precision(items, ITEMS);
        assert_float_equal(cafe_roc_auc(items, ITEMS), auc, 1e-12);
        assert_float_equal(cafe_average_precision(items, ITEMS), precision, 1e-12);
    }
}

/* Values of scikit-learn's roc_auc_score and average_precision_score. */
static void scores_match_known_values(void **unused) {
    (void)unused;
    cafe_scored items[8] = {{.9, 1}, {.8, 0}, {.8, 1}, {.4, 1}, {.4, 0}, {.4, 0}, {.1, 1}, {.2, 0}};
    assert_float_equal(cafe_roc_auc(items, 8), 0.59375, 1e-15);
    assert_float_equal(cafe_average_precision(items, 8), 0.6666666666666666, 1e-15);
    for (int i = 0; i < 8; i++) items[i].positive = 1;
    assert_true(isnan(cafe_roc_auc(items, 8)));
    assert_float_equal(cafe_average_precision(items, 8), 1, 1e-15);
    for (int i = 0; i < 8; i++) items[i].positive = 0;
    assert_true(isnan(cafe_roc_auc(items, 8)));
    assert_true(isnan(cafe_average_precision(items, 8)));
}

static int right_at(const cafe_scored *items, int count, double cut) {
    int right = 0;
    for (int i = 0; i < count; i++) right += (items[i].score > cut) == (items[i].positive != 0);
    return right;
}

static void no_cut_is_better(void **unused) {
    (void)unused;
    uint64_t state = 2;
    for (int round = 0; round < 50; round++) {
        cafe_scored items[ITEMS];
        random_items(items, ITEMS, &state);
        int best = right_at(items, ITEMS, cafe_best_cut(items, ITEMS));
        for (double cut = -0.5; cut < 13; cut++) assert_true(right_at(items, ITEMS, cut) <= best);
    }
}

/* ---- classes --------------------------------------------------------------------------------- */

static void figures_match_known_values(void **unused) {
    (void)unused;
    cafe_context *context = test_context(1, 1);
    const int32_t y[8] = {0, 0, 1, 2, 2, 2, 1, 0}, p[8] = {0, 1, 1, 2, 0, 2, 3, 0};
    const int64_t offsets[9] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
    const uint8_t expected[4] = {1, 1, 1, 0};
    double scores[8 * 4] = {0}, value[CAFE_CLASS_METRICS];
    for (int i = 0; i < 8; i++) scores[i * 4 + p[i]] = 1;
    cafe_outcome o = {8, 4, offsets, y, p, scores, expected, 0};
    assert_int_equal(cafe_class_metrics(context, &o, value), CAFE_OK);
    assert_float_equal(value[CAFE_METRIC_ACCURACY], 0.625, 1e-15);
    assert_float_equal(value[CAFE_METRIC_MICRO_F1], 0.625, 1e-15);
    assert_float_equal(value[CAFE_METRIC_MACRO_F1], 0.49166666666666664, 1e-15);
    /* of 0/1 scores the two areas are the same: class by class (2/3 + 4/5) / 2, ... */
    double paper = ((2. / 3 + 4. / 5) / 2 + (1. / 2 + 5. / 6) / 2 + (2. / 3 + 1) / 2) / 3;
    assert_float_equal(value[CAFE_METRIC_AUC_PAPER], paper, 1e-15);
    assert_float_equal(value[CAFE_METRIC_AUC], paper, 1e-15);
    /* a class of the task without a test row: the true AUC is not defined, the paper's skips it */
    const uint8_t all[4] = {1, 1, 1, 1};
    o.expected = all;
    assert_int_equal(cafe_class_metrics(context, &o, value), CAFE_OK);
    assert_true(isnan(value[CAFE_METRIC_AUC]));
    assert_float_equal(value[CAFE_METRIC_AUC_PAPER], paper, 1e-15);
    cafe_context_free(context);
}

/* Two labels a row, by 0/1 tables: the definitions once more, cell by cell. */
static void figures_of_several_labels(void **unused) {
    (void)unused;
    enum { N = 30, C = 5 };
    cafe_context *context = test_context(1, 1);
    uint64_t state = 3;
    int64_t offsets[N + 1];
    int32_t y[2 * N], p[2 * N];
    int truth[N][C] = {{0}}, given[N][C] = {{0}};
    double scores[N * C] = {0}, value[CAFE_CLASS_METRICS];
    for (int i = 0; i <= N; i++) offsets[i] = 2 * i;
    for (int i = 0; i < N; i++)
        for (int k = 0; k < 2; k++) {
            y[2 * i + k] = (int32_t)test_below(&state, 2) + 2 * k;
            p[2 * i + k] = (int32_t)test_below(&state, 2) + (k ? 3 : 0);
            truth[i][y[2 * i + k]] = given[i][p[2 * i + k]] = 1;
        }
    const uint8_t expected[C] = {1, 1, 1, 1, 0};
    cafe_outcome o = {N, C, offsets, y, p, scores, expected, 1};
    assert_int_equal(cafe_class_metrics(context, &o, value), CAFE_OK);
    double exact = 0, macro = 0, tp = 0, wrong = 0;
    for (int i = 0; i < N; i++) exact += memcmp(truth[i], given[i], sizeof truth[i]) == 0;
    for (int c = 0; c < C; c++) {
        double both = 0, either = 0;
        for (int i = 0; i < N; i++) {
            both += truth[i][c] && given[i][c];
            either += truth[i][c] != given[i][c];
        }
        macro += 2 * both / (2 * both + either) / C; /* class 4 is given, so it counts */
        tp += both, wrong += either;
    }
    assert_float_equal(value[CAFE_METRIC_ACCURACY], exact / N, 1e-15);
    assert_float_equal(value[CAFE_METRIC_MICRO_F1], 2 * tp / (2 * tp + wrong), 1e-15);
    assert_float_equal(value[CAFE_METRIC_MACRO_F1], macro, 1e-12);
    assert_float_equal(value[CAFE_METRIC_AUC], 0.5, 1e-15); /* all scores are equal */
    cafe_context_free(context);
}

/* Seven classes, two of them (4 and 6) neither true nor given in the test rows, one (5) given
 * alone. F1 by hand: 2/3 (class 0: two found, one given wrongly, one missed), 2/5, 0, 1, and 0 for
 * the rest. scikit-learn 1.2.1, f1_score(average="macro") of the 0/1 tables: 0.2952380952380952. A
 * single label a row has no column for class 3: 1/2, 2/4, 0, 2/3 over four classes, there and here.
 */
static void macro_f1_counts_absent_classes(void **unused) {
    (void)unused;
    enum { N = 6, C = 7 };
    cafe_context *context = test_context(1, 1);
    const int64_t several[N + 1] = {0, 2, 3, 5, 6, 8, 9}, single[N + 1] = {0, 1, 2, 3, 4, 5, 6};
    const int32_t y[] = {0, 1, 0, 1, 2, 2, 0, 3, 1}, p[] = {0, 2, 0, 1, 5, 0, 3, 1, 2};
    const int32_t y1[] = {0, 0, 1, 2, 4, 4}, p1[] = {0, 1, 1, 1, 4, 0};
    const uint8_t all[C] = {1, 1, 1, 1, 1, 1, 1}, fewer[C] = {1, 1, 1, 1, 1, 1, 0};
    const double scores[N * C] = {0};
    double value[CAFE_CLASS_METRICS];
    cafe_outcome o = {N, C, several, y, p, scores, all, 1};
    assert_int_equal(cafe_class_metrics(context, &o, value), CAFE_OK);
    assert_float_equal(value[CAFE_METRIC_MACRO_F1], (2. / 3 + 2. / 5 + 1) / 7, 1e-15);
    assert_float_equal(value[CAFE_METRIC_MACRO_F1], 0.2952380952380952, 1e-15);
    o.expected = fewer; /* a class that no node of the task has is no class */
    assert_int_equal(cafe_class_metrics(context, &o, value), CAFE_OK);
    assert_float_equal(value[CAFE_METRIC_MACRO_F1], (2. / 3 + 2. / 5 + 1) / 6, 1e-15);
    o = (cafe_outcome){N, C, single, y1, p1, scores, all, 0};
    assert_int_equal(cafe_class_metrics(context, &o, value), CAFE_OK);
    assert_float_equal(value[CAFE_METRIC_MACRO_F1], (1. / 2 + 1. / 2 + 2. / 3) / 4, 1e-15);
    cafe_context_free(context);
}

/* ---- splits ---------------------------------------------------------------------------------- */

enum { NODES = 203, KINDS = 6 };

/* Class sizes 100, 50, 25, 12, 4, 1; eleven nodes without a class. */
static void sizes(int32_t *label) {
    const int count[KINDS] = {100, 50, 25, 12, 4, 1};
    int u = 0;
    for (int c = 0; c < KINDS; c++)
        for (int i = 0; i < count[c]; i++) label[(u++ * 37) % NODES] = c;
    while (u < NODES) label[(u++ * 37) % NODES] = -1;
}

/* Checks one split and counts its training nodes by class. */
static void check_parts(const cafe_parts *parts, const int32_t *label, int whole,
                        int64_t *trained) {
    int seen[NODES] = {0};
    memset(trained, 0, KINDS * sizeof *trained);
    for (int64_t i = 0; i < parts->train; i++) {
        seen[parts->train_node[i]]++;
        trained[label[parts->train_node[i]]]++;
        assert_true(i == 0 || parts->train_node[i] > parts->train_node[i - 1]);
    }
    for (int64_t i = 0; i < parts->test; i++) seen[parts->test_node[i]]++;
    for (int u = 0; u < NODES; u++) {
        assert_true(seen[u] <= (label[u] >= 0));
        if (whole) assert_int_equal(seen[u], label[u] >= 0);
    }
}

static void strata_keep_their_share(void **unused) {
    (void)unused;
    cafe_context *context = test_context(1, 1);
    const int count[KINDS] = {100, 50, 25, 12, 4, 1};
    int32_t label[NODES];
    int64_t trained[KINDS], single = 0, drawn[NODES] = {0};
    cafe_targets t;
    cafe_parts parts;
    sizes(label);
    assert_int_equal(cafe_targets_from_array(context, NODES, KINDS, label, &t), CAFE_OK);
    for (uint64_t seed = 0; seed < 400; seed++) {
        assert_int_equal(cafe_parts_make(context, &t, 0.3, 0, CAFE_SPLIT_STRATIFIED, seed, &parts),
                         CAFE_OK);
        assert_int_equal(parts.train, 58); /* round(0.3 * 192) */
        assert_int_equal(parts.test, 192 - 58);
        check_parts(&parts, label, 1, trained);
        for (int c = 0; c < KINDS; c++)
            assert_true(fabs((double)trained[c] - count[c] * 58. / 192) < 1);
        single += trained[5];
        for (int64_t i = 0; i < parts.train; i++) drawn[parts.train_node[i]]++;
        cafe_parts_free(context, &parts);
    }
    /* every node, the only one of its class too, is drawn 0.3 of the times: 121 +- 9.2 of 400 */
    assert_true(single > 80 && single < 160);
    for (int u = 0; u < NODES; u++)
        if (label[u] >= 0) assert_true(drawn[u] > 75 && drawn[u] < 167);
    cafe_targets_free(context, &t);
    cafe_context_free(context);
}

static void uniform_splits_ignore_labels(void **unused) {
    (void)unused;
    cafe_context *context = test_context(1, 1);
    int32_t label[NODES], other[NODES];
    int64_t trained[KINDS];
    cafe_targets t[2];
    cafe_parts parts[2];
    sizes(label);
    for (int u = 0; u < NODES; u++) other[u] = label[u] < 0 ? -1 : KINDS - 1 - label[u];
    assert_int_equal(cafe_targets_from_array(context, NODES, KINDS, label, &t[0]), CAFE_OK);
    assert_int_equal(cafe_targets_from_array(context, NODES, KINDS, other, &t[1]), CAFE_OK);
    for (int i = 0; i < 2; i++)
        assert_int_equal(cafe_parts_make(context, &t[i], 0.5, 0, CAFE_SPLIT_UNIFORM, 9, &parts[i]),
                         CAFE_OK);
    check_parts(&parts[0], label, 1, trained);
    assert_memory_equal(parts[0].train_node, parts[1].train_node,
                        (size_t)parts[0].train * sizeof(int32_t));
    for (int i = 0; i < 2; i++) {
        cafe_parts_free(context, &parts[i]);
        cafe_targets_free(context, &t[i]);
    }
    cafe_context_free(context);
}

static void counts_are_exact(void **unused) {
    (void)unused;
    cafe_context *context = test_context(1, 1);
    int32_t label[NODES];
    int64_t trained[KINDS];
    cafe_targets t;
    cafe_parts parts;
    sizes(label);
    assert_int_equal(cafe_targets_from_array(context, NODES, KINDS, label, &t), CAFE_OK);
    assert_int_equal(cafe_parts_make(context, &t, 120, 50, CAFE_SPLIT_STRATIFIED, 1, &parts),
                     CAFE_OK);
    assert_int_equal(parts.train, 120);
    assert_int_equal(parts.test, 50);
    check_parts(&parts, label, 0, trained);
    cafe_parts_free(context, &parts);
    /* more than there are, nothing, and not a number */
    const double wrong[4] = {150, 192, 0, NAN};
    for (int i = 0; i < 4; i++)
        assert_int_equal(
            cafe_parts_make(context, &t, wrong[i], i ? 0 : 50, CAFE_SPLIT_STRATIFIED, 1, &parts),
            CAFE_ERROR_ARGUMENT);
    /* both sides have a node, however small the share */
    assert_int_equal(cafe_parts_make(context, &t, 1e-9, 0, CAFE_SPLIT_UNIFORM, 1, &parts), CAFE_OK);
    assert_int_equal(parts.train, 1);
    cafe_parts_free(context, &parts);
    cafe_targets_free(context, &t);
    cafe_context_free(context);
}

/* ---- partitions ------------------------------------------------------------------------------ */

static void agreement_matches_known_values(void **unused) {
    (void)unused;
    cafe_context *context = test_context(1, 1);
    const int32_t a[12] = {0, 0, 0, 1, 1, 1, 2, 2, 2, 2, -1, 3};
    const int32_t b[12] = {5, 5, 1, 1, 1, 1, 7, 7, 5, 7, 4, -1};
    const int32_t one[12] = {0};
    cafe_agreement g;
    /* scikit-learn: normalized_mutual_info_score, adjusted_rand_score */
    assert_int_equal(cafe_partition_agreement(context, 12, a, b, &g), CAFE_OK);
    assert_int_equal(g.nodes, 10);
    assert_float_equal(g.nmi, 0.6180656462921542, 1e-14);
    assert_float_equal(g.ari, 0.4318181818181818, 1e-14);
    assert_int_equal(cafe_partition_agreement(context, 10, a, a, &g), CAFE_OK);
    assert_float_equal(g.nmi, 1, 1e-14);
    assert_float_equal(g.ari, 1, 1e-14);
    assert_int_equal(cafe_partition_agreement(context, 10, a, one, &g), CAFE_OK);
    assert_true(g.nmi == 0 && g.ari == 0);
    assert_int_equal(cafe_partition_agreement(context, 10, one, one, &g), CAFE_OK);
    assert_true(g.nmi == 1 && g.ari == 1);
    assert_int_equal(cafe_partition_agreement(context, 1, a + 10, b, &g), CAFE_OK);
    assert_true(g.nodes == 0 && isnan(g.nmi) && isnan(g.ari));
    cafe_context_free(context);
}

/* ARI by looking at every pair of nodes. */
static void rand_index_by_pairs(void **unused) {
    (void)unused;
    enum { N = 60 };
    cafe_context *context = test_context(1, 1);
    uint64_t state = 4;
    int32_t a[N], b[N];
    for (int u = 0; u < N; u++) {
        a[u] = (int32_t)test_below(&state, 4);
        b[u] = test_below(&state, 3) ? a[u] : (int32_t)test_below(&state, 4);
    }
    double both = 0, in_a = 0, in_b = 0, all = 0;
    for (int u = 0; u < N; u++)
        for (int w = 0; w < u; w++) {
            both += a[u] == a[w] && b[u] == b[w];
            in_a += a[u] == a[w], in_b += b[u] == b[w], all++;
        }
    double expected = in_a * in_b / all;
    cafe_agreement g;
    assert_int_equal(cafe_partition_agreement(context, N, a, b, &g), CAFE_OK);
    assert_float_equal(g.ari, (both - expected) / ((in_a + in_b) / 2 - expected), 1e-12);
    cafe_context_free(context);
}

/* Modularity against the covariances of the operator, conductance against counted edges. */
static void quality_is_what_edges_say(void **unused) {
    (void)unused;
    enum { PARTS = 4 };
    cafe_context *context = test_context(2, 1);
    cafe_graph *graph = test_karate(context);
    cafe_sampled *sampled = NULL;
    cafe_operator *op = NULL;
    int32_t part[TEST_KARATE_NODES];
    double covariance[PARTS * PARTS], modularity = 0, cut[PARTS] = {0}, volume[PARTS] = {0};
    double mean = 0, weighted = 0, nodes = 0;
    int size[PARTS] = {0};
    cafe_partition_quality q;
    for (int u = 0; u < TEST_KARATE_NODES; u++) part[u] = u < 20 ? u % 3 : u < 30 ? 0 : -1;
    for (int u = 0; u < TEST_KARATE_NODES; u++)
        if (part[u] >= 0) size[part[u]]++;
    for (int e = 0; e < TEST_KARATE_EDGES; e++)
        for (int end = 0; end < 2; end++) {
            int32_t c = part[test_karate_edges[e][end]];
            if (c < 0) continue;
            volume[c]++;
            cut[c] += c != part[test_karate_edges[e][1 - end]];
        }
    assert_int_equal(cafe_sample(context, graph, CAFE_SAMPLING_EDGE, NULL, NULL, &sampled),
                     CAFE_OK);
    assert_int_equal(cafe_operator_modularity(context, sampled, &op), CAFE_OK);
    assert_int_equal(test_covariance(context, op, part, PARTS, covariance), CAFE_OK);
    for (int c = 0; c < PARTS; c++) modularity += covariance[c * PARTS + c];
    for (int c = 0; c < 3; c++) {
        double rest = 2 * TEST_KARATE_EDGES - volume[c];
        double conductance = cut[c] / (volume[c] < rest ? volume[c] : rest);
        mean += conductance / 3;
        weighted += conductance * size[c];
        nodes += size[c];
    }
    assert_int_equal(cafe_partition_measure(context, sampled, part, PARTS, &q), CAFE_OK);
    assert_int_equal(q.sets, 3);
    assert_float_equal(q.modularity, modularity, 1e-12);
    assert_float_equal(q.conductance, mean, 1e-12);
    assert_float_equal(q.weighted_conductance, weighted / nodes, 1e-12);
    for (int u = 0; u < TEST_KARATE_NODES; u++) part[u] = 0;
    assert_int_equal(cafe_partition_measure(context, sampled, part, 1, &q), CAFE_OK);
    assert_true(isnan(q.conductance) && fabs(q.modularity) < 1e-12);
    part[3] = 1;
    assert_int_equal(cafe_partition_measure(context, sampled, part, 1, &q), CAFE_ERROR_ARGUMENT);
    cafe_operator_free(op);
    cafe_sampled_free(sampled);
    cafe_graph_free(graph);
    cafe_context_free(context);
}

/* ---- paired differences ---------------------------------------------------------------------- */

/* P(|T| >= t): closed forms for one, two and four degrees of freedom. */
static double tail_1(double t) {
    return 1 - 2 / acos(-1) * atan(t);
}

static double tail_2(double t) {
    return 1 - t / sqrt(2 + t * t);
}

static double tail_4(double t) {
    double c = 4 / (4 + t * t);
    return 1 - sqrt(1 - c) * (1 + c / 2);
}

/* Differences of mean 1 whose t, without correction, is as asked for: 1 + x, 1 - x, ..., and 1 in
 * the middle where their number is odd. */
static cafe_paired of_t(int count, double t) {
    int pairs = count / 2;
    double a[8], b[8];
    double s = sqrt((double)count) / t, x = s * sqrt((count - 1) / (2. * pairs));
    cafe_paired found;
    for (int i = 0; i < count; i++) {
        a[i] = 3 + (i == 2 * pairs ? 0 : i % 2 ? -x : x);
        b[i] = 2;
    }
    cafe_paired_test(count, a, b, 0, &found);
    assert_float_equal(found.mean, 1, 1e-9);
    assert_float_equal(found.t, t, 1e-9 * t);
    return found;
}

static void differences_match_closed_forms(void **unused) {
    (void)unused;
    for (double t = 0.01; t < 200; t *= 1.7) {
        assert_float_equal(of_t(2, t).p, tail_1(t), 1e-10);
        assert_float_equal(of_t(3, t).p, tail_2(t), 1e-10);
        assert_float_equal(of_t(5, t).p, tail_4(t), 1e-10);
    }
}

/* The correction is that of the error alone; what is not defined is left out, pair by pair. */
static void differences_allow_for_overlap(void **unused) {
    (void)unused;
    const double a[] = {0.5, 0.7, NAN, 0.9, 0.6}, b[] = {0.4, 0.3, 0.2, 0.8, NAN};
    cafe_paired plain, corrected;
    cafe_paired_test(5, a, b, 0, &plain);
    cafe_paired_test(5, a, b, 9, &corrected);
    assert_int_equal(plain.count, 3);
    assert_float_equal(plain.mean, 0.2, 1e-12);
    assert_float_equal(plain.error, 0.1, 1e-12); /* s^2 = (0.01 + 0.04 + 0.01) / 2 = 0.03 */
    assert_float_equal(plain.corrected_error, 0.1, 1e-12);
    assert_float_equal(corrected.error, 0.1, 1e-12);
    assert_float_equal(corrected.corrected_error, sqrt(0.03 * (1. / 3 + 9)), 1e-12);
    assert_float_equal(corrected.t, 0.2 / corrected.corrected_error, 1e-12);
    assert_true(corrected.p > plain.p);
}

static void differences_of_nothing_are_undefined(void **unused) {
    (void)unused;
    const double a[] = {1, 2, 3}, b[] = {0, 1, 2};
    cafe_paired found;
    cafe_paired_test(0, a, b, 1, &found);
    assert_true(found.count == 0 && isnan(found.mean) && isnan(found.p));
    cafe_paired_test(1, a, b, 1, &found);
    assert_true(found.mean == 1 && isnan(found.error) && isnan(found.p));
    cafe_paired_test(3, a, a, 1, &found);
    assert_true(found.mean == 0 && found.error == 0 && isnan(found.t) && isnan(found.p));
    cafe_paired_test(3, a, b, 1, &found);
    assert_true(found.mean == 1 && isinf(found.t) && found.p == 0);
}

/* ---- memory ---------------------------------------------------------------------------------- */

static cafe_status all_of_it(cafe_context *context, const cafe_sampled *sampled,
                             const int32_t *part) {
    cafe_targets t = {0};
    cafe_parts parts = {0};
    cafe_agreement g;
    cafe_partition_quality q;
    int64_t n = TEST_KARATE_NODES;
    cafe_status status = cafe_partition_agreement(context, n, part, part, &g);
    if (status == CAFE_OK) status = cafe_partition_measure(context, sampled, part, 3, &q);
    if (status == CAFE_OK) status = cafe_targets_from_array(context, n, 3, part, &t);
    if (status == CAFE_OK)
        status = cafe_parts_make(context, &t, 0.5, 0, CAFE_SPLIT_STRATIFIED, 1, &parts);
    cafe_parts_free(context, &parts);
    cafe_targets_free(context, &t);
    return status;
}

static void no_memory_is_lost(void **unused) {
    (void)unused;
    test_failing memory;
    cafe_context *context = test_failing_context(&memory, 1);
    cafe_graph *graph = test_karate(context);
    cafe_sampled *sampled = NULL;
    int32_t part[TEST_KARATE_NODES];
    for (int u = 0; u < TEST_KARATE_NODES; u++) part[u] = u % 3;
    assert_int_equal(cafe_sample(context, graph, CAFE_SAMPLING_EDGE, NULL, NULL, &sampled),
                     CAFE_OK);
    for (long k = 0;; k++) {
        long live = test_failing_arm(&memory, k);
        cafe_status status = all_of_it(context, sampled, part);
        int failed = test_failing_disarm(&memory);
        test_failing_expect(&memory, status, failed, live, context);
        if (!failed) break;
    }
    cafe_sampled_free(sampled);
    cafe_graph_free(graph);
    cafe_context_free(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scores_match_brute_force),
        cmocka_unit_test(scores_match_known_values),
        cmocka_unit_test(no_cut_is_better),
        cmocka_unit_test(figures_match_known_values),
        cmocka_unit_test(figures_of_several_labels),
        cmocka_unit_test(macro_f1_counts_absent_classes),
        cmocka_unit_test(strata_keep_their_share),
        cmocka_unit_test(uniform_splits_ignore_labels),
        cmocka_unit_test(counts_are_exact),
        cmocka_unit_test(agreement_matches_known_values),
        cmocka_unit_test(rand_index_by_pairs),
        cmocka_unit_test(quality_is_what_edges_say),
        cmocka_unit_test(differences_match_closed_forms),
        cmocka_unit_test(differences_allow_for_overlap),
        cmocka_unit_test(differences_of_nothing_are_undefined),
        cmocka_unit_test(no_memory_is_lost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
