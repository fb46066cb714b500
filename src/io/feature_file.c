/* Features of the nodes from a file: a CSR matrix of scipy.sparse.save_npz, or a table. */
#include <string.h>

#include <cafe-private/inputs.h>

#include "base/memory.h"
#include "base/print.h"
#include "io/npz.h"
#include "io/table.h"

struct cafe_feature_file {
    cafe_context *context;
    cafe_feature_inputs inputs;
    int64_t *offsets;
    int32_t *indices;
    float *values;
    char reading[240];
};

/* ---- rows and nodes -------------------------------------------------------------------------- */

/* Does row i of so many belong to the node with the id i? */
static bool are_ids(const cafe_names *names, int64_t nodes, int64_t rows) {
    if (names->kind != CAFE_NAMES_INTEGER) return false;
    return nodes > 0 && names->integers[0] >= 0 && names->integers[nodes - 1] < rows;
}

/* Matches rows without names with the nodes, or refuses them; *ids: by id. */
static cafe_status match(cafe_feature_file *f, const cafe_graph *graph, const char *path,
                         int64_t rows, bool *ids) {
    int64_t nodes = cafe_graph_nodes(graph);
    *ids = are_ids(cafe_graph_node_names(graph), nodes, rows);
    cafe_print(f->reading, sizeof f->reading,
               *ids ? "row i for the node with the id i" : "rows in the order of the nodes");
    if (*ids || rows == nodes) return CAFE_OK;
    return cafe_fail(f->context, CAFE_ERROR_FORMAT,
                     "%s: expected a row of features for each of %lld nodes, found %lld rows", path,
                     (long long)nodes, (long long)rows);
}

static int64_t row_of(const cafe_graph *graph, bool ids, int64_t u) {
    return ids ? cafe_graph_node_names(graph)->integers[u] : u;
}

/* ---- matrices -------------------------------------------------------------------------------- */

typedef struct matrix {
    cafe_npz file;
    cafe_npy shape, offsets, indices, data;
    int64_t rows, columns;
} matrix;

static cafe_status open_matrix(matrix *m) {
    cafe_npz *z = &m->file;
    char format[4];
    CAFE_PASS(cafe_npz_format(z, format));
    if (strcmp(format, "csr") != 0)
        return cafe_fail(z->context, CAFE_ERROR_FORMAT,
                         "%s: expected a CSR matrix, found a %s one: save X.tocsr()", z->name,
                         format);
    CAFE_PASS(cafe_npz_integers(z, CAFE_NPZ_SHAPE, "shape.npy", 2, &m->shape));
    m->rows = cafe_npy_integer(&m->shape, 0), m->columns = cafe_npy_integer(&m->shape, 1);
    if (m->rows < 0 || m->rows == INT64_MAX || m->columns < 1 || m->columns > INT32_MAX)
        return cafe_fail(z->context, CAFE_ERROR_FORMAT, "%s: expected features, found %lld x %lld",
                         z->name, (long long)m->rows, (long long)m->columns);
    CAFE_PASS(cafe_npz_integers(z, CAFE_NPZ_FIRST, "indptr.npy", m->rows + 1, &m->offsets));
    CAFE_PASS(cafe_npz_integers(z, CAFE_NPZ_SECOND, "indices.npy", -1, &m->indices));
    return cafe_npz_reals(z, m->indices.count, &m->data);
}

/* Where the entries of a row begin and end. */
static cafe_status find_row(const matrix *m, int64_t row, int64_t *first, int64_t *last) {
    *first = cafe_npy_integer(&m->offsets, row), *last = cafe_npy_integer(&m->offsets, row + 1);
    if (*first >= 0 && *first <= *last && *last <= m->indices.count) return CAFE_OK;
    return cafe_fail(m->file.context, CAFE_ERROR_FORMAT,
                     "%s: expected offsets that ascend to %lld, found %lld and %lld",
                     m->offsets.name, (long long)m->indices.count, (long long)*first,
                     (long long)*last);
}

static cafe_status take_row(cafe_feature_file *f, const matrix *m, int64_t row, int64_t *at) {
    int64_t first, last;
    CAFE_PASS(find_row(m, row, &first, &last));
    for (int64_t i = first; i < last; i++, ++*at) {
        int64_t column = cafe_npy_integer(&m->indices, i);
        if (column < 0 || column >= m->columns)
            return cafe_fail(f->context, CAFE_ERROR_FORMAT,
                             "%s: element %lld: expected a column below %lld, found %lld",
                             m->indices.name, (long long)i, (long long)m->columns,
                             (long long)column);
        f->indices[*at] = (int32_t)column;
        f->values[*at] = (float)cafe_npy_real(&m->data, i);
    }
    return CAFE_OK;
}

static cafe_status take_matrix(cafe_feature_file *f, const cafe_graph *graph, const matrix *m) {
    cafe_context *context = f->context;
    int64_t nodes = cafe_graph_nodes(graph), at = 0, first, last;
    bool ids;
    CAFE_PASS(match(f, graph, m->file.name, m->rows, &ids));
    f->offsets = cafe_mem_zero(context, nodes + 1, sizeof *f->offsets);
    CAFE_PASS(cafe_mem_had(f->offsets));
    for (int64_t u = 0; u < nodes; u++) {
        CAFE_PASS(find_row(m, row_of(graph, ids, u), &first, &last));
        f->offsets[u + 1] = f->offsets[u] + last - first;
    }
    f->indices = cafe_mem(context, f->offsets[nodes], sizeof *f->indices);
    f->values = cafe_mem(context, f->offsets[nodes], sizeof *f->values);
    CAFE_PASS(cafe_mem_had(f->indices, f->values));
    for (int64_t u = 0; u < nodes; u++) CAFE_PASS(take_row(f, m, row_of(graph, ids, u), &at));
    f->inputs.columns = m->columns;
    f->inputs.offsets = f->offsets, f->inputs.indices = f->indices;
    return CAFE_OK;
}

static cafe_status read_matrix(cafe_feature_file *f, const cafe_graph *graph, const char *path) {
    cafe_context *context = f->context;
    cafe_status status = CAFE_OK;
    cafe_input input = {0};
    matrix *m = cafe_mem_zero(context, 1, sizeof *m);
    CAFE_PASS(cafe_mem_had(m));
    CAFE_TRY(cafe_input_open(context, path, &input));
    m->file.context = context, m->file.name = input.name;
    CAFE_TRY(cafe_input_load(&input));
    CAFE_TRY(cafe_zip_open(context, input.name, input.bytes, input.size, &m->file.zip));
    CAFE_TRY(cafe_zip_unpack(&m->file.zip));
    CAFE_TRY(open_matrix(m));
    CAFE_TRY(take_matrix(f, graph, m));
done:
    cafe_zip_close(&m->file.zip);
    cafe_input_close(&input);
    cafe_mem_free(context, m);
    return status;
}

/* ---- tables ---------------------------------------------------------------------------------- */

static cafe_status take_table(cafe_feature_file *f, const cafe_graph *graph, const char *path,
                              const cafe_table *table) {
    int64_t nodes = cafe_graph_nodes(graph), columns = cafe_table_columns(table);
    bool ids;
    f->values = cafe_mem(f->context, nodes * columns, sizeof *f->values);
    CAFE_PASS(cafe_mem_had(f->values));
    f->inputs.columns = columns;
    if (cafe_table_has_row_names(table)) {
        cafe_print(f->reading, sizeof f->reading, "rows by the names of the nodes");
        return cafe_table_place(f->context, table, graph, f->values);
    }
    CAFE_PASS(match(f, graph, path, cafe_table_rows(table), &ids));
    for (int64_t u = 0; u < nodes; u++)
        memcpy(f->values + u * columns, table->values + row_of(graph, ids, u) * columns,
               (size_t)columns * sizeof *f->values);
    return CAFE_OK;
}

static cafe_status read_table(cafe_feature_file *f, const cafe_graph *graph, const char *path) {
    cafe_table *table = NULL;
    CAFE_PASS(cafe_table_read_nodes(f->context, path, graph, &table));
    cafe_status status = take_table(f, graph, path, table);
    size_t used = strlen(f->reading);
    if (table->reading[0])
        cafe_print(f->reading + used, sizeof f->reading - used, "; %s", table->reading);
    cafe_table_free(table);
    return status;
}

/* ---- the object ------------------------------------------------------------------------------ */

cafe_status cafe_feature_file_read(cafe_context *context, const cafe_graph *graph, const char *path,
                                   cafe_feature_file **file) {
    size_t length = strlen(path);
    bool npz = length > 4 && strcmp(path + length - 4, ".npz") == 0;
    cafe_feature_file *f = *file = cafe_mem_zero(context, 1, sizeof *f);
    CAFE_PASS(cafe_mem_had(f));
    f->context = context;
    cafe_feature_inputs_init(&f->inputs);
    cafe_phase(context, "read", 0);
    cafe_status status = npz ? read_matrix(f, graph, path) : read_table(f, graph, path);
    f->inputs.values = f->values;
    if (status == CAFE_OK) return CAFE_OK;
    cafe_feature_file_free(f);
    *file = NULL;
    return status;
}

void cafe_feature_file_free(cafe_feature_file *file) {
    if (!file) return;
    cafe_mem_free_all(file->context, file->offsets, file->indices, file->values, file);
}

const cafe_feature_inputs *cafe_feature_file_inputs(const cafe_feature_file *file) {
    return &file->inputs;
}

const char *cafe_feature_file_reading(const cafe_feature_file *file) {
    return file->reading;
}
