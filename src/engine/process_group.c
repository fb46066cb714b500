/* Engines that join several processes: this process's number, its rows, and the end of all.
 *
 * Every process makes the same calls and computes the same results, so most failures happen in all
 * of them. A failure in one process alone (disk, memory) becomes a failure of all at the next
 * agreement on a status.
 */
#include "base/processes.h"

#include <math.h>

#include <cafe-private/team.h>

#include "base/finite.h"
#include "base/memory.h"
#include "engine/engine.h"

bool cafe_engine_joins(const cafe_engine *engine) {
    int32_t rank, ranks = 1;
    if (engine && engine->ops->team) engine->ops->team(engine, &rank, &ranks);
    return ranks > 1;
}

cafe_status cafe_engine_team(cafe_context *context, int32_t *rank, int32_t *ranks) {
    const cafe_engine *engine = NULL;
    *rank = 0, *ranks = 1;
    CAFE_PASS(cafe_engine_in_use(context, &engine));
    if (engine->ops->team) engine->ops->team(engine, rank, ranks);
    return CAFE_OK;
}

cafe_status cafe_engine_agree(cafe_context *context, cafe_status status) {
    return cafe_team_agree(context, status);
}

int32_t cafe_engine_agreed(const cafe_context *context) {
    return context->agreed;
}

int32_t cafe_engine_reach(cafe_context *context, double seconds) {
    const cafe_engine *engine = context->engine;
    return cafe_engine_joins(engine) && engine->ops->reach(engine, seconds);
}

void cafe_engine_abandon(cafe_context *context, int32_t code) {
    const cafe_engine *engine = context->engine;
    if (cafe_engine_joins(engine)) engine->ops->abandon(engine, code);
}

int32_t cafe_engine_abandoned(const cafe_context *context, int32_t look) {
    const cafe_engine *engine = context->engine;
    return cafe_engine_joins(engine) && engine->ops->abandoned(engine, look != 0);
}

cafe_status cafe_engine_traffic(cafe_context *context, cafe_traffic *traffic) {
    const cafe_engine *engine = context->engine;
    *traffic = (cafe_traffic){0};
    return cafe_engine_joins(engine) ? engine->ops->traffic(context, engine, traffic) : CAFE_OK;
}

cafe_status cafe_engine_divide(cafe_context *context, const cafe_operator *op,
                               cafe_partitioner partitioner, double *cut) {
    const cafe_engine *engine = NULL;
    *cut = 0;
    CAFE_PASS(cafe_engine_in_use(context, &engine));
    if (engine->ops->divide) return engine->ops->divide(context, engine, op, partitioner, cut);
    if (partitioner == CAFE_PARTITION_CONTIGUOUS) return CAFE_OK;
    return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                     "the engine '%s' has one process: there is nothing to divide", engine->name);
}

/* ---- blocks that stay where they are --------------------------------------------------------- */

cafe_status cafe_engine_keeps(cafe_context *context, const cafe_engine **engine) {
    CAFE_PASS(cafe_engine_in_use(context, engine));
    if (!cafe_engine_joins(*engine)) *engine = &cafe_processor;
    return CAFE_OK;
}

float *cafe_block_row(const cafe_block *block, int64_t u) {
    int64_t first, last;
    if (!cafe_engine_joins(block->engine)) return block->x + u * block->stride + block->first;
    const cafe_engine_ops *ops = block->engine->ops;
    bool held = ops->mine(block->engine, block->n, u, &first, &last) && first == u;
    return held ? ops->rows(block, u) : NULL;
}

/* The rows that this process holds. */
static cafe_status check_own(cafe_context *context, const char *what, const cafe_block *x) {
    const cafe_engine_ops *ops = x->engine->ops;
    int64_t first, last = 0;
    while (ops->mine(x->engine, x->n, last, &first, &last)) {
        cafe_status status = cafe_check_finite(context, what, last - first, x->columns, x->stride,
                                               ops->rows(x, first));
        if (status == CAFE_ERROR_NUMERIC)
            return cafe_fail(context, status, "%s: a row from %lld to %lld is not finite", what,
                             (long long)first, (long long)last - 1);
        CAFE_PASS(status);
    }
    return CAFE_OK;
}

/* Claim: a sum of floats in double precision is finite if and only if all of them are (2^31 times
 * the largest float is far below the largest double). So sums of columns reveal a number that is
 * not finite, also on a device. */
static cafe_status sums_are_finite(cafe_context *context, const cafe_block *x, bool *finite) {
    double *totals = cafe_mem_zero(context, x->columns, sizeof *totals);
    cafe_status status = cafe_mem_had(totals);
    if (status == CAFE_OK) status = cafe_ops(x)->totals(context, x, NULL, totals);
    *finite = status == CAFE_OK;
    for (int64_t k = 0; k < x->columns && status == CAFE_OK; k++) *finite &= isfinite(totals[k]);
    cafe_mem_free(context, totals);
    return status;
}

cafe_status cafe_block_keep(cafe_context *context, const char *what, cafe_block *x) {
    bool finite = false;
    if (cafe_engine_joins(x->engine))
        return cafe_engine_agree(context, check_own(context, what, x));
    if (x->engine && x->engine != &cafe_processor) CAFE_PASS(sums_are_finite(context, x, &finite));
    CAFE_PASS(cafe_block_fetch(context, x));
    if (finite) return CAFE_OK;
    return cafe_check_finite(context, what, x->n, x->columns, x->stride, x->x);
}
