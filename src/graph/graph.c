/* The graph as an object: made empty, read through accessors, compared with its file, freed. */
#include "graph/graph.h"
#include "graph/compressed_rows.h"

#include <float.h>

#include <cafe-private/inputs.h>

#include "base/memory.h"
#include "base/option.h"
#include "graph/attributes.h"
#include "graph/joined.h"
#include "graph/row_checks.h"
#include "os/os.h"

#define FIELD(name)                                                   offsetof(cafe_graph_options, name)
#define FORMAT_COUNT(constant, name, endings, title, writes, beside)  +1
#define FORMAT_CHOICE(constant, name, endings, title, writes, beside) "|" #name

static const cafe_option graph_options[] = {
    {"self-loops", "WHAT", CAFE_OPTION_CHOICE, FIELD(self_loops), CAFE_LOOPS_DROP, 0, 1,
     "drop|keep",
     "edges from a node to itself: leave them out, or keep them (a loop then counts twice in its "
     "node's degree)"},
    {"duplicates", "WHAT", CAFE_OPTION_CHOICE, FIELD(duplicates), CAFE_DUPLICATES_AUTO, 0, 2,
     "auto|one|sum",
     "an edge listed again: one edge of the largest weight, or the sum of the weights; auto "
     "adds, unless each edge is listed once in each direction with one weight"},
    {"weights", NULL, CAFE_OPTION_SWITCH, FIELD(weights), 1, 0, 1, NULL,
     "use the weights of the file; without them every edge weighs 1"},
    {"nodes", "N", CAFE_OPTION_INTEGER, FIELD(nodes), 0, 0, CAFE_MOST_NODES, NULL,
     "the ids are 0 to N-1, so that nodes without an edge exist too; 0 takes the nodes from the "
     "file"},
    {"format", "NAME", CAFE_OPTION_CHOICE, FIELD(format), CAFE_FORMAT_AUTO, 0,
     0 CAFE_GRAPH_FORMATS(FORMAT_COUNT), "auto" CAFE_GRAPH_FORMATS(FORMAT_CHOICE),
     "format of the file; auto tells it by the content, then by the name"},
    {"directed", "RULE", CAFE_OPTION_CHOICE, FIELD(directed), CAFE_DIRECTED_NO, 0, 3,
     "no|sum|cocitation|flow",
     "edges have directions, and this rule makes them symmetric: sum (A + A^T), cocitation (common "
     "targets and sources, A A^T + A^T A), flow (of PageRank); no ignores directions"},
    {"trust", NULL, CAFE_OPTION_SWITCH | CAFE_OPTION_TUNE, FIELD(trust), 0, 0, 1, NULL,
     "skip the slow checks of a .cafe file that you made yourself (symmetry, components, repeated "
     "names); checksums, indices and the other counts are still checked"},
    {"reorder", "ORDER", CAFE_OPTION_CHOICE, FIELD(reorder), CAFE_REORDER_AUTO, 0, 3,
     "none|degree|communities|auto",
     "work on the nodes in another order, for speed (sphere, softmax): hubs first, or by "
     "community; files keep the order of the graph; auto takes the order that convert " CAFE_OPT(
         "reorder") " put into a .cafe file"},
    {"source", "COLUMN", CAFE_OPTION_TEXT, FIELD(source), 0, 0, 0, NULL,
     "edge lists: the column of the first node, by its name in the heading or by number from 0"},
    {"target", "COLUMN", CAFE_OPTION_TEXT, FIELD(target), 0, 0, 0, NULL,
     "the column of the second node, likewise"},
    {"weight", "COLUMN", CAFE_OPTION_TEXT, FIELD(weight), 0, 0, 0, NULL,
     "the column of the weight, likewise"},
    {"header", "WHAT", CAFE_OPTION_CHOICE, FIELD(header), CAFE_HEADER_AUTO, 0, 2, "auto|yes|no",
     "tables: whether the first line names the columns; auto decides by its words and by the "
     "lines below, and refuses a file where both are possible"},
    {"delimiter", "CHARACTER", CAFE_OPTION_TEXT, FIELD(delimiter), 0, 0, 0,
     "tab|space|comma|semicolon|pipe|blank",
     "tables: what separates the columns, a character such as ; or the word tab or space; "
     "without it comma, semicolon, tab or blanks, as in the first line"},
    {"decimal", "CHARACTER", CAFE_OPTION_CHOICE, FIELD(decimal), CAFE_DECIMAL_POINT, 0, 1, ".|,",
     "tables: the decimal mark of weights and numbers"},
    {"name", "ATTRIBUTE", CAFE_OPTION_TEXT, FIELD(name), 0, 0, 0, NULL,
     "the attribute that names the nodes (GraphML, GEXF, GML, JSON, Pajek, DOT, GDF), or id; "
     "without it label or name if at least half of them differ, else the ids"},
    {"ids", "WHAT", CAFE_OPTION_CHOICE, FIELD(ids), CAFE_IDS_AUTO, 0, 2, "auto|text|numbers",
     "edge lists: text keeps 007 and 7 apart, numbers makes them one node; auto takes numbers if "
     "all ids are integers, and refuses a file with both 007 and 7"},
    {"bipartite", NULL, CAFE_OPTION_SWITCH, FIELD(bipartite), 0, 0, 1, NULL,
     "edge lists: the same id in both columns means two nodes, as user 5 and item 5; then names of "
     "the second column begin with right:"},
    {"min-weight", "X", CAFE_OPTION_REAL, FIELD(min_weight), 0, 0, FLT_MAX, NULL,
     "leave out edges of less weight; repeated edges are merged before"},
    {"max-weight", "X", CAFE_OPTION_REAL, FIELD(max_weight), 0, 0, FLT_MAX, NULL,
     "leave out edges of more weight; 0: no limit"},
    {"weight-transform", "RULE", CAFE_OPTION_CHOICE, FIELD(weight_transform), CAFE_TRANSFORM_NONE,
     0, 3, "none|log|sqrt|inverse",
     "replace the weight w of the edges that stay: log is ln(1 + w), sqrt the square root, inverse "
     "1 / w, for distances"},
    {"top-edges", "K", CAFE_OPTION_INTEGER, FIELD(top_edges), 0, 0, CAFE_MOST_NODES, NULL,
     "keep an edge if it is among the K heaviest of one of its ends (of equal ones that to the "
     "first neighbour); 0 keeps all"},
    {"signed", NULL, CAFE_OPTION_SWITCH, FIELD(with_signs), 0, 0, 1, NULL,
     "edge lists: weights may be negative; edges of negative weight keep nodes apart (embed and "
     "cluster)"},
    {"layer", "COLUMN", CAFE_OPTION_TEXT, FIELD(layer), 0, 0, 0, NULL,
     "edge lists: the column that names the layer (kind) of an edge; each layer has its own null "
     "model (embed and cluster)"},
    {"layer-weight", "LIST", CAFE_OPTION_TEXT, FIELD(layer_weight), 0, 0, 0, NULL,
     "weights of the layers: NAME=W,... with a column of layers, 1 for layers that are not named; "
     "W,... for several files, each of which is then a layer"},
    {"time", "COLUMN", CAFE_OPTION_TEXT, FIELD(time), 0, 0, 0, NULL,
     "edge lists: the column with the time of an edge (a number, or a date as 2024-05-31); a node "
     "has a copy NODE@SLICE in each slice of time"},
    {"slices", "N", CAFE_OPTION_INTEGER, FIELD(slices), 0, 0, 256, NULL,
     "slices of equal length; 0: each different time is a slice"},
    {"coupling", "X", CAFE_OPTION_REAL | CAFE_OPTION_TUNE, FIELD(coupling), 1, 0, FLT_MAX, NULL,
     "weight of the edge between a copy and the next one, in mean weights of an edge"}};

CAFE_OPTION_TABLE(graph, "graph", "how a graph is read", graph_options)

cafe_graph *cafe_graph_new(cafe_context *context) {
    cafe_graph *graph = cafe_mem_zero(context, 1, sizeof *graph);
    if (graph) graph->context = context, graph->lazy = &graph->index;
    if (graph) cafe_graph_options_init(&graph->tables);
    return graph;
}

const cafe_graph_options *cafe_graph_tables(const cafe_graph *graph) {
    return &graph->tables;
}

/* Text number i of the options; NULL behind the last. */
static const char **text_of(cafe_graph_options *o, int i) {
    const char **texts[] = {&o->source, &o->target, &o->weight,       &o->delimiter,
                            &o->name,   &o->layer,  &o->layer_weight, &o->time};
    return i < (int)(sizeof texts / sizeof *texts) ? texts[i] : NULL;
}

static void free_tables(cafe_graph *graph) {
    for (int i = 0; text_of(&graph->tables, i); i++)
        cafe_mem_free(graph->context, *text_of(&graph->tables, i));
}

cafe_status cafe_graph_set_tables(cafe_graph *graph, const cafe_graph_options *options) {
    cafe_graph_options own = *options;
    cafe_status status = CAFE_OK;
    own.more = NULL, own.more_count = 0;
    for (int i = 0; text_of(&own, i); i++) {
        const char **text = text_of(&own, i);
        if (*text)
            status = (*text = cafe_mem_text(graph->context, *text)) ? status : CAFE_ERROR_MEMORY;
    }
    free_tables(graph);
    graph->tables = own;
    return status;
}

static void free_reading(cafe_graph *graph) {
    cafe_mem_free_all(graph->context, graph->reading.text, graph->reading.edges,
                      graph->reading.warning);
}

void cafe_graph_free(cafe_graph *graph) {
    if (!graph) return;
    cafe_context *context = graph->context;
    if (graph->owns_rows)
        cafe_mem_free_all(context, graph->offsets, graph->targets, graph->weights);
    if (graph->owns_names) cafe_names_free(context, &graph->names);
    if (graph->owns_order) cafe_mem_free(context, graph->order);
    cafe_mapped_remove(context, &graph->map);
    if (graph->map.start) cafe_os_unmap(graph->map.start, graph->map.bytes);
    if (graph->open) close(graph->file);
    free_reading(graph);
    free_tables(graph);
    cafe_graph_free(graph->negative);
    cafe_mem_free(context, graph->surplus);
    if (graph->digraph) cafe_rows_free(context, graph->digraph);
    cafe_mem_free(context, graph->digraph);
    cafe_joined_free(graph);
    cafe_attributes_free(context, graph->reading.attribute_count, graph->reading.attributes);
    cafe_mem_free_all(context, graph->scaled_copy, graph->file_name, graph->block,
                      atomic_load(&graph->index), graph);
}

int64_t cafe_graph_nodes(const cafe_graph *graph) {
    return graph->n;
}

const cafe_graph *cafe_graph_negative(const cafe_graph *graph) {
    return graph->negative;
}

const cafe_graph_counts *cafe_graph_get_counts(const cafe_graph *graph) {
    return &graph->counts;
}

cafe_status cafe_graph_set_reading(cafe_graph *graph, const cafe_graph_reading *reading) {
    char *text = cafe_mem_text(graph->context, reading->text ? reading->text : "");
    char *edges = cafe_mem_text(graph->context, reading->edges ? reading->edges : "");
    char *warning = cafe_mem_text(graph->context, reading->warning ? reading->warning : "");
    if (!text || !edges || !warning) {
        cafe_mem_free_all(graph->context, text, edges, warning);
        return CAFE_ERROR_MEMORY;
    }
    free_reading(graph);
    const cafe_attribute *attributes = graph->reading.attributes;
    int64_t count = graph->reading.attribute_count;
    graph->reading = *reading;
    graph->reading.attributes = attributes;
    graph->reading.attribute_count = count;
    graph->reading.text = text;
    graph->reading.edges = edges;
    graph->reading.warning = warning;
    return CAFE_OK;
}

const cafe_graph_reading *cafe_graph_get_reading(const cafe_graph *graph) {
    return &graph->reading;
}

void cafe_graph_csr(const cafe_graph *graph, const int64_t **offsets, const int32_t **targets,
                    const float **weights) {
    *offsets = graph->offsets;
    *targets = graph->targets;
    *weights = graph->weights;
}

/* ---- the file -------------------------------------------------------------------------------- */

/* The arrays that the rows were borrowed from. */
static cafe_status arrays_unchanged(cafe_context *context, const cafe_graph *graph) {
    cafe_links rows = {.nodes = graph->n,
                       .count = graph->arcs,
                       .offsets = graph->offsets,
                       .target = graph->targets,
                       .weights = graph->weights};
    bool same;
    CAFE_PASS(cafe_verify_seal(context, &rows, &graph->seal, &same));
    return same ? CAFE_OK
                : cafe_fail(context, CAFE_ERROR_ARGUMENT,
                            "the arrays that the graph shares changed after it was made");
}

cafe_status cafe_graph_unchanged(cafe_context *context, const cafe_graph *graph) {
    if (graph->borrowed) return arrays_unchanged(context, graph);
    if (!graph->open) return CAFE_OK;
    return cafe_stamp_check(context, graph->file_name, graph->file, &graph->stamp);
}
