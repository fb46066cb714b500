/* Linux: what POSIX does not have, or has in a weaker form. */
#define _GNU_SOURCE
#include <errno.h>
#include <gnu/libc-version.h>
#include <malloc.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "os/weak_forms.h"

/* ---- random bytes, processors ---------------------------------------------------------------- */

void cafe_os_random(void *bytes, size_t count) {
    if (getrandom(bytes, count, GRND_NONBLOCK) != (ssize_t)count) cafe_os_weak_random(bytes, count);
}

int32_t cafe_os_processors(void) {
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? (int32_t)CPU_COUNT(&set) : 1;
}

/* "model name" of the first processor. */
bool cafe_os_processor_name(char *text, size_t capacity) {
    char line[256];
    FILE *file = fopen("/proc/cpuinfo", "re");
    bool found = false;
    while (file && !found && fgets(line, sizeof line, file)) {
        char *colon = strncmp(line, "model name", 10) == 0 ? strchr(line, ':') : NULL;
        size_t length = colon ? strcspn(colon + 2, "\n") : 0;
        if (!colon || length >= capacity) continue;
        memcpy(text, colon + 2, length);
        text[length] = 0;
        found = true;
    }
    if (file) fclose(file);
    return found;
}

/* ---- memory ---------------------------------------------------------------------------------- */

void cafe_os_release(void *start, size_t bytes) {
    madvise(start, bytes, MADV_DONTNEED);
}

void cafe_os_huge_pages(void *start, size_t bytes) {
    madvise(start, bytes, MADV_HUGEPAGE);
}

/* Each thread that allocates would reserve 64 MB of addresses for itself (glibc's arenas). */
void cafe_os_share_addresses(void) {
    struct rlimit limit;
    bool limited = getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
#ifdef M_ARENA_MAX
    if (limited) mallopt(M_ARENA_MAX, 1);
#endif
    (void)limited;
}

/* ---- files ----------------------------------------------------------------------------------- */

/* It never has a name, or loses it at once if the file system knows no files without one. */
int cafe_os_nameless(const char *folder) {
    int file = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (file >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL)) return file;
    return cafe_os_unnamed(folder);
}

int cafe_os_reserve(int file, int64_t bytes) {
    return posix_fallocate(file, 0, (off_t)bytes);
}

void cafe_os_expect(int file, int64_t bytes) {
    if (fallocate(file, 0, 0, (off_t)bytes) != 0) errno = 0;
}

int cafe_os_uncache(int file) {
    return posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
}

void cafe_os_set_direct(int file, bool direct) {
    int flags = fcntl(file, F_GETFL);
    if (flags >= 0) fcntl(file, F_SETFL, direct ? flags | O_DIRECT : flags & ~O_DIRECT);
}

bool cafe_os_is_direct(int file) {
    int flags = fcntl(file, F_GETFL);
    return flags >= 0 && flags & O_DIRECT;
}

#ifndef RENAME_NOREPLACE /* C libraries before glibc 2.28 leave it to the caller */
#define RENAME_NOREPLACE 1u
#define RENAME_EXCHANGE  2u
static int renameat2(int from_folder, const char *from, int to_folder, const char *to,
                     unsigned flags) {
    return (int)syscall(SYS_renameat2, from_folder, from, to_folder, to, flags);
}
#endif

/* A file system, or a system, that does not know the flags of renameat2(). */
static bool lacks_flags(void) {
    return errno == EINVAL || errno == ENOSYS || errno == EOPNOTSUPP;
}

int cafe_os_rename_free(const char *from, const char *to) {
    if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0) return 0;
    if (!lacks_flags()) return -1;
    if (access(to, F_OK) == 0) {
        errno = EEXIST;
        return -1;
    }
    return rename(from, to);
}

int cafe_os_exchange(const char *from, const char *to) {
    int failed = renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_EXCHANGE);
    if (failed && lacks_flags()) errno = ENOSYS;
    return failed;
}

struct timespec cafe_os_changed(const struct stat *about) {
    return about->st_mtim;
}

/* ---- the program ----------------------------------------------------------------------------- */

const char *cafe_os_program(void) {
    static const char path[] = "/proc/self/exe";
    return access(path, R_OK) == 0 ? path : NULL;
}

const char *cafe_os_c_library(char *text, size_t capacity) {
    static const char name[] = "glibc ";
    const char *version = gnu_get_libc_version();
    if (sizeof name + strlen(version) > capacity) return "glibc";
    memcpy(text, name, sizeof name);
    return strcat(text, version);
}

/* Does a line of /proc/self/maps, "FROM-TO ...", cover the address? */
static bool covers(const char *line, uintptr_t address) {
    char *end;
    uintptr_t from = (uintptr_t)strtoull(line, &end, 16);
    return *end == '-' && from <= address && address < (uintptr_t)strtoull(end + 1, NULL, 16);
}

/* The file that the kernel mapped. The call dladdr() is not used. For a program linked with
 * libcafe.a it returns argv[0], which the caller of the program chooses. */
void cafe_os_file_of(uintptr_t address, char *path, size_t capacity) {
    FILE *maps = fopen("/proc/self/maps", "re");
    char line[4096 + 128];
    path[0] = 0;
    while (maps && !path[0] && fgets(line, sizeof line, maps)) {
        const char *name = strchr(line, '/');
        size_t length = name ? strcspn(name, "\n") : 0;
        if (!name || length >= capacity || !covers(line, address)) continue;
        memcpy(path, name, length);
        path[length] = 0;
    }
    if (maps) fclose(maps);
}

const char *cafe_os_environment(const char *name) {
    return secure_getenv(name);
}
