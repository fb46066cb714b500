/* Sums over nodes, of fixed shape. */

enum { AHEAD = 16 }; /* numbers loaded before the first is added */

/* total + x_0 + x_1 + ..., count numbers `step` apart. */
BODY double add_column(double total, const double *x, int64_t step, int64_t count) {
    int64_t i = 0;
    for (; i + AHEAD <= count; i += AHEAD) {
        double some[AHEAD];
        UNROLL
        for (int s = 0; s < AHEAD; s++) some[s] = x[(i + s) * step];
        UNROLL
        for (int s = 0; s < AHEAD; s++) total += some[s];
    }
    for (; i < count; i++) total += x[i * step];
    return total;
}

/* The sum over rows from .. to - 1 of column k. */
BODY double sum_column(const sum_columns_args *a, int64_t from, int64_t to, int64_t k) {
    const float *x = a->x + from * a->stride + k;
    const double *weights = a->weights ? a->weights + from : NULL;
    int64_t count = to - from;
    double sum = 0;
    for (int64_t i = 0; i < count; i += AHEAD) {
        float some[AHEAD];
        double weight[AHEAD];
        UNROLL
        for (int s = 0; s < AHEAD; s++) {
            int64_t at = i + s < count ? i + s : count - 1;
            some[s] = x[at * a->stride];
            weight[s] = weights ? weights[at] : 1;
        }
        UNROLL
        for (int s = 0; s < AHEAD; s++) {
            double w = weight[s], y = some[s];
            if (i + s < count) sum += a->kind == SUM_SQUARES ? w * w * y * y : w * y;
        }
    }
    return sum;
}

/* A block has a piece of rows and 256 columns of it, a thread a column. */
BODY void sum_columns_body(const sum_columns_args *a, int64_t block) {
    int64_t across = (a->columns + BLOCK - 1) / BLOCK, b = block / across;
    int64_t from = b * a->piece, to = from + a->piece < a->rows ? from + a->piece : a->rows;
    THREADS(t) {
        int64_t k = block % across * BLOCK + t;
        if (k < a->columns) a->parts[b * a->columns + k] = sum_column(a, from, to, k);
    }
}

BODY void add_parts_body(const add_parts_args *a, int64_t block) {
    THREADS(t) {
        int64_t k = block * BLOCK + t;
        if (k < a->columns) a->sums[k] = add_column(0, a->parts + k, a->columns, a->count);
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
    int64_t end = (block + 1) * a->piece < a->rows ? (block + 1) * a->piece : a->rows;
    THREADS(t) MINE(sum, t)[0] = 0;
    for (int64_t from = block * a->piece; from < end; from += rows) {
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
