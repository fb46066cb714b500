/* Text on its way to a terminal: names are shown, never obeyed (cafe_show_lines()). */
#ifndef CAFE_IO_TERMINAL_TEXT_H
#define CAFE_IO_TERMINAL_TEXT_H

#include <stdint.h>

#include "base/context.h"

/* The beginning of a character whose other bytes come with the next write. */
typedef struct cafe_terminal {
    char held[4];
    int count;
} cafe_terminal;

typedef cafe_status cafe_terminal_put(void *target, const char *bytes, int64_t size);

/* Writes the text in pieces; with bytes NULL the rest, at the end. */
cafe_status cafe_terminal_write(cafe_terminal *terminal, const char *bytes, int64_t size,
                                cafe_terminal_put *put, void *target);

#endif
