/* POSIX alone, for macOS, the BSDs and others: calls of the header without any of Linux.
 *
 * Weaker than on Linux: pages of files are released only if the system follows the advice, writes
 * go through the system's cache, and two names cannot be exchanged at once.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "os/weak_forms.h"

/* ---- random bytes, the processor ----------------------------------------------------------------
 */

void cafe_os_random(void *bytes, size_t count) {
    int file = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
    ssize_t got = file >= 0 ? read(file, bytes, count) : -1;
    if (file >= 0) close(file);
    if (got != (ssize_t)count) cafe_os_weak_random(bytes, count);
}

bool cafe_os_processor_name(char *text, size_t capacity) {
    (void)text, (void)capacity;
    return false;
}

/* ---- memory ---------------------------------------------------------------------------------- */

void cafe_os_release(void *start, size_t bytes) {
    posix_madvise(start, bytes, POSIX_MADV_DONTNEED);
}

void cafe_os_huge_pages(void *start, size_t bytes) {
    (void)start, (void)bytes;
}

void cafe_os_share_addresses(void) {
}

/* ---- files ----------------------------------------------------------------------------------- */

int cafe_os_nameless(const char *folder) {
    return cafe_os_unnamed(folder);
}

/* Writes zeros: every system then has given the space. */
int cafe_os_reserve(int file, int64_t bytes) {
    static const char zeros[1 << 16];
    for (int64_t at = 0; at < bytes;) {
        int64_t left = bytes - at;
        size_t size = left < (int64_t)sizeof zeros ? (size_t)left : sizeof zeros;
        ssize_t sent = pwrite(file, zeros, size, (off_t)at);
        if (sent < 0) return errno;
        at += sent;
    }
    return 0;
}

void cafe_os_expect(int file, int64_t bytes) {
    (void)file, (void)bytes;
}

int cafe_os_uncache(int file) {
    (void)file;
    return 0;
}

void cafe_os_set_direct(int file, bool direct) {
    (void)file, (void)direct;
}

bool cafe_os_is_direct(int file) {
    (void)file;
    return false;
}

/* link() refuses a name that exists. A file system without links gets a check before the rename. */
int cafe_os_rename_free(const char *from, const char *to) {
    if (link(from, to) == 0) return unlink(from);
    if (errno == EEXIST) return -1;
    if (access(to, F_OK) == 0) {
        errno = EEXIST;
        return -1;
    }
    return rename(from, to);
}

int cafe_os_exchange(const char *from, const char *to) {
    (void)from, (void)to;
    errno = ENOSYS;
    return -1;
}

struct timespec cafe_os_changed(const struct stat *about) {
#if defined(__APPLE__)
    return about->st_mtimespec;
#else
    return about->st_mtim;
#endif
}

/* ---- the program ----------------------------------------------------------------------------- */

const char *cafe_os_program(void) {
    return NULL;
}

const char *cafe_os_c_library(char *text, size_t capacity) {
    (void)text, (void)capacity;
    return "the system's";
}

/* Without a way that no caller of the program can influence the file stays unknown. Engines are
 * then found by their path alone. */
void cafe_os_file_of(uintptr_t address, char *path, size_t capacity) {
    (void)address, (void)capacity;
    path[0] = 0;
}

const char *cafe_os_environment(const char *name) {
    bool same = getuid() == geteuid() && getgid() == getegid();
    return same ? getenv(name) : NULL;
}
