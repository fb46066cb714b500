/* Runs a fuzz target over files, or over all files of folders: the corpus as a test. */
#include <dirent.h>
#include <stdio.h>

#include "fuzz.h"

static int replay_file(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file) return 0;
    size_t capacity = (size_t)1 << 20, size = 0;
    uint8_t *bytes = malloc(capacity);
    if (bytes) size = fread(bytes, 1, capacity, file);
    fclose(file);
    uint8_t *exact = bytes ? realloc(bytes, size > 0 ? size : 1) : NULL;
    if (!exact) {
        free(bytes);
        return 0;
    }
    LLVMFuzzerTestOneInput(exact, size);
    free(exact);
    return 1;
}

static int replay_folder(const char *path) {
    DIR *folder = opendir(path);
    int count = 0;
    if (!folder) return replay_file(path);
    for (struct dirent *entry; (entry = readdir(folder));) {
        char *file = NULL;
        if (entry->d_name[0] == '.') continue;
        if (asprintf(&file, "%s/%s", path, entry->d_name) < 0) break;
        count += replay_file(file);
        free(file);
    }
    closedir(folder);
    return count;
}

int main(int argc, char **argv) {
    int count = 0;
    for (int i = 1; i < argc; i++) count += replay_folder(argv[i]);
    cafe_context_free(fuzz_context());
    printf("%d inputs\n", count);
    return count > 0 ? 0 : 1;
}
