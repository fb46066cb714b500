/* The update: warm start, rounds over the active nodes, alignment, drift.
 *
 *     start     old rows unchanged; a new node at the normalised mean of its neighbours
 *     pressure  of a node whose edges changed: the changed weight over its degree
 *     rounds    sweep nodes under pressure (update/active_sweep.c) until a round gains too little
 *     align     rotate onto the old rows, which changes no inner product and no objective
 *
 * Without changes there is no pressure, no round and no rotation: the result is the old rows, bit
 * for bit.
 */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include <cafe-private/writers.h>

#include "base/memory.h"
#include "base/option.h"
#include "base/random.h"
#include "base/thread_pool.h"
#include "graph/compressed_rows.h"
#include "graph/graph.h"
#include "graph/weight_scale.h"
#include "io/vector_file.h"
#include "kernels/row_kernels.h"
#include "method/method.h"
#include "sample/sampled_graph.h"
#include "spectral/embedding.h"
#include "update/update.h"

enum { BLOCK = 1024, START_PASSES = 8 };

/* ---- options --------------------------------------------------------------------------------- */

static const cafe_option update_options[] = {
    {"sweeps", "N", CAFE_OPTION_INTEGER, offsetof(cafe_update_options, sweeps), 20, 0, 1e9, NULL,
     "rounds over the active nodes at most"},
    {"tolerance", "R", CAFE_OPTION_REAL, offsetof(cafe_update_options, tolerance), 1e-3, 0, 1, NULL,
     "stop when a round gains less than this share of the objective"},
    {"spread", "R", CAFE_OPTION_REAL | CAFE_OPTION_TUNE, offsetof(cafe_update_options, spread),
     0.05, 0, 1, NULL,
     "sweep a node when its edges and its neighbours' rows changed by more than this share of its "
     "pull; 0 sweeps everything the change can reach"},
    {"align", NULL, CAFE_OPTION_SWITCH | CAFE_OPTION_TUNE, offsetof(cafe_update_options, align), 1,
     0, 1, NULL, "rotate the new vectors onto the old ones, so that coordinates can be compared"},
    {"degree-exponent", "X", CAFE_OPTION_REAL, offsetof(cafe_update_options, degree_exponent),
     CAFE_SPHERE_EXPONENT, 0, 0.5, NULL, "that of the sampling that the vectors were made with"},
};

CAFE_OPTION_TABLE(update, "update", "new vectors from old ones and the edges that changed",
                  update_options)

cafe_status cafe_update_sample(cafe_context *context, const cafe_graph *graph, double x,
                               cafe_sampled **sampled) {
    cafe_sample_options o;
    cafe_sample_options_init(&o);
    o.degree_exponent = x;
    return cafe_sample(context, graph, CAFE_SAMPLING_EDGE, &o, NULL, sampled);
}

/* ---- the result ------------------------------------------------------------------------------ */

struct cafe_updated {
    cafe_context *context;
    int64_t n, columns, stride;
    char made[CAFE_VECTORS_MADE];
    float *h;      /* padded */
    float *before; /* the start; freed at the end */
    double *objective, *drift, *rotation;
    int64_t *active;
    cafe_update_report report;
};

void cafe_updated_free(cafe_updated *updated) {
    if (!updated) return;
    cafe_mem_free_all(updated->context, updated->h, updated->before, updated->objective,
                      updated->drift, updated->rotation, updated->active, updated);
}

const cafe_update_report *cafe_updated_get(const cafe_updated *updated) {
    return &updated->report;
}

void cafe_updated_copy(const cafe_updated *updated, float *rows) {
    for (int64_t u = 0; u < updated->n; u++)
        memcpy(rows + u * updated->columns, updated->h + u * updated->stride,
               (size_t)updated->columns * sizeof *rows);
}

cafe_status cafe_updated_write(cafe_context *context, const cafe_updated *updated,
                               const cafe_changes *changes, const char *path, int32_t overwrite) {
    cafe_matrix m = cafe_matrix_of(updated->n, updated->columns, updated->stride, updated->h,
                                   &changes->graph->names);
    memcpy(m.made, updated->made, sizeof m.made);
    return cafe_matrix_write(context, &m, path, overwrite);
}

static cafe_status allocate(cafe_context *context, const cafe_changes *changes, int64_t columns,
                            int64_t sweeps, cafe_updated **updated) {
    int64_t n = changes->graph->n, stride = cafe_stride(columns);
    cafe_updated *r = *updated = cafe_mem_zero(context, 1, sizeof *r);
    if (!r) return CAFE_ERROR_MEMORY;
    r->context = context, r->n = n, r->columns = columns, r->stride = stride;
    r->h = cafe_mem_zero(context, n * stride, sizeof *r->h);
    r->before = cafe_mem(context, n * stride, sizeof *r->before);
    r->objective = cafe_mem_zero(context, sweeps + 1, sizeof *r->objective);
    r->active = cafe_mem_zero(context, sweeps + 1, sizeof *r->active);
    r->drift = cafe_mem_zero(context, n, sizeof *r->drift);
    r->rotation = cafe_mem_zero(context, columns * columns, sizeof *r->rotation);
    CAFE_PASS(cafe_mem_had(r->h, r->before, r->objective, r->active, r->drift, r->rotation));
    for (int64_t i = 0; i < columns; i++) r->rotation[i * columns + i] = 1;
    return CAFE_OK;
}

/* ---- start ----------------------------------------------------------------------------------- */

static double square(int64_t columns, const float *row) {
    double sum = 0;
    for (int64_t k = 0; k < columns; k++) sum += (double)row[k] * row[k];
    return sum;
}

/* Rows are kept unchanged, so they must be valid rows of sphere. */
static cafe_status check_rows(cafe_context *context, int64_t n, int64_t columns,
                              const float *rows) {
    for (int64_t u = 0; u < n; u++) {
        double length = sqrt(square(columns, rows + u * columns));
        if (!(fabs(length - 1) < 1e-3))
            return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                             "row %lld has length %.6g, not 1: an update starts from the raw form "
                             "(cafe embed " CAFE_OPT("output-form=raw") ")",
                             (long long)u, length);
    }
    return CAFE_OK;
}

static void normalise(int64_t columns, float *row) {
    double length = sqrt(square(columns, row));
    for (int64_t k = 0; k < columns; k++) row[k] = (float)(row[k] / length);
}

static void random_row(uint64_t seed, int64_t u, int64_t columns, float *row) {
    int64_t draws = (columns + 3) / 4;
    for (int64_t k = 0; k < columns; k++) {
        cafe_random4 r = cafe_philox(seed, CAFE_STREAM_START, (uint64_t)(u * draws + k / 4));
        row[k] = (float)(2 * cafe_uniform_open(r.v[k % 4]) - 1);
    }
    normalise(columns, row);
}

/* Mean of the neighbours that have rows; false when there are none, or they cancel. */
static bool mean_row(const cafe_updated *r, const cafe_graph *g, const uint8_t *started, int64_t u,
                     float *row) {
    double total = 0;
    memset(row, 0, (size_t)r->stride * sizeof *row);
    for (int64_t j = g->offsets[u]; j < g->offsets[u + 1]; j++) {
        int64_t w = g->targets[j];
        float weight = g->scaled ? g->scaled[j] : 1;
        if (w == u || !started[w]) continue;
        for (int64_t k = 0; k < r->columns; k++) row[k] += weight * r->h[w * r->stride + k];
        total += weight;
    }
    if (!(total > 0) || !(square(r->columns, row) > 1e-12 * total * total)) return false;
    normalise(r->columns, row);
    return true;
}

/* Sets the start of new nodes in rounds: nodes with neighbours that have rows, then their
 * neighbours, and so on. Nodes without a row after some rounds are drawn at random. */
static void start_newcomers(cafe_updated *r, const cafe_changes *changes, uint8_t *started,
                            uint64_t seed) {
    const int32_t *origin = changes->origin;
    bool any = true;
    for (int pass = 0; pass < START_PASSES && any; pass++) {
        any = false;
        for (int64_t u = 0; u < r->n; u++) {
            if (origin[u] >= 0 || started[u]) continue;
            started[u] = mean_row(r, changes->graph, started, u, r->h + u * r->stride);
            any = any || started[u];
        }
    }
    for (int64_t u = 0; u < r->n; u++)
        if (!started[u]) random_row(seed, u, r->columns, r->h + u * r->stride);
}

static cafe_status start(cafe_context *context, cafe_updated *r, const cafe_changes *changes,
                         const float *rows) {
    uint8_t *started = cafe_mem_zero(context, r->n, sizeof *started);
    if (!started) return CAFE_ERROR_MEMORY;
    cafe_phase(context, "start", 0);
    for (int64_t u = 0; u < r->n; u++) {
        int64_t old = changes->origin[u];
        if (old < 0) continue;
        started[u] = 1;
        memcpy(r->h + u * r->stride, rows + old * r->columns, (size_t)r->columns * sizeof *rows);
    }
    if (changes->counts.new_nodes > 0) start_newcomers(r, changes, started, context->seed);
    memcpy(r->before, r->h, (size_t)(r->n * r->stride) * sizeof *r->h);
    cafe_mem_free(context, started);
    return CAFE_OK;
}

/* ---- rounds ---------------------------------------------------------------------------------- */

/* If a node's degree grew, its factor and the weights of all its edges changed by a share, which
 * presses its neighbours. */
static void press_neighbours(const cafe_graph *g, const cafe_operator_parts *s, double x, int64_t u,
                             double growth, cafe_active *active) {
    double now = cafe_row_sum(g->offsets, g->scaled, u), before = now - growth;
    if (!(before > 0 && now > 0)) return;
    double share = fabs(pow(now / before, x) - 1);
    for (int64_t j = s->offsets[u]; j < s->offsets[u + 1]; j++) {
        int64_t w = s->targets[j];
        cafe_active_press(active, w, share * CAFE_LINK(s, u, j) / (s->p[w] * s->total));
    }
}

/* Of a node whose edges changed: the changed weight as a share of its degree. A new node is always
 * swept. */
static void press_changed(const cafe_changes *changes, const cafe_operator *op, double x,
                          cafe_active *active) {
    const cafe_operator_parts *s = &op->parts;
    double growth = 0;
    for (int64_t i = 0; i < changes->arc_count; i++) {
        const cafe_changed_arc *arc = &changes->arcs[i];
        double degree = s->p[arc->u] * s->total;
        double more = cafe_graph_to_scaled(changes->graph, (double)arc->after - arc->before);
        double factors = s->factor ? (double)s->factor[arc->u] * s->factor[arc->v] : 1;
        if (degree > 0) cafe_active_press(active, arc->u, fabs(more) * factors / degree);
        growth += more;
        if (i + 1 < changes->arc_count && changes->arcs[i + 1].u == arc->u) continue;
        if (s->factor) press_neighbours(changes->graph, s, x, arc->u, growth, active);
        growth = 0;
    }
    for (int64_t u = 0; u < op->n; u++)
        if (changes->origin[u] < 0) cafe_active_press(active, u, 2);
}

static cafe_status iterate(cafe_context *context, const cafe_update_options *o, cafe_updated *r,
                           cafe_active *active) {
    cafe_update_report *report = &r->report;
    cafe_phase(context, "sweep", o->sweeps);
    for (int64_t i = 0; i < o->sweeps && !report->converged; i++) {
        double gain, *now = &r->objective[i + 1];
        r->active[i] = cafe_active_collect(active);
        if (r->active[i] == 0) break;
        CAFE_PASS(cafe_active_sweep(active, &gain));
        *now = r->objective[i] + gain;
        report->rounds = i + 1;
        report->updates += r->active[i];
        report->converged = o->tolerance > 0 && gain <= o->tolerance * fabs(*now);
        cafe_step(context, i + 1, *now);
    }
    if (!report->converged) report->converged = cafe_active_collect(active) == 0;
    cafe_active_work(active, &report->arcs_summed, &report->arcs_marked);
    return CAFE_OK;
}

static void count_swept(cafe_updated *r, const cafe_changes *changes, const cafe_active *active) {
    size_t bytes = (size_t)r->stride * sizeof *r->h;
    for (int64_t u = 0; u < r->n; u++) {
        bool swept = cafe_active_swept(active, u);
        r->report.swept += swept;
        r->report.moved += swept && changes->origin[u] >= 0 &&
                           memcmp(r->h + u * r->stride, r->before + u * r->stride, bytes) != 0;
    }
}

static cafe_status sweep(cafe_context *context, const cafe_changes *changes,
                         const cafe_operator *op, const cafe_update_options *o, cafe_updated *r) {
    cafe_active *active = NULL;
    cafe_status status = CAFE_OK;
    CAFE_TRY(cafe_operator_trace_block(context, op, r->stride, r->h, &r->objective[0]));
    CAFE_TRY(cafe_active_new(context, op, r->stride, r->h, o->spread, &active));
    press_changed(changes, op, o->degree_exponent, active);
    CAFE_TRY(iterate(context, o, r, active));
    count_swept(r, changes, active);
done:
    cafe_active_free(active);
    return status;
}

/* ---- alignment and drift --------------------------------------------------------------------- */

/* Angle of two rows of length 1 from their distance, which keeps small angles exact. */
static double angle(int64_t columns, const float *a, const float *b) {
    double sum = 0;
    for (int64_t k = 0; k < columns; k++) sum += ((double)a[k] - b[k]) * ((double)a[k] - b[k]);
    double half = sqrt(sum) / 2;
    return 2 * asin(half < 1 ? half : 1);
}

typedef struct drift_job {
    cafe_updated *updated;
    const int32_t *origin;
} drift_job;

static void drift_block(void *argument, int64_t first, int64_t last) {
    const drift_job *job = argument;
    cafe_updated *r = job->updated;
    for (int64_t u = first; u < last; u++)
        r->drift[u] = job->origin[u] < 0
                          ? -1
                          : angle(r->columns, r->before + u * r->stride, r->h + u * r->stride);
}

static cafe_status find_drift(cafe_context *context, const cafe_changes *changes, cafe_updated *r) {
    drift_job job = {r, changes->origin};
    double sum = 0;
    cafe_status status = cafe_ranges(context, r->n, BLOCK, drift_block, &job);
    for (int64_t u = 0; u < r->n && status == CAFE_OK; u++) {
        if (r->drift[u] < 0) continue;
        sum += r->drift[u];
        if (r->drift[u] > r->report.drift_max) r->report.drift_max = r->drift[u];
    }
    if (changes->old_nodes > 0) r->report.drift_mean = sum / (double)changes->old_nodes;
    return status;
}

/* If no row moved, the rotation is exactly the identity. */
static cafe_status align(cafe_context *context, const cafe_changes *changes,
                         const cafe_operator *op, bool turn, cafe_updated *r) {
    cafe_alignment found = {0, 0, 0};
    if (r->report.moved == 0) return CAFE_OK;
    double *weights = cafe_mem(context, r->n, sizeof *weights);
    if (!weights) return CAFE_ERROR_MEMORY;
    cafe_phase(context, "align", 0);
    for (int64_t u = 0; u < r->n; u++) weights[u] = changes->origin[u] < 0 ? 0 : op->parts.p[u];
    cafe_status status = cafe_align(context, r->n, r->columns, r->stride, r->before, r->h, weights,
                                    turn, r->rotation, &found);
    r->report.subspace_angle = found.largest;
    r->report.subspace_mean_angle = found.mean;
    r->report.rotation_distance = found.distance;
    cafe_mem_free(context, weights);
    return status;
}

/* ---- the call -------------------------------------------------------------------------------- */

static void fill_report(cafe_updated *r, const cafe_changes *changes) {
    r->report.nodes = r->n;
    r->report.columns = r->columns;
    r->report.new_nodes = changes->counts.new_nodes;
    r->report.arcs = changes->graph->arcs;
    r->report.objective = r->objective;
    r->report.active = r->active;
    r->report.drift = r->drift;
    r->report.rotation = r->rotation;
}

cafe_status cafe_update(cafe_context *context, const cafe_changes *changes, int64_t columns,
                        const float *rows, const cafe_update_options *options,
                        cafe_updated **updated) {
    cafe_status status = CAFE_OK;
    cafe_sampled *sampled = NULL;
    cafe_operator *op = NULL;
    cafe_updated *r = NULL;
    cafe_update_options o;
    *updated = NULL;
    CAFE_TRY(cafe_options_take(context, &update_table, options, &o));
    if (columns < 1 || columns > 65536)
        return cafe_fail(context, CAFE_ERROR_ARGUMENT, "%lld columns", (long long)columns);
    CAFE_TRY(check_rows(context, changes->old_nodes, columns, rows));
    CAFE_TRY(cafe_update_sample(context, changes->graph, o.degree_exponent, &sampled));
    CAFE_TRY(cafe_operator_modularity(context, sampled, &op));
    CAFE_TRY(allocate(context, changes, columns, o.sweeps, &r));
    cafe_sampled_made(sampled, r->made);
    CAFE_TRY(start(context, r, changes, rows));
    CAFE_TRY(sweep(context, changes, op, &o, r));
    CAFE_TRY(align(context, changes, op, o.align != 0, r));
    CAFE_TRY(find_drift(context, changes, r));
    cafe_mem_free(context, r->before);
    r->before = NULL;
    fill_report(r, changes);
    *updated = r;
    r = NULL;
done:
    cafe_updated_free(r);
    cafe_operator_free(op);
    cafe_sampled_free(sampled);
    cafe_phase(context, "", 0);
    return status;
}
