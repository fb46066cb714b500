/* The loops of skipgram_kernel.c for one instruction set: TARGET is its attribute, NAME(f) the name
 * of function f. Rows are whole vectors of 16 floats, except those of 4 or 8.
 *
 * The sum of dot() has 16 lanes (4 in short rows), added up by halves: the same order everywhere.
 */
TARGET static float NAME(dot)(int64_t stride, const float *x, const float *y) {
    if (stride < 16) {
        v4 sum = {0};
        for (int64_t k = 0; k < stride; k += 4) sum += *(const v4 *)(x + k) * *(const v4 *)(y + k);
        return (sum[0] + sum[2]) + (sum[1] + sum[3]);
    }
    v16 sum = {0};
    for (int64_t k = 0; k < stride; k += 16) sum += *(const v16 *)(x + k) * *(const v16 *)(y + k);
    float lane[16];
    *(v16 *)lane = sum;
    v8 eight = *(const v8 *)lane + *(const v8 *)(lane + 8);
    *(v8 *)lane = eight;
    v4 four = *(const v4 *)lane + *(const v4 *)(lane + 4);
    return (four[0] + four[2]) + (four[1] + four[3]);
}

TARGET static void NAME(pull)(int64_t stride, float g, const float *h, float *c, float *move) {
    if (stride < 16) {
        for (int64_t k = 0; k < stride; k += 4) {
            v4 old = *(const v4 *)(c + k);
            *(v4 *)(move + k) += g * old;
            *(v4 *)(c + k) = old + g * *(const v4 *)(h + k);
        }
        return;
    }
    for (int64_t k = 0; k < stride; k += 16) {
        v16 old = *(const v16 *)(c + k);
        *(v16 *)(move + k) += g * old;
        *(v16 *)(c + k) = old + g * *(const v16 *)(h + k);
    }
}

TARGET static void NAME(apply)(int64_t stride, float *move, float *h) {
    for (int64_t k = 0; k < stride; k += 4) {
        *(v4 *)(h + k) += *(const v4 *)(move + k);
        *(v4 *)(move + k) = (v4){0};
    }
}

static const cafe_skip_kernels NAME(kernels) = {WORD, NAME(dot), NAME(pull), NAME(apply)};

#undef TARGET
#undef WORD
#undef NAME
