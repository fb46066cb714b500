/* Names of new nodes as a graph carries them, and lists of links. */
#include <string.h>

#include "base/memory.h"
#include "update/update.h"

cafe_status cafe_newcomers_graph(const cafe_newcomers *newcomers, cafe_graph **graph) {
    const cafe_dictionary *names = &newcomers->names;
    cafe_context *context = names->context;
    cafe_graph *g = *graph = cafe_graph_new(context);
    if (!g) return CAFE_ERROR_MEMORY;
    g->n = names->count;
    int64_t *start = cafe_mem(context, names->count + 1, sizeof *start);
    char *text = cafe_mem(context, names->used, 1);
    cafe_graph_adopt_names(g,
                           (cafe_names){.kind = CAFE_NAMES_STRING, .start = start, .text = text});
    if (!start || !text) return CAFE_ERROR_MEMORY;
    start[0] = 0;
    for (int64_t i = 0; i < names->count; i++) { /* without the 0 behind each */
        const char *name = cafe_dictionary_text(names, i);
        size_t length = strlen(name);
        memcpy(text + start[i], name, length);
        start[i + 1] = start[i] + (int64_t)length;
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
