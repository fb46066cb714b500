/* cafe_graph_read: finds out the format and calls its reader. Content tells before names do. */
#include "io/read.h"
#include "base/option.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "io/edge_list.h"
#include "io/gzip.h"

static bool ends_with(const char *name, size_t length, const char *ending) {
    size_t n = strlen(ending);
    return length > n && strncasecmp(name + length - n, ending, n) == 0;
}

cafe_format cafe_format_of_name(const char *name) {
    static const struct {
        const char *ending;
        cafe_format format;
    } known[] = {
        {".mtx", CAFE_FORMAT_MTX},     {".graph", CAFE_FORMAT_METIS}, {".metis", CAFE_FORMAT_METIS},
        {".npz", CAFE_FORMAT_NPZ},     {".cafe", CAFE_FORMAT_CAFE},   {".txt", CAFE_FORMAT_EDGES},
        {".edges", CAFE_FORMAT_EDGES}, {".tsv", CAFE_FORMAT_EDGES},   {".csv", CAFE_FORMAT_EDGES}};
    size_t length = strlen(name);
    if (ends_with(name, length, ".gz")) length -= 3;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (ends_with(name, length, known[i].ending)) return known[i].format;
    return CAFE_FORMAT_AUTO;
}

static bool starts_with(const uint8_t *bytes, int64_t size, const char *text) {
    size_t n = strlen(text);
    return size >= (int64_t)n && strncasecmp((const char *)bytes, text, n) == 0;
}

static cafe_format format_of_content(const uint8_t *bytes, int64_t size) {
    if (cafe_is_binary(bytes, size)) return CAFE_FORMAT_CAFE;
    if (starts_with(bytes, size, "%%MatrixMarket")) return CAFE_FORMAT_MTX;
    if (size >= 4 && memcmp(bytes, "PK\3\4", 4) == 0) return CAFE_FORMAT_NPZ;
    return CAFE_FORMAT_AUTO;
}

/* The first bytes of the text, decompressed when need be. */
static cafe_status peek(const cafe_input *input, uint8_t *bytes, int64_t *size) {
    cafe_context *context = input->context;
    int64_t room = *size;
    *size = input->size < room ? input->size : room;
    if (*size > 0) memcpy(bytes, input->bytes, (size_t)*size);
    if (!cafe_is_gzip(input->bytes, input->size)) return CAFE_OK;
    cafe_gunzip *gunzip = cafe_gunzip_create(context, input->bytes, input->size);
    if (!gunzip) return CAFE_ERROR_MEMORY;
    *size = cafe_gunzip_fill(gunzip, bytes, room);
    cafe_gunzip_free(context, gunzip);
    return CAFE_OK;
}

static cafe_status detect(const cafe_input *input, const cafe_graph_options *options,
                          cafe_format *format) {
    uint8_t start[64];
    int64_t size = sizeof start;
    *format = (cafe_format)options->format;
    if (*format != CAFE_FORMAT_AUTO) return CAFE_OK;
    cafe_status status = peek(input, start, &size);
    if (status != CAFE_OK) return status;
    *format = format_of_content(start, size);
    if (*format == CAFE_FORMAT_AUTO) *format = cafe_format_of_name(input->name);
    if (*format == CAFE_FORMAT_AUTO) *format = CAFE_FORMAT_EDGES;
    return CAFE_OK;
}

cafe_status cafe_check_nodes(cafe_context *context, const char *name, int64_t stated,
                             const cafe_graph_options *options) {
    if (options->nodes == 0 || options->nodes == stated) return CAFE_OK;
    return cafe_fail(context, CAFE_ERROR_FORMAT,
                     "%s: expected %lld nodes, as the option nodes says, found %lld", name,
                     (long long)options->nodes, (long long)stated);
}

/* Directions are known of links alone, not of rows that are symmetric or symmetrised on the way. */
static cafe_status check_directed(const cafe_input *input, const cafe_graph_options *options,
                                  cafe_format format) {
    if (options->directed == CAFE_DIRECTED_NO || format == CAFE_FORMAT_EDGES ||
        format == CAFE_FORMAT_MTX)
        return CAFE_OK;
    return cafe_fail(input->context, CAFE_ERROR_FORMAT,
                     "%s: expected an edge list or a general Matrix Market file, as the option "
                     "directed says, found another format",
                     input->name);
}

/* Options were checked before, so an argument that the graph's builder refuses (weights that add up
 * to more than a float holds) is the file's fault. */
static cafe_status blame_file(const cafe_input *input, cafe_status status) {
    char text[512];
    if (status != CAFE_ERROR_ARGUMENT) return status;
    snprintf(text, sizeof text, "%s", cafe_error(input->context));
    return cafe_fail(input->context, CAFE_ERROR_FORMAT, "%s: %s", input->name, text);
}

/* Reads the input, whatever it is, and closes it. */
static cafe_status read_input(cafe_input *input, const cafe_graph_options *options,
                              cafe_graph **graph) {
    cafe_context *context = input->context;
    cafe_format format;
    cafe_status status = CAFE_OK;
    if (input->size == 0)
        CAFE_TRY(cafe_fail(context, CAFE_ERROR_FORMAT,
                           "%s:1:1: expected a graph, found the end of the file (it is empty)",
                           input->name));
    CAFE_TRY(detect(input, options, &format));
    CAFE_TRY(check_directed(input, options, format));
    bool binary = format == CAFE_FORMAT_NPZ || format == CAFE_FORMAT_CAFE;
    if (binary && cafe_is_gzip(input->bytes, input->size)) CAFE_TRY(cafe_input_expand(input));
    switch (format) {
        case CAFE_FORMAT_MTX: status = cafe_read_mtx(input, options, graph); break;
        case CAFE_FORMAT_METIS: status = cafe_read_metis(input, options, graph); break;
        case CAFE_FORMAT_NPZ: status = cafe_read_npz(input, options, graph); break;
        case CAFE_FORMAT_CAFE: status = cafe_read_binary(input, options, graph); break;
        default: status = cafe_read_edges(input, options, graph); break;
    }
    status = blame_file(input, status);
done:
    cafe_input_close(input);
    cafe_phase(context, "", 0);
    return status;
}

static cafe_status settle(cafe_context *context, const cafe_graph_options *given,
                          cafe_graph_options *options) {
    cafe_status status = cafe_options_take(context, cafe_graph_option_table(), given, options);
    if (status == CAFE_OK && options->nodes > CAFE_MOST_NODES)
        return cafe_fail(context, CAFE_ERROR_ARGUMENT, "nodes: expected at most %d, found %lld",
                         CAFE_MOST_NODES, (long long)options->nodes);
    return status;
}

cafe_status cafe_graph_read_input(cafe_input *input, const cafe_graph_options *options,
                                  cafe_graph **graph) {
    cafe_graph_options settled;
    *graph = NULL;
    cafe_status status = settle(input->context, options, &settled);
    if (status == CAFE_OK) return read_input(input, &settled, graph);
    cafe_input_close(input);
    return status;
}

cafe_status cafe_graph_read(cafe_context *context, const char *path,
                            const cafe_graph_options *options, cafe_graph **graph) {
    cafe_input input;
    *graph = NULL;
    cafe_status status = cafe_input_open(context, path, &input);
    return status == CAFE_OK ? cafe_graph_read_input(&input, options, graph) : status;
}
