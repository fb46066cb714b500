/* The state of a search for multipliers, for the files clique_*.c. */
#ifndef CAFE_EXPLAIN_CLIQUE_SEARCH_H
#define CAFE_EXPLAIN_CLIQUE_SEARCH_H

#include "explain/clique_bound.h"
#include "explain/clique_rows.h"

/* y and c of a forced pair are moved this far: its x is 0 or 1 whatever its rows are. */
#define CAFE_CLIQUE_FAR 0x1p20

typedef struct cafe_clique_link {
    int32_t u, w; /* u < w */
    uint32_t pair;
} cafe_clique_link;

typedef struct cafe_clique_search {
    cafe_context *context;
    const cafe_operator_parts *parts;
    int64_t n;
    double resolution;       /* of a sum; in p of one graph */
    cafe_clique_link *links; /* of one u together */
    int64_t link_count, link_room;
    double scale;    /* arcs: the modularity is diagonal + 2 / scale sum of c x */
    double diagonal; /* sum of q(u,u) */
    cafe_clique_pairs pairs;
    cafe_clique_rows rows;
    int64_t most_rows, most_of_link; /* triangles that an edge may add at a time */
    double triangles, stars;         /* the largest violation when rows were last looked for */
    double violation;                /* the largest in the last pass */
    double work, most_work;          /* steps done, and at most */
    double known, step;
    double best; /* bound, of the present branch */
    int64_t best_rows;
    cafe_clique_multipliers *kept; /* NULL: not asked for */
    int64_t cases, case_start;     /* cases done, and where the present one begins in kept */
    int64_t *divided; /* pairs that the present case forces, in the order of the branching */
    int64_t divided_count, divided_room;
    /* for rows: the positive pairs; x or the place among the neighbours of a centre, by node */
    cafe_clique_near near;
    float *x_of;
    int32_t *place;
    double *gain;
} cafe_clique_search;

/* clique_violations.c: adds rows that x violates, triangles above the tolerance, perhaps stars. */
cafe_status cafe_clique_find_triangles(cafe_clique_search *s, double tolerance);
cafe_status cafe_clique_find_stars(cafe_clique_search *s);

/* clique_bound.c: rounds of the search until the bound proves that `known` is the best, or hardly
 * falls any more, or the work is done. */
cafe_status cafe_clique_climb(cafe_clique_search *s, bool root);
bool cafe_clique_is_proved(const cafe_clique_search *s);

/* clique_branch.c: divides the partitions by pairs, together or apart, until every case is proved;
 * or until the work is done, which leaves *found as it is. The
 * pair whose x is nearest to a half; -1: x is 0 or 1 everywhere. */
int64_t cafe_clique_fractional(const cafe_clique_search *s);
cafe_status cafe_clique_branch(cafe_clique_search *s, cafe_clique_bound *found);

/* clique_multipliers.c: the rows of the best bound of the present case, after those of earlier
 * cases. */
cafe_status cafe_clique_keep(cafe_clique_search *s, const double *lambda);

#endif
