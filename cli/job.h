/* What cafe embed and cafe cluster share: options, inputs and outputs go into a run of the library,
 * whose steps are shown.
 */
#ifndef CAFE_CLI_JOB_H
#define CAFE_CLI_JOB_H

#include <cafe-private/inputs.h>

#include "checkpoint.h"
#include "labels.h"
#include "method.h"
#include "team.h"

#define CLI_ROW_FEATURES(type, field)                                                              \
    CLI_ROW_READS(type, field, "features",                                                         \
                  "features of the nodes: a sparse matrix (.npz, CSR of scipy) or a table (.npy, " \
                  ".csv, .tsv), with a row per node")

/* The rows of known labels and of features, of a command whose struct begins with a cli_job. */
#define CLI_ROWS_KNOWN                                                                             \
    CLI_ROW_READS(cli_job, labels_path, "labels",                                                  \
                  "known labels, one 'node label' per line, for methods that use them; they stay " \
                  "as they are"),                                                                  \
        CLI_ROWS_LABEL_FILE, CLI_ROW_FEATURES(cli_job, features_path)
extern const cli_option cli_job_sampling[];

/* Communities to start from, and a list of nodes that stay in them. */
typedef struct cli_start {
    const char *communities, *keep;
} cli_start;

/* The struct of such a command begins with it. */
typedef struct cli_job {
    cli_run run;
    cli_method method; /* where the parser puts the options */
    const char *start_path, *labels_path, *features_path;
    cafe_feature_options features;
    cli_checkpoint checkpoint;
    cli_start start_from;
    cafe_run *of; /* the library's run */
    cafe_labels *labels;
    cafe_feature_file *feature_file;
    float *start;
    int64_t warned; /* warnings of the run that were shown */
} cli_job;

/* Makes the run with the options that were given, and refuses what contradicts itself. A dry run
 * keeps no checkpoints. */
int cli_job_open(cli_job *job, cafe_purpose purpose, bool dry);
/* Reads the graph and the other inputs into the run. */
int cli_job_read(cli_job *job);
/* Shows the warnings that came since the last call. */
void cli_job_warn(cli_job *job);
/* What a step of the run returned: shows its warnings, and its failure. */
int cli_job_after(cli_job *job, cafe_status status);
/* How the graph was sampled, and what became of the features, after that step. */
void cli_job_say_sample(cli_job *job);
/* The last lines: processes, seconds. */
void cli_job_say_end(cli_job *job);
void cli_job_release(void *job);

#endif
