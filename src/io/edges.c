/* The edge list reader: finds out what kind of list it is, has it parsed, numbers the nodes.
 *
 * Ids are taken to be small integers first; when one turns out not to be, the text is read again,
 * as wide integers or as strings. The common file is so parsed once, in the cheapest way, and the
 * odd one shows itself in its first lines.
 */
#include <string.h>

#include "io/edge_list.h"
#include "io/field.h"
#include "io/format.h"
#include "io/lines.h"
#include "io/scan.h"
#include "io/strings.h"
#include "io/write.h"

/* Bytes of text parsed at a time: string ids need more memory per byte. */
static const int64_t string_window = (int64_t)16 << 20;

typedef struct edges {
    cafe_context *context;
    const cafe_graph_options *options;
    cafe_text text;
    cafe_edge_list list;
    int64_t declared; /* nodes: from the options, or from our own first line; 0: not known */
    cafe_third third;
    uint8_t separator;
} edges;

/* The start of the first line from p on that is neither blank nor a comment; end when none is. */
static const uint8_t *data_line(const uint8_t *p, const uint8_t *end) {
    while (p < end) {
        const uint8_t *q = cafe_skip_blanks(p);
        if (!cafe_is_line_end(*q) && *q != '#' && *q != '%') return p;
        p = cafe_skip_line(q, end);
    }
    return end;
}

/* How many of the first two fields are integers; *rest is behind them. */
static int integer_fields(const uint8_t *line, const uint8_t **rest) {
    const uint8_t *p = cafe_skip_blanks(line);
    int integers = 0;
    for (int i = 0; i < 2; i++) {
        int64_t value;
        integers += cafe_scan_integer(&p, &value) != CAFE_SCAN_NONE;
        while (!cafe_is_field_end(*p)) p++;
        p = cafe_skip_separator(p);
    }
    *rest = p;
    return integers;
}

/* In a list of integers a first line without any is a heading when integers follow. */
static bool is_heading(const uint8_t *line, const uint8_t *end) {
    const uint8_t *rest, *next = data_line(cafe_skip_line(line, end), end);
    return integer_fields(line, &rest) == 0 && next < end && integer_fields(next, &rest) == 2;
}

static bool has_third(const edges *e, const uint8_t *line, bool strings) {
    const uint8_t *p = line;
    cafe_field field;
    if (!strings) {
        integer_fields(line, &p);
    } else if (cafe_field_take(&p, e->separator, &field) != CAFE_FIELD_FINE ||
               cafe_field_take(&p, e->separator, &field) != CAFE_FIELD_FINE) {
        return false; /* the parser will say what is wrong */
    }
    return !cafe_is_line_end(*p);
}

/* Our own writer states the number of nodes, so that isolated ones are not lost. */
static void look_for_nodes(edges *e, const uint8_t *line) {
    static const char word[] = "# cafe: nodes ";
    int64_t nodes;
    if (e->declared > 0 || strncmp((const char *)line, word, sizeof word - 1) != 0) return;
    line += sizeof word - 1;
    if (cafe_scan_integer(&line, &nodes) == CAFE_SCAN_OK && nodes > 0 && nodes <= CAFE_MOST_NODES &&
        cafe_is_line_end(*line))
        e->declared = nodes;
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

/* Moves the text to its first edge, past byte order mark, comments and heading, and notes what that
 * edge looks like. */
static cafe_status look_ahead(edges *e, bool strings) {
    cafe_text *text = &e->text;
    cafe_text_rewind(text);
    CAFE_PASS(cafe_text_next(text));
    if (text->begin < text->end) look_for_nodes(e, text->begin);
    CAFE_PASS(find_data(text, text->begin));
    if (text->begin == text->end) return CAFE_OK;
    e->separator = cafe_field_separator(text->begin);
    bool heading = strings ? cafe_field_heading(text->begin, e->separator)
                           : is_heading(text->begin, text->end);
    if (heading) CAFE_PASS(find_data(text, cafe_skip_line(text->begin, text->end)));
    bool third = text->begin < text->end && has_third(e, text->begin, strings);
    e->third = !e->options->weights ? CAFE_THIRD_IGNORED
               : third              ? CAFE_THIRD_WEIGHT
                                    : CAFE_THIRD_NONE;
    return CAFE_OK;
}

static void start_list(edges *e, bool wide) {
    cafe_edge_list_free(&e->list);
    bool weighted = e->third == CAFE_THIRD_WEIGHT;
    int32_t rule = e->options->duplicates;
    cafe_edge_list_init(e->context, e->text.name, wide, weighted, &e->list);
    e->list.folds = true;
    e->list.sum = rule == CAFE_DUPLICATES_SUM || (rule == CAFE_DUPLICATES_AUTO && weighted);
}

static cafe_status read_integers(edges *e, bool wide, cafe_lines_end *ended) {
    CAFE_PASS(look_ahead(e, false));
    cafe_rules rules = {.highest = e->declared > 0 ? e->declared - 1 : INT32_MAX,
                        .declared = e->declared > 0,
                        .comments = true,
                        .third = e->third};
    start_list(e, wide);
    return cafe_lines_read(&e->text, &rules, &e->list, ended);
}

static cafe_status read_strings(edges *e, int64_t *nodes, cafe_names *names) {
    if (e->text.window > string_window) e->text.window = string_window;
    CAFE_PASS(look_ahead(e, true));
    start_list(e, false);
    if (e->text.begin == e->text.end) return CAFE_OK; /* nothing but a heading */
    return cafe_strings_read(&e->text, e->separator, e->third, &e->list, nodes, names);
}

static cafe_status fail_empty(edges *e) {
    return cafe_fail(e->context, CAFE_ERROR_FORMAT,
                     "%s:%lld:1: expected an edge, found the end of the file (no edges found)",
                     e->text.name, (long long)e->text.line);
}

/* Links and names, whatever the ids are. */
static cafe_status read_links(edges *e, int64_t *nodes, cafe_names *names) {
    cafe_lines_end ended = CAFE_LINES_DONE;
    cafe_status status = read_integers(e, false, &ended);
    if (status == CAFE_OK && ended == CAFE_LINES_WIDE) status = read_integers(e, true, &ended);
    if (status == CAFE_OK && ended == CAFE_LINES_TEXT) return read_strings(e, nodes, names);
    if (status != CAFE_OK) return status;
    *nodes = e->declared;
    if (e->declared > 0) return CAFE_OK;
    return cafe_edge_list_number(&e->list, nodes, names);
}

static cafe_status read_edges(cafe_input *input, const cafe_graph_options *options,
                              cafe_graph **graph) {
    edges e = {.context = input->context, .options = options, .declared = options->nodes};
    cafe_names names = {.kind = CAFE_NAMES_INDEX};
    int64_t nodes = 0;
    cafe_status status = CAFE_OK;
    cafe_edge_list_init(e.context, input->name, false, false, &e.list);
    CAFE_TRY(cafe_text_open_input(input, &e.text));
    CAFE_TRY(read_links(&e, &nodes, &names));
    if (e.list.count == 0 && nodes == 0) CAFE_TRY(fail_empty(&e));
    cafe_text_close(&e.text);
    status = cafe_edge_list_graph(&e.list, nodes, names, options, graph);
done:
    cafe_text_close(&e.text);
    cafe_edge_list_free(&e.list);
    return status;
}

const cafe_graph_format cafe_graph_format_edges = {
    .read = read_edges, .write = cafe_write_edges, .directed = true};
