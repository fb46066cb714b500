/* A limit to the memory of the process: large blocks in files, mapped pages that are let go again.
 *
 * A block in a file is mapped, and read and written like any other. Its pages count as memory of
 * the process only while they are mapped: whenever the process comes near the limit, all pages of
 * files are let go at once. Nothing is lost by it; whoever touches them again finds them in the
 * system's cache of files or on the disk. That suits passes over rows in their order. What reads
 * rows at random works on a copy in memory (engine/panels.h).
 */
#ifndef CAFE_BASE_MEMORY_LIMIT_H
#define CAFE_BASE_MEMORY_LIMIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/context.h"

/* Bytes of a file in memory, in the context's list of them: a part of what owns the map. The list
 * is changed by the thread of the call alone, never within a task. */
typedef struct cafe_mapped {
    char *start;
    size_t bytes;
    struct cafe_mapped *before, *next;
    bool block; /* a block of ours, which cafe_mem_free() gives back */
    bool graph; /* the rows of a graph, which are wanted again soon: they are let go last */
} cafe_mapped;

void cafe_mapped_add(cafe_context *context, cafe_mapped *map);
void cafe_mapped_remove(cafe_context *context,
                        cafe_mapped *map); /* accepts one that was never added */

/* count x size bytes, freed by cafe_mem_free(): in a file without a name where the context has a
 * limit and they are many, else in memory. */
cafe_status cafe_mem_file(cafe_context *context, int64_t count, size_t size, void **block);

/* The same, in a file only where it takes more than an eighth of the limit. */
cafe_status cafe_mem_large(cafe_context *context, int64_t count, size_t size, void **block);
/* Says of a block, in a file or not, that it has the rows of a graph. */
void cafe_mapped_rows(const cafe_context *context, const void *block);

/* Does the address lie in a block that is a file; in a file of any kind? */
bool cafe_in_file(const cafe_context *context, const void *address);
bool cafe_is_mapped(const cafe_context *context, const void *address);

/* CAFE_ERROR_MEMORY where so many bytes more of memory are beyond the limit. */
cafe_status cafe_limit_check(cafe_context *context, size_t bytes);

/* Bytes that may still be taken below the limit, with an eighth of it left to the pages of files;
 * INT64_MAX without one. */
int64_t cafe_room(const cafe_context *context);

/* Floats of each of n nodes that a sweep may hold in memory within a limit, with so many bytes of
 * links there too. It follows from sizes alone, since the chunks of a sweep follow from it. */
int64_t cafe_limit_floats(int64_t limit, int64_t n, int64_t links);
/* The same within the context's limit; INT64_MAX without one. */
int64_t cafe_sweep_floats(const cafe_context *context, int64_t n, int64_t links);
/* Groups of columns, each a multiple of 16, that rows of `stride` floats are cut into where
 * `floats` of them fit: 1 where all do; 0 where not even 16 do. */
static inline int64_t cafe_column_groups(int64_t stride, int64_t floats) {
    int64_t width = floats / 16 * 16;
    if (floats >= stride) return 1;
    return width > 0 ? (stride + width - 1) / width : 0;
}
/* Chunks of a sweep over so many groups: few, since each of them reads all of H; and as many as
 * there are groups, so that the moves of a chunk fit where a group does. */
static inline int64_t cafe_grouped_chunks(int64_t groups) {
    return groups > 4 ? groups : 4;
}

/* Lets pages go where the process is near its limit; asked by the pool between tasks. */
void cafe_trim(cafe_context *context);

/* Lets all pages of blocks in files go, where there is a limit; those of graphs in files. */
void cafe_trim_blocks(cafe_context *context);
void cafe_trim_graphs(const cafe_context *context);

/* A new file in the folder that is gone with the process; -1 and errno. */
int cafe_open_nameless(const char *folder);

/* Gives a block's file back: cafe_mem_free() calls it. */
void cafe_mem_file_free(cafe_context *context, void *block);
void cafe_limit_free(cafe_context *context);

cafe_status cafe_disk_free(cafe_context *context, const char *folder, int64_t *bytes);

#endif
