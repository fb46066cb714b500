/* Null models of one graph by name, as small factors:
 *
 *     Q = A / total - F C F^T
 *
 *     configuration   F = p                          p p^T, the modularity (modularity.c)
 *     constant        F = 1 / n                      every pair alike: CPM, the resolution in mean
 *                                                    densities
 *     directed        F = (d, p), C = diag(-1, 1)    (o i^T + i o^T) / 2 (Leicht and Newman 2008)
 *     two-sided       F = (d, p), C = diag(-1, 1)    the same: edges go from one side to the other
 *                                                    (Barber 2007)
 *     none            F = 0                          the edges alone
 *
 * o and i are the shares of the edges that leave and reach a node. With p = (o + i) / 2 and d = (o
 * - i) / 2, (o i^T + i o^T) / 2 = p p^T - d d^T. On two sides d = p on one, -p on the other. */
#include <math.h>

#include "base/memory.h"
#include "operator/ops.h"
#include "operator/table_operator.h"

typedef struct own {
    float *f;
    double *reach, *against;
    int32_t *every;
} own;

static void release(cafe_operator *op) {
    own *o = op->own;
    if (o) cafe_mem_free_all(op->context, o->f, o->reach, o->against, o->every);
    cafe_mem_free(op->context, o);
}

static const cafe_operator_ops null_ops = {
    .name = "a graph with a null model by name",
    .rows = true,
    .product = cafe_parts_product,
    .sums = cafe_table_sums,
    .bytes = cafe_table_bytes,
    .free = release,
};

/* Row u of F, and the lengths of all its columns and of the subtracted one. */
static void fill_row(const cafe_operator_parts *q, cafe_null null, const double *surplus, int64_t u,
                     own *o) {
    float *row = o->f + u * q->width;
    if (q->width == 2) row[0] = (float)cafe_null_lean(null, surplus[u], q->p[u]);
    float *last = row + q->width - 1;
    *last = null == CAFE_NULL_NONE       ? 0
            : null == CAFE_NULL_CONSTANT ? (float)(1 / (double)q->n)
                                         : (float)q->p[u];
    o->against[u] = fabs((double)*last);
    o->reach[u] = q->width == 2 ? hypot(row[0], row[1]) : o->against[u];
}

static cafe_status fill(cafe_context *context, cafe_null null, const double *surplus,
                        cafe_operator *op) {
    cafe_operator_parts *q = &op->parts;
    own *o = op->own = cafe_mem_zero(context, 1, sizeof *o);
    CAFE_PASS(cafe_mem_had(o));
    q->width = surplus ? 2 : 1;
    q->subtracted = 1;
    q->kappa = 1;
    int64_t every = CAFE_TILE + CAFE_AHEAD;
    o->f = cafe_mem(context, op->n * q->width, sizeof *o->f);
    o->reach = cafe_mem(context, op->n, sizeof *o->reach);
    o->against = cafe_mem(context, op->n, sizeof *o->against);
    o->every = cafe_mem(context, every, sizeof *o->every);
    CAFE_PASS(cafe_mem_had(o->f, o->reach, o->against, o->every));
    for (int64_t i = 0; i < every; i++) o->every[i] = (int32_t)i;
    for (int64_t u = 0; u < op->n; u++) fill_row(q, null, surplus, u, o);
    q->f = o->f, q->reach = o->reach, q->against = o->against, q->every = o->every;
    return CAFE_OK;
}

cafe_status cafe_operator_null(cafe_context *context, const cafe_operator *plain, cafe_null null,
                               const double *surplus, cafe_operator **op) {
    cafe_operator *made = NULL;
    *op = NULL;
    CAFE_PASS(cafe_operator_need_links(context, plain));
    CAFE_PASS(cafe_operator_new(context, &null_ops, plain->n, &made));
    made->parts = plain->parts;
    cafe_status status = fill(context, null, surplus, made);
    if (status == CAFE_OK)
        *op = made;
    else
        cafe_operator_free(made);
    return status;
}
