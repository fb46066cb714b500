/* Processes that run one program together (an engine may join several), and their communication.
 * Readers of graphs divide their work by it. Folders below src/engine know no more about processes.
 *
 * Every process makes the same calls in the same order. An error of one process is agreed on
 * (cafe_team_agree()) before the next call, so that no process waits for one that has left.
 */
#ifndef CAFE_BASE_PROCESSES_H
#define CAFE_BASE_PROCESSES_H

#include <stdint.h>

#include "base/context.h"

typedef struct cafe_team {
    int32_t rank, ranks; /* this process's number, and how many there are */
    const void *state;
    /* The worst status of all, for each, with the text of the first process that has it. */
    cafe_status (*agree)(cafe_context *context, const void *state, cafe_status status);
    /* Sends sizes[r] bytes to process r; the bytes for 0, 1, ... follow each other in `give`. *got,
     * memory of the context, has the bytes from 0, 1, ...: got_sizes[r] bytes of each. */
    cafe_status (*exchange)(cafe_context *context, const void *state, const void *give,
                            const int64_t *sizes, void **got, int64_t *got_sizes);
} cafe_team;

/* The rows first .. last - 1 that this process handles, if processes share rows; it sends its
 * results to the others. Not shared: this process handles all rows. */
typedef struct cafe_portion {
    bool shared;
    int64_t first, last;
} cafe_portion;

static inline int32_t cafe_team_ranks(const cafe_context *context) {
    return context->team ? context->team->ranks : 1;
}
static inline int32_t cafe_team_rank(const cafe_context *context) {
    return context->team ? context->team->rank : 0;
}

/* As in the table above; a process that is alone agrees with itself. */
cafe_status cafe_team_agree(cafe_context *context, cafe_status status);
cafe_status cafe_team_exchange(cafe_context *context, const void *give, const int64_t *sizes,
                               void **got, int64_t *got_sizes);

/* Gives the bytes of every process to all: *all, memory of the context, has those of process 0, 1,
 * ...; sizes[r] (NULL: not needed) gets their numbers. */
cafe_status cafe_team_gather(cafe_context *context, const void *mine, int64_t bytes, void **all,
                             int64_t *sizes);

/* Returns CAFE_ERROR_ARGUMENT in every process if lines of `text` differ from those of process 0.
 * The error text names the first process that differs, and both lines. */
cafe_status cafe_team_same(cafe_context *context, const char *text);

/* The sums over all processes, in place. */
cafe_status cafe_team_sum(cafe_context *context, int64_t *values, int64_t count);

/* Of an array that all processes have, items bounds[r] .. bounds[r+1] - 1 are process r's: all get
 * all of them. */
cafe_status cafe_team_fill(cafe_context *context, void *array, size_t size, const int64_t *bounds);

/* Divides rows into `ranks` parts with about equal numbers of entries: bounds[ranks + 1], multiples
 * of `block` except the last, n. */
void cafe_team_bounds(const cafe_context *context, int64_t n, const int64_t *offsets, int64_t block,
                      int64_t *bounds);
/* The part of this process; and the rows of a share, which may be all n. */
static inline cafe_portion cafe_team_portion(const cafe_context *context, const int64_t *bounds) {
    int32_t rank = cafe_team_rank(context);
    return (cafe_portion){true, bounds[rank], bounds[rank + 1]};
}
static inline cafe_portion cafe_portion_of(cafe_portion portion, int64_t n) {
    return portion.shared ? portion : (cafe_portion){false, 0, n};
}

#endif
