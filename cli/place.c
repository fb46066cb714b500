/* cafe place: vectors for new nodes from their links to nodes of a graph that has vectors. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "command.h"
#include "graph_text.h"
#include "output.h"

typedef struct place_values {
    cli_common common;
    const char *output, *json;
    cafe_graph_options graph;
    cafe_place_options place;
} place_values;

typedef struct place_job {
    cli_run run;
    const place_values *values;
    const char *path, *vectors_path, *links_path;
    cafe_graph *graph;
    cafe_graph_counts counts;
    float *vectors, *placed;
    int64_t columns;
    cafe_new_links *links;
} place_job;

static bool is_npy(const char *path) {
    return strcasecmp(cli_extension(path), ".npy") == 0;
}

static int check_names(const place_values *v) {
    const char *e = v->output ? cli_extension(v->output) : "";
    char *beside = NULL;
    if (!v->output) return cli_usage_error("place", "where to? give -o FILE");
    if (!is_npy(v->output) && strcasecmp(e, ".tsv") != 0 && strcasecmp(e, ".txt") != 0 &&
        strcmp(v->output, "-") != 0)
        return cli_usage_error(
            "place", "%s: the ending tells the format and is one of .npy .tsv .txt", v->output);
    if (v->json && strcmp(v->output, v->json) == 0)
        return cli_usage_error("place", "vectors and report cannot both go to %s", v->output);
    int code = cli_output_check("place", &v->common, v->output);
    if (code == CLI_OK) code = cli_output_check("place", &v->common, v->json);
    if (code != CLI_OK || !is_npy(v->output)) return code;
    /* a .npy file has no room for names: they go into a file beside it, which must be free too */
    if (asprintf(&beside, "%s.names.txt", v->output) < 0) return CLI_FAILED;
    code = cli_output_check("place", &v->common, beside);
    free(beside);
    return code;
}

static int read_input(place_job *job) {
    cafe_context *context = job->run.context;
    int64_t rows = 0;
    int code =
        cli_check(&job->run, cafe_graph_read(context, job->path, &job->values->graph, &job->graph));
    if (code != CLI_OK) return code;
    job->counts = *cafe_graph_get_counts(job->graph);
    cli_say_graph(&job->run, job->path, job->graph);
    code = cli_check(&job->run, cafe_block_read(context, job->vectors_path, &rows, &job->columns,
                                                &job->vectors));
    if (code == CLI_OK && rows != job->counts.nodes)
        code = cli_error(&job->run, CLI_INPUT,
                         "%s: expected vectors of %" PRId64 " nodes, found %" PRId64,
                         job->vectors_path, job->counts.nodes, rows);
    if (code == CLI_OK)
        code = cli_check(&job->run,
                         cafe_new_links_read(context, job->graph, job->links_path, &job->links));
    return code;
}

static int place(place_job *job) {
    int64_t n = cafe_new_links_nodes(job->links);
    job->placed = malloc((size_t)(n * job->columns + 1) * sizeof *job->placed);
    if (!job->placed) return cli_error(&job->run, CLI_FAILED, "out of memory");
    return cli_check(&job->run,
                     cafe_place_nodes(job->run.context, job->graph, job->columns, job->vectors,
                                      job->links, &job->values->place, job->placed));
}

static int write_report(place_job *job) {
    cli_output output;
    if (!job->values->json) return CLI_OK;
    int code = cli_output_open(&job->run, job->values->json, &output);
    if (code != CLI_OK) return code;
    cli_json json = {.file = output.file};
    cli_json_open(&json, NULL, '{');
    cli_json_text(&json, "schema", "cafe/place/1");
    cli_json_text(&json, "version", cafe_version());
    cli_json_graph(&json, job->path, &job->counts);
    cli_json_open(&json, "options", '{');
    cli_json_integer(&json, "threads", cafe_threads(job->run.context));
    cli_json_options(&json, cafe_place_option_table(), &job->values->place);
    cli_json_close(&json, '}');
    cli_json_integer(&json, "placed", cafe_new_links_nodes(job->links));
    cli_json_integer(&json, "links", cafe_new_links_count(job->links));
    cli_json_integer(&json, "columns", job->columns);
    cli_json_text(&json, "output", job->values->output);
    cli_json_real(&json, "seconds", cli_seconds() - job->run.began);
    cli_json_close(&json, '}');
    return cli_output_close(&job->run, &output, true);
}

static int work(place_job *job) {
    const place_values *v = job->values;
    int code = read_input(job);
    if (code == CLI_OK) code = place(job);
    if (code == CLI_OK)
        code = cli_check(&job->run, cafe_placed_write(job->run.context, job->links, job->columns,
                                                      job->placed, v->output, v->common.force));
    if (code == CLI_OK) code = write_report(job);
    if (code == CLI_OK)
        cli_say(&job->run,
                "placed    %" PRId64 " new nodes from %" PRId64 " links, %" PRId64 " columns",
                cafe_new_links_nodes(job->links), cafe_new_links_count(job->links), job->columns);
    return code;
}

static int run_place(const void *values, const cli_arguments *arguments) {
    place_job job = {.values = values,
                     .path = arguments->words[0],
                     .vectors_path = arguments->words[1],
                     .links_path = arguments->words[2]};
    int code = check_names(job.values);
    if (code != CLI_OK) return code;
    code = cli_begin(&job.run, "place", &job.values->common);
    if (code == CLI_OK) code = work(&job);
    if (job.vectors) cafe_block_free(job.run.context, job.vectors);
    cafe_new_links_free(job.links);
    cafe_graph_free(job.graph);
    free(job.placed);
    return cli_end(&job.run, code);
}

static const cli_option options[] = {
    {"output", 'o', "FILE", CLI_TEXT, offsetof(place_values, output), NULL, NULL,
     "the new nodes' vectors: .npy (float32; names in FILE.names.txt), .tsv, .txt, or - for TSV on "
     "standard output"},
    {"json", 0, "FILE", CLI_TEXT, offsetof(place_values, json), NULL, NULL,
     "a report; - is standard output"},
    CLI_ROW_FORCE,
    CLI_ROW_THREADS,
    CLI_ROW_QUIET,
    CLI_ROW_HELP,
    CLI_ROW_END,
};

static const cli_group groups[] = {
    {"Options", options, NULL, 0},
    {"Placing", NULL, cafe_place_option_table, offsetof(place_values, place)},
    {"Reading the graph", NULL, cafe_graph_option_table, offsetof(place_values, graph)},
    {0},
};

const cli_command cli_place = {
    .name = "place",
    .arguments = "GRAPH VECTORS.npy NEW-LINKS -o OUT.npy [options]",
    .summary = "vectors for new nodes from their links, all others fixed",
    .description =
        "Reads a graph, its vectors, and links of new nodes to nodes of the graph (new known [w], "
        "one a line); gives each new node the vector that its links ask for, without changing the "
        "others. Names of nodes are those of the graph.",
    .groups = groups,
    .size = sizeof(place_values),
    .least = 3,
    .most = 3,
    .run = run_place,
};
