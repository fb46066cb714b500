/* The plan of a sweep: a process's nodes in the order of chunks, edges inside them, rows that
 * travel. */
#include <string.h>

#include "sweep.h"

/* The number of a place: an own row's or a ghost's. */
static int64_t number_of(const petsc_graph *g, int64_t place) {
    int64_t own = g->layout->own;
    return place < own ? g->layout->number[place] : g->ghost[place - own];
}

/* ---- the list -------------------------------------------------------------------------------- */

/* Counts into starts[1 ..], then sums. */
static void add_up(int64_t count, int64_t *starts) {
    for (int64_t i = 0; i < count; i++) starts[i + 1] += starts[i];
}

static int64_t *zeros(cafe_context *context, const petsc_state *state, int64_t count) {
    int64_t *all = state->host->allocate(context, count, sizeof *all);
    if (all) memset(all, 0, (size_t)count * sizeof *all);
    return all;
}

/* Lists places of the inner nodes in their chunks, then of the border nodes. */
static void put_nodes(const petsc_sweep *s, const int32_t *nodes, int64_t count, int64_t *next) {
    for (int64_t i = 0; i < count; i++) {
        int64_t c = cafe_chunk_of(s->chunks, s->graph->layout->number[nodes[i]]);
        s->plan.list[next[c]++] = nodes[i];
    }
}

static cafe_status list_nodes(cafe_context *context, petsc_sweep *s) {
    const cafe_engine_host *host = s->state->host;
    const petsc_graph *g = s->graph;
    int64_t own = g->layout->own, count = s->chunks->count;
    int64_t *next = zeros(context, s->state, count + 1);
    s->view.starts = zeros(context, s->state, count + 1);
    s->plan.inners = zeros(context, s->state, count + 1);
    s->plan.list = host->allocate(context, own, sizeof *s->plan.list);
    cafe_status status =
        next && s->view.starts && s->plan.inners && s->plan.list ? CAFE_OK : CAFE_ERROR_MEMORY;
    if (status == CAFE_OK) {
        for (int64_t i = 0; i < own; i++)
            s->view.starts[cafe_chunk_of(s->chunks, g->layout->number[i]) + 1]++;
        for (int64_t c = 0; c < count; c++)
            if (s->view.starts[c + 1] > s->plan.most) s->plan.most = s->view.starts[c + 1];
        add_up(count, s->view.starts);
        memcpy(next, s->view.starts, (size_t)(count + 1) * sizeof *next);
        put_nodes(s, g->inner, g->inners, next);
        for (int64_t c = 0; c < count; c++) s->plan.inners[c] = next[c] - s->view.starts[c];
        put_nodes(s, g->border, g->borders, next);
    }
    host->release(context, next);
    return status;
}

/* R_C, in the order of all nodes. */
static cafe_status add_masses(cafe_context *context, const cafe_operator *op, petsc_sweep *s) {
    s->view.mass = s->state->host->allocate(context, s->chunks->count, sizeof *s->view.mass);
    if (!s->view.mass) return CAFE_ERROR_MEMORY;
    for (int64_t c = 0; c < s->chunks->count; c++) s->view.mass[c] = 0;
    for (int64_t u = 0; u < op->n; u++)
        s->view.mass[cafe_chunk_of(s->chunks, u)] += op->parts.reach[u];
    return CAFE_OK;
}

/* ---- rows that travel ------------------------------------------------------------------------ */

/* Items of each neighbour, in its order, by chunks and in each by neighbours. Both ends of a way
 * have the same rows in the same order. numbers: of the items. */
static cafe_status sort_rows(cafe_context *context, const petsc_sweep *s, int64_t neighbours,
                             const PetscInt *offsets, const PetscInt *items, const int32_t *numbers,
                             int64_t **starts, int32_t **sorted, int64_t *most) {
    const cafe_engine_host *host = s->state->host;
    int64_t count = s->chunks->count, all = neighbours > 0 ? offsets[neighbours] : 0;
    int64_t *next = zeros(context, s->state, count * neighbours + 1);
    *starts = zeros(context, s->state, count * neighbours + 1);
    *sorted = host->allocate(context, all, sizeof **sorted);
    cafe_status status = next && *starts && *sorted ? CAFE_OK : CAFE_ERROR_MEMORY;
    for (int pass = 0; pass < 2 && status == CAFE_OK; pass++) {
        for (int64_t i = 0; i < neighbours; i++)
            for (int64_t j = offsets[i]; j < offsets[i + 1]; j++) {
                int64_t c = cafe_chunk_of(s->chunks, numbers[items[j]]), at = c * neighbours + i;
                if (pass == 0)
                    (*starts)[at + 1]++;
                else
                    (*sorted)[next[at]++] = (int32_t)items[j];
            }
        if (pass == 0) add_up(count * neighbours, *starts);
        if (pass == 0) memcpy(next, *starts, (size_t)(count * neighbours + 1) * sizeof *next);
    }
    for (int64_t c = 0; c < count && status == CAFE_OK; c++) {
        int64_t rows = (*starts)[(c + 1) * neighbours] - (*starts)[c * neighbours];
        if (rows > *most) *most = rows;
    }
    host->release(context, next);
    return status;
}

static cafe_status plan_travel(cafe_context *context, petsc_sweep *s) {
    const cafe_engine_host *host = s->state->host;
    const petsc_graph *g = s->graph;
    petsc_plan *plan = &s->plan;
    int64_t out = 0, in = 0, stride = s->h->stride;
    CAFE_PASS(sort_rows(context, s, g->receivers, g->to_offsets, g->to_roots, g->layout->number,
                        &plan->send_starts, &plan->send, &out));
    CAFE_PASS(sort_rows(context, s, g->senders, g->from_offsets, g->from_leaves, g->ghost,
                        &plan->receive_starts, &plan->receive, &in));
    plan->outgoing = host->allocate(context, out * stride, sizeof *plan->outgoing);
    plan->incoming = host->allocate(context, in * stride, sizeof *plan->incoming);
    plan->requests = host->allocate(context, g->receivers + g->senders, sizeof *plan->requests);
    return plan->outgoing && plan->incoming && plan->requests ? CAFE_OK : CAFE_ERROR_MEMORY;
}

/* ---- edges inside chunks --------------------------------------------------------------------- */

/* Is w another node of u's chunk? */
static bool inside(const cafe_chunks *c, int64_t u, int64_t w) {
    int64_t far = w - u, from = u / c->block * c->block;
    if (far == 0 || w < from || w >= from + c->block) return false;
    return (uint32_t)(far < 0 ? -far : far) % (uint32_t)c->step == 0;
}

/* Where own nodes stand in the list of their chunk, and ghosts among the rows that arrive. */
typedef struct spots {
    int32_t *own, *ghost;
} spots;

static cafe_status find_spots(cafe_context *context, const petsc_sweep *s, spots *at) {
    const cafe_engine_host *host = s->state->host;
    const petsc_graph *g = s->graph;
    at->own = host->allocate(context, g->layout->own, sizeof *at->own);
    at->ghost = host->allocate(context, g->ghosts, sizeof *at->ghost);
    if (!at->own || !at->ghost) return CAFE_ERROR_MEMORY;
    for (int64_t c = 0; c < s->chunks->count; c++)
        for (int64_t i = s->view.starts[c]; i < s->view.starts[c + 1]; i++)
            at->own[s->plan.list[i]] = (int32_t)(i - s->view.starts[c]);
    for (int64_t i = 0; i < g->ghosts; i++) at->ghost[s->plan.receive[i]] = (int32_t)i;
    return CAFE_OK;
}

/* One node's edges inside its chunk: counted, or with `fill` put down. An edge is its first node's.
 */
static void take_node(petsc_sweep *s, const cafe_operator_parts *q, const spots *at, int64_t i,
                      bool fill, int64_t *crossed, int64_t *moves) {
    const petsc_graph *g = s->graph;
    petsc_plan *plan = &s->plan;
    int64_t place = plan->list[i], u = g->layout->number[place], own = g->layout->own;
    int64_t next = fill ? plan->offsets[i] : 0;
    double sum = 0;
    bool keep = false;
    for (int64_t j = q->offsets[place]; j < q->offsets[place + 1]; j++) {
        int64_t target = q->targets[j], w = number_of(g, target);
        if (!inside(s->chunks, u, w)) continue;
        float weight = CAFE_LINK(q, place, j);
        sum += weight;
        if (w < u) continue;
        if (target >= own) {
            keep = true;
            if (fill)
                plan->cross[*crossed] =
                    (petsc_cross){(int32_t)*moves, at->ghost[target - own], weight};
            ++*crossed;
        } else if (fill) {
            plan->targets[next] = at->own[target], plan->weights[next] = weight;
        }
        next += target < own;
    }
    if (!fill) plan->offsets[i + 1] = next;
    if (!fill) s->view.inner[i] = q->p[place] > 0 ? (float)(sum / (q->p[place] * q->total)) : 0;
    if (fill) plan->kept[i] = keep ? (int32_t)(*moves)++ : -1;
    if (!fill && keep) ++*moves;
}

/* Keeps the moves of one chunk at a time, after one row of scratch. */
static void take_all(petsc_sweep *s, const cafe_operator_parts *q, const spots *at, bool fill,
                     int64_t *crossed, int64_t *most) {
    for (int64_t c = 0; c < s->chunks->count; c++) {
        int64_t moves = 1;
        for (int64_t i = s->view.starts[c]; i < s->view.starts[c + 1]; i++)
            take_node(s, q, at, i, fill, crossed, &moves);
        if (!fill) s->plan.cross_starts[c + 1] = *crossed;
        if (moves > *most) *most = moves;
    }
}

static cafe_status plan_links(cafe_context *context, const cafe_operator *op, petsc_sweep *s) {
    const cafe_engine_host *host = s->state->host;
    petsc_plan *plan = &s->plan;
    cafe_operator local = petsc_local_operator(s->graph, op);
    const cafe_operator_parts *q = &local.parts;
    int64_t own = s->graph->layout->own, crossed = 0, most = 0;
    cafe_status status = CAFE_ERROR_MEMORY;
    spots at = {NULL, NULL};
    plan->offsets = zeros(context, s->state, own + 1);
    plan->cross_starts = zeros(context, s->state, s->chunks->count + 1);
    plan->kept = host->allocate(context, own, sizeof *plan->kept);
    s->view.inner = host->allocate(context, own, sizeof *s->view.inner);
    if (!plan->offsets || !plan->cross_starts || !plan->kept || !s->view.inner) goto done;
    CAFE_TRY(find_spots(context, s, &at));
    take_all(s, q, &at, false, &crossed, &most);
    add_up(own, plan->offsets);
    plan->targets = host->allocate(context, plan->offsets[own], sizeof *plan->targets);
    plan->weights = host->allocate(context, plan->offsets[own], sizeof *plan->weights);
    plan->cross = host->allocate(context, crossed, sizeof *plan->cross);
    plan->moves = host->allocate(context, most * s->h->stride, sizeof *plan->moves);
    CAFE_TRY(plan->targets && plan->weights && plan->cross && plan->moves ? CAFE_OK
                                                                          : CAFE_ERROR_MEMORY);
    crossed = 0;
    take_all(s, q, &at, true, &crossed, &most);
done:
    host->release(context, at.own);
    host->release(context, at.ghost);
    return status;
}

/* ---- made and let go ------------------------------------------------------------------------- */

cafe_status petsc_plan_make(cafe_context *context, const cafe_operator *op, petsc_sweep *s) {
    s->view = *s->chunks;
    s->view.starts = NULL, s->view.mass = NULL, s->view.inner = NULL;
    CAFE_PASS(list_nodes(context, s));
    CAFE_PASS(add_masses(context, op, s));
    CAFE_PASS(plan_travel(context, s));
    return s->chunks->count < s->chunks->size ? plan_links(context, op, s) : CAFE_OK;
}

void petsc_plan_free(cafe_context *context, petsc_sweep *s) {
    const petsc_plan *p = &s->plan;
    void *all[] = {s->view.starts,    s->view.mass, s->view.inner, p->list,    p->inners,
                   p->offsets,        p->targets,   p->weights,    p->cross,   p->cross_starts,
                   p->kept,           p->moves,     p->send,       p->receive, p->send_starts,
                   p->receive_starts, p->outgoing,  p->incoming,   p->requests};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) s->state->host->release(context, all[i]);
}
