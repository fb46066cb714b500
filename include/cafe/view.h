/* One interactive page of an embedding: a file that a browser opens from the disk, with everything
 * it needs inside. It asks the network for nothing and its policy forbids it to.
 *
 * What goes into the page is chosen by its size: positions, communities, labels and centralities
 * first, then names, a table, columns and edges as long as they fit the limit. What was left out
 * is in the report and in the page.
 */
#ifndef CAFE_VIEW_H
#define CAFE_VIEW_H

#include <cafe/cluster.h>
#include <cafe/embedding.h>
#include <cafe/facts.h>
#include <cafe/graph.h>
#include <cafe/lab_option.h>
#include <cafe/labels.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum cafe_view_links {
    CAFE_VIEW_LINKS_AUTO = 0, /* when they fit the limit */
    CAFE_VIEW_LINKS_NONE = 1,
    CAFE_VIEW_LINKS_ALL = 2 /* whatever they take */
} cafe_view_links;

typedef struct cafe_view_options {
    size_t struct_size;
    int64_t columns_shown; /* at most this many columns can be chosen in the page */
    int32_t links;         /* cafe_view_links */
    int64_t page_limit;    /* bytes of the page; 0: no limit */
} cafe_view_options;

CAFE_LAB_OPTIONS(view)

/* What the page shows of a graph of n nodes. Only the vectors are needed; the rest may be 0. */
typedef struct cafe_view_inputs {
    size_t struct_size;
    const char *title; /* NULL: "Embedding" */
    int64_t columns;
    const float *vectors;      /* row-major n x columns, finite */
    const float *map;          /* row-major n x 2, finite: a layout in the plane */
    const cafe_labels *labels; /* of a node with several the first counts */
    int64_t layers;            /* finest first, each nested in the next */
    const cafe_layer *layer;
    const double *centrality; /* n values, not negative */
    const char *centrality_name;
    const cafe_certificate *certificate; /* of the vectors: its Ritz pairs and columns */
    int64_t objectives; /* values of the objective: at the start and after each sweep */
    const double *objective;
    int64_t named; /* communities 0 .. named-1 of layer[0] have these names; 0: their numbers */
    const char *const *community_names;
    const cafe_facts *facts; /* a table of the nodes to show, sort and colour by */
    double degree_exponent;  /* of the sampling that the vectors were made with (cafe/sample.h):
                              * values of columns and pulls are of its Q */
    double bound;            /* no partition has a larger modularity; 0: not known */
    int32_t proved;          /* 1: none has a larger one than the coarsest layer */
    const char *summary; /* text and tables of the first tab, as JSON (`cafe report` makes them);
                          * NULL: there is no such tab */
    const char *before_title; /* another run of the same nodes, to be shown beside this one: */
    const float *before_map;  /* its layout, n x 2, turned onto this one; NULL: the same */
    const int32_t *before;    /* n communities, -1 for none; NULL: those of this run */
    int64_t before_named;     /* names of 0 .. before_named-1; the numbers without them */
    const char *const *before_names;
} cafe_view_inputs;

CAFE_INPUTS(view)

/* Finds what the inputs lack and fills it in. Communities are those of part[n], where negative
 * numbers are in none; part NULL: the layers of cafe_layers_find(). With `map` there is a layout.
 * The centrality is PageRank. Values and residuals of the columns are those of cafe_explain().
 * Small graphs get the bound of these communities. What is found lives as long as *found. */
typedef struct cafe_view_found cafe_view_found;

CAFE_API cafe_status cafe_view_find(cafe_context *context, const cafe_graph *graph,
                                    const int32_t *part, int32_t map, cafe_view_inputs *inputs,
                                    cafe_view_found **found);
CAFE_API void cafe_view_found_free(cafe_view_found *found); /* accepts NULL */

/* What became of it. */
typedef struct cafe_view_report {
    int64_t bytes;   /* of the page */
    int64_t columns; /* that can be chosen */
    int64_t layers;  /* of the hierarchy: the coarsest ones */
    int64_t links;   /* 0: left out */
    int32_t names;   /* 1: nodes have their names; 0: left out, their numbers are shown */
    int32_t labels;
    int32_t centrality;
    int64_t facts;         /* columns of the table: the first ones */
    int64_t nearest;       /* nodes nearest to each by cosine that are in the page; 0: left out */
    int64_t nearest_found; /* that would be there without a limit */
    int32_t nearest_exact; /* 1: all pairs were compared; 0: approximate search */
} cafe_view_report;

/* Writes the page under a temporary name and renames it; "-" is standard output. An existing file
 * is kept (CAFE_ERROR_EXISTS) unless `overwrite`. The same inputs give the same bytes for any
 * number of threads. CAFE_ERROR_LIMIT when not even the positions fit the limit. Options and
 * report may be NULL. */
CAFE_API cafe_status cafe_view_write_sized(cafe_context *context, const cafe_graph *graph,
                                           const cafe_view_inputs *inputs,
                                           const cafe_view_options *options, const char *path,
                                           int32_t overwrite, cafe_view_report *report,
                                           size_t size);
static inline cafe_status cafe_view_write(cafe_context *context, const cafe_graph *graph,
                                          const cafe_view_inputs *inputs,
                                          const cafe_view_options *options, const char *path,
                                          int32_t overwrite, cafe_view_report *report) {
    return cafe_view_write_sized(context, graph, inputs, options, path, overwrite, report,
                                 sizeof *report);
}

#ifdef __cplusplus
}
#endif
#endif
