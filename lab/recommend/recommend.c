/* Exact top-k search: blocks of queries times tiles of nodes, a heap for each query.
 *
 * A tile of vectors stays in the cache while all queries of the block are multiplied with it. Each
 * query is one task's alone and the order of its heap is total: the same result for any threads.
 */
#include "recommend/recommend.h"

#include <stddef.h>

#include "base/memory.h"
#include "base/option.h"
#include "base/thread_pool.h"

enum { QUERIES = 8, TILE = 256 };

/* ---- options --------------------------------------------------------------------------------- */

static const cafe_option recommend_options[] = {
    {"top", "K", CAFE_OPTION_INTEGER, offsetof(cafe_recommend_options, top), 10, 1, 1e6, NULL,
     "nodes to recommend to each node"},
    {"score", "NAME", CAFE_OPTION_CHOICE, offsetof(cafe_recommend_options, score), CAFE_SCORE_AUTO,
     0, 4, "product|covariance|common|popularity|auto",
     "the score: product of the vectors, covariance q(u,w), common neighbours, popularity (share "
     "of all edges); auto takes the one that finds most of a hidden tenth of the edges"},
    {"linked", NULL, CAFE_OPTION_SWITCH | CAFE_OPTION_TUNE,
     offsetof(cafe_recommend_options, linked), 0, 0, 1, NULL,
     "recommend nodes that are linked already, too"},
    {"sides", NULL, CAFE_OPTION_SWITCH | CAFE_OPTION_TUNE, offsetof(cafe_recommend_options, sides),
     1, 0, 1, NULL, "of a bipartite graph recommend only nodes of the other side"},
};

CAFE_OPTION_TABLE(recommend, "recommend", "the nodes whose score with a node is largest",
                  recommend_options)

/* ---- the search ------------------------------------------------------------------------------ */

typedef struct search {
    cafe_scorer scorer;
    const cafe_recommend_options *options;
    int64_t queries, block; /* all of them; of one task */
    const int32_t *query;
    int32_t *node;
    double *score;
    double *tile;      /* TILE scores a worker */
    cafe_scored *heap; /* block * count a worker */
} search;

/* One query of a block: its heap, and the first of its edges not yet passed. */
typedef struct seeker {
    int64_t u, link;
    cafe_top top;
} seeker;

/* The nodes of a tile that may be recommended go into the heap. Rows are sorted, so that edges are
 * met in the order of the nodes. */
static void offer_tile(const search *job, seeker *k, int64_t first, int64_t last,
                       const double *scores) {
    const cafe_sampled *s = job->scorer.sampled;
    for (int64_t w = first; w < last; w++) {
        bool linked = k->link < s->offsets[k->u + 1] && s->targets[k->link] == w;
        k->link += linked;
        if ((linked && !job->options->linked) || !cafe_scorer_allows(&job->scorer, k->u, w))
            continue;
        cafe_top_offer(&k->top, (cafe_scored){scores[w - first], (int32_t)w});
    }
}

static void put_result(const search *job, seeker *k, int64_t place) {
    int64_t count = job->options->top;
    cafe_top_sort(&k->top);
    for (int64_t i = 0; i < count; i++) {
        bool there = i < k->top.count;
        job->node[place * count + i] = there ? k->top.at[i].node : -1;
        job->score[place * count + i] = there ? k->top.at[i].score : 0;
    }
}

static void search_block(void *argument, int64_t task, int32_t worker) {
    const search *job = argument;
    int64_t begin = task * job->block, end = cafe_block_end(job->queries, job->block, task);
    int64_t n = job->scorer.n, room = job->options->top < n ? job->options->top : n;
    double *tile = job->tile + (int64_t)worker * TILE;
    seeker seekers[QUERIES];
    for (int64_t i = begin; i < end; i++) {
        int64_t u = job->query[i];
        cafe_scored *heap = job->heap + (worker * job->block + i - begin) * room;
        seekers[i - begin] = (seeker){u, job->scorer.sampled->offsets[u], {heap, 0, room}};
        cafe_scorer_prepare(&job->scorer, u, worker);
    }
    for (int64_t first = 0; first < n; first += TILE) {
        int64_t last = first + TILE < n ? first + TILE : n;
        for (int64_t i = 0; i < end - begin; i++) {
            cafe_scorer_fill(&job->scorer, seekers[i].u, worker, first, last, tile);
            offer_tile(job, &seekers[i], first, last, tile);
        }
    }
    for (int64_t i = begin; i < end; i++) put_result(job, &seekers[i - begin], i);
}

cafe_status cafe_queries_check(cafe_context *context, int64_t n, int64_t queries,
                               const int32_t *query) {
    for (int64_t i = 0; i < queries; i++)
        if (query[i] < 0 || query[i] >= n)
            return cafe_fail(context, CAFE_ERROR_ARGUMENT, "node %d of %lld", (int)query[i],
                             (long long)n);
    return CAFE_OK;
}

cafe_status cafe_recommend(cafe_context *context, const cafe_recommend_inputs *input,
                           const cafe_recommend_options *options, int64_t queries,
                           const int32_t *query, int32_t *node, double *score) {
    cafe_status status = CAFE_OK;
    cafe_recommend_options o;
    search job = {.options = &o, .queries = queries, .query = query, .node = node, .score = score};
    CAFE_TRY(cafe_options_take(context, &recommend_table, options, &o));
    CAFE_TRY(cafe_scorer_new(context, input, &o, &job.scorer));
    CAFE_TRY(cafe_queries_check(context, job.scorer.n, queries, query));
    /* paths are kept for one node a worker */
    job.block = o.score == CAFE_SCORE_COMMON ? 1 : QUERIES;
    int64_t room = o.top < job.scorer.n ? o.top : job.scorer.n;
    job.tile = cafe_mem(context, (int64_t)context->threads * TILE, sizeof *job.tile);
    job.heap = cafe_mem(context, context->threads * job.block * room, sizeof *job.heap);
    CAFE_TRY(cafe_mem_had(job.tile, job.heap));
    cafe_phase(context, "recommend", 0);
    status = cafe_parallel(context, cafe_blocks(queries, job.block), search_block, &job);
    cafe_phase(context, "", 0);
done:
    cafe_mem_free_all(context, job.tile, job.heap);
    if (job.scorer.context) cafe_scorer_free(&job.scorer);
    return status;
}
