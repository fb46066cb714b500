/* Communities of wanted sizes, or of a wanted number: what follows a search without these limits.
 *
 *     divide   communities that are too large, at a rising resolution
 *     join     pairs of neighbours that lose least
 *     settle   nodes move where that gains, while sizes, number and connection hold
 *
 * docs/algorithms/layers-sizes.md has the formulas.
 */
#ifndef CAFE_SOLVE_LAYERS_SIZES_H
#define CAFE_SOLVE_LAYERS_SIZES_H

#include "solve/layers_search.h"

/* The limits; 1, n and 0 are none. */
typedef struct cafe_size_limits {
    int64_t least, most; /* nodes of a community */
    int64_t communities; /* their number; 0: any */
} cafe_size_limits;

/* Do the options limit the communities? Refuses limits that do not go together, or with `given`. */
cafe_status cafe_layers_check_sizes(cafe_context *context, const cafe_layers_options *options,
                                    bool given, int64_t n, bool *limited);

/* The best result of the search gets the sizes, or the number, of its options. */
cafe_status cafe_search_limit(cafe_context *context, cafe_search *s);

/* ---- steps ----------------------------------------------------------------------------------- */

/* Joins neighbouring communities of part[g->n], numbered 0 .. *count-1, the pair with the largest
 *
 *     p(S,T) - resolution p(S) p(T)
 *
 * first, while there are more than limits->communities (0: while a join gains) and the two have up
 * to limits->most nodes. Then each community of fewer than limits->least nodes, the smallest first,
 * joins its best neighbour. A community without neighbours stays. */
cafe_status cafe_layers_join(cafe_context *context, const cafe_pooled *g, double resolution,
                             const cafe_size_limits *limits, int32_t *part, int64_t *count);

/* Moves single nodes of part[g->n] to communities of neighbours while that gains. All communities
 * keep to the sizes, remain and stay connected. */
cafe_status cafe_layers_settle(cafe_context *context, const cafe_pooled *g, double resolution,
                               const cafe_size_limits *limits, int32_t *part, int64_t count);

#endif
