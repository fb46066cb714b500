/* Networks that change: a new embedding from the old one and the changed edges, and vectors for new
 * nodes without touching the others.
 */
#ifndef CAFE_UPDATE_H
#define CAFE_UPDATE_H

#include <cafe/embedding.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- changes --------------------------------------------------------------------------------- */

/* An old graph and what became of it. */
typedef struct cafe_changes cafe_changes;

typedef struct cafe_changes_report {
    int64_t lines;                      /* changes as listed */
    int64_t added, removed, reweighted; /* edges that are new, gone, of another weight */
    int64_t repeated;                   /* added lines that changed nothing: the edge was there */
    int64_t loops;                      /* edges from a node to itself, dropped */
    int64_t new_nodes;
    int64_t touched;     /* nodes whose edges changed */
    int64_t lost_nodes;  /* of two whole graphs: those that the new one does not have */
    const char *reading; /* of a table with a heading: what was taken for what; else "" */
    const int32_t
        *origin; /* of each node of the new graph the old one's number, -1 for a new node */
} cafe_changes_report;

/* Reads changes, one a line, in their order: "+ u v [w]" and "u v [w]" add an edge, "- u v" removes
 * one. A table has a heading that names the columns of the nodes (source and target, from and to
 * ...), perhaps of the weight. Its column called change, if any, has added or removed. A name that
 * the graph does not have is a new node. Added again, an edge of a weighted graph gets the sum of
 * the weights; removing an edge that is not there is CAFE_ERROR_FORMAT with file, line and column.
 * The old graph is not changed, and must outlive the changes. */
CAFE_API cafe_status cafe_changes_read(cafe_context *context, const cafe_graph *old,
                                       const char *path, cafe_changes **changes);

/* The same from arrays: edge i is removed when removed[i] != 0, else added (removed NULL: all
 * added; weights NULL: 1). Ids are 0 .. nodes-1 and those from the old graph's count on are new
 * nodes, which only a graph whose names are 0 .. n-1 can have here. */
CAFE_API cafe_status cafe_changes_from_edges(cafe_context *context, const cafe_graph *old,
                                             int64_t nodes, int64_t count, const int32_t *source,
                                             const int32_t *target, const float *weights,
                                             const uint8_t *removed, cafe_changes **changes);
CAFE_API void cafe_changes_free(cafe_changes *changes);

CAFE_API const cafe_changes_report *cafe_changes_get(const cafe_changes *changes);
/* The graph after the changes; it belongs to them. The first call makes it: an update alone does
 * not need it. NULL: the call failed, as cafe_error() has it. Nodes are never removed, only their
 * edges. Old nodes keep their order; new integer names are put into theirs, other new names at the
 * end. */
CAFE_API const cafe_graph *cafe_changes_graph(cafe_changes *changes);

/* ---- update ---------------------------------------------------------------------------------- */

typedef struct cafe_update_options {
    size_t struct_size;
    int64_t sweeps;   /* rounds over the active nodes at most */
    double tolerance; /* stop when a round gains less than this share of the objective */
    double spread;    /* a node is swept when its neighbourhood changed by more than this share */
    int32_t align;    /* 1: rotated onto the old coordinates */
    double degree_exponent; /* of the sampling that the vectors were made with */
    const char *state; /* a file of the sums that an update starts from: read if it belongs to the
                        * graph and the rows, written with the vectors; NULL: none */
} cafe_update_options;

CAFE_OPTIONS(update)

typedef struct cafe_updated cafe_updated;

/* What the update did. The arrays belong to the result. Angles are in radians. */
typedef struct cafe_update_report {
    int64_t nodes, columns, new_nodes;
    int64_t arcs; /* of the new graph: a full sweep visits them all */
    int64_t rounds;
    int32_t converged;       /* 1: by the tolerance, or no node is left to sweep */
    const double *objective; /* rounds + 1 values of tr(H^T Q H) on the new graph */
    const int64_t *active;   /* nodes swept in each round */
    int64_t swept;           /* nodes swept at all */
    int64_t updates;         /* sum of `active` */
    int64_t arcs_summed;     /* visited for sums of neighbours' rows */
    int64_t arcs_marked;     /* visited to tell neighbours that a row moved */
    double subspace_angle;   /* largest principal angle of the spans of old and new columns; NAN, as
                              * the mean, where the other rows kept the coordinates: none was found */
    double subspace_mean_angle; /* mean of the principal angles */
    double rotation_distance;   /* ||R - I|| (Frobenius) of the alignment; 0 when none was needed */
    double drift_mean, drift_max; /* of the nodes that were there before */
    int64_t moved;                /* of them those that were swept and moved at all */
    const double *drift;    /* of every node: angle between its old and new row; -1: a new node */
    const double *rotation; /* R, columns x columns, row-major: new rows = swept rows times R */
    int64_t edges;          /* of the new graph */
    int32_t resumed;        /* 1: the sums are from the file of the state */
    int32_t rotated;        /* 1: all rows were rotated; 0: only swept rows differ from the old */
    int32_t
        foreign_state; /* 1: the file of the state belongs to another graph, other vectors or
                        * another degree exponent; it is replaced only if files are overwritten */
} cafe_update_report;

/* rows: old nodes x columns, the raw form of the old embedding (rows of length 1; another length is
 * CAFE_ERROR_ARGUMENT). They must outlive the result. New nodes start at the mean of their
 * neighbours. Only nodes are swept whose own edges, or whose neighbours' rows, changed enough; the
 * objective never falls. If at least half of the nodes moved, by p, the rows are then rotated onto
 * the old ones (orthogonal Procrustes, rows weighted by p). Else the other rows keep their bits,
 * and with them the coordinates. */
CAFE_API cafe_status cafe_update(cafe_context *context, const cafe_changes *changes,
                                 int64_t columns, const float *rows,
                                 const cafe_update_options *options, cafe_updated **updated);
CAFE_API void cafe_updated_free(cafe_updated *updated);
CAFE_API const cafe_update_report *cafe_updated_get(const cafe_updated *updated);
/* Copies the new rows, row-major nodes x columns. */
CAFE_API void cafe_updated_copy(const cafe_updated *updated, float *rows);

/* ---- communities ----------------------------------------------------------------------------- */

/* What became of the communities of an old partition in a new one. */
typedef struct cafe_transition cafe_transition;

typedef struct cafe_transition_options {
    size_t struct_size;
    double overlap; /* share of a community that counts as most of it */
} cafe_transition_options;

CAFE_OPTIONS(transition)

/* With o(c,d) the nodes in old c and new d: most of c went to d when o(c,d) > overlap |c|, most of
 * d came from c when o(c,d) > overlap |d|. An old community died when neither holds for any d. A
 * new one was born when neither holds for any c. A split is a c from which most of two or more d
 * came. A merger is a d to which most of two or more c went. */
typedef struct cafe_transition_report {
    int64_t old_count, new_count;
    int64_t born, died, split, merged;
    const int64_t *old_size, *new_size;
    const int32_t *heir;     /* of each old community the new one most of it went to; -1: none */
    const int32_t *parent;   /* of each new community the old one most of it came from; -1: none */
    const int32_t *pieces;   /* of each old community: new ones most of which came from it */
    const int32_t *sources;  /* of each new community: old ones most of which went to it */
    const double *old_drift; /* mean drift of each old community's nodes; NULL without drifts */
} cafe_transition_report;

/* Partitions of the same n nodes; a negative number is a node in no community (before: a new one).
 * drift[n] may be NULL; negative ones are left out. */
CAFE_API cafe_status cafe_transition_find(cafe_context *context, int64_t n, const int32_t *before,
                                          const int32_t *after, const double *drift,
                                          const cafe_transition_options *options,
                                          cafe_transition **transition);
CAFE_API void cafe_transition_free(cafe_transition *transition);
CAFE_API const cafe_transition_report *cafe_transition_get(const cafe_transition *transition);

/* ---- placing new nodes ----------------------------------------------------------------------- */

typedef enum cafe_place_form {
    CAFE_PLACE_RAW = 0,   /* rows of length 1, as sphere leaves them */
    CAFE_PLACE_WALK = 1,  /* columns v with Q v = rho D v */
    CAFE_PLACE_RITZ = 2,  /* columns v with Q v = rho v */
    CAFE_PLACE_SCALED = 3 /* columns of mean 0, as the scaled form has them */
} cafe_place_form;

typedef struct cafe_place_options {
    size_t struct_size;
    int32_t form;           /* cafe_place_form */
    double degree_exponent; /* of the sampling that the vectors were made with */
} cafe_place_options;

CAFE_OPTIONS(place)

/* Edges of new nodes to nodes of a graph. */
typedef struct cafe_new_links cafe_new_links;

/* Reads "new known [w]", one edge a line. A first name that the graph has, and a second one that it
 * has not, are CAFE_ERROR_FORMAT with file, line and column. */
CAFE_API cafe_status cafe_new_links_read(cafe_context *context, const cafe_graph *graph,
                                         const char *path, cafe_new_links **links);
/* From compressed rows: new node i is linked to targets[offsets[i] .. offsets[i+1]); its name is i.
 */
CAFE_API cafe_status cafe_new_links_from_csr(cafe_context *context, const cafe_graph *graph,
                                             int64_t count, const int64_t *offsets,
                                             const int32_t *targets, const float *weights,
                                             cafe_new_links **links);
CAFE_API void cafe_new_links_free(cafe_new_links *links);
CAFE_API int64_t cafe_new_links_nodes(const cafe_new_links *links);

/* placed[new nodes x columns]: each new node's row from its edges, all others fixed, no other new
 * node there. Here d is its weight, `sum` the sum of its neighbours' rows by weight:
 *
 *     raw    normalise(sum / d - (2m s + sum) / (2m + 2d)), s = sum of p_w h_w: the exact update of
 *            sphere on the graph with this node in it
 *     walk   (sum / d - s) / rho, column by column: row of D^-1 Q V, rho the Rayleigh quotients
 *     ritz   d / 2m times the same: row of Q V
 *     scaled s + (sum / d - s) B, B the matrix that does best by this rule for the rows there are:
 *            least squares, rows weighed by p
 *
 * A column with rho = 0 is placed at 0. With a degree exponent the edges weigh a / (d d_w)^x, d_w
 * without the new node. */
CAFE_API cafe_status cafe_place_nodes(cafe_context *context, const cafe_graph *graph,
                                      int64_t columns, const float *vectors,
                                      const cafe_new_links *links,
                                      const cafe_place_options *options, float *placed);
/* How far each placed row can be from that of a full run: bound[new nodes], INFINITY where none is
 * known. The full run has the K dominant eigenvectors on the graph with the new node in it, rotated
 * to be nearest to the existing rows. The bound needs columns that are the K dominant eigenvectors
 * of their problem: walk, Ritz or scaled form with `cafe embed --residual`. The gap behind the K-th
 * eigenvalue must be larger than what the node changes. In the scaled form the full run's columns
 * have the lengths and means of the existing rows. Raw rows have no bound, because they follow the
 * course of a solver. With a degree exponent the full run has the degrees of the graph with the new
 * node in it. The K + 1 dominant eigenvalues are computed: exactly up to 512 nodes. For larger
 * graphs it is assumed that none was missed. docs/update.md has the proof. */
CAFE_API cafe_status cafe_place_bound(cafe_context *context, const cafe_graph *graph,
                                      int64_t columns, const float *vectors,
                                      const cafe_new_links *links,
                                      const cafe_place_options *options, const float *placed,
                                      double *bound);

#ifdef __cplusplus
}
#endif
#endif
