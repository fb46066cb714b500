/* cafe map: every node as a point of the plane, for pictures. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "graph_text.h"
#include "output.h"
#include "vectors.h"

typedef struct map_values {
    cli_common common;
    const char *output, *json;
    cafe_graph_options graph;
    cafe_map_options map;
} map_values;

typedef struct map_job {
    cli_run run;
    const map_values *values;
    const char *path, *vectors_path;
    cafe_graph *graph;
    cafe_graph_counts counts;
    int64_t columns;
    float *vectors, *xy;
    double map_seconds;
    cafe_map_quality quality;
} map_job;

static int put_report(FILE *file, const void *argument) {
    const map_job *job = argument;
    cli_json json = {.file = file};
    cli_json_open(&json, NULL, '{');
    cli_json_text(&json, "schema", "cafe/map/1");
    cli_json_text(&json, "version", cafe_version());
    cli_json_graph(&json, job->path, &job->counts);
    cli_json_integer(&json, "columns", job->columns);
    cli_json_open(&json, "options", '{');
    cli_json_options(&json, cafe_map_option_table(), &job->values->map);
    cli_json_close(&json, '}');
    cli_json_open(&json, "quality", '{');
    cli_json_integer(&json, "nodes_looked_at", job->quality.nodes);
    cli_json_integer(&json, "nearest", job->quality.neighbours);
    cli_json_real(&json, "kept", job->quality.kept);
    cli_json_real(&json, "trustworthiness", job->quality.trustworthiness);
    cli_json_close(&json, '}');
    cli_json_real(&json, "map_seconds", job->map_seconds);
    cli_json_real(&json, "seconds", cli_seconds() - job->run.began);
    cli_json_close(&json, '}');
    return CLI_OK;
}

static int write_report(map_job *job) {
    return cli_write_file(&job->run, job->values->json, put_report, job);
}

static int read_input(map_job *job) {
    const map_values *v = job->values;
    int code =
        cli_check(&job->run, cafe_graph_read(job->run.context, job->path, &v->graph, &job->graph));
    if (code != CLI_OK) return code;
    job->counts = *cafe_graph_get_counts(job->graph);
    cli_say_graph(&job->run, job->path, job->graph);
    return cli_read_vectors(&job->run, job->vectors_path, job->graph, &job->columns, &job->vectors);
}

/* Looks at so many nodes that it takes no longer than the map itself. */
static int measure(map_job *job) {
    int64_t n = job->counts.nodes, nodes = n > 0 ? 100000000 / n : 0;
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

static int work(map_job *job) {
    const map_values *v = job->values;
    int code = read_input(job);
    if (code != CLI_OK) return code;
    int64_t n = job->counts.nodes;
    job->xy = malloc((size_t)(2 * n + 1) * sizeof *job->xy);
    if (!job->xy) return cli_error(&job->run, CLI_FAILED, "out of memory");
    double began = cli_seconds();
    code = cli_check(&job->run, cafe_map(job->run.context, job->graph, n, job->columns,
                                         job->vectors, &v->map, job->xy));
    job->map_seconds = cli_seconds() - began;
    if (code == CLI_OK) code = measure(job);
    if (code == CLI_OK)
        code = cli_check(&job->run, cafe_map_write(job->run.context, job->graph, job->xy, v->output,
                                                   v->common.force));
    return code == CLI_OK ? write_report(job) : code;
}

static int check_values(const map_values *v, const cli_arguments *arguments) {
    if (!v->output) return cli_usage_error("map", "where to? give -o MAP.npy or -o MAP.tsv");
    if (v->json && strcmp(v->json, v->output) == 0)
        return cli_usage_error("map", "map and report cannot both go to %s", v->output);
    if (strcmp(arguments->words[0], "-") == 0 && strcmp(arguments->words[1], "-") == 0)
        return cli_usage_error("map", "only one of the inputs can be standard input");
    int code = cli_output_check("map", &v->common, v->output);
    return code != CLI_OK ? code : cli_output_check("map", &v->common, v->json);
}

static int run_map(const void *values, const cli_arguments *arguments) {
    map_job job = {
        .values = values, .path = arguments->words[0], .vectors_path = arguments->words[1]};
    int code = check_values(job.values, arguments);
    if (code != CLI_OK) return code;
    code = cli_begin(&job.run, "map", &job.values->common);
    if (code == CLI_OK) code = work(&job);
    cafe_graph_free(job.graph);
    free(job.vectors);
    free(job.xy);
    return cli_end(&job.run, code);
}

static const cli_option options[] = {
    {"output", 'o', "FILE", CLI_TEXT, offsetof(map_values, output), NULL, NULL,
     "two numbers for each node: .npy, .tsv or .txt"},
    {"json", 0, "FILE", CLI_TEXT, offsetof(map_values, json), NULL, NULL,
     "options and quality as JSON; - is standard output"},
    CLI_ROW_FORCE,
    CLI_ROW_THREADS,
    CLI_ROW_SEED,
    CLI_ROW_QUIET,
    CLI_ROW_HELP,
    CLI_ROW_END,
};

static const cli_group groups[] = {
    {"Options", options, NULL, 0},
    {"The layout", NULL, cafe_map_option_table, offsetof(map_values, map)},
    {"Reading the graph", NULL, cafe_graph_option_table, offsetof(map_values, graph)},
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
    .groups = groups,
    .size = sizeof(map_values),
    .least = 2,
    .most = 2,
    .run = run_map,
};
