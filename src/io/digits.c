/* Numbers as text.
 *
 * printf would do, but it is slow where a file has a hundred million numbers, and it writes a comma
 * for the point in some locales. A float is scaled to an integer of 6 to 9 digits in double
 * arithmetic, whose error is far below half a unit of the ninth digit; nine digits always tell two
 * floats apart.
 */
#include "io/digits.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "io/scan.h"

static char *put_unsigned(char *text, uint64_t value) {
    char digits[20];
    int count = 0;
    do digits[count++] = (char)('0' + value % 10);
    while ((value /= 10) > 0);
    while (count > 0) *text++ = digits[--count];
    return text;
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

char *cafe_put_float(char *text, float value) {
    if (signbit(value)) *text++ = '-';
    value = fabsf(value);
    if (!isfinite(value)) {
        memcpy(text, isnan(value) ? "nan" : "inf", 3);
        return text + 3;
    }
    if (value < 1e6f && value == (float)(int32_t)value) return put_unsigned(text, (uint64_t)value);
    int exponent = 0;
    uint64_t digits = shortest(value, &exponent);
    return put_scaled(text, digits, exponent);
}
