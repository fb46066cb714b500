/* cafe generate: random graphs with known structure. */
#include <inttypes.h>
#include <string.h>

#include "command.h"
#include "graph_text.h"
#include "output.h"

typedef struct generate_job {
    cli_run run;
    const char *labels_path;
    cafe_generate_options options;
    int model; /* its place in the list */
    int32_t *labels;
} generate_job;

static const struct {
    const char *name;
    cafe_generator model;
    bool blocks;
} models[] = {
    {"sbm", CAFE_GENERATOR_SBM, true},
    {"planted", CAFE_GENERATOR_PLANTED, true},
    {"ba", CAFE_GENERATOR_BA, false},
    {"rmat", CAFE_GENERATOR_RMAT, false},
};
enum { MODELS = sizeof models / sizeof *models };

/* "node label" per line, in a table with a heading. The model says how many nodes there are: R-MAT
 * may round them. */
static int put_labels(FILE *file, const void *argument) {
    const generate_job *job = argument;
    bool columns = cli_ends_in(job->labels_path, ".tsv") || cli_ends_in(job->labels_path, ".csv");
    if (columns) cli_put_heading(file, &job->run, "node\tlabel");
    for (int64_t u = 0; u < cafe_graph_nodes(job->run.graph); u++)
        fprintf(file, "%s%c%" PRId32 "\n", cli_name(&job->run, job->run.graph, u),
                columns ? '\t' : ' ', job->labels[u]);
    return CLI_OK;
}

static int check(void *argument) {
    generate_job *job = argument;
    const char *name = job->run.words[0];
    while (job->model < MODELS && strcmp(models[job->model].name, name) != 0) job->model++;
    if (job->model == MODELS)
        return cli_usage_error("generate",
                               "there is no model '%s'; there are sbm, planted, ba, rmat", name);
    if (models[job->model].model != CAFE_GENERATOR_PLANTED)
        CLI_TRY(cli_only_with("generate", job->run.arguments, "exponent|size-exponent|size-ratio",
                              "the model planted"));
    if (models[job->model].blocks) return CLI_OK;
    return cli_only_with("generate", job->run.arguments, "blocks|mixing",
                         "the models sbm and planted");
}

static int work(void *argument) {
    generate_job *job = argument;
    cli_run *run = &job->run;
    const char *output = run->common.output;
    if (job->labels_path) {
        if (!models[job->model].blocks)
            cli_warn(run, "the %s model has no blocks: every label is 0", models[job->model].name);
        job->labels = cli_new(run, job->options.nodes, sizeof *job->labels);
        if (!job->labels) return CLI_RESOURCES;
    }
    CLI_TRY(cli_check(run, cafe_generate(run->context, models[job->model].model, &job->options,
                                         &run->graph, job->labels)));
    CLI_TRY(cli_write_graph(run, run->graph, output));
    CLI_TRY(cli_write_file(run, job->labels_path, put_labels, job));
    cli_say_graph(run, output, run->graph);
    if (job->labels_path) cli_say(run, "labels    %s", job->labels_path);
    return CLI_OK;
}

static const cli_option options[] = {
    CLI_ROW_OUTPUT(CLI_GRAPHS " -",
                   "the graph; its ending tells the format:" CLI_GRAPHS
                   ", text also with .gz behind it; - writes an edge list to standard output"),
    CLI_ROW_WRITES(generate_job, labels_path, "labels", CLI_TABLES,
                   "write each node's block, 'node label' per line"),
    CLI_ROW_NO_HEADING,
    CLI_ROWS_SEEDED,
};
static const cli_group groups[] = {
    CLI_GROUP("Options", options),
    CLI_GROUP_TABLE("Model", generate_job, options, cafe_generate_option_table),
    {0},
};

const cli_command cli_generate = {
    .name = "generate",
    .arguments = "sbm|planted|ba|rmat -o FILE [options]",
    .summary = "make a random graph with known structure",
    .description =
        "sbm: stochastic block model with equal blocks. planted: degree-corrected planted "
        "partition with power-law degrees and block sizes. ba: preferential attachment "
        "(Barabasi-Albert). rmat: "
        "recursive matrix. The same seed gives the same graph on any machine.",
    CLI_JOB(generate_job, 1, 0),
    .needs = "output",
    .check = check,
};
