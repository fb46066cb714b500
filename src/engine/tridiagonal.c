/* The symmetric eigenproblem in two steps: Householder's reduction to tridiagonal form and the
 * implicit QL algorithm.
 *
 * The reduction works in blocks of columns (Dongarra, Hammarling and Sorensen, J. Comput. Appl.
 * Math. 27, 1989). Within a block the matrix is A - V W^T - W V^T with few columns in V and W. A
 * column of the block needs one product with A; then one product of matrices changes all of A.
 */
#include "engine/tridiagonal.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "engine/reflectors.h"
#include "kernels/row_kernels.h"

enum { BLOCK = 32, TURNS = 80 /* of QL for an eigenvalue; two are usual */ };

/* One step: the reflector H = I - tau v v^T leaves row j two entries. With y = tau A v and
 * w = y - tau/2 <y, v> v,
 *
 *     H A H = A - v y^T - y v^T + tau <y, v> v v^T = A - v w^T - w v^T.
 *
 * V and W have a column for each step of the block, and A itself changes at the block's end.
 */
typedef struct reduction {
    int64_t k;
    double *a, *tau;
    double *pairs;  /* row i: v_i and w_i of the block's columns, [k][2 BLOCK] */
    double *across; /* row p: v or w of column p, [2 BLOCK][k] */
    const cafe_products *products;
} reduction;

static double dot(int64_t count, const double *x, const double *y) {
    double sum[4] = {0};
    for (int64_t i = 0; i < count; i++) sum[i % 4] += x[i] * y[i];
    return (sum[0] + sum[2]) + (sum[1] + sum[3]);
}

/* Column p of V or W: in both layouts. */
static void put(const reduction *r, int64_t p, int64_t from, const double *x) {
    for (int64_t i = from; i < r->k; i++) {
        r->pairs[i * 2 * BLOCK + p] = x[i];
        r->across[p * r->k + i] = x[i];
    }
}

/* The row j of A - V W^T - W V^T from entry j on, for the `done` columns of the block. */
static void renew_row(const reduction *r, int64_t j, int64_t done) {
    double factors[2 * BLOCK];
    const double *row = r->pairs + j * 2 * BLOCK;
    for (int64_t p = 0; p < done; p++) {
        factors[2 * p] = -row[2 * p + 1];
        factors[2 * p + 1] = -row[2 * p];
    }
    r->products->add_rows(2 * done, r->k - j, factors, r->across + j, r->k, r->a + j * r->k + j);
}

/* w = tau (A - V W^T - W V^T) v, then w -= tau/2 <w, v> v: A then becomes A - v w^T - w v^T. */
static void make_partner(const reduction *r, int64_t j, int64_t done, double tau, const double *v,
                         double *w) {
    int64_t k = r->k, from = j + 1, count = k - from;
    double sums[2 * BLOCK] = {0}, factors[2 * BLOCK];
    memset(w, 0, (size_t)k * sizeof *w);
    r->products->add_rows(count, count, v + from, r->a + from * k + from, k, w + from);
    r->products->add_rows(count, 2 * done, v + from, r->pairs + from * 2 * BLOCK, 2 * BLOCK, sums);
    for (int64_t p = 0; p < done; p++) {
        factors[2 * p] = -sums[2 * p + 1];
        factors[2 * p + 1] = -sums[2 * p];
    }
    r->products->add_rows(2 * done, count, factors, r->across + from, k, w + from);
    for (int64_t i = from; i < k; i++) w[i] *= tau;
    double half = -0.5 * tau * dot(count, w + from, v + from);
    for (int64_t i = from; i < k; i++) w[i] += half * v[i];
}

/* Columns first .. first + count - 1. Row j of A keeps the vector of reflector j. */
static void reduce_block(const reduction *r, int64_t first, int64_t count, double *diagonal,
                         double *beside, double *w) {
    int64_t k = r->k;
    memset(r->pairs, 0, (size_t)(k * 2 * BLOCK) * sizeof *r->pairs);
    for (int64_t c = 0; c < count; c++) {
        int64_t j = first + c;
        double *row = r->a + j * k;
        renew_row(r, j, c);
        diagonal[j] = row[j];
        r->tau[j] = cafe_reflector_make(k - j - 1, row + j + 1, 1, &beside[j]);
        memset(row, 0, (size_t)(j + 1) * sizeof *row);
        if (j + 1 == k) return; /* nothing is left */
        make_partner(r, j, c, r->tau[j], row, w);
        put(r, 2 * c, j + 1, row);
        put(r, 2 * c + 1, j + 1, w);
    }
    /* A -= (v0 w0 v1 w1 ...) (w0 v0 w1 v1 ...)^T on what is left */
    int64_t rest = first + count, size = k - rest;
    if (size <= 0) return;
    double *swapped = r->across; /* the block's columns are no longer needed in this layout */
    for (int64_t i = rest; i < k; i++)
        for (int64_t p = 0; p < 2 * count; p++)
            swapped[p * k + i] = r->pairs[i * 2 * BLOCK + (p ^ 1)];
    cafe_product x = cafe_product_of(size, size, 2 * count);
    x.a_row = 2 * BLOCK;
    x.b_inner = k;
    x.c_row = k;
    x.alpha = -1;
    x.beta = 1;
    r->products->in_double(&x, r->pairs + rest * 2 * BLOCK, swapped + rest, r->a + rest * k + rest);
}

/* The last column has no reflector. */
cafe_status cafe_tridiagonal_reduce(cafe_context *context, int64_t k, double *a, double *diagonal,
                                    double *beside) {
    reduction r = {.k = k, .a = a, .products = cafe_kernels_best()->products};
    cafe_status status = CAFE_OK;
    double *w = cafe_mem(context, k, sizeof *w), *q = NULL;
    r.tau = cafe_mem(context, k, sizeof *r.tau);
    r.pairs = cafe_mem(context, k * 2 * BLOCK, sizeof *r.pairs);
    r.across = cafe_mem(context, k * 2 * BLOCK, sizeof *r.across);
    CAFE_TRY(cafe_mem_had(w, r.tau, r.pairs, r.across));
    for (int64_t first = 0; first < k; first += BLOCK)
        reduce_block(&r, first, k - first < BLOCK ? k - first : BLOCK, diagonal, beside, w);
    q = cafe_mem(context, k * k, sizeof *q);
    CAFE_TRY(cafe_mem_had(q));
    CAFE_TRY(cafe_reflectors_product(context, k - 1, k, a, r.tau, k, q));
    memcpy(a, q, (size_t)(k * k) * sizeof *a);
done:
    cafe_mem_free_all(context, w, r.tau, r.pairs, r.across, q);
    return status;
}

/* ---- QL -------------------------------------------------------------------------------------- */

/* A turn of QL on the entries l .. m of a matrix T that splits there. The shift is Wilkinson's, the
 * eigenvalue of the first 2 x 2 that is nearer to d_l:
 *
 *     shift = d_l - e_l / (g + sign(g) sqrt(g^2 + 1)),   g = (d_(l+1) - d_l) / (2 e_l).
 *
 * With T - shift = Q L the turn takes T to Q^T T Q, which is tridiagonal again, and forms neither Q
 * nor L. The first rotation, of rows and columns m - 1 and m, is that of Q. It adds an entry
 * outside the three diagonals. The rotations i = m - 2 .. l move this entry up and out. The
 * eigenvectors of T are Q times those of Q^T T Q: r collects c and s of every rotation.
 */
static void turn(int64_t l, int64_t m, double *d, double *e, cafe_rotations *r) {
    double *pairs = r ? cafe_rotations_room(r) : NULL;
    double g = (d[l + 1] - d[l]) / (2 * e[l]), length = sqrt(g * g + 1);
    g = d[m] - d[l] + e[l] / (g + copysign(length, g)); /* less Wilkinson's shift */
    double s = 1, c = 1, p = 0;
    int64_t i = m - 1;
    for (; i >= l; i--) {
        double f = s * e[i], b = c * e[i];
        length = sqrt(f * f + g * g);
        e[i + 1] = length;
        if (length == 0) { /* it splits here */
            d[i + 1] -= p;
            e[m] = 0;
            break;
        }
        s = f / length;
        c = g / length;
        g = d[i + 1] - p;
        double t = (d[i] - g) * s + 2 * c * b;
        p = s * t;
        d[i + 1] = g + p;
        g = c * t - b;
        if (pairs) {
            pairs[2 * (i - l)] = c;
            pairs[2 * (i - l) + 1] = -s;
        }
    }
    if (pairs && i + 1 < m) {
        if (i >= l)
            memmove(pairs, pairs + 2 * (i + 1 - l), (size_t)(2 * (m - 1 - i)) * sizeof *pairs);
        cafe_rotations_keep(r, i + 1, m - 1 - i, true);
    }
    if (i >= l) return;
    d[l] -= p;
    e[l] = g;
    e[m] = 0;
}

/* T splits at entry e_m, which counts as 0, if
 *
 *     |e_m| <= eps (|d_m| + |d_(m+1)|)   or   |e_m| <= eps/16 max_i (|d_i| + |e_i|).
 *
 * Setting e_m to 0 moves no eigenvalue by more than |e_m| (Weyl): the error is below one rounding
 * of the norm of T. Turns on l .. m then make e_l small, with cubic convergence.
 */
bool cafe_tridiagonal_solve(int64_t k, double *d, double *e, cafe_rotations *r) {
    double largest = 0;
    if (k > 0) e[k - 1] = 0;
    for (int64_t i = 0; i < k; i++) {
        if (!(fabs(d[i]) + fabs(e[i]) <= DBL_MAX)) return false;
        if (fabs(d[i]) + fabs(e[i]) > largest) largest = fabs(d[i]) + fabs(e[i]);
    }
    for (int64_t l = 0; l < k; l++)
        for (int turns = 0;; turns++) {
            int64_t m = l;
            for (; m + 1 < k; m++) {
                double beside = fabs(d[m]) + fabs(d[m + 1]), entry = fabs(e[m]);
                if (entry <= DBL_EPSILON * beside || entry <= DBL_EPSILON / 16 * largest) break;
            }
            if (m == l) break;
            if (turns == TURNS) return false;
            turn(l, m, d, e, r);
        }
    return true;
}
