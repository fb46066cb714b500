/* The CUDA engine: transfers, blocks, copies, starts; the table that the library exports. */
#include "cuda.h"

#include <string.h>

#include "base/random.h"

/* ---- memory and transfers -------------------------------------------------------------------- */

cafe_status cuda_check(cafe_context *context, const cuda_state *state, int error) {
    if (!error) return CAFE_OK;
    return state->host->fail(context, CAFE_ERROR_SYSTEM, "the device failed: %s",
                             device_error(error));
}

cafe_status cuda_new(cafe_context *context, const cuda_state *state, int64_t count, size_t size,
                     void **memory) {
    int64_t left, all, bytes = count * (int64_t)size;
    *memory = device_allocate(state->device, bytes);
    if (*memory) return CAFE_OK;
    device_memory(state->device, &left, &all);
    return state->host->fail(context, CAFE_ERROR_MEMORY,
                             "the device has %.1f of its %.1f GB left, and %.1f GB are needed",
                             (double)left / 1e9, (double)all / 1e9, (double)bytes / 1e9);
}

/* A copy by all threads. */
typedef struct piece_job {
    const char *from;
    char *to;
    int64_t from_step, to_step, width; /* bytes of a row, and from one to the next */
} piece_job;

static void copy_piece(void *argument, int64_t first, int64_t last) {
    const piece_job *job = argument;
    if (job->from_step == job->width && job->to_step == job->width)
        memcpy(job->to + first * job->width, job->from + first * job->width,
               (size_t)((last - first) * job->width));
    else
        for (int64_t i = first; i < last; i++)
            memcpy(job->to + i * job->to_step, job->from + i * job->from_step, (size_t)job->width);
}

static cafe_status copy_parallel(cafe_context *context, const cuda_state *state, int64_t rows,
                                 piece_job job) {
    /* Bytes of a task: a huge page. Two threads that write to a new one at the same time both make
     * it, and wait for each other: many times the copy. */
    enum { SHARE = 2 << 20 };
    int64_t each = SHARE / (job.width > 0 ? job.width : 1);
    return state->host->ranges(context, rows, each > 1 ? each : 1, copy_piece, &job);
}

static cafe_status slot_of(cafe_context *context, const cuda_state *state, int slot,
                           char **memory) {
    *memory = device_slot(state->device, slot);
    if (!*memory)
        return state->host->fail(context, CAFE_ERROR_MEMORY,
                                 "there is no pinned memory for copies to the device");
    return cuda_check(context, state, device_wait(state->device, slot));
}

cafe_status cuda_put(cafe_context *context, const cuda_state *state, void *to, const void *from,
                     int64_t bytes) {
    int slot = 0;
    for (int64_t at = 0; at < bytes; at += TRANSFER, slot = (slot + 1) % SLOTS) {
        int64_t here = bytes - at < TRANSFER ? bytes - at : TRANSFER;
        char *memory;
        CAFE_PASS(slot_of(context, state, slot, &memory));
        CAFE_PASS(copy_parallel(context, state, here,
                                (piece_job){(const char *)from + at, memory, 1, 1, 1}));
        CAFE_PASS(
            cuda_check(context, state, device_up(state->device, slot, (char *)to + at, here)));
    }
    return CAFE_OK;
}

cafe_status cuda_get(cafe_context *context, const cuda_state *state, void *to, const void *from,
                     int64_t bytes) {
    int64_t pieces = cuda_blocks(bytes, TRANSFER);
    char *memory;
    for (int64_t i = 0; i < pieces + 1; i++) { /* one is on its way while another is read */
        int64_t at = i * TRANSFER, here = bytes - at < TRANSFER ? bytes - at : TRANSFER;
        if (i < pieces) {
            CAFE_PASS(slot_of(context, state, (int)(i % SLOTS), &memory));
            CAFE_PASS(cuda_check(
                context, state,
                device_down(state->device, (int)(i % SLOTS), (const char *)from + at, here)));
        }
        if (i == 0) continue;
        at -= TRANSFER, here = bytes - at < TRANSFER ? bytes - at : TRANSFER;
        CAFE_PASS(slot_of(context, state, (int)((i - 1) % SLOTS), &memory));
        CAFE_PASS(
            copy_parallel(context, state, here, (piece_job){memory, (char *)to + at, 1, 1, 1}));
    }
    return CAFE_OK;
}

cafe_status cuda_give(cafe_context *context, const cuda_state *state, const void *from,
                      int64_t count, size_t size, void **memory) {
    *memory = NULL;
    if (!from) return CAFE_OK;
    CAFE_PASS(cuda_new(context, state, count, size, memory));
    return cuda_put(context, state, *memory, from, count * (int64_t)size);
}

cafe_status cuda_numbers(cafe_context *context, const cuda_state *state, const double *numbers,
                         int64_t n, const double **there, void **owned) {
    *owned = NULL;
    *there = NULL;
    for (const cuda_shared *s = state->shared; s && numbers; s = s->next)
        if (s->here == numbers && !s->weighed) *there = s->there;
    if (*there || !numbers) return CAFE_OK;
    CAFE_PASS(cuda_give(context, state, numbers, n, sizeof *numbers, owned));
    *there = *owned;
    return CAFE_OK;
}

/* ---- blocks ---------------------------------------------------------------------------------- */

static cafe_status refuse(cafe_context *context, const cuda_state *state, int64_t n,
                          int64_t columns) {
    int64_t left, all, most;
    device_memory(state->device, &left, &all);
    most = n > 0 ? left / (n * (int64_t)sizeof(float)) / 16 * 16 : 0;
    return state->host->fail(
        context, CAFE_ERROR_MEMORY,
        "the device has %.1f of its %.1f GB left, and %lld columns of %lld rows take %.1f GB: "
        "there is room for %lld",
        (double)left / 1e9, (double)all / 1e9, (long long)columns, (long long)n,
        4.0 * (double)n * (double)cafe_stride(columns) / 1e9, (long long)most);
}

static cafe_status make(cafe_context *context, const cafe_engine *engine, int64_t n,
                        int64_t columns, cafe_block *block) {
    const cuda_state *state = engine->state;
    *block = (cafe_block){n, cafe_stride(columns), columns, {NULL}, engine, 0};
    block->x = device_allocate(state->device, n * block->stride * (int64_t)sizeof(float));
    return block->x ? CAFE_OK : refuse(context, state, n, columns);
}

static void drop(cafe_context *context, cafe_block *block) {
    (void)context;
    if (block->x) device_release(cuda_of(block)->device, block->x);
    block->x = NULL;
}

static void memory(const cafe_engine *engine, int64_t *left, int64_t *all) {
    device_memory(((const cuda_state *)engine->state)->device, left, all);
}

static cafe_status run_copy(cafe_context *context, const cuda_state *state, copy_rows_args a) {
    enum { EACH = 1024 }; /* elements of a block of threads */
    int64_t blocks = cuda_blocks(a.rows * (a.columns + a.zeros), EACH);
    return cuda_check(context, state, launch_copy_rows(state->device, blocks, &a));
}

/* Returns the number of padding floats to clear, if `end` is the block's last column. */
static int64_t zeros_after(const cafe_block *x, int64_t end) {
    return x->first == 0 && end == x->columns ? x->stride - end : 0;
}

/* Some rows of some columns between the caller and the device: packed in between. */
typedef struct passage {
    const cuda_state *state;
    const cafe_block *x;
    cafe_part part;
    int64_t rows;  /* of a piece */
    float *packed; /* on the device, one piece a slot */
} passage;

static cafe_status open_passage(cafe_context *context, const cafe_block *x, cafe_part part,
                                passage *p) {
    void *packed = NULL;
    int64_t row = part.columns * (int64_t)sizeof(float);
    *p = (passage){cuda_of(x), x, part, row > 0 ? TRANSFER / row : part.rows, NULL};
    if (p->rows < 1)
        return p->state->host->fail(context, CAFE_ERROR_ARGUMENT, "rows are too long to be copied");
    if (p->rows > part.rows) p->rows = part.rows;
    CAFE_PASS(
        cuda_new(context, p->state, SLOTS * p->rows * part.columns, sizeof *p->packed, &packed));
    p->packed = packed;
    return CAFE_OK;
}

static float *packed_of(const passage *p, int64_t piece) {
    return p->packed + piece % SLOTS * p->rows * p->part.columns;
}

static copy_rows_args between(const passage *p, int64_t piece) {
    const cafe_block *x = p->x;
    int64_t first = piece * p->rows, left = p->part.rows - first;
    copy_rows_args a = {.from_step = p->part.columns, .to_step = x->stride};
    a.rows = left < p->rows ? left : p->rows;
    a.columns = p->part.columns;
    a.from = packed_of(p, piece);
    a.to = cuda_rows(x) + (p->part.row + first) * x->stride + p->part.column;
    return a;
}

static cafe_status copy_in(cafe_context *context, cafe_block *x, cafe_part part, const float *from,
                           int64_t step) {
    passage p;
    cafe_status status = CAFE_OK;
    int64_t width = part.columns * (int64_t)sizeof *from;
    char *memory;
    CAFE_TRY(open_passage(context, x, part, &p));
    for (int64_t i = 0; i * p.rows < part.rows; i++) {
        copy_rows_args a = between(&p, i);
        a.zeros = zeros_after(x, part.column + part.columns);
        CAFE_TRY(slot_of(context, p.state, (int)(i % SLOTS), &memory));
        CAFE_TRY(copy_parallel(context, p.state, a.rows,
                               (piece_job){(const char *)(from + i * p.rows * step), memory,
                                           step * (int64_t)sizeof *from, width, width}));
        CAFE_TRY(cuda_check(
            context, p.state,
            device_up(p.state->device, (int)(i % SLOTS), packed_of(&p, i), a.rows * width)));
        CAFE_TRY(run_copy(context, p.state, a));
    }
done:
    device_release(p.state->device, p.packed);
    return status;
}

static cafe_status fetch_piece(cafe_context *context, const passage *p, int64_t piece) {
    copy_rows_args a = between(p, piece);
    float *packed = packed_of(p, piece);
    int slot = (int)(piece % SLOTS);
    char *memory;
    a.from = a.to, a.from_step = p->x->stride;
    a.to = packed, a.to_step = a.columns;
    CAFE_PASS(slot_of(context, p->state, slot, &memory));
    CAFE_PASS(run_copy(context, p->state, a));
    return cuda_check(
        context, p->state,
        device_down(p->state->device, slot, packed, a.rows * a.columns * (int64_t)sizeof *packed));
}

/* A piece is on its way while the one before it goes to the caller. */
static cafe_status copy_out(cafe_context *context, const cafe_block *x, cafe_part part, float *to,
                            int64_t step) {
    passage p;
    cafe_status status = CAFE_OK;
    int64_t width = part.columns * (int64_t)sizeof *to, pieces = 0;
    char *memory;
    CAFE_TRY(open_passage(context, x, part, &p));
    pieces = p.rows > 0 ? cuda_blocks(part.rows, p.rows) : 0;
    for (int64_t i = 0; i <= pieces && pieces > 0; i++) {
        if (i < pieces) CAFE_TRY(fetch_piece(context, &p, i));
        if (i == 0) continue;
        CAFE_TRY(slot_of(context, p.state, (int)((i - 1) % SLOTS), &memory));
        CAFE_TRY(copy_parallel(context, p.state, between(&p, i - 1).rows,
                               (piece_job){memory, (char *)(to + (i - 1) * p.rows * step), width,
                                           step * (int64_t)sizeof *to, width}));
    }
done:
    device_release(p.state->device, p.packed);
    return status;
}

static cafe_status copy(cafe_context *context, const cafe_block *from, cafe_block *to,
                        int64_t place) {
    return run_copy(context, cuda_of(from),
                    (copy_rows_args){.from = cuda_rows(from),
                                     .to = cuda_rows(to) + place,
                                     .from_step = from->stride,
                                     .to_step = to->stride,
                                     .rows = from->n,
                                     .columns = from->columns,
                                     .zeros = zeros_after(to, place + from->columns)});
}

/* In slices of rows, by way of a copy: a row never lands on one that is still to be read. */
static cafe_status select_columns(cafe_context *context, cafe_block *x, int64_t count,
                                  const int64_t *kept) {
    enum { ROWS = 1 << 18 };
    const cuda_state *state = cuda_of(x);
    cafe_status status = CAFE_OK;
    int64_t stride = cafe_stride(count), row = x->stride * (int64_t)sizeof(float);
    void *places = NULL, *slice = NULL;
    CAFE_TRY(cuda_give(context, state, kept, count, sizeof *kept, &places));
    CAFE_TRY(cuda_new(context, state, (x->n < ROWS ? x->n : ROWS), (size_t)row, &slice));
    for (int64_t u = 0; u < x->n; u += ROWS) {
        copy_rows_args a = {.from = slice, .to = x->x + u * stride, .places = places};
        a.from_step = x->stride, a.to_step = stride, a.columns = count, a.zeros = stride - count;
        a.rows = x->n - u < ROWS ? x->n - u : ROWS;
        CAFE_TRY(cuda_check(context, state,
                            device_copy(state->device, slice, x->x + u * x->stride, a.rows * row)));
        CAFE_TRY(run_copy(context, state, a));
    }
    x->columns = count;
    x->stride = stride;
done:
    device_release(state->device, places);
    device_release(state->device, slice);
    return status;
}

/* ---- starts ---------------------------------------------------------------------------------- */

/* Normal numbers are drawn here, as the processor draws them. */
typedef struct normal_job {
    const cafe_start *start;
    int64_t first, columns, width; /* of the piece's rows; all columns, drawn columns */
    float *rows;
} normal_job;

static void draw_rows(void *argument, int64_t first, int64_t last) {
    const normal_job *job = argument;
    const cafe_start *s = job->start;
    for (int64_t i = first; i < last; i++)
        for (int64_t k = 0; k < job->width; k++) {
            int64_t u = job->first + i;
            uint64_t index = (uint64_t)u * (uint64_t)job->columns + (uint64_t)(s->from + k);
            float four[4] = {0};
            if (!s->weights || s->weights[u] > 0)
                cafe_normal4(cafe_philox(s->seed, s->stream, index), four);
            job->rows[i * job->width + k] = four[0];
        }
}

static cafe_status start_normal(cafe_context *context, cafe_block *x, const cafe_start *start) {
    enum { ROWS = 1 << 16, TASK_ROWS = 1024 };
    const cafe_engine_host *host = cuda_of(x)->host;
    normal_job job = {start, 0, x->columns, x->columns - start->from, NULL};
    cafe_status status = CAFE_OK;
    if (job.width <= 0) return CAFE_OK;
    job.rows = host->allocate(context, (x->n < ROWS ? x->n : ROWS) * job.width, sizeof *job.rows);
    if (!job.rows) return CAFE_ERROR_MEMORY;
    for (; job.first < x->n && status == CAFE_OK; job.first += ROWS) {
        int64_t rows = x->n - job.first < ROWS ? x->n - job.first : ROWS;
        cafe_part part = {job.first, rows, start->from, job.width};
        status = host->ranges(context, rows, TASK_ROWS, draw_rows, &job);
        if (status == CAFE_OK) status = copy_in(context, x, part, job.rows, job.width);
    }
    host->release(context, job.rows);
    return status;
}

static cafe_status start(cafe_context *context, cafe_block *x, const cafe_start *how) {
    const cuda_state *state = cuda_of(x);
    void *labels = NULL, *marks = NULL, *small = NULL;
    cafe_status status = CAFE_OK;
    if (how->kind == CAFE_START_NORMAL) return start_normal(context, x, how);
    start_rows_args a = {.x = x->x, .rows = x->n, .stride = x->stride, .columns = x->columns};
    a.kind = how->kind, a.given = how->given, a.seed = how->seed, a.stream = how->stream;
    if (how->held) a.links = ((const cuda_graph *)how->held)->links;
    CAFE_TRY(cuda_give(context, state, how->labels, x->n, sizeof *how->labels, &labels));
    CAFE_TRY(cuda_give(context, state, how->marks, x->n, sizeof *how->marks, &marks));
    CAFE_TRY(cuda_give(context, state, how->small, x->n, sizeof *how->small, &small));
    a.labels = labels, a.marks = marks, a.small = small, a.blocks = cuda_warps(state, x->n);
    CAFE_TRY(cuda_check(context, state, launch_start_rows(state->device, a.blocks, &a)));
done:
    device_release(state->device, labels);
    device_release(state->device, marks);
    device_release(state->device, small);
    return status;
}

/* ---- the library ----------------------------------------------------------------------------- */

static cafe_status open_engine(cafe_context *context, const cafe_engine_host *host, void **made) {
    cuda_state *state = host->allocate(context, 1, sizeof *state);
    if (!state) return CAFE_ERROR_MEMORY;
    *state = (cuda_state){.host = host};
    int error = device_open(&state->device, state->about, sizeof state->about);
    *made = state;
    if (!error) return CAFE_OK;
    host->release(context, state);
    *made = NULL;
    return host->fail(context, CAFE_ERROR_SYSTEM, "there is no device to use: %s",
                      device_error(error));
}

static void close_engine(cafe_context *context, void *made) {
    cuda_state *state = made;
    const cafe_engine_host *host = state->host;
    device_close(state->device);
    host->release(context, state);
}

static const char *about(const void *made) {
    return ((const cuda_state *)made)->about;
}

static const cafe_engine_ops operations = {
    .make = make,
    .drop = drop,
    .memory = memory,
    .copy_in = copy_in,
    .copy_out = copy_out,
    .copy = copy,
    .select = select_columns,
    .start = start,
    .attach = cuda_attach,
    .detach = cuda_detach,
    .degrees = cuda_degrees,
    .product = cuda_product,
    .project = cuda_project,
    .sweep_open = cuda_sweep_open,
    .sweep_run = cuda_sweep_run,
    .sweep_sums = cuda_sweep_sums,
    .sweep_chunks = cuda_sweep_chunks,
    .sweep_close = cuda_sweep_close,
    .gram = cuda_gram,
    .transform = cuda_transform,
    .scale = cuda_scale,
    .norms = cuda_norms,
    .totals = cuda_totals,
    .sums = cuda_sums,
};

const cafe_engine_library cafe_engine_entry = {
    .interface = CAFE_ENGINE_INTERFACE,
    .table_size = sizeof(cafe_engine_ops),
    .name = CAFE_CUDA_NAME,
    .summary = "one CUDA device",
    .version = "1",
    .ops = &operations,
    .open = open_engine,
    .close = close_engine,
    .about = about,
};
