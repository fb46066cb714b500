/* The kernels and the operator: against their definitions, on every instruction set. */
#include "dense.h"
#include "failing.h"
#include "kernels/row_kernels.h"
#include "operator/operator.h"
#include "queries.h"
#include "sample/sampled_graph.h"

/* ---- kernels --------------------------------------------------------------------------------- */

enum { ROWS = 300, ARCS = 700 };

static void fill(float *x, int64_t count, uint64_t seed) {
    for (int64_t i = 0; i < count; i++)
        x[i] = (float)((double)(test_number(&seed) >> 11) * 0x1p-52 - 1);
}

static void gather_adds_rows(void **state) {
    (void)state;
    static const int64_t columns[] = {1, 3, 4, 7, 8, 16, 20, 64, 100, 128, 130, 300};
    uint64_t seed = 5;
    int32_t targets[ARCS + CAFE_AHEAD] = {0};
    float weights[ARCS];
    for (int i = 0; i < ARCS; i++) targets[i] = (int32_t)test_below(&seed, ROWS);
    fill(weights, ARCS, 6);
    for (size_t c = 0; c < sizeof columns / sizeof *columns; c++) {
        int64_t stride = cafe_stride(columns[c]);
        float *h = malloc((size_t)(ROWS * stride) * sizeof *h);
        float *out = malloc((size_t)stride * sizeof *out), *first = malloc((size_t)stride * 4);
        fill(h, ROWS * stride, 7);
        for (int weighted = 0; weighted < 2; weighted++) {
            cafe_kernels_best()->gather(h, stride, targets, weighted ? weights : NULL, ARCS, 1,
                                        first);
            for (int64_t k = 0; k < stride; k++) {
                double sum = 0;
                for (int j = 0; j < ARCS; j++)
                    sum += (weighted ? weights[j] : 1) * (double)h[targets[j] * stride + k];
                assert_float_equal(first[k], sum, 1e-4);
            }
            /* every instruction set gives the same bits */
            static const char *const names[] = {"plain", "avx2", "avx512"};
            for (int i = 0; i < 3; i++) {
                const cafe_kernels *kernels = cafe_kernels_named(names[i]);
                if (!kernels) continue;
                kernels->gather(h, stride, targets, weighted ? weights : NULL, ARCS, 1, out);
                assert_memory_equal(out, first, (size_t)stride * sizeof *out);
            }
        }
        free(h);
        free(out);
        free(first);
    }
    assert_null(cafe_kernels_named("mmx"));
}

/* The updates in double precision, from their formulas. */
static void expect_sphere(int64_t stride, const float *h, const double *z, double *now) {
    double norm = 0;
    for (int64_t k = 0; k < stride; k++) now[k] = z[k] + 0.5 * h[k], norm += now[k] * now[k];
    for (int64_t k = 0; k < stride; k++) now[k] /= sqrt(norm);
}

static void expect_softmax(int64_t stride, const float *h, const double *z, double *now) {
    double sum = 0;
    for (int64_t k = 0; k < stride; k++) now[k] = h[k] * exp(3 * z[k]), sum += now[k];
    for (int64_t k = 0; k < stride; k++) now[k] /= sum;
}

/* Of 16 bits: the same row, rounded, and the gain of that. */
static void check_stored(const cafe_kernels *kernels, int soft, int64_t stride, const float *h,
                         const float *s, const float *sum, const float *whole) {
    const cafe_pull pull = {0.25f, 0.125f};
    for (int32_t storage = CAFE_STORAGE_FLOAT16; storage <= CAFE_STORAGE_BFLOAT16; storage++) {
        float row[208];
        double linear = 0, square = 0;
        memcpy(row, sum, sizeof row);
        cafe_gain gain = soft ? kernels->softmax(storage, stride, h, s, pull, 3, row)
                              : kernels->sphere(storage, stride, h, s, pull, 0.5f, row);
        for (int64_t k = 0; k < stride; k++) {
            double z = sum[k] * 0.25 - s[k] + 0.125 * h[k], delta = (double)row[k] - h[k];
            assert_true(row[k] == cafe_round_to(storage, whole[k]));
            linear += z * delta;
            square += delta * delta;
        }
        assert_float_equal(gain.linear, linear, 2e-5);
        assert_float_equal(gain.square, square, 2e-5);
    }
}

static void updates_are_their_formulas(void **state) {
    (void)state;
    static const int64_t strides[] = {4, 8, 16, 48, 128, 208};
    static const char *const names[] = {"plain", "avx2", "avx512"};
    const cafe_pull pull = {0.25f, 0.125f};
    for (size_t i = 0; i < sizeof strides / sizeof *strides; i++)
        for (int soft = 0; soft < 2; soft++) {
            int64_t stride = strides[i];
            float h[208], s[208], sum[208], row[208], bits[208];
            double z[208], now[208], linear = 0, square = 0;
            fill(h, stride, 1), fill(s, stride, 2), fill(sum, stride, 3);
            for (int64_t k = 0; soft && k < stride; k++) h[k] = k % 3 ? fabsf(h[k]) : 0;
            for (int64_t k = 0; k < stride; k++) z[k] = sum[k] * 0.25 - s[k] + 0.125 * h[k];
            if (soft)
                expect_softmax(stride, h, z, now);
            else
                expect_sphere(stride, h, z, now);
            for (int64_t k = 0; k < stride; k++) {
                linear += z[k] * (now[k] - h[k]);
                square += (now[k] - h[k]) * (now[k] - h[k]);
            }
            for (int n = 0; n < 3; n++) {
                const cafe_kernels *kernels = cafe_kernels_named(names[n]);
                if (!kernels) continue;
                memcpy(row, sum, sizeof row);
                cafe_gain gain = soft ? kernels->softmax(0, stride, h, s, pull, 3, row)
                                      : kernels->sphere(0, stride, h, s, pull, 0.5f, row);
                assert_float_equal(gain.linear, linear, 2e-5);
                assert_float_equal(gain.square, square, 2e-5);
                for (int64_t k = 0; k < stride; k++) assert_float_equal(row[k], now[k], 1e-6);
                if (n == 0) memcpy(bits, row, sizeof bits);
                assert_memory_equal(bits, row, (size_t)stride * sizeof *bits);
                check_stored(kernels, soft, stride, h, s, sum, bits);
            }
        }
}

/* ---- rows of 16 bits ------------------------------------------------------------------------- */

/* The nearest number, ties to even, of what rows hold: sizes from 1 down to where it is 0. */
static void rounding_is_to_the_nearest(void **state) {
    uint64_t seed = 5;
    (void)state;
    for (int32_t storage = CAFE_STORAGE_FLOAT16; storage <= CAFE_STORAGE_BFLOAT16; storage++)
        for (int i = 0; i < 200000; i++) {
            float x = (float)((double)(test_number(&seed) >> 11) * 0x1p-52 - 1);
            x = i % 3 ? ldexpf(x, -(int)(test_number(&seed) % 28))
                      : cafe_unpack(storage, (uint16_t)(i % 0x3C00)) * (i % 2 ? 1.00048828125f : 1);
            float to = cafe_round_to(storage, x);
            uint16_t bits = cafe_pack(storage, to);
            double off = fabs((double)x - to);
            assert_true(cafe_unpack(storage, bits) == to);
            for (int side = -1; side <= 1; side += 2) {
                if ((bits & 0x7FFF) == 0 && side < 0) continue;
                double other = fabs((double)x - cafe_unpack(storage, (uint16_t)(bits + side)));
                assert_true(off < other || (off == other && bits % 2 == 0));
            }
        }
}

/* Every set of kernels rounds, packs and sums up as the definition does. */
static void packed_rows_are_the_same_rows(void **state) {
    enum { MANY = 40, LINKS = 300 };
    static const int64_t strides[] = {4, 8, 16, 32, 48, 112, 128, 208};
    static const char *const names[] = {"plain", "avx2", "avx512"};
    static float x[MANY * 208], y[MANY * 208], weights[LINKS + CAFE_AHEAD];
    static uint16_t packed[MANY * 208];
    int32_t targets[LINKS + CAFE_AHEAD];
    (void)state;
    for (int j = 0; j < LINKS + CAFE_AHEAD; j++) targets[j] = j * 17 % MANY;
    fill(weights, LINKS, 4);
    for (int n = 0; n < 3; n++) {
        const cafe_kernels *kernels = cafe_kernels_named(names[n]);
        for (size_t i = 0; kernels && i < sizeof strides / sizeof *strides; i++)
            for (int32_t storage = CAFE_STORAGE_FLOAT16; storage <= CAFE_STORAGE_BFLOAT16;
                 storage++) {
                int64_t stride = strides[i], count = MANY * stride;
                float sum[208], other[208];
                fill(x, count, 7);
                for (int64_t k = 0; k < count; k += 5) x[k] *= 1e-6f;
                memcpy(y, x, sizeof y);
                kernels->round(storage, count, y);
                kernels->pack(storage, count, y, packed);
                for (int64_t k = 0; k < count; k++) {
                    assert_true(y[k] == cafe_round_to(storage, x[k]));
                    assert_int_equal(packed[k], cafe_pack(storage, y[k]));
                }
                for (int weighted = 0; weighted < 2; weighted++) {
                    const float *w = weighted ? weights : NULL;
                    kernels->gather(y, stride, targets, w, LINKS, 1, sum);
                    kernels->gather_packed(storage, packed, stride, targets, w, LINKS, 1, other);
                    assert_memory_equal(sum, other, (size_t)stride * sizeof *sum);
                }
            }
    }
}

/* No theta overflows, and rows stay probabilities. */
static void softmax_bears_any_theta(void **state) {
    (void)state;
    for (float theta = 1e-6f; theta < 1e30f; theta *= 100) {
        float h[16], s[16] = {0}, row[16];
        double sum = 0;
        fill(row, 16, 5);
        for (int k = 0; k < 16; k++) h[k] = 1.0f / 16;
        cafe_kernels_best()->softmax(0, 16, h, s, (cafe_pull){1, 0}, theta, row);
        for (int k = 0; k < 16; k++) {
            assert_true(row[k] >= 0 && row[k] <= 1.000001f);
            sum += row[k];
        }
        assert_float_equal(sum, 1, 1e-5);
    }
}

/* ---- the operator ---------------------------------------------------------------------------- */

typedef cafe_graph *maker(cafe_context *context);
static cafe_graph *weighted(cafe_context *context) {
    return test_random(context, 120, 500, 1, 0, 11);
}
static cafe_graph *loops(cafe_context *context) {
    return test_random(context, 90, 400, 1, 1, 12);
}
static cafe_graph *plain(cafe_context *context) {
    return test_random(context, 150, 300, 0, 0, 13);
}
static maker *const makers[] = {test_karate, weighted, loops, plain};
enum { MAKERS = 4 };

static void p_is_a_distribution(void **state) {
    (void)state;
    for (int g = 0; g < MAKERS; g++) {
        cafe_context *context = test_context(2, 1);
        test_problem t = test_open(context, makers[g](context));
        int64_t n = cafe_sampled_nodes(t.sampled);
        double total = 0;
        for (int64_t u = 0; u < n; u++) {
            double row = 0;
            for (int64_t w = 0; w < n; w++) {
                double pair = cafe_sampled_pair(t.sampled, u, w);
                assert_true(pair >= 0 && pair == cafe_sampled_pair(t.sampled, w, u));
                row += pair;
            }
            assert_float_equal(row, cafe_sampled_node(t.sampled, u), 1e-12);
            total += row;
        }
        assert_float_equal(total, 1, 1e-12);
        test_close(&t);
    }
}

static void rows_and_products_match_the_dense_q(void **state) {
    (void)state;
    static const int64_t columns[] = {1, 2, 5, 16, 33};
    for (int g = 0; g < MAKERS; g++) {
        cafe_context *context = test_context(2, 1);
        test_problem t = test_open(context, makers[g](context));
        int64_t n = t.op->n;
        double *p = malloc((size_t)n * sizeof *p), *row = malloc((size_t)n * sizeof *row);
        double *q = test_dense_q(t.graph, p), *y = malloc((size_t)n * sizeof *y);
        for (int64_t u = 0; u < n; u++) {
            double sum = 0;
            TEST_OK(context, cafe_operator_row(context, t.op, u, row));
            for (int64_t w = 0; w < n; w++) {
                assert_float_equal(row[w], q[u * n + w], 1e-14);
                sum += row[w];
            }
            assert_float_equal(sum, 0, 1e-14); /* rows of Q sum to 0 */
        }
        assert_int_equal(cafe_operator_row(context, t.op, n, row), CAFE_ERROR_ARGUMENT);
        assert_int_equal(cafe_operator_row(context, t.op, -1, row), CAFE_ERROR_ARGUMENT);
        for (size_t c = 0; c < sizeof columns / sizeof *columns; c++) {
            int64_t k = columns[c];
            float *x = test_block(n, k, 3), *product = malloc((size_t)(n * k) * sizeof *product);
            double trace;
            TEST_OK(context, cafe_operator_product(context, t.op, k, x, product));
            for (int64_t j = 0; j < k; j++) {
                test_dense_times(n, q, x, k, j, y);
                for (int64_t u = 0; u < n; u++) assert_float_equal(product[u * k + j], y[u], 1e-7);
            }
            TEST_OK(context, test_trace(context, t.op, k, x, &trace));
            assert_float_equal(trace, test_dense_trace(n, q, x, k), 1e-5);
            free(x);
            free(product);
        }
        assert_int_equal(cafe_operator_product(context, t.op, 0, NULL, NULL), CAFE_ERROR_ARGUMENT);
        free(p), free(q), free(row), free(y);
        test_close(&t);
    }
}

static void covariances_are_sums_of_q(void **state) {
    (void)state;
    enum { PARTS = 4 };
    for (int g = 0; g < MAKERS; g++) {
        cafe_context *context = test_context(1, 1);
        test_problem t = test_open(context, makers[g](context));
        int64_t n = t.op->n;
        double *p = malloc((size_t)n * sizeof *p), *q = test_dense_q(t.graph, p);
        int32_t *part = malloc((size_t)n * sizeof *part);
        double covariance[PARTS * PARTS], expected[PARTS * PARTS] = {0}, all = 0;
        uint64_t seed = 9;
        for (int64_t u = 0; u < n; u++) part[u] = (int32_t)test_below(&seed, PARTS + 1) - 1;
        for (int64_t i = 0; i < n * n; i++)
            if (part[i / n] >= 0 && part[i % n] >= 0)
                expected[part[i / n] * PARTS + part[i % n]] += q[i];
        TEST_OK(context, test_covariance(context, t.op, part, PARTS, covariance));
        for (int i = 0; i < PARTS * PARTS; i++)
            assert_float_equal(covariance[i], expected[i], 1e-12);
        for (int64_t u = 0; u < n; u++) part[u] = (int32_t)(u % PARTS);
        TEST_OK(context, test_covariance(context, t.op, part, PARTS, covariance));
        for (int i = 0; i < PARTS * PARTS; i++) all += covariance[i];
        assert_float_equal(all, 0, 1e-12); /* 1^T Q 1 = 0 */
        part[0] = PARTS;
        assert_int_equal(test_covariance(context, t.op, part, PARTS, covariance),
                         CAFE_ERROR_ARGUMENT);
        free(p), free(q), free(part);
        test_close(&t);
    }
}

/* The two factions of the karate club, as they split: modularity 0.3582 (known from the literature
 * to four digits). */
static void karate_factions_have_their_modularity(void **state) {
    (void)state;
    static const int mr_hi[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 16, 17, 19, 21};
    cafe_context *context = test_context(1, 1);
    test_problem t = test_open(context, test_karate(context));
    int32_t part[TEST_KARATE_NODES] = {0};
    double covariance[4];
    for (size_t i = 0; i < sizeof mr_hi / sizeof *mr_hi; i++) part[mr_hi[i]] = 1;
    TEST_OK(context, test_covariance(context, t.op, part, 2, covariance));
    assert_float_equal(covariance[0] + covariance[3], 0.3582, 5e-5);
    test_close(&t);
}

static void products_have_the_same_bits_for_any_threads(void **state) {
    (void)state;
    enum { K = 20 };
    float *first = NULL;
    double first_trace = 0;
    for (int i = 0; i < TEST_THREADS; i++) {
        cafe_context *context = test_context(test_thread_counts[i], 1);
        test_problem t = test_open(context, test_random(context, 5000, 40000, 1, 1, 21));
        int64_t n = t.op->n;
        float *x = test_block(n, K, 3), *y = malloc((size_t)(n * K) * sizeof *y);
        double trace;
        TEST_OK(context, cafe_operator_product(context, t.op, K, x, y));
        TEST_OK(context, test_trace(context, t.op, K, x, &trace));
        if (!first) {
            first = y, first_trace = trace;
        } else {
            assert_memory_equal(first, y, (size_t)(n * K) * sizeof *y);
            assert_true(first_trace == trace);
            free(y);
        }
        free(x);
        test_close(&t);
    }
    free(first);
}

static void a_graph_without_edges_is_refused(void **state) {
    (void)state;
    cafe_context *context = test_context(1, 1);
    cafe_graph *graph = NULL;
    cafe_sampled *sampled = NULL;
    TEST_OK(context, cafe_graph_from_edges(context, 3, 0, NULL, NULL, NULL, NULL, &graph));
    assert_int_equal(cafe_sample(context, graph, CAFE_SAMPLING_EDGE, NULL, NULL, &sampled),
                     CAFE_ERROR_ARGUMENT);
    assert_null(sampled);
    assert_int_equal(cafe_sample(context, graph, (cafe_sampling)77, NULL, NULL, &sampled),
                     CAFE_ERROR_ARGUMENT);
    cafe_graph_free(graph);
    cafe_context_free(context);
}

static void calls_survive_failing_memory(void **state) {
    (void)state;
    test_failing memory;
    cafe_context *context = test_failing_context(&memory, 2);
    cafe_graph *graph = test_random(context, 60, 200, 1, 1, 4);
    cafe_sampled *sampled = NULL;
    cafe_operator *op = NULL;
    int64_t n = cafe_graph_nodes(graph);
    float *x = test_block(n, 5, 1), *y = malloc((size_t)(n * 5) * sizeof *y);
    int32_t *part = calloc((size_t)n, sizeof *part);
    double number;
    for (int call = 0; call < 5; call++)
        for (long k = 0;; k++) {
            long live = test_failing_arm(&memory, k);
            cafe_status status =
                call == 0   ? cafe_sample(context, graph, CAFE_SAMPLING_EDGE, NULL, NULL, &sampled)
                : call == 1 ? cafe_operator_modularity(context, sampled, &op)
                : call == 2 ? cafe_operator_product(context, op, 5, x, y)
                : call == 3 ? test_trace(context, op, 5, x, &number)
                            : test_covariance(context, op, part, 1, &number);
            int failed = test_failing_disarm(&memory);
            test_failing_expect(&memory, status, failed, live, context);
            if (!failed) break;
        }
    free(x), free(y), free(part);
    cafe_operator_free(op);
    cafe_sampled_free(sampled);
    cafe_graph_free(graph);
    cafe_context_free(context);
    assert_int_equal(atomic_load(&memory.live), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gather_adds_rows),
        cmocka_unit_test(updates_are_their_formulas),
        cmocka_unit_test(softmax_bears_any_theta),
        cmocka_unit_test(rounding_is_to_the_nearest),
        cmocka_unit_test(packed_rows_are_the_same_rows),
        cmocka_unit_test(p_is_a_distribution),
        cmocka_unit_test(rows_and_products_match_the_dense_q),
        cmocka_unit_test(covariances_are_sums_of_q),
        cmocka_unit_test(karate_factions_have_their_modularity),
        cmocka_unit_test(products_have_the_same_bits_for_any_threads),
        cmocka_unit_test(a_graph_without_edges_is_refused),
        cmocka_unit_test(calls_survive_failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
