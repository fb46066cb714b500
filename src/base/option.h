/* Options inside the library: defining a table, and taking a caller's struct. */
#ifndef CAFE_BASE_OPTION_H
#define CAFE_BASE_OPTION_H

#include <cafe/option.h>

/* Defines cafe_NAME_option_table() for the struct cafe_NAME_options; inside the file the table is
 * NAME_table. */
#define CAFE_OPTION_TABLE(name, title, summary, rows)                                             \
    static const cafe_option_table name##_table = {title, summary, sizeof(cafe_##name##_options), \
                                                   rows, sizeof(rows) / sizeof *(rows)};          \
    const cafe_option_table *cafe_##name##_option_table(void) {                                   \
        return &name##_table;                                                                     \
    }

/* own <- the caller's options, checked. `given` may be NULL (defaults), or of another version of
 * the struct: fields that a shorter one lacks have their defaults; what a longer one has beyond
 * ours must be 0, since we would not know what it asks for. */
cafe_status cafe_options_take(cafe_context *context, const cafe_option_table *table,
                              const void *given, void *own);

#endif
