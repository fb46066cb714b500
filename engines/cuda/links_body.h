/* Sums of neighbours' rows, and products with the operator. */

/* ---- a row's dot product --------------------------------------------------------------------- */

/* Lane l adds up the columns l, l + lanes, ...; 16 lanes, or as many as the stride has floats. */
BODY int lanes_of(int64_t stride) {
    return stride < 16 ? (int)stride : 16;
}

/* Lanes half their number apart until there are four; these in double precision. */
BODY double add_lanes(int lanes, const float *x) {
    float four[4];
    for (int i = 0; i < 4; i++)
        four[i] = lanes == 16  ? (x[i] + x[i + 8]) + (x[i + 4] + x[i + 12])
                  : lanes == 8 ? x[i] + x[i + 4]
                               : x[i];
    return ((double)four[0] + four[2]) + ((double)four[1] + four[3]);
}

BODY float lane_dot(int64_t stride, int lanes, int lane, const float *x, const float *y) {
    float sum = 0;
    for (int64_t k = lane; k < stride; k += lanes) sum += x[k] * y[k];
    return sum;
}

BODY double whole_dot(int64_t stride, const float *x, const float *y) {
    int lanes = lanes_of(stride);
    float sums[16];
    for (int l = 0; l < 16; l++) sums[l] = l < lanes ? lane_dot(stride, lanes, l, x, y) : 0;
    return add_lanes(lanes, sums);
}

/* ---- sums of rows ---------------------------------------------------------------------------- */

typedef struct __attribute__((aligned(16))) four {
    float x, y, z, w;
} four;

BODY four load_four(const float *x) {
    return *(const four *)x;
}

typedef struct __attribute__((aligned(8))) four_packed {
    uint16_t x, y, z, w;
} four_packed;

INLINE_BODY float unpack(const int32_t storage, uint16_t x) {
#ifdef __CUDACC__
    if (storage == CAFE_STORAGE_FLOAT16) return __half2float(__ushort_as_half(x));
#endif
    return cafe_unpack(storage, x);
}

/* Four floats of a row; the storage is a constant where this is called. */
INLINE_BODY four load_stored(const stored *x, const int32_t storage, int64_t at) {
    if (storage == CAFE_STORAGE_FLOAT32) return load_four(x->x + at);
    const four_packed y = *(const four_packed *)(x->packed + at);
    four out = {unpack(storage, y.x), unpack(storage, y.y), unpack(storage, y.z),
                unpack(storage, y.w)};
    return out;
}

/* How the rows are read. */
BODY int32_t storage_of(const stored *x) {
    return x->packed ? x->storage : CAFE_STORAGE_FLOAT32;
}

BODY void add_four(four *sum, four x) {
    sum->x += x.x, sum->y += x.y, sum->z += x.z, sum->w += x.w;
}

BODY void add_weighted(four *sum, float a, four x) {
    sum->x += a * x.x, sum->y += a * x.y, sum->z += a * x.z, sum->w += a * x.w;
}

enum { AT_ONCE = 8 }; /* rows asked for before the first is added */

/* The threads that share a row: this one's number, and how many. */
typedef struct team {
    int lane, group;
} team;

BODY team team_of(int t, int group) {
    team out = {t % group, group};
    return out;
}

BODY float link_weight(const links *q, int64_t u, int64_t j) {
    return cafe_row_weight(q->targets, q->weights, q->factor, u, j);
}

/* Links from .. to - 1 of row u, four columns of each. Every thread of the team reads one link, and
 * all of them take it from there. */
INLINE_BODY four sum_stored(const links *q, const stored *x, const int32_t storage, int64_t stride,
                            int64_t u, int64_t from, int64_t to, int64_t column, team by) {
    const int weighted = q->weights || q->factor;
    const four none = {0, 0, 0, 0};
    four sum = none;
    for (int64_t j = from; j < to; j += by.group) {
        int count = to - j < by.group ? (int)(to - j) : by.group;
        int32_t target = by.lane < count ? q->targets[j + by.lane] : 0;
        float weight = weighted && by.lane < count ? link_weight(q, u, j + by.lane) : 1;
        for (int i = 0; i < count; i += AT_ONCE) {
            four rows[AT_ONCE];
            UNROLL
            for (int s = 0; s < AT_ONCE; s++) {
                int at = i + s < count ? i + s : count - 1;
                int64_t w = FROM_LANE(target, at, by.group, q->targets[j + at]);
                rows[s] = i + s < count ? load_stored(x, storage, w * stride + column) : none;
            }
            UNROLL
            for (int s = 0; s < AT_ONCE; s++) {
                int at = i + s < count ? i + s : count - 1;
                float a = 1;
                if (weighted) a = FROM_LANE(weight, at, by.group, link_weight(q, u, j + at));
                if (i + s >= count) continue;
                if (weighted)
                    add_weighted(&sum, a, rows[s]);
                else
                    add_four(&sum, rows[s]);
            }
        }
    }
    return sum;
}

BODY four sum_piece(const links *q, const stored *x, int64_t stride, int64_t u, int64_t from,
                    int64_t to, int64_t column, team by) {
    int32_t storage = storage_of(x);
    if (storage == CAFE_STORAGE_FLOAT16)
        return sum_stored(q, x, CAFE_STORAGE_FLOAT16, stride, u, from, to, column, by);
    if (storage == CAFE_STORAGE_BFLOAT16)
        return sum_stored(q, x, CAFE_STORAGE_BFLOAT16, stride, u, from, to, column, by);
    return sum_stored(q, x, CAFE_STORAGE_FLOAT32, stride, u, from, to, column, by);
}

/* The first piece of the range's node i, which is a long row. */
BODY int64_t first_piece(const long_rows *wide, int64_t i) {
    int64_t low = 0, high = wide->count - 1;
    while (low < high) {
        int64_t middle = (low + high) / 2;
        if (wide->rows[middle].number < i)
            low = middle + 1;
        else
            high = middle;
    }
    return wide->rows[low].first;
}

/* The sum of all links of node u, number i of the range: piece by piece. */
BODY four sum_links(const links *q, const long_rows *wide, const stored *x, int64_t stride,
                    int64_t i, int64_t u, int64_t column, team by) {
    int64_t from = q->offsets[u], to = q->offsets[u + 1];
    if (to - from <= LONG) return sum_piece(q, x, stride, u, from, to, column, by);
    int64_t pieces = (to - from + PIECE - 1) / PIECE;
    const float *sums = wide->sums + first_piece(wide, i) * stride + column;
    four sum = load_four(sums);
    for (int64_t piece = 1; piece < pieces; piece++)
        add_four(&sum, load_four(sums + piece * stride));
    return sum;
}

/* The last long row whose first piece is not behind this one. */
BODY const long_row *row_of(const long_rows *wide, int64_t piece) {
    int64_t low = 0, high = wide->count - 1;
    while (low < high) {
        int64_t middle = (low + high + 1) / 2;
        if (wide->rows[middle].first <= piece)
            low = middle;
        else
            high = middle - 1;
    }
    return &wide->rows[low];
}

/* Column k of the sum of links from .. to - 1: 32 rows are asked for at a time, each thread of a
 * warp reads one link of them. A thread without a column helps with that. */
INLINE_BODY float sum_wide(const links *q, const stored *x, const int32_t storage, int64_t stride,
                           int64_t u, int64_t from, int64_t to, int64_t k, int lane) {
    const int weighted = q->weights || q->factor;
    const int64_t column = k < stride ? k : 0;
    float sum = 0;
    int32_t target = from + lane < to ? q->targets[from + lane] : 0;
    float weight = weighted && from + lane < to ? link_weight(q, u, from + lane) : 1;
    for (int64_t j = from; j < to; j += WARP) {
        int count = to - j < WARP ? (int)(to - j) : WARP;
        int64_t next = j + WARP + lane;
        float some[WARP], a = 1;
        UNROLL
        for (int s = 0; s < WARP; s++) {
            int at = s < count ? s : count - 1;
            int64_t w = FROM_LANE(target, at, WARP, q->targets[j + at]);
            some[s] = 0;
            if (s < count)
                some[s] = storage == CAFE_STORAGE_FLOAT32
                              ? x->x[w * stride + column]
                              : unpack(storage, x->packed[w * stride + column]);
        }
        target = next < to ? q->targets[next] : 0; /* of the rows to come, meanwhile */
        float after = weighted && next < to ? link_weight(q, u, next) : 1;
        UNROLL
        for (int s = 0; s < WARP; s++) {
            int at = s < count ? s : count - 1;
            if (weighted) a = FROM_LANE(weight, at, WARP, link_weight(q, u, j + at));
            if (s < count) sum += weighted ? a * some[s] : some[s];
        }
        weight = after;
    }
    return sum;
}

BODY float sum_column_of(const links *q, const stored *x, int64_t stride, int64_t u, int64_t from,
                         int64_t to, int64_t k, int lane) {
    int32_t storage = storage_of(x);
    if (storage == CAFE_STORAGE_FLOAT16)
        return sum_wide(q, x, CAFE_STORAGE_FLOAT16, stride, u, from, to, k, lane);
    if (storage == CAFE_STORAGE_BFLOAT16)
        return sum_wide(q, x, CAFE_STORAGE_BFLOAT16, stride, u, from, to, k, lane);
    return sum_wide(q, x, CAFE_STORAGE_FLOAT32, stride, u, from, to, k, lane);
}

/* Whole warps have a piece, a thread a column. */
BODY void sum_pieces_body(const sum_pieces_args *a, int64_t block) {
    const int threads = piece_threads(a->stride);
    THREADS(t) {
        int64_t piece = block * (BLOCK / threads) + t / threads;
        if (piece >= a->pieces) continue;
        const long_row *row = row_of(&a->wide, piece);
        int64_t u = a->range.first + row->number * a->range.step;
        int64_t from = a->links.offsets[u] + (piece - row->first) * PIECE;
        int64_t end = a->links.offsets[u + 1], to = from + PIECE < end ? from + PIECE : end;
        if (a->skip && a->skip[u]) continue;
        for (int64_t panel = 0; panel < a->stride; panel += threads) {
            int64_t k = panel + t % threads;
            float sum = sum_column_of(&a->links, &a->x, a->stride, u, from, to, k, t % WARP);
            if (k < a->stride) a->wide.sums[piece * a->stride + k] = sum;
        }
    }
}

/* ---- products -------------------------------------------------------------------------------- */

/* a (sum scale - shift s), and b x + c y where they are not both 0 */
BODY float image_of(const multiply_rows_args *a, float sum, float scale, float shift, int64_t k,
                    const float *x, const float *y) {
    float image = a->a * (sum * scale - shift * a->s[k]);
    return a->b == 0 && a->c == 0 ? image : image + a->b * x[k] + a->c * y[k];
}

/* Teams go from row to row, so that none waits for the longest of its block. */
BODY void multiply_rows_body(const multiply_rows_args *a, int64_t block) {
    const int group = row_threads(a->stride), across = BLOCK / group;
    const stored rows = {a->x, NULL, CAFE_STORAGE_FLOAT32};
    THREADS(t) {
        for (int64_t i = block * across + t / group; i < a->range.count; i += a->blocks * across) {
            int64_t u = a->range.first + i * a->range.step;
            double p = a->links.p[u];
            float scale = (float)(a->walk ? (p > 0 ? 1 / (a->total * p) : 0) : 1 / a->total);
            float shift = (float)(a->walk ? (p > 0) : p);
            const float *x = a->x + u * a->stride;
            float *y = a->y + u * a->stride;
            for (int64_t panel = 0; panel < a->stride; panel += group * 4) {
                int64_t k = panel + t % group * 4, column = k < a->stride ? k : 0;
                four out, sum = sum_links(&a->links, &a->wide, &rows, a->stride, i, u, column,
                                          team_of(t, group));
                if (k >= a->stride) continue;
                out.x = image_of(a, sum.x, scale, shift, k, x, y);
                out.y = image_of(a, sum.y, scale, shift, k + 1, x, y);
                out.z = image_of(a, sum.z, scale, shift, k + 2, x, y);
                out.w = image_of(a, sum.w, scale, shift, k + 3, x, y);
                *(four *)(y + k) = out;
            }
        }
    }
}
