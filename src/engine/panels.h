/* Blocks in files (base/memory_limit.h) where rows are read at random: copies in memory. */
#ifndef CAFE_ENGINE_PANELS_H
#define CAFE_ENGINE_PANELS_H

#include "engine/engine.h"

/* Y = a M X + b X + c Y for an X in a file: as many columns at a time as there is room for are
 * copied into memory. The links are passed over once a group of columns, X is read once a group. */
cafe_status cafe_panels_product(cafe_context *context, const cafe_operator *op, cafe_side side,
                                float a, const cafe_block *x, float b, float c, cafe_block *y);

/* How a sweep goes over an H in a file: all columns in memory (*width = its stride), or so many of
 * them at a time, and then in few chunks; *chunks 0 are chosen. */
cafe_status cafe_panels_fit(cafe_context *context, const cafe_operator *op, const cafe_block *h,
                            int64_t *chunks, int64_t *width);

/* Moves a block from its file into memory, and back: *file is where it lay. CAFE_ERROR_LIMIT where
 * there is no room for it. */
cafe_status cafe_panel_take(cafe_context *context, cafe_block *x, float **file);
void cafe_panel_return(cafe_context *context, float *file, cafe_block *x);

#endif
