/* Threads with a stack of fixed size, and a wait with an end. */
#include "os/os.h"

bool cafe_os_thread(pthread_t *thread, void *(*run)(void *), void *argument) {
    const size_t stack = (size_t)2 << 20;
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0) return false;
    bool begun = pthread_attr_setstacksize(&attributes, stack) == 0 &&
                 pthread_create(thread, &attributes, run, argument) == 0;
    pthread_attr_destroy(&attributes);
    return begun;
}

/* macOS knows only the clock of the day here. */
#if defined(__APPLE__)
enum { CLOCK = CLOCK_REALTIME };
static void set_clock(pthread_condattr_t *attributes) {
    (void)attributes;
}
#else
enum { CLOCK = CLOCK_MONOTONIC };
static void set_clock(pthread_condattr_t *attributes) {
    pthread_condattr_setclock(attributes, CLOCK_MONOTONIC);
}
#endif

void cafe_os_condition(pthread_cond_t *condition) {
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    set_clock(&attributes);
    pthread_cond_init(condition, &attributes);
    pthread_condattr_destroy(&attributes);
}

void cafe_os_wait(pthread_cond_t *condition, pthread_mutex_t *mutex, int64_t nanoseconds) {
    struct timespec until;
    clock_gettime(CLOCK, &until);
    nanoseconds += until.tv_nsec;
    until.tv_sec += (time_t)(nanoseconds / 1000000000);
    until.tv_nsec = (long)(nanoseconds % 1000000000);
    pthread_cond_timedwait(condition, mutex, &until);
}
