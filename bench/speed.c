/* Speed and memory of the whole way: parse, sweep, product, finish, beside the memory limit.
 *
 *     cafe-bench [--edges 1e6,1e7] [--columns 32,128] [--threads 1,2] [--repeats R]
 *                [--model planted] [--input text|cafe] [--parts yes|no]
 *
 * Prints a Markdown table, one line per graph, K and number of threads. Then follow every phase
 * with its seconds and its peak of memory, and the growth of all of these with the number of edges.
 * Every ratio is of times taken in the same run.
 */
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cafe/cafe.h>

#include "gather.h"
#include "whole.h"

enum { MOST = BENCH_MOST };

typedef struct plan {
    bench_grid grid;
    cafe_generator model;
    const char *model_name;
    cafe_format format;
    bool parts; /* also sweep, product and gather limit by themselves */
} plan;

/* What is measured at once. */
typedef struct job {
    const plan *plan;
    const char *path;
    int64_t columns;
    int threads;
} job;

/* What is measured of one graph, K and number of threads. */
typedef struct measure {
    double nodes, edges, file_mb;
    double read, gather, sweep, sweep_one, product, needed;
    bench_phases whole;
} measure;

/* ---- pieces ---------------------------------------------------------------------------------- */

static double product_seconds(bench_problem *q, int64_t columns, int repeats) {
    int64_t n = cafe_graph_nodes(q->graph);
    float *x = aligned_alloc(1 << 21, (size_t)(n * columns * 4 + (1 << 21)) >> 21 << 21);
    float *y = aligned_alloc(1 << 21, (size_t)(n * columns * 4 + (1 << 21)) >> 21 << 21);
    double best = INFINITY;
    if (!x || !y) bench_fail(NULL, "no memory");
    memset(x, 0, (size_t)(n * columns) * sizeof *x);
    for (int r = 0; r <= repeats; r++) {
        double start = bench_seconds();
        if (cafe_operator_product(q->context, q->op, columns, x, y) != CAFE_OK)
            bench_fail(q->context, "product");
        if (r > 0) best = fmin(best, bench_seconds() - start);
    }
    free(x);
    free(y);
    return best;
}

/* ---- one line of the table ------------------------------------------------------------------- */

static void measure_run(const void *argument, void *result) {
    const job *j = argument;
    char out[4200];
    snprintf(out, sizeof out, "%s.npy", j->path);
    bench_embed(j->path, out, j->columns, j->threads, result);
}

static void measure_parts(const void *argument, void *result) {
    const job *j = argument;
    measure *m = result;
    struct stat file;
    bench_problem q = bench_open(j->path, j->threads, &m->read);
    int repeats = j->plan->grid.repeats;
    int64_t arcs = 2 * cafe_graph_get_counts(q.graph)->edges, n = cafe_graph_nodes(q.graph),
            K = j->columns;
    stat(j->path, &file);
    m->file_mb = (double)file.st_size / 1e6;
    m->nodes = (double)n;
    m->edges = (double)cafe_graph_get_counts(q.graph)->edges;
    m->needed = m->nodes * (double)K * 4 + (double)arcs * 4 + m->nodes * 8;
    m->gather = bench_gather(q.context, n, K, arcs, repeats);
    m->sweep = bench_sweep(&q, K, repeats);
    m->gather = fmin(m->gather, bench_gather(q.context, n, K, arcs, repeats));
    m->product = product_seconds(&q, K, repeats);
    bench_close(&q);
    double ignored;
    q = bench_open(j->path, 1, &ignored);
    m->sweep_one = bench_sweep(&q, K, 1);
    bench_close(&q);
}

/* The whole run with the fewest seconds of the repeats. */
static bench_phases best_run(const job *j) {
    bench_phases best = {.of[BENCH_RUN] = {INFINITY, 0, 0}}, one = {0};
    for (int r = 0; r < j->plan->grid.repeats; r++) {
        bench_child(measure_run, j, &one, sizeof one);
        if (one.of[BENCH_RUN].seconds < best.of[BENCH_RUN].seconds) best = one;
    }
    return best;
}

static const char heading[] =
    "| nodes | edges | K | threads | read MB/s | gather limit | sweep | limit / sweep | product | "
    "1 thread / all | whole run | CPU | sweeps | run / limit | peak MB | peak / (H + graph) | "
    "objective |\n"
    "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n";

static void print_line(const measure *m, const job *j) {
    const bench_phase *run = &m->whole.of[BENCH_RUN];
    printf("| %.3g | %.3g | %lld | %d ", m->nodes, m->edges, (long long)j->columns, j->threads);
    printf("| %.0f | %.3f | %.3f | %.0f %% | %.3f | %.2f ", m->file_mb / m->read, m->gather,
           m->sweep, 100 * m->gather / m->sweep, m->product, m->sweep_one / m->sweep);
    printf("| %.2f | %.2f | %.0f | %.1f ", run->seconds, run->cpu, m->whole.sweeps,
           run->seconds / m->gather);
    printf("| %.0f | %.2f | %.4f |\n", run->peak / 1e6, run->peak / m->needed, m->whole.objective);
    fflush(stdout);
}

/* ---- phases and growth ----------------------------------------------------------------------- */

static void print_heading(const char *first) {
    printf("\n%s", first);
    for (int i = 0; i < BENCH_PHASES; i++) printf(" %s |", bench_phase_names[i]);
    for (const char *p = first; *p; p++)
        if (*p == '|') printf(p == first ? "\n|" : "---|");
    for (int i = 0; i < BENCH_PHASES; i++) printf("---|");
    printf("\n");
}

static void print_phases(const measure *m, double columns, double threads) {
    printf("| %.3g | %.0f | %.0f |", m->edges, columns, threads);
    for (const bench_phase *w = m->whole.of; w < m->whole.of + BENCH_PHASES; w++)
        printf(" %.2f s, %.2f CPU, %.0f MB |", w->seconds, w->cpu, w->peak / 1e6);
    printf("\n");
}

/* The exponent of t ~ m^x by least squares of logarithms. */
static double exponent(int count, const double *m, const double *t) {
    double sx = 0, sy = 0, sxx = 0, sxy = 0;
    for (int i = 0; i < count; i++) {
        double x = log(m[i]), y = log(t[i]);
        sx += x, sy += y, sxx += x * x, sxy += x * y;
    }
    return (count * sxy - sx * sy) / (count * sxx - sx * sx);
}

static cafe_generator read_model(const char *name) {
    static const char *const names[] = {"sbm", "planted", "ba", "rmat"};
    for (int i = 0; i < 4; i++)
        if (strcmp(names[i], name) == 0) return (cafe_generator)i;
    bench_fail(NULL, "unknown model");
    return CAFE_GENERATOR_SBM;
}

static cafe_format read_format(const char *name) {
    if (strcmp(name, "text") == 0) return CAFE_FORMAT_EDGES;
    if (strcmp(name, "cafe") == 0) return CAFE_FORMAT_CAFE;
    bench_fail(NULL, "--input is text or cafe");
    return CAFE_FORMAT_EDGES;
}

static const char usage[] =
    "usage: cafe-bench [--edges 1e6,1e7,5e7] [--columns 32,128] [--threads 0] [--repeats 3]\n"
    "                  [--model sbm|planted|ba|rmat] [--input text|cafe] [--parts yes|no]\n"
    "Seconds, memory and the share of the memory's limit of whole runs on random graphs, as a\n"
    "table; 0 threads are all. Minutes by default. --parts no: whole runs by their phases alone.\n";

/* The value of an option into the plan; false: there is no such option. */
static bool take(plan *p, const char *name, const char *value) {
    if (strcmp(name, "--model") == 0)
        p->model = read_model(p->model_name = value);
    else if (strcmp(name, "--input") == 0)
        p->format = read_format(value);
    else if (strcmp(name, "--parts") == 0)
        p->parts = strcmp(value, "no") != 0;
    else
        return bench_take(&p->grid, name, value);
    return true;
}

static plan read_arguments(int count, char **words) {
    plan p = {.grid.repeats = 3,
              .model = CAFE_GENERATOR_PLANTED,
              .model_name = "planted",
              .format = CAFE_FORMAT_EDGES,
              .parts = true};
    p.grid.edge_count = bench_list("1e6,1e7,5e7", p.grid.edges);
    p.grid.column_count = bench_list("32,128", p.grid.columns);
    p.grid.thread_count = bench_list("0", p.grid.threads);
    for (int i = 1; i < count; i += 2) {
        bench_help(words[i], usage);
        if (i + 1 == count || !take(&p, words[i], words[i + 1])) bench_misuse(words[i], usage);
    }
    for (int t = 0; t < p.grid.thread_count; t++)
        if (p.grid.threads[t] < 1) p.grid.threads[t] = bench_threads();
    return p;
}

/* By size, width and threads. */
typedef measure measures[MOST][MOST][MOST];

static void measure_graph(const plan *p, int i, const char *path, measures all) {
    for (int k = 0; k < p->grid.column_count; k++)
        for (int t = 0; t < p->grid.thread_count; t++) {
            measure *m = &all[i][k][t];
            job j = {p, path, (int64_t)p->grid.columns[k], (int)p->grid.threads[t]};
            m->edges = p->grid.edges[i];
            if (p->parts) bench_child(measure_parts, &j, m, sizeof *m);
            m->whole = best_run(&j);
            if (p->parts) print_line(m, &j);
        }
}

static void print_all_phases(const plan *p, measures all) {
    print_heading("| edges | K | threads |");
    for (int k = 0; k < p->grid.column_count; k++)
        for (int t = 0; t < p->grid.thread_count; t++)
            for (int i = 0; i < p->grid.edge_count; i++)
                print_phases(&all[i][k][t], p->grid.columns[k], p->grid.threads[t]);
}

/* The exponents of m by which one K and number of threads grow. */
static void print_growth(const plan *p, measures all, int k, int t) {
    double edges[MOST], limit[MOST], sweep[MOST], seconds[MOST], cpu[MOST];
    int count = p->grid.edge_count;
    for (int i = 0; i < count; i++) {
        edges[i] = all[i][k][t].edges;
        limit[i] = all[i][k][t].gather;
        sweep[i] = all[i][k][t].sweep;
    }
    printf("| %.0f | %.0f |", p->grid.columns[k], p->grid.threads[t]);
    if (p->parts)
        printf(" %.2f | %.2f |", exponent(count, edges, limit), exponent(count, edges, sweep));
    for (int phase = 0; phase < BENCH_PHASES; phase++) {
        for (int i = 0; i < count; i++) {
            seconds[i] = all[i][k][t].whole.of[phase].seconds;
            cpu[i] = all[i][k][t].whole.of[phase].cpu;
        }
        printf(" %.2f (CPU %.2f) |", exponent(count, edges, seconds), exponent(count, edges, cpu));
    }
    printf("\n");
}

static void print_all_growth(const plan *p, measures all) {
    print_heading(p->parts ? "| growth, m^: K | threads | gather limit | sweep |"
                           : "| growth, m^: K | threads |");
    for (int k = 0; k < p->grid.column_count; k++)
        for (int t = 0; t < p->grid.thread_count; t++) print_growth(p, all, k, t);
}

int main(int count, char **words) {
    static measures all;
    plan p = read_arguments(count, words);
    const char *folder = getenv("TMPDIR");
    char path[4096];
    snprintf(path, sizeof path, "%s/cafe-bench-%d.%s", folder ? folder : "/tmp", (int)getpid(),
             p.format == CAFE_FORMAT_EDGES ? "txt" : "cafe");
    printf("Model %s, 10 edges a node; seconds; ratios are of times of this run.\n\n%s",
           p.model_name, p.parts ? heading : "");
    for (int i = 0; i < p.grid.edge_count; i++) {
        bench_write_graph(p.model, p.grid.edges[i], path, p.format);
        measure_graph(&p, i, path, all);
        unlink(path);
    }
    print_all_phases(&p, all);
    if (p.grid.edge_count > 1) print_all_growth(&p, all);
    return 0;
}
