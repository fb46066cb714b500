/* Numeric loops over rows of n x K float blocks: no allocation, no errors.
 *
 * A block is row-major; its rows are `stride` floats apart, stride = cafe_stride(K), and the floats
 * after column K are zero and stay zero. So no loop has a ragged end.
 *
 * Every loop fixes the order of its additions (16 lanes, then the lanes), whatever the instruction
 * set: all builds give the same bits.
 */
#ifndef CAFE_KERNELS_ROW_KERNELS_H
#define CAFE_KERNELS_ROW_KERNELS_H

#include <stdint.h>

#include "kernels/edge_hashes.h"
#include "kernels/eight_columns.h"
#include "kernels/products.h"
#include "kernels/storage.h"
#include "kernels/sum_shapes.h"
#include "os/lab.h"

/* How far the gather asks ahead at most, in rows; lists of targets must be readable that far past
 * their end (the lists of src/operator/neighbour_sums.h do so). */
enum { CAFE_AHEAD = 32 };

/* Rows that a gather sums up in registers before they join the total, which bounds the rounding: a
 * long list cut after whole segments gives the same bits. */
enum { CAFE_SEGMENT = 256 };

/* Floats from one row to the next for K columns: rows of 16 and more columns start on a cache line.
 */
static inline int64_t cafe_stride(int64_t columns) {
    if (columns <= 4) return 4;
    if (columns <= 8) return 8;
    return (columns + 15) / 16 * 16;
}

/* How a node is pulled, in units of p_u: with sum = sum over w of a(u,w) h_w, loop included,
 *     z = sum / d_u - s + own h
 * where own = p_u - a(u,u) / d_u takes the diagonal of Q out again. */
typedef struct cafe_pull {
    float inverse_degree, own;
} cafe_pull;

/* The contribution of a node's move Delta to the change of the objective. */
typedef struct cafe_gain {
    double linear; /* <z, Delta> */
    double square; /* ||Delta||^2 */
} cafe_gain;

typedef struct cafe_kernels {
    const char *name;

    /* out = sum over j of weights_j * h[target_j] (added to out unless `first`); weights NULL:
     * all 1. While it adds row j it asks memory for row j + CAFE_AHEAD, so targets[count .. count +
     * CAFE_AHEAD) are read too. */
    void (*gather)(const float *h, int64_t stride, const int32_t *targets, const float *weights,
                   int64_t count, int first, float *out);

    /* The same of rows of 16 bits (kernels/storage.h). */
    void (*gather_packed)(int32_t storage, const uint16_t *h, int64_t stride,
                          const int32_t *targets, const float *weights, int64_t count, int first,
                          float *out);

    /* Updates of one node: `row` is the sum of the neighbours on entry and the new h on return.
     *
     *   sphere   (z + keep h) / ||z + keep h||; if the numerator vanishes, h stays
     *   softmax  h_k exp(theta z_k) / sum over l of h_l exp(theta z_l); entries that are 0 stay 0
     *
     * The new h is rounded to the storage, and the gain is that of the rounded row.
     */
    cafe_gain (*sphere)(int32_t storage, int64_t stride, const float *h, const float *s,
                        cafe_pull pull, float keep, float *row);
    cafe_gain (*softmax)(int32_t storage, int64_t stride, const float *h, const float *s,
                         cafe_pull pull, float theta, float *row);

    /* y = a * (sum * scale - shift * s) + b * x + c * y; x, y are not read when b = c = 0 */
    void (*combine)(int64_t stride, const float *sum, float scale, float shift, const float *s,
                    float a, float b, const float *x, float c, float *y);

    double (*dot)(int64_t stride, const float *x, const float *y);
    /* <x - old_x, y - old_y> */
    double (*dot_moves)(int64_t stride, const float *x, const float *old_x, const float *y,
                        const float *old_y);

    /* y += weight x;  y += weight (x - old), each number on the grid of kernels/sum_shapes.h */
    void (*accumulate)(int64_t stride, double weight, const float *x, double *y);
    void (*accumulate_move)(int64_t stride, double weight, const float *x, const float *old,
                            double *y);

    /* Exchanges x and y, and prefetches `next` for writing. */
    void (*exchange)(int64_t stride, float *x, float *y, const float *next);

    /* x rounded to the storage, a multiple of four numbers; and such numbers as 16 bits each */
    void (*round)(int32_t storage, int64_t count, float *x);
    void (*pack)(int32_t storage, int64_t count, const float *x, uint16_t *y);

    cafe_hash_links *hash_links;
    const cafe_products *products;
    const cafe_eights *eights[2]; /* of floats, of doubles */
} cafe_kernels;

/* The fastest set this machine runs. */
CAFE_LAB const cafe_kernels *cafe_kernels_best(void);
/* "plain", "avx2" or "avx512"; NULL when unknown or not runnable here. */
const cafe_kernels *cafe_kernels_named(const char *name);

#endif
