/* Sampling with options: their table, the checks that all samplings share, and the choice. */
#include <math.h>

#include "base/option.h"
#include "graph/graph.h"
#include "sample/sampled.h"

#define AT(field) offsetof(cafe_sample_options, field)

static const cafe_option sample_options[] = {
    {"window", "T", CAFE_OPTION_INTEGER, AT(window), 5, 1, 1000, NULL,
     "walk: lengths 1 to T are equally likely"},
    {"damping", "D", CAFE_OPTION_REAL, AT(damping), 0.85, 0, 0.999, NULL,
     "pagerank: the probability of another step"},
    {"samples", "N", CAFE_OPTION_INTEGER, AT(samples), 0, 0, 1e11, NULL,
     "walk, pagerank: draw so many pairs; 0 takes exact rows if they fit the budget, else as many "
     "pairs as 16 times the arcs (at least a million) that fit it"},
    {"budget", "MB", CAFE_OPTION_INTEGER, AT(budget), 1024, 1, 1e9, NULL,
     "walk, pagerank: memory for building the rows, in MB"},
    {"lambda", "L", CAFE_OPTION_REAL, AT(lambda), 1, -1e6, 1e6, NULL,
     "twisted: strength of the attributes; 0 gives edge sampling"},
    {"measure", "NAME", CAFE_OPTION_CHOICE, AT(measure), CAFE_MEASURE_COSINE, 0, 2,
     "cosine|dot|category", "twisted: how alike the attributes of two nodes are"},
    {"twist-mean", "F", CAFE_OPTION_REAL, AT(twist_mean), 0, -1e30, 1e30, NULL,
     "twisted: choose lambda such that the measure has this average"},
    {"balance", NULL, CAFE_OPTION_SWITCH, AT(balance), 0, 0, 1, NULL,
     "weigh every pair by 1/sqrt(p_u p_w), so that hubs count no more than others"},
};

CAFE_OPTION_TABLE(sample, "sampling", "how pairs of nodes are drawn from the graph", sample_options)

const char *cafe_sampling_name(cafe_sampling sampling) {
    switch (sampling) {
        case CAFE_SAMPLING_EDGE: return "edge";
        case CAFE_SAMPLING_WALK: return "walk";
        case CAFE_SAMPLING_PAGERANK: return "pagerank";
        case CAFE_SAMPLING_TWISTED: return "twisted";
    }
    return NULL;
}

/* Inputs that a sampling would leave aside are refused: they were given for a reason. */
static cafe_status check_inputs(cafe_context *context, cafe_sampling sampling,
                                const cafe_sample_inputs *inputs) {
    bool twisted = sampling == CAFE_SAMPLING_TWISTED, edge = sampling == CAFE_SAMPLING_EDGE;
    if (twisted && (!inputs->attributes || inputs->width < 1))
        return cafe_fail(context, CAFE_ERROR_ARGUMENT, "twisted sampling needs attributes");
    if (!twisted && inputs->attributes)
        return cafe_fail(context, CAFE_ERROR_ARGUMENT, "%s sampling takes no attributes",
                         cafe_sampling_name(sampling));
    if ((twisted || edge) && inputs->seeds)
        return cafe_fail(context, CAFE_ERROR_ARGUMENT, "%s sampling takes no seeds",
                         cafe_sampling_name(sampling));
    return CAFE_OK;
}

cafe_status cafe_sample_with(cafe_context *context, const cafe_graph *graph, cafe_sampling sampling,
                             const cafe_sample_options *options, const cafe_sample_inputs *inputs,
                             cafe_sampled **sampled) {
    cafe_sample_inputs in;
    cafe_status status = CAFE_OK;
    cafe_sample_options o;
    *sampled = NULL;
    if (!cafe_sampling_name(sampling))
        return cafe_fail(context, CAFE_ERROR_ARGUMENT, "unknown sampling %d", (int)sampling);
    CAFE_TRY(cafe_options_take(context, &sample_table, options, &o));
    CAFE_TRY(cafe_inputs_take(context, "a sampling", inputs, &in, sizeof in));
    if (graph->arcs == 0)
        return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                         "the graph has no edges: %s sampling has nothing to draw from",
                         cafe_sampling_name(sampling));
    CAFE_TRY(check_inputs(context, sampling, &in));
    if (sampling == CAFE_SAMPLING_EDGE)
        CAFE_TRY(cafe_sampled_of(context, graph, NULL, sampling, sampled));
    else if (sampling == CAFE_SAMPLING_TWISTED)
        CAFE_TRY(cafe_sample_twisted(context, graph, &o, &in, sampled));
    else
        CAFE_TRY(cafe_sample_walk(context, graph, sampling, &o, &in, sampled));
    if (o.balance) CAFE_TRY(cafe_sampled_balance(context, *sampled));
done:
    if (status != CAFE_OK) {
        cafe_sampled_free(*sampled);
        *sampled = NULL;
    }
    return status;
}
