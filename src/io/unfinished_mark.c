/* Marks: empty files named after the file that they mark. They are only created, checked by lstat()
 * and removed, so a symbolic link of this name is never followed. */
#include "io/unfinished_mark.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/print.h"
#include "os/os.h"

enum { ROOM = PATH_MAX + 32, LOOKS = 30, PAUSE = 10 * 1000 * 1000 };
static const char prefix[] = ".cafe-unfinished.";

/* The path of the mark; returns its last part. A name too long for the prefix is cut at its end. */
static const char *mark_of(const char *target, char mark[ROOM]) {
    const char *name = strrchr(target, '/') + 1;
    int folder = (int)(name - target), most = NAME_MAX - (int)(sizeof prefix - 1);
    cafe_print(mark, ROOM, "%.*s%s%.*s", folder, target, prefix, most, name);
    return mark + folder;
}

int cafe_unfinished_put(const char *target) {
    char mark[ROOM];
    struct stat about;
    mark_of(target, mark);
    int fd = open(mark, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd >= 0) {
        close(fd);
        return 1;
    }
    if (errno != EEXIST || lstat(mark, &about) != 0) return -1;
    errno = EISDIR;
    return S_ISDIR(about.st_mode) ? -1 : 0;
}

int cafe_unfinished_remove(const char *target) {
    char mark[ROOM];
    mark_of(target, mark);
    return unlink(mark) == 0 || errno == ENOENT ? 0 : -1;
}

static bool is_there(const char *mark) {
    struct stat about;
    return lstat(mark, &about) == 0;
}

cafe_status cafe_unfinished_check(cafe_context *context, const char *path) {
    char real[PATH_MAX], mark[ROOM];
    if (!realpath(path, real)) return CAFE_OK; /* there is nothing to be read */
    const char *name = mark_of(real, mark);
    for (int i = 0; i < LOOKS && is_there(mark); i++) {
        CAFE_PASS(cafe_check_cancel(context));
        cafe_os_sleep(PAUSE);
    }
    if (!is_there(mark)) return CAFE_OK;
    return cafe_fail(context, CAFE_ERROR_FORMAT,
                     "%s: a run ended while it put this file and others in place; they may be of "
                     "different runs. Run it again with leave to overwrite, or remove %s from the "
                     "folder to read the file as it is",
                     path, name);
}
