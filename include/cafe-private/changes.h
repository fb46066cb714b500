/* The difference of two whole graphs, for the tool. */
#ifndef CAFE_PRIVATE_CHANGES_H
#define CAFE_PRIVATE_CHANGES_H

#include <cafe-private/private.h>
#include <cafe/update.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What became of `old` in the graph `now`: nodes are the same if their names are. Both must outlive
 * the changes, whose new graph is `now`, in its own order of nodes. Nodes that it lacks lose their
 * edges and have no vector any more. */
CAFE_PRIVATE cafe_status cafe_changes_between(cafe_context *context, const cafe_graph *old,
                                              const cafe_graph *now, cafe_changes **changes);

#ifdef __cplusplus
}
#endif
#endif
