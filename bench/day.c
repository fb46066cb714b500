/* A day of a large graph, beside fresh runs: processor seconds of every call, in one process and
 * one thread.
 *
 *     cafe-day [NODES EDGES CHANGES COLUMNS]       1000000 10000000 100 32
 *
 * A planted partition gets vectors and communities. Changes between random nodes and removed edges
 * come two days in a row, so that the second day has a state. The table is that of docs/update.md.
 */
#define _GNU_SOURCE
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cafe-private/changes.h>
#include <cafe-private/writers.h>
#include <cafe/lab.h>

static cafe_context *context;

static void need(cafe_status status) {
    if (status == CAFE_OK) return;
    fprintf(stderr, "cafe-day: %s\n", cafe_error(context));
    exit(1);
}

static double seconds(void) {
    static double before;
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    double now = (double)t.tv_sec + 1e-9 * (double)t.tv_nsec, passed = now - before;
    before = now;
    return passed;
}

static uint64_t random_number(void) {
    static uint64_t x = 88172645463325252u;
    x ^= x << 13, x ^= x >> 7, x ^= x << 17;
    return x >> 11;
}

/* Half of the changes add edges, half remove some. */
static cafe_changes *make_changes(const cafe_graph *graph, int64_t count) {
    const int64_t *offsets;
    const int32_t *targets;
    const float *weights;
    cafe_changes *changes;
    uint64_t n = (uint64_t)cafe_graph_nodes(graph);
    int32_t *source = malloc((size_t)count * sizeof *source),
            *target = malloc((size_t)count * sizeof *target);
    uint8_t *removed = malloc((size_t)count);
    cafe_graph_csr(graph, &offsets, &targets, &weights);
    for (int64_t i = 0; i < count; i++) {
        int32_t u = (int32_t)(random_number() % n), w = (int32_t)(random_number() % n);
        removed[i] = i % 2 && offsets[u + 1] > offsets[u];
        source[i] = u;
        target[i] = removed[i] ? targets[offsets[u]] : w;
    }
    need(cafe_changes_from_edges(context, graph, (int64_t)n, count, source, target, NULL, removed,
                                 &changes));
    free(source), free(target), free(removed);
    return changes;
}

static void fresh_vectors(const cafe_graph *graph, int64_t columns, float *rows) {
    cafe_sampled *sampled = NULL;
    cafe_operator *op = NULL;
    cafe_solution *solution = NULL;
    cafe_sample_options o;
    cafe_sphere_options so;
    cafe_sample_options_init(&o);
    o.degree_exponent = 0.25;
    cafe_sphere_options_init(&so);
    so.columns = columns;
    need(cafe_sample(context, graph, CAFE_SAMPLING_EDGE, &o, NULL, &sampled));
    need(cafe_operator_modularity(context, sampled, &op));
    need(cafe_sphere(context, op, &so, NULL, &solution));
    need(cafe_solution_copy(solution, rows));
    cafe_solution_free(solution);
    cafe_operator_free(op);
    cafe_sampled_free(sampled);
}

static double fresh_communities(const cafe_graph *graph, int32_t *part) {
    cafe_sampled *sampled = NULL;
    cafe_operator *op = NULL;
    cafe_layers *layers = NULL;
    need(cafe_sample(context, graph, CAFE_SAMPLING_EDGE, NULL, NULL, &sampled));
    need(cafe_operator_modularity(context, sampled, &op));
    need(cafe_layers_find(context, op, NULL, &layers));
    const cafe_layer *top = cafe_layers_get(layers, cafe_layers_count(layers) - 1);
    double modularity = top->modularity;
    memcpy(part, top->partition, (size_t)cafe_graph_nodes(graph) * sizeof *part);
    cafe_layers_free(layers);
    cafe_operator_free(op);
    cafe_sampled_free(sampled);
    return modularity;
}

static double modularity_of(const cafe_graph *graph, const int32_t *part) {
    const int64_t *offsets;
    const int32_t *targets;
    const float *weights;
    int64_t n = cafe_graph_nodes(graph);
    double *degree = calloc((size_t)n, sizeof *degree), inside = 0, squares = 0, m;
    cafe_graph_csr(graph, &offsets, &targets, &weights);
    m = (double)offsets[n];
    for (int64_t u = 0; u < n; u++) {
        degree[part[u]] += (double)(offsets[u + 1] - offsets[u]);
        for (int64_t j = offsets[u]; j < offsets[u + 1]; j++) inside += part[targets[j]] == part[u];
    }
    for (int64_t c = 0; c < n; c++) squares += degree[c] / m * (degree[c] / m);
    free(degree);
    return inside / m - squares;
}

static void report(const char *what, double spent) {
    printf("| %s | %.3f |\n", what, spent);
}

/* A day: rows and part become those of the next graph, which replaces the graph. */
static void day(cafe_graph **graph, int64_t count, int64_t columns, float **rows, int32_t *part,
                bool shown) {
    cafe_updated *updated = NULL;
    cafe_regrouped *regrouped = NULL;
    cafe_transition *transition = NULL;
    cafe_update_options o;
    cafe_update_options_init(&o);
    o.state = "cafe-day.state";
    int64_t n = cafe_graph_nodes(*graph);
    double spent[6];
    seconds();
    cafe_changes *changes = make_changes(*graph, count);
    spent[0] = seconds();
    need(cafe_update(context, changes, columns, *rows, &o, &updated));
    spent[1] = seconds();
    need(cafe_communities_update(context, changes, part, &regrouped));
    spent[2] = seconds();
    const cafe_regrouped_report *r = cafe_regrouped_get(regrouped);
    need(cafe_transition_find(context, n, part, r->after, NULL, NULL, &transition));
    spent[3] = seconds();
    const cafe_graph *now = cafe_changes_graph(changes);
    need(now ? CAFE_OK : CAFE_ERROR_MEMORY);
    spent[4] = seconds();
    need(cafe_updated_write(context, updated, changes, "cafe-day.npy", 1));
    need(cafe_regrouped_write(context, regrouped, changes, "cafe-day.tsv", 1));
    need(cafe_graph_write(context, now, "cafe-day.cafe", CAFE_FORMAT_AUTO, 1));
    spent[5] = seconds();
    if (shown) {
        report(cafe_updated_get(updated)->resumed ? "changes, state used" : "changes, no state",
               spent[0]);
        report("vectors (with reading the state)", spent[1]);
        report("communities", spent[2]);
        report("births, deaths, splits, mergers", spent[3]);
        report("new graph for --graph-out", spent[4]);
        report("writing vectors, state, communities, graph", spent[5]);
        printf("| nodes visited for communities | %lld |\n", (long long)r->visits);
    }
    float *next = malloc((size_t)(n * columns) * sizeof *next);
    cafe_updated_copy(updated, next);
    free(*rows);
    *rows = next;
    memcpy(part, r->partition, (size_t)n * sizeof *part);
    cafe_transition_free(transition);
    cafe_regrouped_free(regrouped);
    cafe_updated_free(updated);
    cafe_changes_free(changes);
    cafe_graph_free(*graph);
    need(cafe_graph_read(context, "cafe-day.cafe", NULL, graph));
}

int main(int count, char **words) {
    int64_t nodes = count > 1 ? atoll(words[1]) : 1000000,
            edges = count > 2 ? atoll(words[2]) : 10000000;
    int64_t changes = count > 3 ? atoll(words[3]) : 100, columns = count > 4 ? atoll(words[4]) : 32;
    char command[200];
    cafe_graph *graph = NULL;
    cafe_context_options options;
    cafe_context_options_init(&options);
    options.threads = 1;
    need(cafe_context_create(&options, &context));
    snprintf(command, sizeof command,
             "${CAFE:-build/cafe} generate planted --nodes %lld --edges %lld -q -f -o cafe-day.txt",
             (long long)nodes, (long long)edges);
    if (system(command) != 0) return 1;
    need(cafe_graph_read(context, "cafe-day.txt", NULL, &graph));
    nodes = cafe_graph_nodes(graph);
    float *rows = malloc((size_t)(nodes * columns) * sizeof *rows);
    int32_t *part = malloc((size_t)nodes * sizeof *part);
    unlink("cafe-day.state");
    printf("| call | processor seconds |\n|---|---:|\n");
    seconds();
    fresh_vectors(graph, columns, rows);
    report("fresh vectors, without reading and writing", seconds());
    fresh_communities(graph, part);
    report("fresh communities, the same", seconds());
    day(&graph, changes, columns, &rows, part, false);
    day(&graph, changes, columns, &rows, part, true);
    double now = modularity_of(graph, part);
    printf("| modularity, fresh | %.6f, %.6f |\n", now, fresh_communities(graph, part));
    cafe_graph_free(graph);
    cafe_context_free(context);
    free(rows), free(part);
    return 0;
}
