/* The multi-layer method: algorithm 3 of the paper, with Leiden's refinement.
 *
 * A round builds a hierarchy of levels (layers_hierarchy.c), a search runs rounds and keeps the
 * best result (layers_search.c), and a high effort combines results of searches (layers_effort.c).
 * Without refinement communities themselves are pooled, in one round: the form of the paper.
 * docs/algorithms/layers.md has the arguments.
 */
#include "solve/layers.h"

#include <stddef.h>

#include "base/memory.h"
#include "base/option.h"
#include "base/processes.h"
#include "engine/engine.h"
#include "solve/exact_partition.h"
#include "solve/layers_effort.h"
#include "solve/layers_factors.h"
#include "solve/layers_sizes.h"
#include "solve/solution.h"

enum { GATHER_ARCS = 1 << 22 /* arcs of graphs that do not fit into the caches */ };

/* Sums of fewer than 300 terms in different orders differ by less. */
static const double rounding = 1e-13;

/* ---- options --------------------------------------------------------------------------------- */

static const cafe_option layers_options[] = {
    {"resolution", "R", CAFE_OPTION_REAL, offsetof(cafe_layers_options, resolution), 1, 0, 1e12,
     NULL, "weight of the expected edges; larger values give smaller communities"},
    {"refine", "yes|no", CAFE_OPTION_SWITCH | CAFE_OPTION_TUNE,
     offsetof(cafe_layers_options, refine), 1, 0, 1, NULL,
     "make communities connected, as Leiden does; without it one hierarchy is built as in the "
     "paper"},
    {"effort", "WORD|SECONDS", CAFE_OPTION_TEXT, offsetof(cafe_layers_options, effort), 0, 1e-3,
     1e9, "fast|normal|high",
     "fast builds one hierarchy, normal some, high combines the results of several searches; a "
     "number of seconds combines until they are over (default normal)"},
    {"chunks", "B", CAFE_OPTION_INTEGER | CAFE_OPTION_TUNE, offsetof(cafe_layers_options, chunks),
     0, 0, 2147483647, NULL,
     "groups of nodes that move together; 0 chooses by size, as many as nodes moves one at a time"},
    {"min-size", "N", CAFE_OPTION_INTEGER, offsetof(cafe_layers_options, min_size), 0, 0,
     2147483647, NULL,
     "nodes of a community at least: smaller ones join the neighbour with which they lose least; "
     "0 is any, and a whole component stays"},
    {"max-size", "N", CAFE_OPTION_INTEGER, offsetof(cafe_layers_options, max_size), 0, 0,
     2147483647, NULL, "nodes of a community at most: larger ones are divided; 0 is any"},
    {"communities", "K", CAFE_OPTION_INTEGER, offsetof(cafe_layers_options, communities), 0, 0,
     2147483647, NULL, "exactly K communities; 0 is as many as make the modularity largest"},
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

/* F in double precision, and the masses that belong to it. */
typedef struct factor_copy {
    cafe_factors null;
    double *f, *mass;
} factor_copy;

/* ---- one search ------------------------------------------------------------------------------ */

/* Solves a graph of few nodes exactly, and builds layers on the best partition unless a round has
 * found one:
 *
 *     max over all partitions of sum over S of p(S,S) - r p(S)^2
 *
 * by dynamic programming over the subsets of the nodes (solve/exact_partition.c). */
static cafe_status run_exact(cafe_context *context, const cafe_operator *op, cafe_search *s) {
    double modularity;
    if (op->n > CAFE_EXACT_NODES || !s->h.options->refine || s->given) return CAFE_OK;
    CAFE_PASS(cafe_exact_partition(context, op, s->h.options->resolution, s->meet, &modularity));
    if (!(modularity > top_modularity(s->best) + rounding)) return CAFE_OK;
    return cafe_search_round(context, s);
}

/* The sampled graph as the finest level: p(u,w) = a(u,w) / total, p_u = mass_u, and every node is a
 * community of its own. Null models besides p p^T are copied. */
static cafe_status view_finest(cafe_context *context, const cafe_operator *op, double resolution,
                               factor_copy *copy, cafe_pooled **finest) {
    const cafe_operator_parts *s = &op->parts;
    if (s->f)
        CAFE_PASS(cafe_factors_take(context, s, resolution, &copy->null, &copy->f, &copy->mass));
    cafe_pooled rows = {.n = s->n,
                        .offsets = s->offsets,
                        .targets = s->targets,
                        .single = s->weights,
                        .factor = s->factor,
                        .mass = s->f ? copy->mass : s->p,
                        .null = copy->null,
                        .total = s->total};
    return cafe_pooled_view(context, rows, s->loops, finest);
}

/* Only one round is the paper's form and the fast one; a start is continued, not combined. */
static cafe_status choose_effort(cafe_context *context, const cafe_layers_options *o, bool given,
                                 cafe_effort *effort, double *seconds) {
    *effort = cafe_effort_take(o->effort, seconds);
    if (!o->refine)
        CAFE_PASS(cafe_options_idle(context, cafe_layers_option_table(), o, "effort",
                                    CAFE_OPT("refine=yes")));
    if (given && *effort >= CAFE_EFFORT_HIGH)
        return cafe_fail(
            context, CAFE_ERROR_ARGUMENT,
            CAFE_OPT("effort=%s") " starts from single nodes: it does not go with " CAFE_OPT(
                "start"),
            o->effort);
    if (*effort == CAFE_EFFORT_SECONDS && cafe_team_ranks(context) > 1)
        return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                         CAFE_OPT("effort=%s") ": a number of seconds is for one process",
                         o->effort);
    return CAFE_OK;
}

/* The search begins with the caller's partition. With kept nodes its graph is the one in which they
 * are together, and where[n] the node in it of each node. */
static cafe_status take_given(cafe_context *context, const cafe_pooled *finest, cafe_search *s,
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
static cafe_status restore(cafe_context *context, cafe_search *s, int64_t n, const int32_t *where) {
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
    factor_copy copy = {0};
    cafe_search s = {.given = given};
    cafe_layers_options o;
    cafe_effort effort;
    double seconds;
    bool limited;
    *layers = NULL;
    CAFE_TRY(cafe_options_take(context, cafe_layers_option_table(), options, &o));
    CAFE_TRY(cafe_layers_check_sizes(context, &o, given != NULL, op->n, &limited));
    CAFE_TRY(choose_effort(context, &o, given != NULL, &effort, &seconds));
    CAFE_TRY(cafe_engine_need_rows(context, "layers"));
    CAFE_TRY(cafe_factors_need(context, op, o.resolution));
    if (op->parts.kappa == 0) o.resolution = 0; /* no null model */
    CAFE_TRY(view_finest(context, op, o.resolution, &copy, &finest));
    s.h.options = &o;
    CAFE_TRY(cafe_search_open(context, finest, &s));
    if (!o.refine || effort == CAFE_EFFORT_FAST) s.left = 1;
    s.h.gather = s.left > 1 && finest->offsets[finest->n] > GATHER_ARCS;
    CAFE_TRY(take_given(context, finest, &s, &joined, &where));
    CAFE_TRY(effort >= CAFE_EFFORT_HIGH ? cafe_search_combine(context, &s, seconds)
                                        : cafe_search_run(context, &s));
    CAFE_TRY(run_exact(context, op, &s));
    if (limited) CAFE_TRY(cafe_search_limit(context, &s));
    CAFE_TRY(restore(context, &s, op->n, where));
    *layers = s.best;
    s.best = NULL;
done:
    cafe_search_free(context, &s);
    cafe_pooled_free(joined);
    cafe_pooled_free(finest);
    cafe_mem_free_all(context, where, copy.f, copy.mass);
    return status;
}
