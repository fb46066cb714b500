/* What a solver leaves behind: H and the course of the objective. */
#ifndef CAFE_SOLVE_SOLUTION_H
#define CAFE_SOLVE_SOLUTION_H

#include <stdbool.h>

#include <cafe/cluster.h>
#include <cafe/embedding.h>

#include "base/context.h"
#include "engine/engine.h"

/* Columns side by side that came from one source: what a cafe_group is made from. */
typedef struct cafe_source {
    const char *kind;
    int64_t columns;
    bool negative; /* they are of -Q */
} cafe_source;

enum { CAFE_MOST_SOURCES = 2, CAFE_MOST_FINDINGS = 4 };

struct cafe_solution {
    cafe_context *context;
    int64_t n, columns, stride;
    cafe_block h;
    cafe_block y; /* D^-1 Q H, which every spectral finish starts from; of no memory: none yet */
    int64_t sweeps;
    double *objective; /* sweeps + 1 values of tr(H^T Q H), or of the method's own loss */
    double *trace;   /* sweeps + 1 values of tr(H^T Q H) where the objective is not that; or NULL */
    double rest;     /* what the trace has beyond the objective at the end */
    bool loss;       /* the latter: the method does not maximise the trace; there is no y */
    double diagonal; /* sum of q(u,u); both ends: counted as the trace is */
    int32_t converged;
    cafe_solution_report report;            /* as cafe_solution_get() gave it last */
    cafe_source sources[CAFE_MOST_SOURCES]; /* of the columns, in their order */
    cafe_finding findings[CAFE_MOST_FINDINGS];
    int64_t finding_count;
    int64_t asked; /* K, with columns that the graph has too few nodes for */
    int64_t keep;  /* below `columns` where the finish is to choose so many of them by their ends */
    bool features; /* columns of features are to stand behind those found */
    int64_t width; /* columns the vectors are to have: model_finish() adds hubs; 0: those found */
    int32_t *order; /* the node of each row of h and y; NULL: rows are nodes
                       (method/ordered_vectors.c) */
};

/* The columns that are from -Q, which are the last ones. */
static inline int64_t cafe_solution_negative(const cafe_solution *s) {
    int64_t columns = 0;
    for (int i = 0; i < CAFE_MOST_SOURCES; i++)
        if (s->sources[i].negative) columns += s->sources[i].columns;
    return columns;
}
/* `top` columns are of Q, then `bottom` of -Q; all of them are kept. */
void cafe_solution_split(cafe_solution *solution, int64_t top, int64_t bottom);
/* The method has found this number. */
CAFE_LAB void cafe_solution_find(cafe_solution *solution, const char *name, double value);

/* Room for H, on the context's engine, and for the objective of at most `sweeps` sweeps. */
cafe_status cafe_solution_new(cafe_context *context, int64_t n, int64_t columns, int64_t sweeps,
                              cafe_solution **solution);

/* The same for a method that writes the rows of H itself: it runs on the processor alone, and fails
 * by its name where the context's engine is another one. What it reports is a loss. */
CAFE_LAB cafe_status cafe_solution_rows(cafe_context *context, const char *method, int64_t n,
                                        int64_t columns, int64_t sweeps, cafe_solution **solution);

/* Rows of length 1: from columns first, first + 1, ... of a plain n x width block, a zero row at
 * random from `stream` (base/random.h). Without a block (NULL) all rows are random. A graph with
 * many more nodes than columns starts from a product A S instead, with a random S of one number a
 * row. This is as good as a sweep from random rows, and reads the edges once. */
cafe_status cafe_solution_start(cafe_context *context, const cafe_operator *op, const float *start,
                                int64_t width, int64_t first, uint64_t stream,
                                cafe_solution *solution);

/* Rows as they are: plain n x columns numbers, which must be finite. */
CAFE_LAB cafe_status cafe_solution_set(cafe_context *context, const float *rows,
                                       cafe_solution *solution);

/* cafe_sphere() without Y, and with the objective as its sweeps changed it: cafe_sweep_settle() is
 * still to come. */
cafe_status cafe_sphere_sweeps(cafe_context *context, const cafe_operator *op,
                               const cafe_sphere_options *options, const float *start,
                               cafe_solution **solution);

/* The top end of -Q with the columns and sweeps of the options, as a solution of Q whose columns
 * are all from the bottom. It has no Y, and the level of its objective is unknown. */
cafe_status cafe_sphere_bottom(cafe_context *context, const cafe_operator *op,
                               const cafe_sphere_options *options, cafe_solution **solution);

/* cafe_softmax() with the course of the trace, whose diagonal grows with the lengths of the rows.
 */
cafe_status cafe_softmax_traced(cafe_context *context, const cafe_operator *op,
                                const cafe_softmax_options *options, const float *start,
                                const int32_t *labels, bool trace, cafe_solution **solution);

/* y = D^-1 Q H, and with it *trace = tr(H^T Q H) and the diagonal's part of it. The columns of the
 * bottom end count with the opposite sign. */
cafe_status cafe_solution_product(cafe_context *context, const cafe_operator *op,
                                  cafe_solution *solution, double *trace);

/* The diagonal's part of the trace at the end, the sum of q(u,u) ||h_u||^2; of rows of length 1 it
 * is the same after every sweep. The solver moves nodes by the rest, tr(H^T Q H) less this (the
 * paper sets q(u,u) = 0). */
double cafe_solution_diagonal(const cafe_solution *solution);

/* The solution's H has probability vectors as rows; its objective is the sum over u != w of
 * q(u,w) <h_u, h_w>, which never falls.
 *
 * Argument start: NULL for random rows (uniform on the simplex, from the context's seed), or n x
 * columns row-major non-negative numbers. A row is scaled to sum 1; a zero row is drawn at random.
 * Argument labels: NULL, or labels[n] in -1 .. columns-1. The row of a labelled node is fixed to
 * its label. Without a start the row of an unlabelled node begins with equal parts of all columns.
 * When every node with an edge is labelled there is nothing to iterate. */
cafe_status cafe_softmax(cafe_context *context, const cafe_operator *op,
                         const cafe_softmax_options *options, const float *start,
                         const int32_t *labels, cafe_solution **solution);

/* The hard partition of a softmax solution: part[n] gets each node's most probable column,
 * renumbered 0 .. count-1 by first appearance. */
cafe_status cafe_solution_partition(cafe_context *context, const cafe_solution *solution,
                                    int32_t *part, int64_t *count);

/* Options of softmax without the last four, of which cafe_softmax() knows nothing; and those of the
 * layers with the columns, which cafe_layers_find() does not need. */
const cafe_option_table *cafe_cafe_option_table(void);
const cafe_option_table *cafe_layers_vectors_option_table(void);

/* The layers side by side as one H for cafe_finish, coarsest first, up to `columns` in all. A layer
 * whose communities fit into the columns left has a column for each. A finer layer is mixed down
 * into the columns left: every community has a random vector of signs (from the context's seed). */
cafe_status cafe_layers_solution(cafe_context *context, const cafe_operator *op,
                                 const cafe_layers *layers, int64_t columns,
                                 cafe_solution **solution);

#endif
