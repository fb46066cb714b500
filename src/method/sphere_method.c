/* The method sphere: which groups of columns it makes, and when hubs are among them.
 *
 * With columns-from=auto and the scaled form, the method solves K columns of the top end. Then it
 * asks whether the bottom end would get at least K/16 of them. If so, there is structure that the
 * top does not show: half of the columns stay, and hubs take the others (docs/algorithms/hubs.md).
 */
#include "base/memory.h"
#include "method/method.h"
#include "method/node_features.h"
#include "solve/convergence.h"
#include "solve/solution.h"
#include "spectral/ends.h"

/* ---- is there enough at the bottom? ---------------------------------------------------------- */

typedef struct probe {
    const cafe_operator *op;
    const cafe_sphere_options *options;
    cafe_solution *solution; /* the top's */
    int64_t least;
    double *sample;  /* of large graphs: see cafe_sample_rows() */
    const double *p; /* that, or all weights */
    cafe_ritz top, bottom;
} probe;

/* Ritz values on the span of the first columns of the top's H. Its Y is made when it is first
 * needed: the bottom's blocks are mostly done with by then. */
static cafe_status judge_top(cafe_context *context, int64_t columns, probe *p) {
    if (!p->solution->y.x) CAFE_PASS(cafe_sweep_settle(context, p->op, p->solution));
    cafe_ritz_free(context, &p->top);
    return cafe_ends_values(context, p->p, p->solution, 0, columns, &p->top);
}

/* The same of so many columns that the bottom has after so many sweeps. */
static cafe_status judge_bottom(cafe_context *context, int64_t columns, int64_t sweeps, probe *p) {
    cafe_status status = CAFE_OK;
    cafe_sphere_options o = *p->options;
    cafe_solution *s = NULL;
    o.columns = columns;
    o.sweeps = sweeps < o.sweeps ? sweeps : o.sweeps;
    cafe_ritz_free(context, &p->bottom);
    CAFE_TRY(cafe_sphere_bottom(context, p->op, &o, &s));
    CAFE_TRY(cafe_ops(&s->h)->make(context, s->h.engine, s->n, columns, &s->y));
    CAFE_TRY(cafe_block_product_where(context, p->op, CAFE_SIDE_WALK, &s->h, p->sample, &s->y));
    CAFE_TRY(cafe_ends_values(context, p->p, s, 0, columns, &p->bottom));
done:
    cafe_solution_free(s);
    return status;
}

static bool enough(const probe *p, double share, double growth) {
    return cafe_ends_count(&p->top, &p->bottom, p->solution->columns, share, growth) >= p->least;
}

enum { SPARE = 8, SWEEPS = 4, SMALL = 1 << 21, ROWS = 1 << 16 };

/* Of a large graph one sweep is enough to see that there is nothing: sizes grow by a third after it
 * at most (docs/algorithms/hubs.md). */
static cafe_status look_once(cafe_context *context, int64_t few, probe *p, bool *promising) {
    const double growth = 1.6, short_of_half = 0.47;
    CAFE_PASS(cafe_sample_rows(context, p->op->n, ROWS, p->op->parts.p, &p->sample));
    if (p->sample) p->p = p->sample;
    CAFE_PASS(judge_bottom(context, few, 1, p));
    CAFE_PASS(judge_top(context, p->solution->columns, p));
    *promising = enough(p, short_of_half, growth);
    return CAFE_OK;
}

/* The sizes that few columns find in few sweeps fall short, by a tenth or two, of what half of all
 * columns would find, and hardly ever exceed it. So they settle what is clear on either side; and
 * what is not enough beside some of the top's columns is not enough beside all of them. Small
 * graphs settle the rest as CAFE_FROM_LARGEST does. In large graphs that would cost half of a run,
 * so they take a share of the largest that is smaller as the sizes are. */
static cafe_status ask_bottom(cafe_context *context, probe *p, bool *bottom) {
    const double hopeless = 0.25, short_of_half = 0.47;
    const bool large = p->op->parts.offsets[p->op->n] > SMALL;
    int64_t all = p->solution->columns, half = (all + 1) / 2;
    int64_t few = p->least + SPARE < half ? p->least + SPARE : half;
    bool promising = true;
    if (large) CAFE_PASS(look_once(context, few, p, &promising));
    if (!promising) return CAFE_OK;
    CAFE_PASS(judge_bottom(context, few, SWEEPS, p));
    CAFE_PASS(judge_top(context, few, p));
    if (!enough(p, large ? short_of_half : hopeless, 1)) return CAFE_OK;
    CAFE_PASS(judge_top(context, all, p));
    *bottom = enough(p, large ? short_of_half : CAFE_ENDS_SHARE, 1);
    if (*bottom || large || !enough(p, hopeless, 1)) return CAFE_OK;
    CAFE_PASS(judge_bottom(context, half, p->options->sweeps, p));
    *bottom = enough(p, CAFE_ENDS_SHARE, 1);
    return CAFE_OK;
}

/* ---- the columns ----------------------------------------------------------------------------- */

/* The first `count` columns of H and Y stay. */
static cafe_status narrow(cafe_context *context, int64_t count, cafe_solution *s) {
    int64_t *kept = cafe_mem(context, count, sizeof *kept);
    cafe_status status = cafe_mem_had(kept);
    CAFE_TRY(status);
    for (int64_t k = 0; k < count; k++) kept[k] = k;
    CAFE_TRY(cafe_ops(&s->h)->select(context, &s->h, count, kept));
    CAFE_TRY(cafe_ops(&s->y)->select(context, &s->y, count, kept));
    cafe_solution_split(s, count, 0);
done:
    cafe_mem_free(context, kept);
    return status;
}

/* With start vectors all columns are solved: which of them matter is unknown. */
static cafe_status solve_some(cafe_context *context, const cafe_job *job, cafe_sphere_options o,
                              int64_t some, cafe_solution **solution) {
    if (!job->inputs.start) o.columns = some;
    CAFE_PASS(cafe_sphere(context, job->model->op, &o, job->inputs.start, solution));
    return job->inputs.start ? narrow(context, some, *solution) : CAFE_OK;
}

/* A caller who asks for eigenvectors wants those of the top. */
static cafe_status solve_auto(cafe_context *context, const cafe_job *job,
                              const cafe_sphere_options *o, cafe_solution **solution) {
    enum { SHARE = 16 };
    const cafe_operator *op = job->model->op;
    bool bottom = false;
    CAFE_PASS(cafe_sphere_sweeps(context, op, o, job->inputs.start, solution));
    if (o->columns < 2 || (job->options.finish && job->options.finish->residual > 0))
        return cafe_sweep_settle(context, op, *solution);
    probe p = {.op = op, .options = o, .solution = *solution, .p = op->parts.p};
    p.least = (o->columns + SHARE - 1) / SHARE;
    cafe_phase(context, "ends", 0);
    cafe_status status = ask_bottom(context, &p, &bottom);
    cafe_mem_free(context, p.sample);
    cafe_ritz_free(context, &p.top);
    cafe_ritz_free(context, &p.bottom);
    if (status != CAFE_OK || !bottom) return status;
    return narrow(context, (o->columns + 1) / 2, *solution);
}

static cafe_status solve_nothing(cafe_context *context, const cafe_job *job,
                                 cafe_solution **solution) {
    if (job->inputs.start)
        return cafe_fail(context, CAFE_ERROR_ARGUMENT, "hubs take no start vectors");
    if (context->checkpoint)
        return cafe_fail(context, CAFE_ERROR_ARGUMENT, "hubs keep no checkpoints");
    return cafe_solution_new(context, cafe_graph_nodes(job->model->graph), 0, 0, solution);
}

/* The other forms are those of the certificate: what is found, and nothing beside it. Hubs have at
 * most half of the columns unless they are alone: more would drown a span of few directions. */
static cafe_status solve_sphere(cafe_context *context, const cafe_job *job,
                                cafe_solution **solution) {
    const cafe_sphere_options *o = job->own;
    const cafe_finish_options *finish = job->options.finish;
    const int64_t n = cafe_graph_nodes(job->model->graph);
    bool scaled = (finish ? finish->form : job->method->form) == CAFE_FORM_SCALED;
    if (!scaled && o->columns_from > CAFE_FROM_AUTO)
        return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                         "hubs go with the scaled form: the columns of other forms come from the "
                         "ends of the spectrum");
    if (!scaled || o->columns_from < CAFE_FROM_AUTO)
        return cafe_sphere(context, job->model->op, o, job->inputs.start, solution);
    const struct cafe_node_features *features = job->model->features;
    const bool automatic = o->columns_from == CAFE_FROM_AUTO;
    const int64_t half = (o->columns + 1) / 2;
    int64_t some = o->columns - (features ? 2 * cafe_feature_columns(features, o->columns) : 0);
    cafe_status status = automatic && features ? solve_some(context, job, *o, some, solution)
                         : automatic           ? solve_auto(context, job, o, solution)
                         : o->columns_from == CAFE_FROM_HUBS
                             ? solve_nothing(context, job, solution)
                             : solve_some(context, job, *o, half, solution);
    if (status != CAFE_OK) {
        cafe_solution_free(*solution);
        *solution = NULL;
        return status;
    }
    (*solution)->asked = (*solution)->width = o->columns < n ? o->columns : n - 1;
    (*solution)->features = automatic && features;
    return CAFE_OK;
}

static const cafe_method_code sphere_code = {
    .solve = solve_sphere, .files = true, .ranks = true, .centred = true};
const cafe_method cafe_sphere_method = {
    .name = "sphere",
    .title = "Sphere-GCN",
    .summary = "vectors of length 1 that follow their neighbours (algorithm 4)",
    .takes = CAFE_TAKES_SAMPLING | CAFE_TAKES_START | CAFE_TAKES_CHECKPOINT | CAFE_TAKES_FEATURES |
             CAFE_TAKES_SUMS,
    .form = CAFE_FORM_SCALED,
    .vectors = cafe_sphere_option_table,
    .code = &sphere_code,
    .degree_exponent = CAFE_SPHERE_EXPONENT,
};
