/* GML files. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_read("x.gml", CAFE_FORMAT_GML, data, size);
    return 0;
}
