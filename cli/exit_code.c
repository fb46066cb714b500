/* Exit codes: from statuses of the library, and their table for people. */
#include "exit_code.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "command.h"

/* Room on a disk, descriptors and processes come back; other failures of a file stay. */
static bool is_shortage(int32_t problem) {
    static const int32_t shortages[] = {ENOSPC, EDQUOT, EMFILE, ENFILE, ENOMEM, EAGAIN};
    for (size_t i = 0; i < sizeof shortages / sizeof *shortages; i++)
        if (problem == shortages[i]) return true;
    return false;
}

cli_exit cli_exit_of(cafe_status status, int32_t problem) {
    switch (status) {
        case CAFE_OK: return CLI_OK;
        case CAFE_ERROR_FORMAT: return CLI_INPUT;
        case CAFE_ERROR_MEMORY:
        case CAFE_ERROR_LIMIT: return CLI_RESOURCES;
        case CAFE_ERROR_IO:
        case CAFE_ERROR_SYSTEM: return is_shortage(problem) ? CLI_RESOURCES : CLI_FAILED;
        case CAFE_ERROR_ARGUMENT:
        case CAFE_ERROR_EXISTS:
        case CAFE_ERROR_CANCELLED: return CLI_FAILED;
        case CAFE_ERROR_NUMERIC: return CLI_BUG;
    }
    return CLI_BUG;
}

/* ---- for people ------------------------------------------------------------------------------ */

static const struct {
    int code;
    const char *title, *meaning;
} rows[] = {
#define ROW(name, code, title, meaning) {code, title, meaning},
    CLI_EXIT_TABLE(ROW)
#undef ROW
};
enum { ROWS = sizeof rows / sizeof *rows };

static const char *plus(int row) {
    return rows[row].code == CLI_INTERRUPTED ? "+N" : "";
}

void cli_print_exit_line(void) {
    char text[256] = "exit codes:";
    for (int i = 0; i < ROWS; i++) {
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%s %d%s %s", i ? "," : "", rows[i].code, plus(i),
                 rows[i].title);
    }
    cli_put_words(text, 0, 0);
    printf("\n");
}

void cli_print_exit_topic(void) {
    enum { INDENT = 23 };
    printf("exit codes:\n");
    for (int i = 0; i < ROWS; i++) {
        int at = printf("  %d%-*s%s", rows[i].code, rows[i].code == CLI_INTERRUPTED ? 4 : 6,
                        plus(i), rows[i].title);
        cli_put_words(rows[i].meaning, INDENT, at + printf("%*s", INDENT - at, ""));
        printf("\n");
    }
    printf("\nFiles get their names at the end, all or none: a run that failed leaves none.\n");
}

void cli_print_exit_manual(void) {
    for (int i = 0; i < ROWS; i++)
        printf("*%d%s*\n\t%c%s: %s.\n\n", rows[i].code, plus(i), rows[i].title[0] - 'a' + 'A',
               rows[i].title + 1, rows[i].meaning);
}
