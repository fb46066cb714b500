/* Files of changes and of new nodes' edges: tables of edges, as the reader of graphs reads them.
 *
 * An edge is added, or removed where a column or the sign - in front says it: "+ u v [w]", "- u v",
 * "u v [w]". A first cell that is exactly + or - is a sign; quotes distinguish a node of that name.
 * One thread reads the lines, because changes are a small part of their graph.
 */
#include <inttypes.h>
#include <string.h>

#include "base/memory.h"
#include "base/print.h"
#include "io/integer_lines.h"
#include "io/label_set.h"
#include "update/update.h"

enum { LONGEST_INTEGER = 38, LONGEST_TITLE = 1024 };

typedef struct reading {
    cafe_context *context;
    cafe_newcomers *names;
    cafe_link_lines *lines;
    cafe_rows rows;
    cafe_table_layout layout;
} reading;

/* Among integer names 007 is 7: written the one way, so that a newcomer has one name. */
static void settle_integer(reading *r) {
    char text[LONGEST_INTEGER + CAFE_TEXT_PADDING];
    const uint8_t *at = (const uint8_t *)text;
    int64_t value;
    cafe_rows *rows = &r->rows;
    if (cafe_graph_node_names(r->names->graph)->kind == CAFE_NAMES_STRING ||
        rows->length > LONGEST_INTEGER)
        return;
    memset(text, '\n', sizeof text); /* for the scanner, which stops at it */
    memcpy(text, rows->field, (size_t)rows->length);
    if (cafe_scan_integer(&at, &value) == CAFE_SCAN_OK && at == (uint8_t *)text + rows->length)
        rows->length = cafe_print(rows->field, LONGEST_INTEGER, "%" PRId64, value);
}

/* The node of the field just read; -1: unknown. */
static int64_t known(const reading *r) {
    int64_t node = cafe_graph_find(r->names->graph, r->rows.field);
    if (node >= 0) return node;
    int64_t newcomer = cafe_dictionary_find(&r->names->names, r->rows.field, r->rows.length);
    return newcomer >= 0 ? cafe_graph_nodes(r->names->graph) + newcomer : -1;
}

static cafe_status add_newcomer(reading *r, int64_t *node) {
    int64_t newcomer = 0;
    cafe_status status =
        cafe_dictionary_add(&r->names->names, r->rows.field, r->rows.length, &newcomer);
    *node = cafe_graph_nodes(r->names->graph) + newcomer;
    if (status == CAFE_OK && *node >= CAFE_MOST_NODES)
        status = cafe_fail(r->context, CAFE_ERROR_LIMIT, "more than %d nodes", CAFE_MOST_NODES);
    return status;
}

/* ---- edges ----------------------------------------------------------------------------------- */

/* The weight of the line; 1 if it has none. */
static cafe_status take_weight(reading *r, float *weight) {
    cafe_rows *rows = &r->rows;
    int32_t column = r->layout.weight;
    *weight = 1;
    if (column < 0 || column >= rows->count) return CAFE_OK;
    CAFE_PASS(cafe_rows_cell(rows, column, "a weight"));
    if (cafe_rows_missing(rows)) return CAFE_OK;
    cafe_trouble trouble = cafe_field_weight(&rows->cells[column], r->layout.decimal, weight);
    r->lines->weighted = true;
    return trouble == CAFE_FINE ? CAFE_OK : cafe_fail_trouble(r->context, &rows->line, trouble);
}

/* No line has more cells than the first ones, and one that removes by a sign has no weight. */
static cafe_status check_cells(reading *r, bool gone) {
    cafe_rows *rows = &r->rows;
    bool bare = gone && rows->sign != 0;
    int64_t most = bare ? 2 : r->layout.columns;
    if (rows->count <= most) return CAFE_OK;
    rows->line.at = rows->cells[most].begin;
    return cafe_fail_at(r->context, &rows->line,
                        bare ? "the end of the line (a removed edge has no weight)"
                             : "no more columns than in the first lines");
}

static cafe_status take_node(reading *r, int32_t column, const char *what, int64_t *node) {
    CAFE_PASS(cafe_rows_cell(&r->rows, column, what));
    if (r->rows.length == 0) return cafe_fail_at(r->context, &r->rows.line, "%s", what);
    settle_integer(r);
    *node = known(r);
    return CAFE_OK;
}

static cafe_status take_changed(reading *r) {
    static const char *const what[] = {"a node id", "a second node id"};
    const int32_t columns[] = {r->layout.source, r->layout.target};
    cafe_link_line line = {.line = r->rows.line.line, .weight = -1};
    int64_t node[2];
    bool gone;
    line.column = cafe_skip_blanks(r->rows.line.begin) - r->rows.line.begin + 1;
    CAFE_PASS(cafe_table_change(&r->rows, &r->layout, &gone));
    for (int i = 0; i < 2; i++) {
        CAFE_PASS(take_node(r, columns[i], what[i], &node[i]));
        if (node[i] >= 0) continue;
        if (gone) return cafe_fail_at(r->context, &r->rows.line, "a node of the graph");
        CAFE_PASS(add_newcomer(r, &node[i]));
    }
    if (!gone) CAFE_PASS(take_weight(r, &line.weight));
    CAFE_PASS(check_cells(r, gone));
    line.u = (int32_t)node[0], line.v = (int32_t)node[1];
    return cafe_link_add(r->lines, line);
}

/* An edge of a new node. */
static cafe_status take_placed(reading *r) {
    cafe_rows *rows = &r->rows;
    cafe_link_line line = {.line = rows->line.line};
    int64_t node, other;
    line.column = cafe_skip_blanks(rows->line.begin) - rows->line.begin + 1;
    CAFE_PASS(take_node(r, r->layout.source, "a new node's id", &node));
    if (!rows->quoted && (strcmp(rows->field, "+") == 0 || strcmp(rows->field, "-") == 0))
        return cafe_fail_at(r->context, &rows->line, "a new node's id (signs are for cafe update)");
    if (node >= 0 && node < cafe_graph_nodes(r->names->graph))
        return cafe_fail_at(r->context, &rows->line, "a new node (this one is in the graph)");
    CAFE_PASS(add_newcomer(r, &node));
    CAFE_PASS(take_node(r, r->layout.target, "a node of the graph", &other));
    if (other < 0 || other >= cafe_graph_nodes(r->names->graph))
        return cafe_fail_at(r->context, &rows->line, "a node of the graph");
    CAFE_PASS(take_weight(r, &line.weight));
    CAFE_PASS(check_cells(r, false));
    line.u = (int32_t)node, line.v = (int32_t)other;
    return cafe_link_add(r->lines, line);
}

/* ---- labels ---------------------------------------------------------------------------------- */

/* The other cells of a table of nodes are attributes of the node; numbers get their point. */
static cafe_status take_attributes(reading *r, int64_t node) {
    const cafe_table_layout *l = &r->layout;
    cafe_rows *rows = &r->rows;
    for (int32_t i = 0; i < l->values; i++) {
        char name[LONGEST_TITLE];
        const cafe_field *head = &l->head[l->value[i]];
        if (head->end - head->begin >= LONGEST_TITLE || head->end == head->begin) continue;
        name[cafe_field_copy(head, (uint8_t *)name)] = 0;
        CAFE_PASS(cafe_rows_cell(rows, l->value[i], "an attribute"));
        if (cafe_rows_missing(rows)) continue;
        char *comma = l->decimal == ',' ? strchr(rows->field, ',') : NULL;
        if (comma && strspn(rows->field, "-0123456789,") == (size_t)rows->length) *comma = '.';
        CAFE_PASS(cafe_columns_put(r->names->attributes, name, node, rows->field));
    }
    return CAFE_OK;
}

static bool is_integer(const char *name) {
    const char *digits = name + (*name == '-');
    return *digits && digits[strspn(digits, "0123456789")] == 0;
}

/* A line of a label file: only its node counts. Among integers a word is no node but a mistake,
 * which the reader of the labels reports. */
static cafe_status take_labelled(reading *r) {
    int64_t node = -1;
    cafe_status status = cafe_table_node(&r->rows, &r->layout);
    if (status == CAFE_OK) settle_integer(r);
    bool fits = cafe_graph_node_names(r->names->graph)->kind == CAFE_NAMES_STRING ||
                is_integer(r->rows.field);
    if (status == CAFE_OK && !fits && r->names->columns && r->names->columns->nodes)
        return cafe_fail_at(r->context, &r->rows.line, "an integer, as the names of the graph are");
    if (status == CAFE_OK && fits) node = known(r);
    if (status == CAFE_OK && fits && node < 0) status = add_newcomer(r, &node);
    return status == CAFE_OK && fits && r->names->attributes ? take_attributes(r, node) : status;
}

/* ---- files ----------------------------------------------------------------------------------- */

/* The layout of a table of nodes. Most of them may be new to the graph, which then says nothing. */
static cafe_status find_nodes(reading *r, cafe_table_request request) {
    cafe_status status = cafe_table_layout_find(&r->rows.input, &request, &r->layout);
    if (status == CAFE_OK && r->layout.known > 0) return status;
    if (status != CAFE_OK && status != CAFE_ERROR_FORMAT) return status;
    r->context->error[0] = 0;
    cafe_table_layout_free(&r->layout);
    request.graph = NULL;
    return cafe_table_layout_find(&r->rows.input, &request, &r->layout);
}

static cafe_status find_layout(reading *r, cafe_lines_kind kind) {
    const cafe_label_columns *columns = r->names->columns;
    const cafe_graph *graph = r->names->graph;
    const cafe_graph_options *tables = cafe_graph_tables(graph);
    cafe_table_request request = {
        .graph = graph, .edges = tables, .changes = kind == CAFE_LINES_CHANGES};
    if (kind == CAFE_LINES_LABELS) request = cafe_labels_request(graph, columns, false);
    if (kind == CAFE_LINES_LABELS && columns && columns->nodes)
        return find_nodes(r, (cafe_table_request){.graph = graph,
                                                  .manner = tables,
                                                  .id = columns->id,
                                                  .option = "attribute",
                                                  .skips = true});
    return cafe_table_layout_find(&r->rows.input, &request, &r->layout);
}

static cafe_status take_line(reading *r, cafe_lines_kind kind) {
    if (kind == CAFE_LINES_LABELS) return take_labelled(r);
    return kind == CAFE_LINES_PLACED ? take_placed(r) : take_changed(r);
}

static cafe_status read_lines(reading *r, cafe_lines_kind kind, const char *path) {
    bool more = false;
    CAFE_PASS(cafe_rows_open(r->context, path, &r->rows));
    CAFE_PASS(find_layout(r, kind));
    CAFE_PASS(cafe_table_first(&r->rows, &r->layout, &more));
    while (more) {
        CAFE_PASS(take_line(r, kind));
        CAFE_PASS(cafe_table_next(&r->rows, &r->layout, &more));
    }
    if (r->lines || r->names->attributes)
        cafe_note_table(r->context, r->rows.input.name, r->layout.text);
    cafe_print(r->names->reading, sizeof r->names->reading, "%s", r->layout.text);
    if (r->lines) cafe_print(r->lines->reading, sizeof r->lines->reading, "%s", r->layout.text);
    return CAFE_OK;
}

cafe_status cafe_newcomers_read(cafe_newcomers *names, cafe_lines_kind kind, const char *path,
                                cafe_link_lines *lines) {
    cafe_context *context = names->names.context;
    reading *r = cafe_mem_zero(context, 1, sizeof *r);
    CAFE_PASS(cafe_mem_had(r));
    *r = (reading){.context = context, .names = names, .lines = lines};
    cafe_phase(context, "changes", 0);
    cafe_status status = read_lines(r, kind, path);
    cafe_table_layout_free(&r->layout);
    if (r->rows.context) cafe_rows_close(&r->rows);
    cafe_mem_free(context, r);
    return status;
}
