/* Text in other encodings than UTF-8 becomes UTF-8 in memory, before any reader sees it.
 *
 * UTF-16 has a mark at its start. Windows-1252, of which Latin-1 is a part, has none. A file is
 * taken for it if it is no UTF-8, has no byte that the encoding lacks and no control character. A
 * file in which most letters beyond ASCII are well-formed UTF-8 is a damaged file, and stays as it
 * is.
 */
#include <string.h>

#include "base/memory.h"
#include "base/print.h"
#include "io/input_file.h"
#include "io/text_position.h"

static const int64_t largest = (int64_t)1 << 30, largest_unmarked = (int64_t)1 << 28;

void cafe_input_replace(cafe_input *input, uint8_t *bytes, int64_t size) {
    cafe_input plain = {.context = input->context,
                        .name = input->name,
                        .bytes = bytes,
                        .size = size,
                        .owned = bytes,
                        .more = input->more,
                        .more_count = input->more_count,
                        .window = input->window,
                        .joined = input->joined,
                        .encoding = input->encoding};
    cafe_input_close(input);
    *input = plain;
}

cafe_status cafe_input_plain(cafe_input *input) {
    const cafe_input before = *input;
    if (cafe_input_is_gzip(input)) CAFE_PASS(cafe_input_expand(input));
    input->more = before.more;
    input->more_count = before.more_count;
    input->window = before.window;
    input->encoding = before.encoding;
    return cafe_input_load(input);
}

/* ---- UTF-16 ---------------------------------------------------------------------------------- */

/* The mark of UTF-16, 1: the low byte first, 2: the high byte; 0: none. That of UTF-32 begins with
 * the first. */
static int wide_mark(const uint8_t *bytes, int64_t size) {
    if (size < 2 || (size >= 4 && memcmp(bytes, "\xff\xfe\0\0", 4) == 0)) return 0;
    if (memcmp(bytes, "\xff\xfe", 2) == 0) return 1;
    return memcmp(bytes, "\xfe\xff", 2) == 0 ? 2 : 0;
}

static uint32_t unit(const uint8_t *p, int mark) {
    return mark == 1 ? (uint32_t)(p[0] | p[1] << 8) : (uint32_t)(p[0] << 8 | p[1]);
}

/* The character at *at, which moves behind it; 0: it is malformed, or NUL. */
static uint32_t take_wide(const uint8_t **at, const uint8_t *end, int mark) {
    if (end - *at < 2) return 0;
    uint32_t high = unit(*at, mark);
    if (high >= 0xDC00 && high < 0xE000) return 0;
    *at += 2;
    if (high < 0xD800 || high >= 0xE000) return high;
    uint32_t low = end - *at < 2 ? 0 : unit(*at, mark);
    if (low < 0xDC00 || low >= 0xE000) return 0;
    *at += 2;
    return 0x10000 + ((high - 0xD800) << 10 | (low - 0xDC00));
}

static cafe_status fail_wide(const cafe_input *input, const uint8_t *text, int64_t used) {
    int64_t line = 1 + cafe_count_lines(text, text + used), column = 1;
    while (column <= used && text[used - column] != '\n') column++;
    return cafe_fail(input->context, CAFE_ERROR_FORMAT,
                     "%s:%lld:%lld: expected a character of UTF-16, found half of one or NUL",
                     input->name, (long long)line, (long long)column);
}

static cafe_status decode_wide(cafe_input *input, int mark) {
    CAFE_PASS(cafe_input_plain(input));
    const uint8_t *at = input->bytes + 2, *end = input->bytes + input->size;
    uint8_t *text = cafe_mem(input->context, input->size / 2 * 3 + 1, 1);
    CAFE_PASS(cafe_mem_had(text));
    int64_t used = 0;
    while (at < end) {
        uint32_t code = take_wide(&at, end, mark);
        if (code == 0) {
            cafe_status status = fail_wide(input, text, used);
            cafe_mem_free(input->context, text);
            return status;
        }
        used += cafe_put_utf8(code, (char *)text + used);
    }
    input->encoding = "UTF-16";
    cafe_input_replace(input, text, used);
    return CAFE_OK;
}

/* ---- Windows-1252 ---------------------------------------------------------------------------- */

/* The characters of the bytes 0x80 .. 0x9f; 0: none. */
static const uint16_t windows[32] = {
    0x20AC, 0,      0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
    0x2039, 0x0152, 0,      0x017D, 0,      0,      0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
    0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0,      0x017E, 0x0178};

/* Has the byte a character, and is it none that only programs read? */
static bool has_character(uint8_t byte) {
    if (byte >= 0x80 && byte < 0xa0) return windows[byte - 0x80] != 0;
    return (byte >= ' ' || (byte >= '\t' && byte <= '\r')) && byte != 0x7f;
}

/* Is it text of Windows-1252, and no UTF-8? *bytes: how many UTF-8 takes at most. */
static bool is_windows(const uint8_t *p, const uint8_t *end, int64_t *bytes) {
    int64_t good = 0, bad = 0;
    *bytes = end - p;
    for (const uint8_t *q = p; q < end; q++) {
        if (!has_character(*q)) return false;
        *bytes += *q < 0x80 ? 0 : *q < 0xa0 ? 2 : 1;
    }
    while (p < end) {
        int length = cafe_utf8_length(p, end - p);
        good += length > 1;
        bad += length == 0;
        p += length ? length : 1;
    }
    return bad > good;
}

static cafe_status decode_windows(cafe_input *input) {
    int64_t bytes = 0, used = 0;
    CAFE_PASS(cafe_input_plain(input));
    const uint8_t *end = input->bytes + input->size;
    if (cafe_bad_utf8(input->bytes, end) == end || !is_windows(input->bytes, end, &bytes))
        return CAFE_OK;
    uint8_t *text = cafe_mem(input->context, bytes, 1);
    CAFE_PASS(cafe_mem_had(text));
    for (const uint8_t *p = input->bytes; p < end; p++) {
        uint32_t code = *p >= 0x80 && *p < 0xa0 ? windows[*p - 0x80] : *p;
        used += cafe_put_utf8(code, (char *)text + used);
    }
    input->encoding = "Windows-1252 (Latin-1)";
    cafe_input_replace(input, text, used);
    return CAFE_OK;
}

/* ---- any encoding ---------------------------------------------------------------------------- */

cafe_status cafe_input_decode(cafe_input *input, bool unmarked) {
    uint8_t start[4];
    int64_t size = sizeof start;
    if (input->encoding || input->start > 0 || input->size < 2 || input->size > largest)
        return CAFE_OK;
    CAFE_PASS(cafe_input_peek(input, start, &size));
    int mark = wide_mark(start, size);
    if (mark) return decode_wide(input, mark);
    return unmarked && input->size <= largest_unmarked ? decode_windows(input) : CAFE_OK;
}

bool cafe_input_mend(cafe_input *input) {
    char *error = input->context->error, text[sizeof input->context->error];
    memcpy(text, error, sizeof text);
    bool encoded = input->encoding != NULL, joined = input->joined;
    bool mended = cafe_input_decode(input, true) == CAFE_OK && input->encoding && !encoded;
    if (!mended && input->more_count == 0)
        mended = cafe_input_join(input) == CAFE_OK && input->joined && !joined;
    memcpy(error, text, sizeof text);
    if (mended) error[0] = 0;
    return mended;
}
