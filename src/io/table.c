/* Tables: the object, and arrays of NumPy. Text is read by table_text.c. */
#include "io/table.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/pool.h"
#include "io/gzip.h"
#include "io/npy.h"

enum { BLOCK = 1 << 14 };

/* ---- the object ------------------------------------------------------------------------------ */

void cafe_table_free(cafe_table *table) {
    if (!table) return;
    cafe_mem_free(table->context, table->values);
    cafe_mem_free(table->context, table->row_names.start);
    cafe_mem_free(table->context, table->row_names.text);
    cafe_mem_free(table->context, table->column_names.start);
    cafe_mem_free(table->context, table->column_names.text);
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
    return table->column_names.start != NULL;
}

int32_t cafe_table_has_row_names(const cafe_table *table) {
    return table->row_names.start != NULL;
}

static size_t copy_name(const cafe_titles *titles, int64_t i, char *text, size_t capacity) {
    if (!titles->start) return (size_t)snprintf(text, capacity, "%lld", (long long)i);
    size_t length = (size_t)(titles->start[i + 1] - titles->start[i]);
    size_t copied = capacity == 0 ? 0 : length < capacity ? length : capacity - 1;
    memcpy(text, titles->text + titles->start[i], copied);
    if (capacity > 0) text[copied] = 0;
    return length;
}

size_t cafe_table_row_name(const cafe_table *table, int64_t row, char *text, size_t capacity) {
    return copy_name(&table->row_names, row, text, capacity);
}

size_t cafe_table_column_name(const cafe_table *table, int64_t column, char *text,
                              size_t capacity) {
    return copy_name(&table->column_names, column, text, capacity);
}

/* ---- NumPy ----------------------------------------------------------------------------------- */

typedef struct loading {
    const cafe_npy *array;
    cafe_table *table;
    atomic_llong bad; /* the first element that is not finite; INT64_MAX: none */
} loading;

static void load_block(void *argument, int64_t task, int32_t worker) {
    loading *l = argument;
    const cafe_table *t = l->table;
    int64_t end = cafe_block_end(l->array->count, BLOCK, task);
    (void)worker;
    for (int64_t i = task * BLOCK; i < end; i++) {
        int64_t at = l->array->fortran ? i % t->columns * t->rows + i / t->columns : i;
        t->values[i] = (float)cafe_npy_real(l->array, at);
        if (isfinite(t->values[i])) continue;
        long long first = atomic_load(&l->bad);
        while (i < first && !atomic_compare_exchange_weak(&l->bad, &first, i)) {
        }
        return;
    }
}

cafe_status cafe_table_read_npy(cafe_context *context, const char *name, const uint8_t *bytes,
                                int64_t size, cafe_table *table) {
    cafe_npy array;
    loading l = {.array = &array, .table = table, .bad = INT64_MAX};
    cafe_status status = cafe_npy_open(context, name, bytes, size, &array);
    if (status != CAFE_OK) return status;
    if (!strchr("biuf", array.kind) || array.dimensions == 0 || array.count == 0)
        return cafe_fail(context, CAFE_ERROR_FORMAT,
                         "%s: expected rows and columns of numbers, found another kind of array or "
                         "an empty one",
                         name);
    table->rows = array.shape[0];
    table->columns = array.dimensions == 2 ? array.shape[1] : 1;
    table->values = cafe_mem(context, array.count, sizeof *table->values);
    if (!table->values) return CAFE_ERROR_MEMORY;
    status = cafe_parallel(context, cafe_blocks(array.count, BLOCK), load_block, &l);
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

cafe_status cafe_table_read_bytes(cafe_context *context, const char *name, const uint8_t *bytes,
                                  int64_t size, cafe_table **table) {
    cafe_table *found = cafe_mem_zero(context, 1, sizeof *found);
    *table = NULL;
    if (!found) return CAFE_ERROR_MEMORY;
    found->context = context;
    cafe_phase(context, "read", size);
    cafe_status status = is_npy(bytes, size)
                             ? cafe_table_read_npy(context, name, bytes, size, found)
                             : cafe_table_read_text(context, name, bytes, size, found);
    if (status == CAFE_OK)
        *table = found;
    else
        cafe_table_free(found);
    cafe_phase(context, "", 0);
    return status;
}

/* A .npy array is needed as a whole, so its gzip form is expanded; text is not. */
static bool is_packed_npy(const char *path, const cafe_input *input) {
    size_t length = strlen(path);
    return cafe_is_gzip(input->bytes, input->size) && length > 7 &&
           strcmp(path + length - 7, ".npy.gz") == 0;
}

cafe_status cafe_table_read(cafe_context *context, const char *path, cafe_table **table) {
    cafe_input input;
    *table = NULL;
    cafe_status status = cafe_input_open(context, path, &input);
    if (status != CAFE_OK) return status;
    if (is_packed_npy(path, &input)) status = cafe_input_expand(&input);
    if (status == CAFE_OK)
        status = cafe_table_read_bytes(context, input.name, input.bytes, input.size, table);
    cafe_input_close(&input);
    return status;
}
