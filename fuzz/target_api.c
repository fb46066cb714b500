/* The public functions in any order: see world.h. */
#include "fuzz.h"
#include "world.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_world *w = fuzz_begin(data, size);
    fuzz_run(w, 24);
    fuzz_end(w);
    return 0;
}
