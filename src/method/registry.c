/* The registry: a name for every method. The rows stand beside the code of their methods. */
#include <string.h>

#include "method/method.h"

static const cafe_method *const core[] = {CAFE_CORE_METHODS};

const cafe_method *const *cafe_methods(const cafe_context *context, size_t *count) {
    bool more = context && context->methods;
    *count = more ? context->method_count : sizeof core / sizeof *core;
    return more ? context->methods : core;
}

const cafe_method *cafe_method_or_first(const cafe_method *method, bool communities) {
    for (size_t i = 0; !method; i++)
        if (communities ? core[i]->communities != NULL : core[i]->vectors != NULL) method = core[i];
    return method;
}

const cafe_method *cafe_method_find(const cafe_context *context, const char *name) {
    size_t count;
    const cafe_method *const *methods = cafe_methods(context, &count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(methods[i]->name, name) == 0) return methods[i];
    return NULL;
}
