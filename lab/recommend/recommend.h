/* Scores of one node with a range of others, and the nodes that may be recommended. */
#ifndef CAFE_RECOMMEND_RECOMMEND_H
#define CAFE_RECOMMEND_RECOMMEND_H

#include <stdbool.h>

#include <cafe/recommend.h>

#include "kernels/row_kernels.h"
#include "rank/top_list.h"
#include "sample/sampled_graph.h"

typedef struct cafe_scorer {
    cafe_context *context;
    const cafe_kernels *kernels;
    cafe_score score;
    cafe_sampled *sampled;
    int64_t n, stride;
    const float *x; /* padded vectors; NULL unless the score is the product */
    float *copy;    /* the memory of x, or NULL: the caller's */
    int8_t *side;   /* NULL: every node may be recommended to every other */
    double *paths;  /* n for each worker, for common neighbours, else NULL */
    double unit;    /* of a path's product of weights */
} cafe_scorer;

cafe_status cafe_scorer_new(cafe_context *context, const cafe_recommend_inputs *input,
                            const cafe_recommend_options *options, cafe_scorer *scorer);
void cafe_scorer_free(cafe_scorer *scorer);

/* Prepares the scores of u for this worker, until the worker prepares another node. */
void cafe_scorer_prepare(const cafe_scorer *scorer, int64_t u, int32_t worker);

/* out[w - first] = score of (u,w) for w in first .. last-1 */
void cafe_scorer_fill(const cafe_scorer *scorer, int64_t u, int32_t worker, int64_t first,
                      int64_t last, double *out);

/* May w be recommended to u, edges aside? */
static inline bool cafe_scorer_allows(const cafe_scorer *s, int64_t u, int64_t w) {
    if (w == u || s->sampled->offsets[w] == s->sampled->offsets[w + 1]) return false;
    return !s->side || s->side[w] != s->side[u];
}

/* Every query a node of the graph? */
cafe_status cafe_queries_check(cafe_context *context, int64_t n, int64_t queries,
                               const int32_t *query);

#endif
