/* PNG files (W3C PNG specification, third edition): 8 bits, RGB, deflated with ISA-L. */
#ifndef CAFE_DRAW_PNG_H
#define CAFE_DRAW_PNG_H

#include "base/context.h"

/* The bytes of a file with the picture rgb[3 width height], rows from the top: memory of the
 * context. */
cafe_status cafe_png_encode(cafe_context *context, int64_t width, int64_t height,
                            const uint8_t *rgb, uint8_t **png, int64_t *size);

#endif
