/* Blocks of start vectors: n x K numbers from a .npy file. */
#include <math.h>
#include <stdatomic.h>

#include <cafe/embedding.h>

#include "base/memory.h"
#include "base/pool.h"
#include "io/gzip.h"
#include "io/input.h"
#include "io/npy.h"
#include "io/read.h"

enum { BLOCK = 1 << 14 };

typedef struct loading {
    const cafe_npy *array;
    float *values;
    int64_t rows, columns;
    atomic_llong bad; /* the first element that is not finite; INT64_MAX: none */
} loading;

static void load_block(void *argument, int64_t task, int32_t worker) {
    loading *l = argument;
    int64_t end = cafe_block_end(l->array->count, BLOCK, task);
    (void)worker;
    for (int64_t i = task * BLOCK; i < end; i++) {
        int64_t row = i / l->columns, column = i % l->columns;
        int64_t at = l->array->fortran ? column * l->rows + row : i;
        l->values[i] = (float)cafe_npy_real(l->array, at);
        if (isfinite(l->values[i])) continue;
        long long first = atomic_load(&l->bad);
        while (i < first && !atomic_compare_exchange_weak(&l->bad, &first, i)) {
        }
        return;
    }
}

static cafe_status load(cafe_context *context, const cafe_npy *array, loading *l) {
    l->array = array;
    l->rows = array->shape[0];
    l->columns = array->shape[1];
    atomic_store(&l->bad, INT64_MAX);
    l->values = cafe_mem(context, array->count, sizeof *l->values);
    if (!l->values) return CAFE_ERROR_MEMORY;
    cafe_status status = cafe_parallel(context, cafe_blocks(array->count, BLOCK), load_block, l);
    int64_t bad = atomic_load(&l->bad);
    if (status == CAFE_OK && bad < INT64_MAX)
        status =
            cafe_fail(context, CAFE_ERROR_FORMAT,
                      "%s: row %lld, column %lld: expected a number that a float32 can hold, "
                      "found another",
                      array->name, (long long)(bad / l->columns), (long long)(bad % l->columns));
    if (status != CAFE_OK) cafe_mem_free(context, l->values);
    return status;
}

cafe_status cafe_block_read_bytes(cafe_context *context, const char *name, const uint8_t *bytes,
                                  int64_t size, int64_t *rows, int64_t *columns, float **values) {
    cafe_npy array;
    loading l = {.values = NULL};
    *values = NULL;
    cafe_status status = cafe_npy_open(context, name, bytes, size, &array);
    if (status != CAFE_OK) return status;
    if (array.kind != 'f' || array.dimensions != 2 || array.count == 0)
        return cafe_fail(context, CAFE_ERROR_FORMAT,
                         "%s: expected rows and columns of float32 or float64 numbers", name);
    status = load(context, &array, &l);
    if (status != CAFE_OK) return status;
    *rows = l.rows;
    *columns = l.columns;
    *values = l.values;
    return CAFE_OK;
}

cafe_status cafe_block_read(cafe_context *context, const char *path, int64_t *rows,
                            int64_t *columns, float **values) {
    cafe_input input;
    *values = NULL;
    cafe_status status = cafe_input_open(context, path, &input);
    if (status != CAFE_OK) return status;
    if (cafe_is_gzip(input.bytes, input.size)) status = cafe_input_expand(&input);
    if (status == CAFE_OK)
        status = cafe_block_read_bytes(context, input.name, input.bytes, input.size, rows, columns,
                                       values);
    cafe_input_close(&input);
    return status;
}

void cafe_block_free(cafe_context *context, float *values) {
    cafe_mem_free(context, values);
}
