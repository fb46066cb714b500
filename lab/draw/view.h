/* A page while it is put together: the arrays that fit, in the order in which they matter. */
#ifndef CAFE_DRAW_VIEW_H
#define CAFE_DRAW_VIEW_H

#include <cafe/explain.h>
#include <cafe/graph.h>
#include <cafe/view.h>

#include "draw/view_pack.h"
#include "report/report.h"

typedef struct cafe_view {
    cafe_context *context;
    const cafe_graph *graph;
    const cafe_view_inputs *inputs;
    const cafe_view_options *options;
    int64_t n;
    int64_t spent;     /* bytes of the page so far */
    uint32_t *order;   /* the node of each point, along the curve */
    uint32_t *rank;    /* the point of each node */
    uint32_t *scratch; /* n numbers */
    uint32_t *label;   /* of each point, 0 without one; NULL: the page has none */
    cafe_view_section *section;
    int64_t sections;
    int64_t finest; /* the first layer in the page; inputs->layers: none */
    cafe_view_report report;
} cafe_view;

/* The page's text without its data, from viewer/ (made by cmake/Viewer.cmake), and the places where
 * title and data go. */
extern const char cafe_view_template[];
extern const int64_t cafe_view_template_size;
#define CAFE_VIEW_TITLE "<!--cafe:title-->"
#define CAFE_VIEW_DATA  "<!--cafe:data-->"

/* Vectors and map are there and finite. */
cafe_status cafe_view_check(cafe_context *context, const cafe_graph *graph,
                            const cafe_view_inputs *inputs);

/* The explanation of the columns that cafe_view_find() made; NULL: the caller had a certificate. */
const cafe_explanation *cafe_view_explained(const cafe_view_found *found);

/* Room for the arrays; then all of them. cafe_view_free() frees both, also after a failure. */
cafe_status cafe_view_fill(cafe_view *page);
void cafe_view_free(cafe_view *page);

/* Packs `count` numbers, or bytes, under a name. Keeps them if they take at most `limit` bytes and
 * fit the limit of the page; *kept (may be NULL) returns whether. */
cafe_status cafe_view_add(cafe_view *page, cafe_view_section section, const uint32_t *values,
                          const uint8_t *bytes, int64_t count, int64_t limit, bool *kept);
/* The same of texts one after the other, each with a final 0 byte, whatever they take; and of the
 * values at[u * stride] of the nodes, quantised. */
cafe_status cafe_view_add_texts(cafe_view *page, const char *name, int64_t count,
                                const char *const *list);
cafe_status cafe_view_add_axis(cafe_view *page, const char *name, const float *at, int64_t stride,
                               bool *kept);
/* Takes back the sections from number `first` on. */
void cafe_view_drop(cafe_view *page, int64_t first);
/* Bytes of the page that are left; INT64_MAX without one. */
int64_t cafe_view_left(const cafe_view *page);

/* view_before.c: the other run, beside this one. */
cafe_status cafe_view_add_before(cafe_view *page);

/* The edges, each once, from the point of smaller number to the larger. */
cafe_status cafe_view_add_links(cafe_view *page);

/* Nodes up to which all pairs are compared here, and the nearest that are sought. */
enum { CAFE_VIEW_EXACT = 20000, CAFE_VIEW_NEAREST = 10 };
/* Adds the nearest nodes of each node by the cosine of their vectors: ten, or as many as fit half
 * of the remaining page. */
cafe_status cafe_view_add_nearest(cafe_view *page);

#endif
