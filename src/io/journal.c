/* The journal.
 *
 *     list:  (R from to | N from to | U to)* E crc64      every word ended by a NUL
 *
 * R renames, N renames unless the name is taken, U removes. Names in the journal's own folder stand
 * without it, so that the folder may be moved. A list without its end was not yet meant: the
 * temporaries it speaks of are then removed, and all files are the old ones. With its end it is
 * carried out from the start as often as it takes: a `from` that is gone has its name already. A
 * second list undoes the first. The lock of the file is held while a list is written and carried
 * out. Where files of several folders belong together, the list is in the first of them and the
 * others have a symbolic link to it; locks are taken in the order of the folders.
 *
 * A list of another user is never followed: it could name any file.
 */
#define _GNU_SOURCE
#include "io/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/print.h"
#include "io/gzip.h"
#include "io/temporary.h"

enum { TRIES = 100, NAME = 48, LONGEST_END = 24 };
static const int64_t largest = (int64_t)1 << 24;

static void pending_name(uid_t user, char name[NAME]) {
    cafe_print(name, NAME, ".cafe-%lu.pending", (unsigned long)user);
}

static char *join(cafe_context *context, const char *folder, const char *name) {
    size_t capacity = strlen(folder) + strlen(name) + 2;
    char *path = cafe_mem(context, (int64_t)capacity, 1);
    if (path) cafe_print(path, capacity, "%s/%s", strcmp(folder, "/") == 0 ? "" : folder, name);
    return path;
}

static char *pending_path(cafe_context *context, const char *folder) {
    char name[NAME];
    pending_name(geteuid(), name);
    return join(context, folder, name);
}

char *cafe_folder_of(cafe_context *context, const char *path) {
    char full[PATH_MAX];
    const char *slash = strrchr(path, '/');
    size_t length = slash ? (size_t)(slash - path) + 1 : 1;
    char *given = cafe_mem(context, (int64_t)length + 1, 1);
    errno = 0;
    if (!given) return NULL;
    memcpy(given, slash ? path : ".", length);
    given[length] = 0;
    const char *found = realpath(given, full);
    int problem = errno;
    cafe_mem_free(context, given);
    char *folder = found ? cafe_mem_text(context, found) : NULL;
    errno = found ? 0 : problem;
    return folder;
}

/* ---- names ----------------------------------------------------------------------------------- */

#ifndef RENAME_NOREPLACE /* C libraries before glibc 2.28 leave it to the caller */
#define RENAME_NOREPLACE 1u
static int renameat2(int from_folder, const char *from, int to_folder, const char *to,
                     unsigned flags) {
    return (int)syscall(SYS_renameat2, from_folder, from, to_folder, to, flags);
}
#endif

/* Without leave to overwrite, a file that appeared meanwhile is kept. */
static int rename_to_free(const cafe_naming *name) {
    if (renameat2(AT_FDCWD, name->from, AT_FDCWD, name->to, RENAME_NOREPLACE) == 0) return 0;
    if (errno != EINVAL && errno != ENOSYS) return -1;
    if (access(name->to, F_OK) == 0) { /* a file system without that operation */
        errno = EEXIST;
        return -1;
    }
    return rename(name->from, name->to);
}

int cafe_naming_do(const cafe_naming *name) {
    if (name->from) return name->overwrite ? rename(name->from, name->to) : rename_to_free(name);
    return unlink(name->to) == 0 || errno == ENOENT ? 0 : -1;
}

static cafe_status sync_folder(cafe_context *context, const char *folder) {
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int failed = fd >= 0 ? fsync(fd) : -1, problem = errno;
    if (fd >= 0) close(fd);
    if (failed == 0 || problem == EINVAL || problem == EACCES || problem == EROFS) return CAFE_OK;
    return cafe_fail_file(context, folder, "the folder cannot be synced", problem);
}

cafe_status cafe_namings_sync(cafe_context *context, const cafe_naming *names, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        int64_t j = 0;
        while (strcmp(names[j].folder, names[i].folder) != 0) j++;
        if (j == i) CAFE_PASS(sync_folder(context, names[i].folder));
    }
    return CAFE_OK;
}

/* ---- what a dead run left -------------------------------------------------------------------- */

static cafe_status fail_pending(cafe_context *context, const char *what, const char *path) {
    return cafe_fail(context, CAFE_ERROR_IO,
                     "%s: an interrupted run has files to rename here, and they cannot be: %s: %s",
                     path, what, strerror(errno));
}

static const char *next_word(const char *word) {
    return word + strlen(word) + 1;
}

/* The last list of the text that has its end; NULL: none. The text ends with a NUL. */
static const char *last_list(const char *text, const char *end) {
    const char *list = text, *found = NULL;
    for (const char *word = text; word < end;) {
        int paths = *word == 'U' ? 1 : *word == 'R' || *word == 'N' ? 2 : 0;
        char expected[LONGEST_END];
        cafe_print(expected, sizeof expected, "E%016llx",
                   (unsigned long long)cafe_crc64(0, list, word - list));
        bool ends = strcmp(word, expected) == 0;
        if (paths == 0 && !ends) break;
        if (ends) found = list;
        word = next_word(word);
        if (ends) list = word;
        for (; paths > 0 && word < end; paths--) word = next_word(word);
    }
    return found;
}

/* A path as the list has it, in full. */
static char *full_path(cafe_context *context, const char *folder, const char *path) {
    return path[0] == '/' ? cafe_mem_text(context, path) : join(context, folder, path);
}

static cafe_status carry_out(cafe_context *context, const char *kind, const char *from,
                             const char *to) {
    cafe_naming name = {.from = *kind == 'U' ? NULL : from, .to = to, .overwrite = *kind == 'R'};
    if (cafe_naming_do(&name) != 0 && !(errno == ENOENT && name.from && access(from, F_OK) != 0))
        return fail_pending(context, "cannot be named", to);
    char *folder = cafe_folder_of(context, to);
    if (!folder) return errno ? fail_pending(context, "its folder", to) : CAFE_ERROR_MEMORY;
    cafe_status status = sync_folder(context, folder);
    cafe_mem_free(context, folder);
    return status;
}

static cafe_status carry_out_list(cafe_context *context, const char *list, const char *folder) {
    while (*list != 'E') {
        const char *kind = list, *first = next_word(list);
        const char *second = *kind == 'U' ? first : next_word(first);
        char *from = full_path(context, folder, first), *to = full_path(context, folder, second);
        cafe_status status = from && to ? CAFE_OK : CAFE_ERROR_MEMORY;
        if (status == CAFE_OK) status = carry_out(context, kind, from, to);
        cafe_mem_free_all(context, from, to);
        if (status != CAFE_OK) return status;
        list = next_word(second);
    }
    return CAFE_OK;
}

/* Carries out what the open and locked journal says, and empties it. */
static cafe_status complete(cafe_context *context, int fd, const char *path, const char *folder) {
    struct stat about;
    if (fstat(fd, &about) != 0) return fail_pending(context, "cannot be examined", path);
    if (about.st_size == 0 || about.st_size > largest) return CAFE_OK;
    char *text = cafe_mem_zero(context, about.st_size + 2, 1);
    if (!text) return CAFE_ERROR_MEMORY;
    cafe_status status = CAFE_OK;
    ssize_t got = pread(fd, text, (size_t)about.st_size, 0);
    const char *list = got > 0 ? last_list(text, text + got) : NULL;
    if (got < 0) status = fail_pending(context, "cannot be read", path);
    if (list) status = carry_out_list(context, list, folder);
    if (status == CAFE_OK && ftruncate(fd, 0) != 0 && unlink(path) != 0)
        status = fail_pending(context, "cannot be emptied", path);
    cafe_mem_free(context, text);
    return status;
}

static bool is_own(int fd, const char *path) {
    struct stat about, named;
    return fstat(fd, &about) == 0 && S_ISREG(about.st_mode) && about.st_uid == geteuid() &&
           stat(path, &named) == 0 && named.st_ino == about.st_ino && named.st_dev == about.st_dev;
}

/* `path` may be a symbolic link to the journal of another folder. */
static cafe_status settle_open(cafe_context *context, int fd, const char *path) {
    char real[PATH_MAX];
    if (!is_own(fd, path) || !realpath(path, real)) return CAFE_OK;
    if (cafe_lock(context, fd, 0) != 0) {
        CAFE_PASS(cafe_check_cancel(context));
        return fail_pending(context, "cannot be locked", path);
    }
    if (!is_own(fd, real)) return CAFE_OK; /* completed meanwhile */
    char *folder = cafe_folder_of(context, real);
    if (!folder) return CAFE_ERROR_MEMORY;
    cafe_status status = complete(context, fd, real, folder);
    if (status == CAFE_OK) unlink(real);
    cafe_mem_free(context, folder);
    return status;
}

/* A link to a journal that is gone: the list it led to was completed. */
static void remove_dead_link(const char *path) {
    struct stat about;
    if (lstat(path, &about) == 0 && S_ISLNK(about.st_mode) && access(path, F_OK) != 0) unlink(path);
}

static cafe_status settle_folder(cafe_context *context, const char *folder) {
    char *path = pending_path(context, folder);
    if (!path) return CAFE_ERROR_MEMORY;
    cafe_status status = CAFE_OK;
    int fd = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0 && (errno == EACCES || errno == EROFS))
        fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd >= 0)
        status = settle_open(context, fd, path);
    else if (errno == ENOENT)
        remove_dead_link(path);
    else if (errno != EACCES && errno != ENOTDIR && errno != ENAMETOOLONG)
        status = fail_pending(context, "cannot be opened", path);
    if (fd >= 0) close(fd);
    cafe_mem_free(context, path);
    return status;
}

cafe_status cafe_journal_settle(cafe_context *context, const char *path) {
    char real[PATH_MAX];
    char *folder = cafe_folder_of(context, realpath(path, real) ? real : path);
    if (!folder) return errno ? CAFE_OK : CAFE_ERROR_MEMORY; /* no folder, no journal */
    cafe_status status = settle_folder(context, folder);
    cafe_mem_free(context, folder);
    return status;
}

bool cafe_journal_waits(int folder) {
    char name[NAME];
    struct stat about;
    pending_name(geteuid(), name);
    return fstatat(folder, name, &about, 0) == 0;
}

/* ---- writing one ----------------------------------------------------------------------------- */

static int compare_texts(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The path of the journal in each folder, in order, each once. */
static cafe_status list_folders(cafe_journal *j) {
    int64_t count = 0;
    j->paths = cafe_mem_zero(j->context, j->count, sizeof *j->paths);
    if (!j->paths) return CAFE_ERROR_MEMORY;
    for (; j->folders < j->count; j->folders++) {
        j->paths[j->folders] = pending_path(j->context, j->names[j->folders].folder);
        if (!j->paths[j->folders]) return CAFE_ERROR_MEMORY;
    }
    qsort(j->paths, (size_t)j->folders, sizeof *j->paths, compare_texts);
    for (int64_t i = 0; i < j->folders; i++) {
        if (count > 0 && strcmp(j->paths[count - 1], j->paths[i]) == 0)
            cafe_mem_free(j->context, j->paths[i]);
        else
            j->paths[count++] = j->paths[i];
    }
    j->folders = count;
    return CAFE_OK;
}

static cafe_status fail_journal(cafe_journal *j, int64_t i) {
    return cafe_fail_file(j->context, j->paths[i], "cannot be written", errno);
}

/* Where a link of another run stands: its list is completed, or was, and the link goes. */
static cafe_status clear_link(cafe_journal *j, int64_t i) {
    char *folder = cafe_folder_of(j->context, j->paths[i]);
    if (!folder) return errno ? fail_journal(j, i) : CAFE_ERROR_MEMORY;
    cafe_status status = settle_folder(j->context, folder);
    cafe_mem_free(j->context, folder);
    remove_dead_link(j->paths[i]);
    return status;
}

/* The first folder's file, locked and empty. */
static cafe_status open_file(cafe_journal *j, char *folder) {
    for (int i = 0; i < TRIES; i++) {
        j->fd = open(j->paths[0], O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
        if (j->fd < 0 && errno != ELOOP) return fail_journal(j, 0);
        if (j->fd >= 0) {
            if (cafe_lock(j->context, j->fd, 0) != 0) return fail_journal(j, 0);
            if (is_own(j->fd, j->paths[0])) return complete(j->context, j->fd, j->paths[0], folder);
            close(j->fd);
            j->fd = -1;
        }
        CAFE_PASS(clear_link(j, 0));
    }
    errno = EEXIST;
    return fail_journal(j, 0);
}

static bool points_here(const cafe_journal *j, int64_t i) {
    char target[PATH_MAX];
    ssize_t length = readlink(j->paths[i], target, sizeof target);
    return length == (ssize_t)strlen(j->paths[0]) &&
           memcmp(target, j->paths[0], (size_t)length) == 0;
}

/* A link in another folder; a file system without links does without. */
static cafe_status open_link(cafe_journal *j, int64_t i) {
    for (int tries = 0; tries < TRIES; tries++) {
        if (symlink(j->paths[0], j->paths[i]) == 0 || (errno == EEXIST && points_here(j, i)))
            return CAFE_OK;
        if (errno != EEXIST) break;
        CAFE_PASS(clear_link(j, i));
    }
    if (errno != EPERM && errno != EOPNOTSUPP) return fail_journal(j, i);
    cafe_mem_free(j->context, j->paths[i]);
    j->paths[i] = NULL;
    return CAFE_OK;
}

cafe_status cafe_journal_open(cafe_context *context, const cafe_naming *names, int64_t count,
                              cafe_journal *journal) {
    *journal = (cafe_journal){.context = context, .names = names, .count = count, .fd = -1};
    char *folder = NULL;
    cafe_status status;
    CAFE_TRY(list_folders(journal));
    folder = cafe_folder_of(context, journal->paths[0]);
    if (!folder) CAFE_TRY(errno ? fail_journal(journal, 0) : CAFE_ERROR_MEMORY);
    CAFE_TRY(open_file(journal, folder));
    for (int64_t i = 1; i < journal->folders; i++) CAFE_TRY(open_link(journal, i));
done:
    cafe_mem_free(context, folder);
    if (status != CAFE_OK) cafe_journal_close(journal);
    return status;
}

/* Writes a path, without the journal's folder, and returns the place behind its NUL. */
static char *put_path(const cafe_journal *j, const char *path, char *at) {
    size_t folder = (size_t)(strrchr(j->paths[0], '/') - j->paths[0]) + 1;
    if (strncmp(path, j->paths[0], folder) == 0 && !strchr(path + folder, '/')) path += folder;
    return stpcpy(at, path) + 1;
}

static int64_t put_list(const cafe_journal *j, const cafe_naming *names, int64_t count,
                        char *text) {
    char *at = text;
    for (int64_t i = 0; i < count; i++) {
        at = stpcpy(at, !names[i].from ? "U" : names[i].overwrite ? "R" : "N") + 1;
        if (names[i].from) at = put_path(j, names[i].from, at);
        at = put_path(j, names[i].to, at);
    }
    at +=
        cafe_print(at, LONGEST_END, "E%016llx", (unsigned long long)cafe_crc64(0, text, at - text));
    return at + 1 - text;
}

cafe_status cafe_journal_add(cafe_journal *j, const cafe_naming *names, int64_t count) {
    size_t room = LONGEST_END;
    for (int64_t i = 0; i < count; i++)
        room += strlen(names[i].to) + (names[i].from ? strlen(names[i].from) : 0) + 4;
    char *text = cafe_mem(j->context, (int64_t)room, 1);
    if (!text) return CAFE_ERROR_MEMORY;
    int64_t size = put_list(j, names, count, text), done = 0;
    cafe_status status = CAFE_OK;
    while (status == CAFE_OK && done < size) {
        ssize_t written = write(j->fd, text + done, (size_t)(size - done));
        if (written < 0 && errno != EINTR) status = fail_journal(j, 0);
        if (written > 0) done += written;
    }
    if (status == CAFE_OK && fsync(j->fd) != 0) status = fail_journal(j, 0);
    if (status == CAFE_OK) status = cafe_namings_sync(j->context, names, count);
    cafe_mem_free(j->context, text);
    return status;
}

void cafe_journal_close(cafe_journal *j) {
    for (int64_t i = 0; i < j->folders; i++) {
        bool made = j->paths[i] && j->fd >= 0 && (i == 0 || points_here(j, i));
        if (made && i == 0 && ftruncate(j->fd, 0) != 0) made = unlink(j->paths[i]) != 0;
        if (made) unlink(j->paths[i]);
        cafe_mem_free(j->context, j->paths[i]);
    }
    if (j->fd >= 0) close(j->fd);
    cafe_mem_free(j->context, j->paths);
    j->paths = NULL;
    j->folders = 0;
    j->fd = -1;
}
