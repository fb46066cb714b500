/* node2vec (Grover, Leskovec, KDD 2016): DeepWalk with walks of second order, that stay near (p) or
 * go far (q), and negative sampling.
 */
#include <stddef.h>

#include "method/skipgram.h"

static const cafe_option node2vec_options[] = {
    {"columns", "K", CAFE_OPTION_INTEGER, offsetof(cafe_node2vec_options, columns), 128, 1, 65536,
     NULL, "columns of the embedding"},
    {"walks", "N", CAFE_OPTION_INTEGER, offsetof(cafe_node2vec_options, walks), 10, 1, 1e6, NULL,
     "walks from each node"},
    {"length", "N", CAFE_OPTION_INTEGER, offsetof(cafe_node2vec_options, length), 80, 2,
     CAFE_WALK_LONGEST, NULL, "nodes of a walk"},
    {"window", "N", CAFE_OPTION_INTEGER, offsetof(cafe_node2vec_options, window), 10, 1, 1024, NULL,
     "most steps between the two nodes of a pair"},
    {"negative", "N", CAFE_OPTION_INTEGER, offsetof(cafe_node2vec_options, negative), 5, 1, 1000,
     NULL, "drawn contexts for each pair"},
    {"epochs", "N", CAFE_OPTION_INTEGER, offsetof(cafe_node2vec_options, epochs), 1, 0, 1e6, NULL,
     "passes over the walks"},
    {"rate", "R", CAFE_OPTION_REAL, offsetof(cafe_node2vec_options, rate), 0.025, 1e-6, 1, NULL,
     "learning rate at the start; it falls linearly to nearly 0"},
    {"p", "P", CAFE_OPTION_REAL, offsetof(cafe_node2vec_options, p), 1, 1e-6, 1e6, NULL,
     "steps back are 1/p times as likely as steps to a common neighbour"},
    {"q", "Q", CAFE_OPTION_REAL, offsetof(cafe_node2vec_options, q), 1, 1e-6, 1e6, NULL,
     "steps away are 1/q times as likely as steps to a common neighbour"},
    {"fast", NULL, CAFE_OPTION_SWITCH, offsetof(cafe_node2vec_options, fast), 0, 0, 1, NULL,
     "let threads race without locks: not the same result from run to run"},
};

CAFE_OPTION_TABLE(node2vec, "node2vec",
                  "node2vec: DeepWalk with walks that prefer to stay near or to go far",
                  node2vec_options)

static cafe_status solve(cafe_context *context, const cafe_job *job, cafe_solution **solution) {
    const cafe_node2vec_options *o = job->own;
    cafe_skipgram_plan plan = {.columns = o->columns,
                               .loss = CAFE_LOSS_NEGATIVE,
                               .negative = o->negative,
                               .passes = o->epochs,
                               .rate = o->rate,
                               .fast = o->fast};
    return cafe_walk_train(context, job->model->graph, o->p, o->q, o->walks, o->length, o->window,
                           &plan, solution);
}

static const cafe_method_code node2vec_code = {.solve = solve};
const cafe_method cafe_node2vec_method = {
    .name = "node2vec",
    .title = "node2vec",
    .summary = "DeepWalk with walks that prefer to stay near or to go far",
    .form = CAFE_FORM_RAW,
    .vectors = cafe_node2vec_option_table,
    .code = &node2vec_code,
};
