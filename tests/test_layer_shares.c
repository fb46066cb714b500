/* What comes from which layer: shares of columns, nodes and communities against dense matrices of
 * the layers; they add up to the cards. Kinds of edges, signs, features, both; plain graphs.
 */
#include <cafe-private/inputs.h>
#include <cafe-private/run.h>

#include "base/memory.h"
#include "dense.h"
#include "explain/explain.h"
#include "failing.h"
#include "graph/graph.h"
#include "method/model_parts.h"

enum { NODES = 60, COLUMNS = 5, WIDTH = 7, PARTS = 4 };

typedef enum kind { PLAIN, KINDS, SIGNS, FEATURES, KINDS_AND_FEATURES, CASES } kind;

typedef struct fixture {
    cafe_context *context;
    cafe_graph *first, *second, *graph;
    cafe_run *run;
    cafe_explanation *e;
    float *v, *x;
    int32_t part[NODES];
    int64_t count;
    const cafe_layer_card *cards;
} fixture;

static cafe_graph *signed_graph(cafe_context *context) {
    cafe_graph_options o;
    cafe_graph_options_init(&o);
    o.with_signs = 1;
    uint64_t seed = 4;
    test_links l = test_links_new(400);
    for (int64_t i = 0; i < 400; i++) {
        l.source[i] = (int32_t)test_below(&seed, NODES);
        l.target[i] = (int32_t)test_below(&seed, NODES);
        l.weights[i] = i % 3 ? 1 : -2;
    }
    cafe_graph *graph = test_graph(context, NODES, &l, 1, &o);
    test_links_free(&l);
    return graph;
}

static void make_graph(fixture *f, kind k) {
    f->first = test_random(f->context, NODES, 300, 1, 1, 9);
    f->second = test_random(f->context, NODES, 150, 0, 0, 8);
    const cafe_graph *const graphs[] = {f->first, f->second};
    const char *const names[] = {"calls", "mails"};
    const double weights[] = {1, 0.5};
    if (k == SIGNS) f->graph = signed_graph(f->context);
    if (k == KINDS || k == KINDS_AND_FEATURES)
        TEST_OK(f->context, cafe_graph_join(f->context, 2, graphs, names, weights, &f->graph));
}

static void make_run(fixture *f, kind k) {
    cafe_run_inputs in;
    cafe_feature_inputs features;
    cafe_run_step done;
    cafe_run_inputs_init(&in);
    cafe_feature_inputs_init(&features);
    features.columns = WIDTH, features.values = f->x;
    TEST_OK(f->context, cafe_run_create(f->context, CAFE_PURPOSE_COMMUNITIES, "softmax", &f->run));
    if (k >= FEATURES) in.features = &features;
    if (k >= FEATURES) TEST_OK(f->context, cafe_run_set(f->run, "feature-weight", "0.3"));
    TEST_OK(f->context, cafe_run_graph(f->run, f->graph ? f->graph : f->first, NULL, NULL));
    TEST_OK(f->context, cafe_run_give(f->run, &in));
    TEST_OK(f->context, cafe_run_next(f->run, &done));
}

static fixture begin_in(cafe_context *context, kind k) {
    fixture f = {.context = context};
    f.v = test_block(NODES, COLUMNS, 5), f.x = test_block(NODES, WIDTH, 6);
    for (int32_t u = 0; u < NODES; u++) f.part[u] = u == 7 ? -1 : u % PARTS;
    make_graph(&f, k);
    make_run(&f, k);
    TEST_OK(f.context,
            cafe_explain(f.context, cafe_run_get(f.run)->op, COLUMNS, f.v, f.part, NULL, &f.e));
    return f;
}

static fixture begin(kind k, int32_t threads) {
    return begin_in(test_context(threads, 3), k);
}

static void end(fixture *f) {
    cafe_explanation_free(f->e);
    cafe_run_free(f->run);
    cafe_graph_free(f->graph);
    cafe_graph_free(f->first);
    cafe_graph_free(f->second);
    free(f->v), free(f->x);
    cafe_context_free(f->context);
}

static double *dense_of(cafe_context *context, const cafe_operator *op) {
    double *q = malloc(NODES * NODES * sizeof *q);
    for (int64_t u = 0; u < NODES; u++)
        TEST_OK(context, cafe_operator_row(context, op, u, q + u * NODES));
    return q;
}

static double row_form(const double *q, const float *v, int64_t u, int64_t k) {
    double sum = 0;
    for (int64_t w = 0; w < NODES; w++)
        sum += q[u * NODES + w] * v[u * COLUMNS + k] * v[w * COLUMNS + k];
    return sum;
}

static double set_form(const double *q, const int32_t *part, int32_t c) {
    double sum = 0;
    for (int64_t i = 0; i < NODES * NODES; i++)
        sum += part[i / NODES] == c && part[i % NODES] == c ? q[i] : 0;
    return sum;
}

/* A layer's card against its matrix, times the weight. */
static void card_is(const fixture *f, const double *q, double weight, const cafe_layer_card *c) {
    double whole = 0, of_parts = 0;
    for (int64_t k = 0; k < COLUMNS; k++) {
        double sum = 0;
        for (int64_t u = 0; u < NODES; u++) sum += weight * row_form(q, f->v, u, k);
        assert_float_equal(c->columns[k], sum, 1e-6);
        whole += sum;
    }
    assert_float_equal(c->contribution, whole, 1e-6);
    for (int64_t u = 0; u < NODES; u++) {
        double sum = 0;
        for (int64_t k = 0; k < COLUMNS; k++) sum += weight * row_form(q, f->v, u, k);
        assert_float_equal(c->nodes[u], sum, 1e-6);
    }
    for (int32_t s = 0; s < PARTS; s++) {
        assert_float_equal(c->communities[s], weight * set_form(q, f->part, s), 1e-6);
        of_parts += c->communities[s];
    }
    assert_float_equal(c->part_modularity, of_parts, 1e-12);
}

/* The sums over the layers are the figures of the cards, which are those of the dense sum. */
static void shares_add_up(const fixture *f, const double *q) {
    const cafe_explain_report *r = cafe_explanation_get(f->e);
    double whole = 0, of_parts = 0;
    for (int64_t l = 0; l < f->count; l++)
        whole += f->cards[l].contribution, of_parts += f->cards[l].part_modularity;
    assert_float_equal(whole, r->modularity, 1e-6);
    assert_float_equal(of_parts, r->part_modularity, 1e-6);
    for (int64_t k = 0; k < COLUMNS; k++) {
        cafe_dimension_card card;
        double sum = 0;
        cafe_explain_dimension(f->e, k, &card);
        for (int64_t l = 0; l < f->count; l++) sum += f->cards[l].columns[k];
        assert_float_equal(sum, card.contribution, 1e-6);
    }
    for (int64_t u = 0; u < NODES; u++) {
        cafe_node_card card;
        double sum = 0;
        TEST_OK(f->context, cafe_explain_node(f->context, f->e, u, &card));
        for (int64_t l = 0; l < f->count; l++) sum += f->cards[l].nodes[u];
        double forces =
            card.own + card.linked_pull + card.linked_push + card.other_pull + card.other_push;
        assert_float_equal(sum, card.total, 1e-6);
        assert_float_equal(forces, card.total, 1e-6);
        if (card.community < 0) continue;
        double attachment = 0;
        for (int64_t w = 0; w < NODES; w++)
            if (w != u && f->part[w] == card.community) attachment += q[u * NODES + w];
        assert_float_equal(card.attachment, attachment, 1e-7);
    }
    for (int32_t s = 0; s < PARTS; s++) {
        cafe_community_card card;
        double sum = 0;
        TEST_OK(f->context, cafe_explain_community(f->context, f->e, s, &card));
        for (int64_t l = 0; l < f->count; l++) sum += f->cards[l].communities[s];
        assert_float_equal(sum, card.strength, 1e-7);
        assert_float_equal(card.strength, set_form(q, f->part, s), 1e-7);
        for (int64_t i = 0; i < card.nearest_count; i++) {
            double cross = 0;
            for (int64_t j = 0; j < NODES * NODES; j++)
                cross += f->part[j / NODES] == s && f->part[j % NODES] == card.nearest[i].index
                             ? q[j]
                             : 0;
            assert_float_equal(card.nearest[i].value, cross, 1e-7);
        }
    }
}

static void layers_are(const fixture *f, kind k) {
    static const char *const names[CASES][3] = {{"edges"},
                                                {"calls", "mails"},
                                                {"positive", "negative"},
                                                {"edges", "features"},
                                                {"calls", "mails", "features"}};
    static const int64_t counts[CASES] = {1, 2, 2, 2, 3};
    assert_int_equal(f->count, counts[k]);
    for (int64_t l = 0; l < f->count; l++) assert_string_equal(f->cards[l].name, names[k][l]);
    assert_true(k != SIGNS || (f->cards[0].weight > 0 && f->cards[1].weight < 0));
}

static void cards_are_those_of_the_layers(void **state) {
    (void)state;
    for (kind k = PLAIN; k < CASES; k++) {
        fixture f = begin(k, 2);
        cafe_model_part *parts;
        int64_t count;
        const cafe_model *model = cafe_run_get(f.run)->model;
        TEST_OK(f.context, cafe_explain_layers(f.context, f.e, model, &f.count, &f.cards));
        layers_are(&f, k);
        TEST_OK(f.context, cafe_model_parts(f.context, model, &parts, &count));
        for (int64_t l = 0; l < count; l++) {
            double *q = dense_of(f.context, parts[l].op);
            card_is(&f, q, parts[l].weight / parts[l].unit, &f.cards[l]);
            free(q);
        }
        double *q = dense_of(f.context, cafe_run_get(f.run)->op);
        shares_add_up(&f, q);
        free(q);
        cafe_mem_free(f.context, parts);
        end(&f);
    }
}

static void threads_change_no_bit(void **state) {
    (void)state;
    fixture f = begin(KINDS_AND_FEATURES, 1);
    TEST_OK(f.context,
            cafe_explain_layers(f.context, f.e, cafe_run_get(f.run)->model, &f.count, &f.cards));
    for (int i = 0; i < 2; i++) {
        fixture g = begin(KINDS_AND_FEATURES, i ? 8 : 3);
        TEST_OK(g.context, cafe_explain_layers(g.context, g.e, cafe_run_get(g.run)->model, &g.count,
                                               &g.cards));
        for (int64_t l = 0; l < f.count; l++) {
            assert_memory_equal(f.cards[l].columns, g.cards[l].columns, COLUMNS * sizeof(double));
            assert_memory_equal(f.cards[l].nodes, g.cards[l].nodes, NODES * sizeof(double));
            assert_memory_equal(f.cards[l].communities, g.cards[l].communities,
                                PARTS * sizeof(double));
        }
        end(&g);
    }
    end(&f);
}

static void another_model_is_refused(void **state) {
    (void)state;
    fixture f = begin(KINDS, 1), g = begin(PLAIN, 1);
    int64_t count;
    const cafe_layer_card *cards;
    assert_int_equal(
        cafe_explain_layers(f.context, f.e, cafe_run_get(g.run)->model, &count, &cards),
        CAFE_ERROR_ARGUMENT);
    assert_non_null(strstr(cafe_error(f.context), "another operator"));
    assert_int_equal(count, 0);
    end(&g);
    end(&f);
}

static void every_failure_of_memory_is_met(void **state) {
    (void)state;
    test_failing memory;
    fixture f = begin_in(test_failing_context(&memory, 1), KINDS);
    const cafe_model *model = cafe_run_get(f.run)->model;
    for (long at = 0;; at++) {
        long live = test_failing_arm(&memory, at);
        cafe_status status = cafe_explain_layers(f.context, f.e, model, &f.count, &f.cards);
        int failed = test_failing_disarm(&memory);
        cafe_explain_forget_layers(f.e);
        test_failing_expect(&memory, status, failed, live, f.context);
        if (!failed) break;
    }
    end(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cards_are_those_of_the_layers),
        cmocka_unit_test(threads_change_no_bit),
        cmocka_unit_test(another_model_is_refused),
        cmocka_unit_test(every_failure_of_memory_is_met),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
