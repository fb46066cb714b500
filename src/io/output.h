/* Files that appear whole or not at all: written under a temporary name, synced, then renamed. */
#ifndef CAFE_IO_OUTPUT_H
#define CAFE_IO_OUTPUT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/context.h"

typedef struct cafe_output {
    cafe_context *context;
    char *path;
    char *temporary; /* NULL: written in place (standard output, a device, a pipe) */
    int fd;          /* -1: closed */
    bool overwrite;
} cafe_output;

/* "-" is standard output. An existing file is CAFE_ERROR_EXISTS unless `overwrite`. On success the
 * output ends with commit or discard. */
cafe_status cafe_output_open(cafe_context *context, const char *path, bool overwrite,
                             cafe_output *output);
cafe_status cafe_output_write(cafe_output *output, const void *bytes, int64_t size);

/* Formats block `block` into text (of the capacity given) and returns its length. */
typedef int64_t cafe_output_format(const void *argument, int64_t block, char *text);

/* Writes blocks 0 .. count-1 in order; they are formatted in parallel. */
cafe_status cafe_output_blocks(cafe_output *output, int64_t count, int64_t capacity,
                               cafe_output_format *format, const void *argument);

/* Makes the file appear under its name, or fails and leaves nothing. */
cafe_status cafe_output_commit(cafe_output *output);

/* Removes what was written; a no-op after commit and on a zeroed output. */
void cafe_output_discard(cafe_output *output);

#endif
