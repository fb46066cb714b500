/* The explanation's inside: the block, its image under Q, and what the cards are read off. */
#ifndef CAFE_EXPLAIN_EXPLAIN_H
#define CAFE_EXPLAIN_EXPLAIN_H

#include <stdbool.h>

#include <cafe/explain.h>

#include "base/context.h"
#include "operator/operator.h"
#include "sample/set_masses.h"
#include "spectral/ritz.h"

/* Columns that one task scans: a cache line of every row. */
enum { CAFE_EXPLAIN_COLUMNS = 16, CAFE_EXPLAIN_BLOCK = 1024 };

/* A column's entries added up. */
typedef struct cafe_column_sums {
    double sum, square, image; /* of v, v^2 and v (Q v) */
} cafe_column_sums;

/* Communities: members in the order of the nodes, and figures of each. */
typedef struct cafe_member_lists {
    int64_t count;
    int32_t *part;  /* of each node, negative: none */
    int64_t *start; /* count + 1: members of S are members[start[S] .. start[S+1]) */
    int32_t *members;
    double *inside;  /* p(u, S(u)) of each node */
    double *factors; /* of a sum: count x width, the sums of F over each community; else NULL */
    cafe_set_sums *sums;
    cafe_listed *central, *nearest; /* top of each */
    int64_t *central_count, *nearest_count;
} cafe_member_lists;

struct cafe_explanation {
    cafe_context *context;
    const cafe_operator *op;
    int64_t n, columns, top;
    cafe_block v, z; /* V and Q V */
    cafe_column_sums *sums;
    double modularity;
    cafe_ritz plain, walk;
    bool generalised;
    cafe_listed *high, *low; /* columns x top nodes */
    cafe_listed *high_communities, *low_communities;
    int64_t *high_count, *low_count; /* communities listed of each column */
    cafe_member_lists sets;
    cafe_explain_report report;
    cafe_layer_card *layers; /* of the last cafe_explain_layers() */
    int64_t layer_count;
    /* of the last node card */
    double *products;
    cafe_coordinate *coordinates;
    cafe_force *pulls, *pushes;
    char *words; /* the last node's sentences */
};

static inline bool cafe_listed_before(cafe_listed a, cafe_listed b) {
    return a.value > b.value || (a.value == b.value && a.index < b.index);
}

/* Keeps the `room` best of a stream in order: larger values first, equal ones by index. A list is
 * short, so an item is put into its place by moving those behind it. */
static inline void cafe_listed_offer(cafe_listed *list, int64_t *count, int64_t room,
                                     cafe_listed item) {
    int64_t i = *count < room ? (*count)++ : room;
    for (; i > 0 && cafe_listed_before(item, list[i - 1]); i--)
        if (i < room) list[i] = list[i - 1];
    if (i < room) list[i] = item;
}

/* dimension_cards.c: the ends of every column. */
cafe_status cafe_explain_ends(cafe_context *context, cafe_explanation *e);

/* community_cards.c: the lists, masses and centralities of a partition, found when part is NULL. */
cafe_status cafe_explain_sets(cafe_context *context, cafe_explanation *e, const int32_t *part);
/* The sums over the communities sets->part of an operator with rows: sums, inside, factors. */
cafe_status cafe_explain_set_sums(cafe_context *context, const cafe_operator *op,
                                  cafe_member_lists *sets);
/* q(S,S) */
double cafe_explain_strength(const cafe_operator_parts *q, const cafe_member_lists *sets,
                             int64_t s);
void cafe_member_lists_free(cafe_context *context, cafe_member_lists *sets);

/* layer_shares.c */
void cafe_explain_forget_layers(cafe_explanation *e);

#endif
