/* --sampling: its files, its messages. */
#define _GNU_SOURCE
#include "sampling.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <cafe-private/inputs.h>

#include "graph_text.h"
#include "labels.h"
#include "output.h"
#include "vectors.h"

/* ---- attributes ------------------------------------------------------------------------------ */

/* Classes as numbers. A node without a label is like no other: it gets a number of its own, the
 * negative float whose bits are 2^31 + 1 + u. */
static int read_categories(cli_run *run, const char *path, const cafe_graph *graph, float **x) {
    cafe_labels *labels = NULL;
    int64_t n = cafe_graph_nodes(graph);
    int32_t *label = NULL;
    *x = malloc((size_t)n * sizeof **x + 1);
    int code = *x ? CLI_OK : cli_error(run, CLI_RESOURCES, "out of memory");
    if (code == CLI_OK) code = cli_read_classes(run, graph, path, &labels, &label);
    for (int64_t u = 0; u < n && code == CLI_OK; u++) {
        uint32_t own = 0x80000001u + (uint32_t)u;
        if (label[u] < 0)
            memcpy(&(*x)[u], &own, sizeof own);
        else
            (*x)[u] = (float)label[u];
    }
    cafe_labels_free(labels);
    return code;
}

static int read_attributes(cli_run *run, const cli_sampling *s, const cafe_graph *graph, float **x,
                           int64_t *width) {
    *width = 1;
    if (s->options.measure == CAFE_MEASURE_CATEGORY &&
        strcasecmp(cli_extension(s->attributes), ".npy") != 0)
        return read_categories(run, s->attributes, graph, x);
    return cli_read_rows(run, s->attributes, graph, x, width);
}

/* ---- seeds ----------------------------------------------------------------------------------- */

static int read_seeds(cli_run *run, const char *path, const cafe_graph *graph, int64_t *count,
                      int32_t **nodes) {
    CLI_TRY(cli_check(run, cafe_nodes_read(run->context, graph, path, count, nodes)));
    if (*count > 0) return CLI_OK;
    return cli_error(run, CLI_INPUT, "%s: expected names of nodes, found none", path);
}

/* ---- sampling -------------------------------------------------------------------------------- */

void cli_sampling_say(cli_run *run, const cafe_sampled *sampled) {
    char entries[CLI_COUNT_TEXT], pairs[CLI_COUNT_TEXT], seeds[CLI_COUNT_TEXT];
    cafe_sampled_info i = *cafe_sampled_get_info(sampled);
    if (i.degree_exponent > 0)
        cli_say(run, "sampling  edges weighed by 1/(d_u d_w)^%.9g", i.degree_exponent);
    if (i.sampling == CAFE_SAMPLING_EDGE) return;
    cli_say(run, "sampling  %s: %s entries, %s", cafe_sampling_name(i.sampling),
            cli_count_text(i.entries, entries), i.exact ? "exact" : "drawn");
    if (i.seeds > 0)
        cli_say(run, "          walks begin at %s node%s", cli_count_text(i.seeds, seeds),
                cli_plural(i.seeds));
    if (i.truncation > 0)
        cli_say(run, "          walks of up to %" PRId64 " steps; %.1e of them are longer", i.steps,
                i.truncation);
    if (cafe_sampler_of((cafe_sampling)i.sampling)->attributes)
        cli_say(run, "          lambda %g; the measure has the average %.6f", i.lambda, i.mean);
    if (!i.exact)
        cli_say(run, "          %s pairs; standard error %.2e, relative error of an entry %.3f",
                cli_count_text(i.samples, pairs), i.standard_error, i.relative_error);
}

int cli_sampling_read(cli_run *run, cli_sampling *s, const cafe_graph *graph) {
    int code = CLI_OK;
    if (s->inputs.struct_size > 0) return CLI_OK;
    if (s->attributes) code = read_attributes(run, s, graph, &s->numbers, &s->inputs.width);
    if (code == CLI_OK && s->seeds)
        code = read_seeds(run, s->seeds, graph, &s->inputs.seed_count, &s->nodes);
    s->inputs.struct_size = sizeof s->inputs;
    s->inputs.attributes = s->numbers;
    s->inputs.seeds = s->nodes;
    return code;
}

void cli_sampling_free(cli_run *run, cli_sampling *s) {
    free(s->numbers);
    cafe_nodes_free(run->context, s->nodes);
    s->inputs = (cafe_sample_inputs){0}, s->numbers = NULL, s->nodes = NULL;
}

cafe_run_inputs cli_sampling_inputs(const cli_sampling *s) {
    cafe_run_inputs inputs;
    cafe_run_inputs_init(&inputs);
    inputs.attributes_path = s->attributes;
    inputs.seeds_path = s->seeds;
    inputs.attributes = s->inputs.attributes;
    inputs.attribute_columns = s->inputs.width;
    inputs.seeds = s->inputs.seeds;
    inputs.seed_count = s->inputs.seed_count;
    inputs.features_path = s->features_path;
    inputs.features = s->features;
    return inputs;
}
