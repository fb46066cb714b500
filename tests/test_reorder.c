/* Orders of nodes: what they are, the graph in one, vectors found in one and put back, files that
 * keep one.
 */
#define _GNU_SOURCE
#include <math.h>

#include <cafe/cafe.h>

#include "base/random.h"
#include "craft.h"
#include "dense.h"
#include "failing.h"
#include "graph/compressed_rows.h"
#include "graph/node_order.h"
#include "method/model.h"

enum { NODES = 600, BLOCKS = 6, COLUMNS = 8 };

/* Planted blocks whose nodes are far from one another: block u mod BLOCKS. */
static cafe_graph *blocks(cafe_context *context, int32_t weighted, cafe_reorder how) {
    cafe_graph_options options;
    test_links l = test_links_new(8 * NODES);
    for (int64_t i = 0; i < l.count; i++) {
        cafe_random4 r = cafe_philox(11, 7, (uint64_t)i);
        l.source[i] = (int32_t)(r.v[0] % NODES);
        l.target[i] = (int32_t)(i % 8 ? (l.source[i] + r.v[1] % (NODES / BLOCKS) * BLOCKS) % NODES
                                      : r.v[1] % NODES);
        l.weights[i] = 1 + (float)(r.v[2] % 4);
    }
    cafe_graph_options_init(&options);
    options.reorder = how;
    cafe_graph *graph = test_graph(context, NODES, &l, weighted, &options);
    test_links_free(&l);
    return graph;
}

static void is_order(const int32_t *order) {
    uint8_t seen[NODES] = {0};
    for (int i = 0; i < NODES; i++) assert_int_equal(seen[order[i]]++, 0);
}

static void hubs_come_first(void **state) {
    cafe_context *context = test_context(2, 1);
    cafe_graph *g = blocks(context, 0, CAFE_REORDER_DEGREE);
    const int32_t *order = cafe_graph_order(g);
    (void)state;
    is_order(order);
    for (int i = 1; i < NODES; i++) {
        int64_t a = order[i - 1], b = order[i];
        int64_t before = g->offsets[a + 1] - g->offsets[a], now = g->offsets[b + 1] - g->offsets[b];
        assert_true(before > now || (before == now && a < b));
    }
    cafe_graph_free(g);
    cafe_context_free(context);
}

/* Most neighbours in the order are of one block, and the order is that of any number of threads. */
static void communities_lie_together(void **state) {
    int32_t first[NODES];
    (void)state;
    for (int32_t threads = 1; threads <= 3; threads++) {
        cafe_context *context = test_context(threads, 1);
        cafe_graph *g = blocks(context, 1, CAFE_REORDER_COMMUNITIES);
        const int32_t *order = cafe_graph_order(g);
        int together = 0;
        is_order(order);
        for (int i = 1; i < NODES; i++) together += order[i] % BLOCKS == order[i - 1] % BLOCKS;
        assert_true(together > NODES * 9 / 10);
        if (threads == 1) memcpy(first, order, sizeof first);
        assert_memory_equal(order, first, sizeof first);
        cafe_graph_free(g);
        cafe_context_free(context);
    }
}

static void the_graph_in_an_order(void **state) {
    (void)state;
    for (int32_t weighted = 0; weighted < 2; weighted++) {
        cafe_context *context = test_context(2, 1);
        cafe_graph *g = blocks(context, weighted, CAFE_REORDER_DEGREE), *other = NULL;
        double near = -1;
        TEST_OK(context, cafe_graph_renumber(context, g, g->order, &other, &near));
        assert_true(near == 1 && other->arcs == g->arcs && !other->order);
        for (int64_t i = 0; i < NODES; i++) {
            int64_t u = g->order[i];
            assert_int_equal(other->offsets[i + 1] - other->offsets[i],
                             g->offsets[u + 1] - g->offsets[u]);
            for (int64_t j = other->offsets[i]; j < other->offsets[i + 1]; j++) {
                int64_t w = g->order[other->targets[j]];
                int64_t at = cafe_row_find(g->targets, g->offsets[u], g->offsets[u + 1], w);
                assert_true(j == other->offsets[i] || other->targets[j - 1] < other->targets[j]);
                assert_true(at < g->offsets[u + 1] && g->targets[at] == w);
                if (weighted) assert_true(other->weights[j] == g->weights[at]);
            }
        }
        cafe_graph_free(other);
        cafe_graph_free(g);
        cafe_context_free(context);
    }
}

/* ---- vectors --------------------------------------------------------------------------------- */

static float *embed(int32_t threads, cafe_reorder how, const char *name,
                    const cafe_method_inputs *inputs, cafe_certificate *certificate) {
    cafe_context *context = test_context(threads, 1);
    cafe_graph *g = blocks(context, 1, how);
    const cafe_method *method = cafe_method_find(context, name);
    cafe_method_options options;
    cafe_embedding *e = NULL;
    void *own = calloc(1, method->vectors()->struct_size);
    cafe_options_init(method->vectors(), own, method->vectors()->struct_size);
    TEST_OK(context, cafe_options_set(context, method->vectors(), own, "columns", "8"));
    TEST_OK(context, cafe_options_set(context, method->vectors(), own, "sweeps", "200"));
    TEST_OK(context, cafe_options_set(context, method->vectors(), own, "tolerance", "0"));
    cafe_method_options_init(&options);
    options.own = own;
    TEST_OK(context, cafe_embed(context, g, method, &options, inputs, &e));
    int64_t columns = cafe_embedding_certificate(e)->columns;
    float *vectors = calloc(NODES * COLUMNS, sizeof *vectors);
    assert_true(columns >= 1 && columns <= COLUMNS &&
                cafe_embedding_certificate(e)->nodes == NODES);
    cafe_embedding_copy(e, vectors);
    if (certificate) *certificate = *cafe_embedding_certificate(e);
    cafe_embedding_free(e);
    cafe_graph_free(g);
    cafe_context_free(context);
    free(own);
    return vectors;
}

/* Cosine of two nodes' vectors. */
static double cosine(const float *x, int64_t u, int64_t w) {
    double xy = 0, xx = 0, yy = 0;
    for (int k = 0; k < COLUMNS; k++) {
        xy += (double)x[u * COLUMNS + k] * x[w * COLUMNS + k];
        xx += (double)x[u * COLUMNS + k] * x[u * COLUMNS + k];
        yy += (double)x[w * COLUMNS + k] * x[w * COLUMNS + k];
    }
    return xy / sqrt(xx * yy);
}

/* Rows that went to wrong nodes would be no nearer to their block than to any other. */
static void vectors_come_back_to_their_nodes(void **state) {
    const cafe_reorder ways[] = {CAFE_REORDER_NONE, CAFE_REORDER_DEGREE, CAFE_REORDER_COMMUNITIES};
    (void)state;
    for (int way = 0; way < 3; way++) {
        float *x = embed(1, ways[way], "sphere", NULL, NULL);
        double inside = 0, outside = 0;
        for (int64_t u = 0; u + BLOCKS < NODES; u++) {
            inside += cosine(x, u, u + BLOCKS);
            outside += cosine(x, u, u + 1);
        }
        assert_true(inside > 0.6 * NODES && outside < 0.3 * NODES);
        for (int32_t threads = 2; threads <= 3; threads++) {
            float *again = embed(threads, ways[way], "sphere", NULL, NULL);
            assert_memory_equal(again, x, NODES * COLUMNS * sizeof *x);
            free(again);
        }
        free(x);
    }
}

/* Converged softmax from a start that has the blocks. The columns are those of the start, in
 * another order of the nodes to the rounding. A start row at a wrong node would end in another
 * column. */
static void starts_and_labels_are_carried(void **state) {
    int32_t labels[NODES];
    cafe_method_inputs inputs;
    cafe_certificate plain, other;
    (void)state;
    cafe_method_inputs_init(&inputs);
    for (int u = 0; u < NODES; u++) labels[u] = u % 3 ? -1 : u % BLOCKS;
    inputs.labels = labels, inputs.classes = BLOCKS;
    float *x = embed(2, CAFE_REORDER_NONE, "cafe", &inputs, &plain);
    float *y = embed(2, CAFE_REORDER_DEGREE, "cafe", &inputs, &other);
    assert_int_equal(plain.columns, other.columns);
    for (int i = 0; i < NODES * COLUMNS; i++) assert_float_equal(x[i], y[i], 0.02);
    free(x);
    free(y);
}

static void solutions_know_their_order(void **state) {
    cafe_context *context = test_context(2, 1);
    cafe_graph *g = blocks(context, 0, CAFE_REORDER_DEGREE);
    cafe_model *model = NULL;
    cafe_solution *solution = NULL, *fixed = NULL;
    cafe_embedding *e = NULL;
    cafe_method_inputs inputs;
    int32_t labels[NODES];
    (void)state;
    for (int u = 0; u < NODES; u++) labels[u] = u % BLOCKS;
    cafe_method_inputs_init(&inputs);
    inputs.labels = labels, inputs.classes = BLOCKS;
    TEST_OK(context, cafe_model_create(context, g, NULL, NULL, NULL, &model));
    TEST_OK(context,
            cafe_model_solve(context, model, cafe_method_find(NULL, "cafe"), NULL, &inputs, &fixed,
                             NULL)); /* all labels known: rows stay what they are */
    int64_t columns = cafe_solution_get(fixed)->columns;
    float *h = malloc((size_t)(NODES * columns) * sizeof *h);
    TEST_OK(context, cafe_solution_copy(fixed, h));
    for (int u = 0; u < NODES; u++) assert_true(h[u * columns + labels[u]] == 1);
    TEST_OK(context, cafe_model_solve(context, model, NULL, NULL, NULL, &solution, NULL));
    assert_int_equal(cafe_finish(context, cafe_model_operator(model), &solution, NULL, &e),
                     CAFE_ERROR_ARGUMENT);
    assert_null(e);
    free(h);
    cafe_solution_free(fixed);
    cafe_model_free(model);
    cafe_graph_free(g);
    cafe_context_free(context);
}

/* ---- files ----------------------------------------------------------------------------------- */

static void files_keep_the_order(void **state) {
    cafe_context *context = test_context(2, 1);
    cafe_graph *g = blocks(context, 1, CAFE_REORDER_COMMUNITIES), *back = NULL;
    cafe_graph_options options;
    io_scratch scratch = io_scratch_new();
    const char *path = io_path(&scratch, "g.cafe");
    (void)state;
    TEST_OK(context, cafe_graph_write(context, g, path, CAFE_FORMAT_AUTO, 0));
    cafe_graph_options_init(&options);
    TEST_OK(context, cafe_graph_read(context, path, &options, &back));
    assert_memory_equal(back->order, g->order, NODES * sizeof *g->order);
    assert_memory_equal(back->targets, g->targets, (size_t)g->arcs * sizeof *g->targets);
    cafe_graph_free(back);
    options.reorder = CAFE_REORDER_NONE;
    TEST_OK(context, cafe_graph_read(context, path, &options, &back));
    assert_null(cafe_graph_order(back));
    cafe_graph_free(back);
    options.reorder = CAFE_REORDER_DEGREE;
    TEST_OK(context, cafe_graph_read(context, path, &options, &back));
    assert_memory_not_equal(back->order, g->order, NODES * sizeof *g->order);
    cafe_graph_free(back);
    io_scratch_free(&scratch);
    cafe_graph_free(g);
    cafe_context_free(context);
}

static void bad_orders_are_refused(void **state) {
    cafe_context *context = test_context(2, 1);
    cafe_graph *g = blocks(context, 0, CAFE_REORDER_DEGREE), *back = NULL;
    const int32_t bad[] = {-1, NODES, 0};
    (void)state;
    for (int i = 0; i < 3; i++) {
        io_scratch scratch = io_scratch_new();
        size_t size;
        char *bytes = craft_file(context, g, &size);
        int32_t *order = craft_section(bytes, CAFE_BINARY_ORDER);
        order[7] = bad[i] == 0 ? order[8] : bad[i]; /* or one twice */
        craft_seal(context, bytes);
        io_store(io_path(&scratch, "bad.cafe"), bytes, size);
        assert_int_equal(cafe_graph_read(context, scratch.path, NULL, &back), CAFE_ERROR_FORMAT);
        assert_non_null(strstr(cafe_error(context), "order"));
        free(bytes);
        io_scratch_free(&scratch);
    }
    cafe_graph_free(g);
    cafe_context_free(context);
}

/* ---- memory ---------------------------------------------------------------------------------- */

static void memory_may_run_out(void **state) {
    test_failing memory;
    cafe_context *context = test_failing_context(&memory, 2);
    (void)state;
    for (long k = 0, failed = 1; failed; k++) {
        cafe_graph *g = NULL;
        cafe_embedding *e = NULL;
        test_links l = test_random_links(60, 300, 0, 4);
        cafe_graph_options options;
        cafe_graph_options_init(&options);
        options.reorder = CAFE_REORDER_COMMUNITIES;
        long live = test_failing_arm(&memory, k);
        cafe_status status =
            cafe_graph_from_edges(context, 60, l.count, l.source, l.target, NULL, &options, &g);
        if (status == CAFE_OK) status = cafe_embed(context, g, NULL, NULL, NULL, &e);
        failed = test_failing_disarm(&memory);
        cafe_embedding_free(e);
        cafe_graph_free(g);
        test_failing_expect(&memory, status, (int)failed, live, context);
        test_links_free(&l);
    }
    cafe_context_free(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hubs_come_first),
        cmocka_unit_test(communities_lie_together),
        cmocka_unit_test(the_graph_in_an_order),
        cmocka_unit_test(vectors_come_back_to_their_nodes),
        cmocka_unit_test(starts_and_labels_are_carried),
        cmocka_unit_test(solutions_know_their_order),
        cmocka_unit_test(files_keep_the_order),
        cmocka_unit_test(bad_orders_are_refused),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
