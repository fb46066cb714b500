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

BODY void add_weighted(four *sum, float a, four x) {
    sum->x += a * x.x, sum->y += a * x.y, sum->z += a * x.z, sum->w += a * x.w;
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

/* The weights of all links, a warp a row. */
BODY void weigh_links_body(const weigh_links_args *a, int64_t block) {
    const links *q = &a->links;
    for (int64_t u = block; u < q->n; u += a->blocks) {
        WARP_THREADS(t) {
            for (int64_t j = q->offsets[u] + t; j < q->offsets[u + 1]; j += WARP)
                a->weights[j] = link_weight(q, u, j);
        }
    }
}

/* ---- rows on their way ----------------------------------------------------------------------- */

/* Rows are asked for RING - 1 ahead of the one that is added, each thread's four floats into places
 * of its own beside the threads, RING_STEP floats apart. */
enum { RING = 8, RING_STEP = 4 * WARP, RING_FLOATS = RING * RING_STEP };

/* The storage is a constant where these are called. */
INLINE_BODY void ask_row(float *to, const stored *x, const int32_t storage, int64_t at) {
    if (storage == CAFE_STORAGE_FLOAT32)
        ASK(to, x->x + at, 16);
    else
        ASK(to, x->packed + at, 8);
}

INLINE_BODY four asked_row(const float *place, const int32_t storage) {
    if (storage == CAFE_STORAGE_FLOAT32) return load_four(place);
    const four_packed y = *(const four_packed *)place;
    four out = {unpack(storage, y.x), unpack(storage, y.y), unpack(storage, y.z),
                unpack(storage, y.w)};
    return out;
}

/* Links that a team works on: `all` of them from `from` on, of row u, four columns from `column`
 * on. Every thread of the team reads one link of a batch, and all of them take it from there. */
typedef struct some_links {
    const links *q;
    const stored *x;
    int64_t u, from;
    int all, stride, column;
    team by;
    int32_t target, next_target; /* of this batch, and of the next */
    float weight, next_weight;
} some_links;

INLINE_BODY void read_batch(some_links *s, int first) {
    int at = first + s->by.lane, weighted = s->q->weights || s->q->factor;
    s->next_target = at < s->all ? s->q->targets[s->from + at] : 0;
    s->next_weight = weighted && at < s->all ? link_weight(s->q, s->u, s->from + at) : 1;
}

/* Asks for the row of link k; its weight. */
INLINE_BODY float ask_link(some_links *s, const int32_t storage, int k, float *to) {
    float weight = 1;
    if (k < s->all) {
        int at = k & (s->by.group - 1);
        if (at == 0) {
            s->target = s->next_target, s->weight = s->next_weight;
            read_batch(s, k + s->by.group);
        }
        int32_t w = FROM_LANE(s->target, at, s->by.group, s->q->targets[s->from + k]);
        weight = FROM_LANE(s->weight, at, s->by.group, link_weight(s->q, s->u, s->from + k));
        ask_row(to, s->x, storage, (int64_t)w * s->stride + s->column);
    }
    END_OF_ASK();
    return weight;
}

/* Their sum, link by link; `ring` is this thread's. */
INLINE_BODY four sum_stored(some_links *s, const int32_t storage, float *ring) {
    const int weighted = s->q->weights || s->q->factor;
    float weights[RING];
    four sum = {0, 0, 0, 0};
    read_batch(s, 0);
    UNROLL
    for (int i = 0; i < RING - 1; i++) weights[i] = ask_link(s, storage, i, ring + i * RING_STEP);
    for (int j = 0; j < s->all; j += RING) {
        UNROLL
        for (int i = 0; i < RING; i++) {
            enum { BEFORE_ONE = RING - 1 };
            int last = (i + BEFORE_ONE) % RING;
            ASKED(RING - 2);
            four row = asked_row(ring + i * RING_STEP, storage);
            weights[last] = ask_link(s, storage, j + i + BEFORE_ONE, ring + last * RING_STEP);
            if (j + i >= s->all) continue;
            if (weighted)
                add_weighted(&sum, weights[i], row);
            else
                add_four(&sum, row);
        }
    }
    return sum;
}

BODY four sum_asked(some_links s, float *ring) {
    const int32_t storage = s.x->packed ? s.x->storage : CAFE_STORAGE_FLOAT32;
    if (storage == CAFE_STORAGE_FLOAT16) return sum_stored(&s, CAFE_STORAGE_FLOAT16, ring);
    if (storage == CAFE_STORAGE_BFLOAT16) return sum_stored(&s, CAFE_STORAGE_BFLOAT16, ring);
    return sum_stored(&s, CAFE_STORAGE_FLOAT32, ring);
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

enum { AT_ONCE = 8 }; /* rows asked for before the first is added */

/* The sums of a long row's pieces, one after the other. */
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

/* A row that a team of threads has: number i of the range, node u; of a long row its number among
 * these, of others -1. */
typedef struct row_at_work {
    int32_t i, u, wide;
} row_at_work;

BODY int64_t links_of(const links *q, int64_t u) {
    return q->offsets[u + 1] - q->offsets[u];
}

BODY int64_t pieces_of(const links *q, int64_t u) {
    return (links_of(q, u) + PIECE - 1) / PIECE;
}

/* `all` links of node u from `from` on, four columns. */
INLINE_BODY some_links links_from(const row_work *w, int64_t u, int64_t from, int all,
                                  int64_t column, team by) {
    some_links s = {&w->links, &w->x, u, from, all, (int)w->stride, (int)column, by, 0, 0, 1, 1};
    return s;
}

/* The sum of all its links, piece by piece. */
BODY four sum_links(const row_work *w, const row_at_work *r, int64_t column, team by, float *ring) {
    const links *q = &w->links;
    if (r->wide < 0)
        return sum_asked(links_from(w, r->u, q->offsets[r->u], (int)links_of(q, r->u), column, by),
                         ring);
    return add_pieces(w->wide.sums + w->wide.rows[r->wide].first * w->stride + column, w->stride,
                      pieces_of(q, r->u));
}

/* The last long row whose first piece is not behind this one. */
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

/* What a warp takes at a time is an item: a row for each of its teams, or a piece of a long row.
 * Pieces come first; the team that sums up the last piece of a row goes on with the row. */
BODY int64_t piece_items(const row_work *w, int across) {
    return (w->wide.pieces + across - 1) / across;
}

BODY int64_t all_items(const row_work *w, int across) {
    return piece_items(w, across) + (w->range.count + across - 1) / across;
}

BODY void sum_one_piece(const row_work *w, const row_at_work *r, int64_t piece, team by,
                        float *ring) {
    int64_t place = (piece - w->wide.rows[r->wide].first) * PIECE;
    int64_t left = links_of(&w->links, r->u) - place, from = w->links.offsets[r->u] + place;
    int all = left < PIECE ? (int)left : PIECE;
    if (w->skip && w->skip[r->u]) return;
    for (int64_t panel = 0; panel < w->stride; panel += by.group * 4) {
        int64_t k = panel + by.lane * 4;
        four sum = sum_asked(links_from(w, r->u, from, all, k < w->stride ? k : 0, by), ring);
        if (k < w->stride) *(four *)(w->wide.sums + piece * w->stride + k) = sum;
    }
}

BODY row_at_work row_number(const nodes *range, int64_t i, int64_t wide) {
    row_at_work r = {(int32_t)i, (int32_t)(range->first + i * range->step), (int32_t)wide};
    return r;
}

/* The row that thread t has with this item, its piece summed up; i < 0: none. */
BODY row_at_work take_row(const row_work *w, int64_t item, int t, int group, float *ring) {
    const int across = WARP / group;
    int64_t rows_from = piece_items(w, across), at = item * across + t / group;
    row_at_work r = {-1, 0, -1};
    if (item >= rows_from) {
        at -= rows_from * across;
        if (at < w->range.count) r = row_number(&w->range, at, -1);
        if (r.i >= 0 && links_of(&w->links, r.u) > LONG) r.i = -1;
    } else if (at < w->wide.pieces) {
        int64_t wide = wide_of(&w->wide, at);
        r = row_number(&w->range, w->wide.rows[wide].number, wide);
        sum_one_piece(w, &r, at, team_of(t, group), ring + t * 4);
        PUBLISH();
    }
    return r;
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
BODY void multiply_row(const multiply_rows_args *a, const row_at_work *r, team by, float *ring) {
    const row_work *w = &a->work;
    double p = w->links.p[r->u];
    float scale = (float)(a->walk ? (p > 0 ? 1 / (a->total * p) : 0) : 1 / a->total);
    float shift = (float)(a->walk ? (p > 0) : p);
    const float *x = w->x.x + r->u * w->stride;
    float *y = a->y + r->u * w->stride;
    for (int64_t panel = 0; panel < w->stride; panel += by.group * 4) {
        int64_t k = panel + by.lane * 4;
        four out, sum = sum_links(w, r, k < w->stride ? k : 0, by, ring);
        if (k >= w->stride) continue;
        out.x = image_of(a, sum.x, scale, shift, k, x, y);
        out.y = image_of(a, sum.y, scale, shift, k + 1, x, y);
        out.z = image_of(a, sum.z, scale, shift, k + 2, x, y);
        out.w = image_of(a, sum.w, scale, shift, k + 3, x, y);
        *(four *)(y + k) = out;
    }
}

BODY void multiply_rows_body(const multiply_rows_args *a, int64_t block) {
    SHARED(float, ring, RING_FLOATS);
    SHARED(int, last, WARP);
    OWN(row_at_work, row, 1);
    const row_work *w = &a->work;
    const int group = row_threads(w->stride), across = WARP / group;
    const int64_t pieces = piece_items(w, across), items = all_items(w, across);
    (void)block;
    for (int64_t item = TAKE(w->taken); item < items; item = TAKE(w->taken)) {
        WARP_THREADS(t) MINE(row, t)[0] = take_row(w, item, t, group, ring);
        SYNC_ROW();
        if (item < pieces) {
            WARP_THREADS(t) if (t % group == 0) last[t / group] = was_last(w, MINE(row, t));
            SYNC_ROW();
        }
        WARP_THREADS(t) {
            const row_at_work *r = MINE(row, t);
            if (r->i < 0 || (r->wide >= 0 && !last[t / group])) continue;
            multiply_row(a, r, team_of(t, group), ring + t * 4);
        }
        SYNC_ROW();
    }
}
