/* The multi-layer method: algorithm 3 of the paper, with Leiden's refinement.
 *
 * A round builds a hierarchy of levels (layers_hierarchy.c). While rounds gain much, the next round
 * starts from the last result, so that nodes can leave again. Then, unless the graph is large,
 * rounds start from every node alone, and from the communities on which this fresh result and the
 * best one agree. Without refinement communities themselves are pooled, in one round: the form of
 * the paper. docs/algorithms/layers.md has the arguments.
 */
#include "solve/layers.h"

#include <stddef.h>

#include "base/memory.h"
#include "base/option.h"
#include "engine/engine.h"
#include "solve/exact_partition.h"
#include "solve/layers_search.h"
#include "solve/solution.h"

/* Rounds by default, by the number of arcs: many for graphs that take milliseconds, but graphs of
 * fewer than 1,000 edges shall take no longer than with other programs. */
static const struct {
    int64_t arcs, rounds;
} default_rounds[] = {{1998, 12}, {1 << 18, 20}, {1 << 20, 10}, {INT64_MAX, 8}};

enum {
    LARGE_ARCS = 1 << 20, /* arcs of graphs for which fresh starts take too long, */
    GATHER_ARCS = 1 << 22 /* and of graphs that do not fit into the caches */
};

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

/* ---- one search ------------------------------------------------------------------------------ */

/* Solves a graph of few nodes exactly, and builds layers on the best partition unless a round has
 * found one. */
static cafe_status run_exact(cafe_context *context, const cafe_operator *op, cafe_search *s) {
    double modularity;
    if (op->n > CAFE_EXACT_NODES || !s->h.options->refine || s->given) return CAFE_OK;
    CAFE_PASS(cafe_exact_partition(context, op, s->h.options->resolution, s->meet, &modularity));
    if (!(modularity > top_modularity(s->best) + rounding)) return CAFE_OK;
    return cafe_search_round(context, s);
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
    cafe_search s = {.given = given};
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
    CAFE_TRY(cafe_search_run(context, &s));
    CAFE_TRY(run_exact(context, op, &s));
    CAFE_TRY(restore(context, &s, op->n, where));
    *layers = s.best;
    s.best = NULL;
done:
    cafe_search_free(context, &s);
    cafe_pooled_free(joined);
    cafe_pooled_free(finest);
    cafe_mem_free(context, where);
    return status;
}
