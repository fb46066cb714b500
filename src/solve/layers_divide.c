/* Communities that a large graph joins too early, and that moves of single nodes cannot divide.
 *
 * For a node of degree d the expected term of a community S is worth an edge only when S has 1/d of
 * all edges. On a large graph parts of a few nodes therefore join whatever they have an edge to,
 * and communities of different blocks end in one lump.
 *
 * Inside a lump few edges lead from block to block. A search from single nodes in the graph without
 * the edges between communities finds the blocks again. This graph has the same masses and the same
 * edges inside, so a partition that is finer has the same modularity in both graphs. The division
 * is tried only when a sample shows that it gains much, so that it costs little elsewhere.
 */
#include <string.h>

#include "base/memory.h"
#include "base/thread_pool.h"
#include "solve/layers_factors.h"
#include "solve/layers_search.h"

enum {
    NODES = 4096,    /* of a task */
    SAMPLE_PART = 16 /* 1 of so many nodes is in a community that is divided for a test */
};

/* Of divisions, per share of the edges: 1e-2 and more on lumps, and below 1e-4 elsewhere. */
static const double division_gain = 1e-3;
static const double mean_size = 1 - 1e-6; /* without rounding */

/* ---- the graph inside communities ------------------------------------------------------------ */

/* Some nodes of g, node[i], with the arcs inside their communities. The graph made has masses and
 * total of g. */
typedef struct inside_job {
    const cafe_pooled *g;
    const int32_t *part, *node;
    int32_t *where; /* of each node of g: its place in node[], for the chosen ones */
    bool count;     /* arcs are counted, not copied */
    int64_t *offsets;
    int32_t *targets;
    float *single, *factor;
    double *pooled, *loops, *mass, *f;
} inside_job;

static void copy_arc(const inside_job *job, int64_t arc, int64_t to) {
    const cafe_pooled *g = job->g;
    job->targets[to] = job->where[g->targets[arc]];
    if (job->single) job->single[to] = g->single[arc];
    if (job->pooled) job->pooled[to] = g->pooled[arc];
}

/* Counts the arcs of each node inside its community, or copies them. */
static void pass_rows(void *argument, int64_t first, int64_t last) {
    const inside_job *job = argument;
    const cafe_pooled *g = job->g;
    for (int64_t i = first; i < last; i++) {
        int64_t u = job->node[i], to = job->count ? 0 : job->offsets[i];
        for (int64_t arc = g->offsets[u]; arc < g->offsets[u + 1]; arc++) {
            if (job->part[g->targets[arc]] != job->part[u]) continue;
            if (!job->count) copy_arc(job, arc, to);
            to++;
        }
        if (job->count) job->offsets[i + 1] = to;
    }
}

static void copy_nodes(void *argument, int64_t first, int64_t last) {
    const inside_job *job = argument;
    for (int64_t i = first; i < last; i++) {
        int32_t u = job->node[i];
        job->where[u] = (int32_t)i;
        job->mass[i] = job->g->mass[u];
        if (job->loops) job->loops[i] = job->g->loops[u];
        if (job->factor) job->factor[i] = job->g->factor[u];
    }
    if (job->f)
        cafe_factors_copy(&job->g->null, job->node + first, last - first,
                          job->f + first * job->g->null.width);
}

static void free_inside(cafe_context *context, inside_job *job) {
    cafe_mem_free_all(context, job->where, job->offsets, job->targets, job->single, job->factor,
                      job->pooled, job->loops, job->mass, job->f);
}

/* Memory for a copy of `from`, unless that is NULL. */
static cafe_status room_like(cafe_context *context, const void *from, int64_t count, size_t size,
                             void *room) {
    void *made = from ? cafe_mem(context, count, size) : NULL;
    memcpy(room, &made, sizeof made);
    return from && !made ? CAFE_ERROR_MEMORY : CAFE_OK;
}

static cafe_status take_nodes(cafe_context *context, int64_t n, inside_job *job) {
    const cafe_pooled *g = job->g;
    CAFE_PASS(room_like(context, g->mass, g->n, sizeof *job->where, &job->where));
    CAFE_PASS(room_like(context, g->mass, n, sizeof *job->mass, &job->mass));
    CAFE_PASS(room_like(context, g->loops, n, sizeof *job->loops, &job->loops));
    CAFE_PASS(room_like(context, g->factor, n, sizeof *job->factor, &job->factor));
    CAFE_PASS(room_like(context, g->null.f, n * g->null.width, sizeof *job->f, &job->f));
    CAFE_PASS(room_like(context, g->offsets, n + 1, sizeof *job->offsets, &job->offsets));
    return cafe_ranges(context, n, NODES, copy_nodes, job);
}

static cafe_status take_inside(cafe_context *context, int64_t n, inside_job *job) {
    const cafe_pooled *g = job->g;
    CAFE_PASS(take_nodes(context, n, job));
    job->count = true;
    CAFE_PASS(cafe_ranges(context, n, NODES, pass_rows, job));
    job->offsets[0] = 0;
    for (int64_t i = 0; i < n; i++) job->offsets[i + 1] += job->offsets[i];
    int64_t arcs = job->offsets[n];
    CAFE_PASS(room_like(context, g->targets, arcs, sizeof *job->targets, &job->targets));
    CAFE_PASS(room_like(context, g->single, arcs, sizeof *job->single, &job->single));
    CAFE_PASS(room_like(context, g->pooled, arcs, sizeof *job->pooled, &job->pooled));
    job->count = false;
    return cafe_ranges(context, n, NODES, pass_rows, job);
}

static cafe_pooled graph_of(const inside_job *job, int64_t n) {
    cafe_factors null = job->g->null;
    null.f = job->f;
    return (cafe_pooled){.n = n,
                         .offsets = job->offsets,
                         .targets = job->targets,
                         .single = job->single,
                         .factor = job->factor,
                         .pooled = job->pooled,
                         .loops = job->loops,
                         .mass = job->mass,
                         .null = null,
                         .total = job->g->total,
                         .widest = job->g->widest};
}

/* ---- divide ---------------------------------------------------------------------------------- */

/* A hierarchy from single nodes inside the communities part[g->n] of node[n]: its top layer is
 * found[n], and *modularity the sum over its communities. */
static cafe_status divide(cafe_context *context, const cafe_hierarchy *h, const int32_t *part,
                          const int32_t *node, int64_t n, int32_t *found, double *modularity) {
    cafe_status status = CAFE_OK;
    inside_job job = {.g = h->finest, .part = part, .node = node};
    cafe_hierarchy inner = {.options = h->options, .turn = h->turn};
    CAFE_TRY(take_inside(context, n, &job));
    cafe_pooled inside = graph_of(&job, n);
    inner.finest = &inside;
    CAFE_TRY(cafe_hierarchy_begin(context, &inner, found));
    *modularity = top_modularity(inner.layers);
    memcpy(found, top_partition(inner.layers), (size_t)n * sizeof *found);
done:
    free_inside(context, &job);
    cafe_layers_free(inner.layers);
    return status;
}

/* Some communities of at least mean size, since lumps are larger than communities, chosen in a
 * random order until they have one of SAMPLE_PART nodes by p. */
typedef struct sample {
    const int32_t *part; /* of all nodes */
    int64_t count;       /* communities */
    int32_t *order, *node;
    double *mass;    /* of each community */
    uint8_t *chosen; /* likewise */
    double share;    /* of p that the chosen ones have */
    int64_t nodes;   /* in them: node[] */
} sample;

static void choose_communities(const cafe_context *context, const cafe_hierarchy *h, sample *s) {
    const cafe_pooled *g = h->finest;
    for (int64_t c = 0; c < s->count; c++) s->order[c] = (int32_t)c;
    for (int64_t u = 0; u < g->n; u++) s->mass[s->part[u]] += g->mass[u];
    cafe_layers_shuffle(context->seed, 8 * h->turn + 6, 0, s->count, s->order);
    for (int64_t i = 0; i < s->count && s->share * SAMPLE_PART < 1; i++) {
        if (s->mass[s->order[i]] * (double)s->count < mean_size) continue;
        s->chosen[s->order[i]] = 1;
        s->share += s->mass[s->order[i]];
    }
    for (int64_t u = 0; u < g->n; u++)
        if (s->chosen[s->part[u]]) s->node[s->nodes++] = (int32_t)u;
}

/* The modularity of the chosen communities: sum of p(S,S) - resolution p(S)^2. */
static cafe_status chosen_modularity(cafe_context *context, const cafe_hierarchy *h,
                                     const sample *s, double *modularity) {
    const cafe_pooled *g = h->finest;
    double inside = 0, expected = 0;
    for (int64_t i = 0; i < s->nodes; i++) {
        int32_t u = s->node[i];
        inside += cafe_pooled_loop(g, u);
        for (int64_t arc = g->offsets[u]; arc < g->offsets[u + 1]; arc++)
            if (g->targets[arc] != u && s->part[g->targets[arc]] == s->part[u])
                inside += cafe_pooled_weight(g, u, arc);
    }
    for (int64_t c = 0; c < s->count; c++)
        if (s->chosen[c]) expected += s->mass[c] * s->mass[c];
    if (g->null.width > 0)
        CAFE_PASS(cafe_factors_expected(context, g, s->part, s->count, s->chosen, &expected));
    *modularity = inside / g->total - h->options->resolution * expected;
    return CAFE_OK;
}

cafe_status cafe_layers_may_divide(cafe_context *context, const cafe_hierarchy *h,
                                   const cafe_layers *layers, bool *may) {
    cafe_status status = CAFE_OK;
    int64_t n = h->finest->n, count = layers->at[layers->count - 1].communities;
    double modularity, before;
    sample s = {.part = top_partition(layers), .count = count};
    int32_t *found = cafe_mem(context, n, sizeof *found);
    s.order = cafe_mem(context, count, sizeof *s.order);
    s.node = cafe_mem(context, n, sizeof *s.node);
    s.mass = cafe_mem_zero(context, count, sizeof *s.mass);
    s.chosen = cafe_mem_zero(context, count, sizeof *s.chosen);
    CAFE_TRY(cafe_mem_had(found, s.order, s.node, s.mass, s.chosen));
    choose_communities(context, h, &s);
    CAFE_TRY(divide(context, h, s.part, s.node, s.nodes, found, &modularity));
    CAFE_TRY(chosen_modularity(context, h, &s, &before));
    *may = modularity - before > division_gain * s.share;
done:
    cafe_mem_free_all(context, found, s.order, s.node, s.mass, s.chosen);
    return status;
}

cafe_status cafe_layers_divide(cafe_context *context, const cafe_hierarchy *h,
                               const cafe_layers *layers, int32_t *part) {
    int64_t n = h->finest->n;
    double modularity;
    int32_t *node = cafe_mem(context, n, sizeof *node);
    if (!node) return CAFE_ERROR_MEMORY;
    for (int64_t u = 0; u < n; u++) node[u] = (int32_t)u;
    cafe_status status = divide(context, h, top_partition(layers), node, n, part, &modularity);
    cafe_mem_free(context, node);
    return status;
}
