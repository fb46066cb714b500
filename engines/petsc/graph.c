/* The edges of a process's rows, the ghosts that they lead to, and products with them. */
#include "petsc.h"

#include <string.h>

/* ---- which rows of others -------------------------------------------------------------------- */

static void free_graph(cafe_context *context, petsc_state *state, petsc_graph *g) {
    const cafe_engine *processor = state->host->processor;
    void *all[] = {g->ghost, g->offsets, g->targets, g->weights, g->factor,
                   g->loops, g->p,       g->inner,   g->border};
    processor->ops->detach(context, processor, g->held);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) state->host->release(context, all[i]);
    petsc_trip_free(context, state->host, &g->trip);
    petsc_drop(context, &g->eight);
    if (g->sf) PetscSFDestroy(&g->sf);
    if (g->layout) petsc_leave(context, state, g->layout);
    state->host->release(context, g);
}

/* places[w]: first own rows, then ghosts in the order of their ids; -1: neither. */
static cafe_status find_ghosts(cafe_context *context, const petsc_state *state,
                               const cafe_operator_parts *q, petsc_graph *g, int32_t *places) {
    const petsc_layout *l = g->layout;
    memset(places, 0xFF, (size_t)q->n * sizeof *places);
    for (int64_t i = 0; i < l->own; i++) {
        int64_t u = l->number[i];
        for (int64_t j = q->offsets[u]; j < q->offsets[u + 1]; j++) places[q->targets[j]] = 0;
    }
    for (int64_t i = 0; i < l->own; i++) places[l->number[i]] = -1;
    for (int64_t w = 0; w < q->n; w++) g->ghosts += places[w] == 0;
    g->ghost = state->host->allocate(context, g->ghosts, sizeof *g->ghost);
    if (!g->ghost) return CAFE_ERROR_MEMORY;
    for (int64_t w = 0, at = 0; w < q->n; w++) {
        if (places[w] != 0) continue;
        places[w] = (int32_t)(l->own + at);
        g->ghost[at++] = (int32_t)w;
    }
    for (int64_t i = 0; i < l->own; i++) places[l->number[i]] = (int32_t)i;
    return CAFE_OK;
}

/* ---- the rows -------------------------------------------------------------------------------- */

static cafe_status allocate_links(cafe_context *context, const petsc_state *state,
                                  const cafe_operator_parts *q, petsc_graph *g) {
    const cafe_engine_host *host = state->host;
    const petsc_layout *l = g->layout;
    g->offsets = host->allocate(context, l->own + 1, sizeof *g->offsets);
    if (!g->offsets) return CAFE_ERROR_MEMORY;
    g->offsets[0] = 0;
    for (int64_t i = 0; i < l->own; i++) {
        int64_t u = l->number[i];
        g->offsets[i + 1] = g->offsets[i] + q->offsets[u + 1] - q->offsets[u];
    }
    int64_t arcs = g->offsets[l->own], all = l->own + g->ghosts;
    g->targets = host->allocate(context, arcs, sizeof *g->targets);
    g->p = host->allocate(context, all, sizeof *g->p);
    g->inner = host->allocate(context, l->own, sizeof *g->inner);
    g->border = host->allocate(context, l->own, sizeof *g->border);
    if (q->weights) g->weights = host->allocate(context, arcs, sizeof *g->weights);
    if (q->factor) g->factor = host->allocate(context, all, sizeof *g->factor);
    if (q->loops) g->loops = host->allocate(context, all, sizeof *g->loops);
    bool had = g->targets && g->p && g->inner && g->border && (!q->weights || g->weights) &&
               (!q->factor || g->factor) && (!q->loops || g->loops);
    return had ? CAFE_OK : CAFE_ERROR_MEMORY;
}

static void copy_row(const cafe_operator_parts *q, const int32_t *places, int64_t i,
                     petsc_graph *g) {
    int64_t from = q->offsets[g->layout->number[i]], at = g->offsets[i], own = g->layout->own;
    int64_t links = g->offsets[i + 1] - at;
    bool border = false;
    for (int64_t j = 0; j < links; j++) {
        g->targets[at + j] = places[q->targets[from + j]];
        border |= g->targets[at + j] >= own;
    }
    if (q->weights) memcpy(g->weights + at, q->weights + from, (size_t)links * sizeof *g->weights);
    if (border)
        g->border[g->borders++] = (int32_t)i;
    else
        g->inner[g->inners++] = (int32_t)i;
}

static cafe_status copy_links(cafe_context *context, const petsc_state *state,
                              const cafe_operator_parts *q, petsc_graph *g, const int32_t *places) {
    const petsc_layout *l = g->layout;
    CAFE_PASS(allocate_links(context, state, q, g));
    for (int64_t i = 0; i < l->own; i++) copy_row(q, places, i, g);
    for (int64_t i = 0; i < l->own + g->ghosts; i++) {
        int64_t u = i < l->own ? l->number[i] : g->ghost[i - l->own];
        g->p[i] = q->p[u];
        if (q->factor) g->factor[i] = q->factor[u];
        if (q->loops) g->loops[i] = q->loops[u];
    }
    return CAFE_OK;
}

/* ---- the star forest ------------------------------------------------------------------------- */

static cafe_status plant(cafe_context *context, const petsc_state *state, petsc_graph *g) {
    const petsc_layout *l = g->layout;
    cafe_status status = CAFE_OK;
    PetscSFNode *roots = state->host->allocate(context, g->ghosts, sizeof *roots);
    if (!roots) return CAFE_ERROR_MEMORY;
    for (int64_t i = 0; i < g->ghosts; i++) {
        int64_t w = g->ghost[i];
        roots[i].rank = l->owner[w / l->piece];
        roots[i].index = (PetscInt)petsc_place(l, w);
    }
    CAFE_TRY(petsc_check(context, state, PetscSFCreate(state->comm, &g->sf)));
    CAFE_TRY(petsc_check(context, state,
                         PetscSFSetGraph(g->sf, (PetscInt)l->own, (PetscInt)g->ghosts, NULL,
                                         PETSC_OWN_POINTER, roots, PETSC_COPY_VALUES)));
    CAFE_TRY(petsc_check(context, state, PetscSFSetUp(g->sf)));
    CAFE_TRY(petsc_check(context, state,
                         PetscSFGetRootRanks(g->sf, &g->senders, &g->from, &g->from_offsets,
                                             &g->from_leaves, NULL)));
    CAFE_TRY(petsc_check(
        context, state,
        PetscSFGetLeafRanks(g->sf, &g->receivers, &g->to, &g->to_offsets, &g->to_roots)));
done:
    state->host->release(context, roots);
    return status;
}

/* ---- attached -------------------------------------------------------------------------------- */

static void take_parts(const cafe_operator *op, petsc_graph *g) {
    g->local = *op;
    cafe_operator_parts *q = &g->local.parts;
    if (g->held) q->weights = g->held, q->factor = NULL;
    if (g->whole) return;
    g->local.n = q->n = g->layout->own;
    q->offsets = g->offsets, q->targets = g->targets, q->weights = g->weights;
    q->factor = g->factor, q->loops = g->loops, q->p = q->reach = g->p;
}

cafe_operator petsc_local_operator(const petsc_graph *g, const cafe_operator *op) {
    cafe_operator local = g->local;
    local.parts.sign = op->parts.sign;
    local.parts.kappa = op->parts.kappa;
    return local;
}

static cafe_status divide_links(cafe_context *context, const petsc_state *state,
                                const cafe_operator *op, petsc_graph *g) {
    int32_t *places = state->host->allocate(context, op->n, sizeof *places);
    if (!places) return CAFE_ERROR_MEMORY;
    cafe_status status = find_ghosts(context, state, &op->parts, g, places);
    if (status == CAFE_OK) status = copy_links(context, state, &op->parts, g, places);
    state->host->release(context, places);
    return status == CAFE_OK && g->layout->sole < 0 ? plant(context, state, g) : status;
}

cafe_status petsc_attach(cafe_context *context, const cafe_engine *engine, const cafe_operator *op,
                         int64_t stride, void **held) {
    petsc_state *state = engine->state;
    cafe_status status = CAFE_OK;
    *held = NULL;
    if (!op->parts.offsets || op->parts.f)
        return state->host->fail(context, CAFE_ERROR_ARGUMENT,
                                 "the engine '%s' runs graphs, not tables or sums of operators",
                                 engine->name);
    petsc_graph *g = state->host->allocate(context, 1, sizeof *g);
    if (!g) return CAFE_ERROR_MEMORY;
    *g = (petsc_graph){.whole = false};
    CAFE_TRY(petsc_lay(context, state, op->n, &g->layout));
    g->whole = g->layout->sole == state->rank;
    const cafe_engine *processor = state->host->processor;
    if (g->whole)
        CAFE_TRY(processor->ops->attach(context, processor, op, stride, &g->held));
    else
        CAFE_TRY(divide_links(context, state, op, g));
    take_parts(op, g);
    state->ghosts = g->ghosts;
    *held = g;
    return CAFE_OK;
done:
    free_graph(context, state, g);
    return status;
}

void petsc_detach(cafe_context *context, const cafe_engine *engine, void *held) {
    free_graph(context, engine->state, held);
}

/* ---- products -------------------------------------------------------------------------------- */

typedef struct mean_job {
    const cafe_block *x;
    const petsc_layout *layout;
    const double *p;
    const cafe_kernels *kernels;
    double *sums;
} mean_job;

static void sum_piece(void *argument, int64_t task, int32_t worker) {
    const mean_job *job = argument;
    const petsc_layout *l = job->layout;
    int64_t piece = l->mine[task], stride = job->x->stride;
    double *sum = job->sums + piece * stride;
    (void)worker;
    for (int64_t i = 0; i < petsc_piece_size(l, piece); i++)
        job->kernels->accumulate(stride, job->p[piece * l->piece + i],
                                 job->x->x + (l->base[piece] + i) * stride, sum);
}

cafe_status petsc_project(cafe_context *context, const cafe_operator *op, void *held,
                          const cafe_block *x, double *s) {
    petsc_state *state = petsc_of(x);
    const petsc_layout *l = petsc_layout_of(x);
    mean_job job = {x, l, op->parts.p, state->host->kernels(), NULL};
    (void)held;
    job.sums = state->host->allocate(context, l->pieces * x->stride, sizeof *job.sums);
    if (!job.sums) return CAFE_ERROR_MEMORY;
    memset(job.sums, 0, (size_t)(l->pieces * x->stride) * sizeof *job.sums);
    cafe_status status = state->host->parallel(context, l->count, sum_piece, &job);
    if (status == CAFE_OK) status = petsc_add_pieces(context, state, l, x->stride, job.sums, s);
    state->host->release(context, job.sums);
    return status;
}

/* Rows without ghosts are computed while ghosts arrive. */
static cafe_status multiply(cafe_context *context, const petsc_state *state, petsc_graph *g,
                            const cafe_operator *local, cafe_side side, float a,
                            const cafe_block *x, const double *s, float b, float c, cafe_block *y) {
    cafe_range inner = {0, 1, g->inners, g->inner}, border = {0, 1, g->borders, g->border};
    CAFE_PASS(petsc_ghosts_begin(context, g, x));
    CAFE_PASS(state->host->product_rows(context, local, side, inner, x->stride, x->x, s, a, b, c,
                                        y->stride, y->x));
    CAFE_PASS(petsc_ghosts_end(context, g, x));
    cafe_status status = state->host->product_rows(context, local, side, border, x->stride, x->x, s,
                                                   a, b, c, y->stride, y->x);
    if (g->swept != x->x) petsc_ghosts_leave(g, x);
    return status;
}

static cafe_status one_step(cafe_context *context, const cafe_operator *op, petsc_graph *g,
                            cafe_side side, float a, const cafe_block *x, float b, float c,
                            cafe_block *y) {
    const petsc_state *state = petsc_of(x);
    cafe_operator local = petsc_local_operator(g, op);
    cafe_range all = {0, 1, local.n, NULL};
    double *s = state->host->allocate(context, x->stride, sizeof *s);
    cafe_status status = s ? CAFE_OK : CAFE_ERROR_MEMORY;
    if (status == CAFE_OK && op->parts.kappa != 0) status = petsc_project(context, op, g, x, s);
    if (status == CAFE_OK && g->whole)
        status = state->host->product_rows(context, &local, side, all, x->stride, x->x, s, a, b, c,
                                           y->stride, y->x);
    else if (status == CAFE_OK)
        status = multiply(context, state, g, &local, side, a, x, s, b, c, y);
    state->host->release(context, s);
    return status;
}

/* y <- b x + c y where `first`, then y <- y + a f_u power */
typedef struct power_job {
    const float *x, *power;
    const double *factors; /* f; NULL: 1 */
    int64_t stride;
    float a, b, c, *y;
    bool first;
} power_job;

static void add_power(void *argument, int64_t first, int64_t last) {
    const power_job *job = argument;
    for (int64_t u = first; u < last; u++) {
        float factor = (float)(job->a * (job->factors ? job->factors[u] : 1));
        for (int64_t i = u * job->stride; i < (u + 1) * job->stride; i++) {
            float old = job->c != 0 ? job->c * job->y[i] : 0;
            if (job->first) job->y[i] = old + (job->b != 0 ? job->b * job->x[i] : 0);
            job->y[i] += factor * job->power[i];
        }
    }
}

/* Walks of 1 to T steps: a / T times each power of D^-1 Q of one step (operator/walk_operator.c).
 */
static cafe_status walk_product(cafe_context *context, const cafe_operator *op, petsc_graph *g,
                                cafe_side side, float a, const cafe_block *x, float b, float c,
                                cafe_block *y) {
    enum { ROWS = 1024 };
    const petsc_state *state = petsc_of(x);
    cafe_status status = CAFE_OK;
    cafe_block power[2] = {{0}, {0}};
    cafe_operator step = *op;
    power_job add = {.x = x->x, .y = y->x, .stride = x->stride, .b = b, .c = c};
    add.a = (float)op->parts.sign * a / (float)op->window;
    add.factors = side == CAFE_SIDE_PLAIN ? g->local.parts.p : NULL;
    step.parts.sign = 1, step.parts.kappa = -1;
    for (int i = 0; i < 2; i++)
        CAFE_TRY(petsc_make(context, x->engine, x->n, x->columns, &power[i]));
    for (int64_t t = 0; t < op->window; t++) {
        const cafe_block *from = t ? &power[(t + 1) % 2] : x;
        CAFE_TRY(one_step(context, &step, g, CAFE_SIDE_WALK, 1, from, 0, 0, &power[t % 2]));
        add.power = power[t % 2].x, add.first = t == 0;
        CAFE_TRY(state->host->ranges(context, g->layout->own, ROWS, add_power, &add));
    }
done:
    for (int i = 0; i < 2; i++) petsc_drop(context, &power[i]);
    return status;
}

cafe_status petsc_product(cafe_context *context, const cafe_operator *op, void *held,
                          cafe_side side, float a, const cafe_block *x, float b, float c,
                          cafe_block *y) {
    y->columns = x->columns;
    return (op->window > 1 ? walk_product : one_step)(context, op, held, side, a, x, b, c, y);
}
