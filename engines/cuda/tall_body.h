/* Gram matrices and products of tall blocks with small ones: tiles of 64 x 64, 4 x 4 a thread. */

/* rows or inner columns at a time; entries of a thread, threads of a side; terms of a segment */
enum { STEP = 32, EACH = 4, SIDE = TILE / EACH, SEGMENT = 256 };

BODY float tall_at(const tall *x, int64_t u, int64_t k) {
    if (k < x->columns) return x->a[u * x->a_stride + k];
    return k < x->columns + x->right ? x->b[u * x->b_stride + k - x->columns] : 0;
}

/* ---- Gram matrices --------------------------------------------------------------------------- */

/* Rows from .. from + STEP - 1 of the part, 64 columns from `column` on, as numbers of type T: the
 * root of the weight times x. */
#define LOAD_TILE(T, to, column)                                                 \
    for (int at = t; at < STEP * TILE; at += BLOCK) {                            \
        int64_t place = from + at / TILE, k = (column) + at % TILE;              \
        int64_t u = place < end ? a->list ? a->list[place] : place : 0;          \
        (to)[at] = place < end ? roots[at / TILE] * (T)tall_at(&a->x, u, k) : 0; \
    }

/* The roots of their weights. */
#define LOAD_ROOT(T)                                                          \
    if (t < STEP) {                                                           \
        int64_t place = from + t;                                             \
        int64_t u = place < end ? a->list ? a->list[place] : place : 0;       \
        roots[t] = place < end && a->weights ? (T)sqrt(a->weights[u]) : (T)1; \
    }

/* 256 rows at a time are added up from 0 in type T, then join the total in double precision. */
#define GRAM_BODY(T, name)                                                                         \
    BODY void name(const gram_parts_args *a, int64_t block) {                                      \
        SHARED(T, left, STEP *TILE);                                                               \
        SHARED(T, right, STEP *TILE);                                                              \
        SHARED(T, roots, STEP);                                                                    \
        OWN(T, sum, EACH *EACH);                                                                   \
        OWN(double, total, EACH *EACH);                                                            \
        int64_t pairs = a->tiles * (a->tiles + 1) / 2, part = block / pairs, pair = block % pairs; \
        int64_t row = 0;                                                                           \
        while (pair >= a->tiles - row) pair -= a->tiles - row++;                                   \
        int64_t column = row + pair, end = a->starts[part + 1];                                    \
        THREADS(t) {                                                                               \
            for (int i = 0; i < EACH * EACH; i++) MINE(total, t)[i] = 0;                           \
        }                                                                                          \
        for (int64_t segment = a->starts[part]; segment < end; segment += PIECE) {                 \
            int64_t stop = segment + PIECE < end ? segment + PIECE : end;                          \
            THREADS(t) {                                                                           \
                for (int i = 0; i < EACH * EACH; i++) MINE(sum, t)[i] = 0;                         \
            }                                                                                      \
            for (int64_t from = segment; from < stop; from += STEP) {                              \
                int rows = stop - from < STEP ? (int)(stop - from) : STEP;                         \
                SYNC();                                                                            \
                THREADS(t){LOAD_ROOT(T)} SYNC();                                                   \
                THREADS(t){LOAD_TILE(T, left, row * TILE)                                          \
                               LOAD_TILE(T, right, column * TILE)} SYNC();                         \
                THREADS(t) {                                                                       \
                    const T *x = left + t / SIDE * EACH, *y = right + t % SIDE * EACH;             \
                    for (int r = 0; r < rows; r++, x += TILE, y += TILE) {                         \
                        UNROLL                                                                     \
                        for (int i = 0; i < EACH; i++) {                                           \
                            UNROLL                                                                 \
                            for (int j = 0; j < EACH; j++)                                         \
                                MINE(sum, t)[i * EACH + j] += x[i] * y[j];                         \
                        }                                                                          \
                    }                                                                              \
                }                                                                                  \
            }                                                                                      \
            THREADS(t) {                                                                           \
                for (int i = 0; i < EACH * EACH; i++) MINE(total, t)[i] += MINE(sum, t)[i];        \
            }                                                                                      \
        }                                                                                          \
        THREADS(t) {                                                                               \
            for (int i = 0; i < EACH * EACH; i++) {                                                \
                int64_t r = row * TILE + t / SIDE * EACH + i / EACH;                               \
                int64_t c = column * TILE + t % SIDE * EACH + i % EACH;                            \
                if (r < a->k && c < a->k)                                                          \
                    a->parts[(part * a->k + r) * a->k + c] = MINE(total, t)[i];                    \
            }                                                                                      \
        }                                                                                          \
    }

GRAM_BODY(float, gram_single_body)
GRAM_BODY(double, gram_double_body)

BODY void add_grams_body(const add_grams_args *a, int64_t block) {
    THREADS(t) {
        int64_t at = block * BLOCK + t, i = at / a->k, j = at % a->k;
        int64_t upper = i <= j ? at : j * a->k + i;
        double sum = 0;
        if (at >= a->k * a->k) continue;
        for (int64_t part = 0; part < a->count; part++) sum += a->parts[part * a->k * a->k + upper];
        a->gram[at] = sum;
    }
}

/* ---- products -------------------------------------------------------------------------------- */

/* Entry (u,j) is a sum over the inner index, 256 terms at a time, in double precision. */
BODY void transform_rows_body(const transform_rows_args *a, int64_t block) {
    SHARED(double, left, TILE *STEP);
    SHARED(double, right, STEP *TILE);
    OWN(double, sum, EACH *EACH);
    OWN(double, total, EACH *EACH);
    const int64_t row = block / a->tiles * TILE, column = block % a->tiles * TILE;
    THREADS(t) {
        for (int i = 0; i < EACH * EACH; i++) MINE(sum, t)[i] = MINE(total, t)[i] = 0;
    }
    for (int64_t from = 0; from < a->inner; from += STEP) {
        SYNC();
        THREADS(t) {
            for (int at = t; at < STEP * TILE; at += BLOCK) {
                int64_t u = row + at / STEP, p = from + at % STEP;
                int64_t q = from + at / TILE, j = column + at % TILE;
                int inside = u < a->rows && p < a->inner;
                int there = q < a->inner && j < a->k && !(a->kept && q > j);
                left[at % STEP * TILE + at / STEP] =
                    inside ? a->from[u * a->from_stride + (a->kept ? a->kept[p] : p)] : 0;
                right[at] = there ? a->m[q * a->k + j] : 0;
            }
        }
        SYNC();
        THREADS(t) {
            const double *x = left + t / SIDE * EACH, *y = right + t % SIDE * EACH;
            int depth = a->inner - from < STEP ? (int)(a->inner - from) : STEP;
            for (int p = 0; p < depth; p++, x += TILE, y += TILE) {
                UNROLL
                for (int i = 0; i < EACH; i++) {
                    UNROLL
                    for (int j = 0; j < EACH; j++) MINE(sum, t)[i * EACH + j] += x[i] * y[j];
                }
            }
            if ((from + STEP) % SEGMENT != 0 && from + STEP < a->inner) continue;
            for (int i = 0; i < EACH * EACH; i++) { /* a segment ends */
                double before = MINE(total, t)[i], here = MINE(sum, t)[i];
                MINE(total, t)[i] = from < SEGMENT ? here : here + before;
                MINE(sum, t)[i] = 0;
            }
        }
    }
    THREADS(t) {
        for (int i = 0; i < EACH * EACH; i++) {
            int64_t u = row + t / SIDE * EACH + i / EACH, j = column + t % SIDE * EACH + i % EACH;
            if (u >= a->rows || j >= a->k + a->zeros) continue;
            double value = MINE(total, t)[i] - (a->shift && j < a->k ? a->shift[j] : 0);
            a->x[u * a->stride + j] = j < a->k ? (float)value : 0;
        }
    }
}
