/* Attributes of nodes: columns of numbers or of texts, with a value per node or none. */
#ifndef CAFE_GRAPH_ATTRIBUTES_H
#define CAFE_GRAPH_ATTRIBUTES_H

#include <stdbool.h>
#include <stdint.h>

#include <cafe/graph.h>

#include "graph/dictionary.h"

/* A column while it is read: each different text has a number. */
typedef struct cafe_text_column {
    char *name;
    cafe_dictionary values;
    int32_t *codes; /* of the nodes so far: the number of a node's text; -1: none */
    int64_t nodes, room;
} cafe_text_column;

typedef struct cafe_columns {
    cafe_context *context;
    cafe_text_column *columns;
    int64_t count, room, last;
    bool full;       /* more than CAFE_MOST_COLUMNS names were given: the others are left out */
    int64_t broken;  /* values that are no text, and were left out */
    int64_t changed; /* values in whose place another one came */
} cafe_columns;

enum { CAFE_MOST_COLUMNS = 1000 };

/* Well-formed UTF-8 without control characters, except those between lines and fields. */
bool cafe_attribute_is_text(const char *text, int64_t length);

/* The value of a node; a later value replaces an earlier one. An empty text is no value. */
cafe_status cafe_columns_put(cafe_columns *c, const char *name, int64_t node, const char *text);
/* The column of that name, or NULL. */
const cafe_text_column *cafe_columns_find(const cafe_columns *c, const char *name);
/* The text of a node, or NULL. */
const char *cafe_columns_text(const cafe_text_column *column, int64_t node);
void cafe_columns_drop(cafe_columns *c, const cafe_text_column *column);
/* The columns become those of the graph. A column is of numbers if all its texts are numbers. */
cafe_status cafe_columns_give(cafe_columns *c, cafe_graph *graph);
void cafe_columns_free(cafe_columns *c);

/* Frees columns; or gives another graph those of this one: its node u is nodes[u] here; -1: none.
 */
void cafe_attributes_free(cafe_context *context, int64_t count, const cafe_attribute *attributes);
cafe_status cafe_attributes_part(const cafe_graph *graph, const int32_t *nodes, cafe_graph *part);

/* The text of a node: numbers are written to digits[CAFE_ATTRIBUTE_DIGITS]. NULL: no value. */
enum { CAFE_ATTRIBUTE_DIGITS = 32 };
const char *cafe_attribute_text(const cafe_attribute *a, int64_t node, char *digits);

#endif
