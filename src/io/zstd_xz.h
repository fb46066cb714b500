/* Compressions beside gzip: zstd and xz as streams, and the names of those that are not read. */
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
/* "bzip2" and the like, for data that is packed in a way that is not read; else NULL. */
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

/* NULL: no memory. These libraries allocate by themselves, since they run inside tasks, where the
 * context's memory cannot be asked for. */
cafe_unpack *cafe_unpack_create(cafe_packing packing);
void cafe_unpack_free(cafe_unpack *unpack); /* accepts NULL */
bool cafe_unpack_rewind(cafe_unpack *unpack);

/* Takes up to `size` bytes (last: there are no others behind them) and gives up to `room`. */
cafe_unpack_step cafe_unpack_take(cafe_unpack *unpack, const uint8_t *in, int64_t size, bool last,
                                  uint8_t *out, int64_t room, int64_t *used, int64_t *written);

#endif
