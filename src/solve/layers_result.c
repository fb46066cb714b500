/* The layers that are kept: nested partitions with their modularity; connected at the top. */
#include "base/memory.h"
#include "solve/layers.h"

/* ---- modularity ------------------------------------------------------------------------------ */

cafe_status cafe_layers_modularity(cafe_context *context, const cafe_pooled *g, double resolution,
                                   const int32_t *part, int64_t count, double *modularity) {
    double *mass = cafe_mem_zero(context, count, sizeof *mass), inside = 0, expected = 0;
    if (!mass) return CAFE_ERROR_MEMORY;
    for (int64_t u = 0; u < g->n; u++) {
        mass[part ? part[u] : u] += g->mass[u];
        inside += cafe_pooled_loop(g, u);
        if (!part) continue;
        for (int64_t j = g->offsets[u]; j < g->offsets[u + 1]; j++)
            if (g->targets[j] != u && part[g->targets[j]] == part[u])
                inside += cafe_pooled_weight(g, u, j);
    }
    for (int64_t i = 0; i < count; i++) expected += mass[i] * mass[i];
    *modularity = inside / g->total - resolution * expected;
    cafe_mem_free(context, mass);
    return cafe_check_cancel(context);
}

/* ---- the object ------------------------------------------------------------------------------ */

cafe_layers *cafe_layers_new(cafe_context *context, int64_t nodes) {
    cafe_layers *layers = cafe_mem_zero(context, 1, sizeof *layers);
    if (!layers) return NULL;
    layers->context = context;
    layers->nodes = nodes;
    return layers;
}

void cafe_layers_free(cafe_layers *layers) {
    if (!layers) return;
    for (int64_t i = 0; i < CAFE_MOST_LAYERS; i++) {
        cafe_mem_free_all(layers->context, (int32_t *)layers->at[i].partition,
                          (int32_t *)layers->at[i].parent);
    }
    cafe_mem_free(layers->context, layers);
}

int64_t cafe_layers_count(const cafe_layers *layers) {
    return layers->count;
}

const cafe_layer *cafe_layers_get(const cafe_layers *layers, int64_t index) {
    return &layers->at[index];
}

/* Which community of the next layer each community of layer i is in. */
static cafe_status set_parent(cafe_context *context, cafe_layers *layers, int64_t i,
                              const int32_t *next) {
    int32_t *parent = cafe_mem(context, layers->at[i].communities, sizeof *parent);
    if (!parent) return CAFE_ERROR_MEMORY;
    for (int64_t u = 0; u < layers->nodes; u++) parent[layers->at[i].partition[u]] = next[u];
    cafe_mem_free(context, (int32_t *)layers->at[i].parent);
    layers->at[i].parent = parent;
    return CAFE_OK;
}

cafe_status cafe_layers_add(cafe_context *context, cafe_layers *layers, const int32_t *group,
                            int64_t communities, double modularity) {
    int64_t i = layers->count;
    const int32_t *finer = i > 0 ? layers->at[i - 1].partition : NULL;
    int32_t *partition = cafe_mem(context, layers->nodes, sizeof *partition);
    if (!partition) return CAFE_ERROR_MEMORY;
    for (int64_t u = 0; u < layers->nodes; u++) partition[u] = group[finer ? finer[u] : u];
    layers->at[i].partition = partition;
    layers->at[i].communities = communities;
    layers->at[i].modularity = modularity;
    layers->count++;
    return i > 0 ? set_parent(context, layers, i - 1, partition) : CAFE_OK;
}

/* ---- connected communities ------------------------------------------------------------------- */

/* Numbers by first appearance the pieces in which each community of part hangs together. */
static int32_t find_pieces(const cafe_pooled *g, const int32_t *part, int32_t *piece,
                           int32_t *stack) {
    int32_t count = 0;
    for (int64_t u = 0; u < g->n; u++) piece[u] = -1;
    for (int64_t first = 0; first < g->n; first++) {
        int64_t height = 0;
        if (piece[first] >= 0) continue;
        piece[first] = count;
        stack[height++] = (int32_t)first;
        while (height > 0) {
            int32_t u = stack[--height];
            for (int64_t j = g->offsets[u]; j < g->offsets[u + 1]; j++) {
                int32_t w = g->targets[j];
                if (piece[w] >= 0 || part[w] != part[u]) continue;
                piece[w] = count;
                stack[height++] = w;
            }
        }
        count++;
    }
    return count;
}

cafe_status cafe_layers_connect(cafe_context *context, const cafe_pooled *g, double resolution,
                                cafe_layers *layers) {
    cafe_status status = CAFE_ERROR_MEMORY;
    int64_t top = layers->count - 1, count;
    int32_t *piece = cafe_mem(context, g->n, sizeof *piece);
    int32_t *stack = cafe_mem(context, g->n, sizeof *stack);
    if (!piece || !stack) goto done;
    status = CAFE_OK;
    count = find_pieces(g, layers->at[top].partition, piece, stack);
    if (count == layers->at[top].communities) goto done;
    CAFE_TRY(
        cafe_layers_modularity(context, g, resolution, piece, count, &layers->at[top].modularity));
    if (top > 0) CAFE_TRY(set_parent(context, layers, top - 1, piece));
    cafe_mem_free(context, (int32_t *)layers->at[top].partition);
    layers->at[top].partition = piece;
    piece = NULL;
    layers->at[top].communities = count;
done:
    cafe_mem_free_all(context, piece, stack);
    return status;
}
