/* cafe cluster: what was asked for, what came out, and the files and reports on it. */
#ifndef CAFE_CLI_CLUSTER_H
#define CAFE_CLI_CLUSTER_H

#include "checkpoint.h"
#include "method.h"
#include "team.h"

enum cluster_phase { CLUSTER_READ, CLUSTER_SAMPLE, CLUSTER_SOLVE, CLUSTER_WRITE, CLUSTER_PHASES };

/* One partition from file to file. */
typedef struct cluster_job {
    cli_run run;
    const char *hierarchy, *soft, *labels_path, *predicted;
    cli_method method;
    cli_checkpoint checkpoint;
    cafe_model *model;
    cafe_labels *labels;
    int32_t *label; /* of each node, -1 without one; NULL: none were given */
    cafe_clustering *clustering;
    const cafe_clustering_info *found;
    cafe_sizes sizes; /* of the communities */
    double seconds[CLUSTER_PHASES];
    cli_division division; /* of the nodes among processes */
} cluster_job;

/* Lines for people. */
void cluster_say_found(cluster_job *job);
void cluster_say_sizes(cluster_job *job);
void cluster_say_end(cluster_job *job);

/* The files: node TAB community, the report. */
int cluster_put_partition(FILE *file, const void *job);
void cluster_fill_report(cafe_report *report, const void *job);

#endif
