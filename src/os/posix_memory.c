/* POSIX: processors and memory. The memory in use is the largest amount so far. */
#include <sys/resource.h>

#include "os/os.h"

int32_t cafe_os_processors(void) {
#if defined(_SC_NPROCESSORS_ONLN)
    long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count > 0 && count < INT32_MAX ? (int32_t)count : 1;
#else
    return 1;
#endif
}

int64_t cafe_os_memory_installed(void) {
#if defined(_SC_PHYS_PAGES)
    return (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
#else
    return 0;
#endif
}

/* macOS counts bytes, all others kilobytes. */
int64_t cafe_os_memory_peak(void) {
    struct rusage usage;
    if (getrusage(RUSAGE_SELF, &usage) != 0) return 0;
#if defined(__APPLE__)
    return usage.ru_maxrss;
#else
    return (int64_t)usage.ru_maxrss * 1024;
#endif
}

static int64_t lesser_limit(int resource, int64_t bytes) {
    struct rlimit limit;
    bool known = getrlimit(resource, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
    return known && limit.rlim_cur < (rlim_t)bytes ? (int64_t)limit.rlim_cur : bytes;
}

/* The memory of the machine, or the limit of the process, less the most that this process had. */
int64_t cafe_os_memory_available(void) {
    int64_t all = cafe_os_memory_installed(), used = cafe_os_memory_peak();
    if (all <= 0) all = INT64_MAX;
#if defined(RLIMIT_AS)
    all = lesser_limit(RLIMIT_AS, all);
#endif
    all = lesser_limit(RLIMIT_DATA, all);
    return all == INT64_MAX ? all : all > used ? all - used : 0;
}

int cafe_os_resident_open(void) {
    return -1;
}

int64_t cafe_os_resident(int file) {
    (void)file;
    return cafe_os_memory_peak();
}
