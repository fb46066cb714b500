/* The operator of random walks without the rows of their P.
 *
 * For walks of 1 to T steps P = (1/T) sum over t of D (D^-1 A)^t / 2m, with the same marginal p.
 * Let M = D^-1 Q = D^-1 A - 1 p^T be the operator of one step. Because p^T D^-1 A = p^T and D^-1 A
 * 1 = 1,
 *
 *     M^t = (D^-1 A)^t - 1 p^T      (all mixed products are 1 p^T or cancel),
 *     D^-1 Q_T = (1/T) (M + M^2 + ... + M^T).
 *
 * A product therefore is T products with M, and takes two further blocks of memory.
 */
#include "base/memory.h"
#include "base/thread_pool.h"
#include "operator/operator.h"
#include "operator/ops.h"
#include "sample/sampled_graph.h"

enum { BLOCK = 1024 };

/* y <- b x + c y if `first`, then y <- y + a f_u power */
typedef struct sum_job {
    int64_t n, stride, step;
    const float *x, *power;
    const double *factors; /* f; NULL: 1 */
    float a, b, c, *y;
    bool first;
} sum_job;

static void start_row(const sum_job *job, const float *x, float *y) {
    for (int64_t k = 0; k < job->stride; k++) { /* terms with factor 0 are not read, because their
                                                 * arrays may be undefined */
        float old = job->c != 0 ? job->c * y[k] : 0;
        y[k] = old + (job->b != 0 ? job->b * x[k] : 0);
    }
}

static void sum_block(void *argument, int64_t block) {
    const sum_job *job = argument;
    int64_t stride = job->stride;
    for (int64_t u = block * BLOCK; u < cafe_block_end(job->n, BLOCK, block); u++) {
        float *y = job->y + u * job->step;
        float factor = (float)(job->a * (job->factors ? job->factors[u] : 1));
        if (job->first) start_row(job, job->x + u * stride, y);
        for (int64_t k = 0; k < stride; k++) y[k] += factor * job->power[u * stride + k];
    }
}

static cafe_status product(cafe_context *context, const cafe_operator *op, cafe_side side,
                           int64_t stride, const float *x, float a, float b, float c, int64_t step,
                           float *y) {
    cafe_status status = CAFE_ERROR_MEMORY;
    cafe_operator single = *op;
    float *power = cafe_mem(context, op->n * stride, sizeof *power);
    float *next = cafe_mem(context, op->n * stride, sizeof *next);
    sum_job job = {.n = op->n, .stride = stride, .step = step, .x = x, .b = b, .c = c};
    job.y = y, job.first = true;
    job.a = (float)op->parts.sign * a / (float)op->window;
    job.factors = side == CAFE_SIDE_PLAIN ? op->parts.p : NULL;
    single.parts.sign = 1, single.parts.kappa = -1;
    if (!power || !next) goto done;
    for (int64_t t = 0; t < op->window; t++) {
        CAFE_TRY(cafe_parts_product(context, &single, CAFE_SIDE_WALK, stride, t ? power : x, 1, 0,
                                    0, stride, next));
        float *swap = power;
        power = next, next = swap;
        job.power = power;
        CAFE_TRY(cafe_each(context, cafe_blocks(op->n, BLOCK), sum_block, &job));
        job.first = false;
    }
done:
    cafe_mem_free_all(context, power, next);
    return status;
}

/* ---- the object ------------------------------------------------------------------------------ */

static double bytes(const cafe_operator *op, int64_t stride) {
    return 2.0 * sizeof(float) * (double)op->n * (double)stride;
}

static const cafe_operator_ops walk = {
    .name = "walks of several steps",
    .product = product,
    .sums = cafe_modularity_sums,
    .bytes = bytes,
};

cafe_status cafe_operator_walk(cafe_context *context, const cafe_sampled *sampled, int64_t window,
                               cafe_operator **op) {
    *op = NULL;
    if (window < 1) return cafe_fail(context, CAFE_ERROR_ARGUMENT, "a walk has at least one step");
    if (window == 1) return cafe_operator_modularity(context, sampled, op);
    CAFE_PASS(cafe_operator_new(context, &walk, sampled->n, op));
    (*op)->parts = cafe_modularity_parts(sampled);
    (*op)->window = window;
    return CAFE_OK;
}
