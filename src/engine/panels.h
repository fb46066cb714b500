/* Blocks in files (base/memory_limit.h) where rows are read at random: copies in memory. */
#ifndef CAFE_ENGINE_PANELS_H
#define CAFE_ENGINE_PANELS_H

#include "engine/engine.h"

/* Y = a M X + b X + c Y for a block X in a file. Groups of columns of X are copied into memory, as
 * many columns as fit. Each group costs one pass over the edges and one read of X. */
cafe_status cafe_panels_product(cafe_context *context, const cafe_operator *op, cafe_side side,
                                float a, const cafe_block *x, float b, float c, cafe_block *y);

/* Plans a sweep over H in a file: all columns in memory (*width = its stride), or *width columns at
 * a time, and then few chunks. *chunks = 0 is replaced by a choice. */
cafe_status cafe_panels_fit(cafe_context *context, const cafe_operator *op, const cafe_block *h,
                            int64_t *chunks, int64_t *width);

/* Moves a block from its file into memory, and back; *file keeps its place in the file. Returns
 * CAFE_ERROR_LIMIT if the memory limit leaves no room. */
cafe_status cafe_panel_take(cafe_context *context, cafe_block *x, float **file);
void cafe_panel_return(cafe_context *context, float *file, cafe_block *x);

#endif
