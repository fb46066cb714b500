/* Blocks in files, and the release of their pages near the limit. */
#include "base/memory_limit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "os/os.h"

enum { PAGE = 4096 };               /* before a block in a file: its description */
static const int64_t look = 500000; /* nanoseconds between two checks of the size of the process */
static const size_t least_file = (size_t)1 << 20; /* smaller blocks stay in memory */
/* Code, stacks, and memory that other libraries allocate. */
static const int64_t process_bytes = INT64_C(16) << 20;

struct cafe_limit {
    int64_t bytes;
    char *folder;
    int resident;        /* the file of cafe_os_resident() */
    atomic_llong looked; /* time of the last check */
};

/* ---- the limit ------------------------------------------------------------------------------- */

void cafe_limit_free(cafe_context *context) {
    struct cafe_limit *limit = context->limit;
    if (!limit) return;
    context->limit = NULL;
    if (limit->resident >= 0) close(limit->resident);
    cafe_mem_free_all(context, limit->folder, limit);
}

cafe_status cafe_limit_memory(cafe_context *context, int64_t bytes, const char *folder) {
    if (bytes < 0)
        return cafe_fail(context, CAFE_ERROR_ARGUMENT, "%lld bytes are no limit of memory",
                         (long long)bytes);
    cafe_limit_free(context);
    if (bytes == 0) return CAFE_OK;
    struct cafe_limit *limit = cafe_mem_zero(context, 1, sizeof *limit);
    char *copy = cafe_mem_text(context, folder ? folder : ".");
    if (!limit || !copy) {
        cafe_mem_free_all(context, limit, copy);
        return CAFE_ERROR_MEMORY;
    }
    limit->bytes = bytes;
    limit->folder = copy;
    limit->resident = cafe_os_resident_open();
    context->limit = limit;
    return CAFE_OK;
}

cafe_status cafe_limit_check(cafe_context *context, size_t bytes) {
    const struct cafe_limit *limit = context->limit;
    if (!limit) return CAFE_OK;
    /* a smaller limit cannot be met by any process; the forecast then explains more than a refusal
     * here */
    double most = (double)(limit->bytes > process_bytes ? limit->bytes : process_bytes);
    if ((double)bytes + (double)cafe_bytes(context) <= most) return CAFE_OK;
    return cafe_fail(context, CAFE_ERROR_MEMORY,
                     "the memory limit is %.1f MB: %.1f MB are taken, and %.1f MB more are needed",
                     (double)limit->bytes / 0x1p20, (double)cafe_bytes(context) / 0x1p20,
                     (double)bytes / 0x1p20);
}

int64_t cafe_room(const cafe_context *context) {
    if (!context->limit) return INT64_MAX;
    int64_t all = context->limit->bytes;
    int64_t room = all - all / 8 - cafe_bytes(context) - process_bytes;
    return room > 0 ? room : 0;
}

int64_t cafe_limit_floats(int64_t limit, int64_t n, int64_t links) {
    enum { NODE = 64 }; /* bytes of small arrays: degrees, factors, places in chunks */
    int64_t bytes = limit - limit / 8 - process_bytes - links - NODE * n;
    return bytes > 0 && n > 0 ? bytes / (n * (int64_t)sizeof(float)) : 0;
}

int64_t cafe_sweep_floats(const cafe_context *context, int64_t n, int64_t links) {
    return context->limit ? cafe_limit_floats(context->limit->bytes, n, links) : INT64_MAX;
}

/* ---- maps ------------------------------------------------------------------------------------ */

void cafe_mapped_add(cafe_context *context, cafe_mapped *map) {
    map->before = NULL;
    map->next = context->maps;
    if (map->next) map->next->before = map;
    context->maps = map;
}

void cafe_mapped_remove(cafe_context *context, cafe_mapped *map) {
    if (map->next) map->next->before = map->before;
    if (map->before)
        map->before->next = map->next;
    else if (context->maps == map)
        context->maps = map->next;
    map->next = map->before = NULL;
}

static cafe_mapped *find(const cafe_context *context, const void *address) {
    cafe_mapped *m = context->maps;
    const char *at = address;
    while (m && !(at >= m->start && at < m->start + m->bytes)) m = m->next;
    return m;
}

bool cafe_in_file(const cafe_context *context, const void *address) {
    const cafe_mapped *m = find(context, address);
    return m && m->block;
}

void cafe_mapped_rows(const cafe_context *context, const void *block) {
    cafe_mapped *m = find(context, block);
    if (m) m->graph = true;
}

bool cafe_is_mapped(const cafe_context *context, const void *address) {
    return find(context, address) != NULL;
}

/* ---- pages ----------------------------------------------------------------------------------- */

static bool time_to_look(struct cafe_limit *limit) {
    long long now = cafe_os_nanoseconds();
    if (now - atomic_load_explicit(&limit->looked, memory_order_relaxed) < look) return false;
    atomic_store_explicit(&limit->looked, now, memory_order_relaxed);
    return true;
}

static void let_go(const cafe_context *context, bool graphs) {
    for (const cafe_mapped *m = context->maps; m; m = m->next)
        if (m->graph == graphs) cafe_os_release(m->start, m->bytes);
}

void cafe_trim_blocks(cafe_context *context) {
    if (context->limit) let_go(context, false);
}

void cafe_trim_graphs(const cafe_context *context) {
    let_go(context, true);
}

/* Releases pages before the limit is reached, because a task may read many rows between two checks.
 * Pages of the graph will be needed again soon: they are released only if the other pages are not
 * enough. */
void cafe_trim(cafe_context *context) {
    struct cafe_limit *limit = context->limit;
    if (!limit || !time_to_look(limit)) return;
    int64_t most = limit->bytes - limit->bytes / 16 - process_bytes / 2;
    if (cafe_os_resident(limit->resident) <= most) return;
    let_go(context, false);
    if (cafe_os_resident(limit->resident) > most) let_go(context, true);
}

/* ---- blocks ---------------------------------------------------------------------------------- */

/* All of it, now: a disk that is full later would end the process by a signal. */
static int reserve(cafe_context *context, int fd, size_t bytes) {
    int problem;
    do {
        problem = cafe_os_reserve(fd, (int64_t)bytes);
    } while (problem == EINTR && cafe_check_cancel(context) == CAFE_OK);
    return problem;
}

static cafe_status map_file(cafe_context *context, size_t bytes, char **start) {
    int fd = cafe_os_nameless(context->limit->folder), problem = fd < 0 ? errno : 0;
    void *map = NULL;
    if (!problem) problem = reserve(context, fd, bytes);
    if (!problem) {
        map = cafe_os_map(fd, bytes, CAFE_OS_WRITE_SHARED);
        problem = map ? 0 : errno;
    }
    if (fd >= 0) close(fd);
    *start = map;
    if (!problem) return CAFE_OK;
    if (problem == EINTR) return CAFE_ERROR_CANCELLED;
    cafe_fail(context, CAFE_ERROR_IO, "%s: no room for a file of %.1f MB: %s",
              context->limit->folder, (double)bytes / 1e6, strerror(problem));
    context->problem = problem;
    return CAFE_ERROR_IO;
}

cafe_status cafe_mem_file(cafe_context *context, int64_t count, size_t size, void **block) {
    size_t bytes;
    char *start;
    *block = NULL;
    if (!context->limit || count < 0 || __builtin_mul_overflow((size_t)count, size, &bytes) ||
        bytes < least_file || bytes > PTRDIFF_MAX - PAGE) {
        *block = cafe_mem(context, count, size);
        return cafe_mem_had(*block);
    }
    CAFE_PASS(map_file(context, bytes + PAGE, &start));
    cafe_mapped *map = (cafe_mapped *)(void *)start;
    *map = (cafe_mapped){.start = start + PAGE, .bytes = bytes, .block = true};
    cafe_mapped_add(context, map);
    cafe_mem_mark(map->start, bytes);
    context->file_bytes += (long long)bytes;
    if (context->file_bytes > context->file_peak) context->file_peak = context->file_bytes;
    *block = map->start;
    return CAFE_OK;
}

cafe_status cafe_mem_large(cafe_context *context, int64_t count, size_t size, void **block) {
    const struct cafe_limit *limit = context->limit;
    if (limit && count > limit->bytes / 8 / (int64_t)size)
        return cafe_mem_file(context, count, size, block);
    *block = cafe_mem(context, count, size);
    return cafe_mem_had(*block);
}

void cafe_mem_file_free(cafe_context *context, void *block) {
    cafe_mapped *map = (cafe_mapped *)(void *)((char *)block - PAGE);
    cafe_mapped_remove(context, map);
    context->file_bytes -= (long long)map->bytes;
    cafe_os_unmap(map, map->bytes + PAGE);
}
