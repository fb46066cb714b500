/* L2-regularised logistic regression by liblinear (Fan et al., JMLR 9, 2008), one class against the
 * rest: a model for each class, so that cancellation is looked at between them.
 *
 * The solver is L2R_LR, a trust-region Newton method in the primal (Lin, Weng, Keerthi 2008). It
 * draws no random numbers, unlike the coordinate descent of the dual, which uses the process's one
 * rand(); so calls from several threads at once do not meet, and the result depends on the rows
 * alone. Columns are brought to mean 0 and variance 1 first, by training rows: the entries of an
 * orthonormal embedding are about 1/sqrt(n), and with C = 1 the penalty would leave nothing of
 * them.
 */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "classes.h"
#include "classifiers.h"

/* ---- options --------------------------------------------------------------------------------- */

static const cafe_option logistic_options[] = {
    {"cost", "C", CAFE_OPTION_REAL, offsetof(cafe_logistic_options, cost), 1, 1e-9, 1e9, NULL,
     "weight of the losses against that of the coefficients"},
    {"scale", "RULE", CAFE_OPTION_CHOICE, offsetof(cafe_logistic_options, scale), 1, 0, 1,
     "none|columns", "columns as they are, or of mean 0 and variance 1 in training"},
    {"logistic-tolerance", "X", CAFE_OPTION_REAL, offsetof(cafe_logistic_options, tolerance), 0.01,
     1e-9, 1, NULL, "stop when the gradient has fallen to this share"},
};

static const cafe_option_table logistic_table = {
    "logistic", "logistic regression, one class against the rest", sizeof(cafe_logistic_options),
    logistic_options, sizeof logistic_options / sizeof *logistic_options};

const cafe_option_table *cafe_logistic_option_table(void) {
    return &logistic_table;
}

#ifdef CAFE_LINEAR
#include <linear.h>

/* ---- rows for liblinear ---------------------------------------------------------------------- */

typedef struct fit {
    const cafe_logistic_options *options;
    cafe_context *context;
    const cafe_classifier_data *data;
    classes present;
    uint8_t *mark;
    double *mean, *factor;      /* of each column: x becomes (x - mean) factor */
    struct feature_node *nodes; /* train x (columns + 2), then one row for the test */
    struct feature_node **row;
    double *y; /* of each training row: 1 or 0 */
} fit;

/* One number of each column, 1 for the intercept, and the end: 16 bytes each. */
static int64_t row_nodes(const fit *f) {
    return f->data->columns + 2;
}

static cafe_status new_fit(fit *f) {
    const cafe_classifier_data *d = f->data;
    size_t rows = (size_t)d->train, columns = (size_t)d->columns;
    f->mark = malloc(rows + 1);
    f->mean = calloc(columns + 1, sizeof *f->mean);
    f->factor = calloc(columns + 1, sizeof *f->factor);
    f->nodes = malloc((rows + 1) * (columns + 2) * sizeof *f->nodes);
    f->row = malloc((rows + 1) * sizeof *f->row);
    f->y = malloc((rows + 1) * sizeof *f->y);
    if (f->mark && f->mean && f->factor && f->nodes && f->row && f->y) return CAFE_OK;
    return cafe_evaluate_fail(f->context, CAFE_ERROR_MEMORY, "out of memory: logistic regression");
}

static void free_fit(fit *f) {
    free(f->mark);
    free(f->mean);
    free(f->factor);
    free(f->nodes);
    free(f->row);
    free(f->y);
    classes_free(&f->present);
}

/* mean_j = sum_i x_ij / n, factor_j = 1 / sqrt(sum_i (x_ij - mean_j)^2 / n); 0 for constants */
static void find_scale(fit *f) {
    const cafe_classifier_data *d = f->data;
    int64_t n = d->train, k = d->columns;
    if (!f->options->scale) {
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

static void fill_row(const fit *f, const float *x, struct feature_node *row) {
    int64_t columns = f->data->columns;
    for (int64_t j = 0; j < columns; j++)
        row[j] = (struct feature_node){(int)j + 1, (x[j] - f->mean[j]) * f->factor[j]};
    row[columns] = (struct feature_node){(int)columns + 1, 1};
    row[columns + 1] = (struct feature_node){-1, 0};
}

static void fill_rows(fit *f) {
    for (int64_t i = 0; i < f->data->train; i++) {
        f->row[i] = f->nodes + i * row_nodes(f);
        fill_row(f, f->data->x_train + i * f->data->columns, f->row[i]);
    }
}

/* ---- training and probabilities -------------------------------------------------------------- */

/* Trains on the rows that are marked against those that are not. */
static cafe_status learn(const fit *f, struct model **model) {
    struct parameter p = {
        .solver_type = L2R_LR, .eps = f->options->tolerance, .C = f->options->cost, .p = 0.1};
    struct problem problem = {(int)f->data->train, (int)f->data->columns + 1, f->y, f->row, 1};
    const char *trouble = check_parameter(&problem, &p);
    if (trouble) return cafe_evaluate_fail(f->context, CAFE_ERROR_ARGUMENT, trouble);
    cafe_status status = cafe_evaluate_stopped(f->context);
    if (status != CAFE_OK) return status;
    for (int64_t i = 0; i < f->data->train; i++) f->y[i] = f->mark[i];
    *model = train(&problem, &p);
    return CAFE_OK;
}

/* scores = <w, x> of one class against the rest; infinite where every training row has it. */
static cafe_status decide(const fit *f, int32_t class, double *scores) {
    const cafe_classifier_data *d = f->data;
    struct feature_node *row = f->nodes + d->train * row_nodes(f);
    struct model *model = NULL;
    double decision;
    if (classes_mark(d, class, f->mark) == d->train) {
        classes_fill(d, class, INFINITY, scores);
        return CAFE_OK;
    }
    cafe_status status = learn(f, &model);
    for (int64_t i = 0; status == CAFE_OK && i < d->test; i++) {
        fill_row(f, d->x_test + i * d->columns, row);
        predict_values(model, row, &decision);
        /* positive for the label that came first */
        scores[i * d->classes + class] = model->label[0] == 1 ? decision : -decision;
    }
    if (model) free_and_destroy_model(&model);
    return status;
}

/* p = 1 / (1 + exp(-<w, x>)) */
static double probability(double decision) {
    return 1 / (1 + exp(-decision));
}

/* Decisions of one test row into probabilities: rows of one class share them out, p_k / sum p,
 * which is liblinear's estimate; where all p underflow, the largest decision has it all. */
static void to_probabilities(const classes *present, int32_t multiple, double *row) {
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
    const classes *p = &f->present;
    /* of two classes one is the other turned round */
    int64_t fits = !d->multiple && p->count == 2 ? 1 : p->count;
    cafe_status status = CAFE_OK;
    find_scale(f);
    fill_rows(f);
    for (int64_t k = 0; status == CAFE_OK && k < fits; k++) status = decide(f, p->of[k], scores);
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
    cafe_status status = classes_find(context, data, &f.present);
    if (status == CAFE_OK) status = new_fit(&f);
    if (status == CAFE_OK && f.present.count > 0) status = fit_classes(&f, scores);
    free_fit(&f);
    return status;
}

static void say_nothing(const char *text) {
    (void)text;
}

cafe_status cafe_classifier_logistic(cafe_context *context, const cafe_logistic_options *options,
                                     cafe_classifier *classifier) {
    *classifier = (cafe_classifier){sizeof *classifier, "logistic", options, predict_classes};
    set_print_string_function(say_nothing);
    return options ? cafe_options_check(context, &logistic_table, options) : CAFE_OK;
}

#else

cafe_status cafe_classifier_logistic(cafe_context *context, const cafe_logistic_options *options,
                                     cafe_classifier *classifier) {
    *classifier = (cafe_classifier){sizeof *classifier, "logistic", options, NULL};
    return cafe_evaluate_fail(context, CAFE_ERROR_SYSTEM,
                              "this program was built without liblinear; Debian and Ubuntu have it "
                              "in the package liblinear-dev");
}

#endif
