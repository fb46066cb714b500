/* The singular value decomposition of Golub and Reinsch (Numer. Math. 14, 1970): Householder's
 * reduction to bidiagonal form, then implicit QR steps on the bidiagonal matrix.
 *
 * The reduction passes over the matrix twice a column. One pass applies the reflectors from the
 * left and from the right, the other forms the product that the next reflector needs.
 */
#include "engine/bidiagonal.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "engine/reflectors.h"
#include "engine/rotations.h"
#include "kernels/row_kernels.h"

enum { TURNS = 80 /* of QR for a value; two are usual */ };

typedef struct pair {
    int64_t m, n;
    double *a, *d, *e;         /* the matrix; the bidiagonal one: e[i] is right of d[i] */
    double *left, *left_tau;   /* vectors of the reflectors from the left, [n][m] */
    double *right, *right_tau; /* from the right, [n][n] */
    double *w;
    cafe_rotations u, v;
    bool vectors;
} pair;

/* ---- reduction ------------------------------------------------------------------------------- */

/* Column i gives v from the left, row i gives u from the right. With w = tau A^T v, the matrix
 * behind both becomes
 *
 *     A <- (I - tau v v^T) A (I - tau' u u^T) = (A - v w^T) (I - tau' u u^T).
 *
 * Row i of A - v w^T is a_i - w, because v_i = 1, and u follows from it alone.
 */
static void reduce_column(pair *p, int64_t i) {
    const cafe_products *products = cafe_kernels_best()->products;
    int64_t m = p->m, n = p->n, behind = n - i - 1;
    double *v = p->left + i * m, *u = p->right + i * n, *row = p->a + i * n;
    memset(v, 0, (size_t)m * sizeof *v);
    memset(u, 0, (size_t)n * sizeof *u);
    for (int64_t r = i; r < m; r++) v[r] = p->a[r * n + i];
    double tau = p->left_tau[i] = cafe_reflector_make(m - i, v + i, 1, &p->d[i]);
    p->e[i] = p->right_tau[i] = 0;
    if (behind == 0) return;
    memset(p->w, 0, (size_t)n * sizeof *p->w);
    products->add_rows(m - i, behind, v + i, row + i + 1, n, p->w);
    for (int64_t j = 0; j < behind; j++) p->w[j] *= tau;
    for (int64_t j = 0; j < behind; j++) u[i + 1 + j] = row[i + 1 + j] - p->w[j];
    p->right_tau[i] = cafe_reflector_make(behind, u + i + 1, 1, &p->e[i]);
    products->reflect(m - i - 1, behind, v + i + 1, p->w, p->right_tau[i], u + i + 1,
                      row + n + i + 1, n);
}

/* A = U B V^T with the bidiagonal B. U has the first n columns of the product of the reflectors
 * from the left, V is the product of those from the right. Both begin to collect the rotations of
 * QR. */
static cafe_status take_columns(cafe_context *context, pair *p) {
    double *q = cafe_mem(context, p->m * p->n, sizeof *q);
    cafe_status status = CAFE_OK;
    CAFE_TRY(cafe_mem_had(q));
    CAFE_TRY(cafe_reflectors_product(context, p->n, p->m, p->left, p->left_tau, p->n, q));
    CAFE_TRY(cafe_rotations_create(context, p->m, p->n, q, &p->u));
    /* the vectors from the right begin one entry later: reflector i has zeros before i + 1 */
    CAFE_TRY(cafe_reflectors_product(context, p->n - 1, p->n, p->right, p->right_tau, p->n, q));
    CAFE_TRY(cafe_rotations_create(context, p->n, p->n, q, &p->v));
done:
    cafe_mem_free(context, q);
    return status;
}

/* ---- QR -------------------------------------------------------------------------------------- */

/* Makes (f, g) to (length, 0). */
static double rotation(double f, double g, double *c, double *s) {
    double length = sqrt(f * f + g * g);
    *c = length > 0 ? f / length : 1;
    *s = length > 0 ? g / length : 0;
    return length;
}

/* d[k] is 0: its row becomes 0 by rotations of U. */
static void clear_row(pair *p, int64_t k, int64_t last) {
    double c, s, f = p->e[k];
    p->e[k] = 0;
    for (int64_t j = k + 1; j <= last && f != 0; j++) {
        p->d[j] = rotation(p->d[j], f, &c, &s);
        if (p->vectors) cafe_rotations_turn(&p->u, j, k, c, s);
        f = -s * p->e[j];
        p->e[j] *= c;
    }
}

/* d[last] is 0: its column becomes 0 by rotations of V. */
static void clear_column(pair *p, int64_t first, int64_t last) {
    double c, s, f = p->e[last - 1];
    p->e[last - 1] = 0;
    for (int64_t j = last - 1; j >= first && f != 0; j--) {
        p->d[j] = rotation(p->d[j], f, &c, &s);
        if (p->vectors) cafe_rotations_turn(&p->v, j, last, c, s);
        if (j == first) break;
        f = -s * p->e[j - 1];
        p->e[j - 1] *= c;
    }
}

/* The first entry of B^T B less the shift: the eigenvalue of its last 2 x 2 that is nearer to the
 * last entry (Wilkinson). */
static double begin_step(const pair *p, int64_t first, int64_t last) {
    double x = p->d[last], y = p->d[last - 1], z = p->e[last - 1];
    double b = ((y + x) * (y - x) + z * z) / 2, c = x * z * (x * z), shift = 0;
    if (b != 0 || c != 0) shift = c / (b + copysign(sqrt(b * b + c), b));
    return (p->d[first] + x) * (p->d[first] - x) + shift;
}

/* A step of QR for B^T B - shift on the entries first .. last. It forms no B^T B: a square would
 * lose digits of the small singular values. For each j
 *
 *     a rotation of columns j, j + 1 (of V) clears entry (j-1, j+1) and fills (j+1, j),
 *     a rotation of rows j, j + 1 (of U) clears entry (j+1, j) and fills (j, j+2),
 *
 * and g is the entry outside the two diagonals. The first rotation is that of QR with the shift. By
 * the implicit Q theorem all others are then those of QR as well.
 */
static void step(pair *p, int64_t first, int64_t last) {
    double *d = p->d, *e = p->e, c, s;
    double *u = p->vectors ? cafe_rotations_room(&p->u) : NULL;
    double *v = p->vectors ? cafe_rotations_room(&p->v) : NULL;
    double f = begin_step(p, first, last), g = d[first] * e[first];
    for (int64_t j = first; j < last; j++) {
        double length = rotation(f, g, &c, &s);
        if (j > first) e[j - 1] = length;
        f = c * d[j] + s * e[j];
        e[j] = c * e[j] - s * d[j];
        g = s * d[j + 1];
        d[j + 1] *= c;
        if (v) v[2 * (j - first)] = c, v[2 * (j - first) + 1] = s;
        d[j] = rotation(f, g, &c, &s);
        f = c * e[j] + s * d[j + 1];
        d[j + 1] = c * d[j + 1] - s * e[j];
        if (j + 1 < last) {
            g = s * e[j + 1];
            e[j + 1] *= c;
        }
        if (u) u[2 * (j - first)] = c, u[2 * (j - first) + 1] = s;
    }
    e[last - 1] = f;
    if (!p->vectors) return;
    cafe_rotations_keep(&p->u, first, last - first, false);
    cafe_rotations_keep(&p->v, first, last - first, false);
}

/* The largest entry; -1: one is no number. */
static double largest_of(const pair *p) {
    double largest = 0;
    for (int64_t i = 0; i < p->n; i++) {
        double size = fabs(p->d[i]) + fabs(p->e[i]);
        if (!(size <= DBL_MAX)) return -1;
        if (size > largest) largest = size;
    }
    return largest;
}

/* An entry e_i counts as 0 by the rule of cafe_tridiagonal_solve(), and B splits there. A block
 * with a zero d_i is singular: rotations clear the row of this d_i, or its column if it is the
 * last, and B splits. Every other block takes a step until its last e_i is 0. */
static bool diagonalise(pair *p) {
    double largest = largest_of(p), least = DBL_EPSILON / 16 * largest, *d = p->d, *e = p->e;
    int turns = 0;
    if (largest < 0) return false;
    for (int64_t last = p->n - 1; last > 0;) {
        int64_t first = last, zero = -1;
        for (; first > 0; first--) {
            double beside = fabs(d[first]) + fabs(d[first - 1]), entry = fabs(e[first - 1]);
            if (entry <= DBL_EPSILON * beside || entry <= least) {
                e[first - 1] = 0;
                break;
            }
        }
        if (first == last) {
            last--;
            turns = 0;
            continue;
        }
        if (turns++ == TURNS) return false;
        for (int64_t i = last; i >= first && zero < 0; i--)
            if (fabs(d[i]) <= least) zero = i;
        if (zero >= 0) d[zero] = 0;
        if (zero == last)
            clear_column(p, first, last);
        else if (zero >= 0)
            clear_row(p, zero, last);
        else
            step(p, first, last);
    }
    return true;
}

/* ---- all ------------------------------------------------------------------------------------- */

/* Values descend and are positive; a negative one turns the column of V. */
static void hand_over(const pair *p, double *values, double *u, double *v) {
    bool *taken = (bool *)p->w;
    memset(taken, 0, (size_t)p->n);
    for (int64_t j = 0; j < p->n; j++) {
        int64_t best = -1;
        for (int64_t i = 0; i < p->n; i++)
            if (!taken[i] && (best < 0 || fabs(p->d[i]) > fabs(p->d[best]))) best = i;
        taken[best] = true;
        values[j] = fabs(p->d[best]);
        for (int64_t i = 0; u && i < p->m; i++)
            u[i * p->n + j] = cafe_rotations_entry(&p->u, i, best);
        double sign = p->d[best] < 0 ? -1 : 1;
        for (int64_t i = 0; v && i < p->n; i++)
            v[i * p->n + j] = sign * cafe_rotations_entry(&p->v, i, best);
    }
}

cafe_status cafe_bidiagonal_svd(cafe_context *context, int64_t rows, int64_t columns, double *a,
                                double *values, double *u, double *v) {
    pair p = {.m = rows, .n = columns, .a = a, .vectors = u || v};
    cafe_status status = CAFE_OK;
    double *small = cafe_mem(context, 5 * columns, sizeof *small);
    p.left = cafe_mem(context, rows * columns, sizeof *p.left);
    p.right = cafe_mem(context, columns * columns, sizeof *p.right);
    CAFE_TRY(cafe_mem_had(small, p.left, p.right));
    p.d = small;
    p.e = small + columns;
    p.left_tau = small + 2 * columns;
    p.right_tau = small + 3 * columns;
    p.w = small + 4 * columns;
    for (int64_t i = 0; i < columns; i++) reduce_column(&p, i);
    if (p.vectors) CAFE_TRY(take_columns(context, &p));
    if (!diagonalise(&p))
        CAFE_TRY(cafe_fail(context, CAFE_ERROR_NUMERIC,
                           "the singular values of a matrix of %lld x %lld numbers failed",
                           (long long)rows, (long long)columns));
    if (p.vectors) cafe_rotations_flush(&p.u);
    if (p.vectors) cafe_rotations_flush(&p.v);
    hand_over(&p, values, u, v);
done:
    cafe_rotations_free(&p.u);
    cafe_rotations_free(&p.v);
    cafe_mem_free_all(context, small, p.left, p.right);
    return status;
}
