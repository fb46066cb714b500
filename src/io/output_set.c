/* Sets of files that belong together.
 *
 * All files are complete and synced under temporary names before the first gets its name. The
 * renames then follow directly, while every file has a mark (io/unfinished_mark.h): a run killed
 * among them leaves a set that readers refuse. Old and new file exchange names, so a run whose
 * renames fail can undo them.
 */
#include "io/output_set.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <cafe-private/output.h>

#include "base/memory.h"
#include "io/temporary_file.h"
#include "io/unfinished_mark.h"
#include "os/os.h"

/* The outputs between a begin and its end; an inner group passes its outputs to the outer one. */
typedef struct group {
    struct group *outer;
    cafe_output *first, **last;
    char *swept; /* the folder that was looked through */
} group;

/* ---- one file -------------------------------------------------------------------------------- */

/* Of an output that removes a file there is no open one. */
static bool is_removal(const cafe_output *output) {
    return output->fd < 0;
}

static cafe_status fail_naming(const cafe_output *o) {
    if (errno == EEXIST)
        return cafe_fail(o->context, CAFE_ERROR_EXISTS, "%s: exists and is not overwritten",
                         o->path);
    return cafe_fail_file(o->context, o->path,
                          is_removal(o) ? "cannot be removed" : "cannot be named", errno);
}

static cafe_status name_one(const cafe_output *o) {
    int failed = is_removal(o)  ? unlink(o->target) != 0 && errno != ENOENT
                 : o->overwrite ? rename(o->temporary, o->target)
                                : cafe_os_rename_free(o->temporary, o->target);
    if (failed || cafe_unfinished_remove(o->target) != 0) return fail_naming(o);
    return cafe_folder_sync(o->context, o->folder);
}

/* ---- several --------------------------------------------------------------------------------- */

/* How an output got its name, and so the way back. */
typedef enum way {
    WAITS,     /* it has not, or there was nothing to remove */
    FREE,      /* no file had the name */
    EXCHANGED, /* the old file has the temporary name; of a removal alone */
    OVER       /* the old file is gone */
} way;

typedef struct step {
    cafe_output *output;
    way way;
    bool marked; /* by this run */
} step;

typedef struct batch {
    cafe_context *context;
    step *steps; /* [count] */
    int64_t count;
} batch;

static cafe_status list_steps(cafe_output *first, batch *b) {
    int64_t i = 0;
    for (const cafe_output *o = first; o; o = o->next) b->count++;
    b->steps = cafe_mem_zero(b->context, b->count, sizeof *b->steps);
    if (!b->steps) return CAFE_ERROR_MEMORY;
    for (cafe_output *o = first; o; o = o->next) {
        b->steps[i++].output = o;
        if (is_removal(o)) o->temporary = cafe_temporary_name(b->context, o->folder);
        if (!o->temporary) return CAFE_ERROR_MEMORY;
    }
    return CAFE_OK;
}

/* Two outputs of one name cannot both be there. */
static cafe_status check_names(const batch *b) {
    for (int64_t i = 0; i < b->count; i++) {
        const cafe_output *o = b->steps[i].output;
        for (int64_t j = 0; j < i; j++)
            if (strcmp(o->target, b->steps[j].output->target) == 0)
                return cafe_fail(b->context, CAFE_ERROR_ARGUMENT,
                                 "%s: two files of this name would be written", o->path);
        errno = EEXIST;
        if (!o->overwrite && access(o->target, F_OK) == 0) return fail_naming(o);
    }
    return CAFE_OK;
}

static cafe_status put_marks(const batch *b) {
    for (step *s = b->steps; s < b->steps + b->count; s++) {
        if (is_removal(s->output)) continue;
        int made = cafe_unfinished_put(s->output->target);
        if (made < 0) return fail_naming(s->output);
        s->marked = made > 0;
    }
    return CAFE_OK;
}

/* Removes all marks, or those of this run: other marks belong to a killed run whose files did not
 * change. */
static cafe_status remove_marks(const batch *b, bool all) {
    for (const step *s = b->steps; s < b->steps + b->count; s++)
        if ((all || s->marked) && cafe_unfinished_remove(s->output->target) != 0)
            return fail_naming(s->output);
    return CAFE_OK;
}

static int give_name(step *s) {
    const char *from = s->output->temporary, *to = s->output->target;
    way done = EXCHANGED;
    int failed;
    if (is_removal(s->output)) {
        failed = rename(to, from);
        if (failed && errno == ENOENT) failed = 0, done = WAITS;
    } else if (!s->output->overwrite) {
        done = FREE;
        failed = cafe_os_rename_free(from, to);
    } else {
        failed = cafe_os_exchange(from, to);
        if (failed && (errno == ENOENT || errno == ENOSYS)) {
            done = access(to, F_OK) == 0 ? OVER : FREE;
            failed = rename(from, to);
        }
    }
    if (!failed) s->way = done;
    return failed;
}

static int take_back(const step *s) {
    const char *from = s->output->temporary, *to = s->output->target;
    if (s->way == WAITS) return 0;
    if (s->way == OVER) return -1;
    if (s->way == FREE) return rename(to, from);
    return is_removal(s->output) ? cafe_os_rename_free(from, to) : cafe_os_exchange(from, to);
}

/* Restores all old files. If that fails for a file, the marks stay and the error reports it. */
static void go_back(const batch *b) {
    char error[sizeof b->context->error];
    bool undone = true;
    memcpy(error, b->context->error, sizeof error);
    for (int64_t i = b->count; i-- > 0;) undone = take_back(&b->steps[i]) == 0 && undone;
    if (undone && remove_marks(b, false) == CAFE_OK) return;
    cafe_fail(b->context, CAFE_ERROR_IO,
              "%.800s; some files of the run are in place and some are not: they are refused until "
              "a run writes all of them",
              error);
}

static cafe_status sync_folders(const batch *b) {
    for (int64_t i = 0; i < b->count; i++) {
        const char *folder = b->steps[i].output->folder;
        int64_t j = 0;
        while (strcmp(b->steps[j].output->folder, folder) != 0) j++;
        if (j == i) CAFE_PASS(cafe_folder_sync(b->context, folder));
    }
    return CAFE_OK;
}

static cafe_status name_several(const batch *b) {
    cafe_status status = put_marks(b);
    for (int64_t i = 0; i < b->count && status == CAFE_OK; i++)
        if (give_name(&b->steps[i]) != 0) status = fail_naming(b->steps[i].output);
    if (status != CAFE_OK) {
        go_back(b);
        return status;
    }
    CAFE_PASS(remove_marks(b, true));
    return sync_folders(b);
}

/* ---- all ------------------------------------------------------------------------------------- */

/* Discards outputs with their temporary files, which are the old files of those already renamed. */
static void discard_all(cafe_output *first) {
    while (first) {
        cafe_output *next = first->next;
        cafe_output_discard(first);
        first = next;
    }
}

/* Gives all of them their names, or none. */
static cafe_status name_all(cafe_context *context, cafe_output *first) {
    batch b = {.context = context};
    cafe_status status;
    CAFE_TRY(cafe_check_cancel(context));
    CAFE_TRY(list_steps(first, &b));
    CAFE_TRY(check_names(&b));
    status = b.count == 1 ? name_one(first) : b.count > 1 ? name_several(&b) : CAFE_OK;
done:
    cafe_mem_free(context, b.steps);
    discard_all(first);
    return status;
}

/* ---- groups ---------------------------------------------------------------------------------- */

static group *pop(cafe_context *context) {
    group *g = context->outputs;
    context->outputs = g->outer;
    return g;
}

static void free_group(cafe_context *context, group *g) {
    cafe_mem_free_all(context, g->swept, g);
}

/* Frees groups that were not ended, together with the context. */
static void discard_groups(cafe_context *context) {
    while (context->outputs) cafe_outputs_end(context, CAFE_ERROR_CANCELLED);
}

cafe_status cafe_outputs_begin(cafe_context *context) {
    group *g = cafe_mem_zero(context, 1, sizeof *g);
    if (!g) return CAFE_ERROR_MEMORY;
    *g = (group){.outer = context->outputs, .last = &g->first};
    context->outputs = g;
    context->discard_outputs = discard_groups;
    return CAFE_OK;
}

cafe_status cafe_outputs_end(cafe_context *context, cafe_status status) {
    if (!context->outputs)
        return cafe_fail(context, CAFE_ERROR_ARGUMENT, "no group of outputs was begun");
    group *g = pop(context), *outer = context->outputs;
    if (status != CAFE_OK) {
        discard_all(g->first);
    } else if (outer) {
        *outer->last = g->first;
        if (g->first) outer->last = g->last;
    } else {
        status = name_all(context, g->first);
    }
    free_group(context, g);
    return status;
}

cafe_status cafe_outputs_add(cafe_context *context, cafe_output *output) {
    group *g = context->outputs;
    if (!g) return name_all(context, output);
    *g->last = output;
    g->last = &output->next;
    return CAFE_OK;
}

cafe_status cafe_outputs_prepare(cafe_context *context, const char *folder) {
    group *g = context->outputs;
    if (g && g->swept && strcmp(g->swept, folder) == 0) return CAFE_OK;
    cafe_temporaries_sweep(folder);
    if (!g) return CAFE_OK;
    cafe_mem_free(context, g->swept);
    g->swept = cafe_mem_text(context, folder);
    return g->swept ? CAFE_OK : CAFE_ERROR_MEMORY;
}
