/* Slices of time: each has a null model of its own, edges between slices have none (Mucha and
 * others: Community structure in time-dependent, multiscale, and multiplex networks, Science 2010).
 *
 *     Q = A / 2mu - sum over slices s of (2m_s / 2mu) N_s,     N_s of null_operator.c
 *
 * A has the edges of all slices and those that couple them. N_s has the nodes and the edges of
 * slice s alone. In the parts F has a column for each slice,
 *
 *     configuration   f(u,s) = k_u / sqrt(2m_s 2mu),   k_u the weight of the edges of u in slice s
 *     constant        f(u,s) = sqrt(2m_s / 2mu) / n_s, n_s the nodes of slice s
 *     directed        as configuration, and before them an added column for each slice with the
 *     two-sided       difference (out - in of u) / sqrt(2m_s 2mu), or k_u by sides with a sign
 */
#include <math.h>

#include "base/memory.h"
#include "base/thread_pool.h"
#include "operator/ops.h"
#include "operator/table_operator.h"

enum { RANGE = 1024 };

typedef struct own {
    float *f;
    double *reach, *against; /* the same array if all columns are subtracted */
    int32_t *every;
} own;

typedef struct weighing {
    const cafe_operator_parts *q;
    const int32_t *slice;
    int64_t slices, width;
    cafe_null null;
    const double *surplus;
    own *o;
    const double *root, *nodes; /* of each slice: sqrt(2m_s / 2mu), n_s; NULL: not yet */
} weighing;

/* against[u] = k_u / 2mu */
static void weigh_nodes(void *argument, int64_t first, int64_t last) {
    const weighing *w = argument;
    const cafe_operator_parts *q = w->q;
    for (int64_t u = first; u < last; u++) {
        double sum = 0;
        for (int64_t j = q->offsets[u]; j < q->offsets[u + 1]; j++)
            if (w->slice[q->targets[j]] == w->slice[u]) sum += (double)CAFE_LINK(q, u, j);
        if (q->loops) sum += q->loops[u];
        w->o->against[u] = sum / q->total;
    }
}

static void fill_rows(void *argument, int64_t first, int64_t last) {
    const weighing *w = argument;
    for (int64_t u = first; u < last; u++) {
        int64_t s = w->slice[u];
        float *row = w->o->f + u * w->width, *taken = row + w->width - w->slices;
        double root = w->root[s], k = w->o->against[u];
        for (int64_t l = 0; l < w->width; l++) row[l] = 0;
        if (root > 0 && taken > row)
            row[s] = (float)(cafe_null_lean(w->null, w->surplus[u], k) / root);
        if (root > 0)
            taken[s] = (float)(w->null == CAFE_NULL_CONSTANT ? root / w->nodes[s] : k / root);
        w->o->against[u] = taken[s];
        w->o->reach[u] = taken > row ? hypot(row[s], taken[s]) : taken[s];
    }
}

static void release(cafe_operator *op) {
    own *o = op->own;
    if (o && o->against != o->reach) cafe_mem_free(op->context, o->against);
    if (o) cafe_mem_free_all(op->context, o->f, o->reach, o->every);
    cafe_mem_free(op->context, o);
}

static const cafe_operator_ops slice_ops = {
    .name = "slices of a graph",
    .rows = true,
    .product = cafe_parts_product,
    .sums = cafe_table_sums,
    .bytes = cafe_table_bytes,
    .free = release,
};

/* root[s] <- 2m_s / 2mu, nodes[s] <- n_s */
static void weigh_slices(const weighing *w, double *root, double *nodes) {
    for (int64_t u = 0; u < w->q->n; u++) {
        root[w->slice[u]] += w->o->against[u];
        nodes[w->slice[u]]++;
    }
    for (int64_t s = 0; s < w->slices; s++) root[s] = sqrt(root[s]);
}

static cafe_status make_arrays(cafe_context *context, int64_t n, const weighing *w) {
    int64_t every = (w->width > CAFE_TILE ? w->width : CAFE_TILE) + CAFE_AHEAD;
    own *o = w->o;
    o->f = cafe_mem(context, n * w->width, sizeof *o->f);
    o->reach = o->against = cafe_mem(context, n, sizeof *o->reach);
    if (w->surplus) o->against = cafe_mem(context, n, sizeof *o->against);
    o->every = cafe_mem(context, every, sizeof *o->every);
    CAFE_PASS(cafe_mem_had(o->f, o->reach, o->against, o->every));
    for (int64_t i = 0; i < every; i++) o->every[i] = (int32_t)i;
    return CAFE_OK;
}

static void set_parts(const cafe_operator_parts *plain, const weighing *w,
                      cafe_operator_parts *parts) {
    *parts = *plain;
    parts->reach = w->o->reach, parts->against = w->o->against;
    parts->f = w->o->f, parts->every = w->o->every;
    parts->width = w->width, parts->subtracted = w->slices;
    parts->kappa = 1;
}

static cafe_status fill(cafe_context *context, const cafe_operator *plain, weighing *w,
                        cafe_operator *op) {
    cafe_status status = CAFE_OK;
    double *root = cafe_mem_zero(context, w->slices, sizeof *root);
    double *nodes = cafe_mem_zero(context, w->slices, sizeof *nodes);
    op->own = w->o = cafe_mem_zero(context, 1, sizeof *w->o);
    CAFE_TRY(cafe_mem_had(root, nodes, w->o));
    CAFE_TRY(make_arrays(context, op->n, w));
    CAFE_TRY(cafe_ranges(context, op->n, RANGE, weigh_nodes, w));
    weigh_slices(w, root, nodes);
    w->root = root, w->nodes = nodes;
    CAFE_TRY(cafe_ranges(context, op->n, RANGE, fill_rows, w));
    set_parts(&plain->parts, w, &op->parts);
done:
    cafe_mem_free_all(context, root, nodes);
    return status;
}

cafe_status cafe_operator_slices(cafe_context *context, const cafe_operator *plain,
                                 const int32_t *slice, int64_t slices, cafe_null null,
                                 const double *surplus, cafe_operator **op) {
    cafe_operator *made = NULL;
    *op = NULL;
    CAFE_PASS(cafe_operator_need_rows(context, plain));
    CAFE_PASS(cafe_operator_need_links(context, plain));
    CAFE_PASS(cafe_operator_new(context, &slice_ops, plain->n, &made));
    weighing w = {.q = &plain->parts, .slice = slice, .slices = slices, .null = null};
    w.surplus = surplus;
    w.width = surplus ? 2 * slices : slices;
    cafe_status status = fill(context, plain, &w, made);
    if (status == CAFE_OK)
        *op = made;
    else
        cafe_operator_free(made);
    return status;
}
