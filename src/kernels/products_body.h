/* Products for one type of numbers: included once for float and once for double.
 *
 *     T      the type               V      a register of it
 *     NAME   puts the type's suffix on a function's name
 */

enum { NAME(LANES) = BYTES / sizeof(T), NAME(PANEL) = 2 * NAME(LANES) };
#define LANES NAME(LANES)
#define PANEL NAME(PANEL) /* columns of a tile */

/* ---- copies ---------------------------------------------------------------------------------- */

/* Copies rows first .. first + rows - 1 of A, inner columns from .. from + inner - 1: TILE rows
 * after TILE rows, with the entries of a column side by side. Missing rows at the end become 0. */
static void NAME(copy_a)(const cafe_product *x, const T *a, int64_t first, int64_t rows,
                         int64_t from, int64_t inner, T *to) {
    for (int64_t i = 0; i < rows; i += TILE, to += TILE * inner) {
        const T *tile = a + (first + i) * x->a_row + from * x->a_inner;
        int64_t count = lesser(rows - i, TILE);
        if (count == TILE && x->a_row == 1)
            for (int64_t p = 0; p < inner; p++)
                memcpy(to + p * TILE, tile + p * x->a_inner, TILE * sizeof *to);
        else if (count == TILE)
            for (int64_t p = 0; p < inner; p++)
                for (int64_t r = 0; r < TILE; r++)
                    to[p * TILE + r] = tile[r * x->a_row + p * x->a_inner];
        else
            for (int64_t p = 0; p < inner; p++)
                for (int64_t r = 0; r < TILE; r++)
                    to[p * TILE + r] = r < count ? tile[r * x->a_row + p * x->a_inner] : 0;
    }
}

/* A panel of B: PANEL columns of each inner row side by side; columns that are missing are 0. */
static void NAME(copy_b)(const cafe_product *x, const T *b, int64_t column, int64_t from,
                         int64_t inner, T *to) {
    int64_t count = lesser(x->columns - column, PANEL);
    for (int64_t p = 0; p < inner; p++, to += PANEL) {
        const T *row = b + (from + p) * x->b_inner + column * x->b_column;
        int64_t start = x->shape == CAFE_PRODUCT_TRIANGULAR ? from + p - column : 0;
        if (count == PANEL && x->b_column == 1)
            memcpy(to, row, PANEL * sizeof *to);
        else
            for (int64_t j = 0; j < PANEL; j++) to[j] = j < count ? row[j * x->b_column] : 0;
        for (int64_t j = 0; j < start; j++) to[j] = 0;
    }
}

/* ---- a tile of C ----------------------------------------------------------------------------- */

/* sum_rj = sum over p of a_rp b_pj, a_rp at a[r row + p step], for the `registers` registers of the
 * tile's rows. `registers` is a constant in every call, so sums stay in registers. `ahead` (0:
 * none) is the distance of the prefetch in A. */
INLINE void NAME(add_up)(int64_t inner, const T *a, int64_t row, int64_t step, int64_t ahead,
                         const T *b, V sum[TILE][2], int registers) {
    for (int r = 0; r < TILE; r++)
        for (int v = 0; v < registers; v++) sum[r][v] = (V){0};
    for (int64_t p = 0; p < inner; p++, a += step, b += PANEL) {
        V part[2];
        if (ahead) __builtin_prefetch(a + ahead);
        for (int v = 0; v < registers; v++) part[v] = *(const V *)(b + v * LANES);
        for (int r = 0; r < TILE; r++)
            for (int v = 0; v < registers; v++) sum[r][v] += a[r * row] * part[v];
    }
}

/* c <- alpha sum + beta c on `rows` rows and `columns` columns of a tile */
INLINE void NAME(join)(const cafe_product *x, T beta, const V sum[TILE][2], int64_t rows,
                       int64_t columns, T *c) {
    const T alpha = (T)x->alpha;
    for (int64_t r = 0; r < rows; r++, c += x->c_row) {
        const T *row = (const T *)sum[r];
        if (beta == 0)
            for (int64_t j = 0; j < columns; j++) c[j] = alpha * row[j];
        else
            for (int64_t j = 0; j < columns; j++) c[j] = alpha * row[j] + beta * c[j];
    }
}

/* A tile from A where it was copied to (row 1, step TILE), or where it stands. */
INLINE void NAME(tile)(const cafe_product *x, T beta, int64_t inner, const T *a, int64_t row,
                       int64_t step, int64_t ahead, const T *b, int64_t rows, int64_t columns,
                       T *c) {
    V sum[TILE][2];
    if (columns > LANES)
        NAME(add_up)(inner, a, row, step, ahead, b, sum, 2);
    else
        NAME(add_up)(inner, a, row, step, ahead, b, sum, 1);
    if (columns == PANEL)
        NAME(join)(x, beta, sum, rows, PANEL, c);
    else
        NAME(join)(x, beta, sum, rows, columns, c);
}

/* ---- blocks ---------------------------------------------------------------------------------- */

/* All panels of B against one block of A, which has been copied. */
UNWATCHED static void NAME(multiply_block)(const cafe_product *x, const T *block, int64_t first,
                                           int64_t rows, int64_t from, int64_t inner, const T *b,
                                           T *panel, T *c) {
    T beta = from == 0 ? (T)x->beta : 1;
    for (int64_t j = 0; j < x->columns; j += PANEL) {
        int64_t columns = lesser(x->columns - j, PANEL), depth = inner;
        if (x->shape == CAFE_PRODUCT_SYMMETRIC && j + PANEL <= first) continue;
        if (x->shape == CAFE_PRODUCT_TRIANGULAR) depth = lesser(inner, j + PANEL - from);
        if (depth < 0 || (depth == 0 && from > 0)) continue;
        NAME(copy_b)(x, b, j, from, depth, panel);
        for (int64_t i = 0; i < rows; i += TILE) {
            if (x->shape == CAFE_PRODUCT_SYMMETRIC && j + PANEL <= first + i) break;
            NAME(tile)
            (x, beta, depth, block + i * inner, 1, TILE, 0, panel, lesser(rows - i, TILE), columns,
             c + (first + i) * x->c_row + j);
        }
    }
}

/* One panel alone: A is read once, and where it stands. Returns the rows done, the whole tiles. */
UNWATCHED static int64_t NAME(multiply_panel)(const cafe_product *x, const T *a, int64_t from,
                                              int64_t inner, const T *b, T *panel, T *c) {
    T beta = from == 0 ? (T)x->beta : 1;
    int64_t i = 0;
    a += from * x->a_inner;
    NAME(copy_b)(x, b, 0, from, inner, panel);
    if (x->a_inner == 1)
        for (; i + TILE <= x->rows; i += TILE) NAME(tile)
    (x, beta, inner, a + i * x->a_row, x->a_row, 1, 0, panel, TILE, x->columns, c + i * x->c_row);
    else if (x->a_row == 1) for (; i + TILE <= x->rows; i += TILE) NAME(tile)(
        x, beta, inner, a + i, 1, x->a_inner, AHEAD, panel, TILE, x->columns, c + i * x->c_row);
    return i;
}

static void NAME(product)(const cafe_product *x, const T *a, const T *b, T *c) {
    T block[BLOCK * SEGMENT] __attribute__((aligned(64)));
    T panel[SEGMENT * PANEL] __attribute__((aligned(64)));
    int64_t from = 0;
    do { /* an empty sum still scales C */
        int64_t inner = lesser(x->inner - from, SEGMENT), first = 0;
        if (x->columns <= PANEL) first = NAME(multiply_panel)(x, a, from, inner, b, panel, c);
        for (; first < x->rows; first += BLOCK) {
            int64_t rows = lesser(x->rows - first, BLOCK);
            NAME(copy_a)(x, a, first, rows, from, inner, block);
            NAME(multiply_block)(x, block, first, rows, from, inner, b, panel, c);
        }
        from += inner;
    } while (from < x->inner);
}

#undef LANES
#undef PANEL
