/* Sparse memberships: the call that finds them, and reading them.
 *
 *     maximise sum over u != w of q(u,w) <h_u, h_w>,   h_u >= 0 of sum 1,
 *     of which at most `support` entries are above 0
 *
 * The sweeps (solve/softmax_sparse.c) keep a row as `support` pairs (k, h_uk) in any order. The
 * result has compressed rows in the order of the columns.
 */
#include <stddef.h>

#include "base/memory.h"
#include "base/option.h"
#include "base/thread_pool.h"
#include "engine/engine.h"
#include "solve/softmax_sparse.h"

struct cafe_memberships {
    cafe_context *context;
    int64_t n, columns;
    int64_t *offsets;
    int32_t *column;
    float *value;
    cafe_course course;
};

static cafe_status check_parts(cafe_context *context, int64_t n, int64_t columns,
                               const int32_t *part, int32_t least, const char *what) {
    for (int64_t u = 0; part && u < n; u++)
        if (part[u] < least || part[u] >= columns)
            return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                             "node %lld has %s %d; there are %lld columns", (long long)u, what,
                             (int)part[u], (long long)columns);
    return CAFE_OK;
}

static cafe_status allocate(cafe_context *context, cafe_sparse *x) {
    int64_t largest = cafe_chunk_largest(x->chunks), entries = x->n * x->support;
    x->column = cafe_mem(context, entries, sizeof *x->column);
    x->value = cafe_mem(context, entries, sizeof *x->value);
    x->count = cafe_mem(context, x->n, sizeof *x->count);
    x->s = cafe_mem(context, x->columns, sizeof *x->s);
    x->marks = cafe_mem_zero(context, context->threads * x->columns, sizeof *x->marks);
    x->partial = cafe_mem(context, cafe_blocks(x->n, 1024), sizeof *x->partial);
    x->new_column = cafe_mem(context, largest * x->support, sizeof *x->new_column);
    x->new_value = cafe_mem(context, largest * x->support, sizeof *x->new_value);
    x->new_count = cafe_mem(context, largest, sizeof *x->new_count);
    x->others = cafe_tallies_new(context, context->threads, x->columns);
    return cafe_mem_had(x->others, x->column, x->value, x->count, x->s, x->marks, x->partial,
                        x->new_column, x->new_value, x->new_count);
}

static void release(cafe_context *context, cafe_sparse *x) {
    cafe_tallies_free(context, x->others, context->threads);
    cafe_mem_free_all(context, x->column, x->value, x->count, x->s, x->marks, x->partial,
                      x->new_column, x->new_value, x->new_count);
}

/* Compressed rows in order of columns: offsets_(u+1) - offsets_u is the number of entries of h_u,
 * and their sum over u is all the memory that the result takes. */
static cafe_status compress(cafe_context *context, const cafe_sparse *x, cafe_memberships *m) {
    m->offsets = cafe_mem(context, x->n + 1, sizeof *m->offsets);
    if (!m->offsets) return CAFE_ERROR_MEMORY;
    m->offsets[0] = 0;
    for (int64_t u = 0; u < x->n; u++) m->offsets[u + 1] = m->offsets[u] + x->count[u];
    m->column = cafe_mem(context, m->offsets[x->n], sizeof *m->column);
    m->value = cafe_mem(context, m->offsets[x->n], sizeof *m->value);
    if (!m->column || !m->value) return CAFE_ERROR_MEMORY;
    for (int64_t u = 0; u < x->n; u++) {
        int64_t at = m->offsets[u];
        for (int32_t i = 0; i < x->count[u]; i++) { /* insertion sort: rows are short */
            int32_t column = x->column[u * x->support + i];
            int64_t j = at + i;
            for (; j > at && m->column[j - 1] > column; j--) {
                m->column[j] = m->column[j - 1];
                m->value[j] = m->value[j - 1];
            }
            m->column[j] = column;
            m->value[j] = x->value[u * x->support + i];
        }
    }
    return CAFE_OK;
}

static cafe_status run(cafe_context *context, const cafe_softmax_options *o, const int32_t *part,
                       cafe_sparse *x, cafe_memberships *m) {
    m->course.objective = cafe_mem_zero(context, o->sweeps + 1, sizeof *m->course.objective);
    if (!m->course.objective) return CAFE_ERROR_MEMORY;
    CAFE_PASS(allocate(context, x));
    CAFE_PASS(cafe_sparse_start(context, x, part));
    CAFE_PASS(cafe_sparse_iterate(context, x, o->sweeps, o->tolerance, &m->course));
    return compress(context, x, m);
}

cafe_status cafe_softmax_sparse(cafe_context *context, const cafe_operator *op,
                                const cafe_softmax_options *options, const int32_t *part,
                                const int32_t *labels, cafe_memberships **memberships) {
    cafe_status status = CAFE_OK;
    cafe_softmax_options o;
    cafe_chunks *chunks = NULL;
    cafe_memberships *m = NULL;
    cafe_sparse x = {.op = op, .labels = labels, .n = op->n};
    *memberships = NULL;
    CAFE_TRY(cafe_engine_need_rows(context, "softmax with sparse rows"));
    CAFE_TRY(cafe_options_take(context, cafe_softmax_option_table(), options, &o));
    CAFE_TRY(cafe_operator_need_links(context, op));
    CAFE_TRY(check_parts(context, op->n, o.columns, part, 0, "part"));
    CAFE_TRY(check_parts(context, op->n, o.columns, labels, -1, "label"));
    x.columns = o.columns;
    x.support = o.support;
    x.stride = cafe_stride(o.support);
    x.theta = o.theta;
    x.threshold = o.threshold;
    x.graph_units = cafe_softmax_graph_units(op, &o);
    x.resolution = o.resolution;
    CAFE_TRY(cafe_chunks_new(context, op, NULL, 0, o.chunks, 2 * x.stride, &chunks));
    x.chunks = chunks;
    m = cafe_mem_zero(context, 1, sizeof *m);
    CAFE_TRY(cafe_mem_had(m));
    m->context = context;
    m->n = op->n;
    m->columns = o.columns;
    CAFE_TRY(run(context, &o, part, &x, m));
    *memberships = m;
    m = NULL;
done:
    release(context, &x);
    cafe_chunks_free(chunks);
    cafe_memberships_free(m);
    return status;
}

/* ---- reading --------------------------------------------------------------------------------- */

void cafe_memberships_free(cafe_memberships *memberships) {
    if (!memberships) return;
    cafe_mem_free_all(memberships->context, memberships->offsets, memberships->column,
                      memberships->value, memberships->course.objective, memberships);
}

void cafe_memberships_csr(const cafe_memberships *memberships, const int64_t **offsets,
                          const int32_t **columns, const float **values) {
    *offsets = memberships->offsets;
    *columns = memberships->column;
    *values = memberships->value;
}

int64_t cafe_memberships_columns(const cafe_memberships *memberships) {
    return memberships->columns;
}

int64_t cafe_memberships_sweeps(const cafe_memberships *memberships) {
    return memberships->course.sweeps;
}

const double *cafe_memberships_objective(const cafe_memberships *memberships) {
    return memberships->course.objective;
}

int32_t cafe_memberships_converged(const cafe_memberships *memberships) {
    return memberships->course.converged;
}

cafe_status cafe_memberships_partition(cafe_context *context, const cafe_memberships *memberships,
                                       int32_t *part, int64_t *count) {
    const cafe_memberships *m = memberships;
    int32_t *number = cafe_mem(context, m->columns, sizeof *number);
    if (!number) return CAFE_ERROR_MEMORY;
    for (int64_t k = 0; k < m->columns; k++) number[k] = -1;
    *count = 0;
    for (int64_t u = 0; u < m->n; u++) {
        int64_t best = m->offsets[u];
        for (int64_t j = best + 1; j < m->offsets[u + 1]; j++)
            if (m->value[j] > m->value[best]) best = j;
        if (number[m->column[best]] < 0) number[m->column[best]] = (int32_t)(*count)++;
        part[u] = number[m->column[best]];
    }
    cafe_mem_free(context, number);
    return CAFE_OK;
}
