/* What is known of nodes beside labels: a table of texts, from a file or from arrays, to be shown.
 */
#ifndef CAFE_FACTS_H
#define CAFE_FACTS_H

#include <cafe/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cafe_facts cafe_facts;

/* The first line names the columns; the first column has the nodes, called as in the graph. Commas,
 * semicolons or tabs separate (what the first line has), fields may stand in quotes or be empty. A
 * line with more or fewer fields than the first, and a node that comes twice, is CAFE_ERROR_FORMAT.
 * So is a file of which no line has a node of the graph. Lines of other nodes are left out;
 * *skipped gets their number. path NULL: the attributes of the graph. */
CAFE_API cafe_status cafe_facts_read(cafe_context *context, const cafe_graph *graph,
                                     const char *path, cafe_facts **facts, int64_t *skipped);
/* From arrays: text[j * nodes + u] is that of node u in column j; NULL or "" for none. */
CAFE_API cafe_status cafe_facts_from_arrays(cafe_context *context, int64_t nodes, int64_t columns,
                                            const char *const *names, const char *const *text,
                                            cafe_facts **facts);
CAFE_API void cafe_facts_free(cafe_facts *facts); /* accepts NULL */

#ifdef __cplusplus
}
#endif
#endif
