/* cafe embed: read, check the memory, sample, solve, finish, write, report.
 *
 * What can be refused is refused before the work begins: names, endings, existing files, and runs
 * that would not fit into the memory.
 */
#include "embed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "graph_text.h"
#include "labels.h"
#include "output.h"
#include "predicted.h"
#include "vectors.h"

/* ---- before the work ------------------------------------------------------------------------- */

static int check(void *argument) {
    embed_job *job = argument;
    job->available = cafe_memory_available(); /* before the graph takes its part */
    CLI_TRY(embed_ranks_check(job));
    CLI_TRY(cli_method_check("embed", &job->method, CLI_VECTORS_METHOD, job->run.arguments));
    CLI_TRY(cli_method_check_inputs("embed", &job->method, job->labels_path, job->start_path));
    CLI_TRY(cli_checkpoint_check("embed", &job->checkpoint, &job->method, job->run.arguments));
    if (job->predicted && !job->labels_path)
        return cli_usage_error("embed", "--predicted needs --labels FILE");
    if (job->scratch && job->memory == 0)
        return cli_usage_error("embed", "--scratch needs --memory-limit SIZE");
    return CLI_OK;
}

const char *embed_folder(const embed_job *job, char folder[EMBED_FOLDER]) {
    const char *output = job->run.common.output, *slash = output ? strrchr(output, '/') : NULL;
    int length = slash ? (int)(slash - output) + (slash == output) : 1;
    if (job->scratch) return job->scratch;
    snprintf(folder, EMBED_FOLDER, "%.*s", length, slash ? output : ".");
    return folder;
}

/* Of several processes each has its part of the rows. */
static int share_memory(embed_job *job) {
    cafe_ranks_options ranks;
    cafe_ranks_plan spread;
    cafe_method_options options = cli_method_options(&job->method);
    if (!cli_team_several()) return CLI_OK;
    cafe_ranks_options_init(&ranks);
    ranks.ranks = cli_team_ranks();
    CLI_TRY(cli_check(&job->run, cafe_method_ranks(job->run.context, job->method.row, &options,
                                                   NULL, &job->run.counts, &ranks, &spread)));
    job->plan.needed = spread.memory;
    return CLI_OK;
}

/* The blocks of a run lie on the device; here are the vectors, and as much again where others are
 * joined to them. */
static int64_t blocks_elsewhere(const embed_job *job) {
    double blocks = (double)(job->plan.device - job->plan.device_links) * 32 / 33;
    double here = 8.0 * (double)job->run.counts.nodes * (double)job->columns;
    return job->device > 0 && blocks > here ? (int64_t)(blocks - here) : 0;
}

/* Vectors to start from lie in memory beside the run, and so does the graph in another order. */
static int estimate_memory(embed_job *job) {
    char folder[EMBED_FOLDER];
    cafe_context *context = job->run.context;
    cafe_method_options options = cli_method_options(&job->method);
    int64_t nodes = job->run.counts.nodes, beside = 0, all;
    CLI_TRY(cli_check(&job->run, cafe_engine_memory(context, &job->device, &all)));
    if (job->start) beside = nodes * job->start_columns * (int64_t)sizeof *job->start;
    if (cafe_graph_order(job->run.graph))
        beside += job->run.counts.edges * (job->run.counts.weighted ? 16 : 8) + nodes * 40;
    if (job->memory > 0) job->available = job->memory;
    cafe_method_plan(job->method.row, &options, job->run.graph, cafe_threads(context),
                     job->available - beside, &job->plan);
    CLI_TRY(share_memory(job));
    job->needed = job->plan.needed + beside - blocks_elsewhere(job);
    job->plan.least += beside;
    if (job->memory == 0 || job->plan.files == 0) return CLI_OK;
    if (!job->dry_run)
        return cli_check(&job->run,
                         cafe_disk_free(context, embed_folder(job, folder), &job->disk.free));
    return cli_check(&job->run, cafe_disk_measure(context, embed_folder(job, folder), &job->disk));
}

bool embed_fits_device(const embed_job *job) {
    return job->device == 0 || job->plan.device <= job->device;
}

int64_t embed_device_columns(const embed_job *job) {
    const cafe_plan *p = &job->plan;
    double left = (double)(job->device - p->device_links);
    double each = (double)(p->device - p->device_links) / (double)job->columns;
    return left > 0 ? (int64_t)(left / each) : 0;
}

bool embed_fits(const embed_job *job) {
    const cafe_plan *p = &job->plan;
    if (!embed_fits_device(job)) return false;
    if (job->needed <= job->available) return true;
    return job->memory > 0 && p->files > 0 && p->groups > 0 && p->least <= job->memory &&
           p->files <= job->disk.free;
}

/* Why a run within --memory-limit does not fit: the memory, or the disk. */
static int refuse_files(embed_job *job) {
    char needed[CLI_BYTES_TEXT], limit[CLI_BYTES_TEXT], least[CLI_BYTES_TEXT];
    char folder[EMBED_FOLDER];
    const cafe_plan *p = &job->plan;
    if (p->least <= job->memory && p->groups > 0)
        return cli_error(&job->run, CLI_FAILED,
                         "the run needs %s in files and %s has %s free: it does not fit; --scratch "
                         "names another folder",
                         cli_bytes_text(p->files, needed), embed_folder(job, folder),
                         cli_bytes_text(job->disk.free, limit));
    return cli_error(&job->run, CLI_FAILED,
                     "the run needs %s of memory, with vectors in files %s at least, and %s is the "
                     "limit: it does not fit; fewer --columns need less",
                     cli_bytes_text(job->needed, needed), cli_bytes_text(p->least, least),
                     cli_bytes_text(job->memory, limit));
}

static int check_memory(embed_job *job) {
    char needed[CLI_BYTES_TEXT], available[CLI_BYTES_TEXT];
    if (embed_fits(job)) return CLI_OK;
    if (!embed_fits_device(job))
        return cli_error(&job->run, CLI_FAILED,
                         "the run needs %s of the device's memory and %s is left: it does not fit; "
                         "%lld columns would",
                         cli_bytes_text(job->plan.device, needed),
                         cli_bytes_text(job->device, available),
                         (long long)embed_device_columns(job));
    if (job->memory > 0 && job->plan.files > 0) return refuse_files(job);
    bool files = job->plan.files > 0 && job->plan.least <= job->available;
    return cli_error(&job->run, CLI_FAILED,
                     "the run needs %s of memory and %s %s: it does not fit; fewer --columns need "
                     "less%s",
                     cli_bytes_text(job->needed, needed), cli_bytes_text(job->available, available),
                     job->memory > 0 ? "is the limit" : "is available",
                     files ? ", --memory-limit keeps vectors in files" : "");
}

/* The limit holds from the reading of the graph on, and no more where all fits below it. */
static int limit_memory(embed_job *job, int64_t bytes) {
    char folder[EMBED_FOLDER];
    return cli_check(&job->run,
                     cafe_limit_memory(job->run.context, bytes, embed_folder(job, folder)));
}

/* ---- the phases ------------------------------------------------------------------------------ */

static int read_labels(embed_job *job) {
    cli_run *run = &job->run;
    const char *path = job->labels_path;
    if (!path) return CLI_OK;
    CLI_TRY(cli_read_classes(run, run->graph, path, &job->labels, &job->label));
    cli_say_labels(run, path, run->graph, job->labels);
    return CLI_OK;
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

/* Vectors to start from and labels to keep say how many columns there are, unless --columns does.
 */
static int read_input(embed_job *job) {
    cli_run *run = &job->run;
    double began = cli_seconds();
    CLI_TRY(cli_read_graph(run, job->labels_path));
    embed_warn_graph(job);
    if (job->start_path)
        CLI_TRY(cli_read_start(run, job->start_path, run->graph, &job->start_columns, &job->start));
    CLI_TRY(read_labels(job));
    cafe_method_inputs inputs = inputs_of(job);
    CLI_TRY(cli_method_settle(run, &job->method, &inputs, run->counts.nodes));
    job->columns = cli_method_columns(&job->method);
    job->seconds[PHASE_READ] = cli_seconds() - began;
    return CLI_OK;
}

static int sample(embed_job *job) {
    double began = cli_seconds();
    int code = cli_model_make(&job->run, &job->method, job->run.graph, &job->model);
    if (code == CLI_OK) code = cli_team_divide(&job->run, job->model, &job->division);
    job->seconds[PHASE_SAMPLE] = cli_seconds() - began;
    return code;
}

/* Keeps the solver's history: the finish consumes the solution. */
static int keep_history(embed_job *job) {
    const cafe_solution *solution = job->solution;
    job->sweeps = cafe_solution_sweeps(solution);
    job->solved = cafe_solution_columns(solution);
    job->converged = cafe_solution_converged(solution) != 0;
    job->objective = cli_new(&job->run, job->sweeps + 1, sizeof *job->objective);
    if (!job->objective) return CLI_FAILED;
    memcpy(job->objective, cafe_solution_objective(solution),
           (size_t)(job->sweeps + 1) * sizeof *job->objective);
    job->diagonal = cafe_solution_diagonal(solution);
    job->communities = cafe_solution_communities(solution, &job->modularity);
    job->drawn = cafe_solution_drawn(solution);
    return CLI_OK;
}

/* The rows that the solver found, before they are turned into vectors. */
static int write_predicted(embed_job *job) {
    cli_run *run = &job->run;
    cli_predicted predicted;
    if (!job->predicted) return CLI_OK;
    float *rows = cli_new(run, run->counts.nodes * job->solved, sizeof *rows);
    if (!rows) return CLI_FAILED;
    CLI_TRY(cli_check(run, cafe_solution_copy(job->solution, rows)));
    CLI_TRY(cli_predict(run, job->labels, job->solved, NULL, NULL, rows, &predicted));
    return cli_write_predicted(&predicted, job->predicted);
}

static int solve(embed_job *job) {
    double began = cli_seconds();
    cafe_method_options options = cli_method_options(&job->method);
    cafe_method_inputs inputs = inputs_of(job);
    cafe_status status = cafe_model_solve(job->run.context, job->model, job->method.row, &options,
                                          &inputs, &job->solution);
    free(job->start);
    job->start = NULL;
    job->seconds[PHASE_SOLVE] = cli_seconds() - began;
    int code = cli_check(&job->run, status);
    if (code == CLI_OK) code = keep_history(job);
    if (code == CLI_OK) embed_say_solution(job);
    return code == CLI_OK ? write_predicted(job) : cli_checkpoint_left(&job->run, code);
}

static int finish(embed_job *job) {
    double began = cli_seconds();
    cafe_method_options options = cli_method_options(&job->method);
    cafe_status status = cafe_model_finish_to(
        job->run.context, job->model, job->method.row, &options, job->run.common.output,
        job->run.common.force, &job->solution, &job->embedding);
    job->seconds[PHASE_FINISH] = cli_seconds() - began;
    if (status != CAFE_OK) return cli_check(&job->run, status);
    job->certificate = *cafe_embedding_certificate(job->embedding);
    embed_say_certificate(job);
    return cli_team_measure(&job->run, &job->division);
}

static int write_vectors(embed_job *job) {
    double began = cli_seconds();
    if (!job->run.common.output) return CLI_OK;
    cafe_status status = cafe_embedding_write(job->run.context, job->embedding, job->run.graph,
                                              job->run.common.output, job->run.common.force);
    job->seconds[PHASE_WRITE] = cli_seconds() - began;
    return cli_check(&job->run, status);
}

/* A dry run of several processes, or of a graph that is not there: what fits is asked of a process,
 * and this machine's memory says nothing about the others'. */
static int plan_ranks(embed_job *job) {
    char needed[CLI_BYTES_TEXT], limit[CLI_BYTES_TEXT];
    cli_run *run = &job->run;
    CLI_TRY(embed_ranks_make(job));
    embed_print_plan(job);
    run->kept = true;
    CLI_TRY(cli_write_report(run, "cafe/embed/1", embed_fill_report, job));
    if (embed_ranks_fit(job)) return CLI_OK;
    return cli_error(run, CLI_FAILED,
                     "a rank needs %s of memory and %s is the limit: it does not fit; more --ranks "
                     "or fewer --columns need less",
                     cli_bytes_text(job->spread.memory, needed),
                     cli_bytes_text(job->memory, limit));
}

static int work(void *argument) {
    embed_job *job = argument;
    cli_run *run = &job->run;
    if (job->size) return plan_ranks(job);
    if (job->memory > 0 && cli_team_several())
        return cli_usage_error("embed", "--memory-limit does not go with several processes");
    if (!job->dry_run) CLI_TRY(cli_checkpoint_begin(run, &job->checkpoint));
    CLI_TRY(limit_memory(job, job->memory));
    CLI_TRY(read_input(job));
    if (!cafe_graph_names_are_indices(run->graph))
        CLI_TRY(cli_check_names_file(run, run->common.output));
    CLI_TRY(estimate_memory(job));
    if (embed_ranks_wanted(job)) return plan_ranks(job);
    if (job->plan.files == 0) CLI_TRY(limit_memory(job, 0));
    if (job->dry_run) embed_print_plan(job);
    run->kept = job->dry_run; /* the report of a run that would not fit */
    int fits = check_memory(job);
    if (fits == CLI_OK && !job->dry_run) {
        CLI_TRY(sample(job));
        CLI_TRY(solve(job));
        CLI_TRY(finish(job));
        CLI_TRY(write_vectors(job));
    } else if (!job->dry_run) {
        return fits;
    }
    CLI_TRY(cli_write_report(run, "cafe/embed/1", embed_fill_report, job));
    if (!job->dry_run) embed_say_end(job);
    return fits == CLI_OK ? cli_checkpoint_end(run) : fits;
}

static void release(void *argument) {
    embed_job *job = argument;
    cafe_embedding_free(job->embedding);
    cafe_solution_free(job->solution);
    cafe_model_free(job->model);
    cafe_labels_free(job->labels);
    free(job->start);
}

/* ---- the command ----------------------------------------------------------------------------- */

static const cli_option options[] = {
    CLI_ROW_OUTPUT(CLI_VECTORS " -",
                   "the vectors: .npy (float32; names in FILE.names.txt unless they are 0 .. n-1), "
                   ".tsv, .csv, .txt (word2vec text), or - for TSV on standard output"),
    CLI_ROW_JSON("a report with the certificate and every figure of the run; - is standard output"),
    CLI_ROW_FLAG(embed_job, dry_run, "dry-run",
                 "read the graph, print the memory the run would need (with --memory-limit also "
                 "files, bytes read and written, and their time) and stop; exit code 1 when it "
                 "would not fit"),
    CLI_ROW_NUMBER(embed_job, memory, "memory-limit", "SIZE", CLI_BYTES, NULL,
                   "use less memory than this (512M, 8G): sphere and cafe then keep vectors in "
                   "files; what does not fit even so is refused"),
    CLI_ROW_TEXT(embed_job, size, "graph-size", "N,M",
                 "with --dry-run, instead of GRAPH: foretell the run of a graph with N nodes and M "
                 "edges, such as 1e10,1e12"),
    CLI_ROW_TEXT(embed_job, scratch, "scratch", "FOLDER",
                 "folder of these files, that of the output unless given; they have no names, and "
                 "are gone when the run ends, however it ends"),
    CLI_ROWS_CHECKPOINT(embed_job),
    CLI_ROW_VERBOSE,
    CLI_ROW_ENGINE,
    CLI_ROW_PARTITION,
    CLI_ROWS_SEEDED,
};
static const cli_option model_options[] = {
    CLI_ROW_METHOD(embed_job, CLI_VECTORS_METHOD, "sphere",
                   "how the vectors are made; 'cafe help methods' has a line on each"),
    CLI_ROW_PROPAGATE(embed_job),
    CLI_ROW_READS(
        embed_job, start_path, "start",
        "start from these vectors (.npy, .tsv, .csv, .txt: a row per node) instead of random "
        "ones; their columns are used unless --columns is given"),
    CLI_ROW_READS(embed_job, labels_path, "labels",
                  "known labels, one 'node label' per line, for methods that use them; they stay "
                  "as they are"),
    CLI_ROW_UNKNOWN,
    CLI_ROW_PREDICTED(embed_job, predicted),
    CLI_ROW_END,
};
static const cli_option sampling_options[] = {
    CLI_ROWS_SAMPLING_AT(embed_job, method.sampling),
    CLI_ROW_END,
};
static const cli_group groups[] = {
    CLI_GROUP("Input and output", options),
    CLI_GROUP("Model", model_options),
    CLI_METHOD_GROUPS(embed_job, sampling_options),
    CLI_GROUP_TABLE("Several processes (--dry-run)", embed_job, ranks, cafe_ranks_option_table),
    CLI_GROUP_READING,
    {0},
};

const cli_command cli_embed = {
    .name = "embed",
    .arguments = "GRAPH -o OUT.npy [options]",
    .summary = "turn a graph into vectors, and say how exact they are",
    .description =
        "Reads a graph ('cafe help formats' lists the formats; - is standard input), computes one "
        "vector per node, and writes them in the order of the nodes: integer ids ascending, other "
        "ids by first appearance. What it prints is said of Q, the modularity matrix (links less "
        "those that degrees alone would give), and of H, the rows that the method found. A Ritz "
        "value is the eigenvalue that a column stands for; the certificate is that a true one lies "
        "within its residual. The effective rank is the number of directions that H really uses. "
        "'man cafe-embed' has the formulas.",
    CLI_JOB(embed_job, 1, 1),
    .instead = "graph-size",
    .needs = "output|json|predicted|dry-run",
    .check = check,
    .release = release,
};
