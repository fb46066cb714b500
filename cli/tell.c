/* Lines on standard error. */
#define _GNU_SOURCE
#include "tell.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cafe-private/text.h>

#include "option.h"

char *cli_spelled(const char *text) {
    static const char before[] = "\u2018", behind[] = "\u2019";
    enum { SIGN = sizeof before - 1 };
    char *spelled = malloc(3 * strlen(text) + 1), *to = spelled;
    for (const char *at = text; spelled && *at;) {
        const char *end = strncmp(at, before, SIGN) == 0 ? strstr(at, behind) : NULL;
        if (!end) {
            *to++ = *at++;
            continue;
        }
        size_t length = (size_t)(end - at) - SIGN, name = strcspn(at + SIGN, "=\u2019");
        bool tuned = cli_is_tuned(at + SIGN, name);
        char *option = to + (tuned ? strlen("--tune ") : strlen("--"));
        sprintf(to, "%s%.*s", tuned ? "--tune " : "--", (int)length, at + SIGN);
        if (!tuned && name < length) option[name] = ' ';
        to += strlen(to);
        at = end + SIGN;
    }
    if (spelled) *to = 0;
    return spelled;
}

void cli_vtell(cli_level level, const char *command, int code, const char *format,
               va_list arguments) {
    char *text = NULL, *shown = NULL, *spelled = NULL;
    int length = vasprintf(&text, format, arguments);
    if (length >= 0) shown = malloc(4 * (size_t)length + 1);
    if (shown) cafe_show(text, (size_t)length, shown, 4 * (size_t)length + 1);
    if (shown) spelled = cli_spelled(shown);
    cli_log(level, command, code, spelled ? spelled : "out of memory");
    if (length >= 0) free(text);
    free(shown);
    free(spelled);
}

void cli_tell(cli_level level, const char *command, int code, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    cli_vtell(level, command, code, format, arguments);
    va_end(arguments);
}

const char *cli_plural(int64_t count) {
    return count == 1 ? "" : "s";
}
