/* Sampling with options: their table, the checks that all samplings share, and the choice. */
#include <string.h>

#include <cafe-private/inputs.h>

#include "base/option.h"
#include "base/print.h"
#include "sample/sampled_graph.h"

#define AT(field) offsetof(cafe_sample_options, field)

static const cafe_option sample_options[] = {
    {"window", "T", CAFE_OPTION_INTEGER, AT(window), 5, 1, 1000, NULL,
     "walk: lengths 1 to T are equally likely"},
    {"damping", "D", CAFE_OPTION_REAL, AT(damping), 0.85, 0, 0.999, NULL,
     "pagerank: the probability of another step"},
    {"samples", "N", CAFE_OPTION_INTEGER | CAFE_OPTION_TUNE, AT(samples), 0, 0, 1e11, NULL,
     "walk, pagerank: draw this many pairs; 0 takes exact rows if they fit the budget, else 16 "
     "pairs an arc (at least a million), as far as they fit"},
    {"budget", "MB", CAFE_OPTION_INTEGER | CAFE_OPTION_TUNE, AT(budget), 1024, 1, 1e9, NULL,
     "walk, pagerank: memory for building the rows, in MB"},
    {"lambda", "L", CAFE_OPTION_REAL | CAFE_OPTION_TUNE, AT(lambda), 1, -1e6, 1e6, NULL,
     "twisted: strength of the attributes; 0 gives edge sampling"},
    {"measure", "NAME", CAFE_OPTION_CHOICE | CAFE_OPTION_TUNE, AT(measure), CAFE_MEASURE_COSINE, 0,
     2, "cosine|dot|category", "twisted: how alike the attributes of two nodes are"},
    {"twist-mean", "F", CAFE_OPTION_REAL | CAFE_OPTION_TUNE, AT(twist_mean), 0, -1e30, 1e30, NULL,
     "twisted: choose lambda such that the measure has this average"},
    {"degree-exponent", "X", CAFE_OPTION_REAL | CAFE_OPTION_TUNE, AT(degree_exponent), -1, 0, 0.5,
     NULL,
     "divide the weight of every edge by (d_u d_w)^X, d the degrees: hubs count less; unless "
     "given, 0.25 for sphere and 0 for the other methods and null models"},
    {"null", "NAME", CAFE_OPTION_CHOICE, AT(null_model), CAFE_NULL_CONFIGURATION, 0, 4,
     "configuration|constant|directed|two-sided|none",
     "what is expected of two nodes: edges by their degrees, alike for all pairs (CPM), by degrees "
     "out and in, between two sides, or nothing (sphere, cafe, softmax, layers, spectral)"},
};

CAFE_OPTION_TABLE(sample, "sampling", "how pairs of nodes are drawn from the graph", sample_options)

/* ---- the samplings --------------------------------------------------------------------------- */

static cafe_status sample_edges(cafe_context *context, const cafe_graph *graph,
                                cafe_sampling sampling, const cafe_sample_options *o,
                                const cafe_sample_inputs *inputs, cafe_sampled **sampled) {
    (void)o, (void)inputs;
    return cafe_sampled_of(context, graph, NULL, sampling, sampled);
}

static const cafe_sampler samplers[] = {
    {"edge", CAFE_SAMPLING_EDGE, "the ends of an edge", "degree-exponent|null", 0, 0, sample_edges},
    {"walk", CAFE_SAMPLING_WALK, "the ends of a walk of 1 to " CAFE_OPT("window") " steps",
     "window|samples|budget|degree-exponent|null", 1, 0, cafe_sample_walk},
    {"pagerank", CAFE_SAMPLING_PAGERANK, "the ends of a walk that stops by chance",
     "damping|samples|budget|degree-exponent|null", 1, 0, cafe_sample_walk},
    {"twisted", CAFE_SAMPLING_TWISTED, "the ends of an edge between nodes that are alike",
     "lambda|measure|twist-mean|degree-exponent|null", 0, 1, cafe_sample_twisted},
};
enum { SAMPLERS = sizeof samplers / sizeof *samplers };

const cafe_sampler *cafe_sampler_at(size_t index) {
    return index < SAMPLERS ? &samplers[index] : NULL;
}

const cafe_sampler *cafe_sampler_of(cafe_sampling sampling) {
    for (int i = 0; i < SAMPLERS; i++)
        if (samplers[i].sampling == (int32_t)sampling) return &samplers[i];
    return NULL;
}

const char *cafe_sampling_name(cafe_sampling sampling) {
    const cafe_sampler *sampler = cafe_sampler_of(sampling);
    return sampler ? sampler->name : NULL;
}

void cafe_sampled_made(const cafe_sampled *sampled, char made[CAFE_VECTORS_MADE]) {
    const cafe_sampled_info *info = &sampled->info;
    const char *end;
    for (int digits = 15; digits <= 17; digits += 2) {
        const char *name = cafe_sampling_name((cafe_sampling)info->sampling);
        cafe_print(made, CAFE_VECTORS_MADE, "%s %.*g", name, digits, info->degree_exponent);
        if (cafe_parse_number(strchr(made, ' ') + 1, &end) == info->degree_exponent) break;
    }
}

void cafe_sampling_made(const char *made, int32_t *sampling, double *degree_exponent) {
    const char *blank = strchr(made, ' ');
    *sampling = -1;
    *degree_exponent = 0;
    for (size_t i = 0; blank && cafe_sampler_at(i); i++) {
        const cafe_sampler *s = cafe_sampler_at(i);
        size_t length = strlen(s->name);
        if (length == (size_t)(blank - made) && memcmp(s->name, made, length) == 0)
            *sampling = s->sampling;
    }
    const char *end = NULL;
    double x = blank ? cafe_parse_number(blank + 1, &end) : -1;
    if (!end || end == blank + 1 || *end || !(x >= 0 && x <= 0.5)) *sampling = -1;
    if (*sampling >= 0) *degree_exponent = x;
}

int32_t cafe_sampler_has(const cafe_sampler *sampler, const char *option) {
    size_t length = strlen(option);
    for (const char *at = sampler->options;; at++) {
        size_t word = strcspn(at, "|");
        if (word == length && memcmp(at, option, length) == 0) return 1;
        at += word;
        if (*at == 0) return 0;
    }
}

/* A drawn pair is two entries and takes 40 bytes of the budget; n^2 may overflow. */
int64_t cafe_sample_entries(cafe_sampling sampling, const cafe_sample_options *options,
                            const cafe_graph_counts *counts) {
    cafe_sample_options o;
    int64_t n = counts->nodes;
    if (!cafe_sampler_has(cafe_sampler_of(sampling), "samples")) return 2 * counts->edges;
    cafe_sample_options_init(&o);
    if (options) o = *options;
    int64_t most = o.samples > 0 ? 2 * o.samples : o.budget * (1000 * 1000 / 20);
    return n > 0 && n < most / n + 1 ? n * n : most;
}

/* ---- checks ---------------------------------------------------------------------------------- */

/* Options and inputs that a sampling would leave aside are refused: they were given for a reason.
 */
static cafe_status check_options(cafe_context *context, const cafe_sampler *sampler,
                                 const cafe_sample_options *o) {
    for (size_t i = 0; i < sample_table.count; i++) {
        const cafe_option *option = &sample_options[i];
        if (cafe_options_number(option, o) != option->initial &&
            !cafe_sampler_has(sampler, option->name))
            return cafe_fail(context, CAFE_ERROR_ARGUMENT, "%s sampling has no option '%s'",
                             sampler->name, option->name);
    }
    return CAFE_OK;
}

static cafe_status check_inputs(cafe_context *context, const cafe_sampler *sampler,
                                const cafe_sample_inputs *inputs) {
    if (sampler->attributes && (!inputs->attributes || inputs->width < 1))
        return cafe_fail(context, CAFE_ERROR_ARGUMENT, "%s sampling needs attributes",
                         sampler->name);
    if (!sampler->attributes && inputs->attributes)
        return cafe_fail(context, CAFE_ERROR_ARGUMENT, "%s sampling takes no attributes",
                         sampler->name);
    if (!sampler->seeds && inputs->seeds)
        return cafe_fail(context, CAFE_ERROR_ARGUMENT, "%s sampling takes no seeds", sampler->name);
    return CAFE_OK;
}

cafe_status cafe_sample_by(cafe_context *context, const cafe_graph *graph, cafe_sampling sampling,
                           const cafe_sample_options *options, const cafe_sample_inputs *inputs,
                           cafe_degrees *degrees, cafe_sampled **sampled) {
    cafe_sample_inputs in;
    cafe_status status = CAFE_OK;
    const cafe_sampler *sampler = cafe_sampler_of(sampling);
    cafe_sample_options o;
    *sampled = NULL;
    if (!sampler)
        return cafe_fail(context, CAFE_ERROR_ARGUMENT, "unknown sampling %d", (int)sampling);
    CAFE_TRY(cafe_options_take(context, &sample_table, options, &o));
    CAFE_TRY(cafe_inputs_take(context, "a sampling", inputs, &in, sizeof in));
    if (cafe_graph_get_counts(graph)->edges == 0)
        return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                         "the graph has no edges: %s sampling has nothing to draw from",
                         sampler->name);
    CAFE_TRY(check_options(context, sampler, &o));
    CAFE_TRY(check_inputs(context, sampler, &in));
    CAFE_TRY(sampler->sample(context, graph, sampling, &o, &in, sampled));
    if (o.degree_exponent > 0)
        CAFE_TRY(cafe_sampled_exponent(context, o.degree_exponent, degrees, *sampled));
done:
    if (status != CAFE_OK) {
        cafe_sampled_free(*sampled);
        *sampled = NULL;
    }
    return status;
}

cafe_status cafe_sample(cafe_context *context, const cafe_graph *graph, cafe_sampling sampling,
                        const cafe_sample_options *options, const cafe_sample_inputs *inputs,
                        cafe_sampled **sampled) {
    return cafe_sample_by(context, graph, sampling, options, inputs, cafe_sampled_degrees, sampled);
}
