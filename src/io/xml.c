/* GraphML and GEXF, read by expat.
 *
 * Entities defined by a document are refused, so none can expand without end, and no other file is
 * ever opened. Unknown elements are skipped. expat allocates its own buffers, because its interface
 * cannot pass a context to an allocator.
 */
#include <string.h>

#include "base/memory.h"
#include "base/print.h"
#include "io/format_registry.h"
#include "io/graph_records.h"
#include "io/graph_writer.h"

/* The name without the prefix of its namespace. */
static const char *local(const char *name) {
    const char *colon = strchr(name, ':');
    return colon ? colon + 1 : name;
}

#ifdef CAFE_EXPAT
#include <expat.h>

enum { SLICE = 1 << 20, KEY = 128 };

typedef struct xml {
    cafe_marked marked;
    XML_Parser parser;
    cafe_status status;
    bool gexf;
    int depth, graphs;
    bool directed; /* edges are, unless they say otherwise */
    enum { IN_NOTHING, IN_NODE, IN_EDGE, IN_KEY } in;
    int item; /* depth of that element */
    char label_key[KEY], weight_key[KEY], key[KEY];
    bool key_label, key_weight, key_exact, label_exact; /* description of the current key */
    char fallback[64];                                  /* of the weight: the key's default */
    bool of_nodes;                                      /* GEXF: the attributes at hand are */
    bool gathers;                                       /* text of <data> or <default> is wanted */
    char *text, *id, *label;
    int64_t length, room, id_room, label_room;
    bool labelled;
} xml;

static void stop(xml *x, cafe_status status) {
    if (status == CAFE_OK || x->status != CAFE_OK) return;
    x->status = status;
    XML_StopParser(x->parser, XML_FALSE);
}

#define TRY(x, call)                      \
    do {                                  \
        stop(x, call);                    \
        if (x->status != CAFE_OK) return; \
    } while (0)

/* ---- pieces of XML --------------------------------------------------------------------------- */

static const char *attribute(const char **list, const char *name) {
    for (int i = 0; list[i]; i += 2)
        if (strcmp(local(list[i]), name) == 0) return list[i + 1];
    return NULL;
}

static cafe_status keep(xml *x, char **to, int64_t *room, const char *text) {
    int64_t length = (int64_t)strlen(text);
    CAFE_PASS(cafe_mem_grow(x->marked.context, to, room, length + 1, 1));
    memcpy(*to, text, (size_t)length + 1);
    return CAFE_OK;
}

static void copy(char *to, size_t capacity, const char *text) {
    cafe_print(to, capacity, "%s", text);
}

static void XMLCALL on_text(void *user, const char *bytes, int count) {
    xml *x = user;
    if (!x->gathers || x->status != CAFE_OK) return;
    TRY(x, cafe_mem_grow(x->marked.context, &x->text, &x->room, x->length + count + 1, 1));
    memcpy(x->text + x->length, bytes, (size_t)count);
    x->length += count;
    x->text[x->length] = 0;
}

static cafe_status gather(xml *x) {
    x->gathers = true;
    x->length = 0;
    return keep(x, &x->text, &x->room, "");
}

/* ---- elements -------------------------------------------------------------------------------- */

static cafe_status begin_graph(xml *x, const char **list) {
    const char *kind = attribute(list, x->gexf ? "defaultedgetype" : "edgedefault");
    if (++x->graphs > 1)
        return cafe_marked_fail(&x->marked, "expected one graph, found another, or one in another");
    x->directed = kind && strcmp(kind, "directed") == 0;
    return CAFE_OK;
}

/* <key id="d0" for="edge" attr.name="weight">: which data are labels, which the weight. */
static cafe_status begin_key(xml *x, const char **list) {
    const char *id = attribute(list, "id"), *name = attribute(list, "attr.name");
    const char *owner = attribute(list, "for");
    x->in = IN_KEY;
    x->item = x->depth;
    x->key[0] = 0;
    if (!id || strlen(id) >= KEY) return CAFE_OK;
    if (!name) name = id;
    bool nodes = !owner || strcmp(owner, "edge") != 0, edges = !owner || strcmp(owner, "node") != 0;
    if (nodes && cafe_marked_is_name(&x->marked, name) &&
        (strcmp(name, "name") != 0 || !x->label_key[0]))
        copy(x->label_key, KEY, id);
    if (edges && owner && strcmp(owner, "edge") == 0 && cafe_marked_is_weight(&x->marked, name)) {
        copy(x->weight_key, KEY, id);
        copy(x->key, KEY, id);
    }
    return CAFE_OK;
}

static cafe_status begin_node(xml *x, const char **list) {
    const char *id = attribute(list, "id"), *label = attribute(list, "label");
    if (x->in != IN_NOTHING) return cafe_marked_fail(&x->marked, "expected nodes beside nodes");
    if (!id) return cafe_marked_fail(&x->marked, "expected an id of the node");
    x->in = IN_NODE;
    x->item = x->depth;
    x->labelled = x->gexf && label && cafe_marked_is_name(&x->marked, "label");
    CAFE_PASS(keep(x, &x->id, &x->id_room, id));
    return x->labelled ? keep(x, &x->label, &x->label_room, label) : CAFE_OK;
}

/* GEXF: <attribute id="0" title="city">, of nodes, and <attvalue for="0" value="Bern">. */
static cafe_status begin_attribute(xml *x, const char *word, const char **list) {
    const char *class = attribute(list, "class"), *title = attribute(list, "title");
    const char *id = attribute(list, "id"), *owner = attribute(list, "for");
    const char *value = attribute(list, "value"), *wanted = x->marked.options->name;
    if (strcmp(word, "attributes") == 0) x->of_nodes = class && strcmp(class, "node") == 0;
    if (strcmp(word, "attribute") == 0 && wanted && x->of_nodes && title && id &&
        strcmp(title, wanted) == 0 && strlen(id) < KEY)
        copy(x->label_key, KEY, id);
    if (strcmp(word, "attvalue") != 0 || x->in != IN_NODE || !x->label_key[0] || !owner || !value)
        return CAFE_OK;
    if (strcmp(owner, x->label_key) != 0) return CAFE_OK;
    x->labelled = true;
    return keep(x, &x->label, &x->label_room, value);
}

static cafe_status begin_edge(xml *x, const char **list) {
    const char *source = attribute(list, "source"), *target = attribute(list, "target");
    const char *kind = attribute(list, x->gexf ? "type" : "directed");
    const char *weight = x->gexf ? attribute(list, "weight") : NULL;
    bool directed = x->directed;
    if (x->in != IN_NOTHING) return cafe_marked_fail(&x->marked, "expected edges beside nodes");
    if (!source || !target)
        return cafe_marked_fail(&x->marked, "expected source and target of the edge");
    if (kind) directed = strcmp(kind, "true") == 0 || strcmp(kind, "directed") == 0;
    if (weight && !cafe_marked_is_weight(&x->marked, "weight")) weight = NULL;
    x->in = IN_EDGE;
    x->item = x->depth;
    if (!weight && x->fallback[0]) weight = x->fallback;
    return cafe_marked_edge(&x->marked, source, target, weight, directed);
}

static cafe_status begin_data(xml *x, const char **list) {
    const char *key = attribute(list, "key");
    if (!key || x->depth != x->item + 1) return CAFE_OK;
    bool label = x->in == IN_NODE && x->label_key[0] && strcmp(key, x->label_key) == 0;
    bool weight = x->in == IN_EDGE && x->weight_key[0] && strcmp(key, x->weight_key) == 0;
    copy(x->key, KEY, key);
    return label || weight ? gather(x) : CAFE_OK;
}

static void XMLCALL on_begin(void *user, const char *name, const char **list) {
    xml *x = user;
    if (x->status != CAFE_OK) return;
    x->depth++;
    x->marked.line = (int64_t)XML_GetCurrentLineNumber(x->parser);
    const char *word = local(name);
    if (x->depth == 1) {
        bool known = strcmp(word, x->gexf ? "gexf" : "graphml") == 0;
        if (!known)
            TRY(x, cafe_marked_fail(&x->marked, "expected <%s>, found <%.40s>",
                                    x->gexf ? "gexf" : "graphml", word));
    }
    if (strcmp(word, "graph") == 0) TRY(x, begin_graph(x, list));
    if (strcmp(word, "hyperedge") == 0)
        TRY(x, cafe_marked_fail(&x->marked, "expected edges of two nodes, found a hyperedge"));
    if (strcmp(word, "node") == 0 && x->graphs > 0) TRY(x, begin_node(x, list));
    if (strcmp(word, "edge") == 0 && x->graphs > 0) TRY(x, begin_edge(x, list));
    if (x->gexf) {
        TRY(x, begin_attribute(x, word, list));
        return;
    }
    if (strcmp(word, "key") == 0 && x->in == IN_NOTHING) TRY(x, begin_key(x, list));
    if (strcmp(word, "data") == 0) TRY(x, begin_data(x, list));
    if (strcmp(word, "default") == 0 && x->in == IN_KEY && x->key[0]) TRY(x, gather(x));
}

static cafe_status end_text(xml *x) {
    x->gathers = false;
    if (x->in == IN_EDGE) return cafe_marked_weigh(&x->marked, x->text);
    if (x->in == IN_KEY) {
        copy(x->fallback, sizeof x->fallback, x->text);
        return CAFE_OK;
    }
    x->labelled = true;
    return keep(x, &x->label, &x->label_room, x->text);
}

static void XMLCALL on_end(void *user, const char *name) {
    xml *x = user;
    const char *word = local(name);
    if (x->status != CAFE_OK) return;
    bool text = strcmp(word, "data") == 0 || strcmp(word, "default") == 0;
    if (x->gathers && text && x->depth == x->item + 1) TRY(x, end_text(x));
    if (x->in != IN_NOTHING && x->depth == x->item) {
        if (x->in == IN_NODE)
            TRY(x, cafe_marked_node(&x->marked, x->id, x->labelled ? x->label : NULL));
        x->in = IN_NOTHING;
        x->gathers = false;
    }
    x->depth--;
}

static void XMLCALL on_entity(void *user, const char *name, int parameter, const char *value,
                              int length, const char *base, const char *system, const char *public,
                              const char *notation) {
    xml *x = user;
    (void)name, (void)parameter, (void)value, (void)length;
    (void)base, (void)system, (void)public, (void)notation;
    stop(x, cafe_marked_fail(&x->marked, "expected no entities of the document's own, found one"));
}

/* ---- the file -------------------------------------------------------------------------------- */

static cafe_status feed(xml *x, const cafe_input *input) {
    for (int64_t at = 0; at < input->size || at == 0; at += SLICE) {
        int64_t count = input->size - at < SLICE ? input->size - at : SLICE;
        bool last = at + count == input->size;
        CAFE_PASS(cafe_check_cancel(input->context));
        enum XML_Status parsed =
            XML_Parse(x->parser, (const char *)input->bytes + at, (int)count, last);
        if (x->status != CAFE_OK) return x->status;
        if (parsed == XML_STATUS_OK) continue;
        if (XML_GetErrorCode(x->parser) == XML_ERROR_NO_MEMORY)
            return cafe_fail_memory(input->context, "reading XML");
        x->marked.line = (int64_t)XML_GetCurrentLineNumber(x->parser);
        return cafe_marked_fail(&x->marked, "expected well-formed XML, found: %s",
                                XML_ErrorString(XML_GetErrorCode(x->parser)));
    }
    return CAFE_OK;
}

static cafe_status read_xml(cafe_input *input, const cafe_graph_options *options, bool gexf,
                            cafe_graph **graph) {
    xml x = {.gexf = gexf};
    cafe_status status = CAFE_OK;
    cafe_marked_init(input->context, input->name, gexf ? CAFE_FORMAT_GEXF : CAFE_FORMAT_GRAPHML,
                     options, &x.marked);
    if (gexf) x.marked.missing = 1; /* as its schema has it */
    x.parser = XML_ParserCreate(NULL);
    if (!x.parser) CAFE_TRY(cafe_fail_memory(input->context, "reading XML"));
    XML_SetUserData(x.parser, &x);
    XML_SetElementHandler(x.parser, on_begin, on_end);
    XML_SetCharacterDataHandler(x.parser, on_text);
    XML_SetEntityDeclHandler(x.parser, on_entity);
    CAFE_TRY(feed(&x, input));
    if (x.graphs == 0) CAFE_TRY(cafe_marked_fail(&x.marked, "expected a graph, found none"));
    status = cafe_marked_graph(&x.marked, graph);
done:
    if (x.parser) XML_ParserFree(x.parser);
    cafe_mem_free_all(input->context, x.text, x.id, x.label);
    cafe_marked_free(&x.marked);
    return status;
}
#else
static cafe_status read_xml(cafe_input *input, const cafe_graph_options *options, bool gexf,
                            cafe_graph **graph) {
    (void)options, (void)gexf, (void)graph;
    return cafe_fail(input->context, CAFE_ERROR_FORMAT,
                     "%s: expected another format, found XML, which this build without expat "
                     "does not read",
                     input->name);
}
#endif

/* Reads the name of the first element, after declarations and comments. */
static bool has_root(const uint8_t *bytes, int64_t size, const char *name) {
    char text[1025] = {0};
    size_t length = strlen(name);
    if (size > 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0) {
        bytes += 3;
        size -= 3;
    }
    memcpy(text, bytes, (size_t)(size < 1024 ? size : 1024));
    const char *p = text + strspn(text, " \t\r\n");
    if (*p != '<') return false;
    for (; (p = strchr(p, '<')) != NULL; p++) {
        const char *word = local(p + 1);
        if (strncmp(p + 1, name, length) == 0) return true;
        if (word > p + 1 && word < p + 32 && strncmp(word, name, length) == 0) return true;
    }
    return false;
}

static bool is_graphml(const uint8_t *bytes, int64_t size) {
    return has_root(bytes, size, "graphml");
}

static bool is_gexf(const uint8_t *bytes, int64_t size) {
    return has_root(bytes, size, "gexf");
}

static cafe_status read_graphml(cafe_input *input, const cafe_graph_options *options,
                                cafe_graph **graph) {
    return read_xml(input, options, false, graph);
}

static cafe_status read_gexf(cafe_input *input, const cafe_graph_options *options,
                             cafe_graph **graph) {
    return read_xml(input, options, true, graph);
}

const cafe_graph_format cafe_graph_format_graphml = {.is = is_graphml,
                                                     .read = read_graphml,
                                                     .write = cafe_write_graphml,
                                                     .directed = true,
                                                     .whole = true};
const cafe_graph_format cafe_graph_format_gexf = {
    .is = is_gexf, .read = read_gexf, .directed = true, .whole = true};
