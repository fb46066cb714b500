/* One table of options per method: defaults, ranges and help, written once.
 *
 * The table feeds the options struct's init function, validation, the command line, the manual
 * page and the JSON echo. An options struct starts with `size_t struct_size`.
 */
#ifndef CAFE_OPTION_H
#define CAFE_OPTION_H

#include <stddef.h>
#include <stdint.h>

#include <cafe/context.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum cafe_option_type {
    CAFE_OPTION_INTEGER = 0, /* int64_t */
    CAFE_OPTION_REAL = 1,    /* double  */
    CAFE_OPTION_CHOICE = 2,  /* int32_t, index into `choices` */
    CAFE_OPTION_SWITCH = 3,  /* int32_t, 0 or 1 */
    CAFE_OPTION_TEXT =
        4, /* const char *, NULL or "" when not given; the text is the caller's, not copied */
    CAFE_OPTION_TUNE = 16 /* added to one of these: an option for developers, which the tool takes
                           * by --tune NAME=VALUE. A name is tuned in all tables or in none. */
} cafe_option_type;

typedef struct cafe_option {
    const char *name;                 /* as on the command line, without dashes */
    const char *placeholder;          /* "K" */
    int32_t type;                     /* cafe_option_type */
    size_t offset;                    /* of the field in the options struct */
    double initial, minimum, maximum; /* initial may lie outside of the range, for "as the method
                                       * says"; help then says what it stands for */
    const char *choices; /* "walk|hhat|ritz|raw"; of a text: words that it may be beside one
                          * character or, with a maximum, a number; NULL: any text */
    const char *help;    /* one sentence, no full stop */
} cafe_option;

typedef struct cafe_option_table {
    const char *name;    /* of the method or the step */
    const char *summary; /* one line */
    size_t struct_size;
    const cafe_option *options;
    size_t count;
} cafe_option_table;

/* The type of the value, without CAFE_OPTION_TUNE. */
static inline int32_t cafe_option_kind(const cafe_option *option) {
    return option->type & ~(int32_t)CAFE_OPTION_TUNE;
}

/* Fills an options struct of `size` bytes with its defaults (table NULL: with 0). The size is the
 * caller's: a program that was built with an older, shorter struct goes on working with a newer
 * library. */
CAFE_API void cafe_options_init(const cafe_option_table *table, void *options, size_t size);

/* The table of the struct cafe_NAME_options by its name ("sphere"); NULL: libcafe has none of it.
 */
CAFE_API const cafe_option_table *cafe_options_table(const char *name);

/* The table and the init function of the struct cafe_NAME_options. In the sources of the library
 * the table is a function of its own: layers below the list of all tables do not use the list. */
#ifdef CAFE_INSIDE_CORE
#define CAFE_OPTIONS(name) CAFE_OPTIONS_INSIDE(name)
#else
#define CAFE_OPTIONS(name) CAFE_OPTIONS_LISTED(name, cafe_options_table)
#endif
#define CAFE_OPTIONS_LISTED(name, table)                                      \
    static inline const cafe_option_table *cafe_##name##_option_table(void) { \
        return table(#name);                                                  \
    }                                                                         \
    CAFE_OPTIONS_INIT(name)
#define CAFE_OPTIONS_INSIDE(name)                              \
    const cafe_option_table *cafe_##name##_option_table(void); \
    CAFE_OPTIONS_INIT(name)
#define CAFE_OPTIONS_INIT(name)                                                     \
    static inline void cafe_##name##_options_init(cafe_##name##_options *options) { \
        cafe_options_init(cafe_##name##_option_table(), options, sizeof *options);  \
    }

/* The init function of the struct cafe_NAME_inputs: arrays and objects of one call. It begins with
 * struct_size, like options; all else is 0 until the caller fills it. */
#define CAFE_INPUTS(name)                                                        \
    static inline void cafe_##name##_inputs_init(cafe_##name##_inputs *inputs) { \
        cafe_options_init(NULL, inputs, sizeof *inputs);                         \
    }

/* Every value within its range? The error text names the option and the range. */
CAFE_API cafe_status cafe_options_check(cafe_context *context, const cafe_option_table *table,
                                        const void *options);

/* Sets one option from text ("64", "1e-3", "walk", "yes"); CAFE_ERROR_ARGUMENT with the option,
 * the text and what was expected in the error text. */
CAFE_API cafe_status cafe_options_set(cafe_context *context, const cafe_option_table *table,
                                      void *options, const char *name, const char *text);

/* Writes the value as text ("64", "0.001", "walk"); returns the length, as snprintf does. */
CAFE_API size_t cafe_options_text(const cafe_option *option, const void *options, char *text,
                                  size_t capacity);

#ifdef __cplusplus
}
#endif
#endif
