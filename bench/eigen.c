/* The eigensolver, the refinement in float32 that --residual uses, and SLEPc's Krylov-Schur where
 * it was found, on the same graph.
 *
 *     cafe-eigen GRAPH [PAIRS [TOLERANCE [THREADS [SOLVER]]]]
 *
 * Prints seconds by the clock and of all processors, and products with a vector. Also the largest
 * residual |Q v - lambda v| as a share of |Q| and of the vector's own lambda. The residual is
 * computed in double precision from the vectors returned, one at a time. SOLVER is ours, residual
 * or slepc; all of them without it.
 */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include <cafe/cafe.h>

#include "operator/operator.h"
#include "slepc.h"
#include "spectral/eigen.h"

static void need(cafe_context *context, cafe_status status) {
    if (status == CAFE_OK) return;
    fprintf(stderr, "cafe-eigen: %s\n", context ? cafe_error(context) : "no context");
    exit(1);
}

/* Seconds by the clock and of all processors. */
typedef struct moment {
    double wall, cpu;
} moment;

static double seconds_of(struct timeval t) {
    return (double)t.tv_sec + 1e-6 * (double)t.tv_usec;
}

static moment now(void) {
    struct timespec t;
    struct rusage use;
    clock_gettime(CLOCK_MONOTONIC, &t);
    getrusage(RUSAGE_SELF, &use);
    return (moment){(double)t.tv_sec + 1e-9 * (double)t.tv_nsec,
                    seconds_of(use.ru_utime) + seconds_of(use.ru_stime)};
}

/* The largest of |Q v - rho v| / |v| over the columns, rho their Rayleigh quotients: as a share of
 * the largest rho, and of their own. */
static void report(cafe_context *context, const cafe_operator *op, const char *name, moment start,
                   long long products, int64_t converged, int64_t asked, int64_t columns,
                   const double *vectors) {
    moment end = now();
    int64_t n = op->n;
    double worst = 0, own = 0, norm = 0;
    double *x = calloc((size_t)n, sizeof *x), *y = calloc((size_t)n, sizeof *y);
    for (int64_t j = 0; j < columns; j++) {
        double square = 0, form = 0, rest = 0;
        for (int64_t u = 0; u < n; u++) x[u] = vectors[u * columns + j], square += x[u] * x[u];
        need(context, cafe_operator_exact(context, &op->parts, 1, x, y));
        for (int64_t u = 0; u < n; u++) form += x[u] * y[u] / square;
        for (int64_t u = 0; u < n; u++) rest += (y[u] - form * x[u]) * (y[u] - form * x[u]);
        worst = fmax(worst, sqrt(rest / square));
        own = fmax(own, sqrt(rest / square) / fabs(form));
        norm = fmax(norm, fabs(form));
    }
    printf(
        "%-12s %8.2f s %8.2f CPU s %8lld products  residual %.1e of |Q|, %.1e of lambda  "
        "converged %lld of %lld\n",
        name, end.wall - start.wall, end.cpu - start.cpu, products, worst / norm, own,
        (long long)converged, (long long)asked);
    fflush(stdout);
    free(x);
    free(y);
}

static void run_eigen(cafe_context *context, const cafe_operator *op, int64_t pairs,
                      double tolerance) {
    cafe_eigen_problem problem = cafe_eigen_operator(op, cafe_want_largest, pairs, tolerance);
    cafe_eigen found;
    moment start = now();
    need(context, cafe_eigen_solve(context, &problem, &found));
    report(context, op, "eigensolver", start, found.passes * CAFE_EIGEN_WIDTH, found.converged,
           pairs, pairs, found.vectors);
    cafe_eigen_free(context, &found);
}

static void run_residual(cafe_context *context, const cafe_operator *op, int64_t pairs,
                         double tolerance) {
    cafe_sphere_options sphere;
    cafe_finish_options finish;
    cafe_solution *solution = NULL;
    cafe_embedding *embedding = NULL;
    cafe_sphere_options_init(&sphere);
    cafe_finish_options_init(&finish);
    sphere.columns = pairs;
    finish.form = CAFE_FORM_RITZ;
    finish.residual = tolerance;
    moment start = now();
    need(context, cafe_sphere(context, op, &sphere, NULL, &solution));
    need(context, cafe_finish(context, op, &solution, &finish, &embedding));
    int64_t n = cafe_embedding_certificate(embedding)->nodes,
            columns = cafe_embedding_certificate(embedding)->columns;
    double *vectors = calloc((size_t)(n * columns), sizeof *vectors);
    for (int64_t i = 0; i < n * columns; i++)
        vectors[i] = cafe_embedding_row(embedding, i / columns)[i % columns];
    const cafe_certificate *c = cafe_embedding_certificate(embedding);
    report(context, op, "--residual", start,
           c->products * (columns + (columns / 4 > 8 ? columns / 4 : 8)), c->converged, pairs,
           columns, vectors);
    free(vectors);
    cafe_embedding_free(embedding);
}

#ifdef CAFE_SLEPC
static void run_slepc(cafe_context *context, const cafe_operator *op, int64_t pairs,
                      double tolerance) {
    double *vectors = calloc((size_t)(op->n * pairs), sizeof *vectors);
    long long products = 0;
    int converged = 0;
    moment start = now();
    if (!slepc_largest(context, op, (int)pairs, tolerance, vectors, &products, &converged)) exit(1);
    report(context, op, "SLEPc", start, products, converged, pairs, converged, vectors);
    free(vectors);
}
#endif

int main(int count, char **arguments) {
    cafe_context_options o;
    cafe_context *context = NULL;
    cafe_graph *graph = NULL;
    cafe_sampled *sampled = NULL;
    cafe_operator *op = NULL;
    int64_t pairs = count > 2 ? atoll(arguments[2]) : 32;
    double tolerance = count > 3 ? atof(arguments[3]) : 1e-6;
    const char *solver = count > 5 ? arguments[5] : "";
    if (count < 2) return 2;
    cafe_context_options_init(&o);
    o.threads = count > 4 ? atoi(arguments[4]) : 2;
    need(NULL, cafe_context_create(&o, &context));
    need(context, cafe_graph_read(context, arguments[1], NULL, &graph));
    need(context, cafe_sample(context, graph, CAFE_SAMPLING_EDGE, NULL, NULL, &sampled));
    need(context, cafe_operator_modularity(context, sampled, &op));
    if (!*solver || strcmp(solver, "ours") == 0) run_eigen(context, op, pairs, tolerance);
    if (!*solver || strcmp(solver, "residual") == 0) run_residual(context, op, pairs, tolerance);
#ifdef CAFE_SLEPC
    if (!*solver || strcmp(solver, "slepc") == 0) run_slepc(context, op, pairs, tolerance);
#endif
    cafe_operator_free(op);
    cafe_sampled_free(sampled);
    cafe_graph_free(graph);
    cafe_context_free(context);
    return 0;
}
