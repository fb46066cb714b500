/* cafe cluster: what was asked for, what came out, and the files and reports on it. */
#ifndef CAFE_CLI_CLUSTER_H
#define CAFE_CLI_CLUSTER_H

#include <cafe-private/members.h>

#include "job.h"

/* One partition from file to file. */
typedef struct cluster_job {
    cli_job shared;
    const char *hierarchy, *soft;
    const cafe_clustering_info *found;
    cafe_trials_options trials;
    cafe_sizes sizes; /* of the communities */
    bool bound;
    const char *bound_file;
} cluster_job;

/* Lines for people. */
void cluster_say_found(cluster_job *job);
void cluster_say_sizes(cluster_job *job);
void cluster_say_trials(cluster_job *job);
void cluster_say_profile(cluster_job *job);
void cluster_say_end(cluster_job *job);

void cluster_fill_report(cafe_report *report, const void *job);

#endif
