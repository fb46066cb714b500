/* The operator Q for all folders above: an object with a table of operations.
 *
 * Every operator with rows has the form
 *
 *     Q = sign A / total + kappa F F^T,      A sparse, F n x L:
 *
 *     modularity   A of the sampled graph, total = 2m, F = p (L = 1), kappa = -1
 *     table        no A, F = X (centred), kappa = 1
 *     adjacency    A alone, kappa = 0
 *     negative     sign and kappa negated: its top end is the bottom end of Q
 *     sum          one A with weights of either sign, the columns of all F side by side; the last
 *                  of them are subtracted: Q = A / total + F C F^T, C = diag(1 ... 1, -1 ... -1)
 *
 * The parts of this form are plain numbers and arrays. Sweeps, explanations and devices read them.
 * Walks of several steps have products only; their parts are those of a single step.
 */
#ifndef CAFE_OPERATOR_OPERATOR_H
#define CAFE_OPERATOR_OPERATOR_H

#include <stdbool.h>

#include <cafe/operator.h>
#include <cafe/sample.h>

#include "base/context.h"
#include "base/engine_copy.h"
#include "graph/edge_weight.h"
#include "kernels/row_kernels.h"

typedef struct cafe_operator_parts {
    int64_t n;
    const int64_t *offsets; /* rows of A, sorted; NULL: there is no A */
    const int32_t *targets;
    const float *weights; /* a(u,w); NULL: all 1 */
    const float *factor;  /* f_u: the entries of A are a(u,w) f_u f_w (CAFE_LINK); NULL: all 1 */
    const float *loops;   /* A's diagonal; NULL: none */
    double total;
    const double *p;     /* the node weights D = diag(p): p = P 1 of a graph, 1 of a table's rows */
    const double *reach; /* r_u = ||f_u||; p_u for a graph */
    const float *f;      /* F, row-major n x width; NULL: it is the column p */
    int64_t width;       /* L */
    int64_t subtracted;  /* the last columns of F: they enter with -kappa */
    int64_t tables; /* of a sum: the columns before these, of tables; no resolution scales them */
    const double *against; /* the length of a row of these columns; NULL: there are none */
    const int32_t
        *every; /* 0, 1, 2, ...: the targets of a gather of all rows of F^T X; only with f */
    double kappa;
    int32_t sign;
    bool local; /* many edges join nodes with close ids, and chunks are laid out accordingly */
} cafe_operator_parts;

typedef struct cafe_operator_ops cafe_operator_ops;

struct cafe_operator {
    const cafe_operator_ops *ops;
    cafe_context *context;
    const cafe_kernels *kernels;
    int64_t n;
    cafe_operator_parts parts;
    int64_t window;  /* steps of walks */
    void *own;       /* private data of the kind of operator */
    cafe_held *held; /* data of an engine (engine/engine.h); shared with the negative */
};

/* Returns the operator -Q, for products, traces and sweeps. It must not outlive `op` and is not
 * freed. */
static inline cafe_operator cafe_operator_negative(const cafe_operator *op) {
    cafe_operator negative = *op;
    negative.parts.sign = -op->parts.sign;
    negative.parts.kappa = -op->parts.kappa;
    return negative;
}

/* Creates A of a graph with these weights (NULL: all 1) and D = diag(p). The arrays must outlive
 * the operator. */
cafe_status cafe_operator_links(cafe_context *context, const cafe_graph *graph,
                                const float *weights, const double *p, cafe_operator **op);

/* Does the operator have rows, or products only? */
bool cafe_operator_has_rows(const cafe_operator *op);
/* Returns CAFE_ERROR_ARGUMENT for an operator without rows; the second function, for one without
 * edges; the third, for one that is not of one graph. */
cafe_status cafe_operator_need_rows(cafe_context *context, const cafe_operator *op);
cafe_status cafe_operator_need_edges(cafe_context *context, const cafe_operator *op);
cafe_status cafe_operator_need_links(cafe_context *context, const cafe_operator *op);

/* Several layers: edges or subtracted columns beside the columns of a table. */
static inline bool cafe_operator_is_sum(const cafe_operator_parts *q) {
    return q->f && (q->offsets || q->subtracted > 0);
}

/* Returns the sign of column l of F: the last columns of a sum are subtracted. */
static inline double cafe_factor_sign(const cafe_operator_parts *q, int64_t l) {
    return l < q->width - q->subtracted ? 1 : -1;
}

/* Returns f_u C f_w^T. */
double cafe_factor_product(const cafe_operator_parts *q, int64_t u, int64_t w);

/* Returns the same with the resolution r: r f_u C f_w^T, but for columns of tables without r. */
double cafe_factor_expected(const cafe_operator_parts *q, double resolution, int64_t u, int64_t w);

/* Is column l of F one of a table in a sum? */
static inline bool cafe_factor_is_table(const cafe_operator_parts *q, int64_t l) {
    int64_t end = q->width - q->subtracted;
    return l >= end - q->tables && l < end;
}

/* May q(u,w) be above 0 for nodes without an edge? Of an operator with kappa > 0. */
bool cafe_operator_attracts(const cafe_operator_parts *q);

/* Returns f_u C f_u^T, without subtracted columns r_u^2. */
static inline double cafe_factor_square(const cafe_operator_parts *q, int64_t u) {
    double square = q->reach[u] * q->reach[u];
    return q->against ? square - 2 * (q->against[u] * q->against[u]) : square;
}

/* q(u,u) = sign a(u,u) / total + kappa f_u C f_u^T */
static inline double cafe_operator_diagonal(const cafe_operator_parts *q, int64_t u) {
    double loop = q->loops ? q->loops[u] / q->total : 0;
    return q->sign * loop + q->kappa * cafe_factor_square(q, u);
}

/* ---- sums ------------------------------------------------------------------------------------ */

/* A layer of a sum: w Q_l / unit. */
typedef struct cafe_summand {
    const cafe_operator *op; /* with rows, of the same nodes */
    double weight;           /* w, negative for -Q_l */
    double unit; /* 1 for a graph, whose P sums to 1. For a table a size that makes D^-1 Q_l / unit
                  * comparable: its largest eigenvalue */
} cafe_summand;

/* Creates Q = sum over l of w_l Q_l / unit_l with D = diag(sum of |w_l| p_l), where every p_l has
 * the sum 1. Weights are divided by the sum of their sizes, so that the parts of Q that are
 * distributions stay a distribution. The sum of one layer with a positive weight is that operator:
 * the same parts. Edges of one graph are read where they are, so layers must outlive the sum. */
cafe_status cafe_operator_sum(cafe_context *context, int64_t count, const cafe_summand *layers,
                              cafe_operator **op);

/* Creates Q of a graph under another null model than configuration, from its modularity `plain`,
 * which must outlive it. surplus of the directed model: (o_u - i_u) / 2. Of the two-sided one: a
 * number above 0 on one side and below on the other. NULL: of the others. */
cafe_status cafe_operator_null(cafe_context *context, const cafe_operator *plain, cafe_null null,
                               const double *surplus, cafe_operator **op);

/* Creates Q of a graph with slices, A / 2m - sum of f_s C f_s^T, from its modularity `plain`, which
 * must outlive it. Each slice has this null model; slice[nodes] is in 0 .. slices-1. */
cafe_status cafe_operator_slices(cafe_context *context, const cafe_operator *plain,
                                 const int32_t *slice, int64_t slices, cafe_null null,
                                 const double *surplus, cafe_operator **op);

/* d_u of the directed and the two-sided model, for a node of mass p_u. */
static inline double cafe_null_lean(cafe_null null, double surplus, double p) {
    return null == CAFE_NULL_DIRECTED ? surplus : surplus < 0 ? -p : p;
}

/* Bytes that the operator holds, plus the bytes of a product with blocks of `stride` floats a row.
 */
double cafe_operator_bytes(const cafe_operator *op, int64_t stride);

/* The matrix M that multiplies an n x K block. */
typedef enum cafe_side {
    CAFE_SIDE_PLAIN = 0, /* Q */
    CAFE_SIDE_WALK = 1   /* M = D^-1 Q, D = diag(p): symmetric in the inner product <x, y>_D = x^T D
                          * y */
} cafe_side;

/* Bounds rounding errors: row u of M E has length about reach_u ||E|| at most, if E is the error of
 * X. NULL: all 1. */
static inline const double *cafe_operator_reach(const cafe_operator *op, cafe_side side) {
    const cafe_operator_parts *q = &op->parts;
    return side == CAFE_SIDE_WALK && q->reach == q->p ? NULL : q->reach;
}

/* Y = a M X + b X + c Y with M = Q or D^-1 Q; X and Y are padded blocks (kernels/row_kernels.h)
 * that do not overlap. One pass over the arcs; nodes without edges get M x = 0. */
cafe_status cafe_operator_apply(cafe_context *context, const cafe_operator *op, cafe_side side,
                                int64_t stride, const float *x, float a, float b, float c,
                                float *y);
/* The same with rows of Y `step` floats apart: X has only some of the columns. */
cafe_status cafe_operator_apply_at(cafe_context *context, const cafe_operator *op, cafe_side side,
                                   int64_t stride, const float *x, float a, float b, float c,
                                   int64_t step, float *y);

/* Y = Q X in double precision for row-major n x width blocks, width <= CAFE_EXACT_WIDTH. The
 * largest width is the fastest per column, because one pass over the arcs dominates the cost. */
enum { CAFE_EXACT_WIDTH = CAFE_EIGHT };
CAFE_LAB cafe_status cafe_operator_exact(cafe_context *context, const cafe_operator_parts *q,
                                         int64_t width, const double *x, double *y);
/* The same for n x 8 floats: sums are doubles, and the result is rounded to floats. */
cafe_status cafe_operator_eight(cafe_context *context, const cafe_operator_parts *q, const float *x,
                                float *y);

/* S = F^T X, L x stride, added in blocks of fixed shape. For a graph S is one row, s = sum over w
 * of p_w x_w. */
cafe_status cafe_operator_sums(cafe_context *context, const cafe_operator *op, int64_t stride,
                               const float *x, double *s);

/* tr(X^T Q X) of a padded block X. */
cafe_status cafe_operator_trace_block(cafe_context *context, const cafe_operator *op,
                                      int64_t stride, const float *x, double *trace);

/* The nodes first, first + step, ... (`count` nodes); with a list, the nodes at these places. */
typedef struct cafe_range {
    int64_t first, step, count;
    const int32_t *list;
} cafe_range;

static inline int64_t cafe_range_node(const cafe_range *range, int64_t i) {
    int64_t place = range->first + i * range->step;
    return range->list ? range->list[place] : place;
}

/* Calls `done` for each node of a range with z_u = sum over w of a(u,w) x_w in row i of `out`. Rows
 * of out are out_step floats apart; 0: all sums use one row. Nodes with skip[u] != 0 (NULL: none)
 * are not summed, and their row is undefined. `own`: the caller will read x_u, so it is prefetched.
 */
typedef void cafe_row_done(void *argument, int64_t i, int64_t u, float *sum);
void cafe_stream_rows(const cafe_operator *op, int64_t stride, const float *x, cafe_range range,
                      const uint8_t *skip, bool own, float *out, int64_t out_step,
                      cafe_row_done *done, void *argument);

/* Computes the rows of a range (step 1) of Y = a M X + b X + c Y from a given S = F^T X. S is not
 * read if kappa is 0. Rows of Y are `step` floats apart. */
cafe_status cafe_product_rows(cafe_context *context, const cafe_operator *op, cafe_side side,
                              cafe_range rows, int64_t stride, const float *x, const double *s,
                              float a, float b, float c, int64_t step, float *y);
/* The same for Y = Q X with eight columns of floats (`single`) or doubles. */
cafe_status cafe_eight_rows(cafe_context *context, const cafe_operator_parts *q, bool single,
                            cafe_range rows, const double *s, const void *x, void *y);

/* Rows of a block: floats, and the same numbers in 16 bits (NULL: floats only; kernels/storage.h).
 */
typedef struct cafe_stored {
    const float *x;
    const uint16_t *packed;
    int32_t storage;
} cafe_stored;
/* The same sums for stored rows. */
void cafe_stream_stored(const cafe_operator *op, int64_t stride, cafe_stored x, cafe_range range,
                        const uint8_t *skip, bool own, float *out, int64_t out_step,
                        cafe_row_done *done, void *argument);

/* Prefetches a row. */
static inline void cafe_ask_row(const float *row, int64_t stride) {
    for (int64_t k = 0; k < stride; k += 16) __builtin_prefetch(row + k);
}

/* row[nodes] = (q(u,0), ..., q(u,n-1)) */
cafe_status cafe_operator_row(cafe_context *context, const cafe_operator *op, int64_t u,
                              double *row);

/* The modularity operator of walks of 1 to `window` steps over a sampled graph, without the rows of
 * their P: a product is `window` sparse ones. For products, traces and cafe_finish; calls that need
 * rows (solvers, rows, covariances, exact eigenpairs) refuse it with CAFE_ERROR_ARGUMENT. So
 * vectors of a solver that saw a drawn P can be certified for the exact one. */
cafe_status cafe_operator_walk(cafe_context *context, const cafe_sampled *sampled, int64_t window,
                               cafe_operator **op);

#endif
