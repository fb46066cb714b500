/* Recognises LGL, which is refused. */
#ifndef CAFE_IO_LGL_H
#define CAFE_IO_LGL_H

#include <stdbool.h>
#include <stdint.h>

/* Is this the beginning of an LGL file? */
bool cafe_is_lgl(const uint8_t *bytes, int64_t size);

#endif
