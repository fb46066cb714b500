/* A graph as it comes from files that name its parts: nodes with an id and perhaps a label, edges
 * with ends and perhaps a weight, in any order (GraphML, GEXF, GML, Pajek).
 */
#ifndef CAFE_IO_GRAPH_RECORDS_H
#define CAFE_IO_GRAPH_RECORDS_H

#include <stdbool.h>
#include <stdint.h>

#include "graph/dictionary.h"
#include "graph/node_names.h"

typedef struct cafe_marked {
    cafe_context *context;
    const char *name; /* of the file, for errors */
    const cafe_graph_options *options;
    cafe_format format;
    int64_t line;        /* the one at hand, for errors */
    cafe_dictionary ids; /* by first appearance, as a node or as an end */
    uint8_t *declared;   /* of each id: it is a node */
    int64_t declared_room, nodes;
    cafe_dictionary labels; /* number i is that of node i as long as `labelled` */
    bool labelled;
    bool named;    /* some node has a label */
    char why[384]; /* why labels do not name the nodes */
    int64_t count, source_room, target_room, weight_room;
    int32_t *source, *target;
    float *weights;
    int64_t weighted, first_bare; /* edges with a weight; the line of the first without */
    bool directed, undirected;    /* edges of either kind were met */
    bool several;                 /* attributes may be the weight */
    float missing;                /* weight of an edge that states none; -1: all or none do */
    char weight_name[64];         /* of the attribute; "": none */
    char ignored[256];            /* names of other attributes of edges */
} cafe_marked;

void cafe_marked_init(cafe_context *context, const char *name, cafe_format format,
                      const cafe_graph_options *options, cafe_marked *marked);
void cafe_marked_free(cafe_marked *marked);

/* CAFE_ERROR_FORMAT "name:line: expected ..., found ...". */
cafe_status cafe_marked_fail(const cafe_marked *marked, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Does this attribute of nodes have their names: the option's, else label or name? */
bool cafe_marked_is_name(const cafe_marked *marked, const char *attribute);

/* A node; label NULL: it has none. */
cafe_status cafe_marked_node(cafe_marked *marked, const char *id, const char *label);
/* An edge; weight NULL: it states none. */
cafe_status cafe_marked_edge(cafe_marked *marked, const char *source, const char *target,
                             const char *weight, bool directed);
/* The edge just added has this weight after all. */
cafe_status cafe_marked_weigh(cafe_marked *marked, const char *weight);

/* Is this attribute of edges the weight: the option's, else "weight", else another usual name?
 * Other attributes are noted. */
bool cafe_marked_is_weight(cafe_marked *marked, const char *attribute);

/* Makes the graph. Nodes come in the order of the file. Their names are the labels if all nodes
 * have different labels, else the ids, with a warning; if an option chose the labels, the call
 * fails. */
cafe_status cafe_marked_graph(cafe_marked *marked, cafe_graph **graph);

#endif
