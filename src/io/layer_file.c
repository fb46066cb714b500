/* Edges of several kinds or times from files.
 *
 * There are three ways. A column of an edge list names the layer of each edge. A column has the
 * time of each edge, and times are cut into slices. Or each of several files is a layer. Tables
 * with such a column are read by the row reader of small tables. The graphs of the layers are then
 * joined (graph/joined.h).
 */
#include "io/layer_file.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/option.h"
#include "base/print.h"
#include "base/processes.h"
#include "graph/graph.h"
#include "graph/joined.h"
#include "io/integer_lines.h"
#include "io/table_layout.h"

enum { MOST_LAYERS = 256, DAY = 86400 };

bool cafe_asks_layers(const cafe_graph_options *o) {
    return o->layer || o->time || o->layer_weight;
}

cafe_status cafe_layers_check(cafe_context *context, const cafe_graph_options *o) {
    const cafe_option_table *table = cafe_graph_option_table();
    if (o->layer && o->time)
        return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                         "give " CAFE_OPT("layer") " or " CAFE_OPT("time") ", not both");
    if (o->time && o->layer_weight)
        return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                         CAFE_OPT("layer-weight") " is for layers: slices of time count by their "
                                                  "edges");
    if (!o->time)
        CAFE_PASS(cafe_options_idle(context, table, o, "slices|coupling",
                                    "times of edges, which " CAFE_OPT("time=COLUMN") " names"));
    if (cafe_asks_layers(o))
        CAFE_PASS(
            cafe_options_idle(context, table, o, "signed|bipartite|nodes", "graphs of one layer"));
    return CAFE_OK;
}

/* ---- weights of layers ----------------------------------------------------------------------- */

static cafe_status bad_weights(cafe_context *context, const char *text, const char *expected) {
    return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                     CAFE_OPT("layer-weight") ": expected %s, found '%.100s'", expected, text);
}

/* "1,0.5": a weight for each file. */
static cafe_status weights_in_order(cafe_context *context, const char *text, int64_t count,
                                    double *weights) {
    char expected[80];
    const char *at = text, *end = text;
    cafe_print(expected, sizeof expected,
               "%" PRId64 " numbers above 0, one for each file, as 1,0.5", count);
    for (int64_t l = 0; l < count; l++) {
        weights[l] = cafe_parse_number(at, &end);
        bool last = l == count - 1;
        if (end == at || !(weights[l] > 0) || !isfinite(weights[l]) || *end != (last ? 0 : ','))
            return bad_weights(context, text, expected);
        at = end + 1;
    }
    return CAFE_OK;
}

/* "likes=0.5,follows=2": weights by name, 1 for the others. */
static cafe_status weights_by_name(cafe_context *context, const char *text,
                                   const cafe_dictionary *names, double *weights) {
    static const char expected[] = "NAME=W,... with names of layers and numbers above 0";
    for (int64_t l = 0; l < names->count; l++) weights[l] = 1;
    for (const char *at = text; at && *at;) {
        const char *equals = strchr(at, '='), *end;
        int64_t l = equals ? cafe_dictionary_find(names, at, equals - at) : -1;
        if (l < 0) return bad_weights(context, text, expected);
        weights[l] = cafe_parse_number(equals + 1, &end);
        if (end == equals + 1 || !(weights[l] > 0) || !isfinite(weights[l]) ||
            (*end && *end != ','))
            return bad_weights(context, text, expected);
        at = *end ? end + 1 : end;
    }
    return CAFE_OK;
}

/* ---- lines ----------------------------------------------------------------------------------- */

/* Edges while they are read. */
typedef struct reading {
    cafe_context *context;
    const cafe_graph_options *options;
    cafe_dictionary nodes, keys; /* keys: texts of the column */
    int32_t *source, *target, *key;
    float *weights;
    int64_t room[4], count;
    double *time; /* of each key */
    int64_t time_room;
    bool weighted;
    cafe_rows rows;
    cafe_table_layout layout;
    char text[1024];
} reading;

static bool take_digits(const char **at, int count, int64_t most, int64_t *value) {
    *value = 0;
    for (int i = 0; i < count; i++, (*at)++) {
        if (**at < '0' || **at > '9') return false;
        *value = 10 * *value + (**at - '0');
    }
    return *value <= most;
}

/* Seconds since 1970 of 2024-05-31 or 2024-05-31T10:30:00, with any text behind it after seconds.
 */
static bool take_date(const char *at, double *time) {
    int64_t y, m, d, part[3] = {0};
    if (!take_digits(&at, 4, 9999, &y) || *at++ != '-' || !take_digits(&at, 2, 12, &m) ||
        *at++ != '-' || !take_digits(&at, 2, 31, &d) || m < 1 || d < 1)
        return false;
    for (int i = 0; i < 3 && (i ? *at == ':' : *at == 'T' || *at == ' '); i++) {
        at++;
        if (!take_digits(&at, 2, i ? 60 : 24, &part[i])) return false;
    }
    if (*at && *at != '.' && *at != 'Z') return false;
    y -= m <= 2;
    int64_t era = y / 400, year = y % 400, day = (153 * (m + (m > 2 ? -3 : 9)) + 2) / 5 + d - 1;
    int64_t days = era * 146097 + year * 365 + year / 4 - year / 100 + day - 719468;
    *time = (double)(days * DAY + part[0] * 3600 + part[1] * 60 + part[2]);
    return true;
}

/* The time of the field at hand. */
static cafe_status take_time(reading *r, double *time) {
    const char *end;
    if (take_date(r->rows.field, time)) return CAFE_OK;
    *time = cafe_parse_number(r->rows.field, &end);
    if (end != r->rows.field && !*end && isfinite(*time)) return CAFE_OK;
    return cafe_fail_at(r->context, &r->rows.line,
                        "a time: a number, or a date such as 2024-05-31");
}

/* The layer or the time of the line. */
static cafe_status take_key(reading *r, int64_t *key) {
    cafe_rows *rows = &r->rows;
    const char *what = r->options->time ? "a time" : "a layer";
    CAFE_PASS(cafe_rows_cell(rows, r->layout.kind, what));
    if (rows->length == 0 || cafe_rows_missing(rows))
        return cafe_fail_at(r->context, &rows->line, "%s", what);
    int64_t before = r->keys.count;
    CAFE_PASS(cafe_dictionary_add(&r->keys, rows->field, rows->length, key));
    if (r->keys.count == before || !r->options->time) return CAFE_OK;
    CAFE_PASS(cafe_mem_grow(r->context, &r->time, &r->time_room, *key + 1, sizeof *r->time));
    return take_time(r, &r->time[*key]);
}

static cafe_status take_node(reading *r, int32_t column, const char *what, int64_t *node) {
    CAFE_PASS(cafe_rows_cell(&r->rows, column, what));
    if (r->rows.length == 0) return cafe_fail_at(r->context, &r->rows.line, "%s", what);
    CAFE_PASS(cafe_dictionary_add(&r->nodes, r->rows.field, r->rows.length, node));
    return *node < CAFE_MOST_NODES
               ? CAFE_OK
               : cafe_fail(r->context, CAFE_ERROR_LIMIT, "more than %d nodes", CAFE_MOST_NODES);
}

static cafe_status take_weight(reading *r, float *weight) {
    int32_t column = r->layout.weight;
    *weight = 1;
    if (column < 0 || column >= r->rows.count) return CAFE_OK;
    CAFE_PASS(cafe_rows_cell(&r->rows, column, "a weight"));
    if (cafe_rows_missing(&r->rows)) return CAFE_OK;
    cafe_trouble trouble = cafe_field_weight(&r->rows.cells[column], r->layout.decimal, weight);
    r->weighted = true;
    return trouble == CAFE_FINE ? CAFE_OK : cafe_fail_trouble(r->context, &r->rows.line, trouble);
}

static cafe_status take_line(reading *r) {
    int64_t u, w, key, need = r->count + 1;
    float weight;
    CAFE_PASS(take_node(r, r->layout.source, "a node id", &u));
    CAFE_PASS(take_node(r, r->layout.target, "a second node id", &w));
    CAFE_PASS(take_key(r, &key));
    CAFE_PASS(take_weight(r, &weight));
    CAFE_PASS(cafe_mem_grow(r->context, &r->source, &r->room[0], need, sizeof *r->source));
    CAFE_PASS(cafe_mem_grow(r->context, &r->target, &r->room[1], need, sizeof *r->target));
    CAFE_PASS(cafe_mem_grow(r->context, &r->key, &r->room[2], need, sizeof *r->key));
    CAFE_PASS(cafe_mem_grow(r->context, &r->weights, &r->room[3], need, sizeof *r->weights));
    r->source[r->count] = (int32_t)u, r->target[r->count] = (int32_t)w;
    r->key[r->count] = (int32_t)key, r->weights[r->count++] = weight;
    return CAFE_OK;
}

static cafe_status read_lines(reading *r, const char *path) {
    bool more = false;
    cafe_table_request request = {.edges = r->options};
    CAFE_PASS(cafe_rows_open(r->context, path, &r->rows));
    CAFE_PASS(cafe_table_layout_find(&r->rows.input, &request, &r->layout));
    if (!r->text[0]) cafe_print(r->text, sizeof r->text, "%s", r->layout.text);
    CAFE_PASS(cafe_table_first(&r->rows, &r->layout, &more));
    while (more) {
        CAFE_PASS(take_line(r));
        CAFE_PASS(cafe_table_next(&r->rows, &r->layout, &more));
    }
    return CAFE_OK;
}

static cafe_status read_file(reading *r, const char *path) {
    cafe_phase(r->context, "read", 0);
    cafe_status status = read_lines(r, path);
    cafe_table_layout_free(&r->layout);
    if (r->rows.context) cafe_rows_close(&r->rows);
    r->rows = (cafe_rows){0};
    return status;
}

/* ---- layers in order ------------------------------------------------------------------------- */

typedef struct ordered {
    const char *text;
    double time;
    int32_t key;
} ordered;

static int by_time(const void *a, const void *b) {
    const ordered *x = a, *y = b;
    return x->time < y->time ? -1 : x->time > y->time ? 1 : x->key - y->key;
}

static int by_text(const void *a, const void *b) {
    return strcmp(((const ordered *)a)->text, ((const ordered *)b)->text);
}

/* layer[key] for every key, and the names of the layers: by name, by time, or numbers of slices. */
static cafe_status order_layers(reading *r, int32_t *layer, cafe_dictionary *titles) {
    int64_t count = r->keys.count, slices = r->options->slices, found;
    cafe_status status = CAFE_OK;
    ordered *all = cafe_mem(r->context, count, sizeof *all);
    CAFE_TRY(cafe_mem_had(all));
    for (int32_t k = 0; k < count; k++)
        all[k] = (ordered){cafe_dictionary_text(&r->keys, k), r->time ? r->time[k] : 0, k};
    qsort(all, (size_t)count, sizeof *all, r->options->time ? by_time : by_text);
    double first = all[0].time, length = all[count - 1].time - first;
    if (slices > 0 && !(length > 0))
        CAFE_TRY(cafe_fail(r->context, CAFE_ERROR_FORMAT, "all edges have one time: no slices"));
    for (int64_t i = 0; i < count; i++) {
        char number[24];
        int64_t s = slices > 0 ? (int64_t)((all[i].time - first) / length * (double)slices) : i;
        if (slices > 0 && s >= slices) s = slices - 1;
        cafe_print(number, sizeof number, "%" PRId64, s + 1);
        const char *name = slices > 0 ? number : all[i].text;
        CAFE_TRY(cafe_dictionary_add(titles, name, (int64_t)strlen(name), &found));
        layer[all[i].key] = (int32_t)found;
        if (titles->count > MOST_LAYERS)
            CAFE_TRY(cafe_fail(r->context, CAFE_ERROR_FORMAT, "more than %d different %s%s",
                               MOST_LAYERS, r->options->time ? "times" : "layers",
                               r->options->time ? ": give " CAFE_OPT("slices=N") : ""));
    }
done:
    cafe_mem_free(r->context, all);
    return status;
}

/* ---- names of nodes -------------------------------------------------------------------------- */

typedef struct numbered {
    int64_t value;
    int32_t node;
} numbered;

static int by_value(const void *a, const void *b) {
    const numbered *x = a, *y = b;
    return x->value < y->value ? -1 : x->value > y->value;
}

static bool is_integer(const char *text) {
    size_t length = strspn(text, "0123456789");
    return length > 0 && length < 18 && !text[length] && (text[0] != '0' || length == 1);
}

/* Nodes that are integers stand in their order, as in other edge lists. */
static cafe_status sort_nodes(reading *r) {
    int64_t n = r->nodes.count, found;
    cafe_dictionary sorted = {.context = r->context};
    cafe_status status = CAFE_OK;
    for (int64_t u = 0; u < n; u++)
        if (!is_integer(cafe_dictionary_text(&r->nodes, u))) return CAFE_OK;
    numbered *all = cafe_mem(r->context, n, sizeof *all);
    int32_t *place = cafe_mem(r->context, n, sizeof *place);
    CAFE_TRY(cafe_mem_had(all, place));
    for (int32_t u = 0; u < n; u++)
        all[u] = (numbered){strtoll(cafe_dictionary_text(&r->nodes, u), NULL, 10), u};
    qsort(all, (size_t)n, sizeof *all, by_value);
    for (int64_t i = 0; i < n; i++) {
        const char *text = cafe_dictionary_text(&r->nodes, all[i].node);
        CAFE_TRY(cafe_dictionary_add(&sorted, text, (int64_t)strlen(text), &found));
        place[all[i].node] = (int32_t)i;
    }
    for (int64_t i = 0; i < r->count; i++)
        r->source[i] = place[r->source[i]], r->target[i] = place[r->target[i]];
    cafe_dictionary_free(&r->nodes);
    r->nodes = sorted;
    sorted = (cafe_dictionary){.context = r->context};
done:
    cafe_dictionary_free(&sorted);
    cafe_mem_free_all(r->context, all, place);
    return status;
}

/* ---- from edges to the graph ----------------------------------------------------------------- */

/* The edges of a layer come first; they become its graph, with all nodes. */
static cafe_status make_layer(reading *r, const int32_t *layer, int64_t l, int32_t *source,
                              int32_t *target, float *weights, cafe_graph **graph) {
    cafe_graph_options o = *r->options;
    int64_t count = 0;
    o.layer = o.time = o.layer_weight = NULL;
    o.more = NULL, o.more_count = 0;
    for (int64_t i = 0; i < r->count; i++) {
        if (layer[r->key[i]] != l) continue;
        source[count] = r->source[i], target[count] = r->target[i];
        weights[count++] = r->weights[i];
    }
    return cafe_graph_from_edges(r->context, r->nodes.count, count, source, target,
                                 r->weighted ? weights : NULL, &o, graph);
}

static cafe_status make_layers(reading *r, const int32_t *layer, const cafe_dictionary *titles,
                               cafe_graph **graphs) {
    cafe_status status = CAFE_OK;
    int32_t *source = cafe_mem(r->context, r->count, sizeof *source);
    int32_t *target = cafe_mem(r->context, r->count, sizeof *target);
    float *weights = cafe_mem(r->context, r->count, sizeof *weights);
    CAFE_TRY(cafe_mem_had(source, target, weights));
    for (int64_t l = 0; l < titles->count; l++)
        CAFE_TRY(make_layer(r, layer, l, source, target, weights, &graphs[l]));
done:
    cafe_mem_free_all(r->context, source, target, weights);
    return status;
}

static cafe_status join(reading *r, cafe_dictionary *titles, cafe_graph **graphs,
                        const char **names, double *weights, cafe_graph **graph) {
    cafe_joining j = {.nodes = r->nodes.count,
                      .names = &r->nodes,
                      .count = titles->count,
                      .graphs = (const cafe_graph *const *)graphs,
                      .titles = names};
    for (int64_t l = 0; l < titles->count; l++) names[l] = cafe_dictionary_text(titles, l);
    if (r->options->time)
        return cafe_graph_couple_numbered(r->context, &j, r->options->coupling, graph);
    CAFE_PASS(weights_by_name(r->context, r->options->layer_weight, titles, weights));
    j.weights = weights;
    return cafe_graph_join_numbered(r->context, &j, graph);
}

/* From all lines to the graph. */
static cafe_status finish(reading *r, cafe_graph **graph) {
    cafe_context *context = r->context;
    cafe_status status = CAFE_OK;
    cafe_dictionary titles = {.context = context};
    cafe_graph *graphs[MOST_LAYERS] = {NULL};
    const char *names[MOST_LAYERS];
    double weights[MOST_LAYERS];
    int32_t *layer = cafe_mem(context, r->keys.count, sizeof *layer);
    CAFE_TRY(cafe_mem_had(layer));
    CAFE_TRY(order_layers(r, layer, &titles));
    CAFE_TRY(sort_nodes(r));
    CAFE_TRY(make_layers(r, layer, &titles, graphs));
    CAFE_TRY(join(r, &titles, graphs, names, weights, graph));
done:
    for (int l = 0; l < MOST_LAYERS; l++) cafe_graph_free(graphs[l]);
    cafe_dictionary_free(&titles);
    cafe_mem_free(context, layer);
    return status;
}

static cafe_status read_column(cafe_context *context, const cafe_file_list *list,
                               const cafe_graph_options *options, cafe_graph **graph) {
    cafe_status status = CAFE_OK;
    reading *r = cafe_mem_zero(context, 1, sizeof *r);
    CAFE_PASS(cafe_mem_had(r));
    *r = (reading){.context = context, .options = options};
    r->nodes.context = r->keys.context = context;
    for (int64_t i = 0; i < list->count; i++) CAFE_TRY(read_file(r, list->path[i]));
    if (r->count == 0)
        CAFE_TRY(
            cafe_fail(context, CAFE_ERROR_FORMAT, "%s: expected edges, found none", list->path[0]));
    CAFE_TRY(finish(r, graph));
    CAFE_TRY(cafe_graph_set_reading(*graph, &(cafe_graph_reading){.format = CAFE_FORMAT_EDGES,
                                                                  .heading = 1,
                                                                  .columns = 3,
                                                                  .weight = r->weighted ? 2 : -1,
                                                                  .text = r->text,
                                                                  .files = list->count}));
done:
    cafe_dictionary_free(&r->nodes);
    cafe_dictionary_free(&r->keys);
    cafe_mem_free_all(context, r->source, r->target, r->key, r->weights, r->time, r);
    return status;
}

/* ---- files that are layers ------------------------------------------------------------------- */

static cafe_status read_files(cafe_context *context, const cafe_file_list *list,
                              const cafe_graph_options *options, cafe_graph **graph) {
    cafe_status status = CAFE_OK;
    cafe_graph_options o = *options;
    o.layer_weight = NULL;
    o.more = NULL, o.more_count = 0;
    cafe_graph **graphs = cafe_mem_zero(context, list->count, sizeof *graphs);
    double *weights = cafe_mem(context, list->count, sizeof *weights);
    CAFE_TRY(cafe_mem_had(graphs, weights));
    if (list->count < 2)
        CAFE_TRY(cafe_fail(context, CAFE_ERROR_ARGUMENT,
                           CAFE_OPT("layer-weight") " needs several files, a layer each, or the "
                                                    "column of " CAFE_OPT("layer=COLUMN")));
    CAFE_TRY(weights_in_order(context, options->layer_weight, list->count, weights));
    for (int64_t l = 0; l < list->count; l++)
        CAFE_TRY(cafe_graph_read(context, list->path[l], &o, &graphs[l]));
    CAFE_TRY(cafe_graph_join(context, list->count, (const cafe_graph *const *)graphs,
                             (const char *const *)list->path, weights, graph));
    CAFE_TRY(cafe_graph_set_reading(*graph, &graphs[0]->reading));
done:
    for (int64_t l = 0; graphs && l < list->count; l++) cafe_graph_free(graphs[l]);
    cafe_mem_free_all(context, graphs, weights);
    return status;
}

cafe_status cafe_layers_read(cafe_context *context, const cafe_file_list *list,
                             const cafe_graph_options *options, cafe_graph **graph) {
    *graph = NULL;
    cafe_status status = options->layer || options->time
                             ? read_column(context, list, options, graph)
                             : read_files(context, list, options, graph);
    if (status == CAFE_OK) status = cafe_graph_set_tables(*graph, options);
    if (status == CAFE_OK) return CAFE_OK;
    cafe_graph_free(*graph);
    *graph = NULL;
    return status;
}
