/* A thread for one task. */
#include "base/background_task.h"

static void *run(void *argument) {
    const cafe_beside *beside = argument;
    beside->task(beside->argument);
    return NULL;
}

bool cafe_beside_begin(cafe_beside *beside, void (*task)(void *argument), void *argument) {
    *beside = (cafe_beside){.task = task, .argument = argument};
    beside->runs = cafe_os_thread(&beside->thread, run, beside);
    return beside->runs;
}

void cafe_beside_end(cafe_beside *beside) {
    if (beside->runs) pthread_join(beside->thread, NULL);
    beside->runs = false;
}
