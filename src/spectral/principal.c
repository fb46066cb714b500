/* Exact principal components through the L x L covariance, and projections onto them.
 *
 *     X^T X e_l = s_l e_l   =>   Q u_l = X X^T u_l = s_l u_l,   u_l = X e_l / sqrt(s_l)
 *
 * Values below CAFE_TABLE_RANK^2 of the largest are rounding, and left out.
 */

#include "base/memory.h"
#include "engine/dense.h"
#include "spectral/reduction.h"

cafe_status cafe_principal_find(cafe_context *context, const cafe_operator *table, int64_t asked,
                                cafe_principal *principal) {
    int64_t width = table->parts.width;
    cafe_block x = cafe_block_rows(table->n, width, width, cafe_operator_centred(table)->x);
    cafe_status status = CAFE_ERROR_MEMORY;
    *principal = (cafe_principal){0};
    principal->values = cafe_mem(context, width, sizeof(double));
    principal->vectors = cafe_mem(context, width * width, sizeof(double));
    if (!principal->values || !principal->vectors) goto done;
    cafe_phase(context, "components", 0);
    CAFE_TRY(cafe_ops(&x)->gram(context, &x, NULL, NULL, false, principal->vectors));
    CAFE_TRY(cafe_check_cancel(context));
    CAFE_TRY(cafe_dense_eigen(context, width, principal->vectors, principal->values));
    double least = CAFE_TABLE_RANK * CAFE_TABLE_RANK * principal->values[0];
    while (principal->pairs < asked && principal->pairs < width &&
           principal->values[principal->pairs] > least)
        principal->pairs++;
done:
    if (status != CAFE_OK) cafe_principal_free(context, principal);
    return status;
}

/* Frees the components; may be called twice. */
void cafe_principal_free(cafe_context *context, cafe_principal *principal) {
    cafe_mem_free_all(context, principal->values, principal->vectors);
    *principal = (cafe_principal){0};
}

/* The share of v_j outside the span of the exact components u_l = X e_l / sqrt(values_l):
 *
 *     projections_j = 1 - sum over l of <v_j, u_l>^2 / ||v_j||^2,   <v_j, X e_l> = <X^T v_j, e_l>.
 */
cafe_status cafe_principal_project(cafe_context *context, const cafe_operator *table,
                                   const cafe_principal *principal, const cafe_block *v,
                                   double *projections) {
    int64_t width = table->parts.width;
    cafe_status status = CAFE_ERROR_MEMORY;
    double *norms = cafe_mem(context, v->columns, sizeof *norms);
    double *sums = cafe_mem(context, width * v->stride, sizeof *sums); /* X^T V */
    if (!norms || !sums) goto done;
    CAFE_TRY(cafe_operator_sums(context, table, v->stride, v->x, sums));
    CAFE_TRY(cafe_ops(v)->norms(context, v, NULL, norms));
    for (int64_t j = 0; j < v->columns; j++) {
        double inside = 0;
        for (int64_t l = 0; l < principal->pairs; l++) {
            double c = 0; /* <v_j, X e_l> = <X^T v_j, e_l> */
            for (int64_t i = 0; i < width; i++)
                c += sums[i * v->stride + j] * principal->vectors[i * width + l];
            inside += c * c / principal->values[l];
        }
        /* a float column's length is 1 to about 1e-7 only: its share, not its distance from 1 */
        double left = 1 - inside / (norms[j] * norms[j]);
        projections[j] = left > 0 ? left : 0;
    }
done:
    cafe_mem_free_all(context, norms, sums);
    return status;
}
