/* Products in double precision, for eigenvectors, theorems and certificates.
 *
 *     Y = sign A X / total + kappa F (F^T X)
 *
 * Entries of A, F and X are read as stored; products and sums are doubles.
 */
#include <string.h>

#include "base/memory.h"
#include "base/thread_pool.h"
#include "operator/operator.h"

enum { ROWS = 512, LEAST_SUM = 4096, MOST_SUMS = 256, LIST = 256 };

typedef struct exact_job {
    const cafe_operator_parts *q;
    int64_t width; /* columns of X */
    const double *x;
    const double *s; /* F^T X: L x width */
    double *y;
    const cafe_eights *kind; /* kernels of eight columns, of floats or of doubles behind void
                              * pointers */
    const void *from;
    void *to;
    const int32_t *list; /* places are those of this list; NULL: places are rows */
} exact_job;

static double entry(const cafe_operator_parts *q, int64_t u, int64_t l) {
    return q->f ? q->f[u * q->width + l] : q->p[u];
}

/* ---- any width ------------------------------------------------------------------------------- */

static void add_rows(void *argument, int64_t first, int64_t last, double *sum) {
    const exact_job *job = argument;
    const cafe_operator_parts *q = job->q;
    for (int64_t u = first; u < last; u++) {
        const double *x = job->x + u * job->width;
        for (int64_t l = 0; l < q->width; l++)
            for (int64_t k = 0; k < job->width; k++)
                sum[l * job->width + k] += entry(q, u, l) * x[k];
    }
}

/* sum <- sign sum / total + kappa F_u S, where sum enters as sum over w of a(u,w) x_w. */
static inline void finish_row(const exact_job *job, int64_t u, int64_t width, double *sum) {
    const cafe_operator_parts *q = job->q;
    double share = q->sign / q->total;
    for (int64_t k = 0; k < width; k++) sum[k] *= share;
    for (int64_t l = 0; l < q->width; l++) {
        double f = cafe_factor_sign(q, l) * q->kappa * entry(q, u, l);
        for (int64_t k = 0; k < width; k++) sum[k] += f * job->s[l * width + k];
    }
}

/* Computes rows of Y. `width` is a constant for one column, the usual case. */
static inline __attribute__((always_inline)) void sum_rows(const exact_job *job, int64_t first,
                                                           int64_t last, int64_t width) {
    const cafe_operator_parts *q = job->q;
    for (int64_t u = first; u < last; u++) {
        double sum[CAFE_EXACT_WIDTH] = {0};
        for (int64_t j = q->offsets ? q->offsets[u] : 0; q->offsets && j < q->offsets[u + 1]; j++) {
            const double *x = job->x + (int64_t)q->targets[j] * width;
            double a = CAFE_LINK(q, u, j);
            for (int64_t k = 0; k < width; k++) sum[k] += a * x[k];
        }
        finish_row(job, u, width, sum);
        memcpy(job->y + u * width, sum, (size_t)width * sizeof *sum);
    }
}

static void product_rows(void *argument, int64_t first, int64_t last) {
    const exact_job *job = argument;
    if (job->width == 1)
        sum_rows(job, first, last, 1);
    else
        sum_rows(job, first, last, job->width);
}

static cafe_status multiply(cafe_context *context, exact_job *job, cafe_sum_task *add,
                            cafe_range_task *product) {
    int64_t n = job->q->n, even = cafe_blocks(n, MOST_SUMS), size = job->q->width * job->width;
    double *s = cafe_mem_zero(context, size, sizeof *s);
    cafe_status status = cafe_mem_had(s);
    if (status == CAFE_OK && size > 0)
        status = cafe_sums(context, n, even > LEAST_SUM ? even : LEAST_SUM, add, job, size, s);
    job->s = s;
    if (status == CAFE_OK) status = cafe_ranges(context, n, ROWS, product, job);
    cafe_mem_free(context, s);
    return status;
}

/* ---- eight columns --------------------------------------------------------------------------- */

static const void *row_of(const exact_job *job, int64_t u) {
    return (const char *)job->from + u * CAFE_EIGHT * job->kind->size;
}

static void add_eights(void *argument, int64_t first, int64_t last, double *sum) {
    const exact_job *job = argument;
    const cafe_operator_parts *q = job->q;
    if (!q->f) job->kind->weigh(last - first, q->p + first, row_of(job, first), sum);
    for (int64_t u = first; q->f && u < last; u++)
        for (int64_t l = 0; l < q->width; l++) {
            double f = entry(q, u, l);
            job->kind->weigh(1, &f, row_of(job, u), sum + l * CAFE_EIGHT);
        }
}

/* Adds a(u,w) x_w over the edges of u. Targets up to `end` may be read ahead. */
static void sum_links(const exact_job *job, int64_t u, int64_t end, double *sum) {
    const cafe_operator_parts *q = job->q;
    float list[LIST];
    int64_t most = q->factor ? LIST : INT64_MAX;
    for (int64_t j = q->offsets[u], last = q->offsets[u + 1], count; j < last; j += count) {
        const float *weights = q->weights ? q->weights + j : NULL;
        count = last - j < most ? last - j : most;
        for (int64_t i = 0; q->factor && i < count; i++) list[i] = CAFE_LINK(q, u, j + i);
        job->kind->gather(job->from, q->targets + j, q->factor ? list : weights, count, end - j,
                          sum);
    }
}

static void put_row(const exact_job *job, int64_t u, const double *sum) {
    if (job->kind->size == sizeof(double))
        memcpy((double *)job->to + u * CAFE_EIGHT, sum, CAFE_EIGHT * sizeof *sum);
    else
        for (int k = 0; k < CAFE_EIGHT; k++) ((float *)job->to)[u * CAFE_EIGHT + k] = (float)sum[k];
}

static void product_eights(void *argument, int64_t first, int64_t last) {
    const exact_job *job = argument;
    const cafe_operator_parts *q = job->q;
    for (int64_t i = first; i < last; i++) {
        int64_t u = job->list ? job->list[i] : i;
        double sum[CAFE_EIGHT] = {0};
        if (q->offsets) sum_links(job, u, q->offsets[q->n], sum);
        finish_row(job, u, CAFE_EIGHT, sum);
        put_row(job, u, sum);
    }
}

cafe_status cafe_operator_exact(cafe_context *context, const cafe_operator_parts *q, int64_t width,
                                const double *x, double *y) {
    exact_job job = {.q = q, .width = width, .x = x, .y = y, .from = x, .to = y};
    if (width != CAFE_EIGHT) return multiply(context, &job, add_rows, product_rows);
    job.kind = cafe_kernels_best()->eights[1];
    return multiply(context, &job, add_eights, product_eights);
}

cafe_status cafe_operator_eight(cafe_context *context, const cafe_operator_parts *q, const float *x,
                                float *y) {
    exact_job job = {.q = q, .width = CAFE_EIGHT, .from = x, .to = y};
    job.kind = cafe_kernels_best()->eights[0];
    return multiply(context, &job, add_eights, product_eights);
}

cafe_status cafe_eight_rows(cafe_context *context, const cafe_operator_parts *q, bool single,
                            cafe_range rows, const double *s, const void *x, void *y) {
    exact_job job = {.q = q, .width = CAFE_EIGHT, .s = s, .from = x, .to = y};
    job.list = rows.list;
    job.kind = cafe_kernels_best()->eights[single ? 0 : 1];
    return cafe_ranges(context, rows.count, ROWS, product_eights, &job);
}
