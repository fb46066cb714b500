/* Files that are begun before their content is complete. They end with the bytes of files written
 * at once, do not exist unless they are written, and fail as those do.
 */
#define _GNU_SOURCE
#include <math.h>
#include <signal.h>
#include <sys/resource.h>

#include "io/output_file.h"
#include "io/vector_file.h"
#include "method/method.h"
#include "test_io.h"

enum { ROWS = 60001, COLUMNS = 80, STRIDE = 96 };

/* A matrix that is large enough, with or without names. */
typedef struct table {
    float *values;
    int64_t start[ROWS + 1];
    char text[ROWS * 6];
    cafe_names names;
    cafe_matrix m;
} table;

static table *make_table(bool named) {
    table *t = calloc(1, sizeof *t);
    uint64_t seed = 3;
    assert_non_null(t);
    t->values = malloc(sizeof *t->values * ROWS * STRIDE);
    assert_non_null(t->values);
    for (int64_t i = 0; i < (int64_t)ROWS * STRIDE; i++)
        t->values[i] = (float)((double)(test_number(&seed) >> 40) * 1e-8 - 0.08);
    for (int64_t u = 0; u < ROWS; u++)
        t->start[u + 1] = t->start[u] + sprintf(t->text + t->start[u], "n%d", (int)u);
    t->names = (cafe_names){.kind = named ? CAFE_NAMES_STRING : CAFE_NAMES_INDEX};
    t->names.start = t->start, t->names.text = t->text;
    t->m = cafe_matrix_of(ROWS, COLUMNS, STRIDE, t->values, &t->names);
    return t;
}

static void free_table(table *t) {
    free(t->values);
    free(t);
}

static void assert_same_files(const char *a, const char *b) {
    size_t sizes[2];
    char *bytes[2] = {io_load(a, &sizes[0]), io_load(b, &sizes[1])};
    assert_int_equal(sizes[0], sizes[1]);
    assert_memory_equal(bytes[0], bytes[1], sizes[0]);
    free(bytes[0]);
    free(bytes[1]);
}

static void test_same_bytes(void **state) {
    (void)state;
    for (int named = 0; named < 2; named++) {
        table *t = make_table(named);
        io_scratch one = io_scratch_new(), two = io_scratch_new();
        assert_int_equal(cafe_matrix_write(shared, &t->m, io_path(&one, "v.npy"), 0), CAFE_OK);
        assert_int_equal(cafe_matrix_begin(shared, &t->m, io_path(&two, "v.npy"), 0, &t->m.begun),
                         CAFE_OK);
        assert_non_null(t->m.begun);
        assert_int_equal(access(two.path, F_OK), -1);
        assert_int_equal(cafe_matrix_write(shared, &t->m, two.path, 0), CAFE_OK);
        assert_int_equal(io_scratch_files(&two), 1 + named);
        assert_same_files(one.path, two.path);
        if (named)
            assert_same_files(io_path(&one, "v.npy.names.txt"), io_path(&two, "v.npy.names.txt"));
        io_scratch_free(&one);
        io_scratch_free(&two);
        free_table(t);
    }
}

/* One thread has no other to write beside it; text and small files are not begun; a file that is
 * there is reported when it is to be written. */
static void test_not_begun(void **state) {
    table *t = make_table(false);
    io_scratch scratch = io_scratch_new();
    cafe_context *single = test_context(1, 1);
    cafe_matrix small = t->m;
    cafe_output *begun;
    (void)state;
    small.rows = 100;
    io_path(&scratch, "v.npy");
    assert_int_equal(cafe_matrix_begin(single, &t->m, scratch.path, 0, &begun), CAFE_OK);
    assert_null(begun);
    assert_int_equal(cafe_matrix_begin(shared, &small, scratch.path, 0, &begun), CAFE_OK);
    assert_null(begun);
    assert_int_equal(cafe_matrix_begin(shared, &t->m, io_path(&scratch, "v.tsv"), 0, &begun),
                     CAFE_OK);
    assert_null(begun);
    assert_int_equal(io_scratch_files(&scratch), 0);
    io_store(io_path(&scratch, "v.npy"), "old", 3);
    assert_int_equal(cafe_matrix_begin(shared, &t->m, scratch.path, 0, &begun), CAFE_OK);
    assert_null(begun);
    assert_int_equal(cafe_matrix_write(shared, &t->m, scratch.path, 0), CAFE_ERROR_EXISTS);
    assert_int_equal(io_scratch_files(&scratch), 1);
    cafe_context_free(single);
    io_scratch_free(&scratch);
    free_table(t);
}

/* Rows that are not finite, a disk that is full, a run that is cancelled: errors and no file. */
static void test_failures(void **state) {
    table *t = make_table(false);
    io_scratch scratch = io_scratch_new();
    struct rlimit old, limit;
    int64_t bytes = cafe_bytes(shared);
    (void)state;
    io_path(&scratch, "v.npy");
    t->values[STRIDE * 777 + 5] = NAN;
    assert_int_equal(cafe_matrix_begin(shared, &t->m, scratch.path, 0, &t->m.begun), CAFE_OK);
    assert_int_equal(cafe_matrix_write(shared, &t->m, scratch.path, 0), CAFE_ERROR_NUMERIC);
    t->values[STRIDE * 777 + 5] = 0;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    limit = (struct rlimit){18 << 20, old.rlim_max};
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    assert_int_equal(cafe_matrix_begin(shared, &t->m, scratch.path, 0, &t->m.begun), CAFE_OK);
    assert_non_null(t->m.begun);
    cafe_status status = cafe_matrix_write(shared, &t->m, scratch.path, 0);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    assert_int_equal(status, CAFE_ERROR_IO);
    assert_non_null(strstr(cafe_error(shared), "cannot be written: File too large"));
    cafe_context *context = test_context(2, 1);
    assert_int_equal(cafe_matrix_begin(context, &t->m, scratch.path, 0, &t->m.begun), CAFE_OK);
    cafe_cancel(context);
    assert_int_equal(cafe_matrix_write(context, &t->m, scratch.path, 0), CAFE_ERROR_CANCELLED);
    cafe_context_free(context);
    assert_int_equal(io_scratch_files(&scratch), 0);
    assert_int_equal(cafe_bytes(shared), bytes);
    io_scratch_free(&scratch);
    free_table(t);
}

/* ---- vectors --------------------------------------------------------------------------------- */

typedef struct run {
    cafe_graph *graph;
    cafe_model *model;
    cafe_sphere_options own;
    cafe_finish_options finish;
    cafe_method_options options;
} run;

static void start_run(run *r, int32_t form) {
    cafe_generate_options o;
    cafe_generate_options_init(&o);
    cafe_sphere_options_init(&r->own);
    cafe_finish_options_init(&r->finish);
    cafe_method_options_init(&r->options);
    o.nodes = 70000, o.edges = 200000;
    r->own.columns = 64, r->own.sweeps = 1;
    r->finish.form = form;
    r->options.own = &r->own;
    r->options.finish = &r->finish;
    r->graph = NULL, r->model = NULL;
    TEST_OK(shared, cafe_generate(shared, CAFE_GENERATOR_PLANTED, &o, &r->graph, NULL));
    TEST_OK(shared, cafe_model_create(shared, r->graph, NULL, &r->options, NULL, &r->model));
}

static void end_run(run *r) {
    cafe_model_free(r->model);
    cafe_graph_free(r->graph);
}

/* Finished with this path in view, or with none. */
static cafe_embedding *embed_to(run *r, const char *path) {
    cafe_solution *solution = NULL;
    cafe_embedding *embedding = NULL;
    TEST_OK(shared, cafe_model_solve(shared, r->model, NULL, &r->options, NULL, &solution, NULL));
    TEST_OK(shared, cafe_model_finish_to(shared, r->model, NULL, &r->options, path, 1, &solution,
                                         &embedding));
    return embedding;
}

#ifdef __SANITIZE_THREAD__ /* the finish of one form meets the writer as that of the others does \
                            */
enum { FORMS = 1 };
#else
enum { FORMS = 3 };
#endif

static void test_vectors(void **state) {
    const int32_t forms[] = {CAFE_FORM_SCALED, CAFE_FORM_WALK, CAFE_FORM_RITZ};
    (void)state;
    for (int i = 0; i < FORMS; i++) {
        run r;
        io_scratch one = io_scratch_new(), two = io_scratch_new();
        start_run(&r, forms[i]);
        cafe_embedding *plain = embed_to(&r, NULL), *e = embed_to(&r, io_path(&two, "v.npy"));
        TEST_OK(shared, cafe_embedding_write(shared, plain, r.graph, io_path(&one, "v.npy"), 0));
        assert_int_equal(io_scratch_files(&two), forms[i] == CAFE_FORM_RITZ ? 0 : 1);
        TEST_OK(shared, cafe_embedding_write(shared, e, r.graph, two.path, 0));
        assert_int_equal(io_scratch_files(&two), 1);
        assert_same_files(one.path, two.path);
        TEST_OK(shared, cafe_embedding_write(shared, e, r.graph, two.path, 1)); /* and once more */
        assert_same_files(one.path, two.path);
        cafe_embedding_free(plain);
        cafe_embedding_free(e);
        end_run(&r);
        io_scratch_free(&one);
        io_scratch_free(&two);
    }
}

/* What is written elsewhere or not at all leaves nothing. */
static void test_vectors_elsewhere(void **state) {
    run r;
    io_scratch scratch = io_scratch_new(), other = io_scratch_new();
    (void)state;
    TEST_NOT_OF_THREADS();
    start_run(&r, CAFE_FORM_SCALED);
    cafe_embedding *e = embed_to(&r, io_path(&scratch, "v.npy"));
    assert_int_equal(io_scratch_files(&scratch), 1);
    cafe_embedding_free(e);
    assert_int_equal(io_scratch_files(&scratch), 0);
    e = embed_to(&r, scratch.path);
    TEST_OK(shared, cafe_embedding_write(shared, e, r.graph, io_path(&other, "v.npy"), 0));
    assert_int_equal(io_scratch_files(&other), 1);
    cafe_embedding_free(e);
    assert_int_equal(io_scratch_files(&scratch), 0);
    end_run(&r);
    io_scratch_free(&scratch);
    io_scratch_free(&other);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_bytes), cmocka_unit_test(test_not_begun),
        cmocka_unit_test(test_failures), cmocka_unit_test(test_vectors),
        cmocka_unit_test(test_vectors_elsewhere)};
    return cmocka_run_group_tests(tests, io_start, io_stop);
}
