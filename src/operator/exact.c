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
    int64_t width; /* columns of X */
    const double *x;
    double *s; /* F^T X: L x width */
    double *y;
} exact_job;

static void add_rows(void *argument, int64_t first, int64_t last, double *sum) {
    const exact_job *job = argument;
    const cafe_operator_parts *q = job->q;
    for (int64_t u = first; u < last; u++) {
        const double *x = job->x + u * job->width;
        for (int64_t l = 0; l < q->width; l++) {
            double f = q->f ? q->f[u * q->width + l] : q->p[u];
            for (int64_t k = 0; k < job->width; k++) sum[l * job->width + k] += f * x[k];
        }
    }
}

/* A row of Y; inlined for each width that is known when it is compiled. */
static inline __attribute__((always_inline)) void product_row(const exact_job *job, int64_t u,
                                                              int64_t width, double *sum) {
    const cafe_operator_parts *q = job->q;
    memset(sum, 0, (size_t)width * sizeof *sum);
    for (int64_t j = q->offsets ? q->offsets[u] : 0; q->offsets && j < q->offsets[u + 1]; j++) {
        const double *x = job->x + (int64_t)q->targets[j] * width;
        double a = CAFE_LINK(q, u, j);
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
    exact_job job = {q, width, x, cafe_mem_zero(context, size, sizeof *job.s), y};
    cafe_status status = cafe_mem_had(job.s);
    if (status == CAFE_OK && q->width > 0)
        status = cafe_sums(context, q->n, even > LEAST_SUM ? even : LEAST_SUM, add_rows, &job, size,
                           job.s);
    if (status == CAFE_OK) status = cafe_ranges(context, q->n, ROWS, product_block, &job);
    cafe_mem_free(context, job.s);
    return status;
}
