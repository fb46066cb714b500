/* Reports: what a run was asked for and what came out, as JSON made from the library's objects. The
 * tool's --json, C programs and Python all get these keys; docs/report.md describes them.
 *
 * A report is a text that grows. What adds to it returns nothing: the first failure is kept, what
 * follows it is ignored, and cafe_report_text() and cafe_report_write() return it.
 */
#ifndef CAFE_REPORT_H
#define CAFE_REPORT_H

#include <cafe/bounds.h>
#include <cafe/cluster.h>
#include <cafe/embedding.h>
#include <cafe/explain.h>
#include <cafe/reduce.h>
#include <cafe/sample.h>
#include <cafe/update.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cafe_report cafe_report;

/* Begins with the members "schema" (as "cafe/embed/1") and "version". */
CAFE_API cafe_status cafe_report_new(cafe_context *context, const char *schema,
                                     cafe_report **report);
CAFE_API void cafe_report_free(cafe_report *report); /* accepts NULL */

/* Both close what is still open: nothing can be added afterwards. The text is the report's. The
 * file is written under a temporary name and renamed; "-" is standard output; an existing file is
 * kept (CAFE_ERROR_EXISTS) unless `overwrite`. */
CAFE_API cafe_status cafe_report_text(cafe_report *report, const char **text);
CAFE_API cafe_status cafe_report_write(cafe_report *report, const char *path, int32_t overwrite);

/* ---- objects --------------------------------------------------------------------------------- */

/* What the cards of an explanation need beside it. Only the graph is necessary. */
typedef struct cafe_explanation_inputs {
    size_t struct_size;
    const cafe_graph *graph;        /* names of the nodes */
    const cafe_labels *communities; /* names of the communities; NULL: they were found, and have
                                     * numbers */
    const cafe_labels *labels;      /* what cafe_explain_labels() was given, and what it found */
    const cafe_association *with_labels;
    const cafe_table *attributes; /* likewise cafe_explain_attributes() */
    const cafe_association *with_attributes;
    const cafe_spectrum *spectrum;
    const cafe_ceiling *ceiling;
    int64_t node_count; /* cards of nodes */
    const int64_t *nodes;
    const char *vectors_path, *communities_path; /* where they came from */
    int64_t community_attribute_count; /* entries of each community that cafe_explain_features()
                                          found */
    const cafe_listed *community_attributes;
    int64_t layer_count; /* what cafe_explain_layers() found; 0: nothing about layers */
    const cafe_layer_card *layers;
} cafe_explanation_inputs;

CAFE_INPUTS(explanation)

/* "layers", "embedding", "dimensions", "spectrum", "partition", "communities", "nodes" */
CAFE_API void cafe_report_explanation(cafe_report *report, cafe_explanation *explanation,
                                      const cafe_explanation_inputs *inputs);

#ifdef __cplusplus
}
#endif
#endif
