/* Sweeps beside the gather of as many rows, in turn, in one process.
 *
 *     cafe-sweep [--columns 32,128] [--threads 1,2] [--repeats 3] GRAPH
 *
 * Seconds of all processors and of the clock, the least of the repeats: on a machine that does
 * other things too the first tell more. The gather limit is that of gather.h; `open` is what is
 * made once before the first sweep.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "gather.h"
#include "operator/chunk_move.h"
#include "whole.h"

enum { SWEEPS = 3 }; /* for a gather */

static const char usage[] =
    "usage: cafe-sweep [--columns 32,128] [--threads 1,2] [--repeats 3] GRAPH\n"
    "Processor and clock seconds of a sweep with its defaults, and of the gather of as many "
    "rows.\n";

typedef struct job {
    const char *path;
    int64_t columns;
    int threads, repeats;
} job;

typedef struct line {
    bench_time gather, sweep, open;
} line;

static void keep_least(bench_time *least, bench_time one) {
    least->cpu = fmin(least->cpu, one.cpu);
    least->seconds = fmin(least->seconds, one.seconds);
}

/* Rows of length 1, one entry each. */
static float *start(bench_problem *q, int64_t stride, int64_t columns) {
    float *h = cafe_mem_zero(q->context, q->op->n * stride, sizeof *h);
    for (int64_t u = 0; h && u < q->op->n; u++) h[u * stride + u * 7919 % columns] = 1;
    return h;
}

static bench_time open_sweeps(bench_problem *q, int64_t stride, float *h, cafe_mover **mover) {
    cafe_rule rule = {.kind = CAFE_RULE_SPHERE, .resolution = 1, .passes = 10};
    bench_time begin = bench_now();
    if (cafe_mover_new(q->context, q->op, rule, stride, h, NULL, mover) != CAFE_OK ||
        cafe_mover_aim(q->context, *mover, NULL, 0, 0, NULL) != CAFE_OK)
        bench_fail(q->context, "open");
    return bench_since(begin);
}

static void measure(const void *argument, void *result) {
    const job *j = argument;
    line *l = result;
    double read, gain;
    bench_problem q = bench_open(j->path, j->threads, &read);
    int64_t stride = cafe_stride(j->columns), arcs = 2 * cafe_graph_get_counts(q.graph)->edges;
    cafe_mover *mover = NULL;
    float *h = start(&q, stride, j->columns);
    if (!h) bench_fail(q.context, "rows");
    *l = (line){{INFINITY, INFINITY}, {INFINITY, INFINITY}, open_sweeps(&q, stride, h, &mover)};
    for (int r = 0; r < j->repeats; r++) {
        keep_least(&l->gather, bench_gather_time(q.context, q.op->n, stride, arcs, 1));
        for (int s = 0; s < SWEEPS; s++) {
            bench_time begin = bench_now();
            if (cafe_mover_sweep(q.context, mover, &gain) != CAFE_OK)
                bench_fail(q.context, "sweep");
            keep_least(&l->sweep, bench_since(begin));
        }
    }
    cafe_mover_free(mover);
    cafe_mem_free(q.context, h);
    bench_close(&q);
}

static void print(job j) {
    line l = {0};
    bench_child(measure, &j, &l, sizeof l);
    printf("| %d | %d | %.3f | %.3f | %.2f | %.3f | %.3f | %.2f | %.3f |\n", (int)j.columns,
           j.threads, l.gather.cpu, l.sweep.cpu, l.sweep.cpu / l.gather.cpu, l.gather.seconds,
           l.sweep.seconds, l.sweep.seconds / l.gather.seconds, l.open.cpu);
    fflush(stdout);
}

int main(int count, char **words) {
    bench_grid grid = {.repeats = 3, .threads = {bench_threads()}, .thread_count = 1};
    const char *path = NULL;
    grid.column_count = bench_list("32,128", grid.columns);
    for (int i = 1; i < count; i += 2) {
        bench_help(words[i], usage);
        if (words[i][0] != '-' && i + 1 == count)
            path = words[i];
        else if (i + 1 == count || !bench_take(&grid, words[i], words[i + 1]))
            bench_misuse(words[i], usage);
    }
    if (!path) bench_misuse("GRAPH", usage);
    printf(
        "| K | threads | gather, CPU s | sweep, CPU s | times | gather s | sweep s | times | open, "
        "CPU s |\n|---|---|---|---|---|---|---|---|---|\n");
    for (int k = 0; k < grid.column_count; k++)
        for (int t = 0; t < grid.thread_count; t++)
            print((job){path, (int64_t)grid.columns[k], (int)grid.threads[t], grid.repeats});
    return 0;
}
