/* Tall blocks of eight columns, n x 8 row-major, of floats or doubles: the loops of the
 * eigensolver.
 *
 * Numbers are stored as floats or doubles; sums over many rows, blocks or neighbours are doubles.
 * Every sum has one order on all instruction sets, so all builds give the same bits.
 */
#ifndef CAFE_KERNELS_EIGHT_COLUMNS_H
#define CAFE_KERNELS_EIGHT_COLUMNS_H

#include <stdint.h>

enum {
    CAFE_EIGHT = 8,
    CAFE_EIGHTS_SEGMENT = 128, /* rows whose products `cross` adds in the stored type */
};

typedef struct cafe_eights {
    int64_t size; /* bytes of a number */

    /* C += A^T W: 8 x 8 */
    void (*cross)(int64_t rows, const void *a, const void *w, double *c);

    /* Y = [Y +] sum over the blocks b of A_b C_b, each A_b `step` numbers after the one before;
     * C is 8 blocks x 8 and of the type that is stored, a block's eight terms are added up in it.
     */
    void (*combine)(int64_t rows, int64_t blocks, const void *a, int64_t step, const void *c,
                    int add, void *y);

    /* sum += the rows `targets` of X, times weights (NULL: all 1). The first `known` >= count
     * targets may be read, to prefetch their rows. */
    void (*gather)(const void *x, const int32_t *targets, const float *weights, int64_t count,
                   int64_t known, double *sum);

    /* sum += weights^T X */
    void (*weigh)(int64_t rows, const double *weights, const void *x, double *sum);
} cafe_eights;

#endif
