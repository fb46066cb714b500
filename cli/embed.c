/* cafe embed: read, check the memory, sample, solve, finish, write, report.
 *
 * What can be refused is refused before the work begins: names, endings, existing files, and runs
 * that would not fit into the memory.
 */
#define _GNU_SOURCE
#include "embed.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "command.h"
#include "graph_text.h"
#include "output.h"
#include "vectors.h"

/* ---- before the work ------------------------------------------------------------------------- */

static int check_names(const embed_values *v) {
    if (!v->output && !v->json && !v->dry_run)
        return cli_usage_error("embed", "no output: give -o FILE (or --json, or --dry-run)");
    if (v->output) CLI_TRY(cli_check_ending("embed", v->output, CLI_VECTORS " -"));
    if (v->output && v->json && strcmp(v->output, v->json) == 0)
        return cli_usage_error("embed", "vectors and report cannot both go to %s", v->output);
    int code = cli_method_check_inputs("embed", &v->method, v->labels, v->start);
    if (code == CLI_OK) code = cli_output_check("embed", &v->common, v->output);
    return code != CLI_OK ? code : cli_output_check("embed", &v->common, v->json);
}

static void estimate_memory(embed_job *job) {
    embed_values *v = &job->values;
    cafe_method_options options = cli_method_options(&v->method);
    job->needed =
        cafe_method_bytes(v->method.row, &options, &job->counts, cafe_threads(job->run.context));
    if (job->start)
        job->needed += job->counts.nodes * job->start_columns * (int64_t)sizeof *job->start;
    if (v->memory > 0) job->available = v->memory;
}

static int check_memory(embed_job *job) {
    char needed[CLI_BYTES_TEXT], available[CLI_BYTES_TEXT];
    if (job->needed <= job->available) return CLI_OK;
    return cli_error(&job->run, CLI_FAILED,
                     "the run needs %s of memory and %s %s: it does not fit; fewer --columns need "
                     "less",
                     cli_bytes_text(job->needed, needed), cli_bytes_text(job->available, available),
                     job->values.memory > 0 ? "is the limit" : "is available");
}

/* ---- the phases ------------------------------------------------------------------------------ */

/* Vectors to start from; unless --columns is given their columns are the run's. */
static int read_start(embed_job *job) {
    if (!job->values.start) return CLI_OK;
    return cli_read_vectors(&job->run, job->values.start, job->graph, &job->start_columns,
                            &job->start);
}

/* Labels to keep; unless --columns asks for further clusters there is one column a class. */
static int read_labels(embed_job *job) {
    cafe_context *context = job->run.context;
    const char *path = job->values.labels;
    if (!path) return CLI_OK;
    int code = cli_check(&job->run, cafe_labels_read(context, job->graph, path, &job->labels));
    if (code != CLI_OK) return code;
    job->label = malloc((size_t)job->counts.nodes * sizeof *job->label);
    if (!job->label) return cli_error(&job->run, CLI_FAILED, "out of memory");
    code = cli_check(&job->run, cafe_labels_single(context, job->labels, job->label));
    if (code == CLI_OK)
        cli_say(&job->run, "labels    %s: %lld classes, %lld of %lld nodes labelled", path,
                (long long)cafe_labels_classes(job->labels),
                (long long)cafe_labels_labelled(job->labels), (long long)job->counts.nodes);
    return code;
}

static cafe_method_inputs inputs_of(const embed_job *job) {
    cafe_method_inputs inputs;
    cafe_method_inputs_init(&inputs);
    inputs.labels = job->label;
    inputs.classes = job->labels ? cafe_labels_classes(job->labels) : 0;
    inputs.start = job->start;
    inputs.start_columns = job->start_columns;
    return inputs;
}

static int read_input(embed_job *job) {
    double began = cli_seconds();
    int code = cli_read_labelled(&job->run, job->path, &job->values.graph, job->values.labels,
                                 &job->graph);
    if (code != CLI_OK) return code;
    job->counts = *cafe_graph_get_counts(job->graph);
    embed_warn_graph(job);
    code = read_start(job);
    if (code == CLI_OK) code = read_labels(job);
    cafe_method_inputs inputs = inputs_of(job);
    if (code == CLI_OK)
        code = cli_method_settle(&job->run, &job->values.method, &inputs, job->counts.nodes);
    job->columns = cli_method_columns(&job->values.method);
    job->seconds[PHASE_READ] = cli_seconds() - began;
    return code;
}

static int sample(embed_job *job) {
    double began = cli_seconds();
    int code = cli_model_make(&job->run, &job->values.method, job->graph, &job->model);
    job->seconds[PHASE_SAMPLE] = cli_seconds() - began;
    return code;
}

/* Keeps the solver's history: the finish consumes the solution. */
static int keep_history(embed_job *job) {
    const cafe_solution *solution = job->solution;
    job->sweeps = cafe_solution_sweeps(solution);
    job->converged = cafe_solution_converged(solution) != 0;
    size_t bytes = (size_t)(job->sweeps + 1) * sizeof *job->objective;
    job->objective = malloc(bytes);
    if (!job->objective) return cli_error(&job->run, CLI_FAILED, "out of memory");
    memcpy(job->objective, cafe_solution_objective(solution), bytes);
    job->diagonal = cafe_solution_diagonal(solution);
    job->communities = cafe_solution_communities(solution, &job->modularity);
    return CLI_OK;
}

static int solve(embed_job *job) {
    double began = cli_seconds();
    cafe_method_options options = cli_method_options(&job->values.method);
    cafe_method_inputs inputs = inputs_of(job);
    cafe_status status = cafe_model_solve(job->run.context, job->model, job->values.method.row,
                                          &options, &inputs, &job->solution);
    free(job->start);
    job->start = NULL;
    job->seconds[PHASE_SOLVE] = cli_seconds() - began;
    int code = cli_check(&job->run, status);
    if (code == CLI_OK) code = keep_history(job);
    if (code == CLI_OK) embed_say_solution(job);
    return code;
}

static int finish(embed_job *job) {
    double began = cli_seconds();
    cafe_method_options options = cli_method_options(&job->values.method);
    cafe_status status = cafe_model_finish(job->run.context, job->model, job->values.method.row,
                                           &options, &job->solution, &job->embedding);
    job->seconds[PHASE_FINISH] = cli_seconds() - began;
    if (status != CAFE_OK) return cli_check(&job->run, status);
    job->certificate = *cafe_embedding_certificate(job->embedding);
    embed_say_certificate(job);
    return CLI_OK;
}

static int write_vectors(embed_job *job) {
    const embed_values *v = &job->values;
    double began = cli_seconds();
    if (!v->output) return CLI_OK;
    cafe_status status = cafe_embedding_write(job->run.context, job->embedding, job->graph,
                                              v->output, v->common.force);
    job->seconds[PHASE_WRITE] = cli_seconds() - began;
    return cli_check(&job->run, status);
}

static int embed(embed_job *job) {
    int code = read_input(job);
    if (code == CLI_OK && !cafe_graph_names_are_indices(job->graph))
        code = cli_check_names_file(&job->run, job->values.output);
    if (code != CLI_OK) return code;
    estimate_memory(job);
    if (job->values.dry_run) {
        embed_print_plan(job);
        code = check_memory(job);
        int written = embed_write_report(job);
        return code != CLI_OK ? code : written;
    }
    if ((code = check_memory(job)) != CLI_OK) return code;
    if ((code = sample(job)) != CLI_OK) return code;
    if ((code = solve(job)) != CLI_OK) return code;
    if ((code = finish(job)) != CLI_OK) return code;
    if ((code = write_vectors(job)) != CLI_OK) return code;
    if ((code = embed_write_report(job)) != CLI_OK) return code;
    embed_say_end(job);
    return CLI_OK;
}

static int run_embed(const void *values, const cli_arguments *arguments) {
    embed_job job = {.values = *(const embed_values *)values, .path = arguments->words[0]};
    embed_values *v = &job.values;
    job.available = cafe_memory_available(); /* before the graph takes its part */
    int code = check_names(v);
    if (code == CLI_OK) code = cli_method_check("embed", &v->method, CLI_VECTORS_METHOD, arguments);
    if (code != CLI_OK) return code;
    code = cli_begin(&job.run, "embed", &job.values.common);
    if (code == CLI_OK) code = embed(&job);
    cafe_embedding_free(job.embedding);
    cafe_solution_free(job.solution);
    cafe_model_free(job.model);
    free(job.start);
    cafe_labels_free(job.labels);
    cafe_graph_free(job.graph);
    free(job.objective);
    free(job.label);
    return cli_end(&job.run, code);
}

/* ---- the command ----------------------------------------------------------------------------- */

static const cli_option options[] = {
    {"output", 'o', "FILE", CLI_TEXT, offsetof(embed_values, output), NULL, NULL,
     "the vectors: .npy (float32; names in FILE.names.txt unless they are 0 .. n-1), .tsv, .txt "
     "(word2vec text), or - for TSV on standard output"},
    {"json", 0, "FILE", CLI_TEXT, offsetof(embed_values, json), NULL, NULL,
     "a report with the certificate and every figure of the run; - is standard output"},
    CLI_ROW_FORCE,
    {"dry-run", 0, NULL, CLI_FLAG, offsetof(embed_values, dry_run), NULL, NULL,
     "read the graph, print the memory the run would need and stop; exit code 1 when it would not "
     "fit"},
    {"memory", 0, "LIMIT", CLI_BYTES, offsetof(embed_values, memory), NULL, NULL,
     "refuse a run that needs more than this (512M, 8G), instead of more than is available"},
    CLI_ROW_QUIET,
    CLI_ROW_VERBOSE,
    CLI_ROW_HELP,
    CLI_ROW_END,
};

static const cli_option model_options[] = {
    CLI_ROW_METHOD(embed_values, CLI_VECTORS_METHOD, "sphere",
                   "rows on the sphere, softmax clusters as columns, the communities of all layers "
                   "side by side, known labels spread, or one of the methods others published"),
    CLI_ROW_PROPAGATE(embed_values),
    {"start", 0, "FILE", CLI_TEXT, offsetof(embed_values, start), NULL, NULL,
     "start from these vectors (.npy, .tsv, .txt: a row per node) instead of random ones; their "
     "columns are "
     "used unless --columns is given"},
    {"labels", 0, "FILE", CLI_TEXT, offsetof(embed_values, labels), NULL, NULL,
     "known labels, 'node label' a line, of methods that use them: their rows stay fixed; with all "
     "nodes labelled there is nothing to iterate"},
    CLI_ROW_SEED,
    CLI_ROW_THREADS,
    CLI_ROW_ENGINE,
    CLI_ROW_END,
};

static const cli_option sampling_options[] = {
    CLI_ROWS_SAMPLING_AT(embed_values, method.sampling),
    CLI_ROW_END,
};

static const cli_group groups[] = {
    {"Input and output", options, NULL, 0},
    {"Model", model_options, NULL, 0},
    CLI_METHOD_GROUPS(embed_values, sampling_options),
    {"Reading the graph", NULL, cafe_graph_option_table, offsetof(embed_values, graph)},
    {0},
};

const cli_command cli_embed = {
    .name = "embed",
    .arguments = "GRAPH -o OUT.npy [options]",
    .summary = "turn a graph into vectors with a certificate",
    .description =
        "Reads a graph (edge list, plain or gzip; Matrix Market; METIS; scipy .npz; .cafe; - is "
        "standard input), computes one vector per node, says what is proved about them, and "
        "writes them in the order of the nodes: integer ids ascending, other ids by first "
        "appearance.",
    .groups = groups,
    .size = sizeof(embed_values),
    .least = 1,
    .most = 1,
    .run = run_embed,
};
