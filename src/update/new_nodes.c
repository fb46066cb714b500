/* Names of nodes and of new nodes, and lists of edges. */
#include <string.h>

#include "base/memory.h"
#include "graph/graph.h"
#include "update/update.h"

cafe_status cafe_newcomers_append(cafe_graph *graph, const cafe_graph *old,
                                  const cafe_newcomers *names) {
    int64_t known = old ? old->n : 0, bytes = names ? names->names.used : 0;
    char unused;
    for (int64_t u = 0; u < known; u++) bytes += (int64_t)cafe_graph_name(old, u, &unused, 1) + 1;
    int64_t *start = cafe_mem(graph->context, graph->n + 1, sizeof *start);
    char *text = cafe_mem(graph->context, bytes + 1, 1);
    cafe_graph_adopt_names(graph,
                           (cafe_names){.kind = CAFE_NAMES_STRING, .start = start, .text = text});
    if (!start || !text) return CAFE_ERROR_MEMORY;
    start[0] = 0;
    for (int64_t u = 0; u < graph->n; u++) { /* without the final 0 of each */
        char *to = text + start[u];
        size_t length, room = (size_t)(bytes + 1 - start[u]);
        if (u < known) {
            length = cafe_graph_name(old, u, to, room);
        } else {
            const char *name = cafe_dictionary_text(&names->names, u - known);
            length = strlen(name);
            memcpy(to, name, length);
        }
        start[u + 1] = start[u] + (int64_t)length;
    }
    return CAFE_OK;
}

cafe_status cafe_link_add(cafe_link_lines *lines, cafe_link_line line) {
    cafe_status status = cafe_mem_grow(lines->context, &lines->at, &lines->room, lines->count + 1,
                                       sizeof *lines->at);
    if (status == CAFE_OK) lines->at[lines->count++] = line;
    return status;
}

void cafe_link_lines_free(cafe_link_lines *lines) {
    cafe_mem_free(lines->context, lines->at);
}
