/* Speed and memory of the whole way: parse, sweep, product, finish, beside the memory limit.
 *
 *     cafe-bench [--edges 1e6,1e7] [--columns 32,128] [--threads T] [--repeats R] [--model planted]
 *
 * Prints a Markdown table, one line per graph and K, then the growth of the sweep with the number
 * of edges and the gain from a second thread. Every ratio is of times taken in the same run.
 */
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cafe/cafe.h>

#include "gather.h"

enum { MOST = 8 };

typedef struct plan {
    double edges[MOST], columns[MOST];
    int edge_count, column_count, threads, repeats;
    cafe_generator model;
    const char *model_name;
} plan;

/* What one run of one graph and K measures; crosses a pipe, since each runs in its own process so
 * that the peak memory is its own. */
typedef struct measure {
    double nodes, edges, text_mb;
    double parse, gather, sweep, sweep_one, product, run, sweeps, peak, needed, objective;
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
    cafe_context *context = make_context(p->threads);
    cafe_generate_options o;
    cafe_graph *graph = NULL;
    cafe_generate_options_init(&o);
    o.edges = (int64_t)edges;
    o.nodes = (int64_t)(edges / 10);
    if (cafe_generate(context, p->model, &o, &graph, NULL) != CAFE_OK) fail(context, "generate");
    if (cafe_graph_write(context, graph, path, CAFE_FORMAT_EDGES, 1) != CAFE_OK)
        fail(context, "write");
    cafe_graph_free(graph);
    cafe_context_free(context);
}

typedef struct problem {
    cafe_context *context;
    cafe_graph *graph;
    cafe_sampled *sampled;
    cafe_operator *op;
} problem;

static problem open_problem(const char *path, int threads, double *seconds) {
    problem q = {make_context(threads), NULL, NULL, NULL};
    double start = bench_seconds();
    if (cafe_graph_read(q.context, path, NULL, &q.graph) != CAFE_OK) fail(q.context, "read");
    *seconds = bench_seconds() - start;
    if (cafe_sample(q.context, q.graph, CAFE_SAMPLING_EDGE, NULL, NULL, &q.sampled) != CAFE_OK ||
        cafe_operator_modularity(q.context, q.sampled, &q.op) != CAFE_OK)
        fail(q.context, "sample");
    return q;
}

static void close_problem(problem *q) {
    cafe_operator_free(q->op);
    cafe_sampled_free(q->sampled);
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

/* The whole default run from file to written vectors. */
static double whole_run(const char *path, int64_t columns, int threads, const char *out,
                        measure *m) {
    double parse, start = bench_seconds();
    cafe_solution *solution = NULL;
    cafe_embedding *embedding = NULL;
    cafe_sphere_options o;
    problem q = open_problem(path, threads, &parse);
    cafe_sphere_options_init(&o);
    o.columns = columns;
    if (cafe_sphere(q.context, q.op, &o, NULL, &solution) != CAFE_OK) fail(q.context, "sphere");
    m->sweeps = (double)cafe_solution_sweeps(solution);
    m->objective = cafe_solution_objective(solution)[cafe_solution_sweeps(solution)];
    if (cafe_finish(q.context, q.op, &solution, NULL, &embedding) != CAFE_OK)
        fail(q.context, "finish");
    if (cafe_embedding_write(q.context, embedding, q.graph, out, 1) != CAFE_OK)
        fail(q.context, "write vectors");
    double seconds = bench_seconds() - start;
    cafe_embedding_free(embedding);
    close_problem(&q);
    return seconds;
}

/* ---- one line of the table ------------------------------------------------------------------- */

static void measure_run(const plan *p, const char *path, int64_t columns, measure *m) {
    char out[4200];
    snprintf(out, sizeof out, "%s.npy", path);
    m->run = whole_run(path, columns, p->threads, out, m);
    m->peak = peak_bytes();
    unlink(out);
}

static void measure_parts(const plan *p, const char *path, int64_t columns, measure *m) {
    struct stat file;
    problem q = open_problem(path, p->threads, &m->parse);
    stat(path, &file);
    m->text_mb = (double)file.st_size / 1e6;
    m->nodes = (double)cafe_graph_nodes(q.graph);
    m->edges = (double)cafe_graph_edges(q.graph);
    int64_t arcs = 2 * cafe_graph_edges(q.graph);
    m->needed = m->nodes * (double)columns * 4 + (double)arcs * 4 + m->nodes * 8;
    m->gather = bench_gather(q.context, cafe_graph_nodes(q.graph), columns, arcs, p->repeats);
    m->sweep = sweep_seconds(&q, columns, p->repeats);
    m->gather = fmin(m->gather,
                     bench_gather(q.context, cafe_graph_nodes(q.graph), columns, arcs, p->repeats));
    m->product = product_seconds(&q, columns, p->repeats);
    close_problem(&q);
    double ignored;
    q = open_problem(path, 1, &ignored);
    m->sweep_one = sweep_seconds(&q, columns, 1);
    close_problem(&q);
}

typedef void part(const plan *p, const char *path, int64_t columns, measure *m);

/* Runs a part in a child process and reads back what it measured. */
static void in_child(part *run, const plan *p, const char *path, int64_t columns, measure *m) {
    int ends[2];
    if (pipe(ends) != 0) fail(NULL, "pipe");
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        run(p, path, columns, m);
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

static void print_line(const measure *m, int64_t columns, int threads) {
    printf(
        "| %.3g | %.3g | %lld | %.0f | %.3f | %.3f | %.2f | %.3f | %.2f | %.2f | %.0f | %.1f | "
        "%.0f | %.2f | %.4f |\n",
        m->nodes, m->edges, (long long)columns, m->text_mb / m->parse, m->gather, m->sweep,
        m->sweep / m->gather, m->product, m->sweep_one / m->sweep, m->run, m->sweeps,
        m->run / m->gather, m->peak / 1e6, m->peak / m->needed, m->objective);
    (void)threads;
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

static plan read_arguments(int count, char **words) {
    plan p = {.threads = 0, .repeats = 3, .model = CAFE_GENERATOR_PLANTED, .model_name = "planted"};
    p.edge_count = read_list("1e6,1e7,5e7", p.edges);
    p.column_count = read_list("32,128", p.columns);
    for (int i = 1; i + 1 < count; i += 2) {
        if (strcmp(words[i], "--edges") == 0)
            p.edge_count = read_list(words[i + 1], p.edges);
        else if (strcmp(words[i], "--columns") == 0)
            p.column_count = read_list(words[i + 1], p.columns);
        else if (strcmp(words[i], "--threads") == 0)
            p.threads = atoi(words[i + 1]);
        else if (strcmp(words[i], "--repeats") == 0)
            p.repeats = atoi(words[i + 1]);
        else if (strcmp(words[i], "--model") == 0)
            p.model = read_model(p.model_name = words[i + 1]);
        else
            fail(NULL, words[i]);
    }
    return p;
}

int main(int count, char **words) {
    plan p = read_arguments(count, words);
    double edges[MOST], sweep[MOST][MOST], run[MOST][MOST], limit[MOST][MOST];
    const char *folder = getenv("TMPDIR");
    char path[4096];
    snprintf(path, sizeof path, "%s/cafe-bench-%d.txt", folder ? folder : "/tmp", (int)getpid());
    printf("Model %s, 10 edges a node; seconds; ratios are of times of this run.\n\n",
           p.model_name);
    printf(
        "| nodes | edges | K | parse MB/s | gather limit | sweep | sweep / limit | product | "
        "1 thread / all | whole run | sweeps | run / limit | peak MB | peak / (H + graph) | "
        "objective |\n|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
    for (int i = 0; i < p.edge_count; i++) {
        write_graph(&p, p.edges[i], path);
        for (int j = 0; j < p.column_count; j++) {
            measure m = {0};
            int64_t columns = (int64_t)p.columns[j];
            in_child(measure_parts, &p, path, columns, &m);
            in_child(measure_run, &p, path, columns, &m);
            print_line(&m, columns, p.threads);
            edges[i] = m.edges;
            sweep[j][i] = m.sweep;
            limit[j][i] = m.gather;
            run[j][i] = m.run;
        }
        unlink(path);
    }
    for (int j = 0; j < p.column_count && p.edge_count > 1; j++)
        printf(
            "\nK = %.0f: sweep grows as m^%.2f, the gather limit as m^%.2f, the whole run as "
            "m^%.2f\n",
            p.columns[j], exponent(p.edge_count, edges, sweep[j]),
            exponent(p.edge_count, edges, limit[j]), exponent(p.edge_count, edges, run[j]));
    return 0;
}
