/* Temporary files in the folder of the final ones: random names, a lock that shows a live run, and
 * the removal of files of dead runs. */
#ifndef CAFE_IO_TEMPORARY_FILE_H
#define CAFE_IO_TEMPORARY_FILE_H

#include "base/context.h"

/* A path in the folder (a full path) that nothing has so far: folder/.cafe-<16 digits>.tmp,
 * whatever the length of the final name. NULL without memory. */
char *cafe_temporary_name(cafe_context *context, const char *folder);

/* Creates a file of such a name and locks it; the lock lasts as long as fd is open. -1 and errno,
 * or errno 0 without memory. */
int cafe_temporary_open(cafe_context *context, const char *folder, char **path);

/* Removes the temporary files of dead runs from a folder: regular files of this user with matching
 * names and free locks. No link is followed, and the call never waits for a lock. */
void cafe_temporaries_sweep(const char *folder);

/* Returns the folder of a path, in full and without symbolic links. NULL: errno, or 0 without
 * memory. */
char *cafe_folder_of(cafe_context *context, const char *path);
/* The names in the folder reach the disk. */
cafe_status cafe_folder_sync(cafe_context *context, const char *folder);

#endif
