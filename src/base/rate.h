/* Rates: bytes a second from texts. */
#ifndef CAFE_BASE_RATE_H
#define CAFE_BASE_RATE_H

#include <stdbool.h>

#include <cafe/option.h>

/* "25Gbit", "3GB", "1.5GiB/s", or without a unit "25G": bits or bytes, as `bits` says. What could
 * be either is refused with both readings (CAFE_ERROR_ARGUMENT, by the option's name). NULL: 0. */
cafe_status cafe_rate(cafe_context *context, const char *name, const char *text, bool bits,
                      double *bytes);

#endif
