/* DOT, of Graphviz: "graph { a -- b -- {c d} [weight=2]; a [colour=red] }".
 *
 * Nodes are named by their ids; labels are for pictures. An edge between subgraphs joins all their
 * nodes. Defaults ("node [...]", "edge [weight=2]") hold to the end of their braces. Ports, and
 * attributes of graphs, are skipped.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/print.h"
#include "io/format_registry.h"
#include "io/graph_records.h"

enum { DEEPEST = 64, MOST_DEFAULTS = 256 };

/* A token is an ID, or one of the characters {}[]=;,:+ or - for an edge. */
enum { END = 0, ID = 'i', EDGE = '-' };

typedef struct setting {
    bool edge;
    char *name, *value;
} setting;

typedef struct range {
    int64_t from, to; /* of the mentions */
} range;

typedef struct dot {
    cafe_marked marked;
    cafe_graph_options options;
    const uint8_t *at, *end;
    int kind;
    bool quoted, arcs;
    char *text, *name; /* of the token; of the attribute at hand */
    int64_t length, room, name_room;
    int depth;
    int64_t *mentions; /* nodes in the order of the text: the end of the list is the statement's */
    int64_t mentioned, mention_room;
    range *chain; /* ends of the edges of the statement at hand, behind those around it */
    int64_t chained, chain_room;
    setting defaults[MOST_DEFAULTS];
    int default_count;
    char *weight; /* of the edges of the statement; "": none */
    int64_t weight_room;
} dot;

static cafe_status fail(const dot *d, const char *expected) {
    char shown[180];
    cafe_escape((const uint8_t *)d->text, d->length, 40, shown);
    if (d->kind == END)
        return cafe_marked_fail(&d->marked, "expected %s, found the end of the file", expected);
    return cafe_marked_fail(&d->marked, "expected %s, found '%s'", expected, shown);
}

/* ---- tokens ---------------------------------------------------------------------------------- */

static bool is_letter(uint8_t c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.' || c >= 0x80;
}

static bool starts(const dot *d, const char *text) {
    size_t length = strlen(text);
    return (size_t)(d->end - d->at) >= length && memcmp(d->at, text, length) == 0;
}

static void skip_line(dot *d) {
    while (d->at < d->end && *d->at != '\n') d->at++;
}

/* Blanks, comments of C and C++, and lines that begin with #. */
static void skip_space(dot *d) {
    while (d->at < d->end) {
        if (starts(d, "//") || *d->at == '#') {
            skip_line(d);
        } else if (starts(d, "/*")) {
            for (d->at += 2; d->at < d->end && !starts(d, "*/"); d->at++)
                d->marked.line += *d->at == '\n';
            d->at += d->at < d->end ? 2 : 0;
        } else if (*d->at == ' ' || *d->at == '\t' || *d->at == '\r' || *d->at == '\n') {
            d->marked.line += *d->at++ == '\n';
        } else {
            break;
        }
    }
}

static cafe_status keep(dot *d, uint8_t c) {
    if (!c) return cafe_marked_fail(&d->marked, "expected text, found a byte 0");
    CAFE_PASS(cafe_mem_grow(d->marked.context, &d->text, &d->room, d->length + 2, 1));
    d->text[d->length++] = (char)c;
    d->text[d->length] = 0;
    return CAFE_OK;
}

/* The text between quotes: \" is a quote, and a backslash at the end of a line joins lines. */
static cafe_status take_quoted(dot *d) {
    for (d->at++; d->at < d->end && *d->at != '"'; d->at++) {
        if (starts(d, "\\\""))
            d->at++;
        else if (starts(d, "\\\n")) {
            d->marked.line++;
            d->at++;
            continue;
        }
        d->marked.line += *d->at == '\n';
        CAFE_PASS(keep(d, *d->at));
    }
    if (d->at == d->end)
        return cafe_marked_fail(&d->marked, "expected a closing quote, found the end");
    d->at++;
    return CAFE_OK;
}

/* "a" + "b" is ab. */
static cafe_status take_quoted_sum(dot *d) {
    for (;;) {
        CAFE_PASS(take_quoted(d));
        const uint8_t *behind = d->at;
        int64_t line = d->marked.line;
        skip_space(d);
        if (d->at < d->end && *d->at == '+') {
            d->at++;
            skip_space(d);
            if (d->at < d->end && *d->at == '"') continue;
        }
        d->at = behind;
        d->marked.line = line;
        return CAFE_OK;
    }
}

/* <b>text</b> between < and >, which nest. */
static cafe_status take_markup(dot *d) {
    int64_t depth = 1;
    for (d->at++; d->at < d->end; d->at++) {
        depth += *d->at == '<' ? 1 : *d->at == '>' ? -1 : 0;
        d->marked.line += *d->at == '\n';
        if (depth == 0) break;
        CAFE_PASS(keep(d, *d->at));
    }
    if (d->at == d->end)
        return cafe_marked_fail(&d->marked, "expected a closing '>', found the end");
    d->at++;
    return CAFE_OK;
}

static cafe_status next(dot *d) {
    skip_space(d);
    d->length = 0;
    d->kind = END;
    d->quoted = false;
    CAFE_PASS(cafe_mem_grow(d->marked.context, &d->text, &d->room, 1, 1));
    d->text[0] = 0;
    if (d->at == d->end) return CAFE_OK;
    uint8_t c = *d->at;
    d->kind = ID;
    d->quoted = c == '"' || c == '<';
    if (c == '"') return take_quoted_sum(d);
    if (c == '<') return take_markup(d);
    if (starts(d, "--") || starts(d, "->")) {
        d->kind = EDGE;
        CAFE_PASS(keep(d, d->at[0]));
        CAFE_PASS(keep(d, d->at[1]));
        d->at += 2;
        return CAFE_OK;
    }
    if (c == '-' || is_letter(c)) {
        do CAFE_PASS(keep(d, *d->at++));
        while (d->at < d->end && is_letter(*d->at));
        return CAFE_OK;
    }
    CAFE_PASS(keep(d, c));
    if (!strchr("{}[]=;,:", c)) return fail(d, "an id, an edge or one of {}[]=;,:");
    d->kind = c;
    d->at++;
    return CAFE_OK;
}

static bool is_word(const dot *d, const char *word) {
    return d->kind == ID && !d->quoted && cafe_is_word(d->text, word);
}

/* ---- attributes ------------------------------------------------------------------------------ */

enum { OF_NODE, OF_EDGE, OF_DEFAULTS_NODE, OF_DEFAULTS_EDGE, OF_GRAPH };

static cafe_status copy(dot *d, char **to, int64_t *room, const char *text) {
    size_t bytes = strlen(text) + 1;
    CAFE_PASS(cafe_mem_grow(d->marked.context, to, room, (int64_t)bytes, 1));
    memcpy(*to, text, bytes);
    return CAFE_OK;
}

static cafe_status add_default(dot *d, bool edge) {
    if (d->default_count == MOST_DEFAULTS) return fail(d, "at most 256 default attributes");
    setting *s = &d->defaults[d->default_count++];
    *s = (setting){.edge = edge};
    s->name = cafe_mem_text(d->marked.context, d->name);
    s->value = cafe_mem_text(d->marked.context, d->text);
    return cafe_mem_had(s->name, s->value);
}

static void drop_defaults(dot *d, int count) {
    while (d->default_count > count) {
        setting *s = &d->defaults[--d->default_count];
        cafe_mem_free_all(d->marked.context, s->name, s->value);
    }
}

/* The attribute d->name with the value at hand. */
static cafe_status take_attribute(dot *d, int owner) {
    bool edge = owner == OF_EDGE || owner == OF_DEFAULTS_EDGE;
    if (edge && !cafe_marked_is_weight(&d->marked, d->name)) return CAFE_OK;
    switch (owner) {
        case OF_NODE: return cafe_marked_value(&d->marked, d->name, d->text);
        case OF_EDGE: return copy(d, &d->weight, &d->weight_room, d->text);
        case OF_GRAPH: return CAFE_OK;
        default: return add_default(d, edge);
    }
}

/* Lists "[a=b, c=d]" while there are any; the token behind them is the one at hand. */
static cafe_status take_lists(dot *d, int owner) {
    while (d->kind == '[') {
        CAFE_PASS(next(d));
        while (d->kind != ']') {
            if (d->kind != ID) return fail(d, "an attribute or ']'");
            CAFE_PASS(copy(d, &d->name, &d->name_room, d->text));
            CAFE_PASS(next(d));
            if (d->kind != '=') return fail(d, "'=' behind the attribute");
            CAFE_PASS(next(d));
            if (d->kind != ID) return fail(d, "a value behind '='");
            CAFE_PASS(take_attribute(d, owner));
            CAFE_PASS(next(d));
            if (d->kind == ',' || d->kind == ';') CAFE_PASS(next(d));
        }
        CAFE_PASS(next(d));
    }
    return CAFE_OK;
}

/* ---- nodes and edges ------------------------------------------------------------------------- */

static cafe_status take_statements(dot *d);

static cafe_status mention(dot *d, const char *id) {
    int64_t before = d->marked.nodes;
    CAFE_PASS(cafe_marked_node(&d->marked, id));
    CAFE_PASS(cafe_mem_grow(d->marked.context, &d->mentions, &d->mention_room, d->mentioned + 1,
                            sizeof *d->mentions));
    d->mentions[d->mentioned++] = d->marked.node;
    for (int i = 0; i < d->default_count && d->marked.nodes > before; i++) {
        const setting *s = &d->defaults[i];
        if (!s->edge) CAFE_PASS(cafe_marked_value(&d->marked, s->name, s->value));
    }
    return CAFE_OK;
}

static int by_number(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* The mentions from there on, each node once. */
static void settle_mentions(dot *d, int64_t from) {
    int64_t to = from;
    if (d->mentioned == from) return;
    qsort(d->mentions + from, (size_t)(d->mentioned - from), sizeof *d->mentions, by_number);
    for (int64_t i = from; i < d->mentioned; i++)
        if (to == from || d->mentions[to - 1] != d->mentions[i]) d->mentions[to++] = d->mentions[i];
    d->mentioned = to;
}

/* "{ ... }", whose brace is at hand. */
static cafe_status take_braces(dot *d) {
    int defaults = d->default_count;
    int64_t from = d->mentioned;
    if (d->kind != '{') return fail(d, "'{'");
    if (++d->depth > DEEPEST) return fail(d, "fewer subgraphs in subgraphs");
    CAFE_PASS(next(d));
    CAFE_PASS(take_statements(d));
    if (d->kind != '}') return fail(d, "'}'");
    d->depth--;
    drop_defaults(d, defaults);
    settle_mentions(d, from);
    return next(d);
}

/* An end of edges: a node with perhaps a port, or a subgraph. The range is that of its mentions. */
static cafe_status take_end(dot *d, bool *node) {
    range r = {.from = d->mentioned};
    *node = d->kind == ID && !is_word(d, "subgraph");
    if (*node) {
        CAFE_PASS(mention(d, d->text));
        CAFE_PASS(next(d));
        while (d->kind == ':') {
            CAFE_PASS(next(d));
            if (d->kind != ID) return fail(d, "a port behind ':'");
            CAFE_PASS(next(d));
        }
    } else {
        if (d->kind == ID) CAFE_PASS(next(d));
        if (d->kind == ID) CAFE_PASS(next(d)); /* its name */
        CAFE_PASS(take_braces(d));
    }
    r.to = d->mentioned;
    CAFE_PASS(cafe_mem_grow(d->marked.context, &d->chain, &d->chain_room, d->chained + 1,
                            sizeof *d->chain));
    d->chain[d->chained++] = r;
    return CAFE_OK;
}

/* The weight of the statement, else the last default; NULL: none. */
static const char *weight_of(const dot *d) {
    if (d->weight && d->weight[0]) return d->weight;
    for (int i = d->default_count - 1; i >= 0; i--)
        if (d->defaults[i].edge) return d->defaults[i].value;
    return NULL;
}

static cafe_status join(dot *d, range a, range b) {
    const char *weight = weight_of(d);
    for (int64_t i = a.from; i < a.to; i++) {
        CAFE_PASS(cafe_check_cancel(d->marked.context));
        for (int64_t j = b.from; j < b.to; j++)
            CAFE_PASS(
                cafe_marked_link(&d->marked, d->mentions[i], d->mentions[j], weight, d->arcs));
    }
    return CAFE_OK;
}

/* "a -- b -- {c d} [weight=2]", "a [colour=red]" or a subgraph. */
static cafe_status take_chain(dot *d) {
    int64_t first = d->chained;
    bool node;
    CAFE_PASS(take_end(d, &node));
    int64_t alone = d->marked.node;
    while (d->kind == EDGE) {
        if ((d->text[1] == '>') != d->arcs)
            return fail(d, d->arcs ? "'->' in a digraph" : "'--' in a graph");
        CAFE_PASS(next(d));
        if (d->kind != ID && d->kind != '{') return fail(d, "the second node of the edge");
        CAFE_PASS(take_end(d, &node));
    }
    bool edges = d->chained - first > 1;
    CAFE_PASS(copy(d, &d->weight, &d->weight_room, ""));
    d->marked.node = alone;
    CAFE_PASS(take_lists(d, edges ? OF_EDGE : node ? OF_NODE : OF_GRAPH));
    for (int64_t i = first; i + 1 < d->chained; i++)
        CAFE_PASS(join(d, d->chain[i], d->chain[i + 1]));
    d->chained = first;
    return CAFE_OK;
}

/* "name = value" of the graph, or the beginning of a chain. */
static cafe_status take_id(dot *d) {
    const uint8_t *at = d->at;
    int64_t line = d->marked.line;
    skip_space(d);
    bool assigned = d->at < d->end && *d->at == '=';
    d->at = at;
    d->marked.line = line;
    if (!assigned) return take_chain(d);
    CAFE_PASS(next(d));
    CAFE_PASS(next(d));
    return d->kind == ID ? next(d) : fail(d, "a value behind '='");
}

static cafe_status take_statements(dot *d) {
    while (d->kind == ID || d->kind == '{' || d->kind == ';') {
        int owner = is_word(d, "graph")  ? OF_GRAPH
                    : is_word(d, "node") ? OF_DEFAULTS_NODE
                    : is_word(d, "edge") ? OF_DEFAULTS_EDGE
                                         : -1;
        if (d->kind == ';') {
            CAFE_PASS(next(d));
        } else if (owner >= 0) {
            CAFE_PASS(next(d));
            if (d->kind != '[') return fail(d, "'['");
            CAFE_PASS(take_lists(d, owner));
        } else {
            CAFE_PASS(d->kind == '{' ? take_chain(d) : take_id(d));
        }
    }
    return CAFE_OK;
}

/* ---- the file -------------------------------------------------------------------------------- */

/* "strict digraph name {" and its end. A strict graph has each edge once. */
static cafe_status read_graph(dot *d) {
    CAFE_PASS(next(d));
    if (is_word(d, "strict")) {
        if (d->options.duplicates == CAFE_DUPLICATES_AUTO)
            d->options.duplicates = CAFE_DUPLICATES_ONE;
        CAFE_PASS(next(d));
    }
    d->arcs = is_word(d, "digraph");
    if (!d->arcs && !is_word(d, "graph")) return fail(d, "'graph' or 'digraph'");
    CAFE_PASS(next(d));
    if (d->kind == ID) CAFE_PASS(next(d));
    CAFE_PASS(take_braces(d));
    return d->kind == END ? CAFE_OK : fail(d, "one graph, and nothing behind it");
}

static cafe_status read_dot(cafe_input *input, const cafe_graph_options *options,
                            cafe_graph **graph) {
    cafe_context *context = input->context;
    cafe_status status = CAFE_OK;
    dot *d = cafe_mem_zero(context, 1, sizeof *d);
    if (!d) return CAFE_ERROR_MEMORY;
    d->options = *options;
    d->at = input->bytes;
    d->end = input->bytes + input->size;
    cafe_marked_init(context, input->name, CAFE_FORMAT_DOT, &d->options, &d->marked);
    d->marked.open = d->marked.drawn_labels = true;
    d->marked.missing = 1; /* Graphviz: an edge without a weight has 1 */
    if (starts(d, "\xef\xbb\xbf")) d->at += 3;
    CAFE_TRY(read_graph(d));
    status = cafe_marked_graph(&d->marked, graph);
done:
    drop_defaults(d, 0);
    cafe_mem_free_all(context, d->text, d->name, d->mentions, d->chain, d->weight);
    cafe_marked_free(&d->marked);
    cafe_mem_free(context, d);
    return status;
}

/* "strict", "graph" or "digraph" before a name and a brace, perhaps after comments. A list of edges
 * between nodes of such names has no brace. */
static bool is_dot(const uint8_t *bytes, int64_t size) {
    dot d = {.at = bytes, .end = bytes + size};
    static const char *const words[] = {"strict", "digraph", "graph"};
    bool any = false;
    skip_space(&d);
    for (int i = 0; i < 3; i++) {
        size_t length = strlen(words[i]);
        bool is = d.end - d.at > (int64_t)length &&
                  cafe_same_word((const char *)d.at, words[i], length) && !is_letter(d.at[length]);
        if (!is) continue;
        any |= i > 0;
        d.at += length;
        skip_space(&d);
        if (i > 0) break;
    }
    if (!any) return false;
    if (d.at < d.end && *d.at == '"')
        for (d.at++; d.at < d.end && *d.at != '"' && *d.at != '\n';) d.at++;
    while (d.at < d.end && (is_letter(*d.at) || *d.at == '"' || *d.at == '-')) d.at++;
    skip_space(&d);
    return d.at < d.end && *d.at == '{';
}

const cafe_graph_format cafe_graph_format_dot = {
    .is = is_dot, .read = read_dot, .directed = true, .whole = true, .attributes = true};
