/* Labels of nodes, from a file ("node label[,label...]", one node per line) or from arrays.
 *
 * label_columns.c finds the separator and the column of the labels. Without a heading all fields
 * after the node are labels.
 */
#include <cafe-private/inputs.h>
#include <cafe/labels.h>

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/print.h"
#include "graph/dictionary.h"
#include "io/field.h"
#include "io/field_lines.h"
#include "io/label_columns.h"
#include "io/scanners.h"

struct cafe_labels {
    cafe_context *context;
    int64_t n, labelled, multiple;
    int64_t *first; /* of each node with labels: its first entry of `of` */
    int32_t *count; /* of each node */
    int32_t *of;    /* classes, a node's one after the other */
    int64_t used, room;
    cafe_dictionary names;    /* of the classes, by first appearance */
    int32_t *order;           /* of each class: its number among the names */
    cafe_label_layout layout; /* of the file */
};

static cafe_status allocate(cafe_context *context, int64_t n, cafe_labels **labels) {
    cafe_labels *l = *labels = cafe_mem_zero(context, 1, sizeof *l);
    if (!l) return CAFE_ERROR_MEMORY;
    l->context = l->names.context = context;
    l->n = n;
    l->first = cafe_mem_zero(context, n, sizeof *l->first);
    l->count = cafe_mem_zero(context, n, sizeof *l->count);
    return cafe_mem_had(l->first, l->count);
}

void cafe_labels_free(cafe_labels *labels) {
    if (!labels) return;
    cafe_mem_free_all(labels->context, labels->first, labels->of, labels->count, labels->order);
    cafe_dictionary_free(&labels->names);
    cafe_mem_free(labels->context, labels);
}

/* Adds a class to the node whose classes were added last, unless it has it. */
static cafe_status add_class(cafe_labels *l, int64_t node, int32_t class) {
    for (int64_t i = 0; i < l->count[node]; i++)
        if (l->of[l->first[node] + i] == class) return CAFE_OK;
    CAFE_PASS(cafe_mem_grow(l->context, &l->of, &l->room, l->used + 1, sizeof *l->of));
    if (l->count[node]++ == 0) l->first[node] = l->used;
    l->of[l->used++] = class;
    return CAFE_OK;
}

static void count_nodes(cafe_labels *l) {
    for (int64_t u = 0; u < l->n; u++) {
        l->labelled += l->count[u] > 0;
        l->multiple += l->count[u] > 1;
    }
}

/* ---- lines ----------------------------------------------------------------------------------- */

/* The labels of the field at hand, separated by commas; one in quotes is one label. */
static cafe_status add_classes(cafe_rows *rows, const cafe_place *begin, cafe_labels *l,
                               int64_t node) {
    cafe_status status = CAFE_OK;
    if (!rows->quoted && strstr(rows->field, rows->separator == ';' ? "," : ", "))
        return cafe_fail_at(rows->context, begin,
                            "a label with a comma in quotes, or labels separated by commas without "
                            "blanks");
    for (const char *name = rows->field; status == CAFE_OK && *name;) {
        int64_t length = (int64_t)(rows->quoted ? strlen(name) : strcspn(name, ",")), class = 0;
        if (length > 0) status = cafe_dictionary_add(&l->names, name, length, &class);
        if (length > 0 && status == CAFE_OK) status = add_class(l, node, (int32_t) class);
        name += length + (name[length] == ',');
    }
    return status;
}

/* Has this node, whose new labels stand at the end of `of`, the same ones from an earlier line? */
static bool same_as_before(const cafe_labels *l, int64_t node, int64_t old_first, int64_t old) {
    if (l->count[node] != old) return false;
    for (int64_t i = 0; i < old; i++) {
        bool there = false;
        for (int64_t j = 0; j < old; j++)
            there = there || l->of[old_first + i] == l->of[l->first[node] + j];
        if (!there) return false;
    }
    return true;
}

/* The nodes of the file that the graph does not have, and how many of them messages name. */
enum { EXAMPLES = 3, EXAMPLE = 164 };

typedef struct reading {
    const cafe_graph *graph;
    cafe_labels *labels; /* NULL: only nodes are read */
    cafe_rows rows;
    bool skips;               /* lines of nodes that the graph does not have are left out */
    cafe_label_layout layout; /* of the lines */
    int64_t lines;            /* of nodes */
    int64_t unknown;          /* of them not in the graph */
    cafe_place strange;       /* the first of these nodes */
    char example[EXAMPLES][EXAMPLE];
    uint8_t *met; /* of each node: the length of its name in the file, or 255; 0: not met */
} reading;

static void note_unknown(reading *r, const cafe_place *begin) {
    if (r->unknown == 0) r->strange = *begin;
    if (r->unknown < EXAMPLES)
        cafe_escape((const uint8_t *)r->rows.field, r->rows.length, 40, r->example[r->unknown]);
    r->unknown++;
}

static bool at_end(const cafe_rows *rows) {
    return cafe_is_line_end(*cafe_skip_blanks(rows->line.at));
}

/* Takes the labels of the line: from their column, or from all fields after the node. Blanks do not
 * separate labels: the text after a blank may be the second word of a label. */
static cafe_status take_labels(reading *r, int64_t node) {
    cafe_rows *rows = &r->rows;
    const cafe_label_layout *layout = &r->layout;
    for (int64_t i = 1; i == 1 || !at_end(rows); i++) {
        bool wanted = layout->column == 0 || i == layout->column;
        cafe_place begin = rows->line;
        if (layout->heading && i >= layout->columns)
            return cafe_fail_at(rows->context, &begin, "as many columns as the heading has, %lld",
                                (long long)layout->columns);
        if (!wanted && rows->separator != ' ' && *rows->line.at == rows->separator) {
            rows->line.at++; /* an empty field of another column */
            continue;
        }
        if (i > 1 && layout->column == 0 && rows->separator == ' ' && !rows->quoted)
            return cafe_fail_at(rows->context, &rows->line,
                                "the end of the line (commas separate labels; one with a blank "
                                "stands in quotes)");
        CAFE_PASS(cafe_rows_field(rows, "a label"));
        if (wanted) CAFE_PASS(add_classes(rows, &begin, r->labels, node));
    }
    return CAFE_OK;
}

/* Among integers 007 and 7 are one node: a file that has both means two. */
static cafe_status meet(reading *r, const cafe_place *begin, int64_t node) {
    int64_t length = r->rows.length < UINT8_MAX ? r->rows.length : UINT8_MAX;
    uint8_t before = r->met[node];
    char name[4 * EXAMPLE];
    r->met[node] = (uint8_t)length;
    if (before == 0 || before == length) return CAFE_OK;
    cafe_escape((const uint8_t *)r->rows.field, r->rows.length, 40, name);
    return cafe_fail_at(r->rows.context, begin,
                        "one name a node: '%s' and a name with %s zeros in an earlier line are one "
                        "node of this graph, whose ids are integers",
                        name, before > length ? "more" : "fewer");
}

static cafe_status take_line(reading *r) {
    cafe_rows *rows = &r->rows;
    cafe_labels *l = r->labels;
    cafe_place begin = rows->line;
    CAFE_PASS(cafe_label_layout_node(rows, &r->layout));
    int64_t node = cafe_graph_find(r->graph, rows->field);
    r->lines++;
    if (node < 0) note_unknown(r, &begin);
    if (node >= 0) CAFE_PASS(meet(r, &begin, node));
    if (node < 0 || !l) return CAFE_OK;
    int64_t old = l->count[node], old_first = l->first[node];
    l->count[node] = 0;
    CAFE_PASS(take_labels(r, node));
    if (l->count[node] == 0) return cafe_fail_at(rows->context, &begin, "a label behind the node");
    if (old > 0 && !same_as_before(l, node, old_first, old))
        return cafe_fail_at(rows->context, &begin,
                            "one line per node (an earlier line labels it otherwise)");
    return CAFE_OK;
}

/* ---- numbering ------------------------------------------------------------------------------- */

typedef struct numbered {
    int64_t value;
    int32_t class;
} numbered;

static int by_value(const void *a, const void *b) {
    int64_t x = ((const numbered *)a)->value, y = ((const numbered *)b)->value;
    return (x > y) - (x < y);
}

static bool integers(const cafe_dictionary *names, numbered *list) {
    for (int64_t c = 0; c < names->count; c++) {
        char *end;
        list[c] = (numbered){strtoll(cafe_dictionary_text(names, c), &end, 10), (int32_t)c};
        if (*end != 0) return false;
    }
    return true;
}

/* Classes that are all integers are put in their order. */
static cafe_status number_classes(cafe_labels *l) {
    int64_t classes = l->names.count;
    numbered *list = cafe_mem(l->context, classes, sizeof *list);
    int32_t *place = cafe_mem(l->context, classes, sizeof *place);
    l->order = cafe_mem(l->context, classes, sizeof *l->order);
    cafe_status status = list && place && l->order ? CAFE_OK : CAFE_ERROR_MEMORY;
    for (int64_t c = 0; c < classes && status == CAFE_OK; c++) l->order[c] = (int32_t)c;
    if (status == CAFE_OK && integers(&l->names, list)) {
        qsort(list, (size_t)classes, sizeof *list, by_value);
        for (int64_t c = 0; c < classes; c++) {
            place[list[c].class] = (int32_t)c;
            l->order[c] = list[c].class;
        }
        for (int64_t i = 0; i < l->used; i++) l->of[i] = place[l->of[i]];
    }
    cafe_mem_free_all(l->context, list, place);
    return status;
}

/* ---- files ----------------------------------------------------------------------------------- */

static cafe_status read_lines(reading *r, const char *path) {
    bool more = false;
    r->met = cafe_mem_zero(r->rows.context, cafe_graph_nodes(r->graph), 1);
    CAFE_PASS(cafe_mem_had(r->met));
    CAFE_PASS(cafe_rows_open(r->rows.context, path, &r->rows));
    CAFE_PASS(cafe_label_layout_find(&r->rows, r->graph, r->skips, &r->layout));
    if (r->labels) r->labels->layout = r->layout;
    CAFE_PASS(cafe_label_layout_begin(&r->rows, &r->layout, &more));
    while (more) {
        CAFE_PASS(take_line(r));
        CAFE_PASS(cafe_rows_next(&r->rows, &more));
    }
    return CAFE_OK;
}

static void close_lines(reading *r) {
    cafe_mem_free(r->rows.context, r->met);
    if (r->rows.input.context) cafe_rows_close(&r->rows);
}

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

static cafe_status read_labels(cafe_context *context, const cafe_graph *graph, const char *path,
                               int64_t *skipped, cafe_labels **labels) {
    cafe_status status = CAFE_OK;
    cafe_labels *l = NULL;
    reading r = {.graph = graph, .rows = {.context = context}, .skips = skipped != NULL};
    *labels = NULL;
    cafe_phase(context, "labels", 0);
    CAFE_TRY(allocate(context, cafe_graph_nodes(graph), &l));
    r.labels = l;
    CAFE_TRY(read_lines(&r, path));
    if (r.unknown > 0 && !skipped) CAFE_TRY(refuse_unknown(&r, path));
    if (l->names.count == 0)
        CAFE_TRY(cafe_fail(context, CAFE_ERROR_FORMAT, "%s: no labels found", path));
    CAFE_TRY(number_classes(l));
    count_nodes(l);
    if (skipped) *skipped = r.unknown;
    *labels = l;
    l = NULL;
done:
    cafe_labels_free(l);
    close_lines(&r);
    return status;
}

cafe_status cafe_labels_read(cafe_context *context, const cafe_graph *graph, const char *path,
                             cafe_labels **labels) {
    return read_labels(context, graph, path, NULL, labels);
}

cafe_status cafe_labels_read_known(cafe_context *context, const cafe_graph *graph, const char *path,
                                   cafe_labels **labels, int64_t *skipped) {
    *skipped = 0;
    return read_labels(context, graph, path, skipped, labels);
}

cafe_status cafe_labels_census(cafe_context *context, const cafe_graph *graph, const char *path,
                               int64_t *known, int64_t *unknown) {
    cafe_status status = CAFE_OK;
    int64_t n = cafe_graph_nodes(graph);
    reading r = {.graph = graph, .rows = {.context = context}};
    *known = *unknown = 0;
    CAFE_TRY(read_lines(&r, path));
    for (int64_t u = 0; u < n; u++) *known += r.met[u] > 0;
    *unknown = r.unknown;
done:
    close_lines(&r);
    return status;
}

/* ---- arrays ---------------------------------------------------------------------------------- */

static cafe_status name_classes(cafe_labels *l, int64_t classes, const char *const *names) {
    cafe_status status = CAFE_OK;
    for (int64_t c = 0; c < classes && status == CAFE_OK; c++) {
        char digits[24];
        int64_t number = c;
        cafe_print(digits, sizeof digits, "%lld", (long long)c);
        const char *name = names ? names[c] : digits;
        status = cafe_dictionary_add(&l->names, name, (int64_t)strlen(name), &number);
        if (status == CAFE_OK && number != c)
            status = cafe_fail(l->context, CAFE_ERROR_ARGUMENT,
                               "classes %lld and %lld have the same name '%.100s'",
                               (long long)number, (long long)c, name);
    }
    return status;
}

static cafe_status add_node(cafe_labels *l, int64_t classes, int64_t node, const int32_t *label,
                            int64_t count) {
    cafe_status status = CAFE_OK;
    for (int64_t i = 0; i < count && status == CAFE_OK; i++) {
        if (label[i] < 0 || label[i] >= classes)
            return cafe_fail(l->context, CAFE_ERROR_ARGUMENT, "node %lld is of class %d of %lld",
                             (long long)node, (int)label[i], (long long)classes);
        status = add_class(l, node, label[i]);
    }
    return status;
}

cafe_status cafe_labels_from_arrays(cafe_context *context, int64_t nodes, const int64_t *offsets,
                                    const int32_t *label, int64_t classes, const char *const *names,
                                    cafe_labels **labels) {
    cafe_status status = CAFE_OK;
    cafe_labels *l = NULL;
    *labels = NULL;
    if (nodes < 0 || classes < 1 || classes > INT32_MAX)
        return cafe_fail(context, CAFE_ERROR_ARGUMENT, "%lld classes of %lld nodes",
                         (long long)classes, (long long)nodes);
    CAFE_TRY(allocate(context, nodes, &l));
    CAFE_TRY(name_classes(l, classes, names));
    l->order = cafe_mem(context, classes, sizeof *l->order);
    if (!l->order) CAFE_TRY(CAFE_ERROR_MEMORY);
    for (int64_t c = 0; c < classes; c++) l->order[c] = (int32_t)c;
    for (int64_t u = 0; u < nodes; u++) {
        int64_t first = offsets ? offsets[u] : u, end = offsets ? offsets[u + 1] : u + 1;
        if (!offsets && label[u] == -1) continue;
        if (end < first)
            CAFE_TRY(cafe_fail(context, CAFE_ERROR_ARGUMENT, "node %lld: its offsets descend",
                               (long long)u));
        CAFE_TRY(add_node(l, classes, u, label + first, end - first));
    }
    count_nodes(l);
    *labels = l;
    l = NULL;
done:
    cafe_labels_free(l);
    return status;
}

/* ---- what is asked --------------------------------------------------------------------------- */

int64_t cafe_labels_classes(const cafe_labels *labels) {
    return labels->names.count;
}

const char *cafe_labels_class_name(const cafe_labels *labels, int64_t index) {
    return cafe_dictionary_text(&labels->names, labels->order[index]);
}

int64_t cafe_labels_labelled(const cafe_labels *labels) {
    return labels->labelled;
}

const char *cafe_labels_reading(const cafe_labels *labels) {
    return labels->layout.text;
}

int64_t cafe_labels_multiple(const cafe_labels *labels) {
    return labels->multiple;
}

int64_t cafe_labels_of(const cafe_labels *labels, int64_t node, const int32_t **classes) {
    *classes = labels->of ? labels->of + labels->first[node] : NULL;
    return labels->count[node];
}

cafe_status cafe_labels_single(cafe_context *context, const cafe_labels *labels, int32_t *label) {
    for (int64_t u = 0; u < labels->n; u++) {
        if (labels->count[u] > 1)
            return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                             "%lld nodes have several labels (node number %lld is the first); this "
                             "method takes one label a node",
                             (long long)labels->multiple, (long long)u);
        label[u] = labels->count[u] == 1 ? labels->of[labels->first[u]] : -1;
    }
    return CAFE_OK;
}
