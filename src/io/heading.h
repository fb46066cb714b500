/* Words of headings: which columns are the nodes, which the weight or labels, which neither. */
#ifndef CAFE_IO_HEADING_H
#define CAFE_IO_HEADING_H

#include <stdbool.h>
#include <stdint.h>

#include "io/field.h"

typedef enum cafe_role {
    CAFE_ROLE_UNKNOWN = 0,
    CAFE_ROLE_WEIGHT, /* weight, score, ... */
    CAFE_ROLE_OTHER   /* id, type, label, time, ... and a column without a name */
} cafe_role;

/* Returns the role that a column's name implies. Letters match in any case; of other characters
 * only digits count. */
cafe_role cafe_heading_role(const cafe_field *name);
/* Is it "weight" itself? */
bool cafe_heading_is_weight(const cafe_field *name);

/* Is it a usual name of the column of the nodes, of that of their labels, in a table of nodes? */
bool cafe_heading_is_node(const cafe_field *name);
bool cafe_heading_is_label(const cafe_field *name);
/* Is it a usual name of the column of the labels' weights: weight, score, probability? */
bool cafe_heading_is_share(const cafe_field *name);
/* "label": beside other columns it may be the name of a node. */
bool cafe_heading_is_title(const cafe_field *name);
/* Is the cell this word, in any case? */
bool cafe_field_is_word(const cafe_field *cell, const char *word);
/* Is it a usual name of the column that has added or removed, in a table of changed edges? */
bool cafe_heading_is_change(const cafe_field *name);
/* Of a cell of that column: 1 for words of addition, -1 for words of removal, else 0.
 */
int cafe_word_of_change(const cafe_field *cell);

/* Finds the columns of the two nodes by the usual pairs of names. *certain: these words are never
 * node names (source, target); otherwise they may be (node1, node2). */
bool cafe_heading_pair(const cafe_field *names, int32_t count, int32_t *source, int32_t *target,
                       bool *certain);

#endif
