/* METIS graph files. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_read("x.graph", CAFE_FORMAT_METIS, data, size);
    return 0;
}
