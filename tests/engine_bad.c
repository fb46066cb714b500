/* Engines that cannot be used, one for each BAD: 1 of an old interface, 2 with a short table, 3
 * without its device, 4 no engine at all. Engine 5 shows that it was loaded, in the file
 * CAFE_PLANTED. */
#include "engine/engine.h"

#if BAD == 5
#include <stdio.h>
#include <stdlib.h>

__attribute__((constructor)) static void show(void) {
    const char *name = getenv("CAFE_PLANTED");
    FILE *file = name ? fopen(name, "w") : NULL;
    if (file) fclose(file);
}
#endif

#if BAD < 4
static cafe_status open_engine(cafe_context *context, const cafe_engine_host *host, void **state) {
    *state = NULL;
    return host->fail(context, CAFE_ERROR_SYSTEM, "there is no such device");
}

static const char *about(const void *state) {
    return state;
}

const cafe_engine_library cafe_engine_entry = {
    .interface = BAD == 1 ? 0 : CAFE_ENGINE_INTERFACE,
    .table_size = BAD == 2 ? 8 : sizeof(cafe_engine_ops),
    .name = BAD == 1   ? "old"
            : BAD == 2 ? "short"
                       : "absent",
    .summary = "cannot be used",
    .version = "0",
    .open = open_engine,
    .about = about,
};
#endif
