/* Node cards: where a node lies, what holds it there, and how firmly it belongs to its community.
 *
 * In tr(V^T Q V) node u has the part
 *
 *     <h_u, z_u> = sum over w of q(u,w) <h_u, h_w>,    q(u,w) = p(u,w) - p_u p_w
 *
 * The few nodes linked to u have p(u,w) > 0; all others act through -p_u p_w alone, each a little.
 * A card costs one pass over the block for the products <h_u, h_w>; the sums are taken in the order
 * of the nodes.
 *
 * Communities that u has no edge to attach it by -p_u p(S'): of them only the lightest can be the
 * second best, and to be alone (0) is better still. So the second best is among those linked to u
 * and the empty one.
 */
#include <math.h>

#include "base/finite.h"
#include "base/memory.h"
#include "base/option.h"
#include "base/thread_pool.h"
#include "explain/explain.h"

/* ---- position -------------------------------------------------------------------------------- */

typedef struct place_job {
    const cafe_explanation *e;
    int64_t node;
} place_job;

/* products[w] = <h_u, h_w> */
static void product_block(void *argument, int64_t first, int64_t last) {
    const place_job *job = argument;
    const cafe_explanation *e = job->e;
    const float *row = e->v.x + job->node * e->v.stride;
    for (int64_t w = first; w < last; w++)
        e->products[w] = e->op->kernels->dot(e->v.stride, row, e->v.x + w * e->v.stride);
}

static void measure_coordinate(const cafe_explanation *e, int64_t node, cafe_coordinate *c) {
    int64_t below = 0, level = 0;
    float value = e->v.x[node * e->v.stride + c->column];
    for (int64_t u = 0; u < e->n; u++) {
        float other = e->v.x[u * e->v.stride + c->column];
        below += other < value;
        level += other == value;
    }
    c->value = value;
    c->percentile = 100 * ((double)below + (double)level / 2) / (double)e->n;
}

/* A task per coordinate of the list: its percentile is a scan of the column. */
static void coordinate_task(void *argument, int64_t i) {
    const place_job *job = argument;
    measure_coordinate(job->e, job->node, job->e->coordinates + i);
}

/* The columns farthest from their mean at this node, in standard deviations. */
static cafe_status choose_coordinates(cafe_context *context, cafe_explanation *e, int64_t node,
                                      int64_t *count) {
    cafe_listed *list = cafe_mem(context, e->top, sizeof *list);
    if (!list) return CAFE_ERROR_MEMORY;
    for (int64_t k = 0; k < e->columns; k++) {
        cafe_dimension_card card;
        cafe_explain_dimension(e, k, &card);
        double away = e->v.x[node * e->v.stride + k] - card.mean;
        double score = card.deviation > 0 ? away / card.deviation : 0;
        cafe_listed_offer(list, count, e->top, (cafe_listed){(int32_t)k, fabs(score)});
    }
    for (int64_t i = 0; i < *count; i++) {
        cafe_dimension_card card;
        cafe_explain_dimension(e, list[i].index, &card);
        double away = e->v.x[node * e->v.stride + list[i].index] - card.mean;
        e->coordinates[i] = (cafe_coordinate){list[i].index, 0, 0, 0};
        e->coordinates[i].deviations = away < 0 ? -list[i].value : list[i].value;
    }
    cafe_mem_free(context, list);
    return CAFE_OK;
}

/* ---- forces ---------------------------------------------------------------------------------- */

/* As cafe_listed_offer() does, by the size of the force. */
static void offer_force(cafe_force *list, int64_t *count, int64_t room, cafe_force item) {
    int64_t i = *count < room ? (*count)++ : room;
    for (; i > 0 && fabs(item.value) > fabs(list[i - 1].value); i--)
        if (i < room) list[i] = list[i - 1];
    if (i < room) list[i] = item;
}

static void add_force(cafe_explanation *e, cafe_node_card *card, cafe_force f) {
    f.value = f.covariance * f.product;
    if (f.node == card->node) {
        card->own = f.value;
        return;
    }
    card->linked += f.linked;
    double *sum = f.value > 0 ? (f.linked ? &card->linked_pull : &card->other_pull)
                              : (f.linked ? &card->linked_push : &card->other_push);
    *sum += f.value;
    if (f.value > 0) offer_force(e->pulls, &card->pull_count, e->top, f);
    if (f.value < 0) offer_force(e->pushes, &card->push_count, e->top, f);
}

/* q(u,w) = sign p(u,w) + kappa f_u C f_w^T; of a plain graph p(u,w) - p_u p_w */
static double covariance_of(const cafe_operator_parts *q, double joint, int64_t u, int64_t w) {
    double sum = 0;
    if (!q->f) return q->sign * joint + q->kappa * (q->p[u] * q->p[w]);
    const float *a = q->f + u * q->width, *b = q->f + w * q->width;
    for (int64_t l = 0; l < q->width; l++) sum += cafe_factor_sign(q, l) * ((double)a[l] * b[l]);
    return q->sign * joint + q->kappa * sum;
}

/* q(u,S) without q(u,u), from p(u,S). */
static double attachment_to(const cafe_explanation *e, double joint, int64_t u, int32_t set) {
    const cafe_operator_parts *q = &e->op->parts;
    bool own = e->sets.part[u] == set;
    double sum = own ? -cafe_factor_square(q, u) : 0;
    if (!q->f) return joint - q->p[u] * (e->sets.sums[set].mass - (own ? q->p[u] : 0));
    const double *masses = e->sets.factors + set * q->width;
    for (int64_t l = 0; l < q->width; l++)
        sum += cafe_factor_sign(q, l) * (q->f[u * q->width + l] * masses[l]);
    return q->sign * joint + q->kappa * sum;
}

/* All nodes in order; the sorted row of u is read along. */
static void add_forces(cafe_explanation *e, cafe_node_card *card) {
    const cafe_operator_parts *s = &e->op->parts;
    int64_t u = card->node, j = s->offsets[u], end = s->offsets[u + 1];
    for (int64_t w = 0; w < e->n; w++) {
        double joint = 0;
        bool linked = j < end && s->targets[j] == w;
        if (linked) joint = CAFE_LINK(s, u, j) / s->total;
        j += linked;
        add_force(
            e, card,
            (cafe_force){(int32_t)w, linked, covariance_of(s, joint, u, w), e->products[w], 0});
    }
}

/* ---- the community --------------------------------------------------------------------------- */

/* p(u,S') of the communities of u's neighbours, in joint[]; those not met stay 0. */
static void join_neighbours(const cafe_explanation *e, int64_t u, double *joint) {
    const cafe_operator_parts *s = &e->op->parts;
    for (int64_t j = s->offsets[u]; j < s->offsets[u + 1]; j++) {
        int64_t w = s->targets[j];
        if (w == u || e->sets.part[w] < 0) continue;
        joint[e->sets.part[w]] += CAFE_LINK(s, u, j) / s->total;
    }
}

static void find_second(const cafe_explanation *e, const double *joint, cafe_node_card *card) {
    card->second = -1;
    for (int32_t c = 0; c < e->sets.count; c++) {
        if (c == card->community || !(joint[c] > 0 || e->sets.factors)) continue;
        double q = attachment_to(e, joint[c], card->node, c);
        if (!(q > card->second_attachment)) continue;
        card->second = c;
        card->second_attachment = q;
    }
    card->margin = card->attachment - card->second_attachment;
}

static void find_rank(const cafe_explanation *e, cafe_node_card *card) {
    const cafe_member_lists *s = &e->sets;
    double own = s->inside[card->node];
    card->rank = 1;
    for (int64_t i = s->start[card->community]; i < s->start[card->community + 1]; i++) {
        double other = s->inside[s->members[i]];
        card->rank += other > own || (other == own && s->members[i] < card->node);
    }
}

static cafe_status describe_community(cafe_context *context, const cafe_explanation *e,
                                      cafe_node_card *card) {
    const cafe_member_lists *s = &e->sets;
    card->second = card->community = -1;
    if (s->count == 0 || s->part[card->node] < 0) return CAFE_OK;
    int32_t c = card->community = s->part[card->node];
    double *joint = cafe_mem_zero(context, s->count, sizeof *joint);
    if (!joint) return CAFE_ERROR_MEMORY;
    join_neighbours(e, card->node, joint);
    card->attachment = attachment_to(e, joint[c], card->node, c);
    card->centrality = s->sums[c].mass > 0 ? s->inside[card->node] / s->sums[c].mass : 0;
    card->members = s->start[c + 1] - s->start[c];
    find_second(e, joint, card);
    find_rank(e, card);
    cafe_mem_free(context, joint);
    return CAFE_OK;
}

/* ---- the card -------------------------------------------------------------------------------- */

/* Room for cards, made with the first of them. */
static cafe_status reserve(cafe_context *context, cafe_explanation *e) {
    if (!e->products) e->products = cafe_mem(context, e->n, sizeof *e->products);
    if (!e->coordinates) e->coordinates = cafe_mem(context, e->top, sizeof *e->coordinates);
    if (!e->pulls) e->pulls = cafe_mem(context, e->top, sizeof *e->pulls);
    if (!e->pushes) e->pushes = cafe_mem(context, e->top, sizeof *e->pushes);
    return cafe_mem_had(e->products, e->coordinates, e->pulls, e->pushes);
}

cafe_status cafe_explain_node_sized(cafe_context *context, cafe_explanation *e, int64_t node,
                                    cafe_node_card *card, size_t size) {
    cafe_node_card own = {.node = node};
    place_job job = {e, node};
    CAFE_PASS(cafe_operator_need_edges(context, e->op));
    if (node < 0 || node >= e->n)
        return cafe_fail(context, CAFE_ERROR_ARGUMENT, "there is no node %lld: there are %lld",
                         (long long)node, (long long)e->n);
    own.mass = e->op->parts.p[node];
    CAFE_PASS(reserve(context, e));
    CAFE_PASS(cafe_ranges(context, e->n, CAFE_EXPLAIN_BLOCK, product_block, &job));
    own.length = sqrt(e->products[node]);
    own.total =
        e->op->kernels->dot(e->v.stride, e->v.x + node * e->v.stride, e->z.x + node * e->z.stride);
    add_forces(e, &own);
    double sum = own.own + own.linked_pull + own.linked_push + own.other_pull + own.other_push;
    CAFE_PASS(cafe_check_number(context, "the forces on the node", sum + own.total + own.length));
    CAFE_PASS(choose_coordinates(context, e, node, &own.coordinate_count));
    CAFE_PASS(cafe_each(context, own.coordinate_count, coordinate_task, &job));
    CAFE_PASS(describe_community(context, e, &own));
    own.coordinates = e->coordinates;
    own.pulls = e->pulls;
    own.pushes = e->pushes;
    cafe_struct_give(&own, sizeof own, card, size);
    return CAFE_OK;
}
