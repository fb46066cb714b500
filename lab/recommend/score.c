/* The four scores, a range of nodes at a time.
 *
 * Inner products go through the row kernels, whose additions have one order for every instruction
 * set: equal rows have equal scores, so that ties are ties everywhere.
 */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/option.h"
#include "graph/graph.h"
#include "recommend/recommend.h"

/* Padded rows; the caller's own when they need no padding. */
static cafe_status pad(cafe_scorer *s, const float *vectors, int64_t columns) {
    s->stride = cafe_stride(columns);
    s->x = vectors;
    bool aligned = (uintptr_t)vectors % 64 == 0;
    if (s->stride == columns && aligned) return CAFE_OK;
    s->copy = cafe_mem_zero(s->context, s->n * s->stride, sizeof *s->copy);
    if (!s->copy) return CAFE_ERROR_MEMORY;
    for (int64_t u = 0; u < s->n; u++)
        memcpy(s->copy + u * s->stride, vectors + u * columns, (size_t)columns * sizeof *vectors);
    s->x = s->copy;
    return CAFE_OK;
}

static cafe_status find_sides(cafe_scorer *s, const cafe_graph *graph) {
    int32_t bipartite = 0;
    s->side = cafe_mem(s->context, s->n, sizeof *s->side);
    if (!s->side) return CAFE_ERROR_MEMORY;
    cafe_status status = cafe_graph_sides(s->context, graph, s->side, &bipartite);
    if (status == CAFE_OK && bipartite) return CAFE_OK;
    cafe_mem_free(s->context, s->side);
    s->side = NULL;
    return status;
}

cafe_status cafe_scorer_new(cafe_context *context, const cafe_recommend_inputs *given,
                            const cafe_recommend_options *options, cafe_scorer *scorer) {
    cafe_status status = CAFE_OK;
    cafe_recommend_inputs in, *input = &in;
    bool product = options->score == CAFE_SCORE_PRODUCT || options->score == CAFE_SCORE_AUTO;
    *scorer = (cafe_scorer){0};
    CAFE_TRY(cafe_inputs_take(context, "a recommendation", given, &in, sizeof in));
    *scorer = (cafe_scorer){.context = context,
                            .kernels = cafe_kernels_best(),
                            .score = product ? CAFE_SCORE_PRODUCT : (cafe_score)options->score,
                            .n = cafe_graph_nodes(input->graph)};
    if (product && (!input->vectors || input->columns < 1))
        return cafe_fail(context, CAFE_ERROR_ARGUMENT, "inner products need vectors");
    CAFE_TRY(cafe_sample(context, input->graph, CAFE_SAMPLING_EDGE, NULL, NULL, &scorer->sampled));
    if (product) CAFE_TRY(pad(scorer, input->vectors, input->columns));
    if (options->sides) CAFE_TRY(find_sides(scorer, input->graph));
    /* a path's product in the unit of the weights: one 2^exponent for each of its edges */
    scorer->unit = ldexp(1, input->graph->exponent * (scorer->side ? 3 : 2));
    if (options->score == CAFE_SCORE_COMMON) {
        scorer->paths = cafe_mem_zero(context, context->threads * scorer->n, sizeof *scorer->paths);
        if (!scorer->paths) status = CAFE_ERROR_MEMORY;
    }
done:
    if (status != CAFE_OK) cafe_scorer_free(scorer);
    return status;
}

void cafe_scorer_free(cafe_scorer *scorer) {
    cafe_sampled_free(scorer->sampled);
    cafe_mem_free_all(scorer->context, scorer->copy, scorer->side, scorer->paths);
    *scorer = (cafe_scorer){0};
}

/* ---- paths ----------------------------------------------------------------------------------- */

/* Adds weight * (number of paths of `length` edges from u, each by the product of its weights). */
static void add_paths(const cafe_sampled *s, int64_t u, int length, double weight, double *paths) {
    for (int64_t j = s->offsets[u]; j < s->offsets[u + 1]; j++) {
        double here = weight * CAFE_LINK(s, u, j);
        if (length == 1)
            paths[s->targets[j]] += here;
        else
            add_paths(s, s->targets[j], length - 1, here, paths);
    }
}

/* Paths of three edges in two passes over the rows: first all nodes two edges away with their
 * weight, then one edge on from each of them once. */
static void add_paths_across(const cafe_scorer *s, int64_t u, double *paths) {
    const cafe_sampled *p = s->sampled;
    add_paths(p, u, 2, s->unit, paths);
    /* two edges lead to u's own side, three to the other: they never meet in `paths` */
    for (int64_t v = 0; v < s->n; v++)
        if (s->side[v] == s->side[u] && paths[v] > 0) add_paths(p, v, 1, paths[v], paths);
}

void cafe_scorer_prepare(const cafe_scorer *scorer, int64_t u, int32_t worker) {
    if (!scorer->paths) return;
    double *paths = scorer->paths + worker * scorer->n;
    memset(paths, 0, (size_t)scorer->n * sizeof *paths);
    if (scorer->side)
        add_paths_across(scorer, u, paths);
    else
        add_paths(scorer->sampled, u, 2, scorer->unit, paths);
}

/* ---- a range of scores ----------------------------------------------------------------------- */

/* q(u,w) = a(u,w) / 2m - p_u p_w */
static void fill_covariances(const cafe_sampled *s, int64_t u, int64_t first, int64_t last,
                             double *out) {
    for (int64_t w = first; w < last; w++) out[w - first] = -s->p[u] * s->p[w];
    for (int64_t j = s->offsets[u]; j < s->offsets[u + 1]; j++) {
        int32_t w = s->targets[j];
        if (w >= first && w < last) out[w - first] += CAFE_LINK(s, u, j) / s->total;
    }
}

void cafe_scorer_fill(const cafe_scorer *scorer, int64_t u, int32_t worker, int64_t first,
                      int64_t last, double *out) {
    const cafe_scorer *s = scorer;
    switch (s->score) {
        case CAFE_SCORE_AUTO:
        case CAFE_SCORE_PRODUCT:
            for (int64_t w = first; w < last; w++)
                out[w - first] =
                    s->kernels->dot(s->stride, s->x + u * s->stride, s->x + w * s->stride);
            break;
        case CAFE_SCORE_COVARIANCE: fill_covariances(s->sampled, u, first, last, out); break;
        case CAFE_SCORE_COMMON:
            memcpy(out, s->paths + worker * s->n + first, (size_t)(last - first) * sizeof *out);
            break;
        case CAFE_SCORE_POPULARITY:
            memcpy(out, s->sampled->p + first, (size_t)(last - first) * sizeof *out);
            break;
    }
}
