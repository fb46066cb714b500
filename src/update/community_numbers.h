/* Numbers of communities that stay the same from day to day. */
#ifndef CAFE_UPDATE_COMMUNITY_NUMBERS_H
#define CAFE_UPDATE_COMMUNITY_NUMBERS_H

#include <cafe/update.h>

/* (*numbers)[*count] <- the numbers in part[n], ascending; (*dense)[n] <- the index of each node's;
 * a negative number is none, and becomes -1. Both arrays are of the context's memory; they are
 * there or NULL whatever the status. */
cafe_status cafe_communities_dense(cafe_context *context, int64_t n, const int32_t *part,
                                   int32_t **numbers, int64_t *count, int32_t **dense);

typedef struct cafe_numbering {
    int64_t nodes;
    const int32_t *start, *part; /* indices of the communities before and after; -1: none before */
    const cafe_transition_report *changes; /* between the two */
    const int32_t *before;                 /* numbers of the communities before, ascending */
    const int32_t *keep;                   /* nodes whose communities go on first */
    int64_t keep_count;
} cafe_numbering;

/* number[changes->new_count] <- that of the community that a new one continues, else a new number;
 * continued[changes->old_count] <- 1 for those that go on; it begins as zeros. */
cafe_status cafe_communities_number(cafe_context *context, const cafe_numbering *numbering,
                                    uint8_t *continued, int32_t *number);

#endif
