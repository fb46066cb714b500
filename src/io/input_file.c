/* Opens files to read.
 *
 * Regular files are read at offsets: text while it is parsed (text_window.c), arrays as a whole.
 * Files are not mapped, because a mapped file that another program truncates ends this process. The
 * exception: several processes map one .cafe file to have it in memory once. Pipes and standard
 * input are read into memory. Size and time of the file are compared at the end, so that a file
 * that changed meanwhile is refused.
 */
#include "io/input_file.h"

#include <errno.h>
#include <string.h>

#include "base/file_owner.h"
#include "base/memory.h"
#include "base/memory_limit.h"
#include "base/thread_pool.h"
#include "io/gzip.h"
#include "io/text_position.h"
#include "io/unfinished_mark.h"
#include "io/zstd_xz.h"
#include "os/os.h"

static const int64_t first_block = (int64_t)1 << 16, piece = (int64_t)1 << 23;

static cafe_status fail_errno(const cafe_input *input, const char *what) {
    return cafe_fail_file(input->context, input->name, what, errno);
}

/* Doubles the memory, or takes what the memory limit leaves beside the old block. */
static cafe_status reserve(cafe_input *input, int64_t *capacity) {
    int64_t twice = *capacity ? 2 * *capacity : first_block, left = cafe_room(input->context);
    int64_t larger = twice < left ? twice : left;
    if (larger < *capacity + first_block)
        return cafe_fail(input->context, CAFE_ERROR_MEMORY,
                         "%s: what is read before it is a graph takes more than the memory limit "
                         "leaves: %lld MB, and there is more; files on a disk are read in pieces",
                         input->name, (long long)(*capacity >> 20));
    uint8_t *block = cafe_mem_resize(input->context, input->owned, larger, 1);
    if (!block) return CAFE_ERROR_MEMORY;
    input->owned = block;
    input->bytes = block;
    *capacity = larger;
    return CAFE_OK;
}

static cafe_status read_all(cafe_input *input, int fd) {
    int64_t capacity = 0;
    for (;;) {
        CAFE_PASS(cafe_check_cancel(input->context));
        if (input->size == capacity) CAFE_PASS(reserve(input, &capacity));
        ssize_t got = read(fd, input->owned + input->size, (size_t)(capacity - input->size));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return fail_errno(input, "cannot be read");
        if (got == 0) break;
        input->size += got;
    }
    return CAFE_OK;
}

/* A regular file stays open; standard input may have been read in part already: then the rest is
 * read at once. */
static cafe_status begin(cafe_input *input, int fd) {
    struct stat about;
    if (fstat(fd, &about) != 0) return fail_errno(input, "cannot be examined");
    if (S_ISDIR(about.st_mode))
        return cafe_fail_file(input->context, input->name, "cannot be read", EISDIR);
    if (!S_ISREG(about.st_mode) || about.st_size == 0 || lseek(fd, 0, SEEK_CUR) != 0)
        return read_all(input, fd);
    input->file = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    if (input->file < 0) return fail_errno(input, "cannot be opened");
    input->open = true;
    input->size = about.st_size;
    return cafe_stamp_take(input->file, &input->stamp) ? CAFE_OK
                                                       : fail_errno(input, "cannot be examined");
}

bool cafe_input_lasts(const char *path) {
    struct stat about;
    int failed = strcmp(path, "-") == 0 ? fstat(STDIN_FILENO, &about) : stat(path, &about);
    return failed || S_ISREG(about.st_mode) || S_ISDIR(about.st_mode);
}

cafe_status cafe_input_open(cafe_context *context, const char *path, cafe_input *input) {
    bool standard = strcmp(path, "-") == 0;
    *input = (cafe_input){.context = context, .name = standard ? "<stdin>" : path};
    if (!standard) CAFE_PASS(cafe_unfinished_check(context, path));
    int fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return fail_errno(input, "cannot be opened");
    cafe_status status = begin(input, fd);
    if (!standard) close(fd);
    if (status != CAFE_OK) cafe_input_close(input);
    return status;
}

int64_t cafe_input_read(const cafe_input *input, int64_t at, uint8_t *out, int64_t count) {
    int64_t done = 0;
    if (input->bytes || !input->open) {
        if (count > input->size - at) count = input->size - at;
        if (count > 0) memcpy(out, input->bytes + at, (size_t)count);
        return count;
    }
    while (done < count) {
        ssize_t got =
            pread(input->file, out + done, (size_t)(count - done), input->start + at + done);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        done += got;
    }
    return done;
}

cafe_input cafe_input_part(const cafe_input *input, int64_t from, int64_t to) {
    cafe_input part = *input;
    part.start = input->start + from;
    part.size = to - from;
    if (part.bytes) part.bytes += from;
    return part;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static void load_piece(void *argument, int64_t first, int64_t last) {
    const cafe_input *input = argument;
    int64_t got = cafe_input_read(input, first, input->owned + first, last - first);
    /* bytes that a shortened file lost; the check at the end fails then */
    memset(input->owned + first + got, 0, (size_t)(last - first - got));
}

cafe_status cafe_input_load(cafe_input *input) {
    if (input->bytes || input->size == 0) return CAFE_OK;
    void *block = NULL;
    CAFE_PASS(cafe_mem_large(input->context, input->size, 1, &block));
    input->owned = block;
    CAFE_PASS(cafe_ranges(input->context, input->size, piece, load_piece, input));
    input->bytes = input->owned;
    return cafe_input_unchanged(input);
}

cafe_status cafe_input_map(cafe_input *input) {
    if (input->bytes || !input->open) return CAFE_OK;
    void *map = cafe_os_map(input->file, (size_t)input->size, CAFE_OS_READ);
    if (!map) return cafe_input_load(input);
    input->map = (cafe_mapped){.start = map, .bytes = (size_t)input->size, .graph = true};
    cafe_mapped_add(input->context, &input->map);
    input->bytes = map;
    return cafe_input_unchanged(input);
}

bool cafe_input_is_exposed(const cafe_input *input) {
    struct stat about;
    return input->open &&
           (fstat(input->file, &about) != 0 || cafe_others_may_write(&about, 0, false));
}

cafe_status cafe_input_unchanged(const cafe_input *input) {
    if (!input->open) return CAFE_OK;
    return cafe_stamp_check(input->context, input->name, input->file, &input->stamp);
}

/* ---- gzip ------------------------------------------------------------------------------------ */

static int64_t read_compressed(const void *source, int64_t at, uint8_t *out, int64_t count) {
    return cafe_input_read(source, at, out, count);
}

cafe_gunzip *cafe_input_gunzip(const cafe_input *input) {
    if (input->bytes) return cafe_gunzip_create(input->context, input->bytes, input->size);
    return cafe_gunzip_create_from(input->context, read_compressed, input, input->size);
}

bool cafe_input_is_gzip(const cafe_input *input) {
    uint8_t start[CAFE_PACKING_BYTES];
    if (input->start > 0) return false; /* a part of a file may begin with any bytes */
    int64_t size = cafe_input_read(input, 0, start, sizeof start);
    return cafe_packing_of(start, size) != CAFE_PACKED_NOT;
}

cafe_status cafe_input_check_packing(const cafe_input *input) {
    uint8_t start[CAFE_PACKING_BYTES];
    if (input->start > 0) return CAFE_OK;
    int64_t size = cafe_input_read(input, 0, start, sizeof start);
    const char *other = cafe_packing_other(start, size);
    if (!other) return CAFE_OK;
    return cafe_fail(input->context, CAFE_ERROR_FORMAT,
                     "%s:1:1: expected text, plain or packed by gzip, zstd or xz, found %s data: "
                     "unpack it first",
                     input->name, other);
}

cafe_status cafe_input_peek(const cafe_input *input, uint8_t *bytes, int64_t *size) {
    int64_t room = *size;
    *size = cafe_input_read(input, 0, bytes, room);
    if (!cafe_input_is_gzip(input)) return CAFE_OK;
    cafe_gunzip *gunzip = cafe_input_gunzip(input);
    if (!gunzip) return CAFE_ERROR_MEMORY;
    *size = cafe_gunzip_fill(gunzip, bytes, room);
    cafe_gunzip_free(input->context, gunzip);
    return CAFE_OK;
}

/* Decompresses all of it into a growing block. */
static cafe_status gunzip_all(cafe_input *plain, cafe_gunzip *gunzip) {
    int64_t capacity = 0;
    while (!cafe_gunzip_ended(gunzip)) {
        CAFE_PASS(cafe_check_cancel(plain->context));
        if (plain->size == capacity) CAFE_PASS(reserve(plain, &capacity));
        plain->size += cafe_gunzip_fill(gunzip, plain->owned + plain->size, capacity - plain->size);
    }
    cafe_gunzip_problem problem = cafe_gunzip_state(gunzip);
    if (problem != CAFE_GUNZIP_FINE) {
        int64_t line = 1 + cafe_count_lines(plain->bytes, plain->bytes + plain->size), column = 1;
        while (column <= plain->size && plain->bytes[plain->size - column] != '\n') column++;
        return cafe_fail(plain->context, CAFE_ERROR_FORMAT, "%s:%lld:%lld: %s", plain->name,
                         (long long)line, (long long)column,
                         cafe_gunzip_text(gunzip, (char[CAFE_GUNZIP_TEXT]){0}));
    }
    return CAFE_OK;
}

cafe_status cafe_input_expand(cafe_input *input) {
    cafe_context *context = input->context;
    cafe_input plain = {.context = context, .name = input->name};
    cafe_status status = CAFE_ERROR_MEMORY;
    cafe_gunzip *gunzip = cafe_input_gunzip(input);
    if (gunzip) status = gunzip_all(&plain, gunzip);
    cafe_gunzip_free(context, gunzip);
    if (status == CAFE_OK) status = cafe_input_unchanged(input);
    if (status != CAFE_OK) {
        cafe_input_close(&plain);
        return status;
    }
    cafe_input_close(input);
    *input = plain;
    return CAFE_OK;
}

void cafe_input_close(cafe_input *input) {
    if (input->map.start) {
        cafe_mapped_remove(input->context, &input->map);
        cafe_os_unmap(input->map.start, input->map.bytes);
    }
    if (input->open) close(input->file);
    cafe_mem_free(input->context, input->owned);
    input->map.start = NULL;
    input->open = false;
    input->owned = NULL;
    input->bytes = NULL;
    input->size = 0;
}
