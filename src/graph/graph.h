/* The graph's inside: compressed rows, names, counts, and who owns the memory. */
#ifndef CAFE_GRAPH_GRAPH_H
#define CAFE_GRAPH_GRAPH_H

#include <stdbool.h>

#include <cafe/graph.h>

#include "base/memory_limit.h"
#include "base/processes.h"

/* Of a graph, wherever it comes from: ids are int32, and INT32_MAX stands for none. */
enum { CAFE_MOST_NODES = INT32_MAX - 1 };

typedef enum cafe_name_kind {
    CAFE_NAMES_INDEX = 0,   /* node u is called u */
    CAFE_NAMES_INTEGER = 1, /* integers[u], ascending */
    CAFE_NAMES_STRING =
        2 /* bytes text[start[u] .. start[u+1]), by first appearance, no NUL inside */
} cafe_name_kind;

typedef struct cafe_names {
    cafe_name_kind kind;
    const int64_t *integers;
    const int64_t *start;
    const char *text;
} cafe_names;

/* Size and time of a file, by which a change is noticed. */
typedef struct cafe_stamp {
    int64_t size, seconds, nanoseconds;
} cafe_stamp;

bool cafe_stamp_take(int file, cafe_stamp *stamp); /* false: errno tells why */
/* CAFE_ERROR_IO when the file has another one by now. */
cafe_status cafe_stamp_check(cafe_context *context, const char *name, int file,
                             const cafe_stamp *stamp);

/* By which a change of rows is noticed: the sum of keyed hashes (graph/row_checks.h) of their
 * entries on and above the diagonal. */
typedef struct cafe_seal {
    uint64_t key[2], digest;
} cafe_seal;

struct cafe_graph {
    cafe_context *context; /* whose memory it is */
    int64_t n;             /* nodes; below 2^31 */
    int64_t arcs;          /* entries of the rows: two per edge, one per loop */
    const int64_t *offsets;
    const int32_t *targets;
    const float *weights; /* as given; NULL: all 1 */
    const float *scaled;  /* weights times 2^-exponent (graph/weight_scale.h), for computations */
    float *scaled_copy;   /* NULL: they are the weights themselves, or all 1 */
    const int32_t *order; /* graph/node_order.h; NULL: none */
    int32_t exponent;
    int32_t top;          /* 2^top <= the largest scaled weight < 2^(top + 1) */
    cafe_portion portion; /* rows that this process looks at when the graph is read or sampled */
    cafe_names names;
    cafe_graph_counts counts;
    cafe_graph_reading reading; /* its texts are memory of the graph */
    bool common;     /* mapped by all processes of a team, each of which looks at a part */
    bool owns_rows;  /* offsets, targets, weights are the context's memory */
    bool owns_names; /* likewise the name arrays */
    bool owns_order; /* likewise the order */
    bool borrowed;   /* the rows are the caller's arrays, */
    cafe_seal seal;  /* which had this seal */
    cafe_mapped map; /* a .cafe file that several processes map; start NULL: none */
    bool open;       /* the mapped file: its descriptor, what it was at opening, its name */
    int file;
    cafe_stamp stamp;
    char *file_name;
    void *block;  /* the context's memory that holds a .cafe file that is not mapped, or NULL */
    bool exposed; /* others may write this file, which several processes then do not map */
    _Atomic(int64_t *) index; /* name look-up, built on first use: src/graph/name_index.c */
};

/* A graph shell with everything zero; NULL when memory is out. cafe_graph_free() frees it. */
cafe_graph *cafe_graph_new(cafe_context *context);

/* Fills in the counts that follow from the rows: nodes, edges, isolated, degrees, total weight,
 * weighted, components, largest. Where it is known that no row has a loop (`loops` false), none is
 * looked for, and of links without weights the offsets tell all. Scales the weights
 * (graph/weight_scale.h), which refuses those outside the range. */
cafe_status cafe_graph_count(cafe_context *context, cafe_graph *graph, bool loops);
/* Rows of a share begin and end at multiples of this, so that sums over them keep their shape. */
enum { CAFE_PORTION_ROWS = 4096 };
/* The same without the components. */
cafe_status cafe_graph_tally(cafe_context *context, cafe_graph *graph, bool loops);

/* The counts of components and of the nodes of the largest. */
cafe_status cafe_graph_measure_components(cafe_context *context, cafe_graph *graph);

/* The name of number i into text, as cafe_graph_name() gives it. */
size_t cafe_names_get(const cafe_names *names, int64_t i, char *text, size_t capacity);
/* Frees the arrays, which are the context's memory. */
void cafe_names_free(cafe_context *context, cafe_names *names);

/* How the file was understood; both texts (NULL: none) are copied. */
cafe_status cafe_graph_set_reading(cafe_graph *graph, const cafe_graph_reading *reading);

/* Gives the graph its names (arrays of the context's memory, owned by the graph from now on). */
void cafe_graph_adopt_names(cafe_graph *graph, cafe_names names);

#endif
