/* cafe place: vectors for new nodes from their edges to nodes of a graph that has vectors. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include <cafe-private/members.h>
#include <cafe-private/writers.h>

#include "command.h"
#include "graph_text.h"
#include "output.h"
#include "report.h"
#include "vectors.h"

typedef struct place_job {
    cli_run run;
    cafe_place_options options;
    float *vectors, *placed;
    int64_t columns;
    cafe_new_links *links;
    double *bounds;
    int64_t bounded;
    double largest, middle; /* of the bounds: the largest and the median */
} place_job;

static int check(void *argument) {
    cli_run *run = argument;
    return cli_check_names_file(run, run->common.output);
}

static void put_report(cafe_report *report, const void *argument) {
    const place_job *job = argument;
    cafe_report_graph(report, job->run.words[0], job->run.graph);
    cafe_report_open(report, "options", '{');
    cafe_report_context(report);
    cafe_report_options(report, cafe_place_option_table(), &job->options);
    cafe_report_close(report);
    cafe_report_integer(report, "placed", cafe_new_links_nodes(job->links));
    cafe_report_integer(report, "links", cafe_new_links_count(job->links));
    cafe_report_integer(report, "columns", job->columns);
    cafe_report_integer(report, "bounded", job->bounded);
    cafe_report_reals(report, "bounds", cafe_new_links_nodes(job->links), job->bounds);
    cafe_report_string(report, "output", job->run.common.output);
    cli_report_seconds(report, &job->run);
}

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* How far the rows can be from a full run's. */
static int find_bounds(place_job *job) {
    cli_run *run = &job->run;
    int64_t n = cafe_new_links_nodes(job->links);
    job->bounds = cli_new(run, n, sizeof *job->bounds);
    double *sorted = cli_new(run, n, sizeof *sorted);
    if (!job->bounds || !sorted) return CLI_RESOURCES;
    CLI_TRY(cli_check(run, cafe_place_bound(run->context, run->graph, job->columns, job->vectors,
                                            job->links, &job->options, job->placed, job->bounds)));
    for (int64_t i = 0; i < n; i++)
        if (isfinite(job->bounds[i])) sorted[job->bounded++] = job->bounds[i];
    if (job->bounded == 0) return CLI_OK;
    qsort(sorted, (size_t)job->bounded, sizeof *sorted, compare);
    job->middle = sorted[job->bounded / 2];
    job->largest = sorted[job->bounded - 1];
    return CLI_OK;
}

static void say_bounds(place_job *job) {
    if (job->bounded > 0)
        cli_say(&job->run,
                "bound     %" PRId64
                " of them are within %.3g of a full run's row at most, half "
                "within %.3g",
                job->bounded, job->largest, job->middle);
    else if (job->options.form != CAFE_PLACE_RAW)
        cli_say(&job->run,
                "bound     vacuous: the gap behind the last column's eigenvalue is too small for "
                "these edges, or the columns are no dominant eigenvectors (cafe embed --residual)");
    else
        cli_say(&job->run, "bound     none is known for raw rows (walk, ritz and scaled have one)");
}

static int work(void *argument) {
    place_job *job = argument;
    cli_run *run = &job->run;
    CLI_TRY(cli_read_graph(run, NULL));
    char made[CAFE_VECTORS_MADE];
    CLI_TRY(cli_read_vectors(run, run->words[1], NULL, &run->graph, &job->columns, &job->vectors,
                             made));
    CLI_TRY(cli_made_with(run, run->words[1], made, CAFE_SAMPLING_EDGE,
                          job->options.degree_exponent, &job->options.degree_exponent));
    CLI_TRY(
        cli_check(run, cafe_new_links_read(run->context, run->graph, run->words[2], &job->links)));
    int64_t n = cafe_new_links_nodes(job->links), links = cafe_new_links_count(job->links);
    job->placed = cli_new(run, n * job->columns, sizeof *job->placed);
    if (!job->placed) return CLI_RESOURCES;
    CLI_TRY(cli_check(run, cafe_place_nodes(run->context, run->graph, job->columns, job->vectors,
                                            job->links, &job->options, job->placed)));
    CLI_TRY(find_bounds(job));
    CLI_TRY(cli_check(run, cafe_placed_write(run->context, job->links, job->columns, job->placed,
                                             run->common.output, run->common.force)));
    CLI_TRY(cli_write_report(run, "cafe/place/1", put_report, job));
    cli_say(run, "placed    %" PRId64 " new node%s from %" PRId64 " edge%s, %" PRId64 " column%s",
            n, cli_plural(n), links, cli_plural(links), job->columns, cli_plural(job->columns));
    say_bounds(job);
    return CLI_OK;
}

static void release(void *argument) {
    place_job *job = argument;
    cafe_new_links_free(job->links);
    free(job->vectors);
}

static const cli_option options[] = {
    CLI_ROW_OUTPUT(
        CLI_VECTORS " -",
        "the new nodes' vectors: .npy (float32; names in FILE.names.txt), .tsv, .csv, .txt, "
        "or - for TSV on standard output"),
    CLI_ROW_JSON("a report; - is standard output"),
    CLI_ROW_NO_HEADING,
    CLI_ROWS_PLAIN,
};
static const cli_group groups[] = {
    CLI_GROUP("Options", options),
    CLI_GROUP_TABLE("Placing", place_job, options, cafe_place_option_table),
    CLI_GROUP_READING,
    {0},
};

const cli_command cli_place = {
    .name = "place",
    .arguments = "GRAPH... EMBEDDING NEW-LINKS -o OUT.npy [options]",
    .many = true,
    .summary = "find vectors for new nodes, all others fixed",
    .description =
        "Reads a graph, its vectors, and edges of new nodes to nodes of the graph, one per "
        "line (new known [weight]). Computes the vector of each new node from its edges, "
        "without changing the others.",
    CLI_JOB(place_job, 3, 3),
    .needs = "output",
    .check = check,
    .release = release,
};
