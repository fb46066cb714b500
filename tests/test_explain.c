/* Explanations against dense recomputation: shares, ends, forces, margins, communities, spectrum.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <unistd.h>

#include <cafe-private/inputs.h>

#include "dense.h"
#include "failing.h"

#include "operator/operator.h"
#include "queries.h"

/* A problem with vectors and a partition, and Q written out. */
typedef struct fixture {
    test_problem t;
    int64_t n, columns;
    float *v;
    double *q, *p;
    int32_t *part;
    cafe_explanation *e;
} fixture;

static fixture set_up(cafe_context *context, cafe_graph *graph, int64_t columns, int64_t top,
                      int64_t parts, uint64_t seed) {
    fixture f = {.t = test_open(context, graph), .n = cafe_graph_nodes(graph), .columns = columns};
    cafe_explain_options options;
    f.v = test_block(f.n, columns, seed);
    f.p = malloc((size_t)f.n * sizeof *f.p);
    f.q = test_dense_q(graph, f.p);
    f.part = malloc((size_t)f.n * sizeof *f.part);
    for (int64_t u = 0; u < f.n; u++) f.part[u] = (int32_t)test_below(&seed, parts);
    f.part[f.n / 2] = -1;
    cafe_explain_options_init(&options);
    options.top = top;
    TEST_OK(context, cafe_explain(context, f.t.op, columns, f.v, f.part, &options, &f.e));
    return f;
}

static void tear_down(fixture *f) {
    cafe_explanation_free(f->e);
    free(f->v);
    free(f->p);
    free(f->q);
    free(f->part);
    test_close(&f->t);
}

static fixture random_fixture(uint64_t seed) {
    cafe_context *context = test_context(2, seed);
    int64_t n = 20 + (int64_t)(seed % 5) * 13;
    cafe_graph *graph = test_random(context, n, 4 * n, seed & 1, seed >> 1 & 1, seed);
    return set_up(context, graph, 1 + (int64_t)(seed % 19), 4, 5, seed);
}

static void near(double a, double b, double scale) {
    if (!(fabs(a - b) <= 1e-5 * scale)) fail_msg("%.12g instead of %.12g (scale %g)", a, b, scale);
}

/* ---- dimensions ------------------------------------------------------------------------------ */

static void test_shares_sum(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        fixture f = random_fixture(seed);
        cafe_explain_report report = *cafe_explanation_get(f.e);
        double sum = 0, shares = 0, sizes = 0;
        for (int64_t k = 0; k < f.columns; k++) {
            cafe_dimension_card card;
            cafe_explain_dimension(f.e, k, &card);
            sum += card.contribution;
            shares += card.share;
            sizes += fabs(card.contribution);
        }
        near(sum, report.modularity, sizes);
        near(report.modularity, test_dense_trace(f.n, f.q, f.v, f.columns), sizes);
        near(shares, 1, sizes / fabs(report.modularity));
        tear_down(&f);
    }
}

static void check_values(const fixture *f, int64_t k) {
    cafe_dimension_card card;
    double vv = 0, vqv = 0, vdv = 0, plain = 0, walk = 0, mean = 0;
    double *z = malloc((size_t)f->n * sizeof *z);
    cafe_explain_dimension(f->e, k, &card);
    test_dense_times(f->n, f->q, f->v, f->columns, k, z);
    for (int64_t u = 0; u < f->n; u++) mean += f->p[u] * f->v[u * f->columns + k];
    for (int64_t u = 0; u < f->n; u++) {
        double v = f->v[u * f->columns + k];
        vv += v * v, vqv += v * z[u], vdv += f->p[u] * (v - mean) * (v - mean);
    }
    for (int64_t u = 0; u < f->n; u++) {
        double v = f->v[u * f->columns + k], p = f->p[u], x = v - mean;
        plain += (z[u] - vqv / vv * v) * (z[u] - vqv / vv * v);
        if (p > 0) walk += p * (z[u] / p - vqv / vdv * x) * (z[u] / p - vqv / vdv * x);
    }
    near(card.plain_value, vqv / vv, 0.1);
    near(card.plain_residual, sqrt(plain / vv), 0.1);
    near(card.walk_value, vqv / vdv, 1);
    near(card.walk_residual, sqrt(walk / vdv), 1);
    free(z);
}

/* Exactly those nodes are listed that nobody beats, in order. */
static void check_ends(const fixture *f, int64_t k) {
    cafe_dimension_card card;
    cafe_explain_dimension(f->e, k, &card);
    for (int64_t i = 0; i < card.ends; i++) {
        int64_t above = 0, below = 0;
        for (int64_t u = 0; u < f->n; u++) {
            above += f->v[u * f->columns + k] > card.high[i].value;
            below += f->v[u * f->columns + k] < card.low[i].value;
        }
        assert_int_equal(above, i);
        assert_int_equal(below, i);
        assert_true(f->v[card.high[i].index * f->columns + k] == card.high[i].value);
        assert_true(f->v[card.low[i].index * f->columns + k] == card.low[i].value);
    }
}

/* Pearson's r of column k with x over the nodes with use[u]. */
static double pearson(const fixture *f, int64_t k, const double *x, const int *use) {
    double n = 0, a = 0, b = 0, aa = 0, bb = 0, ab = 0;
    for (int64_t u = 0; u < f->n; u++)
        if (use[u]) n++, a += f->v[u * f->columns + k], b += x[u];
    a /= n, b /= n;
    for (int64_t u = 0; u < f->n; u++) {
        double d = f->v[u * f->columns + k] - a, e = x[u] - b;
        if (use[u]) aa += d * d, bb += e * e, ab += d * e;
    }
    return aa > 0 && bb > 0 ? ab / sqrt(aa * bb) : 0;
}

static double community_pearson(const fixture *f, int64_t k, int32_t community) {
    double *x = malloc((size_t)f->n * sizeof *x);
    int *use = malloc((size_t)f->n * sizeof *use);
    for (int64_t u = 0; u < f->n; u++) {
        use[u] = f->part[u] >= 0;
        x[u] = f->part[u] == community;
    }
    double r = pearson(f, k, x, use);
    free(x);
    free(use);
    return r;
}

static void check_communities(const fixture *f, int64_t k) {
    cafe_dimension_card card;
    double best = 0, least = 0;
    cafe_explain_dimension(f->e, k, &card);
    for (int32_t c = 0; c < 5; c++) {
        double r = community_pearson(f, k, c);
        best = r > best ? r : best;
        least = r < least ? r : least;
    }
    assert_true(card.high_count >= 1 && card.low_count >= 1);
    near(card.high_communities[0].value, best, 1);
    near(card.low_communities[0].value, least, 1);
    for (int64_t i = 0; i < card.high_count; i++)
        near(card.high_communities[i].value,
             community_pearson(f, k, card.high_communities[i].index), 1);
}

static void test_dimension_cards(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        fixture f = random_fixture(seed);
        for (int64_t k = 0; k < f.columns; k++) {
            check_values(&f, k);
            check_ends(&f, k);
            check_communities(&f, k);
        }
        tear_down(&f);
    }
}

/* Eigenvectors of either problem are recognised, with residuals near 0. */
static void test_problem_recognised(void **state) {
    (void)state;
    static const cafe_form forms[] = {CAFE_FORM_RITZ, CAFE_FORM_WALK, CAFE_FORM_SCALED};
    for (int form = 0; form < 3; form++) {
        cafe_context *context = test_context(2, 1);
        test_problem t = test_open(context, test_karate(context));
        cafe_sphere_options sphere;
        cafe_finish_options finish;
        cafe_solution *solution = NULL;
        cafe_embedding *embedding = NULL;
        cafe_explanation *e = NULL;
        cafe_explain_report report;
        float v[TEST_KARATE_NODES * 3];
        cafe_sphere_options_init(&sphere);
        cafe_finish_options_init(&finish);
        sphere.columns = 3;
        finish.form = forms[form];
        finish.residual = 1e-5;
        TEST_OK(context, cafe_sphere(context, t.op, &sphere, NULL, &solution));
        TEST_OK(context, cafe_finish(context, t.op, &solution, &finish, &embedding));
        cafe_embedding_copy(embedding, v);
        TEST_OK(context, cafe_explain(context, t.op, 3, v, NULL, NULL, &e));
        report = *cafe_explanation_get(e);
        assert_int_equal(report.generalised, form > 0);
        assert_true(report.communities >= 2 && report.part_modularity > 0.41);
        for (int64_t k = 0; k < 3; k++) {
            cafe_dimension_card card;
            cafe_certificate certificate;
            cafe_explain_dimension(e, k, &card);
            certificate = *cafe_embedding_certificate(embedding);
            assert_true(card.residual < 1e-4 * card.value);
            near(card.value, certificate.ritz_values[k], card.value);
        }
        cafe_explanation_free(e);
        cafe_embedding_free(embedding);
        test_close(&t);
    }
}

static void test_attributes(void **state) {
    fixture f = random_fixture(7);
    cafe_context *context = f.t.context;
    int64_t width = 4;
    float *x = test_block(f.n, width, 99);
    cafe_association *best = malloc((size_t)f.columns * sizeof *best);
    double *one = malloc((size_t)f.n * sizeof *one);
    int *use = malloc((size_t)f.n * sizeof *use);
    (void)state;
    for (int64_t u = 0; u < f.n; u++) use[u] = 1, x[u * width + 2] = 3; /* a constant one */
    TEST_OK(context, cafe_explain_attributes(context, f.e, width, x, best));
    for (int64_t k = 0; k < f.columns; k++) {
        double largest = 0;
        for (int64_t i = 0; i < width; i++) {
            for (int64_t u = 0; u < f.n; u++) one[u] = x[u * width + i];
            double r = pearson(&f, k, one, use);
            if (fabs(r) > fabs(largest)) largest = r;
            if (i == best[k].index) near(best[k].correlation, r, 1);
        }
        near(best[k].correlation, largest, 1);
        near(best[k].ratio, largest * largest, 1);
    }
    free(x);
    free(best);
    free(one);
    free(use);
    tear_down(&f);
}

static cafe_labels *label_file(cafe_context *context, const cafe_graph *graph, const int *label,
                               int64_t n) {
    char path[] = "/tmp/cafe-explain-XXXXXX";
    cafe_labels *labels = NULL;
    FILE *file = fdopen(mkstemp(path), "w");
    assert_non_null(file);
    for (int64_t u = 0; u < n; u++)
        if (label[u] >= 0) fprintf(file, "%d %d\n", (int)u, label[u]);
    fclose(file);
    TEST_OK(context, cafe_labels_read(context, graph, path, NULL, NULL, &labels));
    remove(path);
    return labels;
}

static void test_labels(void **state) {
    fixture f = random_fixture(8);
    cafe_context *context = f.t.context;
    uint64_t draw = 5;
    int *label = malloc((size_t)f.n * sizeof *label), *use = malloc((size_t)f.n * sizeof *use);
    double *one = malloc((size_t)f.n * sizeof *one);
    cafe_association *best = malloc((size_t)f.columns * sizeof *best);
    (void)state;
    for (int64_t u = 0; u < f.n; u++) {
        label[u] = u < 3 ? (int)u : (int)test_below(&draw, 4) - 1;
        use[u] = label[u] >= 0;
    }
    cafe_labels *labels = label_file(context, f.t.graph, label, f.n);
    TEST_OK(context, cafe_explain_labels(context, f.e, labels, best));
    for (int64_t k = 0; k < f.columns; k++) {
        double largest = 0, between = 0, all = 0, mean = 0, count = 0;
        for (int64_t u = 0; u < f.n; u++)
            if (use[u]) mean += f.v[u * f.columns + k], count++;
        mean /= count;
        for (int c = 0; c < 3; c++) {
            double size = 0, sum = 0;
            for (int64_t u = 0; u < f.n; u++) {
                double v = f.v[u * f.columns + k];
                one[u] = label[u] == c;
                if (label[u] == c) size++, sum += v, all += (v - mean) * (v - mean);
            }
            between += size * (sum / size - mean) * (sum / size - mean);
            double r = pearson(&f, k, one, use);
            if (fabs(r) > fabs(largest)) largest = r;
        }
        near(best[k].correlation, largest, 1);
        near(best[k].ratio, between / all, 1);
        assert_true(best[k].correlation * best[k].correlation <= best[k].ratio + 1e-9);
    }
    cafe_labels_free(labels);
    free(label);
    free(use);
    free(one);
    free(best);
    tear_down(&f);
}

/* ---- nodes ----------------------------------------------------------------------------------- */

static double dot(const fixture *f, int64_t u, int64_t w) {
    double sum = 0;
    for (int64_t k = 0; k < f->columns; k++)
        sum += (double)f->v[u * f->columns + k] * f->v[w * f->columns + k];
    return sum;
}

static void check_forces(const fixture *f, const cafe_node_card *card) {
    double total = 0, sizes = 0, strongest = 0, hardest = 0;
    int64_t u = card->node;
    for (int64_t w = 0; w < f->n; w++) {
        double force = f->q[u * f->n + w] * dot(f, u, w);
        total += force;
        sizes += fabs(force);
        if (w != u && force > strongest) strongest = force;
        if (w != u && force < hardest) hardest = force;
    }
    near(card->total, total, sizes);
    near(card->own + card->linked_pull + card->linked_push + card->other_pull + card->other_push,
         total, sizes);
    near(card->own, f->q[u * f->n + u] * dot(f, u, u), sizes);
    assert_true(card->linked_pull >= 0 && card->other_pull >= 0);
    assert_true(card->linked_push <= 0 && card->other_push <= 0);
    if (strongest > 0) near(card->pulls[0].value, strongest, sizes);
    if (hardest < 0) near(card->pushes[0].value, hardest, sizes);
    for (int64_t i = 0; i < card->pull_count; i++) {
        const cafe_force *force = card->pulls + i;
        near(force->value, f->q[u * f->n + force->node] * dot(f, u, force->node), sizes);
        assert_true(i == 0 || force->value <= card->pulls[i - 1].value);
    }
}

/* The margin by trying every community, and to be alone. */
static void check_margin(const fixture *f, const cafe_node_card *card) {
    double attachment[5] = {0}, best = 0;
    int64_t u = card->node;
    assert_int_equal(card->community, f->part[u]);
    if (card->community < 0) return;
    for (int64_t w = 0; w < f->n; w++)
        if (w != u && f->part[w] >= 0) attachment[f->part[w]] += f->q[u * f->n + w];
    for (int32_t c = 0; c < 5; c++)
        if (c != card->community && attachment[c] > best) best = attachment[c];
    near(card->attachment, attachment[card->community], 0.01);
    near(card->second_attachment, best, 0.01);
    near(card->margin, attachment[card->community] - best, 0.01);
    assert_int_equal(card->second >= 0, best > 0);
}

static void check_position(const fixture *f, const cafe_node_card *card) {
    for (int64_t i = 0; i < card->coordinate_count; i++) {
        const cafe_coordinate *c = card->coordinates + i;
        double rank = 0;
        float own = f->v[card->node * f->columns + c->column];
        for (int64_t u = 0; u < f->n; u++) {
            float v = f->v[u * f->columns + c->column];
            rank += v < own ? 1 : v == own ? 0.5 : 0;
        }
        assert_true(c->value == own);
        near(c->percentile, 100 * rank / (double)f->n, 100);
        assert_true(i == 0 || fabs(c->deviations) <= fabs(card->coordinates[i - 1].deviations));
    }
    near(card->length, sqrt(dot(f, card->node, card->node)), card->length);
}

static void test_node_cards(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        fixture f = random_fixture(seed);
        double sum = 0, sizes = 0;
        cafe_explain_report report;
        for (int64_t u = 0; u < f.n; u++) {
            cafe_node_card card;
            TEST_OK(f.t.context, cafe_explain_node(f.t.context, f.e, u, &card));
            check_forces(&f, &card);
            check_margin(&f, &card);
            check_position(&f, &card);
            sum += card.total;
            sizes += fabs(card.total);
        }
        report = *cafe_explanation_get(f.e);
        near(sum, report.modularity, sizes); /* nodes and columns account for the same */
        tear_down(&f);
    }
}

/* ---- communities ----------------------------------------------------------------------------- */

static void check_community(const fixture *f, int32_t c, const double *covariance) {
    cafe_community_card card;
    cafe_pair_figures figures;
    uint8_t *member = malloc((size_t)f->n);
    double *value = malloc((size_t)f->n * sizeof *value), best = -1;
    cafe_context *context = f->t.context;
    TEST_OK(context, cafe_explain_community(context, f->e, c, &card));
    for (int64_t u = 0; u < f->n; u++) member[u] = f->part[u] == c;
    TEST_OK(context, cafe_set_compare(context, f->t.sampled, member, member, &figures));
    if (figures.first.mass > 0)
        TEST_OK(context, cafe_rank_relative(context, f->t.sampled, member, value));
    assert_int_equal(card.nodes, figures.first.nodes);
    near(card.mass, figures.first.mass, 1e-3);
    near(card.inside, figures.first.inside, 1e-3);
    near(card.strength, covariance[c * 5 + c], 1e-3);
    near(card.conductance, figures.first.conductance, 1e-3);
    for (int64_t i = 0; i < card.central_count && card.mass > 0; i++)
        near(card.central[i].value, value[card.central[i].index], 1e-3);
    for (int32_t d = 0; d < 5; d++)
        if (d != c && covariance[c * 5 + d] > best) best = covariance[c * 5 + d];
    for (int64_t i = 0; i < card.nearest_count; i++)
        near(card.nearest[i].value, covariance[c * 5 + card.nearest[i].index], 1e-3);
    if (best > 0) near(card.nearest[0].value, best, 1e-3);
    free(member);
    free(value);
}

static void test_community_cards(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        fixture f = random_fixture(seed);
        cafe_context *context = f.t.context;
        double covariance[25], sum = 0;
        cafe_explain_report report;
        TEST_OK(context, test_covariance(context, f.t.op, f.part, 5, covariance));
        for (int32_t c = 0; c < 5; c++) {
            check_community(&f, c, covariance);
            sum += covariance[c * 5 + c];
        }
        report = *cafe_explanation_get(f.e);
        near(report.part_modularity, sum, 1e-3);
        tear_down(&f);
    }
}

/* ---- the same bits, refusals, memory --------------------------------------------------------- */

typedef struct digest {
    double numbers[64];
    int count;
} digest;

static void note(digest *d, double x) {
    assert_true(d->count < 64);
    d->numbers[d->count++] = x;
}

static digest everything(int32_t threads) {
    digest d = {{0}, 0};
    cafe_context *context = test_context(threads, 3);
    fixture f = set_up(context, test_random(context, 700, 3000, 1, 0, 3), 20, 3, 5, 3);
    cafe_explain_report report;
    cafe_node_card node;
    cafe_community_card community;
    cafe_ceiling ceiling;
    cafe_ceiling_options quick;
    cafe_spectrum *spectrum = NULL;
    cafe_spectrum_report values;
    report = *cafe_explanation_get(f.e);
    note(&d, report.modularity), note(&d, report.values[0]), note(&d, report.part_modularity);
    for (int64_t k = 0; k < 5; k++) {
        cafe_dimension_card card;
        cafe_explain_dimension(f.e, k * 4, &card);
        note(&d, card.contribution), note(&d, card.residual), note(&d, card.high[2].index);
        note(&d, card.low_communities[0].value);
    }
    TEST_OK(context, cafe_explain_node(context, f.e, 11, &node));
    note(&d, node.total), note(&d, node.other_push), note(&d, node.margin);
    TEST_OK(context, cafe_explain_community(context, f.e, 2, &community));
    note(&d, community.strength), note(&d, community.nearest[1].value);
    TEST_OK(context, cafe_spectrum_find(context, f.e, NULL, &spectrum));
    values = *cafe_spectrum_get(spectrum);
    note(&d, values.positive), note(&d, values.values[21]), note(&d, (double)values.elbow);
    cafe_ceiling_options_init(&quick);
    quick.columns = 8, quick.sweeps = 20, quick.work = 0.01;
    TEST_OK(context, cafe_ceiling_find(context, f.t.op, f.part, &quick, &ceiling));
    note(&d, ceiling.pairs), note(&d, ceiling.spectral), note(&d, ceiling.dual);
    note(&d, ceiling.inequalities);
    note(&d, ceiling.witness);
    cafe_spectrum_free(spectrum);
    tear_down(&f);
    return d;
}

static void test_threads(void **state) {
    digest one = everything(1);
    (void)state;
    for (size_t i = 1; i < TEST_THREADS; i++) {
        digest other = everything(test_thread_counts[i]);
        assert_int_equal(one.count, other.count);
        assert_memory_equal(one.numbers, other.numbers, sizeof one.numbers);
    }
}

/* Vectors that are finite and so large that their products are not: an error, never a number. */
static void test_large_vectors(void **state) {
    fixture f = random_fixture(4);
    cafe_context *context = f.t.context;
    cafe_explanation *e = NULL;
    cafe_node_card node;
    (void)state;
    int64_t count = f.n * f.columns;
    for (int64_t i = 0; i < count; i++) f.v[i] = f.v[i] < 0 ? -1e30f : 1e30f;
    TEST_OK(context, cafe_explain(context, f.t.op, f.columns, f.v, f.part, NULL, &e));
    assert_true(isfinite(cafe_explanation_get(e)->modularity));
    assert_int_equal(cafe_explain_node(context, e, 1, &node), CAFE_ERROR_NUMERIC);
    cafe_explanation_free(e);
    for (int64_t i = 0; i < count; i++) f.v[i] = f.v[i] < 0 ? -3.3e38f : 3.3e38f;
    cafe_status status = cafe_explain(context, f.t.op, f.columns, f.v, f.part, NULL, &e);
    if (status == CAFE_OK)
        assert_true(isfinite(cafe_explanation_get(e)->modularity));
    else
        assert_int_equal(status, CAFE_ERROR_NUMERIC);
    cafe_explanation_free(e);
    tear_down(&f);
}

static void test_refusals(void **state) {
    fixture f = random_fixture(4);
    cafe_context *context = f.t.context;
    cafe_explanation *e = NULL;
    cafe_node_card node;
    cafe_community_card card;
    cafe_explain_options options;
    (void)state;
    cafe_explain_options_init(&options);
    options.top = 0;
    assert_int_equal(cafe_explain(context, f.t.op, f.columns, f.v, NULL, &options, &e),
                     CAFE_ERROR_ARGUMENT);
    assert_int_equal(cafe_explain(context, f.t.op, 0, f.v, NULL, NULL, &e), CAFE_ERROR_ARGUMENT);
    assert_int_equal(cafe_explain_node(context, f.e, f.n, &node), CAFE_ERROR_ARGUMENT);
    assert_int_equal(cafe_explain_node(context, f.e, -1, &node), CAFE_ERROR_ARGUMENT);
    assert_int_equal(cafe_explain_community(context, f.e, 5, &card), CAFE_ERROR_ARGUMENT);
    f.part[3] = (int32_t)f.n;
    assert_int_equal(cafe_explain(context, f.t.op, f.columns, f.v, f.part, NULL, &e),
                     CAFE_ERROR_ARGUMENT);
    f.v[5] = NAN;
    assert_int_equal(cafe_explain(context, f.t.op, f.columns, f.v, NULL, NULL, &e),
                     CAFE_ERROR_ARGUMENT);
    assert_null(e);
    tear_down(&f);
}

/* An operator without rows: dimensions and next values, nothing else. */
static void test_without_rows(void **state) {
    fixture f = random_fixture(6);
    cafe_context *context = f.t.context;
    cafe_operator *walk = NULL;
    cafe_explanation *e = NULL;
    cafe_explain_report report;
    cafe_node_card node;
    cafe_community_card card;
    cafe_ceiling ceiling;
    cafe_spectrum *spectrum = NULL;
    cafe_spectrum_report values;
    double trace = 0;
    (void)state;
    TEST_OK(context, cafe_operator_walk(context, f.t.sampled, 3, &walk));
    TEST_OK(context, cafe_explain(context, walk, f.columns, f.v, NULL, NULL, &e));
    report = *cafe_explanation_get(e);
    TEST_OK(context, test_trace(context, walk, f.columns, f.v, &trace));
    near(report.modularity, trace, 1);
    assert_int_equal(report.communities, 0);
    assert_int_equal(cafe_explain_node(context, e, 0, &node), CAFE_ERROR_ARGUMENT);
    assert_int_equal(cafe_explain_community(context, e, 0, &card), CAFE_ERROR_ARGUMENT);
    assert_int_equal(cafe_ceiling_find(context, walk, NULL, NULL, &ceiling), CAFE_ERROR_ARGUMENT);
    TEST_OK(context, cafe_spectrum_find(context, e, NULL, &spectrum));
    values = *cafe_spectrum_get(spectrum);
    assert_true(values.count > 0 && values.positive == -1);
    cafe_spectrum_free(spectrum);
    cafe_explanation_free(e);
    cafe_operator_free(walk);
    tear_down(&f);
}

/* The calls one by one; the first makes the explanation that the others need. */
enum { CARDS, ASSOCIATIONS, SPECTRUM, CEILING, STAGES };

static cafe_status make_cards(cafe_context *context, const test_problem *t, const float *v) {
    cafe_explanation *e = NULL;
    cafe_node_card node;
    cafe_status status = cafe_explain(context, t->op, 2, v, NULL, NULL, &e);
    if (status == CAFE_OK) status = cafe_explain_node(context, e, 1, &node);
    cafe_explanation_free(e);
    return status;
}

static cafe_status associate(cafe_context *context, const cafe_explanation *e, const float *v,
                             const cafe_labels *labels) {
    cafe_association best[2];
    cafe_status status = cafe_explain_labels(context, e, labels, best);
    return status == CAFE_OK ? cafe_explain_attributes(context, e, 1, v, best) : status;
}

static cafe_status find_values(cafe_context *context, const cafe_explanation *e) {
    cafe_spectrum *spectrum = NULL;
    cafe_spectrum_options few;
    cafe_spectrum_options_init(&few);
    few.probes = 2, few.steps = 4, few.next = 1, few.tolerance = 0.5;
    cafe_status status = cafe_spectrum_find(context, e, &few, &spectrum);
    cafe_spectrum_free(spectrum);
    return status;
}

static cafe_status find_ceiling(cafe_context *context, const test_problem *t,
                                const cafe_explanation *e) {
    cafe_ceiling_options quick;
    cafe_ceiling ceiling;
    cafe_explain_report report;
    cafe_ceiling_options_init(&quick);
    quick.columns = 4, quick.sweeps = 2, quick.passes = 8, quick.work = 0.001;
    report = *cafe_explanation_get(e);
    return cafe_ceiling_find(context, t->op, report.part, &quick, &ceiling);
}

static void fail_each(test_failing *memory, const test_problem *t, int stage, const float *v,
                      const cafe_labels *labels) {
    cafe_context *context = t->context;
    cafe_explanation *e = NULL;
    TEST_OK(context, cafe_explain(context, t->op, 2, v, NULL, NULL, &e));
    for (long k = 0;; k++) {
        long live = test_failing_arm(memory, k);
        cafe_status status = stage == CARDS          ? make_cards(context, t, v)
                             : stage == ASSOCIATIONS ? associate(context, e, v, labels)
                             : stage == SPECTRUM     ? find_values(context, e)
                                                     : find_ceiling(context, t, e);
        int failed = test_failing_disarm(memory);
        test_failing_expect(memory, status, failed, live, context);
        if (!failed) break;
    }
    cafe_explanation_free(e);
}

/* A file of vectors names the operator that they were made with, and an explanation by it has the
 * values of their certificate. */
static void test_made(void **state) {
    static const char path[] = "test_explain_made.npy";
    static const double exponents[] = {-1, 0, 0.1, 1 / 3.0, 0.5};
    (void)state;
    for (int i = 0; i < 10; i++) {
        cafe_context *context = test_context(1, (uint64_t)i);
        cafe_graph *graph = test_random(context, 60, 200, 0, 0, (uint64_t)i);
        cafe_sampling kind = i < 5 ? CAFE_SAMPLING_EDGE : CAFE_SAMPLING_PAGERANK;
        cafe_method_options method;
        cafe_sample_options sample, again;
        cafe_finish_options finish;
        cafe_embedding *embedding = NULL;
        cafe_sampled *sampled = NULL;
        cafe_operator *op = NULL;
        cafe_explanation *e = NULL;
        char made[CAFE_VECTORS_MADE];
        float *read = NULL;
        int64_t columns;
        int32_t sampling;
        cafe_method_options_init(&method);
        cafe_sample_options_init(&sample);
        cafe_sample_options_init(&again);
        cafe_finish_options_init(&finish);
        sample.degree_exponent = exponents[i % 5];
        finish.form = CAFE_FORM_WALK;
        method.sampling = kind, method.sample = &sample, method.finish = &finish;
        TEST_OK(context, cafe_embed(context, graph, NULL, &method, NULL, &embedding));
        TEST_OK(context, cafe_embedding_write(context, embedding, graph, path, 1));
        TEST_OK(context, cafe_vectors_read(context, graph, path, &columns, &read, made));
        cafe_sampling_made(made, &sampling, &again.degree_exponent);
        assert_int_equal(sampling, kind);
        assert_true(again.degree_exponent == (exponents[i % 5] < 0 ? 0.25 : exponents[i % 5]));
        TEST_OK(context, cafe_sample(context, graph, kind, &again, NULL, &sampled));
        TEST_OK(context, cafe_operator_modularity(context, sampled, &op));
        TEST_OK(context, cafe_explain(context, op, columns, read, NULL, NULL, &e));
        const cafe_certificate *c = cafe_embedding_certificate(embedding);
        for (int64_t k = 0; k < c->certified; k++) {
            cafe_dimension_card card;
            cafe_explain_dimension(e, k, &card);
            assert_true(fabs(card.walk_value - c->groups[0].values[k]) < 1e-5);
            assert_true(fabs(card.walk_residual - c->groups[0].residuals[k]) < 1e-5);
        }
        cafe_explanation_free(e);
        cafe_operator_free(op);
        cafe_sampled_free(sampled);
        cafe_block_free(context, read);
        cafe_embedding_free(embedding);
        TEST_OK(context, cafe_vectors_write(context, graph, 1, (float[60]){1}, path, 1));
        TEST_OK(context, cafe_vectors_read(context, graph, path, &columns, &read, made));
        cafe_sampling_made(made, &sampling, &again.degree_exponent);
        assert_int_equal(sampling, -1);
        cafe_block_free(context, read);
        cafe_graph_free(graph);
        cafe_context_free(context);
    }
    unlink(path);
}

static void test_memory(void **state) {
    static const int64_t sizes[] = {30, 530}; /* dense and not */
    (void)state;
    for (int i = 0; i < 2; i++) {
        test_failing memory;
        cafe_context *context = test_failing_context(&memory, 2);
        test_problem t = test_open(context, test_random(context, sizes[i], 4 * sizes[i], 0, 0, 2));
        float *v = test_block(sizes[i], 2, 1);
        int label[] = {0, 1, 0, 1};
        cafe_labels *labels = label_file(context, t.graph, label, 4);
        for (int stage = i == 0 ? CARDS : SPECTRUM; stage < STAGES; stage++)
            fail_each(&memory, &t, stage, v, labels);
        free(v);
        cafe_labels_free(labels);
        test_close(&t);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shares_sum),
        cmocka_unit_test(test_dimension_cards),
        cmocka_unit_test(test_problem_recognised),
        cmocka_unit_test(test_attributes),
        cmocka_unit_test(test_labels),
        cmocka_unit_test(test_node_cards),
        cmocka_unit_test(test_community_cards),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_large_vectors),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_without_rows),
        cmocka_unit_test(test_made),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
