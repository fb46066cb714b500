/* Which of the four scores suits a graph: the one that finds most of a hidden tenth of its edges.
 */
#include <math.h>

#include "base/memory.h"
#include "base/option.h"
#include "graph/graph.h"
#include "recommend/recommend.h"

/* Nodes that are asked for their hidden edges at most: the error of the recall is below .02. */
enum { MOST_QUERIES = 1000 };
static const double hidden_share = 0.1;

typedef struct choice {
    cafe_context *context;
    const cafe_graph *graph;
    const cafe_recommend_options *options;
    cafe_split split;
    float *vectors; /* of split.training */
    int64_t columns, queries;
    int32_t *query;
    int8_t *side;
} choice;

/* mark[u] <- 1: u has a hidden edge, and is on a side that is asked for. */
static int64_t mark_nodes(const choice *c, const bool *asked, uint8_t *mark) {
    int64_t count = 0;
    for (int64_t i = 0; i < c->split.hidden; i++)
        mark[c->split.source[i]] = mark[c->split.target[i]] = 1;
    for (int64_t u = 0; u < cafe_graph_nodes(c->graph); u++) {
        mark[u] = mark[u] && (!c->side || c->side[u] < 0 || asked[c->side[u]]);
        count += mark[u];
    }
    return count;
}

/* Nodes with a hidden edge at equal distances in the order of the nodes. Of a bipartite graph those
 * of the sides of the nodes that are asked for. */
static cafe_status find_queries(choice *c, int64_t queries, const int32_t *query) {
    cafe_status status = CAFE_OK;
    int64_t n = cafe_graph_nodes(c->graph), count, seen = 0;
    int32_t bipartite = 0;
    bool asked[2] = {queries == 0, queries == 0};
    uint8_t *mark = cafe_mem_zero(c->context, n, 1);
    c->side = cafe_mem(c->context, n, sizeof *c->side);
    c->query = cafe_mem(c->context, MOST_QUERIES, sizeof *c->query);
    CAFE_TRY(cafe_mem_had(mark, c->side, c->query));
    CAFE_TRY(cafe_graph_sides(c->context, c->graph, c->side, &bipartite));
    for (int64_t i = 0; i < queries; i++)
        if (c->side[query[i]] >= 0) asked[c->side[query[i]]] = true;
    if (!bipartite || !c->options->sides) asked[0] = asked[1] = true;
    count = mark_nodes(c, asked, mark);
    for (int64_t u = 0; u < n; u++) {
        if (!mark[u]) continue;
        /* the floor of seen * most / count grows by one here: `most` of `count` nodes are taken */
        bool taken = count <= MOST_QUERIES ||
                     (seen + 1) * MOST_QUERIES / count > seen * MOST_QUERIES / count;
        if (taken) c->query[c->queries++] = (int32_t)u;
        seen++;
    }
done:
    cafe_mem_free(c->context, mark);
    return status;
}

static cafe_status compare(choice *c, double *recall, int32_t *best) {
    cafe_recommend_inputs input = {sizeof input, c->split.training, c->vectors, c->columns};
    cafe_recommend_options o = *c->options;
    cafe_quality quality;
    *best = CAFE_SCORE_PRODUCT;
    for (int32_t score = 0; score < CAFE_SCORE_AUTO; score++) {
        o.score = score;
        CAFE_PASS(cafe_recommend_quality(c->context, &input, &o, &c->split, c->queries, c->query,
                                         &quality));
        recall[score] = quality.recall;
        if (recall[score] > recall[*best]) *best = score;
    }
    return CAFE_OK;
}

cafe_status cafe_recommend_choose(cafe_context *context, const cafe_graph *graph,
                                  const cafe_decoder_options *decoder,
                                  const cafe_recommend_options *options, int64_t queries,
                                  const int32_t *query, double *recall, int32_t *score) {
    cafe_status status = CAFE_OK;
    cafe_recommend_options o;
    choice c = {.context = context, .graph = graph, .options = &o};
    for (int i = 0; i < CAFE_SCORE_AUTO; i++) recall[i] = NAN;
    *score = CAFE_SCORE_PRODUCT;
    CAFE_TRY(cafe_options_take(context, cafe_recommend_option_table(), options, &o));
    CAFE_TRY(cafe_queries_check(context, cafe_graph_nodes(graph), queries, query));
    CAFE_TRY(cafe_split_make(context, graph, hidden_share, &c.split));
    if (c.split.hidden > 0) {
        CAFE_TRY(find_queries(&c, queries, query));
        CAFE_TRY(
            cafe_decoder_vectors(context, c.split.training, NULL, decoder, &c.columns, &c.vectors));
        CAFE_TRY(compare(&c, recall, score));
    }
done:
    cafe_block_free(context, c.vectors);
    cafe_split_free(context, &c.split);
    cafe_mem_free_all(context, c.query, c.side);
    return status;
}
