/* The filter before a terminal. Writes may end in the middle of a character: its bytes wait. */
#include "io/terminal_text.h"

#include <string.h>

#include "base/print.h"

enum { SHOWN = 4096 };

/* Completes the character that is held with the next bytes, of which *size are left. */
static cafe_status put_held(cafe_terminal *t, const char **bytes, int64_t *size,
                            cafe_terminal_put *put, void *target) {
    char shown[32];
    size_t used = 0, length = 0;
    while (t->count > 0 && used == 0 && *size > 0 && t->count < 4) {
        t->held[t->count++] = *(*bytes)++;
        (*size)--;
        length =
            cafe_show_lines(t->held, (size_t)t->count, t->count == 4, &used, shown, sizeof shown);
    }
    t->count -= (int)used;
    memmove(t->held, t->held + used, (size_t)t->count);
    return length > 0 ? put(target, shown, (int64_t)length) : CAFE_OK;
}

static cafe_status put_rest(cafe_terminal *t, cafe_terminal_put *put, void *target) {
    char shown[32];
    size_t used,
        length = cafe_show_lines(t->held, (size_t)t->count, true, &used, shown, sizeof shown);
    t->count = 0;
    return length > 0 ? put(target, shown, (int64_t)length) : CAFE_OK;
}

cafe_status cafe_terminal_write(cafe_terminal *t, const char *bytes, int64_t size,
                                cafe_terminal_put *put, void *target) {
    char shown[SHOWN];
    if (!bytes) return put_rest(t, put, target);
    while (size > 0) {
        size_t used = 0, length;
        if (t->count > 0) CAFE_PASS(put_held(t, &bytes, &size, put, target));
        if (t->count > 0) continue;
        length = cafe_show_lines(bytes, (size_t)size, false, &used, shown, sizeof shown);
        if (length > 0) CAFE_PASS(put(target, shown, (int64_t)length));
        bytes += used, size -= (int64_t)used;
        if (used > 0) continue;
        t->count = (int)size; /* the beginning of a character: at most three bytes */
        memcpy(t->held, bytes, (size_t)size);
        size = 0;
    }
    return CAFE_OK;
}
