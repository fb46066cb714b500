/* When checkpoints are written and what a run takes from them. */
#define _GNU_SOURCE
#include "solve/checkpoint.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/option.h"
#include "base/print.h"
#include "base/team.h"
#include "io/gzip.h"
#include "io/journal.h"
#include "io/outputs.h"
#include "io/temporary.h"

/* What a context keeps. */
struct cafe_checkpoint {
    char *path, *target, *folder, *temporary; /* as in cafe_kept_names */
    cafe_checkpoint_info info;
    cafe_kept_file found; /* that runs go on from; .head NULL: there is none */
};

struct cafe_keeper {
    cafe_context *context;
    struct cafe_checkpoint *checkpoint;
    const cafe_operator *op;
    const cafe_engine *engine;
    char *text;
    uint64_t *links;
    double *s;
    cafe_kept kept[CAFE_KEPT_ENDS]; /* of the ends so far */
    cafe_solution *solutions[CAFE_KEPT_ENDS];
};

/* ---- the context's --------------------------------------------------------------------------- */

static void drop(cafe_context *context) {
    struct cafe_checkpoint *c = context->checkpoint;
    if (!c) return;
    context->checkpoint = NULL;
    cafe_kept_close(context, &c->found);
    cafe_mem_free_all(context, c->path, c->target, c->folder, c->temporary, c);
}

static char *join(cafe_context *context, const char *folder, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static char *join(cafe_context *context, const char *folder, const char *format, ...) {
    char name[NAME_MAX + 1];
    va_list arguments;
    va_start(arguments, format);
    int length = cafe_vprint(name, sizeof name, format, arguments);
    va_end(arguments);
    size_t capacity = strlen(folder) + (size_t)length + 2;
    char *path = cafe_mem(context, (int64_t)capacity, 1);
    if (path) cafe_print(path, capacity, "%s/%s", strcmp(folder, "/") == 0 ? "" : folder, name);
    return path;
}

/* The file in full, behind symbolic links; and what is written before it has its name, which every
 * process of a run finds by itself, and the next run by its ending (io/temporary.h). */
static cafe_status resolve(cafe_context *context, struct cafe_checkpoint *c) {
    char real[PATH_MAX];
    struct stat about;
    const char *path = c->path;
    if (lstat(path, &about) == 0 && S_ISLNK(about.st_mode)) path = realpath(path, real);
    c->folder = path ? cafe_folder_of(context, path) : NULL;
    if (!c->folder)
        return errno ? cafe_fail_file(context, c->path, "the checkpoint cannot be written", errno)
                     : CAFE_ERROR_MEMORY;
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    c->target = join(context, c->folder, "%s", name);
    CAFE_PASS(cafe_mem_had(c->target));
    uint64_t number = cafe_crc64(0, c->target, (int64_t)strlen(c->target));
    c->temporary = join(context, c->folder, ".cafe-%016llx.tmp", (unsigned long long)number);
    return cafe_mem_had(c->temporary);
}

/* That nothing can be written is better known before the first sweep than after it. */
static cafe_status try_folder(cafe_context *context, const struct cafe_checkpoint *c) {
    char *name = NULL;
    int fd = cafe_temporary_open(context, c->folder, &name);
    cafe_status status = CAFE_OK;
    if (fd < 0)
        status = errno ? cafe_fail_file(context, c->path, "the checkpoint cannot be written", errno)
                       : CAFE_ERROR_MEMORY;
    if (fd >= 0) unlink(name);
    if (fd >= 0) close(fd);
    cafe_mem_free(context, name);
    return status;
}

static cafe_status look(cafe_context *context, struct cafe_checkpoint *c) {
    CAFE_PASS(cafe_kept_read(context, c->path, &c->found));
    bool there = c->found.head != NULL;
    c->info.ends = there ? (int32_t)c->found.ends : 0;
    c->info.sweeps = there ? c->found.kept[c->found.ends - 1].sizes.sweeps : 0;
    return CAFE_OK;
}

cafe_status cafe_checkpoint_keep(cafe_context *context, const char *path, int64_t every) {
    cafe_status status = CAFE_OK;
    drop(context);
    if (!path) return status;
    if (every < 1 || path[0] == 0)
        return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                         "a checkpoint is kept in a file, every so many sweeps, 1 at least");
    struct cafe_checkpoint *c = context->checkpoint = cafe_mem_zero(context, 1, sizeof *c);
    CAFE_PASS(cafe_mem_had(c));
    context->drop_checkpoint = drop;
    c->found.fd = -1;
    c->path = cafe_mem_text(context, path);
    CAFE_TRY(cafe_mem_had(c->path));
    c->info = (cafe_checkpoint_info){.path = c->path, .every = every};
    CAFE_TRY(cafe_journal_settle(context, path));
    CAFE_TRY(resolve(context, c));
    CAFE_TRY(try_folder(context, c));
    CAFE_TRY(look(context, c));
done:
    if (status != CAFE_OK) drop(context);
    return status;
}

void cafe_checkpoint_get_sized(const cafe_context *context, cafe_checkpoint_info *info,
                               size_t size) {
    cafe_checkpoint_info none = {0};
    cafe_struct_give(context->checkpoint ? &context->checkpoint->info : &none, sizeof none, info,
                     size);
}

cafe_status cafe_checkpoint_remove(cafe_context *context) {
    struct cafe_checkpoint *c = context->checkpoint;
    cafe_output *output = NULL;
    if (!c || (c->info.saved == 0 && c->info.resumed == 0)) return CAFE_OK;
    CAFE_PASS(cafe_output_remove(context, c->path, &output));
    return cafe_outputs_add(context, output);
}

struct cafe_checkpoint *cafe_checkpoint_pause(cafe_context *context) {
    struct cafe_checkpoint *c = context->checkpoint;
    context->checkpoint = NULL;
    return c;
}

void cafe_checkpoint_resume(cafe_context *context, struct cafe_checkpoint *checkpoint) {
    context->checkpoint = checkpoint;
}

/* ---- a run ----------------------------------------------------------------------------------- */

static cafe_status fail_fit(const cafe_keeper *k) {
    return cafe_fail(k->context, CAFE_ERROR_ARGUMENT,
                     "%s: is the checkpoint of another run: its columns or sweeps are not those "
                     "of this one; give another file, or remove this one",
                     k->checkpoint->path);
}

static cafe_status compare(cafe_keeper *k) {
    cafe_run_difference d;
    struct cafe_checkpoint *c = k->checkpoint;
    if (!c->found.head) return CAFE_OK;
    if (cafe_run_differs(c->found.text, k->text, &d))
        return cafe_fail(k->context, CAFE_ERROR_ARGUMENT,
                         "%s: is the checkpoint of another run: %s is %s there and %s here; give "
                         "another file, or remove this one",
                         c->path, d.name, d.there, d.here);
    if (c->found.nodes != k->op->n) return fail_fit(k);
    cafe_status status = cafe_kept_same_links(k->context, c->path, &c->found, k->engine, k->links);
    return cafe_team_agree(k->context, status);
}

cafe_status cafe_keeper_open(cafe_context *context, const cafe_operator *op,
                             const cafe_option_table *table, const void *options,
                             cafe_keeper_inputs inputs, cafe_keeper **keeper) {
    cafe_status status = CAFE_OK;
    struct cafe_checkpoint *c = context->checkpoint;
    cafe_keeper *k = NULL;
    *keeper = NULL;
    if (!c || op->n == 0) return CAFE_OK;
    k = cafe_mem_zero(context, 1, sizeof *k);
    CAFE_PASS(cafe_mem_had(k));
    k->context = context, k->checkpoint = c, k->op = op;
    CAFE_TRY(cafe_engine_in_use(context, &k->engine));
    CAFE_TRY(cafe_run_text(context, op, table, options, inputs, &k->text));
    CAFE_TRY(cafe_run_links(context, op, k->engine, &k->links));
    if (!c->found.head) CAFE_TRY(look(context, c)); /* another run of this context left one */
    CAFE_TRY(compare(k));
    *keeper = k;
    k = NULL;
done:
    cafe_keeper_close(k);
    return status;
}

void cafe_keeper_close(cafe_keeper *keeper) {
    if (!keeper) return;
    cafe_kept_close(keeper->context, &keeper->checkpoint->found);
    cafe_mem_free_all(keeper->context, keeper->text, keeper->links, keeper->s, keeper);
}

/* ---- what there is --------------------------------------------------------------------------- */

bool cafe_keeper_has(const cafe_passes *passes) {
    const cafe_kept_file *found = passes->keeper ? &passes->keeper->checkpoint->found : NULL;
    return found && found->head && passes->end < found->ends;
}

cafe_status cafe_keeper_restore(cafe_context *context, cafe_passes *passes, cafe_solution *s) {
    cafe_keeper *k = passes->keeper;
    struct cafe_checkpoint *c = k->checkpoint;
    const cafe_kept *kept = &c->found.kept[passes->end];
    const cafe_kept_sizes *sizes = &kept->sizes;
    if (sizes->columns != s->columns || sizes->sweeps > passes->most ||
        (sizes->trace > 0) != (s->trace != NULL))
        return fail_fit(k);
    cafe_phase(context, "checkpoint", 0);
    cafe_status status = cafe_kept_rows(context, c->path, &c->found, passes->end, &s->h);
    CAFE_PASS(cafe_team_agree(context, status));
    s->sweeps = sizes->sweeps;
    s->converged = (int32_t)sizes->converged;
    memcpy(s->objective, kept->objective, (size_t)(s->sweeps + 1) * sizeof *s->objective);
    if (s->trace) memcpy(s->trace, kept->trace, (size_t)sizes->trace * sizeof *s->trace);
    passes->level = sizes->level;
    memcpy(passes->memory, sizes->memory, sizeof passes->memory);
    c->info.resumed = sizes->sweeps;
    k->kept[passes->end].sizes = *sizes;
    k->kept[passes->end].sizes.sums = 0;
    k->kept[passes->end].objective = s->objective;
    k->kept[passes->end].trace = s->trace;
    k->solutions[passes->end] = s;
    return CAFE_OK;
}

cafe_status cafe_keeper_put_sums(cafe_context *context, const cafe_passes *passes,
                                 const cafe_solution *solution, void *sweep) {
    cafe_keeper *k = passes->keeper;
    const cafe_engine_ops *ops = cafe_ops(&solution->h);
    const cafe_kept *kept = &k->checkpoint->found.kept[passes->end];
    const cafe_chunks *chunks = ops->sweep_chunks(sweep);
    if (kept->sizes.chunks != chunks->count || kept->sizes.block != chunks->block ||
        kept->sizes.step != chunks->step)
        return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                         "%s: is the checkpoint of another run: %lld chunks in a sweep there and "
                         "%lld here (a memory limit may set them); give another file, or remove "
                         "this one",
                         k->checkpoint->path, (long long)kept->sizes.chunks,
                         (long long)chunks->count);
    if (kept->sizes.sums != k->op->parts.width * solution->stride) return fail_fit(k);
    return ops->sweep_sums(context, sweep, true, (double *)kept->s);
}

/* ---- what there will be ---------------------------------------------------------------------- */

/* What the end has reached. */
static cafe_status note_end(cafe_context *context, const cafe_passes *passes, cafe_solution *s,
                            void *sweep) {
    cafe_keeper *k = passes->keeper;
    cafe_kept *kept = &k->kept[passes->end];
    const cafe_chunks *chunks = cafe_ops(&s->h)->sweep_chunks(sweep);
    int64_t size = k->op->parts.width * s->stride;
    cafe_mem_free(context, k->s);
    k->s = cafe_mem(context, size, sizeof *k->s);
    CAFE_PASS(cafe_mem_had(k->s));
    CAFE_PASS(cafe_ops(&s->h)->sweep_sums(context, sweep, false, k->s));
    kept->sizes = (cafe_kept_sizes){.columns = s->columns,
                                    .sweeps = s->sweeps,
                                    .converged = s->converged,
                                    .chunks = chunks->count,
                                    .block = chunks->block,
                                    .step = chunks->step,
                                    .trace = s->trace ? s->sweeps + 1 : 0,
                                    .sums = size,
                                    .level = passes->level};
    memcpy(kept->sizes.memory, passes->memory, sizeof passes->memory);
    kept->objective = s->objective, kept->trace = s->trace, kept->s = k->s;
    k->solutions[passes->end] = s;
    return CAFE_OK;
}

cafe_status cafe_keeper_note(cafe_context *context, const cafe_passes *passes,
                             cafe_solution *solution, void *sweep, bool last) {
    cafe_keeper *k = passes->keeper;
    if (!k || !(last || solution->sweeps % k->checkpoint->info.every == 0)) return CAFE_OK;
    struct cafe_checkpoint *c = k->checkpoint;
    cafe_kept_names names = {c->path, c->target, c->folder, c->temporary};
    cafe_kept_file file = {.nodes = solution->n, .ends = passes->end + 1, .text = k->text};
    CAFE_PASS(note_end(context, passes, solution, sweep));
    file.links = k->links;
    for (int64_t e = 0; e <= passes->end; e++) {
        file.kept[e] = k->kept[e];
        if (e < passes->end) file.kept[e].sizes.sums = 0; /* it sweeps no more */
    }
    CAFE_PASS(cafe_kept_write(context, &names, &file, k->solutions));
    c->info.saved++;
    c->info.sweeps = solution->sweeps;
    c->info.ends = (int32_t)file.ends;
    c->info.bytes = file.size;
    return CAFE_OK;
}
