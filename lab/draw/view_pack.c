/* Compression of the arrays of a page.
 *
 * Points are in the order of a Morton curve through the plane. Their codes ascend, so differences
 * are stored: about 32 - log2 n bits a point. Communities and labels follow the position and become
 * runs, which deflate compresses well. Numbers are cut into planes of bytes, so that bytes of one
 * kind are adjacent.
 */
#include "draw/view_pack.h"

#include "base/memory.h"
#include "io/deflate.h"

/* ---- the curve ------------------------------------------------------------------------------- */

/* 0b...dcba becomes 0b...0d0c0b0a */
static uint32_t spread(uint32_t x) {
    x &= 0xffff;
    x = (x | x << 8) & 0x00ff00ff;
    x = (x | x << 4) & 0x0f0f0f0f;
    x = (x | x << 2) & 0x33333333;
    return (x | x << 1) & 0x55555555;
}

uint32_t cafe_view_morton(uint32_t x, uint32_t y) {
    return spread(x) | spread(y) << 1;
}

/* One stable pass by a byte of the code, from one pair of arrays into the other. */
static void sort_pass(int64_t n, int shift, const uint32_t *code, const uint32_t *order,
                      uint32_t *code_out, uint32_t *order_out) {
    int64_t start[257] = {0};
    for (int64_t i = 0; i < n; i++) start[(code[i] >> shift & 255) + 1]++;
    for (int b = 0; b < 256; b++) start[b + 1] += start[b];
    for (int64_t i = 0; i < n; i++) {
        int64_t at = start[code[i] >> shift & 255]++;
        code_out[at] = code[i];
        order_out[at] = order[i];
    }
}

cafe_status cafe_view_sort(cafe_context *context, int64_t n, uint32_t *code, uint32_t *order) {
    uint32_t *other = cafe_mem(context, 2 * n, sizeof *other);
    if (!other) return CAFE_ERROR_MEMORY;
    for (int64_t i = 0; i < n; i++) order[i] = (uint32_t)i;
    for (int shift = 0; shift < 32; shift += 16) {
        sort_pass(n, shift, code, order, other, other + n);
        sort_pass(n, shift + 8, other, other + n, code, order);
    }
    cafe_mem_free(context, other);
    return CAFE_OK;
}

/* ---- deflate --------------------------------------------------------------------------------- */

static int bytes_needed(const uint32_t *values, int64_t count) {
    uint32_t all = 0;
    for (int64_t i = 0; i < count; i++) all |= values[i];
    return all < 1u << 8 ? 1 : all < 1u << 16 ? 2 : all < 1u << 24 ? 3 : 4;
}

static uint8_t *make_planes(cafe_context *context, const uint32_t *values, int64_t count,
                            int width) {
    uint8_t *planes = cafe_mem(context, count * width, 1);
    for (int b = 0; planes && b < width; b++)
        for (int64_t i = 0; i < count; i++) planes[b * count + i] = (uint8_t)(values[i] >> (8 * b));
    return planes;
}

cafe_status cafe_view_pack(cafe_context *context, const uint32_t *values, const uint8_t *bytes,
                           int64_t count, cafe_view_section *section) {
    int width = values ? bytes_needed(values, count) : 1;
    uint8_t *planes = NULL;
    section->count = count;
    section->raw = count * width;
    if (section->raw > (int64_t)1 << 31) /* ISA-L counts in 32 bits, and no browser would open it */
        return cafe_fail(context, CAFE_ERROR_LIMIT, "a page cannot hold an array of %lld bytes",
                         (long long)section->raw);
    if (values && !(planes = make_planes(context, values, count, width))) return CAFE_ERROR_MEMORY;
    section->packed = cafe_mem(context, cafe_deflate_bound(section->raw), 1);
    cafe_status status = section->packed
                             ? cafe_deflate(context, CAFE_DEFLATE_RAW, values ? planes : bytes,
                                            section->raw, section->packed, &section->packed_size)
                             : CAFE_ERROR_MEMORY;
    cafe_mem_free(context, planes);
    return status;
}

/* ---- base64 ---------------------------------------------------------------------------------- */

int64_t cafe_view_base64_size(int64_t bytes) {
    return (bytes + 2) / 3 * 4;
}

int64_t cafe_view_base64(const uint8_t *bytes, int64_t size, char *text) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char *p = text;
    for (int64_t i = 0; i < size; i += 3) {
        uint32_t three = (uint32_t)bytes[i] << 16;
        if (i + 1 < size) three |= (uint32_t)bytes[i + 1] << 8;
        if (i + 2 < size) three |= bytes[i + 2];
        *p++ = digits[three >> 18];
        *p++ = digits[three >> 12 & 63];
        *p++ = i + 1 < size ? digits[three >> 6 & 63] : '=';
        *p++ = i + 2 < size ? digits[three & 63] : '=';
    }
    return p - text;
}
