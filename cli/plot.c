/* cafe plot: an embedding as a page for the browser, a picture for papers (SVG, PNG), points of a
 * map, or a picture for the terminal.
 */
#include "plot.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <cafe-private/inputs.h>
#include <cafe-private/results.h>

#include "command.h"
#include "graph_text.h"
#include "labels.h"
#include "os/os.h"
#include "output.h"
#include "report.h"
#include "vectors.h"

/* ---- where the points are -------------------------------------------------------------------- */

int plot_parse_columns(plot_job *job, const char *option, const char *text, int count,
                       int64_t *column) {
    const char *at = text ? text : "0", *end;
    for (int i = 0; i < count; i++, at = end + 1) {
        uint64_t number;
        if (!cli_whole(at, (uint64_t)job->columns - 1, &number, &end) ||
            *end != (i + 1 < count ? ',' : 0))
            return cli_error(&job->run, CLI_USAGE,
                             "--%s: expected %s from 0 to %" PRId64 ", found '%s'", option,
                             count == 1 ? "a column" : "two columns as 0,1", job->columns - 1,
                             text ? text : "0");
        column[i] = (int64_t)number;
    }
    return CLI_OK;
}

static int take_columns(plot_job *job) {
    int64_t column[2] = {0, 0};
    CLI_TRY(plot_parse_columns(job, "dimensions", job->dimensions, 2, column));
    for (int64_t u = 0; u < job->run.counts.nodes; u++) {
        job->xy[2 * u] = job->vectors[u * job->columns + column[0]];
        job->xy[2 * u + 1] = job->vectors[u * job->columns + column[1]];
    }
    snprintf(job->x_label, sizeof job->x_label, "column %" PRId64, column[0]);
    snprintf(job->y_label, sizeof job->y_label, "column %" PRId64, column[1]);
    job->inputs.x_label = job->x_label;
    job->inputs.y_label = job->y_label;
    return CLI_OK;
}

/* Two columns are shown as they are; a file's map, or one made here, with one scale. */
static int find_points(plot_job *job) {
    cli_run *run = &job->run;
    job->inputs.n = run->counts.nodes;
    job->inputs.xy = job->xy = cli_new(run, 2 * run->counts.nodes, sizeof *job->xy);
    if (!job->xy) return CLI_RESOURCES;
    if (job->dimensions) return take_columns(job);
    job->inputs.equal = 1;
    if (job->map && strcmp(job->map, "auto") != 0) {
        CLI_TRY(plot_read_map(job));
        job->inputs.xy = job->page.map;
        return CLI_OK;
    }
    double began = cli_seconds();
    CLI_TRY(cli_check(run, cafe_map(run->context, run->graph, run->counts.nodes, job->columns,
                                    job->vectors, &job->layout, job->xy)));
    job->map_seconds = cli_seconds() - began;
    return CLI_OK;
}

/* ---- the map as a file ----------------------------------------------------------------------- */

static bool is_map(const plot_job *job) {
    const char *output = job->run.common.output;
    return output && cafe_file_format_of(CAFE_FILE_VECTORS, output, 1) != NULL;
}

static void put_report(cafe_report *report, const void *argument) {
    const plot_job *job = argument;
    cafe_report_graph(report, job->run.words[0], job->run.graph);
    cafe_report_integer(report, "columns", job->columns);
    cafe_report_open(report, "options", '{');
    cafe_report_context(report);
    cafe_report_options(report, cafe_map_option_table(), &job->layout);
    cafe_report_close(report);
    cafe_report_map(report, &job->quality);
    cafe_report_real(report, "map_seconds", job->map_seconds);
    cli_report_seconds(report, &job->run);
}

/* Looks at a number of nodes for which it takes no longer than the map itself. */
static int measure_map(plot_job *job) {
    cli_run *run = &job->run;
    int64_t n = run->counts.nodes, nodes = n > 0 ? 100000000 / n : 0;
    CLI_TRY(cli_check(run, cafe_map_measure(run->context, n, job->columns, job->vectors, job->xy,
                                            15, nodes > 1000 ? 1000 : nodes, &job->quality)));
    cli_say(run,
            "map       %.1f s; of the %" PRId64
            " nearest vectors %.0f %% are nearest points; trustworthiness %.3f",
            job->map_seconds, job->quality.neighbours, 100 * job->quality.kept,
            job->quality.trustworthiness);
    return CLI_OK;
}

static int write_map(plot_job *job) {
    cli_run *run = &job->run;
    CLI_TRY(measure_map(job));
    CLI_TRY(cli_check(run, cafe_vectors_write(run->context, run->graph, 2, job->xy,
                                              run->common.output, run->common.force)));
    return cli_write_report(run, "cafe/map/1", put_report, job);
}

/* ---- the picture ----------------------------------------------------------------------------- */

static bool is_set(const char *variable) {
    const char *value = getenv(variable);
    return value && *value;
}

/* https://no-color.org, https://bixense.com/clicolors */
static bool with_colour(void) {
    const char *terminal = getenv("TERM");
    if (is_set("NO_COLOR") || is_set("CLICOLOR_FORCE")) return !is_set("NO_COLOR");
    return isatty(STDOUT_FILENO) && !(terminal && strcmp(terminal, "dumb") == 0);
}

static int64_t terminal_width(void) {
    int32_t shown = cafe_os_terminal_columns(STDOUT_FILENO);
    const char *end;
    uint64_t columns;
    if (is_set("COLUMNS") && cli_whole(getenv("COLUMNS"), 1000, &columns, &end) && !*end &&
        columns >= 8)
        return (int64_t)columns;
    if (shown < 8) return 80;
    return shown < 160 ? shown : 160;
}

static int print_picture(plot_job *job) {
    cli_run *run = &job->run;
    CLI_TRY(cli_check(run, cafe_plot_text(run->context, &job->inputs, terminal_width(),
                                          with_colour(), &job->text)));
    cli_progress_hide(run->bar);
    fputs(job->text, stdout); /* its colours are meant for the terminal */
    cli_flush_output();
    cli_progress_show(run->bar);
    return CLI_OK;
}

/* An image, whose points are pixels; SVG and PDF have shapes. */
static bool is_png(const char *path) {
    return cli_ends_in(path, ".png");
}

static int write_picture(plot_job *job) {
    cli_run *run = &job->run;
    const char *output = run->common.output;
    if (!output) return CLI_OK;
    CLI_TRY(
        cli_check(run, (is_png(output)                ? cafe_plot_png
                        : cli_ends_in(output, ".pdf") ? cafe_plot_pdf
                                                      : cafe_plot_svg)(
                           run->context, &job->inputs, &job->options, output, run->common.force)));
    if (!is_png(output) && run->counts.nodes > CAFE_PLOT_SHAPES)
        cli_say(run, "picture   %s: the %" PRId64 " points are an image in it", output,
                run->counts.nodes);
    return CLI_OK;
}

static bool is_page(const plot_job *job) {
    const char *output = job->run.common.output;
    return output &&
           (cli_is_standard(output) || cli_ends_in(output, ".html") || cli_ends_in(output, ".htm"));
}

static int work(void *argument) {
    plot_job *job = argument;
    cli_run *run = &job->run;
    if (is_page(job)) return plot_write_page(job);
    cafe_plot_inputs_init(&job->inputs);
    CLI_TRY(cli_read_graph(run, NULL));
    CLI_TRY(cli_read_vectors(run, run->words[1], job->labels_path, &run->graph, &job->columns,
                             &job->vectors, NULL));
    CLI_TRY(find_points(job));
    if (is_map(job)) return write_map(job);
    CLI_TRY(plot_find_colours(job));
    job->inputs.graph = run->graph;
    job->inputs.title = job->title;
    CLI_TRY(write_picture(job));
    return job->terminal ? print_picture(job) : CLI_OK;
}

/* ---- the command ----------------------------------------------------------------------------- */

static int check(void *argument) {
    const plot_job *job = argument;
    const cli_arguments *given = job->run.arguments;
    if (is_map(job))
        return cli_only_with(
            "plot", given,
            "terminal|dimensions|map|colour|column|labels|communities|before|attributes|report|"
            "title|columns-shown|links|page-limit|pixels-wide|pixels-high|"
            "most-links|names|size|radius|dark",
            "a picture or a page: -o FILE.svg, FILE.png or FILE.html");
    CLI_TRY(cli_only_with("plot", given, "json|no-heading", "a map: -o FILE.npy or FILE.tsv"));
    if (is_page(job) && job->map && job->before && strcmp(job->map, "none") == 0 &&
        cli_ends_in(job->before, ".npy"))
        return cli_usage_error("plot", "--before with vectors shows two maps: not --map none");
    if (is_page(job))
        return cli_only_with(
            "plot", given,
            "terminal|dimensions|colour|column|pixels-wide|pixels-high|most-links|names|"
            "size|radius|dark",
            "a picture: -o FILE.svg, FILE.pdf or FILE.png");
    CLI_TRY(cli_only_with("plot", given, "before|attributes|report|columns-shown|links|page-limit",
                          "a page: -o FILE.html"));
    if (job->map && strcmp(job->map, "none") == 0)
        return cli_usage_error("plot", "--map none goes with a page: -o FILE.html");
    if (job->dimensions && job->map)
        return cli_usage_error("plot", "--dimensions shows columns, --map a map: give one of them");
    if (job->colour == PLOT_LABEL && !job->labels_path)
        return cli_usage_error("plot", "--colour label needs --labels FILE");
    if (!job->run.common.output)
        CLI_TRY(cli_only_with(
            "plot", given, "pixels-wide|pixels-high|most-links|names|size|radius|dark", "-o FILE"));
    return plot_check_colours(job);
}

static void release(void *argument) {
    plot_job *job = argument;
    plot_page_free(&job->page);
    cafe_plot_text_free(job->run.context, job->text);
    cafe_labels_free(job->labels);
    free(job->vectors);
}

#define JOB plot_job

static const cli_option options[] = {
    CLI_ROW_OUTPUT(
        ".svg .png .pdf .html .htm" CLI_VECTORS " -",
        "by its ending a picture (.svg, .png, .pdf), a page (.html), or the map itself, two "
        "numbers for each node (.npy, .tsv, .csv, .txt); - prints a page"),
    CLI_ROW_FLAG(JOB, terminal, "terminal", "print a small picture on standard output"),
    {"map", 0, "auto|none|FILE", CLI_READS, offsetof(JOB, map), NULL, NULL,
     "the points of a map, as -o MAP.npy writes them; auto, which is also the default, makes one; "
     "none, for a page, shows two columns"},
    CLI_ROW_TEXT(JOB, dimensions, "dimensions", "J,K",
                 "column J to the right, column K upwards (the first is 0), instead of a map"),
    CLI_ROW_CHOICE(JOB, colour, "colour", "WHAT", "auto",
                   "auto|community|label|column|centrality|none",
                   "what the colours tell; auto is the label when there are labels, else the "
                   "community"),
    CLI_ROW_READS(JOB, labels_path, "labels", "labels of the nodes: one 'node label' per line"),
    CLI_ROWS_LABEL_FILE,
    CLI_ROW_READS(
        JOB, communities, "communities",
        "communities instead of those found here, one 'node community' per line, as cafe cluster "
        "writes"),
    CLI_ROW_READS(
        JOB, before, "before",
        "page: another run of the same nodes beside this one, with what has changed: communities, "
        "or vectors (.npy)"),
    CLI_ROW_TEXT(JOB, column, "column", "J", "the column whose values colour the points"),
    CLI_ROW_TEXT(JOB, title, "title", "TEXT",
                 "of the picture or the page; a page has the name of the graph's file without it"),
    CLI_ROW_READS(
        JOB, attributes, "attributes",
        "page: a table of the nodes to show, sort and colour by; its first line names the "
        "columns, its first column the nodes; without it the attributes of the graph"),
    CLI_ROW_READS(JOB, report_path, "report",
                  "page: the --json report of the run of cafe embed, for its objective per sweep"),
    CLI_ROW_JSON("options and quality of a map as JSON; - is standard output"),
    CLI_ROW_NO_HEADING,
    CLI_ROWS_SEEDED,
};
static const cli_group groups[] = {
    CLI_GROUP("Options", options),
    CLI_GROUP_TABLE("The layout of a map", JOB, layout, cafe_map_option_table),
    CLI_GROUP_TABLE("Picture", JOB, options, cafe_plot_option_table),
    CLI_GROUP_TABLE("Page", JOB, page_options, cafe_view_option_table),
    CLI_GROUP_READING,
    {0},
};

const cli_command cli_plot = {
    .name = "plot",
    .arguments = "GRAPH... EMBEDDING -o OUT.html|OUT.svg|MAP.npy [options]",
    .many = true,
    .summary = "draw an embedding: a page, a picture, a map of points, or characters",
    .description =
        "Draws the nodes as points of a map, or by two columns of their vectors, coloured by "
        "community, label, column or centrality: as SVG, as PNG, or in characters. A page (.html) "
        "needs nothing but itself: points to move, zoom, search and select; cards of nodes and of "
        "columns; the layers of communities; the spectrum. A map places nodes whose vectors point "
        "the "
        "same way near each other, so that communities become islands.",
    CLI_JOB(plot_job, 2, 2),
    .needs = "output|terminal",
    .check = check,
    .release = release,
};
