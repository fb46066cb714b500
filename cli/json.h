/* A small JSON writer: correct escaping, no NaN, numbers that read back to the same bits. */
#ifndef CAFE_CLI_JSON_H
#define CAFE_CLI_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <cafe/cafe.h>

typedef struct cli_json {
    FILE *file;
    int depth;
    bool filled; /* the object or array at hand has a member already */
} cli_json;

/* key is NULL inside an array and for the outermost value. */
void cli_json_open(cli_json *json, const char *key, char bracket);
void cli_json_close(cli_json *json, char bracket);
void cli_json_text(cli_json *json, const char *key, const char *text);
void cli_json_integer(cli_json *json, const char *key, int64_t value);
void cli_json_unsigned(cli_json *json, const char *key, uint64_t value);
void cli_json_real(cli_json *json, const char *key, double value);
void cli_json_bool(cli_json *json, const char *key, bool value);
/* values == NULL: null */
void cli_json_reals(cli_json *json, const char *key, const double *values, int64_t count);
void cli_json_integers(cli_json *json, const char *key, const int32_t *values, int64_t count);
/* Every option of a table with its value. */
void cli_json_options(cli_json *json, const cafe_option_table *table, const void *options);

#endif
