/* Cholesky-QR from Gram matrices and in-place products. */
#include "spectral/tall.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "engine/dense.h"

static double distance_from_identity(int64_t k, const double *gram) {
    double largest = 0;
    for (int64_t i = 0; i < k * k; i++) {
        double entry = fabs(gram[i] - (i / k == i % k));
        if (!(entry <= largest)) largest = entry;
    }
    return largest;
}

/* One round: the Gram matrix is factored and its factor divided out. */
static cafe_status divide_factor(cafe_context *context, cafe_block *x, const double *floor,
                                 double *gram) {
    int64_t k = x->columns;
    double *m = cafe_mem(context, k * k, sizeof *m);
    int64_t *kept = cafe_mem(context, k, sizeof *kept);
    cafe_status status = m && kept ? CAFE_OK : CAFE_ERROR_MEMORY;
    if (status == CAFE_OK) {
        int64_t rank = cafe_dense_cholesky(k, gram, CAFE_RANK_TOLERANCE, floor, kept);
        cafe_dense_orthonormaliser(k, gram, rank, kept, m);
        for (int64_t i = 0; i < rank; i++) /* only the rows of kept columns are not 0 */
            memmove(m + i * rank, m + kept[i] * rank, (size_t)rank * sizeof *m);
        status = cafe_ops(x)->transform(context, x, rank, m, kept);
    }
    cafe_mem_free_all(context, m, kept);
    return status;
}

cafe_status cafe_tall_orthonormalise(cafe_context *context, cafe_block *x, const double *weights,
                                     const double *floor, double *error) {
    enum { MOST_ROUNDS = 4 };
    const double good = 2e-6; /* float32 rounding of the entries leaves about 1e-7 */
    cafe_status status = CAFE_ERROR_MEMORY;
    double *gram = cafe_mem(context, x->columns * x->columns, sizeof *gram);
    if (!gram) return status;
    for (int round = 0;; round++) {
        CAFE_TRY(cafe_ops(x)->gram(context, x, NULL, weights, false, gram));
        *error = distance_from_identity(x->columns, gram);
        if ((*error <= good) || round == MOST_ROUNDS || x->columns == 0) break;
        CAFE_TRY(divide_factor(context, x, round == 0 ? floor : NULL, gram));
    }
done:
    cafe_mem_free(context, gram);
    return status;
}
