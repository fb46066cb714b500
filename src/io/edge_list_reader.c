/* The edge list reader: finds the columns, runs the parser, numbers the nodes.
 *
 * Ids are read as small integers first. If an id is not one, the text is read again with wide
 * integers or strings. So the common file is parsed once in the cheapest way, and most others
 * differ in their first lines.
 */
#include "io/edge_list_reader.h"
#include <string.h>

#include "base/memory.h"
#include "base/print.h"
#include "base/processes.h"
#include "graph/builder.h"
#include "graph/dictionary.h"
#include "graph/graph.h"
#include "io/format_registry.h"
#include "io/graph_writer.h"
#include "io/scanners.h"
#include "io/string_lines.h"
#include "io/two_sides.h"

enum { DOUBTS = 200 };
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
    CAFE_PASS(cafe_text_keep_heading(text, text->begin, e->layout.separator));
    return find_data(text, cafe_skip_line(text->begin, text->end));
}

static cafe_status look_ahead(cafe_edges *e) {
    const cafe_table_layout *l = &e->layout;
    cafe_input first = *e->text.first; /* alone: the others may repeat its heading */
    first.more_count = 0;
    CAFE_PASS(
        cafe_table_layout_find(&first, &(cafe_table_request){.edges = e->options}, &e->layout));
    if (e->declared == 0 && !e->options->bipartite) e->declared = l->declared;
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
    e->list.with_signs = e->options->with_signs;
    e->list.folds = !e->list.with_signs;
    e->list.sum = rule == CAFE_DUPLICATES_SUM || (rule == CAFE_DUPLICATES_AUTO && weighted);
}

cafe_status cafe_edges_integers(cafe_edges *e, bool wide, cafe_lines_end *ended) {
    CAFE_PASS(cafe_edges_first(e));
    cafe_rules rules = {.highest = e->declared > 0 ? e->declared - 1 : INT32_MAX,
                        .declared = e->declared > 0,
                        .numbers = e->options->ids == CAFE_IDS_NUMBERS,
                        .comments = "#%",
                        .third = e->third,
                        .further = cafe_layout_goes_on(&e->layout),
                        .with_signs = e->options->with_signs,
                        .separator = e->layout.separator,
                        .layout = e->layout.plain ? NULL : &e->layout};
    if (rules.numbers) rules.layout = &e->layout; /* which has quotes */
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

#define LEADING_ZEROS \
    "ids with leading zeros are numbers, 007 is 7: " CAFE_OPT("ids=text") " keeps them as they " \
                                                                          "are"

/* The name of a node that programs write for a missing value; NULL: no node has one. */
static const char *find_missing(const cafe_names *names, int64_t count) {
    static const char *const words[] = {"NA",   "N/A", "#N/A", "<NA>", "NaN",
                                        "None", "nan", "NULL", "null"};
    for (int64_t u = 0; names->kind == CAFE_NAMES_STRING && u < count; u++) {
        int64_t length = names->start[u + 1] - names->start[u];
        for (size_t i = 0; length <= 4 && i < sizeof words / sizeof *words; i++)
            if ((int64_t)strlen(words[i]) == length &&
                memcmp(names->text + names->start[u], words[i], (size_t)length) == 0)
                return words[i];
    }
    return NULL;
}

/* What was read and may be meant otherwise; "" if nothing. */
static void find_doubts(const cafe_edges *e, const cafe_graph *graph, char text[DOUBTS]) {
    const char *missing = cafe_team_ranks(e->context) > 1
                              ? NULL /* each process has names of its own nodes */
                              : find_missing(cafe_graph_node_names(graph), cafe_graph_nodes(graph));
    const char *doubt = e->layout.weight_unclear ? UNCLEAR_WEIGHT : e->zeros ? LEADING_ZEROS : "";
    cafe_print(text, DOUBTS, "%s", doubt);
    if (missing && !*text)
        cafe_print(text, DOUBTS,
                   "'%s' is a node: if it means a missing value, take its lines out of the file",
                   missing);
}

cafe_status cafe_edges_note(const cafe_edges *e, cafe_graph *graph) {
    const cafe_table_layout *l = &e->layout;
    const cafe_input *input = e->text.first;
    char text[sizeof l->text + 512], doubts[DOUBTS];
    find_doubts(e, graph, doubts);
    if (input->more_count == 0)
        cafe_print(text, sizeof text, "%s", l->text);
    else
        cafe_print(text, sizeof text, "%s; %lld files: %.200s to %.200s", l->text,
                   (long long)input->more_count + 1, input->name,
                   input->more[input->more_count - 1]);
    cafe_graph_reading reading = {.format = CAFE_FORMAT_EDGES,
                                  .heading = l->heading,
                                  .columns = l->columns,
                                  .source = l->source,
                                  .target = l->target,
                                  .weight = l->weight,
                                  .text = text,
                                  .edges = l->edges,
                                  .warning = *doubts ? doubts : NULL};
    return cafe_graph_set_reading(graph, &reading);
}

/* ---- leading zeros --------------------------------------------------------------------------- */

/* The name without leading zeros; its length. */
static int64_t strip(const char *name, int64_t length, const char **stripped) {
    while (length > 1 && *name == '0') name++, length--;
    *stripped = name;
    return length;
}

/* Refuses the file with two of the names that are one number. */
static cafe_status refuse_zeros(const cafe_edges *e, const int64_t place[2],
                                const cafe_names *names, int64_t count) {
    enum { SHOWN = 20 };
    cafe_dictionary numbers = {.context = e->context};
    cafe_status status = CAFE_OK;
    const char *text;
    int64_t *first = cafe_mem(e->context, count, sizeof *first), number = 0, met = 0;
    if (!first) CAFE_TRY(CAFE_ERROR_MEMORY);
    for (int64_t u = 0; u < count; u++) {
        const char *name = names->text + names->start[u];
        int64_t length = strip(name, names->start[u + 1] - names->start[u], &text);
        CAFE_TRY(cafe_dictionary_add(&numbers, text, length, &number));
        if (number == met) {
            first[met++] = u;
            continue;
        }
        char one[4 * SHOWN + 4], other[4 * SHOWN + 4];
        cafe_names_get(names, first[number], one, SHOWN);
        cafe_names_get(names, u, other, SHOWN);
        CAFE_TRY(cafe_fail(e->context, CAFE_ERROR_FORMAT,
                           "%s:%lld:%lld: expected ids that are clearly numbers or text, found "
                           "both '%s' and '%s': give " CAFE_OPT(
                               "ids=text") " if they are two "
                                           "nodes, " CAFE_OPT("ids=numbers") " if they are one",
                           e->text.name, (long long)place[0], (long long)place[1], one, other));
    }
done:
    cafe_dictionary_free(&numbers);
    cafe_mem_free(e->context, first);
    return status;
}

/* Ids with leading zeros were read as numbers, which is right unless two texts are one number: then
 * there are more texts. The edges are read again. */
static cafe_status check_zeros(cafe_edges *e) {
    const int64_t place[2] = {e->list.zeros[0], e->list.zeros[1]};
    bool wide = e->list.wide;
    cafe_names names = {.kind = CAFE_NAMES_INDEX};
    cafe_lines_end ended;
    int64_t numbers = 0, texts = 0;
    cafe_status status = CAFE_OK;
    if (place[0] == 0 || e->options->ids != CAFE_IDS_AUTO || e->declared > 0) return CAFE_OK;
    CAFE_TRY(cafe_edge_list_number(&e->list, &numbers, &names));
    cafe_names_free(e->context, &names);
    CAFE_TRY(cafe_edges_strings(e, &texts, &names));
    if (texts != numbers) CAFE_TRY(refuse_zeros(e, place, &names, texts));
    CAFE_TRY(cafe_edges_integers(e, wide, &ended));
    e->zeros = true;
done:
    cafe_names_free(e->context, &names);
    return status;
}

/* Edges and names, whatever the ids are. */
static cafe_status read_links(cafe_edges *e, int64_t *nodes, cafe_names *names) {
    cafe_lines_end ended = CAFE_LINES_DONE;
    if (e->options->ids == CAFE_IDS_TEXT) return cafe_edges_strings(e, nodes, names);
    cafe_status status = cafe_edges_integers(e, false, &ended);
    if (status == CAFE_OK && ended == CAFE_LINES_WIDE)
        status = cafe_edges_integers(e, true, &ended);
    if (status == CAFE_OK && ended == CAFE_LINES_TEXT) return cafe_edges_strings(e, nodes, names);
    if (status == CAFE_OK) status = check_zeros(e);
    if (status != CAFE_OK) return status;
    *nodes = e->declared;
    if (e->declared > 0) return CAFE_OK;
    return cafe_edge_list_number(&e->list, nodes, names);
}

cafe_status cafe_edges_open(const cafe_input *input, const cafe_graph_options *options,
                            cafe_edges *e) {
    *e = (cafe_edges){.context = input->context, .options = options, .declared = options->nodes};
    cafe_edge_list_init(e->context, input->name, false, false, &e->list);
    if (options->ids == CAFE_IDS_TEXT && options->nodes > 0)
        return cafe_fail(input->context, CAFE_ERROR_ARGUMENT,
                         "give " CAFE_OPT("ids=text") " or " CAFE_OPT("nodes") ", not both");
    CAFE_PASS(cafe_text_open_input(input, &e->text));
    CAFE_PASS(look_ahead(e));
    if (options->ids == CAFE_IDS_TEXT) e->declared = 0;
    return CAFE_OK;
}

void cafe_edges_close(cafe_edges *e) {
    cafe_text_close(&e->text);
    cafe_edge_list_free(&e->list);
    cafe_table_layout_free(&e->layout);
}

static cafe_status read_edges(cafe_input *input, const cafe_graph_options *options,
                              cafe_graph **graph) {
    cafe_edges e;
    cafe_names names = {.kind = CAFE_NAMES_INDEX};
    int64_t nodes = 0, left = 0;
    cafe_status status = CAFE_OK;
    if (cafe_team_ranks(input->context) > 1) return cafe_edges_read_shared(input, options, graph);
    CAFE_TRY(cafe_edges_open(input, options, &e));
    CAFE_TRY(read_links(&e, &nodes, &names));
    if (e.list.count == 0 && nodes == 0) CAFE_TRY(cafe_edges_none(&e));
    cafe_text_close(&e.text);
    if (options->bipartite) {
        status = cafe_edge_list_sides(&e.list, &nodes, &names, &left);
        if (status != CAFE_OK) cafe_names_free(e.context, &names);
        CAFE_TRY(status);
    }
    CAFE_TRY(cafe_edge_list_graph(&e.list, nodes, names, options, graph));
    (*graph)->counts.left_nodes = left;
    status = cafe_edges_note(&e, *graph);
done:
    cafe_edges_close(&e);
    return status;
}

const cafe_graph_format cafe_graph_format_edges = {
    .read = read_edges, .write = cafe_write_edges, .directed = true};
