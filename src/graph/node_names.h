/* Names of nodes and the range of node ids, for readers and writers that need no rows. */
#ifndef CAFE_GRAPH_NODE_NAMES_H
#define CAFE_GRAPH_NODE_NAMES_H

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

/* Gives the graph its names: arrays that are memory of the context and now belong to the graph. */
void cafe_graph_adopt_names(cafe_graph *graph, cafe_names names);

/* Writes name i into text as cafe_graph_name() does, and returns its length. */
size_t cafe_names_get(const cafe_names *names, int64_t i, char *text, size_t capacity);
/* Frees the arrays, which are memory of the context. */
void cafe_names_free(cafe_context *context, cafe_names *names);

#endif
