/* Names in text files: the rules of name_format.h, and FILE.names.txt out and in. */
#include "io/name_format.h"

#include <string.h>

#include <cafe-private/inputs.h>
#include <cafe-private/output.h>

#include "base/memory.h"
#include "base/print.h"
#include "base/thread_pool.h"
#include "io/digits.h"
#include "io/field.h"
#include "io/gzip.h"
#include "io/input_file.h"
#include "io/scanners.h"
#include "io/text_position.h"
#include "io/text_window.h"
#include "os/os.h"

enum { BLOCK = 4096, WINDOW = 1 << 22 };

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

bool cafe_names_digest(const char *digits, uint64_t *digest) {
    static const char hex[] = "0123456789abcdef";
    const char *digit;
    *digest = 0;
    for (int i = 0; i < 16; i++) {
        if (!digits[i] || !(digit = strchr(hex, digits[i]))) return false;
        *digest = *digest << 4 | (uint64_t)(digit - hex);
    }
    return true;
}

/* ---- quotes ---------------------------------------------------------------------------------- */

/* Does the name begin with bytes that readers skip at the beginning of a line or file? */
static bool begins_oddly(const uint8_t *p, const uint8_t *end) {
    return p == end || *p == '#' || *p == '%' || *p == '"' ||
           (end - p >= 3 && memcmp(p, "\xef\xbb\xbf", 3) == 0);
}

static bool field_needs_quotes(const uint8_t *p, const uint8_t *end) {
    if (begins_oddly(p, end) || (end - p == 1 && (*p == '+' || *p == '-'))) return true;
    for (; p < end; p++)
        if (cafe_is_field_end(*p) || *p == '"') return true;
    return false;
}

static bool id_needs_quotes(const uint8_t *p, const uint8_t *end) {
    const uint8_t *digit = p + (p < end && *p == '-');
    while (digit < end && cafe_is_digit(*digit)) digit++;
    return digit == end || field_needs_quotes(p, end);
}

static bool line_needs_quotes(const uint8_t *p, const uint8_t *end) {
    return begins_oddly(p, end) || cafe_is_blank(*p) || cafe_is_blank(end[-1]);
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

/* Writes the name, in quotes if `quoted` requires them. */
static char *put_with(const cafe_names *names, int64_t u, char *text,
                      bool (*quoted)(const uint8_t *p, const uint8_t *end)) {
    if (names->kind != CAFE_NAMES_STRING) return cafe_put_name(names, u, text);
    const uint8_t *p = (const uint8_t *)names->text + names->start[u];
    const uint8_t *end = (const uint8_t *)names->text + names->start[u + 1];
    return quoted(p, end) ? put_quoted(p, end, text) : cafe_put_name(names, u, text);
}

char *cafe_put_field(const cafe_names *names, int64_t u, char *text) {
    return put_with(names, u, text, field_needs_quotes);
}

char *cafe_put_id(const cafe_names *names, int64_t u, char *text) {
    return put_with(names, u, text, id_needs_quotes);
}

size_t cafe_graph_field(const cafe_graph *graph, int64_t node, char *text, size_t capacity) {
    const cafe_names *names = cafe_graph_node_names(graph);
    if (names->kind != CAFE_NAMES_STRING) return cafe_graph_name(graph, node, text, capacity);
    const uint8_t *p = (const uint8_t *)names->text + names->start[node];
    const uint8_t *end = (const uint8_t *)names->text + names->start[node + 1];
    size_t length = 0;
    if (!field_needs_quotes(p, end)) return cafe_graph_name(graph, node, text, capacity);
#define PUT(c)                                         \
    do {                                               \
        if (length + 1 < capacity) text[length] = (c); \
        length++;                                      \
    } while (0)
    PUT('"');
    for (; p < end; p++) {
        if (*p == '"') PUT('"');
        PUT((char)*p);
    }
    PUT('"');
#undef PUT
    if (capacity > 0) text[length < capacity ? length : capacity - 1] = 0;
    return length;
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
        p = put_with(l->names, u, p, line_needs_quotes);
        *p++ = '\n';
    }
    return p - text;
}

static char *names_path(cafe_context *context, const char *path) {
    size_t capacity = strlen(path) + sizeof ".names.txt";
    char *beside = cafe_mem(context, (int64_t)capacity, 1);
    if (beside) cafe_print(beside, capacity, "%s.names.txt", path);
    return beside;
}

/* A leftover of an earlier run would no longer be true. */
static cafe_status clear_leftover(cafe_context *context, const char *path, bool overwrite,
                                  cafe_output **output) {
    if (access(path, F_OK) != 0) return CAFE_OK;
    if (overwrite) return cafe_output_remove(context, path, true, output);
    return cafe_fail(context, CAFE_ERROR_EXISTS,
                     "%s: exists and would no longer be true; overwriting removes it", path);
}

cafe_status cafe_names_write(cafe_context *context, const cafe_names *names, int64_t n,
                             const char *path, bool overwrite, cafe_output **output) {
    listing l = {names, n, BLOCK};
    *output = NULL;
    char *beside = names_path(context, path);
    cafe_status status = beside ? CAFE_OK : CAFE_ERROR_MEMORY;
    if (!beside) goto done;
    if (names->kind == CAFE_NAMES_INDEX) {
        status = clear_leftover(context, beside, overwrite, output);
        goto done;
    }
    CAFE_TRY(cafe_output_create_beside(context, beside, overwrite, output));
    (*output)->digested = true;
    int64_t line = cafe_names_longest(names, n) + 1;
    if (line * BLOCK > (1 << 20)) l.rows = (1 << 20) / line + 1;
    status = cafe_output_blocks(*output, cafe_blocks(n, l.rows), line * l.rows, list_names, &l);
done:
    cafe_mem_free(context, beside);
    return status;
}

typedef struct collecting {
    int64_t *start; /* n + 1 */
    char *text;
    int64_t used, room;
} collecting;

/* Adds the name of the line to the collected names. */
static cafe_status add_name(cafe_context *context, cafe_place *line, collecting *c) {
    cafe_field field;
    bool whole = cafe_field_take_line(&line->at, line->end, &field) == CAFE_FIELD_FINE;
    int64_t length = 0;
    CAFE_PASS(cafe_mem_grow(context, &c->text, &c->room, c->used + (line->end - line->begin), 1));
    if (whole) length = cafe_field_copy(&field, (uint8_t *)c->text + c->used);
    if (!whole || !cafe_is_name(c->text + c->used, length))
        return cafe_fail_at(context, line, "a name: UTF-8 text of 1 to %d bytes",
                            CAFE_LONGEST_NAME);
    c->used += length;
    return CAFE_OK;
}

static cafe_status fail_count(const cafe_text *text, int64_t n, int64_t count) {
    return cafe_fail(text->context, CAFE_ERROR_FORMAT, "%s: expected %lld names, found %lld",
                     text->name, (long long)n, (long long)count);
}

static cafe_status read_names(cafe_text *text, int64_t n, collecting *c) {
    cafe_place line = {0};
    int64_t count = 0;
    c->start[0] = 0;
    for (;; count++) {
        CAFE_PASS(cafe_text_line(text, &line));
        if (line.begin == line.end) break;
        if (count >= n) continue;
        CAFE_PASS(add_name(text->context, &line, c));
        c->start[count + 1] = c->used;
        if (count % 65536 == 0) CAFE_PASS(cafe_check_cancel(text->context));
    }
    return count == n ? CAFE_OK : fail_count(text, n, count);
}

/* The file is the one that was written together with the vectors. */
static cafe_status check_digest(const cafe_input *input, const char *path, const uint64_t *digest) {
    if (!digest || cafe_crc64(0, input->bytes, input->size) == *digest) return CAFE_OK;
    return cafe_fail(input->context, CAFE_ERROR_FORMAT,
                     "%s: expected the names that %s was written with, found others", input->name,
                     path);
}

static cafe_status fail_missing(cafe_context *context, const char *beside, const char *path) {
    return cafe_fail(context, CAFE_ERROR_FORMAT,
                     "%s: expected the names that %s was written with, found no file", beside,
                     path);
}

/* Checks that the path is a regular file: the user did not name it, and a pipe would block. */
static cafe_status check_kind(cafe_context *context, const char *beside) {
    struct stat about;
    if (stat(beside, &about) != 0 || S_ISREG(about.st_mode)) return CAFE_OK;
    return cafe_fail(context, CAFE_ERROR_FORMAT,
                     "%s: expected a file of names, found a folder, a pipe or a device", beside);
}

/* Finds the names of v.npy.gz, or of v.npy if it was compressed later. */
static char *find_names(cafe_context *context, const char *path) {
    char *beside = names_path(context, path);
    size_t length = strlen(path);
    if (!beside || access(beside, F_OK) == 0) return beside;
    if (length < 3 || strcmp(path + length - 3, ".gz") != 0) return beside;
    memcpy(beside + length - 3, ".names.txt", sizeof ".names.txt");
    return beside;
}

cafe_status cafe_names_read(cafe_context *context, const char *path, int64_t n,
                            const uint64_t *digest, cafe_names *names) {
    cafe_input input = {.context = context};
    cafe_text text = {.context = context};
    collecting c = {0};
    cafe_status status = CAFE_OK;
    char *beside = find_names(context, path);
    *names = (cafe_names){.kind = CAFE_NAMES_INDEX};
    if (!beside) return CAFE_ERROR_MEMORY;
    if (access(beside, F_OK) != 0) {
        if (digest) status = fail_missing(context, beside, path);
        goto done;
    }
    CAFE_TRY(check_kind(context, beside));
    CAFE_TRY(cafe_input_open(context, beside, &input));
    CAFE_TRY(cafe_input_load(&input));
    CAFE_TRY(check_digest(&input, path, digest));
    CAFE_TRY(cafe_text_open(&input, WINDOW, &text));
    c.start = cafe_mem(context, n + 1, sizeof *c.start);
    if (!c.start) CAFE_TRY(CAFE_ERROR_MEMORY);
    CAFE_TRY(read_names(&text, n, &c));
    *names = (cafe_names){.kind = CAFE_NAMES_STRING, .start = c.start, .text = c.text};
    c = (collecting){0};
done:
    cafe_mem_free_all(context, c.start, c.text);
    cafe_text_close(&text);
    cafe_input_close(&input);
    cafe_mem_free(context, beside);
    return status;
}
