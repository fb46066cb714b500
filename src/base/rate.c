/* Rates: bytes per second from texts.
 *
 * Networks are sold in bits and memory in bytes per second, and "gb" is used for both. An ambiguous
 * unit is refused, because a wrong guess errs by a factor of eight.
 */
#include "base/rate.h"

#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/print.h"

static const double most_rate = 1e18;

/* 1000 or, of "Ki", "Mi", ..., 1024 to the power that the letter stands for; 1 without one. */
static double take_prefix(const char **text) {
    static const char letters[] = "kmgtp";
    const char *at = **text ? strchr(letters, **text | 32) : NULL;
    if (!at) return 1;
    bool binary = (*text)[1] == 'i';
    *text += binary ? 2 : 1;
    return pow(binary ? 1024 : 1000, (double)(at - letters + 1));
}

static bool is_one_of(const char *text, const char *const *words) {
    for (; *words; words++)
        if (strcmp(text, *words) == 0) return true;
    return false;
}

/* Returns the unit without "/s" or "ps": 1 for bits, 8 for bytes, 0 for no unit, -1 for an unknown
 * one. A small letter before b, as in gb, is ambiguous. */
static int unit_of(const char *text, bool small) {
    static const char *const bits[] = {"bit", "bits", "b", NULL};
    static const char *const bytes[] = {"B", "byte", "bytes", NULL};
    char unit[16];
    size_t length = strlen(text);
    if (length >= sizeof unit) return -1;
    memcpy(unit, text, length + 1);
    if (length > 2 &&
        (strcmp(unit + length - 2, "/s") == 0 || strcmp(unit + length - 2, "ps") == 0))
        unit[length - 2] = 0;
    if (unit[0] == 0) return 0;
    if (small && strcmp(unit, "b") == 0) return -1;
    return is_one_of(unit, bits) ? 1 : is_one_of(unit, bytes) ? 8 : -1;
}

cafe_status cafe_rate(cafe_context *context, const char *name, const char *text, bool bits,
                      double *bytes) {
    const char *end;
    *bytes = 0;
    if (!text || !text[0]) return CAFE_OK;
    double value = cafe_parse_number(text, &end);
    bool number = end > text && value > 0 && text[0] >= '0' && text[0] <= '9';
    const char *at = end;
    double prefix = take_prefix(&at);
    bool small = prefix > 1 && *end >= 'a' && *end != 'k';
    int unit = unit_of(at, small);
    if (unit == 0 && prefix > 1) unit = bits ? 1 : 8;
    *bytes = value * prefix * unit / 8;
    if (number && unit > 0 && *bytes <= most_rate) return CAFE_OK;
    *bytes = 0;
    if (!number || unit > 0 || strlen(at) > 1)
        return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                         CAFE_OPT("%s") " takes a rate such as 25Gbit or 3GB, a second, not '%s'",
                         name, text);
    return cafe_fail(
        context, CAFE_ERROR_ARGUMENT,
        CAFE_OPT("%s") ": '%s' may be bits or bytes a second; write %.*s%cbit or %.*s%cB", name,
        text, (int)(end - text), text, *end ? *end & ~32 : 'G', (int)(end - text), text,
        *end ? *end & ~32 : 'G');
}
