/* A program may choose a locale with commas in its numbers, or with other rules for letters. It
 * gets the same bytes out of the library and may give it the same bytes.
 */
#define _GNU_SOURCE
#include <locale.h>

#include <cafe-private/members.h>

#include "test_io.h"

static const char *const locales[][2] = {{"de_DE", "de_DE.UTF-8"}, {"tr_TR", "tr_TR.UTF-8"}};
enum { LOCALES = sizeof locales / sizeof *locales, NODES = TEST_KARATE_NODES };

/* A folder with these locales, made where the machine lacks them. */
static io_scratch made;

static int start(void **state) {
    char command[256];
    (void)state;
    shared = test_context(2, 1);
    made = io_scratch_new();
    for (int i = 0; i < LOCALES; i++) {
        snprintf(command, sizeof command,
                 "localedef -i %s -f UTF-8 '%s/%s' >/dev/null 2>&1 || true", locales[i][0],
                 made.folder, locales[i][1]);
        assert_int_equal(system(command), 0);
    }
    setenv("LOCPATH", made.folder, 1);
    return 0;
}

static int stop(void **state) {
    (void)state;
    setlocale(LC_ALL, "C");
    io_scratch_free(&made);
    cafe_context_free(shared);
    return 0;
}

/* Skips the test when the locale is neither there nor could be made. */
static void choose(const char *name) {
    if (setlocale(LC_ALL, name)) return;
    print_message("skipped: no locale %s, and localedef cannot make it\n", name);
    skip();
}

/* ---- what is written ------------------------------------------------------------------------- */

static void write_graph_files(io_scratch *s, const cafe_graph *graph) {
    static const char *const files[] = {"g.TXT", "g.CSV", "g.TSV", "g.MTX", "g.METIS", "g.EDGES"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        TEST_OK(shared, cafe_graph_write(shared, graph, io_path(s, files[i]), CAFE_FORMAT_AUTO, 0));
}

static void write_vectors(io_scratch *s, const cafe_graph *graph, const float *xy) {
    static const char *const files[] = {"v.TSV", "v.TXT", "v.NPY"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        TEST_OK(shared, cafe_vectors_write(shared, graph, 2, xy, io_path(s, files[i]), 0));
}

static void write_pictures(io_scratch *s, const cafe_graph *graph, const float *xy) {
    cafe_plot_inputs in;
    double value[NODES];
    for (int u = 0; u < NODES; u++) value[u] = u / 7.0;
    cafe_plot_inputs_init(&in);
    in.n = NODES;
    in.xy = xy;
    in.value = value;
    in.legend = "value";
    in.graph = graph;
    TEST_OK(shared, cafe_plot_svg(shared, &in, NULL, io_path(s, "p.svg"), 0));
    TEST_OK(shared, cafe_plot_png(shared, &in, NULL, io_path(s, "p.png"), 0));
}

static void write_report(io_scratch *s) {
    cafe_report *report = NULL;
    cafe_sphere_options o;
    cafe_sphere_options_init(&o);
    TEST_OK(shared, cafe_report_new(shared, "cafe/test/1", &report));
    cafe_report_real(report, "third", 1.0 / 3);
    cafe_report_reals(report, "values", 3, (double[]){0.5, -1.5e-7, 1e300});
    cafe_report_options(report, cafe_sphere_option_table(), &o);
    TEST_OK(shared, cafe_report_write(report, io_path(s, "r.json"), 0));
    cafe_report_free(report);
}

/* Every value as text, and the messages with numbers in them. */
static void write_texts(io_scratch *s) {
    const cafe_option_table *table = cafe_sphere_option_table();
    cafe_sphere_options o;
    char text[256];
    FILE *file = fopen(io_path(s, "texts"), "w");
    assert_non_null(file);
    cafe_sphere_options_init(&o);
    assert_int_equal(cafe_options_set(shared, table, &o, "tolerance", "0.125"), CAFE_OK);
    assert_true(o.tolerance == 0.125);
    assert_int_not_equal(cafe_options_set(shared, table, &o, "tolerance", "0,125"), CAFE_OK);
    fprintf(file, "%s\n", cafe_error(shared));
    assert_int_not_equal(cafe_options_set(shared, table, &o, "tolerance", "-0.5"), CAFE_OK);
    fprintf(file, "%s\n", cafe_error(shared));
    o.tolerance = -0.5;
    assert_int_not_equal(cafe_options_check(shared, table, &o), CAFE_OK);
    fprintf(file, "%s\n", cafe_error(shared));
    cafe_options_init(table, &o, sizeof o);
    for (size_t i = 0; i < table->count; i++) {
        cafe_options_text(&table->options[i], &o, text, sizeof text);
        fprintf(file, "%s %s\n", table->options[i].name, text);
    }
    fclose(file);
}

static void write_all(io_scratch *s) {
    test_links l = test_links_new(TEST_KARATE_EDGES);
    float xy[2 * NODES];
    for (int i = 0; i < TEST_KARATE_EDGES; i++) {
        l.source[i] = test_karate_edges[i][0];
        l.target[i] = test_karate_edges[i][1];
        l.weights[i] = 0.5f + (float)i / 3;
    }
    for (int i = 0; i < 2 * NODES; i++) xy[i] = (float)i / 7 - (float)(i % 2) / 3;
    cafe_graph *graph = test_graph(shared, NODES, &l, 1, NULL);
    write_graph_files(s, graph);
    write_vectors(s, graph, xy);
    write_pictures(s, graph, xy);
    write_report(s);
    write_texts(s);
    cafe_graph_free(graph);
    test_links_free(&l);
}

/* ---- what is read ---------------------------------------------------------------------------- */

static void read_all(io_scratch *s) {
    static const char *const graphs[] = {"g.TXT", "g.CSV", "g.TSV", "g.MTX", "g.METIS"};
    static const char *const vectors[] = {"v.TSV", "v.TXT", "v.NPY"};
    cafe_graph *first = NULL;
    for (size_t i = 0; i < sizeof graphs / sizeof *graphs; i++) {
        cafe_graph *graph = NULL;
        TEST_OK(shared, cafe_graph_read(shared, io_path(s, graphs[i]), NULL, &graph));
        assert_true(cafe_graph_get_counts(graph)->weighted);
        if (first) io_expect_equal(first, graph);
        if (!first) first = graph;
        if (first != graph) cafe_graph_free(graph);
    }
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        int64_t columns = 0;
        float *rows = NULL;
        TEST_OK(shared,
                cafe_vectors_read(shared, first, io_path(s, vectors[i]), &columns, &rows, NULL));
        assert_int_equal(columns, 2);
        assert_true(rows[3] == 3.0f / 7 - 1.0f / 3);
        cafe_block_free(shared, rows);
    }
    cafe_graph_free(first);
}

static void expect_same_files(const io_scratch *a, const io_scratch *b) {
    char command[256];
    snprintf(command, sizeof command, "diff -r '%s' '%s'", a->folder, b->folder);
    assert_int_equal(system(command), 0);
}

static void check_locale(const char *name) {
    char half[16];
    choose(name);
    setlocale(LC_ALL, "C");
    io_scratch plain = io_scratch_new(), theirs = io_scratch_new();
    write_all(&plain);
    choose(name);
    write_all(&theirs);
    expect_same_files(&plain, &theirs);
    read_all(&plain);
    /* the program's choice is still its own */
    snprintf(half, sizeof half, "%.1f", 0.5);
    assert_string_equal(half, "0,5");
    io_scratch_free(&plain);
    io_scratch_free(&theirs);
    setlocale(LC_ALL, "C");
}

static void test_german(void **state) {
    (void)state;
    check_locale("de_DE.UTF-8");
}

/* Where the small letter of I is none of i. */
static void test_turkish(void **state) {
    (void)state;
    check_locale("tr_TR.UTF-8");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_german),
                                       cmocka_unit_test(test_turkish)};
    return cmocka_run_group_tests(tests, start, stop);
}
