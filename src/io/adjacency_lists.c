/* Adjacency lists: a line "node neighbour neighbour ...", as networkx writes them (.adjlist). A
 * line of two fields could be an edge with its weight or two neighbours, so content is no sign: the
 * ending or the option chooses the format.
 */
#include <string.h>

#include "base/memory.h"
#include "io/field.h"
#include "io/format_registry.h"
#include "io/graph_records.h"
#include "io/name_format.h"
#include "io/scanners.h"
#include "io/text_window.h"

enum { WINDOW = 1 << 22 };

typedef struct adjacency {
    cafe_marked marked;
    cafe_text text;
    cafe_place line;
    uint8_t separator;
    char field[2 * CAFE_LONGEST_NAME + 1];
} adjacency;

/* The next node of the line; *more is false at its end. */
static cafe_status take(adjacency *a, bool *more) {
    cafe_field field;
    const uint8_t *at = a->line.at = cafe_skip_blanks(a->line.at);
    *more = !cafe_is_line_end(*at);
    if (!*more) return CAFE_OK;
    cafe_field_fault fault = cafe_field_take(&at, a->separator, &field);
    if (fault != CAFE_FIELD_FINE || field.end - field.begin > 2 * CAFE_LONGEST_NAME)
        return cafe_fail_at(a->marked.context, &a->line, "a node of at most 65535 bytes");
    a->field[cafe_field_copy(&field, (uint8_t *)a->field)] = 0;
    a->line.at = at;
    return cafe_marked_node(&a->marked, a->field);
}

static cafe_status take_line(adjacency *a) {
    bool more;
    a->marked.line = a->line.line;
    a->line.at = cafe_skip_blanks(a->line.begin);
    if (cafe_is_line_end(*a->line.at) || *a->line.at == '#' || *a->line.at == '%') return CAFE_OK;
    if (!a->separator) a->separator = cafe_field_separator(a->line.at);
    CAFE_PASS(take(a, &more));
    for (int64_t node = a->marked.node;;) {
        CAFE_PASS(take(a, &more));
        if (!more) return CAFE_OK;
        CAFE_PASS(cafe_marked_link(&a->marked, node, a->marked.node, NULL, true));
    }
}

static cafe_status read_lines(adjacency *a) {
    for (;;) {
        CAFE_PASS(cafe_text_line(&a->text, &a->line));
        if (a->line.begin == a->line.end) return CAFE_OK;
        if (a->line.line % 65536 == 0) CAFE_PASS(cafe_check_cancel(a->marked.context));
        CAFE_PASS(take_line(a));
    }
}

static cafe_status read_adjacency(cafe_input *input, const cafe_graph_options *options,
                                  cafe_graph **graph) {
    cafe_status status = CAFE_OK;
    adjacency *a = cafe_mem_zero(input->context, 1, sizeof *a);
    if (!a) return CAFE_ERROR_MEMORY;
    cafe_marked_init(input->context, input->name, CAFE_FORMAT_ADJACENCY, options, &a->marked);
    a->marked.open = true;
    a->text.context = input->context;
    CAFE_TRY(cafe_text_open(input, WINDOW, &a->text));
    cafe_text_rewind(&a->text);
    CAFE_TRY(read_lines(a));
    status = cafe_marked_graph(&a->marked, graph);
done:
    cafe_text_close(&a->text);
    cafe_marked_free(&a->marked);
    cafe_mem_free(input->context, a);
    return status;
}

const cafe_graph_format cafe_graph_format_adjacency = {.read = read_adjacency, .directed = true};
