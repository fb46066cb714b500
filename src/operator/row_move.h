/* How one node moves: the arithmetic of a row, for whoever has summed up its neighbours' rows.
 *
 * It is on a row and a few numbers of the operator's parts, so that a process that holds some of
 * the rows, under numbers of its own, can do it too.
 */
#ifndef CAFE_OPERATOR_ROW_MOVE_H
#define CAFE_OPERATOR_ROW_MOVE_H

#include "operator/operator.h"

/* How a node moves: with z_u the sum over w != u of q(u,w) h_w and c_u of operator/chunks.h,
 *
 *   sphere   h_u  <- normalise(z_u + (c_u + gamma_u) h_u),   gamma_u = gamma r_u^2 / p_u
 *   softmax  h_uk <- h_uk exp(theta_u z_uk) / sum,           theta_u = theta / p_u, or with a mean
 *            degree d > 0 theta d_u / (d p_u), the same for all nodes of a graph; 4 / c_u at most
 */
typedef enum cafe_rule_kind { CAFE_RULE_SPHERE = 0, CAFE_RULE_SOFTMAX = 1 } cafe_rule_kind;

typedef struct cafe_rule {
    cafe_rule_kind kind;
    double gamma, theta, mean_degree;
    double resolution; /* kappa times this takes the place of kappa: 1 is Q itself */
    int32_t storage;   /* cafe_storage: rows are rounded to it, the first ones too */
    int64_t passes;    /* how often all nodes will move at most, for what is made beforehand; 0: it
                        * is not known */
} cafe_rule;

/* What all rows of a sweep share. */
typedef struct cafe_moving {
    const cafe_kernels *kernels;
    const cafe_operator_parts *q; /* p, reach and loops are read where the node stands */
    cafe_rule rule;
    int64_t stride;
    double expected; /* - kappa resolution: the weight of what is subtracted */
    double unit;     /* of shares of the gain (kernels/sum_shapes.h) */
    const float *s;  /* (float)(expected S); zeros for F of many columns */
} cafe_moving;

cafe_moving cafe_moving_of(const cafe_kernels *kernels, const cafe_operator_parts *q,
                           const cafe_rule *rule, int64_t stride, const float *s);

/* What a move gives to the sums of its chunk, and how long it was. */
typedef struct cafe_moved {
    double linear, square; /* p_u <z_u, Delta_u> and r_u^2 ||Delta_u||^2: shares of the unit; of a
                            * table the numbers themselves */
    double length;         /* ||Delta_u||^2 */
} cafe_moved;

/* The new row of a node u, p_u > 0, with shift = c_u / p_u (cafe_chunk_shift()): h is its old one;
 * row comes in as the sum of the neighbours' rows and goes out as the new one, rounded to the
 * storage. */
cafe_moved cafe_move_row(const cafe_moving *by, int64_t u, double shift, const float *h,
                         float *row);

#endif
