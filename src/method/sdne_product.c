/* Products of float matrices, tile by tile over the pool.
 *
 * How BLAS adds up an entry depends on the shape it is asked for, not on the threads: the shapes of
 * the tiles follow from the matrix alone. Every tile is whole (no sum is split between tasks), so
 * nothing is left to add.
 */
#include <cblas.h>

#include "base/pool.h"
#include "method/sdne_net.h"

static void tile(void *argument, int64_t task, int32_t worker) {
    const cafe_sdne_product *p = argument;
    int64_t across = cafe_blocks(p->columns, CAFE_SDNE_TILE);
    int64_t i = task / across * CAFE_SDNE_TILE, j = task % across * CAFE_SDNE_TILE;
    int64_t rows = cafe_block_end(p->rows, CAFE_SDNE_TILE, task / across) - i;
    int64_t columns = cafe_block_end(p->columns, CAFE_SDNE_TILE, task % across) - j;
    int64_t step_a = p->transpose_a ? p->rows : p->inner;
    int64_t step_b = p->transpose_b ? p->inner : p->columns;
    const float *a = p->a + (p->transpose_a ? i : i * step_a);
    const float *b = p->b + (p->transpose_b ? j * step_b : j);
    (void)worker;
    cblas_sgemm(CblasRowMajor, p->transpose_a ? CblasTrans : CblasNoTrans,
                p->transpose_b ? CblasTrans : CblasNoTrans, (int)rows, (int)columns, (int)p->inner,
                1, a, (int)step_a, b, (int)step_b, 0, p->c + i * p->columns + j, (int)p->columns);
}

cafe_status cafe_sdne_multiply(cafe_context *context, cafe_sdne_product *product) {
    int64_t tiles =
        cafe_blocks(product->rows, CAFE_SDNE_TILE) * cafe_blocks(product->columns, CAFE_SDNE_TILE);
    return cafe_parallel(context, tiles, tile, product);
}
