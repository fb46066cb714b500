/* Solutions: made, started from random or given rows, multiplied, read, freed. */
#include "solve/solution.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "base/thread_pool.h"

cafe_status cafe_solution_new(cafe_context *context, int64_t n, int64_t columns, int64_t sweeps,
                              cafe_solution **solution) {
    cafe_solution *s = cafe_mem_zero(context, 1, sizeof *s);
    *solution = NULL;
    if (!s) return CAFE_ERROR_MEMORY;
    s->context = context;
    s->n = n;
    s->columns = s->keep = s->asked = columns;
    s->sources[0] = (cafe_source){.kind = "rows", .columns = columns};
    s->stride = cafe_stride(columns);
    s->objective = cafe_mem_zero(context, sweeps + 1, sizeof *s->objective);
    cafe_status status = s->objective ? CAFE_OK : CAFE_ERROR_MEMORY;
    if (status == CAFE_OK) status = cafe_block_make(context, n, columns, &s->h);
    if (status == CAFE_OK)
        *solution = s;
    else
        cafe_solution_free(s);
    return status;
}

cafe_status cafe_solution_rows(cafe_context *context, const char *method, int64_t n,
                               int64_t columns, int64_t sweeps, cafe_solution **solution) {
    cafe_status status = cafe_engine_need_processor(context, method);
    if (status == CAFE_OK) status = cafe_solution_new(context, n, columns, sweeps, solution);
    if (status == CAFE_OK) (*solution)->loss = true;
    return status;
}

/* The first `top` columns are for eigenvalues above 0, the last `bottom` for those below 0: the
 * trace of the latter counts with the sign -1. */
void cafe_solution_split(cafe_solution *solution, int64_t top, int64_t bottom) {
    solution->columns = solution->keep = top + bottom;
    solution->stride = solution->h.stride;
    solution->sources[0] = (cafe_source){"top", top, false};
    solution->sources[1] = (cafe_source){"bottom", bottom, true};
}

void cafe_solution_find(cafe_solution *solution, const char *name, double value) {
    solution->findings[solution->finding_count++] = (cafe_finding){name, value};
}

void cafe_solution_free(cafe_solution *solution) {
    if (!solution) return;
    cafe_block_drop(solution->context, &solution->h);
    cafe_block_drop(solution->context, &solution->y);
    cafe_mem_free_all(solution->context, solution->objective, solution->trace, solution->order,
                      solution);
}

/* ---- start ----------------------------------------------------------------------------------- */

/* Numbers of `width` columns, of which those from `first` on are taken, must be finite. */
static cafe_status check_rows(cafe_context *context, const cafe_solution *s, const float *rows,
                              int64_t width, int64_t first, const char *what) {
    for (int64_t i = 0; i < s->n * s->columns; i++) {
        int64_t u = i / s->columns, column = first + i % s->columns;
        if (!isfinite(rows[u * width + column]))
            return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                             "the %s of node %lld is not finite in column %lld", what, (long long)u,
                             (long long)column);
    }
    return CAFE_OK;
}

/* The random matrix S of a start A S: row u is s_u e_k(u), with a random sign s_u and a random
 * column k(u). Row w of A S is then the sum over u of a(w,u) s_u e_k(u): one number per edge. */
typedef struct marks_job {
    uint64_t seed, stream;
    uint64_t columns;
    int32_t *marks;
    int8_t *small; /* the same of few columns; one of the two */
} marks_job;

/* A random column for each node, with a random sign: the starts of rows from sums over edges. */
static void draw_marks(void *argument, int64_t first, int64_t last) {
    const marks_job *job = argument;
    for (int64_t u = first; u < last; u++) {
        cafe_random4 r = cafe_philox(job->seed, job->stream, (uint64_t)u);
        int32_t column = (int32_t)(r.v[0] * job->columns >> 32);
        int32_t mark = r.v[1] & 1 ? column : ~column;
        if (job->small)
            job->small[u] = (int8_t)mark;
        else
            job->marks[u] = mark;
    }
}

static cafe_status start_links(cafe_context *context, const cafe_operator *op, cafe_block *h,
                               cafe_start *how) {
    enum { BLOCK = 16384 };
    cafe_status status = CAFE_OK;
    uint64_t stream = how->stream | (uint64_t)1 << 32;
    marks_job job = {.seed = how->seed, .stream = stream, .columns = (uint64_t)h->columns};
    bool few = h->columns <= CAFE_SMALL_MARKS;
    void *marks = cafe_mem(context, h->n, few ? sizeof *job.small : sizeof *job.marks);
    CAFE_TRY(cafe_mem_had(marks));
    job.small = few ? marks : NULL, job.marks = few ? NULL : marks;
    CAFE_TRY(cafe_ranges(context, h->n, BLOCK, draw_marks, &job));
    how->kind = CAFE_START_LINKS, how->op = op, how->marks = job.marks, how->small = job.small;
    CAFE_TRY(cafe_engine_hold(context, h, op, &how->held));
    CAFE_TRY(cafe_ops(h)->start(context, h, how));
done:
    cafe_mem_free(context, marks);
    return status;
}

cafe_status cafe_solution_start(cafe_context *context, const cafe_operator *op, const float *start,
                                int64_t width, int64_t first, uint64_t stream,
                                cafe_solution *solution) {
    enum { NODES_A_COLUMN = 16 }; /* so that no column of S is 0 */
    cafe_block *h = &solution->h;
    cafe_start how = {.given = start != NULL, .seed = context->seed, .stream = stream};
    cafe_part all = {0, h->n, 0, h->columns};
    if (start) CAFE_PASS(check_rows(context, solution, start, width, first, "start vector"));
    cafe_phase(context, "start", 0);
    if (!start && op->parts.offsets && h->n >= NODES_A_COLUMN * h->columns)
        return start_links(context, op, h, &how);
    if (start) CAFE_PASS(cafe_ops(h)->copy_in(context, h, all, start + first, width));
    return cafe_ops(h)->start(context, h, &how);
}

cafe_status cafe_solution_set(cafe_context *context, const float *rows, cafe_solution *solution) {
    cafe_block *h = &solution->h;
    cafe_status status = check_rows(context, solution, rows, solution->columns, 0, "vector");
    cafe_part all = {0, h->n, 0, h->columns};
    if (status != CAFE_OK) return status;
    return cafe_ops(h)->copy_in(context, h, all, rows, h->columns);
}

/* ---- the product ----------------------------------------------------------------------------- */

typedef struct diagonal_job {
    const cafe_operator_parts *parts;
    double *q;
} diagonal_job;

/* q(u,u) for nodes first .. last - 1. */
static void fill_diagonal(void *argument, int64_t first, int64_t last) {
    const diagonal_job *job = argument;
    for (int64_t u = first; u < last; u++) job->q[u] = cafe_operator_diagonal(job->parts, u);
}

/* tr(H^T Q H) = sum_u p_u <h_u, y_u>, and of it the diagonal's part, sum_u q(u,u) ||h_u||^2. */
static cafe_status add_up(cafe_context *context, const cafe_operator *op, cafe_solution *s,
                          double *trace) {
    enum { ROWS = 1 << 16 };
    diagonal_job job = {&op->parts, cafe_mem(context, s->n, sizeof *job.q)};
    if (!job.q) return CAFE_ERROR_MEMORY;
    cafe_status status = cafe_ranges(context, s->n, ROWS, fill_diagonal, &job);
    if (status == CAFE_OK)
        status = cafe_ops(&s->h)->sums(context, &s->h, &s->y, op->parts.p, job.q,
                                       cafe_solution_negative(s), trace, &s->diagonal);
    cafe_mem_free(context, job.q);
    return status;
}

/* Y = D^-1 Q H, and from it tr(H^T Q H) = sum over u of p_u <h_u, y_u>: the finish needs Y anyway.
 */
cafe_status cafe_solution_product(cafe_context *context, const cafe_operator *op,
                                  cafe_solution *solution, double *trace) {
    cafe_block *h = &solution->h, *y = &solution->y;
    cafe_phase(context, "product", 0);
    CAFE_PASS(cafe_ops(h)->make(context, h->engine, h->n, h->columns, y));
    CAFE_PASS(cafe_block_product(context, op, CAFE_SIDE_WALK, 1, h, 0, 0, y));
    return add_up(context, op, solution, trace);
}

/* ---- reading --------------------------------------------------------------------------------- */

double cafe_solution_diagonal(const cafe_solution *solution) {
    return solution->diagonal;
}

const cafe_solution_report *cafe_solution_get(cafe_solution *solution) {
    solution->report = (cafe_solution_report){solution->columns, solution->sweeps,
                                              solution->objective, solution->converged};
    return &solution->report;
}

/* Rows in another order than the nodes go to their nodes, piece by piece. */
static cafe_status copy_ordered(cafe_context *context, const cafe_block *x, const int32_t *order,
                                float *h) {
    enum { PIECE = 4096 };
    int64_t columns = x->columns;
    cafe_status status = CAFE_OK;
    float *rows = cafe_mem(context, PIECE * columns, sizeof *rows);
    CAFE_TRY(cafe_mem_had(rows));
    for (int64_t first = 0; first < x->n; first += PIECE) {
        cafe_part part = {first, x->n - first < PIECE ? x->n - first : PIECE, 0, columns};
        CAFE_TRY(cafe_ops(x)->copy_out(context, x, part, rows, columns));
        for (int64_t i = 0; i < part.rows; i++)
            memcpy(h + order[first + i] * columns, rows + i * columns, (size_t)columns * sizeof *h);
    }
done:
    cafe_mem_free(context, rows);
    return status;
}

cafe_status cafe_solution_copy(const cafe_solution *solution, float *h) {
    const cafe_block *x = &solution->h;
    cafe_part all = {0, x->n, 0, x->columns};
    if (solution->order) return copy_ordered(solution->context, x, solution->order, h);
    return cafe_ops(x)->copy_out(solution->context, x, all, h, x->columns);
}
