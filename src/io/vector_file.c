/* Rows of numbers with names, out and in: .npy, tab-separated text, word2vec text. */
#include "io/vector_file.h"

#include <string.h>

#include <cafe-private/inputs.h>

#include "base/finite.h"
#include "base/memory.h"
#include "base/print.h"
#include "base/processes.h"
#include "base/thread_pool.h"
#include "io/attribute_source.h"
#include "io/digits.h"
#include "io/format_registry.h"
#include "io/name_format.h"
#include "io/npy.h"
#include "io/output_file.h"
#include "io/table.h"
#include "io/text_position.h"

static const int64_t block_bytes = (int64_t)1 << 20;

/* ---- out ------------------------------------------------------------------------------------- */

/* Rows first .. first + count - 1 of the matrix, of which values has the first. */
typedef struct writing {
    const cafe_matrix *m;
    char separator;
    int64_t rows; /* per block */
    int64_t first, count;
    const float *values; /* NULL: the matrix has them */
} writing;

static int64_t format_rows(const void *argument, int64_t block, char *text) {
    const writing *w = argument;
    const cafe_matrix *m = w->m;
    char *p = text;
    for (int64_t i = block * w->rows; i < cafe_block_end(w->count, w->rows, block); i++) {
        int64_t u = w->first + i;
        p = w->separator == ' ' ? cafe_put_name(m->names, u, p) : cafe_put_field(m->names, u, p);
        const float *row = w->values ? w->values + i * m->stride : cafe_matrix_row(m, u);
        p = cafe_put_floats(p, w->separator, row, m->columns);
        *p++ = '\n';
    }
    return p - text;
}

/* The name of the rows, then the columns from x0 on; word2vec text has its sizes instead. */
static cafe_status write_heading(cafe_output *output, const writing *w) {
    if (w->separator == ' ' || output->context->no_headings) return CAFE_OK;
    const char *row = w->m->row ? w->m->row : "node";
    CAFE_PASS(cafe_output_write(output, row, (int64_t)strlen(row)));
    for (int64_t j = 0; j < w->m->columns; j++) {
        char name[32];
        int length = cafe_print(name, sizeof name, "%cx%lld", w->separator, (long long)j);
        CAFE_PASS(cafe_output_write(output, name, length));
    }
    return cafe_output_write(output, "\n", 1);
}

static cafe_status write_rows(cafe_output *output, writing *w) {
    const cafe_matrix *m = w->m;
    if (w->first == 0) CAFE_PASS(write_heading(output, w));
    int64_t row = cafe_names_longest(m->names, m->rows) + m->columns * (1 + CAFE_FLOAT_TEXT) + 1;
    w->rows = block_bytes / row + 1;
    int64_t blocks = cafe_blocks(w->count, w->rows);
    cafe_phase(output->context, "write", blocks);
    return cafe_output_blocks(output, blocks, w->rows * row, format_rows, w);
}

/* Rows of several processes, of which the first one writes. */
static cafe_status write_pieces(cafe_output *output, writing *w) {
    enum { PIECE = 1 << 23 }; /* floats */
    cafe_context *context = output->context;
    const cafe_matrix *m = w->m;
    int64_t most = PIECE / (m->columns + 1) + 1;
    if (most > m->rows) most = m->rows;
    float *piece = cafe_mem(context, most * m->columns, sizeof *piece);
    cafe_status status = piece ? CAFE_OK : CAFE_ERROR_MEMORY;
    w->values = piece;
    for (; w->first < m->rows; w->first += w->count) {
        w->count = m->rows - w->first < most ? m->rows - w->first : most;
        CAFE_TRY(m->get(m->source, status, w->first, w->count, piece));
        if (cafe_team_rank(context) == 0) status = write_rows(output, w);
    }
done:
    cafe_mem_free(context, piece);
    return status;
}

static cafe_status write_text(cafe_output *output, const cafe_matrix *m, char separator) {
    writing w = {.m = m, .separator = separator, .count = m->rows};
    return m->get ? write_pieces(output, &w) : write_rows(output, &w);
}

static cafe_status write_tsv(cafe_output *output, const cafe_matrix *m) {
    return write_text(output, m, '\t');
}

/* Readers of word2vec text split at whatever C calls white space, and know no quotes. */
static bool is_word(const char *name, int64_t length) {
    for (int64_t i = 0; i < length; i++)
        if ((uint8_t)name[i] <= ' ' || name[i] == 0x7f) return false;
    return true;
}

static cafe_status refuse_blanks(cafe_context *context, const cafe_matrix *m) {
    const cafe_names *names = m->names;
    if (names->kind != CAFE_NAMES_STRING) return CAFE_OK;
    for (int64_t u = 0; u < m->rows; u++) {
        const char *name = names->text + names->start[u];
        int64_t length = names->start[u + 1] - names->start[u];
        char shown[164];
        if (is_word(name, length)) continue;
        cafe_escape((const uint8_t *)name, length, 40, shown);
        return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                         "the name '%s' has a blank or a control character in it, which word2vec "
                         "text cannot hold: write .tsv or .npy",
                         shown);
    }
    return CAFE_OK;
}

static cafe_status write_csv(cafe_output *output, const cafe_matrix *m) {
    return write_text(output, m, ',');
}

static cafe_status write_txt(cafe_output *output, const cafe_matrix *m) {
    char line[64];
    int length =
        cafe_print(line, sizeof line, "%lld %lld\n", (long long)m->rows, (long long)m->columns);
    cafe_status status = refuse_blanks(output->context, m);
    if (status == CAFE_OK) status = cafe_output_write(output, line, length);
    return status == CAFE_OK ? write_text(output, m, ' ') : status;
}

/* An .npy file: the header, then the rows without the room between them. */
typedef struct array {
    cafe_matrix m;
    char header[CAFE_NPY_HEADER];
    int64_t header_size;
} array;

static void fill_array(const void *argument, int64_t from, int64_t to, char *bytes) {
    const array *a = argument;
    int64_t row = a->m.columns * (int64_t)sizeof(float), head = a->header_size;
    if (from < head) memcpy(bytes, a->header + from, (size_t)((to < head ? to : head) - from));
    for (int64_t at = from > head ? from : head; at < to;) {
        int64_t u = (at - head) / row, within = (at - head) % row;
        int64_t count = row - within < to - at ? row - within : to - at;
        const char *values = (const char *)cafe_matrix_row(&a->m, u);
        memcpy(bytes + (at - from), values + within, (size_t)count);
        at += count;
    }
}

/* Rows follow the header, written by the processes in any order. */
static cafe_status write_together(cafe_output *output, const cafe_matrix *m, const char *header,
                                  int64_t size) {
    cafe_context *context = output->context;
    cafe_status status = cafe_output_write(output, header, size);
    if (status == CAFE_OK && cafe_team_rank(context) == 0 && !output->temporary)
        status = cafe_fail(context, CAFE_ERROR_ARGUMENT,
                           "%s: is no file, and several processes write one: write .tsv instead",
                           output->path);
    cafe_phase(context, "write", 0);
    return m->put(m->source, status, output->temporary, size);
}

/* Returns the size of the file. */
static int64_t describe(const cafe_matrix *m, const uint64_t *digest, array *a) {
    int64_t shape[] = {m->rows, m->columns};
    a->m = *m;
    a->header_size = cafe_npy_header("<f4", 2, shape, digest, m->made, a->header);
    return a->header_size + m->rows * m->columns * (int64_t)sizeof(float);
}

static cafe_status write_npy(cafe_output *output, const cafe_matrix *m) {
    array a;
    int64_t size = describe(m, output->names ? &output->names->digest : NULL, &a);
    if (m->put) return write_together(output, m, a.header, a.header_size);
    if (output->image) return cafe_output_end_image(output, a.header, a.header_size);
    return cafe_output_image(output, size, fill_array, &a);
}

/* With a digest of the names, if available, that is as long as the right one. */
static cafe_status begin_npy(cafe_output *output, const cafe_matrix *m) {
    const uint64_t digest = 0;
    array *a = cafe_mem(output->context, 1, sizeof *a);
    if (!a) return CAFE_ERROR_MEMORY;
    int64_t size = describe(m, m->names->kind == CAFE_NAMES_INDEX ? NULL : &digest, a);
    return cafe_output_begin_image(output, size, fill_array, a);
}

/* With `at`, the caller has checked the rows of `values`: they were read, and did not change. */
static cafe_status check_rows(cafe_context *context, const cafe_matrix *m) {
    if (!m->values) return CAFE_OK;
    if (!m->at)
        return cafe_check_finite(context, "the vectors", m->rows, m->columns, m->stride, m->values);
    for (int64_t u = 0; u < m->rows; u++)
        if (m->at[u] < 0)
            CAFE_PASS(cafe_check_finite(context, "the vectors", 1, m->columns, m->columns,
                                        cafe_matrix_row(m, u)));
    return CAFE_OK;
}

/* ---- the formats ----------------------------------------------------------------------------- */

enum {
    style_npy = CAFE_TABLE_NAMED,
    style_tsv = CAFE_TABLE_NAMED,
    style_csv = CAFE_TABLE_COMMAS,
    style_txt = CAFE_TABLE_WORD2VEC
};

typedef struct vector_format {
    cafe_file_format file;
    cafe_table_style style; /* of the text that is read */
    cafe_status (*write)(cafe_output *output, const cafe_matrix *m);
} vector_format;

static const vector_format formats[] = {
#define ROW(name, endings, title, beside) \
    {{#name, endings, title, 1, beside}, (cafe_table_style)style_##name, write_##name},
    CAFE_VECTOR_FORMATS(ROW)};

const cafe_file_format *cafe_vector_format_at(int64_t index) {
    return index < (int64_t)(sizeof formats / sizeof *formats) ? &formats[index].file : NULL;
}

static const vector_format *format_of(const char *path, bool writes) {
    const cafe_file_format *file =
        cafe_file_format_of(CAFE_FILE_VECTORS, strcmp(path, "-") == 0 ? "-.tsv" : path, writes);
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (&formats[i].file == file) return &formats[i];
    return NULL;
}

cafe_status cafe_matrix_begin(cafe_context *context, const cafe_matrix *m, const char *path,
                              int32_t overwrite, cafe_output **begun) {
    const vector_format *format = format_of(path, true);
    cafe_output *output = *begun = NULL;
    if (!format || format->write != write_npy) return CAFE_OK;
    cafe_status status = cafe_output_create(context, path, overwrite, &output);
    if (status == CAFE_OK) status = begin_npy(output, m);
    if (status == CAFE_OK && output->image)
        *begun = output;
    else
        cafe_output_discard(output);
    return status == CAFE_ERROR_MEMORY ? status : CAFE_OK;
}

cafe_status cafe_matrix_write(cafe_context *context, const cafe_matrix *m, const char *path,
                              int32_t overwrite) {
    cafe_output *output = m->begun, *names = NULL;
    cafe_status status = CAFE_OK;
    const vector_format *format = format_of(path, true);
    if (!format) return cafe_fail_ending(context, CAFE_FILE_VECTORS, path, "vectors are");
    status = cafe_outputs_begin(context);
    if (status != CAFE_OK) {
        cafe_output_discard(output);
        return status;
    }
    CAFE_TRY(check_rows(context, m));
    if (!m->begun) CAFE_TRY(cafe_output_create(context, path, overwrite, &output));
    output->overwrite = overwrite != 0;
    bool beside = format->file.beside && output->temporary;
    if (beside) CAFE_TRY(cafe_names_write(context, m->names, m->rows, path, overwrite, &names));
    output->names = names && names->temporary ? names : NULL;
    CAFE_TRY(format->write(output, m));
    if (names) CAFE_TRY(cafe_output_commit(&names));
    status = cafe_output_commit(&output);
done:
    cafe_output_discard(names);
    cafe_output_discard(output);
    status = cafe_outputs_end(context, status);
    cafe_phase(context, "", 0);
    return status;
}

cafe_status cafe_vectors_write(cafe_context *context, const cafe_graph *graph, int64_t columns,
                               const float *vectors, const char *path, int32_t overwrite) {
    cafe_matrix m = cafe_matrix_of(cafe_graph_nodes(graph), columns, columns, vectors,
                                   cafe_graph_node_names(graph));
    return cafe_matrix_write(context, &m, path, overwrite);
}

/* ---- in -------------------------------------------------------------------------------------- */

static cafe_status fail_row(cafe_context *context, const cafe_table *t, int64_t row,
                            const char *expected, const char *name, const char *behind) {
    char place[32];
    cafe_print(place, sizeof place, t->first_line > 0 ? "%lld" : " row %lld",
               (long long)(t->first_line + row));
    return cafe_fail(context, CAFE_ERROR_FORMAT, "%s:%s: expected %s, found '%.100s'%s", t->name,
                     place, expected, name, behind);
}

/* node[i] of each row: each node has one. */
static cafe_status find_nodes(cafe_context *context, const cafe_table *t, const cafe_graph *graph,
                              char *name, int64_t room, uint8_t *met, int32_t *node) {
    cafe_status status = CAFE_OK;
    for (int64_t i = 0; i < t->rows && status == CAFE_OK; i++) {
        cafe_names_get(&t->row_names, i, name, (size_t)room);
        int64_t u = cafe_graph_find(graph, name);
        if (u < 0)
            status = fail_row(context, t, i, "the name of a node of the graph", name, "");
        else if (met[u]++)
            status = fail_row(context, t, i, "each node once", name, " again");
        else if (i % 65536 == 0)
            status = cafe_check_cancel(context);
        node[i] = (int32_t)u;
    }
    return status;
}

cafe_status cafe_table_place(cafe_context *context, const cafe_table *t, const cafe_graph *graph,
                             float *rows) {
    cafe_status status = CAFE_OK;
    int64_t columns = t->columns, room = cafe_names_longest(&t->row_names, t->rows) + 1;
    char *name = NULL;
    uint8_t *met = NULL;
    int32_t *node = NULL;
    if (t->rows != cafe_graph_nodes(graph))
        return cafe_fail(
            context, CAFE_ERROR_FORMAT,
            "%s: expected a row for each of %lld nodes, found %lld: is it of this graph?", t->name,
            (long long)cafe_graph_nodes(graph), (long long)t->rows);
    if (t->row_names.kind == CAFE_NAMES_INDEX) {
        memcpy(rows, t->values, (size_t)(t->rows * columns) * sizeof *rows);
        return CAFE_OK;
    }
    name = cafe_mem(context, room, 1);
    met = cafe_mem_zero(context, t->rows, 1);
    node = cafe_mem(context, t->rows, sizeof *node);
    if (!name || !met || !node) CAFE_TRY(CAFE_ERROR_MEMORY);
    CAFE_TRY(find_nodes(context, t, graph, name, room, met, node));
    for (int64_t i = 0; i < t->rows; i++)
        memcpy(rows + node[i] * columns, t->values + i * columns, (size_t)columns * sizeof *rows);
done:
    cafe_mem_free_all(context, name, met, node);
    return status;
}

static cafe_status read_placed(cafe_context *context, const cafe_graph *graph, const char *path,
                               cafe_table_style style, int64_t *columns, float **placed,
                               char *made) {
    cafe_status status = CAFE_OK;
    cafe_table *table = NULL;
    float *rows = NULL;
    *columns = 0;
    *placed = NULL;
    if (made) made[0] = 0;
    CAFE_TRY(cafe_table_read_as(
        context, path, style, style == CAFE_TABLE_LOOK ? cafe_graph_tables(graph) : NULL, &table));
    CAFE_TRY(cafe_table_take_ids(table, graph));
    if (table->row_names.kind == CAFE_NAMES_INDEX && table->rows == cafe_graph_nodes(graph)) {
        rows = table->values; /* in the order of the nodes already */
        table->values = NULL;
    } else {
        rows = cafe_mem(context, table->rows * table->columns, sizeof *rows);
        if (!rows) CAFE_TRY(CAFE_ERROR_MEMORY);
        CAFE_TRY(cafe_table_place(context, table, graph, rows));
    }
    if (made) memcpy(made, table->made, sizeof table->made);
    *columns = table->columns;
    *placed = rows;
    rows = NULL;
done:
    cafe_mem_free(context, rows);
    cafe_table_free(table);
    return status;
}

cafe_status cafe_vectors_read(cafe_context *context, const cafe_graph *graph, const char *path,
                              int64_t *columns, float **vectors, char *made) {
    const vector_format *format = format_of(path, false);
    return read_placed(context, graph, path, format ? format->style : CAFE_TABLE_NAMED, columns,
                       vectors, made);
}

cafe_status cafe_attributes_read(cafe_context *context, const cafe_graph *graph, const char *path,
                                 int64_t *columns, float **rows) {
    cafe_attribute_source source;
    *rows = NULL;
    CAFE_PASS(cafe_attribute_source_find(context, graph, path, &source));
    if (source.count > 0) return cafe_attribute_rows(context, graph, &source, columns, rows);
    return read_placed(context, graph, path, CAFE_TABLE_LOOK, columns, rows, NULL);
}

void cafe_block_free(cafe_context *context, float *values) {
    cafe_mem_free(context, values);
}
