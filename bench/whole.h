/* What the benchmarks of whole runs share: graphs, problems, phases, processes of their own. */
#ifndef CAFE_BENCH_WHOLE_H
#define CAFE_BENCH_WHOLE_H

#include <stdbool.h>
#include <stddef.h>

#include <cafe/lab.h>

enum { BENCH_MOST = 8 }; /* entries of a list */

/* Prints the message, with the context's error if available, and ends the process. */
void bench_fail(cafe_context *context, const char *what);

/* Prints how to call the program and ends it: with 0 where the word asks for help, with 2 since the
 * word is none that it knows. */
void bench_help(const char *word, const char *usage);
void bench_misuse(const char *word, const char *usage);

/* "1e6,1e7" into at most BENCH_MOST numbers; how many. */
int bench_list(const char *text, double *list);

/* What is measured: every size with every width on every number of threads, so often. */
typedef struct bench_grid {
    double edges[BENCH_MOST], columns[BENCH_MOST], threads[BENCH_MOST];
    int edge_count, column_count, thread_count, repeats;
} bench_grid;

/* The value of --edges, --columns, --threads or --repeats into the grid; false: it is none of
 * these. */
bool bench_take(bench_grid *grid, const char *name, const char *value);

/* The threads of a context by default. */
int bench_threads(void);

/* A random graph with 10 edges a node, generated and written. */
void bench_write_graph(cafe_generator model, double edges, const char *path, cafe_format format);

typedef struct bench_problem {
    cafe_context *context;
    cafe_graph *graph;
    cafe_model *model;
    const cafe_operator *op;
} bench_problem;

/* Reads the file and makes Q of it; the seconds of the first. */
bench_problem bench_open(const char *path, int threads, double *seconds);
void bench_close(bench_problem *q);

/* Seconds of one sweep over K columns, the least of so many repeats. */
double bench_sweep(bench_problem *q, int64_t columns, int repeats);

/* What a command does by default, phase by phase and in all: seconds of the clock, seconds of all
 * processors, bytes of memory at most. */
enum { BENCH_READ, BENCH_SAMPLE, BENCH_SOLVE, BENCH_FINISH, BENCH_WRITE, BENCH_RUN, BENCH_PHASES };
extern const char *const bench_phase_names[BENCH_PHASES];
typedef struct bench_phase {
    double seconds, cpu, peak;
} bench_phase;
typedef struct bench_phases {
    bench_phase of[BENCH_PHASES];
    double sweeps, objective;
} bench_phases;

/* From the file `path` to vectors in `out`, which is removed again. */
void bench_embed(const char *path, const char *out, int64_t columns, int threads,
                 bench_phases *phases);

/* What cafe cluster does by default, in the same way: its communities, and their modularity as the
 * objective. */
void bench_cluster(const char *path, int threads, bench_phases *phases, double *communities);

typedef void bench_part(const void *argument, void *result);

/* Runs a part in a child process, whose peak of memory is its own, and reads back its result. */
void bench_child(bench_part *run, const void *argument, void *result, size_t size);

#endif
