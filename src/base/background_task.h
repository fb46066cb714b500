/* One task beside the caller, on a thread of its own: for one that mostly waits, for a disk. */
#ifndef CAFE_BASE_BACKGROUND_TASK_H
#define CAFE_BASE_BACKGROUND_TASK_H

#include <pthread.h>
#include <stdbool.h>

/* pthread_create() with a stack of 2 MB: by default it would be the limit of the process's own,
 * which may be too little. */
bool cafe_thread_begin(pthread_t *thread, void *(*run)(void *), void *argument);

typedef struct cafe_beside {
    pthread_t thread;
    bool runs;
    void (*task)(void *argument);
    void *argument;
} cafe_beside;

/* Begins the task; false: there is no thread to be had, and it was not begun. What it reads stays
 * as it is until cafe_beside_end(), which waits for it. It may not use the pool, and tells what
 * failed by its argument. */
bool cafe_beside_begin(cafe_beside *beside, void (*task)(void *argument), void *argument);
void cafe_beside_end(cafe_beside *beside);

#endif
