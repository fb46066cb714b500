/* Runs: everything between "which graph, which method, which options, which inputs" and "result,
 * report, forecast, refusal".
 *
 *     cafe_run *run;
 *     cafe_run_create(context, CAFE_PURPOSE_VECTORS, "sphere", &run);
 *     cafe_run_set(run, "columns", "64");
 *     cafe_run_graph(run, graph, NULL, NULL);
 *     cafe_run_go(run);
 *     ... cafe_run_get(run)->embedding, cafe_run_report(run, report) ...
 *     cafe_run_free(run);
 *
 * The commands embed, cluster and evaluate and Python's estimators fill in such an object and show
 * what it returns.
 */
#ifndef CAFE_RUN_H
#define CAFE_RUN_H

#include <cafe/method.h>
#include <cafe/report.h>
#include <cafe/update.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cafe_run cafe_run;

typedef enum cafe_purpose { CAFE_PURPOSE_VECTORS = 0, CAFE_PURPOSE_COMMUNITIES = 1 } cafe_purpose;

/* method NULL: sphere for vectors, layers for communities. The context, and the graph and the
 * arrays that are given below, outlive the run. */
CAFE_API cafe_status cafe_run_create(cafe_context *context, cafe_purpose purpose,
                                     const char *method, cafe_run **run);
CAFE_API void cafe_run_free(cafe_run *run); /* accepts NULL */

/* ---- options --------------------------------------------------------------------------------- */

/* Sets one option from text: of the method, its sampling, the finish or the propagation. Further
 * options are "sampling" (edge, walk ...), "propagate" (yes, no) and "partition", the rule by which
 * several processes divide the nodes (contiguous, scotch, parmetis). Runs for vectors also have
 * those of cafe_ranks_options, whose texts outlive the run: with "ranks" the run is forecast for so
 * many processes, and not started. An option that the run does not have is CAFE_ERROR_ARGUMENT. */
CAFE_API cafe_status cafe_run_set(cafe_run *run, const char *name, const char *text);

typedef struct cafe_trials_options {
    size_t struct_size;
    int64_t trials;      /* searches with other seeds, and random graphs; 0: none */
    const char *profile; /* "A:B:N": N resolutions from A to B; NULL: none */
} cafe_trials_options;

CAFE_OPTIONS(trials)

/* ---- the graph and the inputs ---------------------------------------------------------------- */

/* path and reading: the file of the graph and the options of its reading, for the report. NULL: it
 * is of no file; with the options that made it. */
CAFE_API cafe_status cafe_run_graph(cafe_run *run, const cafe_graph *graph, const char *path,
                                    const cafe_graph_options *reading);
/* In place of a graph, its size: such a run can be forecast and not started. */
CAFE_API cafe_status cafe_run_size(cafe_run *run, int64_t nodes, int64_t edges);

/* Data beside the graph; unused ones are 0. The paths are for the report. */
typedef struct cafe_run_inputs {
    size_t struct_size;
    const int32_t *labels; /* labels[nodes] in 0 .. classes-1, or -1 where none is known */
    int64_t classes;
    const char *const *class_names; /* of the classes; NULL: they have none */
    const float *start;             /* nodes x start_columns vectors, row-major */
    int64_t start_columns;
    const float *attributes; /* nodes x attribute_columns numbers, for sampling "twisted" */
    int64_t attribute_columns;
    const int32_t *seeds; /* nodes where walks begin, for samplings "walk" and "pagerank" */
    int64_t seed_count;
    const char *labels_path, *start_path, *attributes_path, *seeds_path;
    const int32_t *partition; /* partition[nodes]: the community in which a node starts, any number
                               * from 0, or -1 for a new node; for methods that build layers */
    const int32_t *keep;      /* nodes that may not leave the community in which they start */
    int64_t keep_count;
    const char *partition_path, *keep_path;
    const char *labels_reading; /* how a file of labels was understood */
    const cafe_feature_inputs *features;
    const char *features_path, *features_reading;
} cafe_run_inputs;

static inline void cafe_run_inputs_init(cafe_run_inputs *inputs) {
    cafe_options_init(NULL, inputs, sizeof *inputs);
}

CAFE_API cafe_status cafe_run_give(cafe_run *run, const cafe_run_inputs *inputs);

/* Refuses options and inputs that do not go together (CAFE_ERROR_ARGUMENT); an input whose path
 * alone was given counts. The later calls do so too: this one is for before anything is read. */
CAFE_API cafe_status cafe_run_check(cafe_run *run);

/* ---- outputs and limits ---------------------------------------------------------------------- */

/* The last step writes the vectors (cafe_embedding_write()) or the partition
 * (cafe_partition_write()) to this file. */
CAFE_API cafe_status cafe_run_output(cafe_run *run, const char *path, int32_t overwrite);
/* The run uses up to `bytes` bytes of memory. Blocks that do not fit lie in nameless files in
 * `folder`. NULL: the folder of the output, or the current one if there is no output. Give the
 * limit before the graph is read: it holds for the reading too. */
CAFE_API cafe_status cafe_run_limit(cafe_run *run, int64_t bytes, const char *folder);

/* Checkpoints: a run that was killed goes on from its last whole sweep.
 *
 * Methods that sweep over rows of floats (sphere; cafe; softmax with dense rows) write their state
 * into the file after each `every`-th sweep (1 at least) and after the last. The new file is
 * complete before it replaces the old one. A run with the same graph, options and seed goes on
 * from there. Its bits are those of a run that was never stopped, for any number of threads and on
 * any engine. The last step removes the file, together with the outputs that get their names
 * (cafe_outputs_begin()), or at once.
 *
 * This call refuses a file that is damaged or no checkpoint (CAFE_ERROR_FORMAT) and a folder that
 * cannot be written to. The run refuses a checkpoint of another run (CAFE_ERROR_ARGUMENT) and
 * reports the difference. It also refuses a method that does not sweep. path NULL: none. */
CAFE_API cafe_status cafe_run_checkpoint(cafe_run *run, const char *path, int64_t every);

typedef struct cafe_checkpoint_info {
    const char *path; /* the run's */
    int64_t every;    /* sweeps */
    int64_t sweeps;   /* that are in the file now; 0: there is none */
    int32_t ends;     /* of the spectrum in it: of 2, these are the sweeps of the second */
    int64_t resumed;  /* sweeps that the run went on after; 0: from the start */
    int64_t saved;    /* files written so far */
    int64_t bytes;    /* size of the last one */
} cafe_checkpoint_info;

/* ---- the forecast ---------------------------------------------------------------------------- */

typedef struct cafe_run_forecast {
    int64_t columns;        /* of the vectors, as options, labels and start vectors say */
    int64_t needed;         /* bytes of memory at the peak, the graph's among them */
    int64_t available;      /* bytes: the limit, or what the machine has free for graph and run */
    int32_t fits;           /* 1: cafe_run_go() will not refuse the run for lack of room */
    int64_t device_needed;  /* bytes of the engine's own memory, */
    int64_t device_free;    /* and those left; 0: the engine has none */
    int64_t device_columns; /* columns that would fit into it; 0: not even the graph does */
    const char *folder;     /* of files; NULL: none are needed */
    int64_t disk_free;      /* bytes left in it; 0: no files are needed */
    double disk_reads;      /* bytes a second from its disk, */
    double disk_writes;     /* and to it; 0: not measured */
    cafe_plan plan;         /* within a limit: files, groups of columns, bytes read and written */
    cafe_ranks_plan ranks;  /* of each of several processes; ranks.ranks is 0: not asked for */
    int32_t rank_fits;      /* 1: a process keeps to the limit, or there is none */
} cafe_run_forecast;

/* What the run will take. Needs a graph or its size. */
CAFE_API cafe_status cafe_run_plan_sized(cafe_run *run, cafe_run_forecast *forecast, size_t size);
static inline cafe_status cafe_run_plan(cafe_run *run, cafe_run_forecast *forecast) {
    return cafe_run_plan_sized(run, forecast, sizeof *forecast);
}
/* CAFE_OK, or CAFE_ERROR_LIMIT with the reason, the numbers and what would fit in the error text.
 */
CAFE_API cafe_status cafe_run_fits(cafe_run *run);

/* ---- the run --------------------------------------------------------------------------------- */

typedef enum cafe_run_step {
    CAFE_STEP_NONE = 0,
    CAFE_STEP_SAMPLE = 1, /* the graph is sampled: cafe_run_get()->op */
    CAFE_STEP_SOLVE = 2,  /* the method is done: course, clustering; cafe_run_rows() */
    CAFE_STEP_FINISH = 3, /* vectors are certified: embedding */
    CAFE_STEP_WRITE = 4   /* the output is written, if one was named */
} cafe_run_step;

/* All steps that are left. A run that does not fit is refused before the first. */
CAFE_API cafe_status cafe_run_go(cafe_run *run);
/* The next step alone, for callers that report in between; *done gets it. */
CAFE_API cafe_status cafe_run_next(cafe_run *run, cafe_run_step *done);

/* ---- results --------------------------------------------------------------------------------- */

/* The course of the method. */
typedef struct cafe_run_course {
    int64_t columns;         /* of H: hubs are not among them */
    int64_t sweeps;          /* and sweeps + 1 values: */
    const double *objective; /* tr(H^T Q H), or the loss of a method that has another aim */
    int32_t is_loss, converged;
    double off_diagonal; /* the objective at the end without the diagonal of Q; NAN: a loss */
    const cafe_finding *findings; /* "communities" and such */
    int64_t finding_count;
} cafe_run_course;
/* How several processes divided the work, after the finish step. */
typedef struct cafe_run_division {
    int32_t ranks;           /* processes; 1: all else is 0 */
    int32_t sampled;         /* every process has made the whole sampled graph, */
    int32_t hubs;            /* and the whole hub part */
    int32_t whole;           /* nodes are not divided: every process has all of them, */
    int32_t shared;          /* and they share the search for moves */
    double cut;              /* share of the edges whose ends lie with two processes */
    int64_t ghost_rows;      /* copies of rows of other processes */
    int64_t sweeps;          /* in which rows were sent, */
    int64_t bytes_per_sweep; /* and so many bytes by all processes */
} cafe_run_division;

/* Of a run that started from communities. A community keeps the number of the start's community
 * that it continues: the one with which it shares most nodes, if these are most of either. Other
 * communities get numbers above. */
typedef struct cafe_run_changes {
    const cafe_transition_report *communities; /* before: those of the start by number; after: those
                                                * that the run numbers by size */
    const int32_t *before;                     /* number of each community of the start, */
    const int32_t *number;                     /* and of each one found */
    const int32_t *partition; /* of the nodes, by these numbers: what the run writes */
    int64_t kept, moved;      /* nodes whose number is the same, or another */
    int64_t added;            /* nodes without a community at the start */
    int64_t born, died; /* communities found that are no part of an old one; old ones of which none
                           found is a part */
} cafe_run_changes;
/* Of a run with trials: the same search with other seeds, and on random graphs in which every node
 * has as many neighbours. The communities of the run are those of the best trial. In another trial
 * the counterpart of a community is the one that has most of its nodes. */
typedef struct cafe_run_trials {
    int64_t count;            /* trials, and random graphs */
    int64_t best;             /* the trial with the largest modularity */
    const double *modularity; /* of each trial, */
    const double *random;     /* and of each random graph's communities */
    double mean, deviation, random_mean, random_deviation;
    /* Are there communities at all? If the graph were one of the random graphs, the modularity of
     * the first trial would have any rank among theirs with the same probability. Then p = (1 +
     * number of random graphs that reach it) / (1 + count). The value z is its distance from their
     * mean in deviations; NAN if they do not differ. The errors are standard errors. */
    double p, p_error, z, z_error;
    const float *stay;            /* of each node: share of the trials in which it is in the
                                   * counterpart of its community */
    const float *community_stay;  /* its mean over the nodes of each community */
    double stay_mean, stay_least; /* of the nodes; the mean is of those with edges */
    int64_t pair_count;
    const int32_t *pairs;     /* 2 a pair: communities with edges between them */
    const float *merged;      /* of each pair: share of the trials with one counterpart for both */
    const int32_t *consensus; /* of the nodes: the partition that agrees with the trials on most
                               * pairs of nodes, found by moves */
    int64_t consensus_communities;
    double consensus_modularity;
} cafe_run_trials;

/* A row of a profile of resolutions. Similarities are adjusted Rand indices: 1 for the same
 * partitions, 0 on average for unrelated ones. */
typedef struct cafe_run_resolution {
    double resolution;
    int64_t communities; /* of the best search, */
    double modularity;   /* and its modularity at this resolution */
    double seeds;        /* mean similarity of searches with other seeds */
    double next;         /* of the best partitions here and at the next resolution; NAN: the last */
    int32_t plateau;     /* number of the row of stable resolutions, from 1; 0: in none. All
                          * similarities in a plateau are at least 0.95. */
} cafe_run_resolution;

/* All that a run has so far; valid until the next call on the run, the objects as long as the run.
 */
typedef struct cafe_run_results {
    const cafe_method *method;
    const cafe_method_options *options; /* of the method, for calls that take such options */
    const cafe_model *model;            /* after the sample step; NULL before */
    const cafe_sampled *sampled;        /* its sampled graph, */
    const cafe_operator *op;            /* and Q of it */
    const cafe_run_course *course;
    const cafe_run_division *division;
    const cafe_run_changes *changes; /* after the solve step; NULL: no communities were given */
    const cafe_layers *layers;       /* finest first; NULL: the method builds none */
    cafe_clustering *clustering;     /* after the solve step of a run for communities */
    const cafe_embedding *embedding; /* after the finish step of a run for vectors */
    const cafe_checkpoint_info *checkpoint; /* NULL: none is kept */
    const double
        *seconds; /* of each step by its number; [CAFE_STEP_NONE]: until the graph was there */
    const cafe_run_trials *trials; /* after the solve step; NULL: none were asked for */
    int64_t profile_count;         /* likewise; 0: none was asked for */
    const cafe_run_resolution *profile;
    const cafe_feature_report *features; /* after the sample step; NULL: there are none */
} cafe_run_results;

CAFE_API const cafe_run_results *cafe_run_get(cafe_run *run);
/* H, row-major nodes x course.columns; after the solve step and before the next. */
CAFE_API cafe_status cafe_run_rows(const cafe_run *run, float *rows);
/* Of a run with labels: best[nodes] gets the class with the largest part of the node's row, and
 * probability[nodes] (may be NULL) that part. A node that no label reaches gets -1 and 0. After the
 * solve step and, for vectors, before the next. */
CAFE_API cafe_status cafe_run_predict(cafe_run *run, int32_t *best, float *probability);

/* What a user should know of the run so far, one sentence each; NULL behind the last. */
CAFE_API const char *cafe_run_warning(const cafe_run *run, int64_t i);

/* Members of a report: the graph, method and options, forecast, course, certificate or communities,
 * warnings, checkpoint, seconds, memory. dry: the forecast alone. docs/report.md describes them. */
CAFE_API void cafe_run_report(const cafe_run *run, int32_t dry, cafe_report *report);

#ifdef __cplusplus
}
#endif
#endif
