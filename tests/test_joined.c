/* Graphs of several layers and of slices: the operator and modularity against their definitions,
 * planted communities that no layer shows alone, communities that change, names, files, failing
 * memory. */
#define _GNU_SOURCE
#include <cafe-private/inputs.h>

#include "dense_runs.h"
#include "failing.h"
#include "test_io.h"

enum { NODES = 240, EDGES = 2400 };

/* A graph in which a share of the edges join nodes of one group. */
static cafe_graph *planted(cafe_context *context, const int32_t *group, double inside,
                           uint64_t seed) {
    test_links l = test_links_new(EDGES);
    int64_t count = 0;
    while (count < EDGES) {
        int32_t u = (int32_t)test_below(&seed, NODES), w = (int32_t)test_below(&seed, NODES);
        bool free = (double)(test_number(&seed) >> 11) * 0x1p-53 >= inside;
        if (u == w || (!free && group[u] != group[w])) continue;
        l.source[count] = u, l.target[count] = w, l.weights[count++] = 1;
    }
    cafe_graph *graph = test_graph(context, NODES, &l, 0, NULL);
    test_links_free(&l);
    return graph;
}

/* q += weight times the modularity matrix of a graph. */
static void add_q(double *q, int64_t n, const cafe_graph *g, double weight) {
    double total = g->counts.total_weight, *d = calloc((size_t)n, sizeof *d);
    for (int64_t u = 0; u < g->n; u++)
        for (int64_t j = g->offsets[u]; j < g->offsets[u + 1]; j++) {
            double a = g->weights ? g->weights[j] : 1;
            q[u * n + g->targets[j]] += weight * a / total;
            d[u] += a;
        }
    for (int64_t i = 0; i < n * n; i++) q[i] -= weight * d[i / n] * d[i % n] / (total * total);
    free(d);
}

static cafe_run *run_of(cafe_context *context, const cafe_graph *graph, cafe_purpose purpose,
                        const char *method, const char *columns) {
    bool soft = purpose == CAFE_PURPOSE_COMMUNITIES;
    const char *const options[] = {
        "columns", columns, "degree-exponent", "0", soft ? "initial" : NULL, "layers", NULL};
    return test_run(context, graph, purpose, method, options);
}

/* The share of pairs of nodes on which two partitions agree. */
static double agreement(int64_t n, const int32_t *a, const int32_t *b) {
    double same = 0;
    for (int64_t i = 0; i < n * n; i++) same += (a[i / n] == a[i % n]) == (b[i / n] == b[i % n]);
    return same / (double)(n * n);
}

/* The share of nodes whose group is that of the nearest mean of a group's vectors. */
static double nearest_mean(const cafe_embedding *e, int64_t n, const int32_t *truth) {
    enum { GROUPS = 4, MOST = 16 };
    int64_t columns = cafe_embedding_certificate(e)->columns;
    double means[GROUPS][MOST] = {{0}}, count[GROUPS] = {0}, right = 0;
    for (int64_t u = 0; u < n; u++) count[truth[u]]++;
    for (int64_t u = 0; u < n; u++)
        for (int64_t j = 0; j < columns; j++)
            means[truth[u]][j] += cafe_embedding_row(e, u)[j] / count[truth[u]];
    for (int64_t u = 0; u < n; u++) {
        double best = INFINITY;
        int32_t nearest = 0;
        for (int32_t g = 0; g < GROUPS; g++) {
            double far = 0;
            for (int64_t j = 0; j < columns; j++)
                far += pow(cafe_embedding_row(e, u)[j] - means[g][j], 2);
            if (count[g] > 0 && far < best) best = far, nearest = g;
        }
        right += nearest == truth[u];
    }
    return right / (double)n;
}

/* One layer knows halves, the other knows other halves: only both know the four groups. */
static void layers_together_show_four_groups(void **state) {
    (void)state;
    cafe_context *context = test_context(2, 3);
    static int32_t first[NODES], second[NODES], truth[NODES];
    for (int32_t u = 0; u < NODES; u++) first[u] = u % 2, second[u] = u / 2 % 2, truth[u] = u % 4;
    cafe_graph *a = planted(context, first, 0.9, 5), *b = planted(context, second, 0.9, 6), *both;
    const cafe_graph *const graphs[] = {a, b};
    const double weights[] = {1, 0.5};
    const char *const names[] = {"calls", "mails"};
    double *q = calloc(NODES * NODES, sizeof *q);
    int64_t count;
    TEST_OK(context, cafe_graph_join(context, 2, graphs, names, weights, &both));
    assert_int_equal(cafe_graph_nodes(both), NODES);
    const cafe_graph_layer *layers = cafe_graph_layers(both, &count);
    assert_int_equal(count, 2);
    assert_string_equal(layers[1].name, "mails");
    assert_true(layers[1].weight == 0.5 && layers[0].edges == a->counts.edges);
    assert_null(cafe_graph_slice_of(both));
    add_q(q, NODES, a, 2.0 / 3), add_q(q, NODES, b, 1.0 / 3);
    cafe_run *run = run_of(context, both, CAFE_PURPOSE_VECTORS, "sphere", "8");
    test_operator_is(context, run, NODES, q);
    cafe_run_free(run);
    cafe_graph_free(both);
    TEST_OK(context, cafe_graph_join(context, 2, graphs, NULL, NULL, &both));
    memset(q, 0, NODES * NODES * sizeof *q);
    add_q(q, NODES, a, 0.5), add_q(q, NODES, b, 0.5);
    run = run_of(context, both, CAFE_PURPOSE_COMMUNITIES, "softmax", "4");
    const cafe_clustering_info *info = cafe_clustering_get(cafe_run_get(run)->clustering);
    assert_float_equal(info->modularity, test_modularity(q, NODES, info->partition), 1e-6);
    cafe_run_free(run);
    const cafe_graph *const each[] = {both, a, b};
    for (int i = 0; i < 3; i++) {
        run = run_of(context, each[i], CAFE_PURPOSE_VECTORS, "sphere", "8");
        double right = nearest_mean(cafe_run_get(run)->embedding, NODES, truth);
        if (i == 0 ? right < 0.97 : right > 0.75) fail_msg("%d: %g", i, right);
        cafe_run_free(run);
    }
    free(q);
    cafe_graph_free(a), cafe_graph_free(b), cafe_graph_free(both);
    cafe_context_free(context);
}

/* Three slices; between the second and the third a sixth of the nodes change their group. */
static void changes_of_group_are_found(void **state) {
    (void)state;
    enum { SLICES = 3, ALL = SLICES * NODES };
    cafe_context *context = test_context(2, 3);
    static int32_t group[SLICES][NODES], truth[ALL];
    cafe_graph *graphs[SLICES], *all;
    for (int s = 0; s < SLICES; s++) {
        for (int32_t u = 0; u < NODES; u++) group[s][u] = (u % 3 + (s == 2 && u % 6 == 0)) % 3;
        graphs[s] = planted(context, group[s], 0.85, 20 + (uint64_t)s);
    }
    TEST_OK(context,
            cafe_graph_couple(context, SLICES, (const cafe_graph *const *)graphs, NULL, 2, &all));
    int64_t n = cafe_graph_nodes(all);
    const int32_t *slice = cafe_graph_slice_of(all);
    assert_int_equal(n, ALL);
    for (int64_t i = 0; i < n; i++) {
        char name[32];
        int u, s;
        cafe_graph_name(all, i, name, sizeof name);
        assert_int_equal(sscanf(name, "%d@%d", &u, &s), 2);
        assert_int_equal(s, slice[i]);
        truth[i] = group[s][u];
    }
    /* Q of Mucha and others from the edges */
    double *q = calloc((size_t)(n * n), sizeof *q), *d = calloc((size_t)n, sizeof *d);
    double total = all->counts.total_weight, mass[SLICES] = {0}, coupled = 0;
    for (int64_t u = 0; u < n; u++)
        for (int64_t j = all->offsets[u]; j < all->offsets[u + 1]; j++) {
            bool inside = slice[u] == slice[all->targets[j]];
            q[u * n + all->targets[j]] += all->weights[j] / total;
            d[u] += inside ? all->weights[j] : 0;
            mass[slice[u]] += inside ? all->weights[j] : 0;
            coupled += inside ? 0 : all->weights[j];
        }
    assert_float_equal(coupled, 2 * 2 * (SLICES - 1) * NODES, 1e-3);
    for (int64_t i = 0; i < n * n; i++)
        if (slice[i / n] == slice[i % n])
            q[i] -= d[i / n] * d[i % n] / (mass[slice[i / n]] * total);
    cafe_run *run = run_of(context, all, CAFE_PURPOSE_COMMUNITIES, "softmax", "3");
    test_operator_is(context, run, n, q);
    const cafe_clustering_info *info = cafe_clustering_get(cafe_run_get(run)->clustering);
    assert_float_equal(info->modularity, test_modularity(q, n, info->partition), 1e-6);
    double right = agreement(n, info->partition, truth);
    if (right < 0.95) fail_msg("agreement %g", right);
    cafe_run_free(run);
    run = run_of(context, all, CAFE_PURPOSE_VECTORS, "sphere", "8");
    assert_true(cafe_embedding_certificate(cafe_run_get(run)->embedding)->columns == 8);
    cafe_run_free(run);
    free(q), free(d);
    for (int s = 0; s < SLICES; s++) cafe_graph_free(graphs[s]);
    cafe_graph_free(all);
    cafe_context_free(context);
}

static cafe_graph *read_text(cafe_context *context, const char *text, const char *layer,
                             const char *weight, const char *time, int64_t slices,
                             cafe_status expected) {
    io_scratch scratch = io_scratch_new();
    const char *path = io_path(&scratch, "edges.csv");
    cafe_graph_options o;
    cafe_graph *graph = NULL;
    cafe_graph_options_init(&o);
    o.layer = layer, o.layer_weight = weight, o.time = time, o.slices = slices;
    io_store(path, text, strlen(text));
    cafe_status status = cafe_graph_read(context, path, &o, &graph);
    if (status != expected) fail_msg("%d: %s", status, cafe_error(context));
    io_scratch_free(&scratch);
    return graph;
}

static void columns_are_read(void **state) {
    (void)state;
    static const char text[] =
        "from,to,kind,weight,day\n9,10,mail,2,2024-01-02\n10,11,call,1,"
        "2024-01-01\n9,11,mail,1,2024-01-09T12:00\n10,9,mail,3,2024-01-02\n";
    cafe_context *context = test_context(1, 3);
    int64_t count;
    char name[64];
    cafe_graph *g = read_text(context, text, "kind", "mail=0.25", NULL, 0, CAFE_OK);
    const cafe_graph_layer *layers = cafe_graph_layers(g, &count);
    assert_true(count == 2 && cafe_graph_nodes(g) == 3);
    assert_string_equal(layers[0].name, "call");
    assert_true(layers[0].weight == 1 && layers[1].weight == 0.25 && layers[1].edges == 2);
    assert_true(layers[1].total_weight == 12);
    cafe_graph_name(g, 0, name, sizeof name);
    assert_string_equal(name, "9");
    cafe_graph_free(g);
    g = read_text(context, text, NULL, NULL, "day", 0, CAFE_OK);
    cafe_graph_layers(g, &count);
    assert_true(count == 3 && cafe_graph_nodes(g) == 6);
    assert_true(cafe_graph_find(g, "9@2024-01-02") >= 0 && cafe_graph_find(g, "9@2024-01-01") < 0);
    cafe_graph_free(g);
    g = read_text(context, text, NULL, NULL, "day", 2, CAFE_OK);
    cafe_graph_layers(g, &count);
    assert_true(count == 2 && cafe_graph_find(g, "11@1") >= 0 && cafe_graph_find(g, "10@2") < 0);
    cafe_graph_free(g);
    read_text(context, text, "kind", "post=1", NULL, 0, CAFE_ERROR_ARGUMENT);
    read_text(context, text, "kind", NULL, "day", 0, CAFE_ERROR_ARGUMENT);
    read_text(context, text, NULL, "1,2", NULL, 0, CAFE_ERROR_ARGUMENT);
    read_text(context, text, NULL, NULL, "kind", 0, CAFE_ERROR_FORMAT);
    assert_non_null(strstr(cafe_error(context), "a time: a number, or a date"));
    read_text(context, text, "from", NULL, NULL, 0, CAFE_ERROR_FORMAT);
    cafe_context_free(context);
}

static void nodes_go_by_their_names(void **state) {
    (void)state;
    static const char *const texts[] = {"ann bob\nbob cy\n", "cy dan\nann dan\n"};
    cafe_context *context = test_context(1, 3);
    cafe_graph *graphs[2], *both;
    for (int i = 0; i < 2; i++)
        graphs[i] = read_text(context, texts[i], NULL, NULL, NULL, 0, CAFE_OK);
    TEST_OK(context,
            cafe_graph_join(context, 2, (const cafe_graph *const *)graphs, NULL, NULL, &both));
    assert_true(cafe_graph_nodes(both) == 4 && cafe_graph_get_counts(both)->edges == 4);
    assert_true(cafe_graph_find(both, "dan") == 3);
    cafe_graph *none;
    const cafe_graph *const nested[] = {both, graphs[0]};
    assert_int_equal(cafe_graph_join(context, 2, nested, NULL, NULL, &none), CAFE_ERROR_ARGUMENT);
    const double bad[] = {1, -1};
    assert_int_equal(
        cafe_graph_join(context, 2, (const cafe_graph *const *)graphs, NULL, bad, &none),
        CAFE_ERROR_ARGUMENT);
    cafe_run *run;
    cafe_lab_add(context);
    TEST_OK(context, cafe_run_create(context, CAFE_PURPOSE_VECTORS, "netmf", &run));
    TEST_OK(context, cafe_run_graph(run, both, NULL, NULL));
    assert_int_equal(cafe_run_go(run), CAFE_ERROR_ARGUMENT);
    assert_non_null(strstr(cafe_error(context), "takes no layers or slices"));
    cafe_run_free(run);
    for (int i = 0; i < 2; i++) cafe_graph_free(graphs[i]);
    cafe_graph_free(both);
    cafe_context_free(context);
}

static void every_failure_of_memory_is_met(void **state) {
    (void)state;
    test_failing memory;
    cafe_context *context = test_failing_context(&memory, 1);
    static const char text[] = "from,to,kind,when\na,b,x,1\nb,c,y,2\na,c,y,3\n";
    io_scratch scratch = io_scratch_new();
    const char *path = io_path(&scratch, "edges.csv");
    io_store(path, text, strlen(text));
    for (int time = 0; time < 2; time++)
        for (long at = 0;; at++) {
            cafe_graph_options o;
            cafe_graph *graph = NULL;
            cafe_embedding *embedding = NULL;
            cafe_graph_options_init(&o);
            if (time)
                o.time = "when";
            else
                o.layer = "kind";
            long live = test_failing_arm(&memory, at);
            cafe_status status = cafe_graph_read(context, path, &o, &graph);
            if (status == CAFE_OK)
                status = cafe_embed(context, graph, NULL, NULL, NULL, &embedding);
            int failed = test_failing_disarm(&memory);
            cafe_embedding_free(embedding);
            cafe_graph_free(graph);
            test_failing_expect(&memory, status, failed, live, context);
            if (!failed) break;
        }
    io_scratch_free(&scratch);
    cafe_context_free(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layers_together_show_four_groups),
        cmocka_unit_test(changes_of_group_are_found),
        cmocka_unit_test(columns_are_read),
        cmocka_unit_test(nodes_go_by_their_names),
        cmocka_unit_test(every_failure_of_memory_is_met),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
