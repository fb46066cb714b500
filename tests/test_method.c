/* What holds for every method of the registry, whatever it computes. A new method is tested here
 * without a line. */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <time.h>

#include <cafe-private/run.h>
#include <cafe-private/text.h>
#include <cafe/cafe.h>

#include "dense.h"
#include "failing.h"
#include "method/memory_plan.h"
#include "method/method.h"

enum { COLUMNS = 8, NODES = 60, CLASSES = 4 };

/* ---- one run of any method ------------------------------------------------------------------- */

/* Settings that make any method quick, where it has them. */
static const char *const quick[][2] = {{"walks", "2"},     {"length", "8"}, {"epochs", "2"},
                                       {"samples", "500"}, {"rounds", "2"}, {"hidden", "12"}};

typedef struct setting {
    const cafe_method *method;
    const cafe_option_table *table;
    void *own;
    int32_t labels[2000];
    cafe_method_options options;
    cafe_method_inputs inputs;
} setting;

static void set(cafe_context *context, setting *s, const char *name, const char *text) {
    for (size_t i = 0; i < s->table->count; i++)
        if (strcmp(s->table->options[i].name, name) == 0)
            TEST_OK(context, cafe_options_set(context, s->table, s->own, name, text));
}

/* With so many columns where they can be chosen, and labels where they must be given. */
static setting *open_setting(cafe_context *context, const cafe_method *method, bool communities,
                             const char *columns) {
    setting *s = calloc(1, sizeof *s);
    assert_non_null(s);
    s->method = method;
    s->table = communities ? method->communities() : method->vectors();
    s->own = calloc(1, s->table->struct_size);
    assert_non_null(s->own);
    cafe_options_init(s->table, s->own, s->table->struct_size);
    for (size_t i = 0; i < sizeof quick / sizeof *quick; i++)
        set(context, s, quick[i][0], quick[i][1]);
    set(context, s, "columns", columns);
    for (int i = 0; i < 2000; i++) s->labels[i] = i % 3 ? -1 : i / 3 % CLASSES;
    cafe_method_options_init(&s->options);
    cafe_method_inputs_init(&s->inputs);
    s->options.own = s->own;
    if (method->takes & CAFE_NEEDS_LABELS)
        s->inputs.labels = s->labels, s->inputs.classes = CLASSES;
    return s;
}

static void close_setting(setting *s) {
    free(s->own);
    free(s);
}

/* Calls `test` for every method that finds vectors, or communities. */
static void each_method(bool communities, void (*test)(const cafe_method *method)) {
    size_t count;
    const cafe_method *const *all = cafe_lab_methods(&count);
    for (size_t i = 0; i < count; i++)
        if (communities ? all[i]->communities != NULL : all[i]->vectors != NULL) test(all[i]);
}

static cafe_status embed(cafe_context *context, const cafe_graph *graph, const setting *s,
                         cafe_embedding **embedding) {
    return cafe_embed(context, graph, s->method, &s->options, &s->inputs, embedding);
}

static cafe_status cluster(cafe_context *context, const cafe_graph *graph, const setting *s,
                           cafe_clustering **clustering) {
    return cafe_cluster(context, graph, s->method, &s->options, &s->inputs, clustering);
}

/* ---- the rows -------------------------------------------------------------------------------- */

static void rows_are_whole(void **state) {
    (void)state;
    size_t count, core, more;
    const cafe_method *const *all = cafe_lab_methods(&count);
    cafe_context *context = NULL;
    assert_int_equal(cafe_context_create(NULL, &context), CAFE_OK);
    assert_ptr_equal(cafe_methods(context, &core), cafe_methods(NULL, &core));
    for (size_t i = 0; i < count; i++) /* the core's come first, and the context knows them alone */
        assert_ptr_equal(cafe_method_find(context, all[i]->name), i < core ? all[i] : NULL);
    assert_true(core > 0 && core < count);
    cafe_lab_add(context);
    assert_ptr_equal(cafe_methods(context, &more), all);
    assert_int_equal(more, count);
    for (size_t i = 0; i < count; i++) {
        const cafe_method *m = all[i];
        assert_ptr_equal(cafe_method_find(context, m->name), m);
        assert_true(m->title[0] && m->summary[0] && m->summary[strlen(m->summary) - 1] != '.');
        assert_true(m->vectors || m->communities);
        assert_true(!m->vectors == !m->code->solve && !m->communities == !m->code->cluster);
        if (m->vectors && m->communities)
            assert_int_equal(m->vectors()->struct_size, m->communities()->struct_size);
        if (m->takes & CAFE_NEEDS_LABELS) assert_true(m->takes & CAFE_TAKES_LABELS);
    }
    assert_string_equal(all[0]->name, "sphere");
    assert_null(cafe_method_find(context, "word2vec"));
    assert_null(cafe_method_find(context, ""));
    cafe_context_free(context);
}

/* ---- vectors --------------------------------------------------------------------------------- */

/* What the method leaves of a graph with isolated nodes: NODES x *columns. */
static float *solve(const cafe_method *m, int32_t threads, int32_t weighted, int64_t *columns) {
    cafe_context *context = test_context(threads, 5);
    cafe_graph *graph = test_random(context, NODES, 200, weighted, 0, 21);
    setting *s = open_setting(context, m, false, "8");
    cafe_solution *solution = NULL;
    cafe_model *model = NULL;
    TEST_OK(context, cafe_model_create(context, graph, m, &s->options, &s->inputs, &model));
    cafe_status status =
        cafe_model_solve(context, model, m, &s->options, &s->inputs, &solution, NULL);
    if (status != CAFE_OK) fail_msg("%s: %s", m->name, cafe_error(context));
    *columns = cafe_solution_get(solution)->columns;
    float *h = malloc((size_t)(NODES * *columns) * sizeof *h);
    cafe_solution_copy(solution, h);
    for (int64_t i = 0; i <= cafe_solution_get(solution)->sweeps; i++)
        assert_true(isfinite(cafe_solution_get(solution)->objective[i]));
    cafe_solution_free(solution);
    cafe_model_free(model);
    close_setting(s);
    cafe_graph_free(graph);
    cafe_context_free(context);
    return h;
}

/* Finite, of the asked width, not all alike, and the same bits for any number of threads. */
static void check_vectors(const cafe_method *m) {
    for (int32_t weighted = 0; weighted < 2; weighted++) {
        int64_t columns, again;
        float *one = solve(m, 1, weighted, &columns);
        if (columns > COLUMNS) fail_msg("%s: %d columns", m->name, (int)columns);
        for (int64_t i = 0; i < NODES * columns; i++)
            if (!isfinite(one[i])) fail_msg("%s: not finite", m->name);
        assert_memory_not_equal(one, one + columns, (size_t)columns * sizeof *one);
        for (int i = 1; i < TEST_THREADS; i++) {
            float *other = solve(m, test_thread_counts[i], weighted, &again);
            assert_int_equal(again, columns);
            if (memcmp(one, other, (size_t)(NODES * columns) * sizeof *one) != 0)
                fail_msg("%s: the bits depend on the threads", m->name);
            free(other);
        }
        free(one);
    }
}

static void vectors_are_sound(void **state) {
    (void)state;
    each_method(false, check_vectors);
}

/* A row a node, certified, in the method's own form. */
static void check_embedding(const cafe_method *m) {
    cafe_context *context = test_context(2, 1);
    cafe_graph *graph = test_karate(context);
    setting *s = open_setting(context, m, false, "8");
    cafe_embedding *e = NULL;
    TEST_OK(context, embed(context, graph, s, &e));
    const cafe_certificate *c = cafe_embedding_certificate(e);
    assert_int_equal(cafe_embedding_certificate(e)->nodes, TEST_KARATE_NODES);
    assert_in_range(cafe_embedding_certificate(e)->columns, 1, COLUMNS);
    assert_int_equal(c->generalised, m->form >= CAFE_FORM_SCALED);
    cafe_embedding_free(e);
    close_setting(s);
    cafe_graph_free(graph);
    cafe_context_free(context);
}

static void embeddings_are_certified(void **state) {
    (void)state;
    each_method(false, check_embedding);
}

/* Columns beyond the number of nodes cost nothing and are counted as dropped. */
static void check_cut(const cafe_method *m) {
    cafe_context *context = test_context(2, 1);
    cafe_graph *graph = test_karate(context);
    setting *s = open_setting(context, m, false, "5000");
    cafe_embedding *e = NULL;
    max_align_t own[64];
    TEST_OK(context, cafe_method_settle(context, m, s->table, &s->options, &s->inputs,
                                        TEST_KARATE_NODES, own));
    int64_t columns = cafe_method_columns(s->table, own);
    bool centred = strcmp(m->name, "sphere") == 0; /* one direction less */
    if (columns > 0) assert_int_equal(columns, TEST_KARATE_NODES - centred);
    if (columns > 0) {
        TEST_OK(context, embed(context, graph, s, &e));
        const cafe_certificate *c = cafe_embedding_certificate(e);
        assert_true(cafe_embedding_certificate(e)->columns <= TEST_KARATE_NODES);
        if (c->asked > TEST_KARATE_NODES) assert_int_equal(c->asked, 5000);
        assert_int_equal(c->dropped,
                         c->asked - (c->columns > c->certified ? c->columns : c->pairs));
    }
    cafe_embedding_free(e);
    close_setting(s);
    cafe_graph_free(graph);
    cafe_context_free(context);
}

static void columns_end_at_the_nodes(void **state) {
    (void)state;
    each_method(false, check_cut);
}

/* ---- communities ----------------------------------------------------------------------------- */

static void check_communities(const cafe_method *m) {
    int32_t first[NODES];
    for (int i = 0; i < TEST_THREADS; i++) {
        cafe_context *context = test_context(test_thread_counts[i], 5);
        cafe_graph *graph = test_random(context, NODES, 200, 0, 0, 21);
        setting *s = open_setting(context, m, true, "8");
        cafe_clustering *c = NULL;
        TEST_OK(context, cluster(context, graph, s, &c));
        const cafe_clustering_info *f = cafe_clustering_get(c);
        assert_int_equal(f->nodes, NODES);
        assert_in_range(f->communities, 1, NODES);
        assert_int_equal(f->partition[0], 0);
        for (int u = 0; u < NODES; u++) assert_in_range(f->partition[u], 0, f->communities - 1);
        assert_true(fabs(f->modularity - f->edge_modularity) < 1e-12);
        if (i == 0) memcpy(first, f->partition, sizeof first);
        assert_memory_equal(first, f->partition, sizeof first);
        cafe_clustering_free(c);
        close_setting(s);
        cafe_graph_free(graph);
        cafe_context_free(context);
    }
}

static void communities_are_sound(void **state) {
    (void)state;
    each_method(true, check_communities);
}

/* Under walks a partition has another modularity than under the edges: both are reported. */
static void check_walk_modularity(const cafe_method *m) {
    cafe_context *context = test_context(2, 1);
    cafe_graph *graph = test_karate(context);
    setting *s = open_setting(context, m, true, "4");
    cafe_clustering *c = NULL;
    cafe_model *model = NULL;
    cafe_sampled *edges = NULL;
    cafe_partition_quality walks, plain;
    s->options.sampling = CAFE_SAMPLING_WALK;
    TEST_OK(context, cluster(context, graph, s, &c));
    TEST_OK(context, cafe_model_create(context, graph, m, &s->options, NULL, &model));
    TEST_OK(context, cafe_sample(context, graph, CAFE_SAMPLING_EDGE, NULL, NULL, &edges));
    const cafe_clustering_info *f = cafe_clustering_get(c);
    TEST_OK(context, cafe_partition_measure(context, cafe_model_sampled(model), f->partition,
                                            f->communities, &walks));
    TEST_OK(context, cafe_partition_measure(context, edges, f->partition, f->communities, &plain));
    assert_true(fabs(f->modularity - walks.modularity) < 1e-9);
    assert_true(fabs(f->edge_modularity - plain.modularity) < 1e-9);
    assert_true(fabs(walks.modularity - plain.modularity) > 1e-3);
    cafe_sampled_free(edges);
    cafe_model_free(model);
    cafe_clustering_free(c);
    close_setting(s);
    cafe_graph_free(graph);
    cafe_context_free(context);
}

static void modularity_is_that_of_the_sampled_graph(void **state) {
    (void)state;
    each_method(true, check_walk_modularity);
}

/* ---- refusals -------------------------------------------------------------------------------- */

static void expect_refused(cafe_context *context, cafe_status status, const char *name,
                           const char *text) {
    if (status != CAFE_ERROR_ARGUMENT || !strstr(cafe_error(context), text))
        fail_msg("%s: %s: %s", name, cafe_status_name(status), cafe_error(context));
}

static void check_refusals(const cafe_method *m) {
    cafe_context *context = test_context(2, 1);
    cafe_graph *empty = NULL, *graph = test_karate(context);
    setting *s = open_setting(context, m, false, "8");
    cafe_embedding *e = NULL;
    float start[TEST_KARATE_NODES * COLUMNS] = {0};
    TEST_OK(context, cafe_graph_from_edges(context, 5, 0, NULL, NULL, NULL, NULL, &empty));
    expect_refused(context, embed(context, empty, s, &e), m->name, "no edges");
    if (!(m->takes & CAFE_TAKES_SAMPLING)) {
        s->options.sampling = CAFE_SAMPLING_WALK;
        expect_refused(context, embed(context, graph, s, &e), m->name, "takes no sampling");
        s->options.sampling = CAFE_SAMPLING_EDGE;
    }
    if (!(m->takes & CAFE_TAKES_START)) {
        s->inputs.start = start, s->inputs.start_columns = COLUMNS;
        expect_refused(context, embed(context, graph, s, &e), m->name, "start’ does not go with");
        s->inputs.start = NULL;
    }
    s->inputs.labels = m->takes & CAFE_NEEDS_LABELS ? NULL : s->labels;
    s->inputs.classes = CLASSES;
    if (m->takes & CAFE_NEEDS_LABELS)
        expect_refused(context, embed(context, graph, s, &e), m->name, "needs ‘labels");
    else if (!(m->takes & CAFE_TAKES_LABELS))
        expect_refused(context, embed(context, graph, s, &e), m->name, "labels’ does not go with");
    assert_null(e);
    close_setting(s);
    cafe_graph_free(empty);
    cafe_graph_free(graph);
    cafe_context_free(context);
}

static void what_does_not_fit_is_refused(void **state) {
    (void)state;
    each_method(false, check_refusals);
}

/* ---- failures -------------------------------------------------------------------------------- */

static void check_allocator(const cafe_method *m) {
    test_failing memory;
    cafe_context *context = test_failing_context(&memory, 1);
    cafe_graph *graph = test_karate(context);
    setting *s = open_setting(context, m, !m->vectors, "4");
    for (long k = 0;; k++) {
        cafe_embedding *e = NULL;
        cafe_clustering *c = NULL;
        long live = test_failing_arm(&memory, k);
        cafe_status status =
            m->vectors ? embed(context, graph, s, &e) : cluster(context, graph, s, &c);
        int failed = test_failing_disarm(&memory);
        if (!failed) {
            cafe_embedding_free(e);
            cafe_clustering_free(c);
        }
        test_failing_expect(&memory, status, failed, live, context);
        if (!failed) break;
    }
    close_setting(s);
    cafe_graph_free(graph);
    cafe_context_free(context);
}

static void memory_may_run_out(void **state) {
    (void)state;
    each_method(false, check_allocator);
    each_method(true, check_allocator);
}

static void *cancel_soon(void *context) {
    const struct timespec moment = {0, 20000000};
    nanosleep(&moment, NULL);
    cafe_cancel(context);
    return NULL;
}

/* Cancelled before it begins, and in the middle: a status and nothing else, soon. (A run that was
 * over before the request is as good.) */
static void check_cancel(const cafe_method *m) {
    cafe_context *context = test_context(2, 1);
    cafe_graph *graph = test_random(context, 1500, 20000, 0, 0, 3);
    for (int before = 0; before < 2; before++) {
        setting *s = open_setting(context, m, false, "64");
        cafe_embedding *e = NULL;
        pthread_t thread;
        clock_t begin;
        cafe_options_init(s->table, s->own, s->table->struct_size);
        if (before)
            cafe_cancel(context);
        else
            assert_int_equal(pthread_create(&thread, NULL, cancel_soon, context), 0);
        begin = clock();
        cafe_status status = embed(context, graph, s, &e);
        double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC; /* of the processor */
        if (!before) pthread_join(thread, NULL);
        if (status != CAFE_ERROR_CANCELLED && (before || status != CAFE_OK))
            fail_msg("%s: %s", m->name, cafe_status_name(status));
        if (status != CAFE_OK) assert_null(e);
        if (seconds >= 4) /* one or two; more when sanitized */
            fail_msg("%s: went on for %.1f seconds", m->name, seconds);
        cafe_reset_cancel(context);
        cafe_embedding_free(e);
        close_setting(s);
    }
    cafe_graph_free(graph);
    cafe_context_free(context);
}

static void cancellation_is_honoured(void **state) {
    (void)state;
    each_method(false, check_cancel);
}

/* A forecast of every method, those for communities alone too. */
static void every_method_has_a_forecast(void **state) {
    cafe_context *context;
    cafe_graph *graph = NULL;
    size_t count;
    (void)state;
    assert_int_equal(cafe_context_create(NULL, &context), CAFE_OK);
    graph = test_karate(context);
    const cafe_method *const *all = cafe_lab_methods(&count);
    for (size_t i = 0; i < count; i++) {
        cafe_method_options options;
        cafe_plan plan;
        const cafe_option_table *table =
            all[i]->vectors ? all[i]->vectors() : all[i]->communities();
        void *own = calloc(1, table->struct_size);
        cafe_options_init(table, own, table->struct_size);
        cafe_method_options_init(&options);
        options.own = own;
        cafe_method_plan(all[i], &options, graph, 2, 0, &plan);
        assert_true(plan.needed > 0);
        free(own);
    }
    cafe_graph_free(graph);
    cafe_context_free(context);
}

/* Without a method, options or inputs a call is about the first method and its defaults. */
static void nothing_stands_for_the_first_method(void **state) {
    cafe_context *context;
    cafe_sphere_options own, settled;
    cafe_method_options options;
    cafe_plan plan, same;
    cafe_ranks_plan ranks, same_ranks;
    (void)state;
    assert_int_equal(cafe_context_create(NULL, &context), CAFE_OK);
    cafe_graph *graph = test_karate(context);
    const cafe_graph_counts *counts = cafe_graph_get_counts(graph);
    const cafe_method *sphere = cafe_method_find(NULL, "sphere");
    cafe_sphere_options_init(&own);
    cafe_method_options_init(&options);
    options.own = &own;
    TEST_OK(context, cafe_method_settle(context, NULL, cafe_sphere_option_table(), NULL, NULL,
                                        cafe_graph_nodes(graph), &settled));
    assert_int_equal(settled.columns, 33);
    int64_t bytes = cafe_method_bytes(sphere, &options, counts, 2);
    assert_true(bytes > 0);
    assert_int_equal(cafe_method_bytes(NULL, NULL, counts, 2), bytes);
    cafe_method_plan(sphere, &options, graph, 2, 1 << 20, &plan);
    cafe_method_plan(NULL, NULL, graph, 2, 1 << 20, &same);
    assert_memory_equal(&plan, &same, sizeof plan);
    TEST_OK(context, cafe_method_ranks(context, sphere, &options, graph, NULL, NULL, &ranks));
    TEST_OK(context, cafe_method_ranks(context, NULL, NULL, graph, NULL, NULL, &same_ranks));
    assert_memory_equal(&ranks, &same_ranks, sizeof ranks);
    cafe_graph_free(graph);
    cafe_context_free(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_whole),
        cmocka_unit_test(vectors_are_sound),
        cmocka_unit_test(embeddings_are_certified),
        cmocka_unit_test(columns_end_at_the_nodes),
        cmocka_unit_test(communities_are_sound),
        cmocka_unit_test(modularity_is_that_of_the_sampled_graph),
        cmocka_unit_test(what_does_not_fit_is_refused),
        cmocka_unit_test(memory_may_run_out),
        cmocka_unit_test(cancellation_is_honoured),
        cmocka_unit_test(every_method_has_a_forecast),
        cmocka_unit_test(nothing_stands_for_the_first_method),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
