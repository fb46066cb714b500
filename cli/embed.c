/* cafe embed: read, check the memory, sample, solve, finish, write, report.
 *
 * What can be refused is refused before the work begins: names, endings, existing files, and runs
 * that would not fit into the memory.
 */
#include "embed.h"

#include <stdio.h>
#include <stdlib.h>

#include <cafe-private/inputs.h>
#include <cafe-private/run.h>

#include "command.h"
#include "output.h"

/* ---- before the work ------------------------------------------------------------------------- */

static int check(void *argument) {
    embed_job *job = argument;
    cli_run *run = &job->shared.run;
    CLI_TRY(embed_ranks_check(job));
    CLI_TRY(cli_checkpoint_check("embed", &job->shared.checkpoint, run->arguments));
    if (job->scratch && job->memory == 0)
        return cli_usage_error("embed", "--scratch needs --memory-limit SIZE");
    return CLI_OK;
}

/* The limit holds from the reading of the graph on. */
static int limit_memory(embed_job *job) {
    if (job->memory == 0) return CLI_OK;
    if (cli_team_several())
        return cli_usage_error("embed", "--memory-limit does not go with several processes");
    return cli_check(&job->shared.run, cafe_run_limit(job->shared.of, job->memory, job->scratch));
}

/* With a dry run also the speed of the disk. */
static int plan(embed_job *job) {
    cli_run *run = &job->shared.run;
    if (job->dry_run) CLI_TRY(cli_check(run, cafe_run_measure_disk(job->shared.of)));
    CLI_TRY(cli_check(run, cafe_run_plan(job->shared.of, &job->forecast)));
    cli_job_warn(&job->shared);
    return CLI_OK;
}

/* ---- the steps ------------------------------------------------------------------------------- */

static void after(embed_job *job, cafe_run_step step) {
    cli_job *shared = &job->shared;
    if (step == CAFE_STEP_SAMPLE) cli_job_say_sample(shared);
    if (step == CAFE_STEP_SOLVE) embed_say_solution(job);
    if (step == CAFE_STEP_FINISH) embed_say_certificate(job);
}

static int print_plan(embed_job *job) {
    cli_run *run = &job->shared.run;
    embed_print_plan(job);
    run->kept = true; /* the report of a run that would not fit */
    int fits = cli_check(run, cafe_run_fits(job->shared.of));
    CLI_TRY(cli_write_report(run, "cafe/embed/1", embed_fill_report, job));
    return fits;
}

static int work(void *argument) {
    embed_job *job = argument;
    cli_run *run = &job->shared.run;
    CLI_TRY(cli_job_open(&job->shared, CAFE_PURPOSE_VECTORS, job->dry_run));
    CLI_TRY(limit_memory(job));
    CLI_TRY(job->size ? embed_take_size(job) : cli_job_read(&job->shared));
    if (!job->size && !cafe_graph_names_are_indices(run->graph))
        CLI_TRY(cli_check_names_file(run, run->common.output));
    CLI_TRY(plan(job));
    if (job->dry_run) return print_plan(job);
    for (cafe_run_step done = CAFE_STEP_NONE; done != CAFE_STEP_WRITE;) {
        CLI_TRY(cli_job_after(&job->shared, cafe_run_next(job->shared.of, &done)));
        after(job, done);
    }
    CLI_TRY(cli_write_report(run, "cafe/embed/1", embed_fill_report, job));
    embed_say_end(job);
    return CLI_OK;
}

/* ---- the command ----------------------------------------------------------------------------- */

static const cli_option options[] = {
    CLI_ROW_OUTPUT(CLI_VECTORS " -",
                   "the vectors: .npy (float32; names in FILE.names.txt unless they are 0 .. n-1), "
                   ".tsv, .csv, .txt (word2vec text), or - for TSV on standard output"),
    CLI_ROW_JSON("a report with the certificate and every figure of the run; - is standard output"),
    CLI_ROW_FLAG(embed_job, dry_run, "dry-run",
                 "read the graph, print the memory the run would need, and stop; with "
                 "--memory-limit also files and their time; exit code 4 if it would not fit"),
    CLI_ROW_NUMBER(embed_job, memory, "memory-limit", "SIZE", CLI_BYTES, NULL,
                   "use less memory than this (512M, 8G): sphere and cafe then keep vectors in "
                   "files; what does not fit even so is refused"),
    CLI_ROW_TEXT(embed_job, size, "graph-size", "N,M",
                 "with --dry-run, instead of GRAPH: forecast the run of a graph with N nodes and M "
                 "edges, such as 1e10,1e12"),
    CLI_ROW_TEXT(embed_job, scratch, "scratch", "FOLDER",
                 "folder of these files, that of the output unless given; they have no names, and "
                 "are gone when the run ends, however it ends"),
    CLI_ROWS_CHECKPOINT(embed_job, shared.checkpoint),
    CLI_ROW_VERBOSE,
    CLI_ROW_ENGINE,
    CLI_ROW_PARTITION,
    CLI_ROW_NO_HEADING,
    CLI_ROWS_SEEDED,
};
static const cli_option model_options[] = {
    CLI_ROW_METHOD(embed_job, shared.method, CLI_VECTORS_METHOD, "sphere",
                   "how the vectors are made; 'cafe help methods' has a line on each"),
    CLI_ROW_PROPAGATE(embed_job, shared.method),
    CLI_ROW_READS(
        embed_job, shared.start_path, "start",
        "start from these vectors (.npy, .tsv, .csv, .txt: a row per node) instead of random "
        "ones; their columns are used unless --columns is given"),
    CLI_ROWS_KNOWN,
    CLI_ROW_END,
};
static const cli_group groups[] = {
    CLI_GROUP("Input and output", options),
    CLI_GROUP("Model", model_options),
    CLI_METHOD_GROUPS(embed_job, shared.method, cli_job_sampling),
    CLI_GROUP_TABLE("With --features", embed_job, shared.features, cafe_feature_option_table),
    CLI_GROUP_TABLE("Several processes (--dry-run)", embed_job, ranks, cafe_ranks_option_table),
    CLI_GROUP_READING,
    {0},
};

const cli_command cli_embed = {
    .name = "embed",
    .arguments = "GRAPH... -o OUT.npy [options]",
    .many = true,
    .summary = "turn a graph into vectors, and say how exact they are",
    .description =
        "Reads a graph ('cafe help formats' lists the formats; - is standard input) and "
        "computes one vector per node. Writes them in the order of the nodes: integer ids "
        "ascending, other ids by first appearance. The output describes Q, the modularity "
        "matrix (edges less those that degrees alone would give), and H, the rows that "
        "the method found. A Ritz value is the eigenvalue that a column stands for; the "
        "certificate is that a true one lies within its residual. The effective rank is the "
        "number of directions that H really uses. 'man cafe-embed' has the formulas.",
    CLI_JOB(embed_job, 1, 1),
    .instead = "graph-size",
    .needs = "output|json|dry-run",
    .check = check,
    .release = cli_job_release,
};
