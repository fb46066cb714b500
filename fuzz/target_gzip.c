/* gzip data around an edge list. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_read("x.gz", CAFE_FORMAT_AUTO, data, size);
    return 0;
}
