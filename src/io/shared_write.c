/* A .cafe file written by several processes: the first one makes it, writes the header and gives it
 * its name; all write sections, each its part of the bytes.
 */
#include <errno.h>
#include <string.h>

#include <cafe-private/output.h>

#include "base/memory.h"
#include "io/shared.h"
#include "os/os.h"

static const uint64_t most = (uint64_t)16 << 20; /* bytes at a time */

/* Bytes from .. to - 1 of the file that are in the section. */
static cafe_status put_section(const cafe_output *output, int file,
                               const cafe_binary_section *section, const uint8_t *bytes,
                               uint64_t from, uint64_t to) {
    uint64_t end = section->start + section->bytes;
    if (from < section->start) from = section->start;
    if (to > end) to = end;
    while (from < to) {
        CAFE_PASS(cafe_check_cancel(output->context));
        size_t size = (size_t)(to - from < most ? to - from : most);
        ssize_t sent = pwrite(file, bytes + (from - section->start), size, (off_t)from);
        if (sent < 0 && errno == EINTR) continue;
        if (sent <= 0)
            return cafe_fail_file(output->context, output->path, "cannot be written", errno);
        from += (uint64_t)sent;
    }
    return CAFE_OK;
}

/* This process's part, into the file of this name. */
static cafe_status put_part(const cafe_output *output, const char *path,
                            const cafe_binary_section *sections, const uint8_t *const *parts,
                            uint64_t file_bytes) {
    uint64_t rank = (uint64_t)cafe_team_rank(output->context);
    uint64_t ranks = (uint64_t)cafe_team_ranks(output->context);
    uint64_t from = file_bytes / ranks * rank, to = file_bytes / ranks * (rank + 1);
    cafe_status status = CAFE_OK;
    int file = open(path, O_WRONLY | O_CLOEXEC);
    if (file < 0)
        return cafe_fail_file(output->context, path,
                              "cannot be opened (do all processes see this folder?)", errno);
    for (int i = 0; i < CAFE_BINARY_SECTIONS && status == CAFE_OK; i++)
        status = put_section(output, file, &sections[i], parts[i], from,
                             rank + 1 == ranks ? file_bytes : to);
    if (status == CAFE_OK && fsync(file) != 0)
        status = cafe_fail_file(output->context, output->path, "cannot be written", errno);
    close(file);
    return status;
}

/* The first process has the header in its file, which gets the length that it will have: zeros
 * stand between the sections. */
static cafe_status lengthen(cafe_output *output, uint64_t file_bytes) {
    if (cafe_team_rank(output->context) > 0) return CAFE_OK;
    if (!output->temporary || output->gzip)
        return cafe_fail(output->context, CAFE_ERROR_ARGUMENT,
                         "%s: is no plain file, and several processes write one", output->path);
    if (ftruncate(output->fd, (off_t)file_bytes) == 0) return CAFE_OK;
    return cafe_fail_file(output->context, output->path, "cannot be written", errno);
}

cafe_status cafe_write_shared(cafe_output *output, const cafe_binary_section *sections,
                              const uint8_t *const *parts, uint64_t file_bytes) {
    cafe_context *context = output->context;
    bool first = cafe_team_rank(context) == 0;
    void *path = NULL;
    cafe_status status;
    CAFE_TRY(cafe_team_agree(context, lengthen(output, file_bytes)));
    CAFE_TRY(cafe_team_gather(context, output->temporary,
                              first ? (int64_t)strlen(output->temporary) + 1 : 0, &path, NULL));
    status = put_part(output, path, sections, parts, file_bytes);
    status = cafe_team_agree(context, status);
done:
    cafe_mem_free(context, path);
    return status;
}
