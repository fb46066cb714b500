/* What people read on standard error. Names and paths in it are shown, never obeyed: cafe_show().
 */
#ifndef CAFE_CLI_TELL_H
#define CAFE_CLI_TELL_H

#include <stdarg.h>
#include <stdint.h>

/* One line, whatever stands in the arguments; `before` in front of it. */
void cli_tell(const char *format, ...) __attribute__((format(printf, 1, 2)));
void cli_vtell(const char *before, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));

/* "s" behind a noun, but of one. */
const char *cli_plural(int64_t count);

/* The library's marks of options become --columns and --rows sparse, in place. */
void cli_spell_options(char *text);

#endif
