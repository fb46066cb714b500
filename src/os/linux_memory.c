/* Memory of the machine and of this process, from /proc and the control groups. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "os/os.h"

static const int64_t unknown = INT64_MAX;

static int64_t lesser(int64_t a, int64_t b) {
    return a < b ? a : b;
}

/* Returns the number after `key` in a file of "key number" lines; -1: no such key. */
static int64_t number_behind(const char *path, const char *key) {
    char line[256];
    int64_t value = -1;
    size_t length = strlen(key);
    FILE *file = fopen(path, "r");
    if (!file) return -1;
    while (value < 0 && fgets(line, sizeof line, file))
        if (strncmp(line, key, length) == 0) value = strtoll(line + length, NULL, 10);
    fclose(file);
    return value;
}

/* ---- control groups -------------------------------------------------------------------------- */

/* The names differ between the two versions of the control groups. */
typedef struct cgroup_files {
    const char *root, *limit, *usage, *cache;
} cgroup_files;

static const cgroup_files version1 = {"/sys/fs/cgroup/memory", "memory.limit_in_bytes",
                                      "memory.usage_in_bytes", "total_inactive_file "};
static const cgroup_files version2 = {"/sys/fs/cgroup", "memory.max", "memory.current",
                                      "inactive_file "};

static int64_t number_in(const cgroup_files *files, const char *group, const char *name,
                         const char *key) {
    char path[4096];
    size_t root = strlen(files->root), middle = strlen(group), last = strlen(name) + 1;
    if (root + middle + 1 + last > sizeof path) return -1;
    memcpy(path, files->root, root);
    memcpy(path + root, group, middle);
    path[root + middle] = '/';
    memcpy(path + root + middle + 1, name, last);
    return number_behind(path, key);
}

/* Returns the free memory of one control group: limit - usage, where page cache that the kernel can
 * drop does not count as used. A limit of "max" reads as 0; version 1 has a huge number for no
 * limit. */
static int64_t group_leaves(const cgroup_files *files, const char *group) {
    int64_t limit = number_in(files, group, files->limit, "");
    int64_t usage = number_in(files, group, files->usage, "");
    int64_t cache = number_in(files, group, "memory.stat", files->cache);
    if (limit <= 0 || usage < 0 || limit >= INT64_C(1) << 60) return unknown;
    usage -= cache > 0 ? cache : 0;
    return limit > usage ? limit - usage : 0;
}

/* The group and all above it. */
static int64_t groups_leave(const cgroup_files *files, char *group) {
    int64_t least = group_leaves(files, group);
    char *slash;
    while ((slash = strrchr(group, '/')) != NULL) {
        *slash = 0;
        least = lesser(least, group_leaves(files, group));
    }
    return least;
}

/* /proc/self/cgroup: "0::/path" in version 2, "5:memory:/path" in version 1. */
static int64_t cgroups_leave(void) {
    char line[4096];
    int64_t least = unknown;
    FILE *file = fopen("/proc/self/cgroup", "r");
    if (!file) return unknown;
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = 0;
        char *names = strchr(line, ':'), *path = names ? strchr(names + 1, ':') : NULL;
        if (!path) continue;
        *path++ = 0;
        if (names[1] == 0)
            least = lesser(least, groups_leave(&version2, path));
        else if (strcmp(names + 1, "memory") == 0)
            least = lesser(least, groups_leave(&version1, path));
    }
    fclose(file);
    return least;
}

/* ---- the process ----------------------------------------------------------------------------- */

/* Returns the free amount under a limit of this process; `key` is the line of /proc/self/status
 * with the amount in use. */
static int64_t limit_leaves(int resource, const char *key) {
    struct rlimit limit;
    if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
        limit.rlim_cur >= (rlim_t)unknown)
        return unknown;
    int64_t kilobytes = number_behind("/proc/self/status", key), all = (int64_t)limit.rlim_cur;
    int64_t used = kilobytes > 0 ? kilobytes * 1024 : 0;
    return all > used ? all - used : 0;
}

int64_t cafe_os_memory_available(void) {
    int64_t kilobytes = number_behind("/proc/meminfo", "MemAvailable:");
    int64_t least = kilobytes >= 0 ? kilobytes * 1024 : unknown;
    least = lesser(least, cgroups_leave());
    least = lesser(least, limit_leaves(RLIMIT_AS, "VmSize:"));
    return lesser(least, limit_leaves(RLIMIT_DATA, "VmData:"));
}

int64_t cafe_os_memory_peak(void) {
    int64_t kilobytes = number_behind("/proc/self/status", "VmHWM:");
    return kilobytes > 0 ? kilobytes * 1024 : 0;
}

int64_t cafe_os_memory_installed(void) {
    return (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
}

int cafe_os_resident_open(void) {
    return open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
}

/* The second number of the file counts pages. */
int64_t cafe_os_resident(int file) {
    char text[128];
    ssize_t got = file >= 0 ? pread(file, text, sizeof text - 1, 0) : -1;
    if (got <= 0) return 0;
    text[got] = 0;
    const char *second = strchr(text, ' ');
    return second ? strtoll(second, NULL, 10) * sysconf(_SC_PAGESIZE) : 0;
}
