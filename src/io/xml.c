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

/* A declared attribute: <key> of GraphML, <attribute> of GEXF. Several keys may have one name, as
 * where values are integers in some elements and reals in others. */
typedef struct key {
    char *name;
    char *fallback; /* value of elements without one; NULL: none */
    bool node, weight;
} key;

typedef struct xml {
    cafe_marked marked;
    XML_Parser parser;
    cafe_status status;
    bool gexf;
    int depth, graphs;
    bool directed; /* edges are, unless they say otherwise */
    enum { IN_NOTHING, IN_NODE, IN_EDGE, IN_KEY } in;
    int item;            /* depth of that element */
    cafe_dictionary ids; /* of the keys, with the letter of their class before them */
    key *keys;
    int64_t key_count, key_room;
    int64_t key;            /* the key at hand, or the first one of <key> */
    int64_t default_weight; /* the key of the weight that has a default; -1: none */
    bool of_nodes;          /* GEXF: the attributes at hand are */
    bool weighed, stated;   /* the edge at hand has its weight; the element <edge> states it */
    bool gathers;           /* text of <data> or <default> is wanted */
    char *text;
    int64_t length, room;
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
    CAFE_PASS(cafe_mem_grow(x->marked.context, &x->text, &x->room, 1, 1));
    x->text[0] = 0;
    return CAFE_OK;
}

/* ---- elements -------------------------------------------------------------------------------- */

static cafe_status begin_graph(xml *x, const char **list) {
    const char *kind = attribute(list, x->gexf ? "defaultedgetype" : "edgedefault");
    if (++x->graphs > 1)
        return cafe_marked_fail(&x->marked, "expected one graph, found another, or one in another");
    x->directed = kind && strcmp(kind, "directed") == 0;
    return CAFE_OK;
}

/* ---- keys ------------------------------------------------------------------------------------ */

/* The number of a key by its id, or -1. Nodes and edges may have keys of the same id. */
static int64_t find_key(const xml *x, const char *id, bool node) {
    char text[KEY];
    int length = cafe_print(text, KEY, "%c%s", node ? 'n' : 'e', id);
    return length < KEY ? cafe_dictionary_find(&x->ids, text, length) : -1;
}

static cafe_status add_key(xml *x, const char *id, const char *name, bool node) {
    cafe_context *context = x->marked.context;
    char text[KEY];
    int64_t number;
    int length = cafe_print(text, KEY, "%c%s", node ? 'n' : 'e', id);
    if (length >= KEY) return CAFE_OK;
    CAFE_PASS(cafe_dictionary_add(&x->ids, text, length, &number));
    if (number < x->key_count)
        return cafe_marked_fail(&x->marked, "expected another id of the key, found '%.40s' again",
                                id);
    CAFE_PASS(cafe_mem_grow(context, &x->keys, &x->key_room, number + 1, sizeof *x->keys));
    key *k = &x->keys[x->key_count++];
    *k = (key){.node = node, .weight = !node && cafe_marked_is_weight(&x->marked, name)};
    k->name = cafe_mem_text(context, name);
    return k->name ? CAFE_OK : CAFE_ERROR_MEMORY;
}

/* GraphML: <key id="d0" for="edge" attr.name="weight">; GEXF: <attribute id="0" title="city">. */
static cafe_status begin_key(xml *x, const char **list) {
    const char *id = attribute(list, "id"),
               *name = attribute(list, x->gexf ? "title" : "attr.name");
    const char *owner = x->gexf ? x->of_nodes ? "node" : "edge" : attribute(list, "for");
    bool all = !owner || strcmp(owner, "all") == 0;
    if (x->in != IN_NOTHING || !id) return CAFE_OK;
    x->in = IN_KEY;
    x->item = x->depth;
    x->key = x->key_count;
    if (!name) name = id;
    if (all || strcmp(owner, "node") == 0) CAFE_PASS(add_key(x, id, name, true));
    return all || strcmp(owner, "edge") == 0 ? add_key(x, id, name, false) : CAFE_OK;
}

/* A value of the node or the edge at hand. */
static cafe_status take_value(xml *x, const key *k, const char *value) {
    if (x->in == IN_NODE && k->node) return cafe_marked_value(&x->marked, k->name, value);
    if (x->in != IN_EDGE || !k->weight || x->stated) return CAFE_OK;
    float before = x->weighed ? x->marked.weights[x->marked.count - 1] : -1;
    CAFE_PASS(cafe_marked_weigh(&x->marked, value));
    if (x->weighed && (!x->gexf || x->marked.weights[x->marked.count - 1] != before))
        return cafe_marked_fail(&x->marked,
                                "expected one '%.40s' of the edge, found two (" CAFE_OPT(
                                    "weights=no") " ignores weights that change with time)",
                                k->name);
    x->weighed = true;
    return CAFE_OK;
}

/* ---- nodes and edges ------------------------------------------------------------------------- */

static cafe_status begin_node(xml *x, const char **list) {
    const char *id = attribute(list, "id"), *label = attribute(list, "label");
    if (x->in != IN_NOTHING) return cafe_marked_fail(&x->marked, "expected nodes beside nodes");
    if (!id) return cafe_marked_fail(&x->marked, "expected an id of the node");
    x->in = IN_NODE;
    x->item = x->depth;
    CAFE_PASS(cafe_marked_node(&x->marked, id));
    return x->gexf && label ? cafe_marked_value(&x->marked, "label", label) : CAFE_OK;
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
    x->weighed = x->stated = weight != NULL;
    return cafe_marked_edge(&x->marked, source, target, weight, directed);
}

/* <data key="d0">, the text follows; GEXF: <attvalue for="0" value="Bern"/>. */
static cafe_status begin_data(xml *x, const char **list) {
    const char *id = attribute(list, x->gexf ? "for" : "key"), *value = attribute(list, "value");
    if (!id || (x->in != IN_NODE && x->in != IN_EDGE)) return CAFE_OK;
    if (!x->gexf && x->depth != x->item + 1) return CAFE_OK;
    x->key = find_key(x, id, x->in == IN_NODE);
    if (x->key < 0) return CAFE_OK;
    if (!x->gexf) return gather(x);
    return value ? take_value(x, &x->keys[x->key], value) : CAFE_OK;
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
    if (x->gexf && strcmp(word, "attributes") == 0) {
        const char *class = attribute(list, "class");
        x->of_nodes = class && strcmp(class, "node") == 0;
    }
    if (x->gathers && x->depth > x->item + 1) x->gathers = false; /* elements are no value */
    if (strcmp(word, x->gexf ? "attribute" : "key") == 0) TRY(x, begin_key(x, list));
    if (strcmp(word, x->gexf ? "attvalue" : "data") == 0) TRY(x, begin_data(x, list));
    if (strcmp(word, "default") == 0 && x->in == IN_KEY) TRY(x, gather(x));
}

static cafe_status end_text(xml *x) {
    x->gathers = false;
    if (x->in != IN_KEY) return take_value(x, &x->keys[x->key], x->text);
    for (int64_t i = x->key; i < x->key_count; i++) {
        key *k = &x->keys[i];
        cafe_mem_free(x->marked.context, k->fallback);
        k->fallback = cafe_mem_text(x->marked.context, x->text);
        if (!k->fallback) return CAFE_ERROR_MEMORY;
        if (k->weight) x->default_weight = i;
    }
    return CAFE_OK;
}

static cafe_status end_edge(xml *x) {
    if (x->weighed || x->default_weight < 0) return CAFE_OK;
    return cafe_marked_weigh(&x->marked, x->keys[x->default_weight].fallback);
}

/* Nodes without a value get the default of the key. */
static cafe_status fill_nodes(xml *x) {
    for (int64_t i = 0; i < x->key_count; i++) {
        const key *k = &x->keys[i];
        if (k->node && k->fallback) CAFE_PASS(cafe_marked_fill(&x->marked, k->name, k->fallback));
    }
    return CAFE_OK;
}

static void XMLCALL on_end(void *user, const char *name) {
    xml *x = user;
    const char *word = local(name);
    if (x->status != CAFE_OK) return;
    bool text = strcmp(word, "data") == 0 || strcmp(word, "default") == 0;
    if (x->gathers && text && x->depth == x->item + 1) TRY(x, end_text(x));
    if (x->in != IN_NOTHING && x->depth == x->item) {
        if (x->in == IN_EDGE) TRY(x, end_edge(x));
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
    xml x = {.gexf = gexf, .ids = {.context = input->context}, .default_weight = -1};
    cafe_status status = CAFE_OK;
    cafe_marked_init(input->context, input->name, gexf ? CAFE_FORMAT_GEXF : CAFE_FORMAT_GRAPHML,
                     options, &x.marked);
    if (gexf) x.marked.missing = 1; /* as its schema has it */
    x.parser = XML_ParserCreate(input->encoding ? "UTF-8" : NULL);
    if (!x.parser) CAFE_TRY(cafe_fail_memory(input->context, "reading XML"));
    XML_SetUserData(x.parser, &x);
    XML_SetElementHandler(x.parser, on_begin, on_end);
    XML_SetCharacterDataHandler(x.parser, on_text);
    XML_SetEntityDeclHandler(x.parser, on_entity);
    CAFE_TRY(feed(&x, input));
    if (x.graphs == 0) CAFE_TRY(cafe_marked_fail(&x.marked, "expected a graph, found none"));
    CAFE_TRY(fill_nodes(&x));
    status = cafe_marked_graph(&x.marked, graph);
done:
    if (x.parser) XML_ParserFree(x.parser);
    for (int64_t i = 0; i < x.key_count; i++)
        cafe_mem_free_all(input->context, x.keys[i].name, x.keys[i].fallback);
    cafe_dictionary_free(&x.ids);
    cafe_mem_free_all(input->context, x.text, x.keys);
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
                                                     .attributes = true,
                                                     .encoded = true,
                                                     .whole = true};
const cafe_graph_format cafe_graph_format_gexf = {.is = is_gexf,
                                                  .read = read_gexf,
                                                  .write = cafe_write_gexf,
                                                  .directed = true,
                                                  .attributes = true,
                                                  .encoded = true,
                                                  .whole = true};
