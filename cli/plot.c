/* cafe plot: a picture of an embedding, for papers (SVG, PNG) and for the terminal. */
#include "plot.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "command.h"
#include "graph_text.h"
#include "labels.h"
#include "output.h"
#include "vectors.h"

/* ---- where the points are -------------------------------------------------------------------- */

int plot_parse_column(plot_job *job, const char *option, const char *text, int64_t *column) {
    const char *end;
    uint64_t number;
    if (!cli_whole(text ? text : "0", (uint64_t)job->columns - 1, &number, &end) || *end)
        return cli_error(&job->run, CLI_USAGE,
                         "--%s: expected a column from 0 to %" PRId64 ", found '%s'", option,
                         job->columns - 1, text ? text : "0");
    *column = (int64_t)number;
    return CLI_OK;
}

static int take_columns(plot_job *job) {
    int64_t x = 0, y = 0;
    int code = plot_parse_column(job, "x", job->x ? job->x : "0", &x);
    if (code == CLI_OK) code = plot_parse_column(job, "y", job->y ? job->y : "1", &y);
    if (code != CLI_OK) return code;
    for (int64_t u = 0; u < job->run.counts.nodes; u++) {
        job->xy[2 * u] = job->vectors[u * job->columns + x];
        job->xy[2 * u + 1] = job->vectors[u * job->columns + y];
    }
    snprintf(job->x_label, sizeof job->x_label, "column %" PRId64, x);
    snprintf(job->y_label, sizeof job->y_label, "column %" PRId64, y);
    job->inputs.x_label = job->x_label;
    job->inputs.y_label = job->y_label;
    return CLI_OK;
}

static int take_map(plot_job *job, const char *path) {
    int64_t columns = 0;
    float *map = NULL;
    int code = cli_read_vectors(&job->run, path, NULL, &job->run.graph, &columns, &map, NULL);
    if (code == CLI_OK && columns != 2)
        code = cli_error(&job->run, CLI_INPUT, "%s: expected 2 columns of a map, found %" PRId64,
                         path, columns);
    if (code == CLI_OK) memcpy(job->xy, map, (size_t)(2 * job->run.counts.nodes) * sizeof *map);
    free(map);
    return code;
}

/* Two columns are shown as they are; a file's map, or one made here, with one scale. */
static int find_points(plot_job *job) {
    cli_run *run = &job->run;
    job->inputs.n = run->counts.nodes;
    job->inputs.xy = job->xy = cli_new(run, 2 * run->counts.nodes, sizeof *job->xy);
    if (!job->xy) return CLI_FAILED;
    if (job->x || job->y) return take_columns(job);
    job->inputs.equal = 1;
    if (job->map && strcmp(job->map, "auto") != 0) return take_map(job, job->map);
    return cli_check(run, cafe_map(run->context, run->graph, run->counts.nodes, job->columns,
                                   job->vectors, NULL, job->xy));
}

/* ---- options that the library checks --------------------------------------------------------- */

static int set_option(plot_job *job, const char *name, const char *text) {
    if (!text) return CLI_OK;
    cafe_status status =
        cafe_options_set(job->run.context, cafe_plot_option_table(), &job->options, name, text);
    return status == CAFE_OK ? CLI_OK
                             : cli_error(&job->run, CLI_USAGE, "%s", cafe_error(job->run.context));
}

static int set_size(plot_job *job, const char *text) {
    enum { LEAST = 64, MOST = 16384 };
    uint64_t width, height = 0;
    const char *end;
    if (!text) return CLI_OK;
    bool both = cli_whole(text, MOST, &width, &end) && *end == 'x' &&
                cli_whole(end + 1, MOST, &height, &end) && *end == 0;
    if (!both || width < LEAST || height < LEAST)
        return cli_error(&job->run, CLI_USAGE,
                         "--size: expected WIDTHxHEIGHT, each from 64 to 16384, found '%s'", text);
    job->options.width = (int64_t)width;
    job->options.height = (int64_t)height;
    return CLI_OK;
}

static int set_options(plot_job *job) {
    cafe_plot_inputs_init(&job->inputs);
    cafe_plot_options_init(&job->options);
    job->options.dark = job->dark;
    CLI_TRY(set_size(job, job->size));
    CLI_TRY(set_option(job, "most-links", job->links));
    CLI_TRY(set_option(job, "names", job->named));
    return set_option(job, "radius", job->radius);
}

/* ---- the picture ----------------------------------------------------------------------------- */

/* NO_COLOR: https://no-color.org */
static bool with_colour(const plot_job *job) {
    const char *no = getenv("NO_COLOR"), *terminal = getenv("TERM");
    if (job->color != PLOT_COLOR_AUTO) return job->color == PLOT_COLOR_ALWAYS;
    return isatty(STDOUT_FILENO) && !(no && *no) && !(terminal && strcmp(terminal, "dumb") == 0);
}

static int64_t terminal_width(const plot_job *job) {
    struct winsize size;
    if (job->width > 0) return job->width < 8 ? 8 : job->width > 1000 ? 1000 : job->width;
    if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col < 8)
        return 80;
    return size.ws_col < 160 ? size.ws_col : 160;
}

static int print_picture(plot_job *job) {
    cli_run *run = &job->run;
    CLI_TRY(cli_check(run, cafe_plot_text(run->context, &job->inputs, terminal_width(job),
                                          with_colour(job), &job->text)));
    cli_progress_hide(run->bar);
    fputs(job->text, stdout); /* its colours are meant for the terminal */
    cli_flush_output();
    cli_progress_show(run->bar);
    return CLI_OK;
}

static bool is_png(const char *path) {
    return cli_ends_in(path, ".png");
}

static int write_picture(plot_job *job) {
    cli_run *run = &job->run;
    const char *output = run->common.output;
    if (!output) return CLI_OK;
    CLI_TRY(
        cli_check(run, (is_png(output) ? cafe_plot_png : cafe_plot_svg)(
                           run->context, &job->inputs, &job->options, output, run->common.force)));
    if (!is_png(output) && run->counts.nodes > CAFE_PLOT_SHAPES)
        cli_say(run, "picture   %s: the %" PRId64 " points are an image in it", output,
                run->counts.nodes);
    return CLI_OK;
}

static int work(void *argument) {
    plot_job *job = argument;
    cli_run *run = &job->run;
    CLI_TRY(set_options(job));
    CLI_TRY(cli_read_graph(run, NULL));
    CLI_TRY(cli_read_vectors(run, run->words[1], job->labels_path, &run->graph, &job->columns,
                             &job->vectors, NULL));
    CLI_TRY(find_points(job));
    CLI_TRY(plot_find_colours(job));
    job->inputs.graph = run->graph;
    job->inputs.title = job->title;
    CLI_TRY(write_picture(job));
    return job->terminal ? print_picture(job) : CLI_OK;
}

/* ---- the command ----------------------------------------------------------------------------- */

static int check(void *argument) {
    const plot_job *job = argument;
    if ((job->x || job->y) && job->map)
        return cli_usage_error("plot", "--x and --y show columns, --map a map: give one of them");
    if (job->dark && job->light) return cli_usage_error("plot", "give --dark or --light, not both");
    if (job->colour == PLOT_LABEL && !job->labels_path)
        return cli_usage_error("plot", "--colour label needs --labels FILE");
    if (!job->run.common.output)
        CLI_TRY(cli_only_with("plot", job->run.arguments, "size|most-links|names|radius|light|dark",
                              "-o FILE"));
    CLI_TRY(plot_check_colours(job));
    if (!job->terminal)
        return cli_only_with("plot", job->run.arguments, "width|ansi", "--terminal");
    return CLI_OK;
}

static void release(void *argument) {
    plot_job *job = argument;
    cafe_plot_text_free(job->run.context, job->text);
    cafe_labels_free(job->labels);
    free(job->vectors);
}

#define JOB plot_job

static const cli_option options[] = {
    CLI_ROW_OUTPUT(".svg .png", "the picture, by its ending: .svg or .png"),
    CLI_ROW_FLAG(JOB, terminal, "terminal", "print a small picture on standard output"),
    {"map", 0, "auto|FILE", CLI_READS, offsetof(JOB, map), NULL, NULL,
     "the points of a map as cafe map writes it; auto, which is also the default, makes one"},
    CLI_ROW_TEXT(JOB, x, "x", "J", "instead of a map: column J to the right (the first is 0)"),
    CLI_ROW_TEXT(JOB, y, "y", "J", "and column J upwards"),
    CLI_ROW_CHOICE(JOB, colour, "colour", "WHAT", "auto",
                   "auto|community|label|column|centrality|none",
                   "what the colours tell; auto is the label when there are labels, else the "
                   "community"),
    CLI_ROW_READS(JOB, labels_path, "labels", "labels of the nodes: one 'node label' per line"),
    CLI_ROW_UNKNOWN,
    CLI_ROW_READS(
        JOB, communities, "communities",
        "communities instead of those found here, one 'node community' per line, as cafe cluster "
        "writes"),
    CLI_ROW_TEXT(JOB, column, "column", "J", "the column whose values colour the points"),
    CLI_ROW_TEXT(JOB, title, "title", "TEXT", "above the picture"),
    CLI_ROW_NUMBER(JOB, size, "size", "WxH", CLI_TEXT, "1200x900", "size of the picture in pixels"),
    CLI_ROW_NUMBER(JOB, links, "most-links", "N", CLI_TEXT, "2000",
                   "draw the graph's edges when there are no more than N"),
    CLI_ROW_NUMBER(JOB, named, "names", "N", CLI_TEXT, "24",
                   "write the names of N leading nodes, by their edges, where they do not overlap"),
    CLI_ROW_NUMBER(JOB, radius, "radius", "R", CLI_TEXT, "0",
                   "of a point in pixels; 0 chooses by their number"),
    CLI_ROW_FLAG(JOB, light, "light", "dark on light, which is the default"),
    CLI_ROW_FLAG(JOB, dark, "dark", "light on dark"),
    CLI_ROW_NUMBER(JOB, width, "width", "COLUMNS", CLI_COUNT, "0",
                   "of the --terminal picture; 0 is the terminal's, 80 when there is none"),
    CLI_ROW_CHOICE(JOB, color, "ansi", "WHEN", "auto", "auto|always|never",
                   "colours of the --terminal picture; auto: on a terminal, unless NO_COLOR is "
                   "set"),
    CLI_ROWS_SEEDED,
};
static const cli_group groups[] = {CLI_GROUP("Options", options), CLI_GROUP_READING, {0}};

const cli_command cli_plot = {
    .name = "plot",
    .arguments = "GRAPH EMBEDDING -o PICTURE.svg|PICTURE.png [options]",
    .summary = "draw an embedding for papers and terminals",
    .description =
        "Draws the nodes as points of a map, or by two columns of their vectors, coloured by "
        "community, label, column or centrality: as SVG, as PNG, or in characters.",
    CLI_JOB(plot_job, 2, 2),
    .needs = "output|terminal",
    .check = check,
    .release = release,
};
