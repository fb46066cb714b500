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

/* Fails if one of the options "a|b" is not at its default, because no other chosen option uses it:
 * "--a goes with WHAT". The options have been checked. */
cafe_status cafe_options_idle(cafe_context *context, const cafe_option_table *table,
                              const void *own, const char *names, const char *what);

/* The structs of callers, of whatever version. _take: own (already filled with defaults) <- given,
 * by the rule above; NULL, or what is wrong with them. _give: theirs <- own, no more than their
 * size; what a longer one has beyond ours becomes 0. theirs may be NULL. */
const char *cafe_struct_take(const void *given, void *own, size_t size);
void cafe_struct_give(const void *own, size_t size, void *theirs, size_t their_size);

/* own <- inputs that begin with their struct_size, the others 0; `name` is for the error text. */
cafe_status cafe_inputs_take(cafe_context *context, const char *name, const void *given, void *own,
                             size_t size);

/* The value of one option as a number (a choice as its index), and a choice's word. */
double cafe_options_number(const cafe_option *option, const void *options);

#endif
