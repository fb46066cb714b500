/* HOPE with the Katz index (Ou, Cui, Pei, Zhang, Zhu: Asymmetric transitivity preserving graph
 * embedding, KDD 2016), without a dense matrix and without a generalised SVD.
 *
 *     S = sum over l >= 1 of (beta A)^l = (I - beta A)^-1 beta A,     S ~ U Sigma V^T
 *
 * Our A is symmetric, so S has its eigenvectors: A v = lambda v gives S v = f v with
 *
 *     f(lambda) = beta lambda / (1 - beta lambda)
 *
 * and the singular triples of S are (v, |f|, sign(f) v). f rises on (-inf, 1/beta), so the largest
 * |f| lie at the two ends of A's spectrum. One run of the block Lanczos method finds both in the
 * right order. It asks for one pair more than it returns: that pair's |f| is the error of the
 * factor in the spectral norm.
 */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "baseline/baseline.h"
#include "graph/graph.h"
#include "spectral/eigen.h"

static const double tolerance = 1e-8;

/* ---- options --------------------------------------------------------------------------------- */

static const cafe_option hope_options[] = {
    {"columns", "K", CAFE_OPTION_INTEGER, offsetof(cafe_hope_options, columns), 64, 1, 65536, NULL,
     "columns of the embedding"},
    {"beta", "B", CAFE_OPTION_REAL | CAFE_OPTION_TUNE, offsetof(cafe_hope_options, beta), 0, 0,
     1e300, NULL, "decay of the Katz index per step; 0 takes half of the largest possible one"},
    {"sides", "WORD", CAFE_OPTION_CHOICE | CAFE_OPTION_TUNE, offsetof(cafe_hope_options, sides), 0,
     0, 1, "both|source",
     "both: source and target vectors, half of the columns each, as published; source: as many "
     "singular vectors as columns"},
};

CAFE_OPTION_TABLE(hope, "hope", "HOPE: truncated singular value decomposition of the Katz index",
                  hope_options)

/* ---- A as a map ------------------------------------------------------------------------------ */

typedef struct katz {
    cafe_operator_parts a; /* without F */
    double beta;           /* 0: not yet known */
} katz;

static cafe_status product(cafe_context *context, const void *argument, const double *x,
                           double *y) {
    const katz *job = argument;
    return cafe_operator_exact(context, &job->a, CAFE_EIGEN_WIDTH, x, y);
}

/* f(lambda) = beta lambda / (1 - beta lambda) */
static double katz_value(double beta, double lambda) {
    return beta * lambda / (1 - beta * lambda);
}

static double want(const void *argument, double value) {
    const katz *job = argument;
    return job->beta > 0 ? fabs(katz_value(job->beta, value)) : value;
}

/* A non-negative A's largest eigenvalue is its spectral radius (Perron and Frobenius). The beta
 * asked for is one over the unit of the weights. */
static cafe_status find_beta(cafe_context *context, cafe_eigen_problem problem, katz *job,
                             const cafe_graph *graph, double asked) {
    cafe_eigen found;
    problem.count = 1;
    CAFE_PASS(cafe_eigen_solve(context, &problem, &found));
    double radius = found.values[0], unit = ldexp(1, graph->exponent);
    cafe_eigen_free(context, &found);
    if (asked * unit * radius >= 1 - 1e-6)
        return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                         "beta is %g: the Katz index of this graph exists for beta below %.6g, the "
                         "inverse of the spectral radius",
                         asked, 1 / radius / unit);
    job->beta = asked > 0 ? asked * unit : 0.5 / radius;
    return CAFE_OK;
}

/* ---- the embedding --------------------------------------------------------------------------- */

/* Column j: v sqrt(|f|); column twin + j, unless twin is 0: sign(f) times that. */
static void put_column(cafe_solution *s, const int64_t *offsets, int64_t j, int64_t twin, double f,
                       const cafe_eigen *found) {
    double root = sqrt(fabs(f));
    for (int64_t u = 0; u < s->n; u++) {
        if (offsets[u] == offsets[u + 1]) continue;
        float value = (float)(root * found->vectors[u * found->count + j]);
        s->h.x[u * s->stride + j] = value;
        if (twin > 0 && twin + j < s->columns)
            s->h.x[u * s->stride + twin + j] = f < 0 ? -value : value;
    }
}

/* A singular value within rounding of 0 leaves its columns zero. */
static void put_columns(cafe_solution *s, const katz *job, int64_t pairs, int64_t twin,
                        const cafe_eigen *found) {
    memset(s->h.x, 0, (size_t)(s->n * s->stride) * sizeof *s->h.x);
    double least = tolerance * fabs(katz_value(job->beta, found->values[0]));
    for (int64_t j = 0; j < pairs && j < found->count; j++) {
        double f = katz_value(job->beta, found->values[j]);
        if (fabs(f) > least) put_column(s, job->a.offsets, j, twin, f, found);
    }
    s->converged = found->converged == found->count;
    s->objective[0] = found->count > pairs ? fabs(katz_value(job->beta, found->values[pairs])) : 0;
}

static cafe_status solve(cafe_context *context, const cafe_job *job, cafe_solution **solution) {
    cafe_status status = CAFE_OK;
    const cafe_graph *graph = job->model->graph;
    const cafe_hope_options *o = job->own;
    cafe_solution *s = NULL;
    cafe_eigen found = {0};
    katz index = {.a = {.n = graph->n,
                        .offsets = graph->offsets,
                        .targets = graph->targets,
                        .weights = graph->scaled,
                        .total = 1,
                        .sign = 1}};
    cafe_eigen_problem problem = {graph->n, product, want, &index, .tolerance = tolerance};
    /* an odd column more is the source's */
    int64_t twin = o->sides == CAFE_HOPE_BOTH ? (o->columns + 1) / 2 : 0;
    int64_t pairs = twin > 0 ? twin : o->columns;
    cafe_phase(context, "eigen", 0);
    CAFE_TRY(find_beta(context, problem, &index, graph, o->beta));
    CAFE_TRY(cafe_solution_rows(context, job->method->name, graph->n, o->columns, 0, &s));
    problem.count = pairs + 1 < graph->n ? pairs + 1 : graph->n;
    CAFE_TRY(cafe_eigen_solve(context, &problem, &found));
    put_columns(s, &index, pairs, twin, &found);
    *solution = s;
    s = NULL;
done:
    cafe_phase(context, "", 0);
    cafe_eigen_free(context, &found);
    cafe_solution_free(s);
    return status;
}

static double all_bytes(const void *own, const cafe_graph_counts *counts, int64_t threads) {
    const cafe_hope_options *o = own;
    int64_t nodes = counts->nodes;
    int64_t count = o->columns + 1 < nodes ? o->columns + 1 : nodes;
    return (double)cafe_eigen_bytes(nodes, count, threads);
}

static const cafe_method_code hope_code = {.solve = solve, .bytes = all_bytes};
const cafe_method cafe_hope_method = {
    .name = "hope",
    .title = "HOPE",
    .summary = "singular vectors of the Katz index: paths of all lengths, the longer the less",
    .form = CAFE_FORM_RAW,
    .vectors = cafe_hope_option_table,
    .code = &hope_code,
};
