/* Members that the commands add to a report, and a report read again.
 */
#ifndef CAFE_PRIVATE_MEMBERS_H
#define CAFE_PRIVATE_MEMBERS_H

#include <cafe-private/private.h>
#include <cafe/report.h>

#ifdef __cplusplus
extern "C" {
#endif

/* key: NULL inside an array. A number that is not finite, and NULL for values, is null. Bytes of a
 * string that are no UTF-8 become U+FFFD. */
CAFE_PRIVATE void cafe_report_open(cafe_report *report, const char *key,
                                   char bracket); /* '{' or '[' */
CAFE_PRIVATE void cafe_report_close(cafe_report *report);
CAFE_PRIVATE void cafe_report_string(cafe_report *report, const char *key, const char *text);
CAFE_PRIVATE void cafe_report_integer(cafe_report *report, const char *key, int64_t value);
CAFE_PRIVATE void cafe_report_real(cafe_report *report, const char *key, double value);
CAFE_PRIVATE void cafe_report_truth(cafe_report *report, const char *key, int32_t value);
CAFE_PRIVATE void cafe_report_reals(cafe_report *report, const char *key, int64_t count,
                                    const double *values);

/* Which features hold a community together: lists[communities * top] has `top` of each community
 * (the option of cafe_explain_options), by the size of Pearson's r of feature and membership. An
 * index of -1 is none. The rows x are row-major nodes x width, finite. */
CAFE_PRIVATE cafe_status cafe_explain_features(cafe_context *context,
                                               const cafe_explanation *explanation, int64_t width,
                                               const float *x, cafe_listed *lists);

/* A node in about ten plain sentences, a line each: its community and why, what would change it,
 * the nearest nodes, the columns that set it apart. Of the inputs graph, communities and labels
 * count. The text is the explanation's, until the next call. */
CAFE_PRIVATE cafe_status cafe_explain_words(cafe_context *context, cafe_explanation *explanation,
                                            const cafe_explanation_inputs *inputs, int64_t node,
                                            const char **text);

/* ---- what was asked for ---------------------------------------------------------------------- */

/* "seed", "threads" and "engine" of the report's context. */
CAFE_PRIVATE void cafe_report_context(cafe_report *report);
/* Every option of a table with its value in the struct; NULL: the defaults. */
CAFE_PRIVATE void cafe_report_options(cafe_report *report, const cafe_option_table *table,
                                      const void *options);

/* The members of cafe_graph_reading, beside the format's name: how the file was understood. */
CAFE_PRIVATE void cafe_report_reading(cafe_report *report, const cafe_graph *graph);

/* The members of cafe_graph_profile. */
CAFE_PRIVATE void cafe_report_profile(cafe_report *report, const cafe_graph_profile *profile);

typedef struct cafe_sizes {
    int64_t largest, median, smallest; /* nodes of a community */
    int64_t single_nodes;              /* communities of one node */
} cafe_sizes;

/* part[nodes] in 0 .. parts-1. */
CAFE_PRIVATE cafe_status cafe_partition_sizes(cafe_context *context, int64_t nodes,
                                              const int32_t *part, int64_t parts,
                                              cafe_sizes *sizes);

/* ---- reports read again ---------------------------------------------------------------------- */

/* Figures of a run of cafe embed, from its report (schema "cafe/embed/1"; "-" is standard input).
 * They are the number of columns (0: the report has none), and the objective at the start and after
 * each sweep. Text that is no such report is CAFE_ERROR_FORMAT. */
typedef struct cafe_record cafe_record;

CAFE_PRIVATE cafe_status cafe_record_read(cafe_context *context, const char *path,
                                          cafe_record **record);
CAFE_PRIVATE void cafe_record_free(cafe_record *record); /* accepts NULL */
CAFE_PRIVATE int64_t cafe_record_columns(const cafe_record *record);
CAFE_PRIVATE const double *cafe_record_objective(const cafe_record *record, int64_t *count);

/* "sampled": which P the figures refer to. */
CAFE_PRIVATE void cafe_report_sampled(cafe_report *report, const cafe_sampled *sampled);

/* "table"; reduction NULL: without its means and variance. */
CAFE_PRIVATE void cafe_report_table(cafe_report *report, const char *path, const cafe_table *table,
                                    const cafe_reduction *reduction);

/* The vectors of a table: "order", "theta", "objective", what each column explains, "eigenvalues".
 */
CAFE_PRIVATE void cafe_report_reduction(cafe_report *report, const cafe_reduction *reduction);

/* Theorem 4: the gaps of the spectrum, and "plain" and "centred" with epsilon, cosines and bounds.
 */
CAFE_PRIVATE void cafe_report_bounds(cafe_report *report, const cafe_bounds *bounds);

/* An update: sizes, the objective after each round, the work and the drift of the vectors. */
CAFE_PRIVATE void cafe_report_updated(cafe_report *report, const cafe_updated *updated);

/* "changes" */
CAFE_PRIVATE void cafe_report_changes(cafe_report *report, const char *path,
                                      const cafe_changes *changes);

/* "communities", where `old` has the names of the old ones (NULL: their numbers). */
CAFE_PRIVATE void cafe_report_transition(cafe_report *report, const cafe_transition *transition,
                                         const cafe_labels *old, const int32_t *number);

/* "graph": what was read and what became of it. path: where from, or NULL. */
CAFE_PRIVATE void cafe_report_graph(cafe_report *report, const char *path, const cafe_graph *graph);

#ifdef __cplusplus
}
#endif
#endif
