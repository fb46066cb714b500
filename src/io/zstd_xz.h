/* Compressions other than gzip: zstd and xz as streams, and the names of unsupported ones. */
#ifndef CAFE_IO_ZSTD_XZ_H
#define CAFE_IO_ZSTD_XZ_H

#include <stdbool.h>
#include <stdint.h>

typedef enum cafe_packing {
    CAFE_PACKED_NOT,
    CAFE_PACKED_GZIP,
    CAFE_PACKED_ZSTD,
    CAFE_PACKED_XZ
} cafe_packing;

/* How the data starts. A kind that this build does not read counts as not packed. */
cafe_packing cafe_packing_of(const uint8_t *bytes, int64_t size);
/* Returns the name of an unsupported compression, such as "bzip2"; else NULL. */
const char *cafe_packing_other(const uint8_t *bytes, int64_t size);
const char *cafe_packing_name(cafe_packing packing);
const char *cafe_packing_limit(cafe_packing packing); /* "a window of at most ..." */

typedef struct cafe_unpack cafe_unpack;

typedef enum cafe_unpack_step {
    CAFE_UNPACK_MORE,  /* more bytes are wanted, or more room */
    CAFE_UNPACK_END,   /* of a stream: another one may follow */
    CAFE_UNPACK_LARGE, /* it takes more memory than the limit: a window or dictionary beyond it */
    CAFE_UNPACK_DAMAGED
} cafe_unpack_step;

/* NULL: no memory. These libraries allocate their own memory, because they run in tasks, which must
 * not allocate from the context. */
cafe_unpack *cafe_unpack_create(cafe_packing packing);
void cafe_unpack_free(cafe_unpack *unpack); /* accepts NULL */
bool cafe_unpack_rewind(cafe_unpack *unpack);

/* Takes up to `size` bytes (last: no others follow) and produces up to `room`. */
cafe_unpack_step cafe_unpack_take(cafe_unpack *unpack, const uint8_t *in, int64_t size, bool last,
                                  uint8_t *out, int64_t room, int64_t *used, int64_t *written);

#endif
