/* Tables: text in any layout, and arrays of NumPy. */
#include <cafe-private/inputs.h>

#include "fuzz.h"
#include "io/table.h"

static void read_table(const uint8_t *data, size_t size, cafe_table_style style) {
    cafe_context *context = fuzz_context();
    cafe_table *table = NULL;
    char name[16];
    int64_t bytes = cafe_bytes(context);
    cafe_status status =
        cafe_table_read_bytes(context, "x.csv", data, (int64_t)size, style, &table);
    if (status == CAFE_OK) {
        int64_t rows = cafe_table_rows(table), columns = cafe_table_columns(table);
        const float *values = cafe_table_values(table);
        if (rows < 1 || columns < 1) abort();
        for (int64_t i = 0; i < rows * columns; i++)
            if (!(values[i] - values[i] == 0)) abort();
        for (int64_t u = 0; u < rows && u < 100; u++) cafe_table_row_name(table, u, name, 16);
        for (int64_t j = 0; j < columns && j < 100; j++) cafe_table_column_name(table, j, name, 16);
    }
    cafe_table_free(table);
    fuzz_check(status, bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    read_table(data, size, CAFE_TABLE_LOOK);
    read_table(data, size, CAFE_TABLE_NAMED);
    read_table(data, size, CAFE_TABLE_WORD2VEC);
    return 0;
}
