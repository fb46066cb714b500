/* Vectors of sums of operators: the objective never falls and ends at the dense trace, certificates
 * hold against the dense matrix, and bits do not depend on the threads.
 */
#include "dense.h"
#include "engine/processor.h"
#include "operator/table_operator.h"
#include "solve/solution.h"

#include <cafe/embedding.h>

enum { NODES = 300, WIDTH = 6, COLUMNS = 12 };

/* Two graphs and a table, their sum, and Q as a dense matrix. */
typedef struct layers {
    test_problem one, two;
    cafe_operator *table, *sum;
    double *q;
} layers;

static const double weights[][3] = {{1, 0.5, 0.5}, {1, -0.6, 0.2}, {0.3, 1, -0.4}};
enum { SUMS = sizeof weights / sizeof *weights };

static void add_dense(layers *s, const double w[3], const float *x) {
    double whole = fabs(w[0]) + fabs(w[1]) + fabs(w[2]), p[NODES], means[WIDTH] = {0};
    double *one = test_dense_q(s->one.graph, p), *two = test_dense_q(s->two.graph, p);
    double scale = cafe_operator_centred(s->table)->scale;
    s->q = calloc(NODES * NODES, sizeof *s->q);
    for (int i = 0; i < NODES * WIDTH; i++) means[i % WIDTH] += x[i] / (double)NODES;
    for (int u = 0; u < NODES; u++)
        for (int v = 0; v < NODES; v++) {
            double dot = 0;
            for (int j = 0; j < WIDTH; j++)
                dot += (x[u * WIDTH + j] - means[j]) * (x[v * WIDTH + j] - means[j]);
            s->q[u * NODES + v] = (w[0] * one[u * NODES + v] + w[1] * two[u * NODES + v] +
                                   w[2] * dot / (scale * scale * NODES)) /
                                  whole;
        }
    free(one), free(two);
}

static layers begin(int32_t threads, const double w[3]) {
    layers s = {0};
    float *x = test_block(NODES, WIDTH, 4);
    cafe_context *first = test_context(threads, 3), *second = test_context(threads, 3);
    s.one = test_open(first, test_random(first, NODES, 1500, 1, 1, 9));
    s.two = test_open(second, test_random(second, NODES, 900, 0, 1, 8));
    TEST_OK(first, cafe_operator_table(first, NODES, WIDTH, x, &s.table));
    const cafe_summand all[] = {{s.one.op, w[0], 1}, {s.two.op, w[1], 1}, {s.table, w[2], NODES}};
    TEST_OK(first, cafe_operator_sum(first, 3, all, &s.sum));
    add_dense(&s, w, x);
    free(x);
    return s;
}

static void end(layers *s) {
    free(s->q);
    cafe_operator_free(s->sum);
    cafe_operator_free(s->table);
    test_close(&s->two);
    test_close(&s->one);
}

/* ---- the objective --------------------------------------------------------------------------- */

static cafe_solution *solve(const layers *s, int32_t columns_from) {
    cafe_sphere_options o;
    cafe_solution *solution = NULL;
    cafe_sphere_options_init(&o);
    o.columns = COLUMNS, o.chunks = 5, o.sweeps = 12, o.tolerance = 0;
    o.columns_from = columns_from;
    TEST_OK(s->one.context, cafe_sphere(s->one.context, s->sum, &o, NULL, &solution));
    return solution;
}

static void the_objective_never_falls(void **state) {
    (void)state;
    for (int i = 0; i < SUMS; i++)
        for (int32_t threads = 1; threads < 9; threads += 7) {
            layers s = begin(threads, weights[i]);
            cafe_solution *solution = solve(&s, CAFE_FROM_TOP);
            float *rows = malloc((size_t)NODES * COLUMNS * sizeof *rows);
            for (int64_t j = 1; j <= solution->sweeps; j++)
                assert_true(solution->objective[j] >= solution->objective[j - 1] - 2e-7);
            assert_true(solution->objective[solution->sweeps] > solution->objective[0] + 0.01);
            for (int64_t u = 0; u < NODES; u++)
                memcpy(rows + u * COLUMNS, cafe_row(&solution->h, u), COLUMNS * sizeof *rows);
            assert_float_equal(solution->objective[solution->sweeps],
                               test_dense_trace(NODES, s.q, rows, COLUMNS), 1e-5);
            free(rows);
            cafe_solution_free(solution);
            end(&s);
        }
}

/* ---- the certificate ------------------------------------------------------------------------- */

/* ||M v - rho v|| / ||v|| of column j in the inner product of the problem, M = Q or D^-1 Q; of the
 * walk's problem columns less their means by D. */
static double residual_of(const layers *s, bool walk, const float *v, int64_t columns, int64_t j,
                          double rho) {
    const double *p = s->sum->parts.p;
    double mean = 0, square = 0, length = 0, x[NODES];
    for (int u = 0; u < NODES; u++) mean += p[u] * v[u * columns + j];
    for (int u = 0; u < NODES; u++) x[u] = v[u * columns + j] - (walk ? mean : 0);
    for (int u = 0; u < NODES; u++) {
        double y = 0, d = walk ? p[u] : 1;
        if (!(d > 0)) continue;
        for (int w = 0; w < NODES; w++) y += s->q[u * NODES + w] * x[w];
        y = y / d - rho * x[u];
        square += d * y * y;
        length += d * x[u] * x[u];
    }
    return sqrt(square / length);
}

static void certificates_hold(void **state) {
    static const cafe_form forms[] = {CAFE_FORM_SCALED, CAFE_FORM_WALK, CAFE_FORM_HHAT};
    static const int32_t ends[] = {CAFE_FROM_TOP, CAFE_FROM_BOTH};
    (void)state;
    for (int i = 0; i < SUMS * 6; i++) {
        layers s = begin(2, weights[i % SUMS]);
        cafe_finish_options o;
        cafe_embedding *e = NULL;
        cafe_finish_options_init(&o);
        o.form = forms[i / SUMS % 3];
        if (i >= SUMS * 3) o.residual = 1e-3;
        cafe_solution *solution = solve(&s, ends[i % 2]);
        TEST_OK(s.one.context, cafe_finish(s.one.context, s.sum, &solution, &o, &e));
        const cafe_certificate *c = cafe_embedding_certificate(e);
        float *v = malloc((size_t)NODES * (size_t)c->columns * sizeof *v);
        TEST_OK(s.one.context, cafe_embedding_copy(e, v));
        assert_true(c->columns >= 4);
        for (int64_t g = 0; g < c->group_count; g++)
            for (int64_t j = 0; j < c->groups[g].columns; j++) {
                double truth = residual_of(&s, o.form != CAFE_FORM_HHAT, v, c->columns,
                                           c->groups[g].first + j, c->groups[g].values[j]);
                assert_true(truth <= c->groups[g].residuals[j] + 2e-7);
                assert_true(c->groups[g].residuals[j] <= truth + 1e-4);
            }
        free(v);
        cafe_embedding_free(e);
        end(&s);
    }
}

static void threads_do_not_change_the_bits(void **state) {
    (void)state;
    float *first = NULL;
    int64_t columns = 0;
    for (size_t i = 0; i < TEST_THREADS; i++) {
        layers s = begin(test_thread_counts[i], weights[1]);
        cafe_embedding *e = NULL;
        cafe_solution *solution = solve(&s, CAFE_FROM_TOP);
        TEST_OK(s.one.context, cafe_finish(s.one.context, s.sum, &solution, NULL, &e));
        const cafe_certificate *c = cafe_embedding_certificate(e);
        float *v = malloc((size_t)NODES * (size_t)c->columns * sizeof *v);
        TEST_OK(s.one.context, cafe_embedding_copy(e, v));
        if (i == 0) first = v, columns = c->columns;
        assert_int_equal(c->columns, columns);
        assert_memory_equal(v, first, (size_t)NODES * (size_t)columns * sizeof *v);
        if (i > 0) free(v);
        cafe_embedding_free(e);
        end(&s);
    }
    free(first);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_objective_never_falls),
        cmocka_unit_test(certificates_hold),
        cmocka_unit_test(threads_do_not_change_the_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
