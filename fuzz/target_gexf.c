/* GEXF files. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_read("x.gexf", CAFE_FORMAT_GEXF, data, size);
    return 0;
}
