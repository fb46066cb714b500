/* cafe plot: a picture of an embedding, for papers (SVG, PNG) and for the terminal. */
#include "plot.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "command.h"
#include "graph_text.h"
#include "output.h"
#include "vectors.h"

/* ---- where the points are -------------------------------------------------------------------- */

int plot_parse_column(plot_job *job, const char *option, const char *text, int64_t *column) {
    char *end = NULL;
    errno = 0;
    long long number = strtoll(text ? text : "0", &end, 10);
    if (errno || *end || end == text || number < 0 || number >= job->columns)
        return cli_error(&job->run, CLI_USAGE,
                         "--%s: expected a column from 0 to %" PRId64 ", found '%s'", option,
                         job->columns - 1, text ? text : "0");
    *column = number;
    return CLI_OK;
}

static int take_columns(plot_job *job) {
    int64_t x = 0, y = 0;
    const plot_values *v = job->values;
    int code = plot_parse_column(job, "x", v->x ? v->x : "0", &x);
    if (code == CLI_OK) code = plot_parse_column(job, "y", v->y ? v->y : "1", &y);
    if (code != CLI_OK) return code;
    for (int64_t u = 0; u < job->n; u++) {
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
    int code = cli_read_vectors(&job->run, path, job->graph, &columns, &map);
    if (code == CLI_OK && columns != 2)
        code = cli_error(&job->run, CLI_INPUT, "%s: expected 2 columns of a map, found %" PRId64,
                         path, columns);
    for (int64_t i = 0; i < 2 * job->n && code == CLI_OK; i++) job->xy[i] = map[i];
    free(map);
    return code;
}

/* Two columns are shown as they are; a file's map, or one made here, with one scale. */
static int find_points(plot_job *job) {
    const plot_values *v = job->values;
    job->xy = malloc((size_t)(2 * job->n + 1) * sizeof *job->xy);
    if (!job->xy) return cli_error(&job->run, CLI_FAILED, "out of memory");
    job->inputs.n = job->n;
    job->inputs.xy = job->xy;
    if (v->x || v->y) return take_columns(job);
    job->inputs.equal = 1;
    if (v->map && strcmp(v->map, "auto") != 0) return take_map(job, v->map);
    return cli_check(&job->run, cafe_map(job->run.context, job->graph, job->n, job->columns,
                                         job->vectors, NULL, job->xy));
}

static int read_input(plot_job *job) {
    int code = cli_check(
        &job->run, cafe_graph_read(job->run.context, job->path, &job->values->graph, &job->graph));
    if (code != CLI_OK) return code;
    job->n = cafe_graph_nodes(job->graph);
    cli_say_graph(&job->run, job->path, job->graph);
    return cli_read_vectors(&job->run, job->vectors_path, job->graph, &job->columns, &job->vectors);
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
    long long width = 0, height = 0;
    char after = 0;
    if (!text) return CLI_OK;
    if (sscanf(text, "%lldx%lld%c", &width, &height, &after) != 2 || width < 64 || height < 64 ||
        width > 16384 || height > 16384)
        return cli_error(&job->run, CLI_USAGE,
                         "--size: expected WIDTHxHEIGHT, each from 64 to 16384, found '%s'", text);
    job->options.width = width;
    job->options.height = height;
    return CLI_OK;
}

static int set_options(plot_job *job) {
    const plot_values *v = job->values;
    cafe_plot_inputs_init(&job->inputs);
    cafe_plot_options_init(&job->options);
    job->options.dark = v->dark;
    int code = set_size(job, v->size);
    if (code == CLI_OK) code = set_option(job, "links", v->links);
    if (code == CLI_OK) code = set_option(job, "radius", v->radius);
    return code;
}

/* ---- the picture ----------------------------------------------------------------------------- */

/* NO_COLOR: https://no-color.org */
static bool with_colour(const plot_values *v) {
    const char *no = getenv("NO_COLOR"), *terminal = getenv("TERM");
    if (v->color != PLOT_COLOR_AUTO) return v->color == PLOT_COLOR_ALWAYS;
    return isatty(STDOUT_FILENO) && !(no && *no) && !(terminal && strcmp(terminal, "dumb") == 0);
}

static int64_t terminal_width(const plot_values *v) {
    struct winsize size;
    if (v->width > 0) return v->width < 8 ? 8 : v->width > 1000 ? 1000 : v->width;
    if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col < 8)
        return 80;
    return size.ws_col < 160 ? size.ws_col : 160;
}

static int print_picture(plot_job *job) {
    char *text = NULL;
    cafe_context *context = job->run.context;
    int code =
        cli_check(&job->run, cafe_plot_text(context, &job->inputs, terminal_width(job->values),
                                            with_colour(job->values), &text));
    if (code == CLI_OK) {
        cli_progress_hide(job->run.bar);
        fputs(text, stdout);
        fflush(stdout);
        cli_progress_show(job->run.bar);
    }
    cafe_plot_text_free(context, text);
    return code;
}

static bool is_png(const char *path) {
    return strcasecmp(cli_extension(path), ".png") == 0;
}

static int write_picture(plot_job *job) {
    const plot_values *v = job->values;
    cafe_context *context = job->run.context;
    if (!v->output) return CLI_OK;
    cafe_status status =
        is_png(v->output)
            ? cafe_plot_png(context, &job->inputs, &job->options, v->output, v->common.force)
            : cafe_plot_svg(context, &job->inputs, &job->options, v->output, v->common.force);
    if (status == CAFE_OK && !is_png(v->output) && job->n > CAFE_PLOT_SHAPES)
        cli_say(&job->run, "picture   %s: the %" PRId64 " points are an image in it", v->output,
                job->n);
    return cli_check(&job->run, status);
}

static int work(plot_job *job) {
    int code = set_options(job);
    if (code == CLI_OK) code = read_input(job);
    if (code == CLI_OK) code = find_points(job);
    if (code == CLI_OK) code = plot_find_colours(job);
    job->inputs.graph = job->graph;
    job->inputs.title = job->values->title;
    if (code == CLI_OK) code = write_picture(job);
    if (code == CLI_OK && job->values->terminal) code = print_picture(job);
    return code;
}

/* ---- the command ----------------------------------------------------------------------------- */

static bool is_standard(const char *path) {
    return path && strcmp(path, "-") == 0;
}

static int check_values(const plot_values *v, const cli_arguments *arguments) {
    if (!v->output && !v->terminal)
        return cli_usage_error("plot",
                               "no output: give -o PICTURE.svg, -o PICTURE.png or --terminal");
    if (v->output && !is_png(v->output) && strcasecmp(cli_extension(v->output), ".svg") != 0)
        return cli_usage_error("plot", "%s: expected a name that ends in .svg or .png", v->output);
    if ((v->x || v->y) && v->map)
        return cli_usage_error("plot", "--x and --y show columns, --map a map: give one of them");
    if (v->dark && v->light) return cli_usage_error("plot", "--dark or --light, not both");
    if (v->colour == PLOT_LABEL && !v->labels)
        return cli_usage_error("plot", "--colour label needs them: --labels FILE");
    if (is_standard(arguments->words[0]) + is_standard(arguments->words[1]) +
            is_standard(v->labels) + is_standard(v->communities) + is_standard(v->map) >
        1)
        return cli_usage_error("plot", "only one of the inputs can be standard input");
    return cli_output_check("plot", &v->common, v->output);
}

static int run_plot(const void *values, const cli_arguments *arguments) {
    plot_job job = {
        .values = values, .path = arguments->words[0], .vectors_path = arguments->words[1]};
    int code = check_values(job.values, arguments);
    if (code != CLI_OK) return code;
    code = cli_begin(&job.run, "plot", &job.values->common);
    if (code == CLI_OK) code = work(&job);
    cafe_labels_free(job.labels);
    cafe_graph_free(job.graph);
    free(job.vectors);
    free(job.xy);
    free(job.kind);
    free(job.names);
    free(job.value);
    return cli_end(&job.run, code);
}

static const cli_option options[] = {
    {"output", 'o', "FILE", CLI_TEXT, offsetof(plot_values, output), NULL, NULL,
     "the picture, by its ending: .svg or .png"},
    {"terminal", 0, NULL, CLI_FLAG, offsetof(plot_values, terminal), NULL, NULL,
     "print a small picture on standard output"},
    {"map", 0, "auto|FILE", CLI_TEXT, offsetof(plot_values, map), NULL, NULL,
     "the points of a map as cafe map writes it; auto, which is also the default, makes one"},
    {"x", 0, "J", CLI_TEXT, offsetof(plot_values, x), NULL, NULL,
     "instead of a map: column J to the right (the first is 0)"},
    {"y", 0, "J", CLI_TEXT, offsetof(plot_values, y), NULL, NULL, "and column J upwards"},
    {"colour", 0, "WHAT", CLI_CHOICE, offsetof(plot_values, colour), "auto",
     "auto|community|label|column|centrality|none",
     "what the colours tell; auto is the label when there are labels, else the community"},
    {"labels", 0, "FILE", CLI_TEXT, offsetof(plot_values, labels), NULL, NULL,
     "labels of the nodes: node label, one a line"},
    {"communities", 0, "FILE", CLI_TEXT, offsetof(plot_values, communities), NULL, NULL,
     "communities instead of those found here: node community, as cafe cluster writes"},
    {"column", 0, "J", CLI_TEXT, offsetof(plot_values, column), NULL, NULL,
     "the column whose values colour the points"},
    {"title", 0, "TEXT", CLI_TEXT, offsetof(plot_values, title), NULL, NULL, "above the picture"},
    {"size", 0, "WxH", CLI_TEXT, offsetof(plot_values, size), "1200x900", NULL,
     "size of the picture in pixels"},
    {"links", 0, "N", CLI_TEXT, offsetof(plot_values, links), "2000", NULL,
     "draw the graph's links when there are no more than N"},
    {"radius", 0, "R", CLI_TEXT, offsetof(plot_values, radius), "0", NULL,
     "of a point in pixels; 0 chooses by their number"},
    {"light", 0, NULL, CLI_FLAG, offsetof(plot_values, light), NULL, NULL,
     "dark on light, which is the default"},
    {"dark", 0, NULL, CLI_FLAG, offsetof(plot_values, dark), NULL, NULL, "light on dark"},
    {"width", 0, "COLUMNS", CLI_COUNT, offsetof(plot_values, width), "0", NULL,
     "of the --terminal picture; 0 is the terminal's, 80 when there is none"},
    {"color", 0, "WHEN", CLI_CHOICE, offsetof(plot_values, color), "auto", "auto|always|never",
     "colours of the --terminal picture; auto: on a terminal, unless NO_COLOR is set"},
    CLI_ROW_FORCE,
    CLI_ROW_THREADS,
    CLI_ROW_SEED,
    CLI_ROW_QUIET,
    CLI_ROW_HELP,
    CLI_ROW_END,
};

static const cli_group groups[] = {
    {"Options", options, NULL, 0},
    {"Reading the graph", NULL, cafe_graph_option_table, offsetof(plot_values, graph)},
    {0},
};

const cli_command cli_plot = {
    .name = "plot",
    .arguments = "GRAPH EMBEDDING -o PICTURE.svg|PICTURE.png [options]",
    .summary = "a picture of an embedding for papers and terminals",
    .description =
        "Draws the nodes as points of a map, or by two columns of their vectors, coloured by "
        "community, label, column or centrality: as SVG, as PNG, or in characters.",
    .groups = groups,
    .size = sizeof(plot_values),
    .least = 2,
    .most = 2,
    .run = run_plot,
};
