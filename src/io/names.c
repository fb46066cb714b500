/* Names out. A string id that holds a separator or a quote, or that looks like a comment or an
 * integer, is quoted as RFC 4180 has it, so that reading it gives the same string again.
 */
#define _GNU_SOURCE
#include "io/names.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/pool.h"
#include "io/digits.h"
#include "io/input.h"
#include "io/scan.h"

enum { BLOCK = 4096 };

int64_t cafe_names_longest(const cafe_names *names, int64_t n) {
    int64_t longest = 0;
    if (names->kind != CAFE_NAMES_STRING) return CAFE_INTEGER_TEXT;
    for (int64_t u = 0; u < n; u++)
        if (names->start[u + 1] - names->start[u] > longest)
            longest = names->start[u + 1] - names->start[u];
    return 2 * longest + 2;
}

char *cafe_put_name(const cafe_names *names, int64_t u, char *text) {
    if (names->kind == CAFE_NAMES_INDEX) return cafe_put_integer(text, u);
    if (names->kind == CAFE_NAMES_INTEGER) return cafe_put_integer(text, names->integers[u]);
    int64_t length = names->start[u + 1] - names->start[u];
    memcpy(text, names->text + names->start[u], (size_t)length);
    return text + length;
}

static bool needs_quotes(const uint8_t *p, const uint8_t *end) {
    bool digits = p < end;
    if (p == end || *p == '#' || *p == '%') return true;
    for (const uint8_t *q = p; q < end; q++) {
        if (cafe_is_field_end(*q) || *q == '"') return true;
        digits = digits && (cafe_is_digit(*q) || (*q == '-' && q == p));
    }
    return digits;
}

static bool has_tab_or_quote(const uint8_t *p, const uint8_t *end) {
    return memchr(p, '\t', (size_t)(end - p)) || memchr(p, '"', (size_t)(end - p));
}

static char *put_quoted(const uint8_t *p, const uint8_t *end, char *text) {
    *text++ = '"';
    for (; p < end; p++) {
        if (*p == '"') *text++ = '"';
        *text++ = (char)*p;
    }
    *text++ = '"';
    return text;
}

/* The name, in quotes when `quoted` says that it needs them. */
static char *put_with(const cafe_names *names, int64_t u, char *text,
                      bool (*quoted)(const uint8_t *p, const uint8_t *end)) {
    if (names->kind != CAFE_NAMES_STRING) return cafe_put_name(names, u, text);
    const uint8_t *p = (const uint8_t *)names->text + names->start[u];
    const uint8_t *end = (const uint8_t *)names->text + names->start[u + 1];
    return quoted(p, end) ? put_quoted(p, end, text) : cafe_put_name(names, u, text);
}

char *cafe_put_field(const cafe_names *names, int64_t u, char *text) {
    return put_with(names, u, text, needs_quotes);
}

char *cafe_put_cell(const cafe_names *names, int64_t u, char *text) {
    return put_with(names, u, text, has_tab_or_quote);
}

/* ---- the file beside ------------------------------------------------------------------------- */

typedef struct listing {
    const cafe_names *names;
    int64_t n, rows; /* rows: per block */
} listing;

static int64_t list_names(const void *argument, int64_t block, char *text) {
    const listing *l = argument;
    char *p = text;
    for (int64_t u = block * l->rows; u < cafe_block_end(l->n, l->rows, block); u++) {
        p = cafe_put_name(l->names, u, p);
        *p++ = '\n';
    }
    return p - text;
}

static char *names_path(cafe_context *context, const char *path) {
    size_t capacity = strlen(path) + sizeof ".names.txt";
    char *beside = cafe_mem(context, (int64_t)capacity, 1);
    if (beside) snprintf(beside, capacity, "%s.names.txt", path);
    return beside;
}

static cafe_status refuse_leftover(cafe_context *context, const char *path) {
    if (access(path, F_OK) != 0) return CAFE_OK;
    return cafe_fail(context, CAFE_ERROR_EXISTS, "%s: exists and would no longer be true", path);
}

cafe_status cafe_names_write(cafe_context *context, const cafe_names *names, int64_t n,
                             const char *path, bool overwrite, cafe_output **output) {
    listing l = {names, n, BLOCK};
    *output = NULL;
    char *beside = names_path(context, path);
    cafe_status status = beside ? CAFE_OK : CAFE_ERROR_MEMORY;
    if (!beside) goto done;
    if (names->kind == CAFE_NAMES_INDEX) {
        if (!overwrite) status = refuse_leftover(context, beside);
        goto done;
    }
    CAFE_TRY(cafe_output_create(context, beside, overwrite, output));
    int64_t line = cafe_names_longest(names, n) + 1;
    if (line * BLOCK > (1 << 20)) l.rows = (1 << 20) / line + 1;
    status = cafe_output_blocks(*output, cafe_blocks(n, l.rows), line * l.rows, list_names, &l);
done:
    cafe_mem_free(context, beside);
    return status;
}

cafe_status cafe_names_commit(cafe_context *context, const char *path, cafe_output **output) {
    if (*output) return cafe_output_commit(output);
    char *beside = names_path(context, path);
    if (!beside) return CAFE_ERROR_MEMORY;
    cafe_status status = CAFE_OK;
    if (unlink(beside) != 0 && errno != ENOENT && errno != ENOTDIR)
        status =
            cafe_fail(context, CAFE_ERROR_IO, "%s: cannot be removed: %s", beside, strerror(errno));
    cafe_mem_free(context, beside);
    return status;
}

/* The lines without their ends, one behind the other. */
static cafe_status split_lines(const cafe_input *input, int64_t n, int64_t *start, char *text) {
    const uint8_t *p = input->bytes, *end = input->bytes + input->size;
    int64_t count = 0, at = 0;
    for (; p < end; count++) {
        const uint8_t *newline = memchr(p, '\n', (size_t)(end - p));
        const uint8_t *stop = newline ? newline : end, *next = newline ? newline + 1 : end;
        if (stop > p && stop[-1] == '\r') stop--;
        if (count < n) {
            start[count] = at;
            memcpy(text + at, p, (size_t)(stop - p));
            at += stop - p;
        }
        p = next;
    }
    start[n] = at;
    if (count == n) return CAFE_OK;
    return cafe_fail(input->context, CAFE_ERROR_FORMAT, "%s: expected %lld names, found %lld",
                     input->name, (long long)n, (long long)count);
}

cafe_status cafe_names_read(cafe_context *context, const char *path, int64_t n, cafe_names *names) {
    cafe_input input = {.context = context};
    cafe_status status = CAFE_OK;
    int64_t *start = NULL;
    char *text = NULL, *beside = names_path(context, path);
    *names = (cafe_names){.kind = CAFE_NAMES_INDEX};
    if (!beside) return CAFE_ERROR_MEMORY;
    if (access(beside, F_OK) != 0) goto done;
    CAFE_TRY(cafe_input_open(context, beside, &input));
    start = cafe_mem(context, n + 1, sizeof *start);
    text = start ? cafe_mem(context, input.size, 1) : NULL;
    *names = (cafe_names){.kind = CAFE_NAMES_STRING, .start = start, .text = text};
    status = text ? split_lines(&input, n, start, text) : CAFE_ERROR_MEMORY;
    if (status != CAFE_OK) cafe_names_free(context, names);
done:
    cafe_input_close(&input);
    cafe_mem_free(context, beside);
    return status;
}
