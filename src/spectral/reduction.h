/* The reduction's inside, and the exact principal components it is compared with. */
#ifndef CAFE_SPECTRAL_REDUCTION_H
#define CAFE_SPECTRAL_REDUCTION_H

#include <cafe/reduce.h>

#include "operator/table_operator.h"
#include "spectral/embedding.h"

struct cafe_reduction {
    cafe_context *context;
    float *h;                  /* rows x held */
    cafe_embedding *embedding; /* the vectors and their certificate */
    double *objective, *means, *w, *masses, *shares;
    double *projections, *eigenvalues; /* NULL: not computed */
    cafe_reduction_report report;
};

/* Singular values of a table below this share of the largest are the rounding of its entries. */
#define CAFE_TABLE_RANK 1e-6

/* The eigenproblem of the covariance, L x L, is solved up to this width: one dense problem, which
 * cannot be cancelled, then stays below a second. */
enum { CAFE_MOST_WIDTH = 1024 };

/* The dominant eigenpairs of Q = X X^T, from X^T X = E diag(values) E^T: as many as `asked` and the
 * rank of X allow. The eigenvectors of Q are X e_l / sqrt(values_l). */
typedef struct cafe_principal {
    int64_t pairs;
    double *values;  /* L, descending */
    double *vectors; /* L x L: column l is e_l */
} cafe_principal;

cafe_status cafe_principal_find(cafe_context *context, const cafe_operator *table, int64_t asked,
                                cafe_principal *principal);
void cafe_principal_free(cafe_context *context, cafe_principal *principal);

/* projections_j = 1 - sum over pairs of <v_j, X e_l>^2 / values_l. */
cafe_status cafe_principal_project(cafe_context *context, const cafe_operator *table,
                                   const cafe_principal *principal, const cafe_block *v,
                                   double *projections);

void cafe_reduction_copy_h(const cafe_reduction *reduction, float *h);

#endif
