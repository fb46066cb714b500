/* Exit codes of the tool: the one table behind the code, the help topic, the manual and the docs.
 *
 * A script reads from the code alone what to do: correct the command, correct a file, try again
 * later, or report a bug.
 */
#ifndef CAFE_CLI_EXIT_CODE_H
#define CAFE_CLI_EXIT_CODE_H

#include <stdint.h>

#include <cafe/status.h>

/* name, code, title, meaning */
#define CLI_EXIT_TABLE(X)                                                                          \
    X(CLI_OK, 0, "done", "the files are complete")                                                 \
    X(CLI_FAILED, 1, "failed",                                                                     \
      "a file cannot be read or written, an output exists, an engine cannot be used, or an "       \
      "option "                                                                                    \
      "does not suit this data")                                                                   \
    X(CLI_USAGE, 2, "wrong usage", "an option or an argument is wrong; no input was read")         \
    X(CLI_INPUT, 3, "bad input", "a file breaks a rule; the message names the file and the line")  \
    X(CLI_RESOURCES, 4, "no resources",                                                            \
      "memory, disk space or open files are short: try again later, or with a higher limit")       \
    X(CLI_BUG, 5, "bug", "a computation failed in a way that no input explains: please report it") \
    X(CLI_INTERRUPTED, 128, "interrupted",                                                         \
      "128 + the number of the signal: 130 Ctrl-C, 143 SIGTERM, 129 SIGHUP, 153 a file exceeds "   \
      "ulimit -f")

typedef enum cli_exit {
#define CLI_EXIT_ENUM(name, code, title, meaning) name = code,
    CLI_EXIT_TABLE(CLI_EXIT_ENUM)
#undef CLI_EXIT_ENUM
} cli_exit;

/* The exit code for a status of the library, whose system call failed with errno `problem`. */
cli_exit cli_exit_of(cafe_status status, int32_t problem);

/* Prints the table: in one line, as a help topic, or as scdoc text for the manual. */
void cli_print_exit_line(void);
void cli_print_exit_topic(void);
void cli_print_exit_manual(void);

#endif
