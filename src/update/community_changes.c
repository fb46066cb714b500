/* Births, deaths, splits and mergers: an old and a new partition compared by their overlaps.
 *
 * The overlaps o(c,d) of c are counted over its nodes, which stand together after one pass over all
 * nodes. The cost does not depend on the number of communities.
 */
#include <stddef.h>
#include <string.h>

#include "base/memory.h"
#include "base/option.h"
#include "graph/pooling.h"
#include "update/update.h"

static const cafe_option transition_options[] = {
    {"overlap", "R", CAFE_OPTION_REAL | CAFE_OPTION_TUNE,
     offsetof(cafe_transition_options, overlap), 0.5, 0.5, 1, NULL,
     "share of a community's nodes that counts as most of it"},
};

CAFE_OPTION_TABLE(transition, "communities", "what became of old communities", transition_options)

struct cafe_transition {
    cafe_context *context;
    int64_t *old_size, *new_size;
    int32_t *heir, *parent, *pieces, *sources;
    double *old_drift;
    cafe_transition_report report;
};

void cafe_transition_free(cafe_transition *t) {
    if (!t) return;
    cafe_mem_free_all(t->context, t->old_size, t->new_size, t->heir, t->parent, t->pieces,
                      t->sources, t->old_drift, t);
}

const cafe_transition_report *cafe_transition_get(const cafe_transition *transition) {
    return &transition->report;
}

static int64_t count_parts(int64_t n, const int32_t *part) {
    int64_t count = 0;
    for (int64_t u = 0; u < n; u++)
        if (part[u] >= count) count = (int64_t)part[u] + 1;
    return count;
}

static cafe_status allocate(cafe_context *context, cafe_transition *t, bool drift) {
    int64_t old = t->report.old_count, now = t->report.new_count;
    t->old_size = cafe_mem_zero(context, old, sizeof *t->old_size);
    t->new_size = cafe_mem_zero(context, now, sizeof *t->new_size);
    t->heir = cafe_mem(context, old, sizeof *t->heir);
    t->parent = cafe_mem(context, now, sizeof *t->parent);
    t->pieces = cafe_mem_zero(context, old, sizeof *t->pieces);
    t->sources = cafe_mem_zero(context, now, sizeof *t->sources);
    if (drift) t->old_drift = cafe_mem_zero(context, old, sizeof *t->old_drift);
    if (!t->old_size || !t->new_size || !t->heir || !t->parent || !t->pieces || !t->sources ||
        (drift && !t->old_drift))
        return CAFE_ERROR_MEMORY;
    memset(t->heir, 0xFF, (size_t)old * sizeof *t->heir);
    memset(t->parent, 0xFF, (size_t)now * sizeof *t->parent);
    return CAFE_OK;
}

/* Most of c went to d, and most of d came from c? */
static void note_overlap(cafe_transition *t, int64_t c, int64_t d, int64_t nodes, double overlap) {
    double o = (double)nodes;
    if (o > overlap * (double)t->old_size[c]) {
        t->heir[c] = (int32_t)d;
        t->sources[d]++;
    }
    if (o > overlap * (double)t->new_size[d]) {
        t->parent[d] = (int32_t)c;
        t->pieces[c]++;
    }
}

/* Overlaps of the nodes member[first .. last - 1] of c. shared[] is zero before and afterwards. */
static void count_shared(cafe_transition *t, const cafe_groups *groups, int64_t c,
                         const int32_t *after, double overlap, int64_t *shared) {
    int64_t first = groups->start[c], last = groups->start[c + 1];
    for (int64_t i = first; i < last; i++)
        if (after[groups->member[i]] >= 0) shared[after[groups->member[i]]]++;
    for (int64_t i = first; i < last; i++) {
        int32_t d = after[groups->member[i]];
        if (d < 0 || shared[d] == 0) continue;
        note_overlap(t, c, d, shared[d], overlap);
        shared[d] = 0;
    }
}

/* Nodes by their old community; those without one are the last group. */
static cafe_status find_overlaps(cafe_context *context, int64_t n, const int32_t *before,
                                 const int32_t *after, double overlap, cafe_transition *t) {
    cafe_status status = CAFE_OK;
    cafe_groups groups = {0, NULL, NULL};
    int32_t none = (int32_t)t->report.old_count, *group = cafe_mem(context, n, sizeof *group);
    int64_t *shared = cafe_mem_zero(context, t->report.new_count, sizeof *shared);
    CAFE_TRY(cafe_mem_had(group, shared));
    for (int64_t u = 0; u < n; u++) group[u] = before[u] < 0 ? none : before[u];
    CAFE_TRY(cafe_groups_new(context, n, group, t->report.old_count + 1, &groups));
    for (int64_t c = 0; c < t->report.old_count; c++)
        count_shared(t, &groups, c, after, overlap, shared);
done:
    cafe_groups_free(context, &groups);
    cafe_mem_free_all(context, group, shared);
    return status;
}

static void count_events(cafe_transition *t) {
    cafe_transition_report *r = &t->report;
    for (int64_t c = 0; c < r->old_count; c++) {
        r->died += t->old_size[c] > 0 && t->heir[c] < 0 && t->pieces[c] == 0;
        r->split += t->pieces[c] > 1;
    }
    for (int64_t d = 0; d < r->new_count; d++) {
        r->born += t->new_size[d] > 0 && t->parent[d] < 0 && t->sources[d] == 0;
        r->merged += t->sources[d] > 1;
    }
    r->old_size = t->old_size, r->new_size = t->new_size;
    r->heir = t->heir, r->parent = t->parent;
    r->pieces = t->pieces, r->sources = t->sources;
    r->old_drift = t->old_drift;
}

static void mean_drifts(int64_t n, const int32_t *before, const double *drift, cafe_transition *t) {
    if (!drift) return;
    for (int64_t u = 0; u < n; u++)
        if (before[u] >= 0 && drift[u] > 0) t->old_drift[before[u]] += drift[u];
    for (int64_t c = 0; c < t->report.old_count; c++)
        if (t->old_size[c] > 0) t->old_drift[c] /= (double)t->old_size[c];
}

cafe_status cafe_transition_find(cafe_context *context, int64_t n, const int32_t *before,
                                 const int32_t *after, const double *drift,
                                 const cafe_transition_options *options,
                                 cafe_transition **transition) {
    cafe_status status = CAFE_OK;
    cafe_transition *t = NULL;
    cafe_transition_options o;
    *transition = NULL;
    CAFE_TRY(cafe_options_take(context, &transition_table, options, &o));
    t = cafe_mem_zero(context, 1, sizeof *t);
    if (!t) return CAFE_ERROR_MEMORY;
    t->context = context;
    t->report.old_count = count_parts(n, before);
    t->report.new_count = count_parts(n, after);
    if (t->report.old_count > INT32_MAX - 1)
        CAFE_TRY(cafe_fail(context, CAFE_ERROR_ARGUMENT, "communities are numbered below %d",
                           INT32_MAX - 1));
    CAFE_TRY(allocate(context, t, drift != NULL));
    for (int64_t u = 0; u < n; u++) {
        if (before[u] >= 0) t->old_size[before[u]]++;
        if (after[u] >= 0) t->new_size[after[u]]++;
    }
    CAFE_TRY(find_overlaps(context, n, before, after, o.overlap, t));
    mean_drifts(n, before, drift, t);
    count_events(t);
    *transition = t;
    t = NULL;
done:
    cafe_transition_free(t);
    return status;
}
