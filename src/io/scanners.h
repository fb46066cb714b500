/* The scanners of all text readers: integers, weights, separators.
 *
 * They rely on two promises of the text source (text_window.h): a line ends with '\n', and sixteen
 * bytes after a window may be read. So no scanner needs the end of the buffer: '\n' stops all.
 * Numbers are not read by the C library, whose strtod depends on the locale.
 */
#ifndef CAFE_IO_SCANNERS_H
#define CAFE_IO_SCANNERS_H

#include <float.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

typedef enum cafe_scan {
    CAFE_SCAN_OK = 0,
    CAFE_SCAN_NONE,  /* no number, or other characters right after it */
    CAFE_SCAN_RANGE, /* a number that the type cannot hold */
    CAFE_SCAN_MINUS  /* a minus sign before a weight */
} cafe_scan;

static inline bool cafe_is_blank(uint8_t c) {
    return c == ' ' || c == '\t';
}
static inline bool cafe_is_comma(uint8_t c) {
    return c == ',' || c == ';';
}
static inline bool cafe_is_line_end(uint8_t c) {
    return c == '\n' || c == '\r';
}
static inline bool cafe_is_field_end(uint8_t c) {
    return cafe_is_blank(c) || cafe_is_line_end(c) || cafe_is_comma(c);
}
static inline bool cafe_is_digit(uint8_t c) {
    return (uint8_t)(c - '0') < 10;
}

static inline const uint8_t *cafe_skip_blanks(const uint8_t *p) {
    while (cafe_is_blank(*p)) p++;
    return p;
}

/* Past the '\n' of this line. */
static inline const uint8_t *cafe_skip_line(const uint8_t *p, const uint8_t *end) {
    return (const uint8_t *)memchr(p, '\n', (size_t)(end - p)) + 1;
}

/* The next '\n' or quote. Eight bytes at once: a byte of x ^ '\n' or x ^ '"' is 0, which borrows
 * its top bit when 1 is taken from it. */
static inline const uint8_t *cafe_find_quote(const uint8_t *p) {
    static const uint64_t ones = 0x0101010101010101u;
    for (;; p += 8) {
        uint64_t word;
        memcpy(&word, p, 8);
        uint64_t a = word ^ '\n' * ones, b = word ^ '"' * ones;
        uint64_t found = (((a - ones) & ~a) | ((b - ones) & ~b)) & 128 * ones;
        if (found) return p + (__builtin_ctzll(found) >> 3);
    }
}

/* Past a separator: blanks, and among them at most one comma or semicolon. */
static inline const uint8_t *cafe_skip_separator(const uint8_t *p) {
    p = cafe_skip_blanks(p);
    return cafe_is_comma(*p) ? cafe_skip_blanks(p + 1) : p;
}

/* Reads the digits at p, at most 8 in one step; returns their number.
 *
 * Eight bytes at once: after XOR with '0' a digit is 0..9, and adding 0x76 sets the top bit of any
 * other byte. The lowest top bit therefore marks the end of the digits. They are shifted to the
 * top, zeros before them, and summed in pairs, fours and eights by three multiplications.
 */
static inline int cafe_scan_digits8(const uint8_t *p, uint64_t *value) {
    uint64_t word;
    memcpy(&word, p, 8);
    uint64_t d = word ^ 0x3030303030303030u;
    uint64_t other = ((d + 0x7676767676767676u) | d) & 0x8080808080808080u;
    int count = other ? __builtin_ctzll(other) >> 3 : 8;
    if (count == 0) return 0;
    d <<= 64 - 8 * count;
    d = d * 10 + (d >> 8);
    *value = ((d & 0x000000FF000000FFu) * 0x000F424000000064u +
              ((d >> 16) & 0x000000FF000000FFu) * 0x0000271000000001u) >>
             32;
    return count;
}

/* Reads all digits at *at as one number; RANGE above INT64_MAX, with *at after the digits too. */
static inline cafe_scan cafe_scan_digits(const uint8_t **at, uint64_t *value) {
    static const uint64_t power[9] = {1,      10,      100,      1000,     10000,
                                      100000, 1000000, 10000000, 100000000};
    const uint8_t *p = *at;
    uint64_t v = 0, more;
    int count = cafe_scan_digits8(p, &v);
    if (count == 0) return CAFE_SCAN_NONE;
    p += count;
    bool over = false;
    while (count == 8 && (count = cafe_scan_digits8(p, &more)) > 0) {
        p += count;
        over |= __builtin_mul_overflow(v, power[count], &v);
        over |= __builtin_add_overflow(v, more, &v) || v > INT64_MAX;
    }
    *at = p;
    *value = v;
    return over ? CAFE_SCAN_RANGE : CAFE_SCAN_OK;
}

/* Reads an integer that fills its field: digits, perhaps a minus sign before them. *at moves after
 * it unless the result is NONE. INT64_MIN is out of range, so it can mean "no id". */
static inline cafe_scan cafe_scan_integer(const uint8_t **at, int64_t *value) {
    const uint8_t *p = *at;
    bool minus = *p == '-';
    p += minus;
    uint64_t v = 0;
    cafe_scan scan = cafe_scan_digits(&p, &v);
    if (scan == CAFE_SCAN_NONE || !cafe_is_field_end(*p)) return CAFE_SCAN_NONE;
    *at = p;
    *value = scan == CAFE_SCAN_RANGE ? 0 : minus ? -(int64_t)v : (int64_t)v;
    return scan;
}

/* Returns m * 10^exponent: exact to the last bit of a double for short numbers, and far more exact
 * than a float for all others. */
static inline double cafe_scale10(double m, int exponent) {
    static const double power[23] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                     1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                     1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    if (m == 0) return 0;
    for (; exponent > 22; exponent -= 22) m *= 1e22;
    for (; exponent < -22; exponent += 22) m /= 1e22;
    return exponent < 0 ? m / power[-exponent] : m * power[exponent];
}

/* Digits with a point among them, as mantissa and power of ten; false when there is no digit. */
static inline bool cafe_scan_mantissa(const uint8_t **at, uint64_t *mantissa, int *exponent) {
    const uint8_t *p = *at;
    uint64_t m = 0;
    int kept = 0, e = 0;
    bool any = false, point = false;
    for (;; p++) {
        if (cafe_is_digit(*p)) {
            any = true;
            if (kept < 18) {
                m = m * 10 + (uint64_t)(*p - '0');
                kept += m != 0;
                e -= point;
            } else if (e < 10000) {
                e += !point; /* digits past the 18th no longer matter, their number does */
            }
        } else if (*p == '.' && !point) {
            point = true;
        } else {
            break;
        }
    }
    *at = p;
    *mantissa = m;
    *exponent = e;
    return any;
}

/* Reads a weight that fills its field: 0 or a normal positive float, as 3, 0.5, .5, 2e-3. *at moves
 * after it if it is valid. */
static inline cafe_scan cafe_scan_weight(const uint8_t **at, float *weight) {
    const uint8_t *p = *at;
    uint64_t m = 0;
    int e = 0;
    if (*p == '-') return CAFE_SCAN_MINUS;
    p += *p == '+';
    if (!cafe_scan_mantissa(&p, &m, &e)) return CAFE_SCAN_NONE;
    if (*p == 'e' || *p == 'E') {
        bool minus = p[1] == '-';
        p += 1 + (p[1] == '-' || p[1] == '+');
        if (!cafe_is_digit(*p)) return CAFE_SCAN_NONE;
        int power = 0;
        for (; cafe_is_digit(*p); p++) power = power < 100000 ? power * 10 + (*p - '0') : power;
        e += minus ? -power : power;
    }
    if (!cafe_is_field_end(*p)) return CAFE_SCAN_NONE;
    if (m != 0 && e > 40) return CAFE_SCAN_RANGE;
    double value = e < -80 ? 0 : cafe_scale10((double)m, e);
    if (value > FLT_MAX || (m != 0 && value < FLT_MIN)) return CAFE_SCAN_RANGE;
    *at = p;
    *weight = (float)value;
    return CAFE_SCAN_OK;
}

#endif
