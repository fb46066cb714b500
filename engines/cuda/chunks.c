/* The edges inside chunks, found on the device. */
#include "cuda.h"

/* offsets_i+1 = sum of the counts 1 .. i + 1: blocks on the device, their totals here. */
static cafe_status add_counts(cafe_context *context, const cuda_state *state, int64_t *offsets,
                              int64_t n, int64_t *all) {
    int64_t blocks = cuda_blocks(n, SCAN), bytes = blocks * (int64_t)sizeof(int64_t), sum = 0;
    int64_t *totals = state->host->allocate(context, blocks, sizeof *totals);
    cafe_status status = CAFE_OK;
    void *there = NULL;
    if (!totals) return CAFE_ERROR_MEMORY;
    CAFE_TRY(cuda_new(context, state, blocks, sizeof *totals, &there));
    scan_args a = {offsets, there, n};
    CAFE_TRY(cuda_check(context, state, launch_scan_totals(state->device, blocks, &a)));
    CAFE_TRY(cuda_get(context, state, totals, there, bytes));
    for (int64_t b = 0; b < blocks; b++) {
        int64_t here = totals[b];
        totals[b] = sum;
        sum += here;
    }
    CAFE_TRY(cuda_put(context, state, there, totals, bytes));
    CAFE_TRY(cuda_check(context, state, launch_scan_numbers(state->device, blocks, &a)));
    *all = sum;
done:
    device_release(state->device, there);
    state->host->release(context, totals);
    return status;
}

/* Counted first, then listed. */
static cafe_status find_inside(cafe_context *context, const cuda_state *state, chunks_args *a) {
    const links *q = &a->links;
    int64_t n = q->n, inside = 0, blocks = cuda_blocks(n, BLOCK);
    CAFE_PASS(cuda_new(context, state, n, sizeof *a->inner, (void **)&a->inner));
    CAFE_PASS(cuda_new(context, state, n + 1, sizeof *a->offsets, (void **)&a->offsets));
    CAFE_PASS(cuda_check(context, state, device_zero(state->device, a->offsets, 8)));
    CAFE_PASS(cuda_check(context, state, launch_count_inside(state->device, blocks, a)));
    CAFE_PASS(add_counts(context, state, a->offsets, n, &inside));
    CAFE_PASS(cuda_new(context, state, inside, sizeof *a->owners, (void **)&a->owners));
    CAFE_PASS(cuda_new(context, state, inside, sizeof *a->targets, (void **)&a->targets));
    if (q->weights || q->factor)
        CAFE_PASS(cuda_new(context, state, inside, sizeof *a->weights, (void **)&a->weights));
    return cuda_check(context, state, launch_list_inside(state->device, blocks, a));
}

cafe_status cuda_chunks_fill(cafe_context *context, const cuda_state *state,
                             const cafe_chunks *chunks, chunks_args *a) {
    void *starts = NULL;
    cafe_status status = CAFE_OK;
    a->block = chunks->block, a->step = chunks->step, a->count = chunks->count;
    CAFE_TRY(cuda_give(context, state, chunks->starts, chunks->count + 1, sizeof *chunks->starts,
                       &starts));
    a->starts = starts;
    CAFE_TRY(cuda_new(context, state, a->count, sizeof *a->mass, (void **)&a->mass));
    CAFE_TRY(cuda_check(context, state,
                        launch_weigh_chunks(state->device, cuda_blocks(a->count, BLOCK), a)));
    if (chunks->count < chunks->size) CAFE_TRY(find_inside(context, state, a));
done:
    device_release(state->device, starts);
    a->starts = NULL;
    return status;
}

void cuda_chunks_free(const cuda_state *state, chunks_args *a) {
    void *all[] = {a->mass, a->inner, a->offsets, a->owners, a->targets, a->weights};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) device_release(state->device, all[i]);
}
