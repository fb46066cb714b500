/* Node-link JSON, of networkx and d3: {"directed": true, "nodes": [{"id": "a", "group": 1}],
 * "links": [{"source": "a", "target": "b", "weight": 2}]}; networkx also writes "edges".
 *
 * Cytoscape has both lists in "elements", and the members of a node or an edge in its "data".
 *
 * In graphology the id is "key", further members are in "attributes", and the kind of edges is in
 * {"options": {"type": "directed"}}. In vis.js the ends are "from" and "to".
 *
 * Ends of edges are ids of nodes. They are places in the list of nodes, from 0, if nodes have no
 * ids, or if all ids are texts and the end is a number. Values that are lists or objects are no
 * attributes.
 */
#include <string.h>

#include "base/memory.h"
#include "base/print.h"
#include "io/format_registry.h"
#include "io/graph_records.h"
#include "io/graph_writer.h"

enum { DEEPEST = 64 };
typedef enum value_kind { TEXT, NUMBER, WORD, NOTHING, NESTED } value_kind;

typedef struct json {
    cafe_marked marked;
    const uint8_t *at, *end;
    char *key, *text, *ends[2], *weight;
    int64_t key_room, room, end_rooms[2], weight_room;
    value_kind kind, end_kinds[2]; /* of the value at hand, and of the ends */
    int ranks[2];                  /* of the members that the ends are from; 0: none yet */
    int depth;
    bool weighted, undirected;     /* the edge at hand is */
    int64_t numbered, named, bare; /* nodes whose id is a number, a text; nodes without */
    bool directed, nodes, edges;   /* members that were there */
} json;

static cafe_status fail(json *j, const char *expected) {
    char shown[180];
    while (j->at > j->end) j->at--;
    cafe_escape(j->at, j->end - j->at < 20 ? j->end - j->at : 20, 20, shown);
    return cafe_marked_fail(
        &j->marked, "expected %s, found %s%s%s", expected, j->at < j->end ? "'" : "",
        j->at < j->end ? shown : "the end of the file", j->at < j->end ? "'" : "");
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void skip_space(json *j) {
    for (; j->at < j->end && memchr(" \t\r\n", *j->at, 4); j->at++)
        j->marked.line += *j->at == '\n';
}

/* Takes the character if it comes next. */
static bool take(json *j, uint8_t c) {
    skip_space(j);
    bool is = j->at < j->end && *j->at == c;
    j->at += is;
    return is;
}

static cafe_status take_string(json *j, char **to, int64_t *room) {
    int64_t length = 0;
    if (!take(j, '"')) return fail(j, "a text in quotes");
    for (;;) {
        char utf8[4] = {0};
        int count = 1;
        CAFE_PASS(cafe_mem_grow(j->marked.context, to, room, length + 5, 1));
        if (j->at == j->end || *j->at < ' ') return fail(j, "a closing quote on the same line");
        utf8[0] = (char)*j->at++;
        if (utf8[0] == '"') break;
        if (utf8[0] == '\\' &&
            (count = cafe_take_escape((const char **)&j->at, (const char *)j->end, utf8)) == 0)
            return fail(j, "an escape of JSON, of a character that texts may have");
        memcpy(*to + length, utf8, (size_t)count);
        length += count;
    }
    (*to)[length] = 0;
    return CAFE_OK;
}

/* A number, true, false or null, also the NaN and Infinity of Python: nothing. */
static cafe_status take_bare(json *j) {
    const uint8_t *begin = j->at;
    const char *end;
    while (j->at < j->end && !strchr(" \t\r\n,]}[{:\"", *j->at)) j->at++;
    int64_t length = j->at - begin;
    CAFE_PASS(cafe_mem_grow(j->marked.context, &j->text, &j->room, length + 1, 1));
    memcpy(j->text, begin, (size_t)length);
    j->text[length] = 0;
    static const char *const nothing[] = {"null", "NaN", "Infinity", "-Infinity"};
    for (int i = 0; i < 4; i++)
        if (strcmp(j->text, nothing[i]) == 0) {
            j->kind = NOTHING;
            return CAFE_OK;
        }
    j->kind = WORD;
    if (strcmp(j->text, "true") == 0 || strcmp(j->text, "false") == 0) return CAFE_OK;
    j->kind = NUMBER;
    cafe_parse_number(j->text, &end);
    if (length > 0 && *end == 0 && (size_t)length == strlen(j->text)) return CAFE_OK;
    j->at = begin;
    return fail(j, "a value");
}

static cafe_status take_value(json *j);

/* The key of the next member of an object whose brace was read; *more is false at its end. */
static cafe_status next_key(json *j, bool first, bool *more) {
    *more = !take(j, '}');
    if (!*more) return CAFE_OK;
    if (!first && !take(j, ',')) return fail(j, "',' or '}'");
    CAFE_PASS(take_string(j, &j->key, &j->key_room));
    return take(j, ':') ? CAFE_OK : fail(j, "':'");
}

/* Is there a next element of a list whose bracket was read? */
static cafe_status next_element(json *j, bool first, bool *more) {
    *more = !take(j, ']');
    return !*more || first || take(j, ',') ? CAFE_OK : fail(j, "',' or ']'");
}

static cafe_status skip_nested(json *j, bool object) {
    bool more;
    if (++j->depth > DEEPEST) return fail(j, "fewer lists in lists");
    for (bool first = true;; first = false) {
        CAFE_PASS(object ? next_key(j, first, &more) : next_element(j, first, &more));
        if (!more) break;
        CAFE_PASS(take_value(j));
    }
    j->depth--;
    j->kind = NESTED;
    return CAFE_OK;
}

/* The value into j->text; a list or an object is skipped. */
static cafe_status take_value(json *j) {
    skip_space(j);
    if (j->at < j->end && *j->at == '"') {
        j->kind = TEXT;
        return take_string(j, &j->text, &j->room);
    }
    if (take(j, '{')) return skip_nested(j, true);
    if (take(j, '[')) return skip_nested(j, false);
    return take_bare(j);
}

static cafe_status keep(json *j, char **to, int64_t *room) {
    size_t bytes = strlen(j->text) + 1;
    CAFE_PASS(cafe_mem_grow(j->marked.context, to, room, (int64_t)bytes, 1));
    memcpy(*to, j->text, bytes);
    return CAFE_OK;
}

/* ---- nodes ----------------------------------------------------------------------------------- */

/* Does the member at hand hold the members of a node or an edge? Its brace is read. */
static bool take_inner(json *j) {
    bool inner = strcmp(j->key, "data") == 0 || strcmp(j->key, "attributes") == 0;
    return inner && take(j, '{');
}

/* The id among the members of a node into ends[0]: "id", else "key", else "id" of its "data". */
static cafe_status find_id(json *j, bool inner) {
    bool more;
    for (bool first = true;; first = false) {
        CAFE_PASS(next_key(j, first, &more));
        if (!more) return CAFE_OK;
        bool data = strcmp(j->key, "data") == 0;
        if (!inner && take_inner(j)) {
            CAFE_PASS(data ? find_id(j, true) : skip_nested(j, true));
            continue;
        }
        CAFE_PASS(take_value(j));
        bool id = strcmp(j->key, "id") == 0, scalar = j->kind == TEXT || j->kind == NUMBER;
        int rank = id ? (inner ? 1 : 3) : !inner && scalar && strcmp(j->key, "key") == 0 ? 2 : 0;
        if (rank <= j->ranks[0]) continue;
        if (!scalar) return fail(j, "a text or a number before this");
        CAFE_PASS(keep(j, &j->ends[0], &j->end_rooms[0]));
        j->end_kinds[0] = j->kind;
        j->ranks[0] = rank;
    }
}

/* A node without an id has its place for one. */
static cafe_status take_id(json *j) {
    char place[24];
    j->ranks[0] = 0;
    CAFE_PASS(find_id(j, false));
    if (j->ranks[0] > 0) {
        j->numbered += j->end_kinds[0] == NUMBER;
        j->named += j->end_kinds[0] == TEXT;
        return cafe_marked_node(&j->marked, j->ends[0]);
    }
    cafe_print(place, sizeof place, "%lld", (long long)j->bare++);
    return cafe_marked_node(&j->marked, place);
}

static cafe_status take_values(json *j, bool inner) {
    bool more;
    for (bool first = true;; first = false) {
        CAFE_PASS(next_key(j, first, &more));
        if (!more) return CAFE_OK;
        if (!inner && take_inner(j)) {
            CAFE_PASS(take_values(j, true));
            continue;
        }
        CAFE_PASS(take_value(j));
        bool id = strcmp(j->key, "id") == 0 || (j->ranks[0] == 2 && strcmp(j->key, "key") == 0);
        bool value = j->kind != NESTED && j->kind != NOTHING && !id;
        if (value) CAFE_PASS(cafe_marked_value(&j->marked, j->key, j->text));
    }
}

/* The members are read twice: for the id, then as attributes of the node. */
static cafe_status take_node(json *j) {
    if (!take(j, '{')) return fail(j, "'{' of a node");
    const uint8_t *begin = j->at;
    int64_t line = j->marked.line;
    CAFE_PASS(take_id(j));
    j->at = begin;
    j->marked.line = line;
    return take_values(j, false);
}

/* ---- edges ----------------------------------------------------------------------------------- */

/* The node at an end of the edge. */
static cafe_status find_end(json *j, int e, int64_t *node) {
    const char *text = j->ends[e], *after;
    int64_t nodes = j->marked.nodes;
    bool place = j->bare > 0 || (j->end_kinds[e] == NUMBER && j->numbered == 0);
    *node = place ? -1 : cafe_dictionary_find(&j->marked.ids, text, (int64_t)strlen(text));
    if (place) {
        double number = cafe_parse_number(text, &after);
        bool fine = j->end_kinds[e] == NUMBER && number >= 0 && number < (double)nodes;
        *node = fine ? (int64_t)number : -1;
    }
    if (*node >= 0) return CAFE_OK;
    return cafe_marked_fail(&j->marked, "expected %s, found '%.60s'",
                            place ? "the place of a node in the list of nodes" : "the id of a node",
                            text);
}

/* An end of the edge if the member is one: "source", else that of its "data", else "from". */
static cafe_status take_end(json *j, bool inner, bool *is) {
    static const char *const words[] = {"source", "target", "from", "to"};
    int word = 0;
    while (word < 4 && strcmp(j->key, words[word]) != 0) word++;
    *is = word < 2 || (word < 4 && !inner);
    int e = word & 1, rank = word > 1 ? 1 : inner ? 2 : 3;
    if (!*is || (j->kind != TEXT && j->kind != NUMBER) || rank <= j->ranks[e]) return CAFE_OK;
    j->ranks[e] = rank;
    j->end_kinds[e] = j->kind;
    return keep(j, &j->ends[e], &j->end_rooms[e]);
}

static cafe_status take_members_of_edge(json *j, bool inner) {
    bool more, end;
    for (bool first = true;; first = false) {
        CAFE_PASS(next_key(j, first, &more));
        if (!more) return CAFE_OK;
        if (!inner && take_inner(j)) {
            CAFE_PASS(take_members_of_edge(j, true));
            continue;
        }
        CAFE_PASS(take_value(j));
        CAFE_PASS(take_end(j, inner, &end));
        if (strcmp(j->key, "undirected") == 0 && j->kind == WORD)
            j->undirected = j->text[0] == 't';
        else if (!end && strcmp(j->key, "key") != 0 && j->kind != NESTED &&
                 cafe_marked_is_weight(&j->marked, j->key) && j->kind != NOTHING) {
            CAFE_PASS(keep(j, &j->weight, &j->weight_room));
            j->weighted = true;
        }
    }
}

static cafe_status take_edge(json *j) {
    int64_t node[2];
    if (!take(j, '{')) return fail(j, "'{' of an edge");
    j->ranks[0] = j->ranks[1] = 0;
    j->weighted = j->undirected = false;
    CAFE_PASS(take_members_of_edge(j, false));
    if (!j->ranks[0] || !j->ranks[1])
        return cafe_marked_fail(&j->marked, "expected source and target of the edge");
    for (int e = 0; e < 2; e++) CAFE_PASS(find_end(j, e, &node[e]));
    return cafe_marked_link(&j->marked, node[0], node[1], j->weighted ? j->weight : NULL,
                            j->directed && !j->undirected);
}

/* ---- the file -------------------------------------------------------------------------------- */

static cafe_status take_list(json *j, cafe_status (*item)(json *j)) {
    bool more;
    if (!take(j, '[')) return fail(j, "'['");
    for (int64_t i = 0;; i++) {
        if (i % 65536 == 0) CAFE_PASS(cafe_check_cancel(j->marked.context));
        CAFE_PASS(next_element(j, i == 0, &more));
        if (!more) return CAFE_OK;
        CAFE_PASS(item(j));
    }
}

/* The options of graphology: edges are directed unless they or the type say otherwise. */
static cafe_status take_options(json *j) {
    bool more;
    for (bool first = true;; first = false) {
        CAFE_PASS(next_key(j, first, &more));
        if (!more) return CAFE_OK;
        CAFE_PASS(take_value(j));
        if (strcmp(j->key, "type") == 0 && j->kind == TEXT)
            j->directed = strcmp(j->text, "undirected") != 0;
    }
}

static cafe_status take_members(json *j, bool nodes);

/* A member of the graph: nodes in the first pass, edges in the second. */
static cafe_status take_member(json *j, bool nodes) {
    if (strcmp(j->key, "elements") == 0 && take(j, '{')) {
        if (++j->depth > DEEPEST) return fail(j, "fewer lists in lists");
        CAFE_PASS(take_members(j, nodes));
        j->depth--;
        return CAFE_OK;
    }
    if (strcmp(j->key, "elements") == 0)
        return fail(j,
                    "\"elements\" with lists of \"nodes\" and \"edges\" (cy.json() writes them)");
    if (strcmp(j->key, "options") == 0 && take(j, '{')) return take_options(j);
    bool list = strcmp(j->key, "nodes") == 0;
    bool edges = strcmp(j->key, "links") == 0 || strcmp(j->key, "edges") == 0;
    bool *found = list ? &j->nodes : &j->edges;
    if ((list || edges) && list == nodes) {
        if (*found)
            return fail(j,
                        list ? "one list of nodes before this" : "one list of edges before this");
        *found = true;
        return take_list(j, list ? take_node : take_edge);
    }
    CAFE_PASS(take_value(j));
    if (strcmp(j->key, "directed") == 0 && j->kind == WORD) j->directed = j->text[0] == 't';
    return CAFE_OK;
}

static cafe_status take_members(json *j, bool nodes) {
    bool more;
    for (bool first = true;; first = false) {
        CAFE_PASS(next_key(j, first, &more));
        if (!more) return CAFE_OK;
        CAFE_PASS(take_member(j, nodes));
    }
}

static cafe_status read_members(json *j, bool nodes) {
    if (!take(j, '{')) return fail(j, "'{' of a graph");
    CAFE_PASS(take_members(j, nodes));
    if (nodes ? !j->nodes : !j->edges)
        return cafe_marked_fail(&j->marked, "expected a graph as node-link JSON, found no %s",
                                nodes ? "\"nodes\"" : "\"links\" or \"edges\"");
    skip_space(j);
    return j->at == j->end ? CAFE_OK : fail(j, "the end of the file");
}

static cafe_status read_json(cafe_input *input, const cafe_graph_options *options,
                             cafe_graph **graph) {
    json j = {.end = input->bytes + input->size};
    cafe_status status = CAFE_OK;
    cafe_marked_init(input->context, input->name, CAFE_FORMAT_JSON, options, &j.marked);
    for (int pass = 0; pass < 2; pass++) {
        j.at = input->bytes;
        j.marked.line = 1;
        if (j.end - j.at >= 3 && memcmp(j.at, "\xef\xbb\xbf", 3) == 0) j.at += 3;
        CAFE_TRY(read_members(&j, pass == 0));
        if (j.bare > 0 && j.named + j.numbered > 0)
            CAFE_TRY(cafe_marked_fail(&j.marked, "expected an id of every node or of none"));
    }
    status = cafe_marked_graph(&j.marked, graph);
done:
    cafe_mem_free_all(input->context, j.key, j.text, j.ends[0], j.ends[1], j.weight);
    cafe_marked_free(&j.marked);
    return status;
}

static bool is_json(const uint8_t *bytes, int64_t size) {
    const uint8_t *p = bytes, *end = bytes + size;
    while (p < end && memchr(" \t\r\n", *p, 4)) p++;
    return p < end && *p == '{';
}

const cafe_graph_format cafe_graph_format_json = {.is = is_json,
                                                  .read = read_json,
                                                  .write = cafe_write_json,
                                                  .directed = true,
                                                  .attributes = true,
                                                  .encoded = true,
                                                  .whole = true};
