/* Edge lists: integers, strings, quotes, weights. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_read("x.txt", CAFE_FORMAT_EDGES, data, size);
    return 0;
}
