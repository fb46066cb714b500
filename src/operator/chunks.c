/* Chunks: how many, and what of Q lies inside each. */
#include "operator/chunks.h"

#include <string.h>

#include "base/memory.h"
#include "base/pool.h"

enum {
    BLOCK = 4096,
    SMALL = 4096,      /* lists up to this size are swept node by node */
    LEAST_CHUNKS = 64, /* measured: within a few percent of the sequential sweep */
    CHUNK_BYTES = 1024 * 1024
};

static int64_t count_chunks(int64_t n, int64_t wanted, int64_t stride) {
    if (wanted > 0) return wanted < n ? wanted : n;
    if (n <= SMALL) return n;
    int64_t rows = CHUNK_BYTES / (stride * (int64_t)sizeof(float));
    if (rows < 1) rows = 1;
    int64_t count = cafe_blocks(n, rows);
    if (count < LEAST_CHUNKS) count = LEAST_CHUNKS;
    return count | 1; /* odd: rows a power of two apart would share a few sets of the cache */
}

typedef struct inner_job {
    const cafe_operator_parts *q;
    cafe_chunks *chunks;
} inner_job;

static inline int64_t node_at(const cafe_chunks *c, int64_t place) {
    return c->list ? c->list[place] : place;
}

/* The place of w when it is another one of the same chunk, else -1. */
static inline int64_t place_inside(const cafe_chunks *c, int64_t place, int64_t w) {
    int64_t other = c->places ? c->places[w] : w;
    if (other == place || other < 0) return -1;
    return (uint32_t)(place > other ? place - other : other - place) % (uint32_t)c->count ? -1
                                                                                          : other;
}

/* First pass: how many links of each node stay inside, into offsets[place + 1]; a_u / p_u. */
static void count_block(void *argument, int64_t block) {
    const inner_job *job = argument;
    const cafe_operator_parts *q = job->q;
    cafe_chunks *c = job->chunks;
    for (int64_t i = block * BLOCK; i < cafe_block_end(c->size, BLOCK, block); i++) {
        int64_t u = node_at(c, i), links = 0;
        double sum = 0;
        for (int64_t j = q->offsets[u]; j < q->offsets[u + 1]; j++)
            if (place_inside(c, i, q->targets[j]) >= 0) {
                links++;
                sum += CAFE_LINK(q, u, j);
            }
        c->offsets[i + 1] = links;
        c->inner[i] = q->p[u] > 0 ? (float)(sum / (q->p[u] * q->total)) : 0;
    }
}

/* Second pass: the links themselves. */
static void copy_block(void *argument, int64_t block) {
    const inner_job *job = argument;
    const cafe_operator_parts *q = job->q;
    cafe_chunks *c = job->chunks;
    for (int64_t i = block * BLOCK; i < cafe_block_end(c->size, BLOCK, block); i++) {
        int64_t at = c->offsets[i], u = node_at(c, i);
        if (at == c->offsets[i + 1]) continue;
        for (int64_t j = q->offsets[u]; j < q->offsets[u + 1]; j++) {
            int64_t other = place_inside(c, i, q->targets[j]);
            if (other < 0) continue;
            if (c->weights) c->weights[at] = CAFE_LINK(q, u, j);
            c->targets[at++] = (int32_t)other;
        }
    }
}

static cafe_status fill_inner(cafe_context *context, const cafe_operator_parts *q, cafe_chunks *c) {
    inner_job job = {q, c};
    int64_t blocks = cafe_blocks(c->size, BLOCK);
    c->offsets = cafe_mem(context, c->size + 1, sizeof *c->offsets);
    c->inner = cafe_mem(context, c->size, sizeof *c->inner);
    if (!c->offsets || !c->inner) return CAFE_ERROR_MEMORY;
    CAFE_PASS(cafe_each(context, blocks, count_block, &job));
    c->offsets[0] = 0;
    for (int64_t i = 0; i < c->size; i++) c->offsets[i + 1] += c->offsets[i];
    c->targets = cafe_mem(context, c->offsets[c->size], sizeof *c->targets);
    if (!c->targets) return CAFE_ERROR_MEMORY;
    if (q->weights || q->factor) {
        c->weights = cafe_mem(context, c->offsets[c->size], sizeof *c->weights);
        if (!c->weights) return CAFE_ERROR_MEMORY;
    }
    return cafe_each(context, blocks, copy_block, &job);
}

static cafe_status fill_places(cafe_context *context, int64_t n, cafe_chunks *c) {
    c->places = cafe_mem(context, n, sizeof *c->places);
    if (!c->places) return CAFE_ERROR_MEMORY;
    memset(c->places, 0xFF, (size_t)n * sizeof *c->places);
    for (int64_t i = 0; i < c->size; i++) c->places[c->list[i]] = (int32_t)i;
    return CAFE_OK;
}

cafe_status cafe_chunks_new(cafe_context *context, const cafe_operator *op, const int32_t *list,
                            int64_t size, int64_t wanted, int64_t stride, cafe_chunks **chunks) {
    cafe_status status = cafe_operator_need_rows(context, op);
    *chunks = NULL;
    if (status != CAFE_OK) return status;
    cafe_chunks *c = cafe_mem_zero(context, 1, sizeof *c);
    if (!c) return CAFE_ERROR_MEMORY;
    c->context = context;
    c->list = list;
    c->size = list ? size : op->n;
    c->count = count_chunks(c->size, wanted, stride);
    c->mass = cafe_mem_zero(context, c->count, sizeof *c->mass);
    CAFE_TRY(c->mass ? CAFE_OK : CAFE_ERROR_MEMORY);
    for (int64_t i = 0; i < c->size; i++) c->mass[i % c->count] += op->parts.reach[node_at(c, i)];
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
    cafe_mem_free_all(chunks->context, chunks->places, chunks->offsets, chunks->targets,
                      chunks->weights, chunks->inner, chunks->mass, chunks);
}
