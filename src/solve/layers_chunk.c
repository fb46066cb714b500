/* Local moving, many nodes at once: deterministic for any threads, and never a loss.
 *
 * Chunk c is the active nodes u with u mod B = c. All of them find their best move from the state
 * before the chunk; those that want to move are the set C. With
 *     c_u = sum over w in C, w != u, of p(u,w) + resolution p_u (p(C) - p_u)
 * the nodes with z_new - z_old > c_u move at once, and the modularity grows (the argument is in
 * docs/algorithms/layers.md). The others are looked at once more, one after another.
 */
#include "base/memory.h"
#include "base/pool.h"
#include "solve/layers.h"

enum { TASK = 256, MOST_PASSES = 1000 }; /* some tens do; see layers_move.c */

typedef struct chunk_job {
    cafe_moves *moves;
    int64_t chunk, chunks, size; /* the chunk at work, of how many, its nodes */
    cafe_move *move;             /* of each node of the chunk */
    uint8_t *wants;              /* of each node of the level: in C */
    uint8_t *goes;               /* of each node of the chunk: 1 at once, 2 afterwards */
    double *mass;                /* of C, one a task */
    double whole;                /* p(C) */
} chunk_job;

static inline int64_t node_at(const chunk_job *job, int64_t i) {
    return job->chunk + i * job->chunks;
}

static void find_moves(void *argument, int64_t task, int32_t worker) {
    const chunk_job *job = argument;
    cafe_moves *moves = job->moves;
    double mass = 0;
    for (int64_t i = task * TASK; i < cafe_block_end(job->size, TASK, task); i++) {
        int64_t u = node_at(job, i);
        job->goes[i] = 0;
        if (!moves->active[u]) continue;
        moves->active[u] = 0;
        job->move[i] = cafe_moves_best(moves, &moves->tallies[worker], u);
        if (job->move[i].to == moves->part[u]) continue;
        job->wants[u] = job->goes[i] = 1;
        mass += moves->g->mass[u];
    }
    job->mass[task] = mass;
}

/* total c_u */
static double shift(const chunk_job *job, int64_t u) {
    const cafe_pooled *g = job->moves->g;
    double inside = 0;
    for (int64_t j = g->offsets[u]; j < g->offsets[u + 1]; j++)
        if (job->wants[g->targets[j]] && g->targets[j] != u) inside += cafe_pooled_weight(g, u, j);
    return inside + job->moves->resolution * g->total * g->mass[u] * (job->whole - g->mass[u]);
}

static void weigh_moves(void *argument, int64_t task, int32_t worker) {
    const chunk_job *job = argument;
    (void)worker;
    for (int64_t i = task * TASK; i < cafe_block_end(job->size, TASK, task); i++) {
        if (!job->goes[i]) continue;
        bool alone = job->move[i].to < 0; /* needs an empty community of its own */
        if (alone || !(job->move[i].gain > shift(job, node_at(job, i)))) job->goes[i] = 2;
    }
}

/* Neighbours of moved nodes become active. Several may say so at once: they say the same. */
static void wake_neighbours(const cafe_moves *moves, int64_t u) {
    const cafe_pooled *g = moves->g;
    for (int64_t j = g->offsets[u]; j < g->offsets[u + 1]; j++) {
        int32_t w = g->targets[j];
        if (moves->part[w] != moves->part[u])
            __atomic_store_n(&moves->active[w], 1, __ATOMIC_RELAXED);
    }
}

static void wake_all(void *argument, int64_t task, int32_t worker) {
    const chunk_job *job = argument;
    (void)worker;
    for (int64_t i = task * TASK; i < cafe_block_end(job->size, TASK, task); i++)
        if (job->goes[i] == 1) wake_neighbours(job->moves, node_at(job, i));
}

static void make_moves(chunk_job *job) {
    for (int64_t i = 0; i < job->size; i++) {
        if (!job->goes[i]) continue;
        job->wants[node_at(job, i)] = 0;
        if (job->goes[i] == 1) cafe_moves_make(job->moves, node_at(job, i), job->move[i].to);
    }
}

/* The rest of C, each from the state the one before left. */
static void move_rest(chunk_job *job) {
    cafe_moves *moves = job->moves;
    for (int64_t i = 0; i < job->size; i++) {
        int64_t u = node_at(job, i);
        if (job->goes[i] != 2) continue;
        cafe_move move = cafe_moves_best(moves, moves->tallies, u);
        moves->active[u] = 0;
        if (move.to == moves->part[u]) continue;
        cafe_moves_make(moves, u, move.to);
        wake_neighbours(moves, u);
    }
}

static cafe_status run_tasks(cafe_context *context, int64_t tasks, cafe_task *task,
                             chunk_job *job) {
    if (tasks > 1) return cafe_parallel(context, tasks, task, job);
    task(job, 0, 0);
    return CAFE_OK;
}

static cafe_status move_chunk(cafe_context *context, chunk_job *job) {
    int64_t tasks = cafe_blocks(job->size, TASK);
    CAFE_PASS(run_tasks(context, tasks, find_moves, job));
    job->whole = 0;
    for (int64_t t = 0; t < tasks; t++) job->whole += job->mass[t];
    if (job->whole == 0) return CAFE_OK;
    CAFE_PASS(run_tasks(context, tasks, weigh_moves, job));
    make_moves(job);
    CAFE_PASS(run_tasks(context, tasks, wake_all, job));
    move_rest(job);
    return CAFE_OK;
}

cafe_status cafe_layers_move_chunks(cafe_context *context, cafe_moves *moves, int64_t chunks) {
    cafe_status status = CAFE_ERROR_MEMORY;
    int64_t n = moves->g->n, largest = cafe_blocks(n, chunks), before, pass = 0;
    chunk_job job = {.moves = moves, .chunks = chunks};
    job.move = cafe_mem(context, largest, sizeof *job.move);
    job.wants = cafe_mem_zero(context, n, sizeof *job.wants);
    job.goes = cafe_mem(context, largest, sizeof *job.goes);
    job.mass = cafe_mem(context, cafe_blocks(largest, TASK), sizeof *job.mass);
    if (!job.move || !job.wants || !job.goes || !job.mass) goto done;
    do {
        before = moves->moved;
        CAFE_TRY(cafe_check_cancel(context));
        for (job.chunk = 0; job.chunk < chunks; job.chunk++) {
            job.size = (n - job.chunk + chunks - 1) / chunks;
            CAFE_TRY(move_chunk(context, &job));
        }
    } while (moves->moved > before && ++pass < MOST_PASSES);
    status = CAFE_OK;
done:
    cafe_mem_free_all(context, job.move, job.wants, job.goes, job.mass);
    return status;
}
