/* .npy arrays of vectors. */
#include "fuzz.h"
#include "io/table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    cafe_context *context = fuzz_context();
    int64_t bytes = cafe_bytes(context);
    cafe_table *table = NULL;
    cafe_status status =
        cafe_table_read_bytes(context, "x.npy", data, (int64_t)size, CAFE_TABLE_WORD2VEC, &table);
    if (status == CAFE_OK) {
        float last = cafe_table_values(table)[table->rows * table->columns - 1];
        if (last != last) abort();
    }
    cafe_table_free(table);
    fuzz_check(status, bytes);
    return 0;
}
