/* Alignment of old and new rows: the rotation that brings them together, and the angles between the
 * spaces of their columns.
 *
 * All follows from the Gram matrix of [B N] in the inner product of the row weights W; B has the
 * old rows, N the new ones:
 *
 *     orthogonal Procrustes   min ||W^1/2 (N R - B)||, R^T R = I:   N^T W B = U S V^T, R = U V^T
 *     principal angles        cosines are the singular values of Q_B^T W Q_N, Q orthonormal bases
 */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "engine/dense.h"
#include "spectral/orthonormal.h"
#include "update/update.h"

/* Block (i,j) of the 2 x 2 blocks of the Gram matrix, row-major k x k. */
static void take_block(int64_t k, const double *gram, int i, int j, double *block) {
    for (int64_t r = 0; r < k; r++)
        memcpy(block + r * k, gram + ((int64_t)i * k + r) * 2 * k + (int64_t)j * k,
               (size_t)k * sizeof *block);
}

/* rotation = polar factor of N^T W B. Adding a small multiple of the identity decides directions
 * without weight. */
static cafe_status find_rotation(cafe_context *context, int64_t k, const double *gram,
                                 double *rotation) {
    double *work = cafe_mem(context, 3 * k * k + k, sizeof *work);
    if (!work) return CAFE_ERROR_MEMORY;
    double *m = work, *u = m + k * k, *vt = u + k * k, *values = vt + k * k, trace = 0;
    take_block(k, gram, 1, 0, m);
    for (int64_t i = 0; i < k; i++) trace += fabs(gram[i * 2 * k + i]);
    for (int64_t i = 0; i < k; i++) m[i * k + i] += 1e-9 * trace / (double)k;
    /* read column-major m is its transpose, N^T W B = V S U^T: R = V U^T is vt u read row-major */
    cafe_status status = cafe_dense_singular(context, k, k, m, values, u, vt);
    if (status == CAFE_OK) cafe_dense_product(false, k, k, k, vt, u, rotation);
    cafe_mem_free(context, work);
    return status;
}

/* The matrix (k x rank) that makes the columns with this Gram matrix orthonormal. */
static int64_t orthonormaliser(int64_t k, double *gram, int64_t *kept, double *m) {
    int64_t rank = cafe_dense_cholesky(k, gram, CAFE_RANK_TOLERANCE, NULL, NULL, kept);
    cafe_dense_orthonormaliser(k, gram, rank, kept, m);
    return rank;
}

static cafe_status find_angles(cafe_context *context, int64_t k, const double *gram,
                               cafe_alignment *alignment) {
    double *work = cafe_mem(context, 5 * k * k + k, sizeof *work);
    int64_t *kept = cafe_mem(context, k, sizeof *kept);
    cafe_status status;
    CAFE_TRY(cafe_mem_had(work, kept));
    double *block = work, *before = block + k * k, *now = before + k * k, *half = now + k * k,
           *cross = half + k * k, *values = cross + k * k, sum = 0, least = 1;
    take_block(k, gram, 0, 0, block);
    int64_t rows = orthonormaliser(k, block, kept, before);
    take_block(k, gram, 1, 1, block);
    int64_t columns = orthonormaliser(k, block, kept, now);
    int64_t count = rows < columns ? rows : columns;
    if (count == 0) goto done;
    take_block(k, gram, 0, 1, block);
    cafe_dense_product(false, k, k, columns, block, now, half);
    cafe_dense_product(true, rows, k, columns, before, half, cross);
    /* row-major rows x columns is column-major columns x rows, of the same singular values */
    CAFE_TRY(cafe_dense_singular(context, columns, rows, cross, values, NULL, NULL));
    for (int64_t i = 0; i < count; i++) {
        double cosine = values[i] < 1 ? values[i] : 1;
        if (cosine < least) least = cosine;
        sum += acos(cosine);
    }
    alignment->largest = acos(least);
    alignment->mean = sum / (double)count;
done:
    cafe_mem_free_all(context, work, kept);
    return status;
}

/* ---- the Gram matrix ------------------------------------------------------------------------- */

static bool row_moved(const cafe_block *b, const cafe_block *x, int64_t u) {
    size_t bytes = (size_t)b->columns * sizeof *b->x;
    return memcmp(b->x + u * b->stride, x->x + u * x->stride, bytes) != 0;
}

/* Copies the moved rows of both blocks, and their weights. */
static void take_moved(const cafe_block *b, const cafe_block *x, const double *weights,
                       cafe_block *before, cafe_block *now, double *some) {
    size_t bytes = (size_t)b->stride * sizeof *b->x;
    int64_t i = 0;
    for (int64_t u = 0; u < b->n; u++) {
        if (!row_moved(b, x, u)) continue;
        memcpy(before->x + i * b->stride, b->x + u * b->stride, bytes);
        memcpy(now->x + i * b->stride, x->x + u * b->stride, bytes);
        some[i++] = weights ? weights[u] : 1;
    }
}

/* A row that did not move adds the same to all four blocks. With the moved rows B_m and N_m every
 * block (i,j) is B^T W B - B_m^T W B_m + block (i,j) of [B_m N_m]. */
static cafe_status gram_by_moves(cafe_context *context, const cafe_block *b, const cafe_block *x,
                                 const double *weights, int64_t moved, double *gram) {
    int64_t k = b->columns, cells = moved * b->stride;
    cafe_status status = CAFE_OK;
    cafe_block before =
        cafe_block_rows(moved, b->stride, k, cafe_mem(context, cells, sizeof(float)));
    cafe_block now = cafe_block_rows(moved, b->stride, k, cafe_mem(context, cells, sizeof(float)));
    double *some = cafe_mem(context, moved, sizeof *some);
    double *whole = cafe_mem(context, k * k, sizeof *whole);
    CAFE_TRY(cafe_mem_had(before.x, now.x, some, whole));
    take_moved(b, x, weights, &before, &now, some);
    CAFE_TRY(cafe_ops(b)->gram(context, b, NULL, weights, false, whole));
    CAFE_TRY(cafe_ops(&before)->gram(context, &before, &now, some, false, gram));
    for (int64_t i = 0; i < k; i++)
        for (int64_t j = 0; j < k; j++) {
            double rest = whole[i * k + j] - gram[i * 2 * k + j];
            gram[i * 2 * k + j] += rest;
            gram[i * 2 * k + k + j] += rest;
            gram[(k + i) * 2 * k + j] += rest;
            gram[(k + i) * 2 * k + k + j] += rest;
        }
done:
    cafe_mem_free_all(context, before.x, now.x, some, whole);
    return status;
}

static cafe_status find_gram(cafe_context *context, const cafe_block *b, const cafe_block *x,
                             const double *weights, double *gram) {
    int64_t moved = 0;
    for (int64_t u = 0; u < b->n; u++) moved += row_moved(b, x, u);
    if (moved > 0 && moved < b->n / 2) return gram_by_moves(context, b, x, weights, moved, gram);
    return cafe_ops(b)->gram(context, b, x, weights, false, gram);
}

/* ---- the call -------------------------------------------------------------------------------- */

static double distance_to_identity(int64_t k, const double *rotation) {
    double sum = 0;
    for (int64_t i = 0; i < k * k; i++) {
        double entry = rotation[i] - (i / k == i % k);
        sum += entry * entry;
    }
    return sqrt(sum);
}

cafe_status cafe_align(cafe_context *context, int64_t n, int64_t columns, int64_t stride,
                       float *before, float *now, const double *weights, bool turn,
                       double *rotation, cafe_alignment *alignment) {
    cafe_block b = cafe_block_rows(n, stride, columns, before),
               x = cafe_block_rows(n, stride, columns, now);
    cafe_status status = CAFE_OK;
    double *gram = cafe_mem(context, 4 * columns * columns, sizeof *gram);
    CAFE_TRY(cafe_mem_had(gram));
    CAFE_TRY(find_gram(context, &b, &x, weights, gram));
    CAFE_TRY(find_angles(context, columns, gram, alignment));
    if (!turn) goto done;
    CAFE_TRY(find_rotation(context, columns, gram, rotation));
    alignment->distance = distance_to_identity(columns, rotation);
    CAFE_TRY(cafe_ops(&x)->transform(context, &x, columns, rotation, NULL, NULL));
done:
    cafe_mem_free(context, gram);
    return status;
}
