/* Pages of large blocks: pieces of them move from block to block. */
#define _GNU_SOURCE
#include "base/pages.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define CAFE_WATCHED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define CAFE_WATCHED 1
#endif
#ifndef CAFE_WATCHED
#define CAFE_WATCHED 0
#endif

enum { SMALL = 4096, PIECES = 64 };

/* Whole huge pages next to one another, which were had at once: only such are moved at once. */
typedef struct piece {
    char *start;
    size_t bytes;
} piece;

typedef struct pieces {
    piece list[PIECES];
    int count;
} pieces;

/* The small page before a block; the last CAFE_PAGES_ROOM bytes of it are the caller's. */
typedef struct front {
    size_t bytes; /* of the block */
    pieces has;   /* the huge pages of the block, from its start */
} front;

struct cafe_pages {
    pthread_mutex_t lock;
    pieces kept;
    size_t kept_bytes, used_bytes;
};

_Static_assert(sizeof(front) <= SMALL - CAFE_PAGES_ROOM, "what is known of a block fits before it");

static size_t whole_bytes(size_t bytes) {
    return bytes & ~(CAFE_HUGE_PAGE - 1);
}

static size_t small_bytes(size_t bytes) {
    return (bytes + SMALL - 1) & ~(size_t)(SMALL - 1);
}

static front *front_of(void *block) {
    return (front *)((char *)block - SMALL);
}

cafe_pages *cafe_pages_new(void) {
    cafe_pages *pages = CAFE_WATCHED ? NULL : calloc(1, sizeof *pages);
    if (pages) pthread_mutex_init(&pages->lock, NULL);
    return pages;
}

void cafe_pages_free(cafe_pages *pages) {
    if (!pages) return;
    cafe_pages_drop(pages);
    pthread_mutex_destroy(&pages->lock);
    free(pages);
}

/* ---- kept pages; the lock is held ------------------------------------------------------------ */

/* The last of the kept pages go until no more are kept than `most` bytes. */
static void keep_at_most(cafe_pages *pages, size_t most) {
    while (pages->kept_bytes > most) {
        piece *last = &pages->kept.list[pages->kept.count - 1];
        size_t over = pages->kept_bytes - most;
        size_t gone = over < last->bytes ? whole_bytes(over + CAFE_HUGE_PAGE - 1) : last->bytes;
        last->bytes -= gone;
        munmap(last->start + last->bytes, gone);
        pages->kept_bytes -= gone;
        if (last->bytes == 0) pages->kept.count--;
    }
}

static void keep(cafe_pages *pages, piece p) {
    if (pages->kept.count == PIECES) {
        munmap(p.start, p.bytes);
        return;
    }
    madvise(p.start, p.bytes, MADV_FREE);
    pages->kept.list[pages->kept.count++] = p;
    pages->kept_bytes += p.bytes;
}

/* Kept pages take the place of those at `to`, `room` bytes at most: how many of them did. Where
 * the system does not move them, they are gone, and new ones are there. */
static size_t move_kept(cafe_pages *pages, char *to, size_t room, bool *lost) {
    piece *last = &pages->kept.list[pages->kept.count - 1];
    size_t bytes = last->bytes < room ? last->bytes : room;
    char *from = last->start + last->bytes - bytes;
    last->bytes -= bytes;
    pages->kept_bytes -= bytes;
    if (last->bytes == 0) pages->kept.count--;
    if (mremap(from, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, to) != MAP_FAILED) return bytes;
    munmap(from, bytes);
    *lost = mmap(to, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
                 0) == MAP_FAILED;
    if (!*lost) madvise(to, bytes, MADV_HUGEPAGE);
    return bytes;
}

/* ---- blocks ---------------------------------------------------------------------------------- */

/* Addresses of a block with the small page before it, and nothing behind it. */
static char *reserve(size_t bytes) {
    size_t end = small_bytes(bytes), all = CAFE_HUGE_PAGE + SMALL + end;
    char *raw = mmap(NULL, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (raw == MAP_FAILED) return NULL;
    uintptr_t border = ((uintptr_t)raw + SMALL + CAFE_HUGE_PAGE - 1) & ~(CAFE_HUGE_PAGE - 1);
    char *block = raw + (border - (uintptr_t)raw), *from = block - SMALL;
    if (from > raw) munmap(raw, (size_t)(from - raw));
    if (block + end < raw + all) munmap(block + end, (size_t)(raw + all - block) - end);
    madvise(block, whole_bytes(bytes), MADV_HUGEPAGE);
    return block;
}

static bool fill(cafe_pages *pages, char *block) {
    front *f = front_of(block);
    size_t at = 0, whole = whole_bytes(f->bytes);
    bool lost = false;
    while (at < whole && pages->kept.count > 0 && f->has.count < PIECES - 1 && !lost) {
        size_t moved = move_kept(pages, block + at, whole - at, &lost);
        f->has.list[f->has.count++] = (piece){block + at, moved};
        at += moved;
    }
    if (at < whole) f->has.list[f->has.count++] = (piece){block + at, whole - at};
    return !lost;
}

void *cafe_pages_take(cafe_pages *pages, size_t bytes) {
    char *block = reserve(bytes);
    if (!block && cafe_pages_drop(pages)) block = reserve(bytes);
    if (!block) return NULL;
    front *f = front_of(block);
    f->bytes = bytes;
    f->has.count = 0;
    pthread_mutex_lock(&pages->lock);
    bool filled = fill(pages, block);
    if (filled) pages->used_bytes += whole_bytes(bytes);
    pthread_mutex_unlock(&pages->lock);
    if (filled) return block;
    munmap(block - SMALL, SMALL + small_bytes(bytes));
    return NULL;
}

void cafe_pages_give(cafe_pages *pages, void *block, bool keep_pages) {
    front *f = front_of(block);
    size_t whole = whole_bytes(f->bytes), end = small_bytes(f->bytes);
    pthread_mutex_lock(&pages->lock);
    pages->used_bytes -= whole;
    for (int i = 0; i < f->has.count; i++)
        if (keep_pages)
            keep(pages, f->has.list[i]);
        else
            munmap(f->has.list[i].start, f->has.list[i].bytes);
    keep_at_most(pages, pages->used_bytes);
    pthread_mutex_unlock(&pages->lock);
    if (end > whole) munmap((char *)block + whole, end - whole);
    munmap(f, SMALL);
}

bool cafe_pages_drop(cafe_pages *pages) {
    if (!pages) return false;
    pthread_mutex_lock(&pages->lock);
    bool any = pages->kept.count > 0;
    keep_at_most(pages, 0);
    pthread_mutex_unlock(&pages->lock);
    return any;
}
