/* Communities: the layers in a report, and their sizes. */
#include <stdlib.h>

#include <cafe-private/inputs.h>
#include <cafe-private/members.h>

#include "base/memory.h"
#include "report/report.h"

static void put_layer(cafe_report *report, const cafe_layer *layer, bool tree) {
    cafe_report_open(report, NULL, '{');
    cafe_report_integer(report, "communities", layer->communities);
    cafe_report_real(report, "modularity", layer->modularity);
    if (tree && layer->parent)
        cafe_report_integers(report, "parent", layer->communities, layer->parent);
    cafe_report_close(report);
}

void cafe_report_tree(cafe_report *report, const cafe_layers *layers, bool tree) {
    cafe_report_open(report, "layers", '[');
    for (int64_t i = 0; layers && i < cafe_layers_count(layers); i++) {
        const cafe_layer *layer = cafe_layers_get(layers, i);
        put_layer(report, layer, tree);
    }
    cafe_report_close(report);
}

/* ---- sizes ----------------------------------------------------------------------------------- */

static int ascending(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

cafe_status cafe_partition_sizes(cafe_context *context, int64_t nodes, const int32_t *part,
                                 int64_t parts, cafe_sizes *sizes) {
    *sizes = (cafe_sizes){0};
    for (int64_t u = 0; u < nodes; u++)
        if (part[u] < 0 || part[u] >= parts)
            return cafe_fail(context, CAFE_ERROR_ARGUMENT, "node %lld is in part %d of %lld",
                             (long long)u, (int)part[u], (long long)parts);
    int64_t *size = cafe_mem_zero(context, parts, sizeof *size);
    if (!size) return CAFE_ERROR_MEMORY;
    for (int64_t u = 0; u < nodes; u++) size[part[u]]++;
    qsort(size, (size_t)parts, sizeof *size, ascending);
    if (parts > 0)
        *sizes = (cafe_sizes){
            .largest = size[parts - 1], .median = size[parts / 2], .smallest = size[0]};
    while (sizes->single_nodes < parts && size[sizes->single_nodes] == 1) sizes->single_nodes++;
    cafe_mem_free(context, size);
    return CAFE_OK;
}

#define STRUCT cafe_sizes
static const cafe_field size_fields[] = {FIELD(largest), FIELD(median), FIELD(smallest),
                                         FIELD(single_nodes)};
#undef STRUCT

void cafe_report_sizes(cafe_report *report, const cafe_sizes *sizes) {
    cafe_report_open(report, "sizes", '{');
    CAFE_REPORT_FIELDS(report, size_fields, sizes);
    cafe_report_close(report);
}
