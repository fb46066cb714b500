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
 * |f| lie at the two ends of A's spectrum, which one run of the block Lanczos method finds in the
 * right order. It asks for one pair more than it returns: that pair's |f| is the error of the
 * factor in the spectral norm.
 */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include <cafe/factorise.h>

#include "base/memory.h"
#include "base/option.h"
#include "base/pool.h"
#include "graph/graph.h"
#include "method/spectral_krylov.h"
#include "solve/solution.h"

enum { WIDTH = CAFE_KRYLOV_WIDTH, BLOCK = 512 };
static const double tolerance = 1e-8;

/* ---- options --------------------------------------------------------------------------------- */

static const cafe_option hope_options[] = {
    {"columns", "K", CAFE_OPTION_INTEGER, offsetof(cafe_hope_options, columns), 64, 1, 65536, NULL,
     "columns of the embedding"},
    {"beta", "B", CAFE_OPTION_REAL, offsetof(cafe_hope_options, beta), 0, 0, 1e300, NULL,
     "decay of the Katz index per step; 0 takes half of the largest possible one"},
    {"sides", "WORD", CAFE_OPTION_CHOICE, offsetof(cafe_hope_options, sides), 0, 0, 1,
     "both|source",
     "both: source and target vectors, half of the columns each, as published; source: as many "
     "singular vectors as columns"},
};

CAFE_OPTION_TABLE(hope, "hope", "HOPE: truncated singular value decomposition of the Katz index",
                  hope_options)

/* ---- A as a map ------------------------------------------------------------------------------ */

typedef struct katz {
    const cafe_graph *graph;
    double beta; /* 0: not yet known */
    const double *x;
    double *y;
} katz;

/* y_u = sum over w of a(u,w) x_w */
static void product_block(void *argument, int64_t block, int32_t worker) {
    const katz *job = argument;
    const cafe_graph *g = job->graph;
    (void)worker;
    for (int64_t u = block * BLOCK; u < cafe_block_end(g->n, BLOCK, block); u++) {
        double sum[WIDTH] = {0};
        for (int64_t j = g->offsets[u]; j < g->offsets[u + 1]; j++) {
            const double *x = job->x + (int64_t)g->targets[j] * WIDTH;
            double a = g->weights ? g->weights[j] : 1;
            for (int k = 0; k < WIDTH; k++) sum[k] += a * x[k];
        }
        memcpy(job->y + u * WIDTH, sum, sizeof sum);
    }
}

static cafe_status product(cafe_context *context, void *argument, const double *x, double *y) {
    katz job = *(const katz *)argument;
    job.x = x, job.y = y;
    return cafe_parallel(context, cafe_blocks(job.graph->n, BLOCK), product_block, &job);
}

/* f(lambda) = beta lambda / (1 - beta lambda) */
static double katz_value(double beta, double lambda) {
    return beta * lambda / (1 - beta * lambda);
}

static double want(const void *argument, double value) {
    const katz *job = argument;
    return job->beta > 0 ? fabs(katz_value(job->beta, value)) : value;
}

/* A non-negative A's largest eigenvalue is its spectral radius (Perron and Frobenius). */
static cafe_status find_beta(cafe_context *context, const cafe_krylov_map *map, katz *job,
                             double asked) {
    double radius = 0, *vector = cafe_mem(context, map->n, sizeof *vector);
    int32_t converged;
    if (!vector) return CAFE_ERROR_MEMORY;
    cafe_status status = cafe_krylov_solve(context, map, 1, tolerance, &radius, vector, &converged);
    cafe_mem_free(context, vector);
    if (status != CAFE_OK) return status;
    if (!(radius > 0))
        return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                         "the graph has no edges: it has no Katz index");
    if (asked * radius >= 1 - 1e-6)
        return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                         "beta is %g: the Katz index of this graph exists for beta below %.6g, the "
                         "inverse of the spectral radius",
                         asked, 1 / radius);
    job->beta = asked > 0 ? asked : 0.5 / radius;
    return CAFE_OK;
}

/* ---- the embedding --------------------------------------------------------------------------- */

/* Column j: v sqrt(|f|); column twin + j, unless twin is 0: sign(f) times that. `vectors` has
 * `step` columns. */
static void put_column(cafe_solution *s, const cafe_graph *g, int64_t j, int64_t twin, double f,
                       const double *vectors, int64_t step) {
    double root = sqrt(fabs(f));
    for (int64_t u = 0; u < s->n; u++) {
        if (g->offsets[u] == g->offsets[u + 1]) continue;
        float value = (float)(root * vectors[u * step + j]);
        s->h.x[u * s->stride + j] = value;
        if (twin > 0) s->h.x[u * s->stride + twin + j] = f < 0 ? -value : value;
    }
}

/* A singular value within rounding of 0 leaves its columns zero. */
static void put_columns(cafe_solution *s, const katz *job, int64_t pairs, int64_t twin,
                        int64_t found, const double *values, const double *vectors) {
    memset(s->h.x, 0, (size_t)(s->n * s->stride) * sizeof *s->h.x);
    double least = tolerance * fabs(katz_value(job->beta, values[0]));
    for (int64_t j = 0; j < pairs && j < found; j++) {
        double f = katz_value(job->beta, values[j]);
        if (fabs(f) > least) put_column(s, job->graph, j, twin, f, vectors, found);
    }
    s->loss = true;
    s->objective[0] = found > pairs ? fabs(katz_value(job->beta, values[pairs])) : 0;
}

static cafe_status check(cafe_context *context, const cafe_hope_options *given,
                         cafe_hope_options *o) {
    cafe_status status = cafe_options_take(context, &hope_table, given, o);
    if (status == CAFE_OK && o->sides == CAFE_HOPE_BOTH && o->columns % 2 != 0)
        return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                         "columns is %lld: expected an even number, half for each side",
                         (long long)o->columns);
    return status;
}

cafe_status cafe_hope(cafe_context *context, const cafe_graph *graph,
                      const cafe_hope_options *options, cafe_solution **solution) {
    cafe_status status = CAFE_OK;
    cafe_solution *s = NULL;
    double *values = NULL, *vectors = NULL;
    katz job = {graph, 0, NULL, NULL};
    cafe_krylov_map map = {graph->n, product, want, &job};
    cafe_hope_options o;
    *solution = NULL;
    CAFE_TRY(check(context, options, &o));
    int64_t twin = o.sides == CAFE_HOPE_BOTH ? o.columns / 2 : 0;
    int64_t pairs = twin > 0 ? twin : o.columns;
    int64_t found = pairs + 1 < graph->n ? pairs + 1 : graph->n;
    cafe_phase(context, "eigen", 0);
    CAFE_TRY(find_beta(context, &map, &job, o.beta));
    CAFE_TRY(cafe_solution_rows(context, "hope", graph->n, o.columns, 0, &s));
    values = cafe_mem(context, found, sizeof *values);
    vectors = cafe_mem(context, graph->n * found, sizeof *vectors);
    CAFE_TRY(values && vectors ? CAFE_OK : CAFE_ERROR_MEMORY);
    CAFE_TRY(cafe_krylov_solve(context, &map, found, tolerance, values, vectors, &s->converged));
    put_columns(s, &job, pairs, twin, found, values, vectors);
    *solution = s;
    s = NULL;
done:
    cafe_phase(context, "", 0);
    cafe_mem_free(context, values);
    cafe_mem_free(context, vectors);
    cafe_solution_free(s);
    return status;
}
