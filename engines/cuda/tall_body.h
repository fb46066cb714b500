/* Gram matrices and products of tall blocks with small ones: tiles of 64 x 64, 4 x 4 a thread. */

/* rows or inner columns at a time; entries of a thread, threads of a side; terms of a segment */
enum { STEP = 32, EACH = 4, SIDE = TILE / EACH, SEGMENT = 256 };

BODY float tall_at(const tall *x, int64_t u, int64_t k) {
    if (k < x->columns) return x->a[u * x->a_stride + k];
    return k < x->columns + x->right ? x->b[u * x->b_stride + k - x->columns] : 0;
}

/* ---- Gram matrices --------------------------------------------------------------------------- */

/* Numbers of a tile that a thread brings: row (t + i BLOCK) / 64 of the step, column t % 64. */
enum { BRINGS = STEP * TILE / BLOCK };

/* The numbers of rows from .. from + STEP - 1 of the part that a thread has loaded. */
typedef struct ahead {
    float left[BRINGS], right[BRINGS];
    double weight; /* of row t */
} ahead;

INLINE_BODY int64_t gram_row(const gram_parts_args *a, int64_t place) {
    return a->list ? a->list[place] : place;
}

INLINE_BODY void look_ahead(const gram_parts_args *a, int64_t from, int64_t end, int64_t row,
                            int64_t column, int t, ahead *to) {
    UNROLL
    for (int i = 0; i < BRINGS; i++) {
        int64_t place = from + (t + i * BLOCK) / TILE;
        to->left[i] = to->right[i] = 0;
        if (place >= end) continue;
        int64_t u = gram_row(a, place);
        to->left[i] = tall_at(&a->x, u, row * TILE + t % TILE);
        to->right[i] = tall_at(&a->x, u, column * TILE + t % TILE);
    }
    to->weight = 1;
    if (a->weights && t < STEP && from + t < end) to->weight = a->weights[gram_row(a, from + t)];
}

/* The root of a row's weight times the row, in type T. Groups of 256 rows are added up from 0 in
 * that type, then join the total in double precision. */
#define GRAM_BODY(T, name)                                                                         \
    BODY void name(const gram_parts_args *a, int64_t block) {                                      \
        SHARED(T, left, STEP *TILE);                                                               \
        SHARED(T, right, STEP *TILE);                                                              \
        SHARED(T, roots, STEP);                                                                    \
        OWN(T, sum, EACH *EACH);                                                                   \
        OWN(double, total, EACH *EACH);                                                            \
        OWN(ahead, next, 1);                                                                       \
        int64_t pairs = a->tiles * (a->tiles + 1) / 2, part = block / pairs, pair = block % pairs; \
        int64_t row = 0, start = a->starts[part], end = a->starts[part + 1];                       \
        while (pair >= a->tiles - row) pair -= a->tiles - row++;                                   \
        int64_t column = row + pair;                                                               \
        THREADS(t) {                                                                               \
            for (int i = 0; i < EACH * EACH; i++) MINE(total, t)[i] = MINE(sum, t)[i] = 0;         \
            look_ahead(a, start, end, row, column, t, MINE(next, t));                              \
        }                                                                                          \
        for (int64_t from = start; from < end; from += STEP) {                                     \
            int rows = end - from < STEP ? (int)(end - from) : STEP;                               \
            int whole = from + STEP >= end || (from + STEP - start) % PIECE == 0;                  \
            SYNC();                                                                                \
            THREADS(t) {                                                                           \
                if (t < STEP) roots[t] = a->weights ? (T)sqrt(MINE(next, t)[0].weight) : (T)1;     \
            }                                                                                      \
            SYNC();                                                                                \
            THREADS(t) {                                                                           \
                UNROLL                                                                             \
                for (int i = 0; i < BRINGS; i++) {                                                 \
                    int at = t + i * BLOCK;                                                        \
                    left[at] = roots[at / TILE] * (T)MINE(next, t)[0].left[i];                     \
                    right[at] = roots[at / TILE] * (T)MINE(next, t)[0].right[i];                   \
                }                                                                                  \
            }                                                                                      \
            SYNC();                                                                                \
            THREADS(t) {                                                                           \
                const T *x = left + t / SIDE * EACH, *y = right + t % SIDE * EACH;                 \
                look_ahead(a, from + STEP, end, row, column, t, MINE(next, t));                    \
                for (int r = 0; r < rows; r++, x += TILE, y += TILE) {                             \
                    UNROLL                                                                         \
                    for (int i = 0; i < EACH; i++) {                                               \
                        UNROLL                                                                     \
                        for (int j = 0; j < EACH; j++) MINE(sum, t)[i * EACH + j] += x[i] * y[j];  \
                    }                                                                              \
                }                                                                                  \
                for (int i = 0; whole && i < EACH * EACH; i++) {                                   \
                    MINE(total, t)[i] += MINE(sum, t)[i];                                          \
                    MINE(sum, t)[i] = 0;                                                           \
                }                                                                                  \
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
