/* Lines on standard error. */
#define _GNU_SOURCE
#include "tell.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cafe/cafe.h>

#include "team.h"

void cli_vtell(const char *before, const char *format, va_list arguments) {
    char *text = NULL, *shown = NULL;
    int length = vasprintf(&text, format, arguments);
    if (length >= 0) shown = malloc(4 * (size_t)length + 1);
    if (shown) cafe_show(text, (size_t)length, shown, 4 * (size_t)length + 1);
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
