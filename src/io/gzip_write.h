/* gzip output, for files whose names end in .gz. */
#ifndef CAFE_IO_GZIP_WRITE_H
#define CAFE_IO_GZIP_WRITE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/context.h"

typedef struct cafe_gzip_writer cafe_gzip_writer;
typedef cafe_status cafe_gzip_send(void *target, const char *bytes, int64_t size);

/* NULL: no memory. */
cafe_gzip_writer *cafe_gzip_writer_create(cafe_context *context);
void cafe_gzip_writer_free(cafe_context *context, cafe_gzip_writer *writer); /* accepts NULL */

/* Compresses the bytes (`end`: the last ones) and passes the result to send(). */
cafe_status cafe_gzip_writer_put(cafe_gzip_writer *writer, const char *bytes, int64_t size,
                                 bool end, cafe_gzip_send *send, void *target);

bool cafe_is_gzip_name(const char *path);

#endif
