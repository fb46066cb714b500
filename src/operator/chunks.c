/* Chunks: their number, and the part of Q that lies inside each. */
#include "operator/chunks.h"

#include <string.h>

#include "base/memory.h"
#include "base/memory_limit.h"
#include "base/thread_pool.h"

enum {
    RANGE = 4096,
    LEAST_CHUNKS = 64, /* chunks of a list of one block: the result is within a few percent of a
                        * sequential sweep */
    BLOCK_CHUNKS = 32, /* chunks of a block, at least, if there are several blocks */
    CHUNK_BYTES = 1024 * 1024,
    CHUNK_ROWS = 8192,  /* rows of a chunk of wide rows, if they take at most twice CHUNK_BYTES:
                         * enough for many threads */
    MOST_CHUNKS = 1024, /* chunks at most, about: on a device each chunk is a launch that must fill
                         * the device */
    LOCAL_CHUNKS =
        16, /* the same if neighbours have close ids: all rows of a block stay in the cache */
    LOCAL_BYTES = 512 * 1024
};

/* Sets the blocks of the list and B, the chunks of each block. */
static void lay_out(int64_t wanted, int64_t stride, bool local, cafe_chunks *c) {
    int64_t n = c->size, bytes = local ? LOCAL_BYTES : CHUNK_BYTES, blocks = 1;
    int64_t rows = bytes / (stride * (int64_t)sizeof(float));
    if (rows < 1) rows = 1;
    if (!local && rows < CHUNK_ROWS) rows = 2 * rows < CHUNK_ROWS ? 2 * rows : CHUNK_ROWS;
    if (!local && rows < n / MOST_CHUNKS) rows = n / MOST_CHUNKS;
    c->step = wanted > 0 ? (wanted < n ? wanted : n) : n;
    if (wanted <= 0 && n > CAFE_SHORT_LIST) {
        blocks = n / ((local ? LOCAL_CHUNKS : BLOCK_CHUNKS) * rows);
        if (blocks < 1) blocks = 1;
        c->step = cafe_blocks(cafe_blocks(n, blocks), rows);
        if (blocks == 1 && c->step < LEAST_CHUNKS) c->step = LEAST_CHUNKS;
        c->step |= 1; /* odd: rows a power of two apart would share few sets of the cache */
    }
    if (c->step < 1) c->step = 1;
    c->block =
        blocks == 1 ? (n > 0 ? n : 1) : cafe_blocks(cafe_blocks(n, blocks), c->step) * c->step;
    c->count = blocks == 1 && n < c->step ? n : blocks * c->step;
}

int64_t cafe_chunks_count(int64_t n, int64_t wanted, int64_t stride, bool local) {
    cafe_chunks c = {.size = n};
    lay_out(wanted, stride, local, &c);
    return c.count;
}

static cafe_status fill_starts(cafe_context *context, cafe_chunks *c) {
    c->starts = cafe_mem(context, c->count + 1, sizeof *c->starts);
    if (!c->starts) return CAFE_ERROR_MEMORY;
    c->starts[0] = 0;
    for (int64_t i = 0; i < c->count; i++) {
        int64_t from = cafe_chunk_first(c, i), end = (i / c->step + 1) * c->block;
        if (end > c->size) end = c->size;
        c->starts[i + 1] = c->starts[i] + (from < end ? cafe_blocks(end - from, c->step) : 0);
    }
    return CAFE_OK;
}

/* ---- the edges inside ------------------------------------------------------------------------ */

typedef struct inner_job {
    const cafe_operator_parts *q;
    cafe_chunks *chunks;
} inner_job;

static inline int64_t node_at(const cafe_chunks *c, int64_t place) {
    return c->list ? c->list[place] : place;
}

/* A node by its position in the order of chunks, and the block that contains it. */
typedef struct spot {
    int64_t place, at, from, end;
} spot;

static spot find_spot(const cafe_chunks *c, int64_t place) {
    int64_t from = place / c->block * c->block;
    return (spot){place, c->starts[cafe_chunk_of(c, place)] + cafe_chunk_number(c, place), from,
                  from + c->block};
}

/* Returns the number of w in the chunk of this node, or -1 if w is in another chunk or the same
 * node. */
static inline int64_t place_inside(const cafe_chunks *c, const spot *s, int64_t w) {
    int64_t other = c->places ? c->places[w] : w, far = other - s->place;
    if (far == 0 || other < s->from || other >= s->end) return -1;
    return (uint32_t)(far < 0 ? -far : far) % (uint32_t)c->step ? -1 : other;
}

/* First pass: counts the edges that each node keeps, into offsets[at + 1], and sets a_u / p_u, a_u
 * = sum over w in C, w != u, of a(u,w) / total. */
static void count_block(void *argument, int64_t first, int64_t last) {
    const inner_job *job = argument;
    const cafe_operator_parts *q = job->q;
    cafe_chunks *c = job->chunks;
    for (int64_t i = first; i < last; i++) {
        int64_t u = node_at(c, i), links = 0;
        spot s = find_spot(c, i);
        double sum = 0;
        for (int64_t j = q->offsets[u]; j < q->offsets[u + 1]; j++) {
            int64_t other = place_inside(c, &s, q->targets[j]);
            links += other > i;
            if (other >= 0) sum += fabs(CAFE_LINK(q, u, j));
        }
        c->offsets[s.at + 1] = links;
        c->inner[s.at] = q->p[u] > 0 ? (float)(sum / (q->p[u] * q->total)) : 0;
    }
}

/* Second pass: copies the edges. */
static void copy_block(void *argument, int64_t first, int64_t last) {
    const inner_job *job = argument;
    const cafe_operator_parts *q = job->q;
    cafe_chunks *c = job->chunks;
    for (int64_t i = first; i < last; i++) {
        spot s = find_spot(c, i);
        int64_t at = c->offsets[s.at], u = node_at(c, i);
        if (at == c->offsets[s.at + 1]) continue;
        for (int64_t j = q->offsets[u]; j < q->offsets[u + 1]; j++) {
            int64_t other = place_inside(c, &s, q->targets[j]);
            if (other < i) continue;
            if (c->weights) c->weights[at] = CAFE_LINK(q, u, j);
            c->targets[at++] = (int32_t)cafe_chunk_number(c, other);
        }
    }
}

/* R_C = sum over u in C of r_u (of the subtracted part), added in the order of the nodes. */
static void weigh_chunk(void *argument, int64_t chunk) {
    const inner_job *job = argument;
    cafe_range all = cafe_chunk_nodes(job->chunks, chunk, 0, cafe_chunk_size(job->chunks, chunk));
    double mass = 0;
    for (int64_t i = 0; i < all.count; i++)
        mass += cafe_reach_apart(job->q, cafe_range_node(&all, i));
    job->chunks->mass[chunk] = mass;
}

static cafe_status fill_inner(cafe_context *context, const cafe_operator_parts *q, cafe_chunks *c) {
    inner_job job = {q, c};
    c->offsets = cafe_mem(context, c->size + 1, sizeof *c->offsets);
    c->inner = cafe_mem(context, c->size, sizeof *c->inner);
    if (!c->offsets || !c->inner) return CAFE_ERROR_MEMORY;
    CAFE_PASS(cafe_ranges(context, c->size, RANGE, count_block, &job));
    c->offsets[0] = 0;
    for (int64_t i = 0; i < c->size; i++) c->offsets[i + 1] += c->offsets[i];
    void *targets = NULL, *weights = NULL; /* read in their order: they may lie in files */
    CAFE_PASS(cafe_mem_file(context, c->offsets[c->size], sizeof *c->targets, &targets));
    c->targets = targets;
    if (q->weights || q->factor)
        CAFE_PASS(cafe_mem_file(context, c->offsets[c->size], sizeof *c->weights, &weights));
    c->weights = weights;
    return cafe_ranges(context, c->size, RANGE, copy_block, &job);
}

/* ---- the object ------------------------------------------------------------------------------ */

static cafe_status fill_places(cafe_context *context, int64_t n, cafe_chunks *c) {
    c->places = cafe_mem(context, n, sizeof *c->places);
    if (!c->places) return CAFE_ERROR_MEMORY;
    memset(c->places, 0xFF, (size_t)n * sizeof *c->places);
    for (int64_t i = 0; i < c->size; i++) c->places[c->list[i]] = (int32_t)i;
    return CAFE_OK;
}

/* Lays out the nodes of every chunk. Edges and masses come later. */
static cafe_status new_chunks(cafe_context *context, const cafe_operator *op, const int32_t *list,
                              int64_t size, int64_t wanted, int64_t stride, cafe_chunks **chunks) {
    *chunks = NULL;
    CAFE_PASS(cafe_operator_need_rows(context, op));
    cafe_chunks *c = cafe_mem_zero(context, 1, sizeof *c);
    if (!c) return CAFE_ERROR_MEMORY;
    c->context = context;
    c->list = list;
    c->size = list ? size : op->n;
    lay_out(wanted, stride, op->parts.local && !list, c);
    cafe_status status = fill_starts(context, c);
    if (status == CAFE_OK)
        *chunks = c;
    else
        cafe_chunks_free(c);
    return status;
}

cafe_status cafe_chunks_lay_out(cafe_context *context, const cafe_operator *op, int64_t wanted,
                                int64_t stride, cafe_chunks **chunks) {
    return new_chunks(context, op, NULL, 0, wanted, stride, chunks);
}

cafe_status cafe_chunks_new(cafe_context *context, const cafe_operator *op, const int32_t *list,
                            int64_t size, int64_t wanted, int64_t stride, cafe_chunks **chunks) {
    cafe_status status = CAFE_OK;
    cafe_chunks *c = NULL;
    *chunks = NULL;
    CAFE_TRY(new_chunks(context, op, list, size, wanted, stride, &c));
    c->mass = cafe_mem(context, c->count, sizeof *c->mass);
    CAFE_TRY(c->mass ? CAFE_OK : CAFE_ERROR_MEMORY);
    inner_job job = {&op->parts, c};
    CAFE_TRY(cafe_each(context, c->count, weigh_chunk, &job));
    if (list) CAFE_TRY(fill_places(context, op->n, c));
    if (op->parts.offsets && c->count < c->size) CAFE_TRY(fill_inner(context, &op->parts, c));
    *chunks = c;
    c = NULL;
done:
    cafe_chunks_free(c);
    return status;
}

void cafe_chunks_free(cafe_chunks *chunks) {
    if (!chunks) return;
    cafe_mem_free_all(chunks->context, chunks->places, chunks->starts, chunks->offsets,
                      chunks->targets, chunks->weights, chunks->inner, chunks->mass, chunks);
}
