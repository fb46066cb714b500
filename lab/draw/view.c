/* The page: the viewer's text, the figures of the embedding as JSON, and one script element of
 * base64 per array. Browsers neither run nor fetch elements of such types; the viewer unpacks them
 * on demand.
 *
 * The policy of the page has the hash of the only script that may run (cmake/Viewer.cmake). So no
 * name of a node and no title can become code.
 */
#include "draw/view.h"

#include <math.h>
#include <string.h>

#include <cafe-private/inputs.h>
#include <cafe-private/members.h>

#include "base/memory.h"
#include "base/option.h"
#include "base/thread_pool.h"
#include "io/facts.h"
#include "rank/top_list.h"

enum { ENDS = 5, CENTRAL = 10, END_COLUMNS = 256 };

/* ---- options --------------------------------------------------------------------------------- */

static const cafe_option page_options[] = {
    {"columns-shown", "N", CAFE_OPTION_INTEGER | CAFE_OPTION_TUNE,
     offsetof(cafe_view_options, columns_shown), 64, 1, 4096, NULL,
     "columns of the embedding that can be chosen in the page, if they fit its size"},
    {"links", "WHICH", CAFE_OPTION_CHOICE | CAFE_OPTION_TUNE, offsetof(cafe_view_options, links), 0,
     0, 2, "auto|none|all",
     "edges in the page: when they fit its size, never, or whatever they take"},
    {"page-limit", "BYTES", CAFE_OPTION_INTEGER | CAFE_OPTION_TUNE,
     offsetof(cafe_view_options, page_limit), 8000000, 0, 2e9, NULL,
     "the page takes at most this many bytes; 0 is no limit"},
};

CAFE_OPTION_TABLE(view, "page", "what goes into an interactive page", page_options)

/* ---- the ends of a column -------------------------------------------------------------------- */

typedef struct ends {
    cafe_scored low[ENDS], high[ENDS]; /* nodes, the outermost first; low: by the negative value */
} ends;

typedef struct end_search {
    const cafe_view_inputs *inputs;
    int64_t n;
    ends *found;
} end_search;

static void find_ends(void *argument, int64_t j) {
    const end_search *s = argument;
    cafe_top low = {s->found[j].low, 0, ENDS}, high = {s->found[j].high, 0, ENDS};
    for (int64_t u = 0; u < s->n; u++) {
        double x = s->inputs->vectors[u * s->inputs->columns + j];
        cafe_top_offer(&low, (cafe_scored){-x, (int32_t)u});
        cafe_top_offer(&high, (cafe_scored){x, (int32_t)u});
    }
    cafe_top_sort(&low);
    cafe_top_sort(&high);
}

/* Nodes and `sign` times their scores. */
static void put_scored(cafe_report *text, const char *key, int64_t count, const cafe_scored *list,
                       int sign) {
    cafe_report_open(text, key, '[');
    for (int64_t i = 0; i < count; i++) {
        cafe_report_open(text, NULL, '[');
        cafe_report_integer(text, NULL, list[i].node);
        cafe_report_real(text, NULL, sign * list[i].score);
        cafe_report_close(text);
    }
    cafe_report_close(text);
}

static cafe_status put_ends(const cafe_view *page, cafe_report *text) {
    int64_t columns = page->inputs->columns < END_COLUMNS ? page->inputs->columns : END_COLUMNS;
    int64_t count = page->n < ENDS ? page->n : ENDS;
    end_search s = {page->inputs, page->n, NULL};
    s.found = cafe_mem(page->context, columns, sizeof *s.found);
    if (!s.found) return CAFE_ERROR_MEMORY;
    cafe_status status = cafe_each(page->context, columns, find_ends, &s);
    cafe_report_open(text, "ends", '[');
    for (int64_t j = 0; status == CAFE_OK && j < columns; j++) {
        cafe_report_open(text, NULL, '{');
        put_scored(text, "low", count, s.found[j].low, -1);
        put_scored(text, "high", count, s.found[j].high, 1);
        cafe_report_close(text);
    }
    cafe_report_close(text);
    cafe_mem_free(page->context, s.found);
    return status;
}

/* The most central nodes, falling; equal ones by number. The page's own values are quantised. */
static void put_central(const cafe_view *page, cafe_report *text) {
    const double *value = page->inputs->centrality;
    cafe_scored list[CENTRAL];
    cafe_top top = {list, 0, CENTRAL};
    for (int64_t u = 0; value && u < page->n; u++)
        cafe_top_offer(&top, (cafe_scored){value[u], (int32_t)u});
    cafe_top_sort(&top);
    put_scored(text, "central", top.count, list, 1);
}

/* ---- what the page knows of itself ----------------------------------------------------------- */

static void put_sections(const cafe_view *page, cafe_report *text) {
    cafe_report_open(text, "sections", '[');
    for (int64_t i = 0; i < page->sections; i++) {
        const cafe_view_section *s = &page->section[i];
        cafe_report_open(text, NULL, '{');
        cafe_report_string(text, "name", s->name);
        cafe_report_integer(text, "count", s->count);
        cafe_report_integer(text, "raw", s->raw);
        if (s->delta) cafe_report_integer(text, "delta", 1);
        if (s->steps > 0) {
            cafe_report_integer(text, "steps", s->steps);
            cafe_report_real(text, "low", s->low);
            cafe_report_real(text, "high", s->high);
        }
        cafe_report_close(text);
    }
    cafe_report_close(text);
}

static void put_layers(const cafe_view *page, cafe_report *text) {
    const cafe_view_inputs *in = page->inputs;
    cafe_report_integer(text, "layersFound", in->layers);
    cafe_report_open(text, "layers", '[');
    for (int64_t l = page->finest; l < in->layers; l++) {
        cafe_report_open(text, NULL, '{');
        cafe_report_integer(text, "communities", in->layer[l].communities);
        cafe_report_real(text, "modularity", in->layer[l].modularity);
        cafe_report_close(text);
    }
    cafe_report_close(text);
}

static void put_classes(const cafe_view *page, cafe_report *text) {
    const cafe_labels *labels = page->inputs->labels;
    cafe_report_open(text, "classes", '[');
    for (int64_t c = 0; page->report.labels && c < cafe_labels_classes(labels); c++)
        cafe_report_string(text, NULL, cafe_labels_class_name(labels, c));
    cafe_report_close(text);
}

static void put_facts(const cafe_view *page, cafe_report *text) {
    const cafe_facts *a = page->inputs->facts;
    cafe_report_integer(text, "tableFound", a ? cafe_facts_columns(a) : 0);
    cafe_report_open(text, "table", '[');
    for (int64_t j = 0; j < page->report.facts; j++)
        cafe_report_string(text, NULL, cafe_facts_name(a, j));
    cafe_report_close(text);
}

static void put_graph(const cafe_view *page, cafe_report *text) {
    const cafe_graph *g = page->graph;
    bool indices = cafe_graph_names_are_indices(g);
    cafe_report_integer(text, "nodes", page->n);
    cafe_report_integer(text, "edges", cafe_graph_get_counts(g)->edges);
    cafe_report_string(text, "names", indices ? "index" : page->report.names ? "text" : "none");
}

static void put_certificate(cafe_report *text, const cafe_certificate *certificate) {
    static const cafe_certificate unknown;
    const cafe_certificate *c = certificate ? certificate : &unknown;
    cafe_report_integer(text, "generalised", c->generalised);
    cafe_report_reals(text, "ritz", c->pairs, c->ritz_values);
    cafe_report_reals(text, "residuals", c->pairs, c->residuals);
    cafe_report_groups(text, c);
}

static cafe_status put_meta(const cafe_view *page, cafe_report *text) {
    const cafe_view_inputs *in = page->inputs;
    cafe_report_open(text, NULL, '{');
    cafe_report_string(text, "format", "cafe/page/1");
    cafe_report_string(text, "version", cafe_version());
    cafe_report_string(text, "title", in->title ? in->title : "Embedding");
    put_graph(page, text);
    cafe_report_integer(text, "columns", in->columns);
    cafe_report_integer(text, "columnsShown", page->report.columns);
    cafe_report_real(text, "degreeExponent", in->degree_exponent);
    cafe_report_string(text, "pair", in->map ? "map" : "columns");
    cafe_report_string(text, "centrality",
                       in->centrality_name ? in->centrality_name : "centrality");
    put_central(page, text);
    cafe_report_integer(text, "nearest", page->report.nearest);
    cafe_report_integer(text, "nearestFound", page->report.nearest_found);
    cafe_report_integer(text, "nearestExact", page->report.nearest_exact);
    cafe_report_integer(text, "labelled", in->labels != NULL);
    put_classes(page, text);
    put_facts(page, text);
    put_layers(page, text);
    cafe_report_real(text, "bound", in->bound);
    cafe_report_truth(text, "proved", in->proved);
    if (in->before || in->before_map)
        cafe_report_string(text, "before", in->before_title ? in->before_title : "before");
    put_certificate(text, in->certificate);
    cafe_report_reals(text, "objective", in->objectives, in->objective);
    if (in->summary) cafe_report_raw(text, "summary", in->summary);
    put_sections(page, text);
    cafe_status status = put_ends(page, text);
    cafe_report_close(text);
    return status;
}

/* ---- the page -------------------------------------------------------------------------------- */

static void put(cafe_report *text, const char *word) {
    cafe_report_put(text, word, (int64_t)strlen(word));
}

/* Text as the content of an HTML element. */
static void put_html(cafe_report *text, const char *value) {
    for (; *value; value++) {
        const char *escape = *value == '&' ? "&amp;" : *value == '<' ? "&lt;" : "&gt;";
        if (strchr("&<>", *value))
            put(text, escape);
        else
            cafe_report_put(text, value, 1);
    }
}

static void put_section(cafe_report *text, const cafe_view_section *s) {
    put(text, "<script type=\"application/octet-stream\" data-section=\"");
    put(text, s->name);
    put(text, "\">");
    char *room = cafe_report_room(text, cafe_view_base64_size(s->packed_size));
    if (room) text->size += cafe_view_base64(s->packed, s->packed_size, room);
    put(text, "</script>\n");
}

/* Writes the template up to a mark; returns the text after the mark. */
static const char *put_until(cafe_report *text, const char *from, const char *mark) {
    const char *end = strstr(from, mark);
    cafe_report_put(text, from, end - from);
    return end + strlen(mark);
}

static cafe_status put_page(const cafe_view *page, cafe_report *text) {
    const char *title = page->inputs->title ? page->inputs->title : "Embedding";
    const char *rest = put_until(text, cafe_view_template, CAFE_VIEW_TITLE);
    put_html(text, title);
    rest = put_until(text, rest, CAFE_VIEW_DATA);
    put(text, "<script type=\"application/json\" id=\"meta\">");
    cafe_status status = put_meta(page, text);
    put(text, "</script>\n");
    for (int64_t s = 0; s < page->sections; s++) put_section(text, &page->section[s]);
    put(text, rest);
    return status != CAFE_OK ? status : text->status;
}

/* ---- the call -------------------------------------------------------------------------------- */

static cafe_status check_finite(cafe_context *context, int64_t count, const float *x,
                                const char *what) {
    for (int64_t i = 0; i < count; i++)
        if (!isfinite(x[i]))
            return cafe_fail(context, CAFE_ERROR_ARGUMENT, "%s: a value is not finite", what);
    return CAFE_OK;
}

cafe_status cafe_view_check(cafe_context *context, const cafe_graph *graph,
                            const cafe_view_inputs *in) {
    if (cafe_graph_nodes(graph) < 1 || in->columns < 1 || !in->vectors)
        return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                         "a page needs a graph with nodes and vectors with columns");
    if (in->named < 0 || (in->named > 0 && !in->community_names))
        return cafe_fail(context, CAFE_ERROR_ARGUMENT, "names of communities are missing");
    CAFE_PASS(check_finite(context, cafe_graph_nodes(graph) * in->columns, in->vectors, "vectors"));
    if (in->before_named < 0 || (in->before_named > 0 && !in->before_names))
        return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                         "names of the communities before are missing");
    for (int64_t u = 0; in->before && u < cafe_graph_nodes(graph); u++)
        if (in->before[u] < -1)
            return cafe_fail(context, CAFE_ERROR_ARGUMENT, "node %lld was in community %d",
                             (long long)u, in->before[u]);
    if (in->map) CAFE_PASS(check_finite(context, cafe_graph_nodes(graph) * 2, in->map, "map"));
    return in->before_map
               ? check_finite(context, cafe_graph_nodes(graph) * 2, in->before_map, "map before")
               : CAFE_OK;
}

/* The most bytes of the page besides its arrays: the viewer and the JSON, with up to 15 bytes for a
 * number and 6 for a character. */
static int64_t fixed_bytes(const cafe_view_inputs *in) {
    enum { NUMBER = 15, CHARACTER = 6, REST = 2048 };
    int64_t bytes = cafe_view_template_size + REST;
    bytes += in->columns * (ENDS * 2 * (2 * NUMBER + 3) + 4 * NUMBER + 32);
    bytes += in->objectives * NUMBER + in->layers * (2 * NUMBER + 64);
    if (in->title) bytes += 2 * CHARACTER * (int64_t)strlen(in->title);
    if (in->before_title) bytes += CHARACTER * (int64_t)strlen(in->before_title);
    for (int64_t c = 0; in->labels && c < cafe_labels_classes(in->labels); c++)
        bytes += CHARACTER * (int64_t)strlen(cafe_labels_class_name(in->labels, c)) + 3;
    for (int64_t j = 0; in->facts && j < cafe_facts_columns(in->facts); j++)
        bytes += CHARACTER * (int64_t)strlen(cafe_facts_name(in->facts, j)) + 3;
    return bytes;
}

cafe_status cafe_view_write_sized(cafe_context *context, const cafe_graph *graph,
                                  const cafe_view_inputs *inputs, const cafe_view_options *options,
                                  const char *path, int32_t overwrite, cafe_view_report *report,
                                  size_t size) {
    cafe_view_options o;
    cafe_view_inputs in;
    cafe_view page = {.context = context,
                      .graph = graph,
                      .inputs = &in,
                      .options = &o,
                      .n = cafe_graph_nodes(graph)};
    cafe_report text = {.context = context, .page = true};
    cafe_status status = CAFE_OK;
    CAFE_TRY(cafe_options_take(context, &view_table, options, &o));
    CAFE_TRY(cafe_inputs_take(context, "a page", inputs, &in, sizeof in));
    CAFE_TRY(cafe_view_check(context, graph, &in));
    cafe_phase(context, "page", 0);
    page.spent = fixed_bytes(&in);
    CAFE_TRY(cafe_view_fill(&page));
    CAFE_TRY(put_page(&page, &text));
    CAFE_TRY(cafe_report_save(&text, path, overwrite));
    page.report.bytes = text.size;
    cafe_struct_give(&page.report, sizeof page.report, report, size);
done:
    cafe_mem_free(context, text.text);
    cafe_view_free(&page);
    cafe_phase(context, "", 0);
    return status;
}
