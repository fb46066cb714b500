/* cafe recommend: what was asked for, what came out, and how it is written. */
#ifndef CAFE_CLI_RECOMMEND_H
#define CAFE_CLI_RECOMMEND_H

#include "run.h"

enum { RECOMMEND_SCORES = 3 }; /* compared by --evaluate: the one asked for, and two to beat */

typedef struct recommend_job {
    cli_run run;
    const char *node, *nodes_file, *embedding, *evaluate;
    bool all, new_only;
    int32_t count, score_by, sides, columns_asked;
    cafe_decoder_options decoder;
    const char **names; /* of nodes on the command line */
    int names_count;
    double share; /* of the links to hide; 0: no evaluation */
    cafe_recommend_options options;
    int32_t bipartite;
    int64_t side_nodes[2];
    int64_t queries;
    int32_t *query;
    cafe_split split;
    int64_t columns;
    float *vectors;   /* NULL unless the score is the product */
    int32_t *node_of; /* queries x count */
    double *score;
    int rows; /* of the evaluation */
    int32_t compared[RECOMMEND_SCORES];
    cafe_quality quality[RECOMMEND_SCORES];
} recommend_job;

/* The lists, or the table of the evaluation; and the report. */
int recommend_put(FILE *file, const void *job);
void recommend_put_report(cafe_report *report, const void *job);

#endif
