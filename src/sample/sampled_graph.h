/* The sampled graph: a bivariate distribution P on pairs of nodes, and its marginal p. */
#ifndef CAFE_SAMPLE_SAMPLED_GRAPH_H
#define CAFE_SAMPLE_SAMPLED_GRAPH_H

#include <cafe/files.h>
#include <cafe/operator.h>
#include <cafe/sample.h>

#include "base/context.h"
#include "base/engine_copy.h"
#include "graph/edge_weight.h"

/* p(u,w) = a(u,w) f_u f_w / total for the arcs of the rows, 0 elsewhere; p[u] = degree(u) / total.
 *
 * Rows are sorted and symmetric to the bit. They are borrowed from the graph that was sampled, or
 * belong to `own`, a graph made of the pairs of the sampling. */
struct cafe_sampled {
    cafe_context *context;
    cafe_sampling sampling;
    int64_t n;
    const int64_t *offsets;
    const int32_t *targets;
    const float *weights; /* a(u,w); NULL: all 1 */
    float *factor;        /* f_u: edges weigh a(u,w) f_u f_w (CAFE_LINK); NULL: none */
    double unit;          /* n / 2m of the edges without factors */
    double total;         /* 2m = sum of the edges' weights over all ordered pairs */
    double *p;            /* sums to 1 */
    float *loops;         /* the weight of (u,u), or NULL when there are none */
    bool common;          /* the rows are mapped by all processes of a team */
    cafe_graph *own;      /* the graph that owns these rows; NULL: the caller's graph */
    float *twisted;       /* own weights on borrowed rows, or NULL */
    cafe_held held;       /* the rows, by the engine that added them up */
    cafe_sampled_info info;
};

/* Makes the sampled graph of these rows: P = A / 2m of `graph`. `weights` (unless NULL) replace its
 * own and are taken over, also on failure. */
cafe_status cafe_sampled_of(cafe_context *context, const cafe_graph *graph, float *weights,
                            cafe_sampling sampling, cafe_sampled **sampled);

/* The same for a graph that belongs to the sampled graph from now on, also on failure. */
cafe_status cafe_sampled_adopt(cafe_context *context, cafe_graph *own, cafe_sampling sampling,
                               cafe_sampled **sampled);

/* Sets p_u = the sum over the edges of u, in the order of its row and in double precision, for all
 * u. Threads of this machine add, or the processes that hold the rows. */
typedef cafe_status cafe_degrees(cafe_context *context, cafe_sampled *sampled);
cafe_degrees cafe_sampled_degrees;

/* p, total and loops from the rows. */
cafe_status cafe_sampled_fill(cafe_context *context, cafe_degrees *degrees, cafe_sampled *sampled);

/* p(u,w) / (p_u p_w)^x, scaled to sum 1, takes the place of P: a factor a node, no weights. */
cafe_status cafe_sampled_exponent(cafe_context *context, double x, cafe_degrees *degrees,
                                  cafe_sampled *sampled);

/* cafe_sample() in which `degrees` computes the sums over edges and the factors. */
cafe_status cafe_sample_by(cafe_context *context, const cafe_graph *graph, cafe_sampling sampling,
                           const cafe_sample_options *options, const cafe_sample_inputs *inputs,
                           cafe_degrees *degrees, cafe_sampled **sampled);

/* share^-x, the factor of a node with this degree in a unit of about the mean; 1 without edges. */
double cafe_degree_factor(double share, double x);

/* Returns the factor of a node whose edges, without factors, sum to that degree. */
double cafe_sampled_factor(const cafe_sampled *sampled, double degree);

/* Writes how vectors of this sampled graph are made, for their file. */
void cafe_sampled_made(const cafe_sampled *sampled, char made[CAFE_VECTORS_MADE]);

/* Entries of P at most. */
int64_t cafe_sample_entries(cafe_sampling sampling, const cafe_sample_options *options,
                            const cafe_graph_counts *counts);

/* The samplings; o has been checked, the graph has edges. */
cafe_status cafe_sample_walk(cafe_context *context, const cafe_graph *graph, cafe_sampling sampling,
                             const cafe_sample_options *o, const cafe_sample_inputs *inputs,
                             cafe_sampled **sampled);
cafe_status cafe_sample_twisted(cafe_context *context, const cafe_graph *graph,
                                cafe_sampling sampling, const cafe_sample_options *o,
                                const cafe_sample_inputs *inputs, cafe_sampled **sampled);

/* p(u,w) and p_u */
double cafe_sampled_pair(const cafe_sampled *sampled, int64_t u, int64_t w);

int64_t cafe_sampled_nodes(const cafe_sampled *sampled);

#endif
