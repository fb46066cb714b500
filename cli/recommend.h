/* cafe recommend: what was asked for, what came out, and how it is written. */
#ifndef CAFE_CLI_RECOMMEND_H
#define CAFE_CLI_RECOMMEND_H

#include "run.h"

typedef struct recommend_values {
    cli_common common;
    const char *output, *json, *node, *nodes_file, *embedding, *evaluate;
    bool all, new_only;
    int32_t count, score, sides, columns;
    cafe_graph_options graph;
    cafe_decoder_options decoder;
} recommend_values;

enum { RECOMMEND_SCORES = 3 }; /* compared by --evaluate: the one asked for, and two to beat */

typedef struct recommend_job {
    cli_run run;
    const recommend_values *values;
    const char *path;
    const char **names; /* of nodes on the command line */
    int names_count;
    double share; /* of the links to hide; 0: no evaluation */
    cafe_recommend_options options;
    cafe_graph *graph;
    cafe_graph_counts counts;
    int32_t bipartite;
    int64_t side_nodes[2];
    int64_t queries;
    int32_t *query;
    cafe_split split;
    int64_t columns;
    float *vectors; /* NULL unless the score is the product */
    int32_t *node;  /* queries x count */
    double *score;
    int rows; /* of the evaluation */
    int32_t compared[RECOMMEND_SCORES];
    cafe_quality quality[RECOMMEND_SCORES];
} recommend_job;

extern const char *const recommend_scores[]; /* names, by cafe_score */

/* The lists, or the table of the evaluation, to the output or standard output; then the report. */
int recommend_write(recommend_job *job);
int recommend_write_report(recommend_job *job);

#endif
