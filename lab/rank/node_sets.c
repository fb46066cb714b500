/* The readers of sets and lists: a file with one node name per line. */
#include <string.h>

#include <cafe/rank.h>

#include "base/memory.h"
#include "base/print.h"
#include "io/field_lines.h"

enum { SHOWN = 40 }; /* bytes of a line that is no name */

/* A line is one name, blanks included: the message shows the whole line. */
static cafe_status fail_name(cafe_context *context, const cafe_place *begin,
                             const cafe_rows *rows) {
    static const char expected[] = "the name of a node of the graph";
    char shown[4 * SHOWN + 4];
    if (!strpbrk(rows->field, " \t,;")) return cafe_fail_at(context, begin, "%s", expected);
    cafe_escape((const uint8_t *)rows->field, rows->length, SHOWN, shown);
    return cafe_fail_at(context, begin, "%s and nothing else in the line '%s'", expected, shown);
}

cafe_status cafe_nodes_read(cafe_context *context, const cafe_graph *graph, const char *path,
                            int64_t *count, int32_t **nodes) {
    cafe_rows rows;
    cafe_status status = CAFE_OK;
    int32_t *list = NULL;
    int64_t found = 0, room = 0;
    bool more = false;
    *count = 0;
    *nodes = NULL;
    CAFE_TRY(cafe_rows_open(context, path, &rows));
    CAFE_TRY(cafe_rows_next(&rows, &more));
    while (more) {
        cafe_place begin = rows.line;
        CAFE_TRY(cafe_rows_rest(&rows, "the name of a node of the graph"));
        int64_t u = cafe_graph_find(graph, rows.field);
        if (u < 0) CAFE_TRY(fail_name(context, &begin, &rows));
        CAFE_TRY(cafe_mem_grow(context, &list, &room, found + 1, sizeof *list));
        list[found++] = (int32_t)u;
        CAFE_TRY(cafe_rows_next(&rows, &more));
    }
    *count = found;
    *nodes = list;
    list = NULL;
done:
    cafe_mem_free(context, list);
    cafe_rows_close(&rows);
    return status;
}

void cafe_nodes_free(cafe_context *context, int32_t *nodes) {
    cafe_mem_free(context, nodes);
}

cafe_status cafe_set_read(cafe_context *context, const cafe_graph *graph, const char *path,
                          uint8_t *member, int64_t *count) {
    int64_t listed = 0;
    int32_t *nodes = NULL;
    memset(member, 0, (size_t)cafe_graph_nodes(graph));
    *count = 0;
    cafe_status status = cafe_nodes_read(context, graph, path, &listed, &nodes);
    for (int64_t i = 0; i < listed; i++) {
        *count += !member[nodes[i]];
        member[nodes[i]] = 1;
    }
    cafe_nodes_free(context, nodes);
    return status;
}
