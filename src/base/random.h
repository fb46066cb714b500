/* Counter-based random numbers: Philox 4x32 with ten rounds (Salmon et al., SC'11).
 *
 * A number is a function of (seed, stream, index) alone. It does not depend on the thread or the
 * time of the call, so results are the same for any number of threads.
 */
#ifndef CAFE_BASE_RANDOM_H
#define CAFE_BASE_RANDOM_H

#include <math.h>
#include <stdint.h>

#include "base/inline.h"

/* Streams keep the uses apart. Every use has its own number in one of three lists that never meet.
 * A run has one method. An evaluation draws from the caller's seed, and the methods inside it from
 * seeds that follow from that seed. scripts/check compares the numbers. */
enum cafe_stream {
    CAFE_STREAM_START = 1,
    CAFE_STREAM_GUARD = 2,
    CAFE_STREAM_SIMPLEX = 3,
    CAFE_STREAM_LAYERS = 4,
    CAFE_STREAM_WALK = 5, /* with the number of the draw in its upper half */
    CAFE_STREAM_PARENTS = 6,
    CAFE_STREAM_EIGEN = 8,
    CAFE_STREAM_RESTART = 9,
    CAFE_STREAM_REGROUP = 10,
    CAFE_STREAM_SPLIT = 12,
    CAFE_STREAM_SWAPS = 13, /* the upper half counts random graphs */
    CAFE_STREAM_ORDER = 16, /* of the generators, to MORE_LINKS */
    CAFE_STREAM_SIZES = 17,
    CAFE_STREAM_DEGREES = 18,
    CAFE_STREAM_LINKS = 19,
    CAFE_STREAM_MORE_LINKS = 20,
    CAFE_STREAM_BOTTOM = 40, /* the bottom end's start */
    CAFE_STREAM_PROBES = 41,
    CAFE_STREAM_HUBS = 42, /* the upper half counts rounds */
    CAFE_STREAM_FEATURES = 43,
    CAFE_STREAM_MAP = 48,        /* the upper half counts levels and rounds */
    CAFE_STREAM_ATTEMPTS = 256,  /* and above, one per attempt of R-MAT */
    CAFE_STREAM_MIX = 32768,     /* and above, one for every 128 columns */
    CAFE_STREAM_TREES = 12 << 20 /* and above, one per tree, a group per use */
};

/* Streams of methods that others published. */
enum cafe_published_stream {
    CAFE_STREAM_SKIP_WALK = 40, /* skip-gram: the upper half counts the draws */
    CAFE_STREAM_SKIP_ORDER = 41,
    CAFE_STREAM_SKIP_WINDOW = 42,
    CAFE_STREAM_SKIP_SHUFFLE = 43,
    CAFE_STREAM_SKIP_TRAIN = 44,
    CAFE_STREAM_SKIP_TOP = 45,
    CAFE_STREAM_SKIP_EDGE = 46,
    CAFE_STREAM_SKIP_START = 47,
    CAFE_STREAM_SDNE_WEIGHTS = 48,
    CAFE_STREAM_SDNE_ORDER = 49,
    CAFE_STREAM_SKIP_LOSS = 50,
    CAFE_STREAM_GF = 57,
    CAFE_STREAM_PRONE = 58,
    CAFE_STREAM_NETMF = 59,
    CAFE_STREAM_FASTRP = 60
};

/* Of an evaluation: its splits and repeats. */
enum cafe_evaluation_stream {
    CAFE_STREAM_ITEM = 40,
    CAFE_STREAM_STRATUM = 41,
    CAFE_STREAM_OFFSET = 42,
    CAFE_STREAM_REPEAT = 43,
    CAFE_STREAM_NON_LINK = 44,
    CAFE_STREAM_TURN = 45,
    CAFE_STREAM_FOLD = 46,
    CAFE_STREAM_PAIR = 47
};

typedef struct cafe_random4 {
    uint32_t v[4];
} cafe_random4;

CAFE_INLINE cafe_random4 cafe_philox(uint64_t seed, uint64_t stream, uint64_t index) {
    uint32_t k0 = (uint32_t)seed, k1 = (uint32_t)(seed >> 32);
    uint32_t c0 = (uint32_t)index, c1 = (uint32_t)(index >> 32);
    uint32_t c2 = (uint32_t)stream, c3 = (uint32_t)(stream >> 32);
    for (int round = 0; round < 10; round++) {
        uint64_t a = (uint64_t)0xD2511F53u * c0, b = (uint64_t)0xCD9E8D57u * c2;
        uint32_t n0 = (uint32_t)(b >> 32) ^ c1 ^ k0, n2 = (uint32_t)(a >> 32) ^ c3 ^ k1;
        c1 = (uint32_t)b, c3 = (uint32_t)a, c0 = n0, c2 = n2;
        k0 += 0x9E3779B9u, k1 += 0xBB67AE85u;
    }
    cafe_random4 drawn = {{c0, c1, c2, c3}};
    return drawn;
}

/* Uniform in [0,1) from 53 of 64 bits; uniform in (0,1) from 32 bits. */
static inline double cafe_uniform(uint32_t high, uint32_t low) {
    return (double)((((uint64_t)high << 32) | low) >> 11) * 0x1p-53;
}
CAFE_INLINE double cafe_uniform_open(uint32_t bits) {
    return ((double)bits + 0.5) * 0x1p-32;
}

/* log(x) for 0 < x < 1, with the same bits on every machine and device. x = m 2^e with m between
 * sqrt(1/2) and sqrt(2), and log m = 2 (s + s^3 / 3 + s^5 / 5 + ...), s = (m - 1) / (m + 1). The
 * relative error is below 4e-16. */
CAFE_INLINE double cafe_log(double x) {
    int e = 0;
    double m = frexp(x, &e);
    if (m < 0.70710678118654752440) m *= 2, e--;
    double s = (m - 1) / (m + 1), square = s * s, sum = 0;
    for (int i = 23; i > 1; i -= 2) sum = (sum + 1.0 / i) * square;
    return e * 0.69314718055994530942 + 2 * (s + s * sum);
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
