/* Networks that change: changes against a graph built anew, updates against runs from scratch,
 * alignment against known rotations, placed rows against the dense gradient.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cafe-private/writers.h>

#include <cafe-private/changes.h>

#include "dense.h"
#include "failing.h"
#include "graph/graph.h"
#include "kernels/row_kernels.h"
#include "operator/operator.h"
#include "queries.h"
#include "update/update.h"

/* ---- helpers ----------------------------------------------------------------------------------
 */

/* Links to change a graph by, as arrays. */
typedef struct edits {
    int64_t count;
    int32_t *source, *target;
    uint8_t *removed;
} edits;

static edits edits_new(int64_t room) {
    edits e = {0, malloc((size_t)room * sizeof(int32_t)), malloc((size_t)room * sizeof(int32_t)),
               malloc((size_t)room)};
    return e;
}

static void edits_free(edits *e) {
    free(e->source);
    free(e->target);
    free(e->removed);
}

static void edit(edits *e, int64_t u, int64_t v, int removed) {
    e->source[e->count] = (int32_t)u;
    e->target[e->count] = (int32_t)v;
    e->removed[e->count++] = (uint8_t)removed;
}

/* Removes `share` of the edges and adds as many between random pairs that had none. */
static edits rewire(const cafe_graph *graph, double share, uint64_t seed) {
    const int64_t *offsets;
    const int32_t *targets;
    const float *weights;
    cafe_graph_csr(graph, &offsets, &targets, &weights);
    int64_t n = cafe_graph_nodes(graph), m = cafe_graph_get_counts(graph)->edges;
    int64_t wanted = (int64_t)(share * (double)m + 1), step = m / wanted, at = 0;
    edits e = edits_new(2 * wanted + 64); /* some to spare for the caller */
    for (int64_t u = 0; u < n; u++)
        for (int64_t j = offsets[u]; j < offsets[u + 1]; j++)
            if (targets[j] > u && at++ % step == 0 && e.count < wanted) edit(&e, u, targets[j], 1);
    for (int64_t added = 0; added < wanted;) {
        int64_t u = test_below(&seed, n), v = test_below(&seed, n);
        if (u == v || cafe_changes_weight(graph, u, v) > 0) continue;
        edit(&e, u, v, 0); /* the same pair again is one edge all the same */
        added++;
    }
    return e;
}

static cafe_changes *change(cafe_context *context, const cafe_graph *graph, int64_t nodes,
                            const edits *e) {
    cafe_changes *changes = NULL;
    TEST_OK(context, cafe_changes_from_edges(context, graph, nodes, e->count, e->source, e->target,
                                             NULL, e->removed, &changes));
    return changes;
}

/* The raw rows of a run, and its objective. */
static float *solve(cafe_context *context, const cafe_graph *graph, int64_t columns,
                    double tolerance, double *objective, int64_t *sweeps) {
    cafe_sampled *sampled = NULL;
    cafe_operator *op = NULL;
    cafe_solution *solution = NULL;
    cafe_sphere_options o;
    cafe_sphere_options_init(&o);
    o.columns = columns, o.tolerance = tolerance, o.sweeps = 100;
    TEST_OK(context, cafe_sample(context, graph, CAFE_SAMPLING_EDGE, NULL, NULL, &sampled));
    TEST_OK(context, cafe_operator_modularity(context, sampled, &op));
    TEST_OK(context, cafe_sphere(context, op, &o, NULL, &solution));
    float *rows = malloc((size_t)(cafe_graph_nodes(graph) * columns) * sizeof *rows);
    cafe_solution_copy(solution, rows);
    if (sweeps) *sweeps = cafe_solution_get(solution)->sweeps;
    if (objective)
        *objective = cafe_solution_get(solution)->objective[cafe_solution_get(solution)->sweeps];
    cafe_solution_free(solution);
    cafe_operator_free(op);
    cafe_sampled_free(sampled);
    return rows;
}

static double trace(cafe_context *context, const cafe_graph *graph, int64_t columns,
                    const float *rows) {
    cafe_sampled *sampled = NULL;
    cafe_operator *op = NULL;
    double value = 0;
    TEST_OK(context, cafe_sample(context, graph, CAFE_SAMPLING_EDGE, NULL, NULL, &sampled));
    TEST_OK(context, cafe_operator_modularity(context, sampled, &op));
    TEST_OK(context, test_trace(context, op, columns, rows, &value));
    cafe_operator_free(op);
    cafe_sampled_free(sampled);
    return value;
}

static cafe_graph *planted(cafe_context *context, int64_t nodes, int64_t edges, int64_t blocks) {
    cafe_generate_options o;
    cafe_graph *graph = NULL;
    cafe_generate_options_init(&o);
    o.nodes = nodes, o.edges = edges, o.blocks = blocks, o.mixing = 0.2;
    TEST_OK(context, cafe_generate(context, CAFE_GENERATOR_PLANTED, &o, &graph, NULL));
    return graph;
}

static float *copy_rows(const cafe_updated *updated) {
    cafe_update_report r = *cafe_updated_get(updated);
    float *rows = malloc((size_t)(r.nodes * r.columns) * sizeof *rows);
    cafe_updated_copy(updated, rows);
    return rows;
}

static const char *write_file(const char *text) {
    static char path[64];
    snprintf(path, sizeof path, "test_update.%ld.txt", (long)getpid());
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    return path;
}

/* ---- the changed graph ------------------------------------------------------------------------
 */

static void assert_same_rows(const cafe_graph *a, const cafe_graph *b) {
    const int64_t *ao, *bo;
    const int32_t *at, *bt;
    const float *aw, *bw;
    cafe_graph_csr(a, &ao, &at, &aw);
    cafe_graph_csr(b, &bo, &bt, &bw);
    int64_t n = cafe_graph_nodes(a);
    assert_int_equal(n, cafe_graph_nodes(b));
    assert_memory_equal(ao, bo, (size_t)(n + 1) * sizeof *ao);
    assert_memory_equal(at, bt, (size_t)ao[n] * sizeof *at);
    assert_int_equal(aw != NULL, bw != NULL);
    if (aw) assert_memory_equal(aw, bw, (size_t)ao[n] * sizeof *aw);
    cafe_graph_counts ac, bc;
    ac = *cafe_graph_get_counts(a);
    bc = *cafe_graph_get_counts(b);
    assert_int_equal(ac.edges, bc.edges);
    assert_int_equal(ac.isolated, bc.isolated);
    assert_int_equal(ac.components, bc.components);
    assert_true(ac.total_weight == bc.total_weight);
}

/* Random edits, with new nodes, against the graph of the edges that are left. */
static void changed_graph_is_the_graph_built_anew(void **state) {
    enum { N = 40, MORE = 5, M = 120 };
    (void)state;
    for (uint64_t seed = 1; seed <= 8; seed++) {
        cafe_context *context = test_context(2, 1);
        uint64_t random = seed;
        static uint8_t there[N + MORE][N + MORE];
        memset(there, 0, sizeof there);
        cafe_graph *old = test_random(context, N, M, 0, 0, seed);
        edits e = edits_new(400);
        for (int64_t u = 0; u < N; u++)
            for (int64_t v = 0; v < N; v++) there[u][v] = cafe_changes_weight(old, u, v) > 0;
        for (int i = 0; i < 200; i++) {
            int64_t u = test_below(&random, N + MORE), v = test_below(&random, N + MORE);
            if (u == v) continue;
            edit(&e, u, v, there[u][v]);
            there[u][v] = there[v][u] = !there[u][v];
        }
        test_links l = test_links_new((N + MORE) * (N + MORE));
        l.count = 0;
        for (int32_t u = 0; u < N + MORE; u++)
            for (int32_t v = 0; v < u; v++)
                if (there[u][v]) l.source[l.count] = u, l.target[l.count++] = v;
        cafe_graph *wanted = test_graph(context, N + MORE, &l, 0, NULL);
        cafe_changes *changes = change(context, old, N + MORE, &e);
        assert_same_rows(cafe_changes_graph(changes), wanted);
        cafe_changes_free(changes);
        cafe_graph_free(wanted);
        cafe_graph_free(old);
        test_links_free(&l);
        edits_free(&e);
        cafe_context_free(context);
    }
}

static void assert_name(const cafe_graph *graph, int64_t u, const char *name) {
    char text[32];
    cafe_graph_name(graph, u, text, sizeof text);
    assert_string_equal(text, name);
    assert_int_equal(cafe_graph_find(graph, name), u);
}

/* Integer names stay in order, others go to the end; weights add up and can be set anew. */
static void names_and_weights_of_a_changed_graph(void **state) {
    cafe_context *context = test_context(1, 1);
    cafe_changes *changes = NULL;
    cafe_changes_report counts;
    cafe_graph *old = NULL;
    (void)state;
    char path[64];
    snprintf(path, sizeof path, "test_update.old.%ld.txt", (long)getpid());
    FILE *file = fopen(path, "w");
    fputs("10 20 1\n20 30 2\n30 10 4\n", file);
    fclose(file);
    TEST_OK(context, cafe_graph_read(context, path, NULL, &old));
    unlink(path);
    TEST_OK(context, cafe_changes_read(context, old,
                                       write_file("# comment\n+ 010 15 2.5\n10 20 3\n- 20 30\n"
                                                  "+ 20 30 7\n+ 5 99\n- 30 10\n+ 20 20\n"),
                                       &changes));
    const cafe_graph *g = cafe_changes_graph(changes);
    const char *names[] = {"5", "10", "15", "20", "30", "99"};
    const int32_t origin[] = {-1, 0, -1, 1, 2, -1};
    for (int64_t u = 0; u < 6; u++) assert_name(g, u, names[u]);
    assert_memory_equal(cafe_changes_get(changes)->origin, origin, sizeof origin);
    assert_true(cafe_changes_weight(g, 1, 2) == 2.5f && cafe_changes_weight(g, 3, 1) == 4);
    assert_true(cafe_changes_weight(g, 3, 4) == 7 && cafe_changes_weight(g, 4, 1) == 0);
    counts = *cafe_changes_get(changes);
    assert_int_equal(counts.added, 2);
    assert_int_equal(counts.removed, 1);
    assert_int_equal(counts.reweighted, 2);
    assert_int_equal(counts.loops, 1);
    assert_int_equal(counts.new_nodes, 3);
    cafe_changes_free(changes);
    TEST_OK(context, cafe_changes_read(context, old, write_file("10 \"a b\"\n"), &changes));
    assert_name(cafe_changes_graph(changes), 0, "10");
    assert_name(cafe_changes_graph(changes), 3, "a b");
    cafe_changes_free(changes);
    cafe_graph_free(old);
    unlink(write_file(""));
    cafe_context_free(context);
}

/* Tables with a heading, in the manner of spreadsheets and data frames. */
static void tables_of_changes(void **state) {
    static const char *const same[] = {
        "source,target,change\n0,33,added\n0,1,removed\n77,33,added\n",
        "Action\tFrom\tTo\nADD\t0\t33\ndelete\t1\t0\nnew\t33\t77\n",
        "target;source;op;note\n33;0;+;\"a; b\"\n1;0;-;\n77;33;+;c\n",
    };
    cafe_context *context = test_context(1, 1);
    cafe_graph *graph = test_karate(context);
    cafe_changes *changes = NULL;
    (void)state;
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        TEST_OK(context, cafe_changes_read(context, graph, write_file(same[i]), &changes));
        const cafe_changes_report *c = cafe_changes_get(changes);
        assert_int_equal(c->added, 2);
        assert_int_equal(c->removed, 1);
        assert_int_equal(c->new_nodes, 1);
        assert_non_null(strstr(c->reading, "change column"));
        cafe_changes_free(changes);
    }
    TEST_OK(context,
            cafe_changes_read(context, graph, write_file("source,target,weight\n0,33,2.5\n0,9,\n"),
                              &changes));
    assert_true(cafe_changes_weight(cafe_changes_graph(changes), 0, 33) == 2.5f);
    assert_true(cafe_changes_weight(cafe_changes_graph(changes), 9, 0) == 1);
    cafe_changes_free(changes);
    unlink(write_file(""));
    cafe_graph_free(graph);
    cafe_context_free(context);
}

/* The difference of a graph and the changed one is the change; and back, new nodes are lost. */
static void differences_of_graphs_are_changes(void **state) {
    enum { N = 40, K = 4 };
    (void)state;
    for (uint64_t seed = 1; seed <= 6; seed++) {
        cafe_context *context = test_context(2, 1);
        cafe_graph *old = test_random(context, N, 120, seed % 2 == 0, 0, seed);
        edits e = rewire(old, 0.1, seed);
        if (seed > 2) edit(&e, N, 3, 0), edit(&e, N + 1, N, 0);
        cafe_changes *changes = change(context, old, seed > 2 ? N + 2 : N, &e), *found, *back;
        const cafe_graph *now = cafe_changes_graph(changes);
        TEST_OK(context, cafe_changes_between(context, old, now, NULL, &found));
        assert_int_equal(found->arc_count, changes->arc_count);
        assert_memory_equal(found->arcs, changes->arcs,
                            (size_t)found->arc_count * sizeof *found->arcs);
        assert_memory_equal(found->origin, changes->origin, (size_t)now->n * sizeof(int32_t));
        assert_int_equal(found->counts.touched, changes->counts.touched);
        assert_int_equal(found->counts.added, changes->counts.added);
        assert_int_equal(found->counts.removed, changes->counts.removed);
        assert_int_equal(found->same_numbers, changes->same_numbers);
        TEST_OK(context, cafe_changes_between(context, now, old, NULL, &back));
        assert_int_equal(back->counts.lost_nodes, changes->counts.new_nodes);
        assert_int_equal(back->counts.added, changes->counts.removed);
        float *rows = solve(context, now, K, 1e-3, NULL, NULL);
        cafe_updated *updated = NULL;
        cafe_update_options o;
        cafe_update_options_init(&o);
        o.degree_exponent = 0;
        TEST_OK(context, cafe_update(context, back, K, rows, &o, &updated));
        const cafe_update_report *r = cafe_updated_get(updated);
        assert_int_equal(r->nodes, N);
        assert_int_equal(r->edges, cafe_graph_get_counts(old)->edges);
        assert_true(fabs(trace(context, old, K, rows) - r->objective[0]) < 1e-6);
        cafe_updated_free(updated);
        cafe_changes_free(back);
        cafe_changes_free(found);
        cafe_changes_free(changes);
        free(rows);
        edits_free(&e);
        cafe_graph_free(old);
        cafe_context_free(context);
    }
}

/* Names in another order, and one that is gone. */
static void differences_match_nodes_by_name(void **state) {
    static const int32_t origin[] = {2, 0, -1, 1};
    cafe_context *context = test_context(1, 1);
    cafe_graph *old = NULL, *now = NULL;
    cafe_changes *changes = NULL;
    (void)state;
    TEST_OK(context,
            cafe_graph_read(context, write_file("ann bob\nbob cat\ncat dan\n"), NULL, &old));
    TEST_OK(context,
            cafe_graph_read(context, write_file("cat ann\neve bob\nbob ann\n"), NULL, &now));
    TEST_OK(context, cafe_changes_between(context, old, now, NULL, &changes));
    assert_memory_equal(cafe_changes_get(changes)->origin, origin, sizeof origin);
    const cafe_changes_report *c = cafe_changes_get(changes);
    assert_int_equal(c->added, 2);
    assert_int_equal(c->removed, 2);
    assert_int_equal(c->new_nodes, 1);
    assert_int_equal(c->lost_nodes, 1);
    cafe_changes_free(changes);
    cafe_graph_free(old);
    cafe_graph_free(now);
    unlink(write_file(""));
    cafe_context_free(context);
}

static void wrong_lines_are_named(void **state) {
    static const struct {
        const char *text, *place;
    } cases[] = {{"0 1\n- 0 9\n", ":2:1: expected an edge of the graph"},
                 {"- 0 99\n", ":1:5: expected a node of the graph"},
                 {"+ 0\n", ":1:4: expected a second node id"},
                 {"\n+ 0 1 x\n", ":2:7: expected a finite weight"},
                 {"+ 0 1 -2\n", ":1:7: expected a weight that is not negative"},
                 {"- 0 1 3\n", ":1:7: expected the end of the line"},
                 {"- 0 1\n- 1 0\n", ":2:1: expected an edge of the graph"},
                 {"source,target,change\n0,9,maybe\n", ":2:5: expected added or removed"},
                 {"source,target,change\n0,,added\n", ":2:3: expected a second node id"},
                 {"source,target,weight\n0,9,x\n", ":2:5: expected a finite weight"},
                 {"from,to,change\n0,99,-\n", ":2:3: expected a node of the graph"}};
    cafe_context *context = test_context(1, 1);
    cafe_graph *graph = test_karate(context);
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cafe_changes *changes = NULL;
        assert_int_equal(cafe_changes_read(context, graph, write_file(cases[i].text), &changes),
                         CAFE_ERROR_FORMAT);
        assert_null(changes);
        if (!strstr(cafe_error(context), cases[i].place))
            fail_msg("'%s' lacks '%s'", cafe_error(context), cases[i].place);
    }
    unlink(write_file(""));
    cafe_graph_free(graph);
    cafe_context_free(context);
}

/* ---- the update -------------------------------------------------------------------------------
 */

static void nothing_changed_changes_nothing(void **state) {
    cafe_context *context = test_context(2, 1);
    cafe_graph *graph = test_karate(context);
    cafe_updated *updated = NULL;
    cafe_update_report r;
    edits e = edits_new(4);
    (void)state;
    float *rows = solve(context, graph, 8, 1e-3, NULL, NULL);
    edit(&e, 0, 1, 0); /* is there already */
    cafe_changes *changes = change(context, graph, TEST_KARATE_NODES, &e);
    TEST_OK(context, cafe_update(context, changes, 8, rows, NULL, &updated));
    r = *cafe_updated_get(updated);
    float *now = copy_rows(updated);
    assert_memory_equal(now, rows, 8 * TEST_KARATE_NODES * sizeof *now);
    for (int i = 0; i < 64; i++) assert_true(r.rotation[i] == (i / 8 == i % 8));
    assert_true(r.rounds == 0 && r.converged && r.swept == 0 && r.arcs_summed == 0);
    assert_true(r.drift_max == 0 && r.rotation_distance == 0 && r.subspace_angle == 0);
    free(now);
    free(rows);
    cafe_updated_free(updated);
    cafe_changes_free(changes);
    cafe_graph_free(graph);
    edits_free(&e);
    cafe_context_free(context);
}

/* 1% of the edges rewired: as good as from scratch to 0.1%, for a tenth of the arcs. */
static void one_percent_costs_a_tenth(void **state) {
    enum { N = 20000, K = 16 };
    TEST_NOT_OF_THREADS();
    cafe_context *context = test_context(2, 1);
    cafe_graph *graph = planted(context, N, 200000, 50);
    cafe_updated *updated = NULL;
    cafe_update_report r;
    cafe_update_options o;
    double scratch, tolerance = 1e-4;
    int64_t sweeps;
    (void)state;
    edits e = rewire(graph, 0.01, 3);
    float *rows = solve(context, graph, K, tolerance, NULL, NULL);
    cafe_changes *changes = change(context, graph, N, &e);
    float *other = solve(context, cafe_changes_graph(changes), K, tolerance, &scratch, &sweeps);
    cafe_update_options_init(&o);
    o.degree_exponent = 0; /* rows are of Q itself */
    o.tolerance = tolerance;
    TEST_OK(context, cafe_update(context, changes, K, rows, &o, &updated));
    r = *cafe_updated_get(updated);
    float *now = copy_rows(updated);
    double after = trace(context, cafe_changes_graph(changes), K, now);
    assert_true(after >= 0.999 * scratch);
    assert_true(10 * (r.arcs_summed + r.arcs_marked) <= sweeps * r.arcs);
    assert_true(r.rounds > 0 && r.converged && r.swept < r.nodes);
    assert_true(fabs(after - r.objective[r.rounds]) < 1e-5 * after);
    assert_true(fabs(trace(context, cafe_changes_graph(changes), K, rows) - r.objective[0]) < 1e-6);
    for (int64_t i = 0; i < r.rounds; i++) assert_true(r.objective[i + 1] >= r.objective[i]);
    assert_true(r.drift_max > 0 && r.drift_mean < r.drift_max);
    free(now);
    free(other);
    free(rows);
    cafe_updated_free(updated);
    cafe_changes_free(changes);
    edits_free(&e);
    cafe_graph_free(graph);
    cafe_context_free(context);
}

/* Everything the change can reach, to the end: never falls, and as far as a full warm run. */
static void objective_never_falls(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 6; seed++) {
        cafe_context *context = test_context(2, seed);
        cafe_graph *graph = planted(context, 600, 4000, 6);
        cafe_updated *updated = NULL;
        cafe_update_report r;
        cafe_update_options o;
        edits e = rewire(graph, 0.3, seed);
        float *rows = solve(context, graph, 5, 1e-3, NULL, NULL);
        cafe_changes *changes = change(context, graph, 600, &e);
        cafe_update_options_init(&o);
        o.degree_exponent = 0; /* rows are of Q itself */
        o.spread = 0, o.tolerance = 0, o.sweeps = 30;
        TEST_OK(context, cafe_update(context, changes, 5, rows, &o, &updated));
        r = *cafe_updated_get(updated);
        assert_int_equal(r.rounds, 30);
        for (int64_t i = 0; i < r.rounds; i++)
            assert_true(r.objective[i + 1] >= r.objective[i] - 1e-7);
        float *now = copy_rows(updated);
        double after = trace(context, cafe_changes_graph(changes), 5, now);
        assert_true(fabs(after - r.objective[r.rounds]) < 1e-5);
        free(now);
        free(rows);
        cafe_updated_free(updated);
        cafe_changes_free(changes);
        edits_free(&e);
        cafe_graph_free(graph);
        cafe_context_free(context);
    }
}

static void threads_give_the_same_bits(void **state) {
    enum { N = 3000, K = 12 };
    float *first = NULL;
    int64_t work = 0;
    (void)state;
    for (size_t t = 0; t < TEST_THREADS; t++) {
        cafe_context *context = test_context(test_thread_counts[t], 1);
        cafe_graph *graph = planted(context, N, 20000, 10);
        cafe_updated *updated = NULL;
        cafe_update_report r;
        edits e = rewire(graph, 0.05, 5);
        for (int i = 0; i < 20; i++) edit(&e, N + i % 4, 7 * i, 0);
        float *rows = solve(context, graph, K, 1e-3, NULL, NULL);
        cafe_changes *changes = change(context, graph, N + 4, &e);
        TEST_OK(context, cafe_update(context, changes, K, rows, NULL, &updated));
        r = *cafe_updated_get(updated);
        float *now = copy_rows(updated);
        if (!first) {
            first = now;
            work = r.arcs_summed + r.arcs_marked;
        } else {
            assert_memory_equal(now, first, (N + 4) * K * sizeof *now);
            assert_int_equal(r.arcs_summed + r.arcs_marked, work);
            free(now);
        }
        free(rows);
        cafe_updated_free(updated);
        cafe_changes_free(changes);
        edits_free(&e);
        cafe_graph_free(graph);
        cafe_context_free(context);
    }
    free(first);
}

/* A node that loses all its edges keeps its row; new nodes get rows of length 1, also those linked
 * only to new nodes. */
static void isolated_and_new_nodes(void **state) {
    enum { N = TEST_KARATE_NODES, K = 6 };
    cafe_context *context = test_context(1, 1);
    cafe_graph *graph = test_karate(context);
    cafe_updated *updated = NULL;
    cafe_update_options o;
    cafe_update_report r;
    edits e = edits_new(64);
    (void)state;
    float *rows = solve(context, graph, K, 1e-3, NULL, NULL);
    edit(&e, 11, 0, 1); /* node 11 has this edge alone */
    edit(&e, N, 33, 0);
    edit(&e, N, 32, 0);
    edit(&e, N + 1, N, 0);
    edit(&e, N + 2, N + 3, 0); /* a pair of its own */
    edit(&e, N + 4, 0, 0);     /* comes and goes */
    edit(&e, N + 4, 0, 1);
    cafe_changes *changes = change(context, graph, N + 5, &e);
    cafe_update_options_init(&o);
    o.degree_exponent = 0; /* rows are of Q itself */
    o.align = 0;
    TEST_OK(context, cafe_update(context, changes, K, rows, &o, &updated));
    r = *cafe_updated_get(updated);
    float *now = copy_rows(updated);
    assert_memory_equal(now + 11 * K, rows + 11 * K, K * sizeof *now);
    double near = 0;
    for (int64_t u = 0; u < N + 5; u++) {
        double square = 0;
        for (int k = 0; k < K; k++) square += (double)now[u * K + k] * now[u * K + k];
        assert_true(fabs(square - 1) < 1e-5);
        assert_int_equal(r.drift[u] < 0, u >= N);
    }
    for (int k = 0; k < K; k++) near += (double)now[N * K + k] * now[33 * K + k];
    assert_true(near > 0.5);
    free(now);
    free(rows);
    cafe_updated_free(updated);
    cafe_changes_free(changes);
    cafe_graph_free(graph);
    edits_free(&e);
    cafe_context_free(context);
}

static void other_rows_are_refused(void **state) {
    cafe_context *context = test_context(1, 1);
    cafe_graph *graph = test_karate(context);
    cafe_updated *updated = NULL;
    edits e = edits_new(1);
    (void)state;
    float *rows = solve(context, graph, 4, 1e-3, NULL, NULL);
    cafe_changes *changes = change(context, graph, TEST_KARATE_NODES, &e);
    for (int k = 0; k < 4; k++) rows[12 + k] *= 2;
    assert_int_equal(cafe_update(context, changes, 4, rows, NULL, &updated), CAFE_ERROR_ARGUMENT);
    assert_non_null(strstr(cafe_error(context), "row 3"));
    rows[12] = NAN;
    assert_int_equal(cafe_update(context, changes, 4, rows, NULL, &updated), CAFE_ERROR_ARGUMENT);
    free(rows);
    cafe_changes_free(changes);
    cafe_graph_free(graph);
    edits_free(&e);
    cafe_context_free(context);
}

/* ---- alignment --------------------------------------------------------------------------------
 */

/* Rows turned by a known rotation are turned back. */
static void alignment_undoes_a_rotation(void **state) {
    enum { N = 200, K = 4 };
    cafe_context *context = test_context(2, 1);
    double rotation[K * K], weights[N], c = cos(0.7), s = sin(0.7);
    cafe_alignment found;
    int64_t stride = cafe_stride(K);
    (void)state;
    float *before = test_block(N, stride, 9), *now = malloc((size_t)(N * stride) * sizeof *now);
    for (int64_t u = 0; u < N; u++) {
        float *b = before + u * stride, *a = now + u * stride;
        weights[u] = 1.0 / (double)(u + 1);
        memcpy(a, b, (size_t)stride * sizeof *a);
        a[0] = (float)(c * b[0] - s * b[2]);
        a[2] = (float)(s * b[0] + c * b[2]);
        a[1] = -b[1];
    }
    TEST_OK(context,
            cafe_align(context, N, K, stride, before, now, weights, true, rotation, &found));
    for (int64_t i = 0; i < N * stride; i++) assert_true(fabs(now[i] - before[i]) < 1e-5);
    assert_true(found.largest < 1e-3 && found.distance > 1);
    for (int i = 0; i < K; i++)
        for (int j = 0; j < K; j++) {
            double dot = 0;
            for (int k = 0; k < K; k++) dot += rotation[i * K + k] * rotation[j * K + k];
            assert_true(fabs(dot - (i == j)) < 1e-12);
        }
    free(before);
    free(now);
    cafe_context_free(context);
}

/* Few moved rows: the rotation is the one that makes the weighted distance least, so no small
 * further turn makes it less. */
static void few_moves_are_aligned_as_well(void **state) {
    enum { N = 300, K = 4 };
    cafe_context *context = test_context(2, 1);
    double rotation[K * K];
    cafe_alignment found;
    int64_t stride = cafe_stride(K);
    (void)state;
    float *before = test_block(N, stride, 4), *now = malloc((size_t)(N * stride) * sizeof *now);
    memcpy(now, before, (size_t)(N * stride) * sizeof *now);
    for (int64_t i = 0; i < 60 * stride; i += 2) now[i] += 0.3f * now[i + 1];
    TEST_OK(context, cafe_align(context, N, K, stride, before, now, NULL, true, rotation, &found));
    assert_true(found.distance > 1e-4 && found.largest > 1e-3);
    for (int a = 0; a < K; a++) /* d/dt of ||N exp(t S) - B||^2 at 0 for every plane (a,b) */
        for (int b = 0; b < a; b++) {
            double slope = 0;
            for (int64_t u = 0; u < N; u++) {
                const float *x = now + u * stride, *y = before + u * stride;
                slope += (double)x[a] * y[b] - (double)x[b] * y[a];
            }
            assert_true(fabs(slope) < 1e-3);
        }
    free(before);
    free(now);
    cafe_context_free(context);
}

/* A column replaced by one orthogonal to all: the largest angle is a right one, the mean a third of
 * it. */
static void subspace_angles(void **state) {
    enum { N = 8, K = 3 };
    cafe_context *context = test_context(1, 1);
    int64_t stride = cafe_stride(K);
    double rotation[K * K];
    cafe_alignment found;
    float before[N * 4] = {0}, now[N * 4] = {0};
    (void)state;
    assert_int_equal(stride, 4);
    for (int k = 0; k < K; k++) before[k * 4 + k] = now[k * 4 + k] = 1;
    now[2 * 4 + 2] = 0, now[5 * 4 + 2] = 1;
    TEST_OK(context, cafe_align(context, N, K, stride, before, now, NULL, false, rotation, &found));
    assert_true(fabs(found.largest - acos(0)) < 1e-6 && fabs(found.mean - acos(0) / 3) < 1e-6);
    cafe_context_free(context);
}

/* ---- communities ------------------------------------------------------------------------------
 */

static void communities_come_and_go(void **state) {
    /* old 0 stays, 1 splits into new 1 and 2, 2 and 3 merge into new 3, 4 is scattered, new 4 is
     * born of new nodes */
    static const int32_t before[] = {0, 0, 0, 1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 4, -1, -1};
    static const int32_t after[] = {0, 0, 0, 1, 1, 2, 2, 3, 3, 3, 3, 0, 1, 3, 4, 4};
    enum { N = sizeof before / sizeof *before };
    double drift[N];
    cafe_context *context = test_context(1, 1);
    cafe_transition *t = NULL;
    cafe_transition_report r;
    (void)state;
    for (int u = 0; u < N; u++) drift[u] = before[u] < 0 ? -1 : 0.5 * before[u];
    TEST_OK(context, cafe_transition_find(context, N, before, after, drift, NULL, &t));
    r = *cafe_transition_get(t);
    assert_int_equal(r.old_count, 5);
    assert_int_equal(r.new_count, 5);
    assert_int_equal(r.born, 1);
    assert_int_equal(r.died, 1);
    assert_int_equal(r.split, 1);
    assert_int_equal(r.merged, 1);
    assert_int_equal(r.heir[0], 0);
    assert_int_equal(r.parent[0], 0);
    assert_int_equal(r.pieces[1], 2);
    assert_int_equal(r.sources[3], 2);
    assert_int_equal(r.heir[4], -1);
    assert_int_equal(r.parent[4], -1);
    for (int c = 0; c < 5; c++) assert_true(fabs(r.old_drift[c] - 0.5 * c) < 1e-12);
    cafe_transition_free(t);
    cafe_context_free(context);
}

/* ---- placing ----------------------------------------------------------------------------------
 */

/* A placed raw row has the direction of the dense gradient on the graph with the node in it. */
static void placed_rows_are_exact_updates(void **state) {
    enum { N = TEST_KARATE_NODES, K = 5 };
    static const int32_t targets[] = {33, 32, 8};
    static const int64_t offsets[] = {0, 3};
    cafe_context *context = test_context(2, 1);
    cafe_graph *graph = test_karate(context);
    cafe_new_links *links = NULL;
    cafe_place_options o;
    float placed[K];
    double p[N + 1], z[K] = {0}, length = 0;
    edits e = edits_new(3);
    (void)state;
    float *rows = solve(context, graph, K, 1e-3, NULL, NULL);
    TEST_OK(context, cafe_new_links_from_csr(context, graph, 1, offsets, targets, NULL, &links));
    cafe_place_options_init(&o);
    o.degree_exponent = 0; /* vectors are of Q itself */
    TEST_OK(context, cafe_place_nodes(context, graph, K, rows, links, &o, placed));
    for (int i = 0; i < 3; i++) edit(&e, N, targets[i], 0);
    cafe_changes *changes = change(context, graph, N + 1, &e);
    double *q = test_dense_q(cafe_changes_graph(changes), p);
    for (int64_t w = 0; w < N; w++)
        for (int k = 0; k < K; k++) z[k] += q[N * (N + 1) + w] * rows[w * K + k];
    for (int k = 0; k < K; k++) length += z[k] * z[k];
    for (int k = 0; k < K; k++) assert_true(fabs(placed[k] - z[k] / sqrt(length)) < 1e-5);
    free(q);
    free(rows);
    cafe_new_links_free(links);
    cafe_changes_free(changes);
    cafe_graph_free(graph);
    edits_free(&e);
    cafe_context_free(context);
}

/* Eigenvectors: a node of the graph, placed by its own links, lands where it is. */
static void placed_columns_reproduce_eigenvectors(void **state) {
    enum { K = 3 };
    static const cafe_form forms[] = {CAFE_FORM_WALK, CAFE_FORM_RITZ, CAFE_FORM_SCALED};
    static const cafe_place_form places[] = {CAFE_PLACE_WALK, CAFE_PLACE_RITZ, CAFE_PLACE_SCALED};
    cafe_context *context = test_context(2, 1);
    cafe_graph *graph = test_karate(context);
    const int64_t *offsets;
    const int32_t *targets;
    const float *weights;
    (void)state;
    cafe_graph_csr(graph, &offsets, &targets, &weights);
    for (int f = 0; f < 3; f++) {
        cafe_sphere_options sphere;
        cafe_finish_options finish;
        cafe_place_options o;
        cafe_embedding *embedding = NULL;
        cafe_new_links *links = NULL;
        cafe_sphere_options_init(&sphere);
        cafe_finish_options_init(&finish);
        cafe_place_options_init(&o);
        o.degree_exponent = 0; /* vectors are of Q itself */
        sphere.columns = K, finish.form = forms[f], finish.residual = 1e-4, o.form = places[f];
        embedding = test_embed(context, graph, &sphere, &finish);
        int64_t columns = cafe_embedding_certificate(embedding)->columns,
                cells = TEST_KARATE_NODES * columns;
        float *v = malloc((size_t)cells * sizeof *v), *again = malloc((size_t)cells * sizeof *v);
        cafe_embedding_copy(embedding, v);
        TEST_OK(context, cafe_new_links_from_csr(context, graph, TEST_KARATE_NODES, offsets,
                                                 targets, weights, &links));
        TEST_OK(context, cafe_place_nodes(context, graph, columns, v, links, &o, again));
        double error = 0, size = 0;
        for (int64_t i = 0; i < cells; i++) {
            error += pow((double)again[i] - v[i], 2);
            size += pow(v[i], 2);
        }
        assert_true(sqrt(error / size) < 0.01);
        free(v);
        free(again);
        cafe_new_links_free(links);
        cafe_embedding_free(embedding);
    }
    cafe_graph_free(graph);
    cafe_context_free(context);
}

/* The scaled form as it comes. The map is the best one for the rows: its errors are small and
 * orthogonal to its data. Rows of another form are refused. */
static void placed_rows_of_the_scaled_form_are_least_squares(void **state) {
    enum { K = 4, N = TEST_KARATE_NODES };
    cafe_context *context = test_context(2, 1);
    cafe_graph *graph = test_karate(context);
    const int64_t *offsets;
    const int32_t *targets;
    const float *weights;
    cafe_sphere_options sphere;
    cafe_place_options o;
    cafe_new_links *links = NULL;
    float v[N * K], again[N * K];
    double p[N], *q = test_dense_q(graph, p), image[K][N], error = 0, size = 0;
    (void)state;
    cafe_graph_csr(graph, &offsets, &targets, &weights);
    cafe_sphere_options_init(&sphere);
    cafe_place_options_init(&o);
    o.degree_exponent = 0; /* vectors are of Q itself */
    sphere.columns = K, o.form = CAFE_PLACE_SCALED;
    cafe_embedding *embedding = test_embed(context, graph, &sphere, NULL);
    assert_int_equal(cafe_embedding_certificate(embedding)->columns, K);
    cafe_embedding_copy(embedding, v);
    TEST_OK(context, cafe_new_links_from_csr(context, graph, N, offsets, targets, weights, &links));
    TEST_OK(context, cafe_place_nodes(context, graph, K, v, links, &o, again));
    for (int64_t i = 0; i < K; i++) test_dense_times(N, q, v, K, i, image[i]);
    for (int64_t i = 0; i < K * K; i++) { /* W^T D (placed - Z) = 0, D W = Q Z */
        double sum = 0, whole = 0;
        for (int64_t u = 0; u < N; u++) {
            sum += image[i / K][u] * ((double)again[u * K + i % K] - v[u * K + i % K]);
            whole += fabs(image[i / K][u] * v[u * K + i % K]);
        }
        assert_true(fabs(sum) < 1e-5 * whole);
    }
    for (int64_t i = 0; i < N * K; i++) {
        error += p[i / K] * pow((double)again[i] - v[i], 2);
        size += p[i / K] * pow(v[i], 2);
    }
    assert_true(sqrt(error / size) < 0.3);
    for (int64_t i = 0; i < N * K; i++) v[i] += 1;
    assert_int_equal(cafe_place_nodes(context, graph, K, v, links, &o, again), CAFE_ERROR_ARGUMENT);
    assert_non_null(strstr(cafe_error(context), "scaled form"));
    free(q);
    cafe_new_links_free(links);
    cafe_embedding_free(embedding);
    cafe_graph_free(graph);
    cafe_context_free(context);
}

static void wrong_links_are_named(void **state) {
    static const struct {
        const char *text, *place;
    } cases[] = {{"x 1\nx 99\n", ":2:3: expected a node of the graph"},
                 {"3 1\n", ":1:1: expected a new node"},
                 {"x\n", ":1:2: expected a node of the graph"},
                 {"# nothing\n", "no edges found"}};
    cafe_context *context = test_context(1, 1);
    cafe_graph *graph = test_karate(context);
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cafe_new_links *links = NULL;
        assert_int_equal(cafe_new_links_read(context, graph, write_file(cases[i].text), &links),
                         CAFE_ERROR_FORMAT);
        if (!strstr(cafe_error(context), cases[i].place))
            fail_msg("'%s' lacks '%s'", cafe_error(context), cases[i].place);
    }
    unlink(write_file(""));
    cafe_graph_free(graph);
    cafe_context_free(context);
}

/* ---- memory -----------------------------------------------------------------------------------
 */

static const char *vectors_path(void) {
    static char path[64];
    snprintf(path, sizeof path, "test_update.%ld.tsv", (long)getpid());
    return path;
}

static cafe_status whole_update(cafe_context *context, const cafe_graph *graph, const char *path,
                                const float *rows) {
    static const int32_t part[TEST_KARATE_NODES + 2] = {0, 1, 1};
    cafe_changes *changes = NULL;
    cafe_updated *updated = NULL;
    cafe_transition *transition = NULL;
    cafe_status status = cafe_changes_read(context, graph, path, &changes);
    if (status == CAFE_OK) status = cafe_update(context, changes, 4, rows, NULL, &updated);
    if (status == CAFE_OK)
        status = cafe_updated_write(context, updated, changes, vectors_path(), 1);
    if (status == CAFE_OK)
        status =
            cafe_transition_find(context, TEST_KARATE_NODES, part, part, NULL, NULL, &transition);
    cafe_transition_free(transition);
    cafe_updated_free(updated);
    cafe_changes_free(changes);
    return status;
}

static cafe_status whole_place(cafe_context *context, const cafe_graph *graph, const char *path,
                               const float *rows) {
    float placed[2 * 4], walk[TEST_KARATE_NODES * 4];
    cafe_new_links *links = NULL;
    cafe_place_options o;
    cafe_place_options_init(&o);
    o.degree_exponent = 0; /* vectors are of Q itself */
    o.form = CAFE_PLACE_WALK;
    for (int i = 0; i < TEST_KARATE_NODES * 4; i++) walk[i] = 2 * rows[i]; /* not of length 1 */
    cafe_status status = cafe_new_links_read(context, graph, path, &links);
    if (status == CAFE_OK) status = cafe_place_nodes(context, graph, 4, walk, links, &o, placed);
    if (status == CAFE_OK) status = cafe_placed_write(context, links, 4, placed, vectors_path(), 1);
    cafe_new_links_free(links);
    return status;
}

static cafe_status from_arrays(cafe_context *context, const cafe_graph *graph, const char *path,
                               const float *rows) {
    static const int32_t source[] = {0, 34}, target[] = {1, 33};
    static const uint8_t removed[] = {1, 0};
    static const int64_t offsets[] = {0, 2};
    cafe_changes *changes = NULL;
    cafe_new_links *links = NULL;
    (void)path;
    (void)rows;
    cafe_status status =
        cafe_changes_from_edges(context, graph, 35, 2, source, target, NULL, removed, &changes);
    if (status == CAFE_OK)
        status = cafe_new_links_from_csr(context, graph, 1, offsets, target, NULL, &links);
    cafe_new_links_free(links);
    cafe_changes_free(changes);
    return status;
}

static void fail_everywhere(const char *text,
                            cafe_status (*call)(cafe_context *, const cafe_graph *, const char *,
                                                const float *)) {
    test_failing memory;
    cafe_context *context = test_failing_context(&memory, 2);
    cafe_graph *graph = test_karate(context);
    float *rows = solve(context, graph, 4, 1e-3, NULL, NULL);
    const char *path = write_file(text);
    for (long k = 0;; k++) {
        long live = test_failing_arm(&memory, k);
        cafe_status status = call(context, graph, path, rows);
        int failed = test_failing_disarm(&memory);
        test_failing_expect(&memory, status, failed, live, context);
        if (!failed) break;
    }
    unlink(path);
    free(rows);
    cafe_graph_free(graph);
    cafe_context_free(context);
}

static void memory_failures_are_survived(void **state) {
    (void)state;
    fail_everywhere("- 0 1\n+ 0 9\n+ new 33\n+ 77 new\n", whole_update);
    fail_everywhere("- 0 1\n+ 0 9 2\n+ 50 33\n", whole_update);
    fail_everywhere("a 1\nb 33 2\na 2\n", whole_place);
    fail_everywhere("", from_arrays);
    unlink(vectors_path());
}

/* Any bytes are read or refused, never more than that. */
static void any_bytes_are_read_or_refused(void **state) {
    static const char bytes[] = "+- 0123459\n\n ,;\t\"ax.e#\r\xc3";
    cafe_context *context = test_context(1, 1);
    cafe_graph *graph = test_karate(context);
    uint64_t random = 11;
    int read = 0;
    (void)state;
    for (int i = 0; i < 1500; i++) {
        char text[64] = "";
        cafe_changes *changes = NULL;
        cafe_new_links *links = NULL;
        int64_t length = test_below(&random, 24);
        for (int64_t j = 0; j < length; j++) text[j] = bytes[test_below(&random, sizeof bytes - 1)];
        const char *path = write_file(text);
        cafe_status status = cafe_changes_read(context, graph, path, &changes);
        assert_true(status == CAFE_OK || status == CAFE_ERROR_FORMAT);
        read += status == CAFE_OK;
        cafe_changes_free(changes);
        status = cafe_new_links_read(context, graph, path, &links);
        assert_true(status == CAFE_OK || status == CAFE_ERROR_FORMAT);
        cafe_new_links_free(links);
    }
    assert_true(read > 10);
    unlink(write_file(""));
    cafe_graph_free(graph);
    cafe_context_free(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(changed_graph_is_the_graph_built_anew),
        cmocka_unit_test(names_and_weights_of_a_changed_graph),
        cmocka_unit_test(tables_of_changes),
        cmocka_unit_test(differences_of_graphs_are_changes),
        cmocka_unit_test(differences_match_nodes_by_name),
        cmocka_unit_test(wrong_lines_are_named),
        cmocka_unit_test(nothing_changed_changes_nothing),
        cmocka_unit_test(one_percent_costs_a_tenth),
        cmocka_unit_test(objective_never_falls),
        cmocka_unit_test(threads_give_the_same_bits),
        cmocka_unit_test(isolated_and_new_nodes),
        cmocka_unit_test(other_rows_are_refused),
        cmocka_unit_test(alignment_undoes_a_rotation),
        cmocka_unit_test(few_moves_are_aligned_as_well),
        cmocka_unit_test(subspace_angles),
        cmocka_unit_test(communities_come_and_go),
        cmocka_unit_test(placed_rows_are_exact_updates),
        cmocka_unit_test(placed_columns_reproduce_eigenvectors),
        cmocka_unit_test(placed_rows_of_the_scaled_form_are_least_squares),
        cmocka_unit_test(wrong_links_are_named),
        cmocka_unit_test(memory_failures_are_survived),
        cmocka_unit_test(any_bytes_are_read_or_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
