/* Bytes compressed in one call, for pages and pictures. */
#ifndef CAFE_IO_DEFLATE_H
#define CAFE_IO_DEFLATE_H

#include <stdint.h>

#include "base/context.h"

typedef enum cafe_deflate_frame {
    CAFE_DEFLATE_RAW, /* nothing around it (RFC 1951) */
    CAFE_DEFLATE_ZLIB /* header and checksum of zlib (RFC 1950) */
} cafe_deflate_frame;

/* The most bytes that `size` bytes can take: stored blocks, 5 bytes for each 65535. */
static inline int64_t cafe_deflate_bound(int64_t size) {
    return size + 5 * (size / 65535 + 1) + 1024;
}

/* Bytes for ISA-L, which only reads them, through a pointer without const. */
static inline uint8_t *cafe_isal_input(const void *bytes) {
    return (uint8_t *)(uintptr_t)bytes;
}

/* Fills out[cafe_deflate_bound(size)]; *packed gets what was used of it. size is below 2^32. */
CAFE_LAB cafe_status cafe_deflate(cafe_context *context, cafe_deflate_frame frame,
                                  const uint8_t *bytes, int64_t size, uint8_t *out,
                                  int64_t *packed);

#endif
