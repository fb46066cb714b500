/* LGL and adjacency lists: lines of a node and its neighbours. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_read("x.lgl", CAFE_FORMAT_LGL, data, size);
    fuzz_read("x.adjlist", CAFE_FORMAT_ADJACENCY, data, size);
    return 0;
}
