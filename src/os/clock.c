/* Clocks. */
#include "os/os.h"

int64_t cafe_os_nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

double cafe_os_seconds(void) {
    return 1e-9 * (double)cafe_os_nanoseconds();
}

void cafe_os_sleep(int64_t nanoseconds) {
    struct timespec time = {.tv_sec = (time_t)(nanoseconds / 1000000000),
                            .tv_nsec = (long)(nanoseconds % 1000000000)};
    nanosleep(&time, NULL);
}
