/* cafe points: points, or a matrix of similarities, into a graph. */
#include <inttypes.h>

#include <cafe-private/inputs.h>
#include <cafe-private/members.h>

#include "command.h"
#include "graph_text.h"
#include "report.h"
#include "tell.h"

typedef struct points_job {
    cli_run run;
    bool matrix;
    cafe_points_options points;
    cafe_similarity_options similarity;
    cafe_table *table;
    double read, link, write; /* seconds */
} points_job;

static bool is_approximate(const points_job *job) {
    int32_t asked = job->points.approximate;
    return !job->matrix &&
           (asked == CAFE_APPROXIMATE_YES ||
            (asked == CAFE_APPROXIMATE_AUTO && cafe_table_rows(job->table) > CAFE_POINTS_EXACT));
}

static const char *way(const points_job *job) {
    return job->matrix ? "matrix" : is_approximate(job) ? "approximate" : "exact";
}

/* ---- the report ------------------------------------------------------------------------------ */

static const char *const phase_names[] = {"read", "link", "write"};

static void put_report(cafe_report *report, const void *argument) {
    const points_job *job = argument;
    cafe_report_table(report, job->run.words[0], job->table, NULL);
    cafe_report_string(report, "search", way(job));
    cafe_report_open(report, "options", '{');
    cafe_report_context(report);
    if (job->matrix)
        cafe_report_options(report, cafe_similarity_option_table(), &job->similarity);
    else
        cafe_report_options(report, cafe_points_option_table(), &job->points);
    cafe_report_close(report);
    cafe_report_graph(report, job->run.common.output, job->run.graph);
    const double seconds[] = {job->read, job->link, job->write};
    cli_report_phases(report, &job->run, 3, phase_names, seconds);
    cli_report_memory(report, &job->run);
}

/* ---- the phases ------------------------------------------------------------------------------ */

static int read_table(points_job *job) {
    double began = cli_seconds();
    int code =
        cli_check(&job->run, cafe_table_read(job->run.context, job->run.words[0], &job->table));
    job->read = cli_seconds() - began;
    if (code != CLI_OK) return code;
    int64_t rows = cafe_table_rows(job->table), columns = cafe_table_columns(job->table);
    if (job->matrix && rows != columns)
        return cli_error(&job->run, CLI_INPUT,
                         "%s: expected a square matrix of similarities, found %" PRId64
                         " rows and %" PRId64 " columns",
                         job->run.words[0], rows, columns);
    cli_say(&job->run, "table     %s: %" PRId64 " row%s, %" PRId64 " column%s%s", job->run.words[0],
            rows, cli_plural(rows), columns, cli_plural(columns),
            cafe_table_has_row_names(job->table) ? ", named rows" : "");
    return CLI_OK;
}

/* The options were checked when they were parsed: what is refused now is the table. */
static int check_table(points_job *job, cafe_status status) {
    if (status == CAFE_ERROR_ARGUMENT || status == CAFE_ERROR_FORMAT)
        return cli_error(&job->run, CLI_INPUT, "%s: %s", job->run.words[0],
                         cafe_error(job->run.context));
    return cli_check(&job->run, status);
}

static int make_graph(points_job *job) {
    cafe_context *context = job->run.context;
    const float *x = cafe_table_values(job->table);
    int64_t n = cafe_table_rows(job->table), dims = cafe_table_columns(job->table);
    double began = cli_seconds();
    cafe_status status =
        job->matrix ? cafe_graph_from_similarity(context, n, x, &job->similarity, &job->run.graph)
                    : cafe_graph_from_points(context, n, dims, x, &job->points, &job->run.graph);
    if (status == CAFE_OK) status = cafe_graph_name_rows(context, job->run.graph, job->table);
    job->link = cli_seconds() - began;
    return check_table(job, status);
}

static void say_result(points_job *job) {
    cafe_graph_counts counts = *cafe_graph_get_counts(job->run.graph);
    cli_say_graph(&job->run, job->run.common.output, job->run.graph);
    cli_say(&job->run, "search    %s", way(job));
    if (counts.edges == 0) cli_warn(&job->run, "no two rows are similar: the graph has no edges");
    if (counts.self_loops_kept)
        cli_say(&job->run,
                "          sim(u,u) is a self-loop: read the graph with --self-loops keep");
    cli_say(&job->run, "seconds   read %.3f, link %.3f, write %.3f", job->read, job->link,
            job->write);
}

/* Options of the other way would be passed over in silence: they are refused instead. */
static int check(void *argument) {
    const points_job *job = argument;
    const cafe_option_table *other =
        job->matrix ? cafe_points_option_table() : cafe_similarity_option_table();
    for (size_t i = 0; i < other->count; i++)
        if (cli_given(job->run.arguments, other->options[i].name))
            return cli_usage_error("points", CLI_OPT("%s") " has no meaning %s --matrix",
                                   other->options[i].name, job->matrix ? "with" : "without");
    return CLI_OK;
}

static int work(void *argument) {
    points_job *job = argument;
    CLI_TRY(read_table(job));
    CLI_TRY(make_graph(job));
    double began = cli_seconds();
    CLI_TRY(cli_write_graph(&job->run, job->run.graph, job->run.common.output));
    job->write = cli_seconds() - began;
    CLI_TRY(cli_write_report(&job->run, "cafe/points/1", put_report, job));
    say_result(job);
    return CLI_OK;
}

static void release(void *argument) {
    cafe_table_free(((points_job *)argument)->table);
}

static const cli_option options[] = {
    CLI_ROW_OUTPUT(CLI_GRAPHS, "the graph; its ending tells the format:" CLI_GRAPHS
                               " (.cafe keeps the order of the rows)"),
    CLI_ROW_FLAG(points_job, matrix, "matrix", "the table is a full matrix of similarities, n x n"),
    CLI_ROW_JSON("a report with the counts of the graph and the seconds; - is standard output"),
    CLI_ROWS_SEEDED,
};
static const cli_group groups[] = {
    CLI_GROUP("Options", options),
    CLI_GROUP_TABLE("Points", points_job, points, cafe_points_option_table),
    CLI_GROUP_TABLE("With --matrix", points_job, similarity, cafe_similarity_option_table),
    {0},
};

const cli_command cli_points = {
    .name = "points",
    .arguments = "TABLE -o GRAPH [options]",
    .summary = "link points or similarities into a graph",
    .description =
        "Reads a table of points, a row each: .npy, CSV, TSV or numbers separated by "
        "blanks, plain or gzip; - is standard input. A heading and row names are detected. "
        "Links every point to its nearest neighbours with their similarity as weight, and "
        "writes the graph. Use it with cafe embed and cafe cluster. With --matrix the table "
        "holds similarities, and an edge weighs what they have above the least of them.",
    CLI_JOB(points_job, 1, 1),
    .needs = "output",
    .check = check,
    .release = release,
};
