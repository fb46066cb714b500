/* Vectors of a graph that keeps an order: the model once more with its nodes in that order, the
 * inputs carried over, the vectors carried back.
 *
 * Sums follow the order of the nodes. So the numbers differ from those without it, as for a graph
 * with other ids. For one order they have the same bits for any number of threads.
 */
#include <string.h>

#include "base/memory.h"
#include "base/thread_pool.h"
#include "engine/processor.h"
#include "graph/graph.h"
#include "graph/node_order.h"
#include "method/method.h"
#include "sample/sampled_graph.h"
#include "spectral/embedding.h"

enum { ROWS = 1024 };

/* ---- the model ------------------------------------------------------------------------------- */

/* Those that start from rows and sweep over them. */
static bool sweeps(const cafe_method *method) {
    return method->takes & CAFE_TAKES_START;
}

cafe_status cafe_ordered_make(cafe_context *context, const cafe_method *method,
                              const cafe_method_options *options, cafe_model *model) {
    const double enough = 0.3; /* of the edges near each other: more than chance */
    const cafe_graph *graph = model->graph;
    cafe_method_options o = *options; /* whose size is 0 where none were given */
    double near;
    if (!graph->order || options->sampling != CAFE_SAMPLING_EDGE || !sweeps(method)) return CAFE_OK;
    CAFE_PASS(cafe_graph_renumber(context, graph, graph->order, &model->renumbered, &near));
    o.struct_size = sizeof o;
    cafe_let_go(context, &model->sampled->held); /* the rows in the other order are held instead */
    CAFE_PASS(cafe_model_create(context, model->renumbered, method, &o, NULL, &model->ordered));
    model->ordered->op->parts.local = near > enough && CAFE_NEAR < graph->n / 4;
    return CAFE_OK;
}

bool cafe_ordered_takes(const cafe_model *model, const cafe_method *method) {
    return model->ordered && sweeps(method ? method : model->method);
}

/* ---- there ----------------------------------------------------------------------------------- */

/* labels and start by places. */
typedef struct carried {
    int32_t *labels, *order;
    float *start;
} carried;

static cafe_status carry(cafe_context *context, const cafe_graph *graph, cafe_method_inputs *in,
                         carried *c) {
    int64_t n = graph->n, width = in->start_columns;
    const int32_t *order = graph->order;
    c->order = cafe_mem(context, n, sizeof *c->order);
    if (in->labels) c->labels = cafe_mem(context, n, sizeof *c->labels);
    if (in->start) c->start = cafe_mem(context, n * width, sizeof *c->start);
    if (!c->order || (in->labels && !c->labels) || (in->start && !c->start))
        return CAFE_ERROR_MEMORY;
    memcpy(c->order, order, (size_t)n * sizeof *order);
    for (int64_t i = 0; i < n && in->labels; i++) c->labels[i] = in->labels[order[i]];
    for (int64_t i = 0; i < n && in->start; i++)
        memcpy(c->start + i * width, in->start + order[i] * width, (size_t)width * sizeof(float));
    in->labels = c->labels;
    in->start = c->start;
    return CAFE_OK;
}

cafe_status cafe_ordered_solve(cafe_context *context, const cafe_model *model,
                               const cafe_method *method, const cafe_method_options *options,
                               const cafe_method_inputs *inputs, cafe_solution **solution) {
    cafe_status status = CAFE_OK;
    cafe_method_options o;
    cafe_method_inputs in;
    carried c = {0};
    CAFE_TRY(cafe_method_take(context, options, inputs, &o, &in));
    o.struct_size = sizeof o, in.struct_size = sizeof in; /* 0 where nothing was given */
    CAFE_TRY(carry(context, model->graph, &in, &c));
    CAFE_TRY(cafe_model_solve(context, model->ordered, method, &o, &in, solution, NULL));
    (*solution)->order = c.order;
    c.order = NULL;
done:
    cafe_mem_free_all(context, c.labels, c.start, c.order);
    return status;
}

/* ---- and back -------------------------------------------------------------------------------- */

typedef struct return_job {
    const cafe_block *from;
    const int32_t *order;
    cafe_block *to;
} return_job;

static void return_rows(void *argument, int64_t first, int64_t last) {
    const return_job *job = argument;
    int64_t columns = job->to->columns, rest = job->to->stride - columns;
    for (int64_t i = first; i < last; i++) {
        float *to = cafe_row(job->to, job->order[i]);
        memcpy(to, cafe_row(job->from, i), (size_t)columns * sizeof *to);
        memset(to + columns, 0, (size_t)rest * sizeof *to);
    }
}

/* Rows of several processes: each piece comes to all of them, and each takes what it is to hold. */
static cafe_status return_pieces(cafe_context *context, const cafe_block *from,
                                 const int32_t *order, cafe_block *to) {
    enum { PIECE = 1 << 22 }; /* floats */
    cafe_status status = CAFE_OK;
    int64_t columns = from->columns, most = PIECE / (columns + 1) + 1;
    float *piece = cafe_mem(context, most * columns, sizeof *piece);
    CAFE_TRY(cafe_mem_had(piece));
    for (int64_t first = 0; first < from->n; first += most) {
        int64_t rows = from->n - first < most ? from->n - first : most;
        cafe_part part = {first, rows, 0, columns};
        CAFE_TRY(cafe_ops(from)->copy_out(context, from, part, piece, columns));
        for (int64_t i = 0; i < rows; i++) {
            cafe_part one = {order[first + i], 1, 0, columns};
            CAFE_TRY(cafe_ops(to)->copy_in(context, to, one, piece + i * columns, columns));
        }
    }
done:
    cafe_mem_free(context, piece);
    return status;
}

static cafe_status put_back(cafe_context *context, const int32_t *order, cafe_block *vectors) {
    cafe_block back = {0};
    return_job job = {vectors, order, &back};
    cafe_status status = CAFE_OK;
    const cafe_engine *engine = NULL;
    CAFE_TRY(cafe_engine_keeps(context, &engine));
    CAFE_TRY(engine->ops->make(context, engine, vectors->n, vectors->columns, &back));
    if (cafe_engine_joins(engine))
        CAFE_TRY(return_pieces(context, vectors, order, &back));
    else
        CAFE_TRY(cafe_ranges(context, vectors->n, ROWS, return_rows, &job));
    cafe_block_drop(context, vectors);
    *vectors = back;
    back = (cafe_block){0};
done:
    cafe_block_drop(context, &back);
    return status;
}

cafe_status cafe_ordered_finish(cafe_context *context, const cafe_model *model,
                                const cafe_method *method, const cafe_method_options *options,
                                cafe_solution **solution, cafe_embedding **embedding) {
    cafe_status status = CAFE_OK;
    int32_t *order = (*solution)->order;
    (*solution)->order = NULL;
    *embedding = NULL;
    if (model->ordered) {
        CAFE_TRY(cafe_model_finish(context, model->ordered, method, options, solution, embedding));
        CAFE_TRY(put_back(context, order, &(*embedding)->vectors));
    } else {
        cafe_solution_free(*solution);
        *solution = NULL;
        CAFE_TRY(cafe_fail(context, CAFE_ERROR_ARGUMENT,
                           "the solution is one of another model, in another order of the nodes"));
    }
done:
    cafe_mem_free(context, order);
    if (status == CAFE_OK) return CAFE_OK;
    cafe_embedding_free(*embedding);
    *embedding = NULL;
    return status;
}
