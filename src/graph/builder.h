/* From edges to a graph, for lists of edges, compressed rows and generators. */
#ifndef CAFE_GRAPH_BUILDER_H
#define CAFE_GRAPH_BUILDER_H

#include <stdatomic.h>
#include <stdbool.h>

#include <cafe/graph.h>

#include "base/processes.h"

/* Edges as they come: a list (source and target), or the entries of compressed rows (offsets and
 * target; source is NULL). */
typedef struct cafe_links {
    int64_t nodes, count;
    const int32_t *source;
    const int64_t *offsets;
    const int32_t *target;
    const float *weights; /* NULL: all 1 */
    bool matrix;          /* entries of a matrix M: a symmetric one stays M, it is not doubled */
    cafe_portion portion; /* rows that this process makes or reads; all other rows stay empty */
} cafe_links;

/* Does this process make row u? */
static inline bool cafe_has_row(const cafe_links *links, int64_t u) {
    return !links->portion.shared || (u >= links->portion.first && u < links->portion.last);
}

/* A graph with all fields zero; NULL: no memory. cafe_graph_free() frees it. */
cafe_graph *cafe_graph_new(cafe_context *context);

/* Sets the counts that follow from the rows (nodes, edges, isolated, degrees, total weight,
 * weighted, components, largest) and scales the weights (graph/weight_scale.h). Returns
 * CAFE_ERROR_ARGUMENT for weights outside the range. `loops` false: the caller knows that no row
 * has a loop, so the rows are not searched for loops. */
CAFE_LAB cafe_status cafe_graph_count(cafe_context *context, cafe_graph *graph, bool loops);
/* The same without the components. */
cafe_status cafe_graph_tally(cafe_context *context, cafe_graph *graph, bool loops);
/* Sets the number of components and the number of nodes of the largest. */
cafe_status cafe_graph_measure_components(cafe_context *context, cafe_graph *graph);
/* component[nodes] gets numbers 0.. by smallest node. */
CAFE_LAB cafe_status cafe_graph_components(cafe_context *context, const cafe_graph *graph,
                                           int32_t *component, int64_t *count);
/* Rows of a process begin and end at multiples of this number, which keeps the shape of sums. */
enum { CAFE_PORTION_ROWS = 4096 };

/* Sets how the reader understood the file. Both texts (NULL: none) are copied. */
cafe_status cafe_graph_set_reading(cafe_graph *graph, const cafe_graph_reading *reading);

/* Makes the rows of the graph of these edges, the counts of dropped and merged edges, and the
 * number of edges. cafe_graph_count() adds the counts that follow from the rows. */
CAFE_LAB cafe_status cafe_graph_build(cafe_context *context, const cafe_links *links,
                                      const cafe_graph_options *options, cafe_graph **graph);

/* The same, counted: a whole graph. */
CAFE_LAB cafe_status cafe_graph_of_links(cafe_context *context, const cafe_links *links,
                                         const cafe_graph_options *options, cafe_graph **graph);

/* Nodes within 0 .. 2^31 - 1 and a count that is not negative? */
CAFE_LAB cafe_status cafe_graph_check_sizes(cafe_context *context, int64_t nodes, int64_t count);

/* Sorts keys (below 2^32 - 2) ascending, and equal keys by weight; weights (not negative) may be
 * NULL. In place. */
void cafe_sort_row(uint32_t *keys, float *weights, int64_t count);

/* *least = min(*least, value), atomically: the first position that any task finds. */
static inline void cafe_lower(atomic_llong *least, long long value) {
    long long now = atomic_load(least);
    while (value < now && !atomic_compare_exchange_weak(least, &now, value)) {
    }
}

/* Graphs with up to CAFE_DRAWN_ARCS directed edges keep them, to be drawn. */
enum { CAFE_DRAWN_ARCS = 50000 };
/* Keeps them for a graph that was made without a rule; cafe_graph_has_arc() asks for one, of a
 * graph whose `digraph` is not NULL. */
cafe_status cafe_graph_note_arcs(cafe_context *context, int64_t count, const int32_t *source,
                                 const int32_t *target, cafe_graph *graph);
CAFE_LAB bool cafe_graph_has_arc(const cafe_graph *graph, int64_t from, int64_t to);

#endif
