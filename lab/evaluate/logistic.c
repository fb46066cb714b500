/* L2-regularised logistic regression, one class against the rest: a model for each class.
 *
 * Columns are brought to mean 0 and variance 1 first, by training rows. The entries of an
 * orthonormal embedding are about 1/sqrt(n), and with C = 1 the penalty would leave nothing of
 * them. The intercept is one more column of ones, as in liblinear.
 */
#include <math.h>
#include <stddef.h>

#include <cafe/evaluate.h>

#include "base/memory.h"
#include "base/option.h"
#include "base/thread_pool.h"
#include "evaluate/newton.h"

/* ---- options --------------------------------------------------------------------------------- */

static const cafe_option logistic_options[] = {
    {"classifier-c", "C", CAFE_OPTION_REAL | CAFE_OPTION_TUNE,
     offsetof(cafe_logistic_options, cost), 1, 1e-9, 1e9, NULL,
     "inverse of the regularisation: weight of the losses against that of the coefficients"},
    {"standardise", NULL, CAFE_OPTION_SWITCH | CAFE_OPTION_TUNE,
     offsetof(cafe_logistic_options, standardise), 1, 0, 1, NULL,
     "bring the columns to mean 0 and variance 1 by the training rows first"},
    {"logistic-tolerance", "X", CAFE_OPTION_REAL | CAFE_OPTION_TUNE,
     offsetof(cafe_logistic_options, tolerance), 0.01, 1e-9, 1, NULL,
     "stop when the gradient has fallen to this share"},
};

CAFE_OPTION_TABLE(logistic, "logistic", "logistic regression, one class against the rest",
                  logistic_options)

/* ---- rows ------------------------------------------------------------------------------------ */

/* The classes are fitted in groups, side by side within a group, the groups by several threads. */
typedef struct fit {
    const cafe_logistic_options *options;
    cafe_context *context;
    const cafe_classifier_data *data;
    cafe_classes present;
    int64_t fits, group;   /* classes to fit, and in a group */
    double *mean, *factor; /* of each column: x becomes (x - mean) factor */
    double *x;             /* train x width */
    double *scores;
    struct scratch *scratch; /* of each worker */
} fit;

typedef struct scratch {
    uint8_t *mark;
    double *row;                /* width: a row of the test */
    double *y;                  /* group x train: 1 or -1 */
    double *w, *room;           /* of each class */
    int32_t class[NEWTON_MOST]; /* that are fitted together */
    int64_t together;
    cafe_status status;
} scratch;

/* The columns and one of ones. */
static int64_t width(const fit *f) {
    return f->data->columns + 1;
}

static cafe_status new_scratch(const fit *f, scratch *s) {
    int64_t rows = f->data->train, columns = width(f);
    s->mark = cafe_mem(f->context, rows, 1);
    s->row = cafe_mem(f->context, columns, sizeof *s->row);
    s->y = cafe_mem(f->context, f->group * rows, sizeof *s->y);
    s->w = cafe_mem(f->context, f->group * columns, sizeof *s->w);
    s->room = cafe_mem(f->context, f->group * cafe_newton_room(rows, columns), sizeof *s->room);
    return cafe_mem_had(s->mark, s->row, s->y, s->w, s->room);
}

/* Of two classes one is the other turned round. */
static cafe_status new_fit(fit *f) {
    int64_t columns = width(f), threads = f->context->threads;
    f->fits = !f->data->multiple && f->present.count == 2 ? 1 : f->present.count;
    f->group = (f->fits + threads - 1) / threads;
    if (f->group > NEWTON_MOST) f->group = NEWTON_MOST;
    f->mean = cafe_mem_zero(f->context, columns, sizeof *f->mean);
    f->factor = cafe_mem_zero(f->context, columns, sizeof *f->factor);
    f->x = cafe_mem(f->context, f->data->train * columns, sizeof *f->x);
    f->scratch = cafe_mem_zero(f->context, threads, sizeof *f->scratch);
    CAFE_PASS(cafe_mem_had(f->mean, f->factor, f->x, f->scratch));
    for (int64_t i = 0; i < threads; i++) CAFE_PASS(new_scratch(f, &f->scratch[i]));
    return CAFE_OK;
}

static void free_fit(fit *f) {
    for (int64_t i = 0; f->scratch && i < f->context->threads; i++) {
        scratch *s = &f->scratch[i];
        cafe_mem_free_all(f->context, s->mark, s->row, s->y, s->w, s->room);
    }
    cafe_mem_free_all(f->context, f->mean, f->factor, f->x, f->scratch);
    cafe_classes_free(f->context, &f->present);
}

/* mean_j = sum_i x_ij / n, factor_j = 1 / sqrt(sum_i (x_ij - mean_j)^2 / n); 0 for constants */
static void find_scale(fit *f) {
    const cafe_classifier_data *d = f->data;
    int64_t n = d->train, k = d->columns;
    if (!f->options->standardise) {
        for (int64_t j = 0; j < k; j++) f->factor[j] = 1;
        return;
    }
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < k; j++) f->mean[j] += d->x_train[i * k + j];
    for (int64_t j = 0; j < k; j++) f->mean[j] /= (double)n;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < k; j++) {
            double x = d->x_train[i * k + j] - f->mean[j];
            f->factor[j] += x * x;
        }
    for (int64_t j = 0; j < k; j++) {
        double deviation = sqrt(f->factor[j] / (double)n);
        /* a column that is constant up to float's rounding says nothing */
        f->factor[j] = deviation > 1e-6 * fabs(f->mean[j]) ? 1 / deviation : 0;
    }
}

static void fill_row(const fit *f, const float *x, double *row) {
    int64_t columns = f->data->columns;
    for (int64_t j = 0; j < columns; j++) row[j] = (x[j] - f->mean[j]) * f->factor[j];
    row[columns] = 1;
}

static void fill_rows(fit *f) {
    for (int64_t i = 0; i < f->data->train; i++)
        fill_row(f, f->data->x_train + i * f->data->columns, f->x + i * width(f));
}

/* ---- training and probabilities -------------------------------------------------------------- */

/* One class more to be fitted; its scores are infinite where every training row has it. */
static void add_class(const fit *f, scratch *s, int32_t class) {
    const cafe_classifier_data *d = f->data;
    double *y = s->y + s->together * d->train;
    if (cafe_classes_mark(d, class, s->mark) == d->train) {
        cafe_classes_fill(d, class, INFINITY, f->scores);
        return;
    }
    for (int64_t i = 0; i < d->train; i++) y[i] = s->mark[i] ? 1 : -1;
    s->class[s->together++] = class;
}

/* scores = <w, x> of the classes of a group, each against the rest. */
static void fit_group(void *argument, int64_t task, int32_t worker) {
    const fit *f = argument;
    scratch *s = &f->scratch[worker];
    const cafe_classifier_data *d = f->data;
    cafe_newton_problem problem = {
        d->train, width(f), f->x, f->options->cost, f->options->tolerance, d->weight};
    s->together = 0;
    for (int64_t k = task * f->group; k < cafe_block_end(f->fits, f->group, task); k++)
        add_class(f, s, f->present.of[k]);
    cafe_status status = cafe_newton_fit(f->context, &problem, s->together, s->y, s->room, s->w);
    if (status != CAFE_OK) s->status = status;
    for (int64_t i = 0; status == CAFE_OK && i < d->test; i++) {
        fill_row(f, d->x_test + i * d->columns, s->row);
        for (int64_t k = 0; k < s->together; k++) {
            const double *w = s->w + k * width(f);
            double sum = 0;
            for (int64_t j = 0; j < width(f); j++) sum += w[j] * s->row[j];
            f->scores[i * d->classes + s->class[k]] = sum;
        }
    }
}

/* p = 1 / (1 + exp(-<w, x>)) */
static double probability(double decision) {
    return 1 / (1 + exp(-decision));
}

/* Decisions of one test row into probabilities: rows of one class share them out, p_k / sum p,
 * which is liblinear's estimate. If all p underflow, the largest decision has it all. */
static void to_probabilities(const cafe_classes *present, int32_t multiple, double *row) {
    double sum = 0;
    int32_t best = present->of[0];
    for (int64_t k = 0; k < present->count; k++) {
        int32_t c = present->of[k];
        if (row[c] > row[best]) best = c;
    }
    for (int64_t k = 0; k < present->count; k++) sum += probability(row[present->of[k]]);
    for (int64_t k = 0; k < present->count; k++) {
        int32_t c = present->of[k];
        double p = probability(row[c]);
        row[c] = multiple ? p : sum > 0 ? p / sum : (double)(c == best);
    }
}

static cafe_status fit_classes(fit *f) {
    const cafe_classifier_data *d = f->data;
    const cafe_classes *p = &f->present;
    find_scale(f);
    fill_rows(f);
    CAFE_PASS(cafe_parallel(f->context, cafe_blocks(f->fits, f->group), fit_group, f));
    for (int64_t i = 0; i < f->context->threads; i++) CAFE_PASS(f->scratch[i].status);
    for (int64_t i = 0; i < d->test; i++) {
        double *row = f->scores + i * d->classes;
        if (f->fits < p->count) row[p->of[1]] = -row[p->of[0]];
        to_probabilities(p, d->multiple, row);
    }
    return CAFE_OK;
}

static cafe_status predict_classes(const void *self, cafe_context *context,
                                   const cafe_classifier_data *data, double *scores) {
    cafe_logistic_options defaults;
    cafe_logistic_options_init(&defaults);
    fit f = {.options = self ? self : &defaults, .context = context, .data = data};
    f.scores = scores;
    cafe_status status = cafe_classes_find(context, data, &f.present);
    if (status == CAFE_OK && f.present.count > 0) {
        status = new_fit(&f);
        if (status == CAFE_OK) status = fit_classes(&f);
    }
    free_fit(&f);
    return status;
}

cafe_status cafe_classifier_logistic(cafe_context *context, const cafe_logistic_options *options,
                                     cafe_classifier *classifier) {
    *classifier = (cafe_classifier){sizeof *classifier, "logistic", options, predict_classes};
    return options ? cafe_options_check(context, &logistic_table, options) : CAFE_OK;
}
