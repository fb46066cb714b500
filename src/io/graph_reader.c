/* cafe_graph_read: finds the format, by content first, then by name, and calls its reader. */
#include "io/graph_reader.h"
#include "base/option.h"

#include <string.h>

#include <cafe-private/inputs.h>

#include "base/processes.h"
#include "graph/builder.h"
#include "graph/edge_choice.h"
#include "graph/graph.h"
#include "graph/node_order.h"
#include "io/file_list.h"
#include "io/format_registry.h"
#include "io/layer_file.h"
#include "io/name_format.h"

/* A line may state so many nodes, and so many more for each edge. */
enum { SPARE_NODES = 1 << 20, NODES_PER_EDGE = 64 };

/* Refuses known formats without a reader by their names. */
static cafe_status refuse_others(const cafe_input *input, const uint8_t *bytes, int64_t size) {
    static const char edges[] =
        "if it is an edge list all the same, give " CAFE_OPT("format=edges");
    static const struct {
        const char *start, *title, *advice;
    } others[] = {{"<", "XML or HTML of another kind", edges},
                  {"[", "a list of JSON, which has no nodes", edges},
                  {"%PDF", "a PDF", "it has no graph"},
                  {"\x93NUMPY", "a NumPy array", "cafe points can make a graph of it"}};
    char endings[256];
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        size_t length = strlen(others[i].start);
        if (size < (int64_t)length || !cafe_same_word((const char *)bytes, others[i].start, length))
            continue;
        cafe_file_endings(CAFE_FILE_GRAPH, 0, endings, sizeof endings);
        return cafe_fail(input->context, CAFE_ERROR_FORMAT,
                         "%s:1:1: expected a graph in one of the formats %s, found %s (%s)",
                         input->name, endings, others[i].title, others[i].advice);
    }
    return CAFE_OK;
}

static cafe_status detect(const cafe_input *input, const cafe_graph_options *options,
                          cafe_format *format) {
    uint8_t bytes[1024], *start = bytes;
    int64_t size = sizeof bytes;
    *format = (cafe_format)options->format;
    if (*format != CAFE_FORMAT_AUTO) return CAFE_OK;
    CAFE_PASS(cafe_input_peek(input, bytes, &size));
    if (size >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0) start += 3, size -= 3;
    *format = cafe_format_of_content(start, size);
    if (*format == CAFE_FORMAT_AUTO) *format = cafe_format_of_name(input->name, false);
    if (*format != CAFE_FORMAT_AUTO && *format != CAFE_FORMAT_EDGES) return CAFE_OK;
    *format = CAFE_FORMAT_EDGES;
    return refuse_others(input, start, size);
}

cafe_status cafe_check_nodes(cafe_context *context, const char *name, int64_t stated,
                             const cafe_graph_options *options) {
    if (options->nodes == 0 || options->nodes == stated) return CAFE_OK;
    return cafe_fail(context, CAFE_ERROR_FORMAT,
                     "%s: expected %lld nodes, as the option nodes says, found %lld", name,
                     (long long)options->nodes, (long long)stated);
}

bool cafe_is_spread(int64_t nodes, int64_t edges, const cafe_graph_options *options) {
    return options->nodes != nodes && (nodes - SPARE_NODES) / NODES_PER_EDGE > edges;
}

cafe_status cafe_check_spread(cafe_context *context, const cafe_place *line, int64_t nodes,
                              int64_t edges, const cafe_graph_options *options) {
    if (!cafe_is_spread(nodes, edges, options)) return CAFE_OK;
    return cafe_fail_at(context, line,
                        "fewer nodes for %lld edges (" CAFE_OPT(
                            "nodes=%lld") " keeps them all; in an edge list ids may be far apart)",
                        (long long)edges, (long long)nodes);
}

/* Directions are known of edges alone, not of rows that are symmetric or symmetrised on the way. */
static cafe_status check_directed(const cafe_input *input, const cafe_graph_options *options,
                                  cafe_format format) {
    if (options->directed == CAFE_DIRECTED_NO || cafe_graph_format_get(format)->directed)
        return CAFE_OK;
    return cafe_fail(
        input->context, CAFE_ERROR_FORMAT,
        "%s: expected a format that has directions, as the option directed says, found %s",
        input->name, cafe_file_format_at(CAFE_FILE_GRAPH, format - 1)->title);
}

/* Options of columns need an edge list, weights by name also formats with attributes of edges, and
 * trust a .cafe file. */
static cafe_status check_kind(const cafe_input *input, const cafe_graph_options *options,
                              cafe_format format) {
    const cafe_option_table *table = cafe_graph_option_table();
    cafe_context *context = input->context;
    if (format != CAFE_FORMAT_EDGES && input->more_count > 0)
        return cafe_fail(context, CAFE_ERROR_FORMAT,
                         "%s: expected an edge list, as every file of several is, found %s",
                         input->name, cafe_file_format_at(CAFE_FILE_GRAPH, format - 1)->title);
    bool marked = cafe_graph_format_get(format)->attributes;
    if (format != CAFE_FORMAT_EDGES)
        CAFE_PASS(cafe_options_idle(
            context, table, options,
            options->beside ? "bipartite" : "source|target|header|delimiter|decimal|bipartite",
            "edge lists, which this file is not"));
    if (options->bipartite)
        CAFE_PASS(cafe_options_idle(context, table, options, "nodes",
                                    "ids of one kind of nodes, without " CAFE_OPT("bipartite")));
    if (format != CAFE_FORMAT_EDGES && !marked)
        CAFE_PASS(cafe_options_idle(context, table, options, "weight",
                                    "edge lists and formats with attributes of edges, which this "
                                    "file is not"));
    if (format != CAFE_FORMAT_EDGES)
        CAFE_PASS(cafe_options_idle(context, table, options, "signed",
                                    "edge lists, which this file is not"));
    if (!marked)
        CAFE_PASS(cafe_options_idle(context, table, options, "name",
                                    "formats with attributes of nodes, such as GraphML, which this "
                                    "file is not"));
    if (format == CAFE_FORMAT_CAFE) return CAFE_OK;
    return cafe_options_idle(context, table, options, "trust", ".cafe files");
}

/* Refuses formats and options that several processes cannot read together: none of them must hold
 * the whole graph. */
static cafe_status check_team(const cafe_input *input, const cafe_graph_options *options,
                              cafe_format format) {
    if (cafe_team_ranks(input->context) > 1 && (cafe_chooses_edges(options) || options->bipartite))
        return cafe_fail(input->context, CAFE_ERROR_ARGUMENT,
                         CAFE_OPT("bipartite") ", " CAFE_OPT("min-weight") ", " CAFE_OPT("max-weight") ", " CAFE_OPT(
                             "weight-transform") " and " CAFE_OPT("top-edges") " need one process: "
                         "convert the file to .cafe with them first");
    if (cafe_team_ranks(input->context) > 1 && input->more_count > 0)
        return cafe_fail(input->context, CAFE_ERROR_ARGUMENT,
                         "%s: several files need one process: convert them to .cafe first",
                         input->name);
    bool mapped = format == CAFE_FORMAT_CAFE && input->open && !cafe_input_is_gzip(input);
    if (cafe_team_ranks(input->context) == 1 || format == CAFE_FORMAT_EDGES || mapped)
        return CAFE_OK;
    return cafe_fail(input->context, CAFE_ERROR_FORMAT,
                     "%s: expected a .cafe file or an edge list, which several processes can read "
                     "together, found %s: convert it to .cafe by one process first",
                     input->name,
                     format == CAFE_FORMAT_CAFE
                         ? "a .cafe file that is compressed or a stream"
                         : cafe_file_format_at(CAFE_FILE_GRAPH, format - 1)->title);
}

/* Reads the graph. Text that is refused may be of another encoding than UTF-8, or have line breaks
 * in cells: then it is read again. Formats that take any bytes as text, and have no encoding of
 * their own, are looked at before. */
static cafe_status read_decoded(cafe_input *input, const cafe_graph_format *found,
                                const cafe_graph_options *options, cafe_graph **graph) {
    bool alone = cafe_team_ranks(input->context) == 1, plain = !found->binary && !found->encoded;
    bool before = plain && alone && (found->whole || found->attributes);
    if (before) CAFE_PASS(cafe_input_decode(input, true));
    cafe_status status = found->read(input, options, graph);
    while (status == CAFE_ERROR_FORMAT && !before && plain && alone && cafe_input_mend(input)) {
        cafe_graph_free(*graph);
        *graph = NULL;
        status = found->read(input, options, graph);
    }
    return status;
}

/* Readers that have more to say did so themselves. */
static cafe_status note_format(const cafe_input *input, cafe_format format, cafe_graph *graph) {
    char warning[160];
    cafe_graph_reading reading = *cafe_graph_get_reading(graph);
    bool known = reading.text != NULL;
    bool guessed = input->encoding && strcmp(input->encoding, "UTF-16") != 0;
    if (known && (!guessed || (reading.warning && *reading.warning))) return CAFE_OK;
    if (!known) reading.format = (int32_t)format, reading.weight = -1;
    if (guessed) {
        cafe_print(warning, sizeof warning, "the file is no UTF-8, and is read as %s",
                   input->encoding);
        reading.warning = warning;
    }
    return cafe_graph_set_reading(graph, &reading);
}

/* Reads an input of any format and closes it; *format gets the format. */
static cafe_status read_input(cafe_input *input, const cafe_graph_options *options,
                              cafe_format *format, cafe_graph **graph) {
    cafe_context *context = input->context;
    cafe_status status = CAFE_OK;
    if (input->size == 0)
        CAFE_TRY(cafe_fail(context, CAFE_ERROR_FORMAT,
                           "%s:1:1: expected a graph, found nothing: the file is empty",
                           input->name));
    CAFE_TRY(cafe_input_decode(input, false));
    CAFE_TRY(detect(input, options, format));
    const cafe_graph_format *found = cafe_graph_format_get(*format);
    CAFE_TRY(check_directed(input, options, *format));
    CAFE_TRY(check_kind(input, options, *format));
    CAFE_TRY(check_team(input, options, *format));
    if ((found->binary || found->whole) && cafe_input_is_gzip(input))
        CAFE_TRY(cafe_input_expand(input));
    if (found->whole) CAFE_TRY(cafe_input_load(input));
    status = read_decoded(input, found, options, graph);
    if (status == CAFE_OK) status = note_format(input, *format, *graph);
    if (status == CAFE_OK) (*graph)->reading.files = 1 + input->more_count;
    if (status == CAFE_OK) status = cafe_graph_arrange(context, options, graph);
    status = cafe_blame_file(context, input->name, status);
    if (cafe_input_unchanged(input) != CAFE_OK) status = CAFE_ERROR_IO; /* whatever came of it */
    if (status == CAFE_OK) goto done;
    cafe_graph_free(*graph);
    *graph = NULL;
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
    return status == CAFE_OK ? cafe_check_choice(context, options) : status;
}

static cafe_status read_settled(cafe_input *input, const cafe_graph_options *options,
                                cafe_format *format, cafe_graph **graph) {
    cafe_graph_options settled;
    *graph = NULL;
    cafe_status status = settle(input->context, options, &settled);
    if (status == CAFE_OK) return read_input(input, &settled, format, graph);
    cafe_input_close(input);
    return status;
}

cafe_status cafe_graph_read_input(cafe_input *input, const cafe_graph_options *options,
                                  cafe_graph **graph) {
    return read_settled(input, options, &(cafe_format){CAFE_FORMAT_AUTO}, graph);
}

/* Matrices have no names: a file of names beside the matrix restores them. */
static cafe_status add_names(cafe_context *context, const char *path, cafe_format format,
                             const uint64_t *digest, cafe_graph **graph) {
    bool beside = cafe_file_format_at(CAFE_FILE_GRAPH, format - 1)->beside;
    if (!beside || strcmp(path, "-") == 0) return CAFE_OK;
    cafe_status status = cafe_graph_read_names(context, path, digest, *graph);
    if (status != CAFE_OK) {
        cafe_graph_free(*graph);
        *graph = NULL;
    }
    return status;
}

/* The checksum of the names that a matrix was written with, in its second line; false: it has none.
 */
static cafe_status find_names(const cafe_input *input, bool *named, uint64_t *digest) {
    static const char mark[] = "\n" CAFE_NAMES_MARK;
    char start[256];
    int64_t size = sizeof start - 1;
    CAFE_PASS(cafe_input_peek(input, (uint8_t *)start, &size));
    start[size] = 0;
    const char *line = strchr(start, '\n');
    *named = line && strncmp(line, mark, sizeof mark - 1) == 0 &&
             cafe_names_digest(line + sizeof mark - 1, digest);
    return CAFE_OK;
}

/* Reads the files of a list as one; the names of a matrix are beside its only file. */
static cafe_status read_list(cafe_context *context, const cafe_file_list *list,
                             const cafe_graph_options *options, cafe_graph **graph) {
    cafe_input input;
    bool named = false;
    uint64_t digest = 0;
    cafe_format format = CAFE_FORMAT_AUTO;
    cafe_status status = cafe_team_agree(context, cafe_input_open(context, list->path[0], &input));
    if (status != CAFE_OK) {
        cafe_input_close(&input); /* where it could be opened */
        return status;
    }
    input.more = (const char *const *)list->path + 1;
    input.more_count = list->count - 1;
    status = cafe_team_agree(context, find_names(&input, &named, &digest));
    if (status != CAFE_OK) {
        cafe_input_close(&input);
        return status;
    }
    CAFE_PASS(read_settled(&input, options, &format, graph));
    return add_names(context, list->path[0], format, named ? &digest : NULL, graph);
}

static cafe_status read_files(cafe_context *context, const cafe_file_list *list,
                              const cafe_graph_options *options, cafe_graph **graph) {
    return cafe_asks_layers(options) ? cafe_layers_read(context, list, options, graph)
                                     : read_list(context, list, options, graph);
}

/* Layers, slices and signs: graphs of sums are whole in each of several processes, and each reads
 * them as if it were alone. */
static cafe_status read_whole(cafe_context *context, const cafe_file_list *list,
                              const cafe_graph_options *options, cafe_graph **graph) {
    const struct cafe_team *team = context->team;
    cafe_status status = CAFE_OK;
    for (int64_t i = 0; i < list->count && status == CAFE_OK; i++)
        if (strcmp(list->path[i], "-") == 0)
            status = cafe_fail(context, CAFE_ERROR_ARGUMENT,
                               "several processes cannot read standard input");
    context->team = NULL;
    if (status == CAFE_OK) status = read_files(context, list, options, graph);
    context->team = team;
    status = cafe_team_agree(context, status);
    if (status == CAFE_OK) return CAFE_OK;
    cafe_graph_free(*graph);
    *graph = NULL;
    return status;
}

cafe_status cafe_graph_read(cafe_context *context, const char *path,
                            const cafe_graph_options *options, cafe_graph **graph) {
    cafe_file_list list;
    cafe_graph_options own;
    *graph = NULL;
    cafe_status status = cafe_options_take(context, cafe_graph_option_table(), options, &own);
    if (status != CAFE_OK) return cafe_team_agree(context, status);
    status = cafe_team_agree(context, cafe_file_list_make(context, path, &own, &list));
    if (status == CAFE_OK) status = cafe_layers_check(context, &own);
    bool whole = cafe_team_ranks(context) > 1 && (cafe_asks_layers(&own) || own.with_signs);
    if (status == CAFE_OK) status = (whole ? read_whole : read_files)(context, &list, &own, graph);
    cafe_file_list_free(&list);
    return status;
}
