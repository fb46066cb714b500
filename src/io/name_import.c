/* Names for nodes from the rows of a table, or from the file beside a matrix. */
#include <string.h>

#include <cafe-private/inputs.h>

#include "base/memory.h"
#include "graph/graph.h"
#include "io/digits.h"
#include "io/name_format.h"
#include "io/scanners.h"
#include "io/table.h"
#include "io/text_window.h"

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
    CAFE_PASS(cafe_names_new(context, n, given->start[n], &start, &text));
    memcpy(start, given->start, (size_t)(n + 1) * sizeof *start);
    memcpy(text, given->text, (size_t)given->start[n]);
    return cafe_graph_take_names(context, graph,
                                 (cafe_names){CAFE_NAMES_STRING, .start = start, .text = text});
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
    if (names.kind == CAFE_NAMES_STRING) return cafe_graph_take_names(context, graph, names);
    cafe_graph_adopt_names(graph, names);
    return CAFE_OK;
}
