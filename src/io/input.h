/* A file as a range of bytes: mapped, read from standard input, or given in memory. */
#ifndef CAFE_IO_INPUT_H
#define CAFE_IO_INPUT_H

#include <stddef.h>
#include <stdint.h>

#include "base/context.h"

typedef struct cafe_input {
    cafe_context *context;
    const char *name; /* as shown in errors */
    const uint8_t *bytes;
    int64_t size;
    void *map; /* the mapped file, or NULL */
    size_t map_bytes;
    uint8_t *owned; /* the context's memory that holds the bytes, or NULL */
    int64_t window; /* bytes of text to parse at a time; 0: as the reader likes it (tests do not) */
} cafe_input;

/* "-" is standard input, which is read to its end. */
cafe_status cafe_input_open(cafe_context *context, const char *path, cafe_input *input);

/* The first bytes of what the input holds, decompressed when need be; *size: room, then how many.
 */
cafe_status cafe_input_peek(const cafe_input *input, uint8_t *bytes, int64_t *size);

/* Replaces gzip data by what it holds. */
cafe_status cafe_input_expand(cafe_input *input);

void cafe_input_close(cafe_input *input);

#endif
