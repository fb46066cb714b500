/* Blocks on the context's engine. */
#include "engine/engine.h"

#include <string.h>

#include "base/memory_limit.h"
#include "engine/processor.h"
#include "sample/sampled_graph.h"

cafe_status cafe_block_make(cafe_context *context, int64_t n, int64_t columns, cafe_block *block) {
    const cafe_engine *engine = NULL;
    cafe_status status = cafe_engine_in_use(context, &engine);
    return status == CAFE_OK ? engine->ops->make(context, engine, n, columns, block) : status;
}

/* Frees the data that an engine holds; the operator calls it before it is freed. */
static void let_go(cafe_context *context, cafe_held *held) {
    const cafe_engine *engine = held->engine;
    engine->ops->detach(context, engine, held->state);
    *held = (cafe_held){0};
}

/* Invariant: op->held->engine is the engine whose data op->held->state are. Another engine, met
 * later, replaces them. */
cafe_status cafe_engine_hold(cafe_context *context, const cafe_block *x, const cafe_operator *op,
                             void **held) {
    const cafe_engine *engine = x->engine ? x->engine : &cafe_processor;
    *held = NULL;
    if (!cafe_ops(x)->attach) return CAFE_OK;
    if (engine->ops->spares_held && context != op->context) return CAFE_OK;
    if (op->held->engine != engine) {
        cafe_let_go(context, op->held);
        CAFE_PASS(engine->ops->attach(context, engine, op, x->stride, &op->held->state));
        if (cafe_engine_joins(engine))
            cafe_trim_graphs(context); /* the processes hold edges of
                                        * their own now: pages of a
                                        * mapped graph may go */
        op->held->engine = engine;
        op->held->let_go = let_go;
    }
    *held = op->held->state;
    return CAFE_OK;
}

/* The rows stay where they are, for the operator that will be made of the sampled graph. */
static cafe_status add_degrees(cafe_context *context, cafe_sampled *s) {
    const cafe_engine *engine = NULL;
    CAFE_PASS(cafe_engine_in_use(context, &engine));
    if (!engine->ops->degrees) return cafe_sampled_degrees(context, s);
    cafe_operator op = {.context = context, .n = s->n};
    op.parts = (cafe_operator_parts){.n = s->n,
                                     .offsets = s->offsets,
                                     .targets = s->targets,
                                     .weights = s->weights,
                                     .factor = s->factor};
    cafe_let_go(context, &s->held);
    CAFE_PASS(engine->ops->attach(context, engine, &op, 0, &s->held.state));
    s->held.engine = engine;
    s->held.let_go = let_go;
    return engine->ops->degrees(context, engine, s->held.state, s->p);
}

cafe_status cafe_engine_sample(cafe_context *context, const cafe_graph *graph,
                               cafe_sampling sampling, const cafe_sample_options *options,
                               const cafe_sample_inputs *inputs, cafe_sampled **sampled) {
    return cafe_sample_by(context, graph, sampling, options, inputs, add_degrees, sampled);
}

cafe_status cafe_block_product(cafe_context *context, const cafe_operator *op, cafe_side side,
                               float a, const cafe_block *x, float b, float c, cafe_block *y) {
    void *held = NULL;
    CAFE_PASS(cafe_engine_hold(context, x, op, &held));
    return cafe_ops(x)->product(context, op, held, side, a, x, b, c, y);
}

cafe_status cafe_block_product_where(cafe_context *context, const cafe_operator *op, cafe_side side,
                                     const cafe_block *x, const double *weights, cafe_block *y) {
    void *held = NULL;
    CAFE_PASS(cafe_engine_hold(context, x, op, &held));
    if (weights && cafe_ops(x)->product_where)
        return cafe_ops(x)->product_where(context, op, held, side, x, weights, y);
    return cafe_ops(x)->product(context, op, held, side, 1, x, 0, 0, y);
}

cafe_status cafe_engine_memory(cafe_context *context, int64_t *left, int64_t *all) {
    const cafe_engine *engine = NULL;
    *left = *all = 0;
    CAFE_PASS(cafe_engine_in_use(context, &engine));
    if (engine->ops->memory) engine->ops->memory(engine, left, all);
    return CAFE_OK;
}

cafe_status cafe_engine_need_processor(cafe_context *context, const char *method) {
    if (strcmp(context->engine_name, cafe_processor.name) == 0) return CAFE_OK;
    return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                     "%s runs on the processor alone, not on the engine '%s'", method,
                     context->engine_name);
}

cafe_status cafe_engine_need_rows(cafe_context *context, const char *method) {
    const cafe_engine *engine = NULL;
    CAFE_PASS(cafe_engine_in_use(context, &engine));
    return engine->ops->team ? CAFE_OK : cafe_engine_need_processor(context, method);
}

cafe_status cafe_block_fetch(cafe_context *context, cafe_block *block) {
    cafe_block here = {0};
    if (!block->engine || block->engine == &cafe_processor) return CAFE_OK;
    cafe_status status = cafe_processor_room(context, block->n, block->columns, &here);
    cafe_part all = {0, block->n, 0, block->columns};
    if (status == CAFE_OK)
        status = cafe_ops(block)->copy_out(context, block, all, here.x, here.stride);
    cafe_block_drop(context, status == CAFE_OK ? block : &here);
    if (status == CAFE_OK) *block = here;
    return status;
}
