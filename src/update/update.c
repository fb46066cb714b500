/* The update: warm start, rounds over the active nodes, alignment, drift.
 *
 *     sums      over all edges, for the old graph: found, or read (update/update_state.h)
 *     start     old rows unchanged; a new node at the normalised mean of its neighbours
 *     correct   the sums, by the terms of the changed edges
 *     pressure  of a node whose edges changed: the changed weight over its degree
 *     rounds    sweep nodes under pressure (update/active_sweep.c) until a round gains too little
 *     align     only if most of the rows moved: rotate onto the old rows, which changes no inner
 *               product and no objective
 *
 * All steps but the first and the last work on the nodes that the change reaches
 * (update/reached.h). Without changes there is no pressure, no round and no rotation: the result is
 * the old rows, bit for bit.
 */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include <cafe-private/writers.h>

#include "base/memory.h"
#include "base/option.h"
#include "base/thread_pool.h"
#include "graph/graph.h"
#include "io/vector_file.h"
#include "kernels/row_kernels.h"
#include "method/method.h"
#include "sample/sampled_graph.h"
#include "update/active_sweep.h"

enum { BLOCK = 1024 };

/* ---- options --------------------------------------------------------------------------------- */

static const cafe_option update_options[] = {
    {"sweeps", "N", CAFE_OPTION_INTEGER, offsetof(cafe_update_options, sweeps), 20, 0, 1e9, NULL,
     "rounds over the active nodes at most"},
    {"tolerance", "R", CAFE_OPTION_REAL | CAFE_OPTION_TUNE,
     offsetof(cafe_update_options, tolerance), 1e-3, 0, 1, NULL,
     "stop when a round gains less than this share of the objective"},
    {"spread", "R", CAFE_OPTION_REAL | CAFE_OPTION_TUNE, offsetof(cafe_update_options, spread),
     0.05, 0, 1, NULL,
     "sweep a node when its edges and its neighbours' rows changed by more than this share of its "
     "pull; 0 sweeps everything the change can reach"},
    {"align", NULL, CAFE_OPTION_SWITCH | CAFE_OPTION_TUNE, offsetof(cafe_update_options, align), 1,
     0, 1, NULL, "rotate the new vectors onto the old ones, so that coordinates can be compared"},
    {"degree-exponent", "X", CAFE_OPTION_REAL | CAFE_OPTION_TUNE,
     offsetof(cafe_update_options, degree_exponent), CAFE_SPHERE_EXPONENT, 0, 0.5, NULL,
     "that of the sampling that the vectors were made with"},
    {"state", "FILE", CAFE_OPTION_TEXT, offsetof(cafe_update_options, state), 0, 0, 0, NULL,
     "keep the sums of the whole graph in this file, so that the next update need not find them"},
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
    int64_t n, columns, stride; /* nodes of the new graph */
    char made[CAFE_VECTORS_MADE];
    char *state_path; /* NULL: none */
    cafe_reached reached;
    cafe_update_state state;
    float *h; /* all rows, padded, if they were rotated; NULL: old rows and those of `reached` */
    double *objective, *drift, *rotation;
    int64_t *active;
    cafe_update_report report;
};

void cafe_updated_free(cafe_updated *updated) {
    if (!updated) return;
    cafe_reached_free(&updated->reached);
    cafe_state_free(&updated->state);
    cafe_mem_free_all(updated->context, updated->state_path, updated->h, updated->objective,
                      updated->drift, updated->rotation, updated->active, updated);
}

const cafe_update_report *cafe_updated_get(const cafe_updated *updated) {
    return &updated->report;
}

static const float *row_of(const void *source, int64_t u) {
    const cafe_updated *r = source;
    int64_t place = r->reached.index[u] - 1;
    if (r->h) return r->h + u * r->stride;
    return place >= 0 ? cafe_reached_row(&r->reached, place) : cafe_reached_before(&r->reached, u);
}

void cafe_updated_copy(const cafe_updated *updated, float *rows) {
    for (int64_t u = 0; u < updated->n; u++)
        memcpy(rows + u * updated->columns, row_of(updated, u),
               (size_t)updated->columns * sizeof *rows);
}

/* at[u] <- where row u is (io/vector_file.h). */
static void list_places(const cafe_updated *r, int32_t *at) {
    const cafe_reached *reached = &r->reached;
    memcpy(at, reached->changes->origin, (size_t)r->n * sizeof *at);
    for (int64_t i = 0; i < reached->count; i++)
        if (reached->met[i].node < r->n && cafe_reached_moved(reached, i))
            at[reached->met[i].node] = ~(int32_t)i;
}

static cafe_status write_rows(cafe_context *context, const cafe_updated *r, const cafe_names *names,
                              const char *path, int32_t overwrite) {
    int32_t *at = NULL;
    cafe_matrix m = cafe_matrix_of(r->n, r->columns, r->stride, r->h, names);
    if (!r->h) {
        at = cafe_mem(context, r->n, sizeof *at);
        if (!at) return CAFE_ERROR_MEMORY;
        list_places(r, at);
        m.values = r->reached.rows, m.stride = r->columns;
        m.at = at, m.other = r->reached.h, m.other_stride = r->stride;
    }
    memcpy(m.made, r->made, sizeof m.made);
    cafe_status status = cafe_matrix_write(context, &m, path, overwrite);
    cafe_mem_free(context, at);
    return status;
}

static cafe_status write_state(cafe_context *context, const cafe_updated *r,
                               cafe_changes *changes) {
    if (!r->state_path) return CAFE_OK;
    const cafe_graph *graph = cafe_changes_graph(changes);
    if (!graph) return CAFE_ERROR_MEMORY;
    return cafe_state_write(context, r->state_path, graph, row_of, r, &r->state);
}

cafe_status cafe_updated_write(cafe_context *context, const cafe_updated *updated,
                               cafe_changes *changes, const char *path, int32_t overwrite) {
    if (updated->report.foreign_state && !overwrite)
        return cafe_fail(
            context, CAFE_ERROR_EXISTS,
            "%s: belongs to another graph, other vectors or another degree exponent; " CAFE_OPT(
                "force") " replaces it",
            updated->state_path);
    CAFE_PASS(cafe_outputs_begin(context));
    cafe_status status = write_rows(context, updated, &changes->graph->names, path, overwrite);
    if (status == CAFE_OK) status = write_state(context, updated, changes);
    return cafe_outputs_end(context, status);
}

static cafe_status allocate(cafe_context *context, const cafe_changes *changes, int64_t columns,
                            const cafe_update_options *o, cafe_updated **updated) {
    int64_t n = changes->graph->n;
    cafe_updated *r = *updated = cafe_mem_zero(context, 1, sizeof *r);
    if (!r) return CAFE_ERROR_MEMORY;
    r->context = context, r->n = n, r->columns = columns, r->stride = cafe_stride(columns);
    r->objective = cafe_mem_zero(context, o->sweeps + 1, sizeof *r->objective);
    r->active = cafe_mem_zero(context, o->sweeps + 1, sizeof *r->active);
    r->drift = cafe_mem_zero(context, n, sizeof *r->drift);
    r->rotation = cafe_mem_zero(context, columns * columns, sizeof *r->rotation);
    CAFE_PASS(cafe_mem_had(r->objective, r->active, r->drift, r->rotation));
    for (int64_t i = 0; i < columns; i++) r->rotation[i * columns + i] = 1;
    if (!o->state || !*o->state) return CAFE_OK;
    r->state_path = cafe_mem_text(context, o->state);
    return cafe_mem_had(r->state_path);
}

/* ---- sums ------------------------------------------------------------------------------------ */

static cafe_status take_sums(cafe_context *context, const cafe_changes *changes, const float *rows,
                             const cafe_update_options *o, cafe_updated *r) {
    bool fits = false, foreign = false;
    cafe_phase(context, "sums", 0);
    if (r->state_path)
        CAFE_PASS(cafe_state_read(context, r->state_path, changes->old, r->columns, rows,
                                  o->degree_exponent, &r->state, &fits, &foreign));
    r->report.foreign_state = foreign;
    r->report.resumed = fits && r->state.swept < r->state.nodes; /* else rounding has added up */
    if (r->report.resumed) return CAFE_OK;
    cafe_state_free(&r->state);
    return cafe_state_find(context, changes->old, r->columns, rows, o->degree_exponent, &r->state);
}

static cafe_status need_edges(cafe_context *context, const cafe_update_report *report) {
    if (report->arcs > 0) return CAFE_OK;
    return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                     "the graph has no edges after the changes: there is nothing to update");
}

/* ---- rounds ---------------------------------------------------------------------------------- */

static cafe_status iterate(cafe_context *context, const cafe_update_options *o, cafe_updated *r,
                           cafe_active *active) {
    cafe_update_report *report = &r->report;
    cafe_phase(context, "sweep", o->sweeps);
    for (int64_t i = 0; i < o->sweeps && !report->converged; i++) {
        double gain, *now = &r->objective[i + 1];
        CAFE_PASS(cafe_active_collect(active));
        r->active[i] = active->count;
        if (active->count == 0) break;
        CAFE_PASS(cafe_active_sweep(active, &gain));
        *now = r->objective[i] + gain;
        report->rounds = i + 1;
        report->updates += r->active[i];
        report->converged = o->tolerance > 0 && gain <= o->tolerance * fabs(*now);
        cafe_step(context, i + 1, *now);
    }
    if (!report->converged) {
        CAFE_PASS(cafe_active_collect(active));
        report->converged = active->count == 0;
    }
    report->arcs_summed = active->summed;
    report->arcs_marked = active->marked;
    return CAFE_OK;
}

static cafe_status sweep(cafe_context *context, const cafe_update_options *o, cafe_updated *r) {
    cafe_active active = {
        .context = context, .reached = &r->reached, .state = &r->state, .spread = o->spread};
    cafe_update_state *s = &r->state;
    cafe_status status = CAFE_OK;
    float *before = cafe_mem(context, r->reached.changes->counts.touched, sizeof *before);
    CAFE_TRY(cafe_mem_had(before));
    CAFE_TRY(cafe_reached_start(&r->reached));
    CAFE_TRY(cafe_state_correct(s, &r->reached, before));
    r->objective[0] = cafe_state_objective(s);
    CAFE_TRY(cafe_active_press(&active, before));
    CAFE_TRY(iterate(context, o, r, &active));
    /* energy = T (objective + |s / T|^2) */
    s->energy += s->total * (r->objective[r->report.rounds] - cafe_state_objective(s));
done:
    cafe_active_free(&active);
    cafe_mem_free(context, before);
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

/* Nodes swept, and those of them that moved; returns the share of the old nodes that moved, by p.
 */
static double count_moved(cafe_updated *r) {
    const cafe_reached *reached = &r->reached;
    double moved = 0, fresh = 0;
    for (int64_t i = 0; i < reached->count; i++) {
        int32_t u = reached->met[i].node;
        double p = r->state.strength[u] / r->state.total;
        r->report.swept += reached->met[i].swept;
        if (reached->changes->origin[u] < 0)
            fresh += p;
        else if (cafe_reached_moved(reached, i))
            moved += p, r->report.moved++;
    }
    return fresh < 1 ? moved / (1 - fresh) : 1;
}

static void drift_block(void *argument, int64_t first, int64_t last) {
    cafe_updated *r = argument;
    for (int64_t u = first; u < last; u++) {
        const float *before = cafe_reached_before(&r->reached, u);
        r->drift[u] = before ? angle(r->columns, before, row_of(r, u)) : -1;
    }
}

/* Without a rotation only rows that were reached can differ. */
static cafe_status find_drift(cafe_context *context, const cafe_changes *changes, cafe_updated *r) {
    double sum = 0;
    const cafe_reached *reached = &r->reached;
    if (r->h) {
        CAFE_PASS(cafe_ranges(context, r->n, BLOCK, drift_block, r));
    } else {
        for (int64_t i = 0; i < reached->count; i++)
            if (reached->met[i].node < r->n)
                drift_block(r, reached->met[i].node, reached->met[i].node + 1);
    }
    for (int64_t i = 0; i < (r->h ? r->n : reached->count); i++) {
        int64_t u = r->h ? i : reached->met[i].node;
        if (u >= r->n || r->drift[u] < 0) continue;
        sum += r->drift[u];
        if (r->drift[u] > r->report.drift_max) r->report.drift_max = r->drift[u];
    }
    if (changes->old_nodes > 0) r->report.drift_mean = sum / (double)changes->old_nodes;
    return CAFE_OK;
}

/* All rows, and weights p for those that were there before. */
static void spread_rows(const cafe_updated *r, float *before, float *now, double *weights) {
    size_t bytes = (size_t)r->columns * sizeof *now;
    for (int64_t u = 0; u < r->n; u++) {
        const float *old = cafe_reached_before(&r->reached, u);
        memcpy(now + u * r->stride, row_of(r, u), bytes);
        memcpy(before + u * r->stride, old ? old : now + u * r->stride, bytes);
        weights[u] = old ? r->state.strength[u] / r->state.total : 0;
    }
}

/* s of the rotated rows. */
static cafe_status rotate_sums(cafe_context *context, cafe_updated *r) {
    int64_t k = r->columns;
    double *s = cafe_mem_zero(context, k, sizeof *s);
    if (!s) return CAFE_ERROR_MEMORY;
    for (int64_t i = 0; i < k * k; i++) s[i % k] += r->state.s[i / k] * r->rotation[i];
    memcpy(r->state.s, s, (size_t)k * sizeof *s);
    cafe_mem_free(context, s);
    return CAFE_OK;
}

static cafe_status rotate(cafe_context *context, bool turn, cafe_updated *r) {
    cafe_alignment found = {0, 0, 0};
    cafe_status status = CAFE_OK;
    float *now = cafe_mem_zero(context, r->n * r->stride, sizeof *now);
    float *before = cafe_mem_zero(context, r->n * r->stride, sizeof *before);
    double *weights = cafe_mem(context, r->n, sizeof *weights);
    CAFE_TRY(cafe_mem_had(now, before, weights));
    cafe_phase(context, "align", 0);
    spread_rows(r, before, now, weights);
    CAFE_TRY(cafe_align(context, r->n, r->columns, r->stride, before, now, weights, turn,
                        r->rotation, &found));
    r->report.subspace_angle = found.largest;
    r->report.subspace_mean_angle = found.mean;
    r->report.rotation_distance = found.distance;
    r->report.rotated = turn;
    if (!turn) goto done;
    CAFE_TRY(rotate_sums(context, r));
    r->h = now;
    now = NULL;
done:
    cafe_mem_free_all(context, now, before, weights);
    return status;
}

/* Rows that did not move keep the coordinates, unless they are the smaller part. */
static cafe_status align(cafe_context *context, bool turn, cafe_updated *r) {
    double moved = count_moved(r);
    if (r->report.moved == 0) return CAFE_OK;
    if (moved >= 0.5) return rotate(context, turn, r);
    r->report.subspace_angle = r->report.subspace_mean_angle = NAN;
    return CAFE_OK;
}

/* ---- the call -------------------------------------------------------------------------------- */

static void fill_report(cafe_updated *r, const cafe_changes *changes) {
    cafe_update_report *report = &r->report;
    report->nodes = r->n;
    report->columns = r->columns;
    report->new_nodes = changes->counts.new_nodes;
    report->arcs = changes->old->arcs;
    for (int64_t i = 0; i < changes->arc_count; i++)
        report->arcs += (changes->arcs[i].after > 0) - (changes->arcs[i].before > 0);
    report->edges = changes->old->counts.edges + changes->counts.added - changes->counts.removed;
    report->objective = r->objective;
    report->active = r->active;
    report->drift = r->drift;
    report->rotation = r->rotation;
}

/* How the vectors are made, for their file. */
static void describe(const cafe_update_options *o, cafe_updated *r) {
    cafe_sampled s = {
        .info = {.sampling = CAFE_SAMPLING_EDGE, .degree_exponent = o->degree_exponent}};
    cafe_sampled_made(&s, r->made);
}

cafe_status cafe_update(cafe_context *context, const cafe_changes *changes, int64_t columns,
                        const float *rows, const cafe_update_options *options,
                        cafe_updated **updated) {
    cafe_status status = CAFE_OK;
    cafe_updated *r = NULL;
    cafe_update_options o;
    *updated = NULL;
    CAFE_TRY(cafe_options_take(context, &update_table, options, &o));
    if (columns < 1 || columns > 65536)
        return cafe_fail(context, CAFE_ERROR_ARGUMENT, "%lld columns", (long long)columns);
    CAFE_TRY(allocate(context, changes, columns, &o, &r));
    fill_report(r, changes);
    CAFE_TRY(need_edges(context, &r->report));
    CAFE_TRY(take_sums(context, changes, rows, &o, r));
    CAFE_TRY(cafe_reached_new(context, changes, columns, rows, &r->reached));
    cafe_phase(context, "start", 0);
    CAFE_TRY(sweep(context, &o, r));
    CAFE_TRY(align(context, o.align != 0, r));
    CAFE_TRY(find_drift(context, changes, r));
    describe(&o, r);
    *updated = r;
    r = NULL;
done:
    cafe_updated_free(r);
    cafe_phase(context, "", 0);
    return status;
}
