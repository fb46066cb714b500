/* The writers of vectors: .npy, tab-separated text, word2vec text. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include <cafe/embedding.h>

#include "base/pool.h"
#include "io/digits.h"
#include "io/names.h"
#include "io/npy.h"
#include "io/place.h"

static const int64_t block_bytes = (int64_t)1 << 20;

typedef struct writing {
    const cafe_embedding *embedding;
    const cafe_graph *graph;
    cafe_vector_format format;
    int64_t nodes, columns, rows; /* rows: per block */
} writing;

static int64_t format_rows(const void *argument, int64_t block, char *text) {
    const writing *w = argument;
    char *p = text, separator = w->format == CAFE_VECTORS_TSV ? '\t' : ' ';
    int64_t end = cafe_block_end(w->nodes, w->rows, block);
    for (int64_t u = block * w->rows; u < end; u++) {
        const float *row = cafe_embedding_row(w->embedding, u);
        p = w->format == CAFE_VECTORS_TSV ? cafe_put_cell(w->graph, u, p)
                                          : cafe_put_name(w->graph, u, p);
        for (int64_t j = 0; j < w->columns; j++) {
            *p++ = separator;
            p = cafe_put_float(p, row[j]);
        }
        *p++ = '\n';
    }
    return p - text;
}

static int64_t copy_rows(const void *argument, int64_t block, char *text) {
    const writing *w = argument;
    int64_t start = block * w->rows, end = cafe_block_end(w->nodes, w->rows, block);
    size_t bytes = (size_t)w->columns * sizeof(float);
    for (int64_t u = start; u < end; u++)
        memcpy(text + (size_t)(u - start) * bytes, cafe_embedding_row(w->embedding, u), bytes);
    return (end - start) * (int64_t)bytes;
}

static cafe_status write_rows(cafe_output *output, writing *w, int64_t row_bytes,
                              cafe_output_format *format) {
    w->rows = block_bytes / (row_bytes > 0 ? row_bytes : 1) + 1;
    cafe_phase(output->context, "write", cafe_blocks(w->nodes, w->rows));
    return cafe_output_blocks(output, cafe_blocks(w->nodes, w->rows), w->rows * row_bytes, format,
                              w);
}

/* Readers of word2vec text split at blanks, so a name must not have any. */
static cafe_status refuse_blanks(cafe_context *context, const writing *w) {
    const cafe_names *names = &w->graph->names;
    if (names->kind != CAFE_NAMES_STRING) return CAFE_OK;
    for (int64_t u = 0; u < w->nodes; u++) {
        const char *name = names->text + names->start[u];
        size_t length = (size_t)(names->start[u + 1] - names->start[u]);
        char shown[164];
        if (!memchr(name, ' ', length) && !memchr(name, '\t', length)) continue;
        cafe_escape((const uint8_t *)name, (int64_t)length, 40, shown);
        return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                         "the name '%s' has a blank in it, which word2vec text cannot hold: write "
                         ".tsv or .npy",
                         shown);
    }
    return CAFE_OK;
}

static cafe_status write_text(cafe_output *output, writing *w) {
    cafe_status status = CAFE_OK;
    if (w->format == CAFE_VECTORS_TEXT) {
        char line[64];
        int length =
            snprintf(line, sizeof line, "%lld %lld\n", (long long)w->nodes, (long long)w->columns);
        CAFE_TRY(refuse_blanks(output->context, w));
        CAFE_TRY(cafe_output_write(output, line, length));
    }
    int64_t row = cafe_names_longest(w->graph) + w->columns * (1 + CAFE_FLOAT_TEXT) + 1;
    status = write_rows(output, w, row, format_rows);
done:
    return status;
}

static cafe_status write_npy(cafe_output *output, writing *w) {
    char header[128];
    int length = cafe_npy_header(w->nodes, w->columns, header);
    cafe_status status = cafe_output_write(output, header, length);
    if (status != CAFE_OK) return status;
    return write_rows(output, w, w->columns * (int64_t)sizeof(float), copy_rows);
}

static bool ends_with(const char *path, const char *ending) {
    size_t length = strlen(path), n = strlen(ending);
    return length > n && strcasecmp(path + length - n, ending) == 0;
}

static cafe_status settle_format(cafe_context *context, const char *path,
                                 cafe_vector_format *format) {
    bool standard = strcmp(path, "-") == 0;
    if (*format == CAFE_VECTORS_AUTO)
        *format = ends_with(path, ".npy")               ? CAFE_VECTORS_NPY
                  : ends_with(path, ".tsv") || standard ? CAFE_VECTORS_TSV
                  : ends_with(path, ".txt")             ? CAFE_VECTORS_TEXT
                                                        : CAFE_VECTORS_AUTO;
    if (*format == CAFE_VECTORS_AUTO)
        return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                         "%s: vectors are written as .npy, .tsv or .txt", path);
    if (*format == CAFE_VECTORS_NPY && standard)
        return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                         "a .npy file is not written to standard output");
    return CAFE_OK;
}

cafe_status cafe_embedding_write(cafe_context *context, const cafe_embedding *embedding,
                                 const cafe_graph *graph, const char *path,
                                 cafe_vector_format format, int32_t overwrite) {
    writing w = {.embedding = embedding, .graph = graph};
    cafe_output output = {.fd = -1}, names = {.fd = -1};
    cafe_status status = CAFE_OK;
    w.nodes = cafe_embedding_nodes(embedding);
    w.columns = cafe_embedding_columns(embedding);
    if (w.nodes != graph->n)
        return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                         "the vectors are of %lld nodes and the graph has %lld", (long long)w.nodes,
                         (long long)graph->n);
    CAFE_TRY(settle_format(context, path, &format));
    w.format = format;
    CAFE_TRY(cafe_output_open(context, path, overwrite != 0, &output));
    bool beside = format == CAFE_VECTORS_NPY && output.temporary;
    if (beside) CAFE_TRY(cafe_names_write(context, graph, path, overwrite != 0, &names));
    CAFE_TRY(format == CAFE_VECTORS_NPY ? write_npy(&output, &w) : write_text(&output, &w));
    if (beside) CAFE_TRY(cafe_names_commit(context, path, &names));
    status = cafe_output_commit(&output);
done:
    cafe_output_discard(&names);
    cafe_output_discard(&output);
    cafe_phase(context, "", 0);
    return status;
}
