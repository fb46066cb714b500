/* The distances of distance_tile.c for one instruction set: TARGET is its attribute, V a register
 * of it, NAME(f) the name of function f.
 */
enum {
    NAME(LANES) = sizeof(V) / sizeof(float),
    NAME(HELD) =
        NAME(LANES) < CAFE_TILE ? 2 : 1 /* registers a query: eight sums are held at once */
};
#define LANES         NAME(LANES)
#define HELD          NAME(HELD)
#define READ(pointer) (*(const V *)(pointer))

TARGET static void NAME(tile)(const float *const rows[CAFE_QUERIES], const float *tile,
                              int64_t dims, float out[CAFE_QUERIES][CAFE_TILE]) {
    for (int from = 0; from < CAFE_TILE; from += HELD * LANES) {
        V sum[CAFE_QUERIES][HELD] = {0};
        for (int64_t d = 0; d < dims; d++)
            for (int q = 0; q < CAFE_QUERIES; q++)
                for (int r = 0; r < HELD; r++) {
                    V e = READ(tile + d * CAFE_TILE + from + r * LANES) - rows[q][d];
                    sum[q][r] += e * e;
                }
        for (int q = 0; q < CAFE_QUERIES; q++)
            for (int r = 0; r < HELD; r++) *(V *)(out[q] + from + r * LANES) = sum[q][r];
    }
}

TARGET static float NAME(pair)(const float *x, const float *y, int64_t dims) {
    V sums[CAFE_TILE / LANES] = {0};
    float lane[CAFE_TILE], rest = 0;
    int64_t d = 0;
    for (; d + CAFE_TILE <= dims; d += CAFE_TILE)
        for (int i = 0; i < CAFE_TILE / LANES; i++) {
            V e = READ(x + d + i * LANES) - READ(y + d + i * LANES);
            sums[i] += e * e;
        }
    for (; d < dims; d++) rest += (x[d] - y[d]) * (x[d] - y[d]);
    for (int i = 0; i < CAFE_TILE / LANES; i++) *(V *)(lane + i * LANES) = sums[i];
    for (int half = CAFE_TILE / 2; half > 0; half /= 2)
        for (int i = 0; i < half; i++) lane[i] += lane[i + half];
    return lane[0] + rest;
}

static const cafe_distances NAME(distances) = {NAME(tile), NAME(pair)};

#undef LANES
#undef HELD
#undef READ
#undef TARGET
#undef V
#undef NAME
