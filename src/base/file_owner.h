/* Who may change a file. */
#ifndef CAFE_BASE_FILE_OWNER_H
#define CAFE_BASE_FILE_OWNER_H

#include <stdbool.h>
#include <sys/stat.h>
#include <sys/types.h>

/* Who may write the file or folder besides root, the user and `trusted`, as "everybody may write";
 * NULL: nobody. With `above` it is a folder above the one in question: in one with the sticky bit,
 * such as /tmp, nobody renames what is not theirs. */
const char *cafe_others_may_write(const struct stat *about, uid_t trusted, bool above);

#endif
