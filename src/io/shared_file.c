/* The rows of several processes in one file, which each of them maps.
 *
 * The file has the sections of a .cafe file (io/binary.h) at their places, without a header and
 * without a lasting name. Every process writes its own rows and names and frees them; afterwards it
 * holds only the mapped pages that it reads.
 */
#include <errno.h>
#include <string.h>

#include "base/memory.h"
#include "graph/graph.h"
#include "io/shared.h"
#include "io/temporary_file.h"
#include "os/os.h"

typedef struct joining {
    cafe_context *context;
    const char *name; /* of the input */
    const int64_t *bounds;
    cafe_graph *rows;
    const cafe_numbered *numbered;
    cafe_binary_header header; /* sizes alone */
    cafe_binary_section sections[CAFE_BINARY_SECTIONS];
    int64_t arcs, text; /* of the processes before this one */
    char *path;
    int made, file; /* the first process's, with its lock; everybody's; -1: none */
} joining;

static cafe_status fail_errno(const joining *j, const char *path, const char *what) {
    return cafe_fail_file(j->context, path, what, errno);
}

/* ---- what goes where ------------------------------------------------------------------------- */

static int64_t text_bytes(const cafe_numbered *numbered) {
    return numbered->names.kind == CAFE_NAMES_STRING ? numbered->names.start[numbered->count] : 0;
}

static cafe_status plan(joining *j) {
    cafe_binary_header *h = &j->header;
    const cafe_names *names = &j->numbered->names;
    int64_t mine[2] = {j->rows->arcs, text_bytes(j->numbered)};
    void *all = NULL;
    CAFE_PASS(cafe_team_gather(j->context, mine, sizeof mine, &all, NULL));
    h->nodes = j->rows->n;
    for (int32_t r = 0; r < cafe_team_ranks(j->context); r++) {
        if (r == cafe_team_rank(j->context)) j->arcs = h->arcs, j->text = h->text_bytes;
        h->arcs += ((int64_t *)all)[2 * r];
        h->text_bytes += ((int64_t *)all)[2 * r + 1];
    }
    cafe_mem_free(j->context, all);
    h->flags = (j->rows->weights ? CAFE_BINARY_WEIGHTS : 0u) |
               (names->kind == CAFE_NAMES_INTEGER ? CAFE_BINARY_INTEGERS : 0u) |
               (names->kind == CAFE_NAMES_STRING ? CAFE_BINARY_STRINGS : 0u);
    if (cafe_binary_layout(h, j->sections, &h->file_bytes)) return CAFE_OK;
    return cafe_fail(j->context, CAFE_ERROR_ARGUMENT, "the graph is too large for a .cafe file");
}

/* ---- the file -------------------------------------------------------------------------------- */

/* In the working folder: reading leaves the folder of the input alone. */
static cafe_status make_file(joining *j) {
    char *folder = cafe_folder_of(j->context, "./");
    errno = folder ? 0 : errno;
    if (folder) j->made = cafe_temporary_open(j->context, folder, &j->path);
    cafe_mem_free(j->context, folder);
    if (j->made < 0 && errno == 0) return CAFE_ERROR_MEMORY;
    if (j->made < 0)
        return fail_errno(j, j->name, "its rows cannot be put into the working folder");
    if (ftruncate(j->made, (off_t)j->header.file_bytes) == 0) return CAFE_OK;
    return fail_errno(j, j->path, "cannot be written");
}

/* The first process creates the file and sends its path to all. */
static cafe_status open_file(joining *j) {
    bool first = cafe_team_rank(j->context) == 0;
    void *path = NULL;
    CAFE_PASS(cafe_team_agree(j->context, first ? make_file(j) : CAFE_OK));
    CAFE_PASS(cafe_team_gather(j->context, j->path, first ? (int64_t)strlen(j->path) + 1 : 0, &path,
                               NULL));
    cafe_mem_free(j->context, j->path);
    j->path = path;
    j->file = open(j->path, O_RDWR | O_CLOEXEC);
    cafe_status status = CAFE_OK;
    if (j->file < 0)
        status = fail_errno(j, j->path, "cannot be opened (do all processes see this folder?)");
    return cafe_team_agree(j->context, status);
}

/* `bytes` of a section, from its byte `at` on. */
static cafe_status put(const joining *j, int section, int64_t at, const void *from, int64_t bytes) {
    const char *p = from;
    off_t place = (off_t)j->sections[section].start + (off_t)at;
    while (bytes > 0) {
        CAFE_PASS(cafe_check_cancel(j->context));
        ssize_t sent = pwrite(j->file, p, bytes < 1 << 26 ? (size_t)bytes : 1 << 26, place);
        if (sent < 0 && errno == EINTR) continue;
        if (sent <= 0) return fail_errno(j, j->path, "cannot be written");
        p += sent, place += sent, bytes -= sent;
    }
    return CAFE_OK;
}

/* Places from number `at` of a section on, each `shift` further than given. */
static cafe_status put_places(const joining *j, int section, int64_t at, const int64_t *from,
                              int64_t count, int64_t shift) {
    enum { PIECE = 4096 };
    int64_t piece[PIECE];
    for (int64_t first = 0; first < count; first += PIECE) {
        int64_t size = count - first < PIECE ? count - first : PIECE;
        for (int64_t i = 0; i < size; i++) piece[i] = from[first + i] + shift;
        CAFE_PASS(put(j, section, 8 * (at + first), piece, 8 * size));
    }
    return CAFE_OK;
}

/* Row u begins after those of the processes before; the last process writes the end of all. */
static cafe_status put_rows(const joining *j) {
    const cafe_graph *g = j->rows;
    cafe_portion own = cafe_team_portion(j->context, j->bounds);
    bool last = cafe_team_rank(j->context) + 1 == cafe_team_ranks(j->context);
    CAFE_PASS(put_places(j, CAFE_BINARY_OFFSETS, own.first, g->offsets + own.first,
                         own.last - own.first + last, j->arcs));
    CAFE_PASS(put(j, CAFE_BINARY_TARGETS, 4 * j->arcs, g->targets, 4 * g->arcs));
    if (!g->weights) return CAFE_OK;
    return put(j, CAFE_BINARY_VALUES, 4 * j->arcs, g->weights, 4 * g->arcs);
}

static cafe_status put_names(const joining *j) {
    const cafe_numbered *n = j->numbered;
    bool last = cafe_team_rank(j->context) + 1 == cafe_team_ranks(j->context);
    if (n->names.kind == CAFE_NAMES_INDEX) return CAFE_OK;
    if (n->names.kind == CAFE_NAMES_INTEGER)
        return put(j, CAFE_BINARY_NAMES, 8 * n->first, n->names.integers, 8 * n->count);
    CAFE_PASS(put_places(j, CAFE_BINARY_NAMES, n->first, n->names.start, n->count + last, j->text));
    return put(j, CAFE_BINARY_TEXT, j->text, n->names.text, n->names.start[n->count]);
}

/* Closing and opening a file again shows the writes of others on any file system. */
static cafe_status put_all(joining *j) {
    CAFE_PASS(put_rows(j));
    CAFE_PASS(put_names(j));
    int closed = close(j->file);
    j->file = -1;
    return closed == 0 ? CAFE_OK : fail_errno(j, j->path, "cannot be written");
}

/* ---- the graph ------------------------------------------------------------------------------- */

static cafe_status map_file(joining *j, cafe_graph *g) {
    size_t bytes = (size_t)j->header.file_bytes;
    j->file = open(j->path, O_RDONLY | O_CLOEXEC);
    if (j->file < 0) return fail_errno(j, j->path, "cannot be opened");
    void *map = cafe_os_map(j->file, bytes, CAFE_OS_READ_SHARED);
    if (!map) return fail_errno(j, j->path, "cannot be mapped");
    g->map = (cafe_mapped){.start = map, .bytes = bytes, .graph = true};
    cafe_mapped_add(j->context, &g->map);
    return CAFE_OK;
}

static void point(const joining *j, cafe_graph *g) {
    cafe_binary_arrays parts =
        cafe_binary_point(&j->header, j->sections, (const uint8_t *)g->map.start);
    g->n = j->header.nodes;
    g->arcs = j->header.arcs;
    g->offsets = parts.offsets;
    g->targets = parts.targets;
    g->weights = parts.weights;
    g->names = parts.names;
    g->portion = cafe_team_portion(j->context, j->bounds);
}

/* Adds the counts of listed, dropped and merged edges of all processes. */
static cafe_status add_history(const joining *j, cafe_graph_counts *counts) {
    const cafe_graph_counts *c = &j->rows->counts;
    int64_t history[] = {c->lines, c->self_loops, c->duplicates, c->reversed, c->zero_weights};
    CAFE_PASS(cafe_team_sum(j->context, history, sizeof history / sizeof *history));
    counts->lines = history[0];
    counts->self_loops = history[1];
    counts->duplicates = history[2];
    counts->reversed = history[3];
    counts->zero_weights = history[4];
    counts->mirrored = c->mirrored;
    return CAFE_OK;
}

static cafe_status make_graph(joining *j, cafe_graph **graph) {
    cafe_graph *g = cafe_graph_new(j->context);
    cafe_status status = g ? map_file(j, g) : CAFE_ERROR_MEMORY;
    CAFE_TRY(cafe_team_agree(j->context, status));
    point(j, g);
    CAFE_TRY(add_history(j, &g->counts));
    CAFE_TRY(cafe_graph_count(j->context, g, true));
    g->portion = (cafe_portion){0};
    g->common = true;
    cafe_trim_graphs(j->context); /* other rows may be wanted next */
    *graph = g;
    g = NULL;
done:
    cafe_graph_free(g);
    return status;
}

/* The rows in memory go when they are in the file. */
static void let_rows_go(joining *j) {
    cafe_graph *g = j->rows;
    cafe_mem_free_all(j->context, g->offsets, g->targets, g->weights);
    g->offsets = NULL;
    g->targets = NULL;
    g->weights = NULL;
    g->owns_rows = false;
}

cafe_status cafe_join_rows(const cafe_input *input, const int64_t *bounds, cafe_graph *rows,
                           const cafe_numbered *numbered, cafe_graph **graph) {
    cafe_context *context = input->context;
    joining j = {.context = context, .name = input->name, .bounds = bounds, .rows = rows};
    cafe_status status;
    j.numbered = numbered;
    j.made = j.file = -1;
    cafe_phase(context, "write", 0);
    CAFE_TRY(plan(&j));
    CAFE_TRY(open_file(&j));
    CAFE_TRY(cafe_team_agree(context, put_all(&j)));
    let_rows_go(&j);
    status = make_graph(&j, graph);
done:
    if (j.made >= 0) unlink(j.path);
    if (j.made >= 0) close(j.made);
    if (j.file >= 0) close(j.file);
    cafe_mem_free(context, j.path);
    return status;
}
