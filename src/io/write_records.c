/* GraphML and GML out: nodes with their names and attributes, then the edges (graph_writer.c).
 *
 * GraphML has the names as ids. GML has integers there, and the names as labels; it knows ASCII
 * alone, so other characters are written as &#number;.
 */
#include <string.h>

#include <cafe-private/output.h>

#include "base/memory.h"
#include "base/print.h"
#include "graph/graph.h"
#include "io/digits.h"
#include "io/graph_writer.h"
#include "io/name_format.h"

enum { NODES = 512 }; /* per block */

typedef struct marking {
    const cafe_output *output;
    const cafe_graph *graph;
    bool xml;
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

char *cafe_put_xml(const cafe_names *names, int64_t u, char *p) {
    if (names->kind != CAFE_NAMES_STRING) return cafe_put_name(names, u, p);
    return put_xml(p, names->text + names->start[u], names->start[u + 1] - names->start[u]);
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

static char *put_value(const marking *m, const cafe_attribute *a, int64_t u, char *p) {
    if (a->reals) return cafe_put_float(p, a->reals[u * a->stride]);
    if (a->integers) return cafe_put_integer(p, a->integers[u]);
    const char *text = a->texts[u] ? a->texts[u] : "";
    if (m->xml) return put_xml(p, text, (int64_t)strlen(text));
    *p++ = '"';
    p = put_gml(p, text, (int64_t)strlen(text));
    *p++ = '"';
    return p;
}

static char *put_attributes(const marking *m, int64_t u, char *p) {
    for (int64_t i = 0; i < m->output->attribute_count; i++) {
        const cafe_attribute *a = &m->output->attributes[i];
        if (m->xml) {
            p = put(p, "<data key=\"d");
            p = cafe_put_integer(p, i);
            p = put(p, "\">");
        } else {
            *p++ = ' ';
            p = put_key(p, a->name);
            *p++ = ' ';
        }
        p = put_value(m, a, u, p);
        if (m->xml) p = put(p, "</data>");
    }
    return p;
}

static char *put_node(const marking *m, int64_t u, char *p) {
    const cafe_names *names = &m->graph->names;
    bool bare = m->output->attribute_count == 0;
    if (m->xml) {
        p = put(p, "<node id=\"");
        p = cafe_put_xml(names, u, p);
        p = put(p, bare ? "\"/>" : "\">");
        p = put_attributes(m, u, p);
        return put(p, bare ? "\n" : "</node>\n");
    }
    p = put(p, "  node [ id ");
    p = cafe_put_integer(p, u);
    p = put(p, " label \"");
    if (names->kind == CAFE_NAMES_STRING)
        p = put_gml(p, names->text + names->start[u], names->start[u + 1] - names->start[u]);
    else
        p = cafe_put_name(names, u, p);
    *p++ = '"';
    p = put_attributes(m, u, p);
    return put(p, " ]\n");
}

static int64_t format_nodes(const void *argument, int64_t block, char *text) {
    const marking *m = argument;
    char *p = text;
    int64_t end = (block + 1) * NODES < m->graph->n ? (block + 1) * NODES : m->graph->n;
    for (int64_t u = block * NODES; u < end; u++) p = put_node(m, u, p);
    return p - text;
}

/* ---- the file -------------------------------------------------------------------------------- */

/* Control characters have no place in XML, and none in GML. */
static cafe_status check_text(const marking *m, const char *what, const char *text,
                              int64_t length) {
    const char *path = m->output->path;
    for (int64_t i = 0; i < length; i++)
        if ((uint8_t)text[i] < ' ' && text[i] != '\t')
            return cafe_fail(m->output->context, CAFE_ERROR_ARGUMENT,
                             "%s: expected %s without control characters, which the format cannot "
                             "hold",
                             path, what);
    return CAFE_OK;
}

static cafe_status check(marking *m) {
    const cafe_graph *g = m->graph;
    if (g->names.kind == CAFE_NAMES_STRING)
        CAFE_PASS(check_text(m, "names", g->names.text, g->names.start[g->n]));
    for (int64_t i = 0; i < m->output->attribute_count; i++) {
        const cafe_attribute *a = &m->output->attributes[i];
        CAFE_PASS(check_text(m, "names of attributes", a->name, (int64_t)strlen(a->name)));
        for (int64_t u = 0; a->texts && u < g->n; u++) {
            int64_t length = a->texts[u] ? (int64_t)strlen(a->texts[u]) : 0;
            CAFE_PASS(check_text(m, "attributes", a->texts[u], length));
            if (length > m->longest) m->longest = length;
        }
    }
    return CAFE_OK;
}

static cafe_status write_text(cafe_output *output, const char *text) {
    return cafe_output_write(output, text, (int64_t)strlen(text));
}

static cafe_status write_keys(cafe_output *output, const cafe_graph *graph) {
    cafe_status status = CAFE_OK;
    if (graph->weights || graph->counts.self_loops_kept)
        CAFE_PASS(write_text(output,
                             "<key id=\"weight\" for=\"edge\" attr.name=\"weight\" "
                             "attr.type=\"double\"/>\n"));
    for (int64_t i = 0; i < output->attribute_count && status == CAFE_OK; i++) {
        const cafe_attribute *a = &output->attributes[i];
        int64_t length = (int64_t)strlen(a->name), room = CAFE_XML_GROWTH * length + 128;
        char *line = cafe_mem(output->context, room, 1), *p = line;
        if (!line) return CAFE_ERROR_MEMORY;
        p = put(p, "<key id=\"d");
        p = cafe_put_integer(p, i);
        p = put(p, "\" for=\"node\" attr.name=\"");
        p = put_xml(p, a->name, length);
        p = put(p, "\" attr.type=\"");
        p = put(p, a->reals ? "double" : a->integers ? "long" : "string");
        p = put(p, "\"/>\n");
        status = cafe_output_write(output, line, p - line);
        cafe_mem_free(output->context, line);
    }
    return status;
}

static cafe_status write_nodes(cafe_output *output, marking *m) {
    int64_t room = CAFE_XML_GROWTH * cafe_names_longest(&m->graph->names, m->graph->n) + 128;
    for (int64_t i = 0; i < output->attribute_count; i++)
        room += CAFE_XML_GROWTH * m->longest + (int64_t)strlen(output->attributes[i].name) + 128;
    return cafe_output_blocks(output, (m->graph->n + NODES - 1) / NODES, NODES * room, format_nodes,
                              m);
}

static cafe_status write_marked(cafe_output *output, const cafe_graph *graph, bool xml) {
    marking m = {.output = output, .graph = graph, .xml = xml};
    CAFE_PASS(check(&m));
    CAFE_PASS(write_text(output, xml ? "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<graphml "
                                       "xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n"
                                     : "graph [\n  directed 0\n"));
    if (xml) CAFE_PASS(write_keys(output, graph));
    if (xml) CAFE_PASS(write_text(output, "<graph edgedefault=\"undirected\">\n"));
    CAFE_PASS(write_nodes(output, &m));
    CAFE_PASS(cafe_write_marked_edges(output, graph, xml));
    return write_text(output, xml ? "</graph>\n</graphml>\n" : "]\n");
}

cafe_status cafe_write_graphml(cafe_output *output, const cafe_graph *graph) {
    return write_marked(output, graph, true);
}

cafe_status cafe_write_gml(cafe_output *output, const cafe_graph *graph) {
    return write_marked(output, graph, false);
}
