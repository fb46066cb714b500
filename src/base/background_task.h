/* One task on a thread of its own beside the caller, for work that mostly waits for a disk. */
#ifndef CAFE_BASE_BACKGROUND_TASK_H
#define CAFE_BASE_BACKGROUND_TASK_H

#include <stdbool.h>

#include "os/os.h"

typedef struct cafe_beside {
    pthread_t thread;
    bool runs;
    void (*task)(void *argument);
    void *argument;
} cafe_beside;

/* Starts the task; false: no thread is available, and the task was not started. The data that the
 * task reads must stay until cafe_beside_end(), which waits for the task. The task must not use the
 * pool, and reports errors through its argument. */
bool cafe_beside_begin(cafe_beside *beside, void (*task)(void *argument), void *argument);
void cafe_beside_end(cafe_beside *beside);

#endif
