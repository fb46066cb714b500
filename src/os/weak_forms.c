/* Random bytes without a source, and files that lose their names. */
#include "os/weak_forms.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The finaliser of SplitMix64, over a counter. */
void cafe_os_weak_random(void *bytes, size_t count) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    uint64_t state = (uint64_t)now.tv_nsec << 32 ^ (uint64_t)now.tv_sec << 16 ^ (uint64_t)getpid() ^
                     (uint64_t)(uintptr_t)bytes;
    for (size_t at = 0; at < count; at += sizeof state) {
        uint64_t x = state += 0x9E3779B97F4A7C15u;
        x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
        x = (x ^ x >> 27) * 0x94D049BB133111EBu;
        x ^= x >> 31;
        memcpy((char *)bytes + at, &x, count - at < sizeof x ? count - at : sizeof x);
    }
}

int cafe_os_unnamed(const char *folder) {
    static const char name[] = "/.cafe-block-XXXXXX";
    char path[4096];
    size_t length = strlen(folder);
    if (length + sizeof name > sizeof path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memcpy(path, folder, length);
    memcpy(path + length, name, sizeof name);
    int file = mkstemp(path);
    if (file < 0) return -1;
    fcntl(file, F_SETFD, FD_CLOEXEC);
    unlink(path);
    return file;
}
