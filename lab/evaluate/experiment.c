/* The two experiments of the paper that are no evaluation: point clouds reduced, and softmax
 * clustering with K = 2 against the dominant eigenvector.
 */
#include <limits.h>
#include <math.h>
#include <string.h>

#include <cafe-private/inputs.h>
#include <cafe/bounds.h>
#include <cafe/generate.h>
#include <cafe/labels.h>
#include <cafe/paper.h>
#include <cafe/reduce.h>
#include <cafe/sample.h>

#include "base/memory.h"
#include "graph/builder.h"

enum { WIDTH = 30, COLUMNS = 6, CIRCLES = 200, STARTS = 20 };

struct cafe_experiment {
    cafe_context *context;
    cafe_experiment_report report;
    cafe_experiment_cell cells[COLUMNS];
};

static void add_cell(cafe_experiment *e, double ours, double published, double spread) {
    e->cells[e->report.count++] = (cafe_experiment_cell){ours, published, spread};
}

/* The path of a file of the set; false, and the experiment is marked: it is not there. */
static bool find_file(cafe_experiment *e, const char *data, const char *name, char path[PATH_MAX]) {
    if (data && cafe_paper_path(data, e->report.set, name, path, PATH_MAX) > 0) return true;
    e->report.missing = 1;
    return false;
}

/* ---- point clouds ---------------------------------------------------------------------------- */

/* The rows of a d x 30 matrix with orthonormal rows: cosines of different frequencies. */
static double basis(int64_t row, int64_t column) {
    double angle = 3.14159265358979323846 * ((double)column + 0.5) * (double)(row + 1) / WIDTH;
    return sqrt(2.0 / WIDTH) * cos(angle);
}

/* n x d points into n x 30. */
static void lift(int64_t n, int64_t d, const float *points, float *x) {
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < WIDTH; j++) {
            double sum = 0;
            for (int64_t k = 0; k < d; k++) sum += (double)points[i * d + k] * basis(k, j);
            x[i * WIDTH + j] = (float)sum;
        }
}

/* Two concentric circles of radii 1 and 1/2. */
static void draw_circles(float *points) {
    for (int i = 0; i < CIRCLES; i++) {
        double radius = i < CIRCLES / 2 ? 1 : 0.5;
        double angle = 2 * 3.14159265358979323846 * i / (CIRCLES / 2);
        points[2 * i] = (float)(radius * cos(angle));
        points[2 * i + 1] = (float)(radius * sin(angle));
    }
}

/* Only the first d columns, d the dimension of the cloud, are compared: the others are arbitrary.
 */
static void fill_projections(cafe_experiment *e, int64_t d, const cafe_reduction_report *found) {
    const cafe_paper_published *p =
        cafe_paper_published_find(e->report.table, e->report.set, e->report.method);
    for (int64_t j = 0; j < found->columns && j < COLUMNS && found->projections; j++) {
        bool told = p && j < d;
        add_cell(e, fabs(found->projections[j]), told && j < p->count ? p->figures[2 * j] : NAN,
                 told ? 5e-5 : NAN); /* printed as 0 */
    }
}

static cafe_status reduce_cloud(cafe_experiment *e, int64_t n, int64_t d, const float *points) {
    cafe_context *context = e->context;
    cafe_status status = CAFE_OK;
    cafe_reduction *reduction = NULL;
    cafe_reduce_options o;
    cafe_reduce_options_init(&o);
    o.columns = COLUMNS;
    o.theta = 0.010;
    o.keep_empty = 1;
    float *x = cafe_mem(context, n * WIDTH, sizeof *x);
    CAFE_TRY(cafe_mem_had(x));
    lift(n, d, points, x);
    CAFE_TRY(cafe_reduce(context, n, WIDTH, x, &o, &reduction));
    fill_projections(e, d, cafe_reduction_get(reduction));
done:
    cafe_reduction_free(reduction);
    cafe_mem_free(context, x);
    return status;
}

static cafe_status reduce_circles(cafe_experiment *e) {
    float circles[2 * CIRCLES];
    draw_circles(circles);
    return reduce_cloud(e, CIRCLES, 2, circles);
}

static cafe_status reduce_set(cafe_experiment *e, const char *data) {
    cafe_status status = CAFE_OK;
    cafe_table *table = NULL;
    char path[PATH_MAX];
    e->report.method = "CAFE-GCN";
    if (strcmp(e->report.set, "circles") == 0) return reduce_circles(e);
    if (!find_file(e, data, "points.txt", path)) return CAFE_OK;
    CAFE_TRY(cafe_table_read(e->context, path, &table));
    CAFE_TRY(reduce_cloud(e, cafe_table_rows(table), cafe_table_columns(table),
                          cafe_table_values(table)));
done:
    cafe_table_free(table);
    return status;
}

/* ---- graphs for K = 2 ------------------------------------------------------------------------ */

static cafe_status generate(cafe_context *context, cafe_generator model, cafe_graph **graph) {
    cafe_generate_options o;
    cafe_generate_options_init(&o);
    o.nodes = 200;
    o.edges = model == CAFE_GENERATOR_BA ? 591 : 2500;
    o.blocks = 2;
    o.mixing = 0.2;
    return cafe_generate(context, model, &o, graph, NULL);
}

/* The two largest classes of a partition. */
static void two_largest(int64_t n, const int32_t *label, int64_t classes, int32_t chosen[2]) {
    int64_t size[2] = {-1, -1};
    for (int32_t c = 0; c < classes; c++) {
        int64_t count = 0;
        for (int64_t u = 0; u < n; u++) count += label[u] == c;
        for (int i = 0; i < 2; i++) {
            if (count <= size[i]) continue;
            if (i == 0) size[1] = size[0], chosen[1] = chosen[0];
            size[i] = count;
            chosen[i] = c;
            break;
        }
    }
}

/* The edges among the nodes with keep[u] != 0; the others become isolated nodes, which Q does not
 * see. */
static cafe_status subgraph(cafe_context *context, const cafe_graph *whole, const uint8_t *keep,
                            cafe_graph **graph) {
    cafe_status status = CAFE_OK;
    const int64_t *offsets;
    const int32_t *targets;
    const float *weights;
    int64_t n = cafe_graph_nodes(whole), count = 0;
    cafe_graph_csr(whole, &offsets, &targets, &weights);
    int32_t *source = cafe_mem(context, offsets[n], sizeof *source);
    int32_t *target = cafe_mem(context, offsets[n], sizeof *target);
    CAFE_TRY(cafe_mem_had(source, target));
    for (int64_t u = 0; u < n; u++)
        for (int64_t j = offsets[u]; j < offsets[u + 1]; j++)
            if (u < targets[j] && keep[u] && keep[targets[j]]) {
                source[count] = (int32_t)u;
                target[count++] = targets[j];
            }
    CAFE_TRY(cafe_graph_from_edges(context, n, count, source, target, NULL, NULL, graph));
done:
    cafe_mem_free_all(context, source, target);
    return status;
}

/* keep[u] = 1 for the nodes of the component that has most of them. */
static cafe_status largest_component(cafe_context *context, const cafe_graph *graph,
                                     uint8_t *keep) {
    cafe_status status = CAFE_OK;
    int64_t n = cafe_graph_nodes(graph), count = 0, largest = 0, *size = NULL;
    int32_t *component = cafe_mem(context, n, sizeof *component);
    CAFE_TRY(cafe_mem_had(component));
    CAFE_TRY(cafe_graph_components(context, graph, component, &count));
    size = cafe_mem_zero(context, count, sizeof *size);
    CAFE_TRY(cafe_mem_had(size));
    for (int64_t u = 0; u < n; u++)
        if (++size[component[u]] > size[largest]) largest = component[u];
    for (int64_t u = 0; u < n; u++) keep[u] = component[u] == largest;
done:
    cafe_mem_free_all(context, component, size);
    return status;
}

/* keep[u] = 1 for the nodes of the two largest classes. */
static cafe_status two_classes(cafe_context *context, const cafe_labels *labels, int64_t n,
                               uint8_t *keep) {
    cafe_status status = CAFE_OK;
    int32_t chosen[2] = {0, 0}, *label = cafe_mem(context, n, sizeof *label);
    CAFE_TRY(cafe_mem_had(label));
    CAFE_TRY(cafe_labels_single(context, labels, label));
    two_largest(n, label, cafe_labels_classes(labels), chosen);
    for (int64_t u = 0; u < n; u++) keep[u] = label[u] == chosen[0] || label[u] == chosen[1];
done:
    cafe_mem_free(context, label);
    return status;
}

/* email-Eu-core: the two largest departments, the largest component of their edges. */
static cafe_status two_departments(cafe_context *context, const char *edges, const char *labels,
                                   cafe_graph **graph) {
    cafe_status status = CAFE_OK;
    cafe_graph *whole = NULL, *part = NULL;
    cafe_labels *read = NULL;
    uint8_t *keep = NULL;
    int64_t added;
    CAFE_TRY(cafe_graph_read(context, edges, NULL, &whole));
    CAFE_TRY(cafe_graph_add_labelled(context, labels, NULL, &whole, &added));
    CAFE_TRY(cafe_labels_read(context, whole, labels, NULL, NULL, &read));
    keep = cafe_mem(context, cafe_graph_nodes(whole), sizeof *keep);
    CAFE_TRY(cafe_mem_had(keep));
    CAFE_TRY(two_classes(context, read, cafe_graph_nodes(whole), keep));
    CAFE_TRY(subgraph(context, whole, keep, &part));
    CAFE_TRY(largest_component(context, part, keep));
    CAFE_TRY(subgraph(context, part, keep, graph));
done:
    cafe_graph_free(whole);
    cafe_graph_free(part);
    cafe_labels_free(read);
    cafe_mem_free(context, keep);
    return status;
}

/* The graph of a set; none: it is not there. */
static cafe_status open_graph(cafe_experiment *e, const char *data, cafe_graph **graph) {
    const char *set = e->report.set;
    char edges[PATH_MAX], labels[PATH_MAX];
    if (strcmp(set, "sbm") == 0) return generate(e->context, CAFE_GENERATOR_SBM, graph);
    if (strcmp(set, "ba") == 0) return generate(e->context, CAFE_GENERATOR_BA, graph);
    if (!find_file(e, data, "edges.txt", edges)) return CAFE_OK;
    if (strcmp(set, "karate") == 0) return cafe_graph_read(e->context, edges, NULL, graph);
    if (!find_file(e, data, "labels.txt", labels)) return CAFE_OK;
    return two_departments(e->context, edges, labels, graph);
}

/* ---- K = 2 ----------------------------------------------------------------------------------- */

static cafe_status compare_eigenvector(cafe_experiment *e, const cafe_graph *graph) {
    cafe_status status = CAFE_OK;
    cafe_sampled *sampled = NULL;
    cafe_operator *op = NULL;
    cafe_bounds *bounds = NULL;
    cafe_bounds_options o;
    cafe_bounds_options_init(&o);
    o.restarts = STARTS;
    CAFE_TRY(cafe_sample(e->context, graph, CAFE_SAMPLING_EDGE, NULL, NULL, &sampled));
    CAFE_TRY(cafe_operator_modularity(e->context, sampled, &op));
    CAFE_TRY(cafe_bounds_find(e->context, op, &o, &bounds));
    const cafe_bounds_report *found = cafe_bounds_get(bounds);
    const cafe_bound *b = &found->centred;
    add_cell(e, b->cosine_qx, NAN, NAN);
    add_cell(e, found->gap.delta, NAN, NAN);
    add_cell(e, b->applies, NAN, NAN);
    add_cell(e, b->applies ? b->second : NAN, NAN, NAN);
done:
    cafe_bounds_free(bounds);
    cafe_operator_free(op);
    cafe_sampled_free(sampled);
    return status;
}

static cafe_status compare_set(cafe_experiment *e, const char *data) {
    cafe_status status = CAFE_OK;
    cafe_graph *graph = NULL;
    e->report.method = "CAFE-GCN, K = 2";
    CAFE_TRY(open_graph(e, data, &graph));
    if (graph) CAFE_TRY(compare_eigenvector(e, graph));
done:
    cafe_graph_free(graph);
    return status;
}

/* ---- the experiment -------------------------------------------------------------------------- */

/* The set as the table has it, which lives as long as the library. */
static cafe_status take_names(cafe_experiment *e, const char *table, const char *set) {
    const cafe_paper_table *known = cafe_paper_table_find(table);
    if (!known || known->metrics[0])
        return cafe_fail(e->context, CAFE_ERROR_ARGUMENT,
                         "table '%s': expected reduction or eigenvectors", table);
    e->report.table = known->name;
    for (const char *const *at = known->sets; *at; at++)
        if (strcmp(*at, set) == 0) e->report.set = *at;
    if (e->report.set) return CAFE_OK;
    return cafe_fail(e->context, CAFE_ERROR_ARGUMENT, "set '%s': not in the table %s", set, table);
}

void cafe_experiment_free(cafe_experiment *experiment) {
    if (experiment) cafe_mem_free(experiment->context, experiment);
}

const cafe_experiment_report *cafe_experiment_get(const cafe_experiment *experiment) {
    return &experiment->report;
}

cafe_status cafe_experiment_run(cafe_context *context, const char *table, const char *set,
                                const char *data, cafe_experiment **experiment) {
    cafe_status status = CAFE_OK;
    cafe_experiment *e = cafe_mem_zero(context, 1, sizeof *e);
    *experiment = NULL;
    CAFE_TRY(cafe_mem_had(e));
    e->context = context;
    e->report.cells = e->cells;
    CAFE_TRY(take_names(e, table, set));
    CAFE_TRY(strcmp(table, "reduction") == 0 ? reduce_set(e, data) : compare_set(e, data));
    *experiment = e;
    e = NULL;
done:
    cafe_experiment_free(e);
    return status;
}
