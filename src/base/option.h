/* Options inside the library: defining a table, and taking a caller's struct. */
#ifndef CAFE_BASE_OPTION_H
#define CAFE_BASE_OPTION_H

#include <cafe/option.h>

#include "os/lab.h"

/* Defines cafe_NAME_option_table() for the struct cafe_NAME_options; inside the file the table is
 * NAME_table. */
#define CAFE_OPTION_TABLE(name, title, summary, rows)                                             \
    static const cafe_option_table name##_table = {title, summary, sizeof(cafe_##name##_options), \
                                                   rows, sizeof(rows) / sizeof *(rows)};          \
    const cafe_option_table *cafe_##name##_option_table(void) {                                   \
        return &name##_table;                                                                     \
    }

/* own <- the caller's options, checked. `given` may be NULL (defaults) or an older or newer version
 * of the struct. Fields that a shorter struct lacks get their defaults. Bytes of a longer struct
 * beyond this version must be 0, because their meaning is unknown. */
CAFE_LAB cafe_status cafe_options_take(cafe_context *context, const cafe_option_table *table,
                                       const void *given, void *own);

/* Fails if one of the options "a|b" is not at its default, because no other chosen option uses it:
 * "--a goes with WHAT". Options must be checked before. */
CAFE_LAB cafe_status cafe_options_idle(cafe_context *context, const cafe_option_table *table,
                                       const void *own, const char *names, const char *what);

/* The structs of callers, of any version. _take: own (already filled with defaults) <- given, by
 * the rule above; returns NULL or the reason why the struct is wrong. _give: theirs <- own, at most
 * their size; bytes of a longer struct become 0. theirs may be NULL. */
const char *cafe_struct_take(const void *given, void *own, size_t size);
CAFE_LAB void cafe_struct_give(const void *own, size_t size, void *theirs, size_t their_size);

/* own <- inputs that begin with their struct_size; missing fields become 0. `name` is for the error
 * text. */
CAFE_LAB cafe_status cafe_inputs_take(cafe_context *context, const char *name, const void *given,
                                      void *own, size_t size);

/* The value of one option as a number (a choice as its index), and a choice's word. */
double cafe_options_number(const cafe_option *option, const void *options);

#endif
