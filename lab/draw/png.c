/* The PNG writer: signature, IHDR, one IDAT, IEND.
 *
 * Rows are filtered before deflate: by the row above (filter 2), which turns empty parts and
 * repeated rows into zeros, or not at all (filter 0). The filter with the smaller sum of absolute
 * values is taken, as the specification suggests.
 */
#include "draw/png.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "io/deflate.h"
#include "io/gzip.h"

enum { CHUNK_FRAME = 12, HEADER = 13 };

static const uint8_t signature[8] = {137, 'P', 'N', 'G', '\r', '\n', 26, '\n'};

static void put32(uint8_t *p, uint32_t x) {
    for (int i = 0; i < 4; i++) p[i] = (uint8_t)(x >> (24 - 8 * i));
}

/* Length, type, data, CRC of type and data; the data may already stand at p + 8. Returns its end.
 */
static uint8_t *put_chunk(uint8_t *p, const char *type, const uint8_t *data, int64_t size) {
    put32(p, (uint32_t)size);
    memcpy(p + 4, type, 4);
    if (data) memcpy(p + 8, data, (size_t)size);
    put32(p + 8 + size, cafe_crc32(p + 4, size + 4));
    return p + CHUNK_FRAME + size;
}

static int64_t weight(const uint8_t *row, const uint8_t *above, int64_t bytes) {
    int64_t sum = 0;
    for (int64_t i = 0; i < bytes; i++)
        sum += abs((int8_t)(uint8_t)(row[i] - (above ? above[i] : 0)));
    return sum;
}

static void filter_rows(int64_t height, int64_t bytes, const uint8_t *rgb, uint8_t *out) {
    for (int64_t y = 0; y < height; y++) {
        const uint8_t *row = rgb + y * bytes, *above = y > 0 ? row - bytes : NULL;
        if (above && weight(row, above, bytes) > weight(row, NULL, bytes)) above = NULL;
        *out++ = above ? 2 : 0;
        for (int64_t i = 0; i < bytes; i++) *out++ = (uint8_t)(row[i] - (above ? above[i] : 0));
    }
}

cafe_status cafe_png_encode(cafe_context *context, int64_t width, int64_t height,
                            const uint8_t *rgb, uint8_t **png, int64_t *size) {
    int64_t raw = height * (3 * width + 1), bound = cafe_deflate_bound(raw), packed = 0;
    uint8_t header[HEADER] = {[8] = 8, [9] = 2}; /* 8 bits, RGB; no interlace */
    uint8_t *rows = cafe_mem(context, raw, 1), *p;
    cafe_status status = CAFE_ERROR_MEMORY;
    *png = cafe_mem(context, bound + 128, 1);
    if (!rows || !*png) goto done;
    put32(header, (uint32_t)width);
    put32(header + 4, (uint32_t)height);
    filter_rows(height, 3 * width, rgb, rows);
    memcpy(*png, signature, sizeof signature);
    p = put_chunk(*png + sizeof signature, "IHDR", header, HEADER);
    CAFE_TRY(cafe_deflate(context, CAFE_DEFLATE_ZLIB, rows, raw, p + 8, &packed));
    p = put_chunk(p, "IDAT", NULL, packed);
    p = put_chunk(p, "IEND", header, 0);
    *size = p - *png;
done:
    cafe_mem_free(context, rows);
    if (status != CAFE_OK) {
        cafe_mem_free(context, *png);
        *png = NULL;
    }
    return status;
}
