/* The classifiers: what is separable is separated, probabilities are some, classes that training
 * does not have stay at 0, and threads change nothing. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <cafe/lab.h>

#include "classifiers.h"
#include "evaluate/newton.h"
#include "evaluate/trials.h"
#include "graphs.h"

enum { ROWS = 240, COLUMNS = 5, CLASSES = 6 };

typedef cafe_status constructor(cafe_context *context, cafe_classifier *classifier);

static cafe_status xgboost(cafe_context *context, cafe_classifier *classifier) {
    return cafe_classifier_xgboost(context, NULL, classifier);
}

static cafe_status logistic(cafe_context *context, cafe_classifier *classifier) {
    return cafe_classifier_logistic(context, NULL, classifier);
}

static cafe_context *new_context(int32_t threads) {
    cafe_context_options o;
    cafe_context *context = NULL;
    cafe_context_options_init(&o);
    o.threads = threads;
    assert_int_equal(cafe_context_create(&o, &context), CAFE_OK);
    return context;
}

/* Fills in the classifier, or skips the test and says why. */
static cafe_context *start(constructor *make, int32_t threads, cafe_classifier *classifier) {
    cafe_context *context = new_context(threads);
    cafe_status status = make(context, classifier);
    if (status == CAFE_ERROR_SYSTEM) {
        print_message("skipped: %s\n", cafe_error(context));
        cafe_context_free(context);
        skip();
    }
    assert_int_equal(status, CAFE_OK);
    return context;
}

/* Blobs: row i is around 4 e_c for its class c = class_of[i % kinds], with noise in +-spread. */
typedef struct blobs {
    float x[ROWS * COLUMNS];
    int32_t label[ROWS];
    int64_t offsets[ROWS + 1];
} blobs;

static void make_blobs(blobs *b, int kinds, const int32_t *class_of, float spread, uint64_t state) {
    for (int i = 0; i < ROWS; i++) {
        b->offsets[i] = i;
        b->label[i] = class_of[i % kinds];
        for (int j = 0; j < COLUMNS; j++)
            b->x[i * COLUMNS + j] = spread * ((float)test_below(&state, 2001) / 1000 - 1) +
                                    (j == b->label[i] % COLUMNS ? 4 : 0);
    }
    b->offsets[ROWS] = ROWS;
}

static cafe_classifier_data data_of(const blobs *train, const blobs *test) {
    return (cafe_classifier_data){.train = ROWS,
                                  .test = ROWS,
                                  .columns = COLUMNS,
                                  .classes = CLASSES,
                                  .x_train = train->x,
                                  .x_test = test->x,
                                  .offsets = train->offsets,
                                  .value = train->label,
                                  .seed = 7};
}

/* Trains on blobs of some classes and looks at the test rows' scores. */
static void check_blobs(constructor *make, int kinds, const int32_t *class_of) {
    cafe_classifier classifier;
    cafe_context *context = start(make, 1, &classifier);
    blobs train, test;
    make_blobs(&train, kinds, class_of, 1, 1);
    /* trees cut at a training value: right at the edge of a blob */
    make_blobs(&test, kinds, class_of, 0.8f, 2);
    cafe_classifier_data d = data_of(&train, &test);
    double *scores = calloc(ROWS * CLASSES, sizeof *scores);
    assert_non_null(scores);
    assert_int_equal(classifier.predict(classifier.self, context, &d, scores), CAFE_OK);
    for (int i = 0; i < ROWS; i++) {
        double sum = 0, largest = 0;
        for (int c = 0; c < CLASSES; c++) {
            int present = 0;
            for (int k = 0; k < kinds; k++) present |= class_of[k] == c;
            double s = scores[i * CLASSES + c];
            assert_true(s >= 0 && s <= 1 && (present || s == 0));
            sum += s;
            largest = s > largest ? s : largest;
        }
        assert_float_equal(sum, 1, 1e-5);
        assert_true(scores[i * CLASSES + test.label[i]] == largest);
    }
    free(scores);
    cafe_context_free(context);
}

static void check_all_blobs(constructor *make) {
    check_blobs(make, 1, (int32_t[]){3}); /* nothing to tell apart */
    check_blobs(make, 2, (int32_t[]){4, 1});
    check_blobs(make, 4, (int32_t[]){3, 0, 2, 1}); /* 4 and 5 are not there */
}

static void xgboost_separates(void **state) {
    (void)state;
    check_all_blobs(xgboost);
}

static void logistic_separates(void **state) {
    (void)state;
    check_all_blobs(logistic);
}

/* Classes 0 .. 4, each its own column's business: a row has those whose column is large. Class 4 is
 * in every row; row 0 has that alone. */
static void check_multiple(constructor *make) {
    cafe_classifier classifier;
    cafe_context *context = start(make, 1, &classifier);
    blobs rows;
    int32_t value[ROWS * COLUMNS];
    int64_t used = 0;
    uint64_t state = 5;
    double *scores = calloc(ROWS * CLASSES, sizeof *scores);
    assert_non_null(scores);
    for (int i = 0; i < ROWS; i++) {
        rows.offsets[i] = used;
        for (int j = 0; j < COLUMNS; j++) {
            int has = i > 0 && test_below(&state, 2);
            rows.x[i * COLUMNS + j] = (float)(has ? 2 : -2) + (float)test_below(&state, 100) / 100;
            if (has || j == 4) value[used++] = j;
        }
    }
    rows.offsets[ROWS] = used;
    cafe_classifier_data d = data_of(&rows, &rows);
    d.value = value;
    d.multiple = 1;
    assert_int_equal(classifier.predict(classifier.self, context, &d, scores), CAFE_OK);
    for (int i = 0; i < ROWS; i++) {
        for (int j = 0; j < 4; j++)
            assert_int_equal(scores[i * CLASSES + j] > 0.5, rows.x[i * COLUMNS + j] > 0);
        assert_true(scores[i * CLASSES + 4] == 1 && scores[i * CLASSES + 5] == 0);
    }
    free(scores);
    cafe_context_free(context);
}

static void xgboost_finds_several(void **state) {
    (void)state;
    check_multiple(xgboost);
}

static void logistic_finds_several(void **state) {
    (void)state;
    check_multiple(logistic);
}

/* The same values, to the bit, for 1 and 3 threads, and better than chance. */
static void check_threads(constructor *make) {
    const double shares[2] = {0.2, 0.5};
    const int32_t class_of[5] = {0, 1, 2, 3, 4};
    blobs b;
    double value[2][2 * 3 * 5];
    make_blobs(&b, 5, class_of, 1, 3);
    for (int i = 0; i < ROWS; i += 3) b.label[i] = i % 5; /* not quite separable */
    for (int run = 0; run < 2; run++) {
        cafe_classifier classifier;
        cafe_context *context = start(make, run ? 3 : 1, &classifier);
        cafe_targets targets;
        cafe_evaluation *e = NULL;
        cafe_features f = {.struct_size = sizeof f, .block = b.x, .columns = COLUMNS};
        cafe_classify_options o;
        cafe_classify_options_init(&o);
        o.repeats = 3;
        assert_int_equal(cafe_targets_from_array(context, ROWS, CLASSES, b.label, &targets),
                         CAFE_OK);
        assert_int_equal(cafe_classify(context, &targets, &f, &classifier, &o, 2, shares, &e),
                         CAFE_OK);
        int at = 0;
        for (int s = 0; s < 2; s++)
            for (int r = 0; r < 3; r++)
                for (int m = 0; m < 5; m++) value[run][at++] = cafe_evaluation_value(e, s, r, m);
        cafe_evaluation_free(e);
        cafe_targets_free(context, &targets);
        cafe_context_free(context);
    }
    assert_memory_equal(value[0], value[1], sizeof value[0]);
    assert_true(value[0][0] > 0.5);
}

static void xgboost_threads(void **state) {
    (void)state;
    check_threads(xgboost);
}

static void logistic_threads(void **state) {
    (void)state;
    check_threads(logistic);
}

/* Scaling columns by a thousandth changes nothing where they are scaled anyway. */
static void logistic_scales(void **state) {
    (void)state;
    cafe_classifier classifier;
    cafe_context *context = start(logistic, 1, &classifier);
    blobs train, test;
    make_blobs(&train, 4, (int32_t[]){0, 1, 2, 3}, 1, 1);
    make_blobs(&test, 4, (int32_t[]){0, 1, 2, 3}, 1, 2);
    double *scores = calloc(2 * ROWS * CLASSES, sizeof *scores);
    assert_non_null(scores);
    cafe_classifier_data d = data_of(&train, &test);
    for (int run = 0; run < 2; run++) {
        assert_int_equal(
            classifier.predict(classifier.self, context, &d, scores + run * ROWS * CLASSES),
            CAFE_OK);
        for (int i = 0; i < ROWS * COLUMNS; i++) train.x[i] /= 1024, test.x[i] /= 1024;
    }
    for (int i = 0; i < ROWS * CLASSES; i++)
        assert_float_equal(scores[i], scores[ROWS * CLASSES + i], 1e-9);
    free(scores);
    cafe_context_free(context);
}

static void options_are_checked(void **state) {
    (void)state;
    cafe_context *context = new_context(1);
    cafe_classifier classifier;
    cafe_xgboost_options trees;
    cafe_logistic_options lines;
    cafe_xgboost_options_init(&trees);
    cafe_logistic_options_init(&lines);
    assert_int_equal(trees.trees, 100);
    assert_int_equal(trees.bins, 32);
    assert_true(lines.cost == 1);
    trees.depth = 0;
    lines.cost = -1;
    assert_int_not_equal(cafe_classifier_xgboost(context, &trees, &classifier), CAFE_OK);
    assert_int_not_equal(cafe_classifier_logistic(context, &lines, &classifier), CAFE_OK);
    cafe_context_free(context);
}

/* The gradient w + C sum_i (p_i - 1) y_i x_i, and its length. */
static double slope(const cafe_newton_problem *o, const double *y, const double *w) {
    double square = 0;
    for (int64_t j = 0; j < o->columns; j++) {
        double sum = w[j];
        for (int64_t i = 0; i < o->rows; i++) {
            const double *x = o->x + i * o->columns;
            double z = 0;
            for (int64_t l = 0; l < o->columns; l++) z += w[l] * x[l];
            sum += o->cost * (1 / (1 + exp(-y[i] * z)) - 1) * y[i] * x[j];
        }
        square += sum * sum;
    }
    return sqrt(square);
}

enum { FIT_ROWS = 203, FIT_COLUMNS = 50, FITS = 3 };

typedef struct fits {
    double x[FIT_ROWS * FIT_COLUMNS], y[FITS * FIT_ROWS], w[FITS * FIT_COLUMNS];
    double room[FITS * (2 * FIT_ROWS + 8 * FIT_COLUMNS)];
    cafe_newton_problem problem;
} fits;

/* Balanced and rare classes, weak and strong penalties, more columns than rows. */
static void make_fits(fits *f, int s) {
    static const int64_t sizes[][2] = {{FIT_ROWS, 5}, {60, 40}, {20, FIT_COLUMNS}};
    static const double costs[] = {1e-3, 1, 1e3}, cuts[] = {0, 0.8, -0.6};
    int64_t rows = sizes[s % 3][0], columns = sizes[s % 3][1];
    uint32_t draw = 7;
    f->problem = (cafe_newton_problem){rows, columns, f->x, costs[s / 3], 1e-5, NULL};
    assert_true(FITS * cafe_newton_room(rows, columns) <=
                (int64_t)(sizeof f->room / sizeof *f->room));
    for (int64_t i = 0; i < rows * columns; i++) {
        draw = draw * 1664525 + 1013904223;
        f->x[i] = (double)(draw >> 8) / 0x1p23 - 1;
    }
    for (int64_t k = 0; k < FITS; k++)
        for (int64_t i = 0; i < rows; i++)
            f->y[k * rows + i] = f->x[i * columns + k] > cuts[k] ? 1 : -1;
}

/* A strictly convex function has one place without slope. */
static void newton_finds_the_minimum(void **state) {
    static fits f;
    const double zero[FIT_COLUMNS] = {0};
    cafe_context *context = new_context(1);
    (void)state;
    for (int s = 0; s < 9; s++) {
        make_fits(&f, s);
        assert_int_equal(cafe_newton_fit(context, &f.problem, FITS, f.y, f.room, f.w), CAFE_OK);
        for (int64_t k = 0; k < FITS; k++) {
            const double *y = f.y + k * f.problem.rows, *w = f.w + k * f.problem.columns;
            assert_true(slope(&f.problem, y, w) <= 1e-5 * slope(&f.problem, y, zero));
        }
    }
    cafe_context_free(context);
}

/* Side by side, every fit has the bits it has alone. */
static void newton_fits_are_their_own(void **state) {
    static fits f, one;
    cafe_context *context = new_context(1);
    (void)state;
    for (int s = 0; s < 9; s++) {
        make_fits(&f, s);
        make_fits(&one, s);
        int64_t rows = f.problem.rows, columns = f.problem.columns;
        assert_int_equal(cafe_newton_fit(context, &f.problem, FITS, f.y, f.room, f.w), CAFE_OK);
        for (int64_t k = 0; k < FITS; k++) {
            assert_int_equal(
                cafe_newton_fit(context, &one.problem, 1, f.y + k * rows, one.room, one.w),
                CAFE_OK);
            assert_memory_equal(one.w, f.w + k * columns, (size_t)columns * sizeof(double));
        }
    }
    cafe_context_free(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(xgboost_separates),        cmocka_unit_test(logistic_separates),
        cmocka_unit_test(xgboost_finds_several),    cmocka_unit_test(logistic_finds_several),
        cmocka_unit_test(xgboost_threads),          cmocka_unit_test(logistic_threads),
        cmocka_unit_test(logistic_scales),          cmocka_unit_test(options_are_checked),
        cmocka_unit_test(newton_finds_the_minimum), cmocka_unit_test(newton_fits_are_their_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
