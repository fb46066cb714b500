/* The edge list reader: finds the columns, runs the parser, numbers the nodes.
 *
 * Ids are read as small integers first. If an id is not one, the text is read again with wide
 * integers or strings. So the common file is parsed once in the cheapest way, and most others
 * differ in their first lines.
 */
#include "io/edge_list_reader.h"
#include "base/processes.h"
#include "graph/builder.h"
#include "io/format_registry.h"
#include "io/graph_writer.h"
#include "io/scanners.h"
#include "io/string_lines.h"

/* Bytes of text parsed at a time: string ids need more memory per byte. */
static const int64_t string_window = (int64_t)16 << 20;

/* The start of the first line from p on that is neither blank nor a comment; end when none is. */
static const uint8_t *data_line(const uint8_t *p, const uint8_t *end) {
    while (p < end) {
        const uint8_t *q = cafe_skip_blanks(p);
        if (!cafe_is_line_end(*q) && *q != '#' && *q != '%') return p;
        p = cafe_skip_line(q, end);
    }
    return end;
}

static void skip_to(cafe_text *text, const uint8_t *p) {
    text->line += cafe_count_lines(text->begin, p);
    text->begin = p;
}

/* Moves the text from p on to its next line with data; begin == end when there is none. */
static cafe_status find_data(cafe_text *text, const uint8_t *p) {
    for (;;) {
        skip_to(text, data_line(p, text->end));
        if (text->begin < text->end) break;
        CAFE_PASS(cafe_text_next(text));
        if (text->begin == text->end) break;
        p = text->begin;
    }
    return CAFE_OK;
}

cafe_status cafe_edges_first(cafe_edges *e) {
    cafe_text *text = &e->text;
    cafe_text_rewind(text);
    CAFE_PASS(cafe_text_next(text));
    CAFE_PASS(find_data(text, text->begin));
    if (text->begin == text->end || !e->layout.heading || e->part) return CAFE_OK;
    return find_data(text, cafe_skip_line(text->begin, text->end));
}

static cafe_status look_ahead(cafe_edges *e) {
    const cafe_layout *l = &e->layout;
    CAFE_PASS(cafe_layout_find(e->text.input, e->options, &e->layout));
    if (e->declared == 0) e->declared = l->declared;
    e->third = l->weight >= 0                           ? CAFE_THIRD_WEIGHT
               : !e->options->weights || l->columns > 2 ? CAFE_THIRD_IGNORED
                                                        : CAFE_THIRD_NONE;
    return CAFE_OK;
}

static void start_list(cafe_edges *e, bool wide) {
    cafe_edge_list_free(&e->list);
    bool weighted = e->third == CAFE_THIRD_WEIGHT;
    int32_t rule = e->options->duplicates;
    cafe_edge_list_init(e->context, e->text.name, wide, weighted, &e->list);
    e->list.folds = true;
    e->list.sum = rule == CAFE_DUPLICATES_SUM || (rule == CAFE_DUPLICATES_AUTO && weighted);
}

cafe_status cafe_edges_integers(cafe_edges *e, bool wide, cafe_lines_end *ended) {
    CAFE_PASS(cafe_edges_first(e));
    cafe_rules rules = {.highest = e->declared > 0 ? e->declared - 1 : INT32_MAX,
                        .declared = e->declared > 0,
                        .comments = "#%",
                        .third = e->third,
                        .separator = e->layout.separator,
                        .layout = e->layout.plain ? NULL : &e->layout};
    start_list(e, wide);
    return cafe_lines_read(&e->text, &rules, &e->list, ended);
}

cafe_status cafe_edges_strings(cafe_edges *e, int64_t *nodes, cafe_names *names) {
    if (e->text.window > string_window) e->text.window = string_window;
    CAFE_PASS(cafe_edges_first(e));
    start_list(e, false);
    if (e->text.begin == e->text.end) return CAFE_OK; /* nothing but a heading */
    return cafe_strings_read(&e->text, &e->layout, e->third, &e->list, nodes, names);
}

cafe_status cafe_edges_none(const cafe_edges *e) {
    return cafe_fail(e->context, CAFE_ERROR_FORMAT,
                     "%s:%lld:1: expected an edge, found the end of the file (no edges found)",
                     e->text.name, (long long)e->text.line);
}

#define UNCLEAR_WEIGHT                                                                 \
    "every edge weighs 1, although another column may be the weight: name the weight " \
    "by " CAFE_OPT("weight=COLUMN") ", or give " CAFE_OPT("weights=no")

cafe_status cafe_edges_note(const cafe_edges *e, cafe_graph *graph) {
    const cafe_layout *l = &e->layout;
    cafe_graph_reading reading = {.format = CAFE_FORMAT_EDGES,
                                  .heading = l->heading,
                                  .columns = l->columns,
                                  .source = l->source,
                                  .target = l->target,
                                  .weight = l->weight,
                                  .text = l->said,
                                  .edges = l->edges,
                                  .warning = l->weight_unclear ? UNCLEAR_WEIGHT : NULL};
    return cafe_graph_set_reading(graph, &reading);
}

/* Edges and names, whatever the ids are. */
static cafe_status read_links(cafe_edges *e, int64_t *nodes, cafe_names *names) {
    cafe_lines_end ended = CAFE_LINES_DONE;
    cafe_status status = cafe_edges_integers(e, false, &ended);
    if (status == CAFE_OK && ended == CAFE_LINES_WIDE)
        status = cafe_edges_integers(e, true, &ended);
    if (status == CAFE_OK && ended == CAFE_LINES_TEXT) return cafe_edges_strings(e, nodes, names);
    if (status != CAFE_OK) return status;
    *nodes = e->declared;
    if (e->declared > 0) return CAFE_OK;
    return cafe_edge_list_number(&e->list, nodes, names);
}

cafe_status cafe_edges_open(const cafe_input *input, const cafe_graph_options *options,
                            cafe_edges *e) {
    *e = (cafe_edges){.context = input->context, .options = options, .declared = options->nodes};
    cafe_edge_list_init(e->context, input->name, false, false, &e->list);
    CAFE_PASS(cafe_text_open_input(input, &e->text));
    return look_ahead(e);
}

void cafe_edges_close(cafe_edges *e) {
    cafe_text_close(&e->text);
    cafe_edge_list_free(&e->list);
}

static cafe_status read_edges(cafe_input *input, const cafe_graph_options *options,
                              cafe_graph **graph) {
    cafe_edges e;
    cafe_names names = {.kind = CAFE_NAMES_INDEX};
    int64_t nodes = 0;
    cafe_status status = CAFE_OK;
    if (cafe_team_ranks(input->context) > 1) return cafe_edges_read_shared(input, options, graph);
    CAFE_TRY(cafe_edges_open(input, options, &e));
    CAFE_TRY(read_links(&e, &nodes, &names));
    if (e.list.count == 0 && nodes == 0) CAFE_TRY(cafe_edges_none(&e));
    cafe_text_close(&e.text);
    CAFE_TRY(cafe_edge_list_graph(&e.list, nodes, names, options, graph));
    status = cafe_edges_note(&e, *graph);
done:
    cafe_edges_close(&e);
    return status;
}

const cafe_graph_format cafe_graph_format_edges = {
    .read = read_edges, .write = cafe_write_edges, .directed = true};
