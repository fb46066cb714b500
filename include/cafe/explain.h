/* Explains an embedding in numbers from Q alone. It has cards of dimensions, of nodes and of
 * communities, the spectrum beyond the columns, and the distance of a partition from the best one.
 *
 * Throughout, V is the n x K block of the embedding as it stands. Its columns need be neither
 * orthogonal nor of length 1. Its row of node u is h_u, and
 *
 *     z_u = sum over w of q(u,w) h_w        the row of Q V
 *     tr(V^T Q V) = sum over u of <h_u, z_u> = sum over j of v_j^T Q v_j
 *
 * is the modularity of the embedding: the modularity of the partition when the rows are one-hot.
 */
#ifndef CAFE_EXPLAIN_H
#define CAFE_EXPLAIN_H

#include <cafe/labels.h>
#include <cafe/method.h>
#include <cafe/operator.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cafe_explain_options {
    size_t struct_size;
    int64_t top; /* entries of every list, at most */
} cafe_explain_options;

CAFE_OPTIONS(explain)

typedef struct cafe_explanation cafe_explanation;

/* vectors: row-major nodes x columns, finite. part: communities 0, 1, ... of the nodes (negative:
 * in none), or NULL: those of the coarsest of cafe_layers_find(). The operator outlives the
 * explanation; vectors and part may be freed. An operator without rows (cafe_operator_walk) has no
 * communities of its own, and no node and community cards: those calls refuse it. */
CAFE_API cafe_status cafe_explain(cafe_context *context, const cafe_operator *op, int64_t columns,
                                  const float *vectors, const int32_t *part,
                                  const cafe_explain_options *options,
                                  cafe_explanation **explanation);
CAFE_API void cafe_explanation_free(cafe_explanation *explanation);

/* The whole. Arrays here and in the cards belong to the explanation. */
typedef struct cafe_explain_report {
    int64_t nodes, columns;
    double modularity;       /* of the embedding: tr(V^T Q V) */
    int32_t generalised;     /* 1: as a whole the columns are nearer to solutions of Q v = rho D v,
                              * D = diag(p), than of Q v = rho v; values and residuals are of that */
    int64_t pairs;           /* Ritz pairs of the span of the columns: its rank */
    const double *values;    /* the Ritz values, descending, and how far each is at most from an */
    const double *residuals; /* eigenvalue of the problem */
    int64_t communities;     /* 0: there are none */
    const int32_t *part;     /* of each node; NULL: no communities */
    double part_modularity;  /* of the partition */
} cafe_explain_report;

CAFE_API const cafe_explain_report *cafe_explanation_get(const cafe_explanation *explanation);

/* ---- dimensions ------------------------------------------------------------------------------ */

/* A node or a community in a list, with the figure that put it there. */
typedef struct cafe_listed {
    int32_t index;
    double value;
} cafe_listed;

typedef struct cafe_dimension_card {
    int64_t column;
    double contribution;    /* v_j^T Q v_j; these sum to the modularity of the embedding */
    double share;           /* contribution / modularity (0 when that is 0); these sum to 1 */
    double value, residual; /* Rayleigh quotient and residual of v_j, of the problem the embedding
                             * is nearer to */
    double plain_value, plain_residual; /* of Q v = rho v */
    double walk_value, walk_residual;   /* of Q v = rho D v, v_j less its mean by p */
    double mean, deviation;             /* of the column's entries */
    int64_t ends;                       /* entries of the two lists below */
    const cafe_listed *high, *low;      /* nodes by entry: largest first, smallest first */
    /* communities by the correlation of being a member with the entry; only positive ones are at
     * the high end, only negative ones at the low end */
    int64_t high_count, low_count;
    const cafe_listed *high_communities, *low_communities;
} cafe_dimension_card;

CAFE_API void cafe_explain_dimension_sized(const cafe_explanation *explanation, int64_t column,
                                           cafe_dimension_card *card, size_t size);
static inline void cafe_explain_dimension(const cafe_explanation *explanation, int64_t column,
                                          cafe_dimension_card *card) {
    cafe_explain_dimension_sized(explanation, column, card, sizeof *card);
}

/* What goes with a column: the class or attribute whose correlation with it is largest in size. */
typedef struct cafe_association {
    int64_t index;      /* -1: no correlation is defined (constant columns or attributes) */
    double correlation; /* Pearson's; of a class that of its indicator */
    double ratio;       /* share of the column's variance explained: by all classes together (the
                         * correlation ratio; -1 when a node has several classes), by the attribute
                         * (correlation squared) */
} cafe_association;

/* best[columns]; over the nodes that have a label. */
CAFE_API cafe_status cafe_explain_labels(cafe_context *context, const cafe_explanation *explanation,
                                         const cafe_labels *labels, cafe_association *best);
/* best[columns]; x: row-major nodes x width, finite. */
CAFE_API cafe_status cafe_explain_attributes(cafe_context *context,
                                             const cafe_explanation *explanation, int64_t width,
                                             const float *x, cafe_association *best);

/* ---- nodes ----------------------------------------------------------------------------------- */

/* How node w acts on node u: q(u,w) <h_u, h_w>, a pull when positive, a push when negative. */
typedef struct cafe_force {
    int32_t node;
    int32_t linked;    /* 1: p(u,w) > 0 */
    double covariance; /* q(u,w) */
    double product;    /* <h_u, h_w> */
    double value;      /* their product */
} cafe_force;

typedef struct cafe_coordinate {
    int32_t column;
    double value;
    double deviations; /* from the column's mean, in its standard deviations */
    double percentile; /* 100 (nodes below + half of the nodes level) / nodes */
} cafe_coordinate;

typedef struct cafe_node_card {
    int64_t node;
    double mass;    /* p_u, the degree centrality */
    int64_t linked; /* nodes with p(u,w) > 0, u not counted */
    double length;  /* |h_u| */
    int64_t coordinate_count;
    const cafe_coordinate *coordinates; /* farthest from the mean first, in deviations */
    /* total = own + the four sums, up to rounding; total comes from the product Q V */
    double total;                    /* <h_u, z_u> */
    double own;                      /* q(u,u) |h_u|^2 */
    double linked_pull, linked_push; /* of the nodes linked to u, by sign */
    double other_pull, other_push;   /* of everyone else, by sign */
    int64_t pull_count, push_count;
    const cafe_force *pulls, *pushes; /* strongest first */
    int32_t community;                /* -1: none; then what follows is 0 */
    double attachment;                /* q(u, S \ {u}), S its community */
    int32_t second;                   /* the best other one; -1: to be alone */
    double second_attachment;         /* q(u, S'); 0 alone */
    double margin;                    /* attachment - second_attachment */
    double centrality;                /* C(u|S) = p(u,S) / p(S) */
    int64_t rank, members;            /* its place by that in S, from 1, and the nodes of S */
} cafe_node_card;

/* The card's lists are valid until the next card or the end of the explanation. */
CAFE_API cafe_status cafe_explain_node_sized(cafe_context *context, cafe_explanation *explanation,
                                             int64_t node, cafe_node_card *card, size_t size);
static inline cafe_status cafe_explain_node(cafe_context *context, cafe_explanation *explanation,
                                            int64_t node, cafe_node_card *card) {
    return cafe_explain_node_sized(context, explanation, node, card, sizeof *card);
}

/* ---- communities ----------------------------------------------------------------------------- */

typedef struct cafe_community_card {
    int32_t community;
    int64_t nodes;
    double mass;        /* p(S), its volume over 2m */
    double inside;      /* p(S,S) */
    double strength;    /* q(S,S); these sum to the modularity of the partition */
    double conductance; /* p(S, not S) / min(p(S), 1 - p(S)); 0 when that is 0 */
    int64_t central_count, nearest_count;
    const cafe_listed *central; /* members by C(u|S) = p(u,S) / p(S) */
    const cafe_listed *nearest; /* communities with p(S,S') > 0 by q(S,S') */
} cafe_community_card;

/* CAFE_ERROR_ARGUMENT when there are no communities. */
CAFE_API cafe_status cafe_explain_community_sized(cafe_context *context,
                                                  const cafe_explanation *explanation,
                                                  int32_t community, cafe_community_card *card,
                                                  size_t size);
static inline cafe_status cafe_explain_community(cafe_context *context,
                                                 const cafe_explanation *explanation,
                                                 int32_t community, cafe_community_card *card) {
    return cafe_explain_community_sized(context, explanation, community, card, sizeof *card);
}

/* ---- layers ---------------------------------------------------------------------------------- */

/* A layer of Q = sum of w_l Q_l, and what it adds: over the layers the numbers sum to those of Q,
 * up to rounding. */
typedef struct cafe_layer_card {
    const char *name;       /* a kind of edges, "positive", "negative", "features"; else "edges" */
    double weight;          /* w_l, negative for negative edges; the sizes of all add up to 1 */
    double contribution;    /* w_l tr(V^T Q_l V), of the modularity of the embedding */
    double part_modularity; /* of the partition's; 0 without communities */
    const double *columns;  /* w_l v_j^T Q_l v_j of each column */
    const double *nodes;    /* w_l <h_u, (Q_l V)_u> of each node, of its card's total */
    const double *communities; /* w_l q_l(S,S) of each community */
} cafe_layer_card;

/* The layers of a model whose operator the explanation has; a plain graph is one layer. Cards and
 * their arrays belong to the explanation, until the next call. */
CAFE_API cafe_status cafe_explain_layers(cafe_context *context, cafe_explanation *explanation,
                                         const cafe_model *model, int64_t *count,
                                         const cafe_layer_card **cards);

/* ---- the spectrum ---------------------------------------------------------------------------- */

typedef struct cafe_spectrum_options {
    size_t struct_size;
    int64_t next;     /* values beyond the columns */
    double tolerance; /* of their residuals, relative */
    int64_t probes;   /* random vectors for the sum of all positive eigenvalues */
    int64_t steps;    /* of Lanczos for each */
} cafe_spectrum_options;

CAFE_OPTIONS(spectrum)

typedef struct cafe_spectrum cafe_spectrum;

typedef struct cafe_spectrum_report {
    int64_t count;           /* values below: columns + next at most */
    const double *values;    /* the largest eigenvalues of the embedding's problem, descending */
    const double *residuals; /* some eigenvalue is as near as this; 0 when exact */
    double held;             /* sum of the positive Ritz values of the embedding's span */
    double positive;         /* sum of all positive eigenvalues; -1: not known (no rows) */
    double standard_error;   /* of that; 0 when exact */
    int32_t exact;           /* 1: all eigenvalues were computed */
    int64_t elbow; /* values before the largest gap; 0: no gap exceeds the residuals beside it */
    double gap;    /* that gap, values[elbow - 1] - values[elbow] */
} cafe_spectrum_report;

CAFE_API cafe_status cafe_spectrum_find(cafe_context *context, const cafe_explanation *explanation,
                                        const cafe_spectrum_options *options,
                                        cafe_spectrum **spectrum);
CAFE_API void cafe_spectrum_free(cafe_spectrum *spectrum);
CAFE_API const cafe_spectrum_report *cafe_spectrum_get(const cafe_spectrum *spectrum);

/* ---- how good a partition can be ------------------------------------------------------------- */

typedef struct cafe_ceiling_options {
    size_t struct_size;
    int64_t columns;  /* of the sphere that the dual bound is read off */
    int64_t sweeps;   /* of it, at most */
    double tolerance; /* of it */
    double residual;  /* the eigensolver stops at this residual, relative to the largest value */
    int64_t passes;   /* of it over the graph, at most, for each bound */
    double work; /* seconds of one processor, about, for the bound by inequalities; 0: without */
} cafe_ceiling_options;

CAFE_OPTIONS(ceiling)

/* No partition of the nodes has a modularity above any of these. docs/explain has the proofs. They
 * assume that the largest value of the eigensolver belongs to the largest eigenvalue. The residual
 * is on top of it. */
typedef struct cafe_ceiling {
    double pairs;             /* sum over u of q(u,u), and of q(u,w) where positive */
    double spectral;          /* largest eigenvalue of D^-1/2 Q D^-1/2, or 0; plus its residual */
    double spectral_residual; /* 0 when exact */
    double dual;       /* sum_u y_u + shift: diag(y + shift p) - Q is positive semidefinite */
    double dual_sum;   /* sum of the y_u = <h_u, z_u> of a sphere */
    double dual_shift; /* with its residual in it */
    double dual_residual;
    double witness;       /* witness_sum + witness_shift; -1: no partition was given */
    double witness_sum;   /* the modularity of the partition */
    double witness_shift; /* with its residual in it: how far it is from the best at most */
    double witness_residual;
    int32_t exact;            /* 1: eigenvalues by a dense solver: nothing is assumed */
    double inequalities;      /* by triangles and stars of pairs, up to 5 million edges; of up to 16
                               * nodes the optimum itself; -1: not computed */
    int64_t inequality_count; /* of them that the bound is made of */
    int32_t proved;           /* 1: no partition is better than the given one */
    double bound;             /* the smallest of the five */
} cafe_ceiling;

/* Needs an operator with rows. part: a good partition (negative: a node by itself), from which the
 * witness is made, or NULL. */
CAFE_API cafe_status cafe_ceiling_find_sized(cafe_context *context, const cafe_operator *op,
                                             const int32_t *part,
                                             const cafe_ceiling_options *options,
                                             cafe_ceiling *ceiling, size_t size);
static inline cafe_status cafe_ceiling_find(cafe_context *context, const cafe_operator *op,
                                            const int32_t *part,
                                            const cafe_ceiling_options *options,
                                            cafe_ceiling *ceiling) {
    return cafe_ceiling_find_sized(context, op, part, options, ceiling, sizeof *ceiling);
}

#ifdef __cplusplus
}
#endif
#endif
