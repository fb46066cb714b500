/* The adjacency matrix of a graph as an operator: Q = A, kappa = 0, with node weights D that the
 * caller chooses.
 *
 *     A y = theta D y,   v = D^(1/2) y   <=>   D^(-1/2) A D^(-1/2) v = theta v
 */
#include "graph/graph.h"
#include "operator/ops.h"

/* Bytes: one row for each worker. */
static double bytes(const cafe_operator *op, int64_t stride) {
    return (double)stride * (12 + 4.0 * op->context->threads);
}

static const cafe_operator_ops links = {
    .name = "the edges of a graph",
    .rows = true,
    .product = cafe_parts_product,
    .sums = cafe_modularity_sums,
    .bytes = bytes,
};

cafe_status cafe_operator_links(cafe_context *context, const cafe_graph *graph,
                                const float *weights, const double *p, cafe_operator **op) {
    CAFE_PASS(cafe_operator_new(context, &links, graph->n, op));
    (*op)->parts = (cafe_operator_parts){.n = graph->n,
                                         .offsets = graph->offsets,
                                         .targets = graph->targets,
                                         .weights = weights,
                                         .total = 1,
                                         .p = p,
                                         .reach = p,
                                         .width = 1,
                                         .kappa = 0,
                                         .sign = 1};
    return CAFE_OK;
}
