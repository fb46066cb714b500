/* Printing and reading in the locale "C", independent of the program's locale; and text that is
 * safe to show.
 *
 * newlocale() does not create a locale for "C": it returns a constant of the C library. So the
 * calls are cheap, and the library keeps no state.
 */
#include "base/print.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Numbers of this thread use the locale "C" until leave_plain() gets the value that enter_plain()
 * returned. */
static locale_t enter_plain(locale_t *plain) {
    *plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    return *plain ? uselocale(*plain) : (locale_t)0;
}

static void leave_plain(locale_t plain, locale_t before) {
    if (!plain) return;
    uselocale(before);
    freelocale(plain);
}

int cafe_vprint(char *text, size_t capacity, const char *format, va_list arguments) {
    locale_t plain, before = enter_plain(&plain);
    int length = vsnprintf(text, capacity, format, arguments);
    leave_plain(plain, before);
    return length;
}

int cafe_print(char *text, size_t capacity, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int length = cafe_vprint(text, capacity, format, arguments);
    va_end(arguments);
    return length;
}

/* strtod would also take blanks, +, hexadecimal numbers, inf and nan. */
double cafe_parse_number(const char *text, const char **end) {
    char *behind;
    const char *digits = text + (*text == '-');
    bool zero = digits[0] == '0' && (digits[1] | 32) == 'x';
    *end = zero ? digits + 1 : text;
    if (zero || !strchr("0123456789.", *digits) || !*digits) return 0;
    locale_t plain, before = enter_plain(&plain);
    double value = strtod(text, &behind);
    leave_plain(plain, before);
    *end = behind;
    return value;
}

static char lower(char c) {
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

bool cafe_same_word(const char *a, const char *b, size_t length) {
    for (size_t i = 0; i < length; i++) {
        if (lower(a[i]) != lower(b[i])) return false;
        if (a[i] == 0) return true;
    }
    return true;
}

bool cafe_is_word(const char *text, const char *word) {
    size_t length = strlen(word);
    return strlen(text) == length && cafe_same_word(text, word, length);
}

/* ---- UTF-8 ------------------------------------------------------------------------------------
 */

int cafe_utf8_length(const uint8_t *p, int64_t left) {
    uint8_t c = p[0];
    if (c < 0x80) return 1;
    int length = c >= 0xc2 && c < 0xe0   ? 2
                 : c >= 0xe0 && c < 0xf0 ? 3
                 : c >= 0xf0 && c < 0xf5 ? 4
                                         : 0;
    if (length == 0 || length > left) return 0;
    for (int i = 1; i < length; i++)
        if ((p[i] & 0xc0) != 0x80) return 0;
    /* overlong forms, surrogates and values above 0x10ffff */
    bool bad = (c == 0xe0 && p[1] < 0xa0) || (c == 0xed && p[1] >= 0xa0) ||
               (c == 0xf0 && p[1] < 0x90) || (c == 0xf4 && p[1] >= 0x90);
    return bad ? 0 : length;
}

int cafe_put_utf8(uint32_t code, char text[4]) {
    int count = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    static const uint8_t first[] = {0, 0, 0xC0, 0xE0, 0xF0};
    for (int i = count - 1; i > 0; i--, code >>= 6) text[i] = (char)(0x80 | (code & 0x3F));
    text[0] = (char)(first[count] | code);
    return count;
}

/* ---- escapes --------------------------------------------------------------------------------- */

/* Four hexadecimal digits. */
static bool take_hex(const char **at, const char *end, uint32_t *code) {
    static const char digits[] = "0123456789abcdef";
    *code = 0;
    if (end - *at < 4) return false;
    for (int i = 0; i < 4; i++, ++*at) {
        char c = lower(**at);
        const char *digit = c ? strchr(digits, c) : NULL;
        if (!digit) return false;
        *code = *code << 4 | (uint32_t)(digit - digits);
    }
    return true;
}

/* The character of \uXXXX, or of two that are a pair; 0: none, or one that no text may have. */
static uint32_t take_code(const char **at, const char *end) {
    uint32_t high, low;
    if (!take_hex(at, end, &high) || (high >= 0xDC00 && high < 0xE000)) return 0;
    if (high < 0xD800 || high >= 0xE000) return high;
    if (end - *at < 6 || (*at)[0] != '\\' || (*at)[1] != 'u') return 0;
    *at += 2;
    if (!take_hex(at, end, &low) || low < 0xDC00 || low >= 0xE000) return 0;
    return 0x10000 + ((high - 0xD800) << 10 | (low - 0xDC00));
}

int cafe_take_escape(const char **at, const char *end, char *text) {
    static const char letters[] = "\"\\/bfnrt", bytes[] = "\"\\/\b\f\n\r\t";
    char c = *at < end ? *(*at)++ : 0;
    const char *letter = c ? strchr(letters, c) : NULL;
    uint32_t code = letter ? (uint8_t)bytes[letter - letters] : c == 'u' ? take_code(at, end) : 0;
    return code ? cafe_put_utf8(code, text) : 0;
}

/* ---- what may be shown ----------------------------------------------------------------------- */

/* U+061C, U+200E, U+200F, U+202A .. U+202E, U+2066 .. U+2069 */
static bool turns_direction(const uint8_t *p, int length) {
    if (length == 2) return p[0] == 0xd8 && p[1] == 0x9c;
    if (length != 3 || p[0] != 0xe2) return false;
    if (p[1] == 0x80) return p[2] == 0x8e || p[2] == 0x8f || (p[2] >= 0xaa && p[2] <= 0xae);
    return p[1] == 0x81 && p[2] >= 0xa6 && p[2] <= 0xa9;
}

static bool may_be_shown(const uint8_t *p, int length) {
    if (length == 1) return p[0] >= 0x20 && p[0] != 0x7f;
    bool control = length == 2 && p[0] == 0xc2 && p[1] < 0xa0;
    return length > 0 && !control && !turns_direction(p, length);
}

/* Is this the beginning of a character that `left` bytes cannot hold? */
static bool is_cut(const uint8_t *p, int64_t left) {
    int length = *p < 0xc2 ? 1 : *p < 0xe0 ? 2 : *p < 0xf0 ? 3 : *p < 0xf5 ? 4 : 1;
    for (int64_t i = 1; i < left && i < length; i++)
        if ((p[i] & 0xc0) != 0x80) return false;
    return length > left;
}

/* Writes the character at p, of `length` bytes (0: an invalid byte), as it is or as \xNN. */
static char *put_character(const uint8_t *p, int length, bool shown, char *to) {
    static const char digits[] = "0123456789abcdef";
    for (int i = 0; i < length; i++) {
        if (shown) *to++ = (char)p[i];
        if (shown) continue;
        *to++ = '\\';
        *to++ = 'x';
        *to++ = digits[p[i] >> 4];
        *to++ = digits[p[i] & 15];
    }
    return to;
}

static size_t show(const char *bytes, size_t count, bool lines, bool whole, size_t *used,
                   char *text, size_t capacity) {
    const uint8_t *p = (const uint8_t *)bytes, *end = count > 0 ? p + count : p;
    char *to = text;
    while (p < end && (whole || !is_cut(p, end - p))) {
        int length = cafe_utf8_length(p, end - p), taken = length > 0 ? length : 1;
        bool shown = may_be_shown(p, length) || (lines && (*p == '\n' || *p == '\t'));
        if (to - text + (shown ? taken : 4 * taken) >= (int64_t)capacity) break;
        to = put_character(p, taken, shown, to);
        p += taken;
    }
    if (capacity > 0) *to = 0;
    *used = (size_t)(p - (const uint8_t *)bytes);
    return (size_t)(to - text);
}

size_t cafe_show(const char *bytes, size_t count, char *text, size_t capacity) {
    return show(bytes, count, false, true, &(size_t){0}, text, capacity);
}

size_t cafe_show_lines(const char *bytes, size_t count, bool whole, size_t *used, char *text,
                       size_t capacity) {
    return show(bytes, count, true, whole, used, text, capacity);
}

void cafe_escape(const uint8_t *bytes, int64_t count, int most, char *text) {
    int64_t kept = count < most ? count : most;
    while (kept > 0 && kept < count && (bytes[kept] & 0xc0) == 0x80) kept--;
    size_t length = cafe_show((const char *)bytes, (size_t)kept, text, 4 * (size_t)most + 1);
    memcpy(text + length, "...", kept < count ? 4 : 0);
    text[length + (kept < count ? 3 : 0)] = 0;
}

const uint8_t *cafe_bad_utf8(const uint8_t *p, const uint8_t *end) {
    while (p < end) {
        if ((uint8_t)(*p - 1) < 0x7f) {
            p++;
            continue;
        }
        int length = cafe_utf8_length(p, end - p);
        if (length == 0 || *p == 0) return p;
        p += length;
    }
    return end;
}
