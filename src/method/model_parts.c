/* The operator of a model, layer by layer: kinds of edges, positive and negative edges, features.
 */
#include "method/model_parts.h"

#include <cafe-private/inputs.h>

#include "base/memory.h"
#include "graph/graph.h"
#include "method/model_layers.h"
#include "method/node_features.h"

/* Edges of several kinds, of two signs, or all of them; without `list` their number. */
static int64_t list_edges(const cafe_model *m, cafe_model_part *list) {
    const struct cafe_node_features *f = m->features;
    if (m->signs && list) cafe_model_signs(m, list);
    if (m->signs) return 2;
    int64_t layers = m->layers ? m->layers->count : 0;
    for (int64_t l = 0; l < layers && list; l++)
        list[l] =
            (cafe_model_part){m->graph->layers[l].name, m->layers->op[l], m->layers->share[l], 1};
    if (layers > 0) return layers;
    if (list) list[0] = (cafe_model_part){"edges", f ? f->graph : m->op, 1, 1};
    return 1;
}

cafe_status cafe_model_parts(cafe_context *context, const cafe_model *model,
                             cafe_model_part **parts, int64_t *count) {
    const struct cafe_node_features *f = model->features;
    int64_t edges = list_edges(model, NULL);
    bool features = f && f->table;
    cafe_model_part *list = *parts = cafe_mem(context, edges + features, sizeof *list);
    CAFE_PASS(cafe_mem_had(list));
    list_edges(model, list);
    *count = edges + features;
    if (!features) return CAFE_OK;
    double w = f->report.weight;
    for (int64_t l = 0; l < edges; l++) list[l].weight *= 1 - w;
    list[edges] = (cafe_model_part){"features", f->table, w, f->unit};
    return CAFE_OK;
}
