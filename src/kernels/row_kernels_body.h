/* The row loops for sums of WIDTH lanes, 4, 8 or 16: included once for each.
 *
 *     V      a register of the machine, or a vector of WIDTH floats where that is shorter
 *     I      integers of the same shape        S      16 bits of each
 *     OF     puts the register's suffix on a function's name, NAME that of the width
 *
 * No vector is longer than a register: the compilers keep longer ones in memory, number by number.
 */

enum { NAME(LANES) = sizeof(V) / sizeof(float), NAME(PARTS) = WIDTH / NAME(LANES) };
#define LANES         NAME(LANES)
#define PARTS         NAME(PARTS) /* registers of WIDTH lanes */
#define AT(pointer)   (*(V *)(pointer))
#define READ(pointer) (*(const V *)(pointer))
/* k goes over a row, and with it part, the register of the running sums. */
#define EACH_PART                                        \
    for (int64_t wide = 0; wide < stride; wide += WIDTH) \
        for (int64_t part = 0, k = wide; part < PARTS; part++, k += LANES)

/* Over the lanes, by halves. */
INLINE double NAME(sum)(const V lanes[PARTS]) {
    V x[PARTS];
    for (int i = 0; i < PARTS; i++) x[i] = lanes[i];
    for (int half = PARTS / 2; half > 0; half /= 2)
        for (int i = 0; i < half; i++) x[i] += x[i + half];
    return OF(sum)(x[0]);
}

/* Numbers of 16 bits as floats. */
INLINE V NAME(unpack)(const uint16_t *x, const int32_t storage) {
    if (storage == CAFE_STORAGE_BFLOAT16)
        return (V)(__builtin_convertvector(*(const S *)x, I) << 16);
#ifdef __F16C__
    return OF(from_half)(x);
#else
    I bits = __builtin_convertvector(*(const S *)x, I);
    V size = (V)((bits & 0x7FFF) << 13) * 0x1p112f;
    return (V)((I)size | (bits & 0x8000) << 16);
#endif
}

/* LANES numbers of a block from number `at` on. */
INLINE V NAME(read)(const void *h, int64_t at, const int32_t storage) {
    if (storage == CAFE_STORAGE_FLOAT32) return READ((const float *)h + at);
    return NAME(unpack)((const uint16_t *)h + at, storage);
}

/* Sums `columns` numbers, from number `from` on, of each of `count` rows into out; `first`: out has
 * no sum yet. `columns` and `storage` are constants in every call, so sums stay in registers. */
INLINE void NAME(gather)(const void *h, int64_t stride, int64_t from, const int32_t *targets,
                         const float *weights, int64_t count, int first, float *out,
                         const int32_t storage, const int columns) {
    const int bytes = storage == CAFE_STORAGE_FLOAT32 ? 4 : 2, vectors = columns / LANES;
    const int ahead = stride * bytes > FAR_BYTES ? CAFE_AHEAD / 2 : CAFE_AHEAD;
    V total[WIDEST / LANES];
    for (int i = 0; i < vectors; i++) total[i] = (V){0};
    for (int64_t j = 0; j < count; j++) {
        int64_t next = targets[j + ahead] * stride + from, row = targets[j] * stride + from;
        for (int i = 0; i < columns * bytes; i += 64)
            __builtin_prefetch((const char *)h + next * bytes + i, 0, 3);
        if (weights)
            for (int i = 0; i < vectors; i++)
                total[i] += weights[j] * NAME(read)(h, row + i * LANES, storage);
        else
            for (int i = 0; i < vectors; i++) total[i] += NAME(read)(h, row + i * LANES, storage);
    }
    for (int i = 0; i < vectors; i++)
        if (first)
            AT(out + i * LANES) = total[i];
        else
            AT(out + i * LANES) += total[i];
}

INLINE double NAME(dot)(int64_t stride, const float *x, const float *y) {
    V sum[PARTS] = {0};
    EACH_PART sum[part] += READ(x + k) * READ(y + k);
    return NAME(sum)(sum);
}

INLINE double NAME(dot_moves)(int64_t stride, const float *x, const float *old_x, const float *y,
                              const float *old_y) {
    V sum[PARTS] = {0};
    EACH_PART sum[part] += (READ(x + k) - READ(old_x + k)) * (READ(y + k) - READ(old_y + k));
    return NAME(sum)(sum);
}

/* a where the mask's bits are set, b elsewhere. */
INLINE V NAME(choose)(I mask, V a, V b) {
    return (V)(((I)a & mask) | ((I)b & ~mask));
}

/* cafe_round_to() of each. */
INLINE V NAME(round)(V x, const int32_t storage) {
    I bits = (I)x;
    if (storage == CAFE_STORAGE_BFLOAT16) return (V)((bits + 0x7FFF + (bits >> 16 & 1)) & ~0xFFFF);
    if (storage == CAFE_STORAGE_FLOAT16)
        return NAME(choose)((I)((bits & 0x7FFFFFFF) < 0x38800000), (x + 0.75f) - 0.75f,
                            (V)((bits + 0x0FFF + (bits >> 13 & 1)) & ~0x1FFF));
    return x;
}

/* ---- updates --------------------------------------------------------------------------------- */

/* First loop: z in place of the sum, and v = z + keep h; second: v / ||v||. */
INLINE cafe_gain NAME(sphere)(int64_t stride, const float *h, const float *s, cafe_pull pull,
                              float keep, float *row, const int32_t storage) {
    V square[PARTS] = {0}, linear[PARTS] = {0}, moved[PARTS] = {0};
    EACH_PART {
        V old = READ(h + k);
        V z = READ(row + k) * pull.inverse_degree - READ(s + k) + pull.own * old;
        V v = z + keep * old;
        AT(row + k) = z;
        square[part] += v * v;
    }
    float norm = sqrtf((float)NAME(sum)(square));
    /* where nothing pulls, h stays: 0 (z + keep h) + 1 h */
    float inverse = norm > 1e-18f ? 1 / norm : 0, stay = norm > 1e-18f ? 0 : 1;
    EACH_PART {
        V old = READ(h + k), z = READ(row + k);
        V now = NAME(round)((z + keep * old) * inverse + stay * old, storage), delta = now - old;
        linear[part] += z * delta;
        moved[part] += delta * delta;
        AT(row + k) = now;
    }
    return (cafe_gain){NAME(sum)(linear), NAME(sum)(moved)};
}

/* exp(x) for x <= 0: x = n ln 2 + r, exp(r) by a polynomial (Cephes), 2^n by the exponent's bits.
 * Relative error below 2e-7; 0 where it would be below 1e-37. */
INLINE V NAME(exp)(V x) {
    const float round = 12582912.0f; /* 1.5 * 2^23: adding it leaves the nearest integer */
    I small = (I)(x < -85.0f);
    V low = NAME(choose)(small, (V){0} - 85.0f, x);
    V n = (low * 1.44269504f + round) - round;
    V r = (low - n * 0.693359375f) + n * 2.12194440e-4f;
    V y = ((((1.9875691500e-4f * r + 1.3981999507e-3f) * r + 8.3334519073e-3f) * r +
            4.1665795894e-2f) *
               r +
           1.6666665459e-1f) *
              r +
          5.0000001201e-1f;
    y = y * r * r + r + 1.0f;
    I bits = (__builtin_convertvector(n, I) + 127) << 23;
    return NAME(choose)(small, (V){0}, y * (V)bits);
}

/* h exp(x), x taken as 0 where it is above (only where h is 0). */
INLINE V NAME(tilt)(V h, V x) {
    return h * NAME(exp)(NAME(choose)((I)(x < 0.0f), x, (V){0}));
}

/* h_k <- h_k exp(theta z_k) / sum. The largest exponent among the columns in use is taken out
 * first, so nothing overflows at any theta, and the sum is never 0. */
INLINE cafe_gain NAME(softmax)(int64_t stride, const float *h, const float *s, cafe_pull pull,
                               float theta, float *row, const int32_t storage) {
    V most = {0}, total[PARTS] = {0}, linear[PARTS] = {0}, moved[PARTS] = {0};
    most -= 3e38f;
    EACH_PART {
        V old = READ(h + k);
        V z = READ(row + k) * pull.inverse_degree - READ(s + k) + pull.own * old;
        V seen = NAME(choose)((I)(old > 0.0f), z, (V){0} - 3e38f);
        most = NAME(choose)((I)(seen > most), seen, most);
        AT(row + k) = z;
    }
    float top = OF(most)(most);
    EACH_PART total[part] += NAME(tilt)(READ(h + k), theta * (READ(row + k) - top));
    float inverse = 1 / (float)NAME(sum)(total);
    EACH_PART {
        V old = READ(h + k), z = READ(row + k);
        V now = NAME(tilt)(old, theta * (z - top)) * inverse;
        now = NAME(round)(NAME(choose)((I)(now > 1e-30f), now, (V){0}), storage);
        V delta = now - old;
        linear[part] += z * delta;
        moved[part] += delta * delta;
        AT(row + k) = now;
    }
    return (cafe_gain){NAME(sum)(linear), NAME(sum)(moved)};
}

#undef LANES
#undef PARTS
#undef EACH_PART
#undef AT
#undef READ
