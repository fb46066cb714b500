/* cafe reduce: read a table, reduce it, write the vectors and W, report. */
#define _GNU_SOURCE
#include "reduce.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "command.h"
#include "output.h"

/* ---- before the work ------------------------------------------------------------------------- */

static int check_matrix(const reduce_values *v, const char *path) {
    if (path) CLI_TRY(cli_check_ending("reduce", path, CLI_VECTORS " -"));
    return cli_output_check("reduce", &v->common, path);
}

static bool same(const char *a, const char *b) {
    return a && b && strcmp(a, b) == 0;
}

static int check_names(const reduce_values *v) {
    const char *twice = same(v->output, v->w) || same(v->output, v->json) ? v->output
                        : same(v->w, v->json)                             ? v->w
                                                                          : NULL;
    if (!v->output && !v->json && !v->w)
        return cli_usage_error("reduce", "no output: give -o FILE (or --w, or --json)");
    if (twice) return cli_usage_error("reduce", "two outputs cannot both go to %s", twice);
    int code = check_matrix(v, v->output);
    if (code == CLI_OK) code = check_matrix(v, v->w);
    return code == CLI_OK ? cli_output_check("reduce", &v->common, v->json) : code;
}

/* ---- the phases ------------------------------------------------------------------------------ */

static int read_table(reduce_job *job) {
    double began = cli_seconds();
    const reduce_values *v = &job->values;
    cafe_status status = cafe_table_read(job->run.context, job->path, &job->table);
    job->seconds[REDUCE_READ] = cli_seconds() - began;
    int code = cli_check(&job->run, status);
    if (code != CLI_OK) return code;
    reduce_say_table(job);
    code =
        cafe_table_has_row_names(job->table) ? cli_check_names_file(&job->run, v->output) : CLI_OK;
    return code == CLI_OK && cafe_table_has_heading(job->table)
               ? cli_check_names_file(&job->run, v->w)
               : code;
}

static int solve(reduce_job *job) {
    double began = cli_seconds();
    const cafe_table *t = job->table;
    cafe_status status = cafe_reduce(job->run.context, cafe_table_rows(t), cafe_table_columns(t),
                                     cafe_table_values(t), &job->values.reduce, &job->reduction);
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
                                                 values, path, job->values.common.force));
}

static int write_vectors(reduce_job *job) {
    const cafe_reduction_report *r = &job->report;
    if (!job->values.output) return CLI_OK;
    float *values = malloc((size_t)(r->rows * r->columns + 1) * sizeof *values);
    if (!values) return cli_error(&job->run, CLI_FAILED, "out of memory");
    cafe_reduction_copy(job->reduction, values);
    int code = write_matrix(job, CAFE_TABLE_ROWS, r->columns, values, job->values.output);
    free(values);
    return code;
}

static int write_w(reduce_job *job) {
    const cafe_reduction_report *r = &job->report;
    if (!job->values.w) return CLI_OK;
    float *values = malloc((size_t)(r->width * r->held + 1) * sizeof *values);
    if (!values) return cli_error(&job->run, CLI_FAILED, "out of memory");
    for (int64_t i = 0; i < r->width * r->held; i++) values[i] = (float)r->w[i];
    int code = write_matrix(job, CAFE_TABLE_COLUMNS, r->held, values, job->values.w);
    free(values);
    return code;
}

static int reduce(reduce_job *job) {
    int code;
    if ((code = read_table(job)) != CLI_OK) return code;
    if ((code = solve(job)) != CLI_OK) return code;
    double began = cli_seconds();
    if ((code = write_vectors(job)) != CLI_OK) return code;
    if ((code = write_w(job)) != CLI_OK) return code;
    job->seconds[REDUCE_WRITE] = cli_seconds() - began;
    if ((code = reduce_write_report(job)) != CLI_OK) return code;
    reduce_say_end(job);
    return CLI_OK;
}

static int run_reduce(const void *values, const cli_arguments *arguments) {
    reduce_job job = {.values = *(const reduce_values *)values, .path = arguments->words[0]};
    job.values.reduce.keep_empty = job.values.keep_empty;
    int code = check_names(&job.values);
    if (code != CLI_OK) return code;
    code = cli_begin(&job.run, "reduce", &job.values.common);
    if (code == CLI_OK) code = reduce(&job);
    cafe_reduction_free(job.reduction);
    cafe_table_free(job.table);
    return cli_end(&job.run, code);
}

/* ---- the command ----------------------------------------------------------------------------- */

static const cli_option options[] = {
    {"output", 'o', "FILE", CLI_TEXT, offsetof(reduce_values, output), NULL, NULL,
     "the vectors: .npy (float32; names of rows in FILE.names.txt), .tsv, or - for TSV on standard "
     "output"},
    {"w", 0, "FILE", CLI_TEXT, offsetof(reduce_values, w), NULL, NULL,
     "W = X^T H as .npy or .tsv: a line per column of the table, a column per cluster, which is "
     "the sum of its centred members"},
    {"json", 0, "FILE", CLI_TEXT, offsetof(reduce_values, json), NULL, NULL,
     "a report with the certificate, the column means and every figure of the run; - is standard "
     "output"},
    CLI_ROW_FORCE,
    {"keep-empty", 0, NULL, CLI_FLAG, offsetof(reduce_values, keep_empty), NULL, NULL,
     "return all K columns, as the paper's point-cloud experiment does; those without information "
     "are completed arbitrarily"},
    CLI_ROW_SEED,
    CLI_ROW_THREADS,
    CLI_ROW_QUIET,
    CLI_ROW_VERBOSE,
    CLI_ROW_HELP,
    CLI_ROW_END,
};

/* The library's table without its last option, keep-empty, which is a flag here. */
static const cafe_option_table *solver_table(void) {
    static cafe_option_table table;
    table = *cafe_reduce_option_table();
    table.count--;
    return &table;
}

static const cli_group groups[] = {
    {"Options", options, NULL, 0},
    {"Solver", NULL, solver_table, offsetof(reduce_values, reduce)},
    {0},
};

const cli_command cli_reduce = {
    .name = "reduce",
    .arguments = "TABLE -o OUT.npy [options]",
    .summary = "reduce the columns of a table, beside exact PCA",
    .description =
        "Reads a table of numbers (.npy, CSV, TSV or numbers between blanks, plain or gzip; - is "
        "standard input; a heading and row names are detected), centres its columns, clusters its "
        "rows by the modularity matrix Q = X X^T through W = X^T H, and writes the vectors QR(QH) "
        "with what is proved about them and how far each is from the principal components.",
    .groups = groups,
    .size = sizeof(reduce_values),
    .least = 1,
    .most = 1,
    .run = run_reduce,
};
