/* Sums of hashes, compiled once per instruction set (CAFE_ISA names it). */
#include "kernels/edge_hashes.h"

#if defined(__AVX512DQ__)
#include <immintrin.h>
#endif

#define JOIN_(a, b) a##b
#define JOIN(a, b)  JOIN_(a, b)

extern cafe_hash_links JOIN(cafe_hash_links_, CAFE_ISA);

#if defined(__AVX512DQ__)
/* Eight at a time: the only set that multiplies such numbers side by side. */
static inline __m512i mix(const uint64_t key[2], __m512i x) {
    x = _mm512_xor_si512(x, _mm512_srli_epi64(x, 30));
    x = _mm512_mullo_epi64(x, _mm512_set1_epi64((int64_t)0xBF58476D1CE4E5B9u));
    x = _mm512_add_epi64(x, _mm512_set1_epi64((int64_t)key[1]));
    x = _mm512_xor_si512(x, _mm512_srli_epi64(x, 27));
    x = _mm512_mullo_epi64(x, _mm512_set1_epi64((int64_t)0x94D049BB133111EBu));
    return _mm512_xor_si512(x, _mm512_srli_epi64(x, 31));
}

static inline __m512i weight_bits(__mmask8 there, const float *weights) {
    __m512i x = _mm512_cvtepu32_epi64(_mm256_maskz_loadu_epi32(there, weights));
    x = _mm512_mullo_epi64(x, _mm512_set1_epi64((int64_t)0x9E3779B97F4A7C15u));
    return _mm512_xor_si512(x, _mm512_srli_epi64(x, 32));
}

uint64_t JOIN(cafe_hash_links_, CAFE_ISA)(const uint64_t key[2], int64_t u, int below,
                                          const int32_t *targets, const float *weights,
                                          int64_t count) {
    const __m512i own = _mm512_set1_epi64((below ? u : u << 32) ^ (int64_t)key[0]);
    const __m128i shift = _mm_cvtsi32_si128(below ? 32 : 0);
    __m512i sum = _mm512_setzero_si512();
    for (int64_t j = 0; j < count; j += 8) {
        __mmask8 there = count - j < 8 ? (__mmask8)((1 << (count - j)) - 1) : 0xFF;
        __m512i x = _mm512_cvtepu32_epi64(_mm256_maskz_loadu_epi32(there, targets + j));
        x = _mm512_xor_si512(_mm512_sll_epi64(x, shift), own);
        if (weights) x = _mm512_add_epi64(x, weight_bits(there, weights + j));
        sum = _mm512_mask_add_epi64(sum, there, sum, mix(key, x));
    }
    uint64_t lanes[8], total = 0; /* _mm512_reduce_add_epi64() adds signed numbers */
    _mm512_storeu_si512(lanes, sum);
    for (int i = 0; i < 8; i++) total += lanes[i];
    return total;
}
#else
uint64_t JOIN(cafe_hash_links_, CAFE_ISA)(const uint64_t key[2], int64_t u, int below,
                                          const int32_t *targets, const float *weights,
                                          int64_t count) {
    uint64_t sum = 0;
    for (int64_t j = 0; j < count; j++) {
        uint64_t w = (uint32_t)targets[j], bits = weights ? cafe_hash_weight(weights[j]) : 0;
        sum += cafe_hash_link(key, below ? w : (uint64_t)u, below ? (uint64_t)u : w, bits);
    }
    return sum;
}
#endif
