/* Inside label propagation: the linear systems whose solutions are labels. */
#ifndef CAFE_BASELINE_LABEL_SYSTEM_H
#define CAFE_BASELINE_LABEL_SYSTEM_H

#include "base/context.h"
#include "graph/graph.h"
#include "solve/solution.h"

/* With A the weights, D the degrees and Y the given labels, rows of f[n x stride] <- the solution F
 * of
 *
 *     harmonic    (D - A) F = 0 on the nodes without a label, F = Y on the others
 *     absorbing   (D - A + l I) F = l Y
 *
 * Rows that no label reaches are 0. */
typedef struct cafe_label_system {
    const cafe_graph *graph;
    const int32_t *label; /* -1: none */
    int64_t classes, stride;
    double absorption; /* l; 0: the harmonic system */
    double
        tolerance; /* |residual| is at most this part of |right side|, in the norm of 1/diagonal */
    int64_t most;  /* steps for each class */
    float *f;
} cafe_label_system;

/* Conjugate gradients. The history of the solution has the largest relative residual of a class
 * after each step. */
cafe_status cafe_label_solve(cafe_context *context, const cafe_label_system *system,
                             cafe_solution *solution);

#endif
