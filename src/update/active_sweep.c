/* The sweep over active nodes: sphere's update where something changed, and only there.
 *
 * The pull on node w is z_w = sum over u of a(u,w) h_u / d_w - s. When its neighbours move by
 * Delta_u it changes by at most
 *
 *     pressure_w = sum over u of a(u,w) / d_w ||Delta_u||
 *
 * (s moves too, but by p_u ||Delta_u||, which is small for all alike). Pressure adds up until the
 * node is swept, which clears it; nodes whose pressure exceeds `spread` are active. It is kept in
 * fixed point, so that it can be added by all threads and is the same for any number of them.
 *
 * The active nodes are a list of the common sweep (operator/chunk_move.h), whose shift keeps the
 * objective from falling.
 */
#include <math.h>

#include "base/memory.h"
#include "base/thread_pool.h"
#include "operator/chunk_move.h"
#include "update/update.h"

enum {
    BLOCK = 1024,
    LEAST_CHUNKS = 64,
    LARGEST = 4096 /* nodes of a chunk at most */
};

static const double unit = 0x1p32; /* of the pressure in fixed point */

struct cafe_active {
    cafe_context *context;
    const cafe_operator *op;
    cafe_mover *mover;
    double spread;
    _Atomic uint64_t *pressure;
    uint8_t *swept;
    int32_t *list; /* the active nodes, ascending */
    float *moved;  /* of each, how far in this round */
    int64_t count, summed;
    _Atomic int64_t marked;
};

cafe_status cafe_active_new(cafe_context *context, const cafe_operator *op, int64_t stride,
                            float *h, double spread, cafe_active **active) {
    cafe_status status = CAFE_ERROR_MEMORY;
    cafe_rule rule = {.kind = CAFE_RULE_SPHERE, .resolution = 1};
    cafe_active *a = cafe_mem_zero(context, 1, sizeof *a);
    *active = NULL;
    if (!a) return status;
    a->context = context, a->op = op, a->spread = spread;
    a->pressure = cafe_mem_zero(context, op->n, sizeof *a->pressure);
    a->swept = cafe_mem_zero(context, op->n, sizeof *a->swept);
    a->list = cafe_mem(context, op->n, sizeof *a->list);
    a->moved = cafe_mem(context, op->n, sizeof *a->moved);
    if (!a->pressure || !a->swept || !a->list || !a->moved) goto done;
    CAFE_TRY(cafe_mover_new(context, op, rule, stride, h, NULL, &a->mover));
    *active = a;
    a = NULL;
done:
    cafe_active_free(a);
    return status;
}

void cafe_active_free(cafe_active *active) {
    if (!active) return;
    cafe_context *context = active->context;
    cafe_mover_free(active->mover);
    cafe_mem_free_all(context, (void *)active->pressure, active->swept, active->list, active->moved,
                      active);
}

void cafe_active_press(cafe_active *active, int64_t u, double pressure) {
    /* far below an overflow of 64 bits, for any number of neighbours */
    uint64_t fixed = (uint64_t)ceil((pressure < 16 ? pressure : 16) * unit);
    atomic_fetch_add_explicit(&active->pressure[u], fixed, memory_order_relaxed);
}

int64_t cafe_active_collect(cafe_active *active) {
    uint64_t least = (uint64_t)(active->spread * unit);
    active->count = 0;
    for (int64_t u = 0; u < active->op->n; u++)
        if (atomic_load_explicit(&active->pressure[u], memory_order_relaxed) > least &&
            active->op->parts.p[u] > 0)
            active->list[active->count++] = (int32_t)u;
    return active->count;
}

bool cafe_active_swept(const cafe_active *active, int64_t u) {
    return active->swept[u] != 0;
}

void cafe_active_work(const cafe_active *active, int64_t *summed, int64_t *marked) {
    *summed = active->summed;
    *marked = active->marked;
}

/* Does the neighbour at place `theirs` (-1: not swept) still have to learn of the move at `place`?
 * A later chunk has seen it already. */
static bool must_learn(const cafe_chunks *c, int64_t place, int64_t theirs) {
    return theirs < 0 || cafe_chunk_of(c, theirs) <= cafe_chunk_of(c, place);
}

/* Adds the moves of nodes to the pressure of their neighbours. Small moves are left out: all
 * neighbours of a node together, each below the limit, add less than an eighth of the spread. */
static void tell_block(void *argument, int64_t first, int64_t last) {
    cafe_active *a = argument;
    const cafe_operator_parts *q = &a->op->parts;
    const cafe_chunks *c = cafe_mover_chunks(a->mover);
    for (int64_t i = first; i < last; i++) {
        int64_t u = a->list[i], from = q->offsets[u], end = q->offsets[u + 1];
        if (!(a->moved[i] > a->spread / 8 && a->moved[i] > 0)) continue;
        atomic_fetch_add_explicit(&a->marked, end - from, memory_order_relaxed);
        for (int64_t j = from; j < end; j++) {
            int64_t w = q->targets[j];
            double weight = CAFE_LINK(q, u, j);
            if (w != u && must_learn(c, i, c->places[w]))
                cafe_active_press(a, w, weight * a->moved[i] / (q->p[w] * q->total));
        }
    }
}

cafe_status cafe_active_sweep(cafe_active *a, double *gain) {
    int64_t fewest = a->count < LEAST_CHUNKS ? a->count : LEAST_CHUNKS;
    int64_t needed = cafe_blocks(a->count, LARGEST);
    CAFE_PASS(cafe_mover_aim(a->context, a->mover, a->list, a->count,
                             needed > fewest ? needed : fewest, a->moved));
    for (int64_t i = 0; i < a->count; i++) {
        int64_t u = a->list[i];
        a->swept[u] = 1;
        a->summed += a->op->parts.offsets[u + 1] - a->op->parts.offsets[u];
        atomic_store_explicit(&a->pressure[u], 0, memory_order_relaxed);
    }
    CAFE_PASS(cafe_mover_sweep(a->context, a->mover, gain));
    return cafe_ranges(a->context, a->count, BLOCK, tell_block, a);
}
