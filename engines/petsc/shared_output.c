/* Rows into one file, written by each process through MPI's files.
 *
 * Each process opens the file by itself. Only the first call is collective, so a process with a
 * full disk leaves no other waiting.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "petsc.h"

enum { BYTES = 16 << 20 }; /* of one write */

typedef struct place {
    int64_t offset;
    char path[PATH_MAX];
} place;

static cafe_status fail(cafe_context *context, const petsc_state *state, int problem) {
    return state->host->fail(context, CAFE_ERROR_IO, "cannot be written: %s", strerror(problem));
}

/* MPI reports that a write failed; the system has the reason and is asked again. */
static cafe_status explain(cafe_context *context, const petsc_state *state, const char *path,
                           int code, const char *bytes, int64_t size, int64_t at) {
    int fd = open(path, O_WRONLY | O_CLOEXEC), problem = fd < 0 ? errno : 0;
    while (fd >= 0 && size > 0 && !problem) {
        ssize_t sent = pwrite(fd, bytes, (size_t)size, (off_t)at);
        if (sent < 0 && errno == EINTR) continue;
        if (sent < 0) problem = errno;
        if (sent >= 0) bytes += sent, at += sent, size -= sent;
    }
    if (fd >= 0 && close(fd) != 0 && !problem) problem = errno;
    return problem ? fail(context, state, problem) : petsc_mpi(context, state, code);
}

/* Reserves space for this process's rows, if the file system can. The system reports why there is
 * no space, MPI only that a write failed. */
static cafe_status reserve(cafe_context *context, const cafe_block *x, const place *to) {
    const petsc_state *state = petsc_of(x);
    int64_t row = x->columns * (int64_t)sizeof(float), first, last = 0;
    int fd = open(to->path, O_WRONLY | O_CLOEXEC), problem = fd < 0 ? errno : 0;
    struct rlimit limit = {RLIM_INFINITY, RLIM_INFINITY};
    getrlimit(RLIMIT_FSIZE, &limit);
    while (!problem && petsc_mine(x->engine, x->n, last, &first, &last)) {
        if ((rlim_t)(to->offset + last * row) > limit.rlim_cur)
            problem = EFBIG;
        else if (fallocate(fd, 0, (off_t)(to->offset + first * row),
                           (off_t)((last - first) * row)) != 0)
            problem = errno;
    }
    if (fd >= 0) close(fd);
    bool unable = problem == EOPNOTSUPP || problem == ENOSYS || problem == EINTR;
    return problem && !unable ? fail(context, state, problem) : CAFE_OK;
}

static cafe_status write_bytes(cafe_context *context, const petsc_state *state, MPI_File file,
                               const char *path, const char *bytes, int64_t size, int64_t at) {
    MPI_Status about;
    int written = 0, code = MPI_File_write_at(file, at, bytes, (int)size, MPI_BYTE, &about);
    if (code == MPI_SUCCESS) MPI_Get_count(&about, MPI_BYTE, &written);
    if (code == MPI_SUCCESS && written == size) return CAFE_OK;
    return explain(context, state, path, code == MPI_SUCCESS ? MPI_ERR_IO : code, bytes, size, at);
}

/* Rows first .. last - 1, which this process holds, without the room between them. */
static cafe_status write_rows(cafe_context *context, const cafe_block *x, MPI_File file,
                              const place *to, int64_t first, int64_t last, float *packed) {
    const petsc_state *state = petsc_of(x);
    const float *rows = petsc_rows(x, first);
    int64_t row = x->columns * (int64_t)sizeof(float), most = BYTES / row;
    for (int64_t u = first; u < last; u += most) {
        int64_t count = last - u < most ? last - u : most;
        for (int64_t i = 0; i < count; i++)
            memcpy(packed + i * x->columns, rows + (u - first + i) * x->stride, (size_t)row);
        CAFE_PASS(state->host->check_cancel(context));
        CAFE_PASS(write_bytes(context, state, file, to->path, (const char *)packed, count * row,
                              to->offset + u * row));
    }
    return CAFE_OK;
}

static cafe_status write_own(cafe_context *context, const cafe_block *x, MPI_File file,
                             const place *to) {
    const petsc_state *state = petsc_of(x);
    cafe_status status = CAFE_OK;
    int64_t first, last = 0;
    float *packed = state->host->allocate(context, BYTES, 1);
    if (!packed) return CAFE_ERROR_MEMORY;
    while (status == CAFE_OK && petsc_mine(x->engine, x->n, last, &first, &last))
        status = write_rows(context, x, file, to, first, last, packed);
    state->host->release(context, packed);
    return status;
}

cafe_status petsc_write(cafe_context *context, const cafe_block *x, const char *path,
                        int64_t offset) {
    const petsc_state *state = petsc_of(x);
    cafe_status status = CAFE_OK;
    place to = {.offset = offset};
    MPI_File file = MPI_FILE_NULL;
    if (state->rank == 0) strncpy(to.path, path, sizeof to.path - 1);
    PETSC_MPI(MPI_Bcast(&to, sizeof to, MPI_BYTE, 0, state->comm));
    if (x->columns * (int64_t)sizeof(float) > BYTES || x->columns < 1)
        return x->columns < 1 ? CAFE_OK : fail(context, state, EFBIG);
    CAFE_TRY(reserve(context, x, &to));
    int code = MPI_File_open(MPI_COMM_SELF, to.path, MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
    if (code != MPI_SUCCESS) CAFE_TRY(explain(context, state, to.path, code, "", 0, 0));
    CAFE_TRY(write_own(context, x, file, &to));
    PETSC_MPI(MPI_File_sync(file));
done:
    if (file != MPI_FILE_NULL && MPI_File_close(&file) != MPI_SUCCESS && status == CAFE_OK)
        status = fail(context, state, EIO);
    return status;
}
