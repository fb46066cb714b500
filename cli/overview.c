/* cafe report: everything about a graph in one call, as a page or as text. */
#include <inttypes.h>
#include <string.h>

#include <cafe-private/inputs.h>
#include <cafe-private/text.h>
#include <cafe/overview.h>

#include "command.h"
#include "graph_text.h"
#include "labels.h"

typedef struct overview_job {
    cli_run run;
    const char *labels_path, *attributes, *title;
    cafe_labels *labels;
    cafe_facts *facts;
    cafe_overview *overview;
    cafe_view_options page;
} overview_job;

static int read_beside(overview_job *job) {
    cli_run *run = &job->run;
    int64_t skipped = 0;
    if (job->labels_path) {
        CLI_TRY(cli_read_labels(run, run->graph, job->labels_path, &job->labels));
        cli_say_labels(run, job->labels_path, run->graph, job->labels);
    }
    if (!job->attributes && cafe_graph_get_reading(run->graph)->attribute_count == 0) return CLI_OK;
    CLI_TRY(cli_check(
        run, cafe_facts_read(run->context, run->graph, job->attributes, &job->facts, &skipped)));
    if (skipped > 0)
        cli_warn(run, "%s: %" PRId64 " line%s left out, of nodes that the graph does not have",
                 job->attributes, skipped, cli_plural(skipped));
    return CLI_OK;
}

static const char *title_of(const overview_job *job) {
    const char *path = job->run.words[0], *slash = strrchr(path, '/');
    return job->title ? job->title : slash ? slash + 1 : path;
}

static int work(void *argument) {
    overview_job *job = argument;
    cli_run *run = &job->run;
    char size[CAFE_BYTES_TEXT];
    cafe_view_report made = {.bytes = 0};
    CLI_TRY(cli_read_graph(run, job->labels_path));
    CLI_TRY(read_beside(job));
    const cafe_overview_inputs inputs = {.struct_size = sizeof inputs,
                                         .title = title_of(job),
                                         .path = run->words[0],
                                         .labels = job->labels,
                                         .facts = job->facts};
    CLI_TRY(cli_check(run, cafe_overview_make(run->context, run->graph, &inputs, &job->overview)));
    CLI_TRY(cli_check(run, cafe_overview_write(job->overview, &job->page, run->common.output,
                                               run->common.force, &made)));
    if (made.bytes > 0)
        cli_say(run, "page      %s: %s", run->common.output, cafe_bytes_text(made.bytes, size));
    return CLI_OK;
}

static void release(void *argument) {
    overview_job *job = argument;
    cafe_overview_free(job->overview);
    cafe_facts_free(job->facts);
    cafe_labels_free(job->labels);
}

#define JOB overview_job

static const cli_option options[] = {
    CLI_ROW_OUTPUT(".html .htm .md -",
                   "the report: .html is an interactive page, .md text; - prints the text"),
    CLI_ROW_READS(JOB, labels_path, "labels",
                  "labels of the nodes, one 'node label' per line: they name communities, and odd "
                  "nodes are those whose neighbours have another"),
    CLI_ROWS_LABEL_FILE,
    CLI_ROW_READS(JOB, attributes, "attributes",
                  "a table of the nodes, whose words name communities; without it the attributes "
                  "of the graph"),
    CLI_ROW_TEXT(JOB, title, "title", "TEXT", "of the report; without it the name of the file"),
    CLI_ROWS_SEEDED,
};
static const cli_group groups[] = {
    CLI_GROUP("Options", options),
    CLI_GROUP_TABLE("Page", JOB, page, cafe_view_option_table),
    CLI_GROUP_READING,
    {0},
};

const cli_command cli_report = {
    .name = "report",
    .arguments = "GRAPH... -o REPORT.html [options]",
    .many = true,
    .summary = "everything about a graph in one page, or as text",
    .description =
        "Reads a graph and finds communities and vectors with the defaults. The report says what "
        "was "
        "read and dropped, whether there are communities at all, how sure they are, and what the "
        "vectors hold. It lists central nodes, nodes between communities, odd nodes, and the "
        "commands to go on with. The test for communities searches 19 random graphs; it is left "
        "out above 500,000 "
        "edges.",
    CLI_JOB(overview_job, 1, 1),
    .needs = "output",
    .release = release,
};
