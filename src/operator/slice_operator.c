/* Slices of time: each has a null model of its own, edges between slices have none (Mucha and
 * others: Community structure in time-dependent, multiscale, and multiplex networks, Science 2010).
 *
 *     Q = A / 2mu - sum over slices s of (2m_s / 2mu) p_s p_s^T
 *
 * A has the edges of all slices and those that couple them; p_s is the distribution of the nodes of
 * slice s by the edges inside it. In the parts F has a column for each slice,
 *
 *     f(u,s) = k_u / sqrt(2m_s 2mu),   k_u the weight of the edges of u inside its slice s.
 */
#include <math.h>

#include "base/memory.h"
#include "base/thread_pool.h"
#include "operator/ops.h"
#include "operator/table_operator.h"

enum { RANGE = 1024 };

typedef struct own {
    float *f;
    double *reach;
    int32_t *every;
} own;

typedef struct weighing {
    const cafe_operator_parts *q;
    const int32_t *slice;
    int64_t slices;
    own *o;
    const double *root; /* of each slice: sqrt(2m_s / 2mu); NULL: not yet */
} weighing;

/* reach[u] = k_u / 2mu */
static void weigh_nodes(void *argument, int64_t first, int64_t last) {
    const weighing *w = argument;
    const cafe_operator_parts *q = w->q;
    for (int64_t u = first; u < last; u++) {
        double sum = 0;
        for (int64_t j = q->offsets[u]; j < q->offsets[u + 1]; j++)
            if (w->slice[q->targets[j]] == w->slice[u]) sum += (double)CAFE_LINK(q, u, j);
        if (q->loops) sum += q->loops[u];
        w->o->reach[u] = sum / q->total;
    }
}

static void fill_rows(void *argument, int64_t first, int64_t last) {
    const weighing *w = argument;
    for (int64_t u = first; u < last; u++) {
        float *row = w->o->f + u * w->slices;
        for (int64_t s = 0; s < w->slices; s++) row[s] = 0;
        double root = w->root[w->slice[u]];
        row[w->slice[u]] = root > 0 ? (float)(w->o->reach[u] / root) : 0;
        w->o->reach[u] = row[w->slice[u]];
    }
}

static double bytes(const cafe_operator *op, int64_t stride) {
    const cafe_operator_parts *q = &op->parts;
    int64_t each, parts = cafe_tile_parts(q->width, op->n, stride, &each);
    double sums = (double)q->width * (double)stride * (8.0 * (double)parts + 12);
    return (double)op->n * (4.0 * (double)q->width + 8) + sums;
}

static void release(cafe_operator *op) {
    own *o = op->own;
    if (o) cafe_mem_free_all(op->context, o->f, o->reach, o->every);
    cafe_mem_free(op->context, o);
}

static const cafe_operator_ops slice_ops = {
    .name = "slices of a graph",
    .rows = true,
    .product = cafe_parts_product,
    .sums = cafe_table_sums,
    .bytes = bytes,
    .free = release,
};

static cafe_status fill(cafe_context *context, const cafe_operator *plain, weighing *w,
                        cafe_operator *op) {
    cafe_status status = CAFE_OK;
    int64_t every = (w->slices > CAFE_TILE ? w->slices : CAFE_TILE) + CAFE_AHEAD;
    double *root = cafe_mem_zero(context, w->slices, sizeof *root);
    own *o = op->own = w->o = cafe_mem_zero(context, 1, sizeof *o);
    CAFE_TRY(cafe_mem_had(root, o));
    o->f = cafe_mem(context, op->n * w->slices, sizeof *o->f);
    o->reach = cafe_mem(context, op->n, sizeof *o->reach);
    o->every = cafe_mem(context, every, sizeof *o->every);
    CAFE_TRY(cafe_mem_had(o->f, o->reach, o->every));
    for (int64_t i = 0; i < every; i++) o->every[i] = (int32_t)i;
    CAFE_TRY(cafe_ranges(context, op->n, RANGE, weigh_nodes, w));
    for (int64_t u = 0; u < op->n; u++) root[w->slice[u]] += o->reach[u];
    for (int64_t s = 0; s < w->slices; s++) root[s] = sqrt(root[s]);
    w->root = root;
    CAFE_TRY(cafe_ranges(context, op->n, RANGE, fill_rows, w));
    op->parts = plain->parts;
    op->parts.reach = op->parts.against = o->reach;
    op->parts.f = o->f, op->parts.every = o->every;
    op->parts.width = op->parts.subtracted = w->slices;
    op->parts.kappa = 1;
done:
    cafe_mem_free(context, root);
    return status;
}

cafe_status cafe_operator_slices(cafe_context *context, const cafe_operator *plain,
                                 const int32_t *slice, int64_t slices, cafe_operator **op) {
    cafe_operator *made = NULL;
    *op = NULL;
    CAFE_PASS(cafe_operator_need_rows(context, plain));
    CAFE_PASS(cafe_operator_need_links(context, plain));
    CAFE_PASS(cafe_operator_new(context, &slice_ops, plain->n, &made));
    weighing w = {.q = &plain->parts, .slice = slice, .slices = slices};
    cafe_status status = fill(context, plain, &w, made);
    if (status == CAFE_OK)
        *op = made;
    else
        cafe_operator_free(made);
    return status;
}
