/* gzip and deflate through ISA-L's inflate (io/flate.h), and the same interface for zstd and xz.
 *
 * ISA-L counts in 32 bits, so input and output are passed in slices. A gzip file may have several
 * members (as `cat a.gz b.gz` and bgzip make them) and zeros at its end.
 */
#include "io/gzip.h"

#include "base/memory.h"
#include "base/print.h"
#include "io/deflate.h"
#include "io/flate.h"
#include "io/zstd_xz.h"

static const int64_t slice = (int64_t)1 << 30;
enum { PIECE = 1 << 18 }; /* of a file, read at a time */

struct cafe_gunzip {
    const uint8_t *bytes; /* NULL: they come from read() */
    cafe_read_at *read;
    const void *source;
    uint8_t *piece; /* the last result of read(): `held` bytes from place `from` on */
    int64_t from, held;
    int64_t size;
    int64_t fed; /* bytes handed to ISA-L; some of them may still be in state.avail_in */
    bool raw;    /* deflate data without the frame of gzip */
    cafe_packing packing;
    cafe_unpack *other;  /* of zstd and xz; NULL: gzip */
    const uint8_t *next; /* for it: `left` bytes that are handed over and not used */
    int64_t left;
    bool ended;
    cafe_gunzip_problem problem;
    struct inflate_state state;
};

static bool is_gzip(const uint8_t *bytes, int64_t size) {
    return size >= 2 && bytes[0] == 0x1f && bytes[1] == 0x8b;
}

static void stop(cafe_gunzip *g, cafe_gunzip_problem problem) {
    g->ended = true;
    g->problem = problem;
}

void cafe_gunzip_rewind(cafe_gunzip *g) {
    isal_inflate_init(&g->state);
    g->state.crc_flag = g->raw ? ISAL_DEFLATE : ISAL_GZIP;
    g->state.next_in = NULL;
    g->state.avail_in = 0;
    g->fed = g->left = 0;
    g->ended = false;
    g->problem = CAFE_GUNZIP_FINE;
    if (g->other && !cafe_unpack_rewind(g->other)) stop(g, CAFE_GUNZIP_DAMAGED);
}

static cafe_gunzip *create(cafe_context *context, cafe_packing packing, int64_t size) {
    cafe_gunzip *g = cafe_mem_zero(context, 1, sizeof *g);
    if (!g) return NULL;
    g->size = size;
    g->packing = packing;
    if (packing != CAFE_PACKED_GZIP && !(g->other = cafe_unpack_create(packing))) {
        cafe_fail_memory(context, "decompression");
        cafe_mem_free(context, g);
        return NULL;
    }
    cafe_gunzip_rewind(g);
    return g;
}

cafe_gunzip *cafe_gunzip_create(cafe_context *context, const uint8_t *bytes, int64_t size) {
    cafe_packing packing = cafe_packing_of(bytes, size);
    if (packing == CAFE_PACKED_NOT)
        packing = CAFE_PACKED_GZIP; /* the reader will report the error */
    cafe_gunzip *g = create(context, packing, size);
    if (g) g->bytes = bytes;
    return g;
}

cafe_gunzip *cafe_gunzip_create_from(cafe_context *context, cafe_read_at *read, const void *source,
                                     int64_t size) {
    uint8_t start[CAFE_PACKING_BYTES];
    int64_t got = read(source, 0, start, sizeof start);
    cafe_packing packing = cafe_packing_of(start, got);
    if (packing == CAFE_PACKED_NOT) packing = CAFE_PACKED_GZIP;
    cafe_gunzip *g = create(context, packing, size);
    if (!g) return NULL;
    g->read = read;
    g->source = source;
    g->piece = cafe_mem(context, PIECE, 1);
    if (g->piece) return g;
    cafe_gunzip_free(context, g);
    return NULL;
}

void cafe_gunzip_free(cafe_context *context, cafe_gunzip *gunzip) {
    if (gunzip) cafe_mem_free(context, gunzip->piece);
    if (gunzip) cafe_unpack_free(gunzip->other);
    cafe_mem_free(context, gunzip);
}

/* Compressed bytes from `at` on, at least `least` (up to PIECE) unless they end there. A source
 * that has become shorter ends where it does. */
static const uint8_t *take_piece(cafe_gunzip *g, int64_t at, int64_t least, int64_t *count) {
    int64_t left = g->size - at, most = g->read ? PIECE : slice;
    *count = left < most ? left : most;
    if (!g->read) return g->bytes + at;
    if (at < g->from || at + least > g->from + g->held) {
        g->from = at;
        g->held = g->read(g->source, at, g->piece, *count);
        if (g->held < *count) g->size = at + g->held;
    }
    *count = g->from + g->held - at;
    return g->piece + (at - g->from);
}

static void feed(cafe_gunzip *g) {
    int64_t more;
    if (g->state.avail_in > 0 || g->fed == g->size) return;
    g->state.next_in = cafe_isal_input(take_piece(g, g->fed, 1, &more));
    g->state.avail_in = (uint32_t)more;
    g->fed += more;
}

/* A member is complete: another one, padding, or the end. */
static void next_member(cafe_gunzip *g) {
    int64_t at = cafe_gunzip_used(g), count;
    if (g->raw) return stop(g, CAFE_GUNZIP_FINE);
    const uint8_t *behind = take_piece(g, at, 2, &count);
    g->fed = at; /* bytes that were not used are passed again */
    g->state.avail_in = 0;
    if (is_gzip(behind, count)) {
        isal_inflate_reset(&g->state);
        g->state.crc_flag = ISAL_GZIP;
        return;
    }
    for (; count > 0; behind = take_piece(g, at, 1, &count)) {
        for (int64_t i = 0; i < count; i++)
            if (behind[i] != 0) return stop(g, CAFE_GUNZIP_TRAILING);
        at += count;
    }
    stop(g, CAFE_GUNZIP_FINE);
}

/* The same for zstd and xz, whose streams may follow each other too. */
static int64_t fill_other(cafe_gunzip *g, uint8_t *out, int64_t capacity) {
    int64_t done = 0, used, written;
    while (!g->ended && done < capacity) {
        if (g->left == 0 && g->fed < g->size) {
            g->next = take_piece(g, g->fed, 1, &g->left);
            g->fed += g->left;
        }
        bool last = g->fed == g->size;
        cafe_unpack_step step = cafe_unpack_take(g->other, g->next, g->left, last, out + done,
                                                 capacity - done, &used, &written);
        g->next += used;
        g->left -= used;
        done += written;
        if (step == CAFE_UNPACK_LARGE)
            stop(g, CAFE_GUNZIP_LARGE);
        else if (step == CAFE_UNPACK_DAMAGED)
            stop(g, CAFE_GUNZIP_DAMAGED);
        else if (step == CAFE_UNPACK_END && last && g->left == 0)
            stop(g, CAFE_GUNZIP_FINE);
        else if (used == 0 && written == 0)
            stop(g, last ? CAFE_GUNZIP_TRUNCATED : CAFE_GUNZIP_DAMAGED);
    }
    return done;
}

int64_t cafe_gunzip_fill(cafe_gunzip *g, uint8_t *out, int64_t capacity) {
    int64_t done = 0;
    if (g->other) return fill_other(g, out, capacity);
    while (!g->ended && done < capacity) {
        int64_t room = capacity - done < slice ? capacity - done : slice;
        feed(g);
        g->state.next_out = out + done;
        g->state.avail_out = (uint32_t)room;
        int64_t before = cafe_gunzip_used(g);
        int result = isal_inflate(&g->state);
        int64_t written = room - g->state.avail_out;
        done += written;
        if (result < 0 || result == ISAL_NEED_DICT)
            stop(g, CAFE_GUNZIP_DAMAGED);
        else if (g->state.block_state == ISAL_BLOCK_FINISH)
            next_member(g);
        else if (written == 0 && cafe_gunzip_used(g) == before)
            stop(g, g->fed == g->size ? CAFE_GUNZIP_TRUNCATED : CAFE_GUNZIP_DAMAGED);
    }
    return done;
}

bool cafe_gunzip_ended(const cafe_gunzip *gunzip) {
    return gunzip->ended;
}

cafe_gunzip_problem cafe_gunzip_state(const cafe_gunzip *gunzip) {
    return gunzip->problem;
}

const char *cafe_gunzip_text(const cafe_gunzip *g, char text[CAFE_GUNZIP_TEXT]) {
    const char *format = "expected sound %s data, found damaged data";
    if (g->problem == CAFE_GUNZIP_TRUNCATED)
        format = "expected more %s data, found the end of the file (is it truncated?)";
    if (g->problem == CAFE_GUNZIP_TRAILING)
        format = "expected the end of the %s data, found other bytes behind it";
    if (g->problem == CAFE_GUNZIP_LARGE)
        format = "expected %s data with %s, found a larger one: unpack it first";
    cafe_print(text, CAFE_GUNZIP_TEXT, format, cafe_packing_name(g->packing),
               cafe_packing_limit(g->packing));
    return text;
}

bool cafe_gunzip_may_grow(const cafe_gunzip *gunzip) {
    return gunzip->other != NULL;
}

int64_t cafe_gunzip_used(const cafe_gunzip *gunzip) {
    return gunzip->fed - (gunzip->other ? gunzip->left : (int64_t)gunzip->state.avail_in);
}

size_t cafe_inflate_bytes(void) {
    return sizeof(cafe_gunzip);
}

bool cafe_inflate(void *state, const uint8_t *in, int64_t size, uint8_t *out, int64_t out_size) {
    cafe_gunzip *g = state;
    uint8_t beyond; /* room for one byte too many, so that longer data is noticed */
    *g = (cafe_gunzip){.bytes = in, .size = size, .raw = true};
    cafe_gunzip_rewind(g);
    return cafe_gunzip_fill(g, out, out_size) == out_size && cafe_gunzip_fill(g, &beyond, 1) == 0 &&
           g->problem == CAFE_GUNZIP_FINE && cafe_gunzip_used(g) == size;
}

uint32_t cafe_crc32(const uint8_t *bytes, int64_t size) {
    return crc32_gzip_refl(0, bytes, (uint64_t)size);
}

uint64_t cafe_crc64(uint64_t seed, const void *bytes, int64_t size) {
    return crc64_ecma_refl(seed, bytes, (uint64_t)size);
}
