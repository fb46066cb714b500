/* Sums over nodes, of fixed shape. */

/* A block has a piece of rows and 256 columns of it, a thread a column. */
BODY void sum_columns_body(const sum_columns_args *a, int64_t block) {
    int64_t across = (a->columns + BLOCK - 1) / BLOCK, b = block / across;
    int64_t from = b * a->piece, to = from + a->piece < a->rows ? from + a->piece : a->rows;
    THREADS(t) {
        int64_t k = block % across * BLOCK + t;
        double sum = 0;
        if (k >= a->columns) continue;
        UNROLL_BY_16
        for (int64_t u = from; u < to; u++) {
            double weight = a->weights ? a->weights[u] : 1, x = a->x[u * a->stride + k];
            sum += a->kind == SUM_SQUARES ? weight * weight * x * x : weight * x;
        }
        a->parts[b * a->columns + k] = sum;
    }
}

BODY void add_parts_body(const add_parts_args *a, int64_t block) {
    THREADS(t) {
        int64_t k = block * BLOCK + t;
        double sum = 0;
        if (k >= a->columns) continue;
        for (int64_t b = 0; b < a->count; b++) sum += a->parts[b * a->columns + k];
        a->sums[k] = sum;
    }
}

/* ---- the objective --------------------------------------------------------------------------- */

/* Columns counted with the opposite sign. */
BODY double turned(const sum_dots_args *a, double sum, const float *x, const float *y) {
    for (int64_t k = a->columns - a->negative; k < a->columns; k++) sum -= 2.0 * x[k] * y[k];
    return sum;
}

/* A block has a piece of rows, some at a time: lanes of each row, then the rows in their order. */
BODY void sum_dots_body(const sum_dots_args *a, int64_t block) {
    SHARED(float, cross, BLOCK);
    SHARED(float, own, BLOCK);
    SHARED(double, terms, 2 * BLOCK);
    OWN(double, sum, 1);
    int lanes = lanes_of(a->stride), rows = BLOCK / lanes;
    int64_t end = (block + 1) * SUM < a->rows ? (block + 1) * SUM : a->rows;
    THREADS(t) MINE(sum, t)[0] = 0;
    for (int64_t from = block * SUM; from < end; from += rows) {
        THREADS(t) {
            int64_t u = from + t / lanes;
            if (u >= end) continue;
            const float *x = a->x + u * a->stride, *y = a->y + u * a->stride;
            if (a->y) cross[t] = lane_dot(a->stride, lanes, t % lanes, x, y);
            if (a->own_weights) own[t] = lane_dot(a->stride, lanes, t % lanes, x, x);
        }
        SYNC();
        THREADS(t) {
            int64_t u = from + t % rows;
            int first = t % rows * lanes;
            if (u >= end || t >= 2 * rows) continue;
            const float *x = a->x + u * a->stride, *y = a->y + u * a->stride;
            terms[t] = 0;
            if (t < rows && a->y)
                terms[t] = a->weights[u] * turned(a, add_lanes(lanes, cross + first), x, y);
            if (t >= rows && a->own_weights)
                terms[t] = a->own_weights[u] * turned(a, add_lanes(lanes, own + first), x, x);
        }
        SYNC();
        THREADS(t) {
            for (int i = 0; t < 2 && i < rows && from + i < end; i++)
                MINE(sum, t)[0] += terms[t * rows + i];
        }
        SYNC();
    }
    THREADS(t) {
        if (t < 2) a->parts[block * 2 + t] = MINE(sum, t)[0];
    }
}
