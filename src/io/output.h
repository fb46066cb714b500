/* The inside of an output, and blocks of text formatted in parallel. */
#ifndef CAFE_IO_OUTPUT_H
#define CAFE_IO_OUTPUT_H

#include <stdbool.h>
#include <stdint.h>

#include <cafe/files.h>

#include "base/context.h"

struct cafe_output {
    cafe_context *context;
    char *path;
    char *temporary; /* NULL: written in place (standard output, a device, a pipe) */
    int fd;          /* -1: closed */
    bool overwrite;
};

/* Formats block `block` into text (of the capacity given) and returns its length. */
typedef int64_t cafe_output_format(const void *argument, int64_t block, char *text);

/* Writes blocks 0 .. count-1 in order; they are formatted in parallel. */
cafe_status cafe_output_blocks(cafe_output *output, int64_t count, int64_t capacity,
                               cafe_output_format *format, const void *argument);

#endif
