/* Sums of neighbours' rows, and products with the operator. */

/* ---- a row's dot product --------------------------------------------------------------------- */

/* Lane l adds the columns l, l + lanes, ...; 16 lanes, or as many as the stride has floats. */
BODY int lanes_of(int64_t stride) {
    return stride < 16 ? (int)stride : 16;
}

/* Adds lanes half their number apart until four are left, then these in double precision. */
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

BODY void add_four(four *sum, four x) {
    sum->x += x.x, sum->y += x.y, sum->z += x.z, sum->w += x.w;
}

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

/* The weights of all edges, a warp a row. */
BODY void weigh_links_body(const weigh_links_args *a, int64_t block) {
    const links *q = &a->links;
    for (int64_t u = block; u < q->n; u += a->blocks) {
        WARP_THREADS(t) {
            for (int64_t j = q->offsets[u] + t; j < q->offsets[u + 1]; j += WARP)
                a->weights[j] = link_weight(q, u, j);
        }
    }
}

/* ---- sums of some edges ---------------------------------------------------------------------- */

/* Four floats of a row; the storage is a constant where this is called. */
INLINE_BODY four load_stored(const stored *x, const int32_t storage, int64_t at) {
    if (storage == CAFE_STORAGE_FLOAT32) return load_four(x->x + at);
    const four_packed y = *(const four_packed *)(x->packed + at);
    four out = {unpack(storage, y.x), unpack(storage, y.y), unpack(storage, y.z),
                unpack(storage, y.w)};
    return out;
}

enum { AT_ONCE = 12 }; /* rows prefetched before the first is added */

/* Edges that a team works on: `all` of them from `from` on, of row u, four columns from `column`
 * on. Every thread of the team reads one edge of a batch, and all of them take it from there. */
typedef struct some_links {
    const links *q;
    const stored *x;
    int64_t from;
    int32_t u, all, stride, column;
    int32_t target; /* of the first batch */
    float weight;
} some_links;

/* Adds edges i .. i + AT_ONCE - 1 of a batch that begins with edge j, up to `count`. */
INLINE_BODY void add_rows(const some_links *s, const int32_t storage, const team by,
                          const int whole, int j, int i, int count, four *sum) {
    const four none = {0, 0, 0, 0};
    four rows[AT_ONCE];
    UNROLL
    for (int k = 0; k < AT_ONCE; k++) {
        rows[k] = none;
        if (!whole && i + k >= count) continue;
        int32_t w = FROM_LANE(s->target, i + k, by.group, s->q->targets[s->from + j + i + k]);
        rows[k] = load_stored(s->x, storage, (int64_t)w * s->stride + s->column);
    }
    UNROLL
    for (int k = 0; k < AT_ONCE; k++) {
        if (!whole && i + k >= count) continue;
        float a =
            FROM_LANE(s->weight, i + k, by.group, link_weight(s->q, s->u, s->from + j + i + k));
        sum->x += a * rows[k].x, sum->y += a * rows[k].y;
        sum->z += a * rows[k].z, sum->w += a * rows[k].w;
    }
}

/* Returns the sum edge by edge; prefetches the next batch. */
INLINE_BODY four sum_stored(some_links s, const int32_t storage, const team by) {
    four sum = {0, 0, 0, 0};
    for (int j = 0; j < s.all; j += by.group) {
        int count = s.all - j < by.group ? s.all - j : by.group, next = j + by.group + by.lane,
            i = 0;
        int32_t next_target = 0;
        float next_weight = 1;
        if (next < s.all) {
            next_target = s.q->targets[s.from + next];
            next_weight = link_weight(s.q, s.u, s.from + next);
        }
        for (; i + AT_ONCE <= count; i += AT_ONCE) add_rows(&s, storage, by, 1, j, i, count, &sum);
        if (i < count) add_rows(&s, storage, by, 0, j, i, count, &sum);
        s.target = next_target, s.weight = next_weight;
    }
    return sum;
}

/* How rows are read, of kernels for one storage and for all. */
enum { ANY_STORAGE = -1 };

INLINE_BODY four sum_read(const some_links *s, const int32_t storage, const team by) {
    if (storage != ANY_STORAGE) return sum_stored(*s, storage, by);
    const int32_t packed = s->x->packed ? s->x->storage : CAFE_STORAGE_FLOAT32;
    if (packed == CAFE_STORAGE_FLOAT16) return sum_stored(*s, CAFE_STORAGE_FLOAT16, by);
    if (packed == CAFE_STORAGE_BFLOAT16) return sum_stored(*s, CAFE_STORAGE_BFLOAT16, by);
    return sum_stored(*s, CAFE_STORAGE_FLOAT32, by);
}

/* ---- rows at work ---------------------------------------------------------------------------- */

/* Four floats that another block may have written in this launch. */
INLINE_BODY four load_fresh(const float *x) {
#ifdef __CUDACC__
    float4 y = __ldcg((const float4 *)x);
    four out = {y.x, y.y, y.z, y.w};
    return out;
#else
    return load_four(x);
#endif
}

/* Adds the sums of a long row's pieces, one after the other. */
BODY four add_pieces(const float *sums, int64_t stride, int64_t pieces) {
    four sum = load_fresh(sums);
    for (int64_t piece = 1; piece < pieces; piece += AT_ONCE) {
        four some[AT_ONCE];
        UNROLL
        for (int s = 0; s < AT_ONCE; s++) {
            int64_t at = piece + s < pieces ? piece + s : pieces - 1;
            some[s] = load_fresh(sums + at * stride);
        }
        UNROLL
        for (int s = 0; s < AT_ONCE; s++)
            if (piece + s < pieces) add_four(&sum, some[s]);
    }
    return sum;
}

/* The work of a team of threads: number i of the range and node u, or nothing (i < 0). Then the
 * edges of the row, or of a piece of it (wide >= 0: the number of the long row), and their first
 * batch. */
typedef struct row_at_work {
    int32_t i, u, wide, piece;
    int64_t from, to;
    double p;
    float inner;
    int32_t target;
    float weight;
} row_at_work;

BODY int64_t pieces_of(const links *q, int64_t u) {
    return (q->offsets[u + 1] - q->offsets[u] + PIECE - 1) / PIECE;
}

/* Returns the sum over these edges, four columns. */
INLINE_BODY four sum_links(const row_work *w, const row_at_work *r, const int32_t storage,
                           int64_t column, const team by) {
    const some_links s = {&w->links,      &w->x,       r->from,   r->u,     (int)(r->to - r->from),
                          (int)w->stride, (int)column, r->target, r->weight};
    return sum_read(&s, storage, by);
}

/* The sum of a long row, all of whose pieces are summed up. */
BODY four sum_pieces(const row_work *w, const row_at_work *r, int64_t column) {
    return add_pieces(w->wide.sums + w->wide.rows[r->wide].first * w->stride + column, w->stride,
                      pieces_of(&w->links, r->u));
}

/* Returns the last long row whose first piece is at or before this one. */
BODY int64_t wide_of(const long_rows *wide, int64_t piece) {
    int64_t low = 0, high = wide->count - 1;
    while (low < high) {
        int64_t middle = (low + high + 1) / 2;
        if (wide->rows[middle].first <= piece)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/* A warp takes one item at a time: a row for each of its teams, or a piece of a long row. Pieces
 * come first. The team that adds the last piece of a row finishes the row. */
BODY int64_t piece_items(const row_work *w, int across) {
    return (w->wide.pieces + across - 1) / across;
}

BODY int64_t all_items(const row_work *w, int across) {
    return piece_items(w, across) + (w->range.count + across - 1) / across;
}

/* Returns the work of thread t in this item; numbers are loaded, but not used yet. */
INLINE_BODY row_at_work take_row(const row_work *w, int64_t item, int t, int group) {
    const int across = WARP / group;
    const int64_t rows_from = piece_items(w, across);
    int64_t at = item * across + t / group;
    row_at_work r = {-1, 0, -1, 0, 0, 0, 0, 0, 0, 1};
    if (item < rows_from) {
        if (at >= w->wide.pieces) return r;
        r.wide = (int32_t)wide_of(&w->wide, at), r.piece = (int32_t)at;
        r.i = w->wide.rows[r.wide].number;
    } else {
        at -= rows_from * across;
        if (at >= w->range.count) return r;
        r.i = (int32_t)at;
    }
    r.u = (int32_t)(w->range.first + r.i * w->range.step);
    r.from = w->links.offsets[r.u], r.to = w->links.offsets[r.u + 1];
    r.p = w->links.p[r.u];
    if (w->inner) r.inner = w->inner[r.i];
    return r;
}

/* Sets the edges of the row, or of a piece of a long row, and loads the first batch. */
INLINE_BODY void read_row(const row_work *w, row_at_work *r, const team by) {
    if (r->wide >= 0) {
        r->from += (r->piece - w->wide.rows[r->wide].first) * PIECE;
        r->to = r->from + PIECE < r->to ? r->from + PIECE : r->to;
    } else if (r->to - r->from > LONG) {
        r->i = -1;
    }
    if (r->i < 0 || (w->skip && w->skip[r->u])) r->to = r->from;
    if (r->from + by.lane >= r->to) return;
    r->target = w->links.targets[r->from + by.lane];
    r->weight = link_weight(&w->links, r->u, r->from + by.lane);
}

/* The sum of its piece, to where the team that has the row finds it. */
INLINE_BODY void sum_piece(const row_work *w, const row_at_work *r, const int32_t storage,
                           const team by) {
    for (int64_t panel = 0; r->to > r->from && panel < w->stride; panel += by.group * 4) {
        int64_t k = panel + by.lane * 4;
        four sum = sum_links(w, r, storage, k < w->stride ? k : 0, by);
        if (k < w->stride) *(four *)(w->wide.sums + r->piece * w->stride + k) = sum;
    }
    PUBLISH();
}

/* Was this the last of the row's pieces? */
BODY int was_last(const row_work *w, const row_at_work *r) {
    if (r->i < 0 || COUNT(&w->wide.done[r->wide]) < pieces_of(&w->links, r->u) - 1) return 0;
    w->wide.done[r->wide] = 0; /* for the next time */
    PUBLISH();
    return 1;
}

/* ---- products -------------------------------------------------------------------------------- */

/* a (sum scale - shift s), and b x + c y where they are not both 0 */
BODY float image_of(const multiply_rows_args *a, float sum, float scale, float shift, int64_t k,
                    const float *x, const float *y) {
    float image = a->a * (sum * scale - shift * a->s[k]);
    return a->b == 0 && a->c == 0 ? image : image + a->b * x[k] + a->c * y[k];
}

/* y of a row, four columns at a time. */
INLINE_BODY void multiply_row(const multiply_rows_args *a, const row_at_work *r, const team by) {
    const row_work *w = &a->work;
    float scale = (float)(a->walk ? (r->p > 0 ? 1 / (a->total * r->p) : 0) : 1 / a->total);
    float shift = (float)(a->walk ? (r->p > 0) : r->p);
    const float *x = w->x.x + r->u * w->stride;
    float *y = a->y + r->u * w->stride;
    for (int64_t panel = 0; panel < w->stride; panel += by.group * 4) {
        int64_t k = panel + by.lane * 4, column = k < w->stride ? k : 0;
        four out, sum = r->wide < 0 ? sum_links(w, r, CAFE_STORAGE_FLOAT32, column, by)
                                    : sum_pieces(w, r, column);
        if (k >= w->stride) continue;
        out.x = image_of(a, sum.x, scale, shift, k, x, y);
        out.y = image_of(a, sum.y, scale, shift, k + 1, x, y);
        out.z = image_of(a, sum.z, scale, shift, k + 2, x, y);
        out.w = image_of(a, sum.w, scale, shift, k + 3, x, y);
        *(four *)(y + k) = out;
    }
}

/* A warp knows of the row that it will have next while it works on one. `group` is a constant, or
 * the threads of a row. */
INLINE_BODY void multiply_all(const multiply_rows_args *a, const int group) {
    SHARED(int, last, WARP);
    OWN(row_at_work, row, 1);
    OWN(row_at_work, after, 1);
    const row_work *w = &a->work;
    const int across = WARP / group;
    const int64_t pieces = piece_items(w, across), items = all_items(w, across);
    int next = NEXT(w->taken);
    int64_t item = TAKEN(next);
    next = NEXT(w->taken);
    WARP_THREADS(t) {
        last[t] = 0;
        MINE(after, t)[0] = take_row(w, item, t, group);
        read_row(w, MINE(after, t), team_of(t, group));
    }
    while (item < items) {
        const int64_t then = TAKEN(next);
        WARP_THREADS(t) {
            MINE(row, t)[0] = MINE(after, t)[0];
            MINE(after, t)[0] = take_row(w, then, t, group);
        }
        next = NEXT(w->taken);
        if (item < pieces) {
            WARP_THREADS(t) sum_piece(w, MINE(row, t), CAFE_STORAGE_FLOAT32, team_of(t, group));
            SYNC_ROW();
            WARP_THREADS(t) {
                if (t % group == 0) last[t / group] = was_last(w, MINE(row, t));
            }
            SYNC_ROW();
        }
        WARP_THREADS(t) {
            const row_at_work *r = MINE(row, t);
            if (r->i >= 0 && (r->wide < 0 || last[t / group]))
                multiply_row(a, r, team_of(t, group));
            read_row(w, MINE(after, t), team_of(t, group));
        }
        SYNC_ROW();
        item = then;
    }
}

BODY void multiply_rows_body(const multiply_rows_args *a, int64_t block) {
    (void)block;
    multiply_all(a, WARP);
}

BODY void multiply_short_rows_body(const multiply_rows_args *a, int64_t block) {
    (void)block;
    multiply_all(a, row_threads(a->work.stride));
}
