/* Tables of texts about nodes: what is read, what is refused and where, arrays, failing memory. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cafe-private/inputs.h>

#include "dense.h"
#include "failing.h"

#include "io/facts.h"

static char path[64];

static const char *file_of(const char *text) {
    snprintf(path, sizeof path, "/tmp/cafe-facts-%d.txt", (int)getpid());
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    return path;
}

static void files_are_read(void **state) {
    static const char *const texts[] = {
        "node,age,city\n0,31,Oslo\n2,,\"K\xc3\xb6ln, \"\"am Rhein\"\"\"\n1,31,\n",
        "node;age;city\r\n0;31;Oslo\r\n2;;\"K\xc3\xb6ln, \"\"am Rhein\"\"\"\r\n1;31;\r\n",
        "\tage\tcity\n# comment\n0\t31\tOslo\n\n2\t\t\"K\xc3\xb6ln, \"\"am "
        "Rhein\"\"\"\n1\t31\t\n99\t1\t2",
    };
    cafe_context *context = NULL;
    (void)state;
    assert_int_equal(cafe_context_create(NULL, &context), CAFE_OK);
    cafe_graph *graph = test_karate(context);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        cafe_facts *f = NULL;
        int64_t skipped = 0;
        TEST_OK(context, cafe_facts_read(context, graph, file_of(texts[i]), &f, &skipped));
        assert_int_equal(skipped, i == 2);
        assert_int_equal(cafe_facts_columns(f), 2);
        assert_string_equal(cafe_facts_name(f, 0), "age");
        assert_string_equal(cafe_facts_name(f, 1), "city");
        assert_int_equal(cafe_facts_words(f, 0), 1);
        assert_int_equal(cafe_facts_of(f, 0, 0), cafe_facts_of(f, 0, 1));
        assert_string_equal(cafe_facts_text(f, 0, 1), "31");
        assert_string_equal(cafe_facts_text(f, 0, 2), "");
        assert_string_equal(cafe_facts_text(f, 1, 0), "Oslo");
        assert_string_equal(cafe_facts_text(f, 1, 2), "K\xc3\xb6ln, \"am Rhein\"");
        assert_string_equal(cafe_facts_text(f, 1, 1), "");
        assert_int_equal(cafe_facts_of(f, 1, 5), -1);
        cafe_facts_free(f);
    }
    unlink(path);
    cafe_facts_free(NULL);
    cafe_graph_free(graph);
    cafe_context_free(context);
}

static void doubtful_ones_are_refused(void **state) {
    static const struct {
        const char *text, *said;
    } refused[] = {
        {"", "no table found"},
        {"node\n0\n", ":1: expected a heading with a column beside the nodes'"},
        {"node,age\n0,3\n0,4\n", ":3:1: expected one line per node"},
        {"node,age\n0\n", ":1:1: expected one separator in all lines (commas are in 1 of 2)"},
        {"node,age,town\n0,3\n", ":2:4: expected another field: the heading has 3"},
        {"node,age\n0,3,4\n1,2\n", "expected as many columns as the heading has, 2"},
        {"node,age\nx,3\ny,4\n", "expected nodes of the graph in column 0, found none"},
        {"node,age\n0,\"3\n", ":2:3: expected a closing quote"},
        {"node,age\n1,\xc3\xa4\n0,\xff\n", "expected UTF-8 text"},
    };
    cafe_context *context = NULL;
    (void)state;
    assert_int_equal(cafe_context_create(NULL, &context), CAFE_OK);
    cafe_graph *graph = test_karate(context);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        cafe_facts *f = NULL;
        int64_t skipped = 0;
        assert_int_equal(cafe_facts_read(context, graph, file_of(refused[i].text), &f, &skipped),
                         CAFE_ERROR_FORMAT);
        assert_null(f);
        if (!strstr(cafe_error(context), refused[i].said))
            fail_msg("'%s' lacks '%s'", cafe_error(context), refused[i].said);
    }
    unlink(path);
    cafe_graph_free(graph);
    cafe_context_free(context);
}

static void arrays_are_taken(void **state) {
    static const char *const names[] = {"a", "b"};
    static const char *const text[] = {"x", NULL, "x", "", "y", "z"};
    cafe_context *context = NULL;
    cafe_facts *f = NULL;
    (void)state;
    assert_int_equal(cafe_context_create(NULL, &context), CAFE_OK);
    TEST_OK(context, cafe_facts_from_arrays(context, 3, 2, names, text, &f));
    assert_int_equal(cafe_facts_of(f, 0, 1), -1);
    assert_int_equal(cafe_facts_words(f, 0), 1);
    assert_string_equal(cafe_facts_text(f, 1, 2), "z");
    assert_string_equal(cafe_facts_word(f, 1, 0), "y");
    cafe_facts_free(f);
    assert_int_equal(cafe_facts_from_arrays(context, 3, 0, names, text, &f), CAFE_ERROR_ARGUMENT);
    cafe_context_free(context);
}

static void it_survives_failing_memory(void **state) {
    static const char *const names[] = {"a"}, *const text[] = {"x", "y", NULL};
    test_failing memory;
    cafe_context *context = test_failing_context(&memory, 1);
    cafe_graph *graph = test_karate(context);
    (void)state;
    for (int kind = 0; kind < 2; kind++)
        for (long k = 0;; k++) {
            cafe_facts *f = NULL;
            int64_t skipped = 0;
            const char *name = file_of("n,a,b\n0,x,y\n1,,z\n");
            long live = test_failing_arm(&memory, k);
            cafe_status status = kind == 0 ? cafe_facts_read(context, graph, name, &f, &skipped)
                                           : cafe_facts_from_arrays(context, 3, 1, names, text, &f);
            int failed = test_failing_disarm(&memory);
            test_failing_expect(&memory, status, failed, live, context);
            cafe_facts_free(f);
            if (!failed) break;
        }
    unlink(path);
    cafe_graph_free(graph);
    cafe_context_free(context);
    assert_int_equal(atomic_load(&memory.live), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_are_read),
        cmocka_unit_test(doubtful_ones_are_refused),
        cmocka_unit_test(arrays_are_taken),
        cmocka_unit_test(it_survives_failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
