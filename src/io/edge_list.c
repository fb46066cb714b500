/* The store of links, and the ways from it to a graph. */
#include "io/edge_list.h"

#include <string.h>

#include "base/memory.h"

void cafe_edge_list_init(cafe_context *context, const char *name, bool wide, bool weighted,
                         cafe_edge_list *links) {
    *links = (cafe_edge_list){.context = context, .name = name, .wide = wide};
    links->weighted = weighted;
    links->smallest = INT64_MAX;
    links->largest = INT64_MIN;
}

void cafe_edge_list_free(cafe_edge_list *links) {
    cafe_mem_free(links->context, links->source);
    cafe_mem_free(links->context, links->target);
    cafe_mem_free(links->context, links->weights);
    links->source = links->target = links->weights = NULL;
    links->count = links->capacity = 0;
}

static bool grow(cafe_edge_list *links, void **block, int64_t capacity, size_t size) {
    void *larger = cafe_mem_resize(links->context, *block, capacity, size);
    if (larger) *block = larger;
    return larger != NULL;
}

cafe_status cafe_edge_list_reserve(cafe_edge_list *links, int64_t more, double share) {
    int64_t need = links->count + more;
    if (need <= links->capacity) return CAFE_OK;
    /* The rest of the file is taken to be like its beginning, so that one block mostly does. */
    double guess = share < 1 ? (double)need / share * 1.02 : (double)need;
    int64_t capacity = guess > (double)need && guess < 1e15 ? (int64_t)guess : need;
    size_t size = links->wide ? sizeof(int64_t) : sizeof(int32_t);
    if (!grow(links, &links->source, capacity, size) ||
        !grow(links, &links->target, capacity, size))
        return CAFE_ERROR_MEMORY;
    if (links->weighted) {
        void *weights = links->weights;
        if (!grow(links, &weights, capacity, sizeof(float))) return CAFE_ERROR_MEMORY;
        links->weights = weights;
    }
    links->capacity = capacity;
    return CAFE_OK;
}

static void shift(void *block, int64_t to, int64_t from, int64_t count, size_t size) {
    memmove((char *)block + (size_t)to * size, (char *)block + (size_t)from * size,
            (size_t)count * size);
}

void cafe_edge_list_append(cafe_edge_list *links, const cafe_piece *pieces, const int64_t *found) {
    int64_t base = links->count;
    size_t size = links->wide ? sizeof(int64_t) : sizeof(int32_t);
    for (int k = 0; k < CAFE_TEXT_PIECES; k++) {
        int64_t from = base + pieces[k].before;
        if (from != links->count && found[k] > 0) {
            shift(links->source, links->count, from, found[k], size);
            shift(links->target, links->count, from, found[k], size);
            if (links->weighted) shift(links->weights, links->count, from, found[k], sizeof(float));
        }
        links->count += found[k];
    }
}

static void free_names(cafe_context *context, cafe_names *names) {
    cafe_mem_free(context, (void *)names->integers);
    cafe_mem_free(context, (void *)names->start);
    cafe_mem_free(context, (void *)names->text);
}

cafe_status cafe_edge_list_graph(cafe_edge_list *links, int64_t nodes, cafe_names names,
                                 const cafe_graph_options *options, cafe_graph **graph) {
    cafe_status status = cafe_graph_from_edges(links->context, nodes, links->count, links->source,
                                               links->target, links->weights, options, graph);
    if (status == CAFE_OK)
        cafe_graph_adopt_names(*graph, names);
    else
        free_names(links->context, &names);
    cafe_edge_list_free(links);
    return status;
}

/* offsets[u+1] counts row u, then becomes its start, and at last, moved on by each entry, its end:
 * which is offsets[u+1] of the compressed rows. */
static cafe_status compress(const cafe_edge_list *links, int64_t nodes, int64_t *offsets,
                            int32_t *targets, float *weights) {
    const int32_t *source = links->source, *target = links->target;
    cafe_status status = CAFE_OK;
    memset(offsets, 0, (size_t)(nodes + 2) * sizeof *offsets);
    for (int64_t i = 0; i < links->count; i++) offsets[source[i] + 2]++;
    CAFE_TRY(cafe_check_cancel(links->context));
    for (int64_t u = 0; u < nodes; u++) offsets[u + 2] += offsets[u + 1];
    CAFE_TRY(cafe_check_cancel(links->context));
    for (int64_t i = 0; i < links->count; i++) {
        int64_t at = offsets[source[i] + 1]++;
        targets[at] = target[i];
        if (weights) weights[at] = links->weights[i];
    }
    status = cafe_check_cancel(links->context);
done:
    return status;
}

cafe_status cafe_edge_list_matrix(cafe_edge_list *links, int64_t nodes,
                                  const cafe_graph_options *options, cafe_graph **graph) {
    cafe_context *context = links->context;
    cafe_status status = CAFE_ERROR_MEMORY;
    int64_t *offsets = cafe_mem(context, nodes + 2, sizeof *offsets);
    int32_t *targets = offsets ? cafe_mem(context, links->count, sizeof *targets) : NULL;
    float *weights = NULL;
    if (targets && links->weighted) weights = cafe_mem(context, links->count, sizeof *weights);
    if (!targets || (links->weighted && !weights)) goto done;
    CAFE_TRY(compress(links, nodes, offsets, targets, weights));
    cafe_edge_list_free(links);
    status = cafe_rows_graph(context, nodes, offsets, targets, weights, options, graph);
    offsets = NULL;
    targets = NULL;
    weights = NULL;
done:
    cafe_mem_free(context, offsets);
    cafe_mem_free(context, targets);
    cafe_mem_free(context, weights);
    cafe_edge_list_free(links);
    return status;
}

cafe_status cafe_rows_graph(cafe_context *context, int64_t nodes, int64_t *offsets,
                            int32_t *targets, float *weights, const cafe_graph_options *options,
                            cafe_graph **graph) {
    *graph = NULL;
    cafe_status status =
        cafe_graph_from_csr(context, nodes, offsets, targets, weights, 1, options, graph);
    cafe_graph *g = *graph;
    bool kept_weights = g && g->weights == weights && weights;
    if (g && g->offsets == offsets && g->targets == targets) {
        g->owns_rows = true; /* borrowed as they are: from now on the graph's own */
    } else {
        cafe_mem_free(context, offsets);
        cafe_mem_free(context, targets);
        kept_weights = false;
    }
    if (!kept_weights) cafe_mem_free(context, weights);
    return status;
}
