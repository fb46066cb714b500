/* An overview while it is made: two runs, the page's data, and the text. */
#ifndef CAFE_OVERVIEW_OVERVIEW_H
#define CAFE_OVERVIEW_OVERVIEW_H

#include <cafe-private/about.h>
#include <cafe/overview.h>
#include <cafe/run.h>

#include "overview/paragraphs.h"
#include "overview/surroundings.h"

struct cafe_overview {
    cafe_context *context;
    const cafe_graph *graph;
    cafe_overview_inputs inputs;
    cafe_run *communities, *vectors;
    float *rows; /* the vectors */
    cafe_view_inputs page;
    cafe_view_found *found;
    cafe_about *about; /* of the coarsest layer */
    cafe_surroundings around;
    cafe_blocks blocks;
};

/* The coarsest layer. */
static inline const cafe_layer *cafe_overview_layer(const cafe_overview *o) {
    return o->page.layer + o->page.layers - 1;
}

/* The sections, in words. */
cafe_status cafe_overview_compose(cafe_overview *overview);

#endif
