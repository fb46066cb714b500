/* How much and how fast the disk takes. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/memory_limit.h"
#include "base/print.h"
#include "os/os.h"

enum { PIECE = 1 << 20, PIECES = 64 };

static cafe_status fail(cafe_context *context, const char *folder, int problem) {
    return cafe_fail(context, CAFE_ERROR_IO, "%s: %s", folder, strerror(problem));
}

cafe_status cafe_disk_free(cafe_context *context, const char *folder, int64_t *bytes) {
    *bytes = 0;
    if (cafe_os_disk_free(folder, bytes) != 0) return fail(context, folder, errno);
    *bytes += context->file_bytes;
    return CAFE_OK;
}

/* ---- speed ----------------------------------------------------------------------------------- */

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
    double began = cafe_os_seconds();
    int problem = pass(context, fd, put, piece);
    if (!problem && fdatasync(fd) != 0) problem = errno;
    disk->writes = bytes / (cafe_os_seconds() - began);
    if (!problem) problem = cafe_os_uncache(fd);
    began = cafe_os_seconds();
    if (!problem) problem = pass(context, fd, pread, piece);
    disk->reads = bytes / (cafe_os_seconds() - began);
    return problem;
}

cafe_status cafe_disk_measure(cafe_context *context, const char *folder, cafe_disk *disk) {
    char *piece = cafe_mem_zero(context, PIECE, 1);
    *disk = (cafe_disk){0};
    if (!piece) return CAFE_ERROR_MEMORY;
    errno = 0;
    int fd = cafe_os_nameless(folder);
    int problem = fd < 0 ? errno : measure(context, fd, piece, disk);
    if (fd >= 0) close(fd);
    cafe_mem_free(context, piece);
    CAFE_PASS(cafe_check_cancel(context));
    return problem ? fail(context, folder, problem) : CAFE_OK;
}
