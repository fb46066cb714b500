/* The data that an engine holds for an object of the library, for example a copy on its device.
 * They are freed with the object. */
#ifndef CAFE_BASE_ENGINE_COPY_H
#define CAFE_BASE_ENGINE_COPY_H

#include "base/context.h"

typedef struct cafe_held {
    const void *engine;
    void *state;
    void (*let_go)(cafe_context *context, struct cafe_held *held); /* NULL: nothing is held */
} cafe_held;

static inline void cafe_let_go(cafe_context *context, cafe_held *held) {
    if (held->let_go) held->let_go(context, held);
}

#endif
