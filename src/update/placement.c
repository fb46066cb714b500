/* Vectors for nodes that are not in the graph, from their edges to nodes that are.
 *
 * No other row changes, and new nodes do not depend on each other, so each row is one formula;
 * include/cafe/update.h explains the forms.
 */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include <cafe-private/text.h>
#include <cafe-private/writers.h>

#include "base/memory.h"
#include "base/option.h"
#include "base/thread_pool.h"
#include "engine/dense.h"
#include "graph/graph.h"
#include "graph/weight_scale.h"
#include "io/vector_file.h"
#include "method/method.h"
#include "sample/sampled_graph.h"
#include "spectral/embedding.h"
#include "update/update.h"

enum { ROWS = 64, BLOCK = 4096 };

static const cafe_option place_options[] = {
    {"form", "FORM", CAFE_OPTION_CHOICE, offsetof(cafe_place_options, form), CAFE_PLACE_RAW, 0, 3,
     "raw|walk|ritz|scaled",
     "what the vectors are: raw rows of length 1, columns of the walk or the Ritz form (best made "
     "with " CAFE_OPT("residual") "), or of the scaled form"},
    {"degree-exponent", "X", CAFE_OPTION_REAL | CAFE_OPTION_TUNE,
     offsetof(cafe_place_options, degree_exponent), CAFE_SPHERE_EXPONENT, 0, 0.5, NULL,
     "that of the sampling that the vectors were made with"},
};

CAFE_OPTION_TABLE(place, "place", "vectors for new nodes from their edges", place_options)

/* ---- edges ----------------------------------------------------------------------------------- */

void cafe_new_links_free(cafe_new_links *links) {
    if (!links) return;
    cafe_mem_free_all(links->context, links->offsets, links->targets, links->weights);
    cafe_graph_free(links->names);
    cafe_mem_free(links->context, links);
}

int64_t cafe_new_links_nodes(const cafe_new_links *links) {
    return links->nodes;
}

int64_t cafe_new_links_count(const cafe_new_links *links) {
    return links->offsets[links->nodes];
}

static cafe_status allocate(cafe_context *context, int64_t nodes, int64_t count,
                            cafe_new_links **links) {
    cafe_new_links *l = *links = cafe_mem_zero(context, 1, sizeof *l);
    if (!l) return CAFE_ERROR_MEMORY;
    l->context = context;
    l->nodes = nodes;
    l->offsets = cafe_mem_zero(context, nodes + 1, sizeof *l->offsets);
    l->targets = cafe_mem(context, count, sizeof *l->targets);
    l->weights = cafe_mem(context, count, sizeof *l->weights);
    l->names = cafe_graph_new(context);
    if (l->names) l->names->n = nodes;
    return cafe_mem_had(l->offsets, l->targets, l->weights, l->names);
}

/* Sorts lines into rows, the lines of a node in their order. */
static void sort_lines(const cafe_link_lines *lines, int64_t n, cafe_new_links *l) {
    int64_t *offsets = l->offsets;
    for (int64_t i = 0; i < lines->count; i++) offsets[lines->at[i].u - n + 1]++;
    for (int64_t i = 0; i < l->nodes; i++) offsets[i + 1] += offsets[i];
    for (int64_t i = lines->count - 1; i >= 0; i--) {
        int64_t at = --offsets[lines->at[i].u - n + 1];
        l->targets[at] = lines->at[i].v;
        l->weights[at] = lines->at[i].weight;
    }
    /* each end has gone down to its row's start: the next row's start is its end */
    for (int64_t i = 0; i < l->nodes; i++) offsets[i] = offsets[i + 1];
    offsets[l->nodes] = lines->count;
}

cafe_status cafe_new_links_read(cafe_context *context, const cafe_graph *graph, const char *path,
                                cafe_new_links **links) {
    cafe_newcomers names = {.graph = graph, .names.context = context};
    cafe_link_lines lines = {.context = context};
    cafe_new_links *l = NULL;
    cafe_status status = CAFE_OK;
    *links = NULL;
    CAFE_TRY(cafe_newcomers_read(&names, CAFE_LINES_PLACED, path, &lines));
    if (lines.count == 0)
        status = cafe_fail(context, CAFE_ERROR_FORMAT, "%s: no edges found", path);
    CAFE_TRY(status);
    CAFE_TRY(allocate(context, names.names.count, lines.count, &l));
    sort_lines(&lines, cafe_graph_nodes(graph), l);
    CAFE_TRY(cafe_newcomers_append(l->names, NULL, &names));
    *links = l;
    l = NULL;
done:
    cafe_new_links_free(l);
    cafe_dictionary_free(&names.names);
    cafe_link_lines_free(&lines);
    cafe_phase(context, "", 0);
    return status;
}

static cafe_status check_csr(cafe_context *context, const cafe_graph *graph, int64_t count,
                             const int64_t *offsets, const int32_t *targets, const float *weights) {
    bool ascends = count >= 0 && offsets[0] == 0;
    for (int64_t i = 0; ascends && i < count; i++) ascends = offsets[i] <= offsets[i + 1];
    if (!ascends) return cafe_fail(context, CAFE_ERROR_ARGUMENT, "offsets must ascend from 0");
    for (int64_t j = 0; j < offsets[count]; j++)
        if (targets[j] < 0 || targets[j] >= cafe_graph_nodes(graph) ||
            (weights && !(weights[j] >= 0 && weights[j] <= 3.4e38f)))
            return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                             "edge %lld is to no node of the graph, or of a weight that is "
                             "negative or not finite",
                             (long long)j);
    return CAFE_OK;
}

cafe_status cafe_new_links_from_csr(cafe_context *context, const cafe_graph *graph, int64_t count,
                                    const int64_t *offsets, const int32_t *targets,
                                    const float *weights, cafe_new_links **links) {
    cafe_status status = CAFE_OK;
    cafe_new_links *l = NULL;
    *links = NULL;
    CAFE_TRY(check_csr(context, graph, count, offsets, targets, weights));
    CAFE_TRY(allocate(context, count, offsets[count], &l));
    memcpy(l->offsets, offsets, (size_t)(count + 1) * sizeof *offsets);
    memcpy(l->targets, targets, (size_t)offsets[count] * sizeof *targets);
    for (int64_t j = 0; j < offsets[count]; j++) l->weights[j] = weights ? weights[j] : 1;
    *links = l;
    l = NULL;
done:
    cafe_new_links_free(l);
    return status;
}

/* ---- rows ------------------------------------------------------------------------------------ */

typedef struct placing {
    const cafe_graph *graph;
    const cafe_sampled *sampled;
    const cafe_operator_parts *parts;
    const cafe_new_links *links;
    int64_t columns;
    const float *vectors;
    int32_t form;
    double *s;       /* sum of p_w h_w */
    double *inverse; /* 1 / rho_j, 0 where rho_j vanishes: walk and Ritz form */
    double *map;     /* B: scaled form */
    double *sums;    /* one row a worker */
    float *placed;
} placing;

/* sum = sum over the edges of a h_w; returns d. An edge weighs a times the factors of its ends. */
static double sum_links(const placing *p, int64_t i, double *sum) {
    const float *factor = p->parts->factor;
    double degree = 0, d = 0;
    memset(sum, 0, (size_t)p->columns * sizeof *sum);
    for (int64_t j = p->links->offsets[i]; j < p->links->offsets[i + 1]; j++) {
        double weight = cafe_graph_to_scaled(p->graph, p->links->weights[j]);
        const float *row = p->vectors + p->links->targets[j] * p->columns;
        degree += weight;
        if (factor) weight *= factor[p->links->targets[j]];
        for (int64_t k = 0; k < p->columns; k++) sum[k] += weight * row[k];
        d += weight;
    }
    double own = cafe_sampled_factor(p->sampled, degree);
    for (int64_t k = 0; k < p->columns; k++) sum[k] *= own;
    return own * d;
}

/* normalise(sum / d - (2m s + sum) / (2m + 2d)); where nothing pulls, 0. */
static void place_raw(const placing *p, double d, double *sum, float *row) {
    double total = p->parts->total, square = 0;
    for (int64_t k = 0; k < p->columns; k++) {
        sum[k] = sum[k] / d - (total * p->s[k] + sum[k]) / (total + 2 * d);
        square += sum[k] * sum[k];
    }
    double inverse = square > 1e-24 ? 1 / sqrt(square) : 0;
    for (int64_t k = 0; k < p->columns; k++) row[k] = (float)(sum[k] * inverse);
}

/* (sum / d - s) / rho, times d / 2m for Ritz vectors of Q itself */
static void place_column(const placing *p, double d, const double *sum, float *row) {
    double scale = p->form == CAFE_PLACE_RITZ ? d / p->parts->total : 1;
    for (int64_t k = 0; k < p->columns; k++)
        row[k] = (float)(scale * (sum[k] / d - p->s[k]) * p->inverse[k]);
}

/* s + (sum / d - s) B */
static void place_scaled(const placing *p, double d, double *sum, float *row) {
    int64_t k = p->columns;
    for (int64_t i = 0; i < k; i++) sum[i] = sum[i] / d - p->s[i];
    for (int64_t j = 0; j < k; j++) {
        double x = p->s[j];
        for (int64_t i = 0; i < k; i++) x += sum[i] * p->map[i * k + j];
        row[j] = (float)x;
    }
}

static void place_rows(void *argument, int64_t task, int32_t worker) {
    const placing *p = argument;
    double *sum = p->sums + worker * p->columns;
    for (int64_t i = task * ROWS; i < cafe_block_end(p->links->nodes, ROWS, task); i++) {
        float *row = p->placed + i * p->columns;
        double d = sum_links(p, i, sum);
        if (!(d > 0))
            memset(row, 0, (size_t)p->columns * sizeof *row);
        else if (p->form == CAFE_PLACE_RAW)
            place_raw(p, d, sum, row);
        else if (p->form == CAFE_PLACE_SCALED)
            place_scaled(p, d, sum, row);
        else
            place_column(p, d, sum, row);
    }
}

/* ---- Rayleigh quotients ---------------------------------------------------------------------- */

typedef struct quotients {
    const placing *p;
    const float *qv;
} quotients;

/* Numerators, then denominators. */
static void add_quotients(void *argument, int64_t first, int64_t last, double *top) {
    const quotients *q = argument;
    const placing *p = q->p;
    double *bottom = top + p->columns;
    for (int64_t u = first; u < last; u++) {
        double weight = p->form == CAFE_PLACE_WALK ? p->parts->p[u] : 1;
        for (int64_t k = 0; k < p->columns; k++) {
            double v = p->vectors[u * p->columns + k];
            top[k] += v * q->qv[u * p->columns + k];
            bottom[k] += weight * v * v;
        }
    }
}

/* rho_j = v'Qv / v'Dv for the walk form, v'Qv / v'v for Ritz vectors; inverse[j] = 1 / rho_j. */
static cafe_status find_quotients(cafe_context *context, const cafe_operator *op, placing *p) {
    cafe_status status;
    double *top = cafe_mem_zero(context, 2 * p->columns, sizeof *top);
    float *qv = cafe_mem(context, op->n * p->columns, sizeof *qv);
    quotients q = {p, qv};
    CAFE_TRY(cafe_mem_had(top, qv));
    CAFE_TRY(cafe_operator_product(context, op, p->columns, p->vectors, qv));
    CAFE_TRY(cafe_sums(context, op->n, BLOCK, add_quotients, &q, 2 * p->columns, top));
    const double *bottom = top + p->columns;
    for (int64_t k = 0; k < p->columns; k++)
        p->inverse[k] = fabs(top[k]) > 1e-12 * bottom[k] ? bottom[k] / top[k] : 0;
done:
    cafe_mem_free_all(context, top, qv);
    return status;
}

/* ---- least squares --------------------------------------------------------------------------- */

/* Finds B with the least sum over u of p_u ||w_u B - (v_u - s)||^2, W = D^-1 Q V. It comes from the
 * Gram matrix of [W V]: N = W^T D W = R^T R on the columns kept, B = R^-1 R^-T (W^T D V). */
static cafe_status solve_map(cafe_context *context, const double *gram, const placing *p) {
    int64_t k = p->columns, *kept = cafe_mem(context, k, sizeof *kept);
    double *n = cafe_mem(context, 4 * k * k, sizeof *n), *c = n + k * k, *m = c + k * k,
           *half = m + k * k;
    cafe_status status = cafe_mem_had(kept, n);
    if (status == CAFE_OK) {
        for (int64_t i = 0; i < k * k; i++) {
            n[i] = gram[i / k * 2 * k + i % k];
            c[i] = gram[i / k * 2 * k + k + i % k];
            p->map[i] = 0;
        }
        int64_t rank = cafe_dense_cholesky(k, n, CAFE_RANK_TOLERANCE, NULL, NULL, kept);
        cafe_dense_orthonormaliser(k, n, rank, kept, m);
        cafe_dense_product(true, rank, k, k, m, c, half);
        cafe_dense_product(false, k, rank, k, m, half, p->map);
    }
    cafe_mem_free_all(context, kept, n);
    return status;
}

static cafe_status find_map(cafe_context *context, const cafe_operator *op, placing *p) {
    cafe_status status;
    int64_t n = op->n, k = p->columns;
    double *inverse = cafe_mem(context, n, sizeof *inverse);
    double *gram = cafe_mem(context, 4 * k * k, sizeof *gram);
    float *image = cafe_mem(context, n * k, sizeof *image);
    cafe_block v = cafe_block_given(n, k, p->vectors);
    cafe_block w = cafe_block_rows(n, k, k, image);
    p->map = cafe_mem(context, k * k, sizeof *p->map);
    CAFE_TRY(cafe_mem_had(inverse, gram, image, p->map));
    CAFE_TRY(cafe_operator_product(context, op, k, p->vectors, image));
    for (int64_t u = 0; u < n; u++) inverse[u] = op->parts.p[u] > 0 ? 1 / op->parts.p[u] : 0;
    CAFE_TRY(cafe_ops(&w)->scale(context, &w, inverse));
    CAFE_TRY(cafe_ops(&w)->gram(context, &w, &v, op->parts.p, false, gram));
    CAFE_TRY(solve_map(context, gram, p));
done:
    cafe_mem_free_all(context, inverse, gram, image);
    return status;
}

/* ---- the calls ------------------------------------------------------------------------------- */

/* s = sum of p_w h_w, in node order. */
static void find_mean(const placing *p, int64_t n) {
    memset(p->s, 0, (size_t)p->columns * sizeof *p->s);
    for (int64_t u = 0; u < n; u++)
        for (int64_t k = 0; k < p->columns; k++)
            p->s[k] += p->parts->p[u] * p->vectors[u * p->columns + k];
}

/* Checks the lengths of rows. Raw rows have length 1. In the other forms lengths follow degrees and
 * eigenvectors; if all are equal, as in a ring, they equal another value, except for a single
 * column of signs. */
static cafe_status check_vectors(cafe_context *context, const cafe_graph *graph, const placing *p) {
    int64_t others = 0; /* rows of another length */
    for (int64_t u = 0, n = cafe_graph_nodes(graph); u < n; u++) {
        double square = 0;
        for (int64_t k = 0; k < p->columns; k++) {
            double x = p->vectors[u * p->columns + k];
            square += x * x;
        }
        if (!isfinite(square))
            return cafe_fail(context, CAFE_ERROR_ARGUMENT, "row %lld is not finite", (long long)u);
        if (fabs(sqrt(square) - 1) < 1e-3) continue;
        others++;
        if (p->form == CAFE_PLACE_RAW)
            return cafe_fail(
                context, CAFE_ERROR_ARGUMENT,
                "row %lld has length %.6g, not 1: these are not raw rows; make some by "
                "'cafe embed " CAFE_OPT(
                    "output-form=raw") "', or say the form they have by " CAFE_OPT("form"),
                (long long)u, sqrt(square));
    }
    if (p->form != CAFE_PLACE_RAW && others == 0 && p->columns > 1)
        return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                         "every row has length 1, as raw rows have: give " CAFE_OPT("form=raw"));
    return CAFE_OK;
}

/* Columns of the scaled form have the mean 0. */
static cafe_status check_means(cafe_context *context, const cafe_graph *graph, const placing *p) {
    cafe_block v = cafe_block_given(cafe_graph_nodes(graph), p->columns, p->vectors);
    double n = (double)cafe_graph_nodes(graph), *sums = p->sums, *lengths = p->inverse;
    CAFE_PASS(cafe_ops(&v)->totals(context, &v, NULL, sums));
    CAFE_PASS(cafe_ops(&v)->norms(context, &v, NULL, lengths));
    for (int64_t k = 0; k < p->columns; k++)
        if (!(fabs(sums[k]) <= 1e-3 * sqrt(n) * lengths[k]))
            return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                             "column %lld has the mean %.6g, not 0: these are not vectors of the "
                             "scaled form; say the form they have by " CAFE_OPT("form"),
                             (long long)k, sums[k] / n);
    return CAFE_OK;
}

cafe_status cafe_place_nodes(cafe_context *context, const cafe_graph *graph, int64_t columns,
                             const float *vectors, const cafe_new_links *links,
                             const cafe_place_options *options, float *placed) {
    cafe_status status = CAFE_OK;
    cafe_sampled *sampled = NULL;
    cafe_operator *op = NULL;
    double *work = NULL;
    cafe_place_options o;
    placing p = {.links = links, .columns = columns, .vectors = vectors, .placed = placed};
    CAFE_TRY(cafe_options_take(context, &place_table, options, &o));
    p.form = o.form, p.graph = graph;
    CAFE_TRY(check_vectors(context, graph, &p));
    CAFE_TRY(cafe_update_sample(context, graph, o.degree_exponent, &sampled));
    CAFE_TRY(cafe_operator_modularity(context, sampled, &op));
    work = cafe_mem(context, (2 + cafe_threads(context)) * columns, sizeof *work);
    CAFE_TRY(cafe_mem_had(work));
    p.sampled = sampled, p.parts = &op->parts;
    p.s = work, p.inverse = work + columns, p.sums = work + 2 * columns;
    find_mean(&p, cafe_graph_nodes(graph));
    if (o.form == CAFE_PLACE_SCALED) {
        CAFE_TRY(check_means(context, graph, &p));
        CAFE_TRY(find_map(context, op, &p));
    } else if (o.form != CAFE_PLACE_RAW)
        CAFE_TRY(find_quotients(context, op, &p));
    cafe_phase(context, "place", 0);
    status = cafe_parallel(context, cafe_blocks(links->nodes, ROWS), place_rows, &p);
done:
    cafe_mem_free_all(context, work, p.map);
    cafe_operator_free(op);
    cafe_sampled_free(sampled);
    cafe_phase(context, "", 0);
    return status;
}

cafe_status cafe_placed_write(cafe_context *context, const cafe_new_links *links, int64_t columns,
                              const float *placed, const char *path, int32_t overwrite) {
    cafe_matrix m = cafe_matrix_of(links->nodes, columns, columns, placed, &links->names->names);
    return cafe_matrix_write(context, &m, path, overwrite);
}
