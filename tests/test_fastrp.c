/* FastRP against its definition, computed here in double precision. */
#include <math.h>
#include <stdio.h>

#include "base/random.h"
#include "dense.h"

enum { NODES = 40, K = 6, STEPS = 5, FOURS = (K + 3) / 4 };

static double start_entry(uint64_t seed, int64_t u, int64_t j) {
    uint32_t face =
        cafe_philox(seed, CAFE_STREAM_FASTRP, (uint64_t)(u * FOURS + j / 4)).v[j % 4] % 6;
    return face > 1 ? 0 : face == 0 ? sqrt(3) : -sqrt(3);
}

/* y = D^-1 A x; rows of nodes without edges are 0. */
static void transition(const cafe_graph *graph, double x[NODES][K], double y[NODES][K]) {
    const int64_t *offsets;
    const int32_t *targets;
    const float *weights;
    cafe_graph_csr(graph, &offsets, &targets, &weights);
    memset(y, 0, sizeof(double[NODES][K]));
    for (int64_t u = 0; u < NODES; u++) {
        double degree = 0;
        for (int64_t i = offsets[u]; i < offsets[u + 1]; i++) degree += weights ? weights[i] : 1;
        for (int64_t i = offsets[u]; i < offsets[u + 1]; i++)
            for (int64_t j = 0; j < K; j++)
                y[u][j] += (weights ? weights[i] : 1) / degree * x[targets[i]][j];
    }
}

static double length(const double *row) {
    double squares = 0;
    for (int64_t j = 0; j < K; j++) squares += row[j] * row[j];
    return sqrt(squares);
}

static void add_unit_rows(double x[NODES][K], double sum[NODES][K]) {
    for (int64_t u = 0; u < NODES; u++)
        for (int64_t j = 0; j < K && length(x[u]) > 0; j++) sum[u][j] += x[u][j] / length(x[u]);
}

/* The sum of the last two powers, and the mean of 1 - cos between their rows. */
static double definition(const cafe_graph *graph, uint64_t seed, double sum[NODES][K]) {
    double x[NODES][K], y[NODES][K], loss = 0, nodes = 0;
    for (int64_t u = 0; u < NODES; u++)
        for (int64_t j = 0; j < K; j++) x[u][j] = start_entry(seed, u, j);
    memset(sum, 0, sizeof(double[NODES][K]));
    for (int64_t i = 1; i <= STEPS; i++) {
        transition(graph, x, y);
        if (i >= STEPS - 1) add_unit_rows(y, sum);
        if (i == STEPS)
            for (int64_t u = 0; u < NODES; u++) {
                double product = 0;
                for (int64_t j = 0; j < K; j++) product += x[u][j] * y[u][j];
                if (length(y[u]) > 0) loss += 1 - product / length(x[u]) / length(y[u]), nodes++;
            }
        memcpy(x, y, sizeof x);
    }
    return loss / nodes;
}

static double fastrp(cafe_context *context, const cafe_graph *graph, float *vectors) {
    const cafe_option_table *table = cafe_method_find(context, "fastrp")->vectors();
    void *o = calloc(1, table->struct_size);
    cafe_solution *s = NULL;
    char columns[16], steps[16];
    cafe_options_init(table, o, table->struct_size);
    snprintf(columns, sizeof columns, "%d", K);
    snprintf(steps, sizeof steps, "%d", STEPS);
    TEST_OK(context, cafe_options_set(context, table, o, "columns", columns));
    TEST_OK(context, cafe_options_set(context, table, o, "steps", steps));
    TEST_OK(context, test_solve(context, graph, "fastrp", o, &s));
    TEST_OK(context, cafe_solution_copy(s, vectors));
    double loss = cafe_solution_get(s)->objective[0];
    cafe_solution_free(s);
    free(o);
    return loss;
}

static void rows_are_those_of_the_definition(void **state) {
    (void)state;
    for (int kind = 0; kind < 4; kind++) {
        cafe_context *context = test_context(2, 3);
        cafe_graph *graph = kind == 0 ? test_bipartite(context, 15, NODES - 15)
                                      : test_random(context, NODES, 130, kind > 1, kind > 2, 6);
        float x[NODES * K];
        double sum[NODES][K], loss = fastrp(context, graph, x);
        assert_true(fabs(loss - definition(graph, 3, sum)) < 1e-5);
        for (int64_t i = 0; i < NODES * K; i++) assert_true(fabs(x[i] - sum[i / K][i % K]) < 1e-5);
        cafe_graph_free(graph);
        cafe_context_free(context);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(rows_are_those_of_the_definition)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
