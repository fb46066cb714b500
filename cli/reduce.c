/* cafe reduce: read a table, reduce it, write the vectors and W, report. */
#include "reduce.h"

#include <cafe-private/inputs.h>
#include <cafe-private/writers.h>

#include "command.h"
#include "output.h"
#include "report.h"

/* ---- the phases ------------------------------------------------------------------------------ */

static int read_table(reduce_job *job) {
    cli_run *run = &job->run;
    double began = cli_seconds();
    CLI_TRY(cli_check(run, cafe_table_read(run->context, run->words[0], &job->table)));
    job->seconds[REDUCE_READ] = cli_seconds() - began;
    reduce_say_table(job);
    if (cafe_table_has_row_names(job->table))
        CLI_TRY(cli_check_names_file(run, run->common.output));
    return cafe_table_has_heading(job->table) ? cli_check_names_file(run, job->w) : CLI_OK;
}

static int solve(reduce_job *job) {
    double began = cli_seconds();
    const cafe_table *t = job->table;
    cafe_status status = cafe_reduce(job->run.context, cafe_table_rows(t), cafe_table_columns(t),
                                     cafe_table_values(t), &job->options, &job->reduction);
    job->seconds[REDUCE_SOLVE] = cli_seconds() - began;
    /* orders and chunks that contradict each other are the user's words, not a failure */
    if (status == CAFE_ERROR_ARGUMENT)
        return cli_error(&job->run, CLI_USAGE, "%s", cafe_error(job->run.context));
    if (status != CAFE_OK) return cli_check(&job->run, status);
    job->report = *cafe_reduction_get(job->reduction);
    reduce_say_result(job);
    return CLI_OK;
}

static int write_matrix(reduce_job *job, cafe_table_side side, int64_t columns, const float *values,
                        const char *path) {
    return cli_check(&job->run, cafe_table_write(job->run.context, job->table, side, columns,
                                                 values, path, job->run.common.force));
}

static int write_vectors(reduce_job *job) {
    const cafe_reduction_report *r = &job->report;
    const char *path = job->run.common.output;
    if (!path) return CLI_OK;
    float *values = cli_new(&job->run, r->rows * r->columns, sizeof *values);
    if (!values) return CLI_RESOURCES;
    cafe_reduction_copy(job->reduction, values);
    return write_matrix(job, CAFE_TABLE_ROWS, r->columns, values, path);
}

static int write_w(reduce_job *job) {
    const cafe_reduction_report *r = &job->report;
    if (!job->w) return CLI_OK;
    float *values = cli_new(&job->run, r->width * r->held, sizeof *values);
    if (!values) return CLI_RESOURCES;
    for (int64_t i = 0; i < r->width * r->held; i++) values[i] = (float)r->w[i];
    return write_matrix(job, CAFE_TABLE_COLUMNS, r->held, values, job->w);
}

static int work(void *argument) {
    reduce_job *job = argument;
    CLI_TRY(read_table(job));
    CLI_TRY(solve(job));
    double began = cli_seconds();
    CLI_TRY(write_vectors(job));
    CLI_TRY(write_w(job));
    job->seconds[REDUCE_WRITE] = cli_seconds() - began;
    CLI_TRY(cli_write_report(&job->run, "cafe/reduce/1", reduce_fill_report, job));
    reduce_say_end(job);
    return CLI_OK;
}

static void release(void *argument) {
    reduce_job *job = argument;
    cafe_reduction_free(job->reduction);
    cafe_table_free(job->table);
}

/* ---- the command ----------------------------------------------------------------------------- */

static const cli_option options[] = {
    CLI_ROW_OUTPUT(
        CLI_VECTORS " -",
        "the vectors: .npy (float32; names of rows in FILE.names.txt), .tsv, .csv, or - for "
        "TSV on standard output"),
    CLI_ROW_WRITES(reduce_job, w, "w", CLI_VECTORS " -",
                   "the matrix W = X^T H that the columns are made of (.npy, .tsv, .csv): a line "
                   "per column of the table; a column per cluster, the sum of its members"),
    CLI_ROW_JSON("a report with the certificate, the column means and every figure of the run; - "
                 "is standard output"),
    CLI_ROW_VERBOSE,
    CLI_ROW_NO_HEADING,
    CLI_ROWS_SEEDED,
};

static const cli_group groups[] = {
    CLI_GROUP("Options", options),
    CLI_GROUP_TABLE("Solver", reduce_job, options, cafe_reduce_option_table),
    {0},
};

const cli_command cli_reduce = {
    .name = "reduce",
    .arguments = "TABLE -o OUT.npy [options]",
    .summary = "reduce a table to fewer columns, beside exact PCA",
    .description =
        "Reads a table of numbers: .npy, CSV, TSV or numbers separated by blanks, plain or "
        "gzip; - is standard input. A heading and row names are detected. Centres its "
        "columns, clusters its rows, and writes vectors of a few columns made from the "
        "clusters. Reports what is proved about them, and their distance from the principal "
        "components. 'man cafe-reduce' has the formulas.",
    CLI_JOB(reduce_job, 1, 1),
    .needs = "output|w|json",
    .release = release,
};
