/* Opening what is to be read.
 *
 * A regular file is mapped: text is then parsed where the page cache holds it, by all threads. What
 * cannot be mapped (a pipe, standard input) is read into memory. Formats that need all of a gzip
 * file at once have it expanded here; edge lists are decompressed as they are parsed (text.c).
 */
#define _GNU_SOURCE
#include "io/input.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "io/gzip.h"
#include "io/journal.h"
#include "io/place.h"

static const int64_t first_block = (int64_t)1 << 16;

static cafe_status fail_errno(cafe_input *input, const char *what) {
    return cafe_fail(input->context, CAFE_ERROR_IO, "%s: %s: %s", input->name, what,
                     strerror(errno));
}

static cafe_status reserve(cafe_input *input, int64_t *capacity) {
    int64_t larger = *capacity ? *capacity * 2 : first_block;
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

static cafe_status map_or_read(cafe_input *input, int fd) {
    struct stat about;
    if (fstat(fd, &about) != 0) return fail_errno(input, "cannot be examined");
    if (S_ISDIR(about.st_mode))
        return cafe_fail(input->context, CAFE_ERROR_IO, "%s: is a folder, not a file", input->name);
    /* standard input may have been read in part already: then the rest is read, not mapped */
    if (S_ISREG(about.st_mode) && about.st_size > 0 && lseek(fd, 0, SEEK_CUR) == 0) {
        void *map = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (map != MAP_FAILED) {
            input->map = map;
            input->map_bytes = (size_t)about.st_size;
            input->bytes = map;
            input->size = about.st_size;
            return CAFE_OK;
        }
    }
    return read_all(input, fd);
}

cafe_status cafe_input_open(cafe_context *context, const char *path, cafe_input *input) {
    bool standard = strcmp(path, "-") == 0;
    *input = (cafe_input){.context = context, .name = standard ? "<stdin>" : path};
    if (!standard) CAFE_PASS(cafe_journal_settle(context, path));
    int fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return fail_errno(input, "cannot be opened");
    cafe_status status = map_or_read(input, fd);
    if (!standard) close(fd);
    if (status != CAFE_OK) cafe_input_close(input);
    return status;
}

cafe_status cafe_input_peek(const cafe_input *input, uint8_t *bytes, int64_t *size) {
    int64_t room = *size;
    *size = input->size < room ? input->size : room;
    if (*size > 0) memcpy(bytes, input->bytes, (size_t)*size);
    if (!cafe_is_gzip(input->bytes, input->size)) return CAFE_OK;
    cafe_gunzip *gunzip = cafe_gunzip_create(input->context, input->bytes, input->size);
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
                         (long long)line, (long long)column, cafe_gunzip_text(problem));
    }
    return CAFE_OK;
}

cafe_status cafe_input_expand(cafe_input *input) {
    cafe_context *context = input->context;
    cafe_input plain = {.context = context, .name = input->name};
    cafe_status status = CAFE_ERROR_MEMORY;
    cafe_gunzip *gunzip = cafe_gunzip_create(context, input->bytes, input->size);
    if (gunzip) status = gunzip_all(&plain, gunzip);
    cafe_gunzip_free(context, gunzip);
    if (status != CAFE_OK) {
        cafe_input_close(&plain);
        return status;
    }
    cafe_input_close(input);
    *input = plain;
    return CAFE_OK;
}

void cafe_input_close(cafe_input *input) {
    if (input->map) munmap(input->map, input->map_bytes);
    cafe_mem_free(input->context, input->owned);
    input->map = NULL;
    input->owned = NULL;
    input->bytes = NULL;
    input->size = 0;
}
