/* R-MAT, the recursive matrix (Chakrabarti, Zhan, Faloutsos, SDM 2004).
 *
 * An edge falls into a quarter of the matrix with probabilities a, b, c, d. Then it falls into a
 * quarter of that, down to one entry of the smallest 2^levels square that holds all nodes. Entries
 * outside the nodes are drawn again, so the number of nodes need not be a power of two. A random
 * permutation of the ids follows, as in Graph500, and spreads the busy nodes over all ids.
 */
#include "base/memory.h"
#include "generate/generate.h"

enum { MOST_ATTEMPTS = 64, PER_DRAW = 4, MOST_DRAWS = 8 };

typedef struct rmat {
    uint64_t seed;
    int64_t n;
    int levels;
    const int32_t *order;
} rmat;

/* a = 0.57, b = 0.19, c = 0.19, d = 0.05: a, a+b and a+b+c of 2^32 */
static const uint32_t below_a = 2448131359u, below_b = 3264175145u, below_c = 4080218931u;

static void draw_entry(const rmat *m, uint64_t stream, uint64_t index, int64_t *u, int64_t *w) {
    cafe_random4 r = {{0}};
    *u = *w = 0;
    for (int level = 0; level < m->levels; level++) {
        int lane = level % PER_DRAW;
        if (lane == 0)
            r = cafe_philox(m->seed, stream, index * MOST_DRAWS + (uint64_t)(level / PER_DRAW));
        uint32_t x = r.v[lane];
        int down = x >= below_b, right = x >= below_c || (x >= below_a && x < below_b);
        *u = 2 * *u + down;
        *w = 2 * *w + right;
    }
}

/* At worst 57% of the square lies within the nodes; 64 attempts leave 1e-23 of them outside, which
 * become loops and are drawn again with the next edges. */
static void draw(const void *model, int kind, uint64_t index, int32_t *u, int32_t *w) {
    const rmat *m = model;
    int64_t x = 0, y = 0;
    (void)kind;
    for (uint64_t attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
        draw_entry(m, CAFE_STREAM_ATTEMPTS + attempt, index, &x, &y);
        if (x < m->n && y < m->n) break;
    }
    bool within = x < m->n && y < m->n;
    *u = m->order[within ? x : 0];
    *w = m->order[within ? y : 0];
}

cafe_status cafe_generate_rmat(cafe_context *context, const cafe_generate_options *options,
                               cafe_graph **graph) {
    int32_t *order = cafe_mem(context, options->nodes, sizeof *order);
    rmat m = {.seed = context->seed, .n = options->nodes, .order = order};
    cafe_drawing d = {.nodes = m.n, .wanted = {options->edges, 0}, .draw = draw, .model = &m};
    cafe_status status = order ? CAFE_OK : CAFE_ERROR_MEMORY;
    if (!order) goto done;
    while ((int64_t)1 << m.levels < m.n) m.levels++;
    CAFE_TRY(cafe_generate_order(context, m.n, order));
    CAFE_TRY(cafe_generate_links(context, &d, graph));
done:
    cafe_mem_free(context, order);
    return status;
}
