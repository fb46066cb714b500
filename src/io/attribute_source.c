/* Attributes of the graph as labels, as rows of numbers and as facts. */
#include "io/attribute_source.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/print.h"
#include "graph/attributes.h"
#include "graph/graph.h"
#include "io/label_set.h"
#include "os/os.h"

static const cafe_attribute *attribute_of(const cafe_graph *graph, const char *name,
                                          size_t length) {
    const cafe_graph_reading *r = &graph->reading;
    for (int64_t i = 0; i < r->attribute_count; i++)
        if (strlen(r->attributes[i].name) == length &&
            memcmp(r->attributes[i].name, name, length) == 0)
            return &r->attributes[i];
    return NULL;
}

/* The attributes of a list with commas, or none. The list as a whole may be one name. */
static void find_list(const cafe_graph *graph, const char *list, cafe_attribute_source *source) {
    const cafe_attribute *a = attribute_of(graph, list, strlen(list));
    source->count = a != NULL;
    source->attributes[0] = a;
    for (const char *at = list; !a && source->count < CAFE_MOST_SOURCES;) {
        size_t length = strcspn(at, ",");
        const cafe_attribute *one = attribute_of(graph, at, length);
        if (!one) break;
        source->attributes[source->count++] = one;
        if (!at[length]) return;
        at += length + 1;
    }
    if (!a) source->count = 0;
}

/* Neither a file nor an attribute of a graph that has some: the message names them. */
static cafe_status refuse_unknown(cafe_context *context, const cafe_graph *graph,
                                  const char *path) {
    const cafe_graph_reading *r = &graph->reading;
    char names[256] = "";
    size_t used = 0;
    for (int64_t i = 0; i < r->attribute_count && used + 3 < sizeof names; i++)
        used += (size_t)cafe_print(names + used, sizeof names - used, "%s%s", i > 0 ? ", " : "",
                                   r->attributes[i].name);
    return cafe_fail(context, CAFE_ERROR_FORMAT,
                     "%.200s: expected a file or an attribute of the nodes (%s), found neither",
                     path, names);
}

cafe_status cafe_attribute_source_find(cafe_context *context, const cafe_graph *graph,
                                       const char *path, cafe_attribute_source *source) {
    bool file = strcmp(path, "-") == 0 || access(path, F_OK) == 0;
    find_list(graph, path, source);
    if (source->count == 0 && !file && graph->reading.attribute_count > 0)
        return refuse_unknown(context, graph, path);
    if (source->count == 0 || !file) return CAFE_OK;
    return cafe_fail(context, CAFE_ERROR_FORMAT,
                     "expected a file or an attribute of the nodes, found both by the name %.200s "
                     "(./ before the name is the file)",
                     path);
}

/* ---- labels ---------------------------------------------------------------------------------- */

static cafe_status add_labels(const cafe_graph *graph, const cafe_attribute *a, cafe_labels *l) {
    char digits[CAFE_ATTRIBUTE_DIGITS];
    for (int64_t u = 0; u < graph->n; u++) {
        const char *text = cafe_attribute_text(a, u, digits);
        if (text) CAFE_PASS(cafe_labels_add(l, u, text, (int64_t)strlen(text)));
    }
    return CAFE_OK;
}

cafe_status cafe_attribute_labels(cafe_context *context, const cafe_graph *graph,
                                  const cafe_attribute_source *source, cafe_labels **labels) {
    cafe_status status = CAFE_OK;
    cafe_labels *l = NULL;
    char reading[160];
    CAFE_TRY(cafe_labels_begin(context, graph->n, &l));
    for (int64_t i = 0; i < source->count; i++)
        CAFE_TRY(add_labels(graph, source->attributes[i], l));
    cafe_print(reading, sizeof reading, "attribute '%.60s' of the graph%s",
               source->attributes[0]->name, source->count > 1 ? " and others" : "");
    CAFE_TRY(cafe_labels_end(l, reading));
    *labels = l;
    l = NULL;
done:
    cafe_labels_free(l);
    return status;
}

/* ---- rows of numbers ------------------------------------------------------------------------- */

static cafe_status refuse(cafe_context *context, const cafe_graph *graph, const cafe_attribute *a,
                          int64_t node) {
    char name[80];
    cafe_graph_name(graph, node, name, sizeof name);
    if (!a->numbers)
        return cafe_fail(context, CAFE_ERROR_FORMAT,
                         "attribute '%.60s': expected numbers, found texts "
                         "(" CAFE_OPT("measure=category") " compares texts)",
                         a->name);
    return cafe_fail(context, CAFE_ERROR_FORMAT,
                     "attribute '%.60s': expected a number of every node that a float can hold, "
                     "found none for node '%s'",
                     a->name, name);
}

cafe_status cafe_attribute_rows(cafe_context *context, const cafe_graph *graph,
                                const cafe_attribute_source *source, int64_t *columns,
                                float **rows) {
    int64_t n = graph->n, width = source->count;
    cafe_status status = CAFE_OK;
    float *x = cafe_mem(context, n * width, sizeof *x);
    CAFE_TRY(cafe_mem_had(x));
    for (int64_t j = 0; j < width; j++) {
        const cafe_attribute *a = source->attributes[j];
        for (int64_t u = 0; u < n; u++) {
            float value = a->numbers ? (float)a->numbers[u] : NAN;
            if (!isfinite(value)) CAFE_TRY(refuse(context, graph, a, u));
            x[u * width + j] = value;
        }
    }
    *columns = width;
    *rows = x;
    x = NULL;
done:
    cafe_mem_free(context, x);
    return status;
}

/* ---- facts ----------------------------------------------------------------------------------- */

/* The texts of column j; those of numbers stand in digits[nodes]. */
static void put_texts(const cafe_graph *graph, const cafe_attribute *a, char *digits,
                      const char **texts) {
    for (int64_t u = 0; u < graph->n; u++) {
        char *room = a->numbers ? digits + u * CAFE_ATTRIBUTE_DIGITS : NULL;
        texts[u] = cafe_attribute_text(a, u, room);
    }
}

cafe_status cafe_attribute_facts(cafe_context *context, const cafe_graph *graph,
                                 cafe_facts **facts) {
    const cafe_graph_reading *r = &graph->reading;
    int64_t n = graph->n, columns = r->attribute_count, numbers = 0;
    cafe_status status = CAFE_OK;
    for (int64_t j = 0; j < columns; j++) numbers += r->attributes[j].numbers != NULL;
    const char **names = cafe_mem(context, columns, sizeof *names);
    const char **texts = cafe_mem(context, columns * n, sizeof *texts);
    char *digits = cafe_mem(context, numbers * n, CAFE_ATTRIBUTE_DIGITS), *at = digits;
    CAFE_TRY(cafe_mem_had(names, texts, digits));
    for (int64_t j = 0; j < columns; j++) {
        names[j] = r->attributes[j].name;
        put_texts(graph, &r->attributes[j], at, texts + j * n);
        if (r->attributes[j].numbers) at += n * CAFE_ATTRIBUTE_DIGITS;
    }
    status = cafe_facts_from_arrays(context, n, columns, names, texts, facts);
done:
    cafe_mem_free_all(context, names, texts, digits);
    return status;
}
