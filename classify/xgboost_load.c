/* Loads XGBoost when it is first asked for.
 *
 * Linking it would make every command pay for it: it brings libgomp, libdmlc and the C++ library,
 * and a few milliseconds of constructors. It is loaded once for the process and stays: libgomp does
 * not survive being unloaded.
 */
#include "xgboost_load.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static xgboost functions;
static int loaded;
static char trouble[256];
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* A function pointer from dlsym(), by its bytes: ISO C has no conversion. */
static int find(void *library, const char *name, void *function) {
    void *symbol = dlsym(library, name);
    memcpy(function, &symbol, sizeof symbol);
    return symbol != NULL;
}

static void load(void) {
    void *library = dlopen("libxgboost.so.0", RTLD_NOW | RTLD_LOCAL);
    if (!library) snprintf(trouble, sizeof trouble, "%s", dlerror());
    if (!library) library = dlopen("libxgboost.so", RTLD_NOW | RTLD_LOCAL);
    if (!library) return;
    loaded = 1;
#define XGBOOST_FIND(name, type, arguments) \
    if (!find(library, #name, &functions.name)) loaded = 0;
    snprintf(trouble, sizeof trouble, "a function is missing");
    XGBOOST_FUNCTIONS(XGBOOST_FIND)
#undef XGBOOST_FIND
}

const xgboost *xgboost_load(void) {
    pthread_once(&once, load);
    return loaded ? &functions : NULL;
}

const char *xgboost_trouble(void) {
    return trouble;
}
