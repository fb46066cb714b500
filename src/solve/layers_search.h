/* The search of the multi-layer method: rounds that build hierarchies and keep the best. */
#ifndef CAFE_SOLVE_LAYERS_SEARCH_H
#define CAFE_SOLVE_LAYERS_SEARCH_H

#include "solve/layers_hierarchy.h"
#include "solve/layers_start.h"

typedef struct cafe_search {
    cafe_hierarchy h;
    const cafe_layers_start *given; /* the only start besides the last result; NULL: none */
    int64_t left;                   /* rounds */
    bool large;                     /* a round takes so long that fresh starts are not tried */
    bool whole;         /* of a large graph: communities need not be tested for a division */
    int64_t failures;   /* fresh starts since the best was found */
    double gain;        /* of the last round over the partition that it started from */
    double before;      /* the same of the round before it; both HUGE_VAL after other starts */
    cafe_layers *best;  /* the best hierarchy up to now */
    cafe_layers *other; /* the last round's, or the one that it replaced as the best */
    cafe_layers *last;  /* one of the two */
    int32_t *meet;      /* the partition that a round begins with, unless it is that of `last` */
    double until;       /* by cafe_os_seconds(): no round begins later; 0: any */
    bool quiet;         /* somebody else reports the progress */
} cafe_search;

/* A search on this graph with the default number of rounds. The caller has set h.options and
 * h.turn. */
cafe_status cafe_search_open(cafe_context *context, const cafe_pooled *finest, cafe_search *s);
/* Rounds until none is left or worth its time; then `best` has the result. The caller frees
 * the search. */
cafe_status cafe_search_run(cafe_context *context, cafe_search *s);
/* One round from the partition `meet`. */
cafe_status cafe_search_round(cafe_context *context, cafe_search *s);
void cafe_search_free(cafe_context *context, cafe_search *s);

/* met[n] <- nodes are together if they are together in a[n] and b[n]; counts: their communities,
 * and those of met, which may be a. */
cafe_status cafe_layers_meet(cafe_context *context, int64_t n, const int32_t *a, int64_t a_count,
                             const int32_t *b, int64_t b_count, int32_t *met, int64_t *count);
/* part[u] <- top[part[u]]: communities of groups become those of nodes. */
cafe_status cafe_layers_lift(cafe_context *context, int64_t n, const int32_t *top, int32_t *part);

/* ---- communities that are too large: layers_divide.c ----------------------------------------- */

/* Would some communities be divided by a search inside them? Tests a sample. */
cafe_status cafe_layers_may_divide(cafe_context *context, const cafe_hierarchy *h,
                                   const cafe_layers *layers, bool *may);
/* part[n] <- communities of a search inside every community of the top layer. */
cafe_status cafe_layers_divide(cafe_context *context, const cafe_hierarchy *h,
                               const cafe_layers *layers, int32_t *part);

#endif
