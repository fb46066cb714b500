/* The sums that an update starts from, and their file.
 *
 * With entries e(u,w) = a(u,w) f_u f_w of the sampled graph, their total T and rows h:
 *
 *     strength_u = sum over w of e(u,w) = T p_u
 *     s          = sum over u of strength_u h_u
 *     energy     = sum over u, w of e(u,w) <h_u, h_w>
 *     objective  = energy / T - |s / T|^2 = tr(H^T Q H)
 *
 * They are sums over all edges, found once. A change corrects them by its own terms.
 */
#ifndef CAFE_UPDATE_UPDATE_STATE_H
#define CAFE_UPDATE_UPDATE_STATE_H

#include "update/reached.h"

typedef struct cafe_update_state {
    cafe_context *context;
    int64_t nodes, columns;
    int64_t swept;   /* nodes swept since the sums were found, which bounds their rounding */
    double exponent; /* X of the sampling */
    double unit;     /* f_u = (unit d_u)^-X */
    double total, energy;
    double *s;        /* columns */
    double *strength; /* of every node */
    float *factor;    /* f_u; NULL: X is 0 */
} cafe_update_state;

/* Finds the sums of a graph and rows of length 1. A zeroed state may be freed. */
cafe_status cafe_state_find(cafe_context *context, const cafe_graph *graph, int64_t columns,
                            const float *rows, double exponent, cafe_update_state *state);
void cafe_state_free(cafe_update_state *state);

/* Brings the sums from the old graph to the changed one, with the same rows; new nodes have
 * started. before[counts.touched] <- the factors that the nodes with changed edges had. */
cafe_status cafe_state_correct(cafe_update_state *state, cafe_reached *reached, float *before);

double cafe_state_objective(const cafe_update_state *state);

/* ---- the file -------------------------------------------------------------------------------- */

/* Reads the state of this graph and these rows. *fits: the file has one that belongs to both;
 * *foreign: it has another one, or is damaged. CAFE_ERROR_FORMAT for a file that is no state. */
cafe_status cafe_state_read(cafe_context *context, const char *path, const cafe_graph *graph,
                            int64_t columns, const float *rows, double exponent,
                            cafe_update_state *state, bool *fits, bool *foreign);

/* Gets row u of the vectors that the state belongs to. */
typedef const float *cafe_row_get(const void *source, int64_t u);

cafe_status cafe_state_write(cafe_context *context, const char *path, const cafe_graph *graph,
                             cafe_row_get *get, const void *source, const cafe_update_state *state);

#endif
