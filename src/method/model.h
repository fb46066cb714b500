/* A run of a method in steps: settled, forecast, sampled, solved, finished. cafe_run, cafe_embed()
 * and cafe_cluster() go through these calls. */
#ifndef CAFE_METHOD_MODEL_H
#define CAFE_METHOD_MODEL_H

#include <cafe/method.h>

#include "os/lab.h"

/* The options a run will really use, for reports: own gets a struct of `table` (the method's for
 * vectors or communities) with the columns as labels and start say. More columns than nodes are
 * cut to the number of nodes (of sphere, to one less), unless a start has them. */
cafe_status cafe_method_settle(cafe_context *context, const cafe_method *method,
                               const cafe_option_table *table, const cafe_method_options *options,
                               const cafe_method_inputs *inputs, int64_t nodes, void *own);

/* What a run takes within a limit to its memory. */
void cafe_method_plan(const cafe_method *method, const cafe_method_options *options,
                      const cafe_graph *graph, int32_t threads, int64_t limit, cafe_plan *plan);

/* What a run on several processes takes: of a graph, or with graph NULL of one with this many nodes
 * and edges (and weights). Such a graph may be larger than any that can be read. If counts is NULL:
 * the graph's. options->own as settled. */
cafe_status cafe_method_ranks(cafe_context *context, const cafe_method *method,
                              const cafe_method_options *options, const cafe_graph *graph,
                              const cafe_graph_counts *counts, const cafe_ranks_options *ranks,
                              cafe_ranks_plan *plan);

/* A graph, sampled as the options say, and its operators. It serves any number of runs, of every
 * method that takes its sampling, also at once from threads with contexts of their own. The graph
 * outlives it. */
CAFE_LAB cafe_status cafe_model_create(cafe_context *context, const cafe_graph *graph,
                                       const cafe_method *method,
                                       const cafe_method_options *options,
                                       const cafe_method_inputs *inputs, cafe_model **model);

CAFE_LAB void cafe_model_free(cafe_model *model);

const cafe_sampled *cafe_model_sampled(const cafe_model *model);
const cafe_operator *cafe_model_operator(const cafe_model *model);
const cafe_feature_report *cafe_model_features(const cafe_model *model); /* NULL: none */
/* The operator that vectors are certified for: Q of the sampled graph, or for drawn walks the exact
 * one, which is applied without rows. */
const cafe_operator *cafe_model_certified(const cafe_model *model);

/* The same in steps. The first gives the method's solution, H and its history, and in *layers the
 * hierarchy of a method that builds one (NULL: not wanted). The second is the finish, which
 * consumes the solution as cafe_finish() does, with the propagation if one is asked for. */
CAFE_LAB cafe_status cafe_model_solve(cafe_context *context, const cafe_model *model,
                                      const cafe_method *method, const cafe_method_options *options,
                                      const cafe_method_inputs *inputs, cafe_solution **solution,
                                      cafe_layers **layers);
CAFE_LAB cafe_status cafe_model_finish(cafe_context *context, const cafe_model *model,
                                       const cafe_method *method,
                                       const cafe_method_options *options, cafe_solution **solution,
                                       cafe_embedding **embedding);

cafe_status cafe_model_cluster(cafe_context *context, const cafe_model *model,
                               const cafe_method *method, const cafe_method_options *options,
                               const cafe_method_inputs *inputs, cafe_clustering **clustering);

#endif
