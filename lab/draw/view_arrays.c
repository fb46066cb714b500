/* The arrays of a page, most important first: positions, communities, labels and centralities,
 * names, the table, the nearest nodes, the first columns, edges, more columns. Of many nodes edges
 * and all columns come before the nearest nodes, if they fit together. An array that does
 * not fit is left out as a whole. */
#include <math.h>
#include <string.h>

#include <cafe-private/about.h>
#include <cafe-private/inputs.h>

#include "base/memory.h"
#include "base/print.h"
#include "draw/view.h"
#include "graph/graph.h"
#include "io/digits.h"
#include "io/facts.h"
#include "io/name_format.h"

enum {
    SMALL = 200000,     /* points up to which precision costs nothing worth saving */
    SECTION_TEXT = 208, /* bytes around a section's base64, and of its line in the directory */
    FIRST_COLUMNS = 8,  /* before the edges */
    MOST_CENTRALITY = 1023
};

/* ---- keeping and leaving out ----------------------------------------------------------------- */

int64_t cafe_view_left(const cafe_view *page) {
    if (page->options->page_limit == 0) return INT64_MAX;
    return page->options->page_limit > page->spent ? page->options->page_limit - page->spent : 0;
}

static int64_t section_bytes(const cafe_view_section *section) {
    return SECTION_TEXT + cafe_view_base64_size(section->packed_size);
}

/* limit -1: whatever it takes */
cafe_status cafe_view_add(cafe_view *page, cafe_view_section section, const uint32_t *values,
                          const uint8_t *bytes, int64_t count, int64_t limit, bool *kept) {
    cafe_status status = cafe_check_cancel(page->context);
    if (status == CAFE_OK) status = cafe_view_pack(page->context, values, bytes, count, &section);
    int64_t size = section_bytes(&section);
    bool fits = limit < 0 || (size <= limit && size <= cafe_view_left(page));
    if (kept) *kept = status == CAFE_OK && fits;
    if (status != CAFE_OK || !fits) {
        cafe_mem_free(page->context, section.packed);
        return status;
    }
    page->section[page->sections++] = section;
    page->spent += size;
    return CAFE_OK;
}

void cafe_view_drop(cafe_view *page, int64_t first) {
    while (page->sections > first) {
        const cafe_view_section *last = &page->section[--page->sections];
        page->spent -= section_bytes(last);
        cafe_mem_free(page->context, last->packed);
    }
}

/* ---- positions ------------------------------------------------------------------------------- */

typedef struct axis {
    const float *at; /* of node 0; the others are `stride` floats apart */
    int64_t stride;
    float low, high;
    uint32_t steps;
} axis;

static axis find_axis(const float *at, int64_t stride, int64_t n, uint32_t steps) {
    axis a = {at, stride, at[0], at[0], steps};
    for (int64_t u = 1; u < n; u++) {
        float x = at[u * stride];
        if (x < a.low) a.low = x;
        if (x > a.high) a.high = x;
    }
    return a;
}

static uint32_t quantise(const axis *a, int64_t u) {
    double width = (double)a->high - a->low;
    if (!(width > 0)) return a->steps / 2;
    return (uint32_t)(((double)a->at[u * a->stride] - a->low) / width * a->steps + 0.5);
}

/* The two axes of the picture that opens: the map's, or the first two columns. */
static void pair_axes(const cafe_view *page, axis pair[2]) {
    const cafe_view_inputs *in = page->inputs;
    uint32_t steps = page->n <= SMALL ? 65535 : 16383;
    const float *from = in->map ? in->map : in->vectors;
    int64_t stride = in->map ? 2 : in->columns;
    pair[0] = find_axis(from, stride, page->n, steps);
    pair[1] = find_axis(from + (stride > 1), stride, page->n, steps);
}

static void set_range(cafe_view_section *section, const axis *a) {
    section->low = a->low;
    section->high = a->high;
    section->steps = a->steps;
}

static cafe_status add_positions(cafe_view *page) {
    cafe_view_section order = {.name = "order"}, curve = {.name = "pair", .delta = true},
                      second = {.name = "pair-y"};
    bool kept = false;
    axis pair[2];
    pair_axes(page, pair);
    set_range(&curve, &pair[0]);
    set_range(&second, &pair[1]);
    uint32_t *code = page->scratch;
    for (int64_t u = 0; u < page->n; u++)
        code[u] = cafe_view_morton(quantise(&pair[0], u), quantise(&pair[1], u));
    CAFE_PASS(cafe_view_sort(page->context, page->n, code, page->order));
    for (int64_t i = 0; i < page->n; i++) page->rank[page->order[i]] = (uint32_t)i;
    for (int64_t i = page->n - 1; i > 0; i--) code[i] -= code[i - 1];
    CAFE_PASS(cafe_view_add(page, curve, code, NULL, page->n, INT64_MAX, &kept));
    if (kept)
        CAFE_PASS(cafe_view_add(page, second, NULL, (const uint8_t *)"", 0, INT64_MAX, &kept));
    if (kept) CAFE_PASS(cafe_view_add(page, order, page->order, NULL, page->n, INT64_MAX, &kept));
    if (kept) return CAFE_OK;
    return cafe_fail(page->context, CAFE_ERROR_LIMIT,
                     "%lld points do not fit a page of %lld bytes; raise " CAFE_OPT("page-limit"),
                     (long long)page->n, (long long)page->options->page_limit);
}

/* ---- columns --------------------------------------------------------------------------------- */

cafe_status cafe_view_add_axis(cafe_view *page, const char *name, const float *at, int64_t stride,
                               bool *kept) {
    cafe_view_section section = {.delta = false};
    axis a = find_axis(at, stride, page->n, page->n <= SMALL / 2 ? 65535 : 4095);
    cafe_print(section.name, sizeof section.name, "%s", name);
    set_range(&section, &a);
    for (int64_t i = 0; i < page->n; i++) page->scratch[i] = quantise(&a, page->order[i]);
    return cafe_view_add(page, section, page->scratch, NULL, page->n, INT64_MAX, kept);
}

static cafe_status add_column(cafe_view *page, int64_t j, bool *kept) {
    const cafe_view_inputs *in = page->inputs;
    char name[CAFE_INTEGER_TEXT + 8] = "column-";
    *cafe_put_integer(name + 7, j) = 0;
    return cafe_view_add_axis(page, name, in->vectors + j, in->columns, kept);
}

/* Columns up to number `end`, as long as they fit; two of them may be the picture already. */
static cafe_status add_columns(cafe_view *page, int64_t end) {
    cafe_status status = CAFE_OK;
    bool kept = true;
    if (end > page->inputs->columns) end = page->inputs->columns;
    if (end > page->options->columns_shown) end = page->options->columns_shown;
    while (status == CAFE_OK && kept && page->report.columns < end) {
        int64_t j = page->report.columns;
        if (page->inputs->map || j > 1) status = add_column(page, j, &kept);
        if (status == CAFE_OK && kept) page->report.columns++;
    }
    return status;
}

/* ---- communities, labels, centralities, names ------------------------------------------------ */

static cafe_status add_parents(cafe_view *page) {
    const cafe_view_inputs *in = page->inputs;
    for (int64_t l = page->finest; l + 1 < in->layers; l++) {
        cafe_view_section section = {.name = "parent-"};
        *cafe_put_integer(section.name + 7, l - page->finest) = 0;
        CAFE_PASS(cafe_view_add(page, section, (const uint32_t *)in->layer[l].parent, NULL,
                                in->layer[l].communities, -1, NULL));
    }
    return CAFE_OK;
}

/* A partition into the scratch memory, in the order of the points. */
static void take_partition(cafe_view *page, const int32_t *part) {
    for (int64_t i = 0; i < page->n; i++) page->scratch[i] = (uint32_t)part[page->order[i]];
}

/* The partition as it stands. */
static cafe_status add_plain(cafe_view *page, const int32_t *part, int64_t limit, bool *kept) {
    cafe_view_section section = {.name = "community"};
    take_partition(page, part);
    return cafe_view_add(page, section, page->scratch, NULL, page->n, limit, kept);
}

/* The partition, coded by its difference from the labels. */
static cafe_status add_by_label(cafe_view *page, const int32_t *part, int64_t limit, bool *kept) {
    cafe_view_section ranks = {.name = "community-rank"}, values = {.name = "community-table"};
    int64_t kinds = cafe_labels_classes(page->inputs->labels) + 1, size = 0;
    uint32_t *table = NULL;
    cafe_status status = CAFE_OK;
    take_partition(page, part);
    CAFE_TRY(
        cafe_view_given(page->context, page->n, page->label, kinds, page->scratch, &table, &size));
    CAFE_TRY(cafe_view_add(page, ranks, page->scratch, NULL, page->n, limit, kept));
    if (!*kept) goto done;
    CAFE_TRY(cafe_view_add(page, values, table, NULL, size, limit, kept));
    if (!*kept) cafe_view_drop(page, page->sections - 1);
done:
    cafe_mem_free(page->context, table);
    return status;
}

/* Bytes that the parents from a layer on take at most: as base64 less than 6 a community. */
static int64_t parent_bytes(const cafe_view_inputs *in, int64_t layer) {
    int64_t bytes = 0;
    for (int64_t l = layer; l + 1 < in->layers; l++)
        bytes += SECTION_TEXT + 1024 + 6 * in->layer[l].communities;
    return bytes;
}

/* The finest layer that takes at most a quarter of the limit; the coarser ones follow from it. */
static cafe_status add_layers(cafe_view *page) {
    const cafe_view_inputs *in = page->inputs;
    int64_t limit = page->options->page_limit == 0 ? INT64_MAX : page->options->page_limit / 4;
    bool kept = false;
    for (page->finest = 0; page->finest < in->layers; page->finest++) {
        const int32_t *part = in->layer[page->finest].partition;
        int64_t parents = parent_bytes(in, page->finest);
        page->spent += parents; /* set aside */
        cafe_status status = page->label ? add_by_label(page, part, limit, &kept)
                                         : add_plain(page, part, limit, &kept);
        page->spent -= parents;
        if (status != CAFE_OK) return status;
        if (kept) break;
    }
    page->report.layers = in->layers - page->finest;
    return add_parents(page);
}

static cafe_status add_labels(cafe_view *page) {
    cafe_view_section section = {.name = "label"};
    bool kept = false;
    if (!page->inputs->labels) return CAFE_OK;
    page->label = cafe_mem(page->context, page->n, sizeof *page->label);
    if (!page->label) return CAFE_ERROR_MEMORY;
    for (int64_t i = 0; i < page->n; i++) {
        const int32_t *classes = NULL;
        int64_t count = cafe_labels_of(page->inputs->labels, page->order[i], &classes);
        page->label[i] = count > 0 ? (uint32_t)classes[0] + 1 : 0;
    }
    cafe_status status = cafe_view_add(page, section, page->label, NULL, page->n, INT64_MAX, &kept);
    page->report.labels = kept;
    if (kept) return status;
    cafe_mem_free(page->context, page->label);
    page->label = NULL;
    return status;
}

/* 0 stays 0; other values become 1 .. steps by their logarithm. */
static cafe_status add_centrality(cafe_view *page) {
    const double *value = page->inputs->centrality;
    cafe_view_section section = {.name = "centrality", .low = INFINITY};
    bool kept = false;
    if (!value) return CAFE_OK;
    for (int64_t u = 0; u < page->n; u++) {
        if (value[u] > 0 && value[u] < section.low) section.low = value[u];
        if (value[u] > section.high) section.high = value[u];
    }
    if (!(section.high > 0)) return CAFE_OK;
    section.steps = page->n <= SMALL ? MOST_CENTRALITY : 63;
    double width = log(section.high / section.low);
    for (int64_t i = 0; i < page->n; i++) {
        double v = value[page->order[i]], t = width > 0 ? log(v / section.low) / width : 0;
        page->scratch[i] = v > 0 ? 1 + (uint32_t)(t * (double)(section.steps - 1) + 0.5) : 0;
    }
    cafe_status status =
        cafe_view_add(page, section, page->scratch, NULL, page->n, INT64_MAX, &kept);
    page->report.centrality = kept;
    return status;
}

/* Names one after the other, each with a final 0 byte, which no name contains. Names that are node
 * ids need no room. */
static cafe_status add_names(cafe_view *page) {
    const cafe_graph *g = page->graph;
    int64_t size = 0;
    bool kept = false;
    page->report.names = g->names.kind == CAFE_NAMES_INDEX;
    if (page->report.names) return CAFE_OK;
    int64_t most = g->names.kind == CAFE_NAMES_STRING ? g->names.start[g->n] + g->n
                                                      : g->n * (CAFE_INTEGER_TEXT + 1);
    if (most / 64 > cafe_view_left(page)) return CAFE_OK; /* text does not get that small */
    char *text = cafe_mem(page->context, most, 1);
    if (!text) return CAFE_ERROR_MEMORY;
    for (int64_t u = 0; u < g->n; u++) {
        size = cafe_put_name(&g->names, u, text + size) - text;
        text[size++] = 0;
    }
    cafe_view_section section = {.name = "names"};
    cafe_status status =
        cafe_view_add(page, section, NULL, (uint8_t *)text, size, INT64_MAX, &kept);
    page->report.names = kept;
    cafe_mem_free(page->context, text);
    return status;
}

/* Texts one after the other, each with a final 0 byte. */
typedef struct texts {
    char *text;
    int64_t size, room;
} texts;

static cafe_status put_text(cafe_context *context, texts *t, const char *text) {
    int64_t length = (int64_t)strlen(text) + 1;
    CAFE_PASS(cafe_mem_grow(context, &t->text, &t->room, t->size + length, 1));
    memcpy(t->text + t->size, text, (size_t)length);
    t->size += length;
    return CAFE_OK;
}

cafe_status cafe_view_add_texts(cafe_view *page, const char *name, int64_t count,
                                const char *const *list) {
    cafe_view_section section = {.count = 0};
    texts t = {0};
    cafe_status status = CAFE_OK;
    cafe_print(section.name, sizeof section.name, "%s", name);
    for (int64_t k = 0; k < count; k++) CAFE_TRY(put_text(page->context, &t, list[k]));
    CAFE_TRY(cafe_view_add(page, section, NULL, (const uint8_t *)t.text, t.size, INT64_MAX, NULL));
done:
    cafe_mem_free(page->context, t.text);
    return status;
}

/* The user's names of the finest layer's communities, when that layer is in the page. */
static cafe_status add_community_names(cafe_view *page) {
    const cafe_view_inputs *in = page->inputs;
    if (in->named == 0 || in->layers == 0 || page->finest > 0) return CAFE_OK;
    return cafe_view_add_texts(page, "community-names", in->named, in->community_names);
}

/* What the communities of each layer in the page are about; not of layers of very many. */
static cafe_status add_about_layer(cafe_view *page, int64_t l) {
    enum { MOST_TEXTS = 20000 };
    const cafe_view_inputs *in = page->inputs;
    const cafe_layer *layer = in->layer + l;
    const cafe_about_sources sources = {in->labels, in->facts, in->centrality};
    cafe_view_section section = {.name = "about-"};
    cafe_about *about = NULL;
    texts t = {0};
    cafe_status status = CAFE_OK;
    if (layer->communities > MOST_TEXTS || layer->communities < 1) return CAFE_OK;
    *cafe_put_integer(section.name + 6, l - page->finest) = 0;
    CAFE_TRY(cafe_about_find(page->context, page->graph, &sources, layer->partition,
                             layer->communities, &about));
    for (int64_t k = 0; k < layer->communities; k++)
        CAFE_TRY(put_text(page->context, &t, cafe_about_text(about, k)));
    CAFE_TRY(cafe_view_add(page, section, NULL, (const uint8_t *)t.text, t.size, INT64_MAX, NULL));
done:
    cafe_about_free(about);
    cafe_mem_free(page->context, t.text);
    return status;
}

static cafe_status add_about(cafe_view *page) {
    for (int64_t l = page->finest; l < page->inputs->layers; l++)
        CAFE_PASS(add_about_layer(page, l));
    return CAFE_OK;
}

/* One column of the table: a number a point, 0 for none, and the words they stand for. */
static cafe_status add_fact(cafe_view *page, int64_t j, bool *kept) {
    const cafe_facts *a = page->inputs->facts;
    cafe_view_section of = {.name = "table-"}, words = {.name = "words-"};
    texts t = {0};
    cafe_status status = CAFE_OK;
    *cafe_put_integer(of.name + 6, j) = 0;
    *cafe_put_integer(words.name + 6, j) = 0;
    for (int64_t i = 0; i < page->n; i++)
        page->scratch[i] = (uint32_t)(cafe_facts_of(a, j, page->order[i]) + 1);
    for (int64_t k = 0; k < cafe_facts_words(a, j); k++)
        CAFE_TRY(put_text(page->context, &t, cafe_facts_word(a, j, k)));
    CAFE_TRY(cafe_view_add(page, of, page->scratch, NULL, page->n, INT64_MAX, kept));
    if (*kept)
        CAFE_TRY(cafe_view_add(page, words, NULL,
                               t.text ? (const uint8_t *)t.text : (const uint8_t *)"", t.size,
                               INT64_MAX, kept));
    if (!*kept && page->sections > 0 &&
        strcmp(page->section[page->sections - 1].name, of.name) == 0)
        cafe_view_drop(page, page->sections - 1);
done:
    cafe_mem_free(page->context, t.text);
    return status;
}

static cafe_status add_facts(cafe_view *page) {
    const cafe_facts *a = page->inputs->facts;
    bool kept = true;
    while (a && kept && page->report.facts < cafe_facts_columns(a)) {
        CAFE_PASS(add_fact(page, page->report.facts, &kept));
        page->report.facts += kept;
    }
    return CAFE_OK;
}

/* How many edges a node has, where the edges themselves are not in the page. */
static cafe_status add_degrees(cafe_view *page) {
    const cafe_graph *g = page->graph;
    cafe_view_section section = {.name = "degree"};
    if (page->report.links > 0 || g->counts.edges == 0) return CAFE_OK;
    for (int64_t i = 0; i < page->n; i++) {
        int64_t u = page->order[i];
        page->scratch[i] = (uint32_t)(g->offsets[u + 1] - g->offsets[u]);
    }
    return cafe_view_add(page, section, page->scratch, NULL, page->n, INT64_MAX, NULL);
}

/* Edges and all columns, where there are more nodes than lists of the nearest are exact for: the
 * page compares all nodes itself. Takes them back if they do not fit together. */
static cafe_status add_whole(cafe_view *page, bool *whole) {
    int64_t first = page->sections;
    *whole = page->n > CAFE_VIEW_EXACT && page->options->columns_shown >= page->inputs->columns;
    if (!*whole) return CAFE_OK;
    CAFE_PASS(cafe_view_add_links(page));
    CAFE_PASS(add_columns(page, INT64_MAX));
    *whole = page->report.columns == page->inputs->columns;
    if (!*whole) {
        cafe_view_drop(page, first);
        page->report.columns = page->report.links = 0;
        return CAFE_OK;
    }
    page->report.nearest = page->report.nearest_found = CAFE_VIEW_NEAREST;
    page->report.nearest_exact = 1;
    return CAFE_OK;
}

static cafe_status add_vectors(cafe_view *page) {
    bool whole = false;
    CAFE_PASS(add_whole(page, &whole));
    if (!whole) {
        CAFE_PASS(cafe_view_add_nearest(page));
        CAFE_PASS(add_columns(page, FIRST_COLUMNS));
        CAFE_PASS(cafe_view_add_links(page));
    }
    CAFE_PASS(add_degrees(page));
    return add_columns(page, INT64_MAX);
}

/* ---- all of it ------------------------------------------------------------------------------- */

cafe_status cafe_view_fill(cafe_view *page) {
    cafe_context *context = page->context;
    int64_t n = page->n;
    enum { OTHERS = 24 }; /* sections besides columns and parents */
    int64_t most = page->inputs->columns + 2 * page->inputs->layers + OTHERS;
    if (page->inputs->facts) most += 2 * cafe_facts_columns(page->inputs->facts);
    page->section = cafe_mem_zero(context, most, sizeof *page->section);
    page->order = cafe_mem(context, n, sizeof *page->order);
    page->rank = cafe_mem(context, n, sizeof *page->rank);
    page->scratch = cafe_mem(context, n, sizeof *page->scratch);
    CAFE_PASS(cafe_mem_had(page->section, page->order, page->rank, page->scratch));
    CAFE_PASS(add_positions(page));
    CAFE_PASS(add_labels(page));
    CAFE_PASS(add_layers(page));
    CAFE_PASS(add_community_names(page));
    CAFE_PASS(cafe_view_add_before(page));
    CAFE_PASS(add_centrality(page));
    CAFE_PASS(add_names(page));
    CAFE_PASS(add_facts(page));
    CAFE_PASS(add_about(page));
    return add_vectors(page);
}

void cafe_view_free(cafe_view *page) {
    cafe_view_drop(page, 0);
    cafe_mem_free_all(page->context, page->section, page->order, page->rank, page->scratch,
                      page->label);
}
