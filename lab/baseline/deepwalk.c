/* DeepWalk (Perozzi, Al-Rfou, Skiena, KDD 2014): walks as sentences, nodes as words. And node2vec
 * (Grover, Leskovec, KDD 2016): DeepWalk with walks of second order, that stay near (p) or go far
 * (q), and negative sampling.
 */
#include <stddef.h>

#include "baseline/skipgram.h"

#define AT(field) offsetof(cafe_walks_options, field)

static const cafe_option deepwalk_options[] = {
    {"columns", "K", CAFE_OPTION_INTEGER, AT(columns), 128, 1, 65536, NULL,
     "columns of the embedding"},
    {"walks", "N", CAFE_OPTION_INTEGER | CAFE_OPTION_TUNE, AT(walks), 80, 1, 1e6, NULL,
     "walks from each node"},
    {"length", "N", CAFE_OPTION_INTEGER | CAFE_OPTION_TUNE, AT(length), 40, 2, CAFE_WALK_LONGEST,
     NULL, "nodes of a walk"},
    {"window", "N", CAFE_OPTION_INTEGER, AT(window), 10, 1, 1024, NULL,
     "most steps between the two nodes of a pair"},
    {"loss", "NAME", CAFE_OPTION_CHOICE | CAFE_OPTION_TUNE, AT(loss), 0, 0, 1,
     "hierarchical|negative",
     "softmax along a binary tree, as published, or pairs told from drawn ones"},
    {"negative", "N", CAFE_OPTION_INTEGER | CAFE_OPTION_TUNE, AT(negative), 5, 1, 1000, NULL,
     "drawn contexts for each pair (loss negative)"},
    {"epochs", "N", CAFE_OPTION_INTEGER | CAFE_OPTION_TUNE, AT(epochs), 1, 0, 1e6, NULL,
     "passes over the walks"},
    {"rate", "R", CAFE_OPTION_REAL | CAFE_OPTION_TUNE, AT(rate), 0.025, 1e-6, 1, NULL,
     "learning rate at the start; it falls linearly to nearly 0"},
    {"fast", NULL, CAFE_OPTION_SWITCH | CAFE_OPTION_TUNE, AT(fast), 0, 0, 1, NULL,
     "let threads race without locks: not the same result from run to run"},
};

CAFE_OPTION_TABLE(deepwalk, "deepwalk",
                  "DeepWalk: nodes that meet on short random walks get near vectors",
                  deepwalk_options)

static const cafe_option node2vec_options[] = {
    {"columns", "K", CAFE_OPTION_INTEGER, AT(columns), 128, 1, 65536, NULL,
     "columns of the embedding"},
    {"walks", "N", CAFE_OPTION_INTEGER | CAFE_OPTION_TUNE, AT(walks), 10, 1, 1e6, NULL,
     "walks from each node"},
    {"length", "N", CAFE_OPTION_INTEGER | CAFE_OPTION_TUNE, AT(length), 80, 2, CAFE_WALK_LONGEST,
     NULL, "nodes of a walk"},
    {"window", "N", CAFE_OPTION_INTEGER, AT(window), 10, 1, 1024, NULL,
     "most steps between the two nodes of a pair"},
    {"negative", "N", CAFE_OPTION_INTEGER | CAFE_OPTION_TUNE, AT(negative), 5, 1, 1000, NULL,
     "drawn contexts for each pair"},
    {"epochs", "N", CAFE_OPTION_INTEGER | CAFE_OPTION_TUNE, AT(epochs), 1, 0, 1e6, NULL,
     "passes over the walks"},
    {"rate", "R", CAFE_OPTION_REAL | CAFE_OPTION_TUNE, AT(rate), 0.025, 1e-6, 1, NULL,
     "learning rate at the start; it falls linearly to nearly 0"},
    {"p", "P", CAFE_OPTION_REAL | CAFE_OPTION_TUNE, AT(p), 1, 1e-6, 1e6, NULL,
     "steps back are 1/p times as likely as steps to a common neighbour"},
    {"q", "Q", CAFE_OPTION_REAL | CAFE_OPTION_TUNE, AT(q), 1, 1e-6, 1e6, NULL,
     "steps away are 1/q times as likely as steps to a common neighbour"},
    {"fast", NULL, CAFE_OPTION_SWITCH | CAFE_OPTION_TUNE, AT(fast), 0, 0, 1, NULL,
     "let threads race without locks: not the same result from run to run"},
};

CAFE_OPTION_TABLE(node2vec, "node2vec",
                  "node2vec: DeepWalk with walks that prefer to stay near or to go far",
                  node2vec_options)

/* Walks of a walker as pairs, trained. Only node2vec has p and q, only DeepWalk a choice of loss.
 */
static cafe_status solve(cafe_context *context, const cafe_job *job, cafe_solution **solution) {
    const cafe_walks_options *o = job->own;
    const cafe_graph *graph = job->model->graph;
    bool second = o->p > 0;
    cafe_walker walker;
    cafe_walk_pairs pairs = {&walker, context->seed, o->walks, o->length, o->window};
    cafe_skipgram_plan plan = {.columns = o->columns,
                               .loss = second ? CAFE_LOSS_NEGATIVE : o->loss,
                               .negative = o->negative,
                               .passes = o->epochs,
                               .rate = o->rate,
                               .fast = o->fast};
    if (plan.loss != CAFE_LOSS_NEGATIVE)
        CAFE_PASS(
            cafe_options_idle(context, &deepwalk_table, o, "negative", CAFE_OPT("loss=negative")));
    cafe_status status =
        cafe_walker_new(context, graph, second ? o->p : 1, second ? o->q : 1, &walker);
    if (status == CAFE_OK) {
        cafe_pair_source source = cafe_walk_source(&pairs);
        status = cafe_skipgram_train(context, graph, &source, &plan, 0, solution);
    }
    cafe_walker_free(context, &walker);
    return status;
}

static const cafe_method_code walks_code = {.solve = solve};
const cafe_method cafe_deepwalk_method = {
    .name = "deepwalk",
    .title = "DeepWalk",
    .summary = "nodes that meet on short random walks get near vectors",
    .form = CAFE_FORM_RAW,
    .vectors = cafe_deepwalk_option_table,
    .code = &walks_code,
};
const cafe_method cafe_node2vec_method = {
    .name = "node2vec",
    .title = "node2vec",
    .summary = "DeepWalk with walks that prefer to stay near or to go far",
    .form = CAFE_FORM_RAW,
    .vectors = cafe_node2vec_option_table,
    .code = &walks_code,
};
