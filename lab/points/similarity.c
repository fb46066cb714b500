/* A full matrix of similarities into a graph: eq. (link1111) of the paper.
 *
 *     s(u,w) = (sim(u,w) + sim(w,u)) / 2,    a(u,w) = s(u,w) - min s
 *
 * The minimum is over all pairs, with the diagonal if it counts. Entries at the minimum become 0
 * and are no edges. A sum of two floats does not depend on their order, so a is symmetric to the
 * bit.
 */
#include <math.h>

#include <cafe/points.h>

#include "base/memory.h"
#include "base/option.h"
#include "base/thread_pool.h"
#include "graph/builder.h"
#include "graph/compressed_rows.h"
#include "graph/weight_scale.h"

enum { ROWS = 16 };

static const cafe_option similarity_options[] = {
    {"diagonal", NULL, CAFE_OPTION_SWITCH | CAFE_OPTION_TUNE,
     offsetof(cafe_similarity_options, diagonal), 1, 0, 1, NULL,
     "sim(u,u) counts and becomes a self-loop"}};

CAFE_OPTION_TABLE(similarity, "similarity", "how a matrix of similarities becomes a graph",
                  similarity_options)

typedef struct shifting {
    int64_t n;
    const float *matrix;
    bool diagonal;
    double *least;    /* per block of rows */
    double minimum;   /* MINsim */
    atomic_llong bad; /* the first row with an entry that is not finite; INT64_MAX: none */
    cafe_rows rows;
} shifting;

static double symmetric(const shifting *s, int64_t u, int64_t w) {
    return ((double)s->matrix[u * s->n + w] + s->matrix[w * s->n + u]) / 2;
}

static float shifted(const shifting *s, int64_t u, int64_t w) {
    return u == w && !s->diagonal ? 0 : (float)(symmetric(s, u, w) - s->minimum);
}

static void find_least(void *argument, int64_t first, int64_t last) {
    shifting *s = argument;
    double least = INFINITY;
    for (int64_t u = first; u < last; u++)
        for (int64_t w = 0; w < s->n; w++) {
            if (!isfinite(s->matrix[u * s->n + w])) cafe_lower(&s->bad, u);
            if (u != w || s->diagonal) least = fmin(least, symmetric(s, u, w));
        }
    s->least[first / ROWS] = least;
}

static void fill_rows(void *argument, int64_t task, int32_t worker) {
    const shifting *s = argument;
    (void)worker;
    for (int64_t u = task * ROWS; u < cafe_block_end(s->n, ROWS, task); u++) {
        int64_t at = cafe_row_begin(&s->rows, u);
        for (int64_t w = 0; w < s->n; w++) {
            float weight = shifted(s, u, w);
            if (weight > 0) cafe_row_put(&s->rows, &at, w, weight);
        }
        cafe_row_end(&s->rows, u, at);
    }
}

static cafe_status find_minimum(cafe_context *context, shifting *s) {
    int64_t blocks = cafe_blocks(s->n, ROWS);
    s->least = cafe_mem(context, blocks, sizeof *s->least);
    if (!s->least) return CAFE_ERROR_MEMORY;
    CAFE_PASS(cafe_ranges(context, s->n, ROWS, find_least, s));
    if (atomic_load(&s->bad) < INT64_MAX)
        return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                         "row %lld of the similarities: expected finite numbers, found another",
                         (long long)atomic_load(&s->bad));
    s->minimum = INFINITY;
    for (int64_t b = 0; b < blocks; b++) s->minimum = fmin(s->minimum, s->least[b]);
    return CAFE_OK;
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
    CAFE_TRY(cafe_rows_make(context, n, ROWS, fill_rows, &s, &s.rows));
    CAFE_TRY(cafe_weights_trim(context, s.rows.offsets[n], s.rows.weights));
    cafe_graph_options_init(&keep);
    keep.self_loops = CAFE_LOOPS_KEEP;
    CAFE_TRY(cafe_graph_from_csr(context, n, s.rows.offsets, s.rows.targets, s.rows.weights, 0,
                                 &keep, graph));
done:
    cafe_phase(context, "", 0);
    cafe_rows_free(context, &s.rows);
    cafe_mem_free(context, s.least);
    return status;
}
