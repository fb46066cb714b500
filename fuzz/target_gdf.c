/* GDF files. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_read("x.gdf", CAFE_FORMAT_GDF, data, size);
    return 0;
}
