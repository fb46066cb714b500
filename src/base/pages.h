/* Pages of large blocks, used again.
 *
 * A system that clears new pages at half a gigabyte a second spends an eighth of a long run on it.
 * So a large block that is freed leaves its huge pages to later ones, of whatever size: the system
 * moves them to another address (mremap) without touching what is in them. A new block takes kept
 * pages before it asks for others, so that what is in use and what is kept never take more
 * together than was once in use. No more is kept than is in use; and the system is told that it may
 * have kept pages where it runs short (MADV_FREE).
 */
#ifndef CAFE_BASE_PAGES_H
#define CAFE_BASE_PAGES_H

#include <stdbool.h>
#include <stddef.h>

typedef struct cafe_pages cafe_pages;

#define CAFE_HUGE_PAGE ((size_t)2 << 20)
#define CAFE_LARGE     ((size_t)32 << 20) /* bytes of blocks that are worth it */

/* NULL: there is no memory, or something watches addresses that must not see pages move. */
cafe_pages *cafe_pages_new(void);
void cafe_pages_free(cafe_pages *pages); /* all blocks have been given back; accepts NULL */

/* A block of at least CAFE_LARGE bytes, at the border of a huge page, with CAFE_PAGES_ROOM bytes
 * before it for the caller; NULL: there is no memory. */
#define CAFE_PAGES_ROOM 64
void *cafe_pages_take(cafe_pages *pages, size_t bytes);

/* Gives the block back; its pages are kept where `keep` says so. */
void cafe_pages_give(cafe_pages *pages, void *block, bool keep);

/* Lets all kept pages go; were there any? */
bool cafe_pages_drop(cafe_pages *pages);

#endif
