/* What people read on standard error. Names and paths in it are shown, never obeyed: cafe_show().
 */
#ifndef CAFE_CLI_TELL_H
#define CAFE_CLI_TELL_H

#include <stdarg.h>
#include <stdint.h>

#include "log.h"

/* One line, whatever stands in the arguments, with options spelled for the tool. An error begins
 * with "cafe COMMAND: " (NULL: "cafe: ") and has the exit code; a warning begins with "warning: ".
 */
void cli_tell(cli_level level, const char *command, int code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void cli_vtell(cli_level level, const char *command, int code, const char *format,
               va_list arguments) __attribute__((format(printf, 4, 0)));

/* "s" behind a noun, but of one. */
const char *cli_plural(int64_t count);

/* An option in a message: in the marks that the library has, for cli_spelled(). */
#define CLI_OPT(name) "\u2018" name "\u2019"
/* A copy of the text, to be freed, with the options spelled for the tool:
 * --columns, --method layers and --tune rows=sparse; NULL without memory. */
char *cli_spelled(const char *text);

#endif
