/* A pure gather of random rows: the yardstick for sweeps and products.
 *
 * Every row is read whole and added to a running sum, as in a sweep. But the places are ready in
 * one long list, and nothing is written or computed besides.
 */
#define _GNU_SOURCE
#include "gather.h"

#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "base/random.h"
#include "base/thread_pool.h"

enum { TASK_ROWS = 1 << 16, MOST_AHEAD = 64 };

typedef float v16 __attribute__((vector_size(64), aligned(4), may_alias));

double bench_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct gather_job {
    int64_t n, columns, rows;
    const float *block;
    int32_t *places;
    int64_t ahead;
    uint64_t seed;
    float sink; /* keeps the sums alive */
} gather_job;

static void draw(void *argument, int64_t task, int32_t worker) {
    gather_job *job = argument;
    (void)worker;
    int64_t end = cafe_block_end(job->rows + MOST_AHEAD, TASK_ROWS, task);
    for (int64_t i = task * TASK_ROWS; i < end; i++) {
        cafe_random4 r = cafe_philox(job->seed, 99, (uint64_t)i);
        job->places[i] = (int32_t)cafe_below(r.v[0], r.v[1], (uint64_t)job->n);
    }
}

#if defined(__x86_64__)
__attribute__((target_clones("avx512f", "avx2", "default")))
#endif
static float
read_rows(const float *block, int64_t columns, const int32_t *places, int64_t count,
          int64_t ahead) {
    v16 sum[8] = {{0}};
    float total = 0;
    for (int64_t i = 0; i < count; i++) {
        const float *next = block + places[i + ahead] * columns;
        const float *row = block + places[i] * columns;
        for (int64_t k = 0; k < columns; k += 16) __builtin_prefetch(next + k);
        for (int64_t k = 0; k < columns; k += 16) sum[k / 16 % 8] += *(const v16 *)(row + k);
    }
    for (int k = 0; k < 8; k++)
        for (int i = 0; i < 16; i++) total += sum[k][i];
    return total;
}

static void gather(void *argument, int64_t task, int32_t worker) {
    gather_job *job = argument;
    int64_t from = task * TASK_ROWS, count = cafe_block_end(job->rows, TASK_ROWS, task) - from;
    float sum = read_rows(job->block, job->columns, job->places + from, count, job->ahead);
    if (sum == 12345 && worker == 0) job->sink = sum;
}

bench_time bench_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (bench_time){(double)t.tv_sec + 1e-9 * (double)t.tv_nsec, bench_seconds()};
}

bench_time bench_since(bench_time begin) {
    bench_time now = bench_now();
    return (bench_time){now.cpu - begin.cpu, now.seconds - begin.seconds};
}

bench_time bench_gather_time(cafe_context *context, int64_t n, int64_t columns, int64_t rows,
                             int repeats) {
    bench_time best = {-1, -1};
    float *block = cafe_mem_zero(context, n * columns, sizeof *block);
    gather_job job = {n, columns, rows, block, NULL, 0, 7, 0};
    job.places = cafe_mem(context, rows + MOST_AHEAD, sizeof *job.places);
    if (!block || !job.places) goto done;
    cafe_parallel(context, cafe_blocks(rows + MOST_AHEAD, TASK_ROWS), draw, &job);
    for (int r = 0; r < repeats; r++)
        for (job.ahead = 8; job.ahead <= MOST_AHEAD; job.ahead *= 2) {
            bench_time begin = bench_now();
            cafe_parallel(context, cafe_blocks(rows, TASK_ROWS), gather, &job);
            bench_time one = bench_since(begin);
            if (best.cpu < 0 || one.cpu < best.cpu) best.cpu = one.cpu;
            if (best.seconds < 0 || one.seconds < best.seconds) best.seconds = one.seconds;
        }
done:
    cafe_mem_free(context, block);
    cafe_mem_free(context, job.places);
    return best;
}

double bench_gather(cafe_context *context, int64_t n, int64_t columns, int64_t rows, int repeats) {
    return bench_gather_time(context, n, columns, rows, repeats).seconds;
}
