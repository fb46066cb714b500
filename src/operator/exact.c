/* Products in double precision, for eigenvectors, theorems and certificates.
 *
 *     Y = sign A X / total + kappa F (F^T X)
 */
#include <string.h>

#include "base/memory.h"
#include "base/pool.h"
#include "operator/operator.h"

enum { ROWS = 512, LEAST_SUM = 4096, MOST_SUMS = 256 };

typedef struct exact_job {
    const cafe_operator_parts *q;
    int64_t width, block; /* columns of X; rows of a partial sum */
    const double *x;
    double *s, *partial; /* F^T X: L x width, and as many a block */
    double *y;
} exact_job;

static void sum_block(void *argument, int64_t block) {
    const exact_job *job = argument;
    const cafe_operator_parts *q = job->q;
    double *sum = job->partial + block * q->width * job->width;
    memset(sum, 0, (size_t)(q->width * job->width) * sizeof *sum);
    for (int64_t u = block * job->block; u < cafe_block_end(q->n, job->block, block); u++) {
        const double *x = job->x + u * job->width;
        for (int64_t l = 0; l < q->width; l++) {
            double f = q->f ? q->f[u * q->width + l] : q->p[u];
            for (int64_t k = 0; k < job->width; k++) sum[l * job->width + k] += f * x[k];
        }
    }
}

static cafe_status add_up(cafe_context *context, exact_job *job) {
    int64_t size = job->q->width * job->width, blocks = cafe_blocks(job->q->n, job->block);
    cafe_status status = cafe_each(context, blocks, sum_block, job);
    memset(job->s, 0, (size_t)size * sizeof *job->s);
    for (int64_t b = 0; b < blocks && status == CAFE_OK; b++)
        for (int64_t i = 0; i < size; i++) job->s[i] += job->partial[b * size + i];
    return status;
}

/* A row of Y; inlined for each width that is known when it is compiled. */
static inline __attribute__((always_inline)) void product_row(const exact_job *job, int64_t u,
                                                              int64_t width, double *sum) {
    const cafe_operator_parts *q = job->q;
    memset(sum, 0, (size_t)width * sizeof *sum);
    for (int64_t j = q->offsets ? q->offsets[u] : 0; q->offsets && j < q->offsets[u + 1]; j++) {
        const double *x = job->x + (int64_t)q->targets[j] * width;
        double a = q->weights ? q->weights[j] : 1;
        for (int64_t k = 0; k < width; k++) sum[k] += a * x[k];
    }
    for (int64_t k = 0; k < width; k++) sum[k] *= q->sign / q->total;
    for (int64_t l = 0; l < q->width; l++) {
        double f = q->kappa * (q->f ? q->f[u * q->width + l] : q->p[u]);
        for (int64_t k = 0; k < width; k++) sum[k] += f * job->s[l * width + k];
    }
    memcpy(job->y + u * width, sum, (size_t)width * sizeof *sum);
}

static void product_block(void *argument, int64_t first, int64_t last) {
    const exact_job *job = argument;
    double sum[CAFE_EXACT_WIDTH];
    for (int64_t u = first; u < last; u++)
        if (job->width == CAFE_EXACT_WIDTH)
            product_row(job, u, CAFE_EXACT_WIDTH, sum);
        else
            product_row(job, u, job->width, sum);
}

cafe_status cafe_operator_exact(cafe_context *context, const cafe_operator_parts *q, int64_t width,
                                const double *x, double *y) {
    int64_t even = cafe_blocks(q->n, MOST_SUMS), size = q->width * width;
    exact_job job = {q, width, even > LEAST_SUM ? even : LEAST_SUM, x, NULL, NULL, y};
    job.s = cafe_mem(context, size, sizeof *job.s);
    job.partial = cafe_mem(context, cafe_blocks(q->n, job.block) * size, sizeof *job.partial);
    cafe_status status = job.s && job.partial ? CAFE_OK : CAFE_ERROR_MEMORY;
    if (status == CAFE_OK && q->width > 0) status = add_up(context, &job);
    if (status == CAFE_OK) status = cafe_ranges(context, q->n, ROWS, product_block, &job);
    cafe_mem_free_all(context, job.s, job.partial);
    return status;
}
