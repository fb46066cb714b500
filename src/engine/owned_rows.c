/* Rows shared out, and sums over all of them. */
#include "engine/owned_rows.h"

#include "base/memory.h"

/* ---- which rows ------------------------------------------------------------------------------ */

/* Lists the pieces of this process; own = the number of their rows. */
static cafe_status list_pieces(cafe_context *context, cafe_owned *s) {
    const cafe_engine_ops *ops = s->engine->ops;
    int64_t first, last = 0;
    s->mine = cafe_mem(context, cafe_blocks(s->n, s->piece), sizeof *s->mine);
    if (!s->mine) return CAFE_ERROR_MEMORY;
    while (ops->mine(s->engine, s->n, last, &first, &last)) {
        s->mine[s->count++] = first / s->piece;
        s->own += last - first;
    }
    return CAFE_OK;
}

cafe_status cafe_owned_open(cafe_context *context, const cafe_operator *op, cafe_owned *owned) {
    const cafe_engine *engine = NULL;
    cafe_block x = {0};
    *owned = cafe_owned_all(op->n);
    CAFE_PASS(cafe_engine_in_use(context, &engine));
    if (!engine->ops->eight) return CAFE_OK;
    x.engine = engine;
    *owned = (cafe_owned){engine, op, .n = op->n, .piece = cafe_piece_rows(op->n)};
    CAFE_PASS(cafe_engine_hold(context, &x, op, &owned->held));
    return list_pieces(context, owned);
}

void cafe_owned_close(cafe_context *context, cafe_owned *owned) {
    cafe_mem_free(context, owned->mine);
    *owned = (cafe_owned){0};
}

/* ---- sums ------------------------------------------------------------------------------------ */

cafe_status cafe_owned_add(cafe_context *context, const cafe_owned *s, int64_t count,
                           double *sums) {
    return s->engine ? s->engine->ops->add(context, s->engine, count, sums) : CAFE_OK;
}

typedef struct piece_job {
    const cafe_owned *owned;
    cafe_sum_task *task;
    void *argument;
    int64_t width;
    double *sums; /* of every piece */
} piece_job;

static void run_piece(void *argument, int64_t i) {
    const piece_job *job = argument;
    const cafe_owned *s = job->owned;
    job->task(job->argument, i * s->piece, cafe_block_end(s->own, s->piece, i),
              job->sums + s->mine[i] * job->width);
}

/* sums += sum over all pieces i, ascending, of sums_i. The owner of a piece has its sums, and all
 * other processes have 0, so that adding the processes is exact. */
cafe_status cafe_owned_sums(cafe_context *context, const cafe_owned *s, int64_t block,
                            cafe_sum_task *task, void *argument, int64_t width, double *sums) {
    if (!s->engine) return cafe_sums(context, s->n, block, task, argument, width, sums);
    cafe_status status = CAFE_OK;
    int64_t count = cafe_blocks(s->n, s->piece) * width;
    piece_job job = {s, task, argument, width, cafe_mem_zero(context, count, sizeof *job.sums)};
    CAFE_TRY(cafe_mem_had(job.sums));
    CAFE_TRY(cafe_each(context, s->count, run_piece, &job));
    CAFE_TRY(cafe_owned_add(context, s, count, job.sums));
    for (int64_t i = 0; i < count; i++) sums[i % width] += job.sums[i];
done:
    cafe_mem_free(context, job.sums);
    return status;
}
