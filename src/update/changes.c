/* From lines of changes to changed arcs: new nodes; added, removed and reweighted edges. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "graph/compressed_rows.h"
#include "graph/graph.h"
#include "io/text_position.h"
#include "update/update.h"

/* ---- numbering ------------------------------------------------------------------------------- */

typedef struct numbered {
    int64_t value;
    int64_t newcomer;
} numbered;

static int by_value(const void *a, const void *b) {
    int64_t x = ((const numbered *)a)->value, y = ((const numbered *)b)->value;
    return (x > y) - (x < y);
}

/* All newcomers as integers, ascending; false when one is not. */
static bool integers(const cafe_newcomers *names, numbered *list) {
    for (int64_t i = 0; i < names->names.count; i++) {
        const char *name = cafe_dictionary_text(&names->names, i);
        size_t digits = strspn(name + (*name == '-'), "0123456789");
        char *end;
        if (digits == 0 || digits > 18) return false;
        list[i] = (numbered){strtoll(name, &end, 10), i};
        if (*end != 0) return false;
    }
    qsort(list, (size_t)names->names.count, sizeof *list, by_value);
    return true;
}

static int64_t integer_name(const cafe_graph *graph, int64_t u) {
    return graph->names.kind == CAFE_NAMES_INTEGER ? graph->names.integers[u] : u;
}

/* Old and new integer names in one ascending order. */
static cafe_status merge_integers(cafe_changes *c, const numbered *list) {
    const cafe_graph *old = c->old;
    int64_t n = c->graph->n, i = 0, u = 0, *values = cafe_mem(c->context, n, sizeof *values);
    bool index = true;
    if (!values) return CAFE_ERROR_MEMORY;
    for (int64_t at = 0; at < n; at++) {
        bool newcomer =
            u == old->n || (at - u < n - old->n && list[i].value < integer_name(old, u));
        values[at] = newcomer ? list[i].value : integer_name(old, u);
        c->origin[at] = newcomer ? -1 : (int32_t)u;
        c->place[newcomer ? old->n + list[i++].newcomer : u++] = (int32_t)at;
        index = index && values[at] == at;
    }
    if (index)
        cafe_mem_free(c->context, values);
    else
        cafe_graph_adopt_names(c->own,
                               (cafe_names){.kind = CAFE_NAMES_INTEGER, .integers = values});
    return CAFE_OK;
}

/* Without new nodes the names are those of the old graph, which outlives the changes. */
static cafe_status number_newcomers(cafe_changes *c, const cafe_newcomers *names,
                                    int64_t newcomers) {
    const cafe_graph *old = c->old;
    cafe_status status = CAFE_OK;
    if (newcomers == 0) c->own->names = old->names;
    if (newcomers == 0 || (!names && old->names.kind == CAFE_NAMES_INDEX)) return CAFE_OK;
    numbered *list = cafe_mem(c->context, newcomers + 1, sizeof *list);
    CAFE_PASS(cafe_mem_had(list));
    if (old->names.kind != CAFE_NAMES_STRING && (!names || integers(names, list)))
        status = merge_integers(c, list);
    else
        status = cafe_newcomers_append(c->own, old, names);
    cafe_mem_free(c->context, list);
    return status;
}

cafe_status cafe_changes_number(cafe_changes *c, const cafe_newcomers *names, int64_t newcomers) {
    int64_t n = c->own->n = c->nodes = c->old_nodes + newcomers;
    c->same_numbers = newcomers == 0;
    c->origin = cafe_mem(c->context, n, sizeof *c->origin);
    c->place = cafe_mem(c->context, n, sizeof *c->place);
    CAFE_PASS(cafe_mem_had(c->origin, c->place));
    for (int64_t u = 0; u < n; u++) {
        c->place[u] = (int32_t)u;
        c->origin[u] = u < c->old_nodes ? (int32_t)u : -1;
    }
    return number_newcomers(c, names, newcomers);
}

/* ---- resolving ------------------------------------------------------------------------------- */

float cafe_changes_weight(const cafe_graph *graph, int64_t u, int64_t w) {
    int64_t end = graph->offsets[u + 1];
    int64_t low = cafe_row_find(graph->targets, graph->offsets[u], end, w);
    if (low == end || graph->targets[low] != w) return 0;
    return graph->weights ? graph->weights[low] : 1;
}

/* A line between new numbers u <= v, and its place in the file's order. */
typedef struct step {
    int32_t u, v;
    int64_t line;
} step;

static int by_edge(const void *a, const void *b) {
    const step *x = a, *y = b;
    if (x->u != y->u) return x->u < y->u ? -1 : 1;
    if (x->v != y->v) return x->v < y->v ? -1 : 1;
    return x->line < y->line ? -1 : 1;
}

static int by_arc(const void *a, const void *b) {
    const cafe_changed_arc *x = a, *y = b;
    if (x->u != y->u) return x->u < y->u ? -1 : 1;
    return x->v < y->v ? -1 : x->v > y->v;
}

static float old_weight(const cafe_changes *c, int32_t u, int32_t v) {
    if (c->origin[u] < 0 || c->origin[v] < 0) return 0;
    return cafe_changes_weight(c->old, c->origin[u], c->origin[v]);
}

static void note_arcs(cafe_changes *c, int32_t u, int32_t v, float before, float after) {
    if (before == after) return;
    c->counts.added += before == 0;
    c->counts.removed += after == 0;
    c->counts.reweighted += before != 0 && after != 0;
    c->arcs[c->arc_count++] = (cafe_changed_arc){u, v, before, after};
    if (u != v) c->arcs[c->arc_count++] = (cafe_changed_arc){v, u, before, after};
}

/* The steps of one edge in their order. A removal without an edge lowers *wrong to its line. */
static void run_edge(cafe_changes *c, const cafe_link_lines *lines, const step *steps,
                     int64_t count, int64_t *wrong) {
    int32_t u = steps->u, v = steps->v;
    bool loop = u == v, dropped = loop && !c->old->counts.self_loops_kept;
    float before = old_weight(c, u, v), now = before;
    for (int64_t i = 0; i < count; i++) {
        float w = lines->at[steps[i].line].weight;
        c->counts.loops += dropped;
        if (dropped) continue;
        if (w < 0) {
            if (now == 0 && steps[i].line < *wrong) *wrong = steps[i].line;
            now = 0;
            continue;
        }
        if (now > 0 && !c->weighted)
            c->counts.repeated++;
        else
            now += loop ? 2 * w : w; /* a(u,u) of a loop of weight w is 2w */
    }
    note_arcs(c, u, v, before, now);
}

static cafe_status fail_removal(cafe_context *context, const cafe_graph *graph,
                                const cafe_link_line *line, const int32_t *place,
                                const char *path) {
    char name[2][64], shown[2][264];
    for (int i = 0; i < 2; i++) {
        size_t length = cafe_graph_name(graph, place[i ? line->v : line->u], name[i], 64);
        cafe_escape((const uint8_t *)name[i], length < 63 ? (int64_t)length : 63, 40, shown[i]);
    }
    if (!path)
        return cafe_fail(context, CAFE_ERROR_ARGUMENT, "no edge between '%s' and '%s' to remove",
                         shown[0], shown[1]);
    return cafe_fail(context, CAFE_ERROR_FORMAT,
                     "%s:%lld:%lld: expected an edge of the graph to remove, found none between "
                     "'%s' and '%s'",
                     path, (long long)line->line, (long long)line->column, shown[0], shown[1]);
}

static void count_touched(cafe_changes *c) {
    for (int64_t i = 0; i < c->arc_count; i++)
        c->counts.touched += i == 0 || c->arcs[i].u != c->arcs[i - 1].u;
}

cafe_status cafe_changes_resolve(cafe_changes *c, cafe_link_lines *lines, const char *path) {
    int64_t count = lines->count, wrong = INT64_MAX;
    const int32_t *place = c->place;
    step *steps = cafe_mem(c->context, count, sizeof *steps);
    c->arcs = cafe_mem(c->context, 2 * count, sizeof *c->arcs);
    c->counts.lines = count;
    if (!steps || !c->arcs) {
        cafe_mem_free(c->context, steps);
        return CAFE_ERROR_MEMORY;
    }
    for (int64_t i = 0; i < count; i++) {
        int32_t u = place[lines->at[i].u], v = place[lines->at[i].v];
        steps[i] = (step){u < v ? u : v, u < v ? v : u, i};
    }
    qsort(steps, (size_t)count, sizeof *steps, by_edge);
    for (int64_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && steps[end].u == steps[i].u && steps[end].v == steps[i].v;)
            end++;
        run_edge(c, lines, steps + i, end - i, &wrong);
    }
    cafe_mem_free(c->context, steps);
    if (wrong < INT64_MAX)
        return fail_removal(c->context, c->graph, &lines->at[wrong], place, path);
    qsort(c->arcs, (size_t)c->arc_count, sizeof *c->arcs, by_arc);
    count_touched(c);
    return CAFE_OK;
}
