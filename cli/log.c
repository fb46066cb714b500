/* Lines on standard error, and their form as JSON:
 *
 *     {"time":"2026-01-31T23:59:59.123Z","level":"error","command":"embed","phase":"read",
 *      "message":"g.txt:3:5: expected ...","file":"g.txt","line":3,"column":5,"exit_code":3}
 *
 * time, level, command, phase and message are always there.
 */
#define _GNU_SOURCE
#include "log.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cafe-private/text.h>

#include "os/os.h"
#include "team.h"

enum { TIME = 32, PREPARED = 512, SHOWN = 4096 }; /* bytes */

static cli_log_form form;
static const cli_arguments *known_arguments;
static const cafe_context *known_context;
static const char *origin_file; /* NULL: options come from the command line */
static int origin_line;
static char prepared[2][PREPARED]; /* before and behind the time */

void cli_log_as(cli_log_form as) {
    form = as;
}

bool cli_log_is_json(void) {
    return form == CLI_LOG_JSON;
}

void cli_log_guess(int argc, char **argv) {
    form = CLI_LOG_TEXT;
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], "--log=json") == 0 ||
            (strcmp(argv[i], "--log") == 0 && i + 1 < argc && strcmp(argv[i + 1], "json") == 0))
            form = CLI_LOG_JSON;
}

void cli_log_of(const cli_arguments *arguments, const cafe_context *context) {
    known_arguments = arguments;
    known_context = context;
}

void cli_log_origin(const char *file, int line) {
    origin_file = file;
    origin_line = line;
}

/* ---- the parts of an object ------------------------------------------------------------------ */

static void put_digits(char *at, int64_t value, int digits) {
    while (digits-- > 0) {
        at[digits] = (char)('0' + value % 10);
        value /= 10;
    }
}

/* "2026-01-31T23:59:59.123Z" by arithmetic alone: gmtime() has no place in a signal handler. The
 * years count from March, so that a leap day is the last of its year. */
static void put_time(char text[TIME]) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    int64_t days = now.tv_sec / 86400 + 719468, second = now.tv_sec % 86400; /* since 0000-03-01 */
    int64_t era = days / 146097, day = days % 146097;
    int64_t year = (day - day / 1460 + day / 36524 - day / 146096) / 365;
    day -= 365 * year + year / 4 - year / 100;
    int64_t month = (5 * day + 2) / 153; /* March: 0 */
    day -= (153 * month + 2) / 5;
    year += 400 * era + (month >= 10);
    strcpy(text, "0000-00-00T00:00:00.000Z");
    put_digits(text, year, 4);
    put_digits(text + 5, month < 10 ? month + 3 : month - 9, 2);
    put_digits(text + 8, day + 1, 2);
    put_digits(text + 11, second / 3600, 2);
    put_digits(text + 14, second / 60 % 60, 2);
    put_digits(text + 17, second % 60, 2);
    put_digits(text + 20, now.tv_nsec / 1000000, 3);
}

/* Text without control characters as a string of JSON. */
static void put_characters(FILE *to, const char *text) {
    for (; *text; text++) {
        if (*text == '"' || *text == '\\') fputc('\\', to);
        fputc(*text, to);
    }
}

static void put_string(FILE *to, const char *name, const char *text) {
    fprintf(to, ",\"%s\":\"", name);
    put_characters(to, text);
    fputc('"', to);
}

static const char *phase(void) {
    cafe_progress progress;
    if (!known_context) return "options";
    cafe_get_progress(known_context, &progress);
    return progress.last[0] ? progress.last : "begin";
}

/* The length of a path as messages show it, if the text begins with it and a colon; else 0. */
static size_t path_length(const char *text, const char *path) {
    char shown[SHOWN];
    size_t length = path ? cafe_show(path, strlen(path), shown, sizeof shown) : 0;
    return strncmp(text, shown, length) == 0 && text[length] == ':' ? length : 0;
}

/* The length of the file of this command that the text begins with, the longest; 0: none. */
static size_t file_length(const char *text) {
    const cli_arguments *a = known_arguments;
    size_t best = 0, length;
    for (int i = 0; a && i < a->count; i++)
        if ((length = path_length(text, a->words[i])) > best) best = length;
    for (size_t i = 0; a && i < a->entries.count; i++) {
        const char *path = a->given[i] && cli_takes_file(&a->entries.at[i]) ? a->text[i] : NULL;
        if ((length = path_length(text, path)) > best) best = length;
    }
    return best;
}

/* The number behind a colon at *at; 0: there is none. */
static uint64_t take_number(const char **at) {
    uint64_t value;
    const char *end;
    if (**at != ':' || !cli_whole(*at + 1, UINT64_MAX, &value, &end)) return 0;
    *at = end;
    return value;
}

static void put_place(FILE *to, const char *text) {
    char path[SHOWN];
    size_t length = file_length(text);
    const char *at = text + length;
    if (origin_file) {
        cafe_show(origin_file, strlen(origin_file), path, sizeof path);
        put_string(to, "file", path);
        if (origin_line > 0) fprintf(to, ",\"line\":%d", origin_line);
        return;
    }
    if (length == 0) return;
    snprintf(path, sizeof path, "%.*s", (int)length, text);
    put_string(to, "file", path);
    uint64_t line = take_number(&at), column = line ? take_number(&at) : 0;
    if (line) fprintf(to, ",\"line\":%" PRIu64, line);
    if (column) fprintf(to, ",\"column\":%" PRIu64, column);
}

static void put_origin(FILE *to) {
    char path[SHOWN];
    if (!origin_file) return;
    cafe_show(origin_file, strlen(origin_file), path, sizeof path);
    if (form == CLI_LOG_JSON)
        put_characters(to, path);
    else
        fputs(path, to);
    if (origin_line > 0) fprintf(to, ":%d", origin_line);
    fputs(": ", to);
}

static void put_head(FILE *to, cli_level level, const char *command, const char *text) {
    static const char *const levels[] = {"error", "warning", "info", "progress"};
    put_string(to, "level", levels[level]);
    put_string(to, "command", command ? command : "");
    put_string(to, "phase", phase());
    fputs(",\"message\":\"", to);
    if (level == CLI_ERROR) put_origin(to);
    put_characters(to, text);
    fputc('"', to);
}

static void put_object(FILE *to, cli_level level, const char *command, int code, const char *text) {
    char now[TIME];
    put_time(now);
    fprintf(to, "{\"time\":\"%s\"", now);
    put_head(to, level, command, text);
    put_place(to, text);
    if (code) fprintf(to, ",\"exit_code\":%d", code);
    if (cli_team_rank() > 0) fprintf(to, ",\"process\":%d", cli_team_rank());
}

/* ---- text ------------------------------------------------------------------------------------ */

static void put_text(FILE *to, cli_level level, const char *command, const char *text) {
    if (level == CLI_ERROR) fprintf(to, "cafe%s%s: ", command ? " " : "", command ? command : "");
    if (level == CLI_ERROR) put_origin(to);
    if (level == CLI_WARNING) fputs("warning: ", to);
    fputs(text, to);
    if (cli_team_rank() > 0) fprintf(to, " (process %d)", cli_team_rank());
}

/* ---- lines ----------------------------------------------------------------------------------- */

/* In one call, so that lines of several threads and processes stay whole. */
static void write_line(char *line, size_t length) {
    if (!cli_team_speaks()) {
        cli_team_keep(line);
        return;
    }
    line[length] = '\n'; /* in place of the end */
    fwrite(line, 1, length + 1, stderr);
    free(line);
}

void cli_log(cli_level level, const char *command, int code, const char *text) {
    char *line = NULL;
    size_t length = 0;
    FILE *to = open_memstream(&line, &length);
    if (!to) return;
    if (form == CLI_LOG_JSON) {
        put_object(to, level, command, code, text);
        fputc('}', to);
    } else {
        put_text(to, level, command, text);
    }
    if (fclose(to) == 0)
        write_line(line, length);
    else
        free(line);
}

void cli_log_progress(const char *command, const cafe_progress *p) {
    char *line = NULL, text[64];
    size_t length = 0;
    FILE *to = open_memstream(&line, &length);
    if (!to) return;
    snprintf(text, sizeof text, p->steps ? "%.20s %" PRId64 "/%" PRId64 : "%.20s", p->phase,
             p->step, p->steps);
    put_object(to, CLI_PROGRESS, command, 0, text);
    if (p->steps) fprintf(to, ",\"step\":%" PRId64 ",\"steps\":%" PRId64, p->step, p->steps);
    if (p->value != 0) fprintf(to, ",\"value\":%.9g", p->value);
    fputc('}', to);
    if (fclose(to) == 0)
        write_line(line, length);
    else
        free(line);
}

/* ---- a line for a signal handler ------------------------------------------------------------- */

void cli_log_prepare(const char *command, const char *text) {
    FILE *to = fmemopen(prepared[1], PREPARED, "w");
    prepared[0][0] = prepared[1][0] = 0;
    if (!to) return;
    if (form == CLI_LOG_JSON) {
        strcpy(prepared[0], "{\"time\":\"");
        fputc('"', to);
        put_head(to, CLI_ERROR, command, text);
        fputs("}\n", to);
    } else {
        put_text(to, CLI_ERROR, command, text);
        fputc('\n', to);
    }
    fclose(to);
}

void cli_log_write_prepared(void) {
    char line[TIME + 2 * PREPARED];
    strcpy(line, prepared[0]);
    if (line[0]) put_time(line + strlen(line));
    strcat(line, prepared[1]);
    ssize_t written = write(STDERR_FILENO, line, strlen(line));
    (void)written;
}
