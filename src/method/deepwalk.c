/* DeepWalk (Perozzi, Al-Rfou, Skiena, KDD 2014): walks as sentences, nodes as words. */
#include <stddef.h>

#include "method/skipgram.h"

static const cafe_option deepwalk_options[] = {
    {"columns", "K", CAFE_OPTION_INTEGER, offsetof(cafe_deepwalk_options, columns), 128, 1, 65536,
     NULL, "columns of the embedding"},
    {"walks", "N", CAFE_OPTION_INTEGER, offsetof(cafe_deepwalk_options, walks), 80, 1, 1e6, NULL,
     "walks from each node"},
    {"length", "N", CAFE_OPTION_INTEGER, offsetof(cafe_deepwalk_options, length), 40, 2,
     CAFE_WALK_LONGEST, NULL, "nodes of a walk"},
    {"window", "N", CAFE_OPTION_INTEGER, offsetof(cafe_deepwalk_options, window), 10, 1, 1024, NULL,
     "most steps between the two nodes of a pair"},
    {"loss", "NAME", CAFE_OPTION_CHOICE, offsetof(cafe_deepwalk_options, loss), 0, 0, 1,
     "hierarchical|negative",
     "softmax along a binary tree, as published, or pairs told from drawn ones"},
    {"negative", "N", CAFE_OPTION_INTEGER, offsetof(cafe_deepwalk_options, negative), 5, 1, 1000,
     NULL, "drawn contexts for each pair (loss negative)"},
    {"epochs", "N", CAFE_OPTION_INTEGER, offsetof(cafe_deepwalk_options, epochs), 1, 0, 1e6, NULL,
     "passes over the walks"},
    {"rate", "R", CAFE_OPTION_REAL, offsetof(cafe_deepwalk_options, rate), 0.025, 1e-6, 1, NULL,
     "learning rate at the start; it falls linearly to nearly 0"},
    {"fast", NULL, CAFE_OPTION_SWITCH, offsetof(cafe_deepwalk_options, fast), 0, 0, 1, NULL,
     "let threads race without locks: not the same result from run to run"},
};

CAFE_OPTION_TABLE(deepwalk, "deepwalk",
                  "DeepWalk: nodes that meet on short random walks get near vectors",
                  deepwalk_options)

cafe_status cafe_walk_train(cafe_context *context, const cafe_graph *graph, double p, double q,
                            int64_t walks, int64_t length, int64_t window,
                            const cafe_skipgram_plan *plan, cafe_solution **solution) {
    cafe_walker walker;
    cafe_walk_pairs pairs = {&walker, context->seed, walks, length, window};
    cafe_status status = cafe_walker_new(context, graph, p, q, &walker);
    if (status == CAFE_OK) {
        cafe_pair_source source = cafe_walk_source(&pairs);
        status = cafe_skipgram_train(context, graph, &source, plan, 0, solution);
    }
    cafe_walker_free(context, &walker);
    return status;
}

static cafe_status solve(cafe_context *context, const cafe_job *job, cafe_solution **solution) {
    const cafe_deepwalk_options *o = job->own;
    cafe_skipgram_plan plan = {o->columns, o->loss, o->negative, o->epochs, o->rate, 0, o->fast};
    return cafe_walk_train(context, job->model->graph, 1, 1, o->walks, o->length, o->window, &plan,
                           solution);
}

static const cafe_method_code deepwalk_code = {.solve = solve};
const cafe_method cafe_deepwalk_method = {
    .name = "deepwalk",
    .title = "DeepWalk",
    .summary = "nodes that meet on short random walks get near vectors",
    .form = CAFE_FORM_RAW,
    .vectors = cafe_deepwalk_option_table,
    .code = &deepwalk_code,
};
