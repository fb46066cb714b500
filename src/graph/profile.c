/* Figures of a graph beyond its counts: quantiles of the degrees, weights, names, sides. */

#include "base/memory.h"
#include "base/option.h"
#include "graph/graph.h"

/* The smallest degree that at least `share` of the nodes do not exceed, from how many nodes have
 * each degree. */
static int64_t quantile(const int64_t *having, int64_t nodes, double share) {
    int64_t degree = 0, seen = having[0];
    while ((double)seen < share * (double)nodes) seen += having[++degree];
    return degree;
}

static cafe_status find_degrees(cafe_context *context, const cafe_graph *g, cafe_graph_profile *p) {
    int64_t longest = 0;
    if (g->n == 0) return CAFE_OK;
    for (int64_t u = 0; u < g->n; u++)
        if (g->offsets[u + 1] - g->offsets[u] > longest)
            longest = g->offsets[u + 1] - g->offsets[u];
    int64_t *having = cafe_mem_zero(context, longest + 1, sizeof *having);
    if (!having) return CAFE_ERROR_MEMORY;
    for (int64_t u = 0; u < g->n; u++) having[g->offsets[u + 1] - g->offsets[u]]++;
    p->mean_degree = (double)g->arcs / (double)g->n;
    p->median_degree = quantile(having, g->n, 0.5);
    p->high_degree = quantile(having, g->n, 0.99);
    cafe_mem_free(context, having);
    return CAFE_OK;
}

static void find_weights(const cafe_graph *g, cafe_graph_profile *p) {
    size_t each = sizeof *g->targets + (g->weights ? sizeof(float) : 0) +
                  (g->scaled_copy ? sizeof(float) : 0);
    p->row_bytes = (g->n + 1) * (int64_t)sizeof *g->offsets + g->arcs * (int64_t)each;
    p->least_weight = p->most_weight = g->arcs == 0 ? 0 : g->weights ? g->weights[0] : 1;
    for (int64_t i = 1; g->weights && i < g->arcs; i++) {
        if (g->weights[i] < p->least_weight) p->least_weight = g->weights[i];
        if (g->weights[i] > p->most_weight) p->most_weight = g->weights[i];
    }
}

static cafe_status find_sides(cafe_context *context, const cafe_graph *g, cafe_graph_profile *p) {
    int8_t *side = cafe_mem(context, g->n, sizeof *side);
    if (!side) return CAFE_ERROR_MEMORY;
    cafe_status status = cafe_graph_sides(context, g, side, &p->bipartite);
    for (int64_t u = 0; u < g->n && status == CAFE_OK && p->bipartite; u++)
        if (side[u] >= 0) ++*(side[u] ? &p->second_side : &p->first_side);
    cafe_mem_free(context, side);
    return status;
}

/* String names may still look like integers, if the file has other names too. */
static const char *kind_of_names(const cafe_graph *g) {
    const cafe_names *names = &g->names;
    if (names->kind == CAFE_NAMES_INDEX) return "indices";
    for (int64_t u = 0; u < g->n && names->kind == CAFE_NAMES_STRING; u++) {
        const char *at = names->text + names->start[u], *end = names->text + names->start[u + 1];
        if (at < end && *at == '-') at++;
        if (at == end) return "strings";
        for (; at < end; at++)
            if (*at < '0' || *at > '9') return "strings";
    }
    return "integers";
}

cafe_status cafe_graph_describe_sized(cafe_context *context, const cafe_graph *graph,
                                      cafe_graph_profile *profile, size_t size) {
    cafe_graph_profile found = {.names = kind_of_names(graph)};
    cafe_status status = CAFE_OK;
    CAFE_TRY(find_degrees(context, graph, &found));
    find_weights(graph, &found);
    CAFE_TRY(find_sides(context, graph, &found));
done:
    if (status == CAFE_OK) cafe_struct_give(&found, sizeof found, profile, size);
    return status;
}
