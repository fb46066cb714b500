/* The forecast for several processes: links between ranks against a count by hand, and the forecast
 * for graphs of which only the size is known. Also how the figures depend on ranks and rates, and
 * refusals.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <cafe/cafe.h>

#include "base/rate.h"
#include "failing.h"
#include "graph/graph.h"
#include "graph/rank_edges.h"
#include "graphs.h"
#include "method/model.h"
#include "operator/chunks.h"

static cafe_graph *random_graph(cafe_context *context, int64_t nodes, int64_t links, bool hubs,
                                cafe_reorder how, uint64_t seed) {
    cafe_graph_options options;
    test_links l = test_links_new(links);
    for (int64_t i = 0; i < links; i++) {
        int64_t most = hubs ? 1 + test_below(&seed, 1 + test_below(&seed, nodes)) : nodes;
        l.source[i] = (int32_t)test_below(&seed, most);
        l.target[i] = (int32_t)test_below(&seed, nodes);
    }
    cafe_graph_options_init(&options);
    options.reorder = how;
    options.self_loops = (int32_t)(seed % 2);
    cafe_graph *graph = test_graph(context, nodes, &l, 0, &options);
    test_links_free(&l);
    return graph;
}

/* ---- the count ------------------------------------------------------------------------------- */

/* One matrix with an entry for each rank and node: has the rank a neighbour of the node? */
static cafe_cut count_by_hand(const cafe_graph *g, int64_t piece, int64_t ranks) {
    cafe_cut cut = {0};
    int64_t *owner = calloc((size_t)g->n + 1, sizeof *owner);
    uint8_t *meets = calloc((size_t)(g->n * ranks) + 1, 1);
    assert_true(owner && meets);
    for (int64_t i = 0; i < g->n; i++) owner[g->order ? g->order[i] : i] = i / piece % ranks;
    for (int64_t u = 0; u < g->n; u++)
        for (int64_t j = g->offsets[u]; j < g->offsets[u + 1]; j++) {
            cut.arcs += owner[u] != owner[g->targets[j]];
            meets[owner[g->targets[j]] * g->n + u] = 1;
        }
    for (int64_t u = 0; u < g->n; u++) {
        int64_t others = 0;
        for (int64_t r = 0; r < ranks; r++) others += r != owner[u] && meets[r * g->n + u];
        cut.ghosts += others;
        cut.inner += others == 0;
    }
    for (int64_t r = 0; r < ranks; r++) {
        int64_t rows = 0, arcs = 0, ghosts = 0, sent = 0;
        for (int64_t u = 0; u < g->n; u++) {
            bool own = owner[u] == r;
            rows += own;
            arcs += own ? g->offsets[u + 1] - g->offsets[u] : 0;
            ghosts += !own && meets[r * g->n + u];
            for (int64_t s = 0; s < ranks; s++) sent += own && s != r && meets[s * g->n + u];
        }
        if (rows > cut.most_rows) cut.most_rows = rows;
        if (arcs > cut.most_arcs) cut.most_arcs = arcs;
        if (ghosts > cut.most_ghosts) cut.most_ghosts = ghosts;
        if (sent > cut.most_sent) cut.most_sent = sent;
    }
    free(owner);
    free(meets);
    return cut;
}

static void the_cut_is_counted(void **state) {
    uint64_t seed = 5;
    (void)state;
    for (int i = 0; i < 24; i++) {
        cafe_context *context = test_context(1 + i % 3, 1);
        int64_t nodes = 1 + test_below(&seed, 9000), links = test_below(&seed, 20000);
        cafe_graph *g = random_graph(context, nodes, links, i % 2, i % 5 == 0 ? 2 : 0, seed);
        for (int64_t ranks = 1; ranks < 10; ranks += 1 + i % 3) {
            cafe_cut cut, hand = count_by_hand(g, 1 + i * 7, ranks);
            TEST_OK(context, cafe_graph_cut(context, g, 1 + i * 7, ranks, &cut));
            assert_memory_equal(&cut, &hand, sizeof cut);
        }
        cafe_graph_free(g);
        cafe_context_free(context);
    }
}

/* ---- the plan -------------------------------------------------------------------------------- */

typedef struct asked {
    int64_t nodes, edges, ranks, columns;
    double cut;
    const char *network, *memory;
    const cafe_graph *graph;
} asked;

static cafe_status try_plan(cafe_context *context, const char *name, const asked *a,
                            cafe_ranks_plan *plan) {
    const cafe_method *method = cafe_method_find(context, name);
    const cafe_option_table *table = method->vectors();
    int64_t own[64];
    char columns[32];
    cafe_method_options options;
    cafe_ranks_options ranks;
    cafe_graph_counts counts = {.nodes = a->nodes, .edges = a->edges};
    cafe_options_init(table, own, table->struct_size);
    snprintf(columns, sizeof columns, "%lld", (long long)(a->columns ? a->columns : 128));
    TEST_OK(context, cafe_options_set(context, table, own, "columns", columns));
    cafe_method_options_init(&options);
    options.own = own;
    cafe_ranks_options_init(&ranks);
    ranks.ranks = a->ranks;
    ranks.network = a->network;
    ranks.memory_bandwidth = a->memory;
    if (a->cut > 0) ranks.cut = a->cut;
    memset(plan, 0xFF, sizeof *plan);
    return cafe_method_ranks(context, method, &options, a->graph, a->graph ? NULL : &counts, &ranks,
                             plan);
}

static cafe_ranks_plan plan_of(cafe_context *context, asked a) {
    cafe_ranks_plan plan;
    TEST_OK(context, try_plan(context, "sphere", &a, &plan));
    return plan;
}

static bool is_near(double a, double b, double share) {
    return fabs(a - b) <= share * fabs(b);
}

/* Of a graph with its edges placed at random what is expected is what is counted; hubs and their
 * many edges make it less. */
static void expected_is_counted(void **state) {
    cafe_context *context = test_context(2, 1);
    (void)state;
    for (int hubs = 0; hubs < 2; hubs++)
        for (int64_t ranks = 2; ranks <= 32; ranks *= 4) {
            cafe_graph *g = random_graph(context, 20000, 100000, hubs, CAFE_REORDER_NONE, 3);
            cafe_ranks_plan real = plan_of(context, (asked){.graph = g, .ranks = ranks});
            cafe_ranks_plan model =
                plan_of(context, (asked){real.nodes, real.links / 2, ranks, .network = "1G"});
            assert_true(real.counted == 1 && model.counted == 0);
            assert_true(is_near(model.cut, real.cut, 0.03));
            if (!hubs)
                assert_true(is_near((double)model.ghost_rows, (double)real.ghost_rows, 0.05));
            assert_true(model.ghost_rows >= real.ghost_rows);
            assert_true(!hubs || ranks < 8 ||
                        (double)model.ghost_rows > 1.05 * (double)real.ghost_rows);
            assert_true(real.rank_rows * ranks >= real.nodes && real.rank_rows <= real.nodes);
            assert_int_equal(real.bytes_per_sweep, real.ghost_rows * 128 * 4);
            cafe_graph_free(g);
        }
    cafe_context_free(context);
}

/* The share at which nodes lie at random gives what no share gives; fewer links between ranks,
 * fewer ghosts; all links between two ranks: every row that has one. */
static void the_cut_may_be_given(void **state) {
    cafe_context *context = test_context(1, 1);
    (void)state;
    cafe_ranks_plan random = plan_of(context, (asked){1000000, 10000000, .ranks = 8});
    cafe_ranks_plan same = plan_of(context, (asked){1000000, 10000000, 8, .cut = 7.0 / 8});
    cafe_ranks_plan less = plan_of(context, (asked){1000000, 10000000, 8, .cut = 0.1});
    cafe_ranks_plan all = plan_of(context, (asked){1000000, 10000000, 2, .cut = 1});
    assert_true(is_near((double)same.ghost_rows, (double)random.ghost_rows, 1e-9));
    assert_true(less.ghost_rows < random.ghost_rows / 2);
    assert_int_equal(all.ghost_rows, 1000000);
    cafe_context_free(context);
}

static void more_ranks_hold_less_and_send_more(void **state) {
    cafe_context *context = test_context(2, 1);
    cafe_graph *g = random_graph(context, 30000, 150000, true, CAFE_REORDER_NONE, 9);
    (void)state;
    for (int there = 0; there < 2; there++) {
        asked a = {30000, 150000, 1, .network = "10Gbit", .memory = "20GB"};
        if (there) a.graph = g;
        cafe_ranks_plan before = plan_of(context, a);
        assert_true(before.ghost_rows == 0 && before.bytes_per_sweep == 0 && before.cut == 0);
        assert_true(before.ghost_seconds == 0 && before.wait_seconds == 0 && before.inner == 1);
        for (a.ranks = 2; a.ranks <= 64; a.ranks *= 2) {
            cafe_ranks_plan now = plan_of(context, a);
            assert_true(now.block_bytes < before.block_bytes);
            assert_true(now.bytes_per_sweep > before.bytes_per_sweep);
            assert_true(now.work_seconds < before.work_seconds);
            assert_true(now.wait_seconds > before.wait_seconds);
            assert_int_equal(now.memory, now.whole_bytes + now.link_bytes + now.block_bytes +
                                             now.ghost_bytes + now.work_bytes);
            before = now;
        }
    }
    cafe_graph_free(g);
    cafe_context_free(context);
}

static void faster_machines_take_less_time(void **state) {
    cafe_context *context = test_context(2, 1);
    (void)state;
    asked a = {10000000, 100000000, 16, .network = "10Gbit", .memory = "50GB"};
    cafe_ranks_plan slow = plan_of(context, a), unknown;
    a.network = "100Gbit";
    cafe_ranks_plan network = plan_of(context, a);
    a.memory = "200GB";
    cafe_ranks_plan both = plan_of(context, a);
    assert_true(is_near(10 * network.ghost_seconds, slow.ghost_seconds, 1e-9));
    assert_true(is_near(4 * both.work_seconds, slow.work_seconds, 1e-9));
    assert_true(slow.run_seconds > network.run_seconds && network.run_seconds > both.run_seconds);
    assert_true(is_near(slow.sweep_seconds,
                        slow.work_seconds + slow.ghost_seconds + slow.wait_seconds, 1e-9));
    a.network = NULL;
    unknown = plan_of(context, a);
    assert_true(unknown.sweep_seconds == 0 && unknown.run_seconds == 0 && unknown.work_seconds > 0);
    a.ranks = 1; /* has no network */
    assert_true(plan_of(context, a).run_seconds > 0);
    cafe_context_free(context);
}

/* 10^10 nodes and 10^12 edges: the figures of docs/algorithms/ranks.md. */
static void large_graphs_do_not_overflow(void **state) {
    cafe_context *context = test_context(16, 1);
    (void)state;
    asked a = {10000000000, 1000000000000, 1024, .network = "100Gbit", .memory = "100GB"};
    cafe_ranks_plan p = plan_of(context, a);
    double met = 1 - pow(1 - 1.0 / 1024, 200);
    assert_int_equal(p.links, 2000000000000);
    assert_true(is_near((double)p.ghost_rows, 1e10 * 1023 * met, 1e-6));
    assert_true(is_near((double)p.bytes_per_sweep, 1e10 * 1023 * met * 512, 1e-6));
    assert_true(p.rank_ghosts > 1700000000 && p.rank_ghosts < 1800000000);
    assert_true(p.memory > p.ghost_bytes && p.ghost_bytes > 512 * p.rank_ghosts);
    assert_true(p.chunks > 1000 && p.chunks < 2000 && isfinite(p.run_seconds));
    a.nodes = a.edges = INT64_C(1) << 53;
    a.ranks = 1 << 20;
    a.columns = 65536;
    p = plan_of(context, a);
    assert_true(p.memory > 0 && p.bytes_per_sweep > 0 && p.rank_sends > 0);
    cafe_context_free(context);
}

static void chunks_are_those_of_a_sweep(void **state) {
    static const int64_t sizes[] = {1, 4096, 4097, 100000};
    cafe_context *context = test_context(1, 1);
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        cafe_graph *g = random_graph(context, sizes[i], sizes[i] + 1, false, CAFE_REORDER_NONE, 2);
        cafe_sampled *sampled = NULL;
        cafe_operator *op = NULL;
        cafe_chunks *chunks = NULL;
        if (cafe_graph_get_counts(g)->edges > 0) {
            TEST_OK(context, cafe_sample(context, g, CAFE_SAMPLING_EDGE, NULL, NULL, &sampled));
            TEST_OK(context, cafe_operator_modularity(context, sampled, &op));
            TEST_OK(context, cafe_chunks_lay_out(context, op, 0, 128, &chunks));
            assert_int_equal(chunks->count, cafe_chunks_count(sizes[i], 0, 128, false));
        }
        cafe_chunks_free(chunks);
        cafe_operator_free(op);
        cafe_sampled_free(sampled);
        cafe_graph_free(g);
    }
    cafe_context_free(context);
}

/* ---- rates and refusals ---------------------------------------------------------------------- */

static void rates_have_units(void **state) {
    static const struct {
        const char *text;
        double bits, bytes; /* where a rate without a unit is in these */
    } rates[] = {
        {"25G", 3.125e9, 25e9},
        {"25Gbit", 3.125e9, 3.125e9},
        {"25Gb", 3.125e9, 3.125e9},
        {"25Gbit/s", 3.125e9, 3.125e9},
        {"100Gbps", 12.5e9, 12.5e9},
        {"3GB", 3e9, 3e9},
        {"1.5GB/s", 1.5e9, 1.5e9},
        {"2GiB", 0x2p30, 0x2p30},
        {"8kbit", 1000, 1000},
        {"800M", 1e8, 8e8},
        {"1e9B", 1e9, 1e9},
        {"1Tbytes", 1e12, 1e12},
        {"5bit", 0.625, 0.625},
        {NULL, 0, 0},
        {"", 0, 0},
    };
    static const char *const wrong[] = {"25",  "25gb", "25mb", "1e9",  "fast",   "-3GB", "0GB",
                                        "3GX", "GB",   "3G B", "nanG", "1e30GB", "+3GB", "infGB"};
    cafe_context *context = test_context(1, 1);
    double rate;
    (void)state;
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++)
        for (int bits = 0; bits < 2; bits++) {
            TEST_OK(context, cafe_rate(context, "network", rates[i].text, bits, &rate));
            assert_true(is_near(rate, bits ? rates[i].bits : rates[i].bytes, 1e-12));
        }
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(cafe_rate(context, "network", wrong[i], true, &rate), CAFE_ERROR_ARGUMENT);
        assert_true(rate == 0 && strstr(cafe_error(context), "‘network’"));
    }
    cafe_rate(context, "network", "25gb", true, &rate);
    assert_non_null(strstr(cafe_error(context), "write 25Gbit or 25GB"));
    cafe_context_free(context);
}

static void refusals(void **state) {
    cafe_context *context = test_context(1, 1);
    cafe_ranks_plan plan;
    (void)state;
    asked a = {1000, 5000, .ranks = 4};
    TEST_OK(context, try_plan(context, "cafe", &a, &plan));
    assert_int_equal(try_plan(context, "deepwalk", &a, &plan), CAFE_ERROR_ARGUMENT);
    assert_non_null(strstr(cafe_error(context), "deepwalk runs on one process alone"));
    asked bad[] = {{1000, 5000, .ranks = 0},
                   {1000, 5000, .ranks = -1},
                   {1000, 5000, .ranks = (1 << 20) + 1},
                   {0, 0, .ranks = 4},
                   {1000, -1, .ranks = 4},
                   {INT64_MAX, 1, .ranks = 4},
                   {1000, INT64_MAX, .ranks = 4},
                   {1000, 5000, 4, .cut = 2},
                   {1000, 5000, 4, .network = "25gb"},
                   {1000, 5000, 4, .memory = "many"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(try_plan(context, "sphere", &bad[i], &plan), CAFE_ERROR_ARGUMENT);
    cafe_context_free(context);
}

static void memory_may_run_out(void **state) {
    test_failing memory;
    cafe_context *context = test_failing_context(&memory, 2);
    cafe_graph *g = random_graph(context, 500, 2000, false, CAFE_REORDER_NONE, 4);
    (void)state;
    for (long k = 0;; k++) {
        asked a = {.graph = g, .ranks = 3};
        cafe_ranks_plan plan;
        long live = test_failing_arm(&memory, k);
        cafe_status status = try_plan(context, "sphere", &a, &plan);
        int failed = test_failing_disarm(&memory);
        test_failing_expect(&memory, status, failed, live, context);
        if (!failed) break;
    }
    cafe_graph_free(g);
    cafe_context_free(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_cut_is_counted),
        cmocka_unit_test(expected_is_counted),
        cmocka_unit_test(the_cut_may_be_given),
        cmocka_unit_test(more_ranks_hold_less_and_send_more),
        cmocka_unit_test(faster_machines_take_less_time),
        cmocka_unit_test(large_graphs_do_not_overflow),
        cmocka_unit_test(chunks_are_those_of_a_sweep),
        cmocka_unit_test(rates_have_units),
        cmocka_unit_test(refusals),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
