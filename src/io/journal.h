/* The journal: several renames as one.
 *
 * A rename is atomic, several are not. Before the first one the whole list is written, synced, into
 * FOLDER/.cafe-<user>.pending; when a run dies between two renames, the next one that opens a file
 * in the folder completes the list. So whoever looks through this library sees all files old or all
 * new.
 */
#ifndef CAFE_IO_JOURNAL_H
#define CAFE_IO_JOURNAL_H

#include <stdbool.h>

#include "base/context.h"

/* One name that changes; all paths are full. */
typedef struct cafe_naming {
    const char *from;   /* the file that gets the name; NULL: the name goes */
    const char *to;     /* the name */
    const char *folder; /* of it */
    const char *shown;  /* the name as the user wrote it, for messages */
    bool overwrite;
} cafe_naming;

typedef struct cafe_journal {
    cafe_context *context;
    const cafe_naming *names;
    int64_t count;
    char **paths; /* one per folder: the list itself and links to it; NULL: none */
    int64_t folders;
    int fd;
} cafe_journal;

/* Takes the locks of all folders, and completes what stands there. */
cafe_status cafe_journal_open(cafe_context *context, const cafe_naming *names, int64_t count,
                              cafe_journal *journal);
/* Adds a list, synced with the folders. Of several lists the last whole one counts. */
cafe_status cafe_journal_add(cafe_journal *journal, const cafe_naming *names, int64_t count);
/* Takes the list away. */
void cafe_journal_close(cafe_journal *journal);

/* Gives a file its name or takes one away, which may be gone already. 0, or -1 and errno. */
int cafe_naming_do(const cafe_naming *name);
/* The folders of the names reach the disk. */
cafe_status cafe_namings_sync(cafe_context *context, const cafe_naming *names, int64_t count);

/* Completes what a dead run left to be done in the folder of this path, and waits for a living one.
 */
cafe_status cafe_journal_settle(cafe_context *context, const char *path);
/* Is there a list in the folder? */
bool cafe_journal_waits(int folder);

/* The folder of a path, in full and without symbolic links. NULL: errno, or 0 without memory. */
char *cafe_folder_of(cafe_context *context, const char *path);

#endif
