/* Names of nodes and the range of node ids, for readers and writers that need no rows. */
#ifndef CAFE_GRAPH_NODE_NAMES_H
#define CAFE_GRAPH_NODE_NAMES_H

#include <stdbool.h>

#include <cafe/graph.h>

/* The most nodes of a graph: ids are int32, and INT32_MAX stands for no node. */
enum { CAFE_MOST_NODES = INT32_MAX - 1 };

typedef enum cafe_name_kind {
    CAFE_NAMES_INDEX = 0,   /* the name of node u is the number u */
    CAFE_NAMES_INTEGER = 1, /* integers[u], ascending */
    CAFE_NAMES_STRING = 2   /* text[start[u] .. start[u+1]), by first appearance, without NUL */
} cafe_name_kind;

typedef struct cafe_names {
    cafe_name_kind kind;
    const int64_t *integers;
    const int64_t *start;
    const char *text;
} cafe_names;

/* The names of the nodes, which belong to the graph. */
const cafe_names *cafe_graph_node_names(const cafe_graph *graph);

/* A name is one line of UTF-8 text, of 1 to 65535 bytes without NUL, LF and CR. */
enum { CAFE_LONGEST_NAME = 65535 };
bool cafe_is_name(const char *text, int64_t length);

/* Room for n names of `bytes` bytes in all. */
cafe_status cafe_names_new(cafe_context *context, int64_t n, int64_t bytes, int64_t **start,
                           char **text);
/* The names become the graph's, even if the call fails. Two nodes of one name are
 * CAFE_ERROR_FORMAT. */
cafe_status cafe_graph_take_names(cafe_context *context, cafe_graph *graph, cafe_names names);

/* Gives the graph its names: arrays that are memory of the context and now belong to the graph. */
void cafe_graph_adopt_names(cafe_graph *graph, cafe_names names);

/* The options with which the graph was made. Tables beside the graph are taken to be written
 * likewise: columns of edges, header, delimiter, decimal mark, kind of ids. An option that does not
 * fit a table does not hold for it. */
const cafe_graph_options *cafe_graph_tables(const cafe_graph *graph);
cafe_status cafe_graph_set_tables(cafe_graph *graph, const cafe_graph_options *options);

/* Writes name i into text as cafe_graph_name() does, and returns its length. */
size_t cafe_names_get(const cafe_names *names, int64_t i, char *text, size_t capacity);
/* Frees the arrays, which are memory of the context. */
void cafe_names_free(cafe_context *context, cafe_names *names);

#endif
