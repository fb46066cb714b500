/* Graphs on the device, and products with them. */

#include "cuda.h"

/* ---- long rows ------------------------------------------------------------------------------- */

typedef struct long_job {
    const int64_t *offsets;
    const nodes *ranges;
    int64_t *starts, *pieces;
    long_row *rows; /* NULL: they are counted */
} long_job;

/* Counts or lists the long rows of each range. */
static void find_long(void *argument, int64_t first, int64_t last) {
    const long_job *job = argument;
    for (int64_t r = first; r < last; r++) {
        const nodes *range = &job->ranges[r];
        int64_t rows = 0, pieces = 0;
        for (int64_t i = 0; i < range->count; i++) {
            int64_t u = range->first + i * range->step;
            int64_t here = job->offsets[u + 1] - job->offsets[u];
            if (here <= LONG) continue;
            if (job->rows)
                job->rows[job->starts[r] + rows] = (long_row){(int32_t)i, (int32_t)pieces};
            rows++;
            pieces += cuda_blocks(here, PIECE);
        }
        if (job->rows) continue;
        job->starts[r + 1] = rows;
        job->pieces[r] = pieces;
    }
}

cafe_status cuda_long_find(cafe_context *context, const cuda_state *state, const int64_t *offsets,
                           int64_t count, const nodes *ranges, cuda_long *found) {
    const cafe_engine_host *host = state->host;
    cafe_status status = CAFE_OK;
    long_row *rows = NULL;
    void *there = NULL, *done = NULL;
    *found = (cuda_long){0};
    found->starts = host->allocate(context, count + 1, sizeof *found->starts);
    found->pieces = host->allocate(context, count, sizeof *found->pieces);
    CAFE_TRY(found->starts && found->pieces ? CAFE_OK : CAFE_ERROR_MEMORY);
    long_job job = {offsets, ranges, found->starts, found->pieces, NULL};
    CAFE_TRY(host->ranges(context, count, 1, find_long, &job));
    found->starts[0] = 0;
    for (int64_t r = 0; r < count; r++) {
        found->starts[r + 1] += found->starts[r];
        if (found->pieces[r] > found->most) found->most = found->pieces[r];
    }
    if (found->most == 0) goto done;
    job.rows = rows = host->allocate(context, found->starts[count], sizeof *rows);
    CAFE_TRY(rows ? CAFE_OK : CAFE_ERROR_MEMORY);
    CAFE_TRY(host->ranges(context, count, 1, find_long, &job));
    CAFE_TRY(cuda_give(context, state, rows, found->starts[count], sizeof *rows, &there));
    CAFE_TRY(cuda_new(context, state, found->starts[count], sizeof *found->done, &done));
    CAFE_TRY(cuda_check(
        context, state,
        device_zero(state->device, done, found->starts[count] * (int64_t)sizeof *found->done)));
done:
    found->rows = there, found->done = done;
    host->release(context, rows);
    return status;
}

long_rows cuda_long_of(const cuda_long *found, int64_t range, float *sums) {
    int64_t first = found->starts[range];
    if (found->starts[range + 1] == first) return (long_rows){0};
    return (long_rows){found->rows + first, found->starts[range + 1] - first, found->pieces[range],
                       found->done + first, sums};
}

void cuda_long_free(cafe_context *context, const cuda_state *state, cuda_long *found) {
    device_release(state->device, found->rows);
    device_release(state->device, found->done);
    state->host->release(context, found->starts);
    state->host->release(context, found->pieces);
    *found = (cuda_long){0};
}

/* ---- held ------------------------------------------------------------------------------------ */

/* Finds an operator that is on the device already. */
static cuda_shared *find(const cuda_state *state, const void *here, int64_t bytes, bool weighed) {
    cuda_shared *s = state->shared;
    while (s && (s->here != here || s->bytes != bytes || s->weighed != weighed)) s = s->next;
    if (s) s->holders++;
    return s;
}

static cafe_status keep(cafe_context *context, cuda_state *state, cuda_shared shared,
                        const void **there) {
    cuda_shared *s = state->host->allocate(context, 1, sizeof *s);
    if (!s) return CAFE_ERROR_MEMORY;
    *s = shared;
    s->next = state->shared, s->holders = 1;
    state->shared = s;
    *there = s->there;
    return CAFE_OK;
}

/* The device's copy of an array; NULL stays NULL. */
static cafe_status take(cafe_context *context, cuda_state *state, const void *here, int64_t count,
                        size_t size, const void **there) {
    int64_t bytes = count * (int64_t)size;
    cuda_shared *s = here ? find(state, here, bytes, false) : NULL;
    void *made = NULL;
    *there = s ? s->there : NULL;
    if (!here || s) return CAFE_OK;
    cafe_status status = cuda_give(context, state, here, count, size, &made);
    if (status == CAFE_OK)
        status =
            keep(context, state, (cuda_shared){.here = here, .there = made, .bytes = bytes}, there);
    if (status != CAFE_OK) device_release(state->device, made);
    return status;
}

static void let_go(cafe_context *context, cuda_state *state, const void *there) {
    cuda_shared **at = &state->shared;
    if (!there) return;
    while ((*at)->there != there) at = &(*at)->next;
    cuda_shared *s = *at;
    if (--s->holders > 0) return;
    *at = s->next;
    device_release(state->device, s->there);
    state->host->release(context, s);
}

static void free_graph(cafe_context *context, cuda_state *state, cuda_graph *g) {
    const links *l = &g->links;
    const void *all[] = {l->offsets, l->targets, l->weights, l->factor, l->loops, l->p};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) let_go(context, state, all[i]);
    cuda_long_free(context, state, &g->wide);
    state->host->release(context, g->ranges);
    state->host->release(context, g);
}

/* Factors are random reads, one an edge in every sweep: if there is room, the weights of all
 * edges, with their factors, take their place. */
static cafe_status weigh(cafe_context *context, cuda_state *state, const cafe_operator_parts *q,
                         links *l) {
    enum { SHARE = 8 }; /* at most one part in SHARE of the free memory */
    int64_t left, all, bytes = q->offsets[q->n] * (int64_t)sizeof *q->weights;
    weigh_links_args a = {*l, NULL, cuda_warps(state, q->n)};
    cafe_status status = CAFE_OK;
    const void *weights = NULL;
    device_memory(state->device, &left, &all);
    cuda_shared *s = find(state, q->factor, bytes, true);
    if (!s && bytes > left / SHARE) return CAFE_OK;
    if (s) {
        weights = s->there;
    } else {
        a.weights = device_allocate(state->device, bytes);
        if (!a.weights) return CAFE_OK;
        status = cuda_check(context, state, launch_weigh_links(state->device, a.blocks, &a));
        if (status == CAFE_OK)
            status =
                keep(context, state,
                     (cuda_shared){
                         .here = q->factor, .there = a.weights, .bytes = bytes, .weighed = true},
                     &weights);
        if (status != CAFE_OK) device_release(state->device, a.weights);
    }
    if (status != CAFE_OK) return status;
    let_go(context, state, l->factor);
    let_go(context, state, l->weights);
    l->factor = NULL, l->weights = weights;
    return CAFE_OK;
}

static cafe_status take_links(cafe_context *context, cuda_state *state,
                              const cafe_operator_parts *q, links *l) {
    int64_t n = q->n, arcs = q->offsets[n];
    l->n = n;
    CAFE_PASS(take(context, state, q->offsets, n + 1, 8, (const void **)&l->offsets));
    CAFE_PASS(take(context, state, q->p, n, sizeof *q->p, (const void **)&l->p));
    CAFE_PASS(take(context, state, q->factor, n, sizeof *q->factor, (const void **)&l->factor));
    CAFE_PASS(take(context, state, q->loops, n, sizeof *q->loops, (const void **)&l->loops));
    CAFE_PASS(take(context, state, q->targets, arcs, 4, (const void **)&l->targets));
    CAFE_PASS(take(context, state, q->weights, arcs, 4, (const void **)&l->weights));
    return q->factor ? weigh(context, state, q, l) : CAFE_OK;
}

/* Slices of nodes for products, and their long rows. */
static cafe_status cut_slices(cafe_context *context, const cuda_state *state,
                              const int64_t *offsets, cuda_graph *g) {
    enum { SLICE = 1 << 20 };
    int64_t n = g->links.n;
    g->slices = cuda_blocks(n, SLICE);
    g->ranges = state->host->allocate(context, g->slices, sizeof *g->ranges);
    if (!g->ranges) return CAFE_ERROR_MEMORY;
    for (int64_t i = 0; i < g->slices; i++) {
        int64_t left = n - i * SLICE;
        g->ranges[i] = (nodes){i * SLICE, 1, left < SLICE ? left : SLICE};
    }
    return cuda_long_find(context, state, offsets, g->slices, g->ranges, &g->wide);
}

cafe_status cuda_attach(cafe_context *context, const cafe_engine *engine, const cafe_operator *op,
                        int64_t stride, void **held) {
    cuda_state *state = engine->state;
    const cafe_operator_parts *q = &op->parts;
    cafe_status status = CAFE_OK;
    (void)stride;
    *held = NULL;
    if (!q->offsets || q->f)
        return state->host->fail(context, CAFE_ERROR_ARGUMENT,
                                 "the engine '%s' runs graphs, not tables or sums of operators",
                                 engine->name);
    cuda_graph *g = state->host->allocate(context, 1, sizeof *g);
    if (!g) return CAFE_ERROR_MEMORY;
    *g = (cuda_graph){0};
    CAFE_TRY(take_links(context, state, q, &g->links));
    if (q->p) CAFE_TRY(cut_slices(context, state, q->offsets, g)); /* otherwise only degrees */
    *held = g;
    return CAFE_OK;
done:
    free_graph(context, state, g);
    return status;
}

void cuda_detach(cafe_context *context, const cafe_engine *engine, void *held) {
    free_graph(context, engine->state, held);
}

cafe_status cuda_degrees(cafe_context *context, const cafe_engine *engine, void *held,
                         double *degrees) {
    const cuda_state *state = engine->state;
    cafe_status status = CAFE_OK;
    sum_degrees_args a = {.links = ((const cuda_graph *)held)->links};
    void *there = NULL;
    CAFE_TRY(cuda_new(context, state, a.links.n, sizeof *degrees, &there));
    a.degrees = there;
    CAFE_TRY(
        cuda_check(context, state,
                   launch_sum_degrees(state->device, cuda_blocks(a.links.n, BLOCK / WARP), &a)));
    CAFE_TRY(cuda_get(context, state, degrees, there, a.links.n * (int64_t)sizeof *degrees));
done:
    device_release(state->device, there);
    return status;
}

/* ---- products -------------------------------------------------------------------------------- */

cafe_status cuda_project(cafe_context *context, const cafe_operator *op, void *held,
                         const cafe_block *x, double *s) {
    (void)held;
    return cuda_sum_columns(context, cuda_of(x), x, x->stride, op->parts.p, SUM_PLAIN, s);
}

/* Computes S in single precision, scaled for subtraction, on the device. */
static cafe_status give_mean(cafe_context *context, const cafe_operator *op, void *held,
                             const cafe_block *x, void **there) {
    const cuda_state *state = cuda_of(x);
    const cafe_operator_parts *q = &op->parts;
    double *s = state->host->allocate(context, x->stride, sizeof *s);
    float *single = state->host->allocate(context, x->stride, sizeof *single);
    cafe_status status = s && single ? CAFE_OK : CAFE_ERROR_MEMORY;
    if (status == CAFE_OK && q->kappa != 0) status = cuda_project(context, op, held, x, s);
    for (int64_t k = 0; k < x->stride && status == CAFE_OK; k++)
        single[k] = q->kappa != 0 ? (float)(-(q->kappa * q->sign) * s[k]) : 0;
    if (status == CAFE_OK)
        status = cuda_give(context, state, single, x->stride, sizeof *single, there);
    state->host->release(context, s);
    state->host->release(context, single);
    return status;
}

static cafe_status multiply_slice(cafe_context *context, const cuda_state *state,
                                  const cuda_graph *g, int64_t slice, multiply_rows_args a) {
    a.work.range = g->ranges[slice];
    a.work.wide = cuda_long_of(&g->wide, slice, a.work.wide.sums);
    a.work.taken += slice;
    CAFE_PASS(state->host->check_cancel(context));
    int64_t blocks = cuda_warps(state, cuda_items(&a.work));
    return cuda_check(context, state,
                      cuda_warp_rows(a.work.stride)
                          ? launch_multiply_rows(state->device, blocks, &a)
                          : launch_multiply_short_rows(state->device, blocks, &a));
}

static cafe_status one_step(cafe_context *context, const cafe_operator *op, cuda_graph *g,
                            cafe_side side, float a, const cafe_block *x, float b, float c,
                            cafe_block *y) {
    const cuda_state *state = cuda_of(x);
    cafe_status status = CAFE_OK;
    void *s = NULL, *sums = NULL, *taken = NULL;
    CAFE_TRY(give_mean(context, op, g, x, &s));
    CAFE_TRY(cuda_new(context, state, g->wide.most * x->stride, sizeof(float), &sums));
    CAFE_TRY(cuda_new(context, state, g->slices, sizeof(int32_t), &taken));
    CAFE_TRY(cuda_check(context, state,
                        device_zero(state->device, taken, g->slices * (int64_t)sizeof(int32_t))));
    multiply_rows_args all = {.work = {.links = g->links, .x = {.x = x->x}, .stride = x->stride}};
    all.work.wide.sums = sums, all.work.taken = taken;
    all.s = s, all.y = y->x, all.total = op->parts.total, all.walk = side == CAFE_SIDE_WALK;
    all.a = (float)op->parts.sign * a, all.b = b, all.c = c;
    for (int64_t i = 0; i < g->slices; i++) CAFE_TRY(multiply_slice(context, state, g, i, all));
done:
    device_release(state->device, s);
    device_release(state->device, sums);
    device_release(state->device, taken);
    return status;
}

/* Walks of 1 to T steps: Y = b X + c Y, then a / T times each power of D^-1 Q of one step. */
static cafe_status walk_product(cafe_context *context, const cafe_operator *op, cuda_graph *g,
                                cafe_side side, float a, const cafe_block *x, float b, float c,
                                cafe_block *y) {
    enum { EACH = 1024 };
    const cuda_state *state = cuda_of(x);
    cafe_status status = CAFE_OK;
    cafe_block power[2] = {{0}, {0}};
    cafe_operator step = *op;
    add_power_args add = {.x = x->x, .y = y->x, .rows = x->n, .stride = x->stride, .b = b, .c = c};
    add.a = (float)op->parts.sign * a / (float)op->window;
    add.p = side == CAFE_SIDE_PLAIN ? g->links.p : NULL;
    step.parts.sign = 1, step.parts.kappa = -1;
    for (int i = 0; i < 2; i++)
        CAFE_TRY(x->engine->ops->make(context, x->engine, x->n, x->columns, &power[i]));
    for (int64_t t = 0; t < op->window; t++) {
        const cafe_block *from = t ? &power[(t + 1) % 2] : x;
        CAFE_TRY(one_step(context, &step, g, CAFE_SIDE_WALK, 1, from, 0, 0, &power[t % 2]));
        add.power = power[t % 2].x, add.first = t == 0;
        CAFE_TRY(
            cuda_check(context, state,
                       launch_add_power(state->device, cuda_blocks(x->n * x->stride, EACH), &add)));
    }
done:
    for (int i = 0; i < 2; i++)
        if (power[i].x) x->engine->ops->drop(context, &power[i]);
    return status;
}

cafe_status cuda_product(cafe_context *context, const cafe_operator *op, void *held, cafe_side side,
                         float a, const cafe_block *x, float b, float c, cafe_block *y) {
    y->columns = x->columns;
    return (op->window > 1 ? walk_product : one_step)(context, op, held, side, a, x, b, c, y);
}
