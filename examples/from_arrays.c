/* A graph from arrays: its communities, and a vector for every node, each by a run. What a program
 * does that holds a graph in memory and wants a forecast first and errors that it can act on. */
#include <stdio.h>

#include <cafe/cafe.h>

enum { NODES = 24, EDGES = 49 };

/* Two rings of twelve nodes; each node also knows the next but one. One edge joins the rings. */
static void rings(int32_t *u, int32_t *w) {
    for (int32_t i = 0; i < NODES; i++) {
        int32_t ring = i / 12 * 12;
        u[2 * i] = u[2 * i + 1] = i;
        w[2 * i] = ring + (i + 1) % 12;
        w[2 * i + 1] = ring + (i + 2) % 12;
    }
    u[EDGES - 1] = 0;
    w[EDGES - 1] = 12;
}

/* A run of any purpose: forecast, then all steps. Options are those of the tool, by name. */
static cafe_status go(cafe_context *context, const cafe_graph *graph, cafe_purpose purpose,
                      const char *option, const char *value, cafe_run **run) {
    cafe_run_forecast forecast;
    cafe_status status = cafe_run_create(context, purpose, NULL, run);
    if (status == CAFE_OK) status = cafe_run_set(*run, option, value);
    if (status == CAFE_OK) status = cafe_run_graph(*run, graph, NULL, NULL);
    if (status == CAFE_OK) status = cafe_run_plan(*run, &forecast);
    if (status == CAFE_OK && !forecast.fits) return CAFE_ERROR_LIMIT;
    return status == CAFE_OK ? cafe_run_go(*run) : status;
}

static cafe_status communities(cafe_context *context, const cafe_graph *graph) {
    cafe_run *run = NULL;
    cafe_status status = go(context, graph, CAFE_PURPOSE_COMMUNITIES, "resolution", "0.5", &run);
    if (status == CAFE_OK) {
        const cafe_layers *layers = cafe_run_get(run)->layers;
        const cafe_layer *best = cafe_layers_get(layers, cafe_layers_count(layers) - 1);
        printf("communities %lld, modularity at resolution 0.5: %.4f\n",
               (long long)best->communities, best->modularity);
    }
    cafe_run_free(run);
    return status;
}

static cafe_status vectors(cafe_context *context, const cafe_graph *graph) {
    cafe_run *run = NULL;
    cafe_status status = go(context, graph, CAFE_PURPOSE_VECTORS, "columns", "4", &run);
    if (status == CAFE_OK) {
        const cafe_certificate *c = cafe_embedding_certificate(cafe_run_get(run)->embedding);
        printf("columns     %lld, Ritz value %.4f, residual %.4f\n", (long long)c->columns,
               c->ritz_values[0], c->residuals[0]);
    }
    cafe_run_free(run);
    return status;
}

int main(void) {
    int32_t u[EDGES], w[EDGES];
    cafe_context *context = NULL;
    cafe_graph *graph = NULL;
    rings(u, w);
    cafe_status status = cafe_context_create(NULL, &context);
    if (status == CAFE_OK)
        status = cafe_graph_from_edges(context, NODES, EDGES, u, w, NULL, NULL, &graph);
    if (status == CAFE_OK) status = communities(context, graph);
    if (status == CAFE_OK) status = vectors(context, graph);
    /* the option does not exist: the text of the error names it */
    cafe_run *run = NULL;
    if (status == CAFE_OK) status = cafe_run_create(context, CAFE_PURPOSE_VECTORS, NULL, &run);
    if (status == CAFE_OK && cafe_run_set(run, "colums", "4") == CAFE_ERROR_ARGUMENT)
        printf("refused     %s\n", cafe_error(context));
    cafe_run_free(run);
    if (status != CAFE_OK) fprintf(stderr, "%s\n", cafe_status_message(status));
    cafe_graph_free(graph);
    cafe_context_free(context);
    return status != CAFE_OK;
}
