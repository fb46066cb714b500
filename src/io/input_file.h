/* A file as a range of bytes: read piece by piece, held in memory, or mapped. */
#ifndef CAFE_IO_INPUT_FILE_H
#define CAFE_IO_INPUT_FILE_H

#include <stdbool.h>
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
    cafe_mapped map;         /* the mapped file; start NULL: none */
    uint8_t *owned;          /* the context's memory that holds the bytes, or NULL */
    int64_t start;           /* a part of a file: the place of its first byte there, */
    int64_t lines;           /* lines before the part, for errors */
    const char *const *more; /* files that follow, for text_window.c alone */
    int64_t more_count;
    int64_t window; /* bytes of text to parse at a time; 0: as the reader likes it (tests do not) */
    const char *encoding; /* of the file, if the bytes were made UTF-8; NULL: it is UTF-8 */
    bool joined;          /* line breaks in quoted cells became blanks */
} cafe_input;

/* Can it be read twice? Not a pipe or a device. */
bool cafe_input_lasts(const char *path);

/* Opens a file; "-" is standard input. Regular files are not read yet; others are read to their
 * end. */
cafe_status cafe_input_open(cafe_context *context, const char *path, cafe_input *input);

/* Up to `count` bytes from place `at` on; returns how many: fewer at the end of the file, wherever
 * that is by now. Touches no context: it may run inside a task. */
int64_t cafe_input_read(const cafe_input *input, int64_t at, uint8_t *out, int64_t count);

/* Sets input->bytes to the whole file: read by all threads, or mapped if allowed. Bytes read are
 * memory of the process, under a memory limit perhaps in a file without a name. A map shows later
 * changes of the file, and ends the process if the file is truncated. */
cafe_status cafe_input_load(cafe_input *input);
cafe_status cafe_input_map(cafe_input *input);
/* May users other than this one and root write the file? */
bool cafe_input_is_exposed(const cafe_input *input);

/* Bytes from .. to - 1 of the input, as one of their own: it lives as long as the whole, which is
 * the one to be closed. */
cafe_input cafe_input_part(const cafe_input *input, int64_t from, int64_t to);

/* Returns CAFE_ERROR_IO if the file changed after it was opened. */
cafe_status cafe_input_unchanged(const cafe_input *input);

/* Functions for gzip data: a test; a decompressor; the first decompressed bytes (*size: the room,
 * then their number); and the replacement of the data by their contents. */
bool cafe_input_is_gzip(const cafe_input *input);
cafe_gunzip *cafe_input_gunzip(const cafe_input *input); /* NULL: no memory */
cafe_status cafe_input_peek(const cafe_input *input, uint8_t *bytes, int64_t *size);
/* CAFE_ERROR_FORMAT for data that is packed in a way that is not read, by its name. */
cafe_status cafe_input_check_packing(const cafe_input *input);
cafe_status cafe_input_expand(cafe_input *input);

/* encoding.c: makes UTF-16 text with its mark UTF-8, up to 1 GiB. With `unmarked` also
 * Windows-1252, which includes Latin-1, up to 256 MiB, because only the whole file shows it. */
cafe_status cafe_input_decode(cafe_input *input, bool unmarked);
/* quoted_breaks.c: makes line breaks in quoted cells of a table blanks, up to 1 GiB. */
cafe_status cafe_input_join(cafe_input *input);
/* After a reader refused the bytes: true if they are others now, of another encoding or without
 * line breaks in cells. Else the error text stays. */
bool cafe_input_mend(cafe_input *input);
/* For both: all bytes in memory, unpacked; other bytes, which are the context's memory. */
cafe_status cafe_input_plain(cafe_input *input);
void cafe_input_replace(cafe_input *input, uint8_t *bytes, int64_t size);

void cafe_input_close(cafe_input *input);

#endif
