/* Runs whose operator and modularity are compared with a dense Q. */
#ifndef CAFE_TEST_DENSE_RUNS_H
#define CAFE_TEST_DENSE_RUNS_H

#include <cafe-private/run.h>

#include "dense.h"
#include "graph/graph.h"
#include "method/method.h"

/* A run with these options, pairs of name and value ended by NULL, that has gone. */
TEST_UNUSED static cafe_run *test_run(cafe_context *context, const cafe_graph *graph,
                                      cafe_purpose purpose, const char *method,
                                      const char *const *options) {
    cafe_run *run;
    TEST_OK(context, cafe_run_create(context, purpose, method, &run));
    for (; *options; options += 2) TEST_OK(context, cafe_run_set(run, options[0], options[1]));
    TEST_OK(context, cafe_run_graph(run, graph, NULL, NULL));
    TEST_OK(context, cafe_run_go(run));
    return run;
}

/* Every seventh row of the run's operator is that of Q. */
TEST_UNUSED static void test_operator_is(cafe_context *context, cafe_run *run, int64_t n,
                                         const double *q) {
    double *row = calloc((size_t)n, sizeof *row);
    for (int64_t u = 0; u < n; u += 7) {
        TEST_OK(context, cafe_operator_row(context, cafe_run_get(run)->op, u, row));
        for (int64_t w = 0; w < n; w++) assert_float_equal(row[w], q[u * n + w], 1e-9);
    }
    free(row);
}

/* The sum of Q over pairs of nodes of one part. */
TEST_UNUSED static double test_modularity(const double *q, int64_t n, const int32_t *part) {
    double sum = 0;
    for (int64_t i = 0; i < n * n; i++) sum += part[i / n] == part[i % n] ? q[i] : 0;
    return sum;
}

#endif
