/* When do further sweeps change nothing that matters to those who use the vectors? */
#ifndef CAFE_SOLVE_CONVERGENCE_H
#define CAFE_SOLVE_CONVERGENCE_H

#include "solve/sweep.h"

/* Passes that end by the rule of convergence.c. */
typedef struct cafe_settling {
    cafe_passes passes; /* its own tolerance is 0 */
    double tolerance;   /* 0: never */
    double *sample;     /* weights of the rows looked at; NULL: all */
    double *gram;
} cafe_settling;

/* Takes passes.after. */
cafe_status cafe_settling_open(cafe_context *context, const cafe_solution *solution,
                               cafe_settling *settling);
void cafe_settling_close(cafe_context *context, cafe_settling *settling);

/* The weights (NULL: ones) of about so many rows, chosen by their number alone, and 0 for the
 * others: what a Gram matrix is to see of n rows. NULL where there are hardly more. */
cafe_status cafe_sample_rows(cafe_context *context, int64_t n, int64_t rows, const double *weights,
                             double **sample);

#endif
