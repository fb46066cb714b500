/* The context: memory, threads, seed, progress, cancellation and the text of the last error.
 *
 * A context serves one call at a time. Another thread may, at any moment, read its progress and
 * cancel the call in flight. Objects made with a context are freed before it.
 */
#ifndef CAFE_CONTEXT_H
#define CAFE_CONTEXT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cafe/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cafe_context cafe_context;

/* Where memory comes from. `allocate` returns NULL when there is none; `release` accepts what
 * `allocate` returned. Both may be called from several threads at once. */
typedef struct cafe_allocator {
    void *(*allocate)(void *user, size_t bytes);
    void (*release)(void *user, void *block);
    void *user;
} cafe_allocator;

typedef struct cafe_context_options {
    size_t struct_size;
    int32_t threads;          /* 0: one per CPU this process may run on */
    uint64_t seed;            /* default 1; the same seed gives the same bits for any threads */
    cafe_allocator allocator; /* allocate == NULL: malloc and free */
    const char *engine;       /* cafe/engine.h; opened by the first call that needs it; NULL:
                                 the processor */
    int32_t no_headings;      /* 1: the first line of a text table that is written has values */
} cafe_context_options;

static inline void cafe_context_options_init(cafe_context_options *options) {
    memset(options, 0, sizeof *options);
    options->struct_size = sizeof *options;
    options->seed = 1;
}

/* options may be NULL for defaults. */
CAFE_API cafe_status cafe_context_create(const cafe_context_options *options,
                                         cafe_context **context);
CAFE_API void cafe_context_free(cafe_context *context);

/* What went wrong in the last failed call on this context; "" when none did. */
CAFE_API const char *cafe_error(const cafe_context *context);
/* The errno of the system call behind that failure (ENOENT, EACCES, ...); 0: there was none. */
CAFE_API int32_t cafe_error_number(const cafe_context *context);

/* Asks the call in flight (or the next one) to stop with CAFE_ERROR_CANCELLED. May be called from
 * any thread and from a signal handler. cafe_reset_cancel() clears the request. */
CAFE_API void cafe_cancel(cafe_context *context);
CAFE_API void cafe_reset_cancel(cafe_context *context);

/* How far the call in flight is; may be read from any thread. */
typedef struct cafe_progress {
    const char *phase; /* a static word: "read", "sweep", ... ; "" when idle */
    int64_t step;      /* of `steps`; steps is 0 when unknown */
    int64_t steps;
    double value;     /* the phase's own measure (objective, residual); 0 when it has none */
    const char *last; /* `phase`, and when idle the one before: where a call failed */
} cafe_progress;

CAFE_API void cafe_get_progress_sized(const cafe_context *context, cafe_progress *progress,
                                      size_t size);
static inline void cafe_get_progress(const cafe_context *context, cafe_progress *progress) {
    cafe_get_progress_sized(context, progress, sizeof *progress);
}

/* Bytes now held by, and the most ever held by, objects of this context. */
CAFE_API int64_t cafe_bytes(const cafe_context *context);
CAFE_API int64_t cafe_peak_bytes(const cafe_context *context);

/* Limits the memory of the process to `bytes` from now on; 0: no limit. Blocks of n x K numbers
 * then lie in files without names in the folder (NULL: the current one). These files end with the
 * process. A .cafe file of more than an eighth of the limit is read from its own file. The results
 * have the same bits. The limit does not hold for what methods other than sphere and cafe store per
 * node. */
CAFE_API cafe_status cafe_limit_memory(cafe_context *context, int64_t bytes, const char *folder);

/* "0.1.0", and the number that changes when the binary interface does. */
CAFE_API const char *cafe_version(void);
CAFE_API int32_t cafe_abi_version(void);

#ifdef __cplusplus
}
#endif
#endif
