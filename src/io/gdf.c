/* GDF, of GUESS and Gephi: "nodedef>name VARCHAR,label VARCHAR" and a line per node, then
 * "edgedef>node1 VARCHAR,node2 VARCHAR,weight DOUBLE" and a line per edge. Fields stand between
 * commas, in single or double quotes if they have commas themselves.
 */
#include <string.h>

#include "base/memory.h"
#include "base/print.h"
#include "io/format_registry.h"
#include "io/record_lines.h"
#include "io/scanners.h"

enum { COLUMNS = 256, LONGEST = 1 << 17 };

typedef struct gdf {
    cafe_record_lines of;
    char *names; /* of the columns of the section at hand, each ended by 0 */
    int64_t room, column[COLUMNS], columns;
    int source, target, weight, directed; /* columns of edges; -1: none */
    enum { BEFORE, NODES, EDGES } section;
    char *field; /* [LONGEST] */
    char *ends[2], *value;
    int64_t end_rooms[2], value_room;
} gdf;

/* ---- fields ---------------------------------------------------------------------------------- */

/* Reads the next field, without blanks around it, into g->field, and its comma; *more: one was
 * there. */
static cafe_status take_field(gdf *g, bool *more) {
    const uint8_t *p = cafe_skip_blanks(g->of.line.at), *begin = p;
    uint8_t quote = *p == '"' || *p == '\'' ? *p : 0;
    int64_t length = 0;
    g->of.line.at = p;
    for (p += quote != 0; quote ? *p != quote : *p != ',' && !cafe_is_line_end(*p); p++) {
        if (quote && *p == '\n') return cafe_line_fail(&g->of, "a closing quote on the same line");
        if (quote && *p == '\\' && (p[1] == quote || p[1] == '\\')) p++;
        if (length + 1 == LONGEST) return cafe_line_fail(&g->of, "a field of at most 131071 bytes");
        g->field[length++] = (char)*p;
    }
    while (!quote && length > 0 && cafe_is_blank((uint8_t)g->field[length - 1])) length--;
    g->field[length] = 0;
    if (memchr(g->field, 0, (size_t)length)) return cafe_line_fail(&g->of, "text without a byte 0");
    p = cafe_skip_blanks(p + (quote != 0));
    *more = p > begin || *p == ',';
    if (*p != ',' && !cafe_is_line_end(*p)) {
        g->of.line.at = p;
        return cafe_line_fail(&g->of, "a comma behind the quote");
    }
    g->of.line.at = *p == ',' ? p + 1 : p;
    return CAFE_OK;
}

static cafe_status keep(gdf *g, char **to, int64_t *room) {
    size_t bytes = strlen(g->field) + 1;
    CAFE_PASS(cafe_mem_grow(g->of.marked.context, to, room, (int64_t)bytes, 1));
    memcpy(*to, g->field, bytes);
    return CAFE_OK;
}

/* ---- sections -------------------------------------------------------------------------------- */

/* "name VARCHAR(10) default 'x'": the first word names the column. */
static cafe_status add_column(gdf *g, int64_t *used) {
    size_t length = strcspn(g->field, " \t");
    if (g->columns == COLUMNS) return cafe_line_fail(&g->of, "at most 256 columns");
    CAFE_PASS(
        cafe_mem_grow(g->of.marked.context, &g->names, &g->room, *used + (int64_t)length + 1, 1));
    memcpy(g->names + *used, g->field, length);
    g->names[*used + (int64_t)length] = 0;
    g->column[g->columns++] = *used;
    *used += (int64_t)length + 1;
    return CAFE_OK;
}

static const char *name_of(const gdf *g, int64_t column) {
    return g->names + g->column[column];
}

static void find_ends(gdf *g) {
    g->source = g->target = g->weight = g->directed = -1;
    for (int c = 0; c < (int)g->columns; c++) {
        const char *name = name_of(g, c);
        if (cafe_is_word(name, "node1") || cafe_is_word(name, "source"))
            g->source = c;
        else if (cafe_is_word(name, "node2") || cafe_is_word(name, "target"))
            g->target = c;
        else if (cafe_is_word(name, "directed"))
            g->directed = c;
        else if (cafe_marked_is_weight(&g->of.marked, name))
            g->weight = c;
    }
}

/* The columns behind "nodedef>" or "edgedef>". */
static cafe_status begin_section(gdf *g, bool nodes) {
    int64_t used = 0;
    const uint8_t *begin = g->of.line.begin;
    bool more = true;
    if (nodes ? g->section != BEFORE : g->section != NODES)
        return cafe_line_fail(&g->of, "nodes first, then edges, each once");
    g->section = nodes ? NODES : EDGES;
    g->of.line.at = begin + strlen("nodedef>");
    for (g->columns = 0; !cafe_is_line_end(*cafe_skip_blanks(g->of.line.at));) {
        CAFE_PASS(take_field(g, &more));
        CAFE_PASS(add_column(g, &used));
    }
    if (!nodes) find_ends(g);
    g->of.line.at = begin;
    if (g->columns == 0) return cafe_line_fail(&g->of, "columns behind the '>'");
    if (!nodes && (g->source < 0 || g->target < 0))
        return cafe_line_fail(&g->of, "the columns node1 and node2");
    return CAFE_OK;
}

/* The first column is the id. */
static cafe_status take_node(gdf *g) {
    bool more;
    CAFE_PASS(take_field(g, &more));
    CAFE_PASS(cafe_marked_node(&g->of.marked, g->field));
    for (int64_t c = 1; c < g->columns; c++) {
        CAFE_PASS(take_field(g, &more));
        if (!more) return CAFE_OK; /* values at the end may be missing */
        CAFE_PASS(cafe_marked_value(&g->of.marked, name_of(g, c), g->field));
    }
    return cafe_is_line_end(*g->of.line.at) ? CAFE_OK
                                            : cafe_line_fail(&g->of, "no more fields than columns");
}

static cafe_status take_edge(gdf *g) {
    bool more = true, directed = false, weighted = false, ends[2] = {false, false};
    for (int c = 0; c < (int)g->columns && more; c++) {
        CAFE_PASS(take_field(g, &more));
        int end = c == g->source ? 0 : c == g->target ? 1 : -1;
        if (end >= 0) CAFE_PASS(keep(g, &g->ends[end], &g->end_rooms[end]));
        if (end >= 0) ends[end] = g->field[0] != 0;
        if (c == g->directed)
            directed = cafe_is_word(g->field, "true") || cafe_is_word(g->field, "1");
        if (c != g->weight || !g->field[0]) continue;
        weighted = true;
        CAFE_PASS(keep(g, &g->value, &g->value_room));
    }
    if (!cafe_is_line_end(*g->of.line.at))
        return cafe_line_fail(&g->of, "no more fields than columns");
    g->of.line.at = g->of.line.begin;
    if (!ends[0] || !ends[1]) return cafe_line_fail(&g->of, "two nodes");
    return cafe_marked_edge(&g->of.marked, g->ends[0], g->ends[1], weighted ? g->value : NULL,
                            directed);
}

static cafe_status take_line(cafe_record_lines *lines) {
    gdf *g = (gdf *)lines;
    const char *text = (const char *)lines->line.begin;
    lines->line.at = lines->line.begin;
    if (cafe_line_ended(lines) || *lines->line.at == '#') return CAFE_OK;
    if (cafe_same_word(text, "nodedef>", 8)) return begin_section(g, true);
    if (cafe_same_word(text, "edgedef>", 8)) return begin_section(g, false);
    if (g->section == BEFORE) return cafe_line_fail(&g->of, "'nodedef>'");
    return g->section == NODES ? take_node(g) : take_edge(g);
}

/* ---- the file -------------------------------------------------------------------------------- */

static cafe_status read_gdf(cafe_input *input, const cafe_graph_options *options,
                            cafe_graph **graph) {
    cafe_context *context = input->context;
    gdf g = {.field = cafe_mem(context, LONGEST, 1)};
    if (!g.field) return CAFE_ERROR_MEMORY;
    cafe_record_lines_init(input, CAFE_FORMAT_GDF, options, &g.of);
    g.of.marked.missing = 1; /* as Gephi reads it */
    cafe_status status = cafe_record_lines_read(input, take_line, &g.of, graph);
    cafe_mem_free_all(context, g.names, g.field, g.ends[0], g.ends[1], g.value);
    return status;
}

const cafe_graph_format cafe_graph_format_gdf = {
    .magic = "nodedef>", .read = read_gdf, .directed = true, .attributes = true};
