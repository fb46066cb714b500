/* Names for nodes from an array of texts: what a name is, and whether each one has its own. */
#include <string.h>

#include "base/memory.h"
#include "base/print.h"
#include "graph/graph.h"

bool cafe_is_name(const char *text, int64_t length) {
    const uint8_t *bytes = (const uint8_t *)text;
    return length > 0 && length <= CAFE_LONGEST_NAME && !memchr(text, '\n', (size_t)length) &&
           !memchr(text, '\r', (size_t)length) &&
           cafe_bad_utf8(bytes, bytes + length) == bytes + length;
}

/* Checks that a look-up of each name finds its own node. */
static cafe_status check_names(cafe_context *context, const cafe_graph *graph) {
    cafe_status status = CAFE_OK;
    int64_t room = 0;
    char *text = NULL;
    for (int64_t u = 0; u < graph->n && status == CAFE_OK; u++) {
        int64_t length = graph->names.start[u + 1] - graph->names.start[u];
        CAFE_TRY(cafe_mem_grow(context, &text, &room, length + 1, 1));
        cafe_graph_name(graph, u, text, (size_t)room);
        int64_t first = cafe_graph_find(graph, text);
        if (!atomic_load(&graph->index)) /* comparing one by one takes too long */
            status = CAFE_ERROR_MEMORY;
        else if (first != u)
            status = cafe_fail(context, CAFE_ERROR_FORMAT,
                               "rows %lld and %lld: expected names that differ, found '%.100s' "
                               "twice",
                               (long long)first, (long long)u, text);
        else if (u % 65536 == 0)
            status = cafe_check_cancel(context);
    }
done:
    cafe_mem_free(context, text);
    return status;
}

cafe_status cafe_graph_take_names(cafe_context *context, cafe_graph *graph, cafe_names names) {
    cafe_graph_adopt_names(graph, names);
    cafe_status status = check_names(context, graph);
    if (status == CAFE_OK) return status;
    cafe_mem_free(context, atomic_exchange(&graph->index, NULL));
    cafe_names_free(context, &graph->names);
    return status;
}

cafe_status cafe_names_new(cafe_context *context, int64_t n, int64_t bytes, int64_t **start,
                           char **text) {
    *start = cafe_mem(context, n + 1, sizeof **start);
    *text = *start ? cafe_mem(context, bytes, 1) : NULL;
    if (*text) return CAFE_OK;
    cafe_mem_free(context, *start);
    return CAFE_ERROR_MEMORY;
}

cafe_status cafe_graph_set_names(cafe_context *context, cafe_graph *graph,
                                 const char *const *names) {
    int64_t n = graph->n, bytes = 0, *start;
    char *text;
    if (graph->names.kind != CAFE_NAMES_INDEX)
        return cafe_fail(context, CAFE_ERROR_ARGUMENT, "the graph has names already");
    for (int64_t u = 0; u < n; u++) {
        size_t length = strlen(names[u]);
        if (!cafe_is_name(names[u], (int64_t)length))
            return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                             "name %lld: expected one line of UTF-8 text of 1 to %d bytes",
                             (long long)u, CAFE_LONGEST_NAME);
        bytes += (int64_t)length;
    }
    CAFE_PASS(cafe_names_new(context, n, bytes, &start, &text));
    start[0] = 0;
    for (int64_t u = 0; u < n; u++) {
        size_t length = strlen(names[u]);
        memcpy(text + start[u], names[u], length);
        start[u + 1] = start[u] + (int64_t)length;
    }
    cafe_status status = cafe_graph_take_names(
        context, graph, (cafe_names){CAFE_NAMES_STRING, .start = start, .text = text});
    return status == CAFE_ERROR_FORMAT ? CAFE_ERROR_ARGUMENT : status;
}
