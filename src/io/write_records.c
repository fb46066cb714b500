/* GraphML, GML, GEXF and node-link JSON out: nodes with their names and attributes, then the edges
 * (graph_writer.c).
 *
 * The names are ids, and in GEXF labels too. GML has integers as ids, and the names as labels; it
 * knows ASCII alone, so other characters are written as &#number;.
 */
#include <math.h>
#include <string.h>

#include <cafe-private/output.h>

#include "base/memory.h"
#include "base/print.h"
#include "graph/attributes.h"
#include "graph/graph.h"
#include "io/digits.h"
#include "io/graph_writer.h"
#include "io/name_format.h"

enum { NODES = 512 }; /* per block */

typedef struct marking {
    const cafe_output *output;
    const cafe_graph *graph;
    cafe_record_style style;
    int64_t longest; /* text of an attribute */
} marking;

static char *put(char *p, const char *text) {
    size_t length = strlen(text);
    memcpy(p, text, length);
    return p + length;
}

/* One byte as it may stand within quotes. */
static char *put_byte(char *p, uint8_t c) {
    switch (c) {
        case '"': return put(p, "&quot;");
        case '&': return put(p, "&amp;");
        case '<': return put(p, "&lt;");
        case '>': return put(p, "&gt;");
        case '\t': return put(p, "&#9;");
        case '\n': return put(p, "&#10;");
        case '\r': return put(p, "&#13;");
        default: *p++ = (char)c; return p;
    }
}

static char *put_xml(char *p, const char *text, int64_t length) {
    for (int64_t i = 0; i < length; i++) p = put_byte(p, (uint8_t)text[i]);
    return p;
}

/* The same with characters beyond ASCII as numbers; the text is sound UTF-8. */
static char *put_gml(char *p, const char *text, int64_t length) {
    for (int64_t i = 0; i < length;) {
        uint8_t c = (uint8_t)text[i++];
        if (c < 0x80) {
            p = put_byte(p, c);
            continue;
        }
        uint32_t code = c >= 0xF0 ? c & 0x07 : c >= 0xE0 ? c & 0x0F : c & 0x1F;
        for (; i < length && ((uint8_t)text[i] & 0xC0) == 0x80; i++)
            code = code << 6 | ((uint8_t)text[i] & 0x3F);
        p = put(p, "&#");
        p = cafe_put_integer(p, code);
        *p++ = ';';
    }
    return p;
}

static char *put_json(char *p, const char *text, int64_t length) {
    static const char digits[] = "0123456789abcdef";
    for (int64_t i = 0; i < length; i++) {
        uint8_t c = (uint8_t)text[i];
        if (c < ' ') {
            p = put(p, "\\u00");
            *p++ = digits[c >> 4];
            *p++ = digits[c & 15];
        } else {
            if (c == '"' || c == '\\') *p++ = '\\';
            *p++ = (char)c;
        }
    }
    return p;
}

static char *put_text(cafe_record_style style, const char *text, int64_t length, char *p) {
    switch (style) {
        case CAFE_RECORD_GML: return put_gml(p, text, length);
        case CAFE_RECORD_JSON: return put_json(p, text, length);
        default: return put_xml(p, text, length);
    }
}

/* The name of node u without quotes. */
static char *put_name(cafe_record_style style, const cafe_names *names, int64_t u, char *p) {
    if (names->kind != CAFE_NAMES_STRING) return cafe_put_name(names, u, p);
    return put_text(style, names->text + names->start[u], names->start[u + 1] - names->start[u], p);
}

static char *put_quoted_name(cafe_record_style style, const cafe_names *names, int64_t u, char *p) {
    bool bare = style == CAFE_RECORD_JSON && names->kind != CAFE_NAMES_STRING;
    if (!bare) *p++ = '"';
    p = put_name(style, names, u, p);
    if (!bare) *p++ = '"';
    return p;
}

/* ---- edges ----------------------------------------------------------------------------------- */

char *cafe_put_record(cafe_record_style style, const cafe_names *names, const cafe_record *e,
                      char *p) {
    static const char *const words[][5] = {
        [CAFE_RECORD_GRAPHML] = {"<edge source=", " target=", "><data key=\"weight\">",
                                 "</data></edge>\n", "/>\n"},
        [CAFE_RECORD_GML] = {"  edge [ source ", " target ", " weight ", " ]\n", " ]\n"},
        [CAFE_RECORD_GEXF] = {"\" source=", " target=", " weight=\"", "\"/>\n", "/>\n"},
        [CAFE_RECORD_JSON] = {"{\"source\": ", ", \"target\": ", ", \"weight\": ", "}", "}"}};
    const char *const *word = words[style];
    bool gml = style == CAFE_RECORD_GML;
    if (style == CAFE_RECORD_JSON)
        p = put(p, e->arc > 0 ? ",\n" : "\n"); /* no edge is before arc 0 */
    if (style == CAFE_RECORD_GEXF) p = cafe_put_integer(put(p, "<edge id=\""), e->arc);
    p = put(p, word[0]);
    p = gml ? cafe_put_integer(p, e->source) : put_quoted_name(style, names, e->source, p);
    p = put(p, word[1]);
    p = gml ? cafe_put_integer(p, e->target) : put_quoted_name(style, names, e->target, p);
    if (e->weighted) p = cafe_put_float(put(p, word[2]), e->weight);
    return put(p, word[e->weighted ? 3 : 4]);
}

/* ---- attributes ------------------------------------------------------------------------------ */

/* A key of GML: a letter, then letters and digits. */
static char *put_key(char *p, const char *name) {
    bool letter = (*name >= 'a' && *name <= 'z') || (*name >= 'A' && *name <= 'Z');
    if (!letter) *p++ = 'c';
    for (; *name; name++) {
        bool plain = (*name >= 'a' && *name <= 'z') || (*name >= 'A' && *name <= 'Z') ||
                     (*name >= '0' && *name <= '9');
        *p++ = plain ? *name : '_';
    }
    return p;
}

static bool is_number(const cafe_attribute *a) {
    return a->reals || a->numbers || (a->integers && !a->texts);
}

/* The value of node u as text: digits[CAFE_ATTRIBUTE_DIGITS] if it is a number. NULL: none, as for
 * a number that is not finite and that the format cannot hold. */
static const char *value_of(const marking *m, const cafe_attribute *a, int64_t u, char *digits) {
    if (a->numbers || a->texts) return cafe_attribute_text(a, u, digits);
    float real = a->reals ? a->reals[u * a->stride] : 0;
    if (!isfinite(real) && m->style == CAFE_RECORD_JSON) return NULL;
    char *end = a->reals ? cafe_put_float(digits, real) : cafe_put_integer(digits, a->integers[u]);
    *end = 0;
    return digits;
}

/* What stands before the value of attribute i. Keys of nodes that the format has itself get a _. */
static char *put_before(const marking *m, int64_t i, char *p) {
    const char *name = m->output->attributes[i].name;
    bool taken =
        strcmp(name, "id") == 0 || (m->style == CAFE_RECORD_GML && strcmp(name, "label") == 0);
    switch (m->style) {
        case CAFE_RECORD_GRAPHML: return put(cafe_put_integer(put(p, "<data key=\"d"), i), "\">");
        case CAFE_RECORD_GEXF:
            return put(cafe_put_integer(put(p, "<attvalue for=\""), i), "\" value=\"");
        case CAFE_RECORD_GML: return put(put_key(put(p, " "), name), taken ? "_ " : " ");
        case CAFE_RECORD_JSON:
            p = put_json(put(p, ", \""), name, (int64_t)strlen(name));
            return put(p, taken ? "_\": " : "\": ");
    }
    return p;
}

static char *put_attributes(const marking *m, int64_t u, char *p) {
    static const char *const behind[] = {[CAFE_RECORD_GRAPHML] = "</data>",
                                         [CAFE_RECORD_GML] = "",
                                         [CAFE_RECORD_GEXF] = "\"/>",
                                         [CAFE_RECORD_JSON] = ""};
    char digits[CAFE_ATTRIBUTE_DIGITS];
    for (int64_t i = 0; i < m->output->attribute_count; i++) {
        const cafe_attribute *a = &m->output->attributes[i];
        const char *text = value_of(m, a, u, digits);
        bool quotes =
            !is_number(a) && (m->style == CAFE_RECORD_GML || m->style == CAFE_RECORD_JSON);
        if (!text) continue;
        p = put(put_before(m, i, p), quotes ? "\"" : "");
        p = put_text(m->style, text, (int64_t)strlen(text), p);
        p = put(put(p, quotes ? "\"" : ""), behind[m->style]);
    }
    return p;
}

static char *put_node(const marking *m, int64_t u, char *p) {
    const cafe_names *names = &m->graph->names;
    bool bare = m->output->attribute_count == 0;
    switch (m->style) {
        case CAFE_RECORD_GRAPHML:
            p = put(put_quoted_name(m->style, names, u, put(p, "<node id=")), bare ? "/>" : ">");
            return put(put_attributes(m, u, p), bare ? "\n" : "</node>\n");
        case CAFE_RECORD_GEXF:
            p = put(put_quoted_name(m->style, names, u, put(p, "<node id=")), " label=");
            p = put(put_quoted_name(m->style, names, u, p), bare ? "/>\n" : "><attvalues>");
            return bare ? p : put(put_attributes(m, u, p), "</attvalues></node>\n");
        case CAFE_RECORD_GML:
            p = put(cafe_put_integer(put(p, "  node [ id "), u), " label ");
            return put(put_attributes(m, u, put_quoted_name(m->style, names, u, p)), " ]\n");
        case CAFE_RECORD_JSON:
            p = put_quoted_name(m->style, names, u, put(p, u > 0 ? ",\n{\"id\": " : "\n{\"id\": "));
            return put(put_attributes(m, u, p), "}");
    }
    return p;
}

static int64_t format_nodes(const void *argument, int64_t block, char *text) {
    const marking *m = argument;
    char *p = text;
    int64_t end = (block + 1) * NODES < m->graph->n ? (block + 1) * NODES : m->graph->n;
    for (int64_t u = block * NODES; u < end; u++) p = put_node(m, u, p);
    return p - text;
}

/* ---- the file -------------------------------------------------------------------------------- */

/* Control characters have no place in XML, and none in GML; lines may end in values. */
static cafe_status check_text(const marking *m, const char *what, const char *text, int64_t length,
                              bool lines) {
    if (m->style == CAFE_RECORD_JSON) return CAFE_OK;
    for (int64_t i = 0; i < length; i++)
        if ((uint8_t)text[i] < ' ' && !(text[i] == '\t' || (lines && strchr("\n\r", text[i]))))
            return cafe_fail(m->output->context, CAFE_ERROR_ARGUMENT,
                             "%s: expected %s without control characters, which the format cannot "
                             "hold",
                             m->output->path, what);
    return CAFE_OK;
}

static cafe_status check(marking *m) {
    const cafe_graph *g = m->graph;
    if (g->names.kind == CAFE_NAMES_STRING)
        CAFE_PASS(check_text(m, "names", g->names.text, g->names.start[g->n], false));
    for (int64_t i = 0; i < m->output->attribute_count; i++) {
        const cafe_attribute *a = &m->output->attributes[i];
        int64_t count = a->integers ? a->values : g->n;
        CAFE_PASS(check_text(m, "names of attributes", a->name, (int64_t)strlen(a->name), false));
        for (int64_t u = 0; a->texts && u < count; u++) {
            int64_t length = a->texts[u] ? (int64_t)strlen(a->texts[u]) : 0;
            CAFE_PASS(check_text(m, "attributes", a->texts[u], length, true));
            if (length > m->longest) m->longest = length;
        }
    }
    return CAFE_OK;
}

static cafe_status write_text(cafe_output *output, const char *text) {
    return cafe_output_write(output, text, (int64_t)strlen(text));
}

/* The declaration of attribute i of the nodes. */
static cafe_status write_key(cafe_output *output, bool gexf, int64_t i) {
    const cafe_attribute *a = &output->attributes[i];
    int64_t length = (int64_t)strlen(a->name), room = CAFE_XML_GROWTH * length + 128;
    char *line = cafe_mem(output->context, room, 1), *p = line;
    if (!line) return CAFE_ERROR_MEMORY;
    p = cafe_put_integer(put(p, gexf ? "<attribute id=\"" : "<key id=\"d"), i);
    p = put_xml(put(p, gexf ? "\" title=\"" : "\" for=\"node\" attr.name=\""), a->name, length);
    p = put(p, gexf ? "\" type=\"" : "\" attr.type=\"");
    p = put(put(p, !is_number(a) ? "string" : a->integers ? "long" : "double"), "\"/>\n");
    cafe_status status = cafe_output_write(output, line, p - line);
    cafe_mem_free(output->context, line);
    return status;
}

static cafe_status write_keys(cafe_output *output, const cafe_graph *graph, bool gexf) {
    int64_t count = output->attribute_count;
    if (!gexf && (graph->weights || graph->counts.self_loops_kept))
        CAFE_PASS(write_text(output,
                             "<key id=\"weight\" for=\"edge\" attr.name=\"weight\" "
                             "attr.type=\"double\"/>\n"));
    if (gexf && count > 0) CAFE_PASS(write_text(output, "<attributes class=\"node\">\n"));
    for (int64_t i = 0; i < count; i++) CAFE_PASS(write_key(output, gexf, i));
    return gexf && count > 0 ? write_text(output, "</attributes>\n") : CAFE_OK;
}

static cafe_status write_nodes(cafe_output *output, marking *m) {
    int64_t room = 2 * CAFE_XML_GROWTH * cafe_names_longest(&m->graph->names, m->graph->n) + 128;
    for (int64_t i = 0; i < output->attribute_count; i++)
        room += CAFE_XML_GROWTH * (m->longest + (int64_t)strlen(output->attributes[i].name)) + 128;
    return cafe_output_blocks(output, (m->graph->n + NODES - 1) / NODES, NODES * room, format_nodes,
                              m);
}

static cafe_status write_marked(cafe_output *output, const cafe_graph *graph,
                                cafe_record_style style) {
#define XML_HEAD "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
    static const char *const texts[][4] = {
        [CAFE_RECORD_GRAPHML] = {XML_HEAD "<graphml "
                                          "xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n",
                                 "<graph edgedefault=\"undirected\">\n", "",
                                 "</graph>\n</graphml>\n"},
        [CAFE_RECORD_GML] = {"graph [\n  directed 0\n", "", "", "]\n"},
        [CAFE_RECORD_GEXF] = {XML_HEAD
                              "<gexf xmlns=\"http://www.gexf.net/1.2draft\" version=\"1.2\">\n"
                              "<graph defaultedgetype=\"undirected\">\n",
                              "<nodes>\n", "</nodes>\n<edges>\n", "</edges>\n</graph>\n</gexf>\n"},
        [CAFE_RECORD_JSON] = {"{\"directed\": false, \"multigraph\": false, \"graph\": {},\n",
                              "\"nodes\": [", "\n],\n\"edges\": [", "\n]}\n"}};
#undef XML_HEAD
    marking m = {.output = output, .graph = graph, .style = style};
    bool xml = style == CAFE_RECORD_GRAPHML || style == CAFE_RECORD_GEXF;
    CAFE_PASS(check(&m));
    CAFE_PASS(write_text(output, texts[style][0]));
    if (xml) CAFE_PASS(write_keys(output, graph, style == CAFE_RECORD_GEXF));
    CAFE_PASS(write_text(output, texts[style][1]));
    CAFE_PASS(write_nodes(output, &m));
    CAFE_PASS(write_text(output, texts[style][2]));
    CAFE_PASS(cafe_write_record_edges(output, graph, style));
    return write_text(output, texts[style][3]);
}

cafe_status cafe_write_graphml(cafe_output *output, const cafe_graph *graph) {
    return write_marked(output, graph, CAFE_RECORD_GRAPHML);
}

cafe_status cafe_write_gml(cafe_output *output, const cafe_graph *graph) {
    return write_marked(output, graph, CAFE_RECORD_GML);
}

cafe_status cafe_write_gexf(cafe_output *output, const cafe_graph *graph) {
    return write_marked(output, graph, CAFE_RECORD_GEXF);
}

cafe_status cafe_write_json(cafe_output *output, const cafe_graph *graph) {
    return write_marked(output, graph, CAFE_RECORD_JSON);
}
