/* Label propagation, label spreading, harmonic labels and absorbing walks.
 *
 * With Y the given labels (row u is the unit vector of u's class, or zero), d_u the degrees, and F
 * from Y on,
 *
 *     propagation   f_u <- sum over w of a(u,w) f_w / d_u,  given rows stay as they are
 *     spreading     f_u <- alpha sum over w of a(u,w) f_w / sqrt(d_u d_w) + (1 - alpha) y_u
 *
 * Every row is computed from the rows before the sweep, so threads do not matter. Propagation tends
 * to the probabilities that a random walk from u meets a given label of each class first. F grows
 * from zero, and no entry ever falls. What a row lacks to 1 bounds what is still to come. S =
 * D^-1/2 A D^-1/2 has norm at most 1, so spreading is a contraction by alpha, with the fixed point
 * (1 - alpha) (I - alpha S)^-1 Y. At the end rows are divided by their sums.
 *
 * Two more kinds solve a linear system (label_system.h). Harmonic labels (Zhu, Ghahramani, Lafferty
 * 2003) are the limit of propagation. Absorbing walks (Wu and others 2012) start at u and end at
 * node w with probability l / (l + d_w), otherwise they take an edge. f(u,c) is the probability to
 * end at a label c. l = (1 - alpha) / alpha times the mean degree.
 *
 * Few labels in one place give their class to nearly all nodes. Class-mass normalisation (Zhu,
 * Ghahramani, Lafferty 2003) prevents this for propagation and harmonic labels. It multiplies
 * column c by t_c / sum of f(w,c) over the nodes w without a label; t_c is the number of labels c.
 * The classes then get as many nodes as the labels lead to expect. Absorbing walks have these sums
 * by themselves: column c adds up to t_c over all nodes.
 */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/memory.h"
#include "base/thread_pool.h"
#include "baseline/baseline.h"
#include "baseline/label_system.h"
#include "graph/compressed_rows.h"
#include "graph/graph.h"

enum { BLOCK = 256 };

/* ---- options --------------------------------------------------------------------------------- */

static const cafe_option label_options[] = {
    {"kind", "KIND", CAFE_OPTION_CHOICE | CAFE_OPTION_TUNE,
     offsetof(cafe_label_propagation_options, kind), CAFE_PROPAGATION_HARD, 0, 3,
     "propagation|spreading|harmonic|absorbing",
     "given labels stay, or may be outvoted by the neighbours; the exact limit of propagation, or "
     "of walks that may end at any node"},
    {"alpha", "A", CAFE_OPTION_REAL | CAFE_OPTION_TUNE,
     offsetof(cafe_label_propagation_options, alpha), 0.8, 0, 0.999999, NULL,
     "spreading: the part of the neighbours; the given label has the rest; absorbing: the chance "
     "that a walk leaves a node of mean degree"},
    {"sweeps", "N", CAFE_OPTION_INTEGER, offsetof(cafe_label_propagation_options, sweeps), 1000, 0,
     1e9, NULL, "passes over the nodes at most; harmonic, absorbing: steps for each class"},
    {"tolerance", "R", CAFE_OPTION_REAL | CAFE_OPTION_TUNE,
     offsetof(cafe_label_propagation_options, tolerance), 1e-5, 0, 1, NULL,
     "stop when no entry changes by more than this; harmonic, absorbing: when no relative residual "
     "is above it"},
    {"class-mass", "WHAT", CAFE_OPTION_CHOICE | CAFE_OPTION_TUNE,
     offsetof(cafe_label_propagation_options, mass), CAFE_MASS_AUTO, 0, 0, "auto|no|yes",
     "propagation, harmonic: as many nodes get a class as the labels lead to expect; auto where "
     "fewer than a twentieth of the nodes have labels"},
};

CAFE_OPTION_TABLE(label_propagation, "label-propagation",
                  "labels of a few nodes carried along the edges to all others", label_options)

static cafe_status check(cafe_context *context, int64_t n, const int32_t *label, int64_t classes) {
    int64_t given = 0;
    for (int64_t u = 0; u < n; u++) {
        if (label[u] < -1 || label[u] >= classes)
            return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                             "the label of node %lld is %d; expected -1 or 0 .. %lld", (long long)u,
                             (int)label[u], (long long)classes - 1);
        given += label[u] >= 0;
    }
    if (given == 0)
        return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                         "no node has a label: there is nothing to propagate");
    return CAFE_OK;
}

/* ---- sweeps ---------------------------------------------------------------------------------- */

typedef struct carrier {
    const cafe_graph *graph;
    const int32_t *label;
    int64_t classes, stride;
    bool clamp;      /* propagation, harmonic */
    double part;     /* of the neighbours: 1 or alpha */
    double *outward; /* what w's row is multiplied by: 1 or 1 / sqrt(d_w) */
    double *inward;  /* what u's sum is multiplied by: 1 / d_u or 1 / sqrt(d_u); isolated: 0 */
    float *from, *to;
    double *sums;   /* classes for each worker */
    double *change; /* the largest of each block */
    double *factor; /* of each class, for its column at the end; NULL: 1 */
} carrier;

static void start_block(void *argument, int64_t first, int64_t last) {
    carrier *c = argument;
    for (int64_t u = first; u < last; u++) {
        double d = cafe_row_sum(c->graph->offsets, c->graph->scaled, u);
        c->outward[u] = c->clamp || !(d > 0) ? 1 : 1 / sqrt(d);
        c->inward[u] = !(d > 0) ? 0 : c->clamp ? 1 / d : 1 / sqrt(d);
        memset(c->from + u * c->stride, 0, (size_t)c->stride * sizeof *c->from);
        memset(c->to + u * c->stride, 0, (size_t)c->stride * sizeof *c->to);
        if (c->label[u] >= 0) c->from[u * c->stride + c->label[u]] = 1;
    }
}

/* sum over w of a(u,w) outward_w f_w */
static void gather(const carrier *c, int64_t u, double *restrict sum) {
    const cafe_graph *g = c->graph;
    memset(sum, 0, (size_t)c->classes * sizeof *sum);
    for (int64_t j = g->offsets[u]; j < g->offsets[u + 1]; j++) {
        int64_t w = g->targets[j];
        const float *restrict row = c->from + w * c->stride;
        double a = (g->scaled ? g->scaled[j] : 1) * c->outward[w];
        for (int64_t k = 0; k < c->classes; k++) sum[k] += a * row[k];
    }
}

/* The new row of u; returns its largest change. */
static double move(const carrier *c, int64_t u, double *sum) {
    const float *old = c->from + u * c->stride;
    float *row = c->to + u * c->stride;
    double largest = 0;
    if (c->clamp && c->label[u] >= 0) {
        row[c->label[u]] = 1;
        return 0;
    }
    gather(c, u, sum);
    for (int64_t k = 0; k < c->classes; k++) {
        double given = k == c->label[u] ? 1 - c->part : 0;
        row[k] = (float)(c->part * c->inward[u] * sum[k] + given);
        double change = fabs((double)row[k] - old[k]);
        if (change > largest) largest = change;
    }
    return largest;
}

static void sweep_block(void *argument, int64_t block, int32_t worker) {
    carrier *c = argument;
    double largest = 0;
    for (int64_t u = block * BLOCK; u < cafe_block_end(c->graph->n, BLOCK, block); u++) {
        double change = move(c, u, c->sums + worker * c->classes);
        if (change > largest) largest = change;
    }
    c->change[block] = largest;
}

static cafe_status sweep(cafe_context *context, carrier *c, double *change) {
    int64_t blocks = cafe_blocks(c->graph->n, BLOCK);
    cafe_status status = cafe_parallel(context, blocks, sweep_block, c);
    float *swap = c->from;
    c->from = c->to, c->to = swap;
    *change = 0;
    for (int64_t b = 0; b < blocks && status == CAFE_OK; b++)
        if (c->change[b] > *change) *change = c->change[b];
    return status;
}

static cafe_status iterate(cafe_context *context, carrier *c,
                           const cafe_label_propagation_options *o, cafe_solution *s) {
    cafe_status status = cafe_ranges(context, c->graph->n, BLOCK, start_block, c);
    s->objective[0] = 1;
    cafe_phase(context, "sweep", o->sweeps);
    while (status == CAFE_OK && !s->converged && s->sweeps < o->sweeps) {
        double *change = &s->objective[++s->sweeps];
        status = sweep(context, c, change);
        s->converged = *change <= o->tolerance;
        cafe_step(context, s->sweeps, *change);
    }
    return status;
}

/* sums[classes]: f(w,c) over nodes without a label, then the numbers of labels */
static void sum_masses(void *argument, int64_t first, int64_t last, double *sums) {
    const carrier *c = argument;
    for (int64_t u = first; u < last; u++) {
        if (c->label[u] >= 0) {
            sums[c->classes + c->label[u]]++;
            continue;
        }
        for (int64_t k = 0; k < c->classes; k++) sums[k] += c->from[u * c->stride + k];
    }
}

/* factor_c = t_c / mass_c */
static cafe_status find_factors(cafe_context *context, carrier *c,
                                const cafe_label_propagation_options *o) {
    enum { FEW = 20 };
    int64_t labels = 0;
    for (int64_t u = 0; u < c->graph->n; u++) labels += c->label[u] >= 0;
    bool wanted =
        o->mass == CAFE_MASS_YES || (o->mass == CAFE_MASS_AUTO && FEW * labels < c->graph->n);
    if (!c->clamp || !wanted) return CAFE_OK;
    c->factor = cafe_mem_zero(context, 2 * c->classes, sizeof *c->factor);
    if (!c->factor) return CAFE_ERROR_MEMORY;
    CAFE_PASS(cafe_sums(context, c->graph->n, BLOCK, sum_masses, c, 2 * c->classes, c->factor));
    for (int64_t k = 0; k < c->classes; k++)
        c->factor[k] = c->factor[k] > 0 ? c->factor[c->classes + k] / c->factor[k] : 0;
    return CAFE_OK;
}

/* Rows into the solution, with sum 1 where there is anything. */
static void finish_block(void *argument, int64_t first, int64_t last) {
    carrier *c = argument;
    for (int64_t u = first; u < last; u++) {
        float *row = c->from + u * c->stride;
        double sum = 0;
        for (int64_t k = 0; k < c->classes; k++) {
            if (c->factor && c->label[u] < 0) row[k] = (float)(row[k] * c->factor[k]);
            sum += row[k];
        }
        for (int64_t k = 0; k < c->classes && sum > 0; k++) row[k] = (float)(row[k] / sum);
    }
}

static cafe_status allocate(cafe_context *context, carrier *c) {
    int64_t n = c->graph->n;
    c->outward = cafe_mem(context, n, sizeof *c->outward);
    c->inward = cafe_mem(context, n, sizeof *c->inward);
    c->to = cafe_mem(context, n * c->stride, sizeof *c->to);
    c->sums = cafe_mem(context, context->threads * c->classes, sizeof *c->sums);
    c->change = cafe_mem(context, cafe_blocks(n, BLOCK), sizeof *c->change);
    return cafe_mem_had(c->outward, c->inward, c->to, c->sums, c->change);
}

/* l = (1 - alpha) / alpha times the mean degree */
static double absorption(const cafe_graph *g, double alpha) {
    double sum = 0, chance = fmax(alpha, 1e-6);
    for (int64_t u = 0; u < g->n; u++) sum += cafe_row_sum(g->offsets, g->scaled, u);
    return sum > 0 ? (1 - chance) / chance * sum / (double)g->n : 1;
}

/* The rows before the class masses. */
static cafe_status find_rows(cafe_context *context, carrier *c,
                             const cafe_label_propagation_options *o, cafe_solution *s) {
    if (o->kind <= CAFE_PROPAGATION_SOFT) {
        CAFE_PASS(allocate(context, c));
        return iterate(context, c, o, s);
    }
    cafe_label_system y = {c->graph, c->label,     c->classes, c->stride,
                           0,        o->tolerance, o->sweeps,  c->from};
    if (o->kind == CAFE_PROPAGATION_ABSORBING) y.absorption = absorption(c->graph, o->alpha);
    return cafe_label_solve(context, &y, s);
}

/* Options that the chosen kind does not use must be as they are by default. */
static cafe_status check_idle(cafe_context *context, const cafe_label_propagation_options *o) {
    bool clamp = o->kind == CAFE_PROPAGATION_HARD || o->kind == CAFE_PROPAGATION_HARMONIC;
    return cafe_options_idle(context, &label_propagation_table, o, clamp ? "alpha" : "class-mass",
                             clamp
                                 ? CAFE_OPT("kind=spreading") " and " CAFE_OPT("kind=absorbing")
                                 : CAFE_OPT("kind=propagation") " and " CAFE_OPT("kind=harmonic"));
}

static cafe_status solve(cafe_context *context, const cafe_job *job, cafe_solution **solution) {
    cafe_status status = CAFE_OK;
    const cafe_graph *graph = job->model->graph;
    const cafe_method_inputs *in = &job->inputs;
    const cafe_label_propagation_options *o = job->own;
    cafe_solution *found = NULL;
    carrier c = {.graph = graph, .label = in->labels, .classes = in->classes};
    c.clamp = o->kind == CAFE_PROPAGATION_HARD || o->kind == CAFE_PROPAGATION_HARMONIC;
    c.part = c.clamp ? 1 : o->alpha;
    CAFE_TRY(check(context, graph->n, in->labels, in->classes));
    CAFE_TRY(check_idle(context, o));
    CAFE_TRY(
        cafe_solution_rows(context, job->method->name, graph->n, in->classes, o->sweeps, &found));
    c.stride = found->stride;
    c.from = found->h.x;
    CAFE_TRY(find_rows(context, &c, o, found));
    CAFE_TRY(find_factors(context, &c, o));
    CAFE_TRY(cafe_ranges(context, graph->n, BLOCK, finish_block, &c));
done:
    cafe_phase(context, "", 0);
    /* the two blocks changed places with every sweep: the solution keeps the newer one */
    if (found) found->h.x = c.from;
    cafe_mem_free_all(context, c.outward, c.inward, c.to, c.sums, c.change, c.factor);
    if (status == CAFE_OK)
        *solution = found;
    else
        cafe_solution_free(found);
    return status;
}

static const cafe_method_code label_propagation_code = {.solve = solve};
const cafe_method cafe_label_propagation_method = {
    .name = "label-propagation",
    .title = "Label propagation",
    .summary = "labels of a few nodes carried along the edges to all others",
    .takes = CAFE_TAKES_LABELS | CAFE_NEEDS_LABELS,
    .form = CAFE_FORM_RAW,
    .vectors = cafe_label_propagation_option_table,
    .code = &label_propagation_code,
};
