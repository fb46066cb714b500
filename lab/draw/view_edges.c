/* The edges of a page: for every point the points of larger number that it is linked to, ascending,
 * as differences. Along the curve near points have near numbers, so that most differences are
 * small.
 */
#include <string.h>

#include "base/memory.h"
#include "draw/view.h"
#include "graph/builder.h"
#include "graph/graph.h"

typedef struct links {
    int64_t count;
    uint32_t *degree; /* edges of each point to points of larger number */
    int64_t *start;
    uint32_t *target; /* later: the differences */
    uint32_t *weight; /* the bits of the floats; NULL: all 1 */
    uint32_t *way;    /* 1: an arc from the smaller point, 2: one to it; NULL: not known */
} links;

/* Counts the very arcs that fill_links() stores, from their larger ends: rows that are not
 * symmetric then have their room, too. */
static void count_links(const cafe_view *page, links *l) {
    const cafe_graph *g = page->graph;
    for (int64_t w = 0; w < g->n; w++)
        for (int64_t a = g->offsets[w]; a < g->offsets[w + 1]; a++) {
            int64_t i = page->rank[g->targets[a]];
            if (i <= page->rank[w]) l->degree[i]++, l->count++;
        }
}

/* Going through the larger ends in ascending order leaves every list ascending. */
static void fill_links(const cafe_view *page, links *l) {
    const cafe_graph *g = page->graph;
    for (int64_t j = 0; j < page->n; j++) {
        int64_t w = page->order[j];
        for (int64_t a = g->offsets[w]; a < g->offsets[w + 1]; a++) {
            int64_t i = page->rank[g->targets[a]];
            if (i > j) continue;
            int64_t at = l->start[i]++;
            l->target[at] = (uint32_t)j;
            if (l->way)
                l->way[at] = (uint32_t)(cafe_graph_has_arc(g, g->targets[a], w) +
                                        2 * cafe_graph_has_arc(g, w, g->targets[a]));
            if (l->weight) memcpy(&l->weight[at], &g->weights[a], sizeof *l->weight);
        }
    }
}

static void take_differences(int64_t n, links *l) {
    int64_t at = 0;
    for (int64_t i = 0; i < n; i++) {
        uint32_t last = (uint32_t)i;
        for (int64_t end = at + l->degree[i]; at < end; at++) {
            uint32_t target = l->target[at];
            l->target[at] = target - last;
            last = target;
        }
    }
}

static cafe_status make_links(const cafe_view *page, links *l) {
    cafe_context *context = page->context;
    l->degree = cafe_mem_zero(context, page->n, sizeof *l->degree);
    l->start = cafe_mem(context, page->n + 1, sizeof *l->start);
    if (!l->degree || !l->start) return CAFE_ERROR_MEMORY;
    count_links(page, l);
    l->target = cafe_mem(context, l->count, sizeof *l->target);
    if (page->graph->weights) l->weight = cafe_mem(context, l->count, sizeof *l->weight);
    if (page->graph->digraph) l->way = cafe_mem(context, l->count, sizeof *l->way);
    if (!l->target || (page->graph->weights && !l->weight) || (page->graph->digraph && !l->way))
        return CAFE_ERROR_MEMORY;
    l->start[0] = 0;
    for (int64_t i = 0; i < page->n; i++) l->start[i + 1] = l->start[i] + l->degree[i];
    fill_links(page, l);
    take_differences(page->n, l);
    return CAFE_OK;
}

/* All or nothing: lists without their ends or weights would show wrong edges. */
static cafe_status add_arrays(cafe_view *page, const links *l) {
    bool all = page->options->links == CAFE_VIEW_LINKS_ALL, kept = false;
    int64_t first = page->sections;
    int64_t limit = all ? -1 : INT64_MAX;
    cafe_view_section degree = {.name = "link-counts"}, target = {.name = "link-ends"},
                      weight = {.name = "link-weights"}, way = {.name = "link-ways"};
    CAFE_PASS(cafe_view_add(page, degree, l->degree, NULL, page->n, limit, &kept));
    if (kept) CAFE_PASS(cafe_view_add(page, target, l->target, NULL, l->count, limit, &kept));
    if (kept && l->weight)
        CAFE_PASS(cafe_view_add(page, weight, l->weight, NULL, l->count, limit, &kept));
    if (kept && l->way) CAFE_PASS(cafe_view_add(page, way, l->way, NULL, l->count, limit, &kept));
    if (kept) page->report.links = l->count;
    if (!kept) cafe_view_drop(page, first);
    return CAFE_OK;
}

cafe_status cafe_view_add_links(cafe_view *page) {
    links l = {0};
    bool all = page->options->links == CAFE_VIEW_LINKS_ALL;
    cafe_status status = CAFE_OK;
    if (page->options->links == CAFE_VIEW_LINKS_NONE) return CAFE_OK;
    /* an edge takes at least a byte, so edges that cannot fit are not packed */
    if (!all && page->graph->counts.edges > cafe_view_left(page)) return CAFE_OK;
    CAFE_TRY(make_links(page, &l));
    CAFE_TRY(cafe_check_cancel(page->context));
    CAFE_TRY(add_arrays(page, &l));
done:
    cafe_mem_free_all(page->context, l.degree, l.start, l.target, l.weight, l.way);
    return status;
}
