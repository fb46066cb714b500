/* Calls that make graphs, ask them and sample them. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "world.h"

#include "graph/builder.h"
#include "graph/directed.h"
#include "operator/operator.h"

typedef struct links {
    int64_t nodes, count;
    int32_t source[FUZZ_LINKS], target[FUZZ_LINKS];
    float weights[FUZZ_LINKS];
    bool weighted;
} links;

/* Ends are nodes; now and then one is not, which has to be refused. */
static void make_links(fuzz_world *w, links *l) {
    uint8_t kind = fuzz_byte(w);
    l->nodes = 1 + fuzz_below(w, FUZZ_NODES);
    l->count = fuzz_below(w, FUZZ_LINKS + 1);
    l->weighted = kind & 1;
    for (int64_t i = 0; i < l->count; i++) {
        bool said = kind & 2 && w->at < w->end;
        l->source[i] = (int32_t)(said ? fuzz_below(w, l->nodes) : i * (kind | 1) % l->nodes);
        l->target[i] = (int32_t)(said ? fuzz_below(w, l->nodes) : i * i % l->nodes);
        l->weights[i] = kind & 4 ? fuzz_number(w) : 1.0f + (float)(i % 3);
    }
    if (kind >= 250 && l->count > 0)
        l->target[fuzz_below(w, l->count)] = fuzz_flip(w) ? -1 : (int32_t)l->nodes;
}

/* What every graph is, however it came. */
static void check_graph(fuzz_world *w, const cafe_graph *graph) {
    const cafe_graph_counts *counts = cafe_graph_get_counts(graph);
    const int64_t *offsets;
    const int32_t *targets;
    const float *weights;
    int64_t n = cafe_graph_nodes(graph);
    (void)w;
    cafe_graph_csr(graph, &offsets, &targets, &weights);
    fuzz_require(counts->nodes == n && counts->edges == cafe_graph_get_counts(graph)->edges);
    fuzz_require(offsets[0] == 0 && isfinite(counts->total_weight));
    for (int64_t u = 0; u < n; u++)
        for (int64_t i = offsets[u], last = -1; i < offsets[u + 1]; last = targets[i++]) {
            fuzz_require(targets[i] > last && targets[i] < n);
            fuzz_require(!weights || (weights[i] > 0 && isfinite(weights[i])));
        }
}

static void keep_graph(fuzz_world *w, cafe_status status, cafe_graph *graph) {
    if (!fuzz_ok(w, status)) {
        fuzz_require(!graph);
        return;
    }
    check_graph(w, graph);
    fuzz_keep(w, FUZZ_GRAPH, graph, NULL, cafe_graph_nodes(graph));
}

void fuzz_do_from_edges(fuzz_world *w) {
    links l;
    char options[FUZZ_OPTIONS];
    cafe_graph *graph = NULL;
    make_links(w, &l);
    fuzz_options(w, cafe_graph_option_table(), options);
    cafe_status status =
        cafe_graph_from_edges(w->context, l.nodes, l.count, l.source, l.target,
                              l.weighted ? l.weights : NULL, (void *)options, &graph);
    keep_graph(w, status, graph);
}

void fuzz_do_from_arcs(fuzz_world *w) {
    links l;
    char options[FUZZ_OPTIONS];
    cafe_graph *graph = NULL;
    make_links(w, &l);
    fuzz_options(w, cafe_graph_option_table(), options);
    cafe_status status = cafe_graph_from_arcs(w->context, l.nodes, l.count, l.source, l.target,
                                              l.weighted ? l.weights : NULL,
                                              (int32_t)fuzz_below(w, 5), (void *)options, &graph);
    keep_graph(w, status, graph);
}

/* Rows as they come, or the rows of a graph there is. The arrays are static: they may be borrowed.
 */
void fuzz_do_from_csr(fuzz_world *w) {
    links l;
    char options[FUZZ_OPTIONS];
    int64_t offsets[FUZZ_NODES + 1] = {0};
    cafe_graph *graph = NULL;
    make_links(w, &l);
    for (int64_t u = 0; u < l.nodes; u++) {
        int64_t left = l.count - offsets[u], here = u + 1 < l.nodes ? fuzz_below(w, 4) : left;
        offsets[u + 1] = offsets[u] + (here < left ? here : left);
    }
    /* not ascending, within the arrays */
    if (fuzz_byte(w) == 255) offsets[fuzz_below(w, l.nodes + 1)] = fuzz_below(w, l.count + 2) - 1;
    fuzz_options(w, cafe_graph_option_table(), options);
    cafe_status status =
        cafe_graph_from_csr(w->context, l.nodes, offsets, l.target, l.weighted ? l.weights : NULL,
                            0, (void *)options, &graph);
    keep_graph(w, status, graph);
}

void fuzz_do_generate(fuzz_world *w) {
    char room[FUZZ_OPTIONS];
    int32_t labels[FUZZ_NODES];
    cafe_graph *graph = NULL;
    cafe_generate_options *o = fuzz_options(w, cafe_generate_option_table(), room);
    o->nodes = fuzz_below(w, FUZZ_NODES + 1);
    o->edges = fuzz_below(w, FUZZ_LINKS);
    cafe_generator model = (cafe_generator)fuzz_below(w, 5);
    cafe_status status = cafe_generate(w->context, model, o, &graph, fuzz_flip(w) ? labels : NULL);
    keep_graph(w, status, graph);
}

void fuzz_do_from_points(fuzz_world *w) {
    float x[FUZZ_NODES * FUZZ_COLUMNS];
    char options[FUZZ_OPTIONS];
    cafe_graph *graph = NULL;
    int64_t n = fuzz_below(w, FUZZ_NODES + 1), dims = fuzz_below(w, FUZZ_COLUMNS + 1);
    fuzz_numbers(w, n * dims, x);
    fuzz_options(w, cafe_points_option_table(), options);
    cafe_status status = cafe_graph_from_points(w->context, n, dims, x, (void *)options, &graph);
    keep_graph(w, status, graph);
}

void fuzz_do_from_similarity(fuzz_world *w) {
    enum { MOST = 12 };
    float matrix[MOST * MOST];
    char options[FUZZ_OPTIONS];
    cafe_graph *graph = NULL;
    int64_t n = fuzz_below(w, MOST + 1);
    fuzz_numbers(w, n * n, matrix);
    fuzz_options(w, cafe_similarity_option_table(), options);
    cafe_status status = cafe_graph_from_similarity(w->context, n, matrix, (void *)options, &graph);
    keep_graph(w, status, graph);
}

void fuzz_do_name_nodes(fuzz_world *w) {
    static char text[FUZZ_NODES][8];
    const char *names[FUZZ_NODES];
    fuzz_object *g = fuzz_need(w, FUZZ_GRAPH);
    if (!g) return;
    uint8_t kind = fuzz_byte(w);
    for (int64_t u = 0; u < g->nodes; u++) {
        snprintf(text[u], sizeof text[u], "n%lld", (long long)u);
        for (int i = 0; kind & 1 && i < 7; i++) text[u][i] = (char)fuzz_byte(w);
        text[u][7] = 0;
        names[u] = text[u];
    }
    fuzz_ok(w, cafe_graph_set_names(w->context, g->it, names));
}

static void ask_names(const cafe_graph *graph) {
    char name[64];
    for (int64_t u = 0; u < cafe_graph_nodes(graph); u++) {
        size_t length = cafe_graph_name(graph, u, name, sizeof name);
        fuzz_require(length >= sizeof name || cafe_graph_find(graph, name) == u);
    }
    fuzz_require(cafe_graph_find(graph, "nobody") < cafe_graph_nodes(graph));
}

void fuzz_do_ask_graph(fuzz_world *w) {
    int32_t component[FUZZ_NODES], bipartite;
    int8_t side[FUZZ_NODES];
    int64_t count = 0;
    cafe_graph_profile profile;
    fuzz_object *g = fuzz_need(w, FUZZ_GRAPH);
    if (!g) return;
    if (fuzz_ok(w, cafe_graph_components(w->context, g->it, component, &count)))
        fuzz_indices(g->nodes, component, 0, count);
    if (fuzz_ok(w, cafe_graph_sides(w->context, g->it, side, &bipartite)))
        for (int64_t u = 0; u < g->nodes; u++) fuzz_require(side[u] >= -1 && side[u] <= 1);
    if (fuzz_ok(w, cafe_graph_describe(w->context, g->it, &profile)))
        fuzz_require(isfinite(profile.mean_degree) && profile.names);
    if (w->fail_in < 0) ask_names(g->it); /* an index that cannot be built finds nobody */
    if (fuzz_flip(w))
        fuzz_ok(w, cafe_graph_write(w->context, g->it, "/dev/null",
                                    (cafe_format)(1 + fuzz_below(w, 5)), 1));
}

void fuzz_do_labels(fuzz_world *w) {
    int32_t label[FUZZ_NODES];
    cafe_labels *labels = NULL;
    fuzz_object *g = fuzz_need(w, FUZZ_GRAPH);
    if (!g) return;
    int64_t classes = 1 + fuzz_below(w, 5);
    fuzz_part(w, g->nodes, classes, label);
    if (fuzz_ok(w,
                cafe_labels_from_arrays(w->context, g->nodes, NULL, label, classes, NULL, &labels)))
        fuzz_keep(w, FUZZ_LABELS, labels, NULL, g->nodes);
}

/* ---- sampled graphs and operators ------------------------------------------------------------ */

void fuzz_do_sample(fuzz_world *w) {
    static float attributes[FUZZ_NODES * 2];
    static int32_t seeds[4];
    char options[FUZZ_OPTIONS];
    cafe_sample_inputs inputs;
    cafe_sampled *sampled = NULL;
    fuzz_object *g = fuzz_need(w, FUZZ_GRAPH);
    if (!g) return;
    cafe_sampling sampling = (cafe_sampling)fuzz_below(w, 5);
    cafe_sample_inputs_init(&inputs);
    if (sampling == CAFE_SAMPLING_TWISTED) {
        inputs.width = 1 + fuzz_below(w, 2);
        inputs.attributes = attributes;
        fuzz_numbers(w, g->nodes * inputs.width, attributes);
    }
    if (fuzz_flip(w)) {
        inputs.seeds = seeds;
        inputs.seed_count = 1 + fuzz_below(w, 4);
        for (int i = 0; i < 4; i++) seeds[i] = (int32_t)fuzz_below(w, g->nodes + (i == 3));
    }
    bool plain = fuzz_flip(w);
    if (!plain) fuzz_options(w, cafe_sample_option_table(), options);
    cafe_status status =
        cafe_sample(w->context, g->it, sampling, plain ? NULL : (void *)options, &inputs, &sampled);
    if (!fuzz_ok(w, status)) return;
    for (int64_t u = 0; u < g->nodes; u++) {
        double p = cafe_sampled_node(sampled, u);
        fuzz_require(p >= 0 && p <= 1.001);
    }
    fuzz_keep(w, FUZZ_SAMPLED, sampled, g, g->nodes);
}

void fuzz_do_make_operator(fuzz_world *w) {
    cafe_operator *op = NULL;
    fuzz_object *s = fuzz_need(w, FUZZ_SAMPLED);
    if (!s) return;
    uint8_t kind = fuzz_byte(w);
    cafe_status status = kind % 8 == 7 ? cafe_operator_walk(w->context, s->it, kind / 8 % 5, &op)
                                       : cafe_operator_modularity(w->context, s->it, &op);
    if (fuzz_ok(w, status)) fuzz_keep(w, FUZZ_OPERATOR, op, s, s->nodes);
}

void fuzz_do_ask_operator(fuzz_world *w) {
    double row[FUZZ_NODES];
    float x[FUZZ_NODES * FUZZ_COLUMNS], y[FUZZ_NODES * FUZZ_COLUMNS];
    fuzz_object *o = fuzz_need(w, FUZZ_OPERATOR);
    if (!o) return;
    int64_t columns = 1 + fuzz_below(w, FUZZ_COLUMNS);
    if (fuzz_ok(w, cafe_operator_row(w->context, o->it, fuzz_below(w, o->nodes + 1), row)))
        fuzz_finite_double(o->nodes, row);
    fuzz_numbers(w, o->nodes * columns, x);
    fuzz_ok(w, cafe_operator_product(w->context, o->it, columns, x, y));
}
