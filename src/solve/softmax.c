/* Softmax clustering: algorithm 1 of the paper, in chunks.
 *
 *     maximise sum over u != w of q(u,w) <h_u, h_w>  with probability vectors h_u
 *
 *     h_uk <- h_uk exp(theta_u z_uk) / sum over l of h_ul exp(theta_u z_ul)
 *
 * Entries of Q are of the order 1/2m. So theta is in units of n = 1 / mean(p), the same theta_u for
 * all nodes, or in units of 1/p_u. In both units theta has the same effect on every graph.
 *
 * Claim: if the nodes of a chunk move at once, the objective never falls as long as theta_u <= 4 /
 * c_u (c_u of operator/chunks.h), since with Delta = h+ - h
 *
 *     gain >= 2 sum <z_u, Delta_u> - sum c_u ||Delta_u||^2,
 *     <z_u, Delta_u> >= ||Delta_u||_1^2 / theta_u >= 2 ||Delta_u||_2^2 / theta_u .
 *
 * docs/algorithms/softmax.md has the proof. With a resolution r other than 1, P - r p p^T replaces
 * Q in the sweeps; the result is certified for Q. An entry that is 0 stays 0, so labelled rows need
 * no rule of their own; they are left out of the sweep to save work.
 */
#include <math.h>
#include <stddef.h>

#include <cafe/cluster.h>

#include "base/memory.h"
#include "base/option.h"
#include "base/random.h"
#include "solve/checkpoint.h"
#include "solve/softmax_sparse.h"
#include "solve/solution.h"
#include "solve/sweep.h"

/* ---- options --------------------------------------------------------------------------------- */

/* Options of vectors and clusters, whose defaults differ. More and smaller clusters give better
 * vectors; graph units find clusters of higher modularity, node units give better vectors of graphs
 * with many edges. */
#define SHARED_OPTIONS(initial_columns, initial_units, initial_resolution, least, own_resolution) \
    {"columns",                                                                                   \
     "K",                                                                                         \
     CAFE_OPTION_INTEGER,                                                                         \
     offsetof(cafe_softmax_options, columns),                                                     \
     initial_columns,                                                                             \
     1,                                                                                           \
     16777216,                                                                                    \
     NULL,                                                                                        \
     "clusters to begin with; those that become empty are dropped"},                              \
        {"theta",                                                                                 \
         "T",                                                                                     \
         CAFE_OPTION_REAL,                                                                        \
         offsetof(cafe_softmax_options, theta),                                                   \
         5,                                                                                       \
         1e-9,                                                                                    \
         1e30,                                                                                    \
         NULL,                                                                                    \
         "how hard a node follows its neighbours (an inverse temperature)"},                      \
        {"theta-units",                                                                           \
         "UNITS",                                                                                 \
         CAFE_OPTION_CHOICE | CAFE_OPTION_TUNE,                                                   \
         offsetof(cafe_softmax_options, units),                                                   \
         initial_units,                                                                           \
         0,                                                                                       \
         0,                                                                                       \
         "graph|node|auto",                                                                       \
         "unit of theta: graph, n for all nodes; node, 1 / p_u, with p_u the share of the edges " \
         "that node u has; auto takes node where nodes have 20 edges or more on average"},        \
        {"resolution",                                                                            \
         "R",                                                                                     \
         CAFE_OPTION_REAL,                                                                        \
         offsetof(cafe_softmax_options, resolution),                                              \
         initial_resolution,                                                                      \
         least,                                                                                   \
         1e12,                                                                                    \
         NULL,                                                                                    \
         "weight of the edges expected by degrees: more finds smaller clusters; 0, with known "   \
         "labels, spreads them by edges alone" own_resolution},                                   \
        {"sweeps",                                                                                \
         "N",                                                                                     \
         CAFE_OPTION_INTEGER,                                                                     \
         offsetof(cafe_softmax_options, sweeps),                                                  \
         100,                                                                                     \
         0,                                                                                       \
         1e9,                                                                                     \
         NULL,                                                                                    \
         "passes over the nodes at most"},                                                        \
        {"tolerance",                                                                             \
         "R",                                                                                     \
         CAFE_OPTION_REAL | CAFE_OPTION_TUNE,                                                     \
         offsetof(cafe_softmax_options, tolerance),                                               \
         1e-5,                                                                                    \
         0,                                                                                       \
         1,                                                                                       \
         NULL,                                                                                    \
         "stop when a sweep gains less than this share of the objective"},                        \
    {                                                                                             \
        "chunks", "N", CAFE_OPTION_INTEGER | CAFE_OPTION_TUNE,                                    \
            offsetof(cafe_softmax_options, chunks), 0, 0, 2147483647, NULL,                       \
            "groups of nodes that move together; 0 chooses by size, as many as nodes moves one "  \
            "at a time"                                                                           \
    }

static const cafe_option cafe_options[] = {SHARED_OPTIONS(200, CAFE_THETA_AUTO, -1, -1,
                                                          "; -1 takes 5, or 1 with labels or "
                                                          "features"),
                                           CAFE_STORAGE_OPTION(cafe_softmax_options)};
static const cafe_option softmax_options[] = {
    SHARED_OPTIONS(100, CAFE_THETA_GRAPH, 1, 0, ""),
    {"initial", "FROM", CAFE_OPTION_CHOICE | CAFE_OPTION_TUNE,
     offsetof(cafe_softmax_options, initial), CAFE_INITIAL_AUTO, 0, 3, "random|layers|sphere|auto",
     "where to begin: at random, at the communities of the layers, or at a sphere solution; auto "
     "takes the layers for sparse rows without labels, else random"},
    {"rows", "KIND", CAFE_OPTION_CHOICE | CAFE_OPTION_TUNE, offsetof(cafe_softmax_options, rows),
     CAFE_ROWS_AUTO, 0, 2, "auto|dense|sparse",
     "dense rows, or sparse ones for many columns; auto takes sparse ones above 256 columns"},
    {"support", "N", CAFE_OPTION_INTEGER | CAFE_OPTION_TUNE,
     offsetof(cafe_softmax_options, support), 16, 1, CAFE_MOST_SUPPORT, NULL,
     "sparse rows: columns a node holds at most"},
    {"threshold", "P", CAFE_OPTION_REAL | CAFE_OPTION_TUNE,
     offsetof(cafe_softmax_options, threshold), 1e-4, 0, 0.1, NULL,
     "sparse rows: probabilities below this are dropped when they shrink, and a column that "
     "neighbours turn to enters with this one"},
    CAFE_STORAGE_OPTION(cafe_softmax_options),
};
CAFE_OPTION_TABLE(softmax, "softmax",
                  "softmax clustering: probability rows that maximise the expected modularity",
                  softmax_options)

const cafe_option_table *cafe_cafe_option_table(void) {
    static const cafe_option_table table = {"cafe", "softmax clusters as columns",
                                            sizeof(cafe_softmax_options), cafe_options,
                                            sizeof cafe_options / sizeof *cafe_options};
    return &table;
}

/* ---- start ----------------------------------------------------------------------------------- */

/* Given rows must be finite and not negative; the start scales them to sum 1. */
static cafe_status check_start(cafe_context *context, const cafe_solution *s, const float *start) {
    for (int64_t i = 0; start && i < s->n * s->columns; i++)
        if (!(start[i] >= 0) || !isfinite(start[i]))
            return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                             "the start of node %lld has %g in column %lld: expected a number of "
                             "at least 0",
                             (long long)(i / s->columns), start[i], (long long)(i % s->columns));
    return CAFE_OK;
}

/* h_u <- given row / its sum, or uniform on the simplex; a labelled row is the unit vector of its
 * label. */
static cafe_status start_rows(cafe_context *context, const float *start, const int32_t *labels,
                              cafe_block *h) {
    cafe_start how = {.kind = CAFE_START_SIMPLEX,
                      .given = start != NULL,
                      .seed = context->seed,
                      .stream = CAFE_STREAM_SIMPLEX,
                      .labels = labels};
    cafe_part all = {0, h->n, 0, h->columns};
    cafe_status status = CAFE_OK;
    cafe_phase(context, "start", 0);
    if (start) status = cafe_ops(h)->copy_in(context, h, all, start, h->columns);
    return status == CAFE_OK ? cafe_ops(h)->start(context, h, &how) : status;
}

/* Labels are -1 (none) or a column. */
static cafe_status check_labels(cafe_context *context, int64_t n, int64_t columns,
                                const int32_t *labels) {
    for (int64_t u = 0; labels && u < n; u++)
        if (labels[u] < -1 || labels[u] >= columns)
            return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                             "node %lld has label %d; there are %lld columns", (long long)u,
                             (int)labels[u], (long long)columns);
    return CAFE_OK;
}

/* fixed[u]: u has a label and keeps its row. Returns the number of other nodes with edges. */
static int64_t mark_fixed(const cafe_operator *op, const int32_t *labels, uint8_t *fixed) {
    int64_t moving = 0;
    for (int64_t u = 0; u < op->n; u++) {
        fixed[u] = labels[u] >= 0;
        moving += !fixed[u] && op->parts.p[u] > 0;
    }
    return moving;
}

/* ---- the solver ------------------------------------------------------------------------------ */

/* part = - kappa sum over u != w of <f_u, f_w> <h_u, h_w>, for a graph sum of p_u p_w <h_u, h_w>:
 *
 *     -kappa (||S||^2 - sum over u of r_u^2 ||h_u||^2),   S = F^T H.
 */
static cafe_status expected_part(cafe_context *context, const cafe_operator *op,
                                 const cafe_block *h, double *part) {
    cafe_status status = CAFE_OK;
    const cafe_operator_parts *q = &op->parts;
    int64_t size = q->width * h->stride;
    double *s = cafe_mem(context, size, sizeof *s), own = 0, none;
    double *squares = cafe_mem(context, q->n, sizeof *squares);
    void *held = NULL;
    *part = 0;
    CAFE_TRY(s && squares ? CAFE_OK : CAFE_ERROR_MEMORY);
    for (int64_t u = 0; u < q->n; u++) squares[u] = q->reach[u] * q->reach[u];
    CAFE_TRY(cafe_engine_hold(context, h, op, &held));
    CAFE_TRY(cafe_ops(h)->project(context, op, held, h, s));
    CAFE_TRY(cafe_ops(h)->sums(context, h, NULL, NULL, squares, 0, &none, &own));
    for (int64_t i = 0; i < size; i++) *part += s[i] * s[i];
    *part = -q->kappa * (*part - own);
done:
    cafe_mem_free_all(context, s, squares);
    return status;
}

/* Returns the objective at the start without the diagonal, for the stopping rule. */
static cafe_status level_of(cafe_context *context, const cafe_operator *op,
                            const cafe_softmax_options *o, cafe_solution *solution, double *level) {
    double expected = 0;
    cafe_status status = cafe_solution_product(context, op, solution, level);
    if (status == CAFE_OK && o->resolution != 1)
        status = expected_part(context, op, &solution->h, &expected);
    cafe_block_drop(context, &solution->y);
    *level += (1 - o->resolution) * expected - solution->diagonal;
    return status;
}

/* The trace less the objective: the diagonal, and for a resolution r other than 1
 *
 *     - (1 - r) sum over u != w of p_u p_w <h_u, h_w> .
 */
static cafe_status note_beyond(cafe_context *context, const cafe_operator *op, cafe_passes *passes,
                               cafe_solution *solution) {
    const cafe_block *h = &solution->h;
    double r = passes->rule.resolution, expected = 0, diagonal = 0, none;
    double *q = cafe_mem(context, op->n, sizeof *q);
    cafe_status status = q ? CAFE_OK : CAFE_ERROR_MEMORY;
    for (int64_t u = 0; u < op->n && q; u++) q[u] = cafe_operator_diagonal(&op->parts, u);
    if (status == CAFE_OK)
        status = cafe_ops(h)->sums(context, h, NULL, NULL, q, 0, &none, &diagonal);
    if (status == CAFE_OK && r != 1) status = expected_part(context, op, h, &expected);
    cafe_mem_free(context, q);
    solution->trace[solution->sweeps] = diagonal - (1 - r) * expected;
    return status;
}

/* Units of theta by the mean degree. In units of 1/p_u a node with few edges follows them too hard:
 * it freezes at its start, and columns become noise. In units of n such a node, among others with
 * many edges, hardly moves and keeps its random row. On 13 graphs with labels
 * (docs/algorithms/softmax.md) the second fault is the worse from about 20 edges a node on. */
#define MANY_LINKS 20

bool cafe_softmax_graph_units(const cafe_operator *op, const cafe_softmax_options *o) {
    int64_t linked = 0;
    if (o->units != CAFE_THETA_AUTO) return o->units == CAFE_THETA_GRAPH;
    if (!op->parts.offsets) return true;
    for (int64_t u = 0; u < op->n; u++) linked += op->parts.p[u] > 0;
    return op->parts.offsets[op->n] < MANY_LINKS * linked;
}

/* Of vectors without labels: many small clusters (docs/algorithms/softmax.md). */
#define FINE_RESOLUTION 5

/* The option, or the method's own if that is negative. */
static double resolution_of(const cafe_operator *op, const int32_t *labels,
                            const cafe_softmax_options *o) {
    if (o->resolution >= 0) return o->resolution;
    return labels || cafe_operator_is_sum(&op->parts) ? 1 : FINE_RESOLUTION;
}

/* The sweeps, with theta_u = theta / p_u, or in graph units theta d_u / (d p_u) = theta n for the
 * mean degree d = total / n: the same for all nodes. */
static cafe_status iterate(cafe_context *context, const cafe_operator *op,
                           const cafe_softmax_options *o, const uint8_t *fixed, cafe_keeper *keeper,
                           cafe_solution *solution) {
    cafe_passes passes = {
        .fixed = fixed, .chunks = o->chunks, .most = o->sweeps, .tolerance = o->tolerance};
    passes.keeper = keeper;
    passes.rule = (cafe_rule){.kind = CAFE_RULE_SOFTMAX, .theta = o->theta};
    passes.rule.resolution = o->resolution, passes.rule.storage = o->storage;
    passes.after = solution->trace ? note_beyond : NULL;
    if (cafe_softmax_graph_units(op, o)) passes.rule.mean_degree = op->parts.total / (double)op->n;
    if (!cafe_keeper_has(&passes)) CAFE_PASS(level_of(context, op, o, solution, &passes.level));
    return cafe_sweep(context, op, &passes, solution);
}

/* trace_i = objective_i + rest_i: the objective leaves the diagonal out, the trace includes it. */
static cafe_status settle(cafe_context *context, const cafe_operator *op, double resolution,
                          cafe_solution *s) {
    double expected = 0;
    CAFE_PASS(cafe_sweep_settle(context, op, s));
    if (resolution != 1) CAFE_PASS(expected_part(context, op, &s->h, &expected));
    s->rest = s->diagonal - (1 - resolution) * expected;
    if (s->trace) s->trace[s->sweeps] = s->rest;
    for (int64_t i = 0; i <= s->sweeps; i++) {
        s->objective[i] -= s->rest;
        if (s->trace) s->trace[i] += s->objective[i];
    }
    return CAFE_OK;
}

cafe_status cafe_softmax_traced(cafe_context *context, const cafe_operator *op,
                                const cafe_softmax_options *options, const float *start,
                                const int32_t *labels, bool trace, cafe_solution **solution) {
    cafe_status status = CAFE_OK;
    cafe_solution *found = NULL;
    cafe_keeper *keeper = NULL;
    uint8_t *fixed = NULL;
    int64_t moving = op->n;
    cafe_softmax_options o;
    const cafe_option_table *table = trace ? cafe_cafe_option_table() : cafe_softmax_option_table();
    *solution = NULL;
    CAFE_TRY(cafe_options_take(context, table, options, &o));
    CAFE_TRY(check_labels(context, op->n, o.columns, labels));
    o.resolution = resolution_of(op, labels, &o);
    if (cafe_operator_is_sum(&op->parts) && o.resolution != 1)
        CAFE_TRY(
            cafe_fail(context, CAFE_ERROR_ARGUMENT,
                      CAFE_OPT("resolution") " is for the null model of one graph: it does not "
                                             "go with features"));
    CAFE_TRY(cafe_keeper_open(context, op, table, &o,
                              (cafe_keeper_inputs){start, o.columns, labels}, &keeper));
    CAFE_TRY(cafe_solution_new(context, op->n, o.columns, o.sweeps, &found));
    if (trace) {
        found->trace = cafe_mem_zero(context, o.sweeps + 1, sizeof *found->trace);
        CAFE_TRY(cafe_mem_had(found->trace));
    }
    CAFE_TRY(check_start(context, found, start));
    CAFE_TRY(start_rows(context, start, labels, &found->h));
    if (labels) {
        fixed = cafe_mem(context, op->n, sizeof *fixed);
        CAFE_TRY(cafe_mem_had(fixed));
        moving = mark_fixed(op, labels, fixed);
    }
    if (moving > 0)
        CAFE_TRY(iterate(context, op, &o, fixed, keeper, found));
    else
        found->converged = 1;
    CAFE_TRY(settle(context, op, o.resolution, found));
    *solution = found;
    found = NULL;
done:
    cafe_keeper_close(keeper);
    cafe_mem_free(context, fixed);
    cafe_solution_free(found);
    return status;
}

cafe_status cafe_softmax(cafe_context *context, const cafe_operator *op,
                         const cafe_softmax_options *options, const float *start,
                         const int32_t *labels, cafe_solution **solution) {
    return cafe_softmax_traced(context, op, options, start, labels, false, solution);
}

/* ---- the partition --------------------------------------------------------------------------- */

/* argmax over k of h_uk, the first of equal ones. */
static int64_t largest(int64_t columns, const float *row) {
    int64_t best = 0;
    for (int64_t k = 1; k < columns; k++)
        if (row[k] > row[best]) best = k;
    return best;
}

/* part_u = argmax over k of h_uk. Communities are numbered by first appearance; columns that are
 * the largest of no row get no number. */
cafe_status cafe_solution_partition(cafe_context *context, const cafe_solution *solution,
                                    int32_t *part, int64_t *count) {
    enum { PIECE = 1024 };
    cafe_status status = CAFE_OK;
    const cafe_block *h = &solution->h;
    int64_t columns = h->columns;
    int32_t *number = cafe_mem(context, columns, sizeof *number);
    float *rows = cafe_mem(context, PIECE * columns, sizeof *rows);
    CAFE_TRY(number && rows ? CAFE_OK : CAFE_ERROR_MEMORY);
    for (int64_t k = 0; k < columns; k++) number[k] = -1;
    *count = 0;
    for (int64_t u = 0; u < h->n; u++) {
        cafe_part piece = {u, h->n - u < PIECE ? h->n - u : PIECE, 0, columns};
        if (u % PIECE == 0) CAFE_TRY(cafe_ops(h)->copy_out(context, h, piece, rows, columns));
        int64_t best = largest(columns, rows + u % PIECE * columns);
        if (number[best] < 0) number[best] = (int32_t)(*count)++;
        part[u] = number[best];
    }
done:
    cafe_mem_free_all(context, number, rows);
    return status;
}
