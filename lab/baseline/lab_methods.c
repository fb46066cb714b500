/* The rows of all methods: the core's, then those others published in the order of the paper's
 * tables. */
#include <cafe/lab.h>

#include "baseline/baseline.h"

#define METHODS(X)       \
    X(label_propagation) \
    X(gf)                \
    X(deepwalk)          \
    X(node2vec)          \
    X(line)              \
    X(hope)              \
    X(grarep)            \
    X(sdne)              \
    X(netmf)             \
    X(prone)             \
    X(fastrp)

#define DECLARE(name) extern const cafe_method cafe_##name##_method;
METHODS(DECLARE)

#define ENTRY(name) &cafe_##name##_method,
static const cafe_method *const methods[] = {CAFE_CORE_METHODS, METHODS(ENTRY)};

const cafe_method *const *cafe_lab_methods(size_t *count) {
    *count = sizeof methods / sizeof *methods;
    return methods;
}

void cafe_lab_add(cafe_context *context) {
    context->methods = cafe_lab_methods(&context->method_count);
}
