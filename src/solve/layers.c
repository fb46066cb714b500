/* The multi-layer method: algorithm 3 of the paper, with Leiden's refinement.
 *
 * A round builds a hierarchy of levels (layers_hierarchy.c). While rounds gain much, the next round
 * starts from the last result, so that nodes can leave again. Then, unless the graph is large,
 * rounds start from every node alone, and from the communities on which this fresh result and the
 * best one agree. Without refinement communities themselves are pooled, in one round: the form of
 * the paper. docs/algorithms/layers.md has the arguments.
 */
#include "solve/layers.h"

#include <math.h>
#include <stddef.h>

#include "base/memory.h"
#include "base/option.h"
#include "engine/engine.h"
#include "solve/exact_partition.h"
#include "solve/layers_hierarchy.h"
#include "solve/layers_start.h"
#include "solve/solution.h"

enum { MOST_FAILURES = 3 }; /* fresh starts without success that end the search */

/* Rounds by default, by the number of arcs: many for graphs that take milliseconds, but graphs of
 * fewer than 1,000 edges shall take no longer than with other programs. */
static const struct {
    int64_t arcs, rounds;
} default_rounds[] = {{1998, 12}, {1 << 18, 20}, {1 << 20, 10}, {INT64_MAX, 8}};

enum {
    LARGE_ARCS = 1 << 20, /* arcs of graphs for which fresh starts take too long, */
    GATHER_ARCS = 1 << 22 /* and of graphs that do not fit into the caches */
};

/* Limits of modularity gains: of a round to be repeated at once; expected of a round of a large
 * graph; and of anything worth its time. */
static const double large_progress = 1e-3, slow_progress = 3e-6, least_progress = 1e-7;
/* Sums of fewer than 300 terms in different orders differ by less. */
static const double rounding = 1e-13;

/* ---- options --------------------------------------------------------------------------------- */

static const cafe_option layers_options[] = {
    {"resolution", "R", CAFE_OPTION_REAL, offsetof(cafe_layers_options, resolution), 1, 0, 1e12,
     NULL, "weight of the expected edges; larger values give smaller communities"},
    {"refine", "yes|no", CAFE_OPTION_SWITCH, offsetof(cafe_layers_options, refine), 1, 0, 1, NULL,
     "make communities connected, as Leiden does; without it one hierarchy is built as in the "
     "paper"},
    {"rounds", "N", CAFE_OPTION_INTEGER | CAFE_OPTION_TUNE, offsetof(cafe_layers_options, rounds),
     0, 0, 1e9, NULL,
     "hierarchies built at most, with " CAFE_OPT("refine=yes") "; 0 is 8 to 20, by size"},
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

/* ---- rounds ---------------------------------------------------------------------------------- */

/* How a round starts. */
typedef enum start {
    START_FRESH, /* every node alone */
    START_LAST,  /* from the partition the last round found */
    START_MEET,  /* from the communities on which the best and the last fresh one agree */
    START_EXACT, /* from a best partition, of a small graph */
    START_GIVEN  /* from the caller's partition */
} start;

typedef struct search {
    cafe_hierarchy h;
    const cafe_layers_start *given; /* the only start besides the last result; NULL: none */
    int64_t left;                   /* rounds */
    bool large;                     /* a round takes so long that fresh starts are not tried */
    int64_t failures;               /* fresh starts since the best was found */
    double gain;                    /* of the last round over the partition that it started from */
    double before;      /* the same of the round before it; both HUGE_VAL after other starts */
    cafe_layers *best;  /* the best hierarchy up to now */
    cafe_layers *other; /* the last round's, or the one that it replaced as the best */
    cafe_layers *last;  /* one of the two */
    int32_t *meet;      /* the partition that START_MEET, START_EXACT and START_GIVEN begin with */
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

/* The modularity of the given partition, whose numbers are below the number of nodes. */
static cafe_status measure_given(cafe_context *context, const search *s, double *modularity) {
    const cafe_pooled *g = s->h.finest;
    return cafe_layers_modularity(context, g, s->h.options->resolution, s->meet, g->n, modularity);
}

/* Runs one round from this start and keeps the better of its result and the best. */
static cafe_status run_round(cafe_context *context, search *s, start from) {
    double before = from == START_LAST ? top_modularity(s->last) : -HUGE_VAL;
    if (from == START_GIVEN) CAFE_PASS(measure_given(context, s, &before));
    if (from == START_MEET) CAFE_PASS(meet(context, s));
    s->h.start = from == START_FRESH ? NULL : from == START_LAST ? top_partition(s->last) : s->meet;
    CAFE_PASS(cafe_hierarchy_build(context, &s->h));
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

/* Have the best partition and the one before it, or after it, equal modularities? Their meet would
 * gain nothing. */
static bool are_equal(const search *s) {
    return s->other && top_modularity(s->best) <= top_modularity(s->other) + rounding;
}

/* May another fresh start find more? One that ended below the best counts as a failure. One that
 * ended in the best again counts twice: it is more likely that there is nothing to be found. */
static bool may_find_more(search *s) {
    bool again = s->failures > 0 && top_modularity(s->last) >= top_modularity(s->best) - rounding;
    s->failures += again ? 2 : 1;
    return s->failures <= MOST_FAILURES;
}

/* After a given start: rounds from the last result alone. */
static bool goes_on(const search *s) {
    double least = s->given->steady ? large_progress : s->large ? slow_progress : least_progress;
    return s->left > 0 && s->gain > least;
}

/* Chooses the start of the next round; false: the search ends. */
static bool choose_next(search *s, start *from) {
    if (s->given) {
        *from = START_LAST;
        return goes_on(s);
    }
    bool room = !s->large && s->left >= 3; /* for a fresh start, a meeting, and what follows it */
    if (s->left == 0) return false;
    if (*from == START_FRESH && s->other && !are_equal(s))
        *from = START_MEET;
    else if (is_worth_repeating(s, room))
        *from = START_LAST;
    else if (room && may_find_more(s))
        *from = START_FRESH;
    else
        return false;
    return true;
}

/* Rounds until choose_next() finds nothing to do. The best modularity never falls, because a round
 * replaces the best partition by a better one only. */
static cafe_status run_rounds(cafe_context *context, search *s) {
    int64_t rounds = s->left;
    start from = s->given ? START_GIVEN : START_FRESH;
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
    if (op->n > CAFE_EXACT_NODES || !s->h.options->refine || s->given) return CAFE_OK;
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

/* The search begins with the caller's partition. With kept nodes its graph is the one in which they
 * are together, and where[n] the node in it of each node. */
static cafe_status take_given(cafe_context *context, const cafe_pooled *finest, search *s,
                              cafe_pooled **joined, int32_t **where) {
    if (!s->given) return CAFE_OK;
    CAFE_PASS(cafe_layers_take_start(context, finest->n, s->given, s->meet));
    if (!s->given->keep) return CAFE_OK;
    *where = cafe_mem(context, finest->n, sizeof **where);
    CAFE_PASS(cafe_mem_had(*where));
    CAFE_PASS(cafe_layers_join_kept(context, finest, s->given->keep, s->meet, *where, joined));
    s->h.finest = *joined;
    s->h.gather = false; /* rows of a pooled graph stay where they are */
    return CAFE_OK;
}

/* Layers of the graph's nodes: `where` each is in the search's graph, NULL: at its own place. */
static cafe_status restore(cafe_context *context, search *s, int64_t n, const int32_t *where) {
    s->best->nodes = n;
    return cafe_layers_restore(context, s->best, s->h.gathered ? s->h.place : where);
}

cafe_status cafe_layers_find(cafe_context *context, const cafe_operator *op,
                             const cafe_layers_options *options, cafe_layers **layers) {
    return cafe_layers_find_from(context, op, options, NULL, layers);
}

cafe_status cafe_layers_find_from(cafe_context *context, const cafe_operator *op,
                                  const cafe_layers_options *options,
                                  const cafe_layers_start *given, cafe_layers **layers) {
    cafe_status status = CAFE_OK;
    cafe_pooled *finest = NULL, *joined = NULL;
    int32_t *where = NULL;
    search s = {.given = given};
    cafe_layers_options o;
    *layers = NULL;
    CAFE_TRY(cafe_options_take(context, cafe_layers_option_table(), options, &o));
    if (!o.refine)
        CAFE_TRY(cafe_options_idle(context, cafe_layers_option_table(), &o, "rounds",
                                   CAFE_OPT("refine=yes")));
    CAFE_TRY(cafe_engine_need_rows(context, "layers"));
    CAFE_TRY(cafe_operator_need_links(context, op));
    CAFE_TRY(view_finest(context, op, &finest));
    s.h = (cafe_hierarchy){.options = &o, .finest = finest};
    s.left = choose_rounds(&o, finest->offsets[finest->n]);
    s.large = o.rounds == 0 && finest->offsets[finest->n] > LARGE_ARCS;
    s.meet = cafe_mem(context, finest->n, sizeof *s.meet);
    CAFE_TRY(s.meet ? CAFE_OK : CAFE_ERROR_MEMORY);
    s.h.gather = o.refine && s.left > 1 && finest->offsets[finest->n] > GATHER_ARCS;
    CAFE_TRY(take_given(context, finest, &s, &joined, &where));
    CAFE_TRY(run_rounds(context, &s));
    CAFE_TRY(run_exact(context, op, &s));
    CAFE_TRY(restore(context, &s, op->n, where));
    *layers = s.best;
    s.best = NULL;
done:
    cafe_layers_free(s.h.layers);
    cafe_pooled_free(s.h.gathered);
    cafe_pooled_free(joined);
    cafe_pooled_free(finest);
    cafe_mem_free_all(context, s.meet, s.h.place, where);
    cafe_layers_free(s.other);
    cafe_layers_free(s.best);
    return status;
}
