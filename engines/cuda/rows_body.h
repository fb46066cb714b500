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
            if (a->first) { /* what has factor 0 may be anything: unread */
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

/* What becomes of a row: it is drawn, or stands already. */
enum { ROW_DRAWN, ROW_GIVEN, ROW_LABEL, ROW_EVEN };

BODY int row_fate(const start_rows_args *a, int64_t u, const float *row) {
    int labelled = a->labels && a->labels[u] >= 0;
    if (a->given && !labelled && row_size(a, row) > 0) return ROW_GIVEN;
    return labelled ? ROW_LABEL : a->labels && !a->given ? ROW_EVEN : ROW_DRAWN;
}

/* A warp has a row: row u of A S in its columns t, t + 32, ..., the marks of 32 links at a time. */
BODY void add_links(int lane, const int32_t *marks, const float *weights, int count, float *row) {
    for (int i = 0; i < count; i++) {
        int32_t column = marks[i] < 0 ? ~marks[i] : marks[i];
        if (column % WARP == lane) row[column] += marks[i] < 0 ? -weights[i] : weights[i];
    }
}

/* Links of the longest of a block's rows. */
BODY int64_t most_links(const links *q, int64_t first, int64_t rows) {
    int64_t most = 0;
    for (int64_t u = first; u < rows && u < first + START_ROWS; u++) {
        int64_t here = q->offsets[u + 1] - q->offsets[u];
        most = here > most ? here : most;
    }
    return most;
}

BODY void start_rows_body(const start_rows_args *a, int64_t block) {
    SHARED(int32_t, marks, BLOCK);
    SHARED(float, weights, BLOCK);
    SHARED(int, fate, START_ROWS);
    const links *q = &a->links;
    int by_links = a->kind == START_LINKS;
    int64_t most = by_links ? most_links(q, block * START_ROWS, a->rows) : 0;
    THREADS(t) {
        int64_t u = block * START_ROWS + t / WARP;
        if (t % WARP == 0 && u < a->rows) fate[t / WARP] = row_fate(a, u, a->x + u * a->stride);
    }
    SYNC();
    THREADS(t) {
        int64_t u = block * START_ROWS + t / WARP;
        if (u >= a->rows || fate[t / WARP] == ROW_GIVEN) continue;
        for (int64_t k = t % WARP; k < a->stride; k += WARP) a->x[u * a->stride + k] = 0;
    }
    for (int64_t from = 0; from < most; from += WARP) {
        SYNC();
        THREADS(t) {
            int64_t u = block * START_ROWS + t / WARP;
            int64_t j = u < a->rows ? q->offsets[u] + from + t % WARP : 0;
            if (u >= a->rows || j >= q->offsets[u + 1]) continue;
            marks[t] = a->marks[q->targets[j]];
            weights[t] = cafe_row_weight(q->targets, q->weights, q->factor, u, j);
        }
        SYNC();
        THREADS(t) {
            int64_t u = block * START_ROWS + t / WARP;
            int64_t left = u < a->rows ? q->offsets[u + 1] - q->offsets[u] - from : 0;
            int count = left < 0 ? 0 : left < WARP ? (int)left : WARP, first = t / WARP * WARP;
            add_links(t % WARP, marks + first, weights + first, count, a->x + u * a->stride);
        }
    }
    SYNC();
    if (by_links) { /* a row of length 0 is drawn, any other is divided by its length */
        SHARED(float, square, START_ROWS);
        THREADS(t) {
            int64_t u = block * START_ROWS + t / WARP;
            if (t % WARP == 0 && u < a->rows) {
                const float *row = a->x + u * a->stride;
                square[t / WARP] = (float)whole_dot(a->stride, row, row);
                if (square[t / WARP] > 0) fate[t / WARP] = ROW_LABEL;
            }
        }
        SYNC();
        THREADS(t) {
            int64_t u = block * START_ROWS + t / WARP;
            if (u >= a->rows || !(square[t / WARP] > 0)) continue;
            float inverse = 1 / sqrtf(square[t / WARP]);
            for (int64_t k = t % WARP; k < a->stride; k += WARP) a->x[u * a->stride + k] *= inverse;
        }
    }
    THREADS(t) {
        int64_t u = block * START_ROWS + t / WARP;
        if (u >= a->rows) continue;
        float *row = a->x + u * a->stride;
        for (int64_t k = t % WARP; k < a->columns; k += WARP) {
            int how = fate[t / WARP];
            if (how == ROW_DRAWN) row[k] = drawn(a, u, k);
            if (how == ROW_EVEN) row[k] = (float)(1.0 / (double)a->columns);
            if (how == ROW_LABEL && !by_links && a->labels[u] == k) row[k] = 1;
        }
    }
    SYNC();
    OWN(double, size, 1);
    THREADS(t) {
        int64_t u = block * START_ROWS + t / WARP;
        int divided = u < a->rows && (fate[t / WARP] == ROW_DRAWN || fate[t / WARP] == ROW_GIVEN);
        MINE(size, t)[0] = divided ? row_size(a, a->x + u * a->stride) : 0;
    }
    SYNC();
    THREADS(t) {
        int64_t u = block * START_ROWS + t / WARP;
        if (!(MINE(size, t)[0] > 0)) continue;
        for (int64_t k = t % WARP; k < a->columns; k += WARP) {
            float *x = &a->x[u * a->stride + k];
            *x = (float)(*x / MINE(size, t)[0]);
        }
    }
}
