/* Calls that are the same on all systems with POSIX: maps, locks, limits, the terminal. */
#define _DEFAULT_SOURCE /* flock(), winsize */
#include "os/os.h"

#include <errno.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/time.h>

void *cafe_os_map(int file, size_t bytes, cafe_os_way way) {
    int pages = way == CAFE_OS_WRITE_SHARED ? PROT_READ | PROT_WRITE : PROT_READ;
    int kind = way == CAFE_OS_READ ? MAP_PRIVATE : MAP_SHARED;
    void *start = mmap(NULL, bytes, pages, kind, file, 0);
    return start == MAP_FAILED ? NULL : start;
}

void cafe_os_unmap(void *start, size_t bytes) {
    munmap(start, bytes);
}

bool cafe_os_lock(int file) {
    return flock(file, LOCK_EX | LOCK_NB) == 0;
}

int cafe_os_disk_free(const char *folder, int64_t *bytes) {
    struct statvfs about;
    if (statvfs(folder, &about) != 0) return -1;
    *bytes = (int64_t)about.f_bavail * (int64_t)about.f_frsize;
    return 0;
}

int32_t cafe_os_terminal_columns(int file) {
    struct winsize size;
    return isatty(file) && ioctl(file, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

int64_t cafe_os_stack(void) {
    struct rlimit limit;
    bool known = getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
    return known && limit.rlim_cur < INT64_MAX ? (int64_t)limit.rlim_cur : INT64_MAX;
}

void cafe_os_alarm(int32_t microseconds) {
    struct itimerval timer = {.it_value = {.tv_usec = microseconds}};
    setitimer(ITIMER_REAL, &timer, NULL);
}

bool cafe_os_has_no_reader(int file) {
    struct pollfd output = {.fd = file, .events = POLLOUT};
    return poll(&output, 1, 0) == 1 && output.revents & POLLERR;
}
