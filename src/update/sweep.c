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
 * The active nodes are swept in chunks, as in solve/chunks.h, with the arcs inside a chunk found on
 * the way: a node carries its slot while its chunk is at work. The same shift c_u keeps the
 * objective from falling.
 */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/pool.h"
#include "update/update.h"

enum {
    TASK = 16, /* nodes of a chunk that one task updates; fixes the shape of the sums */
    LEAST_CHUNKS = 64,
    LARGEST = 4096, /* nodes of a chunk at most */
    LIST = 1024     /* arcs gathered at a time */
};

static const double unit = 0x1p32; /* of the pressure in fixed point */

typedef struct part {
    double linear, square, inner; /* as in solve/sweep.c */
    int64_t summed, marked;
} part;

struct cafe_active {
    cafe_context *context;
    const cafe_operator *op;
    int64_t stride;
    float *h;
    double spread;
    _Atomic uint64_t *pressure;
    uint8_t *swept;
    int32_t *slot; /* place in the chunk at work, -1: not in it */
    int32_t *list; /* the active nodes, ascending */
    int64_t count;
    double *s;
    float *s_single;
    int64_t chunks, chunk;       /* how many, and the one at work */
    double mass;                 /* P_C of it */
    float *rows, *inner, *moved; /* of its nodes: new rows, a_u, ||Delta_u|| */
    part *parts;                 /* one a task */
    double *shift;               /* one row a task: sum of p_u Delta_u */
    int64_t summed, marked;
};

cafe_status cafe_active_new(cafe_context *context, const cafe_operator *op, int64_t stride,
                            float *h, double spread, cafe_active **active) {
    cafe_status status = CAFE_OK;
    int64_t tasks = cafe_blocks(LARGEST, TASK), n = op->n;
    cafe_active *a = cafe_mem_zero(context, 1, sizeof *a);
    *active = NULL;
    if (!a) return CAFE_ERROR_MEMORY;
    a->context = context, a->op = op, a->stride = stride, a->h = h, a->spread = spread;
    a->pressure = cafe_mem_zero(context, n, sizeof *a->pressure);
    a->swept = cafe_mem_zero(context, n, sizeof *a->swept);
    a->slot = cafe_mem(context, n, sizeof *a->slot);
    a->list = cafe_mem(context, n, sizeof *a->list);
    a->s = cafe_mem(context, stride, sizeof *a->s);
    a->s_single = cafe_mem(context, stride, sizeof *a->s_single);
    a->rows = cafe_mem(context, LARGEST * stride, sizeof *a->rows);
    a->inner = cafe_mem(context, LARGEST, sizeof *a->inner);
    a->moved = cafe_mem(context, LARGEST, sizeof *a->moved);
    a->parts = cafe_mem(context, tasks, sizeof *a->parts);
    a->shift = cafe_mem(context, tasks * stride, sizeof *a->shift);
    if (!a->pressure || !a->swept || !a->slot || !a->list || !a->s || !a->s_single || !a->rows ||
        !a->inner || !a->moved || !a->parts || !a->shift)
        status = CAFE_ERROR_MEMORY;
    CAFE_TRY(status);
    memset(a->slot, 0xFF, (size_t)n * sizeof *a->slot);
    CAFE_TRY(cafe_operator_sums(context, op, stride, h, a->s));
    for (int64_t k = 0; k < stride; k++) a->s_single[k] = (float)a->s[k];
    *active = a;
    a = NULL;
done:
    cafe_active_free(a);
    return status;
}

void cafe_active_free(cafe_active *active) {
    if (!active) return;
    cafe_context *context = active->context;
    cafe_mem_free(context, (void *)active->pressure);
    cafe_mem_free(context, active->swept);
    cafe_mem_free(context, active->slot);
    cafe_mem_free(context, active->list);
    cafe_mem_free(context, active->s);
    cafe_mem_free(context, active->s_single);
    cafe_mem_free(context, active->rows);
    cafe_mem_free(context, active->inner);
    cafe_mem_free(context, active->moved);
    cafe_mem_free(context, active->parts);
    cafe_mem_free(context, active->shift);
    cafe_mem_free(context, active);
}

/* ---- pressure ---------------------------------------------------------------------------------
 */

void cafe_active_press(cafe_active *active, int64_t u, double pressure) {
    /* far below what would overflow 64 bits, however many neighbours add to it */
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

/* ---- one chunk: find the new rows, weigh them, write them and tell the neighbours --------------
 */

/* Node i of chunk c is entry c + i B of the list. */
static int64_t node_of(const cafe_active *a, int64_t i) {
    return a->list[a->chunk + i * a->chunks];
}
static int64_t chunk_size(const cafe_active *a) {
    return (a->count - a->chunk + a->chunks - 1) / a->chunks;
}

static float weight_of(const cafe_operator_parts *s, int64_t j) {
    return s->weights ? s->weights[j] : 1;
}

/* row = sum over w of a(u,w) h_w; returns the weight of the arcs to other nodes of the chunk. */
static float sum_row(const cafe_active *a, int64_t u, float *row) {
    const cafe_operator_parts *s = &a->op->parts;
    int32_t targets[LIST + CAFE_AHEAD];
    int64_t end = s->offsets[u + 1];
    float inside = 0;
    for (int64_t from = s->offsets[u], first = from; from < end; from += LIST) {
        int64_t count = end - from < LIST ? end - from : LIST;
        for (int64_t j = 0; j < count; j++) {
            int32_t w = targets[j] = s->targets[from + j];
            if (a->slot[w] >= 0 && w != u) inside += weight_of(s, from + j);
        }
        memset(targets + count, 0, CAFE_AHEAD * sizeof *targets);
        a->op->kernels->gather(a->h, a->stride, targets, s->weights ? s->weights + from : NULL,
                               count, from == first, row);
    }
    return inside;
}

static void find_row(cafe_active *a, int64_t i, part *sums, double *shift) {
    const cafe_operator_parts *s = &a->op->parts;
    int64_t u = node_of(a, i), stride = a->stride;
    float *row = a->rows + i * stride, *h = a->h + u * stride;
    double p = s->p[u], inverse_degree = 1 / (p * s->total);
    double loop = s->loops ? s->loops[u] * inverse_degree : 0;
    a->inner[i] = sum_row(a, u, row);
    /* c_u / p_u = a_u / p_u + P_C - p_u */
    double keep = a->inner[i] * inverse_degree + (a->mass - p);
    cafe_pull pull = {(float)inverse_degree, (float)(p - loop)};
    cafe_gain gain =
        a->op->kernels->sphere(stride, h, a->s_single, pull, (float)(keep > 0 ? keep : 0), row);
    sums->linear += p * gain.linear;
    sums->square += p * p * gain.square;
    sums->summed += s->offsets[u + 1] - s->offsets[u];
    a->op->kernels->accumulate_move(stride, p, row, h, shift);
    a->moved[i] = (float)sqrt(gain.square);
    a->swept[u] = 1;
    atomic_store_explicit(&a->pressure[u], 0, memory_order_relaxed);
}

static void find_rows(void *argument, int64_t task, int32_t worker) {
    cafe_active *a = argument;
    double *shift = a->shift + task * a->stride;
    (void)worker;
    a->parts[task] = (part){0};
    memset(shift, 0, (size_t)a->stride * sizeof *shift);
    for (int64_t i = task * TASK; i < cafe_block_end(chunk_size(a), TASK, task); i++)
        find_row(a, i, &a->parts[task], shift);
}

/* The sum over arcs (u,w) inside the chunk of a(u,w) <Delta_u, Delta_w>, u in the task. */
static void weigh_rows(void *argument, int64_t task, int32_t worker) {
    cafe_active *a = argument;
    const cafe_operator_parts *s = &a->op->parts;
    int64_t stride = a->stride;
    double sum = 0;
    (void)worker;
    for (int64_t i = task * TASK; i < cafe_block_end(chunk_size(a), TASK, task); i++) {
        int64_t u = node_of(a, i);
        if (a->inner[i] == 0) continue;
        for (int64_t j = s->offsets[u]; j < s->offsets[u + 1]; j++) {
            int64_t w = s->targets[j], place = a->slot[w];
            if (place < 0 || w == u) continue;
            sum += weight_of(s, j) *
                   a->op->kernels->dot_moves(stride, a->rows + i * stride, a->h + u * stride,
                                             a->rows + place * stride, a->h + w * stride);
        }
    }
    a->parts[task].inner = sum;
}

/* A move too small to matter to anybody is not told: all a node's neighbours together, each below
 * this, press it by less than an eighth of the spread. */
static bool worth_telling(const cafe_active *a, int64_t i) {
    return a->moved[i] > a->spread / 8 && a->moved[i] > 0;
}

static void write_rows(void *argument, int64_t task, int32_t worker) {
    cafe_active *a = argument;
    const cafe_operator_parts *s = &a->op->parts;
    (void)worker;
    for (int64_t i = task * TASK; i < cafe_block_end(chunk_size(a), TASK, task); i++) {
        int64_t u = node_of(a, i), from = s->offsets[u], end = s->offsets[u + 1];
        memcpy(a->h + u * a->stride, a->rows + i * a->stride, (size_t)a->stride * sizeof *a->h);
        if (!worth_telling(a, i)) continue;
        a->parts[task].marked += end - from;
        for (int64_t j = from; j < end; j++) {
            int64_t w = s->targets[j];
            if (w != u)
                cafe_active_press(a, w, weight_of(s, j) * a->moved[i] / (s->p[w] * s->total));
        }
    }
}

/* Adds up the tasks in their order, moves s, and returns the growth of the objective. */
static double settle_chunk(cafe_active *a, int64_t tasks) {
    double gain = 0, *total = a->shift;
    for (int64_t t = 0; t < tasks; t++) {
        const part *p = &a->parts[t];
        gain += 2 * p->linear + p->square + p->inner / a->op->parts.total;
        a->summed += p->summed;
        a->marked += p->marked;
    }
    for (int64_t t = 1; t < tasks; t++)
        for (int64_t k = 0; k < a->stride; k++) total[k] += a->shift[t * a->stride + k];
    for (int64_t k = 0; k < a->stride; k++) {
        gain -= total[k] * total[k];
        a->s[k] += total[k];
        a->s_single[k] = (float)a->s[k];
    }
    return gain;
}

/* Gives the nodes of the chunk at work their slots, or takes them away. */
static void set_slots(cafe_active *a, bool on) {
    a->mass = 0;
    for (int64_t i = 0; i < chunk_size(a); i++) {
        int64_t u = node_of(a, i);
        a->slot[u] = on ? (int32_t)i : -1;
        a->mass += a->op->parts.p[u];
    }
}

static cafe_status run_tasks(cafe_active *a, int64_t tasks, cafe_task *task) {
    if (tasks > 1) return cafe_parallel(a->context, tasks, task, a);
    task(a, 0, 0);
    return CAFE_OK;
}

cafe_status cafe_active_sweep(cafe_active *a, double *gain) {
    cafe_status status = cafe_check_cancel(a->context);
    int64_t fewest = a->count < LEAST_CHUNKS ? a->count : LEAST_CHUNKS;
    int64_t needed = cafe_blocks(a->count, LARGEST);
    a->chunks = needed > fewest ? needed : fewest;
    *gain = 0;
    for (a->chunk = 0; a->chunk < a->chunks && status == CAFE_OK; a->chunk++) {
        int64_t tasks = cafe_blocks(chunk_size(a), TASK);
        set_slots(a, true);
        CAFE_TRY(run_tasks(a, tasks, find_rows));
        CAFE_TRY(run_tasks(a, tasks, weigh_rows));
        CAFE_TRY(run_tasks(a, tasks, write_rows));
        set_slots(a, false);
        *gain += settle_chunk(a, tasks);
    }
done:
    return status;
}
