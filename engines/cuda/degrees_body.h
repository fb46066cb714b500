/* Degrees: sums over the edges of a row, one after the other. */

/* The edges of row u, in double precision. Each thread of a warp reads one of 32 edges, and all of
 * them add up all: in the order of the row, though they are read at once. */
BODY double add_row(const links *q, int64_t u, int lane) {
    const int64_t end = q->offsets[u + 1];
    double sum = 0;
    for (int64_t j = q->offsets[u]; j < end; j += WARP) {
        int count = end - j < WARP ? (int)(end - j) : WARP;
        float weight = lane < count ? link_weight(q, u, j + lane) : 0;
        for (int i = 0; i < count; i++) sum += FROM_LANE(weight, i, WARP, link_weight(q, u, j + i));
    }
    return sum;
}

/* A warp has a row. */
BODY void sum_degrees_body(const sum_degrees_args *a, int64_t block) {
    THREADS(t) {
        int64_t u = block * (BLOCK / WARP) + t / WARP;
        if (u >= a->links.n) continue;
        double sum = add_row(&a->links, u, t % WARP);
        if (t % WARP == 0) a->degrees[u] = sum;
    }
}
