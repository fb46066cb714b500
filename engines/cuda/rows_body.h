/* Copies, scalings and starts of rows. */

/* Elements of a block's share: `PER` a thread, side by side for the threads. */
enum { PER = 4 };

BODY void copy_rows_body(const copy_rows_args *a, int64_t block) {
    int64_t width = a->columns + a->zeros, count = a->rows * width;
    THREADS(t) {
        for (int i = 0; i < PER; i++) {
            int64_t at = block * BLOCK * PER + i * BLOCK + t;
            if (at >= count) continue;
            int64_t u = at / width, k = at % width;
            const float *from = a->from + u * a->from_step;
            float value = k < a->columns ? from[a->places ? a->places[k] : k] : 0;
            a->to[u * a->to_step + k] = value;
        }
    }
}

BODY void scale_rows_body(const scale_rows_args *a, int64_t block) {
    int64_t count = a->rows * a->columns;
    THREADS(t) {
        for (int i = 0; i < PER; i++) {
            int64_t at = block * BLOCK * PER + i * BLOCK + t;
            if (at >= count) continue;
            int64_t u = at / a->columns;
            a->x[u * a->stride + at % a->columns] *= (float)a->factors[u];
        }
    }
}

BODY void pack_rows_body(const pack_rows_args *a, int64_t block) {
    THREADS(t) {
        for (int i = 0; i < PER; i++) {
            int64_t at = block * BLOCK * PER + i * BLOCK + t;
            if (at >= a->count) continue;
            float value = cafe_round_to(a->storage, a->x[at]);
            a->x[at] = value;
            a->packed[at] = cafe_pack(a->storage, value);
        }
    }
}

BODY void add_power_body(const add_power_args *a, int64_t block) {
    int64_t count = a->rows * a->stride;
    THREADS(t) {
        for (int i = 0; i < PER; i++) {
            int64_t at = block * BLOCK * PER + i * BLOCK + t;
            if (at >= count) continue;
            float factor = (float)(a->a * (a->p ? a->p[at / a->stride] : 1)), y;
            if (a->first) { /* terms with factor 0 are not read: their arrays may be undefined */
                float old = a->c != 0 ? a->c * a->y[at] : 0;
                y = old + (a->b != 0 ? a->b * a->x[at] : 0);
            } else {
                y = a->y[at];
            }
            a->y[at] = y + factor * a->power[at];
        }
    }
}

/* ---- starts ---------------------------------------------------------------------------------- */

/* Entries uniform in (-1,1) from 16 bits each; exponential numbers. */
BODY float drawn(const start_rows_args *a, int64_t u, int64_t k) {
    if (a->kind == START_SIMPLEX) {
        int64_t draws = (a->columns + 3) / 4;
        cafe_random4 r = cafe_philox(a->seed, a->stream, (uint64_t)(u * draws + k / 4));
        return (float)-cafe_log(cafe_uniform_open(r.v[k % 4]));
    }
    int64_t draws = (a->columns + 7) / 8;
    cafe_random4 r = cafe_philox(a->seed, a->stream, (uint64_t)(u * draws + k / 8));
    uint32_t bits = (r.v[k % 8 / 2] >> (16 * (k % 2))) & 0xFFFF;
    return ((float)bits + 0.5f) * (1.0f / 32768) - 1;
}

/* The length of a row, or its sum, from the first column to the last. */
BODY double row_size(const start_rows_args *a, const float *row) {
    double size = 0;
    for (int64_t k = 0; k < a->columns; k++)
        size += a->kind == START_SIMPLEX ? row[k] : (double)row[k] * row[k];
    return a->kind == START_SIMPLEX ? size : sqrt(size);
}

/* The start of a row: drawn, or one of the given kinds. */
enum { ROW_DRAWN, ROW_GIVEN, ROW_LABEL, ROW_EVEN };

BODY int row_fate(const start_rows_args *a, int64_t u, const float *row) {
    int labelled = a->labels && a->labels[u] >= 0;
    if (a->given && !labelled && row_size(a, row) > 0) return ROW_GIVEN;
    return labelled ? ROW_LABEL : a->labels && !a->given ? ROW_EVEN : ROW_DRAWN;
}

/* ---- of the edges ---------------------------------------------------------------------------- */

/* Columns of a start that are summed in shared memory; longer rows are summed in place. */
enum { START_HELD = 1024 };

/* Row u of A S: the marks of 32 edges at a time, then each thread adds its columns t, t + 32, ...
 * of them. */
BODY void add_links(int lane, const int32_t *marks, const float *weights, int count, float *row) {
    for (int i = 0; i < count; i++) {
        int32_t column = marks[i] < 0 ? ~marks[i] : marks[i];
        if (column % WARP == lane) row[column] += marks[i] < 0 ? -weights[i] : weights[i];
    }
}

/* A warp has a row. */
BODY void start_row(const start_rows_args *a, int64_t u) {
    SHARED(int32_t, marks, WARP);
    SHARED(float, weights, WARP);
    SHARED(float, held, START_HELD);
    SHARED(float, lane_sums, WARP);
    SHARED(int, fate, 1);
    const links *q = &a->links;
    const int by_links = a->kind == START_LINKS, lanes = lanes_of(a->stride);
    float *row = a->x + u * a->stride, *sums = a->stride <= START_HELD ? held : row;
    int64_t from = by_links ? q->offsets[u] : 0, to = by_links ? q->offsets[u + 1] : 0;
    WARP_THREADS(t) {
        if (t == 0) fate[0] = row_fate(a, u, row);
    }
    SYNC_ROW();
    WARP_THREADS(t) {
        for (int64_t k = t; k < a->stride; k += WARP) {
            if (fate[0] != ROW_GIVEN) row[k] = 0;
            if (by_links) sums[k] = 0;
        }
    }
    for (; from < to; from += WARP) {
        SYNC_ROW();
        WARP_THREADS(t) {
            if (from + t >= to) continue;
            int32_t w = q->targets[from + t];
            marks[t] = a->small ? a->small[w] : a->marks[w];
            weights[t] = link_weight(q, u, from + t);
        }
        SYNC_ROW();
        WARP_THREADS(t)
        add_links(t, marks, weights, to - from < WARP ? (int)(to - from) : WARP, sums);
    }
    SYNC_ROW();
    if (by_links) { /* a row of length 0 is drawn, any other is divided by its length */
        WARP_THREADS(t) {
            if (t < lanes) lane_sums[t] = lane_dot(a->stride, lanes, t, sums, sums);
        }
        SYNC_ROW();
        WARP_THREADS(t) {
            float square = (float)add_lanes(lanes, lane_sums);
            if (!(square > 0)) continue;
            if (t == 0) fate[0] = ROW_LABEL;
            float inverse = 1 / sqrtf(square);
            for (int64_t k = t; k < a->stride; k += WARP) row[k] = sums[k] * inverse;
        }
        SYNC_ROW();
    }
    WARP_THREADS(t) {
        for (int64_t k = t; k < a->columns; k += WARP) {
            if (fate[0] == ROW_DRAWN) row[k] = drawn(a, u, k);
            if (fate[0] == ROW_EVEN) row[k] = (float)(1.0 / (double)a->columns);
            if (fate[0] == ROW_LABEL && !by_links && a->labels[u] == k) row[k] = 1;
        }
    }
    SYNC_ROW();
    OWN(double, size, 1);
    WARP_THREADS(t) {
        int divided = fate[0] == ROW_DRAWN || fate[0] == ROW_GIVEN;
        MINE(size, t)[0] = divided ? row_size(a, row) : 0;
    }
    SYNC_ROW();
    WARP_THREADS(t) {
        if (!(MINE(size, t)[0] > 0)) continue;
        for (int64_t k = t; k < a->columns; k += WARP) row[k] = (float)(row[k] / MINE(size, t)[0]);
    }
    SYNC_ROW();
}

BODY void start_rows_body(const start_rows_args *a, int64_t block) {
    for (int64_t u = block; u < a->rows; u += a->blocks) start_row(a, u);
}
