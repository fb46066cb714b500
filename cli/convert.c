/* cafe convert: a graph file into another format, both told by their names or contents. */
#include "command.h"
#include "graph_text.h"
#include "output.h"

static int check(void *job) {
    cli_run *run = job;
    CLI_TRY(cli_check_ending(run->command, run->words[1], CLI_GRAPHS));
    CLI_TRY(cli_check_in_place(run, &cli_convert, "output", run->words[1]));
    return cli_output_check(run->command, &run->common, run->words[1]);
}

static int work(void *job) {
    cli_run *run = job;
    CLI_TRY(cli_try_output(run, run->words[1]));
    CLI_TRY(cli_read_graph(run, NULL));
    CLI_TRY(cli_write_graph(run, run->graph, run->words[1]));
    cli_say(run, "written   %s", run->words[1]);
    return CLI_OK;
}

static const cli_option options[] = {CLI_ROWS_PLAIN};
static const cli_group groups[] = {CLI_GROUP("Options", options), CLI_GROUP_READING, {0}};

const cli_command cli_convert = {
    .name = "convert",
    .arguments = "IN OUT [options]",
    .summary = "write a graph in another format",
    .description =
        "The format of IN is told by its content (- is standard input), that of OUT by "
        "its ending:" CLI_GRAPHS ". A .cafe file is mapped rather than read: the fastest to load.",
    CLI_JOB(cli_run, 2, 1),
    .check = check,
};
