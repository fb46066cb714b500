/* Lines on standard error. */
#define _GNU_SOURCE
#include "tell.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cafe/lab.h>

#include "team.h"

/* Options in the library's messages stand as \u2018columns\u2019 and \u2018rows=sparse\u2019: here
 * they are --columns and --rows sparse. In place, since the marks of three bytes become at most
 * two. */
void cli_spell_options(char *text) {
    static const char before[] = "\u2018", behind[] = "\u2019";
    char *to = text;
    bool inside = false;
    for (const char *at = text; *at;) {
        if (!inside && strncmp(at, before, 3) == 0) {
            inside = true;
            at += 3;
            *to++ = '-';
            *to++ = '-';
        } else if (inside && strncmp(at, behind, 3) == 0) {
            inside = false;
            at += 3;
        } else {
            *to++ = inside && *at == '=' ? ' ' : *at;
            at++;
        }
    }
    *to = 0;
}

void cli_vtell(const char *before, const char *format, va_list arguments) {
    char *text = NULL, *shown = NULL;
    int length = vasprintf(&text, format, arguments);
    if (length >= 0) shown = malloc(4 * (size_t)length + 1);
    if (shown) cafe_show(text, (size_t)length, shown, 4 * (size_t)length + 1);
    if (shown) cli_spell_options(shown);
    if (cli_team_speaks())
        fprintf(stderr, "%s%s\n", before, shown ? shown : "out of memory");
    else
        cli_team_keep(before, shown ? shown : "out of memory");
    if (length >= 0) free(text);
    free(shown);
}

void cli_tell(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    cli_vtell("", format, arguments);
    va_end(arguments);
}

const char *cli_plural(int64_t count) {
    return count == 1 ? "" : "s";
}
