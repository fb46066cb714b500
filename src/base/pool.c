/* A pool of pthreads that takes numbered tasks.
 *
 * A job is a count of tasks; every thread, the caller among them, takes the next number until none
 * is left. Workers wait a short while by spinning (a sweep has over a hundred short jobs) and then
 * sleep on a condition. After fork() the child has no workers: the pool notices the changed process
 * id and starts again.
 */
#define _GNU_SOURCE
#include "base/pool.h"

#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include "base/memory.h"

enum { SPINS = 4000 };

typedef struct worker {
    struct cafe_pool *pool;
    pthread_t thread;
    int32_t number;
} worker;

struct cafe_pool {
    cafe_context *context;
    pid_t owner;
    int32_t running; /* worker threads started; the caller is one more */
    int spins;
    pthread_mutex_t mutex;
    pthread_cond_t wake, finished;
    atomic_llong generation; /* of the job; a change is the signal to begin */
    atomic_int active;       /* workers that have not yet left the job */
    atomic_int stop;
    cafe_task *task;
    void *argument;
    int64_t count;
    atomic_llong next;
    worker *workers;
};

static void run_tasks(struct cafe_pool *pool, int32_t number) {
    while (!atomic_load_explicit(&pool->context->cancelled, memory_order_relaxed)) {
        int64_t task = atomic_fetch_add_explicit(&pool->next, 1, memory_order_relaxed);
        if (task >= pool->count) break;
        pool->task(pool->argument, task, number);
    }
}

static inline void pause_cpu(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
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

static void *work(void *argument) {
    worker *self = argument;
    struct cafe_pool *pool = self->pool;
    long long seen = 0;
    for (;;) {
        wait_for_job(pool, seen);
        seen++;
        if (atomic_load(&pool->stop)) return NULL;
        run_tasks(pool, self->number);
        if (atomic_fetch_sub(&pool->active, 1) == 1) {
            pthread_mutex_lock(&pool->mutex);
            pthread_cond_signal(&pool->finished);
            pthread_mutex_unlock(&pool->mutex);
        }
    }
}

static void begin_job(struct cafe_pool *pool) {
    atomic_store(&pool->next, 0);
    atomic_store(&pool->active, pool->running);
    pthread_mutex_lock(&pool->mutex);
    atomic_fetch_add(&pool->generation, 1);
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->mutex);
}

static void end_job(struct cafe_pool *pool) {
    for (int i = 0; i < pool->spins; i++) {
        if (atomic_load(&pool->active) == 0) return;
        pause_cpu();
    }
    pthread_mutex_lock(&pool->mutex);
    while (atomic_load(&pool->active) != 0) pthread_cond_wait(&pool->finished, &pool->mutex);
    pthread_mutex_unlock(&pool->mutex);
}

/* Starts the workers; fewer than asked for is no error, since any number gives the same result. */
static void start(struct cafe_pool *pool) {
    cpu_set_t set;
    int cpus = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    pool->owner = getpid();
    pool->running = 0;
    pool->spins = cpus >= pool->context->threads ? SPINS : 0;
    atomic_store(&pool->generation, 0);
    atomic_store(&pool->stop, 0);
    pthread_mutex_init(&pool->mutex, NULL);
    pthread_cond_init(&pool->wake, NULL);
    pthread_cond_init(&pool->finished, NULL);
    for (int32_t i = 0; i + 1 < pool->context->threads; i++) {
        worker *w = &pool->workers[i];
        *w = (worker){.pool = pool, .number = i + 1};
        if (pthread_create(&w->thread, NULL, work, w) != 0) break;
        pool->running++;
    }
}

cafe_status cafe_pool_create(cafe_context *context) {
    struct cafe_pool *pool = cafe_mem_zero(context, 1, sizeof *pool);
    if (!pool) return CAFE_ERROR_MEMORY;
    pool->context = context;
    pool->workers = cafe_mem_zero(context, context->threads, sizeof *pool->workers);
    if (!pool->workers) {
        cafe_mem_free(context, pool);
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
        begin_job(pool);
        for (int32_t i = 0; i < pool->running; i++) pthread_join(pool->workers[i].thread, NULL);
        pthread_cond_destroy(&pool->finished);
        pthread_cond_destroy(&pool->wake);
        pthread_mutex_destroy(&pool->mutex);
    }
    cafe_mem_free(context, pool->workers);
    cafe_mem_free(context, pool);
    context->pool = NULL;
}

cafe_status cafe_parallel(cafe_context *context, int64_t count, cafe_task *task, void *argument) {
    struct cafe_pool *pool = context->pool;
    if (pool->owner != getpid()) start(pool);
    pool->task = task;
    pool->argument = argument;
    pool->count = count;
    if (pool->running == 0 || count <= 1) {
        atomic_store(&pool->next, 0);
        run_tasks(pool, 0);
    } else {
        begin_job(pool);
        run_tasks(pool, 0);
        end_job(pool);
    }
    return cafe_check_cancel(context);
}
