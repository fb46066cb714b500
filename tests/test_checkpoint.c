/* Checkpoints: a run that is stopped again and again ends with the bits of one that never was, with
 * any number of threads and on every engine. Files of other runs and damaged ones are refused.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cafe-private/output.h>
#include <cafe-private/text.h>

#include "failing.h"
#include "graphs.h"
#include "solve/checkpoint.h"
#include "solve/solution.h"

/* In the place of the system's: nobody cuts the power here, and disks are slow. */
int fsync(int fd) {
    (void)fd;
    return 0;
}

static char folder[] = "/tmp/cafe-checkpoint-XXXXXX";
static char file[64];

static void ok(const cafe_context *context, cafe_status status) {
    if (status != CAFE_OK) fail_msg("%s: %s", cafe_status_name(status), cafe_error(context));
}

/* What runs of the context keep from now on; path NULL: nothing. */
static cafe_status keep(cafe_context *context, const char *path, int64_t every) {
    cafe_checkpoint_free(context, context->checkpoint);
    context->checkpoint = NULL;
    return path ? cafe_checkpoint_open(context, path, every, &context->checkpoint) : CAFE_OK;
}

static void free_context(cafe_context *context) {
    keep(context, NULL, 1);
    cafe_context_free(context);
}

static bool is_there(void) {
    return access(file, F_OK) == 0;
}

/* Files in the folder, whatever their names. */
static int count_files(void) {
    int count = 0;
    DIR *list = opendir(folder);
    while (readdir(list)) count++;
    closedir(list);
    return count - 2;
}

/* ---- runs ------------------------------------------------------------------------------------ */

/* A context that cancels itself once it has saved so many checkpoints: it looks whenever it is
 * asked for memory. */
typedef struct stopper {
    cafe_context *context;
    int64_t after;
} stopper;

static void *allocate(void *user, size_t bytes) {
    const stopper *s = user;
    cafe_checkpoint_info info = {0};
    if (s->context && s->context->checkpoint) info = *cafe_checkpoint_get(s->context->checkpoint);
    if (s->context && info.saved >= s->after) cafe_cancel(s->context);
    return malloc(bytes);
}

static void release(void *user, void *block) {
    (void)user;
    free(block);
}

/* One problem: a graph, a method, how it starts. */
typedef struct problem {
    const char *name;
    bool softmax, traced, given, labelled;
    int32_t from, storage;
    int64_t columns, sweeps, chunks;
    double tolerance;
    uint64_t seed;
    int64_t nodes, edges;
    uint64_t graph;
} problem;

static const problem problems[] = {
    {"top", .columns = 7, .sweeps = 5, .nodes = 150, .edges = 700, .chunks = 7},
    {"given", .columns = 5, .sweeps = 4, .nodes = 150, .edges = 700, .given = true},
    {"settles", .columns = 8, .sweeps = 40, .tolerance = 0.05, .nodes = 150, .edges = 700},
    {"half", .columns = 7, .sweeps = 4, .nodes = 150, .edges = 700,
     .storage = CAFE_STORAGE_FLOAT16},
    {"both", .columns = 9, .sweeps = 3, .nodes = 150, .edges = 700, .from = CAFE_FROM_BOTH},
    {"auto", .columns = 6, .sweeps = 3, .nodes = 150, .edges = 700, .from = CAFE_FROM_LARGEST},
    {"softmax", .softmax = true, .columns = 6, .sweeps = 5, .nodes = 150, .edges = 700},
    {"labelled", .softmax = true, .labelled = true, .columns = 6, .sweeps = 4, .nodes = 150,
     .edges = 700},
    {"cafe", .softmax = true, .traced = true, .columns = 6, .sweeps = 60, .tolerance = 1e-3,
     .nodes = 150, .edges = 700},
    {"chunks", .columns = 20, .sweeps = 3, .nodes = 6000, .edges = 24000, .from = CAFE_FROM_BOTH},
};
enum { PROBLEMS = sizeof problems / sizeof *problems, LARGE = PROBLEMS - 1 };

static cafe_status sphere(cafe_context *context, const cafe_operator *op, const problem *p,
                          const float *start, cafe_solution **solution) {
    cafe_sphere_options o;
    cafe_sphere_options_init(&o);
    o.columns = p->columns, o.sweeps = p->sweeps, o.tolerance = p->tolerance;
    o.columns_from = p->from, o.chunks = p->chunks, o.storage = p->storage;
    return cafe_sphere(context, op, &o, start, solution);
}

static cafe_status softmax(cafe_context *context, const cafe_operator *op, const problem *p,
                           const int32_t *labels, cafe_solution **solution) {
    cafe_softmax_options o;
    cafe_softmax_options_init(&o);
    o.columns = p->columns, o.sweeps = p->sweeps, o.tolerance = p->tolerance;
    o.resolution = p->traced ? 0.75 : 1;
    return cafe_softmax_traced(context, op, &o, NULL, labels, p->traced, solution);
}

/* What came out: rows, objective, trace, one after the other. */
typedef struct result {
    cafe_status status;
    int64_t sweeps, count;
    float *rows;
    double *objective;
    cafe_checkpoint_info info;
    char error[1024];
} result;

static void take(cafe_solution *s, result *r) {
    r->count = s->n * s->columns;
    r->sweeps = 2 * s->sweeps + s->converged;
    r->rows = malloc((size_t)r->count * sizeof *r->rows);
    r->objective = calloc((size_t)(2 * s->sweeps + 2), sizeof *r->objective);
    assert_int_equal(cafe_solution_copy(s, r->rows), CAFE_OK);
    for (int64_t i = 0; i <= s->sweeps; i++) {
        r->objective[2 * i] = s->objective[i];
        r->objective[2 * i + 1] = s->trace ? s->trace[i] : 0;
    }
}

static void result_free(result *r) {
    free(r->rows);
    free(r->objective);
}

static void same(const result *a, const result *b) {
    assert_int_equal(a->sweeps, b->sweeps);
    assert_int_equal(a->count, b->count);
    assert_memory_equal(a->rows, b->rows, (size_t)a->count * sizeof *a->rows);
    assert_memory_equal(a->objective, b->objective,
                        (size_t)(a->sweeps / 2 + 1) * 2 * sizeof *a->objective);
}

/* One run, which keeps checkpoints if `every` > 0 and stops itself after so many of them. */
static result run(const problem *p, const char *engine, int32_t threads, int64_t every,
                  int64_t stop) {
    result r = {0};
    stopper memory = {NULL, stop};
    cafe_context_options options;
    cafe_context *context;
    cafe_sampled *sampled = NULL;
    cafe_operator *op = NULL;
    cafe_solution *solution = NULL;
    cafe_context_options_init(&options);
    options.threads = threads, options.seed = p->seed ? p->seed : 3, options.engine = engine;
    options.allocator = (cafe_allocator){allocate, release, &memory};
    assert_int_equal(cafe_context_create(&options, &context), CAFE_OK);
    cafe_graph *graph = test_random(context, p->nodes, p->edges, 1, 0, p->graph ? p->graph : 11);
    ok(context, cafe_sample(context, graph, CAFE_SAMPLING_EDGE, NULL, NULL, &sampled));
    ok(context, cafe_operator_modularity(context, sampled, &op));
    float *start = calloc((size_t)(p->nodes * p->columns), sizeof *start);
    int32_t *labels = calloc((size_t)p->nodes, sizeof *labels);
    for (int64_t i = 0; i < p->nodes * p->columns; i++) start[i] = (float)(i * 7 % 13) - 6;
    for (int64_t u = 0; u < p->nodes; u++) labels[u] = u % 4 ? -1 : (int32_t)(u / 4 % 5);
    if (every > 0) r.status = keep(context, file, every);
    memory.context = stop > 0 ? context : NULL;
    if (r.status == CAFE_OK && p->softmax)
        r.status = softmax(context, op, p, p->labelled ? labels : NULL, &solution);
    else if (r.status == CAFE_OK)
        r.status = sphere(context, op, p, p->given ? start : NULL, &solution);
    memory.context = NULL;
    if (r.status == CAFE_OK) take(solution, &r);
    snprintf(r.error, sizeof r.error, "%s", cafe_error(context));
    if (context->checkpoint) r.info = *cafe_checkpoint_get(context->checkpoint);
    cafe_solution_free(solution);
    free(start), free(labels);
    cafe_operator_free(op);
    cafe_sampled_free(sampled);
    cafe_graph_free(graph);
    free_context(context);
    return r;
}

/* ---- stopped and gone on --------------------------------------------------------------------- */

static const char *engines[] = {"processor", "naive", "cuda-emulated"};
static const int32_t threads[] = {1, 2, 3, 8};

/* The bytes of the file, which is removed. */
static char *take_file(int64_t *size) {
    FILE *in = fopen(file, "rb");
    struct stat about;
    assert_non_null(in);
    assert_int_equal(fstat(fileno(in), &about), 0);
    *size = about.st_size;
    char *bytes = malloc((size_t)*size);
    assert_int_equal(fread(bytes, 1, (size_t)*size, in), *size);
    fclose(in);
    assert_int_equal(unlink(file), 0);
    return bytes;
}

/* Sums, rows and all else that the last sweep leaves are in the file: not only the result is the
 * same.
 *
 * Stopped after every sweep, or every other one, each time with other threads on another engine. */
static void stop_often(const problem *p, int first_engine, int count, int64_t every) {
    result plain = run(p, "processor", 2, 0, 0), whole = run(p, "processor", 1, 1, 0);
    result last = {.status = CAFE_ERROR_CANCELLED};
    int64_t reached = 0, stops = 0, sizes[2];
    char *bytes[2] = {take_file(&sizes[0]), NULL};
    same(&plain, &whole);
    while (last.status == CAFE_ERROR_CANCELLED) {
        const char *engine = engines[first_engine + stops % count];
        last = run(p, engine, threads[stops % 4], every, 1);
        if (last.status != CAFE_ERROR_CANCELLED && last.status != CAFE_OK)
            fail_msg("%s, %s: %s", p->name, engine, last.error);
        assert_int_equal(last.info.resumed, reached);
        assert_true(is_there());
        result look = run(p, "none", 1, 1, 0); /* fails, but has seen the file */
        reached = look.info.sweeps;
        stops++;
    }
    assert_true(stops > whole.sweeps / 2 / every);
    same(&whole, &last);
    assert_int_equal(count_files(), 1);
    bytes[1] = take_file(&sizes[1]);
    assert_int_equal(sizes[0], sizes[1]);
    assert_memory_equal(bytes[0], bytes[1], (size_t)sizes[0]);
    free(bytes[0]), free(bytes[1]);
    result_free(&plain), result_free(&whole), result_free(&last);
}

static void a_stopped_run_ends_with_the_bits_of_an_unbroken_one(void **state) {
    (void)state;
    for (int i = 0; i < PROBLEMS; i++) stop_often(&problems[i], 0, 1, 1);
}

static void it_may_go_on_with_other_engines(void **state) {
    (void)state;
    TEST_NOT_OF_THREADS();
    for (int i = 0; i < LARGE; i++) stop_often(&problems[i], 0, 3, 1);
    for (int i = 0; i < LARGE; i++) stop_often(&problems[i], 1, 2, 2);
}

/* The last sweep is saved whatever `every` says, and a run that is over has nothing to do again. */
static void a_finished_run_is_taken_as_it_is(void **state) {
    (void)state;
    for (int i = 0; i < PROBLEMS; i++) {
        const problem *p = &problems[i];
        result one = run(p, "processor", 2, 1000, 0), two = run(p, "processor", 1, 1, 0);
        ok(NULL, one.status), ok(NULL, two.status);
        assert_int_equal(one.info.saved, p->from == CAFE_FROM_TOP ? 1 : 2);
        assert_int_equal(two.info.saved, 0);
        assert_true(two.info.resumed > 0);
        same(&one, &two);
        unlink(file);
        result_free(&one), result_free(&two);
    }
}

/* ---- files that are no good ------------------------------------------------------------------ */

static void put_file(const char *bytes, int64_t size) {
    FILE *out = fopen(file, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(bytes, 1, (size_t)size, out), size);
    assert_int_equal(fclose(out), 0);
}

/* Another run says what is different, and leaves the file as it was. */
static void refused(const problem *p, const char *why) {
    result r = run(p, "processor", 2, 1, 0);
    assert_int_equal(r.status, CAFE_ERROR_ARGUMENT);
    if (!strstr(r.error, why)) fail_msg("%s: expected %s", r.error, why);
    assert_true(is_there());
    assert_int_equal(r.info.saved, 0);
}

static void a_file_of_another_run_is_refused(void **state) {
    const problem base = problems[0];
    (void)state;
    result r = run(&base, "processor", 2, 1, 2);
    assert_int_equal(r.status, CAFE_ERROR_CANCELLED);
    problem other = base;
    other.columns++;
    refused(&other, "another run: columns is 7 there and 8 here");
    other = base, other.seed = 4;
    refused(&other, "seed is 3 there and 4 here");
    other = base, other.softmax = true;
    refused(&other, "method is sphere there and softmax here");
    other = base, other.given = true;
    refused(&other, "start is none there");
    other = base, other.from = CAFE_FROM_BOTH;
    refused(&other, "columns-from is top there and both here");
    other = base, other.sweeps = 9;
    refused(&other, "sweeps is 5 there and 9 here");
    other = base, other.nodes = 151;
    refused(&other, "nodes is 150 there and 151 here");
    other = base, other.edges++;
    refused(&other, "is the checkpoint of another run: ");
    result same_run = run(&base, "processor", 1, 1, 0);
    assert_int_equal(same_run.status, CAFE_OK);
    assert_int_equal(same_run.info.resumed, 2);
    result_free(&same_run);
    unlink(file);
}

/* A ring of six nodes, and two triangles: the same degrees. */
static cafe_graph *ring(cafe_context *context, int64_t length) {
    test_links l = test_links_new(6);
    for (int64_t u = 0; u < 6; u++)
        l.source[u] = (int32_t)u, l.target[u] = (int32_t)(u / length * length + (u + 1) % length);
    cafe_graph *graph = test_graph(context, 6, &l, 0, NULL);
    test_links_free(&l);
    return graph;
}

static void other_links_of_the_same_nodes_are_another_run(void **state) {
    (void)state;
    for (int i = 0; i < 2; i++) {
        cafe_context *context = test_context(2, 1);
        cafe_graph *graph = ring(context, i ? 3 : 6);
        cafe_solution *solution = NULL;
        cafe_sampled *sampled = NULL;
        cafe_operator *op = NULL;
        cafe_sphere_options o;
        cafe_sphere_options_init(&o);
        o.columns = 2;
        ok(context, cafe_sample(context, graph, CAFE_SAMPLING_EDGE, NULL, NULL, &sampled));
        ok(context, cafe_operator_modularity(context, sampled, &op));
        ok(context, keep(context, file, 1));
        cafe_status status = cafe_sphere(context, op, &o, NULL, &solution);
        assert_int_equal(status, i ? CAFE_ERROR_ARGUMENT : CAFE_OK);
        if (i) assert_non_null(strstr(cafe_error(context), "the graph, or how it is sampled"));
        cafe_solution_free(solution);
        cafe_operator_free(op);
        cafe_sampled_free(sampled);
        cafe_graph_free(graph);
        free_context(context);
    }
    unlink(file);
}

/* Any byte changed, any number of them missing: an error, or, where nothing is read, no matter. */
static void a_damaged_file_is_refused(void **state) {
    const problem *p = &problems[4];
    int64_t size = 0, refusals = 0, tries = 0;
    (void)state;
    result r = run(p, "processor", 2, 1, 4), whole = run(p, "processor", 2, 0, 0);
    assert_int_equal(r.status, CAFE_ERROR_CANCELLED);
    char *bytes = take_file(&size);
    for (int64_t at = 0; at < size; at += at < 2048 ? 1 : 41, tries++) {
        bytes[at] ^= (char)(1 << at % 8);
        put_file(bytes, size);
        r = run(p, "processor", 1, 1000, 0);
        refusals += r.status != CAFE_OK;
        if (r.status == CAFE_OK) same(&r, &whole);
        if (r.status == CAFE_OK) put_file(bytes, size);
        result_free(&r);
        bytes[at] ^= (char)(1 << at % 8);
    }
    assert_true(10 * refusals > 9 * tries);
    for (int64_t cut = 0; cut < size; cut += cut < 512 ? 7 : 211) {
        put_file(bytes, cut);
        r = run(p, "processor", 1, 1, 0);
        assert_int_equal(r.status, CAFE_ERROR_FORMAT);
    }
    put_file(bytes, size);
    r = run(p, "processor", 1, 1, 0);
    assert_int_equal(r.status, CAFE_OK);
    same(&r, &whole);
    result_free(&r), result_free(&whole);
    free(bytes);
    unlink(file);
}

static void what_is_no_checkpoint_is_not_touched(void **state) {
    static const char text[] = "1 2\n2 3\n";
    (void)state;
    put_file(text, sizeof text - 1);
    result r = run(&problems[0], "processor", 1, 1, 0);
    assert_int_equal(r.status, CAFE_ERROR_FORMAT);
    assert_non_null(strstr(r.error, "is no checkpoint"));
    int64_t size;
    char *bytes = take_file(&size);
    assert_int_equal(size, sizeof text - 1);
    assert_memory_equal(bytes, text, sizeof text - 1);
    free(bytes);
    cafe_context *context = test_context(1, 1);
    assert_int_equal(keep(context, folder, 1), CAFE_ERROR_ARGUMENT);
    assert_int_equal(keep(context, "/none/such/file", 1), CAFE_ERROR_IO);
    assert_int_equal(keep(context, file, 0), CAFE_ERROR_ARGUMENT);
    assert_int_equal(keep(context, "", 1), CAFE_ERROR_ARGUMENT);
    ok(context, keep(context, NULL, 1));
    assert_int_equal(count_files(), 0);
    free_context(context);
}

/* ---- methods, the end, memory ---------------------------------------------------------------- */

static void methods_that_do_not_sweep_are_refused(void **state) {
    cafe_context *context = test_context(2, 1);
    cafe_graph *graph = test_karate(context);
    size_t count;
    const cafe_method *const *all = cafe_lab_methods(&count);
    (void)state;
    for (size_t i = 0; i < count; i++) {
        cafe_embedding *e = NULL;
        cafe_clustering *c = NULL;
        bool takes = all[i]->takes & CAFE_TAKES_CHECKPOINT;
        if (all[i]->takes & CAFE_NEEDS_LABELS) continue;
        ok(context, keep(context, file, 1));
        cafe_status status = all[i]->vectors ? cafe_embed(context, graph, all[i], NULL, NULL, &e)
                                             : cafe_cluster(context, graph, all[i], NULL, NULL, &c);
        assert_int_equal(status, takes ? CAFE_OK : CAFE_ERROR_ARGUMENT);
        if (!takes) assert_non_null(strstr(cafe_error(context), "checkpoint’ does not go with"));
        assert_int_equal(is_there(), takes);
        ok(context, cafe_checkpoint_remove(context, context->checkpoint));
        assert_false(is_there());
        cafe_embedding_free(e);
        cafe_clustering_free(c);
    }
    cafe_graph_free(graph);
    free_context(context);
}

/* It goes with the outputs that get their names, not before. */
static void it_goes_with_the_outputs(void **state) {
    (void)state;
    for (int fails = 0; fails < 2; fails++) {
        cafe_context *context = test_context(2, 1);
        cafe_graph *graph = test_karate(context);
        cafe_embedding *e = NULL;
        ok(context, keep(context, file, 1));
        ok(context, cafe_outputs_begin(context));
        ok(context, cafe_embed(context, graph, NULL, NULL, NULL, &e));
        ok(context, cafe_checkpoint_remove(context, context->checkpoint));
        assert_true(is_there());
        cafe_status ending = fails ? CAFE_ERROR_CANCELLED : CAFE_OK;
        assert_int_equal(cafe_outputs_end(context, ending), ending);
        assert_int_equal(is_there(), fails);
        cafe_embedding_free(e);
        cafe_graph_free(graph);
        free_context(context);
    }
    unlink(file);
    assert_int_equal(count_files(), 0);
}

static void every_allocation_may_fail(void **state) {
    test_failing memory;
    cafe_context *context = test_failing_context(&memory, 2);
    cafe_graph *graph = test_karate(context);
    cafe_sampled *sampled = NULL;
    cafe_operator *op = NULL;
    const problem p = {.columns = 4, .sweeps = 2, .from = CAFE_FROM_BOTH};
    (void)state;
    ok(context, cafe_sample(context, graph, CAFE_SAMPLING_EDGE, NULL, NULL, &sampled));
    ok(context, cafe_operator_modularity(context, sampled, &op));
    for (long k = 0;; k++) { /* from nothing, and from what the run before reached */
        cafe_solution *solution = NULL;
        long live = test_failing_arm(&memory, k);
        cafe_status status = keep(context, file, 1);
        if (status == CAFE_OK) status = sphere(context, op, &p, NULL, &solution);
        if (status == CAFE_OK) status = cafe_checkpoint_remove(context, context->checkpoint);
        int failed = test_failing_disarm(&memory);
        cafe_solution_free(solution);
        ok(context, keep(context, NULL, 1));
        test_failing_expect(&memory, status, failed, live, context);
        if (k % 3 == 0) unlink(file);
        if (!failed) break;
    }
    assert_int_equal(count_files(), 0);
    cafe_operator_free(op);
    cafe_sampled_free(sampled);
    cafe_graph_free(graph);
    free_context(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stopped_run_ends_with_the_bits_of_an_unbroken_one),
        cmocka_unit_test(it_may_go_on_with_other_engines),
        cmocka_unit_test(a_finished_run_is_taken_as_it_is),
        cmocka_unit_test(a_file_of_another_run_is_refused),
        cmocka_unit_test(other_links_of_the_same_nodes_are_another_run),
        cmocka_unit_test(a_damaged_file_is_refused),
        cmocka_unit_test(what_is_no_checkpoint_is_not_touched),
        cmocka_unit_test(methods_that_do_not_sweep_are_refused),
        cmocka_unit_test(it_goes_with_the_outputs),
        cmocka_unit_test(every_allocation_may_fail),
    };
    if (!mkdtemp(folder)) return 1;
    snprintf(file, sizeof file, "%s/run.checkpoint", folder);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(file);
    rmdir(folder);
    return failed;
}
