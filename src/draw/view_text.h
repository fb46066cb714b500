/* Text that grows: what a page says of itself, as JSON that is safe inside HTML. */
#ifndef CAFE_DRAW_VIEW_TEXT_H
#define CAFE_DRAW_VIEW_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/context.h"

typedef struct cafe_view_text {
    cafe_context *context;
    char *bytes;
    int64_t size, capacity;
    bool failed; /* memory was out; what follows is ignored */
    bool comma;  /* the next value needs one before it */
} cafe_view_text;

void cafe_view_text_free(cafe_view_text *text);

/* Bytes as they are. */
void cafe_view_put(cafe_view_text *text, const char *bytes, int64_t size);

/* Text as the content of an HTML element: & < > escaped. */
void cafe_view_put_html(cafe_view_text *text, const char *value);

/* JSON. `key` is NULL inside arrays. Strings are untrusted bytes: quotes, control characters and
 * the characters that mean something to HTML are escaped, so that no string ends a script. */
void cafe_view_open(cafe_view_text *text, const char *key, char bracket);
void cafe_view_close(cafe_view_text *text, char bracket);
void cafe_view_string(cafe_view_text *text, const char *key, const char *value);
void cafe_view_integer(cafe_view_text *text, const char *key, int64_t value);
void cafe_view_real(cafe_view_text *text, const char *key, double value); /* null: not finite */
void cafe_view_reals(cafe_view_text *text, const char *key, int64_t count, const double *values);

#endif
