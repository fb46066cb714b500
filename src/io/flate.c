/* The calls of ISA-L by zlib, for systems without ISA-L. */
#include "io/flate.h"

#ifdef CAFE_ZLIB
#include <string.h>

/* ---- memory ---------------------------------------------------------------------------------- */

typedef struct room {
    uint8_t *memory;
    uint32_t *used;
    uint32_t all;
} room;

/* The next bytes of the object's memory, aligned to 16. */
static void *take(void *opaque, unsigned count, unsigned size) {
    const room *r = opaque;
    uint32_t bytes = (count * size + 15) / 16 * 16;
    if (bytes > r->all - *r->used) return NULL;
    *r->used += bytes;
    return r->memory + *r->used - bytes;
}

static void leave(void *opaque, void *block) {
    (void)opaque, (void)block;
}

/* ---- inflate --------------------------------------------------------------------------------- */

void isal_inflate_init(struct inflate_state *state) {
    state->begun = false;
    state->block_state = ISAL_BLOCK_DATA;
    state->used = 0;
}

void isal_inflate_reset(struct inflate_state *state) {
    isal_inflate_init(state);
}

static int begin_inflate(struct inflate_state *state, room *r) {
    state->z = (z_stream){.zalloc = take, .zfree = leave, .opaque = r};
    state->begun = inflateInit2(&state->z, state->crc_flag == ISAL_GZIP ? 31 : -15) == Z_OK;
    return state->begun ? 0 : -1;
}

int isal_inflate(struct inflate_state *state) {
    room r = {state->memory, &state->used, sizeof state->memory};
    if (!state->begun && begin_inflate(state, &r) != 0) return -1;
    state->z.opaque = &r;
    state->z.next_in = state->next_in;
    state->z.avail_in = state->avail_in;
    state->z.next_out = state->next_out;
    state->z.avail_out = state->avail_out;
    int result = inflate(&state->z, Z_NO_FLUSH);
    state->next_in = (uint8_t *)(uintptr_t)state->z.next_in;
    state->avail_in = state->z.avail_in;
    state->next_out = state->z.next_out;
    state->avail_out = state->z.avail_out;
    if (result == Z_STREAM_END) state->block_state = ISAL_BLOCK_FINISH;
    return result == Z_STREAM_END || result == Z_OK || result == Z_BUF_ERROR ? 0 : -1;
}

/* ---- deflate --------------------------------------------------------------------------------- */

void isal_deflate_init(struct isal_zstream *stream) {
    stream->begun = false;
    stream->used = 0;
    stream->total_out = 0;
    stream->end_of_stream = 0;
}

static int begin_deflate(struct isal_zstream *stream, room *r) {
    int window = stream->gzip_flag == IGZIP_GZIP ? 31 : stream->gzip_flag == IGZIP_ZLIB ? 15 : -15;
    stream->z = (z_stream){.zalloc = take, .zfree = leave, .opaque = r};
    stream->begun = deflateInit2(&stream->z, 6, Z_DEFLATED, window, 8, Z_DEFAULT_STRATEGY) == Z_OK;
    return stream->begun ? COMP_OK : -1;
}

int isal_deflate(struct isal_zstream *stream) {
    room r = {stream->memory, &stream->used, sizeof stream->memory};
    if (!stream->begun && begin_deflate(stream, &r) != COMP_OK) return -1;
    uint32_t before = stream->avail_out;
    stream->z.opaque = &r;
    stream->z.next_in = stream->next_in;
    stream->z.avail_in = stream->avail_in;
    stream->z.next_out = stream->next_out;
    stream->z.avail_out = stream->avail_out;
    int result = deflate(&stream->z, stream->end_of_stream ? Z_FINISH : Z_NO_FLUSH);
    stream->next_in = (uint8_t *)(uintptr_t)stream->z.next_in;
    stream->avail_in = stream->z.avail_in;
    stream->next_out = stream->z.next_out;
    stream->avail_out = stream->z.avail_out;
    stream->total_out += before - stream->avail_out;
    return result == Z_STREAM_ERROR ? -1 : COMP_OK;
}

/* ---- checksums ------------------------------------------------------------------------------- */

uint32_t crc32_gzip_refl(uint32_t seed, const uint8_t *bytes, uint64_t size) {
    const uint64_t most = UINT64_C(1) << 30;
    for (uint64_t at = 0, count; at < size; at += count) {
        count = size - at < most ? size - at : most;
        seed = (uint32_t)crc32(seed, bytes + at, (unsigned)count);
    }
    return seed;
}

/* By four bits; entry i of the table is the remainder of i. */
uint64_t crc64_ecma_refl(uint64_t seed, const uint8_t *bytes, uint64_t size) {
    const uint64_t polynomial = 0xC96C5795D7870F42u;
    uint64_t table[16], crc = ~seed;
    for (uint64_t i = 0; i < 16; i++) {
        table[i] = i;
        for (int bit = 0; bit < 4; bit++)
            table[i] = table[i] >> 1 ^ (table[i] & 1 ? polynomial : 0);
    }
    for (uint64_t i = 0; i < size; i++) {
        crc ^= bytes[i];
        crc = crc >> 4 ^ table[crc & 15];
        crc = crc >> 4 ^ table[crc & 15];
    }
    return ~crc;
}
#else
typedef int cafe_flate_is_isal; /* no translation unit is empty */
#endif
