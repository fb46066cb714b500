/* Inside the prediction of edges: columns that describe a pair of nodes. */
#ifndef CAFE_PREDICT_LINKS_H
#define CAFE_PREDICT_LINKS_H

#include <cafe/predict.h>

#include "base/context.h"

enum { LINK_COLUMNS = 6 };

/* What the columns of pairs of one graph are made from. */
typedef struct link_scorer {
    cafe_context *context;
    const cafe_graph *graph;
    int64_t columns;
    float *x;       /* n x columns: vectors, rows of length 1 */
    float *length;  /* n: log of the length of each row before */
    float *degree;  /* n */
    int64_t *steps; /* n: edges on paths of two edges from the node */
    double unit;    /* mean weight of an edge */
} link_scorer;

/* Makes vectors of the graph, which must outlive the scorer. */
cafe_status cafe_link_scorer_new(cafe_context *context, const cafe_graph *graph,
                                 link_scorer *scorer);
void cafe_link_scorer_free(link_scorer *scorer);

/* x[count * LINK_COLUMNS] of the pairs. */
cafe_status cafe_link_scorer_fill(cafe_context *context, const link_scorer *scorer, int64_t count,
                                  const int32_t *source, const int32_t *target, float *x);

#endif
