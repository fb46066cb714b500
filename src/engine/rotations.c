/* Plane rotations of columns. A rotation takes six operations for two numbers: on its own it waits
 * for the memory. KEPT sequences for each pass over the matrix read it once instead of KEPT times.
 */
#include "engine/rotations.h"

#include "base/memory.h"
#include "kernels/row_kernels.h"

enum { KEPT = 64 }; /* sequences */

cafe_status cafe_rotations_create(cafe_context *context, int64_t rows, int64_t columns,
                                  const double *matrix, cafe_rotations *r) {
    *r = (cafe_rotations){.context = context, .rows = rows, .columns = columns};
    r->strips = (rows + CAFE_ROTATED - 1) / CAFE_ROTATED;
    r->strip = cafe_mem_zero(context, r->strips * columns * CAFE_ROTATED, sizeof *r->strip);
    r->pairs = cafe_mem(context, 2 * KEPT * columns, sizeof *r->pairs);
    r->begin = cafe_mem(context, 3 * KEPT, sizeof *r->begin);
    CAFE_PASS(cafe_mem_had(r->strip, r->pairs, r->begin));
    for (int64_t i = 0; i < rows; i++) {
        double *to = r->strip + i / CAFE_ROTATED * columns * CAFE_ROTATED + i % CAFE_ROTATED;
        for (int64_t j = 0; j < columns; j++) to[j * CAFE_ROTATED] = matrix[i * columns + j];
    }
    return CAFE_OK;
}

void cafe_rotations_free(cafe_rotations *r) {
    if (r->context) cafe_mem_free_all(r->context, r->strip, r->pairs, r->begin);
}

double *cafe_rotations_room(cafe_rotations *r) {
    if (r->sequences == KEPT) cafe_rotations_flush(r);
    return r->pairs + 2 * r->sequences * r->columns;
}

void cafe_rotations_keep(cafe_rotations *r, int64_t first, int64_t count, bool backward) {
    int64_t *begin = r->begin + 3 * r->sequences++;
    begin[0] = first;
    begin[1] = count;
    begin[2] = backward;
}

void cafe_rotations_flush(cafe_rotations *r) {
    const cafe_products *products = cafe_kernels_best()->products;
    for (int64_t b = 0; b < r->strips; b++) {
        double *strip = r->strip + b * r->columns * CAFE_ROTATED;
        for (int64_t i = 0; i < r->sequences; i++) {
            const int64_t *begin = r->begin + 3 * i;
            products->rotate(begin[1], begin[2] != 0, r->pairs + 2 * i * r->columns,
                             strip + begin[0] * CAFE_ROTATED);
        }
    }
    r->sequences = 0;
}

void cafe_rotations_turn(cafe_rotations *r, int64_t x, int64_t y, double c, double s) {
    cafe_rotations_flush(r);
    for (int64_t b = 0; b < r->strips; b++) {
        double *strip = r->strip + b * r->columns * CAFE_ROTATED;
        double *p = strip + x * CAFE_ROTATED, *q = strip + y * CAFE_ROTATED;
        for (int64_t l = 0; l < CAFE_ROTATED; l++) {
            double first = c * p[l] + s * q[l];
            q[l] = c * q[l] - s * p[l];
            p[l] = first;
        }
    }
}

double cafe_rotations_entry(const cafe_rotations *r, int64_t row, int64_t column) {
    return r->strip[(row / CAFE_ROTATED * r->columns + column) * CAFE_ROTATED + row % CAFE_ROTATED];
}
