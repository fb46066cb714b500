/* .npy blocks of start vectors. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    cafe_context *context = fuzz_context();
    int64_t rows = 0, columns = 0, bytes = cafe_bytes(context);
    float *values = NULL;
    cafe_status status =
        cafe_block_read_bytes(context, "x.npy", data, (int64_t)size, &rows, &columns, &values);
    if (status == CAFE_OK) {
        float last = values[rows * columns - 1];
        if (last != last) abort();
    }
    cafe_block_free(context, values);
    fuzz_check(status, bytes);
    return 0;
}
