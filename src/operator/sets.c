/* What users ask of Q directly: products and traces of plain arrays, covariances of sets. */
#include <string.h>

#include "base/memory.h"
#include "base/pool.h"
#include "operator/operator.h"

/* A padded copy of a plain n x columns array, or the array itself when rows need no padding. */
static cafe_status pad(cafe_context *context, int64_t n, int64_t columns, const float *x,
                       float **copy, const float **block) {
    int64_t stride = cafe_stride(columns);
    *copy = NULL;
    *block = x;
    if (stride == columns) return CAFE_OK;
    *copy = cafe_mem_zero(context, n * stride, sizeof **copy);
    if (!*copy) return CAFE_ERROR_MEMORY;
    for (int64_t u = 0; u < n; u++)
        memcpy(*copy + u * stride, x + u * columns, (size_t)columns * sizeof *x);
    *block = *copy;
    return CAFE_OK;
}

static cafe_status check_columns(cafe_context *context, int64_t columns) {
    if (columns >= 1) return CAFE_OK;
    return cafe_fail(context, CAFE_ERROR_ARGUMENT, "a block needs at least one column");
}

cafe_status cafe_operator_product(cafe_context *context, const cafe_operator *op, int64_t columns,
                                  const float *x, float *y) {
    cafe_status status = CAFE_OK;
    int64_t stride = cafe_stride(columns), n = op->n;
    const float *block = NULL;
    float *copy = NULL, *result = NULL;
    CAFE_TRY(check_columns(context, columns));
    CAFE_TRY(pad(context, n, columns, x, &copy, &block));
    if (copy) {
        result = cafe_mem_zero(context, n * stride, sizeof *result);
        if (!result) status = CAFE_ERROR_MEMORY;
    } else {
        memset(y, 0, (size_t)(n * columns) * sizeof *y);
    }
    CAFE_TRY(status);
    CAFE_TRY(cafe_operator_apply(context, op, CAFE_SIDE_PLAIN, stride, block, 1, 0, 0,
                                 result ? result : y));
    for (int64_t u = 0; result && u < n; u++)
        memcpy(y + u * columns, result + u * stride, (size_t)columns * sizeof *y);
done:
    cafe_mem_free(context, copy);
    cafe_mem_free(context, result);
    return status;
}

cafe_status cafe_operator_trace(cafe_context *context, const cafe_operator *op, int64_t columns,
                                const float *x, double *trace) {
    float *copy = NULL;
    const float *block = NULL;
    cafe_status status = check_columns(context, columns);
    if (status == CAFE_OK) status = pad(context, op->n, columns, x, &copy, &block);
    if (status == CAFE_OK)
        status = cafe_operator_trace_block(context, op, cafe_stride(columns), block, trace);
    cafe_mem_free(context, copy);
    return status;
}

/* ---- q(S_i, S_j) ----------------------------------------------------------------------------- */

typedef struct covariance_job {
    const cafe_operator *op;
    const int32_t *part;
    int64_t parts, block; /* sets; nodes of a task */
    double *inside;       /* parts x parts a task: sum of a(u,w) */
    double *mass;         /* parts a task: sum of p_u */
} covariance_job;

static void covariance_block(void *argument, int64_t task, int32_t worker) {
    const covariance_job *job = argument;
    const cafe_operator_parts *s = &job->op->parts;
    double *inside = job->inside + task * job->parts * job->parts;
    double *mass = job->mass + task * job->parts;
    (void)worker;
    for (int64_t u = task * job->block; u < cafe_block_end(s->n, job->block, task); u++) {
        int32_t own = job->part[u];
        if (own < 0) continue;
        mass[own] += s->p[u];
        for (int64_t j = s->offsets[u]; j < s->offsets[u + 1]; j++) {
            int32_t other = job->part[s->targets[j]];
            if (other >= 0) inside[own * job->parts + other] += s->weights ? s->weights[j] : 1;
        }
    }
}

/* Adds the tasks up in their order: q(S,S') = p(S,S') - p(S) p(S'), or the negative of it. */
static void add_covariances(covariance_job *job, int64_t tasks, double *covariance) {
    int64_t parts = job->parts;
    for (int64_t t = 1; t < tasks; t++) {
        for (int64_t i = 0; i < parts * parts; i++)
            job->inside[i] += job->inside[t * parts * parts + i];
        for (int64_t i = 0; i < parts; i++) job->mass[i] += job->mass[t * parts + i];
    }
    for (int64_t i = 0; i < parts; i++)
        for (int64_t j = 0; j < parts; j++)
            covariance[i * parts + j] =
                job->op->parts.sign *
                (job->inside[i * parts + j] / job->op->parts.total - job->mass[i] * job->mass[j]);
}

cafe_status cafe_operator_covariance(cafe_context *context, const cafe_operator *op,
                                     const int32_t *part, int64_t parts, double *covariance) {
    enum { MOST_TASKS = 64, ROOM = 1 << 22 }; /* doubles for all tasks together */
    cafe_status status = cafe_operator_need_links(context, op);
    if (status != CAFE_OK) return status;
    for (int64_t u = 0; u < op->n; u++)
        if (part[u] >= parts)
            return cafe_fail(context, CAFE_ERROR_ARGUMENT, "node %lld is in set %d of %lld",
                             (long long)u, (int)part[u], (long long)parts);
    int64_t room = ROOM / (parts * parts + 1), most = room < 1 ? 1 : room;
    if (most > MOST_TASKS) most = MOST_TASKS;
    covariance_job job = {op, part, parts, cafe_blocks(op->n, most), NULL, NULL};
    int64_t tasks = cafe_blocks(op->n, job.block);
    job.inside = cafe_mem_zero(context, tasks * parts * parts, sizeof *job.inside);
    job.mass = cafe_mem_zero(context, tasks * parts, sizeof *job.mass);
    status = job.inside && job.mass ? CAFE_OK : CAFE_ERROR_MEMORY;
    if (status == CAFE_OK) status = cafe_parallel(context, tasks, covariance_block, &job);
    if (status == CAFE_OK) add_covariances(&job, tasks, covariance);
    cafe_mem_free(context, job.inside);
    cafe_mem_free(context, job.mass);
    return status;
}
