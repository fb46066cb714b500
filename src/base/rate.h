/* Rates: bytes a second from texts. */
#ifndef CAFE_BASE_RATE_H
#define CAFE_BASE_RATE_H

#include <stdbool.h>

#include <cafe/option.h>

/* Reads "25Gbit", "3GB", "1.5GiB/s", or without a unit "25G": bits or bytes, as `bits` chooses.
 * Returns CAFE_ERROR_ARGUMENT with both readings for an ambiguous unit; `name` is the option. NULL:
 * 0. */
cafe_status cafe_rate(cafe_context *context, const char *name, const char *text, bool bits,
                      double *bytes);

#endif
