/* .cafe files: layout and checksums, the writer, the reader.
 *
 * The reader maps the file, checks it, and lets the graph point into it. The checksums find damage;
 * the checks of the structure behind them make sure that no file, however it was made, can lead
 * later code outside its arrays.
 */
#define _GNU_SOURCE
#include "io/binary.h"

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

#include "base/memory.h"
#include "base/pool.h"
#include "io/first.h"
#include "io/format.h"
#include "io/gzip.h"
#include "io/place.h"

/* The counts of a graph that a header keeps. */
#define COUNTS(X)   \
    X(edges)        \
    X(lines)        \
    X(self_loops)   \
    X(duplicates)   \
    X(reversed)     \
    X(zero_weights) \
    X(isolated)     \
    X(components)   \
    X(largest)      \
    X(min_degree)   \
    X(max_degree)   \
    X(total_weight) \
    X(self_loops_kept)

static const uint64_t block = (uint64_t)1 << 20;

bool cafe_binary_layout(const cafe_binary_header *h,
                        cafe_binary_section sections[CAFE_BINARY_SECTIONS], uint64_t *file_bytes) {
    const int64_t most = (int64_t)1 << 56; /* no sum below can overflow */
    if (h->nodes < 0 || h->nodes >= INT32_MAX || h->arcs < 0 || h->arcs > most ||
        h->text_bytes < 0 || h->text_bytes > most)
        return false;
    uint64_t nodes = (uint64_t)h->nodes, arcs = (uint64_t)h->arcs;
    bool weights = h->flags & CAFE_BINARY_WEIGHTS, strings = h->flags & CAFE_BINARY_STRINGS;
    bool integers = h->flags & CAFE_BINARY_INTEGERS;
    uint64_t bytes[CAFE_BINARY_SECTIONS] = {8 * (nodes + 1), 4 * arcs, weights ? 4 * arcs : 0,
                                            strings    ? 8 * (nodes + 1)
                                            : integers ? 8 * nodes
                                                       : 0,
                                            strings ? (uint64_t)h->text_bytes : 0};
    uint64_t at = sizeof *h;
    for (int i = 0; i < CAFE_BINARY_SECTIONS; i++) {
        sections[i] = (cafe_binary_section){at, bytes[i]};
        at += (bytes[i] + CAFE_BINARY_ALIGN - 1) / CAFE_BINARY_ALIGN * CAFE_BINARY_ALIGN;
    }
    *file_bytes = at;
    return (h->flags & ~7u) == 0 && !(strings && integers) && (strings || h->text_bytes == 0);
}

typedef struct summing {
    const cafe_binary_section *sections;
    const uint8_t *const *parts;
    uint64_t *sums;
} summing;

static int64_t blocks_of(const cafe_binary_section *section) {
    return (int64_t)((section->bytes + block - 1) / block);
}

static void sum_block(void *argument, int64_t task) {
    summing *s = argument;
    int64_t b = task;
    int i = 0;
    while (b >= blocks_of(&s->sections[i])) b -= blocks_of(&s->sections[i++]);
    uint64_t from = (uint64_t)b * block, left = s->sections[i].bytes - from;
    s->sums[task] = cafe_crc64(0, s->parts[i] + from, (int64_t)(left < block ? left : block));
}

cafe_status cafe_binary_checksum(cafe_context *context, const cafe_binary_section *sections,
                                 const uint8_t *const *parts, uint64_t *checksum) {
    int64_t count = 0;
    for (int i = 0; i < CAFE_BINARY_SECTIONS; i++) count += blocks_of(&sections[i]);
    summing s = {sections, parts, cafe_mem(context, count, sizeof(uint64_t))};
    if (!s.sums) return CAFE_ERROR_MEMORY;
    cafe_status status = cafe_each(context, count, sum_block, &s);
    *checksum = cafe_crc64(0, s.sums, count * 8);
    cafe_mem_free(context, s.sums);
    return status;
}

uint64_t cafe_binary_header_checksum(const cafe_binary_header *header) {
    return cafe_crc64(0, header, offsetof(cafe_binary_header, header));
}

/* ---- writing --------------------------------------------------------------------------------- */

static void fill_header(const cafe_graph *g, cafe_binary_header *h) {
    const cafe_graph_counts *c = &g->counts;
    memset(h, 0, sizeof *h);
    memcpy(h->magic, CAFE_BINARY_MAGIC, sizeof h->magic);
    h->version = CAFE_BINARY_VERSION;
    h->flags = (g->weights ? CAFE_BINARY_WEIGHTS : 0u) |
               (g->names.kind == CAFE_NAMES_INTEGER ? CAFE_BINARY_INTEGERS : 0u) |
               (g->names.kind == CAFE_NAMES_STRING ? CAFE_BINARY_STRINGS : 0u);
    h->nodes = g->n;
    h->arcs = g->arcs;
    h->text_bytes = g->names.kind == CAFE_NAMES_STRING ? g->names.start[g->n] : 0;
#define PUT(name) h->name = c->name;
    COUNTS(PUT)
}

static cafe_status write_section(cafe_output *output, const uint8_t *bytes, uint64_t size) {
    static const uint8_t zeros[CAFE_BINARY_ALIGN];
    CAFE_PASS(cafe_output_write(output, bytes, (int64_t)size));
    return cafe_output_write(output, zeros, (int64_t)(-size % CAFE_BINARY_ALIGN));
}

static cafe_status write_binary(cafe_output *output, const cafe_graph *graph) {
    cafe_binary_header header;
    cafe_binary_section sections[CAFE_BINARY_SECTIONS];
    const cafe_names *names = &graph->names;
    const uint8_t *parts[CAFE_BINARY_SECTIONS] = {
        (const uint8_t *)graph->offsets, (const uint8_t *)graph->targets,
        (const uint8_t *)graph->weights,
        (const uint8_t *)(names->kind == CAFE_NAMES_STRING ? names->start : names->integers),
        (const uint8_t *)names->text};
    fill_header(graph, &header);
    if (!cafe_binary_layout(&header, sections, &header.file_bytes))
        return cafe_fail(output->context, CAFE_ERROR_ARGUMENT,
                         "the graph is too large for a .cafe file");
    CAFE_PASS(cafe_binary_checksum(output->context, sections, parts, &header.body));
    header.header = cafe_binary_header_checksum(&header);
    CAFE_PASS(cafe_output_write(output, &header, sizeof header));
    for (int i = 0; i < CAFE_BINARY_SECTIONS; i++)
        CAFE_PASS(write_section(output, parts[i], sections[i].bytes));
    return CAFE_OK;
}

/* ---- reading --------------------------------------------------------------------------------- */

enum { ROWS = 4096 };

typedef struct opening {
    cafe_context *context;
    const char *name;
    const uint8_t *bytes;
    cafe_binary_header header;
    cafe_binary_section sections[CAFE_BINARY_SECTIONS];
    const int64_t *offsets;
    const int32_t *targets;
    const float *weights;
    cafe_names names;
    atomic_llong loops;
    atomic_llong bad; /* the first bad row; INT64_MAX: none */
} opening;

static bool is_binary(const uint8_t *bytes, int64_t size) {
    return size >= 8 && memcmp(bytes, CAFE_BINARY_MAGIC, 8) == 0;
}

static cafe_status fail_binary(const opening *o, const char *what) {
    return cafe_fail(o->context, CAFE_ERROR_FORMAT, "%s: expected %s", o->name, what);
}

static cafe_status check_header(opening *o, int64_t size) {
    cafe_binary_header *h = &o->header;
    uint64_t bytes;
    if (!is_binary(o->bytes, size)) return fail_binary(o, "a .cafe file, found other data");
    if (size < (int64_t)sizeof *h)
        return fail_binary(o, "a header of 256 bytes, found the end of the file");
    memcpy(h, o->bytes, sizeof *h);
    if (h->version != CAFE_BINARY_VERSION)
        return cafe_fail(o->context, CAFE_ERROR_FORMAT, "%s: expected version %d, found version %u",
                         o->name, CAFE_BINARY_VERSION, h->version);
    if (h->header != cafe_binary_header_checksum(h))
        return fail_binary(o, "a sound header, found one with a wrong checksum");
    if (!cafe_binary_layout(h, o->sections, &bytes) || bytes != h->file_bytes)
        return fail_binary(o, "a header that makes sense, found another one");
    if ((uint64_t)size != bytes)
        return cafe_fail(o->context, CAFE_ERROR_FORMAT,
                         "%s: expected %llu bytes, found %lld (is the file truncated?)", o->name,
                         (unsigned long long)bytes, (long long)size);
    return CAFE_OK;
}

static bool padding_is_zero(const opening *o) {
    for (int i = 0; i < CAFE_BINARY_SECTIONS; i++) {
        uint64_t at = o->sections[i].start + o->sections[i].bytes;
        for (; at % CAFE_BINARY_ALIGN != 0; at++)
            if (o->bytes[at] != 0) return false;
    }
    return true;
}

static cafe_status check_sums(opening *o) {
    const uint8_t *parts[CAFE_BINARY_SECTIONS];
    uint64_t sum;
    for (int i = 0; i < CAFE_BINARY_SECTIONS; i++) parts[i] = o->bytes + o->sections[i].start;
    CAFE_PASS(cafe_binary_checksum(o->context, o->sections, parts, &sum));
    if (sum != o->header.body || !padding_is_zero(o))
        return fail_binary(o, "sound data, found data with a wrong checksum");
    return CAFE_OK;
}

static void point(opening *o) {
    const uint8_t *parts[CAFE_BINARY_SECTIONS];
    for (int i = 0; i < CAFE_BINARY_SECTIONS; i++) parts[i] = o->bytes + o->sections[i].start;
    o->offsets = (const int64_t *)parts[CAFE_BINARY_OFFSETS];
    o->targets = (const int32_t *)parts[CAFE_BINARY_TARGETS];
    if (o->header.flags & CAFE_BINARY_WEIGHTS)
        o->weights = (const float *)parts[CAFE_BINARY_VALUES];
    if (o->header.flags & CAFE_BINARY_INTEGERS) {
        o->names.kind = CAFE_NAMES_INTEGER;
        o->names.integers = (const int64_t *)parts[CAFE_BINARY_NAMES];
    } else if (o->header.flags & CAFE_BINARY_STRINGS) {
        o->names.kind = CAFE_NAMES_STRING;
        o->names.start = (const int64_t *)parts[CAFE_BINARY_NAMES];
        o->names.text = (const char *)parts[CAFE_BINARY_TEXT];
    }
}

/* Row u: within the arcs, ascending targets that are nodes, positive finite weights. */
static bool row_is_sound(const opening *o, int64_t u, int64_t *loops) {
    int64_t from = o->offsets[u], to = o->offsets[u + 1], last = -1;
    if (from < 0 || from > to || to > o->header.arcs) return false;
    for (int64_t i = from; i < to; i++) {
        int64_t w = o->targets[i];
        if (w <= last || w >= o->header.nodes) return false;
        if (o->weights && !(o->weights[i] > 0 && o->weights[i] <= FLT_MAX)) return false;
        *loops += w == u;
        last = w;
    }
    return true;
}

/* Name u: integers ascend; strings are text of one line. */
static bool name_is_sound(const opening *o, int64_t u) {
    const cafe_names *names = &o->names;
    if (names->kind == CAFE_NAMES_INTEGER)
        return u == 0 || names->integers[u - 1] < names->integers[u];
    if (names->kind == CAFE_NAMES_INDEX) return true;
    int64_t from = names->start[u], to = names->start[u + 1];
    if (from < 0 || from >= to || to > o->header.text_bytes) return false;
    const uint8_t *text = (const uint8_t *)names->text;
    return cafe_bad_utf8(text + from, text + to) == text + to &&
           !memchr(text + from, '\n', (size_t)(to - from)) &&
           !memchr(text + from, '\r', (size_t)(to - from));
}

static void check_rows(void *argument, int64_t task) {
    opening *o = argument;
    int64_t end = cafe_block_end(o->header.nodes, ROWS, task), loops = 0;
    for (int64_t u = task * ROWS; u < end; u++) {
        if (row_is_sound(o, u, &loops) && name_is_sound(o, u)) continue;
        cafe_first_note(&o->bad, u);
        return;
    }
    atomic_fetch_add(&o->loops, loops);
}

/* The counts of a sound file agree with its rows as far as a glance can tell. */
static bool counts_are_sound(const opening *o) {
    const cafe_binary_header *h = &o->header;
    int64_t loops = atomic_load(&o->loops);
    const int64_t listed[] = {h->lines,    h->self_loops,   h->duplicates,
                              h->reversed, h->zero_weights, h->min_degree};
    for (size_t i = 0; i < sizeof listed / sizeof *listed; i++)
        if (listed[i] < 0) return false;
    if (h->edges < loops || h->edges > h->arcs) return false;
    return 2 * (h->edges - loops) == h->arcs - loops && h->isolated >= 0 &&
           h->isolated <= h->nodes && h->components >= 0 && h->components <= h->nodes &&
           h->largest >= 0 && h->largest <= h->nodes && h->max_degree >= h->min_degree &&
           h->max_degree <= h->arcs + loops && isfinite(h->total_weight) && h->total_weight >= 0 &&
           h->self_loops_kept == (loops > 0);
}

static cafe_status check_structure(opening *o) {
    int64_t n = o->header.nodes;
    atomic_store(&o->bad, INT64_MAX);
    CAFE_PASS(cafe_each(o->context, cafe_blocks(n, ROWS), check_rows, o));
    if (atomic_load(&o->bad) < INT64_MAX)
        return cafe_fail(o->context, CAFE_ERROR_FORMAT,
                         "%s: node %lld: expected ascending neighbours, positive weights and a "
                         "name, found others",
                         o->name, atomic_load(&o->bad));
    bool ends = o->offsets[0] == 0 && o->offsets[n] == o->header.arcs;
    if (o->names.kind == CAFE_NAMES_STRING)
        ends = ends && o->names.start[0] == 0 && o->names.start[n] == o->header.text_bytes;
    if (!ends || !counts_are_sound(o))
        return fail_binary(o, "counts that agree with the rows, found others");
    return CAFE_OK;
}

static void fill_counts(const cafe_binary_header *h, cafe_graph_counts *c) {
    *c = (cafe_graph_counts){.nodes = h->nodes, .weighted = (h->flags & CAFE_BINARY_WEIGHTS) != 0};
#define TAKE(name) c->name = (__typeof__(c->name))h->name;
    COUNTS(TAKE)
}

/* A graph that points into the bytes; the map becomes its own. */
static cafe_status make_graph(opening *o, cafe_input *input, const cafe_graph_options *options,
                              cafe_graph **graph) {
    cafe_status status = CAFE_OK;
    cafe_graph *g = cafe_graph_new(o->context);
    if (!g) return CAFE_ERROR_MEMORY;
    g->n = o->header.nodes;
    g->arcs = o->header.arcs;
    g->offsets = o->offsets;
    g->targets = o->targets;
    g->weights = options->weights ? o->weights : NULL;
    g->names = o->names;
    fill_counts(&o->header, &g->counts);
    if (o->weights && !options->weights) CAFE_TRY(cafe_graph_count(o->context, g));
    g->map = input->map;
    g->map_bytes = input->map_bytes;
    input->map = NULL;
    *graph = g;
    g = NULL;
done:
    cafe_graph_free(g);
    return status;
}

/* Bytes that are not a mapped file are copied into a map of their own. */
static cafe_status ensure_map(cafe_input *input) {
    if (input->map) return CAFE_OK;
    size_t bytes = (size_t)input->size;
    void *map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (map == MAP_FAILED) return cafe_fail_memory(input->context, "a copy of the .cafe data");
    memcpy(map, input->bytes, bytes);
    input->map = map;
    input->map_bytes = bytes;
    input->bytes = map;
    return CAFE_OK;
}

static cafe_status read_binary(cafe_input *input, const cafe_graph_options *options,
                               cafe_graph **graph) {
    opening o = {.context = input->context, .name = input->name, .bytes = input->bytes};
    cafe_phase(o.context, "read", 0);
    CAFE_PASS(check_header(&o, input->size));
    CAFE_PASS(cafe_check_nodes(o.context, o.name, o.header.nodes, options));
    CAFE_PASS(ensure_map(input));
    o.bytes = input->bytes;
    CAFE_PASS(check_sums(&o));
    point(&o);
    CAFE_PASS(check_structure(&o));
    return make_graph(&o, input, options, graph);
}

const cafe_graph_format cafe_graph_format_cafe = {
    .magic = CAFE_BINARY_MAGIC, .read = read_binary, .write = write_binary, .binary = true};
