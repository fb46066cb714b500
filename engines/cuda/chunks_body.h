/* The edges and masses inside each chunk. */

/* The sum of p over a chunk, node by node; a thread a chunk. */
BODY void weigh_chunks_body(const chunks_args *a, int64_t block) {
    THREADS(t) {
        int64_t c = block * BLOCK + t;
        double sum = 0;
        if (c >= a->count) continue;
        int64_t first = c / a->step * a->block + c % a->step,
                size = a->starts[c + 1] - a->starts[c];
        UNROLL_BY_16
        for (int64_t i = 0; i < size; i++) sum += a->links.p[first + i * a->step];
        a->mass[c] = sum;
    }
}

/* A node's place among all in the order of chunks; the block it stands in. */
typedef struct spot {
    int64_t node, at, from, end;
} spot;

BODY spot find_spot(const chunks_args *a, int64_t u) {
    spot out;
    int64_t from = u / a->block * a->block, within = u - from;
    int64_t c = u / a->block * a->step + within % a->step;
    out.node = u, out.from = from, out.end = from + a->block;
    out.at = a->starts[c] + within / a->step;
    return out;
}

/* Is w another node of the same chunk? */
BODY int is_inside(const chunks_args *a, const spot *s, int64_t w) {
    int64_t far = w - s->node;
    if (far == 0 || w < s->from || w >= s->end) return 0;
    return (uint32_t)(far < 0 ? -far : far) % (uint32_t)a->step == 0;
}

/* Counts the edges of each node to later nodes of its chunk, and sets a_u / p_u. */
BODY void count_inside_body(const chunks_args *a, int64_t block) {
    const links *q = &a->links;
    THREADS(t) {
        int64_t u = block * BLOCK + t, kept = 0;
        double sum = 0;
        if (u >= q->n) continue;
        spot s = find_spot(a, u);
        for (int64_t j = q->offsets[u]; j < q->offsets[u + 1]; j += 8) {
            int64_t left = q->offsets[u + 1] - j;
            int32_t w[8];
            UNROLL
            for (int i = 0; i < 8; i++) w[i] = i < left ? q->targets[j + i] : (int32_t)u;
            UNROLL
            for (int i = 0; i < 8; i++) {
                if (!is_inside(a, &s, w[i])) continue;
                sum += cafe_row_weight(q->targets, q->weights, q->factor, u, j + i);
                kept += w[i] > u;
            }
        }
        a->offsets[s.at + 1] = kept;
        a->inner[s.at] = q->p[u] > 0 ? (float)(sum / (q->p[u] * a->total)) : 0;
    }
}

/* The edges themselves: both nodes as their numbers in the chunk. */
BODY void list_inside_body(const chunks_args *a, int64_t block) {
    const links *q = &a->links;
    THREADS(t) {
        int64_t u = block * BLOCK + t;
        if (u >= q->n) continue;
        spot s = find_spot(a, u);
        int64_t at = a->offsets[s.at], end = a->offsets[s.at + 1];
        for (int64_t j = q->offsets[u]; at < end; j++) {
            int64_t w = q->targets[j];
            if (w < u || !is_inside(a, &s, w)) continue;
            if (a->weights)
                a->weights[at] = cafe_row_weight(q->targets, q->weights, q->factor, u, j);
            a->owners[at] = (int32_t)((u - s.from) / a->step);
            a->targets[at++] = (int32_t)((w - s.from) / a->step);
        }
    }
}

/* ---- sums from the first number on ----------------------------------------------------------- */

enum { SCAN_EACH = SCAN / BLOCK };

BODY int64_t sum_some(const scan_args *a, int64_t first) {
    int64_t sum = 0;
    for (int64_t i = first; i < first + SCAN_EACH && i < a->count; i++) sum += a->numbers[i + 1];
    return sum;
}

BODY void scan_totals_body(const scan_args *a, int64_t block) {
    SHARED(int64_t, sums, BLOCK);
    THREADS(t) sums[t] = sum_some(a, block * SCAN + t * SCAN_EACH);
    SYNC();
    THREADS(t) {
        int64_t sum = 0;
        for (int i = 0; t == 0 && i < BLOCK; i++) sum += sums[i];
        if (t == 0) a->totals[block] = sum;
    }
}

BODY void scan_numbers_body(const scan_args *a, int64_t block) {
    SHARED(int64_t, sums, BLOCK);
    THREADS(t) sums[t] = sum_some(a, block * SCAN + t * SCAN_EACH);
    SYNC();
    THREADS(t) {
        int64_t first = block * SCAN + t * SCAN_EACH, sum = a->totals[block];
        for (int i = 0; i < t; i++) sum += sums[i];
        for (int64_t i = first; i < first + SCAN_EACH && i < a->count; i++) {
            sum += a->numbers[i + 1];
            a->numbers[i + 1] = sum;
        }
    }
}
