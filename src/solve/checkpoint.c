/* When checkpoints are written and what a run takes from them. */
#include "solve/checkpoint.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <cafe-private/output.h>

#include "base/memory.h"
#include "base/print.h"
#include "base/processes.h"
#include "io/gzip.h"
#include "io/output_set.h"
#include "io/temporary_file.h"
#include "os/os.h"

/* What is kept. */
struct cafe_checkpoint {
    char *path, *target, *folder; /* as in cafe_kept_names */
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

/* ---- what is kept ---------------------------------------------------------------------------- */

void cafe_checkpoint_free(cafe_context *context, struct cafe_checkpoint *c) {
    if (!c) return;
    cafe_kept_close(context, &c->found);
    cafe_mem_free_all(context, c->path, c->target, c->folder, c);
}

/* The file in full, behind symbolic links. */
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
    size_t capacity = strlen(c->folder) + strlen(name) + 2;
    c->target = cafe_mem(context, (int64_t)capacity, 1);
    CAFE_PASS(cafe_mem_had(c->target));
    cafe_print(c->target, capacity, "%s/%s", c->folder, name);
    return CAFE_OK;
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

/* Reads the head of the file if it exists: its ends, and the sweeps of the last one. */
static cafe_status look(cafe_context *context, struct cafe_checkpoint *c) {
    CAFE_PASS(cafe_kept_read(context, c->path, &c->found));
    bool there = c->found.head != NULL;
    c->info.ends = there ? (int32_t)c->found.ends : 0;
    c->info.sweeps = there ? c->found.kept[c->found.ends - 1].sizes.sweeps : 0;
    return CAFE_OK;
}

cafe_status cafe_checkpoint_open(cafe_context *context, const char *path, int64_t every,
                                 struct cafe_checkpoint **checkpoint) {
    cafe_status status = CAFE_OK;
    *checkpoint = NULL;
    if (every < 1 || path[0] == 0)
        return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                         "a checkpoint is kept in a file, every so many sweeps, 1 at least");
    struct cafe_checkpoint *c = cafe_mem_zero(context, 1, sizeof *c);
    CAFE_PASS(cafe_mem_had(c));
    c->found.fd = -1;
    c->path = cafe_mem_text(context, path);
    CAFE_TRY(cafe_mem_had(c->path));
    c->info = (cafe_checkpoint_info){.path = c->path, .every = every};
    CAFE_TRY(resolve(context, c));
    CAFE_TRY(try_folder(context, c));
    CAFE_TRY(look(context, c));
    *checkpoint = c;
    c = NULL;
done:
    cafe_checkpoint_free(context, c);
    return status;
}

const cafe_checkpoint_info *cafe_checkpoint_get(const struct cafe_checkpoint *c) {
    return &c->info;
}

cafe_status cafe_checkpoint_remove(cafe_context *context, const struct cafe_checkpoint *c) {
    cafe_output *output = NULL;
    if (c->info.saved == 0 && c->info.resumed == 0) return CAFE_OK;
    if (cafe_team_rank(context) > 0) return CAFE_OK; /* the first does, with the outputs' names */
    CAFE_PASS(cafe_output_remove(context, c->path, false, &output));
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

/* Fails unless text and nodes of the file are those of this run: a run continues only a run with
 * the same bits. */
static cafe_status compare(cafe_keeper *k) {
    cafe_run_difference d;
    struct cafe_checkpoint *c = k->checkpoint;
    if (!c->found.head) return CAFE_OK;
    if (cafe_run_differs(c->found.text, k->text, &d))
        return cafe_fail(k->context, CAFE_ERROR_ARGUMENT,
                         "%s: is the checkpoint of another run: %s is %s there and %s here; give "
                         "another file, or remove this one",
                         c->path, d.name, d.there, d.here);
    return c->found.nodes == k->op->n ? CAFE_OK : fail_fit(k);
}

/* Do all processes have the same file? */
static cafe_status compare_heads(cafe_keeper *k, bool *same) {
    const cafe_kept_file *found = &k->checkpoint->found;
    uint64_t mine = found->head ? cafe_crc64(0, found->head, found->head_bytes) : 0;
    void *all = NULL;
    CAFE_PASS(cafe_team_gather(k->context, &mine, sizeof mine, &all, NULL));
    *same = true;
    for (int32_t r = 0; r < cafe_team_ranks(k->context); r++)
        *same &= ((const uint64_t *)all)[r] == *(const uint64_t *)all;
    cafe_mem_free(k->context, all);
    return CAFE_OK;
}

/* A run that was told to end may still write while this one begins. Then not all of its processes
 * find the same sweep, and they look again until they do. */
static cafe_status find_same(cafe_keeper *k) {
    enum { TRIES = 100 };
    struct cafe_checkpoint *c = k->checkpoint;
    bool same = false;
    for (int i = 0; i < TRIES; i++) {
        CAFE_PASS(compare_heads(k, &same));
        if (same) return CAFE_OK;
        cafe_os_sleep(50000000);
        cafe_kept_close(k->context, &c->found);
        CAFE_PASS(cafe_team_agree(k->context, look(k->context, c)));
    }
    return cafe_fail(k->context, CAFE_ERROR_EXISTS, "%s: another run is writing this checkpoint",
                     c->path);
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
    if (!c->found.head) CAFE_TRY(look(context, c)); /* another run of this context left one */
    if (context->team) CAFE_TRY(find_same(k));
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

/* ---- parts of a checkpoint ------------------------------------------------------------------- */

/* Does the file have the end that these passes sweep? */
bool cafe_keeper_has(const cafe_passes *passes) {
    const cafe_kept_file *found = passes->keeper ? &passes->keeper->checkpoint->found : NULL;
    return found && found->head && passes->end < found->ends;
}

/* Once there is a block of these rows: of several processes each knows then which it holds. */
static cafe_status find_links(cafe_keeper *k) {
    return k->links ? CAFE_OK : cafe_run_links(k->context, k->op, k->engine, &k->links);
}

/* Reads the rows of an end, after the checksums of all pieces of the graph agreed with this graph.
 */
static cafe_status take_rows(cafe_keeper *k, int64_t end, cafe_block *h) {
    struct cafe_checkpoint *c = k->checkpoint;
    CAFE_PASS(find_links(k));
    CAFE_PASS(cafe_kept_same_links(k->context, c->path, &c->found, k->engine, k->links));
    return cafe_kept_rows(k->context, c->path, &c->found, end, h);
}

/* Continues from the file: after it, H, the course and the memory of the stopping rule are those of
 * the run after sweep `sweeps`. The claim of cafe_sweep() follows: every later sweep has the same
 * input. */
cafe_status cafe_keeper_restore(cafe_context *context, cafe_passes *passes, cafe_solution *s) {
    cafe_keeper *k = passes->keeper;
    struct cafe_checkpoint *c = k->checkpoint;
    const cafe_kept *kept = &c->found.kept[passes->end];
    const cafe_kept_sizes *sizes = &kept->sizes;
    if (sizes->columns != s->columns || sizes->sweeps > passes->most ||
        (sizes->trace > 0) != (s->trace != NULL))
        return fail_fit(k);
    cafe_phase(context, "checkpoint", 0);
    CAFE_PASS(cafe_team_agree(context, take_rows(k, passes->end, &s->h)));
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
    double *s = cafe_mem(context, kept->sizes.sums, sizeof *s);
    CAFE_PASS(cafe_mem_had(s));
    memcpy(s, kept->s, (size_t)kept->sizes.sums * sizeof *s);
    cafe_status status = ops->sweep_sums(context, sweep, true, s);
    cafe_mem_free(context, s);
    return status;
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
    cafe_kept_names names = {c->path, c->target, c->folder};
    cafe_kept_file file = {.nodes = solution->n, .ends = passes->end + 1, .text = k->text};
    CAFE_PASS(cafe_team_agree(context, find_links(k)));
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
