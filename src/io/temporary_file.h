/* Temporary files in the folder of the final ones: random names, a lock that shows that their run
 * is alive, and the removal of those whose run is not.
 */
#ifndef CAFE_IO_TEMPORARY_FILE_H
#define CAFE_IO_TEMPORARY_FILE_H

#include "base/context.h"

/* A path in the folder (a full path) that nothing has so far: folder/.cafe-<16 digits>.tmp,
 * whatever the length of the final name. NULL without memory. */
char *cafe_temporary_name(cafe_context *context, const char *folder);

/* Creates a file of such a name and locks it; the lock lasts as long as fd is open. -1 and errno,
 * or errno 0 without memory. */
int cafe_temporary_open(cafe_context *context, const char *folder, char **path);

/* Removes the temporary files of dead runs from a folder that the caller writes to: regular files
 * of this user whose names fit and whose lock is free. No link is followed, no lock waited for. */
void cafe_temporaries_sweep(const char *folder);

/* The folder of a path, in full and without symbolic links. NULL: errno, or 0 without memory. */
char *cafe_folder_of(cafe_context *context, const char *path);
/* The names in the folder reach the disk. */
cafe_status cafe_folder_sync(cafe_context *context, const char *folder);

#endif
