/* The layers that are kept: nested partitions with their modularity; connected at the top. */
#include <string.h>

#include "base/memory.h"
#include "base/thread_pool.h"
#include "solve/layers_factors.h"

enum { NODES = 1 << 14 }; /* of a task */

/* ---- modularity ------------------------------------------------------------------------------ */

/* modularity = sum over S of p(S,S) - resolution p(S)^2, where
 *
 *     p(S,S) = (loops + arcs inside S) / total,   p(S) = sum of the masses of its nodes.
 *
 * part NULL: every node of the pooled graph is a community.
 */
cafe_status cafe_layers_modularity(cafe_context *context, const cafe_pooled *g, double resolution,
                                   const int32_t *part, int64_t count, double *modularity) {
    double *mass = cafe_mem_zero(context, count, sizeof *mass), inside = 0, expected = 0;
    if (!mass) return CAFE_ERROR_MEMORY;
    for (int64_t u = 0; u < g->n; u++) {
        mass[part ? part[u] : u] += g->mass[u];
        inside += cafe_pooled_loop(g, u);
        if (!part) continue;
        for (int64_t j = g->offsets[u]; j < g->offsets[u + 1]; j++)
            if (g->targets[j] != u && part[g->targets[j]] == part[u])
                inside += cafe_pooled_weight(g, u, j);
    }
    for (int64_t i = 0; i < count; i++) expected += mass[i] * mass[i];
    cafe_mem_free(context, mass);
    if (g->null.width > 0)
        CAFE_PASS(cafe_factors_expected(context, g, part, count, NULL, &expected));
    *modularity = inside / g->total - resolution * expected;
    return cafe_check_cancel(context);
}

/* ---- the object ------------------------------------------------------------------------------ */

cafe_layers *cafe_layers_new(cafe_context *context, int64_t nodes) {
    cafe_layers *layers = cafe_mem_zero(context, 1, sizeof *layers);
    if (!layers) return NULL;
    layers->context = context;
    layers->nodes = nodes;
    return layers;
}

void cafe_layers_free(cafe_layers *layers) {
    if (!layers) return;
    for (int64_t i = 0; i < CAFE_MOST_LAYERS; i++) {
        cafe_mem_free_all(layers->context, layers->at[i].partition, layers->at[i].parent);
    }
    cafe_mem_free(layers->context, layers);
}

int64_t cafe_layers_count(const cafe_layers *layers) {
    return layers->count;
}

const cafe_layer *cafe_layers_get(const cafe_layers *layers, int64_t index) {
    return &layers->at[index];
}

/* partition[u] = group[finer[u]]; finer NULL: group[u] */
typedef struct compose_job {
    const int32_t *finer, *group;
    int32_t *partition;
} compose_job;

static void compose(void *argument, int64_t first, int64_t last) {
    const compose_job *job = argument;
    for (int64_t u = first; u < last; u++)
        job->partition[u] = job->group[job->finer ? job->finer[u] : u];
}

/* Adds a coarser layer: group[i] is the new community of community i of the layer below (of node i
 * for the first layer). Its partition is the composition group o partition below, so layers are
 * nested. */
cafe_status cafe_layers_add(cafe_context *context, cafe_layers *layers, const int32_t *group,
                            int64_t communities, double modularity) {
    int64_t i = layers->count;
    cafe_layer *below = i > 0 ? &layers->at[i - 1] : NULL;
    compose_job job = {below ? below->partition : NULL, group,
                       cafe_mem(context, layers->nodes, sizeof *job.partition)};
    if (!job.partition) return CAFE_ERROR_MEMORY;
    layers->at[i] = (cafe_layer){
        .partition = job.partition, .communities = communities, .modularity = modularity};
    layers->count++;
    CAFE_PASS(cafe_ranges(context, layers->nodes, NODES, compose, &job));
    if (!below) return CAFE_OK;
    /* the communities of the layer below are the nodes that were grouped */
    int32_t *parent = cafe_mem(context, below->communities, sizeof *parent);
    if (!parent) return CAFE_ERROR_MEMORY;
    memcpy(parent, group, (size_t)below->communities * sizeof *parent);
    below->parent = parent;
    return CAFE_OK;
}

/* ---- the nodes' own order, communities by size
 * ------------------------------------------------------------------ */

/* One layer: its partition by places, the one by nodes, and what became of the numbers. */
typedef struct restore_job {
    const int32_t *place, *by_place;
    int32_t *partition, *number;
} restore_job;

static int64_t place_of(const restore_job *job, int64_t u) {
    return job->place ? job->place[u] : u;
}

static void take_places(void *argument, int64_t first, int64_t last) {
    const restore_job *job = argument;
    for (int64_t u = first; u < last; u++) job->partition[u] = job->by_place[place_of(job, u)];
}

static void note_numbers(void *argument, int64_t first, int64_t last) {
    const restore_job *job = argument;
    for (int64_t u = first; u < last; u++)
        __atomic_store_n(&job->number[job->by_place[place_of(job, u)]], job->partition[u],
                         __ATOMIC_RELAXED);
}

/* Numbers by size, of equal ones by first appearance among the nodes; number[communities] is
 * allocated here. */
static cafe_status restore_layer(cafe_context *context, const cafe_layers *layers,
                                 cafe_layer *layer, const int32_t *place, int32_t **number) {
    int64_t n = layers->nodes, count;
    restore_job job = {.place = place, .by_place = layer->partition};
    cafe_status status = CAFE_OK;
    job.partition = cafe_mem(context, n, sizeof *job.partition);
    *number = job.number = cafe_mem(context, layer->communities, sizeof *job.number);
    CAFE_TRY(cafe_mem_had(job.partition, job.number));
    CAFE_TRY(cafe_ranges(context, n, NODES, take_places, &job));
    CAFE_TRY(cafe_groups_number(context, n, job.partition, &count));
    CAFE_TRY(cafe_groups_by_size(context, n, job.partition, count));
    CAFE_TRY(cafe_ranges(context, n, NODES, note_numbers, &job));
    layer->partition = job.partition;
    job.partition = NULL;
    cafe_mem_free(context, job.by_place);
done:
    cafe_mem_free(context, job.partition);
    return status;
}

/* parent[i] = j becomes parent[lower[i]] = upper[j] */
static cafe_status restore_parents(cafe_context *context, cafe_layer *layer, const int32_t *lower,
                                   const int32_t *upper) {
    int32_t *parent = cafe_mem(context, layer->communities, sizeof *parent);
    if (!parent) return CAFE_ERROR_MEMORY;
    for (int64_t i = 0; i < layer->communities; i++) parent[lower[i]] = upper[layer->parent[i]];
    cafe_mem_free(context, layer->parent);
    layer->parent = parent;
    return CAFE_OK;
}

/* Translates all layers from places back to node ids, and numbers their communities by size. With
 * number_i the new numbers of layer i, the parents become
 *
 *     parent'[number_i[c]] = number_{i+1}[parent[c]].
 */
cafe_status cafe_layers_restore(cafe_context *context, cafe_layers *layers, const int32_t *place) {
    cafe_status status = CAFE_OK;
    int32_t *lower = NULL, *upper = NULL;
    for (int64_t i = 0; i < layers->count; i++) {
        CAFE_TRY(restore_layer(context, layers, &layers->at[i], place, &upper));
        if (i > 0) CAFE_TRY(restore_parents(context, &layers->at[i - 1], lower, upper));
        cafe_mem_free(context, lower);
        lower = upper;
        upper = NULL;
    }
done:
    cafe_mem_free_all(context, lower, upper);
    return status;
}

/* ---- connected communities ------------------------------------------------------------------- */

/* Numbers by first appearance the pieces in which each community of part hangs together. */
static int32_t find_pieces(const cafe_pooled *g, const int32_t *part, int32_t *piece,
                           int32_t *stack) {
    int32_t count = 0;
    for (int64_t u = 0; u < g->n; u++) piece[u] = -1;
    for (int64_t first = 0; first < g->n; first++) {
        int64_t height = 0;
        if (piece[first] >= 0) continue;
        piece[first] = count;
        stack[height++] = (int32_t)first;
        while (height > 0) {
            int32_t u = stack[--height];
            for (int64_t j = g->offsets[u]; j < g->offsets[u + 1]; j++) {
                int32_t w = g->targets[j];
                if (piece[w] >= 0 || part[w] != part[u]) continue;
                piece[w] = count;
                stack[height++] = w;
            }
        }
        count++;
    }
    return count;
}

/* Replaces each community by its connected pieces. Claim: the modularity does not fall, since for
 * pieces T, T' of one community p(T,T') = 0, and separating them changes it by
 *
 *     2 resolution p(T) p(T') >= 0.
 */
cafe_status cafe_layers_connect(cafe_context *context, const cafe_pooled *g, int32_t *part,
                                int64_t *count) {
    int32_t *piece = cafe_mem(context, g->n, sizeof *piece);
    int32_t *stack = cafe_mem(context, g->n, sizeof *stack);
    cafe_status status = cafe_mem_had(piece, stack);
    if (status == CAFE_OK) {
        *count = find_pieces(g, part, piece, stack);
        memcpy(part, piece, (size_t)g->n * sizeof *part);
    }
    cafe_mem_free_all(context, piece, stack);
    return status;
}
