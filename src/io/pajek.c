/* Pajek: "*Vertices n" with lines of number and label. Then "*Edges" and "*Arcs" have lines of two
 * numbers and perhaps a weight, "*Edgeslist" and "*Arcslist" lines of a number and its neighbours.
 * Numbers behind a label are coordinates; colours and other text are ignored. Projects
 * (.paj) also have "*Partition NAME" and "*Vector NAME" with a value per vertex: attributes. */
#include <string.h>

#include "base/memory.h"
#include "base/print.h"
#include "io/format_registry.h"
#include "io/name_format.h"
#include "io/record_lines.h"
#include "io/scanners.h"

typedef enum section { NOTHING, VERTICES, LINKS, LISTS, VALUES, OTHER } section;

typedef struct pajek {
    cafe_record_lines of;
    section section;
    bool arcs;
    int64_t nodes;
    uint8_t *listed; /* of the vertices: it has a line; NULL before "*Vertices" */
    int64_t value;   /* the vertex of the next value, from 0 */
    char *attribute; /* name of the values; NULL: none follow */
    char label[2 * CAFE_LONGEST_NAME + 1];
    char ends[2][CAFE_LONGEST_NAME + 1], weight[64];
} pajek;

static bool is_vertex(const pajek *p, int64_t number) {
    return number >= 1 && number <= p->nodes;
}

static cafe_status take_vertex_number(pajek *p, int64_t *number) {
    p->of.line.at = cafe_skip_blanks(p->of.line.at);
    const uint8_t *at = p->of.line.at;
    if (cafe_scan_integer(&at, number) != CAFE_SCAN_OK || !is_vertex(p, *number))
        return cafe_line_fail(&p->of, "the number of a vertex");
    p->of.line.at = at;
    return CAFE_OK;
}

/* ---- sections -------------------------------------------------------------------------------- */

/* Vertices get their numbers in the order of the numbers, whatever the order of the lines. */
static cafe_status add_nodes(pajek *p) {
    for (int64_t u = 0; u < p->nodes; u++) {
        cafe_print(p->ends[0], sizeof p->ends[0], "%lld", (long long)u + 1);
        CAFE_PASS(cafe_marked_node(&p->of.marked, p->ends[0]));
    }
    return CAFE_OK;
}

static cafe_status begin_vertices(pajek *p) {
    cafe_context *context = p->of.marked.context;
    int64_t nodes;
    if (p->listed && !p->attribute) return cafe_line_fail(&p->of, "one list of vertices");
    CAFE_PASS(
        cafe_take_number(context, &p->of.line, "the number of vertices", CAFE_MOST_NODES, &nodes));
    if (p->attribute) {
        p->section = nodes == p->nodes ? VALUES : OTHER; /* of another network */
        p->value = 0;
        return CAFE_OK;
    }
    /* the format does not need a line per vertex: their number is bounded before memory is
     * allocated */
    p->nodes = nodes;
    if (p->nodes > 16 * (p->of.text.size + 4096) + (1 << 20))
        return cafe_line_fail(
            &p->of,
            "a number of vertices that goes with the file's size (in an edge list "
            "ids may be far apart)");
    p->listed = cafe_mem_zero(context, p->nodes, 1);
    return p->listed ? add_nodes(p) : CAFE_ERROR_MEMORY;
}

/* The rest of the line names the values, whose "*Vertices n" follows. */
static cafe_status begin_values(pajek *p) {
    const uint8_t *begin = cafe_skip_blanks(p->of.line.at), *end = begin;
    while (!cafe_is_line_end(*end)) end++;
    int64_t length = end - begin;
    p->attribute = cafe_mem_zero(p->of.marked.context, length + 16, 1);
    if (!p->attribute) return CAFE_ERROR_MEMORY;
    memcpy(p->attribute, length > 0 ? (const char *)begin : "value",
           length > 0 ? (size_t)length : 5);
    return CAFE_OK;
}

static cafe_status begin_section(pajek *p) {
    static const struct {
        const char *word;
        section section;
        bool arcs;
    } words[] = {{"*vertices", VERTICES, false}, {"*edges", LINKS, false},
                 {"*arcs", LINKS, true},         {"*edgeslist", LISTS, false},
                 {"*arcslist", LISTS, true},     {"*network", NOTHING, false},
                 {"*partition", VALUES, false},  {"*vector", VALUES, false}};
    char word[64];
    const uint8_t *begin = p->of.line.at;
    if (!cafe_line_take(&p->of, word, sizeof word))
        return cafe_line_fail(&p->of, "a section of Pajek");
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (!cafe_is_word(word, words[i].word)) continue;
        p->section = words[i].section;
        p->arcs = words[i].arcs;
        if (p->section != VERTICES) {
            cafe_mem_free(p->of.marked.context, p->attribute);
            p->attribute = NULL;
        }
        if (p->section == VERTICES) return begin_vertices(p);
        if (p->section != NOTHING && !p->listed)
            return cafe_line_fail(&p->of, "*Vertices before the edges");
        return p->section == VALUES ? begin_values(p) : CAFE_OK;
    }
    p->of.line.at = begin;
    if (cafe_same_word(word, "*matrix", 7))
        return cafe_line_fail(&p->of, "edges as *Edges, *Arcs, *Edgeslist or *Arcslist");
    p->section = OTHER; /* permutations, clusters */
    return CAFE_OK;
}

/* Gives vertex `number`, from 1, the text at hand. */
static cafe_status put(pajek *p, int64_t number, const char *attribute) {
    p->of.marked.node = number - 1;
    return cafe_marked_value(&p->of.marked, attribute, p->label);
}

/* Numbers behind the label are coordinates. */
static cafe_status take_places(pajek *p, int64_t number) {
    static const char *const names[] = {"x", "y", "z"};
    for (int i = 0; i < 3; i++) {
        const char *end;
        if (!cafe_line_take(&p->of, p->label, sizeof p->label)) break;
        cafe_parse_number(p->label, &end);
        if (*end || end == p->label) break;
        CAFE_PASS(put(p, number, names[i]));
    }
    return CAFE_OK;
}

static cafe_status take_vertex(pajek *p) {
    int64_t number;
    CAFE_PASS(take_vertex_number(p, &number));
    if (p->listed[number - 1]) return cafe_line_fail(&p->of, "each vertex once");
    p->listed[number - 1] = 1;
    if (cafe_line_take(&p->of, p->label, sizeof p->label)) {
        CAFE_PASS(put(p, number, "label"));
        return take_places(p, number);
    }
    bool empty = cafe_line_ended(&p->of);
    return empty ? CAFE_OK : cafe_line_fail(&p->of, "a label in quotes, or without blanks");
}

static cafe_status take_vertex_value(pajek *p) {
    if (p->value == p->nodes) return cafe_line_fail(&p->of, "no more values than vertices");
    if (!cafe_line_take(&p->of, p->label, sizeof p->label))
        return cafe_line_fail(&p->of, "the value of a vertex");
    return put(p, ++p->value, p->attribute);
}

static cafe_status add_link(pajek *p, int64_t u, int64_t w, const char *weight) {
    cafe_print(p->ends[0], sizeof p->ends[0], "%lld", (long long)u);
    cafe_print(p->ends[1], sizeof p->ends[1], "%lld", (long long)w);
    return cafe_marked_edge(&p->of.marked, p->ends[0], p->ends[1], weight, p->arcs);
}

static cafe_status take_link(pajek *p) {
    int64_t u, w;
    CAFE_PASS(take_vertex_number(p, &u));
    CAFE_PASS(take_vertex_number(p, &w));
    bool weighted = cafe_line_take(&p->of, p->weight, sizeof p->weight);
    weighted = weighted && cafe_marked_is_weight(&p->of.marked, "weight");
    return add_link(p, u, w, weighted ? p->weight : NULL);
}

static cafe_status take_list(pajek *p) {
    int64_t u, w;
    CAFE_PASS(take_vertex_number(p, &u));
    while (!cafe_line_ended(&p->of)) {
        CAFE_PASS(take_vertex_number(p, &w));
        CAFE_PASS(add_link(p, u, w, NULL));
    }
    return CAFE_OK;
}

static cafe_status take_line(cafe_record_lines *lines) {
    pajek *p = (pajek *)lines;
    if (cafe_is_line_end(*p->of.line.at) || *p->of.line.at == '%') return CAFE_OK;
    if (*p->of.line.at == '*') return begin_section(p);
    switch (p->section) {
        case VERTICES: return take_vertex(p);
        case LINKS: return take_link(p);
        case LISTS: return take_list(p);
        case VALUES: return take_vertex_value(p);
        case OTHER: return CAFE_OK;
        default: return cafe_line_fail(&p->of, "*Vertices");
    }
}

/* ---- the file -------------------------------------------------------------------------------- */

static cafe_status read_pajek(cafe_input *input, const cafe_graph_options *options,
                              cafe_graph **graph) {
    pajek *p = cafe_mem_zero(input->context, 1, sizeof *p);
    if (!p) return CAFE_ERROR_MEMORY;
    cafe_record_lines_init(input, CAFE_FORMAT_PAJEK, options, &p->of);
    p->of.marked.missing = 1; /* Pajek: an edge without a value has 1 */
    cafe_status status = cafe_record_lines_read(input, take_line, &p->of, graph);
    cafe_mem_free_all(input->context, p->listed, p->attribute, p);
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
    .is = is_pajek, .read = read_pajek, .directed = true, .attributes = true};
