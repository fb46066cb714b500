/* A sum of operators over one set of nodes:
 *
 *     Q = sum over layers l of w_l Q_l / unit_l,   Q_l = sign_l A_l / total_l + kappa_l F_l C_l
 * F_l^T
 *
 * in the form of one operator, Q = sign A / total + F C F^T:
 *
 *     A   the edges of all layers, with weights of either sign; of one graph its own arrays
 *     F   the columns of all layers side by side, times the root of |w_l kappa_l / unit_l|: those
 *         with a positive sign first, then those that are subtracted; of each, tables last
 *     D   sum of |w_l| p_l / (p_l 1)
 *
 * Sweeps, products and certificates read these parts as those of any operator. The chunk shifts of
 * the layers add up (chunks.h).
 */
#include <math.h>

#include "base/memory.h"
#include "base/thread_pool.h"
#include "operator/ops.h"
#include "operator/table_operator.h"

enum { RANGE = 1024 };

/* What the sum owns. */
typedef struct own {
    int64_t *offsets;
    int32_t *targets, *every;
    float *weights, *loops, *f;
    double *p, *reach, *against;
} own;

typedef struct making {
    int64_t n, count, width, subtracted, tables;
    const cafe_summand *layers;
    double whole;  /* sum of |w_l| */
    double *mass;  /* p_l 1 of each layer */
    int64_t edged; /* layers with edges */
    double total;  /* of the merged edges */
    own *own;
} making;

static const cafe_operator_parts *parts_of(const making *m, int64_t l) {
    return &m->layers[l].op->parts;
}

/* w_l / (unit_l sum of |w|) */
static double share_of(const making *m, int64_t l) {
    return m->layers[l].weight / (m->layers[l].unit * m->whole);
}

/* ---- checks ---------------------------------------------------------------------------------- */

static cafe_status check_layer(cafe_context *context, const cafe_summand *layer, int64_t n) {
    CAFE_PASS(cafe_operator_need_rows(context, layer->op));
    if (layer->op->n != n)
        return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                         "the layers of a sum have %lld and %lld nodes: they must have the same",
                         (long long)n, (long long)layer->op->n);
    if (!isfinite(layer->weight) || layer->weight == 0 || !(layer->unit > 0) ||
        !isfinite(layer->unit))
        return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                         "the weight of a layer is %g: it must be a number other than 0",
                         layer->weight);
    return CAFE_OK;
}

/* ---- F --------------------------------------------------------------------------------------- */

/* Returns the number of columns of a layer's F; an operator without null model has none. */
static int64_t columns_of(const cafe_operator_parts *q) {
    return q->f ? q->width : q->kappa != 0;
}

/* The sign that column c of layer l has in the sum. */
static bool is_subtracted(const making *m, int64_t l, int64_t c) {
    const cafe_operator_parts *q = parts_of(m, l);
    return cafe_factor_sign(q, q->f ? c : 0) * q->kappa * m->layers[l].weight < 0;
}

static bool is_table(const making *m, int64_t l) {
    return parts_of(m, l)->offsets == NULL;
}

static void count_columns(making *m) {
    for (int64_t l = 0; l < m->count; l++)
        for (int64_t c = 0; c < columns_of(parts_of(m, l)); c++) {
            bool subtracted = is_subtracted(m, l, c);
            m->width++;
            m->subtracted += subtracted;
            m->tables += !subtracted && is_table(m, l);
        }
}

/* Writes the columns of one sign into row u of F; *square gets the sum of their squares. */
static float *fill_columns(const making *m, int64_t u, bool subtracted, float *to, double *square) {
    *square = 0;
    for (int64_t i = 0; i < 2 * m->count; i++) {
        int64_t l = i % m->count;
        const cafe_operator_parts *q = parts_of(m, l);
        if (is_table(m, l) != (i >= m->count)) continue;
        double root = sqrt(fabs(share_of(m, l) * q->kappa));
        for (int64_t c = 0; c < columns_of(q); c++) {
            if (is_subtracted(m, l, c) != subtracted) continue;
            *to = (float)(root * (q->f ? q->f[u * q->width + c] : q->p[u]));
            *square += (double)*to * *to;
            to++;
        }
    }
    return to;
}

/* Fills row u of F, the lengths, and p_u = sum over l of |w_l| p_l(u) / (p_l 1). */
static void fill_factors(void *argument, int64_t first, int64_t last) {
    const making *m = argument;
    for (int64_t u = first; u < last; u++) {
        double added = 0, taken = 0, p = 0;
        float *to = fill_columns(m, u, false, m->own->f + u * m->width, &added);
        fill_columns(m, u, true, to, &taken);
        m->own->reach[u] = sqrt(added + taken);
        if (m->own->against) m->own->against[u] = sqrt(taken);
        for (int64_t l = 0; l < m->count; l++)
            p += fabs(m->layers[l].weight) / m->whole * (parts_of(m, l)->p[u] / m->mass[l]);
        m->own->p[u] = p;
    }
}

static cafe_status make_factors(cafe_context *context, making *m) {
    int64_t every = (m->width > CAFE_TILE ? m->width : CAFE_TILE) + CAFE_AHEAD, entries;
    own *o = m->own;
    if (__builtin_mul_overflow(m->n, m->width, &entries) || every > INT32_MAX)
        return cafe_fail(context, CAFE_ERROR_ARGUMENT, "the columns of a sum are too many");
    o->f = cafe_mem(context, entries, sizeof *o->f);
    o->reach = cafe_mem(context, m->n, sizeof *o->reach);
    o->p = cafe_mem(context, m->n, sizeof *o->p);
    o->every = cafe_mem(context, every, sizeof *o->every);
    CAFE_PASS(cafe_mem_had(o->f, o->reach, o->p, o->every));
    if (m->subtracted > 0) o->against = cafe_mem(context, m->n, sizeof *o->against);
    if (m->subtracted > 0) CAFE_PASS(cafe_mem_had(o->against));
    for (int64_t i = 0; i < every; i++) o->every[i] = (int32_t)i;
    for (int64_t l = 0; l < m->count; l++)
        for (int64_t u = 0; u < m->n; u++) m->mass[l] += parts_of(m, l)->p[u];
    for (int64_t l = 0; l < m->count; l++)
        if (!(m->mass[l] > 0)) m->mass[l] = 1;
    return cafe_ranges(context, m->n, RANGE, fill_factors, m);
}

/* ---- A --------------------------------------------------------------------------------------- */

/* The next edge of node u in each layer, and the end of its row. */
typedef struct merging {
    const making *m;
    int64_t *at, *end;
} merging;

static void open_row(const merging *g, int64_t u) {
    for (int64_t l = 0; l < g->m->count; l++) {
        const cafe_operator_parts *q = parts_of(g->m, l);
        g->at[l] = q->offsets ? q->offsets[u] : 0;
        g->end[l] = q->offsets ? q->offsets[u + 1] : 0;
    }
}

/* Takes the next target in all layers, with its weight in units of the sum's total; -1: none. */
static int32_t take_edge(const merging *g, int64_t u, float *weight) {
    const making *m = g->m;
    int32_t next = -1;
    double sum = 0;
    for (int64_t l = 0; l < m->count; l++)
        if (g->at[l] < g->end[l] && (next < 0 || parts_of(m, l)->targets[g->at[l]] < next))
            next = parts_of(m, l)->targets[g->at[l]];
    for (int64_t l = 0; l < m->count && next >= 0; l++) {
        const cafe_operator_parts *q = parts_of(m, l);
        for (; g->at[l] < g->end[l] && q->targets[g->at[l]] == next; g->at[l]++)
            sum += m->total / q->total * share_of(m, l) * q->sign * CAFE_LINK(q, u, g->at[l]);
    }
    *weight = (float)sum;
    return next;
}

static void fill_loop(const making *m, int64_t u) {
    double sum = 0;
    for (int64_t l = 0; l < m->count; l++) {
        const cafe_operator_parts *q = parts_of(m, l);
        if (q->loops) sum += m->total / q->total * share_of(m, l) * q->sign * q->loops[u];
    }
    m->own->loops[u] = (float)sum;
}

/* One pass counts the edges of the sum, the next writes them. */
static int64_t merge_rows(const merging *g, bool write) {
    const making *m = g->m;
    own *o = m->own;
    int64_t edges = 0;
    for (int64_t u = 0; u < m->n; u++) {
        float weight;
        int32_t target;
        open_row(g, u);
        if (write) o->offsets[u] = edges;
        while ((target = take_edge(g, u, &weight)) >= 0) {
            if (write) o->targets[edges] = target, o->weights[edges] = weight;
            edges++;
        }
        if (write && o->loops) fill_loop(m, u);
    }
    if (write) o->offsets[m->n] = edges;
    return edges;
}

static cafe_status merge_edges(cafe_context *context, making *m) {
    cafe_status status = CAFE_OK;
    own *o = m->own;
    bool loops = false;
    merging g = {m, NULL, NULL};
    g.at = cafe_mem(context, m->count, sizeof *g.at);
    g.end = cafe_mem(context, m->count, sizeof *g.end);
    CAFE_TRY(cafe_mem_had(g.at, g.end));
    for (int64_t l = 0; l < m->count; l++) {
        if (parts_of(m, l)->offsets) m->total += parts_of(m, l)->total;
        loops = loops || parts_of(m, l)->loops;
    }
    int64_t edges = merge_rows(&g, false);
    o->offsets = cafe_mem(context, m->n + 1, sizeof *o->offsets);
    o->targets = cafe_mem_zero(context, edges + CAFE_AHEAD, sizeof *o->targets);
    o->weights = cafe_mem(context, edges, sizeof *o->weights);
    if (loops) o->loops = cafe_mem(context, m->n, sizeof *o->loops);
    CAFE_TRY(
        cafe_mem_had(o->offsets, o->targets, o->weights, loops ? (void *)o->loops : o->offsets));
    merge_rows(&g, true);
done:
    cafe_mem_free_all(context, g.at, g.end);
    return status;
}

/* Reads the edges of the only graph where they are, in other units. */
static void borrow_edges(const making *m, cafe_operator_parts *parts) {
    for (int64_t l = 0; l < m->count; l++) {
        const cafe_operator_parts *q = parts_of(m, l);
        if (!q->offsets) continue;
        parts->offsets = q->offsets, parts->targets = q->targets, parts->weights = q->weights;
        parts->factor = q->factor, parts->loops = q->loops, parts->local = q->local;
        parts->total = q->total / fabs(share_of(m, l));
        parts->sign = share_of(m, l) > 0 ? q->sign : -q->sign;
    }
}

/* ---- the object ------------------------------------------------------------------------------ */

static double bytes(const cafe_operator *op, int64_t stride) {
    const cafe_operator_parts *q = &op->parts;
    const own *o = op->own;
    double edges = o->offsets ? 8.0 * (double)q->offsets[op->n] + 8.0 * (double)op->n : 0;
    return edges + 12.0 * (double)op->n + cafe_table_bytes(op, stride);
}

static void release(cafe_operator *op) {
    own *o = op->own;
    if (o)
        cafe_mem_free_all(op->context, o->offsets, o->targets, o->every, o->weights, o->loops, o->f,
                          o->p, o->reach, o->against);
    cafe_mem_free(op->context, o);
}

static const cafe_operator_ops sum_ops = {
    .name = "a sum of operators",
    .rows = true,
    .product = cafe_parts_product,
    .sums = cafe_table_sums,
    .bytes = bytes,
    .free = release,
};

/* Fills the parts of the sum. */
static cafe_status make_parts(cafe_context *context, making *m, cafe_operator *op) {
    own *o = op->own = m->own = cafe_mem_zero(context, 1, sizeof *o);
    CAFE_PASS(cafe_mem_had(o));
    cafe_operator_parts *q = &op->parts;
    CAFE_PASS(make_factors(context, m));
    *q = (cafe_operator_parts){.n = m->n, .total = 1, .p = o->p, .reach = o->reach, .f = o->f};
    q->width = m->width, q->subtracted = m->subtracted, q->tables = m->tables;
    q->against = o->against;
    q->every = o->every, q->kappa = 1, q->sign = 1;
    if (m->edged == 1) borrow_edges(m, q);
    if (m->edged < 2) return CAFE_OK;
    CAFE_PASS(merge_edges(context, m));
    q->offsets = o->offsets, q->targets = o->targets, q->weights = o->weights;
    q->loops = o->loops, q->total = m->total;
    return CAFE_OK;
}

/* The sum of one: the parts of that operator, whose arrays stay its own. */
static cafe_status make_one(cafe_context *context, const cafe_operator *layer, cafe_operator **op) {
    CAFE_PASS(cafe_operator_new(context, layer->ops, layer->n, op));
    (*op)->parts = layer->parts;
    (*op)->window = layer->window;
    return CAFE_OK;
}

cafe_status cafe_operator_sum(cafe_context *context, int64_t count, const cafe_summand *layers,
                              cafe_operator **op) {
    cafe_status status = CAFE_OK;
    making m = {.count = count, .layers = layers, .n = count > 0 ? layers[0].op->n : 0};
    cafe_operator *made = NULL;
    *op = NULL;
    if (count < 1) return cafe_fail(context, CAFE_ERROR_ARGUMENT, "a sum has at least one layer");
    for (int64_t l = 0; l < count; l++) {
        CAFE_PASS(check_layer(context, &layers[l], m.n));
        m.whole += fabs(layers[l].weight);
        m.edged += layers[l].op->parts.offsets != NULL;
    }
    if (count == 1 && layers[0].weight > 0 && layers[0].unit == 1)
        return make_one(context, layers[0].op, op);
    count_columns(&m);
    if (m.width < 1)
        return cafe_fail(context, CAFE_ERROR_ARGUMENT, "no layer of the sum has a null model");
    m.mass = cafe_mem_zero(context, count, sizeof *m.mass);
    CAFE_TRY(cafe_mem_had(m.mass));
    CAFE_TRY(cafe_operator_new(context, &sum_ops, m.n, &made));
    CAFE_TRY(make_parts(context, &m, made));
    *op = made;
    made = NULL;
done:
    cafe_mem_free(context, m.mass);
    cafe_operator_free(made);
    return status;
}
