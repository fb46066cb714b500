/* Labels of a few nodes carried to all others along the edges: label propagation (Zhu and
 * Ghahramani 2002) and label spreading (Zhou, Bousquet, Lal, Weston and Schoelkopf 2004).
 */
#ifndef CAFE_PROPAGATION_H
#define CAFE_PROPAGATION_H

#include <cafe/embedding.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum cafe_propagation {
    CAFE_PROPAGATION_HARD = 0, /* propagation: given labels stay, all others are averages */
    CAFE_PROPAGATION_SOFT = 1  /* spreading: given labels pull, and may be outvoted */
} cafe_propagation;

typedef struct cafe_label_propagation_options {
    size_t struct_size;
    int32_t kind;     /* cafe_propagation */
    double alpha;     /* spreading: the neighbours' part, in [0,1); the given label has the rest */
    int64_t sweeps;   /* at most so many passes over the nodes */
    double tolerance; /* stop when no entry changed by more than this */
} cafe_label_propagation_options;

CAFE_OPTIONS(label_propagation)

/* label[nodes]: a class in 0 .. classes-1, or -1 where it is not given; at least one is.
 *
 * The solution has a column for every class; a row sums to 1, or is all zero when no given label
 * came to it in the sweeps made (isolated nodes without one, components without any). Its history
 * is the largest change of an entry in each sweep, after a first value of 1. */
CAFE_API cafe_status cafe_label_propagation(cafe_context *context, const cafe_graph *graph,
                                            const int32_t *label, int64_t classes,
                                            const cafe_label_propagation_options *options,
                                            cafe_solution **solution);

#ifdef __cplusplus
}
#endif
#endif
