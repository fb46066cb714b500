/* GraphML files. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_read("x.graphml", CAFE_FORMAT_GRAPHML, data, size);
    return 0;
}
