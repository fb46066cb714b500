/* The first of the things that threads find, whatever thread finds it first. */
#ifndef CAFE_IO_FIRST_ERROR_H
#define CAFE_IO_FIRST_ERROR_H

#include <stdatomic.h>
#include <stdint.h>

/* Keeps the smallest index; begun with INT64_MAX: none. */
static inline void cafe_first_note(atomic_llong *first, int64_t i) {
    long long known = atomic_load(first);
    while (i < known && !atomic_compare_exchange_weak(first, &known, i)) {
    }
}

#endif
