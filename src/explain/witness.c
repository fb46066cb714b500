/* A partition as a witness for its own quality.
 *
 * Let N be symmetric with entries >= 0. Pairs in one community then weigh no less in Q + N than in
 * Q. So a vector y with diag(y) - Q - N positive semidefinite bounds the modularity of every
 * partition by the sum of y. If a partition is best and the bound tight, then y_u = q(u, S(u)) and
 * N is 0 inside the communities. For every other community T, (Q + N)(u,T) = 0. The row sums of the
 * block of N between S and T are -q(u,T), u in S, its column sums -q(w,S), w in T. (Such
 * certificates prove exact recovery of planted blocks: Hajek, Wu, Xu 2016.) With
 *
 *     a(u,T) = p(u,T) / (p_u p(T)),    A(S,T) = p(S,T) / (p(S) p(T))
 *
 * the matrix N(u,w) = p_u p_w (1 + A(S,T) - a(u,T) - a(w,S)) has these sums. It may be negative
 * where a is large, so every a is capped at (1 + A) / 2. Then N >= 0 holds for any partition. The
 * largest eigenvalue of D^-1/2 (Q + N - diag(y)) D^-1/2, added to the sum of y, pays for what is
 * not tight.
 *
 * A product with N costs the pairs of a node and a community that are linked, at most the arcs:
 *
 *     (N x)_u = p_u (sum over T != S of (1 + A(S,T)) s_T  -  e_S  -  sum over T of a(u,T) s_T)
 *     s_T = sum over w in T of p_w x_w,   e_S = sum over w not in S of p_w a(w,S) x_w
 */
#include "explain/witness.h"

#include <string.h>

#include "base/memory.h"
#include "graph/pooling.h"

enum { WIDTH = CAFE_EXACT_WIDTH };

/* ---- communities ----------------------------------------------------------------------------- */

/* Numbers 0 .. count-1; a node in no community becomes one of its own. */
static void number_parts(const int32_t *part, cafe_witness *w) {
    w->count = 0;
    for (int64_t u = 0; u < w->op->n; u++)
        if (part[u] >= w->count) w->count = part[u] + 1;
    for (int64_t u = 0; u < w->op->n; u++)
        w->part[u] = part[u] >= 0 ? part[u] : (int32_t)w->count++;
}

static cafe_status reserve(cafe_context *context, cafe_witness *w) {
    int64_t n = w->op->n, arcs = w->op->parts.offsets[n];
    w->mass = cafe_mem_zero(context, w->count, sizeof *w->mass);
    w->t = cafe_mem(context, n, sizeof *w->t);
    w->start = cafe_mem(context, n + 1, sizeof *w->start);
    w->community = cafe_mem(context, arcs, sizeof *w->community);
    w->joint = cafe_mem(context, arcs, sizeof *w->joint);
    w->capped = cafe_mem(context, arcs, sizeof *w->capped);
    w->sums = cafe_mem_zero(context, w->count * WIDTH, sizeof *w->sums);
    w->spread = cafe_mem_zero(context, w->count * WIDTH, sizeof *w->spread);
    w->linked = cafe_mem_zero(context, w->count * WIDTH, sizeof *w->linked);
    return cafe_mem_had(w->mass, w->t, w->start, w->community, w->joint, w->capped, w->sums,
                        w->spread, w->linked);
}

/* ---- nodes and communities ------------------------------------------------------------------- */

/* p(u,T) of the communities linked to u, in w->sums (which is 0 before and after): the own one goes
 * into y, the others into the list. */
static void join_node(cafe_witness *w, int64_t u, int64_t *count) {
    const cafe_operator_parts *s = &w->op->parts;
    int64_t first = *count;
    double own = 0, expected = s->p[u] * w->mass[w->part[u]];
    for (int64_t j = s->offsets[u]; j < s->offsets[u + 1]; j++) {
        int32_t c = w->part[s->targets[j]];
        double p = CAFE_LINK(s, u, j) / s->total;
        if (c == w->part[u]) {
            own += p;
            continue;
        }
        if (w->sums[c] == 0) w->community[(*count)++] = c;
        w->sums[c] += p;
    }
    for (int64_t i = first; i < *count; i++) {
        w->joint[i] = w->sums[w->community[i]] / w->mass[w->community[i]];
        w->sums[w->community[i]] = 0;
    }
    w->t[u] = s->p[u] > 0 ? (own - expected) / s->p[u] : 0;
    w->sum += own - expected;
}

/* p_u min(a(u,T), (1 + A(S,T)) / 2) for the nodes of one community S; A from sums over them. */
static void cap_community(cafe_witness *w, int64_t c, const int32_t *nodes, int64_t count) {
    const double *p = w->op->parts.p;
    for (int64_t k = 0; k < count; k++)
        for (int64_t i = w->start[nodes[k]]; i < w->start[nodes[k] + 1]; i++)
            w->sums[w->community[i]] += w->joint[i] / w->mass[c];
    for (int64_t k = 0; k < count; k++) {
        int64_t u = nodes[k];
        for (int64_t i = w->start[u]; i < w->start[u + 1]; i++) {
            double most = p[u] * (1 + w->sums[w->community[i]]) / 2;
            w->capped[i] = w->joint[i] < most ? w->joint[i] : most;
        }
    }
    for (int64_t k = 0; k < count; k++)
        for (int64_t i = w->start[nodes[k]]; i < w->start[nodes[k] + 1]; i++)
            w->sums[w->community[i]] = 0;
}

static cafe_status fill(cafe_context *context, cafe_witness *w) {
    int64_t n = w->op->n, count = 0;
    cafe_groups sets;
    cafe_status status = cafe_groups_new(context, n, w->part, w->count, &sets);
    CAFE_TRY(status);
    for (int64_t u = 0; u < n; u++) w->mass[w->part[u]] += w->op->parts.p[u];
    for (int64_t u = 0; u < n; u++) {
        w->start[u] = count;
        join_node(w, u, &count);
    }
    w->start[n] = count;
    CAFE_TRY(cafe_check_cancel(context));
    for (int64_t c = 0; c < w->count; c++)
        cap_community(w, c, sets.member + sets.start[c], sets.start[c + 1] - sets.start[c]);
    status = cafe_check_cancel(context);
done:
    cafe_groups_free(context, &sets);
    return status;
}

cafe_status cafe_witness_new(cafe_context *context, const cafe_operator *op, const int32_t *part,
                             cafe_witness *w) {
    *w = (cafe_witness){.op = op};
    w->part = cafe_mem(context, op->n, sizeof *w->part);
    if (!w->part) return CAFE_ERROR_MEMORY;
    number_parts(part, w);
    cafe_status status = reserve(context, w);
    return status == CAFE_OK ? fill(context, w) : status;
}

void cafe_witness_free(cafe_context *context, cafe_witness *w) {
    cafe_mem_free_all(context, w->part, w->mass, w->t, w->start, w->community, w->joint, w->capped,
                      w->sums, w->spread, w->linked);
}

/* ---- products -------------------------------------------------------------------------------- */

/* s_T in `sums`, their sum over all T in `all`. */
static void add_masses(cafe_witness *w, const double *x, double *all) {
    const double *p = w->op->parts.p;
    for (int64_t u = 0; u < w->op->n; u++)
        for (int k = 0; k < WIDTH; k++) w->sums[w->part[u] * WIDTH + k] += p[u] * x[u * WIDTH + k];
    for (int64_t c = 0; c < w->count; c++)
        for (int k = 0; k < WIDTH; k++) all[k] += w->sums[c * WIDTH + k];
}

/* The pairs of u and a community: e_T in `spread`, p(S) sum over T of A(S,T) s_T in `linked`. */
static void add_pairs(cafe_witness *w, int64_t u, const double *x, double *y) {
    double *linked = w->linked + w->part[u] * WIDTH;
    for (int64_t i = w->start[u]; i < w->start[u + 1]; i++) {
        const double *s = w->sums + w->community[i] * WIDTH;
        double *spread = w->spread + w->community[i] * WIDTH;
        for (int k = 0; k < WIDTH; k++) {
            linked[k] += w->joint[i] * s[k];
            y[k] -= w->capped[i] * s[k];
            spread[k] += w->capped[i] * x[k];
        }
    }
}

void cafe_witness_add(void *argument, const double *x, double *y) {
    cafe_witness *w = argument;
    const double *p = w->op->parts.p;
    int64_t n = w->op->n;
    double all[WIDTH] = {0};
    size_t bytes = (size_t)(w->count * WIDTH) * sizeof(double);
    memset(w->sums, 0, bytes);
    memset(w->spread, 0, bytes);
    memset(w->linked, 0, bytes);
    add_masses(w, x, all);
    for (int64_t u = 0; u < n; u++) add_pairs(w, u, x + u * WIDTH, y + u * WIDTH);
    for (int64_t u = 0; u < n; u++) {
        int64_t c = w->part[u];
        if (!(p[u] > 0)) continue;
        for (int k = 0; k < WIDTH; k++)
            y[u * WIDTH + k] +=
                p[u] * (all[k] - w->sums[c * WIDTH + k] + w->linked[c * WIDTH + k] / w->mass[c] -
                        w->spread[c * WIDTH + k]);
    }
}
