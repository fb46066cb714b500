/* A full matrix of similarities into a graph: eq. (link1111) of the paper.
 *
 *     s(u,w) = (sim(u,w) + sim(w,u)) / 2,    a(u,w) = s(u,w) - min s
 *
 * The minimum is over all pairs, the diagonal included where it counts. Entries at the minimum
 * become 0 and are no edges. The sum of two floats does not depend on their order, so a is
 * symmetric to the bit and its rows are taken as they are.
 */
#include <inttypes.h>
#include <math.h>

#include <cafe/points.h>

#include "base/memory.h"
#include "base/option.h"
#include "base/pool.h"
#include "graph/build.h"

enum { ROWS = 16 };

static const cafe_option similarity_options[] = {
    {"diagonal", NULL, CAFE_OPTION_SWITCH, offsetof(cafe_similarity_options, diagonal), 1, 0, 1,
     NULL, "sim(u,u) counts and becomes a self-loop"}};

CAFE_OPTION_TABLE(similarity, "similarity", "how a matrix of similarities becomes a graph",
                  similarity_options)

typedef struct shifting {
    int64_t n;
    const float *matrix;
    bool diagonal;
    double *least;    /* per block of rows */
    double minimum;   /* MINsim */
    atomic_llong bad; /* the first row with an entry that is not finite; INT64_MAX: none */
    int64_t *offsets;
    int32_t *targets;
    float *weights;
} shifting;

static double symmetric(const shifting *s, int64_t u, int64_t w) {
    return ((double)s->matrix[u * s->n + w] + s->matrix[w * s->n + u]) / 2;
}

static float shifted(const shifting *s, int64_t u, int64_t w) {
    return u == w && !s->diagonal ? 0 : (float)(symmetric(s, u, w) - s->minimum);
}

static void find_least(void *argument, int64_t task) {
    shifting *s = argument;
    int64_t end = cafe_block_end(s->n, ROWS, task);
    double least = INFINITY;
    for (int64_t u = task * ROWS; u < end; u++)
        for (int64_t w = 0; w < s->n; w++) {
            if (!isfinite(s->matrix[u * s->n + w])) cafe_lower(&s->bad, u);
            if (u != w || s->diagonal) least = fmin(least, symmetric(s, u, w));
        }
    s->least[task] = least;
}

static void count_row(void *argument, int64_t task) {
    shifting *s = argument;
    int64_t end = cafe_block_end(s->n, ROWS, task);
    for (int64_t u = task * ROWS; u < end; u++) {
        int64_t count = 0;
        for (int64_t w = 0; w < s->n; w++) count += shifted(s, u, w) > 0;
        s->offsets[u + 1] = count;
    }
}

static void fill_row(void *argument, int64_t task) {
    shifting *s = argument;
    int64_t end = cafe_block_end(s->n, ROWS, task);
    for (int64_t u = task * ROWS; u < end; u++) {
        int64_t at = s->offsets[u];
        for (int64_t w = 0; w < s->n; w++) {
            float weight = shifted(s, u, w);
            if (!(weight > 0)) continue;
            s->targets[at] = (int32_t)w;
            s->weights[at++] = weight;
        }
    }
}

static cafe_status find_minimum(cafe_context *context, shifting *s) {
    int64_t blocks = cafe_blocks(s->n, ROWS);
    s->least = cafe_mem(context, blocks, sizeof *s->least);
    if (!s->least) return CAFE_ERROR_MEMORY;
    CAFE_PASS(cafe_each(context, blocks, find_least, s));
    if (atomic_load(&s->bad) < INT64_MAX)
        return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                         "row %lld of the similarities: expected finite numbers, found another",
                         (long long)atomic_load(&s->bad));
    s->minimum = INFINITY;
    for (int64_t b = 0; b < blocks; b++) s->minimum = fmin(s->minimum, s->least[b]);
    return CAFE_OK;
}

static cafe_status make_rows(cafe_context *context, shifting *s) {
    int64_t blocks = cafe_blocks(s->n, ROWS);
    s->offsets = cafe_mem_zero(context, s->n + 1, sizeof *s->offsets);
    if (!s->offsets) return CAFE_ERROR_MEMORY;
    CAFE_PASS(cafe_each(context, blocks, count_row, s));
    for (int64_t u = 0; u < s->n; u++) s->offsets[u + 1] += s->offsets[u];
    s->targets = cafe_mem(context, s->offsets[s->n], sizeof *s->targets);
    s->weights = cafe_mem(context, s->offsets[s->n], sizeof *s->weights);
    if (!s->targets || !s->weights) return CAFE_ERROR_MEMORY;
    return cafe_each(context, blocks, fill_row, s);
}

cafe_status cafe_graph_from_similarity(cafe_context *context, int64_t n, const float *matrix,
                                       const cafe_similarity_options *options, cafe_graph **graph) {
    shifting s = {.n = n, .matrix = matrix, .bad = INT64_MAX};
    cafe_similarity_options o;
    cafe_graph_options keep;
    cafe_status status;
    *graph = NULL;
    CAFE_TRY(cafe_graph_check_sizes(context, n, 0));
    CAFE_TRY(cafe_options_take(context, &similarity_table, options, &o));
    s.diagonal = o.diagonal != 0;
    cafe_phase(context, "similarity", 0);
    CAFE_TRY(find_minimum(context, &s));
    CAFE_TRY(make_rows(context, &s));
    cafe_graph_options_init(&keep);
    keep.self_loops = CAFE_LOOPS_KEEP;
    CAFE_TRY(cafe_graph_from_csr(context, n, s.offsets, s.targets, s.weights, 0, &keep, graph));
done:
    cafe_phase(context, "", 0);
    cafe_mem_free_all(context, s.least, s.offsets, s.targets, s.weights);
    return status;
}
