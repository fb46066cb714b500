/* Rows of numbers for the nodes of a graph: what the library reads, in memory of the tool. */
#include "vectors.h"

#include <stdlib.h>
#include <string.h>

#include <cafe-private/inputs.h>

#include "labels.h"

typedef cafe_status read_rows(cafe_context *context, const cafe_graph *graph, const char *path,
                              int64_t *columns, float **rows);

static int keep(cli_run *run, int64_t numbers, float *read, float **rows) {
    *rows = malloc((size_t)numbers * sizeof **rows + 1);
    if (*rows) memcpy(*rows, read, (size_t)numbers * sizeof **rows);
    cafe_block_free(run->context, read);
    return *rows ? CLI_OK : cli_error(run, CLI_RESOURCES, "out of memory: vectors");
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
                                    cafe_graph **graph, int64_t *columns, float **rows,
                                    char *made) {
    bool own = run->graph == *graph;
    int64_t added = 0;
    cafe_status status = cafe_vectors_read(run->context, *graph, path, columns, rows, made);
    if (status != CAFE_ERROR_FORMAT || !labels) return status;
    cafe_status listed = cli_try_labelled(run, labels, graph, &added);
    if (listed != CAFE_OK || added == 0) return listed != CAFE_OK ? listed : status;
    if (own) run->graph = *graph;
    if (own) run->counts = *cafe_graph_get_counts(*graph);
    cli_say_added(run, labels, added);
    return cafe_vectors_read(run->context, *graph, path, columns, rows, made);
}

int cli_read_vectors(cli_run *run, const char *path, const char *labels, cafe_graph **graph,
                     int64_t *columns, float **vectors, char *made) {
    float *read = NULL;
    *vectors = NULL;
    CLI_TRY(cli_check(run, read_with_labels(run, path, labels, graph, columns, &read, made)));
    return keep(run, cafe_graph_nodes(*graph) * *columns, read, vectors);
}

static cafe_status read_start(cafe_context *context, const cafe_graph *graph, const char *path,
                              int64_t *columns, float **rows) {
    return cafe_vectors_read(context, graph, path, columns, rows, NULL);
}

int cli_read_start(cli_run *run, const char *path, const cafe_graph *graph, int64_t *columns,
                   float **vectors) {
    return take(run, read_start, path, graph, columns, vectors);
}

int cli_read_rows(cli_run *run, const char *path, const cafe_graph *graph, float **x,
                  int64_t *width) {
    return take(run, cafe_attributes_read, path, graph, width, x);
}

/* ---- what they were made with ---------------------------------------------------------------- */

int cli_made_with(cli_run *run, const char *path, const char *made, int32_t sampling,
                  double otherwise, double *degree_exponent) {
    bool given = cli_given(run->arguments, "degree-exponent");
    int32_t kind;
    double x;
    cafe_sampling_made(made, &kind, &x);
    if (kind >= 0 && kind != sampling && !cli_given(run->arguments, "sampling"))
        return cli_error(run, CLI_INPUT,
                         "%s: these vectors were made with --sampling %s, and would be taken for "
                         "those of --sampling %s",
                         path, cafe_sampling_name((cafe_sampling)kind),
                         cafe_sampling_name((cafe_sampling)sampling));
    if (kind >= 0 && kind != sampling)
        cli_warn(run, "%s: these vectors were made with --sampling %s", path,
                 cafe_sampling_name((cafe_sampling)kind));
    if (!given) *degree_exponent = kind < 0 ? otherwise : x;
    if (kind < 0 && !given)
        cli_say(run,
                "operator  %s does not say what it was made with: degree exponent %.9g is assumed, "
                "--tune degree-exponent changes it",
                path, otherwise);
    if (kind >= 0 && *degree_exponent != x)
        cli_warn(run, "%s: these vectors were made with degree exponent %.9g, not %.9g", path, x,
                 *degree_exponent);
    return CLI_OK;
}
