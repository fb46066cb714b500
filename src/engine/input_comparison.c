/* Is it one run? Processes that were started together compare their inputs before they begin.
 *
 * Options are lines of a text. Files are compared by their bytes, since each process may have its
 * own copy. Checksums are needed only for files whose size, time or inode differ. So a file that
 * all processes share is not read for the comparison.
 */
#include <errno.h>

#include <cafe-private/team.h>

#include "base/memory.h"
#include "base/print.h"
#include "base/processes.h"
#include "engine/engine.h"
#include "io/gzip.h"
#include "os/os.h"

enum { LINE = 192, BUFFER = 1 << 20 };

/* A line for each file. */
typedef struct writing {
    cafe_context *context;
    char *text;
    size_t used, room;
    void *buffer; /* NULL: numbers are written, not checksums */
} writing;

typedef struct opened {
    int fd;
    struct stat about;
} opened;

/* ---- one file -------------------------------------------------------------------------------- */

/* Opens a file to compare. Pipes are refused: bytes that one process reads from a pipe no other
 * process gets. */
static cafe_status open_file(cafe_context *context, const char *path, opened *file) {
    file->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file->fd < 0 || fstat(file->fd, &file->about) != 0)
        return cafe_fail_file(context, path, "cannot be opened", errno);
    if (S_ISREG(file->about.st_mode)) return CAFE_OK;
    return cafe_fail(context, CAFE_ERROR_IO, "%s: is no file that several processes can read",
                     path);
}

/* Of one file the same in all processes, on different machines too. */
static void add_numbers(writing *w, const opened *file) {
    const struct stat *s = &file->about;
    struct timespec changed = cafe_os_changed(s);
    w->used += (size_t)cafe_print(w->text + w->used, w->room - w->used, "%lld %llu %lld.%09ld\n",
                                  (long long)s->st_size, (unsigned long long)s->st_ino,
                                  (long long)changed.tv_sec, changed.tv_nsec);
}

static cafe_status add_sum(writing *w, const cafe_engine_file *named, const opened *file) {
    uint64_t sum = 0;
    int64_t bytes = 0;
    ssize_t got = 1;
    while (got != 0) {
        CAFE_PASS(cafe_check_cancel(w->context));
        got = read(file->fd, w->buffer, BUFFER);
        if (got < 0 && errno != EINTR)
            return cafe_fail_file(w->context, named->path, "cannot be read", errno);
        if (got > 0) sum = cafe_crc64(sum, w->buffer, got);
        if (got > 0) bytes += got;
    }
    w->used += (size_t)cafe_print(w->text + w->used, w->room - w->used,
                                  "%.64s of %lld bytes with the checksum %016llx\n", named->name,
                                  (long long)bytes, (unsigned long long)sum);
    return CAFE_OK;
}

/* ---- all of them ----------------------------------------------------------------------------- */

static cafe_status write_lines(writing *w, int64_t count, const cafe_engine_file *files) {
    cafe_status status = CAFE_OK;
    w->used = 0;
    for (int64_t i = 0; i < count && status == CAFE_OK; i++) {
        opened file = {.fd = -1};
        status = open_file(w->context, files[i].path, &file);
        if (status == CAFE_OK && w->buffer) status = add_sum(w, &files[i], &file);
        if (status == CAFE_OK && !w->buffer) add_numbers(w, &file);
        if (file.fd >= 0) close(file.fd);
    }
    return cafe_team_agree(w->context, status);
}

static cafe_status compare_files(cafe_context *context, int64_t count,
                                 const cafe_engine_file *files) {
    writing w = {.context = context, .room = (size_t)count * LINE + 1};
    cafe_status status = CAFE_OK;
    w.text = cafe_mem_zero(context, (int64_t)w.room, 1);
    CAFE_TRY(cafe_team_agree(context, cafe_mem_had(w.text)));
    CAFE_TRY(write_lines(&w, count, files));
    status = cafe_team_same(context, w.text);
    if (status != CAFE_ERROR_ARGUMENT) goto done;
    w.buffer = cafe_mem(context, BUFFER, 1);
    CAFE_TRY(cafe_team_agree(context, cafe_mem_had(w.buffer)));
    CAFE_TRY(write_lines(&w, count, files));
    status = cafe_team_same(context, w.text);
done:
    cafe_mem_free_all(context, w.text, w.buffer);
    return status;
}

cafe_status cafe_engine_same(cafe_context *context, const char *text, int64_t count,
                             const cafe_engine_file *files) {
    if (cafe_team_ranks(context) == 1) return CAFE_OK;
    CAFE_PASS(cafe_team_same(context, text));
    return count > 0 ? compare_files(context, count, files) : CAFE_OK;
}
