/* The readers of sets and lists: a file with one node name per line, or a table of nodes. */
#include <string.h>

#include <cafe/rank.h>

#include "base/memory.h"
#include "base/print.h"
#include "io/table_layout.h"

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

typedef struct listing {
    const cafe_graph *graph;
    cafe_rows rows;
    cafe_table_layout layout; /* of a table of nodes */
    bool table;
    bool headed; /* it is a list, and its first line is a heading */
    int32_t *nodes;
    int64_t count, room;
} listing;

/* Is it a table of nodes? Then its first line is no name, and it has several columns. */
static cafe_status look(listing *l, bool more) {
    cafe_table_request request = {.graph = l->graph};
    cafe_rows *rows = &l->rows;
    if (!more) return CAFE_OK;
    cafe_status status = cafe_rows_rest(rows, "the name of a node of the graph");
    bool list = status == CAFE_OK && cafe_graph_find(l->graph, rows->field) >= 0;
    l->headed = status == CAFE_OK && !list && cafe_table_heads_list(rows, l->graph);
    if (!list) status = cafe_table_layout_find(&rows->input, &request, &l->layout);
    if (status != CAFE_OK && status != CAFE_ERROR_FORMAT) return status;
    l->table = !list && status == CAFE_OK && l->layout.columns > 1 && l->layout.separator != ' ';
    cafe_text_rewind(&rows->text); /* a list that is refused is refused by its line */
    return CAFE_OK;
}

static cafe_status next_node(listing *l, bool first, bool *more) {
    if (l->table && first) return cafe_table_first(&l->rows, &l->layout, more);
    if (l->headed && first) CAFE_PASS(cafe_rows_next(&l->rows, more));
    return l->table ? cafe_table_next(&l->rows, &l->layout, more) : cafe_rows_next(&l->rows, more);
}

static cafe_status take_node(listing *l) {
    cafe_rows *rows = &l->rows;
    cafe_place begin = rows->line;
    CAFE_PASS(l->table ? cafe_table_node(rows, &l->layout)
                       : cafe_rows_rest(rows, "the name of a node of the graph"));
    int64_t u = cafe_graph_find(l->graph, rows->field);
    if (u < 0) return fail_name(rows->context, l->table ? &rows->line : &begin, rows);
    CAFE_PASS(cafe_mem_grow(rows->context, &l->nodes, &l->room, l->count + 1, sizeof *l->nodes));
    l->nodes[l->count++] = (int32_t)u;
    return CAFE_OK;
}

static cafe_status read_list(listing *l, const char *path) {
    bool more = false;
    CAFE_PASS(cafe_rows_open(l->rows.context, path, &l->rows));
    CAFE_PASS(cafe_rows_next(&l->rows, &more));
    CAFE_PASS(look(l, more));
    const char *text = l->headed ? "a node per line; a heading" : "a node per line; no heading";
    cafe_note_table(l->rows.context, l->rows.input.name, l->table ? l->layout.text : text);
    CAFE_PASS(next_node(l, true, &more));
    while (more) {
        CAFE_PASS(take_node(l));
        CAFE_PASS(next_node(l, false, &more));
    }
    return CAFE_OK;
}

cafe_status cafe_nodes_read(cafe_context *context, const cafe_graph *graph, const char *path,
                            int64_t *count, int32_t **nodes) {
    listing *l = cafe_mem_zero(context, 1, sizeof *l);
    *count = 0;
    *nodes = NULL;
    if (!l) return CAFE_ERROR_MEMORY;
    l->graph = graph;
    l->rows.context = context;
    cafe_status status = read_list(l, path);
    if (status == CAFE_OK) {
        *count = l->count;
        *nodes = l->nodes;
        l->nodes = NULL;
    }
    if (l->rows.input.context) cafe_rows_close(&l->rows);
    cafe_table_layout_free(&l->layout);
    cafe_mem_free_all(context, l->nodes, l);
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
