/* What communities are about: the label, or the word of the table, that is most over-represented in
 * each, else its most central members. */
#ifndef CAFE_PRIVATE_ABOUT_H
#define CAFE_PRIVATE_ABOUT_H

#include <cafe-private/private.h>
#include <cafe/cluster.h>
#include <cafe/facts.h>
#include <cafe/graph.h>
#include <cafe/labels.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cafe_about cafe_about;

/* Where the words come from; each may be NULL. A node counts with the first of its labels. */
typedef struct cafe_about_sources {
    const cafe_labels *labels;
    const cafe_facts *facts;
    const double *centrality; /* of each node */
} cafe_about_sources;

/* One text for each community of a partition with parts 0 .. parts-1; nodes in -1 are in none. */
CAFE_PRIVATE cafe_status cafe_about_find(cafe_context *context, const cafe_graph *graph,
                                         const cafe_about_sources *sources, const int32_t *part,
                                         int64_t parts, cafe_about **about);
CAFE_PRIVATE void cafe_about_free(cafe_about *about); /* accepts NULL */

/* "Field: Physics (82 %)", or "0, 33 ..."; "" where neither is known. */
CAFE_PRIVATE const char *cafe_about_text(const cafe_about *about, int64_t community);

#ifdef __cplusplus
}
#endif
#endif
