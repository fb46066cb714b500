/* L2-regularised logistic regression, one class against the rest: a model for each class.
 *
 * Columns are brought to mean 0 and variance 1 first, by training rows: the entries of an
 * orthonormal embedding are about 1/sqrt(n), and with C = 1 the penalty would leave nothing of
 * them. The intercept is one more column of ones, as in liblinear.
 */
#include <math.h>
#include <stddef.h>

#include <cafe/evaluate.h>

#include "base/memory.h"
#include "base/option.h"
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

typedef struct fit {
    const cafe_logistic_options *options;
    cafe_context *context;
    const cafe_classifier_data *data;
    cafe_classes present;
    uint8_t *mark;
    double *mean, *factor;      /* of each column: x becomes (x - mean) factor */
    double *x;                  /* train x width, then one row for the test */
    double *y;                  /* NEWTON_MOST x train: 1 or -1 */
    double *w, *room;           /* NEWTON_MOST times */
    int32_t class[NEWTON_MOST]; /* that are fitted together */
    int64_t together;
} fit;

/* The columns and one of ones. */
static int64_t width(const fit *f) {
    return f->data->columns + 1;
}

static cafe_status new_fit(fit *f) {
    const cafe_classifier_data *d = f->data;
    int64_t rows = d->train + 1, columns = width(f);
    int64_t fits = 1 + (f->present.count < NEWTON_MOST ? f->present.count : NEWTON_MOST);
    f->mark = cafe_mem(f->context, rows, 1);
    f->mean = cafe_mem_zero(f->context, columns, sizeof *f->mean);
    f->factor = cafe_mem_zero(f->context, columns, sizeof *f->factor);
    f->x = cafe_mem(f->context, rows * columns, sizeof *f->x);
    f->y = cafe_mem(f->context, fits * rows, sizeof *f->y);
    f->w = cafe_mem(f->context, fits * columns, sizeof *f->w);
    f->room = cafe_mem(f->context, fits * cafe_newton_room(d->train, columns), sizeof *f->room);
    return cafe_mem_had(f->mark, f->mean, f->factor, f->x, f->y, f->w, f->room);
}

static void free_fit(fit *f) {
    cafe_mem_free_all(f->context, f->mark, f->mean, f->factor, f->x, f->y, f->w, f->room);
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
static void add_class(fit *f, int32_t class, double *scores) {
    const cafe_classifier_data *d = f->data;
    double *y = f->y + f->together * d->train;
    if (cafe_classes_mark(d, class, f->mark) == d->train) {
        cafe_classes_fill(d, class, INFINITY, scores);
        return;
    }
    for (int64_t i = 0; i < d->train; i++) y[i] = f->mark[i] ? 1 : -1;
    f->class[f->together++] = class;
}

/* scores = <w, x> of the classes that wait, each against the rest. */
static cafe_status decide(fit *f, double *scores) {
    const cafe_classifier_data *d = f->data;
    cafe_newton_problem problem = {d->train, width(f), f->x, f->options->cost,
                                   f->options->tolerance};
    double *row = f->x + d->train * width(f);
    cafe_status status = cafe_newton_fit(f->context, &problem, f->together, f->y, f->room, f->w);
    for (int64_t i = 0; status == CAFE_OK && i < d->test; i++) {
        fill_row(f, d->x_test + i * d->columns, row);
        for (int64_t k = 0; k < f->together; k++) {
            const double *w = f->w + k * width(f);
            double sum = 0;
            for (int64_t j = 0; j < width(f); j++) sum += w[j] * row[j];
            scores[i * d->classes + f->class[k]] = sum;
        }
    }
    f->together = 0;
    return status;
}

/* p = 1 / (1 + exp(-<w, x>)) */
static double probability(double decision) {
    return 1 / (1 + exp(-decision));
}

/* Decisions of one test row into probabilities: rows of one class share them out, p_k / sum p,
 * which is liblinear's estimate; where all p underflow, the largest decision has it all. */
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

static cafe_status fit_classes(fit *f, double *scores) {
    const cafe_classifier_data *d = f->data;
    const cafe_classes *p = &f->present;
    /* of two classes one is the other turned round */
    int64_t fits = !d->multiple && p->count == 2 ? 1 : p->count;
    cafe_status status = CAFE_OK;
    find_scale(f);
    fill_rows(f);
    for (int64_t k = 0; status == CAFE_OK && k < fits; k++) {
        add_class(f, p->of[k], scores);
        if (f->together == NEWTON_MOST || k + 1 == fits) status = decide(f, scores);
    }
    for (int64_t i = 0; status == CAFE_OK && i < d->test; i++) {
        double *row = scores + i * d->classes;
        if (fits < p->count) row[p->of[1]] = -row[p->of[0]];
        to_probabilities(p, d->multiple, row);
    }
    return status;
}

static cafe_status predict_classes(const void *self, cafe_context *context,
                                   const cafe_classifier_data *data, double *scores) {
    cafe_logistic_options defaults;
    cafe_logistic_options_init(&defaults);
    fit f = {.options = self ? self : &defaults, .context = context, .data = data};
    cafe_status status = cafe_classes_find(context, data, &f.present);
    if (status == CAFE_OK) status = new_fit(&f);
    if (status == CAFE_OK && f.present.count > 0) status = fit_classes(&f, scores);
    free_fit(&f);
    return status;
}

cafe_status cafe_classifier_logistic(cafe_context *context, const cafe_logistic_options *options,
                                     cafe_classifier *classifier) {
    *classifier = (cafe_classifier){sizeof *classifier, "logistic", options, predict_classes};
    return options ? cafe_options_check(context, &logistic_table, options) : CAFE_OK;
}
