/* Files that belong together.
 *
 * All of them are whole and synced under temporary names before the first gets its own. One rename
 * is atomic by itself; before several of them the list is put into the journal, so that a run that
 * dies among them is completed by the next, and what they replace gets a second name, so that a run
 * that fails among them can go back.
 */
#define _GNU_SOURCE
#include "io/outputs.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "io/journal.h"
#include "io/temporary.h"

/* What is between one begin and its end; an inner one hands its outputs to the outer. */
typedef struct group {
    struct group *outer;
    cafe_output *first, **last;
    char *swept; /* the folder that was looked through */
} group;

/* ---- naming ---------------------------------------------------------------------------------- */

typedef struct batch {
    cafe_context *context;
    cafe_naming *names; /* [count] */
    cafe_naming *back;  /* [count]: what undoes each */
    int64_t count;
    bool left; /* the next run has to complete it, and needs the temporary files */
} batch;

static cafe_status fail_naming(cafe_context *context, const cafe_naming *name) {
    if (errno == EEXIST)
        return cafe_fail(context, CAFE_ERROR_EXISTS, "%s: exists and is not overwritten",
                         name->shown);
    return cafe_fail_file(context, name->shown,
                          name->from ? "cannot be named" : "cannot be removed", errno);
}

static cafe_status list_names(cafe_output *first, batch *b) {
    int64_t i = 0;
    for (const cafe_output *o = first; o; o = o->next) b->count++;
    b->names = cafe_mem_zero(b->context, b->count, sizeof *b->names);
    b->back = cafe_mem_zero(b->context, b->count, sizeof *b->back);
    if (!b->names || !b->back) return CAFE_ERROR_MEMORY;
    for (const cafe_output *o = first; o; o = o->next, i++)
        b->names[i] = (cafe_naming){.from = o->temporary,
                                    .to = o->target,
                                    .folder = o->folder,
                                    .shown = o->path,
                                    .overwrite = o->overwrite};
    return CAFE_OK;
}

/* Two outputs of one name cannot both be there. */
static cafe_status check_names(const batch *b) {
    for (int64_t i = 0; i < b->count; i++) {
        for (int64_t j = 0; j < i; j++)
            if (strcmp(b->names[i].to, b->names[j].to) == 0)
                return cafe_fail(b->context, CAFE_ERROR_ARGUMENT,
                                 "%s: two files of this name would be written", b->names[i].shown);
        errno = EEXIST;
        if (!b->names[i].overwrite && access(b->names[i].to, F_OK) == 0)
            return fail_naming(b->context, &b->names[i]);
    }
    return CAFE_OK;
}

/* The file that is there gets a second name. Where there is none, or the file system has no such
 * names, the way back is to remove the new one. */
static cafe_status keep_old(batch *b) {
    for (int64_t i = 0; i < b->count; i++) {
        const cafe_naming *name = &b->names[i];
        b->back[i] = *name;
        b->back[i].from = NULL;
        b->back[i].overwrite = true;
        if (!name->overwrite) continue;
        char *old = cafe_temporary_name(b->context, name->folder);
        if (!old) return CAFE_ERROR_MEMORY;
        b->back[i].from = old;
        if (link(name->to, old) == 0) continue;
        int problem = errno;
        b->back[i].from = NULL;
        cafe_mem_free(b->context, old);
        errno = problem;
        if (problem != ENOENT && problem != EPERM && problem != EOPNOTSUPP && problem != EMLINK)
            return fail_naming(b->context, name);
    }
    return CAFE_OK;
}

static void forget_old(batch *b) {
    for (int64_t i = 0; b->back && i < b->count; i++) {
        if (!b->back[i].from) continue;
        unlink(b->back[i].from);
        cafe_mem_free(b->context, (char *)b->back[i].from);
    }
}

/* Undoes names 0 .. done-1; what fails here is left in the journal for the next run. */
static bool go_back(cafe_journal *journal, const batch *b, int64_t done) {
    char error[sizeof b->context->error];
    memcpy(error, b->context->error, sizeof error); /* tell why, not how it went afterwards */
    bool undone = cafe_journal_add(journal, b->back, done) == CAFE_OK;
    for (int64_t i = 0; i < done && undone; i++) undone = cafe_naming_do(&b->back[i]) == 0;
    memcpy(b->context->error, error, sizeof error);
    return undone;
}

static cafe_status name_several(batch *b) {
    cafe_journal journal;
    cafe_status status;
    int64_t done = 0;
    CAFE_PASS(cafe_journal_open(b->context, b->names, b->count, &journal));
    CAFE_TRY(keep_old(b));
    CAFE_TRY(cafe_journal_add(&journal, b->names, b->count));
    while (done < b->count && cafe_naming_do(&b->names[done]) == 0) done++;
    if (done == b->count)
        status = cafe_namings_sync(b->context, b->names, b->count);
    else
        status = fail_naming(b->context, &b->names[done]);
    if (done < b->count && !go_back(&journal, b, done)) {
        b->left = true;
        close(journal.fd); /* which keeps the file */
        journal.fd = -1;
        for (int64_t i = 0; i < b->count; i++) {
            cafe_mem_free(b->context, (char *)b->back[i].from);
            b->back[i].from = NULL;
        }
    }
done:
    cafe_journal_close(&journal);
    return status;
}

static cafe_status name_one(batch *b) {
    if (cafe_naming_do(b->names) != 0) return fail_naming(b->context, b->names);
    return cafe_namings_sync(b->context, b->names, 1);
}

static void discard_all(cafe_output *first) {
    while (first) {
        cafe_output *next = first->next;
        cafe_output_discard(first);
        first = next;
    }
}

/* Frees them without a look at the temporary files, which have other names now. */
static void forget_all(cafe_context *context, cafe_output *first) {
    for (cafe_output *o = first; o; o = o->next) {
        cafe_mem_free(context, o->temporary);
        o->temporary = NULL;
    }
    discard_all(first);
}

/* Gives all of them their names, or none. */
static cafe_status name_all(cafe_context *context, cafe_output *first) {
    batch b = {.context = context};
    cafe_status status;
    CAFE_TRY(cafe_check_cancel(context));
    CAFE_TRY(list_names(first, &b));
    CAFE_TRY(check_names(&b));
    status = b.count == 1 ? name_one(&b) : b.count > 1 ? name_several(&b) : CAFE_OK;
done:
    forget_old(&b);
    cafe_mem_free_all(context, b.names, b.back);
    if (status == CAFE_OK || b.left)
        forget_all(context, first);
    else
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

/* A context that is freed takes what was not ended with it. */
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
