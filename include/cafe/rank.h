/* Centralities of nodes and figures of sets, all read off a sampled graph (P, p).
 *
 * (V, W) is a pair drawn from P. The centrality of a set is how often an end falls into it, p(S) =
 * P(V in S). Its centrality relative to another set is the probability that one end is in it, given
 * that the other is in that set. C(S1|S2) = P(V in S1 | W in S2) = p(S1,S2) / p(S2). (C.-S. Chang
 * et al.: a general probabilistic framework for detecting community structure.) */
#ifndef CAFE_RANK_H
#define CAFE_RANK_H

#include <cafe/lab_option.h>
#include <cafe/operator.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- sets of nodes --------------------------------------------------------------------------- */

/* Reads a file with one node name per line, or a table of nodes; "-" is standard input. Sets
 * member[u] to 1 for these nodes, to 0 for the others, and *count to their number. Empty lines and
 * lines that begin with # or % are skipped; a name may come again. A name that the graph does not
 * have is CAFE_ERROR_FORMAT with file and line. */
CAFE_API cafe_status cafe_set_read(cafe_context *context, const cafe_graph *graph, const char *path,
                                   uint8_t *member, int64_t *count);
/* The nodes that such a file lists, in its order and as often as they come; freed with
 * cafe_nodes_free(). */
CAFE_API cafe_status cafe_nodes_read(cafe_context *context, const cafe_graph *graph,
                                     const char *path, int64_t *count, int32_t **nodes);
CAFE_API void cafe_nodes_free(cafe_context *context, int32_t *nodes);

/* What is known of one set S, or of two. */
typedef struct cafe_set_figures {
    int64_t nodes;
    double mass;        /* p(S), the degree centrality of the set */
    double inside;      /* p(S,S) */
    double strength;    /* q(S,S) = p(S,S) - p(S)^2: above 0 for a community */
    double conductance; /* p(S, not S) / min(p(S), 1 - p(S)); 0 when that is 0 */
} cafe_set_figures;

typedef struct cafe_pair_figures {
    cafe_set_figures first, second;
    double joint;           /* p(A,B) */
    double covariance;      /* q(A,B) = p(A,B) - p(A) p(B) */
    double first_to_second; /* C(A|B) = p(A,B) / p(B); 0 when p(B) is 0 */
    double second_to_first; /* C(B|A) */
} cafe_pair_figures;

/* first[nodes] and second[nodes] are 1 for members, else 0; the sets may overlap. */
CAFE_API cafe_status cafe_set_compare_sized(cafe_context *context, const cafe_sampled *sampled,
                                            const uint8_t *first, const uint8_t *second,
                                            cafe_pair_figures *figures, size_t size);
static inline cafe_status cafe_set_compare(cafe_context *context, const cafe_sampled *sampled,
                                           const uint8_t *first, const uint8_t *second,
                                           cafe_pair_figures *figures) {
    return cafe_set_compare_sized(context, sampled, first, second, figures, sizeof *figures);
}

/* ---- centralities ---------------------------------------------------------------------------- */

/* C(u|S) = p(u,S) / p(S) for every node: value[nodes], which sums to 1. A set without edges is
 * CAFE_ERROR_ARGUMENT. */
CAFE_API cafe_status cafe_rank_relative(cafe_context *context, const cafe_sampled *sampled,
                                        const uint8_t *member, double *value);

typedef struct cafe_pagerank_options {
    size_t struct_size;
    double damping;   /* the walk goes on with this probability, in [0,1) */
    double tolerance; /* stop when a step changes the values by less than this in sum, or by no more
                       * than rounding does */
    int64_t steps;    /* at most this many */
} cafe_pagerank_options;

CAFE_LAB_OPTIONS(pagerank)

typedef struct cafe_pagerank_report {
    int64_t steps;
    int32_t converged; /* 0: the limit of steps ended it */
    double change;     /* of the last step, summed up over the nodes */
    double error;      /* the true values are no farther than this in sum, rounding included */
} cafe_pagerank_report;

/* The stationary distribution of a walk. It goes from w to u with probability p(w,u) / p_w. With
 * probability 1 - damping, or from a node without edges, it goes to a random node: one of the
 * members (personalised), or any node (member NULL). value[nodes] sums to 1. Options and report may
 * be NULL. */
CAFE_API cafe_status cafe_rank_pagerank_sized(cafe_context *context, const cafe_sampled *sampled,
                                              const cafe_pagerank_options *options,
                                              const uint8_t *member, double *value,
                                              cafe_pagerank_report *report, size_t size);
static inline cafe_status cafe_rank_pagerank(cafe_context *context, const cafe_sampled *sampled,
                                             const cafe_pagerank_options *options,
                                             const uint8_t *member, double *value,
                                             cafe_pagerank_report *report) {
    return cafe_rank_pagerank_sized(context, sampled, options, member, value, report,
                                    sizeof *report);
}

/* ---- the top --------------------------------------------------------------------------------- */

/* order[count] gets the nodes of the largest values, descending; equal ones by number. count is at
 * most nodes. */
CAFE_API cafe_status cafe_rank_top(cafe_context *context, int64_t nodes, const double *value,
                                   int64_t count, int32_t *order);

#ifdef __cplusplus
}
#endif
#endif
