/* A folder in memory for targets whose files stand beside each other. */
#ifndef CAFE_FUZZ_FOLDER_H
#define CAFE_FUZZ_FOLDER_H

#include <stddef.h>
#include <stdint.h>

/* Its descriptor. The folder is made by the first call and removed at exit. */
int fuzz_folder(void);
/* The path of a file in it; valid until the next call. */
const char *fuzz_folder_path(const char *name);
/* Writes a file; returns its descriptor, at the start of the file, which the caller closes; -1 when
 * there can be no file of this name. */
int fuzz_folder_put(const char *name, const void *bytes, size_t size);
/* Removes all files. */
void fuzz_folder_clear(void);

#endif
