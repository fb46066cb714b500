/* Compressed text that repeats its edges: the graph and the counts of the plain text, in memory
 * that does not depend on the repetitions of a line. */
#define _GNU_SOURCE
#include "packed.h"
#include "test_io.h"

#include "base/context.h"

/* `times` copies of the text, then the end, as plain text and as gzip; the caller frees both. */
typedef struct doubled {
    char *plain;
    uint8_t *packed;
    size_t plain_size, packed_size;
} doubled;

static doubled repeat(const char *text, int64_t times, const char *end) {
    size_t length = strlen(text);
    doubled d = {.plain_size = length * (size_t)times + strlen(end)};
    d.plain = malloc(d.plain_size + 1);
    d.packed = malloc(d.plain_size / 8 + 65536);
    assert_true(d.plain && d.packed);
    for (int64_t i = 0; i < times; i++) memcpy(d.plain + (size_t)i * length, text, length);
    strcpy(d.plain + (size_t)times * length, end);
    d.packed_size =
        test_pack(IGZIP_GZIP, d.plain, d.plain_size, d.packed, d.plain_size / 8 + 65536);
    assert_true(d.packed_size > 0 && d.packed_size * 17 < d.plain_size);
    return d;
}

static void free_doubled(doubled *d) {
    free(d->plain);
    free(d->packed);
}

/* The same graph and the same counts from both, in windows of any size. */
static void expect_both(const char *text, int64_t times, const char *end,
                        const cafe_graph_options *options) {
    static const int64_t windows[] = {0, 20000};
    doubled d = repeat(text, times, end);
    for (size_t i = 0; i < sizeof windows / sizeof *windows; i++) {
        cafe_graph *a = NULL, *b = NULL;
        TEST_OK(shared,
                io_read_windows(shared, "x.txt", d.plain, d.plain_size, windows[i], options, &a));
        TEST_OK(shared,
                io_read_windows(shared, "x.txt", d.packed, d.packed_size, windows[i], options, &b));
        io_expect_equal(a, b);
        cafe_graph_counts plain = *cafe_graph_get_counts(a), packed = *cafe_graph_get_counts(b);
        assert_memory_equal(&plain, &packed, sizeof plain);
        cafe_graph_free(a);
        cafe_graph_free(b);
    }
    free_doubled(&d);
}

/* Integers, wide ones, strings; weights; loops and zeros; every rule. */
static void test_same_graph(void **state) {
    static const struct {
        const char *text, *end;
    } cases[] = {
        {"0 1\n", "1 2\n"},
        {"0 1\n1 0\n2 2\n3 1\n", "4 5\n"},
        {"7 99999999999\n-5 7\n", "7 7\n"},
        {"a b\nb c\nb a\nc c\n", "d a\n"},
        {"0 1 0.1\n1 0 2.5\n2 2 3\n3 1 0\n", "0 1 1e-3\n"},
        {"a,b,0.3\nb,c,7\n\"c d\",a,1\n", "b,a,1e10\n"},
        {"0 1 3e37\n2 3 1e30\n", "1 2 5e30\n"},
        {"0 1 2\n1 0 2\n3 1 0.5\n1 3 0.5\n", "1 0 2\n0 1 2\n"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int32_t rule = 0; rule < 3; rule++)
            for (int32_t loops = 0; loops < 2; loops++) {
                cafe_graph_options o;
                cafe_graph_options_init(&o);
                o.duplicates = rule;
                o.self_loops = loops;
                /* so heavy a pair must not be added up */
                if (i == 6 && rule != CAFE_DUPLICATES_ONE) continue;
                expect_both(cases[i].text, 6001, cases[i].end, &o);
                o.directed = CAFE_DIRECTED_SUM;
                expect_both(cases[i].text, 2001, cases[i].end, &o);
            }
}

/* 80 million bytes of one line, from some hundred thousand: memory is that of the windows. */
static void test_memory(void **state) {
    enum { TIMES = 20 << 20 };
    static const int32_t rules[] = {CAFE_DUPLICATES_AUTO, CAFE_DUPLICATES_SUM};
    doubled d = repeat("0 1\n", TIMES, "1 2\n");
    (void)state;
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        cafe_graph *graph = NULL;
        cafe_graph_options o;
        cafe_graph_options_init(&o);
        o.duplicates = rules[i];
        cafe_reset_peak_bytes(shared);
        TEST_OK(shared, io_read_bytes(shared, "x.txt", d.packed, d.packed_size, &o, &graph));
        const cafe_graph_counts *c = cafe_graph_get_counts(graph);
        assert_int_equal(c->lines, (int64_t)TIMES + 1);
        assert_int_equal(c->duplicates, (int64_t)TIMES - 1);
        assert_int_equal(c->edges, 2);
        assert_true(c->total_weight == (i == 0 ? 4 : 2.0 * TIMES + 2));
        cafe_graph_free(graph);
        if (cafe_peak_bytes(shared) > (int64_t)256 << 20)
            fail_msg("%.0f MB for a file of %.1f MB", (double)cafe_peak_bytes(shared) / 1e6,
                     (double)d.packed_size / 1e6);
    }
    free_doubled(&d);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_graph),
                                       cmocka_unit_test(test_memory)};
    return cmocka_run_group_tests(tests, io_start, io_stop);
}
