/* Reports: what is written reads back, failures are kept, and objects have the documented keys. */
#include <locale.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cafe-private/members.h>

#include "failing.h"
#include "graphs.h"

#include "report/report.h"

static cafe_context *new_context(void) {
    cafe_context *context = NULL;
    assert_int_equal(cafe_context_create(NULL, &context), CAFE_OK);
    return context;
}

static cafe_report *new_report(cafe_context *context) {
    cafe_report *report = NULL;
    assert_int_equal(cafe_report_new(context, "cafe/test/1", &report), CAFE_OK);
    return report;
}

static const char *text_of(cafe_report *report) {
    static const char *text;
    assert_int_equal(cafe_report_text(report, &text), CAFE_OK);
    return text;
}

/* The text without its first two members, blanks and line ends. */
static const char *members(cafe_report *report) {
    static char packed[4096];
    size_t at = 0;
    char last = 0;
    bool quoted = false;
    for (const char *p = strstr(text_of(report), cafe_version()) + strlen(cafe_version()) + 1;
         *p && at + 1 < sizeof packed; last = *p++) {
        if (*p == '"' && last != '\\') quoted = !quoted;
        if (quoted || !strchr(" \n", *p)) packed[at++] = *p;
    }
    packed[at] = 0;
    return packed;
}

/* ---- the writer ------------------------------------------------------------------------------ */

static void test_members(void **state) {
    cafe_context *context = new_context();
    cafe_report *r = new_report(context);
    const double values[] = {0.5, NAN, -INFINITY};
    const int32_t numbers[] = {3, -1};
    (void)state;
    cafe_report_integer(r, "i", INT64_MIN);
    cafe_report_real(r, "x", 1e300 * 1e300);
    cafe_report_truth(r, "yes", 7);
    cafe_report_reals(r, "values", 3, values);
    cafe_report_reals(r, "none", 3, NULL);
    cafe_report_integers(r, "numbers", 2, numbers);
    cafe_report_open(r, "list", '[');
    cafe_report_open(r, NULL, '{');
    cafe_report_close(r);
    cafe_report_integer(r, NULL, 1);
    assert_string_equal(members(r),
                        ",\"i\":-9223372036854775808,\"x\":null,\"yes\":true,"
                        "\"values\":[0.5,null,null],\"none\":null,\"numbers\":[3,-1],"
                        "\"list\":[{},1]}");
    assert_int_equal(strncmp(text_of(r), "{\n  \"schema\": \"cafe/test/1\"", 27), 0);
    cafe_report_free(r);
    cafe_report_free(NULL);
    cafe_context_free(context);
}

static void test_strings(void **state) {
    cafe_context *context = new_context();
    cafe_report *r = new_report(context);
    (void)state;
    cafe_report_string(r, "a", "\"\\\n\x7f");
    cafe_report_string(r, "b", "\xc3\xa9 </script>&");
    cafe_report_string(r, "c", "\xc3");                 /* cut off */
    cafe_report_string(r, "d", "\xc0\xaf\xed\xa0\x80"); /* overlong; a surrogate */
    cafe_report_string(r, "e", "\xf4\x8f\xbf\xbf\xf4\x90\x80\x80");
    assert_string_equal(members(r),
                        ",\"a\":\"\\\"\\\\\\u000a\\u007f\",\"b\":\"\xc3\xa9 </script>&\","
                        "\"c\":\"\\ufffd\",\"d\":\"\\ufffd\\ufffd\\ufffd\\ufffd\\ufffd\","
                        "\"e\":\"\xf4\x8f\xbf\xbf\\ufffd\\ufffd\\ufffd\\ufffd\"}");
    cafe_report_free(r);
    cafe_context_free(context);
}

static void check_numbers(void) {
    static const double values[] = {0.1, -1.0 / 3, 1e-320, 123456789.125, 1e22, 5e-324, -0.0};
    cafe_context *context = new_context();
    cafe_report *r = new_report(context);
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) cafe_report_real(r, "x", values[i]);
    char copy[4096];
    snprintf(copy, sizeof copy, "%s", members(r));
    setlocale(LC_ALL, "C");
    char *at = copy;
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        at = strstr(at, "\"x\":") + 4;
        assert_true(strtod(at, NULL) == values[i]);
    }
    cafe_report_free(r);
    cafe_context_free(context);
}

static void test_numbers(void **state) {
    static const char *const locales[] = {"C", "de_DE.UTF-8", "ps_AF.UTF-8"};
    (void)state;
    for (size_t i = 0; i < sizeof locales / sizeof *locales; i++) {
        setlocale(LC_ALL, locales[i]); /* where the system has it */
        check_numbers();
    }
}

static void test_limits(void **state) {
    cafe_context *context = new_context();
    cafe_report *r = new_report(context);
    const char *text = NULL;
    (void)state;
    for (int i = 0; i < 100; i++) cafe_report_open(r, i ? NULL : "deep", '[');
    cafe_report_integer(r, NULL, 1);
    assert_int_equal(cafe_report_text(r, &text), CAFE_ERROR_LIMIT);
    assert_int_equal(cafe_report_write(r, "never-written", 0), CAFE_ERROR_LIMIT);
    assert_int_equal(access("never-written", F_OK), -1);
    cafe_report_free(r);
    cafe_context_free(context);
}

static void test_write(void **state) {
    cafe_context *context = new_context();
    cafe_report *r = new_report(context);
    char path[64], read[4096];
    (void)state;
    snprintf(path, sizeof path, "test_report.%ld", (long)getpid());
    cafe_report_context(r);
    assert_int_equal(cafe_report_write(r, path, 0), CAFE_OK);
    assert_int_equal(cafe_report_write(r, path, 0), CAFE_ERROR_EXISTS);
    assert_int_equal(cafe_report_write(r, path, 1), CAFE_OK);
    FILE *file = fopen(path, "rb");
    size_t size = fread(read, 1, sizeof read - 1, file);
    read[size] = 0;
    fclose(file);
    assert_string_equal(read, text_of(r));
    assert_non_null(strstr(read, "\"seed\": 1,"));
    unlink(path);
    cafe_report_free(r);
    cafe_context_free(context);
}

/* An older, shorter struct has the defaults of what it lacks; NULL is the defaults; what the table
 * refuses is an error of the report. */
static void test_options(void **state) {
    cafe_context *context = new_context();
    cafe_sphere_options o;
    const char *text = NULL;
    (void)state;
    cafe_sphere_options_init(&o);
    o.columns = 5;
    o.struct_size = offsetof(cafe_sphere_options, sweeps);
    cafe_report *old = new_report(context), *defaults = new_report(context);
    cafe_report_options(old, cafe_sphere_option_table(), &o);
    cafe_report_options(defaults, cafe_sphere_option_table(), NULL);
    assert_non_null(strstr(text_of(old), "\"columns\": 5,"));
    assert_string_equal(strstr(text_of(old), "\"sweeps\""),
                        strstr(text_of(defaults), "\"sweeps\""));
    cafe_report_free(old);
    cafe_report_free(defaults);
    cafe_report *bad = new_report(context);
    o.struct_size = sizeof o;
    o.columns = -1;
    cafe_report_options(bad, cafe_sphere_option_table(), &o);
    assert_int_equal(cafe_report_text(bad, &text), CAFE_ERROR_ARGUMENT);
    cafe_report_free(bad);
    cafe_context_free(context);
}

/* ---- reading again --------------------------------------------------------------------------- */

static cafe_status read_text(cafe_context *context, const char *text, size_t size,
                             cafe_record **record) {
    char path[64];
    snprintf(path, sizeof path, "test_record.%ld", (long)getpid());
    FILE *file = fopen(path, "wb");
    fwrite(text, 1, size, file);
    fclose(file);
    cafe_status status = cafe_record_read(context, path, record);
    unlink(path);
    return status;
}

static const char small[] =
    "{\"schema\": \"cafe/embed/1\", \"a\\u00e9\\n\": {\"objective\": 1, \"x\": [null, true, []]},\n"
    "\"objective\": [-0.5e+1, 0, 123456789012345678901, 1E-3], \"ritz_values\": [0.25],"
    "\"residuals\": [ 1e-9 ], \"columns\": 1}\n";

static void test_record(void **state) {
    static const char blanks[] =
        "{ \"objective\" : [ 1 , 2 ] , \"schema\" : \"cafe/embed/1\" ,"
        " \"residuals\" : [ ] \n} \n";
    cafe_context *context = new_context();
    cafe_record *record = NULL;
    int64_t count = 0;
    (void)state;
    assert_int_equal(read_text(context, blanks, strlen(blanks), &record), CAFE_OK);
    cafe_record_free(record);
    assert_int_equal(read_text(context, small, strlen(small), &record), CAFE_OK);
    const double *objective = cafe_record_objective(record, &count);
    assert_int_equal(count, 4);
    assert_true(objective[0] == -5 && objective[1] == 0 && objective[3] == 1e-3);
    assert_true(fabs(objective[2] / 123456789012345678901.0 - 1) < 1e-15);
    assert_int_equal(cafe_record_columns(record), 1);
    cafe_record_free(record);
    cafe_record_free(NULL);
    cafe_context_free(context);
}

/* No beginning of a report is one, and bytes that are changed are refused or read, nothing else. */
static void test_record_bytes(void **state) {
    static const char *const bad[] = {
        "",
        "[]",
        "null",
        "{}",
        "{\"schema\": \"cafe/embed/1\"}",
        "{\"schema\": \"cafe/embed/1\", \"objective\": [01]}",
        "{\"schema\": \"cafe/embed/1\", \"objective\": [1e999]}",
        "{\"schema\": \"cafe/embed/1\", \"objective\": [1,]}",
        "{\"schema\": \"cafe/embed/1\", \"objective\": [1], \"objective\": [2]}",
        "{\"schema\": \"cafe/embed/1\", \"objective\": [null]}",
        "{\"schema\": \"cafe/cluster/1\", \"objective\": [1]}",
        "{\"schema\": \"cafe/embed/1\", \"objective\": [1]} x",
        "{\"schema\": \"cafe/embed/1\", \"objective\": [1], \"columns\": -1}"};
    cafe_context *context = new_context();
    cafe_record *record = NULL;
    char text[sizeof small];
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(read_text(context, bad[i], strlen(bad[i]), &record), CAFE_ERROR_FORMAT);
    for (size_t size = 0; size + 1 < strlen(small); size++)
        assert_int_equal(read_text(context, small, size, &record), CAFE_ERROR_FORMAT);
    for (size_t i = 0; i < 4 * strlen(small); i++) {
        memcpy(text, small, sizeof small);
        text[i % strlen(small)] = (char)(i * 37 + i / strlen(small) * 91);
        cafe_status status = read_text(context, text, strlen(small), &record);
        assert_true(status == CAFE_OK || status == CAFE_ERROR_FORMAT);
        cafe_record_free(record);
    }
    char deep[1000];
    memset(deep, '[', sizeof deep);
    assert_int_equal(read_text(context, deep, sizeof deep, &record), CAFE_ERROR_FORMAT);
    cafe_context_free(context);
}

static void test_record_memory(void **state) {
    test_failing memory;
    cafe_context *context = test_failing_context(&memory, 1);
    cafe_record *record = NULL;
    (void)state;
    for (long k = 0;; k++) {
        long live = test_failing_arm(&memory, k);
        cafe_status status = read_text(context, small, strlen(small), &record);
        int failed = test_failing_disarm(&memory);
        test_failing_expect(&memory, status, failed, live, context);
        if (!failed) break;
    }
    cafe_record_free(record);
    cafe_context_free(context);
}

/* ---- objects --------------------------------------------------------------------------------- */

typedef struct run {
    cafe_graph *graph;
    cafe_sampled *sampled;
    cafe_operator *op;
    cafe_embedding *embedding;
    cafe_layers *layers;
    cafe_explanation *explanation;
    float vectors[TEST_KARATE_NODES * 4];
} run;

static void begin(cafe_context *context, run *r) {
    cafe_sphere_options o;
    cafe_solution *solution = NULL;
    cafe_sphere_options_init(&o);
    o.columns = 4;
    r->graph = test_karate(context);
    assert_int_equal(cafe_sample(context, r->graph, CAFE_SAMPLING_EDGE, NULL, NULL, &r->sampled),
                     CAFE_OK);
    assert_int_equal(cafe_operator_modularity(context, r->sampled, &r->op), CAFE_OK);
    assert_int_equal(cafe_sphere(context, r->op, &o, NULL, &solution), CAFE_OK);
    assert_int_equal(cafe_finish(context, r->op, &solution, NULL, &r->embedding), CAFE_OK);
    assert_int_equal(cafe_layers_find(context, r->op, NULL, &r->layers), CAFE_OK);
    int64_t columns = cafe_embedding_certificate(r->embedding)->columns;
    cafe_embedding_copy(r->embedding, r->vectors);
    assert_int_equal(cafe_explain(context, r->op, columns, r->vectors, NULL, NULL, &r->explanation),
                     CAFE_OK);
}

static void end(run *r) {
    cafe_explanation_free(r->explanation);
    cafe_layers_free(r->layers);
    cafe_embedding_free(r->embedding);
    cafe_operator_free(r->op);
    cafe_sampled_free(r->sampled);
    cafe_graph_free(r->graph);
}

static void put_all(cafe_report *report, const run *r) {
    const int64_t nodes[] = {0, 33};
    cafe_explanation_inputs with = {
        .struct_size = sizeof with, .graph = r->graph, .node_count = 2, .nodes = nodes};
    cafe_report_graph(report, NULL, r->graph);
    cafe_report_open(report, "options", '{');
    cafe_report_context(report);
    cafe_report_options(report, cafe_sphere_option_table(), NULL);
    cafe_report_close(report);
    cafe_report_embedding(report, r->embedding, r->sampled, 0);
    cafe_report_tree(report, r->layers, false);
    cafe_report_explanation(report, r->explanation, &with);
}

static void test_objects(void **state) {
    static const char *const found[] = {
        "\"nodes\": 34,",           "\"directed\": \"no\"", "\"problem\": \"Q v = rho D v\"",
        "\"exact_sampling\": true", "\"modularity\"",       "\"high_communities\"",
        "\"node\": \"33\"",         "\"found\": true",      "\"pulls\""};
    cafe_context *context = new_context();
    cafe_report *report = new_report(context);
    run r;
    (void)state;
    begin(context, &r);
    put_all(report, &r);
    for (size_t i = 0; i < sizeof found / sizeof *found; i++)
        assert_non_null(strstr(text_of(report), found[i]));
    cafe_report_free(report);
    end(&r);
    cafe_context_free(context);
}

static void test_sizes(void **state) {
    static const int32_t part[] = {0, 1, 1, 2, 1, 0};
    cafe_context *context = new_context();
    cafe_sizes sizes;
    (void)state;
    assert_int_equal(cafe_partition_sizes(context, 6, part, 3, &sizes), CAFE_OK);
    assert_int_equal(sizes.largest, 3);
    assert_int_equal(sizes.median, 2);
    assert_int_equal(sizes.smallest, 1);
    assert_int_equal(sizes.single_nodes, 1);
    assert_int_equal(cafe_partition_sizes(context, 0, NULL, 0, &sizes), CAFE_OK);
    assert_int_equal(sizes.largest, 0);
    cafe_context_free(context);
}

static cafe_status make_all(cafe_context *context, const run *r) {
    cafe_report *report = NULL;
    const char *text = NULL;
    cafe_status status = cafe_report_new(context, "cafe/test/1", &report);
    if (status != CAFE_OK) return status;
    put_all(report, r);
    status = cafe_report_text(report, &text);
    cafe_report_free(report);
    return status;
}

/* Partitions from arrays have no names of communities, and perhaps no drifts. */
static void test_transition(void **state) {
    cafe_context *context = new_context();
    cafe_report *r = new_report(context);
    cafe_transition *transition = NULL;
    const int32_t before[] = {0, 0, 1, 1}, after[] = {0, 0, 0, 1};
    (void)state;
    assert_int_equal(cafe_transition_find(context, 4, before, after, NULL, NULL, &transition),
                     CAFE_OK);
    cafe_report_transition(r, transition, NULL, NULL);
    assert_non_null(strstr(members(r), "{\"name\":\"1\",\"size\":2"));
    assert_non_null(strstr(members(r), "\"drift_mean\":null"));
    cafe_report_free(r);
    cafe_transition_free(transition);
    cafe_context_free(context);
}

static void test_memory(void **state) {
    test_failing memory;
    cafe_context *context = test_failing_context(&memory, 2);
    run r;
    (void)state;
    begin(context, &r);
    assert_int_equal(make_all(context, &r), CAFE_OK); /* what is looked up once is there */
    for (long k = 0;; k++) {
        long live = test_failing_arm(&memory, k);
        cafe_status status = make_all(context, &r);
        int failed = test_failing_disarm(&memory);
        test_failing_expect(&memory, status, failed, live, context);
        if (!failed) break;
    }
    end(&r);
    cafe_context_free(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_members),      cmocka_unit_test(test_strings),
        cmocka_unit_test(test_numbers),      cmocka_unit_test(test_limits),
        cmocka_unit_test(test_write),        cmocka_unit_test(test_options),
        cmocka_unit_test(test_objects),      cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_memory),       cmocka_unit_test(test_record),
        cmocka_unit_test(test_record_bytes), cmocka_unit_test(test_record_memory),
        cmocka_unit_test(test_transition),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
