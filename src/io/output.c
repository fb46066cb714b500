/* Outputs: the temporary file lies in the folder of the final one, so that renaming is atomic. */
#define _GNU_SOURCE
#include "io/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/pool.h"

enum { ENDING = 40, TRIES = 100, MOST_BLOCKS = 64 };
static const int64_t largest_write = (int64_t)16 << 20;

static cafe_status fail_errno(cafe_output *output, const char *what) {
    return cafe_fail(output->context, CAFE_ERROR_IO, "%s: %s: %s", output->path, what,
                     strerror(errno));
}

static cafe_status fail_exists(cafe_output *output) {
    return cafe_fail(output->context, CAFE_ERROR_EXISTS, "%s: exists and is kept", output->path);
}

/* A new file beside the final one. Its mode is that of any new file of the user. */
static cafe_status open_temporary(cafe_output *output) {
    size_t capacity = strlen(output->path) + ENDING;
    output->temporary = cafe_mem(output->context, (int64_t)capacity, 1);
    if (!output->temporary) return CAFE_ERROR_MEMORY;
    for (int i = 0; i < TRIES; i++) {
        struct timespec now;
        clock_gettime(CLOCK_REALTIME, &now);
        snprintf(output->temporary, capacity, "%s.tmp-%lx-%lx", output->path, (long)getpid(),
                 (now.tv_nsec ^ now.tv_sec << 10) & 0xffffffffffL);
        output->fd = open(output->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (output->fd >= 0 || errno != EEXIST) break;
    }
    if (output->fd >= 0) return CAFE_OK;
    cafe_status status = fail_errno(output, "cannot be created");
    cafe_mem_free(output->context, output->temporary);
    output->temporary = NULL;
    return status;
}

static cafe_status open_path(cafe_output *output) {
    struct stat about;
    if (stat(output->path, &about) != 0) return open_temporary(output);
    if (S_ISDIR(about.st_mode)) {
        errno = EISDIR;
        return fail_errno(output, "cannot be written");
    }
    if (S_ISREG(about.st_mode))
        return output->overwrite ? open_temporary(output) : fail_exists(output);
    output->fd = open(output->path, O_WRONLY | O_CLOEXEC); /* a device or a pipe */
    return output->fd >= 0 ? CAFE_OK : fail_errno(output, "cannot be opened");
}

cafe_status cafe_output_create(cafe_context *context, const char *path, int32_t overwrite,
                               cafe_output **output) {
    cafe_output *o = *output = cafe_mem_zero(context, 1, sizeof *o);
    if (!o) return CAFE_ERROR_MEMORY;
    *o = (cafe_output){.context = context, .fd = -1, .overwrite = overwrite != 0};
    o->path = cafe_mem_text(context, path);
    cafe_status status = o->path ? CAFE_OK : CAFE_ERROR_MEMORY;
    if (status == CAFE_OK && strcmp(path, "-") == 0)
        o->fd = STDOUT_FILENO;
    else if (status == CAFE_OK)
        status = open_path(o);
    if (status == CAFE_OK) return status;
    cafe_output_discard(o);
    *output = NULL;
    return status;
}

cafe_status cafe_output_write(cafe_output *output, const void *bytes, int64_t size) {
    const char *p = bytes;
    while (size > 0) {
        CAFE_PASS(cafe_check_cancel(output->context));
        int64_t most = size < largest_write ? size : largest_write;
        ssize_t written = write(output->fd, p, (size_t)most);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return fail_errno(output, "cannot be written");
        p += written, size -= written;
    }
    return CAFE_OK;
}

typedef struct round {
    int64_t first, capacity;
    cafe_output_format *format;
    const void *argument;
    char *texts;
    int64_t *lengths;
} round;

static void format_block(void *argument, int64_t task) {
    round *r = argument;
    r->lengths[task] = r->format(r->argument, r->first + task, r->texts + task * r->capacity);
}

cafe_status cafe_output_blocks(cafe_output *output, int64_t count, int64_t capacity,
                               cafe_output_format *format, const void *argument) {
    cafe_context *context = output->context;
    int64_t width = 4 * (int64_t)cafe_threads(context);
    if (width > MOST_BLOCKS) width = MOST_BLOCKS;
    if (width > count) width = count;
    round r = {.capacity = capacity, .format = format, .argument = argument};
    cafe_status status = CAFE_ERROR_MEMORY;
    r.texts = cafe_mem(context, width, (size_t)capacity);
    r.lengths = r.texts ? cafe_mem(context, width, sizeof *r.lengths) : NULL;
    if (!r.lengths) goto done;
    status = CAFE_OK;
    for (; r.first < count; r.first += width) {
        int64_t here = count - r.first < width ? count - r.first : width;
        CAFE_TRY(cafe_each(context, here, format_block, &r));
        for (int64_t i = 0; i < here; i++)
            CAFE_TRY(cafe_output_write(output, r.texts + i * capacity, r.lengths[i]));
        cafe_step(context, r.first + here, 0);
    }
done:
    cafe_mem_free_all(context, r.texts, r.lengths);
    return status;
}

/* Without leave to overwrite, a file that appeared meanwhile is kept too. */
static int put_in_place(const cafe_output *output) {
    if (output->overwrite) return rename(output->temporary, output->path);
    if (renameat2(AT_FDCWD, output->temporary, AT_FDCWD, output->path, RENAME_NOREPLACE) == 0)
        return 0;
    if (errno != EINVAL && errno != ENOSYS) return -1;
    if (access(output->path, F_OK) == 0) { /* a file system without that operation */
        errno = EEXIST;
        return -1;
    }
    return rename(output->temporary, output->path);
}

/* The temporary file whole on the disk and under its name. */
static cafe_status finish(cafe_output *output) {
    if (fsync(output->fd) != 0) return fail_errno(output, "cannot be written");
    int closed = close(output->fd);
    output->fd = -1;
    if (closed != 0) return fail_errno(output, "cannot be written");
    if (put_in_place(output) != 0)
        return errno == EEXIST ? fail_exists(output) : fail_errno(output, "cannot be named");
    cafe_mem_free(output->context, output->temporary);
    output->temporary = NULL;
    return CAFE_OK;
}

cafe_status cafe_output_commit(cafe_output **output) {
    cafe_status status = cafe_check_cancel((*output)->context);
    if (status == CAFE_OK && (*output)->temporary) status = finish(*output);
    cafe_output_discard(*output);
    *output = NULL;
    return status;
}

void cafe_output_discard(cafe_output *output) {
    if (!output) return;
    if (output->fd >= 0 && output->fd != STDOUT_FILENO) close(output->fd);
    if (output->temporary) unlink(output->temporary);
    cafe_mem_free_all(output->context, output->temporary, output->path, output);
}
