/* Gram matrices, in-place products, scalings, norms and sums of tall blocks, in double precision.
 */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/memory_limit.h"
#include "base/thread_pool.h"
#include "engine/dense.h"
#include "engine/processor.h"

enum {
    ROWS = 256, /* rows converted to double at a time */
    MOST_PARTS = 64,
    LEAST_PARTS = 16,             /* partial Gram matrices */
    PART_BYTES = 64 * 1024 * 1024 /* for all of them together */
};

/* ---- Gram matrices --------------------------------------------------------------------------- */

typedef struct gram_job {
    cafe_context *context;
    const cafe_block *a, *b;
    const double *weights;
    bool single;
    bool even;        /* compute the symmetric part of a^T b from (a + b): a^T b + b^T a = (a + b)^T
                       * (a + b) - a^T a - b^T b */
    int64_t k, block; /* columns; rows of a part */
    int64_t width;    /* numbers of a converted row: [a b], or [a b a+b] */
    int64_t scratch;  /* bytes of `rows` per worker */
    char *rows;       /* ROWS x width numbers per worker, then k x k floats */
    double *parts;    /* k x k per part, from the diagonal on */
    double *gram;     /* their sum */
    /* Of pieces: where each begins, and 6 2^e of each column, with 2^e no less than its length. */
    const int64_t *starts;
    const double *grid;
} gram_job;

/* row <- sqrt(weight) * x */
static void convert(int64_t columns, double root, const float *restrict x, double *restrict row) {
    for (int64_t k = 0; k < columns; k++) row[k] = root * x[k];
}

static void convert_single(int64_t columns, float root, const float *restrict x,
                           float *restrict row) {
    for (int64_t k = 0; k < columns; k++) row[k] = root * x[k];
}

/* Row u of [a b] as row `at` of the rows converted. */
static void put_row(const gram_job *job, int64_t u, int64_t at, void *rows) {
    double root = job->weights ? sqrt(job->weights[u]) : 1;
    const cafe_block *sides[2] = {job->a, job->b};
    at *= job->width;
    for (int i = 0; i < 2 && sides[i]; at += sides[i++]->columns) {
        const float *x = cafe_row(sides[i], u);
        if (job->single)
            convert_single(sides[i]->columns, (float)root, x, (float *)rows + at);
        else
            convert(sides[i]->columns, root, x, (double *)rows + at);
    }
    if (!job->even) return;
    double *sum = (double *)rows + at, *second = sum - job->k / 2, *first = second - job->k / 2;
    for (int64_t j = 0; j < job->k / 2; j++) sum[j] = first[j] + second[j];
}

/* a^T a, b^T b and, where a^T b belongs, (a + b)^T (a + b) */
static void add_even(const gram_job *job, int64_t count, const double *rows, double *gram) {
    int64_t k = job->k, half = k / 2;
    cafe_dense_gram_part(count, half, rows, job->width, k, gram);
    cafe_dense_gram_part(count, half, rows + half, job->width, k, gram + half * k + half);
    cafe_dense_gram_part(count, half, rows + k, job->width, k, gram + half);
}

/* (a + b)^T (a + b) = a^T a + b^T b + a^T b + b^T a */
static void part_even(int64_t k, double *gram) {
    int64_t half = k / 2;
    for (int64_t i = 0; i < half; i++)
        for (int64_t j = i; j < half; j++) {
            double both = gram[i * k + j] + gram[(half + i) * k + half + j];
            double cross = (gram[i * k + half + j] - both) / 2;
            gram[i * k + half + j] = gram[j * k + half + i] = cross;
        }
}

/* gram += X^T Y of `count` <= 256 rows. The products of these rows are summed in single precision,
 * then added in double precision. */
static void add_rows(const gram_job *job, int64_t count, const void *rows, int64_t stride,
                     float *block, double *gram) {
    int64_t k = job->k;
    if (!job->single) {
        if (job->even)
            add_even(job, count, rows, gram);
        else
            cafe_dense_gram(count, k, rows, gram);
        return;
    }
    cafe_dense_gram_single(count, k, rows, stride, block);
    for (int64_t i = 0; i < k; i++)
        for (int64_t j = i; j < k; j++) gram[i * k + j] += block[i * k + j];
}

/* Adds rows first .. end - 1, without rows of weight 0. Rows of weight 1 need no scaled copy. */
static void gram_rows(const gram_job *job, int64_t first, int64_t end, int32_t worker,
                      double *gram) {
    int64_t k = job->k, count = 0;
    char *rows = job->rows + worker * job->scratch;
    float *block = (float *)(rows + ROWS * job->width * (int64_t)sizeof(double));
    bool there = job->single && !job->b && !job->weights;
    memset(gram, 0, (size_t)(k * k) * sizeof *gram);
    for (int64_t u = first; u < end; u++) {
        if (job->weights && !(job->weights[u] > 0)) continue;
        if (!there) put_row(job, u, count, rows);
        if (++count < ROWS && u + 1 < end) continue;
        add_rows(job, count, there ? (void *)cafe_row(job->a, u + 1 - count) : rows,
                 there ? job->a->stride : k, block, gram);
        cafe_trim(job->context); /* a part is long */
        count = 0;
    }
    if (count > 0) add_rows(job, count, rows, k, block, gram);
}

/* parts_p = sum over the rows u of part p of w_u x_u^T x_u. */
static void gram_part(void *argument, int64_t part, int32_t worker) {
    const gram_job *job = argument;
    gram_rows(job, part * job->block, cafe_block_end(job->a->n, job->block, part), worker,
              job->parts + part * job->k * job->k);
}

/* Rows of the sum of all parts, from the diagonal on. */
static void add_parts(void *argument, int64_t first, int64_t last) {
    const gram_job *job = argument;
    int64_t k = job->k, n = job->a->n;
    for (int64_t i = first; i < last; i++) {
        double *row = job->gram + i * k;
        memset(row + i, 0, (size_t)(k - i) * sizeof *row);
        for (int64_t p = 0; p < cafe_blocks(n, job->block); p++)
            for (int64_t j = i; j < k; j++) row[j] += job->parts[(p * k + i) * k + j];
    }
}

static cafe_status gram_scratch(cafe_context *context, gram_job *job, int64_t parts) {
    int64_t k = job->k;
    job->width = job->even ? k + k / 2 : k;
    job->scratch = ROWS * job->width * (int64_t)sizeof(double); /* whole doubles */
    if (job->single) job->scratch += (k * k + 1) / 2 * 8;
    job->rows = cafe_mem(context, context->threads, (size_t)job->scratch);
    job->parts = cafe_mem(context, parts * k * k, sizeof *job->parts);
    return cafe_mem_had(job->rows, job->parts);
}

/* G = sum over p of parts_p, p ascending. The number of parts follows from K alone, and a part has
 *
 *     max(ceil(n / parts), ROWS) rows,
 *
 * so the shape of the sum does not depend on the threads.
 */
static cafe_status gram_of(cafe_context *context, gram_job *job) {
    enum { SUM_ROWS = 8 };
    int64_t k = job->k, n = job->a->n;
    int64_t parts = PART_BYTES / (k * k * (int64_t)sizeof(double));
    parts = parts > MOST_PARTS ? MOST_PARTS : parts < LEAST_PARTS ? LEAST_PARTS : parts;
    job->block = cafe_blocks(n, parts) > ROWS ? cafe_blocks(n, parts) : ROWS;
    parts = cafe_blocks(n, job->block);
    cafe_status status = gram_scratch(context, job, parts);
    if (status == CAFE_OK) status = cafe_parallel(context, parts, gram_part, job);
    if (status == CAFE_OK) status = cafe_ranges(context, k, SUM_ROWS, add_parts, job);
    if (status == CAFE_OK && job->even) part_even(k, job->gram);
    for (int64_t i = 0; i < k && status == CAFE_OK; i++)
        for (int64_t j = 0; j < i; j++) job->gram[i * k + j] = job->gram[j * k + i];
    cafe_mem_free_all(context, job->rows, job->parts);
    return status;
}

cafe_status cafe_processor_gram(cafe_context *context, const cafe_block *a, const cafe_block *b,
                                const double *weights, bool single, double *gram) {
    gram_job job = {context, .a = a, .b = b, .weights = weights, .single = single, .gram = gram};
    job.k = a->columns + (b ? b->columns : 0);
    return job.k > 0 ? gram_of(context, &job) : CAFE_OK;
}

cafe_status cafe_processor_gram_even(cafe_context *context, const cafe_block *a,
                                     const cafe_block *b, const double *weights, double *gram) {
    gram_job job = {context, .a = a, .b = b, .weights = weights, .even = true, .gram = gram};
    job.k = 2 * a->columns;
    return job.k > 0 ? gram_of(context, &job) : CAFE_OK;
}

/* Each piece's matrix is rounded to a grid before it is added. The grid is a 53rd of the largest
 * that entry i, j can become, the product of the lengths of the columns. So the sum has no order
 * (kernels/sum_shapes.h). */
static void gram_piece(void *argument, int64_t piece, int32_t worker) {
    const gram_job *job = argument;
    int64_t k = job->k;
    double *sum = job->parts + 2 * worker * k * k, *gram = sum + k * k;
    gram_rows(job, job->starts[piece], job->starts[piece + 1], worker, gram);
    for (int64_t i = 0; i < k; i++) {
        double by = job->grid[i] / 6;
        for (int64_t j = i; j < k; j++) {
            /* (x + c) - c rounds x to a multiple of the spacing of doubles near c: sums of such
             * multiples are exact, so they have no order */
            double six = by * job->grid[j];
            sum[i * k + j] += (gram[i * k + j] + six) - six;
        }
    }
}

cafe_status cafe_processor_gram_pieces(cafe_context *context, const cafe_block *a,
                                       const cafe_block *b, const double *weights, bool single,
                                       int64_t pieces, const int64_t *starts, const double *lengths,
                                       double *gram) {
    gram_job job = {context, .a = a, .b = b, .weights = weights, .single = single};
    int64_t k = job.k = a->columns + (b ? b->columns : 0), workers = context->threads;
    double *grid = cafe_mem(context, k, sizeof *grid);
    cafe_status status = cafe_mem_had(grid);
    for (int64_t j = 0; j < k && grid; j++) {
        int exponent;
        frexp(lengths[j], &exponent);
        grid[j] = ldexp(6, exponent + 1);
    }
    job.starts = starts, job.grid = grid;
    if (status == CAFE_OK) status = gram_scratch(context, &job, 2 * workers);
    if (status == CAFE_OK) memset(job.parts, 0, (size_t)(2 * workers * k * k) * sizeof *job.parts);
    if (status == CAFE_OK) status = cafe_parallel(context, pieces, gram_piece, &job);
    memset(gram, 0, (size_t)(k * k) * sizeof *gram);
    for (int64_t w = 0; w < workers && status == CAFE_OK; w++)
        for (int64_t i = 0; i < k * k; i++) gram[i] += job.parts[2 * w * k * k + i];
    cafe_mem_free_all(context, grid, job.rows, job.parts);
    return status;
}

/* ---- products in place ----------------------------------------------------------------------- */

typedef struct transform_job {
    cafe_block *x;
    int64_t k;
    const double *m;
    const int64_t
        *kept; /* NULL: all columns, M is columns x k; otherwise M is k x k, upper triangular */
    const double *shift; /* NULL: 0 */
    double *rows;        /* ROWS x 2 columns per worker */
} transform_job;

/* x_u <- x_u M - shift, or x_u[kept] M - shift, for the rows of a block: products in double
 * precision, rounded once to floats. A row is read before it is written, so the product is in
 * place. */
static void transform_block(void *argument, int64_t block, int32_t worker) {
    transform_job *job = argument;
    cafe_block *x = job->x;
    int64_t from = block * ROWS, count = cafe_block_end(x->n, ROWS, block) - from, k = job->k;
    double *rows = job->rows + worker * 2 * ROWS * x->columns, *result = rows + ROWS * x->columns;
    for (int64_t i = 0; i < count; i++) {
        const float *row = cafe_row(x, from + i);
        if (!job->kept)
            convert(x->columns, 1, row, rows + i * x->columns);
        else
            for (int64_t j = 0; j < k; j++) rows[i * k + j] = row[job->kept[j]];
    }
    if (job->kept)
        cafe_dense_triangular(count, k, rows, job->m, result);
    else
        cafe_dense_product(false, count, x->columns, k, rows, job->m, result);
    for (int64_t i = 0; i < count; i++) {
        float *row = cafe_row(x, from + i);
        const double *values = result + i * k, *shift = job->shift;
        for (int64_t j = 0; j < k; j++) row[j] = (float)(values[j] - (shift ? shift[j] : 0));
        for (int64_t j = k; j < x->stride - x->first; j++) row[j] = 0;
    }
}

cafe_status cafe_processor_transform(cafe_context *context, cafe_block *x, int64_t k,
                                     const double *m, const int64_t *kept, const double *shift) {
    transform_job job = {x, k, m, kept, shift, NULL};
    job.rows = cafe_mem(context, context->threads * 2 * ROWS * x->columns, sizeof *job.rows);
    if (!job.rows) return CAFE_ERROR_MEMORY;
    cafe_status status = cafe_parallel(context, cafe_blocks(x->n, ROWS), transform_block, &job);
    cafe_mem_free(context, job.rows);
    if (status == CAFE_OK) x->columns = k;
    return status;
}

/* ---- rows ------------------------------------------------------------------------------------ */

typedef struct scale_job {
    cafe_block *x;
    const double *factors;
} scale_job;

/* x_u <- f_u x_u */
static void scale_block(void *argument, int64_t first, int64_t last) {
    scale_job *job = argument;
    for (int64_t u = first; u < last; u++) {
        float *row = cafe_row(job->x, u), factor = (float)job->factors[u];
        for (int64_t k = 0; k < job->x->columns; k++) row[k] *= factor;
    }
}

cafe_status cafe_processor_scale(cafe_context *context, cafe_block *x, const double *factors) {
    scale_job job = {x, factors};
    return cafe_ranges(context, x->n, ROWS, scale_block, &job);
}

/* Sums of squares of columns, block after block of fixed size: cheap beside the Gram matrix of the
 * same columns. */
typedef struct norm_job {
    const cafe_block *x;
    const double *factors;
} norm_job;

static void add_norms(void *argument, int64_t first, int64_t last, double *sum) {
    const norm_job *job = argument;
    cafe_add_norms(job->x, job->factors, first, last, sum);
}

/* norms_j = sqrt(sum over u of (f_u x_uj)^2), by pieces. */
cafe_status cafe_processor_norms(cafe_context *context, const cafe_block *x, const double *factors,
                                 double *norms) {
    norm_job job = {x, factors};
    for (int64_t j = 0; j < x->columns; j++) norms[j] = 0;
    CAFE_PASS(cafe_sums(context, x->n, cafe_piece_rows(x->n), add_norms, &job, x->columns, norms));
    for (int64_t j = 0; j < x->columns; j++) norms[j] = sqrt(norms[j]);
    return CAFE_OK;
}

static void add_totals(void *argument, int64_t first, int64_t last, double *sum) {
    const norm_job *job = argument;
    cafe_add_totals(job->x, job->factors, first, last, sum);
}

/* totals_j = sum over u of w_u x_uj, by pieces. */
cafe_status cafe_processor_totals(cafe_context *context, const cafe_block *x, const double *weights,
                                  double *totals) {
    norm_job job = {x, weights};
    for (int64_t j = 0; j < x->columns; j++) totals[j] = 0;
    return cafe_sums(context, x->n, cafe_piece_rows(x->n), add_totals, &job, x->columns, totals);
}
