/* Memory of a context: counted, 64-byte aligned, huge pages for large blocks. */
#ifndef CAFE_BASE_MEMORY_H
#define CAFE_BASE_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#include "base/context.h"

/* count * size bytes (NULL when there are none or the product overflows), uninitialised or zeroed.
 * A request of 0 bytes returns a valid block. The error text is set on failure. */
void *cafe_mem(cafe_context *context, int64_t count, size_t size);
void *cafe_mem_zero(cafe_context *context, int64_t count, size_t size);

/* Makes the pages of a large block that is about to be filled, each by one of the threads. When
 * tasks of less than a huge page are the first to write there, several threads make the same page:
 * all but one of them in vain, and one after the other. Not to be called from within a task. */
void cafe_mem_touch(cafe_context *context, void *block);

/* A larger (or smaller) block with the old contents; block may be NULL. On failure NULL, and the
 * old block stays valid. */
void *cafe_mem_resize(cafe_context *context, void *block, int64_t count, size_t size);

/* Room for `needed` elements in an array that doubles: `array` is the address of its pointer. */
cafe_status cafe_mem_grow(cafe_context *context, void *array, int64_t *room, int64_t needed,
                          size_t size);

void cafe_mem_free(cafe_context *context, void *block); /* accepts NULL */

/* Several blocks, any of them NULL: all are freed, or it is asked whether all could be had. */
#define cafe_mem_free_all(context, ...) \
    cafe_mem_free_list(context, CAFE_BLOCKS(__VA_ARGS__), (void *[]){__VA_ARGS__})
#define cafe_mem_had(...) cafe_mem_had_list(CAFE_BLOCKS(__VA_ARGS__), (const void *[]){__VA_ARGS__})
#define CAFE_BLOCKS(...)  (sizeof((const void *[]){__VA_ARGS__}) / sizeof(void *))
void cafe_mem_free_list(cafe_context *context, size_t count, void *const *blocks);
cafe_status cafe_mem_had_list(size_t count, const void *const *blocks); /* or CAFE_ERROR_MEMORY */

/* Says of a block in a file, with room before it, that it is one (base/memory_limit.h). */
void cafe_mem_mark(void *block, size_t bytes);

char *cafe_mem_text(cafe_context *context, const char *text); /* a copy */

#endif
