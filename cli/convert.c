/* cafe convert: a graph file into another format, both told by their names or contents. */
#include <string.h>

#include "command.h"
#include "graph_text.h"
#include "output.h"

typedef struct convert_values {
    cli_common common;
    cafe_graph_options graph;
} convert_values;

static int convert(cli_run *run, const convert_values *v, const char *from, const char *to) {
    cafe_graph *graph = NULL;
    int code = cli_check(run, cafe_graph_read(run->context, from, &v->graph, &graph));
    if (code == CLI_OK) {
        cli_say_graph(run, from, graph);
        code = cli_check(
            run, cafe_graph_write(run->context, graph, to, CAFE_FORMAT_AUTO, v->common.force));
    }
    if (code == CLI_OK) cli_say(run, "output    %s", to);
    cafe_graph_free(graph);
    return code;
}

static int run_convert(const void *values, const cli_arguments *arguments) {
    const convert_values *v = values;
    const char *from = arguments->words[0], *to = arguments->words[1];
    cli_run run;
    if (cli_graph_format(to) == CAFE_FORMAT_AUTO) return cli_unknown_graph_format("convert", to);
    int code = cli_output_check("convert", &v->common, to);
    if (code != CLI_OK) return code;
    code = cli_begin(&run, "convert", &v->common);
    if (code == CLI_OK) code = convert(&run, v, from, to);
    return cli_end(&run, code);
}

static const cli_option options[] = {
    CLI_ROW_FORCE, CLI_ROW_THREADS, CLI_ROW_QUIET, CLI_ROW_HELP, CLI_ROW_END,
};

static const cli_group groups[] = {
    {"Options", options, NULL, 0},
    {"Reading the graph", NULL, cafe_graph_option_table, offsetof(convert_values, graph)},
    {0},
};

const cli_command cli_convert = {
    .name = "convert",
    .arguments = "IN OUT [options]",
    .summary = "write a graph in another format",
    .description =
        "The format of IN is told by its content (- is standard input), that of OUT by "
        "its ending: .txt .edges .tsv .csv (edge list), .mtx (Matrix Market), .graph "
        ".metis (METIS), .cafe (binary: mapped rather than read, the fastest to load).",
    .groups = groups,
    .size = sizeof(convert_values),
    .least = 2,
    .most = 2,
    .run = run_convert,
};
