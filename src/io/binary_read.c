/* The reader of .cafe files: copies the file into memory, checks it, and makes a graph over it.
 *
 * Checked bytes must not change: if another program changed an id in a mapped file, the id would
 * lead out of an array. So the bytes are copied into the process before the checks; under a memory
 * limit, into a file without a name. Several processes map the file to have it in memory once, and
 * copy it only if others may write it.
 *
 * Checksums find damage. Anyone can make a file with correct checksums, so the contents are checked
 * too, once: rows, names, symmetry and counts. With the option trust, only the checks that keep
 * every index within its array remain; symmetry, components and repeated names are not checked.
 */
#include "io/binary.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/thread_pool.h"
#include "graph/edge_choice.h"
#include "graph/graph.h"
#include "graph/node_order.h"
#include "graph/row_checks.h"
#include "io/binary_attributes.h"
#include "io/first_error.h"
#include "io/format_registry.h"
#include "io/name_format.h"
#include "io/shared.h"

enum { ROWS = 4096 };

typedef struct opening {
    cafe_context *context;
    const char *name;
    const uint8_t *bytes;
    cafe_binary_header header;
    cafe_binary_section sections[CAFE_BINARY_SECTIONS];
    cafe_binary_arrays in;
    cafe_portion portion;
    bool trust, loops; /* whether rows have any */
    atomic_llong bad;  /* the first bad name; INT64_MAX: none */
} opening;

static bool is_binary(const uint8_t *bytes, int64_t size) {
    return size >= 8 && memcmp(bytes, CAFE_BINARY_MAGIC, 8) == 0;
}

static cafe_status fail_binary(const opening *o, const char *what) {
    return cafe_fail(o->context, CAFE_ERROR_FORMAT, "%s: expected %s", o->name, what);
}

static cafe_status check_header(opening *o, const cafe_input *input) {
    cafe_binary_header *h = &o->header;
    int64_t size = input->size, got = cafe_input_read(input, 0, (uint8_t *)h, sizeof *h);
    uint64_t bytes;
    if (!is_binary((const uint8_t *)h, got))
        return fail_binary(o, "a .cafe file, found other data");
    if (got < (int64_t)sizeof *h)
        return fail_binary(o, "a header of 256 bytes, found the end of the file");
    if (h->version < 1 || h->version > CAFE_BINARY_VERSION)
        return cafe_fail(o->context, CAFE_ERROR_FORMAT,
                         "%s: expected version 1 or %d, found version %u", o->name,
                         CAFE_BINARY_VERSION, h->version);
    if (h->header != cafe_binary_header_checksum(h))
        return fail_binary(o, "a sound header, found one with a wrong checksum");
    if (!cafe_binary_layout(h, o->sections, &bytes) || bytes != h->file_bytes ||
        (h->version == 2) != (h->attribute_bytes > 0))
        return fail_binary(o, "a header that makes sense, found another one");
    for (size_t i = 0; i < sizeof h->reserved / sizeof *h->reserved; i++)
        if (h->reserved[i] != 0) return fail_binary(o, "zeros behind the counts of the header");
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
    CAFE_PASS(cafe_binary_checksum(o->context, o->sections, parts, cafe_team_ranks(o->context) > 1,
                                   &sum));
    if (sum != o->header.body || !padding_is_zero(o))
        return fail_binary(o, "sound data, found data with a wrong checksum");
    return CAFE_OK;
}

/* Divides the checks of rows among the processes of a team. */
static cafe_status share_rows(opening *o) {
    int64_t n = o->header.nodes, ranks = cafe_team_ranks(o->context);
    if (o->in.offsets[0] != 0 || o->in.offsets[n] != o->header.arcs)
        return fail_binary(o, "offsets from 0 to the number of arcs, found others");
    if (ranks == 1) return CAFE_OK;
    int64_t *bounds = cafe_mem(o->context, ranks + 1, sizeof *bounds);
    CAFE_PASS(cafe_mem_had(bounds));
    cafe_team_bounds(o->context, n, o->in.offsets, CAFE_PORTION_ROWS, bounds);
    o->portion = cafe_team_portion(o->context, bounds);
    cafe_mem_free(o->context, bounds);
    return CAFE_OK;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static cafe_links links_of(const opening *o) {
    return (cafe_links){.nodes = o->header.nodes,
                        .count = o->header.arcs,
                        .offsets = o->in.offsets,
                        .target = o->in.targets,
                        .weights = o->in.weights,
                        .portion = o->portion};
}

/* The file is no graph; the message names the first entry without a partner. */
static cafe_status fail_one_way(const opening *o, const cafe_links *rows) {
    int64_t u, w;
    CAFE_PASS(cafe_find_one_way(o->context, rows, &u, &w));
    return cafe_fail(o->context, CAFE_ERROR_FORMAT,
                     "%s: node %lld: expected its edge to node %lld in the row of both, with one "
                     "weight, found it in one row only or with another weight",
                     o->name, (long long)u, (long long)w);
}

static cafe_status check_rows(opening *o) {
    cafe_links rows = links_of(o);
    cafe_verified found;
    CAFE_PASS(cafe_verify_rows(o->context, &rows, !o->trust, &found));
    if (found.fault != CAFE_ROW_FINE)
        return cafe_fail(o->context, CAFE_ERROR_FORMAT, "%s: node %lld: expected %s, found others",
                         o->name, (long long)found.row, cafe_row_fault_text(found.fault));
    o->loops = found.loops > 0;
    return found.symmetric ? CAFE_OK : fail_one_way(o, &rows);
}

/* ---- names ----------------------------------------------------------------------------------- */

/* Name u: integers ascend; strings are text of one line. */
static bool name_is_sound(const opening *o, int64_t u) {
    const cafe_names *names = &o->in.names;
    if (names->kind == CAFE_NAMES_INTEGER)
        return u == 0 || names->integers[u - 1] < names->integers[u];
    int64_t from = names->start[u], to = names->start[u + 1];
    return from >= 0 && from < to && to <= o->header.text_bytes &&
           cafe_is_name(names->text + from, to - from);
}

static void look_at_names(void *argument, int64_t first, int64_t last) {
    opening *o = argument;
    int64_t from = cafe_portion_of(o->portion, o->header.nodes).first;
    for (int64_t u = from + first; u < from + last; u++) {
        if (name_is_sound(o, u)) continue;
        cafe_first_note(&o->bad, u);
        return;
    }
}

/* Hashes prove that names differ. Equal hashes prove nothing, so names are then compared one by
 * one. */
static cafe_status check_distinct(opening *o) {
    int64_t repeated;
    char name[256];
    bool differ = false;
    if (o->portion.shared)
        CAFE_PASS(cafe_names_differ(o->context, &o->in.names, o->portion, &differ));
    if (differ) return CAFE_OK;
    CAFE_PASS(cafe_find_repeated_name(o->context, &o->in.names, o->header.nodes, &repeated));
    if (repeated < 0) return CAFE_OK;
    const uint8_t *text = (const uint8_t *)o->in.names.text + o->in.names.start[repeated];
    cafe_escape(text, o->in.names.start[repeated + 1] - o->in.names.start[repeated], 60, name);
    return cafe_fail(o->context, CAFE_ERROR_FORMAT,
                     "%s: node %lld: expected a name of its own, found '%s' again", o->name,
                     (long long)repeated, name);
}

/* The first bad name of all processes. */
static cafe_status find_first_bad(opening *o) {
    long long mine = atomic_load(&o->bad);
    void *all = NULL;
    CAFE_PASS(cafe_team_gather(o->context, &mine, sizeof mine, &all, NULL));
    for (int32_t r = 0; r < cafe_team_ranks(o->context); r++)
        cafe_first_note(&o->bad, ((long long *)all)[r]);
    cafe_mem_free(o->context, all);
    return CAFE_OK;
}

static cafe_status check_names(opening *o) {
    int64_t n = o->header.nodes;
    if (o->in.names.kind == CAFE_NAMES_INDEX) return CAFE_OK;
    if (o->in.names.kind == CAFE_NAMES_STRING &&
        (o->in.names.start[0] != 0 || o->in.names.start[n] != o->header.text_bytes))
        return fail_binary(o, "names from the first byte of their text to the last, found others");
    cafe_portion rows = cafe_portion_of(o->portion, n);
    atomic_store(&o->bad, INT64_MAX);
    CAFE_PASS(cafe_ranges(o->context, rows.last - rows.first, ROWS, look_at_names, o));
    if (rows.shared) CAFE_PASS(find_first_bad(o));
    if (atomic_load(&o->bad) < INT64_MAX)
        return cafe_fail(o->context, CAFE_ERROR_FORMAT,
                         "%s: node %lld: expected %s, found another name", o->name,
                         atomic_load(&o->bad),
                         o->in.names.kind == CAFE_NAMES_INTEGER ? "a name above the one before"
                                                                : "a name of one line of UTF-8");
    return o->in.names.kind == CAFE_NAMES_STRING && !o->trust ? check_distinct(o) : CAFE_OK;
}

static cafe_status check_order(const opening *o) {
    bool found = true;
    if (o->in.order) CAFE_PASS(cafe_is_order(o->context, o->header.nodes, o->in.order, &found));
    return found ? CAFE_OK : fail_binary(o, "an order with every node once, found another one");
}

/* ---- counts ---------------------------------------------------------------------------------- */

static cafe_status compare(const opening *o, const char *name, int64_t stated, int64_t told) {
    if (stated == told) return CAFE_OK;
    return cafe_fail(o->context, CAFE_ERROR_FORMAT,
                     "%s: expected %s of %lld, as the rows tell, found %lld in the header", o->name,
                     name, (long long)told, (long long)stated);
}

/* The counts of edges as listed do not follow from the rows: only their ranges are checked. */
static cafe_status check_history(const opening *o) {
    const cafe_binary_header *h = &o->header;
#define NOT_NEGATIVE(name) &&h->name >= 0
    if (true CAFE_BINARY_HISTORY(NOT_NEGATIVE)) return CAFE_OK;
    return fail_binary(o, "counts of edges that are not negative, found others");
}

/* Compares the counts that follow from the rows with the header, and keeps them. */
static cafe_status check_counts(const opening *o, cafe_graph *g) {
    const cafe_binary_header *h = &o->header;
    CAFE_PASS(check_history(o));
    if (o->trust) {
        CAFE_PASS(cafe_graph_tally(o->context, g, o->loops));
        bool possible =
            h->components >= 0 && h->components <= g->n && h->largest >= 0 && h->largest <= g->n;
        if (!possible) return fail_binary(o, "components within the nodes, found others");
        g->counts.components = h->components;
        g->counts.largest = h->largest;
    } else {
        CAFE_PASS(cafe_graph_count(o->context, g, o->loops));
    }
#define COMPARE(name) CAFE_PASS(compare(o, #name, h->name, (int64_t)g->counts.name));
    CAFE_BINARY_TOLD(COMPARE)
    /* sums of another order differ by rounding */
    if (!(fabs(h->total_weight - g->counts.total_weight) <= 1e-9 * g->counts.total_weight))
        return cafe_fail(
            o->context, CAFE_ERROR_FORMAT,
            "%s: expected total_weight of %g, as the rows tell, found %g in the header", o->name,
            g->counts.total_weight, h->total_weight);
    return CAFE_OK;
}

/* ---- the graph ------------------------------------------------------------------------------- */

static void take_history(const cafe_binary_header *h, cafe_graph_counts *c) {
#define TAKE(name) c->name = h->name;
    CAFE_BINARY_HISTORY(TAKE)
}

/* Gives the bytes to the graph; for a mapped file also its stamp at opening. */
static cafe_status take_file(cafe_input *input, cafe_graph *g) {
    g->block = input->owned;
    g->exposed = cafe_input_is_exposed(input);
    input->owned = NULL;
    if (!input->map.start) return CAFE_OK;
    g->file_name = cafe_mem_text(input->context, input->name);
    if (!g->file_name) return CAFE_ERROR_MEMORY;
    cafe_mapped_remove(input->context, &input->map);
    g->map = input->map;
    cafe_mapped_add(input->context, &g->map);
    g->open = input->open;
    g->file = input->file;
    g->stamp = input->stamp;
    input->map.start = NULL;
    input->open = false;
    return CAFE_OK;
}

/* Copies, because graphs free theirs. */
static cafe_status take_attributes(const opening *o, cafe_graph *g) {
    const char *fault;
    cafe_status status =
        cafe_binary_unpack(g, o->in.attributes, (uint64_t)o->header.attribute_bytes, &fault);
    if (status == CAFE_OK && fault) status = fail_binary(o, fault);
    return cafe_team_agree(o->context, status);
}

/* A graph that points into the bytes; the map becomes its own. */
static cafe_status make_graph(opening *o, cafe_input *input, const cafe_graph_options *options,
                              cafe_graph **graph) {
    cafe_status status = CAFE_OK;
    cafe_graph *g = cafe_graph_new(o->context);
    if (!g) return CAFE_ERROR_MEMORY;
    g->n = o->header.nodes;
    g->arcs = o->header.arcs;
    g->offsets = o->in.offsets;
    g->targets = o->in.targets;
    g->weights = o->in.weights;
    g->names = o->in.names;
    g->order = o->in.order;
    g->portion = o->portion;
    take_history(&o->header, &g->counts);
    CAFE_TRY(take_attributes(o, g));
    CAFE_TRY(check_counts(o, g));
    if (o->in.weights && !options->weights) {
        g->weights = NULL;
        CAFE_TRY(cafe_graph_tally(o->context, g, o->loops));
    }
    CAFE_TRY(take_file(input, g));
    g->common = o->portion.shared;
    if (g->common) cafe_trim_graphs(o->context); /* other rows may be wanted next */
    g->portion = (cafe_portion){0};
    *graph = g;
    g = NULL;
done:
    cafe_graph_free(g);
    return status;
}

/* All of the file: mapped, or in memory that the graph can keep. */
static cafe_status take_bytes(cafe_input *input) {
    bool several = cafe_team_ranks(input->context) > 1;
    CAFE_PASS(several && !cafe_input_is_exposed(input) ? cafe_input_map(input)
                                                       : cafe_input_load(input));
    cafe_mapped_rows(input->context, input->owned);
    if (input->map.start || input->owned) return CAFE_OK;
    input->owned = cafe_mem(input->context, input->size, 1);
    if (!input->owned) return CAFE_ERROR_MEMORY;
    memcpy(input->owned, input->bytes, (size_t)input->size);
    input->bytes = input->owned;
    return CAFE_OK;
}

cafe_status cafe_binary_read(cafe_input *input, const cafe_graph_options *options,
                             cafe_graph **graph) {
    opening o = {.context = input->context, .name = input->name};
    o.trust = options->trust != 0;
    cafe_phase(o.context, "read", 0);
    CAFE_PASS(check_header(&o, input));
    CAFE_PASS(cafe_check_nodes(o.context, o.name, o.header.nodes, options));
    CAFE_PASS(cafe_team_agree(o.context, take_bytes(input)));
    o.bytes = input->bytes;
    CAFE_PASS(check_sums(&o));
    o.in = cafe_binary_point(&o.header, o.sections, o.bytes);
    CAFE_PASS(share_rows(&o));
    CAFE_PASS(check_rows(&o));
    CAFE_PASS(check_names(&o));
    CAFE_PASS(check_order(&o));
    CAFE_PASS(make_graph(&o, input, options, graph));
    return cafe_graph_choose(o.context, options, graph);
}
