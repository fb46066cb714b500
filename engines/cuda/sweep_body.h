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

/* A group of threads has a row. z = sum / d - s + own h takes the row's place; then the lanes of
 *
 *     sphere   v = z + keep h, ||v||^2; h <- v / ||v||
 *     softmax  the largest z in use; v_k = h_k exp(theta (z_k - top)), their sum; h <- v / sum
 *
 * and of <z, Delta> and ||Delta||^2. */
BODY void move_rows_body(const sweep_args *a, int64_t block) {
    enum { LANES = 1024 }; /* of all rows of a block together, at most */
    SHARED(float, first, LANES);
    SHARED(float, second, LANES);
    OWN(pull, how, 1);
    OWN(float, top, 1);
    const int64_t stride = a->stride;
    const int group = row_threads(stride), lanes = lanes_of(stride), across = BLOCK / group;
    const int64_t base = block * across;
    THREADS(t) {
        int64_t i = base + t / group, u = a->range.first + i * a->range.step;
        if (i >= a->range.count) continue;
        const float *h = a->h + u * stride;
        float *row = a->rows + i * stride;
        int stays = !moves(a, u);
        if (!stays) MINE(how, t)[0] = pull_of(a, i, u);
        const pull *by = &MINE(how, t)[0];
        for (int64_t k = t % group * 4; k < stride; k += group * 4) {
            four old = load_four(h + k), z = old;
            if (!stays) {
                four s = load_four(a->single + k);
                z = sum_links(&a->links, &a->wide, a->h, stride, i, u, k);
                z.x = z.x * by->degree - s.x + by->own * old.x;
                z.y = z.y * by->degree - s.y + by->own * old.y;
                z.z = z.z * by->degree - s.z + by->own * old.z;
                z.w = z.w * by->degree - s.w + by->own * old.w;
            }
            *(four *)(row + k) = z;
        }
    }
    SYNC_ROW();
    if (a->softmax) {
        THREADS(t) {
            int64_t i = base + t / group, u = a->range.first + i * a->range.step;
            if (i >= a->range.count || !moves(a, u)) continue;
            const float *h = a->h + u * stride, *row = a->rows + i * stride;
            for (int l = t % group; l < lanes; l += group) {
                float most = -3e38f;
                for (int64_t k = l; k < stride; k += lanes)
                    if (h[k] > 0 && row[k] > most) most = row[k];
                second[t / group * lanes + l] = most;
            }
        }
        SYNC_ROW();
    }
    THREADS(t) {
        int64_t i = base + t / group, u = a->range.first + i * a->range.step;
        if (i >= a->range.count || !moves(a, u)) continue;
        const float *h = a->h + u * stride, *row = a->rows + i * stride;
        float keep = MINE(how, t)[0].keep, most = -3e38f;
        for (int l = 0; a->softmax && l < lanes; l++) {
            float here = second[t / group * lanes + l];
            most = here > most ? here : most;
        }
        MINE(top, t)[0] = most;
        for (int l = t % group; l < lanes; l += group) {
            float sum = 0;
            for (int64_t k = l; k < stride; k += lanes) {
                float v = a->softmax ? tilted(h[k], keep * (row[k] - most)) : row[k] + keep * h[k];
                sum += a->softmax ? v : v * v;
            }
            first[t / group * lanes + l] = sum;
        }
    }
    SYNC_ROW();
    OWN(float, scale, 2); /* of v; of h where nothing pulls */
    THREADS(t) {
        int64_t i = base + t / group;
        if (i >= a->range.count || !moves(a, a->range.first + i * a->range.step)) continue;
        float size = (float)add_lanes(lanes, first + t / group * lanes);
        float norm = a->softmax ? size : sqrtf(size);
        MINE(scale, t)[0] = a->softmax || norm > 1e-18f ? 1 / norm : 0;
        MINE(scale, t)[1] = norm > 1e-18f ? 0 : 1;
    }
    SYNC_ROW();
    THREADS(t) {
        int64_t i = base + t / group, u = a->range.first + i * a->range.step;
        if (i >= a->range.count || !moves(a, u)) continue;
        const float *h = a->h + u * stride;
        float *row = a->rows + i * stride, keep = MINE(how, t)[0].keep;
        float inverse = MINE(scale, t)[0], stay = MINE(scale, t)[1], most = MINE(top, t)[0];
        for (int l = t % group; l < lanes; l += group) {
            float linear = 0, moved = 0;
            for (int64_t k = l; k < stride; k += lanes) {
                float old = h[k], z = row[k], now;
                if (a->softmax) {
                    now = tilted(old, keep * (z - most)) * inverse;
                    now = now > 1e-30f ? now : 0;
                } else {
                    now = (z + keep * old) * inverse + stay * old;
                }
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
        int64_t i = base + t / group, u = a->range.first + i * a->range.step;
        if (i >= a->range.count || t % group > 0) continue;
        double p = a->links.p[u], *out = a->moves + 2 * i;
        int stays = !moves(a, u), at = t / group * lanes;
        out[0] = stays ? 0 : p * add_lanes(lanes, first + at);
        out[1] = stays ? 0 : p * p * add_lanes(lanes, second + at);
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

/* A block has a task: the sum of its nodes' moves, S of it, and the links inside the chunk. */
BODY void sum_tasks_body(const sweep_args *a, int64_t block) {
    SHARED(float, dots, BLOCK);
    SHARED(double, terms, BLOCK);
    OWN(double, sum, 1);
    const int64_t stride = a->stride, from = block * TASK;
    const int64_t to = from + TASK < a->range.count ? from + TASK : a->range.count;
    const int lanes = lanes_of(stride), across = BLOCK / lanes;
    THREADS(t) {
        for (int64_t k = t; k < stride; k += BLOCK) {
            double shift = 0;
            for (int64_t i = from; i < to; i++) {
                int64_t u = a->range.first + i * a->range.step;
                if (moves(a, u))
                    shift +=
                        a->links.p[u] * ((double)a->rows[i * stride + k] - a->h[u * stride + k]);
            }
            a->shifts[block * stride + k] = shift;
        }
        MINE(sum, t)[0] = 0;
    }
    if (a->inner_offsets) {
        const int64_t end = a->inner_offsets[to];
        for (int64_t first = a->inner_offsets[from]; first < end; first += across) {
            THREADS(t) {
                int64_t j = first + t / lanes, low = from, high = to - 1;
                if (j >= end) continue;
                while (low < high) { /* the last node whose links do not begin behind j */
                    int64_t middle = (low + high + 1) / 2;
                    if (a->inner_offsets[middle] <= j)
                        low = middle;
                    else
                        high = middle - 1;
                }
                int64_t other = a->inner_targets[j];
                int64_t u = a->range.first + low * a->range.step;
                int64_t w = a->range.first + other * a->range.step;
                dots[t] =
                    lane_moves(stride, lanes, t % lanes, a->rows + low * stride, a->h + u * stride,
                               a->rows + other * stride, a->h + w * stride);
            }
            SYNC();
            THREADS(t) {
                int64_t j = first + t;
                if (t >= across || j >= end) continue;
                terms[t] = (a->inner_weights ? a->inner_weights[j] : 1) *
                           add_lanes(lanes, dots + t * lanes);
            }
            SYNC();
            THREADS(t) {
                for (int i = 0; t == 0 && i < across && first + i < end; i++)
                    MINE(sum, t)[0] += terms[i];
            }
            SYNC();
        }
    }
    THREADS(t) {
        if (t > 0) continue;
        double linear = 0, square = 0;
        for (int64_t i = from; i < to; i++) {
            linear += a->moves[2 * i];
            square += a->moves[2 * i + 1];
        }
        a->tasks[block].linear = linear;
        a->tasks[block].square = square;
        a->tasks[block].inner = 2 * MINE(sum, t)[0];
    }
}

/* ---- S and the rows -------------------------------------------------------------------------- */

/* What the tasks found, in their order. */
BODY double sum_parts(const sweep_args *a, int64_t tasks) {
    double sum = 0;
    for (int64_t i = 0; i < tasks; i++) {
        const task_sums *of = &a->tasks[i];
        sum += 2 * of->linear + a->expected * of->square + a->sign * of->inner / a->total;
    }
    return sum;
}

/* Block 0: the tasks in their order; the others write rows. */
BODY void settle_body(const sweep_args *a, int64_t block) {
    const int64_t stride = a->stride, tasks = (a->range.count + TASK - 1) / TASK;
    if (block > 0) {
        int64_t from = (block - 1) * WRITE * stride, end = a->range.count * stride;
        if (end > from + WRITE * stride) end = from + WRITE * stride;
        THREADS(t) {
            for (int64_t at = from + t * 4; at < end; at += BLOCK * 4) {
                int64_t u = a->range.first + at / stride * a->range.step;
                *(four *)(a->h + u * stride + at % stride) = load_four(a->rows + at);
            }
        }
        return;
    }
    SHARED(double, parts, 1);
    parts[0] = 0;
    SYNC();
    THREADS(t) {
        if (t == BLOCK - 1) parts[0] = sum_parts(a, tasks);
        for (int64_t k = t; k < stride; k += BLOCK) {
            double total = a->shifts[k];
            UNROLL_BY_16
            for (int64_t i = 1; i < tasks; i++) total += a->shifts[i * stride + k];
            a->shifts[k] = total;
            a->s[k] += total;
            ((float *)a->single)[k] = (float)(a->expected * a->s[k]);
        }
    }
    SYNC();
    THREADS(t) {
        if (t > 0) continue;
        double gain = parts[0];
        for (int64_t k = 0; k < stride; k++) gain -= a->expected * a->shifts[k] * a->shifts[k];
        *a->gain += gain;
    }
}
