/* Rows of a table in the order of a graph's nodes. */
#include "rows.h"

#include <stdlib.h>
#include <string.h>

#include "command.h"

enum { NAME = 1024 };

/* Rows of a table in the order of the nodes, whatever the order of the file. */
static int place_rows(cli_run *run, const char *path, const cafe_graph *graph,
                      const cafe_table *table, float *x) {
    int64_t n = cafe_graph_nodes(graph), width = cafe_table_columns(table);
    char name[NAME];
    int code = CLI_OK;
    uint8_t *met = calloc((size_t)n + 1, 1);
    if (!met) return cli_error(run, CLI_FAILED, "out of memory");
    for (int64_t i = 0; i < n && code == CLI_OK; i++) {
        cafe_table_row_name(table, i, name, sizeof name);
        int64_t u = cafe_graph_find(graph, name);
        if (u < 0)
            code = cli_error(run, CLI_INPUT, "%s: the graph has no node '%s'", path, name);
        else if (met[u]++)
            code = cli_error(run, CLI_INPUT, "%s: the node '%s' comes twice", path, name);
        else
            memcpy(x + u * width, cafe_table_values(table) + i * width, (size_t)width * sizeof *x);
    }
    free(met);
    return code;
}

int cli_read_rows(cli_run *run, const char *path, const cafe_graph *graph, float **x,
                  int64_t *width) {
    cafe_table *table = NULL;
    int64_t n = cafe_graph_nodes(graph);
    int code = cli_check(run, cafe_table_read(run->context, path, &table));
    if (code != CLI_OK) return code;
    *width = cafe_table_columns(table);
    size_t bytes = (size_t)(n * *width) * sizeof **x;
    if (cafe_table_rows(table) != n)
        code = cli_error(run, CLI_INPUT, "%s: expected a row for each of %lld nodes, found %lld",
                         path, (long long)n, (long long)cafe_table_rows(table));
    else if (!(*x = malloc(bytes + 1)))
        code = cli_error(run, CLI_FAILED, "out of memory");
    else if (cafe_table_has_row_names(table))
        code = place_rows(run, path, graph, table, *x);
    else
        memcpy(*x, cafe_table_values(table), bytes);
    cafe_table_free(table);
    return code;
}
