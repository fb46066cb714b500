/* Memory of a context: counted, 64-byte aligned, huge pages for large blocks. */
#ifndef CAFE_BASE_MEMORY_H
#define CAFE_BASE_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#include "base/context.h"

/* count * size bytes (NULL when there are none or the product overflows), uninitialised or zeroed.
 * A request of 0 bytes returns a valid block. The error text is set on failure. */
CAFE_LAB void *cafe_mem(cafe_context *context, int64_t count, size_t size);
CAFE_LAB void *cafe_mem_zero(cafe_context *context, int64_t count, size_t size);

/* Touches the pages of a large block before it is filled, each page by one thread. Without the
 * call, tasks smaller than a huge page make several threads create the same page: they wait for
 * each other, and all but one do so in vain. Not allowed within a task. */
void cafe_mem_touch(cafe_context *context, void *block);

/* A larger (or smaller) block with the old contents; block may be NULL. On failure NULL, and the
 * old block stays valid. */
void *cafe_mem_resize(cafe_context *context, void *block, int64_t count, size_t size);

/* Room for `needed` elements in an array that doubles: `array` is the address of its pointer. */
CAFE_LAB cafe_status cafe_mem_grow(cafe_context *context, void *array, int64_t *room,
                                   int64_t needed, size_t size);

CAFE_LAB void cafe_mem_free(cafe_context *context, const void *freed); /* accepts NULL */

/* For several blocks, each of which may be NULL: frees all; or returns whether all allocations
 * succeeded. */
#define cafe_mem_free_all(context, ...) \
    cafe_mem_free_list(context, CAFE_BLOCKS(__VA_ARGS__), (const void *[]){__VA_ARGS__})
#define cafe_mem_had(...) cafe_mem_had_list(CAFE_BLOCKS(__VA_ARGS__), (const void *[]){__VA_ARGS__})
#define CAFE_BLOCKS(...)  (sizeof((const void *[]){__VA_ARGS__}) / sizeof(void *))
CAFE_LAB void cafe_mem_free_list(cafe_context *context, size_t count, const void *const *blocks);
CAFE_LAB cafe_status cafe_mem_had_list(size_t count,
                                       const void *const *blocks); /* or CAFE_ERROR_MEMORY */

/* Marks a block in a file, with room before it, as such (base/memory_limit.h). */
void cafe_mem_mark(void *block, size_t bytes);

char *cafe_mem_text(cafe_context *context, const char *text); /* a copy */

#endif
