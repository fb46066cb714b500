/* LINE (Tang, Qu, Wang, Zhang, Yan, Mei, WWW 2015): pairs are edges, drawn by weight.
 *
 * First order: both ends are rows of one matrix, so linked nodes get near vectors. Second order:
 * the far end has a row of its own as context, so nodes with the same neighbours do. "Both" trains
 * each with half of the columns, makes the halves' rows of length 1 and puts them side by side, as
 * the paper does.
 *
 * An edge is drawn as an end by degree and a neighbour by weight: P(u,v) = a(u,v) / 2m with tables
 * for nodes and rows, whatever the number of edges.
 */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "baseline/skipgram.h"

enum {
    UNIT = 64,     /* edges of a unit of the source */
    STAGES = 10,   /* values of the history: the samples have no passes of their own */
    PER_EDGE = 500 /* samples for each edge, unless told */
};

static const cafe_option line_options[] = {
    {"columns", "K", CAFE_OPTION_INTEGER, offsetof(cafe_line_options, columns), 128, 1, 65536, NULL,
     "columns of the embedding"},
    {"order", "NAME", CAFE_OPTION_CHOICE | CAFE_OPTION_TUNE, offsetof(cafe_line_options, order),
     CAFE_LINE_BOTH, 0, 2, "first|second|both",
     "near when linked, near when of the same neighbours, or half and half"},
    {"samples", "N", CAFE_OPTION_INTEGER | CAFE_OPTION_TUNE, offsetof(cafe_line_options, samples),
     0, 0, 1e15, NULL, "edges to draw for each order; 0 draws 500 for each edge of the graph"},
    {"negative", "N", CAFE_OPTION_INTEGER | CAFE_OPTION_TUNE, offsetof(cafe_line_options, negative),
     5, 1, 1000, NULL, "drawn contexts for each edge"},
    {"rate", "R", CAFE_OPTION_REAL | CAFE_OPTION_TUNE, offsetof(cafe_line_options, rate), 0.025,
     1e-6, 1, NULL, "learning rate at the start; it falls linearly to nearly 0"},
    {"fast", NULL, CAFE_OPTION_SWITCH | CAFE_OPTION_TUNE, offsetof(cafe_line_options, fast), 0, 0,
     1, NULL, "let threads race without locks: not the same result from run to run"},
};

CAFE_OPTION_TABLE(line, "line",
                  "LINE: vectors of first and second order proximity from drawn edges",
                  line_options)

/* ---- edges as pairs -------------------------------------------------------------------------- */

typedef struct edge_source {
    cafe_walker walker;
    cafe_noise ends; /* nodes by degree */
    uint64_t seed;
} edge_source;

static int64_t emit_edges(const void *self, int64_t unit, cafe_pair *room) {
    const edge_source *e = self;
    cafe_draws draws = cafe_draws_of(e->seed, CAFE_STREAM_SKIP_EDGE, (uint64_t)unit);
    for (int64_t k = 0; k < UNIT; k++) {
        int32_t u = cafe_noise_in(&e->ends, 0, &draws);
        room[k] = (cafe_pair){u, cafe_walker_first(&e->walker, u, &draws)};
    }
    return UNIT;
}

static void close_edges(cafe_context *context, edge_source *e) {
    cafe_noise_free(context, &e->ends);
    cafe_walker_free(context, &e->walker);
}

static cafe_status open_edges(cafe_context *context, const cafe_graph *graph, edge_source *e) {
    cafe_status status = cafe_walker_new(context, graph, 1, 1, &e->walker);
    e->seed = context->seed;
    return status == CAFE_OK ? cafe_noise_new(context, graph, 1, 1, &e->ends) : status;
}

/* ---- one order, or both ---------------------------------------------------------------------- */

static cafe_status train_order(cafe_context *context, const cafe_graph *graph,
                               const edge_source *edges, const cafe_line_options *o, int second,
                               int64_t columns, cafe_solution **solution) {
    int64_t samples = o->samples > 0 ? o->samples : PER_EDGE * cafe_graph_get_counts(graph)->edges;
    cafe_pair_source source = {(samples / STAGES + UNIT - 1) / UNIT, UNIT, emit_edges, edges};
    cafe_skipgram_plan plan = {.columns = columns,
                               .loss = CAFE_LOSS_NEGATIVE,
                               .negative = o->negative,
                               .passes = STAGES,
                               .rate = o->rate,
                               .shared = !second,
                               .fast = o->fast};
    return cafe_skipgram_train(context, graph, &source, &plan, (uint64_t)second, solution);
}

/* Row u of the part, of length 1, into columns at .. of the whole. */
static void place_part(const cafe_solution *part, int64_t at, cafe_solution *whole) {
    for (int64_t u = 0; u < whole->n; u++) {
        const float *from = part->h.x + u * part->stride;
        float *to = whole->h.x + u * whole->stride + at;
        double square = 0;
        for (int64_t k = 0; k < part->columns; k++) square += (double)from[k] * from[k];
        double scale = square > 0 ? 1 / sqrt(square) : 0;
        for (int64_t k = 0; k < part->columns; k++) to[k] = (float)(scale * from[k]);
    }
    for (int64_t i = 0; i <= part->sweeps; i++) whole->objective[i] += part->objective[i];
    whole->sweeps = part->sweeps;
}

static cafe_status train_both(cafe_context *context, const cafe_graph *graph,
                              const edge_source *edges, const cafe_line_options *o,
                              cafe_solution **solution) {
    cafe_status status = CAFE_OK;
    cafe_solution *whole = NULL, *part = NULL;
    if (o->columns < 2)
        return cafe_fail(
            context, CAFE_ERROR_ARGUMENT,
            "both orders need at least 2 columns; " CAFE_OPT("order=first or second") " takes 1");
    CAFE_TRY(
        cafe_solution_rows(context, "line", cafe_graph_nodes(graph), o->columns, STAGES, &whole));
    memset(whole->h.x, 0, (size_t)(whole->n * whole->stride) * sizeof *whole->h.x);
    for (int second = 0; second < 2; second++) {
        int64_t at = second ? o->columns / 2 : 0;
        int64_t columns = second ? o->columns - at : o->columns / 2;
        CAFE_TRY(train_order(context, graph, edges, o, second, columns, &part));
        place_part(part, at, whole);
        cafe_solution_free(part);
        part = NULL;
    }
    *solution = whole;
    whole = NULL;
done:
    cafe_solution_free(part);
    cafe_solution_free(whole);
    return status;
}

static cafe_status solve(cafe_context *context, const cafe_job *job, cafe_solution **solution) {
    cafe_status status = CAFE_OK;
    edge_source edges = {0};
    const cafe_line_options *o = job->own;
    const cafe_graph *graph = job->model->graph;
    CAFE_TRY(open_edges(context, graph, &edges));
    if (o->order == CAFE_LINE_BOTH)
        CAFE_TRY(train_both(context, graph, &edges, o, solution));
    else
        CAFE_TRY(train_order(context, graph, &edges, o, o->order == CAFE_LINE_SECOND, o->columns,
                             solution));
done:
    close_edges(context, &edges);
    return status;
}

static const cafe_method_code line_code = {.solve = solve};
const cafe_method cafe_line_method = {
    .name = "line",
    .title = "LINE",
    .summary = "nodes that are linked, or share neighbours, get near vectors",
    .form = CAFE_FORM_RAW,
    .vectors = cafe_line_option_table,
    .code = &line_code,
};
