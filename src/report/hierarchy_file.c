/* The hierarchy of communities as a file: a tree in JSON, a table, or a dendrogram. */
#include <inttypes.h>
#include <string.h>

#include <cafe-private/inputs.h>
#include <cafe-private/writers.h>

#include "base/memory.h"
#include "base/print.h"
#include "io/output_file.h"
#include "report/report.h"

enum {
    BUFFER = 1 << 16, /* bytes that are written at once */
    LABEL = 64        /* the most bytes of levels and communities beside a name */
};

/* ---- the tree -------------------------------------------------------------------------------- */

/* Names of the nodes (unless they are 0 .. n-1), the finest partition, and for every layer but the
 * last the parents of its communities: all other partitions follow. */
static void put_tree(cafe_report *report, const cafe_layers *layers, const cafe_graph *graph) {
    const cafe_layer *finest = cafe_layers_get(layers, 0);
    cafe_report_open(report, NULL, '{');
    cafe_report_string(report, "schema", "cafe/hierarchy/1");
    cafe_report_integer(report, "nodes", cafe_graph_nodes(graph));
    if (!cafe_graph_names_are_indices(graph)) {
        cafe_report_open(report, "names", '[');
        for (int64_t u = 0, n = cafe_graph_nodes(graph); u < n; u++)
            cafe_report_node(report, NULL, graph, u);
        cafe_report_close(report);
    }
    cafe_report_integers(report, "finest", cafe_graph_nodes(graph), finest->partition);
    cafe_report_tree(report, layers, true);
}

/* ---- text in pieces -------------------------------------------------------------------------- */

typedef struct writing {
    cafe_report text; /* not yet in the file */
    cafe_output *output;
    const cafe_layers *layers;
    const cafe_graph *graph;
    char separator; /* of a table */
} writing;

static cafe_status flush(writing *w, int64_t least) {
    CAFE_PASS(w->text.status);
    if (w->text.size < least) return CAFE_OK;
    CAFE_PASS(cafe_check_cancel(w->text.context));
    CAFE_PASS(cafe_output_write(w->output, w->text.text, w->text.size));
    w->text.size = 0;
    return CAFE_OK;
}

static void put(writing *w, const char *word) {
    cafe_report_put(&w->text, word, (int64_t)strlen(word));
}

static int32_t community_of(const writing *w, int64_t level, int64_t u) {
    return cafe_layers_get(w->layers, level)->partition[u];
}

/* ---- the table ------------------------------------------------------------------------------- */

static void put_field(writing *w, int64_t u) {
    int64_t length = (int64_t)cafe_graph_field(w->graph, u, &(char){0}, 1);
    char *room = cafe_report_room(&w->text, length + 1);
    if (!room) return;
    cafe_graph_field(w->graph, u, room, (size_t)length + 1);
    w->text.size += length;
}

/* One line: node, level, community, and that of the next level; at the top none. */
static void put_line(writing *w, int64_t level, int64_t u) {
    char numbers[LABEL];
    int64_t levels = cafe_layers_count(w->layers);
    put_field(w, u);
    cafe_print(numbers, sizeof numbers, "%c%" PRId64 "%c%" PRId32 "%c", w->separator, level + 1,
               w->separator, community_of(w, level, u), w->separator);
    put(w, numbers);
    if (level + 1 < levels) {
        cafe_print(numbers, sizeof numbers, "%" PRId32, community_of(w, level + 1, u));
        put(w, numbers);
    }
    put(w, "\n");
}

static cafe_status write_table(writing *w) {
    put(w,
        w->separator == ',' ? "node,level,community,parent\n" : "node\tlevel\tcommunity\tparent\n");
    for (int64_t level = 0; level < cafe_layers_count(w->layers); level++)
        for (int64_t u = 0; u < cafe_graph_nodes(w->graph); u++) {
            put_line(w, level, u);
            CAFE_PASS(flush(w, BUFFER));
        }
    return flush(w, 0);
}

/* ---- the dendrogram -------------------------------------------------------------------------- */

/* order[n] <- nodes by their communities of the coarsest level, then of the next one, and so on: a
 * stable counting sort per level, the finest first. */
static cafe_status order_nodes(cafe_context *context, const cafe_layers *layers, int64_t n,
                               int32_t *order) {
    int64_t most = cafe_layers_get(layers, 0)->communities + 1; /* coarser levels have fewer */
    int64_t *place = cafe_mem(context, most, sizeof *place);
    int32_t *next = cafe_mem(context, n, sizeof *next);
    cafe_status status = cafe_mem_had(place, next);
    for (int64_t u = 0; status == CAFE_OK && u < n; u++) order[u] = (int32_t)u;
    for (int64_t level = 0; status == CAFE_OK && level < cafe_layers_count(layers); level++) {
        const int32_t *part = cafe_layers_get(layers, level)->partition;
        memset(place, 0, (size_t)most * sizeof *place);
        for (int64_t u = 0; u < n; u++) place[part[u] + 1]++;
        for (int64_t c = 1; c < most; c++) place[c] += place[c - 1];
        for (int64_t i = 0; i < n; i++) next[place[part[order[i]]]++] = order[i];
        memcpy(order, next, (size_t)n * sizeof *order);
    }
    cafe_mem_free_all(context, place, next);
    return status;
}

/* A name in single quotes, those inside doubled. */
static void put_quoted(writing *w, int64_t u) {
    int64_t length = (int64_t)cafe_graph_name(w->graph, u, &(char){0}, 1);
    char *room = cafe_report_room(&w->text, 3 * length + 3);
    if (!room) return;
    char *name = room + 2 * length + 2, *at = room;
    cafe_graph_name(w->graph, u, name, (size_t)length + 1);
    *at++ = '\'';
    for (int64_t i = 0; i < length; i++) {
        if (name[i] == '\'') *at++ = '\'';
        *at++ = name[i];
    }
    *at++ = '\'';
    w->text.size += at - room;
}

/* Closes the communities of node u below `level`, the finest first. */
static void close_below(writing *w, int64_t level, int64_t u) {
    char label[LABEL];
    for (int64_t i = 0; i < level; i++) {
        cafe_print(label, sizeof label, ")'%" PRId64 ":%" PRId32 "'", i + 1, community_of(w, i, u));
        put(w, label);
    }
}

static void open_below(writing *w, int64_t level) {
    for (int64_t i = 0; i < level; i++) put(w, "(");
}

/* Levels below the first one, from the finest up, at which both nodes are together. */
static int64_t levels_apart(const writing *w, int64_t u, int64_t v) {
    int64_t level = 0, levels = cafe_layers_count(w->layers);
    while (level < levels && community_of(w, level, u) != community_of(w, level, v)) level++;
    return level;
}

/* Newick: ((node,node)'1:0',(node)'1:1')'2:0' and so on; a community is called 'LEVEL:NUMBER'. */
static cafe_status write_dendrogram(writing *w) {
    int64_t n = cafe_graph_nodes(w->graph), levels = cafe_layers_count(w->layers);
    int32_t *order = cafe_mem(w->text.context, n, sizeof *order);
    cafe_status status = cafe_mem_had(order);
    if (status == CAFE_OK) status = order_nodes(w->text.context, w->layers, n, order);
    put(w, "(");
    open_below(w, levels);
    for (int64_t i = 0; status == CAFE_OK && i < n; i++) {
        int64_t apart = i > 0 ? levels_apart(w, order[i - 1], order[i]) : 0;
        if (i > 0) close_below(w, apart, order[i - 1]);
        if (i > 0) put(w, ",");
        open_below(w, apart);
        put_quoted(w, order[i]);
        status = flush(w, BUFFER);
    }
    if (status == CAFE_OK) close_below(w, levels, order[n - 1]);
    put(w, ");\n");
    cafe_mem_free(w->text.context, order);
    return status == CAFE_OK ? flush(w, 0) : status;
}

/* ---- the file -------------------------------------------------------------------------------- */

static bool ends(const char *path, const char *ending) {
    size_t length = strlen(path), own = strlen(ending);
    return length > own && cafe_same_word(path + length - own, ending, own);
}

static cafe_status write_tree(cafe_context *context, const cafe_layers *layers,
                              const cafe_graph *graph, const char *path, int32_t overwrite) {
    cafe_report report = {.context = context};
    put_tree(&report, layers, graph);
    cafe_status status = cafe_report_write(&report, path, overwrite);
    cafe_mem_free(context, report.text);
    return status;
}

cafe_status cafe_layers_write(cafe_context *context, const cafe_layers *layers,
                              const cafe_graph *graph, const char *path, int32_t overwrite) {
    cafe_status status = CAFE_OK;
    bool commas = ends(path, ".csv"), table = commas || ends(path, ".tsv");
    writing w = {.text = {.context = context},
                 .layers = layers,
                 .graph = graph,
                 .separator = commas ? ',' : '\t'};
    if (!table && !ends(path, ".nwk")) return write_tree(context, layers, graph, path, overwrite);
    CAFE_TRY(cafe_output_create(context, path, overwrite, &w.output));
    CAFE_TRY(table ? write_table(&w) : write_dendrogram(&w));
    CAFE_TRY(cafe_output_commit(&w.output));
done:
    cafe_output_discard(w.output);
    cafe_mem_free(context, w.text.text);
    return status;
}
