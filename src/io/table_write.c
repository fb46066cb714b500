/* Matrices out, with the names of a table's rows or columns: .npy or tab-separated text. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "base/pool.h"
#include "io/digits.h"
#include "io/npy.h"
#include "io/output.h"
#include "io/table.h"

static const int64_t block_bytes = (int64_t)1 << 20;

typedef struct writing {
    const cafe_titles *titles;
    int64_t count, columns, each; /* rows of the matrix, and per block */
    const float *values;
} writing;

static int64_t longest_name(const writing *w) {
    int64_t longest = CAFE_INTEGER_TEXT;
    for (int64_t i = 0; w->titles->start && i < w->count; i++) {
        int64_t length = w->titles->start[i + 1] - w->titles->start[i];
        if (length > longest) longest = length;
    }
    return 2 * longest + 2;
}

/* A name with a tab or a quote in it stands in quotes, its own ones doubled. */
static char *put_name(const writing *w, int64_t i, bool quoting, char *to) {
    if (!w->titles->start) return cafe_put_integer(to, i);
    const char *name = w->titles->text + w->titles->start[i];
    size_t length = (size_t)(w->titles->start[i + 1] - w->titles->start[i]);
    if (!quoting || !(memchr(name, '\t', length) || memchr(name, '"', length))) {
        memcpy(to, name, length);
        return to + length;
    }
    *to++ = '"';
    for (size_t j = 0; j < length; j++) {
        if (name[j] == '"') *to++ = '"';
        *to++ = name[j];
    }
    *to++ = '"';
    return to;
}

static int64_t format_rows(const void *argument, int64_t block, char *text) {
    const writing *w = argument;
    char *to = text;
    for (int64_t i = block * w->each; i < cafe_block_end(w->count, w->each, block); i++) {
        to = put_name(w, i, true, to);
        for (int64_t j = 0; j < w->columns; j++) {
            *to++ = '\t';
            to = cafe_put_float(to, w->values[i * w->columns + j]);
        }
        *to++ = '\n';
    }
    return to - text;
}

static int64_t format_names(const void *argument, int64_t block, char *text) {
    const writing *w = argument;
    char *to = text;
    for (int64_t i = block * w->each; i < cafe_block_end(w->count, w->each, block); i++) {
        to = put_name(w, i, false, to);
        *to++ = '\n';
    }
    return to - text;
}

static cafe_status write_blocks(cafe_output *output, writing *w, int64_t row,
                                cafe_output_format *format) {
    w->each = block_bytes / row + 1;
    cafe_phase(output->context, "write", cafe_blocks(w->count, w->each));
    return cafe_output_blocks(output, cafe_blocks(w->count, w->each), w->each * row, format, w);
}

static cafe_status write_text(cafe_output *output, writing *w) {
    int64_t row = longest_name(w) + w->columns * (1 + CAFE_FLOAT_TEXT) + 1;
    return write_blocks(output, w, row, format_rows);
}

static cafe_status write_npy(cafe_output *output, const writing *w) {
    char header[128];
    cafe_status status =
        cafe_output_write(output, header, cafe_npy_header(w->count, w->columns, header));
    if (status != CAFE_OK) return status;
    return cafe_output_write(output, w->values, w->count * w->columns * (int64_t)sizeof *w->values);
}

/* PATH.names.txt, where there are names. */
static cafe_status open_names(cafe_context *context, const char *path, bool overwrite, writing *w,
                              cafe_output *output) {
    if (!w->titles->start) return CAFE_OK;
    size_t capacity = strlen(path) + sizeof ".names.txt";
    char *beside = cafe_mem(context, (int64_t)capacity, 1);
    if (!beside) return CAFE_ERROR_MEMORY;
    snprintf(beside, capacity, "%s.names.txt", path);
    cafe_status status = cafe_output_open(context, beside, overwrite, output);
    if (status == CAFE_OK) status = write_blocks(output, w, longest_name(w) + 1, format_names);
    cafe_mem_free(context, beside);
    return status;
}

static bool ends_with(const char *path, const char *ending) {
    size_t length = strlen(path), n = strlen(ending);
    return length > n && strcasecmp(path + length - n, ending) == 0;
}

cafe_status cafe_table_write(cafe_context *context, const cafe_table *table, cafe_table_side side,
                             int64_t columns, const float *values, const char *path,
                             int32_t overwrite) {
    bool rows = side == CAFE_TABLE_ROWS, npy = ends_with(path, ".npy");
    cafe_output output = {.fd = -1}, names = {.fd = -1};
    writing w = {.titles = rows ? &table->row_names : &table->column_names,
                 .count = rows ? table->rows : table->columns,
                 .columns = columns,
                 .values = values};
    cafe_status status = CAFE_OK;
    if (!npy && !ends_with(path, ".tsv") && strcmp(path, "-") != 0)
        return cafe_fail(context, CAFE_ERROR_ARGUMENT, "%s: a matrix is written as .npy or .tsv",
                         path);
    CAFE_TRY(cafe_output_open(context, path, overwrite != 0, &output));
    if (npy && output.temporary) CAFE_TRY(open_names(context, path, overwrite != 0, &w, &names));
    CAFE_TRY(npy ? write_npy(&output, &w) : write_text(&output, &w));
    if (names.context) CAFE_TRY(cafe_output_commit(&names));
    status = cafe_output_commit(&output);
done:
    cafe_output_discard(&names);
    cafe_output_discard(&output);
    cafe_phase(context, "", 0);
    return status;
}
