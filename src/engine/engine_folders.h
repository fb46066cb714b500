/* The folders in which engines lie, and who may change what lies there. */
#ifndef CAFE_ENGINE_ENGINE_FOLDERS_H
#define CAFE_ENGINE_ENGINE_FOLDERS_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/context.h"

/* Folder i: 0 is the library's own, 1 where libraries are installed beside it, then those of
 * CAFE_ENGINE_PATH. False behind the last; "" for a folder that is not used. */
bool cafe_engine_folder(int64_t i, char folder[PATH_MAX]);

/* CAFE_ENGINE_PATH; NULL where it is not set, or not to be obeyed. */
const char *cafe_engine_path(void);

/* The real path of a library that nobody may change but root, the user and the owner of libcafe's
 * own file; else CAFE_ERROR_SYSTEM, with who may change what. */
cafe_status cafe_engine_check_file(cafe_context *context, const char *path, char real[PATH_MAX]);

#endif
