/* Methods inside the library: what a row points to, and what a method at work is given. */
#ifndef CAFE_METHOD_METHOD_H
#define CAFE_METHOD_METHOD_H

#include <cafe/method.h>

#include "base/context.h"
#include "base/option.h"
#include "method/model.h"
#include "solve/solution.h"

/* Sphere's own degree exponent, which vectors are also placed and updated with. */
#define CAFE_SPHERE_EXPONENT 0.25

struct cafe_model {
    cafe_context *context;
    const cafe_graph *graph;
    const cafe_method *method; /* that it was made for */
    cafe_sampled *sampled;
    cafe_operator *op;
    cafe_sampled *edges;    /* for the operator below */
    cafe_operator *certify; /* NULL, or the exact P of drawn walks, applied without rows */
    cafe_model *ordered;    /* the same in the order that the graph keeps, or NULL, */
    cafe_graph *renumbered; /* and its graph */
    struct cafe_node_features *features; /* node_features.h; NULL: none */
    cafe_operator *plain; /* of the graph under the configuration model; NULL: it is op, or a layer
                           * of it */
    struct cafe_signs *signs;         /* model.c: of a graph with negative weights; else NULL */
    struct cafe_model_layers *layers; /* model_layers.h: of a graph with layers; else NULL */
};

struct cafe_clustering {
    cafe_context *context;
    cafe_clustering_info info;
    double resolution;                    /* of the modularity */
    int32_t *part;                        /* info.partition, unless it is the layers' */
    cafe_layers *layers;                  /* of the method layers */
    cafe_solution *solution;              /* of softmax with dense rows */
    struct cafe_memberships *memberships; /* of softmax with sparse rows */
    int64_t *offsets;                     /* dense rows, compressed when they are asked for */
    int32_t *columns;
    float *values;
};

/* One run: everything is checked, options and inputs are copies of this version's structs. */
typedef struct cafe_job {
    const cafe_model *model;
    const cafe_method *method;
    cafe_method_options options;
    cafe_method_inputs inputs;
    void *own;            /* the method's options, settled */
    int64_t cut;          /* columns asked for beyond the number of nodes */
    cafe_layers **layers; /* gets the hierarchy of a method that builds one; NULL: not wanted */
} cafe_job;

/* The rows of the core, in their order: the paper's methods, and exact eigenvectors. */
CAFE_LAB extern const cafe_method cafe_sphere_method;
CAFE_LAB extern const cafe_method cafe_cafe_method;
CAFE_LAB extern const cafe_method cafe_layers_method;
CAFE_LAB extern const cafe_method cafe_softmax_method;
CAFE_LAB extern const cafe_method cafe_spectral_method;
#define CAFE_CORE_METHODS                                                              \
    &cafe_sphere_method, &cafe_cafe_method, &cafe_layers_method, &cafe_softmax_method, \
        &cafe_spectral_method

/* The degree exponent unless one is given: the method's own is for the configuration model. */
static inline double cafe_null_exponent(const cafe_method *method,
                                        const cafe_sample_options *sample) {
    return sample->null_model == CAFE_NULL_CONFIGURATION ? method->degree_exponent : 0;
}

/* The method; NULL stands for the first of the core that finds vectors, or communities. */
const cafe_method *cafe_method_or_first(const cafe_method *method, bool communities);

/* What a method does; the table in its row says which of the two are there. */
struct cafe_method_code {
    cafe_status (*solve)(cafe_context *context, const cafe_job *job, cafe_solution **solution);
    /* fills in part or layers, communities, and what else there is; may leave it half made */
    cafe_status (*cluster)(cafe_context *context, const cafe_job *job, cafe_clustering *clustering);
    /* bytes beyond the graph and two blocks of the columns; NULL: none worth counting */
    double (*bytes)(const void *own, const cafe_graph_counts *counts, int64_t threads);
    bool files;   /* its blocks may lie in files: rows are passed over in order, or by the engine */
    bool ranks;   /* several processes share its rows, where the engine joins them */
    bool centred; /* its columns sum to 0: n nodes have n - 1 directions */
};

/* ordered_vectors.c: vectors are found in the order that a graph keeps (graph/node_order.h), by
 * methods that sweep over its edges, and come back in the graph's own.
 *
 * _make gives the model its other one where there is an order and the options allow it; _solve and
 * _finish take it. */
cafe_status cafe_ordered_make(cafe_context *context, const cafe_method *method,
                              const cafe_method_options *options, cafe_model *model);
bool cafe_ordered_takes(const cafe_model *model, const cafe_method *method);
cafe_status cafe_ordered_solve(cafe_context *context, const cafe_model *model,
                               const cafe_method *method, const cafe_method_options *options,
                               const cafe_method_inputs *inputs, cafe_solution **solution);
cafe_status cafe_ordered_finish(cafe_context *context, const cafe_model *model,
                                const cafe_method *method, const cafe_method_options *options,
                                cafe_solution **solution, cafe_embedding **embedding);

/* Where the engine joins several processes: divides the nodes among them (a cafe_partitioner),
 * before the first run. *cut gets the share of the edges whose ends lie with two of them. Elsewhere
 * any partitioner but the first is refused, and *cut is 0. */
cafe_status cafe_model_divide(cafe_context *context, const cafe_model *model, int32_t partitioner,
                              double *cut);

/* Opens a job for vectors or communities; *job is zero before, and closed in any case. */
cafe_status cafe_job_open(cafe_context *context, const cafe_model *model, const cafe_method *method,
                          bool communities, const cafe_method_options *options,
                          const cafe_method_inputs *inputs, cafe_job *job);
void cafe_job_close(cafe_context *context, cafe_job *job);

/* What a run for vectors or for communities is given beside the graph. */
typedef struct cafe_given {
    bool communities, labels, start, checkpoint, partition, keep, features;
} cafe_given;

/* Refuses what the method does not take, and no labels where it needs some. */
cafe_status cafe_method_check_inputs(cafe_context *context, const cafe_method *method,
                                     cafe_given given);

/* The callers' structs in this version's form; NULL: nothing given. */
cafe_status cafe_method_take(cafe_context *context, const cafe_method_options *options,
                             const cafe_method_inputs *inputs, cafe_method_options *own_options,
                             cafe_method_inputs *own_inputs);

/* An option by its name; NULL: the table has none of it. */
const cafe_option *cafe_table_find(const cafe_option_table *table, const char *name);

/* The operator of the graph's positive weights alone. */
const cafe_operator *cafe_model_plain(const cafe_model *model);
/* The modularity of a partition; of a signed graph with both parts. */
cafe_status cafe_model_measure(cafe_context *context, const cafe_model *model, const int32_t *part,
                               int64_t parts, double resolution, double *modularity);

/* sum over sets of p(S,S) - resolution p(S)^2 */
cafe_status cafe_model_modularity(cafe_context *context, const cafe_sampled *sampled,
                                  const int32_t *part, int64_t parts, double resolution,
                                  double *modularity);

/* vectors: nodes x columns, row-major, in place. */
CAFE_LAB cafe_status cafe_propagate(cafe_context *context, const cafe_graph *graph,
                                    const cafe_propagate_options *options, int64_t columns,
                                    float *vectors);
/* Bytes that it takes besides them. */
CAFE_LAB double cafe_propagate_bytes(int64_t nodes, int64_t columns, int64_t threads);

/* The rows of x, scaled to length 1, into nodes x columns numbers. A zero row stays zero, and so
 * does a column that x lacks. */
CAFE_LAB void cafe_unit_rows(const cafe_block *x, int64_t columns, float *vectors);

/* cafe_model_finish() for vectors that cafe_embedding_write() is to write to this path next, with
 * the model's graph. A large .npy file may be begun while the vectors are certified; it appears
 * when it is written, and not at all otherwise. */
cafe_status cafe_model_finish_to(cafe_context *context, const cafe_model *model,
                                 const cafe_method *method, const cafe_method_options *options,
                                 const char *path, int32_t overwrite, cafe_solution **solution,
                                 cafe_embedding **embedding);

#endif
