/* Decompression: gzip, zstd and xz as streams of bytes, and the raw deflate data of zip members
 * (ISA-L). */
#ifndef CAFE_IO_GZIP_H
#define CAFE_IO_GZIP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/context.h"

typedef enum cafe_gunzip_problem {
    CAFE_GUNZIP_FINE = 0,
    CAFE_GUNZIP_TRUNCATED,
    CAFE_GUNZIP_DAMAGED,
    CAFE_GUNZIP_LARGE,   /* it takes more memory to unpack than the limit */
    CAFE_GUNZIP_TRAILING /* bytes after the last member that are not gzip data */
} cafe_gunzip_problem;

typedef struct cafe_gunzip cafe_gunzip;

enum { CAFE_GUNZIP_TEXT = 160, CAFE_PACKING_BYTES = 8 };

/* Up to `count` bytes from place `at` on into out; returns how many, fewer only at the end. Touches
 * no context: it may run inside a task. */
typedef int64_t cafe_read_at(const void *source, int64_t at, uint8_t *out, int64_t count);

/* A decompressor over bytes, or over `size` bytes that read() gives from the source; both outlive
 * it. NULL when memory is out. */
cafe_gunzip *cafe_gunzip_create(cafe_context *context, const uint8_t *bytes, int64_t size);
cafe_gunzip *cafe_gunzip_create_from(cafe_context *context, cafe_read_at *read, const void *source,
                                     int64_t size);
void cafe_gunzip_free(cafe_context *context, cafe_gunzip *gunzip); /* accepts NULL */
void cafe_gunzip_rewind(cafe_gunzip *gunzip);

/* Fills out[capacity] and returns how many bytes it wrote; fewer than capacity only at the end of
 * the data or at a problem. Touches no context: it may run inside a task. */
int64_t cafe_gunzip_fill(cafe_gunzip *gunzip, uint8_t *out, int64_t capacity);

bool cafe_gunzip_ended(const cafe_gunzip *gunzip); /* all given out, or a problem met */
cafe_gunzip_problem cafe_gunzip_state(const cafe_gunzip *gunzip);
/* "expected ..., found ..." */
const char *cafe_gunzip_text(const cafe_gunzip *gunzip, char text[CAFE_GUNZIP_TEXT]);
/* May it give out more than 1032 bytes for one? */
bool cafe_gunzip_may_grow(const cafe_gunzip *gunzip);
int64_t cafe_gunzip_used(const cafe_gunzip *gunzip); /* compressed bytes taken so far */

/* Inflates raw deflate data that must fill out[out_size] exactly. `state` is scratch memory of
 * cafe_inflate_bytes() bytes, so that this can run inside a task. */
size_t cafe_inflate_bytes(void);
bool cafe_inflate(void *state, const uint8_t *in, int64_t size, uint8_t *out, int64_t out_size);

/* The CRC-32 of gzip and zip, and the CRC-64 (ECMA, reflected) of .cafe files. */
CAFE_LAB uint32_t cafe_crc32(const uint8_t *bytes, int64_t size);
uint64_t cafe_crc64(uint64_t seed, const void *bytes, int64_t size);

#endif
