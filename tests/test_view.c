/* The parts of an interactive page: curve, packing, base64, JSON that is safe inside HTML, limit
 * and memory. What the page does in a browser is for tests/browser.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cafe-private/members.h>

#include "failing.h"

#include "base/memory.h"
#include "draw/view.h"
#include "io/gzip.h"

enum { NODES = 300, COLUMNS = 5 };

static uint32_t draw(uint64_t at) {
    return (uint32_t)((at + 1) * 0x9e3779b97f4a7c15u >> 32);
}

/* ---- curve and packing ----------------------------------------------------------------------- */

static void test_morton(void **state) {
    (void)state;
    for (uint64_t i = 0; i < 1000; i++) {
        uint32_t x = draw(i) & 0xffff, y = draw(i + 5000) & 0xffff, code = 0;
        for (int bit = 0; bit < 16; bit++)
            code |= (x >> bit & 1) << (2 * bit) | (y >> bit & 1) << (2 * bit + 1);
        assert_int_equal(cafe_view_morton(x, y), code);
    }
}

static void test_sort(void **state) {
    enum { N = 5000 };
    static uint32_t code[N], before[N], order[N];
    for (uint64_t i = 0; i < N; i++) before[i] = code[i] = draw(i) % 700 * 6000000u;
    assert_int_equal(cafe_view_sort(*state, N, code, order), CAFE_OK);
    for (int i = 0; i < N; i++) {
        assert_int_equal(code[i], before[order[i]]);
        if (i == 0) continue;
        assert_true(code[i - 1] < code[i] || (code[i - 1] == code[i] && order[i - 1] < order[i]));
    }
}

/* The numbers again, as a browser would read them. */
static void check_packed(cafe_context *context, const uint32_t *values, int64_t count) {
    cafe_view_section section = {.delta = false};
    assert_int_equal(cafe_view_pack(context, values, NULL, count, &section), CAFE_OK);
    uint8_t *planes = cafe_mem(context, section.raw + 1, 1);
    void *inflate = cafe_mem(context, (int64_t)cafe_inflate_bytes(), 1);
    assert_true(cafe_inflate(inflate, section.packed, section.packed_size, planes, section.raw));
    int64_t width = count > 0 ? section.raw / count : 0;
    for (int64_t i = 0; i < count; i++) {
        uint32_t value = 0;
        for (int64_t b = 0; b < width; b++) value |= (uint32_t)planes[b * count + i] << (8 * b);
        assert_int_equal(value, values[i]);
    }
    cafe_mem_free(context, planes);
    cafe_mem_free(context, inflate);
    cafe_mem_free(context, section.packed);
}

static void test_pack(void **state) {
    enum { N = 70000 };
    static uint32_t values[N];
    const uint32_t masks[] = {0, 0xff, 0xffff, 0xffffff, 0xffffffff};
    const int64_t counts[] = {0, 1, 2, 1000, N};
    for (size_t m = 0; m < sizeof masks / sizeof *masks; m++) {
        for (uint64_t i = 0; i < N; i++) values[i] = draw(i) & masks[m];
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
            check_packed(*state, values, counts[c]);
    }
}

/* From the ranks, the table and what was given the values come back, and a smaller rank is never
 * the less frequent one. */
static void test_given(void **state) {
    enum { N = 4000, KINDS = 40, VALUES = 300 };
    static uint32_t given[N], value[N], rank[N];
    static int often[KINDS][VALUES];
    uint32_t *table = NULL, start[KINDS + 1];
    int64_t size = 0, at = 0;
    for (uint64_t i = 0; i < N; i++) {
        given[i] = draw(i) % KINDS;
        if (given[i] == 7) given[i] = 8; /* one kind that nobody has */
        value[i] = rank[i] = draw(i + N) % 4 ? given[i] * 3 : draw(i + 2 * N) % VALUES;
    }
    assert_int_equal(cafe_view_given(*state, N, given, KINDS, rank, &table, &size), CAFE_OK);
    for (int g = 0; g < KINDS; g++) {
        start[g] = (uint32_t)at + 1;
        at += 1 + table[at];
    }
    assert_int_equal(at, size);
    for (int i = 0; i < N; i++) {
        assert_int_equal(table[start[given[i]] + rank[i]], value[i]);
        often[given[i]][rank[i]]++;
    }
    for (int g = 0; g < KINDS; g++)
        for (int r = 1; r < VALUES; r++) assert_true(often[g][r] <= often[g][r - 1]);
    cafe_mem_free(*state, table);
}

static void test_base64(void **state) {
    (void)state;
    const char *pairs[][2] = {{"", ""},
                              {"f", "Zg=="},
                              {"fo", "Zm8="},
                              {"foo", "Zm9v"},
                              {"foob", "Zm9vYg=="},
                              {"fooba", "Zm9vYmE="},
                              {"foobar", "Zm9vYmFy"},
                              {"\xff\xfe\xfd", "//79"}}; /* RFC 4648 */
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        char text[16] = {0};
        int64_t size = (int64_t)strlen(pairs[i][0]);
        assert_int_equal(cafe_view_base64((const uint8_t *)pairs[i][0], size, text),
                         cafe_view_base64_size(size));
        assert_string_equal(text, pairs[i][1]);
    }
}

/* ---- text ------------------------------------------------------------------------------------ */

static void test_text(void **state) {
    cafe_report text = {.context = *state, .page = true};
    cafe_report_open(&text, NULL, '{');
    cafe_report_string(&text, "a", "</script>&\"\\\n\x01\xc3\xa4");
    cafe_report_integer(&text, "b", -7);
    cafe_report_reals(&text, "c", 2, (double[]){0.5, 1.0 / 0.0});
    cafe_report_reals(&text, "d", 2, NULL);
    cafe_report_close(&text);
    cafe_report_put(&text, "", 1);
    assert_int_equal(text.status, CAFE_OK);
    assert_string_equal(text.text,
                        "{\"a\":\"\\u003c/script\\u003e\\u0026\\u0022\\u005c\\u000a"
                        "\\u0001\xc3\xa4\",\"b\":-7,\"c\":[0.5,null],\"d\":[]}");
    cafe_mem_free(*state, text.text);
}

/* ---- whole pages ----------------------------------------------------------------------------- */

typedef struct fixture {
    cafe_graph *graph;
    float vectors[NODES * COLUMNS];
    int32_t fine[NODES], coarse[NODES], parent[NODES / 10];
    double centrality[NODES];
    cafe_layer layer[2];
    cafe_facts *facts;
    cafe_view_inputs inputs;
} fixture;

static void fill(cafe_context *context, fixture *f) {
    static const double objective[] = {0.1, 0.2};
    int32_t source[NODES * 3], target[NODES * 3];
    for (int i = 0; i < NODES * 3; i++) {
        source[i] = i / 3;
        target[i] = (int32_t)(draw((uint64_t)i) % NODES);
    }
    assert_int_equal(
        cafe_graph_from_edges(context, NODES, NODES * 3, source, target, NULL, NULL, &f->graph),
        CAFE_OK);
    for (int i = 0; i < NODES * COLUMNS; i++)
        f->vectors[i] = (float)draw((uint64_t)i + 9) / 4294967296.0f - 0.5f;
    for (int u = 0; u < NODES; u++) {
        f->fine[u] = u / 10;
        f->coarse[u] = u / 100;
        f->parent[u / 10] = u / 100;
        f->centrality[u] = u % 17;
    }
    f->layer[0] = (cafe_layer){NODES / 10, 0.4, f->fine, f->parent};
    f->layer[1] = (cafe_layer){NODES / 100, 0.5, f->coarse, NULL};
    cafe_view_inputs_init(&f->inputs);
    f->inputs.columns = COLUMNS;
    f->inputs.vectors = f->vectors;
    f->inputs.layers = 2;
    f->inputs.layer = f->layer;
    f->inputs.centrality = f->centrality;
    f->inputs.objectives = 2;
    f->inputs.objective = objective;
    f->inputs.facts = f->facts = NULL;
}

/* A table of the nodes, and names of the finest communities. */
static void add_words(cafe_context *context, fixture *f) {
    static const char *const columns[] = {"odd", "same"}, *const words[] = {"yes", "no", "all"};
    static const char *text[2 * NODES], *names[NODES / 10];
    for (int u = 0; u < NODES; u++) {
        text[u] = u % 5 ? words[u % 2] : NULL;
        text[NODES + u] = words[2];
    }
    for (int k = 0; k < NODES / 10; k++) names[k] = k % 2 ? "north" : "south";
    assert_int_equal(cafe_facts_from_arrays(context, NODES, 2, columns, text, &f->facts), CAFE_OK);
    f->inputs.facts = f->facts;
    f->inputs.named = NODES / 10;
    f->inputs.community_names = names;
}

static float map_before[2 * NODES];

/* Another run: communities of which one has no name, and a map, turned and larger than this one's.
 */
static void add_before(fixture *f) {
    static const char *const names[] = {"west", "east"};
    static int32_t part[NODES];
    static float map[2 * NODES];
    for (int u = 0; u < NODES; u++) part[u] = u % 4 - 1;
    for (int i = 0; i < 2 * NODES; i++) map[i] = (float)(i * i % 37);
    for (int u = 0; u < NODES; u++) {
        map_before[2 * u] = 3 - 2 * map[2 * u + 1];
        map_before[2 * u + 1] = 2 * map[2 * u];
    }
    f->inputs.map = map;
    f->inputs.before = part;
    f->inputs.before_named = 2;
    f->inputs.before_names = names;
    f->inputs.before_map = map_before;
    f->inputs.before_title = "yesterday";
}

static const char page_path[] = "test_page.html";

static void test_report(void **state) {
    fixture f;
    cafe_view_report all, few;
    struct stat found;
    fill(*state, &f);
    add_words(*state, &f);
    assert_int_equal(cafe_view_write(*state, f.graph, &f.inputs, NULL, page_path, 1, &all),
                     CAFE_OK);
    assert_int_equal(all.facts, 2);
    assert_int_equal(stat(page_path, &found), 0);
    assert_int_equal(all.bytes, found.st_size);
    assert_int_equal(all.columns, COLUMNS);
    assert_int_equal(all.layers, 2);
    assert_int_equal(all.links, cafe_graph_get_counts(f.graph)->edges);
    assert_int_equal(cafe_view_write(*state, f.graph, &f.inputs, NULL, page_path, 0, NULL),
                     CAFE_ERROR_EXISTS);
    cafe_view_options options;
    cafe_view_options_init(&options);
    options.columns_shown = 3;
    options.links = CAFE_VIEW_LINKS_NONE;
    assert_int_equal(cafe_view_write(*state, f.graph, &f.inputs, &options, page_path, 1, &few),
                     CAFE_OK);
    assert_int_equal(few.columns, 3);
    assert_int_equal(few.links, 0);
    options.page_limit = 1000;
    assert_int_equal(cafe_view_write(*state, f.graph, &f.inputs, &options, page_path, 1, NULL),
                     CAFE_ERROR_LIMIT);
    f.vectors[7] = 1.0f / 0.0f;
    assert_int_equal(cafe_view_write(*state, f.graph, &f.inputs, NULL, page_path, 1, NULL),
                     CAFE_ERROR_ARGUMENT);
    f.vectors[7] = 0;
    f.inputs.community_names = NULL;
    assert_int_equal(cafe_view_write(*state, f.graph, &f.inputs, NULL, page_path, 1, NULL),
                     CAFE_ERROR_ARGUMENT);
    unlink(page_path);
    cafe_facts_free(f.facts);
    cafe_graph_free(f.graph);
}

/* ---- the nearest nodes ----------------------------------------------------------------------- */

static const cafe_view_section *section_of(const cafe_view *page, const char *name) {
    for (int64_t i = 0; i < page->sections; i++)
        if (strcmp(page->section[i].name, name) == 0) return &page->section[i];
    return NULL;
}

static uint32_t *numbers_of(cafe_context *context, const cafe_view_section *s) {
    uint8_t *planes = cafe_mem(context, s->raw, 1);
    void *inflate = cafe_mem(context, (int64_t)cafe_inflate_bytes(), 1);
    uint32_t *values = cafe_mem_zero(context, s->count, sizeof *values);
    assert_true(cafe_inflate(inflate, s->packed, s->packed_size, planes, s->raw));
    for (int64_t b = 0; b < s->raw / s->count; b++)
        for (int64_t i = 0; i < s->count; i++)
            values[i] |= (uint32_t)planes[b * s->count + i] << (8 * b);
    cafe_mem_free_all(context, planes, inflate);
    return values;
}

static double cosine(const float *x, const float *y) {
    double xx = 0, yy = 0, xy = 0;
    for (int k = 0; k < COLUMNS; k++) {
        xx += (double)x[k] * x[k];
        yy += (double)y[k] * y[k];
        xy += (double)x[k] * y[k];
    }
    return xx > 0 && yy > 0 ? xy / sqrt(xx * yy) : -2;
}

/* The j-th largest cosine of u with another node, by trying all; -2: there is none. */
static double best_cosine(const fixture *f, int u, int64_t j) {
    double best[NODES];
    int count = 0;
    for (int w = 0; w < NODES; w++) {
        double c = w == u ? -2 : cosine(f->vectors + u * COLUMNS, f->vectors + w * COLUMNS);
        int at = count++;
        for (; at > 0 && best[at - 1] < c; at--) best[at] = best[at - 1];
        best[at] = c;
    }
    return best[j];
}

/* Ends and cosines of every point against all pairs of nodes, over all columns, whatever the page
 * has of them. Returns the length of the lists. */
static int64_t check_nearest(cafe_context *context, const fixture *f, const cafe_view *page) {
    const cafe_view_section *ends = section_of(page, "nearest");
    const cafe_view_section *steps = section_of(page, "nearest-cosine");
    if (!ends) return 0;
    uint32_t *end = numbers_of(context, ends), *step = numbers_of(context, steps);
    assert_int_equal(ends->count, page->report.nearest * NODES);
    for (int64_t at = 0; at < ends->count; at++) {
        int64_t i = at % NODES, far = end[at] % 2 ? -(int64_t)(end[at] + 1) / 2 : end[at] / 2;
        int u = (int)page->order[i];
        double best = best_cosine(f, u, at / NODES);
        assert_int_equal(end[at] > 0, best > -2);
        if (end[at] == 0) continue;
        int w = (int)page->order[i + far];
        double said = steps->low + (steps->high - steps->low) * step[at] / (double)steps->steps;
        assert_true(fabs(cosine(f->vectors + u * COLUMNS, f->vectors + w * COLUMNS) - best) < 1e-6);
        assert_true(fabs(said - best) < 1e-4);
    }
    cafe_mem_free_all(context, end, step);
    return page->report.nearest;
}

static void test_nearest(void **state) {
    fixture f;
    cafe_view_options options;
    fill(*state, &f);
    for (int u = 5; u < NODES; u += 50) memset(f.vectors + u * COLUMNS, 0, COLUMNS * sizeof(float));
    cafe_view_options_init(&options);
    options.columns_shown = 1;
    int64_t last = -1, lengths = 0;
    for (int64_t limit = 3000; limit < 40000; limit += 1500) {
        options.page_limit = limit;
        cafe_view page = {
            .context = *state, .graph = f.graph, .inputs = &f.inputs, .options = &options};
        page.n = NODES;
        if (cafe_view_fill(&page) == CAFE_OK) {
            int64_t length = check_nearest(*state, &f, &page);
            assert_true(length >= last);
            assert_int_equal(page.report.nearest_found, 10);
            lengths += length > last;
            last = length;
        }
        assert_true(page.spent <= limit);
        cafe_view_free(&page);
    }
    assert_int_equal(last, 10);
    assert_true(lengths >= 4); /* none, some of the lengths between, ten */
    cafe_graph_free(f.graph);
}

/* A page of which only the run before is made, the nodes in their own order. */
typedef struct small_page {
    fixture f;
    cafe_view_options options;
    cafe_view_section section[4];
    uint32_t order[NODES], scratch[NODES];
    cafe_view page;
} small_page;

static void fill_small(cafe_context *context, small_page *s) {
    fill(context, &s->f);
    add_before(&s->f);
    cafe_view_options_init(&s->options);
    for (uint32_t u = 0; u < NODES; u++) s->order[u] = u;
    s->page = (cafe_view){.context = context,
                          .graph = s->f.graph,
                          .inputs = &s->f.inputs,
                          .options = &s->options,
                          .n = NODES,
                          .order = s->order,
                          .scratch = s->scratch,
                          .section = s->section};
}

/* The layout before, turned, mirrored or larger, comes to lie on this one. */
static void test_before(void **state) {
    small_page s;
    fill_small(*state, &s);
    const float *map = s.f.inputs.map;
    for (int mirror = 0; mirror < 2; mirror++) {
        assert_int_equal(cafe_view_add_before(&s.page), CAFE_OK);
        assert_int_equal(s.page.sections, 4);
        assert_string_equal(s.section[0].name, "before");
        for (int c = 0; c < 2; c++) { /* the least and largest values are those of this layout */
            float low = map[c], high = low;
            for (int u = 0; u < NODES; u++) {
                low = fminf(low, map[2 * u + c]);
                high = fmaxf(high, map[2 * u + c]);
            }
            assert_true(fabs(s.section[2 + c].low - low) < 1e-3);
            assert_true(fabs(s.section[2 + c].high - high) < 1e-3);
        }
        cafe_view_drop(&s.page, 0);
        for (int u = 0; u < NODES; u++) map_before[2 * u] = -map_before[2 * u];
    }
    s.f.inputs.before_names = NULL;
    assert_int_equal(cafe_view_write(*state, s.f.graph, &s.f.inputs, NULL, page_path, 1, NULL),
                     CAFE_ERROR_ARGUMENT);
    cafe_graph_free(s.f.graph);
}

static void test_memory_before(void **state) {
    test_failing memory;
    cafe_context *context = test_failing_context(&memory, 2);
    small_page s;
    (void)state;
    fill_small(context, &s);
    for (long k = 0;; k++) {
        long live = test_failing_arm(&memory, k);
        cafe_status status = cafe_view_add_before(&s.page);
        int failed = test_failing_disarm(&memory);
        cafe_view_drop(&s.page, 0);
        s.page.spent = 0;
        test_failing_expect(&memory, status, failed, live, context);
        if (!failed) break;
    }
    cafe_graph_free(s.f.graph);
    cafe_context_free(context);
}

/* One node, one column, nothing else: everything is degenerate and nothing divides by zero. */
static void test_least(void **state) {
    cafe_graph *graph = NULL;
    cafe_view_inputs inputs;
    cafe_view_inputs_init(&inputs);
    inputs.columns = 1;
    inputs.vectors = (const float[]){0.25f};
    assert_int_equal(cafe_graph_from_edges(*state, 1, 0, (const int32_t[]){0}, (const int32_t[]){0},
                                           NULL, NULL, &graph),
                     CAFE_OK);
    assert_int_equal(cafe_view_write(*state, graph, &inputs, NULL, page_path, 1, NULL), CAFE_OK);
    unlink(page_path);
    cafe_graph_free(graph);
}

/* What is given stays, the rest is found; communities that are given are one layer, nodes in none a
 * community together. */
static void test_find(void **state) {
    fixture f;
    cafe_view_found *found = NULL;
    int32_t part[NODES];
    fill(*state, &f);
    for (int u = 0; u < NODES; u++) part[u] = u % 4 - 1;
    f.inputs.centrality = NULL;
    assert_int_equal(cafe_view_find(*state, f.graph, part, 1, &f.inputs, &found), CAFE_OK);
    assert_int_equal(f.inputs.layers, 1);
    assert_int_equal(f.inputs.layer->communities, 4);
    assert_int_equal(f.inputs.layer->partition[0], 3);
    assert_int_equal(f.inputs.certificate->columns, COLUMNS);
    assert_non_null(f.inputs.map);
    assert_non_null(f.inputs.centrality);
    assert_int_equal(cafe_view_write(*state, f.graph, &f.inputs, NULL, page_path, 1, NULL),
                     CAFE_OK);
    cafe_view_found_free(found);
    f.inputs.centrality = f.centrality;
    f.inputs.certificate = NULL;
    f.inputs.layers = 0;
    f.inputs.layer = NULL;
    f.inputs.map = NULL;
    assert_int_equal(cafe_view_find(*state, f.graph, NULL, 0, &f.inputs, &found), CAFE_OK);
    assert_true(f.inputs.layers > 0);
    assert_true(f.inputs.centrality == f.centrality);
    assert_null(f.inputs.map);
    cafe_view_found_free(found);
    cafe_view_found_free(NULL);
    f.vectors[7] = 1.0f / 0.0f;
    assert_int_equal(cafe_view_find(*state, f.graph, NULL, 0, &f.inputs, &found),
                     CAFE_ERROR_ARGUMENT);
    assert_null(found);
    unlink(page_path);
    cafe_graph_free(f.graph);
}

static void test_memory_find(void **state) {
    test_failing memory;
    cafe_context *context = test_failing_context(&memory, 2);
    cafe_view_found *found = NULL;
    fixture f;
    int32_t part[NODES] = {0};
    (void)state;
    fill(context, &f);
    f.inputs.centrality = NULL;
    const cafe_view_inputs before = f.inputs;
    for (long k = 0;; k++) {
        long live = test_failing_arm(&memory, k);
        cafe_status status = cafe_view_find(context, f.graph, part, 0, &f.inputs, &found);
        int failed = test_failing_disarm(&memory);
        test_failing_expect(&memory, status, failed, live, context);
        if (!failed) break;
        assert_memory_equal(&before, &f.inputs, sizeof before);
    }
    cafe_view_found_free(found);
    cafe_graph_free(f.graph);
    cafe_context_free(context);
}

static void test_memory(void **state) {
    test_failing memory;
    cafe_context *context = test_failing_context(&memory, 2);
    fixture f;
    (void)state;
    fill(context, &f);
    add_words(context, &f);
    for (long k = 0;; k++) {
        long live = test_failing_arm(&memory, k);
        cafe_status status = cafe_view_write(context, f.graph, &f.inputs, NULL, page_path, 1, NULL);
        int failed = test_failing_disarm(&memory);
        test_failing_expect(&memory, status, failed, live, context);
        if (!failed) break;
        assert_int_not_equal(access(page_path, F_OK), 0);
    }
    unlink(page_path);
    cafe_facts_free(f.facts);
    cafe_graph_free(f.graph);
    cafe_context_free(context);
}

static int setup(void **state) {
    return cafe_context_create(NULL, (cafe_context **)state) != CAFE_OK;
}

static int teardown(void **state) {
    cafe_context_free(*state);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_morton),        cmocka_unit_test(test_sort),
        cmocka_unit_test(test_pack),          cmocka_unit_test(test_given),
        cmocka_unit_test(test_base64),        cmocka_unit_test(test_text),
        cmocka_unit_test(test_report),        cmocka_unit_test(test_before),
        cmocka_unit_test(test_memory_before), cmocka_unit_test(test_least),
        cmocka_unit_test(test_memory),        cmocka_unit_test(test_find),
        cmocka_unit_test(test_memory_find),   cmocka_unit_test(test_nearest),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
