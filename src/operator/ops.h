/* The operations of a kind of operator, private to this folder. */
#ifndef CAFE_OPERATOR_OPS_H
#define CAFE_OPERATOR_OPS_H

#include "operator/operator.h"

struct cafe_operator_ops {
    const char *name; /* for messages: "the modularity of a graph" */
    bool rows; /* the parts are those of Q: rows, diagonal and chunk shifts follow from them */
    /* Y = a M X + b X + c Y, rows of Y `step` floats apart, and S = F^T X, as in operator.h */
    cafe_status (*product)(cafe_context *context, const cafe_operator *op, cafe_side side,
                           int64_t stride, const float *x, float a, float b, float c, int64_t step,
                           float *y);
    cafe_status (*sums)(cafe_context *context, const cafe_operator *op, int64_t stride,
                        const float *x, double *s);
    double (*bytes)(const cafe_operator *op, int64_t stride);
    void (*free)(cafe_operator *op); /* frees the private data; NULL: none */
};

/* Creates an operator of this kind with empty parts. */
cafe_status cafe_operator_new(cafe_context *context, const cafe_operator_ops *ops, int64_t n,
                              cafe_operator **op);

/* The product of every operator that its parts define. */
cafe_status cafe_parts_product(cafe_context *context, const cafe_operator *op, cafe_side side,
                               int64_t stride, const float *x, float a, float b, float c,
                               int64_t step, float *y);

/* The sums of a graph; walks use them with the operator of one step. */
cafe_status cafe_modularity_sums(cafe_context *context, const cafe_operator *op, int64_t stride,
                                 const float *x, double *s);

/* S = F^T X for F of several columns, in tiles of rows (table_operator.h). */
cafe_status cafe_table_sums(cafe_context *context, const cafe_operator *op, int64_t stride,
                            const float *x, double *s);
/* The bytes of the table X, of two numbers a row beside it, and of these sums. */
double cafe_table_bytes(const cafe_operator *op, int64_t stride);

/* Returns the parts of the modularity of a sampled graph. */
cafe_operator_parts cafe_modularity_parts(const cafe_sampled *sampled);

#endif
