/* The layout of a table: the order of the search, and what its steps share. */
#include "io/table_layout.h"

#include <string.h>

#include "base/memory.h"
#include "base/print.h"
#include "io/heading.h"
#include "io/layout_search.h"
#include "io/name_format.h"
#include "io/scanners.h"

/* ---- words for messages ---------------------------------------------------------------------- */

cafe_status cafe_search_refuse(const cafe_search *k, const char *format, ...) {
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    cafe_vprint(text, sizeof text, format, arguments);
    va_end(arguments);
    return cafe_fail(k->input->context, CAFE_ERROR_FORMAT, "%s:%lld:1: %s", k->input->name,
                     (long long)k->l->line, text);
}

const char *cafe_search_show(const cafe_field *cell, char text[CAFE_SHOWN_TEXT]) {
    cafe_escape(cell->begin, cell->end - cell->begin, CAFE_SHOWN, text);
    return text;
}

const char *cafe_search_heads(const cafe_search *k, char *text, size_t capacity) {
    char one[CAFE_SHOWN_TEXT];
    size_t used = 0;
    text[0] = 0;
    for (int32_t c = 0; c < k->l->columns && c < CAFE_SAMPLE_COLUMNS; c++) {
        if (used + CAFE_SHOWN_TEXT + 8 >= capacity) break;
        used += (size_t)cafe_print(text + used, capacity - used, "%s'%s'", c ? ", " : "",
                                   cafe_search_show(&k->l->head[c], one));
    }
    return text;
}

/* ---- columns that options give --------------------------------------------------------------- */

bool cafe_column_is_number(const char *given) {
    return given && given[0] && given[strspn(given, "0123456789")] == 0;
}

bool cafe_column_is_name(const char *given) {
    return given && given[0] && !cafe_column_is_number(given);
}

bool cafe_search_known(const cafe_search *k, const cafe_field *cell) {
    int64_t length = cell->end - cell->begin;
    if (!k->request->graph || length < 1 || length > 2 * CAFE_LONGEST_NAME) return false;
    k->name[cafe_field_copy(cell, (uint8_t *)k->name)] = 0;
    return cafe_graph_find(k->request->graph, k->name) >= 0;
}

cafe_status cafe_search_column(const cafe_search *k, const char *option, const char *given,
                               size_t length, int32_t *column) {
    const cafe_table_layout *l = k->l;
    int32_t columns = l->columns < CAFE_SAMPLE_COLUMNS ? l->columns : CAFE_SAMPLE_COLUMNS;
    int64_t number = 0;
    char heads[400];
    bool digits = length > 0, named = l->heading || l->above;
    for (size_t i = 0; i < length; i++) {
        digits = digits && cafe_is_digit((uint8_t)given[i]);
        if (digits && number < CAFE_SAMPLE_COLUMNS) number = 10 * number + (given[i] - '0');
    }
    *column = -1;
    for (int32_t c = columns - 1; named && c >= 0; c--)
        if (cafe_field_is(&l->head[c], given, length)) *column = c;
    if (k->most > columns) columns = k->most;
    if (*column < 0 && digits && number < columns) *column = (int32_t)number;
    if (*column >= 0) return CAFE_OK;
    cafe_search_heads(k, heads, sizeof heads);
    return cafe_search_refuse(k, "expected a column '%.*s', as the option %s says, found %s%s%d",
                              (int)length, given, option, named ? heads : "no heading",
                              ", and columns 0 to ", (int)columns - 1);
}

/* ---- what was understood --------------------------------------------------------------------- */

typedef struct saying {
    const cafe_search *k;
    char *text;
    size_t used;
    uint8_t said[CAFE_SAMPLE_COLUMNS]; /* columns that are */
} saying;

static void say_column(saying *s, const char *role, int32_t c) {
    const cafe_table_layout *l = s->k->l;
    char name[CAFE_SHOWN_TEXT] = "";
    bool named = (l->heading || l->above) && c >= 0 && c < CAFE_SAMPLE_COLUMNS && l->head[c].begin;
    if (c < 0 || c >= CAFE_SAMPLE_COLUMNS || s->used + CAFE_SHOWN_TEXT + 128 > sizeof l->text)
        return;
    if (named) cafe_search_show(&l->head[c], name);
    s->said[c] = 1;
    s->used += (size_t)cafe_print(s->text + s->used, sizeof l->text - s->used,
                                  named ? "%s%s column %d '%s'" : "%s%s column %d",
                                  s->used ? ", " : "", role, (int)c, name);
}

/* Each column with its role; heading, separator and kind of ids. */
static void describe(const cafe_search *k) {
    cafe_table_layout *l = k->l;
    static const char *const ids[] = {"", "; ids are text", "; ids are numbers"};
    const cafe_graph_options *edges = k->request->edges;
    bool all = !edges && !k->request->option;
    saying s = {.k = k, .text = l->text};
    if (edges) {
        say_column(&s, "source", l->source);
        say_column(&s, "target", l->target);
        say_column(&s, "weight", l->weight);
        say_column(&s, "change", l->change);
        say_column(&s, edges->time ? "time" : "layer", l->kind);
    } else {
        say_column(&s, "node", l->id);
    }
    for (int32_t i = 0; i < l->values && i < 5 && !all; i++)
        say_column(&s, k->request->option, l->value[i]);
    for (int32_t i = 0; i < l->values; i++) s.said[l->value[i]] = 1;
    for (int32_t c = 0; c < l->columns && c < CAFE_SAMPLE_COLUMNS; c++)
        if (!s.said[c] && (edges || l->values > 0)) say_column(&s, "ignored", c);
    cafe_print(l->text + s.used, sizeof l->text - s.used, "%s%s%s; %s; %s%s%s%s%s%s",
               l->values > 5 && !all ? ", ..." : "", l->bits ? ", which are classes (0 and 1)" : "",
               l->signs ? ", behind + or -" : "",
               l->heading ? "a heading"
               : l->above ? "a heading in a comment"
                          : "no heading",
               cafe_separator_name(l->separator, (char[8]){0}),
               l->decimal == ',' && !edges ? "; decimal commas" : "", edges ? ids[edges->ids] : "",
               k->input->encoding ? "; " : "", k->input->encoding ? k->input->encoding : "",
               k->input->joined ? "; line breaks in quotes are blanks" : "");
}

/* ---- the whole ------------------------------------------------------------------------------- */

static cafe_status find(cafe_search *k) {
    const cafe_table_request *r = k->request;
    if (r->graph) k->name = cafe_mem(k->input->context, 2 * CAFE_LONGEST_NAME + 1, 1);
    if (r->graph) CAFE_PASS(cafe_mem_had(k->name));
    if (r->changes) cafe_search_signs(k);
    CAFE_PASS(cafe_search_separator(k));
    CAFE_PASS(r->edges ? cafe_search_edges(k) : cafe_search_nodes(k));
    k->l->known = k->known;
    describe(k);
    return CAFE_OK;
}

static const cafe_graph_options *given_options(const cafe_table_request *request) {
    if (request->edges) return request->edges;
    return request->manner || !request->graph ? request->manner : cafe_graph_tables(request->graph);
}

static void begin(cafe_search *k, const cafe_input *input, const cafe_table_request *request,
                  cafe_table_layout *l) {
    const uint8_t *text = l->sample.text, *end = cafe_skip_line(text, text + l->sample.used);
    const cafe_graph *graph = request->graph;
    k->input = input;
    k->request = request;
    k->l = l;
    l->line = l->sample.first;
    k->first = (cafe_place){input->name, l->line, text, end, cafe_skip_blanks(text)};
    k->integers = graph && cafe_graph_node_names(graph)->kind != CAFE_NAMES_STRING;
    k->given = given_options(request);
}

cafe_status cafe_table_layout_find(const cafe_input *input, const cafe_table_request *request,
                                   cafe_table_layout *layout) {
    cafe_status status = CAFE_OK;
    const cafe_graph_options *given = given_options(request);
    bool comma = given && given->decimal == CAFE_DECIMAL_COMMA;
    memset(layout, 0, sizeof *layout);
    layout->separator = ' ';
    layout->decimal = comma ? ',' : '.';
    layout->target = 1;
    layout->weight = layout->change = layout->kind = -1;
    layout->plain = true;
    CAFE_PASS(cafe_sample_take(input, &layout->sample));
    layout->declared = layout->sample.declared;
    if (layout->sample.lines == 0) return CAFE_OK;
    cafe_search *k = cafe_mem_zero(input->context, 1, sizeof *k);
    CAFE_PASS(cafe_mem_had(k));
    begin(k, input, request, layout);
    status = find(k);
    cafe_mem_free_all(input->context, k->name, k);
    return status;
}

void cafe_table_layout_free(cafe_table_layout *layout) {
    if (layout->sample.context) cafe_sample_free(&layout->sample);
    layout->sample = (cafe_line_sample){0};
}

/* ---- the rows -------------------------------------------------------------------------------- */

cafe_status cafe_table_next(cafe_rows *rows, const cafe_table_layout *layout, bool *more) {
    CAFE_PASS(cafe_rows_next(rows, more));
    if (!*more) return CAFE_OK;
    rows->separator = layout->separator;
    if (layout->signs && cafe_has_sign(rows->line.at)) {
        rows->sign = *rows->line.at;
        rows->cells_at = cafe_skip_separator(rows->line.at + 1);
    }
    CAFE_PASS(cafe_rows_split(rows));
    if ((!layout->heading && !layout->above) || rows->count <= layout->columns) return CAFE_OK;
    rows->line.at = rows->cells[layout->columns].begin;
    return cafe_fail_at(rows->context, &rows->line, "as many columns as the heading has, %lld",
                        (long long)layout->columns);
}

cafe_status cafe_table_first(cafe_rows *rows, const cafe_table_layout *layout, bool *more) {
    if (layout->heading) CAFE_PASS(cafe_rows_next(rows, more));
    return cafe_table_next(rows, layout, more);
}

cafe_status cafe_table_node(cafe_rows *rows, const cafe_table_layout *layout) {
    CAFE_PASS(cafe_rows_cell(rows, layout->id, "a node"));
    if (rows->length == 0) return cafe_fail_at(rows->context, &rows->line, "a node");
    bool other = layout->separator == ' ' && !rows->quoted && strpbrk(rows->field, ",;\t");
    if (!other) return CAFE_OK;
    return cafe_fail_at(rows->context, &rows->line,
                        "one separator in all lines (names with commas or semicolons stand in "
                        "quotes)");
}

bool cafe_table_heads_list(const cafe_rows *rows, const cafe_graph *graph) {
    const uint8_t *text = (const uint8_t *)rows->field;
    cafe_field head = {.begin = text, .end = text + rows->length};
    const cafe_graph_options *given = cafe_graph_tables(graph);
    if (given && given->header == CAFE_HEADER_NO) return false;
    return cafe_heading_is_node(&head) || cafe_heading_is_title(&head);
}

cafe_status cafe_table_change(cafe_rows *rows, const cafe_table_layout *layout, bool *gone) {
    *gone = rows->sign == '-';
    if (layout->change < 0) return CAFE_OK;
    CAFE_PASS(cafe_rows_cell(rows, layout->change, "added or removed"));
    int word = layout->change < rows->count ? cafe_word_of_change(&rows->cells[layout->change]) : 0;
    *gone = word < 0;
    return word != 0 ? CAFE_OK : cafe_fail_at(rows->context, &rows->line, "added or removed");
}
