/* cafe map: every node as a point of the plane, for pictures. */
#include <inttypes.h>
#include <stdlib.h>

#include <cafe-private/results.h>

#include "command.h"
#include "graph_text.h"
#include "output.h"
#include "report.h"
#include "vectors.h"

typedef struct map_job {
    cli_run run;
    cafe_map_options options;
    int64_t columns;
    float *vectors, *xy;
    double map_seconds;
    cafe_map_quality quality;
} map_job;

static void put_report(cafe_report *report, const void *argument) {
    const map_job *job = argument;
    cafe_report_graph(report, job->run.words[0], job->run.graph);
    cafe_report_integer(report, "columns", job->columns);
    cafe_report_open(report, "options", '{');
    cafe_report_context(report);
    cafe_report_options(report, cafe_map_option_table(), &job->options);
    cafe_report_close(report);
    cafe_report_map(report, &job->quality);
    cafe_report_real(report, "map_seconds", job->map_seconds);
    cli_report_seconds(report, &job->run);
}

/* Looks at a number of nodes for which it takes no longer than the map itself. */
static int measure(map_job *job) {
    int64_t n = job->run.counts.nodes, nodes = n > 0 ? 100000000 / n : 0;
    int code = cli_check(
        &job->run, cafe_map_measure(job->run.context, n, job->columns, job->vectors, job->xy, 15,
                                    nodes > 1000 ? 1000 : nodes, &job->quality));
    if (code == CLI_OK)
        cli_say(&job->run,
                "map       %.1f s; of the %" PRId64
                " nearest vectors %.0f %% are nearest points; "
                "trustworthiness %.3f",
                job->map_seconds, job->quality.neighbours, 100 * job->quality.kept,
                job->quality.trustworthiness);
    return code;
}

static int work(void *argument) {
    map_job *job = argument;
    cli_run *run = &job->run;
    CLI_TRY(cli_read_graph(run, NULL));
    CLI_TRY(cli_read_vectors(run, run->words[1], NULL, &run->graph, &job->columns, &job->vectors,
                             NULL));
    job->xy = cli_new(run, 2 * run->counts.nodes, sizeof *job->xy);
    if (!job->xy) return CLI_RESOURCES;
    double began = cli_seconds();
    CLI_TRY(cli_check(run, cafe_map(run->context, run->graph, run->counts.nodes, job->columns,
                                    job->vectors, &job->options, job->xy)));
    job->map_seconds = cli_seconds() - began;
    CLI_TRY(measure(job));
    CLI_TRY(cli_check(run, cafe_vectors_write(run->context, run->graph, 2, job->xy,
                                              run->common.output, run->common.force)));
    return cli_write_report(run, "cafe/map/1", put_report, job);
}

static void release(void *argument) {
    free(((map_job *)argument)->vectors);
}

static const cli_option options[] = {
    CLI_ROW_OUTPUT(CLI_VECTORS " -", "two numbers for each node: .npy, .tsv, .csv or .txt"),
    CLI_ROW_JSON("options and quality as JSON; - is standard output"),
    CLI_ROW_NO_HEADING,
    CLI_ROWS_SEEDED,
};
static const cli_group groups[] = {
    CLI_GROUP("Options", options),
    CLI_GROUP_TABLE("The layout", map_job, options, cafe_map_option_table),
    CLI_GROUP_READING,
    {0},
};

const cli_command cli_map = {
    .name = "map",
    .arguments = "GRAPH EMBEDDING -o MAP.npy [options]",
    .summary = "lay the nodes of an embedding out in the plane",
    .description =
        "Places nodes whose vectors point the same way near each other, so that communities become "
        "islands, and says how many neighbours that kept. The same seed gives the same map for any "
        "number of threads.",
    CLI_JOB(map_job, 2, 2),
    .needs = "output",
    .release = release,
};
