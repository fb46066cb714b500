/* How everything grows with the threads: one table for cafe embed, one for cafe cluster.
 *
 *     cafe-cores [--edges 1e7,1e8] [--columns 32,128] [--threads 1,2,4,8,16] [--repeats 1] [GRAPH]
 *
 * Graphs of the planted model with 10 edges a node, or the one given. Every run is a process of its
 * own. A graph of more than 2e7 edges takes minutes on one thread: there embed runs on the most
 * threads alone, cluster on the fewest and on the most. The gather limit is that of gather.h.
 */
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gather.h"
#include "whole.h"

static const double large = 2e7; /* edges */

typedef struct plan {
    bench_grid grid;
    const char *graph; /* NULL: generated ones */
} plan;

static const char usage[] =
    "usage: cafe-cores [--edges 1e7,1e8] [--columns 32,128] [--threads 1,2,4,8,16] [--repeats 1]\n"
    "                  [GRAPH]\n"
    "Seconds of cafe embed and cafe cluster for each number of threads, on GRAPH or on random\n"
    "graphs. Graphs of more than 2e7 edges: on the most threads, cluster on the fewest too.\n";

typedef struct job {
    const char *path, *text, *out; /* the graph, the same as lines of text, and its vectors */
    int64_t columns;
    int threads;
} job;

/* ---- embed ----------------------------------------------------------------------------------- */

typedef struct line {
    double gather, sweep, text;
    bench_phases whole;
} line;

static void measure_sweep(const void *argument, void *result) {
    const job *j = argument;
    line *l = result;
    double read;
    bench_problem q = bench_open(j->path, j->threads, &read);
    int64_t n = cafe_graph_nodes(q.graph), arcs = 2 * cafe_graph_get_counts(q.graph)->edges;
    l->gather = bench_gather(q.context, n, j->columns, arcs, 1);
    l->sweep = bench_sweep(&q, j->columns, 1);
    bench_close(&q);
}

static void measure_text(const void *argument, void *result) {
    const job *j = argument;
    bench_problem q = bench_open(j->text, j->threads, result);
    bench_close(&q);
}

static void measure_embed(const void *argument, void *result) {
    const job *j = argument;
    bench_embed(j->path, j->out, j->columns, j->threads, result);
}

static line measure_line(const job *j, int repeats) {
    line best = {.gather = INFINITY,
                 .sweep = INFINITY,
                 .text = INFINITY,
                 .whole.of[BENCH_RUN] = {INFINITY, 0, 0}};
    for (int r = 0; r < repeats; r++) {
        line one = {0};
        bench_child(measure_sweep, j, &one, sizeof one);
        bench_child(measure_text, j, &one.text, sizeof one.text);
        bench_child(measure_embed, j, &one.whole, sizeof one.whole);
        best.gather = fmin(best.gather, one.gather);
        best.sweep = fmin(best.sweep, one.sweep);
        best.text = fmin(best.text, one.text);
        if (one.whole.of[BENCH_RUN].seconds < best.whole.of[BENCH_RUN].seconds)
            best.whole = one.whole;
    }
    return best;
}

static void print_line(const job *j, const line *l, double first) {
    const bench_phase *w = l->whole.of, *run = &w[BENCH_RUN];
    printf("| %lld | %d | %.2f | %.2f | %.2f | %.2f | %.2f | %.2f | %.2f ", (long long)j->columns,
           j->threads, l->text, w[BENCH_READ].seconds, w[BENCH_SOLVE].seconds,
           w[BENCH_FINISH].seconds, w[BENCH_WRITE].seconds, run->seconds, run->cpu);
    printf("| %.1f | %.3f | %.3f | %.2f | %.1f | %.0f |\n", first / run->seconds, l->gather,
           l->sweep, l->sweep / l->gather, run->seconds / l->gather, run->peak / 1e6);
    fflush(stdout);
}

static void print_embed(const plan *p, job j, int from) {
    printf(
        "\n| K | threads | read text | read .cafe | solve | finish | write | whole run | CPU "
        "| times | gather limit | sweep | sweep / limit | run / limit | peak MB |\n"
        "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
    for (int k = 0; k < p->grid.column_count; k++) {
        double first = 0;
        for (int t = from; t < p->grid.thread_count; t++) {
            j.columns = (int64_t)p->grid.columns[k];
            j.threads = (int)p->grid.threads[t];
            line l = measure_line(&j, p->grid.repeats);
            if (t == from) first = l.whole.of[BENCH_RUN].seconds;
            print_line(&j, &l, first);
        }
    }
}

/* ---- cluster --------------------------------------------------------------------------------- */

typedef struct found {
    bench_phases whole;
    double communities;
} found;

static void measure_cluster(const void *argument, void *result) {
    const job *j = argument;
    found *f = result;
    bench_cluster(j->path, j->threads, &f->whole, &f->communities);
}

static void print_cluster(const plan *p, job j, int step) {
    double first = 0;
    printf(
        "\n| cluster: threads | read | layers | whole run | CPU | layers: times | communities "
        "| modularity | peak MB |\n|---|---|---|---|---|---|---|---|---|\n");
    for (int t = 0; t < p->grid.thread_count; t += step) {
        found best = {.whole.of[BENCH_SOLVE] = {INFINITY, 0, 0}};
        j.threads = (int)p->grid.threads[t];
        for (int r = 0; r < p->grid.repeats; r++) {
            found one = {0};
            bench_child(measure_cluster, &j, &one, sizeof one);
            if (one.whole.of[BENCH_SOLVE].seconds < best.whole.of[BENCH_SOLVE].seconds) best = one;
        }
        const bench_phase *w = best.whole.of, *run = &w[BENCH_RUN];
        double solve = w[BENCH_SOLVE].seconds;
        if (t == 0) first = solve;
        printf("| %d | %.2f | %.2f | %.2f | %.2f | %.1f | %.0f | %.6f | %.0f |\n", j.threads,
               w[BENCH_READ].seconds, solve, run->seconds, run->cpu, first / solve,
               best.communities, best.whole.objective, run->peak / 1e6);
        fflush(stdout);
    }
}

/* ---- the graphs ------------------------------------------------------------------------------ */

/* The graph's nodes and edges; its text for the runs that read it. */
static double write_text(const char *path, const char *text) {
    double read;
    bench_problem q = bench_open(path, 0, &read);
    double edges = (double)cafe_graph_get_counts(q.graph)->edges;
    printf("\n%.3g nodes, %.3g edges; seconds of one run, all ratios of this run\n",
           (double)cafe_graph_nodes(q.graph), edges);
    if (cafe_graph_write(q.context, q.graph, text, CAFE_FORMAT_EDGES, 1) != CAFE_OK)
        bench_fail(q.context, "write");
    bench_close(&q);
    return edges;
}

/* Files of its own begin with `own`. */
static void measure_graph(const plan *p, const char *path, const char *own) {
    char text[4200], out[4200];
    int last = p->grid.thread_count - 1;
    snprintf(text, sizeof text, "%s.txt", own);
    snprintf(out, sizeof out, "%s.npy", own);
    job j = {.path = path, .text = text, .out = out};
    bool big = write_text(path, text) > large;
    print_cluster(p, j, big && last > 0 ? last : 1);
    print_embed(p, j, big ? last : 0);
    unlink(text);
}

/* 1, 2, 4 ... and as many as there are. */
static void fill_threads(plan *p) {
    int all = bench_threads();
    for (int t = 1; t < all && p->grid.thread_count + 1 < BENCH_MOST; t *= 2)
        p->grid.threads[p->grid.thread_count++] = t;
    p->grid.threads[p->grid.thread_count++] = all;
}

static plan read_arguments(int count, char **words) {
    plan p = {.grid.repeats = 1};
    p.grid.edge_count = bench_list("1e7,1e8", p.grid.edges);
    p.grid.column_count = bench_list("32,128", p.grid.columns);
    for (int i = 1; i < count; i += 2) {
        bench_help(words[i], usage);
        if (words[i][0] != '-' && i + 1 == count)
            p.graph = words[i];
        else if (i + 1 == count || !bench_take(&p.grid, words[i], words[i + 1]))
            bench_misuse(words[i], usage);
    }
    if (p.grid.thread_count == 0) fill_threads(&p);
    return p;
}

int main(int count, char **words) {
    plan p = read_arguments(count, words);
    const char *folder = getenv("TMPDIR");
    char path[4096];
    snprintf(path, sizeof path, "%s/cafe-cores-%d.cafe", folder ? folder : "/tmp", (int)getpid());
    for (int i = 0; i < p.grid.edge_count && !p.graph; i++) {
        bench_write_graph(CAFE_GENERATOR_PLANTED, p.grid.edges[i], path, CAFE_FORMAT_CAFE);
        measure_graph(&p, path, path);
        unlink(path);
    }
    if (p.graph) measure_graph(&p, p.graph, path);
    return 0;
}
