/* Adjacency lists: a line "node neighbour neighbour ...", as networkx writes them (.adjlist). A
 * line of two fields could be an edge with its weight or two neighbours, so content is no sign: the
 * ending or the option chooses the format.
 */

#include "base/memory.h"
#include "io/field.h"
#include "io/format_registry.h"
#include "io/name_format.h"
#include "io/record_lines.h"
#include "io/scanners.h"

typedef struct adjacency {
    cafe_record_lines of;
    uint8_t separator;
    char field[2 * CAFE_LONGEST_NAME + 1];
} adjacency;

/* The next node of the line; *more is false at its end. */
static cafe_status take(adjacency *a, bool *more) {
    cafe_field field;
    const uint8_t *at = a->of.line.at = cafe_skip_blanks(a->of.line.at);
    *more = !cafe_is_line_end(*at);
    if (!*more) return CAFE_OK;
    cafe_field_fault fault = cafe_field_take(&at, a->separator, &field);
    if (fault != CAFE_FIELD_FINE || field.end - field.begin > 2 * CAFE_LONGEST_NAME)
        return cafe_line_fail(&a->of, "a node of at most 65535 bytes");
    a->field[cafe_field_copy(&field, (uint8_t *)a->field)] = 0;
    a->of.line.at = at;
    return cafe_marked_node(&a->of.marked, a->field);
}

static cafe_status take_line(cafe_record_lines *lines) {
    adjacency *a = (adjacency *)lines;
    bool more;
    if (cafe_is_line_end(*a->of.line.at) || *a->of.line.at == '#' || *a->of.line.at == '%')
        return CAFE_OK;
    if (!a->separator) a->separator = cafe_field_separator(a->of.line.at);
    CAFE_PASS(take(a, &more));
    for (int64_t node = a->of.marked.node;;) {
        CAFE_PASS(take(a, &more));
        if (!more) return CAFE_OK;
        CAFE_PASS(cafe_marked_link(&a->of.marked, node, a->of.marked.node, NULL, true));
    }
}

static cafe_status read_adjacency(cafe_input *input, const cafe_graph_options *options,
                                  cafe_graph **graph) {
    adjacency *a = cafe_mem_zero(input->context, 1, sizeof *a);
    if (!a) return CAFE_ERROR_MEMORY;
    cafe_record_lines_init(input, CAFE_FORMAT_ADJACENCY, options, &a->of);
    a->of.marked.open = true;
    cafe_status status = cafe_record_lines_read(input, take_line, &a->of, graph);
    cafe_mem_free(input->context, a);
    return status;
}

const cafe_graph_format cafe_graph_format_adjacency = {.read = read_adjacency, .directed = true};
