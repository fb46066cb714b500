/* Sums over all edges: found once, then corrected by the terms of a change. */
#include "update/update_state.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/thread_pool.h"
#include "io/first_error.h"
#include "kernels/row_kernels.h"
#include "operator/operator.h"
#include "sample/sampled_graph.h"
#include "update/changed_rows.h"

enum { ROWS = 4096 };

void cafe_state_free(cafe_update_state *s) {
    if (s->context) cafe_mem_free_all(s->context, s->s, s->strength, s->factor);
    *s = (cafe_update_state){0};
}

double cafe_state_objective(const cafe_update_state *s) {
    double square = 0;
    for (int64_t k = 0; k < s->columns; k++) square += (s->s[k] / s->total) * (s->s[k] / s->total);
    return s->energy / s->total - square;
}

/* ---- found ----------------------------------------------------------------------------------- */

typedef struct checking {
    const float *rows;
    int64_t columns;
    atomic_llong bad; /* the first row of another length than 1 */
} checking;

static double length_of(const checking *c, int64_t u) {
    double sum = 0;
    for (int64_t k = 0; k < c->columns; k++) {
        double x = c->rows[u * c->columns + k];
        sum += x * x;
    }
    return sqrt(sum);
}

static void check_block(void *argument, int64_t first, int64_t last) {
    checking *c = argument;
    for (int64_t u = first; u < last; u++)
        if (!(fabs(length_of(c, u) - 1) < 1e-3)) {
            cafe_first_note(&c->bad, u);
            return;
        }
}

/* Rows are kept unchanged, so they must be valid rows of sphere. */
static cafe_status check_rows(cafe_context *context, int64_t n, int64_t columns,
                              const float *rows) {
    checking c = {.rows = rows, .columns = columns};
    atomic_init(&c.bad, INT64_MAX);
    CAFE_PASS(cafe_ranges(context, n, ROWS, check_block, &c));
    long long bad = atomic_load(&c.bad);
    if (bad == INT64_MAX) return CAFE_OK;
    return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                     "row %lld has length %.6g, not 1: an update starts from the raw form "
                     "(cafe embed " CAFE_OPT("output-form=raw") ")",
                     bad, length_of(&c, bad));
}

/* A padded copy of the rows, or the rows themselves if they need none. */
static cafe_status pad(cafe_context *context, int64_t n, int64_t columns, const float *rows,
                       float **copy, const float **block) {
    int64_t stride = cafe_stride(columns);
    *block = rows;
    if (stride == columns) return CAFE_OK;
    *block = *copy = cafe_mem_zero(context, n * stride, sizeof **copy);
    if (!*copy) return CAFE_ERROR_MEMORY;
    for (int64_t u = 0; u < n; u++)
        memcpy(*copy + u * stride, rows + u * columns, (size_t)columns * sizeof *rows);
    return CAFE_OK;
}

/* s and energy from the traces and sums of the operator, whose rows are those of the graph. */
static cafe_status add_up(cafe_context *context, const cafe_sampled *sampled, const float *rows,
                          cafe_update_state *state) {
    cafe_status status = CAFE_OK;
    cafe_operator *op = NULL;
    float *copy = NULL;
    const float *block = NULL;
    int64_t stride = cafe_stride(state->columns);
    double square = 0, trace, *s = cafe_mem(context, stride, sizeof *s);
    CAFE_TRY(cafe_mem_had(s));
    CAFE_TRY(pad(context, state->nodes, state->columns, rows, &copy, &block));
    CAFE_TRY(cafe_operator_modularity(context, sampled, &op));
    CAFE_TRY(cafe_operator_trace_block(context, op, stride, block, &trace));
    CAFE_TRY(cafe_operator_sums(context, op, stride, block, s));
    for (int64_t k = 0; k < state->columns; k++) {
        state->s[k] = s[k] * state->total;
        square += s[k] * s[k];
    }
    state->energy = (trace + square) * state->total;
done:
    cafe_operator_free(op);
    cafe_mem_free_all(context, copy, s);
    return status;
}

/* Without edges there is nothing to sample, and all sums are 0. */
static cafe_status find_empty(cafe_context *context, double exponent, cafe_update_state *state) {
    state->unit = 1;
    state->strength = cafe_mem_zero(context, state->nodes, sizeof *state->strength);
    if (exponent > 0) state->factor = cafe_mem(context, state->nodes, sizeof *state->factor);
    CAFE_PASS(
        cafe_mem_had(state->strength, exponent > 0 ? (void *)state->factor : state->strength));
    for (int64_t u = 0; exponent > 0 && u < state->nodes; u++) state->factor[u] = 1;
    return CAFE_OK;
}

/* Takes p and the factors away from the sampled graph. */
static void take_numbers(cafe_sampled *sampled, cafe_update_state *state) {
    state->strength = sampled->p;
    state->factor = sampled->factor;
    sampled->p = NULL, sampled->factor = NULL;
    for (int64_t u = 0; u < state->nodes; u++) state->strength[u] *= state->total;
}

cafe_status cafe_state_find(cafe_context *context, const cafe_graph *graph, int64_t columns,
                            const float *rows, double exponent, cafe_update_state *state) {
    cafe_status status = CAFE_OK;
    cafe_sampled *sampled = NULL;
    *state = (cafe_update_state){
        .context = context, .nodes = graph->n, .columns = columns, .exponent = exponent};
    CAFE_TRY(check_rows(context, graph->n, columns, rows));
    state->s = cafe_mem_zero(context, columns, sizeof *state->s);
    CAFE_TRY(cafe_mem_had(state->s));
    if (graph->arcs == 0) {
        CAFE_TRY(find_empty(context, exponent, state));
        goto done;
    }
    CAFE_TRY(cafe_update_sample(context, graph, exponent, &sampled));
    state->total = sampled->total;
    state->unit = exponent > 0 ? sampled->unit : 1;
    CAFE_TRY(add_up(context, sampled, rows, state));
    take_numbers(sampled, state);
done:
    cafe_sampled_free(sampled);
    if (status != CAFE_OK) cafe_state_free(state);
    return status;
}

/* ---- numbered anew --------------------------------------------------------------------------- */

/* Moves the numbers of the old nodes to their new places; new nodes have no edges yet. */
static cafe_status carry(cafe_update_state *s, const cafe_changes *changes) {
    if (changes->same_numbers) return CAFE_OK;
    int64_t n = changes->nodes;
    double *strength = cafe_mem(s->context, n, sizeof *strength);
    float *factor = cafe_mem(s->context, s->factor ? n : 1, sizeof *factor);
    if (!strength || !factor) {
        cafe_mem_free_all(s->context, strength, factor);
        return CAFE_ERROR_MEMORY;
    }
    for (int64_t u = 0; u < n; u++) {
        int64_t from = changes->origin[u];
        strength[u] = from < 0 ? 0 : s->strength[from];
        if (s->factor) factor[u] = from < 0 ? 1 : s->factor[from];
    }
    bool factors = s->factor != NULL;
    cafe_mem_free_all(s->context, s->strength, s->factor, factors ? NULL : factor);
    s->strength = strength;
    s->factor = factors ? factor : NULL;
    s->nodes = n;
    return CAFE_OK;
}

/* ---- corrected ------------------------------------------------------------------------------- */

/* A node whose edges changed, with its factor on both days. */
typedef struct touched {
    int32_t node;
    float before, after;
} touched;

typedef struct correction {
    cafe_update_state *state;
    cafe_reached *reached;
    touched *at; /* by node */
    int64_t count;
} correction;

static const touched *find_touched(const correction *c, int64_t u) {
    const touched *first = c->at, *last = c->at + c->count;
    while (first < last) {
        const touched *middle = first + (last - first) / 2;
        if (middle->node < u)
            first = middle + 1;
        else
            last = middle;
    }
    return first < c->at + c->count && first->node == u ? first : NULL;
}

static float degree_factor(const cafe_update_state *s, const cafe_changes *changes, int64_t u) {
    cafe_row_walk walk = cafe_row_of(changes, u);
    cafe_entry e;
    double degree = 0;
    while (cafe_row_next(&walk, &e)) degree += e.after;
    return (float)cafe_degree_factor(degree * s->unit, s->exponent);
}

static void list_touched(correction *c) {
    const cafe_changes *changes = c->reached->changes;
    const cafe_update_state *s = c->state;
    for (int64_t i = 0; i < changes->arc_count; i++) {
        int32_t u = changes->arcs[i].u;
        if (i > 0 && changes->arcs[i - 1].u == u) continue;
        c->at[c->count++] = (touched){u, s->factor ? s->factor[u] : 1,
                                      s->factor ? degree_factor(s, changes, u) : 1};
    }
}

static double dot(const cafe_reached *r, int64_t a, int64_t b) {
    const float *x = cafe_reached_row(r, a), *y = cafe_reached_row(r, b);
    double sum = 0;
    for (int64_t k = 0; k < r->columns; k++) sum += (double)x[k] * y[k];
    return sum;
}

/* strength_u grows by `more`, and s and the total with it. */
static void add_strength(const correction *c, int64_t u, int64_t place, double more) {
    cafe_update_state *s = c->state;
    const float *h = cafe_reached_row(c->reached, place);
    s->strength[u] += more;
    s->total += more;
    for (int64_t k = 0; k < s->columns; k++) s->s[k] += more * h[k];
}

/* As CAFE_LINK has it. */
static float weigh(float a, float u, float w) {
    return (float)(a * ((double)u * w));
}

/* The row of a node whose edges changed. An arc back to it from a node whose edges did not change
 * is counted here; other arcs are counted in their own rows. */
static cafe_status correct_row(const correction *c, const touched *t) {
    cafe_update_state *s = c->state;
    cafe_row_walk walk = cafe_row_of(c->reached->changes, t->node);
    cafe_entry e;
    int64_t u = t->node, place, other;
    double strength = 0, was = s->strength[u];
    CAFE_PASS(cafe_reach(c->reached, u, &place));
    while (cafe_row_next(&walk, &e)) {
        const touched *o = find_touched(c, e.w);
        float same = o || !s->factor ? 1 : s->factor[e.w];
        float before = weigh(e.before, t->before, o ? o->before : same);
        float after = weigh(e.after, t->after, o ? o->after : same);
        double more = (double)after - before;
        strength += after;
        if (more == 0) continue;
        CAFE_PASS(cafe_reach(c->reached, e.w, &other));
        s->energy += (o ? 1 : 2) * more * dot(c->reached, place, other);
        if (!o) add_strength(c, e.w, other, more);
    }
    add_strength(c, u, place, strength - was);
    s->strength[u] = strength; /* exactly 0 without edges */
    return CAFE_OK;
}

/* Solvers compute with 1/strength in floats, as check_degree() of the sampling has it. Sums that
 * are nearly gone have no digits left. */
static cafe_status check_sums(const correction *c, double before) {
    const cafe_update_state *s = c->state;
    if (!(s->total > 1e-6 * before))
        return cafe_fail(s->context, CAFE_ERROR_ARGUMENT,
                         "the changes leave less than a millionth of the weight of the old graph: "
                         "its vectors are no start");
    for (int64_t i = 0; i < c->count; i++) {
        double strength = s->strength[c->at[i].node];
        if (strength != 0 && !(strength >= 0x1p-100 && strength <= 0x1p100))
            return cafe_fail(s->context, CAFE_ERROR_ARGUMENT,
                             "the changed weights are too far from those of the old graph");
    }
    return CAFE_OK;
}

cafe_status cafe_state_correct(cafe_update_state *s, cafe_reached *reached, float *before) {
    cafe_status status = CAFE_OK;
    correction c = {.state = s, .reached = reached};
    double total = s->total;
    CAFE_PASS(carry(s, reached->changes));
    if (reached->changes->arc_count == 0) return CAFE_OK;
    c.at = cafe_mem(s->context, reached->changes->counts.touched, sizeof *c.at);
    CAFE_TRY(cafe_mem_had(c.at));
    list_touched(&c);
    for (int64_t i = 0; i < c.count; i++) CAFE_TRY(correct_row(&c, &c.at[i]));
    for (int64_t i = 0; s->factor && i < c.count; i++) {
        s->factor[c.at[i].node] = c.at[i].after;
        before[i] = c.at[i].before;
    }
    CAFE_TRY(check_sums(&c, total));
done:
    cafe_mem_free(s->context, c.at);
    return status;
}
