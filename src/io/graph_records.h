/* A graph from files that name its parts (GraphML, GEXF, GML, Pajek, DOT, ...). Nodes have an id
 * and perhaps attributes, edges have ends and perhaps a weight; the order is free.
 */
#ifndef CAFE_IO_GRAPH_RECORDS_H
#define CAFE_IO_GRAPH_RECORDS_H

#include <stdbool.h>
#include <stdint.h>

#include "graph/attributes.h"
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
    int64_t node;            /* the last one given */
    cafe_columns attributes; /* of the nodes */
    bool open;               /* a node needs no declaration: its first mention is one */
    bool drawn_labels;       /* labels are for pictures alone: they never name the nodes */
    int64_t changed;         /* names that are not the attribute's alone */
    char by[72], why[384];   /* the attribute that names the nodes; why names are others */
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

/* A node, and a value of the node that was given last. */
cafe_status cafe_marked_node(cafe_marked *marked, const char *id);
cafe_status cafe_marked_value(cafe_marked *marked, const char *attribute, const char *text);
/* All nodes without a value of the attribute get this one. */
cafe_status cafe_marked_fill(cafe_marked *marked, const char *attribute, const char *text);
/* An edge; weight NULL: it states none. */
cafe_status cafe_marked_edge(cafe_marked *marked, const char *source, const char *target,
                             const char *weight, bool directed);
/* The same between nodes by their numbers: marked->node after each was given. */
cafe_status cafe_marked_link(cafe_marked *marked, int64_t u, int64_t w, const char *weight,
                             bool directed);
/* The edge just added has this weight after all. */
cafe_status cafe_marked_weigh(cafe_marked *marked, const char *weight);

/* Is this attribute of edges the weight: the option's, else "weight", else another usual name?
 * Other attributes are noted. */
bool cafe_marked_is_weight(cafe_marked *marked, const char *attribute);

/* Makes the graph. Nodes come in the order of the file. Their names are the attribute that the
 * option chose, else label or name if these differ for half of the nodes, else the ids. A name that
 * is missing or repeated becomes another by the node's id, with a warning. */
cafe_status cafe_marked_graph(cafe_marked *marked, cafe_graph **graph);

#endif
