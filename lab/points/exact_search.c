/* The exact search: every point against every other, in tiles that stay in the cache.
 *
 * The points are copied into tiles of 16, one point per column, so a lane of a register is a pair.
 * A task takes 64 points through all tiles and alone writes their lists. The order (distance, id)
 * is total, so the result does not depend on the threads.
 */
#include <math.h>

#include "base/memory.h"
#include "base/thread_pool.h"
#include "points/points.h"

enum { QUERY_ROWS = 64, TILES_BETWEEN_LOOKS = 512 };

cafe_status cafe_nearest_create(cafe_context *context, int64_t n, int64_t k, bool fresh,
                                cafe_nearest *nearest) {
    *nearest = (cafe_nearest){.n = n, .k = k};
    nearest->ids = cafe_mem(context, n * k, sizeof *nearest->ids);
    nearest->squares = cafe_mem(context, n * k, sizeof *nearest->squares);
    if (fresh) nearest->fresh = cafe_mem_zero(context, n * k, sizeof *nearest->fresh);
    if (!nearest->ids || !nearest->squares || (fresh && !nearest->fresh)) {
        cafe_nearest_free(context, nearest);
        return CAFE_ERROR_MEMORY;
    }
    for (int64_t i = 0; i < n * k; i++) {
        nearest->ids[i] = INT32_MAX;
        nearest->squares[i] = INFINITY;
    }
    return CAFE_OK;
}

void cafe_nearest_free(cafe_context *context, cafe_nearest *nearest) {
    cafe_mem_free_all(context, nearest->ids, nearest->squares, nearest->fresh);
    *nearest = (cafe_nearest){0};
}

typedef struct search {
    cafe_context *context;
    const cafe_points *points;
    const cafe_distances *distances;
    float *tiles; /* [tile][dims][CAFE_TILE], zeros after the last point */
    cafe_nearest *nearest;
} search;

static void fill_tile(void *argument, int64_t first, int64_t last) {
    search *s = argument;
    const cafe_points *p = s->points;
    float *tile = s->tiles + first / CAFE_TILE * p->dims * CAFE_TILE;
    memset(tile, 0, (size_t)(p->dims * CAFE_TILE) * sizeof *tile);
    for (int64_t w = first; w < last; w++)
        for (int64_t d = 0; d < p->dims; d++)
            tile[d * CAFE_TILE + w - first] = p->x[w * p->dims + d];
}

/* Compares points u .. u+3 (below end) with one tile. */
static void search_tile(search *s, int64_t u, int64_t end, int64_t tile) {
    const cafe_points *p = s->points;
    const float *rows[CAFE_QUERIES];
    float squares[CAFE_QUERIES][CAFE_TILE];
    int64_t first = tile * CAFE_TILE, last = cafe_block_end(p->n, CAFE_TILE, tile);
    for (int64_t q = 0; q < CAFE_QUERIES; q++)
        rows[q] = p->x + (u + q < end ? u + q : end - 1) * p->dims;
    s->distances->tile(rows, s->tiles + tile * p->dims * CAFE_TILE, p->dims, squares);
    for (int64_t q = 0; q < CAFE_QUERIES && u + q < end; q++) {
        const float *worst = s->nearest->squares + (u + q + 1) * s->nearest->k - 1;
        for (int64_t w = first; w < last; w++)
            if (squares[q][w - first] <= *worst && w != u + q)
                cafe_nearest_offer(s->nearest, u + q, (int32_t)w, squares[q][w - first]);
    }
}

static void search_rows(void *argument, int64_t first, int64_t last) {
    search *s = argument;
    int64_t tiles = cafe_blocks(s->points->n, CAFE_TILE);
    for (int64_t t = 0; t < tiles; t++) {
        if (t % TILES_BETWEEN_LOOKS == 0 && atomic_load(&s->context->cancelled)) return;
        for (int64_t u = first; u < last; u += CAFE_QUERIES) search_tile(s, u, last, t);
    }
}

cafe_status cafe_nearest_exact(cafe_context *context, const cafe_points *points,
                               cafe_nearest *nearest) {
    int64_t tiles = cafe_blocks(points->n, CAFE_TILE);
    search s = {context, points, cafe_distances_best(), NULL, nearest};
    cafe_status status = CAFE_OK;
    if (nearest->k == 0) return CAFE_OK;
    cafe_phase(context, "neighbours", 0);
    s.tiles = cafe_mem(context, tiles * CAFE_TILE, (size_t)points->dims * sizeof *s.tiles);
    if (!s.tiles) return CAFE_ERROR_MEMORY;
    CAFE_TRY(cafe_ranges(context, points->n, CAFE_TILE, fill_tile, &s));
    CAFE_TRY(cafe_ranges(context, points->n, QUERY_ROWS, search_rows, &s));
    status = cafe_check_cancel(context);
done:
    cafe_mem_free(context, s.tiles);
    return status;
}
