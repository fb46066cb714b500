/* Tables: the object, and arrays of NumPy. Text is read by table_text.c. */
#include "io/table.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include <cafe-private/inputs.h>
#include <cafe-private/writers.h>

#include "base/memory.h"
#include "base/print.h"
#include "base/thread_pool.h"
#include "io/first_error.h"
#include "io/name_format.h"
#include "io/npy.h"
#include "io/vector_file.h"

enum { BLOCK = 1 << 14 };

/* ---- the object ------------------------------------------------------------------------------ */

void cafe_table_free(cafe_table *table) {
    if (!table) return;
    cafe_mem_free_all(table->context, table->name, table->values);
    cafe_names_free(table->context, &table->row_names);
    cafe_names_free(table->context, &table->column_names);
    cafe_mem_free(table->context, table);
}

int64_t cafe_table_rows(const cafe_table *table) {
    return table->rows;
}

int64_t cafe_table_columns(const cafe_table *table) {
    return table->columns;
}

const float *cafe_table_values(const cafe_table *table) {
    return table->values;
}

int32_t cafe_table_has_heading(const cafe_table *table) {
    return table->column_names.kind == CAFE_NAMES_STRING;
}

int32_t cafe_table_has_row_names(const cafe_table *table) {
    return table->row_names.kind != CAFE_NAMES_INDEX;
}

size_t cafe_table_row_name(const cafe_table *table, int64_t row, char *text, size_t capacity) {
    return cafe_names_get(&table->row_names, row, text, capacity);
}

size_t cafe_table_column_name(const cafe_table *table, int64_t column, char *text,
                              size_t capacity) {
    return cafe_names_get(&table->column_names, column, text, capacity);
}

cafe_status cafe_table_write(cafe_context *context, const cafe_table *table, cafe_table_side side,
                             int64_t columns, const float *values, const char *path,
                             int32_t overwrite) {
    bool rows = side == CAFE_TABLE_ROWS;
    cafe_matrix m = cafe_matrix_of(rows ? table->rows : table->columns, columns, columns, values,
                                   rows ? &table->row_names : &table->column_names);
    m.row = rows ? "row" : "column";
    return cafe_matrix_write(context, &m, path, overwrite);
}

/* ---- NumPy ----------------------------------------------------------------------------------- */

typedef struct loading {
    const cafe_npy *array;
    cafe_table *table;
    atomic_llong bad; /* the first element that is not finite; INT64_MAX: none */
} loading;

static void load_block(void *argument, int64_t task) {
    loading *l = argument;
    const cafe_table *t = l->table;
    int64_t end = cafe_block_end(l->array->count, BLOCK, task);
    for (int64_t i = task * BLOCK; i < end; i++) {
        int64_t at = l->array->fortran ? i % t->columns * t->rows + i / t->columns : i;
        t->values[i] = (float)cafe_npy_real(l->array, at);
        if (isfinite(t->values[i])) continue;
        cafe_first_note(&l->bad, i);
        return;
    }
}

static cafe_status read_npy(cafe_context *context, const char *name, const uint8_t *bytes,
                            int64_t size, cafe_table *table) {
    cafe_npy array;
    loading l = {.array = &array, .table = table, .bad = INT64_MAX};
    CAFE_PASS(cafe_npy_open(context, name, bytes, size, &array));
    if (!strchr("biuf", array.kind) || array.dimensions == 0 || array.count == 0)
        return cafe_fail(context, CAFE_ERROR_FORMAT,
                         "%s: expected rows and columns of numbers, found another kind of array or "
                         "an empty one",
                         name);
    table->named = array.named;
    table->digest = array.digest;
    memcpy(table->made, array.made, sizeof table->made);
    table->rows = array.shape[0];
    table->columns = array.dimensions == 2 ? array.shape[1] : 1;
    table->values = cafe_mem(context, array.count, sizeof *table->values);
    if (!table->values) return CAFE_ERROR_MEMORY;
    cafe_status status = cafe_each(context, cafe_blocks(array.count, BLOCK), load_block, &l);
    int64_t bad = atomic_load(&l.bad);
    if (status == CAFE_OK && bad < INT64_MAX)
        status =
            cafe_fail(context, CAFE_ERROR_FORMAT,
                      "%s: row %lld, column %lld: expected a number that a float32 can hold, "
                      "found another",
                      name, (long long)(bad / table->columns), (long long)(bad % table->columns));
    return status;
}

/* ---- files ----------------------------------------------------------------------------------- */

static bool is_npy(const uint8_t *bytes, int64_t size) {
    return size >= 6 && memcmp(bytes, "\x93NUMPY", 6) == 0;
}

/* Reads it, be it an array (whose bytes are all there) or text. */
static cafe_status read_once(const cafe_input *input, bool npy, cafe_table_style style,
                             const cafe_graph_options *given, cafe_table **table) {
    cafe_context *context = input->context;
    cafe_table *found = *table = cafe_mem_zero(context, 1, sizeof *found);
    if (!found) return CAFE_ERROR_MEMORY;
    found->context = context;
    found->name = cafe_mem_text(context, input->name);
    found->text = !npy;
    cafe_phase(context, "read", input->size);
    cafe_status status = !found->name ? CAFE_ERROR_MEMORY
                         : npy ? read_npy(context, input->name, input->bytes, input->size, found)
                               : cafe_table_read_text(input, style, given, found);
    if (status != CAFE_OK) {
        cafe_table_free(found);
        *table = NULL;
    }
    cafe_phase(context, "", 0);
    return status;
}

static cafe_status read_any(cafe_input *input, bool npy, cafe_table_style style,
                            const cafe_graph_options *given, cafe_table **table) {
    if (!npy) CAFE_PASS(cafe_input_decode(input, false));
    cafe_status status = read_once(input, npy, style, given, table);
    while (!npy && status == CAFE_ERROR_FORMAT && cafe_input_mend(input))
        status = read_once(input, npy, style, given, table);
    return status;
}

/* Reads the names beside a .npy file. */
static cafe_status read_beside(const char *path, cafe_table *table) {
    size_t room = strlen(path) + sizeof ".names.txt";
    cafe_status status = cafe_names_read(table->context, path, table->rows,
                                         table->named ? &table->digest : NULL, &table->row_names);
    if (status != CAFE_OK || table->row_names.kind == CAFE_NAMES_INDEX) return status;
    char *name = cafe_mem_resize(table->context, table->name, (int64_t)room, 1);
    if (!name) return CAFE_ERROR_MEMORY;
    cafe_print(name, room, "%s.names.txt", path);
    table->name = name;
    table->first_line = 1;
    return CAFE_OK;
}

cafe_status cafe_table_read_bytes(cafe_context *context, const char *name, const uint8_t *bytes,
                                  int64_t size, cafe_table_style style, cafe_table **table) {
    cafe_input input = {.context = context, .name = name, .bytes = bytes, .size = size};
    cafe_status status = read_any(&input, is_npy(bytes, size), style, NULL, table);
    cafe_input_close(&input);
    return status;
}

/* A .npy array is needed as a whole, so its gzip form is expanded; text is not. */
cafe_status cafe_table_read_as(cafe_context *context, const char *path, cafe_table_style style,
                               const cafe_graph_options *given, cafe_table **table) {
    cafe_input input = {.context = context};
    uint8_t start[6];
    int64_t size = sizeof start;
    cafe_status status = CAFE_OK;
    *table = NULL;
    CAFE_TRY(cafe_input_open(context, path, &input));
    CAFE_TRY(cafe_input_peek(&input, start, &size));
    bool npy = is_npy(start, size);
    if (npy && cafe_input_is_gzip(&input)) CAFE_TRY(cafe_input_expand(&input));
    if (npy) CAFE_TRY(cafe_input_load(&input));
    CAFE_TRY(read_any(&input, npy, style, given, table));
    if (npy) status = read_beside(path, *table);
    if (status == CAFE_OK) goto done;
    cafe_table_free(*table);
    *table = NULL;
done:
    cafe_input_close(&input);
    return status;
}

cafe_status cafe_table_read(cafe_context *context, const char *path, cafe_table **table) {
    return cafe_table_read_as(context, path, CAFE_TABLE_LOOK, NULL, table);
}
