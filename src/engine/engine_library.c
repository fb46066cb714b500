/* Engines in shared libraries: found, checked, opened, listed.
 *
 * A library comes from one of three places. They are the folder of libcafe itself (of the program,
 * if libcafe is linked into it), the folder of installed libraries beside the program's, or a
 * folder of CAFE_ENGINE_PATH. Folders without an absolute path are ignored, so the working
 * directory of a process never matters. Libraries that others may change are refused
 * (engine_folders.c). The list loads no library, unless the caller asks for it.
 */
#include <limits.h>
#include <string.h>

#include <cafe-private/team.h>

#include "base/memory.h"
#include "base/print.h"
#include "base/processes.h"
#include "base/thread_pool.h"
#include "engine/engine.h"
#include "engine/engine_folders.h"
#include "engine/processor.h"
#include "os/os.h"

#define BEFORE "libcafe-"
#define BEHIND ".so"

/* An engine that a context has opened. */
typedef struct opened {
    struct opened *next;
    cafe_engine engine;
    cafe_team team; /* of the processes that it joins */
    const cafe_engine_library *library;
    void *handle;
} opened;

static int32_t threads(const cafe_context *context) {
    return context->threads;
}

static const cafe_engine_host host = {
    .fail = cafe_fail,
    .check_cancel = cafe_check_cancel,
    .allocate = cafe_mem,
    .release = cafe_mem_free,
    .chunks = cafe_chunks_new,
    .lay_out = cafe_chunks_lay_out,
    .chunks_free = cafe_chunks_free,
    .ranges = cafe_ranges,
    .parallel = cafe_parallel,
    .threads = threads,
    .processor = &cafe_processor,
    .kernels = cafe_kernels_best,
    .stream_rows = cafe_stream_rows,
    .gram_pieces = cafe_processor_gram_pieces,
    .product_rows = cafe_product_rows,
    .eight_rows = cafe_eight_rows,
    .moving = cafe_moving_of,
    .move_row = cafe_move_row,
};

/* ---- one library ----------------------------------------------------------------------------- */

static cafe_status check_library(cafe_context *context, const char *path, const char *name,
                                 const cafe_engine_library *library) {
    if (!library) return cafe_fail(context, CAFE_ERROR_SYSTEM, "%s: is no engine of Cafe", path);
    if (library->interface != CAFE_ENGINE_INTERFACE)
        return cafe_fail(context, CAFE_ERROR_SYSTEM,
                         "%s: is for version %d of the interface of engines, this library has %d",
                         path, (int)library->interface, CAFE_ENGINE_INTERFACE);
    if (library->table_size != sizeof(cafe_engine_ops))
        return cafe_fail(context, CAFE_ERROR_SYSTEM,
                         "%s: its table of operations has %zu bytes, this library's %zu", path,
                         library->table_size, sizeof(cafe_engine_ops));
    if (strcmp(library->name, name) != 0)
        return cafe_fail(context, CAFE_ERROR_SYSTEM, "%s: calls itself '%s'", path, library->name);
    return CAFE_OK;
}

/* Loads the file and checks that it is an engine. The caller closes *handle, whatever the status.
 */
static cafe_status load(cafe_context *context, const char *path, const char *name, void **handle,
                        const cafe_engine_library **library) {
    char real[PATH_MAX];
    *handle = NULL;
    CAFE_PASS(cafe_engine_check_file(context, path, real));
    *handle = cafe_os_load(real);
    *library = *handle ? cafe_os_symbol(*handle, "cafe_engine_entry") : NULL;
    if (!*handle) return cafe_fail(context, CAFE_ERROR_SYSTEM, "%s", cafe_os_load_error());
    return check_library(context, path, name, *library);
}

/* ---- opening --------------------------------------------------------------------------------- */

static void close_engines(cafe_context *context) {
    for (opened *o = context->engines, *next; o; o = next) {
        next = o->next;
        o->library->close(context, o->engine.state);
        cafe_os_unload(o->handle);
        cafe_mem_free(context, o);
    }
    context->engines = NULL;
}

static cafe_status agree(cafe_context *context, const void *state, cafe_status status) {
    const cafe_engine *engine = state;
    return engine->ops->agree(context, engine, status);
}

static cafe_status exchange(cafe_context *context, const void *state, const void *give,
                            const int64_t *sizes, void **got, int64_t *got_sizes) {
    const cafe_engine *engine = state;
    return engine->ops->exchange(context, engine, give, sizes, got, got_sizes);
}

/* Returns the processes of an engine for the readers of graphs; NULL for a single process. */
static const cafe_team *team_of(const cafe_context *context, const cafe_engine *engine) {
    opened *o = context->engines;
    while (o && &o->engine != engine) o = o->next;
    if (!o || !engine->ops->exchange) return NULL;
    o->team = (cafe_team){.state = engine, .agree = agree, .exchange = exchange};
    engine->ops->team(engine, &o->team.rank, &o->team.ranks);
    return o->team.ranks > 1 ? &o->team : NULL;
}

static cafe_status open_library(cafe_context *context, const char *path, const char *name,
                                const cafe_engine **engine) {
    opened *o = cafe_mem_zero(context, 1, sizeof *o);
    if (!o) return CAFE_ERROR_MEMORY;
    cafe_status status = load(context, path, name, &o->handle, &o->library);
    if (status == CAFE_OK) status = o->library->open(context, &host, &o->engine.state);
    if (status != CAFE_OK) {
        cafe_os_unload(o->handle);
        cafe_mem_free(context, o);
        return status;
    }
    o->engine.ops = o->library->ops;
    o->engine.name = o->library->name;
    o->next = context->engines;
    context->engines = o;
    context->close_engines = close_engines;
    *engine = &o->engine;
    return CAFE_OK;
}

/* libcafe-lab.so has the form of an engine's file. */
static bool is_name(const char *name) {
    size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-");
    return length > 0 && length < CAFE_MOST_ENGINE_NAME && !name[length] &&
           strcmp(name, "lab") != 0;
}

static cafe_status find(cafe_context *context, const char *name, const cafe_engine **engine) {
    char folder[PATH_MAX], path[PATH_MAX + 64];
    for (int64_t i = 0; cafe_engine_folder(i, folder); i++) {
        cafe_print(path, sizeof path, "%s/" BEFORE "%s" BEHIND, folder, name);
        if (folder[0] && access(path, F_OK) == 0) return open_library(context, path, name, engine);
    }
    const char *more = cafe_engine_path();
    cafe_engine_folder(0, folder);
    return cafe_fail(context, CAFE_ERROR_SYSTEM,
                     "there is no engine '%s': no " BEFORE "%s" BEHIND " in %s%s%s%s", name, name,
                     folder[0] ? folder : "the library's folder (unknown here)",
                     folder[0] ? " and its ../" CAFE_LIBRARY_FOLDER : "",
                     more ? " nor in CAFE_ENGINE_PATH, " : "; CAFE_ENGINE_PATH is not set",
                     more ? more : "");
}

cafe_status cafe_engine_open(cafe_context *context, const char *name) {
    const cafe_engine *engine = NULL;
    cafe_status status = CAFE_OK;
    if (!name || strcmp(name, cafe_processor.name) == 0) engine = &cafe_processor;
    for (const opened *o = context->engines; o && !engine; o = o->next)
        if (strcmp(o->engine.name, name) == 0) engine = &o->engine;
    if (!engine && !is_name(name))
        return cafe_fail(context, CAFE_ERROR_ARGUMENT, "'%s' is no name of an engine", name);
    if (!engine) status = find(context, name, &engine);
    if (status != CAFE_OK) return status;
    context->engine = engine;
    context->team = team_of(context, engine);
    cafe_print(context->engine_name, sizeof context->engine_name, "%s", engine->name);
    return CAFE_OK;
}

const char *cafe_engine_name(const cafe_context *context) {
    return context->engine_name;
}

cafe_status cafe_engine_in_use(cafe_context *context, const cafe_engine **engine) {
    cafe_status status =
        context->engine ? CAFE_OK : cafe_engine_open(context, context->engine_name);
    *engine = context->engine;
    return status;
}

/* ---- the list -------------------------------------------------------------------------------- */

typedef struct entry {
    cafe_engine_info info;
    struct entry *next;
    char name[CAFE_MOST_ENGINE_NAME], summary[256], version[32], path[PATH_MAX + 64];
    char problem[1024];
} entry;

struct cafe_engine_list {
    cafe_context *context;
    bool probe;
    int64_t count;
    entry *first, *last;
};

static entry *new_entry(cafe_engine_list *list) {
    entry *e = cafe_mem_zero(list->context, 1, sizeof *e);
    if (!e) return NULL;
    e->info = (cafe_engine_info){e->name, e->summary, e->version, e->path, NULL};
    *(list->last ? &list->last->next : &list->first) = e;
    list->last = e;
    list->count++;
    return e;
}

static const entry *find_entry(const cafe_engine_list *list, const char *name) {
    const entry *e = list->first;
    while (e && strcmp(e->name, name) != 0) e = e->next;
    return e;
}

/* Opens the engine and closes it again. An engine without `about` is only loaded, together with the
 * libraries that it needs: opening it may start parts that a process can start only once. */
static cafe_status probe(cafe_context *context, entry *e) {
    void *handle = NULL, *state = NULL;
    const cafe_engine_library *library = NULL;
    cafe_status status = load(context, e->path, e->name, &handle, &library);
    if (status == CAFE_OK) {
        cafe_print(e->summary, sizeof e->summary, "%s", library->summary);
        cafe_print(e->version, sizeof e->version, "%s", library->version);
        if (library->about) status = library->open(context, &host, &state);
        if (state) {
            cafe_print(e->summary, sizeof e->summary, "%s", library->about(state));
            library->close(context, state);
        }
    }
    cafe_os_unload(handle);
    return status;
}

/* Describes an entry of the list. Without a probe the file is not read; only the permissions are
 * checked. */
static void describe(const cafe_engine_list *list, entry *e) {
    char real[PATH_MAX];
    cafe_context *context = list->context;
    cafe_status status =
        list->probe ? probe(context, e) : cafe_engine_check_file(context, e->path, real);
    if (status == CAFE_OK) return;
    cafe_print(e->problem, sizeof e->problem, "%s", context->error);
    e->info.problem = e->problem;
    context->error[0] = 0; /* an engine that is not usable is no failure of the list */
}

/* The name in "libcafe-NAME.so"; false for other files. */
static bool name_of(const char *file, char name[CAFE_MOST_ENGINE_NAME]) {
    size_t length = strlen(file), before = strlen(BEFORE), behind = strlen(BEHIND);
    if (length <= before + behind || strncmp(file, BEFORE, before) != 0) return false;
    if (strcmp(file + length - behind, BEHIND) != 0) return false;
    length -= before + behind;
    if (length >= CAFE_MOST_ENGINE_NAME) return false;
    memcpy(name, file + before, length);
    name[length] = 0;
    return is_name(name);
}

static cafe_status add_folder(cafe_engine_list *list, const char *folder) {
    cafe_status status = CAFE_OK;
    DIR *directory = folder[0] ? opendir(folder) : NULL;
    const struct dirent *file;
    char name[CAFE_MOST_ENGINE_NAME];
    while (directory && status == CAFE_OK && (file = readdir(directory))) {
        if (!name_of(file->d_name, name) || find_entry(list, name)) continue;
        entry *e = new_entry(list);
        if (!e) status = CAFE_ERROR_MEMORY;
        if (!e) break;
        memcpy(e->name, name, sizeof name);
        cafe_print(e->path, sizeof e->path, "%s/%s", folder, file->d_name);
        describe(list, e);
    }
    if (directory) closedir(directory);
    return status;
}

cafe_status cafe_engine_list_make(cafe_context *context, int32_t probe, cafe_engine_list **list) {
    char folder[PATH_MAX];
    cafe_engine_list *l = cafe_mem_zero(context, 1, sizeof *l);
    *list = NULL;
    if (!l) return CAFE_ERROR_MEMORY;
    l->context = context;
    l->probe = probe != 0;
    entry *e = new_entry(l);
    cafe_status status = e ? CAFE_OK : CAFE_ERROR_MEMORY;
    if (e) {
        cafe_print(e->name, sizeof e->name, "%s", cafe_processor.name);
        cafe_print(e->summary, sizeof e->summary, "this machine's memory and threads, %s kernels",
                   cafe_kernels_best()->name);
        cafe_print(e->version, sizeof e->version, "%s", cafe_version());
    }
    for (int64_t i = 0; status == CAFE_OK && cafe_engine_folder(i, folder); i++)
        status = add_folder(l, folder);
    if (status == CAFE_OK)
        *list = l;
    else
        cafe_engine_list_free(l);
    return status;
}

int64_t cafe_engine_list_count(const cafe_engine_list *list) {
    return list->count;
}

const cafe_engine_info *cafe_engine_list_get(const cafe_engine_list *list, int64_t i) {
    const entry *e = list->first;
    while (e && i-- > 0) e = e->next;
    return e ? &e->info : NULL;
}

void cafe_engine_list_free(cafe_engine_list *list) {
    if (!list) return;
    for (entry *e = list->first, *next; e; e = next) {
        next = e->next;
        cafe_mem_free(list->context, e);
    }
    cafe_mem_free(list->context, list);
}
