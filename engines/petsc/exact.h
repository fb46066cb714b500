/* Sums that have no order: numbers as integers of many digits, which are added digit by digit.
 *
 * A number is taken as the multiple of 2^-160 nearest below it, in digits of 32 bits, each in 64: a
 * process may add up 2^31 numbers, and the processes their digits in any order, before a digit runs
 * over. What is below 2^-160 is lost, the same on every process; what is 2^62 or more is refused.
 */
#ifndef CAFE_PETSC_EXACT_H
#define CAFE_PETSC_EXACT_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

enum { EXACT_DIGITS = 7, EXACT_LOWEST = -160 };

typedef struct exact_sum {
    int64_t digit[EXACT_DIGITS]; /* digit i counts 2^(EXACT_LOWEST + 32 i) */
} exact_sum;

/* false: the number is too large, or none. */
static inline bool exact_add(exact_sum *sum, double x) {
    int exponent;
    if (x == 0) return true;
    if (!(fabs(x) < 0x1p62)) return false;
    double whole = ldexp(frexp(x, &exponent), 53); /* x = whole 2^(exponent - 53), an integer */
    int place = exponent - 53 - EXACT_LOWEST;
    if (place < 0) whole = floor(ldexp(whole, place > -60 ? place : -60)), place = 0;
    int64_t value = (int64_t)whole;
    int from = place / 32, shift = place % 32;
    __int128 wide = (__int128)value * ((__int128)1 << shift); /* 53 + 31 bits: three digits */
    for (int i = 0; i < 3 && from + i < EXACT_DIGITS; i++) {
        bool last = i == 2 || from + i == EXACT_DIGITS - 1;
        sum->digit[from + i] += last ? (int64_t)wide : (int64_t)(uint32_t)wide;
        wide >>= 32;
        if (last) break;
    }
    return true;
}

/* The double nearest to it: digits are made regular first, so that the way there does not matter.
 */
static inline double exact_value(exact_sum *sum) {
    double value = 0;
    for (int i = 0; i + 1 < EXACT_DIGITS; i++) {
        int64_t carry = sum->digit[i] >> 32;
        sum->digit[i] &= 0xFFFFFFFF;
        sum->digit[i + 1] += carry;
    }
    for (int i = EXACT_DIGITS - 1; i >= 0; i--)
        value += ldexp((double)sum->digit[i], EXACT_LOWEST + 32 * i);
    return value;
}

#endif
