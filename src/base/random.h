/* Counter-based random numbers: Philox 4x32 with ten rounds (Salmon et al., SC'11).
 *
 * A number is a function of (seed, stream, index) alone, so it does not depend on who draws it or
 * when: results are the same for any number of threads.
 */
#ifndef CAFE_BASE_RANDOM_H
#define CAFE_BASE_RANDOM_H

#include <math.h>
#include <stdint.h>

/* Streams keep the uses apart. */
enum cafe_stream {
    CAFE_STREAM_START = 1,
    CAFE_STREAM_GUARD = 2,
    CAFE_STREAM_SIMPLEX = 3,
    CAFE_STREAM_LAYERS = 4,
    CAFE_STREAM_WALK = 5, /* with the number of the draw in its upper half */
    CAFE_STREAM_EIGEN = 8,
    CAFE_STREAM_RESTART = 9,
    CAFE_STREAM_GENERATE = 16, /* to 32767: the generators' own */
    CAFE_STREAM_MIX = 32768    /* and above, one for every 128 columns */
};

typedef struct cafe_random4 {
    uint32_t v[4];
} cafe_random4;

static inline cafe_random4 cafe_philox(uint64_t seed, uint64_t stream, uint64_t index) {
    uint32_t k0 = (uint32_t)seed, k1 = (uint32_t)(seed >> 32);
    uint32_t c0 = (uint32_t)index, c1 = (uint32_t)(index >> 32);
    uint32_t c2 = (uint32_t)stream, c3 = (uint32_t)(stream >> 32);
    for (int round = 0; round < 10; round++) {
        uint64_t a = (uint64_t)0xD2511F53u * c0, b = (uint64_t)0xCD9E8D57u * c2;
        uint32_t n0 = (uint32_t)(b >> 32) ^ c1 ^ k0, n2 = (uint32_t)(a >> 32) ^ c3 ^ k1;
        c1 = (uint32_t)b, c3 = (uint32_t)a, c0 = n0, c2 = n2;
        k0 += 0x9E3779B9u, k1 += 0xBB67AE85u;
    }
    return (cafe_random4){{c0, c1, c2, c3}};
}

/* Uniform in [0,1) from 53 of 64 bits; uniform in (0,1) from 32 bits. */
static inline double cafe_uniform(uint32_t high, uint32_t low) {
    return (double)((((uint64_t)high << 32) | low) >> 11) * 0x1p-53;
}
static inline double cafe_uniform_open(uint32_t bits) {
    return ((double)bits + 0.5) * 0x1p-32;
}

/* An integer in 0 .. bound-1 (bound > 0), with a bias below bound / 2^64. */
static inline uint64_t cafe_below(uint32_t high, uint32_t low, uint64_t bound) {
    uint64_t x = ((uint64_t)high << 32) | low;
    return (uint64_t)(((unsigned __int128)x * bound) >> 64);
}

/* Four standard normal numbers (Box-Muller). */
static inline void cafe_normal4(cafe_random4 r, float out[4]) {
    for (int i = 0; i < 4; i += 2) {
        double radius = sqrt(-2 * log(cafe_uniform_open(r.v[i])));
        double angle = 2 * 3.14159265358979323846 * cafe_uniform_open(r.v[i + 1]);
        out[i] = (float)(radius * cos(angle));
        out[i + 1] = (float)(radius * sin(angle));
    }
}

#endif
