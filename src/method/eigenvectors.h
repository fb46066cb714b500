/* Options of the method `spectral`, exact eigenvectors of Q. Outside the library they are set by
 * name, through the table in the method's row. */
#ifndef CAFE_METHOD_EIGENVECTORS_H
#define CAFE_METHOD_EIGENVECTORS_H

#include "method/method.h"

typedef struct cafe_spectral_options {
    size_t struct_size;
    int64_t columns;
    int32_t columns_from; /* cafe_columns_from: the largest, half of each end, the largest in
                             magnitude */
    double tolerance;     /* |Q v - lambda v| <= tolerance |Q| */
} cafe_spectral_options;

/* Columns are unit eigenvectors by falling eigenvalue. The loss is |Q - V Lambda V^T|^2 in the
 * Frobenius norm. */
const cafe_option_table *cafe_spectral_option_table(void);
static inline void cafe_spectral_options_init(cafe_spectral_options *options) {
    cafe_options_init(cafe_spectral_option_table(), options, sizeof *options);
}

#endif
