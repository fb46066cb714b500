/* Edges that are not there yet: pairs to learn from, a logistic regression on their columns, and
 * what held-out pairs say of it.
 *
 * Pairs with an edge are those that are hidden from the columns, or that came later. Pairs without
 * one are drawn with both ends by their number of edges, as chance would link them: what separates
 * the two kinds is more than the degrees.
 */
#include <math.h>
#include <stdlib.h>

#include <cafe/recommend.h>

#include "base/memory.h"
#include "base/random.h"
#include "evaluate/metrics.h"
#include "graph/compressed_rows.h"
#include "graph/graph.h"
#include "predict/links.h"

enum { MOST_EDGES = 10000, FOLDS = 5, ROUNDS = 50, BINS = 10 };
static const double hidden_share = 0.1;

struct cafe_link_model {
    cafe_context *context;
    const cafe_graph *graph;
    int8_t *side;       /* of a bipartite graph; NULL: all pairs may have an edge */
    link_scorer scorer; /* of the whole graph */
    int64_t count;      /* pairs to learn from */
    float *x;           /* count x LINK_COLUMNS */
    int32_t *linked;    /* count */
    int64_t *offsets;   /* 0, 1 .. count: one class a pair */
    cafe_link_figures figures;
};

/* Pairs to learn from, those with an edge first; a pair is u << 32 | w, u < w. */
typedef struct examples {
    cafe_link_model *model;
    const cafe_graph *training; /* the graph that the columns are made of */
    int64_t edges, others;
    uint64_t *edge, *other;
} examples;

static bool has_edge(const cafe_graph *g, int64_t u, int64_t w) {
    int64_t end = g->offsets[u + 1], at = cafe_row_find(g->targets, g->offsets[u], end, w);
    return at < end && g->targets[at] == w;
}

static bool may_link(const cafe_link_model *m, int64_t u, int64_t w) {
    return u != w && (!m->side || m->side[u] != m->side[w]);
}

static uint64_t pair_of(int64_t u, int64_t w) {
    return u < w ? (uint64_t)u << 32 | (uint64_t)w : (uint64_t)w << 32 | (uint64_t)u;
}

/* ---- pairs to learn from --------------------------------------------------------------------- */

/* Edges of the graph that the training graph lacks, between nodes that have edges in both. Of more
 * than MOST_EDGES every k-th is taken. */
static cafe_status list_edges(examples *e) {
    const cafe_graph *g = e->model->graph, *t = e->training;
    int64_t all = 0, seen = 0;
    e->edge = cafe_mem(e->model->context, MOST_EDGES, sizeof *e->edge);
    if (!e->edge) return CAFE_ERROR_MEMORY;
    for (int pass = 0; pass < 2; pass++)
        for (int64_t u = 0; u < g->n; u++)
            for (int64_t j = g->offsets[u]; j < g->offsets[u + 1]; j++) {
                int64_t w = g->targets[j];
                if (w <= u || t->offsets[u] == t->offsets[u + 1] ||
                    t->offsets[w] == t->offsets[w + 1] || has_edge(t, u, w))
                    continue;
                if (pass == 0) {
                    all++;
                    continue;
                }
                /* the floor of seen * most / all grows by one here: `most` of `all` are taken */
                seen++;
                if (all <= MOST_EDGES || seen * MOST_EDGES / all > (seen - 1) * MOST_EDGES / all)
                    e->edge[e->edges++] = pair_of(u, w);
            }
    return CAFE_OK;
}

static int by_pair(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static int64_t keep_different(int64_t count, uint64_t *pair) {
    int64_t kept = 0;
    qsort(pair, (size_t)count, sizeof *pair, by_pair);
    for (int64_t i = 0; i < count; i++)
        if (i == 0 || pair[i] != pair[i - 1]) pair[kept++] = pair[i];
    return kept;
}

/* As many different pairs without an edge, or fewer where such pairs are rare. The ends of random
 * arcs are nodes by their number of edges. */
static cafe_status draw_others(examples *e) {
    cafe_context *context = e->model->context;
    const cafe_graph *g = e->model->graph, *t = e->training;
    int64_t arcs = t->offsets[t->n];
    uint64_t draw = 0;
    e->other = cafe_mem(context, e->edges, sizeof *e->other);
    if (!e->other) return CAFE_ERROR_MEMORY;
    for (int round = 0; round < ROUNDS && e->others < e->edges; round++) {
        CAFE_PASS(cafe_check_cancel(context));
        for (int64_t i = 0; i < 4 * e->edges && e->others < e->edges; i++) {
            cafe_random4 r = cafe_philox(context->seed, CAFE_STREAM_PAIR, draw++);
            int64_t u = t->targets[cafe_below(r.v[0], r.v[1], (uint64_t)arcs)];
            int64_t w = t->targets[cafe_below(r.v[2], r.v[3], (uint64_t)arcs)];
            if (may_link(e->model, u, w) && !has_edge(g, u, w))
                e->other[e->others++] = pair_of(u, w);
        }
        e->others = keep_different(e->others, e->other);
    }
    return CAFE_OK;
}

/* Columns and classes of the pairs, a pair with an edge and one without in turns. */
static cafe_status describe(examples *e) {
    cafe_link_model *m = e->model;
    cafe_status status = CAFE_OK;
    link_scorer scorer = {0};
    int64_t each = e->edges < e->others ? e->edges : e->others;
    m->count = 2 * each;
    int32_t *source = cafe_mem(m->context, m->count, sizeof *source);
    int32_t *target = cafe_mem(m->context, m->count, sizeof *target);
    m->x = cafe_mem(m->context, m->count * LINK_COLUMNS, sizeof *m->x);
    m->linked = cafe_mem(m->context, m->count, sizeof *m->linked);
    m->offsets = cafe_mem(m->context, m->count + 1, sizeof *m->offsets);
    CAFE_TRY(cafe_mem_had(source, target, m->x, m->linked, m->offsets));
    for (int64_t i = 0; i <= m->count; i++) m->offsets[i] = i;
    for (int64_t i = 0; i < m->count; i++) {
        /* i / 2 of `each` is spread over all: the lists are in order */
        int64_t all = i % 2 ? e->others : e->edges, at = i / 2 * all / each;
        uint64_t pair = i % 2 ? e->other[at] : e->edge[at];
        source[i] = (int32_t)(pair >> 32);
        target[i] = (int32_t)(pair & 0xffffffffu);
        m->linked[i] = i % 2 == 0;
    }
    CAFE_TRY(cafe_link_scorer_new(m->context, e->training, &scorer));
    CAFE_TRY(cafe_link_scorer_fill(m->context, &scorer, m->count, source, target, m->x));
    m->figures.edges = m->figures.others = each;
done:
    cafe_link_scorer_free(&scorer);
    cafe_mem_free_all(m->context, source, target);
    return status;
}

static cafe_status find_examples(examples *e) {
    cafe_context *context = e->model->context;
    CAFE_PASS(list_edges(e));
    if (e->edges == 0)
        return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                         "there is no edge to learn from: without any of them the graph would fall "
                         "apart, or no edge came since between nodes that had edges");
    CAFE_PASS(draw_others(e));
    if (e->others == 0)
        return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                         "there is no pair without an edge to learn from");
    return describe(e);
}

/* ---- the logistic regression ----------------------------------------------------------------- */

/* p[test] of rows, learnt from rows with classes. */
static cafe_status estimate(cafe_context *context, int64_t train, const float *x,
                            const int32_t *linked, const int64_t *offsets, int64_t test,
                            const float *asked, double *p) {
    cafe_classifier logistic;
    double *scores = cafe_mem_zero(context, 2 * test, sizeof *scores);
    if (!scores) return CAFE_ERROR_MEMORY;
    cafe_classifier_data d = {.train = train,
                              .test = test,
                              .columns = LINK_COLUMNS,
                              .classes = 2,
                              .x_train = x,
                              .x_test = asked,
                              .offsets = offsets,
                              .value = linked};
    cafe_status status = cafe_classifier_logistic(context, NULL, &logistic);
    if (status == CAFE_OK) status = logistic.predict(logistic.self, context, &d, scores);
    for (int64_t i = 0; i < test; i++) p[i] = scores[2 * i + 1];
    cafe_mem_free(context, scores);
    return status;
}

/* ---- what held-out pairs say ----------------------------------------------------------------- */

/* Pairs i and i + 1 are in fold i / 2 mod FOLDS. Rows outside of the fold go into train, rows of
 * the fold into test; returns how many these are. */
static int64_t part_rows(const cafe_link_model *m, int64_t fold, float *train, int32_t *linked,
                         float *test) {
    int64_t held = 0, kept = 0;
    for (int64_t i = 0; i < m->count; i++) {
        bool out = i / 2 % FOLDS == fold;
        float *to = out ? test + held++ * LINK_COLUMNS : train + kept * LINK_COLUMNS;
        for (int k = 0; k < LINK_COLUMNS; k++) to[k] = m->x[i * LINK_COLUMNS + k];
        if (!out) linked[kept++] = m->linked[i];
    }
    return held;
}

static cafe_status hold_out(const cafe_link_model *m, double *p) {
    cafe_context *context = m->context;
    cafe_status status = CAFE_OK;
    float *train = cafe_mem(context, m->count * LINK_COLUMNS, sizeof *train);
    float *test = cafe_mem(context, m->count * LINK_COLUMNS, sizeof *test);
    int32_t *linked = cafe_mem(context, m->count, sizeof *linked);
    double *found = cafe_mem(context, m->count, sizeof *found);
    CAFE_TRY(cafe_mem_had(train, test, linked, found));
    for (int64_t fold = 0; fold < FOLDS; fold++) {
        int64_t held = part_rows(m, fold, train, linked, test), at = 0;
        if (held == 0) continue;
        CAFE_TRY(estimate(context, m->count - held, train, linked, m->offsets, held, test, found));
        for (int64_t i = 0; i < m->count; i++)
            if (i / 2 % FOLDS == fold) p[i] = found[at++];
    }
done:
    cafe_mem_free_all(context, train, test, linked, found);
    return status;
}

static void measure(const cafe_link_model *m, const double *p, cafe_scored *items,
                    cafe_link_figures *f) {
    const double tiny = 1e-15;
    double loss = 0, gap = 0, bin[BINS] = {0};
    int64_t right = 0;
    for (int64_t i = 0; i < m->count; i++) {
        items[i] = (cafe_scored){p[i], m->linked[i]};
        right += (p[i] > .5) == m->linked[i];
        loss -= log(fmax(m->linked[i] ? p[i] : 1 - p[i], tiny));
        bin[p[i] < 1 ? (int)(p[i] * BINS) : BINS - 1] += p[i] - m->linked[i];
    }
    for (int b = 0; b < BINS; b++) gap += fabs(bin[b]);
    f->accuracy = (double)right / (double)m->count;
    f->log_loss = loss / (double)m->count;
    f->calibration_error = gap / (double)m->count;
    f->auc = cafe_roc_auc(items, m->count);
    f->average_precision = cafe_average_precision(items, m->count);
}

static cafe_status judge(cafe_link_model *m) {
    cafe_link_figures *f = &m->figures;
    cafe_status status = CAFE_OK;
    f->accuracy = f->auc = f->average_precision = f->log_loss = f->calibration_error = NAN;
    if (m->count < 4) return CAFE_OK;
    double *p = cafe_mem(m->context, m->count, sizeof *p);
    cafe_scored *items = cafe_mem(m->context, m->count, sizeof *items);
    CAFE_TRY(cafe_mem_had(p, items));
    CAFE_TRY(hold_out(m, p));
    measure(m, p, items, f);
done:
    cafe_mem_free_all(m->context, p, items);
    return status;
}

/* ---- the calls ------------------------------------------------------------------------------- */

static cafe_status find_sides(cafe_link_model *m) {
    int32_t bipartite = 0;
    m->side = cafe_mem(m->context, m->graph->n, sizeof *m->side);
    if (!m->side) return CAFE_ERROR_MEMORY;
    CAFE_PASS(cafe_graph_sides(m->context, m->graph, m->side, &bipartite));
    if (bipartite) return CAFE_OK;
    cafe_mem_free(m->context, m->side);
    m->side = NULL;
    return CAFE_OK;
}

static cafe_status learn(cafe_link_model *m, const cafe_graph *earlier) {
    cafe_status status = CAFE_OK;
    cafe_split split = {0};
    examples e = {.model = m, .training = earlier};
    CAFE_TRY(find_sides(m));
    if (!earlier) {
        CAFE_TRY(cafe_split_make(m->context, m->graph, hidden_share, &split));
        e.training = split.training;
    }
    CAFE_TRY(find_examples(&e));
    cafe_split_free(m->context, &split);
    CAFE_TRY(judge(m));
    status = cafe_link_scorer_new(m->context, m->graph, &m->scorer);
done:
    cafe_split_free(m->context, &split);
    cafe_mem_free_all(m->context, e.edge, e.other);
    return status;
}

cafe_status cafe_link_model_learn(cafe_context *context, const cafe_graph *graph,
                                  const cafe_graph *earlier, cafe_link_model **model) {
    *model = NULL;
    if (!graph) return cafe_fail(context, CAFE_ERROR_ARGUMENT, "no graph");
    if (earlier && cafe_graph_nodes(earlier) != cafe_graph_nodes(graph))
        return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                         "the earlier graph has %lld nodes, the graph %lld",
                         (long long)cafe_graph_nodes(earlier), (long long)cafe_graph_nodes(graph));
    cafe_link_model *m = cafe_mem_zero(context, 1, sizeof *m);
    if (!m) return CAFE_ERROR_MEMORY;
    m->context = context;
    m->graph = graph;
    cafe_status status = learn(m, earlier);
    if (status != CAFE_OK) {
        cafe_link_model_free(m);
        return status;
    }
    *model = m;
    return CAFE_OK;
}

void cafe_link_model_free(cafe_link_model *m) {
    if (!m) return;
    cafe_link_scorer_free(&m->scorer);
    cafe_mem_free_all(m->context, m->side, m->x, m->linked, m->offsets, m);
}

const cafe_link_figures *cafe_link_model_figures(const cafe_link_model *model) {
    return &model->figures;
}

static cafe_status check_pairs(cafe_context *context, const cafe_link_model *m, int64_t count,
                               const int32_t *source, const int32_t *target) {
    for (int64_t i = 0; i < count; i++)
        if (source[i] < 0 || source[i] >= m->graph->n || target[i] < 0 || target[i] >= m->graph->n)
            return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                             "pair %lld has nodes %d and %d: expected 0 to %lld", (long long)i,
                             source[i], target[i], (long long)m->graph->n - 1);
    return CAFE_OK;
}

cafe_status cafe_link_model_predict(cafe_context *context, const cafe_link_model *model,
                                    int64_t count, const int32_t *source, const int32_t *target,
                                    double *probability) {
    const cafe_link_model *m = model;
    cafe_status status = CAFE_OK;
    CAFE_PASS(check_pairs(context, m, count, source, target));
    float *x = cafe_mem(context, count * LINK_COLUMNS, sizeof *x);
    CAFE_TRY(x ? CAFE_OK : CAFE_ERROR_MEMORY);
    CAFE_TRY(cafe_link_scorer_fill(context, &m->scorer, count, source, target, x));
    CAFE_TRY(estimate(context, m->count, m->x, m->linked, m->offsets, count, x, probability));
    for (int64_t i = 0; i < count; i++) {
        if (!may_link(m, source[i], target[i])) probability[i] = 0;
        if (source[i] != target[i] && has_edge(m->graph, source[i], target[i])) probability[i] = 1;
    }
done:
    cafe_mem_free(context, x);
    return status;
}
