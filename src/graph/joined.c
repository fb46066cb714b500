/* Graphs of several layers in one.
 *
 * cafe_graph_join: kinds of edges over the same nodes. The graph has the edges of all layers, with
 * the sums of their weights; it keeps each layer as a graph of the same nodes.
 *
 * cafe_graph_couple: slices of time. A node has a copy in each slice in which it has an edge, named
 * NODE@SLICE. Copies of one node that follow one another are joined by an edge of the weight
 * `coupling` times the mean weight of the edges. The graph keeps the slice of each copy.
 *
 * The operator (src/operator) then has a null model of its own for each layer.
 */
#include "graph/joined.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include <cafe-private/inputs.h>

#include "base/memory.h"
#include "base/print.h"
#include "graph/builder.h"
#include "graph/graph.h"

enum { LONGEST = 24 };

/* Edges that become a graph. */
typedef struct edges {
    int32_t *source, *target;
    float *weights;
    int64_t count;
} edges;

static void free_edges(cafe_context *context, edges *e) {
    cafe_mem_free_all(context, e->source, e->target, e->weights);
}

static cafe_status make_edges(cafe_context *context, int64_t most, edges *e) {
    *e = (edges){0};
    e->source = cafe_mem(context, most, sizeof *e->source);
    e->target = cafe_mem(context, most, sizeof *e->target);
    e->weights = cafe_mem(context, most, sizeof *e->weights);
    return cafe_mem_had(e->source, e->target, e->weights);
}

static void add_edge(edges *e, int64_t u, int64_t w, float weight) {
    e->source[e->count] = (int32_t)u, e->target[e->count] = (int32_t)w;
    e->weights[e->count++] = weight;
}

/* Each edge of a graph once; number[u]: the node that u becomes. */
static void list_edges(const cafe_graph *g, const int32_t *number, edges *e) {
    for (int64_t u = 0; u < g->n; u++)
        for (int64_t j = g->offsets[u]; j < g->offsets[u + 1]; j++)
            if (g->targets[j] <= u)
                add_edge(e, number ? number[u] : u, number ? number[g->targets[j]] : g->targets[j],
                         g->weights ? g->weights[j] : 1);
}

/* Weights of repeated edges add up, loops stay. */
static cafe_status graph_of(cafe_context *context, int64_t nodes, const edges *e, bool weighted,
                            cafe_graph **graph) {
    cafe_graph_options o;
    cafe_graph_options_init(&o);
    o.self_loops = CAFE_LOOPS_KEEP;
    o.duplicates = CAFE_DUPLICATES_SUM;
    o.reorder = CAFE_REORDER_NONE;
    return cafe_graph_from_edges(context, nodes, e->count, e->source, e->target,
                                 weighted ? e->weights : NULL, &o, graph);
}

/* ---- layers of a graph ----------------------------------------------------------------------- */

void cafe_joined_free(cafe_graph *graph) {
    for (int64_t l = 0; l < graph->layer_count; l++) {
        if (graph->layers) cafe_mem_free(graph->context, graph->layers[l].name);
        if (graph->layer_graphs) cafe_graph_free(graph->layer_graphs[l]);
    }
    cafe_mem_free_all(graph->context, graph->layers, graph->layer_graphs, graph->slice);
}

const cafe_graph_layer *cafe_graph_layers(const cafe_graph *graph, int64_t *count) {
    *count = graph->layer_count;
    return graph->layers;
}

const int32_t *cafe_graph_slice_of(const cafe_graph *graph) {
    return graph->slice;
}

static cafe_status describe(cafe_context *context, const cafe_joining *j, cafe_graph *g) {
    char number[LONGEST];
    g->layers = cafe_mem_zero(context, j->count, sizeof *g->layers);
    g->layer_graphs = cafe_mem_zero(context, j->count, sizeof(cafe_graph *));
    CAFE_PASS(cafe_mem_had(g->layers, g->layer_graphs));
    g->layer_count = j->count;
    for (int64_t l = 0; l < j->count; l++) {
        const cafe_graph_counts *c = &j->graphs[l]->counts;
        cafe_print(number, sizeof number, "%" PRId64, l);
        g->layers[l] = (cafe_graph_layer){.weight = j->weights ? j->weights[l] : 1,
                                          .edges = c->edges,
                                          .total_weight = c->total_weight};
        g->layers[l].name = cafe_mem_text(context, j->titles ? j->titles[l] : number);
        CAFE_PASS(cafe_mem_had(g->layers[l].name));
    }
    return CAFE_OK;
}

static cafe_status check(cafe_context *context, const cafe_joining *j) {
    if (j->count < 1) return cafe_fail(context, CAFE_ERROR_ARGUMENT, "no layer is given");
    for (int64_t l = 0; l < j->count; l++) {
        if (j->graphs[l]->negative || j->graphs[l]->layer_count)
            return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                             "a layer with layers or with negative weights cannot be joined");
        if (j->graphs[l]->counts.edges == 0)
            return cafe_fail(context, CAFE_ERROR_ARGUMENT, "layer %" PRId64 " has no edge", l);
        if (j->weights && !(j->weights[l] > 0 && isfinite(j->weights[l])))
            return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                             "the weight of layer %" PRId64 " is %g: it must be above 0", l,
                             j->weights[l]);
    }
    return CAFE_OK;
}

static int64_t count_edges(const cafe_joining *j) {
    int64_t count = 0;
    for (int64_t l = 0; l < j->count; l++) count += j->graphs[l]->counts.edges;
    return count;
}

/* ---- names ----------------------------------------------------------------------------------- */

/* names[u], texts one after the other. */
static cafe_status give_names(cafe_context *context, const cafe_dictionary *names, cafe_graph *g) {
    if (!names) return CAFE_OK;
    cafe_status status = CAFE_OK;
    const char **text = cafe_mem(context, g->n, sizeof *text);
    CAFE_TRY(cafe_mem_had(text));
    for (int64_t u = 0; u < g->n; u++) text[u] = cafe_dictionary_text(names, u);
    CAFE_TRY(cafe_graph_set_names(context, g, text));
done:
    cafe_mem_free(context, text);
    return status;
}

/* What the nodes of a layer send more than they receive, as nodes of the joined graph, of whose
 * weight the layer has this share. */
static cafe_status carry_directions(cafe_context *context, const cafe_graph *from,
                                    const int32_t *number, double share, cafe_graph *to) {
    if (!from->surplus) return CAFE_OK;
    if (!to->surplus) to->surplus = cafe_mem_zero(context, to->n, sizeof *to->surplus);
    CAFE_PASS(cafe_mem_had(to->surplus));
    for (int64_t u = 0; u < from->n; u++) {
        int64_t w = number ? number[u] : u;
        if (w >= 0) to->surplus[w] = share * from->surplus[u];
    }
    return CAFE_OK;
}

/* ---- kinds of edges -------------------------------------------------------------------------- */

/* The edges of all layers as one graph, and each layer as a graph of these nodes. */
static cafe_status join(cafe_context *context, const cafe_joining *j, edges *all, edges *one,
                        cafe_graph **graph) {
    CAFE_PASS(make_edges(context, count_edges(j), all));
    CAFE_PASS(make_edges(context, count_edges(j), one));
    for (int64_t l = 0; l < j->count; l++)
        list_edges(j->graphs[l], j->number ? j->number[l] : NULL, all);
    CAFE_PASS(graph_of(context, j->nodes, all, true, graph));
    CAFE_PASS(give_names(context, j->names, *graph));
    CAFE_PASS(describe(context, j, *graph));
    for (int64_t l = 0; l < j->count; l++) {
        one->count = 0;
        const int32_t *number = j->number ? j->number[l] : NULL;
        list_edges(j->graphs[l], number, one);
        CAFE_PASS(graph_of(context, j->nodes, one, j->graphs[l]->weights != NULL,
                           &(*graph)->layer_graphs[l]));
        CAFE_PASS(carry_directions(context, j->graphs[l], number, 1, (*graph)->layer_graphs[l]));
    }
    return CAFE_OK;
}

cafe_status cafe_graph_join_numbered(cafe_context *context, const cafe_joining *joining,
                                     cafe_graph **graph) {
    edges all = {0}, one = {0};
    cafe_status status = check(context, joining);
    *graph = NULL;
    if (status == CAFE_OK) status = join(context, joining, &all, &one, graph);
    free_edges(context, &all);
    free_edges(context, &one);
    if (status == CAFE_OK) return CAFE_OK;
    cafe_graph_free(*graph);
    *graph = NULL;
    return status;
}

/* ---- slices ---------------------------------------------------------------------------------- */

typedef struct copies {
    const cafe_joining *j;
    int32_t *id;     /* id[u * count + s]: the copy of node u in slice s; -1: none */
    int32_t *number; /* of the nodes of a slice: their copies */
    int64_t n;
    cafe_dictionary names;
    edges e;
} copies;

static int64_t node_of(const cafe_joining *j, int64_t l, int64_t u) {
    return j->number ? j->number[l][u] : u;
}

/* Numbers the copies by node, then by slice. */
static cafe_status number_copies(cafe_context *context, copies *c) {
    const cafe_joining *j = c->j;
    int64_t cells;
    if (__builtin_mul_overflow(j->nodes, j->count, &cells) || cells > (int64_t)1 << 36)
        return cafe_fail(context, CAFE_ERROR_LIMIT, "too many slices for %" PRId64 " nodes",
                         j->nodes);
    c->id = cafe_mem_zero(context, cells, sizeof *c->id);
    CAFE_PASS(cafe_mem_had(c->id));
    for (int64_t s = 0; s < j->count; s++)
        for (int64_t u = 0; u < j->graphs[s]->n; u++)
            c->id[node_of(j, s, u) * j->count + s] =
                j->graphs[s]->offsets[u + 1] > j->graphs[s]->offsets[u];
    for (int64_t i = 0; i < cells; i++) c->id[i] = c->id[i] ? (int32_t)c->n++ : -1;
    return c->n <= CAFE_MOST_NODES
               ? CAFE_OK
               : cafe_fail(context, CAFE_ERROR_LIMIT, "more than %d copies", CAFE_MOST_NODES);
}

/* NODE@SLICE */
static cafe_status name_copies(cafe_context *context, copies *c, const cafe_graph_layer *layers) {
    const cafe_joining *j = c->j;
    char number[LONGEST];
    for (int64_t u = 0; u < j->nodes; u++)
        for (int64_t s = 0; s < j->count; s++) {
            int64_t found;
            cafe_print(number, sizeof number, "%" PRId64, u);
            const char *node = j->names ? cafe_dictionary_text(j->names, u) : number;
            if (c->id[u * j->count + s] < 0) continue;
            size_t length = strlen(node) + strlen(layers[s].name) + 1;
            char *text = cafe_mem(context, (int64_t)length + 1, 1);
            CAFE_PASS(cafe_mem_had(text));
            cafe_print(text, length + 1, "%s@%s", node, layers[s].name);
            cafe_status status = cafe_dictionary_add(&c->names, text, (int64_t)length, &found);
            cafe_mem_free(context, text);
            CAFE_PASS(status);
            if (found != c->id[u * j->count + s])
                return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                                 "two copies are named %s@%s: two slices have one name, or a name "
                                 "has an @",
                                 node, layers[s].name);
        }
    return CAFE_OK;
}

static void number_slice(copies *c, int64_t s) {
    const cafe_joining *j = c->j;
    for (int64_t u = 0; u < j->graphs[s]->n; u++)
        c->number[u] = c->id[node_of(j, s, u) * j->count + s];
}

/* The edges of all slices; the weight of an edge in the mean. */
static cafe_status list_slices(cafe_context *context, copies *c, double *mean) {
    const cafe_joining *j = c->j;
    int64_t most = 0;
    double sum = 0;
    for (int64_t s = 0; s < j->count; s++) {
        if (j->graphs[s]->n > most) most = j->graphs[s]->n;
        sum += j->graphs[s]->counts.total_weight;
    }
    CAFE_PASS(make_edges(context, count_edges(j) + c->n, &c->e));
    c->number = cafe_mem(context, most, sizeof *c->number);
    CAFE_PASS(cafe_mem_had(c->number));
    for (int64_t s = 0; s < j->count; s++) {
        number_slice(c, s);
        list_edges(j->graphs[s], c->number, &c->e);
    }
    *mean = sum / (2 * (double)c->e.count);
    return CAFE_OK;
}

/* Edges between copies have no direction. */
static cafe_status carry_slices(cafe_context *context, copies *c, cafe_graph *graph) {
    for (int64_t s = 0; s < c->j->count; s++) {
        const cafe_graph *from = c->j->graphs[s];
        double share = from->counts.total_weight / graph->counts.total_weight;
        number_slice(c, s);
        CAFE_PASS(carry_directions(context, from, c->number, share, graph));
    }
    return CAFE_OK;
}

/* Joins each copy to the next one of its node, and sets the slices. */
static cafe_status couple(cafe_context *context, copies *c, double coupling, cafe_graph **graph) {
    const cafe_joining *j = c->j;
    double mean;
    CAFE_PASS(list_slices(context, c, &mean));
    for (int64_t u = 0; u < j->nodes; u++) {
        int32_t last = -1;
        for (int64_t s = 0; s < j->count; s++) {
            int32_t copy = c->id[u * j->count + s];
            if (copy < 0) continue;
            if (last >= 0 && coupling > 0) add_edge(&c->e, last, copy, (float)(coupling * mean));
            last = copy;
        }
    }
    CAFE_PASS(graph_of(context, c->n, &c->e, true, graph));
    CAFE_PASS(describe(context, j, *graph));
    CAFE_PASS(name_copies(context, c, (*graph)->layers));
    CAFE_PASS(give_names(context, &c->names, *graph));
    CAFE_PASS(carry_slices(context, c, *graph));
    int32_t *slice = (*graph)->slice = cafe_mem(context, c->n, sizeof *slice);
    CAFE_PASS(cafe_mem_had(slice));
    for (int64_t i = 0; i < j->nodes * j->count; i++)
        if (c->id[i] >= 0) slice[c->id[i]] = (int32_t)(i % j->count);
    return CAFE_OK;
}

cafe_status cafe_graph_couple_numbered(cafe_context *context, const cafe_joining *joining,
                                       double coupling, cafe_graph **graph) {
    copies c = {.j = joining, .names = {.context = context}};
    cafe_status status = check(context, joining);
    *graph = NULL;
    if (status == CAFE_OK && !(coupling >= 0 && isfinite(coupling)))
        status = cafe_fail(context, CAFE_ERROR_ARGUMENT, "the coupling is %g: expected 0 or more",
                           coupling);
    if (status == CAFE_OK) status = number_copies(context, &c);
    if (status == CAFE_OK) status = couple(context, &c, coupling, graph);
    cafe_mem_free_all(context, c.id, c.number);
    cafe_dictionary_free(&c.names);
    free_edges(context, &c.e);
    if (status == CAFE_OK) return CAFE_OK;
    cafe_graph_free(*graph);
    *graph = NULL;
    return status;
}

/* ---- nodes by their names -------------------------------------------------------------------- */

/* Nodes of several graphs, the same where their names are. */
typedef struct numbering {
    cafe_dictionary names;
    int32_t **number;
    bool indices;
} numbering;

static cafe_status number_graph(cafe_context *context, const cafe_graph *g, numbering *m,
                                int32_t **number) {
    size_t room = 256;
    char *text = cafe_mem(context, (int64_t)room, 1);
    cafe_status status = CAFE_OK;
    *number = cafe_mem(context, g->n, sizeof **number);
    CAFE_TRY(cafe_mem_had(text, *number));
    for (int64_t u = 0; u < g->n; u++) {
        int64_t found;
        size_t length = cafe_graph_name(g, u, text, room);
        if (length >= room) {
            cafe_mem_free(context, text);
            room = length + 1;
            text = cafe_mem(context, (int64_t)room, 1);
            CAFE_TRY(cafe_mem_had(text));
            cafe_graph_name(g, u, text, room);
        }
        CAFE_TRY(cafe_dictionary_add(&m->names, text, (int64_t)length, &found));
        (*number)[u] = (int32_t)found;
    }
done:
    cafe_mem_free(context, text);
    return status;
}

static cafe_status number_all(cafe_context *context, cafe_joining *j, numbering *m) {
    m->indices = true;
    for (int64_t l = 0; l < j->count; l++) {
        m->indices = m->indices && j->graphs[l]->names.kind == CAFE_NAMES_INDEX;
        if (j->graphs[l]->n > j->nodes) j->nodes = j->graphs[l]->n;
    }
    if (m->indices) return CAFE_OK;
    m->number = cafe_mem_zero(context, j->count, sizeof *m->number);
    CAFE_PASS(cafe_mem_had(m->number));
    for (int64_t l = 0; l < j->count; l++)
        CAFE_PASS(number_graph(context, j->graphs[l], m, &m->number[l]));
    j->nodes = m->names.count;
    j->names = &m->names;
    j->number = (const int32_t *const *)m->number;
    return CAFE_OK;
}

static cafe_status by_names(cafe_context *context, cafe_joining *j, const double *coupling,
                            cafe_graph **graph) {
    numbering m = {.names = {.context = context}};
    *graph = NULL;
    cafe_status status = number_all(context, j, &m);
    if (status == CAFE_OK)
        status = coupling ? cafe_graph_couple_numbered(context, j, *coupling, graph)
                          : cafe_graph_join_numbered(context, j, graph);
    for (int64_t l = 0; m.number && l < j->count; l++) cafe_mem_free(context, m.number[l]);
    cafe_mem_free(context, m.number);
    cafe_dictionary_free(&m.names);
    cafe_phase(context, "", 0);
    return status;
}

cafe_status cafe_graph_join(cafe_context *context, int64_t count, const cafe_graph *const *graphs,
                            const char *const *names, const double *weights, cafe_graph **graph) {
    cafe_joining j = {.count = count, .graphs = graphs, .titles = names, .weights = weights};
    return by_names(context, &j, NULL, graph);
}

cafe_status cafe_graph_couple(cafe_context *context, int64_t count, const cafe_graph *const *graphs,
                              const char *const *names, double coupling, cafe_graph **graph) {
    cafe_joining j = {.count = count, .graphs = graphs, .titles = names};
    return by_names(context, &j, &coupling, graph);
}
