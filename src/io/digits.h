/* Numbers as text, the same in every locale. */
#ifndef CAFE_IO_DIGITS_H
#define CAFE_IO_DIGITS_H

#include <stdint.h>

enum { CAFE_INTEGER_TEXT = 20, CAFE_FLOAT_TEXT = 16 }; /* the most characters written */

/* Write the number at `text` and return the place behind it; no 0 is appended. A float gets the
 * fewest digits, between 6 and 9 less zeros at the end, that read back as the same float. */
char *cafe_put_integer(char *text, int64_t value);
char *cafe_put_float(char *text, float value);
/* Several, with the separator in front of each. */
char *cafe_put_floats(char *text, char separator, const float *values, int64_t count);

#endif
