/* Sequences of plane rotations of the columns of a matrix, kept and then applied many at a time.
 *
 * The columns lie in strips of CAFE_ROTATED rows of the matrix, column after column. A strip stays
 * in the processor's cache while all kept sequences pass over it.
 */
#ifndef CAFE_ENGINE_ROTATIONS_H
#define CAFE_ENGINE_ROTATIONS_H

#include "base/context.h"

typedef struct cafe_rotations {
    cafe_context *context;
    int64_t rows, columns, strips;
    double *strip;  /* [strips][columns][CAFE_ROTATED] */
    double *pairs;  /* of the kept sequences: c and s */
    int64_t *begin; /* of each: the first column, the number of rotations, 1 if backward */
    int64_t sequences;
} cafe_rotations;

/* Takes a matrix, row-major; cafe_rotations_free() must follow, whatever the status. */
cafe_status cafe_rotations_create(cafe_context *context, int64_t rows, int64_t columns,
                                  const double *matrix, cafe_rotations *r);
void cafe_rotations_free(cafe_rotations *r);

/* Room for the next sequence of up to columns - 1 rotations: the caller writes pair i for columns
 * first + i and first + i + 1, then keeps it. */
double *cafe_rotations_room(cafe_rotations *r);
void cafe_rotations_keep(cafe_rotations *r, int64_t first, int64_t count, bool backward);
/* One rotation of any two columns, now. */
void cafe_rotations_turn(cafe_rotations *r, int64_t x, int64_t y, double c, double s);
/* Applies what is kept. */
void cafe_rotations_flush(cafe_rotations *r);

/* Entry (row, column) after a flush. */
double cafe_rotations_entry(const cafe_rotations *r, int64_t row, int64_t column);

#endif
