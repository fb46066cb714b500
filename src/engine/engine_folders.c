/* The folders that contain engines, and the check who may change their files.
 *
 * Loading a library runs its code. So its file, its folder and all folders above must belong to
 * root, to the user, or to the owner of libcafe's own file, whose code already runs. Nobody else
 * may have write permission. The library's own folder is that of the file that holds this code.
 */
#include "engine/engine_folders.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file_owner.h"
#include "base/print.h"
#include "os/os.h"

/* ---- folders --------------------------------------------------------------------------------- */

const char *cafe_engine_path(void) {
    return cafe_os_environment("CAFE_ENGINE_PATH");
}

bool cafe_engine_folder(int64_t i, char folder[PATH_MAX]) {
    const char *path = cafe_engine_path();
    cafe_os_file_of((uintptr_t)cafe_engine_path, folder, PATH_MAX);
    char *slash = strrchr(folder, '/');
    if (slash) *slash = 0;
    if (i == 1 && folder[0])
        strncat(folder, "/../" CAFE_LIBRARY_FOLDER, PATH_MAX - 1 - strlen(folder));
    for (int64_t at = 1; at < i; at++) {
        if (!path) return false;
        const char *end = path + strcspn(path, ":");
        int length = (int)(end - path);
        cafe_print(folder, PATH_MAX, "%.*s", path[0] == '/' && length < PATH_MAX ? length : 0,
                   path);
        path = *end ? end + 1 : NULL;
    }
    return true;
}

/* ---- who may change a library ---------------------------------------------------------------- */

static uid_t owner_of_library(void) {
    char path[PATH_MAX];
    struct stat about;
    cafe_os_file_of((uintptr_t)cafe_engine_path, path, sizeof path);
    return stat(path, &about) == 0 ? about.st_uid : 0;
}

cafe_status cafe_engine_check_file(cafe_context *context, const char *path, char real[PATH_MAX]) {
    char part[PATH_MAX];
    struct stat about;
    uid_t owner = owner_of_library();
    if (!realpath(path, real)) return cafe_fail_file(context, path, "cannot be opened", errno);
    cafe_print(part, sizeof part, "%s", real);
    for (int depth = 0; part[0]; depth++) { /* the file, its folder, the folders above */
        if (stat(part, &about) != 0)
            return cafe_fail_file(context, part, "cannot be examined", errno);
        if (depth == 0 && !S_ISREG(about.st_mode))
            return cafe_fail(context, CAFE_ERROR_SYSTEM, "%s: is no file", path);
        const char *who = cafe_others_may_write(&about, owner, depth > 1);
        if (who)
            return cafe_fail(context, CAFE_ERROR_SYSTEM, "%s: is not loaded: %s %s", path, who,
                             part);
        char *slash = strrchr(part, '/');
        slash[slash == part && slash[1]] = 0; /* "/usr" is followed by "/", and that by nothing */
    }
    return CAFE_OK;
}
