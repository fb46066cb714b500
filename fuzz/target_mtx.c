/* Matrix Market files. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_read("x.mtx", CAFE_FORMAT_MTX, data, size);
    return 0;
}
