/* Data of a page that the caller does not have: communities, a layout, centralities, the
 * certificate. */
#include <cafe/evaluate.h>
#include <cafe/explain.h>
#include <cafe/map.h>
#include <cafe/rank.h>

#include "base/memory.h"
#include "base/option.h"
#include "draw/view.h"
#include "explain/partition_bound.h"

/* The bound is found in about this many seconds, for graphs that cafe explain bounds unasked. */
enum { MOST_NODES = 3000, MOST_EDGES = 30000 };
static const double bound_seconds = 0.2;

struct cafe_view_found {
    cafe_context *context;
    cafe_sampled *sampled, *weighed;
    cafe_operator *op, *of_vectors; /* Q of the edges, and Q of the graph's sampling that the
                                     * vectors belong to */
    cafe_layers *layers;
    cafe_layer layer; /* of the communities given */
    int32_t *part;
    float *map;
    double *centrality;
    cafe_explanation *explanation;
    double *column; /* values of the columns, then their residuals */
    cafe_group group;
    cafe_certificate certificate;
};

void cafe_view_found_free(cafe_view_found *f) {
    if (!f) return;
    cafe_explanation_free(f->explanation);
    cafe_layers_free(f->layers);
    cafe_operator_free(f->of_vectors);
    cafe_sampled_free(f->weighed);
    cafe_operator_free(f->op);
    cafe_sampled_free(f->sampled);
    cafe_mem_free_all(f->context, f->part, f->map, f->centrality, f->column, f);
}

/* Communities that are given are one layer; the nodes in none are a community together. */
static cafe_status use_part(cafe_view_found *f, int64_t n, const int32_t *part,
                            cafe_view_inputs *in) {
    cafe_partition_quality quality;
    int64_t parts = 0;
    bool rest = false;
    f->part = cafe_mem(f->context, n, sizeof *f->part);
    if (!f->part) return CAFE_ERROR_MEMORY;
    for (int64_t u = 0; u < n; u++) {
        if (part[u] >= parts) parts = (int64_t)part[u] + 1;
        rest = rest || part[u] < 0;
    }
    for (int64_t u = 0; u < n; u++) f->part[u] = part[u] < 0 ? (int32_t)parts : part[u];
    parts += rest;
    cafe_status status = cafe_partition_measure(f->context, f->sampled, f->part, parts, &quality);
    f->layer =
        (cafe_layer){.communities = parts, .modularity = quality.modularity, .partition = f->part};
    in->layers = 1;
    in->layer = &f->layer;
    return status;
}

static cafe_status find_layers(cafe_view_found *f, cafe_view_inputs *in) {
    CAFE_PASS(cafe_layers_find(f->context, f->op, NULL, &f->layers));
    in->layers = cafe_layers_count(f->layers);
    in->layer = cafe_layers_get(f->layers, 0); /* the other layers follow it */
    return CAFE_OK;
}

/* Of communities that were found here, or measured. */
static cafe_status find_bound(cafe_view_found *f, const cafe_graph *graph, cafe_view_inputs *in) {
    cafe_partition_bound bound;
    if (cafe_graph_nodes(graph) > MOST_NODES || cafe_graph_get_counts(graph)->edges > MOST_EDGES)
        return CAFE_OK;
    CAFE_PASS(cafe_partition_bound_find(f->context, f->op, 1, in->layer[in->layers - 1].modularity,
                                        bound_seconds, NULL, &bound));
    in->bound = bound.bound;
    in->proved = bound.proved;
    return CAFE_OK;
}

static cafe_status find_map(cafe_view_found *f, const cafe_graph *graph, cafe_view_inputs *in) {
    in->map = f->map = cafe_mem(f->context, 2 * cafe_graph_nodes(graph), sizeof *f->map);
    if (!f->map) return CAFE_ERROR_MEMORY;
    return cafe_map(f->context, graph, cafe_graph_nodes(graph), in->columns, in->vectors, NULL,
                    f->map);
}

static cafe_status find_centrality(cafe_view_found *f, int64_t n, cafe_view_inputs *in) {
    in->centrality = f->centrality = cafe_mem(f->context, n, sizeof *f->centrality);
    in->centrality_name = "PageRank";
    if (!f->centrality) return CAFE_ERROR_MEMORY;
    return cafe_rank_pagerank(f->context, f->sampled, NULL, NULL, f->centrality, NULL);
}

/* Computes the values that cafe explain reports for these vectors, however they were made. */
static cafe_status find_certificate(cafe_view_found *f, const cafe_graph *graph,
                                    cafe_view_inputs *in) {
    cafe_explain_options o;
    cafe_sample_options sample;
    cafe_explain_options_init(&o);
    cafe_sample_options_init(&sample);
    sample.degree_exponent = in->degree_exponent;
    CAFE_PASS(cafe_sample(f->context, graph, CAFE_SAMPLING_EDGE, &sample, NULL, &f->weighed));
    CAFE_PASS(cafe_operator_modularity(f->context, f->weighed, &f->of_vectors));
    o.top = 5;
    const int32_t *part = in->layers > 0 ? in->layer[in->layers - 1].partition : NULL;
    CAFE_PASS(cafe_explain(f->context, f->of_vectors, in->columns, in->vectors, part, &o,
                           &f->explanation));
    f->column = cafe_mem(f->context, 2 * in->columns, sizeof *f->column);
    if (!f->column) return CAFE_ERROR_MEMORY;
    for (int64_t j = 0; j < in->columns; j++) {
        cafe_dimension_card card;
        cafe_explain_dimension(f->explanation, j, &card);
        f->column[j] = card.value;
        f->column[in->columns + j] = card.residual;
    }
    const cafe_explain_report *r = cafe_explanation_get(f->explanation);
    f->group = (cafe_group){.kind = "rows",
                            .problem = r->generalised ? CAFE_PROBLEM_WALK : CAFE_PROBLEM_PLAIN,
                            .columns = in->columns,
                            .values = f->column,
                            .residuals = f->column + in->columns};
    f->certificate = (cafe_certificate){.asked = in->columns,
                                        .columns = in->columns,
                                        .pairs = r->pairs,
                                        .generalised = r->generalised,
                                        .ritz_values = r->values,
                                        .residuals = r->residuals,
                                        .certified = in->columns,
                                        .group_count = 1,
                                        .groups = &f->group};
    in->certificate = &f->certificate;
    return CAFE_OK;
}

const cafe_explanation *cafe_view_explained(const cafe_view_found *found) {
    return found->explanation;
}

static cafe_status find(cafe_view_found *f, const cafe_graph *graph, const int32_t *part,
                        int32_t map, cafe_view_inputs *in) {
    CAFE_PASS(cafe_sample(f->context, graph, CAFE_SAMPLING_EDGE, NULL, NULL, &f->sampled));
    CAFE_PASS(cafe_operator_modularity(f->context, f->sampled, &f->op));
    bool given = in->layer && !part;
    if (part)
        CAFE_PASS(use_part(f, cafe_graph_nodes(graph), part, in));
    else if (!given)
        CAFE_PASS(find_layers(f, in));
    if (in->bound == 0) CAFE_PASS(find_bound(f, graph, in));
    if (map && !in->map) CAFE_PASS(find_map(f, graph, in));
    if (!in->centrality) CAFE_PASS(find_centrality(f, cafe_graph_nodes(graph), in));
    if (!in->certificate) CAFE_PASS(find_certificate(f, graph, in));
    return CAFE_OK;
}

cafe_status cafe_view_find(cafe_context *context, const cafe_graph *graph, const int32_t *part,
                           int32_t map, cafe_view_inputs *inputs, cafe_view_found **found) {
    cafe_view_inputs in;
    cafe_view_found *f = cafe_mem_zero(context, 1, sizeof *f);
    cafe_status status = f ? CAFE_OK : CAFE_ERROR_MEMORY;
    *found = NULL;
    if (!f) goto done;
    f->context = context;
    size_t size = inputs->struct_size;
    CAFE_TRY(cafe_inputs_take(context, "a page", inputs, &in, sizeof in));
    CAFE_TRY(cafe_view_check(context, graph, &in));
    CAFE_TRY(find(f, graph, part, map, &in));
    cafe_struct_give(&in, sizeof in, inputs, size);
    inputs->struct_size = size;
    *found = f;
    f = NULL;
done:
    cafe_view_found_free(f);
    return status;
}
