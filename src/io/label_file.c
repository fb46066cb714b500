/* Labels of nodes from a file. A line has "node label[,label...]", or a pair of node and label. The
 * file may also be a table of nodes with a column of labels, or a table of 0 and 1 whose columns
 * are classes.
 *
 * table_layout.c finds the separator and the columns. Without a heading all fields after the node
 * are labels. A node of several lines has the labels of all of them.
 */
#include <cafe-private/inputs.h>

#include <string.h>

#include "base/memory.h"
#include "base/print.h"
#include "io/attribute_source.h"
#include "io/heading.h"
#include "io/integer_lines.h"
#include "io/label_set.h"
#include "io/text_list.h"

/* The nodes of the file that the graph does not have, and how many of them messages name. */
enum { EXAMPLES = 3, EXAMPLE = 164, READING = 1200 };

typedef struct reading {
    const cafe_graph *graph;
    cafe_labels *labels; /* NULL: only nodes are read */
    cafe_rows rows;
    cafe_table_layout layout; /* of the lines */
    int32_t weight;           /* column of the labels' weights; -1: none */
    char list;                /* between the labels of a field; 0: none was found; '[': fields are
                                 lists such as ['a', 'b'] */
    int64_t lines;            /* of nodes */
    int64_t unknown;          /* of them not in the graph */
    cafe_place strange;       /* the first of these nodes */
    char example[EXAMPLES][EXAMPLE];
    uint8_t *met; /* of each node: the length of its name in the file, or 255; 0: not met */
} reading;

cafe_table_request cafe_labels_request(const cafe_graph *graph, const cafe_label_columns *columns,
                                       bool skips) {
    return (cafe_table_request){
        .graph = graph,
        .id = columns ? columns->id : NULL,
        .value = columns ? columns->label : NULL,
        .option = "label",
        .expected = "label, class, category, group, community or cluster",
        .is_value = cafe_heading_is_label,
        .skips = skips,
    };
}

/* ---- several labels in a field --------------------------------------------------------------- */

static bool is_wanted(const cafe_table_layout *l, int32_t c) {
    for (int32_t i = 0; i < l->values; i++)
        if (l->value[i] == c) return true;
    return l->values == 0 && c != l->id;
}

static bool has(const cafe_field *cell, char c) {
    return memchr(cell->begin, c, (size_t)(cell->end - cell->begin)) != NULL;
}

/* Are all fields of labels in the first lines lists such as ['a', 'b']? Lines with none do not
 * count. */
static bool has_brackets(const cafe_table_layout *l, char *text, int64_t room) {
    cafe_field cells[CAFE_SAMPLE_COLUMNS];
    const uint8_t *line =
        l->heading ? cafe_sample_next(&l->sample, l->sample.text) : l->sample.text;
    int64_t lists = 0;
    for (; line; line = cafe_sample_next(&l->sample, line)) {
        int32_t count = cafe_sample_split(line, l->separator, cells);
        for (int32_t c = 0; c < count && c < CAFE_SAMPLE_COLUMNS; c++) {
            bool empty = cells[c].end == cells[c].begin || cafe_field_is_word(&cells[c], "nan") ||
                         cafe_field_is_word(&cells[c], "na");
            if (empty || !is_wanted(l, c)) continue;
            bool fits = cells[c].end - cells[c].begin <= room;
            int64_t length = fits ? cafe_field_copy(&cells[c], (uint8_t *)text) : 0;
            if (!cafe_is_text_list(text, length)) return false;
            lists++;
        }
    }
    return lists > 0;
}

/* The character between the labels of a field, from the first lines: a comma outside quotes, a
 * semicolon or a bar. */
static cafe_status find_list(reading *r) {
    const cafe_table_layout *l = &r->layout;
    cafe_field cells[CAFE_SAMPLE_COLUMNS];
    const uint8_t *line = l->sample.text;
    if (l->bits || !line) return CAFE_OK;
    if (has_brackets(l, r->rows.field, CAFE_LONGEST_NAME)) r->list = '[';
    if (r->list) return CAFE_OK;
    for (line = l->heading ? cafe_sample_next(&l->sample, line) : line; line;
         line = cafe_sample_next(&l->sample, line)) {
        int32_t count = cafe_sample_split(line, l->separator, cells);
        for (int32_t c = 0; c < count && c < CAFE_SAMPLE_COLUMNS; c++)
            for (const char *mark = ",;|"; *mark && is_wanted(l, c); mark++) {
                if (*mark == r->list || !has(&cells[c], *mark)) continue;
                if (cells[c].quoted && (*mark == ',' || has(&cells[c], (char)l->separator)))
                    continue;
                if (r->list)
                    return cafe_fail(r->rows.context, CAFE_ERROR_FORMAT,
                                     "%s: expected one separator between the labels of a field, "
                                     "found '%c' and '%c' (a label that has one stands in quotes)",
                                     r->rows.input.name, r->list, *mark);
                r->list = *mark;
            }
    }
    return CAFE_OK;
}

/* The items of the list at hand. */
static cafe_status add_items(reading *r, int64_t node) {
    char *item = r->rows.field; /* they are written over what was read */
    const char *at = item, *end = item + r->rows.length;
    for (;;) {
        int64_t length = cafe_text_list_next(&at, end, item);
        if (length < 0) return CAFE_OK;
        if (length > 0) CAFE_PASS(cafe_labels_add(r->labels, node, item, length));
    }
}

/* The labels of the field at hand. One in quotes that has a comma or the separator of the columns
 * is one label. */
static cafe_status add_labels(reading *r, int64_t node) {
    cafe_rows *rows = &r->rows;
    char list = r->list ? r->list : ',';
    bool one = rows->quoted && (list == ',' || strchr(rows->field, rows->separator));
    if (cafe_rows_missing(rows)) return CAFE_OK;
    bool items = cafe_is_text_list(rows->field, rows->length);
    if (items != (r->list == '[') && (r->list == '[' || strpbrk(rows->field, "'\"")))
        return cafe_fail_at(rows->context, &rows->line,
                            "lists such as ['a', 'b'] in all lines or in none");
    if (items && r->list == '[') return add_items(r, node);
    if (!one && strstr(rows->field, rows->separator == ';' && list == ',' ? "," : ", "))
        return cafe_fail_at(rows->context, &rows->line,
                            "a label with a comma in quotes, or labels separated by commas without "
                            "blanks");
    return cafe_labels_add_list(r->labels, node, rows->field, rows->length, one ? 0 : list);
}

/* ---- lines ----------------------------------------------------------------------------------- */

static void note_unknown(reading *r) {
    if (r->unknown == 0) r->strange = r->rows.line;
    if (r->unknown < EXAMPLES)
        cafe_escape((const uint8_t *)r->rows.field, r->rows.length, 40, r->example[r->unknown]);
    r->unknown++;
}

/* Adds the class of the column if the cell is 1. */
static cafe_status add_bit(reading *r, int64_t node, int32_t c) {
    cafe_rows *rows = &r->rows;
    const cafe_field *head = &r->layout.head[c];
    int bit = c < rows->count ? cafe_cell_bit(&rows->cells[c]) : 0;
    CAFE_PASS(cafe_rows_cell(rows, c, "0 or 1"));
    if (bit < 0)
        return cafe_fail_at(rows->context, &rows->line, "0 or 1 (the columns are classes)");
    if (bit == 0) return CAFE_OK;
    int64_t length = cafe_field_copy(head, (uint8_t *)rows->field);
    return cafe_labels_add(r->labels, node, rows->field, length);
}

/* Blanks do not separate labels: the text after a blank may be the second word of a label. */
static cafe_status check_cells(reading *r) {
    cafe_rows *rows = &r->rows;
    const cafe_table_layout *l = &r->layout;
    for (int64_t i = 2; l->values == 0 && rows->separator == ' ' && i < rows->count; i++) {
        if (rows->cells[i - 1].quoted) continue;
        rows->line.at = rows->cells[i].begin;
        return cafe_fail_at(rows->context, &rows->line,
                            "the end of the line (commas separate labels; one with a blank stands "
                            "in quotes)");
    }
    if (rows->count > 1 || rows->ended) return CAFE_OK;
    rows->line.at = rows->line.end - 1;
    return cafe_fail_at(rows->context, &rows->line, "a label behind the node");
}

/* The cell as a weight; 1 if it is missing. */
static cafe_trouble read_weight(const cafe_table_layout *l, const cafe_field *cell, float *weight) {
    size_t length = (size_t)(cell->end - cell->begin);
    bool missing = length == 0 || cafe_field_is_word(cell, "na") || cafe_field_is_word(cell, "nan");
    bool comma = l->separator != ',' && length > 0 && memchr(cell->begin, ',', length);
    *weight = 1;
    return missing ? CAFE_FINE : cafe_field_weight(cell, comma ? ',' : '.', weight);
}

/* Are the first lines' cells of the column weights? */
static bool has_weights(const cafe_table_layout *l, int32_t c) {
    cafe_field cells[CAFE_SAMPLE_COLUMNS];
    const uint8_t *line = l->sample.text;
    float weight;
    if (l->heading) line = cafe_sample_next(&l->sample, line);
    for (; line; line = cafe_sample_next(&l->sample, line))
        if (cafe_sample_split(line, l->separator, cells) > c &&
            read_weight(l, &cells[c], &weight) != CAFE_FINE)
            return false;
    return true;
}

/* A heading with one column of labels may have one of weights, scores or probabilities. */
static void find_weight(reading *r) {
    const cafe_table_layout *l = &r->layout;
    r->weight = -1;
    for (int32_t c = 0; c < l->columns && l->values == 1 && (l->heading || l->above); c++) {
        bool other = c == l->id || c == l->value[0];
        if (other || !cafe_heading_is_share(&l->head[c]) || !has_weights(l, c)) continue;
        r->weight = r->weight == -1 ? c : -2; /* of several none */
    }
}

/* The weight of the labels from number `from` on. */
static cafe_status take_weight(reading *r, int64_t from) {
    cafe_rows *rows = &r->rows;
    float weight = 1;
    if (r->weight < 0 || r->weight >= rows->count) return CAFE_OK;
    CAFE_PASS(cafe_rows_cell(rows, r->weight, "a weight"));
    cafe_trouble trouble = read_weight(&r->layout, &rows->cells[r->weight], &weight);
    if (trouble != CAFE_FINE) return cafe_fail_trouble(rows->context, &rows->line, trouble);
    cafe_labels_weigh(r->labels, from, weight);
    return CAFE_OK;
}

static cafe_status take_labels(reading *r, int64_t node) {
    const cafe_table_layout *l = &r->layout;
    int64_t before = cafe_labels_added(r->labels);
    CAFE_PASS(check_cells(r));
    int64_t count = l->values > 0 ? l->values : r->rows.count;
    for (int64_t i = 0; i < count; i++) {
        int32_t c = l->values > 0 ? l->value[i] : (int32_t)i;
        if (c == l->id) continue;
        if (l->bits) {
            CAFE_PASS(add_bit(r, node, c));
            continue;
        }
        CAFE_PASS(cafe_rows_cell(&r->rows, c, "a label"));
        CAFE_PASS(add_labels(r, node));
    }
    return take_weight(r, before);
}

/* Among integers 007 and 7 are one node: a file that has both means two. */
static cafe_status meet(reading *r, int64_t node) {
    int64_t length = r->rows.length < UINT8_MAX ? r->rows.length : UINT8_MAX;
    uint8_t before = r->met[node];
    char name[4 * EXAMPLE];
    r->met[node] = (uint8_t)length;
    if (before == 0 || before == length) return CAFE_OK;
    cafe_escape((const uint8_t *)r->rows.field, r->rows.length, 40, name);
    return cafe_fail_at(r->rows.context, &r->rows.line,
                        "one name a node: '%s' and a name with %s zeros in an earlier line are one "
                        "node of this graph, whose ids are integers",
                        name, before > length ? "more" : "fewer");
}

static cafe_status take_line(reading *r) {
    CAFE_PASS(cafe_table_node(&r->rows, &r->layout));
    int64_t node = cafe_graph_find(r->graph, r->rows.field);
    r->lines++;
    if (node < 0) {
        note_unknown(r);
        return CAFE_OK;
    }
    CAFE_PASS(meet(r, node));
    return r->labels ? take_labels(r, node) : CAFE_OK;
}

/* ---- a partition of Pajek -------------------------------------------------------------------- */

/* "*Vertices 3" and then a class per line, in the order of the vertices. */
static cafe_status is_pajek(reading *r, bool *is) {
    static const char word[] = "*vertices";
    cafe_line_sample sample = {0};
    cafe_status status = cafe_sample_take(&r->rows.input, &sample);
    *is = status == CAFE_OK && sample.used >= (int64_t)sizeof word &&
          cafe_same_word((const char *)sample.text, word, sizeof word - 1);
    cafe_sample_free(&sample);
    return status;
}

static cafe_status take_vertex(reading *r, int64_t u) {
    CAFE_PASS(cafe_rows_split(&r->rows));
    CAFE_PASS(cafe_rows_cell(&r->rows, 0, "a class"));
    if (r->rows.count > 1) return cafe_fail_at(r->rows.context, &r->rows.line, "one class a line");
    r->lines++;
    r->met[u] = 1;
    return r->labels ? cafe_labels_add(r->labels, u, r->rows.field, r->rows.length) : CAFE_OK;
}

/* A graph has the order of its vertices if it is from a file of Pajek too, with as many. */
static cafe_status read_pajek(reading *r) {
    cafe_rows *rows = &r->rows;
    const cafe_graph_reading *graph = cafe_graph_get_reading(r->graph);
    int64_t n = cafe_graph_nodes(r->graph), u = 0;
    bool more;
    CAFE_PASS(cafe_rows_next(rows, &more));
    if (!graph || graph->format != CAFE_FORMAT_PAJEK)
        return cafe_fail_at(
            rows->context, &rows->line,
            "lines of node and label (a partition of Pajek has classes in the order "
            "of the vertices: read the graph from its file of Pajek)");
    CAFE_PASS(cafe_rows_next(rows, &more));
    for (; more && u < n; u++) {
        CAFE_PASS(take_vertex(r, u));
        CAFE_PASS(cafe_rows_next(rows, &more));
    }
    if (more || u < n)
        return cafe_fail(rows->context, CAFE_ERROR_FORMAT,
                         "%s: expected a class for each of %lld vertices, found %s%lld",
                         rows->input.name, (long long)n, more ? "more than " : "", (long long)u);
    cafe_print(r->layout.text, sizeof r->layout.text, "a class per vertex of the graph's file");
    return CAFE_OK;
}

static cafe_status read_lines(reading *r, const char *path, const cafe_label_columns *columns,
                              bool skips) {
    cafe_table_request request = cafe_labels_request(r->graph, columns, skips);
    bool more = false, pajek = false;
    r->met = cafe_mem_zero(r->rows.context, cafe_graph_nodes(r->graph), 1);
    CAFE_PASS(cafe_mem_had(r->met));
    CAFE_PASS(cafe_rows_open(r->rows.context, path, &r->rows));
    r->weight = -1;
    CAFE_PASS(is_pajek(r, &pajek));
    if (pajek) return read_pajek(r);
    CAFE_PASS(cafe_table_layout_find(&r->rows.input, &request, &r->layout));
    if (r->labels) CAFE_PASS(find_list(r));
    find_weight(r);
    CAFE_PASS(cafe_table_first(&r->rows, &r->layout, &more));
    while (more) {
        CAFE_PASS(take_line(r));
        CAFE_PASS(cafe_table_next(&r->rows, &r->layout, &more));
    }
    return CAFE_OK;
}

static void close_lines(reading *r) {
    cafe_mem_free(r->rows.context, r->met);
    cafe_table_layout_free(&r->layout);
    if (r->rows.input.context) cafe_rows_close(&r->rows);
    cafe_mem_free(r->rows.context, r);
}

/* ---- files ----------------------------------------------------------------------------------- */

static cafe_status refuse_unknown(reading *r, const char *path) {
    const char *quote = "'", *behind = r->unknown > EXAMPLES ? ", ..." : "";
    return cafe_fail(r->rows.context, CAFE_ERROR_FORMAT,
                     "%s:%lld:%lld: expected nodes of the graph, found %lld of %lld that it does "
                     "not have: '%s'%s%s%s%s%s%s%s",
                     path, (long long)r->strange.line,
                     (long long)(r->strange.at - r->strange.begin + 1), (long long)r->unknown,
                     (long long)r->lines, r->example[0], r->unknown > 1 ? ", '" : "", r->example[1],
                     r->unknown > 1 ? quote : "", r->unknown > 2 ? ", '" : "", r->example[2],
                     r->unknown > 2 ? quote : "", behind);
}

static reading *begin_reading(cafe_context *context, const cafe_graph *graph) {
    reading *r = cafe_mem_zero(context, 1, sizeof *r);
    if (!r) return NULL;
    r->graph = graph;
    r->rows.context = context;
    return r;
}

/* The column of weights is called so, no longer ignored. */
static void name_weight(const reading *r, char *text) {
    static const char ignored[] = "ignored", weight[] = "weight";
    char column[40];
    cafe_print(column, sizeof column, "%s column %d ", ignored, (int)r->weight);
    char *at = r->weight >= 0 ? strstr(text, column) : NULL;
    if (!at) return;
    memcpy(at, weight, sizeof weight - 1);
    at += sizeof weight - 1;
    memmove(at, at + 1, strlen(at));
}

static cafe_status end_labels(reading *r) {
    char text[READING];
    const char *form = r->list == ','   ? "between commas"
                       : r->list == ';' ? "between semicolons"
                       : r->list == '|' ? "between bars"
                                        : "as lists such as ['a', 'b']";
    cafe_print(text, sizeof text, "%s%s%s", r->layout.text, r->list ? "; labels in a field " : "",
               r->list ? form : "");
    name_weight(r, text);
    cafe_note_table(r->rows.context, r->rows.input.name, text);
    return cafe_labels_end(r->labels, text);
}

cafe_status cafe_labels_read(cafe_context *context, const cafe_graph *graph, const char *path,
                             const cafe_label_columns *columns, int64_t *skipped,
                             cafe_labels **labels) {
    cafe_status status = CAFE_ERROR_MEMORY;
    cafe_labels *l = NULL;
    cafe_attribute_source source;
    *labels = NULL;
    if (skipped) *skipped = 0;
    CAFE_PASS(cafe_attribute_source_find(context, graph, path, &source));
    if (source.count > 0) return cafe_attribute_labels(context, graph, &source, labels);
    reading *r = begin_reading(context, graph);
    if (!r) return status;
    cafe_phase(context, "labels", 0);
    CAFE_TRY(cafe_labels_begin(context, cafe_graph_nodes(graph), &l));
    r->labels = l;
    CAFE_TRY(read_lines(r, path, columns, skipped != NULL));
    if (r->unknown > 0 && !skipped) CAFE_TRY(refuse_unknown(r, path));
    CAFE_TRY(end_labels(r));
    if (cafe_labels_classes(l) == 0)
        CAFE_TRY(cafe_fail(context, CAFE_ERROR_FORMAT, "%s: no labels found", path));
    if (skipped) *skipped = r->unknown;
    *labels = l;
    l = NULL;
done:
    cafe_labels_free(l);
    close_lines(r);
    return status;
}

cafe_status cafe_labels_census(cafe_context *context, const cafe_graph *graph, const char *path,
                               const cafe_label_columns *columns, int64_t *known,
                               int64_t *unknown) {
    cafe_status status = CAFE_ERROR_MEMORY;
    int64_t n = cafe_graph_nodes(graph);
    cafe_attribute_source source;
    *known = *unknown = 0;
    if (!cafe_input_lasts(path)) return CAFE_OK;
    CAFE_PASS(cafe_attribute_source_find(context, graph, path, &source));
    if (source.count > 0) return CAFE_OK;
    reading *r = begin_reading(context, graph);
    if (!r) return status;
    CAFE_TRY(read_lines(r, path, columns, false));
    for (int64_t u = 0; u < n; u++) *known += r->met[u] > 0;
    *unknown = r->unknown;
done:
    close_lines(r);
    return status;
}
