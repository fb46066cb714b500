/* The operating system: the only header of src, lab and cli with its calls.
 *
 * POSIX calls that are the same on every system (open, pread, stat, pthread_mutex_lock ...) keep
 * their names; this header brings them. Calls that differ between systems are declared below. Each
 * form of this folder (linux.c, posix.c, browser.c) defines them; the build option CAFE_OS chooses
 * one. Calls that fail return -1 and set errno, unless they say otherwise.
 */
#ifndef CAFE_OS_OS_H
#define CAFE_OS_OS_H

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#include "os/lab.h"

/* ---- clocks and random bytes: clock.c -------------------------------------------------------- */

/* Nanoseconds of a clock that never goes back; the same in seconds. */
int64_t cafe_os_nanoseconds(void);
CAFE_LAB double cafe_os_seconds(void);
void cafe_os_sleep(int64_t nanoseconds);
/* Fills the bytes from the system's random numbers. If it has none now, from the clock, the process
 * id and an address: good for names, not for secrets. */
void cafe_os_random(void *bytes, size_t count);

/* ---- threads: threads.c ---------------------------------------------------------------------- */

/* pthread_create() with a stack of 2 MB: by default it would be the limit of the process's own,
 * which may be too little. */
bool cafe_os_thread(pthread_t *thread, void *(*run)(void *), void *argument);
/* A condition for cafe_os_wait(), which waits for a signal or until the time is over. */
void cafe_os_condition(pthread_cond_t *condition);
void cafe_os_wait(pthread_cond_t *condition, pthread_mutex_t *mutex, int64_t nanoseconds);
/* Processors that this process may use. */
int32_t cafe_os_processors(void);
/* The name of the processor; false: unknown. */
bool cafe_os_processor_name(char *text, size_t capacity);

/* ---- memory ---------------------------------------------------------------------------------- */

/* Maps the first bytes of a file; NULL and errno. Shared: writes reach the file. */
typedef enum cafe_os_way { CAFE_OS_READ, CAFE_OS_READ_SHARED, CAFE_OS_WRITE_SHARED } cafe_os_way;
void *cafe_os_map(int file, size_t bytes, cafe_os_way way);
void cafe_os_unmap(void *start, size_t bytes);
/* Releases the pages of a map. They come back from the file at the next access. */
void cafe_os_release(void *start, size_t bytes);
/* Asks for huge pages, before the memory is first touched. */
void cafe_os_huge_pages(void *start, size_t bytes);

/* Bytes that this process can still get, and the most it had in memory; INT64_MAX and 0: unknown.
 */
int64_t cafe_os_memory_available(void);
int64_t cafe_os_memory_peak(void);
/* Bytes of memory in the machine; 0: unknown. */
CAFE_LAB int64_t cafe_os_memory_installed(void);
/* Opens the file that cafe_os_resident() reads; -1: this system has none. */
int cafe_os_resident_open(void);
/* Bytes of this process in memory; 0: unknown. */
int64_t cafe_os_resident(int file);

/* ---- files ----------------------------------------------------------------------------------- */

/* A new file in the folder that is gone with the process, however that ends. */
int cafe_os_nameless(const char *folder);
/* Takes the disk space of `bytes` bytes now. Returns 0 or an errno. */
int cafe_os_reserve(int file, int64_t bytes);
/* The same as a wish: the file may also grow later. */
void cafe_os_expect(int file, int64_t bytes);
/* Drops what the system's cache has of a synced file. Returns 0 or an errno. */
int cafe_os_uncache(int file);
/* Writes of aligned pieces go past the system's cache from now on, or through it again. */
void cafe_os_set_direct(int file, bool direct);
bool cafe_os_is_direct(int file);
/* Renames unless `to` exists (EEXIST). */
int cafe_os_rename_free(const char *from, const char *to);
/* Exchanges two names; ENOSYS if the system or the file system cannot. */
int cafe_os_exchange(const char *from, const char *to);
/* Locks a file if no other process has; false and errno. A process that ends gives up its locks. */
bool cafe_os_lock(int file);
/* Bytes that this user can still write to the disk of a folder. */
int cafe_os_disk_free(const char *folder, int64_t *bytes);
/* When a file was last changed. */
struct timespec cafe_os_changed(const struct stat *about);

/* ---- the program ----------------------------------------------------------------------------- */

/* A path of the running program that can be read; NULL: unknown. */
const char *cafe_os_program(void);
/* The file, library or program, that holds the code at `address`; "" if it is unknown. */
void cafe_os_file_of(uintptr_t address, char *path, size_t capacity);
/* getenv(); NULL in a program that has more rights than its user. */
const char *cafe_os_environment(const char *name);
/* Name and version of the C library. */
const char *cafe_os_c_library(char *text, size_t capacity);
/* Where no other thread can ask for the progress of a run (a browser), passes it on to the page. */
#if defined(__EMSCRIPTEN__)
void cafe_os_progress(const char *phase, int64_t step, int64_t steps);
#else
static inline void cafe_os_progress(const char *phase, int64_t step, int64_t steps) {
    (void)phase, (void)step, (void)steps;
}
#endif
/* Columns of the terminal; 0: no terminal, or unknown. */
int32_t cafe_os_terminal_columns(int file);
/* Where addresses are limited, all threads allocate from one range of addresses. */
void cafe_os_share_addresses(void);
/* Bytes of the stack of the first thread; INT64_MAX: no limit. */
int64_t cafe_os_stack(void);
/* SIGALRM after these microseconds; 0: no more. */
void cafe_os_alarm(int32_t microseconds);
/* Has the reader of a pipe gone? */
bool cafe_os_has_no_reader(int file);

/* ---- engines: loading.c ---------------------------------------------------------------------- */

/* Loads a library; NULL: cafe_os_load_error() says why. Its code stays after cafe_os_unload(). */
void *cafe_os_load(const char *path);
void *cafe_os_symbol(void *library, const char *name);
const char *cafe_os_load_error(void);
void cafe_os_unload(void *library);

#endif
