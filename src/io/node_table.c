/* Tables of a graph's nodes. A table alone cannot show whether its first column of integers names
 * the rows. Beside its graph it can: if the integers are the names of the nodes, each once, they
 * name the rows. So a .tsv of vectors is read back correctly, as is a CSV with ids in any order. */
#include <math.h>
#include <string.h>

#include <cafe-private/inputs.h>

#include "base/memory.h"
#include "io/digits.h"
#include "io/table.h"

static const float exact = 0x1p24f; /* a float holds every integer below */

/* The node that the cell names, or -1. */
static int64_t node_of(const cafe_graph *graph, float cell, int64_t *integer) {
    char name[CAFE_INTEGER_TEXT + 1];
    if (cell != floorf(cell) || fabsf(cell) >= exact) return -1;
    *integer = (int64_t)cell;
    *cafe_put_integer(name, *integer) = 0;
    return cafe_graph_find(graph, name);
}

static bool are_names(const cafe_table *t, const cafe_graph *graph, uint8_t *met,
                      int64_t *integers) {
    for (int64_t i = 0; i < t->rows; i++) {
        int64_t u = node_of(graph, t->values[i * t->columns], &integers[i]);
        if (u < 0 || met[u]++) return false;
    }
    return true;
}

static cafe_status drop_first_column(cafe_table *t) {
    int64_t columns = t->columns - 1, *start = cafe_mem(t->context, columns + 1, sizeof *start);
    const int64_t *old = t->column_names.start;
    CAFE_PASS(cafe_mem_had(start));
    t->columns = columns;
    for (int64_t i = 0; i < t->rows; i++)
        memmove(t->values + i * columns, t->values + i * (columns + 1) + 1,
                (size_t)columns * sizeof *t->values);
    for (int64_t j = 0; old && j <= columns; j++) start[j] = old[j + 1];
    t->column_names.start = old ? start : NULL;
    cafe_mem_free(t->context, old ? old : start);
    return CAFE_OK;
}

cafe_status cafe_table_take_ids(cafe_table *t, const cafe_graph *graph) {
    bool open = t->text && t->row_names.kind == CAFE_NAMES_INDEX && t->columns > 1;
    if (!open || cafe_graph_node_names(graph)->kind == CAFE_NAMES_STRING ||
        t->rows != cafe_graph_nodes(graph))
        return CAFE_OK;
    uint8_t *met = cafe_mem_zero(t->context, t->rows, 1);
    int64_t *integers = met ? cafe_mem(t->context, t->rows, sizeof *integers) : NULL;
    cafe_status status = integers ? CAFE_OK : CAFE_ERROR_MEMORY;
    if (integers && are_names(t, graph, met, integers)) {
        t->row_names = (cafe_names){.kind = CAFE_NAMES_INTEGER, .integers = integers};
        integers = NULL;
        status = drop_first_column(t);
    }
    cafe_mem_free_all(t->context, met, integers);
    return status;
}

cafe_status cafe_table_read_nodes(cafe_context *context, const char *path, const cafe_graph *graph,
                                  cafe_table **table) {
    CAFE_PASS(cafe_table_read_as(context, path, CAFE_TABLE_LOOK, cafe_graph_tables(graph), table));
    cafe_status status = cafe_table_take_ids(*table, graph);
    if (status == CAFE_OK) return status;
    cafe_table_free(*table);
    *table = NULL;
    return status;
}
