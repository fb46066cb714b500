/* Partitions into files: a heading, then a line per node with its name as a field and its
 * community. A comma separates them in a .csv file, a tab in any other. After trials two columns
 * follow: how often the node stays in its community, and its community in the consensus. */
#include <stdbool.h>
#include <string.h>

#include <cafe-private/inputs.h>

#include "base/memory.h"
#include "base/print.h"
#include "io/graph_writer.h"
#include "io/gzip_write.h"
#include "io/output_file.h"

enum { BUFFER = 1 << 16, NUMBER = 16, COLUMNS = 3 };

/* The name of the column of nodes: one that no node of the graph has. */
static const char *heading_node(const cafe_graph *graph) {
    static const char *const words[] = {"node", "name", "id", "vertex", "node_id", "node name"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (cafe_graph_find(graph, words[i]) < 0) return words[i];
    return words[0];
}

static char separator_of(const char *path) {
    const char *end = path + strlen(path) - (cafe_is_gzip_name(path) ? strlen(".gz") : 0);
    return end - path >= 4 && cafe_same_word(end - 4, ".csv", 4) ? ',' : '\t';
}

/* Writes the separator and the number. */
static char *put_community(char *at, char separator, int32_t community) {
    char digits[NUMBER], *first = digits + NUMBER;
    do {
        *--first = (char)('0' + community % 10);
        community /= 10;
    } while (community > 0);
    *at++ = separator;
    while (first < digits + NUMBER) *at++ = *first++;
    return at;
}

/* Writes what stands behind the name of a node. */
static char *put_columns(char *at, char separator, const cafe_partition_columns *c, int64_t u) {
    at = put_community(at, separator, c->partition[u]);
    if (c->consensus) {
        at += cafe_print(at, NUMBER, "%c%.4g", separator, (double)c->stay[u]);
        at = put_community(at, separator, c->consensus[u]);
    }
    *at++ = '\n';
    return at;
}

static cafe_status write_heading(cafe_output *output, const cafe_graph *graph, bool trials,
                                 char separator) {
    char line[64];
    if (output->context->no_headings) return CAFE_OK;
    int length = cafe_print(line, sizeof line, "%s%ccommunity", heading_node(graph), separator);
    if (trials)
        length += cafe_print(line + length, sizeof line - (size_t)length, "%cstay%cconsensus",
                             separator, separator);
    line[length] = '\n';
    return cafe_output_write(output, line, length + 1);
}

/* Lines gather in `text` until the next one might not fit. */
static cafe_status write_lines(cafe_output *output, const cafe_graph *graph,
                               const cafe_partition_columns *columns, char separator,
                               int64_t capacity, char *text) {
    char *at = text;
    for (int64_t u = 0, n = cafe_graph_nodes(graph); u < n; u++) {
        int64_t length = (int64_t)cafe_graph_field(graph, u, &(char){0}, 1) + COLUMNS * NUMBER + 1;
        if (length > capacity - (at - text)) {
            CAFE_PASS(cafe_check_cancel(output->context));
            CAFE_PASS(cafe_output_write(output, text, at - text));
            at = text;
        }
        at += cafe_graph_field(graph, u, at, (size_t)(capacity - (at - text)));
        at = put_columns(at, separator, columns, u);
    }
    return cafe_output_write(output, text, at - text);
}

static int64_t longest_line(const cafe_graph *graph) {
    int64_t longest = 0;
    for (int64_t u = 0, n = cafe_graph_nodes(graph); u < n; u++) {
        int64_t length = (int64_t)cafe_graph_field(graph, u, &(char){0}, 1);
        if (length > longest) longest = length;
    }
    return longest + COLUMNS * NUMBER + 1;
}

cafe_status cafe_partition_write(cafe_context *context, const cafe_graph *graph,
                                 const cafe_partition_columns *columns, const char *path,
                                 int32_t overwrite) {
    int64_t capacity = longest_line(graph);
    if (capacity < BUFFER) capacity = BUFFER;
    cafe_status status = CAFE_OK;
    cafe_output *output = NULL;
    char *text = cafe_mem(context, capacity, 1);
    CAFE_TRY(text ? CAFE_OK : CAFE_ERROR_MEMORY);
    CAFE_TRY(cafe_output_create(context, path, overwrite, &output));
    CAFE_TRY(write_heading(output, graph, columns->consensus != NULL, separator_of(path)));
    CAFE_TRY(write_lines(output, graph, columns, separator_of(path), capacity, text));
    CAFE_TRY(cafe_output_commit(&output));
done:
    cafe_output_discard(output);
    cafe_mem_free(context, text);
    return status;
}
