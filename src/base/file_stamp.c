/* Size and time of a file, by fstat(). */
#include "base/file_stamp.h"

#include <errno.h>

#include "base/context.h"
#include "os/os.h"

bool cafe_stamp_take(int file, cafe_stamp *stamp) {
    struct stat about;
    if (fstat(file, &about) != 0) return false;
    struct timespec changed = cafe_os_changed(&about);
    *stamp = (cafe_stamp){about.st_size, changed.tv_sec, changed.tv_nsec};
    return true;
}

cafe_status cafe_stamp_check(cafe_context *context, const char *name, int file,
                             const cafe_stamp *stamp) {
    cafe_stamp now;
    if (!cafe_stamp_take(file, &now))
        return cafe_fail_file(context, name, "cannot be examined", errno);
    if (now.size == stamp->size && now.seconds == stamp->seconds &&
        now.nanoseconds == stamp->nanoseconds)
        return CAFE_OK;
    return cafe_fail(context, CAFE_ERROR_IO, "%s: changed while it was read", name);
}
