/* The changed graph: old rows and changed arcs merged, row by row, in parallel. */
#include <string.h>

#include <cafe-private/inputs.h>
#include <cafe/labels.h>

#include "base/memory.h"
#include "base/thread_pool.h"
#include "graph/attributes.h"
#include "graph/graph.h"
#include "io/attribute_source.h"
#include "io/name_format.h"
#include "io/text_position.h"
#include "update/update.h"

enum { ROWS = 1024 };

typedef struct merging {
    const cafe_changes *changes;
    const cafe_graph *old;
    int64_t *first; /* of each new node its first changed arc; n + 1 entries */
    int64_t *offsets;
    int32_t *targets; /* NULL while rows are counted */
    float *weights;   /* NULL: unweighted */
} merging;

static void put_arc(const merging *m, int64_t at, int32_t target, float weight) {
    if (!m->targets) return;
    m->targets[at] = target;
    if (m->weights) m->weights[at] = weight;
}

/* Old row and changed arcs of node u, both ascending, into one row at `at`; returns its end. */
static int64_t merge_row(const merging *m, int64_t u, int64_t at) {
    const cafe_graph *old = m->old;
    const cafe_changed_arc *arc = m->changes->arcs + m->first[u];
    const cafe_changed_arc *last = m->changes->arcs + m->first[u + 1];
    int32_t from = m->changes->origin[u];
    int64_t j = from < 0 ? 0 : old->offsets[from], end = from < 0 ? 0 : old->offsets[from + 1];
    while (j < end || arc < last) {
        int32_t target = j < end ? m->changes->place[old->targets[j]] : INT32_MAX;
        bool changed = arc < last && arc->v <= target;
        if (!changed) {
            put_arc(m, at++, target, old->weights ? old->weights[j] : 1);
            j++;
            continue;
        }
        if (arc->after > 0) put_arc(m, at++, arc->v, arc->after);
        j += arc->v == target;
        arc++;
    }
    return at;
}

static void count_rows(void *argument, int64_t first, int64_t last) {
    const merging *m = argument;
    for (int64_t u = first; u < last; u++) m->offsets[u + 1] = merge_row(m, u, 0);
}

static void fill_rows(void *argument, int64_t first, int64_t last) {
    const merging *m = argument;
    for (int64_t u = first; u < last; u++) merge_row(m, u, m->offsets[u]);
}

static void find_first(const cafe_changes *c, int64_t *first) {
    int64_t n = c->graph->n, i = 0;
    for (int64_t u = 0; u <= n; u++) {
        while (i < c->arc_count && c->arcs[i].u < u) i++;
        first[u] = i;
    }
}

static cafe_status fill(cafe_context *context, merging *m, cafe_graph *g, bool weighted) {
    int64_t *offsets = m->offsets;
    offsets[0] = 0;
    CAFE_PASS(cafe_ranges(context, g->n, ROWS, count_rows, m));
    for (int64_t u = 0; u < g->n; u++) offsets[u + 1] += offsets[u];
    g->arcs = offsets[g->n];
    g->targets = m->targets = cafe_mem(context, g->arcs, sizeof *m->targets);
    if (weighted) g->weights = m->weights = cafe_mem(context, g->arcs, sizeof *m->weights);
    if (!m->targets || (weighted && !m->weights)) return CAFE_ERROR_MEMORY;
    return cafe_ranges(context, g->n, ROWS, fill_rows, m);
}

/* Merges old rows and changed arcs into the new graph's rows. */
static cafe_status merge(cafe_changes *c) {
    cafe_context *context = c->context;
    cafe_graph *g = c->own;
    const cafe_graph *old = c->old;
    cafe_status status = CAFE_OK;
    merging m = {.changes = c, .old = old};
    g->owns_rows = true;
    g->offsets = m.offsets = cafe_mem(context, g->n + 1, sizeof *m.offsets);
    m.first = cafe_mem(context, g->n + 1, sizeof *m.first);
    CAFE_TRY(cafe_mem_had(m.offsets, m.first));
    find_first(c, m.first);
    CAFE_TRY(fill(context, &m, g, c->weighted));
    g->counts.weighted = c->weighted;
    g->counts.self_loops_kept = old->counts.self_loops_kept;
    CAFE_TRY(cafe_graph_count(context, g, true));
    for (int64_t u = 0; g->counts.self_loops_kept && u < g->n; u++)
        g->counts.self_loops += cafe_changes_weight(g, u, u) > 0;
    g->counts.lines = g->counts.edges;
done:
    cafe_mem_free(context, m.first);
    return status;
}

/* ---- the calls ------------------------------------------------------------------------------- */

static cafe_status make(cafe_context *context, const cafe_graph *old, const cafe_newcomers *names,
                        int64_t newcomers, cafe_link_lines *lines, const char *path,
                        cafe_changes **changes) {
    cafe_status status = CAFE_OK;
    cafe_changes *c = cafe_mem_zero(context, 1, sizeof *c);
    if (!c) return CAFE_ERROR_MEMORY;
    c->context = context;
    c->old = old;
    c->old_nodes = old->n;
    c->weighted = old->weights || lines->weighted;
    memcpy(c->reading, lines->reading, sizeof c->reading);
    c->counts.reading = c->reading;
    c->counts.new_nodes = newcomers;
    c->graph = c->own = cafe_graph_new(context);
    CAFE_TRY(cafe_mem_had(c->graph));
    CAFE_TRY(cafe_changes_number(c, names, newcomers));
    CAFE_TRY(cafe_changes_resolve(c, lines, path));
    c->counts.origin = c->origin;
    *changes = c;
    c = NULL;
done:
    cafe_changes_free(c);
    cafe_phase(context, "", 0);
    return path ? cafe_blame_file(context, path, status) : status;
}

/* Rows that were half made when the memory ran out. */
static void drop_rows(cafe_graph *g) {
    cafe_mem_free_all(g->context, g->offsets, g->targets, g->weights);
    g->offsets = NULL, g->targets = NULL, g->weights = NULL;
    g->owns_rows = false;
}

const cafe_graph *cafe_changes_graph(cafe_changes *changes) {
    if (changes->made) return changes->graph;
    changes->made = merge(changes) == CAFE_OK;
    if (!changes->made) drop_rows(changes->own);
    return changes->made ? changes->graph : NULL;
}

cafe_status cafe_changes_read(cafe_context *context, const cafe_graph *old, const char *path,
                              cafe_changes **changes) {
    cafe_newcomers names = {.graph = old, .names.context = context};
    cafe_link_lines lines = {.context = context};
    cafe_status status = CAFE_OK;
    *changes = NULL;
    CAFE_TRY(cafe_newcomers_read(&names, CAFE_LINES_CHANGES, path, &lines));
    status = make(context, old, &names, names.names.count, &lines, path, changes);
done:
    cafe_dictionary_free(&names.names);
    cafe_link_lines_free(&lines);
    return status;
}

/* Keeps the counts of the edges as they were listed. */
static void keep_counts(const cafe_graph *old, cafe_graph *graph) {
    cafe_graph_counts counts = old->counts;
    counts.nodes = graph->counts.nodes;
    counts.isolated = graph->counts.isolated;
    counts.components = graph->counts.components;
    counts.largest = graph->counts.largest;
    counts.min_degree = graph->counts.min_degree;
    graph->counts = counts;
}

/* The attributes that the graph had, and those of the table of nodes: node u is place[u] in
 * `graph`; NULL: u. */
static cafe_status give_attributes(const cafe_graph *old, const cafe_columns *table,
                                   const int32_t *place, cafe_graph *graph) {
    cafe_columns columns = {.context = graph->context};
    const cafe_graph_reading *had = &old->reading;
    char digits[CAFE_ATTRIBUTE_DIGITS];
    cafe_status status = CAFE_OK;
    for (int64_t i = 0; i < had->attribute_count; i++)
        for (int64_t u = 0; u < old->n; u++) {
            const char *text = cafe_attribute_text(&had->attributes[i], u, digits);
            if (!text) continue;
            CAFE_TRY(
                cafe_columns_put(&columns, had->attributes[i].name, place ? place[u] : u, text));
        }
    for (int64_t i = 0; i < table->count; i++)
        for (int64_t u = 0; u < table->columns[i].nodes; u++) {
            const char *text = cafe_columns_text(&table->columns[i], u);
            if (!text) continue;
            CAFE_TRY(
                cafe_columns_put(&columns, table->columns[i].name, place ? place[u] : u, text));
        }
    cafe_attributes_free(graph->context, graph->reading.attribute_count, graph->reading.attributes);
    graph->reading.attributes = NULL;
    graph->reading.attribute_count = 0;
    status = cafe_columns_give(&columns, graph);
done:
    cafe_columns_free(&columns);
    return status;
}

/* The graph with the new nodes, in place of *graph. */
static cafe_status add_newcomers(cafe_context *context, const cafe_newcomers *names,
                                 cafe_columns *table, cafe_graph **graph) {
    cafe_link_lines lines = {.context = context};
    cafe_changes *changes = NULL;
    cafe_status status = CAFE_OK;
    if ((*graph)->negative)
        return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                         "nodes cannot be added to a graph with negative weights");
    CAFE_TRY(make(context, *graph, names, names->names.count, &lines, NULL, &changes));
    CAFE_TRY(merge(changes));
    keep_counts(*graph, changes->own);
    CAFE_TRY(cafe_graph_set_reading(changes->own, &(*graph)->reading));
    CAFE_TRY(cafe_graph_set_tables(changes->own, &(*graph)->tables));
    CAFE_TRY(give_attributes(*graph, table, changes->place, changes->own));
    cafe_graph_free(*graph);
    *graph = changes->own;
    changes->own = NULL;
done:
    cafe_changes_free(changes);
    return status;
}

/* Says how the table was read. */
static cafe_status note_table(cafe_graph *graph, const char *path, const char *text) {
    cafe_graph_reading reading = graph->reading;
    char both[2048];
    cafe_print(both, sizeof both, "%s; nodes of %.200s: %s", reading.text ? reading.text : "", path,
               text);
    reading.text = both;
    return cafe_graph_set_reading(graph, &reading);
}

cafe_status cafe_graph_add_labelled(cafe_context *context, const char *path,
                                    const cafe_label_columns *columns, cafe_graph **graph,
                                    int64_t *added) {
    cafe_columns table = {.context = context};
    bool nodes = columns && columns->nodes;
    cafe_newcomers names = {.graph = *graph,
                            .names.context = context,
                            .columns = columns,
                            .attributes = nodes ? &table : NULL};
    cafe_status status = CAFE_OK;
    cafe_attribute_source source;
    *added = 0;
    CAFE_PASS(cafe_attribute_source_find(context, *graph, path, &source));
    if (source.count > 0) return CAFE_OK; /* attributes are of nodes of the graph */
    CAFE_TRY(cafe_newcomers_read(&names, CAFE_LINES_LABELS, path, NULL));
    *added = names.names.count;
    if (*added > 0)
        status = add_newcomers(context, &names, &table, graph);
    else if (table.count > 0)
        status = give_attributes(*graph, &table, NULL, *graph);
    if (status == CAFE_OK && table.count > 0) status = note_table(*graph, path, names.reading);
done:
    cafe_columns_free(&table);
    cafe_dictionary_free(&names.names);
    return cafe_blame_file(context, path, status);
}

static cafe_status check_links(cafe_context *context, int64_t nodes, int64_t count,
                               const int32_t *source, const int32_t *target, const float *weights) {
    for (int64_t i = 0; i < count; i++) {
        if (source[i] < 0 || source[i] >= nodes || target[i] < 0 || target[i] >= nodes)
            return cafe_fail(context, CAFE_ERROR_ARGUMENT, "edge %lld leaves the nodes 0 .. %lld",
                             (long long)i, (long long)nodes - 1);
        if (weights && !(weights[i] >= 0 && weights[i] <= 3.4e38f))
            return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                             "edge %lld has a weight that is negative or not finite", (long long)i);
    }
    return CAFE_OK;
}

cafe_status cafe_changes_from_edges(cafe_context *context, const cafe_graph *old, int64_t nodes,
                                    int64_t count, const int32_t *source, const int32_t *target,
                                    const float *weights, const uint8_t *removed,
                                    cafe_changes **changes) {
    cafe_link_lines lines = {.context = context, .weighted = weights != NULL};
    cafe_status status = CAFE_OK;
    *changes = NULL;
    if (nodes < old->n || nodes > CAFE_MOST_NODES || count < 0)
        return cafe_fail(context, CAFE_ERROR_ARGUMENT, "%lld nodes after the change of %lld",
                         (long long)nodes, (long long)old->n);
    if (nodes > old->n && old->names.kind != CAFE_NAMES_INDEX)
        return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                         "new nodes of a graph with names of its own need names");
    CAFE_TRY(check_links(context, nodes, count, source, target, weights));
    for (int64_t i = 0; i < count; i++) {
        float weight = removed && removed[i] ? -1 : weights ? weights[i] : 1;
        CAFE_TRY(cafe_link_add(&lines, (cafe_link_line){source[i], target[i], weight, 0, 0}));
    }
    status = make(context, old, NULL, nodes - old->n, &lines, NULL, changes);
done:
    cafe_link_lines_free(&lines);
    return status;
}

void cafe_changes_free(cafe_changes *changes) {
    if (!changes) return;
    cafe_graph_free(changes->own);
    cafe_mem_free_all(changes->context, changes->origin, changes->place, changes->arcs, changes);
}

const cafe_changes_report *cafe_changes_get(const cafe_changes *changes) {
    return &changes->counts;
}
