/* Features of the nodes: a second layer of Q, and two groups of columns.
 *
 *     Q = (1 - w) Q_graph + w X X^T / unit
 *
 * X has the first CAFE_FEATURE_LAYER principal directions of the table; unit is the largest
 * eigenvalue of X X^T in the inner product of D. w is chosen without labels. It is the correlation
 * of the features of neighbours (Moran's I), 1/2 at most:
 *
 *     w = sum over u,w of p(u,w) <x_u - m, x_w - m> / sum over u of p_u ||x_u - m||^2,  m = X^T p
 *
 * Features that have nothing to do with the edges get the weight 0, and then Q is that of the
 * graph.
 *
 * The sweeps of Q blur the features of single nodes. So vectors of the scaled form get columns of
 * their own. They are principal directions of the table, and of its rows averaged over the
 * neighbours (spectral/neighbour_average.h). Rows of words have length 1 in each of the two groups.
 * The averages count twice as much as the other groups: their columns are longer.
 */
#include "method/node_features.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/memory.h"
#include "base/option.h"
#include "base/print.h"
#include "engine/dense.h"
#include "method/hubs.h"
#include "operator/table_operator.h"

enum { AVERAGE_VARIANCE = 4 }; /* of the averaged columns; 1 of the others */

static const cafe_option feature_options[] = {
    {"feature-weight", "W", CAFE_OPTION_TEXT, offsetof(cafe_feature_options, weight), 0, 0, 0.99,
     "auto",
     "weight of the features in Q, beside 1 - W of the graph; auto, the default, is the "
     "correlation "
     "of the features of neighbours, 0.5 at most"},
};

CAFE_OPTION_TABLE(feature, "feature", "features of the nodes beside the graph", feature_options)

/* ---- the weight ------------------------------------------------------------------------------ */

/* Sum of p_u ||x_u - m||^2. */
static cafe_status weigh_rows(cafe_context *context, const cafe_block *x, const double *p,
                              double *sum) {
    cafe_status status = CAFE_OK;
    double own = 0, cross;
    double *means = cafe_mem(context, x->columns, sizeof *means);
    CAFE_TRY(cafe_mem_had(means));
    CAFE_TRY(cafe_ops(x)->sums(context, x, x, p, p, 0, &cross, &own));
    CAFE_TRY(cafe_ops(x)->totals(context, x, p, means));
    for (int64_t k = 0; k < x->columns; k++) own -= means[k] * means[k];
    *sum = own;
done:
    cafe_mem_free(context, means);
    return status;
}

static cafe_status correlate(cafe_context *context, const cafe_operator *graph,
                             struct cafe_node_features *f) {
    const cafe_block *x = &f->directions.x;
    double trace, sum;
    CAFE_PASS(cafe_operator_trace_block(context, graph, x->stride, x->x, &trace));
    CAFE_PASS(weigh_rows(context, x, graph->parts.p, &sum));
    f->report.correlation = sum > 0 ? trace / sum : 0;
    return CAFE_OK;
}

static double weight_of(const cafe_feature_options *o, double correlation) {
    const char *end;
    const double most = 0.5;
    if (o->weight && o->weight[0] && strcmp(o->weight, "auto") != 0)
        return cafe_parse_number(o->weight, &end);
    return correlation < 0 ? 0 : correlation < most ? correlation : most;
}

/* ---- the layer ------------------------------------------------------------------------------- */

static cafe_status make_table(cafe_context *context, struct cafe_node_features *f) {
    cafe_status status = CAFE_OK;
    const cafe_block *x = &f->directions.x;
    int64_t width = x->columns < CAFE_FEATURE_LAYER ? x->columns : CAFE_FEATURE_LAYER;
    float *rows = cafe_mem(context, x->n * width, sizeof *rows);
    CAFE_TRY(cafe_mem_had(rows));
    for (int64_t u = 0; u < x->n; u++)
        memcpy(rows + u * width, x->x + u * x->stride, (size_t)width * sizeof *rows);
    CAFE_TRY(cafe_operator_table(context, x->n, width, rows, &f->table));
done:
    cafe_mem_free(context, rows);
    return status;
}

/* The largest eigenvalue of D^-1 X X^T, which is that of X^T D^-1 X, D = diag((1 - w) p + w / n).
 */
static cafe_status find_unit(cafe_context *context, const struct cafe_node_features *f,
                             double *unit) {
    cafe_status status = CAFE_OK;
    const cafe_operator_parts *q = &f->table->parts;
    int64_t width = q->width;
    double w = f->report.weight;
    cafe_block x = cafe_block_rows(q->n, width, width, (float *)cafe_operator_centred(f->table)->x);
    double *inverse = cafe_mem(context, q->n, sizeof *inverse);
    double *gram = cafe_mem(context, width * width, sizeof *gram);
    double *values = cafe_mem(context, width, sizeof *values);
    CAFE_TRY(cafe_mem_had(inverse, gram, values));
    for (int64_t u = 0; u < q->n; u++)
        inverse[u] = 1 / ((1 - w) * f->graph->parts.p[u] + w / (double)q->n);
    CAFE_TRY(cafe_processor.ops->gram(context, &x, NULL, inverse, false, gram));
    CAFE_TRY(cafe_dense_eigen(context, width, gram, values));
    *unit = values[0];
done:
    cafe_mem_free_all(context, inverse, gram, values);
    return status;
}

static cafe_status make_sum(cafe_context *context, struct cafe_node_features *f,
                            cafe_operator **op) {
    double w = f->report.weight;
    CAFE_PASS(make_table(context, f));
    CAFE_PASS(find_unit(context, f, &f->unit));
    const cafe_summand layers[] = {{f->graph, 1 - w, 1}, {f->table, w, f->unit}};
    return cafe_operator_sum(context, 2, layers, op);
}

cafe_status cafe_features_join(cafe_context *context, const cafe_feature_options *options,
                               const cafe_feature_inputs *table, cafe_model *model) {
    cafe_feature_options o;
    cafe_feature_inputs in;
    double held = 0;
    CAFE_PASS(cafe_options_take(context, &feature_table, options, &o));
    CAFE_PASS(cafe_inputs_take(context, "features", table, &in, sizeof in));
    struct cafe_node_features *f = model->features = cafe_mem_zero(context, 1, sizeof *f);
    CAFE_PASS(cafe_mem_had(f));
    cafe_directions *d = &f->directions;
    CAFE_PASS(cafe_directions_find(context, cafe_graph_nodes(model->graph), &in,
                                   CAFE_FEATURE_DIRECTIONS, model->graph, d));
    for (int64_t j = 0; j < d->x.columns; j++) held += d->values[j];
    f->report = (cafe_feature_report){.columns = in.columns,
                                      .entries = d->entries,
                                      .words = d->words,
                                      .directions = d->x.columns,
                                      .variance = held / d->squares};
    CAFE_PASS(correlate(context, model->op, f));
    f->report.weight = weight_of(&o, f->report.correlation);
    f->graph = model->op;
    if (f->report.weight == 0) return CAFE_OK;
    cafe_operator *sum = NULL;
    CAFE_PASS(make_sum(context, f, &sum));
    model->op = sum;
    return CAFE_OK;
}

void cafe_features_free(cafe_context *context, struct cafe_node_features *f, bool sum) {
    if (!f) return;
    if (sum) cafe_operator_free(f->graph);
    cafe_operator_free(f->table);
    cafe_directions_free(context, &f->directions);
    cafe_mem_free(context, f);
}

cafe_status cafe_features_measure(cafe_context *context, const struct cafe_node_features *f,
                                  const int32_t *part, int64_t parts, double *modularity) {
    const cafe_operator_parts *q = &f->table->parts;
    double *sum = cafe_mem_zero(context, parts * q->width, sizeof *sum);
    CAFE_PASS(cafe_mem_had(sum));
    for (int64_t u = 0; u < q->n; u++)
        for (int64_t l = 0; l < q->width; l++)
            sum[part[u] * q->width + l] += q->f[u * q->width + l];
    *modularity = 0;
    for (int64_t i = 0; i < parts * q->width; i++) *modularity += sum[i] * sum[i] / f->unit;
    cafe_mem_free(context, sum);
    return CAFE_OK;
}

/* ---- columns --------------------------------------------------------------------------------- */

int64_t cafe_feature_columns(const struct cafe_node_features *features, int64_t columns) {
    const cafe_directions *d = &features->directions;
    int64_t most = d->x.columns < d->average.columns ? d->x.columns : d->average.columns;
    return columns / 3 < most ? columns / 3 : most;
}

/* Copies the first columns of x, with rows of length 1 for words, and scales them to the mean
 * variance `variance`. */
static cafe_status place(cafe_context *context, const struct cafe_node_features *f,
                         const cafe_block *x, int64_t columns, int64_t variance, int64_t at,
                         cafe_block *to) {
    cafe_status status = CAFE_OK;
    cafe_block some = cafe_block_columns(x, 0, columns), part = {0};
    CAFE_TRY(cafe_processor.ops->make(context, &cafe_processor, x->n, columns, &part));
    CAFE_TRY(cafe_processor.ops->copy(context, &some, &part, 0));
    if (f->report.words) CAFE_TRY(cafe_hubs_normalise(context, &part));
    CAFE_TRY(cafe_hubs_centre(context, variance * columns, &part));
    CAFE_TRY(cafe_processor.ops->copy(context, &part, to, at));
done:
    cafe_block_drop(context, &part);
    return status;
}

cafe_status cafe_feature_block(cafe_context *context, const struct cafe_node_features *f,
                               int64_t columns, cafe_block *block, double *values) {
    const cafe_directions *d = &f->directions;
    cafe_status status = CAFE_OK;
    cafe_phase(context, "features", 0);
    for (int64_t j = 0; j < columns; j++) values[j] = d->values[j] / d->squares;
    for (int64_t j = 0; j < columns; j++) values[columns + j] = d->average_values[j] / d->squares;
    CAFE_TRY(cafe_processor.ops->make(context, &cafe_processor, d->x.n, 2 * columns, block));
    CAFE_TRY(place(context, f, &d->x, columns, 1, 0, block));
    CAFE_TRY(place(context, f, &d->average, columns, AVERAGE_VARIANCE, columns, block));
done:
    if (status != CAFE_OK) cafe_block_drop(context, block);
    return status;
}

/* By layers F and the masses of communities are held in eight bytes: of the level, and of that made
 * from it. */
double cafe_feature_bytes(int64_t n, const cafe_feature_inputs *table, bool by_layers) {
    const double most = CAFE_FEATURE_DIRECTIONS, layer = CAFE_FEATURE_LAYER;
    double entries =
        table->offsets ? (double)table->offsets[n] : (double)n * (double)table->columns;
    return cafe_directions_bytes(n, table->columns, entries, CAFE_FEATURE_DIRECTIONS) +
           (double)n * (8 * most + (by_layers ? 40 : 8) * layer + 64);
}
