/* The folders that contain engines, and the check who may change their files.
 *
 * Loading a library runs its code. So its file, its folder and all folders above must belong to
 * root, to the user, or to the owner of libcafe's own file, whose code already runs; nobody else
 * may have write permission. The library's own folder is that of the file from which the kernel
 * mapped this code. dladdr() is not used: for a program linked with libcafe.a it returns argv[0],
 * which the caller of the program chooses.
 */
#define _GNU_SOURCE
#include "engine/engine_folders.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file_owner.h"
#include "base/print.h"

/* ---- folders --------------------------------------------------------------------------------- */

/* Does a line of /proc/self/maps, "FROM-TO ...", cover the address? */
static bool covers(const char *line, uintptr_t address) {
    char *end;
    uintptr_t from = (uintptr_t)strtoull(line, &end, 16);
    return *end == '-' && from <= address && address < (uintptr_t)strtoull(end + 1, NULL, 16);
}

/* The file that holds this code, shared library or program; "" when it is unknown. */
static void own_file(char path[PATH_MAX]) {
    FILE *maps = fopen("/proc/self/maps", "re");
    char line[PATH_MAX + 128];
    path[0] = 0;
    while (maps && !path[0] && fgets(line, sizeof line, maps)) {
        const char *name = strchr(line, '/');
        if (!name || !covers(line, (uintptr_t)own_file)) continue;
        cafe_print(path, PATH_MAX, "%.*s", (int)strcspn(name, "\n"), name);
    }
    if (maps) fclose(maps);
}

const char *cafe_engine_path(void) {
    return secure_getenv("CAFE_ENGINE_PATH");
}

bool cafe_engine_folder(int64_t i, char folder[PATH_MAX]) {
    const char *path = cafe_engine_path();
    own_file(folder);
    char *slash = strrchr(folder, '/');
    if (slash) *slash = 0;
    if (i == 1) strncat(folder, "/../" CAFE_LIBRARY_FOLDER, PATH_MAX - 1 - strlen(folder));
    for (int64_t at = 1; at < i; at++) {
        if (!path) return false;
        const char *end = strchrnul(path, ':');
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
    own_file(path);
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
