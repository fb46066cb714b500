/* Numbers of 16 bits: the definition that every engine follows, bit for bit.
 *
 * A row is rounded to nearest, ties to even, when it is stored; reading is exact. Rows have length
 * or sum 1, so nothing overflows. A device's compiler reads this header too.
 */
#ifndef CAFE_KERNELS_STORAGE_H
#define CAFE_KERNELS_STORAGE_H

#include <stdint.h>

#include <cafe/storage.h>

#include "base/inline.h"

typedef union cafe_bits {
    float value;
    uint32_t bits;
} cafe_bits;

/* The number of that storage nearest to x, |x| < 65504. Below 2^-14 numbers of float16 are 2^-24
 * apart, as floats are from 1/2 to 1: there an addition rounds. -0 may become 0. */
CAFE_INLINE float cafe_round_to(int32_t storage, float x) {
    cafe_bits y;
    y.value = x;
    if (storage == CAFE_STORAGE_FLOAT16) {
        if ((y.bits & 0x7FFFFFFFu) < 0x38800000u) return (x + 0.75f) - 0.75f;
        y.bits = (y.bits + 0x0FFFu + ((y.bits >> 13) & 1u)) & ~0x1FFFu;
    } else if (storage == CAFE_STORAGE_BFLOAT16) {
        y.bits = (y.bits + 0x7FFFu + ((y.bits >> 16) & 1u)) & ~0xFFFFu;
    }
    return y.value;
}

/* The 16 bits of a number that was rounded so, and back. The exponents of float16 and of float are
 * 112 apart, which a product makes good of small numbers too. */
CAFE_INLINE uint16_t cafe_pack(int32_t storage, float x) {
    cafe_bits y, size;
    y.value = x;
    if (storage == CAFE_STORAGE_BFLOAT16) return (uint16_t)(y.bits >> 16);
    size.bits = y.bits & 0x7FFFFFFFu;
    size.value *= 0x1p-112f;
    return (uint16_t)((size.bits >> 13) | ((y.bits >> 16) & 0x8000u));
}

CAFE_INLINE float cafe_unpack(int32_t storage, uint16_t x) {
    cafe_bits y;
    y.bits = (uint32_t)x << 16;
    if (storage == CAFE_STORAGE_BFLOAT16) return y.value;
    y.bits = (x & 0x7FFFu) << 13;
    y.value *= 0x1p112f;
    y.bits |= (uint32_t)(x & 0x8000u) << 16;
    return y.value;
}

#endif
