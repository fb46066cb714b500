/* DL files. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_read("x.dl", CAFE_FORMAT_DL, data, size);
    return 0;
}
