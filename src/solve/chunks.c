/* Chunks: how many, and what of P lies inside each. */
#include "solve/chunks.h"

#include "base/memory.h"
#include "base/pool.h"

enum {
    BLOCK = 4096,
    SMALL = 4096,      /* graphs up to this size are swept node by node */
    LEAST_CHUNKS = 64, /* measured: within a few percent of the sequential sweep */
    CHUNK_BYTES = 1024 * 1024
};

int64_t cafe_chunk_count(int64_t n, int64_t wanted, int64_t stride) {
    if (wanted > 0) return wanted < n ? wanted : n;
    if (n <= SMALL) return n;
    int64_t rows = CHUNK_BYTES / (stride * (int64_t)sizeof(float));
    if (rows < 1) rows = 1;
    int64_t count = cafe_blocks(n, rows);
    if (count < LEAST_CHUNKS) count = LEAST_CHUNKS;
    return count | 1; /* odd: rows a power of two apart would share a few sets of the cache */
}

typedef struct inner_job {
    const cafe_operator *op;
    cafe_chunks *chunks;
} inner_job;

static inline bool inside(const cafe_chunks *chunks, int64_t u, int64_t w) {
    return w != u && (uint32_t)(u > w ? u - w : w - u) % (uint32_t)chunks->count == 0;
}

/* First pass: how many arcs of each node stay inside, into offsets[u + 1]; a_u / p_u. */
static void count_block(void *argument, int64_t block, int32_t worker) {
    const inner_job *job = argument;
    const cafe_operator_parts *s = &job->op->parts;
    cafe_chunks *c = job->chunks;
    (void)worker;
    for (int64_t u = block * BLOCK; u < cafe_block_end(c->n, BLOCK, block); u++) {
        int64_t arcs = 0;
        double sum = 0;
        for (int64_t j = s->offsets[u]; j < s->offsets[u + 1]; j++)
            if (inside(c, u, s->targets[j])) {
                arcs++;
                sum += s->weights ? s->weights[j] : 1;
            }
        c->offsets[u + 1] = arcs;
        c->inner[u] = s->p[u] > 0 ? (float)(sum / (s->p[u] * s->total)) : 0;
    }
}

/* Second pass: the arcs themselves. */
static void copy_block(void *argument, int64_t block, int32_t worker) {
    const inner_job *job = argument;
    const cafe_operator_parts *s = &job->op->parts;
    cafe_chunks *c = job->chunks;
    (void)worker;
    for (int64_t u = block * BLOCK; u < cafe_block_end(c->n, BLOCK, block); u++) {
        int64_t at = c->offsets[u];
        if (at == c->offsets[u + 1]) continue;
        for (int64_t j = s->offsets[u]; j < s->offsets[u + 1]; j++)
            if (inside(c, u, s->targets[j])) {
                if (c->weights) c->weights[at] = s->weights[j];
                c->targets[at++] = s->targets[j];
            }
    }
}

static cafe_status fill_inner(cafe_context *context, const cafe_operator *op, cafe_chunks *c) {
    inner_job job = {op, c};
    c->offsets = cafe_mem(context, c->n + 1, sizeof *c->offsets);
    c->inner = cafe_mem(context, c->n, sizeof *c->inner);
    if (!c->offsets || !c->inner) return CAFE_ERROR_MEMORY;
    cafe_status status = cafe_parallel(context, cafe_blocks(c->n, BLOCK), count_block, &job);
    if (status != CAFE_OK) return status;
    c->offsets[0] = 0;
    for (int64_t u = 0; u < c->n; u++) c->offsets[u + 1] += c->offsets[u];
    c->targets = cafe_mem(context, c->offsets[c->n], sizeof *c->targets);
    if (!c->targets) return CAFE_ERROR_MEMORY;
    if (op->parts.weights) {
        c->weights = cafe_mem(context, c->offsets[c->n], sizeof *c->weights);
        if (!c->weights) return CAFE_ERROR_MEMORY;
    }
    return cafe_parallel(context, cafe_blocks(c->n, BLOCK), copy_block, &job);
}

cafe_status cafe_chunks_new(cafe_context *context, const cafe_operator *op, int64_t wanted,
                            int64_t stride, cafe_chunks **chunks) {
    cafe_status status = cafe_operator_need_rows(context, op);
    *chunks = NULL;
    if (status != CAFE_OK) return status;
    cafe_chunks *c = cafe_mem_zero(context, 1, sizeof *c);
    status = CAFE_ERROR_MEMORY;
    if (!c) return status;
    c->context = context;
    c->n = op->n;
    c->sign = op->parts.sign;
    c->resolution = 1;
    c->count = cafe_chunk_count(op->n, wanted, stride);
    c->mass = cafe_mem_zero(context, c->count, sizeof *c->mass);
    if (!c->mass) goto done;
    for (int64_t u = 0; u < c->n; u++) c->mass[u % c->count] += op->parts.p[u];
    status = CAFE_OK;
    if (c->count < c->n) CAFE_TRY(fill_inner(context, op, c));
done:
    if (status == CAFE_OK)
        *chunks = c;
    else
        cafe_chunks_free(c);
    return status;
}

void cafe_chunks_free(cafe_chunks *chunks) {
    if (!chunks) return;
    cafe_mem_free(chunks->context, chunks->offsets);
    cafe_mem_free(chunks->context, chunks->targets);
    cafe_mem_free(chunks->context, chunks->weights);
    cafe_mem_free(chunks->context, chunks->inner);
    cafe_mem_free(chunks->context, chunks->mass);
    cafe_mem_free(chunks->context, chunks);
}
