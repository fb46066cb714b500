/* DOT files. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_read("x.dot", CAFE_FORMAT_DOT, data, size);
    return 0;
}
