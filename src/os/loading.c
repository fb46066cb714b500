/* Libraries that are loaded at run time. */
#define _GNU_SOURCE /* RTLD_NODELETE, which is no part of POSIX */
#include <dlfcn.h>

#include "os/os.h"

#ifndef RTLD_NODELETE
#define RTLD_NODELETE 0
#endif

/* Threads of a device's own libraries may run on and must not lose their code. */
void *cafe_os_load(const char *path) {
    return dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
}

void *cafe_os_symbol(void *library, const char *name) {
    return dlsym(library, name);
}

const char *cafe_os_load_error(void) {
    return dlerror();
}

void cafe_os_unload(void *library) {
    if (library) dlclose(library);
}
