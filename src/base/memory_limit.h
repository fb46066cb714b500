/* A limit to the memory of the process: large blocks live in files, and mapped pages are released.
 *
 * A block in a file is mapped, and read and written like memory. Its pages count as memory of the
 * process only while they are mapped. Near the limit all pages of files are released at once. No
 * data are lost: the next access finds them in the page cache of the system or on the disk. This
 * suits passes over rows in their order. Code that reads rows at random works on a copy in memory
 * (engine/panels.h).
 */
#ifndef CAFE_BASE_MEMORY_LIMIT_H
#define CAFE_BASE_MEMORY_LIMIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/context.h"

/* Bytes of a file in memory, an entry of the context's list: a part of the object that owns the
 * map. Only the thread of the call changes the list, never a task. */
typedef struct cafe_mapped {
    char *start;
    size_t bytes;
    struct cafe_mapped *before, *next;
    bool block; /* a block of ours, which cafe_mem_free() gives back */
    bool graph; /* the rows of a graph, which are needed again soon: released last */
} cafe_mapped;

void cafe_mapped_add(cafe_context *context, cafe_mapped *map);
void cafe_mapped_remove(cafe_context *context,
                        cafe_mapped *map); /* accepts one that was never added */

/* Returns count x size bytes, freed by cafe_mem_free(): in a file without a name if the context has
 * a limit and the block is large, otherwise in memory. */
cafe_status cafe_mem_file(cafe_context *context, int64_t count, size_t size, void **block);

/* The same, in a file only where it takes more than an eighth of the limit. */
cafe_status cafe_mem_large(cafe_context *context, int64_t count, size_t size, void **block);
/* Marks a block, in a file or not, as rows of a graph. */
void cafe_mapped_rows(const cafe_context *context, const void *block);

/* Does the address lie in a block that is a file; in a file of any kind? */
bool cafe_in_file(const cafe_context *context, const void *address);
bool cafe_is_mapped(const cafe_context *context, const void *address);

/* Returns CAFE_ERROR_MEMORY if `bytes` more memory would exceed the limit. */
cafe_status cafe_limit_check(cafe_context *context, size_t bytes);

/* Bytes that may still be taken below the limit, with an eighth of it left to the pages of files;
 * INT64_MAX without one. */
int64_t cafe_room(const cafe_context *context);

/* Returns the number of floats per node that a sweep over n nodes may hold in memory within a
 * limit, together with the given bytes of edges. The result depends on sizes alone, because the
 * chunks of a sweep follow from it. */
int64_t cafe_limit_floats(int64_t limit, int64_t n, int64_t links);
/* The same within the context's limit; INT64_MAX without one. */
int64_t cafe_sweep_floats(const cafe_context *context, int64_t n, int64_t links);
/* Groups of columns, each a multiple of 16, that rows of `stride` floats are cut into if `floats`
 * of them fit. The number is 1 if all fit, and 0 if not even 16 fit. */
static inline int64_t cafe_column_groups(int64_t stride, int64_t floats) {
    int64_t width = floats / 16 * 16;
    if (floats >= stride) return 1;
    return width > 0 ? (stride + width - 1) / width : 0;
}
/* Returns the number of chunks of a sweep over `groups` groups of columns. Few chunks, because each
 * of them reads all of H; but at least one per group, so that the moves of a chunk fit into the
 * memory of a group. */
static inline int64_t cafe_grouped_chunks(int64_t groups) {
    return groups > 4 ? groups : 4;
}

/* Releases pages if the process is near its limit; the pool calls it between tasks. */
void cafe_trim(cafe_context *context);

/* Releases all pages of blocks in files if there is a limit; the second function, of graphs in
 * files. */
void cafe_trim_blocks(cafe_context *context);
void cafe_trim_graphs(const cafe_context *context);

/* Gives a block's file back: cafe_mem_free() calls it. */
void cafe_mem_file_free(cafe_context *context, void *block);
void cafe_limit_free(cafe_context *context);

/* Bytes free in the folder for whoever runs this. */
cafe_status cafe_disk_free(cafe_context *context, const char *folder, int64_t *bytes);
/* Bytes a second to and from its disk, measured with a file of 64 MB that the system's cache does
 * not hold. */
typedef struct cafe_disk {
    double writes, reads;
} cafe_disk;
cafe_status cafe_disk_measure(cafe_context *context, const char *folder, cafe_disk *disk);

#endif
