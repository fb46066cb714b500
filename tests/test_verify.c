/* Readers and builders get data that is no graph. A .cafe file with right checksums and an error in
 * it is refused, each with its own message. Trusted ones stay within bounds.
 */
#define _GNU_SOURCE
#include <math.h>

#include <cafe-private/text.h>

#include "craft.h"
#include "failing.h"
#include "graph/row_checks.h"
#include "kernels/row_kernels.h"

static cafe_context *shared;

static int setup(void **state) {
    (void)state;
    return cafe_context_create(NULL, &shared) == CAFE_OK ? 0 : -1;
}

static int teardown(void **state) {
    (void)state;
    cafe_context_free(shared);
    return 0;
}

/* A weighted path a - b - c - d with a loop at d, names and all. */
static const char path[] = "a b 1\nb c 2\nc d 5\nd d 3\n";

static char *path_file(size_t *size) {
    cafe_graph_options o;
    cafe_graph_options_init(&o);
    o.self_loops = CAFE_LOOPS_KEEP;
    cafe_graph *graph = io_read(shared, "x", path, &o);
    char *bytes = craft_file(shared, graph, size);
    cafe_graph_free(graph);
    return bytes;
}

/* ---- falsehoods ------------------------------------------------------------------------------ */

/* Rows: a: b | b: a c | c: b d | d: c d; weights 1 | 1 2 | 2 5 | 5 6 */
static void descend(char *f) {
    ((int64_t *)craft_section(f, CAFE_BINARY_OFFSETS))[2] = 0;
}
static void beyond(char *f) {
    ((int64_t *)craft_section(f, CAFE_BINARY_OFFSETS))[1] = 99;
}
static void unclosed(char *f) {
    ((int64_t *)craft_section(f, CAFE_BINARY_OFFSETS))[4] = 6;
}
static void not_a_node(char *f) {
    ((int32_t *)craft_section(f, CAFE_BINARY_TARGETS))[2] = 4;
}
static void below_zero(char *f) {
    ((int32_t *)craft_section(f, CAFE_BINARY_TARGETS))[0] = -1;
}
static void disorder(char *f) {
    int32_t *targets = craft_section(f, CAFE_BINARY_TARGETS);
    targets[1] = 2, targets[2] = 0;
}
static void twice(char *f) {
    ((int32_t *)craft_section(f, CAFE_BINARY_TARGETS))[2] = 0;
}
static void one_way(char *f) {
    ((int32_t *)craft_section(f, CAFE_BINARY_TARGETS))[0] = 2;
}
static void two_weights(char *f) {
    ((float *)craft_section(f, CAFE_BINARY_VALUES))[0] = 4;
}
static void no_weight(char *f) {
    ((float *)craft_section(f, CAFE_BINARY_VALUES))[6] = 0;
}
static void nan_weight(char *f) {
    memset(craft_section(f, CAFE_BINARY_VALUES), 0xff, 4);
}
static void same_names(char *f) {
    memcpy(craft_section(f, CAFE_BINARY_TEXT), "abca", 4);
}
static void broken_name(char *f) {
    memcpy(craft_section(f, CAFE_BINARY_TEXT), "a\xff", 2);
}
static void two_lines(char *f) {
    memcpy(craft_section(f, CAFE_BINARY_TEXT), "a\n", 2);
}
static void empty_name(char *f) {
    ((int64_t *)craft_section(f, CAFE_BINARY_NAMES))[1] = 0;
}
static void names_beyond(char *f) {
    ((int64_t *)craft_section(f, CAFE_BINARY_NAMES))[2] = INT64_MAX;
}
static void names_unclosed(char *f) {
    ((int64_t *)craft_section(f, CAFE_BINARY_NAMES))[4] = 3;
}
#define FALSE_COUNT(name)                     \
    static void false_##name(char *f) {       \
        ((cafe_binary_header *)f)->name += 1; \
    }
FALSE_COUNT(edges)
FALSE_COUNT(isolated)
FALSE_COUNT(components)
FALSE_COUNT(largest)
FALSE_COUNT(min_degree)
FALSE_COUNT(max_degree)
FALSE_COUNT(total_weight)
static void no_loops(char *f) {
    ((cafe_binary_header *)f)->self_loops_kept = 0;
}
static void minus_lines(char *f) {
    ((cafe_binary_header *)f)->lines = -1;
}
static void not_zero(char *f) {
    ((cafe_binary_header *)f)->reserved[3] = 1;
}

static const struct falsehood {
    void (*tell)(char *file);
    const char *error;
    bool trusted; /* a trusted file may have it */
} falsehoods[] = {
    {descend, "g: node 1: expected offsets that ascend and stay within the arcs", false},
    {beyond, "g: node 0: expected offsets that ascend and stay within the arcs", false},
    {unclosed, "g: expected offsets from 0 to the number of arcs", false},
    {not_a_node, "g: node 1: expected neighbours that are nodes", false},
    {below_zero, "g: node 0: expected neighbours that are nodes", false},
    {disorder, "g: node 1: expected neighbours in ascending order, none twice", false},
    {twice, "g: node 1: expected neighbours in ascending order, none twice", false},
    {one_way, "g: node 0: expected its edge to node 2 in the row of both", true},
    {two_weights, "g: node 0: expected its edge to node 1 in the row of both", false},
    {no_weight, "g: node 3: expected weights that are positive and finite", false},
    {nan_weight, "g: node 0: expected weights that are positive and finite", false},
    {same_names, "g: node 3: expected a name of its own, found 'a' again", true},
    {broken_name, "g: node 1: expected a name of one line of UTF-8", false},
    {two_lines, "g: node 1: expected a name of one line of UTF-8", false},
    {empty_name, "g: node 0: expected a name of one line of UTF-8", false},
    {names_beyond, "g: node 1: expected a name of one line of UTF-8", false},
    {names_unclosed, "g: expected names from the first byte of their text to the last", false},
    {false_edges, "g: expected edges of 4, as the rows tell, found 5", false},
    {false_isolated, "g: expected isolated of 0, as the rows tell, found 1", false},
    {false_components, "g: expected components of 1, as the rows tell, found 2", true},
    {false_largest, "g: expected largest of 4, as the rows tell, found 5", false},
    {false_min_degree, "g: expected min_degree of 1, as the rows tell, found 2", false},
    {false_max_degree, "g: expected max_degree of 3, as the rows tell, found 4", false},
    {false_total_weight, "g: expected total_weight of 22, as the rows tell, found 23", false},
    {no_loops, "g: expected self_loops_kept of 1, as the rows tell, found 0", false},
    {minus_lines, "g: expected counts of edges that are not negative", false},
    {not_zero, "g: expected zeros behind the counts of the header", false},
};

static void test_falsehoods(void **state) {
    size_t size;
    char *sound = path_file(&size), *file = malloc(size);
    cafe_graph_options trusting;
    (void)state;
    cafe_graph_options_init(&trusting);
    trusting.trust = 1;
    for (size_t i = 0; i < sizeof falsehoods / sizeof *falsehoods; i++) {
        const struct falsehood *f = &falsehoods[i];
        cafe_graph *graph = NULL;
        memcpy(file, sound, size);
        f->tell(file);
        craft_seal(shared, file);
        io_refuse_bytes(shared, "g", file, size, NULL, f->error);
        cafe_status status = io_read_bytes(shared, "g", file, size, &trusting, &graph);
        if ((status == CAFE_OK) != f->trusted)
            fail_msg("trusted: %s: %s", f->error, cafe_error(shared));
        cafe_graph_free(graph);
    }
    for (int trust = 0; trust < 2; trust++) { /* and the sound file is read */
        cafe_graph *graph = NULL;
        trusting.trust = trust;
        TEST_OK(shared, io_read_bytes(shared, "g", sound, size, &trusting, &graph));
        assert_int_equal(cafe_graph_get_counts(graph)->components, 1);
        cafe_graph_free(graph);
    }
    free(file);
    free(sound);
}

/* One entry of a large graph is moved, or weighs a bit more: found wherever it is, and named. */
static void test_one_entry(void **state) {
    size_t size;
    uint64_t seed = 5;
    cafe_graph *graph = test_random(shared, 3000, 20000, 1, 0, 4);
    int64_t arcs = graph->arcs;
    char *sound = craft_file(shared, graph, &size), *file = malloc(size);
    (void)state;
    for (int i = 0; i < 200; i++) {
        memcpy(file, sound, size);
        int64_t at = test_below(&seed, arcs);
        float *weights = craft_section(file, CAFE_BINARY_VALUES);
        int32_t *targets = craft_section(file, CAFE_BINARY_TARGETS);
        if (i % 2)
            weights[at] *= 1 + 0x1p-20f;
        else if (at + 1 < arcs && targets[at] + 1 < targets[at + 1])
            targets[at]++;
        else
            continue;
        craft_seal(shared, file);
        io_refuse_bytes(shared, "g", file, size, NULL, "g: node ");
        assert_non_null(strstr(cafe_error(shared), "in the row of both"));
    }
    free(file);
    free(sound);
    cafe_graph_free(graph);
}

/* What is wrong with row u, one entry after the other; else its loops, and whether its weights
 * are 1.
 */
static cafe_row_fault look_at_row(const cafe_links *l, int64_t u, int64_t *loops, bool *unit) {
    int64_t from = l->offsets[u], to = l->offsets[u + 1], last = -1;
    cafe_row_fault weight = CAFE_ROW_FINE;
    if (from < 0 || from > to || to > l->count) return CAFE_ROW_OFFSETS;
    for (int64_t i = from; i < to; last = l->target[i++]) {
        if (l->target[i] < 0 || l->target[i] >= l->nodes) return CAFE_ROW_OUTSIDE;
        if (l->target[i] <= last) return CAFE_ROW_ORDER;
        *loops += l->target[i] == u;
        *unit &= !l->weights || l->weights[i] == 1;
        if (l->weights && !(l->weights[i] > 0 && isfinite(l->weights[i]))) weight = CAFE_ROW_WEIGHT;
    }
    return weight;
}

static void *copy_of(const void *from, int64_t bytes) {
    return from ? memcpy(malloc((size_t)bytes), from, (size_t)bytes) : NULL;
}

/* Rows are looked at many at a time: whatever is wrong, and wherever, the fault that is found is
 * the first, and the loops are counted. */
static void test_many_rows(void **state) {
    enum { NODES = 3000, LINKS = 20000 };
    static const float bad[] = {0, -1, NAN, INFINITY, 1};
    uint64_t seed = 9;
    int faults[5] = {0};
    (void)state;
    for (int i = 0; i < 600; i++) {
        cafe_graph *graph = test_random(shared, NODES, i % 3 ? LINKS : 2, i & 1, 1, (uint64_t)i);
        int64_t arcs = graph->arcs, *offsets = copy_of(graph->offsets, (NODES + 1) * 8);
        int32_t *targets = copy_of(graph->targets, arcs * 4);
        float *weights = copy_of(graph->weights, arcs * 4);
        cafe_links rows = {.nodes = NODES, .count = arcs, .offsets = offsets, .target = targets};
        cafe_verified found;
        int64_t at = test_below(&seed, arcs), loops = 0, u = 0;
        cafe_row_fault fault = CAFE_ROW_FINE;
        bool unit = true;
        rows.weights = weights;
        if (i % 8 == 0) targets[at] = (int32_t)test_below(&seed, NODES);
        if (i % 8 == 4) targets[at] = test_below(&seed, 2) ? -1 : NODES;
        if (i % 4 == 1) offsets[test_below(&seed, NODES)] += test_below(&seed, 5) - 2;
        if (i % 8 == 3 && weights) weights[at] = bad[test_below(&seed, 5)];
        while (u < NODES && !(fault = look_at_row(&rows, u, &loops, &unit))) u++;
        for (int symmetry = 0; symmetry < 2; symmetry++) {
            TEST_OK(shared, cafe_verify_rows(shared, &rows, symmetry, &found));
            assert_int_equal(found.fault, fault);
            assert_int_equal(found.row, fault ? u : INT64_MAX);
            if (fault) continue;
            assert_int_equal(found.loops, loops);
            assert_int_equal(found.unit, unit);
        }
        faults[fault]++;
        free(offsets), free(targets), free(weights);
        cafe_graph_free(graph);
    }
    for (int i = 0; i < 5; i++) assert_true(faults[i] > 3); /* every kind was there */
}

/* Every instruction set has the sums of the definition, for any number of links. */
static void test_hashes(void **state) {
    static const char *const names[] = {"plain", "avx2", "avx512"};
    uint64_t seed = 3, key[2] = {test_number(&seed), test_number(&seed)};
    int32_t targets[50];
    float weights[50];
    (void)state;
    for (int i = 0; i < 50; i++) {
        targets[i] = (int32_t)(test_number(&seed) >> 33);
        weights[i] = (float)test_below(&seed, 1000) / 7;
    }
    for (int n = 0; n < 3; n++) {
        const cafe_kernels *kernels = cafe_kernels_named(names[n]);
        for (int c = 0; kernels && c < 50 * 8; c++) {
            int64_t u = (int64_t)(test_number(&seed) >> 33), count = c / 8;
            uint64_t sum = 0, own = (uint64_t)u;
            const float *given = c & 1 ? weights : NULL;
            for (int64_t i = 0; i < count; i++) {
                uint64_t w = (uint64_t)targets[i], bits = given ? cafe_hash_weight(given[i]) : 0;
                sum +=
                    c & 2 ? cafe_hash_link(key, w, own, bits) : cafe_hash_link(key, own, w, bits);
            }
            assert_true(kernels->hash_links(key, u, (c & 2) != 0, targets, given, count) == sum);
        }
    }
}

/* Swapping the ends of two links keeps every degree and every sum of ids: only the pairs tell. */
static void test_swapped_ends(void **state) {
    const int32_t source[] = {0, 1, 2, 2, 3, 3}, target[] = {2, 3, 1, 3, 0, 2};
    cafe_graph *graph = craft_arcs(shared, 4, 6, source, target, NULL);
    cafe_links rows = {.nodes = 4, .count = 6, .offsets = graph->offsets, .target = graph->targets};
    cafe_verified found;
    int64_t u, w;
    (void)state;
    TEST_OK(shared, cafe_verify_rows(shared, &rows, true, &found));
    assert_int_equal(found.fault, CAFE_ROW_FINE);
    assert_false(found.symmetric);
    TEST_OK(shared, cafe_find_one_way(shared, &rows, &u, &w));
    assert_true(u == 0 && w == 2);
    cafe_graph_free(graph);
}

/* Many names, one of them twice: found by any number of threads, and always the same one. */
static void test_repeated_names(void **state) {
    enum { NAMES = 20000 };
    char *text = malloc(NAMES * 6);
    int64_t *start = malloc((NAMES + 1) * sizeof *start);
    (void)state;
    for (int i = 0; i <= NAMES; i++) start[i] = 6 * i;
    for (int i = 0; i < NAMES; i++) {
        char name[16];
        snprintf(name, sizeof name, "n%05d", i);
        memcpy(text + 6 * i, name, 6);
    }
    cafe_names names = {.kind = CAFE_NAMES_STRING, .start = start, .text = text};
    int64_t repeated;
    TEST_OK(shared, cafe_find_repeated_name(shared, &names, NAMES, &repeated));
    assert_int_equal(repeated, -1);
    memcpy(text + 6 * 19000, "n00007", 6);
    memcpy(text + 6 * 12345, "n12000", 6);
    for (int threads = 1; threads <= 8; threads *= 2) {
        cafe_context *context = test_context(threads, 1);
        TEST_OK(context, cafe_find_repeated_name(context, &names, NAMES, &repeated));
        assert_int_equal(repeated, 12345);
        cafe_context_free(context);
    }
    free(start);
    free(text);
}

/* ---- arrays ---------------------------------------------------------------------------------- */

static void refuse_rows(const int64_t *offsets, const int32_t *targets, const float *weights,
                        const char *error) {
    cafe_graph *graph = NULL;
    cafe_status status = cafe_graph_from_csr(shared, 3, offsets, targets, weights, 1, NULL, &graph);
    if (status != CAFE_ERROR_ARGUMENT || !strstr(cafe_error(shared), error))
        fail_msg("expected \"%s\", got %s: %s", error, cafe_status_name(status),
                 cafe_error(shared));
    assert_null(graph);
}

static void test_rows_of_callers(void **state) {
    const int32_t targets[] = {1, 0, 2, 1}, outside[] = {1, 0, 3, 1}, minus[] = {1, 0, -2, 1};
    const float weights[] = {1, 1, 2, 2}, negative[] = {1, 1, -2, 2};
    float nan[] = {1, 1, 0, 2};
    memset(&nan[2], 0xff, sizeof *nan);
    (void)state;
    refuse_rows((const int64_t[]){1, 1, 3, 4}, targets, weights, "offsets[0] is 1, not 0");
    refuse_rows((const int64_t[]){0, 3, 1, 4}, targets, weights, "row 1: its offsets descend");
    refuse_rows((const int64_t[]){0, -1, 3, 4}, targets, weights, "row 0: its offsets descend");
    refuse_rows((const int64_t[]){0, 1, 3, 4}, outside, weights, "node 3 is not within 0 .. 2");
    refuse_rows((const int64_t[]){0, 1, 3, 4}, minus, weights, "node -2 is not within 0 .. 2");
    refuse_rows((const int64_t[]){0, 1, 3, 4}, targets, negative, "entry 2");
    refuse_rows((const int64_t[]){0, 1, 3, 4}, targets, nan, "entry 2");
}

/* A graph on the caller's arrays notices every change of them: outside, one-sided, and sound. */
static void test_borrowed_rows_that_change(void **state) {
    int64_t offsets[] = {0, 2, 4, 6, 6};
    int32_t targets[] = {1, 2, 0, 2, 0, 1};
    float weights[] = {2, 3, 2, 5, 3, 5}, ones[] = {1, 1, 1, 1, 1, 1};
    cafe_graph *graph, *unit;
    (void)state;
    TEST_OK(shared, cafe_graph_from_csr(shared, 4, offsets, targets, weights, 1, NULL, &graph));
    TEST_OK(shared, cafe_graph_from_csr(shared, 4, offsets, targets, ones, 1, NULL, &unit));
    TEST_OK(shared, cafe_graph_unchanged(shared, graph));
    TEST_OK(shared, cafe_graph_unchanged(shared, unit));
    targets[1] = 3;
    assert_int_equal(cafe_graph_unchanged(shared, graph), CAFE_ERROR_ARGUMENT);
    assert_int_equal(cafe_graph_unchanged(shared, unit), CAFE_ERROR_ARGUMENT);
    targets[1] = 1 << 30;
    assert_int_equal(cafe_graph_unchanged(shared, graph), CAFE_ERROR_ARGUMENT);
    targets[1] = 2;
    offsets[1] = INT64_MAX;
    assert_int_equal(cafe_graph_unchanged(shared, graph), CAFE_ERROR_ARGUMENT);
    offsets[1] = 2;
    weights[0] = weights[2] = 7; /* another graph, and a sound one */
    assert_int_equal(cafe_graph_unchanged(shared, graph), CAFE_ERROR_ARGUMENT);
    TEST_OK(shared, cafe_graph_unchanged(shared, unit));
    cafe_graph_free(graph);
    cafe_graph_free(unit);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_falsehoods),      cmocka_unit_test(test_one_entry),
        cmocka_unit_test(test_many_rows),       cmocka_unit_test(test_hashes),
        cmocka_unit_test(test_swapped_ends),    cmocka_unit_test(test_repeated_names),
        cmocka_unit_test(test_rows_of_callers), cmocka_unit_test(test_borrowed_rows_that_change),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
