/* DIMACS files. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_read("x.col", CAFE_FORMAT_DIMACS, data, size);
    return 0;
}
