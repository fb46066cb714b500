/* Edge lists that several processes read together, none of which ever holds the whole graph:
 *
 *     shared_edges.c  each parses a range of the file's bytes,
 *     shared_names.c  nodes get the numbers that one reader of all lines would give them,
 *     shared_rows.c   edges go to the processes of their rows, which are sorted and merged there,
 *     shared_file.c   the rows of all are written into one file, which each of them maps.
 *
 * What comes of it is the same for any number of processes, one included.
 */
#ifndef CAFE_IO_SHARED_H
#define CAFE_IO_SHARED_H

#include "base/processes.h"
#include "io/binary.h"
#include "io/edge_buffer.h"
#include "io/input_file.h"
#include "io/output_file.h"

/* Names of the nodes first .. first + count - 1, of all `nodes`, and the nodes that this process's
 * own numbers became. */
typedef struct cafe_numbered {
    int64_t nodes;
    int64_t first, count;
    cafe_names names; /* INDEX: as all others; else arrays of the context's memory */
    int32_t *became;  /* NULL: the numbers are those of the graph already */
} cafe_numbered;

/* Numbers `count` names of this process's own, integers that ascend or strings by first appearance,
 * among those of all processes. */
cafe_status cafe_number_integers(cafe_context *context, const char *file, int64_t count,
                                 const cafe_names *own, cafe_numbered *numbered);
cafe_status cafe_number_strings(cafe_context *context, const char *file, int64_t count,
                                const cafe_names *own, cafe_numbered *numbered);
/* Are all string names different, as far as hashes tell? Each process looks at its portion. */
cafe_status cafe_names_differ(cafe_context *context, const cafe_names *names, cafe_portion portion,
                              bool *differ);
void cafe_numbered_free(cafe_context *context, cafe_numbered *numbered);

/* The rows of this process, bounds[rank] .. bounds[rank + 1] - 1, from the edges that all have,
 * which are freed; the other rows of *rows are empty. */
cafe_status cafe_share_rows(cafe_edge_list *list, int64_t nodes, const cafe_graph_options *options,
                            int64_t *bounds, cafe_graph **rows);

/* One graph, mapped by all, of the rows and names of each. The file lies in the working
 * folder and loses its name as soon as all have it. */
cafe_status cafe_join_rows(const cafe_input *input, const int64_t *bounds, cafe_graph *rows,
                           const cafe_numbered *numbered, cafe_graph **graph);

/* Sections of a .cafe file, which lie at parts[], behind its header: every process writes its part
 * of the bytes into the output of the first one. */
cafe_status cafe_write_shared(cafe_output *output, const cafe_binary_section *sections,
                              const uint8_t *const *parts, uint64_t file_bytes);

#endif
