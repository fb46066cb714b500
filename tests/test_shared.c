/* Graphs that several processes read together: the same bytes as from one, the same messages. */
#define _GNU_SOURCE
#include "craft.h"
#include "team.h"

#include <dirent.h>

#define TEAMS (TEST_SANITIZED ? 1 : 4) /* of these */
static const int32_t teams[] = {3, 2, 4, 7};

static char folder[] = "/tmp/cafe-shared-XXXXXX";
static char text_path[128], one_path[128], many_path[128];

static int start(void **state) {
    (void)state;
    if (!mkdtemp(folder)) return -1;
    snprintf(text_path, sizeof text_path, "%s/edges.txt", folder);
    snprintf(one_path, sizeof one_path, "%s/one.cafe", folder);
    snprintf(many_path, sizeof many_path, "%s/many.cafe", folder);
    return 0;
}

static int stop(void **state) {
    (void)state;
    unlink(text_path), unlink(one_path), unlink(many_path);
    return rmdir(folder); /* nothing else is left there */
}

static void put_file(const char *path, const char *bytes, size_t size) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

static char *get_file(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    char *bytes = malloc(*size + 1);
    assert_int_equal(fread(bytes, 1, *size, file), *size);
    fclose(file);
    return bytes;
}

/* ---- converting ------------------------------------------------------------------------------ */

typedef struct conversion {
    const char *from, *to;
    const cafe_graph_options *options;
    const char *second; /* what process 1 reads instead; NULL: the same */
    cafe_status status[MOST_MEMBERS];
    char text[MOST_MEMBERS][1024], heading[64];
} conversion;

static void convert(team_member *m, void *argument) {
    conversion *c = argument;
    int32_t rank = m->team.rank;
    cafe_graph *graph = NULL;
    const char *from = rank == 1 && c->second ? c->second : c->from;
    cafe_status status = cafe_graph_read(m->context, from, c->options, &graph);
    if (status == CAFE_OK && rank == 0)
        snprintf(c->heading, sizeof c->heading, "%d %s", cafe_graph_get_reading(graph)->heading,
                 cafe_graph_get_reading(graph)->edges);
    if (status == CAFE_OK) status = cafe_graph_write(m->context, graph, c->to, CAFE_FORMAT_AUTO, 1);
    c->status[rank] = status;
    snprintf(c->text[rank], sizeof c->text[rank], "%s", cafe_error(m->context));
    cafe_graph_free(graph);
}

/* One process and every team: the same file, or the same error on all. */
static void compare(const char *from, const cafe_graph_options *options) {
    conversion one = {.from = from, .to = one_path, .options = options};
    size_t size = 0, other;
    team_run(1, convert, &one);
    char *bytes = one.status[0] == CAFE_OK ? get_file(one_path, &size) : NULL;
    for (int i = 0; i < TEAMS; i++) {
        conversion many = {.from = from, .to = many_path, .options = options};
        team_run(teams[i], convert, &many);
        for (int32_t r = 0; r < teams[i]; r++) {
            if (one.status[0] != many.status[r] || one.status[0] != CAFE_OK)
                assert_string_equal(many.text[r], one.text[0]);
            assert_int_equal(many.status[r], one.status[0]);
        }
        if (!bytes) continue;
        char *got = get_file(many_path, &other);
        assert_int_equal(other, size);
        assert_memory_equal(got, bytes, size);
        assert_string_equal(many.heading, one.heading);
        free(got);
    }
    free(bytes);
}

static void compare_text(const char *text, size_t size, const cafe_graph_options *options) {
    put_file(text_path, text, size);
    compare(text_path, options);
}

/* ---- edge lists ------------------------------------------------------------------------------ */

typedef struct mess {
    uint64_t state;
    char *text;
    size_t used;
    int ids; /* 0: few; 1: with gaps; 2: wide; 3: names; 4: names, of which one comes late */
    bool weights, comments, crlf, quotes;
    const char *separator;
    int64_t nodes;
} mess;

static uint64_t draw(mess *m, uint64_t below) {
    m->state = m->state * 6364136223846793005u + 1442695040888963407u;
    return (m->state >> 33) % below;
}

static void put(mess *m, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put(mess *m, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    m->used += (size_t)vsprintf(m->text + m->used, format, arguments);
    va_end(arguments);
}

static void put_id(mess *m, bool late) {
    long long id = (long long)draw(m, (uint64_t)m->nodes);
    if (m->ids == 1) id *= 7;
    if (m->ids == 2) id = id * 1000000007 - 5000000000;
    if (m->ids == 3 || (m->ids == 4 && late))
        put(m, m->quotes && draw(m, 3) == 0 ? "\"a \"\"%lld\"\"\"" : "n%lld", id);
    else
        put(m, "%lld", id);
}

static void put_lines(mess *m, int64_t lines) {
    const char *end = m->crlf ? "\r\n" : "\n";
    if (draw(m, 3) == 0) put(m, "\xef\xbb\xbf");
    if (m->comments) put(m, "# a comment%s%s", end, end);
    if (draw(m, 2))
        put(m, "source%starget%s%s%s", m->separator, m->separator, m->weights ? "weight" : "more",
            end);
    for (int64_t i = 0; i < lines; i++) {
        if (m->comments && draw(m, 10) == 0) put(m, "%% %s%s", "comments are lines too", end);
        if (m->comments && draw(m, 20) == 0) put(m, "%s", end);
        put_id(m, i + 3 > lines);
        put(m, "%s", m->separator);
        put_id(m, i + 3 > lines);
        put(m, "%s%llu", m->separator, (unsigned long long)draw(m, 5) * (1 + 4 * draw(m, 2)));
        if (i + 1 < lines || draw(m, 2)) put(m, "%s", end);
    }
}

static void try_mess(uint64_t seed, int64_t nodes, int64_t lines) {
    static const char *const separators[] = {" ", "\t", ",", ";"};
    cafe_graph_options options;
    mess m = {.state = seed * 77 + 5, .text = malloc((size_t)lines * 120 + 1000), .nodes = nodes};
    cafe_graph_options_init(&options);
    m.ids = (int)draw(&m, 5);
    m.weights = draw(&m, 2);
    m.comments = draw(&m, 2);
    m.crlf = draw(&m, 3) == 0;
    m.separator = separators[draw(&m, 4)];
    m.quotes = m.separator[0] == ',' || m.separator[0] == ';';
    options.self_loops = (int32_t)draw(&m, 2);
    options.duplicates = (int32_t)draw(&m, 3);
    options.weights = m.weights;
    if (m.weights) options.weight = "2";
    put_lines(&m, lines);
    compare_text(m.text, m.used, &options);
    free(m.text);
}

/* Names, weights, headings, repeated edges, loops, comments, line ends of two kinds, a last line
 * without one; ranges that begin within a line; more processes than lines. */
static void test_any_list(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 60; seed++)
        try_mess(seed, 5 + (int64_t)seed, (int64_t)seed * 4 - 3);
}

/* Rows of several processes, links in several batches. */
static void test_large_lists(void **state) {
    (void)state;
    for (uint64_t seed = 100; seed < 104; seed++) try_mess(seed, 40000, 100000);
    if (!TEST_SANITIZED) try_mess(7, 60000, 600000);
}

static void test_declared(void **state) {
    (void)state;
    cafe_graph_options options;
    cafe_graph_options_init(&options);
    options.nodes = 9000;
    compare_text("0 8999\n7 5\n", 11, &options);
    options.nodes = 8000;
    compare_text("0 1\n2 3\n4 5\n0 8999\n7 5\n", 22, &options); /* node 8999 is none */
}

/* Each edge in both directions, far apart in the file, of one weight: 1, whose sum is 2, or 1/2,
 * whose sum is 1, or several. And the same with an edge that makes them different. */
static void test_mirrored(void **state) {
    enum { NODES = 9000 };
    char *text = malloc(NODES * 2 * 40 + 200);
    (void)state;
    for (int kind = 0; kind < 4; kind++) {
        size_t used = 0;
        for (int d = 0; d < 2; d++)
            for (int u = 1; u < NODES; u++)
                used += (size_t)sprintf(text + used, "%d %d %g\n", d ? u : u / 3, d ? u / 3 : u,
                                        kind == 0   ? 1
                                        : kind == 1 ? 0.5
                                                    : u % 7 + 0.25);
        if (kind == 3) used += (size_t)sprintf(text + used, "1 5 2\n");
        compare_text(text, used, NULL);
    }
    free(text);
}

/* ---- errors ---------------------------------------------------------------------------------- */

/* A list of so many fine lines with one that is not, at any place. */
static void try_error(const char *bad, int lines, int at, const char *fine) {
    char *text = malloc((size_t)lines * 40 + 200);
    size_t used = (size_t)sprintf(text, "# of it\n\n");
    for (int i = 0; i < lines; i++)
        used += (size_t)sprintf(text + used, i == at ? "%s\n" : fine, i == at ? bad : "x");
    compare_text(text, used, NULL);
    free(text);
}

static void test_errors(void **state) {
    static const char *const bad[] = {
        "7", "1 2 x", "1 2 -3", "n1 n2 3", "99999999999999999999 1 1", "\"open 1 2"};
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        for (int at = 0; at < 30; at += 7) {
            try_error(bad[i], 30, at, "12 13 0.5\n");
            try_error(bad[i], 30, at, "%sa12 b13 0.5\n");
        }
    compare_text("# nothing\n\n# at all\n", 20, NULL);
    compare_text("source target\n", 14, NULL);
    compare_text("\n", 1, NULL);
}

/* Several processes read UTF-8 alone; one converts Windows-1252. */
static void test_encoding(void **state) {
    static const char text[] = "anna b\xf6rje\nb\xf6rje carl\n";
    conversion one = {.from = text_path, .to = one_path},
               many = {.from = text_path, .to = many_path};
    (void)state;
    put_file(text_path, text, sizeof text - 1);
    team_run(1, convert, &one);
    assert_int_equal(one.status[0], CAFE_OK);
    team_run(2, convert, &many);
    for (int r = 0; r < 2; r++) {
        assert_int_equal(many.status[r], CAFE_ERROR_FORMAT);
        assert_non_null(strstr(many.text[r], "expected UTF-8 text"));
    }
}

/* Two errors: the first of the file is reported, whatever process finds it. */
static void test_first_error(void **state) {
    char text[4000];
    size_t used = 0;
    (void)state;
    for (int i = 0; i < 100; i++)
        used += (size_t)sprintf(text + used, i == 40 ? "1 oh\n" : i == 90 ? "2\n" : "1 2 0.5\n");
    compare_text(text, used, NULL);
    used = 0;
    for (int i = 0; i < 100; i++)
        used += (size_t)sprintf(text + used, i == 40   ? "99999999999999999999 1\n"
                                             : i == 90 ? "name 3\n"
                                                       : "1 2\n");
    compare_text(text, used, NULL);
}

/* ---- .cafe files ----------------------------------------------------------------------------- */

/* A copy of a .cafe file by many is the file; an error has the message of one process. */
static void test_binary(void **state) {
    char path[160];
    size_t size;
    (void)state;
    try_mess(101, 30000, 90000);
    snprintf(path, sizeof path, "%s/copy.cafe", folder);
    char *bytes = get_file(one_path, &size);
    put_file(path, bytes, size);
    compare(path, NULL);
    for (size_t at = 300; at < size; at += size / 7) {
        bytes[at] ^= 1;
        put_file(path, bytes, size);
        bytes[at] ^= 1;
        compare(path, NULL);
    }
    put_file(path, bytes, size - 64);
    compare(path, NULL);
    unlink(path);
    free(bytes);
}

/* Right checksums over what is no graph: found by the process whose rows or names they are. */
static void test_falsehoods(void **state) {
    char path[160];
    size_t size;
    cafe_context *context = test_context(2, 1);
    (void)state;
    try_mess(102, 30000, 90000); /* weights among it */
    snprintf(path, sizeof path, "%s/false.cafe", folder);
    for (int kind = 0; kind < 5; kind++) {
        char *bytes = get_file(one_path, &size);
        cafe_binary_header *h = (cafe_binary_header *)bytes;
        int64_t *offsets = craft_section(bytes, CAFE_BINARY_OFFSETS);
        int64_t middle = offsets[h->nodes / 2];
        assert_true(h->flags & CAFE_BINARY_WEIGHTS);
        if (kind == 0) ((float *)craft_section(bytes, CAFE_BINARY_VALUES))[middle] += 1;
        if (kind == 1) ((int32_t *)craft_section(bytes, CAFE_BINARY_TARGETS))[middle] = -1;
        if (kind == 2) offsets[h->nodes / 2] = h->arcs + 7;
        if (kind == 3) h->components++;
        if (kind == 4) h->max_degree--;
        craft_seal(context, bytes);
        put_file(path, bytes, size);
        compare(path, NULL);
        free(bytes);
    }
    unlink(path);
    cafe_context_free(context);
}

/* Two nodes of one name, which are in the portions of different processes. */
static void test_repeated_name(void **state) {
    char path[160];
    size_t size, used = 0;
    cafe_context *context = test_context(2, 1);
    char *text = malloc(20000 * 20);
    (void)state;
    for (int i = 0; i < 20000; i++) used += (size_t)sprintf(text + used, "n%05d n00000\n", i);
    compare_text(text, used, NULL);
    char *bytes = get_file(one_path, &size), *names = craft_section(bytes, CAFE_BINARY_TEXT);
    memcpy(names + 6 * 15000, names + 6 * 100, 6);
    craft_seal(context, bytes);
    snprintf(path, sizeof path, "%s/false.cafe", folder);
    put_file(path, bytes, size);
    compare(path, NULL);
    unlink(path);
    free(bytes);
    free(text);
    cafe_context_free(context);
}

/* A file that one process cannot open, or one that cannot be written, is everybody's error. */
static void test_one_fails(void **state) {
    conversion c = {.from = text_path, .to = many_path, .second = "/nowhere/at/all"};
    (void)state;
    put_file(text_path, "1 2\n3 4\n", 8);
    team_run(3, convert, &c);
    for (int r = 0; r < 3; r++) {
        assert_int_equal(c.status[r], CAFE_ERROR_IO);
        assert_non_null(strstr(c.text[r], "/nowhere/at/all"));
    }
    c = (conversion){.from = text_path, .to = "/nowhere/at/all.cafe"};
    team_run(3, convert, &c);
    for (int r = 0; r < 3; r++) assert_int_equal(c.status[r], CAFE_ERROR_IO);
}

/* Whether an edge stays depends on the rows of both ends. */
static void test_choice_is_refused(void **state) {
    cafe_graph_options options;
    conversion c = {.from = text_path, .to = many_path, .options = &options};
    (void)state;
    cafe_graph_options_init(&options);
    options.top_edges = 1;
    put_file(text_path, "1 2\n3 4\n", 8);
    team_run(3, convert, &c);
    for (int r = 0; r < 3; r++) {
        assert_int_equal(c.status[r], CAFE_ERROR_ARGUMENT);
        assert_non_null(strstr(c.text[r], "one process"));
    }
}

/* What would have to be read whole by all of them is refused. */
static void test_refused(void **state) {
    conversion c = {.from = text_path, .to = many_path};
    static const char mtx[] = "%%MatrixMarket matrix coordinate pattern symmetric\n2 2 1\n2 1\n";
    (void)state;
    put_file(text_path, mtx, sizeof mtx - 1);
    team_run(3, convert, &c);
    for (int r = 0; r < 3; r++) {
        assert_int_equal(c.status[r], CAFE_ERROR_FORMAT);
        assert_non_null(strstr(c.text[r], "convert it to .cafe"));
    }
    c.from = "/nowhere/at/all";
    team_run(2, convert, &c);
    assert_int_equal(c.status[1], CAFE_ERROR_IO);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_any_list),      cmocka_unit_test(test_large_lists),
        cmocka_unit_test(test_mirrored),      cmocka_unit_test(test_choice_is_refused),
        cmocka_unit_test(test_declared),      cmocka_unit_test(test_errors),
        cmocka_unit_test(test_first_error),   cmocka_unit_test(test_encoding),
        cmocka_unit_test(test_binary),        cmocka_unit_test(test_falsehoods),
        cmocka_unit_test(test_repeated_name), cmocka_unit_test(test_one_fails),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
