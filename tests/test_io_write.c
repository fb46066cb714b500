/* Writers: what is written reads back as the same graph, and no half of a file is ever left. */
#define _GNU_SOURCE
#include <dirent.h>
#include <math.h>

#include <cafe-private/inputs.h>

#include "craft.h"
#include "failing.h"
#include "graph/attributes.h"
#include "graph/builder.h"
#include "io/binary.h"
#include "io/digits.h"
#include "io/output_file.h"

static cafe_context *shared;

static int start(void **state) {
    (void)state;
    shared = test_context(2, 1);
    return 0;
}

static int stop(void **state) {
    (void)state;
    cafe_context_free(shared);
    return 0;
}

/* ---- round trips ----------------------------------------------------------------------------- */

static const char *const endings[] = {"g.cafe",  "g.txt",    "g.csv",    "g.tsv",
                                      "g.edges", "g.mtx",    "g.graph",  "g.graphml",
                                      "g.gml",   "g.txt.gz", "g.csv.gz", "g.gml.gz"};

/* Writes and reads the graph; with names lost (mtx, METIS) the rows alone are compared. */
static void round_trip(const cafe_graph *graph, const char *name, int32_t loops) {
    io_scratch scratch = io_scratch_new();
    cafe_graph *again = NULL;
    cafe_graph_options options;
    cafe_graph_options_init(&options);
    options.self_loops = loops ? CAFE_LOOPS_KEEP : CAFE_LOOPS_DROP;
    const char *path = io_path(&scratch, name);
    if (cafe_graph_write(shared, graph, path, CAFE_FORMAT_AUTO, 0) != CAFE_OK ||
        cafe_graph_read(shared, path, &options, &again) != CAFE_OK)
        fail_msg("%s: %s", name, cafe_error(shared));
    bool named = strstr(name, ".mtx") || (strstr(name, ".graph") && !strstr(name, "ml"));
    bool beside = named && !cafe_graph_names_are_indices(graph);
    assert_int_equal(io_scratch_files(&scratch), beside ? 2 : 1);
    if (beside) {
        const int64_t *offsets[2];
        const int32_t *targets[2];
        const float *weights[2];
        cafe_graph_csr(graph, &offsets[0], &targets[0], &weights[0]);
        cafe_graph_csr(again, &offsets[1], &targets[1], &weights[1]);
        int64_t n = cafe_graph_nodes(graph);
        assert_int_equal(n, cafe_graph_nodes(again));
        assert_memory_equal(offsets[0], offsets[1], (size_t)(n + 1) * sizeof(int64_t));
        assert_memory_equal(targets[0], targets[1], (size_t)offsets[0][n] * sizeof(int32_t));
        char names[300], *text;
        size_t size;
        snprintf(names, sizeof names, "%s.names.txt", path);
        text = io_load(names, &size);
        char first[256];
        cafe_graph_name(graph, 0, first, sizeof first);
        assert_true(strncmp(text, first, strlen(first)) == 0 && text[strlen(first)] == '\n');
        free(text);
    } else {
        io_expect_equal(graph, again);
    }
    cafe_graph_free(again);
    io_scratch_free(&scratch);
}

static void test_round_trips(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        for (int weighted = 0; weighted < 2; weighted++)
            for (int loops = 0; loops < 2; loops++) {
                if (loops && strcmp(endings[i], "g.graph") == 0) continue;
                cafe_graph *graph = test_random(shared, 300, 2000, weighted, loops, 5);
                round_trip(graph, endings[i], loops);
                cafe_graph_free(graph);
            }
}

static void test_named_round_trips(void **state) {
    static const char *const texts[] = {
        "10 20\n20 30\n-5 10\n", "5000000000 1 0.125\n1 7 3e-7\n",
        "b a\nc d\nb \"x y\"\n\"1\" a\n\"#\" \"q\"\"q\"\n\"a,b\" \"%\"\nc a\n",
        "u,Z\xc3\xbcrich,1.5\nu,\"a\tb\",16777216\n"};
    (void)state;
    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++)
        for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
            cafe_graph *graph = io_read(shared, "x", texts[t], NULL);
            round_trip(graph, endings[i], 0);
            cafe_graph_free(graph);
        }
}

/* Larger than one block of output, and the same bytes for any number of threads. */
static void test_large(void **state) {
    io_scratch scratch = io_scratch_new();
    cafe_context *one = test_context(1, 1);
    cafe_graph *graph = test_random(shared, 30000, TEST_LARGE(200000), 1, 0, 9);
    (void)state;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        char other[256];
        size_t sizes[2];
        snprintf(other, sizeof other, "%s/other-%s", scratch.folder, endings[i]);
        io_path(&scratch, endings[i]);
        assert_int_equal(cafe_graph_write(shared, graph, scratch.path, CAFE_FORMAT_AUTO, 0),
                         CAFE_OK);
        assert_int_equal(cafe_graph_write(one, graph, other, CAFE_FORMAT_AUTO, 0), CAFE_OK);
        char *a = io_load(scratch.path, &sizes[0]), *b = io_load(other, &sizes[1]);
        assert_int_equal(sizes[0], sizes[1]);
        assert_memory_equal(a, b, sizes[0]);
        free(a);
        free(b);
        cafe_graph *again = NULL;
        assert_int_equal(cafe_graph_read(shared, scratch.path, NULL, &again), CAFE_OK);
        io_expect_equal(graph, again);
        cafe_graph_free(again);
    }
    cafe_graph_free(graph);
    cafe_context_free(one);
    io_scratch_free(&scratch);
}

static void test_isolated_names(void **state) {
    io_scratch scratch = io_scratch_new();
    size_t size;
    (void)state;
    cafe_graph *graph = io_read(shared, "x", "5 5\n7 9\n", NULL); /* node 5 is isolated */
    assert_int_equal(cafe_graph_nodes(graph), 3);
    assert_int_equal(
        cafe_graph_write(shared, graph, io_path(&scratch, "g.txt"), CAFE_FORMAT_AUTO, 0), CAFE_OK);
    char *text = io_load(scratch.path, &size);
    assert_string_equal(text, "# cafe: edges\n# isolated nodes, not listed: 1\n7 9\n");
    free(text);
    cafe_graph_free(graph);
    io_scratch_free(&scratch);
}

/* ---- manners --------------------------------------------------------------------------------- */

static void test_existing(void **state) {
    io_scratch scratch = io_scratch_new();
    cafe_graph *graph = test_karate(shared);
    size_t size;
    (void)state;
    const char *path = io_path(&scratch, "g.txt");
    io_store(path, "mine", 4);
    assert_int_equal(cafe_graph_write(shared, graph, path, CAFE_FORMAT_AUTO, 0), CAFE_ERROR_EXISTS);
    char *text = io_load(path, &size);
    assert_string_equal(text, "mine");
    free(text);
    assert_int_equal(cafe_graph_write(shared, graph, path, CAFE_FORMAT_AUTO, 1), CAFE_OK);
    text = io_load(path, &size);
    assert_true(strncmp(text, "# cafe: nodes 34\n0 1\n", 21) == 0);
    free(text);
    assert_int_equal(io_scratch_files(&scratch), 1);
    cafe_graph_free(graph);
    io_scratch_free(&scratch);
}

/* A file of names from an earlier graph must not stand beside a graph without names. */
static void test_stale_names(void **state) {
    io_scratch scratch = io_scratch_new();
    cafe_graph *graph = test_karate(shared);
    (void)state;
    io_store(io_path(&scratch, "g.mtx.names.txt"), "a\n", 2);
    io_path(&scratch, "g.mtx");
    assert_int_equal(cafe_graph_write(shared, graph, scratch.path, CAFE_FORMAT_AUTO, 0),
                     CAFE_ERROR_EXISTS);
    assert_int_equal(io_scratch_files(&scratch), 1);
    assert_int_equal(cafe_graph_write(shared, graph, scratch.path, CAFE_FORMAT_AUTO, 1), CAFE_OK);
    assert_int_equal(io_scratch_files(&scratch), 1);
    cafe_graph_free(graph);
    io_scratch_free(&scratch);
}

static void test_refusals(void **state) {
    io_scratch scratch = io_scratch_new();
    cafe_graph *graph = test_karate(shared);
    (void)state;
    assert_int_equal(
        cafe_graph_write(shared, graph, io_path(&scratch, "g.xyz"), CAFE_FORMAT_AUTO, 0),
        CAFE_ERROR_ARGUMENT);
    assert_int_equal(
        cafe_graph_write(shared, graph, io_path(&scratch, "g.npz"), CAFE_FORMAT_AUTO, 0),
        CAFE_ERROR_ARGUMENT);
    assert_int_equal(
        cafe_graph_write(shared, graph, io_path(&scratch, "g.cafe.gz"), CAFE_FORMAT_AUTO, 0),
        CAFE_ERROR_ARGUMENT);
    assert_int_equal(
        cafe_graph_write(shared, graph, io_path(&scratch, "no/folder.txt"), CAFE_FORMAT_AUTO, 0),
        CAFE_ERROR_IO);
    assert_int_equal(cafe_graph_write(shared, graph, scratch.folder, CAFE_FORMAT_EDGES, 1),
                     CAFE_ERROR_IO);
    assert_int_equal(cafe_graph_write(shared, graph, "-", CAFE_FORMAT_CAFE, 0),
                     CAFE_ERROR_ARGUMENT);
    assert_int_equal(cafe_graph_write(shared, graph, "/dev/null", CAFE_FORMAT_EDGES, 0), CAFE_OK);
    assert_int_equal(cafe_graph_write(shared, graph, "/dev/full", CAFE_FORMAT_EDGES, 0),
                     CAFE_ERROR_IO);
    assert_int_equal(io_scratch_files(&scratch), 0);
    cafe_graph_free(graph);
    graph = test_random(shared, 20, 100, 0, 1, 3);
    assert_int_equal(
        cafe_graph_write(shared, graph, io_path(&scratch, "g.graph"), CAFE_FORMAT_AUTO, 0),
        CAFE_ERROR_ARGUMENT);
    assert_int_equal(io_scratch_files(&scratch), 0);
    cafe_graph_free(graph);
    io_scratch_free(&scratch);
}

static void test_cancel(void **state) {
    io_scratch scratch = io_scratch_new();
    cafe_graph *graph = test_karate(shared);
    (void)state;
    cafe_cancel(shared);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        assert_int_equal(
            cafe_graph_write(shared, graph, io_path(&scratch, endings[i]), CAFE_FORMAT_AUTO, 0),
            CAFE_ERROR_CANCELLED);
    cafe_reset_cancel(shared);
    assert_int_equal(io_scratch_files(&scratch), 0);
    cafe_graph_free(graph);
    io_scratch_free(&scratch);
}

/* A file that appears while ours is being written is kept. */
static void test_late_arrival(void **state) {
    io_scratch scratch = io_scratch_new();
    cafe_output *output = NULL;
    size_t size;
    (void)state;
    assert_int_equal(cafe_output_create(shared, io_path(&scratch, "f"), 0, &output), CAFE_OK);
    assert_int_equal(cafe_output_write(output, "ours", 4), CAFE_OK);
    io_store(scratch.path, "theirs", 6);
    assert_int_equal(cafe_output_commit(&output), CAFE_ERROR_EXISTS);
    char *text = io_load(scratch.path, &size);
    assert_string_equal(text, "theirs");
    free(text);
    assert_int_equal(io_scratch_files(&scratch), 1);
    io_scratch_free(&scratch);
}

static const char attributed[] =
    "{\"nodes\":[{\"id\":\"a\",\"age\":1.5,\"city\":\"Rome\"},{\"id\":\"b\",\"age\":-2},{\"id\":"
    "\"c\","
    "\"city\":\"Pau\",\"zip\":\"007\"},{\"id\":\"d\"}],\"links\":[{\"source\":\"b\",\"target\":"
    "\"c\"}]}";

static void test_failing_memory(void **state) {
    test_failing memory;
    cafe_context *context = test_failing_context(&memory, 2);
    io_scratch scratch = io_scratch_new();
    (void)state;
    cafe_graph *graph = io_read(context, "x.json", attributed, NULL);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        for (long k = 0;; k++) {
            long live = test_failing_arm(&memory, k);
            cafe_status status = cafe_graph_write(context, graph, io_path(&scratch, endings[i]),
                                                  CAFE_FORMAT_AUTO, 0);
            int failed = test_failing_disarm(&memory);
            test_failing_expect(&memory, status, failed, live, context);
            if (!failed) break;
        }
    /* the files, and names beside two: nothing temporary */
    assert_int_equal(io_scratch_files(&scratch), sizeof endings / sizeof *endings + 2);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        long k = 0;
        for (;; k++) {
            cafe_graph *again = NULL;
            long live = test_failing_arm(&memory, k);
            cafe_status status =
                cafe_graph_read(context, io_path(&scratch, endings[i]), NULL, &again);
            int failed = test_failing_disarm(&memory);
            test_failing_expect(&memory, status, failed, live, context);
            cafe_graph_free(again);
            if (!failed) break;
        }
    }
    cafe_graph_free(graph);
    io_scratch_free(&scratch);
    cafe_context_free(context);
}

/* ---- .cafe ----------------------------------------------------------------------------------- */

static char *binary_file(const char *text, size_t *size) {
    cafe_graph *graph = io_read(shared, *text == '{' ? "x.json" : "x", text, NULL);
    char *bytes = craft_file(shared, graph, size);
    cafe_graph_free(graph);
    return bytes;
}

/* Any broken byte and any cut is noticed. */
static void try_damage(char *bytes, size_t size) {
    cafe_graph *graph = NULL;
    for (size_t i = 0; i < size; i++) {
        bytes[i] ^= 0x10;
        assert_int_equal(io_read_bytes(shared, "g.cafe", bytes, size, NULL, &graph),
                         CAFE_ERROR_FORMAT);
        bytes[i] ^= 0x10;
    }
    for (size_t cut = 0; cut < size; cut++)
        assert_int_equal(io_read_bytes(shared, "g.cafe", bytes, cut, NULL, &graph),
                         CAFE_ERROR_FORMAT);
    assert_int_equal(io_read_bytes(shared, "g.cafe", bytes, size, NULL, &graph), CAFE_OK);
    cafe_graph_free(graph);
    free(bytes);
}

static void test_binary_damage(void **state) {
    size_t size;
    (void)state;
    char *bytes = binary_file("a b 1\nb c 2\na a 1\n", &size);
    try_damage(bytes, size);
    bytes = binary_file(attributed, &size);
    try_damage(bytes, size);
}

/* Reads every value. */
static void look_at_attributes(const cafe_graph *graph) {
    const cafe_graph_reading *r = cafe_graph_get_reading(graph);
    char digits[CAFE_ATTRIBUTE_DIGITS];
    for (int64_t i = 0; i < r->attribute_count; i++)
        for (int64_t u = 0; u < cafe_graph_nodes(graph); u++) {
            const char *text = cafe_attribute_text(&r->attributes[i], u, digits);
            assert_true(!text || (strlen(text) > 0 && strlen(r->attributes[i].name) > 0));
        }
}

/* A file with right checksums and wrong contents is refused for its structure, or is sound. */
static void try_changes(char *bytes, size_t size) {
    char *changed = malloc(size);
    uint64_t seed = 11;
    for (int i = 0; i < 5000; i++) {
        cafe_graph *graph = NULL;
        memcpy(changed, bytes, size);
        int64_t at = test_below(&seed, (int64_t)size);
        changed[at] = (char)test_number(&seed);
        craft_seal(shared, changed);
        cafe_status status = io_read_bytes(shared, "g.cafe", changed, size, NULL, &graph);
        assert_true(status == CAFE_OK || status == CAFE_ERROR_FORMAT);
        if (status != CAFE_OK) continue;
        int64_t component[8], count;
        assert_true(cafe_graph_nodes(graph) <= 4);
        assert_int_equal(cafe_graph_components(shared, graph, (int32_t *)component, &count),
                         CAFE_OK);
        look_at_attributes(graph);
        cafe_graph_free(graph);
    }
    free(changed);
    free(bytes);
}

static void test_binary_structure(void **state) {
    size_t size;
    (void)state;
    char *bytes = binary_file("a b 1\nb c 2\nc d 5\n", &size);
    try_changes(bytes, size);
    bytes = binary_file(attributed, &size);
    try_changes(bytes, size);
}

/* What the section of attributes can have wrong, each by its name. */
static void test_binary_attributes(void **state) {
    static const struct {
        int64_t at; /* byte of the section */
        char value;
        const char *message;
    } wrong[] = {
        {0, 100, "attributes within their section"},
        {0, 2, "attributes up to the end of their section"},
        {0, 4, "attributes within their section"},
        {8, 2, "attributes of numbers or of texts"},
        {8 + 16, 1, "attributes of numbers or of texts"},
        {8 + 8, 0, "attributes with names in UTF-8"},
        {8 + 8, 2, "zeros between the parts"},
        {8 + 32, (char)0xff, "attributes with names in UTF-8"},
        {8 + 32 + 5, 1, "zeros between the parts"},
        {8 + 32 + 8 + 22, (char)0xf0, "finite numbers of attributes"},
        {80 + 16, 3, "texts of attributes in UTF-8, one after the other"},
        {80 + 16, 100, "as many texts of attributes"},
        {80 + 32 + 8, 2, "numbers of texts that are there"},
        {80 + 32 + 8 + 16, 7, "texts of attributes in UTF-8"},
        {80 + 32 + 3, 0, "attributes with names in UTF-8"},
    };
    size_t size;
    cafe_graph *graph = NULL;
    (void)state;
    char *bytes = binary_file(attributed, &size);
    char *section = craft_section(bytes, CAFE_BINARY_FACTS);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char before = section[wrong[i].at];
        section[wrong[i].at] = wrong[i].value;
        craft_seal(shared, bytes);
        char message[96];
        snprintf(message, sizeof message, "g.cafe: expected %s", wrong[i].message);
        io_refuse_bytes(shared, "g.cafe", bytes, size, NULL, message);
        section[wrong[i].at] = before;
    }
    memcpy(section + 184, "age", 3);
    craft_seal(shared, bytes);
    io_refuse_bytes(shared, "g.cafe", bytes, size, NULL,
                    "g.cafe: expected attributes of different names");
    memcpy(section + 184, "zip", 3);
    craft_seal(shared, bytes);
    TEST_OK(shared, io_read_bytes(shared, "g.cafe", bytes, size, NULL, &graph));
    look_at_attributes(graph);
    assert_int_equal(cafe_graph_get_reading(graph)->attribute_count, 3);
    cafe_graph_free(graph);
    free(bytes);
}

static void test_binary_versions(void **state) {
    size_t size;
    char *bytes = binary_file("0 1\n", &size);
    (void)state;
    cafe_binary_header *header = (cafe_binary_header *)bytes;
    header->version = 2;
    craft_seal(shared, bytes);
    io_refuse_bytes(shared, "g", bytes, size, NULL, "g: expected a header that makes sense");
    header->version = 3;
    craft_seal(shared, bytes);
    io_refuse_bytes(shared, "g", bytes, size, NULL, "g: expected version 1 or 2, found version 3");
    free(bytes);
}

/* No memory but the file's bytes and the graph's own record; the weights can be left out. */
static void test_binary_memory(void **state) {
    io_scratch scratch = io_scratch_new();
    cafe_graph *graph = test_random(shared, 20000, 100000, 1, 0, 4), *again = NULL;
    cafe_graph_options options;
    cafe_graph_counts before, after;
    (void)state;
    io_path(&scratch, "g.cafe");
    assert_int_equal(cafe_graph_write(shared, graph, scratch.path, CAFE_FORMAT_AUTO, 0), CAFE_OK);
    int64_t bytes = cafe_bytes(shared);
    assert_int_equal(cafe_graph_read(shared, scratch.path, NULL, &again), CAFE_OK);
    size_t size;
    free(io_load(scratch.path, &size));
    assert_true(cafe_bytes(shared) - bytes < (int64_t)size + 4096);
    io_expect_equal(graph, again);
    before = *cafe_graph_get_counts(graph);
    after = *cafe_graph_get_counts(again);
    assert_memory_equal(&before, &after, sizeof before);
    cafe_graph_free(again);
    cafe_graph_options_init(&options);
    options.weights = 0;
    assert_int_equal(cafe_graph_read(shared, scratch.path, &options, &again), CAFE_OK);
    after = *cafe_graph_get_counts(again);
    assert_int_equal(after.weighted, 0);
    assert_true(after.total_weight == 2.0 * (double)after.edges);
    cafe_graph_free(again);
    cafe_graph_free(graph);
    io_scratch_free(&scratch);
}

/* ---- numbers --------------------------------------------------------------------------------- */

static void test_floats(void **state) {
    static const struct {
        float value;
        const char *text;
    } cases[] = {{0, "0"},
                 {-0.0f, "-0"},
                 {1, "1"},
                 {0.1f, "0.1"},
                 {-2.5f, "-2.5"},
                 {1e-4f, "0.0001"},
                 {1e-7f, "1e-7"},
                 {123456.7f, "123456.7"},
                 {1e10f, "1e10"},
                 {3.4028235e38f, "3.4028235e38"},
                 {1e-45f, "1.4013e-45"},
                 {16777216, "16777216"},
                 {999999.94f, "999999.94"},
                 {0.33333334f, "0.33333334"}};
    uint64_t seed = 1;
    char text[32];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        *cafe_put_float(text, cases[i].value) = 0;
        assert_string_equal(text, cases[i].text);
    }
    for (int i = 0; i < 500000; i++) {
        uint32_t bits = (uint32_t)test_number(&seed);
        float value;
        memcpy(&value, &bits, sizeof value);
        char *end = cafe_put_float(text, value);
        *end = 0;
        assert_true(end - text <= CAFE_FLOAT_TEXT);
        float back = strtof(text, NULL);
        if (!isnan(value) && back != value) fail_msg("%a became %s", (double)value, text);
    }
}

/* The fewest of 6 to 9 digits that read back, by printf; halves are rounded away from 0. */
static void reference(float value, char *text) {
    char digits[32];
    int count = 5, power;
    double away = (double)value * (1 + 1e-14);
    do snprintf(digits, sizeof digits, "%.*e", count, fabs(away));
    while (strtof(digits, NULL) != fabsf(value) && ++count < 9);
    power = atoi(strchr(digits, 'e') + 1);
    snprintf(text, 32, "%.*f", count > power ? count - power : 0, away);
    char *end = text + strlen(text);
    if (strchr(text, '.')) {
        while (end[-1] == '0') *--end = 0;
        if (end[-1] == '.') end[-1] = 0;
    }
}

/* Numbers as vectors have them, one by one and in rows of every length. */
static void test_rows_of_floats(void **state) {
    enum { N = 150 };
    uint64_t seed = 5;
    static char text[N * (CAFE_FLOAT_TEXT + 1) + 1], one[N * 32], expected[32];
    float values[N];
    (void)state;
    for (int round = 0; round < 2000; round++) {
        char *p = one;
        int count = round % (N + 1);
        for (int i = 0; i < count; i++) {
            double u = (double)(test_number(&seed) >> 11) / 9007199254740992.0;
            values[i] = (float)(pow(10, -5 + 11 * u) * (i % 2 ? 1 : -1));
            if (i % 7 == 3) values[i] = (float)pow(10, (double)(round % 11) - 5);
            if (i % 31 == 5) values[i] = round % 2 ? 0 : 1e-20f;
            char *start = p + 1;
            *p = ' ';
            *(p = cafe_put_float(start, values[i])) = 0;
            reference(values[i], expected);
            if (values[i] != 1e-20f && fabsf(values[i]) >= 1.001e-5f)
                assert_string_equal(start, expected);
        }
        char *end = cafe_put_floats(text, ' ', values, count);
        assert_int_equal(end - text, p - one);
        assert_memory_equal(text, one, (size_t)(p - one));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows_of_floats),
                                       cmocka_unit_test(test_round_trips),
                                       cmocka_unit_test(test_named_round_trips),
                                       cmocka_unit_test(test_large),
                                       cmocka_unit_test(test_isolated_names),
                                       cmocka_unit_test(test_existing),
                                       cmocka_unit_test(test_stale_names),
                                       cmocka_unit_test(test_refusals),
                                       cmocka_unit_test(test_cancel),
                                       cmocka_unit_test(test_late_arrival),
                                       cmocka_unit_test(test_failing_memory),
                                       cmocka_unit_test(test_binary_damage),
                                       cmocka_unit_test(test_binary_structure),
                                       cmocka_unit_test(test_binary_attributes),
                                       cmocka_unit_test(test_binary_versions),
                                       cmocka_unit_test(test_binary_memory),
                                       cmocka_unit_test(test_floats)};
    return cmocka_run_group_tests(tests, start, stop);
}
