/* Tables from files: n x L numbers, and the names of rows and columns where the file has them. */
#ifndef CAFE_IO_TABLE_H
#define CAFE_IO_TABLE_H

#include <cafe/reduce.h>

#include "io/input.h"

/* Names one behind the other: number i is text[start[i] .. start[i+1]). start NULL: there are none.
 */
typedef struct cafe_titles {
    int64_t *start;
    char *text;
} cafe_titles;

struct cafe_table {
    cafe_context *context;
    int64_t rows, columns;
    float *values; /* row-major */
    cafe_titles row_names, column_names;
};

/* cafe_table_read() for bytes in memory. */
cafe_status cafe_table_read_bytes(cafe_context *context, const char *name, const uint8_t *bytes,
                                  int64_t size, cafe_table **table);

/* The two readers; the table comes in zeroed but for its context, and is freed by the caller when
 * they fail. */
cafe_status cafe_table_read_npy(cafe_context *context, const char *name, const uint8_t *bytes,
                                int64_t size, cafe_table *table);
cafe_status cafe_table_read_text(cafe_context *context, const char *name, const uint8_t *bytes,
                                 int64_t size, cafe_table *table);

#endif
