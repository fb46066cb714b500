/* Speed and memory of the whole way: parse, sweep, product, finish, beside the memory limit.
 *
 *     cafe-bench [--edges 1e6,1e7] [--columns 32,128] [--threads 1,2] [--repeats R]
 *                [--model planted] [--input text|cafe]
 *
 * Prints a Markdown table, one line per graph, K and number of threads, then the growth of the
 * sweep and of the whole run with the number of edges. Every ratio is of times taken in the same
 * run.
 */
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cafe/cafe.h>

#include "gather.h"

enum { MOST = 8 };

typedef struct plan {
    double edges[MOST], columns[MOST], threads[MOST];
    int edge_count, column_count, thread_count, repeats;
    cafe_generator model;
    const char *model_name;
    cafe_format format;
} plan;

/* What is measured at once. */
typedef struct job {
    const plan *plan;
    const char *path;
    int64_t columns;
    int threads;
} job;

/* What one run of one graph and K measures; crosses a pipe, since each runs in its own process so
 * that the peak memory is its own. */
typedef struct measure {
    double nodes, edges, file_mb;
    double read, gather, sweep, sweep_one, product, peak, needed;
    double solve, finish, write, run, cpu, sweeps, objective; /* of the whole run */
    int ok;
} measure;

static void fail(cafe_context *context, const char *what) {
    fprintf(stderr, "cafe-bench: %s: %s\n", what, context ? cafe_error(context) : "failed");
    exit(1);
}

static cafe_context *make_context(int threads) {
    cafe_context_options o;
    cafe_context *context = NULL;
    cafe_context_options_init(&o);
    o.threads = threads;
    if (cafe_context_create(&o, &context) != CAFE_OK) fail(NULL, "no context");
    return context;
}

static double peak_bytes(void) {
    FILE *file = fopen("/proc/self/status", "r");
    char line[256];
    double kilobytes = 0;
    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, "VmHWM:", 6) == 0) kilobytes = atof(line + 6);
    if (file) fclose(file);
    return kilobytes * 1024;
}

/* ---- pieces ---------------------------------------------------------------------------------- */

static void write_graph(const plan *p, double edges, const char *path) {
    cafe_context *context = make_context(0);
    cafe_generate_options o;
    cafe_graph *graph = NULL;
    cafe_generate_options_init(&o);
    o.edges = (int64_t)edges;
    o.nodes = (int64_t)(edges / 10);
    if (cafe_generate(context, p->model, &o, &graph, NULL) != CAFE_OK) fail(context, "generate");
    if (cafe_graph_write(context, graph, path, p->format, 1) != CAFE_OK) fail(context, "write");
    cafe_graph_free(graph);
    cafe_context_free(context);
}

typedef struct problem {
    cafe_context *context;
    cafe_graph *graph;
    cafe_model *model;
    const cafe_operator *op;
} problem;

static problem open_problem(const char *path, int threads, double *seconds) {
    problem q = {.context = make_context(threads)};
    double start = bench_seconds();
    if (cafe_graph_read(q.context, path, NULL, &q.graph) != CAFE_OK) fail(q.context, "read");
    *seconds = bench_seconds() - start;
    if (cafe_model_create(q.context, q.graph, NULL, NULL, NULL, &q.model) != CAFE_OK)
        fail(q.context, "sample");
    q.op = cafe_model_operator(q.model);
    return q;
}

static void close_problem(problem *q) {
    cafe_model_free(q->model);
    cafe_graph_free(q->graph);
    cafe_context_free(q->context);
}

static double time_sweeps(problem *q, int64_t columns, int64_t sweeps) {
    cafe_sphere_options o;
    cafe_solution *solution = NULL;
    cafe_sphere_options_init(&o);
    o.columns = columns;
    o.sweeps = sweeps;
    o.tolerance = 0;
    double start = bench_seconds();
    if (cafe_sphere(q->context, q->op, &o, NULL, &solution) != CAFE_OK) fail(q->context, "sphere");
    double seconds = bench_seconds() - start;
    cafe_solution_free(solution);
    return seconds;
}

/* One sweep, as the difference of a run of several and a run of none, so that the start and the
 * last product are left out; the least of the repeats. */
static double sweep_seconds(problem *q, int64_t columns, int repeats) {
    const int sweeps = 3;
    double best = INFINITY, none = INFINITY;
    for (int r = 0; r < repeats; r++) {
        none = fmin(none, time_sweeps(q, columns, 0));
        best = fmin(best, time_sweeps(q, columns, sweeps));
    }
    return (best - none) / sweeps;
}

static double product_seconds(problem *q, int64_t columns, int repeats) {
    int64_t n = cafe_graph_nodes(q->graph);
    float *x = aligned_alloc(1 << 21, (size_t)(n * columns * 4 + (1 << 21)) >> 21 << 21);
    float *y = aligned_alloc(1 << 21, (size_t)(n * columns * 4 + (1 << 21)) >> 21 << 21);
    double best = INFINITY;
    if (!x || !y) fail(NULL, "no memory");
    memset(x, 0, (size_t)(n * columns) * sizeof *x);
    for (int r = 0; r <= repeats; r++) {
        double start = bench_seconds();
        if (cafe_operator_product(q->context, q->op, columns, x, y) != CAFE_OK)
            fail(q->context, "product");
        if (r > 0) best = fmin(best, bench_seconds() - start);
    }
    free(x);
    free(y);
    return best;
}

static double cpu_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Seconds since the last call of this kind. */
static double lap(double *last) {
    double now = bench_seconds(), seconds = now - *last;
    *last = now;
    return seconds;
}

/* What cafe embed does by default, from file to written vectors, by its phases. */
static void whole_run(const job *j, const char *out, measure *m) {
    double start = bench_seconds(), cpu = cpu_seconds(), last = start, read;
    cafe_solution *solution = NULL;
    cafe_embedding *embedding = NULL;
    cafe_sphere_options own;
    cafe_method_options o;
    problem q = open_problem(j->path, j->threads, &read);
    cafe_sphere_options_init(&own);
    cafe_method_options_init(&o);
    own.columns = j->columns;
    o.own = &own;
    lap(&last);
    if (cafe_model_solve(q.context, q.model, NULL, &o, NULL, &solution) != CAFE_OK)
        fail(q.context, "solve");
    m->solve = lap(&last);
    m->sweeps = (double)cafe_solution_sweeps(solution);
    m->objective = cafe_solution_objective(solution)[cafe_solution_sweeps(solution)];
    if (cafe_model_finish(q.context, q.model, NULL, &o, &solution, &embedding) != CAFE_OK)
        fail(q.context, "finish");
    m->finish = lap(&last);
    if (cafe_embedding_write(q.context, embedding, q.graph, out, 1) != CAFE_OK)
        fail(q.context, "write vectors");
    m->write = lap(&last);
    m->run = bench_seconds() - start;
    m->cpu = cpu_seconds() - cpu;
    cafe_embedding_free(embedding);
    close_problem(&q);
}

/* ---- one line of the table ------------------------------------------------------------------- */

static void measure_run(const job *j, measure *m) {
    char out[4200];
    snprintf(out, sizeof out, "%s.npy", j->path);
    whole_run(j, out, m);
    m->peak = peak_bytes();
    unlink(out);
}

static void measure_parts(const job *j, measure *m) {
    struct stat file;
    problem q = open_problem(j->path, j->threads, &m->read);
    int repeats = j->plan->repeats;
    int64_t arcs = 2 * cafe_graph_edges(q.graph), n = cafe_graph_nodes(q.graph), K = j->columns;
    stat(j->path, &file);
    m->file_mb = (double)file.st_size / 1e6;
    m->nodes = (double)n;
    m->edges = (double)cafe_graph_edges(q.graph);
    m->needed = m->nodes * (double)K * 4 + (double)arcs * 4 + m->nodes * 8;
    m->gather = bench_gather(q.context, n, K, arcs, repeats);
    m->sweep = sweep_seconds(&q, K, repeats);
    m->gather = fmin(m->gather, bench_gather(q.context, n, K, arcs, repeats));
    m->product = product_seconds(&q, K, repeats);
    close_problem(&q);
    double ignored;
    q = open_problem(j->path, 1, &ignored);
    m->sweep_one = sweep_seconds(&q, K, 1);
    close_problem(&q);
}

typedef void part(const job *j, measure *m);

/* Runs a part in a child process and reads back what it measured. */
static void in_child(part *run, const job *j, measure *m) {
    int ends[2];
    if (pipe(ends) != 0) fail(NULL, "pipe");
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        run(j, m);
        m->ok = 1;
        ssize_t written = write(ends[1], m, sizeof *m);
        _exit(written == (ssize_t)sizeof *m ? 0 : 1);
    }
    close(ends[1]);
    m->ok = 0;
    if (child < 0 || read(ends[0], m, sizeof *m) != (ssize_t)sizeof *m || !m->ok)
        fail(NULL, "a measurement did not finish");
    close(ends[0]);
    waitpid(child, NULL, 0);
}

/* The whole run with the fewest seconds of the repeats. */
static void best_run(const job *j, measure *m) {
    measure best = *m;
    for (int r = 0; r < j->plan->repeats; r++) {
        measure one = *m;
        in_child(measure_run, j, &one);
        if (r == 0 || one.run < best.run) best = one;
    }
    *m = best;
}

static const char heading[] =
    "| nodes | edges | K | threads | read MB/s | gather limit | sweep | limit / sweep | product | "
    "1 thread / all | solve | finish | write | whole run | CPU | sweeps | run / limit | peak MB | "
    "peak / (H + graph) | objective |\n"
    "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n";

static void print_line(const measure *m, const job *j) {
    printf("| %.3g | %.3g | %lld | %d ", m->nodes, m->edges, (long long)j->columns, j->threads);
    printf("| %.0f | %.3f | %.3f | %.0f %% | %.3f | %.2f ", m->file_mb / m->read, m->gather,
           m->sweep, 100 * m->gather / m->sweep, m->product, m->sweep_one / m->sweep);
    printf("| %.2f | %.2f | %.2f | %.2f | %.2f | %.0f | %.1f ", m->solve, m->finish, m->write,
           m->run, m->cpu, m->sweeps, m->run / m->gather);
    printf("| %.0f | %.2f | %.4f |\n", m->peak / 1e6, m->peak / m->needed, m->objective);
    fflush(stdout);
}

/* ---- growth ---------------------------------------------------------------------------------- */

/* The exponent of t ~ m^x by least squares of logarithms. */
static double exponent(int count, const double *m, const double *t) {
    double sx = 0, sy = 0, sxx = 0, sxy = 0;
    for (int i = 0; i < count; i++) {
        double x = log(m[i]), y = log(t[i]);
        sx += x, sy += y, sxx += x * x, sxy += x * y;
    }
    return (count * sxy - sx * sy) / (count * sxx - sx * sx);
}

static int read_list(const char *text, double *list) {
    int count = 0;
    char *copy = strdup(text), *rest = copy;
    for (char *word; count < MOST && (word = strsep(&rest, ",")) != NULL;)
        list[count++] = atof(word);
    free(copy);
    return count;
}

static cafe_generator read_model(const char *name) {
    static const char *const names[] = {"sbm", "planted", "ba", "rmat"};
    for (int i = 0; i < 4; i++)
        if (strcmp(names[i], name) == 0) return (cafe_generator)i;
    fail(NULL, "unknown model");
    return CAFE_GENERATOR_SBM;
}

static cafe_format read_format(const char *name) {
    if (strcmp(name, "text") == 0) return CAFE_FORMAT_EDGES;
    if (strcmp(name, "cafe") == 0) return CAFE_FORMAT_CAFE;
    fail(NULL, "--input is text or cafe");
    return CAFE_FORMAT_EDGES;
}

static int all_threads(void) {
    cafe_context *context = make_context(0);
    int threads = cafe_threads(context);
    cafe_context_free(context);
    return threads;
}

static plan read_arguments(int count, char **words) {
    plan p = {.repeats = 3,
              .model = CAFE_GENERATOR_PLANTED,
              .model_name = "planted",
              .format = CAFE_FORMAT_EDGES};
    p.edge_count = read_list("1e6,1e7,5e7", p.edges);
    p.column_count = read_list("32,128", p.columns);
    p.thread_count = read_list("0", p.threads);
    for (int i = 1; i + 1 < count; i += 2) {
        if (strcmp(words[i], "--edges") == 0)
            p.edge_count = read_list(words[i + 1], p.edges);
        else if (strcmp(words[i], "--columns") == 0)
            p.column_count = read_list(words[i + 1], p.columns);
        else if (strcmp(words[i], "--threads") == 0)
            p.thread_count = read_list(words[i + 1], p.threads);
        else if (strcmp(words[i], "--repeats") == 0)
            p.repeats = atoi(words[i + 1]);
        else if (strcmp(words[i], "--model") == 0)
            p.model = read_model(p.model_name = words[i + 1]);
        else if (strcmp(words[i], "--input") == 0)
            p.format = read_format(words[i + 1]);
        else
            fail(NULL, words[i]);
    }
    for (int t = 0; t < p.thread_count; t++)
        if (p.threads[t] < 1) p.threads[t] = all_threads();
    return p;
}

/* What grows with the edges, for one K and number of threads. */
typedef struct series {
    double edges[MOST], sweep[MOST], limit[MOST], run[MOST], cpu[MOST];
} series;

static void measure_graph(const plan *p, int i, const char *path, series all[MOST][MOST]) {
    for (int k = 0; k < p->column_count; k++)
        for (int t = 0; t < p->thread_count; t++) {
            measure m = {0};
            job j = {p, path, (int64_t)p->columns[k], (int)p->threads[t]};
            in_child(measure_parts, &j, &m);
            best_run(&j, &m);
            print_line(&m, &j);
            all[k][t].edges[i] = m.edges;
            all[k][t].sweep[i] = m.sweep;
            all[k][t].limit[i] = m.gather;
            all[k][t].run[i] = m.run;
            all[k][t].cpu[i] = m.cpu;
        }
}

static void print_growth(const plan *p, series all[MOST][MOST]) {
    for (int k = 0; k < p->column_count && p->edge_count > 1; k++)
        for (int t = 0; t < p->thread_count; t++) {
            const series *s = &all[k][t];
            printf(
                "\nK = %.0f, %.0f threads: the sweep grows as m^%.2f, the gather limit as m^%.2f, ",
                p->columns[k], p->threads[t], exponent(p->edge_count, s->edges, s->sweep),
                exponent(p->edge_count, s->edges, s->limit));
            printf("the whole run as m^%.2f, its CPU seconds as m^%.2f\n",
                   exponent(p->edge_count, s->edges, s->run),
                   exponent(p->edge_count, s->edges, s->cpu));
        }
}

int main(int count, char **words) {
    static series all[MOST][MOST];
    plan p = read_arguments(count, words);
    const char *folder = getenv("TMPDIR");
    char path[4096];
    snprintf(path, sizeof path, "%s/cafe-bench-%d.%s", folder ? folder : "/tmp", (int)getpid(),
             p.format == CAFE_FORMAT_EDGES ? "txt" : "cafe");
    printf("Model %s, 10 edges a node; seconds; ratios are of times of this run.\n\n%s",
           p.model_name, heading);
    for (int i = 0; i < p.edge_count; i++) {
        write_graph(&p, p.edges[i], path);
        measure_graph(&p, i, path, all);
        unlink(path);
    }
    print_growth(&p, all);
    return 0;
}
