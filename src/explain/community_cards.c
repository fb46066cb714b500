/* Communities: their members, masses and inner centralities, and their cards.
 *
 * One pass over the arcs gives p(u, S(u)) of every node; all else is sums of those in the order of
 * the members. The neighbours of a community cost the arcs of its members: all cards together are
 * one more pass.
 */
#include <string.h>

#include <cafe/cluster.h>

#include "base/memory.h"
#include "base/option.h"
#include "base/thread_pool.h"
#include "explain/explain.h"

/* ---- the partition --------------------------------------------------------------------------- */

static cafe_status find_partition(cafe_context *context, const cafe_explanation *e, int32_t *part) {
    cafe_layers *layers = NULL;
    cafe_layer top;
    CAFE_PASS(cafe_layers_find(context, e->op, NULL, &layers));
    top = *cafe_layers_get(layers, cafe_layers_count(layers) - 1);
    memcpy(part, top.partition, (size_t)e->n * sizeof *part);
    cafe_layers_free(layers);
    return CAFE_OK;
}

static cafe_status count_parts(cafe_context *context, const cafe_explanation *e, int64_t *count) {
    const int32_t *part = e->sets.part;
    *count = 0;
    for (int64_t u = 0; u < e->n; u++) {
        if (part[u] >= e->n)
            return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                             "node %lld is in community %d: expected numbers below the %lld nodes",
                             (long long)u, part[u], (long long)e->n);
        if (part[u] >= *count) *count = part[u] + 1;
    }
    return CAFE_OK;
}

/* Members by counting: start[S] .. start[S+1], in the order of the nodes. */
static void list_members(const cafe_explanation *e, cafe_member_lists *s) {
    for (int64_t u = 0; u < e->n; u++)
        if (s->part[u] >= 0) s->start[s->part[u] + 1]++;
    for (int64_t c = 0; c < s->count; c++) s->start[c + 1] += s->start[c];
    for (int64_t u = 0; u < e->n; u++)
        if (s->part[u] >= 0) s->members[s->start[s->part[u]]++] = (int32_t)u;
    memmove(s->start + 1, s->start, (size_t)s->count * sizeof *s->start);
    s->start[0] = 0;
}

/* ---- lists of each community ----------------------------------------------------------------- */

typedef struct list_job {
    cafe_explanation *e;
    double *joint;    /* workers x communities: p(S,S') of the community at hand, else 0 */
    int32_t *touched; /* workers x communities: those S' */
} list_job;

/* the members by C(u|S) = p(u,S) / p(S) */
static void list_central(void *argument, int64_t c) {
    cafe_explanation *e = argument;
    cafe_member_lists *s = &e->sets;
    for (int64_t i = s->start[c]; i < s->start[c + 1]; i++) {
        double mass = s->sums[c].mass;
        double value = mass > 0 ? s->inside[s->members[i]] / mass : 0;
        cafe_listed_offer(s->central + c * e->top, &s->central_count[c], e->top,
                          (cafe_listed){s->members[i], value});
    }
}

/* Linked communities by q(S,S') = p(S,S') - p(S) p(S'). */
static void nearest_task(void *argument, int64_t c, int32_t worker) {
    const list_job *job = argument;
    cafe_explanation *e = job->e;
    cafe_member_lists *s = &e->sets;
    const cafe_operator_parts *links = &e->op->parts;
    double *joint = job->joint + worker * s->count;
    int32_t *touched = job->touched + worker * s->count;
    int64_t count = 0;
    for (int64_t i = s->start[c]; i < s->start[c + 1]; i++) {
        int64_t u = s->members[i];
        for (int64_t j = links->offsets[u]; j < links->offsets[u + 1]; j++) {
            int32_t d = s->part[links->targets[j]];
            if (d < 0 || d == c) continue;
            if (joint[d] == 0) touched[count++] = d;
            joint[d] += CAFE_LINK(links, u, j);
        }
    }
    for (int64_t i = 0; i < count; i++) {
        int32_t d = touched[i];
        double q = joint[d] / links->total - s->sums[c].mass * s->sums[d].mass;
        cafe_listed_offer(s->nearest + c * e->top, &s->nearest_count[c], e->top,
                          (cafe_listed){d, q});
        joint[d] = 0;
    }
}

static cafe_status list_nearest(cafe_context *context, cafe_explanation *e) {
    int64_t room = context->threads * e->sets.count;
    list_job job = {e, cafe_mem_zero(context, room, sizeof *job.joint),
                    cafe_mem(context, room, sizeof *job.touched)};
    cafe_status status = job.joint && job.touched
                             ? cafe_parallel(context, e->sets.count, nearest_task, &job)
                             : CAFE_ERROR_MEMORY;
    cafe_mem_free_all(context, job.joint, job.touched);
    return status;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static cafe_status reserve(cafe_context *context, const cafe_explanation *e, cafe_member_lists *s) {
    s->start = cafe_mem_zero(context, s->count + 1, sizeof *s->start);
    s->members = cafe_mem(context, e->n, sizeof *s->members);
    s->inside = cafe_mem(context, e->n, sizeof *s->inside);
    s->sums = cafe_mem(context, s->count, sizeof *s->sums);
    s->central = cafe_mem(context, s->count * e->top, sizeof *s->central);
    s->nearest = cafe_mem(context, s->count * e->top, sizeof *s->nearest);
    s->central_count = cafe_mem_zero(context, s->count, sizeof *s->central_count);
    s->nearest_count = cafe_mem_zero(context, s->count, sizeof *s->nearest_count);
    return cafe_mem_had(s->start, s->members, s->inside, s->sums, s->central, s->nearest,
                        s->central_count, s->nearest_count);
}

cafe_status cafe_explain_sets(cafe_context *context, cafe_explanation *e, const int32_t *part) {
    cafe_member_lists *s = &e->sets;
    if (!cafe_operator_has_rows(e->op)) return CAFE_OK;
    s->part = cafe_mem(context, e->n, sizeof *s->part);
    if (!s->part) return CAFE_ERROR_MEMORY;
    if (part)
        memcpy(s->part, part, (size_t)e->n * sizeof *part);
    else
        CAFE_PASS(find_partition(context, e, s->part));
    cafe_phase(context, "explain", 0);
    CAFE_PASS(count_parts(context, e, &s->count));
    CAFE_PASS(reserve(context, e, s));
    list_members(e, s);
    CAFE_PASS(cafe_partition_sums(context, &CAFE_JOINT(&e->op->parts), s->part, s->count, s->sums,
                                  s->inside));
    CAFE_PASS(cafe_each(context, s->count, list_central, e));
    return list_nearest(context, e);
}

void cafe_member_lists_free(cafe_context *context, cafe_member_lists *s) {
    cafe_mem_free_all(context, s->part, s->start, s->members, s->inside, s->sums, s->central,
                      s->nearest, s->central_count, s->nearest_count);
}

/* ---- the card -------------------------------------------------------------------------------- */

cafe_status cafe_explain_community_sized(cafe_context *context, const cafe_explanation *e,
                                         int32_t community, cafe_community_card *card,
                                         size_t size) {
    const cafe_member_lists *s = &e->sets;
    if (community < 0 || community >= s->count)
        return cafe_fail(context, CAFE_ERROR_ARGUMENT, "there is no community %d: there are %lld",
                         community, (long long)s->count);
    cafe_set_sums sums = s->sums[community];
    cafe_community_card own = {
        .community = community,
        .nodes = s->start[community + 1] - s->start[community],
        .mass = sums.mass,
        .inside = sums.inside,
        .strength = cafe_set_strength(sums),
        .conductance = cafe_set_conductance(sums),
        .central_count = s->central_count[community],
        .nearest_count = s->nearest_count[community],
        .central = s->central + community * e->top,
        .nearest = s->nearest + community * e->top,
    };
    cafe_struct_give(&own, sizeof own, card, size);
    return CAFE_OK;
}
