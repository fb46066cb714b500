/* The thread pool: runs numbered tasks; which thread runs which never matters for the result. */
#ifndef CAFE_BASE_THREAD_POOL_H
#define CAFE_BASE_THREAD_POOL_H

#include "base/context.h"

/* Runs one task; `worker` is 0 .. threads-1 and names the scratch memory it may use. */
typedef void cafe_task(void *argument, int64_t task, int32_t worker);

/* Runs tasks 0 .. count-1 and waits for them. Tasks not yet begun are left out once the context is
 * cancelled, and CAFE_ERROR_CANCELLED is returned. Not to be called from within a task. */
CAFE_LAB cafe_status cafe_parallel(cafe_context *context, int64_t count, cafe_task *task,
                                   void *argument);

/* Stages that follow one another: every task of a stage has ended before the next stage begins. The
 * threads stay together in between, which costs less than a call for each stage. Threads take spans
 * of tasks, long spans first, so that a stage may go from one task to the next without a break. A
 * thread takes the same part of every stage unless others help it. A span begins and ends at
 * another place every time. */
typedef void cafe_span_task(void *argument, int64_t first, int64_t last, int32_t worker);
typedef struct cafe_stage {
    int64_t count;
    cafe_span_task *task;
    void *argument;
} cafe_stage;
enum { CAFE_STAGES = 64 }; /* at most */
cafe_status cafe_stages(cafe_context *context, int32_t count, const cafe_stage *stages);

/* Forms of cafe_parallel(): tasks without scratch memory; tasks over ranges of `block` of n items,
 * the last range with the rest; sums over such ranges. Each range adds to sums of its own, which
 * are 0 before. These are added to sums[width] in the order of the ranges, so the bits are the same
 * for any number of threads. */
typedef void cafe_item_task(void *argument, int64_t item);
typedef void cafe_range_task(void *argument, int64_t first, int64_t last);
typedef void cafe_sum_task(void *argument, int64_t first, int64_t last, double *sums);
CAFE_LAB cafe_status cafe_each(cafe_context *context, int64_t count, cafe_item_task *task,
                               void *argument);
CAFE_LAB cafe_status cafe_ranges(cafe_context *context, int64_t n, int64_t block,
                                 cafe_range_task *task, void *argument);
CAFE_LAB cafe_status cafe_sums(cafe_context *context, int64_t n, int64_t block, cafe_sum_task *task,
                               void *argument, int64_t width, double *sums);

cafe_status cafe_pool_create(cafe_context *context);
void cafe_pool_free(cafe_context *context);

/* Number of blocks of `block` items that cover n, and the end of block b: for tasks over ranges. */
static inline int64_t cafe_blocks(int64_t n, int64_t block) {
    return (n + block - 1) / block;
}
static inline int64_t cafe_block_end(int64_t n, int64_t block, int64_t b) {
    return (b + 1) * block < n ? (b + 1) * block : n;
}

#endif
