/* The reader of label files: "node label[,label...]", one node a line.
 *
 * Blanks, tabs, commas or semicolons separate; in a file that separates by commas the further
 * fields are further labels. Lines are read one after the other: a label file is a hundredth of its
 * graph.
 */
#include <cafe/labels.h>

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "io/field.h"
#include "io/input.h"
#include "io/scan.h"
#include "io/text.h"
#include "io/trouble.h"

enum { WINDOW = 1 << 22, LONGEST_NAME = 65535 };

struct cafe_labels {
    cafe_context *context;
    int64_t n, classes, labelled, multiple;
    int64_t *first; /* of each node: its first entry of `of`, -1 without a label */
    int32_t *of;    /* classes, a node's one after the other */
    int32_t *count; /* of each node */
    int64_t used, room;
    char *names; /* of the classes, each ended by 0 */
    int64_t names_used, names_room;
    int64_t *name_at; /* of each class */
    int64_t name_room;
    int32_t *table; /* classes by hash of their names; -1: free */
    int64_t table_size;
};

/* ---- growing arrays -------------------------------------------------------------------------- */

static cafe_status grow(cafe_context *context, void *array, int64_t *room, int64_t needed,
                        size_t size) {
    void **block = array;
    if (needed <= *room) return CAFE_OK;
    int64_t larger = 2 * *room > needed ? 2 * *room : needed;
    void *moved = cafe_mem_resize(context, *block, larger, size);
    if (!moved) return CAFE_ERROR_MEMORY;
    *block = moved;
    *room = larger;
    return CAFE_OK;
}

/* ---- classes by name ------------------------------------------------------------------------- */

static uint64_t hash(const char *name, int64_t length) {
    uint64_t h = 1469598103934665603u; /* FNV-1a */
    for (int64_t i = 0; i < length; i++) h = (h ^ (uint8_t)name[i]) * 1099511628211u;
    return h;
}

static const char *name_of(const cafe_labels *l, int64_t class) {
    return l->names + l->name_at[class];
}

/* Where the class of that name stands in the table, or the free place for it. */
static int64_t find(const cafe_labels *l, const char *name, int64_t length) {
    int64_t at = (int64_t)(hash(name, length) % (uint64_t)l->table_size);
    while (l->table[at] >= 0) {
        const char *other = name_of(l, l->table[at]);
        if ((int64_t)strlen(other) == length && memcmp(other, name, (size_t)length) == 0) break;
        at = (at + 1) % l->table_size;
    }
    return at;
}

static cafe_status widen_table(cafe_context *context, cafe_labels *l) {
    if (l->table && 2 * l->classes < l->table_size) return CAFE_OK;
    int64_t size = l->table ? 4 * l->table_size : 256;
    int32_t *table = cafe_mem(context, size, sizeof *table);
    if (!table) return CAFE_ERROR_MEMORY;
    cafe_mem_free(context, l->table);
    l->table = table;
    l->table_size = size;
    for (int64_t i = 0; i < size; i++) table[i] = -1;
    for (int64_t c = 0; c < l->classes; c++)
        table[find(l, name_of(l, c), (int64_t)strlen(name_of(l, c)))] = (int32_t)c;
    return CAFE_OK;
}

static cafe_status class_of(cafe_context *context, cafe_labels *l, const char *name, int64_t length,
                            int32_t *class) {
    cafe_status status = CAFE_OK;
    CAFE_TRY(widen_table(context, l));
    int64_t at = find(l, name, length);
    if (l->table[at] < 0) {
        CAFE_TRY(grow(context, &l->names, &l->names_room, l->names_used + length + 1, 1));
        CAFE_TRY(grow(context, &l->name_at, &l->name_room, l->classes + 1, sizeof *l->name_at));
        memcpy(l->names + l->names_used, name, (size_t)length);
        l->names[l->names_used + length] = 0;
        l->name_at[l->classes] = l->names_used;
        l->names_used += length + 1;
        l->table[at] = (int32_t)l->classes++;
    }
    *class = l->table[at];
done:
    return status;
}

/* ---- lines ----------------------------------------------------------------------------------- */

typedef struct reading {
    cafe_context *context;
    const cafe_graph *graph;
    cafe_labels *labels;
    char *field; /* LONGEST_NAME + 1 bytes */
    int64_t
        *skipped; /* counts lines of nodes that the graph does not have; NULL: they are errors */
} reading;

static cafe_status take_field(reading *r, cafe_place *line, uint8_t separator, const char *what,
                              int64_t *length) {
    cafe_field field;
    const uint8_t *at = line->at;
    cafe_field_fault fault = cafe_field_take(&at, separator, &field);
    if (fault == CAFE_FIELD_FINE && field.end - field.begin > LONGEST_NAME)
        fault = CAFE_FIELD_EMPTY;
    if (fault != CAFE_FIELD_FINE) return cafe_fail_at(r->context, line, "%s", what);
    const uint8_t *bad = cafe_bad_utf8(field.begin, field.end);
    if (bad < field.end) {
        line->at = bad;
        return cafe_fail_at(r->context, line, "UTF-8 text");
    }
    *length = cafe_field_copy(&field, (uint8_t *)r->field);
    r->field[*length] = 0;
    line->at = at;
    return CAFE_OK;
}

static cafe_status add_class(reading *r, int64_t node, const char *name, int64_t length) {
    cafe_labels *l = r->labels;
    int32_t class = 0;
    cafe_status status = class_of(r->context, l, name, length, &class);
    if (status != CAFE_OK) return status;
    for (int64_t i = 0; i < l->count[node]; i++)
        if (l->of[l->first[node] + i] == class) return CAFE_OK;
    status = grow(r->context, &l->of, &l->room, l->used + 1, sizeof *l->of);
    if (status != CAFE_OK) return status;
    if (l->count[node]++ == 0) l->first[node] = l->used;
    l->of[l->used++] = class;
    return CAFE_OK;
}

/* The labels of one field, separated by commas. */
static cafe_status add_classes(reading *r, int64_t node) {
    cafe_status status = CAFE_OK;
    for (const char *name = r->field; status == CAFE_OK && *name;) {
        int64_t length = (int64_t)strcspn(name, ",");
        if (length > 0) status = add_class(r, node, name, length);
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

static cafe_status take_line(reading *r, cafe_place *line) {
    cafe_labels *l = r->labels;
    cafe_status status = CAFE_OK;
    uint8_t separator = cafe_field_separator_behind(line->at);
    cafe_place begin = *line;
    int64_t length;
    CAFE_TRY(take_field(r, line, separator, "a node", &length));
    int64_t node = cafe_graph_find(r->graph, r->field);
    if (node < 0 && r->skipped) {
        (*r->skipped)++;
        return CAFE_OK;
    }
    if (node < 0) return cafe_fail_at(r->context, &begin, "a node of the graph");
    int64_t old = l->count[node], old_first = l->first[node];
    l->count[node] = 0;
    do {
        CAFE_TRY(take_field(r, line, separator, "a label", &length));
        CAFE_TRY(add_classes(r, node));
    } while (!cafe_is_line_end(*cafe_skip_blanks(line->at)));
    if (l->count[node] == 0) return cafe_fail_at(r->context, &begin, "a label behind the node");
    if (old > 0 && !same_as_before(l, node, old_first, old))
        return cafe_fail_at(r->context, &begin,
                            "one line a node (an earlier line labels it otherwise)");
done:
    return status;
}

static cafe_status take_lines(reading *r, cafe_text *text) {
    cafe_status status = CAFE_OK;
    for (;;) {
        cafe_place line;
        CAFE_TRY(cafe_check_cancel(r->context));
        CAFE_TRY(cafe_text_line(text, &line));
        if (line.begin == line.end) break;
        line.at = cafe_skip_blanks(line.begin);
        if (cafe_is_line_end(*line.at) || *line.at == '#' || *line.at == '%') continue;
        CAFE_TRY(take_line(r, &line));
    }
done:
    return status;
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

static bool integers(const cafe_labels *l, numbered *list) {
    for (int64_t c = 0; c < l->classes; c++) {
        char *end;
        list[c] = (numbered){strtoll(name_of(l, c), &end, 10), (int32_t)c};
        if (*end != 0) return false;
    }
    return true;
}

/* Classes that are all integers are put in their order. */
static cafe_status number_classes(cafe_context *context, cafe_labels *l) {
    numbered *list = cafe_mem(context, l->classes, sizeof *list);
    int32_t *place = cafe_mem(context, l->classes, sizeof *place);
    int64_t *name_at = cafe_mem(context, l->classes, sizeof *name_at);
    cafe_status status = list && place && name_at ? CAFE_OK : CAFE_ERROR_MEMORY;
    if (status == CAFE_OK && integers(l, list)) {
        qsort(list, (size_t)l->classes, sizeof *list, by_value);
        for (int64_t c = 0; c < l->classes; c++) {
            place[list[c].class] = (int32_t)c;
            name_at[c] = l->name_at[list[c].class];
        }
        memcpy(l->name_at, name_at, (size_t)l->classes * sizeof *name_at);
        for (int64_t i = 0; i < l->used; i++) l->of[i] = place[l->of[i]];
    }
    cafe_mem_free(context, list);
    cafe_mem_free(context, place);
    cafe_mem_free(context, name_at);
    return status;
}

static void count_nodes(cafe_labels *l) {
    for (int64_t u = 0; u < l->n; u++) {
        l->labelled += l->count[u] > 0;
        l->multiple += l->count[u] > 1;
    }
}

/* ---- the calls ------------------------------------------------------------------------------- */

static cafe_status allocate(cafe_context *context, int64_t n, cafe_labels **labels) {
    cafe_labels *l = *labels = cafe_mem_zero(context, 1, sizeof *l);
    if (!l) return CAFE_ERROR_MEMORY;
    l->context = context;
    l->n = n;
    l->first = cafe_mem_zero(context, n, sizeof *l->first);
    l->count = cafe_mem_zero(context, n, sizeof *l->count);
    return l->first && l->count ? CAFE_OK : CAFE_ERROR_MEMORY;
}

static cafe_status read_labels(cafe_context *context, const cafe_graph *graph, const char *path,
                               int64_t *skipped, cafe_labels **labels) {
    cafe_status status = CAFE_OK;
    cafe_input input = {0};
    cafe_text text = {0};
    reading r = {context, graph, NULL, NULL, skipped};
    *labels = NULL;
    cafe_phase(context, "labels", 0);
    CAFE_TRY(cafe_input_open(context, path, &input));
    CAFE_TRY(cafe_text_open(context, input.name, input.bytes, input.size, WINDOW, &text));
    CAFE_TRY(allocate(context, cafe_graph_nodes(graph), &r.labels));
    r.field = cafe_mem(context, LONGEST_NAME + 1, 1);
    if (!r.field) status = CAFE_ERROR_MEMORY;
    CAFE_TRY(status);
    CAFE_TRY(take_lines(&r, &text));
    if (r.labels->classes == 0)
        status = cafe_fail(context, CAFE_ERROR_FORMAT, "%s: no labels found", path);
    CAFE_TRY(status);
    CAFE_TRY(number_classes(context, r.labels));
    count_nodes(r.labels);
    *labels = r.labels;
    r.labels = NULL;
done:
    cafe_labels_free(r.labels);
    cafe_mem_free(context, r.field);
    cafe_text_close(&text);
    cafe_input_close(&input);
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

void cafe_labels_free(cafe_labels *labels) {
    if (!labels) return;
    cafe_mem_free(labels->context, labels->first);
    cafe_mem_free(labels->context, labels->of);
    cafe_mem_free(labels->context, labels->count);
    cafe_mem_free(labels->context, labels->names);
    cafe_mem_free(labels->context, labels->name_at);
    cafe_mem_free(labels->context, labels->table);
    cafe_mem_free(labels->context, labels);
}

int64_t cafe_labels_classes(const cafe_labels *labels) {
    return labels->classes;
}

const char *cafe_labels_class_name(const cafe_labels *labels, int64_t index) {
    return name_of(labels, index);
}

int64_t cafe_labels_labelled(const cafe_labels *labels) {
    return labels->labelled;
}

int64_t cafe_labels_multiple(const cafe_labels *labels) {
    return labels->multiple;
}

int64_t cafe_labels_of(const cafe_labels *labels, int64_t node, const int32_t **classes) {
    *classes = labels->of + labels->first[node];
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
