/* The loops of skipgram_kernel.c for one instruction set: TARGET is its attribute, V a register of
 * it, NAME(f) the name of function f. Rows are whole vectors of 16 floats, except those of 4 or 8.
 *
 * The sum of dot() has 16 lanes (4 in short rows), added up by halves: the same order everywhere.
 */
enum { NAME(LANES) = sizeof(V) / sizeof(float), NAME(PARTS) = WIDTH / NAME(LANES) };
#define LANES NAME(LANES)

TARGET static float NAME(dot)(int64_t stride, const float *x, const float *y) {
    v4 four[WIDTH / 4] = {0};
    V sum[NAME(PARTS)] = {0};
    if (stride < WIDTH)
        for (int64_t k = 0; k < stride; k += 4)
            four[0] += *(const v4 *)(x + k) * *(const v4 *)(y + k);
    else
        for (int64_t k = 0; k < stride; k += WIDTH)
            for (int i = 0; i < NAME(PARTS); i++)
                sum[i] += *(const V *)(x + k + i * LANES) * *(const V *)(y + k + i * LANES);
    if (stride >= WIDTH) memcpy(four, sum, sizeof four);
    v4 all = (four[0] + four[2]) + (four[1] + four[3]);
    return (all[0] + all[2]) + (all[1] + all[3]);
}

TARGET static void NAME(pull)(int64_t stride, float g, const float *h, float *c, float *move) {
    if (stride < WIDTH) {
        for (int64_t k = 0; k < stride; k += 4) {
            v4 old = *(const v4 *)(c + k);
            *(v4 *)(move + k) += g * old;
            *(v4 *)(c + k) = old + g * *(const v4 *)(h + k);
        }
        return;
    }
    for (int64_t k = 0; k < stride; k += LANES) {
        V old = *(const V *)(c + k);
        *(V *)(move + k) += g * old;
        *(V *)(c + k) = old + g * *(const V *)(h + k);
    }
}

TARGET static void NAME(apply)(int64_t stride, float *move, float *h) {
    for (int64_t k = 0; k < stride; k += 4) {
        *(v4 *)(h + k) += *(const v4 *)(move + k);
        *(v4 *)(move + k) = (v4){0};
    }
}

static const cafe_skip_kernels NAME(kernels) = {WORD, NAME(dot), NAME(pull), NAME(apply)};

#undef LANES
#undef TARGET
#undef WORD
#undef NAME
#undef V
