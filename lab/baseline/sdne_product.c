/* Products of float matrices, tile by tile over the pool.
 *
 * Every tile is whole: no sum is split between tasks, so nothing is left to add, and an entry has
 * the same bits in any tile.
 */
#include "base/thread_pool.h"
#include "baseline/sdne_net.h"
#include "kernels/row_kernels.h"

static void tile(void *argument, int64_t task, int32_t worker) {
    const cafe_sdne_product *p = argument;
    int64_t across = cafe_blocks(p->columns, CAFE_SDNE_TILE);
    int64_t i = task / across * CAFE_SDNE_TILE, j = task % across * CAFE_SDNE_TILE;
    int64_t rows = cafe_block_end(p->rows, CAFE_SDNE_TILE, task / across) - i;
    int64_t columns = cafe_block_end(p->columns, CAFE_SDNE_TILE, task % across) - j;
    cafe_product x = cafe_product_of(rows, columns, p->inner);
    x.b_inner = x.c_row = p->columns;
    if (p->transpose_a) x.a_row = 1, x.a_inner = p->rows;
    if (p->transpose_b) x.b_inner = 1, x.b_column = p->inner;
    (void)worker;
    cafe_kernels_best()->products->in_single(&x, p->a + i * x.a_row, p->b + j * x.b_column,
                                             p->c + i * p->columns + j);
}

cafe_status cafe_sdne_multiply(cafe_context *context, cafe_sdne_product *product) {
    int64_t tiles =
        cafe_blocks(product->rows, CAFE_SDNE_TILE) * cafe_blocks(product->columns, CAFE_SDNE_TILE);
    return cafe_parallel(context, tiles, tile, product);
}
