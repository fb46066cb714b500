/* No libraries are loaded at run time: a page in a browser has none. */
#include "os/os.h"

void *cafe_os_load(const char *path) {
    (void)path;
    return NULL;
}

void *cafe_os_symbol(void *library, const char *name) {
    (void)library, (void)name;
    return NULL;
}

const char *cafe_os_load_error(void) {
    return "this program loads no libraries";
}

void cafe_os_unload(void *library) {
    (void)library;
}
