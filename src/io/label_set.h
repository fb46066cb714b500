/* Labels of nodes while they are collected: node by node in any order, each class by its name. */
#ifndef CAFE_IO_LABEL_SET_H
#define CAFE_IO_LABEL_SET_H

#include <cafe/labels.h>

#include "io/table_layout.h"

/* Labels of `nodes` nodes, none yet. cafe_labels_free() frees them, whatever follows. */
cafe_status cafe_labels_begin(cafe_context *context, int64_t nodes, cafe_labels **labels);

/* Gives the node the class of that name. A class that it has already is no second one. */
cafe_status cafe_labels_add(cafe_labels *labels, int64_t node, const char *name, int64_t length);
/* The same for every name of a list, without blanks around them and empty ones; list: the
 * character between the names; 0: there is one name. */
cafe_status cafe_labels_add_list(cafe_labels *labels, int64_t node, const char *names,
                                 int64_t length, char list);

/* How many labels were added; and gives those from number `from` on this weight. 0 takes them away.
 */
int64_t cafe_labels_added(const cafe_labels *labels);
void cafe_labels_weigh(cafe_labels *labels, int64_t from, float weight);

/* Numbers the classes; after it the labels can be used. reading: what was taken for what, or "". */
cafe_status cafe_labels_end(cafe_labels *labels, const char *reading);

/* What a file of labels is looked at with; columns: NULL, or those that are given. */
cafe_table_request cafe_labels_request(const cafe_graph *graph, const cafe_label_columns *columns,
                                       bool skips);

#endif
