/* The errors of lines, from the table. */
#include "io/trouble.h"

cafe_status cafe_fail_trouble(cafe_context *context, const cafe_place *place,
                              cafe_trouble trouble) {
    static const char *const expected[] = {"nothing",
#define CAFE_TROUBLE_TEXT(name, text) text,
                                           CAFE_TROUBLE_TABLE(CAFE_TROUBLE_TEXT)
#undef CAFE_TROUBLE_TEXT
    };
    if (trouble == CAFE_NO_MEMORY) return CAFE_ERROR_MEMORY;
    return cafe_fail_at(context, place, "%s", expected[trouble]);
}
