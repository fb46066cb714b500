/* The two experiments of the paper that are no evaluation: point clouds reduced, and softmax
 * clustering with K = 2 against the dominant eigenvector.
 */
#define _GNU_SOURCE
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "reproduce.h"

enum { WIDTH = 30, COLUMNS = 6, CIRCLES = 200, STARTS = 20 };

static bool is_asked(const reproduce_job *job, const char *set) {
    return !job->set || strcmp(job->set, set) == 0;
}

/* ---- point clouds ---------------------------------------------------------------------------- */

/* The rows of a d x 30 matrix with orthonormal rows: cosines of different frequencies. */
static double basis(int64_t row, int64_t column) {
    double angle = 3.14159265358979323846 * ((double)column + 0.5) * (double)(row + 1) / WIDTH;
    return sqrt(2.0 / WIDTH) * cos(angle);
}

/* n x d points into n x 30. */
static float *lift(int64_t n, int64_t d, const float *points) {
    float *x = malloc((size_t)(n * WIDTH) * sizeof *x);
    for (int64_t i = 0; x && i < n; i++)
        for (int64_t j = 0; j < WIDTH; j++) {
            double sum = 0;
            for (int64_t k = 0; k < d; k++) sum += (double)points[i * d + k] * basis(k, j);
            x[i * WIDTH + j] = (float)sum;
        }
    return x;
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
static int reduce_cloud(reproduce_job *job, int64_t n, int64_t d, const float *points,
                        reproduce_result *result) {
    cafe_reduction *reduction = NULL;
    cafe_reduction_report report;
    cafe_reduce_options o;
    cafe_reduce_options_init(&o);
    o.columns = COLUMNS;
    o.theta = 0.010;
    o.keep_empty = 1;
    float *x = lift(n, d, points);
    if (!x) return cli_error(&job->run, CLI_FAILED, "out of memory");
    int code = cli_check(&job->run, cafe_reduce(job->run.context, n, WIDTH, x, &o, &reduction));
    if (code == CLI_OK) {
        const cafe_paper_published *p =
            cafe_paper_published_find("reduction", result->set, "CAFE-GCN");
        report = *cafe_reduction_get(reduction);
        for (int64_t j = 0; j < report.columns && j < COLUMNS && report.projections; j++) {
            reproduce_cell *cell = &result->cell[result->cells++];
            cell->ours = fabs(report.projections[j]);
            if (p && j < p->count) cell->published = p->figures[2 * j];
            if (p && j < d) cell->published_spread = 5e-5; /* printed as 0 */
            if (j >= d) cell->published = NAN;
        }
    }
    cafe_reduction_free(reduction);
    free(x);
    return code;
}

static int read_cloud(reproduce_job *job, const char *path, reproduce_result *result) {
    cafe_table *table = NULL;
    int code = cli_check(&job->run, cafe_table_read(job->run.context, path, &table));
    if (code == CLI_OK)
        code = reduce_cloud(job, cafe_table_rows(table), cafe_table_columns(table),
                            cafe_table_values(table), result);
    cafe_table_free(table);
    return code;
}

static int run_cloud(reproduce_job *job, const char *set) {
    float circles[2 * CIRCLES];
    double began = cli_seconds();
    reproduce_result *result = reproduce_add(job, "reduction", set, "CAFE-GCN");
    if (!result) return cli_error(&job->run, CLI_FAILED, "out of memory");
    if (strcmp(set, "circles") == 0) {
        draw_circles(circles);
        return reduce_cloud(job, CIRCLES, 2, circles, result);
    }
    char *path = reproduce_path(job, set, "points.txt");
    int code = CLI_OK;
    result->missing = !path;
    if (path)
        code = read_cloud(job, path, result);
    else
        cli_warn(&job->run, "%s is not in %s: left out; %s", set, job->data,
                 cafe_paper_set_find(set)->source);
    free(path);
    result->seconds = cli_seconds() - began;
    return code;
}

int reproduce_reduction(reproduce_job *job) {
    int code = CLI_OK;
    const char *const *set = cafe_paper_table_find("reduction")->sets;
    for (; *set && code == CLI_OK; set++)
        if (is_asked(job, *set)) code = run_cloud(job, *set);
    return code;
}

/* ---- K = 2 ----------------------------------------------------------------------------------- */

static int compare_eigenvector(reproduce_job *job, const cafe_graph *graph,
                               reproduce_result *result) {
    cafe_context *context = job->run.context;
    cafe_sampled *sampled = NULL;
    cafe_operator *op = NULL;
    cafe_bounds *bounds = NULL;
    cafe_bounds_options o;
    cafe_bounds_report report;
    cafe_bounds_options_init(&o);
    o.restarts = STARTS;
    cafe_status status = cafe_sample(context, graph, CAFE_SAMPLING_EDGE, NULL, NULL, &sampled);
    if (status == CAFE_OK) status = cafe_operator_modularity(context, sampled, &op);
    if (status == CAFE_OK) status = cafe_bounds_find(context, op, &o, &bounds);
    if (status == CAFE_OK) {
        report = *cafe_bounds_get(bounds);
        const cafe_bound *b = &report.centred;
        result->cell[0].ours = b->cosine_qx;
        result->cell[1].ours = report.gap.delta;
        result->cell[2].ours = b->applies;
        result->cell[3].ours = b->applies ? b->second : NAN;
        result->cells = 4;
    }
    cafe_bounds_free(bounds);
    cafe_operator_free(op);
    cafe_sampled_free(sampled);
    return cli_check(&job->run, status);
}

static cafe_status generate(reproduce_job *job, cafe_generator model, cafe_graph **graph) {
    cafe_generate_options o;
    cafe_generate_options_init(&o);
    o.nodes = 200;
    o.edges = model == CAFE_GENERATOR_BA ? 591 : 2500;
    o.blocks = 2;
    o.mixing = 0.2;
    return cafe_generate(job->run.context, model, &o, graph, NULL);
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

/* The links among the nodes with keep[u] != 0; the others become isolated nodes, which Q does not
 * see. */
static cafe_status subgraph(cafe_context *context, const cafe_graph *whole, const uint8_t *keep,
                            cafe_graph **graph) {
    const int64_t *offsets;
    const int32_t *targets;
    const float *weights;
    int64_t n = cafe_graph_nodes(whole), count = 0;
    cafe_graph_csr(whole, &offsets, &targets, &weights);
    int32_t *source = malloc((size_t)offsets[n] * sizeof *source + 1);
    int32_t *target = malloc((size_t)offsets[n] * sizeof *target + 1);
    cafe_status status = source && target ? CAFE_OK : CAFE_ERROR_MEMORY;
    for (int64_t u = 0; u < n && status == CAFE_OK; u++)
        for (int64_t j = offsets[u]; j < offsets[u + 1]; j++)
            if (u < targets[j] && keep[u] && keep[targets[j]]) {
                source[count] = (int32_t)u;
                target[count++] = targets[j];
            }
    if (status == CAFE_OK)
        status = cafe_graph_from_edges(context, n, count, source, target, NULL, NULL, graph);
    free(source);
    free(target);
    return status;
}

/* keep[u] = 1 for the nodes of the component that has most of them. */
static cafe_status largest_component(cafe_context *context, const cafe_graph *graph,
                                     uint8_t *keep) {
    int64_t n = cafe_graph_nodes(graph), count = 0, largest = 0;
    int32_t *component = malloc((size_t)n * sizeof *component + 1);
    int64_t *size = NULL;
    cafe_status status =
        component ? cafe_graph_components(context, graph, component, &count) : CAFE_ERROR_MEMORY;
    if (status == CAFE_OK && !(size = calloc((size_t)count + 1, sizeof *size)))
        status = CAFE_ERROR_MEMORY;
    for (int64_t u = 0; u < n && status == CAFE_OK; u++)
        if (++size[component[u]] > size[largest]) largest = component[u];
    for (int64_t u = 0; u < n && status == CAFE_OK; u++) keep[u] = component[u] == largest;
    free(component);
    free(size);
    return status;
}

/* email-Eu-core: the two largest departments, the largest component of their links. */
static cafe_status two_departments(reproduce_job *job, const char *edges, const char *labels,
                                   cafe_graph **graph) {
    cafe_context *context = job->run.context;
    cafe_graph *whole = NULL, *part = NULL;
    cafe_labels *read = NULL;
    int32_t *label = NULL, chosen[2] = {0, 0};
    uint8_t *keep = NULL;
    cafe_status status = cafe_graph_read(context, edges, NULL, &whole);
    int64_t added, n = 0;
    if (status == CAFE_OK) status = cafe_graph_add_labelled(context, labels, &whole, &added);
    if (status == CAFE_OK) status = cafe_labels_read(context, whole, labels, &read);
    if (status == CAFE_OK) {
        n = cafe_graph_nodes(whole);
        label = malloc((size_t)n * sizeof *label + 1);
        keep = malloc((size_t)n + 1);
        status = label && keep ? cafe_labels_single(context, read, label) : CAFE_ERROR_MEMORY;
    }
    if (status == CAFE_OK) {
        two_largest(n, label, cafe_labels_classes(read), chosen);
        for (int64_t u = 0; u < n; u++) keep[u] = label[u] == chosen[0] || label[u] == chosen[1];
        status = subgraph(context, whole, keep, &part);
    }
    if (status == CAFE_OK) status = largest_component(context, part, keep);
    if (status == CAFE_OK) status = subgraph(context, part, keep, graph);
    cafe_graph_free(whole);
    cafe_graph_free(part);
    cafe_labels_free(read);
    free(label);
    free(keep);
    return status;
}

static int read_email(reproduce_job *job, reproduce_result *result, cafe_graph **graph) {
    char *edges = reproduce_path(job, "email-eu-core", "edges.txt");
    char *labels = reproduce_path(job, "email-eu-core", "labels.txt");
    int code = CLI_OK;
    result->missing = !edges || !labels;
    if (result->missing)
        cli_warn(&job->run, "email-eu-core is not in %s: left out; %s", job->data,
                 cafe_paper_set_find("email-eu-core")->source);
    else
        code = cli_check(&job->run, two_departments(job, edges, labels, graph));
    free(edges);
    free(labels);
    return code;
}

static int read_karate(reproduce_job *job, reproduce_result *result, cafe_graph **graph) {
    char *edges = reproduce_path(job, "karate", "edges.txt");
    int code = CLI_OK;
    result->missing = !edges;
    if (edges)
        code = cli_check(&job->run, cafe_graph_read(job->run.context, edges, NULL, graph));
    else
        cli_warn(&job->run, "karate is not in %s: left out; %s", job->data,
                 cafe_paper_set_find("karate")->source);
    free(edges);
    return code;
}

int reproduce_eigenvectors(reproduce_job *job) {
    static const char *const sets[] = {"karate", "sbm", "ba", "email-eu-core"};
    int code = CLI_OK;
    for (int i = 0; i < 4 && code == CLI_OK; i++) {
        cafe_graph *graph = NULL;
        if (!is_asked(job, sets[i])) continue;
        reproduce_result *result = reproduce_add(job, "eigenvectors", sets[i], "CAFE-GCN, K = 2");
        if (!result) return cli_error(&job->run, CLI_FAILED, "out of memory");
        if (i == 0) code = read_karate(job, result, &graph);
        if (i == 1) code = cli_check(&job->run, generate(job, CAFE_GENERATOR_SBM, &graph));
        if (i == 2) code = cli_check(&job->run, generate(job, CAFE_GENERATOR_BA, &graph));
        if (i == 3) code = read_email(job, result, &graph);
        if (code == CLI_OK && graph) code = compare_eigenvector(job, graph, result);
        cafe_graph_free(graph);
    }
    return code;
}
