/* Files of changes and of new nodes' edges, line by line: "+ u v [w]", "- u v", "u v [w]".
 *
 * Or a table with a heading: the columns of both nodes, of the weight, and one with added or
 * removed. A first field that is exactly + or - is a sign; quotes distinguish a node of that name.
 * One thread reads the lines, because changes are a small part of their graph.
 */
#include <float.h>
#include <inttypes.h>
#include <string.h>

#include "base/memory.h"
#include "base/print.h"
#include "io/field.h"
#include "io/field_lines.h"
#include "io/heading.h"
#include "io/label_set.h"
#include "io/scanners.h"
#include "io/text_position.h"
#include "update/update.h"

enum { LONGEST_INTEGER = 38 };

typedef struct reading {
    cafe_context *context;
    cafe_newcomers *names;
    cafe_link_lines *lines;
    cafe_rows rows;
    int32_t column[2], weight, change; /* of a table with a heading; -1: none */
    bool table;
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

static cafe_status take_field(reading *r, const char *what) {
    cafe_status status = cafe_rows_field(&r->rows, what);
    if (status == CAFE_OK) settle_integer(r);
    return status;
}

/* The sign in front: '+', '-', or '+' when there is none. */
static char take_sign(cafe_place *line) {
    const uint8_t *p = line->at;
    if ((*p != '+' && *p != '-') || !cafe_is_field_end(p[1])) return '+';
    line->at = cafe_skip_separator(p + 1);
    return (char)*p;
}

/* Takes the weight after the names, 1 without one. */
static cafe_status take_weight(reading *r, float *weight) {
    cafe_place *line = &r->rows.line;
    const uint8_t *at = cafe_skip_separator(line->at);
    *weight = 1;
    if (cafe_is_line_end(*at)) return CAFE_OK;
    line->at = at;
    cafe_trouble trouble = cafe_take_weight(&at, weight);
    if (trouble != CAFE_FINE) return cafe_fail_trouble(r->context, line, trouble);
    line->at = cafe_skip_separator(at);
    r->lines->weighted = true;
    if (!cafe_is_line_end(*line->at))
        return cafe_fail_at(r->context, line, "the end of the line behind the weight");
    return CAFE_OK;
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

static cafe_status take_changed(reading *r) {
    cafe_place *line = &r->rows.line;
    static const char *const what[] = {"a node id", "a second node id"};
    int64_t node[2], column = line->at - line->begin + 1;
    float weight = -1;
    char sign = take_sign(line);
    for (int i = 0; i < 2; i++) {
        cafe_place begin = *line;
        CAFE_PASS(take_field(r, what[i]));
        node[i] = known(r);
        if (node[i] >= 0) continue;
        if (sign == '-') return cafe_fail_at(r->context, &begin, "a node of the graph");
        CAFE_PASS(add_newcomer(r, &node[i]));
    }
    if (sign == '+') CAFE_PASS(take_weight(r, &weight));
    if (sign == '-' && !cafe_is_line_end(*cafe_skip_blanks(line->at)))
        return cafe_fail_at(r->context, line, "the end of the line (a removed edge has no weight)");
    return cafe_link_add(
        r->lines, (cafe_link_line){(int32_t)node[0], (int32_t)node[1], weight, line->line, column});
}

static cafe_status take_placed(reading *r) {
    cafe_place *line = &r->rows.line;
    int64_t node = -1, column = line->at - line->begin + 1;
    float weight = 1;
    cafe_place begin = *line;
    CAFE_PASS(take_field(r, "a new node's id"));
    if (!r->rows.quoted && (strcmp(r->rows.field, "+") == 0 || strcmp(r->rows.field, "-") == 0))
        return cafe_fail_at(r->context, &begin, "a new node's id (signs are for cafe update)");
    if (cafe_graph_find(r->names->graph, r->rows.field) >= 0)
        return cafe_fail_at(r->context, &begin, "a new node (this one is in the graph)");
    CAFE_PASS(add_newcomer(r, &node));
    begin = *line;
    CAFE_PASS(take_field(r, "a node of the graph"));
    int64_t other = cafe_graph_find(r->names->graph, r->rows.field);
    if (other < 0) return cafe_fail_at(r->context, &begin, "a node of the graph");
    CAFE_PASS(take_weight(r, &weight));
    return cafe_link_add(
        r->lines, (cafe_link_line){(int32_t)node, (int32_t)other, weight, line->line, column});
}

static bool is_integer(const char *name) {
    const char *digits = name + (*name == '-');
    return *digits && digits[strspn(digits, "0123456789")] == 0;
}

/* A line of a label file: only its node counts. Among integers a word is no node but a mistake,
 * which the reader of the labels reports. */
static cafe_status take_labelled(reading *r, const cafe_table_layout *layout) {
    int64_t node = -1;
    cafe_status status = cafe_table_node(&r->rows, layout);
    if (status == CAFE_OK) settle_integer(r);
    bool fits = cafe_graph_node_names(r->names->graph)->kind == CAFE_NAMES_STRING ||
                is_integer(r->rows.field);
    if (status == CAFE_OK && !fits && r->names->columns && r->names->columns->nodes)
        return cafe_fail_at(r->context, &r->rows.line, "an integer, as the names of the graph are");
    if (status == CAFE_OK && fits && known(r) < 0) status = add_newcomer(r, &node);
    return status;
}

static cafe_status read_labelled(reading *r, cafe_table_layout *layout) {
    const cafe_label_columns *columns = r->names->columns;
    cafe_table_request request = cafe_labels_request(r->names->graph, columns, false);
    bool more = false;
    if (columns && columns->nodes) /* most of them may be new to the graph */
        request = (cafe_table_request){.id = columns->id};
    CAFE_PASS(cafe_table_layout_find(&r->rows, &request, layout));
    CAFE_PASS(cafe_table_first(&r->rows, layout, &more));
    while (more) {
        CAFE_PASS(take_labelled(r, layout));
        CAFE_PASS(cafe_table_next(&r->rows, layout, &more));
    }
    return CAFE_OK;
}

/* ---- tables with a heading ------------------------------------------------------------------- */

enum { SHOWN = 40 };

/* "NAME: 'text'; " at the end of the description. */
static void describe(reading *r, const char *what, int32_t column) {
    char *text = r->lines->reading;
    size_t used = strlen(text);
    const cafe_field *cell = column < 0 ? NULL : &r->rows.cells[column];
    if (!cell) return;
    int length = cell->end - cell->begin < SHOWN ? (int)(cell->end - cell->begin) : SHOWN;
    cafe_print(text + used, sizeof r->lines->reading - used, "%s%s '%.*s'", used ? ", " : "", what,
               length, (const char *)cell->begin);
}

/* Is the line at hand a heading? Its usual words decide; nodes are not called so. The line is left
 * as it was. */
static cafe_status find_heading(reading *r) {
    cafe_rows *rows = &r->rows;
    cafe_place line = rows->line;
    bool certain = false;
    CAFE_PASS(cafe_rows_split(rows));
    rows->line = line;
    r->table = rows->count >= 2 &&
               cafe_heading_pair(rows->cells, (int32_t)rows->count, &r->column[0], &r->column[1],
                                 &certain) &&
               certain;
    r->weight = r->change = -1;
    for (int32_t c = 0; r->table && c < rows->count; c++) {
        if (c == r->column[0] || c == r->column[1]) continue;
        if (r->change < 0 && cafe_heading_is_change(&rows->cells[c]))
            r->change = c;
        else if (r->weight < 0 && cafe_heading_role(&rows->cells[c]) == CAFE_ROLE_WEIGHT)
            r->weight = c;
    }
    if (!r->table) return CAFE_OK;
    describe(r, "nodes", r->column[0]);
    describe(r, "and", r->column[1]);
    describe(r, "weight", r->weight);
    describe(r, "change", r->change);
    return CAFE_OK;
}

static bool is_one_of(const cafe_rows *rows, const char *const *words) {
    for (; *words; words++)
        if (strlen(*words) == (size_t)rows->length &&
            cafe_same_word(rows->field, *words, (size_t)rows->length))
            return true;
    return false;
}

/* The cell that says what happened to the edge. */
static cafe_status take_change(reading *r, bool *gone) {
    static const char *const came[] = {"+", "added", "add", "insert", "inserted", "new", "a", NULL};
    static const char *const went[] = {"-",       "removed", "remove", "delete",
                                       "deleted", "gone",    "d",      NULL};
    *gone = false;
    if (r->change < 0) return CAFE_OK;
    CAFE_PASS(cafe_rows_cell(&r->rows, r->change, "added or removed"));
    *gone = is_one_of(&r->rows, went);
    if (*gone || is_one_of(&r->rows, came)) return CAFE_OK;
    return cafe_fail_at(r->context, &r->rows.line, "added or removed");
}

/* A weight that is missing is 1. */
static cafe_status take_weight_cell(reading *r, float *weight) {
    const char *end = NULL;
    *weight = 1;
    if (r->weight < 0) return CAFE_OK;
    CAFE_PASS(cafe_rows_cell(&r->rows, r->weight, "a weight"));
    if (cafe_rows_missing(&r->rows)) return CAFE_OK;
    double value = cafe_parse_number(r->rows.field, &end);
    if (end == r->rows.field || *end || !(value >= 0 && value <= FLT_MAX))
        return cafe_fail_at(r->context, &r->rows.line, "a finite weight that is not negative");
    *weight = (float)value;
    r->lines->weighted = true;
    return CAFE_OK;
}

static cafe_status take_row(reading *r) {
    static const char *const what[] = {"a node id", "a second node id"};
    cafe_link_line line = {.line = r->rows.line.line, .column = 1};
    int64_t node[2];
    bool gone;
    CAFE_PASS(cafe_rows_split(&r->rows));
    CAFE_PASS(take_change(r, &gone));
    for (int i = 0; i < 2; i++) {
        CAFE_PASS(cafe_rows_cell(&r->rows, r->column[i], what[i]));
        if (r->rows.length == 0) return cafe_fail_at(r->context, &r->rows.line, "%s", what[i]);
        settle_integer(r);
        node[i] = known(r);
        if (node[i] >= 0) continue;
        if (gone) return cafe_fail_at(r->context, &r->rows.line, "a node of the graph");
        CAFE_PASS(add_newcomer(r, &node[i]));
    }
    line.weight = -1;
    if (!gone) CAFE_PASS(take_weight_cell(r, &line.weight));
    line.u = (int32_t)node[0], line.v = (int32_t)node[1];
    return cafe_link_add(r->lines, line);
}

/* A table has the separator of its heading in every line. */
static cafe_status read_table(reading *r) {
    uint8_t separator = r->rows.separator;
    bool more = false;
    CAFE_PASS(cafe_rows_next(&r->rows, &more));
    while (more) {
        r->rows.separator = separator;
        CAFE_PASS(take_row(r));
        CAFE_PASS(cafe_rows_next(&r->rows, &more));
    }
    return CAFE_OK;
}

/* ---- files ----------------------------------------------------------------------------------- */

static cafe_status read_changes(reading *r, bool placed) {
    bool more = false;
    CAFE_PASS(cafe_rows_next(&r->rows, &more));
    if (more && !placed) CAFE_PASS(find_heading(r));
    if (r->table) return read_table(r);
    while (more) {
        CAFE_PASS(placed ? take_placed(r) : take_changed(r));
        CAFE_PASS(cafe_rows_next(&r->rows, &more));
    }
    return CAFE_OK;
}

cafe_status cafe_newcomers_read(cafe_newcomers *names, cafe_lines_kind kind, const char *path,
                                cafe_link_lines *lines) {
    cafe_context *context = names->names.context;
    cafe_status status = CAFE_OK;
    reading r = {.context = context, .names = names, .lines = lines};
    cafe_table_layout *layout = NULL;
    cafe_phase(context, "changes", 0);
    CAFE_TRY(cafe_rows_open(context, path, &r.rows));
    if (kind != CAFE_LINES_LABELS) {
        CAFE_TRY(read_changes(&r, kind == CAFE_LINES_PLACED));
        goto done;
    }
    layout = cafe_mem_zero(context, 1, sizeof *layout);
    CAFE_TRY(cafe_mem_had(layout));
    CAFE_TRY(read_labelled(&r, layout));
done:
    if (layout) cafe_table_layout_free(layout);
    cafe_mem_free(context, layout);
    cafe_rows_close(&r.rows);
    return status;
}
