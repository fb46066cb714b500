/* Counted memory of a context.
 *
 * Every block is preceded by a header with its raw address and size, so that the bytes in use and
 * their peak are known. Blocks of 2 MiB and more start at a 2 MiB boundary and ask for huge pages
 * before they are first touched. Random rows of H then cost one TLB entry per 2 MiB.
 */
#include "base/memory.h"

#include <string.h>

#include "base/memory_limit.h"
#include "base/thread_pool.h"
#include "os/os.h"

enum { ALIGNMENT = 64 };
static const size_t huge_page = (size_t)2 << 20;
static const size_t huge_block = (size_t)2 << 20;

typedef struct header {
    void *raw; /* NULL: a block in a file (base/memory_limit.h) */
    size_t bytes;
} header;

static header *header_of(void *block) {
    return (header *)((char *)block - ALIGNMENT);
}

/* The address sanitizer must not see the padding behind an aligned block as usable: it would miss
 * overruns. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define CAFE_ASAN 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(CAFE_ASAN)
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(address, size)   ((void)(address), (void)(size))
#define ASAN_UNPOISON_MEMORY_REGION(address, size) ((void)(address), (void)(size))
#endif

static size_t align_of(size_t bytes) {
    return bytes >= huge_block ? huge_page : ALIGNMENT;
}

/* Returns the bytes between the end of a block and the end of its allocation. */
static size_t room_behind(void *block) {
    const header *h = header_of(block);
    char *end = (char *)h->raw + h->bytes + ALIGNMENT + align_of(h->bytes);
    return (size_t)(end - ((char *)block + h->bytes));
}

static void count_bytes(cafe_context *context, size_t bytes) {
    long long now = atomic_fetch_add(&context->bytes, (long long)bytes) + (long long)bytes;
    long long peak = atomic_load(&context->peak);
    while (now > peak && !atomic_compare_exchange_weak(&context->peak, &peak, now)) {
    }
}

void *cafe_mem(cafe_context *context, int64_t count, size_t size) {
    size_t bytes;
    if (count < 0 || __builtin_mul_overflow((size_t)count, size, &bytes) ||
        bytes > PTRDIFF_MAX - 2 * huge_page) {
        cafe_fail_memory(context, "a block larger than the address space");
        return NULL;
    }
    if (cafe_limit_check(context, bytes) != CAFE_OK) return NULL;
    size_t align = align_of(bytes);
    char *raw = context->allocator.allocate(context->allocator.user, bytes + ALIGNMENT + align);
    if (!raw) {
        cafe_fail(context, CAFE_ERROR_MEMORY, "out of memory: %zu bytes could not be had", bytes);
        return NULL;
    }
    uintptr_t start = ((uintptr_t)raw + ALIGNMENT + align - 1) & ~(uintptr_t)(align - 1);
    char *block = raw + (start - (uintptr_t)raw);
    if (align == huge_page) cafe_os_huge_pages(block, bytes & ~(huge_page - 1));
    *header_of(block) = (header){raw, bytes};
    ASAN_POISON_MEMORY_REGION(block + bytes, room_behind(block));
    count_bytes(context, bytes);
    return block;
}

/* A byte of each small page, where the system has no huge ones to give. */
static void touch_page(void *argument, int64_t page) {
    enum { SMALL = 4096 };
    char *block = argument;
    size_t at = (size_t)page * huge_page, end = at + huge_page, bytes = header_of(block)->bytes;
    for (; at < end && at < bytes; at += SMALL) ((volatile char *)block)[at] = 0;
}

void cafe_mem_touch(cafe_context *context, void *block) {
    static const size_t large = (size_t)32 << 20;
    const header *h = header_of(block);
    if (!h->raw || h->bytes < large || context->threads == 1) return;
    cafe_each(context, (int64_t)((h->bytes + huge_page - 1) / huge_page), touch_page, block);
}

void cafe_mem_mark(void *block, size_t bytes) {
    *header_of(block) = (header){NULL, bytes};
}

void *cafe_mem_zero(cafe_context *context, int64_t count, size_t size) {
    void *block = cafe_mem(context, count, size);
    if (block) memset(block, 0, header_of(block)->bytes);
    return block;
}

void *cafe_mem_resize(cafe_context *context, void *block, int64_t count, size_t size) {
    void *larger = cafe_mem(context, count, size);
    if (larger && block) {
        size_t old = header_of(block)->bytes, now = header_of(larger)->bytes;
        memcpy(larger, block, old < now ? old : now);
        cafe_mem_free(context, block);
    }
    return larger;
}

cafe_status cafe_mem_grow(cafe_context *context, void *array, int64_t *room, int64_t needed,
                          size_t size) {
    void **block = array;
    if (needed <= *room) return CAFE_OK;
    int64_t larger = 2 * *room > needed ? 2 * *room : needed + 64;
    void *moved = cafe_mem_resize(context, *block, larger, size);
    if (!moved) return CAFE_ERROR_MEMORY;
    *block = moved;
    *room = larger;
    return CAFE_OK;
}

void cafe_mem_free(cafe_context *context, const void *freed) {
    void *block = (void *)(uintptr_t)freed; /* the owner may have promised not to write to it */
    if (!block) return;
    header *h = header_of(block);
    if (!h->raw) {
        cafe_mem_file_free(context, block);
        return;
    }
    atomic_fetch_sub(&context->bytes, (long long)h->bytes);
    ASAN_UNPOISON_MEMORY_REGION((char *)block + h->bytes, room_behind(block));
    context->allocator.release(context->allocator.user, h->raw);
}

void cafe_mem_free_list(cafe_context *context, size_t count, const void *const *blocks) {
    for (size_t i = 0; i < count; i++) cafe_mem_free(context, blocks[i]);
}

cafe_status cafe_mem_had_list(size_t count, const void *const *blocks) {
    for (size_t i = 0; i < count; i++)
        if (!blocks[i]) return CAFE_ERROR_MEMORY;
    return CAFE_OK;
}

char *cafe_mem_text(cafe_context *context, const char *text) {
    size_t length = strlen(text) + 1;
    char *copy = cafe_mem(context, (int64_t)length, 1);
    if (copy) memcpy(copy, text, length);
    return copy;
}
