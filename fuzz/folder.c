/* A folder in memory for targets whose files stand beside each other. */
#include "folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int folder = -1;
static char folder_name[64];

static void leave(void) {
    fuzz_folder_clear();
    rmdir(folder_name);
}

int fuzz_folder(void) {
    if (folder >= 0) return folder;
    const char *memory = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    snprintf(folder_name, sizeof folder_name, "%s/cafe-fuzz-XXXXXX", memory);
    if (!mkdtemp(folder_name)) abort();
    folder = open(folder_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) abort();
    atexit(leave);
    return folder;
}

const char *fuzz_folder_path(const char *name) {
    static char path[256];
    fuzz_folder();
    snprintf(path, sizeof path, "%s/%s", folder_name, name);
    return path;
}

int fuzz_folder_put(const char *name, const void *bytes, size_t size) {
    int file = openat(fuzz_folder(), name, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file < 0) return -1;
    if (write(file, bytes, size) < 0 || lseek(file, 0, SEEK_SET) != 0) abort();
    return file;
}

void fuzz_folder_clear(void) {
    int copy = openat(fuzz_folder(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *files = copy >= 0 ? fdopendir(copy) : NULL;
    if (!files) abort();
    for (struct dirent *entry; (entry = readdir(files));)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            if (unlinkat(folder, entry->d_name, 0) != 0)
                unlinkat(folder, entry->d_name, AT_REMOVEDIR);
    closedir(files);
}
