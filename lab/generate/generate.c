/* Random graphs: options, checks, and the way from one model to its graph. */
#include "generate/generate.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/option.h"
#include "base/thread_pool.h"
#include "graph/builder.h"
#include "graph/node_names.h"

enum { NODES = 1 << 14, ROUNDS = 6 };

#define FIELD(name) offsetof(cafe_generate_options, name)

static const cafe_option generate_options[] = {
    {"nodes", "N", CAFE_OPTION_INTEGER, FIELD(nodes), 1000, 1, CAFE_MOST_NODES, NULL,
     "how many nodes"},
    {"edges", "M", CAFE_OPTION_INTEGER, FIELD(edges), 5000, 0, INFINITY, NULL,
     "how many edges to aim at; the graph has no loops and no edge twice, so a few may be missing"},
    {"blocks", "B", CAFE_OPTION_INTEGER, FIELD(blocks), 0, 0, INT32_MAX, NULL,
     "how many blocks the nodes of sbm and planted fall into; 0 chooses by size"},
    {"mixing", "X", CAFE_OPTION_REAL, FIELD(mixing), 0.2, 0, 1, NULL,
     "share of the edges of sbm and planted that leave their block"},
    {"exponent", "G", CAFE_OPTION_REAL | CAFE_OPTION_TUNE, FIELD(exponent), 2.5, 1.5, 20, NULL,
     "the degrees of planted fall off with this power"},
    {"size-exponent", "G", CAFE_OPTION_REAL | CAFE_OPTION_TUNE, FIELD(size_exponent), 2, 0, 20,
     NULL, "the block sizes of planted fall off with this power"},
    {"size-ratio", "R", CAFE_OPTION_REAL | CAFE_OPTION_TUNE, FIELD(size_ratio), 20, 1, 1e6, NULL,
     "the largest block of planted has at most R times the nodes of the smallest; 1 is equal "
     "blocks"}};

CAFE_OPTION_TABLE(generate, "generate", "random graphs with known structure", generate_options)

/* ---- the shuffle ----------------------------------------------------------------------------- */

/* A permutation of 2^bits numbers by a Feistel network, whose two halves take turns to be mixed
 * into each other. Numbers from n on are sent through again until they fall below n. */
typedef struct shuffle {
    int64_t n;
    int low, high; /* bits of the halves */
    uint32_t keys[ROUNDS];
    int32_t *order;
} shuffle;

static uint32_t mix(uint32_t x, uint32_t key) {
    x = (x ^ key) * 0x9E3779B1u;
    x = (x ^ (x >> 15)) * 0x85EBCA77u;
    return x ^ (x >> 13);
}

static uint64_t permute(const shuffle *s, uint64_t x) {
    uint32_t low_mask = ((uint32_t)1 << s->low) - 1, high_mask = ((uint32_t)1 << s->high) - 1;
    uint32_t a = (uint32_t)x & low_mask, b = (uint32_t)(x >> s->low);
    for (int r = 0; r < ROUNDS; r += 2) {
        b ^= mix(a, s->keys[r]) & high_mask;
        a ^= mix(b, s->keys[r + 1]) & low_mask;
    }
    return (uint64_t)b << s->low | a;
}

static void fill_order(void *argument, int64_t first, int64_t last) {
    shuffle *s = argument;
    for (int64_t i = first; i < last; i++) {
        uint64_t x = (uint64_t)i;
        do x = permute(s, x);
        while (x >= (uint64_t)s->n);
        s->order[i] = (int32_t)x;
    }
}

cafe_status cafe_generate_order(cafe_context *context, int64_t n, int32_t *order) {
    shuffle s = {.n = n, .low = 1, .high = 1, .order = order};
    while ((int64_t)1 << (s.low + s.high) < n) s.low <= s.high ? s.low++ : s.high++;
    for (int r = 0; r < ROUNDS; r++)
        s.keys[r] = cafe_philox(context->seed, CAFE_STREAM_ORDER, (uint64_t)r).v[0];
    return cafe_ranges(context, n, NODES, fill_order, &s);
}

/* ---- one model ------------------------------------------------------------------------------- */

static cafe_status check(cafe_context *context, cafe_generator model,
                         const cafe_generate_options *o) {
    int64_t pairs = o->nodes * (o->nodes - 1) / 2;
    if (o->edges > pairs)
        return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                         "%" PRId64 " edges do not fit: %" PRId64 " nodes have %" PRId64 " pairs",
                         o->edges, o->nodes, pairs);
    if (model <= CAFE_GENERATOR_PLANTED && o->blocks > o->nodes)
        return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                         "%" PRId64 " blocks are more than the %" PRId64 " nodes", o->blocks,
                         o->nodes);
    if (model == CAFE_GENERATOR_BA && o->edges < o->nodes - 1)
        return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                         "ba needs at least one edge per new node: %" PRId64 " edges for %" PRId64
                         " nodes, not %" PRId64,
                         o->nodes - 1, o->nodes, o->edges);
    return CAFE_OK;
}

static cafe_status generate(cafe_context *context, cafe_generator model,
                            const cafe_generate_options *o, cafe_graph **graph, int32_t *labels) {
    if (model >= CAFE_GENERATOR_BA) memset(labels, 0, (size_t)o->nodes * sizeof *labels);
    switch (model) {
        case CAFE_GENERATOR_SBM: return cafe_generate_sbm(context, o, graph, labels);
        case CAFE_GENERATOR_PLANTED: return cafe_generate_planted(context, o, graph, labels);
        case CAFE_GENERATOR_BA: return cafe_generate_ba(context, o, graph);
        case CAFE_GENERATOR_RMAT: return cafe_generate_rmat(context, o, graph);
    }
    return cafe_fail(context, CAFE_ERROR_ARGUMENT, "there is no model number %d", (int)model);
}

cafe_status cafe_generate(cafe_context *context, cafe_generator model,
                          const cafe_generate_options *options, cafe_graph **graph,
                          int32_t *labels) {
    cafe_generate_options o;
    int32_t *own = NULL;
    cafe_graph *g = NULL;
    cafe_status status;
    *graph = NULL;
    CAFE_TRY(cafe_options_take(context, &generate_table, options, &o));
    CAFE_TRY(check(context, model, &o));
    if (!labels) labels = own = cafe_mem(context, o.nodes, sizeof *own);
    if (!labels) CAFE_TRY(CAFE_ERROR_MEMORY);
    cafe_phase(context, "generate", o.edges);
    CAFE_TRY(generate(context, model, &o, &g, labels));
    CAFE_TRY(cafe_graph_count(context, g, true));
    *graph = g;
    g = NULL;
done:
    cafe_phase(context, "", 0);
    cafe_graph_free(g);
    cafe_mem_free(context, own);
    return status;
}
