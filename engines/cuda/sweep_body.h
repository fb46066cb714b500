/* One chunk of a sweep: the new rows, the edges inside, then S and the rows that were kept. */

/* ---- the rules ------------------------------------------------------------------------------- */

/* exp(x) for x <= 0: x = n ln 2 + r, exp(r) by Cephes' polynomial, 2^n by the exponent's bits. */
BODY float exponential(float x) {
    const float round = 12582912.0f; /* 1.5 * 2^23 */
    union {
        int32_t bits;
        float value;
    } power;
    if (x < -85.0f) return 0;
    float n = (x * 1.44269504f + round) - round;
    float r = (x - n * 0.693359375f) + n * 2.12194440e-4f, y = 1.9875691500e-4f;
    y = y * r + 1.3981999507e-3f;
    y = y * r + 8.3334519073e-3f;
    y = y * r + 4.1665795894e-2f;
    y = y * r + 1.6666665459e-1f;
    y = y * r + 5.0000001201e-1f;
    y = y * r * r + r + 1.0f;
    power.bits = (int32_t)(((uint32_t)((int32_t)n + 127)) << 23);
    return y * power.value;
}

BODY float tilted(float h, float x) {
    return h * exponential(x < 0 ? x : 0);
}

/* The pull of a node (kernels/row_kernels.h), and its own weight, or theta. */
typedef struct pull {
    float degree, own, keep;
} pull;

/* Constants of a sweep, which most kernels have at compile time. */
typedef struct kind {
    int group, softmax, held; /* threads of a row; z and the old row are in shared memory */
    int32_t storage;          /* or ANY_STORAGE */
} kind;

/* c_u / p_u (operator/chunks.h) */
BODY double shift_of(const sweep_args *a, double mass, double inner, double p) {
    double together = a->together ? p : 0, size = a->kappa < 0 ? -a->kappa : a->kappa;
    double shift = inner + a->resolution * size * (a->kappa < 0 ? mass - p : together);
    return shift > 0 ? shift : 0;
}

BODY float theta_of(const sweep_args *a, float degree, float shift) {
    double theta = a->theta;
    if (a->mean_degree > 0) theta /= degree * a->mean_degree;
    if (shift > 0 && !(theta < 4 / (double)shift)) theta = 4 / (double)shift;
    return (float)(theta < 1e30 ? theta : 1e30);
}

INLINE_BODY pull pull_of(const sweep_args *a, const kind how, double mass, const row_at_work *r) {
    const float *loops = a->work.links.loops;
    double degree = 1 / (r->p * a->total), loop = loops ? loops[r->u] * degree : 0;
    float shift = (float)shift_of(a, mass, r->inner, r->p);
    pull out;
    out.degree = (float)(a->sign * degree);
    out.own = (float)(a->expected * r->p - a->sign * loop);
    out.keep = how.softmax ? theta_of(a, (float)degree, shift) : shift + (float)a->gamma;
    return out;
}

/* ---- new rows -------------------------------------------------------------------------------- */

/* The numbers of a row are in shared memory if they fit. */
enum { HELD = 256 };

/* The state of a row: it moves; other nodes of the chunk read it. */
typedef struct work {
    row_at_work row;
    int32_t there, kept;
} work;

BODY void set_work(const sweep_args *a, work *w) {
    const uint8_t *fixed = a->work.skip;
    w->there = w->row.i >= 0 && w->row.p > 0 && !(fixed && fixed[w->row.u]);
    w->kept = w->row.i >= 0 && w->row.inner > 0;
}

/* The places of the old row and z (shared memory or not) and of the new row. */
typedef struct places {
    const float *h;
    float *z, *to;
} places;

INLINE_BODY places places_of(const sweep_args *a, const kind how, const work *w, float *held,
                             int slot) {
    const int64_t stride = a->work.stride, i = w->row.i, u = w->row.u;
    float *old = held + slot * stride;
    places p = {old, old + HELD, w->kept ? a->rows + i * stride : a->h + u * stride};
    if (!how.held) p.h = a->h + u * stride, p.z = a->rows + i * stride;
    return p;
}

/* z = sum / d - s + own h, four columns at a time, while the old row loads. A row that stays, and
 * is read like one that moves, is copied. Returns the own weight. */
INLINE_BODY float pull_row(const sweep_args *a, const kind how, const work *w, const float *single,
                           double mass, float *held, int slot, const team on) {
    const int64_t stride = a->work.stride;
    const float *h = a->h + w->row.u * stride;
    const places at = places_of(a, how, w, held, slot);
    pull by = {0, 0, 0};
    for (int64_t panel = 0; panel < stride; panel += on.group * 4) {
        int64_t k = panel + on.lane * 4, column = k < stride ? k : 0;
        four old = load_four(h + column);
        if (!w->there) {
            if (k < stride && w->kept) *(four *)(at.to + k) = old;
            continue;
        }
        four z = w->row.wide < 0 ? sum_links(&a->work, &w->row, how.storage, column, on)
                                 : sum_pieces(&a->work, &w->row, column);
        if (panel == 0) by = pull_of(a, how, mass, &w->row);
        if (k >= stride) continue;
        four s = load_four(single + k);
        z.x = z.x * by.degree - s.x + by.own * old.x;
        z.y = z.y * by.degree - s.y + by.own * old.y;
        z.z = z.z * by.degree - s.z + by.own * old.z;
        z.w = z.w * by.degree - s.w + by.own * old.w;
        *(four *)(at.z + k) = z;
        if (how.held) *(four *)(held + slot * stride + k) = old;
    }
    return by.keep;
}

/* The own weight of a row, or theta; its divisor; and (softmax) its largest z. */
typedef struct measure {
    float keep, inverse, stay, top; /* stay: 1 where nothing pulls */
} measure;

/* The new number of a column. */
INLINE_BODY float moved_to(const sweep_args *a, const kind how, const measure *by, float old,
                           float z) {
    float now;
    if (how.softmax) {
        now = tilted(old, by->keep * (z - by->top)) * by->inverse;
        now = now > 1e-30f ? now : 0;
    } else {
        now = (z + by->keep * old) * by->inverse + by->stay * old;
    }
    return cafe_round_to(how.storage == ANY_STORAGE ? a->storage : how.storage, now);
}

INLINE_BODY void write_four(const sweep_args *a, float *to, uint16_t *packed, four row) {
    *(four *)to = row;
    if (!packed) return;
    four_packed small = {cafe_pack(a->storage, row.x), cafe_pack(a->storage, row.y),
                         cafe_pack(a->storage, row.z), cafe_pack(a->storage, row.w)};
    *(four_packed *)packed = small;
}

/* Writes the new row, and adds its change to S: for a row of one panel in `shift`, else at once. */
INLINE_BODY void write_row(const sweep_args *a, const kind how, const work *w, const places *at,
                           const measure *by, double *totals, double *shift, const team on) {
    const int64_t stride = a->work.stride;
    const double p = w->row.p;
    uint16_t *packed = how.storage != CAFE_STORAGE_FLOAT32 && a->packed && !w->kept
                           ? a->packed + w->row.u * stride
                           : NULL;
    for (int64_t k = on.lane * 4; k < stride; k += on.group * 4) {
        four old = load_four(at->h + k), z = load_four(at->z + k), now;
        now.x = moved_to(a, how, by, old.x, z.x);
        now.y = moved_to(a, how, by, old.y, z.y);
        now.z = moved_to(a, how, by, old.z, z.z);
        now.w = moved_to(a, how, by, old.w, z.w);
        write_four(a, at->to + k, packed ? packed + k : NULL, now);
        const double add[4] = {
            cafe_to_grid(p * ((double)now.x - old.x)), cafe_to_grid(p * ((double)now.y - old.y)),
            cafe_to_grid(p * ((double)now.z - old.z)), cafe_to_grid(p * ((double)now.w - old.w))};
        UNROLL
        for (int i = 0; i < 4; i++) {
            if (!how.held || stride > 4 * WARP)
                ADD(&totals[k + i], add[i]);
            else
                shift[i * WARP] += add[i];
        }
    }
}

/* A team of threads has a row. z takes its place first; then the lanes of
 *
 *     sphere   v = z + keep h, ||v||^2; h <- v / ||v||
 *     softmax  the largest z in use; v_k = h_k exp(theta (z_k - top)), their sum; h <- v / sum
 *
 * and of <z, Delta> and ||Delta||^2. All that is added up over rows is exact, so that warps may
 * take them as they come. */
INLINE_BODY void move_all(const sweep_args *a, int64_t block, const kind how) {
    enum { LANES = 2 * WARP }; /* of all rows of a warp together, at most */
    SHARED(int, last, WARP);
    SHARED(float, first, LANES);
    SHARED(float, second, LANES);
    SHARED(float, held, 2 * HELD); /* old rows; z */
    SHARED(float, means, HELD);    /* S, scaled for reading */
    SHARED(double, shift, 4 * WARP);
    SHARED(double, gain, 2 * WARP);
    OWN(work, on, 1);
    OWN(row_at_work, after, 1);
    OWN(measure, by, 1);
    const int64_t stride = a->work.stride;
    const int group = how.group, lanes = lanes_of(stride), across = WARP / group;
    const int64_t pieces = piece_items(&a->work, across), items = all_items(&a->work, across);
    const double mass = *a->mass;
    const float *single = how.held ? means : a->single;
    double *totals = a->totals + block % COPIES * stride;
    int next = NEXT(a->work.taken);
    int64_t item = TAKEN(next);
    next = NEXT(a->work.taken);
    WARP_THREADS(t) {
        for (int i = 0; i < 4; i++) shift[i * WARP + t] = 0;
        for (int i = 0; i < 2; i++) gain[i * WARP + t] = 0;
        for (int64_t k = t; how.held && k < stride; k += WARP) means[k] = a->single[k];
        last[t] = 0;
        MINE(after, t)[0] = take_row(&a->work, item, t, group);
        read_row(&a->work, MINE(after, t), team_of(t, group));
    }
    SYNC_ROW();
    while (item < items) {
        const int64_t then = TAKEN(next);
        WARP_THREADS(t) {
            MINE(on, t)[0].row = MINE(after, t)[0];
            MINE(after, t)[0] = take_row(&a->work, then, t, group);
        }
        if (item < pieces) {
            WARP_THREADS(t)
            sum_piece(&a->work, &MINE(on, t)[0].row, how.storage, team_of(t, group));
            SYNC_ROW();
            WARP_THREADS(t) {
                if (t % group == 0) last[t / group] = was_last(&a->work, &MINE(on, t)[0].row);
            }
            SYNC_ROW();
        }
        WARP_THREADS(t) {
            work *w = MINE(on, t);
            if (w->row.wide >= 0 && !last[t / group]) w->row.i = -1;
            set_work(a, w);
            measure *m = MINE(by, t);
            if (w->row.i >= 0)
                m->keep = pull_row(a, how, w, single, mass, held, t / group, team_of(t, group));
            read_row(&a->work, MINE(after, t), team_of(t, group));
        }
        next = NEXT(a->work.taken);
        SYNC_ROW();
        if (how.softmax) {
            WARP_THREADS(t) {
                const work *w = MINE(on, t);
                const places at = places_of(a, how, w, held, t / group);
                for (int l = t % group; w->there && l < lanes; l += group) {
                    float most = -3e38f;
                    for (int64_t k = l; k < stride; k += lanes)
                        if (at.h[k] > 0 && at.z[k] > most) most = at.z[k];
                    second[t / group * lanes + l] = most;
                }
            }
            SYNC_ROW();
        }
        WARP_THREADS(t) {
            const work *w = MINE(on, t);
            if (!w->there) continue;
            const places at = places_of(a, how, w, held, t / group);
            float keep = MINE(by, t)[0].keep, most = -3e38f;
            for (int l = 0; how.softmax && l < lanes; l++) {
                float here = second[t / group * lanes + l];
                most = here > most ? here : most;
            }
            MINE(by, t)[0].top = most;
            for (int l = t % group; l < lanes; l += group) {
                float sum = 0;
                for (int64_t k = l; k < stride; k += lanes) {
                    float h = at.h[k], z = at.z[k];
                    float v = how.softmax ? tilted(h, keep * (z - most)) : z + keep * h;
                    sum += how.softmax ? v : v * v;
                }
                first[t / group * lanes + l] = sum;
            }
        }
        SYNC_ROW();
        WARP_THREADS(t) {
            if (!MINE(on, t)[0].there) continue;
            float all = (float)add_lanes(lanes, first + t / group * lanes);
            float norm = how.softmax ? all : sqrtf(all);
            MINE(by, t)[0].inverse = how.softmax || norm > 1e-18f ? 1 / norm : 0;
            MINE(by, t)[0].stay = norm > 1e-18f ? 0 : 1;
        }
        SYNC_ROW();
        WARP_THREADS(t) {
            const work *w = MINE(on, t);
            const places at = places_of(a, how, w, held, t / group);
            for (int l = t % group; w->there && l < lanes; l += group) {
                float linear = 0, moved = 0;
                for (int64_t k = l; k < stride; k += lanes) {
                    float old = at.h[k], z = at.z[k];
                    float delta = moved_to(a, how, MINE(by, t), old, z) - old;
                    linear += z * delta;
                    moved += delta * delta;
                }
                first[t / group * lanes + l] = linear;
                second[t / group * lanes + l] = moved;
            }
        }
        SYNC_ROW();
        WARP_THREADS(t) {
            const work *w = MINE(on, t);
            if (!w->there) continue;
            const places at = places_of(a, how, w, held, t / group);
            write_row(a, how, w, &at, MINE(by, t), totals, shift + t, team_of(t, group));
            if (t % group > 0) continue;
            if (w->kept) a->kept[COUNT(a->count)] = w->row.i;
            const double p = w->row.p; /* the unit is a power of two: no rounding */
            const float *linear = first + t / group * lanes, *moved = second + t / group * lanes;
            gain[t] += cafe_to_grid(p * add_lanes(lanes, linear) * a->per_unit);
            gain[WARP + t] += cafe_to_grid(p * p * add_lanes(lanes, moved) * a->per_unit);
        }
        SYNC_ROW();
        item = then;
    }
    WARP_THREADS(t) {
        cafe_gains *gains = a->gains + block % COPIES;
        for (int i = 0; i < 4; i++)
            if (shift[i * WARP + t] != 0) ADD(&totals[t % group * 4 + i], shift[i * WARP + t]);
        if (gain[t] != 0) ADD(&gains->linear, gain[t]);
        if (gain[WARP + t] != 0) ADD(&gains->square, gain[WARP + t]);
    }
}

/* Rows of 65 to 128 floats on the sphere, by their storage. */
BODY void move_rows_body(const sweep_args *a, int64_t block) {
    const kind how = {WARP, 0, 1, CAFE_STORAGE_FLOAT32};
    move_all(a, block, how);
}

BODY void move_float16_rows_body(const sweep_args *a, int64_t block) {
    const kind how = {WARP, 0, 1, CAFE_STORAGE_FLOAT16};
    move_all(a, block, how);
}

BODY void move_bfloat16_rows_body(const sweep_args *a, int64_t block) {
    const kind how = {WARP, 0, 1, CAFE_STORAGE_BFLOAT16};
    move_all(a, block, how);
}

BODY void move_any_rows_body(const sweep_args *a, int64_t block) {
    const kind how = {row_threads(a->work.stride), a->softmax, a->work.stride <= HELD, ANY_STORAGE};
    move_all(a, block, how);
}

/* ---- edges inside the chunk ------------------------------------------------------------------ */

/* Lane l of <x - old_x, y - old_y>. */
BODY float lane_moves(int64_t stride, int lanes, int lane, const float *x, const float *old_x,
                      const float *y, const float *old_y) {
    float sum = 0;
    for (int64_t k = lane; k < stride; k += lanes) sum += (x[k] - old_x[k]) * (y[k] - old_y[k]);
    return sum;
}

/* Blocks share the edges; the rows of their ends are all kept. */
BODY void sum_inner_body(const sweep_args *a, int64_t block) {
    SHARED(float, dots, BLOCK);
    SHARED(double, inner, BLOCK);
    const nodes *range = &a->work.range;
    const int64_t stride = a->work.stride, end = a->inner_offsets[range->count];
    const int lanes = lanes_of(stride), across = BLOCK / lanes;
    int64_t link = a->inner_offsets[0] + block * across;
    if (link >= end) return;
    THREADS(t) inner[t] = 0;
    for (; link < end; link += a->blocks * across) {
        THREADS(t) {
            int64_t j = link + t / lanes;
            if (j >= end) continue;
            int64_t one = a->inner_owners[j], other = a->inner_targets[j];
            int64_t u = range->first + one * range->step, w = range->first + other * range->step;
            dots[t] = lane_moves(stride, lanes, t % lanes, a->rows + one * stride,
                                 a->h + u * stride, a->rows + other * stride, a->h + w * stride);
        }
        SYNC();
        THREADS(t) {
            int64_t j = link + t;
            if (t >= across || j >= end) continue;
            inner[t] += cafe_inner_share(a->inner_weights ? a->inner_weights[j] : 1,
                                         add_lanes(lanes, dots + t * lanes), a->total, a->unit);
        }
        SYNC();
    }
    THREADS(t) {
        if (t == 0) ADD(&a->gains->inner, add_column(0, inner, 1, across));
    }
}

/* ---- S and the rows -------------------------------------------------------------------------- */

/* The first block updates S; the others write the kept rows to their places, one row per warp. */
BODY void settle_body(const sweep_args *a, int64_t block) {
    const int64_t stride = a->work.stride;
    THREADS(t) {
        for (int64_t k = t; block == 0 && k < stride; k += BLOCK) {
            a->s[k] += add_column(0, a->totals + k, stride, COPIES);
            a->single[k] = (float)(a->expected * a->s[k]);
        }
        int64_t at = block > 0 ? (block - 1) * (BLOCK / WARP) + t / WARP : *a->count;
        for (; at < *a->count; at += a->blocks * (BLOCK / WARP)) {
            int64_t i = a->kept[at], u = a->work.range.first + i * a->work.range.step;
            for (int64_t k = t % WARP * 4; k < stride; k += WARP * 4)
                write_four(a, a->h + u * stride + k, a->packed ? a->packed + u * stride + k : NULL,
                           load_four(a->rows + i * stride + k));
        }
    }
}

/* ---- the growth of the objective ------------------------------------------------------------- */

/* A block has one chunk: it adds the squares of the change of S in the order of the columns, then
 * the sums of the chunk. */
BODY void sum_gains_body(const sum_gains_args *a, int64_t block) {
    SHARED(double, terms, BLOCK);
    OWN(double, squares, 1); /* of thread 0 */
    THREADS(t) MINE(squares, t)[0] = 0;
    for (int64_t from = 0; from < a->stride; from += BLOCK) {
        THREADS(t) {
            if (from + t >= a->stride) continue;
            const double *copies = a->totals + block * COPIES * a->stride + from + t;
            double total = add_column(0, copies, a->stride, COPIES);
            terms[t] = total * total;
        }
        SYNC();
        THREADS(t) {
            int count = a->stride - from < BLOCK ? (int)(a->stride - from) : BLOCK;
            if (t == 0) MINE(squares, t)[0] = add_column(MINE(squares, t)[0], terms, 1, count);
        }
        SYNC();
    }
    THREADS(t) {
        if (t > 0) continue;
        cafe_gains all = {0, 0, 0};
        for (int i = 0; i < COPIES; i++) {
            cafe_gains some = a->gains[block * COPIES + i];
            all.linear += some.linear, all.square += some.square, all.inner += some.inner;
        }
        a->growths[block] =
            cafe_chunk_gain(a->unit, a->expected, a->sign, all, MINE(squares, t)[0]);
    }
}

/* The chunks in their order. */
BODY void add_gains_body(const sum_gains_args *a, int64_t block) {
    (void)block;
    THREADS(t) {
        if (t == 0) *a->gain = add_column(*a->gain, a->growths, 1, a->chunks);
    }
}
