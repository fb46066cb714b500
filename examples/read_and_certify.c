/* Reads a graph file, embeds it as Ritz vectors and prints the certificate. Then it checks the
 * library: the residuals ||Q v - rho v|| are computed again here from a plain product with Q.
 *
 * usage: read_and_certify GRAPH [COLUMNS]
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <cafe/cafe.h>

/* Leaves the function at the first failure; main() frees everything. */
#define TRY(call)                                        \
    do {                                                 \
        if ((status = (call)) != CAFE_OK) return status; \
    } while (0)

typedef struct objects {
    cafe_context *context;
    cafe_graph *graph;
    cafe_sampled *sampled;
    cafe_operator *op;
    cafe_solution *solution;
    cafe_embedding *embedding;
} objects;

static cafe_status embed(objects *o, const char *path, int64_t columns) {
    cafe_status status;
    cafe_sphere_options sphere;
    cafe_finish_options finish;
    cafe_sphere_options_init(&sphere);
    cafe_finish_options_init(&finish);
    sphere.columns = columns;
    finish.form = CAFE_FORM_RITZ;
    finish.residual = 1e-3;
    TRY(cafe_graph_read(o->context, path, NULL, &o->graph));
    TRY(cafe_sample(o->context, o->graph, CAFE_SAMPLING_EDGE, NULL, NULL, &o->sampled));
    TRY(cafe_operator_modularity(o->context, o->sampled, &o->op));
    TRY(cafe_sphere(o->context, o->op, &sphere, NULL, &o->solution));
    TRY(cafe_finish(o->context, o->op, &o->solution, &finish, &o->embedding));
    return CAFE_OK;
}

/* ||Q v - rho v|| of column j, where y = Q v. The columns have length 1 up to float rounding. */
static double residual(const float *v, const float *y, int64_t nodes, int64_t columns, int64_t j,
                       double rho) {
    double sum = 0;
    for (int64_t u = 0; u < nodes; u++) {
        double r = (double)y[u * columns + j] - rho * (double)v[u * columns + j];
        sum += r * r;
    }
    return sqrt(sum);
}

/* The certificate beside the residuals computed here; returns how many do not agree. Vectors are
 * stored as float: their rounding, about 1e-7 of |rho|, is allowed for. */
static int print_table(const cafe_certificate *c, const float *v, const float *y, int64_t nodes) {
    int wrong = 0;
    printf("column  Ritz value    residual   recomputed  share\n");
    for (int64_t j = 0; j < c->columns; j++) {
        double mine = residual(v, y, nodes, c->columns, j, c->ritz_values[j]);
        double allowed = 0.01 * c->residuals[j] + 1e-6 * fabs(c->ritz_values[0]);
        int agrees = fabs(mine - c->residuals[j]) <= allowed;
        printf("%6lld  %10.6f  %10.3e  %10.3e  %5.1f%%%s\n", (long long)j + 1, c->ritz_values[j],
               c->residuals[j], mine, 100 * c->shares[j], agrees ? "" : "  DIFFERS");
        wrong += !agrees;
    }
    return wrong;
}

static cafe_status certify(objects *o, int *wrong) {
    cafe_certificate c;
    cafe_status status = CAFE_ERROR_MEMORY;
    int64_t nodes = cafe_embedding_certificate(o->embedding)->nodes;
    c = *cafe_embedding_certificate(o->embedding);
    size_t bytes = (size_t)(nodes * c.columns) * sizeof(float);
    float *v = malloc(bytes), *y = malloc(bytes);
    if (v && y) {
        cafe_embedding_copy(o->embedding, v);
        status = cafe_operator_product(o->context, o->op, c.columns, v, y);
        if (status == CAFE_OK) *wrong = print_table(&c, v, y, nodes);
    }
    free(v);
    free(y);
    return status;
}

int main(int argc, char **argv) {
    objects o = {0};
    int wrong = 0;
    if (argc < 2) {
        fprintf(stderr, "usage: read_and_certify GRAPH [COLUMNS]\n");
        return 2;
    }
    if (cafe_context_create(NULL, &o.context) != CAFE_OK) return 1;
    cafe_status status = embed(&o, argv[1], argc > 2 ? atoll(argv[2]) : 8);
    if (status == CAFE_OK) status = certify(&o, &wrong);
    if (status != CAFE_OK) {
        const char *text = cafe_error(o.context);
        fprintf(stderr, "%s\n", text[0] ? text : cafe_status_message(status));
    }
    cafe_embedding_free(o.embedding);
    cafe_solution_free(o.solution);
    cafe_operator_free(o.op);
    cafe_sampled_free(o.sampled);
    cafe_graph_free(o.graph);
    cafe_context_free(o.context);
    return status == CAFE_OK && wrong == 0 ? 0 : 1;
}
