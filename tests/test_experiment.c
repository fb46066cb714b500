/* The paper's experiments that are no evaluation: what is run, on which part of a set, and what a
 * missing set, a wrong name or a refused allocation leaves behind.
 */
#define _GNU_SOURCE
#include <math.h>

#include "dense.h"
#include "failing.h"
#include "test_io.h"

static cafe_experiment *run_experiment(cafe_context *context, const char *table, const char *set,
                                       const char *data) {
    cafe_experiment *e = NULL;
    TEST_OK(context, cafe_experiment_run(context, table, set, data, &e));
    assert_non_null(e);
    return e;
}

/* ---- a set with three departments ------------------------------------------------------------ */

enum { FIRST = 20, SECOND = 15, THIRD = 10, ALL = FIRST + SECOND + THIRD + 2 };

/* Two cliques with a link between them. */
static void put_two(FILE *file) {
    for (int u = 0; u < FIRST + SECOND; u++)
        for (int w = u + 1; w < FIRST + SECOND; w++)
            if ((u < FIRST) == (w < FIRST)) fprintf(file, "%d %d\n", u, w);
    fprintf(file, "0 %d\n", FIRST);
}

/* A third, smaller one that is linked to them, and a pair of the first apart from all others. */
static void put_rest(FILE *file) {
    for (int u = FIRST + SECOND; u < ALL - 2; u++) {
        fprintf(file, "%d %d\n", u, u % FIRST);
        for (int w = u + 1; w < ALL - 2; w++) fprintf(file, "%d %d\n", u, w);
    }
    fprintf(file, "%d %d\n", ALL - 2, ALL - 1);
}

static void put_labels(FILE *file) {
    for (int u = 0; u < ALL; u++) {
        int label = u < FIRST || u >= ALL - 2 ? 7 : u < FIRST + SECOND ? 3 : 5;
        fprintf(file, "%d %d\n", u, label);
    }
}

static FILE *open_file(io_scratch *s, const char *name) {
    FILE *file = fopen(io_path(s, name), "w");
    assert_non_null(file);
    return file;
}

static io_scratch store_email(void) {
    io_scratch s = io_scratch_new();
    assert_int_equal(mkdir(io_path(&s, "email-eu-core"), 0700), 0);
    FILE *file = open_file(&s, "email-eu-core/edges.txt");
    put_two(file);
    put_rest(file);
    assert_int_equal(fclose(file), 0);
    file = open_file(&s, "email-eu-core/labels.txt");
    put_labels(file);
    assert_int_equal(fclose(file), 0);
    return s;
}

/* What is expected of the two cliques alone. */
static cafe_bounds *bounds_of_two(io_scratch *s) {
    cafe_context *context = test_context(1, 1);
    cafe_graph *graph = NULL;
    cafe_bounds *bounds = NULL;
    FILE *file = open_file(s, "two.txt");
    put_two(file);
    assert_int_equal(fclose(file), 0);
    TEST_OK(context, cafe_graph_read(context, io_path(s, "two.txt"), NULL, &graph));
    test_problem t = test_open(context, graph);
    TEST_OK(shared, cafe_bounds_find(shared, t.op, NULL, &bounds));
    test_close(&t);
    return bounds;
}

static void departments_are_the_two_largest(void **state) {
    (void)state;
    io_scratch s = store_email();
    cafe_bounds *bounds = bounds_of_two(&s);
    const cafe_bounds_report *wanted = cafe_bounds_get(bounds);
    cafe_experiment *e = run_experiment(shared, "eigenvectors", "email-eu-core", s.folder);
    const cafe_experiment_report *r = cafe_experiment_get(e);
    assert_false(r->missing);
    assert_int_equal(r->count, 4);
    assert_float_equal(r->cells[0].ours, wanted->centred.cosine_qx, 1e-4);
    assert_float_equal(r->cells[1].ours, wanted->gap.delta, 1e-9);
    assert_true(r->cells[2].ours == 1 && r->cells[3].ours > 0.9);
    cafe_experiment_free(e);
    cafe_bounds_free(bounds);
    assert_int_equal(unlink(io_path(&s, "email-eu-core/labels.txt")), 0);
    e = run_experiment(shared, "eigenvectors", "email-eu-core", s.folder);
    assert_true(cafe_experiment_get(e)->missing); /* without labels there are no departments */
    cafe_experiment_free(e);
    io_scratch_free(&s);
}

/* ---- cells ----------------------------------------------------------------------------------- */

/* A plane cloud has two eigenvectors: two columns lie in them, four have nothing to do with them.
 */
static void circles_have_two_columns(void **state) {
    (void)state;
    cafe_experiment *e = run_experiment(shared, "reduction", "circles", NULL);
    const cafe_experiment_report *r = cafe_experiment_get(e);
    assert_string_equal(r->table, "reduction");
    assert_string_equal(r->set, "circles");
    assert_string_equal(r->method, "CAFE-GCN");
    assert_int_equal(r->count, 6);
    for (int i = 0; i < 6; i++) {
        const cafe_experiment_cell *c = &r->cells[i];
        assert_float_equal(c->ours, i < 2 ? 0 : 1, 5e-5);
        assert_int_equal(isnan(c->published), i >= 2);
        if (i < 2) assert_true(fabs(c->ours - c->published) <= c->published_spread);
    }
    cafe_experiment_free(e);
}

static void threads_change_no_bit(void **state) {
    static const char *const rows[][2] = {
        {"reduction", "circles"}, {"eigenvectors", "sbm"}, {"eigenvectors", "ba"}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cafe_context *one = test_context(1, 5), *three = test_context(3, 5);
        cafe_experiment *a = run_experiment(one, rows[i][0], rows[i][1], NULL);
        cafe_experiment *b = run_experiment(three, rows[i][0], rows[i][1], NULL);
        const cafe_experiment_report *x = cafe_experiment_get(a), *y = cafe_experiment_get(b);
        assert_true(x->count > 0 && x->count == y->count);
        for (int64_t j = 0; j < x->count; j++)
            assert_memory_equal(&x->cells[j].ours, &y->cells[j].ours, sizeof(double));
        cafe_experiment_free(a);
        cafe_experiment_free(b);
        cafe_context_free(one);
        cafe_context_free(three);
    }
}

/* Every set of both tables: its cells are the table's columns, or it is not there. */
static void sets_without_a_folder_are_missing(void **state) {
    static const char *const tables[] = {"reduction", "eigenvectors"};
    (void)state;
    for (int i = 0; i < 2; i++) {
        const cafe_paper_table *table = cafe_paper_table_find(tables[i]);
        int64_t columns = 0, there = 0, sets = 0;
        while (table->columns[columns]) columns++;
        for (; table->sets[sets]; sets++) {
            cafe_experiment *e = run_experiment(shared, tables[i], table->sets[sets], NULL);
            const cafe_experiment_report *r = cafe_experiment_get(e);
            assert_int_equal(r->count, r->missing ? 0 : columns);
            there += !r->missing;
            cafe_experiment_free(e);
        }
        assert_int_equal(there, i == 0 ? 1 : 2); /* circles; sbm and ba */
        assert_int_equal(sets, 4);
    }
}

/* ---- what is refused ------------------------------------------------------------------------- */

static void other_names_are_refused(void **state) {
    static const char *const rows[][2] = {
        {"link", "cora"}, {"nothing", "cora"}, {"reduction", "karate"}, {"eigenvectors", ""}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cafe_experiment *e = NULL;
        assert_int_equal(cafe_experiment_run(shared, rows[i][0], rows[i][1], NULL, &e),
                         CAFE_ERROR_ARGUMENT);
        assert_non_null(strstr(cafe_error(shared), i < 2 ? "expected reduction" : "not in the"));
        assert_null(e);
    }
    cafe_experiment_free(NULL);
}

static void fail_everywhere(const char *table, const char *set, const char *data) {
    test_failing memory;
    cafe_context *context = test_failing_context(&memory, 1);
    for (long k = 0;; k++) {
        cafe_experiment *e = NULL;
        long live = test_failing_arm(&memory, k);
        cafe_status status = cafe_experiment_run(context, table, set, data, &e);
        int failed = test_failing_disarm(&memory);
        test_failing_expect(&memory, status, failed, live, context);
        cafe_experiment_free(e);
        if (!failed) break;
        assert_null(e);
    }
    cafe_context_free(context);
}

static void memory_may_fail_anywhere(void **state) {
    (void)state;
    io_scratch s = store_email();
    fail_everywhere("reduction", "circles", NULL);
    fail_everywhere("eigenvectors", "email-eu-core", s.folder);
    io_scratch_free(&s);
}

/* ---- files ----------------------------------------------------------------------------------- */

static void paths_are_found_plain_or_packed(void **state) {
    (void)state;
    io_scratch s = io_scratch_new();
    char path[256], wanted[256], few[8];
    assert_int_equal(cafe_paper_path(s.folder, "karate", "edges.txt", path, sizeof path), 0);
    assert_int_equal(mkdir(io_path(&s, "karate"), 0700), 0);
    io_store(io_path(&s, "karate/edges.txt.gz"), "", 0);
    snprintf(wanted, sizeof wanted, "%s/karate/edges.txt.gz", s.folder);
    size_t length = cafe_paper_path(s.folder, "karate", "edges.txt", path, sizeof path);
    assert_string_equal(path, wanted);
    assert_int_equal(length, strlen(wanted));
    assert_int_equal(cafe_paper_path(s.folder, "karate", "edges.txt", few, sizeof few), length);
    assert_int_equal(strlen(few), sizeof few - 1);
    io_store(io_path(&s, "karate/edges.txt"), "", 0); /* the plain one comes first */
    cafe_paper_path(s.folder, "karate", "edges.txt", path, sizeof path);
    assert_int_equal(strlen(path), length - 3);
    io_scratch_free(&s);
}

/* The set with weights is a file in the folder of another. */
static void a_set_may_have_the_folder_of_another(void **state) {
    (void)state;
    io_scratch s = io_scratch_new();
    char path[256];
    assert_int_equal(mkdir(io_path(&s, "wikipedia-pos"), 0700), 0);
    io_store(io_path(&s, "wikipedia-pos/weights.txt"), "", 0);
    assert_true(
        cafe_paper_path(s.folder, "wikipedia-pos-weighted", "weights.txt", path, sizeof path) > 0);
    assert_non_null(strstr(path, "/wikipedia-pos/weights.txt"));
    io_scratch_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(departments_are_the_two_largest),
        cmocka_unit_test(circles_have_two_columns),
        cmocka_unit_test(threads_change_no_bit),
        cmocka_unit_test(sets_without_a_folder_are_missing),
        cmocka_unit_test(other_names_are_refused),
        cmocka_unit_test(memory_may_fail_anywhere),
        cmocka_unit_test(paths_are_found_plain_or_packed),
        cmocka_unit_test(a_set_may_have_the_folder_of_another),
    };
    return cmocka_run_group_tests(tests, io_start, io_stop);
}
