/* Headings of label files.
 *
 * A first line whose node the graph has is no heading. Else it is one when its words say so, or
 * when the graph's names are integers and it begins with something else: such a line names no node.
 * In doubt it is a node that the graph does not have, which is told as such.
 */
#include "io/label_heading.h"

#include <string.h>

#include "base/print.h"
#include "io/field.h"
#include "io/place.h"
#include "io/scan.h"

static const char *const node_words[] = {"node",   "nodes", "id",    "name", "vertex",   "node_id",
                                         "nodeid", "index", "label", "key",  "node name"};
static const char *const label_words[] = {"label", "labels",    "class", "classes", "category",
                                          "group", "community", "type",  "target",  "y"};

static bool is_among(const cafe_field *field, const char *const *words, size_t count) {
    size_t length = (size_t)(field->end - field->begin);
    for (size_t i = 0; i < count; i++)
        if (strlen(words[i]) == length &&
            cafe_same_word((const char *)field->begin, words[i], length))
            return true;
    return false;
}

static bool is_label_word(const cafe_field *field) {
    return is_among(field, label_words, sizeof label_words / sizeof *label_words);
}

static bool is_integer(const cafe_field *field) {
    const uint8_t *p = field->begin;
    p += p < field->end && (*p == '-' || *p == '+');
    bool digits = p < field->end;
    for (; p < field->end; p++) digits = digits && *p >= '0' && *p <= '9';
    return digits;
}

/* The next field; false behind the last one. An empty one is a field too. */
static bool next_field(const uint8_t **at, uint8_t separator, cafe_field *field) {
    const uint8_t *p = cafe_skip_padding(*at, separator);
    if (cafe_is_line_end(*p)) return false;
    cafe_field_fault fault = cafe_field_take(at, separator, field);
    if (fault != CAFE_FIELD_EMPTY) return fault == CAFE_FIELD_FINE;
    *field = (cafe_field){.begin = p, .end = p};
    p = cafe_skip_padding(*p == '"' ? p + 2 : p, separator); /* "" */
    *at = p + (*p == separator);
    return *p == separator || cafe_is_line_end(*p);
}

/* Which of the columns behind the node has the labels, and whether the words make a heading. */
static cafe_status look(const cafe_rows *rows, uint8_t separator, bool word, bool *heading,
                        int64_t *column) {
    const uint8_t *at = rows->line.at;
    int64_t fields = 0, found = 0;
    for (cafe_field field; next_field(&at, separator, &field); fields++) {
        word = word || (fields == 0 &&
                        is_among(&field, node_words, sizeof node_words / sizeof *node_words));
        if (fields > 0 && found == 0 && is_label_word(&field)) found = fields;
    }
    *heading = word || found == 1;
    if (!*heading) return CAFE_OK;
    *column = fields <= 2 ? 1 : found;
    if (*column > 0) return CAFE_OK;
    return cafe_fail_at(rows->context, &rows->line,
                        "a heading with a column called label, class, category or community");
}

cafe_status cafe_label_heading(cafe_rows *rows, const cafe_graph *graph, bool *heading,
                               int64_t *column) {
    const uint8_t *begin = rows->line.at, *at = begin;
    uint8_t separator = cafe_field_separator_behind(begin);
    cafe_field first;
    *heading = false;
    *column = 0;
    if (cafe_field_take(&at, separator, &first) != CAFE_FIELD_FINE) return CAFE_OK;
    rows->separator = separator;
    CAFE_PASS(cafe_rows_field(rows, "a node"));
    rows->line.at = begin;
    if (cafe_graph_find(graph, rows->field) >= 0) return CAFE_OK;
    bool other = graph->names.kind != CAFE_NAMES_STRING && !is_integer(&first);
    return look(rows, separator, other, heading, column);
}
