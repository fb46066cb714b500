/* Options from their tables: defaults, validation, setting from text, printing. */
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/option.h"
#include "base/print.h"

enum { MOST_SIZE = 4096 }; /* bytes of an options struct; a larger size is no size */

static const double most_whole = 0x1p53; /* up to here whole numbers are exact */

static const char *const no_size = "were not initialised by their init function";

static void *field(const cafe_option *option, void *options) {
    return (char *)options + option->offset;
}

static void store(const cafe_option *option, void *options, double value) {
    switch (cafe_option_kind(option)) {
        case CAFE_OPTION_INTEGER: *(int64_t *)field(option, options) = (int64_t)value; break;
        case CAFE_OPTION_REAL: *(double *)field(option, options) = value; break;
        case CAFE_OPTION_CHOICE:
        case CAFE_OPTION_SWITCH: *(int32_t *)field(option, options) = (int32_t)value; break;
        case CAFE_OPTION_TEXT: *(const char **)field(option, options) = NULL; break;
    }
}

static size_t width(const cafe_option *option) {
    bool narrow = cafe_option_kind(option) == CAFE_OPTION_CHOICE ||
                  cafe_option_kind(option) == CAFE_OPTION_SWITCH;
    return narrow ? sizeof(int32_t) : sizeof(int64_t);
}

/* Does the caller's struct, which may be of an older version, have the field? */
static bool holds(const cafe_option *option, const void *options) {
    return option->offset + width(option) <= *(const size_t *)options;
}

static const char *text_of(const cafe_option *option, const void *options) {
    if (!holds(option, options)) return NULL;
    return *(const char *const *)(const void *)((const char *)options + option->offset);
}

double cafe_options_number(const cafe_option *option, const void *options) {
    if (!holds(option, options)) return option->initial;
    const void *at = (const char *)options + option->offset;
    switch (cafe_option_kind(option)) {
        case CAFE_OPTION_INTEGER: return (double)*(const int64_t *)at;
        case CAFE_OPTION_REAL: return *(const double *)at;
        case CAFE_OPTION_CHOICE:
        case CAFE_OPTION_SWITCH: return *(const int32_t *)at;
        case CAFE_OPTION_TEXT: return text_of(option, options) != NULL;
    }
    return 0;
}

void cafe_options_init(const cafe_option_table *table, void *options, size_t size) {
    memset(options, 0, size);
    *(size_t *)options = size;
    for (size_t i = 0; table && i < table->count; i++) {
        const cafe_option *option = &table->options[i];
        if (holds(option, options)) store(option, options, option->initial);
    }
}

/* The word number `index` of "a|b|c": its start and length; length 0 when there is none. */
static const char *choice_word(const char *choices, int index, size_t *length) {
    for (;;) {
        size_t word = strcspn(choices, "|");
        if (index-- == 0) {
            *length = word;
            return choices;
        }
        if (choices[word] == 0) {
            *length = 0;
            return choices;
        }
        choices += word + 1;
    }
}

static int choice_index(const char *choices, const char *text) {
    for (int i = 0;; i++) {
        size_t length;
        const char *word = choice_word(choices, i, &length);
        if (length == 0) return -1;
        if (strlen(text) == length && memcmp(word, text, length) == 0) return i;
    }
}

static void range_text(const cafe_option *option, char *text, size_t capacity) {
    if (cafe_option_kind(option) == CAFE_OPTION_CHOICE)
        cafe_print(text, capacity, "one of %s", option->choices);
    else if (cafe_option_kind(option) == CAFE_OPTION_TEXT && option->maximum > 0)
        cafe_print(text, capacity, "one of %s or a number from %.9g to %.9g", option->choices,
                   option->minimum, option->maximum);
    else if (cafe_option_kind(option) == CAFE_OPTION_TEXT)
        cafe_print(text, capacity, "one character or one of %s", option->choices);
    else if (cafe_option_kind(option) == CAFE_OPTION_SWITCH)
        cafe_print(text, capacity, "yes or no");
    else if (cafe_option_kind(option) == CAFE_OPTION_INTEGER)
        cafe_print(text, capacity, "a whole number from %.0f to %.0f", option->minimum,
                   option->maximum < most_whole ? option->maximum : most_whole);
    else if (isinf(option->maximum))
        cafe_print(text, capacity, "a number of at least %.9g", option->minimum);
    else
        cafe_print(text, capacity, "a number from %.9g to %.9g", option->minimum, option->maximum);
}

static cafe_status refuse(cafe_context *context, const cafe_option *option, const char *text) {
    char range[256];
    range_text(option, range, sizeof range);
    return cafe_fail(context, CAFE_ERROR_ARGUMENT, CAFE_OPT("%s") " takes %s, not '%s'",
                     option->name, range, text);
}

/* Returns whether a text is allowed. Choices are words of a list, or a single character that names
 * and numbers do not contain; a tab may also be written as other tools write it. */
static bool may_be(const cafe_option *option, const char *text) {
    if (!option->choices || !text || !text[0] || choice_index(option->choices, text) >= 0)
        return true;
    if (option->maximum > 0) {
        const char *end;
        double value = cafe_parse_number(text, &end);
        return end != text && *end == 0 && value >= option->minimum && value <= option->maximum;
    }
    return strcmp(text, "\\t") == 0 || (!text[1] && strchr(" \t,;|:/!&=~^*", text[0]));
}

static bool in_range(const cafe_option *option, double value) {
    if (cafe_option_kind(option) == CAFE_OPTION_CHOICE) {
        size_t length = 0;
        if (value >= 0) choice_word(option->choices, (int)value, &length);
        return length > 0;
    }
    /* false for NaN; a default may lie outside: it stands for something */
    return (value >= option->minimum && value <= option->maximum) || value == option->initial;
}

cafe_status cafe_options_check(cafe_context *context, const cafe_option_table *table,
                               const void *options) {
    size_t size = *(const size_t *)options;
    if (size < sizeof size || size > MOST_SIZE)
        return cafe_fail(context, CAFE_ERROR_ARGUMENT, "the %s options %s", table->name, no_size);
    for (size_t i = 0; i < table->count; i++) {
        const cafe_option *option = &table->options[i];
        double value = cafe_options_number(option, options);
        if (cafe_option_kind(option) == CAFE_OPTION_TEXT) {
            const char *given = text_of(option, options);
            if (!may_be(option, given)) return refuse(context, option, given);
        } else if (!in_range(option, value)) {
            char text[64];
            cafe_print(text, sizeof text,
                       cafe_option_kind(option) == CAFE_OPTION_INTEGER ? "%.0f" : "%g", value);
            return refuse(context, option, text);
        }
    }
    return CAFE_OK;
}

const char *cafe_struct_take(const void *given, void *own, size_t size) {
    size_t theirs = given ? *(const size_t *)given : 0;
    if (!given) return NULL;
    if (theirs < sizeof(size_t) || theirs > MOST_SIZE) return no_size;
    for (size_t i = size; i < theirs; i++)
        if (((const char *)given)[i] != 0)
            return "ask for something that this version of the library does not know";
    memcpy(own, given, theirs < size ? theirs : size);
    *(size_t *)own = size;
    return NULL;
}

void cafe_struct_give(const void *own, size_t size, void *theirs, size_t their_size) {
    if (!theirs) return;
    memcpy(theirs, own, their_size < size ? their_size : size);
    if (their_size > size) memset((char *)theirs + size, 0, their_size - size);
}

cafe_status cafe_inputs_take(cafe_context *context, const char *name, const void *given, void *own,
                             size_t size) {
    memset(own, 0, size);
    const char *wrong = cafe_struct_take(given, own, size);
    if (!wrong) return CAFE_OK;
    return cafe_fail(context, CAFE_ERROR_ARGUMENT, "the inputs of %s %s", name, wrong);
}

cafe_status cafe_options_take(cafe_context *context, const cafe_option_table *table,
                              const void *given, void *own) {
    cafe_options_init(table, own, table->struct_size);
    const char *wrong = cafe_struct_take(given, own, table->struct_size);
    if (!wrong) return cafe_options_check(context, table, own);
    return cafe_fail(context, CAFE_ERROR_ARGUMENT, "the %s options %s", table->name, wrong);
}

static bool is_among(const char *name, const char *names) {
    size_t length = strlen(name);
    for (const char *at = names; at; at = strchr(at, '|') ? strchr(at, '|') + 1 : NULL)
        if (strncmp(at, name, length) == 0 && (at[length] == 0 || at[length] == '|')) return true;
    return false;
}

cafe_status cafe_options_idle(cafe_context *context, const cafe_option_table *table,
                              const void *own, const char *names, const char *what) {
    for (size_t i = 0; i < table->count; i++) {
        const cafe_option *o = &table->options[i];
        double none = cafe_option_kind(o) == CAFE_OPTION_TEXT ? 0 : o->initial;
        if (is_among(o->name, names) && cafe_options_number(o, own) != none)
            return cafe_fail(context, CAFE_ERROR_ARGUMENT, CAFE_OPT("%s") " goes with %s", o->name,
                             what);
    }
    return CAFE_OK;
}

/* Returns the value of `text`, NaN if it has none. Whole numbers may be written as 1e6; they are
 * exact up to 2^53. */
static double parse(const cafe_option *option, const char *text) {
    if (cafe_option_kind(option) == CAFE_OPTION_CHOICE) {
        int index = choice_index(option->choices, text);
        return index < 0 ? NAN : index;
    }
    if (cafe_option_kind(option) == CAFE_OPTION_SWITCH) {
        int index = choice_index("no|yes|0|1|false|true|off|on", text);
        return index < 0 ? NAN : index % 2;
    }
    const char *end;
    double value = cafe_parse_number(text, &end);
    if (end == text || *end != 0 || isinf(value)) return NAN;
    if (cafe_option_kind(option) == CAFE_OPTION_INTEGER &&
        (value != floor(value) || fabs(value) > most_whole))
        return NAN;
    return value;
}

cafe_status cafe_options_set(cafe_context *context, const cafe_option_table *table, void *options,
                             const char *name, const char *text) {
    for (size_t i = 0; i < table->count; i++) {
        const cafe_option *option = &table->options[i];
        if (strcmp(option->name, name) != 0 || !holds(option, options)) continue;
        if (cafe_option_kind(option) == CAFE_OPTION_TEXT) {
            if (!may_be(option, text)) return refuse(context, option, text);
            *(const char **)field(option, options) = text[0] ? text : NULL;
            return CAFE_OK;
        }
        double value = parse(option, text);
        if (!in_range(option, value)) return refuse(context, option, text);
        store(option, options, value);
        return CAFE_OK;
    }
    return cafe_fail(context, CAFE_ERROR_ARGUMENT, "%s has no option '%s'", table->name, name);
}

size_t cafe_options_text(const cafe_option *option, const void *options, char *text,
                         size_t capacity) {
    double value = cafe_options_number(option, options);
    int written = 0;
    if (cafe_option_kind(option) == CAFE_OPTION_CHOICE) {
        size_t length;
        const char *word = choice_word(option->choices, (int)value, &length);
        written = cafe_print(text, capacity, "%.*s", (int)length, word);
    } else if (cafe_option_kind(option) == CAFE_OPTION_SWITCH) {
        written = cafe_print(text, capacity, "%s", value != 0 ? "yes" : "no");
    } else if (cafe_option_kind(option) == CAFE_OPTION_TEXT) {
        written = cafe_print(text, capacity, "%s", value != 0 ? text_of(option, options) : "");
    } else if (cafe_option_kind(option) == CAFE_OPTION_INTEGER) {
        written = cafe_print(text, capacity, "%.0f", value);
    } else {
        written = cafe_print(text, capacity, "%.9g", value);
    }
    return written < 0 ? 0 : (size_t)written;
}
