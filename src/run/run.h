/* A run inside the library. */
#ifndef CAFE_RUN_RUN_H
#define CAFE_RUN_RUN_H

#include <cafe/run.h>

#include "base/context.h"
#include "base/option.h"
#include "explain/partition_bound.h"
#include "graph/pooling.h"
#include "method/method.h"
#include "run/certainty.h"

/* The option tables of a run: the method's own, its sampling's, the finish's, the propagation's,
 * the forecast's for several processes, the trials', the features'. */
enum {
    RUN_OWN,
    RUN_SAMPLE,
    RUN_FINISH,
    RUN_PROPAGATE,
    RUN_RANKS,
    RUN_TRIALS,
    RUN_FEATURES,
    RUN_TABLES,
    RUN_MOST_OPTIONS = 64
};

/* A table, its struct, and which of its options were set. */
typedef struct run_table {
    const cafe_option_table *table; /* NULL: this run has no such step */
    void *values;
    bool given[RUN_MOST_OPTIONS];
} run_table;

/* A start of communities, and what became of them: steadiness.c. */
typedef struct run_steady {
    int32_t *before; /* numbers of the start's communities, ascending, */
    int64_t count;   /* so many, */
    int32_t *dense;  /* and the start with their indices */
    cafe_transition *transition;
    uint8_t *continued; /* of each of the start: one found has its number */
    int32_t *number, *partition;
    cafe_run_changes changes; /* partition NULL: not yet */
} run_steady;

struct cafe_run {
    cafe_context *context;
    cafe_purpose purpose;
    const cafe_method *method;
    /* options */
    run_table tables[RUN_TABLES];
    cafe_sample_options sample;
    cafe_finish_options finish;
    cafe_propagate_options propagation;
    cafe_ranks_options ranks;
    cafe_trials_options trials_options;
    cafe_feature_options features;
    int32_t partitioner; /* cafe_partitioner */
    bool propagate, bound_asked;
    char *bound_file;            /* for the multipliers; NULL: none */
    cafe_method_options options; /* of all of these; complete once they were checked */
    void *settled;               /* the method's own as it takes them */
    bool is_settled;
    /* what it works on */
    const cafe_graph *graph;
    char *path;
    const cafe_graph_options *reading; /* the caller's; NULL: the defaults */
    cafe_graph_counts counts;
    bool sized; /* there are counts */
    cafe_run_inputs given;
    run_steady steady;
    run_trials trials;
    int64_t profile_count;
    cafe_run_resolution *profile;
    cafe_method_inputs inputs;
    cafe_sample_inputs sample_inputs;
    /* outputs and limits */
    char *output, *folder;
    int32_t overwrite;
    int64_t limit;
    struct cafe_checkpoint *checkpoint; /* solve/checkpoint.h; NULL: none is kept */
    cafe_run_forecast forecast;
    bool planned;
    /* the steps and what they leave */
    cafe_run_step step;
    const cafe_run *from; /* where a sampled graph may come from; NULL: nowhere */
    cafe_model *model;
    bool borrowed; /* the model is another run's */
    cafe_solution *solution;
    cafe_embedding *embedding;
    cafe_clustering *clustering;
    cafe_partition_bound bound;
    bool has_bound;
    cafe_layers *layers; /* of vectors */
    cafe_run_course course;
    cafe_run_division division;
    double *objective;
    cafe_finding findings[CAFE_MOST_FINDINGS];
    char **warnings;
    int64_t warning_count;
    double began, seconds[CAFE_STEP_WRITE + 1];
    cafe_run_results results; /* as cafe_run_get() gave them last */
};

/* run.c: before anything is given anew; refused once the run has begun. */
cafe_status cafe_run_change(cafe_run *run);

/* run_options.c: whether the caller gave the number of columns: then fewer columns are a warning.
 */
bool cafe_run_chose_columns(const cafe_run *run);
/* cafe_run_check(), then the columns as labels, start and the number of nodes say. */
cafe_status cafe_run_settle(cafe_run *run);

bool cafe_run_is_given(const cafe_run *run, int table, const char *name);

/* ranks.c: "partition"; the forecast for processes, if one is asked for; the nodes divided after
 * the sampling; what that cost at the end; the members of the report. */
cafe_status cafe_run_set_partition(cafe_run *run, const char *text);
cafe_status cafe_run_plan_ranks(cafe_run *run);
cafe_status cafe_run_divide(cafe_run *run);
cafe_status cafe_run_measure_division(cafe_run *run);
void cafe_run_report_ranks(const cafe_run *run, int32_t dry, cafe_report *report);

/* steadiness.c: the start's communities for the method, before it; the numbers of those found,
 * after it; the member of the report. */
cafe_status cafe_run_take_start(cafe_run *run);
cafe_status cafe_run_compare_start(cafe_run *run);
/* NULL: the run started from no communities, or is not that far. */
const cafe_run_changes *cafe_run_changes_of(const cafe_run *run);
void cafe_run_report_changes(const cafe_run *run, cafe_report *report);
void cafe_run_forget_start(cafe_run *run);

/* certainty.c: what trials do not go with; the trials after the first, which keep the best; the
 * member of the report. */
cafe_status cafe_run_check_trials(cafe_run *run);
cafe_status cafe_run_try(cafe_run *run);
/* NULL: no trials were asked for, or the run is not that far. */
const cafe_run_trials *cafe_run_trials_of(const cafe_run *run);
void cafe_run_report_trials(const cafe_run *run, cafe_report *report);
void cafe_run_forget_trials(cafe_run *run);

/* resolution_profile.c: refuses what is no profile; finds it; the member of the report. */
cafe_status cafe_run_check_profile(cafe_run *run);
cafe_status cafe_run_profile(cafe_run *run);
void cafe_run_report_profile(const cafe_run *run, cafe_report *report);

/* bound.c: "bound" and "bound-file"; the bound of the communities found; its members of the report.
 */
cafe_status cafe_run_set_bound(cafe_run *run, const char *name, const char *text);
cafe_status cafe_run_find_bound(cafe_run *run);
void cafe_run_report_bound(const cafe_run *run, cafe_report *report);

/* warnings.c: adds a sentence, printf style; options in it as CAFE_OPT() has them. */
cafe_status cafe_run_warn(cafe_run *run, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The warnings about the graph, the course of the method, the communities, and the vectors. */
cafe_status cafe_run_warn_graph(cafe_run *run);
cafe_status cafe_run_warn_course(cafe_run *run);
cafe_status cafe_run_warn_sizes(cafe_run *run);
cafe_status cafe_run_warn_vectors(cafe_run *run);

#endif
