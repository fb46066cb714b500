/* Nodes between communities, and nodes unlike their neighbours: one pass over the edges for each.
 */
#include "overview/surroundings.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/thread_pool.h"

enum { FEWEST = 3, BLOCK = 1024 };

typedef struct search {
    cafe_context *context;
    const cafe_layer *layer;
    const cafe_labels *labels;
    int64_t n, columns;
    const float *vectors;
    const int64_t *offsets;
    const int32_t *targets;
    const float *weights;
    double total;
    double *length; /* of each row of the vectors */
    double *score;  /* of each node */
    double *sum;    /* of each kind, 0 between two nodes */
    int32_t *kinds; /* kinds with a sum */
    int64_t count;
} search;

static double weight_at(const search *s, int64_t at) {
    return s->weights ? (double)s->weights[at] : 1;
}

/* ---- sums by kind ---------------------------------------------------------------------------- */

static void add(search *s, int32_t kind, double weight) {
    if (s->sum[kind] == 0) s->kinds[s->count++] = kind;
    s->sum[kind] += weight;
}

/* The kind with the largest sum but for one; equal ones: the smaller. -1: none. */
static int32_t largest_but(const search *s, int32_t without) {
    int32_t best = -1;
    for (int64_t i = 0; i < s->count; i++) {
        int32_t k = s->kinds[i];
        if (k == without) continue;
        if (best < 0 || s->sum[k] > s->sum[best] || (s->sum[k] == s->sum[best] && k < best))
            best = k;
    }
    return best;
}

static void clear(search *s) {
    for (int64_t i = 0; i < s->count; i++) s->sum[s->kinds[i]] = 0;
    s->count = 0;
}

/* ---- bridging -------------------------------------------------------------------------------- */

static cafe_bridge bridge_of(search *s, int64_t u) {
    const int32_t *part = s->layer->partition;
    double all = 0, squares = 0;
    for (int64_t e = s->offsets[u]; e < s->offsets[u + 1]; e++) {
        if (s->targets[e] == u) continue;
        add(s, part[s->targets[e]], weight_at(s, e));
        all += weight_at(s, e);
    }
    cafe_bridge b = {.node = (int32_t)u, .other = -1};
    for (int64_t i = 0; i < s->count && all > 0; i++) {
        double share = s->sum[s->kinds[i]] / all;
        squares += share * share;
    }
    if (all > 0) {
        b.score = all / s->total * (1 - squares);
        b.own = s->sum[part[u]] / all;
        b.other = largest_but(s, part[u]);
        b.next = b.other >= 0 ? s->sum[b.other] / all : 0;
    }
    clear(s);
    return b;
}

static int64_t take_top(const search *s, cafe_scored list[CAFE_AROUND]) {
    cafe_top top = {list, 0, CAFE_AROUND};
    for (int64_t u = 0; u < s->n; u++)
        if (s->score[u] > 0) cafe_top_offer(&top, (cafe_scored){s->score[u], (int32_t)u});
    cafe_top_sort(&top);
    return top.count;
}

static void find_bridges(search *s, cafe_surroundings *found) {
    cafe_scored list[CAFE_AROUND];
    for (int64_t u = 0; u < s->n; u++) s->score[u] = bridge_of(s, u).score;
    found->bridges = take_top(s, list);
    for (int64_t i = 0; i < found->bridges; i++) found->bridge[i] = bridge_of(s, list[i].node);
}

/* ---- labels of neighbours -------------------------------------------------------------------- */

static int32_t label_of(const search *s, int64_t u) {
    const int32_t *classes;
    return cafe_labels_of(s->labels, u, &classes) > 0 ? classes[0] : -1;
}

static cafe_odd label_odd(search *s, int64_t u) {
    cafe_odd o = {.node = (int32_t)u, .label = label_of(s, u), .other = -1};
    for (int64_t e = s->offsets[u]; o.label >= 0 && e < s->offsets[u + 1]; e++) {
        int32_t label = s->targets[e] == u ? -1 : label_of(s, s->targets[e]);
        if (label < 0) continue;
        add(s, label, 1);
        o.count++;
    }
    o.other = o.label >= 0 ? largest_but(s, o.label) : -1;
    if (o.label >= 0) o.same = (int64_t)s->sum[o.label];
    if (o.other >= 0) o.most = (int64_t)s->sum[o.other];
    clear(s);
    return o;
}

/* (most - same) / (count + 2): few neighbours say little. */
static double label_score(const cafe_odd *o) {
    return o->count < FEWEST ? 0 : (double)(o->most - o->same) / (double)(o->count + 2);
}

/* ---- vectors of neighbours ------------------------------------------------------------------- */

static const float *row_of(const search *s, int64_t u) {
    return s->vectors + u * s->columns;
}

static double product(const search *s, int64_t u, int64_t w) {
    const float *x = row_of(s, u), *y = row_of(s, w);
    double sum = 0;
    for (int64_t j = 0; j < s->columns; j++) sum += (double)x[j] * (double)y[j];
    return sum;
}

static void take_lengths(void *argument, int64_t first, int64_t last) {
    search *s = argument;
    for (int64_t u = first; u < last; u++) s->length[u] = sqrt(product(s, u, u));
}

/* Mean cosine by the weights; 1 with too few neighbours. */
static double agreement_of(const search *s, int64_t u) {
    double sum = 0, all = 0;
    int64_t count = 0;
    for (int64_t e = s->offsets[u]; e < s->offsets[u + 1]; e++) {
        int64_t w = s->targets[e];
        double lengths = s->length[u] * s->length[w];
        if (w == u || !(lengths > 0)) continue;
        sum += weight_at(s, e) * product(s, u, w) / lengths;
        all += weight_at(s, e);
        count++;
    }
    return count < FEWEST || !(all > 0) ? 1 : sum / all;
}

static void take_agreements(void *argument, int64_t first, int64_t last) {
    search *s = argument;
    for (int64_t u = first; u < last; u++) s->score[u] = 1 - agreement_of(s, u);
}

/* ---- odd nodes ------------------------------------------------------------------------------- */

static cafe_status find_odd(search *s, cafe_surroundings *found) {
    cafe_scored list[CAFE_AROUND];
    if (s->labels) {
        for (int64_t u = 0; u < s->n; u++) {
            cafe_odd o = label_odd(s, u);
            s->score[u] = label_score(&o);
        }
    } else {
        CAFE_PASS(cafe_ranges(s->context, s->n, BLOCK, take_lengths, s));
        CAFE_PASS(cafe_ranges(s->context, s->n, BLOCK, take_agreements, s));
    }
    found->odds = take_top(s, list);
    for (int64_t i = 0; i < found->odds; i++)
        found->odd[i] = s->labels ? label_odd(s, list[i].node)
                                  : (cafe_odd){.node = list[i].node,
                                               .label = -1,
                                               .other = -1,
                                               .agreement = 1 - s->score[list[i].node]};
    return CAFE_OK;
}

cafe_status cafe_surroundings_find(cafe_context *context, const cafe_graph *graph,
                                   const cafe_layer *layer, const cafe_labels *labels,
                                   int64_t columns, const float *vectors,
                                   cafe_surroundings *found) {
    search s = {.context = context,
                .layer = layer,
                .labels = labels,
                .n = cafe_graph_nodes(graph),
                .columns = columns,
                .vectors = vectors,
                .total = cafe_graph_get_counts(graph)->total_weight};
    int64_t kinds = labels ? cafe_labels_classes(labels) : 0;
    cafe_status status = CAFE_OK;
    if (layer->communities > kinds) kinds = layer->communities;
    memset(found, 0, sizeof *found);
    cafe_graph_csr(graph, &s.offsets, &s.targets, &s.weights);
    s.length = cafe_mem(context, s.n, sizeof *s.length);
    s.score = cafe_mem(context, s.n, sizeof *s.score);
    s.sum = cafe_mem_zero(context, kinds + 1, sizeof *s.sum);
    s.kinds = cafe_mem(context, kinds + 1, sizeof *s.kinds);
    CAFE_TRY(cafe_mem_had(s.length, s.score, s.sum, s.kinds));
    find_bridges(&s, found);
    CAFE_TRY(find_odd(&s, found));
done:
    cafe_mem_free_all(context, s.length, s.score, s.sum, s.kinds);
    return status;
}
