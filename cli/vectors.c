/* Rows of numbers for the nodes of a graph: what the library reads, in memory of the tool. */
#include "vectors.h"

#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "labels.h"

typedef cafe_status read_rows(cafe_context *context, const cafe_graph *graph, const char *path,
                              int64_t *columns, float **rows);

static int keep(cli_run *run, int64_t numbers, float *read, float **rows) {
    *rows = malloc((size_t)numbers * sizeof **rows + 1);
    if (*rows) memcpy(*rows, read, (size_t)numbers * sizeof **rows);
    cafe_block_free(run->context, read);
    return *rows ? CLI_OK : cli_error(run, CLI_FAILED, "out of memory: vectors");
}

static int take(cli_run *run, read_rows *read, const char *path, const cafe_graph *graph,
                int64_t *columns, float **rows) {
    float *read_here = NULL;
    *rows = NULL;
    CLI_TRY(cli_check(run, read(run->context, graph, path, columns, &read_here)));
    return keep(run, cafe_graph_nodes(graph) * *columns, read_here, rows);
}

/* When a file of labels names every node and others, and vectors do not fit: they may be of all. */
static cafe_status read_with_labels(cli_run *run, const char *path, const char *labels,
                                    cafe_graph **graph, int64_t *columns, float **rows) {
    bool own = run->graph == *graph;
    int64_t added = 0;
    cafe_status status = cafe_vectors_read(run->context, *graph, path, columns, rows);
    if (status != CAFE_ERROR_FORMAT || !labels) return status;
    cafe_status listed = cli_try_labelled(run, labels, graph, &added);
    if (listed != CAFE_OK || added == 0) return listed != CAFE_OK ? listed : status;
    if (own) run->graph = *graph;
    if (own) run->counts = *cafe_graph_get_counts(*graph);
    cli_say_added(run, labels, added);
    return cafe_vectors_read(run->context, *graph, path, columns, rows);
}

int cli_read_vectors(cli_run *run, const char *path, const char *labels, cafe_graph **graph,
                     int64_t *columns, float **vectors) {
    float *read = NULL;
    *vectors = NULL;
    CLI_TRY(cli_check(run, read_with_labels(run, path, labels, graph, columns, &read)));
    return keep(run, cafe_graph_nodes(*graph) * *columns, read, vectors);
}

int cli_read_start(cli_run *run, const char *path, const cafe_graph *graph, int64_t *columns,
                   float **vectors) {
    return take(run, cafe_vectors_read, path, graph, columns, vectors);
}

int cli_read_rows(cli_run *run, const char *path, const cafe_graph *graph, float **x,
                  int64_t *width) {
    return take(run, cafe_attributes_read, path, graph, width, x);
}
