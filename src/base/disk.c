/* Files without names, and how much and how fast the disk takes. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/memory_limit.h"
#include "base/print.h"

enum { PIECE = 1 << 20, PIECES = 64 };

/* A file that is gone with the process, however that ends: it never has a name, or loses it at
 * once where the file system knows no files without one. */
int cafe_open_nameless(const char *folder) {
    char path[4096];
    int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL)) return fd;
    cafe_print(path, sizeof path, "%s/.cafe-block-XXXXXX", folder);
    fd = mkostemp(path, O_CLOEXEC);
    if (fd >= 0) unlink(path);
    return fd;
}

static cafe_status fail(cafe_context *context, const char *folder, int problem) {
    return cafe_fail(context, CAFE_ERROR_IO, "%s: %s", folder, strerror(problem));
}

cafe_status cafe_disk_free(cafe_context *context, const char *folder, int64_t *bytes) {
    struct statvfs about;
    *bytes = 0;
    if (statvfs(folder, &about) != 0) return fail(context, folder, errno);
    *bytes = (int64_t)about.f_bavail * (int64_t)about.f_frsize + context->file_bytes;
    return CAFE_OK;
}

/* ---- speed ----------------------------------------------------------------------------------- */

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef ssize_t transfer(int fd, void *bytes, size_t count, off_t at);

static ssize_t put(int fd, void *bytes, size_t count, off_t at) {
    return pwrite(fd, bytes, count, at);
}

/* Transfers a file piece by piece; returns 0 or an errno. */
static int pass(cafe_context *context, int fd, transfer *move, char *piece) {
    for (int64_t i = 0; i < PIECES; i++) {
        if (move(fd, piece, PIECE, (off_t)i * PIECE) != PIECE) return errno ? errno : EIO;
        if (cafe_check_cancel(context) != CAFE_OK) return EINTR;
    }
    return 0;
}

/* To the disk, out of the cache, and back. */
static int measure(cafe_context *context, int fd, char *piece, cafe_disk *disk) {
    const double bytes = (double)PIECE * PIECES;
    double began = seconds();
    int problem = pass(context, fd, put, piece);
    if (!problem && fdatasync(fd) != 0) problem = errno;
    disk->writes = bytes / (seconds() - began);
    if (!problem) problem = posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
    began = seconds();
    if (!problem) problem = pass(context, fd, pread, piece);
    disk->reads = bytes / (seconds() - began);
    return problem;
}

cafe_status cafe_disk_measure(cafe_context *context, const char *folder, cafe_disk *disk) {
    char *piece = cafe_mem_zero(context, PIECE, 1);
    *disk = (cafe_disk){0};
    if (!piece) return CAFE_ERROR_MEMORY;
    errno = 0;
    int fd = cafe_open_nameless(folder);
    int problem = fd < 0 ? errno : measure(context, fd, piece, disk);
    if (fd >= 0) close(fd);
    cafe_mem_free(context, piece);
    CAFE_PASS(cafe_check_cancel(context));
    return problem ? fail(context, folder, problem) : CAFE_OK;
}
