/* The parts of the skip-gram methods by what they promise: walks, draws, windows, buckets, tree,
 * sigmoid and loops over rows.
 */
#include <math.h>
#include <string.h>

#include "graphs.h"

#include "baseline/skipgram.h"

/* ---- distributions --------------------------------------------------------------------------- */

/* Pearson's statistic stays below its mean k plus five deviations sqrt(2k). */
static void expect_distribution(int64_t cells, const int64_t *seen, const double *share,
                                int64_t draws) {
    double sum = 0, degrees = -1;
    for (int64_t i = 0; i < cells; i++) {
        double expected = share[i] * (double)draws;
        if (share[i] == 0) assert_int_equal(seen[i], 0);
        if (share[i] == 0) continue;
        assert_true(expected > 5);
        sum += ((double)seen[i] - expected) * ((double)seen[i] - expected) / expected;
        degrees++;
    }
    if (sum > degrees + 5 * sqrt(2 * degrees) + 1e-9) fail_msg("chi-square %g of %g", sum, degrees);
}

static double entry(const cafe_graph *g, int32_t u, int32_t v) {
    for (int64_t j = g->offsets[u]; j < g->offsets[u + 1]; j++)
        if (g->targets[j] == v) return g->weights ? g->weights[j] : 1;
    return 0;
}

static void first_steps_follow_the_weights(void **state) {
    enum { N = 40, DRAWS = 20000 };
    (void)state;
    for (int weighted = 0; weighted < 2; weighted++) {
        cafe_context *context = test_context(2, 1);
        cafe_graph *g = test_random(context, N, 200, weighted, weighted, 3);
        cafe_walker walker;
        TEST_OK(context, cafe_walker_new(context, g, 1, 1, &walker));
        for (int32_t u = 0; u < N; u += 5) {
            int64_t seen[N] = {0};
            double share[N];
            cafe_draws draws = cafe_draws_of(1, CAFE_STREAM_SKIP_WALK, (uint64_t)u);
            if (g->offsets[u] == g->offsets[u + 1]) continue;
            for (int i = 0; i < DRAWS; i++) seen[cafe_walker_first(&walker, u, &draws)]++;
            for (int32_t v = 0; v < N; v++)
                share[v] = entry(g, u, v) / cafe_row_sum(g->offsets, g->weights, u);
            expect_distribution(N, seen, share, DRAWS);
        }
        cafe_walker_free(context, &walker);
        cafe_graph_free(g);
        cafe_context_free(context);
    }
}

/* The definition: alpha(t,x) a(v,x), 1/p back, 1 to a neighbour of t, 1/q else. */
static void second_shares(const cafe_graph *g, int32_t from, int32_t at, double p, double q,
                          double *share) {
    double sum = 0;
    for (int32_t x = 0; x < g->n; x++) {
        double alpha = x == from ? 1 / p : entry(g, from, x) > 0 ? 1 : 1 / q;
        share[x] = alpha * entry(g, at, x);
        sum += share[x];
    }
    for (int32_t x = 0; x < g->n; x++) share[x] /= sum;
}

static void second_steps_follow_the_definition(void **state) {
    enum { DRAWS = 30000 };
    /* the last two make rejections so frequent that the row is added up */
    static const double bias[][2] = {{1, 1}, {4, 0.5}, {0.25, 2}, {0.02, 1}, {20, 30}};
    (void)state;
    for (size_t b = 0; b < sizeof bias / sizeof *bias; b++)
        for (int weighted = 0; weighted < 2; weighted++) {
            cafe_context *context = test_context(1, 1);
            cafe_graph *g = test_random(context, 21, 90, weighted, 0, 5);
            cafe_walker walker;
            TEST_OK(context, cafe_walker_new(context, g, bias[b][0], bias[b][1], &walker));
            for (int32_t at = 0; at < 5; at += 2) {
                int64_t seen[21] = {0};
                double share[21];
                assert_true(g->offsets[at] < g->offsets[at + 1]);
                int32_t from = g->targets[g->offsets[at]];
                cafe_draws draws = cafe_draws_of(9, CAFE_STREAM_SKIP_WALK, (uint64_t)at);
                for (int i = 0; i < DRAWS; i++)
                    seen[cafe_walker_second(&walker, from, at, &draws)]++;
                second_shares(g, from, at, bias[b][0], bias[b][1], share);
                expect_distribution(21, seen, share, DRAWS);
            }
            cafe_walker_free(context, &walker);
            cafe_graph_free(g);
            cafe_context_free(context);
        }
}

static void walks_follow_edges(void **state) {
    int32_t nodes[50];
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        cafe_context *context = test_context(1, 1);
        cafe_graph *g = test_random(context, 70, 150, kind, kind, 7);
        cafe_walker walker;
        TEST_OK(context, cafe_walker_new(context, g, kind ? 0.5 : 1, kind ? 3 : 1, &walker));
        for (int32_t u = 0; u < 70; u++) {
            cafe_draws draws = cafe_draws_of(2, CAFE_STREAM_SKIP_WALK, (uint64_t)u);
            int64_t length = cafe_walker_go(&walker, u, 50, &draws, nodes);
            assert_int_equal(nodes[0], u);
            assert_int_equal(length, g->offsets[u] < g->offsets[u + 1] ? 50 : 1);
            for (int64_t i = 1; i < length; i++) assert_true(entry(g, nodes[i - 1], nodes[i]) > 0);
        }
        cafe_walker_free(context, &walker);
        cafe_graph_free(g);
        cafe_context_free(context);
    }
}

static void noise_follows_its_power_of_the_degree(void **state) {
    enum { N = 60, DRAWS = 60000 };
    (void)state;
    for (int64_t blocks = 1; blocks <= 5; blocks += 4) {
        cafe_context *context = test_context(1, 1);
        cafe_graph *g = test_random(context, N, 300, 1, 0, 4);
        cafe_noise noise;
        double share[N], total = 0, mass = 0;
        int64_t seen[N] = {0};
        TEST_OK(context, cafe_noise_new(context, g, blocks, 0.75, &noise));
        for (int u = 0; u < N; u++)
            total += share[u] = pow(cafe_row_sum(g->offsets, g->weights, u), 0.75);
        for (int u = 0; u < N; u++) share[u] /= total;
        cafe_draws draws = cafe_draws_of(3, CAFE_STREAM_SKIP_TRAIN, 0);
        for (int i = 0; i < DRAWS; i++) seen[cafe_noise_draw(&noise, &draws)]++;
        expect_distribution(N, seen, share, DRAWS);
        for (int64_t b = 0; b < blocks; b++) mass += noise.mass[b];
        assert_true(fabs(mass - 1) < 1e-12);
        for (int i = 0; i < 100; i++)
            assert_int_equal(cafe_noise_in(&noise, blocks - 1, &draws) % blocks, blocks - 1);
        cafe_noise_free(context, &noise);
        cafe_graph_free(g);
        cafe_context_free(context);
    }
}

static void orders_are_permutations(void **state) {
    (void)state;
    for (int64_t n = 1; n <= 300; n += 23) {
        int64_t same = 0;
        uint8_t met[2][300] = {{0}};
        for (int64_t i = 0; i < n; i++) {
            int64_t a = cafe_permuted(5, 0, n, i), b = cafe_permuted(5, 1, n, i);
            assert_true(a >= 0 && a < n && !met[0][a]++);
            assert_true(b >= 0 && b < n && !met[1][b]++);
            same += a == b;
        }
        if (n > 40) assert_true(same < n / 4);
    }
}

/* ---- pairs ----------------------------------------------------------------------------------- */

static void windows_are_complete(void **state) {
    enum { LENGTH = 23 };
    int32_t nodes[LENGTH];
    cafe_pair pairs[LENGTH * LENGTH];
    (void)state;
    for (int i = 0; i < LENGTH; i++) nodes[i] = i;
    for (int64_t length = 1; length <= LENGTH; length += 11)
        for (int64_t window = 1; window < 30; window += 4) {
            int64_t at = 0, count = cafe_window_pairs(nodes, length, window, NULL, pairs);
            assert_true(count <= cafe_window_most(length, window));
            for (int32_t i = 0; i < length; i++)
                for (int32_t j = 0; j < length; j++) {
                    if (i == j || abs(i - j) > window) continue;
                    assert_int_equal(pairs[at].centre, i);
                    assert_int_equal(pairs[at++].context, j);
                }
            assert_int_equal(at, count);
        }
}

/* A pair d places apart is kept when the reach is at least d: with probability (w - d + 1) / w. */
static void reaches_are_uniform(void **state) {
    enum { LENGTH = 101, WINDOW = 5, TIMES = 400 };
    int32_t nodes[LENGTH];
    static cafe_pair pairs[LENGTH * 2 * WINDOW];
    int64_t seen[WINDOW + 1] = {0};
    cafe_draws draws = cafe_draws_of(1, CAFE_STREAM_SKIP_WINDOW, 0);
    (void)state;
    for (int i = 0; i < LENGTH; i++) nodes[i] = i;
    for (int t = 0; t < TIMES; t++) {
        int64_t count = cafe_window_pairs(nodes, LENGTH, WINDOW, &draws, pairs);
        for (int64_t k = 0; k < count; k++) seen[abs(pairs[k].centre - pairs[k].context)]++;
    }
    for (int d = 1; d <= WINDOW; d++) {
        double expected = 2.0 * TIMES * (LENGTH - d) * (WINDOW - d + 1) / WINDOW;
        assert_true(fabs((double)seen[d] - expected) < 0.02 * expected);
    }
}

static uint64_t pair_mark(cafe_pair p) {
    uint64_t state = ((uint64_t)(uint32_t)p.centre << 32) | (uint32_t)p.context;
    return test_number(&state);
}

/* Every pair of the units, none else, each in its bucket. */
static void buckets_hold_all_pairs(void **state) {
    cafe_context *context = test_context(3, 1);
    cafe_graph *g = test_random(context, 90, 250, 0, 0, 2);
    cafe_walker walker;
    cafe_grid grid;
    static cafe_pair room[4096];
    (void)state;
    TEST_OK(context, cafe_walker_new(context, g, 1, 1, &walker));
    cafe_walk_pairs walks = {&walker, 1, 2, 20, 4};
    cafe_pair_source source = cafe_walk_source(&walks);
    TEST_OK(context, cafe_grid_new(context, &source, 7, 10000, &grid));
    assert_true(grid.capacity <= 10000);
    for (int64_t first = 0, batch = 0; first < 2 * source.units; first += grid.units, batch++) {
        uint64_t expected = 0, found = 0;
        int64_t total = 0;
        TEST_OK(context, cafe_grid_fill(context, &source, first, grid.units, batch, &grid));
        for (int64_t unit = first; unit < first + grid.units; unit++) {
            int64_t count = source.emit(source.self, unit, room);
            for (int64_t k = 0; k < count; k++) expected += pair_mark(room[k]);
            total += count;
        }
        assert_int_equal(grid.start[49], total);
        for (int64_t b = 0; b < 49; b++)
            for (int64_t k = grid.start[b]; k < grid.start[b + 1]; k++) {
                assert_int_equal(grid.pairs[k].centre % 7 * 7 + grid.pairs[k].context % 7, b);
                found += pair_mark(grid.pairs[k]);
            }
        assert_true(found == expected);
    }
    cafe_grid_free(context, &grid);
    cafe_walker_free(context, &walker);
    cafe_graph_free(g);
    cafe_context_free(context);
}

/* ---- the tree -------------------------------------------------------------------------------- */

static double follow(const cafe_path *path, int64_t leaf, const double *go_left) {
    double probability = 1;
    for (int64_t d = path->offsets[leaf]; d < path->offsets[leaf + 1]; d++) {
        double left = go_left[path->decisions[d] / 2];
        probability *= path->decisions[d] & 1 ? 1 - left : left;
    }
    return probability;
}

/* Whatever the decisions, the leaves' probabilities add up to 1; ways are short on average. */
static void the_tree_is_a_distribution(void **state) {
    static const int64_t sizes[] = {1, 2, 3, 17, 18, 90, 500};
    (void)state;
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        int64_t n = sizes[k], blocks = cafe_skipgram_blocks(n);
        cafe_context *context = test_context(1, 1);
        test_links l = test_links_new(n - 1); /* a star: one frequent leaf */
        for (int32_t i = 0; i < n - 1; i++) l.source[i] = 0, l.target[i] = i + 1;
        cafe_graph *g = test_graph(context, n, &l, 0, NULL);
        cafe_tree tree;
        double go_left[500], sum = 0, mean = 0, degrees = 0, entropy = 0;
        uint64_t number = 8;
        TEST_OK(context, cafe_tree_new(context, g, blocks, &tree));
        assert_int_equal(tree.rows, n - 1);
        for (int64_t i = 0; i < n; i++) go_left[i] = (double)test_below(&number, 1001) / 1000;
        for (int64_t u = 0; u < n; u++) degrees += cafe_row_sum(g->offsets, g->weights, u);
        for (int64_t u = 0; u < n; u++) {
            double share = degrees > 0 ? cafe_row_sum(g->offsets, g->weights, u) / degrees : 1;
            sum += follow(&tree.top, u % blocks, go_left) * follow(&tree.inner, u, go_left);
            mean +=
                share * (double)(tree.top.offsets[u % blocks + 1] - tree.top.offsets[u % blocks] +
                                 tree.inner.offsets[u + 1] - tree.inner.offsets[u]);
            entropy -= share * log2(share);
        }
        assert_true(fabs(sum - 1) < 1e-9);
        assert_true(mean <= entropy + 2);
        cafe_tree_free(context, &tree);
        cafe_graph_free(g);
        test_links_free(&l);
        cafe_context_free(context);
    }
}

/* ---- loops ----------------------------------------------------------------------------------- */

static void the_sigmoid_is_close(void **state) {
    cafe_sigma sigma;
    float before = 0;
    (void)state;
    cafe_sigma_init(&sigma);
    for (int i = -90000; i <= 90000; i++) {
        float x = (float)i / 10000, value = cafe_sigma_at(&sigma, x);
        float exact = 1 / (1 + expf(-x));
        assert_true(fabsf(value - exact) < (fabsf(x) <= 8 ? 1e-6f : 4e-4f));
        assert_true(value >= before);
        before = value;
    }
    assert_true(cafe_sigma_at(&sigma, INFINITY) > 0.999f);
    assert_true(cafe_sigma_at(&sigma, -INFINITY) < 0.001f);
}

static void loops_have_the_same_bits(void **state) {
    static const char *names[] = {"plain", "avx2", "avx512"};
    static const int64_t strides[] = {4, 8, 16, 48, 128};
    _Alignas(64) float h[3][128], c[3][128], move[3][128];
    (void)state;
    for (size_t k = 0; k < sizeof strides / sizeof *strides; k++) {
        int64_t stride = strides[k];
        uint64_t number = 3 + k;
        float first = 0, g = 0.3f;
        double exact = 0;
        for (int64_t i = 0; i < stride; i++) {
            h[0][i] = (float)test_below(&number, 2001) / 1000 - 1;
            c[0][i] = (float)test_below(&number, 2001) / 1000 - 1;
            move[0][i] = (float)test_below(&number, 2001) / 1000 - 1;
            exact += (double)h[0][i] * c[0][i];
        }
        float old_h = h[0][1], old_c = c[0][1], old_move = move[0][1];
        for (int i = 1; i < 3; i++) {
            memcpy(h[i], h[0], sizeof h[0]);
            memcpy(c[i], c[0], sizeof c[0]);
            memcpy(move[i], move[0], sizeof move[0]);
        }
        for (int i = 0; i < 3; i++) {
            const cafe_skip_kernels *kernels = cafe_skip_kernels_named(names[i]);
            if (!kernels) continue;
            float dot = kernels->dot(stride, h[i], c[i]);
            if (i == 0) first = dot;
            assert_memory_equal(&dot, &first, sizeof dot);
            kernels->pull(stride, g, h[i], c[i], move[i]);
            assert_memory_equal(c[i], c[0], (size_t)stride * sizeof(float));
            assert_memory_equal(move[i], move[0], (size_t)stride * sizeof(float));
        }
        assert_true(fabs(first - exact) < 1e-4);
        assert_true(fabsf(c[0][1] - (old_c + g * old_h)) < 1e-6f);
        assert_true(fabsf(move[0][1] - (old_move + g * old_c)) < 1e-6f);
        for (int i = 0; i < 3; i++) {
            const cafe_skip_kernels *kernels = cafe_skip_kernels_named(names[i]);
            if (!kernels) continue;
            float noted = move[i][1];
            kernels->apply(stride, move[i], h[i]);
            assert_true(h[i][1] == old_h + noted);
            for (int64_t j = 0; j < stride; j++) assert_true(move[i][j] == 0);
            assert_memory_equal(h[i], h[0], (size_t)stride * sizeof(float));
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_steps_follow_the_weights),
        cmocka_unit_test(second_steps_follow_the_definition),
        cmocka_unit_test(walks_follow_edges),
        cmocka_unit_test(noise_follows_its_power_of_the_degree),
        cmocka_unit_test(orders_are_permutations),
        cmocka_unit_test(windows_are_complete),
        cmocka_unit_test(reaches_are_uniform),
        cmocka_unit_test(buckets_hold_all_pairs),
        cmocka_unit_test(the_tree_is_a_distribution),
        cmocka_unit_test(the_sigmoid_is_close),
        cmocka_unit_test(loops_have_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
