/* The first rows of a block: random numbers, given rows, labels, or sums over edges. */
#include <math.h>
#include <string.h>

#include "base/random.h"
#include "base/thread_pool.h"
#include "engine/processor.h"
#include "graph/edge_weight.h"

enum { BLOCK = 1024 }; /* rows of a task */

typedef struct start_job {
    cafe_block *x;
    const cafe_start *start;
    const cafe_kernels *kernels;
    cafe_operator op; /* operator of the edges, with the data that the engine holds for it */
} start_job;

/* Entries uniform in (-1,1) from 16 bits each: the direction is all that matters. */
static void draw_unit(const cafe_start *start, int64_t u, int64_t columns, float *row) {
    int64_t draws = (columns + 7) / 8;
    for (int64_t d = 0; d < draws; d++) {
        cafe_random4 r = cafe_philox(start->seed, start->stream, (uint64_t)(u * draws + d));
        for (int i = 0; i < 8 && d * 8 + i < columns; i++) {
            uint32_t bits = (r.v[i / 2] >> (16 * (i % 2))) & 0xFFFF;
            row[d * 8 + i] = ((float)bits + 0.5f) * 0x1p-15f - 1;
        }
    }
}

/* Exponential numbers: scaled to sum 1 they are uniform on the simplex. */
static void draw_simplex(const cafe_start *start, int64_t u, int64_t columns, float *row) {
    int64_t draws = (columns + 3) / 4;
    for (int64_t k = 0; k < columns; k++) {
        cafe_random4 r = cafe_philox(start->seed, start->stream, (uint64_t)(u * draws + k / 4));
        row[k] = (float)-cafe_log(cafe_uniform_open(r.v[k % 4]));
    }
}

static void ask_mark(const cafe_start *start, int64_t w) {
    __builtin_prefetch(start->small ? (const void *)&start->small[w] : &start->marks[w]);
}

/* row u of A S, which is 0 on entry. Distant rows are prefetched LIST edges ahead, for many edges
 * at a time. */
static void add_links(const start_job *job, int64_t u, float *row) {
    enum { LIST = 64 };
    const cafe_operator_parts *a = &job->op.parts;
    int64_t known = a->offsets[a->n] - LIST;
    int32_t columns[LIST];
    float values[LIST];
    for (int64_t from = a->offsets[u]; from < a->offsets[u + 1]; from += LIST) {
        int64_t left = a->offsets[u + 1] - from, count = left < LIST ? left : LIST;
        for (int64_t j = from; j < from + count && j < known; j++)
            ask_mark(job->start, a->targets[j + LIST]);
        for (int64_t j = 0; j < count; j++) {
            int32_t mark = cafe_mark(job->start, a->targets[from + j]);
            float weight = CAFE_LINK(a, u, from + j);
            columns[j] = mark < 0 ? ~mark : mark;
            values[j] = mark < 0 ? -weight : weight;
        }
        for (int64_t j = 0; j < count; j++) row[columns[j]] += values[j];
    }
}

/* The row divided by its length, or by its sum; returns that. */
static double settle_row(cafe_start_kind kind, int64_t columns, float *row) {
    double size = 0;
    for (int64_t k = 0; k < columns; k++)
        size += kind == CAFE_START_SIMPLEX ? row[k] : (double)row[k] * row[k];
    if (kind != CAFE_START_SIMPLEX) size = sqrt(size);
    for (int64_t k = 0; k < columns && size > 0; k++) row[k] = (float)(row[k] / size);
    return size;
}

/* By the length that a row's dot product gives. */
static bool divide_row(const start_job *job, float *row) {
    int64_t stride = job->x->stride;
    float square = (float)job->kernels->dot(stride, row, row), inverse = 1 / sqrtf(square);
    for (int64_t k = 0; k < stride && square > 0; k++) row[k] *= inverse;
    return square > 0;
}

/* row_k = cafe_normal4(draw u K + k)_0: independent normal numbers, each a function of its index.
 */
static void draw_normal(const cafe_start *start, int64_t u, int64_t number, int64_t columns,
                        float *row) {
    for (int64_t k = start->from; k < columns && (!start->weights || start->weights[u] > 0); k++) {
        float draw[4];
        uint64_t index = (uint64_t)number * (uint64_t)columns + (uint64_t)k;
        cafe_normal4(cafe_philox(start->seed, start->stream, index), draw);
        row[k] = draw[0];
    }
}

static void start_row(const start_job *job, int64_t u) {
    const cafe_start *s = job->start;
    int64_t columns = job->x->columns, rest = job->x->stride - s->from;
    int64_t number = s->numbers ? s->numbers[u] : u;
    float *row = cafe_row(job->x, u);
    bool labelled = s->labels && s->labels[u] >= 0;
    if (s->given && !labelled && settle_row(s->kind, columns, row) > 0) return;
    memset(row + s->from, 0, (size_t)rest * sizeof *row);
    if (s->kind == CAFE_START_NORMAL) {
        draw_normal(s, u, number, columns, row);
    } else if (labelled) {
        row[s->labels[u]] = 1;
    } else if (s->labels && !s->given) {
        for (int64_t k = 0; k < columns; k++) row[k] = (float)(1.0 / (double)columns);
    } else {
        if (s->kind == CAFE_START_LINKS) add_links(job, u, row);
        if (s->kind == CAFE_START_LINKS && divide_row(job, row)) return;
        (s->kind == CAFE_START_SIMPLEX ? draw_simplex : draw_unit)(s, number, columns, row);
        settle_row(s->kind, columns, row);
    }
}

static void start_rows(void *argument, int64_t first, int64_t last) {
    const start_job *job = argument;
    for (int64_t u = first; u < last; u++) start_row(job, u);
}

cafe_status cafe_processor_start(cafe_context *context, cafe_block *x, const cafe_start *how) {
    start_job job = {.x = x, .start = how, .kernels = cafe_kernels_best()};
    if (how->kind == CAFE_START_LINKS) job.op = cafe_processor_held(how->op, how->held);
    return cafe_ranges(context, x->n, BLOCK, start_rows, &job);
}
