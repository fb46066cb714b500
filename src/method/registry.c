/* The registry: a name for every method. The rows stand beside the code of their methods. */
#include <string.h>

#include "method/method.h"

/* The paper's methods, then those others published in the order of the paper's tables. */
#define METHODS(X)       \
    X(sphere)            \
    X(cafe)              \
    X(layers)            \
    X(softmax)           \
    X(label_propagation) \
    X(gf)                \
    X(deepwalk)          \
    X(node2vec)          \
    X(line)              \
    X(hope)              \
    X(grarep)            \
    X(sdne)              \
    X(spectral)          \
    X(netmf)             \
    X(prone)             \
    X(fastrp)

#define DECLARE(name) extern const cafe_method cafe_##name##_method;
METHODS(DECLARE)

#define ENTRY(name) &cafe_##name##_method,
static const cafe_method *const methods[] = {METHODS(ENTRY)};

const cafe_method *const *cafe_methods(size_t *count) {
    *count = sizeof methods / sizeof *methods;
    return methods;
}

const cafe_method *cafe_method_or_first(const cafe_method *method, bool communities) {
    for (size_t i = 0; !method; i++)
        if (communities ? methods[i]->communities != NULL : methods[i]->vectors != NULL)
            method = methods[i];
    return method;
}

const cafe_method *cafe_method_find(const char *name) {
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        if (strcmp(methods[i]->name, name) == 0) return methods[i];
    return NULL;
}
