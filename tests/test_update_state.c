/* The sums of an update: corrected by a change against found anew, kept in a file, undone; an
 * update to its end against the equation of sphere.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cafe-private/writers.h>

#include "dense.h"
#include "failing.h"
#include "update/update_state.h"

enum { K = 5 };

static float *unit_rows(int64_t n, uint64_t seed) {
    float *rows = malloc((size_t)(n * K) * sizeof *rows);
    for (int64_t u = 0; u < n; u++) {
        double square = 0;
        for (int k = 0; k < K; k++) {
            rows[u * K + k] = (float)test_below(&seed, 2001) / 1000 - 1;
            square += (double)rows[u * K + k] * rows[u * K + k];
        }
        for (int k = 0; k < K; k++) rows[u * K + k] /= (float)sqrt(square);
    }
    return rows;
}

static const char *state_path(void) {
    static char path[64];
    snprintf(path, sizeof path, "test_update_state.%ld.state", (long)getpid());
    return path;
}

static const char *rows_path(void) {
    static char path[64];
    snprintf(path, sizeof path, "test_update_state.%ld.npy", (long)getpid());
    return path;
}

/* Random edges added and removed; `undo`: the same the other way round. */
typedef struct edits {
    int64_t count;
    int32_t source[64], target[64];
    uint8_t removed[64];
} edits;

static edits random_edits(const cafe_graph *graph, int64_t nodes, int64_t count, uint64_t seed) {
    edits e = {0};
    int64_t n = cafe_graph_nodes(graph);
    while (e.count < count) {
        int64_t u = test_below(&seed, nodes), v = test_below(&seed, nodes);
        bool again = u == v;
        for (int64_t i = 0; i < e.count; i++)
            again = again || (e.source[i] == u && e.target[i] == v) ||
                    (e.source[i] == v && e.target[i] == u);
        if (again) continue;
        e.source[e.count] = (int32_t)u, e.target[e.count] = (int32_t)v;
        e.removed[e.count++] = u < n && v < n && cafe_changes_weight(graph, u, v) > 0;
    }
    return e;
}

static cafe_changes *change(cafe_context *context, const cafe_graph *graph, int64_t nodes,
                            const edits *e, const float *weights) {
    cafe_changes *changes = NULL;
    TEST_OK(context, cafe_changes_from_edges(context, graph, nodes, e->count, e->source, e->target,
                                             weights, e->removed, &changes));
    return changes;
}

/* ---- sums ------------------------------------------------------------------------------------ */

static void compare_states(const cafe_update_state *a, const cafe_update_state *b) {
    assert_int_equal(a->nodes, b->nodes);
    assert_true(fabs(cafe_state_objective(a) - cafe_state_objective(b)) < 1e-8);
    for (int64_t u = 0; u < a->nodes; u++)
        assert_true(fabs(a->strength[u] / a->total - b->strength[u] / b->total) < 1e-7);
    for (int k = 0; k < K; k++) assert_true(fabs(a->s[k] / a->total - b->s[k] / b->total) < 1e-7);
}

static void compare_with_found(cafe_context *context, const cafe_graph *graph, int64_t nodes,
                               const edits *e, const float *weights, double exponent) {
    cafe_update_state corrected, found;
    cafe_reached reached;
    float before[128], *now = malloc((size_t)(nodes * K) * sizeof *now);
    float *rows = unit_rows(cafe_graph_nodes(graph), 3);
    cafe_changes *changes = change(context, graph, nodes, e, weights);
    TEST_OK(context, cafe_state_find(context, graph, K, rows, exponent, &corrected));
    TEST_OK(context, cafe_reached_new(context, changes, K, rows, &reached));
    TEST_OK(context, cafe_reached_start(&reached));
    TEST_OK(context, cafe_state_correct(&corrected, &reached, before));
    for (int64_t u = 0; u < nodes; u++) {
        int64_t place;
        TEST_OK(context, cafe_reach(&reached, u, &place));
        memcpy(now + u * K, cafe_reached_row(&reached, place), K * sizeof *now);
    }
    TEST_OK(context,
            cafe_state_find(context, cafe_changes_graph(changes), K, now, exponent, &found));
    compare_states(&corrected, &found);
    cafe_state_free(&corrected);
    cafe_state_free(&found);
    cafe_reached_free(&reached);
    cafe_changes_free(changes);
    free(rows);
    free(now);
}

static void corrected_sums_are_those_of_the_changed_graph(void **state) {
    static const double exponents[] = {0, 0.25, 0.5};
    float weights[64];
    (void)state;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        cafe_context *context = test_context(2, 1);
        cafe_graph *graph = test_random(context, 40, 120, seed % 2 == 0, seed % 4 == 1, seed);
        edits e = random_edits(graph, 40 + (int64_t)(seed % 3) * 2, 30, seed);
        for (int i = 0; i < 64; i++) weights[i] = 0.5f + (float)(i % 7);
        compare_with_found(context, graph, 40 + (int64_t)(seed % 3) * 2, &e,
                           seed % 3 == 0 ? weights : NULL, exponents[seed % 3]);
        cafe_graph_free(graph);
        cafe_context_free(context);
    }
}

/* ---- the equation ---------------------------------------------------------------------------- */

/* Swept to the end, each row has the direction of its gradient on the changed graph. */
static void an_update_of_everything_ends_at_a_fixed_point(void **state) {
    enum { N = TEST_KARATE_NODES };
    (void)state;
    cafe_context *context = test_context(2, 1);
    cafe_graph *graph = test_karate(context);
    edits e = random_edits(graph, N + 1, 20, 7);
    cafe_changes *changes = change(context, graph, N + 1, &e, NULL);
    cafe_updated *updated = NULL;
    cafe_update_options o;
    float *rows = unit_rows(N, 5), now[(N + 1) * K];
    double p[N + 1];
    cafe_update_options_init(&o);
    o.degree_exponent = 0, o.spread = 0, o.tolerance = 0, o.sweeps = 20000;
    TEST_OK(context, cafe_update(context, changes, K, rows, &o, &updated));
    cafe_updated_copy(updated, now);
    double *q = test_dense_q(cafe_changes_graph(changes), p);
    for (int64_t u = 0; u <= N; u++) {
        double z[K] = {0}, length = 0, dot = 0;
        for (int64_t w = 0; w <= N; w++)
            for (int k = 0; w != u && k < K; k++) z[k] += q[u * (N + 1) + w] * now[w * K + k];
        for (int k = 0; k < K; k++) length += z[k] * z[k], dot += z[k] * now[u * K + k];
        assert_true(p[u] == 0 || dot > 0.9999 * sqrt(length));
    }
    free(q);
    free(rows);
    cafe_updated_free(updated);
    cafe_changes_free(changes);
    cafe_graph_free(graph);
    cafe_context_free(context);
}

/* ---- the file -------------------------------------------------------------------------------- */

/* A day: rows become those after the changes. Returns whether the sums came from the file. */
static bool day(cafe_context *context, const char *state, cafe_changes *changes, float *rows,
                double *objective) {
    cafe_updated *updated = NULL;
    cafe_update_options o;
    cafe_update_options_init(&o);
    o.state = state;
    TEST_OK(context, cafe_update(context, changes, K, rows, &o, &updated));
    const cafe_update_report *r = cafe_updated_get(updated);
    if (state) TEST_OK(context, cafe_updated_write(context, updated, changes, rows_path(), 1));
    if (objective) *objective = r->objective[r->rounds];
    float *now = malloc((size_t)(r->nodes * K) * sizeof *now);
    bool resumed = r->resumed;
    cafe_updated_copy(updated, now);
    memcpy(rows, now, (size_t)(r->nodes * K) * sizeof *now);
    free(now);
    cafe_updated_free(updated);
    return resumed;
}

static cafe_graph *planted(cafe_context *context, int64_t nodes, int64_t edges) {
    cafe_generate_options o;
    cafe_graph *graph = NULL;
    cafe_generate_options_init(&o);
    o.nodes = nodes, o.edges = edges, o.blocks = 6, o.mixing = 0.2;
    TEST_OK(context, cafe_generate(context, CAFE_GENERATOR_PLANTED, &o, &graph, NULL));
    return graph;
}

/* The raw rows of sphere, and room for new nodes. */
static float *solve(cafe_context *context, const cafe_graph *graph) {
    cafe_sampled *sampled = NULL;
    cafe_sample_options sampling;
    cafe_operator *op = NULL;
    cafe_solution *solution = NULL;
    cafe_sphere_options o;
    float *rows = unit_rows(cafe_graph_nodes(graph) + 8, 9);
    cafe_sample_options_init(&sampling);
    cafe_sphere_options_init(&o);
    sampling.degree_exponent = 0.25;
    o.columns = K, o.sweeps = 20;
    TEST_OK(context, cafe_sample(context, graph, CAFE_SAMPLING_EDGE, &sampling, NULL, &sampled));
    TEST_OK(context, cafe_operator_modularity(context, sampled, &op));
    TEST_OK(context, cafe_sphere(context, op, &o, NULL, &solution));
    cafe_solution_copy(solution, rows);
    cafe_solution_free(solution);
    cafe_operator_free(op);
    cafe_sampled_free(sampled);
    return rows;
}

static void days_resume_from_the_file(void **state) {
    enum { N = 900, DAYS = 4 };
    (void)state;
    cafe_context *context = test_context(2, 1);
    cafe_graph *graph = planted(context, N, 7000);
    float *with = solve(context, graph), *without = solve(context, graph);
    const cafe_graph *old = graph;
    cafe_changes *changes[DAYS];
    double a, b;
    unlink(state_path());
    for (int i = 0; i < DAYS; i++) { /* new nodes on the last two days */
        int64_t nodes = N + (i >= 2 ? 2 * (i - 1) : 0);
        edits e = random_edits(old, nodes, 10, 3 + (uint64_t)i);
        changes[i] = change(context, old, nodes, &e, NULL);
        assert_int_equal(day(context, state_path(), changes[i], with, &a), i > 0);
        assert_false(day(context, NULL, changes[i], without, &b));
        assert_true(fabs(a - b) < 1e-6);
        for (int64_t j = 0; j < nodes * K; j++) assert_true(fabs(with[j] - without[j]) < 1e-3);
        old = cafe_changes_graph(changes[i]);
        assert_non_null(old);
    }
    for (int i = 0; i < DAYS; i++) cafe_changes_free(changes[i]);
    free(with);
    free(without);
    cafe_graph_free(graph);
    cafe_context_free(context);
}

static void write_bytes(const char *path, const char *bytes, size_t count) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    fclose(file);
}

/* A state of another graph or other rows, or a damaged one, is made anew; any other file stays. */
static void other_states_are_made_anew(void **state) {
    enum { N = 200 };
    (void)state;
    cafe_context *context = test_context(1, 1);
    cafe_graph *graph = planted(context, N, 1200);
    float *rows = unit_rows(N, 2), *same = malloc(N * K * sizeof *same), *other = unit_rows(N, 4);
    edits e = random_edits(graph, N, 6, 5), none = {0};
    cafe_changes *changes = change(context, graph, N, &e, NULL);
    cafe_changes *nothing = change(context, graph, N, &none, NULL);
    static char bytes[16384];
    memcpy(same, rows, N * K * sizeof *same);
    unlink(state_path());
    assert_false(day(context, state_path(), nothing, rows, NULL));
    assert_true(day(context, state_path(), nothing, rows, NULL));
    assert_false(day(context, state_path(), nothing, other, NULL));
    assert_false(day(context, state_path(), nothing, rows, NULL));
    assert_memory_equal(rows, same, N * K * sizeof *same);
    FILE *file = fopen(state_path(), "r");
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    assert_true(size < sizeof bytes);
    write_bytes(state_path(), bytes, size - 1);
    assert_false(day(context, state_path(), nothing, rows, NULL));
    bytes[size / 2] ^= 1;
    write_bytes(state_path(), bytes, size);
    assert_false(day(context, state_path(), nothing, rows, NULL));
    assert_true(day(context, state_path(), changes, rows, NULL));
    memcpy(rows, same, N * K * sizeof *same);
    assert_false(day(context, state_path(), changes, rows, NULL)); /* it is of the next day */
    cafe_updated *updated = NULL;
    cafe_update_options o;
    cafe_update_options_init(&o);
    o.state = state_path();
    write_bytes(state_path(), "0 1\n", 4);
    assert_int_equal(cafe_update(context, changes, K, rows, &o, &updated), CAFE_ERROR_FORMAT);
    assert_non_null(strstr(cafe_error(context), "expected a state"));
    unlink(state_path());
    free(rows);
    free(same);
    free(other);
    cafe_changes_free(changes);
    cafe_changes_free(nothing);
    cafe_graph_free(graph);
    cafe_context_free(context);
}

/* A change and its undoing: the graph is the old one, and the objective is not below the old. */
static void an_undone_change_is_gone(void **state) {
    enum { N = 900 };
    (void)state;
    cafe_context *context = test_context(2, 1);
    cafe_graph *graph = planted(context, N, 7000);
    edits e = random_edits(graph, N, 12, 6), back = e;
    for (int64_t i = 0; i < e.count; i++) back.removed[i] = !e.removed[i];
    cafe_changes *there = change(context, graph, N, &e, NULL);
    cafe_changes *again = change(context, cafe_changes_graph(there), N, &back, NULL);
    float *rows = solve(context, graph);
    cafe_update_state first, last;
    double objective;
    unlink(state_path());
    TEST_OK(context, cafe_state_find(context, graph, K, rows, 0.25, &first));
    double before = cafe_state_objective(&first);
    day(context, state_path(), there, rows, NULL);
    assert_true(day(context, state_path(), again, rows, &objective));
    TEST_OK(context, cafe_state_find(context, graph, K, rows, 0.25, &last));
    assert_true(fabs(cafe_state_objective(&last) - objective) < 1e-6);
    assert_true(objective >= before - 1e-6);
    for (int64_t u = 0; u < N; u++)
        assert_true(fabs(first.strength[u] - last.strength[u]) < 1e-12 * first.total);
    cafe_state_free(&first);
    cafe_state_free(&last);
    free(rows);
    cafe_changes_free(again);
    cafe_changes_free(there);
    cafe_graph_free(graph);
    cafe_context_free(context);
}

static void files_have_the_same_bits_for_any_threads(void **state) {
    enum { N = 400 };
    static char first[65536], now[65536];
    size_t size = 0;
    (void)state;
    for (size_t t = 0; t < TEST_THREADS; t++) {
        cafe_context *context = test_context(test_thread_counts[t], 1);
        cafe_graph *graph = planted(context, N, 2500);
        edits e = random_edits(graph, N + 2, 30, 8);
        cafe_changes *changes = change(context, graph, N + 2, &e, NULL);
        float *rows = unit_rows(N + 2, 9);
        unlink(state_path());
        day(context, state_path(), changes, rows, NULL);
        FILE *file = fopen(state_path(), "r");
        size_t got = fread(now, 1, sizeof now, file);
        fclose(file);
        assert_true(got > 0 && got < sizeof now);
        if (t == 0) memcpy(first, now, size = got);
        assert_int_equal(got, size);
        assert_memory_equal(now, first, size);
        free(rows);
        cafe_changes_free(changes);
        cafe_graph_free(graph);
        cafe_context_free(context);
    }
}

static void almost_nothing_left_is_refused(void **state) {
    static const float weights[] = {1e9f};
    static const int32_t source[] = {0, 1}, target[] = {1, 2};
    static const uint8_t removed[] = {1};
    (void)state;
    cafe_context *context = test_context(1, 1);
    cafe_changes *heavy = NULL, *gone = NULL;
    cafe_updated *updated = NULL;
    cafe_graph *graph = NULL;
    cafe_update_options o;
    float *rows = unit_rows(3, 1);
    cafe_update_options_init(&o);
    o.degree_exponent = 0;
    TEST_OK(context,
            cafe_graph_from_edges(context, 3, 1, source + 1, target + 1, NULL, NULL, &graph));
    TEST_OK(context,
            cafe_changes_from_edges(context, graph, 3, 1, source, target, weights, NULL, &heavy));
    TEST_OK(context, cafe_update(context, heavy, K, rows, &o, &updated));
    cafe_updated_free(updated);
    TEST_OK(context, cafe_changes_from_edges(context, cafe_changes_graph(heavy), 3, 1, source,
                                             target, NULL, removed, &gone));
    assert_int_equal(cafe_update(context, gone, K, rows, &o, &updated), CAFE_ERROR_ARGUMENT);
    assert_non_null(strstr(cafe_error(context), "a millionth"));
    free(rows);
    cafe_changes_free(gone);
    cafe_changes_free(heavy);
    cafe_graph_free(graph);
    cafe_context_free(context);
}

static cafe_status whole(cafe_context *context, const cafe_graph *graph, const float *rows) {
    static const int32_t source[] = {0, 34}, target[] = {1, 33};
    static const uint8_t removed[] = {1, 0};
    cafe_changes *changes = NULL;
    cafe_updated *updated = NULL;
    cafe_update_options o;
    cafe_update_options_init(&o);
    o.state = state_path();
    cafe_status status =
        cafe_changes_from_edges(context, graph, 35, 2, source, target, NULL, removed, &changes);
    if (status == CAFE_OK) status = cafe_update(context, changes, K, rows, &o, &updated);
    if (status == CAFE_OK) status = cafe_updated_write(context, updated, changes, rows_path(), 1);
    cafe_updated_free(updated);
    cafe_changes_free(changes);
    return status;
}

static void memory_failures_are_survived(void **state) {
    test_failing memory;
    (void)state;
    cafe_context *context = test_failing_context(&memory, 2);
    cafe_graph *graph = test_karate(context);
    float *rows = unit_rows(TEST_KARATE_NODES, 1);
    unlink(state_path());
    for (long k = 0;; k++) {
        long live = test_failing_arm(&memory, k);
        cafe_status status = whole(context, graph, rows);
        int failed = test_failing_disarm(&memory);
        test_failing_expect(&memory, status, failed, live, context);
        if (!failed) break;
    }
    unlink(state_path());
    unlink(rows_path());
    free(rows);
    cafe_graph_free(graph);
    cafe_context_free(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(corrected_sums_are_those_of_the_changed_graph),
        cmocka_unit_test(an_update_of_everything_ends_at_a_fixed_point),
        cmocka_unit_test(days_resume_from_the_file),
        cmocka_unit_test(other_states_are_made_anew),
        cmocka_unit_test(an_undone_change_is_gone),
        cmocka_unit_test(files_have_the_same_bits_for_any_threads),
        cmocka_unit_test(almost_nothing_left_is_refused),
        cmocka_unit_test(memory_failures_are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
