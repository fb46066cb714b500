/* One task beside the caller, on a thread of its own: for one that mostly waits, for a disk. */
#ifndef CAFE_BASE_BESIDE_H
#define CAFE_BASE_BESIDE_H

#include <pthread.h>
#include <stdbool.h>

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
