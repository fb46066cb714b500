/* The difference of two whole graphs, and communities after changes, for the tool and Python. */
#ifndef CAFE_PRIVATE_CHANGES_H
#define CAFE_PRIVATE_CHANGES_H

#include <cafe-private/private.h>
#include <cafe/update.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The difference between `old` and the graph `now`. origin: of each node of `now` its number in
 * `old`, or -1; NULL: nodes are the same if their names are. Both graphs must outlive the changes,
 * whose new graph is `now`, in its own order of nodes. Nodes that it lacks lose their edges and
 * have no vector any more. */
CAFE_PRIVATE cafe_status cafe_changes_between(cafe_context *context, const cafe_graph *old,
                                              const cafe_graph *now, const int32_t *origin,
                                              cafe_changes **changes);

/* The edges of `other` over the nodes of `graph`, which have the same names; *lost gets the number
 * of those with a node that the graph does not have. */
CAFE_PRIVATE cafe_status cafe_graph_over(cafe_context *context, const cafe_graph *graph,
                                         const cafe_graph *other, int64_t *lost, cafe_graph **over);
/* The ends of its edges except loops, smaller first, in the order of the nodes: source[edges] and
 * target[edges]. Returns their number; with arrays NULL no more than that. */
CAFE_PRIVATE int64_t cafe_graph_ends(const cafe_graph *graph, int32_t *source, int32_t *target);

/* ---- communities ----------------------------------------------------------------------------- */

typedef struct cafe_regrouped cafe_regrouped;

/* Arrays are of the nodes of the new graph, or of the communities found. */
typedef struct cafe_regrouped_report {
    const int32_t *after;     /* communities 0, 1, ... of the nodes */
    const int32_t *number;    /* of each: that of the start which it continues, or a new one */
    const int32_t *partition; /* of the nodes, by these numbers */
    int64_t kept, moved;      /* nodes whose number is the same, or another */
    int64_t visits;           /* of nodes, near the changes */
    int32_t whole;            /* 1: the changes are many, and the whole graph was searched */
} cafe_regrouped_report;

/* The communities after the changes. start[nodes of the new graph]: numbers of those before; -1:
 * none. If less than a twentieth of the edges changed, the cost follows the changes and the number
 * of nodes. */
CAFE_PRIVATE cafe_status cafe_communities_update(cafe_context *context, cafe_changes *changes,
                                                 const int32_t *start, cafe_regrouped **regrouped);
CAFE_PRIVATE const cafe_regrouped_report *cafe_regrouped_get(const cafe_regrouped *regrouped);
/* As cafe cluster writes them. */
CAFE_PRIVATE cafe_status cafe_regrouped_write(cafe_context *context,
                                              const cafe_regrouped *regrouped,
                                              const cafe_changes *changes, const char *path,
                                              int32_t overwrite);
CAFE_PRIVATE void cafe_regrouped_free(cafe_regrouped *regrouped);

#ifdef __cplusplus
}
#endif
#endif
