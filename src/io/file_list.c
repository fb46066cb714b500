/* Paths to files: folders are listed, in the order of the bytes of their names, so that the order
 * does not depend on the file system. */
#include "io/file_list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/print.h"
#include "os/os.h"

static cafe_status add(cafe_file_list *list, const char *folder, const char *name) {
    cafe_context *context = list->context;
    size_t length = (folder ? strlen(folder) + 1 : 0) + strlen(name) + 1;
    CAFE_PASS(
        cafe_mem_grow(context, &list->path, &list->room, list->count + 1, sizeof *list->path));
    char *path = cafe_mem(context, (int64_t)length, 1);
    if (!path) return CAFE_ERROR_MEMORY;
    cafe_print(path, length, "%s%s%s", folder ? folder : "", folder ? "/" : "", name);
    list->path[list->count++] = path;
    return CAFE_OK;
}

static bool is_folder(const char *path) {
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

static int compare(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static cafe_status add_files(cafe_file_list *list, const char *folder, DIR *open) {
    int64_t before = list->count;
    for (const struct dirent *entry = readdir(open); entry; entry = readdir(open)) {
        if (entry->d_name[0] == '.' || entry->d_name[0] == '_') continue;
        CAFE_PASS(add(list, folder, entry->d_name));
        if (is_folder(list->path[list->count - 1]))
            return cafe_fail(list->context, CAFE_ERROR_FORMAT,
                             "%s: expected a folder of files, found the folder %s in it", folder,
                             entry->d_name);
    }
    if (list->count == before)
        return cafe_fail(list->context, CAFE_ERROR_FORMAT,
                         "%s: expected files in the folder, found none", folder);
    qsort(list->path + before, (size_t)(list->count - before), sizeof *list->path, compare);
    return CAFE_OK;
}

static cafe_status add_path(cafe_file_list *list, const char *path) {
    if (strcmp(path, "-") == 0 || !is_folder(path)) return add(list, NULL, path);
    DIR *open = opendir(path);
    if (!open) return cafe_fail_file(list->context, path, "cannot be read", errno);
    cafe_status status = add_files(list, path, open);
    closedir(open);
    return status;
}

cafe_status cafe_file_list_make(cafe_context *context, const char *path,
                                const cafe_graph_options *options, cafe_file_list *list) {
    *list = (cafe_file_list){.context = context};
    CAFE_PASS(add_path(list, path));
    for (int64_t i = 0; options && i < options->more_count; i++)
        CAFE_PASS(add_path(list, options->more[i]));
    return CAFE_OK;
}

void cafe_file_list_free(cafe_file_list *list) {
    for (int64_t i = 0; i < list->count; i++) cafe_mem_free(list->context, list->path[i]);
    cafe_mem_free(list->context, list->path);
    *list = (cafe_file_list){.context = list->context};
}
