/* Products in double precision of combinations of a block's columns, and sums over their rows.
 *
 * A combination is formed in doubles, row by row, so that it is itself a vector without error: what
 * is measured of it holds, however it was found. Sums over rows have the shape of
 * cafe_owned_sums(): the same bits for any number of threads and processes.
 */
#include "spectral/exact_columns.h"

#include <string.h>

#include "base/memory.h"

enum { EIGHT = CAFE_EIGHT, ROWS = 512, SUMS = 3 };

/* ---- opening --------------------------------------------------------------------------------- */

static bool is_here(const cafe_block *v) {
    return !v->engine || v->engine == &cafe_processor || cafe_engine_joins(v->engine);
}

static cafe_status take_copy(cafe_context *context, cafe_exact *e) {
    const cafe_block *v = e->v;
    e->copy = cafe_mem(context, v->n * v->columns, sizeof *e->copy);
    CAFE_PASS(cafe_mem_had(e->copy));
    return cafe_ops(v)->copy_out(context, v, (cafe_part){0, v->n, 0, v->columns}, e->copy,
                                 v->columns);
}

cafe_status cafe_exact_open(cafe_context *context, const cafe_operator *op, cafe_side side,
                            const cafe_block *v, cafe_exact *e) {
    cafe_status status = CAFE_OK;
    *e = (cafe_exact){.op = op, .side = side, .v = v, .owned = cafe_owned_all(op->n)};
    e->weights = side == CAFE_SIDE_WALK ? op->parts.p : NULL;
    if (cafe_engine_joins(v->engine)) CAFE_TRY(cafe_owned_open(context, op, &e->owned));
    int64_t rows = e->owned.own;
    if (!is_here(v)) CAFE_TRY(take_copy(context, e));
    e->x = cafe_mem(context, rows * EIGHT, sizeof *e->x);
    e->y = cafe_mem(context, rows * EIGHT, sizeof *e->y);
    CAFE_TRY(cafe_mem_had(e->x, e->y));
    if (op->window > 1) e->power = cafe_mem(context, 2 * rows * EIGHT, sizeof *e->power);
    if (op->window > 1) CAFE_TRY(cafe_mem_had(e->power));
    return CAFE_OK;
done:
    cafe_exact_close(context, e);
    return status;
}

void cafe_exact_close(cafe_context *context, cafe_exact *e) {
    cafe_mem_free_all(context, e->copy, e->x, e->y, e->power);
    cafe_owned_close(context, &e->owned);
    *e = (cafe_exact){0};
}

/* ---- combinations ---------------------------------------------------------------------------- */

static const float *row_of(const cafe_exact *e, int64_t u) {
    if (e->copy) return e->copy + u * e->v->columns;
    return cafe_block_row(e->v, u);
}

typedef struct combination {
    const cafe_exact *e;
    int64_t first, count; /* columns of X, eight at most */
    const double *s;      /* columns x 8; NULL: the columns as they stand */
    double shift[EIGHT], rho[EIGHT];
} combination;

/* x_u = sum over k of v_uk s_k - shift, in doubles, for eight columns of S. */
static void combine_rows(void *argument, int64_t first, int64_t last) {
    const combination *c = argument;
    const cafe_exact *e = c->e;
    for (int64_t i = first; i < last; i++) {
        const float *row = row_of(e, cafe_owned_row(&e->owned, i));
        double *x = e->x + i * EIGHT, sum[EIGHT] = {0};
        for (int64_t k = 0; c->s && k < e->v->columns; k++)
            for (int j = 0; j < EIGHT; j++) sum[j] += row[k] * c->s[k * EIGHT + j];
        for (int j = 0; !c->s && j < c->count; j++) sum[j] = row[c->first + j];
        for (int j = 0; j < EIGHT; j++) x[j] = sum[j] - c->shift[j];
    }
}

/* ---- images ---------------------------------------------------------------------------------- */

typedef struct image_job {
    const cafe_exact *e;
    const double *p; /* y <- y / p, 0 where p is 0 */
    double *from, *to;
    double factor;
    bool first;
} image_job;

/* y_u <- y_u / p_u: from Q x to D^-1 Q x. */
static void divide_rows(void *argument, int64_t first, int64_t last) {
    const image_job *job = argument;
    for (int64_t i = first; i < last; i++) {
        double p = job->p[cafe_owned_row(&job->e->owned, i)];
        for (int j = 0; j < EIGHT; j++)
            job->to[i * EIGHT + j] = p > 0 ? job->to[i * EIGHT + j] / p : 0;
    }
}

/* y <- Q x, or D^-1 Q x */
static cafe_status multiply(cafe_context *context, const cafe_exact *e, const cafe_operator *op,
                            cafe_side side, const double *x, double *y) {
    const cafe_owned *owned = &e->owned;
    image_job job = {.e = e, .p = op->parts.p, .to = y};
    CAFE_PASS(owned->engine
                  ? owned->engine->ops->eight(context, owned->engine, op, owned->held, false, x, y)
                  : cafe_operator_exact(context, &op->parts, EIGHT, x, y));
    return side == CAFE_SIDE_WALK ? cafe_ranges(context, owned->own, ROWS, divide_rows, &job)
                                  : CAFE_OK;
}

/* y <- [y +] factor power, times p for Q */
static void add_power(void *argument, int64_t first, int64_t last) {
    const image_job *job = argument;
    for (int64_t i = first; i < last; i++) {
        double p = job->p ? job->p[cafe_owned_row(&job->e->owned, i)] : 1;
        for (int64_t j = i * EIGHT; j < (i + 1) * EIGHT; j++)
            job->to[j] = (job->first ? 0 : job->to[j]) + job->factor * p * job->from[j];
    }
}

/* Walks: the mean of the powers of the single step's D^-1 Q (operator/walk_operator.c). */
static cafe_status walk(cafe_context *context, cafe_exact *e) {
    cafe_operator step = *e->op;
    double *now = e->power, *next = e->power + e->owned.own * EIGHT;
    image_job job = {.e = e, .to = e->y, .first = true};
    job.factor = (double)step.parts.sign / (double)step.window;
    job.p = e->side == CAFE_SIDE_PLAIN ? step.parts.p : NULL;
    step.parts.sign = 1, step.parts.kappa = -1, step.window = 1;
    for (int64_t t = 0; t < e->op->window; t++) {
        CAFE_PASS(multiply(context, e, &step, CAFE_SIDE_WALK, t ? now : e->x, next));
        job.from = next, next = now, now = job.from;
        CAFE_PASS(cafe_ranges(context, e->owned.own, ROWS, add_power, &job));
        job.first = false;
    }
    return CAFE_OK;
}

/* X and Y = M X of some columns. */
static cafe_status find_image(cafe_context *context, cafe_exact *e, combination *c) {
    CAFE_PASS(cafe_ranges(context, e->owned.own, ROWS, combine_rows, c));
    if (e->op->window > 1) return walk(context, e);
    return multiply(context, e, e->op, e->side, e->x, e->y);
}

/* ---- sums ------------------------------------------------------------------------------------ */

static double weight_of(const cafe_exact *e, int64_t i) {
    return e->weights ? e->weights[cafe_owned_row(&e->owned, i)] : 1;
}

/* For each column j, with r = M x - rho_j x and the weights w of the inner product:
 *
 *     sums += (sum w x^2, sum w x r, sum w r^2) = (<x, x>, <x, r>, <r, r>).
 *
 * r is formed before it is squared, so a small residual does not cancel.
 */
static void add_sums(void *argument, int64_t first, int64_t last, double *sums) {
    const combination *c = argument;
    const cafe_exact *e = c->e;
    for (int64_t i = first; i < last; i++) {
        double w = weight_of(e, i);
        for (int j = 0; j < EIGHT; j++) {
            double x = e->x[i * EIGHT + j], r = e->y[i * EIGHT + j] - c->rho[j] * x;
            sums[SUMS * j] += w * x * x;
            sums[SUMS * j + 1] += w * x * r;
            sums[SUMS * j + 2] += w * r * r;
        }
    }
}

/* sums <- the sums of a task over the rows of all processes, by pieces. */
static cafe_status sum_up(cafe_context *context, const cafe_exact *e, cafe_sum_task *task,
                          void *argument, int64_t width, double *sums) {
    memset(sums, 0, (size_t)width * sizeof *sums);
    return cafe_owned_sums(context, &e->owned, cafe_piece_rows(e->op->n), task, argument, width,
                           sums);
}

/* Columns first .. of S and of its companions; columns that are missing are 0. */
static void take_columns(combination *c, int64_t first, int64_t count, const double *s,
                         const double *shift, const double *rho, double *part) {
    int64_t k = c->e->v->columns;
    c->first = first, c->count = count - first < EIGHT ? count - first : EIGHT;
    for (int64_t j = 0; j < EIGHT; j++) {
        bool in = j < c->count;
        c->shift[j] = in && shift ? shift[first + j] : 0;
        c->rho[j] = in && rho ? rho[first + j] : 0;
        for (int64_t i = 0; s && i < k; i++)
            part[i * EIGHT + j] = in ? s[i * count + first + j] : 0;
    }
    c->s = s ? part : NULL;
}

/* Eight columns at a time: X = V S - 1 shift^T, Y = M X, then the three sums of each column. */
cafe_status cafe_exact_measure(cafe_context *context, cafe_exact *e, int64_t count, const double *s,
                               const double *shift, const double *rho, double *sums) {
    cafe_status status = CAFE_OK;
    combination c = {.e = e};
    double here[SUMS * EIGHT], *part = cafe_mem(context, e->v->columns * EIGHT, sizeof *part);
    CAFE_TRY(cafe_mem_had(part));
    for (int64_t first = 0; first < count; first += EIGHT) {
        take_columns(&c, first, count, s, shift, rho, part);
        CAFE_TRY(find_image(context, e, &c));
        CAFE_TRY(sum_up(context, e, add_sums, &c, SUMS * EIGHT, here));
        memcpy(sums + SUMS * first, here, (size_t)(SUMS * c.count) * sizeof *sums);
    }
done:
    cafe_mem_free(context, part);
    return status;
}

/* ---- Gram matrices of small blocks ----------------------------------------------------------- */

typedef struct gram_job {
    const cafe_exact *e;
    int64_t k;
    double *x, *y; /* all columns and their images */
} gram_job;

static void add_products(void *argument, int64_t first, int64_t last, double *sums) {
    const gram_job *job = argument;
    int64_t k = job->k;
    double *t = sums + k * k;
    for (int64_t u = first; u < last; u++) {
        const double *x = job->x + u * k, *y = job->y + u * k;
        double w = weight_of(job->e, u);
        for (int64_t i = 0; i < k && w > 0; i++) {
            double a = w * x[i];
            for (int64_t j = i; j < k; j++) sums[i * k + j] += a * x[j];
            for (int64_t j = 0; j < k; j++) t[i * k + j] += a * y[j];
        }
    }
}

static void keep_columns(const combination *c, gram_job *job) {
    for (int64_t i = 0; i < job->e->owned.own; i++)
        for (int64_t j = 0; j < c->count; j++) {
            job->x[i * job->k + c->first + j] = job->e->x[i * EIGHT + j];
            job->y[i * job->k + c->first + j] = job->e->y[i * EIGHT + j];
        }
}

static cafe_status find_images(cafe_context *context, cafe_exact *e, const double *s,
                               const double *shift, gram_job *job) {
    cafe_status status = CAFE_OK;
    combination c = {.e = e};
    double *part = cafe_mem(context, e->v->columns * EIGHT, sizeof *part);
    CAFE_TRY(cafe_mem_had(part));
    for (int64_t first = 0; first < job->k; first += EIGHT) {
        take_columns(&c, first, job->k, s, shift, NULL, part);
        CAFE_TRY(find_image(context, e, &c));
        keep_columns(&c, job);
    }
done:
    cafe_mem_free(context, part);
    return status;
}

cafe_status cafe_exact_gram(cafe_context *context, cafe_exact *e, int64_t count, const double *s,
                            const double *shift, double *g, double *t) {
    cafe_status status = CAFE_OK;
    int64_t k = count, square = k * k;
    gram_job job = {e, k, NULL, NULL};
    double *sums = cafe_mem(context, 2 * square, sizeof *sums);
    job.x = cafe_mem(context, e->owned.own * k, sizeof *job.x);
    job.y = cafe_mem(context, e->owned.own * k, sizeof *job.y);
    CAFE_TRY(cafe_mem_had(sums, job.x, job.y));
    CAFE_TRY(find_images(context, e, s, shift, &job));
    CAFE_TRY(sum_up(context, e, add_products, &job, 2 * square, sums));
    for (int64_t i = 0; i < k; i++)
        for (int64_t j = 0; j < k; j++) {
            const double *other = sums + square;
            g[i * k + j] = sums[i < j ? i * k + j : j * k + i];
            t[i * k + j] = (other[i * k + j] + other[j * k + i]) / 2;
        }
done:
    cafe_mem_free_all(context, sums, job.x, job.y);
    return status;
}
