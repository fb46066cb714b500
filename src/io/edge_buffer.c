/* The store of edges, and the ways from it to a graph. */
#include "io/edge_buffer.h"

#include <string.h>

#include "base/memory.h"
#include "graph/graph.h"

enum { MOST_GROWTH = 8 };   /* of the store at a time */
enum { STRETCH = 1 << 22 }; /* edges between two checks of the cancel flag */

void cafe_edge_list_init(cafe_context *context, const char *name, bool wide, bool weighted,
                         cafe_edge_list *list) {
    *list = (cafe_edge_list){.context = context, .name = name, .wide = wide};
    list->weighted = weighted;
    list->smallest = INT64_MAX;
    list->largest = INT64_MIN;
}

void cafe_edge_list_free(cafe_edge_list *list) {
    cafe_mem_free_all(list->context, list->source, list->target, list->weights);
    list->source = list->target = list->weights = NULL;
    list->count = list->capacity = 0;
}

static bool grow(cafe_edge_list *list, void **block, int64_t capacity, size_t size) {
    void *larger = cafe_mem_resize(list->context, *block, capacity, size);
    if (larger) *block = larger;
    return larger != NULL;
}

cafe_status cafe_edge_list_reserve(cafe_edge_list *list, int64_t more, double share) {
    int64_t need = list->count + more;
    if (need <= list->capacity) return CAFE_OK;
    /* The rest of the file is taken to be like its beginning, so that a block or two mostly do. */
    double guess = share < 1 ? (double)need / share * 1.02 : (double)need;
    int64_t capacity =
        guess < (double)MOST_GROWTH * (double)need ? (int64_t)guess : MOST_GROWTH * need;
    if (capacity < need) capacity = need;
    size_t size = list->wide ? sizeof(int64_t) : sizeof(int32_t);
    if (!grow(list, &list->source, capacity, size) || !grow(list, &list->target, capacity, size))
        return CAFE_ERROR_MEMORY;
    if (list->weighted) {
        void *weights = list->weights;
        if (!grow(list, &weights, capacity, sizeof(float))) return CAFE_ERROR_MEMORY;
        list->weights = weights;
    }
    list->capacity = capacity;
    return CAFE_OK;
}

static void shift(void *block, int64_t to, int64_t from, int64_t count, size_t size) {
    memmove((char *)block + (size_t)to * size, (char *)block + (size_t)from * size,
            (size_t)count * size);
}

void cafe_edge_list_append(cafe_edge_list *list, const cafe_piece *pieces, const int64_t *found) {
    int64_t base = list->count;
    size_t size = list->wide ? sizeof(int64_t) : sizeof(int32_t);
    for (int k = 0; k < CAFE_TEXT_PIECES; k++) {
        int64_t from = base + pieces[k].before;
        if (from != list->count && found[k] > 0) {
            shift(list->source, list->count, from, found[k], size);
            shift(list->target, list->count, from, found[k], size);
            if (list->weighted) shift(list->weights, list->count, from, found[k], sizeof(float));
        }
        list->count += found[k];
    }
}

cafe_status cafe_edge_list_graph(cafe_edge_list *list, int64_t nodes, cafe_names names,
                                 const cafe_graph_options *options, cafe_graph **graph) {
    cafe_graph_options o = *options;
    /* the list has lines twice, which are folded: it is not one with each edge once a direction */
    if (o.duplicates == CAFE_DUPLICATES_AUTO && list->folded[CAFE_FOLDED_LINKS] > 0 && list->sum)
        o.duplicates = CAFE_DUPLICATES_SUM;
    cafe_status status = cafe_graph_from_edges(list->context, nodes, list->count, list->source,
                                               list->target, list->weights, &o, graph);
    if (status == CAFE_OK) {
        cafe_edge_list_tell(list, options->self_loops == CAFE_LOOPS_KEEP, *graph);
        cafe_graph_adopt_names(*graph, names);
    } else {
        cafe_names_free(list->context, &names);
    }
    cafe_edge_list_free(list);
    return status;
}

typedef struct compressing {
    const cafe_edge_list *list;
    int64_t *offsets;
    int32_t *targets;
    float *weights;
} compressing;

static void count_stretch(compressing *c, int64_t begin, int64_t end) {
    const int32_t *source = c->list->source;
    for (int64_t i = begin; i < end; i++) c->offsets[source[i] + 2]++;
}

static void place_stretch(compressing *c, int64_t begin, int64_t end) {
    const int32_t *source = c->list->source, *target = c->list->target;
    for (int64_t i = begin; i < end; i++) {
        int64_t at = c->offsets[source[i] + 1]++;
        c->targets[at] = target[i];
        if (c->weights) c->weights[at] = c->list->weights[i];
    }
}

static cafe_status in_stretches(compressing *c, void (*step)(compressing *, int64_t, int64_t)) {
    cafe_status status = CAFE_OK;
    for (int64_t i = 0; i < c->list->count && status == CAFE_OK; i += STRETCH) {
        step(c, i, c->list->count - i < STRETCH ? c->list->count : i + STRETCH);
        status = cafe_check_cancel(c->list->context);
    }
    return status;
}

/* offsets[u+2] counts row u; the sums make offsets[u+1] its start; and, moved on by each entry that
 * is placed, offsets[u+1] is in the end where the row ends. */
static cafe_status compress(compressing *c, int64_t nodes) {
    memset(c->offsets, 0, (size_t)(nodes + 2) * sizeof *c->offsets);
    CAFE_PASS(in_stretches(c, count_stretch));
    for (int64_t u = 0; u < nodes; u++) c->offsets[u + 2] += c->offsets[u + 1];
    return in_stretches(c, place_stretch);
}

cafe_status cafe_edge_list_matrix(cafe_edge_list *list, int64_t nodes,
                                  const cafe_graph_options *options, cafe_graph **graph) {
    cafe_context *context = list->context;
    cafe_status status = CAFE_ERROR_MEMORY;
    int64_t *offsets = cafe_mem(context, nodes + 2, sizeof *offsets);
    int32_t *targets = offsets ? cafe_mem(context, list->count, sizeof *targets) : NULL;
    float *weights = NULL;
    if (targets && list->weighted) weights = cafe_mem(context, list->count, sizeof *weights);
    if (!targets || (list->weighted && !weights)) goto done;
    CAFE_TRY(compress(&(compressing){list, offsets, targets, weights}, nodes));
    cafe_edge_list_free(list);
    status = cafe_rows_graph(context, nodes, offsets, targets, weights, options, graph);
    offsets = NULL;
    targets = NULL;
    weights = NULL;
done:
    cafe_mem_free_all(context, offsets, targets, weights);
    cafe_edge_list_free(list);
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
        g->owns_rows = true; /* borrowed without change: from now on they belong to the graph */
    } else {
        cafe_mem_free_all(context, offsets, targets);
        kept_weights = false;
    }
    if (!kept_weights) cafe_mem_free(context, weights);
    return status;
}
