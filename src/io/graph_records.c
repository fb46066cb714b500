/* Nodes and edges by their ids into a graph. */
#include "io/graph_records.h"

#include <stdarg.h>
#include <string.h>

#include "base/memory.h"
#include "base/print.h"
#include "graph/builder.h"
#include "io/format_registry.h"
#include "io/heading.h"
#include "io/integer_lines.h"
#include "io/name_format.h"

enum { SHOWN = 40, NAME_ROOM = 2 * CAFE_LONGEST_NAME + 8 };

void cafe_marked_init(cafe_context *context, const char *name, cafe_format format,
                      const cafe_graph_options *options, cafe_marked *m) {
    *m = (cafe_marked){.context = context, .name = name, .options = options, .format = format};
    m->ids.context = m->attributes.context = context;
    m->missing = -1;
    m->line = 1;
}

void cafe_marked_free(cafe_marked *m) {
    cafe_dictionary_free(&m->ids);
    cafe_columns_free(&m->attributes);
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

cafe_status cafe_marked_node(cafe_marked *m, const char *id) {
    CAFE_PASS(number_of(m, id, &m->node));
    if (m->declared[m->node] && !m->open) return fail_text(m, "each node once", id);
    m->nodes += !m->declared[m->node];
    m->declared[m->node] = 1;
    return CAFE_OK;
}

cafe_status cafe_marked_value(cafe_marked *m, const char *attribute, const char *text) {
    return cafe_columns_put(&m->attributes, attribute, m->node, text);
}

cafe_status cafe_marked_fill(cafe_marked *m, const char *attribute, const char *text) {
    const cafe_text_column *column = cafe_columns_find(&m->attributes, attribute);
    for (int64_t u = 0; u < m->ids.count; u++) {
        if (cafe_columns_text(column, u)) continue;
        CAFE_PASS(cafe_columns_put(&m->attributes, attribute, u, text));
        column = cafe_columns_find(&m->attributes, attribute);
    }
    return CAFE_OK;
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
    int64_t u, w;
    CAFE_PASS(m->open ? cafe_marked_node(m, source) : CAFE_OK);
    CAFE_PASS(m->open ? cafe_marked_node(m, target) : CAFE_OK);
    CAFE_PASS(number_of(m, source, &u));
    CAFE_PASS(number_of(m, target, &w));
    return cafe_marked_link(m, u, w, weight, directed);
}

cafe_status cafe_marked_link(cafe_marked *m, int64_t u, int64_t w, const char *weight,
                             bool directed) {
    int64_t more = m->count + 1;
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

/* ---- checks ---------------------------------------------------------------------------------- */

static cafe_status check(cafe_marked *m) {
    for (int64_t u = 0; u < m->ids.count; u++)
        if (!m->declared[u])
            return fail_text(m, "edges between nodes of the file",
                             cafe_dictionary_text(&m->ids, u));
    if (m->nodes == 0) return cafe_marked_fail(m, "expected nodes, found the end of the graph");
    if (m->options->directed != CAFE_DIRECTED_NO && m->undirected)
        return cafe_marked_fail(m,
                                "expected directed edges, as the option directed says, found "
                                "undirected ones");
    if (m->options->weight && m->options->weights && m->count > 0 && !m->weight_name[0])
        return cafe_marked_fail(m,
                                "expected the attribute '%s' of edges, as the option weight says, "
                                "found none",
                                m->options->weight);
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

/* ---- names ----------------------------------------------------------------------------------- */

/* The column that names the nodes: the option's, else label or name. NULL: the ids do. */
static cafe_status find_column(cafe_marked *m, const cafe_text_column **column) {
    const char *wanted = m->options->name;
    *column = NULL;
    if (wanted && strcmp(wanted, "id") == 0) return CAFE_OK;
    if (wanted && !(*column = cafe_columns_find(&m->attributes, wanted)))
        return cafe_marked_fail(m,
                                "expected the attribute '%s' of nodes, as the option name says, "
                                "found none (" CAFE_OPT("name=id") " takes the ids)",
                                wanted);
    if (wanted) return CAFE_OK;
    if (!m->drawn_labels) *column = cafe_columns_find(&m->attributes, "label");
    if (!*column) *column = cafe_columns_find(&m->attributes, "name");
    if (!*column || 2 * (*column)->values.count >= m->nodes) return CAFE_OK;
    cafe_print(m->why, sizeof m->why,
               "nodes are named by their ids, not by their labels, of which %lld differ (" CAFE_OPT(
                   "name") " takes an attribute all the same)",
               (long long)(*column)->values.count);
    *column = NULL;
    return CAFE_OK;
}

/* The name of node u: its text, or its id without one. A name that another node has already gets
 * the id behind it, until it is new. */
static cafe_status add_name(cafe_marked *m, const cafe_text_column *column, int64_t u,
                            cafe_dictionary *names, char *text) {
    const char *id = cafe_dictionary_text(&m->ids, u), *own = cafe_columns_text(column, u);
    bool fine = own && cafe_is_name(own, (int64_t)strlen(own));
    int64_t number;
    int length = cafe_print(text, NAME_ROOM, "%s", fine ? own : id);
    m->changed += !fine || cafe_dictionary_find(names, text, length) >= 0;
    while (cafe_dictionary_find(names, text, length) >= 0) {
        length += cafe_print(text + length, NAME_ROOM - (size_t)length, " (%s)", id);
        if (length > CAFE_LONGEST_NAME)
            return cafe_marked_fail(m, "expected names of at most %d bytes", CAFE_LONGEST_NAME);
    }
    return cafe_dictionary_add(names, text, length, &number);
}

static cafe_status name_nodes(cafe_marked *m, const cafe_text_column *column,
                              cafe_dictionary *names) {
    char *text = cafe_mem(m->context, NAME_ROOM, 1);
    cafe_status status = text ? CAFE_OK : CAFE_ERROR_MEMORY;
    for (int64_t u = 0; u < m->nodes && status == CAFE_OK; u++)
        status = add_name(m, column, u, names, text);
    cafe_mem_free(m->context, text);
    if (status == CAFE_OK && m->changed > 0)
        cafe_print(m->why, sizeof m->why,
                   "'%s' is missing or repeated for %lld of %lld nodes, whose names have their ids "
                   "now (" CAFE_OPT("name=id") " takes the ids of all)",
                   column->name, (long long)m->changed, (long long)m->nodes);
    return status;
}

/* The texts of a dictionary as names. */
static cafe_status take_names(cafe_marked *m, const cafe_dictionary *d, cafe_names *names) {
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

static cafe_status make_names(cafe_marked *m, cafe_names *names) {
    const cafe_text_column *column;
    CAFE_PASS(find_column(m, &column));
    if (!column) return take_names(m, &m->ids, names);
    cafe_dictionary texts = {.context = m->context};
    cafe_print(m->by, sizeof m->by, "'%.60s'", column->name);
    cafe_status status = name_nodes(m, column, &texts);
    if (status == CAFE_OK) status = take_names(m, &texts, names);
    if (m->changed == 0) cafe_columns_drop(&m->attributes, column); /* the names are all of it */
    cafe_dictionary_free(&texts);
    return status;
}

/* ---- the graph ------------------------------------------------------------------------------- */

/* What became of the names, and of values that are no attributes. */
static void note_warning(const cafe_marked *m, char *text, size_t capacity) {
    int used = 0;
    text[0] = 0;
    if (m->why[0]) used = cafe_print(text, capacity, "%s: %s", m->name, m->why);
    if (m->attributes.broken > 0)
        used += cafe_print(text + used, capacity - (size_t)used,
                           "%s%s: %lld values of attributes are no UTF-8 text, and left out",
                           used ? "; " : "", m->name, (long long)m->attributes.broken);
    if (m->attributes.changed > 0)
        used += cafe_print(text + used, capacity - (size_t)used,
                           "%s%s: attributes that change: %lld values of nodes are left out, each "
                           "with a later value",
                           used ? "; " : "", m->name, (long long)m->attributes.changed);
    if (m->attributes.full)
        cafe_print(text + used, capacity - (size_t)used,
                   "%s%s: nodes have more than %d attributes; the others are left out",
                   used ? "; " : "", m->name, CAFE_MOST_COLUMNS);
}

static cafe_status note_reading(const cafe_marked *m, cafe_graph *graph) {
    char text[512], warning[1024];
    note_warning(m, warning, sizeof warning);
    cafe_print(text, sizeof text, "nodes by their %s; %s%s%s; %s edges%s%s",
               m->by[0] ? m->by : "ids", m->weighted > 0 ? "weight '" : "no weights",
               m->weighted > 0 ? m->weight_name : "", m->weighted > 0 ? "'" : "",
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
    CAFE_TRY(make_names(m, &names));
    CAFE_TRY(cafe_graph_from_edges(m->context, m->nodes, m->count, m->source, m->target, weights,
                                   m->options, graph));
    cafe_graph_adopt_names(*graph, names);
    if (m->directed && !m->undirected)
        CAFE_PASS(cafe_graph_note_arcs(m->context, m->count, m->source, m->target, *graph));
    CAFE_PASS(cafe_columns_give(&m->attributes, *graph));
    return note_reading(m, *graph);
done:
    cafe_names_free(m->context, &names);
    return status;
}
