/* Local moving, many nodes at once: deterministic for any number of threads, and never a loss.
 *
 * Chunk c has the active nodes u with u mod B = c. All of them find their best move from the state
 * before the chunk. The nodes that want to move are the set C. With
 *
 *     c_u = sum over w in C, w != u, of p(u,w) + resolution p_u (p(C) - p_u)
 *
 * the nodes with z_new - z_old > c_u move at once, and the modularity grows
 * (docs/algorithms/layers.md has the proof). Of the other nodes in C, some move one after another,
 * the rest in the next pass. Chunks with few active nodes are taken together.
 *
 * Nodes have places, chunk after chunk: node u has place (u mod B) n/B + u / B. A chunk has two
 * jobs. The first finds moves and only reads part, mass and size. The second weighs and moves, and
 * only reads the members of C and data of its own node.
 *
 * If moves from single nodes find nearly nothing, they begin again with the nodes of most edges:
 * those know their communities first, and the others join them.
 *
 * Several processes divide the tasks of both jobs. Each finds and weighs the wishes of its own
 * tasks and receives those of the others. All of them make all moves.
 */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/processes.h"
#include "base/thread_pool.h"
#include "solve/layers_factors.h"

enum {
    MOST_PASSES = 1000, /* some tens do; see layers_move.c */
    WIDE_PASSES = 2,    /* that move so many nodes that nearly all are next to one */
    TRIAL_PASSES = 6,   /* from single nodes, before they may begin again */
    NODES = 1 << 14,    /* of a task that leaves nodes alone */
    MOST_CHUNKS = 8,    /* taken together */
    MOST_TASK = 128,    /* places of a task, fewer where rows are long: */
    TASK_ARCS = 4096,   /* arcs of a task on average, when all are active */
    SERIAL = 64,        /* nodes of a chunk that may go one after another */
    STUCK = 16,         /* a pass is if only one of so many members of C moves at once */
    FLOW_BITS = 12      /* of the number of flows */
};

/* Moves from single nodes begin again at a modularity below few_edges_inside. Then the nodes move
 * that have at least first_limit, later last_limit times the mean mass; limits fall by limit_ratio
 * from pass to pass. */
static const double few_edges_inside = 0.1, first_limit = 16, last_limit = 0.125, limit_ratio = 0.7;

typedef struct wish {
    int32_t node, to;
    double gain;
} wish;

/* The mass of the nodes of C that go to some communities, and of those that leave some. Communities
 * that share a flow count as one, which only makes it larger. */
typedef struct flow {
    int64_t in, out;
} flow;

typedef struct chunk_job {
    cafe_moves *moves;
    int64_t chunks, length;     /* B, and places of a chunk: n / B, rounded up */
    uint64_t inverse;           /* 2^63 / B, rounded up */
    bool all;                   /* every node is looked at in this pass and in the next */
    double limit;               /* only nodes of this mass are, the others wait; 0: all */
    int64_t first, size;        /* the places at work */
    int64_t task;               /* places of a task */
    uint8_t *active;            /* of each place: to be looked at */
    uint8_t *wants;             /* of each place at work: its node is in C */
    wish *wishes;               /* of each task: the nodes of C, then those left over */
    int64_t *wanted;            /* how many of them */
    flow *flows;                /* of C */
    bool sharp;                 /* c_u depends on the flows of two communities, not on all of C */
    int64_t wished, blocked;    /* of a pass: members of C, and those that did not move at once */
    int64_t mine, end;          /* tasks of this process; */
    bool weighed;               /* several: a gain says whether the node may move */
    _Alignas(64) int64_t whole; /* p(C); threads write it while they read the others */
} chunk_job;

/* u / B = u ceil(2^63 / B) / 2^63, exact for numbers of 31 bits. */
static inline int64_t place_of(const chunk_job *job, int64_t u) {
    int64_t quotient = (int64_t)((unsigned __int128)job->inverse * (uint64_t)u >> 63);
    return (u - quotient * job->chunks) * job->length + quotient;
}

/* Is u in C? The test reads wants[] only for places at work, which are few if there are many
 * chunks. */
static inline bool is_moving(const chunk_job *job, int64_t u) {
    uint64_t at = (uint64_t)(place_of(job, u) - job->first);
    return at < (uint64_t)job->size && job->wants[at];
}

/* The inverse of place_of(): place = (u mod B) length + u / B. */
static inline int64_t node_at(const chunk_job *job, int64_t place) {
    return place / job->length + place % job->length * job->chunks;
}

static inline flow *flow_of(const chunk_job *job, int32_t community) {
    return &job->flows[(uint32_t)community * 2654435769u >> (32 - FLOW_BITS)];
}

/* ---- finding --------------------------------------------------------------------------------- */

/* Is the node at this place looked at? Then it is active no longer. */
static inline bool take_place(const chunk_job *job, int64_t place) {
    if (!job->active[place]) return false;
    if (job->limit > 0 && job->moves->g->mass[node_at(job, place)] < job->limit) return false;
    job->active[place] = job->all;
    return true;
}

/* The active nodes of a task, which are so no longer. */
static int64_t take_active(const chunk_job *job, int64_t first, int64_t end, int32_t *node) {
    int64_t count = 0;
    for (int64_t place = first; place < end; place++)
        if (take_place(job, place)) node[count++] = (int32_t)node_at(job, place);
    return count;
}

/* Node u is in C; returns its mass. */
static int64_t join(const chunk_job *job, int64_t u, int32_t to) {
    int64_t mass = cafe_moves_mass(job->moves, u);
    job->wants[place_of(job, u) - job->first] = 1;
    if (!job->sharp) return mass;
    __atomic_fetch_add(&flow_of(job, job->moves->part[u])->out, mass, __ATOMIC_RELAXED);
    if (to >= 0) __atomic_fetch_add(&flow_of(job, to)->in, mass, __ATOMIC_RELAXED);
    return mass;
}

/* For each active node u of the task: the best move from the state before the chunk, S = argmax
 * z_u,
 *
 *     gain = total (z_u(S) - z_u(own)).
 *
 * Nodes with another S join C, and p(C) grows by p_u. Reads part, mass and size; writes its wishes.
 */
static void find_moves(void *argument, int64_t task, int32_t worker) {
    chunk_job *job = argument;
    const cafe_moves *moves = job->moves;
    task += job->mine;
    wish *wishes = job->wishes + task * job->task;
    int32_t node[MOST_TASK];
    int64_t first = job->first + task * job->task, mass = 0, wanted = 0;
    int64_t end = job->first + cafe_block_end(job->size, job->task, task);
    int64_t count = take_active(job, first, end, node);
    memset(job->wants + task * job->task, 0, (size_t)(end - first));
    for (int64_t i = 0; i < count; i++) {
        cafe_pooled_send_for(moves->g, moves->part, node, i, count);
        cafe_move move = cafe_moves_best(moves, &moves->bins[worker], node[i]);
        if (move.to == moves->part[node[i]]) continue;
        wishes[wanted++] = (wish){node[i], move.to, move.gain};
        mass += join(job, node[i], move.to);
    }
    job->wanted[task] = wanted;
    if (wanted) __atomic_fetch_add(&job->whole, mass, __ATOMIC_RELAXED);
}

/* ---- moving ---------------------------------------------------------------------------------- */

/* The mass that c_u counts besides the weights. It is that of the others in C, or half of those
 * that go where u goes and half of those that leave what u leaves. */
static double count_others(const chunk_job *job, const wish *w) {
    int64_t mass = cafe_moves_mass(job->moves, w->node);
    if (!job->sharp) return (double)(job->whole - mass);
    const flow *to = flow_of(job, w->to), *from = flow_of(job, job->moves->part[w->node]);
    int64_t both = to->in + from->out - 2 * mass;
    if (job->moves->sums.mass) both += to->out + from->in; /* q(u,w) without an edge: any sign */
    return 0.5 * (double)both;
}

/* Is the gain above total c_u? That only grows on the way: the rest of a row need not be read once
 * it is not. Edges to nodes that neither go to what u leaves nor leave what it goes to lose nothing
 * and could be left out. But if there are no communities, results are better if the ends of edges
 * do not join at once. */
static bool outweighs(const chunk_job *job, const wish *w) {
    if (w->to < 0) return false;
    const cafe_pooled *g = job->moves->g;
    int64_t u = w->node, end = g->offsets[u + 1];
    double inside = 0, others = count_others(job, w);
    double pull = job->moves->resolution * (g->null.width > 0 ? g->null.reach * g->null.reach : 1);
    double rest = pull * g->total * g->mass[u] * others * cafe_mass_unit;
    for (int64_t j = g->offsets[u]; j < end && w->gain > inside + rest; j++)
        if (is_moving(job, g->targets[j]) && g->targets[j] != u)
            inside += fabs(cafe_pooled_weight(g, u, j));
    return w->gain > inside + rest;
}

/* Neighbours of moved nodes become active, unless they are with it; those that may be moving right
 * now are not asked. Several may write it at once: they write the same. */
static void wake_neighbours(const chunk_job *job, int64_t u, int32_t to) {
    const cafe_pooled *g = job->moves->g;
    for (int64_t j = g->offsets[u]; j < g->offsets[u + 1]; j++) {
        int32_t w = g->targets[j];
        bool with = __atomic_load_n(&job->moves->part[w], __ATOMIC_RELAXED) == to;
        if (w == u || (with && !is_moving(job, w))) continue;
        __atomic_store_n(&job->active[place_of(job, w)], 1, __ATOMIC_RELAXED);
    }
}

/* cafe_moves_make() by several threads; nobody else moves u. */
static void move_now(const chunk_job *job, int64_t u, int32_t to) {
    const cafe_moves *moves = job->moves;
    int64_t mass = cafe_moves_mass(moves, u);
    int32_t own = moves->part[u];
    __atomic_store_n(&moves->part[u], to, __ATOMIC_RELAXED);
    __atomic_fetch_add(&moves->mass[to], mass, __ATOMIC_RELAXED);
    __atomic_fetch_sub(&moves->mass[own], mass, __ATOMIC_RELAXED);
    __atomic_fetch_add(&moves->size[to], 1, __ATOMIC_RELAXED);
    __atomic_fetch_sub(&moves->size[own], 1, __ATOMIC_RELAXED);
    if (moves->sums.mass) cafe_factors_move(moves, u, own, to);
    if (!job->all) wake_neighbours(job, u, to);
}

/* A gain becomes what it is above its shift: who may move is known. */
static void weigh_wishes(void *argument, int64_t task, int32_t worker) {
    chunk_job *job = argument;
    (void)worker;
    task += job->mine;
    for (int64_t i = 0; i < job->wanted[task]; i++) {
        wish *w = &job->wishes[task * job->task + i];
        w->gain = outweighs(job, w) ? 1 : 0;
    }
}

/* Those who may, move; the wishes of the others close up. To be alone needs an empty community. */
static void make_moves(void *argument, int64_t task, int32_t worker) {
    chunk_job *job = argument;
    wish *wishes = job->wishes + task * job->task;
    int64_t left = 0;
    (void)worker;
    for (int64_t i = 0; i < job->wanted[task]; i++) {
        wish w = wishes[i];
        if (job->weighed ? w.gain > 0 : outweighs(job, &w))
            move_now(job, w.node, w.to);
        else
            wishes[left++] = w;
    }
    if (job->wanted[task] > left)
        __atomic_fetch_add(&job->moves->moved, job->wanted[task] - left, __ATOMIC_RELAXED);
    job->wanted[task] = left;
}

/* The rest of C: the first ones each from the state the one before left, the others later. */
static void move_rest(chunk_job *job, int64_t tasks) {
    cafe_moves *moves = job->moves;
    int64_t turns = 0;
    for (int64_t t = 0; t < tasks; t++)
        for (int64_t i = 0; i < job->wanted[t]; i++) {
            int32_t u = job->wishes[t * job->task + i].node;
            if (turns++ >= SERIAL) {
                job->active[place_of(job, u)] = 1;
                continue;
            }
            cafe_move move = cafe_moves_best(moves, moves->bins, u);
            job->active[place_of(job, u)] = job->all;
            if (move.to == moves->part[u]) continue;
            cafe_moves_make(moves, u, move.to);
            if (!job->all) wake_neighbours(job, u, moves->part[u]);
        }
}

/* ---- chunks ---------------------------------------------------------------------------------- */

/* Runs the tasks; a single task runs in the caller, without waking threads. */
static cafe_status run_tasks(cafe_context *context, int64_t tasks, cafe_task *task,
                             chunk_job *job) {
    if (tasks > 1) return cafe_parallel(context, tasks, task, job);
    task(job, 0, 0);
    return CAFE_OK;
}

/* ---- several processes ----------------------------------------------------------------------- */

/* Process r of R has tasks floor(T r / R) .. floor(T (r + 1) / R) - 1. */
static int64_t first_task(const cafe_context *context, int64_t tasks, int32_t rank) {
    return tasks * rank / cafe_team_ranks(context);
}

/* This process's wishes, the number of each task's first. */
static cafe_status tell_wishes(cafe_context *context, const chunk_job *job, void **all) {
    int64_t count = 0, at = 0;
    for (int64_t t = job->mine; t < job->end; t++) count += 1 + job->wanted[t];
    wish *told = cafe_mem(context, count, sizeof *told);
    CAFE_PASS(cafe_team_agree(context, cafe_mem_had(told)));
    for (int64_t t = job->mine; t < job->end; t++) {
        told[at++] = (wish){(int32_t)job->wanted[t], 0, 0};
        memcpy(told + at, job->wishes + t * job->task, (size_t)job->wanted[t] * sizeof *told);
        at += job->wanted[t];
    }
    cafe_status status = cafe_team_gather(context, told, count * (int64_t)sizeof *told, all, NULL);
    cafe_mem_free(context, told);
    return status;
}

/* Everybody's wishes, in the order of the tasks. */
static cafe_status share_wishes(cafe_context *context, chunk_job *job, int64_t tasks) {
    void *all = NULL;
    CAFE_PASS(tell_wishes(context, job, &all));
    const wish *told = all;
    for (int64_t t = 0; t < tasks; t++) {
        job->wanted[t] = (told++)->node;
        memcpy(job->wishes + t * job->task, told, (size_t)job->wanted[t] * sizeof *told);
        told += job->wanted[t];
    }
    cafe_mem_free(context, all);
    return CAFE_OK;
}

/* What the others found counts as if it had been found here. */
static void take_wishes(chunk_job *job, int64_t tasks) {
    for (int64_t t = 0; t < tasks; t++) {
        int64_t end = job->first + cafe_block_end(job->size, job->task, t);
        if (t >= job->mine && t < job->end) continue;
        for (int64_t place = job->first + t * job->task; place < end; place++) {
            take_place(job, place);
            job->wants[place - job->first] = 0;
        }
        for (int64_t i = 0; i < job->wanted[t]; i++)
            job->whole +=
                join(job, job->wishes[t * job->task + i].node, job->wishes[t * job->task + i].to);
    }
}

/* The same two phases for several processes: each finds and weighs its own tasks, and all exchange
 * wishes after each phase. Afterwards all processes have equal wishes, so all make the same moves.
 */
static cafe_status find_and_weigh(cafe_context *context, chunk_job *job, int64_t tasks) {
    int32_t rank = cafe_team_rank(context);
    job->weighed = true;
    job->mine = first_task(context, tasks, rank), job->end = first_task(context, tasks, rank + 1);
    CAFE_PASS(cafe_parallel(context, job->end - job->mine, find_moves, job));
    CAFE_PASS(share_wishes(context, job, tasks));
    take_wishes(job, tasks);
    if (job->whole == 0) return CAFE_OK;
    CAFE_PASS(cafe_parallel(context, job->end - job->mine, weigh_wishes, job));
    return share_wishes(context, job, tasks);
}

static int64_t count_wanted(const chunk_job *job, int64_t tasks) {
    int64_t count = 0;
    for (int64_t t = 0; t < tasks; t++) count += job->wanted[t];
    return count;
}

/* One step on the places at work. Claim: the modularity does not fall. C' of C, the nodes with
 *
 *     gain_u > c_u,   c_u = sum over w in C, w != u, of p(u,w) + resolution p_u (p(C) - p_u),
 *
 * or with the flows of the two communities, p(to) + p(from) - 2 p_u over 2, in place of p(C) - p_u,
 * move at once, which gains (docs/algorithms/layers.md). A subset of C has smaller sums in c_u, so
 * the argument holds for C' too. move_rest() then moves single nodes, each from the present state,
 * which also gains.
 */
static cafe_status move_places(cafe_context *context, chunk_job *job) {
    int64_t tasks = cafe_blocks(job->size, job->task);
    job->whole = 0;
    memset(job->flows, 0, sizeof *job->flows << FLOW_BITS);
    if (cafe_team_ranks(context) > 1)
        CAFE_PASS(find_and_weigh(context, job, tasks));
    else
        CAFE_PASS(run_tasks(context, tasks, find_moves, job));
    if (job->whole == 0) return CAFE_OK;
    job->wished += count_wanted(job, tasks);
    CAFE_PASS(run_tasks(context, tasks, make_moves, job));
    job->blocked += count_wanted(job, tasks);
    move_rest(job, tasks);
    return CAFE_OK;
}

/* Returns the number of active nodes of a chunk. */
static int64_t count_active(const chunk_job *job, int64_t chunk) {
    const uint8_t *active = job->active + chunk * job->length;
    int64_t count = 0;
    for (int64_t i = 0; i < job->length; i++) count += active[i];
    return count;
}

/* One chunk, and those after it while all together have no more active nodes than one has nodes. */
static int64_t choose_places(chunk_job *job, int64_t chunk) {
    int64_t end = chunk, active = 0;
    for (; end < job->chunks && end < chunk + MOST_CHUNKS; end++) {
        active += count_active(job, end);
        if (active > job->length) break;
    }
    if (end == chunk) end++;
    job->first = chunk * job->length;
    job->size = active > 0 ? (end - chunk) * job->length : 0;
    return end;
}

/* One pass over all chunks, in order. The shifts are sharp from the pass on that follows one in
 * which they kept back nearly all of C: until then those that wait make better moves later. */
static cafe_status run_pass(cafe_context *context, chunk_job *job) {
    if (STUCK * (job->wished - job->blocked) < job->wished) job->sharp = true;
    job->wished = job->blocked = 0;
    for (int64_t chunk = 0; chunk < job->chunks;) {
        chunk = choose_places(job, chunk);
        if (job->size > 0) CAFE_PASS(move_places(context, job));
    }
    return CAFE_OK;
}

/* Returns the places of a task: about TASK_ARCS arcs if all its nodes are active, at most
 * MOST_TASK. */
static int64_t choose_task(const cafe_pooled *g) {
    int64_t places = TASK_ARCS * g->n / (g->offsets[g->n] + 1);
    return places < 1 ? 1 : places < MOST_TASK ? places : MOST_TASK;
}

/* All nodes are active: as many places of a chunk are taken as there are nodes u mod B = c. */
static void wake_all(const chunk_job *job) {
    int64_t n = job->moves->g->n;
    for (int64_t c = 0; c < job->chunks; c++)
        memset(job->active + c * job->length, 1, (size_t)((n - c + job->chunks - 1) / job->chunks));
}

static cafe_status start(cafe_context *context, chunk_job *job) {
    int64_t n = job->moves->g->n, places;
    job->length = cafe_blocks(n, job->chunks);
    job->inverse = (((uint64_t)1 << 63) - 1) / (uint64_t)job->chunks + 1;
    job->task = choose_task(job->moves->g);
    places = job->chunks * job->length;
    job->active = cafe_mem_zero(context, places, sizeof *job->active);
    places = cafe_blocks(MOST_CHUNKS * job->length, job->task) * job->task;
    job->wishes = cafe_mem(context, places, sizeof *job->wishes);
    job->wants = cafe_mem(context, places, sizeof *job->wants);
    job->wanted = cafe_mem(context, places / job->task, sizeof *job->wanted);
    job->flows = cafe_mem(context, (int64_t)1 << FLOW_BITS, sizeof *job->flows);
    CAFE_PASS(cafe_mem_had(job->flows, job->active, job->wishes, job->wants, job->wanted));
    wake_all(job);
    return CAFE_OK;
}

/* ---- the nodes of most edges first ----------------------------------------------------------- */

static void leave_alone(void *argument, int64_t first, int64_t last) {
    const cafe_moves *moves = argument;
    for (int64_t u = first; u < last; u++) {
        moves->part[u] = (int32_t)u;
        moves->mass[u] = cafe_moves_mass(moves, u);
        moves->size[u] = 1;
    }
}

/* Have single nodes of different degrees found nearly nothing? Then *again: they are alone again,
 * and those of most edges move first. Light nodes would join one of their neighbours, each another
 * one, and the nodes between them cannot choose. */
static cafe_status test_trial(cafe_context *context, chunk_job *job, bool *again) {
    cafe_moves *moves = job->moves;
    const cafe_pooled *g = moves->g;
    double modularity;
    *again = false;
    if (g->null.width > 0 || cafe_layers_are_even(g)) return CAFE_OK;
    CAFE_PASS(
        cafe_layers_modularity(context, g, moves->resolution, moves->part, g->n, &modularity));
    if (modularity >= few_edges_inside) return CAFE_OK;
    *again = true;
    job->sharp = false;
    job->wished = job->blocked = 0;
    job->limit = first_limit / (double)g->n;
    moves->empties = 0;
    wake_all(job);
    return cafe_ranges(context, g->n, NODES, leave_alone, moves);
}

/* The limit of the next pass. */
static void lower_limit(chunk_job *job) {
    job->limit *= limit_ratio;
    if (job->limit < last_limit / (double)job->moves->g->n) job->limit = 0;
}

/* ---- all passes ------------------------------------------------------------------------------ */

cafe_status cafe_layers_move_chunks(cafe_context *context, cafe_moves *moves, int64_t chunks) {
    cafe_status status = CAFE_OK;
    int64_t before;
    bool again, goes_on = true;
    chunk_job job = {.moves = moves, .chunks = chunks};
    CAFE_TRY(start(context, &job));
    for (int64_t pass = 1; goes_on && pass <= MOST_PASSES; pass++) {
        before = moves->moved;
        job.all = moves->fresh && pass <= WIDE_PASSES;
        CAFE_TRY(cafe_check_cancel(context));
        CAFE_TRY(run_pass(context, &job));
        goes_on = moves->moved > before || job.all || job.limit > 0;
        lower_limit(&job);
        if (!moves->fresh || pass != TRIAL_PASSES) continue;
        CAFE_TRY(test_trial(context, &job, &again));
        goes_on = goes_on || again;
    }
done:
    cafe_mem_free_all(context, job.flows, job.active, job.wishes, job.wants, job.wanted);
    return status;
}
