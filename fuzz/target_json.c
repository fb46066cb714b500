/* Node-link JSON files. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_read("x.json", CAFE_FORMAT_JSON, data, size);
    return 0;
}
