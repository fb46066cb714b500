/* The reader of scipy.sparse.save_npz files: CSR, CSC and COO matrices.
 *
 * A graph takes a matrix M as M, when it is symmetric, or as M + M^T. So CSC, the rows of the
 * transposed matrix, is read as CSR is. In scipy there is no matrix without values; one whose
 * values are all 1 is taken as unweighted.
 */
#include <float.h>
#include <string.h>

#include "base/memory.h"
#include "base/print.h"
#include "base/thread_pool.h"
#include "io/edge_buffer.h"
#include "io/first_error.h"
#include "io/format_registry.h"
#include "io/npz.h"

enum { BLOCK = 1 << 16 };

typedef struct npz {
    cafe_npz file;
    const cafe_graph_options *options;
    int64_t nodes;
} npz;

/* ---- members --------------------------------------------------------------------------------- */

static cafe_status open_member(cafe_npz *z, int slot, const char *name, cafe_npy *array) {
    cafe_zip_member *member = cafe_zip_find(&z->zip, name);
    if (!member)
        return cafe_fail(z->context, CAFE_ERROR_FORMAT,
                         "%s: expected a matrix saved by scipy.sparse.save_npz, found a zip "
                         "archive without '%s'",
                         z->name, name);
    cafe_print(z->labels[slot], sizeof z->labels[slot], "%s: %s", z->name, name);
    return cafe_npy_open(z->context, z->labels[slot], member->bytes, member->size, array);
}

cafe_status cafe_npz_integers(cafe_npz *z, int slot, const char *name, int64_t count,
                              cafe_npy *array) {
    CAFE_PASS(open_member(z, slot, name, array));
    if ((array->kind != 'i' && array->kind != 'u') || array->dimensions != 1)
        return cafe_fail(z->context, CAFE_ERROR_FORMAT, "%s: expected a list of integers",
                         array->name);
    if (count >= 0 && array->count != count)
        return cafe_fail(z->context, CAFE_ERROR_FORMAT, "%s: expected %lld elements, found %lld",
                         array->name, (long long)count, (long long)array->count);
    return CAFE_OK;
}

cafe_status cafe_npz_reals(cafe_npz *z, int64_t count, cafe_npy *array) {
    CAFE_PASS(open_member(z, CAFE_NPZ_DATA, "data.npy", array));
    if (!strchr("biuf", array->kind) || array->dimensions != 1 || array->count != count)
        return cafe_fail(z->context, CAFE_ERROR_FORMAT, "%s: expected a list of %lld real numbers",
                         array->name, (long long)count);
    return CAFE_OK;
}

/* As bytes or as UTF-32 characters. */
cafe_status cafe_npz_format(cafe_npz *z, char format[4]) {
    cafe_npy array;
    CAFE_PASS(open_member(z, CAFE_NPZ_FORMAT, "format.npy", &array));
    int64_t step = array.kind == 'U' ? 4 : 1;
    memset(format, 0, 4);
    for (int64_t i = 0; i < 3 && (i + 1) * step <= array.size && array.count == 1; i++)
        format[i] = (char)array.data[i * step];
    if (strcmp(format, "csr") != 0 && strcmp(format, "csc") != 0 && strcmp(format, "coo") != 0)
        return cafe_fail(z->context, CAFE_ERROR_FORMAT,
                         "%s: expected a CSR, CSC or COO matrix, found another format", array.name);
    return CAFE_OK;
}

static cafe_status read_shape(npz *z) {
    cafe_npy array;
    CAFE_PASS(cafe_npz_integers(&z->file, CAFE_NPZ_SHAPE, "shape.npy", 2, &array));
    int64_t rows = cafe_npy_integer(&array, 0), columns = cafe_npy_integer(&array, 1);
    if (rows != columns)
        return cafe_fail(z->file.context, CAFE_ERROR_FORMAT,
                         "%s: expected as many rows as columns, found %lld x %lld", array.name,
                         (long long)rows, (long long)columns);
    if (rows < 1 || rows > CAFE_MOST_NODES)
        return cafe_fail(z->file.context, CAFE_ERROR_FORMAT,
                         "%s: expected 1 to %d rows, found %lld", array.name, CAFE_MOST_NODES,
                         (long long)rows);
    z->nodes = rows;
    return cafe_check_nodes(z->file.context, z->file.name, rows, z->options);
}

/* A small file may state a hundred million rows. */
static cafe_status check_spread(const npz *z, int64_t entries) {
    if (!cafe_is_spread(z->nodes, entries, z->options)) return CAFE_OK;
    return cafe_fail(z->file.context, CAFE_ERROR_FORMAT,
                     "%s: expected fewer rows for %lld entries, found %lld (" CAFE_OPT(
                         "nodes=%lld") " keeps them all; in an edge list ids may be far apart)",
                     z->file.name, (long long)entries, (long long)z->nodes, (long long)z->nodes);
}

/* ---- elements, converted in parallel --------------------------------------------------------- */

typedef struct converting {
    const cafe_npy *array;
    int64_t most; /* of an index */
    int64_t *offsets;
    int32_t *indices;
    float *weights;
    atomic_llong bad; /* the first element that will not do; INT64_MAX: none */
    atomic_int not_one;
} converting;

static void convert_block(void *argument, int64_t task) {
    converting *c = argument;
    int64_t end = cafe_block_end(c->array->count, BLOCK, task);
    bool not_one = false;
    for (int64_t i = task * BLOCK; i < end; i++) {
        if (c->weights) {
            double v = cafe_npy_real(c->array, i);
            if (v != 0 && !(v >= FLT_MIN && v <= FLT_MAX)) return cafe_first_note(&c->bad, i);
            c->weights[i] = (float)v;
            not_one |= v != 1;
        } else {
            int64_t v = cafe_npy_integer(c->array, i);
            int64_t before = c->offsets && i > 0 ? cafe_npy_integer(c->array, i - 1) : 0;
            if (v < before || v > c->most) return cafe_first_note(&c->bad, i);
            if (c->offsets)
                c->offsets[i] = v;
            else
                c->indices[i] = (int32_t)v;
        }
    }
    if (not_one) atomic_store(&c->not_one, 1);
}

static cafe_status convert(npz *z, converting *c, const char *wanted) {
    atomic_store(&c->bad, INT64_MAX);
    cafe_status status =
        cafe_each(z->file.context, cafe_blocks(c->array->count, BLOCK), convert_block, c);
    int64_t bad = atomic_load(&c->bad);
    if (status != CAFE_OK || bad == INT64_MAX) return status;
    return cafe_fail(z->file.context, CAFE_ERROR_FORMAT,
                     "%s: element %lld: expected %s, found %.9g", c->array->name, (long long)bad,
                     wanted, cafe_npy_real(c->array, bad));
}

static cafe_status read_weights(npz *z, int64_t count, float **weights) {
    cafe_npy data;
    cafe_status status = cafe_npz_reals(&z->file, count, &data);
    if (status != CAFE_OK || !z->options->weights) return status;
    *weights = cafe_mem(z->file.context, count, sizeof **weights);
    if (!*weights) return CAFE_ERROR_MEMORY;
    converting c = {.array = &data, .weights = *weights};
    status = convert(z, &c, "a finite number that is not negative");
    if (status == CAFE_OK && !atomic_load(&c.not_one)) {
        cafe_mem_free(z->file.context, *weights);
        *weights = NULL;
    }
    return status;
}

static cafe_status read_indices(npz *z, const cafe_npy *array, int32_t **indices) {
    *indices = cafe_mem(z->file.context, array->count, sizeof **indices);
    if (!*indices) return CAFE_ERROR_MEMORY;
    converting c = {.array = array, .most = z->nodes - 1, .indices = *indices};
    return convert(z, &c, "an index within the matrix");
}

static cafe_status read_offsets(npz *z, const cafe_npy *array, int64_t entries, int64_t **offsets) {
    *offsets = cafe_mem(z->file.context, array->count, sizeof **offsets);
    if (!*offsets) return CAFE_ERROR_MEMORY;
    converting c = {.array = array, .most = entries, .offsets = *offsets};
    CAFE_PASS(convert(z, &c, "offsets that ascend from 0 to the number of entries"));
    if ((*offsets)[0] != 0 || (*offsets)[z->nodes] != entries)
        return cafe_fail(z->file.context, CAFE_ERROR_FORMAT, "%s: expected offsets from 0 to %lld",
                         array->name, (long long)entries);
    return CAFE_OK;
}

/* ---- matrices -------------------------------------------------------------------------------- */

static cafe_status read_rows(npz *z, cafe_graph **graph) {
    cafe_npy indptr, indices;
    int64_t *offsets = NULL;
    int32_t *targets = NULL;
    float *weights = NULL;
    cafe_status status = CAFE_OK;
    CAFE_TRY(cafe_npz_integers(&z->file, CAFE_NPZ_FIRST, "indptr.npy", z->nodes + 1, &indptr));
    CAFE_TRY(cafe_npz_integers(&z->file, CAFE_NPZ_SECOND, "indices.npy", -1, &indices));
    CAFE_TRY(check_spread(z, indices.count));
    CAFE_TRY(read_weights(z, indices.count, &weights));
    CAFE_TRY(read_offsets(z, &indptr, indices.count, &offsets));
    CAFE_TRY(read_indices(z, &indices, &targets));
    cafe_zip_close(&z->file.zip);
    status =
        cafe_rows_graph(z->file.context, z->nodes, offsets, targets, weights, z->options, graph);
    offsets = NULL;
    targets = NULL;
    weights = NULL;
done:
    cafe_mem_free_all(z->file.context, offsets, targets, weights);
    return status;
}

static cafe_status read_coordinates(npz *z, cafe_graph **graph) {
    cafe_npy row, column;
    int32_t *source = NULL, *target = NULL;
    cafe_edge_list list;
    cafe_status status = CAFE_OK;
    cafe_edge_list_init(z->file.context, z->file.name, false, false, &list);
    CAFE_TRY(cafe_npz_integers(&z->file, CAFE_NPZ_FIRST, "row.npy", -1, &row));
    CAFE_TRY(check_spread(z, row.count));
    CAFE_TRY(cafe_npz_integers(&z->file, CAFE_NPZ_SECOND, "col.npy", row.count, &column));
    CAFE_TRY(read_weights(z, row.count, &list.weights));
    CAFE_TRY(read_indices(z, &row, &source));
    CAFE_TRY(read_indices(z, &column, &target));
    cafe_zip_close(&z->file.zip);
    list.weighted = list.weights != NULL;
    list.count = row.count;
    list.source = source;
    list.target = target;
    source = target = NULL;
    status = cafe_edge_list_matrix(&list, z->nodes, z->options, graph);
done:
    cafe_mem_free_all(z->file.context, source, target);
    cafe_edge_list_free(&list);
    return status;
}

static cafe_status read_npz(cafe_input *input, const cafe_graph_options *options,
                            cafe_graph **graph) {
    cafe_context *context = input->context;
    char format[4];
    cafe_status status = CAFE_ERROR_MEMORY;
    npz *z = cafe_mem_zero(context, 1, sizeof *z);
    if (!z) return status;
    z->file.context = context;
    z->file.name = input->name;
    z->options = options;
    cafe_phase(context, "read", 0);
    CAFE_TRY(cafe_input_load(input));
    CAFE_TRY(cafe_zip_open(context, input->name, input->bytes, input->size, &z->file.zip));
    CAFE_TRY(cafe_zip_unpack(&z->file.zip));
    CAFE_TRY(cafe_npz_format(&z->file, format));
    CAFE_TRY(read_shape(z));
    status = format[2] == 'o' ? read_coordinates(z, graph) : read_rows(z, graph);
done:
    cafe_zip_close(&z->file.zip);
    cafe_mem_free(context, z);
    return status;
}

const cafe_graph_format cafe_graph_format_npz = {
    .magic = "PK\3\4", .read = read_npz, .binary = true};
