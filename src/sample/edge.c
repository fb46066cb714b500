/* Edge sampling: P = A / 2m. An edge is drawn uniformly (by weight), and its two ends are u and w.
 *
 * Every other sampling ends here: as the edge sampling of a graph of its own pairs.
 */
#include <inttypes.h>

#include "base/memory.h"
#include "base/memory_limit.h"
#include "base/processes.h"
#include "base/thread_pool.h"
#include "graph/compressed_rows.h"
#include "graph/graph.h"
#include "sample/sampled_graph.h"

enum { BLOCK = 4096 };

/* The weight of the arc (u,w), 0 when there is none. */
static double arc(const cafe_sampled *s, int64_t u, int64_t w) {
    int64_t end = s->offsets[u + 1], at = cafe_row_find(s->targets, s->offsets[u], end, w);
    if (at == end || s->targets[at] != w) return 0;
    return CAFE_LINK(s, u, at);
}

/* Factors are prefetched, up to the edge `end`. */
static double degree(const cafe_sampled *s, int64_t u, int64_t end) {
    enum { AHEAD = 32 };
    double sum = 0;
    if (!s->factor) return cafe_row_sum(s->offsets, s->weights, u);
    for (int64_t j = s->offsets[u]; j < s->offsets[u + 1]; j++) {
        if (j + AHEAD < end) __builtin_prefetch(&s->factor[s->targets[j + AHEAD]]);
        sum += CAFE_LINK(s, u, j);
    }
    return sum;
}

static void fill_degrees(void *argument, int64_t first, int64_t last) {
    cafe_sampled *s = argument;
    for (int64_t u = first; u < last; u++) s->p[u] = degree(s, u, s->offsets[last]);
}

static void fill_loops(void *argument, int64_t first, int64_t last) {
    cafe_sampled *s = argument;
    for (int64_t u = first; u < last; u++) s->loops[u] = (float)arc(s, u, u);
}

/* Checks that 1/d_u and a(u,w)/d_u are within the range of floats, because solvers compute with
 * them. Weights of a graph always pass (graph/weight_scale.h); weights that a sampling makes may
 * fail. */
static cafe_status check_degree(cafe_context *context, double degree, int64_t u) {
    if (degree == 0 || (degree >= 0x1p-100 && degree <= 0x1p100)) return CAFE_OK;
    return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                     "node %" PRId64
                     " has the sampled degree %.6g: it lies between 2^-100 and "
                     "2^100, or is 0",
                     u, degree);
}

static void divide(void *argument, int64_t first, int64_t last) {
    cafe_sampled *s = argument;
    for (int64_t u = first; u < last; u++) s->p[u] /= s->total;
}

/* 2m, the sum of the degrees in node order. Edges of weight 1 are counted, so the sum is exact. */
static cafe_status add_degrees(cafe_context *context, cafe_sampled *s) {
    s->total = 0;
    if (!s->weights && !s->factor) s->total = (double)s->offsets[s->n];
    for (int64_t u = 0; (s->weights || s->factor) && u < s->n; u++) {
        CAFE_PASS(check_degree(context, s->p[u], u));
        s->total += s->p[u];
    }
    return CAFE_OK;
}

/* A number for each row, computed from its edges. */
typedef struct filling {
    cafe_sampled *sampled;
    cafe_range_task *task;
    int64_t first; /* row */
} filling;

static void fill_portion(void *argument, int64_t first, int64_t last) {
    const filling *f = argument;
    f->task(f->sampled, f->first + first, f->first + last);
}

/* Every process of a team computes the numbers of its rows. */
static cafe_status fill_shared(cafe_context *context, cafe_sampled *s, cafe_range_task *task,
                               void *numbers, size_t size) {
    int64_t *bounds = cafe_mem(context, cafe_team_ranks(context) + 1, sizeof *bounds);
    cafe_status status = cafe_team_agree(context, cafe_mem_had(bounds));
    if (status != CAFE_OK) goto done;
    cafe_team_bounds(context, s->n, s->offsets, 1, bounds);
    cafe_portion portion = cafe_team_portion(context, bounds);
    filling f = {s, task, portion.first};
    status = cafe_ranges(context, portion.last - portion.first, BLOCK, fill_portion, &f);
    CAFE_TRY(cafe_team_agree(context, status));
    CAFE_TRY(cafe_team_fill(context, numbers, size, bounds));
    cafe_trim_graphs(context); /* a sweep reads other rows */
done:
    cafe_mem_free(context, bounds);
    return status;
}

/* Without weights and factors the degrees follow from the offsets. */
cafe_status cafe_sampled_degrees(cafe_context *context, cafe_sampled *s) {
    if (s->common && (s->weights || s->factor))
        return fill_shared(context, s, fill_degrees, s->p, sizeof *s->p);
    return cafe_ranges(context, s->n, BLOCK, fill_degrees, s);
}

static cafe_status find_loops(cafe_context *context, cafe_sampled *s) {
    if (!s->loops) return CAFE_OK;
    if (s->common) return fill_shared(context, s, fill_loops, s->loops, sizeof *s->loops);
    return cafe_ranges(context, s->n, BLOCK, fill_loops, s);
}

/* p_u = d_u / 2m */
cafe_status cafe_sampled_fill(cafe_context *context, cafe_degrees *degrees, cafe_sampled *s) {
    CAFE_PASS(degrees(context, s));
    CAFE_PASS(find_loops(context, s));
    CAFE_PASS(add_degrees(context, s));
    return cafe_ranges(context, s->n, BLOCK, divide, s);
}

static cafe_status fill(cafe_context *context, const cafe_graph *graph, cafe_sampled *s) {
    s->p = cafe_mem(context, s->n, sizeof *s->p);
    if (!s->p) return CAFE_ERROR_MEMORY;
    cafe_mem_touch(context, s->p);
    if (graph->counts.self_loops_kept && graph->counts.self_loops > 0) {
        s->loops = cafe_mem(context, s->n, sizeof *s->loops);
        if (!s->loops) return CAFE_ERROR_MEMORY;
        cafe_mem_touch(context, s->loops);
    }
    return cafe_sampled_fill(context, cafe_sampled_degrees, s);
}

/* ---- the object ------------------------------------------------------------------------------ */

cafe_status cafe_sampled_of(cafe_context *context, const cafe_graph *graph, float *weights,
                            cafe_sampling sampling, cafe_sampled **sampled) {
    *sampled = NULL;
    cafe_sampled *s = cafe_mem_zero(context, 1, sizeof *s);
    if (!s) {
        cafe_mem_free(context, weights);
        return CAFE_ERROR_MEMORY;
    }
    s->context = context;
    s->sampling = sampling;
    s->n = graph->n;
    s->offsets = graph->offsets;
    s->targets = graph->targets;
    s->weights = weights ? weights : graph->scaled;
    s->twisted = weights;
    s->common = graph->common;
    s->info = (cafe_sampled_info){.sampling = sampling, .entries = graph->arcs, .exact = 1};
    cafe_status status = fill(context, graph, s);
    if (status == CAFE_OK)
        *sampled = s;
    else
        cafe_sampled_free(s);
    return status;
}

cafe_status cafe_sampled_adopt(cafe_context *context, cafe_graph *own, cafe_sampling sampling,
                               cafe_sampled **sampled) {
    own->counts.self_loops_kept = 1;
    own->scaled = own->weights; /* weights of sampled pairs may have any scale */
    cafe_status status = cafe_sampled_of(context, own, NULL, sampling, sampled);
    if (status == CAFE_OK)
        (*sampled)->own = own;
    else
        cafe_graph_free(own);
    return status;
}

void cafe_sampled_free(cafe_sampled *sampled) {
    if (!sampled) return;
    cafe_let_go(sampled->context, &sampled->held);
    cafe_mem_free_all(sampled->context, sampled->p, sampled->loops, sampled->twisted,
                      sampled->factor);
    cafe_graph_free(sampled->own);
    cafe_mem_free(sampled->context, sampled);
}

int64_t cafe_sampled_nodes(const cafe_sampled *sampled) {
    return sampled->n;
}

double cafe_sampled_pair(const cafe_sampled *sampled, int64_t u, int64_t w) {
    return arc(sampled, u, w) / sampled->total;
}

double cafe_sampled_node(const cafe_sampled *sampled, int64_t u) {
    return sampled->p[u];
}

const cafe_sampled_info *cafe_sampled_get_info(const cafe_sampled *sampled) {
    return &sampled->info;
}
