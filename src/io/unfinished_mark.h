/* Marks of files that are renamed together.
 *
 * One rename is atomic, several are not. Before the first of several renames an empty file
 * FOLDER/.cafe-unfinished.NAME is made for each NAME; after the last it is removed. A run killed in
 * between leaves the marks, and every reader refuses marked files. A mark has no content: it can
 * make a reader refuse a file, and nothing else.
 */
#ifndef CAFE_IO_UNFINISHED_MARK_H
#define CAFE_IO_UNFINISHED_MARK_H

#include "base/context.h"

/* Makes the mark of the file TARGET, a full path without symbolic links. Returns 1, 0 if the mark
 * exists, or -1 and errno. */
int cafe_unfinished_put(const char *target);
/* Removes it if it is there: 0, or -1 and errno. */
int cafe_unfinished_remove(const char *target);

/* CAFE_ERROR_FORMAT if the file has a mark. A living run removes its marks within a millisecond:
 * one that is there for 0.3 seconds is of a dead run. */
cafe_status cafe_unfinished_check(cafe_context *context, const char *path);

#endif
