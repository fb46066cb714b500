/* Nodes and edges by their ids into a graph. */
#include "io/graph_records.h"

#include <stdarg.h>
#include <string.h>

#include "base/memory.h"
#include "base/print.h"
#include "graph/builder.h"
#include "io/edge_buffer.h"
#include "io/format_registry.h"
#include "io/heading.h"
#include "io/integer_lines.h"
#include "io/name_format.h"

enum { SHOWN = 40 };

void cafe_marked_init(cafe_context *context, const char *name, cafe_format format,
                      const cafe_graph_options *options, cafe_marked *m) {
    *m = (cafe_marked){.context = context, .name = name, .options = options, .format = format};
    m->ids.context = m->labels.context = context;
    m->labelled = true;
    m->missing = -1;
    m->line = 1;
}

void cafe_marked_free(cafe_marked *m) {
    cafe_dictionary_free(&m->ids);
    cafe_dictionary_free(&m->labels);
    cafe_mem_free_all(m->context, m->declared, m->source, m->target, m->weights);
}

cafe_status cafe_marked_fail(const cafe_marked *m, const char *format, ...) {
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    cafe_vprint(text, sizeof text, format, arguments);
    va_end(arguments);
    return cafe_fail(m->context, CAFE_ERROR_FORMAT, "%s:%lld: %s", m->name, (long long)m->line,
                     text);
}

static cafe_status fail_text(const cafe_marked *m, const char *expected, const char *found) {
    char shown[4 * SHOWN + 8];
    cafe_escape((const uint8_t *)found, (int64_t)strlen(found), SHOWN, shown);
    return cafe_marked_fail(m, "expected %s, found '%s'", expected, shown);
}

/* ---- nodes ----------------------------------------------------------------------------------- */

static cafe_status number_of(cafe_marked *m, const char *id, int64_t *number) {
    int64_t before = m->ids.count, length = (int64_t)strlen(id);
    if (!cafe_is_name(id, length))
        return fail_text(m, "a node id of 1 to 65535 bytes of UTF-8 text in a line", id);
    if (before >= CAFE_MOST_NODES) return cafe_marked_fail(m, "expected fewer nodes");
    CAFE_PASS(cafe_dictionary_add(&m->ids, id, length, number));
    if (m->ids.count == before) return CAFE_OK;
    CAFE_PASS(cafe_mem_grow(m->context, &m->declared, &m->declared_room, m->ids.count, 1));
    m->declared[before] = 0;
    return CAFE_OK;
}

bool cafe_marked_is_name(const cafe_marked *m, const char *attribute) {
    const char *wanted = m->options->name;
    if (wanted) return strcmp(wanted, "id") != 0 && strcmp(wanted, attribute) == 0;
    return strcmp(attribute, "label") == 0 || strcmp(attribute, "name") == 0;
}

/* Labels name the nodes no longer, by this node. */
static void note_why(cafe_marked *m, const char *format, const char *found) {
    char text[4 * SHOWN + 8];
    cafe_escape((const uint8_t *)found, (int64_t)strlen(found), SHOWN, text);
    cafe_print(m->why, sizeof m->why, format, text);
    m->labelled = false;
}

/* Labels name the nodes as long as node i has label number i: each has one, no two the same. An
 * edge that names its ends before they are listed numbers them, and only then is i another number.
 */
static cafe_status add_label(cafe_marked *m, int64_t node, const char *id, const char *label) {
    int64_t number = -1, length = label ? (int64_t)strlen(label) : 0;
    m->named = m->named || length > 0;
    if (!m->labelled) return CAFE_OK;
    if (length == 0) {
        note_why(m, "node '%s' has none", id);
    } else if (!cafe_is_name(label, length)) {
        note_why(m, "that of node '%s' is no line of UTF-8 text (iconv makes it)", id);
    } else if (m->labels.count != node) {
        note_why(m, "edges come before node '%s'", id);
    } else {
        CAFE_PASS(cafe_dictionary_add(&m->labels, label, length, &number));
        if (number != node) note_why(m, "'%s' is that of two nodes", label);
    }
    return CAFE_OK;
}

cafe_status cafe_marked_node(cafe_marked *m, const char *id, const char *label) {
    int64_t number;
    CAFE_PASS(number_of(m, id, &number));
    if (m->declared[number]) return fail_text(m, "each node once", id);
    m->declared[number] = 1;
    m->nodes++;
    return add_label(m, number, id, label);
}

/* ---- edges ----------------------------------------------------------------------------------- */

static void note_ignored(cafe_marked *m, const char *attribute) {
    char shown[4 * SHOWN + 8];
    size_t used = strlen(m->ignored);
    cafe_escape((const uint8_t *)attribute, (int64_t)strlen(attribute), SHOWN, shown);
    const char *known = strstr(m->ignored, shown);
    if (known || used + strlen(shown) + 3 > sizeof m->ignored) return;
    cafe_print(m->ignored + used, sizeof m->ignored - used, "%s%s", used ? ", " : "", shown);
}

bool cafe_marked_is_weight(cafe_marked *m, const char *attribute) {
    const char *wanted = m->options->weight;
    const uint8_t *begin = (const uint8_t *)attribute;
    cafe_field name = {.begin = begin, .end = begin + strlen(attribute)};
    bool is =
        wanted ? strcmp(wanted, attribute) == 0 : cafe_heading_role(&name) == CAFE_ROLE_WEIGHT;
    bool room = strlen(attribute) < sizeof m->weight_name;
    bool other = m->weight_name[0] && strcmp(m->weight_name, attribute) != 0;
    m->several |= is && other;
    is = is && room && m->options->weights && !other;
    if (is)
        memcpy(m->weight_name, attribute, strlen(attribute) + 1);
    else
        note_ignored(m, attribute);
    return is;
}

cafe_status cafe_marked_weigh(cafe_marked *m, const char *text) {
    float weight = 0;
    const uint8_t *begin = (const uint8_t *)text;
    cafe_field field = {.begin = begin, .end = begin + strlen(text)};
    while (field.begin < field.end && *field.begin <= ' ') field.begin++;
    while (field.end > field.begin && field.end[-1] <= ' ') field.end--;
    if (cafe_field_weight(&field, '.', &weight) != CAFE_FINE)
        return fail_text(
            m, "a finite weight that is not negative (" CAFE_OPT("weights=no") " ignores weights)",
            text);
    m->weighted += m->weights[m->count - 1] < 0;
    m->weights[m->count - 1] = weight;
    return CAFE_OK;
}

cafe_status cafe_marked_edge(cafe_marked *m, const char *source, const char *target,
                             const char *weight, bool directed) {
    int64_t u, w, more = m->count + 1;
    CAFE_PASS(number_of(m, source, &u));
    CAFE_PASS(number_of(m, target, &w));
    CAFE_PASS(cafe_mem_grow(m->context, &m->source, &m->source_room, more, sizeof *m->source));
    CAFE_PASS(cafe_mem_grow(m->context, &m->target, &m->target_room, more, sizeof *m->target));
    CAFE_PASS(cafe_mem_grow(m->context, &m->weights, &m->weight_room, more, sizeof *m->weights));
    m->source[m->count] = (int32_t)u;
    m->target[m->count] = (int32_t)w;
    m->weights[m->count++] = -1;
    m->directed |= directed;
    m->undirected |= !directed;
    return weight ? cafe_marked_weigh(m, weight) : CAFE_OK;
}

/* ---- the graph ------------------------------------------------------------------------------- */

static bool by_labels(const cafe_marked *m) {
    return m->labelled && m->labels.count == m->nodes;
}

static cafe_status check_names(const cafe_marked *m) {
    const char *wanted = m->options->name;
    if (!wanted || strcmp(wanted, "id") == 0 || by_labels(m)) return CAFE_OK;
    if (!m->named)
        return cafe_marked_fail(m,
                                "expected the attribute '%s' of nodes, as the option name says, "
                                "found none (" CAFE_OPT("name=id") " takes the ids)",
                                wanted);
    return cafe_marked_fail(m,
                            "expected a '%s' of every node, no two the same, as the option name "
                            "says, but %s (" CAFE_OPT("name=id") " takes the ids)",
                            wanted, m->why);
}

static cafe_status check(cafe_marked *m) {
    for (int64_t u = 0; u < m->ids.count; u++)
        if (!m->declared[u])
            return fail_text(m, "edges between nodes of the file",
                             cafe_dictionary_text(&m->ids, u));
    if (m->nodes == 0) return cafe_marked_fail(m, "expected nodes, found the end of the graph");
    CAFE_PASS(check_names(m));
    if (m->options->directed != CAFE_DIRECTED_NO && m->undirected)
        return cafe_marked_fail(m,
                                "expected directed edges, as the option directed says, found "
                                "undirected ones");
    if (m->several && m->options->weights)
        return cafe_marked_fail(
            m,
            "expected one attribute that is the weight, found '%s' and "
            "others: give " CAFE_OPT("weight=NAME") ", or " CAFE_OPT("weights=no") " if none is",
            m->weight_name);
    if (m->weighted > 0 && m->weighted < m->count && m->missing < 0)
        return cafe_marked_fail(m,
                                "expected a weight for every edge or for none, found %lld of %lld "
                                "with one (" CAFE_OPT("weights=no") " ignores them)",
                                (long long)m->weighted, (long long)m->count);
    for (int64_t i = 0; i < m->count; i++)
        if (m->weights[i] < 0) m->weights[i] = m->missing;
    return CAFE_OK;
}

/* The texts of a dictionary as names, which it no longer has then. */
static cafe_status take_names(cafe_marked *m, cafe_names *names) {
    cafe_dictionary *d = by_labels(m) ? &m->labels : &m->ids;
    int64_t n = d->count, *start = cafe_mem(m->context, n + 1, sizeof *start);
    char *text = start ? cafe_mem(m->context, d->used - n, 1) : NULL;
    if (!text) {
        cafe_mem_free(m->context, start);
        return CAFE_ERROR_MEMORY;
    }
    start[0] = 0;
    for (int64_t u = 0; u < n; u++) {
        size_t length = strlen(cafe_dictionary_text(d, u));
        memcpy(text + start[u], cafe_dictionary_text(d, u), length);
        start[u + 1] = start[u] + (int64_t)length;
    }
    *names = (cafe_names){.kind = CAFE_NAMES_STRING, .start = start, .text = text};
    return cafe_names_settle(m->context, n, names);
}

static cafe_status note_reading(const cafe_marked *m, cafe_graph *graph) {
    char text[512], warning[768] = "";
    const char *names = !by_labels(m) ? "ids" : m->options->name ? m->options->name : "labels";
    if (m->named && !by_labels(m) && !m->options->name)
        cafe_print(warning, sizeof warning,
                   "%s: nodes are named by their ids, not by their labels: %s (" CAFE_OPT(
                       "name") " takes another attribute, " CAFE_OPT("name=id") " the ids)",
                   m->name, m->why);
    cafe_print(text, sizeof text, "nodes by their %s; %s%s%s; %s edges%s%s", names,
               m->weighted > 0 ? "weight '" : "no weights", m->weighted > 0 ? m->weight_name : "",
               m->weighted > 0 ? "'" : "",
               m->directed && m->undirected ? "directed and undirected"
               : m->directed                ? "directed"
                                            : "undirected",
               m->ignored[0] ? "; ignored: " : "", m->ignored);
    cafe_graph_reading reading = {.format = (int32_t)m->format, .weight = -1, .text = text};
    reading.warning = warning;
    return cafe_graph_set_reading(graph, &reading);
}

cafe_status cafe_marked_graph(cafe_marked *m, cafe_graph **graph) {
    cafe_names names = {.kind = CAFE_NAMES_INDEX};
    cafe_status status = CAFE_OK;
    const float *weights = m->weighted > 0 ? m->weights : NULL;
    CAFE_TRY(check(m));
    CAFE_TRY(cafe_check_nodes(m->context, m->name, m->nodes, m->options));
    CAFE_TRY(take_names(m, &names));
    CAFE_TRY(cafe_graph_from_edges(m->context, m->nodes, m->count, m->source, m->target, weights,
                                   m->options, graph));
    cafe_graph_adopt_names(*graph, names);
    return note_reading(m, *graph);
done:
    cafe_names_free(m->context, &names);
    return status;
}
