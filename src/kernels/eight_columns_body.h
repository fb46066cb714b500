/* Blocks of eight columns of one type of numbers: included once for float and once for double.
 *
 *     T      the type of the numbers
 *     NAME   puts the type's suffix on a name
 */

#define REGISTER NAME(register)
#define AT_ONCE  NAME(AT_ONCE)
#define PART     NAME(PART)
enum { NAME(HELD) = EIGHT * sizeof(T) / BYTES, NAME(STEP) = BYTES / sizeof(T) };
#define HELD NAME(HELD) /* registers of a row */
#define STEP NAME(STEP)

/* Numbers s LANES .. (s + 1) LANES - 1 of a row that is held in registers. */
INLINE wide NAME(widen_held)(const REGISTER row[HELD], int s) {
    return NAME(widen_part)(row[s * HELD / SUMS], s % (SUMS / HELD));
}

/* ---- C += A^T W ------------------------------------------------------------------------------ */

/* Rows from .. from + PART - 1 of C, of a segment. */
INLINE void NAME(cross_part)(int64_t rows, const T *a, const T *w, int from, double *c) {
    REGISTER sum[PART][HELD];
    for (int i = 0; i < PART; i++)
        for (int h = 0; h < HELD; h++) sum[i][h] = (REGISTER){0};
    for (int64_t u = 0; u < rows; u++, a += EIGHT, w += EIGHT) {
        __builtin_prefetch(a + 2 * AHEAD * EIGHT);
        for (int i = 0; i < PART; i++)
            for (int h = 0; h < HELD; h++)
                sum[i][h] += a[from + i] * *(const REGISTER *)(w + h * STEP);
    }
    for (int i = 0; i < PART; i++)
        for (int s = 0; s < SUMS; s++)
            *(wide *)(c + (from + i) * EIGHT + s * LANES) += NAME(widen_held)(sum[i], s);
}

static void NAME(cross)(int64_t rows, const void *a, const void *w, double *c) {
    for (int64_t from = 0; from < rows; from += SEGMENT) {
        int64_t here = rows - from < SEGMENT ? rows - from : SEGMENT;
        for (int i = 0; i < EIGHT; i += PART)
            NAME(cross_part)(here, (const T *)a + from * EIGHT, (const T *)w + from * EIGHT, i, c);
    }
}

/* ---- Y = [Y +] sum of A_b C_b ---------------------------------------------------------------- */

/* `rows` <= AT_ONCE is a constant where it is called, so that the sums stay in registers. */
INLINE void NAME(combine_rows)(int rows, int64_t blocks, const T *a, int64_t step, const T *c,
                               int add, T *y) {
    wide sum[AT_ONCE][SUMS];
    for (int r = 0; r < rows; r++)
        for (int s = 0; s < SUMS; s++)
            sum[r][s] = add ? NAME(widen)(y + r * EIGHT + s * LANES) : (wide){0};
    for (int64_t b = 0; b < blocks; b++, a += step, c += EIGHT * EIGHT) {
        REGISTER part[AT_ONCE][HELD];
        for (int r = 0; r < rows; r += LINE / (EIGHT * (int)sizeof(T)))
            __builtin_prefetch(a + (AHEAD + r) * EIGHT);
        for (int r = 0; r < rows; r++)
            for (int h = 0; h < HELD; h++)
                part[r][h] = a[r * EIGHT] * *(const REGISTER *)(c + h * STEP);
        for (int i = 1; i < EIGHT; i++)
            for (int r = 0; r < rows; r++)
                for (int h = 0; h < HELD; h++)
                    part[r][h] += a[r * EIGHT + i] * *(const REGISTER *)(c + i * EIGHT + h * STEP);
        for (int r = 0; r < rows; r++)
            for (int s = 0; s < SUMS; s++) sum[r][s] += NAME(widen_held)(part[r], s);
    }
    for (int r = 0; r < rows; r++)
        for (int s = 0; s < SUMS; s++) NAME(narrow)(sum[r][s], y + r * EIGHT + s * LANES);
}

static void NAME(combine)(int64_t rows, int64_t blocks, const void *a, int64_t step, const void *c,
                          int add, void *y) {
    const T *from = a;
    T *to = y;
    int64_t u = 0;
    for (; u + AT_ONCE <= rows; u += AT_ONCE)
        NAME(combine_rows)(AT_ONCE, blocks, from + u * EIGHT, step, c, add, to + u * EIGHT);
    for (; u < rows; u++)
        NAME(combine_rows)(1, blocks, from + u * EIGHT, step, c, add, to + u * EIGHT);
}

/* ---- sums of rows ---------------------------------------------------------------------------- */

/* sum += weight x; `weighted` is a constant where it is called */
INLINE void NAME(add_row)(const T *x, int weighted, double weight, wide sum[SUMS]) {
    for (int s = 0; s < SUMS; s++) {
        wide row = NAME(widen)(x + s * LANES);
        if (weighted) row *= weight;
        sum[s] += row;
    }
}

/* `weights` is NULL or not where it is called, and the loops are written for it. */
INLINE void NAME(gather_rows)(const T *x, const int32_t *targets, const float *weights,
                              int64_t count, int64_t known, double *out) {
    wide sum[SUMS];
    int64_t asking = known - AHEAD < count ? known - AHEAD : count, j = 0;
    for (int s = 0; s < SUMS; s++) sum[s] = *(const wide *)(out + s * LANES);
    for (; j < asking; j++) {
        __builtin_prefetch(x + (int64_t)targets[j + AHEAD] * EIGHT);
        NAME(add_row)
        (x + (int64_t)targets[j] * EIGHT, weights != NULL, weights ? weights[j] : 1, sum);
    }
    for (; j < count; j++) {
        NAME(add_row)
        (x + (int64_t)targets[j] * EIGHT, weights != NULL, weights ? weights[j] : 1, sum);
    }
    for (int s = 0; s < SUMS; s++) *(wide *)(out + s * LANES) = sum[s];
}

static void NAME(gather)(const void *x, const int32_t *targets, const float *weights, int64_t count,
                         int64_t known, double *sum) {
    if (weights)
        NAME(gather_rows)(x, targets, weights, count, known, sum);
    else
        NAME(gather_rows)(x, targets, NULL, count, known, sum);
}

static void NAME(weigh)(int64_t rows, const double *weights, const void *x, double *out) {
    wide sum[SUMS];
    for (int s = 0; s < SUMS; s++) sum[s] = *(const wide *)(out + s * LANES);
    for (int64_t u = 0; u < rows; u++) NAME(add_row)((const T *)x + u * EIGHT, 1, weights[u], sum);
    for (int s = 0; s < SUMS; s++) *(wide *)(out + s * LANES) = sum[s];
}

#undef REGISTER
#undef AT_ONCE
#undef PART
#undef HELD
#undef STEP
