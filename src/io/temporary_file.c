/* Temporary files. A process number does not identify a run, because the next run in a container
 * has the same one. So names are random, and a lock shows that the run is alive: the system
 * releases it with the process, however it ends and in any namespace. */
#include "io/temporary_file.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/print.h"
#include "os/os.h"

enum { TRIES = 100, NAME = 32, DIGITS = 16 };
static const char prefix[] = ".cafe-", ending[] = ".tmp";

char *cafe_temporary_name(cafe_context *context, const char *folder) {
    size_t capacity = strlen(folder) + NAME;
    char *path = cafe_mem(context, (int64_t)capacity, 1);
    uint64_t number;
    cafe_os_random(&number, sizeof number);
    if (path)
        cafe_print(path, capacity, "%s/%s%016llx%s", folder, prefix, (unsigned long long)number,
                   ending);
    return path;
}

/* A file system without locks grants all. */
static bool lock_now(int fd) {
    return cafe_os_lock(fd) || errno == ENOLCK || errno == EOPNOTSUPP || errno == EINVAL;
}

/* Between the making of a file and its lock another run can take it for a dead one's. */
static bool is_there(const char *path, int fd) {
    struct stat named, opened;
    return lstat(path, &named) == 0 && fstat(fd, &opened) == 0 && named.st_ino == opened.st_ino &&
           named.st_dev == opened.st_dev;
}

int cafe_temporary_open(cafe_context *context, const char *folder, char **path) {
    for (int i = 0; i < TRIES; i++) {
        *path = cafe_temporary_name(context, folder);
        errno = 0;
        if (!*path) return -1;
        int fd = open(*path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd >= 0 && lock_now(fd) && is_there(*path, fd)) return fd;
        int problem = fd >= 0 || errno == EEXIST ? EEXIST : errno;
        if (fd >= 0) close(fd);
        cafe_mem_free(context, *path);
        *path = NULL;
        errno = problem;
        if (problem != EEXIST) break;
    }
    return -1;
}

/* .cafe-<16 hex digits>.tmp, as cafe_temporary_name() writes it. */
static bool is_temporary(const char *name) {
    size_t start = strlen(prefix);
    return strlen(name) == start + DIGITS + strlen(ending) && strncmp(name, prefix, start) == 0 &&
           strspn(name + start, "0123456789abcdef") == DIGITS &&
           strcmp(name + start + DIGITS, ending) == 0;
}

/* A process that gets the lock of a file knows that its run is dead. A file system without locks
 * grants none. */
static void remove_if_dead(int folder, const char *name) {
    struct stat about;
    int fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    if (fd < 0) return;
    if (fstat(fd, &about) == 0 && S_ISREG(about.st_mode) && about.st_uid == geteuid() &&
        cafe_os_lock(fd))
        unlinkat(folder, name, 0);
    close(fd);
}

void cafe_temporaries_sweep(const char *folder) {
    DIR *list = opendir(folder);
    const struct dirent *entry;
    if (!list) return;
    while ((entry = readdir(list)))
        if (is_temporary(entry->d_name)) remove_if_dead(dirfd(list), entry->d_name);
    closedir(list);
}

/* ---- folders --------------------------------------------------------------------------------- */

char *cafe_folder_of(cafe_context *context, const char *path) {
    char full[PATH_MAX];
    const char *slash = strrchr(path, '/');
    size_t length = slash ? (size_t)(slash - path) + 1 : 1;
    char *given = cafe_mem(context, (int64_t)length + 1, 1);
    errno = 0;
    if (!given) return NULL;
    memcpy(given, slash ? path : ".", length);
    given[length] = 0;
    const char *found = realpath(given, full);
    int problem = errno;
    cafe_mem_free(context, given);
    char *folder = found ? cafe_mem_text(context, found) : NULL;
    errno = found ? 0 : problem;
    return folder;
}

cafe_status cafe_folder_sync(cafe_context *context, const char *folder) {
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int failed = fd >= 0 ? fsync(fd) : -1, problem = errno;
    if (fd >= 0) close(fd);
    if (failed == 0 || problem == EINVAL || problem == EACCES || problem == EROFS) return CAFE_OK;
    return cafe_fail_file(context, folder, "the folder cannot be synced", problem);
}
