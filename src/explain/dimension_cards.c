/* Dimension cards: the ends of each column, and what goes with it.
 *
 * The correlation of a column v with the indicator of a group G of n_G among N nodes is
 *
 *     r = (mean of v over G - mean of v) / (deviation of v) * sqrt(n_G / (N - n_G))
 *
 * so one pass that adds up v over the groups gives those of all groups, communities and classes
 * alike. A task scans a cache line of columns over all nodes in their order: the same bits for any
 * number of threads.
 */
#include <math.h>

#include <cafe-private/inputs.h>

#include "base/memory.h"
#include "base/option.h"
#include "base/thread_pool.h"
#include "explain/explain.h"

/* Below this share of its mean square a column's variance is rounding. */
static const double least_variance = 1e-12;

/* ---- nodes at the ends ----------------------------------------------------------------------- */

static void ends_task(void *argument, int64_t task) {
    cafe_explanation *e = argument;
    int64_t first = task * CAFE_EXPLAIN_COLUMNS, room = e->top < e->n ? e->top : e->n;
    int64_t count[CAFE_EXPLAIN_COLUMNS][2] = {{0}};
    int64_t last = cafe_block_end(e->columns, CAFE_EXPLAIN_COLUMNS, task);
    for (int64_t u = 0; u < e->n; u++)
        for (int64_t k = first; k < last; k++) {
            double v = e->v.x[u * e->v.stride + k];
            cafe_listed_offer(e->high + k * e->top, &count[k - first][0], room,
                              (cafe_listed){(int32_t)u, v});
            cafe_listed_offer(e->low + k * e->top, &count[k - first][1], room,
                              (cafe_listed){(int32_t)u, -v});
        }
    for (int64_t k = first; k < last; k++)
        for (int64_t i = 0; i < room; i++) e->low[k * e->top + i].value *= -1;
}

/* ---- groups of nodes ------------------------------------------------------------------------- */

/* The groups of every node, from a partition or from labels, and their sums over the columns. */
typedef struct groups {
    const cafe_explanation *e;
    const int32_t *part; /* or NULL: labels */
    const cafe_labels *labels;
    int64_t count;
    double *sums;          /* count x columns: v over the nodes of the group */
    double *sizes;         /* nodes of each */
    cafe_column_sums *all; /* over the nodes that have a group */
    double nodes;          /* how many */
} groups;

static int64_t groups_of(const groups *g, int64_t u, const int32_t **list) {
    if (!g->part) return cafe_labels_of(g->labels, u, list);
    *list = g->part + u;
    return g->part[u] >= 0;
}

static void groups_task(void *argument, int64_t task) {
    groups *g = argument;
    const cafe_explanation *e = g->e;
    int64_t last = cafe_block_end(e->columns, CAFE_EXPLAIN_COLUMNS, task);
    const int32_t *list;
    for (int64_t u = 0; u < e->n; u++) {
        int64_t count = groups_of(g, u, &list);
        for (int64_t k = task * CAFE_EXPLAIN_COLUMNS; k < last && count > 0; k++) {
            double v = e->v.x[u * e->v.stride + k];
            g->all[k].sum += v;
            g->all[k].square += v * v;
            for (int64_t i = 0; i < count; i++) g->sums[list[i] * e->columns + k] += v;
        }
    }
}

static void free_groups(cafe_context *context, groups *g) {
    cafe_mem_free_all(context, g->sums, g->sizes, g->all);
}

static cafe_status add_groups(cafe_context *context, groups *g) {
    const int32_t *list;
    g->sums = cafe_mem_zero(context, g->count * g->e->columns, sizeof *g->sums);
    g->sizes = cafe_mem_zero(context, g->count, sizeof *g->sizes);
    g->all = cafe_mem_zero(context, g->e->columns, sizeof *g->all);
    if (!g->sums || !g->sizes || !g->all) return CAFE_ERROR_MEMORY;
    for (int64_t u = 0; u < g->e->n; u++) {
        int64_t count = groups_of(g, u, &list);
        g->nodes += count > 0;
        for (int64_t i = 0; i < count; i++) g->sizes[list[i]]++;
    }
    return cafe_each(context, cafe_blocks(g->e->columns, CAFE_EXPLAIN_COLUMNS), groups_task, g);
}

/* N times the variance of a column; 0 when there is none. */
static double scatter(double nodes, double sum, double square) {
    double s = nodes > 0 ? square - sum * sum / nodes : 0;
    return s > least_variance * square ? s : 0;
}

/* r of group c with column k; 0 where it is not defined. */
static double correlation(const groups *g, int64_t c, int64_t k) {
    double size = g->sizes[c], rest = g->nodes - size;
    double s = scatter(g->nodes, g->all[k].sum, g->all[k].square);
    if (!(size > 0 && rest > 0 && s > 0)) return 0;
    double difference = g->sums[c * g->e->columns + k] / size - g->all[k].sum / g->nodes;
    return difference / sqrt(s / g->nodes) * sqrt(size / rest);
}

/* eta^2 = sum over groups of n_G (mean over G - mean)^2 / (N variance) */
static double correlation_ratio(const groups *g, int64_t k) {
    double between = 0, s = scatter(g->nodes, g->all[k].sum, g->all[k].square);
    for (int64_t c = 0; c < g->count; c++) {
        if (!(g->sizes[c] > 0)) continue;
        double d = g->sums[c * g->e->columns + k] / g->sizes[c] - g->all[k].sum / g->nodes;
        between += g->sizes[c] * d * d;
    }
    return s > 0 ? between / s : 0;
}

/* ---- communities at the ends ----------------------------------------------------------------- */

static void list_communities(cafe_explanation *e, const groups *g, int64_t k) {
    cafe_listed *high = e->high_communities + k * e->top, *low = e->low_communities + k * e->top;
    e->high_count[k] = e->low_count[k] = 0;
    for (int64_t c = 0; c < g->count; c++) {
        double r = correlation(g, c, k);
        if (r > 0) cafe_listed_offer(high, &e->high_count[k], e->top, (cafe_listed){(int32_t)c, r});
        if (r < 0) cafe_listed_offer(low, &e->low_count[k], e->top, (cafe_listed){(int32_t)c, -r});
    }
    for (int64_t i = 0; i < e->low_count[k]; i++) low[i].value *= -1;
}

static cafe_status community_ends(cafe_context *context, cafe_explanation *e) {
    groups g = {.e = e, .part = e->sets.part, .count = e->sets.count};
    cafe_status status = add_groups(context, &g);
    for (int64_t k = 0; k < e->columns && status == CAFE_OK; k++) list_communities(e, &g, k);
    free_groups(context, &g);
    return status;
}

cafe_status cafe_explain_ends(cafe_context *context, cafe_explanation *e) {
    int64_t room = e->columns * e->top;
    e->high = cafe_mem_zero(context, room, sizeof *e->high);
    e->low = cafe_mem_zero(context, room, sizeof *e->low);
    e->high_communities = cafe_mem_zero(context, room, sizeof *e->high_communities);
    e->low_communities = cafe_mem_zero(context, room, sizeof *e->low_communities);
    e->high_count = cafe_mem_zero(context, e->columns, sizeof *e->high_count);
    e->low_count = cafe_mem_zero(context, e->columns, sizeof *e->low_count);
    CAFE_PASS(cafe_mem_had(e->high, e->low, e->high_communities, e->low_communities, e->high_count,
                           e->low_count));
    cafe_status status =
        cafe_each(context, cafe_blocks(e->columns, CAFE_EXPLAIN_COLUMNS), ends_task, e);
    if (status == CAFE_OK && e->sets.count > 0) status = community_ends(context, e);
    return status;
}

/* ---- the card -------------------------------------------------------------------------------- */

void cafe_explain_dimension_sized(const cafe_explanation *e, int64_t column,
                                  cafe_dimension_card *card, size_t size) {
    const cafe_ritz *ritz = e->generalised ? &e->walk : &e->plain;
    const cafe_column_sums *sums = e->sums + column;
    double n = (double)e->n, spread = scatter(n, sums->sum, sums->square);
    cafe_dimension_card own = {
        .column = column,
        .contribution = sums->image,
        .share = e->modularity != 0 ? sums->image / e->modularity : 0,
        .value = ritz->column_values[column],
        .residual = ritz->column_residuals[column],
        .plain_value = e->plain.column_values[column],
        .plain_residual = e->plain.column_residuals[column],
        .walk_value = e->walk.column_values[column],
        .walk_residual = e->walk.column_residuals[column],
        .mean = sums->sum / n,
        .deviation = sqrt(spread / n),
        .ends = e->top < e->n ? e->top : e->n,
        .high = e->high + column * e->top,
        .low = e->low + column * e->top,
        .high_count = e->high_count[column],
        .low_count = e->low_count[column],
        .high_communities = e->high_communities + column * e->top,
        .low_communities = e->low_communities + column * e->top,
    };
    cafe_struct_give(&own, sizeof own, card, size);
}

/* ---- labels and attributes ------------------------------------------------------------------- */

static void offer_association(cafe_association *best, int64_t index, double r) {
    if (r != 0 && (best->index < 0 || fabs(r) > fabs(best->correlation))) {
        best->index = index;
        best->correlation = r;
    }
}

cafe_status cafe_explain_labels(cafe_context *context, const cafe_explanation *e,
                                const cafe_labels *labels, cafe_association *best) {
    groups g = {.e = e, .labels = labels, .count = cafe_labels_classes(labels)};
    cafe_status status = add_groups(context, &g);
    for (int64_t k = 0; k < e->columns && status == CAFE_OK; k++) {
        best[k] = (cafe_association){-1, 0, -1};
        for (int64_t c = 0; c < g.count; c++) offer_association(&best[k], c, correlation(&g, c, k));
        if (cafe_labels_multiple(labels) == 0) best[k].ratio = correlation_ratio(&g, k);
    }
    free_groups(context, &g);
    return status;
}

typedef struct attribute_job {
    const cafe_explanation *e;
    int64_t width;
    const float *x;
    cafe_column_sums *own; /* of the attributes */
    double *cross;         /* columns x width: sum of v_uk x_ui */
} attribute_job;

static void attribute_task(void *argument, int64_t task) {
    attribute_job *job = argument;
    const cafe_explanation *e = job->e;
    int64_t last = cafe_block_end(e->columns, CAFE_EXPLAIN_COLUMNS, task);
    for (int64_t u = 0; u < e->n; u++)
        for (int64_t k = task * CAFE_EXPLAIN_COLUMNS; k < last; k++) {
            double v = e->v.x[u * e->v.stride + k], *cross = job->cross + k * job->width;
            const float *row = job->x + u * job->width;
            for (int64_t i = 0; i < job->width; i++) cross[i] += v * row[i];
        }
}

static void add_attributes(attribute_job *job) {
    for (int64_t u = 0; u < job->e->n; u++)
        for (int64_t i = 0; i < job->width; i++) {
            double x = job->x[u * job->width + i];
            job->own[i].sum += x;
            job->own[i].square += x * x;
        }
}

/* r = (sum v x - sum v sum x / n) / sqrt(scatter of v * scatter of x) */
static double attribute_correlation(const attribute_job *job, int64_t k, int64_t i) {
    const cafe_column_sums *v = job->e->sums + k, *x = job->own + i;
    double n = (double)job->e->n;
    double s = scatter(n, v->sum, v->square) * scatter(n, x->sum, x->square);
    return s > 0 ? (job->cross[k * job->width + i] - v->sum * x->sum / n) / sqrt(s) : 0;
}

cafe_status cafe_explain_attributes(cafe_context *context, const cafe_explanation *e, int64_t width,
                                    const float *x, cafe_association *best) {
    cafe_status status = CAFE_ERROR_MEMORY;
    attribute_job job = {e, width, x, NULL, NULL};
    job.own = cafe_mem_zero(context, width, sizeof *job.own);
    job.cross = cafe_mem_zero(context, e->columns * width, sizeof *job.cross);
    if (!job.own || !job.cross) goto done;
    add_attributes(&job);
    CAFE_TRY(
        cafe_each(context, cafe_blocks(e->columns, CAFE_EXPLAIN_COLUMNS), attribute_task, &job));
    for (int64_t k = 0; k < e->columns; k++) {
        best[k] = (cafe_association){-1, 0, 0};
        for (int64_t i = 0; i < width; i++)
            offer_association(&best[k], i, attribute_correlation(&job, k, i));
        best[k].ratio = best[k].correlation * best[k].correlation;
    }
done:
    cafe_mem_free_all(context, job.own, job.cross);
    return status;
}
