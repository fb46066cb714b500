/* What a stranger's words become in the page and in the SVG of `cafe plot`.
 *
 *     how, title, \1, name of the centrality, \1, names of the nodes, \1 between them
 *
 * The same words serve as names of classes, communities and facts. The page is the template with a
 * title that has no markup, one element of well-formed JSON without < and > in it, and elements of
 * base64; the SVG is well-formed XML.
 */
#include <fcntl.h>
#include <sys/stat.h>

#include "draw/view.h"
#include "folder.h"
#include "fuzz.h"

#ifdef CAFE_EXPAT
#include <expat.h>
#endif

enum { MOST = 12, COLUMNS = 2, DEPTH = 32, NAMED = 1, LABELLED = 2, FACTS = 4, LAYERS = 8 };

typedef struct words {
    int64_t count;
    const char *at[MOST];
} words;

/* ---- the data of a picture ------------------------------------------------------------------- */

static void split(char *text, words *w) {
    for (char *next = text; next && w->count < MOST;) {
        char *end = strchr(next, 1);
        if (end) *end = 0;
        w->at[w->count++] = next;
        next = end ? end + 1 : NULL;
    }
}

static cafe_graph *make_graph(uint8_t how, const words *names) {
    cafe_context *context = fuzz_context();
    int32_t source[MOST], target[MOST];
    cafe_graph *graph = NULL;
    for (int32_t i = 0; i + 1 < names->count; i++) source[i] = i, target[i] = i + 1;
    if (cafe_graph_from_edges(context, names->count, names->count - 1, source, target, NULL, NULL,
                              &graph) != CAFE_OK)
        abort();
    if (how & NAMED) cafe_graph_set_names(context, graph, names->at); /* refused: indices */
    return graph;
}

/* ---- JSON ------------------------------------------------------------------------------------ */

typedef struct json {
    const char *at, *end;
} json;

static bool takes(json *j, const char *word) {
    size_t length = strlen(word);
    if ((size_t)(j->end - j->at) < length || memcmp(j->at, word, length) != 0) return false;
    j->at += length;
    return true;
}

static void must(bool truth) {
    if (!truth) abort();
}

static void take_string(json *j) {
    must(takes(j, "\""));
    while (!takes(j, "\"")) {
        must(j->at < j->end && (uint8_t)*j->at >= 0x20 && !strchr("<>&", *j->at));
        if (*j->at++ != '\\') continue;
        must(j->at < j->end && strchr("\"\\/bfnrtu", *j->at) && *j->at);
        if (*j->at++ != 'u') continue;
        for (int i = 0; i < 4; i++, j->at++)
            must(j->at < j->end && *j->at && strchr("0123456789abcdefABCDEF", *j->at));
    }
}

static void take_value(json *j, int depth) {
    must(depth < DEPTH && j->at < j->end);
    char open = *j->at;
    if (open == '"') {
        take_string(j);
    } else if (open == '[' || open == '{') {
        const char *close = open == '[' ? "]" : "}";
        j->at++;
        if (takes(j, close)) return;
        do {
            if (open == '{') take_string(j), must(takes(j, ":"));
            take_value(j, depth + 1);
        } while (takes(j, ","));
        must(takes(j, close));
    } else if (!takes(j, "null") && !takes(j, "true") && !takes(j, "false")) {
        const char *start = j->at;
        while (j->at < j->end && strchr("-+.0123456789eE", *j->at)) j->at++;
        must(j->at > start);
    }
}

/* ---- the page -------------------------------------------------------------------------------- */

static void take_title(json *page) {
    while (page->at < page->end && *page->at != '<') {
        must(*page->at != '>');
        if (*page->at != '&')
            page->at++;
        else
            must(takes(page, "&amp;") || takes(page, "&lt;") || takes(page, "&gt;"));
    }
}

static void take_section(json *page) {
    static const char name[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
    while (page->at < page->end && *page->at && strchr(name, *page->at)) page->at++;
    must(takes(page, "\">"));
    while (page->at < page->end && *page->at &&
           (strchr(name, *page->at) || strchr("+/=", *page->at)))
        page->at++;
    must(takes(page, "</script>\n"));
}

static void check_page(const char *text, size_t size) {
    static const char meta[] = "<script type=\"application/json\" id=\"meta\">";
    static const char data[] = "<script type=\"application/octet-stream\" data-section=\"";
    const char *title = strstr(cafe_view_template, CAFE_VIEW_TITLE);
    const char *body = strstr(cafe_view_template, CAFE_VIEW_DATA);
    const char *behind_title = title + strlen(CAFE_VIEW_TITLE);
    const char *behind = body + strlen(CAFE_VIEW_DATA);
    json page = {text, text + size};
    size_t head = (size_t)(title - cafe_view_template), middle = (size_t)(body - behind_title);
    must(size > head && memcmp(text, cafe_view_template, head) == 0);
    page.at += head;
    take_title(&page);
    must((size_t)(page.end - page.at) > middle && memcmp(page.at, behind_title, middle) == 0);
    page.at += middle;
    must(takes(&page, meta));
    take_value(&page, 0);
    must(takes(&page, "</script>\n"));
    while (takes(&page, data)) take_section(&page);
    must((size_t)(page.end - page.at) == strlen(behind) &&
         memcmp(page.at, behind, strlen(behind)) == 0);
}

static void check_svg(const char *text, size_t size) {
#ifdef CAFE_EXPAT
    XML_Parser parser = XML_ParserCreate(NULL);
    must(parser && XML_Parse(parser, text, (int)size, 1) == XML_STATUS_OK);
    XML_ParserFree(parser);
#else
    (void)text, (void)size;
#endif
}

/* ---- the calls ------------------------------------------------------------------------------- */

static void check_file(const char *name, void (*check)(const char *, size_t)) {
    int file = openat(fuzz_folder(), name, O_RDONLY | O_CLOEXEC);
    struct stat info;
    must(file >= 0 && fstat(file, &info) == 0);
    size_t size = (size_t)info.st_size;
    char *text = malloc(size + 1);
    must(text && read(file, text, size) == (ssize_t)size);
    text[size] = 0;
    check(text, size);
    free(text);
    close(file);
}

static void draw(uint8_t how, const char *title, const char *centrality, const words *names) {
    cafe_context *context = fuzz_context();
    cafe_graph *graph = make_graph(how, names);
    cafe_labels *labels = NULL;
    cafe_facts *facts = NULL;
    cafe_view_inputs inputs;
    cafe_plot_inputs plot;
    int32_t class[MOST];
    float vectors[MOST * COLUMNS];
    double value[MOST];
    int64_t n = names->count;
    for (int32_t u = 0; u < n; u++) {
        class[u] = u;
        value[u] = u;
        for (int j = 0; j < COLUMNS; j++) vectors[u * COLUMNS + j] = (float)((u * (j + 3)) % 7);
    }
    cafe_view_inputs_init(&inputs);
    inputs.title = title;
    inputs.columns = COLUMNS;
    inputs.vectors = vectors;
    inputs.centrality = value;
    inputs.centrality_name = centrality;
    if (how & LABELLED &&
        cafe_labels_from_arrays(context, n, NULL, class, n, names->at, &labels) == CAFE_OK)
        inputs.labels = labels;
    if (how & FACTS && cafe_facts_from_arrays(context, n, 1, &title, names->at, &facts) == CAFE_OK)
        inputs.facts = facts;
    cafe_layer layer = {.communities = n, .partition = class};
    if (how & LAYERS) inputs.layers = 1, inputs.layer = &layer;
    if (how & LAYERS) inputs.named = n, inputs.community_names = names->at;
    must(cafe_view_write(context, graph, &inputs, NULL, fuzz_folder_path("page.html"), 1, NULL) ==
         CAFE_OK);
    check_file("page.html", check_page);
    cafe_plot_inputs_init(&plot);
    plot.n = n;
    plot.xy = vectors;
    plot.graph = graph;
    plot.kinds = n, plot.kind = class, plot.names = names->at;
    plot.title = plot.x_label = title;
    plot.legend = plot.y_label = centrality;
    must(cafe_plot_svg(context, &plot, NULL, fuzz_folder_path("plot.svg"), 1) == CAFE_OK);
    check_file("plot.svg", check_svg);
    cafe_facts_free(facts);
    cafe_labels_free(labels);
    cafe_graph_free(graph);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 1) return 0;
    int64_t bytes = cafe_bytes(fuzz_context());
    words all = {0}, names = {0};
    char *text = malloc(size);
    if (!text) return 0;
    memcpy(text, data + 1, size - 1);
    text[size - 1] = 0;
    split(text, &all);
    for (int64_t i = 2; i < all.count; i++) names.at[names.count++] = all.at[i];
    if (names.count > 0) draw(data[0], all.at[0], all.at[1], &names);
    fuzz_folder_clear();
    free(text);
    fuzz_check(CAFE_OK, bytes);
    return 0;
}
