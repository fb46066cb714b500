/* cafe plot -o PAGE.html: an interactive page of a graph and its vectors. The library finds what
 * the user does not give (cafe_view_find), and writes the page.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <cafe-private/inputs.h>
#include <cafe-private/members.h>
#include <cafe-private/text.h>

#include "graph_text.h"
#include "labels.h"
#include "output.h"
#include "plot.h"
#include "tell.h"
#include "vectors.h"

/* ---- what is given --------------------------------------------------------------------------- */

static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool map_is(const plot_job *job, const char *word) {
    return strcmp(job->map ? job->map : "auto", word) == 0;
}

int plot_read_map(plot_job *job) {
    int64_t columns = 0;
    CLI_TRY(cli_read_vectors(&job->run, job->map, NULL, &job->run.graph, &columns, &job->page.map,
                             NULL));
    if (columns == 2) return CLI_OK;
    return cli_error(&job->run, CLI_INPUT, "%s: expected 2 columns of a map, found %" PRId64,
                     job->map, columns);
}

static int read_communities(plot_job *job) {
    cli_run *run = &job->run;
    CLI_TRY(cli_read_classes(run, run->graph, job->communities, &job->page.communities,
                             &job->page.part));
    cli_say_partial(run, job->communities, run->graph, job->page.communities);
    int64_t named = cafe_labels_classes(job->page.communities);
    job->names = cli_new(run, named, sizeof *job->names);
    if (!job->names) return CLI_RESOURCES;
    for (int64_t k = 0; k < named; k++)
        job->names[k] = cafe_labels_class_name(job->page.communities, k);
    job->page.inputs.named = named;
    job->page.inputs.community_names = job->names;
    return CLI_OK;
}

/* Communities after trials: their file is a table of what else is known of the nodes. */
static int read_trials(plot_job *job) {
    cli_run *run = &job->run;
    int64_t skipped;
    if (!job->communities || job->attributes) return CLI_OK;
    CLI_TRY(cli_check(run, cafe_facts_read(run->context, run->graph, job->communities,
                                           &job->page.table, &skipped)));
    job->page.inputs.facts = job->page.table;
    if (cafe_facts_columns(job->page.table) > 1) return CLI_OK;
    cafe_facts_free(job->page.table);
    job->page.inputs.facts = job->page.table = NULL;
    return CLI_OK;
}

/* Without a table the page has the attributes of the graph. */
static int read_table(plot_job *job) {
    cli_run *run = &job->run;
    int64_t skipped = 0;
    CLI_TRY(read_trials(job));
    if (job->page.table) return CLI_OK;
    if (!job->attributes && cafe_graph_get_reading(run->graph)->attribute_count == 0) return CLI_OK;
    CLI_TRY(cli_check(run, cafe_facts_read(run->context, run->graph, job->attributes,
                                           &job->page.table, &skipped)));
    if (skipped > 0)
        cli_warn(run, "%s: %" PRId64 " line%s left out, of nodes that the graph does not have",
                 job->attributes, skipped, cli_plural(skipped));
    job->page.inputs.facts = job->page.table;
    return CLI_OK;
}

static int read_report(plot_job *job) {
    cli_run *run = &job->run;
    CLI_TRY(cli_check(run, cafe_record_read(run->context, job->report_path, &job->page.record)));
    int64_t columns = cafe_record_columns(job->page.record);
    if (columns > 0 && columns != job->page.inputs.columns)
        return cli_error(run, CLI_INPUT, "%s: is of %" PRId64 " columns, the vectors have %" PRId64,
                         job->report_path, columns, job->page.inputs.columns);
    job->page.inputs.objective =
        cafe_record_objective(job->page.record, &job->page.inputs.objectives);
    return CLI_OK;
}

/* Communities of another run. Nodes that the graph does not have are left out: an update may have
 * removed them. */
static int read_part_before(plot_job *job) {
    cli_run *run = &job->run;
    plot_page *page = &job->page;
    int64_t skipped = 0;
    CLI_TRY(cli_check(run, cafe_labels_read(run->context, run->graph, job->before, NULL, &skipped,
                                            &page->before)));
    int64_t named = cafe_labels_classes(page->before);
    page->part_before = cli_new(run, run->counts.nodes, sizeof *page->part_before);
    page->names_before = cli_new(run, named, sizeof *page->names_before);
    if (!page->part_before || !page->names_before) return CLI_RESOURCES;
    CLI_TRY(cli_check(run, cafe_labels_single(run->context, page->before, page->part_before)));
    for (int64_t k = 0; k < named; k++)
        page->names_before[k] = cafe_labels_class_name(page->before, k);
    page->inputs.before = page->part_before;
    page->inputs.before_named = named;
    page->inputs.before_names = page->names_before;
    if (skipped > 0)
        cli_say(run, "before    %s: %" PRId64 " line%s left out, of nodes that the graph lacks",
                job->before, skipped, cli_plural(skipped));
    return CLI_OK;
}

/* Vectors of another run: their map. */
static int read_map_before(plot_job *job) {
    cli_run *run = &job->run;
    plot_page *page = &job->page;
    int64_t columns = 0;
    CLI_TRY(cli_read_vectors(run, job->before, NULL, &run->graph, &columns, &page->vectors_before,
                             NULL));
    page->map_before = cli_new(run, 2 * run->counts.nodes, sizeof *page->map_before);
    if (!page->map_before) return CLI_RESOURCES;
    page->inputs.before_map = page->map_before;
    return cli_check(run, cafe_map(run->context, run->graph, run->counts.nodes, columns,
                                   page->vectors_before, NULL, page->map_before));
}

static int read_before(plot_job *job) {
    job->page.inputs.before_title = base_name(job->before);
    return cli_ends_in(job->before, ".npy") ? read_map_before(job) : read_part_before(job);
}

static int read_input(plot_job *job) {
    cli_run *run = &job->run;
    char made[CAFE_VECTORS_MADE];
    int32_t sampling;
    CLI_TRY(cli_read_graph(run, NULL));
    CLI_TRY(cli_read_vectors(run, run->words[1], job->labels_path, &run->graph,
                             &job->page.inputs.columns, &job->vectors, made));
    cafe_sampling_made(made, &sampling, &job->page.inputs.degree_exponent);
    if (sampling > CAFE_SAMPLING_EDGE)
        cli_warn(run,
                 "%s: these vectors were made with --sampling %s; values of columns and pulls "
                 "on the page are of edges",
                 run->words[1], cafe_sampling_name((cafe_sampling)sampling));
    if (!map_is(job, "auto") && !map_is(job, "none")) CLI_TRY(plot_read_map(job));
    if (job->labels_path) CLI_TRY(cli_read_labels(run, run->graph, job->labels_path, &job->labels));
    if (job->labels) cli_say_labels(run, job->labels_path, run->graph, job->labels);
    if (job->communities) CLI_TRY(read_communities(job));
    CLI_TRY(read_table(job));
    if (job->report_path) CLI_TRY(read_report(job));
    return job->before ? read_before(job) : CLI_OK;
}

/* ---- the page -------------------------------------------------------------------------------- */

static void say_left_out(plot_job *job) {
    cli_run *run = &job->run;
    const cafe_view_report *r = &job->page.made;
    const cafe_view_inputs *in = &job->page.inputs;
    int64_t edges = run->counts.edges;
    if (r->columns < in->columns)
        cli_say(run, "left out  %" PRId64 " of %" PRId64 " columns", in->columns - r->columns,
                in->columns);
    if (r->nearest < r->nearest_found)
        cli_say(run,
                "left out  %" PRId64 " of the %" PRId64
                " nearest nodes of each node (" CLI_OPT("page-limit=0") " keeps them)",
                r->nearest_found - r->nearest, r->nearest_found);
    if (r->links == 0 && edges > 0)
        cli_say(run, "left out  %" PRId64 " edges%s", edges,
                job->page_options.links == CAFE_VIEW_LINKS_NONE
                    ? ""
                    : " (" CLI_OPT("links=all") " keeps them)");
    if (r->layers < in->layers)
        cli_say(run, "left out  the %" PRId64 " finest of %" PRId64 " layers",
                in->layers - r->layers, in->layers);
    if (!r->names) cli_say(run, "left out  the names of the nodes");
    if (in->labels && !r->labels) cli_say(run, "left out  the labels");
    if (job->page.table && r->facts < cafe_facts_columns(job->page.table))
        cli_say(run, "left out  %" PRId64 " columns of %s",
                cafe_facts_columns(job->page.table) - r->facts,
                job->attributes    ? job->attributes
                : job->communities ? job->communities
                                   : "the attributes");
}

int plot_write_page(plot_job *job) {
    cli_run *run = &job->run;
    const cafe_view_report *made = &job->page.made;
    char size[CAFE_BYTES_TEXT];
    cafe_view_inputs_init(&job->page.inputs);
    CLI_TRY(read_input(job));
    job->page.inputs.title = job->title ? job->title : base_name(run->words[0]);
    job->page.inputs.vectors = job->vectors;
    job->page.inputs.map = job->page.map;
    job->page.inputs.labels = job->labels;
    CLI_TRY(
        cli_check(run, cafe_view_find(run->context, run->graph, job->page.part, map_is(job, "auto"),
                                      &job->page.inputs, &job->page.found)));
    CLI_TRY(cli_check(
        run, cafe_view_write(run->context, run->graph, &job->page.inputs, &job->page_options,
                             run->common.output, run->common.force, &job->page.made)));
    say_left_out(job);
    cli_say(run, "page      %s: %s, %" PRId64 " column%s, %" PRId64 " layer%s, %" PRId64 " edge%s",
            run->common.output, cafe_bytes_text(made->bytes, size), made->columns,
            cli_plural(made->columns), made->layers, cli_plural(made->layers), made->links,
            cli_plural(made->links));
    return CLI_OK;
}

void plot_page_free(plot_page *page) {
    cafe_view_found_free(page->found);
    cafe_record_free(page->record);
    cafe_labels_free(page->communities);
    cafe_labels_free(page->before);
    cafe_facts_free(page->table);
    free(page->map);
    free(page->vectors_before);
}
