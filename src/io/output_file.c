/* Outputs: a temporary file in the folder of the final one, so the rename is atomic. An existing
 * file passes on its mode and, if permitted, its owner. Symbolic links are followed. */
#include "io/output_file.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/print.h"
#include "base/processes.h"
#include "io/gzip.h"
#include "io/gzip_write.h"
#include "io/output_blocks.h"
#include "io/output_set.h"
#include "io/temporary_file.h"
#include "os/os.h"

static cafe_status fail_errno(cafe_output *output, const char *what) {
    return cafe_fail_file(output->context, output->path, what, errno);
}

static cafe_status fail_exists(cafe_output *output) {
    return cafe_fail(output->context, CAFE_ERROR_EXISTS, "%s: exists and is not overwritten",
                     output->path);
}

/* Finds the folder and the file in it, through symbolic links if the caller named them. */
static cafe_status resolve(cafe_output *output) {
    char real[PATH_MAX];
    struct stat about;
    const char *path = output->path;
    if (!output->beside && lstat(path, &about) == 0 && S_ISLNK(about.st_mode)) {
        if (!(path = realpath(path, real)))
            return fail_errno(output, "is a symbolic link that leads nowhere");
    }
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    output->folder = cafe_folder_of(output->context, path);
    if (!output->folder) return errno ? fail_errno(output, "cannot be created") : CAFE_ERROR_MEMORY;
    size_t capacity = strlen(output->folder) + strlen(name) + 2;
    output->target = cafe_mem(output->context, (int64_t)capacity, 1);
    if (!output->target) return CAFE_ERROR_MEMORY;
    cafe_print(output->target, capacity, "%s/%s", output->folder, name);
    return CAFE_OK;
}

/* The new file has the permissions of the old one, without the bits that let a program run as its
 * owner. The owner may be one that we cannot give files to. */
static cafe_status take_over(cafe_output *output, const struct stat *old) {
    if (!old) return CAFE_OK;
    if ((old->st_uid != geteuid() || old->st_gid != getegid()) &&
        fchown(output->fd, old->st_uid, old->st_gid) != 0)
        errno = 0;
    if (fchmod(output->fd, old->st_mode & 0777) == 0 || errno == EPERM || errno == ENOSYS)
        return CAFE_OK;
    return fail_errno(output, "cannot be created");
}

/* Creates a file beside the final one, with the mode of the old file or of any new file of the
 * user. */
static cafe_status open_temporary(cafe_output *output, const struct stat *old) {
    CAFE_PASS(resolve(output));
    CAFE_PASS(cafe_outputs_prepare(output->context, output->folder));
    output->fd = cafe_temporary_open(output->context, output->folder, &output->temporary);
    if (output->fd < 0)
        return output->temporary || errno ? fail_errno(output, "cannot be created")
                                          : CAFE_ERROR_MEMORY;
    return take_over(output, old);
}

static cafe_status open_path(cafe_output *output) {
    struct stat about;
    if ((output->beside ? lstat : stat)(output->path, &about) != 0)
        return errno == ENOENT ? open_temporary(output, NULL)
                               : fail_errno(output, "cannot be created");
    if (S_ISDIR(about.st_mode)) {
        errno = EISDIR;
        return fail_errno(output, "cannot be written");
    }
    if (S_ISREG(about.st_mode) || output->beside) {
        const struct stat *old = S_ISREG(about.st_mode) ? &about : NULL;
        return output->overwrite ? open_temporary(output, old) : fail_exists(output);
    }
    output->fd = open(output->path, O_WRONLY | O_CLOEXEC); /* a device or a pipe */
    return output->fd >= 0 ? CAFE_OK : fail_errno(output, "cannot be opened");
}

static cafe_output *new_output(cafe_context *context, const char *path, bool overwrite,
                               bool beside) {
    cafe_output *o = cafe_mem_zero(context, 1, sizeof *o);
    if (!o) return NULL;
    *o = (cafe_output){.context = context, .fd = -1, .overwrite = overwrite, .beside = beside};
    o->path = cafe_mem_text(context, path);
    if (o->path) return o;
    cafe_mem_free(context, o);
    return NULL;
}

/* Process 0 writes the files of all; outputs of the other processes discard their bytes. */
static cafe_status open_nothing(cafe_output *output) {
    output->fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
    return output->fd >= 0 ? CAFE_OK : fail_errno(output, "cannot be opened");
}

static cafe_status create(cafe_context *context, const char *path, bool overwrite, bool beside,
                          cafe_output **output) {
    cafe_output *o = *output = new_output(context, path, overwrite, beside);
    cafe_status status = o ? CAFE_OK : CAFE_ERROR_MEMORY;
    if (status == CAFE_OK && cafe_team_rank(context) > 0)
        status = open_nothing(o);
    else if (status == CAFE_OK && strcmp(path, "-") == 0)
        o->fd = STDOUT_FILENO;
    else if (status == CAFE_OK)
        status = open_path(o);
    if (status == CAFE_OK) o->is_terminal = !o->temporary && isatty(o->fd);
    if (status == CAFE_OK && o->temporary && cafe_is_gzip_name(path)) {
        o->gzip = cafe_gzip_writer_create(context);
        if (!o->gzip) status = CAFE_ERROR_MEMORY;
    }
    if (status == CAFE_OK) return status;
    cafe_output_discard(o);
    *output = NULL;
    return status;
}

cafe_status cafe_output_create(cafe_context *context, const char *path, int32_t overwrite,
                               cafe_output **output) {
    return create(context, path, overwrite != 0, false, output);
}

cafe_status cafe_output_create_beside(cafe_context *context, const char *path, bool overwrite,
                                      cafe_output **output) {
    return create(context, path, overwrite, true, output);
}

cafe_status cafe_output_remove(cafe_context *context, const char *path, bool beside,
                               cafe_output **output) {
    cafe_output *o = *output = new_output(context, path, true, beside);
    cafe_status status = o ? resolve(o) : CAFE_ERROR_MEMORY;
    if (status == CAFE_OK) return status;
    cafe_output_discard(o);
    *output = NULL;
    return status;
}

static cafe_status send_bytes(void *target, const char *p, int64_t size) {
    return cafe_pieces_write(target, p, size);
}

static cafe_status write_bytes(void *target, const char *p, int64_t size) {
    cafe_output *output = target;
    if (output->digested) output->digest = cafe_crc64(output->digest, p, size);
    if (output->gzip) return cafe_gzip_writer_put(output->gzip, p, size, false, send_bytes, output);
    return cafe_pieces_write(output, p, size);
}

cafe_status cafe_output_write(cafe_output *output, const void *bytes, int64_t size) {
    if (!output->is_terminal) return write_bytes(output, bytes, size);
    return cafe_terminal_write(&output->terminal, bytes, size, write_bytes, output);
}

cafe_status cafe_output_commit(cafe_output **output) {
    cafe_output *o = *output;
    cafe_status status = cafe_check_cancel(o->context);
    if (status == CAFE_OK && o->is_terminal)
        status = cafe_terminal_write(&o->terminal, NULL, 0, write_bytes, o);
    if (status == CAFE_OK && o->gzip)
        status = cafe_gzip_writer_put(o->gzip, "", 0, true, send_bytes, o);
    if (status == CAFE_OK) status = cafe_pieces_end(o);
    *output = NULL;
    if (status == CAFE_OK && o->temporary && fsync(o->fd) != 0)
        status = fail_errno(o, "cannot be written");
    if (status == CAFE_OK && o->target) return cafe_outputs_add(o->context, o);
    if (status == CAFE_OK && o->fd != STDOUT_FILENO) {
        int closed = close(o->fd);
        o->fd = -1;
        if (closed != 0) status = fail_errno(o, "cannot be written");
    }
    cafe_output_discard(o);
    return status;
}

void cafe_output_discard(cafe_output *output) {
    if (!output) return;
    cafe_image_free(output);
    if (output->temporary) unlink(output->temporary);
    cafe_gzip_writer_free(output->context, output->gzip);
    if (output->fd >= 0 && output->fd != STDOUT_FILENO) close(output->fd);
    cafe_mem_free_all(output->context, output->memory, output->temporary, output->target,
                      output->folder, output->path, output);
}
