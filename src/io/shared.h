/* Edge lists that several processes read together; no process ever holds the whole graph:
 *
 *     shared_edges.c  each process parses a range of the file's bytes,
 *     shared_names.c  nodes get the ids that a single reader would give them,
 *     shared_rows.c   edges go to the processes of their rows, which sort and merge them,
 *     shared_file.c   all rows are written into one file, which each process maps.
 *
 * The result is the same for any number of processes, including one.
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
    cafe_names names; /* INDEX: as in all processes; else arrays of the context's memory */
    int32_t *became;  /* NULL: the numbers are node ids already */
} cafe_numbered;

/* Numbers `count` names of this process (ascending integers, or strings by first appearance) among
 * those of all processes. */
cafe_status cafe_number_integers(cafe_context *context, const char *file, int64_t count,
                                 const cafe_names *own, cafe_numbered *numbered);
cafe_status cafe_number_strings(cafe_context *context, const char *file, int64_t count,
                                const cafe_names *own, cafe_numbered *numbered);
/* Are all string names different, by their hashes? Each process checks its portion. */
cafe_status cafe_names_differ(cafe_context *context, const cafe_names *names, cafe_portion portion,
                              bool *differ);
void cafe_numbered_free(cafe_context *context, cafe_numbered *numbered);

/* Makes the rows of this process, bounds[rank] .. bounds[rank + 1] - 1, from the edges of all,
 * which are freed; other rows of *rows are empty. */
cafe_status cafe_share_rows(cafe_edge_list *list, int64_t nodes, const cafe_graph_options *options,
                            int64_t *bounds, cafe_graph **rows);

/* One graph, mapped by all, of the rows and names of each. The file lies in the working
 * folder and loses its name as soon as all have it. */
cafe_status cafe_join_rows(const cafe_input *input, const int64_t *bounds, cafe_graph *rows,
                           const cafe_numbered *numbered, cafe_graph **graph);

/* Writes sections of a .cafe file, at parts[], after its header: every process writes its part into
 * the output of the first. */
cafe_status cafe_write_shared(cafe_output *output, const cafe_binary_section *sections,
                              const uint8_t *const *parts, uint64_t file_bytes);

#endif
