/* The operations of the CUDA engine, by file: cuda.c, graphs.c, chunks.c, sweep.c, tall.c.
 *
 * The files are plain C and use the device through device.h only, so all of them are tested without
 * a device.
 */
#ifndef CAFE_CUDA_H
#define CAFE_CUDA_H

#include "device.h"
#include "engine/engine.h"

/* An array of an operator and its copy on the device, which all operators with that array share. */
typedef struct cuda_shared {
    struct cuda_shared *next;
    const void *here;
    void *there;
    int64_t bytes, holders;
    bool weighed; /* weights of edges with these factors included */
} cuda_shared;

typedef struct cuda_state {
    const cafe_engine_host *host;
    device *device;
    char about[256];
    cuda_shared *shared;
} cuda_state;

static inline cuda_state *cuda_of(const cafe_block *x) {
    return x->engine->state;
}

/* Row 0 of the block's columns. */
static inline float *cuda_rows(const cafe_block *x) {
    return x->x + x->first;
}

static inline int64_t cuda_blocks(int64_t count, int64_t each) {
    return (count + each - 1) / each;
}

/* Returns the number of blocks of one warp for `items` items, at most as many as run at once: each
 * block takes further items. */
static inline int64_t cuda_warps(const cuda_state *state, int64_t items) {
    enum { RESIDENT = 16 }; /* on a multiprocessor: arguments.h */
    int64_t most = RESIDENT * (int64_t)device_processors(state->device);
    return items < most ? items : most;
}

/* Is a row one panel of a warp? */
static inline bool cuda_warp_rows(int64_t stride) {
    return row_threads(stride) == WARP && stride <= 4 * WARP;
}

/* Returns the items of some rows of edges (neighbours_body.h). */
static inline int64_t cuda_items(const row_work *w) {
    int64_t across = WARP / row_threads(w->stride);
    return cuda_blocks(w->wide.pieces, across) + cuda_blocks(w->range.count, across);
}

/* An error of the device as a status, with a text. */
cafe_status cuda_check(cafe_context *context, const cuda_state *state, int error);

/* Allocates memory of the device for `count` numbers; an error reports the free memory. */
cafe_status cuda_new(cafe_context *context, const cuda_state *state, int64_t count, size_t size,
                     void **memory);

/* To the device and back, in pieces; cuda_get() waits. */
cafe_status cuda_put(cafe_context *context, const cuda_state *state, void *to, const void *from,
                     int64_t bytes);
cafe_status cuda_get(cafe_context *context, const cuda_state *state, void *to, const void *from,
                     int64_t bytes);
/* Both at once: memory for count numbers, which are copied there. NULL stays NULL. */
cafe_status cuda_give(cafe_context *context, const cuda_state *state, const void *from,
                      int64_t count, size_t size, void **memory);

/* n numbers of the caller, weights or factors: where they are on the device already, or a copy of
 * them, which *owned then is. */
cafe_status cuda_numbers(cafe_context *context, const cuda_state *state, const double *numbers,
                         int64_t n, const double **there, void **owned);

/* ---- graphs.c -------------------------------------------------------------------------------- */

/* Which rows of some ranges of nodes have more than one piece. */
typedef struct cuda_long {
    long_row *rows;  /* on the device, range after range */
    int32_t *done;   /* there too: pieces that are summed up, 0 between kernels */
    int64_t *starts; /* of each range; their number at the end */
    int64_t *pieces; /* of each range */
    int64_t most;    /* the largest of these */
} cuda_long;

cafe_status cuda_long_find(cafe_context *context, const cuda_state *state, const int64_t *offsets,
                           int64_t count, const nodes *ranges, cuda_long *found);
/* Returns the long rows of a range, with room for the sums of their pieces. */
long_rows cuda_long_of(const cuda_long *found, int64_t range, float *sums);
void cuda_long_free(cafe_context *context, const cuda_state *state, cuda_long *found);

/* The data that the engine holds for an operator. */
typedef struct cuda_graph {
    links links;
    int64_t slices; /* of nodes, for products */
    nodes *ranges;
    cuda_long wide;
} cuda_graph;

cafe_status cuda_attach(cafe_context *context, const cafe_engine *engine, const cafe_operator *op,
                        int64_t stride, void **held);
void cuda_detach(cafe_context *context, const cafe_engine *engine, void *held);
cafe_status cuda_degrees(cafe_context *context, const cafe_engine *engine, void *held,
                         double *degrees);

cafe_status cuda_product(cafe_context *context, const cafe_operator *op, void *held, cafe_side side,
                         float a, const cafe_block *x, float b, float c, cafe_block *y);
cafe_status cuda_project(cafe_context *context, const cafe_operator *op, void *held,
                         const cafe_block *x, double *s);

/* ---- chunks.c -------------------------------------------------------------------------------- */

/* Computes the inside of chunks on the device: a->mass, and if a chunk has more than one node
 * a->inner, a->offsets, a->targets and a->weights. */
cafe_status cuda_chunks_fill(cafe_context *context, const cuda_state *state,
                             const cafe_chunks *chunks, chunks_args *a);
void cuda_chunks_free(const cuda_state *state, chunks_args *a);

/* ---- sweep.c --------------------------------------------------------------------------------- */

cafe_status cuda_sweep_open(cafe_context *context, const cafe_operator *op, void *held,
                            const cafe_rule *rule, int64_t chunks, const uint8_t *fixed,
                            cafe_block *h, void **sweep);
cafe_status cuda_sweep_run(cafe_context *context, void *sweep, double *gain);
cafe_status cuda_sweep_sums(cafe_context *context, void *sweep, bool put, double *s);
const cafe_chunks *cuda_sweep_chunks(const void *sweep);
void cuda_sweep_close(cafe_context *context, void *sweep);

/* ---- tall.c ---------------------------------------------------------------------------------- */

/* sums_k = sum over rows of w x_k (or of w^2 x_k^2), in pieces (kernels/sum_shapes.h) */
cafe_status cuda_sum_columns(cafe_context *context, const cuda_state *state, const cafe_block *x,
                             int64_t columns, const double *weights, sum_kind kind, double *sums);

cafe_status cuda_gram(cafe_context *context, const cafe_block *a, const cafe_block *b,
                      const double *weights, bool single, double *gram);
cafe_status cuda_transform(cafe_context *context, cafe_block *x, int64_t k, const double *m,
                           const int64_t *kept, const double *shift);
cafe_status cuda_scale(cafe_context *context, cafe_block *x, const double *factors);
cafe_status cuda_norms(cafe_context *context, const cafe_block *x, const double *factors,
                       double *norms);
cafe_status cuda_totals(cafe_context *context, const cafe_block *x, const double *weights,
                        double *totals);
cafe_status cuda_sums(cafe_context *context, const cafe_block *x, const cafe_block *y,
                      const double *weights, const double *own_weights, int64_t negative,
                      double *cross, double *own);

#endif
