/* The eigensolver, and the refinement in float32 that --residual uses, on the same graph.
 *
 *     cafe-eigen GRAPH [PAIRS [TOLERANCE]]
 *
 * Prints CPU seconds of one thread, products with a vector, and the largest residual |Q v - lambda
 * v| as a share of |Q|, computed in double precision from the vectors that were returned.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <cafe/cafe.h>

#include "spectral/eigen.h"

static void need(cafe_context *context, cafe_status status) {
    if (status == CAFE_OK) return;
    fprintf(stderr, "cafe-eigen: %s\n", context ? cafe_error(context) : "no context");
    exit(1);
}

static double cpu_seconds(void) {
    return (double)clock() / CLOCKS_PER_SEC;
}

/* The largest of |Q v - rho v| / |v| over the columns, rho their Rayleigh quotients. */
static double worst_residual(cafe_context *context, const cafe_operator *op, int64_t columns,
                             const double *vectors) {
    int64_t n = cafe_operator_nodes(op);
    double worst = 0, *x = calloc((size_t)n, sizeof *x), *y = calloc((size_t)n, sizeof *y);
    for (int64_t j = 0; j < columns; j++) {
        double square = 0, form = 0, rest = 0;
        for (int64_t u = 0; u < n; u++) x[u] = vectors[u * columns + j], square += x[u] * x[u];
        need(context, cafe_operator_exact(context, &op->parts, 1, x, y));
        for (int64_t u = 0; u < n; u++) form += x[u] * y[u] / square;
        for (int64_t u = 0; u < n; u++) rest += (y[u] - form * x[u]) * (y[u] - form * x[u]);
        worst = fmax(worst, sqrt(rest / square));
    }
    free(x);
    free(y);
    return worst;
}

static double run_eigen(cafe_context *context, const cafe_operator *op, int64_t pairs,
                        double tolerance) {
    cafe_eigen_problem problem = cafe_eigen_operator(op, cafe_want_largest, pairs, tolerance);
    cafe_eigen found;
    double start = cpu_seconds();
    need(context, cafe_eigen_solve(context, &problem, &found));
    double seconds = cpu_seconds() - start, norm = fabs(found.values[0]);
    printf("eigensolver  %8.2f s %8lld products  residual %.1e  converged %lld of %lld\n", seconds,
           (long long)(found.passes * CAFE_EIGEN_WIDTH),
           worst_residual(context, op, pairs, found.vectors) / norm, (long long)found.converged,
           (long long)pairs);
    cafe_eigen_free(context, &found);
    return norm;
}

static void run_residual(cafe_context *context, const cafe_operator *op, int64_t pairs,
                         double tolerance, double norm) {
    cafe_sphere_options sphere;
    cafe_finish_options finish;
    cafe_solution *solution = NULL;
    cafe_embedding *embedding = NULL;
    cafe_sphere_options_init(&sphere);
    cafe_finish_options_init(&finish);
    sphere.columns = pairs;
    finish.form = CAFE_FORM_RITZ;
    finish.residual = tolerance;
    double start = cpu_seconds();
    need(context, cafe_sphere(context, op, &sphere, NULL, &solution));
    need(context, cafe_finish(context, op, &solution, &finish, &embedding));
    double seconds = cpu_seconds() - start;
    int64_t n = cafe_embedding_nodes(embedding), columns = cafe_embedding_columns(embedding);
    double *vectors = calloc((size_t)(n * columns), sizeof *vectors);
    for (int64_t i = 0; i < n * columns; i++)
        vectors[i] = cafe_embedding_row(embedding, i / columns)[i % columns];
    const cafe_certificate *c = cafe_embedding_certificate(embedding);
    printf("--residual   %8.2f s %8lld products  residual %.1e  converged %lld of %lld\n", seconds,
           (long long)(c->products * (columns + (columns / 4 > 8 ? columns / 4 : 8))),
           worst_residual(context, op, columns, vectors) / norm, (long long)c->converged,
           (long long)columns);
    free(vectors);
    cafe_embedding_free(embedding);
}

int main(int count, char **arguments) {
    cafe_context_options o;
    cafe_context *context = NULL;
    cafe_graph *graph = NULL;
    cafe_sampled *sampled = NULL;
    cafe_operator *op = NULL;
    int64_t pairs = count > 2 ? atoll(arguments[2]) : 32;
    double tolerance = count > 3 ? atof(arguments[3]) : 1e-6;
    if (count < 2) return 2;
    cafe_context_options_init(&o);
    o.threads = 1;
    need(NULL, cafe_context_create(&o, &context));
    need(context, cafe_graph_read(context, arguments[1], NULL, &graph));
    need(context, cafe_sample(context, graph, CAFE_SAMPLING_EDGE, NULL, NULL, &sampled));
    need(context, cafe_operator_modularity(context, sampled, &op));
    double norm = run_eigen(context, op, pairs, tolerance);
    run_residual(context, op, pairs, tolerance, norm);
    cafe_operator_free(op);
    cafe_sampled_free(sampled);
    cafe_graph_free(graph);
    cafe_context_free(context);
    return 0;
}
