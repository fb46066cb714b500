/* A pool of pthreads that takes numbered tasks.
 *
 * A job is a number of tasks, or several such stages. All threads, including the caller, take the
 * next task numbers until none are left. Each thread first takes the tasks of its own share, the
 * same part in every stage, because their data are in its cache; then it takes tasks of other
 * shares. Workers wait a short time by spinning (a sweep has over a hundred short jobs), then sleep
 * on a condition. After fork() the child has no workers: the pool notices the changed process id
 * and starts again.
 *
 * The caller never waits for a worker that has not entered the job. On a busy machine a worker may
 * need milliseconds to be scheduled, many times a short job. A worker enters by incrementing
 * `inside` and then checking whether the job is still open. The caller closes the job and then
 * waits until `inside` is 0. Both orders are sequentially consistent, so at least one of the two
 * sees the other, and fields of a job change only while no worker can read them.
 */
#include "base/thread_pool.h"

#include "base/background_task.h"
#include "base/memory.h"
#include "base/memory_limit.h"
#include "os/os.h"

enum { SPINS = 4000 };

typedef struct worker {
    struct cafe_pool *pool;
    pthread_t thread;
    int32_t number;
} worker;

/* Each on its own cache line: all threads write them. */
typedef struct counter {
    _Alignas(64) atomic_llong value;
} counter;

/* A worker's tasks of a stage. */
typedef struct share {
    _Alignas(64) atomic_llong next;
    long long end;
} share;

struct cafe_pool {
    cafe_context *context;
    pid_t owner;
    int32_t running; /* worker threads started; the caller is one more */
    int spins;
    pthread_mutex_t mutex;
    pthread_cond_t wake, finished;
    /* Workers wait for the first, look at the second and write the third: lines of their own. */
    _Alignas(64) atomic_llong generation; /* of the job; a change is the signal to begin */
    atomic_int stop;
    _Alignas(64) atomic_int open;   /* 1: the job may be entered */
    _Alignas(64) atomic_int inside; /* workers in it, or looking whether it is open */
    _Alignas(64) cafe_stage stages[CAFE_STAGES];
    int32_t count;   /* of stages */
    bool one_by_one; /* tasks are taken singly, not in spans */
    worker *workers;
    share *shares;             /* of every stage one a thread */
    counter next;              /* task, where they are taken singly */
    counter done[CAFE_STAGES]; /* tasks */
};

static inline void pause_cpu(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

static bool cancelled(struct cafe_pool *pool) {
    return atomic_load_explicit(&pool->context->cancelled, memory_order_relaxed);
}

/* Takes the tasks *first .. last - 1 of a share, a fourth of the rest, and returns last; last <=
 * *first: the share is empty. */
static int64_t take_of(share *s, long long *first) {
    enum { PARTS = 4 };
    int64_t step = 1;
    *first = atomic_load_explicit(&s->next, memory_order_relaxed);
    do {
        if (*first >= s->end) return *first;
        step = (s->end - *first) / PARTS;
        if (step < 1) step = 1;
    } while (!atomic_compare_exchange_weak_explicit(&s->next, first, *first + step,
                                                    memory_order_relaxed, memory_order_relaxed));
    return *first + step;
}

/* The same of a thread's own share or, when that is done, of the next one that has tasks. */
static int64_t take_span(struct cafe_pool *pool, int32_t stage, int32_t number, long long *first) {
    int32_t threads = pool->context->threads;
    int64_t last = 0;
    if (pool->one_by_one) {
        *first = atomic_fetch_add_explicit(&pool->next.value, 1, memory_order_relaxed);
        return *first < pool->stages[stage].count ? *first + 1 : *first;
    }
    for (int32_t i = 0; i < threads; i++) {
        last = take_of(&pool->shares[stage * threads + (number + i) % threads], first);
        if (last > *first) break;
    }
    return last;
}

static void share_out(struct cafe_pool *pool, int32_t stage) {
    int64_t threads = pool->context->threads, count = pool->stages[stage].count;
    for (int64_t i = 0; i < threads; i++) {
        share *s = &pool->shares[stage * threads + i];
        atomic_store_explicit(&s->next, count * i / threads, memory_order_relaxed);
        s->end = count * (i + 1) / threads;
    }
}

/* Until all tasks of the stage have ended. They are short and all begun: nobody sleeps. */
static void await_stage(struct cafe_pool *pool, int32_t stage) {
    for (int i = 0; atomic_load(&pool->done[stage].value) < pool->stages[stage].count; i++) {
        if (cancelled(pool)) return;
        if (i < pool->spins)
            pause_cpu();
        else
            sched_yield();
    }
}

static void run_tasks(struct cafe_pool *pool, int32_t number) {
    for (int32_t s = 0; s < pool->count; s++) {
        long long first = 0, last, done = 0;
        while (!cancelled(pool) && (last = take_span(pool, s, number, &first)) > first) {
            pool->stages[s].task(pool->stages[s].argument, first, last, number);
            if (pool->context->limit) cafe_trim(pool->context);
            done += last - first;
        }
        if (s + 1 == pool->count) return;
        if (done > 0) atomic_fetch_add(&pool->done[s].value, done);
        await_stage(pool, s);
    }
}

static void wait_for_job(struct cafe_pool *pool, long long seen) {
    for (int i = 0; i < pool->spins; i++) {
        if (atomic_load(&pool->generation) != seen) return;
        pause_cpu();
    }
    pthread_mutex_lock(&pool->mutex);
    while (atomic_load(&pool->generation) == seen) pthread_cond_wait(&pool->wake, &pool->mutex);
    pthread_mutex_unlock(&pool->mutex);
}

static void enter_job(struct cafe_pool *pool, int32_t number) {
    atomic_fetch_add(&pool->inside, 1);
    if (atomic_load(&pool->open)) run_tasks(pool, number);
    if (atomic_fetch_sub(&pool->inside, 1) == 1 && !atomic_load(&pool->open)) {
        pthread_mutex_lock(&pool->mutex);
        pthread_cond_signal(&pool->finished);
        pthread_mutex_unlock(&pool->mutex);
    }
}

static void *work(void *argument) {
    worker *self = argument;
    struct cafe_pool *pool = self->pool;
    long long seen = 0;
    for (;;) {
        wait_for_job(pool, seen);
        seen = atomic_load(&pool->generation);
        if (atomic_load(&pool->stop)) return NULL;
        enter_job(pool, self->number);
    }
}

/* Lets the workers look: at a job that is open, or at `stop`. */
static void wake_workers(struct cafe_pool *pool) {
    pthread_mutex_lock(&pool->mutex);
    atomic_fetch_add(&pool->generation, 1);
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->mutex);
}

static void close_job(struct cafe_pool *pool) {
    atomic_store(&pool->open, 0);
    for (int i = 0; i < pool->spins; i++) {
        if (atomic_load(&pool->inside) == 0) return;
        pause_cpu();
    }
    pthread_mutex_lock(&pool->mutex);
    while (atomic_load(&pool->inside) != 0) pthread_cond_wait(&pool->finished, &pool->mutex);
    pthread_mutex_unlock(&pool->mutex);
}

/* Starts the workers; fewer than asked for is no error, since any number gives the same result. */
static void start(struct cafe_pool *pool) {
    pool->owner = getpid();
    pool->running = 0;
    pool->spins = cafe_os_processors() >= pool->context->threads ? SPINS : 0;
    atomic_store(&pool->generation, 0);
    atomic_store(&pool->open, 0);
    atomic_store(&pool->inside, 0);
    atomic_store(&pool->stop, 0);
    pthread_mutex_init(&pool->mutex, NULL);
    pthread_cond_init(&pool->wake, NULL);
    pthread_cond_init(&pool->finished, NULL);
    for (int32_t i = 0; i + 1 < pool->context->threads; i++) {
        worker *w = &pool->workers[i];
        *w = (worker){.pool = pool, .number = i + 1};
        if (!cafe_os_thread(&w->thread, work, w)) break;
        pool->running++;
    }
}

cafe_status cafe_pool_create(cafe_context *context) {
    struct cafe_pool *pool = cafe_mem_zero(context, 1, sizeof *pool);
    if (!pool) return CAFE_ERROR_MEMORY;
    pool->context = context;
    pool->workers = cafe_mem_zero(context, context->threads, sizeof *pool->workers);
    pool->shares = cafe_mem(context, context->threads * CAFE_STAGES, sizeof *pool->shares);
    if (!pool->workers || !pool->shares) {
        cafe_mem_free_all(context, pool->workers, pool->shares, pool);
        return CAFE_ERROR_MEMORY;
    }
    start(pool);
    context->pool = pool;
    return CAFE_OK;
}

void cafe_pool_free(cafe_context *context) {
    struct cafe_pool *pool = context->pool;
    if (!pool) return;
    if (pool->owner == getpid()) {
        atomic_store(&pool->stop, 1);
        wake_workers(pool);
        for (int32_t i = 0; i < pool->running; i++) pthread_join(pool->workers[i].thread, NULL);
        pthread_cond_destroy(&pool->finished);
        pthread_cond_destroy(&pool->wake);
        pthread_mutex_destroy(&pool->mutex);
    }
    cafe_mem_free_all(context, pool->workers, pool->shares, pool);
    context->pool = NULL;
}

static cafe_status run_job(cafe_context *context, int32_t count, const cafe_stage *stages,
                           bool one_by_one) {
    struct cafe_pool *pool = context->pool;
    int64_t tasks = 0;
    if (pool->owner != getpid()) start(pool);
    pool->count = count;
    pool->one_by_one = one_by_one;
    atomic_store(&pool->next.value, 0);
    for (int32_t s = 0; s < count; s++) {
        pool->stages[s] = stages[s];
        atomic_store(&pool->done[s].value, 0);
        if (!one_by_one) share_out(pool, s);
        if (stages[s].count > tasks) tasks = stages[s].count;
    }
    if (pool->running == 0 || tasks <= 1) {
        run_tasks(pool, 0);
    } else {
        atomic_store(&pool->open, 1);
        wake_workers(pool);
        run_tasks(pool, 0);
        close_job(pool);
    }
    return cafe_check_cancel(context);
}

cafe_status cafe_stages(cafe_context *context, int32_t count, const cafe_stage *stages) {
    return run_job(context, count, stages, false);
}

typedef struct numbered {
    cafe_task *task;
    void *argument;
} numbered;

static void run_numbered(void *argument, int64_t first, int64_t last, int32_t number) {
    const numbered *n = argument;
    for (int64_t task = first; task < last; task++) n->task(n->argument, task, number);
}

/* A single task needs no pool: graphs of a few nodes have hundreds of such jobs. */
static cafe_status run_alone(cafe_context *context, int64_t count, cafe_task *task,
                             void *argument) {
    CAFE_PASS(cafe_check_cancel(context));
    if (count > 0) task(argument, 0, 0);
    return cafe_check_cancel(context);
}

cafe_status cafe_parallel(cafe_context *context, int64_t count, cafe_task *task, void *argument) {
    if (count <= 1) return run_alone(context, count, task, argument);
    numbered n = {task, argument};
    cafe_stage stage = {count, run_numbered, &n};
    return run_job(context, 1, &stage, true);
}

/* ---- items, ranges and sums ------------------------------------------------------------------ */

/* A task of a simpler shape: the pool runs one of the three below, which calls it. */
typedef struct shaped {
    cafe_item_task *item;
    cafe_range_task *range;
    cafe_sum_task *sum;
    void *argument;
    int64_t n, block, width;
    double *partial; /* a row of sums for each block */
} shaped;

static void run_item(void *argument, int64_t i, int32_t number) {
    const shaped *s = argument;
    (void)number;
    s->item(s->argument, i);
}

static void run_range(void *argument, int64_t b, int32_t number) {
    const shaped *s = argument;
    (void)number;
    s->range(s->argument, b * s->block, cafe_block_end(s->n, s->block, b));
}

static void run_sum(void *argument, int64_t b, int32_t number) {
    const shaped *s = argument;
    (void)number;
    s->sum(s->argument, b * s->block, cafe_block_end(s->n, s->block, b), s->partial + b * s->width);
}

cafe_status cafe_each(cafe_context *context, int64_t count, cafe_item_task *task, void *argument) {
    return cafe_parallel(context, count, run_item, &(shaped){.item = task, .argument = argument});
}

cafe_status cafe_ranges(cafe_context *context, int64_t n, int64_t block, cafe_range_task *task,
                        void *argument) {
    shaped s = {.range = task, .argument = argument, .n = n, .block = block};
    return cafe_parallel(context, cafe_blocks(n, block), run_range, &s);
}

cafe_status cafe_sums(cafe_context *context, int64_t n, int64_t block, cafe_sum_task *task,
                      void *argument, int64_t width, double *sums) {
    shaped s = {.sum = task, .argument = argument, .n = n, .block = block, .width = width};
    int64_t blocks = cafe_blocks(n, block);
    s.partial = cafe_mem_zero(context, blocks * width, sizeof *s.partial);
    if (!s.partial) return CAFE_ERROR_MEMORY;
    cafe_status status = cafe_parallel(context, blocks, run_sum, &s);
    for (int64_t i = 0; i < blocks * width && status == CAFE_OK; i++)
        sums[i % width] += s.partial[i];
    cafe_mem_free(context, s.partial);
    return status;
}
