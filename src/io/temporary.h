/* Temporary files beside the final ones: names that nothing else has, a lock by which others see
 * that their run is alive, and the removal of those whose run is not.
 */
#ifndef CAFE_IO_TEMPORARY_H
#define CAFE_IO_TEMPORARY_H

#include "base/context.h"

/* A path in the folder (a full path) that nothing has so far: folder/.cafe-<16 digits>.tmp,
 * whatever the length of the final name. NULL without memory. */
char *cafe_temporary_name(cafe_context *context, const char *folder);

/* Makes a new file there and locks it; the lock lasts as long as fd is open. -1 and errno, or
 * errno 0 without memory. */
int cafe_temporary_open(cafe_context *context, const char *folder, char **path);

/* Removes what dead runs left in the folder. A file that a list of renames waits for stays. */
void cafe_temporaries_sweep(const char *folder);

/* flock() that waits, or with `now` does not; a file system without locks grants all. */
int cafe_lock(cafe_context *context, int fd, int now);

#endif
