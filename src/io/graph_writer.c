/* cafe_graph_write, and the text formats.
 *
 * The rows are one list of items: the arcs of row 0, its end, the arcs of row 1, its end, and so
 * on. Blocks of the list are formatted in parallel, so a long row is no bottleneck. Each format
 * defines its text for an arc and for the end of a row.
 */
#include "io/graph_writer.h"

#include <string.h>

#include <cafe-private/inputs.h>
#include <cafe-private/output.h>

#include "base/memory.h"
#include "base/print.h"
#include "graph/graph.h"
#include "io/digits.h"
#include "io/format_registry.h"
#include "io/gzip_write.h"
#include "io/name_format.h"

static const int64_t block_bytes = (int64_t)1 << 20;

typedef enum style { EDGES, ORDERED_EDGES, MTX, METIS, RECORDS } style;

typedef struct writing {
    const cafe_graph *graph;
    style style;
    cafe_record_style records;
    char separator;
    bool weights; /* write them */
    int64_t items, block;
} writing;

/* The row that item i is in: the first whose end is not before i. Row u ends at item
 * offsets[u+1] + u. */
static int64_t row_of(const cafe_graph *g, int64_t i) {
    int64_t low = 0, high = g->n;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (g->offsets[middle + 1] + middle < i)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* As an edge, a loop counts its weight once, where a(u,u) has it twice; in a matrix it is a(u,u).
 */
static float weight_of(const writing *w, int64_t u, int64_t arc) {
    const cafe_graph *g = w->graph;
    float weight = g->weights ? g->weights[arc] : 1;
    bool link = w->style != MTX && w->style != METIS;
    return link && g->targets[arc] == u ? weight / 2 : weight;
}

static char *put_weight(const writing *w, int64_t u, int64_t arc, char *p) {
    if (!w->weights) return p;
    *p++ = w->separator;
    return cafe_put_float(p, weight_of(w, u, arc));
}

static char *put_edge(const writing *w, int64_t u, int64_t v, int64_t arc, char *p) {
    p = cafe_put_id(&w->graph->names, u, p);
    *p++ = w->separator;
    p = cafe_put_id(&w->graph->names, v, p);
    p = put_weight(w, u == v ? u : -1, arc, p);
    *p++ = '\n';
    return p;
}

static char *put_record(const writing *w, int64_t u, int64_t v, int64_t arc, char *p) {
    cafe_record edge = {.source = u, .target = v, .arc = arc, .weighted = w->weights};
    edge.weight = weight_of(w, u == v ? u : -1, arc);
    return cafe_put_record(w->records, &w->graph->names, &edge, p);
}

/* Arc number k of row u. */
static char *put_arc(const writing *w, int64_t u, int64_t k, char *p) {
    const cafe_graph *g = w->graph;
    int64_t first = g->offsets[u], count = g->offsets[u + 1] - first, arc = first + k;
    int64_t v = g->targets[arc];
    switch (w->style) {
        case EDGES: return v >= u ? put_edge(w, u, v, arc, p) : p;
        case ORDERED_EDGES:
            arc = first + count - 1 - k;
            v = g->targets[arc];
            return v <= u ? put_edge(w, v, u, arc, p) : p;
        case MTX:
            if (v > u) return p;
            p = cafe_put_integer(p, u + 1);
            *p++ = ' ';
            p = cafe_put_integer(p, v + 1);
            p = put_weight(w, u, arc, p);
            *p++ = '\n';
            return p;
        case RECORDS: return v >= u ? put_record(w, u, v, arc, p) : p;
        case METIS:
            if (k > 0) *p++ = ' ';
            p = cafe_put_integer(p, v + 1);
            return put_weight(w, u, arc, p);
    }
    return p;
}

static int64_t format_items(const void *argument, int64_t block, char *text) {
    const writing *w = argument;
    const cafe_graph *g = w->graph;
    char *p = text;
    int64_t i = block * w->block, end = i + w->block < w->items ? i + w->block : w->items;
    for (int64_t u = row_of(g, i); i < end; u++) {
        int64_t row_start = g->offsets[u] + u, row_end = g->offsets[u + 1] + u;
        for (; i < end && i < row_end; i++) p = put_arc(w, u, i - row_start, p);
        if (i < end) {
            if (w->style == METIS) *p++ = '\n';
            i++;
        }
    }
    return p - text;
}

static cafe_status write_items(cafe_output *output, writing *w) {
    const cafe_graph *g = w->graph;
    int64_t name = cafe_names_longest(&g->names, g->n);
    int64_t item = 2 * (w->style == RECORDS ? CAFE_XML_GROWTH * name : name) + CAFE_FLOAT_TEXT;
    item += w->style == RECORDS ? 100 : 4; /* tags */
    w->items = g->arcs + g->n;
    w->block = block_bytes / item + 1;
    return cafe_output_blocks(output, (w->items + w->block - 1) / w->block, w->block * item,
                              format_items, w);
}

static cafe_status write_line(cafe_output *output, const char *words, const int64_t *numbers,
                              int count, const char *behind) {
    char line[256], *p = line;
    size_t length = strlen(words);
    memcpy(p, words, length);
    p += length;
    for (int i = 0; i < count; i++) {
        if (i > 0) *p++ = ' ';
        p = cafe_put_integer(p, numbers[i]);
    }
    length = strlen(behind);
    memcpy(p, behind, length);
    return cafe_output_write(output, line, p + length - line);
}

static char separator_of(const char *path) {
    size_t length = strlen(path);
    if (cafe_is_gzip_name(path)) length -= 3;
    if (length > 4 && cafe_same_word(path + length - 4, ".csv", 4)) return ',';
    if (length > 4 && cafe_same_word(path + length - 4, ".tsv", 4)) return '\t';
    return ' ';
}

/* A reader numbers string ids by first appearance. Edges are therefore grouped by their later end,
 * with near earlier ends first, which keeps the order of the nodes if an edge list can express it.
 * Isolated nodes have no line: for indices a comment names the number of nodes, for other names a
 * comment reports the loss. The first line marks the list as Cafe's own, so no name is taken for a
 * heading. */
cafe_status cafe_write_edges(cafe_output *output, const cafe_graph *graph) {
    writing w = {
        .graph = graph, .separator = separator_of(output->path), .weights = graph->weights != NULL};
    w.style = graph->names.kind == CAFE_NAMES_STRING ? ORDERED_EDGES : EDGES;
    w.weights |= graph->counts.self_loops_kept != 0;
    int64_t bare = 0;
    for (int64_t u = 0; u < graph->n; u++) bare += graph->offsets[u] == graph->offsets[u + 1];
    if (graph->names.kind == CAFE_NAMES_INDEX)
        CAFE_PASS(write_line(output, "# cafe: nodes ", &graph->n, 1, "\n"));
    else
        CAFE_PASS(write_line(output, "# cafe: edges\n", NULL, 0, ""));
    if (graph->names.kind != CAFE_NAMES_INDEX && bare > 0)
        CAFE_PASS(write_line(output, "# isolated nodes, not listed: ", &bare, 1, "\n"));
    return write_items(output, &w);
}

/* Names are in a file beside this one: writes its checksum in a comment, which other readers skip.
 */
static cafe_status write_names_digest(cafe_output *output) {
    char line[CAFE_NAMES_COMMENT];
    if (!output->names) return CAFE_OK;
    int length = cafe_print(line, sizeof line, "%s%016llx\n", CAFE_NAMES_MARK,
                            (unsigned long long)output->names->digest);
    return cafe_output_write(output, line, length);
}

cafe_status cafe_write_mtx(cafe_output *output, const cafe_graph *graph) {
    writing w = {.graph = graph, .style = MTX, .separator = ' '};
    w.weights = graph->weights != NULL;
    int64_t sizes[3] = {graph->n, graph->n, graph->counts.edges};
    CAFE_PASS(write_line(output,
                         w.weights ? "%%MatrixMarket matrix coordinate real symmetric\n"
                                   : "%%MatrixMarket matrix coordinate pattern symmetric\n",
                         NULL, 0, ""));
    CAFE_PASS(write_names_digest(output));
    CAFE_PASS(write_line(output, "", sizes, 3, "\n"));
    return write_items(output, &w);
}

cafe_status cafe_write_metis(cafe_output *output, const cafe_graph *graph) {
    writing w = {.graph = graph, .style = METIS, .separator = ' '};
    w.weights = graph->weights != NULL;
    int64_t sizes[2] = {graph->n, graph->counts.edges};
    if (graph->counts.self_loops_kept)
        return cafe_fail(output->context, CAFE_ERROR_ARGUMENT,
                         "%s: METIS files have no self-loops, and the graph has", output->path);
    CAFE_PASS(write_line(output, "", sizes, 2, w.weights ? " 001\n" : "\n"));
    CAFE_PASS(write_names_digest(output));
    return write_items(output, &w);
}

cafe_status cafe_write_record_edges(cafe_output *output, const cafe_graph *graph,
                                    cafe_record_style records) {
    writing w = {.graph = graph, .style = RECORDS, .records = records};
    w.weights = graph->weights != NULL || graph->counts.self_loops_kept != 0;
    return write_items(output, &w);
}

/* Chooses the format, or fails with the formats that can be written. */
static cafe_status settle_format(cafe_context *context, const char *path, cafe_format *format) {
    bool standard = strcmp(path, "-") == 0;
    if (*format == CAFE_FORMAT_AUTO)
        *format = standard ? CAFE_FORMAT_EDGES : cafe_format_of_name(path, true);
    if (*format == CAFE_FORMAT_AUTO || !cafe_graph_format_get(*format)->write)
        return cafe_fail_ending(context, CAFE_FILE_GRAPH, path, "graphs are");
    if (cafe_graph_format_get(*format)->binary && standard)
        return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                         "a binary file is not written to standard output");
    return CAFE_OK;
}

/* Attributes that are given, then those of the graph that have other names. */
static cafe_status gather_attributes(cafe_context *context, const cafe_graph *graph, int64_t *count,
                                     const cafe_attribute *given, cafe_attribute **all) {
    const cafe_graph_reading *r = &graph->reading;
    int64_t all_count = *count;
    *all = cafe_mem(context, *count + r->attribute_count, sizeof **all);
    if (!*all) return CAFE_ERROR_MEMORY;
    if (*count > 0) memcpy(*all, given, (size_t)*count * sizeof *given);
    for (int64_t i = 0; i < r->attribute_count; i++) {
        bool again = false;
        for (int64_t j = 0; j < *count && !again; j++)
            again = strcmp(given[j].name, r->attributes[i].name) == 0;
        if (!again) (*all)[all_count++] = r->attributes[i];
    }
    *count = all_count;
    return CAFE_OK;
}

/* Only .cafe and formats with records of nodes can hold attributes. */
static cafe_status take_attributes(cafe_context *context, const cafe_graph *graph, const char *path,
                                   cafe_format format, int64_t *count, const cafe_attribute *given,
                                   cafe_attribute **all) {
    if (cafe_graph_format_get(format)->attributes || format == CAFE_FORMAT_CAFE)
        return gather_attributes(context, graph, count, given, all);
    if (*count == 0) return CAFE_OK;
    return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                     "%s: attributes of nodes are written as .cafe, .graphml, .gml, .gexf or .json",
                     path);
}

cafe_status cafe_graph_write_attributes(cafe_context *context, const cafe_graph *graph,
                                        int64_t count, const cafe_attribute *attributes,
                                        const char *path, cafe_format format, int32_t overwrite) {
    cafe_output *output = NULL, *names = NULL;
    cafe_attribute *all = NULL;
    cafe_status status = CAFE_OK;
    CAFE_PASS(cafe_outputs_begin(context));
    cafe_phase(context, "write", 0);
    CAFE_TRY(settle_format(context, path, &format));
    CAFE_TRY(take_attributes(context, graph, path, format, &count, attributes, &all));
    const cafe_graph_format *found = cafe_graph_format_get(format);
    status = cafe_output_create(context, path, overwrite, &output);
    CAFE_TRY(graph->common ? cafe_team_agree(context, status) : status);
    bool beside = cafe_file_format_at(CAFE_FILE_GRAPH, format - 1)->beside && output->temporary;
    if (beside)
        CAFE_TRY(cafe_names_write(context, &graph->names, graph->n, path, overwrite, &names));
    output->names = names && names->temporary ? names : NULL;
    output->attributes = all;
    output->attribute_count = count;
    /* of a graph that all processes have, the first one writes the text */
    if (!graph->common || cafe_team_rank(context) == 0 || format == CAFE_FORMAT_CAFE)
        CAFE_TRY(found->write(output, graph));
    if (names) CAFE_TRY(cafe_output_commit(&names));
    status = cafe_output_commit(&output);
done:
    cafe_output_discard(names);
    cafe_output_discard(output);
    cafe_mem_free(context, all);
    status = cafe_outputs_end(context, status);
    cafe_phase(context, "", 0);
    return status;
}

cafe_status cafe_graph_write(cafe_context *context, const cafe_graph *graph, const char *path,
                             cafe_format format, int32_t overwrite) {
    return cafe_graph_write_attributes(context, graph, 0, NULL, path, format, overwrite);
}
