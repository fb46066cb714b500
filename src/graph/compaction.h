/* The last step of the builder: merged rows leave gaps, which go. */
#ifndef CAFE_GRAPH_COMPACTION_H
#define CAFE_GRAPH_COMPACTION_H

#include "base/context.h"

/* Entries begin .. begin + length - 1 of an array, to be moved down to `to`. In a list of spans
 * begin ascends, no two overlap, and each moves to where the one before it ends. */
typedef struct cafe_span {
    int64_t begin, length, to;
} cafe_span;

/* Where each span goes: sets `to`, returns the sum of the lengths. */
int64_t cafe_plan_spans(cafe_span *spans, int64_t count);

/* Moves the spans of *array, an array of the context's memory with `before` 4-byte entries. When
 * many entries are outside the spans, *array becomes a smaller one. */
cafe_status cafe_close_gaps(cafe_context *context, const cafe_span *spans, int64_t count,
                            int64_t before, void **array);

#endif
