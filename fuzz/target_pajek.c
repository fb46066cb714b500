/* Pajek files. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_read("x.net", CAFE_FORMAT_PAJEK, data, size);
    return 0;
}
