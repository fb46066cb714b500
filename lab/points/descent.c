/* NN-descent (Dong, Charikar, Li, WWW 2011): a neighbour of a neighbour is probably a neighbour.
 *
 * A round copies all lists, together with the points that list each point (at most k of them).
 * Every point then tries the points in the copies of the points on its own list. Pairs tried in an
 * earlier round are skipped: one of the two steps must be new. A point reads the copies and writes
 * its own list only, so a round is the same for any number of threads. The search ends if a round
 * changes fewer than 1 place in 1000.
 */
#include <cafe-private/text.h>

#include "base/memory.h"
#include "base/thread_pool.h"
#include "points/points.h"

enum { LEAST_LIST = 16, MOST_ROUNDS = 16, ROWS = 256 };

/* Pictures: row u holds `width` places of which size[u] are taken. */
typedef struct descent {
    cafe_context *context;
    const cafe_points *points;
    const cafe_distances *distances;
    cafe_nearest *nearest;
    int64_t width;
    int32_t *ids;
    uint8_t *fresh;
    int32_t *size;
    int32_t *seen;      /* threads x n: the last point that tried this one, plus one */
    atomic_llong moves; /* places changed in this round */
} descent;

static void picture_own(void *argument, int64_t first, int64_t last) {
    descent *d = argument;
    int64_t k = d->nearest->k;
    for (int64_t u = first; u < last; u++) {
        memcpy(d->ids + u * d->width, d->nearest->ids + u * k, (size_t)k * sizeof *d->ids);
        memcpy(d->fresh + u * d->width, d->nearest->fresh + u * k, (size_t)k);
        memset(d->nearest->fresh + u * k, 0, (size_t)k);
        d->size[u] = (int32_t)k;
    }
}

/* Collects the points that list w, for each w: the smallest ids among the new ones, then among the
 * rest, while there is room. Two passes over all lists, in order. */
static cafe_status picture_others(descent *d) {
    int64_t n = d->nearest->n, k = d->nearest->k;
    for (int pass = 1; pass >= 0; pass--)
        for (int64_t u = 0; u < n; u++) {
            if (u % 65536 == 0 && cafe_check_cancel(d->context)) return CAFE_ERROR_CANCELLED;
            for (int64_t i = 0; i < k; i++) {
                int64_t w = d->ids[u * d->width + i];
                if (d->fresh[u * d->width + i] != pass || d->size[w] == d->width) continue;
                d->ids[w * d->width + d->size[w]] = (int32_t)u;
                d->fresh[w * d->width + d->size[w]++] = (uint8_t)pass;
            }
        }
    return CAFE_OK;
}

/* Tries for u all that v's picture shows. */
static int64_t try_picture(descent *d, int64_t u, int64_t v, bool fresh, int32_t *seen) {
    const cafe_points *p = d->points;
    int64_t moves = 0;
    for (int64_t j = 0; j < d->size[v]; j++) {
        int32_t w = d->ids[v * d->width + j];
        if (!(fresh || d->fresh[v * d->width + j]) || seen[w] == u + 1) continue;
        seen[w] = (int32_t)u + 1;
        float square = d->distances->pair(p->x + u * p->dims, p->x + w * p->dims, p->dims);
        moves += cafe_nearest_offer(d->nearest, u, w, square);
    }
    return moves;
}

static void improve(void *argument, int64_t task, int32_t worker) {
    descent *d = argument;
    int64_t end = cafe_block_end(d->nearest->n, ROWS, task), moves = 0;
    int32_t *seen = d->seen + worker * d->nearest->n;
    for (int64_t u = task * ROWS; u < end; u++) {
        seen[u] = (int32_t)u + 1;
        for (int64_t i = 0; i < d->size[u]; i++)
            moves += try_picture(d, u, d->ids[u * d->width + i], d->fresh[u * d->width + i], seen);
    }
    atomic_fetch_add(&d->moves, moves);
}

static cafe_status descend(descent *d) {
    int64_t n = d->nearest->n, tasks = cafe_blocks(n, ROWS), threads = cafe_threads(d->context);
    cafe_phase(d->context, "neighbours", MOST_ROUNDS);
    for (int round = 0; round < MOST_ROUNDS; round++) {
        CAFE_PASS(cafe_ranges(d->context, n, ROWS, picture_own, d));
        CAFE_PASS(picture_others(d));
        memset(d->seen, 0, (size_t)(threads * n) * sizeof *d->seen);
        atomic_store(&d->moves, 0);
        CAFE_PASS(cafe_parallel(d->context, tasks, improve, d));
        cafe_step(d->context, round + 1, (double)atomic_load(&d->moves));
        if (atomic_load(&d->moves) * 1000 < n * d->nearest->k) break;
    }
    return CAFE_OK;
}

static cafe_status refine(cafe_context *context, const cafe_points *points, cafe_nearest *lists) {
    int64_t n = points->n;
    descent d = {.context = context, .points = points, .nearest = lists, .width = 2 * lists->k};
    cafe_status status = CAFE_ERROR_MEMORY;
    d.distances = cafe_distances_best();
    d.ids = cafe_mem(context, n * d.width, sizeof *d.ids);
    d.fresh = cafe_mem(context, n * d.width, sizeof *d.fresh);
    d.size = cafe_mem(context, n, sizeof *d.size);
    d.seen = cafe_mem(context, n * cafe_threads(context), sizeof *d.seen);
    if (d.ids && d.fresh && d.size && d.seen) status = descend(&d);
    cafe_mem_free_all(context, d.ids, d.fresh, d.size, d.seen);
    return status;
}

/* Short lists find little: at least 16 places are searched with, then the nearest k kept. */
cafe_status cafe_nearest_approximate(cafe_context *context, const cafe_points *points,
                                     cafe_nearest *nearest) {
    int64_t n = points->n, k = nearest->k, room = k > LEAST_LIST ? k : LEAST_LIST;
    cafe_nearest lists = {0};
    cafe_status status;
    if (room > n - 1) room = n - 1;
    if (k == 0) return CAFE_OK;
    CAFE_TRY(cafe_nearest_create(context, n, room, true, &lists));
    CAFE_TRY(cafe_nearest_trees(context, points, &lists));
    CAFE_TRY(refine(context, points, &lists));
    for (int64_t u = 0; u < n; u++) {
        memcpy(nearest->ids + u * k, lists.ids + u * room, (size_t)k * sizeof *lists.ids);
        memcpy(nearest->squares + u * k, lists.squares + u * room,
               (size_t)k * sizeof *lists.squares);
    }
done:
    cafe_nearest_free(context, &lists);
    return status;
}
