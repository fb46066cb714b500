/* Forms of two calls that need POSIX alone: for systems without a better one. */
#ifndef CAFE_OS_WEAK_FORMS_H
#define CAFE_OS_WEAK_FORMS_H

#include "os/os.h"

/* Bytes from the clock, the process id and an address. */
void cafe_os_weak_random(void *bytes, size_t count);
/* A file that loses its name at once; a process killed between the two calls leaves it. */
int cafe_os_unnamed(const char *folder);

#endif
