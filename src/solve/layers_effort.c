/* Several searches whose results are combined.
 *
 *     members   = the results of a few searches, later also children
 *     parents   = two or three members, or a member and fresh results
 *     groups    = meet of the parents: nodes are together if they are together in all parents
 *     child     = a search on the graph of the groups, then rounds of the whole graph from it
 *     members   = with the child, at first as one more, then in place of the worst; no two have the
 *                 same modularity
 *
 * Parents agree on most nodes. The graph of their groups is therefore small, and a search on it
 * decides what they disagree about. Fresh results keep the members apart. Few searches come before
 * the first child, because a child gains more in the time of a search.
 */
#define _POSIX_C_SOURCE 200809L
#include "solve/layers_effort.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/print.h"
#include "base/random.h"
#include "os/os.h"

enum {
    NODES = 1 << 14,   /* of a task */
    FIRST_MEMBERS = 4, /* before the first child; children are the others */
    MOST_MEMBERS = 12, /* of a large graph FIRST_MEMBERS */
    MOST_PARENTS = 3,
    SHORT_ROUNDS = 3, /* of a search if there is a limit of time: later rounds gain less than
                       * children do */
    /* children without a gain that end the search: */
    LITTLE_PATIENCE = 6, /* of a large graph; */
    LEAST_PATIENCE = 12, /* of others at least, */
    MOST_PATIENCE = 500, /* and at most; */
    LATE_PATIENCE = 20   /* so many times more if there is a limit of time */
};

/* Between these limits the patience is this over the arcs of the graph: some seconds. */
static const double patience_arcs = 1 << 22;

/* Of parents, how often fresh results are among them; and modularities that count as equal. */
static const double fresh_share = 0.3, equal = 1e-9;

typedef struct member {
    int32_t *part;
    int64_t communities;
    double modularity;
} member;

typedef struct pool {
    cafe_search *s;
    int64_t rounds, fresh_rounds; /* of a search, and of one from single nodes */
    member at[MOST_MEMBERS];
    int64_t count, most;
    member fresh[MOST_PARENTS - 1];
    cafe_layers *best;
    uint64_t draws;
    int64_t failures; /* results in a row that were not the best */
} pool;

/* ---- the option and the time ----------------------------------------------------------------- */

cafe_effort cafe_effort_take(const char *text, double *seconds) {
    const char *end;
    *seconds = 0;
    if (!text || strcmp(text, "normal") == 0) return CAFE_EFFORT_NORMAL;
    if (strcmp(text, "fast") == 0) return CAFE_EFFORT_FAST;
    if (strcmp(text, "high") == 0) return CAFE_EFFORT_HIGH;
    *seconds = cafe_parse_number(text, &end);
    return CAFE_EFFORT_SECONDS;
}

/* ---- members --------------------------------------------------------------------------------- */

static void free_member(cafe_context *context, member *m) {
    cafe_mem_free(context, m->part);
    *m = (member){0};
}

/* A copy of the top layer. */
static cafe_status take_member(cafe_context *context, const cafe_layers *layers, member *m) {
    int32_t *part = cafe_mem(context, layers->nodes, sizeof *part);
    if (!part) return CAFE_ERROR_MEMORY;
    memcpy(part, top_partition(layers), (size_t)layers->nodes * sizeof *part);
    *m = (member){part, layers->at[layers->count - 1].communities, top_modularity(layers)};
    return CAFE_OK;
}

static int64_t find_worst(const pool *p) {
    int64_t worst = 0;
    for (int64_t i = 1; i < p->count; i++)
        if (p->at[i].modularity < p->at[worst].modularity) worst = i;
    return worst;
}

/* Does the result become a member? Then *place is its place. */
static bool is_welcome(const pool *p, double modularity, int64_t *place) {
    for (int64_t i = 0; i < p->count; i++)
        if (fabs(p->at[i].modularity - modularity) < equal) return false;
    *place = p->count < p->most ? p->count : find_worst(p);
    return *place == p->count || modularity > p->at[*place].modularity;
}

/* The search's result: kept if it is the best, and a member if it is welcome. The search gives it
 * up. */
static cafe_status settle(cafe_context *context, pool *p) {
    cafe_search *s = p->s;
    cafe_layers *found = s->best;
    int64_t place;
    if (is_welcome(p, top_modularity(found), &place)) {
        member m;
        CAFE_PASS(take_member(context, found, &m));
        if (place == p->count) p->count++;
        free_member(context, &p->at[place]);
        p->at[place] = m;
    }
    p->failures++;
    if (p->best && !(top_modularity(found) > top_modularity(p->best))) return CAFE_OK;
    if (!p->best || top_modularity(found) > top_modularity(p->best) + equal) p->failures = 0;
    cafe_layers_free(p->best);
    p->best = found;
    s->best = NULL;
    return CAFE_OK;
}

/* ---- one search ------------------------------------------------------------------------------ */

/* The search forgets its results, but not its random orders. */
static void reset(pool *p) {
    cafe_search *s = p->s;
    if (s->other != s->best) cafe_layers_free(s->other);
    cafe_layers_free(s->best);
    s->best = s->other = s->last = NULL;
    s->left = p->rounds;
    s->failures = 0;
    s->whole = false;
}

static cafe_status search_fresh(cafe_context *context, pool *p) {
    reset(p);
    p->s->left = p->fresh_rounds;
    p->s->given = NULL;
    return cafe_search_run(context, p->s);
}

/* Rounds from the partition `meet` of the search. */
static cafe_status search_on(cafe_context *context, pool *p) {
    static const cafe_layers_start from_meet = {0};
    reset(p);
    p->s->given = &from_meet;
    return cafe_search_run(context, p->s);
}

/* ---- a child --------------------------------------------------------------------------------- */

static cafe_random4 draw(const cafe_context *context, pool *p) {
    return cafe_philox(context->seed, CAFE_STREAM_PARENTS, p->draws++);
}

/* Fresh results, which are members too if they are welcome. */
static cafe_status make_fresh(cafe_context *context, pool *p, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        CAFE_PASS(search_fresh(context, p));
        free_member(context, &p->fresh[i]);
        CAFE_PASS(take_member(context, p->s->best, &p->fresh[i]));
        CAFE_PASS(settle(context, p));
    }
    return CAFE_OK;
}

/* Two or three parents: different members, or one member and fresh results. */
static cafe_status choose_parents(cafe_context *context, pool *p, const member **parent,
                                  int64_t *count) {
    cafe_random4 r = draw(context, p);
    bool fresh = p->count < 2 || (double)r.v[0] < fresh_share * 0x1p32;
    int64_t parents = 2 + (r.v[1] >> 31), order[MOST_MEMBERS];
    if (fresh) CAFE_PASS(make_fresh(context, p, parents - 1));
    if (!fresh && parents > p->count) parents = p->count;
    for (int64_t i = 0; i < p->count; i++) order[i] = i;
    for (int64_t i = 0; i < (fresh ? 1 : parents); i++) {
        cafe_random4 d = draw(context, p);
        int64_t j = i + (int64_t)cafe_below(d.v[0], d.v[1], (uint64_t)(p->count - i));
        int64_t held = order[i];
        order[i] = order[j], order[j] = held;
        parent[i] = &p->at[order[i]];
    }
    for (int64_t i = 1; fresh && i < parents; i++) parent[i] = &p->fresh[i - 1];
    *count = parents;
    return CAFE_OK;
}

/* s->meet <- nodes that are together in all parents; *groups: their number. */
static cafe_status meet_parents(cafe_context *context, cafe_search *s, const member **parent,
                                int64_t count, int64_t *groups) {
    int64_t n = s->h.finest->n;
    memcpy(s->meet, parent[0]->part, (size_t)n * sizeof *s->meet);
    *groups = parent[0]->communities;
    for (int64_t i = 1; i < count; i++)
        CAFE_PASS(cafe_layers_meet(context, n, s->meet, *groups, parent[i]->part,
                                   parent[i]->communities, s->meet, groups));
    return CAFE_OK;
}

/* A search on the graph of the groups s->meet, which become the communities that it finds. */
static cafe_status search_groups(cafe_context *context, cafe_search *s, int64_t groups) {
    cafe_status status = CAFE_OK;
    cafe_pooled *coarse = NULL;
    cafe_search upper = {.h = {.options = s->h.options, .turn = s->h.turn}, .until = s->until};
    CAFE_TRY(cafe_coarsen(context, s->h.finest, s->meet, groups, &coarse));
    CAFE_TRY(cafe_search_open(context, coarse, &upper));
    upper.quiet = true;
    CAFE_TRY(cafe_search_run(context, &upper));
    s->h.turn = upper.h.turn;
    CAFE_TRY(cafe_layers_lift(context, s->h.finest->n, top_partition(upper.best), s->meet));
done:
    cafe_search_free(context, &upper);
    cafe_pooled_free(coarse);
    return status;
}

static cafe_status make_child(cafe_context *context, pool *p) {
    const member *parent[MOST_PARENTS];
    int64_t count, groups;
    CAFE_PASS(choose_parents(context, p, parent, &count));
    CAFE_PASS(meet_parents(context, p->s, parent, count, &groups));
    CAFE_PASS(search_groups(context, p->s, groups));
    CAFE_PASS(search_on(context, p));
    return settle(context, p);
}

/* ---- all of them ----------------------------------------------------------------------------- */

static bool is_late(const pool *p) {
    return p->s->until > 0 && cafe_os_seconds() > p->s->until;
}

static int64_t choose_patience(const pool *p) {
    const cafe_pooled *g = p->s->h.finest;
    double patience = patience_arcs / (double)(g->offsets[g->n] + 1);
    patience = patience > LEAST_PATIENCE ? patience : LEAST_PATIENCE;
    patience = patience < MOST_PATIENCE ? patience : MOST_PATIENCE;
    if (p->s->large) patience = LITTLE_PATIENCE;
    return (int64_t)patience * (p->s->until > 0 ? LATE_PATIENCE : 1);
}

static cafe_status run(cafe_context *context, pool *p) {
    int64_t patience = choose_patience(p);
    cafe_phase(context, "layers", p->s->until > 0 ? 0 : patience);
    p->s->quiet = true;
    for (int64_t i = 0; i < FIRST_MEMBERS && !(i > 0 && is_late(p)); i++) {
        CAFE_PASS(search_fresh(context, p));
        CAFE_PASS(settle(context, p));
        cafe_step(context, 0, top_modularity(p->best));
    }
    while (p->failures < patience && !is_late(p)) {
        CAFE_PASS(make_child(context, p));
        cafe_step(context, p->failures, top_modularity(p->best));
    }
    return CAFE_OK;
}

cafe_status cafe_search_combine(cafe_context *context, cafe_search *s, double seconds) {
    pool p = {.s = s, .rounds = s->left, .most = s->large ? FIRST_MEMBERS : MOST_MEMBERS};
    p.fresh_rounds = seconds > 0 && !s->large ? SHORT_ROUNDS : p.rounds;
    s->until = seconds > 0 ? cafe_os_seconds() + seconds : 0;
    cafe_status status = run(context, &p);
    if (p.best) {
        reset(&p);
        s->best = s->last = p.best;
    }
    s->given = NULL; /* of the last child */
    for (int64_t i = 0; i < p.count; i++) free_member(context, &p.at[i]);
    for (int64_t i = 0; i < MOST_PARENTS - 1; i++) free_member(context, &p.fresh[i]);
    return status;
}
