/* Names for nodes: from an array, from the rows of a table, or from the file beside a matrix. */
#include <string.h>

#include <cafe-private/inputs.h>
#include <cafe/files.h>

#include "base/memory.h"
#include "graph/graph.h"
#include "io/digits.h"
#include "io/name_format.h"
#include "io/scanners.h"
#include "io/table.h"
#include "io/text_window.h"

/* Checks that a look-up of each name finds its own node. */
static cafe_status check_names(cafe_context *context, const cafe_graph *graph) {
    cafe_status status = CAFE_OK;
    int64_t room = 0;
    char *text = NULL;
    for (int64_t u = 0; u < graph->n && status == CAFE_OK; u++) {
        int64_t length = graph->names.start[u + 1] - graph->names.start[u];
        CAFE_TRY(cafe_mem_grow(context, &text, &room, length + 1, 1));
        cafe_graph_name(graph, u, text, (size_t)room);
        int64_t first = cafe_graph_find(graph, text);
        if (!atomic_load(&graph->index)) /* comparing one by one takes too long */
            status = CAFE_ERROR_MEMORY;
        else if (first != u)
            status = cafe_fail(context, CAFE_ERROR_FORMAT,
                               "rows %lld and %lld: expected names that differ, found '%.100s' "
                               "twice",
                               (long long)first, (long long)u, text);
        else if (u % 65536 == 0)
            status = cafe_check_cancel(context);
    }
done:
    cafe_mem_free(context, text);
    return status;
}

/* The names become the graph's, whatever comes of it. */
static cafe_status take_names(cafe_context *context, cafe_graph *graph, int64_t *start,
                              char *text) {
    cafe_graph_adopt_names(graph,
                           (cafe_names){.kind = CAFE_NAMES_STRING, .start = start, .text = text});
    cafe_status status = check_names(context, graph);
    if (status == CAFE_OK) return status;
    cafe_mem_free(context, atomic_exchange(&graph->index, NULL));
    cafe_names_free(context, &graph->names);
    return status;
}

static cafe_status allocate(cafe_context *context, int64_t n, int64_t bytes, int64_t **start,
                            char **text) {
    *start = cafe_mem(context, n + 1, sizeof **start);
    *text = *start ? cafe_mem(context, bytes, 1) : NULL;
    if (*text) return CAFE_OK;
    cafe_mem_free(context, *start);
    return CAFE_ERROR_MEMORY;
}

cafe_status cafe_graph_name_rows(cafe_context *context, cafe_graph *graph,
                                 const cafe_table *table) {
    const cafe_names *given = &table->row_names;
    int64_t n = graph->n, *start;
    char *text;
    if (n != table->rows)
        return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                         "a graph of %lld nodes cannot take the names of %lld rows", (long long)n,
                         (long long)table->rows);
    if (given->kind != CAFE_NAMES_STRING || graph->names.kind != CAFE_NAMES_INDEX) return CAFE_OK;
    for (int64_t u = 0; u < n; u++)
        if (!cafe_is_name(given->text + given->start[u], given->start[u + 1] - given->start[u]))
            return cafe_fail(context, CAFE_ERROR_FORMAT,
                             "row %lld: expected a name of 1 to %d bytes for its node",
                             (long long)u, CAFE_LONGEST_NAME);
    CAFE_PASS(allocate(context, n, given->start[n], &start, &text));
    memcpy(start, given->start, (size_t)(n + 1) * sizeof *start);
    memcpy(text, given->text, (size_t)given->start[n]);
    return take_names(context, graph, start, text);
}

cafe_status cafe_graph_set_names(cafe_context *context, cafe_graph *graph,
                                 const char *const *names) {
    int64_t n = graph->n, bytes = 0, *start;
    char *text;
    if (graph->names.kind != CAFE_NAMES_INDEX)
        return cafe_fail(context, CAFE_ERROR_ARGUMENT, "the graph has names already");
    for (int64_t u = 0; u < n; u++) {
        size_t length = strlen(names[u]);
        if (!cafe_is_name(names[u], (int64_t)length))
            return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                             "name %lld: expected one line of UTF-8 text of 1 to %d bytes",
                             (long long)u, CAFE_LONGEST_NAME);
        bytes += (int64_t)length;
    }
    CAFE_PASS(allocate(context, n, bytes, &start, &text));
    start[0] = 0;
    for (int64_t u = 0; u < n; u++) {
        size_t length = strlen(names[u]);
        memcpy(text + start[u], names[u], length);
        start[u + 1] = start[u] + (int64_t)length;
    }
    cafe_status status = take_names(context, graph, start, text);
    return status == CAFE_ERROR_FORMAT ? CAFE_ERROR_ARGUMENT : status;
}

/* ---- the file beside ------------------------------------------------------------------------- */

/* Ascending integers, written the one way, are integers again: integers[n]. */
static bool all_integers(const cafe_names *names, int64_t n, int64_t *integers) {
    for (int64_t u = 0; u < n; u++) {
        char digits[CAFE_INTEGER_TEXT + CAFE_TEXT_PADDING];
        int64_t length = names->start[u + 1] - names->start[u];
        const uint8_t *at = (const uint8_t *)digits;
        if (length > CAFE_INTEGER_TEXT) return false;
        memset(digits, '\n', sizeof digits); /* for the scanner, which stops at it */
        memcpy(digits, names->text + names->start[u], (size_t)length);
        if (cafe_scan_integer(&at, &integers[u]) != CAFE_SCAN_OK ||
            cafe_put_integer(digits, integers[u]) != digits + length ||
            memcmp(digits, names->text + names->start[u], (size_t)length) != 0 ||
            (u > 0 && integers[u] <= integers[u - 1]))
            return false;
    }
    return true;
}

cafe_status cafe_names_settle(cafe_context *context, int64_t n, cafe_names *names) {
    int64_t *integers = cafe_mem(context, n, sizeof *integers);
    if (integers && !all_integers(names, n, integers)) {
        cafe_mem_free(context, integers);
        return CAFE_OK;
    }
    cafe_names_free(context, names);
    *names = (cafe_names){.kind = CAFE_NAMES_INDEX};
    if (!integers) return CAFE_ERROR_MEMORY;
    bool indices = n == 0 || (integers[0] == 0 && integers[n - 1] == n - 1);
    if (indices)
        cafe_mem_free(context, integers);
    else
        *names = (cafe_names){.kind = CAFE_NAMES_INTEGER, .integers = integers};
    return CAFE_OK;
}

cafe_status cafe_graph_read_names(cafe_context *context, const char *path, const uint64_t *digest,
                                  cafe_graph *graph) {
    cafe_names names;
    int64_t n = graph->n;
    if (graph->names.kind != CAFE_NAMES_INDEX) return CAFE_OK;
    CAFE_PASS(cafe_names_read(context, path, n, digest, &names));
    if (names.kind == CAFE_NAMES_INDEX) return CAFE_OK;
    CAFE_PASS(cafe_names_settle(context, n, &names));
    if (names.kind == CAFE_NAMES_STRING)
        return take_names(context, graph, (int64_t *)names.start, (char *)names.text);
    cafe_graph_adopt_names(graph, names);
    return CAFE_OK;
}
