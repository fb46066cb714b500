/* Randomised singular value decomposition (Halko, Martinsson, Tropp: Finding structure with
 * randomness, SIAM Review 53, 2011, algorithms 4.4 and 5.1).
 *
 *     Y = M (M^T M)^steps G,   G n x (rank + EXTRA) normal;   Q orthonormal, of Y's span
 *     Q^T M = W Sigma V^T,     M ~ Q Q^T M = (Q W) Sigma V^T
 *
 * The columns are made orthonormal after every product, since those of powers tend to the first
 * singular vector. W and Sigma come from the small Gram matrix of M^T Q in double precision. The
 * singular values found are lower bounds of those of M in their order.
 */
#include "spectral/randomized_svd.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/thread_pool.h"
#include "engine/dense.h"
#include "operator/operator.h"
#include "spectral/orthonormal.h"

enum { EXTRA = 10, ROWS = 256 };
static const double least_singular = 1e-6; /* of the largest */

/* ---- products -------------------------------------------------------------------------------- */

typedef struct product_job {
    cafe_operator rows; /* the matrix as streams of rows read it */
    int64_t stride;
    const float *x;
    float *y;
} product_job;

static void row_done(void *argument, int64_t i, int64_t u, float *sum) {
    (void)argument, (void)i, (void)u, (void)sum; /* it stands where it belongs */
}

/* y_u = sum over w of m(u,w) x_w for the rows of a block. */
static void product_block(void *argument, int64_t first, int64_t last) {
    const product_job *job = argument;
    cafe_range range = {first, 1, last - first, NULL};
    cafe_stream_rows(&job->rows, job->stride, job->x, range, NULL, false,
                     job->y + first * job->stride, job->stride, row_done, NULL);
}

cafe_status cafe_sparse_product(cafe_context *context, const cafe_sparse *m, bool transposed,
                                const cafe_block *x, cafe_block *y) {
    product_job job = {.stride = x->stride, .x = x->x, .y = y->x};
    job.rows.kernels = cafe_kernels_best();
    job.rows.parts = (cafe_operator_parts){.n = m->n,
                                           .offsets = m->offsets,
                                           .targets = m->targets,
                                           .weights = transposed ? m->transposed : m->values};
    y->columns = x->columns;
    return cafe_ranges(context, m->n, ROWS, product_block, &job);
}

static void swap(cafe_block *x, cafe_block *y) {
    cafe_block old = *x;
    *x = *y, *y = old;
}

/* ---- range and factors ----------------------------------------------------------------------- */

/* Q into x: orthonormal columns that span M (M^T M)^steps G; y is room. */
static cafe_status find_range(cafe_context *context, const cafe_sparse *m,
                              const cafe_sketch_options *o, cafe_block *x, cafe_block *y) {
    cafe_start start = {.kind = CAFE_START_NORMAL, .seed = context->seed, .stream = o->stream};
    double error;
    cafe_phase(context, "sketch", 2 * o->steps + 1);
    CAFE_PASS(cafe_ops(x)->start(context, x, &start));
    for (int64_t i = 0; i < 2 * o->steps + 1 && x->columns > 0; i++) {
        CAFE_PASS(cafe_sparse_product(context, m, i % 2, x, y));
        CAFE_PASS(cafe_tall_orthonormalise(context, y, NULL, NULL, NULL, &error));
        swap(x, y);
        cafe_step(context, i + 1, 0);
    }
    return CAFE_OK;
}

/* x <- Q W sqrt(Sigma), from (M^T Q)^T (M^T Q) = W Sigma^2 W^T with M^T Q in y. */
static cafe_status factors(cafe_context *context, int64_t most, const cafe_block *y, cafe_block *x,
                           double *values) {
    cafe_status status = CAFE_OK;
    int64_t k = x->columns, rank = 0;
    double *w = cafe_mem(context, k * k, sizeof *w), *m = cafe_mem(context, k * k, sizeof *m);
    double *squares = cafe_mem(context, k, sizeof *squares);
    CAFE_TRY(cafe_mem_had(w, m, squares));
    CAFE_TRY(cafe_ops(y)->gram(context, y, NULL, NULL, false, w));
    CAFE_TRY(cafe_dense_eigen(context, k, w, squares));
    double least = least_singular * least_singular * squares[0];
    for (; rank < most && rank < k && squares[rank] > least; rank++)
        values[rank] = sqrt(squares[rank]);
    for (int64_t i = 0; i < k; i++)
        for (int64_t j = 0; j < rank; j++) m[i * rank + j] = w[i * k + j] * sqrt(values[j]);
    if (rank > 0) CAFE_TRY(cafe_ops(x)->transform(context, x, rank, m, NULL, NULL));
    x->columns = rank;
done:
    cafe_mem_free_all(context, w, m, squares);
    return status;
}

/* Columns of the range: rank + EXTRA, at most n. The expected error of the range falls with EXTRA
 * (Halko et al., theorem 10.6):
 *
 *     E ||M - Q Q^T M||_F <= sqrt(1 + rank / (EXTRA - 1)) (sum over j > rank of sigma_j^2)^(1/2).
 */
static int64_t width(int64_t n, int64_t rank) {
    return rank + EXTRA < n ? rank + EXTRA : n;
}

/* x <- U sqrt(Sigma) from the range Q of M and the small problem (M^T Q)^T (M^T Q) = W Sigma^2 W^T:
 * 2 steps + 2 products with M in all. */
cafe_status cafe_sketch(cafe_context *context, const cafe_sparse *m,
                        const cafe_sketch_options *options, cafe_block *x, double *values) {
    cafe_status status = CAFE_OK;
    cafe_block y = {0};
    memset(values, 0, (size_t)options->rank * sizeof *values);
    CAFE_TRY(cafe_block_make(context, m->n, width(m->n, options->rank), x));
    CAFE_TRY(cafe_block_make(context, m->n, x->columns, &y));
    CAFE_TRY(find_range(context, m, options, x, &y));
    if (x->columns > 0) {
        CAFE_TRY(cafe_sparse_product(context, m, true, x, &y));
        CAFE_TRY(factors(context, options->rank, &y, x, values));
    }
done:
    cafe_block_drop(context, &y);
    return status;
}

double cafe_sketch_bytes(int64_t n, int64_t rank) {
    return 2.0 * (double)n * (double)cafe_stride(width(n, rank)) * sizeof(float);
}
