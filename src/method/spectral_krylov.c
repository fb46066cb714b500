/* Block Lanczos with thick restarts (Wu and Simon 2000; the block form of Baker, Dean and others).
 *
 * The basis V has orthonormal columns; T = V^T M V is formed exactly, column by column, and
 *
 *     M V = V T + W E^T,     W orthogonal to V, E the last block of columns
 *
 * holds throughout. A Ritz pair (theta, V s) therefore has the residual |W s_last|, which is known
 * without a product: s_last^T (W^T W) s_last. When V is full, the most wanted Ritz vectors replace
 * it (T becomes diagonal) and the expansion goes on with W, so that nothing learnt is lost.
 *
 * Against ARPACK: blocks find multiple eigenvalues, share one pass over the matrix between eight
 * vectors, both ends of the spectrum come in one run in any order of preference, and there is no
 * state outside the run: two threads of a process may solve at the same time.
 *
 * All sums over rows are made in blocks of a fixed shape: the same bits for any number of threads.
 */
#include "method/spectral_krylov.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/pool.h"
#include "base/random.h"
#include "engine/dense.h"

enum { WIDTH = CAFE_KRYLOV_WIDTH, ROWS = 256, MOST_PARTS = 64, RESTARTS = 300 };
/* Columns of a block of which less is new than this share carry nothing but rounding. */
static const double dependent = 1e-7, vanished = 1e-13;

typedef struct krylov {
    const cafe_krylov_map *map;
    int64_t n, count, most; /* most: columns of V at most */
    int64_t used, width;    /* columns of V, those after are zero; of the block P */
    int64_t last;           /* first column of the last block */
    uint64_t draws;
    double scale;                /* largest |theta| or |M x| seen: a lower bound of |M| */
    double *v, *p, *w;           /* n x most; n x WIDTH */
    double *t, *s, *theta;       /* most x most, most x most, most */
    double *c, *parts, *scratch; /* most x WIDTH; as many per part; ROWS x most per worker */
    double gram[WIDTH * WIDTH];  /* W^T W */
    int64_t *order;              /* Ritz pairs, most wanted first */
    int64_t block, part_count;   /* rows of a part */
} krylov;

static void free_krylov(cafe_context *context, krylov *k) {
    double *all[] = {k->v, k->p, k->w, k->t, k->s, k->theta, k->c, k->parts, k->scratch};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) cafe_mem_free(context, all[i]);
    cafe_mem_free(context, k->order);
}

/* Room to keep the wanted pairs and as many again: more restarts, or more columns to orthogonalise
 * against; this is the usual middle. */
static int64_t basis_columns(int64_t n, int64_t count) {
    int64_t most = 2 * count + 6 * WIDTH;
    return most < n ? most : n;
}

static cafe_status new_krylov(cafe_context *context, const cafe_krylov_map *map, int64_t count,
                              krylov *k) {
    int64_t n = map->n, most = basis_columns(n, count);
    *k = (krylov){.map = map, .n = n, .count = count, .most = most};
    k->block = cafe_blocks(n, MOST_PARTS) > ROWS ? cafe_blocks(n, MOST_PARTS) : ROWS;
    k->part_count = cafe_blocks(n, k->block);
    int64_t wide = most > WIDTH ? most : WIDTH;
    k->v = cafe_mem_zero(context, n * most, sizeof *k->v);
    k->p = cafe_mem_zero(context, n * WIDTH, sizeof *k->p);
    k->w = cafe_mem_zero(context, n * WIDTH, sizeof *k->w);
    k->t = cafe_mem_zero(context, most * most, sizeof *k->t);
    k->s = cafe_mem_zero(context, most * most, sizeof *k->s);
    k->theta = cafe_mem_zero(context, most, sizeof *k->theta);
    k->c = cafe_mem(context, wide * WIDTH, sizeof *k->c);
    k->parts = cafe_mem(context, k->part_count * 2 * wide * WIDTH, sizeof *k->parts);
    k->scratch = cafe_mem(context, context->threads * ROWS * wide, sizeof *k->scratch);
    k->order = cafe_mem(context, most, sizeof *k->order);
    bool all = k->v && k->p && k->w && k->t && k->s && k->theta && k->c && k->parts && k->scratch;
    return all && k->order ? CAFE_OK : CAFE_ERROR_MEMORY;
}

/* ---- tall times small ------------------------------------------------------------------------ */

/* out (columns x WIDTH) = A^T W over the rows, A n x columns */
typedef struct cross_job {
    krylov *k;
    const double *a;
    int64_t columns;
} cross_job;

static void cross_part(void *argument, int64_t part, int32_t worker) {
    const cross_job *job = argument;
    krylov *k = job->k;
    int64_t size = job->columns * WIDTH, end = cafe_block_end(k->n, k->block, part);
    double *sum = k->parts + part * 2 * size, *piece = sum + size;
    (void)worker;
    memset(sum, 0, (size_t)size * sizeof *sum);
    for (int64_t from = part * k->block; from < end; from += ROWS) {
        int64_t rows = end - from < ROWS ? end - from : ROWS;
        cafe_dense_product(true, job->columns, rows, WIDTH, job->a + from * job->columns,
                           k->w + from * WIDTH, piece);
        for (int64_t i = 0; i < size; i++) sum[i] += piece[i];
    }
}

static cafe_status cross(cafe_context *context, krylov *k, const double *a, int64_t columns,
                         double *out) {
    cross_job job = {k, a, columns};
    int64_t size = columns * WIDTH;
    cafe_status status = cafe_parallel(context, k->part_count, cross_part, &job);
    if (status != CAFE_OK) return status;
    memset(out, 0, (size_t)size * sizeof *out);
    for (int64_t p = 0; p < k->part_count; p++)
        for (int64_t i = 0; i < size; i++) out[i] += k->parts[p * 2 * size + i];
    return CAFE_OK;
}

/* to <- to - V C, or to <- from M, row by row; `inner` columns of the left factor. */
typedef struct multiply_job {
    krylov *k;
    const double *from, *m;
    int64_t inner, columns, step; /* step: doubles from row to row of `to` */
    bool subtract;
    double *to;
} multiply_job;

static void multiply_block(void *argument, int64_t block, int32_t worker) {
    const multiply_job *job = argument;
    krylov *k = job->k;
    int64_t wide = k->most > WIDTH ? k->most : WIDTH;
    int64_t from = block * ROWS, rows = cafe_block_end(k->n, ROWS, block) - from;
    double *result = k->scratch + worker * ROWS * wide;
    cafe_dense_product(false, rows, job->inner, job->columns, job->from + from * job->inner, job->m,
                       result);
    for (int64_t i = 0; i < rows; i++) {
        double *row = job->to + (from + i) * job->step;
        const double *values = result + i * job->columns;
        for (int64_t j = 0; j < job->columns; j++)
            row[j] = job->subtract ? row[j] - values[j] : values[j];
    }
}

static cafe_status multiply(cafe_context *context, const multiply_job *job) {
    multiply_job copy = *job;
    return cafe_parallel(context, cafe_blocks(job->k->n, ROWS), multiply_block, &copy);
}

/* W <- W - V (V^T W); c gets V^T W. */
static cafe_status project(cafe_context *context, krylov *k, double *c) {
    cafe_status status = cross(context, k, k->v, k->most, c);
    if (status != CAFE_OK) return status;
    multiply_job job = {k, k->v, c, k->most, WIDTH, WIDTH, true, k->w};
    return multiply(context, &job);
}

/* ---- the next block -------------------------------------------------------------------------- */

/* W <- W[:, kept] R^-1, its first `width` columns orthonormal, the others zero. */
static cafe_status orthonormalise(cafe_context *context, krylov *k, double *gram, double least) {
    double r[WIDTH * WIDTH], narrow[WIDTH * WIDTH], m[WIDTH * WIDTH] = {0}, floor[WIDTH];
    int64_t kept[WIDTH];
    cafe_status status = cross(context, k, k->w, WIDTH, gram);
    if (status != CAFE_OK) return status;
    memcpy(r, gram, sizeof r);
    for (int j = 0; j < WIDTH; j++) floor[j] = least;
    k->width = cafe_dense_cholesky(WIDTH, r, dependent, floor, kept);
    cafe_dense_orthonormaliser(WIDTH, r, k->width, kept, narrow);
    for (int64_t i = 0; i < WIDTH; i++)
        for (int64_t j = 0; j < k->width; j++) m[i * WIDTH + j] = narrow[i * k->width + j];
    multiply_job job = {k, k->w, m, WIDTH, WIDTH, WIDTH, false, k->w};
    return multiply(context, &job);
}

/* A random W, for the start and for when the space is exhausted. */
static void draw(cafe_context *context, krylov *k) {
    uint64_t first = k->draws++ * (uint64_t)(k->n * WIDTH / 4);
    for (int64_t i = 0; i < k->n * WIDTH / 4; i++) {
        cafe_random4 r = cafe_philox(context->seed, CAFE_STREAM_KRYLOV, first + (uint64_t)i);
        for (int j = 0; j < 4; j++) k->w[4 * i + j] = 2 * cafe_uniform_open(r.v[j]) - 1;
    }
}

/* W made orthonormal, and again orthogonal to V, whose span Cholesky's errors may have let in. */
static cafe_status settle_block(cafe_context *context, krylov *k, double *gram, double least) {
    double again[WIDTH * WIDTH];
    cafe_status status = CAFE_OK;
    CAFE_TRY(orthonormalise(context, k, gram, least));
    CAFE_TRY(project(context, k, k->c));
    CAFE_TRY(orthonormalise(context, k, again, 0.5));
done:
    return status;
}

/* P from W; from a random block when W vanishes (width 0 then: V spans everything). */
static cafe_status next_block(cafe_context *context, krylov *k) {
    double unused[WIDTH * WIDTH];
    cafe_status status = CAFE_OK;
    CAFE_TRY(settle_block(context, k, k->gram, vanished * k->scale));
    if (k->width == 0) {
        draw(context, k);
        CAFE_TRY(project(context, k, k->c));
        CAFE_TRY(project(context, k, k->c));
        CAFE_TRY(settle_block(context, k, unused, 1e-8));
    }
    double *p = k->p;
    k->p = k->w, k->w = p;
done:
    return status;
}

/* V <- [V P] */
static void append(krylov *k) {
    for (int64_t u = 0; u < k->n; u++)
        memcpy(k->v + u * k->most + k->used, k->p + u * WIDTH, (size_t)k->width * sizeof *k->p);
    k->last = k->used;
    k->used += k->width;
}

/* W = M P less its part in V, which is the new columns of T. */
static cafe_status expand(cafe_context *context, krylov *k) {
    cafe_status status = CAFE_OK;
    append(k);
    CAFE_TRY(k->map->product(context, k->map->argument, k->p, k->w));
    for (int pass = 0; pass < 2; pass++) { /* twice is enough (Kahan and Parlett) */
        CAFE_TRY(project(context, k, k->c));
        for (int64_t i = 0; i < k->used; i++)
            for (int64_t j = 0; j < k->width; j++)
                k->t[i * k->most + k->last + j] =
                    (pass ? k->t[i * k->most + k->last + j] : 0) + k->c[i * WIDTH + j];
    }
    for (int64_t j = k->last; j < k->used; j++)
        for (int64_t i = 0; i < j; i++) {
            double *upper = k->t + i * k->most + j, *lower = k->t + j * k->most + i;
            if (i >= k->last) *upper = (*upper + *lower) / 2;
            *lower = *upper;
        }
    for (int64_t j = k->last; j < k->used; j++)
        k->scale = fmax(k->scale, fabs(k->t[j * k->most + j]));
done:
    return status;
}

/* ---- Ritz pairs ------------------------------------------------------------------------------ */

static double want(const krylov *k, double value) {
    return k->map->want ? k->map->want(k->map->argument, value) : fabs(value);
}

static void rank_pairs(krylov *k) {
    for (int64_t i = 0; i < k->used; i++) {
        int64_t j = i;
        double here = want(k, k->theta[i]);
        for (; j > 0 && want(k, k->theta[k->order[j - 1]]) < here; j--)
            k->order[j] = k->order[j - 1];
        k->order[j] = i;
    }
}

/* T = S diag(theta) S^T, S used x used. */
static cafe_status ritz(cafe_context *context, krylov *k) {
    for (int64_t i = 0; i < k->used; i++)
        memcpy(k->s + i * k->used, k->t + i * k->most, (size_t)k->used * sizeof *k->s);
    cafe_status status = cafe_dense_eigen(context, k->used, k->s, k->theta);
    if (status != CAFE_OK) return status;
    rank_pairs(k);
    k->scale = fmax(k->scale, fmax(fabs(k->theta[0]), fabs(k->theta[k->used - 1])));
    return CAFE_OK;
}

/* |M V s - theta V s| = |W s_last| */
static double residual(const krylov *k, int64_t pair) {
    double sum = 0;
    const double *s = k->s + k->last * k->used + pair;
    for (int64_t i = 0; i < k->used - k->last; i++)
        for (int64_t j = 0; j < k->used - k->last; j++)
            sum += s[i * k->used] * k->gram[i * WIDTH + j] * s[j * k->used];
    return sqrt(fmax(sum, 0));
}

static bool all_converged(krylov *k, double tolerance) {
    double worst = 0;
    for (int64_t j = 0; j < k->count; j++) worst = fmax(worst, residual(k, k->order[j]));
    return worst <= tolerance * k->scale;
}

/* to <- V S for the `keep` most wanted pairs, as the first of `columns` columns; others are zero.
 */
static cafe_status rotate(cafe_context *context, krylov *k, int64_t keep, int64_t columns,
                          double *to) {
    double *chosen = cafe_mem_zero(context, k->most * columns, sizeof *chosen);
    if (!chosen) return CAFE_ERROR_MEMORY;
    for (int64_t i = 0; i < k->used; i++)
        for (int64_t j = 0; j < keep; j++)
            chosen[i * columns + j] = k->s[i * k->used + k->order[j]];
    multiply_job job = {k, k->v, chosen, k->most, columns, columns, false, to};
    cafe_status status = multiply(context, &job);
    cafe_mem_free(context, chosen);
    return status;
}

/* V <- the most wanted Ritz vectors, T <- their values. */
static cafe_status restart(cafe_context *context, krylov *k) {
    int64_t keep = k->count + (k->most - k->count) / 3;
    if (keep > k->used) keep = k->used;
    cafe_status status = rotate(context, k, keep, k->most, k->v);
    memset(k->t, 0, (size_t)(k->most * k->most) * sizeof *k->t);
    for (int64_t j = 0; j < keep; j++) k->t[j * k->most + j] = k->theta[k->order[j]];
    k->used = keep;
    return status;
}

/* ---- the iteration --------------------------------------------------------------------------- */

/* Until V has no room for a block, or spans everything. */
static cafe_status fill(cafe_context *context, krylov *k) {
    cafe_status status = CAFE_OK;
    while (k->width > 0 && k->used + k->width <= k->most) {
        CAFE_TRY(expand(context, k));
        CAFE_TRY(next_block(context, k));
    }
done:
    return status;
}

static cafe_status iterate(cafe_context *context, krylov *k, double tolerance, int32_t *converged) {
    cafe_status status = CAFE_OK;
    draw(context, k);
    k->scale = 1e-300;
    CAFE_TRY(next_block(context, k));
    for (int64_t round = 1;; round++) {
        CAFE_TRY(fill(context, k));
        CAFE_TRY(ritz(context, k));
        *converged = all_converged(k, tolerance);
        cafe_step(context, round, residual(k, k->order[k->count - 1]) / k->scale);
        if (*converged || k->width == 0 || round == RESTARTS) break;
        CAFE_TRY(restart(context, k));
    }
done:
    return status;
}

/* The sign of an eigenvector is free: its entry largest in size is made positive. */
static void orient(int64_t n, int64_t count, double *vectors) {
    for (int64_t j = 0; j < count; j++) {
        double largest = 0;
        for (int64_t u = 0; u < n; u++)
            if (fabs(vectors[u * count + j]) > fabs(largest)) largest = vectors[u * count + j];
        for (int64_t u = 0; u < n && largest < 0; u++) vectors[u * count + j] *= -1;
    }
}

cafe_status cafe_krylov_solve(cafe_context *context, const cafe_krylov_map *map, int64_t count,
                              double tolerance, double *values, double *vectors,
                              int32_t *converged) {
    krylov k;
    int threads = cafe_blas_single();
    cafe_status status = new_krylov(context, map, count, &k);
    CAFE_TRY(status);
    CAFE_TRY(iterate(context, &k, tolerance, converged));
    for (int64_t j = 0; j < count; j++) values[j] = k.theta[k.order[j]];
    CAFE_TRY(rotate(context, &k, count, count, vectors));
    orient(k.n, count, vectors);
done:
    free_krylov(context, &k);
    cafe_blas_restore(threads);
    return status;
}
