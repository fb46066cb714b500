/* What the benchmarks of whole runs share. */
#define _GNU_SOURCE
#include "whole.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cafe-private/text.h>

#include "gather.h"

#include "method/method.h"

void bench_fail(cafe_context *context, const char *what) {
    fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, what,
            context ? cafe_error(context) : "failed");
    exit(1);
}

void bench_help(const char *word, const char *usage) {
    if (strcmp(word, "--help") != 0 && strcmp(word, "-h") != 0) return;
    fputs(usage, stdout);
    exit(0);
}

void bench_misuse(const char *word, const char *usage) {
    fprintf(stderr, "%s: %s is no option, or has no value\n%s", program_invocation_short_name, word,
            usage);
    exit(2);
}

static cafe_context *make_context(int threads) {
    cafe_context_options o;
    cafe_context *context = NULL;
    cafe_context_options_init(&o);
    o.threads = threads;
    if (cafe_context_create(&o, &context) != CAFE_OK) bench_fail(NULL, "no context");
    return context;
}

int bench_list(const char *text, double *list) {
    int count = 0;
    char *copy = strdup(text), *rest = copy;
    for (char *word; count < BENCH_MOST && (word = strsep(&rest, ",")) != NULL;)
        list[count++] = atof(word);
    free(copy);
    return count;
}

bool bench_take(bench_grid *grid, const char *name, const char *value) {
    if (strcmp(name, "--edges") == 0)
        grid->edge_count = bench_list(value, grid->edges);
    else if (strcmp(name, "--columns") == 0)
        grid->column_count = bench_list(value, grid->columns);
    else if (strcmp(name, "--threads") == 0)
        grid->thread_count = bench_list(value, grid->threads);
    else if (strcmp(name, "--repeats") == 0)
        grid->repeats = atoi(value);
    else
        return false;
    return true;
}

int bench_threads(void) {
    cafe_context *context = make_context(0);
    int threads = cafe_threads(context);
    cafe_context_free(context);
    return threads;
}

void bench_write_graph(cafe_generator model, double edges, const char *path, cafe_format format) {
    cafe_context *context = make_context(0);
    cafe_generate_options o;
    cafe_graph *graph = NULL;
    cafe_generate_options_init(&o);
    o.edges = (int64_t)edges;
    o.nodes = (int64_t)(edges / 10);
    if (cafe_generate(context, model, &o, &graph, NULL) != CAFE_OK) bench_fail(context, "generate");
    if (cafe_graph_write(context, graph, path, format, 1) != CAFE_OK) bench_fail(context, "write");
    cafe_graph_free(graph);
    cafe_context_free(context);
}

/* ---- sweeps ---------------------------------------------------------------------------------- */

static void read_graph(bench_problem *q, const char *path) {
    if (cafe_graph_read(q->context, path, NULL, &q->graph) != CAFE_OK)
        bench_fail(q->context, "read");
}

static void make_model(bench_problem *q) {
    if (cafe_model_create(q->context, q->graph, NULL, NULL, NULL, &q->model) != CAFE_OK)
        bench_fail(q->context, "sample");
    q->op = cafe_model_operator(q->model);
}

bench_problem bench_open(const char *path, int threads, double *seconds) {
    bench_problem q = {.context = make_context(threads)};
    double start = bench_seconds();
    read_graph(&q, path);
    *seconds = bench_seconds() - start;
    make_model(&q);
    return q;
}

void bench_close(bench_problem *q) {
    cafe_model_free(q->model);
    cafe_graph_free(q->graph);
    cafe_context_free(q->context);
}

static double time_sweeps(bench_problem *q, int64_t columns, int64_t sweeps) {
    cafe_sphere_options o;
    cafe_solution *solution = NULL;
    cafe_sphere_options_init(&o);
    o.columns = columns;
    o.sweeps = sweeps;
    o.tolerance = 0;
    double start = bench_seconds();
    if (cafe_sphere(q->context, q->op, &o, NULL, &solution) != CAFE_OK)
        bench_fail(q->context, "sphere");
    double seconds = bench_seconds() - start;
    cafe_solution_free(solution);
    return seconds;
}

/* The difference of a run of several sweeps and a run of none, so that the start and the last
 * product are left out. */
double bench_sweep(bench_problem *q, int64_t columns, int repeats) {
    const int sweeps = 3;
    double best = INFINITY, none = INFINITY;
    for (int r = 0; r < repeats; r++) {
        none = fmin(none, time_sweeps(q, columns, 0));
        best = fmin(best, time_sweeps(q, columns, sweeps));
    }
    return (best - none) / sweeps;
}

/* ---- whole runs ------------------------------------------------------------------------------ */

const char *const bench_phase_names[] = {"read", "sample", "solve", "finish", "write", "whole run"};

static double peak_bytes(void) {
    FILE *file = fopen("/proc/self/status", "r");
    char line[256];
    double kilobytes = 0;
    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, "VmHWM:", 6) == 0) kilobytes = atof(line + 6);
    if (file) fclose(file);
    return kilobytes * 1024;
}

/* From here on it is that of what comes; where the system does not do so, of all there was. */
static void forget_peak(void) {
    FILE *file = fopen("/proc/self/clear_refs", "w");
    if (file) fputs("5", file);
    if (file) fclose(file);
}

static bench_phase clocks(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    forget_peak();
    return (bench_phase){bench_seconds(), (double)t.tv_sec + 1e-9 * (double)t.tv_nsec, 0};
}

/* Ends a phase that began at *last, and adds it to the whole. */
static void lap(bench_phase *last, bench_phases *p, int phase) {
    double peak = peak_bytes();
    bench_phase now = clocks(), *all = &p->of[BENCH_RUN];
    p->of[phase] = (bench_phase){now.seconds - last->seconds, now.cpu - last->cpu, peak};
    all->seconds += p->of[phase].seconds;
    all->cpu += p->of[phase].cpu;
    all->peak = fmax(all->peak, peak);
    *last = now;
}

/* The way from H to a file. */
static void finish_vectors(bench_problem *q, const cafe_method_options *o, cafe_solution *solution,
                           const char *out, bench_phase *last, bench_phases *p) {
    cafe_embedding *embedding = NULL;
    if (cafe_model_finish_to(q->context, q->model, NULL, o, out, 1, &solution, &embedding) !=
        CAFE_OK)
        bench_fail(q->context, "finish");
    lap(last, p, BENCH_FINISH);
    if (cafe_embedding_write(q->context, embedding, q->graph, out, 1) != CAFE_OK)
        bench_fail(q->context, "write vectors");
    lap(last, p, BENCH_WRITE);
    cafe_embedding_free(embedding);
}

void bench_embed(const char *path, const char *out, int64_t columns, int threads, bench_phases *p) {
    bench_phase last = clocks();
    cafe_solution *solution = NULL;
    cafe_sphere_options own;
    cafe_method_options o;
    bench_problem q = {.context = make_context(threads)};
    *p = (bench_phases){0};
    cafe_sphere_options_init(&own);
    cafe_method_options_init(&o);
    own.columns = columns;
    o.own = &own;
    read_graph(&q, path);
    lap(&last, p, BENCH_READ);
    make_model(&q);
    lap(&last, p, BENCH_SAMPLE);
    if (cafe_model_solve(q.context, q.model, NULL, &o, NULL, &solution, NULL) != CAFE_OK)
        bench_fail(q.context, "solve");
    lap(&last, p, BENCH_SOLVE);
    p->sweeps = (double)cafe_solution_get(solution)->sweeps;
    p->objective = cafe_solution_get(solution)->objective[cafe_solution_get(solution)->sweeps];
    finish_vectors(&q, &o, solution, out, &last, p);
    bench_close(&q);
    unlink(out);
}

void bench_cluster(const char *path, int threads, bench_phases *p, double *communities) {
    bench_phase last = clocks();
    bench_problem q = {.context = make_context(threads)};
    cafe_clustering *found = NULL;
    *p = (bench_phases){0};
    read_graph(&q, path);
    lap(&last, p, BENCH_READ);
    if (cafe_cluster(q.context, q.graph, cafe_method_find(NULL, "layers"), NULL, NULL, &found) !=
        CAFE_OK)
        bench_fail(q.context, "layers");
    lap(&last, p, BENCH_SOLVE);
    p->objective = cafe_clustering_get(found)->edge_modularity;
    *communities = (double)cafe_clustering_get(found)->communities;
    cafe_clustering_free(found);
    bench_close(&q);
}

/* ---- processes ------------------------------------------------------------------------------- */

void bench_child(bench_part *run, const void *argument, void *result, size_t size) {
    int ends[2];
    if (pipe(ends) != 0) bench_fail(NULL, "pipe");
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        run(argument, result);
        ssize_t written = write(ends[1], result, size);
        _exit(written == (ssize_t)size ? 0 : 1);
    }
    close(ends[1]);
    if (child < 0 || read(ends[0], result, size) != (ssize_t)size)
        bench_fail(NULL, "a measurement did not finish");
    close(ends[0]);
    waitpid(child, NULL, 0);
}
