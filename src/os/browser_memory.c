/* WebAssembly: one processor unless the program has threads, and memory up to the largest heap. */
#include <emscripten/heap.h>
#include <emscripten/threading.h>

#include "os/os.h"

int32_t cafe_os_processors(void) {
    return emscripten_has_threading_support() ? emscripten_num_logical_cores() : 1;
}

int64_t cafe_os_memory_installed(void) {
    return (int64_t)emscripten_get_heap_max();
}

/* The heap never shrinks. */
int64_t cafe_os_memory_peak(void) {
    return (int64_t)emscripten_get_heap_size();
}

int64_t cafe_os_memory_available(void) {
    return cafe_os_memory_installed() - cafe_os_memory_peak();
}

int cafe_os_resident_open(void) {
    return -1;
}

int64_t cafe_os_resident(int file) {
    (void)file;
    return cafe_os_memory_peak();
}
