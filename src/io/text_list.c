/* Lists of texts in a cell: one walk over the items, which decides and reads. */
#include "io/text_list.h"

#include <string.h>

#include "base/print.h"

enum { LAST = -1, NO_LIST = -2 };

static const char *skip_blanks(const char *at, const char *end) {
    while (at < end && *at == ' ') at++;
    return at;
}

/* The character behind a backslash: an escape of JSON, or an apostrophe of Python. 0: neither. */
static int take_character(const char **at, const char *end, char *text) {
    if (*at == end || **at != '\'') return cafe_take_escape(at, end, text);
    *text = *(*at)++;
    return 1;
}

/* The text up to its closing quote; item NULL: only its length counts. */
static int64_t take_text(const char **at, const char *end, char *item) {
    const char quote = *(*at)++;
    char bytes[4];
    int64_t length = 0;
    for (; *at < end; length++) {
        int count = 1;
        bytes[0] = *(*at)++;
        if (bytes[0] == quote) return length;
        if (bytes[0] == '\\' && (count = take_character(at, end, bytes)) == 0) return NO_LIST;
        if (item) memcpy(item + length, bytes, (size_t)count);
        length += count - 1;
    }
    return NO_LIST;
}

static int64_t take_number(const char **at, const char *end, char *item) {
    const char *begin = *at;
    while (*at < end && **at && strchr("0123456789+-.eE", **at)) ++*at;
    int64_t length = *at - begin;
    if (item) memmove(item, begin, (size_t)length);
    return length > 0 ? length : NO_LIST;
}

static int64_t take_item(const char **at, const char *end, char *item) {
    *at = skip_blanks(*at, end);
    if (*at >= end - 1) return LAST;
    int64_t length =
        **at == '"' || **at == '\'' ? take_text(at, end, item) : take_number(at, end, item);
    const char *behind = skip_blanks(*at, end);
    bool comma = behind < end && *behind == ',';
    if (!comma && behind == *at && behind != end - 1) return NO_LIST;
    *at = behind + comma;
    return length;
}

bool cafe_is_text_list(const char *text, int64_t length) {
    static const char opening[] = "[({", closing[] = "])}";
    const char *bracket = length > 1 ? memchr(opening, text[0], 3) : NULL;
    if (!bracket || text[length - 1] != closing[bracket - opening]) return false;
    int64_t taken = 0, quoted = 0, items = 0;
    for (const char *at = text + 1, *end = text + length; taken != LAST; items++) {
        at = skip_blanks(at, end);
        quoted += *at == '"' || *at == '\'';
        taken = take_item(&at, end, NULL);
        if (taken == NO_LIST) return false;
    }
    return quoted == items - 1 || (quoted == 0 && text[0] == '[');
}

int64_t cafe_text_list_next(const char **at, const char *end, char *item) {
    if (**at == '[' || **at == '(' || **at == '{') ++*at; /* no item begins with one of these */
    return take_item(at, end, item);
}
