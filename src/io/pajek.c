/* Pajek: "*Vertices n" with lines of number and label, then "*Edges" and "*Arcs" with lines of two
 * numbers and perhaps a weight, or "*Edgeslist" and "*Arcslist" with lines of a number and its
 * neighbours. Text after labels and weights (coordinates, colours) is ignored. */
#include <string.h>

#include "base/memory.h"
#include "base/print.h"
#include "io/edge_buffer.h"
#include "io/field.h"
#include "io/format_registry.h"
#include "io/graph_records.h"
#include "io/name_format.h"
#include "io/scanners.h"
#include "io/text_window.h"

enum { WINDOW = 1 << 22 };

typedef enum section { NOTHING, VERTICES, LINKS, LISTS, OTHER } section;

typedef struct pajek {
    cafe_marked marked;
    cafe_text text;
    cafe_place line;
    section section;
    bool arcs;
    int64_t nodes;
    char **labels; /* of the vertices that have one; NULL before "*Vertices" */
    char label[2 * CAFE_LONGEST_NAME + 1];
    char ends[2][CAFE_LONGEST_NAME + 1], weight[64];
} pajek;

static cafe_status fail(pajek *p, const char *expected) {
    return cafe_fail_at(p->marked.context, &p->line, "%s", expected);
}

/* The next field of the line into text; false: there is none, or it is too long. */
static bool take(pajek *p, char *text, size_t capacity) {
    cafe_field field;
    const uint8_t *at = p->line.at;
    if (cafe_is_line_end(*cafe_skip_blanks(at))) return false;
    if (cafe_field_take(&at, ' ', &field) != CAFE_FIELD_FINE) return false;
    if ((size_t)(field.end - field.begin) >= capacity) return false;
    text[cafe_field_copy(&field, (uint8_t *)text)] = 0;
    p->line.at = at;
    return true;
}

static bool is_vertex(const pajek *p, int64_t number) {
    return number >= 1 && number <= p->nodes;
}

static cafe_status take_vertex_number(pajek *p, int64_t *number) {
    p->line.at = cafe_skip_blanks(p->line.at);
    const uint8_t *at = p->line.at;
    if (cafe_scan_integer(&at, number) != CAFE_SCAN_OK || !is_vertex(p, *number))
        return fail(p, "the number of a vertex");
    p->line.at = at;
    return CAFE_OK;
}

/* ---- sections -------------------------------------------------------------------------------- */

static cafe_status begin_vertices(pajek *p) {
    cafe_context *context = p->marked.context;
    if (p->labels) return fail(p, "one list of vertices");
    CAFE_PASS(
        cafe_take_number(context, &p->line, "the number of vertices", CAFE_MOST_NODES, &p->nodes));
    /* the format does not need a line per vertex: their number is bounded before memory is
     * allocated */
    if (p->nodes > 16 * (p->text.size + 4096) + (1 << 20))
        return fail(p, "a number of vertices that goes with the file's size");
    p->labels = cafe_mem_zero(context, p->nodes, sizeof *p->labels);
    return p->labels ? CAFE_OK : CAFE_ERROR_MEMORY;
}

static cafe_status begin_section(pajek *p) {
    static const struct {
        const char *word;
        section section;
        bool arcs;
    } words[] = {{"*vertices", VERTICES, false}, {"*edges", LINKS, false},
                 {"*arcs", LINKS, true},         {"*edgeslist", LISTS, false},
                 {"*arcslist", LISTS, true},     {"*network", NOTHING, false}};
    char word[64];
    const uint8_t *begin = p->line.at;
    if (!take(p, word, sizeof word)) return fail(p, "a section of Pajek");
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t length = strlen(words[i].word);
        if (strlen(word) != length || !cafe_same_word(word, words[i].word, length)) continue;
        p->section = words[i].section;
        p->arcs = words[i].arcs;
        if (p->section == VERTICES) return begin_vertices(p);
        if (p->section != NOTHING && !p->labels) return fail(p, "*Vertices before the edges");
        return CAFE_OK;
    }
    p->line.at = begin;
    if (cafe_same_word(word, "*matrix", 7))
        return fail(p, "edges as *Edges, *Arcs, *Edgeslist or *Arcslist");
    p->section = OTHER; /* partitions and vectors */
    return CAFE_OK;
}

static cafe_status take_vertex(pajek *p) {
    int64_t number;
    CAFE_PASS(take_vertex_number(p, &number));
    if (p->labels[number - 1]) return fail(p, "each vertex once");
    bool labelled = take(p, p->label, sizeof p->label);
    if (!labelled && !cafe_is_line_end(*cafe_skip_blanks(p->line.at)))
        return fail(p, "a label in quotes, or without blanks");
    p->labels[number - 1] = cafe_mem_text(p->marked.context, labelled ? p->label : "");
    return p->labels[number - 1] ? CAFE_OK : CAFE_ERROR_MEMORY;
}

static cafe_status add_link(pajek *p, int64_t u, int64_t w, const char *weight) {
    cafe_print(p->ends[0], sizeof p->ends[0], "%lld", (long long)u);
    cafe_print(p->ends[1], sizeof p->ends[1], "%lld", (long long)w);
    return cafe_marked_edge(&p->marked, p->ends[0], p->ends[1], weight, p->arcs);
}

static cafe_status take_link(pajek *p) {
    int64_t u, w;
    CAFE_PASS(take_vertex_number(p, &u));
    CAFE_PASS(take_vertex_number(p, &w));
    bool weighted = take(p, p->weight, sizeof p->weight);
    weighted = weighted && cafe_marked_is_weight(&p->marked, "weight");
    return add_link(p, u, w, weighted ? p->weight : NULL);
}

static cafe_status take_list(pajek *p) {
    int64_t u, w;
    CAFE_PASS(take_vertex_number(p, &u));
    while (!cafe_is_line_end(*cafe_skip_blanks(p->line.at))) {
        CAFE_PASS(take_vertex_number(p, &w));
        CAFE_PASS(add_link(p, u, w, NULL));
    }
    return CAFE_OK;
}

static cafe_status take_line(pajek *p) {
    p->line.at = cafe_skip_blanks(p->line.begin);
    p->marked.line = p->line.line;
    if (cafe_is_line_end(*p->line.at) || *p->line.at == '%') return CAFE_OK;
    if (*p->line.at == '*') return begin_section(p);
    switch (p->section) {
        case VERTICES: return take_vertex(p);
        case LINKS: return take_link(p);
        case LISTS: return take_list(p);
        case OTHER: return CAFE_OK;
        default: return fail(p, "*Vertices");
    }
}

/* ---- the file -------------------------------------------------------------------------------- */

/* Vertices in the order of their numbers; one without a line has its number as name. */
static cafe_status add_nodes(pajek *p) {
    bool labelled = cafe_marked_is_name(&p->marked, "label");
    for (int64_t u = 0; u < p->nodes; u++) {
        cafe_print(p->ends[0], sizeof p->ends[0], "%lld", (long long)u + 1);
        CAFE_PASS(cafe_marked_node(&p->marked, p->ends[0], labelled ? p->labels[u] : NULL));
    }
    return CAFE_OK;
}

static cafe_status read_lines(pajek *p, bool nodes) {
    cafe_text_rewind(&p->text);
    for (;;) {
        CAFE_PASS(cafe_text_line(&p->text, &p->line));
        if (p->line.begin == p->line.end) return CAFE_OK;
        if (p->line.line % 65536 == 0) CAFE_PASS(cafe_check_cancel(p->marked.context));
        CAFE_PASS(take_line(p));
        /* nodes are numbered before the first edge is met */
        if (nodes && (p->section == LINKS || p->section == LISTS)) {
            CAFE_PASS(add_nodes(p));
            nodes = false;
        }
    }
}

static cafe_status read_pajek(cafe_input *input, const cafe_graph_options *options,
                              cafe_graph **graph) {
    cafe_status status = CAFE_ERROR_MEMORY;
    pajek *p = cafe_mem_zero(input->context, 1, sizeof *p);
    if (!p) return status;
    cafe_marked_init(input->context, input->name, CAFE_FORMAT_PAJEK, options, &p->marked);
    p->marked.missing = 1; /* Pajek: an edge without a value has 1 */
    p->text.context = input->context;
    CAFE_TRY(cafe_text_open(input, WINDOW, &p->text));
    CAFE_TRY(read_lines(p, true));
    if (p->marked.nodes == 0 && p->labels) CAFE_TRY(add_nodes(p));
    status = cafe_marked_graph(&p->marked, graph);
done:
    for (int64_t u = 0; p->labels && u < p->nodes; u++) cafe_mem_free(input->context, p->labels[u]);
    cafe_mem_free(input->context, p->labels);
    cafe_text_close(&p->text);
    cafe_marked_free(&p->marked);
    cafe_mem_free(input->context, p);
    return status;
}

/* "*Vertices" or "*Network", perhaps after comments. */
static bool is_pajek(const uint8_t *bytes, int64_t size) {
    const uint8_t *p = bytes, *end = bytes + size;
    while (p < end && *p == '%' && (p = memchr(p, '\n', (size_t)(end - p))) != NULL) p++;
    if (!p || end - p < 9) return false;
    return cafe_same_word((const char *)p, "*vertices", 9) ||
           cafe_same_word((const char *)p, "*network", 8);
}

const cafe_graph_format cafe_graph_format_pajek = {
    .is = is_pajek, .read = read_pajek, .directed = true};
