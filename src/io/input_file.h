/* A file as a range of bytes: read piece by piece, held in memory, or mapped. */
#ifndef CAFE_IO_INPUT_FILE_H
#define CAFE_IO_INPUT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cafe/graph.h>

#include "base/context.h"
#include "base/file_stamp.h"
#include "base/memory_limit.h"
#include "io/gzip.h"

typedef struct cafe_input {
    cafe_context *context;
    const char *name;     /* as shown in errors */
    const uint8_t *bytes; /* all of it; NULL: only cafe_input_read() gives them */
    int64_t size;
    bool open; /* a regular file: `file` is its descriptor, `stamp` its size and time at opening */
    int file;
    cafe_stamp stamp;
    cafe_mapped map; /* the mapped file; start NULL: none */
    uint8_t *owned;  /* the context's memory that holds the bytes, or NULL */
    int64_t start;   /* a part of a file: the place of its first byte there, */
    int64_t lines;   /* and the lines before it, as far as errors are to tell of them */
    int64_t window; /* bytes of text to parse at a time; 0: as the reader likes it (tests do not) */
} cafe_input;

/* "-" is standard input. Of a regular file nothing is read yet; anything else is read to its end.
 */
cafe_status cafe_input_open(cafe_context *context, const char *path, cafe_input *input);

/* Up to `count` bytes from place `at` on; returns how many: fewer at the end of the file, wherever
 * that is by now. Touches no context: it may run inside a task. */
int64_t cafe_input_read(const cafe_input *input, int64_t at, uint8_t *out, int64_t count);

/* input->bytes become all of it: read by all threads, or mapped where that can be. What is read is
 * the process's own, within a limit to the memory perhaps in a file without a name. A map shows
 * what becomes of the file, and ends the process when the file becomes shorter. */
cafe_status cafe_input_load(cafe_input *input);
cafe_status cafe_input_map(cafe_input *input);
/* May others than the user and root write the file? */
bool cafe_input_is_exposed(const cafe_input *input);

/* Bytes from .. to - 1 of the input, as one of their own: it lives as long as the whole, which is
 * the one to be closed. */
cafe_input cafe_input_part(const cafe_input *input, int64_t from, int64_t to);

/* CAFE_ERROR_IO when the file is not what it was at opening. */
cafe_status cafe_input_unchanged(const cafe_input *input);

/* Is it gzip data, and a decompressor over it. The first bytes of what it holds, decompressed when
 * need be; *size: room, then how many. And gzip data replaced by what it holds. */
bool cafe_input_is_gzip(const cafe_input *input);
cafe_gunzip *cafe_input_gunzip(const cafe_input *input); /* NULL: no memory */
cafe_status cafe_input_peek(const cafe_input *input, uint8_t *bytes, int64_t *size);
/* CAFE_ERROR_FORMAT for data that is packed in a way that is not read, by its name. */
cafe_status cafe_input_check_packing(const cafe_input *input);
cafe_status cafe_input_expand(cafe_input *input);

void cafe_input_close(cafe_input *input);

#endif
