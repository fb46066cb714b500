/* Triangles and stars of a graph's pairs of nodes: the rows of explain/clique_bound.h. */
#ifndef CAFE_EXPLAIN_CLIQUE_ROWS_H
#define CAFE_EXPLAIN_CLIQUE_ROWS_H

#include "explain/clique_bound.h"
#include "explain/clique_pairs.h"

enum { CAFE_CLIQUE_PAIRS = CAFE_CLIQUE_LEAVES * (CAFE_CLIQUE_LEAVES + 1) / 2 };

/* A row has the pairs of its centre and its leaves with +1, then those of two leaves with -1. */
typedef struct cafe_clique_row {
    double multiplier;
    uint64_t key;  /* a hash of its nodes */
    int64_t start; /* of its pairs among all */
    uint8_t leaves;
    uint8_t idle; /* passes in which it was slack, with multiplier 0 */
} cafe_clique_row;

typedef struct cafe_clique_rows {
    cafe_context *context;
    cafe_clique_row *at;
    uint32_t *pair;
    uint64_t *seen; /* hash set of the keys; 0: free */
    int64_t count, used, room, pairs_room, seen_room;
} cafe_clique_rows;

void cafe_clique_rows_free(cafe_clique_rows *rows);

static inline int64_t cafe_clique_length(int64_t leaves) {
    return leaves * (leaves + 1) / 2;
}

/* Adds the row with multiplier 0, unless it is there, and its pairs. The leaves ascend. */
cafe_status cafe_clique_rows_add(cafe_clique_rows *rows, cafe_clique_pairs *pairs, int32_t centre,
                                 const int32_t *leaves, int64_t count);

/* Takes out the rows that were slack for so many passes. */
void cafe_clique_rows_drop(cafe_clique_rows *rows, int64_t passes);

#endif
