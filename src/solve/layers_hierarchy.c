/* One hierarchy of the multi-layer method: levels that move, refine and pool.
 *
 *     move     nodes to their best communities, until none gains
 *     refine   every community into connected parts
 *     pool     each part into a node of the next level, which starts in these communities
 *
 * until nothing is pooled. layers.c builds hierarchies in rounds and keeps the best.
 */
#include "solve/layers_hierarchy.h"

#include "base/memory.h"
#include "base/thread_pool.h"
#include "graph/permutation.h"
#include "solve/layers_factors.h"

enum {
    NODES = 1 << 14, /* of a task */
    INNER_ROUNDS = 3 /* hierarchies built on a level of a large graph, at most */
};

/* The upper layers of a large graph take less time. They are built again while the last of these
 * builds gained this much; the next one gains a small part of that. */
static const double fair_progress = 1e-4;

typedef struct level {
    const cafe_pooled *g;
    int32_t *part;  /* of its nodes */
    int64_t count;  /* communities */
    int32_t *group; /* what is pooled: the refined partition, or part itself */
    int64_t groups;
} level;

static void free_level(cafe_context *context, level *l) {
    if (l->group != l->part) cafe_mem_free(context, l->group);
    cafe_mem_free(context, l->part);
    l->group = l->part = NULL;
}

/* The start of the nodes' communities: given, or every node alone. */
typedef struct start_job {
    const int32_t *start;
    int32_t *part;
} start_job;

static void start_parts(void *argument, int64_t first, int64_t last) {
    const start_job *job = argument;
    for (int64_t u = first; u < last; u++) job->part[u] = job->start ? job->start[u] : (int32_t)u;
}

static cafe_status open_finest(cafe_context *context, const cafe_pooled *g, const int32_t *start,
                               level *l) {
    *l = (level){.g = g, .part = cafe_mem(context, g->n, sizeof(int32_t))};
    if (!l->part) return CAFE_ERROR_MEMORY;
    return cafe_ranges(context, g->n, NODES, start_parts, &(start_job){start, l->part});
}

/* A group starts in the community of its members, which all have the same. */
typedef struct inherit_job {
    const level *l;
    int32_t *part;
} inherit_job;

/* part[group[u]] = part[u]; all members of a group agree. */
static void inherit_parts(void *argument, int64_t first, int64_t last) {
    const inherit_job *job = argument;
    for (int64_t u = first; u < last; u++)
        __atomic_store_n(&job->part[job->l->group[u]], job->l->part[u], __ATOMIC_RELAXED);
}

static cafe_status open_coarse(cafe_context *context, const cafe_pooled *g, const level *finer,
                               level *l) {
    *l = (level){.g = g, .part = cafe_mem(context, g->n, sizeof(int32_t))};
    if (!l->part) return CAFE_ERROR_MEMORY;
    return cafe_ranges(context, finer->g->n, NODES, inherit_parts, &(inherit_job){finer, l->part});
}

/* Afterwards part is numbered by first appearance. */
static cafe_status move_level(cafe_context *context, const cafe_hierarchy *h, level *l) {
    CAFE_PASS(cafe_layers_move(context, l->g, h->options->resolution, h->options->chunks, h->turn,
                               l->part));
    return cafe_groups_number(context, l->g->n, l->part, &l->count);
}

typedef struct gather_job {
    const int32_t *order, *part;
    int32_t *place, *by_place;
} gather_job;

/* place[order[i]] = i, and the partition in the new order. */
static void gather_parts(void *argument, int64_t first, int64_t last) {
    const gather_job *job = argument;
    for (int64_t i = first; i < last; i++) {
        job->place[job->order[i]] = (int32_t)i;
        job->by_place[i] = job->part[job->order[i]];
    }
}

/* Orders the nodes of a large graph in memory by its first communities. From now on the finest
 * level is this copy. */
static cafe_status gather_level(cafe_context *context, cafe_hierarchy *h, level *l) {
    int64_t n = l->g->n;
    cafe_groups groups = {0, NULL, NULL};
    cafe_status status = CAFE_OK;
    gather_job job = {.part = l->part, .by_place = cafe_mem(context, n, sizeof(int32_t))};
    h->place = job.place = cafe_mem(context, n, sizeof(int32_t));
    CAFE_TRY(cafe_mem_had(job.by_place, job.place));
    CAFE_TRY(cafe_groups_new(context, n, l->part, l->count, &groups));
    job.order = groups.member;
    CAFE_TRY(cafe_ranges(context, n, NODES, gather_parts, &job));
    CAFE_TRY(cafe_pooled_permute(context, l->g, groups.member, h->place, &h->gathered));
    h->finest = l->g = h->gathered;
    int32_t *before = l->part;
    l->part = job.by_place;
    job.by_place = before;
done:
    cafe_groups_free(context, &groups);
    cafe_mem_free(context, job.by_place);
    return status;
}

/* Afterwards group is numbered by first appearance. */
static cafe_status refine_level(cafe_context *context, cafe_hierarchy *h, level *l) {
    l->group = l->part;
    l->groups = l->count;
    if (!h->options->refine) return CAFE_OK;
    l->group = cafe_mem(context, l->g->n, sizeof *l->group);
    CAFE_PASS(l->group ? CAFE_OK : CAFE_ERROR_MEMORY);
    CAFE_PASS(cafe_layers_refine(context, l->g, h->options->resolution, l->part, l->count,
                                 h->turn++, h->gather, l->group));
    return cafe_groups_number(context, l->g->n, l->group, &l->groups);
}

/* Pools the level's groups; the coarse nodes start in the communities of their members. */
static cafe_status pool_level(cafe_context *context, cafe_hierarchy *h, const level *l,
                              cafe_pooled **coarse, level *next) {
    double modularity;
    *next = (level){0};
    CAFE_PASS(cafe_coarsen(context, l->g, l->group, l->groups, coarse));
    CAFE_PASS(cafe_layers_modularity(context, *coarse, h->options->resolution, NULL, l->groups,
                                     &modularity));
    CAFE_PASS(cafe_layers_add(context, h->layers, l->group, l->groups, modularity));
    return open_coarse(context, *coarse, l, next);
}

/* Closes the last level: its communities become the top layer, unless they are its nodes and the
 * layer below has them already. */
static cafe_status close_top(cafe_context *context, cafe_hierarchy *h, level *l) {
    double modularity, resolution = h->options->resolution;
    if (l->count == l->g->n && h->layers->count > 0) return CAFE_OK;
    if (h->options->refine && l->g->null.width > 0)
        CAFE_PASS(cafe_factors_connect(context, l->g, resolution, l->part, &l->count));
    else if (h->options->refine)
        CAFE_PASS(cafe_layers_connect(context, l->g, l->part, &l->count));
    CAFE_PASS(cafe_layers_modularity(context, l->g, resolution, l->part, l->count, &modularity));
    return cafe_layers_add(context, h->layers, l->part, l->count, modularity);
}

/* Adds the layers that were built on the communities of the top layer. */
static cafe_status add_layers(cafe_context *context, const cafe_layers *inner,
                              cafe_layers *layers) {
    if (inner->at[0].communities == inner->nodes) return CAFE_OK; /* the top layer already */
    for (int64_t i = 0; i < inner->count; i++)
        CAFE_PASS(cafe_layers_add(context, layers,
                                  i > 0 ? inner->at[i - 1].parent : inner->at[0].partition,
                                  inner->at[i].communities, inner->at[i].modularity));
    return CAFE_OK;
}

/* Builds the rest of a large hierarchy, from its first pooled level on. The rest takes much less
 * time than the finest level, so it is built again from its own result while that gains. */
static cafe_status build_inner(cafe_context *context, cafe_hierarchy *h, const level *l) {
    cafe_status status = CAFE_OK;
    cafe_layers *best = NULL;
    cafe_hierarchy in = *h;
    double before;
    in.finest = l->g, in.start = l->part, in.inner = true;
    CAFE_TRY(
        cafe_layers_modularity(context, l->g, h->options->resolution, l->part, l->g->n, &before));
    for (int i = 0; i < INNER_ROUNDS; i++) {
        CAFE_TRY(cafe_hierarchy_build(context, &in));
        if (best && !(top_modularity(in.layers) > before)) break;
        cafe_layers_free(best);
        best = in.layers;
        in.layers = NULL;
        in.start = top_partition(best);
        if (top_modularity(best) - before < fair_progress) break;
        before = top_modularity(best);
    }
    h->turn = in.turn;
    CAFE_TRY(add_layers(context, best, h->layers));
done:
    cafe_layers_free(in.layers);
    cafe_layers_free(best);
    return status;
}

/* After the first moves and refinement of nodes that began alone: are the parts trees? */
static cafe_status test_trees(cafe_context *context, cafe_hierarchy *h, const level *l) {
    double modularity;
    h->trees = false;
    if (!h->even || h->start || h->layers->count > 0) return CAFE_OK;
    CAFE_PASS(cafe_layers_modularity(context, l->g, h->options->resolution, l->group, l->groups,
                                     &modularity));
    h->trees = cafe_layers_are_trees(l->g, l->groups, modularity);
    return CAFE_OK;
}

/* One hierarchy. Each level moves, refines and pools:
 *
 *     part  = local moving from the level's start       modularity does not fall
 *     group = refinement of part                        group is finer than part
 *     next  = the graph of the groups, whose nodes start in the part of their members
 *
 * Pooling keeps modularity: a partition of the groups has the modularity of the partition of the
 * nodes that it induces. So the modularity never falls from level to level, and the last level,
 * where each node is a group, has the best.
 */
cafe_status cafe_hierarchy_build(cafe_context *context, cafe_hierarchy *h) {
    cafe_status status = CAFE_OK;
    cafe_pooled *coarse = NULL;
    level now = {0}, next = {0};
    h->layers = cafe_layers_new(context, h->finest->n);
    CAFE_TRY(h->layers ? CAFE_OK : CAFE_ERROR_MEMORY);
    CAFE_TRY(open_finest(context, h->finest, h->start, &now));
    for (;;) {
        cafe_pooled *made = NULL;
        CAFE_TRY(move_level(context, h, &now));
        if (h->gather && !h->gathered) CAFE_TRY(gather_level(context, h, &now));
        CAFE_TRY(refine_level(context, h, &now));
        CAFE_TRY(test_trees(context, h, &now));
        if (h->trees) goto done;
        if (now.groups == now.g->n || h->layers->count + 1 + h->inner == CAFE_MOST_LAYERS) break;
        status = pool_level(context, h, &now, &made, &next);
        free_level(context, &now);
        cafe_pooled_free(coarse);
        coarse = made;
        now = next;
        next = (level){0};
        CAFE_TRY(status);
        if (!h->gather || h->inner) continue;
        CAFE_TRY(build_inner(context, h, &now));
        goto done;
    }
    CAFE_TRY(close_top(context, h, &now));
done:
    free_level(context, &now);
    cafe_pooled_free(coarse);
    return status;
}

/* ---- a large graph --------------------------------------------------------------------------- */

/* A hierarchy from this many labels, 0: from single nodes, which replaces h->layers if it is
 * better.
 */
static cafe_status try_labels(cafe_context *context, cafe_hierarchy *h, int64_t labels,
                              int32_t *part) {
    cafe_status status = CAFE_OK;
    cafe_layers *before = h->layers;
    h->layers = NULL;
    h->start = labels > 0 ? part : NULL;
    if (labels > 0)
        CAFE_TRY(
            cafe_layers_anneal(context, h->finest, h->options->resolution, h->turn, labels, part));
    CAFE_TRY(cafe_hierarchy_build(context, h));
    if (!before || top_modularity(h->layers) > top_modularity(before)) {
        cafe_layers_free(before);
        return CAFE_OK;
    }
done:
    cafe_layers_free(h->layers);
    h->layers = before;
    return status;
}

/* Few labels find weaker communities than many do, and fewer of them. So they are tried while the
 * result might be that of a random graph, and single nodes after that. */
cafe_status cafe_hierarchy_begin(cafe_context *context, cafe_hierarchy *h, int32_t *part) {
    static const int64_t labels[] = {256, 32, 0};
    h->start = NULL;
    h->even = h->options->refine && h->finest->null.width == 0 && cafe_layers_are_even(h->finest);
    CAFE_PASS(cafe_hierarchy_build(context, h));
    if (!h->trees) return CAFE_OK;
    cafe_layers_free(h->layers);
    h->layers = NULL;
    h->even = h->trees = false;
    for (size_t i = 0; i < sizeof labels / sizeof *labels; i++) {
        CAFE_PASS(try_labels(context, h, labels[i], part));
        if (top_modularity(h->layers) > cafe_layers_random_level(h->finest)) break;
    }
    return CAFE_OK;
}
