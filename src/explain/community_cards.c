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

/* ---- sums over the communities ----------------------------------------------------------------
 */

static void add_factors(const cafe_operator_parts *q, cafe_member_lists *s) {
    for (int64_t u = 0; u < q->n; u++)
        for (int64_t l = 0; l < q->width && s->part[u] >= 0; l++)
            s->factors[s->part[u] * q->width + l] += q->f[u * q->width + l];
}

cafe_status cafe_explain_set_sums(cafe_context *context, const cafe_operator *op,
                                  cafe_member_lists *s) {
    const cafe_operator_parts *q = &op->parts;
    s->sums = cafe_mem_zero(context, s->count, sizeof *s->sums);
    s->inside = cafe_mem_zero(context, q->n, sizeof *s->inside);
    if (q->f) s->factors = cafe_mem_zero(context, s->count * q->width, sizeof *s->factors);
    CAFE_PASS(cafe_mem_had(s->sums, s->inside, q->f ? (void *)s->factors : s->sums));
    if (q->f) add_factors(q, s);
    if (!q->offsets) return CAFE_OK;
    return cafe_partition_sums(context, &CAFE_JOINT(q), s->part, s->count, s->sums, s->inside);
}

/* q(S,S') = sign p(S,S') + kappa F_S C F_S'^T; of a plain graph p(S,S') - p(S) p(S') */
static double covariance_of(const cafe_operator_parts *q, const cafe_member_lists *s, double edges,
                            int64_t i, int64_t k) {
    double sum = 0;
    if (!s->factors) return q->sign * edges + q->kappa * (s->sums[i].mass * s->sums[k].mass);
    const double *a = s->factors + i * q->width, *b = s->factors + k * q->width;
    for (int64_t l = 0; l < q->width; l++) sum += cafe_factor_sign(q, l) * (a[l] * b[l]);
    return q->sign * edges + q->kappa * sum;
}

double cafe_explain_strength(const cafe_operator_parts *q, const cafe_member_lists *s, int64_t i) {
    return covariance_of(q, s, s->sums[i].inside, i, i);
}

/* ---- lists of each community ----------------------------------------------------------------- */

typedef struct list_job {
    cafe_explanation *e;
    double *joint;    /* workers x communities: p(S,S') of the community at hand, else 0 */
    int32_t *touched; /* workers x communities: those S' */
    bool *met;        /* the same: is S' in the list? Weights of both signs may add up to 0. */
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
    bool *met = job->met + worker * s->count;
    int64_t count = 0;
    for (int64_t i = s->start[c]; i < s->start[c + 1]; i++) {
        int64_t u = s->members[i];
        for (int64_t j = links->offsets[u]; j < links->offsets[u + 1]; j++) {
            int32_t d = s->part[links->targets[j]];
            if (d < 0 || d == c) continue;
            if (!met[d]) touched[count++] = d;
            met[d] = true;
            joint[d] += CAFE_LINK(links, u, j);
        }
    }
    for (int64_t i = 0; i < count; i++) {
        int32_t d = touched[i];
        double q = covariance_of(links, s, joint[d] / links->total, c, d);
        cafe_listed_offer(s->nearest + c * e->top, &s->nearest_count[c], e->top,
                          (cafe_listed){d, q});
        joint[d] = 0, met[d] = false;
    }
}

static cafe_status list_nearest(cafe_context *context, cafe_explanation *e) {
    int64_t room = context->threads * e->sets.count;
    list_job job = {e, cafe_mem_zero(context, room, sizeof *job.joint),
                    cafe_mem(context, room, sizeof *job.touched),
                    cafe_mem_zero(context, room, sizeof *job.met)};
    cafe_status status = cafe_mem_had(job.joint, job.touched, job.met);
    if (status == CAFE_OK) status = cafe_parallel(context, e->sets.count, nearest_task, &job);
    cafe_mem_free_all(context, job.joint, job.touched, job.met);
    return status;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static cafe_status reserve(cafe_context *context, const cafe_explanation *e, cafe_member_lists *s) {
    s->start = cafe_mem_zero(context, s->count + 1, sizeof *s->start);
    s->members = cafe_mem(context, e->n, sizeof *s->members);
    s->central = cafe_mem(context, s->count * e->top, sizeof *s->central);
    s->nearest = cafe_mem(context, s->count * e->top, sizeof *s->nearest);
    s->central_count = cafe_mem_zero(context, s->count, sizeof *s->central_count);
    s->nearest_count = cafe_mem_zero(context, s->count, sizeof *s->nearest_count);
    return cafe_mem_had(s->start, s->members, s->central, s->nearest, s->central_count,
                        s->nearest_count);
}

cafe_status cafe_explain_sets(cafe_context *context, cafe_explanation *e, const int32_t *part) {
    cafe_member_lists *s = &e->sets;
    if (!cafe_operator_has_rows(e->op) || !e->op->parts.offsets) return CAFE_OK;
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
    CAFE_PASS(cafe_explain_set_sums(context, e->op, s));
    CAFE_PASS(cafe_each(context, s->count, list_central, e));
    return list_nearest(context, e);
}

void cafe_member_lists_free(cafe_context *context, cafe_member_lists *s) {
    cafe_mem_free_all(context, s->part, s->start, s->members, s->inside, s->factors, s->sums,
                      s->central, s->nearest, s->central_count, s->nearest_count);
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
        .strength = cafe_explain_strength(&e->op->parts, s, community),
        .conductance = cafe_set_conductance(sums),
        .central_count = s->central_count[community],
        .nearest_count = s->nearest_count[community],
        .central = s->central + community * e->top,
        .nearest = s->nearest + community * e->top,
    };
    cafe_struct_give(&own, sizeof own, card, size);
    return CAFE_OK;
}
