/* Trials: random graphs keep the degrees and are all as frequent, and the consensus is no worse
 * than any trial and near the best. Shares are those of their definition, and the test of
 * communities errs as often as it should. */
#include "explain/consensus.h"
#include "failing.h"
#include "graph/edge_swaps.h"
#include "graph/graph.h"
#include "graphs.h"

#include <math.h>
#include <stdbool.h>

/* ---- random graphs --------------------------------------------------------------------------- */

static int compare_floats(const void *a, const void *b) {
    float x = *(const float *)a, y = *(const float *)b;
    return x < y ? -1 : x > y;
}

static void expect_same_weights(const cafe_graph *a, const cafe_graph *b) {
    size_t bytes = (size_t)a->arcs * sizeof(float);
    float *x = malloc(bytes + 1), *y = malloc(bytes + 1);
    memcpy(x, a->weights, bytes);
    memcpy(y, b->weights, bytes);
    qsort(x, (size_t)a->arcs, sizeof *x, compare_floats);
    qsort(y, (size_t)a->arcs, sizeof *y, compare_floats);
    assert_memory_equal(x, y, bytes);
    free(x);
    free(y);
}

static bool has(const cafe_graph *g, int64_t u, int32_t w) {
    for (int64_t i = g->offsets[u]; i < g->offsets[u + 1]; i++)
        if (g->targets[i] == w) return true;
    return false;
}

static void degrees_weights_and_loops_stay(void **state) {
    (void)state;
    cafe_context *context = test_context(1, 3);
    for (int32_t kind = 0; kind < 4; kind++) {
        cafe_graph *g = test_random(context, 300, 1500, kind & 1, kind & 2, 7 + (uint64_t)kind);
        cafe_graph *random;
        int64_t kept = 0;
        TEST_OK(context, cafe_graph_swap_edges(context, g, 0, &random));
        assert_int_equal(random->arcs, g->arcs);
        assert_memory_equal(random->offsets, g->offsets, (size_t)(g->n + 1) * sizeof *g->offsets);
        for (int64_t u = 0; u < g->n; u++) {
            assert_int_equal(has(random, u, (int32_t)u), has(g, u, (int32_t)u));
            for (int64_t i = g->offsets[u]; i < g->offsets[u + 1]; i++)
                kept += has(random, u, g->targets[i]);
        }
        assert_true(kept < g->arcs / 6);
        if (g->weights) expect_same_weights(g, random);
        cafe_graph_free(random);
        cafe_graph_free(g);
    }
    cafe_context_free(context);
}

/* Six nodes of one edge each are paired in 15 ways. */
static void all_graphs_are_as_frequent(void **state) {
    (void)state;
    enum { DRAWS = 3000, PAIRS = 36 };
    cafe_context *context = test_context(1, 3);
    test_links l = test_links_new(3);
    int64_t times[PAIRS * PAIRS] = {0}, ways = 0;
    double square = 0;
    for (int32_t i = 0; i < 3; i++) l.source[i] = 2 * i, l.target[i] = 2 * i + 1;
    cafe_graph *g = test_graph(context, 6, &l, 0, NULL), *random;
    for (uint32_t draw = 0; draw < DRAWS; draw++) {
        TEST_OK(context, cafe_graph_swap_edges(context, g, draw, &random));
        int32_t first = random->targets[0], other = first == 1 ? 2 : 1;
        times[first * PAIRS + random->targets[other]]++;
        cafe_graph_free(random);
    }
    for (int i = 0; i < PAIRS * PAIRS; i++) {
        if (times[i] == 0) continue;
        double off = (double)times[i] - DRAWS / 15.0;
        square += off * off / (DRAWS / 15.0);
        ways++;
    }
    assert_int_equal(ways, 15);
    assert_true(square < 36); /* 14 degrees of freedom: one in a thousand is above */
    test_links_free(&l);
    cafe_graph_free(g);
    cafe_context_free(context);
}

/* ---- consensus ------------------------------------------------------------------------------- */

enum { MOST_NODES = 60, MOST_TRIALS = 9 };

typedef struct sample {
    int32_t part[MOST_TRIALS][MOST_NODES], *rows[MOST_TRIALS];
    int64_t communities[MOST_TRIALS];
    cafe_partitions all;
} sample;

/* Partitions that agree with a common one on most nodes. */
static void draw(sample *s, int64_t nodes, int64_t trials, int64_t kinds, int64_t noise,
                 uint64_t *seed) {
    for (int64_t t = 0; t < trials; t++) {
        int32_t number[MOST_NODES];
        memset(number, -1, sizeof number);
        s->communities[t] = 0;
        for (int64_t u = 0; u < nodes; u++) {
            int64_t kind = test_below(seed, 100) < noise ? test_below(seed, kinds) : u % kinds;
            if (number[kind] < 0) number[kind] = (int32_t)s->communities[t]++;
            s->part[t][u] = number[kind];
        }
        s->rows[t] = s->part[t];
    }
    s->all = (cafe_partitions){nodes, trials, s->rows, s->communities};
}

/* F by pairs of nodes: over ordered pairs, a node with itself included. */
static double agreement_of(const sample *s, const int32_t *part) {
    double sum = 0;
    for (int64_t u = 0; u < s->all.nodes; u++)
        for (int64_t w = 0; w < s->all.nodes; w++)
            for (int64_t t = 0; t < s->all.count && part[u] == part[w]; t++)
                sum += (s->part[t][u] == s->part[t][w]) - 0.5;
    return sum;
}

static void the_consensus_agrees_with_more_than_any_trial(void **state) {
    (void)state;
    cafe_context *context = test_context(2, 3);
    uint64_t seed = 11;
    sample s;
    for (int round = 0; round < 60; round++) {
        int32_t part[MOST_NODES];
        int64_t communities, nodes = 20 + test_below(&seed, 40);
        draw(&s, nodes, 1 + test_below(&seed, MOST_TRIALS), 1 + test_below(&seed, 8),
             test_below(&seed, 90), &seed);
        TEST_OK(context, cafe_consensus_find(context, &s.all, part, &communities));
        double found = agreement_of(&s, part);
        for (int64_t t = 0; t < s.all.count; t++) assert_true(found >= agreement_of(&s, s.part[t]));
        for (int64_t u = 0; u < nodes; u++) { /* no node moves, if it is a group of its own */
            int32_t own = part[u];
            for (int64_t w = 0; w < nodes; w++) {
                bool together = true;
                for (int64_t t = 0; t < s.all.count; t++) together &= s.part[t][u] == s.part[t][w];
                if (together && w != u) goto next;
            }
            for (part[u] = 0; part[u] <= communities; part[u]++)
                assert_true(agreement_of(&s, part) <= found);
        next:
            part[u] = own;
        }
    }
    cafe_context_free(context);
}

/* The best of all partitions of nodes u.. with the others as they are. */
static double best_from(const sample *s, int32_t *part, int64_t u, int32_t used) {
    double best = -1e300;
    if (u == s->all.nodes) return agreement_of(s, part);
    for (part[u] = 0; part[u] <= used; part[u]++) {
        double found = best_from(s, part, u + 1, part[u] == used ? used + 1 : used);
        if (found > best) best = found;
    }
    return best;
}

static void the_consensus_is_nearly_the_best(void **state) {
    (void)state;
    enum { ROUNDS = 40, NODES = 7 };
    cafe_context *context = test_context(1, 3);
    uint64_t seed = 5;
    int best = 0;
    sample s;
    for (int round = 0; round < ROUNDS; round++) {
        int32_t part[NODES];
        int64_t communities;
        draw(&s, NODES, 5, 3, 60, &seed);
        TEST_OK(context, cafe_consensus_find(context, &s.all, part, &communities));
        double found = agreement_of(&s, part);
        best += found >= best_from(&s, part, 0, 0) - 1e-9;
    }
    assert_true(best >= ROUNDS * 9 / 10);
    cafe_context_free(context);
}

static void shares_are_those_of_the_definition(void **state) {
    (void)state;
    cafe_context *context = test_context(1, 3);
    uint64_t seed = 9;
    sample s;
    draw(&s, 50, 7, 4, 40, &seed);
    int32_t counterpart[7 * MOST_NODES], *part = s.part[0];
    float stay[MOST_NODES];
    TEST_OK(context, cafe_consensus_counterparts(context, &s.all, part, s.communities[0],
                                                 counterpart, stay));
    int64_t stays[MOST_NODES] = {0};
    for (int64_t t = 0; t < 7; t++)
        for (int32_t c = 0; c < s.communities[0]; c++) {
            int64_t most = 0, size;
            int32_t best = -1;
            for (int32_t d = 0; d < s.communities[t]; d++) {
                size = 0;
                for (int u = 0; u < 50; u++) size += part[u] == c && s.part[t][u] == d;
                if (size > most) most = size, best = d;
            }
            assert_int_equal(counterpart[t * s.communities[0] + c], best);
            for (int u = 0; u < 50; u++) stays[u] += part[u] == c && s.part[t][u] == best;
        }
    for (int u = 0; u < 50; u++) assert_true(fabsf(stay[u] - (float)stays[u] / 7) < 1e-6f);
    cafe_context_free(context);
}

/* ---- runs ------------------------------------------------------------------------------------ */

static cafe_status try_graph(cafe_context *context, const cafe_graph *graph, const char *trials,
                             cafe_run **run) {
    *run = NULL;
    cafe_status status = cafe_run_create(context, CAFE_PURPOSE_COMMUNITIES, NULL, run);
    if (status == CAFE_OK) status = cafe_run_set(*run, "trials", trials);
    if (status == CAFE_OK) status = cafe_run_set(*run, "profile", "0.5:2:2");
    if (status == CAFE_OK) status = cafe_run_graph(*run, graph, NULL, NULL);
    if (status == CAFE_OK) status = cafe_run_go(*run);
    return status;
}

/* Edges between random nodes; `groups` of equal size have them inside with 4 in 5. */
static cafe_graph *make_random(cafe_context *context, int64_t groups, uint64_t seed) {
    enum { NODES = 80, EDGES = 320 };
    test_links l = test_links_new(EDGES);
    for (int64_t i = 0; i < EDGES; i++) {
        int64_t u = test_below(&seed, NODES), w = test_below(&seed, NODES);
        if (test_below(&seed, 5) < 4) w = w / groups * groups + u % groups;
        l.source[i] = (int32_t)u;
        l.target[i] = (int32_t)(w % NODES);
    }
    cafe_graph *graph = test_graph(context, NODES, &l, 0, NULL);
    test_links_free(&l);
    return graph;
}

static double p_of(cafe_context *context, cafe_graph *graph, double *z) {
    cafe_run *run;
    TEST_OK(context, try_graph(context, graph, "19", &run));
    double p = cafe_run_get(run)->trials->p;
    *z = cafe_run_get(run)->trials->z;
    cafe_run_free(run);
    cafe_graph_free(graph);
    return p;
}

/* p is at most 0.05 in one of twenty graphs without communities, and in all with some. */
static void communities_are_told_from_chance(void **state) {
    (void)state;
    TEST_NOT_OF_THREADS();
    cafe_context *context = test_context(1, 3);
    int wrong = 0;
    double z, sum = 0;
    for (uint64_t i = 0; i < 60; i++) {
        wrong += p_of(context, make_random(context, 1, i), &z) <= 0.05;
        sum += z;
    }
    assert_true(wrong <= 9); /* of 60: more by chance once in a thousand */
    assert_true(fabs(sum / 60) < 0.6);
    for (uint64_t i = 0; i < 5; i++) {
        assert_true(p_of(context, make_random(context, 4, i), &z) <= 0.05);
        assert_true(z > 5);
    }
    assert_true(p_of(context, test_karate(context), &z) <= 0.05);
    assert_true(p_of(context, test_bipartite(context, 1, 9), &z) == 1 && isnan(z));
    cafe_context_free(context);
}

static void threads_change_no_bit(void **state) {
    (void)state;
    cafe_run *first = NULL;
    cafe_context *contexts[TEST_THREADS];
    cafe_graph *graph = NULL;
    for (int i = 0; i < TEST_THREADS; i++) {
        cafe_run *run;
        contexts[i] = test_context(test_thread_counts[i], 5);
        if (i == 0) graph = make_random(contexts[0], 1, 4);
        TEST_OK(contexts[i], try_graph(contexts[i], graph, "6", &run));
        if (!first) first = run;
        const cafe_run_trials *a = cafe_run_get(first)->trials, *b = cafe_run_get(run)->trials;
        size_t nodes = (size_t)cafe_graph_nodes(graph);
        assert_memory_equal(a->modularity, b->modularity, 6 * sizeof(double));
        assert_memory_equal(a->random, b->random, 6 * sizeof(double));
        assert_memory_equal(a->stay, b->stay, nodes * sizeof(float));
        assert_memory_equal(a->consensus, b->consensus, nodes * sizeof(int32_t));
        assert_int_equal(a->pair_count, b->pair_count);
        assert_memory_equal(a->merged, b->merged, (size_t)a->pair_count * sizeof(float));
        if (run != first) cafe_run_free(run);
    }
    cafe_run_free(first);
    cafe_graph_free(graph);
    for (int i = 0; i < TEST_THREADS; i++) cafe_context_free(contexts[i]);
}

/* The run has the best trial, and each trial is a run with another seed. */
static void trials_are_runs_with_other_seeds(void **state) {
    (void)state;
    cafe_context *context = test_context(1, 5);
    cafe_graph *graph = make_random(context, 1, 8);
    cafe_run *run;
    TEST_OK(context, try_graph(context, graph, "6", &run));
    const cafe_run_trials *t = cafe_run_get(run)->trials;
    const cafe_clustering_info *best = cafe_clustering_get(cafe_run_get(run)->clustering);
    for (int64_t i = 0; i < t->count; i++) {
        cafe_context *other = test_context(1, 5 + (uint64_t)i);
        cafe_clustering *c;
        TEST_OK(other,
                cafe_cluster(other, graph, cafe_method_find(NULL, "layers"), NULL, NULL, &c));
        assert_true(cafe_clustering_get(c)->modularity == t->modularity[i]);
        assert_true(t->modularity[i] <= best->modularity);
        if (i == t->best)
            assert_memory_equal(cafe_clustering_get(c)->partition, best->partition,
                                (size_t)best->nodes * sizeof(int32_t));
        cafe_clustering_free(c);
        cafe_context_free(other);
    }
    cafe_run_free(run);
    cafe_graph_free(graph);
    cafe_context_free(context);
}

static void failing_memory_leaks_nothing(void **state) {
    (void)state;
    test_failing memory;
    cafe_context *context = test_failing_context(&memory, 1);
    cafe_graph *graph = test_karate(context);
    for (long k = 0;; k++) {
        cafe_run *run;
        long live = test_failing_arm(&memory, k);
        cafe_status status = try_graph(context, graph, "2", &run);
        int failed = test_failing_disarm(&memory);
        cafe_run_free(run);
        if (status == CAFE_OK) live = memory.live;
        test_failing_expect(&memory, status, failed, live, context);
        if (!failed) break;
        k += k / 40; /* all kinds of calls, not all calls */
    }
    cafe_graph_free(graph);
    cafe_context_free(context);
}

static void what_does_not_go_together_is_refused(void **state) {
    (void)state;
    cafe_context *context = test_context(1, 5);
    cafe_graph *graph = test_karate(context);
    int32_t part[TEST_KARATE_NODES] = {0};
    cafe_run_inputs inputs;
    cafe_run *run;
    cafe_run_inputs_init(&inputs);
    inputs.partition = part;
    TEST_OK(context, cafe_run_create(context, CAFE_PURPOSE_COMMUNITIES, NULL, &run));
    assert_int_equal(cafe_run_set(run, "trials", "1"), CAFE_ERROR_ARGUMENT);
    TEST_OK(context, cafe_run_set(run, "trials", "4"));
    TEST_OK(context, cafe_run_graph(run, graph, NULL, NULL));
    TEST_OK(context, cafe_run_give(run, &inputs));
    assert_int_equal(cafe_run_check(run), CAFE_ERROR_ARGUMENT);
    assert_non_null(strstr(cafe_error(context), "start"));
    cafe_run_free(run);
    cafe_graph_free(graph);
    cafe_context_free(context);
}

/* ---- profiles -------------------------------------------------------------------------------- */

/* The index by its definition over pairs. */
static double rand_index(const int32_t *a, const int32_t *b, int64_t n) {
    double both = 0, in_a = 0, in_b = 0, all = (double)(n * (n - 1)) / 2;
    for (int64_t u = 0; u < n; u++)
        for (int64_t w = 0; w < u; w++) {
            both += a[u] == a[w] && b[u] == b[w];
            in_a += a[u] == a[w];
            in_b += b[u] == b[w];
        }
    return (both - in_a * in_b / all) / ((in_a + in_b) / 2 - in_a * in_b / all);
}

static void similarity_is_the_adjusted_rand_index(void **state) {
    (void)state;
    cafe_context *context = test_context(1, 3);
    uint64_t seed = 4;
    sample s;
    for (int round = 0; round < 20; round++) {
        double found;
        draw(&s, 40, 2, 4, 30, &seed);
        TEST_OK(context, cafe_partitions_compare(context, 40, s.part[0], s.communities[0],
                                                 s.part[1], s.communities[1], &found));
        assert_true(fabs(found - rand_index(s.part[0], s.part[1], 40)) < 1e-12);
    }
    cafe_context_free(context);
}

/* Eight groups of ten that are four pairs: both scales are plateaus, with these communities. */
static void a_profile_finds_both_scales(void **state) {
    (void)state;
    cafe_context *context = test_context(2, 3);
    test_links l = test_links_new(2400);
    uint64_t seed = 6;
    int found[2] = {0, 0};
    cafe_run *run;
    for (int64_t i = 0; i < l.count; i++) {
        int64_t u = test_below(&seed, 80), kind = test_below(&seed, 20);
        int64_t w = kind < 14   ? u / 10 * 10 + test_below(&seed, 10)
                    : kind < 19 ? u / 20 * 20 + test_below(&seed, 20)
                                : test_below(&seed, 80);
        l.source[i] = (int32_t)u, l.target[i] = (int32_t)w, l.weights[i] = 1;
    }
    cafe_graph *graph = test_graph(context, 80, &l, 1, NULL);
    TEST_OK(context, cafe_run_create(context, CAFE_PURPOSE_COMMUNITIES, NULL, &run));
    TEST_OK(context, cafe_run_set(run, "profile", "0.3:6:16"));
    TEST_OK(context, cafe_run_graph(run, graph, NULL, NULL));
    TEST_OK(context, cafe_run_go(run));
    const cafe_run_results *r = cafe_run_get(run);
    assert_int_equal(r->profile_count, 16);
    for (int64_t i = 0; i < 16; i++) {
        const cafe_run_resolution *row = &r->profile[i];
        assert_true(fabs(row->resolution - 0.3 * pow(20, (double)i / 15)) < 1e-12);
        if (row->plateau > 0) assert_true(row->seeds >= 0.95);
        bool same = i + 1 < 16 && row->plateau > 0 && row->plateau == row[1].plateau;
        if (same) assert_true(row->next >= 0.95);
        if (same && row->communities == 4) found[0]++;
        if (same && row->communities == 8) found[1]++;
        assert_true(isnan(row->next) == (i == 15));
    }
    assert_true(found[0] >= 2 && found[1] >= 2);
    cafe_run_free(run);
    cafe_graph_free(graph);
    test_links_free(&l);
    cafe_context_free(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(degrees_weights_and_loops_stay),
        cmocka_unit_test(all_graphs_are_as_frequent),
        cmocka_unit_test(the_consensus_agrees_with_more_than_any_trial),
        cmocka_unit_test(the_consensus_is_nearly_the_best),
        cmocka_unit_test(shares_are_those_of_the_definition),
        cmocka_unit_test(communities_are_told_from_chance),
        cmocka_unit_test(threads_change_no_bit),
        cmocka_unit_test(trials_are_runs_with_other_seeds),
        cmocka_unit_test(similarity_is_the_adjusted_rand_index),
        cmocka_unit_test(a_profile_finds_both_scales),
        cmocka_unit_test(failing_memory_leaks_nothing),
        cmocka_unit_test(what_does_not_go_together_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
