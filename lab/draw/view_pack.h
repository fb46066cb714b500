/* Arrays of a page: points along a curve, numbers as byte planes, deflated, as base64. */
#ifndef CAFE_DRAW_VIEW_PACK_H
#define CAFE_DRAW_VIEW_PACK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/context.h"

/* One array, packed. */
typedef struct cafe_view_section {
    char name[24];
    int64_t count;       /* of numbers, or of bytes */
    int64_t raw;         /* bytes before they were deflated */
    int64_t packed_size; /* bytes of deflate data */
    uint8_t *packed;     /* memory of the context */
    bool delta;          /* the numbers are differences */
    double low, high;    /* of quantised values: the values of 0 and of `steps` */
    int64_t steps;       /* 0: not quantised */
} cafe_view_section;

/* Deflates values[count] as planes of bytes, the low bytes of all of them first, in as many planes
 * as the largest needs. If values is NULL: bytes[count] as they are. */
cafe_status cafe_view_pack(cafe_context *context, const uint32_t *values, const uint8_t *bytes,
                           int64_t count, cafe_view_section *section);

/* Bytes the section takes in the page as base64. */
int64_t cafe_view_base64_size(int64_t bytes);
/* Writes base64 without a final 0; returns cafe_view_base64_size(size). */
int64_t cafe_view_base64(const uint8_t *bytes, int64_t size, char *text);

/* Interleaves the bits of two 16-bit halves, x first: neighbours in the plane get close codes. */
uint32_t cafe_view_morton(uint32_t x, uint32_t y);

/* order[n] gets 0 .. n-1 by ascending code, equal ones by number; code[n] is sorted along. */
cafe_status cafe_view_sort(cafe_context *context, int64_t n, uint32_t *code, uint32_t *order);

/* Codes value[n] given given[n], of 0 .. kinds-1: the rank of the value among the values with the
 * same given one, most frequent first. Labels and communities mostly agree, so most ranks are 0.
 * The table, memory of the context, has for each kind the number of its values, then the values by
 * rank. */
cafe_status cafe_view_given(cafe_context *context, int64_t n, const uint32_t *given, int64_t kinds,
                            uint32_t *value, uint32_t **table, int64_t *size);

#endif
