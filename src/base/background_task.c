/* A thread for one task. */
#include "base/background_task.h"

bool cafe_thread_begin(pthread_t *thread, void *(*run)(void *), void *argument) {
    const size_t stack = (size_t)2 << 20;
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0) return false;
    bool begun = pthread_attr_setstacksize(&attributes, stack) == 0 &&
                 pthread_create(thread, &attributes, run, argument) == 0;
    pthread_attr_destroy(&attributes);
    return begun;
}

static void *run(void *argument) {
    const cafe_beside *beside = argument;
    beside->task(beside->argument);
    return NULL;
}

bool cafe_beside_begin(cafe_beside *beside, void (*task)(void *argument), void *argument) {
    *beside = (cafe_beside){.task = task, .argument = argument};
    beside->runs = cafe_thread_begin(&beside->thread, run, beside);
    return beside->runs;
}

void cafe_beside_end(cafe_beside *beside) {
    if (beside->runs) pthread_join(beside->thread, NULL);
    beside->runs = false;
}
