/* Numbers as text, the same in every locale. */
#ifndef CAFE_IO_DIGITS_H
#define CAFE_IO_DIGITS_H

#include <stdint.h>

#include "os/lab.h"

enum { CAFE_INTEGER_TEXT = 20, CAFE_FLOAT_TEXT = 16 }; /* the most characters written */

/* Write the number at `text` and return the place after it, without a final 0. A float gets the
 * fewest digits that read back as the same float, between 6 and 9 less trailing zeros. */
CAFE_LAB char *cafe_put_integer(char *text, int64_t value);
char *cafe_put_float(char *text, float value);
/* Several, with the separator in front of each. */
char *cafe_put_floats(char *text, char separator, const float *values, int64_t count);

#endif
