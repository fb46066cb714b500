/* Numbers as text.
 *
 * printf is too slow for files of a hundred million numbers, and writes a decimal comma in some
 * locales. Here a float is scaled to an integer of 6 to 9 digits in double arithmetic, whose error
 * is far below half a unit of the ninth digit. Nine digits always distinguish two floats.
 *
 * Nearly all numbers of a file lie between 10^-5 and 10^6. For these every power of ten is exact
 * and in a table, and the digits of all four lengths are computed together. The text is stored in
 * pieces of fixed lengths; the next number overwrites the excess. The text equals that of the
 * general way.
 */
#include "io/digits.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "io/scanners.h"

/* 00 .. 99, two characters each */
static const char pairs[] =
    "0001020304050607080910111213141516171819202122232425262728293031323334353637383940414243444546"
    "4748495051525354555657585960616263646566676869707172737475767778798081828384858687888990919293"
    "949596979899";

static char *put_unsigned(char *text, uint64_t value) {
    char digits[20], *p = digits + sizeof digits;
    for (; value >= 100; value /= 100) memcpy(p -= 2, pairs + 2 * (value % 100), 2);
    if (value >= 10)
        memcpy(p -= 2, pairs + 2 * value, 2);
    else
        *--p = (char)('0' + value);
    size_t count = (size_t)(digits + sizeof digits - p);
    memcpy(text, p, count);
    return text + count;
}

char *cafe_put_integer(char *text, int64_t value) {
    if (value < 0) *text++ = '-';
    return put_unsigned(text, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

/* value = digits * 10^exponent, with as few digits as will do. */
static uint64_t shortest(float value, int *exponent) {
    int power = (int)floor(log10((double)value));
    for (int count = 6; count <= 9; count++) {
        int e = power - count + 1;
        uint64_t digits = (uint64_t)llround(cafe_scale10((double)value, -e));
        if (count < 9 && (float)cafe_scale10((double)digits, e) != value) continue;
        while (digits % 10 == 0) digits /= 10, e++;
        *exponent = e;
        return digits;
    }
    return 0;
}

/* digits * 10^exponent, with a point where it is readable and as 1.5e-07 where it is not. */
static char *put_scaled(char *text, uint64_t digits, int exponent) {
    char plain[20] = "0";
    int count = (int)(put_unsigned(plain, digits) - plain);
    int point = count + exponent; /* digits before the point */
    if (point > 9 || point < -4) {
        *text++ = plain[0];
        if (count > 1) *text++ = '.';
        memcpy(text, plain + 1, (size_t)(count - 1));
        text += count - 1;
        *text++ = 'e';
        return cafe_put_integer(text, point - 1);
    }
    if (point <= 0) {
        memcpy(text, "0.0000", (size_t)(2 - point));
        text += 2 - point;
        memcpy(text, plain, (size_t)count);
        return text + count;
    }
    int whole = point < count ? point : count;
    memcpy(text, plain, (size_t)whole);
    text += whole;
    for (int i = count; i < point; i++) *text++ = '0';
    if (whole < count) {
        *text++ = '.';
        memcpy(text, plain + whole, (size_t)(count - whole));
        text += count - whole;
    }
    return text;
}

/* ---- numbers from 10^-5 to 10^6 -------------------------------------------------------------- */

static const double tens[] = {
    1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1e0,  1e1,  1e2,  1e3, 1e4,
    1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11, 1e12, 1e13}; /* from 1 on exact */
enum { ONE = 5, STRETCH = 64 };                            /* ONE: where 10^0 stands */

/* floor(log10 value): from the power of two, 2^e <= value < 2^(e+1), at most one too small. */
static int power_of(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    int e = (int)(bits >> 52) - 1023, power = (e * 1233 - (e < 0 ? 4095 : 0)) / 4096;
    return power + (value >= tens[ONE + power + 1]);
}

/* The shortest of 6 to 9 digits as shortest() has them, filled up to nine. */
static uint32_t nine_digits(float value, int power) {
    static const uint32_t fill[] = {1000, 100, 10, 1};
    const double *scale = tens + ONE + 5 - power; /* of six digits: 10^(5 - power) */
    int32_t digits[4];
    unsigned right = 8;
    for (int i = 0; i < 4; i++) digits[i] = (int32_t)((double)value * scale[i] + 0.5);
    for (int i = 0; i < 3; i++) right |= (unsigned)((float)(digits[i] / scale[i]) == value) << i;
    int first = __builtin_ctz(right);
    return (uint32_t)digits[first] * fill[first];
}

/* Eight digits, a byte each, the first in the lowest: halves, then quarters, then eighths, all at
 * once; 10486/2^20 and 103/2^10 divide by 100 and 10. */
static uint64_t eight_digits(uint32_t value) {
    uint64_t x = value / 10000 | (uint64_t)(value % 10000) << 32;
    uint64_t y = (x * 10486 >> 20) & 0x0000007f0000007f;
    y |= (x - 100 * y) << 16;
    uint64_t z = (y * 103 >> 10) & 0x000f000f000f000f;
    return z | (y - 10 * z) << 8;
}

static void put_eight(char *text, uint64_t digits) {
    digits += 0x3030303030303030; /* '0' */
    memcpy(text, &digits, sizeof digits);
}

/* A number as nine digits, and the power of ten of the first. */
typedef struct decimal {
    uint32_t digits;
    int32_t power;
} decimal;

static decimal decimal_of(float value) {
    int power = power_of((double)value);
    uint32_t digits = nine_digits(value, power);
    bool next = digits == 1000000000; /* 0.01f is less than 0.01 */
    return (decimal){next ? 100000000 : digits, power + next};
}

static char *put_decimal(char *text, decimal d) {
    uint64_t eight = eight_digits(d.digits / 10);
    char last = (char)('0' + d.digits % 10);
    int power = d.power, longest = -(last != '0'); /* without a branch: */
    int count =
        (longest & 9) | (~longest & (8 - __builtin_clzll(eight) / 8)); /* no trailing zeros */
    if (power < 0) {
        memcpy(text, "0.00000", 8);
        text += 1 - power;
        put_eight(text, eight);
        text[8] = last;
        return text + count;
    }
    put_eight(text, eight);
    if (count <= power + 1) return text + power + 1;
    text[power + 1] = '.';
    put_eight(text + power + 2, eight >> 8 * (power + 1));
    text[9] = last;
    return text + count + 1;
}

static bool is_usual(float value) {
    return (double)value >= 1e-5 && value < 1e6f;
}

/* Any number that is not below 0. */
static char *put_other(char *text, float value) {
    int exponent = 0;
    if (!isfinite(value)) {
        memcpy(text, isnan(value) ? "nan" : "inf", 3);
        return text + 3;
    }
    if (value == 0) {
        *text++ = '0';
        return text;
    }
    uint64_t digits = shortest(value, &exponent);
    return put_scaled(text, digits, exponent);
}

/* The sign without a branch: half of the values have one, in no order. */
static char *put_sign(char *text, float value) {
    *text = '-';
    return text + (signbit(value) != 0);
}

char *cafe_put_float(char *text, float value) {
    float size = fabsf(value);
    text = put_sign(text, value);
    return is_usual(size) ? put_decimal(text, decimal_of(size)) : put_other(text, size);
}

/* All digits of a stretch come first: text has an order, digits have none, and the processor works
 * at several at once. */
static char *put_stretch(char *text, char separator, const float *values, int64_t count) {
    decimal found[STRETCH];
    for (int64_t i = 0; i < count; i++) {
        float size = fabsf(values[i]);
        found[i] = decimal_of(is_usual(size) ? size : 1);
    }
    for (int64_t i = 0; i < count; i++) {
        float size = fabsf(values[i]);
        *text = separator;
        text = put_sign(text + 1, values[i]);
        text = is_usual(size) ? put_decimal(text, found[i]) : put_other(text, size);
    }
    return text;
}

char *cafe_put_floats(char *text, char separator, const float *values, int64_t count) {
    for (; count > STRETCH; count -= STRETCH, values += STRETCH)
        text = put_stretch(text, separator, values, STRETCH);
    return put_stretch(text, separator, values, count);
}
