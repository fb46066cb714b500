/* Local moving, one node at a time, from a queue of nodes whose neighbours moved.
 *
 * Node u goes to the community with the largest
 *
 *     z_u(S) = sum over w in S, w != u, of (p(u,w) - resolution p_u p_w),
 *
 * or to be alone (z = 0); with ties it stays. Then its neighbours in other communities are queued
 * again. A visit costs O(degree), and only neighbours of moved nodes are visited twice.
 */
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "base/thread_pool.h"
#include "graph/label_sums.h"
#include "solve/layers_factors.h"

enum {
    NODES = 4096,              /* of a task that adds up masses */
    CHECK = 1024,              /* visits between looks at the cancel flag */
    MOST_VISITS = 1000,        /* per node; some tens do, but moves on rows that are not symmetric
                                * need not end */
    SEQUENTIAL_ARCS = 1 << 20, /* levels with fewer arcs are moved node by node; threads wait */
    CHUNK_NODES = 8192,        /* of larger ones: nodes of a chunk, */
    LEAST_CHUNKS = 64,         /* and how many chunks at least */
    MOST_CHUNKS = 256          /* and at most: threads meet at the end of each */
};

/* A gain must exceed this share of p_u: far above rounding, far below any edge. */
static const double least_gain = 1e-10;

/* The community with the largest z_u(S) above *best, which becomes that; own: none. The table is
 * empty afterwards. */
static int32_t find_best(const cafe_moves *moves, cafe_bins *bins, double pull, int32_t own,
                         double *best) {
    const cafe_bins b = *bins;
    const int64_t *mass = moves->mass;
    double most = *best;
    int32_t to = own;
    for (int64_t i = 0; i < b.count; i++) {
        cafe_bin s = cafe_bins_at(&b, i);
        b.bin[b.met[i]] = (cafe_bin){0, 0, 0};
        double z = s.sum - pull * (double)mass[s.key];
        bool better = (z > most) & (s.key != own); /* no branch: it would wait for the mass */
        most = better ? z : most;
        to = better ? s.key : to;
    }
    bins->count = 0;
    *best = most;
    return to;
}

/* The best move of u, none if u is kept where it is; in units of total: for every community S next
 * to u
 *
 *     total z_u(S) = a(u,S) - resolution d_u p(S),   d_u = total p_u,
 *
 * without u itself in its own community, and 0 for being alone. A move must gain least_gain d_u, so
 * rounding cannot make nodes go back and forth. Ties keep the own community, then the first S met.
 */
cafe_move cafe_moves_best(const cafe_moves *moves, cafe_bins *bins, int64_t u) {
    const cafe_pooled *g = moves->g;
    int32_t own = moves->part[u];
    if (g->kept && g->kept[u]) return (cafe_move){own, 0};
    if (moves->sums.mass) return cafe_factors_best(moves, bins, u);
    double degree = g->total * g->mass[u], pull = moves->resolution * degree * cafe_mass_unit;
    cafe_bins_open(bins, g->offsets[u + 1] - g->offsets[u]);
    cafe_gather_row(g, moves->part, moves->mass, u, bins);
    /* total z_u(S) = a(u,S) - resolution d_u p(S), of the own community without u */
    double others = (double)(moves->mass[own] - cafe_moves_mass(moves, u));
    double stay = cafe_bins_sum(bins, own) - pull * others, best = stay;
    cafe_move move = {find_best(moves, bins, pull, own, &best), 0};
    if (best < 0 && moves->size[own] > 1) {
        best = 0;
        move.to = -1;
    }
    move.gain = best - stay;
    if (move.gain > least_gain * degree) return move;
    return (cafe_move){own, 0};
}

/* Lists the communities without nodes, the smallest number last, which is taken first. */
static void list_empty(cafe_moves *moves) {
    moves->empties = 0;
    for (int64_t c = moves->g->n - 1; c >= 0; c--)
        if (moves->size[c] == 0) moves->empty[moves->empties++] = (int32_t)c;
}

/* A community without nodes. There is one, because somebody leaves a community of several. */
static int32_t find_empty(cafe_moves *moves) {
    for (;;) {
        if (moves->empties == 0) list_empty(moves);
        int32_t c = moves->empty[--moves->empties];
        if (moves->size[c] == 0) return c;
    }
}

/* Moves u: part, masses p(S) and sizes |S| follow. Masses are integers (cafe_mass_unit), so they
 * are exact whatever the order of moves. */
void cafe_moves_make(cafe_moves *moves, int64_t u, int32_t to) {
    int32_t own = moves->part[u];
    int64_t p = cafe_moves_mass(moves, u);
    if (to < 0) to = find_empty(moves);
    moves->part[u] = to;
    moves->mass[to] += p;
    moves->size[to]++;
    moves->mass[own] -= p;
    moves->moved++;
    moves->size[own]--;
    if (moves->sums.mass) cafe_factors_move(moves, u, own, to);
    if (moves->size[own] == 0 && moves->empties < moves->g->n) moves->empty[moves->empties++] = own;
}

/* Fisher-Yates: for i = n - 1 .. 1 exchange node_i and node_j, j uniform in 0 .. i. The numbers
 * depend on (seed, turn, place) alone. */
void cafe_layers_shuffle(uint64_t seed, uint64_t turn, int64_t place, int64_t n, int32_t *node) {
    for (int64_t i = n - 1; i > 0; i--) {
        cafe_random4 r =
            cafe_philox(seed, CAFE_STREAM_LAYERS, (turn << 32) + (uint64_t)(place + i));
        int64_t j = (int64_t)cafe_below(r.v[0], r.v[1], (uint64_t)(i + 1));
        int32_t held = node[i];
        node[i] = node[j];
        node[j] = held;
    }
}

/* ---- the queue ------------------------------------------------------------------------------- */

typedef struct queue {
    uint8_t *active; /* nodes in it */
    int32_t *node;   /* a ring of n places: no node is in it twice */
    int64_t first, count, n;
} queue;

static inline void push(queue *q, int32_t u) {
    int64_t at = q->first + q->count++;
    q->node[at < q->n ? at : at - q->n] = u;
}

static inline int32_t pop(queue *q) {
    int32_t u = q->node[q->first];
    if (++q->first == q->n) q->first = 0;
    q->count--;
    return u;
}

/* Queues the neighbours of u outside its new community: their best moves may have changed. */
static void push_neighbours(cafe_moves *moves, int64_t u, queue *q) {
    const cafe_pooled *g = moves->g;
    int32_t own = moves->part[u];
    for (int64_t j = g->offsets[u]; j < g->offsets[u + 1]; j++) {
        int32_t w = g->targets[j];
        if (q->active[w] || moves->part[w] == own) continue;
        q->active[w] = 1;
        push(q, w);
    }
}

/* Visits queued nodes until the queue is empty. Every move raises the modularity by at least
 *
 *     2 least_gain p_u,
 *
 * and partitions are finite, so the queue becomes empty; MOST_VISITS guards rows that are not
 * symmetric.
 */
static cafe_status move_queue(cafe_context *context, cafe_moves *moves) {
    cafe_status status = CAFE_OK;
    int64_t n = moves->g->n;
    queue q = {cafe_mem(context, n, sizeof(uint8_t)), cafe_mem(context, n, sizeof(int32_t)), 0, n,
               n};
    CAFE_TRY(cafe_mem_had(q.active, q.node));
    memset(q.active, 1, (size_t)n);
    for (int64_t u = 0; u < n; u++) q.node[u] = (int32_t)u;
    if (moves->turn > 0) cafe_layers_shuffle(context->seed, 8 * moves->turn + 7, 0, n, q.node);
    for (int64_t visit = 0; q.count > 0 && visit < MOST_VISITS * n; visit++) {
        if (visit % CHECK == 0) CAFE_TRY(cafe_check_cancel(context));
        int32_t u = pop(&q);
        q.active[u] = 0;
        cafe_move move = cafe_moves_best(moves, moves->bins, u);
        if (move.to == moves->part[u]) continue;
        cafe_moves_make(moves, u, move.to);
        push_neighbours(moves, u, &q);
    }
done:
    cafe_mem_free_all(context, q.active, q.node);
    return status;
}

/* ---- one level ------------------------------------------------------------------------------- */

static void free_moves(cafe_context *context, cafe_moves *moves) {
    cafe_mem_free_all(context, moves->mass, moves->size, moves->empty, moves->sums.mass,
                      moves->sums.pull);
}

static void clear_masses(void *argument, int64_t first, int64_t last) {
    const cafe_moves *moves = argument;
    memset(moves->mass + first, 0, (size_t)(last - first) * sizeof *moves->mass);
    memset(moves->size + first, 0, (size_t)(last - first) * sizeof *moves->size);
}

/* The nodes first .. last-1 are all of community s, which may have others elsewhere: atomic. */
static void add_run(cafe_moves *moves, int32_t s, int64_t first, int64_t last) {
    int64_t mass = 0;
    for (int64_t u = first; u < last; u++) mass += cafe_moves_mass(moves, u);
    __atomic_fetch_add(&moves->mass[s], mass, __ATOMIC_RELAXED);
    int32_t size = (int32_t)(last - first);
    size += __atomic_fetch_add(&moves->size[s], size, __ATOMIC_RELAXED);
    if (size > 1 && __atomic_load_n(&moves->fresh, __ATOMIC_RELAXED))
        __atomic_store_n(&moves->fresh, false, __ATOMIC_RELAXED);
}

/* p(S) += p_u and |S| += 1 for nodes first .. last - 1, run by run of equal communities. */
static void add_masses(void *argument, int64_t first, int64_t last) {
    cafe_moves *moves = argument;
    for (int64_t u = first, end; u < last; u = end) {
        for (end = u + 1; end < last && moves->part[end] == moves->part[u];) end++;
        add_run(moves, moves->part[u], u, end);
    }
}

/* Communities as they are. */
static cafe_status start_moves(cafe_context *context, cafe_moves *moves) {
    int64_t n = moves->g->n;
    moves->mass = cafe_mem(context, n, sizeof *moves->mass);
    moves->size = cafe_mem(context, n, sizeof *moves->size);
    moves->empty = cafe_mem(context, n, sizeof *moves->empty);
    CAFE_PASS(cafe_mem_had(moves->mass, moves->size, moves->empty));
    moves->fresh = true;
    CAFE_PASS(cafe_ranges(context, n, NODES, clear_masses, moves));
    return cafe_ranges(context, n, NODES, add_masses, moves);
}

/* By sizes alone, so that the result does not depend on the threads. */
static int64_t choose_chunks(const cafe_pooled *g, int64_t wanted) {
    if (wanted > 0) return wanted < g->n ? wanted : g->n;
    if (g->offsets[g->n] < SEQUENTIAL_ARCS) return g->n;
    int64_t chunks = (g->n + CHUNK_NODES - 1) / CHUNK_NODES;
    if (chunks < LEAST_CHUNKS) chunks = LEAST_CHUNKS;
    if (chunks > MOST_CHUNKS) chunks = MOST_CHUNKS;
    return chunks < g->n ? chunks : g->n;
}

/* Local moving on one level: part changes until no node gains (node by node) or no chunk moves. */
cafe_status cafe_layers_move(cafe_context *context, const cafe_pooled *g, double resolution,
                             int64_t chunks, uint64_t turn, int32_t *part) {
    cafe_status status = CAFE_OK;
    cafe_moves moves = {.g = g, .resolution = resolution, .part = part, .turn = turn};
    int32_t workers;
    chunks = choose_chunks(g, chunks);
    workers = chunks < g->n ? context->threads : 1;
    CAFE_TRY(start_moves(context, &moves));
    moves.bins = cafe_bins_new(context, workers, g->widest, g->n);
    CAFE_TRY(moves.bins ? CAFE_OK : CAFE_ERROR_MEMORY);
    if (g->null.width > 0) CAFE_TRY(cafe_factors_open(context, workers, &moves));
    CAFE_TRY(chunks < g->n ? cafe_layers_move_chunks(context, &moves, chunks)
                           : move_queue(context, &moves));
done:
    cafe_bins_free(context, moves.bins, workers);
    free_moves(context, &moves);
    return status;
}
