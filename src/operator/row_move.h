/* How one node moves: the arithmetic of one row after its neighbour rows were summed.
 *
 * The functions need one row and a few parts of the operator. So a process that owns only some of
 * the rows, under its own ids, can use them.
 */
#ifndef CAFE_OPERATOR_ROW_MOVE_H
#define CAFE_OPERATOR_ROW_MOVE_H

#include "operator/operator.h"

/* The rules, with z_u = sum over w != u of q(u,w) h_w and c_u of operator/chunks.h:
 *
 *   sphere   h_u  <- normalise(z_u + (c_u + gamma_u) h_u),   gamma_u = gamma r_u^2 / p_u
 *   softmax  h_uk <- h_uk exp(theta_u z_uk) / sum over l of h_ul exp(theta_u z_ul),
 *            theta_u = theta / p_u, or with a mean degree d > 0 theta d_u / (d p_u), the same for
 *            all nodes of a graph; at most 4 / c_u
 */
typedef enum cafe_rule_kind { CAFE_RULE_SPHERE = 0, CAFE_RULE_SOFTMAX = 1 } cafe_rule_kind;

typedef struct cafe_rule {
    cafe_rule_kind kind;
    double gamma, theta, mean_degree;
    double resolution; /* kappa times this replaces kappa; 1: Q itself */
    int32_t storage;   /* cafe_storage: rows are rounded to this type, the first rows too */
    int64_t passes;    /* sweeps over all nodes, at most, to decide whether a copy of the edges
                        * pays; 0: unknown */
} cafe_rule;

/* The numbers that all rows of a sweep share. */
typedef struct cafe_moving {
    const cafe_kernels *kernels;
    const cafe_operator_parts *q; /* p, reach and loops are read at the id of the node */
    cafe_rule rule;
    int64_t stride;
    double expected; /* -kappa resolution >= 0: the weight of the subtracted part */
    double unit;     /* grid of the shares of the gain (kernels/sum_shapes.h) */
    const float *s;  /* (float)(expected S); zeros for F of many columns */
} cafe_moving;

cafe_moving cafe_moving_of(const cafe_kernels *kernels, const cafe_operator_parts *q,
                           const cafe_rule *rule, int64_t stride, const float *s);

/* A move's shares of the sums of its chunk, and its length. */
typedef struct cafe_moved {
    double linear, square; /* p_u <z_u, Delta_u> and r_u^2 ||Delta_u||^2, rounded to the grid; for a
                            * table not rounded */
    double length;         /* ||Delta_u||^2 */
} cafe_moved;

/* Computes the new row of node u, p_u > 0, with shift = c_u / p_u (cafe_chunk_shift()). h is the
 * old row. `row` holds the sum of the neighbour rows on entry, and the new row, rounded to the
 * storage, on return. */
cafe_moved cafe_move_row(const cafe_moving *by, int64_t u, double shift, const float *h,
                         float *row);

#endif
