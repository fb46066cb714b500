/* cafe explain: what was asked for and what was found, shared by its files. */
#ifndef CAFE_CLI_EXPLAIN_H
#define CAFE_CLI_EXPLAIN_H

#include "json.h"
#include "run.h"
#include "sampling.h"

typedef struct explain_values {
    cli_common common;
    const char *json, *nodes, *dimensions, *communities, *labels, *features;
    bool spectrum, bound;
    cli_sampling sampling;
    cafe_graph_options graph;
    cafe_explain_options explain;
    cafe_spectrum_options values;
    cafe_ceiling_options ceiling;
} explain_values;

typedef struct explain_job {
    cli_run run;
    const explain_values *values;
    const char *path, *vectors_path;
    cafe_graph *graph;
    cafe_graph_counts counts;
    cafe_sampled *sampled;
    cafe_operator *op;
    int64_t columns;
    float *vectors;
    cafe_labels *communities, *labels; /* NULL: found, none */
    int32_t *part;                     /* of the file; NULL: found */
    cafe_table *features;              /* NULL: none */
    float *feature_rows;               /* in the order of the nodes */
    int64_t *nodes, node_count;        /* whose cards are asked for */
    int64_t *shown, shown_count;       /* columns whose cards are printed */
    cafe_explanation *explanation;
    cafe_explain_report report;
    cafe_association *with_labels, *with_features; /* of each column; NULL: none */
    cafe_spectrum *spectrum;                       /* NULL: not asked for */
    cafe_spectrum_report spectrum_report;
    bool has_ceiling;
    cafe_ceiling ceiling;
    char *name; /* the last name asked for */
    size_t name_room;
} explain_job;

/* The name of a node, of a community, of an attribute; valid until the next one. */
const char *explain_node_name(explain_job *job, int64_t u);
const char *explain_community_name(explain_job *job, int32_t c);
const char *explain_feature_name(explain_job *job, int64_t i);

/* explain_text.c, explain_json.c */
int explain_print(explain_job *job);
int explain_write_json(explain_job *job);

#endif
