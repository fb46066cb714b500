/* cafe view: one interactive page of a graph and its vectors. What the user does not give is found
 * by the library (cafe_view_find), which also writes the page.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "graph_text.h"
#include "labels.h"
#include "output.h"
#include "vectors.h"

typedef struct view_job {
    cli_run run;
    const char *labels_path, *communities_path, *table_path, *report_path, *title, *map_path;
    cafe_view_options options;
    float *vectors, *map;
    cafe_labels *labels, *communities;
    int32_t *part; /* of the communities; NULL: none were given */
    const char **names;
    cafe_facts *table;
    cafe_record *record;
    cafe_view_inputs inputs;
    cafe_view_found *found;
    cafe_view_report made;
} view_job;

/* ---- what is given --------------------------------------------------------------------------- */

static bool map_is(const view_job *job, const char *word) {
    return strcmp(job->map_path, word) == 0;
}

static int read_map(view_job *job) {
    int64_t columns = 0;
    CLI_TRY(cli_read_vectors(&job->run, job->map_path, NULL, &job->run.graph, &columns, &job->map,
                             NULL));
    if (columns == 2) return CLI_OK;
    return cli_error(&job->run, CLI_INPUT, "%s: expected 2 columns of a map, found %" PRId64,
                     job->map_path, columns);
}

static int read_communities(view_job *job) {
    cli_run *run = &job->run;
    CLI_TRY(
        cli_read_classes(run, run->graph, job->communities_path, &job->communities, &job->part));
    cli_say_partial(run, job->communities_path, run->graph, job->communities);
    int64_t named = cafe_labels_classes(job->communities);
    job->names = cli_new(run, named, sizeof *job->names);
    if (!job->names) return CLI_FAILED;
    for (int64_t k = 0; k < named; k++) job->names[k] = cafe_labels_class_name(job->communities, k);
    job->inputs.named = named;
    job->inputs.community_names = job->names;
    return CLI_OK;
}

static int read_table(view_job *job) {
    cli_run *run = &job->run;
    int64_t skipped = 0;
    CLI_TRY(cli_check(
        run, cafe_facts_read(run->context, run->graph, job->table_path, &job->table, &skipped)));
    if (skipped > 0)
        cli_warn(run, "%s: %" PRId64 " line%s left out, of nodes that the graph does not have",
                 job->table_path, skipped, cli_plural(skipped));
    job->inputs.facts = job->table;
    return CLI_OK;
}

static int read_report(view_job *job) {
    cli_run *run = &job->run;
    CLI_TRY(cli_check(run, cafe_record_read(run->context, job->report_path, &job->record)));
    int64_t columns = cafe_record_columns(job->record);
    if (columns > 0 && columns != job->inputs.columns)
        return cli_error(run, CLI_INPUT, "%s: is of %" PRId64 " columns, the vectors have %" PRId64,
                         job->report_path, columns, job->inputs.columns);
    job->inputs.objective = cafe_record_objective(job->record, &job->inputs.objectives);
    return CLI_OK;
}

static int read_input(view_job *job) {
    cli_run *run = &job->run;
    char made[CAFE_VECTORS_MADE];
    int32_t sampling;
    CLI_TRY(cli_read_graph(run, NULL));
    CLI_TRY(cli_read_vectors(run, run->words[1], job->labels_path, &run->graph,
                             &job->inputs.columns, &job->vectors, made));
    cafe_sampling_made(made, &sampling, &job->inputs.degree_exponent);
    if (sampling > CAFE_SAMPLING_EDGE)
        cli_warn(run,
                 "%s: these vectors were made with --sampling %s; values of columns and pulls "
                 "on the page are of edges",
                 run->words[1], cafe_sampling_name((cafe_sampling)sampling));
    if (!map_is(job, "auto") && !map_is(job, "none")) CLI_TRY(read_map(job));
    if (job->labels_path) CLI_TRY(cli_read_labels(run, run->graph, job->labels_path, &job->labels));
    if (job->communities_path) CLI_TRY(read_communities(job));
    if (job->table_path) CLI_TRY(read_table(job));
    if (job->report_path) CLI_TRY(read_report(job));
    return CLI_OK;
}

/* ---- the page -------------------------------------------------------------------------------- */

static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static void say_left_out(view_job *job) {
    cli_run *run = &job->run;
    const cafe_view_report *r = &job->made;
    const cafe_view_inputs *in = &job->inputs;
    int64_t edges = run->counts.edges;
    if (r->columns < in->columns)
        cli_say(run, "left out  %" PRId64 " of %" PRId64 " columns", in->columns - r->columns,
                in->columns);
    if (r->nearest < r->nearest_found)
        cli_say(run,
                "left out  %" PRId64 " of the %" PRId64
                " nearest nodes of each node (--page-limit 0 keeps them)",
                r->nearest_found - r->nearest, r->nearest_found);
    if (r->links == 0 && edges > 0)
        cli_say(run, "left out  %" PRId64 " links%s", edges,
                job->options.links == CAFE_VIEW_LINKS_NONE ? "" : " (--links all keeps them)");
    if (r->layers < in->layers)
        cli_say(run, "left out  the %" PRId64 " finest of %" PRId64 " layers",
                in->layers - r->layers, in->layers);
    if (!r->names) cli_say(run, "left out  the names of the nodes");
    if (in->labels && !r->labels) cli_say(run, "left out  the labels");
    if (job->table && r->facts < cafe_facts_columns(job->table))
        cli_say(run, "left out  %" PRId64 " columns of %s",
                cafe_facts_columns(job->table) - r->facts, job->table_path);
}

static int work(void *argument) {
    view_job *job = argument;
    cli_run *run = &job->run;
    const cafe_view_report *made = &job->made;
    char size[CAFE_BYTES_TEXT];
    cafe_view_inputs_init(&job->inputs);
    CLI_TRY(read_input(job));
    job->inputs.title = job->title ? job->title : base_name(run->words[0]);
    job->inputs.vectors = job->vectors;
    job->inputs.map = job->map;
    job->inputs.labels = job->labels;
    CLI_TRY(cli_check(run, cafe_view_find(run->context, run->graph, job->part, map_is(job, "auto"),
                                          &job->inputs, &job->found)));
    CLI_TRY(cli_check(run, cafe_view_write(run->context, run->graph, &job->inputs, &job->options,
                                           run->common.output, run->common.force, &job->made)));
    say_left_out(job);
    cli_say(run, "page      %s: %s, %" PRId64 " column%s, %" PRId64 " layer%s, %" PRId64 " link%s",
            run->common.output, cafe_bytes_text(made->bytes, size), made->columns,
            cli_plural(made->columns), made->layers, cli_plural(made->layers), made->links,
            cli_plural(made->links));
    return CLI_OK;
}

static void release(void *argument) {
    view_job *job = argument;
    cafe_view_found_free(job->found);
    cafe_record_free(job->record);
    cafe_labels_free(job->labels);
    cafe_labels_free(job->communities);
    cafe_facts_free(job->table);
    free(job->vectors);
    free(job->map);
}

static const cli_option options[] = {
    CLI_ROW_OUTPUT(".html .htm -", "the page: .html; - is standard output"),
    CLI_ROW_READS(view_job, labels_path, "labels",
                  "labels of the nodes to colour by, one 'node label' per line"),
    CLI_ROW_UNKNOWN,
    CLI_ROW_READS(
        view_job, communities_path, "communities",
        "communities to show instead of those found here, under their own names: node community, "
        "as cafe cluster writes"),
    CLI_ROW_READS(
        view_job, table_path, "table",
        "what else is known of the nodes, to show, sort and colour by: a table whose first "
        "line names its columns and whose first column has the nodes"),
    CLI_ROW_READS(view_job, report_path, "report",
                  "the --json report of the run of cafe embed: its objective per sweep"),
    {"map", 0, "auto|none|FILE", CLI_TEXT, offsetof(view_job, map_path), "auto", NULL,
     "the layout in the plane to open with: made here as cafe map does, none, or two columns of a "
     "file"},
    CLI_ROW_TEXT(view_job, title, "title", "TEXT",
                 "of the page; without it the name of the graph's file"),
    CLI_ROWS_SEEDED,
};

static const cli_group groups[] = {
    CLI_GROUP("Options", options),
    CLI_GROUP_TABLE("Size of the page", view_job, options, cafe_view_option_table),
    CLI_GROUP_READING,
    {0},
};

const cli_command cli_view = {
    .name = "view",
    .arguments = "GRAPH EMBEDDING -o PAGE.html [options]",
    .summary = "make an interactive page of an embedding for the browser",
    .description =
        "Writes a page that needs nothing but itself: points to move, zoom, search and select, "
        "coloured by community, label, column or centrality; cards of nodes and of columns; the "
        "layers of communities; the spectrum.",
    CLI_JOB(view_job, 2, 2),
    .needs = "output",
    .release = release,
};
