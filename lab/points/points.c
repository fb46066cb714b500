/* Points into a graph: search of neighbours, similarities from distances, edges from both.
 *
 * Cosine uses the Gaussian's search: for rows of length 1, |x - y|^2 = 2 - 2 cos, so the nearest
 * points have the smallest angle.
 *
 * The width of the Gaussian is local unless given (self-tuning: Zelnik-Manor and Perona, NIPS
 * 2004): s_u is the distance from u to its K-th neighbour, and
 *
 *     sim(u,w) = exp(-d^2 / (s_u s_w)).
 *
 * So dense and thin regions get similar weights. A point with K equal points has s_u = 0 and takes
 * the mean of the positive widths.
 */
#include "points/points.h"

#include <inttypes.h>
#include <math.h>

#include <cafe/points.h>

#include "base/memory.h"
#include "base/option.h"
#include "base/thread_pool.h"
#include "graph/builder.h"
#include "graph/compressed_rows.h"
#include "graph/weight_scale.h"

#define FIELD(name) offsetof(cafe_points_options, name)

enum { ROWS = 512 };
static const float largest_value = 1e15f; /* squares of differences stay finite */

static const cafe_option points_options[] = {
    {"neighbours", "K", CAFE_OPTION_INTEGER, FIELD(neighbours), 15, 1, 10000, NULL,
     "neighbours of each point"},
    {"kernel", "NAME", CAFE_OPTION_CHOICE | CAFE_OPTION_TUNE, FIELD(kernel), CAFE_KERNEL_GAUSSIAN,
     0, 1, "gaussian|cosine",
     "similarity: exp(-d^2 / (s_u s_w)) of the distance d, or the cosine of the rows' angle (below "
     "0 it counts as 0)"},
    {"width", "W", CAFE_OPTION_REAL | CAFE_OPTION_TUNE, FIELD(width), 0, 0, 1e15, NULL,
     "one width for all: exp(-d^2 / (2 W^2)); 0 gives each point its own, its distance to "
     "neighbour K"},
    {"mutual", NULL, CAFE_OPTION_SWITCH | CAFE_OPTION_TUNE, FIELD(mutual), 0, 0, 1, NULL,
     "link two points only when each is among the other's neighbours"},
    {"approximate", "WHEN", CAFE_OPTION_CHOICE | CAFE_OPTION_TUNE, FIELD(approximate),
     CAFE_APPROXIMATE_AUTO, 0, 2, "auto|yes|no",
     "search neighbours by random projection trees and NN-descent instead of comparing all pairs; "
     "auto does so above 50000 points"}};

CAFE_OPTION_TABLE(points, "points", "how points become a graph", points_options)

/* ---- rows ------------------------------------------------------------------------------------ */

typedef struct linking {
    cafe_context *context;
    cafe_points_options options;
    cafe_points points;
    float *unit;          /* the rows scaled to length 1, for the cosine */
    cafe_nearest nearest; /* the result of the search */
    float *widths;        /* s_u; NULL: one width */
    atomic_llong bad;     /* the first row that cannot be used; INT64_MAX: none */
    cafe_rows rows;       /* the edges of each point */
} linking;

static void check_rows(void *argument, int64_t first, int64_t last) {
    linking *l = argument;
    const cafe_points *p = &l->points;
    for (int64_t u = first; u < last; u++)
        for (int64_t d = 0; d < p->dims; d++)
            if (!(fabsf(p->x[u * p->dims + d]) <= largest_value)) cafe_lower(&l->bad, u);
}

static void scale_rows(void *argument, int64_t first, int64_t last) {
    linking *l = argument;
    const cafe_points *p = &l->points;
    for (int64_t u = first; u < last; u++) {
        const float *row = p->x + u * p->dims;
        double sum = 0;
        for (int64_t d = 0; d < p->dims; d++) sum += (double)row[d] * row[d];
        if (sum == 0) cafe_lower(&l->bad, u);
        double scale = sum > 0 ? 1 / sqrt(sum) : 0;
        for (int64_t d = 0; d < p->dims; d++) l->unit[u * p->dims + d] = (float)(scale * row[d]);
    }
}

static cafe_status prepare_rows(linking *l) {
    cafe_context *context = l->context;
    atomic_store(&l->bad, INT64_MAX);
    CAFE_PASS(cafe_ranges(context, l->points.n, ROWS, check_rows, l));
    if (atomic_load(&l->bad) < INT64_MAX)
        return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                         "row %lld: expected numbers from -1e15 to 1e15, found another",
                         (long long)atomic_load(&l->bad));
    if (l->options.kernel != CAFE_KERNEL_COSINE) return CAFE_OK;
    l->unit = cafe_mem(context, l->points.n * l->points.dims, sizeof *l->unit);
    if (!l->unit) return CAFE_ERROR_MEMORY;
    CAFE_PASS(cafe_ranges(context, l->points.n, ROWS, scale_rows, l));
    if (atomic_load(&l->bad) < INT64_MAX)
        return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                         "row %lld: expected a direction for the cosine, found zeros alone",
                         (long long)atomic_load(&l->bad));
    l->points.x = l->unit;
    return CAFE_OK;
}

static cafe_status search(linking *l) {
    int64_t n = l->points.n;
    int64_t k = l->options.neighbours < n ? l->options.neighbours : n > 0 ? n - 1 : 0;
    bool approximate = l->options.approximate == CAFE_APPROXIMATE_AUTO
                           ? n > CAFE_POINTS_EXACT
                           : l->options.approximate == CAFE_APPROXIMATE_YES;
    CAFE_PASS(cafe_nearest_create(l->context, n, k, false, &l->nearest));
    return approximate ? cafe_nearest_approximate(l->context, &l->points, &l->nearest)
                       : cafe_nearest_exact(l->context, &l->points, &l->nearest);
}

/* ---- similarities ---------------------------------------------------------------------------- */

static cafe_status find_widths(linking *l) {
    int64_t n = l->points.n, k = l->nearest.k, positive = 0;
    double sum = 0;
    if (l->options.kernel != CAFE_KERNEL_GAUSSIAN || l->options.width > 0 || k == 0) return CAFE_OK;
    l->widths = cafe_mem(l->context, n, sizeof *l->widths);
    if (!l->widths) return CAFE_ERROR_MEMORY;
    for (int64_t u = 0; u < n; u++) {
        l->widths[u] = sqrtf(l->nearest.squares[u * k + k - 1]);
        sum += l->widths[u];
        positive += l->widths[u] > 0;
    }
    for (int64_t u = 0; u < n && positive > 0; u++)
        if (l->widths[u] == 0) l->widths[u] = (float)(sum / (double)positive);
    return CAFE_OK;
}

static float similarity(const linking *l, int64_t u, int64_t w, double square) {
    double width = l->options.width;
    if (l->options.kernel == CAFE_KERNEL_COSINE) return (float)fmax(0, 1 - square / 2);
    if (square == 0) return 1;
    double scale = l->widths ? (double)l->widths[u] * l->widths[w] : 2 * width * width;
    return (float)exp(-square / scale);
}

/* ---- edges ----------------------------------------------------------------------------------- */

/* Is w, at this distance, in the list of u? By bisection: lists ascend by (distance, id), and both
 * ends of a pair have the same bits of distance. */
static bool lists(const cafe_nearest *nearest, int64_t u, int32_t w, float square) {
    const int32_t *ids = nearest->ids + u * nearest->k;
    const float *squares = nearest->squares + u * nearest->k;
    int64_t low = 0, high = nearest->k;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (cafe_nearer(squares[middle], ids[middle], square, w))
            low = middle + 1;
        else
            high = middle;
    }
    return low < nearest->k && ids[low] == w;
}

/* Does place i of all lists, which is u's, become an edge? A pair in both lists is linked by the
 * point of smaller index. */
static bool is_link(const linking *l, int64_t u, int64_t i) {
    int32_t w = l->nearest.ids[i];
    bool both = lists(&l->nearest, w, (int32_t)u, l->nearest.squares[i]);
    return l->options.mutual ? both && u < w : !both || u < w;
}

static void link_rows(void *argument, int64_t task, int32_t worker) {
    const linking *l = argument;
    const cafe_rows *rows = &l->rows;
    int64_t k = l->nearest.k;
    (void)worker;
    for (int64_t u = task * ROWS; u < cafe_block_end(rows->n, ROWS, task); u++) {
        int64_t at = cafe_row_begin(rows, u);
        for (int64_t i = u * k; i < (u + 1) * k; i++) {
            int32_t w = l->nearest.ids[i];
            if (!is_link(l, u, i)) continue;
            float weight = rows->targets ? similarity(l, u, w, l->nearest.squares[i]) : 0;
            cafe_row_put(rows, &at, w, weight);
        }
        cafe_row_end(rows, u, at);
    }
}

static void free_linking(linking *l) {
    cafe_nearest_free(l->context, &l->nearest);
    cafe_rows_free(l->context, &l->rows);
    cafe_mem_free_all(l->context, l->unit, l->widths);
}

static cafe_status check_call(linking *l, const cafe_points_options *options) {
    cafe_context *context = l->context;
    cafe_status status = cafe_graph_check_sizes(context, l->points.n, 0);
    if (status == CAFE_OK) status = cafe_options_take(context, &points_table, options, &l->options);
    if (status == CAFE_OK && l->options.kernel == CAFE_KERNEL_COSINE)
        status = cafe_options_idle(context, &points_table, &l->options, "width",
                                   CAFE_OPT("kernel=gaussian"));
    if (status == CAFE_OK && l->points.dims < 1)
        status = cafe_fail(context, CAFE_ERROR_ARGUMENT,
                           "%" PRId64 " dimensions: points have at least one", l->points.dims);
    return status;
}

cafe_status cafe_graph_from_points(cafe_context *context, int64_t n, int64_t dims, const float *x,
                                   const cafe_points_options *options, cafe_graph **graph) {
    linking l = {.context = context, .points = {n, dims, x}};
    cafe_graph_options defaults;
    cafe_status status;
    *graph = NULL;
    CAFE_TRY(check_call(&l, options));
    CAFE_TRY(prepare_rows(&l));
    CAFE_TRY(search(&l));
    CAFE_TRY(find_widths(&l));
    CAFE_TRY(cafe_rows_make(context, n, ROWS, link_rows, &l, &l.rows));
    CAFE_TRY(cafe_weights_trim(context, l.rows.offsets[n], l.rows.weights));
    cafe_links links = {.nodes = n,
                        .count = l.rows.offsets[n],
                        .offsets = l.rows.offsets,
                        .target = l.rows.targets,
                        .weights = l.rows.weights};
    cafe_graph_options_init(&defaults);
    CAFE_TRY(cafe_graph_of_links(context, &links, &defaults, graph));
done:
    cafe_phase(context, "", 0);
    free_linking(&l);
    return status;
}
