/* Nodes that an update has reached, and the first rows of new nodes. */
#include "update/reached.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "kernels/row_kernels.h"
#include "update/changed_rows.h"

enum { START_PASSES = 8 };

cafe_status cafe_reached_new(cafe_context *context, const cafe_changes *changes, int64_t columns,
                             const float *rows, cafe_reached *r) {
    *r = (cafe_reached){.context = context,
                        .changes = changes,
                        .rows = rows,
                        .columns = columns,
                        .stride = cafe_stride(columns)};
    r->index = cafe_mem_zero(context, changes->nodes, sizeof *r->index);
    return cafe_mem_had(r->index);
}

void cafe_reached_free(cafe_reached *r) {
    if (r->context) cafe_mem_free_all(r->context, r->index, (void *)r->met, r->h);
}

cafe_status cafe_reach(cafe_reached *r, int64_t u, int64_t *place) {
    *place = r->index[u] - 1;
    if (*place >= 0) return CAFE_OK;
    cafe_context *context = r->context;
    int64_t at = *place = r->count;
    CAFE_PASS(cafe_mem_grow(context, &r->met, &r->met_room, at + 1, sizeof *r->met));
    CAFE_PASS(cafe_mem_grow(context, &r->h, &r->h_room, (at + 1) * r->stride, sizeof *r->h));
    const float *before = cafe_reached_before(r, u);
    float *row = cafe_reached_row(r, at);
    memset(row, 0, (size_t)r->stride * sizeof *row);
    if (before) memcpy(row, before, (size_t)r->columns * sizeof *row);
    r->met[at].node = (int32_t)u;
    r->met[at].swept = false;
    r->met[at].started = before != NULL;
    atomic_init(&r->met[at].pressure, 0);
    r->index[u] = (int32_t)(at + 1);
    r->count++;
    return CAFE_OK;
}

bool cafe_reached_moved(const cafe_reached *r, int64_t place) {
    const float *before = cafe_reached_before(r, r->met[place].node);
    return !before || (r->met[place].swept && memcmp(before, cafe_reached_row(r, place),
                                                     (size_t)r->columns * sizeof *before) != 0);
}

/* ---- new nodes ------------------------------------------------------------------------------- */

static double square(int64_t columns, const float *row) {
    double sum = 0;
    for (int64_t k = 0; k < columns; k++) sum += (double)row[k] * row[k];
    return sum;
}

static void normalise(int64_t columns, float *row) {
    double length = sqrt(square(columns, row));
    for (int64_t k = 0; k < columns; k++) row[k] = (float)(row[k] / length);
}

static void random_row(uint64_t seed, int64_t u, int64_t columns, float *row) {
    int64_t draws = (columns + 3) / 4;
    for (int64_t k = 0; k < columns; k++) {
        cafe_random4 r = cafe_philox(seed, CAFE_STREAM_START, (uint64_t)(u * draws + k / 4));
        row[k] = (float)(2 * cafe_uniform_open(r.v[k % 4]) - 1);
    }
    normalise(columns, row);
}

/* row <- the normalised mean of u's neighbours that have rows; *found: there are some, and they do
 * not cancel. */
static cafe_status mean_row(cafe_reached *r, int64_t u, float *row, bool *found) {
    cafe_row_walk walk = cafe_row_of(r->changes, u);
    cafe_entry e;
    double total = 0;
    int64_t at;
    memset(row, 0, (size_t)r->columns * sizeof *row);
    while (cafe_row_next(&walk, &e)) {
        if (e.w == u || !(e.after > 0)) continue;
        CAFE_PASS(cafe_reach(r, e.w, &at));
        if (!r->met[at].started) continue;
        const float *h = cafe_reached_row(r, at);
        for (int64_t k = 0; k < r->columns; k++) row[k] += e.after * h[k];
        total += e.after;
    }
    *found = total > 0 && square(r->columns, row) > 1e-12 * total * total;
    if (*found) normalise(r->columns, row);
    return CAFE_OK;
}

static cafe_status start_node(cafe_reached *r, int64_t u, bool draw, float *row, bool *any) {
    int64_t at;
    bool found = draw;
    CAFE_PASS(cafe_reach(r, u, &at));
    if (r->met[at].started) return CAFE_OK;
    if (draw)
        random_row(r->context->seed, u, r->columns, row);
    else
        CAFE_PASS(mean_row(r, u, row, &found));
    if (!found) return CAFE_OK;
    memcpy(cafe_reached_row(r, at), row, (size_t)r->columns * sizeof *row);
    r->met[at].started = *any = true;
    return CAFE_OK;
}

cafe_status cafe_reached_start(cafe_reached *r) {
    cafe_status status = CAFE_OK;
    const cafe_changes *c = r->changes;
    if (c->counts.new_nodes == 0) return CAFE_OK;
    float *row = cafe_mem(r->context, r->columns, sizeof *row);
    if (!row) return CAFE_ERROR_MEMORY;
    bool any = true;
    for (int pass = 0; pass <= START_PASSES; pass++) {
        bool draw = pass == START_PASSES || !any;
        any = false;
        for (int64_t u = 0; u < c->nodes; u++)
            if (c->origin[u] < 0) CAFE_TRY(start_node(r, u, draw, row, &any));
        if (draw) break;
    }
done:
    cafe_mem_free(r->context, row);
    return status;
}
