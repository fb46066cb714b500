/* The static tool loads no libraries.
 *
 * A library that is loaded brings the C library it was built for, and a program with another one in
 * it would then have two: it may crash, or not. So the functions that load stand here, and say no.
 * Engines and XGBoost are then what they are wherever they are missing: not there, for a reason
 * that is reported.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>

static char reason[] = "this is the static tool, which loads no libraries";

void *dlopen(const char *path, int flags) {
    (void)path, (void)flags;
    return NULL;
}

void *dlsym(void *handle, const char *name) {
    (void)handle, (void)name;
    return NULL;
}

int dlclose(void *handle) {
    (void)handle;
    return -1;
}

char *dlerror(void) {
    return reason;
}

int dladdr(const void *address, Dl_info *info) {
    (void)address, (void)info;
    return 0;
}
