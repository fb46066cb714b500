/* The folders that contain engines, and the check who may change their files. */
#ifndef CAFE_ENGINE_ENGINE_FOLDERS_H
#define CAFE_ENGINE_ENGINE_FOLDERS_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/context.h"

/* Writes the name of folder i: 0 is the library's own folder, 1 the folder of installed libraries,
 * then the folders of CAFE_ENGINE_PATH. Returns false after the last; "" is a folder that is not
 * used. */
bool cafe_engine_folder(int64_t i, char folder[PATH_MAX]);

/* CAFE_ENGINE_PATH; NULL where it is not set, or not to be obeyed. */
const char *cafe_engine_path(void);

/* Returns the real path of a library that only root, the user and the owner of libcafe's own file
 * may change. Otherwise CAFE_ERROR_SYSTEM with the file or folder that others may change. */
cafe_status cafe_engine_check_file(cafe_context *context, const char *path, char real[PATH_MAX]);

#endif
