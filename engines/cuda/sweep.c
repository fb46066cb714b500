/* Sweeps: chunk after chunk, two or three kernels each, without a wait in between. */
#include <math.h>
#include <string.h>

#include "cuda.h"

enum { BATCH = 1024 }; /* chunks whose gains are summed together */

typedef struct sweep {
    cuda_state *state;
    cafe_chunks *chunks;
    nodes *ranges; /* of each chunk */
    cuda_long wide;
    chunks_args inside;
    sweep_args all; /* of every chunk: the rest follows from its number */
    sum_gains_args gains;
    void *owned[24];
    int count;
} sweep;

/* Memory of the device that ends with the sweep. */
static cafe_status add(cafe_context *context, sweep *w, int64_t count, size_t size, void **memory) {
    CAFE_PASS(cuda_new(context, w->state, count, size, memory));
    w->owned[w->count++] = *memory;
    return CAFE_OK;
}

static cafe_status add_copy(cafe_context *context, sweep *w, const void *from, int64_t count,
                            size_t size, const void **memory) {
    void *there = NULL;
    if (from) CAFE_PASS(add(context, w, count, size, &there));
    *memory = there;
    return from ? cuda_put(context, w->state, there, from, count * (int64_t)size) : CAFE_OK;
}

void cuda_sweep_close(cafe_context *context, void *state) {
    sweep *w = state;
    if (!w) return;
    const cafe_engine_host *host = w->state->host;
    for (int i = 0; i < w->count; i++) device_release(w->state->device, w->owned[i]);
    cuda_long_free(context, w->state, &w->wide);
    cuda_chunks_free(w->state, &w->inside);
    host->chunks_free(w->chunks);
    host->release(context, w->ranges);
    host->release(context, w);
}

static cafe_status cut(cafe_context *context, const cafe_operator *op, sweep *w) {
    const cafe_chunks *c = w->chunks;
    w->ranges = w->state->host->allocate(context, c->count, sizeof *w->ranges);
    if (!w->ranges) return CAFE_ERROR_MEMORY;
    for (int64_t i = 0; i < c->count; i++)
        w->ranges[i] = (nodes){cafe_chunk_first(c, i), c->step, cafe_chunk_size(c, i)};
    return cuda_long_find(context, w->state, op->parts.offsets, c->count, w->ranges, &w->wide);
}

/* Computes the inside of the chunks. */
static cafe_status fill_chunks(cafe_context *context, sweep *w) {
    sweep_args *a = &w->all;
    chunks_args *inside = &w->inside;
    inside->links = a->work.links, inside->total = a->total;
    CAFE_PASS(cuda_chunks_fill(context, w->state, w->chunks, inside));
    a->mass = inside->mass, a->work.inner = inside->inner, a->inner_offsets = inside->offsets;
    a->inner_owners = inside->owners, a->inner_targets = inside->targets;
    a->inner_weights = inside->weights;
    return CAFE_OK;
}

/* Sets S and its scaled copy for reading. */
static cafe_status put_sums(cafe_context *context, const sweep *w, const double *s) {
    int64_t stride = w->all.work.stride;
    float *single = w->state->host->allocate(context, stride, sizeof *single);
    if (!single) return CAFE_ERROR_MEMORY;
    for (int64_t k = 0; k < stride; k++) single[k] = (float)(w->all.expected * s[k]);
    cafe_status status = cuda_put(context, w->state, w->all.s, s, stride * (int64_t)sizeof *s);
    if (status == CAFE_OK)
        status =
            cuda_put(context, w->state, w->all.single, single, stride * (int64_t)sizeof *single);
    w->state->host->release(context, single);
    return status;
}

/* S = F^T H */
static cafe_status give_mean(cafe_context *context, const cafe_operator *op, void *held,
                             const cafe_block *h, sweep *w) {
    const cafe_engine_host *host = w->state->host;
    CAFE_PASS(add(context, w, h->stride, sizeof *w->all.s, (void **)&w->all.s));
    CAFE_PASS(add(context, w, h->stride, sizeof *w->all.single, (void **)&w->all.single));
    double *s = host->allocate(context, h->stride, sizeof *s);
    cafe_status status = s ? cuda_project(context, op, held, h, s) : CAFE_ERROR_MEMORY;
    if (status == CAFE_OK) status = put_sums(context, w, s);
    host->release(context, s);
    return status;
}

static cafe_status give_room(cafe_context *context, sweep *w) {
    sweep_args *a = &w->all;
    int64_t largest = cafe_chunk_largest(w->chunks);
    CAFE_PASS(add(context, w, largest * a->work.stride, sizeof *a->rows, (void **)&a->rows));
    CAFE_PASS(add(context, w, largest, sizeof *a->kept, (void **)&a->kept));
    a->blocks = 2 * device_processors(w->state->device);
    return add(context, w, w->wide.most * a->work.stride, sizeof(float),
               (void **)&a->work.wide.sums);
}

/* H rounded to the storage, and its copy of 16 bits. */
static cafe_status pack_rows(cafe_context *context, const cafe_block *h, sweep *w) {
    enum { EACH = 1024 };
    sweep_args *a = &w->all;
    int64_t count = h->n * h->stride;
    if (a->storage == CAFE_STORAGE_FLOAT32) return CAFE_OK;
    CAFE_PASS(add(context, w, count, sizeof *a->packed, (void **)&a->packed));
    pack_rows_args pack = {a->h, a->packed, count, a->storage};
    return cuda_check(context, w->state,
                      launch_pack_rows(w->state->device, cuda_blocks(count, EACH), &pack));
}

/* Gains are added up when a sweep, or a batch of its chunks, is through. */
static cafe_status give_gains(cafe_context *context, sweep *w) {
    int64_t batch = w->chunks->count < BATCH ? w->chunks->count : BATCH;
    sweep_args *a = &w->all;
    sum_gains_args *g = &w->gains;
    g->stride = a->work.stride, g->unit = a->unit, g->expected = a->expected, g->sign = a->sign;
    CAFE_PASS(add(context, w, batch, sizeof *a->work.taken, (void **)&a->work.taken));
    CAFE_PASS(add(context, w, batch, sizeof *a->count, (void **)&a->count));
    CAFE_PASS(add(context, w, batch * COPIES, sizeof *a->gains, (void **)&a->gains));
    CAFE_PASS(add(context, w, batch * COPIES * g->stride, sizeof *a->totals, (void **)&a->totals));
    CAFE_PASS(add(context, w, batch, sizeof *g->growths, (void **)&g->growths));
    g->gains = a->gains, g->totals = a->totals;
    return add(context, w, 1, sizeof *g->gain, (void **)&g->gain);
}

static void set_rule(const cafe_operator *op, const cafe_rule *rule, sweep_args *a) {
    const cafe_operator_parts *q = &op->parts;
    a->total = q->total, a->kappa = q->kappa, a->sign = q->sign;
    a->expected = -q->kappa * rule->resolution;
    a->softmax = rule->kind == CAFE_RULE_SOFTMAX, a->storage = rule->storage;
    a->gamma = rule->gamma, a->theta = rule->theta, a->mean_degree = rule->mean_degree;
    a->resolution = rule->resolution, a->unit = cafe_gain_unit(rule->resolution);
    a->per_unit = 1 / a->unit;
}

cafe_status cuda_sweep_open(cafe_context *context, const cafe_operator *op, void *held,
                            const cafe_rule *rule, int64_t chunks, const uint8_t *fixed,
                            cafe_block *h, void **made) {
    cuda_state *state = cuda_of(h);
    const cafe_engine_host *host = state->host;
    cafe_status status = CAFE_OK;
    sweep *w = *made = host->allocate(context, 1, sizeof *w);
    if (!w) return CAFE_ERROR_MEMORY;
    memset(w, 0, sizeof *w);
    w->state = state;
    w->all.work.links = ((const cuda_graph *)held)->links;
    w->all.h = h->x, w->all.work.stride = h->stride;
    set_rule(op, rule, &w->all);
    CAFE_TRY(host->lay_out(context, op, chunks, h->stride, &w->chunks));
    w->all.together = w->chunks->count < w->chunks->size;
    CAFE_TRY(cut(context, op, w));
    CAFE_TRY(fill_chunks(context, w));
    CAFE_TRY(add_copy(context, w, fixed, op->n, sizeof *fixed, (const void **)&w->all.work.skip));
    CAFE_TRY(pack_rows(context, h, w));
    CAFE_TRY(give_mean(context, op, held, h, w));
    CAFE_TRY(give_room(context, w));
    CAFE_TRY(give_gains(context, w));
done:
    return status;
}

/* Returns the arguments of chunk c. */
static sweep_args chunk_of(const sweep *w, int64_t c) {
    sweep_args a = w->all;
    int64_t start = w->chunks->starts[c], at = c % BATCH;
    a.work.range = w->ranges[c];
    a.work.x = (stored){a.h, a.packed, a.storage};
    a.work.wide = cuda_long_of(&w->wide, c, a.work.wide.sums);
    a.work.taken += at, a.count += at;
    a.mass += c;
    a.gains += at * COPIES;
    a.totals += at * COPIES * a.work.stride;
    if (a.work.inner) a.work.inner += start;
    if (a.inner_offsets) a.inner_offsets += start;
    return a;
}

static int launch_move(device *d, int64_t blocks, const sweep_args *a) {
    if (a->softmax || !cuda_warp_rows(a->work.stride)) return launch_move_any_rows(d, blocks, a);
    if (a->storage == CAFE_STORAGE_FLOAT16) return launch_move_float16_rows(d, blocks, a);
    if (a->storage == CAFE_STORAGE_BFLOAT16) return launch_move_bfloat16_rows(d, blocks, a);
    return launch_move_rows(d, blocks, a);
}

static cafe_status run_chunk(cafe_context *context, const sweep *w, int64_t c) {
    device *d = w->state->device;
    sweep_args a = chunk_of(w, c);
    if (a.work.range.count == 0) return CAFE_OK;
    int error = launch_move(d, cuda_warps(w->state, cuda_items(&a.work)), &a);
    if (!error && a.work.inner) error = launch_sum_inner(d, a.blocks, &a);
    if (!error) error = launch_settle(d, 1 + (a.work.inner ? a.blocks : 0), &a);
    return cuda_check(context, w->state, error);
}

/* The sums of a batch of chunks that begins with chunk `first`. */
static cafe_status clear_gains(cafe_context *context, const sweep *w, int64_t first) {
    device *d = w->state->device;
    const sweep_args *a = &w->all;
    int64_t left = w->chunks->count - first, batch = left < BATCH ? left : BATCH;
    int error = device_zero(d, a->work.taken, batch * (int64_t)sizeof *a->work.taken);
    if (!error) error = device_zero(d, a->count, batch * (int64_t)sizeof *a->count);
    if (!error) error = device_zero(d, a->gains, batch * COPIES * (int64_t)sizeof *a->gains);
    if (!error)
        error =
            device_zero(d, a->totals, batch * COPIES * a->work.stride * (int64_t)sizeof *a->totals);
    return cuda_check(context, w->state, error);
}

/* The gains of a batch of chunks that ends with chunk `last`. */
static cafe_status add_gains(cafe_context *context, const sweep *w, int64_t last) {
    sum_gains_args g = w->gains;
    g.chunks = last % BATCH + 1;
    int error = launch_sum_gains(w->state->device, g.chunks, &g);
    if (!error) error = launch_add_gains(w->state->device, 1, &g);
    return cuda_check(context, w->state, error);
}

cafe_status cuda_sweep_run(cafe_context *context, void *state, double *gain) {
    const sweep *w = state;
    CAFE_PASS(
        cuda_check(context, w->state, device_zero(w->state->device, w->gains.gain, sizeof *gain)));
    for (int64_t c = 0; c < w->chunks->count; c++) {
        CAFE_PASS(w->state->host->check_cancel(context));
        if (c % BATCH == 0) CAFE_PASS(clear_gains(context, w, c));
        CAFE_PASS(run_chunk(context, w, c));
        if (c % BATCH == BATCH - 1 || c == w->chunks->count - 1)
            CAFE_PASS(add_gains(context, w, c));
    }
    return cuda_get(context, w->state, gain, w->gains.gain, sizeof *gain);
}

cafe_status cuda_sweep_sums(cafe_context *context, void *state, bool put, double *s) {
    const sweep *w = state;
    if (put) return put_sums(context, w, s);
    return cuda_get(context, w->state, s, w->all.s, w->all.work.stride * (int64_t)sizeof *s);
}

const cafe_chunks *cuda_sweep_chunks(const void *state) {
    return ((const sweep *)state)->chunks;
}
