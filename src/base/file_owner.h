/* Who may change a file. */
#ifndef CAFE_BASE_FILE_OWNER_H
#define CAFE_BASE_FILE_OWNER_H

#include <stdbool.h>

#include "os/os.h"

/* Describes who may write the file or folder besides root, the user and `trusted`, as "everybody
 * may write"; NULL: no one else. `above`: the folder is a parent of the folder in question. In a
 * parent with the sticky bit, such as /tmp, users can rename only their own entries. */
const char *cafe_others_may_write(const struct stat *about, uid_t trusted, bool above);

#endif
