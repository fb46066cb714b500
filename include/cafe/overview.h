/* Everything about a graph in one call: what was read, whether it has communities, vectors with
 * their certificate, central and unusual nodes, and what to do next (`cafe report`).
 */
#ifndef CAFE_OVERVIEW_H
#define CAFE_OVERVIEW_H

#include <cafe/facts.h>
#include <cafe/graph.h>
#include <cafe/labels.h>
#include <cafe/view.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cafe_overview cafe_overview;

/* Beside the graph; each may be NULL. */
typedef struct cafe_overview_inputs {
    size_t struct_size;
    const char *title; /* NULL: "Graph" */
    const char *path;  /* of the graph's file, as the commands of the last section name it */
    const cafe_labels *labels; /* of the nodes */
    const cafe_facts *facts;   /* attributes of the nodes */
    const cafe_graph *read;    /* the graph as it was read, where the other one is a copy of it */
} cafe_overview_inputs;

CAFE_INPUTS(overview)

/* Runs for communities (with trials up to 500,000 edges) and for vectors, a map and centralities,
 * all with the defaults. Graph and inputs outlive the overview. */
CAFE_API cafe_status cafe_overview_make(cafe_context *context, const cafe_graph *graph,
                                        const cafe_overview_inputs *inputs,
                                        cafe_overview **overview);
CAFE_API void cafe_overview_free(cafe_overview *overview); /* accepts NULL */

/* As Markdown; the overview owns the text. */
CAFE_API const char *cafe_overview_text(const cafe_overview *overview);
/* Writes Markdown (.md, -) or an interactive page (.html, .htm) that begins with it. Options and
 * report are those of cafe_view_write(), of a page. */
CAFE_API cafe_status cafe_overview_write_sized(const cafe_overview *overview,
                                               const cafe_view_options *options, const char *path,
                                               int32_t overwrite, cafe_view_report *report,
                                               size_t size);
static inline cafe_status cafe_overview_write(const cafe_overview *overview,
                                              const cafe_view_options *options, const char *path,
                                              int32_t overwrite, cafe_view_report *report) {
    return cafe_overview_write_sized(overview, options, path, overwrite, report, sizeof *report);
}

#ifdef __cplusplus
}
#endif
#endif
