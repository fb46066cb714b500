/* The basis: two projections, a Gram matrix and one rotation over n rows are all its work.
 *
 * All sums over rows are made in parts of a fixed shape: the same bits for any number of threads.
 */
#include "spectral/basis.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/pool.h"
#include "base/random.h"
#include "engine/dense.h"

enum {
    WIDTH = CAFE_BASIS_WIDTH,
    ROWS = 512,     /* of a step of a product of matrices */
    MOST_PARTS = 64 /* of a sum over rows */
};
/* A column of a block is dependent when less than this share of it is new, and has vanished when
 * this share of |M| is left of it. */
static const double dependent = 1e-7, vanished = 1e-13;

cafe_status cafe_basis_new(cafe_context *context, int64_t n, int64_t most, double limit,
                           cafe_basis *b) {
    *b = (cafe_basis){.n = n, .most = most, .limit = limit, .scale = 1e-300};
    b->block = cafe_blocks(cafe_blocks(n, MOST_PARTS), ROWS) * ROWS;
    b->part_count = cafe_blocks(n, b->block);
    b->v = cafe_mem(context, n * most, sizeof *b->v);
    b->p = cafe_mem_zero(context, n * WIDTH, sizeof *b->p);
    b->w = cafe_mem_zero(context, n * WIDTH, sizeof *b->w);
    b->c = cafe_mem(context, most * WIDTH, sizeof *b->c);
    b->parts = cafe_mem(context, b->part_count * most * WIDTH, sizeof *b->parts);
    b->scratch = cafe_mem(context, context->threads * most * ROWS, sizeof *b->scratch);
    return cafe_mem_had(b->v, b->p, b->w, b->c, b->parts, b->scratch);
}

void cafe_basis_free(cafe_context *context, cafe_basis *b) {
    double *all[] = {b->v, b->p, b->w, b->c, b->parts, b->scratch};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) cafe_mem_free(context, all[i]);
}

int64_t cafe_basis_doubles(int64_t n, int64_t most, int64_t threads) {
    return n * (most + 2 * WIDTH) + most * (MOST_PARTS + 1) * WIDTH + threads * most * ROWS;
}

/* ---- tall times small ------------------------------------------------------------------------ */

typedef struct cross_job {
    cafe_basis *basis;
    const double *a; /* NULL: W itself */
    int64_t columns;
} cross_job;

/* sum (columns x WIDTH) = A^T W over the rows of a part; A^T is stored */
static void cross_part(void *argument, int64_t part) {
    const cross_job *job = argument;
    const cafe_basis *b = job->basis;
    int64_t end = cafe_block_end(b->n, b->block, part), first = part * b->block;
    cafe_product x = cafe_product_of(job->columns, WIDTH, 0);
    x.a_row = job->a ? b->n : 1, x.a_inner = job->a ? 1 : WIDTH;
    for (int64_t from = first; from < end; from += ROWS, x.beta = 1) {
        const double *w = b->w + from * WIDTH;
        x.inner = end - from < ROWS ? end - from : ROWS;
        cafe_dense_multiply(&x, job->a ? job->a + from : w, w, b->parts + part * b->most * WIDTH);
    }
}

static cafe_status cross(cafe_context *context, cafe_basis *b, const double *a, int64_t columns,
                         double *out) {
    cross_job job = {b, a, columns};
    CAFE_PASS(cafe_each(context, b->part_count, cross_part, &job));
    memset(out, 0, (size_t)(columns * WIDTH) * sizeof *out);
    for (int64_t p = 0; p < b->part_count; p++)
        for (int64_t i = 0; i < columns * WIDTH; i++) out[i] += b->parts[p * b->most * WIDTH + i];
    return CAFE_OK;
}

/* W <- W - V C */
static void subtract_rows(void *argument, int64_t first, int64_t last) {
    const cafe_basis *b = argument;
    cafe_product x = cafe_product_of(last - first, WIDTH, b->used);
    x.a_row = 1, x.a_inner = b->n, x.alpha = -1, x.beta = 1;
    cafe_dense_multiply(&x, b->v + first, b->c, b->w + first * WIDTH);
}

cafe_status cafe_basis_project(cafe_context *context, cafe_basis *b) {
    if (b->used == 0) return CAFE_OK;
    CAFE_PASS(cross(context, b, b->v, b->used, b->c));
    return cafe_ranges(context, b->n, ROWS, subtract_rows, b);
}

/* ---- the next block -------------------------------------------------------------------------- */

/* W <- W M, M WIDTH x WIDTH */
typedef struct mix_job {
    double *w;
    int64_t n;
    const double *m;
} mix_job;

static void mix_rows(void *argument, int64_t first, int64_t last) {
    const mix_job *job = argument;
    for (int64_t u = first; u < last; u++) {
        double *row = job->w + u * WIDTH, sum[WIDTH] = {0};
        for (int i = 0; i < WIDTH; i++)
            for (int j = 0; j < WIDTH; j++) sum[j] += row[i] * job->m[i * WIDTH + j];
        memcpy(row, sum, sizeof sum);
    }
}

/* How a block is made orthonormal: columns longer than floor[] are kept. */
typedef struct settling {
    double gram[WIDTH * WIDTH], floor[WIDTH];
    double shortest; /* what was new of the column of which least was new */
    bool rest;       /* a column depends on others, but has not vanished */
} settling;

/* M with W M = [P, rest]: P = W[:, kept] R^-1, rest what P leaves of the columns not kept. */
static void make_mixer(int64_t width, const double *r, const int64_t *kept, double *m) {
    double narrow[WIDTH * WIDTH];
    int64_t next = width;
    cafe_dense_orthonormaliser(WIDTH, r, width, kept, narrow);
    memset(m, 0, WIDTH * WIDTH * sizeof *m);
    for (int64_t i = 0; i < WIDTH; i++)
        for (int64_t j = 0; j < width; j++) m[i * WIDTH + j] = narrow[i * width + j];
    for (int64_t d = 0, k = 0; d < WIDTH; d++) {
        if (k < width && kept[k] == d) {
            k++;
            continue;
        }
        m[d * WIDTH + next] = 1;
        for (int64_t i = 0; i < WIDTH; i++)
            for (int64_t j = 0; j < k; j++)
                m[i * WIDTH + next] -= narrow[i * width + j] * r[kept[j] * WIDTH + d];
        next++;
    }
}

static cafe_status orthonormalise(cafe_context *context, cafe_basis *b, settling *s, double least) {
    double r[WIDTH * WIDTH], m[WIDTH * WIDTH];
    int64_t kept[WIDTH];
    CAFE_PASS(cross(context, b, NULL, WIDTH, s->gram));
    memcpy(r, s->gram, sizeof r);
    b->width = cafe_dense_cholesky(WIDTH, r, dependent, s->floor, NULL, kept);
    s->shortest = INFINITY;
    s->rest = false;
    for (int64_t j = 0, i = 0; j < WIDTH; j++) {
        bool is_kept = i < b->width && kept[i] == j;
        if (is_kept) s->shortest = fmin(s->shortest, r[j * WIDTH + j]);
        if (!is_kept) s->rest |= sqrt(s->gram[j * WIDTH + j]) > s->floor[j];
        i += is_kept;
    }
    make_mixer(b->width, r, kept, m);
    for (int64_t j = 0; j < WIDTH; j++) s->floor[j] = j < b->width ? 1e-3 : least;
    mix_job job = {b->w, b->n, m};
    return cafe_ranges(context, b->n, ROWS, mix_rows, &job);
}

static void clear_rest(cafe_basis *b) {
    for (int64_t u = 0; u < b->n && b->width < WIDTH; u++)
        memset(b->w + u * WIDTH + b->width, 0, (size_t)(WIDTH - b->width) * sizeof *b->w);
}

/* Whether W needs a further round.
 *
 * W = M P - V (V^T M P), and V^T M P is 0 but for the last two blocks (and for what a restart has
 * kept). So it is what these two lack in orthogonality that comes into W, made larger by |M| over
 * the length of what is left, as rounding is; the square is that of the Gram matrix (H. Simon 1984
 * has the theory). A further projection takes nearly nothing off a unit vector, and leaves
 * rounding; two blocks in turn get it, since the next depends on both. */
static bool needs_more(cafe_basis *b, const settling *s, int round) {
    double growth = b->scale / s->shortest, loss = 4 * DBL_EPSILON;
    if (round == 0) {
        loss = growth * (fmax(b->loss, b->loss_before) + DBL_EPSILON * growth);
        if (b->repeats == 0 && loss > b->limit) b->repeats = 2;
        if (b->repeats > 0 || s->rest) return true;
    } else {
        if (s->shortest < 0.5 || s->rest) return true;
        if (b->repeats > 0) b->repeats--;
    }
    b->loss_before = b->loss;
    b->loss = loss;
    return false;
}

/* W made orthonormal and orthogonal to V, on which it has been projected once; what is shorter than
 * `least` is left out. `gram` gets W^T W from before. */
static cafe_status settle_block(cafe_context *context, cafe_basis *b, double *gram, double least) {
    enum { MOST_ROUNDS = 6 };
    settling s = {{0}, {0}, 0, true};
    for (int j = 0; j < WIDTH; j++) s.floor[j] = least;
    for (int round = 0; round < MOST_ROUNDS; round++) {
        if (round > 0) CAFE_PASS(cafe_basis_project(context, b));
        CAFE_PASS(orthonormalise(context, b, &s, least));
        if (round == 0) memcpy(gram, s.gram, sizeof s.gram);
        if (b->width == 0 || !needs_more(b, &s, round)) break;
    }
    clear_rest(b);
    return CAFE_OK;
}

void cafe_basis_draw(cafe_context *context, cafe_basis *b) {
    uint64_t first = b->draws++ * (uint64_t)(b->n * WIDTH / 4);
    for (int64_t i = 0; i < b->n * WIDTH / 4; i++) {
        cafe_random4 r = cafe_philox(context->seed, CAFE_STREAM_EIGEN, first + (uint64_t)i);
        for (int j = 0; j < 4; j++) b->w[4 * i + j] = 2 * cafe_uniform_open(r.v[j]) - 1;
    }
}

cafe_status cafe_basis_next(cafe_context *context, cafe_basis *b, double *gram) {
    double unused[WIDTH * WIDTH];
    CAFE_PASS(settle_block(context, b, gram, vanished * b->scale));
    if (b->width == 0) {
        cafe_basis_draw(context, b);
        b->repeats = 2;
        CAFE_PASS(cafe_basis_project(context, b));
        CAFE_PASS(settle_block(context, b, unused, 1e-8));
    }
    double *p = b->p;
    b->p = b->w, b->w = p;
    return CAFE_OK;
}

/* V <- [V P] */
static void append_rows(void *argument, int64_t first, int64_t last) {
    const cafe_basis *b = argument;
    for (int64_t j = 0; j < b->width; j++) {
        double *v = b->v + (b->used + j) * b->n;
        for (int64_t u = first; u < last; u++) v[u] = b->p[u * WIDTH + j];
    }
}

cafe_status cafe_basis_append(cafe_context *context, cafe_basis *b) {
    cafe_status status = cafe_ranges(context, b->n, ROWS, append_rows, b);
    b->used += b->width;
    return status;
}

/* ---- rotation -------------------------------------------------------------------------------- */

typedef struct rotate_job {
    cafe_basis *basis;
    int64_t keep;
    const double *s;
    double *to;
} rotate_job;

static void rotate_rows(void *argument, int64_t block, int32_t worker) {
    const rotate_job *job = argument;
    cafe_basis *b = job->basis;
    int64_t from = block * ROWS, rows = cafe_block_end(b->n, ROWS, block) - from;
    int64_t keep = job->keep;
    double *scratch = b->scratch + worker * b->most * ROWS;
    if (job->to) {
        cafe_product x = cafe_product_of(rows, keep, b->used);
        x.a_row = 1, x.a_inner = b->n;
        cafe_dense_multiply(&x, b->v + from, job->s, job->to + from * keep);
        return;
    }
    /* (V S)^T = S^T V^T */
    cafe_product x = cafe_product_of(keep, rows, b->used);
    x.a_row = 1, x.a_inner = keep, x.b_inner = b->n;
    cafe_dense_multiply(&x, job->s, b->v + from, scratch);
    for (int64_t j = 0; j < keep; j++)
        memcpy(b->v + j * b->n + from, scratch + j * rows, (size_t)rows * sizeof *scratch);
}

cafe_status cafe_basis_rotate(cafe_context *context, cafe_basis *b, int64_t keep, const double *s,
                              double *to) {
    rotate_job job = {b, keep, s, to};
    cafe_status status = cafe_parallel(context, cafe_blocks(b->n, ROWS), rotate_rows, &job);
    if (to) return status;
    b->used = keep;
    b->repeats = 2; /* the next block meets all of V */
    return status;
}
