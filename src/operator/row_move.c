/* The move of one row: pull, weight and theta of a node, and its part of the objective's growth. */
#include "operator/row_move.h"

#include <math.h>

cafe_moving cafe_moving_of(const cafe_kernels *kernels, const cafe_operator_parts *q,
                           const cafe_rule *rule, int64_t stride, const float *s) {
    return (cafe_moving){
        .kernels = kernels,
        .q = q,
        .rule = *rule,
        .stride = stride,
        .expected = -q->kappa * rule->resolution,
        .unit = q->f && !q->offsets ? 1 : cafe_gain_unit(rule->resolution),
        .s = s,
    };
}

/* Returns theta_u p_u: the kernel computes z in units of p_u. */
static float theta_of(const cafe_rule *rule, float degree, float shift) {
    double theta = rule->theta, most = shift > 0 ? 4 / (double)shift : INFINITY;
    if (rule->mean_degree > 0) theta /= degree * rule->mean_degree;
    if (!(theta < most)) theta = most;
    return (float)(theta < 1e30 ? theta : 1e30);
}

static float gamma_of(const cafe_moving *by, int64_t u) {
    double ratio = by->q->reach[u] / by->q->p[u];
    return (float)(by->rule.gamma * ratio * ratio);
}

/* Rounds a number to the grid of sums without order (kernels/sum_shapes.h). With F of several
 * columns, sums have an order and the number stays, because rows of a table have any length. */
static double share_of(const cafe_moving *by, double x) {
    return by->q->f ? x / by->unit : cafe_gain_share(x, by->unit);
}

/* Returns f_u C f_u^T / p_u. */
static double own_square(const cafe_operator_parts *q, int64_t u) {
    double reach = q->reach[u], p = q->p[u], against = q->against ? q->against[u] : 0;
    return reach * (reach / p) - 2 * against * (against / p);
}

cafe_moved cafe_move_row(const cafe_moving *by, int64_t u, double shift, const float *h,
                         float *row) {
    const cafe_operator_parts *q = by->q;
    double p = q->p[u], inverse_degree = 1 / (p * q->total);
    double loop = q->loops ? q->loops[u] * inverse_degree : 0;
    cafe_pull pull = {(float)(q->sign * inverse_degree),
                      (float)(by->expected * own_square(q, u) - q->sign * loop)};
    cafe_gain gain =
        by->rule.kind == CAFE_RULE_SPHERE
            ? by->kernels->sphere(by->rule.storage, by->stride, h, by->s, pull,
                                  (float)shift + gamma_of(by, u), row)
            : by->kernels->softmax(by->rule.storage, by->stride, h, by->s, pull,
                                   theta_of(&by->rule, (float)inverse_degree, (float)shift), row);
    return (cafe_moved){share_of(by, p * gain.linear),
                        share_of(by, cafe_factor_square(q, u) * gain.square), gain.square};
}
