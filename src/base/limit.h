/* A limit to the memory of the process: large blocks in files, mapped pages that are let go again.
 *
 * A block in a file is mapped, and read and written like any other. Its pages count as memory of
 * the process only while they are mapped: whenever the process comes near the limit, all pages of
 * files are let go at once. Nothing is lost by it; whoever touches them again finds them in the
 * system's cache of files or on the disk. That suits passes over rows in their order. What reads
 * rows at random works on a copy in memory (engine/panels.h).
 */
#ifndef CAFE_BASE_LIMIT_H
#define CAFE_BASE_LIMIT_H

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
    bool block; /* a block of ours, not a graph that is only read */
} cafe_mapped;

void cafe_mapped_add(cafe_context *context, cafe_mapped *map);
void cafe_mapped_remove(cafe_context *context,
                        cafe_mapped *map); /* accepts one that was never added */

/* count x size bytes, freed by cafe_mem_free(): in a file without a name where the context has a
 * limit and they are many, else in memory. */
cafe_status cafe_mem_file(cafe_context *context, int64_t count, size_t size, void **block);

/* Does the address lie in a block that is a file? */
bool cafe_in_file(const cafe_context *context, const void *address);

/* Bytes that may still be taken below the limit, with an eighth of it left to the pages of files;
 * INT64_MAX without one. */
int64_t cafe_room(const cafe_context *context);

/* Lets pages go where the process is near its limit; asked by the pool between tasks. */
void cafe_trim(cafe_context *context);

/* Lets all pages of blocks in files go. */
void cafe_trim_blocks(cafe_context *context);

/* Gives a block's file back: cafe_mem_free() calls it. */
void cafe_mem_file_free(cafe_context *context, void *block);
void cafe_limit_free(cafe_context *context);

#endif
