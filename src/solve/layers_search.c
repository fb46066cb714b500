/* The rounds of the multi-layer method, and how each starts.
 *
 * While rounds gain much, the next round starts from the last result, so that nodes can leave
 * again. Then, unless the graph is large, rounds start from every node alone, and from the
 * communities on which this fresh result and the best one agree. On a large graph moves from single
 * nodes may find nothing: layers_anneal.c then finds the start. One hierarchy may also end in lumps
 * of several communities: layers_divide.c finds and divides them.
 */
#include "solve/layers_search.h"

#include <math.h>

#include "base/memory.h"
#include "base/thread_pool.h"
#include "os/os.h"

enum {
    MOST_FAILURES = 3,
    NODES = 1 << 14 /* of a task */
};                  /* fresh starts without success that end the search */

/* Rounds by default, by the number of arcs: many for graphs that take milliseconds, but graphs of
 * fewer than 1,000 edges shall take no longer than with other programs. */
static const struct {
    int64_t arcs, rounds;
} default_rounds[] = {{1998, 12}, {1 << 18, 20}, {1 << 20, 10}, {INT64_MAX, 8}};

enum {
    LARGE_ARCS = 1 << 20, /* arcs of graphs for which fresh starts take too long */
    SLOW_ARCS = 1 << 22   /* and of those for which a round must gain more */
};

/* Limits of modularity gains: of a round to be repeated at once; expected of a round of a large
 * graph of up to SLOW_ARCS; and of anything worth its time. */
static const double large_progress = 1e-3, slow_progress = 3e-6, least_progress = 1e-7;
/* Sums of fewer than 300 terms in different orders differ by less. */
static const double rounding = 1e-13;

/* ---- one round ------------------------------------------------------------------------------- */

/* How a round starts. */
typedef enum start {
    START_FRESH, /* every node alone */
    START_LAST,  /* from the partition the last round found */
    START_MEET,  /* from the communities on which the best and the last fresh one agree */
    START_GIVEN, /* from a partition of the caller */
    START_DIVIDE /* from communities inside those of the last one */
} start;

/* ---- partitions ------------------------------------------------------------------------------ */

/* met(u) = met(w) if and only if u and w are together in both partitions. Every community of a is
 * passed once; seen[] and number[] map the communities of b to their part in it: O(n) time. */
cafe_status cafe_layers_meet(cafe_context *context, int64_t n, const int32_t *a, int64_t a_count,
                             const int32_t *b, int64_t b_count, int32_t *met, int64_t *count) {
    cafe_groups groups = {0, NULL, NULL};
    int32_t *seen = cafe_mem(context, b_count, sizeof *seen); /* the last community of a in which
                                                               * one of b occurred, */
    int32_t *number = cafe_mem(context, b_count, sizeof *number); /* and the number of their meet */
    int32_t next = 0;
    cafe_status status;
    CAFE_TRY(cafe_mem_had(seen, number));
    CAFE_TRY(cafe_groups_new(context, n, a, a_count, &groups));
    for (int64_t i = 0; i < b_count; i++) seen[i] = -1;
    for (int64_t i = 0; i < groups.count; i++)
        for (int64_t m = groups.start[i]; m < groups.start[i + 1]; m++) {
            int32_t u = groups.member[m];
            if (seen[b[u]] != i) number[b[u]] = next++;
            seen[b[u]] = (int32_t)i;
            met[u] = number[b[u]];
        }
    *count = next;
done:
    cafe_groups_free(context, &groups);
    cafe_mem_free_all(context, seen, number);
    return status;
}

typedef struct compose_job {
    const int32_t *top;
    int32_t *part;
} compose_job;

static void compose(void *argument, int64_t first, int64_t last) {
    const compose_job *job = argument;
    for (int64_t u = first; u < last; u++) job->part[u] = job->top[job->part[u]];
}

cafe_status cafe_layers_lift(cafe_context *context, int64_t n, const int32_t *top, int32_t *part) {
    return cafe_ranges(context, n, NODES, compose, &(compose_job){top, part});
}

/* ---- one round ------------------------------------------------------------------------------- */

static int64_t top_count(const cafe_layers *layers) {
    return layers->at[layers->count - 1].communities;
}

static cafe_status meet(cafe_context *context, cafe_search *s) {
    int64_t count;
    return cafe_layers_meet(context, s->best->nodes, top_partition(s->best), top_count(s->best),
                            top_partition(s->other), top_count(s->other), s->meet, &count);
}

/* The modularity of the given partition, whose numbers are below the number of nodes. */
static cafe_status measure_given(cafe_context *context, const cafe_search *s, double *modularity) {
    const cafe_pooled *g = s->h.finest;
    return cafe_layers_modularity(context, g, s->h.options->resolution, s->meet, g->n, modularity);
}

/* The partition `meet`, for starts that need one. */
static cafe_status make_start(cafe_context *context, cafe_search *s, start from) {
    if (from == START_MEET) return meet(context, s);
    if (from == START_DIVIDE) return cafe_layers_divide(context, &s->h, s->last, s->meet);
    return CAFE_OK;
}

static cafe_status build(cafe_context *context, cafe_search *s, start from) {
    if (from == START_FRESH && s->large) return cafe_hierarchy_begin(context, &s->h, s->meet);
    s->h.start = from == START_FRESH ? NULL : from == START_LAST ? top_partition(s->last) : s->meet;
    return cafe_hierarchy_build(context, &s->h);
}

/* Runs one round from this start and keeps the better of its result and the best. */
static cafe_status run_round(cafe_context *context, cafe_search *s, start from) {
    double before = from == START_LAST ? top_modularity(s->last) : -HUGE_VAL;
    if (from == START_GIVEN) CAFE_PASS(measure_given(context, s, &before));
    CAFE_PASS(make_start(context, s, from));
    CAFE_PASS(build(context, s, from));
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

/* ---- the next start -------------------------------------------------------------------------- */

/* The expected gain of the next round. With g the gain of the last round and g' that of the round
 * before (at first the modularity itself),
 *
 *     next = g sqrt(g / g'),
 *
 * because gains shrink more slowly from round to round.
 */
static double expect_gain(const cafe_search *s) {
    double before = s->before < HUGE_VAL ? s->before : top_modularity(s->best);
    if (!(s->gain < HUGE_VAL)) return s->gain;
    return s->gain > 0 && before > 0 ? s->gain * sqrt(s->gain / before) : 0;
}

/* What a round of a large graph shall gain: its time grows with the graph. */
static double least_of_round(const cafe_search *s) {
    double times = (double)s->h.finest->offsets[s->h.finest->n] / SLOW_ARCS;
    return slow_progress * fmax(times, 1);
}

/* Is another round from the last partition worth its time? */
static bool is_worth_repeating(const cafe_search *s, bool room) {
    if (s->large) return expect_gain(s) > least_of_round(s);
    return s->gain > (room ? large_progress : least_progress);
}

/* Have the best partition and the one before it, or after it, equal modularities? Their meet would
 * gain nothing. */
static bool are_equal(const cafe_search *s) {
    return s->other && top_modularity(s->best) <= top_modularity(s->other) + rounding;
}

/* May another fresh start find more? One that ended below the best counts as a failure. One that
 * ended in the best again counts twice: it is more likely that there is nothing to be found. */
static bool may_find_more(cafe_search *s) {
    bool again = s->failures > 0 && top_modularity(s->last) >= top_modularity(s->best) - rounding;
    s->failures += again ? 2 : 1;
    return s->failures <= MOST_FAILURES;
}

/* After a given start: rounds from the last result alone. */
static bool goes_on(const cafe_search *s) {
    double least = s->given->steady ? large_progress : s->large ? slow_progress : least_progress;
    return s->gain > least;
}

/* On a large graph, while divisions gain: are lumps divided next? After a division that ended below
 * the best result, rounds go on from the best. */
static cafe_status test_lumps(cafe_context *context, cafe_search *s, start *from, bool *lumps) {
    *lumps = false;
    if (*from == START_DIVIDE && s->last != s->best) {
        s->last = s->best;
        s->whole = true;
    }
    if (!s->large || s->whole || *from != START_LAST) return CAFE_OK;
    CAFE_PASS(cafe_layers_may_divide(context, &s->h, s->last, lumps));
    if (*lumps) *from = START_DIVIDE;
    s->whole = !*lumps;
    return CAFE_OK;
}

/* Chooses the start of the next round; *go false: the search ends. */
static void choose_next(cafe_search *s, start *from, bool *go) {
    if (s->given) {
        *from = START_LAST;
        *go = goes_on(s);
        return;
    }
    bool room = !s->large && s->left >= 3; /* for a fresh start, a meeting, and what follows it */
    *go = true;
    if (*from == START_FRESH && s->other && !are_equal(s))
        *from = START_MEET;
    else if (is_worth_repeating(s, room))
        *from = START_LAST;
    else if (room && may_find_more(s))
        *from = START_FRESH;
    else
        *go = false;
}

/* May another round begin? */
static bool has_time(const cafe_search *s) {
    return s->left > 0 && (s->until == 0 || cafe_os_seconds() < s->until);
}

/* Rounds until choose_next() finds nothing to do. The best modularity never falls, because a round
 * replaces the best partition by a better one only. */
cafe_status cafe_search_run(cafe_context *context, cafe_search *s) {
    int64_t rounds = s->left;
    start from = s->given ? START_GIVEN : START_FRESH;
    if (!s->quiet) cafe_phase(context, "layers", rounds);
    for (bool go = true, lumps; go;) {
        CAFE_PASS(run_round(context, s, from));
        s->left--;
        if (!s->quiet) cafe_step(context, rounds - s->left, top_modularity(s->best));
        if (!has_time(s)) break;
        CAFE_PASS(test_lumps(context, s, &from, &lumps));
        if (!lumps) choose_next(s, &from, &go);
    }
    return CAFE_OK;
}

cafe_status cafe_search_open(cafe_context *context, const cafe_pooled *finest, cafe_search *s) {
    int64_t arcs = finest->offsets[finest->n];
    size_t i = 0;
    while (arcs > default_rounds[i].arcs) i++;
    s->left = default_rounds[i].rounds;
    s->large = arcs > LARGE_ARCS;
    s->h.finest = finest;
    s->meet = cafe_mem(context, finest->n, sizeof *s->meet);
    return cafe_mem_had(s->meet);
}

cafe_status cafe_search_round(cafe_context *context, cafe_search *s) {
    return run_round(context, s, START_GIVEN);
}

void cafe_search_free(cafe_context *context, cafe_search *s) {
    cafe_layers_free(s->h.layers);
    cafe_pooled_free(s->h.gathered);
    cafe_mem_free_all(context, s->meet, s->h.place);
    cafe_layers_free(s->other);
    cafe_layers_free(s->best);
}
