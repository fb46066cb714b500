/* zstd and xz through their own libraries, where the build has them. */
#include "io/zstd_xz.h"

#include <stdlib.h>
#include <string.h>

#ifdef CAFE_ZSTD
#include <zstd.h>
#include <zstd_errors.h>
#endif
#ifdef CAFE_LZMA
#include <lzma.h>
#endif

/* ---- kinds ----------------------------------------------------------------------------------- */

static const struct {
    cafe_packing packing; /* NOT: it is not read */
    const char *name, *magic;
    int64_t length;
} kinds[] = {
    {CAFE_PACKED_GZIP, "gzip", "\x1f\x8b", 2},
#ifdef CAFE_ZSTD
    {CAFE_PACKED_ZSTD, "zstd", "\x28\xb5\x2f\xfd", 4},
#else
    {CAFE_PACKED_NOT, "zstd", "\x28\xb5\x2f\xfd", 4},
#endif
#ifdef CAFE_LZMA
    {CAFE_PACKED_XZ, "xz",
     "\xfd"
     "7zXZ\0",
     6},
#else
    {CAFE_PACKED_NOT, "xz",
     "\xfd"
     "7zXZ\0",
     6},
#endif
    {CAFE_PACKED_NOT, "bzip2", "BZh", 3},
    {CAFE_PACKED_NOT, "lz4", "\x04\x22\x4d\x18", 4},
    {CAFE_PACKED_NOT, "zip", "PK\x03\x04", 4},
    {CAFE_PACKED_NOT, "7z", "7z\xbc\xaf\x27\x1c", 6},
    {CAFE_PACKED_NOT, "rar", "Rar!\x1a\x07", 6},
    {CAFE_PACKED_NOT, "compress", "\x1f\x9d", 2},
    {CAFE_PACKED_NOT, "lzip", "LZIP\x01", 5},
};
/* Of the memory that unpacking takes: powers of two of a window of zstd, and of all that xz takes.
 * The strongest presets stay below. */
enum { WINDOW = 27, MEMORY = 30 };
enum { KINDS = sizeof kinds / sizeof *kinds };

static int find(const uint8_t *bytes, int64_t size) {
    for (int i = 0; i < KINDS; i++)
        if (size >= kinds[i].length && memcmp(bytes, kinds[i].magic, (size_t)kinds[i].length) == 0)
            return i;
    return -1;
}

cafe_packing cafe_packing_of(const uint8_t *bytes, int64_t size) {
    int found = find(bytes, size);
    return found < 0 ? CAFE_PACKED_NOT : kinds[found].packing;
}

const char *cafe_packing_other(const uint8_t *bytes, int64_t size) {
    int found = find(bytes, size);
    return found < 0 || kinds[found].packing != CAFE_PACKED_NOT ? NULL : kinds[found].name;
}

const char *cafe_packing_name(cafe_packing packing) {
    for (int i = 0; i < KINDS; i++)
        if (kinds[i].packing == packing) return kinds[i].name;
    return "packed";
}

const char *cafe_packing_limit(cafe_packing packing) {
    return packing == CAFE_PACKED_ZSTD ? "a window of at most 128 MiB"
                                       : "a dictionary that fits into 1 GiB";
}

/* ---- streams --------------------------------------------------------------------------------- */

struct cafe_unpack {
    cafe_packing packing;
#ifdef CAFE_ZSTD
    ZSTD_DStream *zstd;
#endif
#ifdef CAFE_LZMA
    lzma_stream xz;
#endif
};

cafe_unpack *cafe_unpack_create(cafe_packing packing) {
    cafe_unpack *u = calloc(1, sizeof *u);
    if (!u) return NULL;
    u->packing = packing;
    if (cafe_unpack_rewind(u)) return u;
    cafe_unpack_free(u);
    return NULL;
}

void cafe_unpack_free(cafe_unpack *u) {
    if (!u) return;
#ifdef CAFE_ZSTD
    ZSTD_freeDStream(u->zstd);
#endif
#ifdef CAFE_LZMA
    if (u->packing == CAFE_PACKED_XZ) lzma_end(&u->xz);
#endif
    free(u);
}

bool cafe_unpack_rewind(cafe_unpack *u) {
#ifdef CAFE_ZSTD
    if (u->packing == CAFE_PACKED_ZSTD) {
        if (!u->zstd) u->zstd = ZSTD_createDStream();
        return u->zstd && !ZSTD_isError(ZSTD_initDStream(u->zstd)) &&
               !ZSTD_isError(ZSTD_DCtx_setParameter(u->zstd, ZSTD_d_windowLogMax, WINDOW));
    }
#endif
#ifdef CAFE_LZMA
    if (u->packing == CAFE_PACKED_XZ) {
        lzma_end(&u->xz);
        u->xz = (lzma_stream)LZMA_STREAM_INIT;
        return lzma_stream_decoder(&u->xz, (uint64_t)1 << MEMORY, LZMA_CONCATENATED) == LZMA_OK;
    }
#endif
    return false;
}

#ifdef CAFE_ZSTD
static cafe_unpack_step take_zstd(cafe_unpack *u, const uint8_t *in, int64_t size, uint8_t *out,
                                  int64_t room, int64_t *used, int64_t *written) {
    ZSTD_inBuffer from = {in, (size_t)size, 0};
    ZSTD_outBuffer to = {out, (size_t)room, 0};
    size_t left = ZSTD_decompressStream(u->zstd, &to, &from);
    *used = (int64_t)from.pos;
    *written = (int64_t)to.pos;
    if (ZSTD_getErrorCode(left) == ZSTD_error_frameParameter_windowTooLarge)
        return CAFE_UNPACK_LARGE;
    if (ZSTD_isError(left)) return CAFE_UNPACK_DAMAGED;
    return left == 0 ? CAFE_UNPACK_END : CAFE_UNPACK_MORE;
}
#endif

#ifdef CAFE_LZMA
static cafe_unpack_step take_xz(cafe_unpack *u, const uint8_t *in, int64_t size, bool last,
                                uint8_t *out, int64_t room, int64_t *used, int64_t *written) {
    u->xz.next_in = in;
    u->xz.avail_in = (size_t)size;
    u->xz.next_out = out;
    u->xz.avail_out = (size_t)room;
    lzma_ret got = lzma_code(&u->xz, last ? LZMA_FINISH : LZMA_RUN);
    *used = size - (int64_t)u->xz.avail_in;
    *written = room - (int64_t)u->xz.avail_out;
    if (got == LZMA_STREAM_END) return CAFE_UNPACK_END;
    if (got == LZMA_MEMLIMIT_ERROR) return CAFE_UNPACK_LARGE;
    return got == LZMA_OK || got == LZMA_BUF_ERROR ? CAFE_UNPACK_MORE : CAFE_UNPACK_DAMAGED;
}
#endif

cafe_unpack_step cafe_unpack_take(cafe_unpack *u, const uint8_t *in, int64_t size, bool last,
                                  uint8_t *out, int64_t room, int64_t *used, int64_t *written) {
    *used = *written = 0;
#ifdef CAFE_ZSTD
    if (u->packing == CAFE_PACKED_ZSTD) return take_zstd(u, in, size, out, room, used, written);
#endif
#ifdef CAFE_LZMA
    if (u->packing == CAFE_PACKED_XZ) return take_xz(u, in, size, last, out, room, used, written);
#endif
    (void)in, (void)size, (void)last, (void)out, (void)room;
    return CAFE_UNPACK_DAMAGED;
}
