/* A page while it is put together: the arrays that fit, in the order in which they matter. */
#ifndef CAFE_IO_PAGE_H
#define CAFE_IO_PAGE_H

#include <cafe/page.h>

#include "graph/graph.h"
#include "io/page_pack.h"

typedef struct cafe_page {
    cafe_context *context;
    const cafe_graph *graph;
    const cafe_page_inputs *inputs;
    const cafe_page_options *options;
    int64_t n;
    int64_t spent;     /* bytes of the page so far */
    uint32_t *order;   /* the node of each point, along the curve */
    uint32_t *rank;    /* the point of each node */
    uint32_t *scratch; /* n numbers */
    uint32_t *label;   /* of each point, 0 without one; NULL: the page has none */
    cafe_page_section *section;
    int64_t sections;
    int64_t finest; /* the first layer in the page; inputs->layers: none */
    cafe_page_report report;
} cafe_page;

/* The page's text without its data, from viewer/ (made by cmake/Viewer.cmake), and the places where
 * title and data go. */
extern const char cafe_page_template[];
extern const int64_t cafe_page_template_size;
#define CAFE_PAGE_TITLE "<!--cafe:title-->"
#define CAFE_PAGE_DATA  "<!--cafe:data-->"

/* Room for the arrays; then all of them. cafe_page_free() frees both, also after a failure. */
cafe_status cafe_page_fill(cafe_page *page);
void cafe_page_free(cafe_page *page);

/* Packs `count` numbers, or bytes, under a name and keeps them when they take at most `limit` bytes
 * and the budget holds them; *kept (may be NULL) says whether. */
cafe_status cafe_page_add(cafe_page *page, cafe_page_section section, const uint32_t *values,
                          const uint8_t *bytes, int64_t count, int64_t limit, bool *kept);
/* Bytes of the budget that are left; INT64_MAX without one. */
int64_t cafe_page_left(const cafe_page *page);

/* The links, each once, from the point of smaller number to the larger. */
cafe_status cafe_page_add_links(cafe_page *page);

#endif
