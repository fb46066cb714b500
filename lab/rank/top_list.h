/* The best `most` of a stream of scored nodes: larger scores first, equal scores by node id.
 *
 * The order is total, so the result does not depend on the order of the stream.
 */
#ifndef CAFE_RANK_TOP_LIST_H
#define CAFE_RANK_TOP_LIST_H

#include <stdbool.h>
#include <stdint.h>

typedef struct cafe_scored {
    double score;
    int32_t node;
} cafe_scored;

static inline bool cafe_before(cafe_scored a, cafe_scored b) {
    return a.score > b.score || (a.score == b.score && a.node < b.node);
}

/* A heap of at most `room` items whose root is the last of them in the order. */
typedef struct cafe_top {
    cafe_scored *at;
    int64_t count, room;
} cafe_top;

/* Puts the item at place i of a heap of `count` down to where it belongs. */
static inline void cafe_top_sink(cafe_scored *at, int64_t count, int64_t i, cafe_scored item) {
    for (;;) {
        int64_t child = 2 * i + 1;
        if (child >= count) break;
        if (child + 1 < count && cafe_before(at[child], at[child + 1])) child++;
        if (!cafe_before(item, at[child])) break;
        at[i] = at[child];
        i = child;
    }
    at[i] = item;
}

static inline void cafe_top_offer(cafe_top *top, cafe_scored item) {
    if (top->count == top->room) {
        if (top->room > 0 && cafe_before(item, top->at[0]))
            cafe_top_sink(top->at, top->count, 0, item);
        return;
    }
    int64_t i = top->count++;
    for (; i > 0 && cafe_before(top->at[(i - 1) / 2], item); i = (i - 1) / 2)
        top->at[i] = top->at[(i - 1) / 2];
    top->at[i] = item;
}

/* Sorts the items, best first; the heap is a list from then on. */
static inline void cafe_top_sort(cafe_top *top) {
    for (int64_t last = top->count - 1; last > 0; last--) {
        cafe_scored worst = top->at[0];
        cafe_top_sink(top->at, last, 0, top->at[last]);
        top->at[last] = worst;
    }
}

#endif
