/* The communities of a changed graph from those before: near the changes if these are few, else by
 * a search of the whole graph that starts from them.
 *
 *     sums      degrees of nodes and communities, by a pass over the nodes
 *     move      nodes with changed edges, and on from there        (update/community_moves.c)
 *     part      communities that fell apart                       (update/community_parts.c)
 *     search    some communities whose edges changed, once more    (update/community_search.c)
 *     numbers   those of the communities that go on                (update/community_numbers.c)
 */
#include "update/community_update.h"

#include <string.h>

#include "base/memory.h"
#include "base/thread_pool.h"
#include "io/graph_writer.h"
#include "sample/sampled_graph.h"
#include "solve/layers_start.h"
#include "update/changed_rows.h"
#include "update/community_numbers.h"

enum { BLOCK = 4096, PASSES = 8 };

/* Arcs searched again for each one that changed; the whole graph is searched if these are half of
 * all arcs. */
static const double share = 20;

struct cafe_regrouped {
    cafe_context *context;
    int32_t *numbers; /* of the communities before, ascending */
    int32_t *before, *after, *number, *partition;
    uint8_t *continued;
    cafe_transition *transition;
    cafe_regrouped_report report;
};

void cafe_regrouped_free(cafe_regrouped *regrouped) {
    if (!regrouped) return;
    cafe_transition_free(regrouped->transition);
    cafe_mem_free_all(regrouped->context, regrouped->numbers, regrouped->before, regrouped->after,
                      regrouped->number, regrouped->partition, regrouped->continued, regrouped);
}

const cafe_regrouped_report *cafe_regrouped_get(const cafe_regrouped *regrouped) {
    return &regrouped->report;
}

cafe_status cafe_regrouped_write(cafe_context *context, const cafe_regrouped *regrouped,
                                 const cafe_changes *changes, const char *path, int32_t overwrite) {
    cafe_partition_columns columns = {.partition = regrouped->partition};
    return cafe_partition_write(context, changes->graph, &columns, path, overwrite);
}

/* ---- sums ------------------------------------------------------------------------------------ */

/* d_u before the changes, in the unit of the scaled weights. */
static void sum_rows(void *argument, int64_t first, int64_t last) {
    cafe_regrouping *r = argument;
    const cafe_graph *old = r->changes->old;
    for (int64_t u = first; u < last; u++) {
        int32_t from = r->changes->origin[u];
        int64_t row = from < 0 ? 0 : old->offsets[from],
                end = from < 0 ? 0 : old->offsets[from + 1];
        double sum = old->scaled ? 0 : (double)(end - row);
        for (int64_t j = row; old->scaled && j < end; j++) sum += old->scaled[j];
        r->degree[u] = sum;
    }
}

/* Adds the changes to the degrees, and to the communities of their ends. */
static void add_changes(cafe_regrouping *r) {
    const cafe_changes *c = r->changes;
    for (int64_t i = 0; i < c->arc_count; i++) {
        const cafe_changed_arc *arc = &c->arcs[i];
        if (arc->u >= r->n) continue;
        double before = cafe_graph_to_scaled(c->old, arc->before);
        double after = cafe_graph_to_scaled(c->old, arc->after);
        r->degree[arc->u] += after - before;
        r->shift[r->part[arc->u]] += after > before ? after - before : before - after;
    }
}

/* Nodes without a community are alone. */
static void place_alone(cafe_regrouping *r) {
    for (int64_t u = 0; u < r->n; u++)
        if (r->part[u] < 0) r->part[u] = (int32_t)r->count++;
}

static void sum_communities(cafe_regrouping *r) {
    for (int64_t u = 0; u < r->n; u++) {
        r->mass[r->part[u]] += r->degree[u];
        r->size[r->part[u]]++;
        r->total += r->degree[u];
    }
}

static cafe_status prepare(cafe_regrouping *r) {
    cafe_context *context = r->context;
    const cafe_changes *c = r->changes;
    int64_t n = r->n, most = 0;
    r->degree = cafe_mem(context, n, sizeof *r->degree);
    r->mass = cafe_mem_zero(context, n, sizeof *r->mass);
    r->size = cafe_mem_zero(context, n, sizeof *r->size);
    r->shift = cafe_mem_zero(context, n, sizeof *r->shift);
    r->empty = cafe_mem(context, n, sizeof *r->empty);
    r->queue = cafe_mem(context, n, sizeof *r->queue);
    r->queued = cafe_mem_zero(context, n, sizeof *r->queued);
    for (int64_t u = 0; u < c->old->n; u++) {
        int64_t row = c->old->offsets[u + 1] - c->old->offsets[u];
        most = row > most ? row : most;
    }
    most += c->arc_count + 1;
    r->bins = cafe_bins_new(context, 1, most < n ? most : n, n);
    CAFE_PASS(cafe_mem_had(r->degree, r->mass, r->size, r->shift, r->empty, r->queue, r->queued,
                           r->bins));
    CAFE_PASS(cafe_ranges(context, n, BLOCK, sum_rows, r));
    place_alone(r);
    add_changes(r);
    sum_communities(r);
    return CAFE_OK;
}

static void release(cafe_regrouping *r) {
    cafe_bins_free(r->context, r->bins, 1);
    cafe_mem_free_all(r->context, r->leavers, r->degree, r->mass, r->size, r->shift, r->empty,
                      r->queue, r->queued);
}

/* ---- near the changes, or everywhere --------------------------------------------------------- */

static cafe_status regroup_near(cafe_context *context, const cafe_changes *changes,
                                cafe_regrouped *d) {
    cafe_regrouping r = {.context = context, .changes = changes, .n = changes->graph->n};
    cafe_status status = CAFE_OK;
    int64_t count;
    r.part = d->after;
    for (int64_t u = 0; u < r.n; u++)
        r.count = r.part[u] >= r.count ? (int64_t)r.part[u] + 1 : r.count;
    CAFE_TRY(prepare(&r));
    cafe_regroup_begin(&r);
    for (int i = 0; i < PASSES && r.waiting > 0; i++) {
        CAFE_TRY(cafe_regroup_move(&r));
        CAFE_TRY(cafe_regroup_part(&r));
    }
    CAFE_TRY(cafe_regroup_search(&r, share));
    d->report.visits = r.visits;
    status = cafe_groups_number(context, r.n, d->after, &count);
done:
    release(&r);
    return status;
}

static cafe_status regroup_all(cafe_context *context, cafe_changes *changes, cafe_regrouped *d) {
    cafe_layers_start start = {.part = d->before, .steady = true};
    cafe_status status = CAFE_OK;
    cafe_sampled *sampled = NULL;
    cafe_operator *op = NULL;
    cafe_layers *layers = NULL;
    const cafe_graph *graph = cafe_changes_graph(changes);
    d->report.whole = 1;
    CAFE_PASS(graph ? CAFE_OK : CAFE_ERROR_MEMORY);
    CAFE_TRY(cafe_update_sample(context, graph, 0, &sampled));
    CAFE_TRY(cafe_operator_modularity(context, sampled, &op));
    CAFE_TRY(cafe_layers_find_from(context, op, NULL, &start, &layers));
    const cafe_layer *top = cafe_layers_get(layers, cafe_layers_count(layers) - 1);
    memcpy(d->after, top->partition, (size_t)graph->n * sizeof *d->after);
done:
    cafe_layers_free(layers);
    cafe_operator_free(op);
    cafe_sampled_free(sampled);
    return status;
}

/* Few changes, of a graph that has edges before and after. */
static bool are_few(const cafe_changes *c) {
    return share * (double)c->arc_count < 0.5 * (double)c->old->arcs;
}

/* ---- numbers --------------------------------------------------------------------------------- */

static void count_nodes(const int32_t *start, int64_t n, cafe_regrouped *d) {
    for (int64_t u = 0; u < n; u++) {
        d->partition[u] = d->number[d->after[u]];
        d->report.kept += start[u] >= 0 && start[u] == d->partition[u];
        d->report.moved += start[u] >= 0 && start[u] != d->partition[u];
    }
}

static cafe_status number(cafe_context *context, int64_t n, const int32_t *start,
                          cafe_regrouped *d) {
    CAFE_PASS(cafe_transition_find(context, n, d->before, d->after, NULL, NULL, &d->transition));
    const cafe_transition_report *t = cafe_transition_get(d->transition);
    cafe_numbering numbering = {
        .nodes = n, .start = d->before, .part = d->after, .changes = t, .before = d->numbers};
    d->continued = cafe_mem_zero(context, t->old_count, sizeof *d->continued);
    d->number = cafe_mem(context, t->new_count, sizeof *d->number);
    d->partition = cafe_mem(context, n, sizeof *d->partition);
    CAFE_PASS(cafe_mem_had(d->continued, d->number, d->partition));
    CAFE_PASS(cafe_communities_number(context, &numbering, d->continued, d->number));
    count_nodes(start, n, d);
    d->report.after = d->after;
    d->report.number = d->number;
    d->report.partition = d->partition;
    return CAFE_OK;
}

/* ---- the call -------------------------------------------------------------------------------- */

static cafe_status check(cafe_context *context, int64_t n, const int32_t *start) {
    for (int64_t u = 0; u < n; u++)
        if (start[u] < -1 || start[u] > INT32_MAX - 1 - (int32_t)n)
            return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                             "node %lld starts in community %d: numbers from 0 to %d, or -1",
                             (long long)u, (int)start[u], INT32_MAX - 1 - (int32_t)n);
    return CAFE_OK;
}

cafe_status cafe_communities_update(cafe_context *context, cafe_changes *changes,
                                    const int32_t *start, cafe_regrouped **regrouped) {
    cafe_status status = CAFE_OK;
    int64_t n = changes->graph->n, count;
    cafe_regrouped *d = NULL;
    *regrouped = NULL;
    cafe_phase(context, "communities", 0);
    CAFE_TRY(check(context, n, start));
    d = cafe_mem_zero(context, 1, sizeof *d);
    CAFE_TRY(cafe_mem_had(d));
    d->context = context;
    CAFE_TRY(cafe_communities_dense(context, n, start, &d->numbers, &count, &d->before));
    d->after = cafe_mem(context, n, sizeof *d->after);
    CAFE_TRY(cafe_mem_had(d->after));
    memcpy(d->after, d->before, (size_t)n * sizeof *d->after);
    CAFE_TRY(are_few(changes) ? regroup_near(context, changes, d)
                              : regroup_all(context, changes, d));
    CAFE_TRY(number(context, n, start, d));
    *regrouped = d;
    d = NULL;
done:
    cafe_regrouped_free(d);
    return status;
}
