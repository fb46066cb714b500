/* cafe explain: what was asked for and what was found, shared by its files. */
#ifndef CAFE_CLI_EXPLAIN_H
#define CAFE_CLI_EXPLAIN_H

#include <cafe-private/inputs.h>

#include "method.h"

typedef struct explain_job {
    cli_run run;
    const char *nodes_asked, *dimensions, *communities_path, *labels_path, *features_path;
    bool wants_spectrum, wants_bound, eigenvector;
    cli_sampling sampling;
    cafe_explain_options explain;
    cafe_spectrum_options spectrum_options;
    cafe_ceiling_options ceiling_options;
    cafe_run *of;            /* whose graph is sampled, */
    const cafe_operator *op; /* and its Q */
    int64_t columns;
    float *vectors;
    char made[CAFE_VECTORS_MADE];      /* with what; empty: not known */
    cafe_labels *communities, *labels; /* NULL: found, none */
    int32_t *part;                     /* of the file; NULL: found */
    cafe_table *features;              /* NULL: none */
    cafe_feature_file *feature_file;   /* with --feature-weight: a layer of Q */
    cafe_feature_options feature_options;
    float *feature_rows;         /* in the order of the nodes */
    int64_t *nodes, node_count;  /* whose cards are asked for */
    int64_t *shown, shown_count; /* columns whose cards are printed */
    cafe_explanation *explanation;
    cafe_explain_report report;
    cafe_association *with_labels, *with_features; /* of each column; NULL: none */
    cafe_listed *community_features;               /* `top` of each community; NULL: none */
    cafe_spectrum *spectrum;                       /* NULL: not asked for */
    cafe_spectrum_report spectrum_report;
    const cafe_layer_card *layers; /* NULL: Q has one layer */
    int64_t layer_count;
    bool has_ceiling;
    cafe_ceiling ceiling;
    cafe_bounds_options bounds_options;
    cafe_bounds *bounds; /* NULL: without --eigenvector */
} explain_job;

/* The name of a node, of a community, of an attribute; valid until the next text of the run. */
const char *explain_node_name(const explain_job *job, int64_t u);
const char *explain_community_name(const explain_job *job, int32_t c);
const char *explain_feature_name(const explain_job *job, int64_t i);

/* The cards as text. */
int explain_put(FILE *file, const void *job);
/* With --eigenvector: the whole work. */
int explain_theorem(explain_job *job);

#endif
