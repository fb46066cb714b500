/* A program that is built with the headers of one version and runs with the library of another.
 *
 * It prints figures that depend on options, on inputs, on a result that an object holds and on one
 * that a call fills in. EARLIER and LATER say which of the fabricated versions it is built with. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cafe-private/text.h>
#include <cafe/cafe.h>
#include <cafe/rank.h>

static cafe_context *context;

static void must(cafe_status status) {
    if (status == CAFE_OK) return;
    fprintf(stderr, "%s: %s\n", cafe_status_name(status), context ? cafe_error(context) : "");
    exit(1);
}

/* Two rings of ten nodes with one edge in between. */
static cafe_graph *make_graph(void) {
    int32_t source[21], target[21];
    cafe_graph *graph;
    for (int32_t i = 0; i < 20; i++) {
        source[i] = i;
        target[i] = i / 10 * 10 + (i + 1) % 10;
    }
    source[20] = 0, target[20] = 10;
    must(cafe_graph_from_edges(context, 20, 21, source, target, NULL, NULL, &graph));
    const cafe_graph_counts *counts = cafe_graph_get_counts(graph);
    printf("%d nodes, %d edges, %d component\n", (int)counts->nodes, (int)counts->edges,
           (int)counts->components);
    return graph;
}

/* What stands behind the caller's struct stays as it is. */
static void rank(const cafe_sampled *sampled) {
    struct {
        cafe_pagerank_report report;
        char behind[64];
    } found;
    double value[20];
    memset(&found, 0x55, sizeof found);
    must(cafe_rank_pagerank(context, sampled, NULL, NULL, value, &found.report));
    for (size_t i = 0; i < sizeof found.behind; i++)
        if (found.behind[i] != 0x55) exit(2);
    printf("pagerank %.6f, %d steps\n", value[0], (int)found.report.steps);
#ifdef LATER
    if (found.report.later != 0) exit(3); /* an older library does not know it */
#endif
}

static void embed(const cafe_operator *op) {
    cafe_sphere_options options;
    cafe_solution *solution = NULL;
    cafe_embedding *embedding;
    cafe_sphere_options_init(&options);
    options.columns = 3;
#ifdef LATER
    options.later = 1;
    if (cafe_sphere(context, op, &options, NULL, &solution) != CAFE_ERROR_ARGUMENT) exit(4);
    if (!strstr(cafe_error(context), "does not know")) exit(5);
    options.later = 0;
#endif
    must(cafe_sphere(context, op, &options, NULL, &solution));
    must(cafe_finish(context, op, &solution, NULL, &embedding));
    const cafe_certificate *certificate = cafe_embedding_certificate(embedding);
    printf("%d columns, rho %.6f\n", (int)certificate->columns, certificate->ritz_values[0]);
    cafe_embedding_free(embedding);
}

int main(void) {
    cafe_context_options options;
    cafe_sample_inputs inputs;
    cafe_sampled *sampled;
    cafe_operator *op;
    cafe_context_options_init(&options);
    options.threads = 2;
    must(cafe_context_create(&options, &context));
    cafe_graph *graph = make_graph();
    int32_t seeds[] = {0, 1};
    cafe_sample_inputs_init(&inputs);
    inputs.seeds = seeds, inputs.seed_count = 2;
    must(cafe_sample(context, graph, CAFE_SAMPLING_WALK, NULL, &inputs, &sampled));
    must(cafe_operator_modularity(context, sampled, &op));
    printf("%d seeds\n", (int)cafe_sampled_get_info(sampled)->seeds);
    rank(sampled);
    embed(op);
    cafe_operator_free(op);
    cafe_sampled_free(sampled);
    cafe_graph_free(graph);
    cafe_context_free(context);
    return 0;
}
