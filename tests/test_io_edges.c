/* Edge lists: every rule of docs/formats.md, and every way to break one. */
#define _GNU_SOURCE
#include <cafe-private/inputs.h>

#include "failing.h"
#include "test_io.h"

/* ---- what is accepted ------------------------------------------------------------------------ */

/* All of these are the path 0-1-2. */
static void test_shapes(void **state) {
    static const char *const texts[] = {"0 1\n1 2\n",
                                        "0 1\n1 2",
                                        "0\t1\n1\t2\n",
                                        "0,1\n1,2\n",
                                        "0;1\n1;2\n",
                                        "0 , 1\n1 , 2\n",
                                        "  0   1  \n\t1\t2\t\n",
                                        "0 1\r\n1 2\r\n",
                                        "\xef\xbb\xbf"
                                        "0 1\n1 2\n",
                                        "# SNAP\n% KONECT\n0 1\n\n \n# more\n1 2\n",
                                        "source,target\n0,1\n1,2\n",
                                        "\"a\";\"b\"\n0;1\n1;2\n",
                                        "0|1\n1|2\n",
                                        "id,to,from\n7,0,1\n8,1,2\n",
                                        "00 01\n01 2\n",
                                        "0,1,\n1,2,\n"};
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        cafe_graph *graph = io_read(shared, "path", texts[i], NULL);
        assert_int_equal(cafe_graph_nodes(graph), 3);
        assert_int_equal(cafe_graph_get_counts(graph)->edges, 2);
        assert_true(cafe_graph_names_are_indices(graph));
        assert_true(io_weight(graph, "0", "1") == 1 && io_weight(graph, "2", "1") == 1);
        cafe_graph_free(graph);
    }
}

static void test_integer_names(void **state) {
    (void)state;
    cafe_graph *graph = io_read(shared, "x", "7 -3\n7 100\n", NULL);
    assert_false(cafe_graph_names_are_indices(graph));
    io_expect_name(graph, 0, "-3");
    io_expect_name(graph, 1, "7");
    io_expect_name(graph, 2, "100");
    cafe_graph_free(graph);
    graph = io_read(shared, "x", "9223372036854775807 -9223372036854775807\n5 5000000000\n", NULL);
    assert_int_equal(cafe_graph_nodes(graph), 4);
    io_expect_name(graph, 0, "-9223372036854775807");
    io_expect_name(graph, 3, "9223372036854775807");
    assert_true(io_weight(graph, "5", "5000000000") == 1);
    cafe_graph_free(graph);
    graph = io_read(shared, "x", "1 2\n2000000000 1\n", NULL); /* scattered, yet small */
    io_expect_name(graph, 2, "2000000000");
    cafe_graph_free(graph);
}

/* One id that is no integer makes all of them strings, by first appearance. */
static void test_string_names(void **state) {
    (void)state;
    cafe_graph *graph = io_read(shared, "x", "9 8\n8 bob\n12x 9\n", NULL);
    static const char *const order[] = {"9", "8", "bob", "12x"};
    for (int64_t u = 0; u < 4; u++) io_expect_name(graph, u, order[u]);
    cafe_graph_free(graph);
    graph = io_read(shared, "x", "99999999999999999999 a\n", NULL); /* no overflow: a string */
    io_expect_name(graph, 0, "99999999999999999999");
    cafe_graph_free(graph);
}

static void test_string_fields(void **state) {
    (void)state;
    cafe_graph *graph = io_read(
        shared, "x.csv",
        "From,To,w\nNew York, Bern ,2\n\"a \"\"b\"\", c\",\"#x\",0.5\nZ\xc3\xbcrich,Bern,1e1\n",
        NULL);
    assert_int_equal(cafe_graph_nodes(graph), 5);
    io_expect_name(graph, 2, "a \"b\", c");
    assert_true(io_weight(graph, "New York", "Bern") == 2);
    assert_true(io_weight(graph, "a \"b\", c", "#x") == 0.5f);
    assert_true(io_weight(graph, "Bern", "Z\xc3\xbcrich") == 10);
    cafe_graph_free(graph);
    graph = io_read(shared, "x.tsv", "one two\tthree\r\nthree\tfour five\n", NULL);
    io_expect_name(graph, 0, "one two");
    io_expect_name(graph, 2, "four five");
    cafe_graph_free(graph);
    graph = io_read(shared, "x.csv", "it\"s,b c\n", NULL); /* a quote within is but a quote */
    io_expect_name(graph, 0, "it\"s");
    io_expect_name(graph, 1, "b c");
    cafe_graph_free(graph);
    graph = io_read(shared, "x", "\"1\" \"2\"\n", NULL); /* quoted integers are strings */
    io_expect_name(graph, 0, "1");
    assert_false(cafe_graph_names_are_indices(graph));
    cafe_graph_free(graph);
}

/* A caller that names the columns of the nodes gets the graph, with a warning if a further column
 * may be the weight. Without the names such a file is refused. */
static void test_named_columns(void **state) {
    static const char *const times =
        "0 1 1961\n1 2 1962\n2 3 1961\n3 4 1990\n4 5 1971\n"
        "5 6 1972\n6 7 1980\n7 8 1981\n8 9 1982\n9 10 1983\n10 11 1984\n";
    cafe_graph_options options;
    (void)state;
    cafe_graph_options_init(&options);
    io_refuse(shared, "x", times, NULL, "x:1:1: expected columns that are clearly two nodes");
    options.source = "0";
    options.target = "1";
    cafe_graph *graph = io_read(shared, "x", times, &options);
    assert_int_equal(cafe_graph_get_reading(graph)->weight, -1);
    assert_int_equal(cafe_graph_get_counts(graph)->weighted, 0);
    assert_non_null(strstr(cafe_graph_get_reading(graph)->warning, "weight=COLUMN"));
    cafe_graph_free(graph);
    options.weight = "2";
    graph = io_read(shared, "x", times, &options);
    assert_int_equal(cafe_graph_get_reading(graph)->weight, 2);
    assert_string_equal(cafe_graph_get_reading(graph)->warning, "");
    cafe_graph_free(graph);
    options.weight = NULL;
    options.weights = 0;
    graph = io_read(shared, "x", times, &options);
    assert_string_equal(cafe_graph_get_reading(graph)->warning, "");
    cafe_graph_free(graph);
}

/* Headings: any words above integers; above strings the usual ones, or none that are not nodes. */
static void test_headings(void **state) {
    (void)state;
    cafe_graph *graph = io_read(shared, "x", "my left,my right,w\n0,1,2\n", NULL);
    assert_int_equal(cafe_graph_nodes(graph), 2);
    cafe_graph_free(graph);
    graph = io_read(shared, "x", "x y\n0 1\n1 2\n2 3\n3 4\n4 5\n5 6\n", NULL);
    assert_int_equal(cafe_graph_nodes(graph), 7);
    cafe_graph_free(graph);
    graph = io_read(shared, "x", "SOURCE target\na b\n", NULL);
    assert_int_equal(cafe_graph_nodes(graph), 2);
    cafe_graph_free(graph);
    io_refuse(shared, "x", "left right\na b\n", NULL,
              "x:1:1: expected a first line that is clearly a heading or an edge, found 'left' and "
              "'right', which no other line has. Give ‘header=yes’ if they name columns, "
              "‘header=no’ if they are an edge");
    graph = io_read(shared, "x", "left right\n0 1\n1 x\n", NULL); /* one column changes */
    assert_int_equal(cafe_graph_nodes(graph), 3);
    cafe_graph_free(graph);
    io_refuse(shared, "x", "a 5\n0 1\n", NULL, "x:1:1: expected a first line that is clearly");
    io_refuse(shared, "x", "0,1\nann,bob\nbob,cy\n", NULL,
              "x:1:1: expected a first line that is clearly");
    graph = io_read(shared, "x", "ann bob\nbob cy\n", NULL); /* bob is a node */
    assert_int_equal(cafe_graph_nodes(graph), 3);
    cafe_graph_free(graph);
}

static void test_weights(void **state) {
    cafe_graph_options options;
    (void)state;
    cafe_graph *graph = io_read(shared, "x", "0 1 2.5 1999 x y\n1 2 .5\n2 3 +1e-2\n", NULL);
    assert_true(io_weight(graph, "0", "1") == 2.5f && io_weight(graph, "1", "2") == 0.5f);
    assert_true(io_weight(graph, "2", "3") == 0.01f);
    cafe_graph_free(graph);
    cafe_graph_options_init(&options);
    options.weights = 0;
    graph = io_read(shared, "x", "0 1 2.5\n1 2 nonsense\n2 3\n", &options);
    assert_int_equal(cafe_graph_get_counts(graph)->edges, 3);
    assert_true(io_weight(graph, "0", "1") == 1);
    cafe_graph_free(graph);
}

static void test_declared_nodes(void **state) {
    cafe_graph_options options;
    cafe_graph_counts counts;
    (void)state;
    cafe_graph_options_init(&options);
    options.nodes = 5;
    cafe_graph *graph = io_read(shared, "x", "3 1\n", &options);
    counts = *cafe_graph_get_counts(graph);
    assert_int_equal(counts.nodes, 5);
    assert_int_equal(counts.isolated, 3);
    assert_true(cafe_graph_names_are_indices(graph));
    cafe_graph_free(graph);
    graph = io_read(shared, "x", "# nothing\n", &options);
    assert_int_equal(cafe_graph_nodes(graph), 5);
    assert_int_equal(cafe_graph_get_counts(graph)->edges, 0);
    cafe_graph_free(graph);
    io_refuse(shared, "x", "0 1\n1 5\n", &options,
              "x:2:3: expected a node id from 0 to 4, found '5'");
    io_refuse(shared, "x", "0 1\n-1 2\n", &options,
              "x:2:1: expected a node id from 0 to 4, found '-1'");
    io_refuse(shared, "x", "0 b\n", &options, "x:1:3: expected a node id from 0 to 4, found 'b'");
    graph = io_read(shared, "x", "# cafe: nodes 4\n0 1\n", NULL); /* as our writer has it */
    assert_int_equal(cafe_graph_nodes(graph), 4);
    cafe_graph_free(graph);
    graph = io_read(shared, "x", "# Nodes: 4 Edges: 1\n0 1\n", NULL); /* SNAP: not a promise */
    assert_int_equal(cafe_graph_nodes(graph), 2);
    cafe_graph_free(graph);
}

/* ---- what is refused, and where -------------------------------------------------------------- */

static void test_bad_lines(void **state) {
    static const struct {
        const char *text, *error;
    } cases[] = {
        {"", "x:1:1: expected a graph, found nothing: the file is empty"},
        {"# only\n\n", "x:3:1: expected an edge, found the end of the file (no edges found)"},
        {"source,target\n", "x:2:1: expected an edge, found the end of the file (no edges found)"},
        {"from,to\n# nothing but a comment and a heading\n", "x:3:1: expected an edge"},
        {"0 1\n2\n", "x:2:2: expected a second node id, found the end of the line"},
        {"0 1\n2", "x:2:2: expected a second node id"},
        {"a b\nb a\nc\n", "x:3:2: expected a node id, found the end of the line"},
        {"0 1\n,2\n", "x:2:1: expected a node id, found ','"},
        {"0 1\n2,,3\n", "x:2:2: expected a node id, found ','"},
        {"0 1 1\n1 2 -1\n", "x:2:5: expected a weight that is not negative, found '-1'"},
        {"0 1 1\n1 2 nan\n", "x:2:5: expected a finite weight that is not negative, found 'nan'"},
        {"0 1 1\n1 2 inf\n", "x:2:5: expected a finite weight that is not negative, found 'inf'"},
        {"0 1 1\n1 2 1e39\n",
         "x:2:5: expected a weight of 0 or from 1.2e-38 to 3.4e38, found '1e39'"},
        {"0 1 3e38\n1 0 3e38\n", "x: node 0: the weights of an edge add up to more"},
        {"0 1 1\n1 2 1e\n", "x:2:5: expected a finite weight that is not negative, found '1e'"},
        {"0 1 1\n1 2 3x\n", "x:2:5: expected a finite weight that is not negative, found '3x'"},
        {"0 1 1\n1 2\n",
         "x:2:4: expected a weight (every line has one or none has), found the end"},
        {"0 1\n1 2 3\n",
         "x:2:5: expected the end of the line (every line has a weight or none has)"},
        {"a b 1\nb c -2\n", "x:2:5: expected a weight that is not negative, found '-2'"},
        {"a b 1\nb c\n", "x:2:4: expected a weight"},
        {"a b\nb c 1\n", "x:2:5: expected the end of the line"},
        {"0 1\n1 9223372036854775808\n",
         "x:2:3: expected a node id of at most 63 bits, or in quotes, as a name, found "
         "'9223372036854775808'"},
        {"0 1\n1 99999999999999999999999\n", "x:2:3: expected a node id of at most 63 bits"},
        {"a,b\n\"c,d\n", "x:2:1: expected a closing quote on the same line, found '\"c'"},
        {"a,b\n\"c\"d,e\n", "x:2:4: expected a separator behind the node id, found 'd'"},
        {"a,b\n\"c\rd\",e\n", "x:2:1: expected a closing quote on the same line"},
        {"a,b\nb,a\n\"\",e\n", "x:3:1: expected a node id"},
        {"\xc3\xa4 b\nb a\nc\xff"
         "d e\n",
         "x:3:2: expected UTF-8 text in a node id, found '\\xffd'"},
        {"\xc3\xa4 b\nb a\nc \xc3\x28\n", "x:3:3: expected UTF-8 text in a node id"},
        {"0 1\r1 2\r", "x:1:4: expected lines that end with a line feed, found a lone carriage"},
        {"\xff\xfe"
         "0\n1",
         "x:1:4: expected a character of UTF-16, found half of one"},
        {"0 1\n1,2\n", "x:2:2: expected a node id, found ','"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        io_refuse(shared, "x", cases[i].text, NULL, cases[i].error);
}

/* Text in other encodings: the same graph as of UTF-8, also packed in any windows. */
static void test_encodings(void **state) {
    static const char plain[] = "von;nach\nK\xc3\xb6ln;Gen\xc3\xa8ve\nGen\xc3\xa8ve;\xe2\x82\xac\n";
    static const char windows[] = "von;nach\nK\xf6ln;Gen\xe8ve\nGen\xe8ve;\x80\n";
    const cafe_graph_options options = {
        .struct_size = sizeof options, .weights = 1, .header = CAFE_HEADER_YES};
    char wide[2][128];
    size_t size = 0;
    (void)state;
    for (int big = 0; big < 2; big++) {
        const uint16_t mark = 0xFEFF;
        size = 0;
        for (int i = -1; i < (int)sizeof windows - 1; i++) {
            uint16_t c = i < 0 ? mark : (uint8_t)windows[i] == 0x80 ? 0x20AC : (uint8_t)windows[i];
            wide[big][size++] = (char)(big ? c >> 8 : c);
            wide[big][size++] = (char)(big ? c : c >> 8);
        }
    }
    const void *const texts[] = {plain, windows, wide[0], wide[1]};
    const size_t sizes[] = {sizeof plain - 1, sizeof windows - 1, size, size};
    for (int i = 0; i < 12; i++) {
        cafe_graph *graph = NULL;
        TEST_OK(shared, io_read_windows(shared, "x", texts[i % 4], sizes[i % 4], i / 4 * 7,
                                        &options, &graph));
        assert_int_equal(cafe_graph_nodes(graph), 3);
        assert_int_equal(cafe_graph_find(graph, "K\xc3\xb6ln"), 0);
        assert_int_equal(cafe_graph_find(graph, "Gen\xc3\xa8ve"), 1);
        assert_int_equal(cafe_graph_find(graph, "\xe2\x82\xac"), 2);
        const cafe_graph_reading *r = cafe_graph_get_reading(graph);
        assert_true(!strstr(r->text, "UTF-16") == (i % 4 < 2));
        assert_true(!strstr(r->text, "Windows-1252") == (i % 4 != 1));
        assert_true((r->warning[0] != 0) == (i % 4 == 1));
        cafe_graph_free(graph);
    }
}

static void test_binary_bytes(void **state) {
    (void)state;
    io_refuse_bytes(shared, "x", "0 1\n0 \0\n", 8, NULL,
                    "x:2:3: expected UTF-8 text in a node id, found '\\x00'");
    io_refuse_bytes(shared, "x", "\xff\xfe\0\0000\0\0\0", 8, NULL,
                    "x:1:1: expected UTF-8 text, found UTF-32 (iconv -f UTF-32 -t UTF-8 makes it)");
    io_refuse_bytes(shared, "x", "0\0 \0001\0\n\0", 8, NULL,
                    "x:1:1: expected UTF-8 text, found NUL bytes, as UTF-16LE has them (iconv -f "
                    "UTF-16LE -t UTF-8 makes it)");
    io_refuse_bytes(shared, "x", "\0000\0 \0001\0\n", 8, NULL,
                    "x:1:1: expected UTF-8 text, found NUL bytes, as UTF-16BE has them (iconv -f "
                    "UTF-16BE -t UTF-8 makes it)");
    io_refuse(shared, "x", "a\x80 \xc3\xa4\nc d\n", NULL,
              "x:1:1: expected UTF-8 text in a node id, found 'a\\x80'");
    uint8_t noise[4096];
    uint64_t seed = 7;
    for (size_t i = 0; i < sizeof noise; i++) noise[i] = (uint8_t)test_number(&seed);
    io_refuse_bytes(shared, "x", noise, sizeof noise, NULL, "x:1:");
}

/* The line is right wherever in a large file the error is, for any number of threads. */
static void test_error_lines(void **state) {
    enum { LINES = 400000 };
    size_t capacity = (size_t)LINES * 16, length = 0;
    char *text = malloc(capacity), wanted[64];
    (void)state;
    for (int32_t threads = 1; threads <= 3; threads += 2) {
        cafe_context *context = test_context(threads, 1);
        for (int bad = 1; bad < LINES; bad += 99990) {
            length = 0;
            for (int i = 1; i <= LINES; i++)
                length +=
                    (size_t)sprintf(text + length, i == bad ? "%d %d\n" : "%d %d 1\n", i, i / 2);
            snprintf(wanted, sizeof wanted, bad == 1 ? "x:2:" : "x:%d:", bad);
            io_refuse_bytes(context, "x", text, length, NULL, wanted);
        }
        cafe_context_free(context);
    }
    free(text);
}

static void test_files(void **state) {
    io_scratch scratch = io_scratch_new();
    cafe_graph *graph = NULL;
    (void)state;
    assert_int_equal(cafe_graph_read(shared, io_path(&scratch, "none"), NULL, &graph),
                     CAFE_ERROR_IO);
    assert_non_null(strstr(cafe_error(shared), "No such file"));
    assert_int_equal(cafe_graph_read(shared, scratch.folder, NULL, &graph), CAFE_ERROR_FORMAT);
    assert_non_null(strstr(cafe_error(shared), "expected files in the folder"));
    io_store(io_path(&scratch, "empty"), "", 0);
    assert_int_equal(cafe_graph_read(shared, scratch.path, NULL, &graph), CAFE_ERROR_FORMAT);
    /* a file that ends with its page, without a last newline: nothing behind it may be read */
    char page[4096];
    for (size_t i = 0; i < sizeof page; i++) page[i] = "1 7\n"[i % 4];
    page[4095] = '7';
    io_store(io_path(&scratch, "page"), page, sizeof page);
    assert_int_equal(cafe_graph_read(shared, scratch.path, NULL, &graph), CAFE_OK);
    assert_int_equal(cafe_graph_find(graph, "77"), 2);
    cafe_graph_free(graph);
    page[4093] = 'x';
    io_store(scratch.path, page, sizeof page);
    assert_int_equal(cafe_graph_read(shared, scratch.path, NULL, &graph), CAFE_ERROR_FORMAT);
    assert_non_null(strstr(cafe_error(shared), "page:1024:5: expected a node id"));
    io_scratch_free(&scratch);
}

/* ---- any number of threads ------------------------------------------------------------------- */

typedef enum ids { SMALL, WIDE, NAMES } ids;

/* A list large enough for several windows of string ids. */
static char *make_list(ids kind, bool weights, size_t *length) {
    enum { LINES = 600000 };
    uint64_t seed = 3;
    char *text = malloc((size_t)LINES * 40), *p = text;
    for (int i = 0; i < LINES; i++) {
        long long u = test_below(&seed, 50000), w = test_below(&seed, 50000);
        if (i % 1000 == 999) p += sprintf(p, "# comment %d\n\n", i);
        if (kind == NAMES)
            p += sprintf(p, "node-%lld x%lld", u, w);
        else if (kind == WIDE)
            p += sprintf(p, "%lld %lld", u * 1000003 - 7000000000, w * 1000003 - 7000000000);
        else
            p += sprintf(p, "%lld %lld", 3 * u, 3 * w);
        p += sprintf(p, weights ? " %d.25\n" : "\n", i % 50);
    }
    *length = (size_t)(p - text);
    return text;
}

/* First appearance, found by a slow reading of the text itself. */
static void check_order(const cafe_graph *graph, const char *text, size_t length) {
    int64_t next = 0;
    const char *p = text;
    while (p < text + length && next < 2000) {
        char a[64], b[64];
        if (*p != '#' && sscanf(p, "%63s %63s", a, b) == 2) {
            int64_t u = cafe_graph_find(graph, a), w = cafe_graph_find(graph, b);
            assert_true(u >= 0 && u <= next);
            next += u == next;
            assert_true(w >= 0 && w <= next);
            next += w == next;
        }
        p = strchr(p, '\n') + 1;
    }
}

static void test_threads(void **state) {
    (void)state;
    for (int kind = SMALL; kind <= NAMES; kind++)
        for (int weights = 0; weights < 2; weights++) {
            if (TEST_SANITIZED && weights != kind % 2)
                continue; /* ids and weights are read apart */
            size_t length;
            char *text = make_list((ids)kind, weights != 0, &length);
            cafe_graph *graphs[TEST_THREADS] = {NULL};
            cafe_context *contexts[TEST_THREADS];
            for (int i = 0; i < TEST_THREADS; i++) {
                contexts[i] = test_context(test_thread_counts[i], 1);
                assert_int_equal(io_read_bytes(contexts[i], "x", text, length, NULL, &graphs[i]),
                                 CAFE_OK);
            }
            for (int i = 1; i < TEST_THREADS; i++) io_expect_equal(graphs[0], graphs[i]);
            if (kind == NAMES && !weights) check_order(graphs[0], text, length);
            for (int i = 0; i < TEST_THREADS; i++) {
                cafe_graph_free(graphs[i]);
                assert_int_equal(cafe_bytes(contexts[i]) > 0, 1);
                cafe_context_free(contexts[i]);
            }
            free(text);
        }
}

/* However the text is cut into windows, the graph is the same. */
static void test_windows(void **state) {
    static const int64_t windows[] = {16, 1000, 70000, 1000000};
    (void)state;
    for (int kind = SMALL; kind <= NAMES; kind += 1 + TEST_SANITIZED) {
        size_t length;
        cafe_graph *whole = NULL;
        char *text = make_list((ids)kind, true, &length);
        length = 200000; /* the last line has no end of its own */
        while (text[length] != '\n' || text[length - 3] != '.') length++;
        assert_int_equal(io_read_bytes(shared, "x", text, length, NULL, &whole), CAFE_OK);
        for (size_t i = 0; i < sizeof windows / sizeof *windows; i++) {
            cafe_graph *graph = NULL;
            assert_int_equal(io_read_windows(shared, "x", text, length, windows[i], NULL, &graph),
                             CAFE_OK);
            io_expect_equal(whole, graph);
            cafe_graph_free(graph);
        }
        cafe_graph_free(whole);
        free(text);
    }
}

static void test_cancel(void **state) {
    cafe_graph *graph = NULL;
    (void)state;
    cafe_cancel(shared);
    assert_int_equal(io_read_bytes(shared, "x", "0 1\n", 4, NULL, &graph), CAFE_ERROR_CANCELLED);
    assert_null(graph);
    cafe_reset_cancel(shared);
}

/* ---- memory that runs out -------------------------------------------------------------------- */

static void test_failing_memory(void **state) {
    static const char *const texts[] = {"0 1\n1 2\n", "5 7 1\n7 900 2\n", "-1 5000000000\n3 2\n",
                                        "a,\"b \"\"c\"\" d\"\na,c\n", "007 1\n1 12\n"};
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        test_failing memory;
        cafe_context *context = test_failing_context(&memory, 2);
        for (long k = 0;; k++) {
            cafe_graph *graph = NULL;
            long live = test_failing_arm(&memory, k);
            cafe_status status =
                io_read_bytes(context, "x", texts[i], strlen(texts[i]), NULL, &graph);
            int failed = test_failing_disarm(&memory);
            test_failing_expect(&memory, status, failed, live, context);
            cafe_graph_free(graph);
            if (!failed) break;
        }
        cafe_context_free(context);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shapes),        cmocka_unit_test(test_integer_names),
        cmocka_unit_test(test_string_names),  cmocka_unit_test(test_string_fields),
        cmocka_unit_test(test_named_columns), cmocka_unit_test(test_headings),
        cmocka_unit_test(test_weights),       cmocka_unit_test(test_declared_nodes),
        cmocka_unit_test(test_bad_lines),     cmocka_unit_test(test_encodings),
        cmocka_unit_test(test_binary_bytes),  cmocka_unit_test(test_error_lines),
        cmocka_unit_test(test_files),         cmocka_unit_test(test_threads),
        cmocka_unit_test(test_cancel),        cmocka_unit_test(test_windows),
        cmocka_unit_test(test_failing_memory)};
    return cmocka_run_group_tests(tests, io_start, io_stop);
}
