/* Recall, reciprocal rank and AUC of hidden edges, exactly: every node that could be recommended is
 * compared with them.
 *
 * For one query the hidden edges are sorted by score; each other candidate is placed among them by
 * a binary search. So a hidden edge's place, and how many pairs (hidden, other) are in the right
 * order, take n log h steps. Figures of queries are added up in their order.
 */
#include <string.h>

#include "base/memory.h"
#include "base/option.h"
#include "base/thread_pool.h"
#include "recommend/recommend.h"

/* The hidden edges of each node: at[start[u]] .. at[start[u+1]), ascending within a node or not. */
typedef struct hidden {
    int64_t *start;
    int32_t *at;
    int64_t most; /* of any node */
} hidden;

typedef struct measure {
    cafe_scorer scorer;
    int64_t count; /* k */
    int64_t queries;
    const int32_t *query;
    hidden hidden;
    double *row;          /* n scores a worker */
    uint8_t *mark;        /* n a worker: 1 linked in training, 2 hidden; 0 between queries */
    cafe_scored *wanted;  /* hidden.most for each worker, and the numbers of others before each */
    int64_t *before;      /* hidden.most + 1 a worker */
    cafe_quality *result; /* of each query */
} measure;

static cafe_status list_hidden(cafe_context *context, int64_t n, const cafe_split *split,
                               hidden *h) {
    h->start = cafe_mem_zero(context, n + 2, sizeof *h->start);
    h->at = cafe_mem(context, 2 * split->hidden, sizeof *h->at);
    if (!h->start || !h->at) return CAFE_ERROR_MEMORY;
    for (int64_t i = 0; i < split->hidden; i++) {
        h->start[split->source[i] + 2]++;
        h->start[split->target[i] + 2]++;
    }
    for (int64_t u = 0; u < n; u++) {
        if (h->start[u + 2] > h->most) h->most = h->start[u + 2];
        h->start[u + 2] += h->start[u + 1];
    }
    for (int64_t i = 0; i < split->hidden; i++) {
        h->at[h->start[split->source[i] + 1]++] = split->target[i];
        h->at[h->start[split->target[i] + 1]++] = split->source[i];
    }
    return CAFE_OK;
}

/* How many of the sorted items come before `item`; with `ties` how many have a larger score. */
static int64_t place(const cafe_scored *sorted, int64_t count, cafe_scored item, bool ties) {
    int64_t low = 0, high = count;
    while (low < high) {
        int64_t middle = (low + high) / 2;
        bool earlier = ties ? sorted[middle].score > item.score : cafe_before(sorted[middle], item);
        if (earlier)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* How many items have a score of at least that. */
static int64_t place_behind(const cafe_scored *sorted, int64_t count, double score) {
    return place(sorted, count, (cafe_scored){score, INT32_MAX}, false);
}

static void mark_links(const measure *m, int64_t u, uint8_t linked, uint8_t asked, uint8_t *mark) {
    const cafe_sampled *s = m->scorer.sampled;
    for (int64_t j = s->offsets[u]; j < s->offsets[u + 1]; j++) mark[s->targets[j]] = linked;
    for (int64_t j = m->hidden.start[u]; j < m->hidden.start[u + 1]; j++)
        mark[m->hidden.at[j]] = asked;
}

/* Computes the figures from the sorted hidden edges and, for each, the number of others right
 * before it. */
static cafe_quality judge(int64_t count, int64_t k, const int64_t *before) {
    cafe_quality q = {.nodes = 1};
    int64_t others = 0, found = 0;
    for (int64_t i = 0; i < count; i++) {
        others += before[i];
        found += i + others < k;
        if (i == 0) q.mrr = 1 / (double)(1 + others);
    }
    q.recall = (double)found / (double)count;
    q.hit = found > 0;
    return q;
}

static void measure_query(void *argument, int64_t task, int32_t worker) {
    const measure *m = argument;
    int64_t u = m->query[task], n = m->scorer.n, others = 0;
    int64_t count = m->hidden.start[u + 1] - m->hidden.start[u];
    double *row = m->row + worker * n, right = 0;
    uint8_t *mark = m->mark + worker * n;
    cafe_top wanted = {m->wanted + worker * m->hidden.most, 0, count};
    int64_t *before = m->before + worker * (m->hidden.most + 1);
    m->result[task] = (cafe_quality){0};
    if (count == 0) return;
    cafe_scorer_prepare(&m->scorer, u, worker);
    cafe_scorer_fill(&m->scorer, u, worker, 0, n, row);
    mark_links(m, u, 1, 2, mark);
    for (int64_t j = m->hidden.start[u]; j < m->hidden.start[u + 1]; j++)
        cafe_top_offer(&wanted, (cafe_scored){row[m->hidden.at[j]], m->hidden.at[j]});
    cafe_top_sort(&wanted);
    memset(before, 0, (size_t)(count + 1) * sizeof *before);
    for (int64_t w = 0; w < n; w++) {
        if (mark[w] || !cafe_scorer_allows(&m->scorer, u, w)) continue;
        cafe_scored item = {row[w], (int32_t)w};
        int64_t larger = place(wanted.at, count, item, true);
        before[place(wanted.at, count, item, false)]++;
        /* a tie is half right */
        right += (double)(larger + place_behind(wanted.at, count, row[w])) / 2;
        others++;
    }
    m->result[task] = judge(count, m->count, before);
    m->result[task].auc = others > 0 ? right / (double)count / (double)others : 1;
    mark_links(m, u, 0, 0, mark);
}

static void add_up(const measure *m, cafe_quality *quality) {
    cafe_quality q = {0};
    for (int64_t i = 0; i < m->queries; i++) {
        const cafe_quality *one = &m->result[i];
        q.nodes += one->nodes;
        q.recall += one->recall, q.hit += one->hit, q.mrr += one->mrr, q.auc += one->auc;
    }
    double nodes = q.nodes > 0 ? (double)q.nodes : 1;
    *quality =
        (cafe_quality){q.nodes, q.recall / nodes, q.hit / nodes, q.mrr / nodes, q.auc / nodes};
}

static cafe_status reserve(cafe_context *context, measure *m) {
    int64_t threads = context->threads, n = m->scorer.n;
    m->row = cafe_mem(context, threads * n, sizeof *m->row);
    m->mark = cafe_mem_zero(context, threads * n, sizeof *m->mark);
    m->wanted = cafe_mem(context, threads * m->hidden.most, sizeof *m->wanted);
    m->before = cafe_mem(context, threads * (m->hidden.most + 1), sizeof *m->before);
    m->result = cafe_mem(context, m->queries, sizeof *m->result);
    return cafe_mem_had(m->row, m->mark, m->wanted, m->before, m->result);
}

static void free_measure(cafe_context *context, measure *m) {
    cafe_mem_free_all(context, m->hidden.start, m->hidden.at, m->row, m->mark, m->wanted, m->before,
                      m->result);
    if (m->scorer.context) cafe_scorer_free(&m->scorer);
}

cafe_status cafe_recommend_quality_sized(cafe_context *context, const cafe_recommend_inputs *input,
                                         const cafe_recommend_options *options,
                                         const cafe_split *split, int64_t queries,
                                         const int32_t *query, cafe_quality *quality, size_t size) {
    cafe_status status = CAFE_OK;
    cafe_quality found = {0};
    cafe_recommend_options o;
    measure m = {.queries = queries, .query = query};
    int64_t n;
    CAFE_TRY(cafe_options_take(context, cafe_recommend_option_table(), options, &o));
    m.count = o.top;
    CAFE_TRY(cafe_scorer_new(context, input, &o, &m.scorer));
    n = m.scorer.n;
    CAFE_TRY(cafe_queries_check(context, n, queries, query));
    CAFE_TRY(cafe_queries_check(context, n, split->hidden, split->source));
    CAFE_TRY(cafe_queries_check(context, n, split->hidden, split->target));
    CAFE_TRY(list_hidden(context, n, split, &m.hidden));
    CAFE_TRY(reserve(context, &m));
    cafe_phase(context, "evaluate", 0);
    status = cafe_parallel(context, queries, measure_query, &m);
    cafe_phase(context, "", 0);
    if (status == CAFE_OK) add_up(&m, &found);
    cafe_struct_give(&found, sizeof found, quality, size);
done:
    free_measure(context, &m);
    return status;
}
