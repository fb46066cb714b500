/* The multi-layer method: algorithm 3 of the paper, with Leiden's refinement.
 *
 * A round builds a hierarchy of levels:
 *
 *     move     nodes to their best communities, until none gains
 *     refine   every community into connected parts
 *     pool     each part into a node of the next level, which starts in these communities
 *
 * until nothing is pooled. While rounds gain much, the next round starts from the last result, so
 * that nodes can leave again. Then, unless the graph is large, rounds start from every node alone,
 * and from the communities on which this fresh result and the best one agree. Without refinement
 * communities themselves are pooled, in one round: the form of the paper. docs/algorithms/layers.md
 * has the arguments.
 */
#include "solve/layers.h"

#include <math.h>
#include <stddef.h>

#include "base/memory.h"
#include "base/option.h"
#include "base/thread_pool.h"
#include "engine/engine.h"
#include "graph/permutation.h"
#include "solve/exact_partition.h"

enum {
    NODES = 1 << 14,   /* of a task */
    MOST_FAILURES = 3, /* fresh starts without success that end the search */
    INNER_ROUNDS = 3   /* hierarchies built on a level of a large graph, at most */
};

/* Rounds by default, by the number of arcs: many for graphs that take milliseconds. */
static const struct {
    int64_t arcs, rounds;
} default_rounds[] = {{1 << 18, 20}, {1 << 20, 10}, {INT64_MAX, 8}};

enum {
    LARGE_ARCS = 1 << 20, /* arcs of graphs for which fresh starts take too long, */
    GATHER_ARCS = 1 << 22 /* and of graphs that do not fit into the caches */
};

/* Limits of modularity gains: of a round to be repeated at once; of the upper layers of a large
 * graph, which take less time; expected of a round of a large graph; and of anything worth its
 * time. */
static const double large_progress = 1e-3, fair_progress = 1e-5, slow_progress = 3e-6,
                    least_progress = 1e-7;
/* Sums of fewer than 300 terms in different orders differ by less. */
static const double rounding = 1e-13;

/* ---- options --------------------------------------------------------------------------------- */

static const cafe_option layers_options[] = {
    {"resolution", "R", CAFE_OPTION_REAL, offsetof(cafe_layers_options, resolution), 1, 0, 1e12,
     NULL, "weight of the expected links; larger values give smaller communities"},
    {"refine", "yes|no", CAFE_OPTION_SWITCH, offsetof(cafe_layers_options, refine), 1, 0, 1, NULL,
     "make communities connected, as Leiden does; without it one hierarchy is built as in the "
     "paper"},
    {"rounds", "N", CAFE_OPTION_INTEGER | CAFE_OPTION_TUNE, offsetof(cafe_layers_options, rounds),
     0, 0, 1e9, NULL,
     "hierarchies built at most, with " CAFE_OPT(
         "refine=yes") "; 0 is 20 for small graphs, 8 for large ones"},
    {"chunks", "B", CAFE_OPTION_INTEGER | CAFE_OPTION_TUNE, offsetof(cafe_layers_options, chunks),
     0, 0, 2147483647, NULL,
     "groups of nodes that move together; 0 chooses by size, as many as nodes moves one at a time"},
    {"columns", "K", CAFE_OPTION_INTEGER, offsetof(cafe_layers_options, columns), 256, 1, 65536,
     NULL, "columns of the embedding at most; layers of more communities are mixed down"},
};
enum { LAYERS_OPTIONS = sizeof layers_options / sizeof *layers_options };

/* Without the last one, which is for vectors. */
const cafe_option_table *cafe_layers_option_table(void) {
    static const cafe_option_table table = {
        "layers", "hard communities layer by layer: move, refine, pool, repeat",
        sizeof(cafe_layers_options), layers_options, LAYERS_OPTIONS - 1};
    return &table;
}

const cafe_option_table *cafe_layers_vectors_option_table(void) {
    static const cafe_option_table table = {"layers", "the communities of all layers side by side",
                                            sizeof(cafe_layers_options), layers_options,
                                            LAYERS_OPTIONS};
    return &table;
}

/* ---- one hierarchy --------------------------------------------------------------------------- */

typedef struct level {
    const cafe_pooled *g;
    int32_t *part;  /* of its nodes */
    int64_t count;  /* communities */
    int32_t *group; /* what is pooled: the refined partition, or part itself */
    int64_t groups;
} level;

typedef struct hierarchy {
    const cafe_layers_options *options;
    const cafe_pooled *finest;
    const int32_t *start;  /* of the finest nodes; NULL: every node alone */
    uint64_t turn;         /* grows with every refinement */
    bool gather;           /* large: nodes of a community lie together in memory; */
    cafe_pooled *gathered; /* then this is the finest level, with nodes at these places */
    int32_t *place;
    bool inner; /* built on the first pooled level of another hierarchy */
    cafe_layers *layers;
} hierarchy;

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
static cafe_status move_level(cafe_context *context, const hierarchy *h, level *l) {
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
static cafe_status gather_level(cafe_context *context, hierarchy *h, level *l) {
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
static cafe_status refine_level(cafe_context *context, hierarchy *h, level *l) {
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
static cafe_status pool_level(cafe_context *context, hierarchy *h, const level *l,
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
static cafe_status close_top(cafe_context *context, hierarchy *h, level *l) {
    double modularity, resolution = h->options->resolution;
    if (l->count == l->g->n && h->layers->count > 0) return CAFE_OK;
    if (h->options->refine) CAFE_PASS(cafe_layers_connect(context, l->g, l->part, &l->count));
    CAFE_PASS(cafe_layers_modularity(context, l->g, resolution, l->part, l->count, &modularity));
    return cafe_layers_add(context, h->layers, l->part, l->count, modularity);
}

/* The modularity of the top layer, the largest of the hierarchy. */
static double top_modularity(const cafe_layers *layers) {
    return layers->at[layers->count - 1].modularity;
}

static const int32_t *top_partition(const cafe_layers *layers) {
    return layers->at[layers->count - 1].partition;
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

static cafe_status build(cafe_context *context, hierarchy *h);

/* Builds the rest of a large hierarchy, from its first pooled level on. The rest takes much less
 * time than the finest level, so it is built again from its own result while that gains. */
static cafe_status build_inner(cafe_context *context, hierarchy *h, const level *l) {
    cafe_status status = CAFE_OK;
    cafe_layers *best = NULL;
    hierarchy in = *h;
    in.finest = l->g, in.start = l->part, in.inner = true;
    for (int i = 0; i < INNER_ROUNDS; i++) {
        double before = best ? top_modularity(best) : -HUGE_VAL;
        CAFE_TRY(build(context, &in));
        if (!(top_modularity(in.layers) > before)) break;
        cafe_layers_free(best);
        best = in.layers;
        in.layers = NULL;
        in.start = top_partition(best);
        if (top_modularity(best) - before < fair_progress) break;
    }
    h->turn = in.turn;
    CAFE_TRY(add_layers(context, best, h->layers));
done:
    cafe_layers_free(in.layers);
    cafe_layers_free(best);
    return status;
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
static cafe_status build(cafe_context *context, hierarchy *h) {
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

/* ---- rounds ---------------------------------------------------------------------------------- */

/* How a round starts. */
typedef enum start {
    START_FRESH, /* every node alone */
    START_LAST,  /* from the partition the last round found */
    START_MEET,  /* from the communities on which the best and the last fresh one agree */
    START_EXACT  /* from a best partition, of a small graph */
} start;

typedef struct search {
    hierarchy h;
    int64_t left;       /* rounds */
    bool large;         /* a round takes so long that fresh starts are not tried */
    int64_t failures;   /* fresh starts since the best was found */
    double gain;        /* of the last round over the partition that it started from */
    double before;      /* the same of the round before it; both HUGE_VAL after other starts */
    cafe_layers *best;  /* the best hierarchy up to now */
    cafe_layers *other; /* the last round's, or the one that it replaced as the best */
    cafe_layers *last;  /* one of the two */
    int32_t *meet;      /* the partition that START_MEET and START_EXACT begin with */
} search;

/* meet(u) = meet(w) if and only if u and w are together in both partitions, best and other. Every
 * community of one partition is passed once; seen[] and number[] map the communities of the other
 * to their part in it: O(n) time. */
static cafe_status meet(cafe_context *context, search *s) {
    cafe_groups groups = {0, NULL, NULL};
    const int32_t *b = top_partition(s->other);
    int64_t count = s->other->at[s->other->count - 1].communities;
    int32_t *seen = cafe_mem(context, count, sizeof *seen); /* the last group in which a community
                                                             * occurred, */
    int32_t *number = cafe_mem(context, count, sizeof *number); /* and the number of their meet */
    int32_t next = 0;
    cafe_status status;
    CAFE_TRY(cafe_mem_had(seen, number));
    CAFE_TRY(cafe_groups_new(context, s->best->nodes, top_partition(s->best),
                             s->best->at[s->best->count - 1].communities, &groups));
    for (int64_t i = 0; i < count; i++) seen[i] = -1;
    for (int64_t i = 0; i < groups.count; i++)
        for (int64_t m = groups.start[i]; m < groups.start[i + 1]; m++) {
            int32_t u = groups.member[m];
            if (seen[b[u]] != i) number[b[u]] = next++;
            seen[b[u]] = (int32_t)i;
            s->meet[u] = number[b[u]];
        }
done:
    cafe_groups_free(context, &groups);
    cafe_mem_free_all(context, seen, number);
    return status;
}

/* Runs one round from this start and keeps the better of its result and the best. */
static cafe_status run_round(cafe_context *context, search *s, start from) {
    double before = from == START_LAST ? top_modularity(s->last) : -HUGE_VAL;
    if (from == START_MEET) CAFE_PASS(meet(context, s));
    s->h.start = from == START_FRESH ? NULL : from == START_LAST ? top_partition(s->last) : s->meet;
    CAFE_PASS(build(context, &s->h));
    cafe_layers_free(s->other);
    s->other = s->last = s->h.layers;
    s->h.layers = NULL;
    s->before = s->gain;
    s->gain = top_modularity(s->last) - before;
    if (s->best && !(top_modularity(s->last) > top_modularity(s->best))) return CAFE_OK;
    s->other = s->best;
    s->best = s->last;
    s->failures = 0;
    return CAFE_OK;
}

/* The expected gain of the next round. With g the gain of the last round and g' that of the round
 * before (at first the modularity itself),
 *
 *     next = g sqrt(g / g'),
 *
 * because gains shrink more slowly from round to round.
 */
static double expect_gain(const search *s) {
    double before = s->before < HUGE_VAL ? s->before : top_modularity(s->best);
    if (!(s->gain < HUGE_VAL)) return s->gain;
    return s->gain > 0 && before > 0 ? s->gain * sqrt(s->gain / before) : 0;
}

/* Is another round from the last partition worth its time? */
static bool is_worth_repeating(const search *s, bool room) {
    if (s->large) return expect_gain(s) > slow_progress;
    return s->gain > (room ? large_progress : least_progress);
}

/* Chooses the start of the next round; false: the search ends. */
static bool choose_next(search *s, start *from) {
    bool room = !s->large && s->left >= 3; /* for a fresh start, a meeting, and what follows it */
    if (s->left == 0) return false;
    if (*from == START_FRESH && s->other)
        *from = START_MEET;
    else if (is_worth_repeating(s, room))
        *from = START_LAST;
    else if (room && s->failures++ < MOST_FAILURES)
        *from = START_FRESH;
    else
        return false;
    return true;
}

/* Rounds until choose_next() finds nothing to do. The best modularity never falls, because a round
 * replaces the best partition by a better one only. */
static cafe_status run_rounds(cafe_context *context, search *s) {
    int64_t rounds = s->left;
    start from = START_FRESH;
    cafe_phase(context, "layers", rounds);
    do {
        CAFE_PASS(run_round(context, s, from));
        s->left--;
        cafe_step(context, rounds - s->left, top_modularity(s->best));
    } while (choose_next(s, &from));
    return CAFE_OK;
}

/* Solves a graph of few nodes exactly, and builds layers on the best partition unless a round has
 * found one. */
static cafe_status run_exact(cafe_context *context, const cafe_operator *op, search *s) {
    double modularity;
    if (op->n > CAFE_EXACT_NODES || !s->h.options->refine) return CAFE_OK;
    CAFE_PASS(cafe_exact_partition(context, op, s->h.options->resolution, s->meet, &modularity));
    if (!(modularity > top_modularity(s->best) + rounding)) return CAFE_OK;
    return run_round(context, s, START_EXACT);
}

static cafe_status view_finest(cafe_context *context, const cafe_operator *op,
                               cafe_pooled **finest) {
    const cafe_operator_parts *s = &op->parts;
    cafe_pooled rows = {.n = s->n,
                        .offsets = s->offsets,
                        .targets = s->targets,
                        .single = s->weights,
                        .factor = s->factor,
                        .mass = s->p,
                        .total = s->total};
    return cafe_pooled_view(context, rows, s->loops, finest);
}

/* Rounds by the option, else by the number of arcs; 1 without refinement, as in the paper. */
static int64_t choose_rounds(const cafe_layers_options *o, int64_t arcs) {
    size_t i = 0;
    if (!o->refine) return 1;
    if (o->rounds > 0) return o->rounds;
    while (arcs > default_rounds[i].arcs) i++;
    return default_rounds[i].rounds;
}

cafe_status cafe_layers_find(cafe_context *context, const cafe_operator *op,
                             const cafe_layers_options *options, cafe_layers **layers) {
    cafe_status status = CAFE_OK;
    cafe_pooled *finest = NULL;
    search s = {0};
    cafe_layers_options o;
    *layers = NULL;
    CAFE_TRY(cafe_options_take(context, cafe_layers_option_table(), options, &o));
    if (!o.refine)
        CAFE_TRY(cafe_options_idle(context, cafe_layers_option_table(), &o, "rounds",
                                   CAFE_OPT("refine=yes")));
    CAFE_TRY(cafe_engine_need_rows(context, "layers"));
    CAFE_TRY(cafe_operator_need_links(context, op));
    CAFE_TRY(view_finest(context, op, &finest));
    s.h = (hierarchy){.options = &o, .finest = finest};
    s.left = choose_rounds(&o, finest->offsets[finest->n]);
    s.large = o.rounds == 0 && finest->offsets[finest->n] > LARGE_ARCS;
    s.meet = cafe_mem(context, finest->n, sizeof *s.meet);
    CAFE_TRY(s.meet ? CAFE_OK : CAFE_ERROR_MEMORY);
    s.h.gather = o.refine && s.left > 1 && finest->offsets[finest->n] > GATHER_ARCS;
    CAFE_TRY(run_rounds(context, &s));
    CAFE_TRY(run_exact(context, op, &s));
    CAFE_TRY(cafe_layers_restore(context, s.best, s.h.gathered ? s.h.place : NULL));
    *layers = s.best;
    s.best = NULL;
done:
    cafe_layers_free(s.h.layers);
    cafe_pooled_free(s.h.gathered);
    cafe_pooled_free(finest);
    cafe_mem_free_all(context, s.meet, s.h.place);
    cafe_layers_free(s.other);
    cafe_layers_free(s.best);
    return status;
}
