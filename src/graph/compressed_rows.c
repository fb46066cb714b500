/* Compressed rows made in two passes: counted, their offsets added up, written. */
#include "graph/compressed_rows.h"

#include "base/memory.h"

cafe_status cafe_rows_make(cafe_context *context, int64_t n, int64_t block, cafe_task *task,
                           void *argument, cafe_rows *rows) {
    *rows = (cafe_rows){.n = n, .offsets = cafe_mem_zero(context, n + 1, sizeof *rows->offsets)};
    if (!rows->offsets) return CAFE_ERROR_MEMORY;
    CAFE_PASS(cafe_parallel(context, cafe_blocks(n, block), task, argument));
    for (int64_t u = 0; u < n; u++) rows->offsets[u + 1] += rows->offsets[u];
    rows->targets = cafe_mem(context, rows->offsets[n], sizeof *rows->targets);
    rows->weights = cafe_mem(context, rows->offsets[n], sizeof *rows->weights);
    if (!rows->targets || !rows->weights) return CAFE_ERROR_MEMORY;
    return cafe_parallel(context, cafe_blocks(n, block), task, argument);
}

cafe_status cafe_rows_new(cafe_context *context, int64_t n, int64_t count, cafe_rows *rows) {
    *rows = (cafe_rows){.n = n};
    rows->offsets = cafe_mem_zero(context, n + 2, sizeof *rows->offsets);
    rows->targets = cafe_mem(context, count, sizeof *rows->targets);
    rows->weights = cafe_mem(context, count, sizeof *rows->weights);
    return rows->offsets && rows->targets && rows->weights ? CAFE_OK : CAFE_ERROR_MEMORY;
}

void cafe_rows_free(cafe_context *context, cafe_rows *rows) {
    cafe_mem_free_all(context, rows->offsets, rows->targets, rows->weights);
    *rows = (cafe_rows){0};
}
