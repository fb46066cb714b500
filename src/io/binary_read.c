/* The .cafe reader: maps the file, checks it, and lets the graph point into it.
 *
 * The checksums find damage; the checks of the structure behind them make sure that no file,
 * however it was made, can lead later code outside its arrays.
 */
#define _GNU_SOURCE
#include <float.h>
#include <math.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

#include "base/pool.h"
#include "io/binary.h"
#include "io/format.h"
#include "io/place.h"
#include "io/write.h"

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
    cafe_status status = cafe_binary_checksum(o->context, o->sections, parts, &sum);
    if (status != CAFE_OK) return status;
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

static void check_rows(void *argument, int64_t task, int32_t worker) {
    opening *o = argument;
    int64_t end = cafe_block_end(o->header.nodes, ROWS, task), loops = 0;
    (void)worker;
    for (int64_t u = task * ROWS; u < end; u++) {
        if (row_is_sound(o, u, &loops) && name_is_sound(o, u)) continue;
        long long first = atomic_load(&o->bad);
        while (u < first && !atomic_compare_exchange_weak(&o->bad, &first, u)) {
        }
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
    cafe_status status = cafe_parallel(o->context, cafe_blocks(n, ROWS), check_rows, o);
    if (status != CAFE_OK) return status;
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
    *c = (cafe_graph_counts){.nodes = h->nodes, .edges = h->edges, .lines = h->lines};
    c->self_loops = h->self_loops;
    c->duplicates = h->duplicates;
    c->reversed = h->reversed;
    c->zero_weights = h->zero_weights;
    c->isolated = h->isolated;
    c->components = h->components;
    c->largest = h->largest;
    c->weighted = (h->flags & CAFE_BINARY_WEIGHTS) != 0;
    c->self_loops_kept = (int32_t)h->self_loops_kept;
    c->total_weight = h->total_weight;
    c->min_degree = h->min_degree;
    c->max_degree = h->max_degree;
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
    cafe_status status = CAFE_OK;
    cafe_phase(o.context, "read", 0);
    CAFE_TRY(check_header(&o, input->size));
    CAFE_TRY(cafe_check_nodes(o.context, o.name, o.header.nodes, options));
    CAFE_TRY(ensure_map(input));
    o.bytes = input->bytes;
    CAFE_TRY(check_sums(&o));
    point(&o);
    CAFE_TRY(check_structure(&o));
    status = make_graph(&o, input, options, graph);
done:
    return status;
}

const cafe_graph_format cafe_graph_format_cafe = {
    .magic = CAFE_BINARY_MAGIC, .read = read_binary, .write = cafe_write_binary, .binary = true};
