/* Calls to the system that fail on request, as tests/failing.h does for memory. Loaded
 * into the tool with LD_PRELOAD:
 *
 *     CAFE_FAULT=write:3        the fourth write() fails
 *     CAFE_FAULT=any:17         the eighteenth of all calls below fails
 *     CAFE_FAULT=any:17:kill    the process is killed just before the eighteenth that writes
 *     CAFE_FAULT=fsync:0:hang   the first fsync() never returns, whatever is asked
 *     CAFE_FAULT_MET=FILE       this file is made when it comes to that
 *
 * A failed close() has closed; the other calls have done nothing. Only files are mapped to fail.
 * What is synced waits for no disk: nobody cuts the power here.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#pragma GCC visibility push(default) /* these take the place of the C library's */

static atomic_long calls;

static bool kills(void) {
    const char *fault = getenv("CAFE_FAULT");
    return fault && strstr(fault, ":kill");
}

/* 1: the call is to fail; errno is set. */
static int fails(const char *name, int problem) {
    const char *fault = getenv("CAFE_FAULT"), *met = getenv("CAFE_FAULT_MET");
    if (!fault) return 0;
    size_t length = strcspn(fault, ":");
    bool any = strncmp(fault, "any", length) == 0;
    if (!any && (strlen(name) != length || strncmp(fault, name, length) != 0)) return 0;
    char *end;
    long n = strtol(fault + length + 1, &end, 10);
    if (atomic_fetch_add(&calls, 1) != n) return 0;
    if (met) {
        long fd = syscall(SYS_openat, AT_FDCWD, met, O_CREAT | O_WRONLY, 0666);
        syscall(SYS_write, fd, name, strlen(name));
        syscall(SYS_close, fd);
    }
    while (strcmp(end, ":hang") == 0) pause();
    if (strcmp(end, ":kill") == 0) syscall(SYS_kill, getpid(), SIGKILL);
    errno = problem;
    return 1;
}

#define REAL(name)                 \
    static __typeof__(name) *real; \
    if (!real) *(void **)&real = dlsym(RTLD_NEXT, #name);

int open(const char *path, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = flags & O_CREAT ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    if (!(kills() && !(flags & O_CREAT)) && fails("open", EIO)) return -1;
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

ssize_t read(int fd, void *bytes, size_t size) {
    return !kills() && fails("read", EIO) ? -1 : (ssize_t)syscall(SYS_read, fd, bytes, size);
}

ssize_t pread(int fd, void *bytes, size_t size, off_t at) {
    return !kills() && fails("read", EIO) ? -1 : (ssize_t)syscall(SYS_pread64, fd, bytes, size, at);
}

int posix_fallocate(int fd, off_t at, off_t size) {
    REAL(posix_fallocate)
    return fails("posix_fallocate", ENOSPC) ? ENOSPC : real(fd, at, size);
}

ssize_t write(int fd, const void *bytes, size_t size) {
    return fails("write", ENOSPC) ? -1 : (ssize_t)syscall(SYS_write, fd, bytes, size);
}

ssize_t pwrite(int fd, const void *bytes, size_t size, off_t at) {
    return fails("write", ENOSPC) ? -1 : (ssize_t)syscall(SYS_pwrite64, fd, bytes, size, at);
}

int fallocate(int fd, int mode, off_t at, off_t size) {
    return fails("fallocate", ENOSPC) ? -1 : (int)syscall(SYS_fallocate, fd, mode, at, size);
}

int fsync(int fd) {
    return fails("fsync", fcntl(fd, F_GETFD) < 0 ? EBADF : EIO) ? -1 : 0;
}

int ftruncate(int fd, off_t size) {
    return fails("ftruncate", EIO) ? -1 : (int)syscall(SYS_ftruncate, fd, size);
}

int close(int fd) {
    int failed = !kills() && fails("close", EIO), problem = errno;
    long closed = syscall(SYS_close, fd);
    if (failed) errno = problem;
    return failed ? -1 : (int)closed;
}

int rename(const char *from, const char *to) {
    return fails("rename", EIO) ? -1 : (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}

int renameat2(int a, const char *from, int b, const char *to, unsigned flags) {
    return fails("rename", EIO) ? -1 : (int)syscall(SYS_renameat2, a, from, b, to, flags);
}

/* Only killed at: nothing is left to be done about a file that cannot be removed. */
int unlink(const char *path) {
    if (kills() && fails("unlink", EIO)) return -1;
    return (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
}

void *mmap(void *address, size_t size, int protection, int flags, int fd, off_t at) {
    REAL(mmap)
    if (fd >= 0 && !kills() && fails("mmap", ENOMEM)) return MAP_FAILED;
    return real(address, size, protection, flags, fd, at);
}
