/* cafe generate: random graphs with known structure. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "graph_text.h"
#include "output.h"

typedef struct generate_values {
    cli_common common;
    const char *output, *labels;
    cafe_generate_options generate;
} generate_values;

static const struct {
    const char *name;
    cafe_model model;
    bool blocks;
} models[] = {
    {"sbm", CAFE_MODEL_SBM, true},
    {"planted", CAFE_MODEL_PLANTED, true},
    {"ba", CAFE_MODEL_BA, false},
    {"rmat", CAFE_MODEL_RMAT, false},
};
enum { MODELS = sizeof models / sizeof *models };

static int find_model(const char *name) {
    for (int i = 0; i < MODELS; i++)
        if (strcmp(models[i].name, name) == 0) return i;
    return -1;
}

/* "node label" per line. The model says how many nodes there are: R-MAT may round them. */
static int write_labels(cli_run *run, const char *path, const cafe_graph *graph,
                        const int32_t *labels) {
    cli_output output;
    char name[64];
    int code = cli_output_open(run, path, &output);
    if (code != CLI_OK) return code;
    for (int64_t u = 0; u < cafe_graph_nodes(graph); u++) {
        cafe_graph_name(graph, u, name, sizeof name);
        fprintf(output.file, "%s %" PRId32 "\n", name, labels[u]);
    }
    return cli_output_close(run, &output, true);
}

static int generate(cli_run *run, const generate_values *v, cafe_model model, int32_t *labels) {
    cafe_graph *graph = NULL;
    int code = cli_check(run, cafe_generate(run->context, model, &v->generate, &graph, labels));
    if (code == CLI_OK)
        code = cli_check(run, cafe_graph_write(run->context, graph, v->output, CAFE_FORMAT_AUTO,
                                               v->common.force));
    if (code == CLI_OK && v->labels) code = write_labels(run, v->labels, graph, labels);
    if (code == CLI_OK) {
        cli_say_graph(run, v->output, graph);
        if (v->labels) cli_say(run, "labels    %s", v->labels);
    }
    cafe_graph_free(graph);
    return code;
}

static int check_names(const generate_values *v) {
    if (!v->output) return cli_usage_error("generate", "where to? give -o FILE");
    if (cli_graph_format(v->output) == CAFE_FORMAT_AUTO)
        return cli_unknown_graph_format("generate", v->output);
    if (v->labels && strcmp(v->output, v->labels) == 0)
        return cli_usage_error("generate", "graph and labels cannot both go to %s", v->output);
    int code = cli_output_check("generate", &v->common, v->output);
    return code != CLI_OK ? code : cli_output_check("generate", &v->common, v->labels);
}

static int run_generate(const void *values, const cli_arguments *arguments) {
    const generate_values *v = values;
    cli_run run;
    int32_t *labels = NULL;
    int m = find_model(arguments->words[0]);
    if (m < 0)
        return cli_usage_error("generate",
                               "there is no model '%s'; there are sbm, planted, ba, rmat",
                               arguments->words[0]);
    int code = check_names(v);
    if (code != CLI_OK) return code;
    code = cli_begin(&run, "generate", &v->common);
    if (code == CLI_OK && v->labels) {
        labels = malloc((size_t)v->generate.nodes * sizeof *labels);
        if (!labels) code = cli_error(&run, CLI_FAILED, "out of memory: labels");
        if (!models[m].blocks)
            cli_warn(&run, "the %s model has no blocks: every label is 0", models[m].name);
    }
    if (code == CLI_OK) code = generate(&run, v, models[m].model, labels);
    free(labels);
    return cli_end(&run, code);
}

static const cli_option options[] = {
    {"output", 'o', "FILE", CLI_TEXT, offsetof(generate_values, output), NULL, NULL,
     "the graph; its ending tells the format: .txt .edges .tsv .csv .mtx .graph .metis .cafe"},
    {"labels", 0, "FILE", CLI_TEXT, offsetof(generate_values, labels), NULL, NULL,
     "write each node's block, 'node label' per line"},
    CLI_ROW_FORCE,
    CLI_ROW_SEED,
    CLI_ROW_THREADS,
    CLI_ROW_QUIET,
    CLI_ROW_HELP,
    CLI_ROW_END,
};

static const cli_group groups[] = {
    {"Options", options, NULL, 0},
    {"Model", NULL, cafe_generate_option_table, offsetof(generate_values, generate)},
    {0},
};

const cli_command cli_generate = {
    .name = "generate",
    .arguments = "sbm|planted|ba|rmat -o FILE [options]",
    .summary = "make a random graph with known structure",
    .description =
        "sbm: stochastic block model with equal blocks. planted: planted partition with "
        "power-law degrees. ba: preferential attachment (Barabasi-Albert). rmat: "
        "recursive matrix. The same seed gives the same graph on any machine.",
    .groups = groups,
    .size = sizeof(generate_values),
    .least = 1,
    .most = 1,
    .run = run_generate,
};
