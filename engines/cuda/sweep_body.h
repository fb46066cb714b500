/* One chunk of a sweep: the new rows, what its tasks add up, then S and the rows themselves. */

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

/* How a node is pulled (kernels/rows.h), and what it keeps, or theta. */
typedef struct pull {
    float degree, own, keep;
} pull;

/* c_u / p_u (operator/chunks.h) */
BODY double shift_of(const sweep_args *a, int64_t i, double p) {
    double inner = a->inner ? a->inner[i] : 0, apart = *a->mass - p;
    double together = a->together ? p : 0, size = a->kappa < 0 ? -a->kappa : a->kappa;
    double shift = inner + a->resolution * size * (a->kappa < 0 ? apart : together);
    return shift > 0 ? shift : 0;
}

BODY float theta_of(const sweep_args *a, float degree, float shift) {
    double theta = a->theta;
    if (a->mean_degree > 0) theta /= degree * a->mean_degree;
    if (shift > 0 && !(theta < 4 / (double)shift)) theta = 4 / (double)shift;
    return (float)(theta < 1e30 ? theta : 1e30);
}

BODY pull pull_of(const sweep_args *a, int64_t i, int64_t u) {
    double p = a->links.p[u], degree = 1 / (p * a->total);
    double loop = a->links.loops ? a->links.loops[u] * degree : 0;
    float shift = (float)shift_of(a, i, p);
    pull out;
    out.degree = (float)(a->sign * degree);
    out.own = (float)(a->expected * p - a->sign * loop);
    out.keep = a->softmax ? theta_of(a, (float)degree, shift) : shift + (float)a->gamma;
    return out;
}

BODY int moves(const sweep_args *a, int64_t u) {
    return a->links.p[u] > 0 && !(a->fixed && a->fixed[u]);
}

/* ---- new rows -------------------------------------------------------------------------------- */

/* A row's numbers are kept beside the threads where there is room for the rows of a block. */
enum { HELD = 4096, HELD_STRIDE = 512 };

/* A row at work: number i of the chunk, node u; the old row, and z. */
typedef struct work {
    int64_t i, u;
    int there; /* it is a row of the chunk, and moves */
    const float *h;
    float *z;
} work;

BODY work work_of(const sweep_args *a, int64_t block, int t, int group, float *olds, float *zs) {
    work w;
    int64_t stride = a->stride;
    w.i = block * (BLOCK / group) + t / group;
    w.u = a->range.first + w.i * a->range.step;
    w.there = w.i < a->range.count && moves(a, w.u);
    w.h = stride > HELD_STRIDE ? a->h + w.u * stride : olds + t / group * stride;
    w.z = stride > HELD_STRIDE ? a->rows + w.i * stride : zs + t / group * stride;
    return w;
}

/* z = sum / d - s + own h, four columns at a time; a row that stays is copied. */
BODY void pull_row(const sweep_args *a, const work *w, const pull *by, float *olds, team on) {
    int64_t stride = a->stride;
    const float *h = a->h + w->u * stride;
    const stored rows = {a->h, a->packed, a->storage};
    for (int64_t panel = 0; panel < stride; panel += on.group * 4) {
        int64_t k = panel + on.lane * 4, column = k < stride ? k : 0;
        four old = load_four(h + column);
        if (w->there) {
            four s = load_four(a->single + column);
            four z = sum_links(&a->links, &a->wide, &rows, stride, w->i, w->u, column, on);
            z.x = z.x * by->degree - s.x + by->own * old.x;
            z.y = z.y * by->degree - s.y + by->own * old.y;
            z.z = z.z * by->degree - s.z + by->own * old.z;
            z.w = z.w * by->degree - s.w + by->own * old.w;
            if (k < stride) *(four *)(w->z + k) = z;
            if (k < stride && stride <= HELD_STRIDE) *(four *)(olds + k) = old;
        } else if (k < stride) {
            *(four *)(a->rows + w->i * stride + k) = old;
        }
    }
}

/* A team of threads has a row. z takes its place first; then the lanes of
 *
 *     sphere   v = z + keep h, ||v||^2; h <- v / ||v||
 *     softmax  the largest z in use; v_k = h_k exp(theta (z_k - top)), their sum; h <- v / sum
 *
 * and of <z, Delta> and ||Delta||^2. Teams go from row to row, so that none waits for the longest
 * of its block. */
BODY void move_rows_body(const sweep_args *a, int64_t block) {
    enum { LANES = 1024 }; /* of all rows of a block together, at most */
    SHARED(float, first, LANES);
    SHARED(float, second, LANES);
    SHARED_FOURS(olds, HELD);
    SHARED_FOURS(zs, HELD);
    OWN(pull, how, 1);
    OWN(work, on, 1);
    OWN(float, top, 1);
    OWN(float, scale, 2); /* of v; of h where nothing pulls */
    const int64_t stride = a->stride;
    const int group = row_threads(stride), lanes = lanes_of(stride), across = BLOCK / group;
    for (; block * across < a->range.count; block += a->blocks) {
        THREADS(t) {
            work *w = &MINE(on, t)[0];
            *w = work_of(a, block, t, group, olds, zs);
            if (w->there) MINE(how, t)[0] = pull_of(a, w->i, w->u);
            if (w->i < a->range.count)
                pull_row(a, w, &MINE(how, t)[0], olds + t / group * stride, team_of(t, group));
        }
        SYNC_ROW();
        if (a->softmax) {
            THREADS(t) {
                const work *w = &MINE(on, t)[0];
                for (int l = t % group; w->there && l < lanes; l += group) {
                    float most = -3e38f;
                    for (int64_t k = l; k < stride; k += lanes)
                        if (w->h[k] > 0 && w->z[k] > most) most = w->z[k];
                    second[t / group * lanes + l] = most;
                }
            }
            SYNC_ROW();
        }
        THREADS(t) {
            const work *w = &MINE(on, t)[0];
            if (!w->there) continue;
            float keep = MINE(how, t)[0].keep, most = -3e38f;
            for (int l = 0; a->softmax && l < lanes; l++) {
                float here = second[t / group * lanes + l];
                most = here > most ? here : most;
            }
            MINE(top, t)[0] = most;
            for (int l = t % group; l < lanes; l += group) {
                float sum = 0;
                for (int64_t k = l; k < stride; k += lanes) {
                    float h = w->h[k], z = w->z[k];
                    float v = a->softmax ? tilted(h, keep * (z - most)) : z + keep * h;
                    sum += a->softmax ? v : v * v;
                }
                first[t / group * lanes + l] = sum;
            }
        }
        SYNC_ROW();
        THREADS(t) {
            if (!MINE(on, t)[0].there) continue;
            float size = (float)add_lanes(lanes, first + t / group * lanes);
            float norm = a->softmax ? size : sqrtf(size);
            MINE(scale, t)[0] = a->softmax || norm > 1e-18f ? 1 / norm : 0;
            MINE(scale, t)[1] = norm > 1e-18f ? 0 : 1;
        }
        SYNC_ROW();
        THREADS(t) {
            const work *w = &MINE(on, t)[0];
            if (!w->there) continue;
            float *row = a->rows + w->i * stride, keep = MINE(how, t)[0].keep;
            float inverse = MINE(scale, t)[0], stay = MINE(scale, t)[1], most = MINE(top, t)[0];
            for (int l = t % group; l < lanes; l += group) {
                float linear = 0, moved = 0;
                for (int64_t k = l; k < stride; k += lanes) {
                    float old = w->h[k], z = w->z[k], now;
                    if (a->softmax) {
                        now = tilted(old, keep * (z - most)) * inverse;
                        now = now > 1e-30f ? now : 0;
                    } else {
                        now = (z + keep * old) * inverse + stay * old;
                    }
                    now = cafe_round_to(a->storage, now);
                    float delta = now - old;
                    linear += z * delta;
                    moved += delta * delta;
                    row[k] = now;
                }
                first[t / group * lanes + l] = linear;
                second[t / group * lanes + l] = moved;
            }
        }
        SYNC_ROW();
        THREADS(t) {
            const work *w = &MINE(on, t)[0];
            if (w->i >= a->range.count || t % group > 0) continue;
            double p = a->links.p[w->u], *out = a->moves + 2 * w->i;
            int at = t / group * lanes;
            double linear = w->there ? p * add_lanes(lanes, first + at) : 0;
            double square = w->there ? p * p * add_lanes(lanes, second + at) : 0;
            out[0] = cafe_gain_share(linear, a->unit);
            out[1] = cafe_gain_share(square, a->unit);
        }
        SYNC_ROW();
    }
}

/* ---- tasks ----------------------------------------------------------------------------------- */

/* Lane l of <x - old_x, y - old_y>. */
BODY float lane_moves(int64_t stride, int lanes, int lane, const float *x, const float *old_x,
                      const float *y, const float *old_y) {
    float sum = 0;
    for (int64_t k = lane; k < stride; k += lanes) sum += (x[k] - old_x[k]) * (y[k] - old_y[k]);
    return sum;
}

/* Column k of S of a task: what stays has weight 0. */
BODY double sum_shift(const sweep_args *a, int64_t from, int count, const double *weights,
                      int64_t k) {
    const float *rows = a->rows + from * a->stride + k;
    const float *h = a->h + (a->range.first + from * a->range.step) * a->stride + k;
    int64_t far = a->range.step * a->stride;
    double shift = 0;
    for (int i = 0; i < count; i += AHEAD) {
        float now[AHEAD], old[AHEAD];
        UNROLL
        for (int s = 0; s < AHEAD; s++) {
            int at = i + s < count ? i + s : count - 1;
            now[s] = rows[at * a->stride], old[s] = h[at * far];
        }
        UNROLL
        for (int s = 0; s < AHEAD; s++)
            if (i + s < count) shift += cafe_to_grid(weights[i + s] * ((double)now[s] - old[s]));
    }
    return shift;
}

/* The task's node that link j belongs to: the last whose links do not begin behind it. */
BODY int owner_of(int count, const int64_t *offsets, int64_t j) {
    int low = 0, high = count - 1;
    while (low < high) {
        int middle = (low + high + 1) / 2;
        if (offsets[middle] <= j)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/* A block has a task: the sum of its nodes' moves, S of it, and the links inside the chunk. All
 * that it adds up is exact, so that blocks may add to the sums of the chunk as they come. */
BODY void sum_tasks_body(const sweep_args *a, int64_t block) {
    SHARED(float, dots, BLOCK);
    SHARED(double, inner, BLOCK);
    SHARED(double, weights, TASK);
    SHARED(double, found, 2 * TASK);
    SHARED(int64_t, offsets, TASK + 1);
    const int64_t stride = a->stride, from = block * TASK, left = a->range.count - from;
    const int lanes = lanes_of(stride), across = BLOCK / lanes,
              count = left < TASK ? (int)left : TASK;
    THREADS(t) {
        int64_t u = a->range.first + (from + t) * a->range.step;
        if (t < count) weights[t] = moves(a, u) ? a->links.p[u] : 0;
        if (t < 2 * count) found[t] = a->moves[2 * from + t];
        if (t <= count) offsets[t] = a->inner_offsets ? a->inner_offsets[from + t] : 0;
        inner[t] = 0;
    }
    SYNC();
    THREADS(t) {
        for (int64_t k = t; k < stride; k += BLOCK)
            ADD(&a->totals[k], sum_shift(a, from, count, weights, k));
    }
    for (int64_t link = offsets[0]; link < offsets[count]; link += across) {
        int64_t end = offsets[count];
        THREADS(t) {
            int64_t j = link + t / lanes;
            if (j >= end) continue;
            int64_t one = from + owner_of(count, offsets, j), other = a->inner_targets[j];
            int64_t u = a->range.first + one * a->range.step;
            int64_t w = a->range.first + other * a->range.step;
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
        if (t == 0) ADD(&a->gains->linear, add_column(0, found, 2, count));
        if (t == 1) ADD(&a->gains->square, add_column(0, found + 1, 2, count));
        if (t == 2 && offsets[0] < offsets[count])
            ADD(&a->gains->inner, add_column(0, inner, 1, across));
    }
}

/* ---- S and the rows -------------------------------------------------------------------------- */

/* Rows of the chunk go to their places. */
BODY void write_rows(const sweep_args *a, int64_t part) {
    const int64_t stride = a->stride, from = part * WRITE * stride;
    int64_t end = a->range.count * stride;
    if (end > from + WRITE * stride) end = from + WRITE * stride;
    THREADS(t) {
        for (int64_t at = from + t * 4; at < end; at += BLOCK * 4) {
            int64_t u = a->range.first + at / stride * a->range.step;
            four row = load_four(a->rows + at);
            *(four *)(a->h + u * stride + at % stride) = row;
            if (!a->packed) continue;
            four_packed packed = {cafe_pack(a->storage, row.x), cafe_pack(a->storage, row.y),
                                  cafe_pack(a->storage, row.z), cafe_pack(a->storage, row.w)};
            *(four_packed *)(a->packed + u * stride + at % stride) = packed;
        }
    }
}

/* The first block has S; the others write rows. */
BODY void settle_body(const sweep_args *a, int64_t block) {
    if (block > 0) {
        write_rows(a, block - 1);
        return;
    }
    THREADS(t) {
        for (int64_t k = t; k < a->stride; k += BLOCK) {
            a->s[k] += a->totals[k];
            a->single[k] = (float)(a->expected * a->s[k]);
        }
    }
}

/* ---- the growth of the objective ------------------------------------------------------------- */

/* A block has a chunk: the columns of what it adds to S in their order, then its sums. */
BODY void sum_gains_body(const sum_gains_args *a, int64_t block) {
    SHARED(double, terms, BLOCK);
    OWN(double, squares, 1); /* of thread 0 */
    THREADS(t) MINE(squares, t)[0] = 0;
    for (int64_t from = 0; from < a->stride; from += BLOCK) {
        THREADS(t) {
            if (from + t >= a->stride) continue;
            double total = a->totals[block * a->stride + from + t];
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
        a->growths[block] =
            cafe_chunk_gain(a->unit, a->expected, a->sign, a->gains[block], MINE(squares, t)[0]);
    }
}

/* The chunks in their order. */
BODY void add_gains_body(const sum_gains_args *a, int64_t block) {
    (void)block;
    THREADS(t) {
        if (t == 0) *a->gain = add_column(*a->gain, a->growths, 1, a->chunks);
    }
}
