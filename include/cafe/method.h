/* Methods by their names: every way of the library from a graph to vectors or to communities.
 *
 * A method is a row of a registry: what it is called, the table of its options, what it can be
 * given beside the graph. Whoever offers methods (the tool, Python, the evaluation, the manual)
 * goes through the rows. Options of a method are a struct of its table's size, filled by
 * cafe_options_init() and set by name with cafe_options_set(). Those of the paper's methods have
 * public types besides (embedding.h, cluster.h). */
#ifndef CAFE_METHOD_H
#define CAFE_METHOD_H

#include <cafe/cluster.h>
#include <cafe/sample.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- the registry ---------------------------------------------------------------------------- */

typedef enum cafe_takes {
    CAFE_TAKES_SAMPLING = 1,    /* works on the sampled graph; other methods see the graph itself */
    CAFE_TAKES_LABELS = 2,      /* can be told the labels of some nodes, */
    CAFE_NEEDS_LABELS = 4,      /* and cannot do without */
    CAFE_TAKES_START = 8,       /* can start from given vectors */
    CAFE_TAKES_CHECKPOINT = 16, /* sweeps, and can go on after it was stopped (run.h) */
    CAFE_TAKES_PARTITION = 32,  /* can start from given communities */
    CAFE_TAKES_FEATURES = 64,   /* takes a table of features of the nodes */
    CAFE_TAKES_SUMS = 128       /* takes graphs with negative weights, layers or slices, and null
                                 * models by name */
} cafe_takes;

typedef struct cafe_method_code cafe_method_code;

/* A row; it lies in the library's memory, and new fields come at its end. */
typedef struct cafe_method {
    const char *name;    /* as after --method */
    const char *title;   /* as in a heading */
    const char *summary; /* one line, no full stop */
    uint32_t takes;      /* cafe_takes, added up */
    int32_t form;        /* cafe_form of the vectors, unless another is asked for */
    /* The table of its options as a method for vectors, and as one for communities, both for the
     * same struct; NULL: it is none. */
    const cafe_option_table *(*vectors)(void);
    const cafe_option_table *(*communities)(void);
    const cafe_method_code *code; /* the library's */
    double degree_exponent;       /* of the sampling, unless another is asked for */
} cafe_method;

/* The methods that a context knows: the paper's and exact eigenvectors, and after cafe_lab_add()
 * (lab.h) those that others published. context NULL: the first alone. And one by its name, or NULL.
 */
CAFE_API const cafe_method *const *cafe_methods(const cafe_context *context, size_t *count);
CAFE_API const cafe_method *cafe_method_find(const cafe_context *context, const char *name);

/* ---- what a run is given --------------------------------------------------------------------- */

/* A last step for vectors of any method: spectral propagation (ProNE, Zhang et al. 2019, section
 * 3.3). Columns come out orthogonal before the rows are scaled to length 1; zero rows of nodes
 * without edges stay zero. */
typedef struct cafe_propagate_options {
    size_t struct_size;
    int64_t order; /* terms of the Chebyshev series */
    double mu;     /* centre of the band that is taken out */
    double theta;  /* its sharpness */
} cafe_propagate_options;

CAFE_OPTIONS(propagate)

/* Features of the nodes: a table with a row per node, dense or in compressed rows. */
typedef struct cafe_feature_inputs {
    size_t struct_size;
    int64_t columns;
    const int64_t *offsets; /* compressed: node u has entries offsets[u] .. offsets[u+1] - 1; NULL:
                             * all nodes x columns numbers, row-major */
    const int32_t *indices; /* the columns of the entries */
    const float *values;
} cafe_feature_inputs;

CAFE_INPUTS(feature)

/* The sum of graph and table, Q = (1 - w) Q_graph + w X X^T / unit (docs/algorithms/sums.md). */
typedef struct cafe_feature_options {
    size_t struct_size;
    const char *weight; /* w as a number from 0 to 0.99; "auto" or NULL: chosen without labels */
} cafe_feature_options;

CAFE_OPTIONS(feature)

/* What was made of a table. */
typedef struct cafe_feature_report {
    int64_t columns, entries; /* of the table; entries that are not 0 */
    int32_t words;            /* 1: taken as words: weighted by their rareness, rows of length 1;
                               * 0: columns divided by their standard deviation */
    int64_t directions;       /* principal directions that were kept, */
    double variance;          /* and their share of the variance */
    double correlation;       /* of the features of neighbours, over the kept directions */
    double weight;            /* w */
} cafe_feature_report;

/* All pointers may be NULL. */
typedef struct cafe_method_options {
    size_t struct_size;
    const void *own;                   /* the struct of the method's table; NULL: its defaults */
    const cafe_sample_options *sample; /* NULL: defaults, with the method's degree exponent */
    const cafe_finish_options *finish; /* NULL: defaults, in the method's own form */
    const cafe_propagate_options *propagate; /* NULL: no propagation */
    int32_t sampling;                        /* cafe_sampling */
    int32_t free_columns; /* 1: there are as many columns as in the start, or one a class of the
                           * labels; those of `own` count without either */
    const cafe_feature_options *features; /* NULL: defaults */
} cafe_method_options;

static inline void cafe_method_options_init(cafe_method_options *options) {
    cafe_options_init(NULL, options, sizeof *options);
}

/* Data beside the graph; unused ones are 0. */
typedef struct cafe_method_inputs {
    size_t struct_size;
    const int32_t *labels; /* labels[nodes] in 0 .. classes-1, or -1 where none is known */
    int64_t classes;
    const float *start; /* nodes x start_columns vectors, row-major */
    int64_t start_columns;
    const cafe_sample_inputs *sample; /* attributes, seeds */
    const int32_t *partition; /* partition[nodes]: the community in which a node starts, in 0 ..
                               * nodes-1, or -1: alone */
    const int32_t *keep;      /* nodes that may not leave that community */
    int64_t keep_count;
    const cafe_feature_inputs *features;
} cafe_method_inputs;

CAFE_INPUTS(method)

/* In all calls below options and inputs may be NULL, for the method's own defaults, and an option
 * or input that a method does not take is refused (CAFE_ERROR_ARGUMENT). Method NULL is layers in
 * cafe_cluster(), else sphere. */

/* What a run takes within a limit to its memory (cafe_limit_memory()). */
typedef struct cafe_plan {
    int64_t needed; /* bytes of memory without a limit */
    int64_t limit;  /* as given; 0: none */
    int64_t least;  /* the least limit that the run keeps to */
    int64_t files;  /* bytes in files at the peak; 0: the run needs none, or cannot have any */
    int64_t groups; /* of columns, one of which is in memory while rows are read at random; 1: H
                       stays there from the first sweep to the last */
    int64_t chunks; /* that a sweep goes through, where it has groups or they were asked for; else
                       0: chosen by size, as without a limit */
    int64_t sweep_reads, sweep_writes; /* bytes from and to files in a sweep */
    int64_t reads, writes;             /* in the whole run, about: what the system does not cache */
    /* Bytes of an engine with memory of its own (cafe_engine_memory()): all, and those that do not
     * go with the columns. */
    int64_t device, device_links;
} cafe_plan;

/* ---- several processes ----------------------------------------------------------------------- */

/* A run on several processes, ranks, by an engine that joins them (docs/algorithms/ranks.md). A
 * rate is a text: "25Gbit", "3GB", "800MiB" a second; without a unit, "25G", bits of a network and
 * bytes of memory. It is that of one rank. NULL: not known. */
typedef struct cafe_ranks_options {
    size_t struct_size;
    int64_t ranks;
    const char *network, *memory_bandwidth;
    double latency; /* of a message, microseconds */
    double cut; /* share of the edges that lie between ranks; -1: counted in the graph, or, where
                 * there is none, that of nodes placed at random */
} cafe_ranks_options;

CAFE_OPTIONS(ranks)

/* What it takes. A ghost is a rank's copy of a row of another rank, one of whose edges it has. */
typedef struct cafe_ranks_plan {
    int64_t ranks, threads;        /* threads of each */
    int32_t counted;               /* 1: edges between ranks were counted; 0: expected */
    int32_t sweeps;                /* at most */
    int64_t nodes, links, columns; /* of all ranks; an edge counts from both ends */
    int64_t piece;                 /* rows that stay together */
    double cut;                    /* share of the edges that lie between ranks */
    double inner;                  /* share of the rows that need no ghosts */
    int64_t ghost_rows;            /* of all ranks */
    int64_t bytes_per_sweep;       /* of ghosts, sent by all ranks: each of them once */
    int64_t chunks; /* of a sweep, after each of which the ranks add up sums; 0: it has no sweeps */
    /* The most that any rank has: rows, their edges, ghosts, bytes that it sends or gets. */
    int64_t rank_rows, rank_links, rank_ghosts, rank_sends;
    /* Bytes of its memory: all, and of them arrays of all nodes, edges, blocks of own rows, ghosts,
     * and what does not grow with the graph. */
    int64_t memory, whole_bytes, link_bytes, block_bytes, ghost_bytes, work_bytes;
    /* Bytes a second as understood, and seconds: of a sweep, for its work, for ghosts, for sums and
     * messages, and of the sweeps and the finish together. 0: not known. */
    double network, memory_bandwidth;
    double work_seconds, ghost_seconds, wait_seconds, sweep_seconds, run_seconds;
    /* Of the graph's file, mapped: the ranks of a machine share these pages, and the system takes
     * them back when it needs them. `memory` does not count them. 0 if others may write the file:
     * `memory` then counts a copy in each rank. */
    int64_t mapped_bytes;
} cafe_ranks_plan;

/* ---- the model ------------------------------------------------------------------------------- */

/* A graph, sampled as the options say, and its operator Q. */
typedef struct cafe_model cafe_model;

/* ---- vectors --------------------------------------------------------------------------------- */

/* Everything at once. */
CAFE_API cafe_status cafe_embed(cafe_context *context, const cafe_graph *graph,
                                const cafe_method *method, const cafe_method_options *options,
                                const cafe_method_inputs *inputs, cafe_embedding **embedding);

/* ---- communities ----------------------------------------------------------------------------- */

typedef struct cafe_clustering cafe_clustering;

/* What is known of it; the arrays belong to the clustering. */
typedef struct cafe_clustering_info {
    int64_t nodes, communities;
    const int32_t *partition;  /* of the nodes: 0 .. communities-1 by first appearance */
    double modularity;         /* under the sampled graph, at the resolution of the options */
    double edge_modularity;    /* under the edges of the graph, at resolution 1 */
    const cafe_layers *layers; /* of the methods that build them, else NULL */
    int64_t columns;           /* of the memberships; 0: there are none */
    int32_t sparse;            /* 1: they were held in sparse rows */
    int32_t converged;
    int64_t sweeps;
    const double *objective; /* sweeps + 1 values; NULL: the method has no sweeps */
} cafe_clustering_info;

CAFE_API cafe_status cafe_cluster(cafe_context *context, const cafe_graph *graph,
                                  const cafe_method *method, const cafe_method_options *options,
                                  const cafe_method_inputs *inputs, cafe_clustering **clustering);
CAFE_API void cafe_clustering_free(cafe_clustering *clustering);
CAFE_API const cafe_clustering_info *cafe_clustering_get(const cafe_clustering *clustering);

/* The probabilities above 1e-6 in compressed rows: node u has the entries offsets[u] ..
 * offsets[u+1]. The arrays belong to the clustering. A method without memberships is refused. */
CAFE_API cafe_status cafe_clustering_memberships(cafe_context *context, cafe_clustering *clustering,
                                                 const int64_t **offsets, const int32_t **columns,
                                                 const float **values);

#ifdef __cplusplus
}
#endif
#endif
