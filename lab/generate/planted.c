/* The degree-corrected planted partition with power-law degrees and block sizes.
 *
 * It is like the LFR benchmark (Lancichinetti, Fortunato, Radicchi, PRE 78, 2008): skewed degrees,
 * skewed block sizes, and about a share 1 - mixing of a node's edges inside its block. Unlike
 * there, only the expectations of the degrees are given (Karrer and Newman, PRE 83, 2011), so every
 * edge is drawn on its own:
 *
 *   node u has weight d_u = min(d t_u, cap_u), t_u Pareto with the exponent, d such that the
 *   weights sum to 2m
 *   an edge inside: u with probability d_u / 2m, then w of its block in proportion to d_w
 *   an edge between: u likewise, then w of the other blocks in proportion to d_w
 *
 * so node u expects 2m(1 - mixing) d_u/2m = (1 - mixing) d_u edges inside. The cap is sqrt(2m), up
 * to which a simple graph can have these degrees, and what the block has room for.
 *
 * Weights lie side by side in the order of the positions. A node is drawn if the random number
 * falls into its stretch. A table of evenly spaced starts leads there in a step or two. The k edges
 * of a kind draw their first end one from each k-th of the whole weight (stratified sampling). A
 * node's degree then varies less, and fewer nodes stay without an edge. Blocks are visited one
 * after the other, which keeps them in the cache. Edges drawn again draw it from the whole.
 */
#include <inttypes.h>
#include <math.h>

#include "base/memory.h"
#include "base/thread_pool.h"
#include "generate/blocks.h"

enum { ROOM = 6, NODES = 1 << 13, HALVINGS = 60 };
static const double block_room = 0.8; /* of its block a node may be linked with */

typedef struct planted {
    cafe_context *context;
    const cafe_generate_options *options;
    uint64_t seed;
    cafe_partition partition;
    float *tail;       /* t of the node at each position */
    double *sum;       /* sum[x]: weight of the positions before x; n + 1 */
    int32_t *guide;    /* guide[k]: the position whose stretch holds k/n of the whole weight */
    double scale;      /* d */
    double per_weight; /* stretches of the guide per unit of weight: n / sum[n] */
    int64_t wanted[2]; /* edges inside and between */
} planted;

/* ---- blocks and degrees ---------------------------------------------------------------------- */

/* Sizes follow a power law with exponent s between 1 and R times the smallest. For uniform U and a
 * = s - 1,
 *
 *     v = (1 - U (1 - R^-a))^(-1/a),   which is R^U for a -> 0 and 1 / (1 - U (1 - 1/R)) for s = 2.
 *
 * Every block has one node and a share v / sum v of the others.
 */
static double block_share(const planted *p, int64_t b) {
    cafe_random4 r = cafe_philox(p->seed, CAFE_STREAM_SIZES, (uint64_t)b);
    double u = cafe_uniform(r.v[0], r.v[1]), ratio = p->options->size_ratio;
    double a = p->options->size_exponent - 1;
    if (fabs(a) < 1e-6) return pow(ratio, u);
    return pow(1 - u * (1 - pow(ratio, -a)), -1 / a);
}

static void set_sizes(planted *p) {
    cafe_partition *q = &p->partition;
    double all = 0, before = 0;
    for (int64_t b = 0; b < q->blocks; b++) all += block_share(p, b);
    for (int64_t b = 0; b < q->blocks; b++) {
        q->start[b] = b + (int64_t)((double)(q->n - q->blocks) * (before / all));
        before += block_share(p, b);
    }
    q->start[q->blocks] = q->n;
}

/* The block of position x, by bisection of the starts. */
static int64_t block_at(const planted *p, int64_t x) {
    const int64_t *start = p->partition.start;
    int64_t low = 0;
    for (int64_t count = p->partition.blocks; count > 1; count -= count / 2)
        low = start[low + count / 2] <= x ? low + count / 2 : low;
    return low;
}

/* P(t > x) = x^-(exponent - 1) */
static void draw_tails(void *argument, int64_t first, int64_t last) {
    planted *p = argument;
    double power = -1 / (p->options->exponent - 1);
    for (int64_t x = first; x < last; x++) {
        cafe_random4 r = cafe_philox(p->seed, CAFE_STREAM_DEGREES, (uint64_t)x);
        p->tail[x] = (float)pow(1 - cafe_uniform(r.v[0], r.v[1]), power);
    }
}

static double cap_of_block(const planted *p, int64_t b) {
    const cafe_partition *q = &p->partition;
    double size = (double)(q->start[b + 1] - q->start[b]);
    double inside = q->blocks > 1 ? 1 - p->options->mixing : 1;
    double whole = sqrt(2 * (double)p->options->edges);
    return fmax(1, fmin(whole, block_room * (size - 1) / inside));
}

/* Weights of a stretch of positions and their sum, for the scale as it stands. */
static void set_weights(void *argument, int64_t first, int64_t last, double *all) {
    planted *p = argument;
    int64_t b = -1;
    double cap = 0;
    for (int64_t x = first; x < last; x++) {
        if (b < 0 || x >= p->partition.start[b + 1]) {
            b = block_at(p, x);
            cap = cap_of_block(p, b);
        }
        p->sum[x + 1] = fmin(p->scale * p->tail[x], cap);
        *all += p->sum[x + 1];
    }
}

static cafe_status weigh(planted *p, double scale, double *all) {
    p->scale = scale;
    *all = 0;
    return cafe_sums(p->context, p->partition.n, NODES, set_weights, p, 1, all);
}

/* Halves the interval of scales in which the weights reach 2m. */
static cafe_status find_scale(planted *p) {
    double goal = 2 * (double)p->options->edges, low = 0, high = sqrt(goal) + 1, all = 0;
    CAFE_PASS(weigh(p, high, &all)); /* every node at its cap, for t >= 1 */
    if (all < goal)
        return cafe_fail(p->context, CAFE_ERROR_ARGUMENT,
                         "%" PRId64 " edges are too many for power-law degrees of %" PRId64
                         " nodes in %" PRId64 " blocks (fewer edges, fewer blocks or more mixing)",
                         p->options->edges, p->partition.n, p->partition.blocks);
    for (int i = 0; i < HALVINGS && high - low > 1e-9 * high; i++) {
        double middle = (low + high) / 2;
        CAFE_PASS(weigh(p, middle, &all));
        if (all < goal)
            low = middle;
        else
            high = middle;
    }
    return weigh(p, high, &all);
}

/* ---- drawing --------------------------------------------------------------------------------- */

static void set_guide(planted *p) {
    int64_t n = p->partition.n, x = 0;
    p->sum[0] = 0;
    for (int64_t i = 0; i < n; i++) p->sum[i + 1] += p->sum[i];
    p->per_weight = (double)n / p->sum[n];
    for (int64_t k = 0; k < n; k++) {
        while (x < n - 1 && p->sum[x + 1] <= p->sum[n] * ((double)k / (double)n)) x++;
        p->guide[k] = (int32_t)x;
    }
}

/* The position within low .. high-1 whose stretch holds the value. */
static int64_t position_of(const planted *p, double value, int64_t low, int64_t high) {
    int64_t n = p->partition.n, k = (int64_t)(value * p->per_weight);
    int64_t x = p->guide[k < n ? k : n - 1];
    while (x > low && p->sum[x] > value) x--;
    while (x < high - 1 && p->sum[x + 1] <= value) x++;
    return x < low ? low : (x >= high ? high - 1 : x);
}

/* Where the first end of an edge falls, as a share of the whole weight. */
static double first_share(const planted *p, int kind, uint64_t index, double uniform) {
    uint64_t inside = (uint64_t)p->wanted[0], all = inside + (uint64_t)p->wanted[1];
    if (index >= all) return uniform;
    return ((double)(kind ? index - inside : index) + uniform) / (double)p->wanted[kind];
}

static void draw(const void *model, int kind, uint64_t index, int32_t *u, int32_t *w) {
    const planted *p = model;
    const cafe_partition *q = &p->partition;
    cafe_random4 r = cafe_philox(p->seed, CAFE_STREAM_LINKS, index);
    double first = first_share(p, kind, index, cafe_uniform(r.v[0], r.v[1]));
    double second = cafe_uniform(r.v[2], r.v[3]);
    int64_t x = position_of(p, first * p->sum[q->n], 0, q->n), y, b = block_at(p, x);
    int64_t low = q->start[b], high = q->start[b + 1];
    double inside = p->sum[high] - p->sum[low];
    if (kind == 0) {
        y = position_of(p, p->sum[low] + second * inside, low, high);
    } else {
        double value = second * (p->sum[q->n] - inside);
        y = position_of(p, value < p->sum[low] ? value : value + inside, 0, q->n);
    }
    *u = q->order[x];
    *w = q->order[y];
}

static cafe_status make_room(planted *p, int32_t *labels) {
    int64_t n = p->options->nodes, blocks = cafe_generate_blocks(p->options, ROOM);
    CAFE_PASS(cafe_partition_create(p->context, n, blocks, labels, &p->partition));
    p->tail = cafe_mem(p->context, n, sizeof *p->tail);
    p->sum = cafe_mem(p->context, n + 1, sizeof *p->sum);
    p->guide = cafe_mem(p->context, n, sizeof *p->guide);
    return cafe_mem_had(p->tail, p->sum, p->guide);
}

static cafe_status plant(planted *p) {
    set_sizes(p);
    CAFE_PASS(cafe_partition_shares(p->context, &p->partition, p->options, p->wanted));
    CAFE_PASS(cafe_partition_spread(p->context, &p->partition));
    CAFE_PASS(cafe_ranges(p->context, p->partition.n, NODES, draw_tails, p));
    CAFE_PASS(find_scale(p));
    set_guide(p);
    return CAFE_OK;
}

cafe_status cafe_generate_planted(cafe_context *context, const cafe_generate_options *options,
                                  cafe_graph **graph, int32_t *labels) {
    planted p = {.context = context, .options = options, .seed = context->seed};
    cafe_drawing d = {.nodes = options->nodes, .labels = labels, .draw = draw, .model = &p};
    cafe_status status;
    CAFE_TRY(make_room(&p, labels));
    CAFE_TRY(plant(&p));
    d.wanted[0] = p.wanted[0];
    d.wanted[1] = p.wanted[1];
    CAFE_TRY(cafe_generate_links(context, &d, graph));
done:
    cafe_mem_free_all(context, p.tail, p.sum, p.guide);
    cafe_partition_free(context, &p.partition);
    return status;
}
