/* Labels of nodes, from a file (one line per node, "node label[,label...]") or from arrays. */
#ifndef CAFE_LABELS_H
#define CAFE_LABELS_H

#include <cafe/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cafe_labels cafe_labels;

/* Nodes are called as in the graph. A first line of headings is recognised; in one of several
 * columns that called label, class, category or similar counts. Classes are numbered by their
 * integers, ascending, when all are integers, else by first appearance. Nodes that the graph does
 * not have are CAFE_ERROR_FORMAT with their number and three of them, and so is a node that comes
 * again with other labels. */
CAFE_API cafe_status cafe_labels_read(cafe_context *context, const cafe_graph *graph,
                                      const char *path, cafe_labels **labels);
/* The same, but lines of nodes that the graph does not have are left out; *skipped gets their
 * number.
 */
CAFE_API cafe_status cafe_labels_read_known(cafe_context *context, const cafe_graph *graph,
                                            const char *path, cafe_labels **labels,
                                            int64_t *skipped);

/* Nodes that only the label file names become isolated nodes of the graph, which is replaced by a
 * larger one when there are any; *added gets their number. Call it before cafe_labels_read(). */
CAFE_API cafe_status cafe_graph_add_labelled(cafe_context *context, const char *path,
                                             cafe_graph **graph, int64_t *added);
/* From arrays: node u has the classes label[offsets[u]] .. label[offsets[u+1] - 1], numbers below
 * `classes`; without offsets it has the one class label[u], or none where that is -1. names: of the
 * classes, each once (NULL: their numbers). */
CAFE_API cafe_status cafe_labels_from_arrays(cafe_context *context, int64_t nodes,
                                             const int64_t *offsets, const int32_t *label,
                                             int64_t classes, const char *const *names,
                                             cafe_labels **labels);
CAFE_API void cafe_labels_free(cafe_labels *labels);

CAFE_API int64_t cafe_labels_classes(const cafe_labels *labels);
CAFE_API const char *cafe_labels_class_name(const cafe_labels *labels, int64_t index);
/* What was taken for what, in words: heading, columns, separator; "": the labels are of no file. */
CAFE_API const char *cafe_labels_reading(const cafe_labels *labels);
/* Nodes that have a label, and those that have several. */
CAFE_API int64_t cafe_labels_labelled(const cafe_labels *labels);
CAFE_API int64_t cafe_labels_multiple(const cafe_labels *labels);

/* The classes of a node: returns how many, and where they stand. */
CAFE_API int64_t cafe_labels_of(const cafe_labels *labels, int64_t node, const int32_t **classes);

/* label[nodes] gets each node's class, -1 without one; a node of several classes is
 * CAFE_ERROR_ARGUMENT. */
CAFE_API cafe_status cafe_labels_single(cafe_context *context, const cafe_labels *labels,
                                        int32_t *label);

#ifdef __cplusplus
}
#endif
#endif
