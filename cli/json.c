/* The JSON writer. Members stand on lines of their own, arrays of numbers on one line. */
#include "json.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Length of the valid UTF-8 sequence at s, or 0: no overlong forms, no surrogates, at most
 * U+10FFFF. */
static int utf8_length(const unsigned char *s) {
    int length = s[0] < 0x80 ? 1 : s[0] < 0xC2 ? 0 : s[0] < 0xE0 ? 2 : s[0] < 0xF0 ? 3 : 4;
    if (s[0] > 0xF4) return 0;
    for (int i = 1; i < length; i++)
        if ((s[i] & 0xC0) != 0x80) return 0;
    if ((s[0] == 0xE0 && s[1] < 0xA0) || (s[0] == 0xED && s[1] > 0x9F)) return 0;
    if ((s[0] == 0xF0 && s[1] < 0x90) || (s[0] == 0xF4 && s[1] > 0x8F)) return 0;
    return length;
}

/* Bytes that are no UTF-8 (file names may hold any) become U+FFFD. */
static void put_text(FILE *file, const char *text) {
    const unsigned char *s = (const unsigned char *)text;
    fputc('"', file);
    while (*s) {
        int length = utf8_length(s);
        if (*s == '"' || *s == '\\')
            fprintf(file, "\\%c", *s);
        else if (*s < 0x20 || *s == 0x7F)
            fprintf(file, "\\u%04x", *s);
        else if (length == 0)
            fputs("\\ufffd", file);
        else
            fwrite(s, 1, (size_t)length, file);
        s += length > 0 ? length : 1;
    }
    fputc('"', file);
}

static void put_real(FILE *file, double value) {
    if (isfinite(value))
        fprintf(file, "%.17g", value);
    else
        fputs("null", file);
}

static void new_line(cli_json *json) {
    fputc('\n', json->file);
    for (int i = 0; i < json->depth; i++) fputs("  ", json->file);
}

static void begin_member(cli_json *json, const char *key) {
    if (json->filled) fputc(',', json->file);
    if (json->depth > 0) new_line(json);
    json->filled = true;
    if (!key) return;
    put_text(json->file, key);
    fputs(": ", json->file);
}

void cli_json_open(cli_json *json, const char *key, char bracket) {
    begin_member(json, key);
    fputc(bracket, json->file);
    json->depth++;
    json->filled = false;
}

void cli_json_close(cli_json *json, char bracket) {
    json->depth--;
    if (json->filled) new_line(json);
    fputc(bracket, json->file);
    json->filled = true;
    if (json->depth == 0) fputc('\n', json->file);
}

void cli_json_text(cli_json *json, const char *key, const char *text) {
    begin_member(json, key);
    put_text(json->file, text);
}

void cli_json_integer(cli_json *json, const char *key, int64_t value) {
    begin_member(json, key);
    fprintf(json->file, "%" PRId64, value);
}

void cli_json_unsigned(cli_json *json, const char *key, uint64_t value) {
    begin_member(json, key);
    fprintf(json->file, "%" PRIu64, value);
}

void cli_json_real(cli_json *json, const char *key, double value) {
    begin_member(json, key);
    put_real(json->file, value);
}

void cli_json_bool(cli_json *json, const char *key, bool value) {
    begin_member(json, key);
    fputs(value ? "true" : "false", json->file);
}

void cli_json_reals(cli_json *json, const char *key, const double *values, int64_t count) {
    begin_member(json, key);
    if (!values) {
        fputs("null", json->file);
        return;
    }
    fputc('[', json->file);
    for (int64_t i = 0; i < count; i++) {
        if (i > 0) fputs(", ", json->file);
        put_real(json->file, values[i]);
    }
    fputc(']', json->file);
}

void cli_json_integers(cli_json *json, const char *key, const int32_t *values, int64_t count) {
    begin_member(json, key);
    fputc('[', json->file);
    for (int64_t i = 0; i < count; i++)
        fprintf(json->file, "%s%" PRId32, i > 0 ? ", " : "", values[i]);
    fputc(']', json->file);
}

static void put_option(cli_json *json, const cafe_option *option, const void *options) {
    double value = cafe_options_number(option, options);
    char text[256];
    switch (option->type) {
        case CAFE_OPTION_INTEGER: cli_json_integer(json, option->name, (int64_t)value); break;
        case CAFE_OPTION_REAL: cli_json_real(json, option->name, value); break;
        case CAFE_OPTION_SWITCH: cli_json_bool(json, option->name, value != 0); break;
        case CAFE_OPTION_CHOICE:
            cafe_options_text(option, options, text, sizeof text);
            cli_json_text(json, option->name, text);
            break;
    }
}

void cli_json_options(cli_json *json, const cafe_option_table *table, const void *options) {
    for (size_t i = 0; i < table->count; i++) put_option(json, &table->options[i], options);
}
