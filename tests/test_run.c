/* A run gives what the calls behind it give one by one, forecasts what it then takes, and refuses
 * what does not go together before anything is read. */
#include <string.h>

#include <cafe-private/run.h>

#include "failing.h"
#include "graphs.h"
#include "method/model.h"

/* A ring of rings: enough nodes for 16 columns. */
static cafe_graph *rings(cafe_context *context) {
    test_links l = test_links_new(400);
    uint64_t seed = 3;
    for (int32_t i = 0; i < 400; i++) {
        l.source[i] = i % 100;
        l.target[i] = i < 100 ? (i + 1) % 100 : test_below(&seed, 100);
        l.weights[i] = (float)(1 + i % 5);
    }
    cafe_graph *graph = test_graph(context, 100, &l, 1, NULL);
    test_links_free(&l);
    return graph;
}

static cafe_context *new_context(int32_t threads) {
    cafe_context_options options;
    cafe_context *context;
    cafe_context_options_init(&options);
    options.threads = threads;
    assert_int_equal(cafe_context_create(&options, &context), CAFE_OK);
    cafe_lab_add(context);
    return context;
}

/* ---- the same bits --------------------------------------------------------------------------- */

static void expect_same_vectors(cafe_context *context, const cafe_embedding *a,
                                const cafe_embedding *b) {
    int64_t columns = cafe_embedding_certificate(a)->columns;
    assert_int_equal(columns, cafe_embedding_certificate(b)->columns);
    for (int64_t u = 0; u < cafe_embedding_certificate(a)->nodes; u++)
        assert_memory_equal(cafe_embedding_row(a, u), cafe_embedding_row(b, u),
                            (size_t)columns * sizeof(float));
    (void)context;
}

/* Of every method that needs no labels: the run against cafe_embed() with no options at all. */
static void vectors_are_those_of_embed(void **state) {
    (void)state;
    TEST_NOT_OF_THREADS();
    cafe_context *context = new_context(2);
    cafe_graph *graph = rings(context);
    size_t count;
    const cafe_method *const *all = cafe_lab_methods(&count);
    for (size_t i = 0; i < count; i++) {
        cafe_embedding *e;
        cafe_run *run;
        if (!all[i]->vectors || (all[i]->takes & CAFE_NEEDS_LABELS)) continue;
        if (strcmp(all[i]->name, "sdne") == 0) continue; /* takes long with its defaults */
        TEST_OK(context, cafe_embed(context, graph, all[i], NULL, NULL, &e));
        TEST_OK(context, cafe_run_create(context, CAFE_PURPOSE_VECTORS, all[i]->name, &run));
        TEST_OK(context, cafe_run_graph(run, graph, NULL, NULL));
        TEST_OK(context, cafe_run_go(run));
        expect_same_vectors(context, e, cafe_run_get(run)->embedding);
        cafe_run_free(run);
        cafe_embedding_free(e);
    }
    cafe_graph_free(graph);
    cafe_context_free(context);
}

static void communities_are_those_of_cluster(void **state) {
    (void)state;
    cafe_context *context = new_context(2);
    cafe_graph *graph = rings(context);
    cafe_clustering *c;
    cafe_run *run;
    TEST_OK(context,
            cafe_cluster(context, graph, cafe_method_find(NULL, "layers"), NULL, NULL, &c));
    TEST_OK(context, cafe_run_create(context, CAFE_PURPOSE_COMMUNITIES, NULL, &run));
    TEST_OK(context, cafe_run_graph(run, graph, NULL, NULL));
    TEST_OK(context, cafe_run_go(run));
    assert_memory_equal(cafe_clustering_get(c)->partition,
                        cafe_clustering_get(cafe_run_get(run)->clustering)->partition,
                        100 * sizeof(int32_t));
    cafe_run_free(run);
    cafe_clustering_free(c);
    cafe_graph_free(graph);
    cafe_context_free(context);
}

/* ---- what does not go together --------------------------------------------------------------- */

typedef struct refusal {
    const char *method, *option, *value, *text;
} refusal;

static void contradictions_are_refused(void **state) {
    (void)state;
    static const refusal refusals[] = {
        {"sphere", "residual-steps", "3", "‘residual-steps’ goes with ‘residual’"},
        {"sphere", "window", "3", "‘window’ does not go with ‘sampling=edge’"},
        {"sphere", "propagate-mu", "0.3", "‘propagate-mu’ goes with ‘propagate’"},
        {"sphere", "sampling", "twisted", "‘sampling=twisted’ needs ‘attributes’"},
        {"cafe", "scale-exponent", "0.1", "‘scale-exponent’ goes with ‘output-form=scaled’"},
        {"prone", "sampling", "walk", "no option 'sampling'"},
        {"sphere", "colums", "3", "no option 'colums'"},
        {"sphere", "sampling", "edges", "‘sampling’ takes one of edge|walk"},
        {"sphere", "columns", "few", "columns"},
    };
    cafe_context *context = new_context(1);
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        const refusal *r = &refusals[i];
        cafe_run *run;
        TEST_OK(context, cafe_run_create(context, CAFE_PURPOSE_VECTORS, r->method, &run));
        if (strcmp(r->method, "cafe") == 0)
            TEST_OK(context, cafe_run_set(run, "output-form", "walk"));
        cafe_status status = cafe_run_set(run, r->option, r->value);
        if (status == CAFE_OK) status = cafe_run_check(run);
        assert_int_equal(status, CAFE_ERROR_ARGUMENT);
        if (!strstr(cafe_error(context), r->text))
            fail_msg("%s: expected %s", cafe_error(context), r->text);
        cafe_run_free(run);
    }
    cafe_context_free(context);
}

/* A path alone counts as an input, so that files are not read in vain. */
static void paths_count_as_inputs(void **state) {
    (void)state;
    cafe_context *context = new_context(1);
    cafe_run_inputs inputs;
    cafe_run *run;
    TEST_OK(context, cafe_run_create(context, CAFE_PURPOSE_VECTORS, "sphere", &run));
    cafe_run_inputs_init(&inputs);
    inputs.labels_path = "labels.txt";
    TEST_OK(context, cafe_run_give(run, &inputs));
    assert_int_equal(cafe_run_check(run), CAFE_ERROR_ARGUMENT);
    assert_non_null(strstr(cafe_error(context), "‘labels’ does not go with ‘method=sphere’"));
    cafe_run_free(run);
    cafe_context_free(context);
}

/* ---- the forecast ---------------------------------------------------------------------------- */

static void a_run_that_does_not_fit_is_refused(void **state) {
    (void)state;
    cafe_context *context = new_context(1);
    cafe_graph *graph = rings(context);
    cafe_run_forecast f;
    cafe_run *run;
    TEST_OK(context, cafe_run_create(context, CAFE_PURPOSE_VECTORS, "sphere", &run));
    TEST_OK(context, cafe_run_set(run, "columns", "16"));
    TEST_OK(context, cafe_run_graph(run, graph, NULL, NULL));
    TEST_OK(context, cafe_run_plan(run, &f));
    assert_int_equal(f.columns, 16);
    assert_true(f.fits && f.needed > 0 && f.needed <= f.available);
    TEST_OK(context, cafe_run_limit(run, 1 << 20, NULL));
    TEST_OK(context, cafe_run_plan(run, &f));
    assert_false(f.fits);
    assert_int_equal(f.available, 1 << 20);
    assert_int_equal(cafe_run_go(run), CAFE_ERROR_LIMIT);
    assert_non_null(strstr(cafe_error(context), "is the limit: it does not fit"));
    cafe_run_free(run);
    cafe_graph_free(graph);
    cafe_context_free(context);
}

static void more_columns_than_nodes_are_a_warning(void **state) {
    (void)state;
    cafe_context *context = new_context(1);
    cafe_graph *graph = rings(context);
    cafe_run *run;
    TEST_OK(context, cafe_run_create(context, CAFE_PURPOSE_VECTORS, "sphere", &run));
    TEST_OK(context, cafe_run_set(run, "columns", "400"));
    TEST_OK(context, cafe_run_graph(run, graph, NULL, NULL));
    TEST_OK(context, cafe_run_go(run));
    assert_non_null(cafe_run_warning(run, 0));
    assert_non_null(strstr(cafe_run_warning(run, 0), "400 columns asked for, cut to 99"));
    assert_null(cafe_run_warning(run, 100));
    assert_int_equal(cafe_run_set(run, "columns", "3"), CAFE_ERROR_ARGUMENT); /* it has begun */
    cafe_run_free(run);
    cafe_graph_free(graph);
    cafe_context_free(context);
}

/* The forecast for several processes is the run's too, and such a run is not started. */
static void processes_are_forecast(void **state) {
    (void)state;
    cafe_context *context = new_context(1);
    cafe_graph *graph = rings(context);
    cafe_run_forecast forecast;
    cafe_ranks_options options;
    cafe_ranks_plan plan;
    cafe_run *run;
    TEST_OK(context, cafe_run_create(context, CAFE_PURPOSE_VECTORS, "sphere", &run));
    TEST_OK(context, cafe_run_graph(run, graph, NULL, NULL));
    TEST_OK(context, cafe_run_plan(run, &forecast));
    assert_int_equal(forecast.ranks.ranks, 0);
    TEST_OK(context, cafe_run_set(run, "ranks", "4"));
    TEST_OK(context, cafe_run_plan(run, &forecast));
    cafe_ranks_options_init(&options);
    options.ranks = 4;
    TEST_OK(context, cafe_method_ranks(context, cafe_run_get(run)->method,
                                       cafe_run_get(run)->options, graph, NULL, &options, &plan));
    assert_memory_equal(&forecast.ranks, &plan, sizeof plan);
    assert_int_equal(cafe_run_go(run), CAFE_ERROR_ARGUMENT);
    assert_int_equal(cafe_run_set(run, "partition", "thirds"), CAFE_ERROR_ARGUMENT);
    TEST_OK(context, cafe_run_limit(run, 1000, NULL));
    assert_int_equal(cafe_run_fits(run), CAFE_ERROR_LIMIT);
    assert_non_null(strstr(cafe_error(context), "a rank needs"));
    cafe_run_free(run);
    cafe_graph_free(graph);
    cafe_context_free(context);
}

/* Files of a run within a limit lie in the folder of its output, unless another one is named. */
static void files_lie_beside_the_output(void **state) {
    static const char *const cases[][3] = {{"/tmp/v.npy", NULL, "/tmp"},
                                           {"/v.npy", NULL, "/"},
                                           {"v.npy", NULL, "."},
                                           {NULL, NULL, "."},
                                           {"/v.npy", "/tmp", "/tmp"}};
    (void)state;
    cafe_context *context = new_context(1);
    cafe_graph *graph = rings(context);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cafe_run_forecast forecast;
        cafe_run *run;
        TEST_OK(context, cafe_run_create(context, CAFE_PURPOSE_VECTORS, "sphere", &run));
        TEST_OK(context, cafe_run_output(run, cases[i][0], 1));
        TEST_OK(context, cafe_run_limit(run, 1000, cases[i][1]));
        TEST_OK(context, cafe_run_graph(run, graph, NULL, NULL));
        TEST_OK(context, cafe_run_plan(run, &forecast));
        assert_string_equal(forecast.folder, cases[i][2]);
        assert_true(forecast.disk_reads == 0);
        cafe_run_free(run);
    }
    cafe_graph_free(graph);
    cafe_context_free(context);
}

static cafe_run *walks(cafe_context *context, const cafe_graph *graph, const char *window,
                       const char *sweeps) {
    cafe_run *run;
    TEST_OK(context, cafe_run_create(context, CAFE_PURPOSE_VECTORS, "sphere", &run));
    TEST_OK(context, cafe_run_set(run, "sampling", "walk"));
    TEST_OK(context, cafe_run_set(run, "columns", "8"));
    TEST_OK(context, cafe_run_set(run, "window", window));
    TEST_OK(context, cafe_run_set(run, "sweeps", sweeps));
    TEST_OK(context, cafe_run_graph(run, graph, NULL, NULL));
    return run;
}

/* A graph is sampled once for runs of one sampling; the vectors are those of a run alone. */
static void runs_share_a_sampled_graph(void **state) {
    (void)state;
    cafe_context *context = new_context(2);
    cafe_graph *graph = rings(context);
    cafe_run *first = walks(context, graph, "2", "3"), *other = walks(context, graph, "3", "3");
    cafe_run *third = walks(context, graph, "2", "5"), *alone = walks(context, graph, "2", "5");
    TEST_OK(context, cafe_run_go(first));
    TEST_OK(context, cafe_run_share(other, first));
    TEST_OK(context, cafe_run_go(other));
    TEST_OK(context, cafe_run_share(third, other));
    TEST_OK(context, cafe_run_go(third));
    TEST_OK(context, cafe_run_go(alone));
    assert_ptr_not_equal(cafe_run_get(first)->model, cafe_run_get(other)->model);
    assert_ptr_equal(cafe_run_get(first)->model, cafe_run_get(third)->model);
    assert_int_equal(cafe_run_share(alone, first), CAFE_ERROR_ARGUMENT); /* it has begun */
    expect_same_vectors(context, cafe_run_get(third)->embedding, cafe_run_get(alone)->embedding);
    cafe_run_free(alone);
    cafe_run_free(third);
    cafe_run_free(other);
    cafe_run_free(first);
    cafe_graph_free(graph);
    cafe_context_free(context);
}

/* ---- labels and layers ------------------------------------------------------------------------
 */

/* Known labels stay; of two classes the likelier one has at least half. */
static void labels_are_predicted(void **state) {
    (void)state;
    cafe_context *context = new_context(1);
    cafe_graph *graph = rings(context);
    for (int purpose = 0; purpose < 2; purpose++) {
        int32_t label[100], best[100];
        float probability[100];
        cafe_run_inputs inputs;
        cafe_run_step done = CAFE_STEP_NONE;
        cafe_run *run;
        cafe_run_inputs_init(&inputs);
        for (int i = 0; i < 100; i++) label[i] = i % 10 ? -1 : i / 50;
        inputs.labels = label;
        inputs.classes = 2;
        TEST_OK(context, cafe_run_create(context, (cafe_purpose)purpose,
                                         purpose ? "softmax" : "cafe", &run));
        TEST_OK(context, cafe_run_graph(run, graph, NULL, NULL));
        assert_int_equal(cafe_run_predict(run, best, NULL), CAFE_ERROR_ARGUMENT);
        TEST_OK(context, cafe_run_give(run, &inputs));
        while (done != CAFE_STEP_SOLVE) TEST_OK(context, cafe_run_next(run, &done));
        TEST_OK(context, cafe_run_predict(run, best, probability));
        for (int i = 0; i < 100; i++) {
            assert_in_range(best[i], 0, 1);
            assert_true(probability[i] >= 0.5F && probability[i] <= 1);
            if (label[i] >= 0) assert_int_equal(best[i], label[i]);
        }
        cafe_run_free(run);
    }
    cafe_graph_free(graph);
    cafe_context_free(context);
}

/* As vectors and as communities, the layers are the same. */
static void layers_are_kept(void **state) {
    (void)state;
    cafe_context *context = new_context(1);
    cafe_graph *graph = rings(context);
    const cafe_layers *layers[2];
    cafe_run *runs[2];
    for (int purpose = 0; purpose < 2; purpose++) {
        TEST_OK(context, cafe_run_create(context, (cafe_purpose)purpose, "layers", &runs[purpose]));
        TEST_OK(context, cafe_run_graph(runs[purpose], graph, NULL, NULL));
        assert_null(cafe_run_get(runs[purpose])->layers);
        TEST_OK(context, cafe_run_go(runs[purpose]));
        layers[purpose] = cafe_run_get(runs[purpose])->layers;
        assert_non_null(layers[purpose]);
    }
    assert_int_equal(cafe_layers_count(layers[0]), cafe_layers_count(layers[1]));
    for (int64_t i = 0; i < cafe_layers_count(layers[0]); i++)
        assert_memory_equal(cafe_layers_get(layers[0], i)->partition,
                            cafe_layers_get(layers[1], i)->partition, 100 * sizeof(int32_t));
    for (int purpose = 0; purpose < 2; purpose++) cafe_run_free(runs[purpose]);
    cafe_graph_free(graph);
    cafe_context_free(context);
}

/* Only of a tolerance that was to be reached; layers have as many columns as there are communities.
 */
static void warnings_are_of_what_was_asked(void **state) {
    (void)state;
    static const char *const asked[][3] = {{"sphere", "sweeps", "‘tolerance’ 0.025"},
                                           {"layers", NULL, NULL}};
    cafe_context *context = new_context(1);
    cafe_graph *graph = rings(context);
    for (int i = 0; i < 2; i++) {
        cafe_run *run;
        TEST_OK(context, cafe_run_create(context, CAFE_PURPOSE_VECTORS, asked[i][0], &run));
        TEST_OK(context, cafe_run_graph(run, graph, NULL, NULL));
        if (asked[i][1]) TEST_OK(context, cafe_run_set(run, asked[i][1], "1"));
        if (asked[i][1]) TEST_OK(context, cafe_run_set(run, "columns", "8"));
        TEST_OK(context, cafe_run_go(run));
        if (asked[i][2])
            assert_non_null(strstr(cafe_run_warning(run, 0), asked[i][2]));
        else
            assert_null(cafe_run_warning(run, 0));
        cafe_run_free(run);
    }
    cafe_graph_free(graph);
    cafe_context_free(context);
}

/* ---- memory ---------------------------------------------------------------------------------- */

static cafe_status whole_run(cafe_context *context, const cafe_graph *graph) {
    cafe_run *run = NULL;
    cafe_report *report = NULL;
    const char *text;
    cafe_status status = cafe_run_create(context, CAFE_PURPOSE_VECTORS, "sphere", &run);
    if (status == CAFE_OK) status = cafe_run_set(run, "columns", "200");
    if (status == CAFE_OK) status = cafe_run_graph(run, graph, "a path", NULL);
    if (status == CAFE_OK) status = cafe_run_go(run);
    if (status == CAFE_OK) status = cafe_report_new(context, "cafe/embed/1", &report);
    if (status == CAFE_OK) cafe_run_report(run, 0, report);
    if (status == CAFE_OK) status = cafe_report_text(report, &text);
    cafe_report_free(report);
    cafe_run_free(run);
    return status;
}

static void failing_memory_leaves_nothing(void **state) {
    (void)state;
    TEST_NOT_OF_THREADS();
    test_failing memory;
    cafe_context *context = test_failing_context(&memory, 2);
    cafe_graph *graph = rings(context);
    for (long k = 0;; k++) {
        long live = test_failing_arm(&memory, k);
        cafe_status status = whole_run(context, graph);
        int failed = test_failing_disarm(&memory);
        test_failing_expect(&memory, status, failed, live, context);
        if (!failed) break;
    }
    cafe_graph_free(graph);
    cafe_context_free(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vectors_are_those_of_embed),
        cmocka_unit_test(communities_are_those_of_cluster),
        cmocka_unit_test(contradictions_are_refused),
        cmocka_unit_test(paths_count_as_inputs),
        cmocka_unit_test(a_run_that_does_not_fit_is_refused),
        cmocka_unit_test(more_columns_than_nodes_are_a_warning),
        cmocka_unit_test(processes_are_forecast),
        cmocka_unit_test(files_lie_beside_the_output),
        cmocka_unit_test(runs_share_a_sampled_graph),
        cmocka_unit_test(labels_are_predicted),
        cmocka_unit_test(layers_are_kept),
        cmocka_unit_test(warnings_are_of_what_was_asked),
        cmocka_unit_test(failing_memory_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
