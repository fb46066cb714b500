/* cafe cluster: what was asked for, what came out, and the files and reports on it. */
#ifndef CAFE_CLI_CLUSTER_H
#define CAFE_CLI_CLUSTER_H

#include "run.h"
#include "sampling.h"

typedef struct cluster_values {
    cli_common common;
    const char *output, *hierarchy, *soft, *json, *labels;
    int32_t method, start, rows; /* start: cluster_start; rows: cluster_rows */
    bool no_refine;
    cli_sampling sampling;
    cafe_graph_options graph;
    cafe_layers_options layers;
    cafe_softmax_options softmax;
    cafe_sparse_options sparse;
} cluster_values;

enum cluster_start { START_RANDOM, START_LAYERS, START_SPHERE };
enum cluster_rows { ROWS_AUTO, ROWS_DENSE, ROWS_SPARSE };

enum cluster_phase { CLUSTER_READ, CLUSTER_SAMPLE, CLUSTER_SOLVE, CLUSTER_WRITE, CLUSTER_PHASES };

typedef struct cluster_method cluster_method;

/* One partition from file to file. */
typedef struct cluster_job {
    cli_run run;
    cluster_values values;
    const cluster_method *method;
    const char *path;
    cafe_graph *graph;
    cafe_graph_counts counts;
    cafe_sampled *sampled;
    cafe_operator *op;
    cafe_layers *layers;           /* NULL unless the method builds them */
    cafe_solution *solution;       /* of softmax with dense rows, else NULL */
    cafe_memberships *memberships; /* of softmax with sparse rows, else NULL */
    int32_t *label;                /* of each node, -1 without one; NULL: none were given */
    double *objective;             /* of softmax: sweeps + 1 values */
    int64_t sweeps;
    bool converged;
    int64_t *soft_offsets; /* dense rows, compressed for --soft */
    int32_t *soft_columns;
    float *soft_values;
    const int32_t *partition; /* of the nodes, 0 .. communities-1 by first appearance */
    int32_t *own;             /* the same, when it is not the layers' */
    int64_t communities;
    double modularity;
    cafe_sizes sizes; /* of the communities */
    double seconds[CLUSTER_PHASES];
} cluster_job;

/* A method fills in partition, communities and modularity. */
struct cluster_method {
    const char *name;
    const cafe_option_table *(*table)(void);
    size_t offset; /* of its options in the values */
    int (*solve)(cluster_job *job, const cli_arguments *arguments);
    void (*say)(cluster_job *job); /* what it found, for people */
};

/* cluster_softmax.c */
int cluster_solve_softmax(cluster_job *job, const cli_arguments *arguments);
int cluster_write_soft(cluster_job *job);
void cluster_free_soft(cluster_job *job);

/* Lines for people. */
void cluster_say_layers(cluster_job *job);
void cluster_say_softmax(cluster_job *job);
void cluster_say_sizes(cluster_job *job);
void cluster_say_end(cluster_job *job);

/* The files: node TAB community, the tree of layers, the report. */
int cluster_write_partition(cluster_job *job);
int cluster_write_hierarchy(cluster_job *job);
int cluster_write_report(cluster_job *job);

#endif
