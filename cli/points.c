/* cafe points: points, or a matrix of similarities, into a graph. */
#include <inttypes.h>
#include <string.h>

#include "command.h"
#include "graph_text.h"
#include "memory.h"
#include "output.h"

typedef struct points_values {
    cli_common common;
    const char *output, *json;
    bool matrix;
    cafe_points_options points;
    cafe_similarity_options similarity;
} points_values;

typedef struct points_job {
    cli_run run;
    const points_values *values;
    const char *path;
    cafe_table *table;
    cafe_graph *graph;
    double read, link, write; /* seconds */
} points_job;

static bool is_approximate(const points_job *job) {
    int32_t asked = job->values->points.approximate;
    return !job->values->matrix &&
           (asked == CAFE_APPROXIMATE_YES ||
            (asked == CAFE_APPROXIMATE_AUTO && cafe_table_rows(job->table) > CAFE_POINTS_EXACT));
}

static const char *way(const points_job *job) {
    return job->values->matrix ? "matrix" : is_approximate(job) ? "approximate" : "exact";
}

/* ---- the report ------------------------------------------------------------------------------ */

static void put_options(cli_json *json, const points_job *job) {
    const points_values *v = job->values;
    cli_json_open(json, "options", '{');
    cli_json_unsigned(json, "seed", cafe_seed(job->run.context));
    cli_json_integer(json, "threads", cafe_threads(job->run.context));
    if (v->matrix)
        cli_json_options(json, cafe_similarity_option_table(), &v->similarity);
    else
        cli_json_options(json, cafe_points_option_table(), &v->points);
    cli_json_close(json, '}');
}

static int put_report(FILE *file, const void *argument) {
    const points_job *job = argument;
    cli_json json = {.file = file};
    cafe_graph_counts counts = *cafe_graph_get_counts(job->graph);
    cli_json_open(&json, NULL, '{');
    cli_json_text(&json, "schema", "cafe/points/1");
    cli_json_text(&json, "version", cafe_version());
    cli_json_open(&json, "table", '{');
    cli_json_text(&json, "path", job->path);
    cli_json_integer(&json, "rows", cafe_table_rows(job->table));
    cli_json_integer(&json, "width", cafe_table_columns(job->table));
    cli_json_bool(&json, "row_names", cafe_table_has_row_names(job->table) != 0);
    cli_json_close(&json, '}');
    cli_json_text(&json, "search", way(job));
    put_options(&json, job);
    cli_json_graph(&json, job->values->output, &counts);
    cli_json_open(&json, "seconds", '{');
    cli_json_real(&json, "read", job->read);
    cli_json_real(&json, "link", job->link);
    cli_json_real(&json, "write", job->write);
    cli_json_close(&json, '}');
    cli_json_integer(&json, "peak_bytes", cli_memory_peak());
    cli_json_close(&json, '}');
    return CLI_OK;
}

static int write_report(points_job *job) {
    return cli_write_file(&job->run, job->values->json, put_report, job);
}

/* ---- the phases ------------------------------------------------------------------------------ */

static int read_table(points_job *job) {
    double began = cli_seconds();
    int code = cli_check(&job->run, cafe_table_read(job->run.context, job->path, &job->table));
    job->read = cli_seconds() - began;
    if (code != CLI_OK) return code;
    int64_t rows = cafe_table_rows(job->table), columns = cafe_table_columns(job->table);
    if (job->values->matrix && rows != columns)
        return cli_error(&job->run, CLI_INPUT,
                         "%s: expected a square matrix of similarities, found %" PRId64
                         " rows and %" PRId64 " columns",
                         job->path, rows, columns);
    cli_say(&job->run, "table     %s: %" PRId64 " rows, %" PRId64 " columns%s", job->path, rows,
            columns, cafe_table_has_row_names(job->table) ? ", named rows" : "");
    return CLI_OK;
}

/* The options were checked when they were parsed: what is refused now is the table. */
static int check_table(points_job *job, cafe_status status) {
    if (status == CAFE_ERROR_ARGUMENT || status == CAFE_ERROR_FORMAT)
        return cli_error(&job->run, CLI_INPUT, "%s: %s", job->path, cafe_error(job->run.context));
    return cli_check(&job->run, status);
}

static int make_graph(points_job *job) {
    const points_values *v = job->values;
    cafe_context *context = job->run.context;
    const float *x = cafe_table_values(job->table);
    int64_t n = cafe_table_rows(job->table), dims = cafe_table_columns(job->table);
    double began = cli_seconds();
    cafe_status status =
        v->matrix ? cafe_graph_from_similarity(context, n, x, &v->similarity, &job->graph)
                  : cafe_graph_from_points(context, n, dims, x, &v->points, &job->graph);
    if (status == CAFE_OK) status = cafe_graph_name_rows(context, job->graph, job->table);
    job->link = cli_seconds() - began;
    return check_table(job, status);
}

static void say_result(points_job *job) {
    cafe_graph_counts counts = *cafe_graph_get_counts(job->graph);
    cli_say_graph(&job->run, job->values->output, job->graph);
    cli_say(&job->run, "search    %s", way(job));
    if (counts.edges == 0) cli_warn(&job->run, "no two rows are similar: the graph has no edges");
    if (counts.self_loops_kept)
        cli_say(&job->run,
                "          sim(u,u) is a self-loop: read the graph with --self-loops keep");
    cli_say(&job->run, "seconds   read %.3f, link %.3f, write %.3f", job->read, job->link,
            job->write);
}

static int link_table(points_job *job) {
    int code;
    if ((code = read_table(job)) != CLI_OK) return code;
    if ((code = make_graph(job)) != CLI_OK) return code;
    double began = cli_seconds();
    code = cli_check(&job->run, cafe_graph_write(job->run.context, job->graph, job->values->output,
                                                 CAFE_FORMAT_AUTO, job->values->common.force));
    if (code != CLI_OK) return code;
    job->write = cli_seconds() - began;
    if ((code = write_report(job)) != CLI_OK) return code;
    say_result(job);
    return CLI_OK;
}

/* ---- the command ----------------------------------------------------------------------------- */

static int check_names(const points_values *v) {
    if (!v->output) return cli_usage_error("points", "where to? give -o FILE");
    if (cli_graph_format(v->output) == CAFE_FORMAT_AUTO)
        return cli_unknown_graph_format("points", v->output);
    if (v->json && strcmp(v->output, v->json) == 0)
        return cli_usage_error("points", "graph and report cannot both go to %s", v->output);
    int code = cli_output_check("points", &v->common, v->output);
    return code != CLI_OK ? code : cli_output_check("points", &v->common, v->json);
}

/* Options of the other way would be passed over in silence: they are refused instead. */
static int check_way(const points_values *v, const cli_arguments *arguments) {
    const cafe_option_table *other =
        v->matrix ? cafe_points_option_table() : cafe_similarity_option_table();
    for (size_t i = 0; i < other->count; i++)
        if (cli_given(arguments, other->options[i].name))
            return cli_usage_error("points", "--%s has no meaning %s --matrix",
                                   other->options[i].name, v->matrix ? "with" : "without");
    return CLI_OK;
}

static int run_link(const void *values, const cli_arguments *arguments) {
    points_job job = {.values = values, .path = arguments->words[0]};
    int code = check_names(job.values);
    if (code == CLI_OK) code = check_way(job.values, arguments);
    if (code != CLI_OK) return code;
    code = cli_begin(&job.run, "points", &job.values->common);
    if (code == CLI_OK) code = link_table(&job);
    cafe_graph_free(job.graph);
    cafe_table_free(job.table);
    return cli_end(&job.run, code);
}

static const cli_option options[] = {
    {"output", 'o', "FILE", CLI_TEXT, offsetof(points_values, output), NULL, NULL,
     "the graph; its ending tells the format: .cafe (keeps the order of the rows) .txt .edges .tsv "
     ".csv .mtx .graph .metis"},
    {"matrix", 0, NULL, CLI_FLAG, offsetof(points_values, matrix), NULL, NULL,
     "the table is a full matrix of similarities, n x n"},
    {"json", 0, "FILE", CLI_TEXT, offsetof(points_values, json), NULL, NULL,
     "a report with the counts of the graph and the seconds; - is standard output"},
    CLI_ROW_FORCE,
    CLI_ROW_SEED,
    CLI_ROW_THREADS,
    CLI_ROW_QUIET,
    CLI_ROW_HELP,
    CLI_ROW_END,
};

static const cli_group groups[] = {
    {"Options", options, NULL, 0},
    {"Points", NULL, cafe_points_option_table, offsetof(points_values, points)},
    {"With --matrix", NULL, cafe_similarity_option_table, offsetof(points_values, similarity)},
    {0},
};

const cli_command cli_points = {
    .name = "points",
    .arguments = "TABLE -o GRAPH [options]",
    .summary = "make a graph of points or similarities",
    .description =
        "Reads a table of points, a row each (.npy, CSV, TSV or numbers between blanks, plain or "
        "gzip; - is standard input; a heading and row names are detected), links every point to "
        "its nearest neighbours with their similarity as weight, and writes the graph, which cafe "
        "embed and cafe cluster take like any other. With --matrix the table holds similarities, "
        "and an edge weighs what they have above the least of them.",
    .groups = groups,
    .size = sizeof(points_values),
    .least = 1,
    .most = 1,
    .run = run_link,
};
