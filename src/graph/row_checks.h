/* Are compressed rows those of a graph? The one check of all rows from files and callers. */
#ifndef CAFE_GRAPH_ROW_CHECKS_H
#define CAFE_GRAPH_ROW_CHECKS_H

#include "graph/builder.h"
#include "graph/node_names.h"

/* The sum of keyed hashes of the entries on and above the diagonal, by which cafe_verify_seal()
 * notices a change of rows. */
typedef struct cafe_seal {
    uint64_t key[2], digest;
} cafe_seal;

/* The faults of a row, with the words of a message for what was expected. */
#define CAFE_ROW_FAULTS(X)                                     \
    X(OFFSETS, "offsets that ascend and stay within the arcs") \
    X(OUTSIDE, "neighbours that are nodes")                    \
    X(ORDER, "neighbours in ascending order, none twice")      \
    X(WEIGHT, "weights that are positive and finite")

typedef enum cafe_row_fault {
    CAFE_ROW_FINE = 0,
#define CAFE_ROW_CONSTANT(name, text) CAFE_ROW_##name,
    CAFE_ROW_FAULTS(CAFE_ROW_CONSTANT)
#undef CAFE_ROW_CONSTANT
} cafe_row_fault;

const char *cafe_row_fault_text(cafe_row_fault fault); /* "offsets that ..." */

/* The result of a pass over the rows. Without a fault every offset and target is within bounds. */
typedef struct cafe_verified {
    int64_t row; /* the first with a fault; INT64_MAX: none */
    cafe_row_fault fault;
    int64_t above;  /* entries above the diagonal, if symmetry was checked */
    int64_t loops;  /* entries on it */
    bool unit;      /* all weights are 1 */
    bool symmetric; /* every entry has an equal one on the other side, if symmetry was checked */
    cafe_seal seal; /* of symmetric rows, if symmetry was checked */
} cafe_verified;

/* One pass over rows (offsets, target, weights; count entries) in any state. Symmetry is checked
 * only if `symmetry`, by sums of hashes under a key drawn for this call: symmetric matrices always
 * pass, others with probability 2^-64. Processes that share rows check their own, and all get the
 * same result. */
cafe_status cafe_verify_rows(cafe_context *context, const cafe_links *rows, bool symmetry,
                             cafe_verified *found);

/* Are the rows without a fault, symmetric, and those of the seal? Another pass under the seal's
 * key. */
cafe_status cafe_verify_seal(cafe_context *context, const cafe_links *rows, const cafe_seal *seal,
                             bool *same);

/* Of rows without a fault, the first entry (u,w) that has no equal one (w,u); -1: none. Exact, and
 * much slower: for the message. */
cafe_status cafe_find_one_way(cafe_context *context, const cafe_links *rows, int64_t *u,
                              int64_t *w);

/* The first of n string names that stands there before; -1: all are distinct. */
cafe_status cafe_find_repeated_name(cafe_context *context, const cafe_names *names, int64_t n,
                                    int64_t *repeated);

#endif
