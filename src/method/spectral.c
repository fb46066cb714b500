/* The exact dominant eigenvectors of Q = P - p p^T: what trace maximisation approximates.
 *
 *     Q v_j = lambda_j v_j,     the K largest, half from each end, or the K largest in size
 *
 * Large positive eigenvalues belong to groups with many links inside, negative ones to groups that
 * link elsewhere. By ARPACK in double precision (spectral/exact.c), products spread over threads.
 */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include <cafe/bounds.h>
#include <cafe/factorise.h>

#include "base/memory.h"
#include "base/option.h"
#include "graph/graph.h"
#include "operator/operator.h"
#include "solve/solution.h"

/* ---- options --------------------------------------------------------------------------------- */

static const cafe_option spectral_options[] = {
    {"columns", "K", CAFE_OPTION_INTEGER, offsetof(cafe_spectral_options, columns), 64, 1, 10000,
     NULL, "columns of the embedding; at most the number of nodes"},
    {"ends", "WORD", CAFE_OPTION_CHOICE, offsetof(cafe_spectral_options, ends), 0, 0, 2,
     "top|both|auto",
     "eigenvalues taken: the largest, half from each end, or the largest in magnitude"},
    {"tolerance", "R", CAFE_OPTION_REAL, offsetof(cafe_spectral_options, tolerance), 1e-8, 0, 0.1,
     NULL, "residual of an eigenpair at most, as a share of the norm of Q; 0: rounding"},
};

CAFE_OPTION_TABLE(spectral, "spectral", "exact dominant eigenvectors of the modularity matrix",
                  spectral_options)

/* ---- both ends ------------------------------------------------------------------------------- */

/* Pairs of one end: `asked` of them found, the first `taken` go into the embedding. */
typedef struct side {
    int64_t asked, taken;
    double *values, *vectors;
} side;

static cafe_status find_side(cafe_context *context, const cafe_operator *op, cafe_end end,
                             double tolerance, side *s) {
    if (s->asked == 0) return CAFE_OK;
    s->values = cafe_mem(context, s->asked, sizeof *s->values);
    s->vectors = cafe_mem(context, op->n * s->asked, sizeof *s->vectors);
    if (!s->values || !s->vectors) return CAFE_ERROR_MEMORY;
    return cafe_operator_eigen(context, op, end, s->asked, tolerance, s->values, s->vectors);
}

static void free_side(cafe_context *context, side *s) {
    cafe_mem_free(context, s->values);
    cafe_mem_free(context, s->vectors);
}

/* auto: the longer of the two next values, until there are `columns`. The ends never meet before
 * that, since together they are at most n. */
static void take_longest(int64_t columns, side *top, side *bottom) {
    while (top->taken + bottom->taken < columns) {
        double high = fabs(top->values[top->taken]), low = fabs(bottom->values[bottom->taken]);
        if (high >= low)
            top->taken++;
        else
            bottom->taken++;
    }
}

/* Falling eigenvalues: the bottom's pairs come last and in reverse. */
static void put_side(cafe_solution *s, const cafe_graph *graph, const side *from, bool bottom) {
    for (int64_t j = 0; j < from->taken; j++) {
        int64_t to = bottom ? s->columns - 1 - j : j;
        for (int64_t u = 0; u < s->n; u++)
            if (graph->offsets[u] < graph->offsets[u + 1])
                s->h.x[u * s->stride + to] = (float)from->vectors[u * from->asked + j];
        s->objective[0] -= from->values[j] * from->values[j];
    }
}

/* |Q|^2 = sum of p(u,w)^2 - 2 sum of p(u,w) p_u p_w + (sum of p_u^2)^2 */
static double square_norm(const cafe_operator_parts *s) {
    double pairs = 0, mixed = 0, nodes = 0;
    for (int64_t u = 0; u < s->n; u++) {
        nodes += s->p[u] * s->p[u];
        for (int64_t j = s->offsets[u]; j < s->offsets[u + 1]; j++) {
            double pair = (s->weights ? s->weights[j] : 1) / s->total;
            pairs += pair * pair;
            mixed += pair * s->p[u] * s->p[s->targets[j]];
        }
    }
    return pairs - 2 * mixed + nodes * nodes;
}

static cafe_status check(cafe_context *context, const cafe_graph *graph,
                         const cafe_spectral_options *given, cafe_spectral_options *o) {
    cafe_status status = cafe_options_take(context, &spectral_table, given, o);
    if (status == CAFE_OK && o->columns > graph->n)
        return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                         "columns is %lld: this graph has %lld eigenvectors", (long long)o->columns,
                         (long long)graph->n);
    return status;
}

cafe_status cafe_spectral(cafe_context *context, const cafe_graph *graph,
                          const cafe_spectral_options *options, cafe_solution **solution) {
    cafe_status status = CAFE_OK;
    cafe_sampled *sampled = NULL;
    cafe_operator *op = NULL;
    cafe_solution *s = NULL;
    side top = {0}, bottom = {0};
    cafe_spectral_options o;
    *solution = NULL;
    CAFE_TRY(cafe_sample(context, graph, CAFE_SAMPLING_EDGE, &sampled));
    CAFE_TRY(check(context, graph, options, &o));
    CAFE_TRY(cafe_operator_modularity(context, sampled, &op));
    bottom.taken = o.ends == CAFE_ENDS_BOTH ? o.columns / 2 : 0;
    top.taken = o.ends == CAFE_ENDS_AUTO ? 0 : o.columns - bottom.taken;
    top.asked = o.ends == CAFE_ENDS_AUTO ? o.columns : top.taken;
    bottom.asked = o.ends == CAFE_ENDS_AUTO ? o.columns : bottom.taken;
    CAFE_TRY(find_side(context, op, CAFE_END_LARGEST, o.tolerance, &top));
    CAFE_TRY(find_side(context, op, CAFE_END_SMALLEST, o.tolerance, &bottom));
    if (o.ends == CAFE_ENDS_AUTO) take_longest(o.columns, &top, &bottom);
    CAFE_TRY(cafe_solution_rows(context, "spectral", graph->n, o.columns, 0, &s));
    memset(s->h.x, 0, (size_t)(s->n * s->stride) * sizeof *s->h.x);
    s->loss = true;
    s->converged = 1;
    s->objective[0] = square_norm(&op->parts);
    put_side(s, graph, &top, false);
    put_side(s, graph, &bottom, true);
    s->objective[0] = fmax(s->objective[0], 0);
    *solution = s;
    s = NULL;
done:
    free_side(context, &top);
    free_side(context, &bottom);
    cafe_solution_free(s);
    cafe_operator_free(op);
    cafe_sampled_free(sampled);
    return status;
}
