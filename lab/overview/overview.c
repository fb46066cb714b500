/* An overview of a graph: runs of the library for communities and for vectors, the data of the
 * page, and the text about them.
 */
#include "overview/overview.h"

#include <string.h>

#include "base/memory.h"
#include "base/option.h"
#include "draw/view.h"

/* Trials are 39 searches: for graphs in which one takes less than about a second. */
enum { TRIALS_EDGES = 500000 };
static const char *const trials = "19"; /* the fewest that can show p = 0.05 */

static cafe_status run_communities(cafe_overview *o) {
    CAFE_PASS(cafe_run_create(o->context, CAFE_PURPOSE_COMMUNITIES, NULL, &o->communities));
    if (cafe_graph_get_counts(o->graph)->edges <= TRIALS_EDGES)
        CAFE_PASS(cafe_run_set(o->communities, "trials", trials));
    CAFE_PASS(cafe_run_graph(o->communities, o->graph, o->inputs.path, NULL));
    return cafe_run_go(o->communities);
}

static cafe_status run_vectors(cafe_overview *o) {
    CAFE_PASS(cafe_run_create(o->context, CAFE_PURPOSE_VECTORS, NULL, &o->vectors));
    CAFE_PASS(cafe_run_graph(o->vectors, o->graph, o->inputs.path, NULL));
    CAFE_PASS(cafe_run_go(o->vectors));
    const cafe_embedding *e = cafe_run_get(o->vectors)->embedding;
    int64_t columns = cafe_embedding_certificate(e)->columns;
    o->rows = cafe_mem(o->context, cafe_graph_nodes(o->graph) * columns, sizeof *o->rows);
    return o->rows ? cafe_embedding_copy(e, o->rows) : CAFE_ERROR_MEMORY;
}

/* What cafe_view_write() takes; also the source of the text. */
static cafe_status find_page(cafe_overview *o) {
    const cafe_run_results *c = cafe_run_get(o->communities), *v = cafe_run_get(o->vectors);
    cafe_view_inputs_init(&o->page);
    o->page.title = o->inputs.title ? o->inputs.title : "Graph";
    o->page.columns = cafe_embedding_certificate(v->embedding)->columns;
    o->page.vectors = o->rows;
    o->page.labels = o->inputs.labels;
    o->page.facts = o->inputs.facts;
    o->page.layers = cafe_layers_count(c->layers);
    o->page.layer = cafe_layers_get(c->layers, 0);
    o->page.objectives = v->course->sweeps + 1;
    o->page.objective = v->course->objective;
    o->page.degree_exponent = cafe_sampled_get_info(v->sampled)->degree_exponent;
    return cafe_view_find(o->context, o->graph, NULL, 1, &o->page, &o->found);
}

static cafe_status make(cafe_overview *o) {
    CAFE_PASS(run_communities(o));
    CAFE_PASS(run_vectors(o));
    CAFE_PASS(find_page(o));
    const cafe_layer *top = cafe_overview_layer(o);
    const cafe_about_sources sources = {o->inputs.labels, o->inputs.facts, o->page.centrality};
    CAFE_PASS(cafe_about_find(o->context, o->graph, &sources, top->partition, top->communities,
                              &o->about));
    CAFE_PASS(cafe_surroundings_find(o->context, o->graph, top, o->inputs.labels, o->page.columns,
                                     o->rows, &o->around));
    return cafe_overview_compose(o);
}

cafe_status cafe_overview_make(cafe_context *context, const cafe_graph *graph,
                               const cafe_overview_inputs *inputs, cafe_overview **overview) {
    cafe_overview *o = cafe_mem_zero(context, 1, sizeof *o);
    cafe_status status = o ? CAFE_OK : CAFE_ERROR_MEMORY;
    *overview = NULL;
    CAFE_TRY(status);
    o->context = context;
    o->graph = graph;
    CAFE_TRY(cafe_inputs_take(context, "an overview", inputs, &o->inputs, sizeof o->inputs));
    if (cafe_graph_get_counts(graph)->edges == 0)
        CAFE_TRY(cafe_fail(context, CAFE_ERROR_ARGUMENT,
                           "a report needs a graph with edges; this one has none"));
    CAFE_TRY(make(o));
    o->page.summary = o->blocks.data.text;
    *overview = o;
    o = NULL;
done:
    cafe_overview_free(o);
    return status;
}

void cafe_overview_free(cafe_overview *o) {
    if (!o) return;
    cafe_blocks_free(&o->blocks);
    cafe_about_free(o->about);
    cafe_view_found_free(o->found);
    cafe_run_free(o->vectors);
    cafe_run_free(o->communities);
    cafe_mem_free_all(o->context, o->rows, o);
}

const char *cafe_overview_text(const cafe_overview *o) {
    return o->blocks.words.text;
}

static bool is_page(const char *path) {
    const char *dot = strrchr(path, '.');
    return dot && (strcmp(dot, ".html") == 0 || strcmp(dot, ".htm") == 0);
}

cafe_status cafe_overview_write_sized(const cafe_overview *o, const cafe_view_options *options,
                                      const char *path, int32_t overwrite, cafe_view_report *report,
                                      size_t size) {
    if (is_page(path))
        return cafe_view_write_sized(o->context, o->graph, &o->page, options, path, overwrite,
                                     report, size);
    return cafe_report_save(&o->blocks.words, path, overwrite);
}
