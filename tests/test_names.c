/* What the library writes, it reads back: hostile names through every kind of text file. */
#define _GNU_SOURCE
#include <cafe-private/inputs.h>
#include <cafe-private/writers.h>

#include "failing.h"
#include "test_io.h"

enum { LONGEST = 65535, COLUMNS = 3 };

/* ---- the names ------------------------------------------------------------------------------- */

static const char *const short_names[] = {"plain",
                                          "two words",
                                          " before",
                                          "behind ",
                                          " ",
                                          "  ",
                                          "a,b",
                                          "a, b",
                                          ",",
                                          "a;b",
                                          ";",
                                          "a\tb",
                                          "\t",
                                          "#hash",
                                          "#",
                                          "%percent",
                                          "# cafe: nodes 3",
                                          "%%MatrixMarket",
                                          "\"",
                                          "\"\"",
                                          "\"\"\"",
                                          "say \"hi\"",
                                          "\"quoted\"",
                                          "ends\"",
                                          "\"begins",
                                          "a\",\"b",
                                          "\",",
                                          "+",
                                          "-",
                                          "+ a",
                                          "- a b",
                                          "12",
                                          "007",
                                          "-5",
                                          "1e5",
                                          "0.5",
                                          "nan",
                                          "99999999999999999999",
                                          "source",
                                          "target",
                                          "node",
                                          "\x1b[31mred\x1b[0m",
                                          "\a",
                                          "\x01\x7f",
                                          "\xc2\x9b"
                                          "31m",
                                          "a\vb",
                                          "\f",
                                          "\xef\xbb\xbf"
                                          "mark",
                                          "\xef\xbb\xbf",
                                          "\xc3\xbc",
                                          "\xe6\x97\xa5\xe6\x9c\xac",
                                          "\xe2\x80\xa8",
                                          "\xe2\x80\xae"
                                          "x",
                                          "=1+1",
                                          "@x",
                                          "\\n",
                                          "\\",
                                          "'",
                                          "|",
                                          "a\x1cz",
                                          "NA",
                                          "null"};
enum { SHORT = sizeof short_names / sizeof *short_names, LONG = 7, NAMES = SHORT + LONG };

typedef struct naming {
    const char *name[NAMES];
    char *text[LONG];
} naming;

static naming naming_new(void) {
    static const struct {
        int length;
        char filled;
    } long_names[LONG] = {{1022, 'a'},        {1023, 'b'},    {1024, 'c'},   {4096, ' '},
                          {LONGEST - 1, '"'}, {LONGEST, '"'}, {LONGEST, 'd'}};
    naming n;
    for (int i = 0; i < SHORT; i++) n.name[i] = short_names[i];
    for (int i = 0; i < LONG; i++) {
        n.text[i] = calloc((size_t)long_names[i].length + 1, 1);
        assert_non_null(n.text[i]);
        memset(n.text[i], long_names[i].filled, (size_t)long_names[i].length);
        n.name[SHORT + i] = n.text[i];
    }
    return n;
}

static void naming_free(naming *n) {
    for (int i = 0; i < LONG; i++) free(n->text[i]);
}

/* A path through all nodes, whose order an edge list can express, and some chords. */
static cafe_graph *named_graph(const naming *n, int32_t weighted) {
    test_links l = test_links_new(2 * NAMES - 3);
    for (int i = 0; i + 1 < NAMES; i++) {
        l.source[i] = i;
        l.target[i] = i + 1;
        l.weights[i] = 0.5f + (float)i;
    }
    for (int i = 0; i + 2 < NAMES; i++) {
        l.source[NAMES - 1 + i] = i;
        l.target[NAMES - 1 + i] = i + 2;
        l.weights[NAMES - 1 + i] = 0.25f;
    }
    cafe_graph *graph = test_graph(shared, NAMES, &l, weighted, NULL);
    test_links_free(&l);
    TEST_OK(shared, cafe_graph_set_names(shared, graph, n->name));
    return graph;
}

static void expect_names(const cafe_graph *graph, const naming *n) {
    char *text = malloc(LONGEST + 1);
    assert_non_null(text);
    assert_int_equal(cafe_graph_nodes(graph), NAMES);
    for (int u = 0; u < NAMES; u++) {
        cafe_graph_name(graph, u, text, LONGEST + 1);
        if (strcmp(text, n->name[u]) != 0)
            fail_msg("name %d is '%.60s' instead of '%.60s'", u, text, n->name[u]);
        assert_int_equal(cafe_graph_find(graph, n->name[u]), u);
    }
    free(text);
}

/* The name of node u as a field; the next call uses the same room. */
static const char *field(const cafe_graph *graph, int64_t u) {
    static char text[2 * LONGEST + 3];
    assert_true(cafe_graph_field(graph, u, text, sizeof text) < sizeof text);
    return text;
}

/* ---- graphs ---------------------------------------------------------------------------------- */

static void test_graphs(void **state) {
    static const char *const files[] = {"g.txt",  "g.edges", "g.csv",   "g.tsv",
                                        "g.cafe", "g.mtx",   "g.metis", "g.graph"};
    io_scratch scratch = io_scratch_new();
    naming n = naming_new();
    (void)state;
    for (size_t i = 0; i < 2 * (sizeof files / sizeof *files); i++) {
        cafe_graph *graph = named_graph(&n, i % 2), *back = NULL;
        const char *path = io_path(&scratch, files[i / 2]);
        TEST_OK(shared, cafe_graph_write(shared, graph, path, CAFE_FORMAT_AUTO, 1));
        TEST_OK(shared, cafe_graph_read(shared, path, NULL, &back));
        expect_names(back, &n);
        io_expect_equal(graph, back);
        cafe_graph_free(back);
        cafe_graph_free(graph);
    }
    naming_free(&n);
    io_scratch_free(&scratch);
}

/* Two nodes that are called like the columns of an edge list are no heading. */
static void test_headings(void **state) {
    static const char *const pairs[][2] = {{"source", "target"},
                                           {"From", "TO"},
                                           {"u", "v"},
                                           {"FromNodeId", "ToNodeId"},
                                           {"id1", "id2"}};
    static const char *const files[] = {"g.txt", "g.csv", "g.tsv"};
    io_scratch scratch = io_scratch_new();
    (void)state;
    for (size_t i = 0; i < 3 * (sizeof pairs / sizeof *pairs); i++) {
        test_links l = {2, (int32_t[]){0, 1}, (int32_t[]){1, 2}, (float[]){2, 3}};
        const char *names[] = {pairs[i / 3][0], pairs[i / 3][1], "12"};
        const char *path = io_path(&scratch, files[i % 3]);
        for (int32_t weighted = 0; weighted < 2; weighted++) {
            cafe_graph *graph = test_graph(shared, 3, &l, weighted, NULL), *back = NULL;
            TEST_OK(shared, cafe_graph_set_names(shared, graph, names));
            TEST_OK(shared, cafe_graph_write(shared, graph, path, CAFE_FORMAT_AUTO, 1));
            TEST_OK(shared, cafe_graph_read(shared, path, NULL, &back));
            io_expect_equal(graph, back);
            cafe_graph_free(back);
            cafe_graph_free(graph);
        }
    }
    io_scratch_free(&scratch);
}

/* Integer names beside a matrix are integers again. */
static void test_integers_beside(void **state) {
    static const char others[] =
        "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n3 1\n";
    io_scratch scratch = io_scratch_new();
    cafe_graph *graph = io_read(shared, "x", "5 -3\n-3 700\n", NULL), *back = NULL;
    (void)state;
    const char *path = io_path(&scratch, "g.mtx");
    TEST_OK(shared, cafe_graph_write(shared, graph, path, CAFE_FORMAT_AUTO, 0));
    TEST_OK(shared, cafe_graph_read(shared, path, NULL, &back));
    io_expect_equal(graph, back);
    assert_int_equal(cafe_graph_find(back, "007"), -1);
    assert_int_equal(cafe_graph_find(back, "005"), 1); /* as among integers */
    cafe_graph_free(back);
    io_store(io_path(&scratch, "g.mtx.names.txt"), "a\nb\n", 4);
    path = io_path(&scratch, "g.mtx");
    assert_int_equal(cafe_graph_read(shared, path, NULL, &back), CAFE_ERROR_FORMAT);
    assert_non_null(strstr(cafe_error(shared), "g.mtx was written with, found others"));
    io_store(path, others, sizeof others - 1);
    assert_int_equal(cafe_graph_read(shared, path, NULL, &back), CAFE_ERROR_FORMAT);
    assert_non_null(strstr(cafe_error(shared), "expected 3 names, found 2"));
    cafe_graph_free(graph);
    io_scratch_free(&scratch);
}

/* ---- vectors --------------------------------------------------------------------------------- */

static float *numbers(int64_t rows) {
    float *values = malloc((size_t)(rows * COLUMNS) * sizeof *values);
    assert_non_null(values);
    for (int64_t i = 0; i < rows * COLUMNS; i++) values[i] = (float)(i + 1) / 7;
    return values;
}

static void test_vectors(void **state) {
    static const char *const files[] = {"v.npy", "v.tsv"};
    io_scratch scratch = io_scratch_new();
    naming n = naming_new();
    cafe_graph *graph = named_graph(&n, 0);
    float *values = numbers(NAMES), *back = NULL;
    int64_t columns;
    (void)state;
    for (int i = 0; i < 4; i++) {
        const char *path = io_path(&scratch, files[i % 2]);
        TEST_OK(shared, cafe_vectors_write(shared, graph, COLUMNS, values, path, 1));
        TEST_OK(shared, i < 2 ? cafe_vectors_read(shared, graph, path, &columns, &back, NULL)
                              : cafe_attributes_read(shared, graph, path, &columns, &back));
        assert_int_equal(columns, COLUMNS);
        assert_memory_equal(back, values, (size_t)(NAMES * COLUMNS) * sizeof *values);
        cafe_block_free(shared, back);
    }
    free(values);
    cafe_graph_free(graph);
    naming_free(&n);
    io_scratch_free(&scratch);
}

/* word2vec text keeps every name that has no blank and no control character, and refuses others. */
static void test_word2vec(void **state) {
    io_scratch scratch = io_scratch_new();
    naming n = naming_new();
    float *values = numbers(2), *back = NULL;
    const char *path = io_path(&scratch, "v.txt");
    (void)state;
    for (int u = 0; u < NAMES; u++) {
        test_links l = {1, (int32_t[]){0}, (int32_t[]){1}, NULL};
        cafe_graph *graph = test_graph(shared, 2, &l, 0, NULL);
        const char *names[] = {n.name[u], "other"};
        int64_t columns = 0;
        bool fits = true;
        for (const char *p = n.name[u]; *p; p++) fits &= (unsigned char)*p > ' ' && *p != 0x7f;
        TEST_OK(shared, cafe_graph_set_names(shared, graph, names));
        cafe_status status = cafe_vectors_write(shared, graph, COLUMNS, values, path, 1);
        assert_int_equal(status, fits ? CAFE_OK : CAFE_ERROR_ARGUMENT);
        if (fits) {
            TEST_OK(shared, cafe_vectors_read(shared, graph, path, &columns, &back, NULL));
            assert_memory_equal(back, values, 2 * COLUMNS * sizeof *values);
            cafe_block_free(shared, back);
        }
        cafe_graph_free(graph);
    }
    free(values);
    naming_free(&n);
    io_scratch_free(&scratch);
}

/* A column of ids names the rows, in any order; any other first column is data. */
static void test_id_columns(void **state) {
    static const struct {
        const char *text;
        int64_t columns;
        float first; /* of node -3 */
    } tables[] = {{"5\t1\t2\n-3\t3\t4\n700\t5\t6\n", 2, 3},
                  {"id,x\n700,1\n-3,2\n5,3\n", 1, 2},
                  {"5 1\n5 3\n700 2\n", 2, 5},
                  {"5 1\n6 3\n700 2\n", 2, 5},
                  {"5.5 1\n-3 3\n700 2\n", 2, 5.5f},
                  {"-3\n5\n700\n", 1, -3}};
    io_scratch scratch = io_scratch_new();
    cafe_graph *graph = io_read(shared, "x", "5 -3\n-3 700\n", NULL);
    (void)state;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        int64_t columns = 0;
        float *rows = NULL;
        cafe_table *table = NULL;
        const char *path = io_path(&scratch, "t.txt");
        io_store(path, tables[i].text, strlen(tables[i].text));
        TEST_OK(shared, cafe_attributes_read(shared, graph, path, &columns, &rows));
        assert_int_equal(columns, tables[i].columns);
        assert_true(rows[0] == tables[i].first);
        cafe_block_free(shared, rows);
        TEST_OK(shared, cafe_table_read_nodes(shared, path, graph, &table));
        assert_int_equal(cafe_table_columns(table), tables[i].columns);
        if (cafe_table_has_heading(table)) {
            char name[8];
            cafe_table_column_name(table, 0, name, sizeof name);
            assert_string_equal(name, "x");
        }
        cafe_table_free(table);
    }
    cafe_graph_free(graph);
    io_scratch_free(&scratch);
}

/* Ids among the rows, and no memory for them. */
static void test_failing_ids(void **state) {
    static const char text[] = "id,x\n700,1\n-3,2\n5,3\n";
    test_failing memory;
    cafe_context *context = test_failing_context(&memory, 1);
    io_scratch scratch = io_scratch_new();
    cafe_graph *graph = io_read(context, "x", "5 -3\n-3 700\n", NULL);
    const char *path = io_path(&scratch, "t.csv");
    (void)state;
    io_store(path, text, strlen(text));
    for (long k = 0;; k++) {
        cafe_table *table = NULL;
        long live = test_failing_arm(&memory, k);
        cafe_status status = cafe_table_read_nodes(context, path, graph, &table);
        int failed = test_failing_disarm(&memory);
        test_failing_expect(&memory, status, failed, live, context);
        cafe_table_free(table);
        if (!failed) break;
    }
    cafe_graph_free(graph);
    io_scratch_free(&scratch);
    cafe_context_free(context);
}

/* ---- small files ----------------------------------------------------------------------------- */

static FILE *open_lines(io_scratch *scratch) {
    FILE *file = fopen(io_path(scratch, "lines.txt"), "wb");
    assert_non_null(file);
    return file;
}

static void test_labels(void **state) {
    io_scratch scratch = io_scratch_new();
    naming n = naming_new();
    cafe_graph *graph = named_graph(&n, 0);
    int32_t label[NAMES];
    (void)state;
    for (const char *separator = " ,;\t"; *separator; separator++) {
        cafe_labels *labels = NULL;
        int64_t added = 0;
        FILE *file = open_lines(&scratch);
        for (int64_t u = 0; u < NAMES; u++)
            fprintf(file, "%s%c%d\n", field(graph, u), *separator, (int)(u % 5));
        fclose(file);
        TEST_OK(shared, cafe_graph_add_labelled(shared, scratch.path, NULL, &graph, &added));
        assert_int_equal(added, 0);
        TEST_OK(shared, cafe_labels_read(shared, graph, scratch.path, NULL, NULL, &labels));
        TEST_OK(shared, cafe_labels_single(shared, labels, label));
        assert_int_equal(cafe_labels_classes(labels), 5);
        for (int u = 0; u < NAMES; u++) assert_int_equal(label[u], u % 5);
        cafe_labels_free(labels);
    }
    cafe_graph_free(graph);
    naming_free(&n);
    io_scratch_free(&scratch);
}

/* A label in quotes is one label, whatever stands in it. */
static void test_label_names(void **state) {
    static const char text[] = "a \"x,y\"\nb \"say \"\"hi\"\"\",z\nc \"x,y\" z\n";
    static const char right[] = "a \"x,y\"\nb \"say \"\"hi\"\"\"\nc \"x,y\" z,w\n";
    io_scratch scratch = io_scratch_new();
    cafe_graph *graph = io_read(shared, "x", "a b\nb c\n", NULL);
    cafe_labels *labels = NULL;
    const int32_t *classes;
    (void)state;
    io_store(io_path(&scratch, "l.txt"), text, strlen(text));
    assert_int_equal(cafe_labels_read(shared, graph, scratch.path, NULL, NULL, &labels),
                     CAFE_ERROR_FORMAT);
    io_store(scratch.path, right, strlen(right));
    TEST_OK(shared, cafe_labels_read(shared, graph, scratch.path, NULL, NULL, &labels));
    assert_int_equal(cafe_labels_classes(labels), 4);
    assert_string_equal(cafe_labels_class_name(labels, 0), "x,y");
    assert_string_equal(cafe_labels_class_name(labels, 1), "say \"hi\"");
    assert_int_equal(cafe_labels_of(labels, 2, &classes), 3);
    cafe_labels_free(labels);
    cafe_graph_free(graph);
    io_scratch_free(&scratch);
}

/* Sets: names one a line, as FILE.names.txt has them, and as fields. */
static void test_sets(void **state) {
    io_scratch scratch = io_scratch_new();
    naming n = naming_new();
    cafe_graph *graph = named_graph(&n, 0);
    float *values = numbers(NAMES);
    (void)state;
    TEST_OK(shared,
            cafe_vectors_write(shared, graph, COLUMNS, values, io_path(&scratch, "v.npy"), 0));
    FILE *file = open_lines(&scratch);
    for (int64_t u = 0; u < NAMES; u++) fprintf(file, "%s\n", field(graph, u));
    fclose(file);
    for (int i = 0; i < 2; i++) {
        int64_t count = 0;
        int32_t *nodes = NULL;
        const char *path = io_path(&scratch, i ? "lines.txt" : "v.npy.names.txt");
        TEST_OK(shared, cafe_nodes_read(shared, graph, path, &count, &nodes));
        assert_int_equal(count, NAMES);
        for (int u = 0; u < NAMES; u++) assert_int_equal(nodes[u], u);
        cafe_nodes_free(shared, nodes);
    }
    free(values);
    cafe_graph_free(graph);
    naming_free(&n);
    io_scratch_free(&scratch);
}

/* Changes name old and new nodes; links of new nodes likewise. */
static void test_changes(void **state) {
    io_scratch scratch = io_scratch_new();
    naming n = naming_new();
    cafe_graph *graph = named_graph(&n, 0);
    (void)state;
    for (const char *separator = " ,;\t"; *separator; separator++) {
        cafe_changes *changes = NULL;
        FILE *file = open_lines(&scratch);
        for (int64_t u = 0; u < NAMES; u++) {
            fprintf(file, "+%c%s%c", *separator, field(graph, u), *separator);
            fprintf(file, "%s\n", field(graph, (u + 7) % NAMES));
        }
        for (int64_t u = 0; u + 1 < NAMES; u++) {
            fprintf(file, "-%c%s%c", *separator, field(graph, u), *separator);
            fprintf(file, "%s\n", field(graph, u + 1));
        }
        fclose(file);
        TEST_OK(shared, cafe_changes_read(shared, graph, scratch.path, &changes));
        const cafe_changes_report *c = cafe_changes_get(changes);
        assert_int_equal(c->added, NAMES);
        assert_int_equal(c->removed, NAMES - 1);
        assert_int_equal(c->new_nodes, 0);
        expect_names(cafe_changes_graph(changes), &n);
        cafe_changes_free(changes);
    }
    cafe_graph_free(graph);
    naming_free(&n);
    io_scratch_free(&scratch);
}

static void test_newcomers(void **state) {
    io_scratch scratch = io_scratch_new();
    naming n = naming_new();
    cafe_graph *graph = named_graph(&n, 0);
    cafe_graph *known = io_read(shared, "x", "here there\n", NULL);
    float *values = numbers(NAMES), *back = NULL;
    int64_t columns;
    cafe_changes *changes = NULL;
    cafe_new_links *links = NULL;
    (void)state;
    FILE *file = open_lines(&scratch);
    for (int64_t u = 0; u < NAMES; u++) fprintf(file, "%s here 2\n", field(graph, u));
    fclose(file);
    TEST_OK(shared, cafe_changes_read(shared, known, scratch.path, &changes));
    assert_int_equal(cafe_changes_get(changes)->new_nodes, NAMES);
    for (int u = 0; u < NAMES; u++)
        assert_int_equal(cafe_graph_find(cafe_changes_graph(changes), n.name[u]), u + 2);
    TEST_OK(shared, cafe_new_links_read(shared, known, scratch.path, &links));
    assert_int_equal(cafe_new_links_nodes(links), NAMES);
    for (int i = 0; i < 2; i++) {
        const char *path = io_path(&scratch, i ? "p.npy" : "p.tsv");
        TEST_OK(shared, cafe_placed_write(shared, links, COLUMNS, values, path, 0));
        TEST_OK(shared, cafe_vectors_read(shared, graph, path, &columns, &back, NULL));
        assert_memory_equal(back, values, (size_t)(NAMES * COLUMNS) * sizeof *values);
        cafe_block_free(shared, back);
    }
    cafe_new_links_free(links);
    cafe_changes_free(changes);
    free(values);
    cafe_graph_free(known);
    cafe_graph_free(graph);
    naming_free(&n);
    io_scratch_free(&scratch);
}

/* ---- random names ---------------------------------------------------------------------------- */

enum { RANDOM = 120, PARTS_OF_NAMES = 7 };

/* Made of what readers look for; `u` in front makes each its own, half of the time behind. */
static void random_name(uint64_t *state, int u, char *name) {
    static const char *const parts[] = {
        " ",       "\t", ",", ";", "\"",  "\"\"",     "#",
        "%",       "+",  "-", "0", "1e5", "a",        "\x1b",
        "'",       "\\", ".", "=", "|",   "\xc3\xbc", "\xef\xbb\xbf",
        "\xc2\x85"};
    char number[16];
    bool behind = test_below(state, 2);
    snprintf(number, sizeof number, "%d", u);
    strcpy(name, behind ? "" : number);
    for (int64_t i = test_below(state, PARTS_OF_NAMES); i >= 0; i--)
        strcat(name, parts[test_below(state, sizeof parts / sizeof *parts)]);
    if (behind) strcat(name, number);
}

static cafe_graph *random_graph(uint64_t *state, char (*text)[64]) {
    const char *names[RANDOM];
    test_links l = test_links_new(RANDOM - 1);
    cafe_graph *graph = NULL;
    for (int i = 0; i + 1 < RANDOM; i++) l.source[i] = i, l.target[i] = i + 1;
    do { /* until no two are the same */
        cafe_graph_free(graph);
        graph = test_graph(shared, RANDOM, &l, 0, NULL);
        for (int u = 0; u < RANDOM; u++) random_name(state, u, text[u]);
        for (int u = 0; u < RANDOM; u++) names[u] = text[u];
    } while (cafe_graph_set_names(shared, graph, names) != CAFE_OK);
    test_links_free(&l);
    return graph;
}

static void expect_labels(const cafe_graph *graph, io_scratch *scratch, char separator) {
    cafe_labels *labels = NULL;
    int32_t label[RANDOM];
    FILE *file = open_lines(scratch);
    for (int64_t u = 0; u < RANDOM; u++)
        fprintf(file, "%s%c%d\n", field(graph, u), separator, (int)(u % 5));
    fclose(file);
    TEST_OK(shared, cafe_labels_read(shared, graph, scratch->path, NULL, NULL, &labels));
    TEST_OK(shared, cafe_labels_single(shared, labels, label));
    for (int u = 0; u < RANDOM; u++) assert_int_equal(label[u], u % 5);
    cafe_labels_free(labels);
}

static void expect_changes(const cafe_graph *graph, io_scratch *scratch, char separator) {
    cafe_changes *changes = NULL;
    FILE *file = open_lines(scratch);
    for (int64_t u = 0; u + 1 < RANDOM; u++) {
        fprintf(file, "-%c%s%c", separator, field(graph, u), separator);
        fprintf(file, "%s\n", field(graph, u + 1));
    }
    fclose(file);
    TEST_OK(shared, cafe_changes_read(shared, graph, scratch->path, &changes));
    assert_int_equal(cafe_changes_get(changes)->removed, RANDOM - 1);
    cafe_changes_free(changes);
}

static void expect_files(const cafe_graph *graph, io_scratch *scratch) {
    static const char *const graphs[] = {"g.txt", "g.csv", "g.tsv", "g.mtx", "g.cafe"};
    int64_t count = 0;
    int32_t *nodes = NULL;
    for (size_t i = 0; i < sizeof graphs / sizeof *graphs; i++) {
        cafe_graph *back = NULL;
        const char *path = io_path(scratch, graphs[i]);
        TEST_OK(shared, cafe_graph_write(shared, graph, path, CAFE_FORMAT_AUTO, 1));
        TEST_OK(shared, cafe_graph_read(shared, path, NULL, &back));
        io_expect_equal(graph, back);
        cafe_graph_free(back);
    }
    const char *list = io_path(scratch, "g.mtx.names.txt");
    TEST_OK(shared, cafe_nodes_read(shared, graph, list, &count, &nodes));
    assert_int_equal(count, RANDOM);
    for (int u = 0; u < RANDOM; u++) assert_int_equal(nodes[u], u);
    cafe_nodes_free(shared, nodes);
}

static void test_random_names(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        char text[RANDOM][64];
        uint64_t numbers_from = seed;
        io_scratch scratch = io_scratch_new();
        cafe_graph *graph = random_graph(&numbers_from, text);
        expect_files(graph, &scratch);
        for (const char *separator = " ,;\t"; *separator; separator++) {
            expect_labels(graph, &scratch, *separator);
            expect_changes(graph, &scratch, *separator);
        }
        cafe_graph_free(graph);
        io_scratch_free(&scratch);
    }
}

/* ---- what is no name ------------------------------------------------------------------------- */

static void test_refused(void **state) {
    static char too_long[LONGEST + 2];
    static const char *const bad[] = {"",     "a\nb",         "a\rb",     "\n",     "\xff",
                                      "\xc3", "\xed\xa0\x80", "\xc0\xaf", "a\xf5z", too_long};
    io_scratch scratch = io_scratch_new();
    (void)state;
    memset(too_long, 'x', LONGEST + 1);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        test_links l = {1, (int32_t[]){0}, (int32_t[]){1}, NULL};
        cafe_graph *graph = test_graph(shared, 2, &l, 0, NULL), *back = NULL;
        const char *names[] = {bad[i], "other"};
        assert_int_equal(cafe_graph_set_names(shared, graph, names), CAFE_ERROR_ARGUMENT);
        TEST_OK(shared, cafe_graph_write(shared, graph, io_path(&scratch, "g.mtx"), 0, 1));
        cafe_graph_free(graph);
        FILE *file = fopen(io_path(&scratch, "g.mtx.names.txt"), "wb");
        assert_non_null(file);
        fprintf(file, "%s\nother\n", bad[i]);
        fclose(file);
        /* of the line end in the middle the number of lines tells */
        assert_int_equal(cafe_graph_read(shared, io_path(&scratch, "g.mtx"), NULL, &back),
                         CAFE_ERROR_FORMAT);
        unlink(io_path(&scratch, "g.mtx.names.txt"));
    }
    io_scratch_free(&scratch);
}

/* The field is cut like every text, and its full length told. */
static void test_field_capacity(void **state) {
    cafe_graph *graph = io_read(shared, "x", "\"a \"\"b\" c\n", NULL);
    const char full[] = "\"a \"\"b\"";
    char text[16];
    (void)state;
    for (size_t capacity = 0; capacity <= sizeof text; capacity++) {
        memset(text, '.', sizeof text);
        assert_int_equal(cafe_graph_field(graph, 0, text, capacity), strlen(full));
        size_t kept = capacity == 0 ? 0 : capacity - 1 < strlen(full) ? capacity - 1 : strlen(full);
        assert_memory_equal(text, full, kept);
        if (capacity > 0) assert_int_equal(text[kept], 0);
        if (capacity < sizeof text) assert_int_equal(text[capacity > kept ? capacity : kept], '.');
    }
    cafe_graph_free(graph);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_graphs),          cmocka_unit_test(test_headings),
        cmocka_unit_test(test_integers_beside), cmocka_unit_test(test_vectors),
        cmocka_unit_test(test_word2vec),        cmocka_unit_test(test_id_columns),
        cmocka_unit_test(test_failing_ids),     cmocka_unit_test(test_labels),
        cmocka_unit_test(test_label_names),     cmocka_unit_test(test_sets),
        cmocka_unit_test(test_changes),         cmocka_unit_test(test_newcomers),
        cmocka_unit_test(test_random_names),    cmocka_unit_test(test_refused),
        cmocka_unit_test(test_field_capacity),
    };
    return cmocka_run_group_tests(tests, io_start, io_stop);
}
