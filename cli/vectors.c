/* Rows of numbers for the nodes of a graph: what the library reads, in memory of the tool. */
#include "vectors.h"

#include <stdlib.h>
#include <string.h>

#include "command.h"

typedef cafe_status read_rows(cafe_context *context, const cafe_graph *graph, const char *path,
                              int64_t *columns, float **rows);

static int take(cli_run *run, read_rows *read, const char *path, const cafe_graph *graph,
                int64_t *columns, float **rows) {
    float *read_here = NULL;
    *rows = NULL;
    CLI_TRY(cli_check(run, read(run->context, graph, path, columns, &read_here)));
    size_t bytes = (size_t)(cafe_graph_nodes(graph) * *columns) * sizeof **rows;
    *rows = malloc(bytes + 1);
    if (*rows) memcpy(*rows, read_here, bytes);
    cafe_block_free(run->context, read_here);
    return *rows ? CLI_OK : cli_error(run, CLI_FAILED, "out of memory: vectors");
}

int cli_read_vectors(cli_run *run, const char *path, const cafe_graph *graph, int64_t *columns,
                     float **vectors) {
    return take(run, cafe_vectors_read, path, graph, columns, vectors);
}

int cli_read_rows(cli_run *run, const char *path, const cafe_graph *graph, float **x,
                  int64_t *width) {
    return take(run, cafe_attributes_read, path, graph, width, x);
}
