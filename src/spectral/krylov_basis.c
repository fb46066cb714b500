/* The basis: projections, a Gram matrix and one rotation over n rows are all its work.
 *
 * V is read by whole blocks of eight columns, which is how products want and leave them: nothing is
 * copied. All sums over rows are made in parts of a fixed shape: the same bits for any number of
 * threads. If several processes have the rows, the part of a piece of rows in a sum is rounded to a
 * grid (kernels/sum_shapes.h). The sum then does not depend on the order: the bits are the same for
 * any number of processes.
 */
#include "spectral/krylov_basis.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "base/thread_pool.h"
#include "engine/dense.h"

enum {
    WIDTH = CAFE_BASIS_WIDTH,
    SQUARE = WIDTH * WIDTH,
    ROWS = 512,      /* of W that stay in the cache while V passes */
    TURNED = 64,     /* rows of V that are rotated at a time */
    MOST_PARTS = 64, /* of a sum over rows */
};

/* What the number format allows. A column of a block has vanished if only `vanished` of |M| is left
 * of it. It is dependent on the others if less than `dependent` of it is new, and is projected once
 * more if less than `doubtful` is. */
typedef struct limits {
    double vanished, dependent, doubtful;
    double
        squares; /* what V lacks in orthogonality: a share of |w|^2 that a projection may leave */
} limits;

static limits limits_of(const cafe_basis *b) {
    return b->kind->size == sizeof(float) ? (limits){1e-6, 1e-3, 0.05, 1e-4}
                                          : (limits){1e-13, 1e-7, 1e-4, 1e-8};
}

cafe_status cafe_basis_new(cafe_context *context, const cafe_owned *rows, int64_t most, bool single,
                           cafe_basis *b) {
    const cafe_eights *kind = cafe_kernels_best()->eights[single ? 0 : 1];
    int64_t n = rows->own, step = rows->engine ? rows->piece : ROWS;
    *b = (cafe_basis){.kind = kind, .rows = rows, .n = n, .most = most, .scale = 1e-300};
    b->step_rows = step;
    b->block = cafe_blocks(cafe_blocks(n > 0 ? n : 1, MOST_PARTS), step) * step;
    b->part_count = cafe_blocks(n, b->block);
    b->v = cafe_mem(context, n * (most + WIDTH), kind->size);
    b->w = cafe_mem(context, n * WIDTH, kind->size);
    b->c = cafe_mem(context, most * WIDTH, sizeof *b->c);
    b->step = cafe_mem(context, most * WIDTH, sizeof *b->step);
    b->parts = cafe_mem(context, b->part_count * (most + WIDTH) * WIDTH, sizeof *b->parts);
    b->narrow = cafe_mem(context, most * most, kind->size);
    b->scratch = cafe_mem(context, context->threads * most * TURNED, kind->size);
    cafe_status status = cafe_mem_had(b->v, b->w, b->c, b->step, b->parts, b->narrow);
    return b->scratch ? status : CAFE_ERROR_MEMORY;
}

void cafe_basis_free(cafe_context *context, cafe_basis *b) {
    void *all[] = {b->v, b->w, b->c, b->step, b->parts, b->narrow, b->scratch};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) cafe_mem_free(context, all[i]);
    *b = (cafe_basis){.scale = b->scale};
}

int64_t cafe_basis_bytes(int64_t n, int64_t most, bool single, int64_t threads) {
    int64_t tall = n * (most + 2 * WIDTH) + threads * most * TURNED + most * most;
    int64_t sums = (most + WIDTH) * WIDTH * (MOST_PARTS + 2);
    return tall * (int64_t)(single ? sizeof(float) : sizeof(double)) +
           sums * (int64_t)sizeof(double);
}

/* Row u of block `block` of V. */
static void *at(const cafe_basis *b, int64_t block, int64_t u) {
    return (char *)b->v + (block * b->n + u) * WIDTH * b->kind->size;
}

static void *row_of(const cafe_basis *b, void *block, int64_t u) {
    return (char *)block + u * WIDTH * b->kind->size;
}

void *cafe_basis_block(const cafe_basis *b) {
    return at(b, b->used / WIDTH, 0);
}

/* to = sign x, in V's numbers */
static void put(const cafe_basis *b, int64_t count, double sign, const double *x, void *to) {
    for (int64_t i = 0; i < count; i++)
        if (b->kind->size == sizeof(float))
            ((float *)to)[i] = (float)(sign * x[i]);
        else
            ((double *)to)[i] = sign * x[i];
}

/* ---- projections ----------------------------------------------------------------------------- */

/* On the blocks first .. last - 1 of V. */
typedef struct project_job {
    cafe_basis *basis;
    int64_t first, last;
    double unit[WIDTH]; /* of each column of W, where processes share the rows */
} project_job;

static double *part_of(const cafe_basis *b, int64_t part) {
    return b->parts + part * (b->most + WIDTH) * WIDTH;
}

/* The sum of the parts, entry by entry, over all processes. */
static cafe_status add_parts(cafe_context *context, const cafe_basis *b, int64_t count,
                             double *out) {
    memset(out, 0, (size_t)count * sizeof *out);
    for (int64_t p = 0; p < b->part_count; p++)
        for (int64_t i = 0; i < count; i++) out[i] += part_of(b, p)[i];
    return cafe_owned_add(context, b->rows, count, out);
}

/* Powers of two that are no less than the lengths of the columns of W, and a little more. */
static void set_units(project_job *job) {
    for (int64_t j = 0; j < WIDTH; j++) {
        int exponent;
        frexp(1.1 * sqrt(job->basis->squares[j]), &exponent);
        job->unit[j] = ldexp(1, exponent);
    }
}

/* sum += A^T W over some rows; A is W, or of V, whose columns are of length 1. No sum over rows is
 * larger than the two lengths multiplied, so that 3 times as much makes the grid. */
static void add_cross(const project_job *job, int64_t rows, const void *a, const void *w,
                      double *sum) {
    const cafe_basis *b = job->basis;
    double some[SQUARE] = {0};
    if (!b->rows->engine) {
        b->kind->cross(rows, a, w, sum);
        return;
    }
    b->kind->cross(rows, a, w, some);
    for (int64_t i = 0; i < WIDTH; i++)
        for (int64_t j = 0; j < WIDTH; j++) {
            double three = 3 * job->unit[j] * (a == w ? job->unit[i] : 1);
            sum[i * WIDTH + j] += (some[i * WIDTH + j] + three) - three;
        }
}

/* V^T W over the rows of a part */
static void cross_part(void *argument, int64_t part) {
    const project_job *job = argument;
    const cafe_basis *b = job->basis;
    int64_t end = cafe_block_end(b->n, b->block, part);
    memset(part_of(b, part), 0, (size_t)((job->last - job->first) * SQUARE) * sizeof(double));
    for (int64_t u = part * b->block; u < end; u += b->step_rows)
        for (int64_t i = job->first; i < job->last; i++)
            add_cross(job, end - u < b->step_rows ? end - u : b->step_rows, at(b, i, u),
                      row_of(b, b->w, u), part_of(b, part) + (i - job->first) * SQUARE);
}

/* W <- W - V C, and W^T W of what is left, over the rows of a part */
static void subtract_part(void *argument, int64_t part) {
    const project_job *job = argument;
    const cafe_basis *b = job->basis;
    int64_t end = cafe_block_end(b->n, b->block, part);
    memset(part_of(b, part), 0, SQUARE * sizeof(double));
    for (int64_t u = part * b->block; u < end; u += b->step_rows) {
        int64_t rows = end - u < b->step_rows ? end - u : b->step_rows;
        void *w = row_of(b, b->w, u);
        if (job->last > job->first)
            b->kind->combine(rows, job->last - job->first, at(b, job->first, u), b->n * WIDTH,
                             b->narrow, 1, w);
        add_cross(job, rows, w, w, part_of(b, part));
    }
}

/* sums_j += sum over u of w_uj^2 */
static void add_squares(void *argument, int64_t first, int64_t last, double *sums) {
    const cafe_basis *b = argument;
    for (int64_t i = first * WIDTH; i < last * WIDTH; i++) {
        double x = b->kind->size == sizeof(float) ? ((float *)b->w)[i] : ((double *)b->w)[i];
        sums[i % WIDTH] += x * x;
    }
}

/* The lengths of the columns of W, which is new, where the sums need them. */
static cafe_status find_lengths(cafe_context *context, cafe_basis *b) {
    if (!b->rows->engine) return CAFE_OK;
    memset(b->squares, 0, sizeof b->squares);
    return cafe_owned_sums(context, b->rows, 0, add_squares, b, WIDTH, b->squares);
}

/* |w - V V^T w|^2 = |w|^2 - |V^T w|^2 */
static void shorten(cafe_basis *b, int64_t count) {
    for (int64_t j = 0; j < WIDTH; j++) {
        double square = b->squares[j];
        for (int64_t i = j; i < count; i += WIDTH) square -= b->step[i] * b->step[i];
        b->squares[j] = fmax(square, limits_of(b).squares * b->squares[j]);
    }
}

/* W <- W - V (V^T W) for the columns of V from `first` on; c += V^T W. */
static cafe_status project_on(cafe_context *context, cafe_basis *b, int64_t first) {
    project_job job = {b, first / WIDTH, b->used / WIDTH, {0}};
    int64_t count = (b->used - first) * WIDTH;
    set_units(&job);
    if (count > 0) {
        CAFE_PASS(cafe_each(context, b->part_count, cross_part, &job));
        CAFE_PASS(add_parts(context, b, count, b->step));
        for (int64_t i = 0; i < count; i++) b->c[first * WIDTH + i] += b->step[i];
        put(b, count, -1, b->step, b->narrow);
        shorten(b, count);
        set_units(&job);
    }
    CAFE_PASS(cafe_each(context, b->part_count, subtract_part, &job));
    return add_parts(context, b, SQUARE, b->gram);
}

/* W^T W alone. */
static cafe_status measure(cafe_context *context, cafe_basis *b) {
    CAFE_PASS(find_lengths(context, b));
    return project_on(context, b, b->used);
}

/* Of M P, V^T M P is 0 but for the last two blocks (and for all that a restart has kept). These are
 * taken off first. A projection leaves what it takes off times what V lacks in orthogonality, and
 * the one on all of V takes off nearly nothing. */
cafe_status cafe_basis_project(cafe_context *context, cafe_basis *b) {
    memset(b->c, 0, (size_t)(b->used * WIDTH) * sizeof *b->c);
    CAFE_PASS(find_lengths(context, b));
    if (b->used > 0) CAFE_PASS(project_on(context, b, b->near));
    return project_on(context, b, 0);
}

/* ---- the next block -------------------------------------------------------------------------- */

/* How a block is made orthonormal. */
typedef struct settling {
    double floor[WIDTH]; /* columns longer than this are kept */
    int64_t width;       /* columns that are kept: they come first */
    int64_t filled;      /* columns that have not vanished */
    double share;        /* of a column that is new, at least */
    bool good;           /* nothing was so short that rounding shows in it */
} settling;

/* M with W M = [P, rest]: P = W[:, kept] R^-1, rest what P leaves of the columns not kept. */
static void make_mixer(int64_t width, const double *r, const int64_t *kept, double *m) {
    double inverse[SQUARE];
    int64_t next = width;
    cafe_dense_orthonormaliser(WIDTH, r, width, kept, inverse);
    memset(m, 0, SQUARE * sizeof *m);
    for (int64_t i = 0; i < WIDTH; i++)
        for (int64_t j = 0; j < width; j++) m[i * WIDTH + j] = inverse[i * width + j];
    for (int64_t d = 0, k = 0; d < WIDTH; d++) {
        if (k < width && kept[k] == d) {
            k++;
            continue;
        }
        m[d * WIDTH + next] = 1;
        for (int64_t i = 0; i < WIDTH; i++)
            for (int64_t j = 0; j < k; j++)
                m[i * WIDTH + next] -= inverse[i * width + j] * r[kept[j] * WIDTH + d];
        next++;
    }
}

/* The mixer of W's Gram matrix, and what is known of its columns. Columns that have vanished come
 * last, as zeros. */
static void plan(const cafe_basis *b, settling *s, double least, double *m) {
    double r[SQUARE], shortest = INFINITY, share = 1;
    int64_t kept[WIDTH], rest = 0;
    memcpy(r, b->gram, sizeof r);
    s->width = cafe_dense_cholesky(WIDTH, r, limits_of(b).dependent, s->floor, NULL, kept);
    make_mixer(s->width, r, kept, m);
    for (int64_t i = 0; i < s->width; i++) {
        int64_t j = kept[i] * (WIDTH + 1);
        shortest = fmin(shortest, r[j] / s->floor[kept[i]]);
        share = fmin(share, r[j] / sqrt(b->gram[j]));
    }
    for (int64_t j = 0, i = 0; j < WIDTH; j++) {
        if (i < s->width && kept[i] == j) {
            i++;
            continue;
        }
        bool lives = sqrt(b->gram[j * WIDTH + j]) > s->floor[j];
        for (int64_t k = 0; k < WIDTH; k++)
            m[k * WIDTH + s->width + rest] = lives ? m[k * WIDTH + s->width + j - i] : 0;
        rest += lives;
    }
    for (int64_t k = 0; k < WIDTH; k++)
        for (int64_t j = s->width + rest; j < WIDTH; j++) m[k * WIDTH + j] = 0;
    s->filled = s->width + rest;
    s->share = share;
    s->good = s->width == WIDTH && shortest > 500 && share > limits_of(b).doubtful;
    for (int64_t j = 0; j < WIDTH; j++) s->floor[j] = j < s->width ? 1e-3 : least;
}

typedef struct mix_job {
    const cafe_basis *basis;
    const void *mixer;
    void *to;
} mix_job;

/* to = W M */
static void mix_rows(void *argument, int64_t first, int64_t last) {
    const mix_job *job = argument;
    const cafe_basis *b = job->basis;
    b->kind->combine(last - first, 1, row_of(b, b->w, first), 0, job->mixer, 0,
                     row_of(b, job->to, first));
}

typedef struct draw_job {
    const cafe_basis *basis;
    uint64_t seed, first;
    int64_t from; /* the first column that is drawn */
} draw_job;

/* w_uj uniform in (-1, 1): numbers 2 u and 2 u + 1 of the stream have columns 0 .. 3 and 4 .. 7 of
 * row u. They depend on the id of the row, not on the process. */
static void draw_rows(void *argument, int64_t first, int64_t last) {
    const draw_job *job = argument;
    const cafe_basis *b = job->basis;
    for (int64_t i = 2 * first; i < 2 * last; i++) {
        int64_t place = 2 * cafe_owned_row(b->rows, i / 2) + i % 2;
        cafe_random4 r = cafe_philox(job->seed, CAFE_STREAM_EIGEN, job->first + (uint64_t)place);
        for (int64_t j = 0; j < 4; j++) {
            double x = 2 * cafe_uniform_open(r.v[j]) - 1;
            void *to = (char *)b->w + (4 * i + j) * b->kind->size;
            if (i % 2 * 4 + j >= job->from) put(b, 1, 1, &x, to);
        }
    }
}

/* Columns from .. 7 of W at random. */
static cafe_status draw(cafe_context *context, cafe_basis *b, int64_t from) {
    draw_job job = {b, context->seed, b->draws++ * 2 * (uint64_t)b->rows->n, from};
    return cafe_ranges(context, b->n, ROWS, draw_rows, &job);
}

cafe_status cafe_basis_draw(cafe_context *context, cafe_basis *b) {
    return draw(context, b, 0);
}

/* W becomes orthonormal twice, since the Gram matrix has the squares of its lengths; in between it
 * is projected when it was not good. */
cafe_status cafe_basis_next(cafe_context *context, cafe_basis *b) {
    enum { MOST_ROUNDS = 8 };
    double m[SQUARE], mixer[SQUARE], least = fmax(limits_of(b).vanished * b->scale, 1e-290);
    settling s = {.good = false};
    for (int j = 0; j < WIDTH; j++) s.floor[j] = least;
    for (int round = 0, last = 0; !last; round++) {
        if (round > 0) CAFE_PASS(s.good ? measure(context, b) : cafe_basis_project(context, b));
        plan(b, &s, least, m);
        last = (s.good && (round > 0 || s.share > 0.5)) || round == MOST_ROUNDS - 1;
        put(b, SQUARE, 1, m, mixer);
        mix_job job = {b, mixer, last ? cafe_basis_block(b) : b->w};
        CAFE_PASS(cafe_ranges(context, b->n, ROWS, mix_rows, &job));
        if (!last && s.filled < WIDTH) CAFE_PASS(draw(context, b, s.filled));
    }
    return CAFE_OK;
}

/* The first block after a restart meets all of V, as the second does not. */
void cafe_basis_append(cafe_basis *b) {
    b->used += WIDTH;
    b->near = b->turned || b->used < 2 * WIDTH ? 0 : b->used - 2 * WIDTH;
    b->turned = false;
}

/* ---- rotation -------------------------------------------------------------------------------- */

typedef struct rotate_job {
    cafe_basis *basis;
    int64_t keep, blocks;
    double *to;
} rotate_job;

/* Row u of V S to row-major doubles. */
static void write_row(const rotate_job *job, const void *turned, int64_t rows, int64_t row,
                      double *to) {
    for (int64_t j = 0; j < job->keep; j++) {
        int64_t i = (j / WIDTH * rows + row) * WIDTH + j % WIDTH;
        to[j] = job->basis->kind->size == sizeof(float) ? ((const float *)turned)[i]
                                                        : ((const double *)turned)[i];
    }
}

/* V_block <- V_block S for TURNED rows at a time: the result is computed in scratch, then
 * overwrites V, or goes to the caller. */
static void rotate_rows(void *argument, int64_t block, int32_t worker) {
    const rotate_job *job = argument;
    cafe_basis *b = job->basis;
    int64_t from = block * TURNED, rows = cafe_block_end(b->n, TURNED, block) - from;
    int64_t size = b->kind->size, bytes = rows * WIDTH * size;
    char *scratch = (char *)b->scratch + worker * b->most * TURNED * size;
    for (int64_t j = 0; j < job->blocks; j++)
        b->kind->combine(rows, b->used / WIDTH, at(b, 0, from), b->n * WIDTH,
                         (char *)b->narrow + j * b->used * WIDTH * size, 0, scratch + j * bytes);
    for (int64_t j = 0; !job->to && j < job->blocks; j++)
        memcpy(at(b, j, from), scratch + j * bytes, (size_t)bytes);
    if (!job->to && job->keep < b->used) /* P stays after V */
        memcpy(at(b, job->blocks, from), at(b, b->used / WIDTH, from), (size_t)bytes);
    for (int64_t u = 0; job->to && u < rows; u++)
        write_row(job, scratch, rows, u, job->to + (from + u) * job->keep);
}

/* S by blocks of eight columns, one after the other; columns that are missing at the end are 0. */
static void cut(cafe_basis *b, int64_t keep, int64_t blocks, const double *s) {
    for (int64_t j = 0; j < blocks; j++)
        for (int64_t i = 0; i < b->used; i++) {
            double row[WIDTH] = {0};
            for (int64_t k = 0; k < WIDTH && j * WIDTH + k < keep; k++)
                row[k] = s[i * keep + j * WIDTH + k];
            put(b, WIDTH, 1, row, (char *)b->narrow + (j * b->used + i) * WIDTH * b->kind->size);
        }
}

/* V <- V S. If S has orthonormal columns, so has V S; rounding adds a multiple of eps to V^T V - I.
 */
cafe_status cafe_basis_rotate(cafe_context *context, cafe_basis *b, int64_t keep, const double *s,
                              double *to) {
    rotate_job job = {b, keep, cafe_blocks(keep, WIDTH), to};
    cut(b, keep, job.blocks, s);
    cafe_status status = cafe_parallel(context, cafe_blocks(b->n, TURNED), rotate_rows, &job);
    if (to) return status;
    b->used = keep;
    b->near = 0;
    b->turned = true;
    return status;
}

cafe_status cafe_basis_renew(cafe_context *context, cafe_basis *b, const double *s) {
    CAFE_PASS(cafe_basis_rotate(context, b, WIDTH, s, NULL));
    b->used = 0;
    b->scale = 1e-300;
    return CAFE_OK;
}
