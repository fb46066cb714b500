/* The context's inside, for the library alone. */
#ifndef CAFE_BASE_CONTEXT_H
#define CAFE_BASE_CONTEXT_H

#include <stdatomic.h>
#include <stdbool.h>

#include <cafe/context.h>

#include "os/lab.h"

struct cafe_checkpoint;
struct cafe_pool;
struct cafe_engine;
struct cafe_limit;
struct cafe_mapped;
struct cafe_team;

enum { CAFE_MOST_ENGINE_NAME = 32 };

struct cafe_context {
    cafe_allocator allocator;
    struct cafe_pool *pool;
    struct cafe_context *parent;              /* cancelled with it; NULL: with none */
    const struct cafe_method *const *methods; /* that have names; NULL: those of the core */
    size_t method_count;
    int32_t threads;
    bool no_headings; /* of text tables that are written */
    uint64_t seed;
    char engine_name[CAFE_MOST_ENGINE_NAME];
    const struct cafe_engine *engine; /* of that name; NULL: not opened yet */
    const struct cafe_team *team;     /* the processes that it joins; NULL: this one alone */
    void *engines;                    /* all that were opened */
    void (*close_engines)(struct cafe_context *c); /* NULL: there are none */
    void *outputs; /* files that wait for their final names, and the function that ends them; NULL:
                    * none */
    void (*discard_outputs)(struct cafe_context *c);
    struct cafe_checkpoint *checkpoint; /* of the run that solves, src/run; NULL: none is kept */
    atomic_int cancelled;
    _Atomic(const char *) phase, last_phase;
    atomic_llong step, steps;
    _Atomic double value;
    atomic_llong bytes, peak;
    struct cafe_limit *limit;      /* base/memory_limit.h; NULL: there is none */
    struct cafe_mapped *maps;      /* files in memory */
    int64_t file_bytes, file_peak; /* of blocks in files */
    char tables[4096];             /* cafe_tables_read() */
    char error[1024];
    int32_t problem; /* the errno of the error; 0: none */
    bool agreed;     /* it is that of all processes */
};

/* An option in a message, a warning or a help text: CAFE_OPT("columns"), with a value
 * CAFE_OPT("rows=sparse"). Only options have these quotation marks, so every front end replaces
 * them by its own spelling: the tool --columns and --start layers, Python n_components and
 * rows="sparse". */
#define CAFE_OPT(name) "\u2018" name "\u2019"

/* Stores the text (printf style) as the context's error and returns `status`. */
CAFE_LAB cafe_status cafe_fail(cafe_context *context, cafe_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Returns CAFE_ERROR_IO with the text "PATH: WHAT: No such file or directory", the last part from
 * an errno. */
cafe_status cafe_fail_file(cafe_context *context, const char *path, const char *what, int problem);

/* Keeps how a table was read, the last time, for cafe_tables_read(); the oldest go where room is
 * missing. */
CAFE_LAB void cafe_note_table(cafe_context *context, const char *path, const char *reading);

/* Returns CAFE_ERROR_MEMORY with a text that names the purpose of the memory. */
cafe_status cafe_fail_memory(cafe_context *context, const char *what);

/* Returns CAFE_ERROR_CANCELLED after a call of cafe_cancel(). */
CAFE_LAB cafe_status cafe_check_cancel(cafe_context *context);

/* Starts a phase of `steps` steps (0: unknown); phase is a static word. */
CAFE_LAB void cafe_phase(cafe_context *context, const char *phase, int64_t steps);
CAFE_LAB void cafe_step(cafe_context *context, int64_t step, double value);

/* Leaves the function through its one exit, with `status` set. */
#define CAFE_TRY(call)                    \
    do {                                  \
        status = (call);                  \
        if (status != CAFE_OK) goto done; \
    } while (0)

/* Leaves a function that owns nothing at once. */
#define CAFE_PASS(call)                         \
    do {                                        \
        cafe_status passed_ = (call);           \
        if (passed_ != CAFE_OK) return passed_; \
    } while (0)

void cafe_reset_peak_bytes(cafe_context *context);

#endif
