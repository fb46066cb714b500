/* Products of eight columns, of floats or doubles, for the eigensolver. */
#include <string.h>

#include "petsc.h"

enum { EIGHT = CAFE_EIGHT };

/* ---- sums ------------------------------------------------------------------------------------ */

typedef struct weigh_job {
    const petsc_layout *layout;
    const cafe_eights *kind;
    const double *p;
    const char *x;
    double *sums;
} weigh_job;

static void weigh_piece(void *argument, int64_t task, int32_t worker) {
    const weigh_job *job = argument;
    const petsc_layout *l = job->layout;
    int64_t piece = l->mine[task];
    (void)worker;
    job->kind->weigh(petsc_piece_size(l, piece), job->p + piece * l->piece,
                     job->x + l->base[piece] * EIGHT * job->kind->size, job->sums + piece * EIGHT);
}

/* s = sum over w of p_w x_w */
static cafe_status weigh(cafe_context *context, petsc_state *state, weigh_job *job, double *s) {
    const petsc_layout *l = job->layout;
    job->sums = state->host->allocate(context, l->pieces * EIGHT, sizeof *job->sums);
    if (!job->sums) return CAFE_ERROR_MEMORY;
    memset(job->sums, 0, (size_t)(l->pieces * EIGHT) * sizeof *job->sums);
    cafe_status status = state->host->parallel(context, l->count, weigh_piece, job);
    if (status == CAFE_OK) status = petsc_add_pieces(context, state, l, EIGHT, job->sums, s);
    state->host->release(context, job->sums);
    return status;
}

/* ---- products -------------------------------------------------------------------------------- */

/* Copies this process's rows and leaves room for ghosts after them; the block stays with the graph
 * for reuse. */
static cafe_status take_rows(cafe_context *context, const cafe_engine *engine, petsc_graph *g,
                             int64_t floats, const void *x) {
    if (g->eight.x && g->eight.stride != floats) petsc_drop(context, &g->eight);
    if (!g->eight.x) CAFE_PASS(petsc_make(context, engine, g->layout->n, floats, &g->eight));
    memcpy(g->eight.x, x, (size_t)(g->layout->own * floats) * sizeof *g->eight.x);
    return CAFE_OK;
}

/* As in graph.c: rows without ghosts are computed while ghosts arrive. */
static cafe_status multiply(cafe_context *context, const petsc_state *state, petsc_graph *g,
                            const cafe_operator_parts *q, bool single, const double *s, void *y) {
    cafe_range inner = {0, 1, g->inners, g->inner}, border = {0, 1, g->borders, g->border};
    const cafe_block *x = &g->eight;
    CAFE_PASS(petsc_ghosts_begin(context, g, x));
    CAFE_PASS(state->host->eight_rows(context, q, single, inner, s, x->x, y));
    CAFE_PASS(petsc_ghosts_end(context, g, x));
    return state->host->eight_rows(context, q, single, border, s, x->x, y);
}

cafe_status petsc_eight(cafe_context *context, const cafe_engine *engine, const cafe_operator *op,
                        void *held, bool single, const void *x, void *y) {
    petsc_state *state = engine->state;
    petsc_graph *g = held;
    const cafe_eights *kind = state->host->kernels()->eights[single ? 0 : 1];
    cafe_operator local = petsc_local_operator(g, op);
    cafe_range all = {0, 1, local.n, NULL};
    weigh_job job = {g->layout, kind, op->parts.p, x, NULL};
    double s[EIGHT] = {0};
    if (op->parts.kappa != 0) CAFE_PASS(weigh(context, state, &job, s));
    if (g->whole) return state->host->eight_rows(context, &local.parts, single, all, s, x, y);
    CAFE_PASS(take_rows(context, engine, g, EIGHT * kind->size / (int64_t)sizeof(float), x));
    return multiply(context, state, g, &local.parts, single, s, y);
}
