/* Deflation: known eigenvectors X of M move to the other end of the spectrum by
 *
 *     M' = M + |M| X X^T,
 *
 * and all other eigenvectors stay. If one eigenvalue belongs to both wanted ends, the vectors of
 * one end are then not found again at the other.
 */
#include "spectral/deflation.h"

#include <math.h>

#include "base/memory.h"

enum { WIDTH = CAFE_EIGEN_WIDTH, ROWS = 512, PARTS = 16 /* of a sum over rows */ };

typedef struct apart {
    const cafe_eigen_problem *problem;
    cafe_owned rows;
    const cafe_eigen *known;
    int64_t first, count; /* X: columns of the known vectors */
    double norm;
    double *c; /* X^T x: count x 8 */
    const double *x;
    double *y;
} apart;

static const double *row_of(const apart *a, int64_t u) {
    return a->known->vectors + u * a->known->count + a->first;
}

/* X^T x */
static void add_cross(void *argument, int64_t first, int64_t last, double *sums) {
    const apart *a = argument;
    for (int64_t u = first; u < last; u++)
        for (int64_t j = 0; j < a->count; j++)
            for (int64_t i = 0; i < WIDTH; i++)
                sums[j * WIDTH + i] += row_of(a, u)[j] * a->x[u * WIDTH + i];
}

/* y += |M| X c */
static void add_known(void *argument, int64_t first, int64_t last) {
    const apart *a = argument;
    for (int64_t u = first; u < last; u++)
        for (int64_t j = 0; j < a->count; j++)
            for (int64_t i = 0; i < WIDTH; i++)
                a->y[u * WIDTH + i] += a->norm * row_of(a, u)[j] * a->c[j * WIDTH + i];
}

/* y <- M x + |M| X (X^T x) */
static cafe_status multiply(cafe_context *context, const void *argument, const double *x,
                            double *y) {
    apart own = *(const apart *)argument, *a = &own;
    int64_t rows = cafe_blocks(cafe_blocks(a->rows.n, PARTS), ROWS) * ROWS;
    a->x = x, a->y = y;
    for (int64_t i = 0; i < a->count * WIDTH; i++) a->c[i] = 0;
    CAFE_PASS(a->problem->product(context, a->problem->argument, x, y));
    CAFE_PASS(cafe_owned_sums(context, &a->rows, rows, add_cross, a, a->count * WIDTH, a->c));
    return cafe_ranges(context, a->rows.own, ROWS, add_known, a);
}

/* |M'| <= 2 |M|, so the tolerance for M' is half of that for M. */
cafe_status cafe_eigen_apart(cafe_context *context, const cafe_eigen_problem *problem,
                             const cafe_eigen *known, int64_t first, cafe_eigen *found) {
    apart a = {problem, cafe_eigen_rows(problem), known, first, .count = known->count - first};
    cafe_eigen_problem other = *problem;
    for (int64_t j = 0; j < known->count; j++) a.norm = fmax(a.norm, fabs(known->values[j]));
    for (int64_t j = 0; j < found->count; j++) a.norm = fmax(a.norm, fabs(found->values[j]));
    a.c = cafe_mem(context, a.count * WIDTH, sizeof *a.c);
    if (!a.c) return CAFE_ERROR_MEMORY;
    other.product = multiply, other.single = NULL, other.argument = &a, other.tolerance /= 2;
    cafe_eigen_free(context, found);
    cafe_status status = cafe_eigen_solve(context, &other, found);
    cafe_mem_free(context, a.c);
    return status;
}
