/* Configuration files, in two forms that share their values:
 *
 *     threads = 4                     # for every command
 *     [embed]                         # for one; a task: [evaluate.classify]
 *     arguments = ["graph.txt"]
 *     method = "sphere"
 *     propagate = true
 *
 * and a report (JSON), whose member "given" has the options and arguments of the run that wrote it.
 */
#define _GNU_SOURCE
#include "config.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cafe-private/text.h>

#include "command.h"
#include "run.h"

enum { LARGEST = 1 << 24, SHOWN = 40 };

typedef enum section { SHARED, OWN, OTHER } section; /* of the file: whose settings follow */

typedef struct reader {
    const char *command, *path;
    cli_config *config;
    const char *at;
    int line;
    section section;
} reader;

static int refuse(const reader *r, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static int refuse(const reader *r, int code, const char *format, ...) {
    va_list arguments;
    char *text = NULL;
    va_start(arguments, format);
    if (vasprintf(&text, format, arguments) < 0) text = NULL;
    va_end(arguments);
    cli_log_origin(r->path, r->line);
    cli_tell(CLI_ERROR, r->command, code, "%s", text ? text : "out of memory");
    cli_log_origin(NULL, 0);
    free(text);
    return code;
}

static int expected(const reader *r, const char *what) {
    int length = (int)strcspn(r->at, "\r\n");
    return refuse(r, CLI_INPUT, "expected %s, found '%.*s'", what, length < SHOWN ? length : SHOWN,
                  r->at);
}

static int no_memory(const reader *r) {
    return refuse(r, CLI_RESOURCES, "out of memory");
}

/* ---- words and values ------------------------------------------------------------------------ */

/* Blanks; with `lines` also ends of lines and comments. */
static void skip(reader *r, bool lines) {
    for (;; r->at++) {
        if (lines && *r->at == '#') r->at += strcspn(r->at, "\n");
        if (!*r->at || !strchr(lines ? " \t\r\n" : " \t\r", *r->at)) return;
        r->line += *r->at == '\n';
    }
}

static bool take(reader *r, char c) {
    bool there = *r->at == c;
    r->at += there;
    return there;
}

/* "text" with escapes, or 'text' without. */
static int take_string(reader *r, char **value) {
    char mark = *r->at++;
    size_t length = strcspn(r->at, "\n");
    char *to = *value = malloc(length + 1);
    if (!to) return no_memory(r);
    while (*r->at != mark && *r->at && *r->at != '\n') {
        int count = 1;
        if (mark == '"' && take(r, '\\')) {
            count = cafe_take_escape(&r->at, r->at + strcspn(r->at, "\n"), to);
            if (count == 0) return expected(r, "one of \" \\ / b f n r t uXXXX behind a \\");
        } else {
            *to = *r->at++;
        }
        to += count;
    }
    *to = 0;
    return take(r, mark) ? CLI_OK : expected(r, "the closing quote on the same line");
}

/* Letters, digits and what stands in keys and numbers. */
static int take_bare(reader *r, const char *what, char **value) {
    size_t length =
        strspn(r->at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+.");
    if (length == 0) return expected(r, what);
    *value = strndup(r->at, length);
    r->at += length;
    return *value ? CLI_OK : no_memory(r);
}

static bool at_string(const reader *r) {
    return *r->at == '"' || *r->at == '\'';
}

static bool is_number(const char *text) {
    const char *end;
    cafe_parse_number(text + (*text == '+'), &end);
    return *end == 0 && end > text;
}

static int take_scalar(reader *r, char **value) {
    static const char what[] = "a text in quotes, a number, true or false";
    if (at_string(r)) return take_string(r, value);
    const char *begin = r->at;
    CLI_TRY(take_bare(r, what, value));
    if (is_number(*value) || strcmp(*value, "true") == 0 || strcmp(*value, "false") == 0)
        return CLI_OK;
    r->at = begin;
    return expected(r, what);
}

/* ---- settings -------------------------------------------------------------------------------- */

static int check_new(const reader *r, const char *key) {
    for (int i = 0; i < r->config->count; i++) {
        const cli_setting *s = &r->config->at[i];
        if (s->own == (r->section == OWN) && strcmp(s->key, key) == 0)
            return refuse(r, CLI_INPUT, "expected each key once, found '%s' also in line %d", key,
                          s->line);
    }
    return CLI_OK;
}

/* Takes over the value. */
static int add(reader *r, const char *key, char *value) {
    cli_config *config = r->config;
    if (r->section == OTHER) {
        free(value);
        return CLI_OK;
    }
    char *copy = strdup(key);
    if (!copy || config->count == CLI_MOST_SETTINGS) {
        free(copy);
        free(value);
        return copy ? refuse(r, CLI_INPUT, "expected up to %d settings", CLI_MOST_SETTINGS)
                    : no_memory(r);
    }
    config->at[config->count++] = (cli_setting){copy, value, r->line, r->section == OWN};
    return CLI_OK;
}

static int take_one(reader *r, const char *key) {
    char *value = NULL;
    int code = take_scalar(r, &value);
    if (code == CLI_OK) return add(r, key, value);
    free(value);
    return code;
}

static int take_value(reader *r, const char *key) {
    if (!take(r, '[')) return take_one(r, key);
    for (skip(r, true); !take(r, ']'); skip(r, true)) {
        CLI_TRY(take_one(r, key));
        skip(r, true);
        if (!take(r, ',') && *r->at != ']') return expected(r, "a comma or ]");
    }
    return CLI_OK;
}

/* ---- TOML ------------------------------------------------------------------------------------ */

static bool is_command(const char *name) {
    for (size_t i = 0; cli_task_at(i); i++)
        if (strcmp(cli_task_at(i)->name, name) == 0) return true;
    return false;
}

/* [embed], [evaluate.classify] */
static int take_table(reader *r) {
    char *name = NULL;
    int code = take_bare(r, "the name of a command", &name);
    for (char *dot = name; dot && (dot = strchr(dot, '.'));) *dot = ' ';
    if (code == CLI_OK && !is_command(name))
        code = refuse(r, CLI_USAGE, "there is no command '%s'", name);
    if (code == CLI_OK) r->section = strcmp(name, r->command) == 0 ? OWN : OTHER;
    free(name);
    if (code == CLI_OK && !take(r, ']')) code = expected(r, "]");
    return code;
}

static int take_line(reader *r) {
    char *key = NULL;
    if (take(r, '[')) return take_table(r);
    int code = at_string(r) ? take_string(r, &key) : take_bare(r, "a key", &key);
    skip(r, false);
    if (code == CLI_OK && !take(r, '=')) code = expected(r, "= behind the key");
    skip(r, false);
    if (code == CLI_OK && r->section != OTHER) code = check_new(r, key);
    if (code == CLI_OK) code = take_value(r, key);
    free(key);
    return code;
}

static int read_toml(reader *r) {
    for (skip(r, true); *r->at; skip(r, true)) {
        CLI_TRY(take_line(r));
        skip(r, false);
        if (*r->at && *r->at != '\n' && *r->at != '#') return expected(r, "the end of the line");
    }
    return CLI_OK;
}

/* ---- a report -------------------------------------------------------------------------------- */

/* Goes behind a value of JSON, whatever it is. */
static int pass_value(reader *r) {
    int depth = 0;
    do {
        char *text = NULL;
        skip(r, true);
        bool opens = *r->at == '{' || *r->at == '[', closes = *r->at == '}' || *r->at == ']';
        if (opens || closes || (depth > 0 && (*r->at == ',' || *r->at == ':'))) {
            depth += opens - closes;
            r->at++;
            continue;
        }
        int code = at_string(r) ? take_string(r, &text) : take_bare(r, "a value", &text);
        free(text);
        CLI_TRY(code);
    } while (depth > 0);
    return CLI_OK;
}

static int take_object(reader *r, bool given);

/* The member "command" of "given". */
static int check_command(reader *r) {
    char *name = NULL;
    int code = take_scalar(r, &name);
    if (code == CLI_OK && strcmp(name, r->command) != 0)
        code = refuse(r, CLI_USAGE, "this is a report of cafe %s", name);
    free(name);
    r->section = OWN; /* found */
    return code;
}

static int take_member(reader *r, const char *key, bool given) {
    if (!given) return strcmp(key, "given") == 0 ? take_object(r, true) : pass_value(r);
    return strcmp(key, "command") == 0 ? check_command(r) : take_value(r, key);
}

static int take_object(reader *r, bool given) {
    if (!take(r, '{')) return expected(r, "{");
    for (skip(r, true); !take(r, '}'); skip(r, true)) {
        char *key = NULL;
        int code = at_string(r) ? take_string(r, &key) : expected(r, "a key in quotes");
        skip(r, true);
        if (code == CLI_OK && !take(r, ':')) code = expected(r, ": behind the key");
        skip(r, true);
        if (code == CLI_OK) code = take_member(r, key, given);
        free(key);
        CLI_TRY(code);
        skip(r, true);
        if (!take(r, ',') && *r->at != '}') return expected(r, "a comma or }");
    }
    if (given || r->section == OWN) return CLI_OK;
    return refuse(r, CLI_INPUT, "expected a report with the member 'given'");
}

/* ---- the file -------------------------------------------------------------------------------- */

static int read_text(const reader *r, char **text) {
    FILE *file = fopen(r->path, "r");
    int problem = errno, code = CLI_OK;
    *text = file ? malloc(LARGEST + 1) : NULL;
    size_t length = *text ? fread(*text, 1, LARGEST, file) : 0;
    if (*text) (*text)[length] = 0;
    if (!file) {
        code = cli_exit_of(CAFE_ERROR_IO, problem);
        cli_log_origin(r->path, 0);
        cli_tell(CLI_ERROR, r->command, code, "cannot be opened: %s", strerror(problem));
        cli_log_origin(NULL, 0);
        return code;
    }
    if (!*text)
        code = no_memory(r);
    else if (ferror(file))
        code = refuse(r, CLI_FAILED, "cannot be read");
    else if (length == LARGEST || strlen(*text) < length)
        code = refuse(r, CLI_INPUT, "expected a text of settings");
    fclose(file);
    return code;
}

int cli_config_read(const char *command, const char *path, cli_config *config) {
    reader r = {.command = command, .path = path, .config = config, .line = 1};
    char *text;
    config->path = path;
    int code = read_text(&r, &text);
    r.at = text;
    if (code == CLI_OK) skip(&r, true);
    if (code == CLI_OK) code = *r.at == '{' ? take_object(&r, false) : read_toml(&r);
    free(text);
    return code;
}

void cli_config_free(cli_config *config) {
    for (int i = 0; i < config->count; i++) {
        free(config->at[i].key);
        free(config->at[i].value);
    }
    config->count = 0;
}

bool cli_config_counts(const cli_config *config, const cli_setting *setting) {
    for (int i = 0; i < config->count && !setting->own; i++)
        if (config->at[i].own && strcmp(config->at[i].key, setting->key) == 0) return false;
    return true;
}
