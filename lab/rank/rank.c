/* Centralities and figures of sets: one pass over the rows of P, or several passes for PageRank.
 *
 * All sums are double, in blocks of nodes of fixed size that are added in their order: the same
 * bits for any number of threads.
 */
#include <cafe/rank.h>

#include <float.h>
#include <math.h>

#include "base/finite.h"
#include "base/memory.h"
#include "base/option.h"
#include "base/thread_pool.h"
#include "rank/top_list.h"
#include "sample/sampled_graph.h"
#include "sample/set_masses.h"

enum {
    BLOCK = 1024,
    PIECE = 256 /* edges of a row that are added up before they join its sum */
};

/* Represents sets as a partition: bit i of part[u] is 1 if u is in set i. */
static cafe_status mark(cafe_context *context, int64_t n, const uint8_t *first,
                        const uint8_t *second, int32_t **part) {
    *part = cafe_mem(context, n, sizeof **part);
    if (!*part) return CAFE_ERROR_MEMORY;
    for (int64_t u = 0; u < n; u++) (*part)[u] = (first[u] != 0) + (second && second[u] ? 2 : 0);
    return CAFE_OK;
}

/* ---- C(u|S) = p(u,S) / p(S) ------------------------------------------------------------------ */

typedef struct relative_job {
    cafe_joint joint;
    const int32_t *part;
    double *value;
    double mass; /* p(S) */
} relative_job;

static void relative_block(void *argument, int64_t first, int64_t last) {
    const relative_job *job = argument;
    for (int64_t u = first; u < last; u++)
        job->value[u] = cafe_joint_node(&job->joint, job->part, 1, u) / job->mass;
}

cafe_status cafe_rank_relative(cafe_context *context, const cafe_sampled *sampled,
                               const uint8_t *member, double *value) {
    relative_job job = {CAFE_JOINT(sampled), NULL, value, 0};
    int32_t *part = NULL;
    for (int64_t u = 0; u < sampled->n; u++)
        if (member[u]) job.mass += sampled->p[u];
    if (!(job.mass > 0))
        return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                         "the set has no edges: nothing is drawn from it, and nothing is central "
                         "to it");
    cafe_status status = mark(context, sampled->n, member, NULL, &part);
    job.part = part;
    if (status == CAFE_OK) status = cafe_ranges(context, sampled->n, BLOCK, relative_block, &job);
    cafe_mem_free(context, part);
    return status;
}

/* ---- two sets -------------------------------------------------------------------------------- */

enum { CLASSES = 4 }; /* in none, in the first, in the second, in both */

/* p(A,B) for the sets of bits a and b */
static double joint_of(const double *pairs, int a, int b) {
    double sum = 0;
    for (int i = 0; i < CLASSES; i++)
        for (int j = 0; j < CLASSES; j++)
            if ((i & a) && (j & b)) sum += pairs[i * CLASSES + j];
    return sum;
}

static cafe_set_sums sums_of(const double *pairs, const double *mass, int bit) {
    cafe_set_sums sums = {0, 0, joint_of(pairs, bit, bit)};
    for (int i = 0; i < CLASSES; i++)
        if (i & bit) sums.mass += mass[i];
    return sums;
}

static cafe_set_figures describe(int64_t n, const uint8_t *member, cafe_set_sums s) {
    cafe_set_figures f = {0, s.mass, s.inside, cafe_set_strength(s), cafe_set_conductance(s)};
    for (int64_t u = 0; u < n; u++) f.nodes += member[u] != 0;
    return f;
}

cafe_status cafe_set_compare_sized(cafe_context *context, const cafe_sampled *sampled,
                                   const uint8_t *first, const uint8_t *second,
                                   cafe_pair_figures *figures, size_t size) {
    double pairs[CLASSES * CLASSES], mass[CLASSES];
    int64_t n = sampled->n;
    int32_t *part = NULL;
    cafe_status status = mark(context, n, first, second, &part);
    if (status == CAFE_OK)
        status = cafe_partition_pairs(context, &CAFE_JOINT(sampled), part, CLASSES, pairs, mass);
    cafe_mem_free(context, part);
    if (status != CAFE_OK) return status;
    cafe_set_sums a = sums_of(pairs, mass, 1), b = sums_of(pairs, mass, 2);
    double joint = joint_of(pairs, 1, 2);
    cafe_pair_figures found = {
        .first = describe(n, first, a),
        .second = describe(n, second, b),
        .joint = joint,
        .covariance = joint - a.mass * b.mass,
        .first_to_second = b.mass > 0 ? joint / b.mass : 0,
        .second_to_first = a.mass > 0 ? joint / a.mass : 0,
    };
    cafe_struct_give(&found, sizeof found, figures, size);
    return CAFE_OK;
}

/* ---- PageRank -------------------------------------------------------------------------------- */

static const cafe_option pagerank_options[] = {
    {"damping", "D", CAFE_OPTION_REAL, offsetof(cafe_pagerank_options, damping), 0.85, 0, 0.9999,
     NULL,
     "PageRank: the walk continues along an edge with this probability, otherwise it restarts"},
    {"tolerance", "R", CAFE_OPTION_REAL | CAFE_OPTION_TUNE,
     offsetof(cafe_pagerank_options, tolerance), 1e-12, 0, 1, NULL,
     "PageRank: stop when a step changes the values by less than this in sum, or by rounding "
     "alone"},
    {"steps", "N", CAFE_OPTION_INTEGER | CAFE_OPTION_TUNE, offsetof(cafe_pagerank_options, steps),
     1000, 1, 1e9, NULL, "PageRank: steps at most"},
};

CAFE_OPTION_TABLE(pagerank, "pagerank", "stationary distribution of a walk that sometimes restarts",
                  pagerank_options)

/* x is the distribution; from[w] = x_w / d_w, the mass that w sends along each unit of weight. */
typedef struct walk {
    const cafe_sampled *s;
    const uint8_t *member;
    double damping, start; /* start: probability of each node that the walk may start at */
    double lost;           /* sum of x over the nodes without edges */
    double *x, *from, *to; /* to: x / d after the step */
} walk;

static double start_at(const walk *k, int64_t u) {
    return !k->member || k->member[u] ? k->start : 0;
}

/* Stores x_u for the next step; returns x_u if the node keeps it (no edges), else 0. */
static double send(const walk *k, double *to, int64_t u) {
    double degree = k->s->p[u] * k->s->total;
    to[u] = degree > 0 ? k->x[u] / degree : 0;
    return degree > 0 ? 0 : k->x[u];
}

static void start_rows(void *argument, int64_t first, int64_t last, double *lost) {
    walk *k = argument;
    for (int64_t u = first; u < last; u++) {
        k->x[u] = start_at(k, u);
        *lost += send(k, k->from, u);
    }
}

enum { CHANGE, LOST, ROUNDING, SUMS };

/* sum over w of a(u,w) x_w / d_w */
static double arrive(const walk *k, int64_t u) {
    const cafe_sampled *s = k->s;
    double sum = 0;
    for (int64_t first = s->offsets[u]; first < s->offsets[u + 1]; first += PIECE) {
        int64_t left = s->offsets[u + 1] - first, last = first + (left < PIECE ? left : PIECE);
        double part = 0;
        for (int64_t j = first; j < last; j++) part += CAFE_LINK(s, u, j) * k->from[s->targets[j]];
        sum += part;
    }
    return sum;
}

/* Returns a bound of the roundings in x_u: the additions of its row, and a few more. */
static double roundings(const walk *k, int64_t u) {
    double links = (double)(k->s->offsets[u + 1] - k->s->offsets[u]);
    return 8 + fmin(links, PIECE) + links / PIECE;
}

/* x_u <- d sum over w of a(u,w) x_w / d_w + (d lost + 1 - d) start_u */
static void step_rows(void *argument, int64_t first, int64_t last, double *sums) {
    walk *k = argument;
    double restart = k->damping * k->lost + 1 - k->damping;
    for (int64_t u = first; u < last; u++) {
        double now = k->damping * arrive(k, u) + restart * start_at(k, u);
        sums[CHANGE] += fabs(now - k->x[u]);
        sums[ROUNDING] += roundings(k, u) * now;
        k->x[u] = now;
        sums[LOST] += send(k, k->to, u);
    }
}

/* Of a sum over the nodes, in blocks, relative to the sum of sizes. */
static double sum_rounding(int64_t n) {
    return DBL_EPSILON / 2 * (BLOCK + (double)n / BLOCK);
}

/* One step; *rounding: a bound of the change by rounding, summed over the nodes. */
static cafe_status step(cafe_context *context, walk *k, double *change, double *rounding) {
    double sums[SUMS] = {0}, *old = k->from;
    CAFE_PASS(cafe_sums(context, k->s->n, BLOCK, step_rows, k, SUMS, sums));
    *change = sums[CHANGE];
    *rounding = DBL_EPSILON / 2 * sums[ROUNDING] + sum_rounding(k->s->n) * k->lost;
    k->lost = sums[LOST];
    k->from = k->to;
    k->to = old;
    return CAFE_OK;
}

/* A step is x' = T(x) + r with |r| <= rounding, and T shrinks distances by d. So the solution x*
 * has
 *
 *     |x' - x*| <= d |x - x*| + |r| <= d (|x' - x| + |x' - x*|) + |r|
 *     |x' - x*| <= (d change + rounding) / (1 - d),
 *
 * and once a step changes no more than rounding of two steps does, more of them gain nothing. */
static cafe_status iterate(cafe_context *context, walk *k, const cafe_pagerank_options *o,
                           cafe_pagerank_report *report) {
    double rounding = 0;
    *report = (cafe_pagerank_report){0};
    CAFE_PASS(cafe_sums(context, k->s->n, BLOCK, start_rows, k, 1, &k->lost));
    while (!report->converged && report->steps < o->steps) {
        CAFE_PASS(step(context, k, &report->change, &rounding));
        cafe_step(context, ++report->steps, report->change);
        report->converged = report->change <= fmax(o->tolerance, 2 * rounding);
    }
    report->error = (o->damping * report->change + rounding) / (1 - o->damping);
    return CAFE_OK;
}

static void add_values(void *argument, int64_t first, int64_t last, double *sum) {
    const walk *k = argument;
    for (int64_t u = first; u < last; u++) *sum += k->x[u];
}

/* Scales the sum to 1, because roundings of all steps add up. *error grows by the change of the
 * values. */
static cafe_status normalise(cafe_context *context, walk *k, double *error) {
    double sum = 0;
    CAFE_PASS(cafe_sums(context, k->s->n, BLOCK, add_values, k, 1, &sum));
    for (int64_t u = 0; u < k->s->n; u++) k->x[u] /= sum;
    *error += fabs(sum - 1) + sum_rounding(k->s->n);
    return cafe_check_number(context, "the sum of the PageRank", sum);
}

static cafe_status place_start(cafe_context *context, walk *k) {
    int64_t starts = k->s->n;
    if (k->member) {
        starts = 0;
        for (int64_t u = 0; u < k->s->n; u++) starts += k->member[u] != 0;
    }
    if (starts == 0)
        return cafe_fail(context, CAFE_ERROR_ARGUMENT, "the set to start from is empty");
    k->start = 1 / (double)starts;
    return CAFE_OK;
}

cafe_status cafe_rank_pagerank_sized(cafe_context *context, const cafe_sampled *sampled,
                                     const cafe_pagerank_options *options, const uint8_t *member,
                                     double *value, cafe_pagerank_report *report, size_t size) {
    cafe_status status = CAFE_OK;
    cafe_pagerank_options o;
    cafe_pagerank_report found;
    walk k = {.s = sampled, .member = member, .x = value};
    CAFE_TRY(cafe_options_take(context, &pagerank_table, options, &o));
    k.damping = o.damping;
    CAFE_TRY(place_start(context, &k));
    k.from = cafe_mem(context, sampled->n, sizeof *k.from);
    k.to = cafe_mem(context, sampled->n, sizeof *k.to);
    CAFE_TRY(cafe_mem_had(k.from, k.to));
    cafe_phase(context, "pagerank", o.steps);
    CAFE_TRY(iterate(context, &k, &o, &found));
    CAFE_TRY(normalise(context, &k, &found.error));
    cafe_struct_give(&found, sizeof found, report, size);
done:
    cafe_phase(context, "", 0);
    cafe_mem_free_all(context, k.from, k.to);
    return status;
}

/* ---- the top --------------------------------------------------------------------------------- */

cafe_status cafe_rank_top(cafe_context *context, int64_t nodes, const double *value, int64_t count,
                          int32_t *order) {
    if (count < 0 || count > nodes)
        return cafe_fail(context, CAFE_ERROR_ARGUMENT, "the top %lld of %lld nodes",
                         (long long)count, (long long)nodes);
    cafe_top top = {cafe_mem(context, count, sizeof *top.at), 0, count};
    if (!top.at) return CAFE_ERROR_MEMORY;
    for (int64_t u = 0; u < nodes; u++) cafe_top_offer(&top, (cafe_scored){value[u], (int32_t)u});
    cafe_top_sort(&top);
    for (int64_t i = 0; i < count; i++) order[i] = top.at[i].node;
    cafe_mem_free(context, top.at);
    return CAFE_OK;
}
