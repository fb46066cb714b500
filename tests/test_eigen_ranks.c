/* The eigensolver on the rows that several processes share: every process runs this program
 * (tests/test_parity.sh), or one does. What they find is put together, and its residuals are
 * computed anew from the links. Each case adds a line with a number made of the bits found to the
 * file $CAFE_TEST_BITS.N, N the number of the process: the same for any number of processes.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <cafe/cafe.h>

#include "dense.h"
#include "engine/owned_rows.h"
#include "failing.h"
#include "operator/operator.h"
#include "spectral/eigen.h"

static const char engine[] = "petsc";

/* ---- graphs ---------------------------------------------------------------------------------- */

static cafe_graph *lattice(cafe_context *context) {
    return test_grid(context, 66, 65);
}

/* Rings, all alike: every eigenvalue comes as often as there are, more often than a block is wide.
 */
static cafe_graph *rings(cafe_context *context) {
    enum { RINGS = 110, LENGTH = 40 };
    test_links l = test_links_new(RINGS * LENGTH);
    for (int32_t i = 0; i < RINGS * LENGTH; i++) {
        l.source[i] = i;
        l.target[i] = i / LENGTH * LENGTH + (i + 1) % LENGTH;
    }
    cafe_graph *graph = test_graph(context, RINGS * LENGTH, &l, 0, NULL);
    test_links_free(&l);
    return graph;
}

/* Tori, all alike: 17 and 68 copies of the first two eigenvalues, the second of which is wanted
 * too.
 */
static cafe_graph *tori(cafe_context *context) {
    enum { TORI = 17, SIDE = 16, ALL = TORI * SIDE * SIDE };
    test_links l = test_links_new(2 * ALL);
    for (int32_t u = 0; u < ALL; u++) {
        int32_t right = u / SIDE * SIDE + (u + 1) % SIDE;
        int32_t below = u / (SIDE * SIDE) * SIDE * SIDE + (u + SIDE) % (SIDE * SIDE);
        l.source[2 * u] = l.source[2 * u + 1] = u;
        l.target[2 * u] = right, l.target[2 * u + 1] = below;
    }
    cafe_graph *graph = test_graph(context, ALL, &l, 0, NULL);
    test_links_free(&l);
    return graph;
}

/* Q is of rank 2: columns vanish. */
static cafe_graph *sides(cafe_context *context) {
    return test_bipartite(context, 6, 4200);
}

/* Weights, loops, nodes without edges, three components; an end of many eigenvalues close together.
 */
static cafe_graph *many(cafe_context *context) {
    return test_random(context, 5000, 20000, 1, 1, 5);
}

typedef struct recipe {
    const char *name;
    cafe_graph *(*make)(cafe_context *context);
    int64_t pairs;
} recipe;
static const recipe recipes[] = {{"karate", test_karate, 5}, /* one process has it */
                                 {"lattice", lattice, 9},    {"rings", rings, 15},
                                 {"tori", tori, 25},         {"sides", sides, 6},
                                 {"many", many, 19}};
enum { RECIPES = 6 };

/* ---- a run ----------------------------------------------------------------------------------- */

typedef struct run {
    test_problem t;
    cafe_owned rows;
    cafe_eigen found;
    int64_t n, count;
    double *vectors; /* of all processes */
} run;

static cafe_context *joined(cafe_context *context) {
    if (cafe_engine_open(context, engine) == CAFE_OK) return context;
    print_message("skipped: %s\n", cafe_error(context));
    cafe_context_free(context);
    skip();
    return NULL;
}

/* Each row is one process's: the sum of all is a copy. */
static void put_together(cafe_context *context, run *r) {
    r->vectors = calloc((size_t)(r->n * r->count), sizeof *r->vectors);
    for (int64_t i = 0; i < r->rows.own; i++)
        memcpy(r->vectors + cafe_owned_row(&r->rows, i) * r->count, r->found.vectors + i * r->count,
               (size_t)r->count * sizeof *r->vectors);
    TEST_OK(context, cafe_owned_add(context, &r->rows, r->n * r->count, r->vectors));
}

static run solve(cafe_context *context, const recipe *how, double tolerance,
                 double (*want)(const void *argument, double value)) {
    run r = {.t = test_open(context, how->make(context)), .count = how->pairs};
    r.n = r.t.op->n;
    TEST_OK(context, cafe_owned_open(context, r.t.op, &r.rows));
    cafe_eigen_problem problem = cafe_eigen_owned(r.t.op, &r.rows, want, r.count, tolerance);
    TEST_OK(context, cafe_eigen_solve(context, &problem, &r.found));
    TEST_OK(context, cafe_eigen_need_all(context, &r.found));
    put_together(context, &r);
    return r;
}

/* And of the context. */
static void end(cafe_context *context, run *r) {
    free(r->vectors);
    cafe_eigen_free(context, &r->found);
    cafe_owned_close(context, &r->rows);
    test_close(&r->t);
}

/* ---- checks ---------------------------------------------------------------------------------- */

/* y = A x / total - p (p, x) for column j, from the graph's own arrays */
static void times(const cafe_graph *graph, const run *r, int64_t j, double *y) {
    const int64_t *offsets;
    const int32_t *targets;
    const float *weights;
    double total = 0, mean = 0, *p = calloc((size_t)r->n, sizeof *p);
    cafe_graph_csr(graph, &offsets, &targets, &weights);
    for (int64_t u = 0; u < r->n; u++) {
        y[u] = 0;
        for (int64_t i = offsets[u]; i < offsets[u + 1]; i++) {
            double a = weights ? weights[i] : 1;
            p[u] += a;
            y[u] += a * r->vectors[targets[i] * r->count + j];
        }
        total += p[u];
        mean += p[u] * r->vectors[u * r->count + j];
    }
    for (int64_t u = 0; u < r->n; u++) y[u] = y[u] / total - p[u] / total * (mean / total);
    free(p);
}

static void check(const run *r, double tolerance) {
    const cafe_eigen *found = &r->found;
    int64_t bad = 0;
    double *y = malloc((size_t)r->n * sizeof *y), norm = found->norm;
    for (int64_t j = 0; j < r->count; j++) norm = fmax(norm, fabs(found->values[j]));
    for (int64_t j = 0; j < r->count; j++) {
        double square = 0, largest = 0;
        times(r->t.graph, r, j, y);
        for (int64_t u = 0; u < r->n; u++) {
            double x = r->vectors[u * r->count + j], d = y[u] - found->values[j] * x;
            square += d * d;
            if (fabs(x) > fabs(largest)) largest = x;
        }
        bad += !(sqrt(square) <= 2 * tolerance * norm + 1e-13 * norm) || largest < 0;
        bad += !found->exact && fabs(sqrt(square) - found->residuals[j]) > 1e-12 * norm;
        for (int64_t i = 0; i <= j; i++) {
            double dot = 0;
            for (int64_t u = 0; u < r->n; u++)
                dot += r->vectors[u * r->count + i] * r->vectors[u * r->count + j];
            bad += fabs(dot - (i == j)) > 1e-9;
        }
    }
    free(y);
    assert_int_equal(bad, 0);
}

/* FNV-1a of values, residuals and vectors */
static uint64_t bits_of(const run *r) {
    uint64_t hash = UINT64_C(14695981039346656037);
    const double *from[3] = {r->found.values, r->found.residuals, r->vectors};
    for (int k = 0; k < 3; k++)
        for (int64_t i = 0; i < (k < 2 ? 1 : r->n) * r->count; i++) {
            uint64_t bits;
            memcpy(&bits, &from[k][i], sizeof bits);
            hash = (hash ^ bits) * UINT64_C(1099511628211);
        }
    return hash;
}

static void note_bits(const run *r, const char *name, int which) {
    char path[4096];
    const char *start = getenv("CAFE_TEST_BITS");
    int32_t rank, ranks;
    if (!start) return;
    TEST_OK(r->t.context, cafe_engine_team(r->t.context, &rank, &ranks));
    snprintf(path, sizeof path, "%s.%d", start, (int)rank);
    FILE *file = fopen(path, "a");
    assert_non_null(file);
    fprintf(file, "%s %d %016llx\n", name, which, (unsigned long long)bits_of(r));
    fclose(file);
}

/* The same pairs without the engine. Several processes need not: their bits are compared with those
 * of one process, which does (tests/test_parity.sh). */
static void compare_alone(const run *r, const recipe *how, double tolerance,
                          double (*want)(const void *argument, double value)) {
    int32_t rank, ranks;
    TEST_OK(r->t.context, cafe_engine_team(r->t.context, &rank, &ranks));
    if (ranks > 1) return;
    cafe_context *context = test_context(1, 9);
    run own = solve(context, how, tolerance, want);
    double norm = fmax(fabs(own.found.values[0]), own.found.norm);
    assert_null(own.rows.engine);
    for (int64_t j = 0; j < r->count; j++) {
        double a = want(NULL, r->found.values[j]), b = want(NULL, own.found.values[j]);
        if (!(fabs(a - b) <= 10 * tolerance * norm))
            fail_msg("%s: value %d is %.17g, not %.17g", how->name, (int)j, a, b);
    }
    end(context, &own);
}

/* ---- tests ----------------------------------------------------------------------------------- */

static void pairs_are_those_of_one_process(void **state) {
    static double (*const wishes[])(const void *, double) = {cafe_want_largest, cafe_want_smallest,
                                                             cafe_want_size};
    (void)state;
    for (int i = 0; i < RECIPES * 6; i++) {
        const recipe *how = &recipes[i / 6];
        double tolerance = i % 2 ? 1e-10 : 1e-6;
        cafe_context *context = joined(test_context(1, 3));
        run r = solve(context, how, tolerance, wishes[i / 2 % 3]);
        assert_non_null(r.rows.engine);
        check(&r, tolerance);
        compare_alone(&r, how, tolerance, wishes[i / 2 % 3]);
        note_bits(&r, how->name, i % 6);
        end(context, &r);
    }
}

/* Also for any number of threads. */
static void threads_do_not_matter(void **state) {
    uint64_t bits[2];
    (void)state;
    for (int32_t threads = 1; threads <= 3; threads += 2) {
        cafe_context *context = joined(test_context(threads, 3));
        run r = solve(context, &recipes[5], 1e-6, cafe_want_largest);
        bits[threads / 2] = bits_of(&r);
        end(context, &r);
    }
    assert_true(bits[0] == bits[1]);
}

static cafe_status try_solve(cafe_context *context, const cafe_operator *op) {
    cafe_owned rows = {0};
    cafe_eigen found = {0};
    cafe_status status = cafe_owned_open(context, op, &rows);
    cafe_eigen_problem problem = cafe_eigen_owned(op, &rows, cafe_want_largest, 3, 1e-6);
    if (status == CAFE_OK) status = cafe_eigen_solve(context, &problem, &found);
    cafe_eigen_free(context, &found);
    cafe_owned_close(context, &rows);
    return status;
}

/* Of one process: one that fails among several ends them all. */
static void failures_leave_nothing(void **state) {
    test_failing memory;
    cafe_context *context = joined(test_failing_context(&memory, 2));
    int32_t rank, ranks;
    (void)state;
    TEST_OK(context, cafe_engine_team(context, &rank, &ranks));
    if (ranks > 1) return cafe_context_free(context);
    test_problem t = test_open(context, sides(context));
    for (long k = 0;; k++) {
        long live = test_failing_arm(&memory, k);
        cafe_operator *op = NULL;
        cafe_status status = cafe_operator_modularity(context, t.sampled, &op);
        if (status == CAFE_OK) status = try_solve(context, op);
        cafe_operator_free(op);
        int failed = test_failing_disarm(&memory);
        test_failing_expect(&memory, status, failed, live, context);
        if (!failed) break;
    }
    cafe_cancel(context);
    assert_int_equal(try_solve(context, t.op), CAFE_ERROR_CANCELLED);
    test_close(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_are_those_of_one_process),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(failures_leave_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
