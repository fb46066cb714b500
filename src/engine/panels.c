/* Groups of columns: n x g numbers of a block in a file, in memory while rows are read at random.
 *
 * Claim: any grouping of the columns gives the same bits. Every column of a product is computed by
 * itself, and the shape of its sum over edges depends on the row alone.
 */
#include "engine/panels.h"

#include "base/memory.h"
#include "base/memory_limit.h"

enum { LANES = 16 /* columns of the narrowest group */ };

static cafe_status refuse(cafe_context *context, double needed) {
    return cafe_fail(context, CAFE_ERROR_LIMIT,
                     "the memory limit leaves %.1f MB, and a group of columns takes %.1f MB",
                     (double)cafe_room(context) / 1e6, needed / 1e6);
}

/* Chooses the columns of a group: all, or as many as fit in memory. */
static cafe_status group_columns(cafe_context *context, const cafe_block *x, int64_t *columns) {
    int64_t row = cafe_room(context) / (x->n * (int64_t)sizeof(float));
    *columns = row >= x->stride ? x->stride : row / LANES * LANES;
    return *columns > 0 ? CAFE_OK : refuse(context, 4.0 * LANES * (double)x->n);
}

/* For each group of g columns: copy X[:, group], then Y[:, group] = a M X[:, group] + b X + c Y.
 * With room for g columns the cost is ceil(K / g) passes over the edges and one read of X. */
cafe_status cafe_panels_product(cafe_context *context, const cafe_operator *op, cafe_side side,
                                float a, const cafe_block *x, float b, float c, cafe_block *y) {
    cafe_status status = CAFE_OK;
    int64_t width = 0, step = y->stride;
    float *panel = NULL;
    cafe_trim_blocks(context);
    CAFE_TRY(group_columns(context, x, &width));
    panel = cafe_mem(context, x->n * width, sizeof *panel);
    CAFE_TRY(cafe_mem_had(panel));
    for (int64_t k = 0; k < x->stride; k += width) {
        int64_t count = x->stride - k < width ? x->stride - k : width;
        CAFE_TRY(cafe_ops(x)->copy_out(context, x, (cafe_part){0, x->n, k, count}, panel, count));
        CAFE_TRY(cafe_operator_apply_at(context, op, side, count, panel, a, b, c, step, y->x + k));
    }
done:
    cafe_mem_free(context, panel);
    return status;
}

/* ---- sweeps ---------------------------------------------------------------------------------- */

/* Returns the bytes of edges in memory, without those in a mapped file. */
static int64_t links_bytes(const cafe_context *context, const cafe_operator_parts *q) {
    int64_t arcs = q->offsets ? q->offsets[q->n] : 0;
    int64_t targets = cafe_is_mapped(context, q->targets) ? 0 : 4 * arcs;
    return targets + (q->weights && !cafe_is_mapped(context, q->weights) ? 4 * arcs : 0);
}

/* A sweep in B chunks over groups of columns reads H once for each chunk. The moves of a chunk take
 * about n / B rows of K floats and must fit where a group of n rows of g floats fits, so
 *
 *     B >= K / g, the number of groups.
 */
cafe_status cafe_panels_fit(cafe_context *context, const cafe_operator *op, const cafe_block *h,
                            int64_t *chunks, int64_t *width) {
    int64_t floats = cafe_sweep_floats(context, h->n, links_bytes(context, &op->parts));
    int64_t groups = cafe_column_groups(h->stride, floats);
    *width = groups == 1 ? h->stride : floats / LANES * LANES;
    if (groups == 1) return CAFE_OK;
    if (groups == 0 || !op->parts.offsets) return refuse(context, 4.0 * LANES * (double)h->n);
    if (*chunks == 0) *chunks = cafe_grouped_chunks(groups);
    if (*chunks < groups)
        return cafe_fail(
            context, CAFE_ERROR_LIMIT,
            "the memory limit cuts the columns into %lld groups, and a sweep over them "
            "has so many chunks at least: chunks is %lld",
            (long long)groups, (long long)*chunks);
    return CAFE_OK;
}

cafe_status cafe_panel_take(cafe_context *context, cafe_block *x, float **file) {
    double needed = 4.0 * (double)x->n * (double)x->stride;
    cafe_part all = {0, x->n, 0, x->stride};
    cafe_trim_blocks(context);
    if (needed > (double)cafe_room(context)) return refuse(context, needed);
    float *rows = cafe_mem(context, x->n * x->stride, sizeof *rows);
    CAFE_PASS(cafe_mem_had(rows));
    cafe_status status = cafe_ops(x)->copy_out(context, x, all, rows, x->stride);
    *file = x->x;
    x->x = rows;
    cafe_trim_blocks(context);
    return status;
}

/* Copying back fails only if the run is cancelled, and then the block is not used any more. */
void cafe_panel_return(cafe_context *context, float *file, cafe_block *x) {
    float *rows = x->x;
    x->x = file;
    (void)cafe_ops(x)->copy_in(context, x, (cafe_part){0, x->n, 0, x->columns}, rows, x->stride);
    cafe_mem_free(context, rows);
}
