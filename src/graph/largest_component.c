/* The largest connected component as a separate graph. */
#include <string.h>

#include "base/memory.h"
#include "graph/attributes.h"
#include "graph/builder.h"
#include "graph/graph.h"

typedef struct part {
    const cafe_graph *graph;
    int32_t *node;  /* of the graph -> of the part, or -1 */
    int32_t *whole; /* of the part -> of the graph */
    int64_t nodes, arcs;
    int64_t *offsets;
    int32_t *targets;
    float *weights;
    cafe_names names;
} part;

/* Numbers the nodes of the component with the most nodes. */
static cafe_status number_nodes(cafe_context *context, part *p) {
    cafe_status status = CAFE_OK;
    int64_t n = p->graph->n, count = 0, largest = 0, *size = NULL;
    p->node = cafe_mem(context, n, sizeof *p->node);
    p->whole = cafe_mem(context, n, sizeof *p->whole);
    CAFE_TRY(cafe_mem_had(p->node, p->whole));
    CAFE_TRY(cafe_graph_components(context, p->graph, p->node, &count));
    size = cafe_mem_zero(context, count, sizeof *size);
    CAFE_TRY(cafe_mem_had(size));
    for (int64_t u = 0; u < n; u++) size[p->node[u]]++;
    for (int64_t c = 1; c < count; c++)
        if (size[c] > size[largest]) largest = c;
    for (int64_t u = 0; u < n; u++) {
        bool kept = p->node[u] == largest;
        if (kept) p->whole[p->nodes] = (int32_t)u;
        p->node[u] = kept ? (int32_t)p->nodes++ : -1;
    }
done:
    cafe_mem_free(context, size);
    return status;
}

/* Rows of the numbered nodes; their neighbours are all numbered, in the same order. */
static cafe_status copy_rows(cafe_context *context, part *p) {
    const cafe_graph *g = p->graph;
    for (int64_t i = 0; i < p->nodes; i++)
        p->arcs += g->offsets[p->whole[i] + 1] - g->offsets[p->whole[i]];
    p->offsets = cafe_mem_zero(context, p->nodes + 1, sizeof *p->offsets);
    p->targets = cafe_mem(context, p->arcs, sizeof *p->targets);
    CAFE_PASS(cafe_mem_had(p->offsets, p->targets));
    if (g->weights && !(p->weights = cafe_mem(context, p->arcs, sizeof *p->weights)))
        return CAFE_ERROR_MEMORY;
    for (int64_t i = 0, at = 0; i < p->nodes; i++) {
        int64_t u = p->whole[i];
        for (int64_t j = g->offsets[u]; j < g->offsets[u + 1]; j++, at++) {
            p->targets[at] = p->node[g->targets[j]];
            if (g->weights) p->weights[at] = g->weights[j];
        }
        p->offsets[i + 1] = at;
    }
    return CAFE_OK;
}

static cafe_status copy_texts(cafe_context *context, part *p) {
    const cafe_names *from = &p->graph->names;
    int64_t bytes = 0, *start = cafe_mem_zero(context, p->nodes + 1, sizeof *start);
    if (!start) return CAFE_ERROR_MEMORY;
    p->names = (cafe_names){.kind = CAFE_NAMES_STRING, .start = start};
    for (int64_t i = 0; i < p->nodes; i++) {
        bytes += from->start[p->whole[i] + 1] - from->start[p->whole[i]];
        start[i + 1] = bytes;
    }
    char *text = cafe_mem(context, bytes, 1);
    if (!text) return CAFE_ERROR_MEMORY;
    p->names.text = text;
    for (int64_t i = 0; i < p->nodes; i++)
        memcpy(text + start[i], from->text + from->start[p->whole[i]],
               (size_t)(start[i + 1] - start[i]));
    return CAFE_OK;
}

/* Names of the same kind; indices become integers unless they stay 0 .. nodes-1. */
static cafe_status copy_names(cafe_context *context, part *p) {
    const cafe_names *from = &p->graph->names;
    if (from->kind == CAFE_NAMES_STRING) return copy_texts(context, p);
    bool indices = from->kind == CAFE_NAMES_INDEX;
    if (indices && p->whole[p->nodes - 1] == p->nodes - 1) return CAFE_OK;
    int64_t *integers = cafe_mem(context, p->nodes, sizeof *integers);
    if (!integers) return CAFE_ERROR_MEMORY;
    p->names = (cafe_names){.kind = CAFE_NAMES_INTEGER, .integers = integers};
    for (int64_t i = 0; i < p->nodes; i++)
        integers[i] = indices ? p->whole[i] : from->integers[p->whole[i]];
    return CAFE_OK;
}

cafe_status cafe_graph_largest_component(cafe_context *context, const cafe_graph *graph,
                                         cafe_graph **made) {
    cafe_status status = CAFE_OK;
    part p = {.graph = graph};
    cafe_graph_options options;
    *made = NULL;
    cafe_graph_options_init(&options);
    options.self_loops = graph->counts.self_loops_kept ? CAFE_LOOPS_KEEP : CAFE_LOOPS_DROP;
    CAFE_TRY(number_nodes(context, &p));
    CAFE_TRY(copy_rows(context, &p));
    CAFE_TRY(copy_names(context, &p));
    CAFE_TRY(
        cafe_graph_from_csr(context, p.nodes, p.offsets, p.targets, p.weights, 0, &options, made));
    cafe_graph_adopt_names(*made, p.names);
    p.names = (cafe_names){.kind = CAFE_NAMES_INDEX};
    status = cafe_attributes_part(graph, p.whole, *made);
done:
    if (status != CAFE_OK) {
        cafe_graph_free(*made);
        *made = NULL;
    }
    cafe_names_free(context, &p.names);
    cafe_mem_free_all(context, p.node, p.whole, p.offsets, p.targets, p.weights);
    return status;
}
