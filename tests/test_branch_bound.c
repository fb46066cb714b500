/* Proofs by inequalities and by cases, against dynamic programming over sets, and checked again
 * from their lines alone.
 */
#include <stdio.h>

#include "dense.h"
#include "explain/partition_bound.h"
#include "failing.h"
#include "solve/exact_partition.h"

enum { SMALL = 13, LARGE = 60, BY_CASES = 6 /* the seed of a graph that needs cases */ };

/* Edges with the probability `some` of `of`; weights of the kind: 1, whole, any. */
static cafe_graph *random_graph(cafe_context *context, int64_t n, uint64_t seed, int64_t some,
                                int64_t of, int kind) {
    test_links l = test_links_new(n * n);
    uint64_t draw = seed;
    l.count = 0;
    for (int32_t u = 0; u < n; u++)
        for (int32_t w = 0; w < u; w++) {
            if (w + 1 < u && test_below(&draw, of) >= some) continue;
            if (w + 1 == u && u > 1 && test_below(&draw, 4) == 0) continue;
            l.source[l.count] = u;
            l.target[l.count] = w;
            l.weights[l.count++] = kind == 2 ? 0.1F + (float)test_below(&draw, 1000) / 300
                                             : (float)(1 + test_below(&draw, 4));
        }
    cafe_graph *graph = test_graph(context, n, &l, kind > 0, NULL);
    test_links_free(&l);
    return graph;
}

/* ---- the lines of a proof, apart from the library -------------------------------------------- */

/* Are these cases, each of which begins at first[i], all partitions? Their `depth` first pairs are
 * the same. */
static bool are_all(const cafe_clique_multiplier *at, int64_t count, const int64_t *first,
                    int64_t cases, int64_t depth) {
    int64_t apart[512], together[512], a = 0, t = 0;
    const cafe_clique_multiplier *pair = &at[first[0] + depth];
    bool divided = first[0] + depth < count && pair->number == at[first[0]].number && pair->forced;
    if (!divided) return cases == 1;
    assert_true(cases < 512);
    for (int64_t i = 0; i < cases; i++) {
        const cafe_clique_multiplier *m = &at[first[i] + depth];
        if (!m->forced || m->node[0] != pair->node[0] || m->node[1] != pair->node[1]) return false;
        if (m->forced < 0) apart[a++] = first[i];
        if (m->forced > 0) together[t++] = first[i];
    }
    return a > 0 && t > 0 && are_all(at, count, apart, a, depth + 1) &&
           are_all(at, count, together, t, depth + 1);
}

/* The bound of the lines of one case: at[0] .. at[count - 1]. */
static double bound_of_case(int64_t n, const double *q, const cafe_clique_multiplier *at,
                            int64_t count) {
    double sum = 0, *rest = malloc((size_t)(n * n) * sizeof *rest);
    int8_t *forced = calloc((size_t)(n * n), 1);
    for (int64_t i = 0; i < n * n; i++) rest[i] = 2 * q[i];
    for (int64_t i = 0; i < count; i++) {
        const int32_t *node = at[i].node;
        if (at[i].forced) {
            forced[node[0] * n + node[1]] = forced[node[1] * n + node[0]] = (int8_t)at[i].forced;
            continue;
        }
        assert_true(at[i].multiplier >= 0);
        sum += at[i].multiplier;
        for (int j = 0; j <= CAFE_CLIQUE_LEAVES && node[j] >= 0; j++)
            for (int k = 0; k < j; k++) {
                double change = k == 0 ? -at[i].multiplier : at[i].multiplier;
                rest[node[j] * n + node[k]] += change;
                rest[node[k] * n + node[j]] += change;
            }
    }
    for (int64_t u = 0; u < n; u++) {
        sum += q[u * n + u];
        for (int64_t w = 0; w < u; w++) {
            int8_t f = forced[u * n + w];
            sum += f > 0 || (f == 0 && rest[u * n + w] > 0) ? rest[u * n + w] : 0;
        }
    }
    free(rest);
    free(forced);
    return sum;
}

static double bound_of_lines(int64_t n, const double *q, const cafe_clique_multipliers *lines) {
    int64_t first[512] = {0}, cases = 0;
    double most = -HUGE_VAL;
    if (lines->count == 0) return bound_of_case(n, q, NULL, 0);
    for (int64_t i = 0; i < lines->count; i++)
        if (i == 0 || lines->at[i].number != lines->at[i - 1].number) {
            assert_true(cases < 512);
            first[cases++] = i;
        }
    assert_true(are_all(lines->at, lines->count, first, cases, 0));
    for (int64_t i = 0; i < cases; i++) {
        int64_t end = i + 1 < cases ? first[i + 1] : lines->count;
        most = fmax(most, bound_of_case(n, q, lines->at + first[i], end - first[i]));
    }
    return most;
}

/* ---- tests ----------------------------------------------------------------------------------- */

typedef struct tally {
    int64_t graphs, proved, divided;
} tally;

/* The bound is valid, is what its lines say, and other multipliers are no less valid. */
static void check_lines(int64_t n, const double *q, double best, double step, uint64_t seed,
                        const cafe_partition_bound *b, cafe_clique_multipliers *lines) {
    double again = bound_of_lines(n, q, lines);
    assert_true(again >= best - 1e-12);
    assert_true(again < (b->proved ? best + fmax(step, 1e-6) : b->inequalities + 1e-6));
    assert_true(!b->proved || b->bound < best + 1e-6); /* below 0 as above it */
    for (int64_t i = 0; i < lines->count; i++) {
        double noise = (double)test_below(&seed, 1000) / 1000;
        lines->at[i].multiplier = seed & 1 ? (float)lines->at[i].multiplier
                                           : lines->at[i].multiplier * noise + noise * noise / 50;
    }
    assert_true(bound_of_lines(n, q, lines) >= best - 1e-12);
}

/* known: of the best partition; NULL: dynamic programming finds it. */
static void check_graph(test_problem *t, double resolution, uint64_t seed, const double *known,
                        tally *sum) {
    int64_t n = cafe_graph_nodes(t->graph);
    double p[LARGE], best, *q = test_dense_q(t->graph, p);
    int32_t part[CAFE_EXACT_NODES];
    cafe_partition_bound b;
    cafe_clique_multipliers lines = {.context = t->context};
    for (int64_t i = 0; i < n * n; i++) q[i] += (1 - resolution) * p[i / n] * p[i % n];
    if (known)
        best = *known;
    else
        TEST_OK(t->context, cafe_exact_partition(t->context, t->op, resolution, part, &best));
    TEST_OK(t->context,
            cafe_partition_bound_find(t->context, t->op, resolution, best, 4, &lines, &b));
    assert_true(b.bound >= best - 1e-12);
    sum->graphs++;
    sum->proved += b.proved;
    sum->divided += lines.count > 0 && lines.at[lines.count - 1].number > 0;
    double total = t->op->parts.total;
    check_lines(n, q, best, 2 / (total * total), seed, &b, &lines);
    cafe_clique_multipliers_free(&lines);
    free(q);
}

static void test_small_graphs(void **state) {
    static const double resolutions[] = {1, 0.5, 1.5, 0.7};
    tally sum = {0};
    (void)state;
    for (uint64_t seed = 1; seed <= (TEST_SANITIZED ? 40 : 500); seed++) {
        cafe_context *context = test_context(1, seed);
        int64_t n = 4 + (int64_t)(seed % 10);
        int kind = (int)(seed % 3);
        test_problem t =
            test_open(context, random_graph(context, n, seed, 1 + (int64_t)(seed % 5), 8, kind));
        check_graph(&t, kind ? resolutions[seed / 3 % 4] : 1, seed, NULL, &sum);
        test_close(&t);
    }
    printf("small: %d graphs, %d proved, %d by cases\n", (int)sum.graphs, (int)sum.proved,
           (int)sum.divided);
    assert_int_equal(sum.proved, sum.graphs);
    if (!TEST_SANITIZED) assert_true(sum.divided > 0);
}

static void test_sparse_graphs(void **state) {
    tally sum = {0};
    (void)state;
    for (uint64_t seed = 1; seed <= (TEST_SANITIZED ? 2 : 15); seed++) {
        cafe_context *context = test_context(1, seed);
        int64_t n = 20 + (int64_t)(seed * 7 % 41);
        test_problem t = test_open(context, random_graph(context, n, seed, 2, n, 0));
        cafe_layers_options options;
        cafe_layers *layers;
        cafe_layers_options_init(&options);
        options.effort = "high";
        TEST_OK(context, cafe_layers_find(context, t.op, &options, &layers));
        double known = cafe_layers_get(layers, cafe_layers_count(layers) - 1)->modularity;
        check_graph(&t, 1, seed, &known, &sum);
        cafe_layers_free(layers);
        test_close(&t);
    }
    printf("sparse: %d graphs, %d proved, %d by cases\n", (int)sum.graphs, (int)sum.proved,
           (int)sum.divided);
    assert_int_equal(sum.proved, sum.graphs);
}

/* A proof by cases survives an allocator that fails at any call. */
static void test_failing_memory(void **state) {
    test_failing memory;
    cafe_context *context = test_failing_context(&memory, 1);
    cafe_partition_bound b;
    cafe_clique_multipliers lines = {.context = context};
    int32_t part[CAFE_EXACT_NODES];
    double best;
    int64_t cases = 0;
    (void)state;
    test_problem t = test_open(context, random_graph(context, SMALL, BY_CASES, 3, 8, 0));
    TEST_OK(context, cafe_exact_partition(context, t.op, 1, part, &best));
    for (long k = 0;; k += 1 + k / 8) {
        long live = test_failing_arm(&memory, k);
        cafe_status status = cafe_partition_bound_find(context, t.op, 1, best, 1, &lines, &b);
        int failed = test_failing_disarm(&memory);
        if (lines.count > 0) cases = lines.at[lines.count - 1].number;
        cafe_clique_multipliers_free(&lines);
        test_failing_expect(&memory, status, failed, live, context);
        if (!failed) break;
    }
    assert_true(b.proved);
    assert_true(cases > 0);
    test_close(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_small_graphs),
        cmocka_unit_test(test_sparse_graphs),
        cmocka_unit_test(test_failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
