/* GML: lists of keys and values, "graph [ node [ id 1 label "a" ] edge [ source 1 target 2 ] ]".
 *
 * Keys that are not known are skipped with their values, lists and all. In strings &quot; and
 * other entities stand for characters.
 */
#include <string.h>

#include "base/memory.h"
#include "base/print.h"
#include "io/format_registry.h"
#include "io/graph_records.h"
#include "io/graph_writer.h"

enum { DEEPEST = 64, KEY = 64 };

typedef enum token_kind { END, KEYWORD, TEXT, OPEN, CLOSE } token_kind;

typedef struct gml {
    cafe_marked marked;
    const uint8_t *at, *end;
    token_kind kind;
    bool quoted;
    char *text; /* of the token, ended by 0 */
    int64_t length, room;
    /* of the node or edge at hand: id; or source, target, weight; the key of an attribute */
    char *values[3], *key;
    int64_t rooms[3], key_room;
    bool given[3];
    bool directed, found;
} gml;

/* ---- tokens ---------------------------------------------------------------------------------- */

static bool is_space(uint8_t c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static void skip_space(gml *g) {
    for (; g->at < g->end; g->at++) {
        if (*g->at == '\n') g->marked.line++;
        if (*g->at == '#') {
            while (g->at + 1 < g->end && g->at[1] != '\n') g->at++;
        } else if (!is_space(*g->at)) {
            break;
        }
    }
}

static cafe_status keep(gml *g, const char *bytes, int64_t count) {
    CAFE_PASS(cafe_mem_grow(g->marked.context, &g->text, &g->room, g->length + count + 1, 1));
    if (count > 0) memcpy(g->text + g->length, bytes, (size_t)count);
    g->length += count;
    g->text[g->length] = 0;
    return CAFE_OK;
}

/* Takes the character of "&name;" or "&#number;"; unknown entities stay as they are. */
static cafe_status take_entity(gml *g) {
    static const struct {
        const char *name, *text;
    } entities[] = {
        {"&quot;", "\""}, {"&amp;", "&"}, {"&lt;", "<"}, {"&gt;", ">"}, {"&apos;", "'"}};
    size_t left = (size_t)(g->end - g->at);
    char utf8[4];
    for (size_t i = 0; i < sizeof entities / sizeof *entities; i++) {
        size_t length = strlen(entities[i].name);
        if (left < length || memcmp(g->at, entities[i].name, length) != 0) continue;
        g->at += length;
        return keep(g, entities[i].text, 1);
    }
    uint32_t code = 0;
    if (left < 4 || g->at[1] != '#') return keep(g, (const char *)g->at++, 1);
    const uint8_t *p = g->at + 2;
    while (p < g->end && *p >= '0' && *p <= '9' && code < 0x110000)
        code = 10 * code + (uint32_t)(*p++ - '0');
    bool fine =
        (code >= ' ' || code == '\t') && code < 0x110000 && (code < 0xD800 || code > 0xDFFF);
    if (!fine || p >= g->end || *p != ';') return keep(g, (const char *)g->at++, 1);
    g->at = p + 1;
    return keep(g, utf8, cafe_put_utf8(code, utf8));
}

static cafe_status take_string(gml *g) {
    g->kind = TEXT;
    g->quoted = true;
    for (g->at++; g->at < g->end && *g->at != '"';) {
        if (*g->at == '\n') g->marked.line++;
        if (*g->at == '&')
            CAFE_PASS(take_entity(g));
        else
            CAFE_PASS(keep(g, (const char *)g->at++, 1));
    }
    if (g->at == g->end)
        return cafe_marked_fail(&g->marked, "expected a closing quote, found the end");
    g->at++;
    return CAFE_OK;
}

static cafe_status next(gml *g) {
    skip_space(g);
    g->length = 0;
    g->quoted = false;
    g->kind = END;
    CAFE_PASS(keep(g, "", 0));
    if (g->at == g->end) return CAFE_OK;
    if (*g->at == '"') return take_string(g);
    if (*g->at == '[' || *g->at == ']') {
        g->kind = *g->at++ == '[' ? OPEN : CLOSE;
        return CAFE_OK;
    }
    const uint8_t *begin = g->at;
    while (g->at < g->end && !is_space(*g->at) && !strchr("[]\"", *g->at)) g->at++;
    if (g->at == begin) return cafe_marked_fail(&g->marked, "expected text, found a byte 0");
    uint8_t c = *begin;
    bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    g->kind = letter ? KEYWORD : TEXT;
    return keep(g, (const char *)begin, g->at - begin);
}

/* ---- lists ----------------------------------------------------------------------------------- */

/* Takes the value after a key: skips it, or keeps it as number `slot`. */
static cafe_status take_value(gml *g, int slot) {
    CAFE_PASS(next(g));
    if (g->kind == OPEN) {
        for (int depth = 1; depth > 0;) {
            CAFE_PASS(next(g));
            if (g->kind == END) return cafe_marked_fail(&g->marked, "expected ']', found the end");
            depth += g->kind == OPEN ? 1 : g->kind == CLOSE ? -1 : 0;
            if (depth > DEEPEST)
                return cafe_marked_fail(&g->marked, "expected fewer lists in lists");
        }
        return CAFE_OK;
    }
    if (g->kind == END || g->kind == CLOSE)
        return cafe_marked_fail(&g->marked, "expected a value behind the key, found none");
    if (slot < 0) return CAFE_OK;
    CAFE_PASS(
        cafe_mem_grow(g->marked.context, &g->values[slot], &g->rooms[slot], g->length + 1, 1));
    memcpy(g->values[slot], g->text, (size_t)g->length + 1);
    g->given[slot] = true;
    return CAFE_OK;
}

/* The slot of a key of an edge; -1: none. */
static int slot_of(gml *g, const char *key) {
    if (cafe_is_word(key, "source")) return 0;
    if (cafe_is_word(key, "target")) return 1;
    bool plain =
        !cafe_is_word(key, "id") && !cafe_is_word(key, "label") && !cafe_is_word(key, "graphics");
    return plain && cafe_marked_is_weight(&g->marked, key) ? 2 : -1;
}

/* Moves to the next key of a list; *more is false at its end. */
static cafe_status next_key(gml *g, bool *more) {
    CAFE_PASS(next(g));
    *more = g->kind == KEYWORD;
    if (*more || g->kind == CLOSE) return CAFE_OK;
    return cafe_marked_fail(&g->marked, "expected a key or ']', found %s",
                            g->kind == END ? "the end" : "another token");
}

static cafe_status open_list(gml *g) {
    CAFE_PASS(next(g));
    if (g->kind == OPEN) return CAFE_OK;
    return cafe_marked_fail(&g->marked, "expected '[', found '%.40s'", g->text);
}

/* The attribute whose key is at hand; lists are none. */
static cafe_status take_attribute(gml *g) {
    CAFE_PASS(cafe_mem_grow(g->marked.context, &g->key, &g->key_room, g->length + 1, 1));
    memcpy(g->key, g->text, (size_t)g->length + 1);
    g->given[1] = false;
    CAFE_PASS(take_value(g, 1));
    return g->given[1] ? cafe_marked_value(&g->marked, g->key, g->values[1]) : CAFE_OK;
}

/* Reads keys up to the id of the node, whose list is open. */
static cafe_status find_id(gml *g) {
    bool more;
    g->given[0] = false;
    do {
        CAFE_PASS(next_key(g, &more));
        if (!more) return cafe_marked_fail(&g->marked, "expected an id of the node");
        CAFE_PASS(take_value(g, cafe_is_word(g->text, "id") ? 0 : -1));
    } while (!g->given[0]);
    return CAFE_OK;
}

/* Keys before the id are read again, as attributes of the node. */
static cafe_status take_node(gml *g) {
    CAFE_PASS(open_list(g));
    const uint8_t *begin = g->at;
    int64_t line = g->marked.line;
    CAFE_PASS(find_id(g));
    g->at = begin;
    g->marked.line = line;
    CAFE_PASS(cafe_marked_node(&g->marked, g->values[0]));
    for (bool more;;) {
        CAFE_PASS(next_key(g, &more));
        if (!more) return CAFE_OK;
        CAFE_PASS(cafe_is_word(g->text, "id") ? take_value(g, -1) : take_attribute(g));
    }
}

static cafe_status take_edge(gml *g) {
    bool more;
    memset(g->given, 0, sizeof g->given);
    CAFE_PASS(open_list(g));
    for (;;) {
        CAFE_PASS(next_key(g, &more));
        if (!more) break;
        CAFE_PASS(take_value(g, slot_of(g, g->text)));
    }
    const char *const *v = (const char *const *)g->values;
    if (!g->given[0] || !g->given[1])
        return cafe_marked_fail(&g->marked, "expected source and target of the edge");
    return cafe_marked_edge(&g->marked, v[0], v[1], g->given[2] ? v[2] : NULL, g->directed);
}

static cafe_status take_graph(gml *g) {
    if (g->found) return cafe_marked_fail(&g->marked, "expected one graph, found another");
    g->found = true;
    CAFE_PASS(next(g));
    if (g->kind != OPEN) return cafe_marked_fail(&g->marked, "expected '[' behind graph");
    bool more;
    for (int64_t i = 0;; i++) {
        CAFE_PASS(next_key(g, &more));
        if (!more) return CAFE_OK;
        if (i % 65536 == 0) CAFE_PASS(cafe_check_cancel(g->marked.context));
        bool node = cafe_is_word(g->text, "node"), edge = cafe_is_word(g->text, "edge"),
             rule = cafe_is_word(g->text, "directed");
        CAFE_PASS(node ? take_node(g) : edge ? take_edge(g) : take_value(g, rule ? 0 : -1));
        if (rule && g->given[0]) g->directed = strcmp(g->values[0], "1") == 0;
    }
}

/* "graph [", perhaps after comments and other keys. */
static bool is_gml(const uint8_t *bytes, int64_t size) {
    const uint8_t *p = bytes, *end = bytes + size;
    while (p < end) {
        const uint8_t *line = memchr(p, '\n', (size_t)(end - p));
        while (p < end && is_space(*p)) p++;
        if (end - p > 6 && memcmp(p, "graph", 5) == 0) {
            for (p += 5; p < end && is_space(*p);) p++;
            return p < end && *p == '[';
        }
        bool other = p < end && (*p == '#' || (end - p > 7 && (memcmp(p, "Creator", 7) == 0 ||
                                                               memcmp(p, "Version", 7) == 0)));
        if (!line || (!other && p < line)) return false;
        p = p > line ? p : line + 1;
    }
    return false;
}

static cafe_status read_gml(cafe_input *input, const cafe_graph_options *options,
                            cafe_graph **graph) {
    gml g = {.at = input->bytes, .end = input->bytes + input->size};
    cafe_status status = CAFE_OK;
    cafe_marked_init(input->context, input->name, CAFE_FORMAT_GML, options, &g.marked);
    if (g.end - g.at >= 3 && memcmp(g.at, "\xef\xbb\xbf", 3) == 0) g.at += 3;
    for (;;) {
        CAFE_TRY(next(&g));
        if (g.kind == END) break;
        if (g.kind != KEYWORD) CAFE_TRY(cafe_marked_fail(&g.marked, "expected a key of GML"));
        CAFE_TRY(cafe_is_word(g.text, "graph") ? take_graph(&g) : take_value(&g, -1));
    }
    if (!g.found) CAFE_TRY(cafe_marked_fail(&g.marked, "expected a graph, found the end"));
    status = cafe_marked_graph(&g.marked, graph);
done:
    cafe_mem_free_all(input->context, g.text, g.key, g.values[0], g.values[1], g.values[2]);
    cafe_marked_free(&g.marked);
    return status;
}

const cafe_graph_format cafe_graph_format_gml = {.is = is_gml,
                                                 .read = read_gml,
                                                 .write = cafe_write_gml,
                                                 .directed = true,
                                                 .whole = true,
                                                 .attributes = true};
