/* Every call of the library that takes options, with NULL for them: defaults WHAT FILES...
 *
 * test_defaults.sh compares the files written here with those of the tool's own defaults. A call
 * that the tool makes inside another one is given an initialised struct beside NULL here, and the
 * two results must have the same bits.
 */
#define _GNU_SOURCE
#include "graphs.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <cafe-private/inputs.h>
#include <cafe-private/writers.h>

#include "method/model.h"
#include "solve/softmax_sparse.h"
#include "solve/solution.h"

static cafe_context *context;

static void must(cafe_status status) {
    if (status == CAFE_OK) return;
    fprintf(stderr, "%s\n", cafe_error(context));
    exit(1);
}

static cafe_graph *graph_of(const char *path) {
    cafe_graph *graph = NULL;
    must(cafe_graph_read(context, path, NULL, &graph));
    return graph;
}

static cafe_operator *operator_of(const cafe_graph *graph, cafe_sampled **sampled) {
    cafe_operator *op = NULL;
    must(cafe_sample(context, graph, CAFE_SAMPLING_EDGE, NULL, NULL, sampled));
    must(cafe_operator_modularity(context, *sampled, &op));
    return op;
}

static FILE *out_of(const char *path) {
    FILE *out = fopen(path, "w");
    if (!out) exit(1);
    return out;
}

/* The first classes of karate are known to the methods that need some. */
static void take_labels(const char *path, const cafe_graph *graph, const cafe_method *method,
                        cafe_method_inputs *inputs) {
    cafe_labels *labels = NULL;
    static int32_t label[4096];
    cafe_method_inputs_init(inputs);
    if (!method || !(method->takes & CAFE_NEEDS_LABELS)) return;
    must(cafe_labels_read(context, graph, path, NULL, NULL, &labels));
    must(cafe_labels_single(context, labels, label));
    inputs->labels = label;
    inputs->classes = cafe_labels_classes(labels);
    cafe_labels_free(labels);
}

/* METHOD GRAPH LABELS OUT; "first" stands for the method NULL. */
static void embed(char **word) {
    const cafe_method *method = cafe_method_find(context, word[0]);
    cafe_graph *graph = graph_of(word[1]);
    cafe_embedding *embedding = NULL;
    cafe_method_inputs inputs;
    take_labels(word[2], graph, method, &inputs);
    must(cafe_embed(context, graph, method, NULL, inputs.labels ? &inputs : NULL, &embedding));
    must(cafe_embedding_write(context, embedding, graph, word[3], 1));
    cafe_embedding_free(embedding);
    cafe_graph_free(graph);
}

static void put_clustering(const cafe_graph *graph, cafe_clustering *clustering, const char *path) {
    const cafe_clustering_info *info = cafe_clustering_get(clustering);
    FILE *out = out_of(path);
    char name[256];
    fprintf(out, "%.17g %.17g\n", info->modularity, info->edge_modularity);
    for (int64_t u = 0; u < info->nodes; u++) {
        cafe_graph_field(graph, u, name, sizeof name);
        fprintf(out, "%s\t%d\n", name, info->partition[u]);
    }
    fclose(out);
    cafe_clustering_free(clustering);
}

/* METHOD GRAPH LABELS OUT: the two modularities, then the partition. */
static void cluster(char **word) {
    const cafe_method *method = cafe_method_find(context, word[0]);
    cafe_graph *graph = graph_of(word[1]);
    cafe_clustering *clustering = NULL;
    cafe_method_inputs inputs;
    take_labels(word[2], graph, method, &inputs);
    must(cafe_cluster(context, graph, method, NULL, inputs.labels ? &inputs : NULL, &clustering));
    put_clustering(graph, clustering, word[3]);
    cafe_graph_free(graph);
}

/* METHOD GRAPH LABELS OUT: the same of a model made for the method, which is not named again. */
static void model(char **word) {
    const cafe_method *method = cafe_method_find(context, word[0]);
    cafe_graph *graph = graph_of(word[1]);
    cafe_clustering *clustering = NULL;
    cafe_model *made = NULL;
    must(cafe_model_create(context, graph, method, NULL, NULL, &made));
    must(cafe_model_cluster(context, made, NULL, NULL, NULL, &clustering));
    put_clustering(graph, clustering, word[3]);
    cafe_model_free(made);
    cafe_graph_free(graph);
}

/* TABLE OUT */
static void reduce(char **word) {
    cafe_table *t = NULL;
    cafe_reduction *reduction = NULL;
    must(cafe_table_read(context, word[0], &t));
    must(cafe_reduce(context, cafe_table_rows(t), cafe_table_columns(t), cafe_table_values(t), NULL,
                     &reduction));
    const cafe_reduction_report *r = cafe_reduction_get(reduction);
    float *x = malloc((size_t)(r->rows * r->columns) * sizeof *x);
    cafe_reduction_copy(reduction, x);
    must(cafe_table_write(context, t, CAFE_TABLE_ROWS, r->columns, x, word[1], 1));
    free(x);
    cafe_reduction_free(reduction);
    cafe_table_free(t);
}

/* points|matrix TABLE OUT */
static void points(char **word) {
    cafe_table *t = NULL;
    cafe_graph *graph = NULL;
    must(cafe_table_read(context, word[1], &t));
    int64_t n = cafe_table_rows(t), dims = cafe_table_columns(t);
    must(word[0][0] == 'm'
             ? cafe_graph_from_similarity(context, n, cafe_table_values(t), NULL, &graph)
             : cafe_graph_from_points(context, n, dims, cafe_table_values(t), NULL, &graph));
    must(cafe_graph_name_rows(context, graph, t));
    must(cafe_graph_write(context, graph, word[2], CAFE_FORMAT_AUTO, 1));
    cafe_graph_free(graph);
    cafe_table_free(t);
}

/* GRAPH VECTORS OUT */
static void map(char **word) {
    cafe_graph *graph = graph_of(word[0]);
    int64_t n = cafe_graph_nodes(graph), columns;
    float *x = NULL, *xy = malloc((size_t)n * 2 * sizeof *xy);
    must(cafe_vectors_read(context, graph, word[1], &columns, &x, NULL));
    must(cafe_map(context, graph, n, columns, x, NULL, xy));
    must(cafe_vectors_write(context, graph, 2, xy, word[2], 1));
    free(xy);
    cafe_block_free(context, x);
    cafe_graph_free(graph);
}

/* GRAPH OUT */
static void rank(char **word) {
    cafe_graph *graph = graph_of(word[0]);
    int64_t n = cafe_graph_nodes(graph);
    double *value = malloc((size_t)n * sizeof *value);
    int32_t *order = malloc((size_t)n * sizeof *order);
    cafe_sampled *sampled = NULL;
    cafe_operator *op = operator_of(graph, &sampled);
    cafe_pagerank_report report;
    char name[256];
    must(cafe_rank_pagerank(context, sampled, NULL, NULL, value, &report));
    must(cafe_rank_top(context, n, value, n, order));
    FILE *out = out_of(word[1]);
    for (int64_t i = 0; i < n; i++) {
        cafe_graph_field(graph, order[i], name, sizeof name);
        fprintf(out, "%s\t%.17g\n", name, value[order[i]]);
    }
    fclose(out);
    cafe_operator_free(op);
    cafe_sampled_free(sampled);
    cafe_graph_free(graph);
    free(value);
    free(order);
}

/* GRAPH OUT: of every node, by the score that suits the graph, all options NULL. */
static void recommend(char **word) {
    cafe_graph *graph = graph_of(word[0]);
    int64_t n = cafe_graph_nodes(graph), columns;
    cafe_recommend_options o;
    cafe_recommend_options_init(&o);
    int64_t k = o.top;
    double recall[CAFE_SCORE_AUTO];
    float *x = NULL;
    int32_t *query = malloc((size_t)n * sizeof *query), *node = malloc((size_t)(n * k) * 4);
    double *score = malloc((size_t)(n * k) * sizeof *score);
    char from[256], to[256];
    for (int64_t u = 0; u < n; u++) query[u] = (int32_t)u;
    must(cafe_recommend_choose(context, graph, NULL, NULL, n, query, recall, &o.score));
    must(cafe_decoder_vectors(context, graph, NULL, NULL, &columns, &x));
    cafe_recommend_inputs in = {sizeof in, graph, x, columns};
    must(cafe_recommend(context, &in, &o, n, query, node, score));
    FILE *out = out_of(word[1]);
    for (int64_t i = 0; i < n * k; i++) {
        if (node[i] < 0) continue;
        cafe_graph_field(graph, i / k, from, sizeof from);
        cafe_graph_field(graph, node[i], to, sizeof to);
        fprintf(out, "%s\t%s\t%.9g\n", from, to, score[i]);
    }
    fclose(out);
    cafe_block_free(context, x);
    cafe_graph_free(graph);
    free(query);
    free(node);
    free(score);
}

/* GRAPH VECTORS CHANGES OUT */
static void update(char **word) {
    cafe_graph *graph = graph_of(word[0]);
    int64_t columns;
    float *x = NULL;
    cafe_changes *changes = NULL;
    cafe_updated *updated = NULL;
    must(cafe_vectors_read(context, graph, word[1], &columns, &x, NULL));
    must(cafe_changes_read(context, graph, word[2], &changes));
    must(cafe_update(context, changes, columns, x, NULL, &updated));
    must(cafe_updated_write(context, updated, changes, word[3], 1));
    cafe_updated_free(updated);
    cafe_changes_free(changes);
    cafe_block_free(context, x);
    cafe_graph_free(graph);
}

/* GRAPH VECTORS LINKS OUT */
static void place(char **word) {
    cafe_graph *graph = graph_of(word[0]);
    int64_t columns;
    float *x = NULL;
    cafe_new_links *links = NULL;
    must(cafe_vectors_read(context, graph, word[1], &columns, &x, NULL));
    must(cafe_new_links_read(context, graph, word[2], &links));
    float *placed = malloc((size_t)(cafe_new_links_nodes(links) * columns) * sizeof *placed);
    must(cafe_place_nodes(context, graph, columns, x, links, NULL, placed));
    must(cafe_placed_write(context, links, columns, placed, word[3], 1));
    free(placed);
    cafe_new_links_free(links);
    cafe_block_free(context, x);
    cafe_graph_free(graph);
}

/* sbm|planted|ba|rmat OUT */
static void generate(char **word) {
    static const char *const names[] = {"sbm", "planted", "ba", "rmat"};
    cafe_graph *graph = NULL;
    int model = 0;
    while (strcmp(names[model], word[0]) != 0) model++;
    must(cafe_generate(context, (cafe_generator)model, NULL, &graph, NULL));
    must(cafe_graph_write(context, graph, word[1], CAFE_FORMAT_AUTO, 1));
    cafe_graph_free(graph);
}

/* GRAPH OUT */
static void bounds(char **word) {
    cafe_graph *graph = graph_of(word[0]);
    cafe_sampled *sampled = NULL;
    cafe_operator *op = operator_of(graph, &sampled);
    cafe_bounds *found = NULL;
    must(cafe_bounds_find(context, op, NULL, &found));
    const cafe_bounds_report *r = cafe_bounds_get(found);
    FILE *out = out_of(word[1]);
    fputs("node\tx\tqx\tv1\tx_centred\n", out);
    for (int64_t u = 0; u < cafe_graph_nodes(graph); u++)
        fprintf(out, "%" PRId64 "\t%.17g\t%.17g\t%.17g\t%.17g\n", u, r->x[u], r->qx[u], r->first[u],
                r->xc[u]);
    fclose(out);
    cafe_bounds_free(found);
    cafe_operator_free(op);
    cafe_sampled_free(sampled);
    cafe_graph_free(graph);
}

/* GRAPH OUT: the upper bound on the modularity, as explain has it: with the layers' communities. */
static void ceiling(char **word) {
    cafe_graph *graph = graph_of(word[0]);
    cafe_sampled *sampled = NULL;
    cafe_operator *op = operator_of(graph, &sampled);
    cafe_layers *layers = NULL;
    cafe_ceiling c;
    must(cafe_layers_find(context, op, NULL, &layers));
    const cafe_layer *top = cafe_layers_get(layers, cafe_layers_count(layers) - 1);
    must(cafe_ceiling_find(context, op, top->partition, NULL, &c));
    FILE *out = out_of(word[1]);
    fprintf(out, "%.17g\n", c.bound);
    fclose(out);
    cafe_layers_free(layers);
    cafe_operator_free(op);
    cafe_sampled_free(sampled);
    cafe_graph_free(graph);
}

/* classify|link GRAPH LABELS OUT: the means of all figures, shares as the tool has them. */
static void evaluate(char **word) {
    static const double share = 0.5;
    cafe_graph *graph = graph_of(word[1]);
    cafe_features features = {.struct_size = sizeof features,
                              .method = cafe_method_find(NULL, "sphere")};
    cafe_classifier classifier = {.struct_size = sizeof classifier};
    cafe_targets targets = {0};
    cafe_labels *labels = NULL;
    cafe_evaluation *e = NULL;
    must(cafe_classifier_logistic(context, NULL, &classifier));
    must(cafe_labels_read(context, graph, word[2], NULL, NULL, &labels));
    must(cafe_targets_from_labels(context, cafe_graph_nodes(graph), labels, &targets));
    if (word[0][0] == 'c') { /* a method without labels makes its vectors once */
        cafe_embedding *embedding = NULL;
        must(cafe_embed(context, graph, features.method, NULL, NULL, &embedding));
        features.columns = cafe_embedding_certificate(embedding)->columns;
        size_t entries = (size_t)(cafe_embedding_certificate(embedding)->nodes * features.columns);
        float *block = malloc(entries * sizeof *block);
        must(cafe_embedding_copy(embedding, block));
        features.method = NULL;
        features.block = block;
        must(cafe_classify(context, &targets, &features, &classifier, NULL, 1, &share, &e));
        cafe_embedding_free(embedding);
        free(block);
    } else {
        must(cafe_link(context, graph, &features, &classifier, NULL, 1, &share, &e));
    }
    FILE *out = out_of(word[3]);
    for (int64_t m = 0; m < cafe_evaluation_metrics(e); m++) {
        cafe_figure figure;
        cafe_evaluation_figure(e, 0, m, &figure);
        fprintf(out, "%s %.17g\n", cafe_evaluation_metric_name(e, m), figure.mean);
    }
    fclose(out);
    cafe_evaluation_free(e);
    cafe_targets_free(context, &targets);
    cafe_labels_free(labels);
    cafe_graph_free(graph);
}

/* ---- inside other calls ---------------------------------------------------------------------- */

static void agree(const char *what, const void *a, const void *b, size_t bytes) {
    if (memcmp(a, b, bytes) == 0) return;
    fprintf(stderr, "%s: NULL is not the defaults\n", what);
    exit(1);
}

/* A call with NULL and with an initialised struct: `body` makes results x[0] and x[1] by `o`. */
#define BOTH(type, body)                            \
    do {                                            \
        cafe_##type##_options own;                  \
        const cafe_##type##_options *o = NULL;      \
        cafe_##type##_options_init(&own);           \
        for (int i = 0; i < 2; i++, o = &own) body; \
    } while (0)

static void copy_solution(cafe_solution *solution, float *h, int64_t *columns) {
    *columns = cafe_solution_get(solution)->columns;
    must(cafe_solution_copy(solution, h));
    cafe_solution_free(solution);
}

/* Solvers, the finish and the certificate by an operator. */
static void solvers(const cafe_operator *op, int64_t n) {
    enum { MOST = 1 << 16 };
    static float h[2][MOST];
    static int32_t part[2][MOST];
    int64_t k[2];
    cafe_solution *solution = NULL;
    cafe_embedding *embedding = NULL;
    cafe_memberships *sparse = NULL;
    cafe_layers *layers = NULL;
    BOTH(sphere, {
        must(cafe_sphere(context, op, o, NULL, &solution));
        copy_solution(solution, h[i], &k[i]);
    });
    agree("sphere", h[0], h[1], (size_t)(n * k[0]) * sizeof **h);
    BOTH(softmax, {
        must(cafe_softmax(context, op, o, NULL, NULL, &solution));
        copy_solution(solution, h[i], &k[i]);
    });
    agree("softmax", h[0], h[1], (size_t)(n * k[0]) * sizeof **h);
    BOTH(softmax, {
        must(cafe_softmax_sparse(context, op, o, NULL, NULL, &sparse));
        must(cafe_memberships_partition(context, sparse, part[i], &k[i]));
        cafe_memberships_free(sparse);
    });
    agree("sparse softmax", part[0], part[1], (size_t)n * sizeof **part);
    BOTH(layers, {
        must(cafe_layers_find(context, op, o, &layers));
        const cafe_layer *top = cafe_layers_get(layers, cafe_layers_count(layers) - 1);
        memcpy(part[i], top->partition, (size_t)n * sizeof **part);
        cafe_layers_free(layers);
    });
    agree("layers", part[0], part[1], (size_t)n * sizeof **part);
    BOTH(finish, {
        must(cafe_sphere(context, op, NULL, NULL, &solution));
        must(cafe_finish(context, op, &solution, o, &embedding));
        must(cafe_embedding_copy(embedding, h[i]));
        k[i] = cafe_embedding_certificate(embedding)->columns;
        cafe_embedding_free(embedding);
    });
    agree("finish", h[0], h[1], (size_t)(n * k[0]) * sizeof **h);
    BOTH(finish, {
        own.form = CAFE_FORM_RAW; /* certify's own default: the vectors as they are */
        must(cafe_certify(context, op, 4, h[0], o, &embedding));
        must(cafe_embedding_copy(embedding, h[i] + MOST / 2));
        cafe_embedding_free(embedding);
    });
    agree("certify", h[0] + MOST / 2, h[1] + MOST / 2, (size_t)(n * 4) * sizeof **h);
}

/* What is made of vectors: their explanation, neighbours, pictures. */
static void readers(const cafe_operator *op, const cafe_graph *graph, const float *x) {
    enum { K = 4, NEAR = 5, PIXELS = 3 * 4096 * 4096 };
    int64_t n = cafe_graph_nodes(graph);
    static double value[2][64];
    static int32_t node[2][NEAR];
    static double score[2][NEAR];
    cafe_explanation *explanation = NULL;
    cafe_spectrum *spectrum = NULL;
    cafe_similar *similar = NULL;
    BOTH(explain, {
        cafe_dimension_card card;
        must(cafe_explain(context, op, K, x, NULL, o, &explanation));
        cafe_explain_dimension(explanation, 0, &card);
        value[i][0] = (double)card.ends;
        if (i == 0) cafe_explanation_free(explanation);
    });
    agree("explain", value[0], value[1], sizeof **value);
    BOTH(spectrum, {
        must(cafe_spectrum_find(context, explanation, o, &spectrum));
        const cafe_spectrum_report *r = cafe_spectrum_get(spectrum);
        memcpy(value[i], r->values, (size_t)r->count * sizeof **value);
        value[i][63] = (double)r->count;
        cafe_spectrum_free(spectrum);
    });
    agree("spectrum", value[0], value[1], sizeof *value);
    cafe_explanation_free(explanation);
    BOTH(similar, {
        const int32_t self = 0;
        must(cafe_similar_create(context, n, K, x, o, &similar));
        must(cafe_similar_search(context, similar, 1, x, &self, NEAR, node[i], score[i]));
        cafe_similar_free(similar);
    });
    agree("similar", node[0], node[1], sizeof *node);
    uint8_t *rgb[2] = {calloc(PIXELS, 1), calloc(PIXELS, 1)};
    BOTH(plot, {
        cafe_plot_inputs in;
        cafe_plot_inputs_init(&in);
        in.n = n;
        in.xy = x;
        in.graph = graph;
        must(cafe_plot_pixels(context, &in, o, rgb[i]));
    });
    agree("plot", rgb[0], rgb[1], PIXELS);
    free(rgb[0]);
    free(rgb[1]);
    BOTH(view, {
        cafe_view_inputs in;
        cafe_view_report report;
        cafe_view_inputs_init(&in);
        in.columns = K;
        in.vectors = x;
        must(cafe_view_write(context, graph, &in, o, "page.html", 1, &report));
        value[i][0] = (double)report.bytes;
        value[i][1] = (double)report.columns;
    });
    agree("view", value[0], value[1], 2 * sizeof **value);
}

/* GRAPH VECTORS: of four columns. */
static void others(char **word) {
    cafe_graph *graph = graph_of(word[0]);
    cafe_sampled *sampled = NULL;
    cafe_operator *op = operator_of(graph, &sampled);
    cafe_transition *transition = NULL;
    static int32_t before[4096], after[4096];
    int64_t n = cafe_graph_nodes(graph), columns, heirs[2];
    float *x = NULL;
    must(cafe_vectors_read(context, graph, word[1], &columns, &x, NULL));
    solvers(op, n);
    readers(op, graph, x);
    for (int32_t u = 0; u < n; u++) {
        before[u] = u % 4;
        after[u] = u * 7 / 10 % 5;
    }
    BOTH(transition, {
        must(cafe_transition_find(context, n, before, after, NULL, o, &transition));
        heirs[i] = cafe_transition_get(transition)->born;
        cafe_transition_free(transition);
    });
    agree("transition", heirs, heirs + 1, sizeof *heirs);
    cafe_block_free(context, x);
    cafe_operator_free(op);
    cafe_sampled_free(sampled);
    cafe_graph_free(graph);
}

int main(int count, char **word) {
    static const struct {
        const char *name;
        void (*run)(char **word);
        int words;
    } calls[] = {{"embed", embed, 4},     {"cluster", cluster, 4},     {"model", model, 4},
                 {"reduce", reduce, 2},   {"points", points, 3},       {"map", map, 3},
                 {"rank", rank, 2},       {"recommend", recommend, 2}, {"update", update, 4},
                 {"place", place, 4},     {"generate", generate, 2},   {"bounds", bounds, 2},
                 {"ceiling", ceiling, 2}, {"evaluate", evaluate, 4},   {"others", others, 2}};
    int code = 2;
    if (count < 2 || cafe_context_create(NULL, &context) != CAFE_OK) return 2;
    cafe_lab_add(context);
    for (size_t i = 0; i < sizeof calls / sizeof *calls && code; i++) {
        if (strcmp(calls[i].name, word[1]) != 0 || count - 2 != calls[i].words) continue;
        calls[i].run(word + 2);
        code = 0;
    }
    cafe_context_free(context);
    return code;
}
