/* Rows of a table as nodes of a graph: the nodes take the rows' names. */
#include <cafe/points.h>

#include <string.h>

#include "base/memory.h"
#include "graph/graph.h"
#include "io/table.h"

/* The first row that has this row's name, through the graph's index of names. */
static int64_t namesake(const cafe_graph *graph, const cafe_names *names, int64_t row, char *text) {
    size_t length = (size_t)(names->start[row + 1] - names->start[row]);
    memcpy(text, names->text + names->start[row], length);
    text[length] = 0;
    return cafe_graph_find(graph, text);
}

static cafe_status check_names(cafe_context *context, const cafe_graph *graph,
                               const cafe_names *names) {
    int64_t n = graph->n, longest = 0;
    for (int64_t u = 0; u < n; u++)
        if (names->start[u + 1] - names->start[u] > longest)
            longest = names->start[u + 1] - names->start[u];
    char *text = cafe_mem(context, longest + 1, 1);
    if (!text) return CAFE_ERROR_MEMORY;
    cafe_status status = CAFE_OK;
    for (int64_t u = 0; u < n && status == CAFE_OK; u++) {
        int64_t first = namesake(graph, names, u, text);
        if (first != u)
            status = cafe_fail(context, CAFE_ERROR_FORMAT,
                               "rows %lld and %lld: expected names that differ, found '%.100s' "
                               "twice",
                               (long long)first, (long long)u, text);
        else if (u % 65536 == 0)
            status = cafe_check_cancel(context);
    }
    cafe_mem_free(context, text);
    return status;
}

cafe_status cafe_graph_name_rows(cafe_context *context, cafe_graph *graph,
                                 const cafe_table *table) {
    const cafe_names *given = &table->row_names;
    int64_t n = graph->n;
    if (n != table->rows)
        return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                         "a graph of %lld nodes cannot take the names of %lld rows", (long long)n,
                         (long long)table->rows);
    if (given->kind == CAFE_NAMES_INDEX || graph->names.kind != CAFE_NAMES_INDEX) return CAFE_OK;
    int64_t *start = cafe_mem(context, n + 1, sizeof *start);
    char *text = cafe_mem(context, given->start[n], 1);
    if (!start || !text) {
        cafe_mem_free(context, start);
        cafe_mem_free(context, text);
        return CAFE_ERROR_MEMORY;
    }
    memcpy(start, given->start, (size_t)(n + 1) * sizeof *start);
    memcpy(text, given->text, (size_t)given->start[n]);
    cafe_graph_adopt_names(graph,
                           (cafe_names){.kind = CAFE_NAMES_STRING, .start = start, .text = text});
    return check_names(context, graph, given);
}
