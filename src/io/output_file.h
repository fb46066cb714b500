/* The inside of an output, and blocks of text formatted in parallel. */
#ifndef CAFE_IO_OUTPUT_FILE_H
#define CAFE_IO_OUTPUT_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include <cafe-private/output.h>
#include <cafe/files.h>

#include "base/context.h"
#include "io/terminal_text.h"

struct cafe_output {
    cafe_context *context;
    char *path;      /* as given */
    char *target;    /* full path without symbolic links; NULL: written in place */
    char *folder;    /* of the target */
    char *temporary; /* NULL: written in place (standard output, a device, a pipe), or removed */
    int fd;          /* -1: none; it holds the temporary's lock */
    bool overwrite;
    bool beside;                      /* the caller named another file, and this goes with it */
    bool digested;                    /* count the bytes in, from the start: */
    uint64_t digest;                  /* crc64 of the bytes written */
    const struct cafe_output *names;  /* names of the rows, in a file beside it; NULL: none */
    const cafe_attribute *attributes; /* of the nodes of the graph that is written */
    int64_t attribute_count;
    struct cafe_output *next;
    int64_t sent;                  /* bytes that the file has */
    char *memory;                  /* of a large file: a piece that is not sent yet, */
    int64_t staged, room;          /* bytes in the buffer, and its size */
    struct cafe_gzip_writer *gzip; /* of a name that ends in .gz; NULL: it does not */
    struct cafe_image *image;      /* the image that is written beside other work; NULL: none */
    bool is_terminal;              /* a terminal: control bytes are escaped */
    cafe_terminal terminal;
};

/* cafe_output_create() for a file whose name follows from another. An existing link, pipe or device
 * of this name is replaced if permitted, never followed or opened. */
cafe_status cafe_output_create_beside(cafe_context *context, const char *path, bool overwrite,
                                      cafe_output **output);
/* Removes a name together with the outputs that get theirs. `beside`: the name itself, else the
 * target of the link. */
cafe_status cafe_output_remove(cafe_context *context, const char *path, bool beside,
                               cafe_output **output);
/* Formats block `block` into text (of the capacity given) and returns its length. */
typedef int64_t cafe_output_format(const void *argument, int64_t block, char *text);

/* Writes blocks 0 .. count-1 in order; blocks are formatted in parallel while others are written.
 */
cafe_status cafe_output_blocks(cafe_output *output, int64_t count, int64_t capacity,
                               cafe_output_format *format, const void *argument);

/* Puts bytes from .. to-1 of a file there; called for several stretches at once. */
typedef void cafe_output_fill(const void *argument, int64_t from, int64_t to, char *bytes);

/* Writes a whole file of known size; the output has no other bytes. */
cafe_status cafe_output_image(cafe_output *output, int64_t size, cafe_output_fill *fill,
                              const void *argument);

/* The same beside other work, if the file is large and a thread is available; otherwise
 * output->image is NULL. The argument is freed at the end. */
cafe_status cafe_output_begin_image(cafe_output *output, int64_t size, cafe_output_fill *fill,
                                    void *argument);
/* Waits for the image, and writes the first bytes of the file again, which were unknown before. */
cafe_status cafe_output_end_image(cafe_output *output, const char *head, int64_t size);

#endif
