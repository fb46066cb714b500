/* The context: created, polled, cancelled, freed. */
#include "base/context.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cafe-private/inputs.h>
#include <cafe/cafe.h>

#include "base/memory_limit.h"
#include "base/option.h"
#include "base/print.h"
#include "base/thread_pool.h"
#include "os/os.h"

enum { MOST_THREADS = 1024 };

static void *plain_allocate(void *user, size_t bytes) {
    (void)user;
    return malloc(bytes);
}

static void plain_release(void *user, void *block) {
    (void)user;
    free(block);
}

static const cafe_context_options defaults = {.struct_size = sizeof defaults, .seed = 1};

static cafe_status settle_options(const cafe_context_options *given, cafe_context_options *o) {
    *o = defaults;
    if (cafe_struct_take(given, o, sizeof *o)) return CAFE_ERROR_ARGUMENT;
    if (o->threads < 0 || o->threads > MOST_THREADS) return CAFE_ERROR_ARGUMENT;
    if (o->threads == 0) o->threads = cafe_os_processors();
    if (!o->engine) o->engine = "processor";
    if (strlen(o->engine) >= CAFE_MOST_ENGINE_NAME) return CAFE_ERROR_ARGUMENT;
    if (!o->allocator.allocate)
        o->allocator = (cafe_allocator){plain_allocate, plain_release, NULL};
    return CAFE_OK;
}

cafe_status cafe_context_create(const cafe_context_options *options, cafe_context **context) {
    cafe_context_options o;
    *context = NULL;
    CAFE_PASS(settle_options(options, &o));
    cafe_context *c = o.allocator.allocate(o.allocator.user, sizeof *c);
    if (!c) return CAFE_ERROR_MEMORY;
    memset(c, 0, sizeof *c);
    c->allocator = o.allocator;
    c->threads = o.threads;
    c->seed = o.seed;
    c->no_headings = o.no_headings != 0;
    memcpy(c->engine_name, o.engine, strlen(o.engine) + 1);
    atomic_store(&c->phase, "");
    atomic_store(&c->last_phase, "");
    cafe_status status = cafe_pool_create(c);
    if (status != CAFE_OK)
        c->allocator.release(c->allocator.user, c);
    else
        *context = c;
    return status;
}

void cafe_context_free(cafe_context *context) {
    if (!context) return;
    if (context->discard_outputs) context->discard_outputs(context);
    if (context->close_engines) context->close_engines(context);
    cafe_pool_free(context);
    cafe_limit_free(context);
    context->allocator.release(context->allocator.user, context);
}

const char *cafe_error(const cafe_context *context) {
    return context->error;
}

int32_t cafe_error_number(const cafe_context *context) {
    return context->problem;
}

int32_t cafe_threads(const cafe_context *context) {
    return context->threads;
}

uint64_t cafe_seed(const cafe_context *context) {
    return context->seed;
}

void cafe_cancel(cafe_context *context) {
    atomic_store(&context->cancelled, 1);
}

void cafe_reset_cancel(cafe_context *context) {
    atomic_store(&context->cancelled, 0);
}

cafe_status cafe_check_cancel(cafe_context *context) {
    cafe_trim(context);
    if (context->parent && atomic_load_explicit(&context->parent->cancelled, memory_order_relaxed))
        cafe_cancel(context);
    if (!atomic_load_explicit(&context->cancelled, memory_order_relaxed)) return CAFE_OK;
    return cafe_fail(context, CAFE_ERROR_CANCELLED, "cancelled");
}

cafe_status cafe_fail(cafe_context *context, cafe_status status, const char *format, ...) {
    va_list arguments;
    char text[sizeof context->error];
    va_start(arguments, format);
    cafe_vprint(text, sizeof text, format, arguments);
    va_end(arguments);
    cafe_show(text, strlen(text), context->error, sizeof context->error);
    context->problem = 0;
    context->agreed = false;
    return status;
}

cafe_status cafe_fail_file(cafe_context *context, const char *path, const char *what, int problem) {
    cafe_fail(context, CAFE_ERROR_IO, "%s: %s: %s", path, what, strerror(problem));
    context->problem = problem;
    return CAFE_ERROR_IO;
}

void cafe_note_table(cafe_context *context, const char *path, const char *reading) {
    size_t length = strlen(path), room = sizeof context->tables;
    for (char *line = context->tables, *next; *line; line = next) { /* an earlier attempt goes */
        next = line + strcspn(line, "\n") + 1;
        if (strncmp(line, path, length) != 0 || line[length] != '\t') continue;
        memmove(line, next, strlen(next) + 1);
        next = line;
    }
    size_t used = strlen(context->tables), more = length + strlen(reading) + 2;
    while (used > 0 && used + more >= room) { /* the oldest go */
        size_t first = strcspn(context->tables, "\n") + 1;
        memmove(context->tables, context->tables + first, used - first + 1);
        used -= first;
    }
    if (used + more < room)
        cafe_print(context->tables + used, room - used, "%s\t%s\n", path, reading);
}

const char *cafe_tables_read(const cafe_context *context) {
    return context->tables;
}

cafe_status cafe_fail_memory(cafe_context *context, const char *what) {
    return cafe_fail(context, CAFE_ERROR_MEMORY, "out of memory: %s", what);
}

void cafe_phase(cafe_context *context, const char *phase, int64_t steps) {
    atomic_store(&context->step, 0);
    atomic_store(&context->steps, steps);
    atomic_store(&context->value, 0);
    atomic_store(&context->phase, phase);
    if (phase[0]) atomic_store(&context->last_phase, phase);
    cafe_os_progress(phase, 0, steps);
}

void cafe_step(cafe_context *context, int64_t step, double value) {
    atomic_store(&context->step, step);
    atomic_store(&context->value, value);
    cafe_os_progress(atomic_load(&context->phase), step, atomic_load(&context->steps));
}

void cafe_get_progress_sized(const cafe_context *context, cafe_progress *progress, size_t size) {
    cafe_progress now = {.last = atomic_load(&context->last_phase),
                         .phase = atomic_load(&context->phase),
                         .step = atomic_load(&context->step),
                         .steps = atomic_load(&context->steps),
                         .value = atomic_load(&context->value)};
    cafe_struct_give(&now, sizeof now, progress, size);
}

int64_t cafe_bytes(const cafe_context *context) {
    return atomic_load(&context->bytes);
}

int64_t cafe_peak_bytes(const cafe_context *context) {
    return atomic_load(&context->peak);
}

int64_t cafe_peak_file_bytes(const cafe_context *context) {
    return context->file_peak;
}

void cafe_reset_peak_bytes(cafe_context *context) {
    atomic_store(&context->peak, atomic_load(&context->bytes));
}

#define TEXT_OF(x)            #x
#define VERSION_TEXT(a, b, c) TEXT_OF(a) "." TEXT_OF(b) "." TEXT_OF(c)

const char *cafe_version(void) {
    return VERSION_TEXT(CAFE_VERSION_MAJOR, CAFE_VERSION_MINOR, CAFE_VERSION_PATCH);
}

int32_t cafe_abi_version(void) {
    return 1;
}
