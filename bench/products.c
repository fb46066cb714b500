/* Products of tall blocks: GFLOP/s of our kernels, one thread, and beside them those of a BLAS.
 *
 *     cafe-products [LIBRARY]      a shared library with CBLAS, as libopenblas.so.0 or libblas.so.3
 *
 * 200,000 rows of K columns, 256 at a time as the engine takes them. Gram matrices in double and
 * single precision, times an upper triangular matrix and times a full one. Then the cost of a block
 * of eight vectors against a basis of 64. The BLAS uses one thread.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kernels/row_kernels.h"

enum { N = 200000, ROWS = 256, WIDEST = 512, BLOCKS = 8, USED = 64, WIDTH = 8 };
enum { ROW_MAJOR = 101, PLAIN = 111, TRANSPOSED = 112, UPPER = 121, NO_UNIT = 131, RIGHT = 142 };

typedef struct blas {
    void (*dsyrk)(int, int, int, int, int, double, const double *, int, double, double *, int);
    void (*ssyrk)(int, int, int, int, int, float, const float *, int, float, float *, int);
    void (*dtrmm)(int, int, int, int, int, int, int, double, const double *, int, double *, int);
    void (*dgemm)(int, int, int, int, int, int, double, const double *, int, const double *, int,
                  double, double *, int);
} blas;

typedef struct arrays {
    double *a, *b, *c; /* BLOCKS x ROWS x K, K x K, ROWS x K or K x K */
    float *fa, *fc;
    int k;
} arrays;

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- one block of rows ----------------------------------------------------------------------- */

static void one(const cafe_products *ours, const blas *theirs, int what, const arrays *x, int i) {
    int k = x->k, at = i % BLOCKS * ROWS * k;
    const double *a = x->a + at;
    const float *fa = x->fa + at;
    cafe_product p = cafe_product_of(ROWS, k, k);
    if (what < 2) {
        p = cafe_product_of(k, k, ROWS);
        p.a_row = 1, p.a_inner = k, p.beta = what == 0, p.shape = CAFE_PRODUCT_SYMMETRIC;
    }
    if (what == 2) p.shape = CAFE_PRODUCT_TRIANGULAR;
    if (ours && what == 1)
        ours->in_single(&p, fa, fa, x->fc);
    else if (ours)
        ours->in_double(&p, a, what == 0 ? a : x->b, x->c);
    else if (what == 0)
        theirs->dsyrk(ROW_MAJOR, UPPER, TRANSPOSED, k, ROWS, 1, a, k, 1, x->c, k);
    else if (what == 1)
        theirs->ssyrk(ROW_MAJOR, UPPER, TRANSPOSED, k, ROWS, 1, fa, k, 0, x->fc, k);
    else if (what == 2)
        memcpy(x->c, a, sizeof *a * (size_t)(ROWS * k)),
            theirs->dtrmm(ROW_MAJOR, RIGHT, UPPER, PLAIN, NO_UNIT, ROWS, k, 1, x->b, k, x->c, k);
    else
        theirs->dgemm(ROW_MAJOR, PLAIN, PLAIN, ROWS, k, k, 1, a, k, x->b, k, 0, x->c, k);
}

/* GFLOP/s of the best of some rounds. */
static double speed(const cafe_products *ours, const blas *theirs, int what, const arrays *x) {
    double best = INFINITY, flops = (what < 3 ? 1.0 : 2.0) * N * x->k * x->k;
    for (int round = 0; round < (x->k < WIDEST ? 3 : 1); round++) {
        double start = seconds();
        for (int i = 0; i < N / ROWS; i++) one(ours, theirs, what, x, i);
        best = fmin(best, seconds() - start);
        memset(x->c, 0, sizeof *x->c * WIDEST * WIDEST);
    }
    return flops / best / 1e9;
}

/* ---- a block of eight against a basis, which stands in rows of N ------------------------------
 */

static double basis_speed(const cafe_products *ours, const blas *theirs, double *v, double *w,
                          double *c) {
    double best = INFINITY;
    for (int round = 0; round < 3; round++) {
        double start = seconds();
        for (int64_t from = 0; from < N; from += ROWS) {
            int rows = (int)(N - from < ROWS ? N - from : ROWS);
            cafe_product x = cafe_product_of(USED, WIDTH, rows),
                         y = cafe_product_of(rows, WIDTH, USED);
            x.a_row = N, x.beta = 1, y.a_row = 1, y.a_inner = N, y.alpha = -1e-9, y.beta = 1;
            if (ours) {
                ours->in_double(&x, v + from, w + from * WIDTH, c);
                ours->in_double(&y, v + from, c, w + from * WIDTH);
                continue;
            }
            theirs->dgemm(ROW_MAJOR, PLAIN, PLAIN, USED, WIDTH, rows, 1, v + from, N,
                          w + from * WIDTH, WIDTH, 1, c, WIDTH);
            theirs->dgemm(ROW_MAJOR, TRANSPOSED, PLAIN, rows, WIDTH, USED, -1e-9, v + from, N, c,
                          WIDTH, 1, w + from * WIDTH, WIDTH);
        }
        best = fmin(best, seconds() - start);
    }
    return 4.0 * N * USED * WIDTH / best / 1e9;
}

/* ---- the table ------------------------------------------------------------------------------- */

static int find(void *library, const char *name, void *function) {
    void *symbol = dlsym(library, name);
    memcpy(function, &symbol, sizeof symbol);
    return symbol != NULL;
}

static int load(const char *name, blas *b) {
    void (*threads)(int);
    void *library = dlopen(name, RTLD_NOW);
    if (!library || !find(library, "cblas_dsyrk", &b->dsyrk) ||
        !find(library, "cblas_ssyrk", &b->ssyrk) || !find(library, "cblas_dtrmm", &b->dtrmm) ||
        !find(library, "cblas_dgemm", &b->dgemm))
        return 0;
    if (find(library, "openblas_set_num_threads", &threads)) threads(1);
    return 1;
}

static void print_row(const char *name, const cafe_products *ours, const blas *theirs,
                      const arrays *x, double *v) {
    static const int columns[] = {32, 128, 512};
    for (int i = 0; i < 3; i++) {
        arrays part = *x;
        part.k = columns[i];
        printf("| %s | %d |", name, part.k);
        for (int what = 0; what < 4; what++) printf(" %.1f |", speed(ours, theirs, what, &part));
        printf("\n");
        fflush(stdout);
    }
    printf("| %s | basis | %.1f | | | |\n", name,
           basis_speed(ours, theirs, v, v + (int64_t)N * USED, x->c));
}

int main(int argc, char **argv) {
    static const char *const names[] = {"plain", "avx2"};
    size_t block = (size_t)BLOCKS * ROWS * WIDEST, square = (size_t)WIDEST * WIDEST;
    arrays x = {malloc(block * sizeof(double)), calloc(square, sizeof(double)),
                calloc(square, sizeof(double)), malloc(block * sizeof(float)),
                calloc(square, sizeof(float)),  0};
    double *v = malloc((size_t)N * (USED + WIDTH) * sizeof *v);
    if (!x.a || !x.b || !x.c || !x.fa || !x.fc || !v) return 1;
    for (size_t i = 0; i < block; i++) x.a[i] = x.fa[i] = (float)(i % 101) / 101 - 0.5f;
    for (size_t i = 0; i < square; i++) x.b[i] = (double)(i % 103) / 1e5;
    for (size_t i = 0; i < (size_t)N * (USED + WIDTH); i++) v[i] = (double)(i % 107) / 107 - 0.5;
    printf("| kernels | K | Gram, double | Gram, single | triangular | full |\n");
    printf("|---|---:|---:|---:|---:|---:|\n");
    blas theirs;
    if (argc > 1 && load(argv[1], &theirs)) print_row(argv[1], NULL, &theirs, &x, v);
    for (int i = 0; i < 2; i++)
        if (cafe_kernels_named(names[i]))
            print_row(names[i], cafe_kernels_named(names[i])->products, NULL, &x, v);
    free(x.a), free(x.b), free(x.c), free(x.fa), free(x.fc), free(v);
    return 0;
}
