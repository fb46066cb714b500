/* Labels of nodes, from a file ("node label[,label...]", or a table) or from arrays. */
#ifndef CAFE_LABELS_H
#define CAFE_LABELS_H

#include <cafe/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cafe_labels cafe_labels;

/* Columns of a file of labels, by the name in the heading or by number from 0. NULL: as found. */
typedef struct cafe_label_columns {
    const char *id;    /* the column of the nodes */
    const char *label; /* the column of the labels; several with commas between them */
    int32_t nodes;     /* 1: the file is a list or a table of nodes; cafe_graph_add_labelled() reads
                        * the names alone, and refuses those that the graph cannot have */
} cafe_label_columns;

/* Nodes are called as in the graph. A first line of headings is recognised; in one of several
 * columns that called label, class, category or similar counts. Two or more columns of 0 and 1 are
 * classes. A node of several lines has the labels of all of them; a missing label (empty, NA, NaN,
 * null, ., ?) is none. A column called weight, score or probability has their weights: one of
 * weight 0 is none. Classes are numbered by their integers, ascending, when all are integers, else
 * by first appearance. Nodes that the graph does not have are CAFE_ERROR_FORMAT with their number
 * and three of them. With `skipped` their lines are left out and counted there. columns: NULL, or
 * the columns to take. */
CAFE_API cafe_status cafe_labels_read(cafe_context *context, const cafe_graph *graph,
                                      const char *path, const cafe_label_columns *columns,
                                      int64_t *skipped, cafe_labels **labels);
/* From arrays: node u has the classes label[offsets[u]] .. label[offsets[u+1] - 1], numbers below
 * `classes`. Without offsets it has the class label[u], or none if that is -1. names: of the
 * classes, each once (NULL: their numbers). */
CAFE_API cafe_status cafe_labels_from_arrays(cafe_context *context, int64_t nodes,
                                             const int64_t *offsets, const int32_t *label,
                                             int64_t classes, const char *const *names,
                                             cafe_labels **labels);
CAFE_API void cafe_labels_free(cafe_labels *labels);

CAFE_API int64_t cafe_labels_classes(const cafe_labels *labels);
CAFE_API const char *cafe_labels_class_name(const cafe_labels *labels, int64_t index);

/* The classes of a node: returns how many, and where they stand. */
CAFE_API int64_t cafe_labels_of(const cafe_labels *labels, int64_t node, const int32_t **classes);

/* label[nodes] gets each node's class, -1 without one; of several classes the one of the largest
 * weight. A node for which several have it, or whose labels have no weights, is
 * CAFE_ERROR_ARGUMENT. */
CAFE_API cafe_status cafe_labels_single(cafe_context *context, const cafe_labels *labels,
                                        int32_t *label);

#ifdef __cplusplus
}
#endif
#endif
